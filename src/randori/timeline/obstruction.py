"""Depth of bodies in cars and walls, and walks that are cut at the impact of a car."""

from collections.abc import Sequence

import numpy as np

from randori.body.obstacles import Obstacle, boxes_of
from randori.graph.joining import Walk, cut
from randori.kernels import boxes
from randori.timeline.timeline import Timeline

AHEAD = 0.4  # seconds before "run over" in which a car may touch a body already: a hand, or a foot


def obstacle_depths(
    obstacles: Sequence[Obstacle], ends: Sequence[np.ndarray], radii: Sequence[np.ndarray]
) -> np.ndarray:
    """(F,) metres that any body is in an obstacle, for capsules with ends (F, 16, 2, 3) and radii (16,)."""
    frames = min(len(body) for body in ends)
    deepest = np.zeros(frames)
    if not obstacles:
        return deepest
    solid = boxes_of(obstacles, frames)
    for body, sizes in zip(ends, radii):
        depth = np.empty((frames, len(sizes)))
        boxes.depths(np.ascontiguousarray(body[:frames]), sizes, solid, depth)
        deepest = np.maximum(deepest, depth.max(axis=1))
    return deepest


def before_impact(timeline: Timeline, walks: Sequence[Walk]) -> list[Walk]:
    """The walks until a car strikes them: from then on the body is thrown, and nothing is joined."""
    struck = {event.whom: event.tick for event in reversed(timeline.events) if event.kind == "run over"}
    left = {who: max(tick - round(AHEAD * timeline.fps), 2) for who, tick in struck.items()}
    return [cut(walk, slice(0, left[who])) if who in left else walk for who, walk in enumerate(walks)]
