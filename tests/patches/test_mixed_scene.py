"""Characters of several controllers in one scene: one loop, one take, and they keep clear of each other."""

import numpy as np
import pytest

from randori.errors import FileError
from randori.graph.action_graph import ActionGraph, graph_with_choices
from randori.motion.placement import Placement
from randori.patches.library import PatchLibrary
from randori.patches.prepared import Prepared
from randori.scene.meeting import blows_between
from randori.scene.preparing import Ready
from randori.scene.scene import Scene
from randori.scene.session import SceneSession
from randori.timeline.bake import bake_timeline
from randori.timeline.timeline import Placed, Timeline, Track
from randori.work import finish

SCENE = """
seed = 3
[motions.ring]
library = "unused.npz"
[[cast]]
name = "Red"
depth = 1
[[cast]]
name = "Blue"
depth = 1
team = 1
[[group]]
kind = "pair"
place = [{x}, 1.0, 0.0]
"""
TICKS = 150


@pytest.fixture(scope="module")
def ready(small_graph: ActionGraph, small_patches: PatchLibrary) -> Ready:
    fighting = graph_with_choices(small_graph.library, 12.0)
    return Ready(graphs={"ring": fighting}, groups=[Prepared(small_graph, small_patches)], pictures=[()])


def start(ready: Ready, x: float = 2.2) -> SceneSession:
    return SceneSession(Scene.parse(SCENE.format(x=x)), ready)


def test_everybody_is_in_one_timeline_with_numbers_of_their_own(ready: Ready) -> None:
    session = start(ready)
    session.advance(TICKS)
    timeline = session.timeline()
    assert [track.name for track in timeline.tracks] == ["Red", "Blue", "fighter 1", "fighter 2"]
    assert len({track.outfit for track in timeline.tracks}) == 4
    assert {one.who for one in timeline.decisions} <= {0, 1}
    parts = [0, 0, 1, 1]
    assert all(parts[event.who] == parts[event.whom] for event in timeline.events if event.whom >= 0)


def test_ticks_one_by_one_are_the_same_as_many_at_once(ready: Ready) -> None:
    watched, run = start(ready), start(ready)
    frames = [watched.step() for _ in range(TICKS)]
    assert frames[-1].root_position.shape == (4, 3)
    run.advance(TICKS)
    one, other = watched.timeline(), run.timeline()
    assert [event for event in one.events if event.tick < TICKS] == [
        event for event in other.events if event.tick < TICKS
    ]
    for mine, theirs in zip(one.tracks, other.tracks):
        assert [step for step in mine.placed if step.start < TICKS] == [
            step for step in theirs.placed if step.start < TICKS
        ]


def test_a_group_plans_nothing_that_touches_somebody_else(ready: Ready) -> None:
    session = start(ready, x=8.0)
    stage = session.parts[1].stage
    plan = stage.stretch(stage.actors[0].steps[:1])
    assert stage.clear(plan, [0])
    here = stage.spots(0)[0]
    stage.visit(np.tile(here, (1, 2, 1)), np.array([0, 60]))
    assert not stage.clear(plan, [0])
    stage.visit(np.tile(here + 3.0, (1, 2, 1)), np.array([0, 60]))
    assert stage.clear(plan, [0])


def test_fighters_keep_to_their_side_of_somebody_else(ready: Ready) -> None:
    session = start(ready, x=8.0)
    fights = session.parts[0]
    fights.mind(np.full((1, 2, 2), [1.5, 1.0]), np.array([0, 60]))
    fights.crowd.draw_borders()
    borders = fights.crowd.fights[0].director.borders
    assert borders
    inside = max(float(border.depth(np.array([1.4, 1.0]))) for border in borders)
    assert inside > 0.0  # nobody steps to where the other one is
    for place in fights.crowd.fights[0].pelvises():
        assert all(float(border.depth(place)) <= 1e-9 for border in borders)


def test_a_blow_lands_on_whoever_it_meets(ready: Ready) -> None:
    library = ready.graphs["ring"].library
    strikes = library.strikes
    strike = int(np.flatnonzero(strikes.effector < 2)[0])  # of a hand
    action = int(np.searchsorted(library.actions.strike_start, strike, side="right")) - 1
    first = int(library.actions.start[action])
    length = int(library.actions.stop[action]) - first - 1
    hand = "left_hand" if int(strikes.effector[strike]) == 0 else "right_hand"
    fist = library.positions[int(strikes.extension[strike]), library.skeleton.joint(hand)]
    stand = next(k for k, tags in enumerate(library.tags) if tags.technique == "stand")
    frame = int(library.actions.start[stand])
    head = library.positions[frame, library.skeleton.joint("head")]
    for off, hit in ((0.0, True), (3.0, False)):
        put = Placement(float(fist[0] - head[0]) + off, float(fist[2] - head[2]), 0.0)
        tracks = (
            Track("striker", library, (Placed(action, first, 0, length, Placement()),)),
            Track("other", library, (Placed(stand, frame, 0, length, put),)),
        )
        timeline = Timeline(library.fps, min(length, 60), tracks)
        walks = finish(bake_timeline(timeline))
        found = blows_between(timeline, walks, [0, 1])
        assert bool(found) == hit
        assert not blows_between(timeline, walks, [0, 0])  # within a part its controller says what is hit
        assert all((event.who, event.whom, event.kind) == (0, 1, "hit") for event in found)


def test_a_group_without_room_is_an_error(ready: Ready) -> None:
    with pytest.raises(FileError, match=r"group\[1\].place: fighter 1 would stand in Red; bodies need 0.5 m"):
        SceneSession(Scene.parse(SCENE.format(x=0.0).replace("1.0, 0.0]", "0.5, 0.0]")), ready)
    wall = "[[walls]]\nstart = [7.0, 0.5]\nstop = [9.0, 0.5]\n"
    with pytest.raises(FileError, match=r"group\[1\].place: somebody would stand in walls\[1\]"):
        SceneSession(Scene.parse(SCENE.format(x=8.0) + wall), ready)
