"""The shipped stories happen: who is down, when and where. With few pairs."""

from typing import NamedTuple

import numpy as np
import pytest

from randori.bench.stories import STORIES, nearest, play, with_pairs
from randori.duel.goals import Checkpoint
from randori.graph.action_graph import ActionGraph
from randori.graph.motions import Motions
from randori.scene.ending import NEAR, lies, misses, pelvises, unmet
from randori.scene.preparing import preparing_cast
from randori.scene.scene import Scene, shipped_scenes
from randori.timeline.timeline import Timeline
from randori.work import finish
from shared import made_once

_PLIES = {"spiral-of-swords": 2, "ally-in-the-alley": 2}  # the others as they are shipped


def small(name: str) -> Scene:
    """A shipped scene that takes little time."""
    scene = with_pairs(Scene.load(name), 2)
    cast = tuple(
        one.model_copy(update={"depth": min(one.depth, _PLIES.get(name, one.depth))}) for one in scene.cast
    )
    return scene.changed(cast=cast)


class StoryResult(NamedTuple):
    """A story that was played."""

    scene: Scene
    timeline: Timeline
    unmet: list[str]  # goals
    misses: list[tuple[str, Checkpoint, float]]  # who, which checkpoint, metres


def graph_of(motions: Motions) -> ActionGraph:
    scene = Scene.load("boxing")
    return finish(preparing_cast(scene.changed(motions={"all": motions})))["all"]


@pytest.fixture(scope="module")
def told(request: pytest.FixtureRequest) -> StoryResult:
    """The story that the test names."""

    def make() -> StoryResult:
        scene = small(request.param)
        crowd, timeline = play(scene, {key: graph_of(motions) for key, motions in scene.motions.items()}, 1)
        return StoryResult(scene, timeline, unmet(crowd, timeline), misses(crowd, timeline))

    return made_once(f"story-{request.param}", make)


def story(*names: str) -> pytest.MarkDecorator:
    """A test of some stories."""
    return pytest.mark.parametrize("told", names, indirect=True)


def names(timeline: Timeline, down: bool) -> list[str]:
    return [track.name for track in timeline.tracks if lies(track) == down]


def test_all_stories_are_shipped_with_a_description():
    assert set(STORIES) <= set(shipped_scenes())
    assert all(len(Scene.load(name).description) > 30 for name in STORIES)


@story(*STORIES)
def test_it_ends_as_it_should(told: StoryResult):
    assert told.unmet == []


@story("spiral", "spiral-of-swords")
def test_a_spiral_ends_with_one_side_down_and_pairs_apart(told: StoryResult):
    scene, timeline = told.scene, told.timeline
    winner, loser = (member.name for member in scene.cast)
    assert names(timeline, down=True) == [f"{loser} 1", f"{loser} 2"]
    assert names(timeline, down=False) == [f"{winner} 1", f"{winner} 2"]
    assert nearest(timeline) > 1.0
    arrived = scene.formation.time[1]
    falls = [event.tick / timeline.fps for event in timeline.events if event.kind == "request"]
    assert len(falls) == 2
    assert min(falls) > arrived - scene.formation.every - 0.5
    off = np.array([metres for _, _, metres in told.misses])
    assert np.mean(off < NEAR) > 0.6


@story("chase-around-a-circle", "many-chase-around-a-circle")
def test_a_chase_goes_around_its_circle(told: StoryResult):
    scene, timeline = told.scene, told.timeline
    places = pelvises(timeline)
    begin, end = (round(seconds * timeline.fps) for seconds in scene.formation.time)
    for runner in places:
        turned = np.unwrap(np.arctan2(runner[begin:end, 0], runner[begin:end, 1]))
        assert np.degrees(turned[-1] - turned[0]) == pytest.approx(scene.formation.turn, abs=30.0)


@story("car-in-the-street")
def test_the_car_runs_over_the_enemy_and_nobody_else(told: StoryResult):
    timeline = told.timeline
    struck = [event for event in timeline.events if event.kind == "run over"]
    assert [timeline.tracks[event.whom].name for event in struck] == ["Gorilla"]
    assert struck[0].tick > 16.0 * timeline.fps
    places = pelvises(timeline)
    assert abs(places[1, struck[0].tick, 0]) < 3.0  # metres from the middle of the road
    assert names(timeline, down=True) == ["Gorilla"]


@story("ally-in-the-alley")
def test_the_ally_comes_late_and_strikes_the_enemy_down(told: StoryResult):
    scene, timeline = told.scene, told.timeline
    fall = next(event.tick for event in timeline.events if event.kind == "request")
    assert fall > scene.cast[2].joins * timeline.fps
    blow = next(event for event in timeline.events if event.kind == "hit" and event.tick == fall)
    assert (timeline.tracks[blow.who].name, timeline.tracks[blow.whom].name) == ("Ally", "Enemy")
    before = [event for event in timeline.events if event.kind == "hit" and event.tick < 11.0 * timeline.fps]
    assert not any(timeline.tracks[event.who].name == "Ally" for event in before)
    walls = np.abs(pelvises(timeline)[:, :, 0])
    inside = (pelvises(timeline)[:, :, 1] > 1.5) & (pelvises(timeline)[:, :, 1] < 8.5)
    assert walls[inside].max() < 2.2
    assert names(timeline, down=True) == ["Enemy"]


@story("boxing-along-a-path")
def test_boxers_on_a_path_do_what_is_asked_on_the_way(told: StoryResult):
    timeline = told.timeline
    asked = [
        (event.what, timeline.tracks[event.who].name) for event in timeline.events if event.kind == "request"
    ]
    assert asked == [("hook", "Red"), ("fall", "Blue")]
    assert names(timeline, down=True) == ["Blue"]


def test_who_was_struck_with_a_sword_in_hand_can_go_on_fighting():
    graph = graph_of(Scene.load("spiral-of-swords").motions["sword"])
    tags = graph.library.tags
    recoils = [action for action in graph.actions if tags[action].technique == "recoil"]
    ways = [
        {tags[choice].kind for choice in graph.choices(int(graph.end_posture[action]))} for action in recoils
    ]
    assert np.mean(["attack" in kinds for kinds in ways]) > 0.9
