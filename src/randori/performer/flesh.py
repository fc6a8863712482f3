"""Thickness of the body: it rests on the floor instead of in it."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.easing import smooth_step
from randori.motion.parts import SIDES
from randori.performer.checks import hand_depth
from randori.performer.limbs import smooth_max
from randori.performer.proportions import BALL_HEIGHT, HEEL_BEHIND_ANKLE, Body
from randori.performer.tracks import ease

# (part, point from its joint, radius) in metres of the reference body; on the sides x counts outwards
_TRUNK = (
    ("pelvis", (0.075, -0.01, -0.015), 0.095),
    ("pelvis", (-0.075, -0.01, -0.015), 0.095),
    ("spine", (0.0, 0.06, 0.0), 0.100),
    ("chest", (0.07, 0.10, 0.0), 0.105),
    ("chest", (-0.07, 0.10, 0.0), 0.105),
)
_HEAD = (("head", (0.0, 0.085, 0.015), 0.098),)
_LIMBS = (
    ("upper_arm", (0.0, 0.0, 0.0), 0.062),
    ("forearm", (0.0, 0.0, 0.0), 0.042),
    ("hand", (0.0, 0.0, 0.0), 0.034),
    ("hand", (0.11, 0.0, 0.0), 0.024),
    ("shin", (0.0, 0.0, 0.0), 0.055),
    ("foot", (0.0, 0.0, 0.0), 0.045),
    ("foot", (0.0, -0.065, 0.02 - HEEL_BEHIND_ANKLE), BALL_HEIGHT),
    ("toes", (0.0, 0.0, 0.0), BALL_HEIGHT),
    ("toes", (0.0, 0.0, 0.055), 0.014),
)
# parts that lift the whole body when they would be in the floor
_LIFTING_PARTS = ("pelvis", "spine", "chest", "left_upper_arm", "right_upper_arm")
# parts that turn up when a point on them would be in the floor: (part that turns, part it carries, point on
# that, radius), from the trunk outwards
_TURNING_PARTS = (
    ("upper_arm", "forearm", (0.0, 0.0, 0.0), 0.042),
    # from the shoulder: turned about the elbow the arm could bend the wrong way
    ("upper_arm", "hand", (0.0, 0.0, 0.0), 0.034),
    ("hand", "hand", (0.17, 0.0, 0.0), 0.015),
    ("upper_arm", "hand", (0.17, 0.0, 0.0), 0.008),
    ("thigh", "shin", (0.0, 0.0, 0.0), 0.055),
    ("shin", "foot", (0.0, 0.0, 0.0), 0.048),
    ("shin", "foot", (0.0, -0.065, 0.02 - HEEL_BEHIND_ANKLE), BALL_HEIGHT),
    ("shin", "toes", (0.0, 0.0, 0.0), BALL_HEIGHT),
    ("shin", "toes", (0.0, 0.0, 0.07), 0.012),
    ("foot", "toes", (0.0, 0.0, 0.0), BALL_HEIGHT),
    ("toes", "toes", (0.0, 0.0, 0.07), 0.012),
)
HINGE_SOFT = 0.02  # radians of bending backwards in which a joint is stopped gradually
ELBOW_MOST, ELBOW_SOFT = 2.45, 0.1  # radians that an elbow folds freely, and with flesh against flesh
_RAISING_PARTS = (
    ("thigh", "foot", (0.0, 0.0, 0.0), 0.045),
    ("thigh", "foot", (0.0, -0.065, 0.02 - HEEL_BEHIND_ANKLE), BALL_HEIGHT),
)
_ELBOW_HEIGHT = 0.042  # metres of an elbow that rests on the floor
_BULGE = 0.06  # metres that an elbow is off the line from shoulder to hand: a straighter arm has no way aside
_END_PARTS = ("hand", "foot", "toes")  # their backs are up in the T
_TOUCHING_DEPTH = 0.001  # metres that flesh may be pressed in before anything gives way,
_SOFT_DEPTH = 0.004  # and in which it gives way gradually
# kept clear of fists, in metres of the reference body: the trunk up to where the neck begins, the head
_TRUNK_CLEARANCE, _HEAD_CLEARANCE = 0.142, 0.132
_TRUNK_TOP = 0.85  # of the way from pelvis to neck
FIST_HEIGHT = 0.035  # metres, of one that lies on the floor
_FIST = 0.4  # of the way from the wrist to the finger tips
END_EASE = 0.05  # seconds over which hands and toes give way
STEADY = 0.15  # seconds over which the way aside of a limb in the floor is made up
LIFT_WIDTH = 0.15  # seconds over which a trunk is lifted before and after it would be in the floor


@cache
def flesh(body: Body) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Balls of flesh: their joints (N,), points from the joint (N, 3) and radii (N,) in metres."""
    joint = body.skeleton.joint
    rows = [(joint(part), point, radius, 1.0) for part, point, radius in (*_TRUNK, *_HEAD)]
    for side, sign in zip(SIDES, (1.0, -1.0)):
        rows += [(joint(f"{side}_{part}"), point, radius, sign) for part, point, radius in _LIMBS]
    joints = np.array([row[0] for row in rows], dtype=np.int64)
    points = np.array([(sign * x, y, z) for _, (x, y, z), _, sign in rows])
    return joints, points * body.size, np.array([row[2] for row in rows]) * body.size


