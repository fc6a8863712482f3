"""A small library of motions, its graph, and a scene of patches on it."""

import pytest

from randori.graph.action_graph import ActionGraph, build_action_graph
from randori.graph.performed import Performance, performed
from randori.patches.build import building
from randori.patches.joins import joining
from randori.patches.library import PatchLibrary
from randori.patches.pattern import PatchScene, parse_patterns
from randori.work import finish

SMALL = """
title = "a small fight"
chain = 1
successors = 6

[motions]
perform = ["boxing", "reactions"]
seconds = 60.0
threshold = 0.16

[annotation.attack]
actions = [{ kind = ["attack"] }]
distance = [0.8, 1.4]
bearing = [-40, 40]
delay = [0.0, 0.2]
threat = "strike"
most = 10

[annotation.defence]
actions = [{ kind = ["defence"] }]
distance = [0.8, 1.4]
bearing = [-40, 40]
delay = [0.0, 0.2]
defends = true
most = 5

[annotation.stance]
actions = [{ kind = ["transition"], technique = ["stand", "step back"] }]
bearing = [-40, 40]
delay = [0.0, 0.2]
longest = 1.5
most = 4

[annotation.stagger]
actions = [{ kind = ["reaction"] }]
response = true

[[pattern]]
moves = ["1 attack", "2 defence"]
keep = 40
threshold = 0.4

[[pattern]]
moves = ["1 attack", "2 stance", "2 stagger"]
keep = 20
threshold = 0.3
impulse = 6.0
"""


@pytest.fixture(scope="session")
def small_scene() -> PatchScene:
    return parse_patterns(SMALL, "small")


@pytest.fixture(scope="session")
def small_graph(small_scene: PatchScene) -> ActionGraph:
    motions = small_scene.motions
    library = finish(performed(Performance(motions.perform, motions.seconds)))
    return build_action_graph(library, motions.threshold)


@pytest.fixture(scope="session")
def small_patches(small_scene: PatchScene, small_graph: ActionGraph) -> PatchLibrary:
    built = finish(building(small_scene, SMALL, small_graph, workers=1))
    return finish(joining(built, small_graph, workers=1))
