"""How people get on: on the floor, and on the run where they brake."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from randori.capture.crawling import crawls
from randori.capture.moves import Swing
from randori.capture.signals import observe
from randori.capture.steps import Step
from randori.capture.walking import name_steps
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.performer import perform

_NOTHING: dict[str, Any] = {field.name: 0 for field in fields(Swing)}
SWING = Swing(**_NOTHING)
RUN = Step(SWING, 0, 20, 3.0, 0.0, 3.0, 3.0, 0.0, 0.0, True, False, False, False)


def on_the_belly(metres: float) -> Clip:
    """A body that lies on its front, the hands moving below it, and gets on by some metres."""
    clip = perform("boxing", seconds=3.0, seed=3)[0].clip
    rotations = clip.rotations.copy()
    rotations[:, 0] = rot.from_axis_angle(rot.X_AXIS, 0.5 * np.pi)
    places = np.linspace(0.0, metres, len(clip))[:, None] * rot.Z_AXIS
    lying = clip.with_frames(places, rotations)
    return lying.with_frames(places - lying.positions[..., 1].min() * rot.Y_AXIS, rotations)


@pytest.mark.parametrize(("metres", "direction"), [(2.0, ["front"]), (-2.0, ["back"]), (0.5, [])])
def test_a_body_that_gets_on_over_the_floor_crawls(metres: float, direction: list[str]) -> None:
    found = crawls(observe(on_the_belly(metres)))
    assert [event.tags.direction for event in found] == direction
    assert {event.tags.technique for event in found} <= {"crawl"}


def named(*steps: Step) -> list[tuple[str, str]]:
    return [(tags.technique, tags.direction) for tags in name_steps(list(steps))]


def test_a_runner_who_brakes_and_twists_makes_no_side_step() -> None:
    """The trunk turns away, so the way seems to lead aside; over the floor it stays straight."""
    twisted = replace(RUN, forward=2.0, left=1.7, before=3.5, after=2.0)
    assert [name for name, _ in named(RUN, twisted, RUN)] == ["run", "jog", "run"]
    past = replace(twisted, course=25.0)
    assert named(RUN, past, RUN)[1] == ("side step", "left")
