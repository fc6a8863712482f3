"""Scenes that are composed of patches, steered by commands; dominoes that fill a picture."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from randori.errors import RandoriError
from randori.folders import cache_folder
from randori.patches import mouse
from randori.patches.ball import RADIUS
from randori.patches.dominoes import Dominoes
from randori.patches.picture import CELL, SQUARE, Picture
from randori.patches.prepared import Prepared
from randori.patches.prepared import preparing as preparing_patches
from randori.patches.relay import Relay
from randori.prepare.things import BALL_RADIUS
from randori.scene.patched import PLAYS, PatchPlay, PatchSession
from randori.scene.session import Actor
from randori.scene.take import Take
from randori.studio import messages as wire
from randori.studio.buffers import with_yaw
from randori.studio.project import Project
from randori.studio.sessions.base import WHITE, Kind, Live, ball, spot
from randori.studio.sessions.luggage import Luggage, luggage_prop
from randori.timeline.session import Frame
from randori.work import saying

_PATCHES = "patches-"
_LED = ("one-fights-many", "two-fight", "football")  # by the first of their people
_GROUP = "Crowds: steer who leads"
_DOMINOES = "dominoes"
# what their frames carry: its name, colour and radius
_THINGS = {
    "football": ("ball", (0.45, 0.26, 0.12), RADIUS),
    "mouse": ("mouse", WHITE, mouse.RADIUS),
}
_NOT_THERE = np.array([0.0, -50.0, 0.0])  # far below the floor, see messages
_CHALK, _TILE = (0.47, 0.42, 0.3), 0.004  # colour and height, metres, of a picture on the floor
_LARGEST_BITMAP = 40  # rows, and columns: more people than anybody waits for
_BITMAP = wire.LiveControl(
    what="bitmap",
    title="Picture on the floor",
    help="Paint it: they stand where it is, and fall until they fill it.",
    how="bitmap",
    value="rows",
)


class LivePatches(Live):
    """A scene that is composed of patches; its main character is steered by commands."""

    def __init__(self, name: str, prepared: Prepared, seed: int, play: PatchPlay | None = None):
        super().__init__()
        self.prepared = prepared
        self.session: PatchSession = PatchSession(name, prepared, seed, play)
        self.title = self.session.play.title
        self.skeleton = prepared.graph.library.skeleton
        self.names, self.wears = list(self.session.names), list(self.session.outfits)
        self.luggage = _luggage_of(self.session)
        thing, colour, radius = _THINGS.get(name, ("thing", WHITE, BALL_RADIUS))
        self.props = [ball(thing, colour, radius, k) for k in range(len(self.session.props(0)))]
        self.props += [luggage_prop(one.piece, len(self.props) + k) for k, one in enumerate(self.luggage)]
        self.controls = _patch_controls(self.session.play.commands)
        self.follow = 0 if name in _LED else -1
        if isinstance(self.session.composition, Dominoes):
            self.controls.append(_BITMAP)
            self.props.append(picture_prop(self.session.composition.picture))

    def send(self, what: str, values: dict[str, Any]) -> Live | None:
        if what == "bitmap" and self.session.name == _DOMINOES:
            rows = bitmap_rows(values)
            play = replace(self.session.play, compose=lambda prepared, seed: Dominoes(prepared, seed, rows))
            return LivePatches(_DOMINOES, self.prepared, self.session.seed, play)
        if what == "move":
            values = {"place": list(spot(values))}
        self.session.send(what, **values)
        return None

    def step(self) -> Frame:
        frame = self.session.step()
        people = [actor for actor in self.session.composition.stage.actors if not actor.thing]
        come = [who < len(people) and bool(people[who].steps) for who in range(len(self.names))]
        roots = np.where(np.array(come)[:, None], frame.root_position, _NOT_THERE)
        carried = [one.place(frame, self.skeleton, self.session.fps) for one in self.luggage]
        props = np.concatenate([with_yaw(frame.props), np.array(carried).reshape(-1, 4)])
        return replace(frame, root_position=roots, props=props)

    def ways(self, take: Take) -> np.ndarray | None:
        composition = self.session.composition
        return np.stack(composition.ways(take.clips), axis=1) if isinstance(composition, Relay) else None

    def keeping(self) -> Generator[float, None, Take]:
        return self.session.taking()


def picture_prop(picture: Picture) -> wire.Prop:
    """The cells that are to be filled."""
    cells = np.argwhere(picture.wanted[:: round(CELL / SQUARE), :: round(CELL / SQUARE)])
    tile = (0.97 * CELL, _TILE, 0.97 * CELL)
    boxes = [
        wire.Box(
            middle=(picture.left + (column + 0.5) * CELL, 0.5 * _TILE, picture.top - (row + 0.5) * CELL),
            size=tile,
        )
        for row, column in cells.tolist()
    ]
    return wire.Prop(name="picture", colour=_CHALK, starts=[], stops=[], radii=[], boxes=boxes, path=-1)


def _luggage_of(session: PatchSession) -> list[Luggage]:
    """The pieces that are passed along, where there are some."""
    composition = session.composition
    if not isinstance(composition, Relay):
        return []
    stage = composition.stage

    def pose(who: int, tick: int) -> tuple[np.ndarray, np.ndarray]:
        return Actor().pose(stage.actors[who].steps, stage.library, tick)

    return [Luggage(row.piece, row.grips, pose) for row in composition.rows]


def _open_patches(name: str, start: wire.LiveStart, project: Project) -> Generator[float, None, Live]:
    scene = name.removeprefix(_PATCHES)
    doing = "preparing motions" if _ready(scene) else "working out, once, what people can do with each other"
    prepared = yield from saying(doing, preparing_patches(scene))
    return LivePatches(scene, prepared, start.seed)


def bitmap_rows(values: dict[str, Any]) -> list[str]:
    """The rows of a picture: # where somebody is to lie."""
    given = values.get("rows")
    rows = [row for row in given if isinstance(row, str)] if isinstance(given, list) else []
    sides = {len(rows), *map(len, rows)}
    known = rows == given and len(set(map(len, rows))) == 1 and set("".join(rows)) <= set("#.")
    if not known or not 0 < min(sides) <= max(sides) <= _LARGEST_BITMAP:
        raise RandoriError(
            f"bitmap: up to {_LARGEST_BITMAP} rows are expected, all with as many cells, # or . each"
        )
    if "#" not in "".join(rows):
        raise RandoriError("bitmap: paint at least one square")
    return rows


