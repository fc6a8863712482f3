"""Somebody who walks, and prepares for a ball, for people, for an obstacle course."""

from collections.abc import Generator
from contextlib import suppress
from typing import Any

import numpy as np

from randori.errors import FileError
from randori.folders import cache_folder
from randori.graph import library_file
from randori.graph.library import ActionLibrary
from randori.prepare import scenes as preparation
from randori.prepare.controller import Controller
from randori.prepare.controller_file import read_controller, write_controller
from randori.prepare.repertoire import Repertoire, learn, make_repertoire, performed_library
from randori.prepare.things import BALL_RADIUS, cones
from randori.scene.take import Take, take_of
from randori.sources import source_hash
from randori.studio import messages as wire
from randori.studio.project import Project
from randori.studio.sessions.base import (
    WHITE,
    Kind,
    Live,
    ball,
    controller_path,
    has,
    spot,
    standing,
)
from randori.timeline.session import Frame
from randori.work import part, saying

_WOOD = (0.85, 0.55, 0.15)
_REMEMBERED = 600.0  # seconds of which a take can be made: poses are 4 MB a minute and character
_NEAR_BALL = 0.8  # metres: who points there means the ball
# What is loaded stays: the next session in this process starts at once.
_PREPARED: list[tuple[Repertoire, Controller]] = []


class LivePreparation(Live):
    """Somebody who walks, and prepares for what comes."""

    forgets = True

    def __init__(self, name: str, title: str, repertoire: Repertoire, controller: Controller, seed: int):
        super().__init__()
        self.title = title
        self.session: preparation.PreparedScene = preparation.start_scene(name, repertoire, controller, seed)
        self.session.characters.remember(_REMEMBERED)
        self.skeleton = repertoire.library.skeleton
        count = len(self.session.characters.minds)
        self.names = ["walker", *(f"person {k}" for k in range(1, count))]
        self.wears = list(range(count))
        self.follow = preparation.HERO
        balls = len(self.session.props())
        self.props = [ball("ball", WHITE, BALL_RADIUS, k) for k in range(balls)]
        for bar in self.session.obstacles():
            starts, stops, radii = cones(bar)
            self.props.append(standing(bar.technique, _WOOD, starts, stops, radii))
        self.controls = _preparation_controls(self._techniques())
        self.alone = True  # the player made of code plays until somebody does

    def send(self, what: str, values: dict[str, Any]) -> None:
        if what == "autopilot":
            self.alone = bool(values.get("value", True))
            return
        self.alone = False
        if what == "goal" and values:
            x, z = self._meant(*spot(values))
            self.session.send("goal", x=x, z=z)
        elif what == "launch" and not values.get("technique"):
            source, _, _ = self.session.characters.nearest(preparation.HERO)
            technique = source.technique if source is not None else self._techniques()[0]
            self.session.send("launch", technique=technique)
        else:
            self.session.send(what, **values)

    def step(self) -> Frame:
        if self.alone:
            self.session.play()
        return self.session.step()

    def keeping(self) -> Generator[float, None, Take]:
        yield 0.0
        timeline, walks = self.session.result()
        return take_of(timeline, walks, self.title)

    def _techniques(self) -> list[str]:
        bars = [bar.technique for bar in self.session.obstacles()]
        return list(dict.fromkeys(bars)) or [self.session.technique]

    def _meant(self, x: float, z: float) -> tuple[float, float]:
        """The ball that somebody points at, or the place itself."""
        for place in self.session.props():
            if np.hypot(place[0] - x, place[2] - z) < _NEAR_BALL:
                return float(place[0]), float(place[2])
        return x, z


def _open_preparation(name: str, start: wire.LiveStart, project: Project) -> Generator[float, None, Live]:
    repertoire, controller = yield from _prepared()
    return LivePreparation(name, KINDS[name].title, repertoire, controller, start.seed)


def _prepared() -> Generator[float, None, tuple[Repertoire, Controller]]:
    """What the built-in performer prepares with, and how it learned when: once, then read."""
    if _PREPARED:
        return _PREPARED[0]
    library = yield from saying("preparing motions", part(_prepared_library(), 0.0, 0.5))
    repertoire = make_repertoire(library)
    path = controller_path("prepare")
    try:
        controller = read_controller(path, repertoire.gaits)
    except FileError:
        learning = part(learn(repertoire), 0.5, 0.5)
        controller = yield from saying("learning, once, when to prepare", learning)
        with suppress(OSError, FileError):  # no room for a cache: the next session learns it again
            path.parent.mkdir(parents=True, exist_ok=True)
            write_controller(path, controller)
    _PREPARED.append((repertoire, controller))
    return repertoire, controller


def _prepared_library() -> Generator[float, None, ActionLibrary]:
    path = cache_folder() / "libraries" / f"prepare-{source_hash('randori.prepare.repertoire')}.npz"
    try:
        return library_file.read(path)
    except FileError:
        library = yield from performed_library()
    with suppress(OSError, FileError):
        path.parent.mkdir(parents=True, exist_ok=True)
        library_file.write(path, library)
    return library


def _preparation_controls(techniques: list[str]) -> list[wire.LiveControl]:
    return [
        wire.LiveControl(
            what="goal",
            title="Walk",
            help="Arrow keys, or a click on the floor: where to walk.",
            how="ground",
            value="place",
        ),
        wire.LiveControl(
            what="launch",
            title="Launch",
            help="Go for it; the right mouse button does so, too.",
            how="key",
            key=" ",
        ),
        *(
            wire.LiveControl(
                what="launch",
                title=technique.capitalize(),
                help="Right now, wherever it is.",
                how="button",
                values={"technique": technique},
            )
            for technique in techniques
        ),
        wire.LiveControl(
            what="autopilot",
            title="Play by itself",
            help="Let the built-in player go on.",
            how="button",
            values={"value": True},
        ),
    ]


_GROUP = "Somebody who prepares"

KINDS = {
    "kick": Kind(
        _GROUP,
        "Kick the ball",
        "A walker prepares for the ball on the way to it.",
        _open_preparation,
        has("prepare"),
    ),
    "punch": Kind(
        _GROUP,
        "Punch who walks in",
        "People walk in from all sides; the walker prepares for the nearest.",
        _open_preparation,
        has("prepare"),
    ),
    "course": Kind(
        _GROUP,
        "Obstacle course",
        "Bars to duck under, jump over and crawl under; between two near ones the walker stays prepared.",
        _open_preparation,
        has("prepare"),
    ),
}
