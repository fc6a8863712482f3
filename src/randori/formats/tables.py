"""Lines of numbers in a motion file, read into one table."""

import math
import os
import re
from typing import NamedTuple, NoReturn

import numpy as np

from randori.formats.files import LONGEST_LINE, Block, counted, file_size, quote, read_lines
from randori.formats.recording import LARGEST_VALUE
from randori.kernels import numbers

# each digit can be matched in one way only: a long word that is no number is refused in linear time
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


class Table(NamedTuple):
    """Lines of numbers."""

    rows: np.ndarray  # (rows, columns) at most as many as were promised
    found: int  # lines of numbers
    garbage: int  # the byte of the file where something else follows the promised lines; -1 if nothing does


def read_table(path: str | os.PathLike[str], start: int, rows: int, columns: int) -> Table:
    """The numbers (rows, columns) of a file from a byte on.

    `rows` is what the file promises. Memory is taken for no more than its bytes can hold; lines past
    that number are checked and counted but not kept. Anything else is an error, except after the promised
    lines: some programs append their own data there.
    """
    table = np.empty((min(rows, most_rows(path, start, columns)), columns))
    hard = empty_hard()
    found = 0
    for block in read_lines(path, start):
        found, hards, problem, byte = numbers.parse_rows(
            block.letters, block.stop, LARGEST_VALUE, table, found, hard
        )
        settle_hard(block, table, hard[:hards])
        if problem and found >= rows:
            return Table(table[:rows], rows, block.start + int(byte))
        if problem in (numbers.TOO_FEW, numbers.TOO_MANY):
            count = len(block.line_with(byte))
            block.fail(
                f"frame {found + 1} has {counted(count)}; expected {columns}, one for each channel", byte
            )
        if problem:
            fail_at_number(block, byte)
    return Table(table[:found], found, -1)


def most_rows(path: str | os.PathLike[str], start: int, columns: int) -> int:
    """The most lines of so many numbers that a file can hold: each takes a digit and a space at least."""
    return (file_size(path) - start + 1) // (2 * columns)


def empty_hard() -> np.ndarray:
    """(words, 4) room for as many hard numbers as there can be in a block."""
    return np.empty((LONGEST_LINE // 2 + 1, 4), dtype=np.int64)


def to_number(word: str) -> float:
    """The number that a word in a header is; NaN if it is none that a recording can have."""
    value = float(word) if _NUMBER.fullmatch(word) else math.nan
    return value if abs(value) <= LARGEST_VALUE else math.nan


def settle_hard(block: Block, table: np.ndarray, hard: np.ndarray) -> None:
    """Fill in the numbers that a kernel left open: rows (row, column, first byte, last byte + 1)."""
    if len(hard) == 0:
        return
    text = bytes(block.text)
    values = np.array([float(text[start:stop]) for start, stop in hard[:, 2:].tolist()])
    if (large := np.flatnonzero(np.abs(values) > LARGEST_VALUE)).size:
        fail_at_number(block, int(hard[large[0], 2]))
    table[hard[:, 0], hard[:, 1]] = values


def fail_at_number(block: Block, byte: int) -> NoReturn:
    """Say that the word at a byte is not a number that a recording can have."""
    expected = f"expected a number from -{LARGEST_VALUE:g} to {LARGEST_VALUE:g}"
    block.fail(f"{expected}, found {quote(block.word_at(byte))}", byte)
