"""Work that takes long is a generator: it yields the share that is done and returns its result.

Whoever runs it shows the share, or stops asking; nothing is left half written then.
"""

from collections.abc import Generator
from typing import TypeVar

Result = TypeVar("Result")


def finish(work: Generator[float, None, Result]) -> Result:
    """The result of work that nobody watches."""
    while True:
        try:
            next(work)
        except StopIteration as finished:
            return finished.value


def part(work: Generator[float, None, Result], start: float, share: float) -> Generator[float, None, Result]:
    """Work that is only a share of the whole."""
    while True:
        try:
            yield start + share * next(work)
        except StopIteration as finished:
            return finished.value
