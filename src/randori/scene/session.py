"""The one loop: a scene of any controllers, tick by tick. A headless run is a session without live inputs.

    ready = finish(preparing_scene(scene))
    session = SceneSession(scene, ready)
    session.send("set", who="Red", key="distance", value=1.6)
    frame = session.step()              # one tick: roots, rotations, props, events
    take = finish(session.taking())     # the session so far, as a take: refined, measured, to be saved

These inputs can be sent, with plain JSON values; `who` is a name or a list of names:

| input | values | effect |
|---|---|---|
| `go` | who, place | go to x and z; a thing of [[targets]] hangs at x, y and z |
| `face` | who, degrees | look that way: 0 is +z, 90 is +x |
| `do` | who, action | perform an action, as soon as possible |
| `set` | who, key, value | change a character's wishes; docs/scenes.md has the keys of every controller |
| `take over` | who | a player leads this character from now on |
| `let go` | who | and no longer |

`Script.of(session, …)` of timeline/session.py records what was sent; `replaying` plays it to the same bytes.
Poses of a live session are joined without knowledge of the future: the take is smoother.
"""

from collections.abc import Generator, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from itertools import pairwise
from math import radians
from typing import Any

import numpy as np

from randori.characters.character import Costume
from randori.duel.solids import Wall
from randori.errors import FileError, RandoriError
from randori.graph.joining import Walk
from randori.motion.clip import Clip
from randori.motion.skeleton import Skeleton
from randori.physics.refine import Refined, refining
from randori.physics.skins import is_touch
from randori.render.camera import Focus
from randori.scene.avatars import AvatarsPart
from randori.scene.bodies import bodies_afterwards, costumes
from randori.scene.checks import ROOM, too_near
from randori.scene.dress import dressing
from randori.scene.fights import FightsPart
from randori.scene.filming import filmed
from randori.scene.groups import GROUPS
from randori.scene.meeting import Meeting
from randori.scene.on_skins import Skins, fit_to_skins, measure_on_skins, with_figures
from randori.scene.part import Command, Part
from randori.scene.pinned import refining_pinned
from randori.scene.preparing import Ready
from randori.scene.scene import INPUT_VALUES, Scene, as_recorded
from randori.scene.take import Take, View, baking_bodies, finished_take
from randori.scene.things import scene_props
from randori.scene.walkers import WalkersPart
from randori.tables import suggest
from randori.timeline.session import Frame, Input, Script
from randori.timeline.timeline import Decision, Event, Timeline, Track
from randori.work import finish, part

SLICE = 30  # ticks that a headless run goes on by
_FAR_PLACE = 1e4  # metres
_FORESEEN, _EVERY = 150, 10  # ticks for which the parts know each other's plans, and from place to place
_LOOK_INTERVAL = 15  # ticks from one look at the others to the next


