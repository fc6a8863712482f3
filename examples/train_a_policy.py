"""Learn the table of a policy from recordings: what every action is worth in every situation.

python examples/train_a_policy.py --behaviours approach,punch --out policy.npz
"""

import argparse
from pathlib import Path

import randori

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("files", nargs="*", type=Path, help="Recordings; performed if omitted")
parser.add_argument("--behaviours", default="approach,punch,evade")
parser.add_argument("--seconds", type=float, default=60.0, help="Length of the performed recording")
parser.add_argument("--out", type=Path, default=Path("policy.npz"))
given = parser.parse_args()

files = given.files
if not files:
    files = [given.out.with_suffix(".bvh")]
    randori.save(randori.perform("boxing", seconds=given.seconds)[0].clip, files[0])
library = randori.capture_files(files)
table = randori.train_policy(library, given.behaviours.split(","))
randori.save_policy(given.out, table)
for key, value in randori.load_policy(given.out, library).report().items():
    print(f"{key}: {value}")
