"""Every block of code on every page is run or checked.

- Python runs. Lines that begin with `randori` run, in any block; long ones with a short length.
- Other lines of shell blocks have to be known: `make TARGET`, `pip install`, `python examples/NAME.py`.
- A TOML block with a title (```toml title="my-fight.toml") is a whole scene. It is written under that name
  for the other blocks of its page. One without a title is a part of a scene, or of a sidecar.
- Everything else (pictures, output) is a block of ```text.
"""

import json
import re
import shlex
import shutil
import textwrap
import tomllib
from collections.abc import Generator
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import tomlkit

import randori
from character_samples import box_person, write_character
from prepare_samples import learned_controller, recording_once
from randori.capture.sidecar import read_sidecar
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
from shared import made_once

ROOT = Path(__file__).parent.parent
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
SHELL = ("", "sh", "bash")
NEWCOMERS = [
    ROOT / "README.md",
    ROOT / "docs" / "index.md",
    *sorted((ROOT / "docs" / "tutorials").glob("*.md")),
]
BLOCK = re.compile(r"^ *```(\w*)(?: title=\"([^\"]+)\")?\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
PLAIN = [
    *NEWCOMERS,
    ROOT / "CONTRIBUTING.md",
    *(ROOT / "docs" / f"{name}.md" for name in ("api", "architecture", "conventions", "glossary", "recipes")),
    *sorted((ROOT / "docs").glob("add-*.md")),
    *sorted((ROOT / "docs" / "papers").glob("*.md")),
]
# The glossary says "character" or "fighter" instead.
RETIRED = re.compile(r"\b(somebody|someone|anybody|everybody|whoever|whomever)\b", re.IGNORECASE)
TECHNIQUE = "fall on somebody"  # its name is part of recorded takes
LONGEST = 35  # words of a sentence that a newcomer reads
# What a part of a scene may refer to: motions, and characters by name.
REST = """
[motions.ring]
perform = ["boxing"]
"""
KNOWN = (["pip", "install"], ["source", ".venv/bin/activate"])  # lines that set up an environment
NAMES = ("Red", "Blue", "Ben", "Eva", "you")


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


def parts_of_scenes() -> list[Block]:
    found = [
        block for page in PAGES for block in blocks(page) if block.language == "toml" and not block.title
    ]
    assert found
    return found


def command_lines() -> list[tuple[Path, str]]:
    """Every command once, on the first page that shows it, unless it reads a file of its own page."""
    lines: dict[tuple[str, str], Path] = {}
    for page in PAGES:
        own = "".join(block.code for block in blocks(page) if block.title)
        for block in blocks(page):
            if block.language not in (*SHELL, "text"):
                continue
            for line in block.code.splitlines():
                if line.startswith("randori "):
                    line = line.split("#")[0].strip()
                    lines.setdefault((line, own if ".toml" in line else ""), page)
    assert lines
    return [(page, line) for (line, _), page in lines.items()]


def marked(page: Path, line: str) -> Any:
    """A command with its mark: those that simulate, learn or build are slow."""
    slow = line.split()[1] in ("run", "bench", "patches", "train", "demo")
    return pytest.param(page, line, marks=[pytest.mark.slow] if slow else [], id=f"{page.name}-{line}")


def write_titled(page: Path, folder: Path) -> None:
    for block in blocks(page):
        if block.title:
            (folder / block.title).write_text(block.code, encoding="utf-8")


def completed(part: dict[str, Any]) -> str:
    """A part of a scene with the motions and characters that it speaks of."""
    text = tomlkit.dumps(part)
    if "motions" not in part:
        text += REST
    there = [row["name"] for row in part.get("cast", ()) if row.get("controller", "duel") == "duel"]
    names = NAMES[:2] if "formation" in part or there else NAMES
    if not any(key in part for key in ("cast", "group")) or there:
        for number, name in enumerate(names):
            if name not in there:
                text += f'\n[[cast]]\nname = "{name}"\nteam = {number % 2}\n'
    return text


def sentences(text: str) -> list[str]:
    """The sentences of a page and the cells of its tables, without code, headings and links' addresses."""
    text = BLOCK.sub("\n\n", text)
    text = re.sub(r"^(#|!\[|<).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^\|[-| :]*\|$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^\|.*\|$", lambda row: row[0].replace("|", "\n\n"), text, flags=re.MULTILINE)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"^ *([-*>]|\d+\.) ", "\n\n", text, flags=re.MULTILINE)
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text))
    return [one for part in paragraphs for one in re.split(r"(?<=[.!?])\**\s+(?=[A-Z`*\[])", part) if one]


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
    made_once("docs-take", lambda: simulate(Scene.load("boxing"), seconds=2.0)).save(path)
    return path