def flesh_heights(body: Body, clip: Clip) -> np.ndarray:
    """(F, N) metres that each ball of flesh is above the floor."""
    joints, points, radii = flesh(body)
    place = clip.positions[:, joints] + rot.rotate(clip.global_rotations[:, joints], points)
    return place[..., 1] - radii


def rest_on_floor(body: Body, clip: Clip, ends_low: bool = False) -> Clip:
    """The clip with the trunk lifted and the limbs turned up where they would be in the floor.

    Its first and last frames are left as they are, so that it fits where it was cut from; the last ones
    not if the clip ends with the body still on the floor.
    """
    # Step 1. The trunk
    joints = flesh(body)[0]
    lifting = [clip.skeleton.joint(part) for part in _LIFTING_PARTS]
    trunk = flesh_heights(body, clip)[:, np.isin(joints, lifting)]
    within = _within(len(clip), clip.fps, ends_low)
    root = clip.root_position.copy()
    root[:, 1] += within * _widened(np.maximum(-trunk.min(axis=-1), 0.0), clip.fps)
    clip = clip.with_frames(root, clip.rotations)

    # Step 2. Fists that would be inside the own body go around it, then what is in the floor gives way;
    # twice, because the floor pushes fists back
    places, turned = clip.positions.copy(), clip.global_rotations.copy()
    for _ in range(2):
        _fists_outside(body, places, turned, within)
        _limbs_above(body, places, turned, within, clip.fps, _TURNING_PARTS)
        _elbows_above(body, places, turned, within)

    # Step 3. A shin turned up may have bent its knee backwards: then the whole leg goes up
    rotations = hinged(body, rot.normalize(clip.skeleton.to_local(turned)))
    places, turned = clip.skeleton.forward(root, rotations)
    _limbs_above(body, places, turned, within, clip.fps, _RAISING_PARTS)
    return clip.with_frames(root, rot.unroll(rot.normalize(clip.skeleton.to_local(turned))))


def above_floor(clip: Clip) -> Clip:
    """The clip with the whole body lifted where a joint is still below the floor."""
    lowest = np.minimum(clip.positions[..., 1].min(axis=-1), clip.tip_positions[..., 1].min(axis=-1))
    root = clip.root_position.copy()
    root[:, 1] += _widened(np.maximum(-lowest, 0.0), clip.fps)
    return clip.with_frames(root, clip.rotations)


