"""Devices side by side for one tier: what each costs a month, and whether it keeps up.

Joins the costs of `tierwright.evaluate.economics` with the utilisation law of `tierwright.evaluate.throughput`: the
cheapest device is no answer where the load keeps it busy for longer than a month has.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from tierwright.common.answer import Answer, Figure, steps
from tierwright.common.cautions import Caution
from tierwright.common.currency import money
from tierwright.common.derivation import Derivation, Number
from tierwright.common.errors import BadInput, Problems
from tierwright.common.wording import counted, percent
from tierwright.evaluate.economics import (
    HOURS_PER_MONTH,
    VALIDITY,
    Assumptions,
    Load,
    TierCost,
    system_cost,
    tier_cost,
    tier_price,
)
from tierwright.hardware.device import OPERATIONS, Device
from tierwright.hardware.prices import PriceBook
from tierwright.hardware.provisioning import (
    configured,
    enough_for,
    provision,
    throughput_of,
)
from tierwright.hardware.service_time import service_time

_Asked = tuple[PriceBook | None, Load, int, Assumptions | None]
"""Prices, load, page size and assumptions of the question."""
SECONDS_PER_MONTH = float(HOURS_PER_MONTH) * 3600
US_PER_S = 1e6
MILLION = Decimal(10**6)


@dataclass(frozen=True, slots=True)
class TierRow:
    """One device in the comparison.

    Attributes
    ----------
    device_id, device_name, kind : str
        What would hold the bytes.
    cost : TierCost or None
        None where it cannot be priced.
    reason : str
        Why there is no cost; empty where there is one.
    usd_per_million_pages_month : Decimal or None
        Money a month for a million pages held; None where nothing is held. [USD/month]
    usd_per_million_accesses : Decimal or None
        Money for a million reads and writes; None where there are none. [USD]
    served_by : int
        Devices or volumes among which the load is spread: as many as hold the bytes.
    busy_share : float or None
        Share of a month for which the load keeps each busy; above 1 it cannot keep up. None
        where the device states no service times. [1]
    derivation : tuple of Derivation
        Of each line of the cost and of the busy share.
    """

    device_id: str
    device_name: str
    kind: str
    cost: TierCost | None
    reason: str
    usd_per_million_pages_month: Decimal | None
    usd_per_million_accesses: Decimal | None
    served_by: int
    busy_share: float | None
    derivation: tuple[Derivation, ...]

    @property
    def keeps_up(self) -> bool:
        """Whether the load is known to fit into the month."""
        return self.busy_share is not None and self.busy_share <= 1


@dataclass(frozen=True, kw_only=True)
class TierCosts(Answer):
    """Devices for one tier, the cheapest first; those without a cost last.

    Attributes
    ----------
    rows : tuple of TierRow
        One a device.
    cheapest : str or None
        Device of least cost.
    cheapest_that_keeps_up : str or None
        Device of least cost among those known to serve the load.
    estimator, validity : str
        What was used and where it holds.
    """

    rows: tuple[TierRow, ...]
    cheapest: str | None
    cheapest_that_keeps_up: str | None
    estimator: str
    validity: str

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Cost a month of each device that has one."""
        return tuple(
            Figure(row.device_id, row.device_name, row.cost.usd_per_month, "USD/month")
            for row in self.rows
            if row.cost is not None
        )


def answer(
    devices: Sequence[Device],
    held_bytes: int,
    *,
    page_bytes: int,
    prices: PriceBook | None = None,
    load: Load | None = None,
    assumptions: Assumptions | None = None,
) -> TierCosts:
    """Cost a tier on each device, and see which of them can serve its load.

    busy = (reads x t_read + writes x t_write) / (devices x 730 h), the utilisation law U = X S / m
    with the busy time of a page as S, `tierwright.hardware.service_time`.

    Parameters
    ----------
    devices : sequence of Device
        To compare, each once.
    held_bytes : int
        Bytes held. [bytes]
    page_bytes : int
        Of a read or write, and for the money of a page. [bytes]
    prices, load, assumptions
        As in `tierwright.evaluate.economics.tier_cost`.

    Returns
    -------
    TierCosts

    Raises
    ------
    BadInput
        If there is no device or one twice, or a number is out of its domain.

    Examples
    --------
    >>> from tierwright.hardware import catalog
    >>> found = answer(
    ...     [
    ...         catalog.device("face2016-samsung-840pro-256"),
    ...         catalog.device("face2016-cheetah-15k6-single"),
    ...     ],
    ...     10**11,
    ...     page_bytes=4096,
    ...     load=Load(reads=Decimal(2 * 10**9)),
    ... )
    >>> [(row.device_id, round(row.busy_share, 3)) for row in found.rows]
    [('face2016-cheetah-15k6-single', 1.861), ('face2016-samsung-840pro-256', 0.012)]
    >>> found.cheapest_that_keeps_up
    'face2016-samsung-840pro-256'
    """
    work = load or Load()
    ids = [device.id for device in devices]
    problems = Problems("tiers side by side", "name each device once")
    problems.check(ids, "devices", None, "needs at least one device")
    problems.check(len(set(ids)) == len(ids), "devices", ids, "names a device twice")
    problems.raise_if_any()
    if held_bytes < 0:
        raise BadInput(
            f"tiers side by side: held_bytes: `{held_bytes}` must not be negative",
            "give the bytes that the tier holds",
        )
    rows = [
        _row(device, held_bytes, page_bytes, prices, work, assumptions)
        for device in devices
    ]
    rows.sort(key=lambda row: math.inf if row.cost is None else row.cost.usd_per_month)
    priced = [row for row in rows if row.cost is not None]
    serving = [row for row in priced if row.keeps_up]
    return TierCosts(
        finding=_finding(priced, serving),
        warnings=tuple(_cautions(devices, rows, prices, work, page_bytes, assumptions)),
        explain=lambda: (
            step for row in rows for step in steps(row.derivation, row.device_id)
        ),
        rows=tuple(rows),
        cheapest=priced[0].device_id if priced else None,
        cheapest_that_keeps_up=serving[0].device_id if serving else None,
        estimator="prices x amounts; busy time by the utilisation law",
        validity=f"{VALIDITY}; busy time assumes random accesses of one page",
    )


