"""Figures of a technique, measured in the same way on captures of people and on the performer."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy  # parts of it are loaded when they are used: only a process that needs them waits

from randori.motion.clip import Clip
from randori.motion.feet import foot_contacts, leg_length, planted_phases
from randori.motion.parts import SIDES
from randori.motion.rotations import X_AXIS, rotate

RATE = 240.0  # captures have 30 or 120 frames a second: everything is resampled to this


@dataclass(frozen=True)
class Window:
    """A part of a clip, resampled: what the measures are taken from."""

    time: np.ndarray  # (N,) seconds in the clip
    place: dict[str, np.ndarray]  # (N, 3) metres, per body part
    yaw: dict[str, np.ndarray]  # (N,) degrees, per body part
    pitch: np.ndarray  # (N,) degrees, the chest leaning towards the heading
    roll: np.ndarray  # (N,) degrees, the chest leaning sideways
    heading: float  # radians at its start
    arm: float  # metres
    leg: float

    def speed(self, part: str) -> np.ndarray:
        """(N,) metres per second."""
        return np.linalg.norm(np.gradient(self.place[part], 1.0 / RATE, axis=0), axis=-1)

    def rate(self, part: str) -> np.ndarray:
        """(N,) degrees per second of yaw."""
        return np.gradient(self.yaw[part], 1.0 / RATE)

    def at(self, time: float) -> int:
        """The sample nearest to a time."""
        return int(np.clip(np.searchsorted(self.time, time), 0, len(self.time) - 1))

    def ahead(self, part: str) -> np.ndarray:
        """(N, 3) metres in the heading frame: to the left, up, forward."""
        c, s = np.cos(self.heading), np.sin(self.heading)
        x, y, z = self.place[part].T
        return np.stack([c * x - s * z, y, s * x + c * z], axis=-1)

    def angle(self, first: str, middle: str, last: str) -> np.ndarray:
        """(N,) degrees at the middle joint, 180 = straight."""
        a = self.place[first] - self.place[middle]
        b = self.place[last] - self.place[middle]
        cosine = np.sum(a * b, axis=-1) / (np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1))
        return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))


def window(clip: Clip, start: float = 0.0, stop: float | None = None) -> Window:
    """The part of a clip between two times (seconds)."""
    times = clip.times
    first = max(start, 0.0)
    last = clip.duration if stop is None else min(stop, clip.duration)
    wanted = np.arange(first, last, 1.0 / RATE)
    near = (times >= first - 0.3) & (times <= last + 0.3)

    def resampled(values: np.ndarray) -> np.ndarray:
        return scipy.interpolate.CubicSpline(times[near], values[near])(wanted)

    joint = clip.skeleton.joint
    parts = [part for part in clip.skeleton.parts if part != "weapon"]
    everywhere = resampled(clip.positions[:, [joint(part) for part in parts]])
    place = {part: everywhere[:, number] for number, part in enumerate(parts)}
    yaw = {"head": np.degrees(resampled(np.unwrap(clip.heading())))}
    for part in ("pelvis", "chest"):
        # by the axis across: where a leaning trunk looks says little about how far it has turned
        across = rotate(clip.turned(part), X_AXIS)
        yaw[part] = np.degrees(resampled(np.unwrap(np.arctan2(-across[:, 2], across[:, 0]))))
    heading = float(np.radians(yaw["head"][0]))
    up = place["neck"] - place["chest"]
    c, s = np.cos(heading), np.sin(heading)
    forward, left = s * up[:, 0] + c * up[:, 2], c * up[:, 0] - s * up[:, 2]
    arm = clip.skeleton.length_between(joint("left_hand"), joint("left_upper_arm"))
    return Window(
        wanted,
        place,
        yaw,
        np.degrees(np.arctan2(forward, up[:, 1])),
        np.degrees(np.arctan2(left, up[:, 1])),
        heading,
        arm,
        leg_length(clip),
    )


def _spread(values: np.ndarray) -> float:
    return float(values.max() - values.min())


def strike(seen: Window, effector: str) -> dict[str, float]:
    """A punch, block or kick: the fastest movement of a wrist or an ankle in the window."""
    side, limb = effector.split("_", 1)
    root, middle = ("upper_arm", "forearm") if limb == "hand" else ("thigh", "shin")
    length = seen.arm if limb == "hand" else seen.leg
    speed = seen.speed(effector)
    inner = slice(int(0.1 * RATE), len(speed) - int(0.1 * RATE))
    peak = int(np.argmax(speed[inner])) + inner.start
    slow = np.flatnonzero(speed[:peak] < max(0.5, 0.08 * speed[peak]))
    onset = int(slow[-1]) if len(slow) else 0
    reach = np.linalg.norm(seen.place[effector] - seen.place[f"{side}_{root}"], axis=-1) / length
    longest = 0.25 if limb == "hand" else 0.3
    extension = peak + int(np.argmax(reach[peak : peak + int(longest * RATE)]))
    guard = reach[onset]
    after = reach[extension : extension + int(1.2 * RATE)]
    home = np.flatnonzero(after < reach[extension] - 0.7 * (reach[extension] - guard))
    first, last = max(onset - int(0.25 * RATE), 0), min(extension + int(0.4 * RATE), len(speed))
    near = slice(first, last)
    found = {
        "to peak s": (peak - onset) / RATE,
        "to extension s": (extension - onset) / RATE,
        "peak m/s": float(speed[peak]),
        "reach": float(reach[extension]),
        "height m": float(seen.place[effector][extension, 1]),
        "pelvis yaw °": _spread(seen.yaw["pelvis"][near]),
        "chest yaw °": _spread(seen.yaw["chest"][near]),
        "head yaw °": _spread(seen.yaw["head"][near]),
        "pelvis °/s": float(np.abs(seen.rate("pelvis")[near]).max()),
        "chest °/s": float(np.abs(seen.rate("chest")[near]).max()),
        "chest pitch °": _spread(seen.pitch[near]),
        "chest roll °": _spread(seen.roll[near]),
        "pelvis forward m": _farthest(seen.ahead("pelvis")[near, 2]),
        "pelvis down m": float(seen.place["pelvis"][first, 1] - seen.place["pelvis"][near, 1].min()),
        "pelvis up m": float(seen.place["pelvis"][near, 1].max() - seen.place["pelvis"][first, 1]),
        "head moved m": _farthest(seen.place["head"][near]),
    }
    bend = seen.angle(f"{side}_{root}", f"{side}_{middle}", effector)
    found["bend min °"], found["bend max °"] = float(bend[near].min()), float(bend[near].max())
    for part in ("pelvis", "chest"):
        found[f"{part} lead s"] = _lead(seen.rate(part), peak)
    found["step m"], found["step s"] = _step_in(seen, "" if limb == "hand" else side, onset, extension)
    if limb == "hand":
        found["back s"] = (extension + int(home[0]) - onset) / RATE if len(home) else np.nan
        retracting = speed[extension + int(0.03 * RATE) : extension + int(0.5 * RATE)]
        found["retract m/s"] = float(retracting.max()) if len(retracting) else np.nan
    else:
        found["ankle max m"] = float(seen.place[effector][near, 1].max())
        low = seen.place[effector][onset, 1] + 0.04
        down = np.flatnonzero((seen.place[effector][extension:, 1] < low) & (speed[extension:] < 0.7))
        found["foot down s"] = (extension + int(down[0]) - onset) / RATE if len(down) else np.nan
    return found


def _lead(rate: np.ndarray, peak: int) -> float:
    """Seconds by which a part of the trunk turns fastest before a fist or a foot is fastest."""
    near = slice(max(peak - int(0.3 * RATE), 0), peak + int(0.05 * RATE))
    return (peak - near.start - int(np.argmax(np.abs(rate[near])))) / RATE


def _step_in(seen: Window, kicking: str, onset: int, extension: int) -> tuple[float, float]:
    """How far a foot that carries is put (metres) for a strike, and how long it moves (seconds)."""
    near = slice(max(onset - int(0.4 * RATE), 0), extension + int(0.1 * RATE))
    found = []
    for side in SIDES:
        if side == kicking:
            continue
        ball = seen.place[f"{side}_toes"][near][:, [0, 2]]
        speed = np.linalg.norm(np.gradient(ball, 1.0 / RATE, axis=0), axis=-1)
        fastest = int(np.argmax(speed))
        still = np.flatnonzero(speed < 0.35)
        first = still[still < fastest].max(initial=0)
        last = still[still > fastest].min(initial=len(speed) - 1)
        found.append((float(np.linalg.norm(ball[last] - ball[first])), (last - first) / RATE))
    return max(found)


def _farthest(values: np.ndarray) -> float:
    """How far something gets away from where it was first, with sign for a single axis."""
    away = values - values[0]
    if away.ndim > 1:
        return float(np.linalg.norm(away, axis=-1).max())
    return float(away[np.argmax(np.abs(away))])


def evasion(seen: Window) -> dict[str, float]:
    """A duck or a slip: the head leaves the line and comes back."""
    head = seen.ahead("head")
    away = np.linalg.norm(head - head[0], axis=-1)
    bottom = int(np.argmin(head[:, 1]))
    speed = seen.speed("head")
    slow = np.flatnonzero(speed[: int(np.argmax(speed[: bottom + 1])) + 1] < 0.25)
    onset = int(slow[-1]) if len(slow) else 0
    knees = [seen.angle(f"{side}_thigh", f"{side}_shin", f"{side}_foot").min() for side in ("left", "right")]
    return {
        "down s": (bottom - onset) / RATE,
        "head down m": float(head[0, 1] - head[bottom, 1]),
        "head moved m": float(away.max()),
        "head m/s": float(speed.max()),
        "pelvis down m": float(seen.place["pelvis"][0, 1] - seen.place["pelvis"][:, 1].min()),
        "chest pitch °": _spread(seen.pitch),
        "chest roll °": _spread(seen.roll),
        "knee min °": float(min(knees)),
    }


def steps(clip: Clip) -> dict[str, float]:
    """Footwork: what the feet do between the phases in which they stand."""
    contacts = foot_contacts(clip)
    lengths, times, speeds = [], [], []
    for foot, side in enumerate(("left", "right")):
        ball = clip.positions[:, clip.skeleton.joint(f"{side}_toes")]
        speed = np.linalg.norm(np.gradient(ball, axis=0), axis=-1) * clip.fps
        own = [phase for phase in planted_phases(contacts) if phase.foot == foot]
        for before, after in pairwise(own):
            moved = (ball[after.start] - ball[before.stop - 1])[[0, 2]]
            length = float(np.linalg.norm(moved))
            if length > 0.12 and after.start - before.stop < clip.fps:
                lengths.append(length)
                times.append((after.start - before.stop + 1) / clip.fps)
                speeds.append(float(speed[before.stop : after.start].max(initial=0.0)))
    if not lengths:
        return {}
    height = clip.positions[:, clip.skeleton.joint("pelvis"), 1]
    return {
        "step m": float(np.median(lengths)),
        "swing s": float(np.median(times)),
        "foot m/s": float(np.median(speeds)),
        "pelvis height range m": float(np.percentile(height, 98) - np.percentile(height, 2)),
    }


def straight_punches(clip: Clip) -> list[dict[str, float]]:
    """Every punch in a free take that ends with a stretched arm, measured one by one."""
    found = []
    for side in ("left", "right"):
        hand = clip.positions[:, clip.skeleton.joint(f"{side}_hand")]
        speed = np.linalg.norm(np.gradient(hand, axis=0), axis=-1) * clip.fps
        for frame in scipy.signal.find_peaks(speed, height=4.0, distance=int(0.3 * clip.fps))[0]:
            time = frame / clip.fps
            if time < 0.8 or time > clip.duration - 0.8:
                continue
            seen = strike(window(clip, time - 0.7, time + 0.7), f"{side}_hand")
            ahead = seen["height m"] > 1.1
            if seen["bend max °"] > 145.0 and seen["reach"] > 0.9 and ahead:
                found.append({**seen, "time s": time})
    return found


def rhythm(clip: Clip) -> dict[str, float]:
    """How often fists fly, and how long from one to the next inside a combination."""
    peaks = []
    for side in ("left", "right"):
        hand = clip.positions[:, clip.skeleton.joint(f"{side}_hand")]
        speed = np.linalg.norm(np.gradient(hand, axis=0), axis=-1) * clip.fps
        peaks += list(scipy.signal.find_peaks(speed, height=4.0, distance=int(0.25 * clip.fps))[0] / clip.fps)
    gaps = np.diff(np.sort(peaks))
    pelvis = clip.root_position[:: max(int(clip.fps / 10), 1), [0, 2]]
    return {
        "punches per s": len(peaks) / clip.duration,
        "gap in combinations s": float(np.median(gaps[(gaps > 0.1) & (gaps < 0.6)])),
        "pelvis m/s": float(np.median(np.linalg.norm(np.diff(pelvis, axis=0), axis=-1)) * 10.0),
    }
