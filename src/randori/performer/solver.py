"""From channels to a clip: the whole body solved from the floor up, all frames at once.

Nothing here assumes that the body stands: the trunk may lie down, the feet may be off the floor, and
the hands may hold on to a place in the world.
"""

from dataclasses import dataclass

import numpy as np

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.easing import smooth_step
from randori.motion.parts import SIDES
from randori.performer import grip, kneeling, limbs
from randori.performer.channels import INDEX
from randori.performer.proportions import BALL_HEIGHT, HEEL_BEHIND_ANKLE, WEAPON_HAND, Body

SPINE_SHARE = 0.42  # of the turn from pelvis to chest that the lower spine takes
NECK_SHARE = 0.45  # of the turn from chest to head that the neck takes
KNEE_FOLLOWS_FOOT = 0.62  # the knee looks between pelvis and foot, nearer to the foot
LEG_FREE, LEG_LIMIT = 0.993, 0.9985  # of the leg's length: reached as asked, never reached
ARM_FREE, ARM_LIMIT = 0.955, 0.989
HEEL_LIMIT = np.radians(58.0)  # how far a heel rises by itself when the leg runs out
HEEL_FADE = 0.12  # metres above the floor at which a foot is no longer held by it
PALM_OUT = np.radians(12.0)  # the fingers of a hand on the floor point a little outwards
KNEE_FADE = 0.02  # metres above the floor at which a knee no longer carries
TOE_LIMIT = np.radians(88.0)  # how far toes bend up against the foot
TOES_LEAVE = np.radians(105.0)  # heel angle beyond which a foot comes to lie on its instep
# metres from the spine, from the middle of the head and from its shoulder to a wrist
TRUNK_ROOM, HEAD_ROOM, SHOULDER_ROOM = 0.19, 0.18, 0.22
HEAD_ABOVE_SHOULDERS = (0.0, 0.20, 0.04)  # metres from between them to its middle, in the chest's frame
GIRDLE_LIMIT = 0.85  # of the collar bone's length that a shoulder can be lifted


@dataclass
class _Foot:
    """A foot as the floor asks for it, before the leg is known."""

    ball: np.ndarray  # (F, 3) metres
    ankle: np.ndarray  # (F, 3) metres
    turned: np.ndarray  # (F, 4)
    heel: np.ndarray  # (F,) radians
    held: np.ndarray  # (F,) 1 on the floor, 0 in the air or in a kick


class _Solve:
    """The work on one performance: the values of all channels and what has been found so far."""

    def __init__(self, body: Body, values: np.ndarray):
        self.body, self.skeleton = body, body.skeleton
        self.values = values
        self.turned = np.empty((len(values), len(self.skeleton), 4))  # of each joint in the world
        self.heading = rot.from_yaw(self.channel("heading"))

    def channel(self, name: str) -> np.ndarray:
        """(F,) one channel."""
        return self.values[:, INDEX[name]]

    def vector(self, *names: str) -> np.ndarray:
        """(F, n) several channels."""
        return self.values[:, [INDEX[name] for name in names]]

    def offset(self, part: str) -> np.ndarray:
        """(3,) metres, a part's joint from its parent's."""
        return self.skeleton.offsets[self.skeleton.joint(part)]

    def set(self, part: str, rotation: np.ndarray) -> None:
        """Keep the rotation (F, 4) of a part in the world."""
        self.turned[:, self.skeleton.joint(part)] = rotation

    def lean(self, pitch: np.ndarray, roll: np.ndarray, yaw: np.ndarray) -> np.ndarray:
        """(F, 4) a lean in the heading frame of something that is turned by a yaw about its own axis."""
        tilt = rot.from_rotation_vector(np.stack([pitch, np.zeros_like(pitch), -roll], axis=-1))
        return rot.multiply(self.heading, rot.multiply(tilt, rot.from_yaw(yaw)))


