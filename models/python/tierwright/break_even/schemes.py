"""Break-even of each page-flow scheme: its own writes with its own effective capacity.

The full form in `tierwright.break_even.full` joins the writes of lazy with the capacity of
exclusive, which no scheme has: a bound. Here every scheme is charged what it does:

    G_dram(D)   = T_none(B) - T_none(B + D)
    G_k(F)      = T_none(B) - T_k(B, F),        k a scheme with flash
    theta_k     = least F / B with G_k(F) >= G_dram(D)

with T_k = [h_f C_fr + w_k C_fw + m_f C_dr + wb(held) C_dw] / N from the counts of
`tierwright.page_flow`, w_k being the flash writes that a replay counts: evictions of RAM
(exclusive), m_f + wb(B) (inclusive), `lazy_flash_writes` (lazy). Source: derived from
Koltsidas and Viglas (2009), sections 3.2 to 3.5, and Kang, Lee and Moon (2016), section 2.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tierwright.break_even.gains import (
    BISECTIONS,
    NEXT_FLOATS,
    SAME,
    PageCosts,
    check_old_share,
    frames_left,
)
from tierwright.break_even.theta import check_base
from tierwright.derivation import plain
from tierwright.errors import BadInput
from tierwright.hit_ratio import Curve, FloatArray
from tierwright.metadata import MetadataPreset
from tierwright.page_flow.checks import broadcast
from tierwright.page_flow.counts import SCHEMES, TIE_ORDER, TierCounts, hits_kernel
from tierwright.page_flow.explain import error_band
from tierwright.page_flow.lazy_writes import ESTIMATE_OFF, lazy_flash_writes

FLASH_SCHEMES = tuple(scheme for scheme in SCHEMES if scheme != "none")
SCHEME_VALIDITY = (
    "LRU in both tiers, from the start of the curve; counts of `exclusive` and "
    "`inclusive_global` are exact from a cold start, those of `inclusive` and `lazy` lie "
    "within their known error, which `theta_least` and `theta_most` stand for"
)
_PER_KNOT = 4
"""Sizes looked at between two of the curve where metadata may make the gain fall."""
_OCTAVES, _LOOKS = 24, 97
"""Otherwise four sizes an octave, below the size at which flash holds everything."""


@dataclass(frozen=True, slots=True)
class SchemeGains:
    """Time an access under one scheme, and what DRAM or flash saves of it.

    Attributes
    ----------
    curve : Curve
        With write-backs.
    base_pages : float
        B, the DRAM there is. [pages]
    costs : PageCosts
        [time]
    scheme : str
        One of `FLASH_SCHEMES`.
    old_share : float
        Share of flash that holds old versions, below 1. [1]
    flash_metadata : MetadataPreset or None
        Its metadata are taken out of B; None charges nothing.
    off : float
        Share of the known error to take in favour of flash, from -1 to 1: of the flash hits,
        and of the pages that lazy writes. [1]
    """

    curve: Curve
    base_pages: float
    costs: PageCosts
    scheme: str
    old_share: float = 0.0
    flash_metadata: MetadataPreset | None = None
    off: float = 0.0

    def without(self, ram_pages: ArrayLike) -> FloatArray:
        """Time an access of RAM over disk: C0 / N. [time]"""
        ram = np.asarray(ram_pages, dtype=np.float64)
        curve, costs = self.curve, self.costs
        time = (
            curve.misses(ram) * costs.disk_read
            + curve.write_backs(ram) * costs.disk_write
        )
        return np.asarray(time / curve.accesses)

    def time(self, flash_pages: ArrayLike) -> FloatArray:
        """Time an access with flash beside the DRAM there is: T_k(B, F). [time]

        NaN where the metadata leave no page of RAM; C0 where there is no flash.
        """
        curve, costs = self.curve, self.costs
        flash = np.asarray(flash_pages, dtype=np.float64)
        left = frames_left(curve, self.base_pages, flash, self.flash_metadata)
        ram = np.maximum(left, 0.0)
        holding = flash * (1 - self.old_share)
        counts = hits_kernel(curve, ram, holding, (self.scheme,))[self.scheme]
        whole = (
            np.maximum(ram, holding)
            if self.scheme.startswith("inclusive")
            else ram + counts.effective_flash_pages
        )
        if self.off:
            missed = counts.ram_misses
            band = error_band(self.scheme, np.maximum(ram, 1.0), holding)
            hits = np.clip(counts.flash_hits + self.off * band * missed, 0.0, missed)
            counts = replace(counts, flash_hits=hits, flash_misses=missed - hits)
        total = (
            counts.flash_hits * costs.flash_read
            + self._written(ram, holding, counts) * costs.flash_write
            + counts.flash_misses * costs.disk_read
            + curve.write_backs(whole) * costs.disk_write
        )
        time = np.where(
            flash > 0, total / curve.accesses, self.without(self.base_pages)
        )
        if self.flash_metadata is None:
            return np.asarray(time)
        return np.where((left >= 1) | (flash <= 0), time, np.nan)

    def _written(
        self, ram: FloatArray, holding: FloatArray, counts: TierCounts
    ) -> FloatArray:
        """Pages written to flash over the trace, as a replay counts them. [pages]"""
        if self.scheme == "exclusive":
            return self.curve.evictions(ram)
        if self.scheme == "lazy":
            dram, flash = np.broadcast_arrays(ram, holding)
            written = lazy_flash_writes(self.curve, dram, flash, counts)
            return np.asarray(written * (1 - self.off * ESTIMATE_OFF))
        return np.asarray(counts.flash_misses + self.curve.write_backs(ram))

    def dram(self, added_pages: ArrayLike) -> FloatArray:
        """Time an access that more DRAM saves. [time]"""
        added = broadcast("gain of DRAM", amounts={"added_pages": added_pages})
        more = self.base_pages + added["added_pages"]
        return np.asarray(self.without(self.base_pages) - self.without(more))

    def flash(self, flash_pages: ArrayLike) -> FloatArray:
        """Time an access that flash saves under the scheme; negative where it costs. [time]"""
        flash = broadcast("gain of flash", amounts={"flash_pages": flash_pages})
        return np.asarray(
            self.without(self.base_pages) - self.time(flash["flash_pages"])
        )

    def _candidates(self) -> FloatArray:
        """Flash sizes to look at: at 0, and where a tier or both reach a listed size."""
        knots = self.curve.knots
        reach = np.concatenate([knots, knots - self.base_pages])
        listed = np.unique(reach[reach > 0]) / (1 - self.old_share)
        if self.flash_metadata is None:
            last = float(listed[-1:].sum())
            return np.concatenate(
                ([0.0], np.geomspace(last / 2**_OCTAVES, last, _LOOKS))
            )
        steps = np.interp(
            np.arange(_PER_KNOT * len(listed)) / _PER_KNOT,
            np.arange(len(listed)),
            listed,
        )
        # Metadata take RAM away: what both hold needs more flash than is missing.
        beyond = 2 * float(listed[-1:].sum()) + 1
        return np.unique(np.concatenate(([0.0], listed, steps, [beyond])))

    def least(self, wanted: ArrayLike) -> FloatArray:
        """Least flash that saves so much; 0 where nothing is wanted, NaN where none does.

        With exact hits and without metadata the gain only rises with flash, once there is
        any, and the root is bisected; otherwise it may fall again, and the least is that to a
        step of the sizes looked at. [pages]
        """
        target = np.asarray(wanted, dtype=np.float64)
        flat = target.ravel()
        before = float(self.without(self.base_pages))
        enough = flat - SAME * before
        sizes = self._candidates()
        found = self.flash(sizes)
        most = np.maximum.accumulate(np.where(np.isnan(found), -np.inf, found))
        right = np.searchsorted(most, enough, side="left")
        inside = right < len(sizes)
        at = np.clip(right, 1, len(sizes) - 1)
        low, high = sizes[at - 1], sizes[at]
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            upper = before - self.time(middle) >= enough
            low, high = np.where(upper, low, middle), np.where(upper, middle, high)
            if np.all(high - low <= NEXT_FLOATS * np.spacing(high)):
                break
        size = np.where(inside, high, np.nan)
        return np.asarray(np.where(flat <= 0, 0.0, size).reshape(target.shape))


@dataclass(frozen=True, slots=True)
class SchemeTheta:
    """Break-even of one scheme.

    Attributes
    ----------
    theta : float64 array
        Least flash in multiples of the DRAM there is that saves as much as the DRAM step;
        NaN where none does. [1]
    theta_least, theta_most : float64 array
        The same at the ends of the known error of hits and writes; NaN where no flash
        saves as much there. Equal to `theta` where the counts are exact. [1]
    flash_gain : float64 array
        Time an access saved at `theta`; NaN where there is none. [time]
    exact : bool
        Whether the counts are those of a simulation.
    """

    theta: FloatArray
    theta_least: FloatArray
    theta_most: FloatArray
    flash_gain: FloatArray
    exact: bool


@dataclass(frozen=True, slots=True)
class SchemeThetas:
    """Break-even of every scheme with flash.

    Attributes
    ----------
    delta : float64 array
        Added DRAM in multiples of the DRAM there is. [1]
    dram_gain : float64 array
        Time an access that the DRAM step saves. [time]
    schemes : mapping of str to SchemeTheta
        By name.
    best : list of (str or None)
        For each step the scheme that needs the least flash; among equals the one with the
        larger effective flash. None where no flash saves as much.
    estimator, validity : str
        What was used and where it holds.
    """

    delta: FloatArray
    dram_gain: FloatArray
    schemes: Mapping[str, SchemeTheta]
    best: list[str | None]
    estimator: str
    validity: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; an unreachable theta is None."""
        found: dict[str, Any] = plain(self)
        return found


