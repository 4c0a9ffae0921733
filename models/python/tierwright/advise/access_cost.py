"""What an access costs on each device that is kept busy: money over accesses, the cheapest first.

Joins `tierwright.evaluate.economics.tier_cost` with the busy time of a page: a device of which the
whole capacity is bought, or the smallest volume of its rate rented, serves as many accesses a month
as it can. It is the price of a random access, as in the five-minute rule, for every device at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from tierwright.common.answer import Answer, Figure, steps
from tierwright.common.currency import money
from tierwright.common.derivation import Derivation, Number
from tierwright.common.errors import BadInput, Problems
from tierwright.common.units import format_bytes
from tierwright.common.wording import three_digits
from tierwright.evaluate.economics import (
    HOURS_PER_MONTH,
    Assumptions,
    Load,
    tier_cost,
)
from tierwright.hardware.device import Device, Operation
from tierwright.hardware.prices import PriceBook
from tierwright.hardware.service_time import service_time

ESTIMATOR = "price over months, per access of a device that is kept busy"
VALIDITY = (
    "the device is bought for its accesses, serves them all the time, and its capacity is worth "
    "nothing besides"
)
BILLION = Decimal(10**9)
US_PER_S = 1e6
_SAME = 1.005
"""Ratio below which two costs are equal to three digits."""


@dataclass(frozen=True, slots=True)
class AccessCostRow:
    """One device.

    Attributes
    ----------
    device_id, device_name, kind : str
        The device.
    accesses_per_s : float or None
        Random accesses that it serves while it is kept busy. [1/s]
    usd_per_month : Decimal or None
        Money a month: capital or rent, provisioned rates and fees. [USD/month]
    usd_per_billion_accesses : Decimal or None
        [USD]
    reason : str
        Why there is no cost; empty where there is one.
    derivation : tuple of Derivation
        Of the cost.
    """

    device_id: str
    device_name: str
    kind: str
    accesses_per_s: float | None
    usd_per_month: Decimal | None
    usd_per_billion_accesses: Decimal | None
    reason: str
    derivation: tuple[Derivation, ...]


@dataclass(frozen=True, kw_only=True)
class AccessCosts(Answer):
    """Devices by the cost of an access, the cheapest first; those without a cost last.

    Attributes
    ----------
    rows : tuple of AccessCostRow
        One a device.
    cheapest : str or None
        Device of least cost.
    estimator, validity : str
        What was used and where it holds.
    """

    rows: tuple[AccessCostRow, ...]
    cheapest: str | None
    estimator: str
    validity: str

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Cost of a billion accesses of each device that has one."""
        return tuple(
            Figure(row.device_id, row.device_name, row.usd_per_billion_accesses, "USD")
            for row in self.rows
            if row.usd_per_billion_accesses is not None
        )


def answer(
    devices: Sequence[Device],
    *,
    page_bytes: int,
    operation: Operation = "read",
    prices: PriceBook | None = None,
    amortisation_months: int = 36,
    subject: str | None = None,
) -> AccessCosts:
    """Cost a random access on each device that is kept busy.

    cost = usd_per_month / (730 h / t_page), t_page from `tierwright.hardware.service_time`.

    Parameters
    ----------
    devices : sequence of Device
        Each once.
    page_bytes : int
        Page; at least 1. [bytes]
    operation : {"read", "write"}
        What an access does.
    prices : PriceBook, optional
        Its price goes before the device's own.
    amortisation_months : int
        Months over which a purchase is spread. [months]
    subject : str, optional
        Device that the finding compares with the cheapest.

    Returns
    -------
    AccessCosts

    Raises
    ------
    BadInput
        If there is no device or one twice, or the subject is not among them.

    Examples
    --------
    >>> from tierwright.hardware import catalog
    >>> ssd = catalog.device("face2016-samsung-840pro-256")
    >>> found = answer([ssd], page_bytes=4096)
    >>> found.cheapest, round(found.rows[0].accesses_per_s)
    ('face2016-samsung-840pro-256', 65803)
    """
    ids = [device.id for device in devices]
    problems = Problems("cost of an access", "name each device once")
    problems.check(ids, "devices", None, "needs at least one device")
    problems.check(len(set(ids)) == len(ids), "devices", ids, "names a device twice")
    problems.check(
        subject is None or subject in ids,
        "subject",
        subject,
        "is not one of the devices",
    )
    problems.raise_if_any()
    used = Assumptions(amortisation_months=amortisation_months)
    rows = [_row(device, page_bytes, operation, prices, used) for device in devices]
    rows.sort(
        key=lambda row: (
            row.usd_per_billion_accesses is None,
            row.usd_per_billion_accesses or Decimal(0),
        )
    )
    priced = [row for row in rows if row.usd_per_billion_accesses is not None]
    what = f"random {operation}s of {format_bytes(page_bytes)}"
    return AccessCosts(
        finding=_finding(priced, rows, subject, what),
        warnings=(),
        explain=lambda: (
            step for row in rows for step in steps(row.derivation, row.device_id)
        ),
        rows=tuple(rows),
        cheapest=priced[0].device_id if priced else None,
        estimator=ESTIMATOR,
        validity=VALIDITY,
    )