def solve(body: Body, values: np.ndarray, fps: float, name: str = "performance") -> Clip:
    """The clip that channels (F, C) in metres and radians describe."""
    work = _Solve(body, values)

    # Step 1. The pelvis, where the channels want it
    pelvis, pelvis_turned = _pelvis(work)

    # Step 2. The feet; where a leg runs out the heel rises, and if that is not enough the pelvis drops
    feet, drop = _feet(work, pelvis, pelvis_turned)
    pelvis[:, 1] -= drop

    knees = {side: _knee_lock(work, side) for side in SIDES if work.channel(f"{side}_kneel").any()}
    if knees:
        pelvis[:, 1] += _over_knees(work, pelvis, pelvis_turned, knees)

    # Step 3. The legs
    for side in SIDES:
        hip = pelvis + rot.rotate(pelvis_turned, work.offset(f"{side}_thigh"))
        _leg(work, side, hip, pelvis_turned, feet[side], knees.get(side))

    # Step 4. The spine, shared between its joints; neck and head go along with a part of it
    chest_turned, chest = _trunk(work, pelvis, pelvis_turned)

    # Step 5. The arms, on their own or around the grip of a weapon
    shoulders = {side: _shoulder(work, side, chest, chest_turned) for side in SIDES}
    blade = _blade(work, shoulders, pelvis, chest_turned) if "weapon" in work.skeleton.parts else None
    for side in SIDES:
        _arm(work, side, pelvis, chest, chest_turned, shoulders[side], blade)
    if blade is not None:
        work.set("weapon", blade.weapon)

    rotations = rot.unroll(rot.normalize(work.skeleton.to_local(work.turned)))
    return Clip(name, work.skeleton, fps, pelvis, rotations)


def missing_height(body: Body, values: np.ndarray) -> np.ndarray:
    """(F,) metres that channels (F, C) ask the pelvis to be higher than legs on the floor reach.

    The pelvis will drop by that at once; who draws channels can let it sink in time.
    """
    work = _Solve(body, values)
    return _feet(work, *_pelvis(work))[1]


def _pelvis(work: _Solve) -> tuple[np.ndarray, np.ndarray]:
    """The place and the rotation of the pelvis that the channels ask for."""
    pelvis_turned = work.lean(*(work.channel(f"pelvis_{axis}") for axis in ("pitch", "roll", "yaw")))
    planar = np.zeros((len(work.values), 3))
    planar[:, [0, 2]] = work.vector("pelvis_side", "pelvis_forward")
    pelvis = rot.rotate(work.heading, planar)
    pelvis[:, [0, 2]] += work.vector("root_x", "root_z")
    pelvis[:, 1] = work.channel("pelvis_height")
    return pelvis, pelvis_turned


def _feet(work: _Solve, pelvis: np.ndarray, pelvis_turned: np.ndarray) -> tuple[dict[str, _Foot], np.ndarray]:
    """Both feet, and the metres (F,) that the pelvis is too high for them."""
    feet, drops = {}, []
    for side in SIDES:
        hip = pelvis + rot.rotate(pelvis_turned, work.offset(f"{side}_thigh"))
        feet[side] = _foot(work, side, hip)
        drops.append(_missing_height(work, feet[side], hip))
    return feet, limbs.smooth_max(drops[0], drops[1], 0.004) - 0.002


