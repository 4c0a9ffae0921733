"""`tierwright cachesack`: what to cache, by relation, size of requests or hour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tierwright.cli.books import book_of
from tierwright.cli.in_production import RecordedProfile, Source, recorded
from tierwright.cli.named import named_device
from tierwright.cli.options import (
    AmortisationMonths,
    Assumptions,
    accesses_per_s_option,
)
from tierwright.cli.output import (
    Json,
    print_cautions,
    print_check,
    print_json,
    print_notes,
    print_table,
    progress,
)
from tierwright.cli.reads import reads_trace
from tierwright.cli.scale import ProductionOption
from tierwright.cli.sizes import FlashPages, RamPages
from tierwright.common.units import format_bytes, format_count
from tierwright.common.wording import three_digits
from tierwright.trace.reading import Trace

if TYPE_CHECKING:
    from tierwright.advise.cachesack import CategoryRow, WhatToCache
    from tierwright.advise.checks.cachesack import CheckedChoice
    from tierwright.advise.checks.checked import CheckedFigure

MOST_SHOWN = 20
"""Categories that are printed; all are in the JSON."""


@reads_trace
def cachesack(
    trace: Trace,
    *,
    ram_pages: RamPages,
    flash_pages: FlashPages,
    flash_device: Annotated[
        str,
        typer.Option(
            "--flash-device", metavar="ID", help="Drive whose endurance is used up."
        ),
    ],
    disk_device: Annotated[
        str,
        typer.Option(
            "--disk-device", metavar="ID", help="Store whose time a read takes."
        ),
    ],
    categories: Annotated[
        str,
        typer.Option(
            "--categories",
            metavar="relation|size|hour",
            help="What tells accesses apart: relations, files or volumes; sizes of requests; hours.",
        ),
    ] = "relation",
    price_book: Annotated[
        str | None,
        typer.Option(
            "--price-book", metavar="ID|FILE", help="Prices [default: their own]."
        ),
    ] = None,
    amortisation_months: AmortisationMonths = 36,
    accesses_per_s: Annotated[
        float | None,
        accesses_per_s_option("Load in page accesses [default: the trace's own]."),
    ] = None,
    usd_per_billion_reads: Annotated[
        float | None,
        typer.Option(
            "--usd-per-billion-reads",
            metavar="USD",
            help="Price of reads from the store [default: of the time of the disk].",
        ),
    ] = None,
    usd_per_tb_written: Annotated[
        float | None,
        typer.Option(
            "--usd-per-tb-written",
            metavar="USD",
            help="Price of a terabyte written to flash [default: price of the drive over its rated writes].",
        ),
    ] = None,
    usd_per_gib_month: Annotated[
        float | None,
        typer.Option(
            "--usd-per-gib-month",
            metavar="USD",
            help="Price of a GiB of flash for a month [default: rent of the device, or its price over the months].",
        ),
    ] = None,
    flash_paid: Annotated[
        str,
        typer.Option(
            "--flash-paid",
            metavar="whole|by-size",
            help="Whether all of --flash-pages is paid for whatever it holds, or as much of it as is worth its price.",
        ),
    ] = "whole",
    flash_cache: Annotated[
        str,
        typer.Option(
            "--flash-cache",
            metavar="NAME",
            help="Flash cache that is replayed behind the choice, and without it; the model is of an LRU flash cache.",
        ),
    ] = "cachesack",
    replay: Annotated[
        bool,
        typer.Option(
            "--replay/--no-replay",
            help="Whether the choice is replayed, and what it is compared with.",
        ),
    ] = True,
    profile: RecordedProfile = None,
    production: ProductionOption = None,
    assumptions: Assumptions = False,
    json: Json = False,
) -> None:
    """Choose for each relation, size class or hour whether its pages enter flash, and when.

    Each enters never, at its second miss, at a miss, or also when it is written: so that reads from the store and wear of
    flash cost least together; with --flash-paid by-size, flash that saves less than its price is left out. The choice is
    replayed beside admitting every miss, and where a replay finds another admission cheaper, that is recommended.
    `assignment` of the answer is an option of every flash cache of `tierwright simulate`, which takes the JSON of this
    command as --plan.
    """
    from tierwright.advise import cachesack as question
    from tierwright.profile.categories import measured

    made = recorded(trace, profile, production)
    source = Source.of(trace, made)
    ram, flash = (size.at(source.page_bytes) for size in (ram_pages, flash_pages))
    asked = ram, flash
    sizes = None
    if made is not None:
        from tierwright.advise.in_production import NOT_COUNTED, check_large_enough
        from tierwright.simulate.replay import Replay

        [there] = made.corresponding(
            [Replay("flash_cache", "cachesack", ram, flash, 0)], 0
        )
        # The replays, where any are wanted, are of the same sizes.
        check_large_enough(there, NOT_COUNTED)
        ram, flash, sizes = there.ram_pages, there.flash_pages, there.sizes
        if accesses_per_s is None and made.curve.scaled is not None:
            accesses_per_s = made.curve.scaled.machine_accesses_per_s
    with progress("categories") as report:
        counts = measured(source.trace, ram, kind=categories, on_progress=report)
    if made is not None:
        names = ("page_bytes", "accesses", "write_accesses", "distinct_pages")
        made.check({name: getattr(counts, name) for name in names})
    found = question.answer(
        counts,
        flash_pages=flash,
        flash=named_device(flash_device),
        disk=named_device(disk_device),
        prices=None if price_book is None else book_of(price_book),
        amortisation_months=amortisation_months,
        accesses_per_s=accesses_per_s,
        usd_per_billion_reads=usd_per_billion_reads,
        usd_per_tb_written=usd_per_tb_written,
        usd_per_gib_month=usd_per_gib_month,
        flash_paid=flash_paid.replace("-", "_"),
        production_pages=asked,
    )
    checked = (
        _checked(
            source.trace,
            found,
            flash_cache,
            recorded_per_s=counts.accesses_per_s,
        )
        if replay
        else None
    )
    decided = None if checked is None else checked.decided
    finding = found.finding if decided is None else f"{decided}."
    document: dict[str, Any] = {
        **found.to_dict(derivation=True),
        "finding": finding,
        "model_finding": found.finding,
        "basis": found.basis if checked is None else checked.basis,
        "decided_by": "model" if checked is None else "replay",
        "replay": None if checked is None else checked.to_dict(),
        "trace": dict(counts.notes),
    }
    print_notes(document)
    if json:
        print_json(document)
        return
    print_cautions(found.cautions, every=assumptions)
    typer.echo(finding)
    if decided is not None:
        typer.echo(f"By the model: {found.finding}")
    if made is not None:
        made.say(sizes, rates=False)
    _print(found, checked)
    if checked is None:
        typer.echo(found.basis)
    else:
        _print_checked(checked)


def _checked(
    trace: Trace,
    found: WhatToCache,
    flash_cache: str,
    *,
    recorded_per_s: float | None,
) -> CheckedChoice:
    from tierwright.advise.checks.cachesack import replayed
    from tierwright.simulate.replay import Replay
    from tierwright.simulate.replay import replay as run

    def one(asked: Replay) -> dict[str, Any]:
        with progress("replay") as report:
            return run(
                trace,
                asked.family,
                asked.name,
                asked.ram_pages,
                asked.flash_pages,
                options=asked.options,
                warm_up=asked.warm_up,
                on_progress=report,
            )

    return replayed(
        found,
        one,
        flash_cache,
        recorded_per_s=recorded_per_s,
    )


def _admission(row: CategoryRow) -> str:
    if row.otherwise is None:
        return row.admission
    return f"{row.admission} {row.share:.0%}, else {row.otherwise}"


def _print(found: WhatToCache, checked: CheckedChoice | None) -> None:
    from tierwright.common.currency import amount, shown_in

    code = shown_in().currency
    shown = found.rows[:MOST_SHOWN]
    by_size = found.flash_paid == "by_size"
    print_table(
        f"By {found.kind}: RAM {format_bytes(found.ram_pages * found.page_bytes)}, flash "
        f"{format_bytes(found.flash_pages * found.page_bytes)}, {three_digits(found.accesses_per_s)} accesses/s",
        [
            (found.kind, False),
            ("reads", True),
            ("writes", True),
            ("pages", True),
            ("admission", False),
            ("of flash", True),
            ("hits", True),
            ("flash writes", True),
            *(((f"flash, {code}", True),) if by_size else ()),
            (f"{code} / month", True),
            ("saved", True),
        ],
        [
            [
                row.name,
                format_count(row.reads),
                format_count(row.writes),
                format_count(row.pages),
                _admission(row),
                f"{row.held_share:.1%}",
                f"{row.hits / row.reads:.1%}" if row.reads else "-",
                format_count(round(row.flash_writes)),
                *((amount(row.flash_usd_per_month),) if by_size else ()),
                amount(row.usd_per_month),
                _signed(row.saved_usd_per_month),
            ]
            for row in shown
        ],
    )
    if len(found.rows) > len(shown):
        typer.echo(
            f"and {len(found.rows) - len(shown):,} more with fewer reads: --json lists all"
        )
    if found.counts_of:
        typer.echo(found.counts_of)
    typer.echo("")
    print_table(
        "Assignments",
        [
            ("what enters flash", False),
            ("hits", True),
            ("reads from the store", True),
            ("flash writes", True),
            ("flash paid for", True),
            (f"{code} / month", True),
        ],
        [
            [
                each.name.replace("_", " "),
                f"{each.hit_share:.1%}",
                format_count(round(each.disk_reads)),
                format_count(round(each.flash_writes)),
                format_bytes(round(each.flash_pages) * found.page_bytes),
                amount(each.usd_per_month),
            ]
            for each in (found.chosen, *found.alternatives)
        ],
    )
    charges = found.charges
    if found.lifetime_text:
        typer.echo(found.lifetime_text)
    typer.echo(
        f"a billion reads: {amount(charges.usd_per_billion_reads)} {code}, {charges.of_reads}"
    )
    typer.echo(
        f"a terabyte written: {amount(charges.usd_per_tb_written)} {code}, {charges.of_writes}"
    )
    if charges.usd_per_gib_month is not None:
        typer.echo(
            f"a GiB of flash for a month: {amount(charges.usd_per_gib_month)} {code}, {charges.of_flash}"
        )
    if checked is not None and checked.decided is not None:
        typer.echo(f"assignment of the model: {found.chosen.assignment}")
        typer.echo(f"assignment: {checked.assignment}")
    else:
        typer.echo(f"assignment: {found.chosen.assignment}")


def _signed(usd: float) -> str:
    from tierwright.common.currency import amount

    return f"-{amount(-usd)}" if usd < 0 else amount(usd)


def _print_checked(checked: CheckedChoice) -> None:
    from tierwright.common.currency import money

    def shown(row: CheckedFigure, value: float | None) -> str:
        if value is None:
            return "-"
        return (
            money(value) if row.unit.startswith("USD") else format_count(round(value))
        )

    print_check(checked, "Model and replay", shown)
