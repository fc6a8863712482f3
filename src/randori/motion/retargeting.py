"""Bringing a clip of another actor, or of another rig, onto one skeleton.

Body parts are turned away from the T as they were in the source, whatever each rig calls zero. Paths over
the floor and heights are scaled by the legs. Feet then go exactly where the scaled source has them, so
they stand when and as still as they stood; hands go as far from their shoulders, for the length of the
arm, as they went, so a strike is as long at the same time.
"""

import numpy as np

from randori.errors import RandoriError
from randori.kernels.limbs import LEG_SURE_REACH
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.details import RELAXED, with_details
from randori.motion.easing import smooth_step
from randori.motion.feet import foot_contacts, foot_levels, foot_points, planted_phases
from randori.motion.inverse_kinematics import ARM_REACH, find_limb, solve_limb
from randori.motion.parts import MIDDLE_PARTS, SIDES, missing_parts
from randori.motion.skeleton import Skeleton

# The floor is this far below the joint at the ball of a foot: 2 cm for a leg of 0.85 m.
SOLE = 0.0235  # of the leg
_SAME_BONE = 1e-3  # metres: recordings of one actor differ by rounding alone
_MOST_SINKING = 0.06  # of the leg that the pelvis may be lowered by, so that the feet reach the floor
_SINKING_SPAN = 0.25  # seconds to either side over which it is lowered
_TOGETHER = (0.35, 0.6)  # of the arm: hands nearer than the first hold on to each other or to one thing


def retarget(
    clip: Clip,
    skeleton: Skeleton,
    standing_level: float | None = None,
    *,
    shift: np.ndarray | None = None,
    curl: float = RELAXED,
) -> Clip:
    """The same motion on another skeleton, at the same rate, standing on the floor y = 0.

    `standing_level` is how high, in metres, the balls of the feet are in the recording when they stand;
    without it the feet of the clip tell, which those of a person who crawls all the time cannot. A clip
    that is on the skeleton already is only brought to the floor.

    With a `shift` (F, 3) the way over the floor stays as long as it was, however long the legs are, and is
    moved by so many metres: characters who meet still meet. Each step is then as wide as the legs are. `curl`
    bends the fingers of a character that has some.
    """
    for rig, owner in ((clip.skeleton, clip.name), (skeleton, "the skeleton to bring it onto")):
        if missing := missing_parts(rig.parts):
            raise RandoriError(f"{owner}: no joint was recognised as the {missing[0].replace('_', ' ')}")
    level = standing_ball_level(skeleton)
    floor = foot_levels(clip).ball if standing_level is None else standing_level
    if same_bones(clip.skeleton, skeleton):
        root = clip.root_position + np.array([0.0, level - floor, 0.0])
        return clip.with_frames(root, clip.rotations, skeleton=skeleton)

    source, size = clip.skeleton, _leg(skeleton) / _leg(clip.skeleton)

    def scaled(points: np.ndarray) -> np.ndarray:
        return size * (points - np.array([0.0, floor, 0.0])) + np.array([0.0, level, 0.0])

    middle, balls = _middle(clip.positions, source, "thigh"), foot_points(clip)[:, :, 1]
    wanted_middle, wanted_balls = scaled(middle), scaled(balls)
    if shift is not None:
        flat = [0, 2]
        wanted_middle[:, flat] = (middle + shift)[:, flat]
        wanted_balls[..., flat] = balls[..., flat] + _step_shifts(clip, middle, balls, size, shift)

    # Step 1. Turn every joint as its body part was turned.
    turned = rot.multiply(clip.global_rotations, rot.inverse(source.reference))
    turned = _share_turns(turned, source, skeleton)
    if skeleton.flesh is not None:
        turned = with_details(turned, skeleton, curl)
    global_rotations = rot.multiply(turned, skeleton.reference)
    rotations = skeleton.to_local(rot.unroll(global_rotations))

    # Step 2. Put the hips where the scaled source has them.
    positions, _ = skeleton.forward(np.zeros((len(clip), 3)), rotations)
    hips = wanted_middle - _middle(positions, skeleton, "thigh")

    # Step 3. Feet: the ball is where the scaled source has it, the ankle follows from the foot's turn.
    moved = clip.with_frames(hips, rotations, skeleton=skeleton)
    places = foot_points(moved)
    ankles = places[:, :, 0] + wanted_balls - places[:, :, 1]
    root = hips - _sinking(moved, ankles)[:, None] * rot.Y_AXIS
    moved = clip.with_frames(root, rotations, skeleton=skeleton)
    for foot, side in enumerate(SIDES):
        limb = find_limb(skeleton, f"{side}_leg")
        rotations = solve_limb(
            skeleton, moved.positions, moved.global_rotations, rotations, limb, ankles[:, foot]
        )

    # Step 4. Hands: as far from the shoulder as they were, for the length of the arm.
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


