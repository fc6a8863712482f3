"""What the tests of this room share: a repertoire of the performer, and a controller trained on it."""

import pytest

from randori.prepare.controller import Controller
from randori.prepare.repertoire import Repertoire, learn, make_repertoire, performed_library
from randori.work import finish
from shared import made_once


@pytest.fixture(scope="session")
def repertoire() -> Repertoire:
    """What the built-in performer can do."""
    return made_once("repertoire", lambda: make_repertoire(finish(performed_library())))


@pytest.fixture(scope="session")
def controller(repertoire: Repertoire) -> Controller:
    """What was learned on it."""
    return made_once("controller", lambda: finish(learn(repertoire)))
