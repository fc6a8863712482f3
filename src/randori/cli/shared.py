"""Shared by all commands: the application, consoles, progress bars."""

import json as json_module
import os
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from typer.core import TyperGroup

from randori.errors import FileError, RandoriError
from randori.wording import visible
from randori.work import Notice

Result = TypeVar("Result")


class Carried(Exception):
    """Carries an error past typer, which would only print "Aborted."."""

    def __init__(self, error: BaseException):
        self.error = error


class _Commands(TyperGroup):
    """All commands. Errors are passed on to `main`, with any version of typer."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, EOFError, OSError) as error:
            raise Carried(error) from error


app = typer.Typer(
    cls=_Commands,
    help="Scenes of interacting characters from motion captured one person at a time.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


class SafeConsole(Console):
    """A console that prints text from files safely.

    Brackets are not markup, and control characters are shown as text.
    """

    def __init__(self, **settings: Any):
        super().__init__(markup=False, highlight=False, **settings)

    def print(self, *objects: Any, **settings: Any) -> None:
        super().print(*(visible(one) if isinstance(one, str) else one for one in objects), **settings)

    def marked(self, template: str, *values: object, soft_wrap: bool = False) -> None:
        """Print a template with markup; markup in the values is ignored."""
        safe = [escape(str(one)) if isinstance(one, str | Path) else one for one in values]
        self.print(template.format(*safe), markup=True, soft_wrap=soft_wrap)


console = SafeConsole()
messages = SafeConsole(stderr=True)
doing = ""  # the current work, for the message after Ctrl+C


JsonOption = Annotated[bool, typer.Option("--json", help="Print the report as JSON")]


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show a spinner during short work."""
    with _named(what), messages.status(escape(visible(f"{what} …"))):
        yield


@contextmanager
def _named(what: str) -> Iterator[None]:
    """Remember the current work, for the message after Ctrl+C."""
    global doing
    doing, before = what, doing
    try:
        yield
    except Exception:
        doing = before
        raise
    doing = before


def follow(what: str, work: Generator[float, None, Result]) -> Result:
    """Run work that yields its progress (0 to 1) under a progress bar."""
    from randori.kernels.compile import telling  # importing numba is slow, and most commands do not need it

    what = visible(what)
    words_column = TextColumn("{task.description}", markup=False)
    columns = (words_column, BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with _named(what), Progress(*columns, console=messages, transient=True) as progress:
        task, words = progress.add_task(what, total=1.0), what

        def compiling(begins: bool) -> None:
            progress.update(task, description=f"{what} (compiling, once)" if begins else words)

        with telling(compiling):
            while True:
                try:
                    share = next(work)
                    if isinstance(share, Notice):
                        progress.console.print(share.words, style="yellow")
                        continue
                    words = visible(f"{what} {getattr(share, 'words', '')}".rstrip())
                    progress.update(task, completed=share, description=words)
                except StopIteration as finished:
                    return finished.value


def check_folder(out: Path) -> None:
    """Refuse an impossible output folder before any work is done."""
    there = next(one for one in (out, *out.absolute().parents) if one.exists())
    if not there.is_dir():
        raise FileError(out, f"cannot be the output folder: {there} is a file")
    if not os.access(there, os.W_OK | os.X_OK):
        raise FileError(out, f"cannot be the output folder: there is no write permission in {there}")


def check_file(out: Path) -> None:
    """Refuse an impossible output file before any work is done."""
    if not out.absolute().parent.is_dir():
        raise FileError(out, f"cannot be written: the folder {out.parent} does not exist")
    check_folder(out.absolute().parent)


def check_formats(words: str, known: Iterable[str]) -> list[str]:
    """Parse a list of formats; `known` are the endings of files."""
    formats = [word.strip().lower() for word in words.split(",")]
    for word in formats:
        if f".{word}" not in known:
            valid = ", ".join(ending[1:] for ending in known)
            raise RandoriError(f"--format: unknown format {word!r}; valid formats are {valid}")
    return formats


def make_folder(out: Path) -> None:
    """Make the output folder and its parents."""
    check_folder(out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(out, f"cannot be created: {error.strerror}") from error


def print_json(report: object) -> None:
    """Print a report as JSON."""
    print(json_module.dumps(report, indent=2))


def show_report(report: dict[str, Any], json: bool) -> None:
    if json:
        print_json(report)
        return
    for key, value in report.items():
        console.print(f"  {key}: {in_words(value)}")


def in_words(value: object) -> str:
    """A value of a report on one line."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {in_words(item)}" for key, item in value.items()) or "none"
    if isinstance(value, list):
        return f"({', '.join(map(str, value))})"
    return str(value)


def show_files(paths: list[Path]) -> None:
    """Print the files written, with their sizes."""
    for path in paths:
        console.marked("  {}  [dim]{:.1f} MB[/dim]", path, path.stat().st_size / 1e6)
