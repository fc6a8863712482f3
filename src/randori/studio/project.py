"""The folder that the studio works in. No path that a page names leads out of it."""

import re
from collections.abc import Iterator
from pathlib import Path

from randori.errors import RandoriError
from randori.formats.files import DEVICES

SCENES, RECORDINGS, TAKES, EXPORTS = "scenes", "recordings", "takes", "exports"
CHARACTERS = "characters"
_LONGEST_NAME = 200  # characters
_FORBIDDEN_CHARACTERS = re.compile(r'[\x00-\x1f<>:"|?*%\\]')


class Project:
    """Scenes (*.toml) anywhere in it, recordings/, characters/, takes/ and exports/."""

    def __init__(self, folder: Path):
        self.folder = folder.resolve()
        if not self.folder.is_dir():
            raise RandoriError(f"{folder}: there is no such folder; the studio needs one to work in")

    @property
    def name(self) -> str:
        return self.folder.name or str(self.folder)

    def path(self, name: str, endings: tuple[str, ...], below: str = "") -> Path:
        """A file of the project that a page has named; it need not be there yet."""
        parts = name.split("/")
        for part in parts:
            fine = part.strip() == part and part not in ("", ".", "..") and not part.startswith(".")
            if (
                not fine
                or _FORBIDDEN_CHARACTERS.search(part)
                or DEVICES.fullmatch(part)
                or part.endswith(".")
            ):
                raise RandoriError(
                    f"{name[:_LONGEST_NAME]!r} is no name of a file in the project: use letters, digits, "
                    "spaces, - and _, and / between folders"
                )
        if len(name) > _LONGEST_NAME:
            raise RandoriError(f"{name[:40]!r}… is too long for the name of a file")
        if not name.lower().endswith(endings):
            raise RandoriError(f"{name!r}: a file that ends in {' or '.join(endings)} is expected")
        return self._inside(self.folder / below / name, name)

    def _inside(self, path: Path, name: str) -> Path:
        """A path, after every link has been followed."""
        if not path.resolve().is_relative_to(self.folder):
            raise RandoriError(f"{name!r} lies outside the project's folder")
        return path

    def check_inside(self, path: Path, what: str) -> Path:
        """A path that a scene names."""
        if not path.resolve().is_relative_to(self.folder):
            raise RandoriError(
                f"{what} lies outside the project's folder; open the studio in a folder that holds both"
            )
        return path

    def relative(self, path: Path) -> str:
        """The name of a file as a page uses it."""
        return path.relative_to(self.folder).as_posix()

    def scenes(self) -> Iterator[Path]:
        """The scene files: in the project's folder and in scenes/ below it."""
        for folder in (self.folder, self.folder / SCENES):
            for path in sorted(folder.glob("*.toml")):
                if (
                    path.is_file()
                    and not path.name.endswith(".actions.toml")
                    and path.name != "pyproject.toml"
                ):
                    yield path

    def files(self, below: str, endings: tuple[str, ...]) -> Iterator[Path]:
        """The files of one of its folders, in order."""
        folder = self.folder / below
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.is_file() and path.name.lower().endswith(endings) and not path.name.startswith("."):
                yield path
