"""What the performer can prepare for, and what is learned on it: several rooms test on it."""

from collections.abc import Generator

from randori.graph.library import ActionLibrary
from randori.prepare.controller import Controller
from randori.prepare.repertoire import Repertoire, learn, make_repertoire, performed_library
from randori.work import finish
from shared import made_once


def recording_once(*_: object) -> Generator[float, None, ActionLibrary]:
    """In place of `performed_library`: the same library, recorded once for all tests."""
    yield 0.5
    return made_once("repertoire-library", lambda: finish(performed_library()))


def performed_repertoire() -> Repertoire:
    """What the built-in performer can do."""
    return made_once("repertoire", lambda: make_repertoire(finish(recording_once())))


def learned_controller() -> Controller:
    """What `randori train prepare` learns on it."""
    return made_once("controller", lambda: finish(learn(performed_repertoire())))
