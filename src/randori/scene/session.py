"""A scene of the duel that runs live: what a person changes takes effect at the next decision (spec 3.13).

    graphs = finish(preparing_cast(scene))
    session = FightSession(scene, graphs)
    session.send("weight", who="Red", weight="distance", value=1.6)
    frame = session.step()              # one tick: roots, rotations, props, events
    take = finish(session.taking())     # what was played so far, as a take: refined, measured, to be saved

What can be sent, everything as plain JSON values; `who` is a name or a number of the cast:

| what | values | what it does |
|---|---|---|
| `weight` | who, weight, value | one of `scene.WEIGHTS` |
| `depth` | who, value | plies that it looks ahead, 1 to 8 |
| `reaction` | who, value | seconds for which it does not see an attack |
| `goal` | place [x, z], who (a list; all, if left out), radius | go there, instead of where they were going |
| `request` | who, wanted, unwanted (lists of actions) | asked for, and not wanted, from now on |
| `row` | defence (or attack), attack, suitability, position | a row of the combination table, -1 to 1 |
| `tag` | who, action, some of kind, technique, side, position, direction | other words on an action |

Other words on an action hold for everybody who uses these motions. `Script.of(session, …)` of
timeline/session.py records what was sent, and `replaying` plays it to the same bytes.
Poses are joined as they come, without knowing what follows: the take is smoother. A session may last for
hours: it keeps all decisions, but only for the last two minutes what else could have been chosen.
"""

from collections.abc import Generator, Sequence
from copy import copy
from dataclasses import fields, replace
from typing import Any

import numpy as np

from randori.capture.actions import Tags
from randori.duel.combination import ANSWERS, ATTACKS, POSITIONS, Amendment
from randori.duel.fighter import Fighter
from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.graph.library import ActionLibrary
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.transition import join
from randori.scene.checks import chosen_words
from randori.scene.crowd import SLICE
from randori.scene.run import gather
from randori.scene.scene import WEIGHTS, Scene, suggest
from randori.scene.take import Take, making_take
from randori.timeline.session import Frame, Input
from randori.timeline.timeline import Event, Placed, Timeline

_JOIN = 0.35  # seconds over which what was before dies away
REMEMBERED = 120.0  # seconds for which options of decisions are kept: 17 MB a minute of two boxers
_DEEPEST = 8  # plies
_SLOWEST = 5.0  # seconds of reaction


