"""Numbers in the text of motion files: bytes to the nearest double, and doubles to six decimals."""

import numpy as np

from randori.kernels.compile import kernel

# Whole numbers up to 2^53 and powers of ten up to 10^22 are doubles without rounding. One product or
# quotient of the two is then rounded once, which makes it the nearest double to what was written.
_EXACT_WHOLE = 1 << 53
_EXACT_POWER = 22
_TENS = np.array([10.0**k for k in range(_EXACT_POWER + 1)])
_ROOM = 10**17  # one more digit still fits into an int64 below this

LONGEST_WRITTEN = 22  # bytes of a number below 10^12 with its sign, six decimals and a space

# What a word turned out to be.
EXACT, HARD, NOT_A_NUMBER = 0, 1, 2
# What is wrong with a line, beside NOT_A_NUMBER. TOO_LARGE: finite, but no place or angle of a body.
TOO_FEW, TOO_MANY, TOO_LARGE = 3, 4, 5
UNKNOWN_NAME, NAMED_TWICE, INCOMPLETE, WRONG_FRAME, TABLE_FULL = 6, 7, 8, 9, 10

_TAB, _LINE_FEED, _RETURN, _SPACE = 9, 10, 13, 32
_PLUS, _MINUS, _POINT, _ZERO, _NINE, _LARGE_E, _SMALL_E = 43, 45, 46, 48, 57, 69, 101


@kernel
def scan_number(text, i, stop):
    """Read the word at text[i]: (value, where it ends, EXACT, HARD or NOT_A_NUMBER).

    HARD is a number whose nearest double needs more than one rounding; the caller takes the long way.
    """
    negative = text[i] == _MINUS
    if negative or text[i] == _PLUS:
        i += 1
    whole, digits, power = 0, 0, 0
    hard = False
    pointed = False
    while i < stop:
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
        i += 1
    good = digits > 0
    if good and i < stop and (text[i] == _SMALL_E or text[i] == _LARGE_E):
        i += 1
        downward = i < stop and text[i] == _MINUS
        if i < stop and (downward or text[i] == _PLUS):
            i += 1
        exponent, digits = 0, 0
        while i < stop and _ZERO <= text[i] <= _NINE:
            exponent = min(exponent * 10 + (text[i] - _ZERO), 100_000)
            digits += 1
            i += 1
        good = digits > 0
        power += -exponent if downward else exponent
    if not good or (i < stop and text[i] > _SPACE):
        return 0.0, i, NOT_A_NUMBER
    if hard or whole > _EXACT_WHOLE or (whole > 0 and abs(power) > _EXACT_POWER):
        return 0.0, i, HARD
    value = float(whole)
    if whole > 0:
        value = value * _TENS[power] if power >= 0 else value / _TENS[-power]
    return (-value if negative else value), i, EXACT


@kernel
def parse_rows(text, stop, limit, table, row, hard):
    """Read the lines text[:stop] into a table (rows, columns), from `row` on; empty lines are skipped.

    Gives (rows so far, hard words, problem or 0, the byte it is at). Hard words are left to the caller
    in `hard` (n, 4): row, column, first byte, last byte + 1. Lines past the end of the table are
    checked and counted all the same.
    """
    rows, columns = table.shape
    column, hards, i = 0, 0, 0
    while i < stop:
        byte = text[i]
        if byte in (_LINE_FEED, _RETURN):
            if column == columns:
                row += 1
                column = 0
            elif column > 0:
                return row, hards, TOO_FEW, i
            i += 1
        elif byte in (_SPACE, _TAB):
            i += 1
        elif column == columns:
            return row, hards, TOO_MANY, i
        else:
            value, end, kind = scan_number(text, i, stop)
            if kind == NOT_A_NUMBER:
                return row, hards, NOT_A_NUMBER, i
            if abs(value) > limit:
                return row, hards, TOO_LARGE, i
            if row < rows:
                table[row, column] = value
                if kind == HARD:
                    hard[hards, 0], hard[hards, 1], hard[hards, 2], hard[hards, 3] = row, column, i, end
                    hards += 1
            column += 1
            i = end
    if column == columns:
        row += 1
    elif column > 0:
        return row, hards, TOO_FEW, stop
    return row, hards, 0, stop


@kernel
def parse_named_rows(text, stop, names, name_start, first_column, first_frame, limit, table, seen, row, hard):
    """Read the lines text[:stop] of an AMC file: a frame's number alone, then "name number number …".

    Name k is names[name_start[k] : name_start[k + 1]]; its numbers go to the columns from
    first_column[k] up to first_column[k + 1]. `seen` (names,) is the row where each name stood last;
    `row` is the one being read, -1 before the first. Frames are numbered from `first_frame` on.
    Gives the same as parse_rows.
    """
    count = len(seen)
    hards, i = 0, 0
    while i < stop:
        if text[i] <= _SPACE:
            i += 1
            continue
        # Step 1. The first word: a digit starts a new frame, anything else is a name.
        if _ZERO <= text[i] <= _NINE:
            for k in range(count):
                if row >= 0 and seen[k] != row:
                    return row, hards, INCOMPLETE, i
            value, end, kind = scan_number(text, i, stop)
            if kind != EXACT or value != first_frame + row + 1:
                return row, hards, WRONG_FRAME, i
            if row + 1 == len(table):
                return row, hards, TABLE_FULL, i
            row += 1
            i = end
            bone, column, last = -1, 0, 0
        else:
            end = i
            while end < stop and text[end] > _SPACE:
                end += 1
            bone = -1
            for k in range(count):
                if name_start[k + 1] - name_start[k] == end - i:
                    same = True
                    for m in range(end - i):
                        same = same and names[name_start[k] + m] == text[i + m]
                    if same:
                        bone = k
                        break
            if bone < 0:
                return row, hards, UNKNOWN_NAME, i
            if row < 0:
                return row, hards, WRONG_FRAME, i
            if seen[bone] == row:
                return row, hards, NAMED_TWICE, i
            seen[bone] = row
            i = end
            column, last = first_column[bone], first_column[bone + 1]
        # Step 2. Its numbers, up to the end of the line.
        while i < stop and text[i] != _LINE_FEED and text[i] != _RETURN:
            if text[i] == _SPACE or text[i] == _TAB:
                i += 1
                continue
            if column == last:
                return row, hards, TOO_MANY, i
            value, end, kind = scan_number(text, i, stop)
            if kind == NOT_A_NUMBER:
                return row, hards, NOT_A_NUMBER, i
            if abs(value) > limit:
                return row, hards, TOO_LARGE, i
            table[row, column] = value
            if kind == HARD:
                hard[hards, 0], hard[hards, 1], hard[hards, 2], hard[hards, 3] = row, column, i, end
                hards += 1
            column += 1
            i = end
        if column < last:
            return row, hards, TOO_FEW, i
    return row, hards, 0, stop


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
