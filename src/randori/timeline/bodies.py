"""Whether bodies stay within human limits: how far trunks lean, how fast heads are, how joints jerk.

The limits are absolute: they hold for takes of every kind, independent of their recordings.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from randori.capture.actions import Tags
from randori.graph.joining import Walk
from randori.graph.library import EFFECTORS
from randori.motion.clip import Clip
from randori.motion.haste import joint_accelerations, speeds
from randori.motion.parts import SIDES
from randori.timeline.obstruction import before_impact
from randori.timeline.timeline import Timeline, Track, shown

_ON_FEET = 0.75  # of the usual height of a pelvis: a lower body does not stand on its feet
_FOOT_UP = 0.25  # metres of the lower ankle: a higher one belongs to a body in the air
_LYING_TECHNIQUES = ("lie", "roll over")  # techniques
_WINDING_UP, _DRAWING_BACK = 0.2, 0.3  # seconds before and after a strike in which its limb is as hasty
_BEFORE_CONTACT, _AFTER_CONTACT = 0.15, 0.25  # seconds about a contact between characters
_ARM, _LEG = ("shoulder", "upper_arm", "forearm", "hand"), ("thigh", "shin", "foot", "toes")


@dataclass(frozen=True)
class BodyFigures:
    """The most that any character of a take shows, outside what a car does to it."""

    trunk_angle: float  # radians from upright, of a trunk on its feet
    head_speed: float  # m/s
    joint_acceleration: float  # m/s², outside impacts


def body_figures(timeline: Timeline, walks: Sequence[Walk]) -> BodyFigures:
    """Measure the clips that a timeline became."""
    planned = before_impact(timeline, walks)
    leans, heads, jerks = [0.0], [0.0], [0.0]
    for who, (track, walk) in enumerate(zip(timeline.tracks, planned)):
        clip, joints = walk.clip, list(walk.clip.skeleton.parts.values())
        low = _falling(track, timeline.ticks, len(clip), ("fall", "rise"), _LYING_TECHNIQUES)
        leans.append(float(trunk_angles(clip)[_on_feet(track, clip) & ~low].max(initial=0.0)))
        heads.append(float(speeds(clip.positions[:, clip.skeleton.joint("head")], clip.fps).max(initial=0.0)))
        jerk = joint_accelerations(clip.positions, clip.fps)
        jerk[impacts(timeline, who, clip)] = 0.0
        jerks.append(float(jerk[:, joints].max(initial=0.0)))
    return BodyFigures(max(leans), max(heads), max(jerks))


def trunk_angles(clip: Clip) -> np.ndarray:
    """(F,) radians between the line from pelvis to neck and the vertical."""
    joint = clip.skeleton.joint
    top = "neck" if "neck" in clip.skeleton.parts else "head"
    trunk = clip.positions[:, joint(top)] - clip.positions[:, joint("pelvis")]
    length = np.maximum(np.linalg.norm(trunk, axis=-1), 1e-9)
    return np.arccos(np.clip(trunk[:, 1] / length, -1.0, 1.0))


def _on_feet(track: Track, clip: Clip) -> np.ndarray:
    """(F,) bool: the pelvis is high, and a foot is near the floor."""
    usual = float(np.median(track.library.frames.root_position[:, 1]))
    ankles = clip.positions[:, [clip.skeleton.joint(f"{side}_foot") for side in SIDES], 1]
    near: np.ndarray = ankles.min(axis=-1) < _FOOT_UP
    return near & (clip.root_position[:, 1] > _ON_FEET * usual)


def _falling(
    track: Track, ticks: int, frames: int, kinds: Sequence[str], techniques: Sequence[str]
) -> np.ndarray:
    """(frames,) bool: an action of such a kind, or such a technique, is shown."""
    found = np.zeros(frames, dtype=bool)
    for one in shown(track.placed, ticks):
        tags = track.library.tags[one.action] if one.action >= 0 else Tags("", "")
        if tags.kind in kinds or tags.technique in techniques:
            found[one.start : one.stop if one.stop < ticks else None] = True
    return found


def impacts(timeline: Timeline, who: int, clip: Clip) -> np.ndarray:
    """(F, J) bool: a limb strikes, a character touches another, or a fall meets the floor."""
    track, fps = timeline.tracks[who], timeline.fps
    found = np.zeros((len(clip), len(clip.skeleton)), dtype=bool)
    found[_falling(track, timeline.ticks, len(clip), ("fall",), ())] = True
    for event in timeline.events:
        if event.part and who in (event.who, event.whom):  # something was touched
            first = max(event.tick - round(_BEFORE_CONTACT * fps), 0)
            found[first : event.tick + round(_AFTER_CONTACT * fps) + 1] = True
    strikes = track.library.strikes
    before, after = round(_WINDING_UP * fps), round(_DRAWING_BACK * fps)
    for one in shown(track.placed, timeline.ticks):
        for k in np.flatnonzero((strikes.start < one.last) & (strikes.stop > one.first)):
            first = one.start + int(strikes.start[k]) - one.first - before
            stop = one.start + int(strikes.stop[k]) - one.first + after
            found[max(first, 0) : stop, _limb(clip, EFFECTORS[int(strikes.effector[k])])] = True
    return found


def _limb(clip: Clip, effector: str) -> list[int]:
    """The joints of the limb that an effector belongs to; a weapon is held by both arms."""
    side, _, part = effector.partition("_")
    if effector == "weapon":
        names = [f"{each}_{bone}" for each in SIDES for bone in _ARM]
    elif part:
        names = [f"{side}_{bone}" for bone in (_ARM if part in _ARM else _LEG)]
    else:
        names = [effector]
    return [clip.skeleton.parts[name] for name in names if name in clip.skeleton.parts]
