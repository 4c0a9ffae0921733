"""Errors of scale laws, by recordings of the same benchmark at several scales.

    scale_study.py RECORDINGS [--write]

``RECORDINGS`` is a folder of ``docs/capture/postgresql/record_scales.py``. From each recording the
miss curve of each larger one of the same benchmark is predicted, by each law, and compared with the
misses of the larger one. ``scale_oracle.py`` says how the truth is measured and how the laws predict
when they are written from their description alone.

Prints the errors; ``--write`` writes them to docs/models/scale-errors.md, and to
fixtures/scale-errors.toml, from which the product takes the error of its answers.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scale_oracle import (
    LARGEST_SHARE,
    LAWS,
    SMALLEST_SHARE,
    TINY_PAGES,
    Errors,
    Floats,
    Recording,
    database_factor,
    errors_of_all,
    read,
    worst,
)

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "models" / "scale-errors.md"
FIGURES = ROOT / "fixtures" / "scale-errors.toml"
NOTE = "<!-- Written by `make scale`; do not edit. -->"
SHOWN_SHARES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
BENCHMARKS = {"tpcb": "TPC-B", "tpcc": "TPC-C"}


def named(recording: Recording) -> str:
    """Such as ``TPC-C 20``."""
    described = recording.described
    return f"{BENCHMARKS[described['benchmark']]} {described['scale']}"


def table(headings: Sequence[str], rows: Iterator[Sequence[str]]) -> list[str]:
    """Lines of a Markdown table."""
    lines = [headings, ["---"] * len(headings), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def mean(errors: Floats) -> float:
    """Mean absolute error."""
    return float(np.mean(np.abs(errors)))


def percent(value: float) -> str:
    """Two digits of a percentage below ten, whole ones above."""
    shown = 100 * value
    return f"{shown:.1f}" if abs(shown) < 10 else f"{shown:.0f}"  # noqa: PLR2004


def signed(value: float) -> str:
    """Like :func:`percent`, with its sign."""
    return f"{'+' if value > 0 else '-' if value < 0 else ''}{percent(abs(value))}"


def larger_only(found: Sequence[Errors]) -> list[Errors]:
    """Leave out a recording's predictions of itself."""
    return [errors for errors in found if errors.small.label != errors.large.label]


def error_row(errors: Errors) -> list[str]:
    """Mean and worst errors of a law for a pair."""
    cells = [
        f"{named(errors.small)} → {errors.large.described['scale']}",
        f"{database_factor(errors.small, errors.large):.2f}",
        errors.law,
    ]
    for which in (errors.per_access, errors.per_transaction):
        at = worst(which)
        share = errors.pages[at] / errors.large.database_pages
        cells += [percent(mean(which)), signed(which[at]), percent(share)]
    return cells


def size_row(errors: Errors) -> list[str]:
    """Errors per transaction at some sizes."""
    cells = [
        f"{named(errors.small)} → {errors.large.described['scale']}",
        errors.law,
    ]
    shares = errors.pages / errors.large.database_pages
    for share in SHOWN_SHARES:
        inside = share <= shares[-1]
        error = np.interp(np.log(share), np.log(shares), errors.per_transaction)
        cells.append(signed(float(error)) if inside else "")
    return cells


def recording_row(recording: Recording) -> list[str]:
    """What a recording is."""
    described = recording.described
    half = recording.page[: recording.accesses // 2]
    return [
        named(recording),
        f"{described['database_bytes_before'] / 2**20:,.0f}",
        f"{described['warm_up_transactions']:,}",
        f"{described['transactions']:,}",
        f"{recording.accesses:,}",
        f"{recording.per_transaction:.1f}",
        f"{len(np.unique(half)) / recording.database_pages:.1%}".replace("%", " %"),
    ]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("recordings", type=Path)
    arguments = parser.parse_args()
    paths = list(arguments.recordings.glob("*.json"))
    if not paths:
        sys.exit(
            f"error: {arguments.recordings} holds no recording\n"
            "hint: make some with docs/capture/postgresql/record_scales.py"
        )
    recordings = sorted(
        (read(path) for path in paths),
        key=lambda one: (one.described["benchmark"], one.described["scale"]),
    )
    found = errors_of_all(recordings)
    lines = table(
        ["recording", "MiB", "warm-up", "transactions", "accesses", "per transaction", "half"],
        (recording_row(recording) for recording in recordings),
    )
    lines += table(
        ["pair", "k", "law", "acc mean", "worst", "at %", "tx mean", "worst", "at %"],
        (error_row(errors) for errors in found),
    )
    lines += table(
        ["pair", "law", *(f"{100 * share:g} %" for share in SHOWN_SHARES)],
        (size_row(errors) for errors in larger_only(found)),
    )
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
