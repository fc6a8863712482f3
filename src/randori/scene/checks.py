"""Finds goals that contradict each other before a scene runs: the error names the key."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from randori.duel.fight import Fight
from randori.duel.fighter import Fighter
from randori.duel.goals import FALL, Checkpoint, errands
from randori.duel.solids import BODY, Wall
from randori.duel.styles import STYLES
from randori.duel.trial import judged
from randori.errors import FileError
from randori.graph.action_graph import ActionGraph
from randori.graph.library import EFFECTORS
from randori.graph.usefulness import YES, find_usefulness
from randori.scene.scene import Member, Scene
from randori.tables import suggest

SWORD = "sword"  # prefix of the names of styles with a blade
_SHORTEST_ACTION = 0.25  # seconds: shorter actions say nothing about a pace
_LAST_STANDING = "at least one character has to be left to knock the last one down"
ROOM = 0.5  # metres between the pelvises of two characters side by side


def check_scene(scene: Scene, fighters: Sequence[Fighter], path: Sequence[Checkpoint]) -> None:
    """The goals of a scene that no character could reach."""
    for problem in (
        *_in_walls(scene, fighters),
        *_in_each_other(scene, fighters),
        *_unknown_actions(scene, fighters),
        *_allowed_and_not(scene, fighters),
        *_nobody_left(scene, fighters),
        *_without_fall(scene, fighters),
        *_not_there(scene),
        *late(path, fighters, lambda number: f"path[{number + 1}].time"),
    ):
        raise FileError(f"{scene.name}.toml", problem)


def check_falls(scene: Scene, fight: Fight) -> None:
    """A character that has to fall needs a recording that ends lying."""
    for who in sorted(fight.director.to_fall):
        if not fight.can_fall(who):
            raise FileError(
                f"{scene.name}.toml",
                f"{scene.key(who)}.motions: {scene.cast[who].name} has to fall, but no fall in its motions "
                "goes on until it lies; add a recording of one",
            )


def check_blade(scene: Scene, where: str, member: Member, graph: ActionGraph) -> None:
    """A style with a sword needs motions with a blade, and a blade that strikes."""
    if not member.style.startswith(SWORD):
        return
    motions, library = scene.motions_of(member), graph.library
    unarmed = [name for name in STYLES if not name.startswith(SWORD)]
    if "weapon" not in library.skeleton.parts:
        raise FileError(
            f"{scene.name}.toml",
            f"{where}.style: {member.style!r} needs a blade, but no actor in motions.{motions} holds one; "
            f'write holds = "sword" into the sidecars of recordings with a sword, give motions with one, '
            f"or one of the styles {', '.join(unarmed)}",
        )
    if EFFECTORS.index("weapon") not in library.strikes.effector:
        raise FileError(
            f"{scene.name}.toml",
            f"{where}.style: {member.style!r} needs a blade, but no action in motions.{motions} strikes "
            "with it; capture cuts or thrusts",
        )


def weaknesses(scene: Scene, graphs: Mapping[str, ActionGraph]) -> list[str]:
    """Missing motions of fighters, one line each; the performer's own sets are known to be complete."""
    found = []
    for name, graph in graphs.items():
        styles = {member.style for member in scene.members("duel") if scene.motions_of(member) == name}
        fights = any(STYLES[style].touch == 0.0 and STYLES[style].given_long > 0.0 for style in styles)
        if not fights or not (scene.motions[name].files or scene.motions[name].library is not None):
            continue
        useful = find_usefulness(graph.library, graph)
        armed = any(style.startswith(SWORD) for style in styles)
        use = judged(useful.use("sword duel" if armed else "duel"), graph)
        if use.able != YES:
            found.append(f"motions.{name}: {use.able} good for a {use.name}: {use.why}")
        found += [f"motions.{name}: {lack}" for lack in useful.missing]
    return found


def _in_walls(scene: Scene, fighters: Sequence[Fighter]) -> Iterator[str]:
    """Places that a wall does not leave free."""
    places = [(f"path[{number}].place", mark.place) for number, mark in enumerate(scene.path, 1)]
    places += [(f"{scene.key(who)}.place", (one.place.x, one.place.z)) for who, one in enumerate(fighters)]
    for key, place in places:
        yield from in_walls(scene, key, place)


def in_walls(scene: Scene, key: str, place: tuple[float, float]) -> Iterator[str]:
    """The walls that do not leave a place free; `key` is that of the place."""
    for number, wall in enumerate(scene.walls, 1):
        if Wall(wall.start, wall.stop, wall.thickness).depth(np.array(place)) > 0.0:
            least = 0.5 * wall.thickness + BODY
            yield (
                f"{key}: {place[0]:g}, {place[1]:g} lies in walls[{number}]; bodies keep "
                f"{least:.2f} m away from its middle line"
            )


