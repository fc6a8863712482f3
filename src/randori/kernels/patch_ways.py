"""Records of patches and crowds tick by tick: what is shown when, and where."""

import math
from typing import NamedTuple

import numpy as np

from randori.kernels.compile import kernel, pasted
from randori.kernels.patch_bodies import place_point
from randori.kernels.places import PLACE
from randori.kernels.plane import move_point, shift_between

SHOWN = np.dtype(
    [
        ("frame", np.int64),
        ("place", PLACE),  # where its recording goes
        ("x", np.float64),  # metres, where the pelvis is
        ("z", np.float64),
    ],
    align=True,
)
PART = np.dtype(
    [
        ("first", np.int64),  # row of its first tick
        ("last", np.int64),  # row of its last tick
        ("begin", np.int64),  # tick of the patch
        ("thing", np.int64),  # 0 for a character, 1 for the mouse
        ("first_action", np.int64),
        ("last_action", np.int64),
        ("at_start", np.bool_),  # it begins as its first action does
    ],
    align=True,
)
BOX = np.dtype(
    [
        ("low_x", np.float64),  # metres
        ("high_x", np.float64),
        ("low_z", np.float64),
        ("high_z", np.float64),
    ],
    align=True,
)
ACTOR = np.dtype(
    [
        ("begun", np.int64),  # the first tick that is planned, -1 if nothing is
        ("until", np.int64),  # the last tick that is planned
        ("thing", np.int64),  # 0 for a character, 1 for the mouse
    ],
    align=True,
)
BLOCK = 32  # ticks that one box is around
FASTEST = 0.3  # metres per tick that two characters come nearer to each other at most


class Ways(NamedTuple):
    """All parts of N patches, tick by tick; part 2 p + r is role r of patch p."""

    parts: np.ndarray  # (2 N,) PART
    shown: np.ndarray  # (T,) SHOWN, in the frame of the patch
    action: np.ndarray  # (T,) int64


class PutPart(NamedTuple):
    """A part of a patch that is put somewhere and begins in a tick."""

    part: int
    tick: int
    x: float  # metres
    z: float
    yaw: float  # radians


class Crowd(NamedTuple):
    """The plans of all characters: N actors, room for M actors and T ticks.

    Before the first planned tick and after the last, an actor holds its pose.
    """

    actors: np.ndarray  # (N,) ACTOR
    shown: np.ndarray  # (M, T) SHOWN
    boxes: np.ndarray  # (T / BLOCK, M) BOX around where the pelvis is


class Plan(NamedTuple):
    """The planned frames of a character from a tick on."""

    start: int  # tick
    shown: np.ndarray  # (L,) SHOWN


@pasted
def row_at(part, tick):
    """The row of a part in a tick of its patch; before and after it the first and the last."""
    return part.first + min(max(tick - part.begin, 0), part.last - part.first)


@kernel
def end_of(part):
    """The last tick of a part, in its patch."""
    return part.begin + part.last - part.first


@kernel
def put_after(motions, ways, old, new):
    """The place of a patch (x, z, yaw) whose part `new` goes on where the part `old` ends."""
    leaving = motions.actions[old.last_action].leaving
    entry = motions.actions[new.first_action].entry
    place = ways.shown[old.last].place
    x, z = place_point(place, leaving.x, leaving.z)
    yaw = leaving.yaw + place.yaw - entry.yaw
    x, z = shift_between(math.cos(yaw), math.sin(yaw), entry.x, entry.z, x, z)
    return put_so(x, z, yaw, ways.shown[new.first].place)


@kernel
def put_so(x, z, yaw, own):
    """The place of a patch (x, z, yaw) that brings its own place `own` to x, z, yaw."""
    turn = yaw - own.yaw
    x, z = shift_between(math.cos(turn), math.sin(turn), own.x, own.z, x, z)
    return x, z, turn


@kernel
def put_rows(own, place, shown):
    """Write the frames of a part (T,) into shown (T,) for a patch at a place; all except the pelvis."""
    cosine, sine = math.cos(place.yaw), math.sin(place.yaw)
    for tick in range(len(own)):
        row, recorded = shown[tick], own[tick].place
        row.frame = own[tick].frame
        row.place.x, row.place.z = move_point(cosine, sine, place.x, place.z, recorded.x, recorded.z)
        row.place.yaw = recorded.yaw + place.yaw


@kernel
def find_pelvis(motions, shown):
    """Fill in where the pelvis is in what is shown (T,)."""
    for tick in range(len(shown)):
        row = shown[tick]
        pelvis = motions.frames[row.frame].pelvis
        row.x, row.z = place_point(row.place, pelvis.x, pelvis.z)


@kernel
def reach_box(motions, shown, margin):
    """The box around all that a body reaches while it shows this (T,), with a margin; as BOX has it."""
    low_x, high_x, low_z, high_z = 1e9, -1e9, 1e9, -1e9
    for tick in range(len(shown)):
        row = shown[tick]
        wide = motions.frames[row.frame].reach + margin
        low_x, high_x = min(low_x, row.x - wide), max(high_x, row.x + wide)
        low_z, high_z = min(low_z, row.z - wide), max(high_z, row.z + wide)
    return low_x, high_x, low_z, high_z


@pasted
def planned_row(actor, tick):
    """The row of what an actor shows in a tick: before and after its plan the first and the last."""
    return min(max(tick, actor.begun), actor.until)
