"""The log of a fight, and the timeline that it becomes."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from randori.duel.game import GO_ON, Verdict
from randori.motion.placement import Placement
from randori.timeline.timeline import Decision, Event, Option, Placed, Timeline, Track


@dataclass
class Diary:
    """A fight numbers the actions and frames of all libraries together, a timeline those of each library."""

    first_action: Sequence[int]  # of each character's library, among all
    first_frame: Sequence[int]
    placed: list[list[Placed]]
    events: list[Event] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    _forgotten: int = 0  # decisions whose options were dropped

    def copied(self) -> "Diary":
        """The same until now."""
        placed = [list(some) for some in self.placed]
        return replace(self, placed=placed, events=list(self.events), decisions=list(self.decisions))

    def begin(
        self, who: int, action: int, frames: tuple[int, int], tick: int, place: np.ndarray, cause: str
    ) -> None:
        """Write down that a fighter begins an action, with its first frame and length; the last one ends."""
        placed = self.placed[who]
        if placed:
            last = placed[-1]
            placed[-1] = Placed(last.action, last.first, last.start, tick, last.placement, last.cause)
        first, ticks = frames
        placed.append(
            Placed(
                action - self.first_action[who],
                first - self.first_frame[who],
                tick,
                tick + ticks,
                Placement(*(float(value) for value in place)),
                cause,
            )
        )

    def decide(
        self,
        tick: int,
        members: Sequence[int],
        who: int,
        depth: int,
        verdict: Verdict,
        unseen: Sequence[int],
        options: Sequence[Option],
    ) -> None:
        """Write down a decision of one member of a tree. The verdict numbers fighters as the tree does."""
        goes_on = verdict.action == GO_ON
        self.decisions.append(
            Decision(
                tick,
                who,
                self.placed[who][-1].action if goes_on else verdict.action - self.first_action[who],
                depth,
                verdict.competitive,
                verdict.cooperative,
                tuple(members[other] for other in unseen),
                tuple(
                    (members[one], int(action) - self.first_action[members[one]], int(when))
                    for one, action, when in verdict.line
                    if action != GO_ON
                ),
                tuple(options),
                goes_on,
            )
        )

    def forget_options(self, before: int) -> None:
        """Drop what else could have been chosen before a tick: options are most of what a diary weighs."""
        for number in range(self._forgotten, len(self.decisions)):
            if self.decisions[number].tick >= before:
                break
            self.decisions[number] = replace(self.decisions[number], options=())
            self._forgotten = number + 1

    def timeline(self, fps: float, end: int, tracks: Sequence[Track]) -> Timeline:
        """The timeline until a tick; the tracks name the fighters."""
        shown = []
        for track, placed in zip(tracks, self.placed):
            some = [one for one in placed if one.start < end]
            last = some[-1]
            stop = min(max(last.stop, 1), end)
            some[-1] = Placed(last.action, last.first, last.start, stop, last.placement, last.cause)
            shown.append(replace(track, placed=tuple(some)))
        events = tuple(event for event in self.events if event.tick <= end)
        decisions = tuple(decision for decision in self.decisions if decision.tick < end)
        return Timeline(fps, end, tuple(shown), events, decisions)
