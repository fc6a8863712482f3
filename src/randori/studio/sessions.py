"""Live sessions: any scene, as the page sees it while it runs."""

from abc import ABC, abstractmethod
from collections.abc import Generator
from copy import copy
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from randori.errors import RandoriError
from randori.folders import cache_folder
from randori.scene.groups import GROUPS
from randori.scene.part import Control, Thing
from randori.scene.pictures import rows_of
from randori.scene.preparing import Ready, preparing_scene
from randori.scene.scene import Scene
from randori.scene.session import SceneSession
from randori.scene.take import Take
from randori.studio import messages as wire
from randori.studio.captured import capturing_scene
from randori.studio.gallery import readable_scenes
from randori.studio.live_bodies import LiveBodies
from randori.studio.project import Project
from randori.studio.props import to_wire, wall_thing
from randori.studio.scenes import parse, shipped_text
from randori.studio.vocabulary import vocabulary
from randori.timeline.session import Frame, Session
from randori.work import part, saying

_NOT_THERE = np.array([0.0, -50.0, 0.0])  # far below the floor, see messages
REMEMBERED = 120.0  # seconds for which options of decisions are kept: 17 MB a minute of two boxers
_REHEARSED_TICKS = 120  # ticks, at most
_FIGHTS, _LEARNED, _WALKERS, _GROUPS, _MIXED = (
    "Fights: change what they want",
    "Boxers that have learned",
    "A walker that prepares",
    "Crowds: steer the leader",
    "Several at once",
)


class Live(ABC):
    """A session as the page sees it."""

    title: str
    session: Session
    bodies: LiveBodies
    names: list[str]
    wears: list[int]
    ahead = 0.1  # seconds that it is ahead of the page: an input that does not go back is seen so much later

    def __init__(self) -> None:
        self.scene: wire.SceneText | None = None  # that it plays
        self.follow = -1  # the character that the camera follows at first; -1: all
        self.props: list[wire.Prop] = []  # those that move come first
        self.controls: list[wire.LiveControl] = []

    def send(self, what: str, values: dict[str, Any]) -> "Live | None":
        """An input of the page. Some begin again: then what goes on from here is the answer."""
        self.session.send(what, **values)
        return None

    def step(self) -> Frame:
        """The next tick."""
        return self.session.step()

    def copied(self) -> "Live | None":
        """The same session in the same tick, to come back to; None of those that cannot."""
        return None

    def decisions(self) -> list[wire.DecisionMark]:
        """The frames that were made since the last call."""
        return []

    @abstractmethod
    def keeping(self) -> Generator[float, None, Take]:
        """A take of what has happened so far."""


class LiveScene(Live):
    """A scene that runs on and on, and answers."""

    session: SceneSession

    def __init__(self, scene: Scene, ready: Ready):
        super().__init__()
        self.ready, self.title = ready, scene.title
        self.session = session = SceneSession(scene, ready)
        self.bodies = LiveBodies(session.skeletons, session.bodies)
        self.names, self.wears = session.names, session.outfits
        if session.copied() is not None:
            self.ahead = 0.2  # searches take their time; an input goes back, see live.py
        self._lay_out(scene)
        self._told = 0

    def _lay_out(self, scene: Scene) -> None:
        """Things, controls, and whom the camera follows."""
        moving: list[Thing] = []
        standing, before = [wall_thing(wall) for wall in scene.walls], 0
        for one in self.session.parts:
            count, things = len(one.moving(0)), one.drawn()
            self.controls += [_to_wire(control, control.which + len(moving)) for control in one.controls()]
            moving += things[:count]
            standing += things[count:]
            if one.leads >= 0 and self.follow < 0:
                self.follow = before + one.leads
            before += len(one.names)
        self.props = [to_wire(thing, number) for number, thing in enumerate(moving)]
        self.props += [to_wire(thing, -1) for thing in standing]

    def send(self, what: str, values: dict[str, Any]) -> Live | None:
        scene = self.session.scene
        if what == "set" and values.get("key") == "picture":
            pictures = [rows_of(values.get("value"), scene.folder) for _ in scene.group]
            other = LiveScene(scene, replace(self.ready, pictures=pictures))
            other.scene = self.scene
            return other
        self.session.send(what, **values)
        return None

    def step(self) -> Frame:
        frame = self.session.step()
        for one in self.session.parts:
            one.forget(frame.tick - round(REMEMBERED * self.session.fps))
        come = np.array(self.session.present)[:, None]
        return replace(frame, root_position=np.where(come, frame.root_position, _NOT_THERE))

    def copied(self) -> Live | None:
        session = self.session.copied()
        if session is None:
            return None
        other = copy(self)
        other.session = session
        return other

    def decisions(self) -> list[wire.DecisionMark]:
        made = self.session.decisions()
        new = made[self._told :]
        first, self._told = self._told, len(made)
        return [
            wire.DecisionMark(
                number=first + k,
                tick=one.tick,
                who=one.who,
                action=one.action,
                name=name,
                options=len(one.options),
                plausible=sum(not option.rule for option in one.options),
            )
            for k, (one, name) in enumerate(new)
        ]

    def keeping(self) -> Generator[float, None, Take]:
        return self.session.taking()