def _row(
    device: Device,
    page_bytes: int,
    operation: Operation,
    prices: PriceBook | None,
    used: Assumptions,
) -> AccessCostRow:
    time = service_time(device, operation, page_bytes)
    rate = None if time.time_us is None else US_PER_S / time.time_us

    def without(reason: str) -> AccessCostRow:
        return AccessCostRow(
            device.id, device.name, device.kind, rate, None, None, reason, ()
        )

    if rate is None:
        return without(f"`{device.id}` states no time of a {operation}")
    # Of a rented volume only as much is taken as its rate needs.
    held = 1 if device.size_is_chosen else device.capacity_bytes
    if held is None:
        return without(f"`{device.id}` states no capacity, so its price is unknown")
    served = Decimal(rate) * HOURS_PER_MONTH * 3600
    load = Load(reads=served) if operation == "read" else Load(writes=served)
    try:
        cost = tier_cost(device, held, prices=prices, load=load, assumptions=used)
    except BadInput as error:
        return without(error.message)
    each = cost.usd_per_month / served * BILLION
    step = Derivation(
        "cost of a billion accesses",
        each,
        "USD",
        "usd_per_month / (730 h / t) x 10^9",
        (
            Number(
                "usd_per_month", cost.usd_per_month, "USD/month", "price over months"
            ),
            Number("t", time.time_us, "µs", time.basis),
        ),
        "five-minute rule, Gray and Putzolu (SIGMOD 1987)",
    )
    return AccessCostRow(
        device.id,
        device.name,
        device.kind,
        rate,
        cost.usd_per_month,
        each,
        "",
        (*(line.derivation for line in cost.lines), step),
    )


def _finding(
    priced: Sequence[AccessCostRow],
    rows: Sequence[AccessCostRow],
    subject: str | None,
    what: str,
) -> str:
    asked = next((row for row in rows if row.device_id == subject), None)
    if asked is not None and asked.usd_per_billion_accesses is None:
        return (
            f"A billion {what} cannot be priced on {asked.device_name}: {asked.reason}."
        )
    if not priced:
        return f"A billion {what} cannot be priced on any of these devices."
    best = priced[0]
    if asked is None or asked.device_id == best.device_id:
        return f"A billion {what} cost least on {best.device_name}: {_cost(best)}."
    times = _ratio(asked, best)
    if times < _SAME:
        return (
            f"A billion {what} cost {_cost(asked)} on {asked.device_name}, as much as on "
            f"{best.device_name}, the cheapest."
        )
    return (
        f"A billion {what} cost {_cost(asked)} on {asked.device_name}, "
        f"{three_digits(times)} times as much as on {best.device_name}, the cheapest."
    )


def _cost(row: AccessCostRow) -> str:
    return money(row.usd_per_billion_accesses or Decimal(0))


def _ratio(row: AccessCostRow, other: AccessCostRow) -> float:
    base = other.usd_per_billion_accesses or Decimal(0)
    return float((row.usd_per_billion_accesses or Decimal(0)) / base) if base else 1.0
