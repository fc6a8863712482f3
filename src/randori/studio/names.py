"""Names of kept results: the files, a person's corrections and the code (sources.py) they come from."""

from pathlib import Path

from randori.capture.sidecar import read_sidecar, sidecar_path
from randori.errors import FileError


def fingerprint(path: Path) -> str:
    """Changes with a file that a scene reads, and with what a person has said about it beside it."""
    found, beside = path.stat(), sidecar_path(path)
    said = ""
    if beside.is_file():
        try:
            # detected rows are written again with every capture: only a person's words count
            rows, holds = read_sidecar(beside)
            said = repr([row for row in rows if row.edited]) + holds
        except FileError as error:
            said = str(error)
    return f"{path}|{found.st_size}|{found.st_mtime_ns}|{said}"
