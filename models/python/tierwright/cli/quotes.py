"""`tierwright quotes rank`: which quote to take for a workload, with its reasons."""

from __future__ import annotations

import json as documents
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from tierwright.cli.advise import (
    EXIT_INFEASIBLE,
    ProductionData,
    ProductionFile,
    ProductionRate,
    workload_of,
)
from tierwright.cli.imports import opened_file
from tierwright.cli.money import shows_money
from tierwright.cli.options import (
    Assumptions,
    DiskRatesOf,
    DrawSeed,
    FlashRatesOf,
    NewPages,
    Start,
)
from tierwright.cli.output import (
    Json,
    check_output,
    pairs,
    print_cautions,
    print_facts,
    print_json,
    print_table,
    progress,
    say,
)
from tierwright.cli.reads import NamedTrace, may_read_trace, opened
from tierwright.cli.template import Months, limits, usual_of
from tierwright.common.errors import BadInput

if TYPE_CHECKING:
    from tierwright.advise.quote_ranking import Comparison, Ranking
    from tierwright.evaluate.advice.choose import Objective

app = typer.Typer(
    help="Rank the quotes of suppliers for a workload.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

EXIT_BAD_INPUT = 2
"""No quote could be read."""


@app.callback()
def quotes() -> None:
    """Rank the quotes of suppliers for a workload."""


@may_read_trace
def rank(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="Quotes to read; - for standard input."),
    ],
    *,
    workload: Annotated[
        Path,
        typer.Option(
            "--workload",
            metavar="PROFILE",
            help="Profile of a recording, or of production.",
        ),
    ],
    as_: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="FORMAT",
            help="csv, json, oci or cxml [default: by the beginning of the file].",
        ),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(
            "--mapping",
            metavar="FILE",
            help="What lines are that do not name their item, by part number: TOML or JSON.",
        ),
    ] = None,
    rate: Annotated[
        list[str] | None,
        typer.Option(
            "--rate",
            metavar="CODE=RATE@DATE",
            help="Value of one US dollar in a currency of the quotes, such as EUR=0.88@2026-09-30; may be repeated.",
        ),
    ] = None,
    # `--column` is that of the recording.
    quote_column: Annotated[
        list[str] | None,
        typer.Option(
            "--quote-column",
            metavar="FIELD=COLUMN",
            help="Of quotes in a table of another system: the column that a field of ours is in; may be repeated.",
        ),
    ] = None,
    quote_value: Annotated[
        list[str] | None,
        typer.Option(
            "--quote-value",
            metavar="FIELD=TEXT",
            help="Of such a table: what a field is in every row, such as currency=EUR; may be repeated.",
        ),
    ] = None,
    trace: NamedTrace | None = None,
    advice: Annotated[
        Path | None,
        typer.Option(
            "--advice",
            metavar="FILE",
            help="Also write the advice whose candidates are the quotes: for `tierwright report` and `tierwright export`.",
        ),
    ] = None,
    day: Annotated[
        str | None,
        typer.Option(
            "--day",
            metavar="YYYY-MM-DD",
            help="Day on which quotes must be valid [default: today in UTC].",
        ),
    ] = None,
    production: ProductionFile = None,
    data: ProductionData = None,
    accesses_per_second: ProductionRate = None,
    have: Annotated[
        Path | None,
        typer.Option(
            "--have",
            metavar="FILE",
            help="What there is today, which is ranked as do_nothing: TOML or JSON. Its `ram` is RAM for pages, unless "
            "it states as `reserved_gib` what the system takes of each machine.",
        ),
    ] = None,
    constraint: Annotated[
        list[str] | None,
        typer.Option(
            "--constraint",
            metavar="NAME=VALUE",
            help="A limit, such as usd_per_month=5000 or flash_life_years=5; may be repeated.",
        ),
    ] = None,
    template: Annotated[
        Path | None,
        typer.Option(
            "--template",
            metavar="FILE",
            help="Objective, limits and months of a team, TOML or JSON; options go before it.",
        ),
    ] = None,
    objective: Annotated[
        str | None,
        typer.Option(
            "--objective",
            metavar="usd|io_time|pareto",
            help="Least money a month, or least I/O time of an access; pareto ranks as usd [default: usd].",
        ),
    ] = None,
    months: Months = None,
    flash_device: FlashRatesOf = None,
    disk_device: DiskRatesOf = None,
    seed: DrawSeed = 0,
    start: Start = "steady",
    new_pages: NewPages = 0,
    assumptions: Assumptions = False,
    json: Json = False,
) -> None:
    """Rank quotes for a workload by the advisor, each at its prices, beside doing nothing.

    With --advice and --trace the finalists of the advice are replayed, and the replays decide among them.

    Exit code 0 with a ranking, 2 where no quote could be read, 3 where nothing keeps every limit.
    """
    from tierwright.advise import quote_ranking as question
    from tierwright.advise.advice.request import read_have
    from tierwright.common.currency import stated_rate
    from tierwright.evaluate.configurations.wanted import DEFAULT_RESERVED_GIB
    from tierwright.hardware.imports.columns import Columns
    from tierwright.hardware.imports.mapping import NO_MAPPING, read_mapping
    from tierwright.hardware.imports.offers import COLUMNS_MARK, DO_NOTHING, read_offers

    check_output(advice)
    if trace is not None and advice is None:
        raise BadInput(
            "--trace: a ranking replays nothing",
            "add --advice with the file to write: the recording confirms what it recommends",
        )
    usual = usual_of(template)
    of = limits(
        usual,
        constraint=constraint,
        objective=objective,
        months=months,
        flash_device=flash_device,
        disk_device=disk_device,
    )
    columns = Columns(
        pairs(quote_column or (), "--quote-column"),
        pairs(quote_value or (), "--quote-value"),
        COLUMNS_MARK,
    )
    with opened_file(file) as stream:
        place = "standard input" if file == "-" else file
        batch = read_offers(stream, place, as_, columns)
    found_profile, accesses = workload_of(
        workload, production, data, accesses_per_second, new_pages
    )
    curve = found_profile.curve.from_start(start)
    compared = question.Comparison(
        curve,
        batch,
        day=day or question.today(),
        accesses_per_s=accesses,
        duration_s=found_profile.duration_s,
        have=None if have is None else read_have(have),
        constraints=of.constraints,
        objective=cast("Objective", of.objective),
        horizon_months=of.horizon_months,
        reserved_gib=DEFAULT_RESERVED_GIB
        if usual.candidates is None
        else usual.candidates.reserved_gib,
        flash=of.flash,
        disk=of.disk,
        mapping=NO_MAPPING if mapping is None else read_mapping(mapping),
        rates=[
            stated_rate(code, text)
            for code, text in pairs(rate or (), "--rate").items()
        ],
        seed=seed,
    )
    found = compared.ranking()
    if advice is not None:
        _write_advice(compared, curve.page_bytes, advice, trace)
    if json:
        print_json(found.to_dict())
    else:
        _print(found, every=assumptions)
    placed = {each.quote_id for each in found.ranked}
    placed |= {each.quote_id for each in found.rejected}
    if placed <= {DO_NOTHING}:
        raise typer.Exit(EXIT_BAD_INPUT)
    if not found.ranked:
        raise typer.Exit(EXIT_INFEASIBLE)


