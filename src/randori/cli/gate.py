"""Options that hold takes to something before any of them is written, for every command that writes one."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from randori.scene.gate import Gate

RequireOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Write nothing if the take misses a limit: all, feet, joins, bodies, strikes or floor; "
        "bodies=5 sets another bound (docs/quality.md)"
    ),
]
CommercialOption = Annotated[
    bool,
    typer.Option(
        "--commercial",
        help="Write nothing if a recording that is seen has no licence that is known to allow selling it",
    ),
]
AllowOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-licence", metavar="WORDS", help="A licence, in its own words, that --commercial lets through"
    ),
]


def read_gate(require: list[str] | None, commercial: bool, allowed: list[str] | None) -> "Gate":
    """What somebody asks for; mistakes in it are said before any work is done."""
    from randori.scene.gate import Gate

    return Gate.of(require, commercial, allowed)