class FightSession:
    """A live session of a duel; see timeline/session.py."""

    def __init__(self, scene: Scene, graphs: dict[str, ActionGraph], threads: int | None = None) -> None:
        self.scene, self.seed = scene, scene.seed
        self._crowd = gather(scene, graphs, threads)
        cast = [fighter for fight in self._crowd.fights for fighter in fight.fighters]
        order = [who for some in self._crowd.members for who in some]
        self.names = [cast[order.index(who)].name for who in range(len(cast))]
        self._actors = [Actor() for _ in cast]
        self._inputs: list[Input] = []
        self._crowd.draw_borders()
        self.tick = 0

    @property
    def fps(self) -> float:
        return self._crowd.fps

    @property
    def inputs(self) -> Sequence[Input]:
        return self._inputs

    @property
    def clips(self) -> list[Clip]:
        """One of everybody, whose skeletons are those of the frames."""
        return [actor.shown(self._placed(who), self._library(who)) for who, actor in enumerate(self._actors)]

    def copied(self) -> "FightSession":
        """The same session in the same tick: whoever was ahead can go on from here, differently."""
        other = copy(self)
        other._crowd, other._inputs = self._crowd.copied(), list(self._inputs)
        other._actors = [copy(actor) for actor in self._actors]
        return other

    def send(self, what: str, **values: Any) -> Input:
        """Change something; see above. What cannot be used is an error, and changes nothing."""
        changes = {
            "weight": self._weight,
            "depth": self._depth,
            "reaction": self._reaction,
            "goal": self._goal,
            "request": self._request,
            "row": self._row,
            "tag": self._tag,
        }
        if what not in changes:
            raise RandoriError(f"nobody knows what {what!r} means; {suggest(what, list(changes))}")
        changes[what](values)
        if values:
            raise RandoriError(f"{what}: unknown: {', '.join(values)}")
        return self._inputs[-1]

    def step(self) -> Frame:
        """The next tick."""
        self.tick += 1
        if self.tick % SLICE == 0:
            self._crowd.draw_borders()
        self._crowd.play_until(self.tick + 1)
        for fight in self._crowd.fights:
            fight.forget_options(self.tick - round(REMEMBERED * self.fps))
        poses = [
            actor.pose(self._placed(who), self._library(who), self.tick)
            for who, actor in enumerate(self._actors)
        ]
        joints = max(len(pose[1]) for pose in poses)
        rotations = np.tile(np.array([1.0, 0.0, 0.0, 0.0]), (len(poses), joints, 1))
        for row, (_, turned) in zip(rotations, poses):
            row[: len(turned)] = turned
        cars = [car for fight in self._crowd.fights for car in fight.director.props.cars]
        places = [car.place(np.array([self.tick]), self.fps)[0] for car in cars]
        props = np.array([[x, 0.0, z] for x, z in places]).reshape(-1, 3)
        return Frame(self.tick, np.array([pose[0] for pose in poses]), rotations, props, self._events())

    @property
    def decided(self) -> int:
        """Decisions so far."""
        return self._crowd.decided

    def timeline(self) -> Timeline:
        """What has happened so far."""
        words: dict[str, object] = {"scene": self.scene.name, "seed": self.seed}
        return replace(self._crowd.timeline(self.tick), words=words)

    def taking(self) -> Generator[float, None, Take]:
        """The take of what was played so far."""
        return making_take(self.timeline(), self.scene.title)

    def _events(self) -> tuple[Event, ...]:
        return tuple(event for event in self._crowd.events(self.tick) if event.tick == self.tick)

    def _placed(self, who: int) -> Sequence[Placed]:
        fight, number = self._crowd.fight_of(who)
        return fight.placed(number)

    def _library(self, who: int) -> ActionLibrary:
        fight, number = self._crowd.fight_of(who)
        return fight.fighters[number].graph.library

    def _note(self, what: str, values: dict[str, Any]) -> None:
        self._inputs.append(Input(self.tick, what, dict(values)))

    def _change(self, what: str, values: dict[str, Any], **changes: Any) -> None:
        """Let a fighter be another, and write down who asked for it."""
        fight, number = self._crowd.fight_of(self._who(what, values["who"]))
        fight.change(number, replace(fight.fighters[number], **changes))
        self._note(what, values)
        values.clear()

    def _fighter(self, what: str, values: dict[str, Any]) -> Fighter:
        fight, number = self._crowd.fight_of(self._who(what, _needed(what, values, "who")))
        return fight.fighters[number]

    def _who(self, what: str, said: Any) -> int:
        if isinstance(said, int) and not isinstance(said, bool) and 0 <= said < len(self.names):
            return said
        if said not in self.names:
            raise RandoriError(f"{what}: nobody is named {said!r}; {suggest(str(said), self.names)}")
        return self.names.index(said)

    def _weight(self, values: dict[str, Any]) -> None:
        fighter, name = self._fighter("weight", values), _needed("weight", values, "weight")
        if name not in WEIGHTS:
            raise RandoriError(f"weight: there is no weight {name!r}; {suggest(str(name), list(WEIGHTS))}")
        value = _number("weight", values, "value", 0.0, 1e9)
        self._change("weight", values, style=fighter.style.with_weights({name: value}))

    def _depth(self, values: dict[str, Any]) -> None:
        self._fighter("depth", values)
        self._change("depth", values, depth=int(_number("depth", values, "value", 1, _DEEPEST)))

    def _reaction(self, values: dict[str, Any]) -> None:
        self._fighter("reaction", values)
        self._change("reaction", values, reaction=_number("reaction", values, "value", 0.0, _SLOWEST))

    def _request(self, values: dict[str, Any]) -> None:
        fighter = self._fighter("request", values)
        changes = {}
        for key in ("wanted", "unwanted"):
            if key in values:
                words = tuple(values[key])
                known = sorted(chosen_words(fighter.graph))
                for word in words:
                    if word not in known:
                        raise RandoriError(f"request.{key}: no action {word!r}; {suggest(str(word), known)}")
                changes[key] = words
        self._change("request", values, **changes)

    def _goal(self, values: dict[str, Any]) -> None:
        place = _needed("goal", values, "place")
        if not isinstance(place, list | tuple) or len(place) != 2:
            raise RandoriError(f"goal: place is x and z in metres, not {place!r}")
        x, z = (_number("goal", {"place": value}, "place", -1e4, 1e4) for value in place)
        said = values.get("who")
        who = range(len(self.names)) if said is None else [self._who("goal", one) for one in said]
        radius = _number("goal", values, "radius", 0.01, 100.0) if "radius" in values else 0.5
        for fight, some in zip(self._crowd.fights, self._crowd.members):
            drawn = tuple(some.index(one) for one in who if one in some)
            if drawn:
                fight.director.aim((x, z), radius, drawn)
        self._note("goal", values)
        values.clear()

    def _row(self, values: dict[str, Any]) -> None:
        words = {}
        for key, known in (("defence", ANSWERS), ("attack", ATTACKS), ("position", ("", *POSITIONS))):
            words[key] = values.get(key, "") if key == "position" else _needed("row", values, key)
            if words[key] not in known:
                raise RandoriError(
                    f"row: there is no {key} {words[key]!r}; {suggest(str(words[key]), list(known))}"
                )
        suitability = _number("row", values, "suitability", -1.0, 1.0)
        for fight in self._crowd.fights:
            fight.amend(Amendment(words["defence"], words["attack"], suitability, words["position"]))
        self._note("row", values)
        values.clear()

    def _tag(self, values: dict[str, Any]) -> None:
        graph = self._fighter("tag", values).graph
        library = graph.library
        action = int(_number("tag", values, "action", 0, len(library) - 1))
        known = [field.name for field in fields(Tags)]
        words = {key: value for key, value in values.items() if key not in ("who", "action")}
        for key, value in words.items():
            if key not in known or not isinstance(value, str):
                raise RandoriError(f"tag: {key} = {value!r}: expected words for {', '.join(known)}")
        tags = list(library.tags)
        tags[action] = replace(tags[action], **words)
        other = replace(graph, library=replace(library, tags=tuple(tags)))
        for fight in self._crowd.fights:
            for number, fighter in enumerate(fight.fighters):
                if fighter.graph is graph:
                    fight.change(number, replace(fighter, graph=other))
        self._note("tag", values)
        values.clear()


