"""What an advice was asked, as far as its answer does not state it elsewhere: with it a command repeats the answer."""

from __future__ import annotations

import json
from typing import Any

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice.request import Candidates
from tierwright.common.currency import text_of
from tierwright.hardware.device import Device


def question(asked: Asked, *, pool_split: bool = False) -> dict[str, Any]:
    """Return what repeats an answer beside its limits, objective, months and versions.

    Parameters
    ----------
    asked : Asked
    pool_split : bool
        Whether splits of the buffer pool were counted, which the id of the answer holds.

    Returns
    -------
    dict
        `candidates` is the text of a JSON file that states them, as a file of candidates does: amounts in it are those
        that were asked, in dollars. `growth_per_year` is that of the data and the load, 0 where they do not grow.
        `accesses_per_s` is the rate that goes before that of the workload, None where that
        counts; `flash_device` and `disk_device` are ids; `new_pages` are those that were stated beside the profile. [pages]
    """
    setting = asked.setting
    mean, peak = setting.rates.both
    scaled = setting.curve.scaled
    rate = mean
    if scaled is not None:
        of = scaled.production
        own = of.peak_accesses_per_s
        if (mean, peak) == (
            of.accesses_per_s,
            of.accesses_per_s if own is None else own,
        ):
            rate = None
    flash, disk = (_id(each) for each in setting.devices)
    return {
        "candidates": json.dumps(_candidates(setting.candidates)),
        "accesses_per_s": None if rate is None else float(rate),
        "flash_device": flash,
        "disk_device": disk,
        "start": setting.curve.start,
        "is_scaled": scaled is not None,
        "growth_per_year": float(setting.growth_per_year),
        "pool_split": pool_split,
        # Those of a workload that was scaled are in its profile of production.
        "new_pages": 0 if scaled is not None else setting.curve.new_pages,
    }


def _id(device: Device | None) -> str | None:
    return None if device is None else device.id


def _candidates(candidates: Candidates) -> dict[str, Any]:
    """Return candidates in the form that a file states; the user's own devices as files of their ids."""
    lists = {
        name: list(value)
        for name in (
            "kinds",
            "servers",
            "volumes",
            "devices",
            "parts",
            "providers",
            "vendors",
            "flash_caches",
        )
        if (value := getattr(candidates, name)) is not None
    }
    amounts = {
        name: text_of(value)
        for name in ("reserved_gib", "machine_usd", "usd_per_kwh", "watts", "pue")
        if (value := getattr(candidates, name)) is not None
    }
    found = {**lists, "max_machines": candidates.max_machines, **amounts}
    if candidates.own:
        found["own"] = [f"{each.id}.json" for each in candidates.own]
    if candidates.part_usd:
        found["part_usd"] = {
            name: text_of(usd) for name, usd in sorted(candidates.part_usd.items())
        }
    return found
