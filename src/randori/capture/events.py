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
    """The usual duration of a technique in seconds, counted from its clearest moment."""

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

    seen: int  # the clearest moment: the peak of a strike, a foot that lifts, the bottom of a duck
    done: int  # the next action cannot begin before
    timing: Timing
    tags: Tags
    confidence: float = 1.0
    blow: Blow | None = None
