"""Places: which bodies touch, and when. Each is refined by itself, so a hard one spoils no other."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from randori.kernels import overlap, physics, puppet
from randori.timeline.calming import widened
from randori.timeline.timeline import Event

_PUSHING_DISTANCE = 0.3  # metres between bodies: nearer than that one may be pushed into the other


class Place(NamedTuple):
    """Some bodies in some frames."""

    people: list[int]
    rows: slice

    def blows(self, blows: Sequence[Event]) -> list[Event]:
        """The blows that land here, in its time and between its people."""
        inside = {who: number for number, who in enumerate(self.people)}
        return [
            replace(blow, tick=blow.tick - self.rows.start, who=inside[blow.who], whom=inside[blow.whom])
            for blow in blows
            if self.rows.start < blow.tick < self.rows.stop and blow.who in inside and blow.whom in inside
        ]


def find_places(
    bodies: puppet.Bodies, pairs: np.ndarray, busy: np.ndarray, blows: Sequence[Event], reach: int
) -> list[Place]:
    """The places within some frames of where (F, B) bodies are busy: those of the bodies that are close then.

    No body is in two places at once.
    """
    busy = busy.copy()
    meetings = [
        (one, other, _close(bodies, one, other, busy[:, one] | busy[:, other]))
        for one, other in pairs.tolist()
    ]
    for one, other, close in meetings:
        busy[close, one] = busy[close, other] = True
    wide = np.stack([widened(column, reach) for column in busy.T], axis=1)
    found = [Place([who], rows) for who, flags in enumerate(wide.T) for rows in stretches(flags)]
    for one, other, close in meetings:
        for rows in stretches(close):
            found = _joined(found, (one, other), rows)
    for blow in blows:
        if busy[blow.tick, [blow.who, blow.whom]].any():
            found = _joined(found, (blow.who, blow.whom), slice(blow.tick, blow.tick + 1))
    return sorted(found, key=lambda place: (place.rows.start, place.people))


def stretches(where: np.ndarray) -> list[slice]:
    """The runs of frames in which (F,) flags are set."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], where, [False]]).astype(np.int8)))
    return [slice(first, stop) for first, stop in edges.reshape(-1, 2).tolist()]


def _close(bodies: puppet.Bodies, one: int, other: int, where: np.ndarray) -> np.ndarray:
    """(F,) bool: where two bodies are close to each other, of the frames (F,) that are asked for."""
    apart = bodies.points[:, one, puppet.PELVIS] - bodies.points[:, other, puppet.PELVIS]
    rows = np.flatnonzero(where & (np.linalg.norm(apart[:, [0, 2]], axis=-1) < physics.NEAR))
    depth = np.empty((len(rows), bodies.radii.shape[1], bodies.radii.shape[1]))
    overlap.depths(
        bodies.ends[rows, one], bodies.radii[one], bodies.ends[rows, other], bodies.radii[other], depth
    )
    close = np.zeros(len(where), dtype=bool)
    close[rows] = depth.max(axis=(1, 2), initial=-np.inf) > -_PUSHING_DISTANCE
    return close


def _joined(places: Iterable[Place], pair: tuple[int, int], rows: slice) -> list[Place]:
    """The places; two that share a frame, and all others that meet them, become one."""
    left, whole = list(places), Place(sorted(pair), rows)
    while met := [place for place in left if _meet(place, whole)]:
        left = [place for place in left if place not in met]
        whole = Place(
            sorted(set(whole.people).union(*(place.people for place in met))),
            slice(
                min(whole.rows.start, *(place.rows.start for place in met)),
                max(whole.rows.stop, *(place.rows.stop for place in met)),
            ),
        )
    return [*left, whole]


def _meet(one: Place, other: Place) -> bool:
    """Whether a body would be in both at once."""
    together = one.rows.start < other.rows.stop and other.rows.start < one.rows.stop
    return together and not set(one.people).isdisjoint(other.people)
