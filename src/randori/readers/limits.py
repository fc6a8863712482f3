"""Common parts of these programs: limits, refusing a file, sampling keys, and the answer."""

import json
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

REFUSED = 3  # the code that formats/child.py knows


def refuse(problem: str) -> NoReturn:
    """Say what is wrong with the file, and end."""
    sys.stdout.write(problem)
    sys.stdout.flush()
    sys.exit(REFUSED)


def obey(limits: dict[str, Any]) -> None:
    """Take no more time and memory than allowed; write no core."""
    try:
        import resource
    except ImportError:  # Windows: the time is watched from outside
        return
    resource.setrlimit(resource.RLIMIT_AS, (limits["memory"], limits["memory"]))
    _limit_growth(resource, limits["growth"])
    resource.setrlimit(resource.RLIMIT_CPU, (limits["seconds"], limits["seconds"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit_growth(resource: Any, growth: int) -> None:
    """Take at most so many bytes beyond those of now, where the system can tell them (Linux)."""
    os.environ["PXR_WORK_THREAD_LIMIT"] = "1"  # the stacks of threads would count as well
    try:
        with open("/proc/self/status", encoding="ascii") as file:
            now = 1024 * int(file.read().split("VmData:")[1].split()[0])
    except (OSError, IndexError, ValueError):
        return
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (now + growth, hard))


def slerp(a: np.ndarray, b: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Quaternions (F, 4) between two others, the shorter way round."""
    dot = np.sum(a * b, axis=-1, keepdims=True)
    b = np.where(dot < 0.0, -b, b)
    angle = np.arccos(np.clip(np.abs(dot), 0.0, 1.0))
    sine = np.sin(angle)
    t = share[:, None]
    near = sine < 1e-6
    safe = np.where(near, 1.0, sine)
    mixed = np.where(near, a + t * (b - a), (np.sin((1 - t) * angle) * a + np.sin(t * angle) * b) / safe)
    return mixed / np.maximum(np.linalg.norm(mixed, axis=-1, keepdims=True), 1e-12)


def sample(times: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Values (K, D) at key times (K,), at some times (F,); quaternions where D is 4."""
    first = np.clip(np.searchsorted(keys, times, side="right") - 1, 0, len(keys) - 1)
    after = np.minimum(first + 1, len(keys) - 1)
    length = keys[after] - keys[first]
    share = np.where(length > 0.0, (times - keys[first]) / np.where(length > 0.0, length, 1.0), 0.0)
    share = np.clip(share, 0.0, 1.0)
    if values.shape[1] == 4:
        return slerp(values[first], values[after], share)
    return values[first] + share[:, None] * (values[after] - values[first])


def save(
    answer: str,
    names: Sequence[str],
    parents: Sequence[int],
    bones: Sequence[bool],
    motions: Sequence[tuple[str, float, np.ndarray, np.ndarray, np.ndarray, np.ndarray]],
    unit: float | None,
    up: str | None,
) -> None:
    """Write what formats/child.py reads; the first of the motions is the pose without an animation."""
    arrays: dict[str, np.ndarray] = {"parents": np.array(parents), "bones": np.array(bones)}
    for number, (_, _, places, turns, scales, moved) in enumerate(motions):
        key = str(number - 1) if number else "rest"
        arrays |= {
            f"places_{key}": places,
            f"turns_{key}": turns,
            f"scales_{key}": scales,
            f"moved_{key}": moved,
        }
    words = {
        "names": list(names),
        "motions": [{"name": motion[0], "fps": motion[1]} for motion in motions[1:]],
        "unit": unit,
        "up": up,
    }
    text = json.dumps(words).encode()
    np.savez(answer, words=np.frombuffer(text, dtype=np.uint8), **arrays)  # type: ignore[arg-type]
