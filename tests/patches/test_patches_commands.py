"""`randori patches`: built from a file, checked, shown, inspected."""

import json
from pathlib import Path

import pytest

from patch_samples import SMALL
from randori.cli import main
from randori.graph.action_graph import ActionGraph
from randori.patches.library import PatchLibrary, read_patches


def _run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr("sys.argv", ["randori", *words])
    with pytest.raises(SystemExit) as end:
        main()
    return int(end.value.code or 0)


def test_from_a_file_to_a_picture(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    small_graph: ActionGraph,
    small_patches: PatchLibrary,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(SMALL, encoding="utf-8")
    assert _run(monkeypatch, "patches", "build", "small.toml", "--resume", "kept", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["patches"] == len(small_patches)
    assert report["candidates per second"] > 0
    assert report["1 attack, 2 defence"]["rejected"]
    built = read_patches("small.patches.npz", small_graph.library)
    assert built.arrays.place.tobytes() == small_patches.arrays.place.tobytes()

    assert _run(monkeypatch, "patches", "check", "small.patches.npz", "--joins", "20", "--json") == 0
    assert json.loads(capsys.readouterr().out)["wrong"] == "nothing"

    assert _run(monkeypatch, "patches", "show", "small.patches.npz", "0", "1", "--out", "two.png") == 0
    assert Path("two.png").read_bytes().startswith(b"\x89PNG")
    capsys.readouterr()
    assert _run(monkeypatch, "inspect", "small.patches.npz", "--json") == 0
    assert json.loads(capsys.readouterr().out)["patches"] == len(small_patches)
    assert _run(monkeypatch, "patches", "show", "small.patches.npz", "99999") == 2


def test_an_unknown_scene_is_refused_with_those_there_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, "patches", "build", "tennis") == 2
    said = capsys.readouterr().err
    assert "tennis" in said
    assert "football" in said
