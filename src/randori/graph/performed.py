"""Libraries of what the built-in performer records: made once, then read from the cache."""

from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import dataclass
from glob import escape
from pathlib import Path

import numpy as np

from randori.beside import Call, spare_cores
from randori.capture.actions import Analysis, Segment, Strike, Tags
from randori.capture.analysis import analyse
from randori.errors import FileError
from randori.folders import cache_folder
from randori.graph.library import ActionLibrary, building_library
from randori.graph.library_file import read_again, write
from randori.motion.clip import Clip
from randori.performer import Recording, performing
from randori.performer.truth import Action, Truth
from randori.sources import source_hash
from randori.work import finish, part

Recorded = list[tuple[Clip, Analysis]]

_WORTH_A_PROCESS = 60.0  # seconds of a set that take longer to perform than a process takes to start


@dataclass(frozen=True)
class Performance:
    """A request to the performer."""

    sets: tuple[str, ...]
    seconds: float | tuple[float, ...] | None = None  # of each set; each has its own length
    seed: int = 1
    body: str = "average"
    mirrored: bool = False
    told: bool = False  # its own word for what it does is taken, not what is found in the recording

    @property
    def path(self) -> Path:
        """The file of the library: named after what was asked for, and after what made it."""
        given = self.seconds if isinstance(self.seconds, tuple) else (self.seconds,)
        length = "+".join("whole" if one is None else f"{one:g}s" for one in given)
        words = f"{'-mirrored' if self.mirrored else ''}{'-told' if self.told else ''}"
        asked = f"{'+'.join(self.sets)}-{self.body}-{self.seed}-{length}{words}"
        return cache_folder() / "libraries" / f"{asked}-{source_hash(__name__)}.npz"

    def length(self, name: str) -> float | None:
        """Seconds of one of the sets."""
        return self.seconds[self.sets.index(name)] if isinstance(self.seconds, tuple) else self.seconds


def performed(wanted: Performance) -> Generator[float, None, ActionLibrary]:
    """The library of a performance; yields the share that is done."""
    path = wanted.path
    if path.is_file():
        try:
            return read_again(path)
        except FileError:
            pass  # damaged, or of another version: it is made again
    recordings = yield from part(_recording(wanted), 0.0, 0.9)
    library = yield from part(building_library(recordings, mirrored=wanted.mirrored), 0.9, 0.1)
    keep(path, library)
    return library


def _recording(wanted: Performance) -> Generator[float, None, Recorded]:
    """Record the sets: the last one here, others in processes beside it if there are cores for them."""
    long = [name for name in wanted.sets[:-1] if (wanted.length(name) or np.inf) >= _WORTH_A_PROCESS]
    helped = long[: spare_cores()]
    own = [name for name in wanted.sets if name not in helped]
    found: dict[str, Recorded] = {}
    with ExitStack() as processes:
        beside = {name: processes.enter_context(Call(record_set, wanted, name)) for name in helped}
        for number, name in enumerate(own):
            found[name] = yield from part(_recording_set(wanted, name), number / len(own), 1.0 / len(own))
        for name, call in beside.items():
            found[name] = call.answer() or (yield from part(_recording_set(wanted, name), 1.0, 0.0))
    return [one for name in wanted.sets for one in found[name]]


def record_set(wanted: Performance, name: str) -> Recorded:
    """One set of a performance, and what is in it."""
    return finish(_recording_set(wanted, name))


def _recording_set(wanted: Performance, name: str) -> Generator[float, None, Recorded]:
    takes = yield from performing(name, wanted.length(name), wanted.seed, wanted.body)
    return [(take.clip, told(take) if wanted.told else analyse(take.clip)) for take in takes]


def told(recording: Recording) -> Analysis:
    """The ground truth of the performer. `position` names the luggage, `side` the hands that hold it.

    Where luggage changes hands, that moment stands as a strike of the hand, without any speed.
    """
    truth = recording.truth
    return Analysis(tuple(_segment(truth, action) for action in truth.actions if action.stop > action.start))


def _segment(truth: Truth, action: Action) -> Segment:
    strikes = [
        Strike(
            strike.effector,
            round(strike.onset * truth.fps),
            round(strike.extension * truth.fps) + 1,
            round(strike.peak * truth.fps),
            round(strike.extension * truth.fps),
            strike.speed,
        )
        for strike in action.strikes
    ]
    position, side = action.position, action.side
    thing, hands = _held(truth, action)
    if thing:
        position, side = thing, hands
    if action.kind == "luggage" and action.impact is not None and thing:
        frame = min(max(round(action.impact * truth.fps), action.start), action.stop - 1)
        hand = "left_hand" if hands == "left" else "right_hand"
        strikes.append(Strike(hand, frame, frame + 1, frame, frame, 0.0))
    tags = Tags(action.kind, action.technique, side, position, action.direction)
    return Segment(action.start, action.stop, tags, strikes=tuple(strikes))


def _held(truth: Truth, action: Action) -> tuple[str, str]:
    """The piece of luggage that is in the hands in an action, and in which."""
    for thing in truth.things:
        for stretch in thing.whereabouts:
            if stretch.state == "hands" and stretch.start < action.stop and action.start < stretch.stop:
                return thing.name, stretch.hands
    return "", ""


def keep(path: Path, library: ActionLibrary) -> None:
    """Keep a library for the next run, and drop what older versions made for the same wish."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, library)
    except (OSError, FileError):
        return  # no room for a cache: the next run makes it again
    wish = path.name.rpartition("-")[0]
    for other in path.parent.glob(f"{escape(wish)}-????????????????.npz"):
        if other != path:
            other.unlink(missing_ok=True)