def _to_wire(control: Control, which: int) -> wire.LiveControl:
    """A control for the page; weights of fighters have words of their own."""
    values = asdict(control) | {"which": which}
    known = {one.key: one for one in vocabulary().weights}
    own = known.get(str(control.values.get("key", "")))
    if control.what == "set" and own is not None:
        scale = own.model_dump(include=set(wire.Scale.model_fields))
        values |= scale | {"title": f"{control.values['who']}: {own.title.lower()}"}
    return wire.LiveControl(**values)


def opening(start: wire.LiveStart, project: Project) -> Generator[float, None, Live]:
    """Prepare a session; yields the share that is done."""
    known = readable_scenes()
    if start.scene is None and start.session not in known:
        raise RandoriError(f"there is no live session {start.session!r}; there are {', '.join(known)}")
    given = start.scene or wire.SceneText(text=shipped_text(start.session), gallery=start.session)
    scene = parse(project, given).changed(seed=start.seed)
    scene = yield from saying("reading recordings", part(capturing_scene(scene), 0.0, 0.3))
    ready = yield from saying("preparing motions", part(preparing_scene(scene), 0.3, 0.7))
    live = LiveScene(scene, ready)
    live.scene = given
    yield 1.0
    _rehearse(live)
    return live


def _rehearse(live: LiveScene) -> None:
    """Let a fighter decide in a copy: the first search of a process takes half a second longer than
    others."""
    rehearsal = live.session.copied()
    for _ in range(_REHEARSED_TICKS if rehearsal is not None else 0):
        assert rehearsal is not None
        rehearsal.step()
        if rehearsal.decisions():
            break


def listed() -> wire.LiveList:
    """All live sessions: the shipped scenes."""
    return wire.LiveList(
        sessions=[
            wire.LiveEntry(
                name=name,
                group=_group_of(scene),
                title=scene.title,
                description=scene.description,
                ready=is_ready(scene),
            )
            for name, scene in sorted(
                readable_scenes().items(), key=lambda item: (_ORDER.index(_group_of(item[1])), item[0])
            )
        ]
    )


_ORDER = (_FIGHTS, _LEARNED, _WALKERS, _GROUPS, _MIXED)
_HOMES = {"duel": _FIGHTS, "policy": _LEARNED, "player": _LEARNED, "prepare": _WALKERS}


def _group_of(scene: Scene) -> str:
    """The heading that a scene stands under."""
    homes = {_HOMES[member.controller] for member in scene.cast} | ({_GROUPS} if scene.group else set())
    return homes.pop() if len(homes) == 1 else _MIXED


def is_ready(scene: Scene) -> bool:
    """Whether something for its controllers has been learned or built before."""
    kinds = {"policy": "policy", "player": "policy", "prepare": "prepare"}
    learned = {kinds[member.controller] for member in scene.cast if member.controller in kinds}
    cache = cache_folder()
    built = [group.patterns or GROUPS[group.kind].patterns for group in scene.group]
    return all(any((cache / "controllers").glob(f"{kind}-*.npz")) for kind in learned) and all(
        any((cache / "patches").glob(f"{name}-????????????????.npz")) for name in built
    )
