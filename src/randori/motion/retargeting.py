"""Brings a clip of another actor, or of another rig, onto one skeleton.

Body parts are turned away from the T-pose as they were in the source, independent of each rig's zero. Paths
over the floor and heights are scaled by the legs. Feet then go exactly where the scaled source has them, so
they stand when and as still as they stood. Hands keep their distance from the shoulders relative to the
length of the arm, so a strike is as long at the same time.
"""

from typing import NamedTuple

import numpy as np

from randori.errors import RandoriError
from randori.kernels.limbs import LEG_SURE_REACH
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.details import RELAXED, with_details
from randori.motion.easing import smooth_cover, smooth_step
from randori.motion.feet import foot_contacts, foot_levels, foot_points
from randori.motion.foot_plan import MOST_SINKING, FootPlan, Legs, plan_feet
from randori.motion.inverse_kinematics import ARM_REACH, find_limb, solve_limb
from randori.motion.parts import MIDDLE_PARTS, SIDES, missing_parts
from randori.motion.skeleton import Skeleton

# The floor is this far below the joint at the ball of a foot: 2 cm for a leg of 0.85 m.
SOLE = 0.0235  # of the leg
_SAME_BONE = 1e-3  # metres: recordings of one actor differ by rounding alone
_SINKING_SPAN = 0.25  # seconds to either side over which it is lowered
_HANDS_TOGETHER = (0.35, 0.6)  # of the arm: hands nearer than the first hold on to each other or to one thing


class Brought(NamedTuple):
    """A clip that was brought onto another skeleton."""

    clip: Clip
    contacts: np.ndarray  # (F, 2) bool: when its feet stand


def retarget(
    clip: Clip, skeleton: Skeleton, standing_level: float | None = None, *, curl: float = RELAXED
) -> Clip:
    """The same motion on another skeleton, at the same rate, standing on the floor y = 0.

    `standing_level` is how high, in metres, the balls of the feet are in the recording when they stand;
    without it the feet of the clip tell, which those of a person who crawls all the time cannot. A clip
    that is on the skeleton already is only brought to the floor. `curl` bends the fingers of a character
    that has some.
    """
    floor, level = _floors(clip, skeleton, standing_level)
    if same_bones(clip.skeleton, skeleton):
        return _on_floor(clip, skeleton, level - floor)
    size = _leg(skeleton) / _leg(clip.skeleton)

    def scaled(points: np.ndarray) -> np.ndarray:
        return size * (points - np.array([0.0, floor, 0.0])) + np.array([0.0, level, 0.0])

    hips, balls = _middle(clip.positions, clip.skeleton, "thigh"), foot_points(clip)[:, :, 1]
    return _posed(clip, skeleton, _turned(clip, skeleton, curl), scaled(hips), scaled(balls))


def retarget_along(
    clip: Clip,
    skeleton: Skeleton,
    shift: np.ndarray,  # (F, 3) metres that the way over the floor is moved by
    standing_level: float | None = None,
    *,
    curl: float = RELAXED,
) -> Brought:
    """The same, on a way over the floor that stays as long as it was, however long the legs are.

    So characters who meet still meet. Each step is as wide as the legs are; where they are too short for
    it, they make several (foot_plan.py).
    """
    floor, level = _floors(clip, skeleton, standing_level)
    contacts = foot_contacts(clip)
    if same_bones(clip.skeleton, skeleton) and not shift.any():
        return Brought(_on_floor(clip, skeleton, level - floor), contacts)
    flat = [0, 2]
    size = _leg(skeleton) / _leg(clip.skeleton)
    middle, balls = _middle(clip.positions, clip.skeleton, "thigh"), foot_points(clip)[:, :, 1]
    hips = middle + shift
    hips[:, 1] = size * (middle[:, 1] - floor) + level
    free = size * (balls - middle[:, None]) + (middle + shift)[:, None]
    free[..., 1] = size * (balls[..., 1] - floor) + level

    turned = _turned(clip, skeleton, curl)
    standing = _hips_at(clip, skeleton, turned, hips)
    legs = _legs(standing, skeleton, turned, free[..., 1], level)
    plan = plan_feet(free[..., flat], contacts, legs, clip.fps)
    wanted = np.empty_like(free)
    wanted[..., flat] = plan.places
    wanted[..., 1] = free[..., 1] + plan.own * (level + plan.lifts - free[..., 1])
    turned = _with_flat_feet(turned, skeleton, plan)
    return Brought(_posed(clip, skeleton, turned, hips, wanted), plan.contacts)