app.command("rank")(shows_money(rank))


def _write_advice(
    compared: Comparison, page_bytes: int, output: Path, trace: NamedTrace | None
) -> None:
    """Write the advice whose candidates are the quotes, by replays where there is a recording."""
    from tierwright.common.currency import stated

    with ExitStack() as stack:
        recording, on_progress = None, None
        if trace is not None:
            files, reading = trace
            if reading["page_bytes"] is None:
                reading = {**reading, "page_bytes": page_bytes}
            recording = stack.enter_context(opened(files, reading))
            on_progress = stack.enter_context(progress("replay"))
        found = compared.advice(trace=recording, on_progress=on_progress)
    document = stated(found.to_dict(derivation=True))
    output.write_text(documents.dumps(document, indent=1), encoding="utf-8")


def _print(found: Ranking, *, every: bool) -> None:
    from tierwright.common.currency import shown_in, to_the_coin

    print_cautions(found.cautions, every=every)
    say(found.finding)
    if found.ranked:
        code = shown_in().currency
        print_table(
            "quotes that keep every limit",
            [
                ("rank", True),
                (f"{code} per month", True),
                (f"{code} at purchase", True),
                ("cautions", True),
                ("quote", False),
            ],
            [
                [
                    f"{each.rank:,}",
                    to_the_coin(each.usd_per_month),
                    to_the_coin(each.purchase_usd),
                    f"{len(each.cautions):,}",
                    each.quote_id,
                ]
                for each in found.ranked
            ],
        )
    for each in found.ranked:
        say("")
        say(each.quote_id)
        for reason in each.reasons:
            say(f"  {reason}")
        for caution in each.cautions:
            say(f"  caution: {caution.message}")
            say(f"  hint: {caution.hint}")
    if found.rejected:
        print_table(
            "quotes that break a limit",
            [
                ("constraint", False),
                ("value", True),
                ("limit", True),
                ("relax by", True),
                ("quote", False),
            ],
            [
                [
                    each.constraint,
                    *(
                        "-" if number is None else f"{number:,.6g}"
                        for number in (each.value, each.limit, each.relaxation)
                    ),
                    each.quote_id,
                ]
                for each in found.rejected
            ],
        )
    for rejected in found.rejected:
        say(f"  {rejected.text}")
    if found.unreadable:
        say("")
        print_facts(
            [(f"{each.index}: {each.code}", each.detail) for each in found.unreadable]
        )
