"""Folders for files that Randori can make again."""

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """The user's cache, following the habits of each system; RANDORI_CACHE moves it."""
    if chosen := os.environ.get("RANDORI_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "randori"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "randori"
