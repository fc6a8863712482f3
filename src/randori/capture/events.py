"""Something that happens in a recording, before it is known where it begins and ends."""

from dataclasses import dataclass, replace

from randori.capture.actions import Tags


@dataclass(frozen=True)
class Blow:
    """A fist, a foot or a blade at its fastest, in samples."""

    effector: str  # left_hand, right_foot, weapon
    peak: int
    extension: int


@dataclass(frozen=True)
class Timing:
    """How long a technique usually takes, in seconds, counted from what is seen of it most clearly."""

    lead: float  # from the first turn of the hips
    flow: float  # the same in a combination, where the wind-up is done while the blow before is still out
    settle: float  # until the body has come to rest
    pause: float = 0.3  # a rest that is shorter belongs to it
    flows_within: float = 0.65  # a blow that is seen no more than that before makes it part of a combination
    rise: float = 0.0  # in which a fist gets from a third of its speed to its peak; 0 where that says nothing

    def scaled(self, tempo: float) -> "Timing":
        """The same for a slower person."""
        return replace(
            self,
            lead=tempo * self.lead,
            flow=tempo * self.flow,
            settle=tempo * self.settle,
            flows_within=tempo * self.flows_within,
        )


@dataclass(frozen=True)
class Event:
    """One thing that is done. Times in samples."""

    seen: int  # what is seen most clearly: the peak of a strike, a foot that lifts, the bottom of a duck
    done: int  # what comes next cannot begin before
    timing: Timing
    tags: Tags
    confidence: float = 1.0
    blow: Blow | None = None
