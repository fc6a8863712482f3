"""The sidecar of a recording: its actions, in a file that a person can read and change.

Each segment has its start and lasts until the next one starts. So a boundary is moved by changing one
number, two segments are merged by deleting the second, one is split by adding a row, and a tag is
changed by writing another. Edits need no flag: every row that Randori writes carries a mark of its content,
and a row that does not fit its mark, or has none, was written by a person. Those rows win over any later
analysis, also with other settings.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Table

from randori.capture.actions import Analysis, Segment, Tags
from randori.capture.holding import HOLDS
from randori.errors import FileError
from randori.formats.files import write_whole
from randori.formats.texts import parse_toml, read_text, shown

VERSION = 1
KINDS = ("attack", "defence", "transition", "reaction", "fall", "rise", "locomotion", "target", "luggage")
SIDES = ("", "left", "right", "both")
POSITIONS = ("", "head", "upper torso", "lower torso")
DIRECTIONS = ("", "front", "back", "left", "right", "horizontal", "upwards", "downwards")
_WORDS = ("kind", "technique", "side", "position", "direction")
_KEYS = ("start", *_WORDS, "confidence", "mark")
_TOP = ("version", "recording", "holds", "segment")
_SHORTEST_REST = 0.1  # seconds: the shortest rest of a detected segment beside an edited one that is kept

_HEADER = """\
What Randori found in this recording. Change what is wrong; what you change stays.
A segment lasts until the next one starts (seconds).
  move a boundary: change a start       merge: delete the later of two segments
  split: add a segment with its start   retag: write another word
  a sword without a joint: write holds = "sword" (or "nothing") above the segments
Leave "mark" as it is: it tells your words from Randori's."""


@dataclass(frozen=True)
class Row:
    """A segment as the file has it, in seconds."""

    start: float
    stop: float | None  # where the next one starts, None for the last
    tags: Tags
    edited: bool


def sidecar_path(recording: str | PathLike[str]) -> Path:
    """The path of a recording's sidecar."""
    path = Path(recording)
    return path.with_name(path.name + ".actions.toml")


def read_sidecar(path: str | PathLike[str]) -> tuple[list[Row], str]:
    """The segments of a sidecar in order of their starts, and what the hands hold according to a person.

    That is a word of `holding.HOLDS`, or "" if the file does not say it.
    """
    document = _checked(path, read_text(path))
    return _rows(path, document), str(document.get("holds", ""))


def write_sidecar(path: str | PathLike[str], analysis: Analysis, fps: float, recording: str = "") -> None:
    """Write or renew a sidecar; comments and edited rows of an existing one stay as they are."""
    document = tomlkit.document()
    kept: dict[float, Table] = {}
    if Path(path).is_file():
        text = read_text(path)
        rows = _rows(path, _checked(path, text))
        try:
            document = tomlkit.parse(text)
        except (TOMLKitError, ValueError, RecursionError) as error:
            raise FileError(path, f"cannot be edited: {error}") from None
        tables = sorted(document.get("segment", []), key=lambda table: float(table["start"]))
        kept = {row.start: table for row, table in zip(rows, tables) if row.edited}
        document.pop("segment", None)
    else:
        for line in _HEADER.splitlines():
            document.add(tomlkit.comment(line))
        document.add(tomlkit.nl())
    document["version"] = VERSION
    if recording:
        document["recording"] = recording
    starts = [round(segment.start / fps, 4) for segment in analysis.segments]
    tables = AoT([])
    for number, segment in enumerate(analysis.segments):
        stop = starts[number + 1] if number + 1 < len(starts) else None
        own = _nearest(kept, starts[number], fps) if segment.edited else None
        tables.append(own if own is not None else _table(segment, starts[number], stop))
    document["segment"] = tables
    with write_whole(path) as file:
        file.write(tomlkit.dumps(document).encode())


def with_edits(found: Sequence[Segment], rows: Sequence[Row], fps: float, frames: int) -> list[Segment]:
    """Found segments with a person's rows laid over them; every frame still belongs to exactly one."""
    edited = []
    for row in rows:
        if row.edited:
            start = min(max(round(row.start * fps), 0), frames)
            stop = frames if row.stop is None else min(max(round(row.stop * fps), start), frames)
            if stop > start:
                edited.append(Segment(start, stop, row.tags, 1.0, (), True))
    if not edited:
        return list(found)
    merged: list[Segment] = list(edited)
    shortest = _SHORTEST_REST * fps
    for segment in found:
        pieces = [(segment.start, segment.stop)]
        for other in edited:
            pieces = [
                piece
                for start, stop in pieces
                for piece in ((start, min(stop, other.start)), (max(start, other.stop), stop))
                if piece[1] > piece[0]
            ]
        for start, stop in pieces:
            whole = (start, stop) == (segment.start, segment.stop)
            merged.append(Segment(start, stop, segment.tags, segment.confidence if whole else 0.5))
    merged.sort(key=lambda segment: segment.start)
    return _without_slivers(merged, shortest)


