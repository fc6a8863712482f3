"""The command `studio`."""

from pathlib import Path
from typing import Annotated

import typer

from randori.cli.shared import app, console


@app.command()
def studio(
    project: Annotated[Path, typer.Argument(help="Folder with your scenes and recordings")] = Path(),
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port; any free one if omitted")] = None,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Print the address, but do not open a browser")
    ] = False,
) -> None:
    """Open the studio in a browser, to watch, explain, change and export scenes."""
    from randori.studio.launch import launch

    def say(address: str) -> None:
        console.marked("The studio is at [bold]{}[/bold]", address, soft_wrap=True)
        console.marked("[dim]Press Ctrl+C to stop it.[/dim]")

    launch(project, port, not no_open, say)
