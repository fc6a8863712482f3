"""Finds how dressed bodies must stand and lean so that their blows land.

Each blow is one small problem: where both bodies stand, how far their trunks lean, how their heads turn and
how low they are. The limb must reach the part that it strikes, nothing else of the
bodies may be in the way, and all of that changes as little as possible. Where a part cannot be reached even
so, the blow goes to the nearest part that can.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from randori.body.capsules import CAPSULES, Capsules, fit
from randori.kernels.contact import nearest_points
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.easing import smooth_cover, smooth_step
from randori.motion.inverse_kinematics import find_limb
from randori.motion.skeleton import Skeleton
from randori.physics.bending import Bend, bent
from randori.physics.skins import LIMBS
from randori.timeline.timeline import Event

_STRETCHED_SHARE = 0.97  # of an arm or a leg that a blow uses
_BENT_SHARE = 0.6  # of the reach in the take: a limb that is bent more than that does not strike
_GIVING_DISTANCE = 0.02  # metres that a kept contact may be off by, as `KEPT` in dress.py
_DEEP = 0.02  # metres that capsules may be in each other: flesh gives
STRUCK = ("head", "upper_torso", "lower_torso", "left_thigh", "right_thigh", "left_shin", "right_shin")
_SOLID_PARTS = (*STRUCK, "left_upper_arm", "right_upper_arm")  # parts that are in each other's way
_TRUNK_PARTS = ("head", "upper_torso", "lower_torso")
_SPACING = 0.25  # seconds before and after in which bodies go apart
_ALONG = (0.0, 0.5, 1.0)  # shares of a capsule at which it is looked at
_REACHING = (0.45, 0.65, 0.85)  # shares of the way from the shoulder to the target, for what is in the way

# The least squares: how much of each change counts as much as what it mends.
_OFF, _IN, _IN_THE_WAY = 0.003, 0.006, 0.1  # metres off the target, in a body, in the way of the limb
_SHIFT, _SINK, _LEAN, _TURN = 0.2, 0.06, 0.2, 0.25  # metres, metres, radians, radians
_HASTE = 0.7, 0.02  # metres per second, and metres, by which two blows' places may differ
_MOST_SHIFT, _LOWEST, _HIGHEST = 0.6, 0.15, 0.02  # metres; the last two are shares of the leg
_SWAY = 0.12  # of the leg, that a pelvis moves over planted feet
_MOST_LEAN, _MOST_TURN = 0.45, 0.4  # radians about each axis
_STEPS = 24  # of the least squares
_CARE = (0.01, 1.0, 10.0, 100.0, 1000.0)  # damping of the steps that are tried, of which the best is taken
_NUDGE = 1e-3  # of each scale, for slopes
_SETTLED = 1e-4  # of the cost: a smaller gain is none
_ABOUT = (0, -20, -10, 10, 20, 32)  # frames about a blow in which bodies are kept out of each other
_LONG_AGO = 10_000  # frames: a body that has not been moved before may be moved freely
_EASE = 26  # frames before and after a blow in which a body leans
_OWN = 9  # numbers that change a body: 2 over the floor, 1 down, 3 lean, 3 turn


class Landing(NamedTuple):
    """How a blow lands: on which part, and what its two bodies change for it, if anything is known of it."""

    event: Event
    shifts: np.ndarray | None = None  # (2, 3) metres over the floor, of the striker and the struck
    bends: np.ndarray | None = None  # (2, 3, 3) a Bend of each


def find_landings(
    clips: Sequence[Clip], changed: Sequence[bool], touches: Sequence[Event], *, planted: bool = False
) -> list[Landing]:
    """How each touch lands, in the order of the touches; only changed bodies move over the floor.

    On planted feet no body moves over the floor, but its pelvis moves a little with its lean.
    """
    found: dict[int, Landing] = {}
    last: dict[int, tuple[int, np.ndarray]] = {}  # when and where a body was moved to
    for number, event in sorted(enumerate(touches), key=lambda one: one[1].tick):
        pair = event.who, event.whom
        free = [changed[who] for who in pair]
        if not any(free) or _limb_of(event.what) is None:
            continue
        before = [last.get(who, (-_LONG_AGO, np.zeros(3))) for who in pair]
        anchor = np.array([place for _, place in before])
        patience = [(event.tick - tick) / clips[0].fps for tick, _ in before]
        room = _Room(free, anchor, patience, planted)
        found[number] = landing = _land(clips, event, room)
        if landing.shifts is not None and not planted:
            last |= {who: (event.tick, shift) for who, shift in zip(pair, landing.shifts)}
    return [found.get(number, Landing(event)) for number, event in enumerate(touches)]


def _limb_of(what: str) -> str | None:
    """The limb that moves what strikes, such as "left_leg"; None for a head or a trunk."""
    side, _, end = what.partition("_")
    if what == "weapon":
        return "right_arm"
    return f"{side}_{LIMBS[end]}" if end in LIMBS else None


def shifts_of(landings: Sequence[Landing], count: int, frames: int) -> list[np.ndarray]:
    """(F, 3) metres, for each of so many characters, that bring it to where its blows land."""
    rows: list[dict[int, np.ndarray]] = [{} for _ in range(count)]
    for event, shifts, _ in landings:
        if shifts is not None:
            rows[event.who][event.tick], rows[event.whom][event.tick] = shifts
    return [_between(own, frames) for own in rows]


def bends_of(landings: Sequence[Landing], count: int, frames: int) -> list[Bend | None]:
    """How each of so many characters leans, (F, 3) each; nothing for one that does not."""
    rows: list[dict[int, np.ndarray]] = [{} for _ in range(count)]
    for event, _, bends in landings:
        if bends is not None:
            rows[event.who][event.tick], rows[event.whom][event.tick] = bends.reshape(2, -1)
    found: list[Bend | None] = []
    for own in rows:
        if not any(bend.any() for bend in own.values()):
            found.append(None)
            continue
        way = _between(_coming_back(own), frames)
        found.append(Bend(way[:, :3], way[:, 3:6], way[:, 6:]))
    return found


class _Room(NamedTuple):
    """Where the two bodies of a blow may move."""

    free: Sequence[bool]  # whether each may move over the floor
    anchor: np.ndarray  # (2, 3) metres, to where its last blow has moved it
    patience: Sequence[float]  # seconds since then
    planted: bool  # on feet that stay


def _land(clips: Sequence[Clip], event: Event, room: _Room) -> Landing:
    """A blow on its part, or on the nearest one that is in reach."""
    own = _Blow(clips, event, room)
    x = own.solved()
    if event.kind == "hit" and not room.planted and not own.lands(x):
        for part in own.nearest_parts():
            other = _Blow(clips, replace(event, part=part), room)
            moved = other.solved()
            if other.lands(moved):
                own, x = other, moved
                break
    return own.landing(x)


def spaced(clips: Sequence[Clip], changed: Sequence[bool], shifts: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Shifts (F, 3) with which trunks and heads of other sizes are not in each other between blows."""
    found = [shift.copy() for shift in shifts]
    for one, other in combinations(range(len(clips)), 2):
        free = np.array([changed[one], changed[other]], dtype=float)
        if not free.any():
            continue
        apart = clips[other].root_position + shifts[other] - clips[one].root_position - shifts[one]
        apart[:, 1] = 0.0
        far = np.linalg.norm(apart, axis=1)
        tall = clips[one].skeleton.height + clips[other].skeleton.height
        rows = np.flatnonzero(far < 0.5 * tall)
        if len(rows) == 0:
            continue
        way = apart / np.maximum(far, 1e-6)[:, None]
        missing = np.zeros(len(apart))
        here, there = (_trunk(clips[who], shifts[who], rows) for who in (one, other))
        missing[rows] = _missing_room(here, there, way[rows])
        reach = max(round(_SPACING * clips[one].fps), 1)
        push = smooth_cover(missing, reach)[:, None] * way
        found[one] -= free[0] / free.sum() * push
        found[other] += free[1] / free.sum() * push
    return found


