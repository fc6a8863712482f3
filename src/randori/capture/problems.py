"""Faults of a recording: jumps, holes, a wrong frame rate, the same motion twice."""

import hashlib
from collections.abc import Sequence
from math import pi

import numpy as np

from randori.capture.actions import Problem
from randori.capture.moves import foot_swings
from randori.capture.signals import RATE, Signals, runs, smoothed
from randori.motion.clip import Clip

GRAVITY = 9.81  # m/s²
# m/s² of a joint against the pelvis that no limb has: a punch at 10 m/s that stops in 20 ms has 500
_IMPOSSIBLE_ACCELERATION = 1500.0
_IMPOSSIBLE_SPEED = 30.0  # m/s against the pelvis
_END_PARTS = ("head", "left_hand", "right_hand", "left_foot", "right_foot", "left_toes", "right_toes")
_MOVES = 2e-6  # metres in a frame
_FROZEN_SECONDS = 0.5  # seconds in which no joint turns at all
_SHORTEST_FLIGHT = 0.16  # seconds, in which a fall can be measured
_LEAST_FLIGHTS = 3
_WRONG_RATE = 1.45  # a rate that is wrong is wrong by a factor of 2, seldom of 1.5
# steps per second for a walk or run at a given speed over leg length (walk ratio, life: 1.5 to 3.2 Hz)
_SLOWEST_CADENCE, _FASTEST_CADENCE = 0.9, 5.0  # over many steps; single ones of a sprint are quicker
_LEAST_STEPS = 16
_GAIT = 0.7  # share of the steps that follow another one, when a person goes somewhere
_LONGEST_STEP = 2.0  # seconds: a longer step is a rest
_HIGHEST_SHARES = (0.15, 0.85)  # share of a flight: when the body is highest
_OFF_THE_CURVE = 0.012  # metres that the body's middle may be off a parabola
_AGREEING_SPREAD = 0.6  # share of the median: how far apart the middle half of the flights may be


def find_problems(clip: Clip, signals: Signals) -> list[Problem]:
    """Everything that looks wrong in one recording."""
    # any fault in the body takes an end of it along
    ends = [clip.skeleton.parts[part] for part in _END_PARTS if part in clip.skeleton.parts]
    root = clip.positions[:, 0]
    changes = [np.diff((clip.positions[:, end] - root).T, axis=1) for end in ends]
    return [*_glitches(clip, changes), *_frozen(clip, changes), *_frame_rate(signals)]


def _glitches(clip: Clip, changes: Sequence[np.ndarray]) -> list[Problem]:
    """Frames in which a joint leaps away from its neighbours in time and back.

    A change (3, F - 1) is how far an end of the body moves against the root from frame to frame, in metres.
    """
    if len(clip) < 5:
        return []
    bad = np.zeros(len(clip), dtype=bool)
    for change in changes:
        bend = _lengths(np.diff(change, axis=1)) * clip.fps**2
        if bend.max() > _IMPOSSIBLE_ACCELERATION:
            # a limit of a frame's resolution: at 30 fps a real punch is a leap already
            bad[1:-1] |= bend > max(_IMPOSSIBLE_ACCELERATION, 12.0 * float(np.percentile(bend, 99.5)))
        bad[1:] |= _lengths(change) * clip.fps > _IMPOSSIBLE_SPEED
    root = np.linalg.norm(np.diff(clip.root_position, axis=0), axis=-1) * clip.fps
    bad[1:] |= root > _IMPOSSIBLE_SPEED / 2
    problems = []
    for first, last in runs(_bridged(bad, round(0.1 * clip.fps))):
        seconds = f"{first / clip.fps:.2f}–{last / clip.fps:.2f} s"
        problems.append(Problem("glitch", f"a joint leaps at {seconds}", (first, last)))
    return problems


def _lengths(vectors: np.ndarray) -> np.ndarray:
    """(N,) of vectors (3, N)."""
    x, y, z = vectors
    return np.asarray(np.sqrt(x * x + y * y + z * z))


def _frozen(clip: Clip, changes: Sequence[np.ndarray]) -> list[Problem]:
    """Stretches in which nothing moves at all: a body is never as still as that, lost markers are."""
    moved = np.zeros(max(len(clip) - 1, 0), dtype=bool)
    for change in changes:
        for axis in change:
            moved |= np.abs(axis) > _MOVES
    moved |= np.abs(np.diff(clip.root_position, axis=0)).max(axis=1) > 1e-6
    problems = []
    for first, last in runs(~moved):
        turned = np.abs(np.diff(clip.rotations[first : last + 1], axis=0)).max(initial=0.0) > 1e-6
        if last - first >= _FROZEN_SECONDS * clip.fps and not turned:
            seconds = f"{first / clip.fps:.2f}–{(last + 1) / clip.fps:.2f} s"
            problems.append(Problem("frozen", f"nothing moves at {seconds}", (first, last + 1)))
    return problems


