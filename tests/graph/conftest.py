"""Libraries that the tests of this room share."""

import pytest
from known_actions import known_actions

from boxing_samples import boxing_recording
from randori.graph.action_graph import ActionGraph, build_action_graph
from randori.graph.library import ActionLibrary, build_library
from randori.performer import Recording, perform
from shared import made_once


@pytest.fixture(scope="session")
def boxing_take() -> Recording:
    """A minute and a half of shadow boxing."""
    return boxing_recording()


@pytest.fixture(scope="session")
def boxing(boxing_take: Recording) -> ActionLibrary:
    """Its library, with the actions as they were planned."""
    return build_library([(boxing_take.clip, known_actions(boxing_take))])


@pytest.fixture(scope="session")
def boxing_graph(boxing: ActionLibrary) -> ActionGraph:
    """Its action graph at the default threshold."""
    return build_action_graph(boxing)


@pytest.fixture(scope="session")
def walking() -> ActionLibrary:
    """Walking, and things done out of a walk."""

    def make() -> ActionLibrary:
        takes = perform("targets", 60.0, seed=1) + perform("locomotion", 40.0, seed=1)
        return build_library([(take.clip, known_actions(take)) for take in takes])

    return made_once("graph-walking", make)
