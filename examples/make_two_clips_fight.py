"""Make two recordings fight: one boxer moves as in the first file, the other as in the second.

    python examples/make_two_clips_fight.py first.bvh second.bvh --out fight.glb

Without files, the built-in performer records both.
"""

import argparse
from pathlib import Path

import randori

SCENE = """
title = "Two recordings fight"
[motions.first]
files = ["{0}"]
[motions.second]
files = ["{1}"]
[[cast]]
name = "First"
motions = "first"
team = 0
[[cast]]
name = "Second"
motions = "second"
team = 1
"""


def record(folder: Path, seconds: float) -> list[Path]:
    """Two recordings of the built-in performer, with different bodies."""
    paths = [folder / "average.bvh", folder / "tall.bvh"]
    for path, seed in zip(paths, (1, 2)):
        randori.save(randori.perform("boxing", seconds=seconds, seed=seed, body=path.stem)[0].clip, path)
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--out", type=Path, default=Path("fight.glb"))
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--recorded", type=float, default=60.0, help="Length of a performed recording")
    given = parser.parse_args()
    files = given.files or record(given.out.parent, given.recorded)
    scene = randori.Scene.parse(SCENE.format(*(path.absolute().as_posix() for path in files)))
    take = randori.simulate(scene, seconds=given.seconds)
    take.save(given.out)
    print(f"{given.out}: {take.seconds:g} s, {len(take.events)} events")


if __name__ == "__main__":
    main()
