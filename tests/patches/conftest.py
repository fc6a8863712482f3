"""A small library of motions, its graph, and a scene of patches on it."""

import pytest

from patch_samples import BODIES, LUGGAGE, SMALL
from randori.graph.action_graph import ActionGraph, build_action_graph
from randori.graph.performed import Performance, performed
from randori.patches.build import building
from randori.patches.joins import joining
from randori.patches.library import PatchLibrary
from randori.patches.pattern import PatchScene, parse_patterns
from randori.work import finish
from shared import made_once


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

    def make() -> PatchLibrary:
        built = finish(building(small_scene, SMALL, small_graph, workers=1))
        return finish(joining(built, small_graph, workers=1))

    return made_once("patches-small", make)


@pytest.fixture(scope="session")
def body_patches(small_graph: ActionGraph) -> PatchLibrary:
    """Falls onto each other, and a mouse."""

    def make() -> PatchLibrary:
        built = finish(building(parse_patterns(BODIES, "bodies"), BODIES, small_graph, workers=1))
        return finish(joining(built, small_graph, workers=1))

    return made_once("patches-bodies", make)


@pytest.fixture(scope="session")
def luggage_graph() -> ActionGraph:
    """A take in which the same piece is picked up, given, taken and put down."""
    motions = parse_patterns(LUGGAGE, "luggage").motions
    return build_action_graph(finish(performed(motions.performance)), 0.14)


@pytest.fixture(scope="session")
def luggage_patches(luggage_graph: ActionGraph) -> PatchLibrary:
    return made_once(
        "patches-luggage",
        lambda: finish(building(parse_patterns(LUGGAGE, "luggage"), LUGGAGE, luggage_graph, workers=1)),
    )