def _limbs_above(
    body: Body,
    places: np.ndarray,
    turned: np.ndarray,
    within: np.ndarray,
    fps: float,
    table: Sequence[tuple[str, str, tuple[float, float, float], float]],
) -> None:
    """Turn head and limbs up, in place, one joint after the other from the trunk outwards."""
    skeleton = body.skeleton
    turning: list[tuple[str, str, np.ndarray, float]] = [("neck", "head", np.array(_HEAD[0][1]), _HEAD[0][2])]
    for side, sign in zip(SIDES, (1.0, -1.0)):
        turning += [
            (f"{side}_{part}", f"{side}_{carried}", np.array(point) * (sign, 1.0, 1.0), radius)
            for part, carried, point, radius in table
        ]
    for part, carried, point, radius in turning:
        joint, end = skeleton.joint(part), skeleton.joint(carried)
        spot = places[:, end] + rot.rotate(turned[:, end], point * body.size)
        back = np.zeros_like(spot)
        if part.endswith(_END_PARTS):
            back = rot.rotate(turned[:, joint], rot.Y_AXIS)
        elif part.endswith("upper_arm"):  # an arm under its shoulder gives way to its side
            chest = turned[:, skeleton.joint("chest")]
            back = rot.rotate(chest, rot.X_AXIS if part.startswith("left") else -rot.X_AXIS)
        turn = _turn_up(places[:, joint], spot, back, radius * body.size, within, fps)
        if part.endswith(_END_PARTS):
            turn = _eased_over_time(turn, fps)
        _carry(_below(skeleton.parents, joint), turn, places, turned)
        if part.endswith("thigh") and carried.endswith("shin"):
            # a knee that is pushed up does not take its shin along: it bends, and the foot stays low
            hinge = rot.rotate(turned[:, end], rot.X_AXIS)
            bent = np.sum(rot.to_rotation_vector(turn) * hinge, axis=-1)
            _carry(_below(skeleton.parents, end), rot.from_axis_angle(hinge, -bent), places, turned)


def _elbows_above(body: Body, places: np.ndarray, turned: np.ndarray, within: np.ndarray) -> None:
    """Swing elbows out of the floor, in place, about the line from shoulder to hand: the hand stays."""
    skeleton, radius = body.skeleton, _ELBOW_HEIGHT * body.size
    for side in SIDES:
        joint, elbow, hand = (skeleton.joint(f"{side}_{part}") for part in ("upper_arm", "forearm", "hand"))
        arm, line = places[:, elbow] - places[:, joint], places[:, hand] - places[:, joint]
        line = rot.normalize(line)
        middle = np.sum(arm * line, axis=-1)[:, None] * line
        out = arm - middle
        bulge = np.linalg.norm(out, axis=-1)
        out /= np.maximum(bulge, 1e-6)[:, None]
        # the elbow runs on a circle; `top` is the angle to its highest point
        across = rot.cross(line, out)
        steep = np.hypot(out[:, 1], across[:, 1])
        top = np.arctan2(across[:, 1], out[:, 1])
        deep = np.maximum(radius - _TOUCHING_DEPTH - places[:, elbow, 1], 0.0)
        wanted = places[:, elbow, 1] + within * deep**2 / (deep + _SOFT_DEPTH)
        height = wanted - places[:, joint, 1] - middle[:, 1]
        left = np.arccos(np.clip(height / np.maximum(bulge * steep, 1e-6), -1.0, 1.0))
        angle = np.sign(top) * np.maximum(np.abs(top) - left, 0.0)
        angle *= smooth_step(bulge / _BULGE) * smooth_step(deep / _SOFT_DEPTH)
        held = turned[:, hand].copy()
        _carry(_below(skeleton.parents, joint), rot.from_axis_angle(line, angle), places, turned)
        turned[:, hand] = held


def hinged(body: Body, rotations: np.ndarray) -> np.ndarray:
    """Rotations (F, J, 4) in which elbows and knees bend only the way they can.

    On the way from one pose to another every joint goes the shortest way, and that may lead through a
    limb that is bent backwards.
    """
    rotations = rotations.copy()
    for side, sign in zip(SIDES, (1.0, -1.0)):
        for part, bone, axis in (
            ("forearm", sign * rot.X_AXIS, -sign * rot.Y_AXIS),
            ("shin", -rot.Y_AXIS, rot.X_AXIS),
        ):
            joint = body.skeleton.joint(f"{side}_{part}")
            lower = rot.rotate(rotations[:, joint], bone)
            fold = np.arctan2(lower @ np.cross(axis, bone), lower @ bone)
            # folded so far that it looks like the other way round is no fault
            # and what is only straight must not be touched: a leg that stands would move its foot
            wrong = np.where(fold > -0.5 * np.pi, np.maximum(-fold, 0.0), 0.0)
            fault = wrong**2 / (wrong + HINGE_SOFT)
            rotations[:, joint] = rot.multiply(rot.from_axis_angle(axis, fault), rotations[:, joint])
    return rotations


