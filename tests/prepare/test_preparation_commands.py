"""From the command line: train, and run a scene with what was learned."""

from pathlib import Path

import pytest

from randori.cli import main

SCENE = """
seconds = 1.0
[motions.walk]
perform = ["targets", "locomotion", "reactions"]
seconds = [120.0, 120.0, 40.0]
mirrored = true
[[cast]]
name = "walker"
controller = "prepare"
goal = "obstacles"
table = "prepare.npz"
[[obstacles]]
passed_by = ["duck", "crawl", "jump"]
before = 3.0
"""


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    monkeypatch.setattr("sys.argv", ["randori", *words])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code in (0, None)


def test_train_and_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    run(monkeypatch, "train", "prepare", "--plots", "plots")
    assert {path.name for path in Path("plots").iterdir()} == {"return.png", "policy.png", "level.png"}
    Path("bar.toml").write_text(SCENE, encoding="utf-8")
    for out in ("first", "again"):
        run(monkeypatch, "run", "bar.toml", "--format", "npz", "--out", out)
    assert Path("first/bar.npz").read_bytes() == Path("again/bar.npz").read_bytes()
