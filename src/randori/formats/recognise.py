"""Properties that motion files do not state: length of the unit, upward axis, T-pose in frame 0."""

import math
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np

from randori.errors import FileError
from randori.formats.files import quote
from randori.formats.recording import UNITS, ReadingOptions, Recording
from randori.motion import rotations as rot
from randori.motion.clip import Clip, Source
from randori.motion.feet import contacts_of_points, foot_levels, foot_points, leg_length
from randori.motion.parts import SIDES, find_parts, missing_parts, part_options
from randori.motion.skeleton import Skeleton
from randori.motion.t_pose import find_reference

_Z_UP_TO_Y_UP = rot.from_axis_angle(rot.X_AXIS, -0.5 * math.pi)  # (x, y, z) → (x, z, -y)
_STRAY_NOTED = 0.001  # metres; below that it is how the file rounds


_LIMBS = (("upper_arm", "forearm", "hand"), ("thigh", "shin", "foot"))


def check_limbs(path: str | os.PathLike[str], skeleton: Skeleton) -> None:
    """An error if the joints of a limb do not hang one below the other."""
    for side in SIDES:
        for limb in _LIMBS:
            for above, below in pairwise(f"{side}_{part}" for part in limb):
                if above not in skeleton.parts or below not in skeleton.parts:
                    continue
                upper, lower = skeleton.parts[above], skeleton.parts[below]
                joint = lower
                while joint > upper:  # parents come first
                    joint = int(skeleton.parents[joint])
                if joint != upper or lower == upper:
                    names = (
                        f"{quote(skeleton.names[lower])} does not hang below {quote(skeleton.names[upper])}"
                    )
                    raise FileError(
                        path, f"{names}: they cannot be {below} and {above}; name others with --part"
                    )


def to_clip(path: str | os.PathLike[str], recording: Recording, given: ReadingOptions) -> Clip:
    """A recording in metres, Y up, on the floor, without an inserted T-pose, its body parts named."""
    bare = recording.skeleton
    named = {**recording.parts, **(given.parts or {})}
    rotations, root_position = recording.rotations, recording.root_position
    sample = _sample(len(rotations))
    seen, _ = bare.forward(root_position[sample], rotations[sample])
    skeleton = replace(bare, parts=find_parts(bare.names, bare.parents, named, bare.offsets, seen))
    check_limbs(path, skeleton)
    notes = list(recording.notes)

    # Step 1. The unit.
    unit = given.metres_per_unit
    if unit is None:
        unit = find_unit(skeleton, root_position, rotations, recording.unit_hint)
        if unit is None:
            raise FileError(
                path, "no bone has a length, so its unit cannot be recognised; give it with unit="
            )
        if recording.unit_hint and unit != recording.unit_hint:
            notes.append(
                f"the file says 1 unit = {recording.unit_hint:g} m, which makes no person of this body; "
                f"read as {unit:.4g} m, {skeleton.height * unit:.2f} m tall"
            )
        elif unit not in (*UNITS.values(), recording.unit_hint):
            notes.append(
                f"no usual unit makes a person of this body; it was made {_GROWN_PERSON:g} m tall "
                f"(1 unit = {unit:.4g} m); if you know the unit, give it as --unit METRES"
            )
    skeleton = skeleton.scaled(unit)
    root_position = root_position * unit

    # Step 2. The T-pose.
    dropped = count_tpose_frames(skeleton, rotations) if given.drop_tpose is None else int(given.drop_tpose)
    if 0 < dropped < len(rotations):
        rotations, root_position = rotations[dropped:], root_position[dropped:]
    else:
        dropped = 0

    # Step 3. Up.
    up = given.up_axis or find_up(skeleton, root_position, rotations, recording.up_hint)
    if up == "Z":
        root_position = rot.rotate(_Z_UP_TO_Y_UP, root_position)
        rotations = rotations.copy()
        rotations[:, 0] = rot.multiply(_Z_UP_TO_Y_UP, rotations[:, 0])
        offsets = skeleton.offsets.copy()
        offsets[0] = rot.rotate(_Z_UP_TO_Y_UP, offsets[0])  # the root's is the only one in the world
        skeleton = replace(skeleton, offsets=offsets)

    # Step 4. The T, and whether this is a person at all.
    skeleton = replace(skeleton, reference=find_reference(skeleton, rotations))
    name = recording.name or os.path.splitext(recording.file)[0]
    clip = Clip(name, skeleton, recording.fps, root_position, rotations)
    if reason := four_legged(clip):
        raise FileError(path, f"this looks like an animal on four legs ({reason}); Randori works with people")

    # Step 5. The floor. Files of Randori have no ends of toes, which would show another one.
    floor, sure = (None, False) if recording.floor_known else _floor_of(clip)
    if floor is not None and abs(floor) > (_OFF_THE_FLOOR if sure else _NO_FLOOR):
        clip = replace(clip, root_position=root_position - floor * rot.Y_AXIS)
        way = "lowered" if floor > 0.0 else "lifted"
        lowest = "feet stand" if sure else "lowest part of the body is"
        if abs(floor) > _FLOOR_NOTED:
            notes.append(f"the {lowest} at {floor:.2f} m in the file; the recording was {way} onto the floor")

    source = Source(
        file=recording.file,
        metres_per_unit=unit,
        up_axis=up,
        dropped_frames=dropped,
        notes=(*notes, *_notes(skeleton, recording.stray * unit)),
    )
    clip = clip.with_source(source)
    if floor is not None:  # measuring it takes a sixth of the time of reading
        moved = clip.root_position[0, 1] - root_position[0, 1]
        clip.__dict__["_floor"] = floor + float(moved)
    return clip


