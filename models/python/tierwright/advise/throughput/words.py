"""The answer about throughput in words."""

from __future__ import annotations

import math

from tierwright.advise.point import scheme_titles
from tierwright.common.ties import at_both_ends, leaders
from tierwright.common.wording import listed, percent, three_digits
from tierwright.evaluate.page_flow.schemes import TIE_ORDER
from tierwright.evaluate.throughput import schemes
from tierwright.evaluate.throughput.schemes import SchemeThroughput, ThroughputStudy

MS_PER_S = 1000.0
BUSY = {
    "cpu": "the processors are {} busy",
    "flash": "flash is {} busy",
    "disk": "the disks are {} busy",
}
_LIMITS = {
    None: "nothing limits",
    "clients": "the number of clients limits",
    "cpu": "the processors limit",
    "flash": "flash limits",
    "disk": "the disks limit",
}
UNITS = {
    "clients": ("client", "clients"),
    "disks": ("disk", "disks"),
    "flash_devices": ("flash device", "flash devices"),
    "flash_pages": ("page of flash", "pages of flash"),
}
TIE = 1e-3
LEAST_ADDED = 1e-3
"""Share of throughput that is not worth a word."""


def busiest(found: SchemeThroughput, at: int) -> str | None:
    """Kind of device that a transaction asks for most busy time; None where it asks for none."""
    if not math.isfinite(float(found.bounds.max_throughput_per_s[at])):
        return None
    return schemes.STATIONS[int(found.bounds.bottleneck[at])]


def _rate(value: float) -> str:
    if not math.isfinite(value):
        return "without bound"
    return f"{three_digits(value)} transactions/s"


def _leaders(study: ThroughputStudy, at: int) -> list[str]:
    """Schemes within a thousandth of the best, the best first."""
    best = study.best[at]
    most = float(study.schemes[best].throughput_per_s[at])
    near = [
        name
        for name, found in study.schemes.items()
        if name != best and float(found.throughput_per_s[at]) >= most * (1 - TIE)
    ]
    return [best, *near]


def leading_ends(
    least: ThroughputStudy, most: ThroughputStudy, at: int
) -> tuple[str, str]:
    """Return who leads at either end: the same scheme where one leads at both."""
    if least is most:
        return most.best[at], most.best[at]
    first, second = (
        leaders(
            {
                name: float(found.throughput_per_s[at])
                for name, found in study.schemes.items()
                if not math.isnan(found.throughput_per_s[at])
            },
            TIE_ORDER,
            tolerance=TIE,
            most=True,
        )
        for study in (least, most)
    )
    return at_both_ends(first, second)


def _as_good(study: ThroughputStudy, at: int) -> list[str]:
    """Schemes behind that may reach as much as the best within the known error of either."""
    ahead = _leaders(study, at)
    least = _ends_of(study.schemes[ahead[0]], at)[0]
    return [
        name
        for name, found in study.schemes.items()
        if name not in ahead and _ends_of(found, at)[1] >= least
    ]


def contenders(study: ThroughputStudy, at: int) -> list[str]:
    """Name the schemes that the model cannot tell apart; empty where the lead is clear."""
    near = _as_good(study, at)
    return [*_leaders(study, at), *near] if near else []


def _ends_of(found: SchemeThroughput, at: int) -> tuple[float, float]:
    """Least and most throughput [1/s] by the known error of the hits."""
    rates = found.throughput_range_per_s
    if rates is None:
        return float(found.throughput_per_s[at]), float(found.throughput_per_s[at])
    return float(rates[0][at]), float(rates[1][at])


def _clients(knee: float) -> str:
    """Clients from which on the devices could be the limit.

    Examples
    --------
    >>> _clients(0.4), _clients(1.2)
    ('1 client', '2 clients')
    """
    whole = math.ceil(knee)
    return f"{whole:,} {UNITS['clients'][whole != 1]}"


def _listed(names: list[str]) -> str:
    return listed([scheme_titles()[name] for name in names])


