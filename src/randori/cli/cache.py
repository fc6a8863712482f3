"""The command `cache`."""

from typing import Annotated

import typer

from randori import caches
from randori.cli.shared import JsonOption, app, console, print_json
from randori.errors import RandoriError
from randori.folders import cache_folder

ALL = "all"


@app.command()
def cache(
    clear: Annotated[
        str | None,
        typer.Option(metavar="KIND", help=f"Remove one kind of files: {', '.join(caches.KINDS)}, or all"),
    ] = None,
    trim: Annotated[
        bool,
        typer.Option(
            "--trim", help="Remove the least recently used files until the cache is below its limit"
        ),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Show or clear the cache. Everything in it can be made again."""
    freed = 0
    if clear is not None:
        if clear not in (ALL, *caches.KINDS):
            raise RandoriError(
                f"--clear: unknown kind {clear!r}; valid kinds are {ALL}, {', '.join(caches.KINDS)}"
            )
        freed = sum(caches.clear(name) for name in (caches.KINDS if clear == ALL else [clear]))
    if trim:
        freed += caches.trim()
    kinds = caches.kinds()
    total = sum(kind.size for kind in kinds)
    if json:
        rows = {kind.name: {"files": kind.files, "bytes": kind.size} for kind in kinds}
        print_json({"folder": str(cache_folder()), "limit": caches.limit(), "freed": freed, "kinds": rows})
        return
    console.print(f"{cache_folder()}  {_megabytes(total)} of at most {_megabytes(caches.limit())}")
    for kind in kinds:
        console.print(f"  {kind.name:<12}{_megabytes(kind.size):>10}  {kind.files} files: {kind.words}")
    if clear is not None or trim:
        console.print(f"  {_megabytes(freed)} freed")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.0f} MB"
