"""Timelines made by hand for tests: random actions of a graph, placed one after the other."""

from collections.abc import Sequence

from randori.graph.action_graph import ActionGraph
from randori.graph.walk import random_actions
from randori.motion.placement import Placement
from randori.timeline.timeline import CHOSEN, FORCED, Event, Placed, Timeline, Track


def place_track(
    graph: ActionGraph, actions: Sequence[int], here: Placement, interrupted: Sequence[int] = ()
) -> list[Placed]:
    """The actions in a row; those whose number is `interrupted` are cut half way by the one after them."""
    library = graph.library
    placed: list[Placed] = []
    tick, pelvis = 0, None
    for number, action in enumerate(actions):
        first = int(library.actions.start[action])
        length = int(library.actions.stop[action]) - first
        if pelvis is None:
            placement = Placement(*graph.entry[action]).inverse().then(here)
        else:
            placement = Placement(*library.placements[first]).inverse().then(pelvis)
        cause = CHOSEN if pelvis is None else FORCED
        pelvis = None
        if number in interrupted:
            length //= 2
            pelvis = Placement(*library.placements[first + length]).then(placement)
        placed.append(Placed(action, first, tick, tick + length, placement, cause))
        here = Placement(*graph.exit[action]).then(placement)
        tick += length
    return placed


def random_timeline(
    graph: ActionGraph, seconds: float, seeds: Sequence[int], interrupted: Sequence[int] = ()
) -> Timeline:
    """One character per seed, two metres apart along z."""
    tracks = []
    for number, seed in enumerate(seeds):
        actions = random_actions(graph, seconds + 3.0, seed)
        turned = Placement(0.0, 2.0 * number, 3.14159 * (number % 2))
        placed = place_track(graph, actions, turned, interrupted)
        tracks.append(Track(f"fighter {number + 1}", graph.library, tuple(placed), number))
    events = tuple(
        Event(one.start, "hit", 1 - number, number, "left_hand", "head", 3.0, (0.0, 1.5, 0.0))
        for number, track in enumerate(tracks)
        for one in track.placed
        if one.cause == FORCED and one.start <= seconds * graph.library.fps
    )
    return Timeline(graph.library.fps, round(seconds * graph.library.fps), tuple(tracks), events)
