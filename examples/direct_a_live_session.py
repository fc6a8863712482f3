"""Play a scene tick by tick, change what a fighter wants while it runs, and keep the take.

python examples/direct_a_live_session.py --out live.npz
"""

import argparse
from pathlib import Path

import randori

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--out", type=Path, default=Path("live.npz"))
parser.add_argument("--seconds", type=float, default=6.0)
given = parser.parse_args()

session = randori.open_session(randori.Scene.load("boxing"))
ticks = round(given.seconds * session.fps)
for tick in range(ticks):
    if tick == ticks // 2:
        session.send("set", who="Red", key="distance", value=2.0)  # from now on Red keeps away
    session.step()
take = session.take()
take.save(given.out)
print(f"{given.out}: {take.seconds:g} s, inputs: {[sent.what for sent in session.inputs]}")
