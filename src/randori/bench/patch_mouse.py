"""Reactions of people when the mouse comes by, on seeds that were not used for tuning."""

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from randori.bench.patch_scenes import Size
from randori.bench.tables import Rows
from randori.motion import rotations as rot
from randori.patches.fleeing_crowd import FleeingCrowd
from randori.work import part

_PASSES = 1.5  # metres from a person within which the mouse passes by
_SIGHT_DISTANCE = 4.0  # metres from which a person sees it
_BRIEF_TICKS = 6  # ticks that are no passing by
_LOOK_TOLERANCE = np.deg2rad(60.0)  # tolerance for a look at the mouse


class Minded(NamedTuple):
    """Of a crowd and a mouse."""

    passes: int  # times that the mouse came by a person
    busy: float  # share of them in which the person did not just stand when it was nearest
    looking: float  # share of the time that those farther off look at it
    standing: float  # share of the time that people just stand


def minding(scene: FleeingCrowd, ticks: int) -> Minded:
    """Reactions in the first ticks of a scene that has been played so far."""
    stage = scene.stage
    mouse = scene.mouse_way(ticks - 1)[:, :2]
    spots = np.array([stage.spots(tick)[1:] for tick in range(ticks)])
    to_mouse = mouse[:, None] - spots  # (T, people, 2)
    far = np.hypot(to_mouse[..., 0], to_mouse[..., 1])
    standing, facing = np.zeros(far.shape, dtype=bool), np.empty(far.shape)
    for who, actor in enumerate(stage.actors[1:]):
        for step in actor.steps:
            if stage.library.tags[step.action].technique == "stand":
                standing[max(step.start, 0) : step.stop, who] = True
        shown = [stage.shown(who + 1, tick) for tick in range(ticks)]
        facing[:, who] = [stage.stock.facing[frame] + place[2] for frame, place in shown]
    stood = [standing[tick, who] for who in range(far.shape[1]) for tick in _nearest(far[:, who])]
    past = np.abs(rot.wrap_angle(facing - np.arctan2(to_mouse[..., 0], to_mouse[..., 1])))
    seen = (far > _PASSES) & (far < _SIGHT_DISTANCE)
    looking = float((past[seen] < _LOOK_TOLERANCE).mean())
    return Minded(len(stood), 1.0 - float(np.mean(stood)), looking, float(standing.mean()))


def _nearest(far: np.ndarray) -> list[int]:
    """The ticks in which the mouse is nearest, each time that it passes a person at distances (T,)."""
    inside = np.concatenate([[False], far < _PASSES, [False]])
    edges = np.flatnonzero(inside[1:] != inside[:-1]).reshape(-1, 2)
    return [int(a + np.argmin(far[a:b])) for a, b in edges if b - a >= _BRIEF_TICKS and a > 0]


def mouse_rows(size: Size) -> Generator[float, None, Rows]:
    """A row for each seed: the shares of people that react to the mouse, and the time that they stand."""
    prepared = yield from part(size.preparing("mouse"), 0.0, 0.5)
    rows: Rows = []
    for number, seed in enumerate(size.mouse_seeds):
        scene = (
            FleeingCrowd(prepared, seed) if size.people is None else FleeingCrowd(prepared, seed, size.people)
        )
        ticks = round(size.mouse_seconds * scene.stage.fps)
        for now in range(ticks):
            scene.advance(now)
            yield 0.5 + 0.5 * (number + now / ticks) / len(size.mouse_seeds)
        minded = minding(scene, ticks)
        rows.append(
            {
                "seed": seed,
                f"times that it passes within {_PASSES} m": minded.passes,
                "do something as it is nearest": f"{minded.busy:.0%}",
                f"look at it from {_PASSES} to {_SIGHT_DISTANCE} m": f"{minded.looking:.0%}",
                "time that people just stand": f"{minded.standing:.0%}",
                "pushes": sum(event.kind == "push" for event in scene.stage.events),
            }
        )
    return rows