def _notes(skeleton: Skeleton, stray: np.ndarray) -> tuple[str, ...]:
    """Notes for the user about a clip; stray (J,) in metres."""
    notes = []
    if (moving := np.flatnonzero(stray > _STRAY_NOTED)).size:
        worst = int(np.argmax(stray))
        notes.append(
            f"{moving.size} joints move on their parents, {skeleton.names[worst]} by up to "
            f"{stray[worst] * 1000:.0f} mm; they were put at their mean places"
        )
    if missing := missing_parts(skeleton.parts):
        options = part_options(skeleton.names, skeleton.parts)
        notes.append(f"body parts not recognised: {', '.join(missing)}; name them with {options}")
    return tuple(notes)


# The unit

_GROWN_PERSON = 1.75  # metres
# In the log of a ratio: a child in centimetres is likelier than a giant in inches or in CMU's unit.
_UNUSUAL_UNIT_PRICE = 0.2
_ADULTS = (1.3, 2.15)  # metres that a unit makes grown people
_CHILDREN = (0.8, 2.4)  # metres that the usual units may make a person
_STATED_HEIGHTS = (0.5, 3.0)  # metres that a unit stated in the file may make a body: cartoons are short
_USUAL_UNITS = ("m", "cm", "mm")


def find_unit(
    skeleton: Skeleton, root_position: np.ndarray, rotations: np.ndarray, hint: float | None = None
) -> float | None:
    """Metres per unit; None for a body without any size.

    The unit that brings the body nearest to a person's size; where none makes a person of it, the one that
    makes it as tall as a grown person.
    """
    size = skeleton.height
    if size == 0.0:
        sample = _sample(len(rotations))
        positions, _ = skeleton.forward(root_position[sample], rotations[sample])
        size = float(np.median(np.ptp(positions, axis=1).max(axis=-1)))
    if not 0.0 < size < math.inf:
        return None
    if hint and _STATED_HEIGHTS[0] <= size * hint <= _STATED_HEIGHTS[1]:
        return hint

    def distance(unit: float) -> float:
        unusual = unit not in [UNITS[name] for name in _USUAL_UNITS]
        return abs(math.log(size * unit / _GROWN_PERSON)) + (_UNUSUAL_UNIT_PRICE if unusual else 0.0)

    units = list(UNITS.values())
    if hint:  # a person took a recording for metres or centimetres on its way into this file
        units += [unit * factor for unit in UNITS.values() for factor in (0.01, 100.0)]
    for unit in sorted(units, key=distance):
        lowest, highest = _CHILDREN if unit in [UNITS[name] for name in _USUAL_UNITS] else _ADULTS
        if lowest <= size * unit <= highest:
            return unit
    return _GROWN_PERSON / size


