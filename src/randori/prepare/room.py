"""Room to walk: walkers avoid characters that stand, and bodies on the floor."""

from collections.abc import Sequence

import numpy as np

STANDING = 0.95  # metres between the pelvises of two standing characters, at least: raised fists have room
BESIDE = 0.7  # metres from the middle of a body that lies, arms spread, to a standing character
_DETOUR_DISTANCE = 0.95  # metres at which it is walked round
_FASTEST_STEP = 0.9  # metres per second, the fastest step aside
_STIFFNESS = 2.0  # per second: a character that is met gives way, it is not thrown aside

Lying = Sequence[np.ndarray]  # (2, 2) each: x, z metres of head and feet


def nearest_on(segment: np.ndarray, place: np.ndarray) -> np.ndarray:
    """(2,) the point of a segment (2, 2) that is nearest to a place (2,)."""
    along = segment[1] - segment[0]
    share = float((place - segment[0]) @ along) / max(float(along @ along), 1e-9)
    return segment[0] + min(max(share, 0.0), 1.0) * along


def gap(first: np.ndarray, second: np.ndarray) -> float:
    """Metres between two segments (2, 2) on the floor; 0 where they cross."""
    if _crosses(first, second):
        return 0.0
    ends = [(second, end) for end in first] + [(first, end) for end in second]
    return min(float(np.linalg.norm(nearest_on(segment, end) - end)) for segment, end in ends)


def _crosses(first: np.ndarray, second: np.ndarray) -> bool:
    def side(line: np.ndarray, place: np.ndarray) -> float:
        along, to = line[1] - line[0], place - line[0]
        return float(along[0] * to[1] - along[1] * to[0])

    return (
        side(first, second[0]) * side(first, second[1]) < 0.0
        and side(second, first[0]) * side(second, first[1]) < 0.0
    )


def way_round(place: np.ndarray, goal: np.ndarray, lying: Lying) -> np.ndarray:
    """(2,) where to walk at first to get to a goal: the goal itself, or past the end of a body in between."""
    way = np.stack([place, goal])
    blocked = [body for body in lying if gap(way, body) < BESIDE]
    if not blocked:
        return goal
    body = min(blocked, key=lambda one: float(np.linalg.norm(nearest_on(one, place) - place)))
    along = (body[1] - body[0]) / max(float(np.linalg.norm(body[1] - body[0])), 1e-9)
    across = np.array([-along[1], along[0]])
    corners = [
        end + _DETOUR_DISTANCE * (outwards + side * across)
        for end, outwards in ((body[0], -along), (body[1], along))
        for side in (-1.0, 1.0)
    ]

    def length(corner: np.ndarray) -> float:
        through = gap(np.stack([place, corner]), body) < 0.8 * BESIDE
        return float(np.linalg.norm(corner - place) + np.linalg.norm(goal - corner)) + 10.0 * through

    # a corner that is almost reached counts as passed
    ahead = [corner for corner in corners if np.linalg.norm(corner - place) > 0.5 * BESIDE]
    return min(ahead, key=length)


def is_free(place: np.ndarray, others: Sequence[np.ndarray], lying: Lying) -> bool:
    """Whether there is room to stand at a place (2,), beside others (2,) that stand and bodies that lie."""
    return all(float(np.linalg.norm(place - other)) > STANDING for other in others) and all(
        float(np.linalg.norm(place - nearest_on(body, place))) > BESIDE for body in lying
    )


def pushes(places: np.ndarray, free: np.ndarray, lying: Lying) -> np.ndarray:
    """(N, 2) metres per second, the steps aside of bodies at places (N, 2); a body that is not free stays."""
    speed = np.zeros_like(places)
    between = places[:, None] - places[None]
    apart = np.linalg.norm(between, axis=-1)
    np.fill_diagonal(apart, np.inf)
    for one, other in np.argwhere((apart < STANDING) & free[:, None]).tolist():
        share = 0.5 if free[other] else 1.0
        away = between[one, other] / max(float(apart[one, other]), 1e-6)
        speed[one] += share * _STIFFNESS * (STANDING - apart[one, other]) * away
    for body in lying:
        for one in np.flatnonzero(free).tolist():
            away = places[one] - nearest_on(body, places[one])
            distance = float(np.linalg.norm(away))
            if 1e-6 < distance < BESIDE:
                speed[one] += _STIFFNESS * (BESIDE - distance) * away / distance
    fastest = np.linalg.norm(speed, axis=1, keepdims=True)
    return speed * np.minimum(1.0, _FASTEST_STEP / np.maximum(fastest, 1e-9))
