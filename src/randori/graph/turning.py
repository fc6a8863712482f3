"""Copies of a library's actions in which the body comes round: people turn towards what endangers them.

Recordings hardly ever turn by 90 or 180 degrees with the guard up, and reactions to blows not at all. Here
steps, turns, staggers and get-ups are turned on their own steps (`motion/turning.py`). Few are made: of each
technique, stance and angle the best that a body can do.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from randori.capture.actions import Tags
from randori.graph.library import (
    ActionArrays,
    ActionLibrary,
    FrameArrays,
    displacements,
)
from randori.graph.postures import group_poses, start_and_stop_poses
from randori.graph.similarity import distances_from, fit
from randori.graph.smoothness import angular_acceleration, calm
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.easing import smoother_step
from randori.motion.editing import sample
from randori.motion.feet import foot_points, foot_slide
from randori.motion.turning import MOST_PIVOT, Turned, turn_on_steps

# Angles of the turned copies, in degrees to either side of the start of the source.
_STAGGER_TURNS = (45.0, 90.0, 135.0, 180.0)
_STEP_TURNS = (45.0,)
_STEP_TURNS_ALONE = (45.0, 90.0, 135.0)  # in a library without staggers steps have to answer blows
_CHOSEN_TURNS = (90.0, 135.0, 180.0)
_RISE_TURNS = (45.0,)
_MOST_FRAMES = 0.4  # of the library's: more choices make the search slow
_LEAST_CHANGE = np.radians(20.0)  # that a copy differs by from its source
_STEPS = ("step forward", "step back", "step left", "step right")
_TURNS = ("turn left", "turn right")

# Limits of the human body.
_FASTEST_TURN = np.radians(400.0)  # per second, of the pelvis (people who turn round in a run)
_MOST_HASTE = 0.8  # metres per second that the pelvis may be faster than in the source
_MOST_MISSED = 0.01  # metres that an ankle may be off from where it should be
_MOST_SLIDE = 0.01  # metres that a planted foot may slide more than in its source
_FEET_APART = 0.14  # metres between the ankles: nearer, legs go through each other; or 0.8 of the source
_OWN_HASTE = 1.05  # times what the source does: that haste is its own
_SLOWER_FACTORS = (1.0, 1.2, 1.4)  # times as long may a turn take that a fighter chooses
_ON_THE_SPOT = 0.7  # metres that a chosen turn may go
_SHORTEST, _LONGEST = 0.6, 1.6  # seconds that a turn may take
_STANDING_HEIGHT = 0.75  # of the pelvis' height in the guard: below it, knees and hands may bear the body

_SAME_POSTURE = 0.15  # metres between poses that count as one guard
# Poses count as one to start from if they are as near as this (metres), or as it takes to gather many.
_SAME_START = 0.07
_COARSER_FACTOR = 1.2  # from one try to the next
_GATHERED_SHARE = 0.15  # of all actions that lead to the busiest posture
_BUSY_RARENESS = 0.8  # rareness of postures, up to which each gets turns of its own
_FAR_FROM_GUARD = 0.3  # metres: actions that start or end farther away are not turned
_MARGIN = 3  # frames before and after an action that are kept, so that velocities at its ends are known
# Costs besides the distance from the guard, in metres, in the choice of the best source.
_RADIAN = 0.05  # of change
_RARE_START = 1.0  # a start in a posture that hardly any action leads to: the copy could not be chosen
_TRIES = 12  # sources that are tried for one turn
_CALM_EDGE = 0.15  # seconds at both ends of a slower copy that keep their pace


@dataclass(frozen=True)
class _Source:
    """An action that can be turned."""

    action: int
    own: float  # radians that it turns by itself
    apart: float  # metres from the guard, of its start and its end together
    travel: float  # metres that it goes
    rare: float  # 0 to 1: few actions lead to where it starts (or ends); 0 is the busiest posture


@dataclass(frozen=True)
class _Copy:
    """An action that was turned."""

    source: int  # action
    clip: Clip
    frames: np.ndarray  # (F,) int64, the frames of the library that it shows
    first: int  # frame of the clip in which the action starts
    last: int
    tags: Tags


def with_turns(library: ActionLibrary) -> ActionLibrary:
    """The library, and after its own actions copies of some of them that turn."""
    if len(library) == 0:
        return library
    copies: list[_Copy] = []
    room = _MOST_FRAMES * len(library.frames.clip)
    for copy in _copies(library):
        room -= len(copy.clip)
        if room >= 0.0:
            copies.append(copy)
    return _extended(library, copies) if copies else library


def _copies(library: ActionLibrary) -> Iterator[_Copy]:
    """The best copy for every technique, stance and angle that a fighter needs, what matters most first."""
    stances = _Stances(library)
    for sources in stances.families(("transition",), _STEPS + _TURNS, by_start=True).values():
        near = [source for source in sources if source.apart <= _SAME_POSTURE + _FAR_FROM_GUARD]
        for copy in _best(stances, near, _CHOSEN_TURNS, on_the_spot=True):
            if _travel(copy) > _ON_THE_SPOT or copy.last - copy.first < _SHORTEST * library.fps:
                continue
            side = "left" if stances.turn_of(copy) > 0.0 else "right"
            yield replace(copy, tags=Tags("transition", f"turn {side}", "", "", side))
    staggers = False
    for sources in stances.families(("reaction",)).values():
        for copy in _best(stances, sources, _STAGGER_TURNS):
            staggers = True
            yield copy
    for sources in stances.families(("transition",), _STEPS).values():
        yield from _best(stances, sources, _STEP_TURNS if staggers else _STEP_TURNS_ALONE)
    for sources in stances.families(("rise",)).values():
        yield from _best(stances, sources, _RISE_TURNS)


def _best(
    stances: "_Stances", sources: list[_Source], angles: Iterable[float], on_the_spot: bool = False
) -> Iterator[_Copy]:
    """For each angle, to the left and to the right, the first copy that a body can do.

    Turns on the spot are chosen, and may be done a little slower.
    """
    slower = _SLOWER_FACTORS if on_the_spot else (1.0,)
    for degrees in angles:
        for wanted in np.radians([degrees, -degrees]):
            changes = [(source, wanted - source.own) for source in sources]
            fitting = [row for row in changes if _LEAST_CHANGE <= abs(row[1]) <= 1.05 * np.pi]
            fitting.sort(key=lambda row: _unfitness(row[0], row[1], on_the_spot))
            for source, change in fitting[:_TRIES]:
                made = (_turn(stances, source.action, change, times) for times in slower)
                copy = next((one for one in made if one is not None), None)
                if copy is not None:
                    yield copy
                    break


def _unfitness(source: _Source, change: float, on_the_spot: bool) -> float:
    """Metres: actions near the guard, which need little change, are tried first."""
    travel = source.travel if on_the_spot else 0.0
    return source.apart + _RADIAN * abs(change) + _RARE_START * source.rare + travel


class _Stances:
    """The postures in which the actions of a library start and end."""

    def __init__(self, library: ActionLibrary):
        self.library = library
        self.poses, self.start, self.stop = start_and_stop_poses(library)
        self.own = fit(self.poses, self.stop, self.start)[:, 2]
        self.travel = np.linalg.norm(library.actions.displacement[:, :2], axis=-1)
        self.lead = _lead_feet(library, self.poses.frames)
        self.apart = self._from_guard()
        self.group = self._gathered()
        self.rare = self._rareness()

    def _from_guard(self) -> np.ndarray:
        """(N,) metres of each pose from the guard with the same foot in front: the most usual posture."""
        group, founders = group_poses(self.poses, _SAME_POSTURE)
        apart = np.full(len(group), np.inf)
        for foot in range(2):
            here = self.lead == foot
            if here.any():
                founder = founders[np.bincount(group[here]).argmax()]
                apart[here] = distances_from(self.poses, int(founder))[here]
        return apart

    def _gathered(self) -> np.ndarray:
        """(N,) the posture that each pose belongs to, as a graph will have them."""
        near = _SAME_START
        while True:
            group, _ = group_poses(self.poses, near)
            near *= _COARSER_FACTOR
            if (
                np.bincount(group[self.stop]).max() >= _GATHERED_SHARE * len(self.stop)
                or near > _FAR_FROM_GUARD
            ):
                return group

    def _rareness(self) -> np.ndarray:
        """(N,) 0 to 1: how few actions lead to a pose, against the busiest with the same foot in front."""
        arrivals = np.bincount(self.group[self.stop], minlength=self.group.max() + 1)[self.group]
        busiest = np.array([arrivals[self.lead == foot].max(initial=1) for foot in range(2)])
        return 1.0 - arrivals / busiest[self.lead]

    @cached_property
    def standing(self) -> float:
        """Metres: the height of a pelvis above which a body stands on its feet."""
        near = self.poses.frames[self.apart < _SAME_POSTURE]
        return _STANDING_HEIGHT * float(np.median(self.library.frames.root_position[near, 1]))

    def families(
        self, kinds: tuple[str, ...], techniques: tuple[str, ...] = (), by_start: bool = False
    ) -> dict[tuple[str, ...], list[_Source]]:
        """The actions that can be turned: those of one technique, direction and leading foot together.

        Or those that start in the same posture, if it is one that many actions lead to.
        """
        found: dict[tuple[str, ...], list[_Source]] = {}
        for action, tags in enumerate(self.library.tags):
            start, stop = int(self.start[action]), int(self.stop[action])
            apart = self.apart[stop] + (0.0 if tags.kind == "rise" else self.apart[start])
            if tags.kind not in kinds or (techniques and tags.technique not in techniques):
                continue
            if max(self.apart[stop], apart - self.apart[stop]) > _FAR_FROM_GUARD:
                continue
            if tags.kind == "reaction" and self.library.durations[action] < _SHORTEST:
                continue  # it was cut off by a fall
            # a lying body has no heading to turn from
            own = 0.0 if tags.kind == "rise" else float(self.own[action])
            # reactions are not chosen, but after it there has to be a choice
            rare = self.rare[start if tags.kind == "transition" else stop]
            source = _Source(action, own, float(apart), float(self.travel[action]), float(rare))
            if not by_start:
                key = (tags.kind, tags.technique, tags.direction, str(self.lead[stop]))
                found.setdefault(key, []).append(source)
            elif rare <= _BUSY_RARENESS:
                found.setdefault((str(self.group[start]),), []).append(source)
        return found

    def turn_of(self, copy: _Copy) -> float:
        """Radians that a copy turns, from the start of its action to the end."""
        heading = np.unwrap(_pelvis_yaw(copy.clip))
        return float(heading[copy.last] - heading[copy.first])


def _lead_feet(library: ActionLibrary, frames: np.ndarray) -> np.ndarray:
    """(N,) 0 or 1: the foot that is in front, left or right, as the head looks."""
    joint = library.skeleton.joint
    head = library.global_rotations[frames, joint("head")]
    forward = rot.rotate(
        rot.multiply(head, rot.inverse(library.skeleton.reference[joint("head")])), rot.Z_AXIS
    )
    apart = library.positions[frames, joint("left_foot")] - library.positions[frames, joint("right_foot")]
    return (np.sum((apart * forward)[:, [0, 2]], axis=-1) < 0.0).astype(np.int64)


def _turn(stances: _Stances, action: int, change: float, times: float) -> _Copy | None:
    """A copy of an action that turns by so many radians more, `times` as slow; None where no body can."""
    library = stances.library
    start, stop = int(library.actions.start[action]), int(library.actions.stop[action])
    recorded = library.clips[int(library.actions.clip[action])]
    begin, end = max(start - _MARGIN, recorded.start), min(stop + _MARGIN, recorded.stop - 1)
    source, frames = library.clip(begin, end), np.arange(begin, end + 1)
    first, last = start - begin, stop - begin
    if times > 1.0:
        if times * (stop - start) > _LONGEST * library.fps:
            return None
        moments = _slower(len(source), times, library.fps)
        source = sample(source, moments / library.fps, library.fps)
        frames = frames[np.rint(moments).astype(np.int64)]
        last = len(source) - 1 - (end - stop)
    contacts = library.frames.contacts[frames]
    free = source.root_position[:, 1] > stances.standing
    turned = turn_on_steps(source, contacts, change, first, last, free)
    if turned is None or not _possible(source, contacts, turned):
        return None
    calmed = _calm(library, source, turned.clip, first, last)
    if (
        calmed is None
        or (foot_slide(calmed, contacts) - foot_slide(source, contacts)).max(initial=0.0) > _MOST_SLIDE
    ):
        return None
    return _Copy(action, calmed, frames, first, last, library.tags[action])


def _slower(frames: int, times: float, fps: float) -> np.ndarray:
    """(N,) frames of the source, at which a slower copy shows it; its ends keep their pace."""
    inside = np.minimum(np.arange(frames), np.arange(frames)[::-1])
    pace = 1.0 + (times - 1.0) * smoother_step((inside - _MARGIN) / (_CALM_EDGE * fps))
    passed = np.concatenate([[0.0], np.cumsum(0.5 * (pace[1:] + pace[:-1]))])
    return np.interp(np.linspace(0.0, passed[-1], round(passed[-1]) + 1), passed, np.arange(frames))


def _possible(source: Clip, contacts: np.ndarray, turned: Turned) -> bool:
    """Whether a body can turn like that."""
    rate = np.abs(np.diff(np.unwrap(_pelvis_yaw(turned.clip)))) * source.fps
    turning = np.abs(np.diff(turned.turn)) * source.fps > 0.1
    if rate[turning].max(initial=0.0) > _FASTEST_TURN or turned.pivots.max(initial=0.0) > MOST_PIVOT:
        return False
    if turned.missed[contacts].max(initial=0.0) > _MOST_MISSED:
        return False
    before, after = (_pelvis_speed(clip) for clip in (source, turned.clip))
    if after > before + _MOST_HASTE:
        return False
    before, after = (_feet_apart(clip) for clip in (source, turned.clip))
    return bool(after >= min(_FEET_APART, 0.8 * before))


def _travel(copy: _Copy) -> float:
    """Metres over the floor from the start of a copy to its end."""
    way = copy.clip.root_position[copy.last] - copy.clip.root_position[copy.first]
    return float(np.hypot(way[0], way[2]))


def _pelvis_speed(clip: Clip) -> float:
    """Metres per second over the floor, at the fastest."""
    return float(np.linalg.norm(np.diff(clip.root_position[:, [0, 2]], axis=0), axis=-1).max()) * clip.fps


def _feet_apart(clip: Clip) -> float:
    """Metres over the floor that the ankles keep between them."""
    ankles = foot_points(clip)[:, :, 0]
    return float(np.linalg.norm((ankles[:, 0] - ankles[:, 1])[:, [0, 2]], axis=-1).min())


def _pelvis_yaw(clip: Clip) -> np.ndarray:
    return rot.yaw(clip.turned("pelvis"))


def _calm(library: ActionLibrary, source: Clip, turned: Clip, first: int, last: int) -> Clip | None:
    """A turned clip whose joints turn no more hastily than the library's; None where that cannot be had."""
    own = angular_acceleration(source.rotations, source.fps)
    limit = np.maximum(library.usual_acceleration, _OWN_HASTE * own)
    free = np.zeros(len(source), dtype=bool)
    free[first + 1 : last] = True
    calmed = calm(turned, limit, free)
    hasty = angular_acceleration(calmed.rotations, source.fps) > limit
    return None if hasty.any() else calmed


