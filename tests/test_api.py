"""The public API: what `randori` exposes, with which signatures, documented and typed.

`python tests/test_api.py` writes tests/api.txt anew, when the API is changed on purpose.
"""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import randori
from randori.folders import cache_folder

LIST = Path(__file__).with_name("api.txt")
PAGE = Path(__file__).parents[1] / "docs" / "api.md"

SCRIPT = """
import randori
from randori import View


@randori.duel_term("ropes", least=-1.0, most=0.0)
def ropes(view: View) -> float:
    return -abs(view.x)


def fight(path: str) -> float:
    clip = randori.load(path)
    library = randori.capture_files([path])
    table: randori.PolicyTable = randori.train_policy(library)
    scene = randori.Scene.load("boxing")
    take = randori.simulate(scene, seed=1, seconds=2.0)
    take.save("fight.glb")
    session: randori.SceneSession = randori.open_session(scene)
    session.send("set", who="Red", key="distance", value=1.0)
    quality: randori.Quality = take.quality()
    lines: list[str] = randori.explain(take, 1)
    patches: randori.PatchLibrary = randori.build_patches("two-fight")
    randori.film(take.clips, "fight.mp4")
    print(quality, lines, len(patches), table.names)
    return clip.fps
"""


def listed() -> str:
    """Every public name with its signature; of classes also their public methods."""
    rows = []
    for name in sorted(set(randori.__all__) - {"__version__"}):
        thing = getattr(randori, name)
        if not inspect.isclass(thing):
            rows.append(f"{name}{_signature(thing)}")
            continue
        rows.append(f"class {name}")
        for part, member in sorted(vars(thing).items()):
            if part.startswith(("_", "model_")):
                continue
            if isinstance(member, classmethod | staticmethod):
                member = member.__func__
            if inspect.isfunction(member):
                rows.append(f"  {name}.{part}{_signature(member)}")
            elif isinstance(member, property):
                rows.append(f"  {name}.{part}")
    return "\n".join(rows) + "\n"


def _signature(function: object) -> str:
    """Parameters and defaults: types are mypy's business."""
    assert callable(function)
    signature = inspect.signature(function)
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in signature.parameters.values()]
    return re.sub(
        r" at 0x\w+", "", str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))
    )


def test_the_api_is_as_listed() -> None:
    assert listed() == LIST.read_text(encoding="utf-8")


def test_every_public_name_has_a_home_and_words() -> None:
    assert set(randori.__all__) - {"__version__"} == set(randori._HOMES)
    page = PAGE.read_text(encoding="utf-8")
    for name in randori._HOMES:
        assert inspect.getdoc(getattr(randori, name)), name
        assert f"`{name}" in page, f"docs/api.md does not speak of {name}"


def test_importing_randori_imports_nothing_heavy() -> None:
    code = (
        "import sys, randori; print([name for name in ('numba', 'numpy', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_user_script_passes_mypy_strict(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    known = cache_folder() / "tests" / "mypy"  # what it found out about files that have not changed
    known.mkdir(parents=True, exist_ok=True)
    words = ("--strict", "--follow-imports=silent", "--config-file=", f"--cache-dir={known}")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words, script.name],
        cwd=tmp_path,
        env={"MYPYPATH": str(Path(randori.__file__).parents[1]), "PATH": "", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_are_in_the_package() -> None:
    assert (Path(randori.__file__).parent / "py.typed").is_file()


if __name__ == "__main__":
    LIST.write_text(listed(), encoding="utf-8")
