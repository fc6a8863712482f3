"""Giving way: a body that a blow strikes does not go on against the blow.

A reaction begins in the frame of the hit, but a body that came forward keeps its speed for a while. It is led
back over the floor by more than it would move against the blow, and then to its plan again, step by step.
What the blow itself does to the body comes on top of that (`kernels/physics.py`).
"""

from collections.abc import Sequence

import numpy as np

from randori.body.capsules import CAPSULES, Capsules
from randori.graph.joining import Walk
from randori.motion.easing import smoother_step
from randori.timeline.behaviour import GIVING_WAY
from randori.timeline.timeline import Event

_WAY = 0.04  # metres that it moves along the blow instead: a light hit moves people so far
_FARTHEST = 0.25  # metres that somebody is led at most
_BACK = 0.8  # seconds in which it gets back to its plan
_SLOWEST = 0.5  # m/s over the floor: a slower blow has no direction there


def give_way(walks: Sequence[Walk], bodies: Sequence[Capsules], blows: Sequence[Event]) -> np.ndarray:
    """(B, F, 2) metres over the floor by which each body is led along the blows that strike it."""
    frames = min(len(walk.clip) for walk in walks)
    aside = np.zeros((len(walks), frames, 2))
    for event in blows:
        if event.kind != "hit" or not 0 < event.tick < frames:
            continue
        way = _way_of(walks[event.who], bodies[event.who], event)
        against = -_moved(walks[event.whom], event, way, frames)
        if against > 0.0:
            course = _course(np.arange(frames) - event.tick, walks[event.whom].clip.fps)
            aside[event.whom] += min(against + _WAY, _FARTHEST) * course[:, None] * way
    return aside


def _way_of(walk: Walk, body: Capsules, event: Event) -> np.ndarray:
    """(2,) the way that what strikes moves over the floor, of length 1; zeros if it hardly does."""
    clip, when = walk.clip, slice(event.tick - 1, event.tick + 1)
    ends = body.place(clip.positions[when], clip.global_rotations[when])[:, CAPSULES.index(event.what)]
    before, after = ends.mean(axis=1)[:, [0, 2]]
    speed = float(np.linalg.norm(after - before)) * clip.fps
    return np.zeros(2) if speed < _SLOWEST else (after - before) * clip.fps / speed


def _moved(walk: Walk, event: Event, way: np.ndarray, frames: int) -> float:
    """Metres that pelvis and head move along a way after a hit."""
    clip = walk.clip
    later = min(event.tick + round(GIVING_WAY * clip.fps), frames - 1)
    joints = [clip.skeleton.joint("pelvis"), clip.skeleton.joint("head")]
    moved = (clip.positions[later, joints] - clip.positions[event.tick, joints]).mean(axis=0)
    return float(moved[[0, 2]] @ way)


def _course(since: np.ndarray, fps: float) -> np.ndarray:
    """(F,) from 0 to 1 while the body gives way, and back, for frames since the hit."""
    seconds = since / fps
    course: np.ndarray = smoother_step(seconds / GIVING_WAY) - smoother_step((seconds - GIVING_WAY) / _BACK)
    return course
