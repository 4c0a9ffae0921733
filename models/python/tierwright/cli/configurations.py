"""`tierwright configurations`: everything that can be bought for a production, by money and I/O time."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tierwright.cli.cost import amount
from tierwright.cli.named import named_device
from tierwright.cli.options import Assumptions, Start, accesses_per_s_option
from tierwright.cli.output import (
    Json,
    pairs,
    print_cautions,
    print_facts,
    print_json,
    print_table,
)
from tierwright.cli.scale import ProductionOption, print_scale, workload
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes, parse_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tierwright.advise.configurations import Configuration

GIB = 2**30


def configurations(
    profile: Annotated[
        Path,
        typer.Argument(
            metavar="PROFILE", help="Profile of a recording, or of production."
        ),
    ],
    *,
    production: ProductionOption = None,
    months: Annotated[
        int,
        typer.Option(
            "--months",
            metavar="N",
            help="Months over which a purchase is spread. [months]",
        ),
    ] = 36,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="KIND",
            help="instances (data on local disks), volumes (instances with volumes) or "
            "chassis (servers built from parts); may be repeated [default: all].",
        ),
    ] = None,
    max_machines: Annotated[
        int,
        typer.Option("--max-machines", metavar="N", help="Most equal machines."),
    ] = 8,
    reserved_ram: Annotated[
        str,
        typer.Option(
            "--reserved-ram",
            metavar="B",
            help="RAM of each machine for the system itself.",
        ),
    ] = "4GiB",
    part_usd: Annotated[
        list[str] | None,
        typer.Option(
            "--part-usd",
            metavar="ID=USD",
            help="Your price of a part; chassis=USD for every chassis: no chassis has a "
            "list price. May be repeated.",
        ),
    ] = None,
    usd_per_kwh: Annotated[
        str | None,
        typer.Option(
            "--usd-per-kwh",
            metavar="M",
            help="Price of electricity, for servers that are bought [default: left out].",
        ),
    ] = None,
    watts: Annotated[
        str | None,
        typer.Option(
            "--watts",
            metavar="W",
            help="Power of one such server [default: the sum of its parts].",
        ),
    ] = None,
    pue: Annotated[
        str,
        typer.Option(
            "--pue", metavar="X", help="Power at the meter for a watt of the server."
        ),
    ] = "1.5",
    flash_device: Annotated[
        str | None,
        typer.Option(
            "--flash-device",
            metavar="ID",
            help="Its rates for drives and local disks of flash of which no source states them.",
        ),
    ] = None,
    disk_device: Annotated[
        str | None,
        typer.Option(
            "--disk-device",
            metavar="ID",
            help="The same for hard disks and volumes.",
        ),
    ] = None,
    accesses_per_s: Annotated[
        float | None,
        accesses_per_s_option(
            "Page accesses of all machines together, mean; the busiest hour of production stays as many times it "
            "[default: of production, or of the recording]."
        ),
    ] = None,
    max_usd_per_month: Annotated[
        str | None,
        typer.Option(
            "--max-usd-per-month",
            metavar="M",
            help="Limit of rent and spread purchase per month.",
        ),
    ] = None,
    max_io_us: Annotated[
        float | None,
        typer.Option(
            "--max-io-us", metavar="T", help="Limit of the I/O time per access. [µs]"
        ),
    ] = None,
    max_busy: Annotated[
        float,
        typer.Option(
            "--max-busy",
            metavar="S",
            help="Share of the time for which a device may be busy in the busiest hour.",
        ),
    ] = 1.0,
    start: Start = "steady",
    assumptions: Assumptions = False,
    json: Json = False,
) -> None:
    """List what can be bought for a production: the cheapest, the fastest, and those between.

    All instances, volumes and servers built from parts that hold the data, priced as `tierwright bill` prices them.
    """
    from tierwright.advise import configurations as question
    from tierwright.evaluate.configurations.wanted import KINDS

    found_profile = workload(profile, production)
    found = question.answer(
        found_profile.curve.from_start(start),
        accesses_per_s=accesses_per_s,
        duration_s=found_profile.duration_s,
        horizon_months=months,
        max_machines=max_machines,
        kinds=tuple(dict.fromkeys(only)) if only else tuple(KINDS),
        reserved_gib=_gib(reserved_ram),
        part_usd={
            name: amount("--part-usd", usd)
            for name, usd in pairs(part_usd or (), "--part-usd").items()
        },
        usd_per_kwh=_given("--usd-per-kwh", usd_per_kwh),
        watts=_given("--watts", watts),
        pue=amount("--pue", pue),
        flash=None if flash_device is None else named_device(flash_device),
        disk=None if disk_device is None else named_device(disk_device),
        max_usd_per_month=_given("--max-usd-per-month", max_usd_per_month),
        max_io_us=max_io_us,
        max_busy=max_busy,
    )
    if json:
        print_json(found.to_dict(derivation=True))
        return
    print_cautions(found.cautions, every=assumptions)
    typer.echo(found.finding)
    print_scale(found_profile.curve)
    _print_rows("suit, the cheapest first", found.front)
    if found.front_in_all > len(found.front):
        typer.echo(f"{len(found.front):,} of {found.front_in_all:,} are shown")
    _print_rows("lower bounds: a price is missing", found.lower_bounds)
    if found.excluded:
        typer.echo("")
        print_facts([(each.reason, each.text) for each in found.excluded])


def _given(option: str, text: str | None) -> Decimal | None:
    return None if text is None else amount(option, text)


def _gib(text: str) -> Decimal:
    try:
        return Decimal(parse_bytes(text)) / GIB
    except BadInput as error:
        raise BadInput(
            f"--reserved-ram: {error.message}", "write a size such as 4GiB"
        ) from error


def _print_rows(title: str, rows: Sequence[Configuration]) -> None:
    from tierwright.common.currency import shown_in, to_the_coin

    if not rows:
        return
    code = shown_in().currency
    print_table(
        title,
        [
            (f"{code} per month", True),
            (f"{code} at purchase", True),
            ("µs per access", True),
            ("scheme", False),
            ("busy at peak", True),
            ("RAM usable", True),
            ("flash cache", True),
            ("data on", True),
            ("configuration", False),
        ],
        [
            [
                to_the_coin(one.monthly_usd),
                to_the_coin(one.purchase_usd),
                "-"
                if one.io_time_us_per_access is None
                else f"{one.io_time_us_per_access:.4g}",
                one.scheme,
                "-"
                if one.store_busy_peak is None
                else f"{max(one.store_busy_peak, one.flash_busy_peak or 0.0):.1%}",
                format_bytes(round(one.usable_ram_gib * one.machines * GIB)),
                format_bytes(round(one.flash_bytes)) if one.flash_bytes else "-",
                format_bytes(round(one.store_bytes)),
                one.name,
            ]
            for one in rows
        ],
    )