def _floors(clip: Clip, skeleton: Skeleton, standing_level: float | None) -> tuple[float, float]:
    """Metres: how high the balls of standing feet are in the clip, and on the skeleton."""
    for rig, owner in ((clip.skeleton, clip.name), (skeleton, "the skeleton to bring it onto")):
        if missing := missing_parts(rig.parts):
            raise RandoriError(f"{owner}: no joint was recognised as the {missing[0].replace('_', ' ')}")
    floor = foot_levels(clip).ball if standing_level is None else standing_level
    return floor, standing_ball_level(skeleton)


def _on_floor(clip: Clip, skeleton: Skeleton, rise: float) -> Clip:
    root = clip.root_position + np.array([0.0, rise, 0.0])
    return clip.with_frames(root, clip.rotations, skeleton=skeleton)


def _turned(clip: Clip, skeleton: Skeleton, curl: float) -> np.ndarray:
    """(F, J, 4) how each joint of a skeleton is turned away from its T: as its body part was."""
    turned = rot.multiply(clip.global_rotations, rot.inverse(clip.skeleton.reference))
    turned = _share_turns(turned, clip.skeleton, skeleton)
    return turned if skeleton.flesh is None else with_details(turned, skeleton, curl)


def _hips_at(clip: Clip, skeleton: Skeleton, turned: np.ndarray, middle: np.ndarray) -> Clip:
    """The skeleton turned so, with (F, 3) half way between its hips."""
    rotations = skeleton.to_local(rot.unroll(rot.multiply(turned, skeleton.reference)))
    positions, _ = skeleton.forward(np.zeros((len(clip), 3)), rotations)
    return clip.with_frames(middle - _middle(positions, skeleton, "thigh"), rotations, skeleton=skeleton)


def _posed(clip: Clip, skeleton: Skeleton, turned: np.ndarray, hips: np.ndarray, balls: np.ndarray) -> Clip:
    """A skeleton turned so, with its hips (F, 3) and the balls of its feet (F, 2, 3) where wanted."""
    # Step 1. Feet: the ball is where it is wanted, the ankle follows from the foot's turn.
    moved = _hips_at(clip, skeleton, turned, hips)
    rotations, places = moved.rotations, foot_points(moved)
    ankles = places[:, :, 0] + balls - places[:, :, 1]
    root = moved.root_position - _sinking(moved, ankles)[:, None] * rot.Y_AXIS
    moved = clip.with_frames(root, rotations, skeleton=skeleton)
    for foot, side in enumerate(SIDES):
        limb = find_limb(skeleton, f"{side}_leg")
        rotations = solve_limb(
            skeleton, moved.positions, moved.global_rotations, rotations, limb, ankles[:, foot]
        )

    # Step 2. Hands: as far from the shoulder as they were, for the length of the arm.
    for side, target in zip(SIDES, _hand_targets(clip, moved)):
        rotations = solve_limb(
            skeleton,
            moved.positions,
            moved.global_rotations,
            rotations,
            find_limb(skeleton, f"{side}_arm"),
            target,
            straightest=ARM_REACH,
        )
    return clip.with_frames(root, rot.unroll(rotations), skeleton=skeleton)


def copy_poses(
    source: Skeleton, root_position: np.ndarray, rotations: np.ndarray, skeleton: Skeleton, curl: float
) -> tuple[np.ndarray, np.ndarray]:
    """Roots (N, 3) and local rotations (N, J, 4) of single poses on another skeleton, where they were.

    It is quick, because it knows no frames before and after: every joint turns as in `retarget`, the hips are
    as high as the legs are long, but feet and hands are not brought to their places.
    """
    positions, turned = source.forward(root_position, rotations)
    turned = _share_turns(rot.multiply(turned, rot.inverse(source.reference)), source, skeleton)
    if skeleton.flesh is not None:
        turned = with_details(turned, skeleton, curl)
    local = skeleton.to_local(rot.multiply(turned, skeleton.reference))
    hips = _middle(positions, source, "thigh")
    above = hips[:, 1] - standing_ball_level(source)
    hips[:, 1] = _leg(skeleton) / _leg(source) * above + standing_ball_level(skeleton)
    posed, _ = skeleton.forward(np.zeros_like(hips), local)
    return hips - _middle(posed, skeleton, "thigh"), local


