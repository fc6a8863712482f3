"""Tasks for a real worker: its process imports them, and little else."""

import os
import time
from collections.abc import Generator

from randori.errors import FileError
from randori.work import part, saying


def count(to: int) -> Generator[float, None, int]:
    for number in range(to):
        yield number / to
    return to


def count_aloud(to: int) -> Generator[float, None, int]:
    return saying("counting", part(count(to), 0.5, 0.5))


def fail() -> Generator[float, None, None]:
    yield 0.1
    raise FileError("/a/long/way/walk.bvh", "expected three numbers", 7)


def crash() -> Generator[float, None, None]:
    yield 0.1
    raise ZeroDivisionError("by nothing")


def vanish() -> Generator[float, None, None]:
    yield 0.1
    os._exit(3)


def listen() -> Generator[float, None, None]:
    while True:
        time.sleep(0.01)
        yield 0.3


def ignore() -> Generator[float, None, None]:
    yield 0.1
    time.sleep(60.0)