def _patch_controls(commands: Sequence[str]) -> list[wire.LiveControl]:
    known = {
        "move": wire.LiveControl(
            what="move",
            title="Move",
            help="Arrow keys, or a click on the floor: where to go.",
            how="ground",
            value="place",
        ),
        "turn": wire.LiveControl(
            what="turn",
            title="Turn",
            help="The way to look, in degrees: 0 is +z, 90 is +x.",
            how="number",
            value="degrees",
            minimum=-180.0,
            maximum=180.0,
            start=0.0,
        ),
        "punch": wire.LiveControl(what="punch", title="Punch", help="Punch next.", how="key", key="j"),
        "kick": wire.LiveControl(what="kick", title="Kick", help="Kick next.", how="key", key="k"),
        "avoid": wire.LiveControl(
            what="avoid", title="Avoid", help="Get out of the way next.", how="key", key="l"
        ),
    }
    return [known[command] for command in commands if command in known]


def _ready(name: str) -> bool:
    """Whether a scene's patches have been worked out."""
    return any((cache_folder() / "patches").glob(f"{name}-????????????????.npz"))


def _kinds() -> dict[str, Kind]:
    return {
        f"{_PATCHES}{name}": Kind(_GROUP, play.title, play.description, _open_patches, partial(_ready, name))
        for name, play in PLAYS.items()
    }


KINDS = _kinds()
