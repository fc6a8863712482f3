"""What the pages show is run: Python blocks, and `randori …` lines of shell blocks."""

import re
import shlex
import shutil
from collections.abc import Generator
from pathlib import Path

import pytest

from character_samples import box_person, write_character
from prepare_samples import learned_controller
from randori.cli import main
from randori.graph.library_file import write
from randori.graph.recordings import capture_files
from randori.performer import perform
from randori.prepare import repertoire
from randori.prepare.controller import Controller
from randori.scene.export import save
from randori.scene.run import simulate
from randori.scene.scene import Scene

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def python_blocks() -> list[tuple[str, str]]:
    found = [(page.name, code) for page in PAGES for language, code in blocks(page) if language == "python"]
    assert found
    return found


def command_lines() -> list[tuple[str, str]]:
    lines = [
        (page.name, line.split("#")[0].strip())
        for page in PAGES
        for language, code in blocks(page)
        if language in ("", "sh", "bash")
        for line in code.splitlines()
        if line.startswith("randori ")
    ]
    assert lines
    return lines


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short recording to stand for the reader's own."""
    path = tmp_path_factory.mktemp("capture") / "my-take.bvh"
    save(perform("boxing", seconds=15.0, seed=1)[0].clip, path)
    return path


@pytest.fixture(scope="module")
def pair(capture: Path) -> list[Path]:
    """And two short ones to be filmed."""
    paths = [capture.with_name(name) for name in ("a.bvh", "b.bvh")]
    for path in paths:
        save(perform("boxing", seconds=0.5, seed=1)[0].clip, path)
    return paths


@pytest.fixture(scope="module")
def library(capture: Path) -> Path:
    """And the library that is made of it."""
    path = capture.with_name("my-library.npz")
    write(path, capture_files([capture]))
    return path


@pytest.fixture(scope="module")
def take(capture: Path) -> Path:
    """And a take of a shipped scene."""
    path = capture.with_name("boxing.npz")
    simulate(Scene.load("boxing"), seconds=2.0).save(path)
    return path


@pytest.fixture
def workplace(
    capture: Path,
    pair: list[Path],
    library: Path,
    take: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """A folder with the files that the pages speak of."""
    for path in (capture, *pair):
        shutil.copy(path, tmp_path)
    for name in ("my-library.npz", "moves.npz"):
        shutil.copy(library, tmp_path / name)
    shutil.copy(take, tmp_path / "boxing.npz")
    write_character(tmp_path / "knight.glb", *box_person())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def learned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Preparation is learned once for all tests; tests/prepare has it learned by the command, too."""

    def learn(*_: object) -> Generator[float, None, Controller]:
        yield 0.5
        return learned_controller()

    monkeypatch.setattr(repertoire, "learn", learn)


@pytest.mark.parametrize(("page", "code"), python_blocks())
def test_python_of(page: str, code: str, workplace: Path) -> None:
    exec(compile(code, page, "exec"), {"__name__": "__example__"})


@pytest.mark.parametrize(("page", "line"), command_lines())
def test_command_of(page: str, line: str, workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = shlex.split(line)
    if words[1] in ("perform", "demo", "run", "walk") and "list" not in words:
        words += ["--seconds", "2"]
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code in (0, None), line
