"""Work that takes long is a generator: it yields the share that is done and returns its result.

The caller shows the share. To cancel, the caller stops iterating; no half-written file stays.
"""

from collections.abc import Generator
from typing import Self, TypeVar

Result = TypeVar("Result")


def finish(work: Generator[float, None, Result]) -> Result:
    """Run work to its end and return its result, without showing progress."""
    while True:
        try:
            next(work)
        except StopIteration as finished:
            return finished.value


class Share(float):
    """A share that is done, and what is being done, in words."""

    words: str

    def __new__(cls, value: float, words: str = "") -> Self:
        share = super().__new__(cls, value)
        share.words = words
        return share


class Notice(Share):
    """A share that is done, and a message that stays on the screen."""


def saying(words: str, work: Generator[float, None, Result]) -> Generator[Share, None, Result]:
    """Work that says what it does, where its parts do not say it themselves."""
    while True:
        try:
            share = next(work)
        except StopIteration as finished:
            return finished.value
        yield Share(share, words_of(share) or words)


def words_of(share: float) -> str:
    """The description of the current step, or an empty string."""
    return share.words if isinstance(share, Share) else ""


def part(work: Generator[float, None, Result], start: float, share: float) -> Generator[float, None, Result]:
    """Work that is only a share of the whole."""
    while True:
        try:
            done = next(work)
        except StopIteration as finished:
            return finished.value
        yield Share(start + share * done, words_of(done))
