"""How the director leads fighters to their goals."""

import numpy as np
import pytest

from randori.duel.director import Director, Props
from randori.duel.goals import Checkpoint


def director(*checkpoints: Checkpoint) -> Director:
    return Director([0, 1], checkpoints, Props(), lambda who, word: np.array([], dtype=np.int64), 1, 60.0)


RED, BLUE = 0, 1
APART = director(Checkpoint((2.0, 0.0), 0.3, who=(RED,)), Checkpoint((-2.0, 0.0), 0.3, who=(BLUE,)))


@pytest.mark.parametrize("beside", [-0.3, 0.3])
def test_fighters_that_have_to_change_places_pass_each_other(beside: float) -> None:
    here = np.array([[-0.5, beside], [0.5, 0.0]])
    red = APART.detour(RED, np.array([2.0, 0.0]), here)
    blue = APART.detour(BLUE, np.array([-2.0, 0.0]), here)
    assert red[1] * beside > 0.0  # each on the side that it is on already
    assert (blue - here[RED])[1] * beside < 0.0
    assert np.linalg.norm(red - here[BLUE]) == pytest.approx(0.8)


def test_a_free_way_is_taken() -> None:
    goal = np.array([2.0, 0.0])
    assert APART.detour(RED, goal, np.array([[-0.5, 0.0], [-1.5, 0.0]])) is goal  # the opponent is behind
    assert APART.detour(RED, goal, np.array([[-0.5, 0.0], [0.5, 1.0]])) is goal  # … beside the way
    assert APART.detour(RED, goal, np.array([[-0.5, 0.0], [2.5, 0.0]])) is goal  # … beyond the goal
    assert APART.detour(RED, goal, np.array([goal, [2.5, 0.0]])) is goal


def test_opponents_with_one_checkpoint_go_there_together() -> None:
    both, goal = director(Checkpoint((2.0, 0.0), 0.3)), np.array([2.0, 0.0])
    assert both.detour(RED, goal, np.array([[-0.5, 0.0], [0.5, 0.0]])) is goal
