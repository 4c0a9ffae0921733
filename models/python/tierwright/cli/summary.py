"""How `tierwright trace summary` prints what it found."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Callable

from tierwright.cli.output import print_facts, print_table
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes, format_count
from tierwright.common.wording import counted
from tierwright.profile.popularity import share_of_top
from tierwright.profile.summaries import TABLES, Devices, Distribution, Summaries, Table

# With the wide forms that spreadsheets of East Asia take for the same signs.
_SIGNS = r"=+\-@\uff1d\uff0b\uff0d\uff20"
_FORMULA = re.compile(rf"^(?=[{_SIGNS}\t\r\n])")
# Where numbers have a decimal comma, spreadsheets split lines at semicolons, in quotes too where
# these do not begin the line: a formula may begin behind one.
_FORMULA_INSIDE = re.compile(rf"([;\t\r\n]\s*\"?)(?=[{_SIGNS}])")
_SHOWN_DEVICES = 20
_NS = ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns"))
_TOP = 0.01


def table_named(name: str) -> Table:
    """Find a table.

    Raises
    ------
    BadInput
        If there is none of this name.
    """
    if name not in TABLES:
        raise BadInput(
            f"--csv: there is no table `{name}`", f"choose one of {', '.join(TABLES)}"
        )
    return TABLES[name]


def print_csv(found: Summaries, table: Table) -> None:
    """Print a table as CSV; names that a spreadsheet would run as a formula get an apostrophe.

    Raises
    ------
    BadInput
        If the trace has no such information.
    """
    rows = table.rows(found)
    if rows is None:
        raise BadInput(
            f"there is no table of {table.title}: {table.missing}",
            "leave out --csv to print the other summaries",
        )
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([_safe(cell) for cell in row] for row in rows)


def _safe(cell: object) -> object:
    if isinstance(cell, str):
        return _FORMULA.sub("'", _FORMULA_INSIDE.sub(r"\1'", cell))
    return cell


def print_summary(found: Summaries) -> None:
    """Print the figures of a trace, and its devices as a table."""
    print_facts(
        [
            *_counts(found),
            *_windows(found),
            *_reuse(found),
            *_popularity(found),
            *_requests(found),
        ]
    )
    if found.devices is not None:
        _print_devices(found.devices, found.page_bytes)


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.3g} %" if whole else "-"


def _pages(found: Summaries, count: float) -> str:
    return f"{counted(count, 'page')} ({format_bytes(count * found.page_bytes)})"


def _time(nanoseconds: float) -> str:
    for unit_ns, unit in _NS:
        if nanoseconds >= unit_ns:
            return f"{nanoseconds / unit_ns:.3g} {unit}"
    return "0 ns"


def _counts(found: Summaries) -> list[tuple[str, str]]:
    return [
        ("page accesses", format_count(found.accesses)),
        ("write accesses", _percent(found.write_accesses, found.accesses)),
        ("footprint", _pages(found, found.distinct_pages)),
        (
            "pages only read, only written, both",
            ", ".join(
                _percent(count, found.distinct_pages)
                for count in (
                    found.popularity.only_read,
                    found.popularity.only_written,
                    found.popularity.both,
                )
            ),
        ),
    ]


def _windows(found: Summaries) -> list[tuple[str, str]]:
    facts = []
    for windows, unit in (
        (found.windows, "accesses"),
        (found.time_windows, "time"),
    ):
        if windows is None:
            facts.append(("working set by time", "- (the trace has no times)"))
            continue
        length = (
            counted(windows.length, "access")
            if unit == "accesses"
            else _time(windows.length)
        )
        busy = [count for count in windows.distinct_pages if count]
        facts.append(
            (
                f"working set by {unit}",
                f"{format_count(min(busy))} to {counted(max(busy), 'page')} in a window of "
                f"{length} ({counted(len(windows.accesses), 'window')})",
            )
        )
    return facts


def _quantiles(counts: Distribution | None, show: Callable[[float], str]) -> str:
    if counts is None:
        return "- (the trace has no times)"
    found = [counts.quantile(share) for share in (0.1, 0.5, 0.9)]
    highest = [show(ends[1]) for ends in found if ends is not None]
    return ", ".join(highest) or "- (no page is accessed twice)"


def _reuse(found: Summaries) -> list[tuple[str, str]]:
    return [
        (
            "10, 50, 90 % reused within [accesses]",
            _quantiles(found.reuse, format_count),
        ),
        ("10, 50, 90 % reused within", _quantiles(found.reuse_ns, _time)),
    ]


def _popularity(found: Summaries) -> list[tuple[str, str]]:
    popularity = found.popularity
    top, share = share_of_top(popularity.accesses, popularity.pages, _TOP)
    facts = [
        (
            "most accessed 1 % of pages",
            f"{_pages(found, top)} take {100 * share:.3g} % of the accesses",
        )
    ]
    fit = popularity.zipf
    facts.append(
        (
            "Zipf law",
            "- (fewer than three pages)"
            if fit is None
            else f"alpha {fit.exponent:.3f}, KS distance {fit.ks_distance:.3f}: {fit.verdict} fit "
            "(maximum likelihood)",
        )
    )
    return facts


def _requests(found: Summaries) -> list[tuple[str, str]]:
    requests = found.requests
    mean = (requests.read_amount + requests.write_amount) / requests.requests
    shown = (
        format_bytes(mean) if requests.unit == "bytes" else f"{mean:.3g} pages or keys"
    )
    return [
        ("requests", f"{format_count(requests.requests)}, on average {shown}"),
        (
            "sequential requests",
            f"{100 * requests.sequential_share:.3g} % continue the one before of their device; "
            f"longest run {format_count(requests.longest_run)}",
        ),
    ]


def _print_devices(devices: Devices, page_bytes: int) -> None:
    rows = devices.rows[:_SHOWN_DEVICES]
    print_table(
        f"\ndevices or relations, {format_count(len(rows))} of {format_count(devices.devices)}; --csv devices "
        "prints more",
        [
            ("device", False),
            ("accesses", True),
            ("writes", True),
            ("footprint", True),
            ("re-accesses", True),
            ("sequential", True),
        ],
        [
            [
                row.name,
                format_count(row.accesses),
                _percent(row.write_accesses, row.accesses),
                format_bytes(row.distinct_pages * page_bytes),
                _percent(row.accesses - row.distinct_pages, row.accesses),
                _percent(row.sequential_requests, row.requests),
            ]
            for row in rows
        ],
    )
