"""`tierwright catalog ...`: the shipped devices and price books."""

from __future__ import annotations

import typer

from tierwright.cli.output import Json, print_json, print_table
from tierwright.units import format_bytes, format_microseconds

app = typer.Typer(
    help="List the shipped devices and prices.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("devices")
def devices(*, json: Json = False) -> None:
    """List devices with their service times."""
    from tierwright import catalog
    from tierwright.prices import own_price

    known = catalog.devices().values()
    if json:
        print_json(
            [
                {
                    **device.to_dict(),
                    "roles": list(device.roles),
                    "capacity_bytes": device.capacity_bytes,
                    "page_bytes": device.page_bytes,
                    "queue_depth": device.queue_depth,
                    "read_service_us": device.read_service_us,
                    "write_service_us": device.write_service_us,
                    "service_basis": device.service_basis,
                    "missing": list(device.missing),
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
                _time(device.read_service_us),
                _time(device.write_service_us),
                "-" if device.queue_depth is None else str(device.queue_depth),
                "-" if price is None else f"{price.usd} {price.unit}",
                "-" if price is None else price.date or "undated",
            ]
        )
    print_table(
        "",
        [
            ("device", False),
            ("kind", False),
            ("capacity", True),
            ("read service", True),
            ("write service", True),
            ("queue depth", True),
            ("own price", True),
            ("of", False),
        ],
        rows,
    )


@app.command("prices")
def prices(*, json: Json = False) -> None:
    """List price books with their prices."""
    from tierwright import catalog

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
            ("unit", False),
            ("of", False),
        ],
        [
            [
                book.id,
                price.device_id or f"kind {price.kind}",
                str(price.usd),
                price.unit,
                price.date or "undated",
            ]
            for book in known
            for price in book.prices
        ],
    )


def _time(time_us: float | None) -> str:
    return "-" if time_us is None else format_microseconds(time_us)
