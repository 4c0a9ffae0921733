"""Three configurations around every comparison: no flash, everything in RAM, everything on flash.

They bound what a scheme can gain at the same workload, devices and prices. None of them is a scheme to choose:

* *no flash* is C0 at the RAM of the point;
* *everything in RAM* is C0 with RAM as large as the data, so only the misses of such a cache are left: the first
  touches from a cold start, nothing in the steady state; the disk keeps the data and is paid for;
* *everything on flash* is C0 with flash in place of the disk: every RAM miss reads flash, every dirty RAM victim is
  written there. All data lie on flash from the beginning, so the disk does no I/O, is not needed and not paid for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal

import numpy as np

from tierwright.common.answer import Step
from tierwright.common.wording import counted
from tierwright.evaluate.page_flow import engine
from tierwright.evaluate.page_flow.derivation import IO_TIME
from tierwright.evaluate.page_flow.explain import PAPER, service_meanings
from tierwright.evaluate.page_flow.results import (
    OuterBar,
    OuterBars,
    SchemeResult,
    ServiceTimes,
)
from tierwright.evaluate.page_flow.schemes import NO_FLASH
from tierwright.evaluate.page_flow.terms import TERM_NAMES
from tierwright.hardware.device import Device
from tierwright.hardware.prices import PriceBook
from tierwright.hardware.tier_prices import CostPart, _cost_parts
from tierwright.profile.curve import Curve

WITHOUT = "no_flash"
IN_RAM = "all_in_ram"
ON_FLASH = "all_on_flash"
TITLES: Mapping[str, str] = {
    WITHOUT: "No flash",
    IN_RAM: "Everything in RAM",
    ON_FLASH: "Everything on flash",
}
"""By name, in the order in which they are shown."""
SIZE_UNKNOWN = (
    "The size of the data was not stated, so everything in RAM and everything on flash "
    "are unknown."
)
WITH_DISK = "The disk keeps the data and is part of the cost."
WITHOUT_DISK = (
    "All data lie on flash: the disk is not needed and is not part of the cost."
)


def outer_bars(
    curve: Curve,
    none: SchemeResult,
    *,
    ram_pages: int,
    devices: tuple[Device | None, Device, Device],
    times: ServiceTimes,
    prices: PriceBook | None,
    amortisation_months: int,
) -> OuterBars:
    """Evaluate the configurations beside the schemes of one point.

    Parameters
    ----------
    curve : Curve
        Of the point, with write-backs.
    none : SchemeResult
        Scheme without flash at the point; where a replay counted it, *no flash* and *everything on flash*, which has
        the same RAM misses and victims, are of that replay.
    ram_pages : int
        r; flash that holds all data needs no directory, so no metadata are charged to it. [pages]
    devices : tuple
        RAM (for its price), flash and disk.
    times : ServiceTimes
        F_R, F_W, D_R, D_W.
    prices : PriceBook, optional
        For money.
    amortisation_months : int
        Months over which purchases are spread. [months]

    Notes
    -----
    ``C_none = m_r (D_R + p_d D_W)``, ``C_ram = m_D (D_R + p_D D_W)`` with m_D = misses(data) and
    p_D = write_backs(data) / m_D, ``C_flash = m_r (F_R + p_d F_W)``; growth g reads nothing: less g D_R or g F_R.
    """
    without = _bar(
        WITHOUT,
        (ram_pages, 0),
        accesses=curve.accesses,
        terms=none.cost_terms_us_per_access,
        reads=none.hdd_reads,
        writes=none.hdd_writes,
        parts=none.cost_parts,
        note=WITH_DISK,
    )
    counted = none.replayed
    if counted is not None:
        without = replace(
            without,
            io_time_us_per_access=counted.io_time_us_per_access,
            cost_terms_us_per_access=dict(counted.cost_terms_us_per_access),
            hdd_reads=counted.hdd_reads,
            hdd_writes=counted.hdd_writes,
            accesses=counted.accesses,
        )
    _, flash, disk = devices
    meanings = service_meanings(flash, disk, curve.page_bytes)
    disk_us = times.disk_read, times.disk_write
    steps = _steps(without, "m_r", "D", disk_us, meanings)
    if not curve.data_known:
        return OuterBars({WITHOUT: without}, SIZE_UNKNOWN, steps)
    data = curve.data_pages
    parts, _ = _cost_parts(curve, data, data, devices, prices, amortisation_months)
    nothing = np.asarray(0.0)
    flow = engine.flows(curve, np.asarray(float(data)), nothing, schemes=(NO_FLASH,))[
        NO_FLASH
    ]
    terms = engine.terms(NO_FLASH, flow, times).by_term
    missed = max(0.0, float(flow.counts.ram_misses) - flow.growth)
    written = float(flow.p_d * flow.counts.ram_misses)
    if curve.scaled is not None and curve.start == "steady":
        # All data of production are in RAM: what a recording cannot show of such sizes is known.
        missed, written, terms = 0.0, 0.0, {}
    in_ram = _bar(
        IN_RAM,
        (data, 0),
        accesses=curve.accesses,
        terms={name: float(value) / curve.accesses for name, value in terms.items()},
        reads=missed,
        writes=written,
        parts={"ram": parts["ram"], "disk": parts["disk"]},
        note=" ".join([WITH_DISK, *_about_misses(curve, missed)]),
    )
    on_flash = _on_flash(without, times, data, none.cost_parts["ram"], parts["flash"])
    flash_us = times.flash_read, times.flash_write
    return OuterBars(
        {WITHOUT: without, IN_RAM: in_ram, ON_FLASH: on_flash},
        None,
        (
            *steps,
            *_steps(in_ram, "m_D", "D", disk_us, meanings),
            *_steps(on_flash, "m_r", "F", flash_us, meanings),
        ),
    )


def _about_misses(curve: Curve, missed: float) -> Iterator[str]:
    """Say why RAM as large as the data misses, or where that is a bound."""
    if curve.ends_early and missed:
        yield (
            f"The curve ends at {counted(curve.last_listed, 'page')}: with more RAM there may be "
            "fewer misses, so the I/O time is at most this."
        )
    elif missed and curve.start == "cold":
        yield "The misses that are left are the first touches of the pages."
    elif missed and curve.given is None:
        yield (
            "The misses that are left are estimated first touches of pages that the "
            "recording does not contain."
        )


def _on_flash(
    without: OuterBar,
    times: ServiceTimes,
    data: int,
    ram: CostPart,
    flash: CostPart,
) -> OuterBar:
    """Put flash in the place of the disk of a configuration without flash."""
    return _bar(
        ON_FLASH,
        (without.ram_pages, data),
        accesses=without.accesses,
        terms={
            "flash_reads": without.hdd_reads * times.flash_read / without.accesses,
            "flash_write_backs": without.hdd_writes
            * times.flash_write
            / without.accesses,
        },
        reads=without.hdd_reads,
        writes=without.hdd_writes,
        parts={"ram": ram, "flash": flash},
        note=WITHOUT_DISK,
    )


def _bar(
    name: str,
    sizes: tuple[int, int],
    *,
    accesses: int,
    terms: Mapping[str, float],
    reads: float,
    writes: float,
    parts: Mapping[str, CostPart],
    note: str,
) -> OuterBar:
    """Make a bar whose RAM misses and dirty victims go to one device: flash if it has any, else the disk."""
    ram_pages, flash_pages = sizes
    amounts = [part.usd_per_month for part in parts.values()]
    reasons = [part.reason for part in parts.values() if part.reason]
    known = [amount for amount in amounts if amount is not None]
    flash = flash_pages > 0
    all_terms = {term: terms.get(term, 0.0) for term in TERM_NAMES}
    return OuterBar(
        name=name,
        title=TITLES[name],
        ram_pages=ram_pages,
        flash_pages=flash_pages,
        io_time_us_per_access=sum(all_terms.values()),
        cost_terms_us_per_access=all_terms,
        flash_reads=reads if flash else 0.0,
        flash_writes=writes if flash else 0.0,
        hdd_reads=0.0 if flash else reads,
        hdd_writes=0.0 if flash else writes,
        accesses=accesses,
        flash_writes_per_access=writes / accesses if flash else 0.0,
        cost_usd_per_month=None if reasons else sum(known, Decimal(0)),
        cost_parts=dict(parts),
        cost_reason="; ".join(dict.fromkeys(reasons)),
        note=note,
    )


_MEANINGS = {
    "m_r": "RAM misses that read, misses(r) less growth",
    "m_D": "misses that read with RAM as large as the data, misses(data) less growth",
}


def _steps(
    bar: OuterBar,
    misses: str,
    device: str,
    times_us: tuple[float, float],
    meanings: Mapping[str, str],
) -> tuple[Step, ...]:
    """Give the numbers put in, the two terms, and the whole."""
    flash = bar.flash_pages > 0
    reads = bar.flash_reads if flash else bar.hdd_reads
    writes = bar.flash_writes if flash else bar.hdd_writes
    read, write = f"{device}_R", f"{device}_W"
    read_us, write_us = times_us
    source = (
        f"{PAPER}, section 4.3: C0 with RAM of {counted(bar.ram_pages, 'page')}"
        f"{' and flash in place of the disk' if flash else ''}"
    )
    rows = (
        ("N", "accesses", bar.accesses, "accesses"),
        (misses, _MEANINGS[misses], reads, "accesses"),
        ("w", "dirty RAM victims", writes, "pages"),
        (read, meanings[read], read_us, "µs"),
        (write, meanings[write], write_us, "µs"),
        (
            "reads",
            f"{misses} {read} / N",
            reads * read_us / bar.accesses,
            "µs/access",
        ),
        (
            "writes",
            f"w {write} / N",
            writes * write_us / bar.accesses,
            "µs/access",
        ),
        (
            IO_TIME,
            f"({misses} {read} + w {write}) / N",
            bar.io_time_us_per_access,
            "µs/access",
        ),
    )
    return tuple(
        Step(name, formula, value, unit, source, bar.name)
        for name, formula, value, unit in rows
    )
