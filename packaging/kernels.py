"""Compile the kernels for a wheel, for a processor that most machines have at least.

Randori compiles them itself where they do not fit (another Python, Numba or processor) or are not there.
RANDORI_PURE_WHEEL=1 leaves them out: then the wheel is for every machine.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.util import find_spec
from pathlib import Path

PACKAGES = [
    "numba>=0.62",
    "numpy>=2.0",
]  # to compile with; the newest, as a new installation of the wheel gets them


def is_wanted() -> bool:
    return os.environ.get("RANDORI_PURE_WHEEL", "") in ("", "0")


def compile_kernels(root: Path) -> Path | None:
    """A folder with the compiled kernels of all recorded commands; None without a compiler."""
    if not is_wanted() or find_spec("numba") is None:
        return None
    sys.path.insert(0, str(root / "src"))
    try:
        from randori.kernels.cache import baseline
        from randori.kernels.recorded import read_record
    finally:
        sys.path.pop(0)
    name, features = baseline()
    folder = Path(tempfile.mkdtemp(prefix="randori-kernels-"))
    surroundings = {
        **os.environ,
        "PYTHONPATH": str(root / "src"),
        "RANDORI_CACHE": str(folder),
        "NUMBA_CPU_NAME": name,
        "NUMBA_CPU_FEATURES": features,
    }
    command = [sys.executable, "-m", "randori.kernels.ahead", *read_record()]
    processes = [
        subprocess.Popen(command, env=surroundings, stdin=subprocess.PIPE) for _ in range(os.cpu_count() or 1)
    ]
    ended = [process.wait() for process in processes]
    if any(ended):
        raise SystemExit("the kernels could not be compiled; RANDORI_PURE_WHEEL=1 makes a wheel without them")
    compiled = folder / "kernels"
    for path in [*compiled.rglob("*.lock"), *compiled.rglob("*.tmp.*")]:
        path.unlink()
    return compiled


def remove(compiled: Path) -> None:
    shutil.rmtree(compiled.parent)


def platform_tag() -> str:
    """The wheel's tag. Compiled kernels are linked to nothing but Python's own process: any Linux will do."""
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"py3-none-{platform.replace('linux_', 'manylinux_2_17_')}"
