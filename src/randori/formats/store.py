"""Clips in Randori's own file, an `.npz` of plain arrays that comes back bit for bit."""

import os
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from randori.formats.arrays import Foreign, expect, is_json, read_arrays, read_words, with_words, write_arrays
from randori.formats.rates import FASTEST
from randori.formats.recording import LARGEST_VALUE, MOST_JOINTS
from randori.motion.clip import Clip, Source
from randori.motion.parts import PARTS
from randori.motion.skeleton import Flesh, Skeleton

KIND, SCHEMA = "randori clip", 1

CLIP_TYPES: dict[str, np.dtype[Any]] = {
    "words": np.dtype("u1"),
    "parents": np.dtype("<i8"),
    "offsets": np.dtype("<f8"),
    "tips": np.dtype("<f8"),
    "reference": np.dtype("<f8"),
    "root_position": np.dtype("<f8"),
    "rotations": np.dtype("<f8"),
}
CLIP_WORDS = {"name": str, "fps": float, "joints": list, "parts": dict, "source": dict}
_MOST_WORDS = 1024**2  # bytes: 1,000 joints need 0.1 MB
_THICKEST_FLESH = 10.0  # times the flesh of an average body
_MOST_CONES = 10_000
_MOST_POINTS = 100_000
_CAPSULES = 16  # of body/capsules.py
_UNIT_LENGTH = 1e-6  # a quaternion may be this far from 1


def write(path: str | os.PathLike[str], clip: Clip) -> None:
    """Write a clip so that `read` gives exactly the same one."""
    arrays = with_words({"kind": KIND, "schema": SCHEMA, **clip_words(clip)}, clip_arrays(clip), CLIP_TYPES)
    write_arrays(path, arrays, _to_clip)


def read(path: str | os.PathLike[str]) -> Clip:
    """The clip that `write` wrote."""
    return read_arrays(path, "a clip", CLIP_TYPES, _to_clip)


def clip_words(clip: Clip) -> dict[str, Any]:
    """The description of a clip, for JSON."""
    skeleton = clip.skeleton
    return {
        "name": clip.name,
        "fps": clip.fps,
        "joints": skeleton.names,
        "parts": {part: int(joint) for part, joint in skeleton.parts.items()},
        "source": asdict(clip.source),
        **({"girth": skeleton.girth} if skeleton.girth != 1.0 else {}),
        **({} if skeleton.flesh is None else {"flesh": _flesh_words(skeleton.flesh)}),
    }


def _flesh_words(flesh: Flesh) -> dict[str, Any]:
    """The measured body of a character, for JSON."""
    values = {field.name: getattr(flesh, field.name) for field in fields(Flesh)}
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in values.items()
    }


