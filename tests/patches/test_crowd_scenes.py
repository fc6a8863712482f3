"""Dominoes and the mouse: what is told happens, nobody is in anybody, the picture is filled."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest

from patch_samples import DOMINOES, MOUSE
from randori.bench.patch_mouse import minding
from randori.body.capsules import CAPSULES, fit
from randori.graph.action_graph import ActionGraph
from randori.kernels import overlap
from randori.patches import mouse
from randori.patches.alarm import Alarm
from randori.patches.build import building
from randori.patches.dominoes import Dominoes
from randori.patches.fleeing_crowd import FleeingCrowd
from randori.patches.joins import joining
from randori.patches.library import PatchLibrary
from randori.patches.pattern import parse_patterns
from randori.patches.picture import SQUARE as SIDE
from randori.patches.prepared import Prepared, preparing_graph
from randori.patches.stage import Stage, State
from randori.scene.take import make_take
from randori.work import finish
from shared import made_once

SQUARE = ("#######",) * 7
SECONDS = 12.0


@pytest.fixture(scope="module")
def crowd_graph() -> ActionGraph:
    return finish(preparing_graph(parse_patterns(DOMINOES, "few dominoes")))


def _prepared(name: str, text: str, graph: ActionGraph) -> Prepared:
    def make() -> PatchLibrary:
        built = finish(building(parse_patterns(text, "sample"), text, graph))
        return finish(joining(built, graph))

    return Prepared(graph, made_once(f"patches-{name}", make))


@pytest.fixture(scope="module")
def falls(crowd_graph: ActionGraph) -> Prepared:
    return _prepared("dominoes", DOMINOES, crowd_graph)


@pytest.fixture(scope="module")
def dominoes(falls: Prepared) -> Dominoes:
    return Dominoes(falls, seed=2, rows=SQUARE)


@pytest.fixture(scope="module")
def panic(crowd_graph: ActionGraph) -> FleeingCrowd:
    scene = FleeingCrowd(_prepared("mouse", MOUSE, crowd_graph), seed=2, people=25)
    for now in range(round(SECONDS * scene.stage.fps)):
        scene.advance(now)
    return scene


def _depths(stage: Stage, ticks: range) -> Iterator[tuple[int, int, int, np.ndarray]]:
    """Two people, a tick, and the metres (16, 16) that capsules are in each other as planned."""
    body = fit(stage.library.skeleton)
    placed = body.place(stage.library.positions, stage.library.global_rotations)
    for tick in ticks:
        bodies = []
        for who in range(len(stage)):
            frame, (x, z, yaw) = stage.shown(who, tick)
            c, s = np.cos(yaw), np.sin(yaw)
            turn = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
            bodies.append(placed[frame] @ turn.T + np.array([x, 0.0, z]))
        for one, other in combinations(range(len(bodies)), 2):
            depth = np.empty((1, 16, 16))
            overlap.depths(bodies[one][None], body.radii, bodies[other][None], body.radii, depth)
            yield one, other, tick, depth[0]


def test_all_but_the_first_are_fallen_upon(dominoes: Dominoes) -> None:
    pushes = [event for event in dominoes.stage.events if event.kind == "push"]
    assert len(dominoes.stage) > 5
    assert sorted(push.whom for push in pushes) == list(range(1, len(dominoes.stage)))
    falls = [actor.steps[-1].start for actor in dominoes.stage.actors]
    for push in pushes:
        assert falls[push.who] < push.tick == falls[push.whom]


def test_everybody_stands_from_the_beginning_and_lies_in_the_end(dominoes: Dominoes) -> None:
    stage = dominoes.stage
    for who, actor in enumerate(stage.actors):
        assert actor.steps[0].start == 0
        assert stage.stock.height[stage.shown(who, 0)[0]] > 0.7
        assert stage.stock.height[stage.shown(who, actor.state.tick)[0]] < 0.4


def test_nobody_is_in_anybody_but_who_fell_onto_them(dominoes: Dominoes) -> None:
    stage = dominoes.stage
    fell = {(event.who, event.whom): event.tick for event in stage.events if event.kind == "push"}
    last = max(actor.state.tick for actor in stage.actors)
    for one, other, tick, depth in _depths(stage, range(0, last + 9, 9)):
        touched = min(fell.get((one, other), last + 99), fell.get((other, one), last + 99))
        assert depth.max() < (0.105 if tick >= touched else 0.025), (one, other, tick)


def test_limbs_of_those_who_lie_do_not_cross(dominoes: Dominoes) -> None:
    last = max(actor.state.tick for actor in dominoes.stage.actors)
    limbs = slice(CAPSULES.index("left_upper_arm"), CAPSULES.index("weapon"))
    for *who, tick, depth in _depths(dominoes.stage, range(last + 60, last + 61)):
        assert depth[limbs, limbs].max() < 0.045, (who, tick)


def test_pictures_go_with_who_falls_and_end_with_all_of_them(dominoes: Dominoes) -> None:
    stage = dominoes.stage
    last = max(actor.steps[-1].start for actor in stage.actors)
    front = dominoes.front(last + round(5.0 * stage.fps))
    for tick in range(60, last, 20):
        falling = [who for who, actor in enumerate(stage.actors) if -90 < actor.steps[-1].start - tick <= 0]
        away = stage.spots(tick)[falling] - front[tick, :2]
        assert float(np.hypot(*away.T).min()) < front[tick, 2]
    lying = stage.spots(len(front)) - front[-1, :2]
    assert float(np.hypot(*lying.T).max()) < front[-1, 2] + 0.5


def test_the_fallen_fill_the_picture(dominoes: Dominoes) -> None:
    assert dominoes.picture.share() >= 0.8
    assert dominoes.picture.outside <= 0.1


def test_who_lies_is_counted_where_they_lie(dominoes: Dominoes) -> None:
    picture = dominoes.picture
    for x, z in dominoes.stage.spots(10_000):
        assert picture.covered[int((picture.top - z) / SIDE), int((x - picture.left) / SIDE)]


def test_parts_that_do_not_hang_together_are_all_filled(falls: Prepared) -> None:
    scene = Dominoes(falls, seed=1, rows=("##....##", "##....##"))
    lying = scene.stage.spots(10_000)[:, 0]
    assert (lying < 0.0).any()
    assert (lying > 0.0).any()


def test_people_get_out_of_the_way_and_into_others(panic: FleeingCrowd) -> None:
    stage = panic.stage
    kinds = {stage.library.tags[step.action].technique for actor in stage.actors[1:] for step in actor.steps}
    assert {"avoid", "startle"} & kinds
    assert any(event.kind == "push" for event in stage.events)


def test_the_crowd_does_not_just_stand(panic: FleeingCrowd) -> None:
    minded = minding(panic, round(SECONDS * panic.stage.fps))
    assert minded.passes > 20
    assert minded.busy > 0.75  # of those whom it passes, in time; 0.83 to 0.93 with nine seeds
    assert minded.looking > 0.6  # of the others
    assert minded.standing < 0.5


def test_who_is_near_a_mouse_starts_back_and_who_is_not_looks_after_it(panic: FleeingCrowd) -> None:
    alarm, stage = Alarm(panic.composer), panic.stage
    tags = stage.library.tags
    far_off = State(panic.composer.hub(), (40.0, 40.0, 0.0), panic.stage.actors[1].state.tick)

    def doing(x: float, z: float) -> str:
        steps = alarm.mind(1, far_off, np.array([[40.0 + x, 40.0 + z]]), 0)
        assert all(step.start >= far_off.tick for step in steps)
        return tags[steps[0].action].technique if steps else ""

    looks = stage.facing(far_off)
    ahead, aside = np.array([np.sin(looks), np.cos(looks)]), np.array([np.cos(looks), -np.sin(looks)])
    assert {doing(*(0.6 * ahead)) for _ in range(9)} <= {"startle", "avoid"}
    assert doing(*(3.0 * aside)).startswith("turn")
    assert doing(*(9.0 * aside)) == ""
    assert "" in {doing(*(3.0 * ahead)) for _ in range(9)}  # who looks at it needs not turn
    away = alarm.mind(1, far_off, 40.0 + 0.3 * ahead[None], 0)
    there = np.array(stage.state_after(away[-1]).place[:2]) - 40.0
    assert float(np.hypot(*(there - 0.3 * ahead))) > 0.6


def test_the_mouse_runs_on_through_the_crowd(panic: FleeingCrowd) -> None:
    way = panic.mouse_way(round(SECONDS * panic.stage.fps) - 1)
    steps = np.linalg.norm(np.diff(way[:, :2], axis=0), axis=1)
    assert steps == pytest.approx(mouse.SPEED / panic.stage.fps, abs=1e-6)
    inside = (np.abs(way[:, :2]) < panic._half + 0.5).all(axis=1)
    assert inside.mean() > 0.5


def test_the_mouse_does_not_run_in_circles(crowd_graph: ActionGraph) -> None:
    scene = FleeingCrowd(_prepared("mouse", MOUSE, crowd_graph), seed=2, people=4)
    for now in range(round(15.0 * scene.stage.fps)):
        scene.advance(now)
    turned = np.diff(np.unwrap(scene.mouse_way(round(15.0 * scene.stage.fps) - 1)[:, 2]))
    left, right = (turned > 1e-6).mean(), (turned < -1e-6).mean()
    assert min(left, right) > 0.1


def test_a_person_goes_back_to_its_place_in_the_crowd(crowd_graph: ActionGraph) -> None:
    scene = FleeingCrowd(_prepared("mouse", MOUSE, crowd_graph), seed=2, people=1)
    state = scene.stage.actors[1].state
    scene._homes[0] = state.place[:2]
    assert scene._go_back(1, state) == []
    scene._homes[0] = state.place[0], state.place[1] + 3.0
    ways = scene._go_back(1, state)
    assert [scene.composer.stands[step.action] for step in ways] == [False]


def test_nobody_in_the_crowd_is_in_anybody_after_refinement(panic: FleeingCrowd) -> None:
    take = make_take(panic.stage.timeline(round(2.5 * panic.stage.fps), {}), "mouse")
    assert take.quality().penetration_deepest <= 0.02
