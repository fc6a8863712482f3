"""Build interaction patches, short interactions of two characters, and list the best of them.

python examples/build_patches.py two-fight
"""

import argparse
from pathlib import Path

import numpy as np

import randori

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("patterns", nargs="?", default="two-fight", help="A shipped name or a .toml file")
parser.add_argument("--out", type=Path, default=Path("patches.npz"))
given = parser.parse_args()

patches = randori.build_patches(given.patterns)
randori.save_patches(given.out, patches)
print(f"{len(patches)} patches")
for number in np.argsort(-patches.arrays.score, kind="stable")[:5]:
    print(
        f"patch {number}: score {patches.arrays.score[number]:.2f}, {patches.patch(int(number)).ticks} ticks"
    )
