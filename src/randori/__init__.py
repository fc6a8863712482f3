"""Randori: scenes of interacting characters from motion captured one person at a time.

Everything that a program needs is here, and docs/api.md is its reference:

>>> import randori
>>> take = randori.simulate(randori.Scene.load("boxing"), seconds=5.0)
>>> take.save("fight.glb")
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from randori.characters.character import Character as Character
    from randori.characters.character import Costume as Costume
    from randori.characters.character import load_character as load_character
    from randori.duel.added import View as View
    from randori.duel.added import duel_rule as duel_rule
    from randori.duel.added import duel_term as duel_term
    from randori.duel.added import forget_added as forget_added
    from randori.errors import FileError as FileError
    from randori.errors import RandoriError as RandoriError
    from randori.formats import load as load
    from randori.formats import load_all as load_all
    from randori.graph.library import ActionLibrary as ActionLibrary
    from randori.graph.library_file import read as load_library
    from randori.graph.library_file import write as save_library
    from randori.graph.recordings import capture_files as capture_files
    from randori.motion.clip import Clip as Clip
    from randori.motion.skeleton import Skeleton as Skeleton
    from randori.patches.library import PatchLibrary as PatchLibrary
    from randori.patches.library import read_patches as load_patches
    from randori.patches.library import write_patches as save_patches
    from randori.patches.prepared import build_patches as build_patches
    from randori.performer import perform as perform
    from randori.policy.table import PolicyTable as PolicyTable
    from randori.policy.table import read as load_policy
    from randori.policy.table import train_policy as train_policy
    from randori.policy.table import write as save_policy
    from randori.render.sheet import contact_sheet as contact_sheet
    from randori.render.video import film as film
    from randori.scene.dress import dress as dress
    from randori.scene.export import save as save
    from randori.scene.run import open_session as open_session
    from randori.scene.run import simulate as simulate
    from randori.scene.scene import Scene as Scene
    from randori.scene.scene import shipped_scenes as shipped_scenes
    from randori.scene.session import SceneSession as SceneSession
    from randori.scene.story import explain as explain
    from randori.scene.take import Take as Take
    from randori.timeline.quality import Quality as Quality

# The home of each public name: "module" or "module:its name there".
_HOMES = {
    "ActionLibrary": "graph.library",
    "Character": "characters.character",
    "Clip": "motion.clip",
    "Costume": "characters.character",
    "FileError": "errors",
    "PatchLibrary": "patches.library",
    "PolicyTable": "policy.table",
    "Quality": "timeline.quality",
    "RandoriError": "errors",
    "Scene": "scene.scene",
    "SceneSession": "scene.session",
    "Skeleton": "motion.skeleton",
    "Take": "scene.take",
    "View": "duel.added",
    "build_patches": "patches.prepared",
    "capture_files": "graph.recordings",
    "contact_sheet": "render.sheet",
    "dress": "scene.dress",
    "duel_rule": "duel.added",
    "duel_term": "duel.added",
    "explain": "scene.story",
    "film": "render.video",
    "forget_added": "duel.added",
    "load": "formats",
    "load_all": "formats",
    "load_character": "characters.character",
    "load_library": "graph.library_file:read",
    "load_patches": "patches.library:read_patches",
    "load_policy": "policy.table:read",
    "open_session": "scene.run",
    "perform": "performer",
    "save": "scene.export",
    "save_library": "graph.library_file:write",
    "save_patches": "patches.library:write_patches",
    "save_policy": "policy.table:write",
    "shipped_scenes": "scene.scene",
    "simulate": "scene.run",
    "train_policy": "policy.table",
}

__all__ = [
    "ActionLibrary",
    "Character",
    "Clip",
    "Costume",
    "FileError",
    "PatchLibrary",
    "PolicyTable",
    "Quality",
    "RandoriError",
    "Scene",
    "SceneSession",
    "Skeleton",
    "Take",
    "View",
    "__version__",
    "build_patches",
    "capture_files",
    "contact_sheet",
    "dress",
    "duel_rule",
    "duel_term",
    "explain",
    "film",
    "forget_added",
    "load",
    "load_all",
    "load_character",
    "load_library",
    "load_patches",
    "load_policy",
    "open_session",
    "perform",
    "save",
    "save_library",
    "save_patches",
    "save_policy",
    "shipped_scenes",
    "simulate",
    "train_policy",
]


def __getattr__(name: str) -> Any:
    """Import a module when one of its names is first used: `randori --help` must not wait for compilers."""
    if name not in _HOMES:
        raise AttributeError(f"module 'randori' has no attribute {name!r}")
    module, _, attribute = _HOMES[name].partition(":")
    return getattr(import_module(f"randori.{module}"), attribute or name)


def __dir__() -> list[str]:
    return list(__all__)
