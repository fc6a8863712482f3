"""The command line: asks for something and shows it, one file per family of commands. No algorithms here."""

import os
import signal
import sys
import traceback
from importlib import import_module
from types import FrameType
from typing import Annotated, Any

import typer

from randori import __version__
from randori.caches import trim_now_and_then
from randori.cli import shared
from randori.cli.shared import Carried, app, messages
from randori.errors import RandoriError
from randori.reports import in_a_sentence

# each file adds its commands, in the order in which the help lists them
for _family in (
    "scenes",
    "recordings",
    "inspect",
    "dress",
    "controllers",
    "patches",
    "studio",
    "cache",
    "bench",
):
    import_module(f"randori.cli.{_family}")

_DEBUG = "--debug"


class Terminated(KeyboardInterrupt):
    """Somebody asks this process to end (SIGTERM): it ends as after Ctrl+C, leaving nothing half written."""


@app.callback(invoke_without_command=True)
def randori(
    version: Annotated[bool, typer.Option("--version", help="Print the version")] = False,
    debug: Annotated[
        bool, typer.Option(_DEBUG, help="Show where in the code an unexpected error happened")
    ] = False,
) -> None:
    if version:
        print(__version__)
        raise typer.Exit


def main() -> None:
    """Run the command line. However it ends, a sentence says so; there is a traceback only with --debug."""
    asked = [word for word in sys.argv[1:] if word != _DEBUG]
    debug = len(asked) < len(sys.argv) - 1
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="replace")  # a letter that the terminal's code page lacks
    before = _listen()
    try:
        app(asked, prog_name="randori")
    except SystemExit as end:
        if not end.code:
            trim_now_and_then()
        raise
    except (KeyboardInterrupt, Exception) as caught:
        error = caught.error if isinstance(caught, Carried) else caught
        if debug:
            traceback.print_exception(error)
        sys.exit(_say_end(error))
    finally:
        _restore(before)


def _say_end(error: BaseException) -> int:
    """Say in a sentence what has ended a command; the code that it ends with."""
    match error:
        case Terminated():
            _say_stopped("it was asked to end (SIGTERM)")
            return 143
        case KeyboardInterrupt():
            _say_stopped("Ctrl+C")
            return 130
        case BrokenPipeError():  # whoever reads what is printed has seen enough
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115
            return 141
        case RandoriError():
            _say(str(error))
            return 2
        case OSError():  # a disk that is full, a folder that may not be written to
            reason = str(error.strerror or error)
            _say(f"{error.filename}: {reason}" if error.filename else reason)
            return 2
    _say(f"{in_a_sentence(error)}; --debug shows it here")
    return 70


def _listen() -> Any:
    """Hear SIGTERM as Ctrl+C is heard; where that is not possible (in a thread), leave it."""

    def terminate(number: int, frame: FrameType | None) -> None:
        raise Terminated

    try:
        return signal.signal(signal.SIGTERM, terminate)
    except ValueError:
        return None


def _restore(before: Any) -> None:
    if before is not None:
        signal.signal(signal.SIGTERM, before)


def _say_stopped(why: str) -> None:
    during = f" while it was busy: {shared.doing}" if shared.doing else ""
    _say(f"stopped: {why}{during}. Files that were not finished are not there.")


def _say(words: str) -> None:
    messages.marked("[red]randori:[/red] {}", words)
