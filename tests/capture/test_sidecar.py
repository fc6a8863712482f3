"""The file beside a recording: what a person changes stays."""

from itertools import pairwise
from pathlib import Path

import pytest

from randori.capture.actions import Analysis, Segment, Tags
from randori.capture.analysis import Settings, analyse
from randori.capture.sidecar import read_sidecar, sidecar_path, with_edits, write_sidecar
from randori.errors import FileError
from randori.performer import perform

FPS = 60.0
JAB = Tags("attack", "jab", "left", "head", "front")
STAND = Tags("transition", "stand")
FOUND = Analysis((Segment(0, 60, STAND), Segment(60, 120, JAB, 0.8), Segment(120, 300, STAND)))


def saved(folder: Path) -> Path:
    path = folder / "take.bvh.actions.toml"
    write_sidecar(path, FOUND, FPS, "take.bvh")
    return path


def rerun(path: Path, found: Analysis = FOUND) -> list[Segment]:
    return with_edits(found.segments, read_sidecar(path)[0], FPS, 300)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_untouched_rows_are_nobodys(tmp_path: Path) -> None:
    path = saved(tmp_path)
    assert sidecar_path(tmp_path / "take.bvh") == path
    assert not any(row.edited for row in read_sidecar(path)[0])
    assert rerun(path) == list(FOUND.segments)


def test_retag(tmp_path: Path) -> None:
    path = saved(tmp_path)
    edit(path, 'technique = "jab"', 'technique = "straight"')
    segments = rerun(path)
    assert [s.tags.technique for s in segments] == ["stand", "straight", "stand"]
    assert [s.edited for s in segments] == [False, True, False]


def test_move_a_boundary(tmp_path: Path) -> None:
    path = saved(tmp_path)
    edit(path, "start = 1.0", "start = 1.25")
    assert [s.start for s in rerun(path)] == [0, 75, 120]


def test_merge_by_deleting(tmp_path: Path) -> None:
    path = saved(tmp_path)
    head, _, tail = path.read_text().split("[[segment]]", 3)[1:]
    path.write_text(path.read_text().split("[[segment]]")[0] + f"[[segment]]{head}[[segment]]{tail}")
    segments = rerun(path)
    assert [(s.start, s.stop) for s in segments] == [(0, 120), (120, 300)]
    assert segments[0].edited


def test_split_by_adding(tmp_path: Path) -> None:
    path = saved(tmp_path)
    path.write_text(path.read_text() + '\n[[segment]]\nstart = 3.5\nkind = "defence"\ntechnique = "duck"\n')
    segments = rerun(path)
    assert [s.tags.technique for s in segments] == ["stand", "jab", "stand", "duck"]
    assert segments[-1].start == 210


def test_edits_survive_other_findings_and_rewriting(tmp_path: Path) -> None:
    path = saved(tmp_path)
    edit(path, 'technique = "jab"', 'technique = "straight"  # a southpaw')
    other = Analysis((Segment(0, 90, STAND), Segment(90, 300, Tags("attack", "hook", "right"))))
    for _ in range(2):
        segments = rerun(path, other)
        assert (60, 120, "straight", True) in [
            (s.start, s.stop, s.tags.technique, s.edited) for s in segments
        ]
        assert segments[0].start == 0
        assert all(a.stop == b.start for a, b in pairwise(segments))
        write_sidecar(path, Analysis(tuple(segments)), FPS, "take.bvh")
    assert "# a southpaw" in path.read_text()


def test_edits_win_in_the_analysis(tmp_path: Path) -> None:
    clip = perform("boxing", seconds=12.0, seed=2)[0].clip
    path = tmp_path / "a.toml"
    first = analyse(clip)
    write_sidecar(path, first, clip.fps)
    target = next(s for s in first.segments if s.tags.kind == "attack")
    start = f"start = {round(target.start / clip.fps, 4)}"
    rows = path.read_text().split("[[segment]]")
    changed = [row.replace(target.tags.technique, "haymaker") if start + "\n" in row else row for row in rows]
    path.write_text("[[segment]]".join(changed))
    for settings in (Settings(), Settings(shortest_stand=2.0)):
        again = analyse(clip, settings, read_sidecar(path)[0])
        named = [s for s in again.segments if s.tags.technique == "haymaker"]
        assert [(s.start, s.stop) for s in named] == [(target.start, target.stop)]
        assert named[0].strikes


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('kind = "attack"', 'kind = "atack"', "kind: 'atack'; it is one of attack, defence"),
        ('side = "left"', 'side = "port"', "side: 'port'"),
        ("start = 1.0", "start = -1.0", "start: -1.0"),
        ("start = 1.0", 'start = "soon"', "start: 'soon'"),
        ("start = 1.0", "start = nan", "start: nan"),
        ("start = 1.0", "begin = 1.0", "begin: unknown; the keys are start"),
        ('technique = "jab"', "technique = 3", "technique: 3"),
        ("version = 1", "version = 9", "version: 9"),
        ("start = 1.0", "start = 0.0", "two segments start at the same time"),
        ("version = 1", "version = ", "is not TOML"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = saved(tmp_path)
    edit(path, old, new)
    with pytest.raises(FileError) as error:
        read_sidecar(path)
    assert said in str(error.value)
    assert str(path) in str(error.value)


def test_a_person_can_say_what_is_held(tmp_path: Path) -> None:
    clip = perform("boxing", seconds=6.0, seed=2)[0].clip
    path = tmp_path / "take.bvh.actions.toml"
    write_sidecar(path, analyse(clip), clip.fps, "take.bvh")
    assert read_sidecar(path)[1] == ""
    path.write_text(path.read_text().replace("version = 1", 'version = 1\nholds = "sword"'))
    assert read_sidecar(path)[1] == "sword"
    write_sidecar(path, analyse(clip, holds="sword"), clip.fps, "take.bvh")
    assert read_sidecar(path)[1] == "sword"
    path.write_text(path.read_text().replace('holds = "sword"', 'holds = "spoon"'))
    with pytest.raises(FileError, match="holds: 'spoon'; it is one of sword, nothing"):
        read_sidecar(path)


def test_recordings_on_a_disk_that_may_only_be_read_are_captured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was found cannot be kept beside them; that is said, and the library is built all the same."""
    from randori.formats import bvh
    from randori.graph import recordings
    from randori.work import Notice

    path = tmp_path / "take.bvh"
    bvh.write(path, perform("boxing", seconds=5.0, seed=5)[0].clip)

    def refuse(*_: object) -> None:
        raise FileError(path, "cannot be written: Read-only file system")

    monkeypatch.setattr(recordings, "write_sidecar", refuse)
    work, told = recordings.capturing([path]), []
    while True:
        try:
            told.append(next(work))
        except StopIteration as finished:
            library = finished.value
            break
    assert len(library) > 0
    (notice,) = [share.words for share in told if isinstance(share, Notice)]
    assert "Read-only file system" in notice
