"""Characters of the project: files with a skinned mesh, below characters/."""

from collections.abc import AsyncIterator
from pathlib import Path

from randori.characters.character import ENDINGS, load_character
from randori.errors import FileError, RandoriError
from randori.studio import messages as wire
from randori.studio.arriving import receive
from randori.studio.project import CHARACTERS, Project


def list_characters(project: Project) -> wire.CharacterList:
    """The files, as scenes name them."""
    return wire.CharacterList(
        files=[project.relative(path) for path in project.files(CHARACTERS, tuple(ENDINGS))]
    )


async def receive_character(
    project: Project, name: str, overwrite: bool, pieces: AsyncIterator[bytes]
) -> wire.CharacterFile:
    """Take a character into the project; a file that holds no character is refused."""
    if "/" in name:
        raise RandoriError(f"{name[:200]!r}: a file's name without folders is expected")
    target = project.path(name, tuple(ENDINGS), CHARACTERS)
    if target.exists() and not overwrite:
        raise RandoriError(f"characters/{name} exists already")

    def measure(path: Path, _: int) -> wire.CharacterFile:
        try:
            character = load_character(path)
        except FileError as error:
            raise FileError(name, f"no character can be read from it: {error.problem}", error.line) from None
        return wire.CharacterFile(
            file=project.relative(target), height=round(character.height, 3), joints=len(character.skeleton)
        )

    return await receive(target, pieces, measure)
