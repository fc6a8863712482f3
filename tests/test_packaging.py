"""What is handed out: the bounds of packages, locked packages of the page, a list of all that is in it."""

import importlib.util
import json
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


def _tool(name: str) -> ModuleType:
    """A program of packaging/, which has the name of a package that everybody has."""
    spec = importlib.util.spec_from_file_location(f"randori_{name}", ROOT / "packaging" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("folder", [".", "web"])
def test_packages_of_the_page_are_locked_without_addresses(folder: str):
    lock = json.loads((ROOT / folder / "package-lock.json").read_text())["packages"]
    asked = json.loads((ROOT / folder / "package.json").read_text())
    for name in (*asked.get("dependencies", {}), *asked.get("devDependencies", {})):
        assert f"node_modules/{name}" in lock
    for name, row in lock.items():
        assert "resolved" not in row, name
        assert not name or row["integrity"].startswith("sha512-"), name
        for other in row.get("optionalDependencies", {}):  # `npm ci` wants those of every system
            assert f"node_modules/{other}" in lock, other


def test_every_package_has_a_lowest_version():
    bounds = _tool("matrix").lower_bounds()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert len(bounds) == len(project["dependencies"])
    numbers = dict(word.split("==") for word in bounds)
    compiler = dict(word.split(">=") for word in _tool("kernels").PACKAGES)
    assert {name: numbers[name] for name in compiler} == compiler


def test_the_bill_of_materials_names_everything():
    bill = _tool("release").bill_of_materials({"randori.whl": "0" * 64})
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {row["name"] for row in bill["components"]}
    for word in project["dependencies"]:
        assert re.match(r"[\w.-]+", word)[0] in names
    assert "three" in names
    assert "vite" not in names  # builds the page, and is not in it
    assert bill["metadata"]["properties"] == [{"name": "sha256:randori.whl", "value": "0" * 64}]
    assert all(row.get("version") for row in bill["components"] if row["scope"] == "required")