def _trunk(clip: Clip, shift: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Middles (F, S, 3) along the head and the trunk in some frames, and their radii (S,)."""
    body, which = fit(clip.skeleton), [CAPSULES.index(part) for part in _TRUNK_PARTS]
    ends = body.place(clip.positions[rows], clip.global_rotations[rows])[:, which] + shift[rows, None, None]
    share = np.array(_ALONG)[:, None]
    middles = ends[:, :, None, 0] + share * (ends[:, :, None, 1] - ends[:, :, None, 0])
    radii = np.repeat(np.maximum(body.radii[which], 0.0), len(_ALONG))
    return middles.reshape(len(rows), -1, 3), radii


def _missing_room(
    one: tuple[np.ndarray, np.ndarray], other: tuple[np.ndarray, np.ndarray], way: np.ndarray
) -> np.ndarray:
    """(F,) metres by which a body must go along a way (F, 3) until nothing of two bodies touches."""
    between = other[0][:, None] - one[0][:, :, None]
    touching = one[1][:, None] + other[1] - _DEEP
    along = np.einsum("fabk,fk->fab", between, way)
    aside = (between**2).sum(axis=-1) - along**2
    needed = np.sqrt(np.maximum(touching**2 - aside, 0.0)) - along
    return np.clip(np.where(aside < touching**2, needed, 0.0).max(axis=(1, 2)), 0.0, _MOST_SHIFT)


class _Body:
    """A body in the frames about a blow, and what may be changed about it."""

    def __init__(self, clip: Clip, tick: int, planted: bool):
        self.skeleton: Skeleton = clip.skeleton
        self.capsules: Capsules = fit(clip.skeleton)
        frames = np.clip(tick + np.array(_ABOUT), 0, len(clip) - 1)
        self.roots, self.rotations = clip.root_position[frames], clip.rotations[frames]
        self.turned = clip.global_rotations[frames]
        # what leans at the blow leans less before and after; where the body stands stays
        leaning = smooth_step(1.0 - np.abs(frames - tick) / _EASE)
        self.shares = np.repeat(leaning[:, None], _OWN, axis=1)
        if not planted:
            self.shares[:, :2] = 1.0

    @property
    def leg(self) -> float:
        joints = (self.skeleton.joint("left_foot"), self.skeleton.joint("left_thigh"))
        return self.skeleton.length_between(*joints)

    def placed(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Joints (K, B, J, 3) and ends of capsules (K, B, 16, 2, 3) about a blow, for changes (B, 9)."""
        moments, count = len(self.roots), len(x)
        x = (self.shares[:, None] * x).reshape(-1, _OWN)
        turned, rotations = (np.repeat(rows, count, axis=0) for rows in (self.turned, self.rotations))
        rotations = bent(self.skeleton, turned, rotations, x[:, 3:6], x[:, 6:9])
        roots = np.repeat(self.roots, count, axis=0) + x[:, [0, 2, 1]]
        places, turned = self.skeleton.forward(roots, rotations)
        ends = self.capsules.place(places, turned)
        shape = moments, count
        return places.reshape(*shape, *places.shape[1:]), ends.reshape(*shape, *ends.shape[1:])

    def spheres(self, ends: np.ndarray, parts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """(B, P, 3, 3) middles along capsules, and their radii (P,)."""
        which = [CAPSULES.index(part) for part in parts]
        share = np.array(_ALONG)[:, None]
        starts, stops = (ends[:, which][:, :, None, end] for end in range(2))
        return starts + share * (stops - starts), np.maximum(self.capsules.radii[which], 0.0)


def _at(ends: np.ndarray, share: float) -> np.ndarray:
    """(B, 3) points at a share of capsules (B, 2, 3)."""
    return ends[:, 0] + share * (ends[:, 1] - ends[:, 0])


def _share_on(point: np.ndarray, ends: np.ndarray) -> float:
    """Where a capsule (2, 3) is nearest to a point, from 0 to 1."""
    axis = ends[1] - ends[0]
    return float(np.clip((point - ends[0]) @ axis / max(float(axis @ axis), 1e-12), 0.0, 1.0))


def _nearest_shares(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """Where two capsules (2, 3) are nearest to each other, from 0 to 1 along each."""
    along, share, *_ = nearest_points(*one.ravel(), *other.ravel())
    return float(along), float(share)


class _Blow:
    """The small problem of one blow."""

    def __init__(self, clips: Sequence[Clip], event: Event, room: _Room):
        self.event, self.planted = event, room.planted
        self.bodies = [_Body(clips[who], event.tick, room.planted) for who in (event.who, event.whom)]
        striker, struck = self.bodies
        name = _limb_of(event.what) or ""
        side, kind = name.split("_")
        self.limb = find_limb(striker.skeleton, name)
        self.what, self.part = (CAPSULES.index(one) for one in (event.what, event.part))
        nothing = np.zeros((1, _OWN))
        (places, own), (_, theirs) = ([rows[0] for rows in body.placed(nothing)] for body in self.bodies)
        self.farthest = _STRETCHED_SHARE * striker.skeleton.length_between(self.limb.end, self.limb.upper)
        arm = float(np.linalg.norm(places[0, self.limb.end] - places[0, self.limb.upper]))
        self.nearest = _BENT_SHARE * min(arm, self.farthest)
        # The points that meet: of a fist its middle, of a blade where it is nearest.
        self.along, self.share = _nearest_shares(own[0, self.what], theirs[0, self.part])
        if event.what != "weapon":
            self.along = 0.5
            self.share = _share_on(own[0, self.what].mean(axis=0), theirs[0, self.part])
        self.tip = _at(own[:, self.what], self.along)[0]
        radii = striker.capsules.radii[self.what], struck.capsules.radii[self.part]
        self.radius = sum(max(float(radius), 0.0) for radius in radii)
        forearm = CAPSULES.index(f"{side}_forearm" if kind == "arm" else f"{side}_shin")
        self.thick = max(float(striker.capsules.radii[forearm]), 0.0)
        limb_parts = {f"{side}_{part}" for part in ("upper_arm", "thigh", "shin")}
        self.own_parts = [part for part in _SOLID_PARTS if part not in limb_parts]
        self.their_parts = [part for part in _SOLID_PARTS if part != event.part]
        # Two upper arms, or a shin beside a shin, give way to each other by themselves.
        self.anchor, scales = np.zeros(2 * _OWN), []
        low, high = [], []
        for k, body in enumerate(self.bodies):
            self.anchor[k * _OWN : k * _OWN + 2] = room.anchor[k][[0, 2]]
            wide, far = min(_SHIFT, _HASTE[0] * room.patience[k] + _HASTE[1]), _MOST_SHIFT
            if room.planted:
                wide = far = _SWAY * body.leg
            elif not room.free[k]:
                wide, far = _HASTE[1], 0.0
            scales += [wide, wide, _SINK, *[_LEAN] * 3, *[_TURN] * 3]
            low += [-far, -far, -_LOWEST * body.leg, *[-_MOST_LEAN] * 3, *[-_MOST_TURN] * 3]
            rise = 0.0 if room.planted else _HIGHEST * body.leg  # legs may be straight
            high += [far, far, rise, *[_MOST_LEAN] * 3, *[_MOST_TURN] * 3]
        self.scales, self.low, self.high = np.array(scales), np.array(low), np.array(high)

    def nearest_parts(self) -> list[str]:
        """Other parts that the blow may go to, the nearest first."""
        _, ends = self.bodies[1].placed(np.zeros((1, _OWN)))
        middles, radii = self.bodies[1].spheres(ends[0], STRUCK)
        away = np.linalg.norm(middles[0] - self.tip, axis=-1).min(axis=-1) - radii
        return [STRUCK[k] for k in np.argsort(away) if STRUCK[k] != self.event.part]

    def _misses(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Metres off the target (B, 2), in each other (B, N), and in the way of the limb (B, M)."""
        (places, ours), (_, theirs) = (
            body.placed(x[:, k * _OWN : (k + 1) * _OWN]) for k, body in enumerate(self.bodies)
        )
        start, wrist = places[0, :, self.limb.upper], places[0, :, self.limb.end]
        target = _at(theirs[0, :, self.part], self.share)
        way = target - _at(ours[0, :, self.what], self.along)
        length = np.maximum(np.linalg.norm(way, axis=-1, keepdims=True), 1e-9)
        # the wrist moves as far as what strikes has to; its hand does not turn
        away = np.linalg.norm(wrist + (1.0 - self.radius / length) * way - start, axis=-1)
        off = np.stack([np.maximum(away - self.farthest, 0.0), np.maximum(self.nearest - away, 0.0)], axis=1)
        striker, struck = self.bodies
        deep = []
        for own, other in zip(ours, theirs):
            one, radii = striker.spheres(own, self.own_parts)
            two, their_radii = struck.spheres(other, _SOLID_PARTS)
            apart = np.linalg.norm(one[:, :, None, :, None] - two[:, None, :, None, :], axis=-1)
            touching = radii[:, None] + their_radii - _DEEP
            deep.append(np.maximum(touching - apart.min(axis=(3, 4)), 0.0).reshape(len(x), -1))
        line = start[:, None] + np.array(_REACHING)[:, None] * (target - start)[:, None]
        parts, wide = struck.spheres(theirs[0], self.their_parts)
        beside = np.linalg.norm(line[:, None, :, None] - parts[:, :, None], axis=-1).min(axis=(2, 3))
        blocked = np.maximum(self.thick + wide - beside, 0.0)
        return off, np.concatenate(deep, axis=1), blocked

    def _residuals(self, x: np.ndarray) -> np.ndarray:
        """(B, R) of changes (B, 18)."""
        off, deep, blocked = self._misses(x)
        return np.concatenate(
            [off / _OFF, deep / _IN, blocked / _IN_THE_WAY, (x - self.anchor) / self.scales], axis=1
        )

    def solved(self) -> np.ndarray:
        """(18,) the least changes with which the blow lands, as far as it can."""
        x = np.clip(self.anchor, self.low, self.high)
        for _ in range(_STEPS):
            rows = self._residuals(np.concatenate([x[None], x + _NUDGE * np.diag(self.scales)]))
            slopes = (rows[1:] - rows[0]).T / _NUDGE
            # no products of matrices: those round otherwise on another number of threads
            normal = np.einsum("ri,rj->ij", slopes, slopes)
            downhill = np.einsum("ri,r->i", slopes, rows[0])
            moves = [np.linalg.solve(normal + care * np.eye(len(x)), downhill) for care in _CARE]
            tried = np.clip(x - self.scales * np.array(moves), self.low, self.high)
            costs = (self._residuals(tried) ** 2).sum(axis=1)
            best, now = int(costs.argmin()), float((rows[0] ** 2).sum())
            if costs[best] >= now:
                break
            x = tried[best]
            if costs[best] > (1.0 - _SETTLED) * now:
                break
        return x

    def lands(self, x: np.ndarray) -> bool:
        """Whether the blow lands so, without bodies that are in each other."""
        off, deep, _ = self._misses(x[None])
        return bool(off[0, 0] <= _GIVING_DISTANCE and deep.max(initial=0.0) <= _GIVING_DISTANCE)

    def landing(self, x: np.ndarray) -> Landing:
        shifts, bends = np.zeros((2, 3)), np.zeros((2, 3, 3))
        for k in range(2):
            own = x[k * _OWN : (k + 1) * _OWN]
            over_floor = np.array([own[0], 0.0, own[1]])
            if not self.planted:
                shifts[k], over_floor = over_floor, np.zeros(3)
            bends[k] = over_floor + own[2] * rot.Y_AXIS, own[3:6], own[6:9]
        return Landing(self.event, shifts, bends)


def _coming_back(rows: Mapping[int, np.ndarray]) -> dict[int, np.ndarray]:
    """The same changes, with none where no blow is near."""
    ticks = sorted(rows)
    zero = np.zeros_like(rows[ticks[0]])
    found = dict(rows)
    for before, after in zip([None, *ticks], [*ticks, None]):
        if before is None or after is None or after - before > 2 * _EASE:
            if before is not None:
                found[before + _EASE] = zero
            if after is not None:
                found[after - _EASE] = zero
    return found


def _between(rows: Mapping[int, np.ndarray], frames: int) -> np.ndarray:
    """(F, N) a way through rows (N,) at some ticks, without a jerk; three zeros if there are none."""
    if not rows:
        return np.zeros((frames, 3))
    ticks = sorted(rows)
    way = np.empty((frames, len(rows[ticks[0]])))
    way[: max(ticks[0], 0)], way[max(ticks[-1], 0) :] = rows[ticks[0]], rows[ticks[-1]]
    for first, last in pairwise(ticks):
        here = np.arange(max(first, 0), min(last, frames))
        share = smooth_step((here - first) / (last - first))[:, None]
        way[here] = (1.0 - share) * rows[first] + share * rows[last]
    return way
