"""What a take is held to before any of it is written."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from randori.scene.take import Take

RequireOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Write nothing if the take misses a limit: all, feet, joins, bodies, strikes or floor; "
        "bodies=5 sets another bound (docs/quality.md)"
    ),
]
CommercialOption = Annotated[
    bool,
    typer.Option("--commercial", help="Write nothing if a recording that is seen may not be sold"),
]


def check_limits(require: list[str] | None) -> None:
    """Say what is wrong with the words before any work is done."""
    from randori.timeline.limits import read_limits

    read_limits(require or [])


def check_take(take: "Take", require: list[str] | None, commercial: bool) -> None:
    """An error if the take is not what was asked for."""
    from randori.scene.provenance import refuse_non_commercial
    from randori.timeline.limits import read_limits
    from randori.timeline.limits import require as hold

    hold(take.quality(), read_limits(require or []))
    if commercial:
        refuse_non_commercial(take.credits())
