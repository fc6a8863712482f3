"""From the fighters of a scene to fights: all fighters in their places, before the first decision."""

import os
from dataclasses import replace
from math import radians

import numpy as np

from randori.body.palette import OUTFITS
from randori.duel.combination import Amendment
from randori.duel.director import Props
from randori.duel.fight import Fight
from randori.duel.fighter import RULES_OF_BOXING, Fighter, Habits
from randori.duel.goals import Checkpoint
from randori.duel.solids import Car, Wall
from randori.duel.styles import STYLES, Style
from randori.errors import FileError, RandoriError
from randori.graph.action_graph import ActionGraph
from randori.motion.placement import Placement
from randori.scene import scene as scene_file
from randori.scene.bodies import graph_name
from randori.scene.checks import (
    check_blade,
    check_falls,
    check_scene,
    chosen_words,
    known_words,
    late,
    too_near,
)
from randori.scene.ending import IN_TIME
from randori.scene.formation import ways
from randori.scene.parallel_fights import ParallelFights
from randori.scene.scene import Formation, Member, Scene, as_recorded
from randori.tables import suggest

APART = 2.0  # metres between the teams, where the scene says nothing
_LEAD = 0.8  # seconds that the goal of a runner is ahead of it
_TEAM_SPACING = 1.5  # metres between fighters of one team


def gather(scene: Scene, graphs: dict[str, ActionGraph], threads: int | None = None) -> ParallelFights:
    """The fighters of a scene in their places; contradictions are found here."""
    guests = [_guest(scene, number, graphs) for number in scene.guests()]
    scene = scene.fighting() if scene.group or len(scene.members("duel")) < len(scene.cast) else scene
    workers = threads or os.cpu_count() or 1
    names = [member.name for member in scene.cast]
    fighters = [_fighter(scene, number, graphs) for number in range(len(scene.cast))]
    try:
        if scene.formation is not None:
            return _in_formation(scene, scene.formation, fighters, workers)
        path = [_checkpoint(mark, names) for mark in scene.path]
        check_scene(scene, fighters, path)
        numbers = range(len(fighters), len(fighters) + len(guests))
        fight = Fight(
            [*fighters, *guests], scene.seed, path, _habits(scene), workers, _props(scene, names), numbers
        )
        check_falls(scene, fight)
        return ParallelFights([fight], [range(len(fight.fighters))], workers, scene.lingers)
    except FileError:
        raise
    except RandoriError as error:
        raise FileError(f"{scene.name}.toml", str(error)) from error


