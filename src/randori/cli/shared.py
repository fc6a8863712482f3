"""What every command uses: the application, where it prints, bars over long work."""

import json as json_module
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

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
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=messages, transient=True) as progress:
        task = progress.add_task(what, total=1.0)
        while True:
            try:
                share = next(work)
                progress.update(
                    task, completed=share, description=f"{what} {getattr(share, 'words', '')}".rstrip()
                )
            except StopIteration as finished:
                return finished.value


def show_report(report: dict[str, Any], json: bool) -> None:
    if json:
        print(json_module.dumps(report, indent=2))
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
