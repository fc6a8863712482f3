"""Making one clip of pieces of a library: joined without a jump, planted feet held."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from randori.errors import RandoriError
from randori.graph.library import ActionLibrary
from randori.graph.similarity import poses_of
from randori.graph.smoothness import angular_acceleration
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.foot_locking import lock_feet
from randori.motion.placement import Placement
from randori.motion.transition import ROOT_ALLOWANCE, TURN_ALLOWANCE, Offset, decay, offset_at_join

JOIN_SECONDS = 0.35  # over which the last pose of one piece dies away in the next
# A fast limb that has to turn back is braked no harder than this; it swings out so much farther.
_BRAKING_DECELERATION = (
    220.0  # radians per second²: fighters' elbows and knees reach 700 in one frame of a thousand
)
_STOPPING_TABLE = (
    0.78  # v² / braking, radians that a speed v carries on for if its offset dies away as `decay` lets it
)
_MOST_SWING = 1.0  # radians
_CALMING_ROUNDS = 12  # times at most that a hasty joint is smoothed
_CALM_REACH = 2  # frames to either side of where it is hasty
# Metres per second of a pelvis: people who stand up or punch upwards stay below it. Only a jump is faster.
FASTEST_RISE = 1.2
_RISE_LEFT = 0.95  # share of it, for joins: later corrections of a body make it rise a little faster
_RISE_SPAN = 0.05  # seconds before and after a frame over which its rise is measured
_FRAMES_BEYOND = 2  # frames beyond a join that are looked at for velocities


class Piece(NamedTuple):
    """Frames of the library, and where they go. The last one is the same moment as the next piece's first."""

    first: int
    last: int
    placement: Placement  # moves the recording to its place in the world
    lead: float = 0.0  # seconds before its first frame in which the piece before already bends towards it
    fade: float = JOIN_SECONDS  # seconds after it in which what is left of the piece before dies away


@dataclass(frozen=True, eq=False)
class Walk:
    """Pieces of a library made into one clip."""

    clip: Clip
    frame: np.ndarray  # (F,) int64, the library's frame that each frame shows
    blended: np.ndarray  # (F,) int64, the library's frame whose pose still dies away in it, or -1
    joins: np.ndarray  # (K,) int64, frames in which pieces meet that were not recorded in a row
    contacts: np.ndarray  # (F, 2) bool, of the recordings


def cut(walk: Walk, rows: slice) -> Walk:
    """Some frames of a walk."""
    clip = walk.clip.with_frames(walk.clip.root_position[rows], walk.clip.rotations[rows])
    joins = walk.joins[(walk.joins >= rows.start) & (walk.joins < rows.stop)] - rows.start
    return Walk(clip, walk.frame[rows], walk.blended[rows], joins, walk.contacts[rows])


def seen_in_world(library: ActionLibrary, frames: np.ndarray, placement: Placement) -> np.ndarray:
    """(N, D) weighted places and velocities of frames in the world."""
    poses = poses_of(library, frames)
    turn = np.exp(1j * placement.yaw)
    flat = turn * (poses.plane[..., 0] + 1j * poses.plane[..., 1])
    middle = turn * (poses.middle[:, 0] + 1j * poses.middle[:, 1])
    return np.column_stack(
        [flat.real, flat.imag, poses.height, middle.real + placement.z, middle.imag + placement.x]
    )


