"""Rotations of every joint of a rig when the body stands in a T-pose and looks along +Z.

Rigs disagree about what "all angles zero" means. Many stand in a T or an A then, others lie folded up
(every bone along its own +X, say). Two ways, then:

- The rest pose stands: it is turned to face +Z, and the limbs are swung into the T.
- It does not: the motion tells. In every frame the body's own directions (left, up, where an elbow or a
  knee bends) are seen from each joint's frame. Rigs put their axes along the body, so of the 24 ways
  that axes can point, the one nearest to what was seen is taken; the limbs are then swung into the T.
"""

import itertools
from functools import cache
from typing import NamedTuple

import numpy as np

from randori.motion import rotations as rot
from randori.motion.parts import SIDE_PARTS, SIDES, missing_parts
from randori.motion.skeleton import Skeleton

# A rest pose stands if its legs and its spine are within this of the vertical.
_UPRIGHT_TOLERANCE = np.radians(40.0)
# A trunk that is turned farther than this against what the shoulders do in the motion is wrung.
_WRUNG_ANGLE = np.radians(40.0)
# A crown that lies farther than this from where the neck points is no crown: some rigs end the head anywhere.
_CROWN = np.cos(np.radians(55.0))
# Penalty of an axis choice for a midline bone that leans to the side: heads may look far
# to the side all through a fight, but they do not grow sideways.
_LEAN_PENALTY = 4.0
# Bonus for a bone that points where it must in a T-pose.
_BONE_BONUS = 2.0
# Hands that are farther before the chest than this share of an arm show where a person looks, unless they
# seldom are: the mean share beyond that.
_HANDS_OUT, _SELDOM = 0.3, 0.05
# Limbs straighter than this (sine of the bend) say nothing about their hinge.
_CLEAR_BEND = 0.2


def find_reference(skeleton: Skeleton, rotations: np.ndarray) -> np.ndarray:
    """(J, 4) world rotations of the T, from the rest pose or from motion (F, J, 4) in parents' frames."""
    if missing_parts(skeleton.parts):
        return np.tile(rot.IDENTITY, (len(skeleton), 1))
    turn = _turn_of_standing_rest(skeleton)
    if turn is not None:
        base = _untwisted(skeleton, np.tile(turn, (len(skeleton), 1)), rotations)
    else:
        base = _base_from_motion(skeleton, rotations)
    return _swing_limbs(skeleton, base)


def rest_pose_stands(skeleton: Skeleton) -> bool:
    """Whether the body stands, arms not raised, when nothing is turned."""
    return not missing_parts(skeleton.parts) and _turn_of_standing_rest(skeleton) is not None


