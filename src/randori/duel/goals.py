"""Checkpoints: where characters have to be, when, and their required actions (docs/scenes.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

FALL = "fall"  # requested of a fighter, it means that the others have to knock it down


@dataclass(frozen=True)
class Checkpoint:
    """A place that characters are drawn to until they have been there and have done the requested action."""

    place: tuple[float, float]  # x, z metres
    radius: float = 0.5  # metres within which it is reached
    who: tuple[int, ...] = ()  # characters; all, if none are given
    time: float | None = None  # seconds from the start before which it is not left
    required: tuple[tuple[int, str], ...] = ()  # character and action: done once it is reached
    forbidden: tuple[tuple[int, str], ...] = ()  # character and action: not done until it is left
    facing: Mapping[int, float] = field(default_factory=dict)  # radians, the way a character has to look
    lead: float = 0.0  # seconds by which the goal is ahead of a runner, which cannot stand and wait
    patience: float | None = None  # seconds after its time; then a fighter that missed it goes on without


@dataclass
class Errand:
    """Checkpoints of the same characters, one after the other, and how far they have come."""

    who: tuple[int, ...]
    checkpoints: list[Checkpoint]
    passed: int = 0
    arrived: int = -1  # tick in which the current one was reached, -1 before
    left: list[tuple[int, str]] = field(default_factory=list)  # requests still to be met there
    missed: list[tuple[int, str]] = field(default_factory=list)  # requests that were missed

    @property
    def current(self) -> Checkpoint | None:
        """The checkpoint that they are drawn to."""
        return self.checkpoints[self.passed] if self.passed < len(self.checkpoints) else None

    def goal(self, seconds: float) -> tuple[float, float]:
        """The place that attracts them now. For runners it moves along all checkpoints, ahead of schedule."""
        here = self.checkpoints[self.passed]
        times = [one.time for one in self.checkpoints if one.time is not None]
        if here.lead == 0.0 or len(times) < len(self.checkpoints):
            return here.place
        x, z = (
            float(np.interp(seconds + here.lead, times, [one.place[k] for one in self.checkpoints]))
            for k in (0, 1)
        )
        return x, z

    def heading(self) -> float | None:
        """Radians, the way a runner has to look: on to the next checkpoint."""
        if self.current is None or self.current.lead == 0.0:
            return None
        at = max(min(self.passed, len(self.checkpoints) - 2), 0)
        (x, z), (to_x, to_z) = (one.place for one in self.checkpoints[at : at + 2])
        return float(np.arctan2(to_x - x, to_z - z))

    def arrive(self, tick: int, pelvises: np.ndarray) -> bool:
        """Whether the current one is reached now: the middle of the characters drawn to it is there."""
        checkpoint = self.current
        if checkpoint is None or self.arrived >= 0:
            return False
        middle = pelvises[list(self.who)].mean(axis=0)
        if np.linalg.norm(middle - np.array(checkpoint.place)) > checkpoint.radius:
            return False
        self.arrived, self.left = tick, list(checkpoint.required)
        return True

    def leave(self, tick: int, fps: float) -> bool:
        """Whether all is done and the time has come, so that the next one is set."""
        checkpoint = self.current
        if checkpoint is None:
            return False
        if checkpoint.lead > 0.0 and checkpoint.time is not None and not checkpoint.required:
            gone = tick >= round(checkpoint.time * fps)  # a runner does not come back for one
            self.passed, self.arrived = self.passed + gone, -1 if gone else self.arrived
            return gone
        if self._is_too_late(tick, fps):
            self.passed += 1
            return True
        if self.arrived < 0 or self.left:
            return False
        if checkpoint.time is not None and tick < round(checkpoint.time * fps):
            return False
        self.passed, self.arrived = self.passed + 1, -1
        return True

    def give_up(self, word: str, tick: int, patience: int) -> None:
        """Do not ask any longer for an action that did not come about within so many ticks."""
        if self.arrived >= 0 and tick - self.arrived > patience:
            self.missed += [one for one in self.left if one[1] == word]
            self.left = [one for one in self.left if one[1] != word]

    def _is_too_late(self, tick: int, fps: float) -> bool:
        """Whether the current one was missed: coming back for it would make them miss the next one, too."""
        checkpoint = self.current
        if checkpoint is None or checkpoint.time is None or checkpoint.patience is None:
            return False
        late = tick > round((checkpoint.time + checkpoint.patience) * fps)
        return late and self.arrived < 0 and not checkpoint.required


def errands(path: Sequence[Checkpoint], count: int) -> list[Errand]:
    """The checkpoints in queues by the characters that share them, in the order of their first appearance."""
    queues: dict[tuple[int, ...], Errand] = {}
    for checkpoint in path:
        who = tuple(sorted(checkpoint.who)) or tuple(range(count))
        queues.setdefault(who, Errand(who, [])).checkpoints.append(checkpoint)
    return list(queues.values())
