"""A bill of materials: each charge as a line, in exact decimals, and the named limits it breaks.

A line is rounded to the cent once, as an invoice does; the sums are those of the printed lines. A month
has 730 hours. What has no price stays on the bill as a line without a price, and is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_HALF_UP, Context, Decimal, localcontext

from tierwright.common.wording import counted
from tierwright.evaluate.economics import HOURS_PER_MONTH
from tierwright.hardware.build import (
    Build,
    PartItem,
    Price,
    StoreItem,
    VolumeItem,
)
from tierwright.hardware.price_history import PricePoint
from tierwright.hardware.prices import MOST_QUARTERS_APART, quarter_of
from tierwright.hardware.rents import LICENCE
from tierwright.hardware.servers import Server
from tierwright.hardware.volumes import Volume

MONTHS_PER_YEAR = Decimal(12)
CENT = Decimal("0.01")
EXACT = Context(prec=120)
"""Digits enough for any product of a bill, so that nothing is rounded but lines to the cent."""
ZERO = Decimal(0)
NO_USD = Decimal("0.00")
"""No amount, to the cent as every line has it."""
MB_PER_MIB = Decimal(2**20) / Decimal(10**6)
_DRIVES = {"nvme": "nvme_bays", "sata_ssd": "nvme_bays", "hdd": "hdd_bays"}
"""Kind of drive to the bays that it needs; a 2.5-inch SATA drive fits a bay of the front."""
_BAY_NAMES = {"nvme_bays": "NVMe drive", "hdd_bays": "hard disk"}
_LOCAL_FAMILIES = frozenset({"n1", "n2", "n2d", "c2", "m3"})
"""Families that may take Local SSDs, at creation alone."""
_N2_COUNTS = (
    (10, (1, 2, 4, 8, 16, 24)),
    (20, (2, 4, 8, 16, 24)),
    (40, (4, 8, 16, 24)),
    (80, (8, 16, 24)),
    (128, (16, 24)),
)
"""Up to how many vCPUs of N2, which counts of Local SSDs are allowed."""
VOLUMES_UNKNOWN = "volume_count_unknown"
"""Limit that is broken where no source states that an instance takes as many volumes."""
UNKNOWN = frozenset({"dimm_slots_unknown", VOLUMES_UNKNOWN})
"""Limits of which no source states whether they hold."""


@dataclass(frozen=True, slots=True)
class Line:
    """One charge.

    Attributes
    ----------
    what : str
        What is paid for.
    kind : str
        server, part, spare, replacement, owned, reserved, capacity, iops, throughput, requests,
        transfer, power or extra.
    quantity : Decimal
        In the unit of the price.
    unit : str
        Of the price: `USD/hour`, `USD/GiB/month`, `USD`.
    unit_price : Decimal or None
        None where no price was found.
    date : str or None
        Of the price.
    usd_per_month, purchase_usd : Decimal
        Rounded to the cent; 0 where there is no price.
    source, note : str
    months : Decimal or None
        Months from one replacement to the next.
    """

    what: str
    kind: str
    quantity: Decimal
    unit: str
    unit_price: Decimal | None
    date: str | None
    usd_per_month: Decimal
    purchase_usd: Decimal
    source: str = ""
    note: str = ""
    months: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Violation:
    """A named limit that the build breaks.

    Attributes
    ----------
    name : str
        Of the limit.
    where : str
        Entry of the CONFIG, or id.
    message, hint : str
        What is wrong, and the next step.
    """

    name: str
    where: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Sum:
    """What lines come to.

    Attributes
    ----------
    usd_per_month, purchase_usd : Decimal
        Sums of the printed lines.
    total_usd : Decimal
        Purchase and all rents of the horizon.
    """

    usd_per_month: Decimal
    purchase_usd: Decimal
    total_usd: Decimal


@dataclass(frozen=True, slots=True)
class Stale:
    """Prices of dates that do not compare, and what the newest prices would change.

    Attributes
    ----------
    oldest, newest : Line
        Of all priced lines with a date.
    newer : tuple of (Line, PricePoint)
        Lines whose series has a newer price.
    purchase_usd : Decimal or None
        Purchase at the newest prices of the series; None where no series has a newer one.
    """

    oldest: Line
    newest: Line
    newer: tuple[tuple[Line, PricePoint], ...]
    purchase_usd: Decimal | None


def cents(usd: Decimal) -> Decimal:
    """Round an amount to the cent, half up."""
    return usd.quantize(CENT, ROUND_HALF_UP)


def bill_lines(build: Build) -> tuple[Line, ...]:
    """Make every line of a bill.

    rent = round(quantity x price x 730 h where it is by the hour); purchase = round(quantity x price).

    Parameters
    ----------
    build : Build
        What is rented, bought and owned.

    Returns
    -------
    tuple of Line
        In the order of the CONFIG.

    Examples
    --------
    >>> from tierwright.hardware.build import build_from_mapping
    >>> gp3 = {"id": "aws-ebs-gp3", "size_gib": 1024, "iops": 16000, "mb_per_s": 1000}
    >>> [
    ...     str(line.usd_per_month)
    ...     for line in bill_lines(build_from_mapping({"volume": [gp3]}))
    ... ]
    ['81.92', '65.00', '35.00']
    """
    with localcontext(EXACT):
        return tuple(_lines(build))


def bill_sum(lines: Iterable[Line], horizon_months: int) -> Sum:
    """Add lines up: total = purchase + months x rent.

    Parameters
    ----------
    lines : iterable of Line
    horizon_months : int
        [months]
    """
    listed = list(lines)
    month = sum((line.usd_per_month for line in listed), NO_USD)
    bought = sum((line.purchase_usd for line in listed), NO_USD)
    return Sum(month, bought, bought + month * horizon_months)


def months_to_break_even(one: Sum, other: Sum) -> int | None:
    """Whole months from which on the way with the larger purchase has cost no more.

    The first m with purchase_1 + m rent_1 <= purchase_2 + m rent_2, where purchase_1 > purchase_2.

    Returns
    -------
    int or None
        0 where one way is cheaper from the start; None where the larger purchase never pays off.
    """
    dear, light = (
        (one, other) if one.purchase_usd >= other.purchase_usd else (other, one)
    )
    more = dear.purchase_usd - light.purchase_usd
    saved = light.usd_per_month - dear.usd_per_month
    if more == 0:
        return 0
    if saved <= 0:
        return None
    return int((more / saved).to_integral_value(ROUND_CEILING))


def replacements_needed(
    written_tb_per_year: Decimal, rated_tb: Decimal, horizon_months: int
) -> int:
    """Count how often one drive is replaced within a horizon: ceil(written x years / rated) - 1.

    Parameters
    ----------
    written_tb_per_year : Decimal
        Host writes to the drive. [10^12 bytes/year]
    rated_tb : Decimal
        Its rating, above 0. [10^12 bytes]
    horizon_months : int
        [months]
    """
    worn = written_tb_per_year * horizon_months / (MONTHS_PER_YEAR * rated_tb)
    return max(0, int(worn.to_integral_value(ROUND_CEILING)) - 1)


# Lines.


def _lines(build: Build) -> Iterator[Line]:
    if build.server is not None:
        yield _server_line(build, build.server)
    for name, gib in build.reserved_ram:
        yield Line(
            f"RAM reserved for {name}",
            "reserved",
            gib * build.machines,
            "USD/GiB",
            ZERO,
            None,
            NO_USD,
            NO_USD,
            note="part of the RAM that is paid for above",
        )
    for item in build.parts:
        yield from _part_lines(build, item)
    asked = {item.part.id for item in build.parts}
    for part, count in build.own:
        if part.id not in asked:
            yield _owned(part.id, count, "")
    for volume in build.volumes:
        yield from _volume_lines(build, volume)
    for store in build.object_stores:
        yield from _store_lines(store)
    for extra in build.extras:
        rent = extra.usd_per_month is not None
        price = extra.usd_per_month if extra.usd is None else extra.usd
        amount = cents(extra.quantity * (price or ZERO))
        yield Line(
            extra.what,
            "extra",
            extra.quantity,
            "USD/month" if rent else "USD",
            price,
            extra.date,
            amount if rent else NO_USD,
            NO_USD if rent else amount,
            extra.source,
        )
    yield from _power_line(build)


def _rent(
    what: str,
    kind: str,
    quantity: Decimal,
    price: Decimal | None,
    unit: str,
    figure: tuple[str | None, str],
    *,
    times: Decimal = Decimal(1),
    note: str = "",
) -> Line:
    """Make a line that is due every month."""
    due = NO_USD if price is None else cents(quantity * price * times)
    return Line(
        what, kind, quantity, unit, price, figure[0], due, NO_USD, figure[1], note
    )


def _server_line(build: Build, server: Server) -> Line:
    listed = server.usd_per_hour if build.usd_per_hour is None else build.usd_per_hour
    price = None if listed is None else listed * (1 - build.commitment_discount)
    fact = server.figures.get("usd_per_hour")
    of = (None, "") if fact is None else (fact.date, fact.source)
    # A rent of a price book may be that of a contract.
    is_stated = fact is not None and fact.licence == LICENCE
    note = "730 hours a month" + ("" if is_stated else ", on demand")
    if build.usd_per_hour is not None:
        of, note = (None, build.stated), "730 hours a month"
    if build.commitment_discount:
        note = (
            f"730 hours a month; {build.commitment or 'commitment'}: "
            f"{(build.commitment_discount * 100).normalize():f} % off {listed} USD"
        )
    return _rent(
        server.id,
        "server",
        Decimal(build.machines),
        price,
        "USD/hour",
        of,
        times=HOURS_PER_MONTH,
        note=note,
    )


def _owned(identifier: str, count: int, note: str) -> Line:
    return Line(
        identifier,
        "owned",
        Decimal(count),
        "USD",
        ZERO,
        None,
        NO_USD,
        NO_USD,
        "own inventory",
        note or "already owned: costs nothing more",
    )


@dataclass(frozen=True, slots=True)
class PartCounts:
    """How many of one part all machines have over the horizon, by where they come from.

    Attributes
    ----------
    owned_used, owned_unused : int
        Of those that exist already.
    bought, spares : int
        Those in use, and those in reserve.
    needed, times_replaced : int
        Those at work, owned ones too, and how many follow each of them when it is worn out.
    """

    owned_used: int
    owned_unused: int
    bought: int
    spares: int
    needed: int
    times_replaced: int

    @property
    def replacements(self) -> int:
        """Those that follow worn out ones."""
        return self.times_replaced * self.needed

    @property
    def new(self) -> int:
        """All that are bought."""
        return self.bought + self.spares + self.replacements


def part_counts(build: Build, item: PartItem) -> PartCounts:
    """Count one part: those owned cover the need first, then the spares.

    Parameters
    ----------
    build : Build
    item : PartItem
        One of its parts.

    Returns
    -------
    PartCounts
    """
    owned = sum(count for part, count in build.own if part.id == item.part.id)
    needed = item.quantity * build.machines
    share = (build.spares_share * needed).to_integral_value(ROUND_CEILING)
    spares = int(share) + (build.spares_count if needed else 0)
    used = min(owned, needed)
    of_spares = min(owned - used, spares)
    written, rated = item.written_tb_per_year, item.rated_tb
    times = (
        replacements_needed(written, rated, build.horizon_months)
        if written and rated
        else 0
    )
    return PartCounts(
        used + of_spares,
        owned - used - of_spares,
        needed - used,
        spares - of_spares,
        needed,
        times,
    )


def _part_lines(build: Build, item: PartItem) -> Iterator[Line]:
    count = part_counts(build, item)
    owned = count.owned_used + count.owned_unused
    if owned:
        yield _owned(
            item.part.id,
            count.owned_used,
            f"{count.owned_unused:,} more owned and not used"
            if count.owned_unused
            else "",
        )
    if count.bought or not owned:
        yield _bought(item, count.bought, "part", item.part.id)
    if count.spares:
        yield _bought(item, count.spares, "spare", f"{item.part.id}, spare")
    written, rated = item.written_tb_per_year, item.rated_tb
    if count.times_replaced and written and rated:
        life = rated * MONTHS_PER_YEAR / written
        line = _bought(
            item, count.replacements, "replacement", f"{item.part.id}, worn out"
        )
        yield replace(
            line,
            months=life.quantize(Decimal("0.1"), ROUND_HALF_UP),
            note=f"{count.times_replaced:,} of each drive in {counted(build.horizon_months, 'month')}: "
            f"{rated.normalize():,f} TB rated, {written.normalize():,f} TB written a year",
        )


def _bought(item: PartItem, count: int, kind: str, what: str) -> Line:
    price = item.price
    return Line(
        what,
        kind,
        Decimal(count),
        "USD",
        None if price is None else price.usd,
        None if price is None else price.date,
        NO_USD,
        NO_USD if price is None else cents(price.usd * count),
        "" if price is None else price.source,
        "" if price is None else price.price_kind,
    )


def _up(value: Decimal) -> Decimal:
    """Round up to a whole number; `//` of Decimals would cut."""
    return value.to_integral_value(ROUND_CEILING)


def _of(volume: Volume, name: str) -> tuple[str | None, str]:
    fact = volume.figures.get(name)
    return (None, "") if fact is None else (fact.date, fact.source)


def billed_size_gib(item: VolumeItem) -> Decimal:
    """Size that is charged: at least the least size, whole steps. [GiB]"""
    return size_sold_gib(item.volume, item.size_gib)


def size_sold_gib(volume: Volume, size_gib: Decimal) -> Decimal:
    """Return the smallest size that is sold of a volume, of those of some size or more. [GiB]

    Parameters
    ----------
    volume : Volume
    size_gib : Decimal
        What it has to hold. [GiB]
    """
    size = max(size_gib, volume.min_size_gib or ZERO)
    step = volume.size_step_gib
    return _up(size / step) * step if step else size


def _volume_lines(build: Build, item: VolumeItem) -> Iterator[Line]:
    volume, count = item.volume, Decimal(item.quantity * build.machines)
    size = billed_size_gib(item)
    yield _rent(
        f"{volume.id}, capacity",
        "capacity",
        size * count,
        volume.usd_per_gib_month,
        "USD/GiB/month",
        _of(volume, "usd_per_gib_month"),
        note=""
        if size == item.size_gib
        else f"{item.size_gib.normalize():,f} GiB are billed as {size.normalize():,f} GiB",
    )
    included = volume.iops_included or ZERO
    if item.iops is not None and volume.iops_included is not None:
        yield from _iops_lines(volume, item.iops - included, count)
    rate, free = item.mb_per_s, volume.mb_per_s_included
    if rate is not None and free is not None and rate > free:
        yield _rent(
            f"{volume.id}, throughput",
            "throughput",
            (rate - free) * count,
            volume.usd_per_mb_per_s_month,
            f"USD/({volume.throughput_unit})/month",
            _of(volume, "usd_per_mb_per_s_month"),
            note=f"above the {free.normalize():,f} {volume.throughput_unit} included",
        )
    if volume.usd_per_million_io is not None and item.io_per_month:
        yield _rent(
            f"{volume.id}, operations",
            "requests",
            item.io_per_month * count / 10**6,
            volume.usd_per_million_io,
            "USD/1000000",
            _of(volume, "usd_per_million_io"),
        )


def _iops_lines(volume: Volume, charged: Decimal, count: Decimal) -> Iterator[Line]:
    """Make one line a tier of price."""
    if charged <= 0:
        return
    names = ("usd_per_iops_month", "usd_per_iops_month_2", "usd_per_iops_month_3")
    tiers = volume.iops_prices()
    included = volume.iops_included or ZERO
    note = f"above the {included.normalize():,f} included" if included else ""
    if not tiers:
        yield _rent(
            f"{volume.id}, IOPS",
            "iops",
            charged * count,
            None,
            "USD/IOPS/month",
            (None, ""),
            note=note,
        )
    for at, (start, price) in enumerate(tiers):
        end = tiers[at + 1][0] if at + 1 < len(tiers) else None
        part = (charged if end is None else min(charged, end)) - start
        if part > 0:
            yield _rent(
                f"{volume.id}, IOPS" + (f" above {start:,f}" if start else ""),
                "iops",
                part * count,
                price,
                "USD/IOPS/month",
                _of(volume, names[at]),
                note=note,
            )


def _store_lines(item: StoreItem) -> Iterator[Line]:
    store = item.volume
    yield _rent(
        f"{store.id}, capacity",
        "capacity",
        item.stored_gib,
        store.usd_per_gib_month,
        "USD/GiB/month",
        _of(store, "usd_per_gib_month"),
    )
    for word, number, price, name in (
        ("reads", item.reads_per_month, store.usd_per_1000_reads, "usd_per_1000_reads"),
        (
            "writes",
            item.writes_per_month,
            store.usd_per_1000_writes,
            "usd_per_1000_writes",
        ),
    ):
        if number:
            yield _rent(
                f"{store.id}, {word}",
                "requests",
                number / 1000,
                price,
                "USD/1000",
                _of(store, name),
            )
    for word, moved, price, name in (
        (
            "retrieval",
            item.retrieved_gb_per_month,
            store.usd_per_gb_retrieved,
            "usd_per_gb_retrieved",
        ),
        (
            "upload",
            item.uploaded_gb_per_month,
            store.usd_per_gb_uploaded,
            "usd_per_gb_uploaded",
        ),
    ):
        if moved and price is not None:
            yield _rent(
                f"{store.id}, {word}",
                "transfer",
                moved,
                price,
                "USD/GB",
                _of(store, name),
            )


def machine_watts(build: Build) -> tuple[Decimal | None, tuple[str, ...]]:
    """Power of one machine, and the parts of which no source states the power. [W]

    Returns
    -------
    watts : Decimal or None
        As stated, else the sum of the active power of its parts; None where nothing is bought.
    unknown : tuple of str
        Ids of parts that the sum leaves out.
    """
    if build.watts is not None:
        return build.watts, ()
    if not build.parts:
        return None, ()
    known = [
        item.part.active_power_w * item.quantity
        for item in build.parts
        if item.part.active_power_w is not None
    ]
    unknown = tuple(
        item.part.id for item in build.parts if item.part.active_power_w is None
    )
    return (sum(known, ZERO) if known else None), unknown


def monthly_kwh(build: Build) -> Decimal | None:
    """Electricity of all machines in a month: watts x machines x PUE x 730 h / 1000. [kWh/month]

    Returns
    -------
    Decimal or None
        None where the power of a machine is not known.
    """
    watts, _ = machine_watts(build)
    if watts is None:
        return None
    with localcontext(EXACT):
        return watts * build.machines * build.pue * HOURS_PER_MONTH / 1000


def power_note(build: Build, watts: Decimal) -> str:
    """Say of what the electricity of a month is the product."""
    return (
        f"{watts.normalize():,f} W a machine x {build.machines:,} x "
        f"{build.pue.normalize():f} (PUE) x 730 h"
    )


def _power_line(build: Build) -> Iterator[Line]:
    watts, _ = machine_watts(build)
    energy = monthly_kwh(build)
    if build.usd_per_kwh is None or not watts or energy is None:
        return
    yield _rent(
        "electricity",
        "power",
        energy,
        build.usd_per_kwh,
        "USD/kWh",
        (None, build.stated),
        note=power_note(build, watts),
    )


# Limits.


def violations(
    build: Build, drives: Mapping[str, int] | None = None
) -> tuple[Violation, ...]:
    """Name every limit that a build breaks.

    Parameters
    ----------
    build : Build
    drives : mapping of str to int, optional
        Drives in each machine that are no parts of the catalogue, by their kind: they need bays, too.

    Returns
    -------
    tuple of Violation
        Of the chassis, of each volume, of the instance's bandwidth to volumes, of the RAM.
    """
    return (
        *_of_chassis(build, drives or {}),
        *(
            found
            for at, item in enumerate(build.volumes)
            for found in _of_volume(build, item, f"volume[{at}]")
        ),
        *_of_instance(build),
        *_of_ram(build),
    )


def _installed(build: Build) -> list[tuple[PartItem | None, str, str, int]]:
    """List what is in each machine: item where the CONFIG has one, id, kind, count."""
    asked = {item.part.id for item in build.parts}
    found: list[tuple[PartItem | None, str, str, int]] = [
        (item, item.part.id, item.part.kind, item.quantity) for item in build.parts
    ]
    found += [
        (None, part.id, part.kind, -(-count // build.machines))
        for part, count in build.own
        if part.id not in asked
    ]
    return found


def _of_chassis(build: Build, drives: Mapping[str, int]) -> Iterator[Violation]:
    chassis = [item for item in build.parts if item.part.kind == "chassis"]
    if not chassis:
        return
    counts: dict[str, int] = dict(drives)
    for _, _, kind, count in _installed(build):
        counts[kind] = counts.get(kind, 0) + count
    where = ", ".join(item.part.id for item in chassis)
    modules = counts.get("dimm", 0)
    slots = _together([(item.dimm_slots, item.quantity) for item in chassis])
    if modules and slots is None:
        yield Violation(
            "dimm_slots_unknown",
            where,
            f"no source states the memory slots of `{where}`",
            "state `dimm_slots` of the chassis in the CONFIG",
        )
    elif slots is not None and modules > slots:
        yield Violation(
            "dimm_slots",
            where,
            f"{counted(modules, 'memory module does', 'memory modules do')} not fit "
            f"{counted(slots, 'slot')} of `{where}`",
            "use fewer and larger modules, or more machines",
        )
    yield from _of_bays(chassis, counts, where)
    yield from _of_supplies(build, chassis, where)


def _of_bays(
    chassis: list[PartItem], counts: dict[str, int], where: str
) -> Iterator[Violation]:
    for bays, name in _BAY_NAMES.items():
        drives = sum(
            counts.get(kind, 0) for kind, need in _DRIVES.items() if need == bays
        )
        if bays == "nvme_bays":
            drives += counts.get("cxl", 0)
        held = _together(
            [
                (
                    item.nvme_bays if bays == "nvme_bays" else item.hdd_bays,
                    item.quantity,
                )
                for item in chassis
            ]
        )
        if drives and held is None:
            yield Violation(
                "no_drive_bays",
                where,
                f"`{where}` states no bays for a {name}, and the build needs {drives:,}",
                f"choose a chassis that has them, or state its `{bays}` in the CONFIG",
            )
        elif held is not None and drives > held:
            yield Violation(
                "drive_bays",
                where,
                f"{counted(drives, f'{name} does', f'{name}s do')} not fit "
                f"{counted(held, 'bay')} of `{where}`",
                "use fewer and larger drives, or more machines",
            )


def _of_supplies(
    build: Build, chassis: list[PartItem], where: str
) -> Iterator[Violation]:
    most = _together([(item.part.max_ram_gib, item.quantity) for item in chassis])
    ram = installed_ram_gib(build)
    if most is not None and ram is not None and ram > most:
        yield Violation(
            "max_ram",
            where,
            f"{ram.normalize():,f} GiB of RAM are more than the {most.normalize():,f} GiB of "
            f"`{where}`",
            "use fewer or smaller modules, or more machines",
        )
    supply = _together([(item.part.psu_w, item.quantity) for item in chassis])
    watts, _ = machine_watts(build)
    if supply is not None and watts is not None and watts > supply:
        yield Violation(
            "power_supply",
            where,
            f"{watts.normalize():,f} W are more than the {supply.normalize():,f} W of the "
            f"supplies of `{where}`",
            "use parts of less power, or a chassis with larger supplies",
        )


def _together(each: list[tuple[Decimal | None, int]]) -> Decimal | None:
    """Add up what each of several states; None where one states nothing."""
    total = ZERO
    for value, count in each:
        if value is None:
            return None
        total += value * count
    return total


def _of_volume(build: Build, item: VolumeItem, where: str) -> Iterator[Violation]:
    volume, size = item.volume, billed_size_gib(item)
    included = volume.iops_included or ZERO
    iops = included if item.iops is None else item.iops
    rate = volume.mb_per_s_included if item.mb_per_s is None else item.mb_per_s
    server = build.server
    if server is not None and server.provider != volume.provider:
        yield Violation(
            "volume_of_another_provider",
            where,
            f"`{volume.id}` cannot be attached to `{server.id}`",
            f"choose a volume of {server.provider}",
        )
    if volume.max_size_gib is not None and size > volume.max_size_gib:
        yield Violation(
            "volume_size",
            where,
            f"{size.normalize():,f} GiB are more than the "
            f"{volume.max_size_gib.normalize():,f} GiB of one `{volume.id}`",
            "spread the data over several volumes with `quantity`",
        )
    if volume.max_iops is not None and iops > volume.max_iops:
        yield Violation(
            "volume_iops",
            where,
            f"{iops.normalize():,f} IOPS are more than the "
            f"{volume.max_iops.normalize():,f} of one `{volume.id}`",
            "spread the load over several volumes with `quantity`",
        )
    per_gib = volume.max_iops_per_gib
    if (
        per_gib is not None
        and volume.kind == "block"
        and item.iops is not None
        and iops > max(included, volume.min_iops or ZERO, per_gib * size)
    ):
        yield Violation(
            "volume_iops_per_gib",
            where,
            f"{iops.normalize():,f} IOPS need {_up(iops / per_gib):,f} GiB at "
            f"{per_gib.normalize():f} IOPS per GiB, and `{volume.id}` has "
            f"{size.normalize():,f} GiB",
            "use a larger volume, or fewer IOPS",
        )
    unit = volume.throughput_unit
    if (
        volume.max_mb_per_s is not None
        and rate is not None
        and rate > volume.max_mb_per_s
    ):
        yield Violation(
            "volume_throughput",
            where,
            f"{rate.normalize():,f} {unit} are more than the "
            f"{volume.max_mb_per_s.normalize():,f} {unit} of one `{volume.id}`",
            "spread the load over several volumes with `quantity`",
        )
    yield from _of_growth(volume, size, rate, where)
    per_iops = volume.max_mb_per_s_per_iops
    if per_iops is not None and rate is not None and rate > per_iops * iops:
        yield Violation(
            "volume_throughput_per_iops",
            where,
            f"{rate.normalize():,f} {unit} need {_up(rate / per_iops):,f} IOPS at "
            f"{per_iops.normalize():f} {unit} per IOPS, and `{volume.id}` has "
            f"{iops.normalize():,f}",
            "provision more IOPS, or less throughput",
        )
    if volume.kind == "local":
        yield from _of_local(server, item, where)


def _of_growth(
    volume: Volume, size: Decimal, rate: Decimal | None, where: str
) -> Iterator[Violation]:
    """Find throughput that the size of a volume does not give for ever."""
    each, most = volume.mb_per_s_per_gib, volume.most_mb_per_s(size)
    if each is None or most is None or rate is None or rate <= most:
        return
    unit = volume.throughput_unit
    yield Violation(
        "volume_throughput",
        where,
        f"{rate.normalize():,f} {unit} need {_up(rate / each):,f} GiB at "
        f"{each.normalize():f} {unit} per GiB, and `{volume.id}` has {size.normalize():,f} GiB",
        "use a larger volume, or less throughput",
    )


def _of_local(
    server: Server | None, item: VolumeItem, where: str
) -> Iterator[Violation]:
    step = item.volume.size_step_gib
    if step is None:
        yield Violation(
            "not_sold_apart",
            where,
            f"`{item.volume.id}` is part of a machine and is not sold apart",
            "choose a server with local disks",
        )
        return
    if server is None:
        return
    if server.family not in _LOCAL_FAMILIES:
        yield Violation(
            "local_disks_fixed",
            where,
            f"`{server.id}` takes no further local disks: its type fixes them",
            "choose a server with local disks, or a server of N2",
        )
        return
    disks = int(billed_size_gib(item) / step) * item.quantity
    allowed = next(
        (
            counts
            for most, counts in _N2_COUNTS
            if server.family == "n2" and server.vcpu is not None and server.vcpu <= most
        ),
        None,
    )
    if allowed is not None and disks not in allowed:
        yield Violation(
            "local_disk_count",
            where,
            f"{counted(disks, 'local disk')} cannot be chosen with `{server.id}`",
            f"use one of {', '.join(str(each) for each in allowed)}",
        )


@dataclass(frozen=True, slots=True)
class BlockStorage:
    """What the volumes of one machine may do together, and what the instance lets through.

    Attributes
    ----------
    provisioned_iops, provisioned_mb_per_s : Decimal
        Of all block volumes of a machine: rented, included, or what their size gives for ever. [1/s], [MB/s]
    limit_iops, limit_mb_per_s : Decimal or None
        Sustained limits of the instance; None where no source states them.
    usable_iops, usable_mb_per_s : Decimal
        The smaller of both.
    """

    provisioned_iops: Decimal
    provisioned_mb_per_s: Decimal
    limit_iops: Decimal | None
    limit_mb_per_s: Decimal | None
    usable_iops: Decimal
    usable_mb_per_s: Decimal

    @property
    def exceeds(self) -> bool:
        """Whether the volumes may do more than the instance lets through."""
        return (
            self.usable_iops < self.provisioned_iops
            or self.usable_mb_per_s < self.provisioned_mb_per_s
        )


def provisioned(volumes: Iterable[VolumeItem]) -> tuple[Decimal, Decimal]:
    """Add up what the block volumes of one machine may do for ever.

    Of each what is rented, at least what is included; of `gp2`, `st1` and `sc1` what their size gives.

    Parameters
    ----------
    volumes : iterable of VolumeItem
        Others than block volumes, and rates that no source states, count for nothing.

    Returns
    -------
    tuple of Decimal
        IOPS [1/s] and throughput [MB/s].
    """
    iops, rate = ZERO, ZERO
    for item in volumes:
        volume = item.volume
        if volume.kind != "block":
            continue
        own = volume.rates(billed_size_gib(item), item.iops, item.mb_per_s)
        # What is asked for and cannot be had is broken limits of the volume, and is named as asked for.
        asked = _asked(item)
        each, flow = (
            max(known or ZERO, stated or ZERO)
            for known, stated in zip(own, asked, strict=True)
        )
        iops += each * item.quantity
        rate += flow * _mb_of(volume) * item.quantity
    return iops, rate


def paid_for(volumes: Iterable[VolumeItem]) -> tuple[Decimal, Decimal]:
    """Add up the rates of the block volumes of one machine that are rented with more than what is included.

    An instance that sustains less wastes them. What is included, or comes with the size, costs nothing by itself.

    Parameters
    ----------
    volumes : iterable of VolumeItem

    Returns
    -------
    tuple of Decimal
        IOPS [1/s] and throughput [MB/s].
    """
    iops, rate = ZERO, ZERO
    for item in volumes:
        volume = item.volume
        each, flow = _asked(item)
        if each is not None and each > (volume.iops_included or ZERO):
            iops += each * item.quantity
        if flow is not None and flow > (volume.mb_per_s_included or ZERO):
            rate += flow * _mb_of(volume) * item.quantity
    return iops, rate


def _asked(item: VolumeItem) -> tuple[Decimal | None, Decimal | None]:
    """Return the rates that a block volume is rented with; None where its size alone sets them."""
    if item.volume.kind != "block" or item.volume.grows:
        return None, None
    return item.iops, item.mb_per_s


def _mb_of(volume: Volume) -> Decimal:
    """MB in the unit in which the throughput of a volume is counted."""
    return MB_PER_MIB if volume.throughput_unit == "MiB/s" else Decimal(1)


def block_storage(build: Build) -> BlockStorage | None:
    """Compare the volumes of a machine with what its instance sustains: they deliver the smaller of both.

    Returns
    -------
    BlockStorage or None
        None without a server or block volumes.
    """
    volumes = [item for item in build.volumes if item.volume.kind == "block"]
    if build.server is None or not volumes:
        return None
    iops, rate = provisioned(volumes)
    most = build.server.block_storage_iops
    flow_limit = build.server.block_storage_bandwidth_mb_per_s
    return BlockStorage(
        iops,
        rate,
        most,
        flow_limit,
        iops if most is None else min(iops, most),
        rate if flow_limit is None else min(rate, flow_limit),
    )


def volume_count_limit(server: Server) -> str:
    """Name the limit that more volumes than an instance is sure to take break."""
    return "volume_count" if server.block_volumes is not None else VOLUMES_UNKNOWN


def _of_volume_count(build: Build, server: Server) -> Iterator[Violation]:
    count = sum(each.quantity for each in build.volumes if each.volume.kind == "block")
    if count <= server.takes_volumes:
        return
    name = volume_count_limit(server)
    volumes = counted(count, "block volume")
    if name == VOLUMES_UNKNOWN:
        yield Violation(
            name,
            server.id,
            f"no source states that `{server.id}` takes {volumes}; "
            f"any instance takes {server.takes_volumes:,}",
            "ask the provider how many volumes it takes, or use fewer and larger ones",
        )
        return
    yield Violation(
        name,
        server.id,
        f"{volumes} are more than the {server.takes_volumes:,} that `{server.id}` "
        "takes besides the one it boots from",
        "use fewer and larger volumes, or more machines",
    )


def _of_instance(build: Build) -> Iterator[Violation]:
    found, server = block_storage(build), build.server
    if found is None or server is None:
        return
    yield from _of_volume_count(build, server)
    # What is paid for and cannot be had; what else the volumes could do is not delivered, and costs nothing more.
    paid_iops, paid_rate = paid_for(build.volumes)
    for name, asked, limit, burst, unit in (
        (
            "instance_iops",
            paid_iops,
            found.limit_iops,
            server.block_storage_iops_burst,
            "IOPS",
        ),
        (
            "instance_throughput",
            paid_rate,
            found.limit_mb_per_s,
            server.block_storage_bandwidth_burst_mb_per_s,
            "MB/s",
        ),
    ):
        if limit is None or asked <= limit:
            continue
        short = (
            ""
            if burst is None
            else f"; the burst of {burst.normalize():,f} is not sustained"
        )
        yield Violation(
            name,
            server.id,
            f"the volumes are provisioned with {asked.normalize():,.0f} {unit}, and "
            f"`{server.id}` sustains {limit.normalize():,f}{short}",
            "provision no more than the instance sustains, or choose a larger one",
        )


def installed_ram_gib(build: Build) -> Decimal | None:
    """RAM of one machine: that of the server, or of its modules. [GiB]"""
    if build.server is not None:
        return build.server.ram_gib
    owned = {part.id: part for part, _ in build.own}
    total, found = ZERO, False
    for item, identifier, kind, count in _installed(build):
        if kind in ("dimm", "cxl"):
            part = owned[identifier] if item is None else item.part
            total += (part.capacity or ZERO) * count
            found = True
    return total if found else None


def _of_ram(build: Build) -> Iterator[Violation]:
    ram = installed_ram_gib(build)
    reserved = sum((gib for _, gib in build.reserved_ram), ZERO)
    if ram is not None and reserved > ram:
        yield Violation(
            "reserved_ram",
            "reserved_ram",
            f"{reserved.normalize():,f} GiB are reserved, and a machine has "
            f"{ram.normalize():,f} GiB of RAM",
            "reserve less, or choose more RAM",
        )


# Dates.


def stale_prices(build: Build, lines: Iterable[Line]) -> Stale | None:
    """Find prices of dates that do not compare, and what the newest of each series would change.

    at newest = round(quantity x price x newest of the series / series at the date of the price)

    Parameters
    ----------
    build : Build
    lines : iterable of Line
        Of the same build.

    Returns
    -------
    Stale or None
        None where all dates are at most two quarters apart and no series has a newer price.
    """
    listed = list(lines)
    items = {item.part.id: item for item in build.parts}
    dated = [
        line
        for line in listed
        if line.date and line.unit_price and (line.usd_per_month or line.purchase_usd)
    ]
    if not dated:
        return None
    newer: list[tuple[Line, PricePoint]] = []
    bought = ZERO
    for line in listed:
        again = line.purchase_usd
        item = items.get(line.what.split(",")[0])
        point = None if item is None else _newer_point(item)
        if point is not None and line.unit_price and line.purchase_usd and item:
            before = item.series.at(line.date or "") if item.series else None
            if before and before.usd_per_gb and point.usd_per_gb:
                ratio = point.usd_per_gb / before.usd_per_gb
                again = cents(line.quantity * line.unit_price * ratio)
                newer.append((line, point))
        bought += again
    oldest = min(dated, key=lambda line: quarter_of(line.date or ""))
    newest = max(dated, key=lambda line: quarter_of(line.date or ""))
    apart = quarter_of(newest.date or "") - quarter_of(oldest.date or "")
    if apart <= MOST_QUARTERS_APART and not newer:
        return None
    return Stale(oldest, newest, tuple(newer), bought if newer else None)


def _newer_point(item: PartItem) -> PricePoint | None:
    """Return the newest price of the part's series, where it is newer than the one used."""
    price: Price | None = item.price
    if item.series is None or price is None or price.date is None:
        return None
    newest, then = item.series.newest(), item.series.at(price.date)
    if newest is None or then is None or newest.quarter <= then.quarter:
        return None
    if price.price_kind and price.price_kind != then.price_kind:
        return None
    return newest
