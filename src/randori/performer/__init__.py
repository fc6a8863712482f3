"""An actor made of code: it records long takes of one person, and says what is in them."""

from collections.abc import Generator

from randori.errors import RandoriError
from randori.performer.proportions import BODIES, Body, find_body
from randori.performer.recording import PerformanceSet, Recording, record
from randori.performer.sets import SETS
from randori.performer.truth import Action, Truth
from randori.work import finish

__all__ = [
    "BODIES",
    "SETS",
    "Action",
    "Body",
    "PerformanceSet",
    "Recording",
    "Truth",
    "perform",
    "performing",
]


def performing(
    set_name: str,
    seconds: float | None = None,
    seed: int = 1,
    body: str | Body = "average",
    fps: float = 60.0,
) -> Generator[float, None, list[Recording]]:
    """Perform a set; yields the share that is done and returns the takes."""
    if set_name not in SETS:
        raise RandoriError(f"there is no set {set_name!r}; the sets are {', '.join(SETS)}")
    wanted = SETS[set_name]
    length = wanted.seconds if seconds is None else seconds
    if not 0.5 <= length <= 7200.0:
        raise RandoriError(f"a take lasts between half a second and two hours, not {length} s")
    if not 10.0 <= fps <= 1000.0:
        raise RandoriError(f"a take has 10 to 1000 frames per second, not {fps}")
    performer = find_body(body)

    def takes() -> Generator[float, None, list[Recording]]:
        return [(yield from record(wanted, length, seed, performer, fps))]

    return takes()


def perform(
    set_name: str,
    seconds: float | None = None,
    seed: int = 1,
    body: str | Body = "average",
    fps: float = 60.0,
) -> list[Recording]:
    """Perform a set from beginning to end; the same seed gives the same bytes."""
    return finish(performing(set_name, seconds, seed, body, fps))
