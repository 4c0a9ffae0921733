"""What keeps every limit, the best of it, what was close, and the front."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._table import Table
from tierwright.evaluate.advice import choose
from tierwright.evaluate.advice.limits import (
    EVIDENCE,
    RESPONSES,
    Limit,
    first_broken,
    own_limits,
    stated_limits,
)
from tierwright.evaluate.advice.rows import IntArray, Options
from tierwright.profile.evidence import Evidence

MOST_ASKED = 400
"""Options whose response times are computed for alternatives, where these are limited."""
MOST_FRONT = 40
MOST_ALTERNATIVES = 8


@dataclass(slots=True)
class Chosen:
    """What keeps every limit, in the order of the objective, and what was asked of response times."""

    order: IntArray
    limits: list[Limit]
    first_broken: IntArray
    """Index of the first of the limits that each option breaks; -1 where none."""
    responses: dict[int, tuple[float, float]] = field(default_factory=dict)


def chosen_of(asked: Asked, table: Table) -> Chosen:
    options = table.options
    limits = [
        *own_limits(options),
        *_evidence_limit(options, asked.setting.curve.evidence),
        *stated_limits(options, asked.constraints, table.beside),
    ]
    broken = first_broken(limits, len(options))
    [rows] = np.nonzero(broken < 0)
    return Chosen(choose.ordered(options, rows, asked.objective), limits, broken)


def _evidence_limit(options: Options, evidence: Evidence | None) -> Iterator[Limit]:
    """Yield what a curve from counters does not speak of: options that read it at other sizes are unknown."""
    if evidence is None:
        return
    ram = options.ram_pages
    outside = evidence.unknown(ram, ram + options.flash_pages)
    yield Limit(EVIDENCE, None, np.full(len(options), np.nan), outside)


def kept(asked: Asked, table: Table, chosen: Chosen, order: IntArray) -> Iterator[int]:
    """Those that keep the limits of response times too, in their order; all of them where there are none."""
    if not asked.limits_response:
        return iter(order.tolist())

    def response(at: int) -> tuple[float, float]:
        if at not in chosen.responses:
            chosen.responses[at] = table.peak_response(at)
        return chosen.responses[at]

    return choose.keeping(order, response, asked.response_limits, table.least_response)


def in_order(asked: Asked, table: Table, chosen: Chosen) -> IntArray:
    """Options that keep every limit, the best first; where response times are limited, of the first of them."""
    if not asked.limits_response:
        return chosen.order
    return np.asarray(
        list(kept(asked, table, chosen, chosen.order[:MOST_ASKED])), dtype=np.int64
    )


def alternatives(
    asked: Asked, table: Table, chosen: Chosen, best: int | None
) -> list[int]:
    """Return the best of each other kind, and what there is."""
    if best is None:
        return []
    kinds = table.hardware_codes
    order = in_order(asked, table, chosen)
    found = choose.best_of_kinds(order, kinds)[: MOST_ALTERNATIVES + 1]
    others = [at for at in found.tolist() if at != best and kinds[at] != kinds[best]]
    others = others[:MOST_ALTERNATIVES]
    have = table.have_at
    if have is not None and have != best and have not in others:
        [at] = np.nonzero(chosen.order == have)
        if len(at):
            others.append(have)
    return others


def front(asked: Asked, table: Table, chosen: Chosen) -> IntArray:
    """Return the front of money and I/O time of what keeps every limit."""
    rows = np.sort(chosen.order)
    while True:
        found = choose.front(table.options, rows)
        left = np.asarray(list(kept(asked, table, chosen, found)), dtype=np.int64)
        if len(left) == len(found):
            return found
        rows = np.setdiff1d(rows, np.setdiff1d(found, left))


def response_limits(
    asked: Asked, table: Table, chosen: Chosen, order: IntArray
) -> Iterator[Limit]:
    """Limits of response times, as far as they were asked for: of the options that keep all others."""
    options = table.options
    for at, (name, limit) in enumerate(
        zip(RESPONSES, asked.response_limits, strict=True)
    ):
        if limit is None:
            continue
        value = table.least_response[at].copy()
        for row, times in chosen.responses.items():
            value[row] = times[at]
        breaks = np.zeros(len(options), dtype=np.bool_)
        breaks[order] = value[order] > limit
        yield Limit(name, asked.constraints[name], value, breaks)
