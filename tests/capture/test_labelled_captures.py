"""Real recordings of one thing each, whose file names say what it is; only this test reads the names."""

import re
from collections import Counter
from pathlib import Path

import pytest

from randori.capture.actions import Analysis, Tags
from randori.capture.analysis import analyse
from randori.formats import load

# What a name says, the first that fits: kind, the techniques that are right, and where its side is told
LABELS: list[tuple[str, str, tuple[str, ...]]] = [
    (r"BodyJab|Jab", "attack", ("jab",)),
    (r"Cross", "attack", ("straight",)),
    (r"Hook", "attack", ("hook",)),
    (r"Uppercut", "attack", ("uppercut",)),
    (r"Backfist", "attack", ("backfist",)),
    (r"Block", "defence", ("block", "parry")),
    (r"Dodge", "defence", ("slip",)),
    (r"DuckL", "defence", ("duck",)),
    (r"Advance", "transition", ("step forward",)),
    (r"Retreat", "transition", ("step back",)),
    (r"E\d+_SideStep(Left|Right)", "transition", ("step left", "step right")),
    (r"E\d_TurnAround", "transition", ("turn left", "turn right")),
    (r"SwitchStance", "transition", ("switch stance",)),
    (r"Spin|Capoeira", "attack", ("spinning kick",)),
    (r"Roundhouse", "attack", ("round kick",)),
    (r"Crescent", "attack", ("crescent kick",)),
    (r"Sidekick", "attack", ("side kick",)),
    (r"PushKick|FrontKick", "attack", ("front kick",)),
    (r"BackKick", "attack", ("back kick", "side kick")),
    (r"DoubleKick", "attack", ("front kick", "round kick", "side kick")),
    (r"StandToRun", "locomotion", ("start", "jog", "run", "sprint")),
    (r"RunToStand", "locomotion", ("stop", "jog", "run", "sprint")),
    (r"(Run|Walk).*(Turn|Trun|Change)", "locomotion", ("turn left", "turn right")),
    (r"RunBack.*Stand", "locomotion", ("run back", "stop")),
    (r"RunBack.*Forward", "locomotion", ("run back", "run", "sprint")),
    (r"RunBack", "locomotion", ("run back",)),
    (r"RunToWalk|WalkToRun", "locomotion", ("walk", "jog", "run", "sprint")),
    (r"C0?3_Run$", "locomotion", ("jog", "run", "sprint")),
    (r"SideStep", "locomotion", ("side step",)),
    (r"WalkBack.*Forward", "locomotion", ("walk back", "walk")),
    (r"WalkBack", "locomotion", ("walk back",)),
    (r"B3_Walk$", "locomotion", ("walk",)),
]


def main_action(analysis: Analysis) -> Tags:
    """What a recording is about: its fastest strike, else a defence, else a bend, else what lasts longest."""
    doing = [segment for segment in analysis.segments if segment.tags.technique != "stand"]
    striking = [segment for segment in doing if segment.strikes]
    if striking:
        return max(striking, key=lambda s: max(strike.speed for strike in s.strikes)).tags
    if defending := [segment for segment in doing if segment.tags.kind == "defence"]:
        return max(defending, key=lambda s: s.confidence).tags
    turning = [segment for segment in doing if segment.tags.technique.startswith("turn")]
    if turning and turning[0].tags.kind == "locomotion":
        return max(turning, key=lambda s: s.stop - s.start).tags
    lasts: Counter[tuple[str, str]] = Counter()
    for segment in doing:
        lasts[segment.tags.kind, segment.tags.technique] += segment.stop - segment.start
    if not lasts:
        return analysis.segments[0].tags
    kind = lasts.most_common(1)[0][0]
    return next(s.tags for s in doing if (s.tags.kind, s.tags.technique) == kind)


def side_of(tags: Tags) -> str:
    """The side that a name would give: of the limb, or of where it goes."""
    if tags.kind in ("attack", "defence") and tags.technique not in ("slip", "duck"):
        return tags.side
    return tags.direction


@pytest.fixture(scope="module")
def judged(mocap_folder: Path) -> list[tuple[str, Tags, bool, bool, bool | None]]:
    rows = []
    for folder in ("boxing", "kicks", "running", "walking"):
        for path in sorted((mocap_folder / folder).glob("accad_*.bvh")):
            label = next((row for row in LABELS if re.search(row[0], path.stem)), None)
            if label is None:
                continue
            _, kind, techniques = label
            tags = main_action(analyse(load(path)))
            told = re.search(r"Left|Right", path.stem)
            side = None if told is None else side_of(tags) == told.group().lower()
            rows.append((path.stem, tags, tags.kind == kind, tags.technique in techniques, side))
    return rows


def share(judged: list[tuple[str, Tags, bool, bool, bool | None]], column: int) -> tuple[float, str]:
    asked = [row for row in judged if row[column] is not None]
    wrong = [f"{row[0]}: {row[1].technique} {row[1].side}" for row in asked if not row[column]]
    return 1.0 - len(wrong) / len(asked), "; ".join(wrong)


def test_kind(judged: list[tuple[str, Tags, bool, bool, bool | None]]) -> None:
    right, wrong = share(judged, 2)
    assert right >= 0.90, wrong


def test_technique(judged: list[tuple[str, Tags, bool, bool, bool | None]]) -> None:
    right, wrong = share(judged, 3)
    assert right >= 0.80, wrong


def test_side(judged: list[tuple[str, Tags, bool, bool, bool | None]]) -> None:
    right, wrong = share(judged, 4)
    assert right >= 0.90, wrong
