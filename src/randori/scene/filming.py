"""Camera for a take of a few characters: large figures, from the side that shows the action best."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from randori.body.palette import palette
from randori.render.camera import Focus, steady
from randori.render.stage import Stage
from randori.render.viewpoint import Moment, choose_front
from randori.scene.take import Take

FEW = 4  # characters: more are a crowd, which is seen as a whole
HALF = 0.58  # share of the picture's height for a person of 1.85 m: one of 1.75 m in guard takes half of it
_ASPECT = 16.0 / 9.0
_WIDEST_PICTURE = 4.2  # metres between the outermost characters that are in the picture together
_ROOM_ABOUT_JOINTS = 0.2  # metres about joints: flesh, and a little room
_AHEAD, _AFTER = 2.0, 1.0  # seconds before and after a moment in which the picture shows its characters
_LOOK_AHEAD = 0.5  # seconds: the picture is as wide as it has to be so much sooner or later
_MOST_MOMENTS = 24  # moments that a side is chosen by
_WEIGHTS = {"hit": 1.0, "block": 0.5, "caught": 1.0}
_FALL_WEIGHT = 3.0  # weight of a fall, compared with a hit
_ARRIVAL_WEIGHT = 2.0  # weight of a character that comes to the others
_AWAY, _THERE = (
    3.5,
    2.6,
)  # metres from the nearest other at which a character is away, and at which it has come
_SIDE_ANGLES = np.radians(
    30.0
)  # by which a pair may stand off the plane of the picture before the camera goes around it
# seconds after a car strikes that must be seen: it comes, it strikes, it throws, the body lies
_CRASH = (-0.2, 0.1, 0.4, 0.8, 1.3, 2.2)


def filmed(take: Take) -> Take:
    """The take with a view that keeps its characters large and shows its moments."""
    if len(take.roles) > FEW or not take.view.follow:
        return take
    moments = list(_moments(take))
    focus = _focus(take, moments)
    stage = Stage.of(take.clips, [palette(role.outfit) for role in take.roles], take.props)
    if moments:
        told = sorted(sorted(moments, key=lambda one: -one.weight)[:_MOST_MOMENTS])
        front = choose_front(stage, focus, told, take.view.elevation, _ASPECT)
        alone = len(take.roles) == 2 and not take.props  # a wall might hide them from another side
        focus = _focus(take, moments, front, _around_pair(take, front) if alone else None)
    return replace(take, view=take.view._replace(focus=focus))


def _moments(take: Take) -> Iterator[Moment]:
    """Moments that must be seen: hits, falls, everything a car does, and characters that come to the
    others."""
    struck = {event.whom for event in take.events if event.kind == "run over"}
    for event in take.events:
        time = event.tick / take.fps
        if event.kind in _WEIGHTS:
            yield Moment(time, (event.who, event.whom), _WEIGHTS[event.kind])
        if event.kind == "run over":
            for late in _CRASH:
                if 0.0 <= time + late <= take.seconds:
                    yield Moment(time + late, (event.whom,), _FALL_WEIGHT)
    for number, tick in _arrivals(take):
        yield Moment(tick / take.fps, (number,), _ARRIVAL_WEIGHT)
    for number, role in enumerate(take.roles):
        for placed in role.placed:
            falls = placed.action >= 0 and role.tags[placed.action].kind == "fall"
            if falls and number not in struck:
                middle = 0.5 * (placed.start + min(placed.stop, take.ticks))
                yield Moment(middle / take.fps, (number,), _FALL_WEIGHT)


def _arrivals(take: Take) -> Iterator[tuple[int, int]]:
    """The characters that come to others from farther away, and the ticks in which they are there."""
    places = np.stack([role.clip.root_position[:, [0, 2]] for role in take.roles])
    for number in range(len(places)) if len(places) > 2 else ():
        others = np.delete(places, number, axis=0)
        apart = np.linalg.norm(others - places[number], axis=-1).min(axis=0)
        near = np.flatnonzero((apart < _THERE) & (np.maximum.accumulate(apart) > _AWAY))
        if len(near):
            yield number, int(near[0])


def _around_pair(take: Take, front: float) -> np.ndarray:
    """(F,) radians by which a camera goes around a pair so that neither hides the other.

    It stays still while both are seen side by side, and follows no faster than necessary.
    """
    one, other = (role.clip.root_position[:, [0, 2]] for role in take.roles)
    way = other - one
    beside = np.unwrap(np.arctan2(way[:, 0], way[:, 1]) + 0.5 * np.pi - front, period=np.pi)
    beside -= np.pi * np.rint(beside[0] / np.pi)
    turn, now = np.empty(len(beside)), 0.0
    for frame, best in enumerate(beside.tolist()):
        now = min(max(now, best - _SIDE_ANGLES), best + _SIDE_ANGLES)
        turn[frame] = now
    return steady(turn[:, None], take.fps)[:, 0]


def _focus(
    take: Take, moments: list[Moment], front: float | None = None, turn: np.ndarray | None = None
) -> Focus:
    """The middle of all characters, or of those of the nearest moment if not all fit.

    With a front, and a turn (F,) from there, the extent is measured as seen from there: width and depth.
    Otherwise it is round.
    """
    joints = [role.clip.positions[..., [0, 2]] for role in take.roles]  # (F, J, 2) of each
    places = np.stack([role.clip.root_position[:, [0, 2]] for role in take.roles])  # (C, F, 2)
    sides = np.full(places.shape[1], front or 0.0) + (0.0 if turn is None else turn)
    path, sizes = np.empty((places.shape[1], 2)), np.empty((places.shape[1], 2))
    for frame, (here, side) in enumerate(zip(places.transpose(1, 0, 2), sides)):
        # to the right, to the camera
        axes = np.array([[np.cos(side), -np.sin(side)], [np.sin(side), np.cos(side)]])
        inside = _in_picture(here, _people(moments, frame / take.fps, len(here)))
        shown = np.concatenate([joints[number][frame] for number in inside]) @ axes.T
        low, high = shown.min(axis=0), shown.max(axis=0)
        path[frame] = 0.5 * (low + high) @ axes
        sizes[frame] = 0.5 * (high - low) + _ROOM_ABOUT_JOINTS
    if front is None:
        sizes[:] = np.linalg.norm(sizes, axis=1)[:, None]
    around = round(_LOOK_AHEAD * take.fps)
    padded = np.pad(sizes, ((around, around), (0, 0)), mode="edge")
    widest = np.lib.stride_tricks.sliding_window_view(padded, 2 * around + 1, axis=0).max(axis=-1)
    rows = steady(np.column_stack([path, widest]), take.fps)
    return Focus(rows[:, :2], rows[:, 2], rows[:, 3], take.fps, front, HALF, turn)


def _people(moments: list[Moment], time: float, count: int) -> tuple[int, ...]:
    """The characters that matter at a time: those of the weightiest moment around it, or of the nearest."""
    if not moments:
        return tuple(range(count))
    about = [one for one in moments if -_AFTER <= one.time - time <= _AHEAD]
    if about:
        return max(about, key=lambda one: (one.weight, -abs(one.time - time))).people
    return min(moments, key=lambda one: abs(one.time - time)).people


def _in_picture(here: np.ndarray, people: tuple[int, ...]) -> list[int]:
    """The characters at (C, 2) that fit into the picture: the last of some characters, and those near it."""
    first = people[-1]
    inside = [first]
    for number in np.argsort(np.linalg.norm(here - here[first], axis=-1), kind="stable").tolist():
        spread = [*inside, number]
        if number != first and np.linalg.norm(np.ptp(here[spread], axis=0)) <= _WIDEST_PICTURE:
            inside.append(number)
    return inside
