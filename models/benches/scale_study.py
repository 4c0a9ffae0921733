"""Errors of scale laws, by recordings of the same benchmark at several scales.

    scale_study.py RECORDINGS [--write]

``RECORDINGS`` is a folder of ``docs/capture/postgresql/record_scales.py``. From each recording the
misses of each larger one of the same benchmark are predicted, by each law, and compared with those
that the larger one had. The laws are the product's, as ``tierwright scale`` answers; beside them
stand the predictions of ``scale_oracle.py``, which were written from the description of the laws
alone, and which says how the truth is measured. Second recordings of some scales, in a folder
``again`` of it, are part of the truth of these scales and show what of one recording is chance, and such
of a shorter warm-up, in ``younger``, what age alone changes.

Prints the tables; ``--write`` writes them to docs/models/scale-errors.md, and the errors to
fixtures/scale-errors.toml, from which the product takes the error of its answers.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from scale_oracle import (
    APPEND_ONLY,
    LARGEST_SHARE,
    SMALLEST_SHARE,
    TINY_PAGES,
    Errors,
    Floats,
    Recording,
    database_factor,
    errors_of_again,
    errors_of_all,
    read,
    worst,
)

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "models" / "scale-errors.md"
FIGURES = ROOT / "fixtures" / "scale-errors.toml"
AGAIN, YOUNGER = "again", "younger"
"""Folders of other recordings of some of the scales: second ones, and such of a shorter warm-up."""
NOTE = "<!-- Written by `make scale`; do not edit. -->"
SHOWN_SHARES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
BENCHMARKS = {"tpcb": "TPC-B", "tpcc": "TPC-C"}
SHOWN_LAWS = {
    "unscaled": "unscaled",
    "cold_growth": "`cold_growth`",
    "stretch": "`stretch`",
    "one_factor": "`relations` with tau, one factor",
    "relations": "`relations`",
    "relations_tau": "`relations` with tau",
}
SHOWN_TAUS = {
    "relations": "0",
    "relations_tau_quarter": "a quarter",
    "relations_tau": "tau",
    "relations_tau_four": "four times",
}
PER = ("per transaction: mean", "worst, at", "per access: mean", "worst, at")


def named(recording: Recording) -> str:
    """Such as ``TPC-C 20``."""
    described = recording.described
    return f"{BENCHMARKS[described['benchmark']]} {described['scale']}"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a Markdown table."""
    lines = [headings, ["---"] * len(headings), *rows]
    return [f"| {' | '.join(line)} |" for line in lines] + [""]


def mean(errors: Floats) -> float:
    """Mean absolute error."""
    return float(np.mean(np.abs(errors)))


def percent(value: float) -> str:
    """One digit after the point below ten percent."""
    return f"{100 * value:.1f}" if abs(value) < 0.0995 else f"{100 * value:.0f}"  # noqa: PLR2004


def signed(value: float) -> str:
    """Like :func:`percent`, with its sign."""
    shown = percent(abs(value))
    return shown if value == 0 else f"{'+' if value > 0 else '-'}{shown}"


def pair_of(errors: Errors) -> str:
    """Such as ``TPC-C 5 → 20``."""
    return f"{named(errors.small)} → {errors.large.described['scale']}"


def error_cells(errors: Errors) -> list[str]:
    """Mean error, worst error and its size, per transaction and per access."""
    cells = []
    for which in (errors.per_transaction, errors.per_access):
        at = worst(which)
        share = errors.pages[at] / errors.large.database_pages
        cells += [percent(mean(which)), f"{signed(which[at])} at {percent(share)}"]
    return cells


def by_pair(found: Iterable[Errors]) -> list[Errors]:
    """Pair by pair, in the order of the laws shown; others are left out."""
    order = list(SHOWN_LAWS)
    return sorted(
        (errors for errors in found if errors.law in SHOWN_LAWS),
        key=lambda one: (
            one.small.described["benchmark"],
            one.small.described["scale"],
            one.large.described["scale"],
            order.index(one.law),
        ),
    )


def error_rows(
    found: Iterable[Errors], beside: Iterable[Errors]
) -> Iterable[list[str]]:
    """One row a pair and law, with the mean errors of other predictions beside."""
    others = {(pair_of(one), one.law): one for one in beside}
    for errors in by_pair(found):
        other = others.get((pair_of(errors), errors.law))
        held = ["", ""]
        if other is not None:
            held = [
                percent(mean(other.per_transaction)),
                percent(mean(other.per_access)),
            ]
        factor = database_factor(errors.small, errors.large)
        yield [
            *(pair_of(errors), f"{factor:.2f}", SHOWN_LAWS[errors.law]),
            *error_cells(errors),
            *held,
        ]


def size_row(errors: Errors) -> list[str]:
    """Errors per transaction at some sizes."""
    shares = errors.pages / errors.large.database_pages
    cells = [pair_of(errors), SHOWN_LAWS[errors.law]]
    for share in SHOWN_SHARES:
        error = np.interp(np.log(share), np.log(shares), errors.per_transaction)
        cells.append(signed(float(error)) if share <= shares[-1] else "")
    return cells