class SceneSession:
    """A scene that runs; see timeline/session.py."""

    def __init__(self, scene: Scene, ready: Ready, threads: int | None = None) -> None:
        self.scene, self.seed = scene, scene.seed
        self.parts = parts_of(scene, ready, threads)
        self.fps = self.parts[0].fps
        for one in self.parts:
            if not np.isclose(one.fps, self.fps, rtol=1e-9):
                raise FileError(
                    f"{scene.name}.toml",
                    f"motions: {one.names[0]} moves at {one.fps:g} frames a second, "
                    f"{self.parts[0].names[0]} at {self.fps:g}; capture them at one rate",
                )
        groups = [one.names for one in self.parts if one.key]
        self._bodies = bodies_afterwards(scene, groups)  # by name: their takes are dressed afterwards
        self.tick = 0
        self._check_room()
        self._check_named()
        self._meeting = self._meet(scene)
        self._look_around()
        for one in self.parts:
            one.begin()
        self._inputs: list[Input] = []
        lines = sorted(enumerate(scene.inputs, 1), key=lambda line: line[1].time)
        self._waiting = [(round(line.time * self.fps), number, line) for number, line in lines]

    def _meet(self, scene: Scene) -> Meeting | None:
        """Several parts share the floor: targets across parts, and blows between them."""
        if len(self.parts) == 1:
            return None
        for one in self.parts:
            one.share()
        names, duel = self.names, self.parts[0]
        apart = []
        for number in scene.guests():
            member = scene.cast[number]
            part = next(one for one in self.parts if member.name in one.names)
            guest, rival = part.names.index(member.name), duel.names.index(member.target)
            part.go_for(guest, duel, rival)
            duel.receive(part, guest, names.index(member.name))
            apart += [(names.index(member.name), fighter) for fighter in range(len(duel.names))]
        return Meeting(self.parts, self.fps, apart)

    def _check_room(self) -> None:
        """No character may begin in a wall, or in a character of another part."""
        now = np.zeros(1, dtype=np.int64)
        spots = [one.spots(now)[:, 0] for one in self.parts]
        for number, one in enumerate(self.parts):
            where = one.key or "cast"
            for row, table in enumerate(self.scene.walls, 1):
                wall = Wall(table.start, table.stop, table.thickness)
                if one.key and len(spots[number]) and wall.depth(spots[number]).max() > 0.0:
                    raise FileError(
                        f"{self.scene.name}.toml",
                        f"{where}.place: a character would stand in walls[{row}]; give another place",
                    )
            for other, theirs in zip(self.parts[:number], spots):
                pair = too_near([tuple(place) for place in (*theirs, *spots[number])])
                if pair is not None and pair[0] < len(theirs) <= pair[1]:
                    raise FileError(
                        f"{self.scene.name}.toml",
                        f"{where}.place: {one.names[pair[1] - len(theirs)]} would stand in "
                        f"{other.names[pair[0]]}; bodies need {ROOM:g} m",
                    )

    def _check_named(self) -> None:
        """The camera and the inputs of the scene name characters that there are, and what those can do."""
        on = self.scene.camera.on
        if on and on not in self.names:
            raise FileError(
                f"{self.scene.name}.toml",
                f"camera.on: nobody is named {on!r}; {suggest(on, self.names[:50])}",
            )
        for number, line in enumerate(self.scene.inputs, 1):
            try:
                addressed = self._meant(line.what, line.who)
            except RandoriError as error:
                raise FileError(f"{self.scene.name}.toml", f"inputs[{number}].who: {error}") from error
            for one, who, thing in addressed if line.what in ("do", "set") else []:
                leading = who[0] if who else max(one.leads, 0)
                key, word = ("action", line.action) if line.what == "do" else ("key", line.key)
                known = list(one.actions(leading) if line.what == "do" else one.settings)
                if thing < 0 and word not in known:
                    there = suggest(word, known) if known else f"{one.names[leading]} knows none"
                    raise FileError(
                        f"{self.scene.name}.toml", f"inputs[{number}].{key}: there is no {word!r}; {there}"
                    )

    # -- facts about the session -------------------------------------------------------------------

    @property
    def inputs(self) -> Sequence[Input]:
        """All inputs so far; commands of the scene itself are no inputs."""
        return self._inputs

    @property
    def names(self) -> list[str]:
        """All characters, including later arrivals."""
        return [name for one in self.parts for name in one.names]

    @property
    def outfits(self) -> list[int]:
        return [outfit for one in self.parts for outfit in one.outfits]

    @property
    def skeletons(self) -> list[Skeleton]:
        """Of all characters, whose joints are those of the frames."""
        return [skeleton for one in self.parts for skeleton in one.skeletons]

    @property
    def bodies(self) -> list[Costume | Skeleton | None]:
        """For each character, the body that it has in a take, if it is not the built-in one.

        Fighters move on it already. The others move as mannequins, and their take is dressed afterwards.
        """
        planned = costumes(self.scene, self.names, self.skeletons)
        return [self._bodies.get(name, costume) for name, costume in zip(self.names, planned)]

    @property
    def present(self) -> list[bool]:
        """For each character, whether it has come."""
        return [here for one in self.parts for here in one.present]

    @property
    def end(self) -> int | None:
        """The tick in which the story is complete, as far as it is known."""
        return min((one.end for one in self.parts if one.end is not None), default=None)

    def copied(self) -> "SceneSession | None":
        """The same session in the same tick, to go on differently; None if a part cannot be copied."""
        copies = [one.copied() for one in self.parts]
        parts = [one for one in copies if one is not None]
        if len(parts) < len(copies):
            return None
        other = copy(self)
        other.parts, other._inputs, other._waiting = parts, list(self._inputs), list(self._waiting)
        return other

    # -- inputs ------------------------------------------------------------------------------------

    def send(self, what: str, /, **values: Any) -> Input:
        """Send an input; see above. An input that cannot be used is an error, and changes nothing."""
        self._obey(what, values)
        self._inputs.append(Input(self.tick, what, dict(values)))
        return self._inputs[-1]

    def _obey(self, what: str, values: dict[str, Any]) -> None:
        if what not in INPUT_VALUES:
            raise RandoriError(f"unknown input {what!r}; {suggest(what, list(INPUT_VALUES))}")
        for key in values:
            if key not in ("who", *INPUT_VALUES[what]):
                raise RandoriError(f"{what}: unknown: {key}")
        for key in INPUT_VALUES[what]:
            if key not in values:
                raise RandoriError(f"{what}: {key} is missing")
        command = Command(what)
        if what == "go":
            place = _place(values["place"])
            height = place[1] if len(place) == 3 else None
            command = replace(command, place=(place[0], place[-1]), height=height)
        elif what == "face":
            degrees = values["degrees"]
            if isinstance(degrees, bool) or not isinstance(degrees, int | float) or not abs(degrees) <= 3600:
                raise RandoriError(f"face: degrees is a number from -3600 to 3600, not {degrees!r}")
            command = replace(command, facing=radians(degrees))
        elif what == "do":
            command = replace(command, action=str(values["action"]))
        elif what == "set":
            command = replace(command, key=str(values["key"]), value=values["value"])
        for one, who, thing in self._meant(what, values.get("who")):
            one.obey(replace(command, who=who, thing=thing))

    def _meant(self, what: str, said: Any) -> list[tuple[Part, tuple[int, ...], int]]:
        """The addressees of an input: parts, with characters or a thing of theirs."""
        if said is None or said == "":
            if len(self.parts) > 1:
                raise RandoriError(f"{what}: who is missing; there are {', '.join(self.names[:20])}")
            return [(self.parts[0], (), -1)]
        found: dict[int, list[int]] = {}
        for one in said if isinstance(said, list | tuple) else [said]:
            for number, some in enumerate(self.parts):
                if one in some.things:
                    return [(some, (), some.things.index(one))]
                if one in some.names:
                    found.setdefault(number, []).append(some.names.index(one))
                    break
            else:
                known = [*self.names, *(thing for some in self.parts for thing in some.things)]
                raise RandoriError(f"{what}: no character is named {one!r}; {suggest(str(one), known[:50])}")
        return [(self.parts[number], tuple(who), -1) for number, who in found.items()]

    # -- results -----------------------------------------------------------------------------------

    def advance(self, tick: int) -> None:
        """Go on to a tick without a look at it."""
        while self.tick < tick:
            self._say_lines()
            until = min(tick, (self.tick // SLICE + 1) * SLICE)
            if self._waiting:
                until = min(until, max(self._waiting[0][0], self.tick + 1))
            if self._meeting is not None:
                until = self.tick + 1  # parts that may meet advance together
            for one in self.parts:
                one.advance(until)
            self.tick = until
            if self._meeting is not None:
                self._meeting.look(self.tick)
            self._look_around()

    def _look_around(self) -> None:
        """Now and then, tell every part where characters of other parts are going to be."""
        if len(self.parts) == 1 or self.tick % _LOOK_INTERVAL:
            return
        ticks = self.tick + np.arange(0, _FORESEEN, _EVERY)
        spots = [one.spots(ticks) for one in self.parts]
        for number, one in enumerate(self.parts):
            others = [
                some[[who for who in range(len(some)) if not one.takes_in(self.parts[k], who)]]
                for k, some in enumerate(spots)
                if k != number
            ]
            one.mind(np.concatenate(others), ticks)

    def _say_lines(self) -> None:
        """The commands of the scene itself in this tick, as a player would send them."""
        while self._waiting and self._waiting[0][0] <= self.tick:
            _, number, line = self._waiting.pop(0)
            try:
                self._obey(
                    line.what, line.model_dump(mode="json", exclude_unset=True, exclude={"time", "what"})
                )
            except RandoriError as error:
                raise FileError(f"{self.scene.name}.toml", f"inputs[{number}]: {error}") from error

    def step(self) -> Frame:
        """The next tick."""
        self.advance(self.tick + 1)
        poses = [pose for one in self.parts for pose in one.poses(self.tick)]
        joints = max(len(pose[1]) for pose in poses)
        rotations = np.tile(np.array([1.0, 0.0, 0.0, 0.0]), (len(poses), joints, 1))
        for row, (_, turned) in zip(rotations, poses):
            row[: len(turned)] = turned
        props = np.concatenate([one.moving(self.tick) for one in self.parts])
        return Frame(self.tick, np.array([pose[0] for pose in poses]), rotations, props, self._events())

    def _events(self) -> tuple[Event, ...]:
        events, before = [], 0
        for one in self.parts:
            events += [_moved_event(event, before) for event in one.events(self.tick)]
            before += len(one.names)
        if self._meeting is not None:
            events += [event for event in self._meeting.events if event.tick == self.tick]
        return tuple(events)

    def decisions(self) -> list[tuple[Decision, str]]:
        """The decisions so far, each with a description of its action."""
        found, before = [], 0
        for one in self.parts:
            for number, decision in enumerate(one.decisions()):
                found.append((_moved_decision(decision, before), one.decided(number)))
            before += len(one.names)
        return found

    def running(self, ticks: int, script: Script | None = None) -> Generator[float, None, None]:
        """Play a number of ticks, or until the story is complete, with the inputs of a script; yields the
        share."""
        waiting = sorted(script.inputs, key=lambda one: one.tick) if script is not None else []
        stop = ticks
        for part_of_it in self.parts:
            part_of_it.end_by(ticks)
        while self.tick < stop:
            yield self.tick / ticks
            while waiting and waiting[0].tick <= self.tick:
                one = waiting.pop(0)
                self.send(one.what, **one.values)
            until = min(stop, (self.tick // SLICE + 1) * SLICE)
            self.advance(min([until, *(one.tick for one in waiting[:1])]))
            stop = min(ticks, self.end if self.end is not None else ticks)
        self.tick = min(self.tick, stop)

    def timeline(self) -> Timeline:
        """The events so far."""
        lines = self._lines()
        walls = tuple(
            Wall(wall.start, wall.stop, wall.thickness, wall.height).obstacle() for wall in self.scene.walls
        )
        met = self._meeting.events if self._meeting is not None else []
        return together(lines, walls, self._here(met))

    def _here(self, events: Sequence[Event]) -> list[Event]:
        """Events with the numbers of the characters that have come: only they have tracks."""
        numbers = np.cumsum(self.present) - 1
        return [
            replace(event, who=int(numbers[event.who]), whom=int(numbers[event.whom])) for event in events
        ]

    def _lines(self) -> list[Timeline]:
        ticks = self.tick - max(one.behind for one in self.parts)
        return [one.timeline(ticks) for one in self.parts]

    def baking(self, timeline: Timeline) -> Generator[float, None, list[Walk]]:
        """The motions of its timeline before refinement; yields the share that is done."""
        known: list[Walk | None] = []
        for one, line in zip(self.parts, self._lines()):
            known += one.walks() or [None] * len(line.tracks)
        return (yield from baking_bodies(timeline, known))

    def take(self) -> Take:
        """The session so far, as a take; see `taking`."""
        return finish(self.taking())

    def taking(self) -> Generator[float, None, Take]:
        """The take of the session so far, with its things and its view; yields the share that is done."""
        timeline, lines = self.timeline(), self._lines()
        replaced = self.parts[0].replaced  # pins are for scenes of fighters alone
        if replaced:
            refined = yield from part(refining_pinned(timeline, replaced), 0.0, 0.8)
        else:
            walks = yield from part(self.baking(timeline), 0.0, 0.5)
            refined = yield from part(refining(timeline, walks), 0.5, 0.3)
        cuts = np.cumsum([0, *(len(line.tracks) for line in lines)]).tolist()
        clips = self._hold(cuts, [one.walk.clip for one in refined])
        refined = [one._replace(walk=replace(one.walk, clip=clip)) for one, clip in zip(refined, clips)]
        take = yield from part(self._finished(timeline, refined), 0.8, 0.1)
        here = {role.name for role in take.roles}
        bodies = {name: one for name, one in self._bodies.items() if name in here}
        if bodies:
            take, _ = yield from part(dressing(take, bodies, partial(self._hold, cuts)), 0.85, 0.05)
        clips = take.clips
        yield 0.9
        props = scene_props(self.scene, take.events, take.ticks, take.fps)
        for one, before, after in zip(self.parts, cuts, cuts[1:]):
            props += one.props(clips[before:after], take.ticks)
        take = replace(take, props=tuple(props))
        return self._seen(take, [clips[before:after] for before, after in pairwise(cuts)])

    def _hold(self, cuts: Sequence[int], clips: list[Clip]) -> list[Clip]:
        """The clips of all parts, which are cut there, with hands on luggage."""
        held = []
        for one, before, after in zip(self.parts, cuts, cuts[1:]):
            held += one.hold(clips[before:after])
        return held

    def _finished(self, timeline: Timeline, refined: Sequence[Refined]) -> Generator[float, None, Take]:
        """The take, measured; your own characters are first fitted to each other's skins."""
        tracks = timeline.tracks
        worn = costumes(self.scene, [one.name for one in tracks], [one.library.skeleton for one in tracks])
        if not any(worn):
            return finished_take(timeline, refined, self.scene.title)
        walks = [one.walk for one in refined]
        bodies = [None if one is None else one.character for one in worn]
        skins = Skins.of([walk.clip for walk in walks], bodies)
        touches = [event for event in timeline.events if is_touch(event, timeline.ticks + 1)]
        yield 0.1
        fitted = fit_to_skins(walks, skins, touches)
        refined = [one._replace(walk=walk) for one, walk in zip(refined, fitted)]
        yield 0.6
        take = finished_take(timeline, refined, self.scene.title)
        figures = measure_on_skins(take.clips, skins, touches)
        roles = tuple(replace(role, costume=one) for role, one in zip(take.roles, worn))
        return replace(take, roles=roles, measured=with_figures(take.measured, figures))

    def _seen(self, take: Take, clips: list[list[Any]]) -> Take:
        """The take from the camera of the scene; without one, so that the important moments are in view."""
        camera, leading = self.scene.camera, self.parts[0]
        elevation = radians(camera.elevation)
        if "elevation" not in camera.model_fields_set and len(self.parts) == 1 and leading.elevation:
            elevation = leading.elevation
        take = replace(take, view=View(radians(camera.azimuth), elevation, camera.follow))
        if camera.on:
            names = [role.name for role in take.roles]
            if camera.on not in names:
                raise FileError(
                    f"{self.scene.name}.toml",
                    f"camera.on: no character is named {camera.on!r}; {suggest(camera.on, names[:50])}",
                )
            return take.watching(camera.on, camera.reach)
        focus: Focus | None = leading.focus(take, clips[0]) if len(self.parts) == 1 else None
        if focus is not None:
            return replace(take, view=take.view._replace(focus=focus))
        return take if self.scene.formation is not None else filmed(take)


def parts_of(scene: Scene, ready: Ready, threads: int | None) -> list[Part]:
    """The parts of a scene: fighters, policies, walkers, groups."""
    parts: list[Part] = []
    if scene.members("duel"):
        parts.append(FightsPart(scene, ready.graphs, threads, ready.finale))
    for name, table in ready.tables.items():
        members = [one for one in scene.members("policy", "player") if scene.motions_of(one) == name]
        graph = ready.graphs.get(as_recorded(name))
        parts.append(AvatarsPart(scene, table, members, _count(parts), graph))
    walkers = scene.members("prepare")
    taken: set[str] = set()
    for hero in walkers:
        if not hero.goal:
            continue
        opponents = [
            one
            for one in walkers
            if hero.goal == "opponents"
            and not one.goal
            and one.team != hero.team
            and one.name not in taken
            and scene.motions_of(one) == scene.motions_of(hero)
        ]
        taken |= {one.name for one in opponents}
        learned = ready.walkers[scene.motions_of(hero)]
        parts.append(WalkersPart(scene, hero, opponents, *learned, _count(parts)))
    groups = zip(scene.group, ready.groups, ready.pictures)
    for number, (group, prepared, picture) in enumerate(groups, 1):
        made = GROUPS[group.kind](scene, group, prepared, picture, _count(parts))
        known = {name for one in parts for name in one.names}
        made.names, made.key = [_free_name(name, known) for name in made.names], f"group[{number}]"
        parts.append(made)
    return parts


def _count(parts: Sequence[Part]) -> int:
    return sum(len(one.names) for one in parts)


def _free_name(name: str, known: set[str]) -> str:
    """An unused name."""
    number, free = 2, name
    while free in known:
        free, number = f"{name} ({number})", number + 1
    return free


def _place(given: Any) -> tuple[float, ...]:
    """Two or three metres."""
    place = tuple(given) if isinstance(given, list | tuple) else ()
    numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in place)
    if len(place) not in (2, 3) or not numbers or not all(abs(one) < _FAR_PLACE for one in place):
        raise RandoriError(f"go: place is x and z in metres, or x, y and z, not {given!r}")
    return tuple(float(one) for one in place)


# -- several timelines as one ----------------------------------------------------------------------------


def together(lines: Sequence[Timeline], obstacles: Sequence[Any] = (), met: Sequence[Event] = ()) -> Timeline:
    """Timelines side by side, with numbers in the whole scene, and the events between them."""
    if len(lines) == 1:
        return (
            lines[0] if lines[0].obstacles or not obstacles else replace(lines[0], obstacles=tuple(obstacles))
        )
    tracks: list[Track] = []
    events: list[tuple[int, int, Event]] = []
    decisions: list[tuple[int, int, Decision]] = []
    for number, line in enumerate(lines):
        before = len(tracks)
        events += [(one.tick, number, _moved_event(one, before)) for one in line.events]
        decisions += [(one.tick, number, _moved_decision(one, before)) for one in line.decisions]
        tracks += [_moved_track(track, before) for track in line.tracks]
    events += [(one.tick, len(lines), one) for one in met if one.tick <= lines[0].ticks]
    words = {key: value for line in lines for key, value in line.words.items()}
    crowds = [line.crowd for line in lines if line.crowd.crowd_people]
    own = next((line.obstacles for line in lines if line.obstacles), tuple(obstacles))
    return Timeline(
        lines[0].fps,
        lines[0].ticks,
        tuple(tracks),
        tuple(event for _, _, event in sorted(events, key=lambda row: row[:2])),
        tuple(one for _, _, one in sorted(decisions, key=lambda row: row[:2])),
        words,
        own,
        crowds[0] if len(crowds) == 1 else lines[0].crowd,
    )


def _moved_track(track: Track, before: int) -> Track:
    if track.fighting is None or not before:
        return track
    opponents = tuple(one + before for one in track.fighting.opponents)
    return replace(track, fighting=replace(track.fighting, opponents=opponents))


def _moved_event(event: Event, before: int) -> Event:
    who, whom = (one + before if one >= 0 else -1 for one in (event.who, event.whom))
    return replace(event, who=who, whom=whom) if before else event


def _moved_decision(one: Decision, before: int) -> Decision:
    if not before:
        return one
    return replace(
        one,
        who=one.who + before,
        unseen=tuple(other + before for other in one.unseen),
        line=tuple((who + before, action, tick) for who, action, tick in one.line),
    )
