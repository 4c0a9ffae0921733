"""`tierwright advise`: what to buy for a workload and how to run it, with its reasons."""

from __future__ import annotations

import math
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from tierwright.cli.options import (
    Assumptions,
    DiskRatesOf,
    DrawSeed,
    FlashRatesOf,
    NewPages,
    PriceBookName,
    Start,
)
from tierwright.cli.output import (
    Json,
    as_typed,
    print_cautions,
    print_facts,
    print_json,
    print_table,
    progress,
    say,
)
from tierwright.cli.reads import NamedTrace, as_profiled, may_read_trace, opened
from tierwright.cli.scale import print_scale, workload
from tierwright.cli.template import Months, TemplateFile, choices
from tierwright.cli.workers import DaskOption, check_has_replays, spread_over
from tierwright.common.errors import BadInput
from tierwright.common.units import (
    format_bytes,
    format_microseconds,
    parse_bytes,
    with_priced_unit,
)
from tierwright.common.wording import (
    between,
    by_reason,
    counted,
    listed,
    notes_of_replays,
    percent,
    percent_beside,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tierwright.advise.advice.found import (
        Advice,
        CachedOption,
        CheckedOption,
        Option,
        Regret,
        RuleOfThumb,
        Scenarios,
        When,
    )
    from tierwright.advise.placement import Sharing
    from tierwright.evaluate.advice.choose import Objective
    from tierwright.profile.curve import Curve
    from tierwright.profile.document import Profile

EXIT_INFEASIBLE = 3
"""No option keeps every limit."""
ProductionFile = Annotated[
    Path | None,
    typer.Option(
        "--production",
        metavar="FILE.toml",
        help="Scale the profile first: a file that says what production is.",
    ),
]
ProductionData = Annotated[
    str | None,
    typer.Option(
        "--data",
        metavar="B",
        help="Instead: data in production, such as 4TiB, with --accesses-per-second.",
    ),
]
ProductionRate = Annotated[
    float | None,
    typer.Option(
        "--accesses-per-second",
        metavar="X",
        help="Page accesses per second in production, mean; without --data, of the workload as it is, whose busiest hour "
        "stays as many times the mean.",
    ),
]


@may_read_trace
def advise(
    profile: Annotated[
        Path,
        typer.Argument(
            metavar="PROFILE", help="Profile of a recording, or of production."
        ),
    ],
    *,
    trace: NamedTrace | None = None,
    production: ProductionFile = None,
    data: ProductionData = None,
    accesses_per_second: ProductionRate = None,
    have: Annotated[
        Path | None,
        typer.Option(
            "--have",
            metavar="FILE",
            help="What there is today, which is always one of the options: TOML or JSON. Its `ram` is RAM for pages, "
            "unless it states as `reserved_gib` what the system takes of each machine.",
        ),
    ] = None,
    candidates: Annotated[
        Path | None,
        typer.Option(
            "--candidates",
            metavar="FILE",
            help="What may be bought: TOML or JSON [default: instances and volumes with list prices; where --price-book "
            "is given RAM and devices too].",
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
    template: TemplateFile = None,
    objective: Annotated[
        str | None,
        typer.Option(
            "--objective",
            metavar="usd|io_time|pareto",
            help="Least money a month, least I/O time of an access, or the front of both [default: usd].",
        ),
    ] = None,
    price_book: PriceBookName = None,
    months: Months = None,
    flash_device: FlashRatesOf = None,
    disk_device: DiskRatesOf = None,
    pool_split: Annotated[
        bool,
        typer.Option(
            "--pool-split",
            help="With --trace: also find the best split of RAM into clean and dirty pages.",
        ),
    ] = False,
    dask: DaskOption = None,
    seed: DrawSeed = 0,
    start: Start = "steady",
    new_pages: NewPages = 0,
    assumptions: Assumptions = False,
    json: Json = False,
) -> None:
    """Advise what to buy for a workload and how to run it, and say why.

    With --trace, finalists are replayed; with --dask, by the workers of a cluster. Exit code 0 with an answer, 3 where
    no option keeps every limit.
    """
    from tierwright.advise import advice as question
    from tierwright.advise.advice.request import read_have

    found_profile, rate = workload_of(
        profile, production, data, accesses_per_second, new_pages, trace
    )
    curve = found_profile.curve.from_start(start)
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
    if pool_split and trace is None:
        raise BadInput(
            "--pool-split: there is no recording to split a buffer pool with",
            "add --trace with the trace of the profile",
        )
    check_has_replays(dask, trace)
    with ExitStack() as stack:
        recording, on_progress = None, None
        if trace is not None:
            files, reading = as_profiled(trace, curve)
            recording = stack.enter_context(
                spread_over(dask, stack.enter_context(opened(files, reading)))
            )
            on_progress = stack.enter_context(progress("replay"))
        found = question.answer(
            curve,
            accesses_per_s=rate,
            duration_s=found_profile.duration_s,
            have=None if have is None else read_have(have),
            candidates=asked.candidates,
            constraints=asked.constraints,
            objective=cast("Objective", asked.objective),
            prices=asked.prices,
            horizon_months=asked.horizon_months,
            flash=asked.flash,
            disk=asked.disk,
            seed=seed,
            trace=recording,
            on_progress=on_progress,
            split=pool_split,
        )
    if json:
        print_json(found.to_dict(derivation=True))
    else:
        _print(found, curve, asked.prices_text(), every=assumptions)
        if pool_split:
            _print_split(found.recommendation)
    if found.recommendation is None:
        raise typer.Exit(EXIT_INFEASIBLE)


def workload_of(
    profile: Path,
    production: Path | None,
    data: str | None,
    accesses_per_s: float | None,
    new_pages: int,
    trace: NamedTrace | None = None,
) -> tuple[Profile, float | None]:
    """Read the profile, scaled where production is stated; and the rate that is stated besides. [1/s]

    With its trace, the recording is profiled again where the production file states larger pages.
    """
    if production is not None and (data is not None or accesses_per_s is not None):
        raise BadInput(
            "production is stated twice",
            "give --production, or --data and --accesses-per-second",
        )
    if production is not None:
        return (
            workload(profile, str(production), new_pages=new_pages, trace=trace),
            None,
        )
    if data is None:
        return workload(profile, None, new_pages=new_pages), accesses_per_s
    if accesses_per_s is None:
        raise BadInput(
            "--data: the rate of production is missing",
            "add --accesses-per-second",
        )
    try:
        size = parse_bytes(data)
    except BadInput as error:
        raise BadInput(f"--data: {error.message}", error.hint) from None
    return workload(profile, f"{size}@{accesses_per_s!r}", new_pages=new_pages), None


def _print(found: Advice, curve: Curve, prices: str, *, every: bool) -> None:
    print_cautions(found.cautions, every=every)
    say(found.finding)
    say(found.verdict.text)
    _print_without_probability(found)
    print_scale(curve)
    if prices:
        say(prices)
    best = found.recommendation
    if best is not None:
        _print_bill(best, _priced_long_ago(found))
    _print_response(best)
    _print_intervals(found)
    listed = [
        ("recommended", best),
        ("today", found.option_zero),
        *(("close", each) for each in found.alternatives if each.kind != "have"),
    ]
    described = [(role, each) for role, each in listed if each is not None]
    if described:
        _print_options("what there is" if best is None else "what was close", described)
    if found.objective == "pareto":
        _print_front(found)
    _print_limit_costs(found)
    _print_flat(found)
    _print_rejected(found, every=every)
    _print_sure(found)
    if found.scenarios is not None:
        _print_scenarios(found.scenarios)
    _print_checked(found.checked)
    _print_caches(found.flash_caches, found.constraints)
    _print_run(best)
    _print_notes_of_replays(found, every=every)
    _print_when(found)
    _print_rules(found.rules_of_thumb)


def _print_rules(rules: Sequence[RuleOfThumb]) -> None:
    from tierwright.common.currency import to_the_coin

    print_table(
        "rules of thumb",
        [("per month", True), ("rule", False), ("would have bought", False)],
        [
            [
                "-"
                if each.regret_usd_per_month is None
                else to_the_coin(each.regret_usd_per_month, "+"),
                each.title,
                each.reason if each.option is None else each.option.name,
            ]
            for each in rules
        ],
    )


def _print_rejected(found: Advice, *, every: bool) -> None:
    if found.rejected:
        say("")
        print_facts(
            [
                (each.constraint, each.text)
                for each in found.rejected[: None if every else 5]
            ]
        )


def _print_when(found: Advice) -> None:
    if found.when is not None:
        say("")
        say(found.when.text)
    if found.waiting is not None:
        say(found.waiting.text)
    if found.when is not None and found.when.steps:
        _print_steps(found.when)


def _print_front(found: Advice) -> None:
    if not found.pareto:
        return
    title = "front of cost and I/O time"
    if len(found.pareto) < found.pareto_in_all:
        title += f", {len(found.pareto):,} of its {found.pareto_in_all:,} choices"
    _print_options(
        title,
        [
            ("recommended" if each == found.recommendation else "", each)
            for each in found.pareto
        ],
    )


def _print_checked(checked: Sequence[CheckedOption]) -> None:
    # Where nothing was replayed, the first lines say so and why.
    if all(each.simulated is None for each in checked):
        return
    # Where nothing that is bought is worn, there is nothing to show.
    is_worn = any(each.flash_life_years is not None for each in checked)
    print_table(
        "replayed in the reference simulator",
        [
            ("model", True),
            ("replay", True),
            ("gap", True),
            *([("life, years", True)] if is_worn else []),
            ("option", False),
        ],
        [
            [
                "-" if each.model is None else format_microseconds(each.model),
                "-" if each.simulated is None else format_microseconds(each.simulated),
                "-" if each.gap is None else _signed(each.gap),
                *([_years(each.flash_life_years)] if is_worn else []),
                each.option.name,
            ]
            for each in checked
        ],
    )
    _print_unchecked(checked)


def _years(life: float | None) -> str:
    return "-" if life is None else f"{life:,.1f}"


def _print_unchecked(checked: Sequence[CheckedOption]) -> None:
    """Say why options have no gap: each reason once, with the options of which it holds."""
    said = [
        (each.option.name, each.reason)
        for each in checked
        if each.simulated is None or (each.gap is None and each.model is not None)
    ]
    for reason, of in by_reason(said).items():
        say(f"{'; '.join(of)}: {reason}")


def _print_caches(rows: Sequence[CachedOption], constraints: Mapping[str, str]) -> None:
    """Print the flash caches that were replayed, a table for each hardware."""
    from tierwright.advise.advice import LIMIT_WORDS

    for hardware, group in groupby(rows, key=lambda each: each.hardware):
        some = tuple(group)
        _print_caches_of(hardware, some, constraints)
        for by, said in dict.fromkeys(
            (each.admission_by, each.assignment) for each in some if each.assignment
        ):
            say(f"Admission by {by}: {said}.")
        broken = [LIMIT_WORDS[name] for name in some[0].page_flow_breaks]
        if broken:
            limits = "limit" if len(broken) == 1 else "limits"
            say(f"Under page flow it breaks the {limits} of {listed(broken)}.")
    for pace in dict.fromkeys(each.pace for each in rows if each.pace):
        say(pace)


def _cache_verdict(each: CachedOption) -> str:
    from tierwright.advise.advice.found import broken_and_unknown, figures_of

    if each.is_chosen:
        return "recommended"
    broken, unknown = broken_and_unknown(each.breaks, figures_of(each))
    said = [f"breaks {', '.join(broken)}"] if broken else []
    if unknown:
        said.append(f"not known to keep {', '.join(unknown)}")
    return "; ".join(said)


def _print_caches_of(
    hardware: str, rows: Sequence[CachedOption], constraints: Mapping[str, str]
) -> None:
    most_busy = float(constraints.get("peak_busy", math.inf))

    def cells(each: CachedOption) -> list[str]:
        time_us, life = each.io_time_us_per_access, each.flash_life_years
        assert time_us is not None  # others are not in the table
        return [
            each.title,
            format_microseconds(time_us),
            "-" if each.saving is None else _signed(each.saving),
            "-"
            if each.peak_busy is None
            else percent_beside(each.peak_busy, most_busy),
            _years(life),
            "-" if each.ram_tax_bytes is None else format_bytes(each.ram_tax_bytes),
            _cache_verdict(each),
        ]

    played = [each for each in rows if each.io_time_us_per_access is not None]
    if played:
        print_table(
            f"flash caches replayed on {hardware}",
            [
                ("flash cache", False),
                ("I/O time", True),
                ("saves of page flow", True),
                ("busy at peak", True),
                ("life, years", True),
                ("RAM for metadata", True),
                ("", False),
            ],
            [cells(each) for each in played],
        )
    others = by_reason(
        (each.title, each.reason) for each in rows if each.io_time_us_per_access is None
    )
    for reason, titles in others.items():
        say(f"On {hardware}, {listed(titles)}: {reason}")


def _print_run(best: Option | None) -> None:
    from tierwright.advise.advice import run_so

    if best is not None and best.options:
        say(f"{run_so(best.scheme, best.options)}.")


def _print_notes_of_replays(found: Advice, *, every: bool) -> None:
    """Print what replays say of what they counted; what that of the choice says stands above."""
    said = [
        *(
            (each.option.name, one.message, one.hint)
            for each in found.checked
            for one in each.warnings
        ),
        *(
            (f"{each.title} on {each.hardware}", one.message, one.hint)
            for each in found.flash_caches
            for one in each.warnings
        ),
    ]
    lines = notes_of_replays(said)
    if every:
        for line in lines:
            say(as_typed(line))
    elif lines:
        say(
            f"{counted(len(lines), 'note')} on what single replays counted (--assumptions lists them)"
        )


def _signed(share: float) -> str:
    return f"{'-' if share < 0 else '+'}{percent(abs(share))}"


def _print_response(best: Option | None) -> None:
    if best is not None and best.response_reason:
        say(
            f"Response times of the recommendation are not known: {best.response_reason}."
        )


def _print_split(best: Option | None) -> None:
    if best is not None and best.clean_share is None:
        reason = best.clean_share_reason
        say(f"The RAM of the recommendation is not split: {reason}.")


def _print_without_probability(found: Advice) -> None:
    if found.recommendation is not None and not found.confidence.text:
        say(_sentence(found.confidence.reason))


def _sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:]}."


def _print_intervals(found: Advice) -> None:
    from tierwright.advise.advice.found import FIGURES

    if found.confidence.intervals:
        print_table(
            "figures of the recommendation in 90 % of the draws",
            [("figure", False), ("from", True), ("to", True)],
            [
                [words, write(each.low), write(each.high)]
                for each in found.confidence.intervals
                for words, write in (FIGURES[each.figure],)
            ],
        )


def _print_sure(found: Advice) -> None:
    sure = found.confidence
    flips = [
        (bar.about, f"another choice if {bar.flip}")
        for bar in sure.tornado
        if bar.flip is not None
    ]
    if flips:
        say("")
        print_facts(flips)
    for each in sure.value_of_information or ():
        if each.usd_per_month > 0:
            say(each.text)
    if sure.text:
        say(_sentence(sure.reason))


def _print_scenarios(found: Scenarios) -> None:
    from tierwright.advise.advice.unknown_regrets import unknown_regrets
    from tierwright.common.currency import shown_in

    say("")
    say(found.text)
    print_table(
        f"regret in each scenario, {shown_in().currency} per month or I/O time; (broken) breaks a limit there, and loses at "
        "most that; exchanged: rented, so it loses nothing but the time until then",
        [
            *((each.title, True) for each in found.columns),
            ("broken in", True),
            ("role", False),
            ("option", False),
        ],
        [
            [
                *(_regret(each, rented=row.is_rented) for each in row.regret),
                f"{row.broken:,}",
                f"{row.role}, robust" if row.is_robust else row.role,
                row.title,
            ]
            for row in found.rows
        ],
    )
    for column in found.columns:
        if column.name == "loss":
            say(f"{column.title.capitalize()}: {column.definition}.")
    reasons = (
        (f"{row.title} ({row.role})", [each.reason for each in row.regret])
        for row in found.rows
    )
    for said in unknown_regrets(reasons):
        say(f"{said}.")


def _regret(each: Regret, *, rented: bool) -> str:
    from tierwright.common.currency import to_the_coin

    if rented and each.breaks and each.regret_usd_per_month is not None:
        said = "exchanged"
    elif each.regret_usd_per_month is not None:
        bound = "<= " if each.breaks and each.regret_usd_per_month else ""
        said = f"{bound}{to_the_coin(each.regret_usd_per_month)}"
    elif each.regret_io_time_us is not None:
        said = format_microseconds(each.regret_io_time_us)
    else:
        said = "-"
    return f"{said} (broken)" if each.breaks else said


def _print_limit_costs(found: Advice) -> None:
    """Say of each limit that was stated what its next looser and its next tighter value buy."""
    from tierwright.advise.advice import limit_cost

    conflict = () if found.infeasible is None else found.infeasible.conflict
    said = [
        limit_cost.beside(
            each,
            found.objective,
            kept_without=limit_cost.may_be_kept(
                each.constraint, found.constraints, conflict
            ),
        )
        for each in limit_cost.stated(found.staircases)
    ]
    lines = [each for each in said if each]
    if lines:
        say("")
    for line in lines:
        say(line)


def _print_flat(found: Advice) -> None:
    from tierwright.common.currency import amount_per, shown_in, to_the_coin

    code = shown_in().currency
    if found.flat:
        say("")
        print_facts([(each.size, each.text) for each in found.flat])
    if found.continuous is not None:
        say(found.continuous.text)
    if found.next_dollar is None:
        return
    say(found.next_dollar.text)
    if found.next_dollar.steps:
        print_table(
            "what more money buys",
            [
                (f"{code} per month more", True),
                ("I/O time saved", True),
                (f"{code} per month and µs", True),
                ("option", False),
            ],
            [
                [
                    to_the_coin(each.usd_per_month_more),
                    format_microseconds(each.io_time_us_saved),
                    amount_per(each.usd_per_month_per_us),
                    each.name,
                ]
                for each in found.next_dollar.steps
            ],
        )


def _print_steps(found: When) -> None:
    from tierwright.common.currency import shown_in, to_the_coin

    print_table(
        "when another choice is the best",
        [
            ("month", True),
            (f"{shown_in().currency} per month", True),
            ("I/O time", True),
            ("scheme", False),
            ("option", False),
        ],
        [
            [
                f"{each.month:,}"
                if each.month_before == each.month - 1
                else f"{each.month_before + 1:,} to {each.month:,}",
                "-" if each.usd_per_month is None else to_the_coin(each.usd_per_month),
                "-"
                if each.io_time_us_per_access is None
                else format_microseconds(each.io_time_us_per_access),
                each.scheme or "-",
                each.name or "no option keeps every limit",
            ]
            for each in found.steps
        ],
    )


def _priced_long_ago(found: Advice) -> frozenset[str]:
    """Return what has a price that is much older than the others, by its id."""
    return frozenset(
        name
        for each in found.cautions
        if each.code == "prices_of_different_dates"
        for name in each.about
    )


def _print_bill(best: Option, old: frozenset[str]) -> None:
    """Print what is paid for, with the dates of prices that are old."""
    from decimal import Decimal

    from tierwright.common.currency import shown_in, to_the_coin

    code = shown_in().currency
    if not best.bill:
        return
    print_table(
        "bill",
        [("quantity", True), (f"{code} per month", True), ("what", False)],
        [
            [
                with_priced_unit(f"{row['quantity']:,}", row["unit"]),
                to_the_coin(Decimal(str(row["usd_per_month"]))),
                f"{row['what']} (price of {row['date']})"
                if row["date"] and row["what"].split(",")[0] in old
                else row["what"],
            ]
            for row in best.bill
        ],
    )


def figure(option: Option | Sharing, key: str, write: Callable[[float], str]) -> str:
    """Write a figure of an option, a range where nobody said which evicted pages are dirty."""
    value = getattr(option, key)
    if value is None:
        return between(option.ranges.get(key, (None, None)), write)
    return write(value)


def _print_options(title: str, rows: Sequence[tuple[str, Option]]) -> None:
    from tierwright.common.currency import shown_in, to_the_coin

    code = shown_in().currency
    is_replayed = any(one.replayed_io_time_us_per_access is not None for _, one in rows)
    print_table(
        title,
        [
            ("", False),
            (f"{code} per month", True),
            ("I/O time", True),
            *([("by replay", True)] if is_replayed else []),
            ("p99 at peak", True),
            ("busy at peak", True),
            ("RAM", True),
            ("flash cache", True),
            ("scheme", False),
            ("option", False),
        ],
        [
            [
                role,
                "-" if one.usd_per_month is None else to_the_coin(one.usd_per_month),
                figure(one, "io_time_us_per_access", format_microseconds),
                *(
                    [figure(one, "replayed_io_time_us_per_access", format_microseconds)]
                    if is_replayed
                    else []
                ),
                figure(one, "response_p99_us", format_microseconds),
                figure(one, "peak_busy", percent),
                format_bytes(one.ram_bytes),
                format_bytes(one.flash_bytes) if one.flash_bytes else "-",
                one.scheme,
                f"{one.name}, without the machine they need"
                if one.without_machine
                else one.name,
            ]
            for role, one in rows
        ],
    )
