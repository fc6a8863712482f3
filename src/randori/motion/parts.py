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
# says humerus/femur/tibia, Unreal says upperarm/calf/ball, Blender rigs say thigh/shin, the first BVH
# files and SMPL name the joint instead of the bone: shoulder/elbow/wrist, hip/knee/ankle.
_NAMES: dict[str, tuple[str, ...]] = {
    "pelvis": ("hips", "hip", "pelvis"),
    "neck": ("neck", "neck1", "lowerneck", "upperneck", "necktwist1"),
    "head": ("head",),
    "shoulder": ("clavicle", "collar", "clav", "shoulder"),
    "upper_arm": ("arm", "upperarm", "uparm", "uarm", "humerus", "shoulder", "shldr"),
    "forearm": ("forearm", "lowerarm", "lowarm", "farm", "radius", "elbow"),
    "hand": ("wrist", "hand"),
    "thigh": ("upleg", "thigh", "upperleg", "femur", "hip"),
    "shin": ("leg", "shin", "calf", "lowerleg", "lowleg", "tibia", "knee"),
    "foot": ("ankle", "foot"),
    "toes": ("toebase", "toe", "toe0", "toes", "ball"),
    "weapon": ("weapon", "sword", "blade"),
}
_WORDS = frozenset(word for words in _NAMES.values() for word in words)
_PREFIX = re.compile(r"^(?i:mixamorig\d*|bip0*\d+|valvebiped|biped|cc_base|def|character\d*)(?=[^a-z])")
_SIDE_WORD = re.compile(r"left|right", re.I)
_SIDE_LETTER = re.compile(r"(?:^|(?<=[ _.:\-]))[lrLR](?=$|[ _.:\-])|^[lrLR](?=[A-Z])")


def split_name(name: str) -> tuple[str, str]:
    """The side ("left", "right" or "") and the bare lower-case word of a joint's name."""
    text = name.split(":")[-1].strip()
    while (stripped := _PREFIX.sub("", text).lstrip(" _.-")) and stripped != text:
        text = stripped
    if match := _SIDE_WORD.search(text) or _SIDE_LETTER.search(text):
        side = match.group()
        text = text[: match.start()] + text[match.end() :]
    elif text[:1] in ("l", "r") and _bare(text[1:]) in _WORDS:
        # ASF writes `lfemur` and `rhand`: a letter without a separator counts if a known word remains
        side, text = text[0], text[1:]
    else:
        side = ""
    return {"l": "left", "r": "right", "": ""}[side[:1].lower()], _bare(text)


def _bare(text: str) -> str:
    """Lower-case letters and digits only, numbers without leading zeros: `spine_01` is `spine1`."""
    return re.sub(r"(?<!\d)0+(?=\d)", "", re.sub(r"[^a-z0-9]", "", text.lower()))


def find_parts(
    names: Sequence[str], parents: np.ndarray, override: Mapping[str, str] | None = None
) -> dict[str, int]:
    """Body part → joint for every part that can be found. `override` names joints outright."""
    split = [split_name(name) for name in names]
    found: dict[str, int] = {}

    def first(side: str, words: Sequence[str]) -> int | None:
        for word in words:
            if (side, word) in split:
                return split.index((side, word))
        return None

    # Step 1. What the names say.
    for part in ("pelvis", "neck", "head"):
        if (joint := first("", _NAMES[part])) is not None:
            found[part] = joint
    for side in ("", "right", "left"):
        if "weapon" not in found and (joint := first(side, _NAMES["weapon"])) is not None:
            found["weapon"] = joint
    for side in SIDES:
        for part in SIDE_PARTS:
            if (joint := first(side, _NAMES[part])) is not None:
                found[f"{side}_{part}"] = joint
        # One word, two meanings: "LeftShoulder" is the collar bone where an arm hangs below it under a
        # name of its own, and the upper arm where the elbow comes next.
        if f"{side}_shoulder" in found and found[f"{side}_shoulder"] == found.get(f"{side}_upper_arm"):
            del found[f"{side}_shoulder"]
        # SMPL's foot is what hangs on the ankle: the toes
        below_ankle = first(side, ("foot",))
        if below_ankle not in (None, found.get(f"{side}_foot")):
            found.setdefault(f"{side}_toes", below_ankle)

    # Step 2. What the tree says where the names are silent: Rigify calls all of the trunk "spine".
    hips = _common_ancestor(parents, found.get("left_thigh"), found.get("right_thigh"))
    found.setdefault("pelvis", max(hips, 0))
    shoulders = _common_ancestor(parents, found.get("left_upper_arm"), found.get("right_upper_arm"))
    if "head" not in found:
        spines = [joint for joint, (_, word) in enumerate(split) if re.fullmatch(r"spine\d+", word)]
        above = [joint for joint in spines if shoulders in _ancestors(parents, joint)]
        if above:
            found["head"] = max(above, key=lambda joint: len(_ancestors(parents, joint)))
    if "neck" not in found and "head" in found:
        between = [
            joint for joint in _ancestors(parents, found["head"]) if shoulders in _ancestors(parents, joint)
        ]
        if between:
            found["neck"] = between[-1]

    # Step 3. The spine: what lies between the pelvis and the neck (or head, or arms).
    top = found.get("neck", found.get("head", found.get("left_upper_arm", 0)))
    below = _ancestors(parents, top)
    if found["pelvis"] in below and (chain := below[: below.index(found["pelvis"])]):
        found["chest"], found["spine"] = chain[0], chain[len(chain) // 2]

    for part, name in (override or {}).items():
        if part not in PARTS:
            raise BodyPartError(f"there is no body part {part!r}; the parts are {', '.join(PARTS)}")
        if name not in names:
            raise BodyPartError(f"{part}: there is no joint {name!r}; the joints are {', '.join(names)}")
        found[part] = list(names).index(name)
    return found


def _ancestors(parents: np.ndarray, joint: int) -> list[int]:
    """The joints above a joint, its parent first."""
    above = []
    while (joint := int(parents[joint])) >= 0:
        above.append(joint)
    return above


def _common_ancestor(parents: np.ndarray, a: int | None, b: int | None) -> int:
    """The lowest joint that is above both, or -1."""
    if a is None or b is None:
        return -1
    other = set(_ancestors(parents, b))
    return next((joint for joint in _ancestors(parents, a) if joint in other), -1)


def missing_parts(parts: Mapping[str, int]) -> list[str]:
    """The needed parts that were not found."""
    return [part for part in NEEDED if part not in parts]


def mirror_joints(names: Sequence[str], parts: Mapping[str, int]) -> np.ndarray:
    """(J,) for each joint its twin on the other side, or itself."""
    split = [split_name(name) for name in names]
    twins = np.arange(len(names))
    other = {"left": "right", "right": "left"}
    by_word = {key: joint for joint, key in enumerate(split)}
    by_name = {name: joint for joint, name in enumerate(names)}
    for joint, (side, word) in enumerate(split):
        if side:
            twins[joint] = by_word.get((other[side], word), joint)
        elif names[joint][:1] in ("l", "r"):
            # ASF's `lthumb` is no known part, but `rthumb` is there as well
            twins[joint] = by_name.get({"l": "r", "r": "l"}[names[joint][0]] + names[joint][1:], joint)
    for side in SIDES:
        for part in SIDE_PARTS:
            here, there = parts.get(f"{side}_{part}"), parts.get(f"{other[side]}_{part}")
            if here is not None and there is not None:
                twins[here] = there
    return twins
