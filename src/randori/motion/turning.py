"""Turning a body on its own steps: it does what it did, and comes round by an angle while it steps.

The turn goes on while a foot is in the air, about the ball of the foot that stands. A planted foot keeps its
place; what the hip cannot twist, it pivots. Heights, arms and trunk stay as they were recorded.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.easing import smoother_step
from randori.motion.feet import foot_points, leg_length, planted_phases, planted_point
from randori.motion.foot_locking import pelvis_sinking
from randori.motion.inverse_kinematics import find_limb, look_along, solve_limb
from randori.motion.parts import SIDES

EASE = 0.1  # seconds in which a turn starts, slows down between two steps, and ends
_BOTH_DOWN = 0.35  # of the pace, while both feet stand: the hips turn on between two steps
_TWIST = np.radians(40.0)  # that a foot is turned away from the body by a turn; from there on it pivots
_KNEE_SHARE = 0.6  # of such a twist that the knee goes along with
_HEAD_LEAD = 0.12  # seconds that the head is ahead: people look where they turn to
_MOST_HEAD_LEAD = np.radians(30.0)
_LOADING_SECONDS = (
    0.08  # seconds after landing, and before lifting, in which a foot takes and gives up the weight
)
_PELVIS_WEIGHT = 0.05  # as a centre of the turn; with both feet in the air it is the only one
_SHORTEST_SWING = 0.1  # seconds: people need more to put a foot elsewhere
MOST_PIVOT = np.radians(60.0)  # of a foot on the floor, in one support
_STRAIGHT_ANGLE = (
    0.01  # radians between two places of a foot, below which it goes straight from one to the other
)
_STILL_FRAMES = 2  # frames at both ends without any turn: velocities there are as they were


class Turned(NamedTuple):
    """A clip that turns, and what says whether a body can do so."""

    clip: Clip
    turn: np.ndarray  # (F,) radians more than in the source
    pivots: np.ndarray  # (P,) radians that each planted foot turns on the floor, more than in the source
    missed: np.ndarray  # (F, 2) metres from each ankle to where it should be


def turn_on_steps(
    clip: Clip, contacts: np.ndarray, angle: float, first: int, last: int, free: np.ndarray | None = None
) -> Turned | None:
    """The clip with its body turned further by `angle` radians between the frames `first` and `last`.

    Before that it is unchanged, after it only its place and heading differ. It turns only in
    frames that are `free` (F,). Without a step in them no body turns, and with one foot always down only as
    far as that foot can pivot: then there is no such clip.
    """
    contacts = _without_short_swings(contacts, first, last, round(_SHORTEST_SWING * clip.fps))
    planted = np.logical_and.reduce(contacts[first : last + 1], axis=0)
    pace = _pace(contacts, clip.fps, first, last, free)
    if not pace.any() or (planted.any() and abs(angle) > MOST_PIVOT):
        return None
    # Step 1. How far the body has turned, and about what.
    turn = np.concatenate([[0.0], np.cumsum(0.5 * (pace[1:] + pace[:-1]))])
    turn *= angle / turn[-1]
    points = foot_points(clip)
    held = _held_points(points, contacts, leg_length(clip))
    centre = _centre(held, clip.root_position, contacts, planted, clip.fps)
    moves = _moves(turn, centre)

    # Step 2. The whole body goes round.
    yaw = rot.from_yaw(turn)
    rotations = clip.rotations.copy()
    rotations[:, 0] = rot.multiply(yaw, rotations[:, 0])
    root = rot.rotate(yaw, clip.root_position) + moves
    body = clip.with_frames(root, rotations)

    # Step 3. Where the feet go: each has the place of one moment of the turn while it stands.
    ways = [_way(contacts[:, foot], turn, first, last, bool(planted[foot])) for foot in range(2)]
    ankles, twists = _feet(points[:, :, 0], held, turn, moves, ways)

    # Step 4. Bend the legs; lower the pelvis where one is too short.
    whole = smoother_step(
        np.minimum(np.arange(len(clip)) - first, last - np.arange(len(clip))) / (EASE * clip.fps)
    )
    sinking = whole * pelvis_sinking(body, ankles, np.ones(contacts.shape), EASE)
    body = body.with_frames(root - sinking[:, None] * rot.Y_AXIS, rotations)
    for foot, side in enumerate(SIDES):
        rotations = _place_leg(body, rotations, side, ankles[:, foot], twists[:, foot])
    body = body.with_frames(body.root_position, rot.unroll(rotations))
    missed = np.linalg.norm(foot_points(body)[:, :, 0] - ankles, axis=-1)
    pivots = [
        np.ptp((turn[:, None] + twists)[phase.start : phase.stop, phase.foot])
        for phase in planted_phases(contacts)
    ]
    return Turned(_lead_with_head(body, turn, first), turn, np.array(pivots), missed)


def _without_short_swings(contacts: np.ndarray, first: int, last: int, shortest: int) -> np.ndarray:
    """Contacts (F, 2), in which a foot is down that is in the air for fewer frames between first and last."""
    down = contacts.copy()
    for swing in planted_phases(~contacts):
        if min(swing.stop - 1, last) - max(swing.start, first) + 1 < shortest:
            down[swing.start : swing.stop, swing.foot] = True
    return down


def _pace(contacts: np.ndarray, fps: float, first: int, last: int, free: np.ndarray | None) -> np.ndarray:
    """(F,) how fast the body turns, in no unit: fully while a foot is in the air, less between two steps."""
    frames = np.arange(len(contacts))
    air = ~contacts.all(axis=1) & (frames > first) & (frames < last)
    if free is not None:
        air &= free
    if not air.any():
        return np.zeros(len(contacts))
    begun, ended = np.flatnonzero(air)[[0, -1]]
    pace = np.where(air, 1.0, _BOTH_DOWN) * ((frames >= begun) & (frames <= ended))
    if free is not None:
        pace *= free
    reach = round(EASE * fps)
    window = np.hanning(2 * reach + 3)[1:-1]
    pace = np.convolve(pace, window / window.sum(), mode="same")
    inside = np.minimum(frames - first, last - frames) - _STILL_FRAMES
    return pace * smoother_step(inside / reach)


def _held_points(points: np.ndarray, contacts: np.ndarray, leg: float) -> np.ndarray:
    """(F, 2, 3) metres: the ball of each foot; where it stands or turns on its heel, the ankle."""
    held = np.empty((len(points), 2, 3))
    for foot in range(2):
        known = [(0.0, 1.0)]  # frames, and the share of the ball in them
        for phase in planted_phases(contacts):
            if phase.foot == foot:
                point, _, _ = planted_point(points, phase, leg)
                known += [(float(phase.start), float(point)), (float(phase.stop - 1), float(point))]
        frames, shares = np.array(known[1:] or known).T
        ball = smoother_step(np.interp(np.arange(len(points)), frames, shares))[:, None]
        held[:, foot] = (1.0 - ball) * points[:, foot, 0] + ball * points[:, foot, 1]
    return held


def _centre(
    held: np.ndarray, root: np.ndarray, contacts: np.ndarray, planted: np.ndarray, fps: float
) -> np.ndarray:
    """(F, 3) metres in the source: what the body turns about, the foot that bears it."""
    if planted.any():
        return held[:, int(np.argmax(planted))]
    weight = np.stack([_load(contacts[:, foot], _LOADING_SECONDS * fps) for foot in range(2)], axis=1)
    total = weight.sum(axis=1, keepdims=True) + _PELVIS_WEIGHT
    return (np.einsum("fk,fkd->fd", weight, held) + _PELVIS_WEIGHT * root) / total


def _load(contact: np.ndarray, frames: float) -> np.ndarray:
    """(F,) 0 to 1: how much of the weight a foot could bear: less after landing and before lifting."""
    air = np.flatnonzero(~contact)
    if len(air) == 0:
        return np.ones(len(contact))
    place = np.searchsorted(air, np.arange(len(contact)))
    before, after = air[np.maximum(place - 1, 0)], air[np.minimum(place, len(air) - 1)]
    away = np.minimum(np.abs(np.arange(len(contact)) - before), np.abs(after - np.arange(len(contact))))
    return contact * smoother_step(away / frames)


def _moves(turn: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """(F, 3) metres to move frames by, after they are turned by (F,) radians, so that centres (F, 3) stay."""
    middle = 0.5 * (centre[1:] + centre[:-1])
    step = rot.rotate(rot.from_yaw(turn[:-1]), middle) - rot.rotate(rot.from_yaw(turn[1:]), middle)
    return np.concatenate([np.zeros((1, 3)), np.cumsum(step, axis=0)])


class _Way(NamedTuple):
    """Moments of the turn from which a foot takes its place and heading, frame by frame."""

    left: np.ndarray  # (F,) frames: the moment that it stands in, or that it has left
    next: np.ndarray  # (F,) frames: the moment that it goes to
    share: np.ndarray  # (F,) 0 to 1: how far it has gone there


def _way(contact: np.ndarray, turn: np.ndarray, first: int, last: int, planted: bool) -> _Way:
    """The way of a foot.

    While it stands the moment stays: the first where it stands from the beginning, the last where it stands
    until the end, and between them the middle of what the body turns meanwhile. In the air it moves on. A
    foot that never leaves the floor pivots with the body.
    """
    frames = np.arange(len(contact))
    if planted:
        return _Way(frames.astype(float), frames.astype(float), np.zeros(len(contact)))
    known = [(0, float(first)), (first, float(first))]
    for phase in planted_phases(np.column_stack([contact, np.zeros_like(contact)])):
        start, stop = max(phase.start, first), min(phase.stop - 1, last)
        if stop < start:
            continue
        if start <= first:
            moment = float(first)
        elif stop >= last:
            moment = float(last)
        else:
            way = np.abs(turn)
            moment = float(np.interp(0.5 * (way[start] + way[stop]), way, frames))
        known += [(start, moment), (stop, moment)]
    known += [(last, float(last)), (len(contact), float(last))]
    left, following, share = (np.empty(len(contact)) for _ in range(3))
    for (begin, one), (end, other) in pairwise(known):
        between = slice(begin, end + 1)
        left[between], following[between] = one, other
        share[between] = smoother_step((frames[between] - begin) / max(end - begin, 1))
    return _Way(left, following, share)


def _feet(
    ankles: np.ndarray, held: np.ndarray, turn: np.ndarray, moves: np.ndarray, ways: Sequence[_Way]
) -> tuple[np.ndarray, np.ndarray]:
    """(F, 2, 3) metres where the ankles go, and (F, 2) radians that the feet are ahead of the body's turn."""
    frames, there, twists = np.arange(len(turn)), held.copy(), np.empty((len(turn), 2))
    for foot, way in enumerate(ways):
        there[:, foot][:, [2, 0]] = _on_the_way(held[:, foot][:, [2, 0]], turn, moves, way)
        behind, ahead = (
            _soft_clip(np.interp(end, frames, turn) - turn, _TWIST) for end in (way.left, way.next)
        )
        twists[:, foot] = behind + way.share * (ahead - behind)
    return there + rot.rotate(rot.from_yaw(turn[:, None] + twists), ankles - held), twists


