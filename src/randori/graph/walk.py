"""Walking over a graph at random, and making one clip of the pieces that were passed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.graph.library import ActionLibrary
from randori.graph.similarity import VELOCITY, poses_of
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.feet import FootLevels, foot_contacts, foot_levels, foot_points, planted_phases, planted_point, leg_length
from randori.motion.foot_locking import lock_feet
from randori.motion.placement import Placement
from randori.motion.transition import join

JOIN_SECONDS = 0.35  # over which the last pose of one piece dies away in the next
SHIFT = 5.0 / 60.0  # seconds by which a cut or an entry may move to where two pieces fit best
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
        cuts = np.arange(max(a.last - reach, min(a.first + shortest, a.last)), min(a.last + reach + 1, clip_a.stop))
        entries = np.arange(max(b.first - reach, clip_b.start), min(b.first + reach, max(b.last - shortest, b.first)) + 1)
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
    return np.column_stack([flat.real, flat.imag, poses.height, middle.real + placement.z, middle.imag + placement.x])


def bake(library: ActionLibrary, pieces: Sequence[Piece], name: str) -> Walk:
    """One clip of the pieces: joined without a jump, planted feet held."""
    clip: Clip | None = None
    done: list[Clip] = []
    frames: list[np.ndarray] = []
    blended: list[np.ndarray] = []
    joins: list[int] = []
    length = 0
    before: Piece | None = None
    for piece in pieces:
        moved = piece.placement.move(library.clip(piece.first, piece.last, name))
        shown = np.arange(piece.first, piece.last + 1)
        fading = np.full(len(shown), -1)
        if clip is None or before is None:
            clip = moved
        else:
            if before.last == piece.first:
                joined = clip.with_frames(
                    np.concatenate([clip.root_position[:-1], moved.root_position]),
                    rot.unroll(np.concatenate([clip.rotations[:-1], moved.rotations])),
                )
            else:
                joined = join(clip, moved, JOIN_SECONDS, name)
                fading[: round(JOIN_SECONDS * library.fps)] = before.last
                joins.append(length - 1)
            kept = len(clip) - 1
            done.append(joined.with_frames(joined.root_position[:kept], joined.rotations[:kept]))
            clip = joined.with_frames(joined.root_position[kept:], joined.rotations[kept:])
            frames[-1], blended[-1] = frames[-1][:-1], blended[-1][:-1]
            length -= 1
        frames.append(shown)
        blended.append(fading)
        length += len(shown)
        before = piece
    if clip is None:
        raise RandoriError("there is nothing to bake: no piece was given")
    done.append(clip)
    whole = clip.with_frames(
        np.concatenate([part.root_position for part in done]),
        rot.unroll(np.concatenate([part.rotations for part in done])),
    )
    frame = np.concatenate(frames)
    contacts = library.frames.contacts[frame]
    locked = lock_feet(whole, contacts)
    return Walk(locked, frame, np.concatenate(blended), np.array(joins, dtype=np.int64), contacts)