def _untwisted(skeleton: Skeleton, base: np.ndarray, rotations: np.ndarray) -> np.ndarray:
    """The turns (J, 4) of a standing rest pose whose trunk is wrung against its hips, made straight.

    Some rigs call a pose zero in which the shoulders stand across the hips. No body moves like that: where
    the shoulders lie otherwise in the motion than the chest's turn says, all above the pelvis is turned.
    """
    parts = skeleton.parts
    above = _chain(skeleton, parts["head"], parts["pelvis"])[::-1]
    if not above or "chest" not in parts:
        return base
    sample = rotations[:: max(1, len(rotations) // 200)]
    places, turned = skeleton.forward(np.zeros((len(sample), 3)), sample)
    left = places[:, parts["left_upper_arm"]] - places[:, parts["right_upper_arm"]]
    chest = parts["chest"]
    seen = rot.rotate(base[chest], rot.rotate(rot.inverse(turned[:, chest]), rot.normalize(left))).mean(
        axis=0
    )
    yaw = float(np.arctan2(-seen[2], seen[0]))
    if abs(yaw) < _WRUNG_ANGLE:
        return base
    straight = base.copy()
    carried = {above[0]}
    for joint, parent in enumerate(skeleton.parents):
        if joint in carried or int(parent) in carried:
            carried.add(joint)
            straight[joint] = rot.multiply(rot.from_yaw(-yaw), base[joint])
    return straight


def _turn_of_standing_rest(skeleton: Skeleton) -> np.ndarray | None:
    """The rotation that makes the rest pose face +Z, if the rest pose stands at all."""
    parts = skeleton.parts
    rest = skeleton.forward(np.zeros((1, 3)), np.tile(rot.IDENTITY, (1, len(skeleton), 1)))[0][0]
    hips = 0.5 * (rest[parts["left_thigh"]] + rest[parts["right_thigh"]])
    feet = 0.5 * (rest[parts["left_foot"]] + rest[parts["right_foot"]])
    left = rest[parts["left_thigh"]] - rest[parts["right_thigh"]]
    turn = rot.inverse(_frame_left_up(left, hips - feet))
    stood = rot.rotate(turn, rest)

    def bone(upper: str, lower: str) -> np.ndarray:
        return rot.normalize(stood[parts[lower]] - stood[parts[upper]])

    checks = [_angle(stood[parts["head"]] - rot.rotate(turn, hips), rot.Y_AXIS) < _UPRIGHT_TOLERANCE]
    for side, outward in (("left", 1.0), ("right", -1.0)):
        for upper, lower in ((f"{side}_thigh", f"{side}_shin"), (f"{side}_shin", f"{side}_foot")):
            checks.append(_angle(bone(upper, lower), -rot.Y_AXIS) < _UPRIGHT_TOLERANCE)
        if f"{side}_toes" in parts:
            checks.append(_angle(bone(f"{side}_foot", f"{side}_toes"), rot.Z_AXIS) < 2.0 * _UPRIGHT_TOLERANCE)
        # arms anywhere between hanging and a T, not raised, not across the body
        for upper, lower in ((f"{side}_upper_arm", f"{side}_forearm"), (f"{side}_forearm", f"{side}_hand")):
            arm = bone(upper, lower)
            checks.append(outward * arm[0] > -0.2 and arm[1] < 0.5)
    return turn if all(checks) else None


def _base_from_motion(skeleton: Skeleton, rotations: np.ndarray) -> np.ndarray:
    """(J, 4) the axis-aligned turn of each joint that fits best what the motion shows."""
    parts = skeleton.parts
    step = max(1, len(rotations) // 500)
    sample = rotations[::step]
    positions, turned = skeleton.forward(np.zeros((len(sample), 3)), sample)

    def at(part: str) -> np.ndarray:
        return positions[:, parts[part]]

    hips = 0.5 * (at("left_thigh") + at("right_thigh"))
    shoulders = 0.5 * (at("left_upper_arm") + at("right_upper_arm"))
    pelvis_frame = _frame_left_up(at("left_thigh") - at("right_thigh"), shoulders - hips)
    chest_frame = _frame_left_up(at("left_upper_arm") - at("right_upper_arm"), shoulders - hips)
    everywhere = np.ones(len(sample))

    # 1. The joints on the body's midline: each chooses its axes for itself.
    base = np.tile(rot.IDENTITY, (len(skeleton), 1))
    seen = {parts["pelvis"]}
    fit = _fit(skeleton, _Sight(parts["pelvis"], pelvis_frame, everywhere, None), turned)
    base[parts["pelvis"]] = axis_rotations()[int(np.argmax(fit))]
    frame = chest_frame
    for joint in _chain(skeleton, parts["head"], parts["pelvis"]):
        if joint == parts.get("chest", parts.get("neck")):
            frame = chest_frame
        is_head = joint == parts["head"]
        crowned = _has_crown(skeleton, positions, turned) if is_head else _has_bone(skeleton, joint)
        sight = _looking(chest_frame, skeleton, positions) if is_head else frame
        fit = _fit(skeleton, _Sight(joint, sight, everywhere, rot.Y_AXIS if crowned else None), turned)
        if is_head and crowned:
            fit -= _LEAN_PENALTY * np.abs(_placed_bone(skeleton, joint)[:, 0])
        base[joint] = axis_rotations()[int(np.argmax(fit))]
        seen.add(joint)
        if joint == parts["head"]:
            # a neck turns half as far as the head does
            head_frame = rot.multiply(turned[:, joint], rot.inverse(base[joint]))
            frame = rot.slerp(chest_frame, head_frame, np.full(len(sample), 0.5))

    # 2. The limbs: twins choose together, as one side of a rig mirrors the other.
    fits: dict[str, dict[str, np.ndarray]] = {side: {} for side in SIDES}
    for side, outward in (("left", 1.0), ("right", -1.0)):
        out = outward * rot.X_AXIS
        upper = at(f"{side}_forearm") - at(f"{side}_upper_arm")
        lower = at(f"{side}_hand") - at(f"{side}_forearm")
        # in the T an elbow bends the forearm forward: about -Y on the left, +Y on the right
        hinge, weight = _hinge(upper, lower)
        arm_frames = {
            "upper_arm": rot.from_axes(outward * upper, -outward * hinge),
            "forearm": rot.from_axes(outward * lower, -outward * hinge),
            "hand": rot.from_axes(outward * lower, -outward * hinge),
        }
        sights = {"shoulder": (chest_frame, everywhere, out)}
        sights |= {part: (frame, weight, out) for part, frame in arm_frames.items()}
        upper = at(f"{side}_shin") - at(f"{side}_thigh")
        lower = at(f"{side}_foot") - at(f"{side}_shin")
        hinge, weight = _hinge(upper, lower)
        sights["thigh"] = (_frame_left_up(hinge, -upper), weight, -rot.Y_AXIS)
        sights["shin"] = (_frame_left_up(hinge, -lower), weight, -rot.Y_AXIS)
        sights["foot"] = sights["toes"] = (_frame_left_up(hinge, -lower), weight, rot.Z_AXIS)
        for part, sight_of_part in sights.items():
            if f"{side}_{part}" in parts:
                fits[side][part] = _fit(skeleton, _Sight(parts[f"{side}_{part}"], *sight_of_part), turned)
        for group in _arm_groups(skeleton, side):
            shared = np.sum([fits[side][part] for part in group], axis=0)
            fits[side] |= dict.fromkeys(group, shared)
    for part in SIDE_PARTS:
        if part in fits["left"] and part in fits["right"]:
            mirrored = fits["right"][part][_mirrored_choices()]  # (24, 4)
            left = int(np.argmax(fits["left"][part] + mirrored.max(axis=-1)))
            right = int(_mirrored_choices()[left, np.argmax(mirrored[left])])
            for side, choice in (("left", left), ("right", right)):
                base[parts[f"{side}_{part}"]] = axis_rotations()[choice]
                seen.add(parts[f"{side}_{part}"])

    # 3. Fingers, twist bones: as they hang on their parents.
    for joint, parent in enumerate(skeleton.parents):
        if joint not in seen and parent >= 0:
            base[joint] = base[parent]
    return base


def _looking(chest: np.ndarray, skeleton: Skeleton, positions: np.ndarray) -> np.ndarray:
    """(F, 4) frames of the chest turned to where the hands are: fighters stand sideways and look there."""
    parts = skeleton.parts
    hands, shoulders = (
        0.5 * (positions[:, parts[f"left_{part}"]] + positions[:, parts[f"right_{part}"]])
        for part in ("hand", "upper_arm")
    )
    arm = skeleton.length_between(parts["left_hand"], parts["left_upper_arm"])
    aside, _, ahead = rot.rotate(rot.inverse(chest), hands - shoulders).T
    weight = np.clip(ahead / max(arm, 1e-9) - _HANDS_OUT, 0.0, None)
    if weight.mean() < _SELDOM:
        return chest
    yaw = float(np.arctan2(np.sum(weight * aside), np.sum(weight * ahead)))
    return rot.multiply(chest, rot.from_yaw(yaw))


def _has_bone(skeleton: Skeleton, joint: int) -> bool:
    """Whether something hangs on a joint at a distance: another joint's bone lies along that one's axes."""
    ends = [skeleton.offsets[child] for child in skeleton.children[joint]] + [skeleton.tips[joint]]
    return max(float(np.linalg.norm(end)) for end in ends) > 1e-6


def _has_crown(skeleton: Skeleton, positions: np.ndarray, turned: np.ndarray) -> bool:
    """Whether the head's bone continues its neck, on average over the motion."""
    head = skeleton.parts["head"]
    crown = rot.normalize(rot.rotate(turned[:, head], _bone(skeleton, head)))
    neck = rot.normalize(positions[:, head] - positions[:, skeleton.parents[head]])
    return bool(np.mean(np.sum(crown * neck, axis=-1)) > _CROWN)


class _Sight(NamedTuple):
    """The observed motion of one joint."""

    joint: int
    frame: np.ndarray  # (F, 4) how the body part is turned away from the T
    weight: np.ndarray  # (F,) how much each frame can be relied on
    points: np.ndarray | None  # (3,) where its bone points in a T


def _arm_groups(skeleton: Skeleton, side: str) -> list[list[str]]:
    """An arm's joints together where their bones lie along the same axis: forearms roll, arms tell."""
    by_axis: dict[tuple[int, ...], list[str]] = {}
    for part in ("upper_arm", "forearm", "hand"):
        bone = rot.normalize(_bone(skeleton, skeleton.parts[f"{side}_{part}"]))
        by_axis.setdefault(tuple(np.round(bone).astype(int).tolist()), []).append(part)
    return list(by_axis.values())


def _placed_bone(skeleton: Skeleton, joint: int) -> np.ndarray:
    """(24, 3) where a joint's bone points for each choice of axes."""
    return rot.rotate(axis_rotations(), rot.normalize(_bone(skeleton, joint)))


def _fit(skeleton: Skeleton, sight: _Sight, turned: np.ndarray) -> np.ndarray:
    """(24,) how well each choice of axes agrees with what is seen of a joint."""
    relative = rot.multiply(rot.inverse(sight.frame), turned[:, sight.joint])
    average = rot.mean(relative, sight.weight + 1e-6)
    fit = 2.0 * np.sum(axis_rotations() * average, axis=-1) ** 2  # 1 + cosine of a pure turn between them
    if sight.points is not None:
        fit += _BONE_BONUS * (_placed_bone(skeleton, sight.joint) @ sight.points)
    return fit


def _swing_limbs(skeleton: Skeleton, base: np.ndarray) -> np.ndarray:
    """Turn arms straight out to the sides and legs straight down, by the smallest rotations."""
    reference = base.copy()
    parts = skeleton.parts
    for side, outward in (("left", 1.0), ("right", -1.0)):
        out = outward * rot.X_AXIS
        chain = [parts[f"{side}_{part}"] for part in ("upper_arm", "forearm", "hand")]
        swing = rot.IDENTITY
        for joint, following in zip(chain, [*chain[1:], None]):
            bone = _bone(skeleton, joint, following)
            if np.linalg.norm(bone) > 1e-6:
                swing = rot.between(rot.rotate(base[joint], bone), out)
            reference[joint] = rot.multiply(swing, base[joint])
        chain = [parts[f"{side}_{part}"] for part in ("thigh", "shin", "foot")]
        for joint, following in itertools.pairwise(chain):
            bone = rot.rotate(base[joint], _bone(skeleton, joint, following))
            reference[joint] = rot.multiply(rot.between(bone, -rot.Y_AXIS), base[joint])
        # a foot follows its leg out of a straddle, but stays as flat as it was
        bone = rot.rotate(base[chain[1]], _bone(skeleton, chain[1], chain[2]))
        upright = rot.from_axis_angle(rot.Z_AXIS, -np.arctan2(bone[0], -bone[1]))
        for part in (f"{side}_foot", f"{side}_toes"):
            if part in parts:
                reference[parts[part]] = rot.multiply(upright, base[parts[part]])
    known = set(parts.values()) | set(_chain(skeleton, parts["head"], parts["pelvis"]))
    for joint, parent in enumerate(skeleton.parents):
        if joint not in known and parent >= 0:
            # fingers, twist bones: as they are at rest, carried along
            carried = rot.multiply(rot.inverse(base[parent]), base[joint])
            reference[joint] = rot.multiply(reference[parent], carried)
    return reference


def _chain(skeleton: Skeleton, lower: int, upper: int) -> list[int]:
    """The joints from `lower` up to, and without, `upper`."""
    chain = []
    while lower not in (-1, upper):
        chain.append(lower)
        lower = int(skeleton.parents[lower])
    return chain


def _bone(skeleton: Skeleton, joint: int, following: int | None = None) -> np.ndarray:
    """(3,) from a joint to the next one (or the farthest child, or the tip), in the joint's rest frame."""
    if following is not None:
        return np.sum([skeleton.offsets[step] for step in _chain(skeleton, following, joint)], axis=0)
    ends = [skeleton.offsets[child] for child in skeleton.children[joint]] + [skeleton.tips[joint]]
    longest = max(ends, key=lambda offset: float(np.linalg.norm(offset)))
    if np.linalg.norm(longest) < 1e-6 and skeleton.children[joint]:
        return _bone(skeleton, skeleton.children[joint][0])
    if np.linalg.norm(longest) < 1e-6 and joint == skeleton.parts.get("head"):
        # a head that ends nowhere: rigs lay their bones along one axis, and the neck's is known
        return np.asarray(skeleton.offsets[joint])
    return np.asarray(longest)


def _hinge(upper: np.ndarray, lower: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(F, 3) unit axis about which a limb is bent, and (F,) how much that can be relied on."""
    normal = rot.cross(rot.normalize(upper), rot.normalize(lower))
    sine = np.linalg.norm(normal, axis=-1)
    return rot.normalize(normal), np.clip(sine - _CLEAR_BEND, 0.0, None)


def _frame_left_up(left: np.ndarray, up: np.ndarray) -> np.ndarray:
    """The rotation that takes +X to `left` and +Y as near as possible to `up`."""
    z = rot.normalize(rot.cross(left, up))
    y = rot.normalize(up)
    return rot.from_matrix(np.stack([rot.cross(y, z), y, z], axis=-1))


def _angle(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.arccos(np.clip(np.dot(rot.normalize(a), rot.normalize(b)), -1.0, 1.0)))


@cache
def axis_rotations() -> np.ndarray:
    """(24, 4) every rotation that puts axes on axes."""
    found = []
    for columns in itertools.permutations(range(3)):
        for signs in itertools.product((1.0, -1.0), repeat=3):
            matrix = np.zeros((3, 3))
            matrix[range(3), columns] = signs
            if np.linalg.det(matrix) > 0.0:
                found.append(rot.from_matrix(matrix))
    return np.array(found)


@cache
def _mirrored_choices() -> np.ndarray:
    """(24, 4) for each choice of axes on the left, the four on the right that a mirrored rig can have."""
    flip = np.diag([-1.0, 1.0, 1.0])
    table = np.empty((24, 4), dtype=np.int64)
    for i, left in enumerate(rot.to_matrix(axis_rotations())):
        for k, signs in enumerate(((-1, 1, 1), (1, -1, 1), (1, 1, -1), (-1, -1, -1))):
            right = rot.from_matrix(flip @ left @ np.diag(signs))
            table[i, k] = int(np.argmax(np.abs(axis_rotations() @ right)))
    return table
