"""Fights that go on and on, and whose characters want something else as soon as somebody says so."""

from collections.abc import Generator
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from randori.body.palette import OUTFITS
from randori.duel.styles import STYLES
from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.scene.run import preparing_cast
from randori.scene.scene import Scene
from randori.scene.session import FightSession
from randori.scene.take import Take
from randori.studio import messages as wire
from randori.studio.captured import capturing_scene
from randori.studio.gallery import readable_scenes
from randori.studio.project import Project
from randori.studio.props import CAR_PARTS, car_props, wall_prop
from randori.studio.scenes import parse, shipped_text
from randori.studio.sessions.base import Kind, Live, spot
from randori.studio.vocabulary import vocabulary
from randori.timeline.session import Frame
from randori.work import part, saying

_LIVE_WEIGHTS = ("distance", "given_short", "given_long", "taken", "recency_weight", "path_weight")
_FEW = 6  # characters for whom there are controls
_REHEARSED = 120  # ticks, at most
_SHIPPED = "fight-"
_GROUP = "Fights: change what they want"
_PLAYED_LIVE = ("boxing", "sword-duel", "chase", "brawl")


class LiveFight(Live):
    """A scene of the duel whose characters want something else as soon as somebody says so."""

    ahead = 0.2  # searches take their time; an input goes back, see live.py

    def __init__(self, scene: Scene, graphs: dict[str, ActionGraph]):
        super().__init__()
        self.title = scene.title
        self.session: FightSession = FightSession(scene, graphs)
        clips = self.session.clips
        self.skeleton = clips[0].skeleton
        if any(clip.skeleton.names != self.skeleton.names for clip in clips):
            raise RandoriError("everybody in a live session needs the same skeleton")
        self.names = list(self.session.names)
        members = [scene.cast[who % len(scene.cast)] for who in range(len(self.names))]
        self.wears = [OUTFITS[member.outfit] if member.outfit else who for who, member in enumerate(members)]
        cars = enumerate(scene.cars)
        self.props = [prop for number, car in cars for prop in car_props(car, CAR_PARTS * number)]
        self.props += [wall_prop(wall) for wall in scene.walls]
        self.controls = _fight_controls(scene)
        self._told = 0

    def send(self, what: str, values: dict[str, Any]) -> None:
        if what == "goal":
            x, z = spot(values)
            values = {key: value for key, value in values.items() if key != "place"} | {"place": [x, z]}
        self.session.send(what, **values)

    def step(self) -> Frame:
        frame = self.session.step()
        return replace(frame, props=np.repeat(frame.props, CAR_PARTS, axis=0))

    def copied(self) -> Live:
        other = copy(self)
        other.session = self.session.copied()
        return other

    def decisions(self) -> list[wire.DecisionMark]:
        if self.session.decided == self._told:
            return []  # a timeline of all that has happened takes longer the longer it lasts
        timeline = self.session.timeline()
        new = timeline.decisions[self._told :]
        first, self._told = self._told, len(timeline.decisions)
        return [
            wire.DecisionMark(
                number=first + k,
                tick=one.tick,
                who=one.who,
                action=one.action,
                name=timeline.tracks[one.who].library.describe(one.action),
                options=len(one.options),
                plausible=sum(not option.rule for option in one.options),
            )
            for k, one in enumerate(new)
        ]

    def keeping(self) -> Generator[float, None, Take]:
        return self.session.taking()


def _open_fight(name: str, start: wire.LiveStart, project: Project) -> Generator[float, None, Live]:
    shown = name.removeprefix(_SHIPPED)
    given = start.scene or wire.SceneText(text=shipped_text(shown), gallery=shown)
    scene = parse(project, given).changed(seed=start.seed)
    scene = yield from saying("reading recordings", part(capturing_scene(scene), 0.0, 0.5))
    graphs = yield from saying("preparing motions", part(preparing_cast(scene), 0.5, 0.5))
    live = LiveFight(scene, graphs)
    live.scene = given
    yield 1.0
    _rehearse(live)
    return live


def _rehearse(live: LiveFight) -> None:
    """Let somebody decide in a copy: the first search of a process takes half a second longer than others."""
    rehearsal = live.session.copied()
    for _ in range(_REHEARSED):
        rehearsal.step()
        if rehearsal.timeline().decisions:
            break


def _fight_controls(scene: Scene) -> list[wire.LiveControl]:
    known = {control.key: control for control in vocabulary().weights}
    rows = [
        wire.LiveControl(
            what="goal",
            title="Lead them",
            help="Click on the floor: they fight their way there, the more their path weight is.",
            how="ground",
            value="place",
        )
    ]
    for member in scene.cast[:_FEW]:
        style = STYLES[member.style].with_weights(member.weights)
        for key in _LIVE_WEIGHTS:
            control = known[key]
            rows.append(
                wire.LiveControl(
                    what="weight",
                    title=f"{member.name}: {control.title.lower()}",
                    help=control.help,
                    how="number",
                    values={"who": member.name, "weight": key},
                    value="value",
                    unit=control.unit,
                    minimum=control.minimum,
                    maximum=control.maximum,
                    step=control.step,
                    logarithmic=control.logarithmic,
                    start=getattr(style, key),
                )
            )
        rows.append(
            wire.LiveControl(
                what="depth",
                title=f"{member.name}: intelligence",
                help="Selections that it looks ahead.",
                how="number",
                values={"who": member.name},
                value="value",
                minimum=1.0,
                maximum=4.0,
                start=float(member.depth),
            )
        )
    return rows


def _kinds() -> dict[str, Kind]:
    """Shipped scenes that can be played live."""
    scenes = readable_scenes()
    return {
        f"{_SHIPPED}{name}": Kind(
            _GROUP, scenes[name].title, scenes[name].description, _open_fight, lambda: True
        )
        for name in _PLAYED_LIVE
        if name in scenes
    }


KINDS = _kinds()
