"""A library and a timeline that the tests of this room share."""

import numpy as np
import pytest

from boxing_samples import boxing_library
from randori.graph.action_graph import ActionGraph, build_action_graph
from randori.graph.joining import Walk
from randori.timeline.bake import bake_timeline
from randori.timeline.timeline import Timeline
from randori.work import finish
from timeline_samples import random_timeline


@pytest.fixture(scope="session")
def sparring_graph() -> ActionGraph:
    """A minute and a half of shadow boxing, coarse enough for real joins."""
    return build_action_graph(boxing_library(), 0.16)


@pytest.fixture(scope="session")
def sparring(sparring_graph: ActionGraph) -> Timeline:
    """Two who do not see each other; one action of each is cut off half way."""
    return random_timeline(sparring_graph, 20.0, (1, 2), interrupted=(4,))


@pytest.fixture(scope="session")
def baked(sparring: Timeline) -> list[Walk]:
    return finish(bake_timeline(sparring))


@pytest.fixture(scope="session")
def striking(sparring_graph: ActionGraph) -> np.ndarray:
    """(F,) bool: frames of the library in which something strikes."""
    library = sparring_graph.library
    flags = np.zeros(len(library.frames.clip), dtype=bool)
    for start, stop in zip(library.strikes.start, library.strikes.stop):
        flags[start:stop] = True
    return flags
