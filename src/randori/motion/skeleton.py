"""The bones: which joint hangs on which, how far, and what part of a body it is."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Self

import numpy as np

from randori.errors import BodyPartError
from randori.kernels import kinematics
from randori.motion import rotations as rot
from randori.motion.parts import SIDES, part_options

_ANKLE_TO_HEAD = 0.885  # of a person's height lie, along the bones, between the ankle and the head's joint


@dataclass(frozen=True, eq=False)
class Flesh:
    """The body of a character that brings a skin of its own, as it was measured on its vertices."""

    floor: float  # metres: height of the soles when the root of the T is at the origin
    height: float  # metres from the soles to the highest vertex of the T
    # round cones, which are drawn, see body/mannequin.py
    cone_joints: np.ndarray  # (N,) int64, the joint that carries each
    cone_ends: np.ndarray  # (N, 2, 3) metres, in the joint's frame
    cone_radii: np.ndarray  # (N, 2) metres
    cone_colours: np.ndarray  # (N, 3) sRGB
    cone_parts: tuple[str, ...]  # (N,) the body part that each belongs to
    # capsules, which collide, in the order of body/capsules.py
    capsule_joints: np.ndarray  # (16,) int64
    capsule_ends: np.ndarray  # (16, 2, 3) metres, in the joint's frame
    capsule_radii: np.ndarray  # (16,) metres, negative for a part that the body does not have
    # the outermost points of the skin, which stay above the floor
    point_joints: np.ndarray  # (P,) int64, the joint that each follows most
    points: np.ndarray  # (P, 3) metres, in the joint's frame

    def scaled(self, factor: float) -> "Flesh":
        """The same body in another size."""
        return replace(
            self,
            floor=self.floor * factor,
            height=self.height * factor,
            cone_ends=self.cone_ends * factor,
            cone_radii=self.cone_radii * factor,
            capsule_ends=self.capsule_ends * factor,
            capsule_radii=self.capsule_radii * factor,
            points=self.points * factor,
        )


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A tree of joints. Parents stand before their children; joint 0 is the root."""

    names: tuple[str, ...]
    parents: np.ndarray  # (J,) int64, -1 for the root
    offsets: np.ndarray  # (J, 3) metres from the parent's joint, in the parent's frame
    tips: np.ndarray  # (J, 3) metres to the end of a last bone (finger tip, crown), zero elsewhere
    parts: Mapping[str, int] = field(default_factory=dict)  # body part → joint, see motion/parts.py
    # (J, 4) how each joint is turned in the world when the body stands upright with straight legs and
    # its arms out to the sides (a T), palms down, looking along +Z. It is what makes rigs comparable:
    # `rotation × inverse(reference)` is the turn away from the T-pose, independent of the rig's zero.
    reference: np.ndarray = field(default_factory=lambda: np.zeros((0, 4)))
    girth: float = 1.0  # of the flesh on these bones, against an average body of their size
    flesh: Flesh | None = None  # of a character with a skin of its own; others are dressed as mannequins

    def __post_init__(self) -> None:
        if len(self.reference) == 0:
            object.__setattr__(self, "reference", np.tile(rot.IDENTITY, (len(self.names), 1)))

    @classmethod
    def build(cls, joints: Sequence[tuple[str, str | None, Sequence[float]]]) -> Self:
        """From (name, parent's name, offset) rows, root first."""
        names = tuple(name for name, _, _ in joints)
        parents = [-1 if parent is None else names.index(parent) for _, parent, _ in joints]
        offsets = np.array([offset for _, _, offset in joints], dtype=float)
        return cls(names, np.array(parents, dtype=np.int64), offsets, np.zeros_like(offsets))

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def contents(self) -> str:
        """A hash of everything here: skeletons that are alike have the same one."""
        digest = hashlib.sha256()
        for record in (self, self.flesh):
            for one in fields(record) if record is not None else ():
                value = getattr(record, one.name)
                words = f"{value.dtype}{value.shape}" if isinstance(value, np.ndarray) else f"{value!r}"
                digest.update(f"{one.name} {'' if one.name == 'flesh' else words}\n".encode())
                digest.update(value.tobytes() if isinstance(value, np.ndarray) else b"")
        return digest.hexdigest()

    def joint(self, part: str) -> int:
        """The joint that is this body part."""
        if part not in self.parts:
            raise BodyPartError(
                f"no joint was recognised as the {part.replace('_', ' ')}; name what is missing with "
                f"{part_options(self.names, self.parts, part)}. The joints are: {', '.join(self.names)}"
            )
        return self.parts[part]

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The joints that hang directly on each joint."""
        lists: list[list[int]] = [[] for _ in self.names]
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                lists[parent].append(joint)
        return tuple(map(tuple, lists))

    @cached_property
    def lengths(self) -> np.ndarray:
        """(J,) metres from each joint to its parent; the root's is 0."""
        return np.where(self.parents < 0, 0.0, np.linalg.norm(self.offsets, axis=-1))

    def length_between(self, lower: int, upper: int) -> float:
        """Metres along the bones from a joint up to one of its ancestors."""
        total, joint = 0.0, lower
        while joint != upper:
            total += float(self.lengths[joint])
            joint = int(self.parents[joint])
            if joint < 0:
                raise ValueError(f"{self.names[upper]} is not above {self.names[lower]}")
        return total

    @cached_property
    def height(self) -> float:
        """Metres from the soles to the crown of this body when it stands; 0 if its parts are not known.

        Measured along the bones: rigs end anywhere between the chin and the crown.
        """
        parts = self.parts
        if self.flesh is not None:
            return self.flesh.height
        if not {"head", "left_foot", "right_foot"} <= set(parts):
            return 0.0
        trunk = [parts["head"]]
        while trunk[-1] > 0:
            trunk.append(int(self.parents[trunk[-1]]))
        total = 0.0
        for side in SIDES:
            joint = parts[f"{side}_foot"]
            while joint not in trunk:
                total += float(self.lengths[joint])
                joint = int(self.parents[joint])
            total += self.length_between(parts["head"], joint)
        return total / len(SIDES) / _ANKLE_TO_HEAD

    def forward(self, root_position: np.ndarray, rotations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """World positions (F, J, 3) and rotations (F, J, 4) of all joints, for F frames."""
        frames = len(rotations)
        positions = np.empty((frames, len(self), 3))
        global_rotations = np.empty((frames, len(self), 4))
        kinematics.forward(
            np.ascontiguousarray(root_position, dtype=np.float64),
            np.ascontiguousarray(rotations, dtype=np.float64),
            self.parents,
            self.offsets,
            positions,
            global_rotations,
        )
        return positions, global_rotations

    def to_local(self, global_rotations: np.ndarray) -> np.ndarray:
        """Rotations relative to the parent (…, J, 4) from rotations in the world."""
        local = np.array(global_rotations, dtype=float)
        inner = self.parents >= 0
        above = global_rotations[..., self.parents[inner], :]
        local[..., inner, :] = rot.multiply(rot.inverse(above), global_rotations[..., inner, :])
        return local

    @cached_property
    def reference_pose(self) -> tuple[np.ndarray, np.ndarray]:
        """World positions (J, 3) and rotations (J, 4) of the T, feet on the floor, root above the origin."""
        local = self.to_local(self.reference)
        positions, turned = self.forward(np.zeros((1, 3)), local[None])
        if self.flesh is not None:
            lowest = self.flesh.floor
        else:
            tips = positions[0] + rot.rotate(turned[0], self.tips)
            lowest = min(positions[0, :, 1].min(), tips[:, 1].min())
        return positions[0] - np.array([0.0, lowest, 0.0]), turned[0]

    def scaled(self, factor: float) -> "Skeleton":
        """The same skeleton in another size."""
        flesh = None if self.flesh is None else self.flesh.scaled(factor)
        return replace(self, offsets=self.offsets * factor, tips=self.tips * factor, flesh=flesh)
