"""The actions that a word stands for, and the samples that patches begin with."""

import numpy as np

from randori.graph.action_graph import ActionGraph
from randori.patches.mouse import TURNS
from randori.patches.pattern import STEP_ANGLE, Annotation


def actions_of(annotation: Annotation, graph: ActionGraph, most: int | None = None) -> np.ndarray:
    """The actions that a word stands for: all, or a limited number, spread evenly over their names.

    For each name, actions come first that most others can follow and lead to: patches that begin and end in
    common postures can be joined.
    """
    library = graph.library
    if annotation.thing:
        return len(library) + np.arange(len(TURNS))
    begun = np.bincount(graph.start_posture[graph.actions], minlength=len(graph.posture_frame))
    ended = np.bincount(graph.end_posture[graph.actions], minlength=len(graph.posture_frame))
    names: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for action, tags in enumerate(library.tags):
        if (
            graph.start_posture[action] >= 0
            and library.durations[action] <= annotation.longest
            and any(wanted.fits(tags) for wanted in annotation.actions)
        ):
            joins = int(ended[graph.start_posture[action]] + begun[graph.end_posture[action]])
            names.setdefault((tags.name, tags.direction), []).append((-joins, action))
    # the first of every name, then the second of every name, and so on
    ranked = [
        (rank, name, action)
        for name, found in names.items()
        for rank, (_, action) in enumerate(sorted(found))
    ]
    chosen = [action for _, _, action in sorted(ranked)]
    return np.array(sorted(chosen[:most]), dtype=np.int64)


def samples(low: float, high: float, step: float) -> np.ndarray:
    """Evenly spaced numbers of a range, its middle among them or as far from both neighbours."""
    count = int((high - low) / step + 1e-9)
    return 0.5 * (low + high) + step * (np.arange(count + 1) - 0.5 * count)


def bearings(low: float, high: float) -> np.ndarray:
    angles = samples(low, high, STEP_ANGLE)
    if high - low >= 360.0 - 1e-9:
        angles = angles[:-1]  # the last one is the first one
    return np.deg2rad(angles)