def bake(library: ActionLibrary, pieces: Sequence[Piece], name: str) -> Walk:
    """One clip of the pieces: joined without a jump, planted feet held.

    At a join the next piece is off by an offset that fades, before and after it as the piece says. A
    piece may be shorter than that takes: the rest of the offset is then part of the next one.
    """
    if not pieces:
        raise RandoriError("there is nothing to bake: no piece was given")
    runs = _merge_runs(pieces)
    lengths = np.array([run.last - run.first for run in runs])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    frame = np.concatenate([np.arange(run.first, run.last) for run in runs] + [np.array([runs[-1].last])])
    blended = np.full(len(frame), -1, dtype=np.int64)
    root, rotations = np.empty((len(frame), 3)), np.empty((len(frame), len(library.skeleton), 4))
    before: tuple[Clip, int] | None = None
    for number, run in enumerate(runs):
        # a little more than is played, so that velocities at the joins are known
        recorded = library.clips[int(library.frames.clip[run.first])]
        begin, end = (
            max(run.first - _FRAMES_BEYOND, recorded.start),
            min(run.last + _FRAMES_BEYOND, recorded.stop - 1),
        )
        moved = run.placement.move(library.clip(begin, end, name))
        entry, cut = run.first - begin, run.last - begin
        start = int(starts[number])
        if before is not None:
            leading = min(round(run.lead * library.fps), int(lengths[number - 1]))
            if leading > 0:
                bent = _lead_in(*before, moved, entry, leading, run.fade)
                tail = slice(before[1] - leading, before[1])
                root[start - leading : start] = bent.root_position[tail]
                rotations[start - leading : start] = bent.rotations[tail]
                blended[start - leading : start] = run.first
                before = bent, before[1]
            moved = carry_on(*before, moved, entry, run.fade)
            blended[start : start + round(run.fade * library.fps)] = runs[number - 1].last
        root[start : start + cut - entry + 1] = moved.root_position[entry : cut + 1]
        rotations[start : start + cut - entry + 1] = moved.rotations[entry : cut + 1]
        before = moved, cut
    rotations = _calm(library, rot.unroll(rotations), frame, blended)
    root[:, 1] = _slow_rise(root[:, 1], rise_speeds(library)[frame], blended >= 0, library.fps)
    whole = library.clip(runs[0].first, runs[0].last, name).with_frames(root, rotations)
    contacts = library.frames.contacts[frame]
    locked = lock_feet(whole, contacts, _lowest_allowed(library, frame, blended))
    # a leg that is nearly straight may have been bent in a hurry
    calmed = _calm(library, rot.unroll(locked.rotations), frame, blended)
    return Walk(locked.with_frames(locked.root_position, calmed), frame, blended, starts[1:-1], contacts)


def rise_speeds(library: ActionLibrary) -> np.ndarray:
    """(F,) metres per second at which the pelvis rises about each recorded frame."""
    height, reach = library.frames.root_position[:, 1], max(1, round(_RISE_SPAN * library.fps))
    speeds = np.zeros(len(height))
    for clip in library.clips:
        frames = np.arange(clip.start, clip.stop)
        before, after = np.maximum(frames - reach, clip.start), np.minimum(frames + reach, clip.stop - 1)
        speeds[frames] = (height[after] - height[before]) * library.fps / (2 * reach)
    return speeds


def _slow_rise(height: np.ndarray, recorded: np.ndarray, joining: np.ndarray, fps: float) -> np.ndarray:
    """Heights (F,) of a pelvis that rises about joins no faster than people do, or than it was `recorded` to.

    It comes up later instead, with its knees bent for so long.
    """
    fastest = np.maximum(_RISE_LEFT * FASTEST_RISE, recorded) / fps
    slow = height.copy()
    for frame in np.flatnonzero(np.diff(height) > fastest[1:]) + 1:
        if not joining[frame]:
            continue
        while frame < len(slow) and slow[frame] > slow[frame - 1] + fastest[frame]:
            slow[frame] = slow[frame - 1] + fastest[frame]
            frame += 1
    return slow


def _lowest_allowed(library: ActionLibrary, frame: np.ndarray, blended: np.ndarray) -> np.ndarray:
    """(F, 2, 2) metres that ankles and balls may go down to: as low as in the recordings that are shown.

    Between two poses, each of which stands, a foot can come to lie below the floor.
    """
    heights = library.foot_heights
    allowed = heights[frame]
    return np.where((blended >= 0)[:, None, None], np.minimum(allowed, heights[blended]), allowed)


