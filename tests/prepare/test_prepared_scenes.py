"""Three scenes: the ball flies, people go down, bars are passed; and all of it replays."""

from dataclasses import replace

import numpy as np
import pytest

from randori.errors import RandoriError
from randori.prepare.characters import DOWN, TARGET, WALKING, Characters, Source
from randori.prepare.controller import Controller
from randori.prepare.reference_posture import CRAWL, DUCK, JUMP, KICK, PUNCH
from randori.prepare.repertoire import Repertoire
from randori.prepare.scenes import HERO, CourseScene, KickScene, PunchScene, playing, start_scene
from randori.timeline.quality import measure
from randori.timeline.session import Script, replaying


@pytest.fixture(scope="module")
def course(repertoire: Repertoire, controller: Controller) -> CourseScene:
    scene = CourseScene(repertoire, controller)
    for _ in playing(scene, 45 * 60):
        pass
    return scene


def test_the_ball_is_kicked_and_flies(repertoire: Repertoire, controller: Controller):
    scene = KickScene(repertoire, controller, seed=2)
    heights = [frame.props[:, 1].max() for frame in playing(scene, 14 * 60)]
    assert max(heights) > 0.4
    assert "kicked" in {event.kind for event in scene.timeline().events}


def test_who_comes_is_punched_and_gets_up(repertoire: Repertoire, controller: Controller):
    scene = PunchScene(repertoire, controller)
    down, most = set(), 0
    for _ in playing(scene, 20 * 60):
        modes = [mind.mode for mind in scene.characters.minds]
        down |= {body for body, mode in enumerate(modes) if mode in DOWN}
        most = max(most, sum(mind.goal is not None and mind.level > 0 for mind in scene.characters.minds[1:]))
    hits = [event for event in scene.timeline().events if event.kind == "hit"]
    assert any(event.who == HERO for event in hits)
    assert all((event.who == HERO) != (event.whom == HERO) for event in hits)
    assert most <= 1  # one at a time
    assert any(scene.characters.minds[body].mode == WALKING for body in down)


def test_bars_say_what_they_are_for(course: CourseScene):
    """A crawl's below the chest, a duck's at the chest, a jump's at the knees."""
    heights = {course.characters.repertoire.find(bar.technique).doing: bar.height for bar in course.bars}
    assert heights[JUMP] < 0.65 < heights[CRAWL] < 0.95 < 1.05 < heights[DUCK] < 1.5


def test_the_hips_sink_before_a_kick_and_a_jump(repertoire: Repertoire):
    walking = np.median([repertoire.model.root[target.start, 1] for target in repertoire.targets.values()])
    for doing in (KICK, JUMP, CRAWL, DUCK):
        target = repertoire.find(repertoire.doing(doing))
        assert repertoire.model.root[target.reference, 1] < walking - 0.03
        assert target.range < 2.0  # nobody stops for a run-up


def test_motions_are_found_by_what_they_do(repertoire: Repertoire):
    kick = repertoire.find("kick ball")
    other = replace(repertoire, targets={"front kick": replace(kick, technique="front kick")})
    assert other.doing(KICK) == "front kick"
    with pytest.raises(RandoriError, match=r"front kick \(kick\)"):
        other.doing(PUNCH)


def test_every_bar_is_passed(course: CourseScene):
    effects = {event.whom for event in course.characters.events if event.kind == "effect"}
    assert effects == set(range(len(course.bars)))


def test_a_take_names_nobody_who_is_not_in_it(course: CourseScene):
    timeline = course.timeline()
    assert all(-1 <= event.whom < len(timeline.tracks) for event in timeline.events)


def test_somebody_stays_prepared_between_two_near_bars(course: CourseScene):
    launches = [event.tick for event in course.timeline().events if event.kind == "launch"]
    effects = [event.tick for event in course.timeline().events if event.kind == "effect"]
    levels = course.characters.shown_levels[:, HERO]
    between = levels[effects[0] : launches[1]]  # from one bar to the one close behind it
    # once the body is up again it is never quite unprepared
    rising = int(np.argmax(between > 0.1))
    assert between[rising:].min() > 0.05
    assert between.max() > 0.7  # at which a target motion is launched


