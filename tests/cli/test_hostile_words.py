"""Words from files cannot style a line, end a command, or steer the terminal that they are shown on."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from randori import wording
from randori.capture.analysis import analyse
from randori.cli import main, shared
from randori.formats import bvh, store
from randori.graph.action_graph import build_action_graph
from randori.graph.library import build_library
from randori.graph.library_file import write
from randori.motion.clip import Clip
from randori.performer import perform
from randori.scene.take import make_take
from timeline_samples import random_timeline

OSC = "\x1b]0;owned\x07\x1b[2J\x9b31m"
HOSTILE = f"[/red] [bold]x[/bold] [link=file:///etc]y[/link] \\ {OSC}\u202egnp.exe"
FORBIDDEN = ("\x1b", "\x07", "\x9b", "\u202e")


@pytest.fixture(scope="module")
def clip() -> Clip:
    return perform("boxing", 20.0, seed=6)[0].clip


def said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: object) -> str:
    monkeypatch.setattr("sys.argv", ["randori", *map(str, words)])
    with pytest.raises(SystemExit) as end:
        main()
    printed = capsys.readouterr()
    assert "went wrong inside" not in printed.err
    assert (end.value.code or 0) in (0, 2)
    return printed.out + printed.err


def test_what_moves_a_cursor_is_shown_as_its_number():
    assert wording.visible("a\tb\n\x1b[2J\r\x9b\u202e") == "a\tb\n\\x1b[2J\\x0d\\x9b\\u202e"
    assert wording.visible("Ö 日 → \\") == "Ö 日 → \\"


@pytest.mark.parametrize("kind", ["take", "library", "clip", "recording"])
def test_inspect_shows_hostile_names_as_they_are(
    clip: Clip,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
):
    path = tmp_path / "file.npz"
    names = (f"{HOSTILE}0", *(f"{name}[/]" for name in clip.skeleton.names[1:]))
    skeleton = replace(clip.skeleton, names=names)
    source = replace(clip.source, notes=(HOSTILE,), file=HOSTILE, licence=HOSTILE)
    odd = replace(clip, name=HOSTILE, skeleton=skeleton, source=source)
    match kind:
        case "clip":
            store.write(path, odd)
        case "recording":
            path = tmp_path / "file.bvh"
            bvh.write(path, replace(clip, skeleton=replace(clip.skeleton, names=("[/red]", *names[1:]))))
        case "library":
            library = build_library([(odd, analyse(odd))])
            tags = tuple(replace(tag, technique=f"{tag.technique} {HOSTILE}") for tag in library.tags)
            write(path, replace(library, tags=tags))
        case "take":
            graph = build_action_graph(build_library([(clip, analyse(clip))]), 0.2)
            take = make_take(random_timeline(graph, 1.0, (1, 2)), HOSTILE)
            roles = tuple(replace(role, name=f"{HOSTILE}{n}") for n, role in enumerate(take.roles))
            replace(take, roles=roles).save(path)
    printed = said(capsys, monkeypatch, "inspect", path)
    assert not any(word in printed for word in FORBIDDEN)
    assert "[/" in printed
    if kind == "take":
        assert "\\x1b]0;owned" in printed


def test_scenes_and_messages_are_no_better(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    scene = tmp_path / "scene.toml"
    scene.write_text('title = "[/red] \\u001b]0;x\\u0007"\n"[/bold]\\u001b[2J" = 1\n')
    printed = said(capsys, monkeypatch, "run", scene)
    assert not any(word in printed for word in FORBIDDEN)
    assert "[/bold]" in printed

    def work():
        yield 0.5
        return "done"

    assert shared.follow("[/red] \x1b[2J", work()) == "done"
    with shared.working("[/red] \x1b[2J"):
        pass
    assert "\x1b[2J" not in capsys.readouterr().err


def test_markup_stands_in_templates_only():
    """A string with values in it is printed as it is; markup needs a template without values."""
    folder = Path(shared.__file__).parent
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            where = f"{path.name}, line {node.lineno}"
            if node.func.attr == "marked":
                assert isinstance(node.args[0], ast.Constant), where
            elif node.func.attr == "print":
                if path.name != "shared.py":
                    assert not any(word.arg == "markup" and _is_true(word.value) for word in node.keywords), (
                        where
                    )
                words = "".join(str(part.value) for part in ast.walk(node) if isinstance(part, ast.Constant))
                assert "[/" not in words, f"{where}: `print` takes brackets as they are; use `marked`"


def _is_true(node: ast.expr) -> bool:
    return not (isinstance(node, ast.Constant) and node.value is False)
