"""Joints of the parts of a body: found by the names of the common conventions, and by the tree.

A part is named after the bone that its joint turns: `left_forearm` is the joint at the elbow.
"""

import itertools
import re
from collections.abc import Mapping, Sequence

import numpy as np

from randori.errors import BodyPartError
from randori.motion import naming
from randori.motion.structure import Tree, find_limbs

MIDDLE_PARTS = ("pelvis", "spine", "chest", "neck", "head")
SIDE_PARTS = ("shoulder", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toes")
SIDES = ("left", "right")
PARTS = MIDDLE_PARTS + tuple(f"{side}_{part}" for side in SIDES for part in SIDE_PARTS) + ("weapon",)

# Without these there is no body to work with. The others can be missing from a simple rig.
_ARM, _LEG = ("upper_arm", "forearm", "hand"), ("thigh", "shin", "foot")
NEEDED = ("pelvis", "head", *(f"{side}_{part}" for side in SIDES for part in _ARM + _LEG))

# Names of joints without side, rig's prefix and separators, best first.
# CMU/cgspeed and Mixamo say LeftArm for the upper arm, Biped says UpperArm and Thigh/Calf, Vicon ASF
# says humerus/femur/tibia, Unreal says upperarm/calf/ball, Blender rigs say thigh/shin, the first BVH
# files and SMPL name the joint instead of the bone: shoulder/elbow/wrist, hip/knee/ankle. MMD in English
# says leg for the thigh.
_NAMES: dict[str, tuple[str, ...]] = {
    "pelvis": ("hips", "hip", "pelvis", "cog", "root", "spinebase", "center"),
    "neck": ("neck", "lowerneck", "necklower", "upperneck", "necktwist"),
    "head": ("head",),
    "shoulder": ("clavicle", "collar", "clav", "collarbone", "scapula", "shoulder"),
    "upper_arm": ("arm", "upperarm", "uparm", "uarm", "humerus", "shoulder", "shldr"),
    "forearm": ("forearm", "lowerarm", "lowarm", "loarm", "farm", "radius", "elbow"),
    "hand": ("wrist", "hand", "palm", "fist"),
    "thigh": ("upleg", "thigh", "upperleg", "uleg", "femur", "hip", "leg"),
    "shin": ("leg", "shin", "calf", "lowerleg", "lowleg", "loleg", "tibia", "knee"),
    "foot": ("ankle", "foot"),
    "toes": ("toebase", "toe", "toes", "ball", "metatarsals", "toemid", "bigtoe"),
    "weapon": ("weapon", "sword", "blade"),
}
_WORDS = frozenset(word for words in _NAMES.values() for word in words)
_END_WORDS = ("end", "nub", "tip", "null", "site")  # of names that mark where a bone ends
_NUMBERED_NAME = re.compile(r"([a-z]+)(\d{1,2})?")


def split_name(name: str) -> tuple[str, str]:
    """The side ("left", "right" or "") and the bare lower-case word of a joint's name."""
    return naming.split_name(name, _WORDS)


def find_parts(
    names: Sequence[str],
    parents: np.ndarray,
    override: Mapping[str, str] | None = None,
    offsets: np.ndarray | None = None,
    seen: np.ndarray | None = None,
) -> dict[str, int]:
    """Body part → joint for every part that can be found. `override` names joints outright.

    Offsets (J, 3) help where names say nothing: they show how long the bones are. Places of the joints in
    some frames of a motion, `seen` (F, J, 3), show which side is the left one.
    """
    tree = Tree(parents, offsets, seen)
    candidates = _Candidates(names)
    found: dict[str, int] = {}

    # Step 1. The limbs by their names. Each is a chain: a thigh above a shin above a foot.
    for side in SIDES:
        for limb in (_ARM, _LEG):
            found |= {f"{side}_{part}": joint for part, joint in candidates.chain(side, limb, tree).items()}

    # Step 2. Use the tree where names do not help.
    if any(f"{side}_{part}" not in found for side in SIDES for part in _ARM + _LEG):
        guessed = find_limbs(tree, [side for side, _ in candidates.split])
        for side, limb in itertools.product(SIDES, (_ARM, _LEG)):
            keys = [f"{side}_{part}" for part in limb]
            if not all(key in found for key in keys) and all(
                candidates.allow(found.get(key), guessed.get(key)) for key in keys
            ):
                found |= {key: guessed[key] for key in keys if key in guessed}

    # Step 3. Find the collar bones and toes of the limbs.
    for side in SIDES:
        found |= candidates.second_shoulder(side, found, tree)
        if (arm := found.get(f"{side}_upper_arm")) is not None:
            above = tree.ancestors(arm)
            collars = [joint for joint in candidates.joints(side, "shoulder") if joint in above]
            if collars:
                found[f"{side}_shoulder"] = collars[0]
        elif collars := candidates.joints(side, "shoulder"):
            found[f"{side}_shoulder"] = collars[0]
        foot = found.get(f"{side}_foot")
        toes = [joint for joint in candidates.joints(side, "toes") if joint != foot]
        # SMPL's foot is what hangs on the ankle: the toes
        toes += [joint for joint in candidates.joints(side, "foot") if foot in tree.ancestors(joint)]
        toes += candidates.next_by_number(foot, tree)
        if toes:
            # of a ball and the toes on it, the ball
            above = tree.ancestors(toes[0])
            balls = [joint for joint in toes if joint in above and candidates.stem(joint) == "ball"]
            found[f"{side}_toes"] = [*balls, toes[0]][0]
    for side in ("", "right", "left"):
        if weapons := candidates.joints(side, "weapon"):
            found.setdefault("weapon", weapons[0])

    # Step 4. The middle of the body.
    found |= _find_middle(found, candidates, tree)

    for part, name in (override or {}).items():
        if part not in PARTS:
            raise BodyPartError(f"there is no body part {part!r}; the parts are {', '.join(PARTS)}")
        if name not in names:
            raise BodyPartError(f"{part}: there is no joint {name!r}; the joints are {', '.join(names)}")
        found[part] = list(names).index(name)
    return {part: found[part] for part in PARTS if part in found}


class _Candidates:
    """The joints that could be a part by their names, the best first."""

    def __init__(self, names: Sequence[str]):
        self.names, self.split = names, naming.split_names(names, _WORDS)

    def joints(self, side: str, part: str) -> list[int]:
        ranked = []
        for joint, (own_side, word) in enumerate(self.split):
            match = _NUMBERED_NAME.fullmatch(word)
            if own_side != side or match is None or match.group(1) not in _NAMES[part]:
                continue
            # helpers (__UpLeg_L) come last, and a name without a number comes first: Neck before Neck1
            helper = self.names[joint].startswith("_")
            number = -1 if match.group(2) is None else int(match.group(2))
            ranked.append((helper, number >= 0, _NAMES[part].index(match.group(1)), number, joint))
        return [joint for *_, joint in sorted(ranked)]

    def is_numbered(self, joint: int) -> bool:
        """Whether only a number tells this joint from others of the same word."""
        return self.split[joint][1][-1:].isdigit()

    def stem(self, joint: int) -> str:
        """The word of a joint without a number."""
        return self.split[joint][1].rstrip("0123456789")

    def allow(self, named: int | None, guessed: int | None) -> bool:
        """Whether a part that names show, or do not, may be the joint that the shape of the tree shows.

        A limb of which the names show a part must not become another one; a number is no name.
        """
        if named is None or named == guessed:
            return True
        return self.is_numbered(named) or (guessed is not None and self.stem(named) == self.stem(guessed))

    def second_shoulder(self, side: str, found: Mapping[str, int], tree: "Tree") -> dict[str, int]:
        """The upper arm of a rig with two joints called shoulder: the first one is its collar bone."""
        arm, forearm = (found.get(f"{side}_{part}") for part in ("upper_arm", "forearm"))
        if arm is None or forearm is None or self.stem(arm) != "shoulder":
            return {}
        above = tree.ancestors(forearm)
        lower = [
            joint
            for joint in above
            if arm in tree.ancestors(joint)
            and self.stem(joint) == "shoulder"
            and self.split[joint][0] == side
        ]
        return {f"{side}_upper_arm": lower[0], f"{side}_shoulder": arm} if lower else {}

    def next_by_number(self, joint: int | None, tree: "Tree") -> list[int]:
        """The one joint below another that has its word with another number: leg_5 after leg_3."""
        if joint is None or len(tree.children[joint]) != 1 or not self.is_numbered(joint):
            return []
        (below,) = tree.children[joint]
        return [below] if self.stem(joint) == self.stem(below) and self.is_numbered(below) else []

    def chain(self, side: str, parts: Sequence[str], tree: "Tree") -> dict[str, int]:
        """The joints of a limb, each below the one before; single ones where they form no chain."""
        rows = [list(enumerate(self.joints(side, part)[:6])) for part in parts]
        best: tuple[int, list[int]] | None = None
        for choice in itertools.product(*rows):
            joints = [joint for _, joint in choice]
            cost = sum(rank for rank, _ in choice)
            if (best is None or cost < best[0]) and all(
                upper in tree.ancestors(lower) for upper, lower in itertools.pairwise(joints)
            ):
                best = cost, joints
        if best is not None:
            return dict(zip(parts, best[1]))
        singles: dict[str, int] = {}
        for part, row in zip(parts, rows):
            for _, joint in row:
                if joint not in singles.values():
                    singles[part] = joint
                    break
        return singles


def _find_middle(found: Mapping[str, int], candidates: _Candidates, tree: Tree) -> dict[str, int]:
    """Pelvis, spine, chest, neck and head, once the limbs are known."""
    middle: dict[str, int] = {}
    hips = tree.common_ancestor(found.get("left_thigh"), found.get("right_thigh"))
    shoulders = tree.common_ancestor(found.get("left_upper_arm"), found.get("right_upper_arm"))
    necks, heads = candidates.joints("", "neck"), candidates.joints("", "head")
    if heads:
        middle["head"] = heads[0]
    elif shoulders >= 0:
        ends = [joint for joint, (_, word) in enumerate(candidates.split) if word.endswith(_END_WORDS)]
        if (top := tree.top_of_trunk(shoulders, necks[:1], ends)) is not None:
            middle["head"] = top

    # the pelvis carries the legs and the trunk: where rigs hang both on the root, that is the pelvis
    trunk = middle.get("head", found.get("left_upper_arm"))
    lowest = hips if trunk is None or hips < 0 else tree.common_ancestor(hips, trunk, itself=True)
    named = candidates.joints("", "pelvis")
    carrying = [joint for joint in named if joint == lowest or joint in tree.ancestors(max(lowest, 0))]
    if lowest >= 0:
        near = [joint for joint in carrying if candidates.split[joint][1] not in ("root", "center")]
        middle["pelvis"] = near[0] if near else lowest
    else:
        middle["pelvis"] = named[0] if named else 0

    if "head" in middle:
        above = tree.ancestors(middle["head"])
        beneath = [joint for joint in above if shoulders in tree.ancestors(joint)] if shoulders >= 0 else []
        if named_necks := [joint for joint in necks if joint in above]:
            middle["neck"] = named_necks[0]
        elif beneath:
            middle["neck"] = beneath[-1]
    elif necks:
        middle["neck"] = necks[0]

    # the spine: what lies between the pelvis and the neck (or head, or arms)
    top_joint = middle.get("neck", middle.get("head", found.get("left_upper_arm", 0)))
    below = tree.ancestors(top_joint)
    if middle["pelvis"] in below and (chain := below[: below.index(middle["pelvis"])]):
        middle["chest"], middle["spine"] = chain[0], chain[len(chain) // 2]
    return middle


def missing_parts(parts: Mapping[str, int]) -> list[str]:
    """The needed parts that were not found."""
    return [part for part in NEEDED if part not in parts]


def part_options(names: Sequence[str], parts: Mapping[str, int], asked: str = "") -> str:
    """The options that would name the missing parts, and one that was asked for, to be pasted."""
    guesses = {part: name or "JOINT" for part, name in guessed_joints(names, parts, asked).items()}
    return " ".join(
        f"--part {part}={name}" if " " not in name else f"--part '{part}={name}'"
        for part, name in guesses.items()
    )


def guessed_joints(names: Sequence[str], parts: Mapping[str, int], asked: str = "") -> dict[str, str]:
    """For each missing part, and one that was asked for, a joint that it may be, or ""."""
    missing = dict.fromkeys([*missing_parts(parts), *([asked] if asked in PARTS else [])])
    taken = set(parts.values())
    split = naming.split_names(names, _WORDS)
    guesses = {}
    for part in missing:
        side = part.split("_")[0] if part.startswith(SIDES) else ""
        # a joint of that side whose name at least contains one of the words
        words = _NAMES.get(part.removeprefix(f"{side}_") if side else part, (part,))
        alike = [
            names[joint]
            for joint, (own_side, word) in enumerate(split)
            if joint not in taken and own_side == side and any(known in word for known in words)
        ]
        guesses[part] = alike[0] if alike else ""
    return guesses


def mirror_joints(names: Sequence[str], parts: Mapping[str, int]) -> np.ndarray:
    """(J,) for each joint its twin on the other side, or itself."""
    split = naming.split_names(names, _WORDS)
    twins = np.arange(len(names))
    other = {"left": "right", "right": "left"}
    by_word: dict[tuple[str, str], list[int]] = {}
    for joint, key in enumerate(split):
        by_word.setdefault(key, []).append(joint)
    by_name = {name: joint for joint, name in enumerate(names)}
    for joint, (side, word) in enumerate(split):
        if side:
            here, there = by_word[side, word], by_word.get((other[side], word), [])
            if len(here) == len(there):
                twins[joint] = there[here.index(joint)]
        elif names[joint][:1] in ("l", "r"):
            # ASF's `lthumb` is no known part, but `rthumb` is there as well
            twins[joint] = by_name.get({"l": "r", "r": "l"}[names[joint][0]] + names[joint][1:], joint)
    for side in SIDES:
        for part in SIDE_PARTS:
            own, opposite = parts.get(f"{side}_{part}"), parts.get(f"{other[side]}_{part}")
            if own is not None and opposite is not None:
                twins[own] = opposite
    return twins
