"""What the cautions about throughput could change: the network is solved at their other ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution, Outcome, Weigh
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.evaluate.page_flow import decision
from tierwright.evaluate.page_flow.evaluation import evaluate_grid
from tierwright.evaluate.page_flow.other_ends import OtherEnd, Situation, weigher
from tierwright.evaluate.page_flow.results import SchemeGrid
from tierwright.evaluate.page_flow.schemes import SCHEMES, TIE_ORDER
from tierwright.evaluate.throughput.laws import asymptotic_bounds
from tierwright.evaluate.throughput.mva import closed_network
from tierwright.evaluate.throughput.schemes import (
    US_PER_S,
    Setting,
    _delays,
    _demands,
    beyond_busy,
)
from tierwright.hardware.mixed_load import beside_writes_us

MOST_STEPS = 300
"""Clients up to which the network is solved; beyond, the operational laws bound it, which many
clients reach."""
FIGURE = "throughput"
WITHOUT = frozenset({"data_size_unknown", "all_pages_fit_in_ram"})
"""Cautions that change no throughput."""


def effects(
    situation: Situation,
    best: str,
    *,
    setting: Setting,
    ram_pages: int,
    flash_pages: int,
    flash_metadata: MetadataPreset | None,
) -> Weigh:
    """Return what computes the effect of a caution at one point of a study.

    Parameters
    ----------
    situation : Situation
        Curve and devices of the study.
    best : str
        Scheme of most throughput there.
    setting : Setting
        With the value of what is varied at that point.
    ram_pages, flash_pages : int
        r and f there. [pages]
    flash_metadata : MetadataPreset or None
        Charged to the RAM.
    """

    def grids(of: Situation) -> dict[str, SchemeGrid]:
        return evaluate_grid(
            of.curve,
            ram_pages=ram_pages,
            flash_pages=np.array([flash_pages]),
            flash=of.flash,
            disk=of.disk,
            flash_metadata=flash_metadata,
        )

    def outcomes(ends: Sequence[OtherEnd]) -> list[Outcome]:
        if not ends:
            return []
        asked = [each for end in ends for each in (end.before, end.situation)]
        rates = _rates([(each, grids(each)) for each in asked], setting)
        return [
            _outcome(end.when, best, before, after)
            for end, before, after in zip(ends, rates[::2], rates[1::2], strict=True)
        ]

    def special(caution: Caution) -> list[Outcome]:
        if caution.name != "writes_are_waited_for":
            return []
        found = [(situation, grids(situation))]
        [waited] = _rates(found, setting, bounds=True)
        [in_background] = _rates(found, setting, bounds=True, reads_only=True)
        return [
            _outcome(
                "all writes are made in the background", best, waited, in_background
            )
        ]

    return weigher(
        situation,
        outcomes,
        figure=FIGURE,
        chosen=f"`{best}`",
        kind="scheme",
        without=WITHOUT,
        special=special,
    )


Rates = Mapping[str, float]


def _outcome(when: str, best: str, before: Rates, after: Rates) -> Outcome:
    most = max(after.values())
    change = after[best] / before[best] - 1 if np.isfinite(before[best]) else 0.0
    times = {name: 1 / rate if rate > 0 else np.inf for name, rate in after.items()}
    return Outcome(
        when,
        change if np.isfinite(change) else 0.0,
        f"`{decision.least(times, TIE_ORDER)}`",
        1 - after[best] / most if 0 < most < np.inf else 0.0,
    )


def _rates(
    found: Sequence[tuple[Situation, Mapping[str, SchemeGrid]]],
    setting: Setting,
    *,
    bounds: bool = False,
    reads_only: bool = False,
) -> list[dict[str, float]]:
    """Throughput of every scheme in each situation, all networks in one recursion. [1/s]"""
    rows: list[FloatArray] = []
    delays: list[FloatArray] = []
    waited: list[FloatArray] = []
    for situation, costs in found:
        waits = beyond_busy(situation.flash, situation.disk, situation.curve.page_bytes)
        beside_us = beside_writes_us(situation.flash, situation.curve.page_bytes)
        for name in SCHEMES:
            each = costs[name]
            rows.append(_demands(each, setting, beside_us)[0])
            delays.append(_delays(each, waits, setting.accesses_per_transaction)[0])
            waited.append(_of_reads(each, situation, setting))
    demands, delay = np.stack(rows), np.stack(delays)
    devices = np.array([setting.cpus, setting.flash_devices, setting.disks])
    if bounds or setting.clients > MOST_STEPS:
        law = asymptotic_bounds(
            demands,
            clients=setting.clients,
            think_s=setting.think_s,
            devices=devices,
            delay_s=delay,
        )
        rate = law.throughput_per_s
        if reads_only:
            whole = np.stack(waited) + setting.think_s
            with np.errstate(divide="ignore"):  # nothing to wait for has no bound
                unqueued = setting.clients / whole
            rate = np.minimum(law.max_throughput_per_s, unqueued)
    else:
        rate = closed_network(
            demands,
            clients=setting.clients,
            think_s=setting.think_s,
            devices=devices,
            delay_s=delay,
        ).throughput_per_s[..., -1]
    count = len(SCHEMES)
    return [
        dict(zip(SCHEMES, rate[at : at + count].tolist(), strict=True))
        for at in range(0, len(rate), count)
    ]


def _of_reads(costs: SchemeGrid, situation: Situation, setting: Setting) -> FloatArray:
    """Time of a transaction without its writes, nobody else there. [s]"""
    waits = beyond_busy(situation.flash, situation.disk, situation.curve.page_bytes)
    reads = costs.flash_hits / costs.accesses * (
        costs.times.flash_read + waits.flash_read
    ) + costs.flash_misses / costs.accesses * (costs.times.disk_read + waits.disk_read)
    us = reads * setting.accesses_per_transaction
    return np.asarray((us / US_PER_S + setting.cpu_s_per_transaction)[0])