def _on_the_way(held: np.ndarray, turn: np.ndarray, moves: np.ndarray, way: _Way) -> np.ndarray:
    """(F, 2) z and x in metres of a foot's held point, which is at (F, 2) in the source.

    From one moment of the turn to another one it goes round the point about which the whole body would turn
    on one arc.
    """
    frames = np.arange(len(turn))
    # over the floor as complex numbers, which a yaw turns by multiplying
    place = held[:, 0] + 1j * held[:, 1]
    move = moves[:, 2] + 1j * moves[:, 0]
    angles = [np.interp(moment, frames, turn) for moment in (way.left, way.next)]
    here, there = (
        np.exp(1j * angle) * place + np.interp(moment, frames, move)
        for angle, moment in zip(angles, (way.left, way.next))
    )
    between = angles[1] - angles[0]
    whole = np.exp(1j * between)
    arc = np.abs(between) > _STRAIGHT_ANGLE
    pole = np.where(arc, (there - whole * here) / np.where(arc, 1.0 - whole, 1.0), 0.0)
    round_it = pole + np.exp(1j * way.share * between) * (here - pole)
    gone = np.where(arc, round_it, here + way.share * (there - here))
    return np.column_stack([gone.real, gone.imag])


def _place_leg(
    clip: Clip, rotations: np.ndarray, side: str, ankle: np.ndarray, twist: np.ndarray
) -> np.ndarray:
    """Rotations (F, J, 4) with one leg to its ankle's place (F, 3), its foot twisted by (F,) radians."""
    skeleton, limb = clip.skeleton, find_limb(clip.skeleton, f"{side}_leg")
    wanted = clip.global_rotations.copy()
    wanted[:, limb.end] = rot.multiply(rot.from_yaw(twist), wanted[:, limb.end])
    solved = solve_limb(skeleton, clip.positions, wanted, rotations, limb, ankle)
    # the knee goes along with its foot: the leg twists about the line from the hip to the ankle
    positions, turned = skeleton.forward(clip.root_position, solved)
    line = rot.normalize(positions[:, limb.upper] - positions[:, limb.end])
    about = rot.from_axis_angle(line, _KNEE_SHARE * twist * np.maximum(line[:, 1], 0.0))
    above, under = skeleton.parents[limb.upper], skeleton.parents[limb.end]
    solved[:, limb.upper] = rot.multiply(
        rot.inverse(turned[:, above]), rot.multiply(about, turned[:, limb.upper])
    )
    solved[:, limb.end] = rot.multiply(
        rot.inverse(rot.multiply(about, turned[:, under])), turned[:, limb.end]
    )
    return solved


def _lead_with_head(clip: Clip, turn: np.ndarray, first: int) -> Clip:
    """The clip with its head a little ahead of the turn (F,), from a frame on."""
    frames = np.arange(len(turn))
    ahead = np.minimum(frames + _HEAD_LEAD * clip.fps, len(turn) - 1)
    begun = smoother_step((frames - first - _STILL_FRAMES) / (EASE * clip.fps))
    lead = begun * _soft_clip(np.interp(ahead, frames, turn) - turn, _MOST_HEAD_LEAD)
    gaze = rot.rotate(rot.multiply(rot.from_yaw(lead), clip.turned("head")), rot.Z_AXIS)
    return look_along(clip, gaze, weight=smoother_step(np.abs(lead) / (0.2 * _MOST_HEAD_LEAD)))


def _soft_clip(value: np.ndarray, limit: float) -> np.ndarray:
    """Values that never pass a limit to either side, and are as they are well inside it."""
    return value / (1.0 + np.abs(value / limit) ** 4) ** 0.25
