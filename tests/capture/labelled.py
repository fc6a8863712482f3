"""Real recordings that say what they are: the labels, how an analysis is judged by them, and the table.

    python tests/capture/labelled.py FOLDER …     # folders with an INDEX.csv: prints the table

A label is the name of the file (ACCAD) or the description in the index (CMU). Nothing else reads them.
"""

import csv
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from randori.capture.actions import Analysis, Tags
from randori.capture.analysis import analyse
from randori.formats import load
from randori.motion.clip import Clip

_PUNCHES = ("jab", "straight", "hook", "uppercut", "backfist", "punch")
_KICKS = (
    "front kick",
    "side kick",
    "round kick",
    "spinning kick",
    "crescent kick",
    "axe kick",
    "back kick",
    "kick ball",
)
_RUNS = ("start", "jog", "run", "sprint")
_WALKS = ("walk", "start", "stop")
_TURNS = ("turn left", "turn right")
_BLADE = ("cut", "thrust", "parry", "guard", "feint")
_JUMPS = ("jump", "jump over")

# What a label says, the first that fits: its word in the table, the kinds and techniques that are right.
LABELS: list[tuple[str, str, tuple[str, ...], tuple[str, ...]]] = [
    (r"swordplay|chopping wood|Baseball Swing", "sword", ("attack", "defence"), _BLADE),
    (r"[Bb]ody.?[Jj]ab|Jab", "jab", ("attack",), ("jab",)),
    (r"[Cc]ross(?!es)", "cross", ("attack",), ("straight",)),
    (r"[Hh]ook", "hook", ("attack",), ("hook",)),
    (r"[Uu]ppercut", "uppercut", ("attack",), ("uppercut",)),
    (r"[Bb]ackfist", "backfist", ("attack",), ("backfist",)),
    (r"Block", "block", ("defence",), ("block", "parry")),
    (r"Dodge", "dodge", ("defence",), ("slip",)),
    (r"DuckL", "duck", ("defence",), ("duck",)),
    (r"Advance", "footwork", ("transition",), ("step forward",)),
    (r"Retreat", "footwork", ("transition",), ("step back",)),
    (r"E\d+_SideStep(Left|Right)", "footwork", ("transition",), ("step left", "step right")),
    (r"E\d_TurnAround", "footwork", ("transition",), ("turn left", "turn right")),
    (r"SwitchStance", "footwork", ("transition",), ("switch stance",)),
    (r"[Aa]xe.kick", "kick", ("attack",), ("axe kick",)),
    (r"[Ss]pin(?!Left|Right).*|Capoeira", "kick", ("attack",), ("spinning kick",)),
    (r"[Rr]oundhouse|Mawashigeri", "kick", ("attack",), ("round kick",)),
    (r"[Cc]resc?ent", "kick", ("attack",), ("crescent kick",)),
    (r"[Ss]idekick", "kick", ("attack",), ("side kick",)),
    (r"[Pp]ush.?[Kk]ick|Front ?Kick", "kick", ("attack",), ("front kick",)),
    (r"BackKick", "kick", ("attack",), ("back kick", "side kick")),
    (r"DoubleKick", "kick", ("attack",), ("front kick", "round kick", "side kick")),
    (r"jump kick|^kick$", "kick", ("attack",), _KICKS),
    (r"kick ball", "kick ball", ("attack",), ("kick ball",)),
    (r"Punch and kick", "punches", ("attack",), (*_PUNCHES, *_KICKS)),
    (r"^boxing$|Punch_Sequence", "punches", ("attack",), _PUNCHES),
    (r"[Pp]ick(ing)? (up )?(box|object|Tool)|[Pp]ick ?[Uu]p", "pick up", ("luggage",), ("pick up",)),
    (r"PutDownBox", "put down", ("luggage",), ("put down",)),
    (r"(Walk|Run)WithBox|^carry", "carry", ("locomotion",), ("carry",)),
    (r"Jump Over", "jump", ("target", "locomotion"), _JUMPS),
    (r"[Jj]ump|Hop|Leap", "jump", ("locomotion", "target"), _JUMPS),
    (r"Duck Underneath", "duck under", ("target",), ("duck under",)),
    (r"Crawl", "crawl", ("target", "locomotion"), ("crawl under", "crawl")),
    (r"LieToCrouch|Get Up", "get up", ("rise",), ("get up",)),
    (r"fall on face|RugPullFall", "fall", ("fall",), ("fall", "stumble and fall", "be tackled")),
    (r"StandToRun", "run", ("locomotion",), _RUNS),
    (r"RunToStand|sudden stop|Quick Stop$", "run", ("locomotion",), ("stop", *_RUNS)),
    (r"SpinLeft", "evasion", ("locomotion",), ("spin", "turn left")),
    (r"QuickSide[Ss]tep|Side Step", "evasion", ("locomotion",), ("side step",)),
    (r"GoLeft|MoveRight", "evasion", ("locomotion",), ("side step", "turn left", "turn right")),
    (r"(Run|Walk).*(Turn|Trun|Change)|veer|-degree|Run (Left|Right)", "turn", ("locomotion",), _TURNS),
    (r"RunBack.*Stand", "run back", ("locomotion",), ("run back", "stop")),
    (r"RunBack.*Forward", "run back", ("locomotion",), ("run back", "run", "sprint")),
    (r"RunBack", "run back", ("locomotion",), ("run back",)),
    (r"RunToWalk|WalkToRun", "run", ("locomotion",), ("walk", *_RUNS)),
    (r"C0?3_Run$|^[Rr]un(/jog)?$|Run (Quick )?Stop Run", "run", ("locomotion",), ("stop", *_RUNS)),
    (r"walk sideways and turn", "side step", ("locomotion",), ("side step", "turn left", "turn right")),
    (r"walk sideways and backwards", "side step", ("locomotion",), ("side step", "walk back")),
    (r"SideStep", "side step", ("locomotion",), ("side step",)),
    (r"WalkBack.*Forward", "walk back", ("locomotion",), ("walk back", "walk")),
    (r"WalkBack", "walk back", ("locomotion",), ("walk back",)),
    (r"B3_Walk$|^[Ww]alk( slow| Swinging.*)?$|synchronized walk", "walk", ("locomotion",), _WALKS),
]  # fmt: skip
WORDS = ("pick up", "carry", "jump", "kick ball", "sword")  # each is asked for by itself
_NOT_CARRYING = ("walk", "walk back", "run", "run back", "turn", "side step", "evasion", "jump")