def unfolded(body: Body, rotations: np.ndarray) -> np.ndarray:
    """Rotations (F, J, 4) in which no elbow is folded farther than flesh allows.

    A hand next to its own shoulder could not be moved by turning the arm.
    """
    rotations = rotations.copy()
    for side, sign in zip(SIDES, (1.0, -1.0)):
        joint = body.skeleton.joint(f"{side}_forearm")
        lower = rot.rotate(rotations[:, joint], sign * rot.X_AXIS)
        fold = np.arctan2(lower[:, 2], sign * lower[:, 0])
        whole = np.where(fold > -0.5 * np.pi, fold, fold + 2.0 * np.pi)
        beyond = np.maximum(whole - ELBOW_MOST, 0.0)
        back = beyond**2 / (beyond + ELBOW_SOFT)
        rotations[:, joint] = rot.multiply(rot.from_axis_angle(sign * rot.Y_AXIS, back), rotations[:, joint])
    return rotations


def fists_outside(body: Body, clip: Clip) -> Clip:
    """The clip with the arms turned away where a fist would be in the own trunk or head."""
    inside = np.flatnonzero(hand_depth(clip).max(axis=-1) > 0.0)
    if not len(inside):
        return clip
    share = _widened(np.isin(np.arange(len(clip)), inside).astype(float), clip.fps)
    near = np.flatnonzero(share > 0.0)
    root, rotations = clip.root_position, clip.rotations.copy()
    part = clip.with_frames(root[near], rotations[near])
    places, turned = part.positions.copy(), part.global_rotations.copy()
    _fists_outside(body, places, turned, share[near])
    rotations[near] = rot.normalize(clip.skeleton.to_local(turned))
    return clip.with_frames(root, rot.unroll(rotations))


def _fists_outside(body: Body, places: np.ndarray, turned: np.ndarray, within: np.ndarray) -> None:
    """Turn arms about their shoulders, in place, so that no fist is inside the trunk or the head."""
    skeleton = body.skeleton
    tips = skeleton.tips
    pelvis, neck, head = (places[:, skeleton.joint(part)] for part in ("pelvis", "neck", "head"))
    crown = rot.rotate(turned[:, skeleton.joint("head")], tips[skeleton.joint("head")])
    left = rot.rotate(turned[:, skeleton.joint("chest")], rot.X_AXIS)
    for side, sign in zip(SIDES, (1.0, -1.0)):
        joint, hand = skeleton.joint(f"{side}_upper_arm"), skeleton.joint(f"{side}_hand")
        chain = _below(skeleton.parents, joint)
        for _ in range(6):  # a turn about the shoulder does not lead straight out
            fist = places[:, hand] + _FIST * rot.rotate(turned[:, hand], tips[hand])
            axis = neck - pelvis
            along = np.sum((fist - pelvis) * axis, axis=-1) / np.sum(axis * axis, axis=-1)
            middle = pelvis + np.clip(along, 0.0, _TRUNK_TOP)[:, None] * axis
            wanted = _kept_away(fist, middle, _TRUNK_CLEARANCE * body.size, sign * left)
            wanted = _kept_away(wanted, head + 0.5 * crown, _HEAD_CLEARANCE * body.size, sign * left)
            wanted = fist + within[:, None] * (wanted - fist)
            turn = rot.between(fist - places[:, joint], wanted - places[:, joint])
            _carry(chain, turn, places, turned)


def _carry(chain: list[int], turn: np.ndarray, places: np.ndarray, turned: np.ndarray) -> None:
    """Turn a joint (the first of the chain) and all that hangs on it."""
    rot.turn_joints(turn, np.array(chain), places, turned)


def _kept_away(spot: np.ndarray, middle: np.ndarray, least: float, aside: np.ndarray) -> np.ndarray:
    """Spots (F, 3) moved straight away from middles (F, 3) to a least distance.

    Where straight away is into the floor, or nowhere, it is sideways instead, to the side (F, 3) the arm
    is on.
    """
    arm = spot - middle
    distance = np.maximum(np.linalg.norm(arm, axis=-1), 1e-6)
    farther = smooth_max(distance, least, 0.01)
    # from the middle of the body every way out is as good: then it is the side the arm is on
    arm = arm + (smooth_step((least - distance) / least) * least)[:, None] * aside
    arm = arm * (farther / np.maximum(np.linalg.norm(arm, axis=-1), 1e-6))[:, None]
    height = smooth_max(middle[:, 1] + arm[:, 1], FIST_HEIGHT, 0.01) - middle[:, 1]
    flat = arm[:, [0, 2]] + np.maximum(height - arm[:, 1], 0.0)[:, None] * aside[:, [0, 2]]
    length = np.sqrt(np.maximum(farther**2 - height**2, 1e-6))
    flat *= (length / np.maximum(np.linalg.norm(flat, axis=-1), 1e-6))[:, None]
    # nothing changes for a fist that is neither inside nor in the floor
    moved = middle + np.stack([flat[:, 0], height, flat[:, 1]], axis=-1)
    near = 1.0 - smooth_step((distance - least) / 0.03)
    return spot + near[:, None] * (moved - spot)


