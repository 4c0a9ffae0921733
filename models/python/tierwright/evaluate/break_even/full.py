"""Break-even of flash and DRAM with what Eq 1 leaves out: flash writes, dirty traffic, old versions.

Source: derived from Kang, Lee and Moon (2016), section 2.3, with the counts of the workload's
own hit-ratio and write-back curves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.checks import broadcast
from tierwright.common.derivation import Derivation, Number, plain
from tierwright.common.errors import BadInput
from tierwright.evaluate.break_even.gains import (
    FullGains,
    PageCosts,
    about_metadata,
    check_old_share,
    flash_gain_terms,
    least_flash,
    most_gain,
)
from tierwright.evaluate.break_even.theta import check_base
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.profile.curve import Curve

FULL_VALIDITY = (
    "LRU in both tiers, from a cold start; flash hits are the hits of one "
    "LRU of RAM plus effective flash; a victim is staged when it is absent "
    "from flash or dirty; no scheme has that capacity with those writes, "
    "`schemes` has what each needs; the share of old versions is the same "
    "at every size"
)
_SOURCE = "derived from Kang, Lee and Moon (2016), section 2.3"


@dataclass(frozen=True, slots=True)
class FullTheta:
    """Break-even with flash writes, dirty traffic and old versions.

    Attributes
    ----------
    delta : float64 array
        Added DRAM in multiples of the existing DRAM. [1]
    dram_gain : float64 array
        Time an access that the DRAM step saves. [time]
    theta : float64 array
        Least flash in multiples of the existing DRAM that saves as much; NaN where none
        does. [1]
    reachable : bool array
        Whether any flash does.
    most_flash_gain : float
        Most time an access that flash of any size saves; negative where staging costs more
        than every hit spares. [time]
    old_share : float
        Share of flash that holds old versions, as used. [1]
    estimator, validity : str
        What was used and where it holds.
    warnings : tuple of Caution
        What to know before acting on it.
    derivation : tuple of Derivation
        Formula, numbers, source.
    """

    delta: FloatArray
    dram_gain: FloatArray
    theta: FloatArray
    reachable: NDArray[np.bool_]
    most_flash_gain: float
    old_share: float
    estimator: str
    validity: str
    warnings: tuple[Caution, ...]
    derivation: tuple[Derivation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; an unreachable theta is None."""
        found: dict[str, Any] = plain(self)
        return found


def flash_gain(
    flash_hits: ArrayLike,
    dirty_evictions: ArrayLike,
    write_reduction: ArrayLike,
    flash_writes: ArrayLike,
    costs: PageCosts,
) -> FloatArray:
    """Time an access that a flash cache saves: h_f (C_dr - C_fr) + E_d WR C_dw - a C_fw.

    Parameters
    ----------
    flash_hits : array_like
        h_f, flash hits per access. [1]
    dirty_evictions : array_like
        E_d, dirty pages leaving RAM per access. [1]
    write_reduction : array_like
        WR, share of the disk writes that flash spares; at most 1, may be negative. [1]
    flash_writes : array_like
        a, pages written to flash per access. [1]
    costs : PageCosts
        [time]

    Returns
    -------
    float64 array
        Broadcast shape; negative where staging costs more than the hits spare. [time]

    Raises
    ------
    BadInput
        If a number is out of its domain.

    Examples
    --------
    >>> costs = PageCosts(disk_read=10, disk_write=12, flash_read=1, flash_write=2)
    >>> round(float(flash_gain(0.3, 0.1, 0.5, 0.4, costs)), 9)  # 2.7 + 0.6 - 0.8
    2.5
    """
    v = broadcast(
        "flash gain",
        amounts={"flash_writes": flash_writes},
        shares={"flash_hits": flash_hits, "dirty_evictions": dirty_evictions},
    )
    reduction = np.asarray(write_reduction, dtype=np.float64)
    if not np.all(np.isfinite(reduction) & (reduction <= 1)):
        raise BadInput(
            f"flash gain: write_reduction: `{reduction}` must be finite, at most 1",
            "1 - disk writes / dirty evictions",
        )
    return np.asarray(
        v["flash_hits"] * (costs.disk_read - costs.flash_read)
        + v["dirty_evictions"] * reduction * costs.disk_write
        - v["flash_writes"] * costs.flash_write
    )


def dram_gain(
    hits_gained: ArrayLike, dirty_evictions_spared: ArrayLike, costs: PageCosts
) -> FloatArray:
    """Time an access that more DRAM saves: dH C_dr + dE_d C_dw. [time]

    Parameters
    ----------
    hits_gained, dirty_evictions_spared : array_like
        Per access, in [0, 1]. [1]
    costs : PageCosts
        [time]

    Raises
    ------
    BadInput
        If a share is outside [0, 1].

    Examples
    --------
    >>> costs = PageCosts(disk_read=10, disk_write=12, flash_read=1, flash_write=2)
    >>> round(float(dram_gain(0.1, 0.05, costs)), 9)
    1.6
    """
    v = broadcast(
        "DRAM gain",
        shares={
            "hits_gained": hits_gained,
            "dirty_evictions_spared": dirty_evictions_spared,
        },
    )
    return np.asarray(
        v["hits_gained"] * costs.disk_read
        + v["dirty_evictions_spared"] * costs.disk_write
    )


