"""The steps of an answer about throughput."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from tierwright.advise.point import scheme_titles
from tierwright.common.answer import Step
from tierwright.common.derivation import shown
from tierwright.evaluate.page_flow.schemes import BY_NAME
from tierwright.evaluate.throughput import schemes
from tierwright.evaluate.throughput.schemes import (
    SchemeThroughput,
    Setting,
    ThroughputStudy,
)

MS_PER_S = 1000.0


def steps(setting: Setting, study: ThroughputStudy, at: int) -> Iterator[Step]:
    """Give every formula of a study at one point, with the numbers put in."""
    clients = int(study.points[at]) if study.varied == "clients" else setting.clients
    source = "Reiser and Lavenberg (1980); Denning and Buzen (1978)"
    counts = {
        "cpu": setting.cpus,
        "flash": setting.flash_devices,
        "disk": setting.disks,
    }
    first = dict(counts)
    if study.varied in ("disks", "flash_devices"):
        varied = "disk" if study.varied == "disks" else "flash"
        counts[varied], first[varied] = int(study.points[at]), int(study.points[0])
    waits = schemes.BeyondBusy(**study.inputs["waits_beyond_busy_us"])
    for name, found in study.schemes.items():
        title = scheme_titles()[name]
        demand = dict(zip(schemes.STATIONS, found.demands_s[at].tolist(), strict=True))
        terms = schemes.demand_terms(found, at, setting.accesses_per_transaction)
        for kind, seconds in demand.items():
            formula, given_terms = terms.get(
                kind, ("processor time of a transaction", ())
            )
            put_in = ", ".join(
                f"{number.symbol} = {shown(number.value)} {number.unit}"
                for number in given_terms
            )
            yield Step(
                subject=name,
                name=f"{title}: D_{kind}",
                formula=f"{formula}; {put_in}" if put_in else formula,
                value=seconds * MS_PER_S,
                unit="ms",
                source=f"{BY_NAME[name].formula}, an access; 1/IOPS of the devices",
            )
        given = f"N = {clients:,}, Z = {shown(setting.think_s * MS_PER_S)} ms"
        bounds = found.bounds
        one_of_each = ", ".join(f"D_{kind} / {counts[kind]:,}" for kind in demand)
        for result, formula, value, unit in (
            (
                "D",
                " + ".join(f"D_{kind}" for kind in demand),
                float(bounds.total_demand_s[at]) * MS_PER_S,
                "ms",
            ),
            (
                "D_max",
                f"max({one_of_each}), of the busiest device",
                float(bounds.largest_demand_s[at]) * MS_PER_S,
                "ms",
            ),
            ("W", *_delay(found, at, setting, waits)),
            (
                "N*",
                f"(D + W + Z) / D_max; Z = {shown(setting.think_s * MS_PER_S)} ms",
                float(bounds.knee_clients[at]),
                "clients",
            ),
            (
                "bound of X",
                f"min(1 / D_max, N / (D + W + Z)); {given}",
                float(bounds.throughput_per_s[at]),
                "1/s",
            ),
            (
                "X",
                "X(n) = n / (Z + W + sum R_k(n)), R_k(n) = D_k (1 + Q_k(n-1)), "
                f"Q_k(n) = X(n) R_k(n), over all devices k, each with D_k of {one_of_each}; {given}",
                float(found.throughput_per_s[at]),
                "1/s",
            ),
            (
                "R",
                f"W + sum of R_k(N) = N / X - Z; {given}",
                float(found.response_s[at]) * MS_PER_S,
                "ms",
            ),
            *(
                (f"U_{kind}", f"X D_{kind} / {counts[kind]:,}", busy, "1")
                for kind, busy in zip(
                    schemes.STATIONS, found.utilisation[at].tolist(), strict=True
                )
            ),
            (
                "knee in disks",
                _knee_formula(found, first, study.varied),
                _finite(study.knee_disks[name]),
                "disks",
            ),
            *_ends(found, at),
        ):
            yield Step(
                subject=name,
                name=f"{title}: {result}",
                formula=formula,
                value=value if math.isfinite(value) else None,
                unit=unit,
                source=source,
            )


def _delay(
    found: SchemeThroughput, at: int, setting: Setting, waits: schemes.BeyondBusy
) -> tuple[str, float, str]:
    formula, numbers = schemes.delay_terms(
        found, at, setting.accesses_per_transaction, waits
    )
    put_in = ", ".join(
        f"{number.symbol} = {shown(number.value)} {number.unit}" for number in numbers
    )
    return f"{formula}; {put_in}", float(found.delay_s[at]) * MS_PER_S, "ms"


def _knee_formula(
    found: SchemeThroughput, devices: Mapping[str, int], varied: str
) -> str:
    ms = {
        kind: f"{shown(seconds * MS_PER_S)} ms"
        for kind, seconds in zip(
            schemes.STATIONS, found.demands_s[0].tolist(), strict=True
        )
    }
    others = [kind for kind in ms if kind != "disk"]
    symbols = ", ".join(f"D_{kind} / {devices[kind]:,}" for kind in others)
    numbers = ", ".join(f"{ms[kind]} / {devices[kind]:,}" for kind in others)
    where = "" if varied == "clients" else ", at the first point"
    return f"D_disk / max({symbols}){where} = {ms['disk']} / max({numbers})"


def _finite(value: float | None) -> float:
    return math.nan if value is None else value


def _ends(found: SchemeThroughput, at: int) -> Iterator[tuple[str, str, float, str]]:
    if found.throughput_range_per_s is None:
        return
    for name, end in zip(("least", "most"), found.throughput_range_per_s, strict=True):
        yield (
            f"X, {name}",
            f"as X, with flash hits off by their known error; {found.estimator}: "
            f"{found.exactness}",
            float(end[at]),
            "1/s",
        )
