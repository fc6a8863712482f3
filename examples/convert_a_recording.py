"""Read a recording in any format, describe it, and write it as GLB.

python examples/convert_a_recording.py walk.bvh walk.glb
"""

import argparse
from pathlib import Path

import randori

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("source", nargs="?", type=Path, help="BVH, FBX, glTF, AMC, C3D …; performed if omitted")
parser.add_argument("out", nargs="?", type=Path, default=Path("recording.glb"))
given = parser.parse_args()

clip = randori.load(given.source) if given.source else randori.perform("boxing", seconds=5.0)[0].clip
print(f"{clip.name}: {len(clip)} frames at {clip.fps:g} per second, {len(clip.skeleton.names)} joints")
print("lowest point:", round(float(clip.positions[..., 1].min()), 3), "m")
for path in randori.save(clip, given.out):
    print(path)
