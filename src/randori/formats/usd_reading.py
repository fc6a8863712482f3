"""Reading USD (UsdSkel): through the package usd-core, in a process of its own."""

import os

from randori.formats.child import read_scene
from randori.formats.nodes import to_recordings
from randori.formats.recording import Recording


def read_recordings(path: str | os.PathLike[str]) -> list[Recording]:
    """The animations of all skeletons in a file."""
    return to_recordings(path, read_scene(path, "usd", "pxr"))
