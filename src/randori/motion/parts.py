"""Which joint is which part of a body, from the names that the common conventions use.

A part is named after the bone that its joint turns: `left_forearm` is the joint at the elbow.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from randori.errors import BodyPartError

MIDDLE_PARTS = ("pelvis", "spine", "chest", "neck", "head")
SIDE_PARTS = ("shoulder", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toes")
SIDES = ("left", "right")
PARTS = MIDDLE_PARTS + tuple(f"{side}_{part}" for side in SIDES for part in SIDE_PARTS) + ("weapon",)

# Without these there is no body to work with. The others can be missing from a simple rig.
_NEEDED_LIMBS = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot")
NEEDED = ("pelvis", "head", *(f"{side}_{part}" for side in SIDES for part in _NEEDED_LIMBS))

# What a joint is called once its side, its rig's prefix and its separators are taken away, best first.
# CMU/cgspeed and Mixamo say LeftArm for the upper arm, Biped says UpperArm and Thigh/Calf, Vicon ASF
# says humerus/femur/tibia, Unreal says upperarm/calf/ball, Blender rigs say thigh/shin.
_NAMES: dict[str, tuple[str, ...]] = {
    "pelvis": ("hips", "hip", "pelvis", "root"),
    "neck": ("neck", "neck1", "lowerneck", "upperneck"),
    "head": ("head",),
    "shoulder": ("shoulder", "clavicle", "collar", "clav"),
    "upper_arm": ("arm", "upperarm", "uparm", "humerus", "shoulder"),
    "forearm": ("forearm", "lowerarm", "lowarm", "radius", "elbow"),
    "hand": ("hand", "wrist"),
    "thigh": ("upleg", "thigh", "upperleg", "femur", "hip"),
    "shin": ("leg", "shin", "calf", "lowerleg", "lowleg", "tibia", "knee"),
    "foot": ("foot", "ankle"),
    "toes": ("toebase", "toe", "toe0", "toes", "ball"),
    "weapon": ("weapon", "sword", "blade"),
}
_SPINE = re.compile(
    r"(spine|spine\d+|torso|abdomen|lowerback|upperback|thorax|chest|chest\d+|upperchest|tospine)$"
)
_PREFIX = re.compile(
    r"^(mixamorig\d*|bip0*\d+|biped|valvebiped|cc_base|def|character\d*|root(?=[a-z ]))", re.I
)
_SIDE_WORD = re.compile(r"(left|right)", re.I)
_SIDE_LETTER = re.compile(r"(?:^|[ _.:\-])([lr])(?=$|[ _.:\-])|^([lr])(?=[A-Z])|^([lr])(?=[a-z]+$)", re.I)


def split_name(name: str) -> tuple[str, str]:
    """The side ("left", "right" or "") and the bare lower-case word of a joint's name."""
    text = name.split(":")[-1].strip()
    stripped = _PREFIX.sub("", text).lstrip(" _.-")
    text = stripped or text
    if match := _SIDE_WORD.search(text):
        side = match.group(1).lower()
        text = text[: match.start()] + text[match.end() :]
    elif (match := _SIDE_LETTER.search(text)) and _is_side_letter(text, match):
        letter = next(group for group in match.groups() if group).lower()
        side = "left" if letter == "l" else "right"
        text = text[: match.start()] + text[match.end() :]
    else:
        side = ""
    return side, re.sub(r"[^a-z0-9]", "", text.lower())


def _is_side_letter(text: str, match: re.Match[str]) -> bool:
    """ASF writes `lfemur` and `rhand` without a separator: only believe it if a known word remains."""
    if match.group(3) is None:
        return True
    rest = text[1:].lower()
    return any(rest in words for words in _NAMES.values())


def find_parts(
    names: Sequence[str], parents: np.ndarray, override: Mapping[str, str] | None = None
) -> dict[str, int]:
    """Body part → joint for every part that can be found. `override` names joints outright."""
    split = [split_name(name) for name in names]
    found: dict[str, int] = {}

    def first(side: str, words: Sequence[str]) -> int | None:
        for word in words:
            for joint, (its_side, its_word) in enumerate(split):
                if its_side == side and its_word == word:
                    return joint
        return None

    for part in ("pelvis", "neck", "head", "weapon"):
        if (joint := first("", _NAMES[part])) is not None:
            found[part] = joint
    if "pelvis" not in found or found["pelvis"] != 0:
        # a bare "root" or a reference node above the hips is not the pelvis
        found.setdefault("pelvis", 0)
    for side in SIDES:
        for part in SIDE_PARTS:
            if (joint := first(side, _NAMES[part])) is not None:
                found[f"{side}_{part}"] = joint
        # One word, two meanings: "LeftShoulder" is the collar bone where an arm hangs below it under a
        # name of its own, and the upper arm where the elbow comes next.
        shoulder, arm = found.get(f"{side}_shoulder"), found.get(f"{side}_upper_arm")
        if shoulder is not None and shoulder == arm:
            del found[f"{side}_shoulder"]
    # The spine: what lies between the pelvis and the neck (or head, or arms).
    top = found.get("neck", found.get("head", found.get("left_upper_arm")))
    chain: list[int] = []
    joint = int(parents[top]) if top is not None else -1
    while joint >= 0 and joint != found["pelvis"]:
        if _SPINE.search(split[joint][1]):
            chain.append(joint)
        joint = int(parents[joint])
    if chain:
        found["chest"] = chain[0]
        found["spine"] = chain[len(chain) // 2] if len(chain) > 1 else chain[0]

    for part, name in (override or {}).items():
        if part not in PARTS:
            raise BodyPartError(f"there is no body part {part!r}; the parts are {', '.join(PARTS)}")
        if name not in names:
            raise BodyPartError(f"{part}: there is no joint {name!r}; the joints are {', '.join(names)}")
        found[part] = list(names).index(name)
    return found


def missing_parts(parts: Mapping[str, int]) -> list[str]:
    """The needed parts that were not found."""
    return [part for part in NEEDED if part not in parts]


def mirror_joints(names: Sequence[str], parts: Mapping[str, int]) -> np.ndarray:
    """(J,) for each joint its twin on the other side, or itself."""
    split = [split_name(name) for name in names]
    twins = np.arange(len(names))
    other = {"left": "right", "right": "left", "": ""}
    by_word = {key: joint for joint, key in enumerate(split)}
    for joint, (side, word) in enumerate(split):
        if side:
            twins[joint] = by_word.get((other[side], word), joint)
    for side in SIDES:
        for part in SIDE_PARTS:
            here, there = parts.get(f"{side}_{part}"), parts.get(f"{other[side]}_{part}")
            if here is not None and there is not None:
                twins[here] = there
    return twins
