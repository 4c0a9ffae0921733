"""`tierwright compose`: several workloads on one machine."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tierwright.cli.output import (
    Json,
    check_output,
    numbers,
    print_cautions,
    print_facts,
    print_json,
    print_table,
)
from tierwright.cli.sizes import Size, size_option
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes, format_count
from tierwright.common.wording import percent, three_digits

if TYPE_CHECKING:
    from tierwright.advise.compose import Composition


def compose(
    profiles: Annotated[
        list[str],
        typer.Argument(
            metavar="PROFILE[=RATE]...",
            help="Profiles of one page size. RATE: accesses per second, as 5000; or a multiple of "
            "the recorded rate, as x2 [default: the recorded rate].",
        ),
    ],
    *,
    ram: Annotated[
        Size | None, size_option("--ram", "SIZE", "All of the cache.")
    ] = None,
    partition: Annotated[
        bool,
        typer.Option("--partition", help="Also split the cache, one part for each."),
    ] = False,
    miss_weights: Annotated[
        str | None,
        typer.Option(
            "--miss-weights",
            metavar="W,W,...",
            help="How much a miss of each workload counts in the split [default: all the same].",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PROFILE.json",
            help="File to write: the profile of the shared cache.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Compose several workloads on one machine: one shared cache, or a part for each."""
    from tierwright.evaluate.compose.composed import composed_profile
    from tierwright.profile.several import read_workloads

    if ram is None and (output is None or partition or miss_weights is not None):
        raise BadInput(
            "the size of the cache is not stated",
            "add --ram 64GiB, or -o PROFILE.json alone for the profile of every size",
        )
    if miss_weights is not None and not partition:
        raise BadInput(
            "--miss-weights is of the split, which was not requested", "add --partition"
        )
    workloads = read_workloads(profiles)
    check_output(output)
    if output is not None:
        made = composed_profile(workloads)
        made.write(output)
        if ram is None:
            if json:
                print_json(made.to_dict())
                return
            print_facts(
                [
                    ("workloads", ", ".join(each.name for each in workloads)),
                    ("page", f"{format_count(made.curve.page_bytes)} bytes"),
                    ("distinct pages", format_count(made.curve.distinct_pages)),
                    ("page accesses", format_count(made.curve.accesses)),
                    ("written", str(output)),
                ]
            )
            return
    assert ram is not None
    from tierwright.advise.compose import answer

    found = answer(
        workloads,
        ram_pages=ram.at(lambda: workloads[0].curve.page_bytes),
        partitioned=partition,
        miss_weights=None
        if miss_weights is None
        else numbers(miss_weights, "--miss-weights"),
    )
    if json:
        print_json(found.to_dict(derivation=True))
        return
    print_cautions(found.cautions)
    _print(found)
    if output is not None:
        print_facts([("written", str(output))])


def _print(found: Composition) -> None:
    typer.echo(found.finding)
    stays = found.characteristic_time_s
    print_facts(
        [
            ("accesses", f"{three_digits(found.accesses_per_s)} per second"),
            (
                "misses, shared",
                f"{three_digits(found.shared_misses_per_s)} per second",
            ),
            (
                "unused pages stay",
                f"{three_digits(stays)} s" if math.isfinite(stays) else "for all time",
            ),
        ]
    )
    split = found.partition_miss_ratio is not None
    print_table(
        "What each workload gets",
        [
            ("workload", False),
            ("accesses/s", True),
            ("shared", True),
            ("of the cache", True),
            ("miss ratio", True),
            *([("partition", True), ("miss ratio", True)] if split else []),
            ("alone", True),
        ],
        [
            [
                row.name,
                three_digits(row.accesses_per_s),
                format_bytes(row.shared_pages * found.page_bytes),
                percent(row.shared_share),
                percent(row.shared_miss_ratio),
                *(
                    [
                        format_bytes((row.partition_pages or 0) * found.page_bytes),
                        percent(row.partition_miss_ratio or 0.0),
                    ]
                    if split
                    else []
                ),
                percent(row.alone_miss_ratio),
            ]
            for row in found.rows
        ],
    )
    print_table(
        "Miss ratio by size of the cache",
        [
            ("cache", True),
            ("shared", True),
            *([("partitioned", True)] if split else []),
        ],
        [
            [
                format_bytes(row.ram_pages * found.page_bytes),
                percent(row.shared_miss_ratio),
                *([percent(row.partition_miss_ratio or 0.0)] if split else []),
            ]
            for row in found.sizes
        ],
    )