def recording_row(recording: Recording) -> list[str]:
    """Return what a recording is."""
    described = recording.described
    half = recording.page[: recording.accesses // 2]
    return [
        named(recording),
        f"{described['database_bytes_before'] / 2**20:,.0f} MiB",
        f"{described['warm_up_transactions']:,}",
        f"{described['transactions']:,}",
        f"{recording.accesses:,}",
        f"{recording.per_transaction:.1f}",
        f"{100 * len(np.unique(half)) / recording.database_pages:.0f} %",
    ]


def listed(names: Iterable[str]) -> str:
    """Join different values."""
    return ", ".join(dict.fromkeys(names))


def provenance(recordings: Sequence[Recording]) -> str:
    """Say who recorded what, with which versions."""
    described = [one.described for one in recordings]
    settings = described[0]["settings"]
    servers = listed(one["server"].split(" (")[0] for one in described)
    clients = listed(
        one["client"].rsplit("/", 1)[-1].replace("(PostgreSQL) ", "")
        for one in described
    )
    days = listed(sorted(one["recorded_utc"][:10] for one in described))
    return (
        f"{servers}, `shared_buffers` {settings['shared_buffers']}, {clients},"
        f" {listed(str(one['clients']) for one in described)} clients; recorded on {days}"
        " by `docs/capture/postgresql/record_scales.py`."
    )


def limits(recordings: Sequence[Recording]) -> str:
    """Say what the errors do not cover."""
    mib = [one.described["database_bytes_before"] / 2**20 for one in recordings]
    return (
        f"*What this does not cover:* databases outside {min(mib):,.0f} to {max(mib):,.0f} MiB,"
        " a load that changes during the day or with the size, other servers than PostgreSQL,"
        " and factors of relations that are not known but guessed."
    )


def summary_rows(found: Iterable[Errors], laws: dict[str, str]) -> Iterable[list[str]]:
    """By benchmark and law: the mean over pairs, and the worst of all."""
    every = list(found)
    for benchmark, law in itertools.product(BENCHMARKS, laws):
        of_law = [
            one
            for one in every
            if one.law == law and one.small.described["benchmark"] == benchmark
        ]
        if not of_law:
            continue
        cells = [BENCHMARKS[benchmark], laws[law], str(len(of_law))]
        for per in ("per_transaction", "per_access"):
            each: list[Floats] = [getattr(one, per) for one in of_law]
            ends = [float(errors[worst(errors)]) for errors in each]
            cells += [
                percent(float(np.mean([mean(errors) for errors in each]))),
                signed(max(ends, key=abs)),
            ]
        yield cells


def section_of_others(title: str, text: str, others: Sequence[Errors]) -> list[str]:
    """Return the section on other recordings of the same scales, if there are any."""
    if not others:
        return []
    return [
        f"## {title}",
        "",
        text,
        "",
        *table(
            ["recording", "warm-up", *PER],
            (
                [
                    named(one.large),
                    f"{one.small.described['warm_up_transactions']:,}",
                    *error_cells(one),
                ]
                for one in others
            ),
        ),
    ]


def page_of(
    recordings: Sequence[Recording],
    product: Sequence[Errors],
    oracle: Sequence[Errors],
    twice: Sequence[Errors] = (),
    younger: Sequence[Errors] = (),
) -> str:
    """Write the page."""
    apart = [one for one in oracle if one.small.label != one.large.label]
    itself = [one for one in oracle if one.small.label == one.large.label]
    shown = [*(one for one in apart if one.law == "unscaled"), *product]
    appended = " and ".join(f"`{name.split('.')[1]}`" for name in sorted(APPEND_ONLY))
    columns = ("per transaction: mean", "worst", "per access: mean", "worst")
    return (
        "\n".join(
            [
                "# Errors of the scale laws",
                "",
                NOTE,
                "",
                "How far the laws of [`tierwright scale`](scale.md) were off where the larger system was recorded too. Each larger database was predicted from each smaller one of the same benchmark."
                " The truth is what an LRU cache missed in the second half of the larger recording, after the first half had filled it, at sizes from"
                f" {100 * SMALLEST_SHARE:g} % of the larger database to {100 * LARGEST_SHARE:g} % of the pages that the first half touched."
                + (
                    " Where a scale was recorded twice, the truth is the mean of both, because what one recording has by chance is no error of a law ([recorded twice](#recorded-twice))."
                    if twice
                    else ""
                )
                + " Errors are in percent of the misses. Means are of the absolute errors, over sizes evenly spaced in their logarithm; *worst* is the largest error, and behind *at* the share of the database, in percent, at which it occurs.",
                "",
                "*Per transaction* compares misses per transaction, *per access* miss ratios; they differ where the larger system needs more or fewer accesses per transaction."
                f" The factor of each relation is that of its pages, or of its rows where it has fewer than {TINY_PAGES} pages; catalogs do not grow, nor do {appended}, to which rows are only appended."
                " *One factor* states no factor of any relation: all but the catalogs then grow alike. Tau is clients times accesses per transaction.",
                "",
                limits(recordings),
                "",
                "## Recordings",
                "",
                provenance(recordings)
                + " *Warm-up* counts transactions; *half* is the share of the database that the first half of the recording touches.",
                "",
                *table(
                    [
                        *(
                            "recording",
                            "database",
                            "warm-up",
                            "transactions",
                            "accesses",
                        ),
                        *("accesses per transaction", "half"),
                    ],
                    map(recording_row, recordings),
                ),
                "## By law",
                "",
                "Means over all pairs of a benchmark, and the worst size of the worst pair.",
                "",
                *table(
                    ["benchmark", "law", "pairs", *columns],
                    summary_rows(shown, SHOWN_LAWS),
                ),
                "## By tau",
                "",
                "The law `relations` with other values of tau.",
                "",
                *table(
                    ["benchmark", "tau", "pairs", *columns],
                    summary_rows(product, SHOWN_TAUS),
                ),
                "## By pair",
                "",
                "*Oracle* gives the mean errors of predictions that share no code with the product (`models/benches/scale_oracle.py`); the unscaled ones are its own.",
                "",
                *table(
                    [
                        *("pair", "k", "law", *PER),
                        *("oracle: per transaction", "oracle: per access"),
                    ],
                    error_rows(shown, apart),
                ),
                "## By cache size",
                "",
                "Errors per transaction by the share of the larger database that the cache holds; empty where the first half did not fill it.",
                "",
                *table(
                    ["pair", "law", *(f"{100 * share:g} %" for share in SHOWN_SHARES)],
                    map(size_row, by_pair(product)),
                ),
                "## Without scaling",
                "",
                "Each recording predicted from itself, by the oracle. So much of the errors above is due to the product-limit estimate, and to a second half that differs from the first.",
                "",
                *table(
                    ["recording", "mean", "worst, at"],
                    (
                        [named(one.small), *error_cells(one)[:2]]
                        for one in itself
                        if one.law == "unscaled"
                    ),
                ),
                *section_of_others(
                    "Recorded twice",
                    "A second recording of the same scale, loaded and warmed up again, against the first: so much of one recording is chance. No law can be expected to be closer than that.",
                    twice,
                ),
                *section_of_others(
                    "Younger databases",
                    "A recording of the same scale after a shorter warm-up, in transactions, against the one above: what age alone changes.",
                    younger,
                ),
            ]
        ).rstrip()
        + "\n"
    )


def worst_ratio(errors: Floats) -> float:
    """By what a prediction was too high or too low at worst, as a ratio less 1."""
    return float(np.max(np.maximum(1 + errors, 1 / (1 + errors)))) - 1


def figures_of(product: Sequence[Errors], recordings: Sequence[Recording]) -> str:
    """Write the errors as the product reads them."""
    lines = [
        "# How far the scale laws were off: recordings of PostgreSQL at several scales, each larger one",
        "# predicted from a smaller one. `make scale` writes this file from recordings; the page with all",
        "# errors is docs/models/scale-errors.md. `factor` is k; `mean` is that of the absolute errors,",
        "# `worst` the larger one of prediction over truth and truth over prediction, less 1.",
        f"# {provenance(recordings)}",
    ]
    for errors in by_pair(product):
        lines += [
            "",
            "[[measured]]",
            f'law = "{errors.law}"',
            f'workload = "{pair_of(errors)}"',
            f"factor = {database_factor(errors.small, errors.large):.3f}",
        ]
        for unit, each in (
            ("transaction", errors.per_transaction),
            ("access", errors.per_access),
        ):
            lines += [
                f"mean_per_{unit} = {mean(each):.4f}",
                f"worst_per_{unit} = {worst_ratio(each):.4f}",
            ]
    return "\n".join(lines) + "\n"


def recordings_in(folder: Path) -> list[Recording]:
    """Read the recordings of a folder, in the order of their scales."""
    return sorted(
        (read(path) for path in folder.glob("*.json")),
        key=lambda one: (one.described["benchmark"], one.described["scale"]),
    )


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("recordings", type=Path)
    parser.add_argument("--write", action="store_true", help="write page and figures")
    arguments = parser.parse_args()
    recordings = recordings_in(arguments.recordings)
    if not recordings:
        sys.exit(
            f"error: {arguments.recordings} holds no recording\n"
            "hint: make some with docs/capture/postgresql/record_scales.py"
        )
    # Here, so that the tables can be read and tested by themselves.
    from scale_product import product_errors

    again = recordings_in(arguments.recordings / AGAIN)
    product = product_errors(recordings, arguments.recordings, again)
    page = page_of(
        recordings,
        product,
        errors_of_all(recordings, again),
        errors_of_again(recordings, again),
        errors_of_again(recordings, recordings_in(arguments.recordings / YOUNGER)),
    )
    sys.stdout.write(page)
    if arguments.write:
        PAGE.write_text(page, encoding="utf-8")
        FIGURES.write_text(figures_of(product, recordings), encoding="utf-8")


if __name__ == "__main__":
    main()