def _finding(priced: Sequence[TierRow], serving: Sequence[TierRow]) -> str:
    if not priced:
        return "No device here has a price; choose a price book that has one."
    cheapest = priced[0]
    text = f"{cheapest.device_name} is the cheapest at {_cost(cheapest)} a month"
    if cheapest.busy_share is None:
        return f"{text}; whether it can serve the load is unknown."
    if cheapest.keeps_up:
        return f"{text}, and busy for {percent(cheapest.busy_share)} of it."
    few = (
        "one device"
        if cheapest.served_by == 1
        else f"the {counted(cheapest.served_by, 'device')} that hold the bytes"
    )
    text += f", but {few} cannot serve the load"
    if not serving:
        return f"{text}, and no other device here is known to be able to."
    other = serving[0]
    return f"{text}; {other.device_name} can, for {_cost(other)} a month."


def _cost(row: TierRow) -> str:
    return money(Decimal(0) if row.cost is None else row.cost.usd_per_month)


def _row(
    device: Device,
    held_bytes: int,
    page_bytes: int,
    prices: PriceBook | None,
    work: Load,
    assumptions: Assumptions | None,
) -> TierRow:
    cost, reason = None, ""
    try:
        cost = tier_cost(
            device, held_bytes, prices=prices, load=work, assumptions=assumptions
        )
    except BadInput as error:
        # No price, or no capacity to count whole devices by: the row says which.
        reason = error.message
    capacity = device.capacity_bytes
    whole = 1 if capacity is None else max(1, -(-held_bytes // capacity))
    busy = _busy(_as_rented(device, work), work, whole, page_bytes)
    return TierRow(
        device.id,
        device.name,
        device.kind,
        cost,
        reason,
        _of_pages(cost, page_bytes),
        None if cost is None else cost.usd_per_million_accesses(_accesses(work)),
        whole,
        None if busy is None else float(busy.value),
        (
            *(() if cost is None else (line.derivation for line in cost.lines)),
            *(() if busy is None else (busy,)),
        ),
    )


def _as_rented(device: Device, work: Load) -> Device:
    """Return the device with the limits of what is provisioned, as far as that is possible."""
    try:
        used = provision(
            device, iops=work.provisioned_iops, throughput=work.provisioned_mb_per_s
        )
    except BadInput:  # the row says why it has no cost
        return device
    return configured(device, used)


def _accesses(work: Load) -> Decimal:
    """Add up the accesses of a month, as far as they are stated."""
    return (work.reads or Decimal(0)) + (work.writes or Decimal(0))


def _of_pages(cost: TierCost | None, page_bytes: int) -> Decimal | None:
    each = None if cost is None else cost.usd_per_page_month(page_bytes)
    return None if each is None else each * MILLION


def _busy(
    device: Device, work: Load, devices: int, page_bytes: int
) -> Derivation | None:
    read, write = (service_time(device, each, page_bytes) for each in OPERATIONS)
    read_us, write_us = read.time_us, write.time_us
    needed = [
        (work.reads or Decimal(0), read_us),
        (work.writes or Decimal(0), write_us),
    ]
    if any(count > 0 and time is None for count, time in needed):
        return None
    seconds = sum(float(count) * (time or 0.0) for count, time in needed) / US_PER_S
    return Derivation(
        "busy",
        seconds / (devices * SECONDS_PER_MONTH),
        "1",
        "(reads t_read + writes t_write) / (devices x 730 h)",
        (
            Number("reads", needed[0][0], "1/month", "load of a month"),
            Number("t_read", read_us, "µs", read.basis),
            Number("writes", needed[1][0], "1/month", "load of a month"),
            Number("t_write", write_us, "µs", write.basis),
            Number("devices", devices, "1", "that hold the bytes"),
        ),
        "utilisation law, Denning and Buzen (1978)",
    )


def _cautions(
    devices: Sequence[Device],
    rows: Sequence[TierRow],
    prices: PriceBook | None,
    work: Load,
    page_bytes: int,
    assumptions: Assumptions | None,
) -> Iterator[Caution]:
    by_id = {device.id: device for device in devices}
    for row in rows:
        if row.busy_share is not None and row.busy_share > 1:
            yield _overloaded(
                by_id[row.device_id], row, (prices, work, page_bytes, assumptions)
            )
        elif row.busy_share is None and _accesses(work) > 0:
            yield Caution(
                "busy_unknown",
                f"`{row.device_id}` states no service times, so whether it can serve "
                "the load is unknown",
                "add its rates to a copy of the device",
            )
        if row.cost is not None:
            yield from row.cost.warnings
    used = [tier_price(device, prices) for device in devices]
    costs = {row.device_id: row.cost for row in rows if row.cost is not None}
    if costs:
        yield from system_cost(
            costs, [price for price in used if price is not None]
        ).warnings


def _overloaded(
    device: Device,
    row: TierRow,
    asked: _Asked,
) -> Caution:
    """Say what limits a device that the load overloads, and what would be enough."""
    _, work, page_bytes, _ = asked
    share, limit = row.busy_share or 0.0, _limit(device, work, page_bytes)
    of = "its time" if row.served_by == 1 else "the time of each"
    said = (
        f"`{device.id}` cannot serve the load"
        if row.served_by == 1
        else f"the {row.served_by:,} of `{device.id}` that hold the bytes cannot serve the load"
    )
    if limit:
        said += (
            f", limited by its {limit}"
            if row.served_by == 1
            else f", limited by the {limit} of each"
        )
    enough = math.ceil(share * row.served_by)
    hint = _rent_more(device, row, asked) or (
        f"spread the bytes and the load over {counted(enough, 'volume')}, and price each with its part"
        if row.cost is not None and row.cost.volumes
        else f"{counted(enough, 'device')} would be enough: raise the bytes held until that many are priced"
    )
    return Caution(
        "cannot_keep_up",
        f"{said}: a month's load needs {share:.3g} months of {of}",
        hint,
    )


def _limit(device: Device, work: Load, page_bytes: int) -> str:
    """Name what limits a volume, IOPS or throughput; empty for other devices."""
    volume = _as_rented(device, work)
    times = {
        operation: service_time(volume, operation, page_bytes)
        for operation, count in zip(OPERATIONS, (work.reads, work.writes), strict=True)
        if count
    }
    slow = max(times, key=lambda each: times[each].time_us or 0.0, default=None)
    if slow is None or times[slow].rule != "io_units":
        return ""
    rate, iops = (
        volume.number(f"sequential_{slow}_mb_per_s"),
        volume.number(f"{slow}_iops"),
    )
    if rate and (times[slow].time_us or 0.0) <= page_bytes / rate:
        used = throughput_of(volume, Decimal(str(rate)))
        return f"throughput of {used[0]:,} {used[1]}"
    return "" if iops is None else f"{iops:,.0f} IOPS"


def _rent_more(device: Device, row: TierRow, asked: _Asked) -> str:
    """Say how much of what limits a volume is enough, and its price; empty if none can be had."""
    prices, work, page_bytes, assumptions = asked
    if row.cost is None or row.cost.volumes != 1:
        return ""
    wanted = enough_for(
        device,
        _accesses(work),
        page_bytes,
        iops=work.provisioned_iops,
        throughput=work.provisioned_mb_per_s,
    )
    if wanted is None:
        return ""
    more = replace(
        work, provisioned_iops=wanted.iops, provisioned_mb_per_s=wanted.throughput
    )
    try:
        cost = tier_cost(
            device,
            row.cost.held_bytes,
            prices=prices,
            load=more,
            assumptions=assumptions,
        )
    except BadInput:  # more than one volume provisions
        return ""
    busy = _busy(_as_rented(device, more), more, 1, page_bytes)
    if busy is None or float(busy.value) > 1 + 1e-9:
        return ""
    amounts = " and ".join(
        text
        for value, text in (
            (wanted.iops, f"{wanted.iops or 0:,} IOPS"),
            (wanted.throughput, f"{wanted.throughput or 0:,} {wanted.unit}"),
        )
        if value
    )
    return f"provision {amounts}, which is enough and costs {cost.usd_per_month:,.2f} USD a month in total"