def _legs(clip: Clip, skeleton: Skeleton, turned: np.ndarray, heights: np.ndarray, level: float) -> Legs:
    """The legs for a plan of the feet; heights (F, 2) metres are those of the balls."""
    points, (reference, _) = foot_points(clip), skeleton.reference_pose
    hips = np.stack([clip.positions[:, skeleton.joint(f"{side}_thigh")] for side in SIDES], axis=1)
    flat = np.empty((len(clip), 2, 3))
    for foot, side in enumerate(SIDES):
        ankle = skeleton.joint(f"{side}_foot")
        toes = skeleton.parts.get(f"{side}_toes")
        ball = reference[toes] - reference[ankle] if toes is not None else _tip(skeleton, ankle)
        flat[:, foot] = rot.rotate(rot.from_yaw(rot.yaw(turned[:, ankle])), -ball)
    return Legs(_leg(skeleton), hips, points[:, :, 0] - points[:, :, 1], flat, heights, level)


def _tip(skeleton: Skeleton, joint: int) -> np.ndarray:
    """(3,) metres from a joint to the end of its bone, in the T."""
    return rot.rotate(skeleton.reference[joint], skeleton.tips[joint])


def _with_flat_feet(turned: np.ndarray, skeleton: Skeleton, plan: FootPlan) -> np.ndarray:
    """(F, J, 4) the same turns with soles level in steps that the recording does not have."""
    if not plan.own.any():
        return turned
    turned = turned.copy()
    for foot, side in enumerate(SIDES):
        ankle = skeleton.joint(f"{side}_foot")
        level = rot.from_yaw(rot.yaw(turned[:, ankle]))
        for joint in range(len(skeleton)):
            if joint == ankle or joint == skeleton.parts.get(f"{side}_toes"):
                turned[:, joint] = rot.slerp(turned[:, joint], level, plan.own[:, foot])
    return turned


def same_bones(a: Skeleton, b: Skeleton) -> bool:
    """Whether rotations of one skeleton mean the same on the other."""
    return a.names == b.names and bool(
        np.array_equal(a.parents, b.parents) and np.abs(a.offsets - b.offsets)[1:].max() < _SAME_BONE
    )


def standing_ball_level(skeleton: Skeleton) -> float:
    """Metres from the floor to the ball of a foot when the T stands on its soles.

    As in `foot_points`, the ball of a foot without toes is its tip.
    """
    positions, turned = skeleton.reference_pose
    foot = skeleton.joint("left_foot")
    toes = skeleton.parts.get("left_toes")
    ball = (
        positions[foot] + rot.rotate(turned[foot], skeleton.tips[foot]) if toes is None else positions[toes]
    )
    if skeleton.flesh is not None:  # its soles are known
        return float(ball[1])
    return float(ball[1]) + SOLE * _leg(skeleton)


def _share_turns(turned: np.ndarray, source: Skeleton, target: Skeleton) -> np.ndarray:
    """(F, J, 4) how each joint of the target is turned away from the T.

    A joint between two parts of the trunk or the neck takes its share of the turn from one to the other.
    Any other joint without a counterpart goes with the joint that it hangs on.
    """
    counterpart = {joint: source.parts[part] for part, joint in target.parts.items() if part in source.parts}
    # In some rigs the trunk of the T leans back by ten degrees: what should agree is where it points.
    turned = turned.copy()
    straighten = rot.between(_trunk_direction(target), _trunk_direction(source))
    for part in ("spine", "chest"):
        if part in source.parts:
            turned[:, source.parts[part]] = rot.multiply(turned[:, source.parts[part]], straighten)
    result = np.empty((len(turned), len(target), 4))
    chain = _trunk(target)
    for joint, parent in enumerate(target.parents.tolist()):
        if joint in counterpart:
            result[:, joint] = turned[:, counterpart[joint]]
            continue
        result[:, joint] = result[:, parent] if parent >= 0 else turned[:, source.joint("pelvis")]
        above = [k for k in chain if k > joint and k in counterpart]
        if joint in chain and above and parent >= 0:
            # the joints in between come one after the other, and each takes an equal part of what is left
            left = chain.index(above[0]) - chain.index(joint) + 1
            there = turned[:, counterpart[above[0]]]
            result[:, joint] = rot.slerp(result[:, joint], there, np.full(len(turned), 1.0 / left))
    return result


