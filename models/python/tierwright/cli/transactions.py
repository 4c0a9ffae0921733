"""`tierwright transactions`: replay transaction events over raw NAND."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tierwright.cli.output import Json, print_json, print_table
from tierwright.errors import BadInput
from tierwright.units import format_count, format_microseconds


def transactions(
    events: Annotated[
        Path,
        typer.Argument(
            metavar="EVENTS",
            help="Text, one event a line: B T1, R T1 7, U T1 7, C T1 or A T1.",
        ),
    ],
    *,
    ram_pages: Annotated[
        int, typer.Option("--ram-pages", metavar="N", help="Buffer. [pages]")
    ],
    database_pages: Annotated[
        int,
        typer.Option("--database-pages", metavar="N", help="Pages on the chip."),
    ],
    log_bytes: Annotated[
        int,
        typer.Option("--log-bytes", metavar="N", help="Log record of an update."),
    ] = 100,
    json: Json = False,
) -> None:
    """Compare page LRU with commit-aware eviction that writes pages or log records."""
    from tierwright import transactions as model

    try:
        text = events.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"{events}: cannot be read as text: {error}", "give a file of events"
        ) from error
    found = model.compare_buffers(
        model.parse_events(text),
        ram_pages=ram_pages,
        database_pages=database_pages,
        log_bytes_per_update=log_bytes,
    )
    if json:
        print_json({name: counts.to_dict() for name, counts in found.items()})
        return
    print_table(
        "Operations of the chip",
        [("buffer", False)]
        + [(heading, True) for heading in ("reads", "writes", "erases", "garbage")]
        + [("time", True)],
        [
            [
                name,
                format_count(counts.reads),
                format_count(counts.writes),
                format_count(counts.erases),
                format_count(counts.garbage_pages),
                format_microseconds(counts.time_us()),
            ]
            for name, counts in found.items()
        ],
    )
