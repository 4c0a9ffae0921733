"""Time an access that DRAM or flash of any size saves, memory for the metadata included.

Two forms. The *plain* one is the balance behind Eq 1: hits alone, an access costs C_disk or
C_flash. The *full* one adds staging writes, dirty traffic and old versions. With B the existing DRAM, F the flash and R <= B the DRAM that its metadata leave:

    plain  G_dram  = [H(B + D) - H(B)] C_disk
           G_flash = [H(R + F) - H(B)] C_disk - [H(R + F) - H(R)] C_flash
    full   G_dram  = dH C_dr + dE_d C_dw
           G_flash = [m(B) - m(R + e)] C_dr - [m(R) - m(R + e)] C_fr
                     + [wb(B) - wb(R + e)] C_dw - a C_fw,    e = F (1 - old share)
           a       = m(R) - h + p_d h,    h = m(R) - m(R + e),    p_d = wb(R) / m(R)

all per access; each is the difference of two times, `time(B)` less that of the larger system. Source: derived from Kang, Lee and Moon (2016), section 2.3; the flash metadata: `tierwright.evaluate.metadata`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.checks import broadcast
from tierwright.common.derivation import Number
from tierwright.common.errors import BadInput, Problems
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.evaluate.page_flow.cautions import about_space_behind
from tierwright.profile.curve import Curve

BISECTIONS = 48
"""Enough for a millionth of a page in a thousand million."""
NEXT_FLOATS = 2
LEAST_PAGES = 1e-6
SAME = 1e-13
"""Gains closer than this share of the time are equal: the last bits are rounding."""


@dataclass(frozen=True, slots=True)
class PageCosts:
    """Cost of one page operation on each device, all in one unit of time.

    Attributes
    ----------
    disk_read, disk_write : float
        C_dr and C_dw, random. [time]
    flash_read : float
        C_fr, random. [time]
    flash_write : float
        C_fw in the pattern that flash sees: page / sequential bandwidth for appends,
        1 / random write IOPS for writes in place. [time]
    """

    disk_read: float
    disk_write: float
    flash_read: float
    flash_write: float

    def __post_init__(self) -> None:
        problems = Problems("page costs", "give times above 0, all in one unit")
        for name in ("disk_read", "disk_write", "flash_read", "flash_write"):
            value = getattr(self, name)
            good = 0 < value < math.inf
            problems.check(good, name, value, "must be finite and above 0")
        problems.raise_if_any()


@dataclass(frozen=True, slots=True)
class PlainGains:
    """Gains by the balance behind Eq 1: hits alone, old versions not counted.

    Attributes
    ----------
    curve : Curve
        Hit-ratio curve.
    base_pages : float
        B, the existing DRAM. [pages]
    disk_cost, flash_cost : float
        C_disk and C_flash of one page access. [time]
    flash_metadata : MetadataPreset or None
        Its metadata are taken out of B; None charges nothing.
    old_share : float
        Not used by this form.
    """

    curve: Curve
    base_pages: float
    disk_cost: float
    flash_cost: float
    flash_metadata: MetadataPreset | None = None
    old_share: float = 0.0

    def time(self, ram_pages: ArrayLike, flash_pages: ArrayLike = 0.0) -> FloatArray:
        """Flash hits x C_flash + misses of both x C_disk, per access; broadcast. [time]"""
        curve = self.curve
        flash = np.asarray(flash_pages, dtype=np.float64)
        left = frames_left(curve, ram_pages, flash, self.flash_metadata)
        ram = np.maximum(left, 0.0)
        beyond = curve.misses(ram + flash)
        hits = curve.misses(ram) - beyond
        time = hits * self.flash_cost + beyond * self.disk_cost
        known = only_known(curve, time / curve.accesses, ram, ram + flash)
        return _known(known, left, self.flash_metadata)

    def dram(self, added_pages: ArrayLike) -> FloatArray:
        """Time an access that more DRAM saves. [time]"""
        return _dram(self, added_pages)

    def flash(self, flash_pages: ArrayLike) -> FloatArray:
        """Time an access that flash saves. [time]"""
        return _flash(self, flash_pages)


@dataclass(frozen=True, slots=True)
class FullGains:
    """Gains with flash writes, dirty traffic and old versions.

    Attributes
    ----------
    curve : Curve
        With write-backs.
    base_pages : float
        B, the existing DRAM. [pages]
    costs : PageCosts
        [time]
    old_share : float
        Share of flash that holds old versions, below 1. [1]
    flash_metadata : MetadataPreset or None
        Its metadata are taken out of B; None charges nothing.
    """

    curve: Curve
    base_pages: float
    costs: PageCosts
    old_share: float = 0.0
    flash_metadata: MetadataPreset | None = None

    def time(self, ram_pages: ArrayLike, flash_pages: ArrayLike = 0.0) -> FloatArray:
        """Time an access with staging writes and dirty traffic; broadcast. [time]"""
        curve, costs = self.curve, self.costs
        flash = np.asarray(flash_pages, dtype=np.float64)
        left = frames_left(curve, ram_pages, flash, self.flash_metadata)
        ram = np.maximum(left, 0.0)
        total = ram + flash * (1 - self.old_share)
        misses, beyond = curve.misses(ram), curve.misses(total)
        hits = misses - beyond
        staged = np.where(flash > 0, misses - hits + curve.dirty_share(ram) * hits, 0.0)
        time = (
            beyond * costs.disk_read
            + hits * costs.flash_read
            + curve.write_backs(total) * costs.disk_write
            + staged * costs.flash_write
        )
        known = only_known(curve, time / curve.accesses, ram, total)
        return _known(known, left, self.flash_metadata)

    def dram(self, added_pages: ArrayLike) -> FloatArray:
        """Time an access that more DRAM saves. [time]"""
        return _dram(self, added_pages)

    def flash(self, flash_pages: ArrayLike) -> FloatArray:
        """Time an access that flash saves. [time]"""
        return _flash(self, flash_pages)


Gains = PlainGains | FullGains
"""Either form."""


def flash_gain_terms(
    gains: Gains, flash_pages: ArrayLike, unit: str = "time"
) -> tuple[str, tuple[Number, ...]]:
    """Give formula and numbers of what flash alone saves, metadata charged or not.

    Parameters
    ----------
    gains : PlainGains or FullGains
        The form.
    flash_pages : array_like
        NaN where there is none: its numbers are not defined. [pages]
    unit : str
        Of the costs.

    Returns
    -------
    tuple
        Formula in the symbols of the numbers, and the numbers.
    """
    curve, base = gains.curve, gains.base_pages
    flash = np.asarray(flash_pages, dtype=np.float64)
    sizes = np.nan_to_num(flash)
    left = frames_left(curve, base, sizes, gains.flash_metadata)
    ram = np.maximum(left, 0.0)
    total = ram + sizes * (1 - gains.old_share)
    known = np.isfinite(flash) & (left >= 1 if gains.flash_metadata else True)

    def number(symbol: str, values: FloatArray, kind: str, meaning: str) -> Number:
        shown = np.where(known, values, np.nan)
        return Number(symbol, shown if shown.ndim else shown.item(), kind, meaning)

    accesses = curve.accesses
    hits = (curve.misses(ram) - curve.misses(total)) / accesses
    # A difference of its own: of two rounded ratios few digits would be left.
    gained = (curve.misses(base) - curve.misses(total)) / accesses
    numbers = [
        Number("B", base, "pages", "existing DRAM"),
        Number("H(B)", float(curve.hit_ratio(base)), "1", "of the curve"),
        number("R", ram, "pages", "B less the flash metadata"),
        number("T", total, "pages", "R and flash without old versions"),
        number("H(T)", curve.hit_ratio(total), "1", "of the curve"),
        number("dH", gained, "1", "H(T) - H(B)"),
        number("h_f", hits, "1", "flash hits, H(T) - H(R)"),
    ]
    if isinstance(gains, PlainGains):
        return "dH C_disk - h_f C_flash, dH = H(T) - H(B)", (
            *numbers,
            Number("C_disk", gains.disk_cost, unit, "one page access on disk"),
            Number("C_flash", gains.flash_cost, unit, "one page access on flash"),
        )
    costs = gains.costs
    staged = curve.misses(ram) / accesses - hits * (1 - curve.dirty_share(ram))
    return (
        "dH C_dr - h_f C_fr + dE_d C_dw - a C_fw, dH = H(T) - H(B), dE_d = E_d(B) - E_d(T)",
        (
            *numbers,
            Number(
                "E_d(B)", float(curve.write_backs(base)) / accesses, "1", "write-backs"
            ),
            number("E_d(T)", curve.write_backs(total) / accesses, "1", "write-backs"),
            number(
                "dE_d",
                (curve.write_backs(base) - curve.write_backs(total)) / accesses,
                "1",
                "E_d(B) - E_d(T)",
            ),
            number(
                "a",
                np.where(sizes > 0, staged, 0.0),
                "1",
                "pages staged, 1 - H(R) - (1 - p_d) h_f",
            ),
            Number("C_dr", costs.disk_read, unit, "disk read"),
            Number("C_dw", costs.disk_write, unit, "disk write"),
            Number("C_fr", costs.flash_read, unit, "flash read"),
            Number("C_fw", costs.flash_write, unit, "flash write"),
        ),
    )


def _dram(gains: Gains, added_pages: ArrayLike) -> FloatArray:
    """Return what more DRAM alone saves. [time]"""
    base = gains.base_pages
    added = broadcast("gain of DRAM", amounts={"added_pages": added_pages})
    more = base + added["added_pages"]
    return np.asarray(gains.time(base) - gains.time(more))


def _flash(gains: Gains, flash_pages: ArrayLike) -> FloatArray:
    """Return what flash alone saves; NaN where its metadata leave no DRAM. [time]"""
    base = gains.base_pages
    flash = broadcast("gain of flash", amounts={"flash_pages": flash_pages})
    return np.asarray(gains.time(base) - gains.time(base, flash["flash_pages"]))


def frames_left(
    curve: Curve,
    ram_pages: ArrayLike,
    flash_pages: ArrayLike,
    preset: MetadataPreset | None,
) -> FloatArray:
    """RAM pages that the metadata of each flash size leave; sizes are not checked. [pages]"""
    ram = np.asarray(ram_pages, dtype=np.float64)
    flash = np.asarray(flash_pages, dtype=np.float64)
    if preset is None:
        return np.broadcast_to(ram, np.broadcast_shapes(ram.shape, flash.shape))
    return preset.pages_left(
        ram,
        flash,
        page_bytes=curve.page_bytes,
        source_bytes=np.asarray(float(curve.data_pages * curve.page_bytes)),
    )


def only_known(
    curve: Curve, values: FloatArray, smallest: ArrayLike, largest: ArrayLike
) -> FloatArray:
    """NaN where a curve from counters is read at sizes that its evidence does not speak of.

    Parameters
    ----------
    curve : Curve
        Any other curve leaves the values as they are.
    values : float64 array
        What was read of it.
    smallest, largest : array_like
        Sizes from which and up to which each reads it. [pages]
    """
    if curve.evidence is None:
        return values
    return np.where(curve.evidence.covers(smallest, largest), values, np.nan)


def known_steps(curve: Curve, base_pages: float, delta: Iterable[float]) -> list[float]:
    """Return the DRAM steps, in multiples of the existing DRAM, that the evidence reaches. [1]"""
    evidence = curve.evidence
    return [
        each
        for each in delta
        if evidence is None or evidence.covers(base_pages, (1 + each) * base_pages)
    ]


class Beside(Protocol):
    """What flash stands beside: the attributes that every form of gain has."""

    @property
    def curve(self) -> Curve:
        """Of the workload."""

    @property
    def base_pages(self) -> float:
        """B, the existing DRAM. [pages]"""

    @property
    def old_share(self) -> float:
        """Share of flash that holds old versions. [1]"""

    @property
    def flash_metadata(self) -> MetadataPreset | None:
        """Taken out of B."""


def most_flash(gains: Beside) -> int | None:
    """Most flash of which a curve from counters speaks, beside the existing DRAM; None of others.

    Parameters
    ----------
    gains : Beside
        Any form of gain.

    Returns
    -------
    int or None
        0 where it speaks of none. [pages]
    """
    curve, base = gains.curve, gains.base_pages
    evidence = curve.evidence
    if evidence is None:
        return None

    def known(flash: int) -> bool:
        left = float(frames_left(curve, base, flash, gains.flash_metadata))
        return bool(evidence.covers(left, left + flash * (1 - gains.old_share)))

    # With more flash RAM only shrinks, and both together only grow.
    low, high = 0, 2 * math.ceil(evidence.valid_to / (1 - gains.old_share)) + 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if known(middle) else (low, middle)
    return low


def about_unknown(curve: Curve, what: Sequence[str]) -> Caution:
    """Say what is left out, as the evidence of the curve does not speak of its sizes."""
    evidence = curve.evidence
    assert evidence is not None
    return Caution(
        "sizes_unknown",
        f"the counters speak of {evidence.range_text(curve.page_bytes)}: what other sizes gain is unknown, not "
        f"nothing. Left out: {'; '.join(what)}",
        "measure further sizes, or ask for smaller steps",
    )


def least_flash(gains: Gains, wanted: ArrayLike) -> FloatArray:
    """Least flash that gains at least so much, metadata charged.

    The gain is looked at wherever RAM and flash together reach a listed size, and between
    two such sizes the root is bisected. With metadata the gain may fall again with size: then
    the least to a step of the listed sizes.

    Parameters
    ----------
    gains : PlainGains or FullGains
        The form.
    wanted : array_like
        Any shape. [time]

    Returns
    -------
    float64 array
        0 where nothing is wanted, NaN where no flash gains it. [pages]
    """
    target = np.asarray(wanted, dtype=np.float64)
    flat = target.ravel()
    before = float(gains.time(gains.base_pages))
    enough = flat - SAME * before
    if gains.flash_metadata is None:  # the gain only rises, once there is any flash
        last = float(_reach(gains)[-1:].sum())
        low, high = np.zeros_like(flat), np.full_like(flat, last)
        inside = gains.flash(last) >= enough
    else:
        sizes, most = _scan(gains)
        right = np.searchsorted(most, enough, side="left")
        inside = right < len(sizes)
        at = np.clip(right, 1, len(sizes) - 1)
        low, high = sizes[at - 1], sizes[at]
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        upper = before - gains.time(gains.base_pages, middle) >= enough
        low, high = np.where(upper, low, middle), np.where(upper, middle, high)
        if np.all(high - low <= NEXT_FLOATS * np.spacing(high)):
            break  # no number between them is left to look at
    size = np.where(inside, high, np.nan)
    return np.asarray(np.where(flat <= 0, 0.0, size).reshape(target.shape))


@lru_cache(maxsize=4)
def _scan(gains: Gains) -> tuple[FloatArray, FloatArray]:
    """Flash sizes and the most that flash up to each of them gains. [pages], [time]"""
    sizes = _candidates(gains)
    found = gains.flash(sizes)
    most = np.maximum.accumulate(np.where(np.isnan(found), -np.inf, found))
    return sizes, most


def most_gain(gains: Gains) -> float:
    """Most time an access that flash of any size gains. [time]"""
    if gains.flash_metadata is None:
        return float(gains.flash(max(LEAST_PAGES, float(_reach(gains)[-1:].sum()))))
    return float(_scan(gains)[1][-1])


def about_metadata(preset: MetadataPreset | None) -> tuple[Caution, ...]:
    """Say what charging metadata changes about a break-even."""
    if preset is None:
        return ()
    return (
        Caution(
            "metadata_charged",
            f"the metadata of {preset.title} are subtracted from the existing DRAM: "
            f"{preset.entry_bytes:g} bytes per entry; more flash may then gain less",
            "leave the metadata out to see the formulas of the papers",
        ),
        *about_space_behind(preset),
    )


def _candidates(gains: Gains) -> FloatArray:
    """Flash sizes at which RAM and flash reach a listed size, 0 first. [pages]"""
    curve, base = gains.curve, gains.base_pages
    reach = _reach(gains)
    last = float(reach[-1:].sum())
    # The metadata take RAM away, so the last size needs more flash than is missing.
    left = float(frames_left(curve, base, last, gains.flash_metadata))
    taken = base - max(left, 0.0)
    return np.concatenate(
        ([0.0], reach, [2 * (last + taken / (1 - gains.old_share)) + 1])
    )


def _reach(gains: Gains) -> FloatArray:
    """Flash with which the existing DRAM reaches each listed size beyond it. [pages]"""
    knots = gains.curve.knots
    beyond = knots[np.searchsorted(knots, gains.base_pages, side="right") :]
    return np.asarray((beyond - gains.base_pages) / (1 - gains.old_share))


def check_old_share(old_share: float) -> None:
    """Check the share of flash that holds old versions.

    Raises
    ------
    BadInput
        If it is outside [0, 1).
    """
    if not (np.isfinite(old_share) and 0 <= old_share < 1):
        raise BadInput(
            f"old_share: `{old_share}` must lie in [0, 1)",
            "count old versions by a simulation with [[scheme=face]]",
        )


def _known(
    gain: FloatArray, left: FloatArray, preset: MetadataPreset | None
) -> FloatArray:
    """NaN where the metadata leave no page of RAM."""
    return np.asarray(gain if preset is None else np.where(left >= 1, gain, np.nan))
