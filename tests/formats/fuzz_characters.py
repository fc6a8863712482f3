"""Characters of one's own and licences, damaged in every way; see fuzz.py.

A character that is accepted is used as commands use it: it is kept in a take, moved and written.
"""

import json
import tempfile
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from fuzz import Kind, damaged, damaged_document, small_clip
from scene_samples import fbx_binary, fbx_character_text

from character_samples import box_person
from randori.characters.bringing import bring_onto
from randori.characters.character import Costume, find_character, make_character
from randori.errors import RandoriError
from randori.formats import glb, usd
from randori.formats.model import model_from_bytes, to_glb
from randori.licences import allows_sale
from randori.motion.clip import Clip

_BONES = {
    "hips": "Hips", "spine": "Spine", "chest": "Spine1", "neck": "Neck", "head": "Head",
    "leftUpperArm": "LeftArm", "leftLowerArm": "LeftForeArm", "leftHand": "LeftHand",
    "rightUpperArm": "RightArm", "rightLowerArm": "RightForeArm", "rightHand": "RightHand",
    "leftUpperLeg": "LeftUpLeg", "leftLowerLeg": "LeftLeg", "leftFoot": "LeftFoot",
    "rightUpperLeg": "RightUpLeg", "rightLowerLeg": "RightLeg", "rightFoot": "RightFoot",
}  # fmt: skip


@cache
def _model(vrm: int) -> tuple[dict[str, Any], bytes]:
    """A character as a GLB, as a VRM 0 or as a VRM 1."""
    document, binary = box_person()
    node_of = {node["name"]: number for number, node in enumerate(document["nodes"])}
    bones = {bone: {"node": node_of[name]} for bone, name in _BONES.items()}
    if vrm == 1:
        document["extensions"] = {"VRMC_vrm": {"specVersion": "1.0", "humanoid": {"humanBones": bones}}}
    elif vrm == 0:
        rows = [{"bone": bone, **row} for bone, row in bones.items()]
        document["extensions"] = {"VRM": {"humanoid": {"humanBones": rows}}}
    return document, binary


def _damaged_character(rng: np.random.Generator) -> bytes:
    """Damaged bytes, a damaged document in a container in order, or damaged vertices and weights."""
    document, binary = _model(int(rng.integers(-1, 2)))
    match rng.integers(0, 4):
        case 0:
            return damaged(to_glb(document, binary), rng)
        case 1:
            changed = damaged(binary, rng)[: len(binary)]
            return to_glb(document, changed + bytes(len(binary) - len(changed)))
    return to_glb(damaged_document(document, rng), binary)


@cache
def _fbx_character(binary: bool) -> bytes:
    text = fbx_character_text(*_model(-1))
    return fbx_binary(text) if binary else text.encode()


def _damaged_fbx_character(rng: np.random.Generator) -> bytes:
    return damaged(_fbx_character(bool(rng.integers(0, 2))), rng)


@cache
def _usd_character(ending: str) -> bytes:
    model = model_from_bytes(to_glb(*_model(-1)), "body.glb")
    character = make_character(model, None, None, (), "body")
    skeleton = character.skeleton
    pose = np.array([[0.0, 0.9, 0.0]]), skeleton.to_local(skeleton.reference)[None]
    still = character.to_file(Clip("still", skeleton, 30.0, *pose))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"body{ending}"
        usd.write(path, [character.to_usd("body")], [still])
        return path.read_bytes()


def _damaged_usd_character(ending: str, rng: np.random.Generator) -> bytes:
    return damaged(_usd_character(ending), rng)


def _read_character(name: str, folder: Path, content: bytes) -> bool:
    path = folder / name
    path.write_bytes(content)
    try:
        character = find_character(path)
        if character is None:
            return False
        json.dumps(character.facts(), allow_nan=False)
        again = Costume.of(character).character
        moved = bring_onto(small_clip(), again.skeleton)
        assert np.isfinite(moved.positions).all()
        glb.write(folder / "out.glb", [again.to_export("A")], {"walk": [moved]})
    except RandoriError:
        return False
    return True


_LICENCES = (
    "CC-BY-4.0", "MIT", "the MIT License", "CC0 1.0 Universal", "Apache License 2.0", "public domain",
    "Creative Commons Attribution 4.0 International", "BSD-3-Clause", "CC BY-SA 3.0 Unported",
)  # fmt: skip
_FORBIDDING = ("NC", "ND", "non-commercial", "not", "no", "personal use", "except", "research only", "unless")


def _damaged_licence(rng: np.random.Generator) -> bytes:
    """The name of a free licence with a word that takes it back, or damaged."""
    words = str(rng.choice(_LICENCES)).split()
    if rng.integers(0, 2):
        words.insert(int(rng.integers(0, len(words) + 1)), str(rng.choice(_FORBIDDING)))
        if rng.integers(0, 3) == 0:
            words = [str(rng.choice(["-", "_", "/", " ( ", "\u00a0"])).join(words)]
        return b"!" + " ".join(words).encode()
    return b"?" + damaged(" ".join(words).encode(), rng)


def _read_licence(folder: Path, content: bytes) -> bool:
    """Whether what is made with it may be sold; what takes a licence back must not be overheard."""
    text = content[1:].decode("utf-8", "replace")
    free = allows_sale(text)
    assert not (free and content[:1] == b"!"), f"{text!r} is taken for a free licence"
    return free


KINDS: dict[str, Kind] = {
    "character": Kind(_damaged_character, partial(_read_character, "body.vrm")),
    "character fbx": Kind(_damaged_fbx_character, partial(_read_character, "body.fbx")),
    **{
        f"character {ending[1:]}": Kind(
            partial(_damaged_usd_character, ending), partial(_read_character, f"body{ending}")
        )
        for ending in (".usda", ".usdc")
    },
    "licence": Kind(_damaged_licence, _read_licence),
}
