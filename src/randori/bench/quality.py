"""The quality of the shipped scenes after refinement, beside the limits, and the scenes that miss them."""

import time
from collections.abc import Generator

from randori.bench.tables import Row, Table
from randori.errors import RandoriError
from randori.graph.joining import Walk
from randori.physics.refine import refining
from randori.scene.preparing import preparing_scene
from randori.scene.run import playing
from randori.scene.scene import Scene, shipped_scenes
from randori.tables import suggest
from randori.timeline.limits import CRAFT
from randori.timeline.quality import measure
from randori.timeline.timeline import Timeline
from randori.work import finish, part

QUICK = "boxing:1.5"


def running(only: str | None = None, quick: bool = False) -> Generator[float, None, list[Table]]:
    """A row per scene in its own length and with its own seed; yields the share that is done.

    `only` names one scene, and how many seconds of it: "boxing", or "boxing:3"; ":3" are so many of each.
    """
    only = only or (QUICK if quick else "")
    name, _, seconds = only.partition(":")
    known = shipped_scenes()
    if name and name not in known:
        raise RandoriError(f"--only: there is no scene {name!r}; {suggest(name, known)}")
    scenes = [Scene.load(each) for each in known if name in ("", each)]
    if seconds:
        try:
            scenes = [scene.changed(seconds=float(seconds)) for scene in scenes]
        except ValueError:
            raise RandoriError(f"--only {only}: expected a number of seconds after the colon") from None
    rows = []
    for number, scene in enumerate(scenes):
        rows.append((yield from part(measuring(scene), number / len(scenes), 1.0 / len(scenes))))
    # figures of other lengths, or of some scenes only, are a table of their own
    words = ["quality", *([name] if name else []), *([f"{seconds}s"] if seconds else [])]
    return [Table("-".join(words), rows)]


def measuring(scene: Scene) -> Generator[float, None, Row]:
    """The row of one scene."""
    ready = yield from part(preparing_scene(scene), 0.0, 0.3)
    session = yield from part(playing(scene, ready), 0.3, 0.4)
    timeline = session.timeline()
    walks = yield from part(session.baking(timeline), 0.7, 0.2)
    return row_of(scene.name, timeline, walks)


def row_of(name: str, timeline: Timeline, walks: list[Walk]) -> Row:
    """Refine the baked motions of a timeline, and hold them against the limits."""
    before = measure(timeline, walks)
    start = time.process_time()
    refined = [one.walk for one in finish(refining(timeline, walks))]
    taken = time.process_time() - start
    quality = measure(timeline, refined)
    row: Row = {"scene": name, "characters": len(walks), "seconds": round(timeline.seconds, 1)}
    for key, limit in CRAFT.items():
        unit = f"{key} ({limit.unit}, {'≥' if limit.at_least else '≤'} {limit.bound:g})"
        row[unit] = f"{limit.value(quality):.1f} (from {limit.value(before):.1f})"
    row["striking limbs inside (cm)"] = round(100.0 * quality.strike_deepest, 1)
    row["hits"] = quality.hits
    row["refining (s per character and second)"] = round(taken / (timeline.seconds * len(walks)), 3)
    row["misses"] = ", ".join(key for key, limit in CRAFT.items() if not limit.is_kept(quality)) or "nothing"
    return row
