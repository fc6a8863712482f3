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

from randori.errors import FileError, RandoriError
from randori.work import Notice

Result = TypeVar("Result")

app = typer.Typer(
    help="Scenes of interacting characters from motion captured one person at a time.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

console = Console()
messages = Console(stderr=True)


JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for a script to read")]


@contextmanager
def working(what: str) -> Iterator[None]:
    """A spinner for work that takes a moment."""
    with messages.status(f"{what} …"):
        yield


def follow(what: str, work: Generator[float, None, Result]) -> Result:
    """A bar over work that yields the share that is done. Leaving it half way leaves no file behind."""
    from randori.kernels.compile import telling  # reading numba takes a moment; most commands do without

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=messages, transient=True) as progress:
        task, words = progress.add_task(what, total=1.0), what

        def compiling(begins: bool) -> None:
            progress.update(task, description=f"{what} (compiling, once)" if begins else words)

        with telling(compiling):
            while True:
                try:
                    share = next(work)
                    if isinstance(share, Notice):
                        progress.console.print(escape(share.words), style="yellow", highlight=False)
                        continue
                    words = f"{what} {getattr(share, 'words', '')}".rstrip()
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
        console.print(f"  {key}: {escape(in_words(value))}", highlight=False)


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
        console.print(f"  {path}  [dim]{path.stat().st_size / 1e6:.1f} MB[/dim]", highlight=False)
