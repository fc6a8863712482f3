"""From the command line: train, play, and play the recorded inputs again."""

from pathlib import Path

import pytest

from randori.cli import main


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    monkeypatch.setattr("sys.argv", ["randori", *words])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code in (0, None)


def test_train_and_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    run(monkeypatch, "train", "prepare", "--plots", "plots")
    assert {path.name for path in Path("plots").iterdir()} == {"return.png", "policy.png", "level.png"}
    play = ("play", "course", "prepare.npz", "--seconds", "1", "--format", "npz")
    run(monkeypatch, *play, "--out", "first")
    run(monkeypatch, *play, "--out", "again", "--inputs", "first/course.inputs.json")
    assert Path("first/course.npz").read_bytes() == Path("again/course.npz").read_bytes()