def _turn_up(
    origin: np.ndarray, spot: np.ndarray, back: np.ndarray, radius: float, within: np.ndarray, fps: float
) -> np.ndarray:
    """(F, 4) the smallest turn about an origin (F, 3) that brings a spot (F, 3) up to its radius.

    Parts that point straight down give way to their back (F, 3), as hands and feet do. The way aside
    does not flip where a limb passes under its joint.
    """
    arm = spot - origin
    length = np.linalg.norm(arm, axis=-1)
    # nothing at all for what only touches: a foot that stands must not be moved
    deep = np.maximum(radius - _TOUCHING_DEPTH - spot[:, 1], 0.0)
    deep = within * deep**2 / (deep + _SOFT_DEPTH)
    rise = np.clip((arm[:, 1] + deep) / length, -1.0, 1.0)
    aside = _steady(arm, arm + np.minimum(deep, length)[:, None] * back, deep, fps)
    level = np.sqrt(1.0 - rise**2) * length
    wanted = np.stack([level * np.sin(aside), rise * length, level * np.cos(aside)], axis=-1)
    return rot.between(arm, wanted)


def _steady(arm: np.ndarray, away: np.ndarray, deep: np.ndarray, fps: float) -> np.ndarray:
    """(F,) radians, over the floor: along an arm (F, 3), and where it is deep in the floor the way `away`
    (F, 3) as it usually is around then."""
    own = np.unwrap(np.arctan2(arm[:, 0], arm[:, 2]))
    if not deep.any():
        return own
    raw = np.unwrap(np.arctan2(away[:, 0], away[:, 2]))
    reach = int(STEADY * fps) + 1
    bell = np.hanning(2 * reach + 3)[1:-1]
    weights = deep + 1e-9
    usual = np.convolve(np.pad(weights * raw, reach, mode="edge"), bell, mode="valid")
    usual /= np.convolve(np.pad(weights, reach, mode="edge"), bell, mode="valid")
    return own + smooth_step(deep / _SOFT_DEPTH) * rot.wrap_angle(usual - own)


def _eased_over_time(turn: np.ndarray, fps: float) -> np.ndarray:
    """(F, 4) the same turns without their sudden changes of direction."""
    reach = int(2.0 * END_EASE * fps) + 1
    bell = np.hanning(2 * reach + 3)[1:-1]
    padded = np.pad(rot.unroll(turn), ((reach, reach), (0, 0)), mode="edge")
    mixed = np.stack([np.convolve(column, bell, mode="valid") for column in padded.T], axis=-1)
    return rot.normalize(mixed)


def _below(parents: np.ndarray, joint: int) -> list[int]:
    """A joint and all that hangs on it."""
    found = [joint]
    for other in range(joint + 1, len(parents)):
        if parents[other] in found:
            found.append(other)
    return found


def _within(frames: int, fps: float, ends_low: bool) -> np.ndarray:
    """(F,) 1 inside, 0 at the start and, unless it ends low, at the end."""
    since = np.arange(frames)
    inside = since if ends_low else np.minimum(since, since[::-1])
    return ease(inside / (2.0 * LIFT_WIDTH * fps))


def _widened(deep: np.ndarray, fps: float) -> np.ndarray:
    """(F,) a smooth curve that is nowhere less than `deep`."""
    reach = int(LIFT_WIDTH * fps) + 1
    # the largest around each frame, then the mean around each frame
    widest = np.lib.stride_tricks.sliding_window_view(np.pad(deep, reach), 2 * reach + 1).max(axis=-1)
    bell = np.hanning(2 * reach + 3)[1:-1]
    return np.convolve(np.pad(widest, reach, mode="edge"), bell / bell.sum(), mode="valid")
