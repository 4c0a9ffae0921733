"""What the cautions about wear could change: years and writes at their other ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

from tierwright.common.cautions import Caution, Outcome, Weigh
from tierwright.evaluate.endurance.outlook import WearOutlook, gentlest
from tierwright.evaluate.other_ends import OtherEnd, Situation, weigher
from tierwright.hardware import catalog
from tierwright.hardware.device import Device
from tierwright.hardware.rated_endurance import (
    DRIVE_WRITES_YEARS,
    WEARING,
    RatedEndurance,
    rated_endurance,
)

WITHOUT = frozenset(
    {"all_pages_fit_in_ram", "data_size_unknown", "warm_up_inside", "unusual_role"}
)
"""Cautions that change no flash write."""


def effects(
    situation: Situation,
    outlook: WearOutlook,
    outlook_of: Callable[[Situation], WearOutlook],
    *,
    rated: RatedEndurance,
    held_bytes: int,
    devices: int,
) -> Weigh:
    """Return what computes the effect of a caution on the life of the flash.

    Parameters
    ----------
    situation : Situation
        Curve and devices.
    outlook : WearOutlook
        The answer; of an unknown dirty share that with as many dirty pages as possible.
    outlook_of : callable
        Computes it in another situation.
    rated : RatedEndurance
        Behind the budget.
    held_bytes : int
        Of the flash pages. [bytes]
    devices : int
        Equal devices that share the writes.
    """
    chosen = gentlest(outlook)
    years = outlook.schemes[chosen].years
    in_years = years is not None and math.isfinite(years)

    def outcomes(ends: Sequence[OtherEnd]) -> list[Outcome]:
        return [
            _outcome(
                each.when,
                chosen,
                outlook_of(each.before),
                outlook_of(each.situation),
                in_years=in_years,
            )
            for each in ends
            if each.counts
        ]

    def special(caution: Caution) -> list[Outcome]:
        if not in_years:
            return []
        match caution.name:
            case "endurance_assumed" if rated.tb_written:
                return [
                    Outcome(
                        f"it endures {dwpd:g} drive writes a day over {DRIVE_WRITES_YEARS} "
                        f"years, the {which} of the catalogue",
                        dwpd * DRIVE_WRITES_YEARS / _drive_writes_years(rated) - 1,
                        f"`{chosen}`",
                        0.0,
                    )
                    for which, dwpd in zip(
                        ("least", "most"), _stated_dwpd(), strict=True
                    )
                ]
            case "beyond_capacity":
                capacity = (situation.flash.capacity_bytes or 0) * devices
                if capacity:
                    count = -(-held_bytes // capacity)
                    return [
                        Outcome(
                            f"{count * devices:,} drives share the writes",
                            count - 1.0,
                            f"`{chosen}`",
                            0.0,
                        )
                    ]
        return []

    return weigher(
        situation,
        outcomes,
        figure="years of life" if in_years else "writes a day",
        chosen=f"`{chosen}`",
        kind="gentlest scheme",
        without=WITHOUT,
        special=special,
    )


def _outcome(
    when: str, chosen: str, before: WearOutlook, after: WearOutlook, *, in_years: bool
) -> Outcome:
    """Compare the writes of the gentlest scheme with those of the one that is gentlest there."""
    was, now = before.schemes[chosen], after.schemes[chosen]
    best = gentlest(after)
    least = after.schemes[best].tb_per_day
    if in_years and now.years is not None and was.years and math.isfinite(now.years):
        change = now.years / was.years - 1
    elif in_years:
        change = math.inf
    else:
        change = now.tb_per_day / was.tb_per_day - 1 if was.tb_per_day > 0 else 0.0
    return Outcome(
        when, change, f"`{best}`", now.tb_per_day / least - 1 if least > 0 else 0.0
    )


def _drive_writes_years(rated: RatedEndurance) -> float:
    """Drive writes per day times years that stand behind a rating. [year/day]"""
    return (rated.dwpd or 0.0) * (rated.years or 0.0)


@lru_cache(maxsize=1)
def _stated_dwpd() -> tuple[float, float]:
    """Least and most drive writes per day, over `DRIVE_WRITES_YEARS`, that shipped drives state."""
    stated = [
        _drive_writes_years(found) / DRIVE_WRITES_YEARS
        for found in map(rated_endurance, _drives())
        if found.dwpd and found.years
    ]
    return min(stated), max(stated)


def _drives() -> list[Device]:
    return [
        device
        for device in map(catalog.device, catalog.devices())
        if device.kind in WEARING and device.sold_as == "device"
    ]
