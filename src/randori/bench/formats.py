"""Speed of reading a BVH file: Randori beside numpy and the packages that people install for it."""

import gc
import importlib.util
import statistics
import tempfile
import time
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path

import numpy as np

from randori.bench.tables import Table, check_part
from randori.formats import bvh, load
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.parts import find_parts
from randori.motion.skeleton import Skeleton

FRAMES, _FEW_FRAMES = 5_000, 300
_RUNS, _FEW_RUNS = 15, 1
_SECONDS = 3.0  # that one of them is run for at most

# A body of 1.75 m with the joints of the CMU recordings: (name, parent, centimetres from the parent).
_MIDDLE: list[tuple[str, str | None, tuple[float, float, float]]] = [
    ("Hips", None, (0, 0, 0)),
    ("LowerBack", "Hips", (0, 2, 0)),
    ("Spine", "LowerBack", (0, 11, 0)),
    ("Spine1", "Spine", (0, 12, 0)),
    ("Neck", "Spine1", (0, 14, 0)),
    ("Neck1", "Neck", (0, 9, 1)),
    ("Head", "Neck1", (0, 8, 1)),
]
# the same for the left side; the right one mirrors it
_LEFT_JOINTS: list[tuple[str, str, tuple[float, float, float]]] = [
    ("LHipJoint", "Hips", (0, 0, 0)),
    ("LeftUpLeg", "LHipJoint", (9, -6, 0)),
    ("LeftLeg", "LeftUpLeg", (0, -43, 0)),
    ("LeftFoot", "LeftLeg", (0, -41, 0)),
    ("LeftToeBase", "LeftFoot", (0, -5, 13)),
    ("LeftShoulder", "Spine1", (0, 11, 0)),
    ("LeftArm", "LeftShoulder", (17, 0, 0)),
    ("LeftForeArm", "LeftArm", (28, 0, 0)),
    ("LeftHand", "LeftForeArm", (24, 0, 0)),
    ("LeftFingerBase", "LeftHand", (8, 0, 0)),
    ("LeftHandIndex1", "LeftFingerBase", (4, 0, 0)),
    ("LThumb", "LeftHand", (3, 0, 3)),
]


def running(only: str | None = None, quick: bool = False) -> Generator[float, None, list[Table]]:
    """A table: reader, milliseconds (median), ratio to numpy.loadtxt, and result."""
    check_part(only)
    clip = made_up_clip(_FEW_FRAMES if quick else FRAMES)
    with tempfile.TemporaryDirectory() as folder:
        path, motion = Path(folder) / "made_up.bvh", Path(folder) / "motion.txt"
        bvh.write(path, clip)
        motion.write_text(path.read_text().partition("Frame Time")[2].split("\n", 1)[1])
        size = f"{path.stat().st_size / 1e6:.1f} MB"

        measured: list[tuple[str, str, Callable[[], object] | None]] = [
            ("numpy.loadtxt", f"the numbers alone, {size}", lambda: np.loadtxt(motion)),
            ("Randori load", "clip in metres, Y up; unit, up, T-pose, body parts found", lambda: load(path)),
            *_others(path),
            ("Randori write", f"{size}, whole on the disk", lambda: bvh.write(path, clip)),
        ]
        actions = [action for _, _, action in measured]
        times = yield from _median_times(actions, _FEW_RUNS if quick else _RUNS)
    baseline = times[0]
    rows = [
        {
            "what": name,
            "ms": "not installed" if seconds is None else round(seconds * 1e3, 1),
            "× loadtxt": "" if seconds is None or baseline is None else round(seconds / baseline, 2),
            "gives": gives,
        }
        for (name, gives, _), seconds in zip(measured, times)
    ]
    return [Table("formats", rows)]


def _others(path: Path) -> list[tuple[str, str, Callable[[], object] | None]]:
    """The other readers: name, result, and the call that reads a file; None if a reader is not installed."""

    def read_with_pybvh() -> object:
        import pybvh

        return pybvh.read_bvh_file(path)

    def read_with_pymotion() -> object:
        from pymotion.io.bvh import BVH

        reader = BVH()
        reader.load(str(path))
        return reader.get_data()

    def read_with_bvh() -> object:
        from bvh import Bvh

        return Bvh(path.read_text())

    def read_with_bvhio() -> object:
        import bvhio

        return bvhio.readAsBvh(str(path))

    readers = [
        ("pybvh", "pybvh", "Euler angles", read_with_pybvh),
        ("upc-pymotion", "pymotion", "quaternions", read_with_pymotion),
        ("bvh", "bvh", "words, not yet numbers", read_with_bvh),
        ("bvhio", "bvhio", "an object for each joint and frame", read_with_bvhio),
    ]
    return [
        (name, gives, reader if importlib.util.find_spec(module) else None)
        for name, module, gives, reader in readers
    ]


def _median_times(
    actions: list[Callable[[], object] | None], runs: int
) -> Generator[float, None, list[float | None]]:
    """Seconds for each reader. They take turns, so that other load on the machine slows all of them."""
    times: list[list[float]] = [[] for _ in actions]
    for run in range(runs + 1):
        yield run / (runs + 1)
        for action, measured in zip(actions, times):
            if action is not None and sum(measured) < _SECONDS:
                seconds = _time(action)
                # the first run compiles, imports and fills the disk's cache
                measured += [seconds] if run else []
    return [statistics.median(measured) if measured else None for measured in times]


def _time(action: Callable[[], object]) -> float:
    """Seconds for one run, with garbage collection off, as in `timeit`."""
    gc.collect()
    gc.disable()
    start = time.perf_counter()
    try:
        action()
        return time.perf_counter() - start
    finally:
        gc.enable()


def made_up_clip(frames: int, fps: float = 120.0) -> Clip:
    """A body of 31 joints that walks in a circle, as smooth as a recording and with as many digits."""
    right = [(_right(name), _right(parent), (-x, y, z)) for name, parent, (x, y, z) in _LEFT_JOINTS]
    rows = [*_MIDDLE, *_LEFT_JOINTS, *right]
    skeleton = Skeleton.build(rows).scaled(0.01)
    parts = find_parts(skeleton.names, skeleton.parents)
    skeleton = replace(skeleton, parts=parts)

    times = np.arange(frames) / fps
    chance = np.random.default_rng(1)
    speed, phase = chance.uniform(1.0, 6.0, (2, len(skeleton), 3))  # radians a second; radians
    sway = 0.15 * np.sin(speed * times[:, None, None] + phase)  # (F, J, 3) every joint moves a little
    stride = np.sin(2.0 * np.pi * times)  # a step takes half a second
    for side, sign in (("left", 1.0), ("right", -1.0)):
        sway[:, parts[f"{side}_thigh"], 0] += -0.5 * sign * stride
        sway[:, parts[f"{side}_shin"], 0] += 0.5 + 0.4 * sign * stride
        sway[:, parts[f"{side}_upper_arm"], 2] -= sign * 1.2
    rotations = rot.from_rotation_vector(sway)
    angle = 0.3 * times
    rotations[:, 0] = rot.multiply(rot.from_yaw(angle), rotations[:, 0])
    height = 0.95 + 0.02 * np.cos(4.0 * np.pi * times)
    root_position = np.stack([-3.0 * np.cos(angle), height, 3.0 * np.sin(angle)], axis=-1)
    return Clip("made_up", skeleton, fps, root_position, rotations)


def _right(name: str) -> str:
    return name.replace("Left", "Right").replace("LHip", "RHip").replace("LThumb", "RThumb")
