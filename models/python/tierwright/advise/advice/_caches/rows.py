"""Rows of the answer about flash caches, and options as they are under one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

import numpy as np

from tierwright.advise.advice import _checked
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._caches.choice import Tried
from tierwright.advise.advice._caches.replays import CacheReplayed, paces
from tierwright.advise.advice._checked import Replayed
from tierwright.advise.advice._choice import Chosen
from tierwright.advise.advice._table import Table, finite
from tierwright.advise.advice.found import (
    NO_FORMULA,
    CachedOption,
    CheckedOption,
    Option,
)
from tierwright.advise.cachesack import FLASH_CACHE
from tierwright.evaluate.bill import CENT
from tierwright.simulate.contenders import STRETCH

NO_RESPONSE = "flash caches are replayed without queues here; the check of response times replays one on simulated time"
NO_SPLIT = "a flash cache lies below RAM: splits are modelled over one device"


def option_under(asked: Asked, found: Option, each: CacheReplayed) -> Option:
    """Describe an option under a flash cache in place of its page flow: by the replay."""
    busy = each.peak_busy
    return replace(
        found,
        scheme=each.cache,
        admission=None if each.plan is None else FLASH_CACHE,
        admission_by=None if each.plan is None else each.plan.kind,
        options=dict(each.given),
        io_time_us_per_access=each.simulated_us,
        replayed_io_time_us_per_access=each.simulated_us,
        response_mean_us=None,
        response_p50_us=None,
        response_p99_us=None,
        response_mean_mean_us=None,
        response_p50_mean_us=None,
        response_p99_mean_us=None,
        response_reason=NO_RESPONSE,
        peak_busy=finite(busy),
        throughput_accesses_per_s=finite(
            float(asked.setting.throughput_per_s(np.asarray([busy]))[0])
        ),
        flash_life_years=finite(each.life_years),
        restart_s=None,
        ram_hit_share=each.hits[0],
        flash_hit_share=each.hits[1],
        disk_share=each.hits[2],
        # Nothing here replays the data of later months.
        months_until_too_small=None,
        clean_share=None,
        clean_share_gain=None,
        clean_share_reason=NO_SPLIT,
        clean_share_uncounted_pages=None,
    )


def checked_option(option: Option, each: CacheReplayed) -> CheckedOption:
    """Say what the replay of the chosen one says: there is no model beside it."""
    return CheckedOption(
        option,
        model=None,
        simulated=each.simulated_us,
        gap=None,
        is_beyond_band=False,
        reason=NO_FORMULA,
        band=None,
        warnings=each.warnings,
        flash_life_years=finite(each.life_years),
    )


def listed_rows(
    asked: Asked,
    table: Table,
    chosen: Chosen,
    finalists: Sequence[Replayed],
    found: Tried,
) -> Iterator[CachedOption]:
    """Yield what the replays of flash caches say, each beside page flow on the same hardware."""
    cents = table.options.month_cents
    flows = {each.at: each.simulated_us for each in finalists if not each.reason}
    said = paces(table, found.rows)
    for each in found.rows:
        flow = flows.get(each.at, math.nan)
        yield CachedOption(
            name=each.cache,
            title=each.title,
            hardware=table.title(each.at),
            usd_per_month=Decimal(int(cents[each.at])) * CENT,
            page_flow=table.scheme(each.at),
            page_flow_breaks=broken_under_page_flow(asked, chosen, finalists, each.at),
            admission=None if each.plan is None else FLASH_CACHE,
            admission_by=None if each.plan is None else each.plan.kind,
            assignment="" if each.plan is None else each.plan.text,
            options=dict(each.options),
            io_time_us_per_access=finite(each.simulated_us),
            page_flow_io_time_us_per_access=finite(flow),
            saving=finite(1 - each.simulated_us / flow) if flow > 0 else None,
            peak_busy=finite(each.peak_busy),
            flash_life_years=finite(each.life_years),
            flash_writes_per_access=finite(each.written),
            ram_hit_share=finite(each.hits[0]),
            flash_hit_share=finite(each.hits[1]),
            ram_tax_bytes=each.ram_tax_bytes,
            pace=said.get(
                (int(table.options.machines[each.at]), each.options.get(STRETCH, "")),
                "",
            ),
            breaks=each.breaks,
            is_chosen=found.chosen is each,
            reason=each.reason,
            warnings=each.warnings,
        )


def broken_under_page_flow(
    asked: Asked, chosen: Chosen, finalists: Sequence[Replayed], at: int
) -> tuple[str, ...]:
    """Name the limits that an option breaks under its page flow: by its replay what that counts, by the model all others."""
    flow = next((one for one in finalists if one.at == at and not one.reason), None)
    by_replay = () if flow is None else _checked.broken(asked, flow)
    return tuple(
        limit.name
        for limit in chosen.limits
        if (
            limit.name in by_replay
            if flow is not None and limit.name in _checked.COUNTED
            else limit.breaks[at]
        )
    )
