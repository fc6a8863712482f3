"""Find the actions in recordings, count them, and keep them as a library.

python examples/capture_a_library.py recordings/*.bvh --out library.npz
"""

import argparse
from pathlib import Path

import randori

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("files", nargs="*", type=Path)
parser.add_argument("--out", type=Path, default=Path("library.npz"))
parser.add_argument("--seconds", type=float, default=30.0, help="Length, where nothing is given to read")
given = parser.parse_args()

files = given.files
if not files:
    files = [given.out.with_suffix(".bvh")]
    randori.save(randori.perform("boxing", seconds=given.seconds)[0].clip, files[0])
library = randori.capture_files(files)
randori.save_library(given.out, library)
for name, count in randori.load_library(given.out).counts().items():
    print(f"{count:4d}  {name}")
