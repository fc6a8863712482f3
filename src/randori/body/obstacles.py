"""Things that are as hard as a body is soft: cars and walls, made of rounded boxes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from randori.kernels.boxes import Boxes
from randori.motion import rotations as rot


@dataclass(frozen=True, eq=False)
class Obstacle:
    """Rounded boxes that stand or move together."""

    name: str  # "car", "wall"
    middles: np.ndarray  # (K, 3) metres, in its own frame
    turned: np.ndarray  # (K, 4)
    halves: np.ndarray  # (K, 3) metres, of the cores
    radii: np.ndarray  # (K,) metres about the cores
    path: np.ndarray  # (F, 4) x, y, z in metres and yaw in radians; one row for what stands

    def placed(self, frames: int) -> tuple[np.ndarray, np.ndarray]:
        """Middles (F, K, 3) and turns (F, K, 4) of the boxes in the world."""
        rows = self.path[np.minimum(np.arange(frames), len(self.path) - 1)]
        turn = rot.from_yaw(rows[:, 3])[:, None]
        return rows[:, None, :3] + rot.rotate(turn, self.middles[None]), rot.multiply(turn, self.turned[None])


def boxes_of(obstacles: Sequence[Obstacle], frames: int) -> Boxes:
    """All boxes of some obstacles, in every frame."""
    placed = [obstacle.placed(frames) for obstacle in obstacles]
    middles = [np.zeros((frames, 0, 3)), *(middle for middle, _ in placed)]
    turned = [np.zeros((frames, 0, 4)), *(turn for _, turn in placed)]
    return Boxes(
        np.concatenate(middles, axis=1),
        np.concatenate(turned, axis=1),
        np.concatenate([np.zeros((0, 3)), *(obstacle.halves for obstacle in obstacles)]),
        np.concatenate([np.zeros(0), *(obstacle.radii for obstacle in obstacles)]),
    )


def cut_boxes(boxes: Boxes, rows: slice) -> Boxes:
    """The same boxes in some frames only."""
    middles, turned = (np.ascontiguousarray(places[rows]) for places in (boxes.middles, boxes.turned))
    return boxes._replace(middles=middles, turned=turned)
