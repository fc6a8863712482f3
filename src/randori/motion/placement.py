"""Place and heading of a body on the floor: a planar place and a yaw."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from randori.motion import rotations as rot
from randori.motion.clip import Clip


@dataclass(frozen=True)
class Placement:
    """A turn by `yaw` about the vertical, then a move by (x, z). Heights never change."""

    x: float = 0.0  # metres
    z: float = 0.0  # metres
    yaw: float = 0.0  # radians about +Y: it turns +Z towards +X

    @classmethod
    def of(cls, clip: Clip, frame: int, part: str = "pelvis") -> Self:
        """The place of the root at a frame, and the yaw of a body part.

        The yaw is the twist about the vertical: unlike the way a part looks, it keeps its meaning when
        the body lies on its back.
        """
        x, _, z = clip.root_position[frame]
        joint = clip.skeleton.joint(part)
        turned = rot.multiply(
            clip.global_rotations[frame, joint], rot.inverse(clip.skeleton.reference[joint])
        )
        return cls(float(x), float(z), float(rot.yaw(turned)))

    def then(self, after: "Placement") -> "Placement":
        """This placement, and another one on top of it: `after` sees what this one has moved."""
        x, _, z = after.move_points([self.x, 0.0, self.z])
        return Placement(float(x), float(z), float(rot.wrap_angle(self.yaw + after.yaw)))

    def inverse(self) -> "Placement":
        """The placement that undoes this one."""
        x, _, z = rot.rotate(rot.from_yaw(-self.yaw), [-self.x, 0.0, -self.z])
        return Placement(float(x), float(z), float(rot.wrap_angle(-self.yaw)))

    def move_points(self, points: ArrayLike) -> np.ndarray:
        """Points (..., 3) in metres, carried along."""
        return rot.rotate(rot.from_yaw(self.yaw), points) + np.array([self.x, 0.0, self.z])

    def turn(self, rotations: ArrayLike) -> np.ndarray:
        """Rotations in the world (..., 4), carried along."""
        return rot.multiply(rot.from_yaw(self.yaw), rotations)

    def move(self, clip: Clip) -> Clip:
        """A clip, carried along as a whole."""
        rotations = clip.rotations.copy()
        rotations[:, 0] = self.turn(rotations[:, 0])
        return clip.with_frames(self.move_points(clip.root_position), rotations)
