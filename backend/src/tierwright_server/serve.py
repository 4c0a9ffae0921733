"""`tierwright serve`: the command.

Kept light, because the command line loads it to list its commands: the application is
imported when it runs.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from tierwright_server.common.runtime_error import RuntimeFailure
from tierwright_server.runtime.listen import DEFAULT_PORT


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
        typer.Option(min=0, max=64, help="Worker processes; 0: workers run elsewhere."),
    ] = 1,
    processes: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=64,
            help="Processes that answer requests [default: one for each processor core, at "
            "most 4].",
            show_default=False,
        ),
    ] = None,
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

    raise typer.Exit(serve(host, port, data_dir, workers, processes, published_at))


def main() -> int:
    """Run as a program of its own."""
    try:
        typer.run(command)
    except RuntimeFailure as failure:
        typer.echo(f"error: {failure}", err=True)
    return 2


if __name__ == "__main__":
    sys.exit(main())
