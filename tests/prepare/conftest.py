"""What the tests of this room share: a repertoire of the performer, and a controller trained on it."""

import pytest

from prepare_samples import learned_controller, performed_repertoire
from randori.prepare.controller import Controller
from randori.prepare.repertoire import Repertoire


@pytest.fixture(scope="session")
def repertoire() -> Repertoire:
    """What the built-in performer can do."""
    return performed_repertoire()


@pytest.fixture(scope="session")
def controller() -> Controller:
    """What was learned on it."""
    return learned_controller()
