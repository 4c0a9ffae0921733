"""`tierwright catalog ...`: the shipped devices and price books."""

from __future__ import annotations

from typing import Annotated

import typer

from tierwright.cli.money import shows_money
from tierwright.cli.output import Json, print_json, print_table
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes, format_microseconds

app = typer.Typer(
    help="List the shipped devices and prices.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("devices")
@shows_money
def devices(
    *,
    page_bytes: Annotated[
        int | None,
        typer.Option(
            "--page-bytes",
            metavar="N",
            min=1,
            help="Page of the service times [default: the transfer size of a device's IOPS, "
            "else 4096]. [bytes]",
        ),
    ] = None,
    role: Annotated[
        str | None,
        typer.Option("--role", metavar="TIER", help="Only of: ram, flash, disk."),
    ] = None,
    answers: Annotated[
        str | None,
        typer.Option(
            "--answers",
            metavar="WHAT",
            help="Only devices whose figures suffice for: io_times, life, refill.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """List devices with their service times."""
    from tierwright.common.currency import unit_price
    from tierwright.common.derivation import plain
    from tierwright.hardware import catalog
    from tierwright.hardware.capabilities import (
        CAPABILITIES,
        capabilities,
        missing_figures,
    )
    from tierwright.hardware.device import OPERATIONS, ROLES, Device
    from tierwright.hardware.prices import own_price
    from tierwright.hardware.service_time import (
        service_basis,
        service_time,
        service_us,
        stated_page_bytes,
        waiting_time,
    )

    def page_of(device: Device) -> int:
        return page_bytes or stated_page_bytes(device)

    for option, value, names in (
        ("--role", role, ROLES),
        ("--answers", answers, tuple(CAPABILITIES)),
    ):
        if value is not None and value not in names:
            raise BadInput(
                f"{option}: `{value}` is not one of {', '.join(names)}",
                "leave it out to list all devices",
            )
    known = [
        device
        for device in catalog.devices().values()
        if (role is None or role in device.roles)
        and (answers is None or answers in capabilities(device))
    ]
    if json:
        print_json(
            [
                {
                    **device.to_dict(),
                    "roles": list(device.roles),
                    "capacity_bytes": device.capacity_bytes,
                    "page_bytes": device.page_bytes,
                    "queue_depth": device.queue_depth,
                    "service_page_bytes": page_of(device),
                    "read_service_us": service_us(device, "read", page_of(device)),
                    "write_service_us": service_us(device, "write", page_of(device)),
                    "service_basis": service_basis(device, page_of(device)),
                    "service_times": {
                        operation: plain(
                            service_time(device, operation, page_of(device))
                        )
                        for operation in OPERATIONS
                    },
                    "waiting_times": {
                        operation: plain(
                            waiting_time(device, operation, page_of(device))
                        )
                        for operation in OPERATIONS
                    },
                    "answers": list(capabilities(device)),
                    "missing": list(missing_figures(device)),
                    "assumed": list(device.assumed),
                }
                for device in known
            ]
        )
        return
    rows = []
    for device in known:
        price = own_price(device)
        capacity = device.capacity_bytes
        rows.append(
            [
                device.id,
                device.kind if device.sold_as == "device" else device.sold_as,
                "-" if capacity is None else format_bytes(capacity),
                format_bytes(page_of(device)),
                _time(service_us(device, "read", page_of(device))),
                _time(service_us(device, "write", page_of(device))),
                "-" if device.queue_depth is None else str(device.queue_depth),
                "-" if price is None else unit_price(price.usd, price.unit),
                "-" if price is None else price.date or "undated",
            ]
        )
    print_table(
        "",
        [
            ("device", False),
            ("kind", False),
            ("capacity", True),
            ("page", True),
            ("read service", True),
            ("write service", True),
            ("queue depth", True),
            ("own price", True),
            ("of", False),
        ],
        rows,
    )


@app.command("prices")
@shows_money
def prices(*, json: Json = False) -> None:
    """List price books with their prices."""
    from tierwright.common.currency import unit_price
    from tierwright.hardware import catalog

    known = catalog.price_books().values()
    if json:
        print_json([book.to_dict() for book in known])
        return
    print_table(
        "",
        [
            ("price book", False),
            ("device or kind", False),
            ("price", True),
            ("of", False),
        ],
        [
            [
                book.id,
                price.device_id or f"kind {price.kind}",
                unit_price(price.usd, price.unit),
                price.date or "undated",
            ]
            for book in known
            for price in book.prices
        ],
    )


def _time(time_us: float | None) -> str:
    return "-" if time_us is None else format_microseconds(time_us)
