"""One hash over all that a module depends on: any edit there changes it, an edit elsewhere does not."""

import ast
import shutil
from pathlib import Path

import pytest

import randori
from randori.sources import Sources, source_hash

PACKAGE = Path(randori.__file__).parent


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(PACKAGE, tmp_path / "randori", ignore=shutil.ignore_patterns("__pycache__", "page"))
    return tmp_path / "randori"


def depends(module: str) -> set[str]:
    return {path.relative_to(PACKAGE).as_posix() for path in Sources(PACKAGE).files_of(module)}


def test_an_edit_of_any_dependency_changes_the_hash_and_no_other_edit_does(copy: Path):
    module = "randori.kernels.duel_search"
    before = Sources(copy).hash_of(module)
    assert before == source_hash(module)  # the same files elsewhere
    used = Sources(copy).files_of(module)
    assert copy / "kernels" / "contact.py" in used  # which it uses by way of others
    others = [path for path in (copy / "kernels").glob("*.py") if path not in used]
    assert others
    for path, matters in [(path, True) for path in used] + [(path, False) for path in others]:
        text = path.read_bytes()
        path.write_bytes(text + b"\n")
        assert (Sources(copy).hash_of(module) != before) == matters, path
        path.write_bytes(text)
    assert Sources(copy).hash_of(module) == before


def test_a_performed_library_depends_on_the_kernels_and_the_scripts_of_the_performer():
    used = depends("randori.graph.performed")
    kernels = ("ragdoll", "kinematics", "rotation", "submovements")
    assert {f"kernels/{name}.py" for name in kernels} <= used
    scripts = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.glob("performer/scripts/*.toml")}
    assert scripts
    assert scripts <= used
    assert not any(name.startswith(("duel/", "studio/", "kernels/duel")) for name in used)


def test_patches_depend_on_the_kernels_that_feel_contact_but_not_on_scenes_that_are_given():
    used = depends("randori.patches.prepared")
    assert "kernels/contact.py" in used
    assert not any("scenes/" in name for name in used)


def test_a_take_depends_on_the_annotations_of_the_duel():
    assert "duel/annotations.toml" in depends("randori.scene.run")


def test_imports_are_those_that_the_parser_finds():
    for path in PACKAGE.rglob("*.py"):
        found = set(Sources(PACKAGE)._source(path).used)
        assert {one for one in found if one.suffix == ".py"} == parsed(path), path


def parsed(path: Path) -> set[Path]:
    """The modules of Randori that a file imports, except for types only."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    only_for_types = {
        id(node)
        for block in tree.body
        if isinstance(block, ast.If) and isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    names = []
    for node in ast.walk(tree):
        if id(node) in only_for_types:
            continue
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write the whole name, not a relative one"
            names += [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
    files = set()
    for name in names:
        if name.split(".")[0] == "randori":
            stem = PACKAGE.joinpath(*name.split(".")[1:])
            for file in (stem.parent / f"{stem.name}.py", stem / "__init__.py"):
                if file.is_file():
                    files.add(file)
                    break
    return files


def test_an_unknown_module_is_named():
    with pytest.raises(ModuleNotFoundError, match=r"randori\.nowhere"):
        source_hash("randori.nowhere")
