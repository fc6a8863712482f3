"""Points spread over the skin of a body: what is measured is measured here, not on capsules."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from randori.body.capsules import CAPSULES, fit
from randori.body.mesh import skin
from randori.characters.flesh import part_of_joints
from randori.characters.surface import Surface
from randori.kernels.skinning import Skinned
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.parts import SIDES
from randori.motion.skeleton import Skeleton

COUNT = 900  # points on a body: 5 cm apart on a person
_CHUNK = 256  # frames placed at once
# the body parts that a capsule of body/capsules.py stands for
_OF_CAPSULE = {
    "head": ("head", "neck"),
    "upper_torso": ("chest", "spine", "neck", *(f"{side}_shoulder" for side in SIDES)),
    "lower_torso": ("pelvis", "spine"),
} | {f"{side}_foot": (f"{side}_foot", f"{side}_toes") for side in SIDES}


@dataclass(frozen=True, eq=False)
class Samples:
    """Points on triangles of a surface."""

    surface: Surface
    triangles: np.ndarray  # (N, 3) vertices
    shares: np.ndarray  # (N, 3) of them
    parts: np.ndarray  # (N,) body part, an index into `words`
    words: tuple[str, ...]
    thick: np.ndarray  # (N,) metres of flesh below each: the radius of its capsule
    capsules: np.ndarray  # (N,) int64, the one of CAPSULES that each belongs to

    def place(self, clip: Clip, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(F, N, 3) metres and outward normals in some frames (F,) of a clip."""
        places, normals = (np.empty((len(frames), len(self.triangles), 3)) for _ in range(2))
        for first in range(0, len(frames), _CHUNK):
            rows = frames[first : first + _CHUNK]
            vertices = self.surface.place(clip.positions[rows], clip.global_rotations[rows])
            corners = vertices[:, self.triangles]
            here = slice(first, first + len(rows))
            places[here] = np.einsum("nk,fnkd->fnd", self.shares, corners)
            across = rot.cross(corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0])
            length = np.linalg.norm(across, axis=-1, keepdims=True)
            normals[here] = across / np.maximum(length, 1e-12)
        return places, normals

    def of_capsule(self, name: str) -> np.ndarray:
        """(N,) bool: points on the body part that a capsule stands for."""
        wanted = [self.words.index(part) for part in _OF_CAPSULE.get(name, (name,)) if part in self.words]
        return np.isin(self.parts, wanted)

    def only(self, chosen: np.ndarray) -> "Samples":
        """Some of the points, (N,) bool."""
        return Samples(
            self.surface,
            self.triangles[chosen],
            self.shares[chosen],
            self.parts[chosen],
            self.words,
            self.thick[chosen],
            self.capsules[chosen],
        )


def spread(skeleton: Skeleton, surface: Surface, count: int = COUNT) -> Samples:
    """So many points spread evenly over the body, the same each time."""
    places, turned = skeleton.reference_pose
    vertices = surface.place(places[None], turned[None])[0]
    chosen = np.flatnonzero(surface.flesh[surface.triangles].all(axis=1))
    triangles = surface.triangles[chosen]
    corners = vertices[triangles]
    area = 0.5 * np.linalg.norm(
        rot.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    # points at even steps along the areas, each triangle taking those that fall on it
    total = np.cumsum(area)
    at = (np.arange(count) + 0.5) * total[-1] / count
    which = np.minimum(np.searchsorted(total, at), len(triangles) - 1)
    # within a triangle they follow a sequence that fills it evenly
    u = (np.arange(count) * 0.7548776662466927) % 1.0
    v = (np.arange(count) * 0.5698402909980532) % 1.0
    over = u + v > 1.0
    u, v = np.where(over, 1.0 - u, u), np.where(over, 1.0 - v, v)
    shares = np.stack([1.0 - u - v, u, v], axis=1)
    words = part_of_joints(skeleton)
    parts = tuple(dict.fromkeys(words))
    of_joint = np.array([parts.index(word) for word in words])
    nearest = np.take_along_axis(triangles[which], shares.argmax(axis=1)[:, None], axis=1)[:, 0]
    own = of_joint[surface.heaviest[nearest]]
    thick, capsules = _thickness(skeleton, parts)[own], _capsules(parts)[own]
    return Samples(surface, triangles[which], shares, own, parts, thick, capsules)


def _capsules(parts: tuple[str, ...]) -> np.ndarray:
    """(P,) the capsule that a body part belongs to."""
    found = []
    for part in parts:
        names = [name for name, words in _OF_CAPSULE.items() if part in words] or [part]
        found.append(CAPSULES.index(names[0]) if names[0] in CAPSULES else CAPSULES.index("upper_torso"))
    return np.array(found, dtype=np.int64)


def _thickness(skeleton: Skeleton, parts: tuple[str, ...]) -> np.ndarray:
    """(P,) metres: the radius of the capsule that a body part belongs to."""
    radii = dict(zip(CAPSULES, fit(skeleton).radii.tolist()))
    found = []
    for part in parts:
        names = [name for name, words in _OF_CAPSULE.items() if part in words] or [part]
        found.append(max((radii[name] for name in names if name in radii), default=0.5 * radii["head"]))
    return np.array(found)


@lru_cache(maxsize=16)
def mannequin_surface(skeleton: Skeleton) -> Surface:
    """The surface of a mannequin, as GLB has it."""
    mesh = skin(skeleton)
    places, turned = skeleton.reference_pose
    matrices = np.zeros((len(skeleton), 3, 4))
    matrices[:, :, :3] = rot.to_matrix(rot.inverse(turned))
    matrices[:, :, 3] = -np.einsum("jab,jb->ja", matrices[:, :, :3], places)
    skinned = Skinned(
        mesh.vertices,
        mesh.joints.astype(np.int64),
        np.ascontiguousarray(mesh.weights),
        np.arange(len(skeleton), dtype=np.int64),
        matrices,
    )
    return Surface(
        skinned,
        mesh.triangles.astype(np.int64),
        np.full((len(mesh.vertices), 2), np.nan),
        np.full(len(mesh.triangles), -1),
        np.ones(len(mesh.vertices), dtype=bool),
    )
