"""Numbers in the text of motion files: bytes to the nearest double, and doubles to six decimals.

The parsers look at lines, not at the end of the text: the caller sees to it that the last line has a
line break.
"""

from typing import NamedTuple

import numpy as np

from randori.kernels.compile import kernel

# Whole numbers up to 2^53 and powers of ten up to 10^22 are doubles without rounding. One product or
# quotient of the two is then rounded once, which makes it the nearest double to what was written.
_EXACT_WHOLE = 1 << 53
_EXACT_POWER = 22
_POWERS_OF_TEN = np.array([10.0**k for k in range(_EXACT_POWER + 1)])
_ROOM = 10**17  # one more digit still fits into an int64 below this

# Results of reading a word.
EXACT, HARD, NOT_A_NUMBER = 0, 1, 2
# Other faults of a line. TOO_LARGE: a number, but not a place or angle of a body.
TOO_FEW, TOO_MANY, TOO_LARGE = 3, 4, 5
UNKNOWN_NAME, NAMED_TWICE, INCOMPLETE, WRONG_FRAME, TABLE_FULL = 6, 7, 8, 9, 10

LONGEST_WRITTEN = 22  # bytes of a number below 10^12 with its sign, six decimals and a space

_TAB, _LINE_FEED, _RETURN, _SPACE = 9, 10, 13, 32
_PLUS, _MINUS, _POINT, _ZERO, _NINE, _LARGE_E, _SMALL_E = 43, 45, 46, 48, 57, 69, 101

# A byte's place in the text is unsigned, so that indexing need not look for negative ones; and all that
# is added to it as well, because numba makes floats of a mixture.
_0, _1 = np.uint64(0), np.uint64(1)
_PLAIN_DIGITS = np.uint64(15)  # 10^15 is below 2^53


@kernel
def ends_line(byte):
    return byte in (_LINE_FEED, _RETURN)


@kernel
def is_blank(byte):
    return byte in (_SPACE, _TAB)


@kernel
def scan_plain_number(text, i):
    """Read a number like -12.345 at byte i: (value, where it ends, whether it is one).

    Almost all numbers look like that. Sign and verdict are computed, not branched on: where the
    processor guesses wrong it loses more time than the digits take (2.5 times as much in all).
    """
    negative = text[i] == _MINUS
    i += np.uint64(negative)
    start = i
    whole = 0
    digit = np.int64(text[i]) - _ZERO
    while 0 <= digit <= 9:
        whole = whole * 10 + digit
        i += _1
        digit = np.int64(text[i]) - _ZERO
    digits, decimals = i - start, _0
    if text[i] == _POINT:
        i += _1
        start = i
        digit = np.int64(text[i]) - _ZERO
        while 0 <= digit <= 9:
            whole = whole * 10 + digit
            i += _1
            digit = np.int64(text[i]) - _ZERO
        decimals = i - start
        digits += decimals
    plain = (digits > _0) & (digits <= _PLAIN_DIGITS) & (text[i] <= _SPACE)
    return (1.0 - 2.0 * negative) * whole / _POWERS_OF_TEN[min(decimals, _PLAIN_DIGITS)], i, plain


@kernel
def scan_number(text, i):
    """Read any number at byte i: (value, where it ends, EXACT, HARD or NOT_A_NUMBER).

    HARD is a number whose nearest double needs more than one rounding; the caller takes the long way.
    """
    negative = text[i] == _MINUS
    if negative or text[i] == _PLUS:
        i += _1
    whole, digits, power = 0, 0, 0
    hard, pointed = False, False
    while True:
        byte = text[i]
        if _ZERO <= byte <= _NINE:
            if whole < _ROOM:
                whole = whole * 10 + (byte - _ZERO)
                power -= pointed
            else:
                hard = True
            digits += 1
        elif byte == _POINT and not pointed:
            pointed = True
        else:
            break
        i += _1
    good = digits > 0
    if good and (text[i] == _SMALL_E or text[i] == _LARGE_E):
        i += _1
        downward = text[i] == _MINUS
        if downward or text[i] == _PLUS:
            i += _1
        exponent, digits = 0, 0
        while _ZERO <= text[i] <= _NINE:
            exponent = min(exponent * 10 + (text[i] - _ZERO), 100_000)
            digits += 1
            i += _1
        good = digits > 0
        power += -exponent if downward else exponent
    if not good or text[i] > _SPACE:
        return 0.0, i, NOT_A_NUMBER
    if hard or whole > _EXACT_WHOLE or (whole > 0 and abs(power) > _EXACT_POWER):
        return 0.0, i, HARD
    value = float(whole)
    if whole > 0:
        value = value * _POWERS_OF_TEN[power] if power >= 0 else value / _POWERS_OF_TEN[-power]
    return (-value if negative else value), i, EXACT


