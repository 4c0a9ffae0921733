"""What to know before relying on response times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tierwright.advise.response.rows import Jump, lacks_latency
from tierwright.advise.response.words import NAMES, READ, TIERS
from tierwright.common.cautions import Caution
from tierwright.common.wording import duration_us, percent
from tierwright.evaluate.response.schemes import (
    ONE_AT_A_TIME,
    Hierarchy,
    SchemeResponse,
    Station,
)
from tierwright.evaluate.response.schemes import (
    TIERS as BOTH,
)
from tierwright.hardware.device import Device

NEAR_FULL = 0.8
"""Utilisation from which a little more load makes waits much longer. [1]"""


def about(
    found: SchemeResponse, at: int, hierarchy: Hierarchy, jumps: Sequence[Jump]
) -> Iterator[Caution]:
    """Warn of what the response times of a scheme rest on, at one rate.

    Parameters
    ----------
    found : SchemeResponse
        The scheme in question.
    at : int
        Index of the rate.
    hierarchy : Hierarchy
        Devices, and what an access waits for.
    jumps : sequence of Jump
        Of it.
    """
    used = {
        tier: station
        for tier in BOTH
        if (station := found.stations[tier]).mix is not None
    }
    for tier, station in used.items():
        yield from _about_latency(station, hierarchy.of(tier)[0], hierarchy)
    if used:
        yield from _about_assumptions(found, hierarchy)
    for jump in jumps:
        if jump.is_near:
            yield _near(jump)
    for tier, station in used.items():
        busy = 0.0 if station.wait is None else float(station.wait.utilisation[at])
        if NEAR_FULL <= busy < 1:
            yield Caution(
                "near_saturation",
                f"{TIERS[tier]} is busy for {percent(busy)} of the time, where waits grow fast "
                "with the rate",
                "plan with the rate of the busiest hour, or add a device",
                about=(hierarchy.of(tier)[0].id,),
            )


def _about_latency(
    station: Station, device: Device, hierarchy: Hierarchy
) -> Iterator[Caution]:
    if station.reads_per_access == 0 or not lacks_latency(station, hierarchy):
        return
    busy = duration_us(station.busy_us[0])
    if device.kind == ONE_AT_A_TIME:
        yield Caution(
            "latency_unknown",
            f"`{device.id}` states no time of one request alone: a read alone is assumed to take "
            f"1/IOPS, {busy}, which is shorter where the IOPS are those of a queue that the disk "
            "reorders",
            "add seek and rotation to a copy of the device",
            about=(device.id,),
        )
        return
    yield Caution(
        "latency_unknown",
        f"`{device.id}` states no latency of a read, so how many requests it serves at once is "
        f"unknown: one at a time is assumed, and a read alone to take 1/IOPS, {busy}; one request "
        "alone takes longer",
        "add read_latency_us and write_latency_us to a copy of the device",
        about=(device.id,),
    )


def _about_assumptions(
    found: SchemeResponse, hierarchy: Hierarchy
) -> Iterator[Caution]:
    yield Caution(
        "arrivals_assumed_poisson",
        "accesses are assumed to arrive independently of each other, as a Poisson process; a "
        "workload that arrives in bursts waits longer",
        "replay the trace on simulated time with its own arrival times",
    )
    if hierarchy.service == "constant":
        yield Caution(
            "service_times_constant",
            "every read, and every write, is assumed to take its stated time; real times vary, "
            "and the waits grow with their variance",
            "compare with exponential service times",
        )
    writes = sum(each.writes_per_access for each in found.stations.values())
    if writes == 0:
        return
    if hierarchy.writes == "background":
        yield Caution(
            "writes_in_background",
            "writes that a miss causes are assumed to be made in the background: they keep "
            "devices busy, and the access does not wait for them",
            "state that writes are waited for where the system evicts in the foreground",
        )
    else:
        yield Caution(
            "writes_are_waited_for",
            "an access waits for the writes that its miss causes, one after the other",
            "state that writes are made in the background where a cleaner makes them",
        )


def _near(jump: Jump) -> Caution:
    return Caution(
        "percentile_near_jump",
        f"{NAMES[jump.percentile]} is about to jump from {READ[jump.tier]} to "
        f"{READ[jump.other_tier]}: {percent(jump.share)} of the accesses decide it, and it jumps "
        f"at {percent(jump.threshold)}",
        "read a percentile on either side of it too, or plan with the mean",
        could_change_choice=False,
        effect=f"on the other side of the jump the access takes {'at least ' if jump.is_at_least else ''}"
        f"{duration_us(jump.other_us)} alone"
        if jump.other_us > 0
        else "on the other side of the jump the access takes no time",
    )
