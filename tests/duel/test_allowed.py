"""What a fighter considers if nothing is plausible: it does not strike the air."""

import numpy as np
import pytest

from randori.duel.fight import _allowed
from randori.kernels.duel_rules import ENDS_INSIDE, LOOKS_AWAY, OUT_OF_RANGE, PLAUSIBLE

STEP, ATTACK = False, True


@pytest.mark.parametrize(
    ("choices", "kept"),
    [
        ([(OUT_OF_RANGE, ATTACK), (LOOKS_AWAY, STEP), (LOOKS_AWAY + 1, STEP)], [2]),
        ([(OUT_OF_RANGE, ATTACK), (PLAUSIBLE, STEP)], [1]),
        ([(PLAUSIBLE, ATTACK), (PLAUSIBLE, STEP), (OUT_OF_RANGE, ATTACK)], [0, 1]),
        # a body in the way is worse than a strike at the air, and there may be nothing else
        ([(OUT_OF_RANGE, ATTACK), (ENDS_INSIDE, STEP)], [0]),
        ([(OUT_OF_RANGE, ATTACK), (LOOKS_AWAY, ATTACK)], [0]),
    ],
)
def test_an_attack_that_breaks_a_rule_comes_last(choices: list[tuple[int, bool]], kept: list[int]) -> None:
    broken, attacks = (np.array(column) for column in zip(*choices))
    free = np.zeros(len(choices))
    assert _allowed(broken, free, free > 0.0, attacks, alert=False).tolist() == kept
