"""Scenes composed of patches beside the paper's frames per second, and how the cost grows with the crowd."""

import resource
import time
from collections.abc import Callable, Generator
from functools import partial

from randori.bench.patch_scenes import Size
from randori.bench.tables import Rows
from randori.patches.dominoes import Dominoes
from randori.patches.fights import OneFightsMany, TwoFight
from randori.patches.fleeing_crowd import FleeingCrowd
from randori.patches.football import Football
from randori.patches.picture import CELL, SQUARE
from randori.patches.prepared import Prepared
from randori.patches.relay import Relay
from randori.scene.groups import Composition
from randori.work import part

# scene: frames per second in the paper, without drawing (table 3)
PAPER = {
    "one-fights-many": 87,
    "two-fight": 104,
    "football": 194,
    "mouse": 78,
    "dominoes": 72,
    "luggage": 162,
}
_PICTURE_CELL = 0.3  # metres, half a cell of the bitmap

Compose = Callable[[Prepared, int], Composition]
COMPOSERS: dict[str, Compose] = {
    "one-fights-many": OneFightsMany,
    "two-fight": TwoFight,
    "football": Football,
    "mouse": FleeingCrowd,
    "luggage": Relay,
}


def speed_rows(size: Size) -> Generator[float, None, Rows]:
    """Frames per second of composition for every scene, on a seed that nothing was made for."""
    rows: Rows = []
    for number, (name, theirs) in enumerate(PAPER.items()):
        prepared = yield from part(size.preparing(name), number / len(PAPER), 1.0 / len(PAPER))
        compose = composer_of(name, size)
        _composed(compose, prepared, 1.0)  # compiles and reads everything once
        seconds, ticks, composition = _composed(compose, prepared, size.seconds)
        rate = ticks / seconds
        rows.append(
            {
                "scene": name,
                "characters": len(composition.stage),
                "patches": len(prepared.patches),
                "frames": ticks,
                "seconds": round(seconds, 2),
                "frames per second": round(rate),
                "in the paper": theirs,
                "times": round(rate / theirs, 1),
            }
        )
    return rows


def composer_of(name: str, size: Size) -> Compose:
    """The function that composes a scene of a size."""
    if name == "dominoes":
        return partial(Dominoes, rows=size.picture)
    if name == "mouse" and size.people is not None:
        return partial(FleeingCrowd, people=size.people)
    if name == "luggage" and size.quick:
        return partial(Relay, pieces=("box",), people=2, carried=1.0)
    return COMPOSERS[name]


def _composed(compose: Compose, prepared: Prepared, length: float) -> tuple[float, int, Composition]:
    """Seconds and frames of a scene. Compiling for all scenes of a library is not counted."""
    begun = time.perf_counter()
    composition = compose(prepared, 1000)
    if isinstance(composition, Dominoes):  # it is composed as a whole
        ticks = max(actor.state.tick for actor in composition.stage.actors)
        return time.perf_counter() - begun, ticks, composition
    begun = time.perf_counter()
    ticks = round(length * composition.stage.fps)
    for now in range(ticks):
        composition.advance(now)
    return time.perf_counter() - begun, ticks, composition


def picture_rows(size: Size) -> Generator[float, None, Rows]:
    """The share of the heart on the floor that the fallen characters fill, on seeds not used for tuning."""
    prepared = yield from part(size.preparing("dominoes"), 0.0, 0.6)
    rows: Rows = []
    for number, seed in enumerate(size.picture_seeds):
        yield 0.6 + 0.4 * number / len(size.picture_seeds)
        composition = Dominoes(prepared, seed, size.picture)
        picture, people = composition.picture, len(composition.stage)
        pushes = sum(event.kind == "push" for event in composition.stage.events)
        rows.append(
            {
                "seed": seed,
                "people": people,
                "square metres": round(picture.area, 1),
                f"cells of {CELL} m covered": f"{picture.share():.1%}",
                f"cells of {_PICTURE_CELL} m covered": f"{picture.share(_PICTURE_CELL):.1%}",
                "floor under bodies": f"{picture.share(SQUARE):.1%}",
                "lies outside": f"{picture.outside:.1%}",
                "fall untouched": people - pushes,
            }
        )
    return rows


def crowd_rows(size: Size) -> Generator[float, None, Rows]:
    """Pairs that fight on, side by side: a minute of it, from ten characters to a thousand."""
    prepared = yield from part(size.preparing("two-fight"), 0.0, 0.2)
    rows: Rows = []
    for number, people in enumerate(size.crowds):
        composition = TwoFight(prepared, 1000, pairs=people // 2)
        ticks = round(size.fighting * composition.stage.fps)
        begun = time.perf_counter()
        for now in range(ticks):
            composition.advance(now)
            yield 0.2 + 0.8 * (number + now / ticks) / len(size.crowds)
        seconds = time.perf_counter() - begun
        rows.append(
            {
                "characters": people,
                "patches used": composition.composer.usage.total,
                "seconds for a minute": round(60.0 * seconds / size.fighting, 1),
                "times real time": round(size.fighting / seconds, 1),
                "memory (MB)": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            }
        )
    return rows
