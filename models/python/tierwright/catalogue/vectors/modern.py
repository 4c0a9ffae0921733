"""Formulas `mod.*` of the conformance vectors: from a vector's inputs to its fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput, Problems
from tierwright.evaluate.cachesack import knapsack
from tierwright.evaluate.modern import (
    break_even,
    cache_control,
    carbon,
    drive,
    drive_queue,
    platform,
    stores,
    write_amplification,
)

Inputs = Mapping[str, Any]
Outputs = dict[str, Any]

PARTS = tuple(drive.DriveParts.__slots__)
LIMITS = (
    "dram_bytes_per_s",
    "ftl_entry_bytes",
    "link_bytes_per_s",
    "link_packets_per_s",
    "packets_per_request",
)


def _plain(values: ArrayLike) -> Any:
    """Arrays as lists, scalars as float; what is not finite is refused where it is asked for."""
    return np.asarray(values, dtype=np.float64).tolist()


def _given(inputs: Inputs, names: str, optional: str = "") -> dict[str, Any]:
    """Arguments by name; those that may be left out only where they are given."""
    stated = {name: inputs[name] for name in names.split()}
    return stated | {name: inputs[name] for name in optional.split() if name in inputs}


def _peak_iops(inputs: Inputs) -> Outputs:
    parts = drive.DriveParts(**{name: inputs[name] for name in PARTS})
    limits = {name: inputs[name] for name in LIMITS if name in inputs}
    found = drive.ssd_peak_iops(parts, **limits)
    return {
        "read_share": _plain(found.read_share),
        "write_share": _plain(found.write_share),
        "die_iops": _plain(found.die_iops),
        "channel_iops": _plain(found.channel_iops),
        "device_iops": _plain(found.device_iops),
        "peak_iops": _plain(found.peak_iops),
        "bound": found.bound.tolist(),
    }


def _peak_iops_times(inputs: Inputs) -> Outputs:
    parts = drive.DriveParts(**{name: inputs[name] for name in PARTS})
    found = drive.ssd_peak_iops_times(parts)
    return {
        "die_iops": _plain(found.die_iops),
        "channel_iops": _plain(found.channel_iops),
        "peak_iops": _plain(found.peak_iops),
        "bound": found.bound.tolist(),
    }


def _ssd_cost(inputs: Inputs) -> Outputs:
    names = "controller die dies die_bytes dram_die dram_die_bytes ftl_entry_bytes"
    found = drive.ssd_cost(**_given(inputs, names, "sector_bytes"))
    return {
        "ftl_bytes": found.ftl_bytes,
        "dram_dies": found.dram_dies,
        "cost": found.cost,
    }


def _break_even_host(inputs: Inputs) -> Outputs:
    names = "core_cost core_iops block_bytes dram_cost dram_bytes ssd_cost ssd_iops"
    found = break_even.break_even_host(
        **_given(inputs, names), dram_bytes_per_s=inputs.get("dram_bytes_per_s")
    )
    return {
        "host_s": _plain(found.host_s),
        "bandwidth_s": _plain(found.bandwidth_s),
        "ssd_s": _plain(found.ssd_s),
        "interval_s": _plain(found.interval_s),
    }


def _read_latency(inputs: Inputs) -> Outputs:
    names = "channels peak_iops sense_s utilisation percentile"
    found = drive_queue.read_latency(**_given(inputs, names))
    return {"mean_s": _plain(found.mean_s), "tail_s": _plain(found.tail_s)}


def _max_utilisation(inputs: Inputs) -> Outputs:
    found = drive_queue.max_utilisation(
        **_given(
            inputs,
            "channels peak_iops sense_s",
            "mean_limit_s tail_limit_s percentile",
        )
    )
    return {"rho_max": found.rho_max, "feasible": found.feasible}


def _md1_tail(inputs: Inputs) -> Outputs:
    names = "service_s utilisation percentile"
    found = drive_queue.md1_tail(**_given(inputs, names))
    return {
        "decay": found.decay,
        "constant": found.constant,
        "wait_s": found.wait_s,
        "heavy_traffic_s": found.heavy_traffic_s,
    }


def _usable_iops(inputs: Inputs) -> Outputs:
    found = drive_queue.usable_iops(
        **_given(inputs, "rho_max peak_iops host_iops ssds")
    )
    return {"iops": found.iops, "bound": found.bound}


def _platform_thresholds(inputs: Inputs) -> Outputs:
    names = "block_bytes intervals_s dram_bytes dram_bytes_per_s ssd_bytes_per_s"
    found = platform.platform_thresholds(**_given(inputs, names, "break_even_s blocks"))
    return {
        "T_B": found.bandwidth_s,
        "T_S": found.storage_s,
        "T_C": found.capacity_s,
        "viable": found.viable,
        "limit": found.limit,
        "optimal": found.optimal,
    }


def _lognormal_intervals(inputs: Inputs) -> Outputs:
    names = "blocks block_bytes mu sigma threshold_s"
    found = platform.lognormal_intervals(**_given(inputs, names))
    return {
        "cached_blocks": _plain(found.cached_blocks),
        "total_bytes_per_s": _plain(found.total_bytes_per_s),
        "cached_bytes_per_s": _plain(found.cached_bytes_per_s),
        "uncached_bytes_per_s": _plain(found.uncached_bytes_per_s),
        "dram_bytes_per_s": _plain(found.dram_bytes_per_s),
    }


def _curve_break_even(inputs: Inputs) -> Outputs:
    names = "pages misses duration_s break_even_s"
    found = break_even.curve_break_even(**_given(inputs, names))
    return {
        "hull_pages": found.hull_pages,
        "interval_s": found.interval_s,
        "pages": found.pages,
    }


def _memory_expansion(inputs: Inputs) -> Outputs:
    names = "main_speed expansion_speed main_to_expansion server_cost_ratio"
    found = stores.memory_expansion(**_given(inputs, names))
    return {
        "servers_ratio": _plain(found.servers_ratio),
        "saving": _plain(found.saving),
    }


def _near_memory_rate(inputs: Inputs) -> Outputs:
    names = (
        "page_bytes near_usd_per_gib_month far_usd_per_gib_month stall_s "
        "core_usd_per_hour"
    )
    found = stores.near_memory_rate(**_given(inputs, names))
    return {"accesses_per_s": _plain(found)}


def _cloud_break_even(inputs: Inputs) -> Outputs:
    names = "object_bytes request_usd byte_usd cache_usd_per_gib_month"
    found = stores.cloud_break_even(**_given(inputs, names))
    return {
        "fetch_usd": _plain(found.fetch_usd),
        "rent_usd_per_s": _plain(found.rent_usd_per_s),
        "interval_s": _plain(found.interval_s),
    }


def _cloud_cache_rate(inputs: Inputs) -> Outputs:
    names = "cache_usd_per_hour hit_ratio request_usd"
    found = stores.cloud_cache_rate(**_given(inputs, names, "object_bytes byte_usd"))
    return {"requests_per_s": _plain(found)}


def _egress_crossover(inputs: Inputs) -> Outputs:
    found = stores.egress_crossover(**_given(inputs, "request_usd usd_per_gb"))
    return {"bytes": _plain(found)}


def _disk_head_time(inputs: Inputs) -> Outputs:
    found = stores.disk_head_time(
        **_given(inputs, "ios seek_s bytes_per_s"), size_bytes=inputs["bytes"]
    )
    return {"seconds": _plain(found)}


def _embodied_carbon(inputs: Inputs) -> Outputs:
    names = "waf device_gb years warranty_years kg_per_gb"
    found = carbon.embodied_carbon(**_given(inputs, names, "host_bytes rated_bytes"))
    return {"kg": _plain(found)}


def _operational_energy(inputs: Inputs) -> Outputs:
    found = carbon.operational_energy(
        **_given(
            inputs,
            "memory_gb ssd_tb hdd_tb hours pue",
            "memory_kwh_per_gb_hour ssd_wh_per_tb_hour hdd_wh_per_tb_hour",
        )
    )
    return {
        "memory_kwh": _plain(found.memory_kwh),
        "ssd_kwh": _plain(found.ssd_kwh),
        "hdd_kwh": _plain(found.hdd_kwh),
        "kwh": _plain(found.kwh),
    }


def _waf_fifo(inputs: Inputs) -> Outputs:
    found = write_amplification.waf_fifo(inputs["spare"])
    return {"survivors": found.survivors, "waf": found.waf}


def _waf_random(inputs: Inputs) -> Outputs:
    return {"waf": write_amplification.waf_random(inputs["spare"])}


def _waf_greedy(inputs: Inputs) -> Outputs:
    found = write_amplification.waf_greedy(inputs["spare"], inputs["pages_per_block"])
    return {"waf": found.waf, "victim_pages": found.victim_pages}


def _waf_choices(inputs: Inputs) -> Outputs:
    found = write_amplification.waf_choices(
        inputs["spare"], inputs["pages_per_block"], inputs["choices"]
    )
    return {"waf": found}


def _waf_trim(inputs: Inputs) -> Outputs:
    found = write_amplification.waf_trim(inputs["spare"], inputs["trim_share"])
    return {
        "in_use_share": found.in_use_share,
        "effective_spare": found.effective_spare,
        "waf": found.waf,
    }


def _waf_streams(inputs: Inputs) -> Outputs:
    streams = [
        write_amplification.Stream(
            write_share=row["write_share"],
            sequential=True,
        )
        if row.get("sequential", False)
        else write_amplification.Stream(
            write_share=row["write_share"],
            logical_bytes=row.get("logical_bytes", 0.0),
            physical_bytes=row.get("physical_bytes", 0.0),
        )
        for row in inputs["streams"]
    ]
    found = write_amplification.waf_streams(streams)
    return {"each": found.each, "waf": found.waf}


def _admission_base(inputs: Inputs) -> Outputs:
    found = cache_control.admission_base(
        **_given(inputs, "size_bytes base_bytes decay")
    )
    return {"probability": found}


def _admission_factor(inputs: Inputs) -> Outputs:
    # What was accepted and bypassed is of the controller's state, and not in its rule.
    names = (
        "factor target_rate elapsed_s written_bytes written_last interval_s max_rate"
    )
    found = cache_control.admission_factor(**_given(inputs, names))
    return {"target_now": found.target_now, "factor": found.factor}


def _larc_ghost(inputs: Inputs) -> Outputs:
    found = cache_control.larc_ghost(**_given(inputs, "capacity ghost hit"))
    return {"ghost": found}


def _dwpd_rate(inputs: Inputs) -> Outputs:
    names = "device_bytes dwpd_percent written_today_bytes carried_bytes elapsed_s write_max"
    found = cache_control.dwpd_rate(**_given(inputs, names, "burst_bytes"))
    return {"bytes_per_s": found}


def _caching_knapsack(inputs: Inputs) -> Outputs:
    """Give categories with fewer options than others their last one again: it changes nothing."""
    rows: dict[int, list[int]] = {}
    for at, option in enumerate(inputs["options"]):
        rows.setdefault(option["category"], []).append(at)
    most = max((len(each) for each in rows.values()), default=0)
    if most < 2:  # noqa: PLR2004
        raise BadInput(
            "options: no category has a choice",
            "give at least two options of one category, the first without space",
        )
    places = [each + each[-1:] * (most - len(each)) for each in rows.values()]

    def table(name: str) -> FloatArray:
        return np.array(
            [[inputs["options"][at][name] for at in row] for row in places],
            dtype=np.float64,
        )

    space = table("space")
    problems = Problems(
        "options",
        "give each category an option without space first, then those with some",
    )
    problems.check(
        bool((space >= 0).all()), "options", None, "no space may be negative"
    )
    problems.check(
        not space[:, 0].any(),
        "options",
        None,
        "the first one of a category takes space",
    )
    problems.raise_if_any()
    found = knapsack(space, table("cost"), inputs["capacity"], inputs.get("rent", 0.0))
    shares = [0.0] * len(inputs["options"])
    for row, given in zip(places, found.shares, strict=True):
        for at, share in zip(row, given, strict=True):
            shares[at] += float(share)
    return {
        "shares": shares,
        "space": found.space,
        "cost": found.cost,
        "price": found.price,
    }


FORMULAS: dict[str, Callable[[Inputs], Outputs]] = {
    "mod.ssd_peak_iops": _peak_iops,
    "mod.ssd_peak_iops_times": _peak_iops_times,
    "mod.ssd_cost": _ssd_cost,
    "mod.break_even_host": _break_even_host,
    "mod.read_latency": _read_latency,
    "mod.max_utilisation": _max_utilisation,
    "mod.md1_tail": _md1_tail,
    "mod.usable_iops": _usable_iops,
    "mod.platform_thresholds": _platform_thresholds,
    "mod.lognormal_intervals": _lognormal_intervals,
    "mod.curve_break_even": _curve_break_even,
    "mod.memory_expansion": _memory_expansion,
    "mod.near_memory_rate": _near_memory_rate,
    "mod.cloud_break_even": _cloud_break_even,
    "mod.cloud_cache_rate": _cloud_cache_rate,
    "mod.egress_crossover": _egress_crossover,
    "mod.disk_head_time": _disk_head_time,
    "mod.embodied_carbon": _embodied_carbon,
    "mod.operational_energy": _operational_energy,
    "mod.waf_fifo": _waf_fifo,
    "mod.waf_random": _waf_random,
    "mod.waf_greedy": _waf_greedy,
    "mod.waf_choices": _waf_choices,
    "mod.waf_trim": _waf_trim,
    "mod.waf_streams": _waf_streams,
    "mod.admission_base": _admission_base,
    "mod.admission_factor": _admission_factor,
    "mod.larc_ghost": _larc_ghost,
    "mod.dwpd_rate": _dwpd_rate,
    "mod.caching_knapsack": _caching_knapsack,
}
"""Formula name to function; one line a formula."""
