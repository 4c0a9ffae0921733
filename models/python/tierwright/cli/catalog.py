"""`tierwright catalog ...`: the shipped devices, price books, servers, volumes, parts and presets, and flash caches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Protocol, TypeVar

import typer

from tierwright.cli.money import shows_money
from tierwright.cli.output import Json, print_json, print_table
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes, format_microseconds

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from decimal import Decimal

    from tierwright.hardware.facts import Fact

app = typer.Typer(
    help="List the shipped devices, prices, servers, volumes, parts and workload presets, and the flash caches.",
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


@app.command("servers")
@shows_money
def servers(
    *,
    provider: Annotated[
        str | None,
        typer.Option("--provider", metavar="NAME", help="Only of: aws, azure, gcp."),
    ] = None,
    json: Json = False,
) -> None:
    """List cloud instances with RAM, local disks, limits and price."""
    from tierwright.common.currency import unit_price
    from tierwright.hardware.servers import servers as read

    known = _of_provider(read().values(), provider)
    if json:
        print_json([each.to_dict() for each in known])
        return
    print_table(
        "",
        [
            ("server", False),
            ("vCPU", True),
            ("RAM", True),
            ("local NVMe", True),
            ("block storage", True),
            ("price", True),
            ("of", False),
        ],
        [
            [
                each.id,
                _amount(each.vcpu),
                _amount(each.ram_gib, " GiB"),
                _amount(each.local_nvme_gb, " GB"),
                _amount(each.block_storage_bandwidth_mb_per_s, " MB/s"),
                "-"
                if each.usd_per_hour is None
                else unit_price(each.usd_per_hour, "USD/hour"),
                _date_of(each.figures, "usd_per_hour"),
            ]
            for each in known
        ],
    )


@app.command("volumes")
@shows_money
def volumes(
    *,
    provider: Annotated[
        str | None,
        typer.Option("--provider", metavar="NAME", help="Only of: aws, azure, gcp."),
    ] = None,
    json: Json = False,
) -> None:
    """List cloud volumes and object stores with their charges and limits."""
    from tierwright.common.currency import unit_price
    from tierwright.hardware.volumes import volumes as read

    known = _of_provider(read().values(), provider)
    if json:
        print_json([each.to_dict() for each in known])
        return
    print_table(
        "",
        [
            ("volume", False),
            ("kind", False),
            ("capacity", True),
            ("IOPS included", True),
            ("most IOPS", True),
            ("IOPS per GiB", True),
            ("most throughput", True),
            ("of", False),
        ],
        [
            [
                each.id,
                each.kind,
                "-"
                if each.usd_per_gib_month is None
                else unit_price(each.usd_per_gib_month, "USD/GiB/month"),
                _amount(each.iops_included),
                _amount(each.max_iops),
                _amount(each.max_iops_per_gib),
                _amount(each.max_mb_per_s, f" {each.throughput_unit}"),
                _date_of(each.figures, "usd_per_gib_month"),
            ]
            for each in known
        ],
    )


@app.command("parts")
@shows_money
def parts(
    *,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="Only of: chassis, dimm, cxl, nvme, sata_ssd, hdd, power_class.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """List chassis, memory modules and drives with their newest prices."""
    from tierwright.common.currency import money
    from tierwright.hardware.parts import KINDS
    from tierwright.hardware.parts import parts as read

    known = [each for each in read().values() if kind in (None, each.kind)]
    _check_any(known, "--kind", kind, list(KINDS))
    if json:
        print_json([each.to_dict() for each in known])
        return
    rows = []
    for each in known:
        price = each.price()
        rows.append(
            [
                each.id,
                each.kind,
                _amount(each.capacity, f" {each.capacity_unit}"),
                "-" if price is None else money(price.usd),
                "-" if price is None else price.price_kind,
                "-" if price is None else price.date,
            ]
        )
    print_table(
        "",
        [
            ("part", False),
            ("kind", False),
            ("capacity", True),
            ("price", True),
            ("market", False),
            ("of", False),
        ],
        rows,
    )


@app.command("price-history")
@shows_money
def price_history(*, json: Json = False) -> None:
    """List prices of memory and storage over time, by series."""
    from tierwright.common.currency import unit_price
    from tierwright.hardware.price_history import price_history as read

    known = read().values()
    if json:
        print_json([each.to_dict() for each in known])
        return
    print_table(
        "",
        [
            ("series", False),
            ("of", False),
            ("price", True),
            ("change", True),
            ("what", False),
        ],
        [
            [
                series.id,
                point.date,
                "-"
                if point.usd_per_gb is None
                else unit_price(point.usd_per_gb, "USD/GB"),
                "-"
                if point.change_percent_low is None
                else f"{point.change_percent_low} to {point.change_percent_high} %",
                point.what,
            ]
            for series in known
            for point in series.points
        ],
    )


class _Provided(Protocol):
    @property
    def provider(self) -> str: ...


Offer = TypeVar("Offer", bound=_Provided)


def _of_provider(offers: Collection[Offer], provider: str | None) -> list[Offer]:
    """Keep what one provider offers; all where none is named."""
    known = [each for each in offers if provider in (None, each.provider)]
    _check_any(
        known, "--provider", provider, sorted({each.provider for each in offers})
    )
    return known


def _check_any(
    known: Sequence[object], option: str, value: str | None, names: Sequence[str]
) -> None:
    if not known:
        raise BadInput(
            f"{option}: `{value}` is not one of {', '.join(names)}",
            "leave it out to list all",
        )


def _amount(value: Decimal | None, unit: str = "") -> str:
    return "-" if value is None else f"{value.normalize():,f}{unit}"


def _date_of(figures: Mapping[str, Fact], name: str) -> str:
    if name not in figures:
        return "-"
    return figures[name].date or "undated"


def _time(time_us: float | None) -> str:
    return "-" if time_us is None else format_microseconds(time_us)


@app.command("flash-caches")
def list_flash_caches(*, json: Json = False) -> None:
    """List the flash caches that can be replayed, with what they do and their options."""
    from tierwright.simulate.replay import contenders

    known = contenders("flash_cache")
    if json:
        print_json(known)
        return
    print_table(
        "",
        [("flash cache", False), ("title", False), ("", False)],
        [[one["name"], one["title"], one["description"]] for one in known],
    )


@app.command("presets")
def list_presets(*, json: Json = False) -> None:
    """List the presets of described workloads, with the error of their fit."""
    from tierwright.hardware.workload_presets import presets

    known = list(presets().values())
    if json:
        print_json([one.to_dict() for one in known])
        return
    print_table(
        "",
        [
            ("preset", False),
            ("writes", True),
            ("misses within", True),
            ("fitted to", False),
        ],
        [
            [
                one.id,
                f"{one.workload.accesses_that_write:.1%}",
                f"{one.miss_error:.2%}",
                one.source,
            ]
            for one in known
        ],
    )