def _in_formation(scene: Scene, formation: Formation, pair: list[Fighter], workers: int) -> ParallelFights:
    """As many pairs as the formation has, each with checkpoints of its own."""
    check_scene(scene, pair, ())
    begin, end = formation.time
    steps = max(round((end - begin) / formation.every), 1)
    shares = np.arange(steps + 1) / steps
    lead = np.array([-0.5, 0.5])[:, None] * formation.ahead / (end - begin)  # of both, as a share of the way
    both = np.stack([ways(formation, shares + ahead, scene.folder) for ahead in lead])  # (2, T, P, 2)
    names = [fighter.name for fighter in pair]
    asked = tuple((names.index(name), word) for name, words in formation.required.items() for word in words)
    props, habits = _props(scene, names), _habits(scene)
    stands = [_stand(both[:, :, number], formation.ahead > 0.0) for number in range(formation.pairs)]
    near = too_near([(place.x, place.z) for pair_places in stands for place in pair_places])
    if near is not None:
        one, other = (member // 2 + 1 for member in near)
        problem = (
            f"ahead: the two of pair {one} would stand in each other; give more seconds"
            if one == other
            else f"spacing: pairs {one} and {other} would stand in each other; give more metres"
        )
        raise FileError(f"{scene.name}.toml", f"formation.{problem}")
    fights = []
    for number in range(formation.pairs):
        path = []
        # runners are at the start of their way in time, too
        for step in range(0 if formation.ahead > 0.0 else 1, steps + 1):
            time = begin + float(shares[step]) * (end - begin)
            required = asked if step == steps else ()
            if formation.ahead > 0.0:
                path += [
                    Checkpoint(
                        _spot(both[one, step, number]), formation.near, (one,), time, required, lead=_LEAD
                    )
                    for one in (0, 1)
                ]
            else:
                place = _spot(both[:, step, number].mean(axis=0))
                path.append(Checkpoint(place, formation.near, (), time, required, patience=IN_TIME))
        cast = [
            replace(fighter, name=f"{fighter.name} {number + 1}", place=place)
            for fighter, place in zip(pair, stands[number])
        ]
        for problem in late(path, cast, lambda _: "formation.time"):
            raise FileError(f"{scene.name}.toml", problem)
        fights.append(Fight(cast, scene.seed * formation.pairs + number, path, habits, 1, props))
    check_falls(scene, fights[0])
    members = [(2 * number, 2 * number + 1) for number in range(formation.pairs)]
    return ParallelFights(fights, members, workers, scene.lingers)


def _spot(place: np.ndarray) -> tuple[float, float]:
    return float(place[0]), float(place[1])


def _stand(both: np.ndarray, chase: bool) -> list[Placement]:
    """The starts of a pair whose ways are (2, T, 2): face to face along their way, or in a row."""
    way = both[:, 1].mean(axis=0) - both[:, 0].mean(axis=0)
    yaw = float(np.arctan2(way[0], way[1])) if np.linalg.norm(way) > 0.0 else 0.0
    if chase:
        return [Placement(*_spot(both[one, 0]), yaw) for one in (0, 1)]
    x, z = 0.5 * APART * np.sin(yaw), 0.5 * APART * np.cos(yaw)
    middle_x, middle_z = both[:, 0].mean(axis=0)
    return [
        Placement(float(middle_x - x), float(middle_z - z), yaw),
        Placement(float(middle_x + x), float(middle_z + z), yaw + np.pi),
    ]


def _checkpoint(mark: scene_file.Checkpoint, names: list[str]) -> Checkpoint:
    """A checkpoint with numbers instead of names."""

    def rows(asked: dict[str, tuple[str, ...]]) -> tuple[tuple[int, str], ...]:
        return tuple((names.index(name), word) for name, words in asked.items() for word in words)

    who = tuple(names.index(name) for name in mark.who)
    facing = {names.index(name): radians(degrees) for name, degrees in mark.facing.items()}
    return Checkpoint(
        mark.place, mark.radius, who, mark.time, rows(mark.required), rows(mark.forbidden), facing
    )


def _props(scene: Scene, names: list[str]) -> Props:
    """Walls and cars."""
    walls = tuple(Wall(wall.start, wall.stop, wall.thickness, wall.height) for wall in scene.walls)
    cars = tuple(
        Car(
            (car.start, car.stop),
            names.index(car.runs_over),
            car.time,
            car.patience,
            car.speed,
            0.5 * car.road,
        )
        for car in scene.cars
    )
    return Props(walls, cars)


def _habits(scene: Scene) -> Habits:
    """The settings of decisions in a scene."""
    changed = {key: value for key, value in scene.rules.model_dump().items() if value is not None}
    if "facing" in changed:
        changed["facing"] = radians(changed["facing"])
    return Habits(
        rules=RULES_OF_BOXING._replace(model=scene.model, **changed),
        path_rival=scene.path_function == "competitive",
        pairing_shared=scene.pairing_function == "cooperative",
        roulette=scene.temperature if scene.selection == "roulette" else 0.0,
        stops_when_caught=scene.ends_when_caught,
        looks_at_opponents=scene.look_at_opponents,
        amendments=tuple(
            Amendment(row.defence, row.attack, row.suitability, row.position) for row in scene.combination
        ),
    )


def _fighter(scene: Scene, number: int, graphs: dict[str, ActionGraph]) -> Fighter:
    """One of the cast, with the style's weights and its own."""
    member = scene.cast[number]
    graph = graphs[graph_name(scene, member)]
    where = scene.key(number)
    style = STYLES[member.style].with_weights(member.weights)
    _check_repertoire(scene, where, member, graph, style)
    outfit = number if member.outfit is None else OUTFITS[member.outfit]
    return Fighter(
        member.name,
        graph,
        style,
        member.depth,
        member.reaction,
        member.team,
        start_place(scene, number),
        outfit,
        member.wanted,
        member.unwanted,
        member.joins,
    )


def _guest(scene: Scene, number: int, graphs: dict[str, ActionGraph]) -> Fighter:
    """A character of another controller that takes part in the duel: fighters expect it to box."""
    member = scene.cast[number]
    return Fighter(
        member.name,
        graphs[as_recorded(scene.motions_of(member))],
        STYLES["boxer"],
        team=member.team,
        place=start_place(scene, number),
        outfit=number,
    )


def _check_repertoire(scene: Scene, where: str, member: Member, graph: ActionGraph, style: Style) -> None:
    """The motions have to include what a style needs, and all actions that the scene names."""
    file, library = f"{scene.name}.toml", graph.library
    if len(graph.indices) == 0:
        raise FileError(
            file,
            f"motions.{scene.motions_of(member)}: no way leads from action to action and back; "
            "give more recordings, or more choices",
        )
    kinds = {library.tags[action].kind for action in graph.actions.tolist()}
    if "attack" not in kinds and style.strikes:
        harmless = [name for name, other in STYLES.items() if not other.strikes]
        raise FileError(
            file,
            f"{where}.style: {member.style!r} fights, but motions.{scene.motions_of(member)} hold no attack "
            f"(there are {', '.join(sorted(kinds))}); give motions with attacks, or one of the styles "
            f"{', '.join(harmless)}",
        )
    check_blade(scene, where, member, graph)
    known = chosen_words(graph)
    for key, words in (("wanted", member.wanted), ("unwanted", member.unwanted)):
        for word in words:
            if word in known_words(graph) - known:
                raise FileError(file, f"{where}.{key}: no fighter chooses {word!r}: blows cause it")
            if word not in known:
                raise FileError(
                    file, f"{where}.{key}: there is no action {word!r}; {suggest(word, sorted(known))}"
                )


def start_place(scene: Scene, number: int) -> Placement:
    """The start of a character: as the scene says, or face to face, team by team."""
    member = scene.cast[number]
    if member.place is not None:
        x, z, degrees = member.place
        return Placement(x, z, radians(degrees))
    before = sum(other.team == member.team for other in scene.cast[:number])
    return Placement(_TEAM_SPACING * before, APART * member.team, radians(180.0 * member.team))