def test_the_level_is_smooth(course: CourseScene):
    levels = course.characters.shown_levels[:, HERO]
    rises = np.diff(levels)
    assert rises.max() < 0.05


@pytest.mark.parametrize(("name", "seconds"), [("kick", 16), ("punch", 12), ("course", 30)])
def test_feet_joins_and_floor(repertoire: Repertoire, controller: Controller, name: str, seconds: int):
    scene = start_scene(name, repertoire, controller, seed=7)
    for _ in playing(scene, seconds * 60):
        pass
    quality = measure(*scene.result())
    assert quality.unnoticed >= 0.95
    assert quality.excess_usual < 0.005
    assert quality.smooth_joins == 1.0
    assert quality.lowest_point > -0.01


def test_who_lies_does_not_creep(
    repertoire: Repertoire, controller: Controller, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Repertoire, "after_fall", lambda self, fall: [])  # nobody was recorded getting up
    scene = PunchScene(repertoire, controller, seed=1)
    for _ in playing(scene, 9 * 60):
        pass
    people = scene.characters
    down = [body for body, mind in enumerate(people.minds) if mind.rests is not None]
    before = people.bodies.root[down].copy(), people.bodies.rotations[down].copy()
    for _ in playing(scene, 10 * 60):
        pass
    assert down
    assert np.abs(people.bodies.root[down] - before[0]).max() < 1e-6
    assert np.abs(people.bodies.rotations[down] - before[1]).max() < 1e-6


def test_every_bar_is_passed_below_itself(course: CourseScene):
    """Not beside its posts."""
    effects = [event for event in course.characters.events if event.kind == "effect"]
    root = course.result()[1][HERO].clip.root_position
    for event in effects:
        bar = course.bars[event.whom]
        assert abs(root[event.tick, 2] - bar.place[1]) < 0.2
        assert abs(root[event.tick, 0] - bar.place[0]) < 0.6


def test_a_recorded_script_replays_to_the_same_bytes(repertoire: Repertoire, controller: Controller):
    scene = start_scene("kick", repertoire, controller, seed=3)
    first = [frame.bytes() for frame in playing(scene, 400)]
    script = Script.of(scene, "kick", 3)
    again = start_scene("kick", repertoire, controller, seed=3)
    assert [frame.bytes() for frame in replaying(again, script)] == first
    assert script.inputs


def test_one_controller_serves_every_target_motion(repertoire: Repertoire, controller: Controller):
    names = list(repertoire.targets)
    people = Characters(repertoire, controller, len(names))
    things = [Source(name, (10.0 * body, 5.5), body) for body, name in enumerate(names)]
    people.sources = lambda body: (things[body],)
    for body in range(len(names)):
        people.put(body, 10.0 * body, 0.0, 0.0)
        people.head_for(body, things[body].place)
    done: set[int] = set()
    for _ in range(25 * 60):
        for body in range(len(names)):
            if people.ready(body) and body not in done:
                people.launch(body, names[body])
                assert people.minds[body].mode == TARGET
                done.add(body)
        people.step()
    assert done == set(range(len(names)))


@pytest.mark.parametrize(
    ("what", "values", "message"),
    [
        ("goal", {"x": 1.0}, "x and z"),
        ("goal", {"x": "far", "z": 1.0}, "metres"),
        ("goal", {"x": float("nan"), "z": 1.0}, "metres"),
        ("launch", {}, "technique"),
        ("launch", {"technique": "sneeze"}, "sneeze"),
        ("fly", {}, "fly"),
    ],
)
def test_inputs_that_nobody_can_use(
    repertoire: Repertoire, controller: Controller, what: str, values: dict[str, object], message: str
):
    scene = start_scene("course", repertoire, controller)
    with pytest.raises(RandoriError, match=message):
        scene.send(what, **values)
    assert not scene.inputs


def test_an_unknown_scene(repertoire: Repertoire, controller: Controller):
    with pytest.raises(RandoriError, match="kick, punch, course"):
        start_scene("picnic", repertoire, controller)
