"""What there is today as an option among the others: its costs, its power and its height."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np

from tierwright.advise.advice._standing import Standing
from tierwright.advise.advice._table.bills import bill_rows
from tierwright.advise.advice._table.devices import rack_units
from tierwright.advise.advice._table.setting import Setting
from tierwright.advise.advice.request import Have
from tierwright.evaluate.advice.bought import budget_tb
from tierwright.evaluate.bill import machine_watts
from tierwright.hardware.build import build_from_mapping


def standing_of(setting: Setting, have: Have) -> Standing:
    """Return what there is as an option that is given as a whole."""
    month, purchase, is_priced = _have_cents(setting, have)
    power_watts, height = _have_in_rack(have)
    return Standing(
        machines=have.machines,
        ram_bytes=have.ram_bytes,
        usable_ram_bytes=have.usable_ram_bytes,
        is_ram_for_pages=have.is_ram_for_pages,
        disk=have.disk,
        disks=have.disks,
        disk_budget_tb=budget_tb(have.disk),
        flash_bytes=have.flash_bytes,
        flash=have.flash,
        flash_devices=have.flash_devices,
        flash_budget_tb=np.inf if have.flash is None else budget_tb(have.flash),
        scheme=have.scheme,
        month_cents=month,
        purchase_cents=purchase,
        is_priced=is_priced,
        power_watts=power_watts,
        rack_units=height,
        is_rented=have.is_rented,
    )


def server_of(have: Have) -> str | None:
    """Instance that the bill of what there is rents, else the chassis of its parts; None where it names neither, or several."""
    if not have.bill:
        return None
    if have.bill.get("server"):
        return str(have.bill["server"])
    named = {
        each.part.id
        for each in build_from_mapping(have.bill).parts
        if each.part.kind == "chassis"
    }
    return named.pop() if len(named) == 1 else None


def _have_in_rack(have: Have) -> tuple[float, float]:
    """Power and height of all machines of what there is, as its bill states them; NaN where it does not. [W], [U]"""
    if not have.bill:
        return math.nan, math.nan
    build = build_from_mapping(have.bill)
    boxes = [each for each in build.parts if each.part.kind == "chassis"]
    watts, unknown = machine_watts(build)
    # Parts without the server that holds them are not what it takes.
    is_whole = build.watts is not None or (bool(boxes) and not unknown)
    power = float(watts) if watts is not None and is_whole else math.nan
    heights = [rack_units(each.part.form_factor) * each.quantity for each in boxes]
    height = math.fsum(heights) if heights else math.nan
    return power * build.machines, height * build.machines


def _have_cents(setting: Setting, have: Have) -> tuple[int, int, bool]:
    """Cents a month, cents at purchase, and whether they are known."""
    if have.bill is not None:
        rows = bill_rows(have.bill, setting.horizon_months)
        month = sum((Decimal(each["usd_per_month"]) for each in rows), Decimal(0))
        purchase = sum((Decimal(each["purchase_usd"]) for each in rows), Decimal(0))
        known = all(each["unit_price"] is not None for each in rows)
        return int(month * 100), int(purchase * 100), known
    if have.usd_per_month is None:
        return 0, 0, False
    return (
        int((have.usd_per_month * 100).to_integral_value()),
        int(((have.purchase_usd or Decimal(0)) * 100).to_integral_value()),
        True,
    )
