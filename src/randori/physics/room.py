"""Making room: a character that would walk through another, or into an obstacle, goes a little around it.

What is deep in each other for long is not pushed apart where it stands: whole bodies are moved aside over the
floor, slowly, and their feet are planted again.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from randori.body.capsules import CAPSULES, Capsules
from randori.body.capsules import fit as fit_capsules
from randori.graph.joining import Walk
from randori.kernels import boxes, overlap
from randori.kernels.boxes import Boxes
from randori.kernels.nearness import near_pairs
from randori.motion import rotations as rot
from randori.motion.easing import smooth_cover
from randori.motion.feet import foot_contacts, foot_points
from randori.motion.foot_locking import lock_feet
from randori.motion.parts import SIDES
from randori.physics.giving_way import give_way
from randori.physics.steps import step_along
from randori.timeline.timeline import Event

_TOUCHING_DISTANCE = 1.6  # metres between pelvises within which trunks and legs can touch
_ROUNDS = 3
_EASE_SECONDS = 0.35  # seconds in which a body is moved aside, or back
_SEARCH_STEP = 0.02  # metres, in which the way aside is sought
_MOST_PUSHED = 0.7  # metres between two, at most
_DIRECTIONS = 16  # around
_DEPTH_COST = 3.0  # metres of a way that a metre of being in each other is worth
_KICK_SECONDS = (0.15, 0.35)  # seconds before and after a kick that its leg is in a body
_FAR_AWAY = 1e3  # metres
_STILL_DISTANCE = 1e-4  # metres: not moved
_LYING_HEIGHT = 0.55  # metres over the floor: a pelvis below is not moved, others step around it
# metres that parts may be in each other and still be pushed apart where they are; feet stand
_TRUNK, _FEET, _ARM = 0.06, 0.015, 0.13
_PARTS = ("head", "upper_torso", "lower_torso", "left_thigh", "right_thigh")
_LOW_PARTS = ("left_shin", "left_foot", "right_shin", "right_foot")
_ARMS = (
    "left_forearm",
    "left_hand",
    "right_forearm",
    "right_hand",
)
_ROWS = [CAPSULES.index(name) for name in (*_PARTS, *_LOW_PARTS, *_ARMS)]
_LIMITS = np.full((len(_ROWS), len(_ROWS)), _TRUNK)
_LIMITS[len(_PARTS) : -len(_ARMS), len(_PARTS) : -len(_ARMS)] = _FEET
_LIMITS[: len(_PARTS), -len(_ARMS) :] = _LIMITS[-len(_ARMS) :, : len(_PARTS)] = _ARM
_LIMITS[len(_PARTS) :, -len(_ARMS) :] = _LIMITS[-len(_ARMS) :, len(_PARTS) :] = np.inf  # only from trunks
_OBSTACLE_DEPTHS = np.array(
    [_TRUNK] * len(_PARTS) + [_FEET] * len(_LOW_PARTS) + [np.inf] * len(_ARMS)
)  # in an obstacle

# metres (N,) that a body (N, 13, 2, 3) is too deep in something, in frames (N,)
Depth = Callable[[np.ndarray, np.ndarray], np.ndarray]


def make_room(
    walks: Sequence[Walk],
    blows: Sequence[Event] = (),
    solid: Boxes | None = None,
    further: np.ndarray | None = None,
) -> list[tuple[Walk, np.ndarray]]:
    """The walks, and (F,) bool where each is moved aside.

    No body is moved aside for a leg that strikes. Obstacles do not move. `further` is that of `give_way`.
    """
    frames = min(len(walk.clip) for walk in walks)
    bodies = [fit_capsules(walk.clip.skeleton) for walk in walks]
    aside = give_way(walks, bodies, blows, np.zeros((len(blows), 2)) if further is None else further)
    ease = round(_EASE_SECONDS * walks[0].clip.fps)
    paths = np.stack([walk.clip.root_position[:frames, [0, 2]] for walk in walks])
    pairs = near_pairs(np.ascontiguousarray(paths), _TOUCHING_DISTANCE).tolist()
    moved = [_moved(walk, way) for walk, way in zip(walks, aside)]
    for _ in range(_ROUNDS):  # feet that are planted again may still be in the way
        placed = [_placed(walk, body)[:frames] for (walk, _), body in zip(moved, bodies)]
        for event in blows:
            _leave_out(placed[event.who], event, walks[0].clip.fps)
        heights = [walk.clip.root_position[:frames, 1] for walk, _ in moved]
        further = np.zeros_like(aside)
        for one, other in pairs:
            ends = [placed[who] + _flat(further[who])[:, None, None] for who in (one, other)]
            radii = [bodies[who].radii[_ROWS] for who in (one, other)]
            moves = _way_out(ends, radii, [heights[one], heights[other]], ease)
            further[one] += moves[0]
            further[other] += moves[1]
        if solid is not None:
            for who, body in enumerate(bodies):
                here = placed[who] + _flat(further[who])[:, None, None]
                further[who] += _way_out_of(solid, here, body.radii[_ROWS], heights[who], ease)
        if not further.any():
            break
        aside += further
        moved = [_moved(walk, way) for walk, way in zip(walks, aside)]
    return moved


def _placed(walk: Walk, body: Capsules) -> np.ndarray:
    """(F, 13, 2, 3) metres: the ends of a body's trunk, legs and arms."""
    return body.place(walk.clip.positions, walk.clip.global_rotations)[:, _ROWS]


