"""Randori: scenes of interacting characters from motion captured one person at a time."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from randori.errors import RandoriError
    from randori.formats import load
    from randori.graph.recordings import capture_files
    from randori.motion.clip import Clip
    from randori.motion.skeleton import Skeleton
    from randori.performer import perform
    from randori.scene.export import save
    from randori.scene.run import simulate
    from randori.scene.scene import Scene
    from randori.scene.take import Take

__all__ = [
    "Clip",
    "RandoriError",
    "Scene",
    "Skeleton",
    "Take",
    "__version__",
    "capture_files",
    "load",
    "perform",
    "save",
    "simulate",
]

_HOMES = {
    "Clip": "randori.motion.clip",
    "RandoriError": "randori.errors",
    "Scene": "randori.scene.scene",
    "Skeleton": "randori.motion.skeleton",
    "Take": "randori.scene.take",
    "capture_files": "randori.graph.recordings",
    "load": "randori.formats",
    "perform": "randori.performer",
    "save": "randori.scene.export",
    "simulate": "randori.scene.run",
}


def __getattr__(name: str) -> Any:
    """Rooms are entered when something in them is asked for: `randori --help` must not wait for compilers."""
    if name not in _HOMES:
        raise AttributeError(f"module 'randori' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
