"""A small library, its model and a table that the tests of this room share."""

import pytest

from boxing_samples import boxing_library
from randori.capture.analysis import analyse
from randori.graph.library import ActionLibrary, build_library
from randori.performer import perform
from randori.policy.model import Model
from randori.policy.table import PolicyTable, training
from randori.work import finish
from shared import made_once


@pytest.fixture(scope="session")
def ring() -> ActionLibrary:
    """A minute and a half of shadow boxing."""
    return boxing_library()


@pytest.fixture(scope="session")
def small_model() -> Model:
    """States and actions of half a minute: a problem that can be written out."""
    takes = perform("boxing", 30.0, seed=3)
    return Model.of(build_library([(take.clip, analyse(take.clip)) for take in takes]))


@pytest.fixture(scope="session")
def table(ring: ActionLibrary) -> PolicyTable:
    """What can be learned from it, on the paper's grids."""
    return made_once(
        "policy-table", lambda: finish(training(ring, ("approach", "punch", "evade"), threads=2))
    )


@pytest.fixture(scope="session")
def full_table() -> PolicyTable:
    """The paper's problem: 7 minutes and 17 seconds, approach and punch."""

    def make() -> PolicyTable:
        takes = perform("boxing", 437.0, seed=1)
        library = build_library([(take.clip, analyse(take.clip)) for take in takes])
        return finish(training(library, threads=2))

    return made_once("policy-full-table", make)
