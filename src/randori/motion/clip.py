"""A recording of one body: where its root is and how its joints are turned, frame by frame."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from randori.motion import rotations as rot
from randori.motion.skeleton import Skeleton


@dataclass(frozen=True)
class Source:
    """The source of a clip, what was recognised when it was read, and its credit."""

    file: str = ""
    metres_per_unit: float = 1.0
    up_axis: str = "Y"
    dropped_frames: int = 0  # at the start: an inserted T-pose
    licence: str = ""
    credit: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Clip:
    """Frames of motion. Arrays are not changed in place: every operation gives a new clip."""

    name: str
    skeleton: Skeleton
    fps: float
    root_position: np.ndarray  # (F, 3) metres
    rotations: np.ndarray  # (F, J, 4) of each joint in its parent's frame; the root's in the world
    source: Source = field(default_factory=Source)

    def __len__(self) -> int:
        return len(self.root_position)

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return max(len(self) - 1, 0) / self.fps

    @property
    def times(self) -> np.ndarray:
        """(F,) seconds."""
        return np.arange(len(self)) / self.fps

    @cached_property
    def _world(self) -> tuple[np.ndarray, np.ndarray]:
        return self.skeleton.forward(self.root_position, self.rotations)

    @property
    def positions(self) -> np.ndarray:
        """(F, J, 3) metres, every joint in the world."""
        return self._world[0]

    @property
    def global_rotations(self) -> np.ndarray:
        """(F, J, 4) every joint in the world."""
        return self._world[1]

    @property
    def tip_positions(self) -> np.ndarray:
        """(F, J, 3) metres, the end of each joint's last bone (the joint itself where it has none)."""
        return self.positions + rot.rotate(self.global_rotations, self.skeleton.tips)

    def turned(self, part: str) -> np.ndarray:
        """(F, 4) how a body part is turned away from the T-pose that looks along +Z."""
        joint = self.skeleton.joint(part)
        return rot.multiply(self.global_rotations[:, joint], rot.inverse(self.skeleton.reference[joint]))

    def heading(self, part: str = "head") -> np.ndarray:
        """(F,) radians: the yaw that a body part looks along, 0 = +Z, a quarter turn = +X."""
        forward = rot.rotate(self.turned(part), rot.Z_AXIS)
        return np.arctan2(forward[:, 0], forward[:, 2])

    def thinned(self, step: int) -> "Clip":
        """Every n-th frame of it; derived data is kept for these."""
        if step <= 1:
            return self
        thin = replace(
            self,
            fps=self.fps / step,
            root_position=self.root_position[::step],
            rotations=self.rotations[::step],
        )
        if "_world" in self.__dict__:
            thin.__dict__["_world"] = tuple(values[::step] for values in self._world)
        return thin

    def with_source(self, source: Source) -> "Clip":
        """The same motion from another source; derived data is kept."""
        same = replace(self, source=source)
        if "_world" in self.__dict__:
            same.__dict__["_world"] = self._world
        return same

    def with_frames(self, root_position: np.ndarray, rotations: np.ndarray, **changes: object) -> "Clip":
        """The same clip with other frames."""
        return replace(self, root_position=root_position, rotations=rotations, **changes)  # type: ignore[arg-type]
