"""Clean-only admission to flash: its formula on the counts of a replay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tierwright.common.cautions import Caution
from tierwright.common.derivation import Derivation, Number
from tierwright.evaluate.page_flow.costs import clean_only_cost
from tierwright.hardware.device import OPERATIONS, Device
from tierwright.hardware.service_time import service_us
from tierwright.simulate.priced import price

TITLE = "lazy with clean-only admission"
CLEAN_ONLY_GAP = 0.05
"""Gap between formula and replay of clean-only admission from which it is warned of."""


@dataclass(frozen=True, slots=True)
class CleanOnlyCost:
    """What the formula of lazy with clean-only admission makes of measured counts.

    Attributes
    ----------
    io_time_us_per_access : float
        C3_clean over the accesses. [µs]
    gap : float
        Of the priced replay; positive: the formula is dearer. [1]
    p_d : float
        Dirty share of the RAM victims of all RAM misses, measured. [1]
    q : float
        h_f / m_r, what the formula takes for the share of the clean RAM victims that flash
        still holds. [1]
    measured_q : float
        That share, measured; 0 where no RAM victim was clean. [1]
    measured_us_per_access : float
        C3_clean with the measured share over the accesses. [µs]
    measured_gap : float
        Of the priced replay. Never negative: what is left is the RAM misses that filled an
        empty frame. [1]
    estimator : str
        How the shares were found.
    warnings : tuple of Caution
        `clean_only_gap` where the gap is more than 5 %, to either side.
    derivation, measured_derivation : Derivation
        Formula, numbers, source; with q, and with the measured share.
    """

    io_time_us_per_access: float
    gap: float
    p_d: float
    q: float
    measured_q: float
    measured_us_per_access: float
    measured_gap: float
    estimator: str
    warnings: tuple[Caution, ...]
    derivation: Derivation
    measured_derivation: Derivation


def clean_only(
    counters: Mapping[str, Any], *, flash: Device | None, disk: Device | None
) -> CleanOnlyCost | None:
    """Apply the formula of clean-only admission to a replay's own counts.

    No curve gives these counts, so the formula is told beside a replay only. It differs from
    it for two reasons. Its q = h_f / m_r is not the share of the *clean* RAM victims that flash
    still holds: pages that are read and others that are written make the formula dearer, pages
    that are read and then written make it cheaper. And RAM misses that fill an empty frame evict
    nothing. With the measured share only the second is left.

    Parameters
    ----------
    counters : mapping
        A result of `replay`.
    flash, disk : Device or None
        As in `price`.

    Returns
    -------
    CleanOnlyCost or None
        None for another scheme or rule, with flash pages of several RAM pages, or where a
        device or a time of it is missing.
    """
    if (
        counters.get("scheme") != "lazy"
        or counters.get("admission") != "clean_only"
        or counters.get("blocks")
        or flash is None
        or disk is None
    ):
        return None
    priced = price(counters, flash=flash, disk=disk)
    page_bytes = int(counters["page_bytes"])
    times = {
        f"{tier}_{operation}": service_us(device, operation, page_bytes)
        for tier, device in (("flash", flash), ("disk", disk))
        for operation in OPERATIONS
    }
    known = {name: time for name, time in times.items() if time is not None}
    if not priced.io_time_us_per_access or len(known) < len(times):
        return None
    hits, misses = counters["flash_hits"], counters["flash_misses"]
    accesses = int(counters["accesses"])
    dirty = counters["ram_dirty_evictions"]
    clean = counters["ram_evictions"] - dirty
    # A dirty victim found on flash is refused, which drops the copy.
    held = counters["victims_found_on_flash"] - counters["flash_invalidations"]
    p_d, q = dirty / (hits + misses), hits / (hits + misses)
    measured_q = held / clean if clean else 0.0

    def each(share: float) -> float:
        whole = float(clean_only_cost(hits, misses, p_d=p_d, q=share, **known))
        return whole / accesses

    def derived(name: str, used: Number) -> Derivation:
        return Derivation(
            name,
            each(used.value),
            "µs per access",
            f"(m_r [p_d D_W + (1 - p_d)(1 - {used.symbol}) F_W] + h_f F_R + m_f D_R) / N",
            (
                Number("m_r", hits + misses, "accesses", "RAM misses, replayed"),
                Number("h_f", hits, "accesses", "flash hits, replayed"),
                Number("m_f", misses, "accesses", "flash misses, replayed"),
                used,
                Number("p_d", p_d, "1", "dirty RAM victims / m_r, replayed"),
                Number("F_R", known["flash_read"], "µs", "flash read"),
                Number("F_W", known["flash_write"], "µs", "flash write"),
                Number("D_R", known["disk_read"], "µs", "disk read"),
                Number("D_W", known["disk_write"], "µs", "disk write"),
                Number("N", accesses, "accesses", "of the trace"),
            ),
            "derived from Koltsidas and Viglas (2009), Eq 3",
        )

    gap = each(q) / priced.io_time_us_per_access - 1
    measured_gap = each(measured_q) / priced.io_time_us_per_access - 1
    return CleanOnlyCost(
        each(q),
        gap,
        p_d,
        q,
        measured_q,
        each(measured_q),
        measured_gap,
        "q: h_f / m_r; measured: clean RAM victims found on flash / clean RAM victims",
        _about_gap(gap, q, measured_q, measured_gap),
        derived("C3_clean / N", Number("q", q, "1", "h_f / m_r")),
        derived(
            "C3_clean / N, measured share",
            Number(
                "q_c", measured_q, "1", "clean RAM victims found on flash / clean ones"
            ),
        ),
    )


def _about_gap(
    gap: float, q: float, measured_q: float, measured_gap: float
) -> tuple[Caution, ...]:
    if abs(gap) <= CLEAN_ONLY_GAP:
        return ()
    side = "higher" if gap > 0 else "lower"
    return (
        Caution(
            "clean_only_gap",
            f"the formula for clean-only admission is {abs(gap):.1%} {side} than its "
            f"replay: it assumes that flash still holds {q:.1%} of the clean RAM victims, "
            f"where {measured_q:.1%} were measured",
            "rely on the replay; with the measured share, the formula is "
            f"{abs(measured_gap):.1%} {'above' if measured_gap >= 0 else 'below'} it",
        ),
    )
