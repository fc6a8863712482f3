"""Characters of one's own in a scene: each plans with its own reach, height and volume."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from randori.characters.character import Costume, load_character
from randori.characters.libraries import library_on
from randori.errors import FileError, RandoriError
from randori.graph.action_graph import ActionGraph, graph_with_choices
from randori.scene.scene import Member, Scene
from randori.scene.take import Take


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
        try:
            skeleton = costume_of(scene, member).character.skeleton
            if "weapon" in graphs[motions].library.skeleton.parts:
                raise RandoriError("characters of one's own do not fight with weapons yet")
        except RandoriError as error:
            raise FileError(f"{scene.name}.toml", f"cast[{number}].character: {error}") from error
        library = library_on(graphs[motions].library, skeleton)
        own[name] = graph_with_choices(library, scene.motions[motions].choices)
    return own


def wearing(scene: Scene, take: Take) -> Take:
    """A take whose roles are the characters that the scene names."""
    worn = {member.name: member for member in scene.cast if member.character is not None}
    roles = []
    for role in take.roles:
        # members of a formation have a number behind their names
        member = worn.get(role.name) or worn.get(role.name.rpartition(" ")[0])
        roles.append(role if member is None else replace(role, costume=costume_of(scene, member)))
    return replace(take, roles=tuple(roles)) if worn else take


def costume_of(scene: Scene, member: Member) -> Costume:
    """The character that a member of the cast is."""
    path = scene.folder / str(member.character)
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        raise FileError(path, "does not exist") from None
    return _costume(path, changed, member.height, member.hidden)


@lru_cache(maxsize=16)
def _costume(path: Path, changed: int, height: float | None, hidden: tuple[str, ...]) -> Costume:
    return Costume.of(load_character(path, height=height, hidden=hidden))
