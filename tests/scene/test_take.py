"""A take: it knows where its frames come from, and a file gives all of it back."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from randori.capture.analysis import analyse
from randori.errors import FileError, RandoriError
from randori.graph.action_graph import build_action_graph
from randori.graph.library import build_library
from randori.performer import perform
from randori.render.camera import Focus
from randori.render.stage import Prop
from randori.scene.take import Take, View, make_take
from randori.scene.take_file import is_take
from randori.timeline.bake import HEAD_START
from randori.timeline.timeline import FORCED, Decision, Option, Timeline
from timeline_samples import random_timeline


@pytest.fixture(scope="module")
def timeline() -> Timeline:
    """A few seconds of two characters with a made-up decision."""
    clip = perform("boxing", 30.0, seed=4)[0].clip
    graph = build_action_graph(build_library([(clip, analyse(clip))], mirrored=True), 0.2)
    made = random_timeline(graph, 4.0, (1, 2), interrupted=(2,))
    options = (Option(0, "", {"damage": 1.5, "movement": -2.0}), Option(1, "facing", {"movement": -9.0}))
    decision = Decision(30, 1, 0, 3, 1.25, -0.5, (0,), ((1, 0, 30), (0, 1, 55)), options)
    return replace(made, decisions=(decision, replace(decision, options=())), words={"seed": 7})


@pytest.fixture(scope="module")
def take(timeline: Timeline) -> Take:
    return make_take(timeline, "Sparring")


def test_every_frame_names_its_source(take: Take, timeline: Timeline):
    role = take.roles[0]
    library = timeline.tracks[0].library
    for one in role.placed:
        middle = (one.start + one.stop) // 2
        (origin, *blended) = role.origins(middle)
        whole = library.clips[int(library.frames.clip[one.first])]
        assert origin.source == whole
        planned = int(library.frames.source_frame[one.first + middle - one.start])
        # an answer to a blow is entered where it fits best
        assert abs(origin.frame - planned) <= (HEAD_START if one.cause == FORCED else 5)
        assert len(blended) <= 1
    join = int(role.joins[0])
    assert len(role.origins(join)) == 2
    assert take.credits() == [
        {"recording": clip.name, "file": "", "licence": "MIT", "credit": "Randori's built-in performer"}
        for clip in library.clips[:1]
    ]


def test_a_file_gives_everything_back(take: Take, tmp_path: Path):
    path = tmp_path / "sparring.npz"
    assert take.save(path) == [path]
    assert is_take(path)
    again = Take.load(path)
    assert (again.title, again.fps, again.ticks, again.provenance) == (
        "Sparring",
        take.fps,
        take.ticks,
        {"seed": 7},
    )
    assert again.events == take.events
    assert again.decisions == take.decisions
    assert again.quality() == take.quality()
    for one, other in zip(take.roles, again.roles):
        assert (one.name, one.outfit, one.placed, one.tags) == (
            other.name,
            other.outfit,
            other.placed,
            other.tags,
        )
        assert one.sources == other.sources
        assert np.array_equal(one.provenance, other.provenance)
        assert np.array_equal(one.joins, other.joins)
        assert np.array_equal(one.simulated, other.simulated)
        assert np.array_equal(one.clip.rotations, other.clip.rotations)
        assert np.array_equal(one.clip.positions, other.clip.positions)
    second = tmp_path / "again.npz"
    again.save(second)
    assert second.read_bytes() == path.read_bytes()


def test_a_file_keeps_things_and_from_where_it_is_seen(take: Take, tmp_path: Path):
    cone = np.array([[0.0, 0.5, 0.0]]), np.array([[0.0, 0.5, 1.0]]), np.array([0.2])
    path = np.array([[1.0, 0.0, 2.0, 0.5], [2.0, 0.0, 2.0, 0.5]])
    props = (Prop(*cone, (0.5, 0.25, 0.125), path, take.fps), Prop(*cone, (0.5, 0.25, 0.125), fps=take.fps))
    focus = Focus(
        np.array([[1.0, 2.0], [1.5, 2.0]]), np.array([2.0, 3.0]), np.array([1.0, 1.5]), take.fps, 0.75, 0.5
    )
    replace(take, props=props, view=View(0.5, 0.25, False, focus)).save(tmp_path / "seen.npz")
    again = Take.load(tmp_path / "seen.npz")
    assert again.view[:3] == (0.5, 0.25, False)
    assert again.view.focus is not None
    assert again.view.focus.front == 0.75
    assert np.array_equal(again.view.focus.path, focus.path)
    assert np.array_equal(again.view.focus.reach, focus.reach)
    for one, other in zip(props, again.props, strict=True):
        for time in (0.0, 1.0):
            assert np.array_equal(one.figures(time).stop, other.figures(time).stop)
            assert np.array_equal(one.figures(time).colour, other.figures(time).colour)


def test_takes_of_earlier_versions_have_no_things(take: Take, tmp_path: Path):
    path = tmp_path / "take.npz"
    take.save(path)
    with np.load(path) as file:
        arrays = dict(file)
    words = json.loads(arrays["words"].tobytes())
    del words["props"], words["view"]
    arrays["words"] = np.frombuffer(json.dumps(words).encode(), dtype="u1")
    np.savez(path, **arrays)
    again = Take.load(path)
    assert again.props == ()
    assert again.view == View()


def test_somebody_in_it_can_be_watched(take: Take):
    watched = take.watching(take.roles[1].name)
    assert watched.view.focus is not None
    away = watched.view.focus.path - take.clips[1].root_position[:, [0, 2]]
    assert float(np.hypot(*away.T).max()) < 1.0
    assert watched.overview().view.focus is None
    with pytest.raises(RandoriError, match="there is no 'nobody' in the take; there are"):
        take.watching("nobody")


def test_the_report_is_plain(take: Take):
    report = json.loads(json.dumps(take.report()))
    assert report["seed"] == 7
    assert report["quality"]["planted_phases"] > 0
    assert report["sources"][0]["licence"] == "MIT"


@pytest.mark.parametrize("ending", ["glb", "bvh", "png"])
def test_exports(take: Take, tmp_path: Path, ending: str):
    written = take.save(tmp_path / f"take.{ending}")
    assert len(written) == (3 if ending == "bvh" else 1)  # what BVH has no room for lies beside it
    assert all(path.stat().st_size > 1000 for path in written)


def test_unknown_endings_are_refused(take: Take, tmp_path: Path):
    with pytest.raises(FileError, match=r"known: \.npz, \.glb"):
        take.save(tmp_path / "take.fbx")


def test_a_damaged_file_is_refused(take: Take, tmp_path: Path):
    path = tmp_path / "take.npz"
    take.save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileError, match="take of Randori"):
        Take.load(path)
    path.write_bytes(whole.replace(b'"who": 1', b'"who": 9'))
    with pytest.raises(FileError):
        Take.load(path)
