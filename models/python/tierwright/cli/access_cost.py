"""`tierwright device access-cost`: what a random access costs on each device."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from tierwright.cli.books import book_of
from tierwright.cli.named import named_device
from tierwright.cli.options import AmortisationMonths
from tierwright.cli.output import Json, print_json, print_table
from tierwright.common.units import format_count
from tierwright.common.wording import counted


def access_cost(
    devices: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DEVICE...",
            help="Devices, or device files, beside those of the catalogue; the first is "
            "compared with the cheapest.",
        ),
    ] = None,
    *,
    page_bytes: Annotated[
        int, typer.Option("--page-bytes", metavar="N", min=1, help="Page. [bytes]")
    ] = 8192,
    operation: Annotated[
        Literal["read", "write"],
        typer.Option("--operation", help="What an access does."),
    ] = "read",
    price_book: Annotated[
        str | None,
        typer.Option(
            "--price-book",
            metavar="ID|FILE",
            help="Prices [default: each device's own].",
        ),
    ] = None,
    amortisation_months: AmortisationMonths = 36,
    json: Json = False,
) -> None:
    """Cost a random access on each device that is kept busy: its price over what it serves."""
    from tierwright.advise import access_cost as question
    from tierwright.common.currency import money
    from tierwright.hardware import catalog

    named = [named_device(each) for each in devices or []]
    ids = {device.id for device in named}
    shipped = [
        device
        for device in catalog.devices().values()
        if device.sold_as == "device" and device.id not in ids
    ]
    found = question.answer(
        [*named, *shipped],
        page_bytes=page_bytes,
        operation=operation,
        prices=None if price_book is None else book_of(price_book),
        amortisation_months=amortisation_months,
        subject=named[0].id if named else None,
    )
    if json:
        print_json(found.to_dict(derivation=False))
        return
    typer.echo(found.finding)
    print_table(
        "",
        [
            ("device", False),
            ("kind", False),
            ("accesses per second", True),
            ("a month", True),
            ("a billion accesses", True),
        ],
        [
            [
                row.device_name,
                row.kind,
                format_count(row.accesses_per_s or 0),
                money(row.usd_per_month or 0),
                money(row.usd_per_billion_accesses),
            ]
            for row in found.rows
            if row.usd_per_billion_accesses is not None
        ],
    )
    left = sum(row.usd_per_billion_accesses is None for row in found.rows)
    if left:
        typer.echo(
            counted(
                left,
                "device without a price or a rate is left out.",
                "devices without a price or a rate are left out.",
            )
        )
