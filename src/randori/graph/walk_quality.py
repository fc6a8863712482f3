"""How good the joins of a walk are, measured against the recordings that it is made of (spec 8.1)."""

from dataclasses import dataclass

import numpy as np

from randori.graph.library import ActionLibrary
from randori.graph.walk import JOIN_SECONDS, Walk
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.feet import PlantedPhase, foot_contacts, foot_slide, planted_phases

NOTICED = 0.021  # metres of sliding that people notice
_OWN = 1.1  # times what the recording does: that much is its own


@dataclass(frozen=True)
class WalkQuality:
    """Figures of one walk."""

    seconds: float
    joins: int
    planted: int  # phases
    excess_slide: np.ndarray  # (planted,) metres more than the recordings slide in the same frames
    slide_share: float  # of the planted phases that slide less than 21 mm more than their source
    source_acceleration: float  # radians per second², 99.9 % of the recordings' joints and frames are below
    # (joins,) radians per second², the highest of all joints from a join until it has died away, where it
    # is above what the recording itself does in the same frame
    join_acceleration: np.ndarray
    acceleration_share: float  # of the joins that stay below the recordings' 99.9 %

    def report(self) -> dict[str, object]:
        """The figures for a table."""
        slide = 1e3 * np.percentile(self.excess_slide, [50, 95, 100]) if self.planted else np.zeros(3)
        return {
            "seconds": round(self.seconds, 1),
            "joins": self.joins,
            "planted phases": self.planted,
            "slide over source, median / 95 % / most (mm)": [round(float(value), 1) for value in slide],
            "phases below 21 mm": round(self.slide_share, 4),
            "source angular acceleration, 99.9 % (rad/s²)": round(self.source_acceleration),
            "highest at a join (rad/s²)": round(float(self.join_acceleration.max(initial=0.0))),
            "joins below it": round(self.acceleration_share, 4),
        }


def measure_walk(walk: Walk, library: ActionLibrary) -> WalkQuality:
    """Measure a walk. What is planted is found anew in the result, as somebody who looks at it would."""
    contacts = foot_contacts(walk.clip)
    phases, slides = planted_phases(contacts), foot_slide(walk.clip, contacts)
    excess = np.array([_excess_slide(walk, library, *found) for found in zip(phases, slides)])
    source = source_acceleration(library)
    peaks = np.array([_peak_about(walk, library, int(join)) for join in walk.joins])
    return WalkQuality(
        walk.clip.duration,
        len(walk.joins),
        len(excess),
        excess,
        float(np.mean(excess < NOTICED)) if len(excess) else 1.0,
        source,
        peaks,
        float(np.mean(peaks <= source)) if len(peaks) else 1.0,
    )


def source_acceleration(library: ActionLibrary) -> float:
    """Radians per second² that 99.9 % of the joints and frames of a library are below."""
    values = [
        angular_acceleration(library.clip(clip.start, clip.stop - 1)).ravel()
        for clip in library.clips
        if clip.stop - clip.start > 2
    ]
    return float(np.percentile(np.concatenate(values), 99.9)) if values else 0.0


def angular_acceleration(clip: Clip) -> np.ndarray:
    """(F - 2, J) radians per second², of every joint in its parent's frame; the first is of frame 1."""
    steps = rot.to_rotation_vector(rot.multiply(clip.rotations[1:], rot.inverse(clip.rotations[:-1])))
    return np.linalg.norm(np.diff(steps, axis=0), axis=-1) * clip.fps**2


def _peak_about(walk: Walk, library: ActionLibrary, join: int) -> float:
    """The highest angular acceleration of any joint from just before a join until it has died away.

    A punch that is thrown right after a join is fast by itself: frames and joints in which the recording
    is as fast do not count.
    """
    first = max(join - 2, 0)
    last = min(join + round(JOIN_SECONDS * walk.clip.fps) + 1, len(walk.clip))
    near = walk.clip.with_frames(walk.clip.root_position[first:last], walk.clip.rotations[first:last])
    here = angular_acceleration(near)
    recorded = np.zeros_like(here)
    for run in np.split(walk.frame[first:last], np.flatnonzero(np.diff(walk.frame[first:last]) != 1) + 1):
        # one frame more to either side, where the clip has it: the join itself is inside no run
        clip = library.clips[int(library.frames.clip[run[0]])]
        before, after = max(int(run[0]) - 1, clip.start), min(int(run[-1]) + 1, clip.stop - 1)
        if after - before > 1:
            inside = angular_acceleration(library.clip(before, after))
            middle = np.arange(before + 1, after)
            for frame, values in zip(middle, inside):
                place = np.flatnonzero(walk.frame[first + 1 : last - 1] == frame)
                recorded[place] = np.maximum(recorded[place], values)
    return float(here[here > _OWN * recorded].max(initial=0.0))


def _excess_slide(walk: Walk, library: ActionLibrary, phase: PlantedPhase, slide: float) -> float:
    """Metres that a planted foot slides more than it does in the recordings of the same frames."""
    frames = walk.frame[phase.start : phase.stop]
    recorded = 0.0
    for run in np.split(frames, np.flatnonzero(np.diff(frames) != 1) + 1):
        standing = np.zeros((len(run), 2), dtype=bool)
        standing[:, phase.foot] = True
        recorded = max(recorded, float(foot_slide(library.clip(int(run[0]), int(run[-1])), standing)[0]))
    return slide - recorded
