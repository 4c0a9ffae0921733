"""Break-even of each page-flow scheme: its own writes with its own effective capacity.

The joined form in `tierwright.evaluate.break_even.full` has the writes of lazy with the capacity of
exclusive, which no scheme has. Here every scheme is charged what it does:

    G_dram(D)   = T_none(B) - T_none(B + D)
    G_k(F)      = T_none(B) - T_k(B, F),        k a scheme with flash
    theta_k     = least F / B with G_k(F) >= G_dram(D)

with T_k = [h_f C_fr + w_k C_fw + m_f C_dr + wb(held) C_dw] / N from the counts of
`tierwright.evaluate.page_flow`, w_k being the flash writes that a replay counts: evictions of RAM
(exclusive), m_f + wb(B) (inclusive), `lazy_flash_writes` (lazy). What decides is the scheme that
saves most at each size of flash: G(F) = max over k of G_k(F). T_none(B) is in both gains, so that
their error is that of T_k(B, F) - T_none(B + D). Source: derived from
Koltsidas and Viglas (2009), sections 3.2 to 3.5, and Kang, Lee and Moon (2016), section 2.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tierwright.common.arrays import FloatArray, share
from tierwright.common.cautions import Caution
from tierwright.common.checks import broadcast
from tierwright.common.derivation import Derivation, Number, plain
from tierwright.common.errors import BadInput
from tierwright.evaluate.break_even.gains import (
    NEXT_FLOATS,
    SAME,
    PageCosts,
    about_unknown,
    check_old_share,
    frames_left,
    most_flash,
    only_known,
)
from tierwright.evaluate.break_even.theta import FLASH_BEYOND, check_base
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.evaluate.page_flow.counts import (
    hits_kernel,
)
from tierwright.evaluate.page_flow.explain import error_band
from tierwright.evaluate.page_flow.formula import Place, TierCounts
from tierwright.evaluate.page_flow.schemes import BY_NAME, FLASH_SCHEMES, TIE_ORDER
from tierwright.profile.curve import Curve

BY_TIE = tuple(scheme for scheme in TIE_ORDER if scheme in FLASH_SCHEMES)
"""The same, the first of equals first."""
EXACT = tuple(scheme for scheme in BY_TIE if BY_NAME[scheme].is_exact)
"""Schemes whose counts are those of a replay from a cold start."""
STEADY_DIFFERENCE = 0.25
"""By how much the cost of a scheme may be off that of RAM alone in the steady state, as a share of
it, for each share of the distinct pages in RAM and flash. Less than `decision.STEADY_ERRORS`: what
one curve gets wrong of both costs cancels. Fixed on four recorded traces, held against four others
by `make break-evens`."""
_IN_STEADY_STATE = (
    f"; in the steady state a cost is off by up to {STEADY_DIFFERENCE:.0%} of itself times the "
    "share of the distinct pages that RAM and flash hold"
)
SCHEME_VALIDITY = (
    "LRU in both tiers, from the start of the curve; counts of `exclusive` and "
    "`inclusive_global` are exact from a cold start, those of `inclusive` and `lazy` lie "
    f"within their known error{_IN_STEADY_STATE}; `theta_least` and `theta_most` stand for both"
)
BEST_VALIDITY = (
    "flash under the scheme that saves most at each size; LRU in both tiers, from the start of "
    "the curve; counts of `exclusive` and `inclusive_global` are exact from a cold start, those "
    f"of `inclusive` and `lazy` lie within their known error{_IN_STEADY_STATE}"
)
SOURCE = (
    "derived from Koltsidas and Viglas (2009), sections 3.2 to 3.5, and Kang, Lee and Moon "
    "(2016), section 2.3"
)
_PER_KNOT = 4
"""Sizes looked at between two of the curve where metadata may make the gain fall."""
_OCTAVES, _LOOKS = 24, 97
"""Otherwise four sizes an octave, below the size at which flash holds everything."""
_PARTS, _ROUNDS = 32, 11
"""Parts of an interval that are looked at in each round of the search."""


@dataclass(frozen=True, slots=True)
class Flows:
    """Page operations over the trace, as a replay counts them; arrays of one shape. [pages]"""

    flash_hits: FloatArray
    flash_writes: FloatArray
    disk_reads: FloatArray
    disk_writes: FloatArray


@dataclass(frozen=True, slots=True)
class SchemeGains:
    """Time an access under one scheme, and what DRAM or flash saves of it.

    Attributes
    ----------
    curve : Curve
        With write-backs.
    base_pages : float
        B, the existing DRAM. [pages]
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
        of the pages that lazy writes, and of the cost in the steady state. [1]
    """

    curve: Curve
    base_pages: float
    costs: PageCosts
    scheme: str
    old_share: float = 0.0
    flash_metadata: MetadataPreset | None = None
    off: float = 0.0

    def time(self, ram_pages: ArrayLike, flash_pages: ArrayLike = 0.0) -> FloatArray:
        """Time an access of RAM and flash, T_k(R, F); broadcast. [time]

        NaN where the metadata leave no page of RAM; that of RAM alone where there is no flash.
        """
        ram, flash = np.broadcast_arrays(
            np.asarray(ram_pages, dtype=np.float64),
            np.asarray(flash_pages, dtype=np.float64),
        )
        left = frames_left(self.curve, ram, flash, self.flash_metadata)
        frames = np.maximum(left, 0.0)
        running = only_known(
            self.curve,
            _time(self.flows(frames, flash), self),
            frames,
            frames + flash * (1 - self.old_share),
        )
        if self.off and self.curve.cold is not None:
            held = (frames + flash) / self.curve.distinct_pages
            running = running * (1 - self.off * steady_difference(held))
        time = np.where(flash > 0, running, time_without(self, ram))
        if self.flash_metadata is None:
            return np.asarray(time)
        return np.where((left >= 1) | (flash <= 0), time, np.nan)

    def flows(self, ram: FloatArray, flash: FloatArray) -> Flows:
        """Operations beside RAM that metadata have left, with any amount of flash above 0."""
        curve = self.curve
        holding = flash * (1 - self.old_share)
        counts = hits_kernel(curve, ram, holding, (self.scheme,))[self.scheme]
        whole = BY_NAME[self.scheme].held(ram, holding, counts.effective_flash_pages)
        if self.off:
            missed = counts.ram_misses
            band = error_band(self.scheme, np.maximum(ram, 1.0), holding, curve)
            hits = np.clip(counts.flash_hits + self.off * band * missed, 0.0, missed)
            counts = replace(counts, flash_hits=hits, flash_misses=missed - hits)
        return Flows(
            counts.flash_hits,
            self._written(ram, holding, counts),
            counts.flash_misses,
            curve.write_backs(whole),
        )

    def _written(
        self, ram: FloatArray, holding: FloatArray, counts: TierCounts
    ) -> FloatArray:
        """Pages written to flash over the trace, as a replay counts them. [pages]"""
        formula, backs = BY_NAME[self.scheme], self.curve.write_backs(ram)
        p_d = share(backs, counts.ram_misses)
        place = Place(self.curve, ram, holding, counts, p_d, backs)
        written = formula.counted_writes(place)
        return np.asarray(written * (1 - self.off * formula.counted_off))

    def dram(self, added_pages: ArrayLike) -> FloatArray:
        """Time an access that more DRAM saves. [time]"""
        return _dram(self, added_pages)

    def flash(self, flash_pages: ArrayLike) -> FloatArray:
        """Time an access that flash saves under the scheme; negative where it costs. [time]"""
        flash = broadcast("gain of flash", amounts={"flash_pages": flash_pages})
        return np.asarray(
            time_without(self, self.base_pages)
            - self.time(self.base_pages, flash["flash_pages"])
        )

    def least(self, wanted: ArrayLike) -> FloatArray:
        """Least flash that saves so much; 0 where nothing is wanted, NaN where none does.

        With exact hits and without metadata the gain only rises with flash, once there is
        any, and the root is found to the last bits; otherwise it may fall again, and the least
        is that to a step of the sizes looked at. [pages]
        """
        target = np.asarray(wanted, dtype=np.float64)
        flat = target.ravel()
        before = float(time_without(self, self.base_pages))
        enough = flat - SAME * before
        sizes, most = _scan(self)
        right = np.searchsorted(most, enough, side="left")
        inside = right < len(sizes)
        at = np.clip(right, 1, len(sizes) - 1)
        low, high = sizes[at - 1], sizes[at]
        parts = np.linspace(0.0, 1.0, _PARTS + 1)[:, None]
        columns = np.arange(len(flat))
        for _ in range(_ROUNDS):
            grid = low + (high - low) * parts
            grid[-1] = high
            reached = before - self.time(self.base_pages, grid) >= enough
            reached[0], reached[-1] = False, True
            first = np.argmax(reached, axis=0)
            low, high = grid[first - 1, columns], grid[first, columns]
            if np.all(high - low <= NEXT_FLOATS * np.spacing(high)):
                break
        size = np.where(inside, high, np.nan)
        # A gain within rounding of none needs no flash: the first size looked at may cost.
        is_none = (flat <= 0) | (right == 0)
        return np.asarray(np.where(is_none, 0.0, size).reshape(target.shape))

    def most_gain(self) -> float:
        """Most time an access that flash of any size saves under the scheme. [time]"""
        return float(_scan(self)[1][-1])


@dataclass(frozen=True, slots=True)
class BestGains:
    """The same under the scheme that saves most at each size of flash.

    Attributes
    ----------
    curve, base_pages, costs, old_share, flash_metadata, off
        As of `SchemeGains`.
    """

    curve: Curve
    base_pages: float
    costs: PageCosts
    old_share: float = 0.0
    flash_metadata: MetadataPreset | None = None
    off: float = 0.0

    def of(self, scheme: str) -> SchemeGains:
        """Return the gains of one scheme."""
        return SchemeGains(
            self.curve,
            self.base_pages,
            self.costs,
            scheme,
            self.old_share,
            self.flash_metadata,
            self.off,
        )

    def _each(self, ram_pages: ArrayLike, flash_pages: ArrayLike) -> FloatArray:
        """Time an access by scheme, in the order of `BY_TIE`; the first axis. [time]"""
        found: dict[str, FloatArray] = {}
        for scheme in BY_TIE:
            # The middle of their hits is the same.
            twin = "" if self.off else BY_NAME[scheme].formula_of or ""
            found[scheme] = (
                found[twin]
                if twin in found
                else self.of(scheme).time(ram_pages, flash_pages)
            )
        return np.stack([found[scheme] for scheme in BY_TIE])

    def time(self, ram_pages: ArrayLike, flash_pages: ArrayLike = 0.0) -> FloatArray:
        """Time an access under the best scheme; broadcast, NaN as there. [time]"""
        return np.asarray(np.min(self._each(ram_pages, flash_pages), axis=0))

    def dram(self, added_pages: ArrayLike) -> FloatArray:
        """Time an access that more DRAM saves. [time]"""
        return _dram(self, added_pages)

    def flash(self, flash_pages: ArrayLike) -> FloatArray:
        """Time an access that flash saves under the best scheme. [time]"""
        flash = broadcast("gain of flash", amounts={"flash_pages": flash_pages})
        before = time_without(self, self.base_pages)
        return np.asarray(before - self.time(self.base_pages, flash["flash_pages"]))

    def best_at(self, flash_pages: float) -> str | None:
        """Name the scheme that saves most with so much flash.

        Returns
        -------
        str or None
            Among equals the one with the larger effective flash; None without flash, or where
            its metadata leave no DRAM.
        """
        times = self._each(self.base_pages, flash_pages)
        if flash_pages <= 0 or not np.all(np.isfinite(times)):
            return None
        close = times <= np.min(times) * (1 + SAME)
        return BY_TIE[int(np.argmax(close))]

    def least(self, wanted: ArrayLike) -> FloatArray:
        """Least flash of any scheme that saves so much, as `SchemeGains.least`. [pages]"""
        return np.asarray(
            np.fmin.reduce(
                [self.of(scheme).least(wanted) for scheme in self._told_apart()]
            )
        )

    def most_gain(self) -> float:
        """Most time an access that flash of any size saves under any scheme. [time]"""
        return max(self.of(scheme).most_gain() for scheme in self._told_apart())

    def _told_apart(self) -> Iterable[str]:
        return BY_TIE if self.off else BY_TIE[:-1]


AnySchemeGains = SchemeGains | BestGains


def steady_difference(held: ArrayLike) -> FloatArray:
    """Share of a scheme's cost by which its lead over RAM alone may be off a warmed replay. [1]

    Parameters
    ----------
    held : array_like
        RAM and flash, as a share of the distinct pages. [1]

    Examples
    --------
    >>> steady_difference([0.1, 0.5, 10.0]).tolist()
    [0.025, 0.125, 1.0]
    """
    return np.minimum(1.0, STEADY_DIFFERENCE * np.asarray(held, dtype=np.float64))


def time_without(gains: AnySchemeGains, ram_pages: ArrayLike) -> FloatArray:
    """Time an access of RAM over disk: C0 / N. [time]"""
    ram = np.asarray(ram_pages, dtype=np.float64)
    curve, costs = gains.curve, gains.costs
    time = (
        curve.misses(ram) * costs.disk_read + curve.write_backs(ram) * costs.disk_write
    )
    return only_known(curve, np.asarray(time / curve.accesses), ram, ram)


def _time(flows: Flows, gains: SchemeGains) -> FloatArray:
    costs = gains.costs
    total = (
        flows.flash_hits * costs.flash_read
        + flows.flash_writes * costs.flash_write
        + flows.disk_reads * costs.disk_read
        + flows.disk_writes * costs.disk_write
    )
    return np.asarray(total / gains.curve.accesses)


def _dram(gains: AnySchemeGains, added_pages: ArrayLike) -> FloatArray:
    added = broadcast("gain of DRAM", amounts={"added_pages": added_pages})
    more = gains.base_pages + added["added_pages"]
    return np.asarray(time_without(gains, gains.base_pages) - time_without(gains, more))


@lru_cache(maxsize=32)
def _scan(gains: SchemeGains) -> tuple[FloatArray, FloatArray]:
    """Flash sizes, and the most that flash up to each of them saves. [pages], [time]"""
    sizes = _candidates(gains)
    found = gains.flash(sizes)
    return sizes, np.maximum.accumulate(np.where(np.isnan(found), -np.inf, found))


def _candidates(gains: SchemeGains) -> FloatArray:
    """Flash sizes to look at: at 0, and where a tier or both reach a listed size."""
    knots = gains.curve.knots
    reach = np.concatenate([knots, knots - gains.base_pages])
    listed = np.unique(reach[reach > 0]) / (1 - gains.old_share)
    if gains.flash_metadata is None:
        last = float(listed[-1:].sum())
        looks = np.geomspace(last / 2**_OCTAVES, last, _LOOKS)
        known = most_flash(gains)
        if known is None:
            return np.concatenate(([0.0], looks))
        return np.unique(np.concatenate(([0.0, float(known)], looks)))
    steps = np.interp(
        np.arange(_PER_KNOT * len(listed)) / _PER_KNOT,
        np.arange(len(listed)),
        listed,
    )
    # Metadata take RAM away: what both hold needs more flash than is missing.
    beyond = 2 * float(listed[-1:].sum()) + 1
    return np.unique(np.concatenate(([0.0], listed, steps, [beyond])))


def scheme_gain_terms(
    gains: BestGains,
    schemes: Iterable[str | None],
    flash_pages: ArrayLike,
    unit: str = "time",
) -> tuple[str, tuple[Number, ...]]:
    """Give formula and numbers of what flash saves under a scheme at each size.

    Parameters
    ----------
    gains : BestGains
        The form.
    schemes : iterable of (str or None)
        One for each size; None has no numbers.
    flash_pages : array_like
        NaN where there is none: its numbers are not defined. [pages]
    unit : str
        Of the costs.

    Returns
    -------
    tuple
        Formula in the symbols of the numbers, and the numbers.
    """
    curve, base, costs = gains.curve, gains.base_pages, gains.costs
    flash = np.asarray(flash_pages, dtype=np.float64)
    flat = np.nan_to_num(flash.ravel())
    left = np.maximum(frames_left(curve, base, flat, gains.flash_metadata), 0.0)
    found = np.full((5, len(flat)), np.nan)
    for at, scheme in enumerate(schemes):
        if scheme is None or flat[at] <= 0:
            continue
        ram, size = left[at : at + 1], flat[at : at + 1]
        flows = gains.of(scheme).flows(ram, size)
        found[:, at] = (
            ram[0],
            float(curve.misses(base) - flows.disk_reads[0]) / curve.accesses,
            flows.flash_hits[0] / curve.accesses,
            float(curve.write_backs(base) - flows.disk_writes[0]) / curve.accesses,
            flows.flash_writes[0] / curve.accesses,
        )

    def number(row: int, symbol: str, kind: str, meaning: str) -> Number:
        shown = found[row].reshape(flash.shape)
        return Number(symbol, shown if shown.ndim else shown.item(), kind, meaning)

    return (
        "dH C_dr - h_f C_fr + dE_d C_dw - a C_fw",
        (
            Number("B", base, "pages", "existing DRAM"),
            number(0, "R", "pages", "B less the flash metadata"),
            number(1, "dH", "1", "disk reads saved per access"),
            number(2, "h_f", "1", "flash hits per access, of the scheme"),
            number(3, "dE_d", "1", "disk writes saved per access"),
            number(4, "a", "1", "pages written to flash per access, of the scheme"),
            Number("C_dr", costs.disk_read, unit, "disk read"),
            Number("C_dw", costs.disk_write, unit, "disk write"),
            Number("C_fr", costs.flash_read, unit, "flash read"),
            Number("C_fw", costs.flash_write, unit, "flash write"),
        ),
    )


@dataclass(frozen=True, slots=True)
class SchemeTheta:
    """Break-even of one scheme.

    Attributes
    ----------
    theta : float64 array
        Least flash in multiples of the existing DRAM that saves as much as the DRAM step;
        NaN where none does. [1]
    theta_least, theta_most : float64 array
        The same at the ends of the stated error: of hits and writes, and in the steady state
        of the cost. NaN where no flash saves as much there, or only RAM and flash of more
        pages than the recording tells about. Equal to `theta` where the counts are exact. [1]
    flash_gain : float64 array
        Time an access saved at `theta`; NaN where there is none. [time]
    is_trend : bool array
        Whether RAM and the flash of `theta` hold more pages than the recording tells about in
        the steady state, so that `theta` continues a trend.
    exact : bool
        Whether the counts are those of a simulation: never in the steady state.
    """

    theta: FloatArray
    theta_least: FloatArray
    theta_most: FloatArray
    flash_gain: FloatArray
    is_trend: NDArray[np.bool_]
    exact: bool


@dataclass(frozen=True, slots=True)
class SchemeThetas:
    """Break-even of every scheme with flash.

    Attributes
    ----------
    delta : float64 array
        Added DRAM in multiples of the existing DRAM. [1]
    dram_gain : float64 array
        Time an access that the DRAM step saves. [time]
    schemes : mapping of str to SchemeTheta
        By name.
    best : list of (str or None)
        For each step the scheme that needs the least flash; among equals the one with the
        larger effective flash. None where no flash saves as much.
    theta : float64 array
        Flash that `best` needs, in multiples of the existing DRAM; NaN where none does. [1]
    most_flash_gain : float
        Most time an access that flash of any size saves under any scheme; negative where
        writing to flash costs more than every hit spares. [time]
    estimator, validity : str
        What was used and where it holds.
    warnings : tuple of Caution
        What to know before acting on it.
    derivation : tuple of Derivation
        Formula, numbers, source.
    """

    delta: FloatArray
    dram_gain: FloatArray
    schemes: Mapping[str, SchemeTheta]
    best: list[str | None]
    theta: FloatArray
    most_flash_gain: float
    estimator: str
    validity: str
    warnings: tuple[Caution, ...]
    derivation: tuple[Derivation, ...]

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
        B, the existing DRAM; above 0. [pages]
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

    form = BestGains(curve, base_pages, costs, old_share, flash_metadata)
    wanted = form.dram(steps * base_pages)
    found = {}
    for scheme in FLASH_SCHEMES:
        middle = form.of(scheme)
        pages = middle.least(wanted)
        exact = scheme in EXACT and curve.cold is None

        def end(off: float, scheme: str = scheme) -> FloatArray:
            least = replace(form, off=off).of(scheme).least(wanted)
            return np.where(_beyond(curve, base_pages, least), np.nan, least)

        found[scheme] = SchemeTheta(
            theta=pages / base_pages,
            theta_least=(pages if exact else end(1.0)) / base_pages,
            theta_most=(pages if exact else end(-1.0)) / base_pages,
            flash_gain=np.where(
                np.isfinite(pages), middle.flash(np.nan_to_num(pages)), np.nan
            ),
            is_trend=_beyond(curve, base_pages, pages),
            exact=exact,
        )
    best = [_best(found, at) for at in range(len(steps))]
    theta = np.array(
        [
            np.nan if name is None else float(found[name].theta[at])
            for at, name in enumerate(best)
        ]
    )
    most = form.most_gain()
    return SchemeThetas(
        delta=steps,
        dram_gain=wanted,
        schemes=found,
        best=best,
        theta=theta,
        most_flash_gain=most,
        estimator="I/O time of each scheme from the LRU hit-ratio and write-back curves",
        validity=SCHEME_VALIDITY,
        warnings=tuple(_about(curve, most, theta)),
        derivation=_derive(form, steps, wanted, best, theta),
    )


def _beyond(curve: Curve, base_pages: float, flash: FloatArray) -> NDArray[np.bool_]:
    """Whether RAM and some flash hold more than the recording tells about; not where NaN."""
    return np.isfinite(flash) & curve.uncertain(base_pages + np.nan_to_num(flash))


def _derive(
    form: BestGains,
    steps: FloatArray,
    wanted: FloatArray,
    best: list[str | None],
    theta: FloatArray,
) -> tuple[Derivation, ...]:
    curve, base, costs = form.curve, form.base_pages, form.costs
    more = (1 + steps) * base
    hits = (curve.misses(base) - curve.misses(more)) / curve.accesses
    spared = (curve.write_backs(base) - curve.write_backs(more)) / curve.accesses
    formula, numbers = scheme_gain_terms(form, best, theta * base)
    names = ", ".join(dict.fromkeys(name for name in best if name is not None))
    return (
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
            SOURCE,
        ),
        Derivation(
            "theta",
            theta,
            "1",
            f"least theta with dram_gain <= {formula}, F = theta B, "
            f"counts of {names or 'no scheme: none saves as much'}",
            (
                Number("dram_gain", wanted, "time", "of the DRAM step"),
                Number("theta", theta, "1", "flash / existing DRAM"),
                Number("old share", form.old_share, "1", "flash lost to old versions"),
                *numbers,
            ),
            SOURCE,
        ),
    )


def _about(curve: Curve, most: float, theta: FloatArray) -> Iterable[Caution]:
    if curve.evidence is not None:
        if not np.all(np.isfinite(theta)):
            yield about_unknown(curve, [FLASH_BEYOND])
    elif most <= 0:
        yield Caution(
            "staging_costs_more",
            "flash of any size costs more in writes than its hits save, under every "
            "scheme",
            "admit fewer pages, or choose a device with cheaper (sequential) writes",
        )
    elif not np.all(np.isfinite(theta)):
        yield Caution(
            "unreachable",
            "no amount of flash saves as much as some of the DRAM steps, under any scheme",
            "choose DRAM for these steps",
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