def _step_shifts(
    clip: Clip, middle: np.ndarray, balls: np.ndarray, size: float, shift: np.ndarray
) -> np.ndarray:
    """(F, 2, 2) metres, x and z, that feet are moved by: longer legs stand farther apart, shorter ones less.

    A foot that stands is moved by the same all the time: it stands still.
    """
    flat = [0, 2]
    now = (size - 1.0) * (balls - middle[:, None])[..., flat] + shift[:, None, flat]
    moved = now.copy()
    phases = planted_phases(foot_contacts(clip))
    for foot in range(2):
        own = [phase for phase in phases if phase.foot == foot]
        left = np.zeros((len(clip), 2))  # what a phase wants beyond `now`, dying away towards the next one
        for phase in own:
            rows = slice(phase.start, phase.stop)
            left[rows] = now[rows, foot].mean(axis=0) - now[rows, foot]
        for before, after in zip([None, *own], [*own, None]):
            start, stop = before.stop if before else 0, after.start if after else len(clip)
            if stop <= start:
                continue
            share = smooth_step((np.arange(start, stop) - start + 1.0) / (stop - start + 1.0))[:, None]
            first = left[before.stop - 1] if before else left[after.start] if after else np.zeros(2)
            last = left[after.start] if after else first
            left[start:stop] = (1.0 - share) * first + share * last
        moved[:, foot] = now[:, foot] + left
    return moved


def same_bones(a: Skeleton, b: Skeleton) -> bool:
    """Whether rotations of one skeleton mean the same on the other."""
    return a.names == b.names and bool(
        np.array_equal(a.parents, b.parents) and np.abs(a.offsets - b.offsets)[1:].max() < _SAME_BONE
    )


def standing_ball_level(skeleton: Skeleton) -> float:
    """Metres from the floor to the ball of a foot when the T stands on its soles."""
    positions, _ = skeleton.reference_pose
    ball = skeleton.parts.get("left_toes", skeleton.joint("left_foot"))
    if skeleton.flesh is not None:  # its soles are known
        return float(positions[ball, 1])
    return float(positions[ball, 1]) + SOLE * _leg(skeleton)


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
    near, far = _TOGETHER
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
        standing = up > 0.5 * length  # the pelvis of someone who lies stays where it is
        needed = np.maximum(
            needed, np.where(standing, np.clip(up - height, 0.0, _MOST_SINKING * length), 0.0)
        )
    span = max(1, round(_SINKING_SPAN * clip.fps))
    window = np.hanning(2 * span + 3)[1:-1]
    padded = np.pad(needed, 2 * span, mode="edge")
    highest = np.lib.stride_tricks.sliding_window_view(padded, len(window)).max(axis=-1)
    return np.convolve(highest, window / window.sum(), mode="valid")


def _middle(positions: np.ndarray, skeleton: Skeleton, part: str) -> np.ndarray:
    """(F, 3) metres, half way between the left and the right one of a part."""
    left, right = (positions[:, skeleton.joint(f"{side}_{part}")] for side in SIDES)
    return 0.5 * (left + right)


def _leg(skeleton: Skeleton) -> float:
    return skeleton.length_between(skeleton.joint("left_foot"), skeleton.joint("left_thigh"))


def _arm(skeleton: Skeleton) -> float:
    return skeleton.length_between(skeleton.joint("left_hand"), skeleton.joint("left_upper_arm"))