def _needed(what: str, values: dict[str, Any], key: str) -> Any:
    if key not in values:
        raise RandoriError(f"{what}: {key} is missing")
    return values[key]


def _number(what: str, values: dict[str, Any], key: str, least: float, most: float) -> float:
    value = _needed(what, values, key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise RandoriError(f"{what}: {key} is a number from {least:g} to {most:g}, not {value!r}")
    return float(value)


class Actor:
    """The poses of one character as it goes along: each action from where the one before was left."""

    def __init__(self) -> None:
        self._count, self._start = 0, 0
        self._clip: Clip | None = None

    def pose(
        self, placed: Sequence[Placed], library: ActionLibrary, tick: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """(3,) root and (J, 4) rotations in a tick."""
        while self._count < len(placed) and (self._count == 0 or placed[self._count].start <= tick):
            self._begin(placed[self._count], library)
            self._count += 1
        clip = self.shown(placed, library)
        frame = min(tick - self._start, len(clip) - 1)
        return clip.root_position[frame], clip.rotations[frame]

    def shown(self, placed: Sequence[Placed], library: ActionLibrary) -> Clip:
        """The action that is played."""
        if self._clip is None:
            self._begin(placed[0], library)
            self._count = 1
        assert self._clip is not None
        return self._clip

    def _begin(self, one: Placed, library: ActionLibrary) -> None:
        last = max(one.last, one.first + 2)  # a velocity needs some frames
        recorded = library.clips[int(library.frames.clip[one.first])]
        clip = one.placement.move(library.clip(one.first, min(last, recorded.stop - 1), ""))
        if self._clip is not None:
            cut = min(max(one.start - self._start, 1), len(self._clip) - 1)
            before = self._clip.with_frames(
                self._clip.root_position[: cut + 1], self._clip.rotations[: cut + 1]
            )
            joined = join(before, clip, _JOIN)
            clip = clip.with_frames(joined.root_position[cut:], rot.unroll(joined.rotations[cut:]))
        self._clip, self._start = clip, one.start
