"""Libraries, graphs and walks on real recordings: many takes of one fighter, one long one, several actors."""

from pathlib import Path

import numpy as np
import pytest

from randori.capture.analysis import analyse
from randori.formats import load
from randori.graph.action_graph import ActionGraph, build_action_graph
from randori.graph.frame_graph import build_frame_graph
from randori.graph.library import ActionLibrary, build_library
from randori.graph.walk import random_frame_walk, random_walk
from randori.graph.walk_quality import measure_walk
from randori.motion.feet import foot_levels
from randori.motion.retargeting import standing_ball_level


def _library(paths: list[Path]) -> ActionLibrary:
    clips = [load(path) for path in paths]
    return build_library([(clip, analyse(clip)) for clip in clips])


@pytest.fixture(scope="module")
def fighter(mocap_folder: Path) -> ActionLibrary:
    folders = [mocap_folder / name for name in ("boxing", "kicks")]
    return _library(sorted(path for folder in folders for path in folder.glob("accad_Male2_*.bvh")))


@pytest.fixture(scope="module")
def boxer(mocap_folder: Path) -> ActionLibrary:
    return _library([mocap_folder / "boxing" / "cmu_14_02.bvh"])


def _check_walks(library: ActionLibrary, graph: ActionGraph) -> None:
    for walk in (
        random_walk(graph, 60.0, seed=1),
        random_frame_walk(build_frame_graph(library), 60.0, seed=1),
    ):
        quality = measure_walk(walk, library)
        assert quality.joins > 5
        assert quality.slide_share >= 0.95
        assert quality.acceleration_share >= 0.98


def test_one_fighters_boxing_and_kicks(fighter: ActionLibrary):
    graph = build_action_graph(fighter)
    assert graph.kept_seconds >= 0.9 * fighter.seconds
    assert build_frame_graph(fighter).report()["share kept"] >= 0.9
    _check_walks(fighter, graph)


def test_one_long_take(boxer: ActionLibrary):
    graph = build_action_graph(boxer)
    assert graph.kept_seconds >= 0.9 * boxer.seconds
    _check_walks(boxer, graph)


def test_actors_of_different_sizes_and_rigs_share_one_library(mocap_folder: Path):
    names = ("accad_Male2_Extended_1", "accad_Male2_E1_JabLeft", "cmu_14_02", "cmu_13_17")
    library = _library([mocap_folder / "boxing" / f"{name}.bvh" for name in names])
    level = standing_ball_level(library.skeleton)
    for clip in library.clips:
        assert foot_levels(library.clip(clip.start, clip.stop - 1)).ball == pytest.approx(level, abs=0.015)
    graph = build_action_graph(library)
    # some of what one actor does follows on what another did
    clip_of = library.actions.clip
    ends = {clip: set(graph.end_posture[clip_of == clip].tolist()) - {-1} for clip in range(len(names))}
    starts = {clip: set(graph.start_posture[clip_of == clip].tolist()) - {-1} for clip in range(len(names))}
    assert any(ends[a] & starts[b] for a in (0, 1) for b in (2, 3))
    assert np.isfinite(random_walk(graph, 20.0).clip.positions).all()