def _to_flesh(words: Any, joints: int) -> Flesh | None:
    """The same back again, after all of it has been checked."""
    if words is None:
        return None
    expect(is_json(words, dict) and set(words) == {field.name for field in fields(Flesh)}, "a whole flesh")
    parts = words["cone_parts"]
    expect(is_json(parts, list) and all(part in PARTS for part in parts), "cones of body parts")
    count = len(parts)
    expect(0 < count <= _MOST_CONES, f"1 to {_MOST_CONES} cones")
    points = words["point_joints"]
    expect(is_json(points, list) and 0 < len(points) <= _MOST_POINTS, f"1 to {_MOST_POINTS} points of a skin")
    shapes = {
        "point_joints": (len(points),),
        "points": (len(points), 3),
        "cone_joints": (count,),
        "cone_ends": (count, 2, 3),
        "cone_radii": (count, 2),
        "cone_colours": (count, 3),
        "capsule_joints": (_CAPSULES,),
        "capsule_ends": (_CAPSULES, 2, 3),
        "capsule_radii": (_CAPSULES,),
    }
    arrays = {}
    for name, shape in shapes.items():
        try:
            array = np.array(words[name], dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise Foreign(f"expected {name} in numbers") from None
        expect(array.shape == shape, f"{name} of shape {shape}, not {array.shape}")
        expect(bool((np.abs(array) <= LARGEST_VALUE).all()), f"{name} without NaN or infinity")
        arrays[name] = array
    for name in ("cone_joints", "capsule_joints", "point_joints"):
        arrays[name] = arrays[name].astype(np.int64)
        expect(bool(((arrays[name] >= 0) & (arrays[name] < joints)).all()), f"{name} that there are")
    for name in ("floor", "height"):
        expect(is_json(words[name], float), f"the {name} of a flesh in metres")
    return Flesh(floor=words["floor"], height=words["height"], cone_parts=tuple(parts), **arrays)


def clip_arrays(clip: Clip) -> dict[str, np.ndarray]:
    """A clip's numbers, by name."""
    skeleton = clip.skeleton
    return {
        "parents": skeleton.parents,
        "offsets": skeleton.offsets,
        "tips": skeleton.tips,
        "reference": skeleton.reference,
        "root_position": clip.root_position,
        "rotations": clip.rotations,
    }


def _to_clip(arrays: dict[str, np.ndarray]) -> Clip:
    """A clip from a file's arrays."""
    return to_clip(read_words(arrays["words"], _MOST_WORDS, KIND, SCHEMA, CLIP_WORDS), arrays)


def to_clip(words: dict[str, Any], arrays: dict[str, np.ndarray]) -> Clip:
    """A clip from arrays and words of the right types, after everything about them has been checked."""
    _check_words(words)
    names = words["joints"]
    count, frames = len(names), arrays["root_position"].shape[:1]
    expect(0 < count <= MOST_JOINTS, f"1 to {MOST_JOINTS} joints")
    expect(len(set(names)) == count, "every joint to have a name of its own")
    expect(frames != (0,), "at least one frame")
    shapes = {
        "parents": (count,),
        "offsets": (count, 3),
        "tips": (count, 3),
        "reference": (count, 4),
        "root_position": (*frames, 3),
        "rotations": (*frames, count, 4),
    }
    for name, shape in shapes.items():
        expect(arrays[name].shape == shape, f"{name} of shape {shape}, not {arrays[name].shape}")
        expect(bool((np.abs(arrays[name]) <= LARGEST_VALUE).all()), f"{name} without NaN or infinity")
    parents = arrays["parents"]
    expect(parents[0] == -1, "the root first")
    expect(bool(((parents[1:] >= 0) & (parents[1:] < np.arange(1, count))).all()), "parents before children")
    for name in ("reference", "rotations"):
        lengths = np.linalg.norm(arrays[name], axis=-1)
        expect(bool((np.abs(lengths - 1.0) < _UNIT_LENGTH).all()), f"{name} to be unit quaternions")
    for part, joint in words["parts"].items():
        expect(part in PARTS, f"a body part, found {part[:40]!r}")
        expect(is_json(joint, int) and 0 <= joint < count, f"{part} to be a joint from 0 to {count - 1}")
    skeleton = Skeleton(
        tuple(names),
        parents,
        arrays["offsets"],
        arrays["tips"],
        words["parts"],
        arrays["reference"],
        words.get("girth", 1.0),
        _to_flesh(words.get("flesh"), count),
    )
    source = Source(**words["source"] | {"notes": tuple(words["source"]["notes"])})
    return Clip(words["name"], skeleton, words["fps"], arrays["root_position"], arrays["rotations"], source)


def _check_words(words: dict[str, Any]) -> None:
    """Every word of a clip has the type it should have."""
    expect(0.0 < words["fps"] <= FASTEST, f"fps between 0 and {FASTEST:g}")
    expect(all(is_json(name, str) and name for name in words["joints"]), "names for the joints")
    girth = words.get("girth", 1.0)
    expect(
        is_json(girth, float) and 0.0 < girth < _THICKEST_FLESH, f"girth between 0 and {_THICKEST_FLESH:g}"
    )
    source = words["source"]
    defaults = asdict(Source())
    expect(set(source) == {field.name for field in fields(Source)}, "the fields of a source")
    for key, value in defaults.items():
        kind = list if isinstance(value, tuple) else type(value)
        expect(is_json(source[key], kind), f"{key} of the source to be a {kind.__name__}")
    expect(all(is_json(note, str) for note in source["notes"]), "notes that are text")
