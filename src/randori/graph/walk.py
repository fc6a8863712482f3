"""Walking over a graph at random, and making one clip of the pieces that were passed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.graph.frame_graph import FrameGraph
from randori.graph.library import ActionLibrary
from randori.graph.similarity import poses_of
from randori.graph.smoothness import angular_acceleration
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.foot_locking import lock_feet
from randori.motion.placement import Placement
from randori.motion.transition import ROOT_ALLOWANCE, TURN_ALLOWANCE, decay, offset_at_join

JOIN_SECONDS = 0.35  # over which the last pose of one piece dies away in the next
SHIFT = 5.0 / 60.0  # seconds by which a cut or an entry may move to where two pieces fit best
# A fast limb that has to turn back is braked no harder than this; it swings out so much farther.
_BRAKING = 220.0  # radians per second²: fighters' elbows and knees reach 700 in one frame of a thousand
_STOPPING = (
    0.78  # v² / braking, radians that a speed v carries on for if its offset dies away as `decay` lets it
)
_MOST_SWING = 1.0  # radians
_BETWEEN_JOINS = JOIN_SECONDS  # seconds that a random walk over frames goes on before it jumps again
_CALMING = 12  # times at most that a hasty joint is smoothed
_CALM_REACH = 2  # frames to either side of where it is hasty
_BEYOND = 2  # frames beyond a join that are looked at for velocities
_RECENT = 8  # actions that a random walk would rather not do again


class Piece(NamedTuple):
    """Frames of the library, and where they go. The last one is the same moment as the next piece's first."""

    first: int
    last: int
    placement: Placement  # moves the recording to its place in the world


@dataclass(frozen=True, eq=False)
class Walk:
    """Pieces of a library made into one clip."""

    clip: Clip
    frame: np.ndarray  # (F,) int64, the library's frame that each frame shows
    blended: np.ndarray  # (F,) int64, the library's frame whose pose still dies away in it, or -1
    joins: np.ndarray  # (K,) int64, frames in which pieces meet that were not recorded in a row
    contacts: np.ndarray  # (F, 2) bool, of the recordings


def random_actions(graph: ActionGraph, seconds: float, seed: int = 1) -> list[int]:
    """Actions in a row that follow on each other and last at least so long."""
    if len(graph.indices) == 0:
        raise RandoriError("there is nothing to walk over: the graph kept no action")
    random = np.random.default_rng(seed)
    action = int(random.choice(graph.indices))
    chosen, passed = [action], float(graph.library.durations[action])
    while passed < seconds:
        choices = graph.choices(int(graph.end_posture[action]))
        fresh = choices[~np.isin(choices, chosen[-_RECENT:])]
        action = int(random.choice(fresh if len(fresh) else choices))
        chosen.append(action)
        passed += float(graph.library.durations[action])
    return chosen


def place_actions(graph: ActionGraph, actions: Sequence[int]) -> list[Piece]:
    """The actions one after the other: each starts in the frame of the posture that the last one ended in.

    Where one is left, and the next one entered, moves by a few frames to where they fit best.
    """
    library = graph.library
    pieces = []
    here = Placement()
    for action in actions:
        placement = Placement(*graph.entry[action]).inverse().then(here)
        here = Placement(*graph.displacement[action]).then(here)
        pieces.append(Piece(int(library.actions.start[action]), int(library.actions.stop[action]), placement))
    return _shift_cuts(library, pieces)


def random_walk(graph: ActionGraph, seconds: float, seed: int = 1) -> Walk:
    """A clip of so many seconds that goes over the graph at random."""
    return bake(graph.library, place_actions(graph, random_actions(graph, seconds, seed)), f"walk {seed}")


def random_frame_walk(graph: FrameGraph, seconds: float, seed: int = 1) -> Walk:
    """A clip of so many seconds that goes over a frame-level graph at random."""
    if len(graph.target) == 0:
        raise RandoriError("there is nothing to walk over: the graph kept no frame")
    random = np.random.default_rng(seed)
    state, here = int(random.integers(len(graph.state_frame))), Placement()
    passed, joined = 0.0, -_BETWEEN_JOINS
    pieces = []
    while passed < seconds:
        choices = np.arange(graph.indptr[state], graph.indptr[state + 1])
        if passed - joined < _BETWEEN_JOINS and graph.distance[choices[0]] == 0.0:
            choices = choices[:1]  # it just goes on
        action = int(random.choice(choices))
        if graph.distance[action] > 0.0:
            joined = passed
        here = Placement(*graph.fit[action]).then(here)
        state = int(graph.target[action])
        # the frame before j is the same moment as the state that is left
        pieces.append(Piece(int(graph.first[action]) - 1, int(graph.state_frame[state]), here))
        passed += float(graph.durations[action])
    return bake(graph.library, _shift_cuts(graph.library, pieces), f"frame walk {seed}")