def _foot(work: _Solve, side: str, hip: np.ndarray) -> _Foot:
    """The foot on its lock: pivots on the ball, and stands on the heel when the toes are raised."""
    scale = work.body.leg_scale
    yaw = rot.from_yaw(work.channel(f"{side}_foot_yaw"))
    lift, heel = work.channel(f"{side}_foot_lift"), work.channel(f"{side}_heel")
    x, z = work.vector(f"{side}_foot_x", f"{side}_foot_z").T
    ball = np.stack([x, BALL_HEIGHT * scale + lift, z], axis=-1)
    held = (1.0 - smooth_step(lift / HEEL_FADE)) * (1.0 - np.clip(work.channel(f"{side}_kick"), 0.0, 1.0))
    up_and_back = -work.offset(f"{side}_toes")  # ball to ankle

    # The heel angle at which the hip is just in reach: the ankle runs on a circle about the ball
    to_hip = rot.rotate(rot.inverse(yaw), hip - ball)
    _, y, z = to_hip.T
    along = y * up_and_back[1] + z * up_and_back[2]
    across = z * up_and_back[1] - y * up_and_back[2]
    reach = LEG_FREE * work.body.leg_length
    wanted = 0.5 * (np.sum(to_hip**2, axis=-1) + up_and_back @ up_and_back - reach**2)
    radius = np.hypot(along, across)
    needed = np.arctan2(across, along) - np.arccos(np.clip(wanted / radius, -1.0, 1.0))
    needed = limbs.smooth_min(needed, HEEL_LIMIT, 0.1)
    standing_on_ball = smooth_step(1.0 + heel / 0.12)  # not while the toes are raised
    heel = heel + held * standing_on_ball * (limbs.smooth_max(needed, heel, 0.05) - heel)

    heel_point = np.array([0.0, -BALL_HEIGHT * scale, up_and_back[2] - HEEL_BEHIND_ANKLE * scale])
    raised = rot.from_axis_angle(rot.X_AXIS, np.minimum(heel, 0.0))
    ball = ball + rot.rotate(yaw, heel_point + rot.rotate(raised, -heel_point))
    turned = rot.multiply(yaw, rot.from_axis_angle(rot.X_AXIS, heel))
    return _Foot(ball, ball + rot.rotate(turned, up_and_back), turned, heel, held)


def _missing_height(work: _Solve, foot: _Foot, hip: np.ndarray) -> np.ndarray:
    """(F,) metres that the hip is too high for its foot to stay on the floor."""
    reach = LEG_FREE * work.body.leg_length
    planar = np.sum((hip - foot.ankle)[:, [0, 2]] ** 2, axis=-1)
    highest = foot.ankle[:, 1] + np.sqrt(np.maximum(reach**2 - planar, (0.2 * reach) ** 2))
    return foot.held * limbs.smooth_max(hip[:, 1] - highest, 0.0, 0.004)


