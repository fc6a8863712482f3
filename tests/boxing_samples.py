"""A minute and a half of shadow boxing, which several rooms test on."""

from randori.capture.analysis import analyse
from randori.graph.library import ActionLibrary, build_library
from randori.performer import Recording, perform
from shared import made_once


def boxing_recording() -> Recording:
    """What the performer did, and its own word for it."""
    return made_once("boxing-recording", lambda: perform("boxing", 90.0, seed=3)[0])


def boxing_library() -> ActionLibrary:
    """Its library, with the actions that are found in it."""

    def make() -> ActionLibrary:
        clip = boxing_recording().clip
        return build_library([(clip, analyse(clip))])

    return made_once("boxing-library", make)
