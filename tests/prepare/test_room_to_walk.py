"""Nobody walks into people who stand, nor over people who lie on the floor."""

import numpy as np
import pytest

from randori.prepare.characters import LYING, WALKING
from randori.prepare.controller import Controller
from randori.prepare.repertoire import Repertoire
from randori.prepare.room import BESIDE, STANDING, gap, is_free, nearest_on, pushes, way_round
from randori.prepare.scenes import PunchScene, playing

BODY = np.array([[-0.9, 2.0], [0.9, 2.0]])  # lies across the way
HERE, GOAL = np.array([0.1, 0.0]), np.array([0.1, 4.0])


def test_gaps_between_lines_on_the_floor():
    assert gap(np.stack([HERE, GOAL]), BODY) == 0.0
    assert gap(np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[0.0, 2.0], [1.0, 3.0]])) == pytest.approx(2.0)
    assert nearest_on(BODY, np.array([5.0, 5.0])).tolist() == [0.9, 2.0]


def test_the_way_leads_round_who_lies_on_it():
    place, nearest, steps = HERE.copy(), np.inf, 0
    while np.linalg.norm(GOAL - place) > 0.05 and steps < 400:
        ahead = way_round(place, GOAL, [BODY]) - place
        place += min(0.05, float(np.linalg.norm(ahead))) * ahead / np.linalg.norm(ahead)
        nearest = min(nearest, float(np.linalg.norm(place - nearest_on(BODY, place))))
        steps += 1
    assert nearest > 0.7 * BESIDE
    assert steps < 160  # 4 m straight, 0.05 m a step


def test_a_free_way_is_the_goal_itself():
    aside = np.array([3.0, 4.0])
    assert way_round(np.array([3.0, 0.0]), aside, [BODY]) is aside
    assert way_round(HERE, GOAL, []) is GOAL


def test_who_stands_too_near_steps_aside():
    places = np.array([[0.0, 0.0], [0.4, 0.0], [5.0, 5.0]])
    speed = pushes(places, np.array([True, True, True]), [])
    assert speed[0, 0] < 0.0 < speed[1, 0]
    assert not speed[2].any()
    held = pushes(places, np.array([False, True, True]), [])
    assert not held[0].any()
    assert held[1, 0] > speed[1, 0]


def test_there_is_room_or_there_is_not():
    assert is_free(np.zeros(2), [np.array([1.1 * STANDING, 0.0])], [BODY])
    assert not is_free(np.zeros(2), [np.array([0.9 * STANDING, 0.0])], [])
    assert not is_free(np.array([0.0, 2.0 - 0.9 * BESIDE]), [], [BODY])


def test_nobody_walks_over_people_who_were_struck_down(
    repertoire: Repertoire, controller: Controller, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Repertoire, "after_fall", lambda self, fall: [])  # they stay where they lie
    scene = PunchScene(repertoire, controller, seed=4)
    people, nearest, fallen = scene.characters, np.inf, 0
    for _ in playing(scene, 40 * 60):
        lying = [mind.rests for mind in people.minds if mind.mode == LYING and mind.rests is not None]
        fallen = max(fallen, len(lying))
        for body, mind in enumerate(people.minds):
            if mind.mode == WALKING:
                place = people.bodies.root[body, [0, 2]]
                gaps = [float(np.linalg.norm(place - nearest_on(one, place))) for one in lying]
                nearest = min(nearest, *gaps, np.inf)
    assert fallen >= 2
    assert nearest > 0.3
