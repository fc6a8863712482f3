"""Every script in examples/ runs, with short settings, and does what it says."""

import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from patch_samples import SMALL
from randori.duel.added import only_added
from randori.scene.take import Take

EXAMPLES = Path(__file__).parents[1] / "examples"
# the options of each script, and what it must print
SHORT = {
    "make_two_clips_fight": (["--out", "fight.glb", "--seconds", "1", "--recorded", "20"], "fight.glb: 1 s"),
    "run_a_scene": (["boxing", "--seconds", "1"], "Decision 1 at"),
    "convert_a_recording": ([], "recording.glb"),
    "capture_a_library": (["--seconds", "10"], "jab"),
    "compare_styles": (["--seconds", "1"], "at a distance: Red is hit"),
    "direct_a_live_session": (["--seconds", "1"], "inputs: ['set']"),
    "train_a_policy": (["--behaviours", "approach", "--seconds", "15"], "behaviours"),
    "build_patches": (["small.toml"], "patch "),
    "dress_a_take": (["--seconds", "1"], ""),
    "add_a_term": (["--seconds", "2"], "ropes"),
    "fight_the_search": (["--seconds", "1"], "the search: "),
}

Run = Callable[[str], str]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(name: str) -> str:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
        path = EXAMPLES / f"{name}.py"
        monkeypatch.setattr(sys, "argv", [str(path), *SHORT[name][0]])
        with only_added():
            runpy.run_path(str(path), run_name="__main__")
        return capsys.readouterr().out

    return run


def test_every_example_is_run() -> None:
    assert sorted(path.stem for path in EXAMPLES.glob("*.py")) == sorted(SHORT)
    assert len(SHORT) >= 10


@pytest.mark.parametrize("name", [name for name in SHORT if name not in ("add_a_term", "fight_the_search")])
def test_example(name: str, run: Run) -> None:
    assert SHORT[name][1] in run(name)


def test_an_added_term_is_told_by_why(run: Run, tmp_path: Path) -> None:
    told = run("add_a_term")
    assert "ropes" in told
    take = Take.load(tmp_path / "ring.npz")
    options = [option for decision in take.decisions for option in decision.options if option.terms]
    values = np.array([option.terms["ropes"] for option in options])
    assert (values <= 0.0).all()
    assert values.min() < -1e4  # near the ropes it costs
    assert any(option.rule == "leaves the ring" for option in options)


def test_an_agent_fights_the_search(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("pettingzoo")
    assert SHORT["fight_the_search"][1] in run("fight_the_search")
    assert Take.load(tmp_path / "bout.npz").seconds >= 1.0
