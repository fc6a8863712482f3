"""The gate: options that check takes before a command writes them."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from randori.scene.gate import Gate

RequireOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Write nothing if the take misses a limit: all, feet, joins, bodies, strikes or floor; "
        "bodies=5 sets your own bound (docs/quality.md)"
    ),
]
CommercialOption = Annotated[
    bool,
    typer.Option(
        "--commercial",
        help="Write nothing if the take shows a recording whose licence does not allow commercial use",
    ),
]
AllowOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-licence",
        metavar="LICENCE",
        help="Another licence to accept with --commercial, exactly as it is written",
    ),
]


def read_gate(require: list[str] | None, commercial: bool, allowed: list[str] | None) -> "Gate":
    """Read the options of the gate; report mistakes before any work is done."""
    from randori.scene.gate import Gate

    return Gate.of(require, commercial, allowed)
