"""From placed actions to poses: one clip per character, every tick a frame.

What was planned for a tick happens in that tick: joins never change how long anything takes.
"""

from collections.abc import Generator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from randori.errors import RandoriError
from randori.graph.joining import JOIN_SECONDS, Piece, Walk, bake, seen_in_world
from randori.graph.library import ActionLibrary
from randori.graph.similarity import points_seen, velocities_seen
from randori.timeline.calming import calm_joins
from randori.timeline.impulse import SHARES, speed_of_blow
from randori.timeline.looking import look_at_opponents
from randori.timeline.timeline import FORCED, Event, Placed, Timeline, shown

SHIFT = 5  # ticks at most by which a cut moves, later or sooner, to where two pieces fit best
# A join is spread over the time before and after it, but keeps clear of what must be exact: a strike
# on its way, a moment in which something touches.
LEAD = 0.2  # seconds before, at most
FADE = 0.3  # seconds after, at most
_FADE_LEAST = 0.13  # seconds: sooner nothing dies away without a jerk
_SHORTEST_PIECE = 4  # ticks that must be left of a piece
HEAD_START = 12  # frames after its first in which an answer to a blow is entered, at most


class Push(NamedTuple):
    """The effect of a blow on a body."""

    part: str  # that is struck
    speed: np.ndarray  # (3,) m/s that it gets


def bake_timeline(
    timeline: Timeline, known: Sequence[Walk | None] = ()
) -> Generator[float, None, list[Walk]]:
    """One clip per character, those among them that are known already; yields the share that is done."""
    walks = []
    for character in range(len(timeline.tracks)):
        yield character / len(timeline.tracks)
        found = known[character] if known else None
        walks.append(bake_track(timeline, character) if found is None else found)
    return look_at_opponents(timeline, walks)


def bake_track(timeline: Timeline, character: int) -> Walk:
    """One character's clip, of `timeline.ticks + 1` frames."""
    track = timeline.tracks[character]
    library = track.library
    if not np.isclose(library.fps, timeline.fps, rtol=1e-9):
        raise RandoriError(
            f"{track.name}: the timeline has {timeline.fps:g} ticks a second, its library {library.fps:g}"
        )
    placed = shown(track.placed, timeline.ticks)
    if not placed or placed[0].start != 0:
        raise RandoriError(f"{track.name}: nothing is done in tick 0")
    for one, other in pairwise(placed):
        if one.stop != other.start:
            raise RandoriError(
                f"{track.name}: what starts in tick {one.start} stops in tick {one.stop}, "
                f"but what follows starts in tick {other.start}"
            )
    exact = exact_ticks(timeline, character)
    blows = {
        event.tick: speed
        for event in timeline.events
        if event.kind == "hit" and event.whom == character and (speed := _push(timeline, event)) is not None
    }
    walk = calm_joins(bake(library, _to_pieces(library, placed, exact, blows), track.name), library)
    return _hold_last(walk, timeline.ticks + 1)


def exact_ticks(timeline: Timeline, character: int) -> np.ndarray:
    """(ticks + 1,) bool: when a character's body has to be as it was planned."""
    track = timeline.tracks[character]
    strikes = track.library.strikes
    exact = np.zeros(timeline.ticks + 1, dtype=bool)
    for one in shown(track.placed, timeline.ticks):
        inside = (strikes.start < one.last) & (strikes.stop > one.first)
        for start, stop in zip(strikes.start[inside], strikes.stop[inside]):
            first, last = max(int(start), one.first), min(int(stop), one.last)
            exact[one.start + first - one.first : one.start + last - one.first] = True
    for event in timeline.events:
        touching = event.kind in ("hit", "block") and event.tick < len(exact)
        if touching and character in (event.who, event.whom):
            exact[event.tick] = True
    return exact


def _to_pieces(
    library: ActionLibrary, placed: Sequence[Placed], exact: np.ndarray, blows: Mapping[int, Push]
) -> list[Piece]:
    """The pieces with their cuts moved to where they fit best, and how long each join may take.

    A reaction is entered at the frame that best fits what the blow does to the body (docs/quality.md).
    """
    pieces = [Piece(one.first, one.last, one.placement) for one in placed]
    striking = _striking(library)
    for number in range(1, len(placed)):
        a, b = pieces[number - 1], pieces[number]
        if a.last == b.first:
            continue
        forced = placed[number].cause == FORCED
        if forced and placed[number].start in blows:
            following = pieces[number + 1] if number + 1 < len(pieces) else None
            ahead = _head_start(library, a, b, following, striking, blows[placed[number].start])
            b = b._replace(first=b.first + ahead, last=b.last + ahead)
        shift = 0 if forced else _best_shift(library, a, b, striking)
        cut = placed[number].start + shift
        held = np.flatnonzero(exact)
        after, before = held[held > cut], held[held < cut]
        room = (after[0] - cut) / library.fps if len(after) else np.inf
        # a body does not know of a blow before it lands
        lead = 0.0 if forced else LEAD
        if len(before):
            lead = min(lead, float(cut - before[-1] - 1) / library.fps)
        fade = max(min(JOIN_SECONDS if lead < 0.5 * LEAD else FADE, float(room)), _FADE_LEAST)
        pieces[number - 1] = a._replace(last=a.last + shift)
        pieces[number] = b._replace(first=b.first + shift, lead=max(lead, 0.0), fade=fade)
    return pieces


