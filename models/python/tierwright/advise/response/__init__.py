"""How long a page access takes at a rate, under each scheme: mean, percentiles, and what limits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tierwright.advise.point import DIRTY_SHARE_UNKNOWN, ONE_END, rate_of
from tierwright.advise.response import words
from tierwright.advise.response.cautions import about
from tierwright.advise.response.effects import effects
from tierwright.advise.response.rows import (
    Jump,
    NamedRate,
    SchemeAt,
    SchemeColumns,
    columns_of,
    jumps_of,
    row_of,
)
from tierwright.advise.response.steps import steps
from tierwright.common.answer import Answer, Figure, Step
from tierwright.common.errors import BadInput
from tierwright.common.wording import counted
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.evaluate.page_flow.cautions import about_curve, about_space_behind
from tierwright.evaluate.page_flow.counts import check_evidence
from tierwright.evaluate.page_flow.dirty_range import dirty_ends
from tierwright.evaluate.response.schemes import (
    ESTIMATOR,
    VALIDITY,
    Hierarchy,
    SchemeResponse,
    checked_rates,
    scheme_response,
)
from tierwright.profile.curve import Curve

DRAWN = 48
"""Rates of the chart besides those in question."""
FIRST_DRAWN, LAST_DRAWN = 0.02, 0.99
"""Ends of the chart, as shares of the largest rate that a scheme carries. [1]"""
TIME_BASIS = (
    "A latency is what one request takes alone; the service time is how long it occupies one of "
    "the operations that the device serves at once, and 1/IOPS is that time divided by their "
    "number. The response time is the latency and the wait before the service. A RAM hit takes "
    "no time."
)


@dataclass(frozen=True, kw_only=True)
class Response(Answer):
    """Response time of a page access under every scheme, at the rates in question and around them.

    Where the dirty share is unknown, everything is with the maximum possible.

    Attributes
    ----------
    sentence : str
        The rates that do not decide, what does not carry them, and where a percentile jumps.
    ram_pages, flash_pages, page_bytes : int
        Sizes. [pages], [pages], [bytes]
    rates : tuple of NamedRate
        In question; the last one decides.
    best : str or None
        Scheme of the least mean response time at the last rate; None where no scheme carries it.
    contenders : tuple of str
        Schemes that could be that within the known error of the hits; empty where the lead is
        clear.
    rows : tuple of SchemeAt
        Every scheme at every rate in question.
    jumps : tuple of Jump
        Of the best scheme, or of that which carries most: where its percentiles jump.
    points_per_s : tuple of float
        Rates of `columns`. [1/s]
    columns : tuple of SchemeColumns
        Every scheme over these rates.
    writes, service : str
        What an access waits for, and how service times vary.
    estimator, validity, time_basis : str
        How it was computed, where that holds, and what a time is.
    """

    sentence: str
    ram_pages: int
    flash_pages: int
    page_bytes: int
    rates: tuple[NamedRate, ...]
    best: str | None
    contenders: tuple[str, ...]
    rows: tuple[SchemeAt, ...]
    jumps: tuple[Jump, ...]
    points_per_s: tuple[float, ...]
    columns: tuple[SchemeColumns, ...]
    writes: str
    service: str
    estimator: str = ESTIMATOR
    validity: str = VALIDITY
    time_basis: str = TIME_BASIS

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Response times and busy shares of the best scheme at each rate, and what it carries."""
        name = self.best or words.carries_most(self.rows)
        found = []
        for row in self.rows:
            if row.scheme != name:
                continue
            at = f"at the {row.rate} rate"
            least = ", at least" if row.without_latency else ""
            found += [
                Figure(f"{row.rate}_{key}", f"{title} {at}{least}", value, "µs")
                for key, title, value in (
                    ("mean_us", "Mean response time", row.mean_us),
                    ("p50_us", "Median response time", row.p50_us),
                    ("p99_us", "99th percentile", row.p99_us),
                    ("p999_us", "99.9th percentile", row.p999_us),
                )
            ]
            found += [
                Figure(
                    f"{row.rate}_{each.tier}_utilisation",
                    f"Busy share of {words.TIERS[each.tier]} {at}",
                    each.utilisation,
                    "1",
                )
                for each in row.stations
            ]
        last = next(row for row in self.rows if row.scheme == name)
        return (
            *found,
            Figure(
                "largest_accesses_per_s",
                "Largest rate that the devices carry",
                last.largest_accesses_per_s,
                "1/s",
            ),
        )


