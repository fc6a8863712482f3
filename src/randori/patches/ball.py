"""The ball that a runner has under an arm: against the ribs, below the arm that is folded around it."""

import numpy as np

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.parts import SIDES
from randori.motion.skeleton import Skeleton
from randori.performer.limbs import smooth_step

RADIUS = 0.09  # metres
_ALONG = 0.55  # of the forearm, from the elbow
_INWARDS = 0.1  # metres from there to the trunk
_SLOWLY = 0.06  # of the way in a tick that it goes to the other arm if that one is folded
_FOLDED = 0.06  # metres that a wrist is nearer to its shoulder than the other one: sure
_BEFORE = 0.22  # metres that it is held before the belly on its way to the other arm


class Ball:
    """Where a ball is, tick by tick."""

    def __init__(self) -> None:
        self._share = 0.5  # 1: under the left arm, 0: under the right one

    def place(self, skeleton: Skeleton, positions: np.ndarray) -> np.ndarray:
        """(3,) metres, in the next tick, of somebody whose joints (J, 3) are there."""
        at = {part: positions[skeleton.joint(part)] for part in _PARTS}
        folded = [np.linalg.norm(at[f"{side}_hand"] - at[f"{side}_upper_arm"]) for side in SIDES]
        wanted = float(np.clip(0.5 + 0.5 * (folded[1] - folded[0]) / _FOLDED, 0.0, 1.0))
        self._share += _SLOWLY * (wanted - self._share)
        share = float(smooth_step(np.array(self._share)))
        spots = [self._under(at, side) for side in SIDES]
        across = at["left_upper_arm"] - at["right_upper_arm"]
        before = rot.normalize(np.array([-across[2], 0.0, across[0]]))
        aside = 4.0 * share * (1.0 - share)
        return share * spots[0] + (1.0 - share) * spots[1] + _BEFORE * aside * before

    @staticmethod
    def _under(at: dict[str, np.ndarray], side: str) -> np.ndarray:
        elbow, wrist = at[f"{side}_forearm"], at[f"{side}_hand"]
        spot = elbow + _ALONG * (wrist - elbow)
        inwards = 0.5 * (at["left_upper_arm"] + at["right_upper_arm"]) - spot
        inwards[1] = 0.0
        return spot + _INWARDS * rot.normalize(inwards)


_PARTS = tuple(f"{side}_{part}" for side in SIDES for part in ("upper_arm", "forearm", "hand"))


def way_of_ball(clip: Clip) -> np.ndarray:
    """(F, 3) metres, where the ball is that the character of a clip carries."""
    ball = Ball()
    return np.array([ball.place(clip.skeleton, positions) for positions in clip.positions])
