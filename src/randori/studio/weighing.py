"""Scores of a decision's options: the fight is played again up to it, and all options are searched."""

from collections.abc import Generator
from math import degrees
from pathlib import Path

from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.scene.preparing import preparing_scene
from randori.scene.session import SceneSession
from randori.studio import messages as wire
from randori.studio.captured import capturing_scene
from randori.studio.project import Project
from randori.studio.scenes import parse
from randori.studio.takes import Takes
from randori.work import part, saying

_PREPARING_SHARE = 0.6  # of the work


def weighing(folder: str, take: str, number: int) -> Generator[float, None, wire.Weighed]:
    """A task of the worker: the values that a fighter compared, as it saw them some plies ahead."""
    project = Project(Path(folder))
    takes = Takes(project)
    made, _ = takes.load(take)
    decision = takes.decision(take, number)
    scene = parse(project, takes.scene_of(take))
    scene = yield from saying("reading recordings", part(capturing_scene(scene), 0.0, 0.5 * _PREPARING_SHARE))
    work = part(preparing_scene(scene), 0.5 * _PREPARING_SHARE, 0.5 * _PREPARING_SHARE)
    ready = yield from saying("preparing motions", work)
    session = SceneSession(scene, ready)
    name = made.roles[decision.who].name
    owner = next((one for one in session.parts if name in one.names), None)
    found = owner.fight_of(owner.names.index(name)) if owner is not None else None
    if found is None:
        raise RandoriError(f"{name} does not decide by looking ahead")
    fight, who = found
    fight.wonders = (decision.tick, who)
    session.advance(decision.tick + 1)
    if not fight.weighed:
        raise RandoriError("this decision does not come again: the recordings or the code have changed since")
    graph = fight.fighters[who].graph
    rows = [
        _option(graph, action, verdict.competitive + verdict.cooperative)
        for action, verdict in fight.weighed.items()
    ]
    return wire.Weighed(take=take, decision=number, options=sorted(rows, key=lambda row: -row.value))


def _option(graph: ActionGraph, action: int, value: float) -> wire.WeighedOption:
    """An option, with what tells it from others of the same name."""
    left, ahead, turn = graph.displacement[action].tolist()
    seconds = float(graph.library.durations[action])
    return wire.WeighedOption(
        action=action, value=value, seconds=seconds, ahead=ahead, left=left, turn=degrees(turn)
    )
