"""Write amplification, lifetime, rated endurance and what wear costs.

Source: Kang, Lee and Moon (2016), sections 2.2 and 6.7.1 (WAF, Tables 2 and 7); lifetime is derived.
A year has 365 days; TB are 10^12 bytes, as in data sheets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.checks import broadcast
from tierwright.common.derivation import Derivation, Number, plain
from tierwright.common.errors import BadInput, Problems
from tierwright.evaluate.endurance.growth import years_with_growth
from tierwright.hardware.device import Device
from tierwright.hardware.rated_endurance import (
    _NOTHING,
    DAYS_PER_YEAR,
    DRIVE_WRITES_YEARS,
    TB,
)

SECONDS_PER_DAY = 86_400
SECONDS_PER_YEAR = SECONDS_PER_DAY * DAYS_PER_YEAR
MONTHS_PER_YEAR = 12
LIFETIME_VALIDITY = (
    "even wear (perfect levelling), a steady write rate and WAF, no retention or bad-block "
    "limit before the P/E cycles are used"
)
LEFT_ESTIMATOR = "rated writes less host writes so far, at one rate"
LEFT_VALIDITY = (
    "a rating for the pattern of these writes, and a constant write rate; "
    "the rating is a warranty, not the day on which the device fails"
)
COST_ESTIMATOR = "price over rated writes, used up evenly by each TB written"
COST_VALIDITY = (
    "the price of the device as new, no interest and no resale; its rating holds for the pattern "
    "of these writes; a month is a twelfth of 365 days"
)
_FACE = "Kang, Lee and Moon (2016), sections 2.2 and 6.7.1"
_HINT = "use finite sizes, cycles and rates above 0"


@dataclass(frozen=True, slots=True)
class Waf:
    """Write amplification.

    Attributes
    ----------
    waf : float64 array
        Physical over host writes. [1]
    estimator, validity : str
        What was used and where it holds.
    warnings : tuple of Caution
        What to know before acting on it.
    derivation : tuple of Derivation
        Formula, numbers, source.
    """

    waf: FloatArray
    estimator: str
    validity: str
    warnings: tuple[Caution, ...]
    derivation: tuple[Derivation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True, slots=True)
class Lifetime:
    """How long flash lasts under a steady load; arrays of one shape.

    Attributes
    ----------
    seconds, years : float64 array
        Infinite where nothing is written. [s], [365 days]
    host_tb_written : float64 array
        Host writes over the life, whatever the rate. [10^12 bytes]
    drive_writes_per_day : float64 array
        Of the same NAND bytes over 5 x 365 days: what that life allows. [1/day]
    estimator, validity : str
        What was used and where it holds.
    warnings : tuple of Caution
        What to know before acting on it.
    derivation : tuple of Derivation
        Formula, numbers, source.
    """

    seconds: FloatArray
    years: FloatArray
    host_tb_written: FloatArray
    drive_writes_per_day: FloatArray
    estimator: str
    validity: str
    warnings: tuple[Caution, ...]
    derivation: tuple[Derivation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; an infinite life is None."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True, slots=True)
class Remaining:
    """What is left of a device.

    Attributes
    ----------
    rated_tb, written_tb, left_tb : float
        Warranted, written so far, and the rest; the rest may be negative. [10^12 bytes]
    left_share : float
        left / rated. [1]
    years_left : float or None
        At the given write rate; None where nothing is written. [365 days]
    by_percentage_used : float or None
        Share that the device itself says is left; below 0 past its rating. [1]
    estimator, validity : str
        What was used and where it holds.
    warnings : tuple of Caution
        What to know before acting on it.
    derivation : tuple of Derivation
        Formula, numbers, source.
    """

    rated_tb: float
    written_tb: float
    left_tb: float
    left_share: float
    years_left: float | None
    by_percentage_used: float | None
    estimator: str
    validity: str
    warnings: tuple[Caution, ...]
    derivation: tuple[Derivation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True, slots=True)
class WearCost:
    """Endurance as money.

    Attributes
    ----------
    usd_per_tb_written : Decimal
        Price of a device over its rated writes. [USD/10^12 bytes]
    usd_per_month : Decimal
        That times the writes of a month, as they are today. [USD/month]
    left_usd : Decimal
        Part of the price whose rated writes are not used yet. [USD]
    life_months : Decimal or None
        Until the rated writes are used, from today; None where they never are. [month]
    amortised_usd_per_month : Decimal or None
        What is left of the price, spread over the shorter of life and amortisation, both from
        today; None where nothing is left. [USD/month]
    wear_limited : bool
        Whether the device wears out before it is amortised.
    estimator, validity : str
        What was used and where it holds.
    derivation : tuple of Derivation
        Formula, numbers, source.
    """

    usd_per_tb_written: Decimal
    usd_per_month: Decimal
    left_usd: Decimal
    life_months: Decimal | None
    amortised_usd_per_month: Decimal | None
    wear_limited: bool
    estimator: str
    validity: str
    derivation: tuple[Derivation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return found


def write_amplification(physical_bytes: ArrayLike, logical_bytes: ArrayLike) -> Waf:
    """WAF = physical NAND writes / host writes.

    Parameters
    ----------
    physical_bytes, logical_bytes : array_like
        Written to NAND, written by the host; any shapes that broadcast. [bytes]

    Returns
    -------
    Waf
        Below 1 only with compression or deduplication, or if the counters do not belong
        together; then a warning says so.

    Raises
    ------
    BadInput
        If physical writes are negative or host writes are not positive.

    Examples
    --------
    >>> float(write_amplification(5150, 1000).waf)  # Table 2, 840 Pro, 4 kB random
    5.15
    """
    v = broadcast(
        "write amplification",
        amounts={"physical_bytes": physical_bytes, "logical_bytes": logical_bytes},
    )
    if not np.all(v["logical_bytes"] > 0):
        raise BadInput(
            f"write amplification: logical_bytes: `{v['logical_bytes']}` must be above 0",
            "use counters with host writes: without them there is no amplification",
        )
    found = np.asarray(v["physical_bytes"] / v["logical_bytes"])
    return Waf(
        found,
        "measured: physical over host writes",
        "both counters over the same time, long enough for the device to be in steady state",
        _about_waf(found),
        (
            Derivation(
                "waf",
                found,
                "1",
                "physical / host",
                (
                    Number("physical", v["physical_bytes"], "bytes", "NAND writes"),
                    Number("host", v["logical_bytes"], "bytes", "host writes"),
                ),
                _FACE,
            ),
        ),
    )


def waf_by_pattern(device: Device, sequential_share: ArrayLike) -> Waf:
    """WAF of a mix of appends and small random writes, from the device's two figures.

    WAF = s WAF_seq + (1 - s) WAF_4k with s the share of host bytes written in large units:
    each host byte brings its own pattern's physical bytes.

    Parameters
    ----------
    device : Device
        With figures `waf_4k` and `waf_sequential`, those that the share needs.
    sequential_share : array_like
        s. [1]

    Returns
    -------
    Waf

    Raises
    ------
    BadInput
        If the share is outside [0, 1] or the device does not state a WAF that is needed.

    Examples
    --------
    >>> from tierwright.hardware import catalog
    >>> ssd = catalog.device("face2016-samsung-840pro-256")
    >>> [round(float(waf), 3) for waf in waf_by_pattern(ssd, [0, 0.5, 1]).waf]
    [5.15, 3.09, 1.03]
    """
    share = broadcast("WAF by pattern", shares={"sequential_share": sequential_share})[
        "sequential_share"
    ]
    problems = Problems(
        "WAF by pattern",
        "measure it as physical over host writes, or choose another device",
    )
    random, appends = device.number("waf_4k"), device.number("waf_sequential")
    problems.check(
        random is not None or np.all(share == 1),
        "device",
        device.id,
        "states no WAF of random writes (waf_4k)",
    )
    problems.check(
        appends is not None or np.all(share == 0),
        "device",
        device.id,
        "states no WAF of large writes (waf_sequential)",
    )
    problems.raise_if_any()
    found = np.asarray(share * (appends or 0.0) + (1 - share) * (random or 0.0))
    return Waf(
        found,
        "mix of two measured patterns",
        "patterns do not disturb each other; a mix in one stream may amplify more",
        _about_waf(found),
        (
            Derivation(
                "waf",
                found,
                "1",
                "s WAF_seq + (1 - s) WAF_4k",
                (
                    Number("s", share, "1", "share of host bytes in large writes"),
                    Number("WAF_seq", appends, "1", f"`{device.id}` waf_sequential"),
                    Number("WAF_4k", random, "1", f"`{device.id}` waf_4k"),
                ),
                f"derived; WAF of the device as {_FACE} measures it",
            ),
        ),
    )


def lifetime(
    *,
    nand_bytes: ArrayLike,
    pe_cycles: ArrayLike,
    waf: ArrayLike,
    host_bytes_per_s: ArrayLike,
) -> Lifetime:
    """Lifetime of flash under a steady load.

    seconds = NAND bytes x P/E cycles / (WAF x host bytes per second); host bytes over the
    life = NAND x P/E / WAF.

    Parameters
    ----------
    nand_bytes : array_like
        All NAND, spare included. [bytes]
    pe_cycles : array_like
        Program and erase cycles of a block; about 1000 for TLC. [1]
    waf : array_like
        Write amplification. [1]
    host_bytes_per_s : array_like
        Host writes; 0 gives an infinite life. [bytes/s]

    Returns
    -------
    Lifetime

    Raises
    ------
    BadInput
        If NAND, cycles or WAF are not positive, or the rate is negative.

    Examples
    --------
    >>> found = lifetime(
    ...     nand_bytes=256e9, pe_cycles=1000, waf=1.02, host_bytes_per_s=20e6
    ... )
    >>> round(float(found.years), 3), round(float(found.host_tb_written), 1)
    (0.398, 251.0)
    """
    v = broadcast(
        "lifetime",
        amounts={
            "nand_bytes": nand_bytes,
            "pe_cycles": pe_cycles,
            "waf": waf,
            "host_bytes_per_s": host_bytes_per_s,
        },
    )
    problems = Problems("lifetime", _HINT)
    for name in ("nand_bytes", "pe_cycles", "waf"):
        problems.check(np.all(v[name] > 0), name, v[name], "must be above 0")
    problems.raise_if_any()
    host_bytes = v["nand_bytes"] * v["pe_cycles"] / v["waf"]
    rate = v["host_bytes_per_s"]
    seconds = np.full(rate.shape, np.inf)
    np.divide(host_bytes, rate, out=seconds, where=rate > 0)
    per_day = host_bytes / (v["nand_bytes"] * DRIVE_WRITES_YEARS * DAYS_PER_YEAR)
    return Lifetime(
        seconds=seconds,
        years=seconds / SECONDS_PER_YEAR,
        host_tb_written=host_bytes / TB,
        drive_writes_per_day=per_day,
        estimator="P/E cycles over amplified writes",
        validity=LIFETIME_VALIDITY,
        warnings=_about_waf(np.asarray(v["waf"])),
        derivation=(
            Derivation(
                "seconds",
                seconds,
                "s",
                "NAND x P/E / (WAF x rate)",
                (
                    Number("NAND", v["nand_bytes"], "bytes", "all NAND"),
                    Number("P/E", v["pe_cycles"], "1", "cycles of a block"),
                    Number("WAF", v["waf"], "1", "write amplification"),
                    Number("rate", rate, "bytes/s", "host writes"),
                ),
                f"derived from {_FACE}",
            ),
        ),
    )


def lifetime_ratio(
    *, waf_a: ArrayLike, writes_a: ArrayLike, waf_b: ArrayLike, writes_b: ArrayLike
) -> FloatArray:
    """Lifetime of a device under scheme a over that under scheme b: WAF_b w_b / (WAF_a w_a).

    A scheme that appends has the lower WAF but may write more pages; both count.

    Parameters
    ----------
    waf_a, waf_b : array_like
        Write amplification of each. [1]
    writes_a, writes_b : array_like
        Host writes of each for the same work, in any one unit.

    Returns
    -------
    float64 array
        Infinite where a writes nothing and b does. [1]

    Raises
    ------
    BadInput
        If a number is negative, a WAF is 0, or neither writes.

    Examples
    --------
    >>> round(
    ...     float(lifetime_ratio(waf_a=1.02, writes_a=1.3, waf_b=5.13, writes_b=1)), 2
    ... )
    3.87
    """
    v = broadcast(
        "lifetime ratio",
        amounts={
            "waf_a": waf_a,
            "writes_a": writes_a,
            "waf_b": waf_b,
            "writes_b": writes_b,
        },
    )
    problems = Problems(
        "lifetime ratio", "use a WAF above 0 and at least one scheme that writes"
    )
    for name in ("waf_a", "waf_b"):
        problems.check(np.all(v[name] > 0), name, v[name], "must be above 0")
    both = v["writes_a"] + v["writes_b"]
    problems.check(np.all(both > 0), "writes_a", 0, "and writes_b are both 0")
    problems.raise_if_any()
    worn_a, worn_b = v["waf_a"] * v["writes_a"], v["waf_b"] * v["writes_b"]
    ratio = np.full(worn_a.shape, np.inf)
    np.divide(worn_b, worn_a, out=ratio, where=worn_a > 0)
    return ratio


def remaining(
    *,
    rated_tb: float,
    written_tb: float,
    tb_per_day: float = 0.0,
    percentage_used: float | None = None,
) -> Remaining:
    """Rated writes that a device has left.

    Parameters
    ----------
    rated_tb : float
        TBW; above 0. [10^12 bytes]
    written_tb : float
        Host writes so far. [10^12 bytes]
    tb_per_day : float
        Host writes to come; 0 where there are none. [10^12 bytes/day]
    percentage_used : float, optional
        The device's own estimate of the life used; may exceed 100. [%]

    Returns
    -------
    Remaining

    Raises
    ------
    BadInput
        If a number is negative or the rating is not positive.

    Examples
    --------
    >>> found = remaining(
    ...     rated_tb=600, written_tb=150, tb_per_day=0.5, percentage_used=40
    ... )
    >>> found.left_tb, round(found.years_left, 3), found.warnings[0].name
    (450.0, 2.466, 'device_says_otherwise')
    """
    v = broadcast(
        "endurance left",
        amounts={
            "rated_tb": rated_tb,
            "written_tb": written_tb,
            "tb_per_day": tb_per_day,
            "percentage_used": 0.0 if percentage_used is None else percentage_used,
        },
    )
    if not v["rated_tb"] > 0:
        raise BadInput(
            f"endurance left: rated_tb: `{rated_tb}` must be above 0",
            "give the terabytes written (TBW) of the data sheet",
        )
    left = float(v["rated_tb"] - v["written_tb"])
    share = left / float(v["rated_tb"])
    years = None if tb_per_day == 0 else max(left, 0.0) / tb_per_day / DAYS_PER_YEAR
    own = None if percentage_used is None else 1 - percentage_used / 100
    return Remaining(
        rated_tb=float(rated_tb),
        written_tb=float(written_tb),
        left_tb=left,
        left_share=share,
        years_left=years,
        by_percentage_used=own,
        estimator=LEFT_ESTIMATOR,
        validity=LEFT_VALIDITY,
        warnings=_about_remaining(share, own),
        derivation=(
            Derivation(
                "left_tb",
                left,
                "TB",
                "rated - written",
                (
                    Number("rated", rated_tb, "TB", "TBW"),
                    Number("written", written_tb, "TB", "host writes so far"),
                ),
                "data sheet and SMART counters",
            ),
            Derivation(
                "years_left",
                years,
                "years",
                "max(0, rated - written) / writes per day / 365",
                (
                    Number("rated - written", left, "TB", "as above"),
                    Number("writes per day", tb_per_day, "TB/day", "to come"),
                ),
                "derived",
            ),
        ),
    )


def wear_cost(
    *,
    device_usd: Decimal,
    rated_tb: Decimal,
    tb_per_month: Decimal,
    amortisation_months: int,
    written_tb: Decimal = _NOTHING,
    growth_per_year: float = 0.0,
) -> WearCost:
    """Endurance as money: what each terabyte written uses up of the device's price.

    Parameters
    ----------
    device_usd : Decimal
        Price of the device, as new. [USD]
    rated_tb : Decimal
        Rated writes (TBW), or host writes over its life from `lifetime`; above 0. [TB]
    tb_per_month : Decimal
        Host writes today. [TB/month]
    amortisation_months : int
        Months over which the device is written off. [month]
    written_tb : Decimal
        Of the rated writes, used already. [TB]
    growth_per_year : float
        Of the writes, above -1; see `years_with_growth`. [1/year]

    Returns
    -------
    WearCost

    Raises
    ------
    BadInput
        If a number is negative, the rating or the months are not positive, or the growth is
        not above -1.

    Examples
    --------
    >>> found = wear_cost(
    ...     device_usd=Decimal(400),
    ...     rated_tb=Decimal(2000),
    ...     tb_per_month=Decimal(100),
    ...     amortisation_months=36,
    ... )
    >>> found.usd_per_tb_written, found.usd_per_month, found.life_months
    (Decimal('0.2'), Decimal('20.0'), Decimal('20'))
    >>> found.wear_limited, found.amortised_usd_per_month
    (True, Decimal('20'))
    >>> used = wear_cost(
    ...     device_usd=Decimal(400),
    ...     rated_tb=Decimal(2000),
    ...     tb_per_month=Decimal(100),
    ...     amortisation_months=36,
    ...     written_tb=Decimal(1800),
    ... )
    >>> used.life_months, used.left_usd, used.amortised_usd_per_month
    (Decimal('2'), Decimal('40'), Decimal('20'))
    """
    problems = Problems(
        "wear cost",
        "use money and rates of at least 0, and a rating and months above 0",
    )
    for name, value in (
        ("device_usd", device_usd),
        ("rated_tb", rated_tb),
        ("tb_per_month", tb_per_month),
        ("written_tb", written_tb),
    ):
        good = value.is_finite() and value >= 0
        problems.check(good, name, value, "must be finite and not negative")
    problems.check(rated_tb > 0, "rated_tb", rated_tb, "must be above 0")
    problems.check(
        amortisation_months >= 1,
        "amortisation_months",
        amortisation_months,
        "must be at least 1",
    )
    problems.raise_if_any()
    each = device_usd / rated_tb
    left_tb = max(rated_tb - written_tb, _NOTHING)
    life = _life_months(left_tb, tb_per_month, growth_per_year)
    planned = Decimal(amortisation_months)
    limited = life is not None and life < planned
    months = life if life is not None and limited else planned
    left_usd = device_usd * left_tb / rated_tb
    spread = left_usd / months if months > 0 else None
    common = (
        Number("price", device_usd, "USD", "as new"),
        Number("B", rated_tb, "TB", "writes over the life"),
        Number("B0", written_tb, "TB", "written before"),
    )
    writes = Number("w", tb_per_month, "TB/month", "host writes today")
    return WearCost(
        usd_per_tb_written=each,
        usd_per_month=each * tb_per_month,
        left_usd=left_usd,
        life_months=life,
        amortised_usd_per_month=spread,
        wear_limited=limited,
        estimator=COST_ESTIMATOR,
        validity=COST_VALIDITY,
        derivation=(
            Derivation(
                "usd_per_month",
                each * tb_per_month,
                "USD/month",
                "price / B x w",
                (common[0], common[1], writes),
                "derived",
            ),
            Derivation(
                "life_months",
                life,
                "months",
                "(B - B0) / w without growth, else "
                "12 ln(1 + (B - B0) ln(1 + g) / (12 w)) / ln(1 + g)",
                (
                    *common[1:],
                    writes,
                    Number("g", growth_per_year, "1/year", "growth of the load"),
                ),
                "derived",
            ),
            Derivation(
                "amortised_usd_per_month",
                spread,
                "USD/month",
                "price (1 - min(1, B0 / B)) / min(amortisation, life)",
                (
                    *common,
                    Number("amortisation", amortisation_months, "months", "planned"),
                    Number("life", life, "months", "from today"),
                ),
                "derived",
            ),
        ),
    )


def _life_months(
    left_tb: Decimal, tb_per_month: Decimal, growth_per_year: float
) -> Decimal | None:
    """Months until the writes left are used; None where they never are. [month]"""
    if growth_per_year == 0:  # exact, without a detour over floats
        return None if tb_per_month == 0 else left_tb / tb_per_month
    years = years_with_growth(
        float(left_tb), float(tb_per_month * MONTHS_PER_YEAR), growth_per_year
    )
    return None if math.isinf(years) else Decimal(repr(years)) * MONTHS_PER_YEAR


def _about_waf(waf: FloatArray) -> tuple[Caution, ...]:
    if not bool(np.any(waf < 1)):
        return ()
    return (
        Caution(
            "waf_below_one",
            f"a WAF of {float(np.min(waf)):.4g} is below 1: NAND wrote less than the host",
            "check both counters: only devices that compress or deduplicate reach this",
        ),
    )


DISAGREEMENT = 0.1
"""Difference of two shares left from which it is mentioned."""


def _about_remaining(share: float, own: float | None) -> tuple[Caution, ...]:
    found = []
    if share < 0 or (own is not None and own < 0):
        found.append(
            Caution(
                "beyond_rating",
                "the device is past its rated writes; it may still work, out of "
                "warranty",
                "plan its replacement",
            )
        )
    if own is not None and abs(own - share) > DISAGREEMENT:
        found.append(
            Caution(
                "device_says_otherwise",
                f"by its rating {share:.0%} is left, by the device's own counter {own:.0%}: "
                "its WAF differs from the one behind the rating",
                "rely on the device's counter for wear, and on the rating for the "
                "warranty",
            )
        )
    return tuple(found)
