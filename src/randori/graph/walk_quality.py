"""Quality of the joins of a random walk, compared with its recordings (docs/quality.md)."""

from dataclasses import dataclass

import numpy as np

from randori.graph.joining import JOIN_SECONDS, Walk
from randori.graph.library import ActionLibrary
from randori.graph.smoothness import angular_acceleration
from randori.motion.feet import PlantedPhase, foot_contacts, foot_slide, planted_phases

NOTICED = 0.021  # metres of sliding that people notice
_OWN_SLIDE = 1.1  # times what the recording does: that much is its own


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
    """Measure a walk. Planted feet are detected again in the result, as a viewer would see them."""
    _, excess = planted_slides(walk, library)
    source = library.usual_acceleration
    peaks = join_peaks(walk, library)
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


def planted_slides(walk: Walk, library: ActionLibrary) -> tuple[np.ndarray, np.ndarray]:
    """(N,) metres that each planted foot slides, and how much more that is than in the recordings."""
    contacts = foot_contacts(walk.clip)
    phases, slides = planted_phases(contacts), foot_slide(walk.clip, contacts)
    return slides, np.array([_excess_slide(walk, library, *found) for found in zip(phases, slides)])


def join_peaks(walk: Walk, library: ActionLibrary) -> np.ndarray:
    """(K,) radians per second², the highest angular acceleration about each join that is not recorded."""
    here = angular_acceleration(walk.clip.rotations, walk.clip.fps)
    return np.array([_peak_about(walk, library, int(join), here) for join in walk.joins])


def _peak_about(walk: Walk, library: ActionLibrary, join: int, here: np.ndarray) -> float:
    """The highest of the angular accelerations (F, J) from just before a join, or from where its lead
    begins, until it has died away.

    A punch that is thrown right after a join is fast by itself: frames and joints in which the recording
    is as fast do not count. The frame of the join is the last one of one recording and the first of another.
    """
    first = join
    while first > 0 and walk.blended[first - 1] == walk.frame[join]:
        first -= 1
    near = slice(max(first - 1, 0), join + round(JOIN_SECONDS * library.fps))
    recorded = library.accelerations[walk.frame[near]]
    place = join - near.start
    recorded[place] = np.maximum(recorded[place], library.accelerations[walk.blended[join]])
    return float(here[near][here[near] > _OWN_SLIDE * recorded].max(initial=0.0))


def _excess_slide(walk: Walk, library: ActionLibrary, phase: PlantedPhase, slide: float) -> float:
    """Metres that a planted foot slides more than it does in the recordings of the same frames."""
    frames = walk.frame[phase.start : phase.stop]
    recorded = 0.0
    for run in np.split(frames, np.flatnonzero(np.diff(frames) != 1) + 1):
        standing = np.zeros((len(run), 2), dtype=bool)
        standing[:, phase.foot] = True
        recorded = max(recorded, float(foot_slide(library.clip(int(run[0]), int(run[-1])), standing)[0]))
    return slide - recorded
