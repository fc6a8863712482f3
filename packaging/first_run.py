"""How long the first picture takes: `randori demo --seconds 5` with an empty cache, and once more.

`python packaging/first_run.py [RANDORI]`; RANDORI is the command to measure, such as .venv-wheel/bin/randori.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

if sys.platform != "win32":
    import resource


def run(command: list[str], folder: Path) -> tuple[float, float]:
    """Seconds by the clock, and of all processors."""
    clock, used = time.monotonic(), _processor_seconds()
    subprocess.run(
        [*command, "demo", "--seconds", "5", "--out", str(folder / "out")],
        env={**os.environ, "RANDORI_CACHE": str(folder / "cache")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return time.monotonic() - clock, _processor_seconds() - used


def _processor_seconds() -> float:
    if sys.platform == "win32":
        return 0.0
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    words = sys.argv[1:] or [sys.executable, "-m", "randori"]
    with tempfile.TemporaryDirectory() as name:
        (first, first_used), (second, second_used) = run(words, Path(name)), run(words, Path(name))
    print(f"first  {first:6.1f} s, processors {first_used:6.1f} s")
    print(f"second {second:6.1f} s, processors {second_used:6.1f} s")
    print(f"ratio  {first / second:6.2f}")
