"""Steps for a body whose way over the floor is given, for legs of any length.

A foot stands when it stood in the recording, at one place. Legs that are too short for such a step make more
and quicker steps instead, one foot after the other: short legs trot where long ones walk.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from randori.kernels.limbs import LEG_SURE_REACH
from randori.motion.easing import smooth_step, smoother_step
from randori.motion.feet import PlantedPhase, planted_phases, runs_of

MOST_SINKING = 0.06  # of the leg that the pelvis may be lowered by, so that the feet reach the floor
_UNNOTICED_SLIDE = (
    0.01  # metres that a foot may be drawn along at the end of a step: half of what people notice
)
_TOGETHER_SECONDS = 0.5  # seconds: steps that are too long and no farther apart are one stretch
_CYCLE = 1.0  # seconds of a walker's two steps: a foot's usual place under its body is the mean over them
_QUICKEST, _SLOWEST = 0.1, 0.25  # seconds that a foot is in the air
_AHEAD_SECONDS = 0.3  # a foot lands at most where its body needs it so much later
_LANDING_REACH = 0.85  # of the reach that a foot lands ahead of its hip
_LEAVING_REACH = 0.35  # of the reach that a foot is behind when it may leave
_STEP_HEIGHT = 0.25  # of a step's length
_LIFT_LIMITS = 0.05, 0.3  # of the leg
_EASE = 0.1  # seconds in which a foot goes over from its recording to steps of its own
_RAISED_HEIGHT = (
    0.3  # of the leg: a foot so high over a body that stays kicks, stamps or climbs, and is left alone
)
_STAYING_SPEED = 1.0  # leg lengths per second: a slower body stays where it is


class FootPlan(NamedTuple):
    """The places of the balls of both feet."""

    places: np.ndarray  # (F, 2, 2) metres, x and z
    contacts: np.ndarray  # (F, 2) bool, when they stand
    own: np.ndarray  # (F, 2) from 0, as in the recording, to 1: a step of its own
    lifts: np.ndarray  # (F, 2) metres over the height of a ball that stands, in steps of their own


class Legs(NamedTuple):
    """The body as a plan needs it, pose by pose."""

    length: float  # metres from the hip to the ankle
    hips: np.ndarray  # (F, 2, 3) metres
    ankles: np.ndarray  # (F, 2, 3) metres from the ball of a foot to its ankle, as the recording turns it
    flat_ankles: np.ndarray  # (F, 2, 3) the same, with the sole on the floor
    heights: np.ndarray  # (F, 2) metres, of the balls in the recorded step
    level: float  # metres, of a ball that stands


class _Stand(NamedTuple):
    """A foot stands at a place (2,) from `start` up to, but without, `stop`."""

    start: int
    stop: int
    place: np.ndarray


def plan_feet(free: np.ndarray, contacts: np.ndarray, legs: Legs, fps: float) -> FootPlan:
    """A plan for feet whose balls would be at (F, 2, 2) metres if nothing held them to the floor."""
    hurried = _too_long(free, contacts, legs, fps)
    kept = contacts & ~hurried[:, None]
    stands: list[list[_Stand]] = [[], []]
    for phase in planted_phases(kept):
        rows = slice(phase.start, phase.stop)
        stands[phase.foot].append(_Stand(phase.start, phase.stop, free[rows, phase.foot].mean(axis=0)))
    own = np.zeros(contacts.shape)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], hurried.astype(np.int8), [0]])))
    for start, stop in edges.reshape(-1, 2).tolist():
        stretch = _Stretch(free, contacts, legs, fps, start, stop)
        for foot, added in enumerate(stretch.steps(stands)):
            stands[foot] = sorted([*stands[foot], *added], key=lambda one: one.start)
        own[start:stop] = stretch.own
    return _assembled(free, stands, own, legs)


def _too_long(free: np.ndarray, contacts: np.ndarray, legs: Legs, fps: float) -> np.ndarray:
    """(F,) bool: stretches with steps that the legs are too short for."""
    hurried = np.zeros(len(free), dtype=bool)
    for phase in planted_phases(contacts):
        if _shortage(free, phase, legs) > _UNNOTICED_SLIDE:
            hurried[phase.start : phase.stop] = True
    for left, right in pairwise(np.flatnonzero(hurried).tolist()):
        if right - left <= _TOGETHER_SECONDS * fps:
            hurried[left:right] = True
    up = legs.hips[..., 1] - legs.level
    return hurried & (up > 0.5 * legs.length).all(axis=1)  # no steps for a body that lies


def _shortage(free: np.ndarray, phase: PlantedPhase, legs: Legs) -> float:
    """Metres that a leg is too short by for a step, at worst."""
    rows, foot = slice(phase.start, phase.stop), phase.foot
    ankle = legs.ankles[rows, foot].copy()
    ankle[:, [0, 2]] += free[rows, foot].mean(axis=0)
    ankle[:, 1] += legs.heights[rows, foot]
    across, up, along = (legs.hips[rows, foot] - ankle).T
    up = np.maximum(up - MOST_SINKING * legs.length, 0.0)
    return float((np.sqrt(across**2 + up**2 + along**2) - LEG_SURE_REACH * legs.length).max())


class _Stretch:
    """Frames in which a body makes steps of its own."""

    def __init__(self, free: np.ndarray, contacts: np.ndarray, legs: Legs, fps: float, start: int, stop: int):
        self._fps, self._start, self._stop = fps, start, stop
        self._contacts = contacts
        flat = [0, 2]
        middle = legs.hips[..., flat].mean(axis=1)
        self._home = middle[:, None] + _mean_over(free - middle[:, None], round(_CYCLE * fps))
        speed = np.linalg.norm(np.gradient(middle, 1.0 / fps, axis=0), axis=1) if len(middle) > 1 else [0.0]
        self._speed = _mean_over(np.asarray(speed), round(2.0 * _EASE * fps))
        self._hips = legs.hips[..., flat] - legs.flat_ankles[..., flat]  # where a ball is right below
        up = legs.hips[..., 1] - legs.level - legs.flat_ankles[..., 1] - MOST_SINKING * legs.length
        self._reach = np.sqrt(np.maximum((LEG_SURE_REACH * legs.length) ** 2 - up**2, 0.0))
        raised = legs.heights - legs.level > _RAISED_HEIGHT * legs.length
        self._free = raised & (self._speed < _STAYING_SPEED * legs.length)[:, None]
        self._ease = max(round(_EASE * fps), 1)
        self.own = self._weights()

    def _weights(self) -> np.ndarray:
        """(N, 2) how much each foot makes steps of its own."""
        count = self._stop - self._start
        frames = np.arange(count)[:, None]
        inside = np.minimum(frames + 1, count - frames) / (self._ease + 1.0)
        weights = np.broadcast_to(smooth_step(inside), (count, 2)).copy()
        for foot in range(2):
            for left, right in runs_of(self._free[self._start : self._stop, foot]):
                away = np.maximum(np.maximum(left - frames[:, 0], frames[:, 0] - right + 1), 0)
                weights[:, foot] = np.minimum(weights[:, foot], smooth_step(away / (self._ease + 1.0)))
        return weights

    def steps(self, kept: list[list[_Stand]]) -> list[list[_Stand]]:
        """The steps of both feet: each leaves when it is behind and the other stands, or when it must."""
        found: list[list[_Stand]] = [[], []]
        standing: list[tuple[int, np.ndarray] | None] = [None, None]  # since when, and where
        landing = [self._start, self._start]
        last = [self._last(foot, kept[foot]) for foot in range(2)]
        for foot in range(2):
            if self._contacts[self._start, foot]:
                before = [one for one in kept[foot] if one.stop == self._start]
                place = before[0].place if before else self._place(foot, self._start)
                standing[foot] = self._start, place
            else:
                landing[foot] = self._start + self._ease
        for frame in range(self._start, self._stop):
            for foot in range(2):
                now = standing[foot]
                if now is None and landing[foot] <= frame < last[foot] and not self._free[frame, foot]:
                    standing[foot] = frame, self._place(foot, frame)
                elif now is not None and (frame >= last[foot] or self._free[frame, foot]):
                    found[foot].append(_Stand(now[0], frame, now[1]))
                    standing[foot], landing[foot] = None, frame + self._ease
            behind = [self._behind(foot, frame, standing[foot]) for foot in range(2)]
            for foot in sorted(range(2), key=lambda one: -behind[one]):
                now = standing[foot]
                may = standing[1 - foot] is not None and behind[foot] > _LEAVING_REACH
                if now is not None and (may or behind[foot] > 1.0) and frame > now[0] + 1:
                    found[foot].append(_Stand(now[0], frame, now[1]))
                    standing[foot], landing[foot] = None, frame + self._swing(foot, frame)
        for foot in range(2):
            if (now := standing[foot]) is not None:
                found[foot].append(_Stand(now[0], self._stop, now[1]))
        return found

    def _last(self, foot: int, kept: list[_Stand]) -> int:
        """The frame by which a foot has to be on its way to where the recording has it after the stretch."""
        if self._stop == len(self._home):
            return self._stop
        swing = self._swing(foot, self._stop - 1)
        if not self._contacts[self._stop, foot]:
            return self._stop - swing
        return next(one.start for one in kept if one.start >= self._stop) - swing

    def _swing(self, foot: int, frame: int) -> int:
        """Frames that a foot is in the air."""
        seconds = self._reach[frame, foot] / max(float(self._speed[frame]), 1e-6)
        return max(round(float(np.clip(seconds, _QUICKEST, _SLOWEST)) * self._fps), 2)

    def _place(self, foot: int, frame: int) -> np.ndarray:
        """(2,) metres, where a foot lands: under its body a little later, as far as it reaches."""
        chosen = self._home[frame, foot]
        farthest = _LANDING_REACH * self._reach[frame, foot]
        for later in range(frame + 1, min(frame + round(_AHEAD_SECONDS * self._fps), self._stop)):
            place = self._home[later, foot]
            if np.linalg.norm(place - self._hips[frame, foot]) > farthest:
                break
            chosen = place
        return chosen

    def _behind(self, foot: int, frame: int, standing: tuple[int, np.ndarray] | None) -> float:
        """The lag of a foot behind its body, as a share of the limit; above 1 it does not reach the floor."""
        if standing is None:
            return 0.0
        following = min(frame + 1, len(self._home) - 1)
        reach = max(float(self._reach[following, foot]), 1e-6)
        place = standing[1]
        stretched = float(np.linalg.norm(self._hips[following, foot] - place)) / reach
        missed = self._home[following, foot] - place
        leaves = float(missed @ (self._home[following, foot] - self._home[frame, foot])) > 0.0
        return max(float(np.linalg.norm(missed)) / reach if leaves else 0.0, stretched * (stretched > 1.0))


def _assembled(free: np.ndarray, stands: list[list[_Stand]], own: np.ndarray, legs: Legs) -> FootPlan:
    """The plan of feet that stand there: between two places they go as they went, or step straight on."""
    frames = len(free)
    places, lifts = free.copy(), np.zeros((frames, 2))
    contacts = np.zeros((frames, 2), dtype=bool)
    for foot in range(2):
        left = np.zeros((frames, 2))  # excess of a place over `free`, dying away towards the next one
        straight = free[:, foot].copy()
        for start, stop, place in stands[foot]:
            left[start:stop] = place - free[start:stop, foot]
            straight[start:stop] = place
            contacts[start:stop, foot] = True
        for before, after in zip([None, *stands[foot]], [*stands[foot], None]):
            start, stop = before.stop if before else 0, after.start if after else frames
            if stop <= start:
                continue
            share = ((np.arange(start, stop) - start + 1.0) / (stop - start + 1.0))[:, None]
            first = left[before.stop - 1] if before else left[after.start] if after else np.zeros(2)
            last = left[after.start] if after else first
            left[start:stop] = (1.0 - smooth_step(share)) * first + smooth_step(share) * last
            if before and after:
                way = after.place - before.place
                straight[start:stop] = before.place + smoother_step(share) * way
                low, high = (limit * legs.length for limit in _LIFT_LIMITS)
                height = float(np.clip(_STEP_HEIGHT * np.linalg.norm(way), low, high))
                lifts[start:stop, foot] = height * 16.0 * (share[:, 0] * (1.0 - share[:, 0])) ** 2
        weight = own[:, foot, None]
        places[:, foot] = (1.0 - weight) * (free[:, foot] + left) + weight * straight
    return FootPlan(places, contacts, own, lifts)


def _mean_over(values: np.ndarray, frames: int) -> np.ndarray:
    """(F, ...) values, each the mean over so many frames about it."""
    half = max(frames // 2, 1)
    padded = np.pad(values, [(half + 1, half), *[(0, 0)] * (values.ndim - 1)], mode="edge").cumsum(axis=0)
    mean: np.ndarray = (padded[2 * half + 1 :] - padded[: -2 * half - 1]) / (2 * half + 1)
    return mean