@dataclass(frozen=True)
class Labelled:
    """A recording and what its label says."""

    path: Path
    group: str  # accad, accad_raw, cmu: where it comes from
    word: str
    kinds: tuple[str, ...]
    techniques: tuple[str, ...]
    side: str  # left, right, or nothing where the label does not tell

    @property
    def gait(self) -> bool:
        """The label names a walk or a run and says nothing about its way."""
        return self.word in ("walk", "run")


@dataclass(frozen=True)
class Judged:
    """What was said about a labelled recording, and whether it is right."""

    recording: Labelled
    said: Tags
    kind: bool
    technique: bool
    side: bool | None
    carries: bool  # something is said to be carried somewhere in it


def labelled_recordings(folder: Path) -> Iterator[Labelled]:
    """The recordings of a folder whose index or name says what they are."""
    with open(folder / "INDEX.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            path = folder / row["path"]
            if path.suffix != ".bvh" or not path.stat().st_size:
                continue
            raw = path.parent.name == "accad_raw"
            named = raw or path.stem.startswith("accad")
            text = path.stem if named else (row.get("description") or row.get("what", "")).split(" (")[0]
            label = next((entry for entry in LABELS if re.search(entry[0], text)), None)
            if label is not None:
                told = (
                    [] if label[1] == "evasion" and "Spin" in text else re.findall(r"[Ll]eft|[Rr]ight", text)
                )
                side = told[-1].lower() if told else ""
                group = "accad_raw" if raw else "accad" if named else "cmu"
                yield Labelled(path, group, *label[1:], side)


def main_action(analysis: Analysis, turns: bool = True) -> Tags:
    """What a recording is about: what is handled, its fastest strike, a defence, a fall, a jump, a bend,
    or what lasts longest; without `turns` among the rest."""
    doing = [segment for segment in analysis.segments if segment.tags.technique != "stand"]
    if not turns:
        doing = [segment for segment in doing if not segment.tags.technique.startswith("turn")]
    for kind in ("luggage", "fall", "rise"):
        if some := [segment for segment in doing if segment.tags.kind == kind]:
            return some[0].tags
    if striking := [segment for segment in doing if segment.strikes]:
        return max(striking, key=lambda s: max(strike.speed for strike in s.strikes)).tags
    for kind in ("defence", "target"):
        if some := [segment for segment in doing if segment.tags.kind == kind]:
            return max(some, key=lambda s: s.confidence).tags
    for words in (("jump",), ("spin",), ("turn left", "turn right")):
        some = [s for s in doing if s.tags.kind == "locomotion" and s.tags.technique in words]
        if some:
            return max(some, key=lambda s: s.stop - s.start).tags
    lasts: Counter[tuple[str, str]] = Counter()
    for segment in doing:
        word = "run" if segment.tags.technique in ("jog", "sprint") else segment.tags.technique
        lasts[segment.tags.kind, word] += segment.stop - segment.start
    if not lasts:
        return analysis.segments[0].tags
    kind, technique = lasts.most_common(1)[0][0]
    same = _RUNS[1:] if technique == "run" else (technique,)
    return next(s.tags for s in doing if s.tags.kind == kind and s.tags.technique in same)


def side_of(tags: Tags) -> str:
    """The side that a name would give: of the limb, or of where it goes."""
    if tags.kind in ("attack", "defence") and tags.technique not in ("slip", "duck"):
        return tags.side
    return tags.direction


def really_turns(clip: Clip) -> bool:
    """Whether the hips look elsewhere in a recording than before: then it holds turns, labelled or not."""
    joint = clip.skeleton.joint
    across = clip.positions[:, joint("left_thigh")] - clip.positions[:, joint("right_thigh")]
    yaw = np.unwrap(np.arctan2(across[:, 0], across[:, 2]))
    width = max(round(clip.fps), 1)
    if len(yaw) <= width:
        return False
    mean = np.convolve(yaw, np.ones(width) / width, mode="valid")
    return bool(np.degrees(np.ptp(mean)) > 40.0)


def judge(recording: Labelled, analysis: Analysis, clip: Clip) -> Judged:
    """Whether an analysis says what the label says."""
    if recording.word == "carry":  # it may be picked up first
        carried = tuple(segment for segment in analysis.segments if segment.tags.kind != "luggage")
        analysis = Analysis(carried)
    said = main_action(analysis, turns=not recording.gait or not really_turns(clip))
    side = side_of(said) == recording.side if recording.side else None
    return Judged(
        recording,
        said,
        said.kind in recording.kinds,
        said.technique in recording.techniques,
        side,
        any(segment.tags.technique == "carry" for segment in analysis.segments),
    )


def judged_folders(folders: Iterable[Path]) -> list[Judged]:
    """All labelled recordings of some folders, read with default settings and judged."""
    found = [recording for folder in folders for recording in labelled_recordings(folder)]
    judged = []
    for recording in found:
        clip = load(recording.path)
        judged.append(judge(recording, analyse(clip), clip))
    return judged


def table(judged: list[Judged]) -> dict[str, dict[str, tuple[int, int]]]:
    """Rows of the table: right and asked of kind, technique and side."""
    rows = {"all": judged}
    for group in ("accad", "accad_raw", "cmu"):
        rows[group] = [row for row in judged if row.recording.group == group]
    for word in dict.fromkeys(row.recording.word for row in judged):
        rows[word] = [row for row in judged if row.recording.word == word]
    return {name: _counts(group) for name, group in rows.items() if group}


def _counts(judged: list[Judged]) -> dict[str, tuple[int, int]]:
    counts = {}
    for name in ("kind", "technique", "side"):
        asked = [answer for row in judged if (answer := getattr(row, name)) is not None]
        counts[name] = (sum(asked), len(asked))
    return counts


def false_carries(judged: list[Judged]) -> tuple[int, int]:
    """Recordings in which nothing is carried and something is said to be, and how many there are."""
    plain = [row for row in judged if row.recording.word in _NOT_CARRYING]
    return sum(row.carries for row in plain), len(plain)


def main(folders: list[str]) -> None:
    """Print the table and what is wrong."""
    judged = judged_folders(Path(folder) for folder in folders)
    print(f"{'':12}{'kind':>14}{'technique':>14}{'side':>14}")
    for name, counts in table(judged).items():
        cells = (f"{right}/{asked} {right / asked:4.0%}" if asked else "" for right, asked in counts.values())
        print(f"{name:12}" + "".join(f"{cell:>14}" for cell in cells))
    wrong, plain = false_carries(judged)
    print(f"false carries: {wrong} of {plain}")
    for row in judged:
        if not (row.kind and row.technique and row.side is not False):
            said = f"{row.said.kind} {row.said.technique} {row.said.side} {row.said.direction}"
            print(f"  {row.recording.path.stem} ({row.recording.word} {row.recording.side}): {said}")


if __name__ == "__main__":
    main(sys.argv[1:])
