"""Reading TRC (OpenSim, Motion Analysis): a text table of marker places, solved by markers.py."""

import os

import numpy as np

from randori.errors import FileError
from randori.formats.files import file_size, quote, read_start
from randori.formats.markers import Markers, solve
from randori.formats.rates import FASTEST, SLOWEST, usual_rate
from randori.formats.recording import LARGEST_VALUE, Recording
from randori.formats.tables import to_number

LARGEST_FILE = 256 * 1024**2  # bytes
_UNITS = {"mm": 0.001, "cm": 0.01, "m": 1.0, "in": 0.0254}
_HEADER = 5  # lines


def read_recording(path: str | os.PathLike[str]) -> Recording:
    """The motion of a body in a TRC file."""
    return solve(path, read_markers(path))


def read_markers(path: str | os.PathLike[str]) -> Markers:
    """Labels and places of all markers; an empty cell is a marker that was not seen."""
    if (size := file_size(path)) > LARGEST_FILE:
        raise FileError(path, f"is {size >> 20} MB large; at most {LARGEST_FILE >> 20} MB of TRC are read")
    lines = read_start(path, LARGEST_FILE).decode("latin-1").splitlines()
    if not lines or not lines[0].startswith("PathFileType") or len(lines) <= _HEADER:
        raise FileError(path, "expected a TRC file: its first line starts with PathFileType", 1)

    # Step 1. Read the header.
    facts = dict(zip(lines[1].split("\t"), lines[2].split("\t")))
    rate = to_number(facts.get("DataRate", "").strip())
    if not SLOWEST <= rate <= FASTEST:
        found = quote(facts.get("DataRate", ""))
        raise FileError(path, f"expected a DataRate from {SLOWEST:g} to {FASTEST:g}, found {found}", 3)
    cells = lines[3].split("\t")
    if len(cells) < 3 or cells[0].strip() != "Frame#":
        raise FileError(path, "expected Frame#, Time and the names of the markers", 4)
    labels = [cell.strip() for cell in cells[2:] if cell.strip()]
    if not labels:
        raise FileError(path, "expected the names of the markers after Time", 4)

    # Step 2. The frames.
    rows = []
    for number, line in enumerate(lines[_HEADER:], _HEADER + 1):
        if not line.strip():
            continue
        values = line.split("\t")[2:]
        if len([value for value in values if value.strip()]) > 3 * len(labels):
            raise FileError(path, f"expected {3 * len(labels)} numbers, three for each marker", number)
        row = np.full(3 * len(labels), np.nan)
        for column, cell in enumerate(values[: len(row)]):
            word = cell.strip()
            if word and word.lower() != "nan":
                row[column] = to_number(word)
                if np.isnan(row[column]):
                    limit = f"{LARGEST_VALUE:g}"
                    raise FileError(path, f"expected a number up to {limit}, found {quote(word)}", number)
        rows.append(row)
    if not rows:
        raise FileError(path, "expected at least one frame", len(lines))
    places = np.array(rows).reshape(len(rows), len(labels), 3)
    places[np.isnan(places).any(axis=-1) | (places == 0.0).all(axis=-1)] = np.nan
    unit = _UNITS.get(facts.get("Units", "").strip().lower())
    return Markers(labels, places, usual_rate(1.0 / rate) or rate, unit, "Y", ())
