"""What every command uses: the application, where it prints, bars over long work."""

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
    """What would otherwise be caught on its way by typer, which says "Aborted." and no more."""

    def __init__(self, error: BaseException):
        self.error = error


class _Commands(TyperGroup):
    """All commands; how they end is for `main` to say, whatever version of typer runs them."""

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
    """A console on which text from files cannot do anything.

    Brackets are no markup, and what a terminal would obey is shown instead.
    """

    def __init__(self, **settings: Any):
        super().__init__(markup=False, highlight=False, **settings)

    def print(self, *objects: Any, **settings: Any) -> None:
        super().print(*(visible(one) if isinstance(one, str) else one for one in objects), **settings)

    def marked(self, template: str, *values: object, soft_wrap: bool = False) -> None:
        """A line with markup of our own; no value in it is taken for markup."""
        safe = [escape(str(one)) if isinstance(one, str | Path) else one for one in values]
        self.print(template.format(*safe), markup=True, soft_wrap=soft_wrap)


console = SafeConsole()
messages = SafeConsole(stderr=True)
doing = ""  # what the command is about, for whoever interrupts it


JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for a script to read")]


@contextmanager
def working(what: str) -> Iterator[None]:
    """A spinner for work that takes a moment."""
    with _named(what), messages.status(escape(visible(f"{what} …"))):
        yield


@contextmanager
def _named(what: str) -> Iterator[None]:
    """Remember what is being done, for whoever interrupts it."""
    global doing
    doing, before = what, doing
    try:
        yield
    except Exception:
        doing = before
        raise
    doing = before


def follow(what: str, work: Generator[float, None, Result]) -> Result:
    """A bar over work that yields the share that is done. Leaving it half way leaves no file behind."""
    from randori.kernels.compile import telling  # reading numba takes a moment; most commands do without

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
    """Refuse a folder for results that cannot be there, before anything takes long."""
    there = next(one for one in (out, *out.absolute().parents) if one.exists())
    if not there.is_dir():
        raise FileError(out, f"cannot be a folder for results: {there} is a file")
    if not os.access(there, os.W_OK | os.X_OK):
        raise FileError(out, f"cannot be a folder for results: nothing may be written in {there}")


def check_file(out: Path) -> None:
    """Refuse a file for results that cannot be there, before anything takes long."""
    if not out.absolute().parent.is_dir():
        raise FileError(out, f"cannot be written: there is no folder {out.parent}")
    check_folder(out.absolute().parent)


def check_formats(words: str, known: Iterable[str]) -> list[str]:
    """The formats that somebody names, with commas; `known` are the endings of files."""
    formats = [word.strip().lower() for word in words.split(",")]
    for word in formats:
        if f".{word}" not in known:
            raise RandoriError(f"--format {word}: known are {', '.join(ending[1:] for ending in known)}")
    return formats


def make_folder(out: Path) -> None:
    """The folder for results, with those that it lies in."""
    check_folder(out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(out, f"cannot be made: {error.strerror}") from error


def print_json(report: object) -> None:
    """For a script to read."""
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
    """What was written, and how large it is."""
    for path in paths:
        console.marked("  {}  [dim]{:.1f} MB[/dim]", path, path.stat().st_size / 1e6)
