"""Agreement of an analysis with the performer's ground truth."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from randori.capture.actions import Analysis, Segment
from randori.performer.truth import Action, Truth

NEAR_CUT = 0.1  # seconds: a boundary within that is found
NEAR_STRIKE = 0.05  # seconds, for the peak of a strike


@dataclass(frozen=True)
class Tally:
    """Counts for precision and recall."""

    found: int = 0  # true actions that were found
    there: int = 0
    right: int = 0  # found actions that are true
    said: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.found + other.found,
            self.there + other.there,
            self.right + other.right,
            self.said + other.said,
        )

    @property
    def recall(self) -> float:
        """Share of the true actions."""
        return self.found / self.there if self.there else 1.0

    @property
    def precision(self) -> float:
        """Share of the found actions."""
        return self.right / self.said if self.said else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of both."""
        total = self.precision + self.recall
        return 2.0 * self.precision * self.recall / total if total else 0.0


@dataclass(frozen=True)
class Score:
    """The agreement of one or more takes."""

    boundaries: Tally = field(default_factory=Tally)
    strikes: Tally = field(default_factory=Tally)
    kinds: Tally = field(default_factory=Tally)
    techniques: Tally = field(default_factory=Tally)
    sides: Tally = field(default_factory=Tally)
    confusions: Counter[tuple[str, str]] = field(default_factory=Counter)  # (true, said) technique

    def __add__(self, other: "Score") -> "Score":
        return Score(
            self.boundaries + other.boundaries,
            self.strikes + other.strikes,
            self.kinds + other.kinds,
            self.techniques + other.techniques,
            self.sides + other.sides,
            self.confusions + other.confusions,
        )

    def summary(self) -> str:
        """One line."""
        return (
            f"boundaries F1 {self.boundaries.f1:.3f} (found {self.boundaries.recall:.3f}, "
            f"right {self.boundaries.precision:.3f}), kind {self.kinds.recall:.3f}, "
            f"technique {self.techniques.recall:.3f}, side {self.sides.recall:.3f}, "
            f"strikes found {self.strikes.recall:.3f}, right {self.strikes.precision:.3f}"
        )

    def as_dict(self) -> dict[str, float]:
        """For JSON: shares between 0 and 1."""
        return {
            "boundaries F1": self.boundaries.f1,
            "kind": self.kinds.recall,
            "technique": self.techniques.recall,
            "side": self.sides.recall,
            "strikes": self.strikes.recall,
        }

    def confusion_table(self) -> str:
        """True techniques in rows, found ones in columns."""
        rows = sorted({true for true, _ in self.confusions})
        columns = sorted({said for _, said in self.confusions})
        wide = max((len(name) for name in rows), default=0)
        lines = [" " * wide + " " + " ".join(f"{k:>3}" for k in range(1, len(columns) + 1))]
        for row in rows:
            cells = [self.confusions[row, column] for column in columns]
            lines.append(f"{row:<{wide}} " + " ".join(f"{cell:>3}" if cell else "  ." for cell in cells))
        lines += [f"{k:>3} = {name}" for k, name in enumerate(columns, 1)]
        return "\n".join(lines)


def score(analysis: Analysis, truth: Truth) -> Score:
    """Compare an analysis with the ground truth of the same take."""
    segments, actions, fps = analysis.segments, truth.actions, truth.fps
    cuts = [action.start / fps for action in actions[1:]]
    said = [segment.start / fps for segment in segments[1:]]
    pairs = [(action, _most_shared(action, segments)) for action in actions]
    sided = [(action, segment) for action, segment in pairs if action.side]
    return Score(
        _matched(cuts, said, NEAR_CUT),
        _strikes(actions, segments, fps),
        _agreement([(action.kind, segment.tags.kind) for action, segment in pairs]),
        _agreement([(action.technique, segment.tags.technique) for action, segment in pairs]),
        _agreement([(action.side, segment.tags.side) for action, segment in sided]),
        Counter((action.technique, segment.tags.technique) for action, segment in pairs),
    )


def _most_shared(action: Action, segments: Sequence[Segment]) -> Segment:
    """The segment that has most of an action's frames."""
    return max(segments, key=lambda s: min(s.stop, action.stop) - max(s.start, action.start))


def _agreement(pairs: Sequence[tuple[str, str]]) -> Tally:
    right = sum(true == said for true, said in pairs)
    return Tally(right, len(pairs), right, len(pairs))


def _strikes(actions: Sequence[Action], segments: Sequence[Segment], fps: float) -> Tally:
    """Strikes are compared effector by effector."""
    total = Tally()
    true = [strike for action in actions for strike in action.strikes]
    said = [strike for segment in segments for strike in segment.strikes]
    for effector in sorted({s.effector for s in true} | {s.effector for s in said}):
        total += _matched(
            [strike.peak for strike in true if strike.effector == effector],
            [strike.peak / fps for strike in said if strike.effector == effector],
            NEAR_STRIKE,
        )
    return total


def _matched(true: Sequence[float], said: Sequence[float], near: float) -> Tally:
    """Times that belong together, one to one, the nearest first."""
    if not true or not said:
        return Tally(0, len(true), 0, len(said))
    gaps = np.abs(np.subtract.outer(np.asarray(true), np.asarray(said)))
    matched = 0
    for pair in np.argsort(gaps, axis=None, kind="stable"):
        row, column = divmod(int(pair), len(said))
        # half a frame of slack: both times are rounded to frames
        if not gaps[row, column] <= near + 1e-6:
            break
        gaps[row, :] = gaps[:, column] = np.inf
        matched += 1
        gaps[row, column] = np.inf
    return Tally(matched, len(true), matched, len(said))
