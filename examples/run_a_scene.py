"""Simulate a shipped scene, say how good it is, and explain its first decision.

python examples/run_a_scene.py boxing --seconds 20
"""

import argparse

import randori

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("scene", nargs="?", default="boxing", choices=randori.shipped_scenes())
parser.add_argument("--seconds", type=float, default=10.0)
parser.add_argument("--seed", type=int, default=1)
given = parser.parse_args()

take = randori.simulate(randori.Scene.load(given.scene), seed=given.seed, seconds=given.seconds)
print(take.quality())
for event in take.events:
    print(f"{event.tick / take.fps:6.2f} s  {event.kind}")
if take.decisions:
    print(*randori.explain(take, 1), sep="\n")
