"""What RAM, flash and disks would cost at least if they were sold in any size."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import ROUND_FLOOR, Decimal

from tierwright.advise.advice import _words
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._table import Setting, Table
from tierwright.advise.advice.found import Continuous, Option
from tierwright.common.currency import money
from tierwright.common.units import UNIT_BYTES, format_bytes
from tierwright.common.wording import listed, percent
from tierwright.evaluate.advice.continuous import Known, Tiers, least_cost
from tierwright.evaluate.advice.limits import PEAK_BUSY
from tierwright.evaluate.advice.rows import CHOICES, device_times
from tierwright.evaluate.advice.tiers import flash_counts, ram_sizes
from tierwright.evaluate.bill import CENT
from tierwright.evaluate.page_flow.schemes import NO_FLASH
from tierwright.hardware.device import Device
from tierwright.hardware.prices import Price

Named = tuple[Tiers, str | None, str]
"""Tiers, and the ids of what caches and of what holds the data."""


def continuous(asked: Asked, table: Table, best: Option | None) -> Continuous | None:
    """Find the least cost of sizes that need not be things to buy; None where the question does not allow it.

    Only for RAM and devices of a price book, with a rate, least money, no limit but that of how busy a device is, and a
    curve that speaks for all sizes. The sizes reach as far as those that are sold; where one of these is the
    recommendation, what is found costs no more.
    """
    setting = asked.setting
    ram, peak = table.shelf.ram, setting.served.peak
    if ram is None or peak is None or asked.objective == "io_time":
        return None
    if set(asked.constraints) - {PEAK_BUSY} or setting.curve.evidence is not None:
        return None
    named = list(_named(table))
    if not named:
        return None
    page = setting.curve.page_bytes
    candidates = setting.candidates
    reserved = float(candidates.reserved_gib) * 2**30
    bought = _place(setting, named, best)
    found = least_cost(
        setting.curve,
        [each for each, _, _ in named],
        ram_usd=_month_usd(ram, setting.horizon_months),
        accesses_per_s=peak / setting.machines,
        most_busy=setting.most_busy,
        most_pages=float(ram_sizes(setting.machine_bytes, page, reserved)[-1]) / page,
        most_flash_pages=_most_flash_bytes(table) / page,
        known=bought,
    )
    besides = reserved * _month_usd(ram, setting.horizon_months)
    if candidates.machine_usd is not None:
        besides += float(candidates.machine_usd) / setting.horizon_months
    tiers, flash_device, disk_device = named[found.at]
    usd = _cents((found.usd + besides) * setting.machines)
    least = _cents((found.bound + besides) * setting.machines)
    if bought is not None and best is not None and best.usd_per_month is not None:
        # Each line of its bill is rounded to the cent.
        usd = min(usd, best.usd_per_month)
        least = min(least, usd)
    sizes = (
        round((found.ram_pages * page + reserved) * setting.machines),
        round(found.flash_bytes * setting.machines) if flash_device else 0,
    )
    disks = found.store_devices * setting.machines
    return Continuous(
        ram_bytes=sizes[0],
        flash_bytes=sizes[1],
        flash_device=flash_device,
        disk_device=disk_device,
        disks=disks,
        scheme=tiers.scheme,
        usd_per_month=usd,
        least_usd_per_month=least,
        gap=found.gap,
        text=continuous_text(
            sizes, (flash_device, disk_device), tiers.scheme, usd, least, best
        ),
    )


def _place(
    setting: Setting, named: Sequence[Named], best: Option | None
) -> Known | None:
    """Return where the recommendation lies among any sizes; None where it is no RAM and devices bought by themselves."""
    if best is None or best.kind != "devices":
        return None
    reserved = float(setting.candidates.reserved_gib) * 2**30
    page = setting.curve.page_bytes
    flash = best.flash_device if best.flash_bytes else None
    of = best.scheme, flash, best.disk_device
    at = next(
        (at for at, each in enumerate(named) if (each[0].scheme, *each[1:]) == of), None
    )
    if at is None:
        return None
    ram = max(1.0, (best.ram_bytes / setting.machines - reserved) / page)
    return at, ram, best.flash_bytes / setting.machines / page


def _most_flash_bytes(table: Table) -> float:
    """Return the most flash of one machine that is sold, and at least as much as its data. [bytes]"""
    needed = table.setting.machine_bytes
    sold = [
        float(max(flash_counts(cache, needed), default=0) * (cache.capacity_bytes or 0))
        for cache, _ in table.shelf.caches
    ]
    return max(needed, *sold, 0.0)


def _named(table: Table) -> Iterator[Named]:
    """Yield what can hold the data with what can cache before it: devices whose price and times are known."""
    setting, shelf = table.setting, table.shelf
    months, page = setting.horizon_months, setting.curve.page_bytes
    for at in shelf.holding(setting.machine_bytes):
        store, price = shelf.stores[at]
        times = _times(store, page)
        if price is None or times is None:
            continue
        held = float(store.capacity_bytes or 0)
        store_usd = _month_usd(price, months) * held
        space = setting.machine_bytes / held
        yield Tiers(NO_FLASH, store_usd, times, space), None, store.id
        for cache, of_cache in shelf.caches:
            flash_times = _times(cache, page)
            if of_cache is None or flash_times is None:
                continue
            for scheme in CHOICES:
                if scheme != NO_FLASH:
                    yield (
                        Tiers(
                            scheme,
                            store_usd,
                            times,
                            space,
                            _month_usd(of_cache, months),
                            flash_times,
                            float(cache.capacity_bytes or 0),
                        ),
                        cache.id,
                        store.id,
                    )


def _times(device: Device, page_bytes: int) -> tuple[float, float] | None:
    read, write = (float(each[0]) for each in device_times(device, page_bytes, 1))
    return (read, write) if math.isfinite(read + write) else None


def _month_usd(price: Price, months: int) -> float:
    """Money of one byte a month, a purchase spread over the months. [USD/month]"""
    usd = float(price.usd) / UNIT_BYTES[price.per]
    return usd if price.rent else usd / months


def _cents(usd: float) -> Decimal:
    return Decimal(repr(usd)).quantize(CENT, ROUND_FLOOR)


def continuous_text(
    sizes: tuple[int, int],
    devices: tuple[str | None, str],
    scheme: str,
    usd: Decimal,
    least: Decimal,
    best: Option | None,
) -> str:
    """Say what any sizes would cost, and what the recommendation costs beside it."""
    parts = [f"{format_bytes(sizes[0])} of RAM"]
    if devices[0] is not None:
        parts.append(f"{format_bytes(sizes[1])} of {devices[0]}")
    what = _words.with_flow(f"{listed(parts)} before {devices[1]}", scheme)
    said = f"If RAM and devices were sold in any size, {what} would cost {money(usd)} per month"
    said += (
        "; no sizes cost less."
        if least == usd
        else f"; no sizes cost less than {money(least)}."
    )
    if best is None or best.usd_per_month is None:
        return said
    more = best.usd_per_month - usd
    if more == 0:
        return f"{said} The recommendation costs as much."
    how = "more" if more > 0 else "less"
    share = f", {percent(float(more / usd))} of that" if more > 0 and usd else ""
    return f"{said} The recommendation costs {money(abs(more))} per month {how}{share}."
