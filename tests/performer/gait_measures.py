"""Figures of steps and leaps, measured in the same way on captures of people and on the performer."""

from itertools import pairwise

import numpy as np

from randori.motion import feet, rotations
from randori.motion.clip import Clip
from randori.motion.editing import crop, resample
from randori.motion.parts import SIDES
from randori.performer.curves import softened

RATE = 240.0  # captures have 30 or 120 frames a second: everything is resampled to this


def strides(clip: Clip, start: float = 0.0, stop: float = np.inf) -> list[dict[str, float]]:
    """Every stride between two times (seconds) of somebody who goes straight on."""
    clip, start, stop = around(clip, start, stop)
    joint, place = clip.skeleton.joint, clip.positions
    pelvis = place[:, joint("pelvis")]
    up = rotations.rotate(clip.turned("chest"), rotations.Y_AXIS)
    yaws = {part: turn_of(clip, part) for part in ("pelvis", "chest")}
    points, levels = feet.foot_points(clip), feet.foot_levels(clip)
    forward = rotations.rotate(rotations.from_yaw(clip.heading("pelvis")), rotations.Z_AXIS)[:, [0, 2]]
    phases = feet.planted_phases(feet.foot_contacts(clip))
    inside = [phase for phase in phases if max(start, 0.05) * RATE <= phase.start < stop * RATE]
    found: list[dict[str, float]] = []

    def note(**figures: float) -> None:
        found.append({name.replace("_", " "): value for name, value in figures.items()})

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
            along = way / np.linalg.norm(way)
            ahead = (wrist - pelvis)[whole][:, [0, 2]] @ along
            heading = forward[whole].mean(axis=0)
            pelvis_yaw, chest_yaw = (level(yaws[part][whole]) for part in ("pelvis", "chest"))
            note(
                speed=float(np.linalg.norm(way)) / seconds,
                step_time=0.5 * seconds,
                contact=(now.stop - now.start) / RATE,
                swing=(then.start - now.stop) / RATE,
                toe_lift=float(points[swing, foot, 1, 1].max() - levels.ball),
                foot_speed=float(speed[swing].max()),
                peak_place=float(np.argmax(speed[swing])) / max(then.start - now.stop, 1),
                stride=float(np.linalg.norm(way)),
                pelvis_yaw=float(np.ptp(pelvis_yaw)),
                chest_yaw=float(np.ptp(chest_yaw)),
                twist=float(np.ptp(chest_yaw - pelvis_yaw)),
                lean=float(np.degrees(np.arctan2(up[whole][:, [0, 2]] @ heading, up[whole, 1])).mean()),
                pelvis_range=float(np.ptp(pelvis[whole, 1])),
                knee_min=float(bend[whole].min()),
                knee_max=float(bend[whole].max()),
                elbow_min=float(fold[whole].min()),
                elbow_max=float(fold[whole].max()),
                wrist_swing=float(np.ptp(ahead)),
            )
    return found


def around(clip: Clip, start: float, stop: float, margin: float = 1.0) -> tuple[Clip, float, float]:
    """The part of a clip around two times (seconds), resampled, and the times in it."""
    first, last = max(start - margin, 0.0), min(stop + margin, clip.duration)
    part = crop(clip, round(first * clip.fps), min(round(last * clip.fps) + 1, len(clip)))
    return resample(part, RATE), max(start, 0.0) - first, min(stop, clip.duration) - first


def turn_of(clip: Clip, part: str) -> np.ndarray:
    """(F,) degrees of yaw, by the axis across: where a leaning trunk looks says little about its turn."""
    across = rotations.rotate(clip.turned(part), rotations.X_AXIS)
    return np.degrees(np.unwrap(np.arctan2(-across[:, 2], across[:, 0])))


def level(values: np.ndarray) -> np.ndarray:
    """(N,) values of a stride without what changes from one to the next: nobody goes quite straight on."""
    return values - np.linspace(0.0, values[-1] - values[0], len(values))


def leap(clip: Clip, start: float = 0.0, stop: float = np.inf) -> dict[str, float]:
    """The longest time in the air between two times (seconds), and what is before and after it."""
    clip, start, stop = around(clip, start, stop)
    pelvis = clip.positions[:, clip.skeleton.joint("pelvis")]
    air = ~feet.foot_contacts(clip).any(axis=1)
    last = int(stop * RATE)
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


def turn(clip: Clip, start: float = 0.0, stop: float = np.inf) -> dict[str, float]:
    """The largest change of direction between two times (seconds) of somebody who goes on afterwards."""
    clip, start, stop = around(clip, start, stop)
    inside = slice(int(start * RATE), int(stop * RATE))
    pelvis = clip.positions[inside, clip.skeleton.joint("pelvis")]
    # hips and shoulders swing against each other: their mean is where the body has turned to
    yaw = softened(0.5 * (turn_of(clip, "pelvis") + turn_of(clip, "chest"))[inside], RATE, 0.06)
    velocity = softened(np.gradient(pelvis[:, [0, 2]], axis=0) * RATE, RATE, 0.08)
    speed = np.hypot(*velocity.T)
    total = abs(yaw[-1] - yaw[0])
    done = np.abs(yaw - yaw[0]) / total
    first, last = int(np.argmax(done > 0.2)), int(np.argmax(done > 0.8))
    wide = slice(max(first - int(0.5 * RATE), 0), last + int(0.3 * RATE))
    height = softened(pelvis[:, 1], RATE, 0.02)
    before = height[: max(first, int(0.4 * RATE))]
    return {
        "angle": float(total),
        "turn time": (last - first) / RATE,
        "turn rate": float(np.abs(np.gradient(yaw) * RATE).max()),
        "speed before": float(speed[: max(first, 1)].max()),
        "slowest": float(speed[wide].min()),
        "drop": float(np.median(before) - height[wide].min()),
    }


def rise(clip: Clip, start: float = 0.0, stop: float = np.inf) -> dict[str, float]:
    """Getting up between two times (seconds): how fast the hips are, and how long they take to be up."""
    inside = slice(int(start * clip.fps), int(min(stop, clip.duration) * clip.fps))
    pelvis = clip.positions[inside, clip.skeleton.joint("pelvis")]
    velocity = softened(np.gradient(pelvis, axis=0) * clip.fps, clip.fps, 0.03)
    speed = np.linalg.norm(velocity, axis=-1)
    return {"hips m/s": float(speed.max())}


def angle(first: np.ndarray, middle: np.ndarray, last: np.ndarray) -> np.ndarray:
    """(F,) degrees at the middle joint, 180 = straight."""
    a, b = first - middle, last - middle
    cosine = np.sum(a * b, axis=-1) / (np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1))
    return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))
