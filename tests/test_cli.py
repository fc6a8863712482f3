"""The command line as a person meets it."""

import json
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import pytest
from PIL import Image

from randori import __version__
from randori.capture.analysis import analyse
from randori.cli import main
from randori.graph.library import build_library
from randori.graph.library_file import write
from randori.performer import perform
from randori.scene.export import save


def start(*words: object) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own, which takes a second to start."""
    command = [sys.executable, "-m", "randori", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def run(*words: object, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The same in this process."""
    command, out, err = ["randori", *map(str, words)], StringIO(), StringIO()
    with (
        patch.object(sys, "argv", command),
        redirect_stdout(out),
        redirect_stderr(err),
        chdir(folder or "."),
        pytest.raises(SystemExit) as end,
    ):
        main()
    return subprocess.CompletedProcess(command, int(end.value.code or 0), out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def take(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("take") / "boxing.bvh"
    save(perform("boxing", seconds=2.0, seed=5)[0].clip, path)
    return path


def test_version_and_help() -> None:
    assert start("--version").stdout.strip() == __version__
    assert "sheet" in run("--help").stdout


def test_a_process_answers_as_the_others_here_do(take: Path) -> None:
    for words in (("inspect", take), ("inspect", "missing.bvh"), ("inspect", take, "--part", "head")):
        there, here = start(*words), run(*words)
        assert (there.returncode, there.stdout, there.stderr) == (here.returncode, here.stdout, here.stderr)


def test_inspect_tells_a_script_what_it_needs(take: Path) -> None:
    result = run("inspect", take, "--json")
    assert result.returncode == 0, result.stderr
    (report,) = json.loads(result.stdout)
    assert report["fps"] == 60.0
    assert report["joints"] == 21
    assert report["metres_per_unit"] == 0.01
    assert report["parts"]["left_hand"] == "LeftHand"
    assert "checks" in report


def test_inspect_tells_a_person_too(take: Path) -> None:
    result = run("inspect", take)
    assert result.returncode == 0, result.stderr
    assert "60 a second" in result.stdout
    assert "1 unit = 0.01 m" in result.stdout


def test_sheet_draws_one_cell_per_moment(take: Path, tmp_path: Path) -> None:
    result = run("sheet", take, "--frames", "6", "--columns", "3", "--out", tmp_path / "sheet.png")
    assert result.returncode == 0, result.stderr
    picture = Image.open(tmp_path / "sheet.png")
    assert picture.width > 600
    assert picture.height > 600


@pytest.mark.parametrize("ending", ["glb", "bvh", "npz", "mp4"])
def test_export(take: Path, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"out.{ending}"
    result = run("export", take, "--out", out, "--width", "320", "--height", "180")
    assert result.returncode == 0, result.stderr
    assert out.stat().st_size > 1000
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_several_files_are_several_characters(take: Path, tmp_path: Path) -> None:
    assert run("export", take, take, "--out", tmp_path / "two.bvh").returncode == 0
    assert len(list(tmp_path.glob("two_*.bvh"))) == 2


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("inspect", "missing.bvh"), "missing.bvh: does not exist"),
        (("inspect", "{folder}"), "is a folder; name the files in it, as in"),
        (("run", "corse"), "did you mean 'course'"),
        (("run", "course", "--inputs", "missing.json"), "missing.json: does not exist"),
        (("inspect", "{take}", "--part", "tail=Hips"), "there is no body part 'tail'"),
        (("inspect", "{take}", "--part", "head"), "expected PART=JOINT"),
        (("export", "{take}", "--out", "take.fbx"), "known: .bvh, .glb, .usd, .usda, .usdc, .npz"),
        (("export", "{take}", "--out", "nowhere/take.glb"), "does not exist"),
        (
            ("capture", "{take}", "--out", "nowhere/moves.npz"),
            "nowhere/moves.npz: cannot be written",
        ),
        (("train", "prepare", "--out", "nowhere/table.npz"), "the folder nowhere does not exist"),
        (("run", "boxing", "--out", "{take}/out"), "cannot be the output folder:"),
        (
            ("perform", "boxing", "--out", "/dev/null/takes"),
            "output folder: /dev/null is a file",
        ),
        (("perform", "boxing", "--seed", "-1"), "'--seed'"),
        (("perform", "ballet"), "the sets are boxing"),
        (("run", "boxin"), "did you mean 'boxing'"),
        (("run", "boxing", "--format", "fbx"), "valid formats are npz, glb, bvh, usd, usda, usdc, mp4, png"),
        (("inspect", "{take}", "--why", "1"), "explains a decision of a take"),
        (("perform", "boxing", "--seconds", "1", "--body", "giant"), "the bodies are average"),
    ],
)
def test_mistakes_are_answered_in_one_sentence(
    take: Path, tmp_path: Path, words: tuple[str, ...], expected: str
) -> None:
    result = run(*(word.format(take=take, folder=take.parent) for word in words), folder=tmp_path)
    assert result.returncode == 2
    assert expected in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_capture_inspect_and_walk(take: Path, tmp_path: Path) -> None:
    recording, library = tmp_path / "boxing.bvh", tmp_path / "library.npz"
    save(perform("boxing", seconds=20.0, seed=6)[0].clip, recording)
    result = run("capture", recording, "--out", library, "--json")
    assert result.returncode == 0, result.stderr
    captured = json.loads(result.stdout)
    assert captured["actions"] > 10
    assert captured["action graph"]["share kept"] > 0.5
    sidecar = tmp_path / "boxing.bvh.actions.toml"
    sidecar.write_text(sidecar.read_text().replace('technique = "stand"', 'technique = "taunt"', 1))
    again = json.loads(run("capture", recording, "--out", library, "--json").stdout)
    assert again["by technique"]["taunt"] == 1
    assert 'technique = "taunt"' in sidecar.read_text()
    result = run("inspect", library, "--plot", tmp_path / "graph.png")
    assert result.returncode == 0, result.stderr
    assert Image.open(tmp_path / "graph.png").width > 800
    result = run("walk", library, "--seconds", "5", "--out", tmp_path / "walk.bvh", "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["joins"] > 0
    assert (tmp_path / "walk.bvh").stat().st_size > 1000


def test_inspect_compares_with_the_truth_beside_a_take(tmp_path: Path) -> None:
    assert run("perform", "boxing", "--seconds", "20", "--out", tmp_path).returncode == 0
    result = run("inspect", next(tmp_path.glob("*.bvh")), "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)[0]["agreement"]["boundaries F1"] > 0.5


def test_perform_writes_the_take_and_its_truth(tmp_path: Path) -> None:
    result = run("perform", "boxing", "--seconds", "3", "--out", tmp_path)
    assert result.returncode == 0, result.stderr
    assert len(list(tmp_path.glob("*.bvh"))) == 1
    assert len(list(tmp_path.glob("*.truth.json"))) == 1
    truth = json.loads(next(tmp_path.glob("*.truth.json")).read_text())
    assert truth["actions"][0]["start"] == 0


SCENE = """
title = "Sparring"
[motions.ring]
library = "ring.npz"
choices = 12
[[cast]]
name = "Red"
depth = 2
[[cast]]
name = "Blue"
depth = 2
team = 1
[[path]]
place = [0.0, 30.0]
"""


def test_run_and_inspect(tmp_path: Path) -> None:
    clips = [perform(name, 40.0, seed=2)[0].clip for name in ("boxing", "reactions")]
    write(tmp_path / "ring.npz", build_library([(clip, analyse(clip)) for clip in clips]))
    (tmp_path / "sparring.toml").write_text(SCENE)
    result = run("run", tmp_path / "sparring.toml", "--seconds", "4", "--out", tmp_path / "out", "--json")
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["seconds"] == 4.0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "sparring.glb",
        "sparring.json",
        "sparring.npz",
    ]
    result = run("inspect", tmp_path / "out" / "sparring.npz")
    assert result.returncode == 0, result.stderr
    assert "DIRECTOR, table 5" in result.stdout
    assert "Red:" in result.stdout
    assert "look goals: Red and Blue did not reach checkpoint 1 of 1" in " ".join(result.stdout.split())
    result = run("inspect", tmp_path / "out" / "sparring.npz", "--why", "2")
    assert "Decision 2 at" in result.stdout
    result = run("inspect", tmp_path / "out" / "sparring.npz", tmp_path / "ring.npz", "--json")
    assert [set(row) >= {"quality", "events"} for row in json.loads(result.stdout)] == [True, False]
    result = run("inspect", tmp_path / "out" / "sparring.npz", "--json")
    report = json.loads(result.stdout)
    assert report["title"] == "Sparring"
    assert set(report["actions"]) == {"Red", "Blue"}
    for rows in report["actions"].values():
        assert all(set(row) == {"start", "seconds", "kind", "technique", "side", "cause"} for row in rows)
        ends = [row["start"] + row["seconds"] for row in rows]
        assert [row["start"] for row in rows] == pytest.approx([0.0, *ends[:-1]], abs=0.002)
        assert ends[-1] == pytest.approx(report["seconds"], abs=0.002)
    result = run("inspect", tmp_path / "out" / "sparring.npz", "--why", "9999")
    assert "the decisions are numbered 1 to" in " ".join(result.stderr.split())
    result = run("export", tmp_path / "out" / "sparring.npz", "--out", tmp_path / "pair.bvh")
    assert result.returncode == 0, result.stderr
    assert len(list(tmp_path.glob("pair_*.bvh"))) == 2


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder in which nobody can make a file")
def test_a_folder_that_cannot_be_written_to_is_named(take: Path) -> None:
    for words in (
        ("sheet", take, "--out", "/proc/a.png"),
        ("perform", "boxing", "--seconds", "1", "--out", "/proc/takes"),
    ):
        result = run(*words)
        assert result.returncode == 2
        assert "/proc" in result.stderr
        assert "Traceback" not in result.stderr


def test_scenes_are_listed() -> None:
    assert "two-chase-one" in run("scenes").stdout
    assert {row["name"] for row in json.loads(run("scenes", "--json").stdout)} >= {"boxing", "sword-duel"}