def _push(timeline: Timeline, event: Event) -> Push | None:
    """The push of a blow on the struck body, as it was planned."""
    if event.tick <= 0 or event.part not in SHARES:
        return None
    track = timeline.tracks[event.who]
    one = timeline.placed_at(event.who, event.tick - 1)
    name = "right_hand" if event.what == "weapon" else event.what
    joint = track.library.skeleton.joint(name)
    frame = one.first + event.tick - one.start
    recorded = track.library.clips[int(track.library.frames.clip[one.first])]
    frames = np.clip([frame - 1, frame], recorded.start, recorded.stop - 1)
    before, after = one.placement.move_points(track.library.positions[frames, joint])
    return Push(event.part, speed_of_blow(event.what, event.part, (after - before) * timeline.fps))


def _head_start(
    library: ActionLibrary,
    a: Piece,
    b: Piece,
    after: Piece | None,
    striking: np.ndarray,
    push: Push,
) -> int:
    """Frames after its first in which `b` is entered: where it moves as the blow makes the body of `a` move.

    It ends as much later in the recording, which must fit what comes after it.
    """
    recorded = library.clips[int(library.frames.clip[b.first])]
    most = min(HEAD_START, recorded.stop - 1 - b.last)
    starts = np.arange(most + 1)
    if most <= 0 or striking[b.first : b.last + most + 1].any():
        return 0
    leaving = seen_in_world(library, np.array([a.last]), a.placement) + _as_seen(library, push)
    apart = ((seen_in_world(library, b.first + starts, b.placement) - leaving) ** 2).sum(axis=-1)
    if after is not None:
        entered = seen_in_world(library, np.array([after.first]), after.placement)
        left = seen_in_world(library, b.last + starts, b.placement)
        apart += ((left - entered) ** 2).sum(axis=-1)
    return int(starts[np.argmin(apart)])


def _as_seen(library: ActionLibrary, push: Push) -> np.ndarray:
    """(D,) what a blow adds to what is seen of a pose: velocities of the parts that it drives."""
    shares = SHARES[push.part]
    parts = {joint: part for part, joint in library.skeleton.parts.items()}
    return velocities_seen(
        library, np.array([shares.get(parts[joint], 0.0) for joint in points_seen(library)]), push.speed
    )


def _striking(library: ActionLibrary) -> np.ndarray:
    """(F,) bool: frames of the library in which something strikes."""
    striking = np.zeros(len(library.frames.clip), dtype=bool)
    for start, stop in zip(library.strikes.start, library.strikes.stop):
        striking[start:stop] = True
    return striking


def _best_shift(library: ActionLibrary, a: Piece, b: Piece, striking: np.ndarray) -> int:
    """Ticks by which `a` is left and `b` entered later (or sooner): both, so that nothing is late."""
    clip_a, clip_b = (library.clips[int(library.frames.clip[piece.first])] for piece in (a, b))
    shifts = np.array(
        [
            shift
            for shift in range(-SHIFT, SHIFT + 1)
            if a.first + _SHORTEST_PIECE <= a.last + shift < clip_a.stop
            and clip_b.start <= b.first + shift <= b.last - _SHORTEST_PIECE
            and not any(
                striking[frame + min(shift, 0) : frame + max(shift, 0) + 1].any()
                for frame in (a.last, b.first)
            )
        ]
    )
    if len(shifts) == 0:
        return 0
    leaving = seen_in_world(library, a.last + shifts, a.placement)
    entering = seen_in_world(library, b.first + shifts, b.placement)
    apart = ((leaving - entering) ** 2).sum(axis=-1)
    return int(shifts[np.argmin(apart)])


def _hold_last(walk: Walk, frames: int) -> Walk:
    """The walk with its last pose held, where it has fewer frames."""
    missing = frames - len(walk.clip)
    if missing <= 0:
        return walk
    rows = np.minimum(np.arange(frames), len(walk.clip) - 1)
    clip = walk.clip.with_frames(walk.clip.root_position[rows], walk.clip.rotations[rows])
    return Walk(clip, walk.frame[rows], walk.blended[rows], walk.joins, walk.contacts[rows])
