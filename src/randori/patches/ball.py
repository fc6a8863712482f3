"""The ball that a runner has under an arm: against the ribs, below the arm that is folded around it."""

import numpy as np

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.easing import smooth_step
from randori.motion.parts import SIDES
from randori.motion.skeleton import Skeleton

RADIUS = 0.09  # metres
_ALONG = 0.55  # of the forearm, from the elbow
_INWARDS = 0.1  # metres from there to the trunk
_BEFORE = 0.22  # metres that it is held before the belly on its way to the other arm
_FOLDED = np.array([-0.02, -0.30, 0.16])  # metres out, up and forward of the shoulder: a wrist that has it
_SLOWLY = 0.05  # of the present that goes into the average in a tick: the other arm only swings past there
_SURE = 0.08  # metres that one wrist is nearer to there than the other


class Ball:
    """Where a ball is, tick by tick."""

    def __init__(self) -> None:
        self._off: np.ndarray | None = None  # (2,) metres that wrists are off where they would have it

    def place(self, skeleton: Skeleton, positions: np.ndarray) -> np.ndarray:
        """(3,) metres, in the next tick, of somebody whose joints (J, 3) are there."""
        at = {part: positions[skeleton.joint(part)] for part in _PARTS}
        left = rot.normalize((at["left_upper_arm"] - at["right_upper_arm"]) * [1.0, 0.0, 1.0])
        before = np.array([-left[2], 0.0, left[0]])
        off = []
        for side, out in zip(SIDES, (left, -left)):
            wanted = _FOLDED @ np.array([out, rot.Y_AXIS, before])
            off.append(np.linalg.norm(at[f"{side}_hand"] - at[f"{side}_upper_arm"] - wanted))
        self._off = np.array(off) if self._off is None else self._off + _SLOWLY * (off - self._off)
        # 1 under the left arm, 0 under the right one
        sure = np.clip(0.5 + 0.5 * (self._off[1] - self._off[0]) / _SURE, 0.0, 1.0)
        share = float(smooth_step(sure))
        spots = [self._under(at, side) for side in SIDES]
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
