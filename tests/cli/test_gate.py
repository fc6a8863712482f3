"""Exports that miss what was asked for write nothing, and say which limit and by how much."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from randori.capture.analysis import analyse
from randori.cli import app
from randori.errors import RandoriError
from randori.graph.action_graph import build_action_graph
from randori.graph.library import build_library
from randori.performer import perform
from randori.scene.export import save
from randori.scene.take import make_take
from timeline_samples import random_timeline


@pytest.fixture(scope="module")
def take(tmp_path_factory: pytest.TempPathFactory) -> Path:
    clip = perform("boxing", 20.0, seed=6)[0].clip
    graph = build_action_graph(build_library([(clip, analyse(clip))]), 0.2)
    path = tmp_path_factory.mktemp("take") / "sparring.npz"
    make_take(random_timeline(graph, 2.0, (1, 2)), "Sparring").save(path)
    return path


def export(take: Path, out: Path, *words: str) -> Exception | None:
    result = CliRunner().invoke(app, ["export", str(take), "--out", str(out), *words])
    return result.exception


def test_an_export_within_its_limits_is_written(take: Path, tmp_path: Path):
    assert export(take, tmp_path / "take.glb", "--require", "floor=5", "--commercial") is None
    assert (tmp_path / "take.glb").exists()


def test_an_export_that_misses_a_limit_is_not(take: Path, tmp_path: Path):
    error = export(take, tmp_path / "take.glb", "--require", "feet=101")
    assert isinstance(error, RandoriError)
    assert "at least 101 %" in str(error)
    assert list(tmp_path.iterdir()) == []


def test_recordings_have_no_quality_yet(tmp_path: Path):
    recording = tmp_path / "one.npz"
    save(perform("boxing", 2.0, seed=1)[0].clip, recording)
    error = export(recording, tmp_path / "one.glb", "--commercial")
    assert "ask about takes" in str(error)