# The T-pose

_COMPARED_FRAMES = 30  # frames after the first one
_TPOSE_JUMP = math.radians(5.0)  # mean over the joints
_TPOSE_STANDS_OUT = 2.0  # times as far from the motion as any of the compared frames
_STRAIGHT_LIMB = 0.97  # of a limb's length lie between its ends
_ALIGNED_COSINE = math.cos(math.radians(30.0))


_LONGEST_BLEND = 8  # frames from an inserted T-pose into the motion


def is_tpose_first(skeleton: Skeleton, rotations: np.ndarray) -> bool:
    """Whether the motion begins with a T-pose that a person put before it."""
    return count_tpose_frames(skeleton, rotations) > 0


def count_tpose_frames(skeleton: Skeleton, rotations: np.ndarray) -> int:
    """The number of frames at the start that are an added T-pose, or the way out of it.

    The first stands like a T (or all its rotations are zero), and the motion does not lead back to it: it
    leaps there at once, or within a few blended frames. A recording that starts in a T-pose and goes on
    from there is left alone.
    """
    if len(rotations) <= 3 or not (_is_rest(rotations[0]) or _stands_like_t(skeleton, rotations[0])):
        return 0
    return 1 if _leaps(rotations) else _blended_frames(rotations)


def _leaps(rotations: np.ndarray) -> bool:
    """Whether frame 0 is far from where frames 1 and 2 say the motion comes from, as no later frame is."""
    near = rotations[: _COMPARED_FRAMES + 2]
    guess = rot.multiply(near[1:-1], rot.multiply(rot.inverse(near[2:]), near[1:-1]))
    miss = rot.angle_between(near[:-2], guess).mean(axis=-1)
    if miss[0] <= _TPOSE_JUMP:
        return False
    largest, usual = float(miss[1:].max()), float(np.median(miss[1:]))
    # a recording with spikes in it: the first one is still the largest, and far from usual
    return bool(miss[0] > _TPOSE_STANDS_OUT * largest or (miss[0] > 1.25 * largest and miss[0] > 8.0 * usual))


def _blended_frames(rotations: np.ndarray) -> int:
    """The length in frames of a blend out of the first pose: all its steps are larger than any after it."""
    steps = rot.angle_between(rotations[:-1], rotations[1:])[: _COMPARED_FRAMES + _LONGEST_BLEND].mean(
        axis=-1
    )
    for length in range(2, min(_LONGEST_BLEND, len(steps) - 2) + 1):
        later = steps[length : length + _COMPARED_FRAMES].max()
        if steps[:length].sum() > _TPOSE_JUMP and steps[:length].min() > _TPOSE_STANDS_OUT * later:
            return length
    return 0


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
            if (
                np.linalg.norm(reach) < _STRAIGHT_LIMB * length
                or reach @ direction < _ALIGNED_COSINE * length
            ):
                return False
    return True


# Up

_SAMPLED_FRAMES = 200  # frames are enough to see where the floor is
_NEAR_FLOOR = 0.2  # metres
_FILE_SAYS = 1.0  # how much it counts what a file says: recordings are often put into files lying down
_FEW_FRAMES = 8  # show no floor
_REST_SAYS, _REST_SAYS_ALONE = 0.5, 2.0  # how much a standing rest pose counts
_POSE_SAYS = (
    3.0  # how much a single pose that stands counts: more than what the file says and its zero together
)
_SPREAD_KNOWN = 0.05  # metres: below that a floor and a person who stands still look the same


