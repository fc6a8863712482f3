"""What motion files do not say: how long their unit is, which way is up, whether frame 0 is a T-pose."""

import math
import os
from dataclasses import replace

import numpy as np

from randori.errors import FileError
from randori.formats.recording import UNITS, Recording, Told
from randori.motion import rotations as rot
from randori.motion.clip import Clip, Source
from randori.motion.parts import SIDES, find_parts, missing_parts
from randori.motion.reference import find_reference
from randori.motion.skeleton import Skeleton

_Z_UP_TO_Y_UP = rot.from_axis_angle(rot.X_AXIS, -0.5 * math.pi)  # (x, y, z) → (x, z, -y)
_STRAY_NOTED = 0.001  # metres; below that it is how the file rounds


def to_clip(path: str | os.PathLike[str], recording: Recording, told: Told) -> Clip:
    """A recording in metres, Y up, without an inserted T-pose, and with its body parts named."""
    bare = recording.skeleton
    skeleton = replace(bare, parts=find_parts(bare.names, bare.parents, told.parts))
    rotations, root_position = recording.rotations, recording.root_position

    # Step 1. The unit.
    unit = told.metres_per_unit or find_unit(skeleton, root_position, rotations, recording.unit_hint)
    if unit is None:
        raise FileError(path, "no bone has a length, so its unit cannot be recognised; give it with unit=")
    skeleton = skeleton.scaled(unit)
    root_position = root_position * unit

    # Step 2. The T-pose.
    dropped = is_tpose_first(skeleton, rotations) if told.drop_tpose is None else told.drop_tpose
    if dropped and len(rotations) > 1:
        rotations, root_position = rotations[1:], root_position[1:]
    else:
        dropped = False

    # Step 3. Up.
    up = told.up_axis or find_up(skeleton, root_position, rotations)
    if up == "Z":
        root_position = rot.rotate(_Z_UP_TO_Y_UP, root_position)
        rotations = rotations.copy()
        rotations[:, 0] = rot.multiply(_Z_UP_TO_Y_UP, rotations[:, 0])
        offsets = skeleton.offsets.copy()
        offsets[0] = rot.rotate(_Z_UP_TO_Y_UP, offsets[0])  # the root's is the only one in the world
        skeleton = replace(skeleton, offsets=offsets)
    skeleton = replace(skeleton, reference=find_reference(skeleton, rotations))

    source = Source(
        file=recording.file,
        metres_per_unit=unit,
        up_axis=up,
        dropped_frames=int(dropped),
        notes=recording.notes + _notes(skeleton, recording.stray * unit),
    )
    name = os.path.splitext(recording.file)[0]
    return Clip(name, skeleton, recording.fps, root_position, rotations, source)


def _notes(skeleton: Skeleton, stray: np.ndarray) -> tuple[str, ...]:
    """What a person should know about a clip; stray (J,) in metres."""
    notes = []
    if (moving := np.flatnonzero(stray > _STRAY_NOTED)).size:
        worst = int(np.argmax(stray))
        notes.append(
            f"{moving.size} joints move on their parents, {skeleton.names[worst]} by up to "
            f"{stray[worst] * 1000:.0f} mm; they were put at their mean places"
        )
    if missing := missing_parts(skeleton.parts):
        notes.append(f"body parts not recognised: {', '.join(missing)}")
    return tuple(notes)


# The unit

_ANKLE_TO_HEAD = 1.55  # metres along the bones of a grown person
_EXTENT = 1.7  # metres, the longest side of a box around a person
# In the log of a ratio: a child in centimetres is likelier than a giant in inches or in CMU's unit.
_UNUSUAL = 0.2


def find_unit(
    skeleton: Skeleton, root_position: np.ndarray, rotations: np.ndarray, hint: float | None = None
) -> float | None:
    """Metres per unit, so that the body comes nearest to a person's size; None for a body without any."""
    size, expected = _ankle_to_head(skeleton), _ANKLE_TO_HEAD
    if size == 0.0:
        sample = _sample(len(rotations))
        positions, _ = skeleton.forward(root_position[sample], rotations[sample])
        size, expected = float(np.median(np.ptp(positions, axis=1).max(axis=-1))), _EXTENT
    if not 0.0 < size < math.inf:
        return None

    def distance(unit: float) -> float:
        unusual = unit in (UNITS["in"], UNITS["cmu"]) and unit != hint
        return abs(math.log(size * unit / expected)) + (_UNUSUAL if unusual else 0.0)

    return min([*UNITS.values(), *([hint] if hint else [])], key=distance)


def _ankle_to_head(skeleton: Skeleton) -> float:
    """Along the bones from the feet up to where they meet the spine, and on to the head; 0 if unknown."""
    parts = skeleton.parts
    if not {"head", "left_foot", "right_foot"} <= set(parts):
        return 0.0
    trunk = [parts["head"]]
    while trunk[-1] > 0:
        trunk.append(int(skeleton.parents[trunk[-1]]))
    total = 0.0
    for side in SIDES:
        joint = parts[f"{side}_foot"]
        while joint not in trunk:
            total += float(skeleton.lengths[joint])
            joint = int(skeleton.parents[joint])
        total += skeleton.length_between(parts["head"], joint)
    return total / 2


# The T-pose