def _leave_out(placed: np.ndarray, event: Event, fps: float) -> None:
    """Take the leg that strikes (F, 13, 2, 3), about a blow, out of the other bodies."""
    side, _, part = event.what.partition("_")
    limb = ("thigh", "shin", "foot") if part in ("foot", "shin") else ("forearm", "hand")
    if side in SIDES:
        first, last = (round(seconds * fps) for seconds in _KICK_SECONDS)
        rows = [_ROWS.index(CAPSULES.index(f"{side}_{name}")) for name in limb]
        placed[max(event.tick - first, 0) : event.tick + last, rows] += _FAR_AWAY


def _flat(moves: np.ndarray) -> np.ndarray:
    """(F, 3) metres from (F, 2) over the floor."""
    return np.column_stack([moves[:, 0], np.zeros(len(moves)), moves[:, 1]])


def _way_out(
    ends: list[np.ndarray], radii: list[np.ndarray], heights: list[np.ndarray], ease: int
) -> tuple[np.ndarray, np.ndarray]:
    """(F, 2) metres for each of two: over the floor, what brings them out of each other."""
    moves = np.zeros((2, len(ends[0]), 2))

    def depth(body: np.ndarray, frames: np.ndarray) -> np.ndarray:
        return _too_deep(body, radii[0], ends[1][frames], radii[1])

    for rows in _stretches(depth(ends[0], np.arange(len(ends[0]))), ease):
        amount = np.zeros((len(ends[0]), 2))
        amount[rows] = _shortest_way(ends[0], rows, depth, ease)
        standing = [float(heights[k][rows].mean() > _LYING_HEIGHT) for k in range(2)]
        share = 0.5 if standing[0] == standing[1] else standing[0]
        moves[0] += share * amount
        moves[1] -= (1.0 - share) * amount
    return moves[0], moves[1]


def _way_out_of(
    solid: Boxes, ends: np.ndarray, radii: np.ndarray, heights: np.ndarray, ease: int
) -> np.ndarray:
    """(F, 2) metres over the floor that bring a body out of what is solid; one that lies stays."""

    def depth(body: np.ndarray, frames: np.ndarray) -> np.ndarray:
        deep = np.empty(body.shape[:2])
        here = Boxes(solid.middles[frames], solid.turned[frames], solid.halves, solid.radii)
        boxes.depths(np.ascontiguousarray(body), radii, here, deep)
        deepest: np.ndarray = (deep - _OBSTACLE_DEPTHS).max(axis=1)
        return deepest

    moves = np.zeros((len(ends), 2))
    for rows in _stretches(depth(ends, np.arange(len(ends))), ease):
        if heights[rows].mean() > _LYING_HEIGHT:
            moves[rows] += _shortest_way(ends, rows, depth, ease)
    return moves


