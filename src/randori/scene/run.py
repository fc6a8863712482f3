"""The one main loop: from a scene to a take."""

import os
from collections.abc import Generator
from dataclasses import replace
from math import radians

from randori import __version__
from randori.body.palette import OUTFITS
from randori.duel.combination import Amendment
from randori.duel.fight import RULES_OF_BOXING, Checkpoint, Fight, Fighter, Habits
from randori.duel.styles import STYLES, Style
from randori.errors import FileError, RandoriError
from randori.graph.action_graph import ActionGraph
from randori.motion.placement import Placement
from randori.scene.motions import preparing
from randori.scene.scene import Member, Scene, suggest
from randori.scene.take import Take, making_take
from randori.timeline.timeline import Timeline
from randori.work import finish, part

APART = 2.0  # metres between the teams, where the scene says nothing
_ABREAST = 1.5  # metres between those of one team
# of the work: preparing motions, deciding, baking
_PREPARING, _DECIDING = 0.3, 0.6


def simulate(
    scene: Scene, seed: int | None = None, seconds: float | None = None, threads: int | None = None
) -> Take:
    """The take of a scene; see `simulating`."""
    return finish(simulating(scene, seed, seconds, threads))


def simulating(
    scene: Scene, seed: int | None = None, seconds: float | None = None, threads: int | None = None
) -> Generator[float, None, Take]:
    """Prepare motions, let everybody decide, make poses of it; yields the share that is done.

    The same scene and seed give the same bytes, on any number of threads.
    """
    changes = {"seed": seed, "seconds": seconds}
    scene = scene.changed(**{key: value for key, value in changes.items() if value is not None})
    graphs = yield from part(preparing_cast(scene), 0.0, _PREPARING)
    timeline = yield from part(deciding(scene, graphs, threads), _PREPARING, _DECIDING)
    left = _PREPARING + _DECIDING
    return (yield from part(making_take(timeline, scene.title), left, 1.0 - left))


def preparing_cast(scene: Scene) -> Generator[float, None, dict[str, ActionGraph]]:
    """The graphs of the motions that somebody uses."""
    used = list(dict.fromkeys(scene.motions_of(member) for member in scene.cast))
    graphs = {}
    for number, name in enumerate(used):
        work = preparing(scene.motions[name], scene.folder)
        try:
            graphs[name] = yield from part(work, number / len(used), 1.0 / len(used))
        except FileError:
            raise
        except RandoriError as error:
            raise FileError(f"{scene.name}.toml", f"motions.{name}: {error}") from error
    return graphs


def deciding(
    scene: Scene, graphs: dict[str, ActionGraph], threads: int | None = None
) -> Generator[float, None, Timeline]:
    """Let the characters decide until the scene's time is over."""
    fighters = [_fighter(scene, number, graphs) for number in range(len(scene.cast))]
    names = [member.name for member in scene.cast]
    path = [
        Checkpoint(mark.place, mark.radius, tuple(names.index(name) for name in mark.who))
        for mark in scene.path
    ]
    try:
        fight = Fight(fighters, scene.seed, path, _habits(scene), threads or os.cpu_count() or 1)
    except RandoriError as error:
        raise FileError(f"{scene.name}.toml", str(error)) from error
    timeline = yield from _playing(scene, fight)
    words: dict[str, object] = {"scene": scene.name, "seed": scene.seed, "version": __version__}
    return replace(timeline, words=words)


def _playing(scene: Scene, fight: Fight) -> Generator[float, None, Timeline]:
    """Decision by decision, those that are pinned as they are pinned."""
    pins = {pin.decision: (number, pin.action) for number, pin in enumerate(scene.pins, 1)}
    end = ticks = round(scene.seconds * fight.fps)
    decision = 0
    fight.advance()
    while fight.now < end:
        yield fight.now / ticks
        decision += 1
        number, pinned = pins.pop(decision, (0, None))
        try:
            fight.choose(pinned)
        except RandoriError as error:
            raise FileError(f"{scene.name}.toml", f"pins[{number}].action: {error}") from error
        if fight.advance() and fight.habits.stops_when_caught:
            end = min(end, fight.now + round(fight.fps))
    for number, _ in pins.values():
        raise FileError(f"{scene.name}.toml", f"pins[{number}].decision: the take has {decision} decisions")
    return fight.timeline(end)


def _habits(scene: Scene) -> Habits:
    """How decisions are made in a scene."""
    changed = {key: value for key, value in scene.rules.model_dump().items() if value is not None}
    if "facing" in changed:
        changed["facing"] = radians(changed["facing"])
    return Habits(
        rules=RULES_OF_BOXING._replace(model=scene.model, **changed),
        path_rival=scene.path_function == "competitive",
        pairing_shared=scene.pairing_function == "cooperative",
        roulette=scene.temperature if scene.selection == "roulette" else 0.0,
        amendments=tuple(
            Amendment(row.defence, row.attack, row.suitability, row.position) for row in scene.combination
        ),
    )


def _fighter(scene: Scene, number: int, graphs: dict[str, ActionGraph]) -> Fighter:
    """One of the cast, with the style's weights and its own."""
    member = scene.cast[number]
    graph = graphs[scene.motions_of(member)]
    where = f"cast[{number + 1}]"
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
        _place(scene, number),
        outfit,
        member.wanted,
        member.unwanted,
    )


def _check_repertoire(scene: Scene, where: str, member: Member, graph: ActionGraph, style: Style) -> None:
    """What a style needs, and what is asked for by name, has to be among the motions."""
    file, library = f"{scene.name}.toml", graph.library
    if len(graph.indices) == 0:
        raise FileError(
            file,
            f"motions.{scene.motions_of(member)}: no way leads from action to action and back; "
            "give more recordings, or more choices",
        )
    kinds = {library.tags[action].kind for action in graph.actions.tolist()}
    if "attack" not in kinds and style.touch == 0.0 and max(style.given_short, style.given_long) > 0.0:
        harmless = [name for name, other in STYLES.items() if other.touch > 0.0 or other.given_long == 0.0]
        raise FileError(
            file,
            f"{where}.style: {member.style!r} fights, but motions.{scene.motions_of(member)} hold no attack "
            f"(there are {', '.join(sorted(kinds))}); give motions with attacks, or one of the styles "
            f"{', '.join(harmless)}",
        )
    tags = [library.tags[action] for action in graph.actions.tolist()]
    known = {word for tag in tags for word in (tag.name, tag.technique, tag.kind)}
    for key, words in (("wanted", member.wanted), ("unwanted", member.unwanted)):
        for word in words:
            if word not in known:
                raise FileError(
                    file, f"{where}.{key}: there is no action {word!r}; {suggest(word, sorted(known))}"
                )


def _place(scene: Scene, number: int) -> Placement:
    """Where somebody starts: as the scene says, or face to face, team by team."""
    member = scene.cast[number]
    if member.place is not None:
        x, z, degrees = member.place
        return Placement(x, z, radians(degrees))
    before = sum(other.team == member.team for other in scene.cast[:number])
    return Placement(_ABREAST * before, APART * member.team, radians(180.0 * member.team))
