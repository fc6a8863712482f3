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
from randori.timeline.impulse import GIVING_WAY, moved_along, way_of_blow
from randori.timeline.timeline import Event

_LED_DISTANCE = 0.04  # metres that it moves along the blow instead: a light hit moves people so far
_MOST_LED = 0.25  # metres that a body is led at most
_RETURN_SECONDS = 0.8  # seconds in which it gets back to its plan


def give_way(
    walks: Sequence[Walk], bodies: Sequence[Capsules], blows: Sequence[Event], further: np.ndarray
) -> np.ndarray:
    """(B, F, 2) metres over the floor by which each body is led along the blows that strike it.

    `further` (N, 2) are metres by which each blow leads a body beside what its motion asks for.
    """
    frames = min(len(walk.clip) for walk in walks)
    aside = np.zeros((len(walks), frames, 2))
    for event, lead in zip(blows, find_leads(walks, bodies, blows) + further):
        if lead.any():
            course = _course(np.arange(frames) - event.tick, walks[event.whom].clip.fps)
            aside[event.whom] += course[:, None] * lead * min(1.0, _MOST_LED / float(np.linalg.norm(lead)))
    return aside


def find_leads(
    walks: Sequence[Walk], bodies: Sequence[Capsules], blows: Sequence[Event], tolerance: float = 0.0
) -> np.ndarray:
    """(N, 2) metres over the floor that each blow leads the struck body, so that it gives way.

    Zeros for a body that moves against the blow by no more than `tolerance`.
    """
    frames = min(len(walk.clip) for walk in walks)
    leads = np.zeros((len(blows), 2))
    for number, event in enumerate(blows):
        if event.kind == "hit" and 0 < event.tick < frames:
            struck = walks[event.whom].clip
            later = min(event.tick + round(GIVING_WAY * struck.fps), frames - 1)
            way = _way_of(walks[event.who], bodies[event.who], event)
            against = -moved_along(struck, event.tick, later, way)
            if against > tolerance:
                leads[number] = (against + _LED_DISTANCE) * way
    return leads


def _way_of(walk: Walk, body: Capsules, event: Event) -> np.ndarray:
    """(2,) the way of a blow over the floor."""
    clip, when = walk.clip, slice(event.tick - 1, event.tick + 1)
    ends = body.place(clip.positions[when], clip.global_rotations[when])[:, CAPSULES.index(event.what)]
    return way_of_blow(ends, clip.fps)


def _course(since: np.ndarray, fps: float) -> np.ndarray:
    """(F,) from 0 to 1 while the body gives way, and back, for frames since the hit."""
    seconds = since / fps
    course: np.ndarray = smoother_step(seconds / GIVING_WAY) - smoother_step(
        (seconds - GIVING_WAY) / _RETURN_SECONDS
    )
    return course