def _leg(
    work: _Solve,
    side: str,
    hip: np.ndarray,
    pelvis_turned: np.ndarray,
    foot: _Foot,
    kneels_at: np.ndarray | None = None,  # (F, 3) metres
) -> None:
    """Thigh, shin, foot and toes: on the lock, in a kick or between; the knee perhaps on its own lock."""
    sign = 1.0 if side == "left" else -1.0
    thigh_length = work.skeleton.lengths[work.skeleton.joint(f"{side}_shin")]
    shin_length = work.skeleton.lengths[work.skeleton.joint(f"{side}_foot")]
    kick = np.clip(work.channel(f"{side}_kick"), 0.0, 1.0)[:, None]

    # The kicking leg by its angles in the pelvis' frame
    frame = rot.multiply(pelvis_turned, rot.from_yaw(sign * work.channel(f"{side}_kick_out")))
    raise_, knee = work.channel(f"{side}_kick_raise"), work.channel(f"{side}_kick_knee")[:, None]
    zero = np.zeros_like(raise_)
    thigh = rot.rotate(frame, np.stack([zero, -np.cos(raise_), np.sin(raise_)], axis=-1))
    fold = rot.rotate(frame, np.stack([zero, -np.sin(raise_), -np.cos(raise_)], axis=-1))
    fold = limbs.turned_about(thigh, fold, sign * work.channel(f"{side}_kick_roll"))
    shin = np.cos(knee) * thigh + np.sin(knee) * fold
    kicked_ankle = hip + thigh_length * thigh + shin_length * shin
    back = np.cos(knee) * fold - np.sin(knee) * thigh
    kicked_foot = limbs.leg_rotation(shin, rot.cross(shin, -back))
    kicked_foot = rot.multiply(
        kicked_foot, rot.from_axis_angle(rot.X_AXIS, work.channel(f"{side}_kick_point"))
    )

    # The knee looks between pelvis and foot, turned outwards by its swivel
    upright = smooth_step(rot.rotate(pelvis_turned, rot.Y_AXIS)[:, 1])
    away = rot.wrap_angle(
        work.channel(f"{side}_foot_yaw") - work.channel("heading") - work.channel("pelvis_yaw")
    )
    knee_yaw = KNEE_FOLLOWS_FOOT * upright * away
    looks = rot.multiply(pelvis_turned, rot.from_yaw(knee_yaw))

    foot_turned = rot.slerp(foot.turned, kicked_foot, kick[:, 0])
    on_toes = 1.0 - smooth_step((foot.heel - TOES_LEAVE) / np.radians(35.0))
    flat = -np.clip(foot.heel, 0.0, TOE_LIMIT) * foot.held * on_toes
    toes_turned = rot.multiply(foot_turned, rot.from_axis_angle(rot.X_AXIS, flat))
    ankle = foot.ankle + kick * (kicked_ankle - foot.ankle)
    # a foot on its lock stands by construction; one that swings must not dip its toes into the floor
    swings = smooth_step(5.0 * kick[:, 0])
    ankle[:, 1] += swings * _below_floor(work, side, ankle, foot_turned, toes_turned)
    distance = np.linalg.norm(ankle - hip, axis=-1)
    direction = (ankle - hip) / distance[:, None]
    inner = rot.rotate(rot.inverse(looks), direction)
    forward = limbs.transported(-rot.Y_AXIS, inner, rot.Z_AXIS)
    pole = rot.rotate(looks, limbs.turned_about(inner, forward, -sign * work.channel(f"{side}_knee_swivel")))
    pole = pole + kick * (-fold - pole)
    if kneels_at is not None:
        pole = kneeling.towards_knee(pole, work.channel(f"{side}_kneel"), kneels_at - hip, direction)
    free, limit = LEG_FREE * work.body.leg_length, LEG_LIMIT * work.body.leg_length
    leg = limbs.bend(hip, direction, limbs.soft_reach(distance, free, limit), pole, thigh_length, shin_length)

    work.set(f"{side}_thigh", limbs.leg_rotation(leg.upper, leg.hinge))
    work.set(f"{side}_shin", limbs.leg_rotation(leg.lower, leg.hinge))
    work.set(f"{side}_foot", foot_turned)
    work.set(f"{side}_toes", toes_turned)


def _knee_lock(work: _Solve, side: str) -> np.ndarray:
    """(F, 3) metres, where a knee kneels or is put down next."""
    x, z = work.vector(f"{side}_knee_x", f"{side}_knee_z").T
    height = kneeling.KNEE_HEIGHT * work.body.leg_scale + work.channel(f"{side}_knee_lift")
    return np.stack([x, height, z], axis=-1)


def _over_knees(
    work: _Solve, pelvis: np.ndarray, pelvis_turned: np.ndarray, knees: dict[str, np.ndarray]
) -> np.ndarray:
    """(F,) metres that the pelvis is raised by, to be held up by the knees that carry."""
    raises, weights = [], []
    for side in SIDES:
        if side not in knees:
            raises.append(np.zeros(len(pelvis)))
            weights.append(np.zeros(len(pelvis)))
            continue
        hip = pelvis + rot.rotate(pelvis_turned, work.offset(f"{side}_thigh"))
        thigh = work.skeleton.lengths[work.skeleton.joint(f"{side}_shin")]
        raises.append(kneeling.height_over_knee(hip, knees[side], float(thigh)))
        carries = 1.0 - smooth_step(work.channel(f"{side}_knee_lift") / KNEE_FADE)
        weights.append(np.clip(work.channel(f"{side}_kneel"), 0.0, 1.0) * carries)
    return kneeling.shared_height(raises, weights)