def finding(study: ThroughputStudy, at: int) -> str:
    """Say which scheme reaches most, and what limits it."""
    ahead = _leaders(study, at)
    found = study.schemes[ahead[0]]
    rate = _rate(float(found.throughput_per_s[at]))
    near = _as_good(study, at)
    if near:
        return f"{_listed([*ahead, *near])} are too close to call at about {rate}; {_by(found, at, several=True)}"
    names = _listed(ahead)
    verb = "reach" if len(ahead) > 1 else "reaches"
    return f"{names} {verb} {rate}; {_by(found, at, several=len(ahead) > 1)}"


def _by(found: SchemeThroughput, at: int, *, several: bool) -> str:
    whom = "them" if several else "it"
    return f"{_LIMITS[found.limit[at]]} {whom}"


def range_finding(least: ThroughputStudy, most: ThroughputStudy, at: int) -> str:
    """Say it at both ends of an unknown dirty share."""
    few, many = leading_ends(least, most, at)

    def ends(name: str) -> str:
        low = float(most.schemes[name].throughput_per_s[at])
        high = float(least.schemes[name].throughput_per_s[at])
        return f"{_rate(low)} to {_rate(high)}"

    if few == many:
        return (
            f"{scheme_titles()[many]} reaches {ends(many)}, depending on how many evicted pages are "
            "dirty, which the curve does not say"
        )
    return (
        "Which scheme reaches the highest throughput depends on how many evicted "
        f"pages are dirty, which the curve does not say: {scheme_titles()[few]} if "
        f"none is ({ends(few)}), {scheme_titles()[many]} if as many as possible are "
        f"({ends(many)})"
    )


def range_sentence(
    clients: int,
    least: ThroughputStudy,
    most: ThroughputStudy,
    at: int,
    disk_name: str,
) -> str:
    """Say how long clients wait at both ends of an unknown dirty share."""
    return (
        f"If no evicted page is dirty: {sentence(clients, least, at, disk_name)} If as many "
        f"evicted pages as possible are dirty: {sentence(clients, most, at, disk_name)}"
    )


def sentence(clients: int, study: ThroughputStudy, at: int, disk_name: str) -> str:
    """Say how long clients wait, and what more of them would add."""
    best = study.best[at]
    found = study.schemes[best]
    title = scheme_titles()[best]
    most_asked = busiest(found, at)
    if most_asked is None:
        return (
            f"{title} needs no device at all here, so nothing bounds its "
            "throughput; enter the processor time of a transaction."
        )
    index = schemes.STATIONS.index(most_asked)
    busy = min(float(found.utilisation[at, index]), 1.0)
    knee = float(found.bounds.knee_clients[at])
    most = float(found.bounds.max_throughput_per_s[at])
    response = float(found.response_s[at]) * MS_PER_S
    unit = UNITS["clients"][clients != 1]
    text = (
        f"With {clients:,} {unit} {title} responds in {three_digits(response)} ms; "
        f"{BUSY[most_asked].format(percent(busy))}. "
    )
    if found.limit[at] == schemes.CLIENTS:
        text += (
            f"The knee is at {_clients(knee)}: with at least that many, throughput "
            f"could reach {_rate(most)}, the limit of the devices."
            if clients < knee
            else f"The knee is at {_clients(knee)}: more clients would still add "
            f"throughput, up to {_rate(most)}."
        )
    else:
        text += (
            f"The knee is at {_clients(knee)}: more clients would add at most "
            f"{percent(1 / busy - 1)} of throughput, and wait longer."
            if 1 / busy - 1 >= LEAST_ADDED
            else f"The knee is at {_clients(knee)}: more clients would only wait longer."
        )
    disks = study.knee_disks[best]
    if found.limit[at] == "disk" and disks is not None and math.isfinite(disks):
        text += (
            f" It takes {math.floor(disks) + 1:,} of {disk_name} before another device is the "
            "busiest."
        )
    return text


def close_sentence(study: ThroughputStudy, at: int) -> str:
    """Say what the model leaves open; nothing where the lead is clear."""
    near = _as_good(study, at)
    return (
        f"Within the known error of their approximation, {_listed(near)} may reach as "
        "much: decide by replay."
        if near
        else ""
    )