_COMPARED = 30  # frames after the first one
_TPOSE_JUMP = math.radians(5.0)  # mean over the joints
_TPOSE_STANDS_OUT = 2.0  # times as far from the motion as any of the compared frames
_STRAIGHT = 0.97  # of a limb's length lie between its ends
_ALIGNED = math.cos(math.radians(30.0))


def is_tpose_first(skeleton: Skeleton, rotations: np.ndarray) -> bool:
    """Whether the first frame is a T-pose that somebody put before the motion.

    It stands like a T (or all its rotations are zero), and the motion after it does not lead back to it. A
    recording that starts in a T-pose and goes on from there is left alone.
    """
    return (
        len(rotations) > 3
        and _leaps(rotations)
        and (_is_rest(rotations[0]) or _stands_like_t(skeleton, rotations[0]))
    )


def _leaps(rotations: np.ndarray) -> bool:
    """Whether frame 0 is far from where frames 1 and 2 say the motion comes from, as no later frame is."""
    near = rotations[: _COMPARED + 2]
    guess = rot.multiply(near[1:-1], rot.multiply(rot.inverse(near[2:]), near[1:-1]))
    miss = rot.angle_between(near[:-2], guess).mean(axis=-1)
    return bool(miss[0] > _TPOSE_JUMP and miss[0] > _TPOSE_STANDS_OUT * miss[1:].max())


def _is_rest(rotations: np.ndarray) -> bool:
    """Whether every joint (J, 4) below the root is at zero."""
    return bool((np.abs(rotations[1:, 0]) > 1.0 - 1e-12).all())


def _stands_like_t(skeleton: Skeleton, rotations: np.ndarray) -> bool:
    """Whether one pose (J, 4) has its arms straight out to the sides and its legs straight down."""
    if missing_parts(skeleton.parts):
        return False
    places, _ = skeleton.forward(np.zeros((1, 3)), rotations[None])

    def place(part: str) -> np.ndarray:
        return places[0, skeleton.joint(part)]

    up = rot.normalize(place("head") - place("pelvis"))
    left = rot.normalize(place("left_upper_arm") - place("right_upper_arm"))
    for side, outward in zip(SIDES, (left, -left)):
        limbs = ((("upper_arm", "forearm", "hand"), outward), (("thigh", "shin", "foot"), -up))
        for joints, direction in limbs:
            start, middle, end = (place(f"{side}_{joint}") for joint in joints)
            length = np.linalg.norm(middle - start) + np.linalg.norm(end - middle)
            reach = end - start
            if np.linalg.norm(reach) < _STRAIGHT * length or reach @ direction < _ALIGNED * length:
                return False
    return True


# Up

_SAMPLED = 200  # frames are enough to see where the floor is
_NEAR_FLOOR = 0.2  # metres
_SPREAD_KNOWN = 0.05  # metres: below that a floor and a person who stands still look the same


def find_up(skeleton: Skeleton, root_position: np.ndarray, rotations: np.ndarray) -> str:
    """The axis that points up, "Y" or "Z", of a motion in metres.

    Several cues are added, each from -1 (Z) to 1 (Y), because none is right for every motion: who lies
    has the head beside the feet, and who stands still keeps a distance to the walls as to the floor.
    """
    sample = _sample(len(rotations))
    positions, _ = skeleton.forward(root_position[sample], rotations[sample])
    lowest = positions.min(axis=1)  # (frames, 3) along each axis

    # the floor: the lowest joint is always at one height …
    spread = np.quantile(lowest, 0.9, axis=0) - np.quantile(lowest, 0.1, axis=0)
    floor = (spread[2] - spread[1]) / (spread[1] + spread[2] + _SPREAD_KNOWN)
    # … and that height is about 0
    zero = 1.0 / (1.0 + (np.median(lowest, axis=0) / _NEAR_FLOOR) ** 2)
    score = 2.0 * floor + (zero[1] - zero[2])

    parts = skeleton.parts
    if {"head", "left_foot", "right_foot", "left_thigh", "right_thigh"} <= set(parts):
        # a head is above the feet
        feet = 0.5 * (positions[:, parts["left_foot"]] + positions[:, parts["right_foot"]])
        upright = rot.normalize(positions[:, parts["head"]] - feet).mean(axis=0)
        # one hip is beside the other, whether the body stands, crawls or lies
        across = rot.normalize(positions[:, parts["left_thigh"]] - positions[:, parts["right_thigh"]])
        beside = np.abs(across).mean(axis=0)
        score += (upright[1] - upright[2]) + (beside[2] - beside[1]) + 0.5 * _rest_pose_is_up(skeleton)
    return "Z" if score < 0.0 else "Y"


def _rest_pose_is_up(skeleton: Skeleton) -> float:
    """The same cue from the offsets alone, if they look like somebody standing; else 0."""
    rest = np.tile(rot.IDENTITY, (1, len(skeleton), 1))
    places, _ = skeleton.forward(np.zeros((1, 3)), rest)
    parts = skeleton.parts
    trunk = rot.normalize(places[0, parts["head"]] - places[0, 0])
    legs = [places[0, parts[f"{side}_foot"]] - places[0, parts[f"{side}_thigh"]] for side in SIDES]
    stands = all(rot.normalize(leg) @ trunk < -0.8 for leg in legs)
    return float(trunk[1] - trunk[2]) if stands else 0.0


def _sample(frames: int) -> np.ndarray:
    """Up to _SAMPLED frames, evenly spread."""
    return np.unique(np.linspace(0, frames - 1, min(frames, _SAMPLED)).astype(np.int64))