def _frame_rate(signals: Signals) -> list[Problem]:
    """A rate that is wrong shows in how fast a body falls, or how quickly it steps."""
    pulls = free_falls(signals)
    low, usual, high = np.percentile(pulls, [25, 50, 75]) if len(pulls) else (0.0, 1.0, 9.0)
    if len(pulls) >= _LEAST_FLIGHTS and high - low < _AGREEING_SPREAD * usual:
        # time enters squared
        factor = float(np.sqrt(np.median(pulls) / GRAVITY))
        if not 1.0 / _WRONG_RATE < factor < _WRONG_RATE:
            return [
                Problem(
                    "frame rate",
                    f"bodies in the air fall with {np.median(pulls):.1f} m/s² ({len(pulls)} flights): the "
                    f"rate is said to be {signals.fps:g} frames per second, it seems to be "
                    f"{signals.fps / factor:.0f}",
                )
            ]
        return []
    steps = [swing for swing in foot_swings(signals) if 0.1 < swing.height < 0.6]
    speed = np.linalg.norm(smoothed(signals.velocities["pelvis"], 0.3)[:, [0, 2]], axis=-1)
    going = [swing for swing in steps if speed[swing.peak] > 0.8]
    if len(going) >= _LEAST_STEPS:
        lengths = np.diff([swing.land for swing in sorted(going, key=lambda swing: swing.land)]) / RATE
        lengths = lengths[(lengths > 0.0) & (lengths < _LONGEST_STEP)]
        if len(lengths) < _GAIT * len(going):
            return []  # a few steps now and then, with rests between them
        cadence = 1.0 / float(np.median(lengths))
        natural = cadence * np.sqrt(signals.size)
        if not _SLOWEST_CADENCE < natural < _FASTEST_CADENCE:
            return [
                Problem(
                    "frame rate",
                    f"{60.0 * cadence:.0f} steps a minute at {np.median(speed):.1f} m/s is not a human gait: "
                    f"is {signals.fps:g} frames per second right?",
                )
            ]
    return []


def free_falls(signals: Signals) -> np.ndarray:
    """m/s² with which the body's middle falls in each flight: both feet off the floor, nothing held."""
    found = []
    # the middle of the body: limbs counted roughly by their weight
    weights = {"pelvis": 0.3, "chest": 0.3, "head": 0.08}
    limbs = {"thigh": 0.1, "shin": 0.045, "foot": 0.015}
    middle = np.zeros(len(signals))
    for part, weight in weights.items():
        middle += weight * signals.places[part][:, 1]
    for side in ("left", "right"):
        middle += sum(weight * signals.places[f"{side}_{part}"][:, 1] for part, weight in limbs.items())
    for first, last in runs(signals.airborne):
        # toes push for a while after the foot is said to be off
        trim = round(0.15 * (last - first))
        first, last = first + trim, last - trim
        if last - first < _SHORTEST_FLIGHT * RATE * 0.7 or first == 0 or last >= len(signals):
            continue
        times = np.arange(last - first) / RATE
        curve = np.polyfit(times, middle[first:last], 2)
        off = middle[first:last] - np.polyval(curve, times)
        highest = -0.5 * curve[1] / curve[0] / times[-1] if curve[0] < 0.0 else -1.0
        # a person who leaps goes up and comes down; a body that is held, rolls or climbs does not
        if _HIGHEST_SHARES[0] < highest < _HIGHEST_SHARES[1] and np.abs(off).max() < _OFF_THE_CURVE:
            found.append(-2.0 * curve[0] * signals.size)
    pulls = np.array(found)
    return pulls[(pulls > 0.1 * GRAVITY) & (pulls < 2.0 * pi * GRAVITY)]


def _bridged(mask: np.ndarray, gap: int) -> np.ndarray:
    """A mask in which short gaps are closed."""
    bridged = mask.copy()
    for first, last in runs(~mask):
        if first > 0 and last < len(mask) and last - first <= gap:
            bridged[first:last] = True
    return bridged


def fingerprint(clip: Clip) -> list[str]:
    """Marks of a clip's motion in stretches of a second, the same for a copy under another name."""
    pose = np.round(clip.rotations * np.where(clip.rotations[..., :1] < 0.0, -1.0, 1.0), 3)
    step = max(round(clip.fps), 1)
    stretches = range(0, max(len(clip) - step + 1, 1), step)
    return [
        hashlib.blake2s(np.ascontiguousarray(pose[k : k + step]).tobytes()).hexdigest() for k in stretches
    ]


def find_duplicates(clips: Sequence[Clip]) -> list[tuple[int, Problem]]:
    """Recordings that are, or begin like, an earlier one: (number of the clip, the problem)."""
    if len(clips) < 2:
        return []
    seen: dict[str, int] = {}
    found = []
    for number, clip in enumerate(clips):
        marks = fingerprint(clip)
        earlier = [seen[mark] for mark in marks if mark in seen]
        if earlier and len(earlier) >= 0.5 * len(marks):
            other = max(set(earlier), key=earlier.count)
            share = 100 * len(earlier) // len(marks)
            message = f"{share} % of it is the motion of {clips[other].name}"
            found.append((number, Problem("duplicate", message, (0, len(clip)))))
        for mark in marks:
            seen.setdefault(mark, number)
    return found
