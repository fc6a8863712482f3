"""Which actions a word stands for, and the samples that patches begin with."""

import numpy as np

from randori.graph.action_graph import ActionGraph
from randori.patches.mouse import TURNS
from randori.patches.pattern import STEP_ANGLE, Annotation


def actions_of(annotation: Annotation, graph: ActionGraph) -> np.ndarray:
    """The actions that a word stands for: all, or as many as wanted, spread over all names there are."""
    library = graph.library
    if annotation.thing:
        return len(library) + np.arange(len(TURNS))
    fitting = [
        action
        for action, tags in enumerate(library.tags)
        if graph.start_posture[action] >= 0
        and library.durations[action] <= annotation.longest
        and any(wanted.fits(tags) for wanted in annotation.actions)
    ]
    fitting.sort(key=lambda action: (library.tags[action].name, library.tags[action].direction, action))
    if len(fitting) > annotation.most:
        fitting = [fitting[k * len(fitting) // annotation.most] for k in range(annotation.most)]
    return np.array(fitting, dtype=np.int64)


def samples(low: float, high: float, step: float) -> np.ndarray:
    """Evenly spaced numbers of a range, its middle among them or as far from both neighbours."""
    count = int((high - low) / step + 1e-9)
    return 0.5 * (low + high) + step * (np.arange(count + 1) - 0.5 * count)


def bearings(low: float, high: float) -> np.ndarray:
    angles = samples(low, high, STEP_ANGLE)
    if high - low >= 360.0 - 1e-9:
        angles = angles[:-1]  # the last one is the first one
    return np.deg2rad(angles)
