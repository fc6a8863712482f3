"""The ball under a runner's arm: it rests against the ribs, and the arm is folded around it."""

import numpy as np

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.easing import smooth_step
from randori.motion.parts import SIDES
from randori.motion.skeleton import Skeleton

RADIUS = 0.09  # metres
_FOREARM_SHARE = 0.55  # how far along the forearm the ball is, from the elbow (0) to the wrist (1)
_INWARD_DISTANCE = 0.1  # metres from there to the trunk
_BELLY_CLEARANCE = 0.22  # metres in front of the belly, while the ball changes to the other arm
_FOLDED_WRIST = np.array(
    [-0.02, -0.30, 0.16]
)  # metres out, up and forward of the shoulder: a wrist that has it
# weight of the present tick in the running average: an arm that only swings past must not count
_AVERAGE_WEIGHT = 0.05
_WRIST_MARGIN = 0.08  # metres by which one wrist has to be nearer before the ball changes arms


class Ball:
    """The place of a ball, tick by tick."""

    def __init__(self) -> None:
        self._off: np.ndarray | None = None  # (2,) metres from each wrist to where it would hold the ball

    def place(self, skeleton: Skeleton, positions: np.ndarray) -> np.ndarray:
        """(3,) metres, the ball in the next tick; `joints` (J, 3) are those of the runner."""
        at = {part: positions[skeleton.joint(part)] for part in _PARTS}
        left = rot.normalize((at["left_upper_arm"] - at["right_upper_arm"]) * [1.0, 0.0, 1.0])
        before = np.array([-left[2], 0.0, left[0]])
        off = []
        for side, out in zip(SIDES, (left, -left)):
            wanted = _FOLDED_WRIST @ np.array([out, rot.Y_AXIS, before])
            off.append(np.linalg.norm(at[f"{side}_hand"] - at[f"{side}_upper_arm"] - wanted))
        self._off = np.array(off) if self._off is None else self._off + _AVERAGE_WEIGHT * (off - self._off)
        # 1 under the left arm, 0 under the right one
        sure = np.clip(0.5 + 0.5 * (self._off[1] - self._off[0]) / _WRIST_MARGIN, 0.0, 1.0)
        share = float(smooth_step(sure))
        spots = [self._under(at, side) for side in SIDES]
        aside = 4.0 * share * (1.0 - share)
        return share * spots[0] + (1.0 - share) * spots[1] + _BELLY_CLEARANCE * aside * before

    @staticmethod
    def _under(at: dict[str, np.ndarray], side: str) -> np.ndarray:
        elbow, wrist = at[f"{side}_forearm"], at[f"{side}_hand"]
        spot = elbow + _FOREARM_SHARE * (wrist - elbow)
        inwards = 0.5 * (at["left_upper_arm"] + at["right_upper_arm"]) - spot
        inwards[1] = 0.0
        return spot + _INWARD_DISTANCE * rot.normalize(inwards)


_PARTS = tuple(f"{side}_{part}" for side in SIDES for part in ("upper_arm", "forearm", "hand"))


def way_of_ball(clip: Clip) -> np.ndarray:
    """(F, 3) metres, where the ball is that the character of a clip carries."""
    ball = Ball()
    return np.array([ball.place(clip.skeleton, positions) for positions in clip.positions])
