"""What the cautions about wear could change: years and writes at their other ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from tierwright.common.cautions import Caution, Outcome, Weigh
from tierwright.common.wording import counted
from tierwright.evaluate.endurance.outlook import WearOutlook, gentlest
from tierwright.evaluate.page_flow.other_ends import OtherEnd, Situation, weigher
from tierwright.hardware import catalog
from tierwright.hardware.device import Device
from tierwright.hardware.rated_endurance import (
    ASSUMED_YEARS,
    DRIVE_WRITES_YEARS,
    WEARING,
    RatedEndurance,
    rated_endurance,
)

WITHOUT = frozenset({"all_pages_fit_in_ram", "data_size_unknown", "unusual_role"})
"""Cautions that change no flash write."""


def effects(
    situation: Situation,
    outlook: WearOutlook,
    outlook_of: Callable[[Situation], WearOutlook],
    *,
    chosen: str,
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
    chosen : str
        Scheme that wears the flash least.
    rated : RatedEndurance
        Behind the budget.
    held_bytes : int
        Of the flash pages. [bytes]
    devices : int
        Equal devices that share the writes.
    """
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
        if caution.name == "lazy_writes_by_formula":
            return [_with_estimate(chosen, outlook)]
        if caution.name == "warm_up_inside":
            return [_without_warm_up(chosen, outlook)]
        if not in_years:
            return []
        match caution.name:
            case "endurance_assumed" if rated.tb_written:
                return [
                    Outcome(when, change, f"`{chosen}`", 0.0)
                    for when, change in of_the_catalogue(rated)
                ]
            case "beyond_capacity":
                capacity = (situation.flash.capacity_bytes or 0) * devices
                if capacity:
                    count = -(-held_bytes // capacity)
                    return [
                        Outcome(
                            counted(
                                count * devices,
                                "drive shares the writes",
                                "drives share the writes",
                            ),
                            count - 1.0,
                            f"`{chosen}`",
                            0.0,
                        )
                    ]
            case _:
                pass
        return []

    return weigher(
        situation,
        outcomes,
        figure="years of life" if in_years else "writes per day",
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


def _with_estimate(chosen: str, outlook: WearOutlook) -> Outcome:
    """Compare with the writes of lazy that its estimate gives, an end of their range."""
    written = {name: life.pages_per_access for name, life in outlook.schemes.items()}
    lazy = outlook.schemes["lazy"]
    least, most = lazy.least_pages_per_access, lazy.most_pages_per_access
    fewer = least < lazy.pages_per_access
    there = written | {"lazy": least if fewer else most}
    best = min(there, key=lambda name: there[name])
    if chosen != "lazy":
        change = 0.0
    elif lazy.years is None:
        change = there["lazy"] / written["lazy"] - 1 if written["lazy"] > 0 else 0.0
    else:
        other = lazy.years_to if fewer else lazy.years_from
        change = other / lazy.years - 1 if other and lazy.years < math.inf else 0.0
    loss = there[chosen] / there[best] - 1 if there[best] > 0 else 0.0
    return Outcome("lazy writes what the estimate says", change, f"`{best}`", loss)


def _without_warm_up(chosen: str, outlook: WearOutlook) -> Outcome:
    """Compare with the fewest writes of each scheme: those of the formula, less warm-up."""
    fewest = {
        name: life.least_pages_per_access for name, life in outlook.schemes.items()
    }
    life, best = outlook.schemes[chosen], min(fewest, key=lambda name: fewest[name])
    if life.years is None:
        most = life.pages_per_access
        change = fewest[chosen] / most - 1 if most > 0 else 0.0
    else:
        longest = math.inf if life.years_to is None else life.years_to
        if life.years == 0:  # it is worn, whatever is written
            change = 0.0
        else:
            change = longest / life.years - 1 if math.isfinite(longest) else math.inf
    loss = fewest[chosen] / fewest[best] - 1 if fewest[best] > 0 else 0.0
    return Outcome("only evictions write to flash", change, f"`{best}`", loss)


def of_the_catalogue(rated: RatedEndurance) -> Iterator[tuple[str, float]]:
    """Yield what shipped drives state least and most of what was assumed, and the change by it.

    Parameters
    ----------
    rated : RatedEndurance
        Of which something was assumed.
    """
    stated = _stated_endurance()
    if "DWPD" in rated.assumed:
        for which, end in zip(("least", "most"), stated.dwpd, strict=True):
            yield (
                f"it endures {end:g} drive writes per day over {DRIVE_WRITES_YEARS} years, "
                f"the {which} that a drive of the catalogue states",
                end * DRIVE_WRITES_YEARS / _drive_writes_years(rated) - 1,
            )
        return
    for which, end in zip(("least", "most"), stated.years, strict=True):
        yield (
            f"its drive writes hold for {end:g} years, the {which} that a drive of the "
            "catalogue states",
            end / (rated.years or ASSUMED_YEARS) - 1,
        )


def _drive_writes_years(rated: RatedEndurance) -> float:
    """Drive writes per day times years that stand behind a rating. [year/day]"""
    return (rated.dwpd or 0.0) * (rated.years or 0.0)


class _Stated(NamedTuple):
    """Least and most that shipped drives state.

    Attributes
    ----------
    dwpd : tuple of float
        Drive writes per day, over `DRIVE_WRITES_YEARS`. [1/day]
    years : tuple of float
        [years]
    """

    dwpd: tuple[float, float]
    years: tuple[float, float]


@lru_cache(maxsize=1)
def _stated_endurance() -> _Stated:
    found = [
        each for each in map(rated_endurance, _drives()) if each.dwpd and each.years
    ]
    per_day = [_drive_writes_years(each) / DRIVE_WRITES_YEARS for each in found]
    years = [each.years for each in found if each.years]
    return _Stated((min(per_day), max(per_day)), (min(years), max(years)))


def _drives() -> list[Device]:
    return [
        device
        for device in map(catalog.device, catalog.devices())
        if device.kind in WEARING and device.sold_as == "device"
    ]
