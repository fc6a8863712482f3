"""Figures of steps and leaps, measured in the same way on captures of people and on the performer."""

from itertools import pairwise

import numpy as np

from randori.motion import feet
from randori.motion.clip import Clip
from randori.motion.editing import resample
from randori.motion.parts import SIDES

RATE = 240.0  # captures have 30 or 120 frames a second: everything is resampled to this


def steady_steps(clip: Clip, start: float = 0.0, stop: float = np.inf) -> dict[str, float]:
    """Medians over the strides between two times (seconds) of somebody who goes straight on."""
    clip = resample(clip, RATE)
    joint, place = clip.skeleton.joint, clip.positions
    pelvis = place[:, joint("pelvis")]
    points, levels = feet.foot_points(clip), feet.foot_levels(clip)
    phases = feet.planted_phases(feet.foot_contacts(clip))
    inside = [phase for phase in phases if max(start, 0.05) * RATE <= phase.start < stop * RATE]
    seen: dict[str, list[float]] = {}

    def note(**figures: float) -> None:
        for name, value in figures.items():
            seen.setdefault(name.replace("_", " "), []).append(value)

    for foot, side in enumerate(SIDES):
        hip, knee, ankle = (place[:, joint(f"{side}_{part}")] for part in ("thigh", "shin", "foot"))
        shoulder, elbow, wrist = (
            place[:, joint(f"{side}_{part}")] for part in ("upper_arm", "forearm", "hand")
        )
        speed = np.linalg.norm(np.gradient(ankle, axis=0), axis=-1) * RATE
        bend, fold = angle(hip, knee, ankle), angle(shoulder, elbow, wrist)
        for now, then in pairwise(phase for phase in inside if phase.foot == foot):
            if then.start - now.start > 1.5 * RATE:
                continue
            whole, swing = slice(now.start, then.start), slice(now.stop, then.start)
            seconds = (then.start - now.start) / RATE
            way = (pelvis[then.start] - pelvis[now.start])[[0, 2]]
            ahead = (wrist - pelvis)[whole][:, [0, 2]] @ (way / np.linalg.norm(way))
            note(
                speed=float(np.linalg.norm(way)) / seconds,
                step_time=0.5 * seconds,
                contact=(now.stop - now.start) / RATE,
                swing=(then.start - now.stop) / RATE,
                toe_lift=float(points[swing, foot, 1, 1].max() - levels.ball),
                foot_speed=float(speed[swing].max()),
                pelvis_range=float(np.ptp(pelvis[whole, 1])),
                knee_min=float(bend[whole].min()),
                knee_max=float(bend[whole].max()),
                elbow_min=float(fold[whole].min()),
                elbow_max=float(fold[whole].max()),
                wrist_swing=float(np.ptp(ahead)),
            )
    return {name: float(np.median(values)) for name, values in seen.items()}


def leap(clip: Clip, start: float = 0.0, stop: float | None = None) -> dict[str, float]:
    """The longest time in the air between two times (seconds), and what is before and after it."""
    clip = resample(clip, RATE)
    pelvis = clip.positions[:, clip.skeleton.joint("pelvis")]
    air = ~feet.foot_contacts(clip).any(axis=1)
    last = len(clip) if stop is None else int(stop * RATE)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], air[int(start * RATE) : last], [0]]).astype(int)))
    off, on = max(edges.reshape(-1, 2) + int(start * RATE), key=lambda pair: pair[1] - pair[0])
    leg = feet.leg_length(clip)
    return {
        "flight": (on - off) / RATE,
        "distance": float(np.linalg.norm((pelvis[on] - pelvis[off])[[0, 2]])),
        "rise": float(pelvis[off:on, 1].max() - pelvis[off, 1]),
        "low before, of the leg": float(pelvis[max(off - 120, 0) : off, 1].min()) / leg,
        "low after, of the leg": float(pelvis[on : on + 120, 1].min()) / leg,
    }


def angle(first: np.ndarray, middle: np.ndarray, last: np.ndarray) -> np.ndarray:
    """(F,) degrees at the middle joint, 180 = straight."""
    a, b = first - middle, last - middle
    cosine = np.sum(a * b, axis=-1) / (np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1))
    return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))
