"""Your own characters in a scene: each plans with its own reach, height and volume."""

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

MANNEQUIN = "mannequin"  # in a list of bodies: the built-in one
_BODIES = f"bodies without a file are {' and '.join(OWN_BODIES)}"


def check_files(scene: Scene) -> None:
    """The files of tables and characters that a scene names exist."""
    named = [
        (f"cast[{number}].{key}", file, instead)
        for number, member in enumerate(scene.cast, 1)
        for key, file, instead in (
            ("table", member.table, "leave it out, and it is learned"),
            ("character", member.character, _BODIES),
        )
    ]
    named += [
        (f"group[{number}].characters[{row}]", file, _BODIES)
        for number, group in enumerate(scene.group, 1)
        for row, file in enumerate(group.characters, 1)
        if file != MANNEQUIN
    ]
    for key, file, instead in named:
        if file is not None and file not in OWN_BODIES and not (scene.folder / file).is_file():
            raise FileError(f"{scene.name}.toml", f"{key}: {file!r} does not exist; {instead}")


def graph_name(scene: Scene, member: Member) -> str:
    """The graph that a member of the cast moves on: that of its motions, or one on its own body."""
    motions = scene.motions_of(member)
    if member.character is None:
        return motions
    return f"{motions} on {member.character} {member.height or ''} {' '.join(member.hidden)}".strip()


def own_graphs(scene: Scene, graphs: dict[str, ActionGraph]) -> dict[str, ActionGraph]:
    """The motions of your own characters, on their bodies."""
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
    """The skeleton of a cast member with its own character file, or of a built-in body."""
    if member.character in OWN_BODIES:
        return _own_body(str(member.character), member.height, member.hidden, armed)
    costume = costume_of(scene, member)
    return (costume.armed() if armed else costume).character.skeleton


def _own_body(name: str, height: float | None, hidden: Sequence[str], armed: bool = False) -> Skeleton:
    if hidden:
        raise RandoriError(f"{name!r} has no meshes that could be hidden")
    return own_body(name, height, armed)


def bodies_afterwards(scene: Scene, groups: Sequence[Sequence[str]]) -> dict[str, Costume | Skeleton]:
    """The bodies of characters that plan as mannequins, by their names: their take is dressed afterwards.

    These are members of groups, and characters of the cast that do not fight by search. `groups` has the
    names of all members of each group.
    """
    found: dict[str, Costume | Skeleton] = {}
    for number, member in enumerate(scene.cast, start=1):
        if member.character is None or member.controller == "duel":
            continue
        try:
            worn = _body(scene, member.character, member.height, member.hidden)
        except RandoriError as error:
            raise FileError(f"{scene.name}.toml", f"cast[{number}].character: {error}") from error
        if worn is not None:
            found[member.name] = worn
    for number, (group, names) in enumerate(zip(scene.group, groups), start=1):
        if not group.characters:
            continue
        heights: Sequence[float | None] = group.heights or [None] * len(group.characters)
        bodies: list[Costume | Skeleton | None] = []
        for row, (name, height) in enumerate(zip(group.characters, heights), start=1):
            own = name in (MANNEQUIN, *OWN_BODIES)
            try:
                body = _body(scene, name, height, () if own else group.hidden)
            except RandoriError as error:
                where = f"group[{number}].characters[{row}]"
                raise FileError(f"{scene.name}.toml", f"{where}: {error}") from error
            bodies.append(body)
        for who, name in enumerate(names):
            body = bodies[who % len(bodies)]
            if body is not None:
                found[name] = body
    return found


def _body(
    scene: Scene, name: str, height: float | None, hidden: tuple[str, ...]
) -> Costume | Skeleton | None:
    """A body by the name that a scene has for it; none for the mannequin as it is."""
    if name == MANNEQUIN:
        return None
    if name in OWN_BODIES:
        return _own_body(name, height, hidden)
    return _costume_of_file(scene, name, height, hidden)


def costumes(scene: Scene, names: Sequence[str], skeletons: Sequence[Skeleton]) -> list[Costume | None]:
    """The characters from files that fighters plan with, by their names and the skeletons they move on."""
    worn = {
        member.name: member
        for member in scene.members("duel")
        if member.character is not None and member.character not in OWN_BODIES
    }
    found: list[Costume | None] = []
    for name, skeleton in zip(names, skeletons):
        # members of a formation have a number behind their names
        member = worn.get(name) or worn.get(name.rpartition(" ")[0])
        costume = None if member is None else costume_of(scene, member)
        if costume is not None and "weapon" in skeleton.parts:
            costume = costume.armed()
        found.append(costume)
    return found


def costume_of(scene: Scene, member: Member) -> Costume:
    """The character that a member of the cast is."""
    return _costume_of_file(scene, str(member.character), member.height, member.hidden)


def _costume_of_file(scene: Scene, name: str, height: float | None, hidden: tuple[str, ...]) -> Costume:
    path = scene.folder / name
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        raise FileError(path, f"does not exist; {_BODIES}") from None
    return _costume(path, changed, height, hidden)


@lru_cache(maxsize=16)
def _costume(path: Path, changed: int, height: float | None, hidden: tuple[str, ...]) -> Costume:
    return Costume.of(load_character(path, height=height, hidden=hidden))