def scheme_thetas(
    curve: Curve,
    base_pages: float,
    delta: ArrayLike,
    costs: PageCosts,
    *,
    old_share: float = 0.0,
    flash_metadata: MetadataPreset | None = None,
) -> SchemeThetas:
    """Least flash of each scheme that saves as much time as a DRAM step.

    Parameters
    ----------
    curve : Curve
        With write-backs.
    base_pages : float
        B, the DRAM there is; above 0. [pages]
    delta : array_like
        Added DRAM in multiples of B; one axis. [1]
    costs : PageCosts
        [time]
    old_share : float
        Share of flash that holds old versions. [1]
    flash_metadata : MetadataPreset, optional
        Its metadata are taken out of B; without it nothing is charged.

    Returns
    -------
    SchemeThetas

    Raises
    ------
    BadInput
        If an input is out of its domain or the curve has no write-backs.
    """
    steps = np.atleast_1d(
        broadcast("break-even of schemes", amounts={"delta": delta})["delta"]
    )
    if steps.ndim != 1:
        raise BadInput("delta: must have one axis", "give a list of DRAM steps")
    check_base(curve, base_pages)
    check_old_share(old_share)

    def gains(scheme: str, off: float = 0.0) -> SchemeGains:
        return SchemeGains(
            curve, base_pages, costs, scheme, old_share, flash_metadata, off
        )

    wanted = gains("exclusive").dram(steps * base_pages)
    found = {}
    for scheme in FLASH_SCHEMES:
        middle = gains(scheme)
        pages = middle.least(wanted)
        exact = scheme in ("exclusive", "inclusive_global")
        found[scheme] = SchemeTheta(
            theta=pages / base_pages,
            theta_least=(pages if exact else gains(scheme, 1.0).least(wanted))
            / base_pages,
            theta_most=(pages if exact else gains(scheme, -1.0).least(wanted))
            / base_pages,
            flash_gain=np.where(
                np.isfinite(pages), middle.flash(np.nan_to_num(pages)), np.nan
            ),
            exact=exact,
        )
    return SchemeThetas(
        delta=steps,
        dram_gain=wanted,
        schemes=found,
        best=[_best(found, at) for at in range(len(steps))],
        estimator="I/O time of each scheme from the LRU hit-ratio and write-back curves",
        validity=SCHEME_VALIDITY,
    )


def _best(found: Mapping[str, SchemeTheta], at: int) -> str | None:
    thetas = {
        scheme: float(found[scheme].theta[at])
        for scheme in TIE_ORDER
        if scheme in found
    }
    known = {name: theta for name, theta in thetas.items() if np.isfinite(theta)}
    if not known:
        return None
    least = min(known.values())
    return next(
        name for name, theta in known.items() if theta <= least * (1 + SAME) + SAME
    )