def check_places(scene: Scene) -> None:
    """The places of the cast, before anything is prepared: not in a wall, and not in each other."""
    if scene.formation is not None:
        return  # gives each pair another place
    named = [(number, one) for number, one in enumerate(scene.cast, 1) if one.place is not None]
    places = [one.place[:2] for _, one in named if one.place is not None]
    for (number, _), place in zip(named, places):
        for problem in in_walls(scene, f"cast[{number}].place", place):
            raise FileError(f"{scene.name}.toml", problem)
    pair = too_near(places)
    if pair is not None:
        (_, one), (number, other) = (named[who] for who in pair)
        raise FileError(
            f"{scene.name}.toml",
            f"cast[{number}].place: {other.name} would stand in {one.name}; bodies need {ROOM:g} m",
        )


def _in_each_other(scene: Scene, fighters: Sequence[Fighter]) -> Iterator[str]:
    """Characters that start in the same place."""
    if scene.formation is not None:
        return  # gives each pair another place
    pair = too_near([(one.place.x, one.place.z) for one in fighters])
    if pair is not None:
        one, other = pair
        yield (
            f"{scene.key(other)}.place: {fighters[other].name} would stand in {fighters[one].name}; "
            f"bodies need {ROOM:g} m"
        )


def too_near(places: Sequence[tuple[float, float]]) -> tuple[int, int] | None:
    """The first two places that leave no room for two bodies."""
    spots = np.array(places)
    for number in range(1, len(spots)):
        near = np.flatnonzero(np.linalg.norm(spots[:number] - spots[number], axis=1) < ROOM)
        if len(near):
            return int(near[0]), number
    return None


def _unknown_actions(scene: Scene, fighters: Sequence[Fighter]) -> Iterator[str]:
    """Words that match no action of the character that should do or avoid it."""
    names = [fighter.name for fighter in fighters]
    rows = [
        (f"path[{number}].{key}", asked)
        for number, mark in enumerate(scene.path, 1)
        for key, asked in (("required", mark.required), ("forbidden", mark.forbidden))
    ]
    if scene.formation is not None:
        rows.append(("formation.required", scene.formation.required))
    for key, asked in rows:
        for name, words in asked.items():
            fighter = fighters[names.index(name)]
            known = known_words(fighter.graph)
            for word in words:
                if word not in known:
                    yield f"{key}: {name} has no action {word!r}; {suggest(word, sorted(known))}"
                elif word != FALL and word not in chosen_words(fighter.graph):
                    yield f"{key}: no fighter chooses {word!r}: blows cause it"
                elif word == FALL and key.endswith("required") and not _can_fell(fighter, fighters):
                    yield f"{key}: no character of the other team has an attack that could knock {name} down"


def _allowed_and_not(scene: Scene, fighters: Sequence[Fighter]) -> Iterator[str]:
    """Actions that are both required and forbidden in one place."""
    names = [fighter.name for fighter in fighters]
    for number, mark in enumerate(scene.path, 1):
        for name, words in mark.required.items():
            fighter = fighters[names.index(name)]
            forbidden = _named(fighter, mark.forbidden.get(name, ()))
            for word in words:
                if _named(fighter, (word,)) <= forbidden:
                    yield f"path[{number}].forbidden: {name} has to do {word!r} there, and must not"


def _nobody_left(scene: Scene, fighters: Sequence[Fighter]) -> Iterator[str]:
    """Falls that no character could cause, and checkpoints of fallen characters."""
    names = [fighter.name for fighter in fighters]
    fallen: dict[str, int] = {}  # the checkpoint at which a character has to fall
    for number, mark in enumerate(scene.path, 1):
        for name in mark.who or names:
            if name in fallen and set(scene.path[fallen[name] - 1].who or names) == set(mark.who or names):
                yield f"path[{number}].who: {name} lies, as path[{fallen[name]}].required has it fall before"
        for name in (name for name, words in mark.required.items() if FALL in words):
            fallen[name] = number
            rivals = [one for one in fighters if one.team != fighters[names.index(name)].team]
            if all(_may_not_attack(one, mark.forbidden.get(one.name, ())) for one in rivals):
                yield (
                    f"path[{number}].forbidden: {name} has to fall there, but all that could knock it down "
                    "must not attack"
                )
    if set(fallen) == set(names):
        yield f"path[{max(fallen.values())}].required: {_LAST_STANDING}"
    if scene.formation is not None and all(FALL in scene.formation.required.get(name, ()) for name in names):
        yield f"formation.required: {_LAST_STANDING}"