def _extended(library: ActionLibrary, copies: list[_Copy]) -> ActionLibrary:
    """The library with the copies as clips of their own, after everything else."""
    frames, actions = library.frames, library.actions
    lengths = [len(copy.clip) for copy in copies]
    starts = len(frames.clip) + np.cumsum([0, *lengths[:-1]])
    clips = [
        replace(
            library.clips[int(actions.clip[copy.source])],
            start=int(start),
            stop=int(start) + length,
            turned=True,
            problems=(),
        )
        for copy, start, length in zip(copies, starts, lengths)
    ]
    numbers = len(library.clips) + np.arange(len(copies))
    sources = np.array([copy.source for copy in copies])
    shown = np.concatenate([copy.frames for copy in copies])
    more = FrameArrays(
        np.concatenate([copy.clip.root_position for copy in copies]),
        np.concatenate([copy.clip.rotations for copy in copies]),
        frames.contacts[shown],
        np.repeat(numbers, lengths),
        frames.source_frame[shown],
    )
    all_frames = FrameArrays(*(np.concatenate(pair) for pair in zip(frames, more)))
    start = starts + np.array([copy.first for copy in copies])
    stop = starts + np.array([copy.last for copy in copies])
    added = ActionArrays(
        numbers,
        start,
        stop,
        displacements(library.skeleton, all_frames, start, stop),
        actions.confidence[sources],
        actions.edited[sources],
        np.full(len(copies), actions.strike_start[-1]),
    )
    return replace(
        library,
        frames=all_frames,
        actions=ActionArrays(*(np.concatenate(pair) for pair in zip(actions, added))),
        tags=library.tags + tuple(copy.tags for copy in copies),
        clips=library.clips + tuple(clips),
    )