def _merge_runs(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces, those that were recorded in a row made one."""
    runs = [pieces[0]]
    for piece in pieces[1:]:
        if runs[-1].last == piece.first:
            runs[-1] = runs[-1]._replace(last=piece.last)
        else:
            runs.append(piece)
    return runs


def carry_on(a: Clip, cut: int, b: Clip, entry: int, seconds: float) -> Clip:
    """`b` with the pose and velocity of `a` at frame `cut` dying away in it, from frame `entry` on."""
    offset = offset_at_join(a, cut, b, entry)
    return _add(b, *_dying(offset, b.times - entry / b.fps, seconds))


def _lead_in(a: Clip, cut: int, b: Clip, entry: int, frames: int, fade: float) -> Clip:
    """`a`, bent in the last frames before `cut` towards the pose that `b` enters with.

    People prepare for a known motion. The two meet on the way, the nearer to `b` the more of the
    join lies before the cut.
    """
    seconds = frames / a.fps
    share = seconds / (seconds + fade)
    offset = offset_at_join(a, cut, b, entry)
    # time runs backwards here: from the cut to where nothing is known yet of what comes
    part = Offset(-share * offset.root, share * offset.root_velocity,
                  -share * offset.turn, share * offset.turn_velocity)  # fmt: skip
    before = cut / a.fps - a.times
    root, turn = _dying(part, before, seconds)
    beyond = np.minimum(before, 0.0)  # past the cut it goes on as it came
    root += beyond[:, None] * part.root_velocity
    turn += beyond[:, None, None] * part.turn_velocity
    return _add(a, root, turn)


def _dying(offset: Offset, times: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """(N, 3) metres and (N, J, 3) rotation vectors of an offset that dies away.

    As `motion.transition.join` does it, but with time to brake: there what comes on top of an offset is
    kept small, and a fist in full flight is stopped within a frame or two; here it swings out.
    """
    turn = np.empty((len(times), *offset.turn.shape))
    for joint, (angle, velocity) in enumerate(zip(offset.turn, offset.turn_velocity)):
        swing = min(_STOPPING_TABLE * float(velocity @ velocity) / _BRAKING_DECELERATION, _MOST_SWING)
        allowance = max(TURN_ALLOWANCE, float(np.linalg.norm(angle)) + swing)
        turn[:, joint] = decay(angle, velocity, times, seconds, allowance)
    return decay(offset.root, offset.root_velocity, times, seconds, ROOT_ALLOWANCE), turn


def _add(clip: Clip, root: np.ndarray, turn: np.ndarray) -> Clip:
    """A clip with offsets (F, 3) and (F, J, 3) on top."""
    rotations = rot.multiply(rot.from_rotation_vector(turn), clip.rotations)
    return clip.with_frames(clip.root_position + root, rotations)


def _calm(
    library: ActionLibrary, rotations: np.ndarray, frame: np.ndarray, blended: np.ndarray
) -> np.ndarray:
    """The rotations (F, J, 4), smoothed where a join makes a joint turn more hastily than people do.

    Haste of the recording itself in a frame stays. It is mostly the jitter of toes and hands: where it
    differs on both sides of a join, no velocity is the right one to go on with.
    """
    own = library.accelerations[frame]
    joining = blended >= 0
    joining[:-1] |= joining[1:]
    for _ in range(_CALMING_ROUNDS):
        hasty = angular_acceleration(rotations, library.fps) > np.maximum(library.usual_acceleration, own)
        hasty &= joining[:, None]
        if not hasty.any():
            break
        wide = hasty.copy()
        for shift in range(1, _CALM_REACH + 1):
            wide[shift:] |= hasty[:-shift]
            wide[:-shift] |= hasty[shift:]
        wide &= joining[:, None]  # recorded frames stay as they are
        wide[[0, -1]] = False
        smooth = rot.normalize(rotations[:-2] + 2.0 * rotations[1:-1] + rotations[2:])
        rotations[1:-1] = np.where(wide[1:-1, :, None], smooth, rotations[1:-1])
    return rotations
