"""Nobody is caught in a few postures while the opponent is far."""

import numpy as np

from randori.duel.stock import _spring_traps

# most actions start in posture 0; in posture 1 one can only step on the spot or strike one's way out
ENDS = np.array([0, 0, 1, 1, 0, 0])
HOME = 0
FREE = np.array([True, True, True, True, False, True])


def test_a_step_that_leads_nowhere_goes():
    chosen = [np.array([0, 1, 2]), np.array([3, 4])]
    _spring_traps(chosen, FREE, ENDS, HOME)
    assert [part.tolist() for part in chosen] == [[0, 1, 2], [4]]


def test_where_a_step_leads_back_all_stays():
    chosen = [np.array([0, 1, 2]), np.array([3, 4, 5])]
    _spring_traps(chosen, FREE, ENDS, HOME)
    assert [part.tolist() for part in chosen] == [[0, 1, 2], [3, 4, 5]]


def test_a_trap_without_any_way_out_is_left_alone():
    chosen = [np.array([0, 1, 2]), np.array([3])]
    _spring_traps(chosen, FREE, ENDS, HOME)
    assert [part.tolist() for part in chosen] == [[0, 1, 2], [3]]