def _shift_cuts(library: ActionLibrary, pieces: list[Piece]) -> list[Piece]:
    """The pieces with the frames where they meet moved to where places and velocities differ least."""
    reach = round(SHIFT * library.fps)
    shifted = list(pieces)
    for k in range(len(pieces) - 1):
        a, b = shifted[k], shifted[k + 1]
        if a.last == b.first:
            continue
        clip_a, clip_b = (library.clips[int(library.frames.clip[piece.first])] for piece in (a, b))
        shortest = 2 * reach
        cuts = np.arange(
            max(a.last - reach, min(a.first + shortest, a.last)), min(a.last + reach + 1, clip_a.stop)
        )
        entries = np.arange(
            max(b.first - reach, clip_b.start), min(b.first + reach, max(b.last - shortest, b.first)) + 1
        )
        if len(cuts) == 0 or len(entries) == 0:
            continue
        leaving, entering = _seen(library, cuts, a.placement), _seen(library, entries, b.placement)
        apart = ((leaving[:, None] - entering[None]) ** 2).sum(axis=-1)
        cut, entry = np.unravel_index(int(np.argmin(apart)), apart.shape)
        shifted[k] = a._replace(last=int(cuts[cut]))
        shifted[k + 1] = b._replace(first=int(entries[entry]))
    return shifted


def _seen(library: ActionLibrary, frames: np.ndarray, placement: Placement) -> np.ndarray:
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

    At a join the next piece is off by an offset that dies away. A piece may be shorter than that takes:
    what is left of the offset is then part of the next one.
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
        begin, end = max(run.first - _BEYOND, recorded.start), min(run.last + _BEYOND, recorded.stop - 1)
        moved = run.placement.move(library.clip(begin, end, name))
        entry, cut = run.first - begin, run.last - begin
        start = int(starts[number])
        if before is not None:
            moved = _carry_on(*before, moved, entry)
            blended[start : start + round(JOIN_SECONDS * library.fps)] = runs[number - 1].last
        root[start : start + cut - entry + 1] = moved.root_position[entry : cut + 1]
        rotations[start : start + cut - entry + 1] = moved.rotations[entry : cut + 1]
        before = moved, cut
    rotations = _calm(library, rot.unroll(rotations), frame, blended)
    whole = library.clip(runs[0].first, runs[0].last, name).with_frames(root, rotations)
    contacts = library.frames.contacts[frame]
    locked = lock_feet(whole, contacts)
    # a leg that is nearly straight may have been bent in a hurry
    calmed = _calm(library, rot.unroll(locked.rotations), frame, blended)
    return Walk(locked.with_frames(locked.root_position, calmed), frame, blended, starts[1:-1], contacts)


def _merge_runs(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces, those that were recorded in a row made one."""
    runs = [pieces[0]]
    for piece in pieces[1:]:
        if runs[-1].last == piece.first:
            runs[-1] = runs[-1]._replace(last=piece.last)
        else:
            runs.append(piece)
    return runs


def _carry_on(a: Clip, cut: int, b: Clip, entry: int) -> Clip:
    """`b` with the pose and velocity of `a` at frame `cut` dying away in it, from frame `entry` on.

    As `motion.transition.join` does it, but with time to brake: there what comes on top of an offset is
    kept small, and a fist in full flight is stopped within a frame or two; here it swings out.
    """
    offset = offset_at_join(a, cut, b, entry)
    times = b.times - entry / b.fps
    root = b.root_position + decay(offset.root, offset.root_velocity, times, JOIN_SECONDS, ROOT_ALLOWANCE)
    turn = np.empty((len(b), len(b.skeleton), 3))
    for joint, (angle, velocity) in enumerate(zip(offset.turn, offset.turn_velocity)):
        swing = min(_STOPPING * float(velocity @ velocity) / _BRAKING, _MOST_SWING)
        allowance = max(TURN_ALLOWANCE, float(np.linalg.norm(angle)) + swing)
        turn[:, joint] = decay(angle, velocity, times, JOIN_SECONDS, allowance)
    return b.with_frames(root, rot.multiply(rot.from_rotation_vector(turn), b.rotations))


def _calm(
    library: ActionLibrary, rotations: np.ndarray, frame: np.ndarray, blended: np.ndarray
) -> np.ndarray:
    """The rotations (F, J, 4), smoothed where a join makes a joint turn more hastily than people do.

    What the recording itself does in a frame stays. It is mostly the jitter of toes and hands: where it
    differs on both sides of a join, no velocity is the right one to go on with.
    """
    own = library.accelerations[frame]
    joining = blended >= 0
    joining[:-1] |= joining[1:]
    for _ in range(_CALMING):
        hasty = angular_acceleration(rotations, library.fps) > np.maximum(library.usual_acceleration, own)
        hasty &= joining[:, None]
        if not hasty.any():
            break
        wide = hasty.copy()
        for shift in range(1, _CALM_REACH + 1):
            wide[shift:] |= hasty[:-shift]
            wide[:-shift] |= hasty[shift:]
        wide[[0, -1]] = False
        smooth = rot.normalize(rotations[:-2] + 2.0 * rotations[1:-1] + rotations[2:])
        rotations[1:-1] = np.where(wide[1:-1, :, None], smooth, rotations[1:-1])
    return rotations