@pytest.fixture(scope="module")
def patches(capture: Path) -> Path:
    """And a library of patches."""
    path = capture.with_name("luggage.patches.npz")

    def build() -> bytes:
        randori.save_patches(path, randori.build_patches("luggage"))
        return path.read_bytes()

    path.write_bytes(made_once("docs-patches", build))
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
    for name in ("red.bvh", "blue.bvh"):
        shutil.copy(capture, tmp_path / name)
    for name in ("my-library.npz", "moves.npz"):
        shutil.copy(library, tmp_path / name)
    for name in ("boxing.npz", "my-fight.npz"):
        shutil.copy(take, tmp_path / name)
    write_character(tmp_path / "knight.glb", *box_person())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def learned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Preparation is learned once for all tests; in tests/prepare, the command records and learns, too."""

    def learn(*_: object) -> Generator[float, None, Controller]:
        yield 0.5
        return learned_controller()

    monkeypatch.setattr(repertoire, "learn", learn)
    monkeypatch.setattr(repertoire, "performed_library", recording_once)


@pytest.mark.parametrize("block", python_blocks(), ids=lambda block: block.page.stem)
def test_python_of(block: Block, workplace: Path) -> None:
    write_titled(block.page, workplace)
    with only_added():
        exec(compile(block.code, block.page.name, "exec"), {"__name__": "__example__"})


@pytest.mark.parametrize(("page", "line"), [marked(page, line) for page, line in command_lines()])
def test_command_of(
    page: Path,
    line: str,
    workplace: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    write_titled(page, workplace)
    words = shlex.split(line)
    if "luggage.patches.npz" in words and "build" not in words:
        shutil.copy(request.getfixturevalue("patches"), workplace)
    if words[1] == "bench" and "--quick" not in words:
        words += ["--quick"]
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


@pytest.mark.parametrize("part", parts_of_scenes(), ids=lambda part: part.page.stem)
def test_part_of_a_scene_of(part: Block, tmp_path: Path) -> None:
    values = tomllib.loads(part.code)
    if "segment" in values:
        path = tmp_path / "take.bvh.actions.toml"
        path.write_text(f'version = 1\nrecording = "take.bvh"\n{part.code}', encoding="utf-8")
        assert len(read_sidecar(path)[0]) == len(values["segment"])
    else:
        Scene.parse(completed(values), folder=tmp_path)


@pytest.mark.parametrize(
    "block",
    [block for page in PAGES for block in blocks(page) if block.language not in ("python", "toml", "text")],
    ids=lambda block: block.page.stem,
)
def test_other_lines_of(block: Block) -> None:
    if block.language == "json":
        json.loads(block.code)
        return
    assert block.language in SHELL, "blocks that nobody can run are ```text"
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for line in filter(None, block.code.splitlines()):
        words = shlex.split(line, comments=True)
        if words[0] == "make":
            assert words[1] in targets, line
        elif words[:2] == ["python", "-m"]:
            assert find_spec(words[2]), line
        elif words[0] == "python":
            assert (ROOT / words[1]).is_file(), line
        else:
            assert words[0] == "randori" or words[:2] in KNOWN, f"not checked by any test: {line}"


@pytest.mark.parametrize("name", ["command_line", "scene_keys", "python_names"])
def test_generated_page_explains_everything(name: str) -> None:
    """`make docs` adds these pages to the site: packaging/site.py writes them from the code."""
    spec = spec_from_file_location("site_pages", ROOT / "packaging" / "site.py")
    assert spec is not None
    assert spec.loader is not None
    pages = module_from_spec(spec)
    spec.loader.exec_module(pages)
    lines = getattr(pages, name)().splitlines()
    rows = [line for line in lines if line.startswith("| `")]
    assert len(rows) > 100 or name == "python_names"
    assert [row for row in rows if re.search(r"\| +\| `?\w*`? *\|$", row) and name == "command_line"] == []
    assert [row for row in rows if row.endswith("|  |") and name == "scene_keys"] == []
    for heading, below in zip(lines, lines[2:]):
        assert not heading.startswith("## `randori") or below.strip(), heading


def test_pages_for_newcomers_have_the_install_lines_that_work() -> None:
    """`make demo` installs into .venv; pages that use `randori` afterwards say how to reach it."""
    for page in (ROOT / "README.md", ROOT / "docs" / "index.md"):
        text = page.read_text(encoding="utf-8")
        assert text.index("make demo") < text.index("source .venv/bin/activate") < text.index("\nrandori ")


@pytest.mark.parametrize("page", NEWCOMERS, ids=lambda page: page.stem)
def test_no_sentence_is_too_long(page: Path) -> None:
    found = sentences(page.read_text(encoding="utf-8"))
    assert found
    for sentence in found:
        assert len(sentence.split()) <= LONGEST, f"{page.name}: {sentence}"


@pytest.mark.parametrize("page", PLAIN, ids=lambda page: page.stem)
def test_no_retired_word_is_used(page: Path) -> None:
    assert RETIRED.findall(page.read_text(encoding="utf-8")) == []


def test_no_retired_word_is_used_in_the_sources() -> None:
    sources = [path for path in (ROOT / "src").rglob("*") if path.suffix in (".py", ".toml")]
    sources += (ROOT / "web" / "src").rglob("*.ts")
    for path in sources:
        text = path.read_text(encoding="utf-8").replace(TECHNIQUE, "")
        assert RETIRED.findall(text) == [], path


def test_sentences_are_split() -> None:
    text = "# Title\n\nOne. Two\ngoes on.\n\n- Three\n- Four [link](x.md).\n\n"
    text += "```\ncode\n```\n\n| a | b c |\n|---|---|\n"
    assert sentences(text) == ["One.", "Two goes on.", "Three", "Four link.", "a", "b c"]
