"""Fight twice, with another distance for one boxer, and compare how often each is hit.

python examples/compare_styles.py --distance 1.6
"""

import argparse

import randori

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--distance", type=float, default=1.6, help="Metres that Red keeps, the second time")
parser.add_argument("--seconds", type=float, default=15.0)
given = parser.parse_args()

scene = randori.Scene.load("boxing")
red, blue = scene.cast
cautious = red.model_copy(update={"weights": {"distance": given.distance}})
for title, version in (("as shipped", scene), ("at a distance", scene.changed(cast=(cautious, blue)))):
    take = randori.simulate(version, seconds=given.seconds)
    hits = [event.whom for event in take.events if event.kind == "hit"]
    print(f"{title}: Red is hit {hits.count(0)} times, Blue {hits.count(1)} times")
