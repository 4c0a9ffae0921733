"""`tierwright serve`: the command.

Kept light, because the command line loads it to list its commands: the application is
imported when it runs.
"""

from pathlib import Path
from typing import Annotated

import typer

from tierwright_server.listen import DEFAULT_PORT
from tierwright_server.runtime_error import RuntimeFailure


def command(
    host: Annotated[str, typer.Option(help="Loopback address to listen on.")] = (
        "127.0.0.1"
    ),
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help=f"Port [default: {DEFAULT_PORT}, or the next free one].",
            show_default=False,
        ),
    ] = None,
    data_dir: Annotated[
        Path | None,
        typer.Option(
            help="Folder of database, uploads and logs [default: "
            "TIERWRIGHT_DATA_DIR, else tierwright in the user's data files].",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[
        int,
        typer.Option(min=0, max=64, help="Worker processes; 0: they run elsewhere."),
    ] = 1,
    published_at: Annotated[
        str | None,
        typer.Option(
            envvar="TIERWRIGHT_PUBLISHED_AT",
            help="In a container only: the loopback ADDRESS:PORT that publishes it.",
        ),
    ] = None,
) -> None:
    """Run the whole application on this machine: page, API, database and workers."""
    from tierwright_server.supervisor import serve

    try:
        code = serve(host, port, data_dir, workers, published_at)
    except RuntimeFailure as failure:
        typer.echo(f"error: {failure}", err=True)
        raise typer.Exit(2) from failure
    raise typer.Exit(code)


def main() -> None:
    """Run as a program of its own."""
    typer.run(command)


if __name__ == "__main__":
    main()
