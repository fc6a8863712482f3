"""Reads what Blender wrote as FBX and glTF, and compares it joint by joint with what it was given as BVH."""

import json
import sys
from pathlib import Path

import numpy as np

from randori.formats import load

TOLERANCE = 0.001  # metres


def main(folder: Path) -> None:
    good = True
    for path in sorted([*folder.glob("*.back.fbx"), *folder.glob("*.back.glb")]):
        expected = np.load(folder / f"{path.name.split('.')[0]}.0.npz")
        clip = load(path)
        names, positions = json.loads(str(expected["names"])), expected["positions"]
        joints = [clip.skeleton.names.index(name) for name in names]
        same = len(clip) == len(positions) and abs(clip.fps - float(expected["fps"])) < 0.01
        worst = np.abs(clip.positions[:, joints] - positions).max() if same else np.inf
        good &= bool(worst < TOLERANCE)
        size = f"{len(clip.skeleton)} joints, {len(clip)} frames at {clip.fps:g} a second"
        print(
            f"{'ok    ' if worst < TOLERANCE else 'FAILED'} {path.name}: {size}, worst {1000 * worst:.4f} mm"
        )
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
