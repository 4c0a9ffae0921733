"""`tierwright worker`: the command.

Kept light, because the command line loads it to list its commands: the worker is imported when
it runs.
"""

import os
from pathlib import Path
from typing import Annotated

import typer


def command(
    store: Annotated[
        str | None,
        typer.Option(
            help="Store that keeps the files of the installation, as the server has it: "
            "s3://bucket/prefix (gs://, az://) or file:///folder [default: TIERWRIGHT_STORE].",
            show_default=False,
        ),
    ] = None,
    data_dir: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the copies and of unfinished work [default: TIERWRIGHT_DATA_DIR, "
            "else tierwright in the user's data files].",
            show_default=False,
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, max=64, help="Jobs at a time.", show_default="2"),
    ] = None,
) -> None:
    """Run one worker of an installation whose server is elsewhere; TIERWRIGHT_DATABASE_URL names its database."""
    for name, value in (
        ("TIERWRIGHT_STORE", store),
        ("TIERWRIGHT_DATA_DIR", data_dir and data_dir.expanduser().absolute()),
        ("TIERWRIGHT_WORKER_CONCURRENCY", jobs),
    ):
        if value is not None:
            os.environ[name] = str(value)
    from tierwright_server.worker import main

    raise typer.Exit(main())