def _may_not_attack(fighter: Fighter, forbidden: Sequence[str]) -> bool:
    return _named(fighter, ("attack",)) <= _named(fighter, forbidden)


def _named(fighter: Fighter, words: Sequence[str]) -> set[int]:
    """The actions that some words name."""
    tags = fighter.graph.library.tags
    return {
        action
        for action in fighter.graph.actions.tolist()
        if {tags[action].name, tags[action].technique, tags[action].kind} & set(words)
    }


def known_words(graph: ActionGraph) -> set[str]:
    """All words that name an action of a graph: "left jab", "jab", "attack"."""
    tags = [graph.library.tags[action] for action in graph.actions.tolist()]
    return {word for tag in tags for word in (tag.name, tag.technique, tag.kind)}


def chosen_words(graph: ActionGraph) -> set[str]:
    """The words that name an action of a graph that fighters choose: no reaction to a blow."""
    tags = [graph.library.tags[action] for action in graph.actions.tolist()]
    chosen = [tag for tag in tags if tag.kind not in ("reaction", FALL) and tag.technique != "lie"]
    return {word for tag in chosen for word in (tag.name, tag.technique, tag.kind)}


def _can_fell(fighter: Fighter, fighters: Sequence[Fighter]) -> bool:
    return any(other.team != fighter.team and "attack" in known_words(other.graph) for other in fighters)


def _without_fall(scene: Scene, fighters: Sequence[Fighter]) -> Iterator[str]:
    """A character that is run over has to have a fall."""
    names = [fighter.name for fighter in fighters]
    for number, car in enumerate(scene.cars, 1):
        if FALL not in known_words(fighters[names.index(car.runs_over)].graph):
            yield f"cars[{number}].runs_over: {car.runs_over} cannot fall: its motions need 'reactions'"


def _not_there(scene: Scene) -> Iterator[str]:
    """Directions of characters that do not go where they have to face them; opponents that face one way."""
    teams = {member.name: member.team for member in scene.cast}
    for number, mark in enumerate(scene.path, 1):
        for name in mark.facing:
            if mark.who and name not in mark.who:
                yield f"path[{number}].facing: {name} is not among who"
        sides = {
            (teams[name], round(degrees) % 360) for name, degrees in mark.facing.items() if name in teams
        }
        if {0, 1} <= {team for team, _ in sides} and len({degrees for _, degrees in sides}) == 1:
            yield f"path[{number}].facing: opponents cannot all face one way; give that of one of them"


def late(path: Sequence[Checkpoint], fighters: Sequence[Fighter], key: Callable[[int], str]) -> Iterator[str]:
    """Checkpoints that come too soon even for the fastest; `key` names a checkpoint by its number."""
    numbers = {id(checkpoint): number for number, checkpoint in enumerate(path)}
    for errand in errands(path, len(fighters)):
        pace = min(_fastest(fighters[who]) for who in errand.who)
        here = np.mean([(fighters[who].place.x, fighters[who].place.z) for who in errand.who], axis=0)
        then, near = 0.0, 0.0
        for checkpoint in errand.checkpoints:
            if checkpoint.time is None:
                break  # it has no time, and neither have those after it
            if checkpoint.time < then:
                yield (
                    f"{key(numbers[id(checkpoint)])}: {checkpoint.time:g} s is sooner than the checkpoint "
                    f"before it; give {then:g} s or more"
                )
            way = float(np.linalg.norm(np.array(checkpoint.place) - here)) - checkpoint.radius - near
            if way > pace * (checkpoint.time - then):
                yield (
                    f"{key(numbers[id(checkpoint)])}: {way:.1f} m in {checkpoint.time - then:.1f} s "
                    f"cannot be met; {fighters[errand.who[0]].name} moves at most {pace:.1f} m/s: "
                    f"give {then + way / pace:.1f} s or more"
                )
            here, then, near = np.array(checkpoint.place), checkpoint.time, checkpoint.radius


def _fastest(fighter: Fighter) -> float:
    """Metres per second of the action that covers ground fastest."""
    graph = fighter.graph
    actions = graph.actions
    seconds = graph.library.durations[actions]
    moved = np.linalg.norm(graph.library.actions.displacement[actions][:, :2], axis=-1)
    long = seconds >= _SHORTEST_ACTION
    return float((moved / np.maximum(seconds, _SHORTEST_ACTION))[long].max(initial=0.1))
