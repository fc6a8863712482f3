"""Formations: shapes that many pairs make, and ways between them that do not meet."""

from pathlib import Path

import numpy as np

from randori.errors import FileError
from randori.scene.pictures import read_dark
from randori.scene.scene import Formation

_MEETINGS = 1e-9


def ways(formation: Formation, shares: np.ndarray, folder: Path) -> np.ndarray:
    """(T, P, 2) metres: where each pair is, by the share of the way, from 0 to 1.

    Beyond both ends the ways go on as they were.
    """
    count, spacing = formation.pairs, formation.spacing
    match formation.shape:
        case "spiral":
            places = spiral(count, spacing)
        case "circle":
            places = circle(count, spacing, formation.radius)
        case "line":
            places = line(count, spacing)
        case "picture" | "hall":
            places = grid(count, spacing)
    goals = places
    if formation.shape == "picture":
        goals = from_picture(folder / formation.picture, count, spacing)
        goals = goals[assign(places, goals)]
    share = np.asarray(shares)[:, None, None]
    moved = places + share * (goals - places)
    moved = moved * (1.0 + share * (formation.spread - 1.0))
    turn = np.radians(formation.turn) * share[..., 0]
    x, z = moved[..., 0], moved[..., 1]
    turned = np.stack([x * np.cos(turn) + z * np.sin(turn), z * np.cos(turn) - x * np.sin(turn)], axis=-1)
    return turned + share * np.array(formation.march) + np.array(formation.centre)


def spiral(count: int, spacing: float) -> np.ndarray:
    """(P, 2) metres: a spiral from its middle outwards, with about `spacing` between neighbours."""
    angles, angle, pitch = [], 2.0, spacing / (2.0 * np.pi)
    for _ in range(count):
        angles.append(angle)
        angle += spacing / (pitch * np.sqrt(1.0 + angle * angle))
    turned = np.array(angles)
    return pitch * turned[:, None] * np.stack([np.sin(turned), np.cos(turned)], axis=1)


def circle(count: int, spacing: float, radius: float | None = None) -> np.ndarray:
    """(P, 2) metres: evenly around a circle, that is wide enough."""
    wide = max(radius or 0.0, 0.5 * spacing / np.sin(np.pi / count) if count > 1 else 0.0)
    turned = 2.0 * np.pi * np.arange(count) / count
    return wide * np.stack([np.sin(turned), np.cos(turned)], axis=1)


def line(count: int, spacing: float) -> np.ndarray:
    """(P, 2) metres: side by side along x."""
    x = spacing * (np.arange(count) - 0.5 * (count - 1))
    return np.stack([x, np.zeros(count)], axis=1)


def grid(count: int, spacing: float) -> np.ndarray:
    """(P, 2) metres: rows of a square."""
    side = int(np.ceil(np.sqrt(count)))
    row, column = np.divmod(np.arange(count), side)
    rows = -(-count // side)
    return spacing * np.stack([column - 0.5 * (side - 1), row - 0.5 * (rows - 1)], axis=1)


def from_picture(path: Path, count: int, spacing: float) -> np.ndarray:
    """(P, 2) metres: spread over the dark parts of a picture, which is as large as necessary.

    Its upper edge is away (+z), its right side is -x, as seen by a viewer who looks along +z.
    """
    dark = read_dark(path)
    rows, columns = np.nonzero(dark)
    if len(rows) < count:
        raise FileError(path, f"has {len(rows)} dark pixels, too few for {count} pairs")
    pixels = np.stack([-columns, -rows], axis=1).astype(float)
    chosen = _far_apart(pixels, count)
    apart = np.linalg.norm(chosen[:, None] - chosen, axis=-1) + np.eye(count) * 1e9
    return (chosen - chosen.mean(axis=0)) * spacing / apart.min()


def _far_apart(points: np.ndarray, count: int) -> np.ndarray:
    """(P, 2) some of the points, each as far as possible from those before."""
    chosen = [int(np.argmin(((points - points.mean(axis=0)) ** 2).sum(axis=1)))]
    away = ((points - points[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < count:
        chosen.append(int(np.argmax(away)))
        away = np.minimum(away, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
    return points[chosen]


def assign(places: np.ndarray, goals: np.ndarray) -> np.ndarray:
    """(P,) which goal each place goes to, so that straight ways at equal pace do not meet.

    Two of them do not, if swapping their goals would not make the sum of squares shorter.
    """
    order = np.arange(len(places))
    cost = ((places[:, None] - goals) ** 2).sum(axis=-1)  # (P, P) from each place to each character's goal
    now = np.diag(cost).copy()
    gain = now[:, None] + now - cost - cost.T  # (P, P) of swapping the goals of two
    while True:
        one, other = np.unravel_index(int(np.argmax(gain)), gain.shape)
        if gain[one, other] <= _MEETINGS:
            return order
        both = [one, other]
        order[both] = order[both[::-1]]
        cost[:, both] = cost[:, both[::-1]]
        now[both] = cost[both, both]
        for who in both:  # nothing changes for other pairs
            gain[who] = now[who] + now - cost[who] - cost[:, who]
            gain[:, who] = now + now[who] - cost[:, who] - cost[who]