@kernel
def parse_rows(text, stop, limit, table, row, hard):
    """Read the lines text[:stop] into a table (rows, columns), from `row` on; empty lines are skipped.

    Gives (rows so far, hard words, problem or 0, the byte it is at). Hard words are left to the caller
    in `hard` (n, 4): row, column, first byte, last byte + 1. Lines past the end of the table are
    checked and counted all the same.
    """
    rows, columns = table.shape
    column, hards = 0, 0
    i, end = _0, np.uint64(stop)
    while i < end:
        byte = text[i]
        if ends_line(byte):
            if column == columns:
                row += 1
                column = 0
            elif column > 0:
                return row, hards, TOO_FEW, i
            i += _1
        elif is_blank(byte):
            i += _1
        elif byte < _SPACE:
            return row, hards, NOT_A_NUMBER, i
        elif column == columns:
            return row, hards, TOO_MANY, i
        else:
            start = i
            kind = EXACT
            value, i, plain = scan_plain_number(text, start)
            if not plain:
                value, i, kind = scan_number(text, start)
            if kind == NOT_A_NUMBER:
                return row, hards, NOT_A_NUMBER, start
            if abs(value) > limit:
                return row, hards, TOO_LARGE, start
            if row < rows:
                table[row, column] = value
                if kind == HARD:
                    hard[hards, 0], hard[hards, 1], hard[hards, 2], hard[hards, 3] = row, column, start, i
                    hards += 1
            column += 1
    return row, hards, 0, i


class NamedRows(NamedTuple):
    """Frames in which a name stands before its numbers."""

    names: np.ndarray  # (bytes,) uint8, one after the other
    name_start: np.ndarray  # (K + 1,) int64: name k is names[name_start[k] : name_start[k + 1]]
    first_column: np.ndarray  # (K + 1,) int64: likewise the columns of its numbers
    first_frame: int  # frames are numbered from here on
    seen: np.ndarray  # (K,) int64, changed: the row where each name stood last


@kernel
def find_name(rows, text, start, length):
    """The name that stands in a text, or -1."""
    for k in range(len(rows.seen)):
        if rows.name_start[k + 1] - rows.name_start[k] == length:
            same = True
            for m in range(length):
                same = same and rows.names[rows.name_start[k] + m] == text[start + np.uint64(m)]
            if same:
                return k
    return -1


@kernel
def parse_named_rows(text, stop, rows, limit, table, row, hard):
    """Read the lines text[:stop] of an AMC file: a frame's number alone, then "name number number …".

    `rows` are NamedRows; `row` is the one being read, -1 before the first. The rest is as in parse_rows.
    """
    hards = 0
    i, end = _0, np.uint64(stop)
    while i < end:
        if ends_line(text[i]) or is_blank(text[i]):
            i += _1
            continue
        # Step 1. The first word: a digit starts a new frame, anything else is a name.
        start = i
        column, last = 0, 0
        if _ZERO <= text[i] <= _NINE:
            for k in range(len(rows.seen)):
                if row >= 0 and rows.seen[k] != row:
                    return row, hards, INCOMPLETE, start
            value, i, kind = scan_number(text, start)
            if kind != EXACT or value != rows.first_frame + row + 1:
                return row, hards, WRONG_FRAME, start
            if row + 1 == len(table):
                return row, hards, TABLE_FULL, start
            row += 1
        else:
            while text[i] > _SPACE:
                i += _1
            name = find_name(rows, text, start, np.int64(i - start))
            if name < 0:
                return row, hards, UNKNOWN_NAME, start
            if rows.seen[name] == row:
                return row, hards, NAMED_TWICE, start
            rows.seen[name] = row
            column, last = rows.first_column[name], rows.first_column[name + 1]
        # Step 2. Its numbers, up to the end of the line.
        while not ends_line(text[i]):
            if is_blank(text[i]):
                i += _1
                continue
            if text[i] < _SPACE:
                return row, hards, NOT_A_NUMBER, i
            if column == last:
                return row, hards, TOO_MANY, i
            start = i
            kind = EXACT
            value, i, plain = scan_plain_number(text, start)
            if not plain:
                value, i, kind = scan_number(text, start)
            if kind == NOT_A_NUMBER:
                return row, hards, NOT_A_NUMBER, start
            if abs(value) > limit:
                return row, hards, TOO_LARGE, start
            table[row, column] = value
            if kind == HARD:
                hard[hards, 0], hard[hards, 1], hard[hards, 2], hard[hards, 3] = row, column, start, i
                hards += 1
            column += 1
        if column < last:
            return row, hards, TOO_FEW, i
    return row, hards, 0, i


@kernel
def format_rows(table, text):
    """Write a table as lines of numbers with six decimals into text; gives the number of bytes."""
    n = 0
    for row in range(table.shape[0]):
        for column in range(table.shape[1]):
            scaled = np.int64(abs(table[row, column]) * 1e6 + 0.5)
            if table[row, column] < 0.0 and scaled > 0:
                text[n] = _MINUS
                n += 1
            whole, fraction = scaled // 1_000_000, scaled % 1_000_000
            digits = 1
            rest = whole // 10
            while rest > 0:
                digits += 1
                rest //= 10
            for k in range(digits):
                text[n + digits - 1 - k] = _ZERO + whole % 10
                whole //= 10
            n += digits
            text[n] = _POINT
            for k in range(6):
                text[n + 6 - k] = _ZERO + fraction % 10
                fraction //= 10
            text[n + 7] = _SPACE
            n += 8
        text[n - 1] = _LINE_FEED
    return n
