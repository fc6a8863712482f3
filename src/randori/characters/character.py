"""A user's own character: a file with a skeleton and a skinned mesh."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from randori.characters.flesh import fit_flesh
from randori.characters.rig import Rig, find_rig, on_all_joints
from randori.characters.surface import Surface, colours_at, is_hidden, screen_colour, surface_of
from randori.characters.usd_body import usd_body
from randori.characters.weapons import with_sword
from randori.errors import FileError, RandoriError
from randori.formats import GLTF_ENDINGS, USD_ENDINGS, load_all, mesh_model
from randori.formats.glb import OwnCharacter
from randori.formats.gltf import Reader
from randori.formats.model import Model, decoded, model_from_bytes, read_model
from randori.formats.usd import Body
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.parts import SIDES
from randori.motion.skeleton import Skeleton

_BY_PACKAGE = (".fbx", *USD_ENDINGS)  # endings of files that are read in a process of their own
ENDINGS = (*(ending for ending in GLTF_ENDINGS if ending != ".vrma"), *_BY_PACKAGE)
# units of files whose characters are 0.5 to 5 of them tall, once they are metres
_UNITS = (1.0, 0.01, 0.001, 0.0254)
_POSE = 7  # frames: exporters write poses as takes of one or two
_LIMBS = (("upper_arm", "forearm"), ("forearm", "hand"), ("thigh", "shin"), ("shin", "foot"))
_SHORTEST_LIMB = 0.01  # metres
_TALLEST, _SMALLEST = 5.0, 0.5  # metres, of a person, a giant or a child


@dataclass(frozen=True, eq=False)
class Character:
    """A body to be dressed in."""

    name: str
    model: Model
    rig: Rig  # in units of the file
    size: float  # metres per unit of the file
    skeleton: Skeleton  # in metres, with its flesh
    surface: Surface  # in metres
    hidden: tuple[str, ...] = ()  # patterns of the names of meshes that are not shown

    @cached_property
    def pictures(self) -> list[np.ndarray | None]:
        """Of each material: (H, W, 3) uint8, or nothing."""
        return [decoded(material) for material in self.model.materials]

    def to_export(self, name: str) -> OwnCharacter:
        """All that a file needs in which it appears under a name; its clips are those of `to_file`."""
        order, whole = np.array(self.model.order), self.rig.whole
        hidden = [int(order[piece.node]) for piece in self.model.pieces if is_hidden(piece.name, self.hidden)]
        return OwnCharacter(
            name,
            whole.skeleton.scaled(self.size),
            self.model.document,
            self.model.binary,
            order[whole.nodes],
            whole.above,
            self.size,
            hidden,
        )

    def to_usd(self, name: str) -> Body:
        """The same for USD."""
        return usd_body(name, self.model, self.rig, self.size, self.surface, self.hidden)

    def to_file(self, clip: Clip) -> Clip:
        """A clip of its skeleton on all joints of its file, also those above the pelvis."""
        return on_all_joints(clip, self.rig.whole, self.size)

    @property
    def height(self) -> float:
        """Metres from the soles to the crown."""
        return self.skeleton.height

    def facts(self) -> dict[str, Any]:
        """Facts about the file, for `randori inspect`."""
        skeleton = self.skeleton
        props = sorted({piece.name for piece in self.model.pieces if piece.skin < 0})
        flesh = skeleton.flesh
        return {
            "character": self.model.file,
            "height": round(self.height, 3),
            "metres_per_unit": self.size,
            "joints": len(skeleton),
            "vertices": self.model.vertices,
            "triangles": sum(len(piece.triangles) for piece in self.model.pieces),
            "meshes": len({piece.node for piece in self.model.pieces}),
            "materials": [material.name for material in self.model.materials],
            "props": props,
            "cones": 0 if flesh is None else len(flesh.cone_joints),
            "reach": round(arm_length(skeleton), 3),
            "leg": round(leg_length(skeleton), 3),
            "parts": {part: skeleton.names[joint] for part, joint in skeleton.parts.items()},
            "notes": list(self.model.notes),
        }


@dataclass(frozen=True)
class Costume:
    """A character as a take keeps it: all that is needed to have it again."""

    name: str
    content: bytes  # GLB, without animations
    height: float  # metres
    hidden: tuple[str, ...] = ()
    parts: tuple[tuple[str, str], ...] = ()  # body part and joint, as they were named outright

    @classmethod
    def of(cls, character: Character, parts: Mapping[str, str] | None = None) -> "Costume":
        told = tuple(sorted((parts or {}).items()))
        height = character.size * _height_in_units(character.model, character.rig)
        return cls(character.name, character.model.to_bytes(), height, character.hidden, told)

    @property
    def character(self) -> Character:
        """The character itself; made once."""
        return _character_of(self)

    def armed(self) -> "Costume":
        """The same character with a sword in its right hand; made once."""
        return _armed(self)


@lru_cache(maxsize=16)
def _armed(costume: Costume) -> Costume:
    character = costume.character
    if "weapon" in character.skeleton.parts:
        return costume
    drawn = character.model, character.rig, character.skeleton, character.size
    return replace(costume, content=with_sword(*drawn))


@lru_cache(maxsize=16)
def _character_of(costume: Costume) -> Character:
    model = model_from_bytes(costume.content, f"{costume.name}.glb")
    return make_character(model, dict(costume.parts), costume.height, costume.hidden, costume.name)


def is_character(path: str | os.PathLike[str]) -> bool:
    """Whether a file may hold a character, by its ending."""
    return Path(path).suffix.lower() in ENDINGS


def find_character(
    path: str | os.PathLike[str], parts: Mapping[str, str] | None = None, hidden: Sequence[str] = ()
) -> Character | None:
    """The character of a file that may hold one; None for a file of motion.

    A file with clips whose meshes are no character, such as a scene of several people, is one of motion.
    """
    if not is_character(path):
        return None
    try:
        return load_character(path, parts=parts, hidden=hidden) if _has_skin(path) else None
    except RandoriError:
        if clip_count(path) == 0:
            raise
        return None


def clip_count(path: str | os.PathLike[str]) -> int:
    """How many clips the file of a character holds; a pose of a few frames is none."""
    if Path(path).suffix.lower() in _BY_PACKAGE:
        try:
            return sum(len(clip) > _POSE for clip in load_all(path))
        except FileError:
            return 0
    animations = Reader(Path(path)).document.get("animations", [])
    return len(animations) if isinstance(animations, list) else 0


def _has_skin(path: str | os.PathLike[str]) -> bool:
    """Whether a file holds meshes, and so may be a character rather than motion alone."""
    if Path(path).suffix.lower() in _BY_PACKAGE:
        return mesh_model.count_skins(path) > 0
    return bool(Reader(Path(path)).document.get("meshes"))


def load_character(
    path: str | os.PathLike[str],
    *,
    parts: Mapping[str, str] | None = None,
    height: float | None = None,
    hidden: Sequence[str] = (),
    name: str = "",
) -> Character:
    """The character of a file.

    `parts` names joints outright, `height` (metres) gives it another size, `hidden` are patterns of the names
    of meshes that are not shown, such as "*Shield*".
    """
    ending = Path(path).suffix.lower()
    if ending in _BY_PACKAGE:
        model = mesh_model.read_model(path)
    elif ending in ENDINGS:
        model = read_model(path)
    else:
        raise FileError(path, f"expected a character ({', '.join(ENDINGS)}), found {ending or 'no ending'}")
    return make_character(model, parts, height, tuple(hidden), name or Path(path).stem)


def make_character(
    model: Model,
    parts: Mapping[str, str] | None,
    height: float | None,
    hidden: tuple[str, ...],
    name: str,
) -> Character:
    """The character of a model: its rig, its unit, its surface and its flesh."""
    rig = find_rig(model, parts)
    tall = _height_in_units(model, rig)
    if height is not None:
        if not _SMALLEST <= height <= _TALLEST:
            raise FileError(model.file, f"expected a height from {_SMALLEST} to {_TALLEST} m, found {height}")
        size = height / tall
    else:
        fitting = [unit for unit in _UNITS if _SMALLEST <= tall * unit <= _TALLEST]
        if not fitting:
            raise FileError(model.file, f"it is {tall:.3g} units tall; say how tall it is: --height 1.8")
        size = fitting[0]
    surface = surface_of(model, rig, size, hidden)
    skeleton = rig.skeleton.scaled(size)
    _check_body(model, skeleton, surface)
    pictures = [decoded(material) for material in model.materials]
    middles = surface.texture_places[surface.triangles].mean(axis=1)
    colours = screen_colour(colours_at(model.materials, pictures, surface.materials, middles))
    flesh = fit_flesh(skeleton, surface, colours)
    sizes = (flesh.cone_ends, flesh.cone_radii, flesh.capsule_ends, flesh.capsule_radii)
    if not all(np.isfinite(values).all() for values in sizes):
        raise FileError(model.file, "its skin has no extent where a body has flesh; is it damaged?")
    skeleton = replace(_with_toes(skeleton, surface), flesh=flesh)
    return Character(name, model, rig, size, skeleton, surface, hidden)


def _check_body(model: Model, skeleton: Skeleton, surface: Surface) -> None:
    """An error if a limb has no length, or if no skin follows the body."""
    for side in SIDES:
        for part, after in _LIMBS:
            upper, lower = skeleton.joint(f"{side}_{part}"), skeleton.joint(f"{side}_{after}")
            if skeleton.length_between(lower, upper) < _SHORTEST_LIMB:
                names = f"{skeleton.names[upper]!r} and {skeleton.names[lower]!r}"
                raise FileError(model.file, f"its joints {names} lie in one place: the limb has no length")
    if not surface.flesh[surface.triangles].all(axis=1).any():
        raise FileError(model.file, "no triangle of its skin follows the joints of its body")


def _height_in_units(model: Model, rig: Rig) -> float:
    """From the soles to the crown of the T, in units of the file."""
    surface = surface_of(model, rig, 1.0)
    skeleton = rig.skeleton
    placed = surface.place(*skeleton.forward(np.zeros((1, 3)), skeleton.to_local(skeleton.reference)[None]))
    heights = placed[0, surface.flesh, 1]
    tall = float(heights.max() - heights.min())
    if not np.isfinite(tall) or tall <= 0.0:
        raise FileError(model.file, "its skin has no height; are its inverse bind matrices damaged?")
    return tall


def _with_toes(skeleton: Skeleton, surface: Surface) -> Skeleton:
    """A skeleton whose feet end where the ball of the foot is, if it has no joint for the toes."""
    if all(f"{side}_toes" in skeleton.parts for side in ("left", "right")):
        return skeleton
    places, turned = skeleton.forward(np.zeros((1, 3)), skeleton.to_local(skeleton.reference)[None])
    skin = surface.place(places, turned)[0]
    floor = float(skin[surface.flesh, 1].min())
    tips = skeleton.tips.copy()
    for side in ("left", "right"):
        foot = skeleton.joint(f"{side}_foot")
        own = skin[np.isin(surface.heaviest, _carried_by(skeleton, foot)) & surface.flesh]
        if f"{side}_toes" in skeleton.parts or len(own) == 0:
            continue
        ankle = places[0, foot]
        front = float(np.quantile(own[:, 2], 0.98))
        ball = np.array([ankle[0], floor + 0.1 * (ankle[1] - floor), ankle[2] + 0.9 * (front - ankle[2])])
        tips[foot] = rot.rotate(rot.inverse(turned[0, foot]), ball - ankle)
    return replace(skeleton, tips=tips)


def _carried_by(skeleton: Skeleton, joint: int) -> list[int]:
    """A joint and all below it."""
    below = [joint]
    for number, parent in enumerate(skeleton.parents.tolist()):
        if parent in below:
            below.append(number)
    return below


def leg_length(skeleton: Skeleton) -> float:
    """Metres from the hip to the ankle."""
    return skeleton.length_between(skeleton.joint("left_foot"), skeleton.joint("left_thigh"))


def arm_length(skeleton: Skeleton) -> float:
    """Metres from the shoulder to the wrist."""
    return skeleton.length_between(skeleton.joint("left_hand"), skeleton.joint("left_upper_arm"))
