"""The fast tests on every Python that is found, with the lowest and the newest versions of all packages.

    python packaging/matrix.py                       all of it
    python packaging/matrix.py 3.11-lowest           one of them
    python packaging/matrix.py 3.13-newest -- tests/formats   some of the tests

The lowest versions are the bounds of pyproject.toml. Environments stay in .venv-matrix/ until `make clean`.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
VERSIONS = ("lowest", "newest")
_BOUND = re.compile(r"([A-Za-z0-9._-]+)>=([0-9.]+)")
_TESTING = ("pytest", "pytest-xdist", "hypothesis", "scipy")  # of the development packages: what tests import


def find_python(version: str) -> str | None:
    """A Python of a version: one that answers to its name, from pyenv, or the one that runs this."""
    if f"{sys.version_info[0]}.{sys.version_info[1]}" == version:
        return sys.executable
    candidates = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"), reverse=True)
    for path in (*map(str, candidates), shutil.which(f"python{version}")):
        if path and subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0:
            return path
    return None


def lower_bounds() -> list[str]:
    """The lowest version of every package that is asked for, pinned."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [f"{name}=={version}" for name, version in _BOUND.findall(" ".join(project["dependencies"]))]


def prepare(python: str, environment: Path, versions: str) -> None:
    """An environment with Randori in it."""
    if (environment / "ready").is_file():
        return
    shutil.rmtree(environment, ignore_errors=True)
    subprocess.run([python, "-m", "venv", str(environment)], check=True)
    pip = [
        str(environment / "bin" / "python"),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]
    subprocess.run([*pip, *_TESTING], check=True)
    pinned = lower_bounds() if versions == "lowest" else ["--upgrade"]
    subprocess.run([*pip, "--editable", str(ROOT), *pinned], check=True)
    (environment / "ready").touch()


def run(name: str, tests: list[str]) -> str:
    """How the tests end in one environment."""
    version, _, versions = name.partition("-")
    python = find_python(version)
    if python is None:
        return "no such Python here"
    environment = ROOT / ".venv-matrix" / name
    try:
        prepare(python, environment, versions)
    except subprocess.CalledProcessError:
        return "cannot be installed"
    command = [str(environment / "bin" / "python"), "-m", "pytest", "-m", "not slow", "-n", "2", *tests]
    # kernels of each environment in a cache of its own, or they would push each other out
    surroundings = os.environ | {
        "RANDORI_CACHE": str(environment / "cache"),
        "PYTHONPATH": str(ROOT / "tests"),
    }
    done = subprocess.run(command, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=False)
    (environment / "tests.log").write_text(done.stdout + done.stderr, encoding="utf-8")
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    return f"{'passed' if done.returncode == 0 else 'FAILED'}: {lines[-1] if lines else 'no output'}"


def main() -> None:
    words, _, tests = " ".join(sys.argv[1:]).partition("--")
    chosen = words.split() or [f"{python}-{versions}" for python in PYTHONS for versions in VERSIONS]
    failed = False
    for name in chosen:
        found = run(name, tests.split())
        failed |= found.startswith(("FAILED", "cannot"))
        print(f"{name}: {found}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
