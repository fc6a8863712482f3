"""The whole-body channels that the actor is driven by: what they are called, measured in, and mean.

A performance is one array (F, C) in metres and radians. Sided channels exist once for the left and
once for the right and count outwards, so that a mirrored body needs no other numbers. Channels of the
middle count to the left: only those change sign in a mirror.

The heading frame stands on the floor under the pelvis and looks where the actor means to look; pelvis
and chest are turned in it as `Ry(heading) · tilt(pitch, roll) · Ry(yaw)`, so a lean forward stays a
lean forward however far the hips have turned.
"""

from dataclasses import dataclass

from randori.motion.parts import SIDES


@dataclass(frozen=True)
class Channel:
    """One number over time."""

    name: str
    unit: str  # "m", "rad" or "1"
    meaning: str
    scale: str = ""  # which proportion a script's length is multiplied with: "leg", "arm", "size" or none
    mirrored: bool = False  # counts to the left, so it changes sign in a mirror
    base: float = 0.0


_MIDDLE_CHANNELS = (
    Channel("root_x", "m", "where the body is in the world; the pelvis stands relative to it", "leg"),
    Channel("root_z", "m", "where the body is in the world", "leg"),
    Channel(
        "heading", "rad", "where the body means to look, 0 = +Z, a quarter turn = +X (left)", mirrored=True
    ),
    Channel("pelvis_forward", "m", "pelvis before the root, along the heading", "leg"),
    Channel("pelvis_side", "m", "pelvis to the left of the root", "leg", mirrored=True),
    Channel("pelvis_height", "m", "pelvis above the floor", "leg"),
    Channel("pelvis_yaw", "rad", "turned left of the heading", mirrored=True),
    Channel("pelvis_pitch", "rad", "leaning forward; a quarter turn lies on the front"),
    Channel("pelvis_roll", "rad", "leaning to the left", mirrored=True),
    Channel("chest_yaw", "rad", "turned left of the heading", mirrored=True),
    Channel("chest_pitch", "rad", "leaning forward"),
    Channel("chest_roll", "rad", "leaning to the left", mirrored=True),
    Channel("head_follow", "1", "share of the chest's yaw that the head goes along with", base=0.55),
    Channel("head_tilt_follow", "1", "share of the chest's lean that the head goes along with", base=0.45),
    Channel("head_yaw", "rad", "turned left, beside what it follows", mirrored=True),
    Channel("head_pitch", "rad", "chin down, beside what it follows"),
    Channel("head_roll", "rad", "ear to the left shoulder, beside what it follows", mirrored=True),
    Channel("bounce", "1", "how much the body bounces on its feet; see liveliness.py"),
    Channel("stillness", "1", "0: swaying as when standing, 1: only breathing, as when lying"),
)

_SIDED_CHANNELS = (
    Channel("girdle_lift", "m", "shoulder joint above its place in the T", "arm"),
    Channel("girdle_forward", "m", "shoulder joint before its place in the T", "arm"),
    # a wrist has three homes, blended: the chest's frame, a point before the pelvis, a point in the world
    Channel("hand_forward", "m", "wrist before its shoulder, in the chest's frame", "arm"),
    Channel("hand_up", "m", "wrist above its shoulder, in the chest's frame", "arm", base=-0.5),
    Channel("hand_out", "m", "wrist outside its shoulder, in the chest's frame", "arm", base=0.08),
    Channel("hand_reach", "1", "0: the wrist goes with the chest, 1: it is at its point"),
    Channel("point_forward", "m", "the point, before the pelvis along the heading", "arm", base=0.6),
    Channel("point_up", "m", "the point, above the floor", "size", base=1.4),
    Channel("point_out", "m", "the point, from the middle to this side", "arm"),
    Channel("hand_hold", "1", "0: as above, 1: the wrist is at its hold in the world (floor, luggage)"),
    Channel("hold_x", "m", "the hold in the world"),
    Channel("hold_y", "m", "the hold in the world"),
    Channel("hold_z", "m", "the hold in the world"),
    Channel("elbow_swivel", "rad", "elbow turned outwards about the line from shoulder to wrist", base=0.35),
    Channel("pronation", "rad", "0: palm inwards, a quarter turn: palm down, minus: palm to the face"),
    Channel("wrist_bend", "rad", "hand bent towards its palm"),
    Channel("wrist_side", "rad", "hand bent towards its thumb"),
    Channel("palm_down", "1", "0: as above, 1: the hand lies flat on the floor, its fingers ahead"),
    # a foot is a lock on the floor, blended with angles of the leg in the pelvis' frame
    Channel("foot_x", "m", "ball of the foot in the world", "leg"),
    Channel("foot_z", "m", "ball of the foot in the world", "leg"),
    Channel(
        "foot_yaw", "rad", "where the foot points in the world, 0 = +Z, counted to the left", mirrored=True
    ),
    Channel("foot_lift", "m", "ball of the foot above where it stands", "leg"),
    Channel("heel", "rad", "heel raised about the ball; minus: toes raised about the heel"),
    Channel("knee_swivel", "rad", "knee turned outwards about the line from hip to ankle", base=0.1),
    Channel("kick", "1", "0: the foot is at its lock, 1: the leg follows the angles below"),
    Channel("kick_out", "rad", "where the thigh points, outwards from the pelvis' forward"),
    Channel("kick_raise", "rad", "thigh raised from straight down"),
    Channel("kick_knee", "rad", "knee bent, 0 = straight"),
    Channel("kick_roll", "rad", "foot swung outwards about the thigh (a roundhouse), minus: inwards"),
    Channel("kick_point", "rad", "toes pointed away from the shin's right angle"),
    # a knee that stands on the floor; the foot behind it stays on its lock
    Channel("kneel", "1", "0: as above, 1: the knee is at its own lock, and the hips are held up by it"),
    Channel("knee_x", "m", "knee in the world"),
    Channel("knee_z", "m", "knee in the world"),
    Channel("knee_lift", "m", "knee above where it kneels"),
)

# a weapon in both hands; only a body that carries one (proportions.py) is driven by these
_WEAPON = (
    Channel("hilt_reach", "m", "middle of the grip from between the shoulders", "arm", base=0.4),
    Channel("hilt_raise", "rad", "the grip above the height of the shoulders"),
    Channel("hilt_aside", "rad", "the grip to the left of the heading", mirrored=True),
    # a blade swings in a plane, edge first: a cut is a change of `blade_swing` alone
    Channel("blade_yaw", "rad", "where the plane looks, left of the heading", mirrored=True),
    Channel(
        "blade_plane", "rad", "plane tilted to the left, 0 = upright, a quarter turn = flat", mirrored=True
    ),
    Channel("blade_swing", "rad", "blade raised in its plane from pointing ahead"),
    Channel("blade_roll", "rad", "edge turned out of the plane, to the left", mirrored=True),
    Channel(
        "off_hand_grip", "1", "1: both hands are on the grip, 0: the off hand goes its own way", base=1.0
    ),
)

CHANNELS: tuple[Channel, ...] = (
    _MIDDLE_CHANNELS
    + tuple(
        Channel(f"{side}_{c.name}", c.unit, c.meaning, c.scale, c.mirrored, c.base)
        for side in SIDES
        for c in _SIDED_CHANNELS
    )
    + _WEAPON
)
INDEX = {channel.name: number for number, channel in enumerate(CHANNELS)}
