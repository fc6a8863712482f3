"""Wheel, source distribution and a software bill of materials, built twice: both times to the same bytes.

    python packaging/release.py dist

The wheel is the one for every machine (RANDORI_PURE_WHEEL=1): compiled kernels contain names that Numba makes
up again each time. Times in the archives are that of the last commit.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def build(folder: Path) -> dict[str, str]:
    """Build wheel and source distribution; the hash of each file by its name."""
    surroundings = os.environ | {"RANDORI_PURE_WHEEL": "1", "SOURCE_DATE_EPOCH": commit_time()}
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run([*command, "--wheel"], check=True, env=surroundings, stdout=subprocess.DEVNULL)
    subprocess.run([*command, "--sdist"], check=True, env=surroundings, stdout=subprocess.DEVNULL)
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def commit_time() -> str:
    """Seconds since 1970 of the last commit, or a day in 2024 where there is no repository."""
    done = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or "1704067200"


def bill_of_materials(files: dict[str, str]) -> dict[str, Any]:
    """The bill of materials in CycloneDX: the packages that Randori runs with, and those in its page."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = re.search(r'__version__ = "(.*)"', (ROOT / "src/randori/__init__.py").read_text())
    assert version is not None
    components = [_python(word, "required") for word in project["dependencies"]]
    components += [_python(word, "optional") for word in project["optional-dependencies"]["usd"]]
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text(encoding="utf-8"))
    components += [
        _node(name.removeprefix("node_modules/"), row)
        for name, row in sorted(lock["packages"].items())
        if name and not row.get("dev")
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "name": "randori",
                "version": version[1],
                "licenses": [{"license": {"id": project["license"]}}],
            },
            "properties": [{"name": f"sha256:{name}", "value": digest} for name, digest in files.items()],
        },
        "components": components,
    }


def _python(requirement: str, scope: str) -> dict[str, Any]:
    """A package that Randori asks for: the range, and the version that it was built beside."""
    found = _NAME.match(requirement)
    assert found is not None
    name = found.group()
    row: dict[str, Any] = {"type": "library", "name": name, "scope": scope}
    row["properties"] = [{"name": "asked for", "value": requirement}]
    try:
        installed = distribution(name)
    except PackageNotFoundError:
        return row
    row |= {"version": installed.version, "purl": f"pkg:pypi/{name}@{installed.version}"}
    words = installed.metadata.get("License-Expression") or installed.metadata.get("License") or ""
    if words and len(words) < 80:
        row["licenses"] = [{"license": {"name": words}}]
    return row


def _node(name: str, row: dict[str, Any]) -> dict[str, Any]:
    """A package that is built into the page."""
    return {
        "type": "library",
        "name": name,
        "version": row["version"],
        "scope": "required",
        "purl": f"pkg:npm/{name}@{row['version']}",
        "licenses": [{"license": {"name": row.get("license", "unknown")}}],
    }


def main(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for old in [*out.glob("randori-*"), *out.glob("SHA256SUMS")]:
        old.unlink()
    files = build(out)
    with tempfile.TemporaryDirectory() as folder:
        if (again := build(Path(folder))) != files:
            raise SystemExit(f"not the same bytes the second time: {files}, {again}")
    sums = "".join(f"{digest}  {name}\n" for name, digest in files.items())
    (out / "SHA256SUMS").write_text(sums, encoding="utf-8")
    text = json.dumps(bill_of_materials(files), indent=2)
    (out / "randori-bom.cdx.json").write_text(text + "\n", encoding="utf-8")
    print(sums, end="")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "dist"))
