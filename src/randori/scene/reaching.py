"""Finds where dressed bodies must stand so that their blows land.

A body comes nearer where its limb is too short, as far as trunks and heads leave room. Where a part is too
high or too low for that, the blow goes to the nearest part that is in reach.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from randori.body.capsules import CAPSULES, fit
from randori.motion.clip import Clip
from randori.motion.easing import smooth_step
from randori.motion.inverse_kinematics import find_limb
from randori.physics.skins import LIMBS
from randori.timeline.timeline import Event

_ROUNDS = 4  # rounds of finding the places of all characters
_MOST_MOVED = 0.45  # metres that a body moves for the sake of a blow in one round
_STRETCH = 0.97  # of an arm or a leg that a blow uses
_BENT = 0.75  # of the reach of a blow that a body leaves room for
_GIVES = 0.02  # metres that a kept contact may be off by, as `KEPT` in dress.py
_TRUNK = ("head", "upper_torso", "lower_torso")
_SOLID = (*_TRUNK, "left_thigh", "right_thigh")  # parts that are in each other's way
_STRUCK = (*_SOLID, "left_shin", "right_shin")  # parts that a blow may go to instead


class _Blow(NamedTuple):
    """The geometry of a blow, seen along the floor from the striker to the struck part."""

    way: np.ndarray  # (3,) unit vector over the floor
    away: float  # metres over the floor from the shoulder or the hip to the part
    farthest: float  # metres from which the limb still reaches it; 0 if it is too high or too low
    nearest: float  # metres that leave the limb room to strike
    room: float  # metres that the striker may come nearer until trunks and heads touch
    distant: float  # metres from where the blow lands now to the part

    @property
    def feasible(self) -> bool:
        return self.farthest > 0.0 and self.away - self.farthest <= self.room + _GIVES

    @property
    def move(self) -> np.ndarray:
        """(3,) metres over the floor that the striker must move by."""
        if self.away > self.farthest:
            nearer = self.away - self.farthest
        else:
            nearer = min(self.away - self.nearest, 0.0)
        return float(np.clip(min(nearer, self.room), -_MOST_MOVED, _MOST_MOVED)) * self.way


def within_reach(event: Event, striker: Clip, struck: Clip) -> Event:
    """The blow, on the nearest part that its limb can reach if it cannot reach the one it was meant for."""
    blow = _blow(striker, struck, event, np.zeros(3))
    if event.kind != "hit" or blow is None or blow.feasible:
        return event
    found = []
    for part in _STRUCK:
        other = _blow(striker, struck, replace(event, part=part), np.zeros(3))
        if other is not None and other.feasible:
            found.append((other.distant, part))
    return replace(event, part=min(found)[1]) if found else event


def find_shifts(clips: Sequence[Clip], changed: Sequence[bool], touches: Sequence[Event]) -> list[np.ndarray]:
    """(F, 3) metres, for each character, that bring it to where its limbs reach what they strike.

    Only characters whose bodies have changed are moved.
    """
    frames = len(clips[0])
    wanted: list[dict[int, np.ndarray]] = [{} for _ in clips]
    shifts = [np.zeros((frames, 3)) for _ in clips]
    for _ in range(_ROUNDS):
        for event in touches:
            one, other = event.who, event.whom
            if not changed[one] and not changed[other]:
                continue
            apart = shifts[one][event.tick] - shifts[other][event.tick]
            blow = _blow(clips[one], clips[other], event, apart)
            move = np.zeros(3) if blow is None else blow.move
            if changed[one]:
                wanted[one][event.tick] = shifts[one][event.tick] + move
            else:  # the striker keeps its body: the struck character comes to it
                wanted[other][event.tick] = shifts[other][event.tick] - move
        shifts = [_between(rows, frames) for rows in wanted]
    return shifts


def _blow(striker: Clip, struck: Clip, event: Event, apart: np.ndarray) -> _Blow | None:
    """A blow of a striker that is moved by (3,) metres; None if it does not strike with an arm or a leg."""
    side, _, end = event.what.partition("_")
    if end not in LIMBS:
        return None
    tick, body, other = event.tick, fit(striker.skeleton), fit(struck.skeleton)
    own, theirs = (
        one.place(clip.positions[tick : tick + 1], clip.global_rotations[tick : tick + 1])[0]
        for one, clip in ((body, striker), (other, struck))
    )
    own = own + apart
    weapon, part = CAPSULES.index(event.what), CAPSULES.index(event.part)
    tip = own[weapon].mean(axis=0)
    limb = find_limb(striker.skeleton, f"{side}_{LIMBS[end]}")
    start = striker.positions[tick, limb.upper] + apart
    fist = float(np.linalg.norm(tip - striker.positions[tick, limb.end] - apart))
    reach = _STRETCH * striker.skeleton.length_between(limb.end, limb.upper) + fist
    axis = theirs[part, 1] - theirs[part, 0]
    share = np.clip((tip - theirs[part, 0]) @ axis / max(axis @ axis, 1e-12), 0.0, 1.0)
    middle = theirs[part, 0] + share * axis
    to_it = middle - start
    level = to_it * np.array([1.0, 0.0, 1.0])
    away, height = float(np.linalg.norm(level)), float(to_it[1])
    if away < 1e-6:
        return None
    radius = max(float(other.radii[part]), 0.0)
    farthest = np.sqrt(max((reach + radius) ** 2 - height**2, 0.0))
    bent = _BENT * float(np.linalg.norm(tip - start)) + radius + max(float(body.radii[weapon]), 0.0)
    close = float(np.linalg.norm(to_it)) < float(np.linalg.norm(tip - start))
    nearest = min(np.sqrt(max(bent**2 - height**2, 0.0)), farthest) if close else 0.0
    way = level / away
    room = _room(own, body.radii, theirs, other.radii, way)
    return _Blow(way, away, farthest, nearest, room, float(np.linalg.norm(middle - tip)))


def _room(
    own: np.ndarray, radii: np.ndarray, theirs: np.ndarray, their_radii: np.ndarray, way: np.ndarray
) -> float:
    """Metres along a way (3,) until the trunk or the head of one body touches another body."""
    room = np.inf
    across = np.array([way[2], 0.0, -way[0]])
    for one in (CAPSULES.index(part) for part in _TRUNK):
        for other in (CAPSULES.index(part) for part in _SOLID):
            for a in (own[one, 0], own[one].mean(axis=0), own[one, 1]):
                for b in (theirs[other, 0], theirs[other].mean(axis=0), theirs[other, 1]):
                    between = b - a
                    beside = float(between[1]) ** 2 + float(between @ across) ** 2
                    touching = max(float(radii[one]), 0.0) + max(float(their_radii[other]), 0.0)
                    if beside < touching**2:
                        room = min(room, float(between @ way) - float(np.sqrt(touching**2 - beside)))
    return room


def _between(rows: Mapping[int, np.ndarray], frames: int) -> np.ndarray:
    """(F, 3) a way through places at some ticks, without a jerk."""
    way = np.zeros((frames, 3))
    if not rows:
        return way
    ticks = sorted(rows)
    way[: ticks[0]], way[ticks[-1] :] = rows[ticks[0]], rows[ticks[-1]]
    for first, last in pairwise(ticks):
        share = smooth_step((np.arange(first, last) - first) / (last - first))[:, None]
        way[first:last] = (1.0 - share) * rows[first] + share * rows[last]
    return way
