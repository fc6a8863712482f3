"""The actor: techniques come back to the stance wherever it stands, and combinations flow."""

import numpy as np
import pytest

from randori.performer.actor import Actor, Place
from randori.performer.liveliness import Manner
from randori.performer.proportions import BODIES
from randori.performer.script import stances, techniques

FEET = ("foot_x", "foot_z", "foot_yaw", "root_x", "root_z", "heading", "bounce")


def actor(lead: str = "left", seed: int = 1) -> Actor:
    body, guard = BODIES["average"], stances()["guard"]
    return Actor(body, guard, np.random.default_rng(seed), Manner(sloppiness=0.0), lead)


def away_from_stance(someone: Actor) -> dict[str, float]:
    """Channels that are not where the stance has them once everything is done."""
    rest = someone.stance_values()
    return {
        name: someone.tracks.final(name) - value
        for name, value in rest.items()
        if not name.endswith(FEET)
        and "_point_" not in name
        and abs(someone.tracks.final(name) - value) > 1e-9
    }


@pytest.mark.parametrize("lead", ["left", "right"])
@pytest.mark.parametrize("script", ["punches", "kicks", "defences", "footwork"])
def test_every_technique_comes_back_to_the_stance(script: str, lead: str) -> None:
    for technique in techniques(script).values():
        someone = actor(lead)
        someone.perform(technique)
        assert away_from_stance(someone) == {}, technique.name


def test_a_combination_comes_back_too_and_is_quick() -> None:
    punches = techniques("punches")
    someone = actor()
    first = someone.perform(punches["jab"])
    for name in ("cross", "hook", "cross"):
        before = someone.actions[-1]
        action = someone.perform(punches[name], flowing=True)
        assert before.impact is not None
        assert action.impact is not None
        assert 0.15 < action.impact - before.impact < 0.45
    assert first.side == "left"
    assert [action.side for action in someone.actions if action.kind == "attack"] == ["left", "right"] * 2
    assert away_from_stance(someone) == {}


def test_steps_bring_both_feet_to_the_new_stance() -> None:
    footwork = techniques("footwork")
    someone = actor()
    for name in ("step_forward", "turn_lead", "step_rear", "switch_stance", "quick_back"):
        someone.perform(footwork[name])
    for side in ("left", "right"):
        x, z, _ = someone.foot_place(side)
        assert (
            np.hypot(someone.tracks.final(f"{side}_foot_x") - x, someone.tracks.final(f"{side}_foot_z") - z)
            < 0.06
        )
    assert someone.lead == "right"
    assert someone.place.heading == pytest.approx(np.radians(45.0), rel=0.4)


def test_the_lead_side_decides_what_is_left() -> None:
    orthodox, southpaw = actor("left"), actor("right")
    for someone in (orthodox, southpaw):
        someone.perform(techniques("footwork")["step_lead"])
    assert orthodox.actions[-1].technique == "step left"
    assert southpaw.actions[-1].technique == "step right"
    assert orthodox.place.x == pytest.approx(-southpaw.place.x)


def test_places_are_seen_from_where_one_stands() -> None:
    there = Place(1.0, 2.0, np.pi / 2).moved(0.5, 0.2, 0.1)
    assert (there.x, there.z) == (pytest.approx(1.5), pytest.approx(1.8))
    assert there.heading == pytest.approx(np.pi / 2 + 0.1)
