"""The command line: one file for each family of commands. There are no algorithms here."""

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
    """SIGTERM: the command ends as after Ctrl+C, and leaves no half-written file."""


@app.callback(invoke_without_command=True)
def randori(
    version: Annotated[bool, typer.Option("--version", help="Print the version")] = False,
    debug: Annotated[bool, typer.Option(_DEBUG, help="Print the traceback of an unexpected error")] = False,
) -> None:
    if version:
        print(__version__)
        raise typer.Exit


def main() -> None:
    """Run the command line. Every error is one sentence; only --debug prints a traceback."""
    asked = [word for word in sys.argv[1:] if word != _DEBUG]
    debug = len(asked) < len(sys.argv) - 1
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="replace")  # characters that the terminal cannot show
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
    """Print in one sentence why a command ended; return its exit code."""
    match error:
        case Terminated():
            _say_stopped("received SIGTERM")
            return 143
        case KeyboardInterrupt():
            _say_stopped("Ctrl+C")
            return 130
        case BrokenPipeError():  # the reader of our output has closed it
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115
            return 141
        case RandoriError():
            _say(str(error))
            return 2
        case OSError():  # a full disk, a folder without write permission
            reason = str(error.strerror or error)
            _say(f"{error.filename}: {reason}" if error.filename else reason)
            return 2
    _say(f"{in_a_sentence(error)}; run it with --debug to see the traceback")
    return 70


def _listen() -> Any:
    """Treat SIGTERM like Ctrl+C; do nothing outside the main thread, where that is impossible."""

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
    during = f" during: {shared.doing}" if shared.doing else ""
    _say(f"stopped: {why}{during}. Unfinished files were not written.")


def _say(words: str) -> None:
    messages.marked("[red]randori:[/red] {}", words)