def _stretches(depth: np.ndarray, ease: int) -> list[slice]:
    """Stretches in which a body is too deep (F,) in another or an obstacle, with the way there and back."""
    inside = np.flatnonzero(depth > 0.0)
    if len(inside) == 0:
        return []
    parts = np.split(inside, np.flatnonzero(np.diff(inside) > 2 * ease) + 1)
    return [slice(max(int(part[0]) - 2 * ease, 0), int(part[-1]) + 1 + 2 * ease) for part in parts]


def _too_deep(a: np.ndarray, a_radii: np.ndarray, b: np.ndarray, b_radii: np.ndarray) -> np.ndarray:
    """(F,) metres that two bodies are deeper in each other than can be mended in place."""
    depth = np.empty((len(a), len(_ROWS), len(_ROWS)))
    overlap.depths(np.ascontiguousarray(a), a_radii, np.ascontiguousarray(b), b_radii, depth)
    deepest: np.ndarray = (depth - _LIMITS).max(axis=(1, 2))
    return deepest


def _shortest_way(ends: np.ndarray, rows: slice, depth: Depth, ease: int) -> np.ndarray:
    """(N, 2) metres over the floor that bring a body (F, 13, 2, 3) out of something, soonest and for good."""
    body = ends[rows]
    frames = np.arange(rows.start, rows.start + len(body))
    best, least = np.zeros((len(body), 2)), np.inf
    for angle in 2.0 * np.pi * np.arange(_DIRECTIONS) / _DIRECTIONS:
        way = np.array([np.sin(angle), np.cos(angle)])
        needed = _needed(body, frames, depth, way, least)
        if needed.max() >= least:
            continue
        moves = smooth_cover(needed, ease)[:, None] * way
        left = depth(body + _flat(moves)[:, None, None], frames).max()
        cost = float(needed.max()) + _DEPTH_COST * max(float(left), 0.0)
        if cost < least:
            best, least = moves, cost
    return best


def _needed(body: np.ndarray, frames: np.ndarray, depth: Depth, way: np.ndarray, enough: float) -> np.ndarray:
    """(N,) metres along a way until a body is out of something; not looked for from `enough` on."""
    needed = np.zeros(len(body))
    left = np.ones(len(body), dtype=bool)
    for distance in np.arange(0.0, min(enough, _MOST_PUSHED) + 0.5 * _SEARCH_STEP, _SEARCH_STEP):
        shift = distance * np.array([way[0], 0.0, way[1]])
        needed[left] = distance
        left[left] = depth(body[left] + shift, frames[left]) > 0.0
        if not left.any():
            break
    return needed


def _moved(walk: Walk, aside: np.ndarray) -> tuple[Walk, np.ndarray]:
    """A walk moved by (F, 2) metres over the floor, its feet planted again."""
    clip = walk.clip
    moves = np.zeros((len(clip), 2))
    moves[: len(aside)], moves[len(aside) :] = aside, aside[-1:]
    if np.abs(moves).max() <= _STILL_DISTANCE:
        return walk, np.zeros(len(clip), dtype=bool)
    stepping, stands = step_along(clip, walk.contacts | foot_contacts(clip), moves)
    locked = lock_feet(stepping, stands, foot_points(clip)[..., 1])
    # frames far from it stay unchanged
    moving = np.abs(stepping.positions - clip.positions).max(axis=(1, 2)) > _STILL_DISTANCE
    part = smooth_cover(moving.astype(float), round(_EASE_SECONDS * clip.fps))
    root = stepping.root_position + part[:, None] * (locked.root_position - stepping.root_position)
    same = np.where((locked.rotations * clip.rotations).sum(axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    mixed = clip.rotations + part[:, None, None] * (same * locked.rotations - clip.rotations)
    changed = clip.with_frames(root, rot.unroll(rot.normalize(mixed)))
    return replace(walk, clip=changed, contacts=stands), part > 0.0
