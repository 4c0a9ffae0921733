"""The steps of an answer about response time."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tierwright.advise.point import scheme_titles
from tierwright.advise.response.rows import NamedRate
from tierwright.common.answer import Step
from tierwright.common.derivation import shown
from tierwright.evaluate.page_flow.schemes import BY_NAME
from tierwright.evaluate.response.schemes import (
    PERCENTILES,
    TIERS,
    US_PER_S,
    SchemeResponse,
    Station,
)

LITTLE = "Little (1961), at the rated point"
KHINCHINE = "Pollaczek and Khinchine"
LEE = "Lee and Longton (1959); Erlang (1917)"


def steps(found: SchemeResponse, at: int, rate: NamedRate) -> Iterator[Step]:
    """Give every formula of a scheme at one rate, with the numbers put in.

    Parameters
    ----------
    found : SchemeResponse
        The scheme.
    at : int
        Index of the rate.
    rate : NamedRate
        The rate.
    """
    title = f"{scheme_titles()[found.scheme]}, {rate.name} rate"
    for tier in TIERS:
        yield from _of_station(found, found.stations[tier], title, at, rate)
    shares = " + ".join(
        f"{shown(way.share)} x {shown(float(_at(way.mean_s, at)) * US_PER_S)}"
        for way in found.ways
        if way.share > 0
    )
    yield Step(
        subject=found.scheme,
        name=f"{title}: mean",
        formula=f"sum of share x mean of each way: {shares}",
        value=_known(found.mean_s[at] * US_PER_S),
        unit="µs",
        source=f"{BY_NAME[found.scheme].hits_formula}",
    )
    for percentile in PERCENTILES:
        yield Step(
            subject=found.scheme,
            name=f"{title}: p{100 * percentile:g}",
            formula="least t with sum of share x P(way takes longer than t) <= "
            f"{1 - percentile:.6g}, over the ways with shares "
            + ", ".join(f"{way.tier} {shown(way.share)}" for way in found.ways),
            value=_known(found.quantile_s[percentile][at] * US_PER_S),
            unit="µs",
            source="derived: percentile of the mixture",
        )


def _of_station(
    found: SchemeResponse, station: Station, title: str, at: int, rate: NamedRate
) -> Iterator[Step]:
    if station.mix is None or station.wait is None:
        return
    name, mix, wait = station.tier, station.mix, station.wait
    each = rate.accesses_per_s * (station.reads_per_access + station.writes_per_access)
    arrivals = each / station.devices
    read, write = station.busy_us
    reads = station.reads_per_access / (
        station.reads_per_access + station.writes_per_access
    )
    rows: tuple[tuple[str, str, float, str, str], ...] = (
        (
            "c",
            "latency of the mix / (1/IOPS of the mix), rounded, at least 1; reads "
            f"{shown(reads)}, 1/IOPS of a read {shown(read)} µs, of a write "
            f"{shown(write)} µs",
            float(station.servers),
            "1",
            LITTLE,
        ),
        (
            "s",
            f"c x 1/IOPS of the mix; c = {station.servers:,}",
            mix.mean_s * US_PER_S,
            "µs",
            LITTLE,
        ),
        (
            "cv^2",
            f"E[s^2] / s^2 - 1, of reads and writes with {mix.service} times",
            mix.scv,
            "1",
            "mixture of operations",
        ),
        (
            "lambda",
            f"X ({shown(station.reads_per_access)} reads + "
            f"{shown(station.writes_per_access)} writes) / {station.devices:,}; X = "
            f"{shown(rate.accesses_per_s)} accesses/s",
            arrivals,
            "1/s",
            BY_NAME[found.scheme].formula,
        ),
        (
            "rho",
            f"lambda s / c; lambda = {shown(arrivals)}/s, s = {shown(mix.mean_s * US_PER_S)} µs",
            float(wait.utilisation[at]),
            "1",
            "utilisation law, Denning and Buzen (1978)",
        ),
        (
            "W",
            "lambda E[s^2] / (2 (1 - rho))"
            if station.servers == 1
            else "(1 + cv^2) / 2 x C(c, rho) s / (c (1 - rho))",
            float(wait.mean_s[at]) * US_PER_S,
            "µs",
            KHINCHINE if station.servers == 1 else LEE,
        ),
        (
            "P(wait > t)",
            "P x exp(-theta (t - t0)); P = "
            f"{shown(float(wait.probability[at]))}, t0 = "
            f"{shown(float(wait.shift_s[at]) * US_PER_S)} µs, theta",
            float(wait.decay_per_s[at]) / US_PER_S,
            "1/µs",
            "Cramer and Lundberg" if station.servers == 1 else LEE,
        ),
    )
    for symbol, formula, value, unit, source in rows:
        yield Step(
            subject=found.scheme,
            name=f"{title}: {symbol} of {name}",
            formula=formula,
            value=_known(value),
            unit=unit,
            source=source,
        )


def _at(values: object, at: int) -> float:
    import numpy as np

    found = np.asarray(values, dtype=np.float64)
    return float(found if found.ndim == 0 else found[at])


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
