"""The part of a scene that is a duel: fighters who search, in one fight or in several side by side."""

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import fields, replace
from typing import Any

import numpy as np

from randori import __version__
from randori.body.palette import OUTFITS
from randori.capture.actions import Tags
from randori.duel.combination import ANSWERS, ATTACKS, POSITIONS, Amendment
from randori.duel.fight import Fight
from randori.duel.fighter import Fighter
from randori.duel.styles import STYLES, Style
from randori.errors import FileError, RandoriError
from randori.graph.action_graph import ActionGraph
from randori.graph.library import ActionLibrary
from randori.motion.placement import Placement
from randori.motion.skeleton import Skeleton
from randori.patches.prepared import Prepared
from randori.scene.acting import LivePoses
from randori.scene.cast import gather
from randori.scene.checks import chosen_words
from randori.scene.ending import unmet
from randori.scene.finale import Finale
from randori.scene.parallel_fights import ParallelFights, Pinned
from randori.scene.part import Command, Control, Part, Pose, Shown, Thing, found_row, to_number
from randori.scene.reactions import Blow
from randori.scene.scene import Scene, weights_of_fighters
from randori.scene.things import CAR_PARTS, car_parts
from randori.tables import suggest
from randori.timeline.timeline import Decision, Event, Placed, Timeline

_DEEPEST_SEARCH = 8  # plies
_SLOWEST_REACTION = 5.0  # seconds of reaction
_RADIUS = 0.5  # metres within which a character has arrived at the place of a command
_CONTROLLED_CHARACTERS = 6  # characters that get controls
_OFFERED_WEIGHTS = {  # weights that a live page offers, with their descriptions
    "distance": "Metres that it likes to keep from its opponent.",
    "given_short": "Weight of an early hit.",
    "given_long": "Weight of a hit.",
    "taken": "Weight of being hit.",
    "recency_weight": "How much it avoids repeating an action.",
    "path_weight": "How much it wants to reach the place of its command.",
}
# a fighter that a player has taken over: its place counts more than any blow
_LED_WEIGHTS = {"path_weight": 1e8, "request_weight": 1e7}


