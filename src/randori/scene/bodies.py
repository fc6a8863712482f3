"""Characters of one's own in a scene: each plans with its own reach, height and volume."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from randori.body.own_bodies import OWN_BODIES, own_body
from randori.characters.character import Costume, load_character
from randori.characters.libraries import library_on
from randori.errors import FileError, RandoriError
from randori.graph.action_graph import ActionGraph, graph_with_choices
from randori.motion.skeleton import Skeleton
from randori.scene.scene import Member, Scene


def graph_name(scene: Scene, member: Member) -> str:
    """The graph that a member of the cast moves on: that of its motions, or one on its own body."""
    motions = scene.motions_of(member)
    if member.character is None:
        return motions
    return f"{motions} on {member.character} {member.height or ''} {' '.join(member.hidden)}".strip()


def own_graphs(scene: Scene, graphs: dict[str, ActionGraph]) -> dict[str, ActionGraph]:
    """The motions of those who are characters of one's own, on their bodies."""
    own: dict[str, ActionGraph] = {}
    for number, member in enumerate(scene.cast, start=1):
        name = graph_name(scene, member)
        if member.character is None or name in own:
            continue
        motions = scene.motions_of(member)
        armed = "weapon" in graphs[motions].library.skeleton.parts
        try:
            skeleton = _skeleton(scene, member, armed)
        except RandoriError as error:
            raise FileError(f"{scene.name}.toml", f"cast[{number}].character: {error}") from error
        library = library_on(graphs[motions].library, skeleton)
        own[name] = graph_with_choices(library, scene.motions[motions].choices)
    return own


def _skeleton(scene: Scene, member: Member, armed: bool) -> Skeleton:
    """The skeleton of a member that is a file of one's own, or one of our bodies."""
    if member.character in OWN_BODIES:
        if member.hidden:
            raise RandoriError(f"{member.character!r} has no meshes that could be hidden")
        return own_body(str(member.character), member.height, armed)
    if armed:
        raise RandoriError(
            "files of characters do not fight with weapons yet; there are our own bodies: "
            + ", ".join(OWN_BODIES)
        )
    return costume_of(scene, member).character.skeleton


def costumes(scene: Scene, names: Sequence[str]) -> list[Costume | None]:
    """The characters of one's own that the scene names, for each character of a take."""
    worn = {
        member.name: member
        for member in scene.cast
        if member.character is not None and member.character not in OWN_BODIES
    }
    found = []
    for name in names:
        # members of a formation have a number behind their names
        member = worn.get(name) or worn.get(name.rpartition(" ")[0])
        found.append(None if member is None else costume_of(scene, member))
    return found


def costume_of(scene: Scene, member: Member) -> Costume:
    """The character that a member of the cast is."""
    path = scene.folder / str(member.character)
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        bodies = " and ".join(OWN_BODIES)
        raise FileError(path, f"does not exist; our own bodies are {bodies}") from None
    return _costume(path, changed, member.height, member.hidden)


@lru_cache(maxsize=16)
def _costume(path: Path, changed: int, height: float | None, hidden: tuple[str, ...]) -> Costume:
    return Costume.of(load_character(path, height=height, hidden=hidden))
