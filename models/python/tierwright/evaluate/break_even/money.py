"""DRAM or flash for the same money: returns, the next dollars, the price at which it flips.

Source: Kang, Lee and Moon (2016), section 6.7.2 (equal-money experiment); the formulas are
derived from Eq 1. Money is Decimal, bought in whole pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.checks import broadcast
from tierwright.common.derivation import Derivation, Number, plain
from tierwright.common.errors import BadInput, Problems
from tierwright.evaluate.break_even.gains import PlainGains, frames_left
from tierwright.evaluate.break_even.theta import (
    CURVE_VALIDITY,
    LOG_VALIDITY,
    check_base,
)
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.profile.curve import Curve

_SOURCE = "derived from Kang, Lee and Moon (2016), Eq 1; shape of section 6.7.2"
MOST_STEPS = 10_000

Winner = Literal["flash", "dram", "tie", "neither"]


@dataclass(frozen=True, slots=True)
class Roi:
    """What the same money gains in DRAM and in flash.

    Attributes
    ----------
    added_dram, added_flash : float
        What the money buys, in the unit of the base. [pages or bytes]
    dram_gain, flash_gain : float
        Time an access saved; by the log model in units of alpha. [time]
    flash_to_dram_gain_ratio : float or None
        flash_gain / dram_gain; None where DRAM gains nothing. [1]
    winner : str
        `flash`, `dram`, `tie`, or `neither` where both gain nothing.
    estimator, validity : str
        What was used and where it holds.
    warnings : tuple of Caution
        What to know before acting on it.
    derivation : tuple of Derivation
        Formula, numbers, source.
    """

    added_dram: float
    added_flash: float
    dram_gain: float
    flash_gain: float
    flash_to_dram_gain_ratio: float | None
    winner: Winner
    estimator: str
    validity: str
    warnings: tuple[Caution, ...]
    derivation: tuple[Derivation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True, slots=True)
class Marginal:
    """Gain of the next dollars in DRAM and in flash, spent greedily.

    Attributes
    ----------
    usd : list of Decimal
        Money spent before each step. [USD]
    ram_pages, flash_pages : list of int
        Sizes before each step. [pages]
    dram_gain, flash_gain : float64 array
        Time an access that the step would save in DRAM, in flash. [time]
    choice : list of str
        `dram`, `flash`, or `neither` where neither gains.
    estimator, validity : str
        What was used and where it holds.
    derivation : tuple of Derivation
        Formula, numbers, source.
    """

    usd: list[Decimal]
    ram_pages: list[int]
    flash_pages: list[int]
    dram_gain: FloatArray
    flash_gain: FloatArray
    choice: list[str]
    estimator: str
    validity: str
    derivation: tuple[Derivation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return found


def pages_for(usd: Decimal, usd_per_byte: Decimal, page_bytes: int) -> int:
    """Whole pages that money buys.

    Parameters
    ----------
    usd : Decimal
        Money, not negative. [USD]
    usd_per_byte : Decimal
        Price of capacity, above 0. [USD/byte]
    page_bytes : int
        Page. [bytes]

    Returns
    -------
    int
        [pages]

    Raises
    ------
    BadInput
        If the money is negative or the price is not positive.

    Examples
    --------
    >>> pages_for(Decimal(1), Decimal("4.7") / 2**30, 4096)
    55775
    """
    problems = Problems(
        "pages for money", "use money of at least 0 and prices above 0 USD"
    )
    problems.check(usd.is_finite() and usd >= 0, "usd", usd, "must not be negative")
    good = usd_per_byte.is_finite() and usd_per_byte > 0
    problems.check(good, "usd_per_byte", usd_per_byte, "must be above 0")
    problems.check(page_bytes > 0, "page_bytes", page_bytes, "must be above 0")
    problems.raise_if_any()
    return int(usd / (usd_per_byte * page_bytes))


def roi_log(
    base: float,
    *,
    added_dram: float,
    added_flash: float,
    disk_cost: float,
    flash_cost: float,
) -> Roi:
    """Compare equal money in DRAM and in flash by the log model.

    ratio = (C_disk - C_flash) ln(1 + flash / B) / (C_disk ln(1 + DRAM / B)); alpha cancels.

    Parameters
    ----------
    base : float
        B, the existing DRAM; above 0. [pages or bytes]
    added_dram, added_flash : float
        What the money buys, in the unit of the base; not negative.
    disk_cost, flash_cost : float
        C_disk and C_flash of one page access. [time]

    Returns
    -------
    Roi
        Gains are per unit of alpha.

    Raises
    ------
    BadInput
        If the base is not positive, an amount is negative, or flash is not below disk.

    Examples
    --------
    >>> found = roi_log(
    ...     200,
    ...     added_dram=200,
    ...     added_flash=2000,
    ...     disk_cost=1 / 409,
    ...     flash_cost=1 / 65803,
    ... )
    >>> round(found.flash_to_dram_gain_ratio, 2), found.winner
    (3.44, 'flash')
    """
    spared = _spared("return on money", disk_cost, flash_cost)
    v = broadcast(
        "return on money",
        amounts={"base": base, "added_dram": added_dram, "added_flash": added_flash},
    )
    if not base > 0:
        raise BadInput(
            f"return on money: base: `{base}` must be above 0",
            "give the existing DRAM: the log model has no value at 0",
        )
    flash = spared * float(np.log1p(v["added_flash"] / v["base"]))
    dram = disk_cost * float(np.log1p(v["added_dram"] / v["base"]))
    return Roi(
        added_dram,
        added_flash,
        dram,
        flash,
        None if dram == 0 else flash / dram,
        winner_of(dram, flash),
        "log model (Eq 1), equal money",
        LOG_VALIDITY,
        (),
        (
            Derivation(
                "flash_to_dram_gain_ratio",
                None if dram == 0 else flash / dram,
                "1",
                "(C_disk - C_flash) ln(1 + F / B) / (C_disk ln(1 + D / B))",
                (
                    Number("B", base, "size", "existing DRAM"),
                    Number("D", added_dram, "size", "DRAM that the money buys"),
                    Number("F", added_flash, "size", "flash that the money buys"),
                    Number("C_disk", disk_cost, "time", "one page access on disk"),
                    Number("C_flash", flash_cost, "time", "one page access on flash"),
                ),
                _SOURCE,
            ),
        ),
    )


def roi_curve(
    curve: Curve,
    base_pages: float,
    *,
    added_dram_pages: float,
    added_flash_pages: float,
    disk_cost: float,
    flash_cost: float,
    flash_metadata: MetadataPreset | None = None,
) -> Roi:
    """Compare equal money in DRAM and in flash by the workload's own curve.

    DRAM saves [H(B + D) - H(B)] C_disk an access, flash [H(B + F) - H(B)] (C_disk - C_flash).

    Parameters
    ----------
    curve : Curve
        Hit-ratio curve.
    base_pages : float
        B, the existing DRAM; above 0. [pages]
    added_dram_pages, added_flash_pages : float
        What the money buys. [pages]
    disk_cost, flash_cost : float
        C_disk and C_flash of one page access. [time]
    flash_metadata : MetadataPreset, optional
        Its metadata are taken out of B; without it nothing is charged.

    Returns
    -------
    Roi
        Gains are time an access.

    Raises
    ------
    BadInput
        If an input is out of its domain, or the metadata leave no DRAM.
    """
    _spared("return on money", disk_cost, flash_cost)
    check_base(curve, base_pages)
    v = broadcast(
        "return on money",
        amounts={"dram": added_dram_pages, "flash": added_flash_pages},
    )
    at_base = float(curve.hit_ratio(base_pages))
    with_dram = float(curve.hit_ratio(base_pages + v["dram"]))
    gains = PlainGains(curve, base_pages, disk_cost, flash_cost, flash_metadata)
    left = float(frames_left(curve, base_pages, v["flash"], flash_metadata))
    with_flash = float(curve.hit_ratio(max(left, 0.0) + v["flash"]))
    dram = float(gains.dram(v["dram"]))
    flash = float(gains.flash(v["flash"]))
    if not np.isfinite(flash):
        raise BadInput(
            f"return on money: added_flash_pages: `{added_flash_pages}` need more RAM "
            f"for their metadata than the {base_pages:g} pages of DRAM",
            "spend less on flash, or choose a cache with smaller entries",
        )
    return Roi(
        added_dram_pages,
        added_flash_pages,
        dram,
        flash,
        None if dram == 0 else flash / dram,
        winner_of(dram, flash),
        "measured LRU curve, equal money",
        CURVE_VALIDITY,
        (),
        (
            Derivation(
                "flash_to_dram_gain_ratio",
                None if dram == 0 else flash / dram,
                "1",
                "(H(B + F) - H(B)) (C_disk - C_flash) / ((H(B + D) - H(B)) C_disk)",
                (
                    Number("H(B)", at_base, "1", "hit ratio of the existing DRAM"),
                    Number("H(B + D)", with_dram, "1", "with the added DRAM"),
                    Number("H(B + F)", with_flash, "1", "with the flash"),
                    Number("C_disk", disk_cost, "time", "one page access on disk"),
                    Number("C_flash", flash_cost, "time", "one page access on flash"),
                ),
                _SOURCE,
            ),
        ),
    )


def flip_price_ratio(delta: ArrayLike, theta: ArrayLike) -> FloatArray:
    """Price of flash over price of DRAM at which equal money gains as much in both.

    A DRAM step delta costs p_dram delta B, the flash theta that replaces it
    p_flash theta B; they cost the same at p_flash / p_dram = delta / theta. Below that
    ratio flash is the better buy, above it DRAM.

    Parameters
    ----------
    delta, theta : array_like
        As from `log_theta`, `curve_theta` or `full_theta`; broadcast. [1]

    Returns
    -------
    float64 array
        NaN where theta is NaN (flash never replaces the step: DRAM at any price) or 0 (the
        step gains nothing: neither). By the log model never above 1. [1]

    Raises
    ------
    BadInput
        If delta is negative or theta is negative.

    Examples
    --------
    >>> flip_price_ratio([1.0, 3.0], [1.25, float("nan")]).tolist()
    [0.8, nan]
    """
    steps = broadcast("flip price ratio", amounts={"delta": delta})["delta"]
    found = np.asarray(theta, dtype=np.float64)
    if bool(np.any(found < 0)):
        raise BadInput(
            f"flip price ratio: theta: `{found}` must not be negative",
            "give theta as a size in multiples of the existing DRAM",
        )
    shape = np.broadcast_shapes(steps.shape, found.shape)
    usable = np.isfinite(found) & (found > 0)
    ratio = np.full(shape, np.nan)
    np.divide(steps, found, out=ratio, where=usable)
    return ratio


def marginal_gains(
    curve: Curve,
    *,
    ram_pages: int,
    flash_pages: int,
    usd_step: Decimal,
    steps: int,
    dram_usd_per_byte: Decimal,
    flash_usd_per_byte: Decimal,
    disk_cost: float,
    flash_cost: float,
    flash_metadata: MetadataPreset | None = None,
) -> Marginal:
    """Where each next sum of money gains most, starting from the sizes there are.

    Time an access at sizes (R, F): T = [m(R) - m(R + F)] C_flash + m(R + F) C_disk with
    m the miss ratio of one LRU. Each step buys DRAM or flash, whichever lowers T more; among
    equals flash. Greedy: on a curve that is not concave a larger sum at once may gain more.

    Parameters
    ----------
    curve : Curve
        Hit-ratio curve.
    ram_pages, flash_pages : int
        Sizes there are; RAM at least 1. [pages]
    usd_step : Decimal
        Sum of each step; buys at least one page of each. [USD]
    steps : int
        Number of steps, 1 to 10,000.
    dram_usd_per_byte, flash_usd_per_byte : Decimal
        [USD/byte]
    disk_cost, flash_cost : float
        C_disk and C_flash of one page access. [time]
    flash_metadata : MetadataPreset, optional
        Its metadata are taken out of the DRAM; a step that leaves none gains minus infinity.

    Returns
    -------
    Marginal

    Raises
    ------
    BadInput
        If an input is out of its domain or a step buys less than a page.
    """
    _spared("marginal gains", disk_cost, flash_cost)
    check_base(curve, ram_pages)
    more_ram = pages_for(usd_step, dram_usd_per_byte, curve.page_bytes)
    more_flash = pages_for(usd_step, flash_usd_per_byte, curve.page_bytes)
    problems = Problems("marginal gains", "use larger steps of money")
    problems.check(flash_pages >= 0, "flash_pages", flash_pages, "must not be negative")
    problems.check(1 <= steps <= MOST_STEPS, "steps", steps, "must lie in [1, 10000]")
    problems.check(
        more_ram > 0, "usd_step", usd_step, "buys less than one page of DRAM"
    )
    problems.check(
        more_flash > 0, "usd_step", usd_step, "buys less than one page of flash"
    )
    problems.raise_if_any()

    def time_of(ram: int, flash: int) -> float:
        left = float(frames_left(curve, ram, flash, flash_metadata))
        if left < 1:
            return float("inf")
        low = float(curve.misses(left + flash))
        high = float(curve.misses(left))
        return ((high - low) * flash_cost + low * disk_cost) / curve.accesses

    usd, rams, flashes = [], [], []
    choices: list[str] = []
    dram_gains, flash_gains = [], []
    ram, flash, spent = ram_pages, flash_pages, Decimal(0)
    for _ in range(steps):
        now = time_of(ram, flash)
        if not np.isfinite(now):
            raise BadInput(
                f"marginal gains: ram_pages: `{ram}` hold less than the flash metadata",
                "start from more DRAM or less flash",
            )
        by_dram = now - time_of(ram + more_ram, flash)
        by_flash = now - time_of(ram, flash + more_flash)
        winner = winner_of(by_dram, by_flash)
        choice: str = "flash" if winner == "tie" else winner
        usd.append(spent)
        rams.append(ram)
        flashes.append(flash)
        dram_gains.append(by_dram)
        flash_gains.append(by_flash)
        choices.append(choice)
        if choice == "neither":
            break
        spent += usd_step
        if choice == "dram":
            ram += more_ram
        else:
            flash += more_flash
    return Marginal(
        usd,
        rams,
        flashes,
        np.asarray(dram_gains),
        np.asarray(flash_gains),
        choices,
        "measured LRU curve, RAM and flash as one LRU; greedy",
        CURVE_VALIDITY,
        (
            Derivation(
                "dram_gain, flash_gain",
                None,
                "time",
                "T(R, F) - T(R + dR, F), T(R, F) - T(R, F + dF) with "
                "T = (m(R) - m(R + F)) C_flash + m(R + F) C_disk",
                (
                    Number("step", usd_step, "USD", "money of a step"),
                    Number("dR", more_ram, "pages", "DRAM that a step buys"),
                    Number("dF", more_flash, "pages", "flash that a step buys"),
                    Number("C_disk", disk_cost, "time", "one page access on disk"),
                    Number("C_flash", flash_cost, "time", "one page access on flash"),
                ),
                "derived: exclusive LRU tiers",
            ),
        ),
    )


SAME_GAIN = 1e-9
"""Gains that differ by less than this share count as equal."""


def winner_of(dram: float, flash: float) -> Winner:
    """Which gain is larger; `neither` where neither is above 0."""
    if dram <= 0 and flash <= 0:
        return "neither"
    if abs(dram - flash) <= SAME_GAIN * max(dram, flash):
        return "tie"
    return "flash" if flash > dram else "dram"


def _spared(subject: str, disk_cost: float, flash_cost: float) -> float:
    """C_disk - C_flash, checked."""
    v = broadcast(subject, amounts={"disk_cost": disk_cost, "flash_cost": flash_cost})
    if not (v["flash_cost"] > 0 and v["flash_cost"] < v["disk_cost"]):
        raise BadInput(
            f"{subject}: flash_cost: `{flash_cost}` must be above 0 and below disk_cost "
            f"`{disk_cost}`",
            "choose flash that is faster than disk; other flash saves nothing",
        )
    return float(v["disk_cost"] - v["flash_cost"])