def _below_floor(
    work: _Solve, side: str, ankle: np.ndarray, foot_turned: np.ndarray, toes_turned: np.ndarray
) -> np.ndarray:
    """(F,) metres that the lowest of ball and toe tip is deeper than where it stands."""
    ball = ankle + rot.rotate(foot_turned, work.offset(f"{side}_toes"))
    tip = ball + rot.rotate(toes_turned, work.skeleton.tips[work.skeleton.joint(f"{side}_toes")])
    lowest = np.minimum(ball[:, 1], tip[:, 1]) - BALL_HEIGHT * work.body.leg_scale
    return limbs.smooth_max(-lowest, 0.0, 0.01)


def _trunk(work: _Solve, pelvis: np.ndarray, pelvis_turned: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The chest's rotation and the place of its joint, with the spine below and the head above set."""
    pitch, roll, yaw = (work.channel(f"chest_{axis}") for axis in ("pitch", "roll", "yaw"))
    chest_turned = work.lean(pitch, roll, yaw)
    bend = rot.to_rotation_vector(rot.multiply(rot.inverse(pelvis_turned), chest_turned))
    spine_turned = rot.multiply(pelvis_turned, rot.from_rotation_vector(SPINE_SHARE * bend))
    spine = pelvis + rot.rotate(pelvis_turned, work.offset("spine"))
    chest = spine + rot.rotate(spine_turned, work.offset("chest"))

    along, tilted = work.channel("head_follow"), work.channel("head_tilt_follow")
    head_turned = work.lean(
        work.channel("head_pitch") + tilted * pitch,
        work.channel("head_roll") + tilted * roll,
        work.channel("head_yaw") + along * yaw,
    )
    nod = rot.to_rotation_vector(rot.multiply(rot.inverse(chest_turned), head_turned))
    work.set("pelvis", pelvis_turned)
    work.set("spine", spine_turned)
    work.set("chest", chest_turned)
    work.set("neck", rot.multiply(chest_turned, rot.from_rotation_vector(NECK_SHARE * nod)))
    work.set("head", head_turned)
    return chest_turned, chest


def _shoulder(work: _Solve, side: str, chest: np.ndarray, chest_turned: np.ndarray) -> np.ndarray:
    """(F, 3) metres, the shoulder joint: lifted and brought forward on the end of the collar bone."""
    sign = 1.0 if side == "left" else -1.0
    collar = chest + rot.rotate(chest_turned, work.offset(f"{side}_shoulder"))
    bone = work.offset(f"{side}_upper_arm")
    length = float(np.linalg.norm(bone))
    lift = length * GIRDLE_LIMIT * np.tanh(work.channel(f"{side}_girdle_lift") / (length * GIRDLE_LIMIT))
    ahead = bone[2] + work.channel(f"{side}_girdle_forward")
    width = np.sqrt(np.maximum(length**2 - lift**2 - ahead**2, (0.2 * length) ** 2))
    carried = rot.normalize(np.stack([sign * width, lift, ahead], axis=-1))
    work.set(f"{side}_shoulder", rot.multiply(chest_turned, rot.between(bone, carried)))
    return collar + rot.rotate(chest_turned, carried) * length


def _blade(
    work: _Solve, shoulders: dict[str, np.ndarray], pelvis: np.ndarray, chest_turned: np.ndarray
) -> grip.Blade:
    """The weapon: its grip before the shoulders, its blade in its plane, where both hands can hold it."""
    raised, aside = work.channel("hilt_raise"), work.channel("hilt_aside")
    level = np.cos(raised)
    way = np.stack([level * np.sin(aside), np.sin(raised), level * np.cos(aside)], axis=-1)
    between = 0.5 * (shoulders["left"] + shoulders["right"])
    hilt = between + work.channel("hilt_reach")[:, None] * rot.rotate(work.heading, way)
    angles = (work.channel(f"blade_{axis}") for axis in ("yaw", "plane", "swing", "roll"))
    blade = grip.Blade(hilt, rot.multiply(work.heading, grip.swung(*angles)))
    head = between + rot.rotate(chest_turned, work.body.size * np.array(HEAD_ABOVE_SHOULDERS))
    blade = grip.kept_off_body(blade, head, np.stack([pelvis, between], axis=1), work.body)
    shares = {side: _held(work, side) for side in SIDES}
    blade = grip.pulled_within_reach(blade, shoulders, work.body, shares)
    return grip.kept_off_floor(blade, work.body)


def _held(work: _Solve, side: str) -> np.ndarray:
    """(F,) how far a hand is on the grip of the weapon."""
    off = np.clip(work.channel("off_hand_grip"), 0.0, 1.0)
    return np.ones_like(off) if side == WEAPON_HAND else off


def _elbow(
    work: _Solve,
    side: str,
    shoulder: np.ndarray,
    wrist: np.ndarray,
    chest_turned: np.ndarray,
    further: np.ndarray | float = 0.0,
) -> limbs.Bend:
    """The arm to a wrist, its elbow down and turned outwards by its swivel and further by an angle."""
    sign = 1.0 if side == "left" else -1.0
    distance = np.linalg.norm(wrist - shoulder, axis=-1)
    direction = (wrist - shoulder) / distance[:, None]
    inner = rot.rotate(rot.inverse(chest_turned), direction)
    down = limbs.transported(rot.Z_AXIS, inner, -rot.Y_AXIS)
    swivel = work.channel(f"{side}_elbow_swivel") + further
    pole = rot.rotate(chest_turned, limbs.turned_about(inner, down, sign * swivel))
    skeleton, whole = work.skeleton, work.body.arm_length
    return limbs.bend(
        shoulder,
        direction,
        limbs.soft_reach(distance, ARM_FREE * whole, ARM_LIMIT * whole),
        pole,
        skeleton.lengths[skeleton.joint(f"{side}_forearm")],
        skeleton.lengths[skeleton.joint(f"{side}_hand")],
    )


def _twist(arm: limbs.Bend, hand: np.ndarray, sign: float) -> np.ndarray:
    """(F,) -1 to 1, how much a hand (F, 4) is twisted on its forearm."""
    bare = limbs.arm_rotation(arm.lower, arm.hinge, sign)
    return grip.sideways_twist(rot.multiply(rot.inverse(bare), hand))


def _outside_body(
    work: _Solve,
    pelvis: np.ndarray,
    chest: np.ndarray,
    chest_turned: np.ndarray,
    wrist: np.ndarray,
    shoulder: np.ndarray,
) -> np.ndarray:
    """Wrists (F, 3) moved away from the own trunk, head and shoulder: a fist needs room before each."""
    forward = rot.rotate(chest_turned, rot.Z_AXIS)  # the way out for a wrist right in the middle
    neck = chest + rot.rotate(chest_turned, work.offset("neck"))
    axis = neck - pelvis
    along = np.sum((wrist - pelvis) * axis, axis=-1) / np.sum(axis * axis, axis=-1)
    spine = pelvis + np.clip(along, 0.0, 0.9)[:, None] * axis
    skeleton = work.skeleton
    neck_turned, head_turned = (work.turned[:, skeleton.joint(part)] for part in ("neck", "head"))
    head = neck + rot.rotate(neck_turned, work.offset("head"))
    skull = head + rot.rotate(head_turned, 0.5 * skeleton.tips[skeleton.joint("head")])
    rooms = ((spine, TRUNK_ROOM, 0.02), (skull, HEAD_ROOM, 0.02), (shoulder, SHOULDER_ROOM, 0.10))
    for middle, room, ahead in rooms:
        away = wrist - middle + ahead * forward
        distance = np.linalg.norm(away, axis=-1)
        farther = limbs.smooth_max(distance, room * work.body.size, 0.02) - distance
        wrist = wrist + away * (farther / distance)[:, None]
    return wrist


def _arm(
    work: _Solve,
    side: str,
    pelvis: np.ndarray,
    chest: np.ndarray,
    chest_turned: np.ndarray,
    shoulder: np.ndarray,
    blade: grip.Blade | None,
) -> None:
    """Upper arm, forearm and hand to where the wrist is wanted."""
    sign = 1.0 if side == "left" else -1.0
    collar = chest + rot.rotate(chest_turned, work.offset(f"{side}_shoulder"))
    bone = work.offset(f"{side}_upper_arm")

    # The wrist: with the chest, at a point before the body, or on a hold in the world
    out = np.array([sign, 1.0, 1.0])
    own = work.vector(f"{side}_hand_out", f"{side}_hand_up", f"{side}_hand_forward") * out
    wrist = collar + rot.rotate(chest_turned, bone + own)
    point = work.vector(f"{side}_point_out", f"{side}_point_up", f"{side}_point_forward") * out
    planar = pelvis * np.array([1.0, 0.0, 1.0])
    wrist = wrist + work.channel(f"{side}_hand_reach")[:, None] * (
        planar + rot.rotate(work.heading, point) - wrist
    )
    wrist = _outside_body(work, pelvis, chest, chest_turned, wrist, shoulder)
    hold = work.vector(f"{side}_hold_x", f"{side}_hold_y", f"{side}_hold_z")
    wrist = wrist + work.channel(f"{side}_hand_hold")[:, None] * (hold - wrist)

    # Around a grip the hand gives way to the forearm, and the elbow to the hand
    further: np.ndarray | float = 0.0
    if blade is not None:
        held = _held(work, side)
        first = grip.wrist(blade, side, work.body, grip.fist_direction(blade, side))
        loose = _elbow(work, side, shoulder, first, chest_turned)
        fist = grip.fist_direction(blade, side, loose.lower)
        gripping = grip.hand_rotation(blade, side, fist)
        further = held * grip.ELBOW_GIVES * _twist(loose, gripping, sign)
        wrist = wrist + held[:, None] * (grip.wrist(blade, side, work.body, fist) - wrist)

    arm = _elbow(work, side, shoulder, wrist, chest_turned, further)
    bare = limbs.arm_rotation(arm.lower, arm.hinge, sign)

    # Pronation is shared between forearm and wrist, as the two bones of a forearm share it
    half = rot.from_axis_angle(rot.X_AXIS, 0.5 * work.channel(f"{side}_pronation"))
    bent = rot.multiply(
        rot.from_axis_angle(rot.Z_AXIS, -sign * work.channel(f"{side}_wrist_bend")),
        rot.from_axis_angle(rot.Y_AXIS, -sign * work.channel(f"{side}_wrist_side")),
    )
    forearm = rot.multiply(bare, half)
    hand = rot.multiply(rot.multiply(forearm, half), bent)
    if blade is not None:
        angle = grip.TWIST_AT_EASE + grip.FOREARM_TWISTS * _twist(arm, gripping, sign)
        twist = rot.from_axis_angle(rot.X_AXIS, angle)
        forearm = rot.slerp(forearm, rot.multiply(bare, twist), held)
        hand = rot.slerp(hand, gripping, held)
    palm = work.channel(f"{side}_palm_down")
    if palm.any():  # flat on the floor, the fingers ahead
        flat = rot.multiply(work.heading, rot.from_yaw(sign * (PALM_OUT - 0.5 * np.pi)))
        hand = rot.slerp(hand, flat, np.clip(palm, 0.0, 1.0))
    work.set(f"{side}_upper_arm", limbs.arm_rotation(arm.upper, arm.hinge, sign))
    work.set(f"{side}_forearm", forearm)
    work.set(f"{side}_hand", hand)
