"""Whose figures count for a device of an option, how long one read of it waits, and how high its chassis is."""

from __future__ import annotations

import math
import re

import numpy as np

from tierwright.advise.advice._table.setting import Setting
from tierwright.evaluate.advice.rows import device_times
from tierwright.hardware import catalog
from tierwright.hardware.build import PartItem
from tierwright.hardware.device import Device
from tierwright.hardware.service_time import waiting_time


def device_of_drive(setting: Setting, item: PartItem) -> Device | None:
    """Return the device whose figures count for a drive of a server: its own, or that which stands in for it."""
    own = catalog.device(item.part.device) if item.part.device else None
    other = setting.devices[1 if item.part.kind == "hdd" else 0]
    return with_times(own, other, setting.curve.page_bytes)


def with_times(
    own: Device | None, other: Device | None, page_bytes: int
) -> Device | None:
    """Return the device whose times were used."""
    if own is not None and not any(np.isnan(device_times(own, page_bytes, 1))):
        return own
    return other or own


def rack_units(form_factor: str) -> float:
    """Height of a chassis, such as `2U`; NaN where its form factor does not state it."""
    found = re.fullmatch(r"(\d+)U", form_factor)
    return float(found[1]) if found else math.nan


def latency_us(device: Device | None, page_bytes: int) -> float:
    """Time of one read that waits for nothing; infinite where it is not stated. [µs]"""
    found = None if device is None else waiting_time(device, "read", page_bytes).time_us
    return math.inf if found is None else found
