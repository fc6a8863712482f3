"""Liveliness of composed scenes, and the delay of commands, on seeds that were not used for tuning."""

from collections.abc import Generator

import numpy as np

from randori.bench.patch_composition import COMPOSERS, composer_of
from randori.bench.patch_scenes import Size
from randori.bench.tables import Row, Rows
from randori.errors import RandoriError
from randori.patches.compose import Composer, Wish
from randori.patches.dominoes import FALLING_HEIGHT, KNEE_HEIGHT
from randori.patches.liveliness import Liveliness, liveliness, seconds_to_obey
from randori.patches.prepared import Prepared
from randori.patches.stage import Stage
from randori.scene.groups import Composition
from randori.work import part

SCENES = ("one-fights-many", "two-fight", "football", "mouse", "dominoes", "luggage")
STEERED = {  # the commands of each main character
    "one-fights-many": ("move", "turn", "punch", "kick", "avoid"),
    "two-fight": ("move", "turn", "punch", "kick", "avoid"),
    "football": ("move", "turn", "avoid"),
    "mouse": ("move", "turn"),
}
_COMMAND_INTERVAL = 4.0  # seconds from one command to the next: each has that long to be obeyed


def lively_rows(size: Size) -> Generator[float, None, Rows]:
    """Repetition, idle time and use of the library for every scene: the mean and the worst of some seeds."""
    rows: Rows = []
    for number, name in enumerate(SCENES):
        begin, share = number / len(SCENES), 1.0 / len(SCENES)
        prepared = yield from part(size.preparing(name), begin, 0.3 * share)
        found: list[Liveliness] = []
        pushes: list[bool] = []
        errors = 0
        for done, seed in enumerate(size.lively_seeds):
            try:
                composition = composer_of(name, size)(prepared, seed)
                ticks = round(size.lively_seconds * composition.stage.fps)
                for now in range(ticks):
                    composition.advance(now)
            except RandoriError:  # said in a sentence; anything else is a fault of the program, and stops it
                errors += 1
                continue
            found.append(liveliness(composition.stage, ticks, (0, 1) if name == "two-fight" else (0,)))
            pushes += _strong_pushes(composition.stage)
            yield begin + share * (0.3 + 0.7 * (done + 1) / len(size.lively_seeds))
        rows.append(_row(name, prepared, found, errors, pushes if name == "dominoes" else []))
    return rows


def _row(name: str, prepared: Prepared, found: list[Liveliness], errors: int, pushes: list[bool]) -> Row:
    used = frozenset[int]().union(*(one.patches for one in found))
    fights = name in ("one-fights-many", "two-fight")
    return {
        "scene": name,
        "takes": len(found) + errors,
        "errors": errors,
        "patches played": round(sum(one.played for one in found) / max(len(found), 1)),
        "takes that lock": sum(one.locks > 0 for one in found),
        "technique pairs again in 20 s": f"{sum(one.repeated for one in found) / max(len(found), 1):.0%}",
        "idle: mean, worst": _both([one.idle for one in found]) if fights or name == "football" else "",
        "longest idle (s)": _longest([one.longest_idle for one in found]) if fights else "",
        "longest without attack (s)": _longest([one.longest_peace for one in found]) if fights else "",
        "longest on the floor (s)": _longest([one.longest_down for one in found]),
        "patches used": f"{len(used)} of {len(prepared.patches)}, {len(used) / len(prepared.patches):.0%}",
        "strong pushes": f"{np.mean(pushes):.0%}" if pushes else "",
    }


def _longest(seconds: list[float]) -> str:
    return f"{max(seconds):.1f}" if seconds else ""


def _both(shares: list[float]) -> str:
    return f"{np.mean(shares):.0%}, {max(shares):.0%}" if shares else ""


def _strong_pushes(stage: Stage) -> list[bool]:
    """For every push whether a body that still falls strikes, or strikes above the knee."""
    strong = []
    for event in stage.events:
        if event.kind == "push":
            frame, _ = stage.shown(event.who, event.tick)
            high = event.point is not None and event.point[1] > KNEE_HEIGHT
            strong.append(high or float(stage.stock.height[frame]) > FALLING_HEIGHT)
    return strong


def command_rows(size: Size) -> Generator[float, None, Rows]:
    """Delay until the main character begins to obey: all commands of a scene, one after the other."""
    rows: Rows = []
    for number, name in enumerate(STEERED):
        begin, share = number / len(STEERED), 1.0 / len(STEERED)
        prepared = yield from part(size.preparing(name), begin, 0.3 * share)
        seconds: list[float] = []
        words = Composer(prepared, 0).words
        for done, seed in enumerate(size.command_seeds):
            composition = COMPOSERS[name](prepared, seed)
            seconds += _obeyed(name, composition, words, size.command_seconds, seed)
            yield begin + share * (0.3 + 0.7 * (done + 1) / len(size.command_seeds))
        known = np.array(seconds)
        rows.append(
            {
                "scene": name,
                "commands": len(known),
                "begun within 1 s": f"{(known <= 1.0).mean():.0%}",
                "within 2 s": f"{(known <= 2.0).mean():.0%}",
                "median (s)": f"{np.median(known):.2f}",
                "slowest (s)": f"{known.max():.2f}",
            }
        )
    return rows


def _obeyed(
    name: str, composition: Composition, does: dict[str, np.ndarray], length: float, seed: int
) -> list[float]:
    """Seconds until each of some commands is obeyed; `does` are the actions (A,) of the words."""
    stage, rng = composition.stage, np.random.default_rng(seed)
    words, every = STEERED[name], round(_COMMAND_INTERVAL * stage.fps)
    sent: list[tuple[Wish, int]] = []
    ticks = round(length * stage.fps)
    for now in range(ticks):
        composition.advance(now)
        if now % every == every // 2 and now + every < ticks:
            wish = _wish(words[len(sent) % len(words)], stage.spots(now)[0], rng, name)
            composition.obey(wish, now)
            sent.append((wish, now))
    nothing = np.zeros(0, dtype=bool)
    return [
        seconds_to_obey(stage, wish, now, now + every, does.get(wish.word, nothing)) for wish, now in sent
    ]


def _wish(word: str, here: np.ndarray, rng: np.random.Generator, name: str) -> Wish:
    """A command; places are some metres away, farther for runners."""
    angle = float(rng.uniform(-np.pi, np.pi))
    far = 12.0 if name == "football" else 2.0
    return Wish(word, (here[0] + far * np.sin(angle), here[1] + far * np.cos(angle)), angle)