def rates_of(
    curve: Curve,
    duration_s: float | None = None,
    *,
    accesses_per_s: float | None = None,
    peak_accesses_per_s: float | None = None,
) -> tuple[NamedRate, ...]:
    """Return the rates in question: as stated, else mean and peak of production, else of the recording.

    Parameters
    ----------
    curve : Curve
        Of the recording, or of production.
    duration_s : float, optional
        Of the recording. [s]
    accesses_per_s, peak_accesses_per_s : float, optional
        As stated: mean, and of the busiest hour. [1/s]

    Raises
    ------
    BadInput
        If a rate is not above 0, the peak is below the mean, or there is no rate at all.
    """
    if accesses_per_s is None and peak_accesses_per_s is not None:
        raise BadInput(
            "the rate of the peak is stated, but not the mean rate",
            "state the mean rate too, or the peak as the only rate",
        )
    if accesses_per_s is not None:
        checked_rates(accesses_per_s)
        found = [NamedRate("mean", float(accesses_per_s), "as stated")]
        peak, basis = peak_accesses_per_s, "as stated"
    elif curve.scaled is not None:
        production = curve.scaled.production
        found = [NamedRate("mean", *_said(curve, 0.0))]
        peak = curve.scaled.machine_peak_accesses_per_s
        basis = "the busiest hour of production as stated"
        if production.machines > 1:
            basis = (
                f"the busiest hour of one of {counted(production.machines, 'machine')} "
                "of production as stated"
            )
    elif duration_s is not None and duration_s > 0:
        return (NamedRate("mean", *_said(curve, duration_s)),)
    else:
        raise BadInput(
            "the workload has no time, so no rate of accesses is known",
            "state page accesses per second",
        )
    if peak is not None:
        checked_rates(peak)
        if peak < found[0].accesses_per_s:
            raise BadInput(
                f"peak_accesses_per_s: `{peak:g}` is below the mean rate, "
                f"{found[0].accesses_per_s:g}",
                "state the rate of the busiest hour, or leave it out",
            )
        found.append(NamedRate("peak", float(peak), basis))
    return tuple(found)


def _said(curve: Curve, duration_s: float) -> tuple[float, str]:
    rate = rate_of(curve, duration_s)
    return rate.accesses_per_s, rate.basis


def answer(
    curve: Curve,
    *,
    ram_pages: int,
    flash_pages: int,
    hierarchy: Hierarchy,
    rates: Sequence[NamedRate],
    flash_metadata: MetadataPreset | None = None,
) -> Response:
    """Say how long a page access takes under each scheme, and which device limits the rate.

    Parameters
    ----------
    curve : Curve
        Of the workload; where its dirty share is unknown, the maximum possible is assumed and a
        caution says what none would change.
    ram_pages, flash_pages : int
        r and f. [pages]
    hierarchy : Hierarchy
        Devices, and what an access waits for.
    rates : sequence of NamedRate
        In question, as `rates_of` gives them; the last one decides.
    flash_metadata : MetadataPreset, optional
        Charged to the RAM.

    Raises
    ------
    BadInput
        As `scheme_response`; if there is no rate.
    """
    asked = checked_rates([each.accesses_per_s for each in rates])
    check_evidence("response", curve, ram_pages, flash_pages)
    unknown = curve.write_backs_at is None
    few, of = dirty_ends(curve) if unknown else (None, curve)
    sizes: dict[str, Any] = {
        "ram_pages": ram_pages,
        "flash_pages": flash_pages,
        "hierarchy": hierarchy,
        "flash_metadata": flash_metadata,
    }
    first = scheme_response(of, accesses_per_s=asked, percentiles=(), **sizes)
    points = _points(first, asked)
    found = scheme_response(of, accesses_per_s=points, **sizes)
    places = [int(np.searchsorted(points, each.accesses_per_s)) for each in rates]
    rows = tuple(
        row_of(each, at, rate, hierarchy)
        for at, rate in zip(places, rates, strict=True)
        for each in found.values()
    )
    deciding = [row for row in rows if row.rate == rates[-1].name]
    best, contenders = words.leading(deciding)
    shown = best or words.carries_most(rows)
    jumps = jumps_of(of, found[shown], **sizes)

    def explain() -> Iterator[Step]:
        if unknown:
            yield ONE_END
        for at, rate in zip(places, rates, strict=True):
            for each in found.values():
                yield from steps(each, at, rate)

    return Response(
        finding=words.finding(deciding, best, contenders, rates[-1]),
        warnings=(
            *((DIRTY_SHARE_UNKNOWN,) if unknown else ()),
            *about_curve(of, ram_pages, flash_pages),
            *about_space_behind(flash_metadata),
            *about(found[shown], places[-1], hierarchy, jumps),
        ),
        explain=explain,
        weigh=effects(of, few, shown, rate=float(asked[-1]), **sizes),
        sentence=words.sentence(rows, shown, rates, jumps, curve.page_bytes),
        ram_pages=ram_pages,
        flash_pages=flash_pages,
        page_bytes=curve.page_bytes,
        rates=tuple(rates),
        best=best,
        contenders=contenders,
        rows=rows,
        jumps=jumps,
        points_per_s=tuple(points.tolist()),
        columns=tuple(columns_of(each) for each in found.values()),
        writes=hierarchy.writes,
        service=hierarchy.service,
    )


def _points(found: dict[str, SchemeResponse], asked: Any) -> Any:
    """Rates around those in question, up to the largest that a scheme carries."""
    carried = [
        each.largest_accesses_per_s
        for each in found.values()
        if math.isfinite(each.largest_accesses_per_s)
    ]
    most = max(carried, default=2 * float(asked.max()))
    drawn = np.linspace(FIRST_DRAWN * most, LAST_DRAWN * most, DRAWN)
    return np.unique(np.concatenate((drawn, asked)))
