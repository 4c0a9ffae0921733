"""`tierwright curve sampled` and `curve windows`: curves of a trace beside the exact one."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tierwright.cli.options import Seed
from tierwright.cli.output import (
    Json,
    check_output,
    print_facts,
    print_json,
    print_notes,
    print_table,
    print_warnings,
    progress,
)
from tierwright.cli.reads import reads_trace
from tierwright.cli.sizes import page_bytes_of, parse_sizes
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes, format_count
from tierwright.common.wording import counted
from tierwright.trace.reading import Trace

if TYPE_CHECKING:
    from tierwright.profile.document import Profile

_CONFIDENCE = 0.95
_NS_PER_S = 1e9
_LONGEST_WINDOW_S = 1e9
_MOST_ROWS = 40
"""Lines of a table that somebody reads; all are in the JSON."""


@reads_trace
def sampled(
    trace: Trace,
    *,
    sample_pages: Annotated[
        int | None,
        typer.Option(
            "--sample-pages",
            metavar="N",
            min=1,
            max=2**62,
            help="Most pages to follow, such as 8192: memory is bounded whatever the trace.",
        ),
    ] = None,
    sample_rate: Annotated[
        float | None,
        typer.Option(
            "--sample-rate",
            metavar="R",
            help="Instead: share of the pages to follow, such as 0.01.",
        ),
    ] = None,
    seed: Seed = 0,
    sizes: Annotated[
        str | None,
        typer.Option(
            "--sizes",
            metavar="N,N,...",
            help="Additional sizes to list. [pages, or bytes as 64MiB]",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PROFILE.json",
            help="Also write it as a profile, for the other commands.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Estimate the LRU curves of a trace from a sample of its pages (SHARDS).

    The sample has a fixed rate or a bounded number of pages; either with the adjustment of the
    estimate to the known number of accesses. Each count has its 95 % interval.
    """
    _one_of(
        {"--sample-pages": sample_pages, "--sample-rate": sample_rate},
        "a sample has either a number of pages or a rate",
        "use --sample-pages 8192 to bound the memory, or --sample-rate 0.01 to follow "
        "one page in a hundred",
    )
    check_output(output)
    listed = parse_sizes(sizes, "--sizes", 1)
    from tierwright.profile import measure

    page = page_bytes_of(trace)
    with progress("curve") as on_progress:
        made = measure.sampled_profile(
            trace,
            sample_rate,
            sample_pages=sample_pages,
            seed=seed,
            sizes=tuple(size.at(page) for size in listed),
            on_progress=on_progress,
        )
    print_warnings([note.to_dict() for note in made.curve.notes.warnings])
    if output is not None:
        made.write(output)
    if json:
        assert made.sampled is not None  # a sampled profile
        print_json(
            {
                "estimator": made.sampled.estimator,
                "seed": seed,
                "interval_confidence": _CONFIDENCE,
                **made.to_dict(),
            }
        )
        return
    _print_sampled(made, output)


def _print_sampled(made: Profile, output: Path | None) -> None:
    import numpy as np

    curve, sampled = made.curve, made.sampled
    assert sampled is not None  # a sampled profile
    bound = sampled.sample_pages
    print_facts(
        [
            ("estimator", sampled.estimator),
            (
                "sample",
                f"{sampled.sample_rate:.4g} of the pages"
                + ("" if bound is None else f", at most {counted(bound, 'page')}"),
            ),
            ("interval", f"{_CONFIDENCE:.0%} of samples hold the exact count"),
            ("page accesses", format_count(curve.accesses)),
            ("distinct pages", format_count(curve.distinct_pages)),
            ("page", f"{format_count(curve.page_bytes)} bytes"),
            ("written", "-" if output is None else str(output)),
        ]
    )
    rows = []
    for size in _shown_sizes(curve.distinct_pages):
        low, high = (
            float(np.interp(size, curve.pages, end))
            for end in (sampled.misses_low, sampled.misses_high)
        )
        ratio = float(curve.misses(size)) / curve.accesses
        rows.append(
            [
                format_count(size),
                format_bytes(size * curve.page_bytes),
                f"{1 - ratio:.2%}",
                f"{1 - high / curve.accesses:.2%}",
                f"{1 - low / curve.accesses:.2%}",
            ]
        )
    typer.echo("")
    print_table(
        "LRU, cold start, estimate",
        [
            ("pages", True),
            ("size", True),
            ("hit ratio", True),
            ("at least", True),
            ("at most", True),
        ],
        rows,
    )


def _shown_sizes(distinct_pages: int) -> list[int]:
    shares = (0.001, 0.01, 0.05, 0.1, 0.2, 0.5, 1.0)
    return sorted({max(1, round(distinct_pages * share)) for share in shares})


