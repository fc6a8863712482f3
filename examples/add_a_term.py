"""Your own scoring term and your own rule, in twenty lines of Python.

    python examples/add_a_term.py --out ring.npz && randori inspect ring.npz --why 1

Boxers in a small ring avoid the ropes, and may not step over them.
"""

import argparse
from pathlib import Path

import randori
from randori import View, duel_rule, duel_term

RING = 1.5  # metres from the middle to the ropes


@duel_term("ropes", least=-1.0, most=0.0, weight=2e5)
def ropes(view: View) -> float:
    near = max(abs(view.x), abs(view.z - 1.0)) - RING + 1.0  # more than 0 in the last metre
    return -min(max(near, 0.0), 1.0)


@duel_rule("leaves the ring")
def leaves_the_ring(view: View) -> bool:
    return max(abs(view.x), abs(view.z - 1.0)) > RING


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--out", type=Path, default=Path("ring.npz"))
parser.add_argument("--seconds", type=float, default=10.0)
given = parser.parse_args()
take = randori.simulate(randori.Scene.load("boxing"), seconds=given.seconds)
take.save(given.out)
print(*randori.explain(take, 1), sep="\n")
