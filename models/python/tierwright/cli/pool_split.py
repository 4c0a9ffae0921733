"""`tierwright pool-split`: how to split a buffer into clean and dirty pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tierwright.cli.in_production import Recorded, RecordedProfile, Source, recorded
from tierwright.cli.output import (
    Json,
    numbers,
    print_cautions,
    print_facts,
    print_json,
    print_table,
    progress,
)
from tierwright.cli.reads import reads_trace
from tierwright.cli.scale import ProductionOption
from tierwright.cli.sizes import BufferPages
from tierwright.common.units import format_count
from tierwright.common.wording import counted
from tierwright.trace.reading import Trace

if TYPE_CHECKING:
    from tierwright.advise.pool_advisor import PoolAdvisor
    from tierwright.advise.pool_split import PoolSplit

ROWS_SHOWN = 12


@reads_trace
def pool_split(
    trace: Trace,
    *,
    pages: BufferPages,
    asymmetry: Annotated[
        float,
        typer.Option(
            "--asymmetry", metavar="R", help="Cost of a page write in page reads."
        ),
    ],
    estimator: Annotated[
        str,
        typer.Option(
            "--estimator",
            metavar="E",
            help="Cost formula that chooses: flow, disjoint, eq4.",
        ),
    ] = "flow",
    distance: Annotated[
        str,
        typer.Option(
            "--distance",
            metavar="D",
            help="Stack distances: raw, effective (slow, closest), grouped, "
            "grouped_conservative.",
        ),
    ] = "raw",
    group_pages: Annotated[
        int,
        typer.Option(
            "--group-pages", metavar="N", min=1, help="Group of grouped ones. [pages]"
        ),
    ] = 64,
    profile: RecordedProfile = None,
    production: ProductionOption = None,
    json: Json = False,
) -> None:
    """Split a buffer into clean and dirty pages where writes cost R times a read.

    With --production, --pages are of one machine of production. FILE, the recording, is replayed with the buffer
    that corresponds by the scale law; `production` of the answer has the split and the rates of the machine.
    """
    from tierwright.advise import pool_split as question

    made = recorded(trace, profile, production)
    source = Source.of(trace, made)
    with progress("pool split") as on_progress:
        found = question.answer(
            source.trace,
            pages.at(source.page_bytes),
            asymmetry,
            estimator=estimator,
            distance=distance,
            group_pages=group_pages,
            production=source.curve,
            on_progress=on_progress,
        )
    if json:
        print_json(found.to_dict())
        return
    print_cautions(found.cautions, every=True)
    _print(found, made)


@reads_trace
def pool_gain(
    trace: Trace,
    *,
    pages: BufferPages,
    asymmetry: Annotated[
        str | None,
        typer.Option(
            "--asymmetry",
            metavar="R,R,...",
            help="Costs of a page write in page reads, rising [default: 1,2,4,...,128].",
        ),
    ] = None,
    estimator: Annotated[
        str,
        typer.Option(
            "--estimator",
            metavar="E",
            help="Cost formula that chooses: flow, disjoint, eq4.",
        ),
    ] = "flow",
    distance: Annotated[
        str,
        typer.Option(
            "--distance",
            metavar="D",
            help="Stack distances: raw, effective (slow, closest), grouped, "
            "grouped_conservative.",
        ),
    ] = "raw",
    profile: RecordedProfile = None,
    production: ProductionOption = None,
    json: Json = False,
) -> None:
    """Show what splitting a buffer gains as page writes get dearer.

    With --production, --pages are of one machine of production, and FILE, its recording, is replayed with the
    buffer that corresponds by the scale law: `production` of the answer.
    """
    from tierwright.advise import pool_gain as question

    ratios = (
        question.DEFAULT_ASYMMETRIES
        if asymmetry is None
        else tuple(numbers(asymmetry, "--asymmetry"))
    )
    made = recorded(trace, profile, production)
    source = Source.of(trace, made)
    with progress("pool gain") as on_progress:
        found = question.answer(
            source.trace,
            pages.at(source.page_bytes),
            ratios,
            estimator=estimator,
            distance=distance,
            production=source.curve,
            on_progress=on_progress,
        )
    if json:
        print_json(found.to_dict())
        return
    print_cautions(found.cautions, every=True)
    typer.echo(found.finding)
    if made is not None:
        made.say(None, rates=False)
    buffer = found.production
    columns = (
        found.asymmetry,
        found.clean_pages,
        found.estimated,
        found.simulated,
        found.best_clean_pages,
        found.best_simulated,
        found.gain_over["lru"],
        found.gain_over["cflru"],
    )
    print_table(
        "Clean pages and cost per access, in page reads, by cost of a page write",
        [
            (heading, True)
            for heading in (
                "R",
                "by estimate",
                "estimated",
                "simulated",
                "best replayed",
                "simulated",
                "saved over LRU",
                "saved over CFLRU",
                *(() if buffer is None else ("best in production",)),
            )
        ],
        [
            [
                f"{ratio:g}",
                format_count(split),
                f"{estimate:.4f}",
                f"{simulated:.4f}",
                format_count(best),
                f"{least:.4f}",
                f"{lru:.1%}",
                f"{cflru:.1%}",
                *(() if buffer is None else (format_count(buffer.clean_pages(best)),)),
            ]
            for ratio, split, estimate, simulated, best, least, lru, cflru in zip(
                *(values.tolist() for values in columns), strict=True
            )
        ],
    )


@reads_trace
def pool_advisor(
    trace: Trace,
    *,
    pages: BufferPages,
    dynamics: Annotated[
        str,
        typer.Option(
            "--dynamics",
            metavar="D",
            help="What changes by epoch: steady, wm1, wm2 (writes), rm1, rm2 (R).",
        ),
    ] = "steady",
    asymmetry: Annotated[
        float,
        typer.Option(
            "--asymmetry", metavar="R", help="Cost of a page write in page reads."
        ),
    ] = 32.0,
    epoch_accesses: Annotated[
        int,
        typer.Option(
            "--epoch-accesses", metavar="N", min=100, help="Length of an epoch."
        ),
    ] = 5000,
    window_accesses: Annotated[
        int | None,
        typer.Option(
            "--window-accesses",
            metavar="N",
            min=1,
            help="Window of the advisor, at least a 64th of the buffer's pages [default: the "
            "buffer's pages, at least an epoch].",
        ),
    ] = None,
    alternating_factor: Annotated[
        float,
        typer.Option(
            "--alternating-factor", metavar="X", help="Of wm2 and rm2 in odd epochs."
        ),
    ] = 0.95,
    estimation_s: Annotated[
        float | None,
        typer.Option(
            "--estimation-s",
            metavar="T",
            help="Time of one estimation, for the least window. [s]",
        ),
    ] = None,
    overhead_ratio: Annotated[
        float,
        typer.Option(
            "--overhead-ratio",
            metavar="G",
            help="Largest share of the I/O time that estimations may take.",
        ),
    ] = 0.03,
    read_us: Annotated[
        float, typer.Option("--read-us", metavar="T", help="One page read. [µs]")
    ] = 200.0,
    profile: RecordedProfile = None,
    production: ProductionOption = None,
    json: Json = False,
) -> None:
    """Follow the adaptive split while writes, or their cost, change from epoch to epoch.

    With --production, --pages are of one machine of production, and FILE, its recording, is replayed with the
    buffer that corresponds by the scale law: `production` of the answer. Epochs and windows are of the recording.
    """
    from tierwright.advise import pool_advisor as question

    made = recorded(trace, profile, production)
    source = Source.of(trace, made)
    with progress("pool advisor") as on_progress:
        found = question.answer(
            source.trace,
            pages.at(source.page_bytes),
            dynamics=dynamics,
            asymmetry=asymmetry,
            epoch_accesses=epoch_accesses,
            window_accesses=window_accesses,
            alternating_factor=alternating_factor,
            production=source.curve,
            on_progress=on_progress,
        )
    least = (
        None
        if estimation_s is None
        else found.window_for(estimation_s, overhead_ratio, read_us / 1e6)
    )
    if json:
        print_json({**found.to_dict(), "least_window_accesses": least})
        return
    print_cautions(found.cautions, every=True)
    _print_advisor(found)
    if made is not None and found.production is not None:
        made.say(None, rates=False)
        typer.echo(found.production_sentence)
    if least is not None:
        typer.echo(f"least window: {counted(least, 'access')}")


def _print_advisor(found: PoolAdvisor) -> None:
    typer.echo(found.finding)
    print_facts(
        [
            ("window", counted(found.window_accesses, "access")),
            *(
                (
                    f"best of {counted(len(found.static_totals), 'static split')} tried "
                    f"({found.static_clean_pages:,} clean)"
                    if name == "static"
                    else name,
                    _cost(cost)
                    + (
                        ""
                        if (gain := found.gain_over.get(name)) is None
                        else f" (adaptive saves {gain:.1%})"
                        if gain >= 0
                        else f" (adaptive costs {-gain:.1%} more)"
                    ),
                )
                for name, cost in found.totals.items()
            ),
        ]
    )
    typer.echo("")
    count = len(found.asymmetries)
    step = max(1, count // ROWS_SHOWN)
    print_table(
        f"Cost per access in page reads by epoch, every {step} of {count}; all with --json",
        [
            (heading, True)
            for heading in ("epoch", "writes", "R", "clean pages", *found.costs)
        ],
        [
            [
                format_count(at),
                f"{found.write_shares[at]:.2%}",
                f"{found.asymmetries[at]:.4g}",
                format_count(found.clean_pages[at]),
                *(f"{costs[at]:.4f}" for costs in found.costs.values()),
            ]
            for at in range(0, count, step)
        ],
    )
    for part in found.derivation():
        typer.echo(f"{part.name} = {part.formula}")
        typer.echo(f"  source: {part.source}")
    typer.echo(f"valid: {found.validity}")


def _print(found: PoolSplit, made: Recorded | None) -> None:
    best = found.best_clean_pages

    def split(clean: int | None) -> str:
        if clean is None:
            return "-"
        return (
            f"{format_count(clean)} clean, {counted(found.pages - clean, 'dirty page')}"
        )

    typer.echo(found.finding)
    if made is not None:
        made.say(None, rates=False)
        typer.echo(found.production_sentence)
        typer.echo("The figures that follow are of the replay:")
    print_facts(
        [
            (
                f"best of {counted(len(found.replays), 'replayed split')}",
                f"{split(found.recommended_clean_pages)}: "
                f"{_cost(found.recommended_cost)}",
            ),
            *(
                (f"{name.upper()}", _cost(cost) + _gain(found.gain_over[name]))
                for name, cost in found.baselines.items()
            ),
            (f"best split by {found.estimator}", split(best)),
            *(
                (f"estimate {name}", _cost(cost))
                for name, cost in found.estimates.items()
            ),
            ("simulated there", _cost(found.simulated)),
        ]
    )
    typer.echo(
        "simulated costs include writing what is still dirty at the end of the trace"
    )
    rows = found.curve()
    if rows:
        typer.echo("")
        step = max(1, len(rows) // ROWS_SHOWN)
        shown = {*range(0, len(rows), step), len(rows) - 1, (best or 1) - 1}
        print_table(
            "Estimated cost per access, in page reads, and miss rates",
            [
                (heading, True)
                for heading in ("clean pages", "flow", "eq4", "P_c", "P_d", "P_dw")
            ],
            [
                [
                    format_count(row["clean_pages"])
                    + (" *" if row["clean_pages"] == best else ""),
                    *(
                        f"{row[name]:.4f}"
                        for name in ("flow", "eq4", "p_c", "p_d", "p_dw")
                    ),
                ]
                for row in (rows[index] for index in sorted(shown))
            ],
        )


def _cost(cost: float | None) -> str:
    return "-" if cost is None else f"{cost:.4f} page reads per access"


def _gain(gain: float | None) -> str:
    if gain is None:
        return ""
    if gain > 0:
        return f" (the split saves {gain:.1%})"
    return (
        " (costs the same)"
        if gain == 0
        else f" (the split costs {-gain:.1%} of it more)"
    )
