"""What the pages show is run: Python blocks, and `randori …` lines of shell blocks.

A block with a title (```toml title="my-fight.toml") is written under that name for the blocks of its page.
"""

import re
import shlex
import shutil
import textwrap
from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple

import pytest

from character_samples import box_person, write_character
from prepare_samples import learned_controller
from randori.cli import main
from randori.duel.added import only_added
from randori.graph.library_file import write
from randori.graph.recordings import capture_files
from randori.performer import perform
from randori.prepare import repertoire
from randori.prepare.controller import Controller
from randori.scene.export import save
from randori.scene.run import simulate
from randori.scene.scene import Scene

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^ *```(\w*)(?: title=\"([^\"]+)\")?\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
LONGEST = 35  # words of a sentence that a newcomer reads


class Block(NamedTuple):
    """A block of code on a page."""

    page: Path
    language: str
    title: str
    code: str


def blocks(page: Path) -> list[Block]:
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [Block(page, language, title, textwrap.dedent(code)) for language, title, code in found]


def python_blocks() -> list[Block]:
    found = [block for page in PAGES for block in blocks(page) if block.language == "python"]
    assert found
    return found


def command_lines() -> list[tuple[Path, str]]:
    """Every command once, on the first page that shows it, unless it reads a file of its own page."""
    lines: dict[tuple[str, str], Path] = {}
    for page in PAGES:
        own = "".join(block.code for block in blocks(page) if block.title)
        for block in blocks(page):
            if block.language not in ("", "sh", "bash"):
                continue
            for line in block.code.splitlines():
                if line.startswith("randori "):
                    line = line.split("#")[0].strip()
                    lines.setdefault((line, own if ".toml" in line else ""), page)
    assert lines
    return [(page, line) for (line, _), page in lines.items()]


def write_titled(page: Path, folder: Path) -> None:
    for block in blocks(page):
        if block.title:
            (folder / block.title).write_text(block.code, encoding="utf-8")


def sentences(text: str) -> list[str]:
    """The sentences of a page, without code, tables, headings and links' addresses."""
    text = BLOCK.sub("\n\n", text)
    text = re.sub(r"^(\||#|!\[|<).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"^ *([-*>]|\d+\.) ", "\n\n", text, flags=re.MULTILINE)
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text))
    return [one for part in paragraphs for one in re.split(r"(?<=[.!?:])\**\s+(?=[A-Z`*\[])", part) if one]


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
    for name in ("boxing.npz", "my-fight.npz"):
        shutil.copy(take, tmp_path / name)
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


@pytest.mark.parametrize("block", python_blocks(), ids=lambda block: block.page.stem)
def test_python_of(block: Block, workplace: Path) -> None:
    write_titled(block.page, workplace)
    with only_added():
        exec(compile(block.code, block.page.name, "exec"), {"__name__": "__example__"})


@pytest.mark.parametrize(("page", "line"), command_lines(), ids=lambda part: getattr(part, "name", part))
def test_command_of(page: Path, line: str, workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_titled(page, workplace)
    words = shlex.split(line)
    if words[1] in ("perform", "demo", "run", "walk") and "list" not in words:
        words += ["--seconds", "2"]
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code in (0, None), line


@pytest.mark.parametrize(
    "scene", [block for page in PAGES for block in blocks(page) if block.title], ids=lambda block: block.title
)
def test_scene_of(scene: Block, workplace: Path) -> None:
    write_titled(scene.page, workplace)
    assert Scene.load(scene.title).title


@pytest.mark.parametrize(
    "page",
    [ROOT / "README.md", ROOT / "docs" / "index.md", *sorted((ROOT / "docs" / "tutorials").glob("*.md"))],
    ids=lambda page: page.stem,
)
def test_no_sentence_is_too_long(page: Path) -> None:
    found = sentences(page.read_text(encoding="utf-8"))
    assert found
    for sentence in found:
        assert len(sentence.split()) <= LONGEST, f"{page.name}: {sentence}"


def test_sentences_are_told_apart() -> None:
    text = "# Title\n\nOne. Two\ngoes on.\n\n- Three\n- Four [link](x.md).\n\n```\ncode\n```\n\n| a |\n"
    assert sentences(text) == ["One.", "Two goes on.", "Three", "Four link."]