def gains_from_curve(
    curve: Curve,
    base_pages: float,
    flash_pages: ArrayLike,
    costs: PageCosts,
    *,
    old_share: float = 0.0,
) -> FloatArray:
    """Time an access that flash of each size saves, with the counts of the curves.

    h_f = [misses(B) - misses(B + e)] / N with e = f (1 - old share);
    E_d WR = [wb(B) - wb(B + e)] / N; a = [misses(B) - h_f N + p_d h_f N] / N with
    p_d = wb(B) / misses(B): a victim is written when it is absent from flash or dirty.

    Parameters
    ----------
    curve : Curve
        With write-backs.
    base_pages : float
        B, the DRAM. [pages]
    flash_pages : array_like
        f; 0 gains nothing. [pages]
    costs : PageCosts
        [time]
    old_share : float
        Share of flash that holds old versions, below 1. [1]

    Returns
    -------
    float64 array
        Shape of `flash_pages`; not falling with it beyond 0. [time]

    Raises
    ------
    BadInput
        If a size is out of range or the curve has no write-backs.
    """
    check_base(curve, base_pages)
    check_old_share(old_share)
    pages = broadcast("flash gain", amounts={"flash_pages": flash_pages})["flash_pages"]
    total = base_pages + pages * (1 - old_share)
    return np.where(pages > 0, _gain_at(curve, base_pages, total, costs), 0.0)


def full_theta(
    curve: Curve,
    base_pages: float,
    delta: ArrayLike,
    costs: PageCosts,
    *,
    old_share: float = 0.0,
    flash_metadata: MetadataPreset | None = None,
) -> FullTheta:
    """Least flash that saves as much time as a DRAM step, writes included.

    G_dram = dH C_dr + dE_d C_dw; G_flash as `gains_from_curve`. Both are straight between
    the listed sizes, so the root is exact on the curve.

    Parameters
    ----------
    curve : Curve
        With write-backs.
    base_pages : float
        B, the existing DRAM; above 0. [pages]
    delta : array_like
        Added DRAM in multiples of B; any shape. [1]
    costs : PageCosts
        [time]
    old_share : float
        Share of flash that holds old versions (Table 5: 0.083 to 0.588). [1]
    flash_metadata : MetadataPreset, optional
        Its metadata are taken out of B; without it nothing is charged.

    Returns
    -------
    FullTheta

    Raises
    ------
    BadInput
        If an input is out of its domain or the curve has no write-backs.
    """
    steps = broadcast("full break-even", amounts={"delta": delta})["delta"]
    check_base(curve, base_pages)
    check_old_share(old_share)
    accesses = curve.accesses
    more = (1 + steps) * base_pages
    hits = np.maximum(curve.misses(base_pages) - curve.misses(more), 0.0) / accesses
    spared = (
        np.maximum(curve.write_backs(base_pages) - curve.write_backs(more), 0.0)
        / accesses
    )
    wanted = dram_gain(hits, spared, costs)
    gains = FullGains(curve, base_pages, costs, old_share, flash_metadata)
    theta = least_flash(gains, wanted) / base_pages
    most = most_gain(gains)
    formula, at_theta = flash_gain_terms(gains, theta * base_pages)
    return FullTheta(
        delta=steps,
        dram_gain=wanted,
        theta=theta,
        reachable=np.isfinite(theta),
        most_flash_gain=most,
        old_share=old_share,
        estimator="full form from the LRU hit-ratio and write-back curves",
        validity=FULL_VALIDITY,
        warnings=(*_about(most, theta), *about_metadata(flash_metadata)),
        derivation=(
            Derivation(
                "dram_gain",
                wanted,
                "time",
                "dH C_dr + dE_d C_dw",
                (
                    Number("dH", hits, "1", "hits gained per access"),
                    Number("dE_d", spared, "1", "write-backs saved per access"),
                    Number("C_dr", costs.disk_read, "time", "disk read"),
                    Number("C_dw", costs.disk_write, "time", "disk write"),
                ),
                _SOURCE,
            ),
            Derivation(
                "theta",
                theta,
                "1",
                f"least theta with dram_gain <= {formula}, "
                "T = R + theta B (1 - old share)",
                (
                    Number("dram_gain", wanted, "time", "of the DRAM step"),
                    Number("theta", theta, "1", "flash / existing DRAM"),
                    Number("old share", old_share, "1", "flash lost to old versions"),
                    *at_theta,
                ),
                _SOURCE,
            ),
        ),
    )


def _gain_at(
    curve: Curve, base_pages: float, total: FloatArray, costs: PageCosts
) -> FloatArray:
    """Gain of flash that makes RAM and flash one LRU of `total` pages. [time]"""
    misses = float(curve.misses(base_pages))
    backs = float(curve.write_backs(base_pages))
    p_d = float(curve.dirty_share(base_pages))
    hits = misses - curve.misses(total)
    spared = backs - curve.write_backs(total)
    staged = misses - hits + p_d * hits
    gain = (
        hits * (costs.disk_read - costs.flash_read)
        + spared * costs.disk_write
        - staged * costs.flash_write
    )
    return np.asarray(gain / curve.accesses)


def _about(most: float, theta: FloatArray) -> tuple[Caution, ...]:
    if most <= 0:
        return (
            Caution(
                "staging_costs_more",
                "flash of any size costs more in staging writes than its hits save",
                "admit fewer pages, or choose a device with cheaper (sequential) writes",
            ),
        )
    if not np.all(np.isfinite(theta)):
        return (
            Caution(
                "unreachable",
                "no amount of flash saves as much as some of the DRAM steps",
                "choose DRAM for these steps",
            ),
        )
    return ()
