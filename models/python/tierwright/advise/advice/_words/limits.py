"""Limits in words: their names, their values with units, and what an option has of each.

What is read beside a limit is rounded so that a limit of just that value keeps the option: amounts to the cent, all else
to three digits, to the side that the option is on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from tierwright.common.currency import exact_money, money, shown_in, to_the_coin
from tierwright.common.units import (
    UNIT_BYTES,
    format_bytes,
    format_microseconds,
    unit_of,
)
from tierwright.common.wording import (
    LONGER,
    counted,
    duration,
    duration_unit,
    percent,
    three_digits,
)
from tierwright.evaluate.advice.limits import (
    EVIDENCE,
    LEAST,
    LIFE,
    LOAD,
    MONEY,
    PEAK_BUSY,
    POWER,
    PRICE,
    REPLICAS,
    RESTART,
    THROUGHPUT,
    TIMES,
    UNITS,
)
from tierwright.evaluate.bill import VOLUMES_UNKNOWN
from tierwright.evaluate.configurations.columns import RAM, SPACE

IF_DIRTY = "if every page that leaves RAM is dirty, "
"""Before the life of flash, of which only the least is known where the trace does not tell writes from reads."""
HELD_DIRTY = (
    "The trace does not tell writes from reads: how long flash lasts is unknown, and the limit on its life is held as if every "
    "page that leaves RAM were dirty; a trace with operations tells it."
)
LIMIT_WORDS: Mapping[str, str] = {
    PEAK_BUSY: "busy share of a device in the busiest hour",
    THROUGHPUT: "throughput",
    "machines": "machines",
    "ram_bytes": "RAM",
    "flash_bytes": "flash cache",
    "usd_per_month": "cost per month",
    "purchase_usd": "purchase",
    "io_time_us_per_access": "I/O time of an access",
    "flash_life_years": "life of the flash",
    RESTART: "time until RAM is warm after a restart",
    POWER: "power of the servers",
    UNITS: "rack units",
    "response_mean_us": "mean response time in the busiest hour",
    "response_p50_us": "median response time in the busiest hour",
    "response_p99_us": "99th percentile of the response time in the busiest hour",
    LOAD: "devices that carry the load",
    PRICE: "a price",
    TIMES: "stated I/O rates of every device",
    SPACE: "space for the data",
    REPLICAS: "a machine for each copy of the data",
    RAM: "RAM beside what the system takes",
    "no_drive_bays": "bays for the drive",
    "volume_size": "volumes as large as it needs",
    "volume_iops": "volumes with the IOPS it needs",
    "volume_iops_per_gib": "volumes large enough for their IOPS",
    "volume_throughput": "volumes with the throughput it needs",
    "volume_throughput_per_iops": "IOPS enough for the throughput of its volumes",
    "volume_count": "an instance that takes as many volumes",
    VOLUMES_UNKNOWN: "an instance that is known to take as many volumes",
    "instance_iops": "an instance that sustains the IOPS of its volumes",
    "instance_throughput": "an instance that sustains the throughput of its volumes",
    "max_ram": "a chassis that takes its RAM",
    "power_supply": "supplies for its power",
    "reserved_ram": "RAM for the system",
    EVIDENCE: "sizes at which misses are known",
}
"""Constraints in words, and what an option may lack, to be read behind *has* or *lacks*."""
SAID_OF: Mapping[str, str] = {
    PEAK_BUSY: "a device of it would be {} busy in the busiest hour",
    THROUGHPUT: "it carries {}",
    "machines": "it takes {}",
    "ram_bytes": "it has {} of RAM",
    "flash_bytes": "its flash cache has {}",
    "usd_per_month": "it costs {}",
    "purchase_usd": "its purchase costs {}",
    "io_time_us_per_access": "an access takes {} of I/O time",
    "flash_life_years": "its flash lasts {}",
    RESTART: "RAM takes {} to warm up after a restart",
    POWER: "its servers draw {}",
    UNITS: "it takes {} of rack space",
    "response_mean_us": "its mean response time in the busiest hour is {}",
    "response_p50_us": "its median response time in the busiest hour is {}",
    "response_p99_us": "the 99th percentile of its response time in the busiest hour is {}",
}
"""What an option has of each constraint, with room for the value and its unit."""


def what_it_has(name: str, value: float) -> str:
    """Say what an option has of a constraint."""
    return SAID_OF[name].format(limit_value(name, value))


def what_breaks(name: str, value: float, limit: float) -> str:
    """Say what an option has that breaks a limit, and that it does where both read the same; amounts to the coin then.

    Examples
    --------
    >>> what_breaks("peak_busy", 0.703, 0.7), what_breaks("peak_busy", 0.7001, 0.7)
    ('a device of it would be 70.3 % busy in the busiest hour', 'a device of it would be 70.0 % busy in the busiest hour, a little more than the limit')
    >>> what_breaks("usd_per_month", 109.45, 109.2)
    'it costs 109.45 USD per month, 0.25 USD more than the limit'
    """
    has = what_it_has(name, value)
    if limit_value(name, value) != limit_value(name, limit):
        return has
    side = "less" if name in LEAST else "more"
    if name in MONEY:
        beyond = exact_money(round(abs(value - limit), 2))
        return f"{has.replace(money(value), exact_money(value))}, {beyond} {side} than the limit"
    return f"{has}, a little {side} than the limit"


def limit_value(name: str, value: float) -> str:
    """Write the value of a constraint with its unit."""
    if name in MONEY:
        return money(value) + (" per month" if name == "usd_per_month" else "")
    if name == PEAK_BUSY:
        return percent(value)
    if name.endswith("_bytes"):
        return format_bytes(value)
    if name == "machines":
        return counted(int(value), "machine")
    if name == RESTART:
        return duration(value)
    if name == THROUGHPUT:
        return f"{three_digits(value)} accesses per second"
    if name == POWER:
        return f"{three_digits(value)} W"
    if name == UNITS:
        return f"{value:,.0f} U"
    if name == LIFE:
        return counted(three_digits(value), "year")
    return format_microseconds(value)


def kept_limit(name: str, value: float) -> str:
    """Write the value that a limit has to have so that an option of just that value keeps what is read.

    Amounts to the cent, in the currency that is shown; all else with three digits, rounded to the side that the option
    is on.

    Examples
    --------
    >>> kept_limit("ram_bytes", 6 * 2**30), kept_limit("purchase_usd", 18_916_303.5)
    ('6 GiB', '18,916,303.50 USD')
    >>> kept_limit("usd_per_month", 816.0), kept_limit("restart_s", 613.0)
    ('816 USD per month', '10.3 minutes')
    """
    if name in MONEY:
        return _to_the_coin(name, value, ROUND_CEILING)
    return limit_value(name, kept_value(name, value))


def stated_limit(name: str, limit: Decimal | float) -> str:
    """Write the value of a limit as it was stated: amounts to the cent below, all else with its own digits, in a unit that adds none.

    Examples
    --------
    >>> (
    ...     stated_limit("usd_per_month", Decimal("1102.36")),
    ...     stated_limit("machines", Decimal(2)),
    ... )
    ('1,102.36 USD per month', '2 machines')
    >>> (
    ...     stated_limit("flash_life_years", Decimal(50)),
    ...     stated_limit("power_watts", Decimal("1234.5")),
    ...     stated_limit("restart_s", Decimal(5400)),
    ...     stated_limit("response_p99_us", Decimal(1250)),
    ... )
    ('50 years', '1,234.5 W', '90 minutes', '1.25 ms')
    >>> (
    ...     stated_limit("restart_s", Decimal(3700)),
    ...     stated_limit("ram_bytes", Decimal(10**12)),
    ...     stated_limit("throughput_accesses_per_s", Decimal(1)),
    ... )
    ('3,700 s', '1 TB', '1 access per second')
    """
    value = limit if isinstance(limit, Decimal) else Decimal(repr(float(limit)))
    if name in MONEY:
        return _to_the_coin(name, value, ROUND_FLOOR)
    if name == PEAK_BUSY:
        return f"{_plain(value.scaleb(2, _EXACT))} %"
    if name in _STATED_IN:
        return _STATED_IN[name](_plain(value))
    if name.endswith("_bytes"):
        return _in_unit(value, _BYTE_UNITS, 1)
    if name == RESTART:
        return _in_unit(value, _LONG_UNITS, 2)
    power, unit = next(
        (each for each in _TIME_UNITS if value >= Decimal(10) ** each[0]),
        (-3, "ns") if value else (0, "µs"),
    )
    return f"{_plain(value.scaleb(-power, _EXACT))} {unit}"


def what_is_asked(name: str, limit: Decimal | float) -> str:
    """Say what a limit admits, as it was stated, behind what an option has.

    Examples
    --------
    >>> what_is_asked("peak_busy", 0.7), what_is_asked("flash_life_years", 5.0)
    ('at most 70 % is allowed', 'at least 5 years is required')
    >>> what_is_asked("machines", 1), what_is_asked("machines", 2)
    ('at most 1 machine is allowed', 'at most 2 machines are allowed')
    """
    written = stated_limit(name, limit)
    if name in LEAST:
        return f"at least {written} is required"
    # Machines are counted, all else is an amount.
    verb = "are" if name == "machines" and limit != 1 else "is"
    return f"at most {written} {verb} allowed"


_EXACT = Context(prec=100)
"""Enough for every digit that a limit may be stated with."""
_TIME_UNITS = ((6, "s"), (3, "ms"), (0, "µs"))
_BYTE_UNITS = sorted(UNIT_BYTES.items(), key=lambda each: -each[1])
_LONG_UNITS = [*((unit, size) for size, unit in LONGER), ("s", 1)]
_STATED_IN: Mapping[str, Callable[[str], str]] = {
    "machines": lambda said: counted(said, "machine"),
    THROUGHPUT: lambda said: counted(said, "access per second", "accesses per second"),
    POWER: lambda said: f"{said} W",
    UNITS: lambda said: f"{said} U",
    LIFE: lambda said: counted(said, "year"),
}
"""Limits that are written in the unit in which they are stated."""
_FEW_DIGITS = 3


def _in_unit(value: Decimal, units: Sequence[tuple[str, int]], least: int) -> str:
    """Write a number in the largest unit in which it has at most three digits, or else is whole; or in the smallest, which stands last.

    Of larger units it has at least so many. A third of a minute would have digits without end.
    """
    found = [
        (exact, unit)
        for unit, size in units[:-1]
        if value >= size * least
        for exact in [_quotient(value, size)]
        if exact is not None
    ]
    few = (each for each in found if _digits(each[0]) <= _FEW_DIGITS)
    whole = (each for each in found if each[0] == each[0].to_integral_value())
    written, unit = next(few, None) or next(whole, (value, units[-1][0]))
    return f"{_plain(written)} {unit}"


def _quotient(value: Decimal, size: int) -> Decimal | None:
    """Divide a number by the size of a unit; None where the quotient has no end."""
    exact = _EXACT.divide(value, Decimal(size))
    return exact if _EXACT.multiply(exact, Decimal(size)) == value else None


def _digits(value: Decimal) -> int:
    """Count the digits that a number is written with, without zeros behind them: 1,500 has two of them."""
    return len(_EXACT.normalize(value).as_tuple().digits)


def _plain(value: Decimal) -> str:
    """Write a number with the digits that it has, and no zeros behind them."""
    return f"{_EXACT.normalize(value):,f}"


_BEHIND: Mapping[str, str] = {
    "ram_bytes": " of RAM",
    "flash_bytes": " of flash cache",
    "purchase_usd": " at purchase",
    "io_time_us_per_access": " of I/O time",
    "flash_life_years": " of life of the flash",
    RESTART: " until RAM is warm",
    "response_mean_us": " in the mean",
    "response_p50_us": " in the median",
    "response_p99_us": " at the 99th percentile",
}
"""What the value of a limit is of, behind the value, where its unit does not say it."""


def in_heading(name: str, value: Decimal) -> str:
    """Write the value of a limit so that it says what it limits.

    Examples
    --------
    >>> in_heading("response_p99_us", Decimal(200)), in_heading("machines", Decimal(2))
    ('200 µs at the 99th percentile', '2 machines')
    """
    if name == PEAK_BUSY:
        return f"a device busy for {stated_limit(name, value)} of the busiest hour"
    return f"{stated_limit(name, value)}{_BEHIND.get(name, '')}"


def _to_the_coin(name: str, value: Decimal | float, rounding: str) -> str:
    per = " per month" if name == "usd_per_month" else ""
    coins = to_the_coin(value, rounding=rounding).removesuffix(".00")
    return f"{coins} {shown_in().currency}{per}"


def kept_value(name: str, value: float) -> float:
    """Round the value of a limit to three digits of the unit in which it is shown, so that the limit that is read keeps it.

    Examples
    --------
    >>> kept_value("io_time_us_per_access", 1.9227), kept_value("restart_s", 613.0)
    (1.93, 618.0)
    """
    unit = duration_unit(value)[0] if name == RESTART else 1
    return safe_side(name, value / unit) * unit


def behind_name(name: str, written: str) -> str:
    """Leave out of the written value of a limit what the name before it says already.

    Examples
    --------
    >>> (
    ...     behind_name("usd_per_month", "2,500 USD per month"),
    ...     behind_name("machines", "2 machines"),
    ... )
    ('2,500 USD', '2')
    """
    if name == "usd_per_month":
        return written.removesuffix(" per month")
    return written.partition(" ")[0] if name == "machines" else written


_WITHOUT_ARTICLE = (THROUGHPUT, "machines", "ram_bytes", UNITS)


def on_limit(name: str) -> str:
    """Name a limit behind *limit* or *limits*."""
    the = "" if name in _WITHOUT_ARTICLE else "the "
    return f"on {the}{LIMIT_WORDS[name]}"


_PLURAL = ("machines", UNITS)


def what_is(name: str) -> str:
    """Name the value of a limit as the subject of a sentence, with its verb.

    Examples
    --------
    >>> what_is("rack_units"), what_is("power_watts")
    ('the rack units are', 'the power of the servers is')
    """
    return f"the {LIMIT_WORDS[name]} {'are' if name in _PLURAL else 'is'}"


_LAST_DIGITS = Decimal("1e-13")
"""Share of a value that its last digits make. [1]"""


def safe_side(name: str, value: float) -> float:
    """Round the value of a limit to the three digits that are shown, so that the option keeps what is read.

    Those of a size are the ones of the unit in which it is shown.

    Examples
    --------
    >>> safe_side("usd_per_month", 812.43), safe_side("flash_life_years", 4.567)
    (813.0, 4.56)
    >>> safe_side("ram_bytes", 64 * 2**30) / 2**30
    64.0
    >>> safe_side("response_p99_us", 80.00000000000001)
    80.0
    """
    if value <= 0 or not math.isfinite(value):
        return value
    unit = unit_of(value)[1] if name.endswith("_bytes") else 1
    shown = Decimal(repr(value)) / unit
    step = Decimal(10) ** (shown.adjusted() - 2)
    steps = shown / step
    whole = steps.to_integral_value()
    # What differs by the rounding of a sum alone keeps the limit; a byte more does not.
    if abs(steps - whole) > whole * _LAST_DIGITS:
        whole = steps.to_integral_value(ROUND_FLOOR if name in LEAST else ROUND_CEILING)
    return float(whole * step * unit)