def _trunk(skeleton: Skeleton) -> list[int]:
    """The joints from the pelvis to the head, in this order."""
    top = max(skeleton.parts[part] for part in MIDDLE_PARTS if part in skeleton.parts)
    chain = [top]
    while chain[-1] != skeleton.parts["pelvis"] and skeleton.parents[chain[-1]] >= 0:
        chain.append(int(skeleton.parents[chain[-1]]))
    return chain[::-1]


def _trunk_direction(skeleton: Skeleton) -> np.ndarray:
    """(3,) from the hips to the shoulders, in the T."""
    positions = skeleton.reference_pose[0][None]
    return (_middle(positions, skeleton, "upper_arm") - _middle(positions, skeleton, "thigh"))[0]


def _hand_targets(clip: Clip, moved: Clip) -> tuple[np.ndarray, np.ndarray]:
    """(F, 3) metres for the left and the right hand: the source's reach from the shoulder, scaled.

    Hands that are close together keep their scaled distance from each other instead: they may hold one
    thing, and shoulders of another width must not pull it apart.
    """
    source, target = clip.skeleton, moved.skeleton
    size = _arm(target) / _arm(source)
    reach, places = [], []
    for side in SIDES:
        shoulder, hand = source.joint(f"{side}_upper_arm"), source.joint(f"{side}_hand")
        reach.append(size * (clip.positions[:, hand] - clip.positions[:, shoulder]))
        places.append(moved.positions[:, target.joint(f"{side}_upper_arm")] + reach[-1])
    left, right = places
    apart = clip.positions[:, source.joint("left_hand")] - clip.positions[:, source.joint("right_hand")]
    near, far = _HANDS_TOGETHER
    free = smooth_step((np.linalg.norm(apart, axis=-1) / _arm(source) - near) / (far - near))
    together = (1.0 - free)[:, None]
    fault = together * (size * apart - (left - right))
    return left + 0.5 * fault, right - 0.5 * fault


def _sinking(clip: Clip, ankles: np.ndarray) -> np.ndarray:
    """(F,) metres to lower the pelvis by, so that the legs reach the ankles (F, 2, 3): smooth, never less."""
    needed = np.zeros(len(clip))
    for foot, side in enumerate(SIDES):
        limb = find_limb(clip.skeleton, f"{side}_leg")
        hip = clip.positions[:, limb.upper]
        length = clip.skeleton.length_between(limb.end, limb.upper)
        across, up, along = (hip - ankles[:, foot]).T
        height = np.sqrt(np.maximum((LEG_SURE_REACH * length) ** 2 - across**2 - along**2, 0.0))
        standing = up > 0.5 * length  # the pelvis of a lying body stays where it is
        needed = np.maximum(needed, np.where(standing, np.clip(up - height, 0.0, MOST_SINKING * length), 0.0))
    return smooth_cover(needed, max(1, round(_SINKING_SPAN * clip.fps)))


def _middle(positions: np.ndarray, skeleton: Skeleton, part: str) -> np.ndarray:
    """(F, 3) metres, half way between the left and the right one of a part."""
    left, right = (positions[:, skeleton.joint(f"{side}_{part}")] for side in SIDES)
    return 0.5 * (left + right)


def _leg(skeleton: Skeleton) -> float:
    return skeleton.length_between(skeleton.joint("left_foot"), skeleton.joint("left_thigh"))


def _arm(skeleton: Skeleton) -> float:
    return skeleton.length_between(skeleton.joint("left_hand"), skeleton.joint("left_upper_arm"))