def _without_slivers(segments: list[Segment], shortest: float) -> list[Segment]:
    """Short leftovers go to the found segment beside them; between two edited ones they stay."""
    kept: list[Segment] = []
    for number, segment in enumerate(segments):
        short = not segment.edited and segment.stop - segment.start < shortest
        if short and kept and not kept[-1].edited:
            kept[-1] = _stretched(kept[-1], kept[-1].start, segment.stop)
        elif short and number + 1 < len(segments) and not segments[number + 1].edited:
            after = segments[number + 1]
            segments[number + 1] = _stretched(after, segment.start, after.stop)
        else:
            kept.append(segment)
    return kept


def _stretched(segment: Segment, start: int, stop: int) -> Segment:
    return Segment(start, stop, segment.tags, segment.confidence, segment.strikes, segment.edited)


def _nearest(tables: dict[float, Table], start: float, fps: float) -> Table | None:
    """The person's own row that starts here."""
    near = [time for time in tables if abs(time - start) <= 0.51 / fps]
    return tables.pop(near[0]) if near else None


def _table(segment: Segment, start: float, stop: float | None) -> Table:
    table = tomlkit.table()
    table["start"] = start
    for word in _WORDS:
        if value := getattr(segment.tags, word):
            table[word] = value
    if not segment.edited:
        table["confidence"] = round(segment.confidence, 2)
        table["mark"] = _mark(start, stop, segment.tags)
    return table


def _mark(start: float, stop: float | None, tags: Tags) -> str:
    """A few letters that change with the content of a row."""
    said = "|".join(
        [f"{start:.4f}", "end" if stop is None else f"{stop:.4f}", *(getattr(tags, w) for w in _WORDS)]
    )
    return hashlib.blake2s(said.encode(), digest_size=4).hexdigest()


def _checked(path: str | PathLike[str], text: str) -> dict[str, Any]:
    document = parse_toml(text, path)
    unknown = [key for key in document if key not in _TOP]
    if unknown:
        raise FileError(path, f"{unknown[0][:40]}: unknown; the keys are {', '.join(_TOP)}")
    if document.get("version") != VERSION:
        raise FileError(
            path, f"version: {shown(document.get('version'))}; this Randori reads version {VERSION}"
        )
    if (held := document.get("holds", "")) not in ("", *HOLDS):
        raise FileError(path, f"holds: {shown(held)}; it is one of {', '.join(HOLDS)}")
    segments = document.get("segment")
    if not isinstance(segments, list) or not segments or not all(isinstance(s, dict) for s in segments):
        raise FileError(path, "segment: at least one [[segment]] is needed")
    for number, segment in enumerate(segments, 1):
        _check_segment(path, f"segment {number}", segment)
    starts = sorted(float(segment["start"]) for segment in segments)
    if any(later - earlier < 1e-6 for earlier, later in pairwise(starts)):
        raise FileError(path, "start: two segments start at the same time")
    return document


def _check_segment(path: str | PathLike[str], name: str, segment: dict[str, Any]) -> None:
    for key in segment:
        if key not in _KEYS:
            raise FileError(path, f"{name}, {key[:40]}: unknown; the keys are {', '.join(_KEYS)}")
    start = segment.get("start")
    if isinstance(start, bool) or not isinstance(start, int | float) or not 0.0 <= start < 1e6:
        raise FileError(path, f"{name}, start: {shown(start)}; seconds from the recording's start are needed")
    for key, valid in (("kind", KINDS), ("side", SIDES), ("position", POSITIONS), ("direction", DIRECTIONS)):
        value = segment.get(key, "")
        if value not in valid:
            words = ", ".join(word for word in valid if word)
            raise FileError(path, f"{name}, {key}: {shown(value)}; it is one of {words}")
    for key in ("technique", "mark"):
        if not isinstance(segment.get(key, ""), str):
            raise FileError(path, f"{name}, {key}: {shown(segment[key])}; a word in quotes is needed")
    if not segment.get("technique"):
        raise FileError(path, f'{name}, technique: is needed, for example "jab" or "step forward"')


def _rows(path: str | PathLike[str], document: dict[str, Any]) -> list[Row]:
    segments = sorted(document["segment"], key=lambda segment: float(segment["start"]))
    rows = []
    for number, segment in enumerate(segments):
        start = float(segment["start"])
        stop = float(segments[number + 1]["start"]) if number + 1 < len(segments) else None
        tags = Tags(*(segment.get(word, "") for word in _WORDS))
        rows.append(Row(start, stop, tags, segment.get("mark") != _mark(start, stop, tags)))
    return rows