class FightsPart(Part):
    """Fighters who search."""

    def __init__(
        self,
        scene: Scene,
        graphs: dict[str, ActionGraph],
        threads: int | None = None,
        finale: Sequence[Prepared] = (),
    ) -> None:
        self.crowd = gather(scene, graphs, threads)
        self.scene = scene = scene.fighting()
        cast = [
            fighter
            for fight in self.crowd.fights
            for who, fighter in enumerate(fight.fighters)
            if who not in fight.guests
        ]
        order = [who for some in self.crowd.members for who in some[: len(cast)]]
        self.names = [cast[order.index(who)].name for who in range(len(cast))]
        # characters of other controllers that take part: their parts, and their numbers there and in the
        # scene
        self.guests: list[tuple[Part, int, int]] = []
        members = [scene.cast[who % len(scene.cast)] for who in range(len(self.names))]
        self.outfits = [
            OUTFITS[member.outfit] if member.outfit else who for who, member in enumerate(members)
        ]
        self.fps, self._tick = self.crowd.fps, 0
        if scene.finale is not None and finale:
            one, other = (self.names.index(name) for name in scene.finale.who)
            self.crowd.finale = Finale(finale[0], (one, other), round(scene.finale.time * self.fps))
        self._actors = [LivePoses() for _ in cast]
        self._own: dict[int, Style] = {}  # of the fighters that a player has taken over
        self.crowd.pins = sorted(map(self._pinned, range(len(scene.pins))), key=lambda pin: pin.tick)

    @property
    def skeletons(self) -> list[Skeleton]:
        return [self._library(who).skeleton for who in range(len(self.names))]

    @property
    def end(self) -> int | None:
        return self.crowd.end

    def advance(self, tick: int) -> None:
        self._tick = tick
        fight = self.crowd.fights[0]
        for number, (other, who, _) in zip(fight.guests, self.guests):
            group, row = found_row(other.shown(tick - 1), who)
            fight.show_guest(number, int(group.frames[row]), group.places[row])
        self.crowd.advance(tick)
        for number, action in fight.answers:
            other, who, _ = self.guests[fight.guests.index(number)]
            other.answer(who, action)
        fight.answers.clear()

    def share(self) -> None:
        self.crowd.shared = True

    def receive(self, other: Part, who: int, number: int) -> None:
        self.guests.append((other, who, number))

    def takes_in(self, other: Part, who: int) -> bool:
        return any(guest[0] is other and guest[1] == who for guest in self.guests)

    def shown(self, tick: int) -> list[Shown]:
        rows = []
        for who in range(len(self.names)):
            placed = self._placed(who)
            one = placed[_running(placed, tick)]
            frame = one.first + min(max(tick, one.start), one.stop) - one.start
            put = one.placement
            rows.append(Shown(self._library(who), np.array([frame]), np.array([[put.x, put.z, put.yaw]])))
        return rows

    def struck(self, who: int, blow: Blow) -> bool:
        fight, number = self.crowd.fight_of(who)
        return fight.strike(number, blow.along, blow.strength)

    @property
    def replaced(self) -> Sequence[tuple[int, ParallelFights]]:
        return self.crowd.replaced

    def _pinned(self, number: int) -> Pinned:
        """A pin of the scene, resolved for the pinned fighter."""
        pin = self.scene.pins[number]
        if pin.who not in self.names:
            raise self._pin_error(number, "who", f"no character is called {pin.who!r}", self.names)
        who = self.names.index(pin.who)
        library = self._library(who)
        named = library.named(pin.action)
        if len(named) == 0:
            raise self._pin_error(number, "action", f"{pin.who} has no {pin.action!r}", library.counts())
        exact = [] if pin.number is None else [np.intersect1d(named, [pin.number])]
        return Pinned(who, round(pin.at * self.fps), (*exact, named), pin.action)

    def end_by(self, tick: int) -> None:
        self.crowd.end = min(self.crowd.end, tick)

    def _pin_error(self, number: int, key: str, problem: str, known: Iterable[str]) -> FileError:
        words = f"pins[{number + 1}].{key}: {problem}; there are {', '.join(known)}"
        return FileError(f"{self.scene.name}.toml", words)

    def poses(self, tick: int) -> list[Pose]:
        if not self.crowd.shared:
            self.crowd.advance(tick + 1)  # so that what begins in the tick is seen
        return [
            actor.pose(self._placed(who), self._library(who), tick) for who, actor in enumerate(self._actors)
        ]

    def spots(self, ticks: np.ndarray) -> np.ndarray:
        found = np.empty((len(self.names), len(ticks), 2))
        for who, row in enumerate(found):
            placements, placed = self._library(who).placements, self._placed(who)
            for column, tick in enumerate(ticks.tolist()):
                one = placed[_running(placed, tick)]
                frame = one.first + min(max(tick, one.start), one.stop) - one.start
                x, z, yaw = placements[frame].tolist()
                place = Placement(x, z, yaw).then(one.placement)
                row[column] = place.x, place.z
        return found

    def forget(self, before: int) -> None:
        for fight in self.crowd.fights:
            fight.forget_options(before)

    def mind(self, others: np.ndarray, ticks: np.ndarray) -> None:
        self.crowd.others = others

    def moving(self, tick: int) -> np.ndarray:
        cars = [car for fight in self.crowd.fights for car in fight.director.props.cars]
        places = [car.place(np.array([tick]), self.fps)[0] for car in cars]
        rows = np.array([[x, 0.0, z, 0.0] for x, z in places]).reshape(-1, 4)
        return np.repeat(rows, CAR_PARTS, axis=0)

    def drawn(self) -> list[Thing]:
        return [Thing("car", prop) for car in self.scene.cars for prop in car_parts(car)]

    def timeline(self, ticks: int) -> Timeline:
        timeline = self.crowd.timeline(ticks)
        words: dict[str, object] = {
            "scene": self.scene.name,
            "seed": self.scene.seed,
            "version": __version__,
        }
        if self.scene.path or self.scene.formation or self.scene.cars or self.scene.pins:
            words["goals not met"] = unmet(self.crowd, timeline)
        finale = self.crowd.finale
        if finale is not None and not finale.begun and finale.tick <= ticks:
            known = words.get("goals not met", [])
            words["goals not met"] = [*known, "finale: no patch continued what the two did"]  # type: ignore
        return self._without_guests(replace(timeline, words=words))

    def _without_guests(self, timeline: Timeline) -> Timeline:
        """The timeline of the fighters alone; guests have the numbers that they have in the whole scene."""
        if not self.guests:
            return timeline
        tracks = tuple(
            track
            if track.fighting is None
            else replace(
                track,
                fighting=replace(
                    track.fighting, opponents=tuple(sorted(map(self._number, track.fighting.opponents)))
                ),
            )
            for track in timeline.tracks[: len(self.names)]
        )
        decisions = tuple(
            replace(
                one,
                unseen=tuple(map(self._number, one.unseen)),
                line=tuple((self._number(who), action, tick) for who, action, tick in one.line),
            )
            for one in timeline.decisions
        )
        events = tuple(map(self._numbered, timeline.events))
        return replace(timeline, tracks=tracks, events=events, decisions=decisions)

    def _number(self, who: int) -> int:
        """The number in the whole scene of a character in the fight: fighters come first there."""
        return who if who < len(self.names) else self.guests[who - len(self.names)][2]

    def _numbered(self, event: Event) -> Event:
        if not self.guests:
            return event
        return replace(event, who=self._number(event.who), whom=self._number(event.whom))

    def events(self, tick: int) -> list[Event]:
        return [self._numbered(event) for event in self.crowd.events(tick) if event.tick == tick]

    def decisions(self) -> Sequence[Decision]:
        return self._without_guests(self.crowd.timeline(self._tick)).decisions

    def decided(self, number: int) -> str:
        decision = self.decisions()[number]
        return self._library(decision.who).describe(decision.action)

    def fight_of(self, who: int) -> tuple[Fight, int]:
        return self.crowd.fight_of(who)

    def copied(self) -> "FightsPart":
        other = copy(self)
        other.crowd, other._own = self.crowd.copied(), dict(self._own)
        other._actors = [copy(actor) for actor in self._actors]
        return other

    def _placed(self, who: int) -> Sequence[Placed]:
        """The actions of a fighter; the last one is under way."""
        fight, number = self.crowd.fight_of(who)
        return fight.placed(number)

    def _library(self, who: int) -> ActionLibrary:
        return self._fighter(who).graph.library

    def _fighter(self, who: int) -> Fighter:
        fight, number = self.crowd.fight_of(who)
        return fight.fighters[number]

    # -- changes by a player -------------------------------------------------------------------------

    def actions(self, who: int) -> list[str]:
        return sorted(chosen_words(self._fighter(who).graph))

    @property
    def settings(self) -> list[str]:
        return [*weights_of_fighters(), "depth", "reaction", "wanted", "unwanted", "combination", "tags"]

    def obey(self, command: Command) -> None:
        self.crowd.pins.clear()  # they are for a take without inputs
        characters = command.who or tuple(range(len(self.names)))
        match command.what:
            case "go":
                self._go(command.place, characters)
            case "do":
                self._check_actions("do.action", characters, (command.action,))
                for who in characters:
                    self._change(who, wanted=(command.action,))
            case "set":
                self._set(command, characters)
            case "take over":
                for who in command.who:
                    style = self._fighter(who).style
                    self._own.setdefault(who, style)
                    self._change(who, style=style.with_weights(_LED_WEIGHTS))
                    fight, number = self.crowd.fight_of(who)
                    fight.director.led.add(number)
            case "let go":
                for who in command.who:
                    self._change(who, style=self._own.pop(who, self._fighter(who).style), wanted=())
                    fight, number = self.crowd.fight_of(who)
                    fight.director.led.discard(number)
            case _:
                raise self.refuse(command, "a fighter faces its opponents; there are go, do and set")

    def _go(self, place: tuple[float, float], characters: Sequence[int]) -> None:
        for fight, some in zip(self.crowd.fights, self.crowd.members):
            drawn = tuple(some.index(one) for one in characters if one in some)
            if drawn:
                fight.director.aim(place, _RADIUS, drawn)

    def _set(self, command: Command, characters: Sequence[int]) -> None:
        key, value = command.key, command.value
        if key in weights_of_fighters():
            number = to_number(f"set: {key}", value, 0.0, 1e9)
            for who in characters:
                self._change(who, style=self._fighter(who).style.with_weights({key: number}))
        elif key == "depth":
            depth = int(to_number("set: depth", value, 1, _DEEPEST_SEARCH))
            for who in characters:
                self._change(who, depth=depth)
        elif key == "reaction":
            reaction = to_number("set: reaction", value, 0.0, _SLOWEST_REACTION)
            for who in characters:
                self._change(who, reaction=reaction)
        elif key in ("wanted", "unwanted"):
            if not isinstance(value, list | tuple):
                raise RandoriError(f"set: {key} is a list of actions, not {value!r}")
            self._check_actions(f"set: {key}", characters, value)
            for who in characters:
                self._change(who, **{key: tuple(value)})
        elif key == "combination":
            self._amend(value)
        elif key == "tags":
            self._tag(characters, value)
        else:
            raise RandoriError(f"set: there is no {key!r}; {suggest(key, self.settings)}")

    def _change(self, who: int, **changes: Any) -> None:
        """Let a fighter be another."""
        fight, number = self.crowd.fight_of(who)
        fight.change(number, replace(fight.fighters[number], **changes))

    def _check_actions(self, what: str, characters: Sequence[int], words: Sequence[Any]) -> None:
        for who in characters:
            known = self.actions(who)
            for word in words:
                if word not in known:
                    raise RandoriError(f"{what}: no action {word!r}; {suggest(str(word), known)}")

    def _amend(self, row: Any) -> None:
        """A row of the combination table."""
        if not isinstance(row, dict):
            raise RandoriError("set: combination is a table with defence, attack, suitability and position")
        words = {}
        for key, known in (("defence", ANSWERS), ("attack", ATTACKS), ("position", ("", *POSITIONS))):
            words[key] = row.get(key, "")
            if words[key] not in known:
                raise RandoriError(
                    f"set: combination: there is no {key} {words[key]!r}; "
                    f"{suggest(str(words[key]), list(known))}"
                )
        suitability = to_number("set: combination: suitability", row.get("suitability"), -1.0, 1.0)
        for fight in self.crowd.fights:
            fight.amend(Amendment(words["defence"], words["attack"], suitability, words["position"]))

    def _tag(self, characters: Sequence[int], row: Any) -> None:
        """Change the tags of an action, for all characters with these motions."""
        known = [field.name for field in fields(Tags)]
        if not isinstance(row, dict) or not all(
            isinstance(value, str) and key in known for key, value in row.items() if key != "action"
        ):
            raise RandoriError(f"set: tags is a table with action, and words for {', '.join(known)}")
        graph = self._fighter(characters[0]).graph
        library = graph.library
        action = int(to_number("set: tags: action", row.get("action"), 0, len(library) - 1))
        tags = list(library.tags)
        words = {key: value for key, value in row.items() if key != "action"}
        tags[action] = replace(tags[action], **words)
        other = replace(graph, library=replace(library, tags=tuple(tags)))
        for fight in self.crowd.fights:
            for number, fighter in enumerate(fight.fighters):
                if fighter.graph is graph:
                    fight.change(number, replace(fighter, graph=other))

    def controls(self) -> list[Control]:
        rows = [
            Control(
                "go",
                "Lead them",
                "Click on the floor: they fight their way there, the more their path weight is.",
                "ground",
                {"who": self.names},
                "place",
            )
        ]
        for member in self.scene.cast[:_CONTROLLED_CHARACTERS] if self.scene.formation is None else ():
            style = STYLES[member.style].with_weights(member.weights)
            for key, help in _OFFERED_WEIGHTS.items():
                rows.append(
                    Control(
                        "set",
                        f"{member.name}: {key.replace('_', ' ')}",
                        help,
                        "number",
                        {"who": member.name, "key": key},
                        "value",
                        unit="m" if key == "distance" else "",
                        minimum=0.0,
                        maximum=4.0 if key == "distance" else 1e7,
                        logarithmic=key != "distance",
                        start=getattr(style, key),
                    )
                )
            rows.append(
                Control(
                    "set",
                    f"{member.name}: intelligence",
                    "Selections that it looks ahead.",
                    "number",
                    {"who": member.name, "key": "depth"},
                    "value",
                    minimum=1.0,
                    maximum=4.0,
                    step=1.0,
                    start=float(member.depth),
                )
            )
        return rows


def _running(placed: Sequence[Placed], tick: int) -> int:
    """The number of the placed action, the last of them the latest, that runs in a tick."""
    number = len(placed) - 1
    while number > 0 and placed[number].start > tick:
        number -= 1
    return number
