"""The report notices a trunk that folds, a head that flies and a joint that jumps."""

from dataclasses import replace

import numpy as np
import pytest

from randori.graph.joining import Walk
from randori.motion import rotations as rot
from randori.timeline.bodies import body_figures
from randori.timeline.timeline import Event, Timeline

QUIET = 40  # a frame in which nothing strikes


@pytest.fixture(scope="module")
def quiet(sparring: Timeline) -> Timeline:
    """The timeline without its hits: then only strikes are impacts."""
    return replace(sparring, events=())


def bent(walk: Walk, part: str, angle: float, rows: slice) -> Walk:
    """A walk in which a joint is turned about its x axis in some frames."""
    rotations = walk.clip.rotations.copy()
    joint = walk.clip.skeleton.joint(part)
    turn = rot.from_axis_angle(rot.X_AXIS, np.array(angle))
    rotations[rows, joint] = rot.multiply(rotations[rows, joint], turn)
    return replace(walk, clip=walk.clip.with_frames(walk.clip.root_position, rotations))


def test_people_who_box_stay_within_the_limits(quiet: Timeline, baked: list[Walk]) -> None:
    figures = body_figures(quiet, baked)
    assert 5.0 < np.degrees(figures.trunk_angle) < 80.0
    assert 0.5 < figures.head_speed < 8.0
    assert 50.0 < figures.joint_acceleration < 300.0


def test_a_trunk_that_folds_is_noticed(quiet: Timeline, baked: list[Walk]) -> None:
    folded = [bent(baked[0], "spine", 2.2, slice(QUIET, QUIET + 4)), baked[1]]
    figures = body_figures(quiet, folded)
    assert np.degrees(figures.trunk_angle) > 80.0
    assert figures.head_speed > 8.0
    assert figures.joint_acceleration > 300.0


def test_a_joint_that_jumps_is_noticed_unless_something_touches(quiet: Timeline, baked: list[Walk]) -> None:
    jumping = [bent(baked[0], "left_shin", 0.8, slice(QUIET, QUIET + 1)), baked[1]]
    assert body_figures(quiet, jumping).joint_acceleration > 300.0
    touch = Event(QUIET, "hit", 1, 0, "left_hand", "head", 3.0, (0.0, 1.5, 0.0))
    touched = replace(quiet, events=(touch,))
    assert body_figures(touched, jumping).joint_acceleration < 300.0
