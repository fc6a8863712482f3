"""Text to numbers and back, against Python's own."""

import math
import time

import numpy as np
import pytest

from randori.formats.tables import to_number
from randori.kernels import channels, numbers

_LIMIT = 1e300


def parse(words: list[str], columns: int = 1, separator: str = "\n") -> tuple[np.ndarray, int, int]:
    """The numbers in words as read by the kernel, with hard ones done as readers do; problem and byte."""
    text = (separator.join(words) + "\n").encode()
    table = np.full((len(words) // columns, columns), np.nan)
    hard = np.empty((len(words), 4), dtype=np.int64)
    letters = np.frombuffer(bytearray(text), dtype=np.uint8)
    rows, hards, problem, byte = numbers.parse_rows(letters, len(text), _LIMIT, table, 0, hard)
    for row, column, start, stop in hard[:hards]:
        table[row, column] = float(text[start:stop])
    return table[:rows].ravel(), problem, byte


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    return a.astype("<f8").tobytes() == b.astype("<f8").tobytes()


NASTY = """
0 -0 +0 -0.0 0. .0 -.0 00 007 000000000000000000000000000000.5 1 -1 +1 1. .5 +.5 -.5 0.000001 -12.345678
1e-5 1E5 1e+05 1.5e0 .5e1 5.e-1 1e22 1e23 1e-22 1e-23 123456789e22 1e-320 4.9e-324 2e-324 1e-400 0e400
9007199254740992 9007199254740993 9007199254740994.5 0.1 0.30000000000000004 0.999999999999999999999
3.141592653589793238462643383279502884197 123456789012345678901234567890 1e00000000000000000001
999999999999999 9999999999999999 179.999999999999 1234567.12345678 12345678.1234567 1.7976931348623157e299
"""


@pytest.mark.parametrize("word", [*NASTY.split(), "1" + "0" * 300, "0." + "0" * 300 + "1", "0." + "1" * 5000])
def test_a_nasty_number_is_read_to_the_last_bit(word: str):
    values, problem, _ = parse([word])
    assert problem == 0
    assert same_bits(values, np.array([float(word)]))


@pytest.mark.parametrize(
    "form", ["{!r}", "{:.6f}", "{:.4f}", "{:g}", "{:.3e}", "{:.17g}", "{:+.2f}", "{:.0f}"]
)
def test_random_numbers_are_read_to_the_last_bit(form: str):
    random = np.random.default_rng(3)
    values = random.normal(size=5000) * 10.0 ** random.integers(-30, 30, 5000)
    values[::2] = random.uniform(-360.0, 360.0, 2500)
    words = [form.format(value) for value in values.tolist()]
    read, problem, _ = parse(words)
    assert problem == 0
    assert same_bits(read, np.array([float(word) for word in words]))


NOT_NUMBERS = """
nan -nan NaN inf -inf Infinity 1_0 0x10 1e 1e+ e5 . - + -. --1 +-1 1- 1.2.3 1e5.0 1e5e5 1,5 1d5 1f ١ ½ { #
"""


@pytest.mark.parametrize("word", [*NOT_NUMBERS.split(), "1\x00", "\x00", "1\x0b2"])
def test_what_is_not_a_number_is_pointed_at(word: str):
    _, problem, byte = parse(["1.5", "-2", word, "3"])
    assert problem == numbers.NOT_A_NUMBER
    assert byte in (7, 8)  # at the word, or at the odd letter that ends it


@pytest.mark.parametrize("word", ["1e301", "-1e308", "9" * 301, "1e400"])
def test_what_is_too_large_is_not_a_place(word: str):
    values, problem, byte = parse(["1", word])
    # long numbers are left to the reader, which looks at the size as well
    assert (problem, byte) == (numbers.TOO_LARGE, 2) or not abs(values[1]) <= _LIMIT


def test_rows_are_lines_whatever_ends_them():
    text = b"1 2\r\n\n \t \n3\t4  \r5 6\r\r\n  7 8"
    table = np.full((9, 2), np.nan)
    letters = np.frombuffer(bytearray(text + b"\n"), dtype=np.uint8)
    rows, _, problem, _ = numbers.parse_rows(
        letters, len(text) + 1, _LIMIT, table, 0, np.empty((9, 4), np.int64)
    )
    assert (rows, problem) == (4, 0)
    assert table[:4].tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]


def test_rows_of_another_length_are_pointed_at():
    assert parse(["1 2 3", "4 5", "6 7 8"], columns=3)[1:] == (numbers.TOO_FEW, 9)
    assert parse(["1 2 3", "4 5 6 7", "6 7 8"], columns=3)[1:] == (numbers.TOO_MANY, 12)


def test_lines_past_the_table_are_counted_and_checked():
    letters = np.frombuffer(bytearray(b"1 2\n3 4\n5 6\n"), dtype=np.uint8)
    table, hard = np.empty((1, 2)), np.empty((9, 4), np.int64)
    assert numbers.parse_rows(letters, 12, _LIMIT, table, 0, hard) == (3, 0, 0, 12)
    assert table.tolist() == [[1, 2]]


def test_written_numbers_are_rounded_to_six_decimals():
    random = np.random.default_rng(4)
    table = random.normal(size=(500, 7)) * 10.0 ** random.integers(-8, 8, (500, 7))
    table[0] = [0.0, -0.0, 1e-7, -1e-7, 999999.9999996, -0.5, 1e9]
    text = np.empty(table.size * numbers.LONGEST_WRITTEN, dtype=np.uint8)
    length = numbers.format_rows(table, text)
    lines = text[:length].tobytes().decode().splitlines()
    assert lines[0] == "0.000000 0.000000 0.000000 0.000000 1000000.000000 -0.500000 1000000000.000000"
    read = np.array([line.split() for line in lines], dtype=float)
    np.testing.assert_allclose(read, table, rtol=1e-15, atol=0.5e-6)


def test_half_turns_are_exact_at_quarters_and_near_everywhere():
    degrees = np.concatenate([np.arange(-1440.0, 1441.0, 180.0), np.linspace(-4000.0, 4000.0, 9973)])
    sines, cosines = np.empty_like(degrees), np.empty_like(degrees)
    channels.half_turns(degrees, sines, cosines)
    expected = [(math.sin(math.radians(d) / 2), math.cos(math.radians(d) / 2)) for d in degrees.tolist()]
    np.testing.assert_allclose(np.stack([sines, cosines], axis=1), expected, rtol=0, atol=1e-14)
    assert set(sines[:17].tolist()) == {-1.0, 0.0, 1.0}
    assert (np.abs(sines**2 + cosines**2 - 1.0) < 1e-15).all()


def test_a_long_word_that_is_no_number_is_refused_in_linear_time():
    """A pattern that can match digits in two ways tries them all: 8 s for 20,000 digits."""
    begun = time.process_time()
    for word in (
        "9" * 10**6 + "x",
        "-" + "9" * 10**6 + ".x",
        "." + "9" * 10**6 + "e",
        "9e" + "9" * 10**6 + "x",
    ):
        assert math.isnan(to_number(word))
    assert time.process_time() - begun < 1.0
