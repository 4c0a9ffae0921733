"""The options of an advice, and what other limits would buy, as tables for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from tierwright.advise.advice import limit_cost
from tierwright.advise.advice.found import Staircase, StaircaseStep
from tierwright.advise.report._answer import Document
from tierwright.profile.evidence import ENVELOPE, TITLES

EVIDENCE = "evidence of the curve"
"""Heading of the class of a curve from counters."""
_FROM = "curve_from_"
"""How the caution begins that names the class."""
Cell = str | int | float | Decimal | None
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""How a cell begins that a spreadsheet would compute."""
_COLUMNS: tuple[tuple[str, str], ...] = (
    ("option", "name"),
    ("machines", "machines"),
    ("server", "server"),
    ("RAM [bytes]", "ram_bytes"),
    ("flash cache [bytes]", "flash_bytes"),
    ("flash device", "flash_device"),
    ("flash devices", "flash_devices"),
    ("disk device", "disk_device"),
    ("disks", "disks"),
    ("page flow", "scheme"),
    ("cost [USD/month]", "usd_per_month"),
    ("purchase [USD]", "purchase_usd"),
    ("I/O time [µs/access]", "io_time_us_per_access"),
    ("I/O time by its replay [µs/access]", "replayed_io_time_us_per_access"),
    ("mean response in the busiest hour [µs]", "response_mean_us"),
    ("response p50 in the busiest hour [µs]", "response_p50_us"),
    ("response p99 in the busiest hour [µs]", "response_p99_us"),
    ("mean response at mean load [µs]", "response_mean_mean_us"),
    ("response p50 at mean load [µs]", "response_p50_mean_us"),
    ("response p99 at mean load [µs]", "response_p99_mean_us"),
    ("busy at peak [1]", "peak_busy"),
    ("throughput [accesses/s]", "throughput_accesses_per_s"),
    ("flash life [years]", "flash_life_years"),
    ("until warm after a restart [s]", "restart_s"),
    ("power [W]", "power_watts"),
    ("rack units [U]", "rack_units"),
    ("hits in RAM [1]", "ram_hit_share"),
    ("hits in flash [1]", "flash_hit_share"),
    ("reads from disk [1]", "disk_share"),
    ("until too small [months]", "months_until_too_small"),
)
HEADINGS = tuple(heading for heading, _ in _COLUMNS)
"""Of what an option is, costs and does, with units."""
LIMIT_ROLE = "at another limit"
"""Role in the CSV of what another limit would buy."""
LIMIT_HEADINGS = (
    "limit",
    "asked",
    "value that buys it",
    "option",
    "page flow",
    "cost [USD/month]",
    "I/O time [µs/access]",
)
"""Of `limit_rows`; limits are in the unit that their name ends with."""


def options_table(document: Document) -> tuple[list[str], list[list[Cell]]]:
    """Return headings and one row for each option that the advice names, its roles first; None is not known.

    Of a curve from counters its class is in every row.
    """
    evidence = evidence_of(document)
    last: list[str] = [] if evidence is None else [evidence]
    rows = [
        ["; ".join(roles), *cells_of(option), *last]
        for roles, option in _with_roles(document)
    ]
    headings = ["role", *HEADINGS]
    return [*headings, *(EVIDENCE for _ in last)], rows


def cells_of(option: Document) -> list[Cell]:
    """Return the cells of `HEADINGS` of an option; None is not known, no one number, or not bought."""
    # What there is stands there: what is stated of its purchase is paid when it is replaced.
    bought = option["kind"] != "have"
    return [
        option[key] if bought or key != "purchase_usd" else None for _, key in _COLUMNS
    ]


def evidence_of(document: Document) -> str | None:
    """Return the class of the curve, in words; None where it does not rest on counters."""
    for caution in document["cautions"]:
        kind = str(caution.get("code") or caution.get("name")).removeprefix(_FROM)
        if kind in TITLES:
            maxima = f", {ENVELOPE}" if ENVELOPE in str(caution.get("message")) else ""
            return TITLES[kind] + maxima
    return None


def staircases_of(document: Document) -> list[Staircase]:
    """Return what each limit would buy, as the advisor has it; empty where the advice does not state it."""
    return [
        Staircase(
            **{
                **each,
                "steps": tuple(StaircaseStep(**step) for step in each["steps"]),
                "reason": each["reason"] or "",
            }
        )
        for each in document["staircases"]
    ]


def limit_rows(document: Document) -> list[list[Cell]]:
    """Return every step of the limits that the section shows, as rows of `LIMIT_HEADINGS`."""
    return [
        [
            each.constraint,
            each.limit,
            step.value,
            step.name,
            step.scheme,
            step.usd_per_month,
            step.io_time_us_per_access,
        ]
        for each in limit_cost.shown(staircases_of(document), document["objective"])
        for step in each.steps
    ]


def options_csv(document: Document) -> str:
    """Return the table of options as CSV, behind it what other limits would buy; what is not known is empty."""
    headings, rows = options_table(document)
    limits = limit_rows(document)
    if limits:
        # The class of the curve stays last.
        end = len(headings) - (EVIDENCE in headings)
        rows = [[*row[:end], None, None, *row[end:]] for row in rows]
        headings = [*headings[:end], *LIMIT_HEADINGS[:3:2], *headings[end:]]
        for limit, _, value, *shown in limits:
            cells = dict(zip(LIMIT_HEADINGS[3:], shown, strict=True))
            cells |= {"role": LIMIT_ROLE, "limit": limit, LIMIT_HEADINGS[2]: value}
            cells[EVIDENCE] = evidence_of(document)
            rows.append([cells.get(heading) for heading in headings])
    return csv_of(headings, rows)


def csv_of(headings: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Write a table as CSV; what is not known is empty."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(headings)
    writer.writerows([safe_cell(cell) for cell in row] for row in rows)
    return stream.getvalue()


def _with_roles(document: Document) -> Iterator[tuple[list[str], dict[str, Any]]]:
    found: list[tuple[list[str], dict[str, Any]]] = []

    def add(role: str, option: dict[str, Any] | None) -> None:
        if option is None:
            return
        for roles, known in found:
            if known == option:
                roles.append(role)
                return
        found.append(([role], option))

    add("recommended", document["recommendation"])
    add("today", document["option_zero"])
    for one in document["alternatives"]:
        add("close", one)
    for one in document["pareto"]:
        add("front", one)
    yield from found


_WRITTEN: dict[type, Callable[[Any], str]] = {
    Decimal: lambda value: format(value, "f"),
    float: repr,
    int: str,
}


def safe_cell(cell: Cell) -> str:
    """Write a number as a number; a text that a spreadsheet would compute begins with an apostrophe."""
    if cell is None:
        return ""
    if not isinstance(cell, str):
        return _WRITTEN[type(cell)](cell)
    return f"'{cell}" if cell.startswith(FORMULA) else cell
