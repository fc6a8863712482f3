"""The command line: asks for something and shows it, one file per family of commands. No algorithms here."""

import sys
from importlib import import_module
from typing import Annotated

import typer
from rich.markup import escape

from randori import __version__
from randori.cli.shared import app, messages
from randori.errors import RandoriError

# each file adds its commands, in the order in which the help lists them
for _family in ("scenes", "recordings", "inspect", "controllers", "patches", "studio", "bench"):
    import_module(f"randori.cli.{_family}")


@app.callback(invoke_without_command=True)
def randori(version: Annotated[bool, typer.Option("--version", help="Print the version")] = False) -> None:
    if version:
        print(__version__)
        raise typer.Exit


def main() -> None:
    """Run the command line; what a person did wrong is said in a sentence, without a traceback."""
    try:
        app()
    except RandoriError as error:
        messages.print(f"[red]randori:[/red] {escape(str(error))}", highlight=False)
        sys.exit(2)
    except OSError as error:  # a disk that is full, a folder that may not be written to
        where = f"{error.filename}: " if error.filename else ""
        messages.print(f"[red]randori:[/red] {escape(f'{where}{error.strerror or error}')}", highlight=False)
        sys.exit(2)
    except KeyboardInterrupt:
        messages.print("randori: stopped")
        sys.exit(130)
