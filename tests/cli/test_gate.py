"""Exports that miss what was asked for write nothing, and say which limit and by how much."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from randori.capture.analysis import analyse
from randori.cli import app
from randori.errors import RandoriError
from randori.graph.action_graph import build_action_graph
from randori.graph.library import build_library
from randori.performer import perform
from randori.scene.export import save
from randori.scene.gate import measured_together
from randori.scene.take import Role, Take, make_take
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
    error = export(recording, tmp_path / "one.glb", "--require", "all")
    assert "asks about takes" in str(error)
    assert export(recording, tmp_path / "one.bvh", "--commercial") is None  # but they have a licence
    unknown = tmp_path / "unknown.bvh"
    save(perform("boxing", 2.0, seed=1)[0].clip, unknown)
    assert "its licence is not known" in str(export(unknown, tmp_path / "two.bvh", "--commercial"))
    assert not (tmp_path / "two.bvh").exists()


def test_several_takes_are_held_to_their_limits_together(take: Path, tmp_path: Path):
    """The same two people twice, each inside itself: both takes are fine, the scene is not."""
    assert export(take, tmp_path / "one.bvh", "--require", "bodies=50") is None
    out = tmp_path / "both.glb"
    words = ["export", str(take), str(take), "--out", str(out)]
    error = CliRunner().invoke(app, [*words, "--require", "bodies=5"]).exception
    assert isinstance(error, RandoriError)
    assert "bodies inside each other" in str(error)
    assert not out.exists()
    assert CliRunner().invoke(app, [*words, "--commercial"]).exception is None
    data = out.read_bytes()
    report = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])["asset"]["extras"]["randori"]
    assert report["sources"][0]["credit"] == "Randori's built-in performer"
    assert len(report["takes"]) == 2


def test_figures_are_measured_on_what_is_written(take: Path, tmp_path: Path):
    """A take whose words say that all is well, and whose poses do not."""
    loaded = Take.load(take)
    one, other = loaded.roles
    inside = replace(
        one, clip=one.clip.with_frames(other.clip.root_position, other.clip.rotations), placed=other.placed
    )
    sunk = replace(one, clip=one.clip.with_frames(one.clip.root_position - [0, 0.5, 0], one.clip.rotations))
    claimed = replace(loaded.measured, penetration_deepest=0.0, lowest_point=0.0, strike_error_worst=0.0)
    for roles, limit in (((inside, other), "bodies"), ((sunk, other), "floor")):
        path = tmp_path / f"{limit}.npz"
        replace(loaded, roles=roles, measured=claimed).save(path)
        error = export(path, tmp_path / "out.bvh", "--require", limit)
        assert isinstance(error, RandoriError), limit
    assert not list(tmp_path.glob("out*"))


def test_feet_joins_and_behaviour_are_measured_too(take: Path, tmp_path: Path):
    """The file claims the best figures that there are; its poses, events and actions show others."""
    loaded = Take.load(take)
    one, other = loaded.roles
    best = {"smooth_joins": 1.0, "unnoticed": 1.0, "joint_acceleration": 0.0, "trunk_angle": 0.0}
    best |= {"fighters": 2, "looks_away": 0.0, "longest_pause": 0.0, "pause_allowed": 60.0}
    claimed = replace(loaded.measured, **best)
    seconds = np.arange(len(one.clip))[:, None] / loaded.fps

    def moved(role: Role, place: np.ndarray) -> Role:
        return replace(role, clip=role.clip.with_frames(role.clip.root_position + place, role.clip.rotations))

    gliding = moved(one, seconds * [0.1, 0.0, 0.0])
    fast = moved(one, seconds * [2.0, 0.0, 0.0])  # no foot is ever planted
    jumping = moved(one, 0.3 * (np.arange(len(one.clip))[:, None] >= one.joins[0]) * [1.0, 0.0, 0.0])
    facing = one.clip.heading()
    ahead = np.stack([np.sin(facing), np.zeros(len(facing)), np.cos(facing)], axis=-1)
    behind = moved(other, one.clip.root_position - 3.0 * ahead - other.clip.root_position)
    cases = [
        ((gliding, other), "feet"),
        ((fast, other), "feet"),
        ((jumping, other), "joins"),
        ((jumping, other), "joints"),
        ((one, behind), "looking"),
        (tuple(replace(role, placed=role.placed[:1]) for role in (one, other)), "pauses=0"),
    ]
    for number, (roles, limit) in enumerate(cases):
        path = tmp_path / f"{number}.npz"
        replace(loaded, roles=roles, measured=claimed).save(path)
        error = export(path, tmp_path / "out.bvh", "--require", limit)
        assert isinstance(error, RandoriError), (number, limit)
    assert not list(tmp_path.glob("out*"))


def test_an_honest_take_keeps_its_figures(take: Path):
    loaded = Take.load(take)
    (again,) = measured_together([loaded])
    told = loaded.quality()
    for figure in ("unnoticed", "smooth_joins", "trunk_angle", "head_speed"):
        assert getattr(again, figure) == pytest.approx(getattr(told, figure)), figure


def test_licences_are_allowed_by_their_words(take: Path, tmp_path: Path):
    loaded = Take.load(take)
    roles = tuple(
        replace(
            role,
            sources=tuple(
                replace(source, source=replace(source.source, licence="personal use only"))
                for source in role.sources
            ),
        )
        for role in loaded.roles
    )
    path = tmp_path / "theirs.npz"
    replace(loaded, roles=roles).save(path)
    assert "personal use only" in str(export(path, tmp_path / "out.bvh", "--commercial"))
    allowed = ("--allow-licence", "Personal use only")
    assert export(path, tmp_path / "out.bvh", "--commercial", *allowed) is None
    assert "give both" in str(export(path, tmp_path / "out.bvh", *allowed))


@pytest.mark.parametrize("command", ["run", "demo", "export"])
def test_every_command_that_writes_a_take_has_the_gate(command: str):
    words = ["a.npz", "--out", "b.npz"] if command == "export" else ["boxing"]
    for option in ("--require", "--allow-licence"):
        error = CliRunner().invoke(app, [command, *words, option, "beauty"]).exception
        assert isinstance(error, RandoriError), command
        assert "beauty" in str(error) or "give both" in str(error)
