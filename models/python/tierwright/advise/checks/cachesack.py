"""The check of what to cache: the assignment, and admitting every miss, replayed before an LRU flash cache."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tierwright.advise.cachesack import BILLION, SECONDS_PER_MONTH, WhatToCache
from tierwright.advise.checks.checked import Checked, CheckedFigure, row
from tierwright.common.currency import money
from tierwright.common.wording import percent
from tierwright.hardware.rated_endurance import TB
from tierwright.simulate.replay import Replay

FLASH_CACHE = "cachesack"
TITLES = {"by_category": "By category", "miss": "Every miss"}
KNOWN_ERROR = 0.05
"""By how much the prediction may be off. [1]"""


def wanted(found: WhatToCache) -> dict[str, Replay]:
    """Return the replays of the choice and of what it is compared with, by name."""
    return {
        each.name: Replay(
            "flash_cache",
            FLASH_CACHE,
            found.ram_pages,
            found.flash_pages,
            0,
            {"categories": found.kind, "assignment": each.assignment},
        )
        for each in (found.chosen, found.every_miss)
    }


def replayed(found: WhatToCache, run: Callable[[Replay], Mapping[str, Any]]) -> Checked:
    """Replay both and put the model beside the replays."""
    return check(found, {name: run(each) for name, each in wanted(found).items()})


def check(found: WhatToCache, counters: Mapping[str, Mapping[str, Any]]) -> Checked:
    """Put hits, reads, writes and cost of the model beside what replays counted.

    Parameters
    ----------
    found : WhatToCache
        Of the model.
    counters : mapping of str to mapping
        Of the replays of `wanted`, by name.
    """
    rows: list[CheckedFigure] = []
    costs: dict[str, float] = {}
    for each in (found.chosen, found.every_miss):
        counted = counters[each.name]
        costs[each.name] = _usd(found, counted)
        rows.extend(
            row(each.name, TITLES[each.name], figure, unit, model, simulated)
            for figure, unit, model, simulated in (
                ("hits of flash", "pages", each.hits, counted["flash_hits"]),
                (
                    "reads from the store",
                    "pages",
                    each.disk_reads,
                    counted["flash_misses"],
                ),
                (
                    "writes to flash",
                    "pages",
                    each.flash_writes,
                    counted["flash_writes"],
                ),
                ("cost", "USD/month", each.usd_per_month, costs[each.name]),
            )
        )
    return Checked(
        finding=_finding(rows, costs),
        rows=tuple(rows),
        basis="The assignment was replayed as the admission of an LRU flash cache below the same RAM; its counters are priced as "
        "those of the model.",
    )


def _usd(found: WhatToCache, counters: Mapping[str, Any]) -> float:
    """Price the counters of a replay as the model prices its own. [USD/month]"""
    charges = found.charges
    read = charges.usd_per_billion_reads / BILLION
    write = charges.usd_per_tb_written * found.page_bytes / TB
    times = found.accesses_per_s * float(SECONDS_PER_MONTH) / counters["accesses"]
    return float(
        (counters["flash_misses"] * read + counters["flash_writes"] * write) * times
    )


def _finding(rows: list[CheckedFigure], costs: Mapping[str, float]) -> str:
    """Say how far the model is off, and what the replay says that the choice saves."""
    worst = max(rows, key=lambda each: abs(each.gap_relative or 0.0))
    gap = abs(worst.gap_relative or 0.0)
    within = "within" if gap <= KNOWN_ERROR else "not within"
    chosen, before = costs["by_category"], costs["miss"]
    saved = before - chosen
    share = percent(abs(saved) / before) if before else "0 %"
    less = "saves" if saved >= 0 else "costs"
    more = "" if saved >= 0 else " more"
    return (
        f"By replay the choice {less} {money(abs(saved))} ({share}){more} per month against admitting every miss; the model is "
        f"off by at most {percent(gap)}, in {worst.figure}, which is {within} {percent(KNOWN_ERROR)}."
    )
