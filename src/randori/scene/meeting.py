"""Blows between characters of different controllers: what strikes lands on whoever it meets."""

from collections.abc import Iterator, Sequence

import numpy as np

from randori.body.capsules import CAPSULES, fit
from randori.graph.joining import Walk
from randori.graph.library import EFFECTORS
from randori.kernels import overlap
from randori.motion.clip import Clip
from randori.timeline.timeline import Event, Timeline

STRUCK = ("head", "upper_torso", "lower_torso")  # what a blow can meet
_NEAR = 2.0  # metres between two pelvises: farther apart nobody hits anybody
_PARTS = [CAPSULES.index(name) for name in STRUCK]


def blows_between(timeline: Timeline, walks: Sequence[Walk], parts: Sequence[int]) -> list[Event]:
    """The hits between characters of different parts of a scene; `parts` says which everybody belongs to."""
    found = []
    for who, walk in enumerate(walks):
        library = timeline.tracks[who].library
        others = [whom for whom, number in enumerate(parts) if number != parts[who]]
        for strike, ticks in _strikes(walk, library.strikes.peak, library.strikes.stop):
            effector = EFFECTORS[int(library.strikes.effector[strike])]
            for whom in others:
                hit = _hit(walk.clip, walks[whom].clip, effector, ticks)
                if hit is not None:
                    tick, part, point = hit
                    speed = float(library.strikes.speed[strike])
                    found.append(Event(tick, "hit", who, whom, effector, part, speed, point))
                    break  # a blow lands once
    return sorted(found, key=lambda event: (event.tick, event.who))


def _strikes(walk: Walk, peak: np.ndarray, stop: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """The strikes of a library that a clip shows, each with the ticks in which it may land."""
    for strike in range(len(peak)):
        shown = np.flatnonzero((walk.frame >= peak[strike]) & (walk.frame < stop[strike]))
        # one that is shown several times is several strikes
        for ticks in np.split(shown, np.flatnonzero(np.diff(shown) > 1) + 1):
            if len(ticks) and ticks[0] > 0:
                yield strike, ticks


def _hit(
    striker: Clip, struck: Clip, effector: str, ticks: np.ndarray
) -> tuple[int, str, tuple[float, float, float]] | None:
    """The first of some ticks in which what strikes touches somebody, what it touches, and where."""
    apart = (striker.root_position - struck.root_position)[ticks][:, [0, 2]]
    if np.hypot(apart[:, 0], apart[:, 1]).min() > _NEAR:
        return None
    weapon = CAPSULES.index(effector)
    mine, theirs = (
        fit(clip.skeleton).place(clip.positions[ticks], clip.global_rotations[ticks])
        for clip in (striker, struck)
    )
    depth = np.empty((len(ticks), 1, len(_PARTS)))
    overlap.depths(
        np.ascontiguousarray(mine[:, weapon : weapon + 1]),
        fit(striker.skeleton).radii[weapon : weapon + 1],
        np.ascontiguousarray(theirs[:, _PARTS]),
        fit(struck.skeleton).radii[_PARTS],
        depth,
    )
    touching = np.flatnonzero(depth.max(axis=(1, 2)) > 0.0)
    if len(touching) == 0:
        return None
    row = int(touching[0])
    x, y, z = mine[row, weapon, 1].tolist()
    return int(ticks[row]), STRUCK[int(depth[row, 0].argmax())], (x, y, z)