def find_up(
    skeleton: Skeleton, root_position: np.ndarray, rotations: np.ndarray, hint: str | None = None
) -> str:
    """The axis that points up, "Y" or "Z", of a motion in metres; `hint` is what the file says.

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
    score = 2.0 * floor + (zero[1] - zero[2]) + {"Y": _FILE_SAYS, "Z": -_FILE_SAYS, None: 0.0}[hint]

    parts = skeleton.parts
    if {"head", "left_foot", "right_foot", "left_thigh", "right_thigh"} <= set(parts):
        # a head is above the feet
        feet = 0.5 * (positions[:, parts["left_foot"]] + positions[:, parts["right_foot"]])
        upright = rot.normalize(positions[:, parts["head"]] - feet).mean(axis=0)
        # one hip is beside the other, whether the body stands, crawls or lies
        across = rot.normalize(positions[:, parts["left_thigh"]] - positions[:, parts["right_thigh"]])
        beside = np.abs(across).mean(axis=0)
        score += (upright[1] - upright[2]) + (beside[2] - beside[1])
        # the rest pose: where no floor is seen (a swimmer, a person in bed) it is the best witness
        if (
            len(rotations) < _FEW_FRAMES
        ):  # a pose with straight legs below the trunk stands: nobody lies like that
            score += _POSE_SAYS * _straight_pose_is_up(positions, parts)
        floor_seen = len(rotations) >= _FEW_FRAMES and (zero[1] if score > 0.0 else zero[2]) > 0.25
        score += (_REST_SAYS if floor_seen else _REST_SAYS_ALONE) * _rest_pose_is_up(skeleton)
    return "Z" if score < 0.0 else "Y"


def _rest_pose_is_up(skeleton: Skeleton) -> float:
    """The same cue from the offsets alone, if they look like a person standing; else 0."""
    rest = np.tile(rot.IDENTITY, (1, len(skeleton), 1))
    places, _ = skeleton.forward(np.zeros((1, 3)), rest)
    return _straight_pose_is_up(places, skeleton.parts)


def _straight_pose_is_up(places: np.ndarray, parts: Mapping[str, int]) -> float:
    """How far the trunk points along Y rather than Z in the first of some poses; 0 if it does not stand."""
    pose = places[0]
    hips = 0.5 * (pose[parts["left_thigh"]] + pose[parts["right_thigh"]])
    trunk = rot.normalize(pose[parts["head"]] - hips)
    legs = [pose[parts[f"{side}_foot"]] - pose[parts[f"{side}_thigh"]] for side in SIDES]
    stands = all(rot.normalize(leg) @ trunk < -0.8 for leg in legs)
    return float(trunk[1] - trunk[2]) if stands else 0.0


def _sample(frames: int) -> np.ndarray:
    """Up to _SAMPLED_FRAMES frames, evenly spread."""
    return np.unique(np.linspace(0, frames - 1, min(frames, _SAMPLED_FRAMES)).astype(np.int64))


# The floor

# Metres off zero from which a recording is moved. Standing feet show the floor within a sole. Where no
# foot stands (a swimmer, a body that lies), the lowest joint only shows it within the flesh below it.
_OFF_THE_FLOOR, _NO_FLOOR = 0.02, 0.1
_FLOOR_NOTED = 0.05  # metres; rigs have the joint of the toes that much higher or lower in the same foot
_FLOOR_RATE = 60.0  # frames a second in which a floor is seen
# metres from the ball of a standing foot down to the floor. The tips of the toes would be nearer, but most
# formats do not keep them: the same recording then had its floor elsewhere in another format.
_SOLE = 0.025
_ANKLE = 0.08  # metres from an ankle down to the floor
_CARRIED_HEIGHT = (
    0.4  # of a leg: where the pelvis is lower than that above the feet, they do not carry the body
)
# of all heights of standing feet: they roll, and are higher for half of the time; single steps may sink in
_FLAT_FOOT = 0.35
_STANDS_LONG = 0.5  # seconds in which a foot stands and carries the body: then its floor is sure
_NOT_MOVED = 2e-6  # metres in a frame: people are never as still, but files are padded with such frames


def find_floor(clip: Clip) -> float | None:
    """The height of the floor in metres, from where the feet rest; None where body parts are not known.

    If the feet do not carry the body (a swimmer, a person in bed), it is where the body is lowest.
    """
    known: float | None = clip.__dict__.get("_floor")  # of a clip that was just read
    return _floor_of(clip)[0] if known is None else known


def _floor_of(clip: Clip) -> tuple[float | None, bool]:
    """The height of the floor, and whether a person is seen standing on it."""
    skeleton = clip.skeleton
    if missing_parts(skeleton.parts):
        return None, False
    clip = _without_padding(clip.thinned(int(clip.fps // _FLOOR_RATE)))
    scale, leg, points = skeleton.height / _GROWN_PERSON, leg_length(clip), foot_points(clip)
    pelvis = clip.positions[:, skeleton.joint("pelvis"), 1]
    planted = contacts_of_points(points, clip.fps, leg)
    planted &= (pelvis - points[:, :, 0, 1].min(axis=1) > _CARRIED_HEIGHT * leg)[:, None]
    sure = float(planted.any(axis=1).sum()) >= _STANDS_LONG * clip.fps
    levels = foot_levels(clip)
    has_toes = all(f"{side}_toes" in skeleton.parts for side in SIDES)
    has_toes &= not np.allclose(points[:, :, 0], points[:, :, 1])
    point, sole = (1, _SOLE) if has_toes else (0, _ANKLE)
    height = float(np.quantile(points[:, :, point, 1][planted], _FLAT_FOOT)) if sure else levels[point]
    floor = height - sole * scale
    if not sure and float(np.quantile(pelvis, 0.9)) - floor < _CARRIED_HEIGHT * leg:
        floor = float(np.quantile(clip.positions[..., 1].min(axis=1), 0.05)) - _SOLE * scale
    return float(floor), sure


def _without_padding(clip: Clip) -> Clip:
    """The clip without frames in which nothing has moved since the one before."""
    change = np.abs(np.diff(clip.positions, axis=0)).max(axis=(1, 2), initial=0.0)
    moved = np.append(True, change > _NOT_MOVED)
    if moved.all() or moved.sum() < _FEW_FRAMES:
        return clip
    return clip.with_frames(clip.root_position[moved], clip.rotations[moved])


# People and animals

_FLAT_COSINE = math.cos(math.radians(60.0))  # of a trunk that is nearer to lying than to standing
_MOST_FRAMES = 0.8  # of the frames
_FRONT_LEGS = 0.8  # of a hind leg is the length of a front leg, at least; an arm is two thirds of a leg
_TAIL = re.compile(r"(?i)^(?:.*[_:. ])?tail")


def four_legged(clip: Clip) -> str:
    """The reason why a body counts as an animal on four legs; empty for people, crawling ones as well."""
    skeleton = clip.skeleton
    if missing_parts(skeleton.parts):
        return ""
    places = clip.positions[_sample(len(clip))]

    def place(part: str) -> np.ndarray:
        return places[:, skeleton.joint(part)]

    shoulders = 0.5 * (place("left_upper_arm") + place("right_upper_arm"))
    hips = 0.5 * (place("left_thigh") + place("right_thigh"))
    flat = np.abs(rot.normalize(shoulders - hips)[:, 1]) < _FLAT_COSINE
    arm, leg = (
        skeleton.length_between(skeleton.joint(f"left_{end}"), skeleton.joint(f"left_{start}"))
        for end, start in (("hand", "upper_arm"), ("foot", "thigh"))
    )
    hands, feet = (0.5 * (place(f"left_{end}") + place(f"right_{end}")) for end in ("hand", "foot"))
    standing = ((shoulders - hands)[:, 1] > 0.5 * arm) & ((hips - feet)[:, 1] > 0.5 * leg)
    if (flat & standing).mean() < _MOST_FRAMES:
        return ""
    if any(_TAIL.match(name) for name in skeleton.names):
        return "it goes on all fours and has a tail"
    if arm > _FRONT_LEGS * leg:
        return f"it goes on all fours, its front legs are {100 * arm / leg:.0f} % as long as its hind legs"
    return ""