@reads_trace
def windows(
    trace: Trace,
    *,
    window_accesses: Annotated[
        int | None,
        typer.Option(
            "--window-accesses",
            metavar="N",
            min=1,
            max=2**62,
            help="Accesses of each window.",
        ),
    ] = None,
    window_s: Annotated[
        float | None,
        typer.Option(
            "--window-s",
            metavar="S",
            help="Instead: duration of each window. [s]",
        ),
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(
            "--sizes",
            metavar="N,N,...",
            help="Cache sizes [default: up to 16 for each doubling]. [pages, or bytes as 64MiB]",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Count the LRU misses of consecutive windows of a trace, exactly, in one pass.

    Caches are cold at the start of the trace and carried over from window to window, so the
    windows sum up to the curve of the trace.
    """
    _one_of(
        {"--window-accesses": window_accesses, "--window-s": window_s},
        "windows have either a number of accesses or a duration",
        "use --window-accesses 100000, or --window-s 60",
    )
    listed = parse_sizes(sizes, "--sizes", 1)
    from tierwright.profile import measure

    page = page_bytes_of(trace)
    with progress("windows") as on_progress:
        found = measure.window_curves(
            trace,
            window_accesses=window_accesses,
            window_ns=None if window_s is None else _nanoseconds(window_s),
            sizes=[size.at(page) for size in listed] or None,
            on_progress=on_progress,
        )
    print_notes(found)
    document = _windows_document(found, window_accesses, window_s)
    if json:
        print_json(document)
        return
    _print_windows(document)


def _nanoseconds(window_s: float) -> int:
    if not (math.isfinite(window_s) and 1 / _NS_PER_S <= window_s <= _LONGEST_WINDOW_S):
        raise BadInput(
            f"--window-s: `{window_s:g}` is not a window duration",
            f"give seconds from 1e-9 to {_LONGEST_WINDOW_S:g}",
        )
    return round(window_s * _NS_PER_S)


def _windows_document(
    found: dict[str, Any], window_accesses: int | None, window_s: float | None
) -> dict[str, Any]:
    starts = found["start_ns"]
    return {
        "estimator": "lru_stack_distance_carried_over",
        "sample_rate": 1.0,
        "interval_confidence": None,
        "window_accesses": window_accesses,
        "window_s": window_s,
        **{
            name: found[name]
            for name in (
                "accesses",
                "distinct_pages",
                "write_accesses",
                "page_bytes",
                "duration_s",
            )
        },
        "pages": found["pages"].tolist(),
        "windows": [
            {
                "first_access": int(found["first_access"][at]),
                "start_s": None if start is None else (start - starts[0]) / _NS_PER_S,
                "accesses": int(found["window_accesses"][at]),
                "write_accesses": int(found["window_write_accesses"][at]),
                "first_references": int(found["first_references"][at]),
                "misses": found["misses"][at].tolist(),
            }
            for at, start in enumerate(starts)
        ],
        "trace": found["trace"],
    }


def _print_windows(document: dict[str, Any]) -> None:
    page, sizes = document["page_bytes"], document["pages"]
    print_facts(
        [
            ("estimator", f"{document['estimator']}, exact"),
            ("page accesses", format_count(document["accesses"])),
            ("distinct pages", format_count(document["distinct_pages"])),
            ("page", f"{format_count(page)} bytes"),
            ("windows", format_count(len(document["windows"]))),
        ]
    )
    if not document["windows"]:
        return
    # A handful of the sizes, evenly over those that were counted.
    most = 5
    step = max(1, math.ceil((len(sizes) - 1) / (most - 1)))
    shown = sorted({*range(0, len(sizes), step), len(sizes) - 1})
    timed = document["windows"][0]["start_s"] is not None
    rows = [
        [
            f"{window['start_s']:,.3f}"
            if timed
            else format_count(window["first_access"]),
            format_count(window["accesses"]),
            *(f"{1 - window['misses'][at] / window['accesses']:.2%}" for at in shown),
        ]
        for window in document["windows"][:_MOST_ROWS]
    ]
    left_out = len(document["windows"]) - len(rows)
    typer.echo("")
    print_table(
        "hit ratio of an LRU cache by window"
        + (f"; {left_out:,} more with --json" if left_out else ""),
        [
            ("start [s]" if timed else "from access", True),
            ("accesses", True),
            *((f"{format_bytes(sizes[at] * page)}", True) for at in shown),
        ],
        rows,
    )


def _one_of(given: dict[str, object], rule: str, hint: str) -> None:
    """Refuse both, or neither, of two options.

    Raises
    ------
    BadInput
        The message names what was given.
    """
    named = [f"{name} {value}" for name, value in given.items() if value is not None]
    if len(named) != 1:
        what = f"`{' '.join(named)}`" if named else "neither is given"
        raise BadInput(f"{' and '.join(given)}: {what}: {rule}", hint)
