"""The terms for actions in a recording. The performer's ground truth uses the same ones."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Tags:
    """The tags of an action."""

    kind: str  # attack, defence, transition, reaction, fall, rise, locomotion
    technique: str  # jab, straight, hook, uppercut, front kick, duck, step forward, walk, …
    side: str = ""  # left, right, both
    # head, upper torso, lower torso: the aim of an attack, or the part that a defence covers
    position: str = ""
    direction: str = ""  # front, horizontal, upwards, left, right: where it comes from

    @property
    def name(self) -> str:
        """In words: "left jab"."""
        return f"{self.side} {self.technique}".strip()


@dataclass(frozen=True)
class Strike:
    """A fist, a foot or a blade that could hurt a person, and when (POLICY's effective hits)."""

    effector: str  # left_hand, right_foot, weapon, …
    start: int  # frame: the first effective one
    stop: int  # the frame after the last effective one
    peak: int  # frame of the highest speed
    extension: int  # frame in which it is farthest from shoulder or hip
    speed: float  # metres per second at the peak


@dataclass(frozen=True)
class Segment:
    """Frames of a recording in which one thing is done."""

    start: int  # frame
    stop: int  # the frame after the last
    tags: Tags
    confidence: float = 1.0  # 0 to 1, of the tags
    strikes: tuple[Strike, ...] = ()
    edited: bool = False  # written by a person: it wins over the analysis


@dataclass(frozen=True)
class Problem:
    """Something that is wrong with a recording."""

    what: str  # glitch, duplicate, frame rate, …
    message: str  # for a person
    frames: tuple[int, int] | None = None  # first, and the one after the last


@dataclass(frozen=True)
class Analysis:
    """All that was found in one recording; every frame belongs to exactly one segment."""

    segments: tuple[Segment, ...]
    problems: tuple[Problem, ...] = field(default=())
    holds: str = ""  # "sword" where both hands swing one that has no joint, or a person says so
