"""A small library, its model and a table that the tests of this room share."""

import pytest

from randori.capture.analysis import analyse
from randori.graph.library import ActionLibrary, build_library
from randori.performer import perform
from randori.policy.model import Model
from randori.policy.table import PolicyTable, training
from randori.work import finish


@pytest.fixture(scope="session")
def ring() -> ActionLibrary:
    """A minute and a half of shadow boxing."""
    return build_library([(take.clip, analyse(take.clip)) for take in perform("boxing", 90.0, seed=3)])


@pytest.fixture(scope="session")
def small_model() -> Model:
    """States and actions of half a minute: a problem that can be written out."""
    takes = perform("boxing", 30.0, seed=3)
    return Model.of(build_library([(take.clip, analyse(take.clip)) for take in takes]))


@pytest.fixture(scope="session")
def table(ring: ActionLibrary) -> PolicyTable:
    """What can be learned from it, on the paper's grids."""
    return finish(training(ring, ("approach", "punch", "evade"), threads=2))


@pytest.fixture(scope="session")
def full_table() -> PolicyTable:
    """The paper's problem: 7 minutes and 17 seconds, approach and punch."""
    takes = perform("boxing", 437.0, seed=1)
    return finish(training(build_library([(take.clip, analyse(take.clip)) for take in takes]), threads=2))
