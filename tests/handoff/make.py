"""Writes what is handed over to Blender: GLB and BVH files, and where every joint must be in every frame."""

import json
import sys
from pathlib import Path

import numpy as np

from randori.motion.clip import Clip
from randori.performer import perform
from randori.scene.export import save
from rigs import folded


def write_expected(folder: Path, name: str, clips: list[Clip]) -> None:
    """Joint names, frame rate and positions (F, J, 3) of each character."""
    for number, clip in enumerate(clips):
        positions = clip.positions.astype(np.float64)
        np.savez(
            folder / f"{name}.{number}.npz",
            positions=positions,
            fps=clip.fps,
            names=json.dumps(clip.skeleton.names),
        )


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    average = perform("boxing", seconds=4.0, seed=3)[0].clip
    tall = perform("boxing", seconds=4.0, seed=4, body="tall")[0].clip
    heap = folded(average, seed=3)  # a rig that calls a heap of bones zero
    for name, cast in (("one", [average]), ("two", [heap, tall])):
        save(cast, folder / f"{name}.glb")
        write_expected(folder, name, cast)
    save(average, folder / "one.bvh")
    save(heap, folder / "heap.bvh")
    write_expected(folder, "heap", [heap])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
