"""`tierwright place`: which of several workloads share a system, and what each system is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from tierwright.cli.advise import EXIT_INFEASIBLE, figure
from tierwright.cli.options import (
    Assumptions,
    DiskRatesOf,
    FlashRatesOf,
    PriceBookName,
)
from tierwright.cli.output import (
    Json,
    print_cautions,
    print_json,
    print_table,
    progress,
    say,
)
from tierwright.cli.template import Months, TemplateFile, choices
from tierwright.common.units import format_bytes, format_count, format_microseconds

if TYPE_CHECKING:
    from tierwright.advise.placement import Objective, Placement


def place(
    profiles: Annotated[
        list[str],
        typer.Argument(
            metavar="PROFILE[=RATE]...",
            help="Profiles of one page size, as `tierwright scale` writes them. RATE: accesses per second, as 5000; or "
            "a multiple of their own rate, as x2 [default: their own rate].",
        ),
    ],
    *,
    candidates: Annotated[
        Path | None,
        typer.Option(
            "--candidates",
            metavar="FILE",
            help="What may be bought, as for `tierwright advise` [default: instances and volumes with list prices].",
        ),
    ] = None,
    constraint: Annotated[
        list[str] | None,
        typer.Option(
            "--constraint",
            metavar="NAME=VALUE",
            help="A limit, as for `tierwright advise`: of sizes, machines and money for all systems together, of the "
            "others for each; may be repeated.",
        ),
    ] = None,
    template: TemplateFile = None,
    objective: Annotated[
        str | None,
        typer.Option(
            "--objective",
            metavar="usd|io_time",
            help="Least money a month, or least mean I/O time of an access [default: usd].",
        ),
    ] = None,
    price_book: PriceBookName = None,
    months: Months = None,
    flash_device: FlashRatesOf = None,
    disk_device: DiskRatesOf = None,
    assumptions: Assumptions = False,
    json: Json = False,
) -> None:
    """Choose which workloads share a system, and what each system is.

    Exit code 0 with an answer, 3 where no choice keeps every limit.
    """
    from tierwright.advise import placement
    from tierwright.profile.several import read_workloads

    asked = choices(
        template,
        candidates=candidates,
        constraint=constraint,
        objective=objective,
        price_book=price_book,
        months=months,
        flash_device=flash_device,
        disk_device=disk_device,
    )
    with progress("groups of workloads") as report:
        found = placement.answer(
            read_workloads(profiles),
            candidates=asked.candidates,
            constraints=asked.constraints,
            objective=cast("Objective", asked.objective),
            prices=asked.prices,
            horizon_months=asked.horizon_months,
            flash=asked.flash,
            disk=asked.disk,
            on_progress=lambda done, total: report(done, total, 0),
        )
    if json:
        print_json(found.to_dict(derivation=True))
    else:
        print_cautions(found.cautions, every=assumptions)
        _print(found, asked.prices_text())
    if not found.systems:
        raise typer.Exit(EXIT_INFEASIBLE)


def _print(found: Placement, prices: str) -> None:
    from tierwright.advise.placement.found import (
        busiest_hour,
        not_counted,
        placed_together,
    )
    from tierwright.common.currency import shown_in, to_the_coin

    code = shown_in().currency
    say(found.finding)
    if prices:
        say(prices)
    if found.systems:
        print_table(
            "Systems",
            [
                ("workload", False),
                (f"{code} per month", True),
                ("accesses/s", True),
                ("busiest hour", True),
                ("RAM", True),
                ("hits in RAM", True),
                ("I/O time", True),
                ("busy at peak", True),
                ("scheme", False),
                ("system", False),
            ],
            [
                row
                for each in found.systems
                for row in [
                    *(
                        [
                            held.name,
                            "",
                            format_count(round(held.accesses_per_s)),
                            format_count(round(held.peak_accesses_per_s)),
                            format_bytes(held.ram_bytes),
                            f"{held.hit_share:.1%}",
                            *([""] * 4),
                        ]
                        for held in each.workloads
                    ),
                    [
                        "",
                        figure(each.option, "usd_per_month", to_the_coin),
                        format_count(round(each.accesses_per_s)),
                        format_count(round(each.peak_accesses_per_s)),
                        format_bytes(each.option.ram_bytes),
                        f"{each.option.ram_hit_share:.1%}",
                        figure(
                            each.option, "io_time_us_per_access", format_microseconds
                        ),
                        figure(each.option, "peak_busy", "{:.1%}".format),
                        each.option.scheme,
                        f"{each.option.name}, RAM divided"
                        if each.in_parts
                        else each.option.name,
                    ],
                ]
            ],
        )
        rests_on = busiest_hour(found)
        if rests_on:
            say(rests_on)
    if found.alternatives:
        print_table(
            "Other ways to share",
            [(f"{code} per month", True), ("I/O time", True), ("workloads", False)],
            [
                [
                    to_the_coin(each.usd_per_month),
                    figure(each, "io_time_us_per_access", format_microseconds),
                    "; ".join(map(placed_together, each.groups, each.in_parts))
                    + not_counted(each.machines_left_out),
                ]
                for each in found.alternatives
            ],
        )
