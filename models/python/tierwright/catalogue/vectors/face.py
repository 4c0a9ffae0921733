"""Formulas `face.*` of the conformance vectors: from a vector's inputs to its expected fields."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from inspect import signature
from typing import Any

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput, Problems
from tierwright.evaluate import disk_array, flash_cache, recovery
from tierwright.evaluate.break_even import money, theta
from tierwright.evaluate.endurance import wear
from tierwright.profile.curve import Curve
from tierwright.trace.tokens import token_trace

Inputs = Mapping[str, Any]
Outputs = dict[str, Any]

PERCENT = 100
MOST_DECIMALS = 6
CURVE_ACCESSES = 2**40
"""Accesses behind a curve of ratios; any number would do, ratios are what is compared."""


def first_of(inputs: Inputs, *names: str) -> Any:
    """Value under the first name that is there; the catalogue leaves some names open.

    Raises
    ------
    KeyError
        With the first name, if none is there.
    """
    for name in names:
        if name in inputs:
            return inputs[name]
    return inputs[names[0]]  # absent: raises with that name


def two_of(inputs: Inputs, part: str) -> tuple[Any, Any]:
    """Value whose name holds `part`, then the other one: the catalogue names only roles.

    Raises
    ------
    BadInput
        If there are not two inputs, one of them with such a name.
    """
    named = [name for name in inputs if part in name]
    others = [name for name in inputs if part not in name]
    if len(named) != 1 or len(others) != 1:
        stated = ", ".join(f"`{name}`" for name in inputs) or "none"
        raise BadInput(
            f"inputs: two are needed, exactly one of them with `{part}` in its name; "
            f"stated: {stated}",
            "add the missing input to the vector's inputs",
        )
    return inputs[named[0]], inputs[others[0]]


def called(kernel: Callable[..., Any], inputs: Inputs) -> Any:
    """Call a kernel whose parameters are the inputs; a missing one raises by its name."""
    for name, parameter in signature(kernel).parameters.items():
        if parameter.default is parameter.empty:
            inputs[name]
    return kernel(**inputs)


def plain(values: FloatArray | float) -> Any:
    """Arrays as (nested) lists, scalars as float; NaN and infinity as None."""
    found = np.asarray(values, dtype=np.float64).tolist()
    return _finite(found)


def _finite(value: Any) -> Any:
    if isinstance(value, list):
        return [_finite(entry) for entry in value]
    return value if math.isfinite(value) else None


def _seconds(iops: Any, name: str) -> FloatArray:
    """1 / IOPS. [s]"""
    rate = np.asarray(iops, dtype=np.float64)
    problems = Problems("access cost", "use finite IOPS above 0")
    good = bool(np.all(np.isfinite(rate) & (rate > 0)))
    problems.check(good, name, iops, "must be finite and above 0")
    problems.raise_if_any()
    seconds = np.asarray(1 / rate)
    good = bool(np.isfinite(seconds).all())
    problems.check(good, name, iops, "is too small: 1 / IOPS would not be finite")
    problems.raise_if_any()
    return seconds


def _theta(inputs: Inputs) -> Outputs:
    if "C_disk" in inputs:  # the equation's own symbols; the vectors give 1 / C
        disk, flash = inputs["C_disk"], inputs["C_flash"]
    else:
        disk = _seconds(inputs["disk_iops"], "disk_iops")
        flash = _seconds(inputs["flash_iops"], "flash_iops")
    found = theta.log_theta(inputs["delta"], disk_cost=disk, flash_cost=flash)
    return {"exponent": plain(found.exponent), "theta": plain(found.theta)}


def _theta_mixed(inputs: Inputs) -> Outputs:
    costs = theta.mixed_costs(
        first_of(inputs, "read_fraction", "x", "read_share"),
        disk_read=_seconds(inputs["disk_read_iops"], "disk_read_iops"),
        disk_write=_seconds(inputs["disk_write_iops"], "disk_write_iops"),
        flash_read=_seconds(inputs["flash_read_iops"], "flash_read_iops"),
        flash_write=_seconds(inputs["flash_write_iops"], "flash_write_iops"),
    )
    found = theta.log_theta(
        inputs["delta"], disk_cost=costs.disk, flash_cost=costs.flash
    )
    return {"exponent": plain(found.exponent), "theta": plain(found.theta)}


def _whole_unit(sizes: list[float]) -> int:
    """Power of ten that makes all sizes whole."""
    for digits in range(MOST_DECIMALS + 1):
        unit: int = 10**digits
        if all(math.isclose(size * unit, round(size * unit)) for size in sizes):
            return unit
    raise BadInput(
        f"theta_curve: curve: a size has more than {MOST_DECIMALS} decimals",
        "give sizes in pages",
    )


def _theta_curve(inputs: Inputs) -> Outputs:
    # Theta is a ratio of sizes, so any unit of them will do; a curve wants whole numbers.
    unit = _whole_unit([size for size, _ in inputs["curve"]])
    points = [(round(size * unit), ratio) for size, ratio in inputs["curve"]]
    found = theta.curve_theta(
        Curve.from_hit_ratios(points, accesses=CURVE_ACCESSES),
        inputs["B"] * unit,
        inputs["delta"],
        disk_cost=inputs["C_disk"],
        flash_cost=inputs["C_flash"],
    )
    return {"target_hit": plain(found.target_hit), "theta": plain(found.theta)}


def _roi_log(inputs: Inputs) -> Outputs:
    found = money.roi_log(
        inputs["base"],
        added_dram=inputs["added_dram"],
        added_flash=inputs["added_flash"],
        disk_cost=inputs["C_disk"],
        flash_cost=inputs["C_flash"],
    )
    return {
        "flash_to_dram_gain_ratio": found.flash_to_dram_gain_ratio,
        "winner": found.winner,
    }


def _waf(inputs: Inputs) -> Outputs:
    found = wear.write_amplification(inputs["physical_bytes"], inputs["logical_bytes"])
    return {"WAF": plain(found.waf)}


def _lifetime(inputs: Inputs) -> Outputs:
    found = wear.lifetime(
        nand_bytes=inputs["nand_bytes"],
        pe_cycles=inputs["pe_cycles"],
        waf=inputs["WAF"],
        host_bytes_per_s=inputs["host_bytes_per_s"],
    )
    return {
        "seconds": plain(found.seconds),
        "years": plain(found.years),
        "host_TB_written": plain(found.host_tb_written),
        "drive_writes_per_day_for_5y": plain(found.drive_writes_per_day),
    }


def _lifetime_ratio(inputs: Inputs) -> Outputs:
    found = wear.lifetime_ratio(
        waf_a=inputs["WAF_a"],
        writes_a=inputs["writes_a"],
        waf_b=inputs["WAF_b"],
        writes_b=inputs["writes_b"],
    )
    return {"ratio_a_over_b": plain(found)}


def _write_reduction(inputs: Inputs) -> Outputs:
    found = flash_cache.write_reduction(inputs["W_disk"], inputs["D_flash"])
    return {"write_reduction": found}


def _effective_capacity(inputs: Inputs) -> Outputs:
    share = inputs["old_pct"] / PERCENT
    return {
        "effective_GB": flash_cache.effective_capacity(inputs["capacity_GB"], share)
    }


def _recovery(inputs: Inputs) -> Outputs:
    return asdict(called(flash_cache.recovery, inputs))


def _metadata_flush_interval(inputs: Inputs) -> Outputs:
    entries, rate = two_of(inputs, "entr")
    found = plain(recovery.metadata_flush_interval(entries, rate))
    return {"seconds": found}


def _restart_speedup(inputs: Inputs) -> Outputs:
    face, other = two_of(inputs, "face")
    found = plain(recovery.restart_speedup(other, face))
    return {"speedup": found}


def _writeback_chain(inputs: Inputs) -> Outputs:
    found = flash_cache.write_back_chain(
        inputs["k"],
        disk_write=inputs["C_disk_write"],
        flash_write=inputs["C_flash_write"],
    )
    return {
        "no_cache": found.no_cache,
        "write_back": found.write_back,
        "write_through": found.write_through,
        "break_even_k": found.break_even_evictions,
    }


def _clean_admission_threshold(inputs: Inputs) -> Outputs:
    found = flash_cache.clean_admission_threshold(
        disk_read=inputs["C_disk_read"],
        disk_write=inputs["C_disk_write"],
        flash_read=inputs["C_flash_read"],
        flash_write=inputs["C_flash_write"],
        dirty_displacement=inputs["dirty_displacement"],
    )
    return {"threshold": found}


def _bottleneck(inputs: Inputs) -> Outputs:
    found = disk_array.bottleneck(
        disk_reads=inputs["disk_reads"],
        disk_writes=inputs["disk_writes"],
        flash_reads=inputs["flash_reads"],
        flash_writes=inputs["flash_writes"],
        disk_read_iops=inputs["disk_read_iops"],
        disk_write_iops=inputs["disk_write_iops"],
        flash_read_iops=inputs["flash_read_iops"],
        flash_write_iops=inputs["flash_write_iops"],
        disks=inputs["n_disks"],
        cpu_cap_per_s=inputs.get("cpu_cap"),
    )
    return {
        "disk_demand_s": plain(found.disk_demand_s),
        "flash_demand_s": plain(found.flash_demand_s),
        "throughput": plain(found.throughput_per_s),
        "disk_utilisation": plain(found.disk_utilisation),
        "flash_utilisation": plain(found.flash_utilisation),
        "bottleneck": found.bottleneck.tolist(),
        "knee_disks": plain(found.knee_disks),
    }


def _seq_to_random_write_ratio(inputs: Inputs) -> Outputs:
    ratio, rate = called(flash_cache.sequential_write_ratio, inputs)
    return {"ratio": ratio, "seq_pages_per_s": rate}


def _kept(inputs: Inputs) -> dict[str, str]:
    """Read what FaCE admits and how it writes, as far as a vector says."""
    options = {}
    if "sync" in inputs:
        options["mode"] = inputs["sync"].replace("-", "_")
    if "admission" in inputs:
        # `dirty`, `dirty-only` and `dirty_only` are one.
        kind = inputs["admission"].removesuffix("only").rstrip("-_ ")
        options["admission"] = kind if kind == "mixed" else f"{kind}_only"
    return options


def _simulate_mvfifo(inputs: Inputs) -> Outputs:
    return _simulate(inputs, replacement="mvfifo", **_kept(inputs))


def _simulate_gsc(inputs: Inputs) -> Outputs:
    depth = str(inputs["scan_depth"])
    # The vectors pull one victim for each free slot.
    kept = _kept(inputs)
    return _simulate(
        inputs, replacement="gsc", scan_depth=depth, batch_fill="once", **kept
    )


def _simulate(inputs: Inputs, **options: str) -> Outputs:
    from tierwright.simulate.replay import replay

    clear = inputs.get("clear_dram_dirty_on_stage_out", False)
    options["clear_dirty_on_stage_out"] = "true" if clear else "false"
    with token_trace(inputs["trace"]) as trace:
        found = replay(
            trace,
            "flash_cache",
            "face",
            inputs["dram_pages"],
            inputs["flash_slots"],
            options=options,
        )
    names = {
        "dram_hits": "ram_hits",
        "disk_reads": "hdd_reads",
        "disk_writes": "hdd_writes",
        "flash_page_writes": "flash_writes",
        "dirty_evictions": "ram_dirty_evictions",
        "clean_evictions": "ram_clean_evictions",
    }
    same = (
        "flash_hits",
        "slots_used",
        "old_versions",
        "write_reduction",
        "requeued",
        "forced_out",
        "pulled",
    )
    renamed = {name: found[core_name] for name, core_name in names.items()}
    return renamed | {name: found[name] for name in same}


FORMULAS: dict[str, Callable[[Inputs], Outputs]] = {
    "face.theta": _theta,
    "face.theta_mixed": _theta_mixed,
    "face.theta_curve": _theta_curve,
    "face.roi_log": _roi_log,
    "face.clean_admission_threshold": _clean_admission_threshold,
    "face.waf": _waf,
    "face.lifetime": _lifetime,
    "face.lifetime_ratio": _lifetime_ratio,
    "face.write_reduction": _write_reduction,
    "face.effective_capacity": _effective_capacity,
    "face.recovery": _recovery,
    "face.metadata_flush_interval": _metadata_flush_interval,
    "face.restart_speedup": _restart_speedup,
    "face.writeback_chain": _writeback_chain,
    "face.bottleneck": _bottleneck,
    "face.seq_to_random_write_ratio": _seq_to_random_write_ratio,
    "face.simulate_mvfifo": _simulate_mvfifo,
    "face.simulate_gsc": _simulate_gsc,
}
"""Formula name to function; one line a formula."""
