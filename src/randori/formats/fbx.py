"""Reading FBX, binary or text: through the package ufbx, in a process of its own."""

import os

from randori.formats.child import read_scene
from randori.formats.nodes import to_recordings
from randori.formats.recording import Recording


def read_recordings(path: str | os.PathLike[str]) -> list[Recording]:
    """All animations of all skeletons in a file."""
    return to_recordings(path, read_scene(path, "fbx", "ufbx"))
