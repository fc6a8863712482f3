"""From recordings to a fight: a scene that can be played and edited at once."""

from glob import escape

import tomlkit

from randori.errors import RandoriError
from randori.studio import messages as wire
from randori.studio import scenes
from randori.studio.library import Libraries
from randori.studio.project import RECORDINGS

_SECONDS = 20.0
_STYLES = {"duel": "boxer", "sword duel": "sword"}  # of a library's uses, the first that it is good for
_CAST = (("Red", "red"), ("Blue", "blue"))


def make_fight(libraries: Libraries, asked: wire.MakeFight) -> wire.SceneDocument:
    """A scene file in which the actions of some recordings fight each other."""
    library = libraries.described(asked.library)
    for name in asked.recordings:
        libraries.recording_path(name)
    text = fight_text(asked.recordings, style_for(library))
    saved = wire.SaveScene(text=text, file=_free_name(libraries))
    return scenes.save_scene(libraries.project, saved)


def style_for(library: wire.Library) -> str:
    """The style that suits what a library can play; an error says why it can play no fight."""
    uses = {use.name: use for use in library.uses}
    for able in ("yes", "hardly"):
        for name, style in _STYLES.items():
            if uses[name].able == able:
                return style
    why = "; ".join(f"{name}: {uses[name].why}" for name in _STYLES)
    raise RandoriError(f"These recordings cannot fight yet. {why}. {'. '.join(library.record[:2])}")


def fight_text(recordings: list[str], style: str) -> str:
    """The scene's text."""
    toml = tomlkit.document()
    toml["title"] = "My fight"
    toml["seconds"] = _SECONDS
    toml["seed"] = 1
    files = tomlkit.array()
    files.extend(f"{RECORDINGS}/{escape(name)}" for name in recordings)
    files.multiline(len(recordings) > 2)
    toml["motions"] = {"recordings": {"files": files}}
    toml["cast"] = tomlkit.aot()
    for team, (name, outfit) in enumerate(_CAST):
        member = tomlkit.table()
        member.update({"name": name, "style": style, "team": team, "outfit": outfit})
        toml["cast"].append(member)
    return scenes.edited(tomlkit.dumps(toml), [])


def _free_name(libraries: Libraries) -> str:
    """A file's name that no scene of the project has."""
    number = 1
    while True:
        name = "my-fight.toml" if number == 1 else f"my-fight-{number}.toml"
        if not libraries.project.path(name, (".toml",)).exists():
            return name
        number += 1
