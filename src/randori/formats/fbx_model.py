"""The character of an FBX file, turned into a glTF document in memory."""

import os

from randori.formats.model import Model


def read_model(path: str | os.PathLike[str]) -> Model:
    raise NotImplementedError
