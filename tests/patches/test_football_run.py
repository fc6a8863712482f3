"""A run through tacklers: he passes them all, they come from afar, and nobody is in anybody."""

from itertools import combinations

import numpy as np
import pytest

from patch_samples import FOOTBALL
from randori.body.capsules import fit
from randori.graph.action_graph import build_action_graph
from randori.graph.performed import performed
from randori.kernels import overlap
from randori.patches.build import building
from randori.patches.football import VIEW, Football
from randori.patches.pattern import parse_patterns
from randori.patches.prepared import Prepared
from randori.scene.groups import Gauntlet
from randori.scene.preparing import Ready
from randori.scene.scene import Scene
from randori.scene.session import SceneSession
from randori.timeline.timeline import FORCED
from randori.work import finish

TICKS = 480


class Run:
    """What was played, and how far from the runner tacklers were as they became known."""

    def __init__(self, session: SceneSession):
        self.session, self.entered = session, {}
        stage = self.stage = session.parts[0].stage
        known = len(stage)
        for now in range(1, TICKS + 1):
            session.advance(now)
            for who in range(known, len(stage)):
                spots = stage.spots(now)
                self.entered[who] = float(np.linalg.norm(spots[who] - spots[0]))
            known = len(stage)
        self.take = finish(session.taking())


@pytest.fixture(scope="module")
def run() -> Run:
    patterns = parse_patterns(FOOTBALL, "football")
    graph = build_action_graph(finish(performed(patterns.motions.performance)), patterns.motions.threshold)
    patches = finish(building(patterns, FOOTBALL, graph, workers=1))
    scene = Scene.parse('[[group]]\nkind = "gauntlet"\ncount = 8\n')
    return Run(SceneSession(scene, Ready(groups=[Prepared(graph, patches)], pictures=[()])))


def test_the_runner_passes_every_tackler_and_stays_on_his_feet(run: Run) -> None:
    stage = run.stage
    tackles = [event for event in stage.events if event.kind == "miss" and event.tick < TICKS]
    assert len(tackles) >= 2  # of 8 pairs of actions in this small library none returns within 20 s
    runner = run.take.clips[0]
    for event in tackles:
        tackler = run.take.clips[event.who if event.who else event.whom].root_position
        before = tackler[max(event.tick - 60, 0)] - runner.root_position[max(event.tick - 60, 0)]
        after = tackler[-1] - runner.root_position[-1]
        if event.tick < TICKS - 60:
            way = runner.root_position[-1] - runner.root_position[max(event.tick - 60, 0)]
            assert before @ way > 0.0 > after @ way
    assert all(step.cause != FORCED for step in stage.actors[0].steps)
    assert float(runner.positions[:, runner.skeleton.joint("head"), 1].min()) > 0.8
    moved = np.linalg.norm(runner.root_position[-1] - runner.root_position[0])
    assert moved > 1.5 * TICKS / stage.fps


def test_nobody_appears_in_view(run: Run) -> None:
    assert run.entered  # some come while he runs
    assert min(run.entered.values()) >= VIEW
    for clip in run.take.clips:
        assert float(np.linalg.norm(np.diff(clip.root_position, axis=0), axis=-1).max()) < 0.15


def test_nobody_is_in_anybody(run: Run) -> None:
    body = fit(run.take.clips[0].skeleton)
    for one, other in combinations(run.take.clips, 2):
        placed = [body.place(clip.positions, clip.global_rotations) for clip in (one, other)]
        depths = np.empty((len(one), 16, 16))
        overlap.depths(placed[0], body.radii, placed[1], body.radii, depths)
        assert float(depths.max()) <= 0.02


def test_the_ball_is_under_an_arm_of_the_runner(run: Run) -> None:
    (ball,) = run.take.props
    clip = run.take.clips[0]
    hands = [clip.positions[:, clip.skeleton.joint(f"{side}_hand")] for side in ("left", "right")]
    away = np.min([np.linalg.norm(ball.path[:, :3] - hand, axis=-1) for hand in hands], axis=0)
    assert float(np.median(away)) < 0.2
    assert float(away.max()) < 0.45
    frame = run.session.step()
    assert frame.props.shape == (1, 4)
    assert float(np.linalg.norm(frame.props[0, :3] - frame.root_position[0])) < 0.7


def test_pictures_are_about_the_runner(run: Run) -> None:
    focus = run.take.view.focus
    assert focus is not None
    away = focus.path - run.take.clips[0].root_position[:, [0, 2]]
    assert float(np.hypot(*away.T).max()) < 0.5 * Gauntlet.reach


def test_a_runner_who_is_hemmed_in_runs_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Football(run.stage.prepared, seed=4, tacklers=0)
    stage = scene.stage
    # every step touches somebody: only who may touch everybody finds one
    monkeypatch.setattr(stage, "clear", lambda stretch, ignoring=(), **words: len(ignoring) > 1)
    for _ in range(4):
        scene._run()
    assert all(stage.library.tags[step.action].technique != "stand" for step in stage.actors[0].steps)
