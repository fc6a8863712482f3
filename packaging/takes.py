"""Short takes for a wheel: the first scenes of the studio's gallery move before anything is compiled.

`python packaging/takes.py FOLDER` writes them there. A wheel without compiled kernels goes without them.
"""

import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

SCENES = ("boxing", "sword-duel", "chase")  # the first one is the fight that the page opens with
_MAKE = """
import sys
from pathlib import Path
from randori.scene.scene import Scene
from randori.studio.project import Project
from randori.studio.takes import Takes, draft_of
from randori.studio.tasks import show_in_gallery
from randori.work import finish
takes = Takes(Project(Path()))
for name in sys.argv[1:]:
    take = takes.name_of(draft_of(Scene.load(name)))
    finish(show_in_gallery(".", name, take, str(takes.path(take).with_suffix(".png"))))
"""


def packages(root: Path) -> list[str]:
    """The packages that a simulation needs: the same as Randori."""
    return list(
        tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    )


def make_takes(root: Path, compiled: Path) -> Path | None:
    """A folder with takes, made with kernels that have just been compiled; None if something is missing."""
    cache = compiled.parent
    surroundings = {**os.environ, "PYTHONPATH": str(root / "src"), "RANDORI_CACHE": str(cache)}
    with tempfile.TemporaryDirectory() as empty:
        command = [sys.executable, "-c", _MAKE, *SCENES]
        made = subprocess.run(command, env=surroundings, cwd=empty, check=False)
    return cache / "takes" if made.returncode == 0 else None


if __name__ == "__main__":
    target = Path(sys.argv[1]).resolve()
    print(make_takes(Path(__file__).parents[1], target / "kernels"))
