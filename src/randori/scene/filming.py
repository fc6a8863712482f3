"""How a take of a few characters is filmed: large, from the side that shows what happens."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from randori.body.palette import palette
from randori.render.camera import Focus
from randori.render.stage import Stage
from randori.render.viewpoint import Moment, choose_front
from randori.scene.take import Take

FEW = 4  # characters: more are a crowd, which is seen as a whole
HALF = 0.5  # of the picture's height that a character takes at least
_ASPECT = 16.0 / 9.0
_ACROSS = 4.2  # metres between the outermost characters that are in the picture together
_ABOUT = 0.55  # metres about a pelvis: arms, and what they hold
_AHEAD, _AFTER = 2.0, 1.0  # seconds before and after a moment in which the picture is about its people
_LOOK = 0.5  # seconds: the picture is as wide as it has to be so much sooner or later
_MOST = 24  # moments that a side is chosen by
_WEIGHTS = {"hit": 1.0, "block": 0.5, "caught": 1.0}
_FALL = 3.0  # what a fall counts, against a hit
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
        told = sorted(sorted(moments, key=lambda one: -one.weight)[:_MOST])
        front = choose_front(stage, focus, told, take.view.elevation, _ASPECT)
        focus = replace(focus, front=front)
    return replace(take, view=take.view._replace(focus=focus))


def _moments(take: Take) -> Iterator[Moment]:
    """What must be seen: hits, falls, and all of what a car does."""
    struck = {event.whom for event in take.events if event.kind == "run over"}
    for event in take.events:
        time = event.tick / take.fps
        if event.kind in _WEIGHTS:
            yield Moment(time, (event.who, event.whom), _WEIGHTS[event.kind])
        if event.kind == "run over":
            for late in _CRASH:
                if 0.0 <= time + late <= take.seconds:
                    yield Moment(time + late, (event.whom,), _FALL)
    for number, role in enumerate(take.roles):
        for placed in role.placed:
            falls = placed.action >= 0 and role.tags[placed.action].kind == "fall"
            if falls and number not in struck:
                middle = 0.5 * (placed.start + min(placed.stop, take.ticks))
                yield Moment(middle / take.fps, (number,), _FALL)


def _focus(take: Take, moments: list[Moment]) -> Focus:
    """The middle of the characters; of those that the nearest moment is about, if not all fit."""
    places = np.stack([role.clip.root_position[:, [0, 2]] for role in take.roles])  # (C, F, 2)
    frames = places.shape[1]
    path, reach = np.empty((frames, 2)), np.empty(frames)
    for frame in range(frames):
        here = places[:, frame]
        inside = _in_picture(here, _people(moments, frame / take.fps, len(here)))
        low, high = here[inside].min(axis=0), here[inside].max(axis=0)
        path[frame] = 0.5 * (low + high)
        reach[frame] = np.linalg.norm(here[inside] - path[frame], axis=-1).max() + _ABOUT
    around = round(_LOOK * take.fps)
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(reach, around, mode="edge"), 2 * around + 1)
    return replace(Focus.on(path, windows.max(axis=-1), take.fps), least=HALF)


def _people(moments: list[Moment], time: float, count: int) -> tuple[int, ...]:
    """The characters that a time is about: those of the weightiest moment about then, or of the nearest."""
    if not moments:
        return tuple(range(count))
    about = [one for one in moments if -_AFTER <= one.time - time <= _AHEAD]
    if about:
        return max(about, key=lambda one: (one.weight, -abs(one.time - time))).people
    return min(moments, key=lambda one: abs(one.time - time)).people


def _in_picture(here: np.ndarray, people: tuple[int, ...]) -> list[int]:
    """The characters at (C, 2) that fit into the picture: the last of some people, and those near it."""
    first = people[-1]
    inside = [first]
    for number in np.argsort(np.linalg.norm(here - here[first], axis=-1), kind="stable").tolist():
        spread = [*inside, number]
        if number != first and np.linalg.norm(np.ptp(here[spread], axis=0)) <= _ACROSS:
            inside.append(number)
    return inside
