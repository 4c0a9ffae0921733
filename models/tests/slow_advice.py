"""The advisor's search, slow and obvious: one evaluation after the other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from decimal import ROUND_HALF_UP, Decimal

from advice_cases import GIB

from tierwright.advise.advice.found import Advice
from tierwright.evaluate.advice.rows import CHOICES
from tierwright.evaluate.advice.tiers import FLASH_COUNTS, ram_sizes
from tierwright.evaluate.page_flow.evaluation import evaluate
from tierwright.hardware import catalog
from tierwright.profile.curve import Curve


def cents(usd: Decimal) -> int:
    return int((usd * 100).quantize(Decimal(1), ROUND_HALF_UP))


def slow_hardware(
    prices: Mapping[str, Decimal], data: int, page: int
) -> Iterator[tuple[str, str | None, int, int]]:
    """Yield what holds the data, what caches, RAM in bytes and how many devices cache."""
    caches = [name for name in prices if catalog.device(name).kind == "nvme"]
    for store, cache_name in itertools.product(prices, (None, *caches)):
        held = 0 if cache_name is None else catalog.device(cache_name).capacity_bytes
        for ram in ram_sizes(data, page).tolist():
            if not held:
                yield store, None, int(ram), 0
                continue
            most = max(1, -(-data // held))
            for count in FLASH_COUNTS:
                if count <= most and count * held > ram:
                    yield store, cache_name, int(ram), count


def slow_best(
    found: Curve, prices: Mapping[str, Decimal], ram_usd: Decimal, most_busy: float
) -> tuple[int, float]:
    """Least cost a month in cents and its I/O time, one evaluation after the other."""
    assert found.scaled is not None
    production = found.scaled.production
    data = int(production.data_bytes * (1 + production.growth_per_year) ** 3)
    peak = production.peak_accesses_per_s
    assert peak is not None
    best = (2**62, math.inf)
    for store, cache_name, ram, count in slow_hardware(prices, data, found.page_bytes):
        device = catalog.device(store)
        capacity = device.capacity_bytes or 0
        flash = device if cache_name is None else catalog.device(cache_name)
        held = 0 if cache_name is None else count * (flash.capacity_bytes or 0)
        schemes = evaluate(
            found,
            ram_pages=ram // found.page_bytes,
            flash_pages=min(held, data) // found.page_bytes,
            flash=flash,
            disk=device,
        ).schemes
        for name in CHOICES:
            if (name == "none") != (cache_name is None):
                continue
            terms = schemes[name].cost_terms_us_per_access
            disk_us = terms["disk_reads"] + terms["disk_writes"]
            flash_us = sum(us for term, us in terms.items() if term.startswith("flash"))
            if count and flash_us * peak / 1e6 / count > most_busy:
                continue
            disks = max(
                -(-data // capacity),
                math.ceil(disk_us * peak / 1e6 / most_busy * (1 - 1e-9)),
            )
            lines = [
                Decimal(ram) / GIB * ram_usd,
                disks * prices[store] * capacity / 10**9,
                *(() if cache_name is None else (prices[cache_name] * held / 10**9,)),
            ]
            month = sum((2 * cents(line) + 36) // 72 for line in lines)
            best = min(best, (month, disk_us + flash_us))
    return best


def objective_of(found: Advice) -> float:
    best = found.recommendation
    if best is None:
        return math.inf
    if found.objective == "io_time":
        assert best.io_time_us_per_access is not None
        return best.io_time_us_per_access
    assert best.usd_per_month is not None
    return float(best.usd_per_month)
