"""Cards of `face.*`: flash as an extension of the cache."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tierwright.catalogue.card import (
    REPLAY,
    Inputs,
    Output,
    Outputs,
    Parameter,
    cards_of,
    integer,
    number,
    numbers,
    optional,
    trace,
)
from tierwright.common.cautions import Caution
from tierwright.evaluate import disk_array
from tierwright.evaluate.break_even import theta as break_even_theta
from tierwright.evaluate.break_even import theta as thetas
from tierwright.evaluate.endurance import wear
from tierwright.evaluate.endurance import wear as endurance_wear

PAPER = "Kang, Lee and Moon (2016)"
PAGE_FILE = "flash-caches.md"
DELTA = numbers("delta", "1", "added DRAM / existing DRAM", also=("δ",))
C_DISK = number("C_disk", "time", "page access on disk", argument="disk_cost")
C_FLASH = number("C_flash", "time", "page access on flash", argument="flash_cost")
DISK_IOPS = number("disk_iops", "1/s", "random accesses of the disks")
FLASH_IOPS = number("flash_iops", "1/s", "random accesses of flash")
EXPONENT = Output("exponent", "1", "E", "C_disk / (C_disk - C_flash), C = 1 / IOPS")
COUNTS = (
    Output("dram_hits", "accesses", "RAM hits"),
    Output("flash_hits", "accesses", "flash hits"),
    Output("disk_reads", "pages", "disk reads"),
    Output("disk_writes", "pages", "disk writes"),
    Output("flash_page_writes", "pages", "appends to flash"),
    Output("dirty_evictions", "pages", "evictions newer than their flash copy"),
    Output("clean_evictions", "pages", "other evictions"),
    Output("slots_used", "pages", "slots of flash in use at the end"),
    Output("old_versions", "pages", "slots that hold an old version at the end"),
    Output("write_reduction", "1", "disk writes saved; null without dirty evictions"),
    Output("requeued", "pages", "slots given a second chance"),
    Output("forced_out", "pages", "slots forced out"),
    Output("pulled", "pages", "RAM victims taken early"),
)
CACHE = (
    trace(),
    integer("dram_pages", "pages", "RAM", argument="ram_pages"),
    integer("flash_slots", "pages", "flash cache", argument="flash_pages"),
)
RULES = (
    Parameter(
        "admission",
        "choice",
        "",
        "which victims enter flash",
        required=False,
        otherwise="mixed",
        choices=(
            "mixed",
            "dirty",
            "dirty-only",
            "dirty_only",
            "clean",
            "clean-only",
            "clean_only",
        ),
    ),
    Parameter(
        "sync",
        "choice",
        "",
        "when a changed victim reaches the disk",
        required=False,
        otherwise="write-back",
        choices=(
            "write-back",
            "write_back",
            "write-through",
            "write_through",
            "write-around",
            "write_around",
        ),
    ),
    Parameter(
        "clear_dram_dirty_on_stage_out",
        "flag",
        "",
        "writing a slot to disk also makes its RAM copy clean",
        required=False,
        default=False,
    ),
)
REPLAY_VALIDITY = "cold start; LRU in RAM; nothing is written at the end"


def _costs(inputs: Inputs) -> tuple[Any, Any]:
    if "C_disk" in inputs:
        return inputs["C_disk"], inputs["C_flash"]
    return 1 / np.asarray(inputs["disk_iops"]), 1 / np.asarray(inputs["flash_iops"])


def _about_theta(inputs: Inputs, _: Outputs) -> tuple[Caution, ...]:
    disk, flash = _costs(inputs)
    found = break_even_theta.log_theta(
        inputs["delta"], disk_cost=disk, flash_cost=flash
    )
    return found.warnings


def _about_mix(inputs: Inputs, _: Outputs) -> tuple[Caution, ...]:
    costs = break_even_theta.mixed_costs(
        inputs["read_fraction"],
        **{
            f"{tier}_{op}": 1 / np.asarray(inputs[f"{tier}_{op}_iops"])
            for tier in ("disk", "flash")
            for op in ("read", "write")
        },
    )
    found = break_even_theta.log_theta(
        inputs["delta"], disk_cost=costs.disk, flash_cost=costs.flash
    )
    return found.warnings


def _about_unreachable(_: Inputs, result: Outputs) -> Iterator[Caution]:
    thetas_found = result["theta"]
    listed = thetas_found if isinstance(thetas_found, list) else [thetas_found]
    if any(value is None for value in listed):
        yield Caution(
            "unreachable",
            "theta is null where no size on the curve hits as often as the larger DRAM saves",
            "extend the curve: it ends too early, or DRAM is the better buy",
        )


def _about_threshold(_: Inputs, result: Outputs) -> Iterator[Caution]:
    if result["threshold"] > 1:
        yield Caution(
            "clean_pages_never_pay",
            "the threshold is above 1: no page is certain enough to be read again",
            "admit dirty pages only",
        )


def _about_chain(inputs: Inputs, result: Outputs) -> Iterator[Caution]:
    least = result["break_even_k"]
    if least is None:
        yield Caution(
            "write_back_never_pays",
            "a flash write does not take less time than a disk write",
            "use flash for reads only",
        )
    elif inputs["k"] < least:
        yield Caution(
            "fewer_evictions_than_break_even",
            f"below {least:.4g} evictions of a page write-back costs more than no cache",
            "count the evictions of a page before it leaves flash",
        )


def _about_waf(_: Inputs, result: Outputs) -> tuple[Caution, ...]:
    return endurance_wear.write_amplification(result["WAF"], 1.0).warnings


def _about_lifetime(inputs: Inputs, _: Outputs) -> tuple[Caution, ...]:
    found = endurance_wear.lifetime(
        nand_bytes=inputs["nand_bytes"],
        pe_cycles=inputs["pe_cycles"],
        waf=inputs["WAF"],
        host_bytes_per_s=inputs["host_bytes_per_s"],
    )
    return found.warnings


def _about_reduction(_: Inputs, result: Outputs) -> Iterator[Caution]:
    value = result["write_reduction"]
    if value is not None and value < 0:
        yield Caution(
            "more_disk_writes",
            "the disk is written more often than without flash",
            "count only evictions newer than their flash copy as D_flash",
        )


_card = cards_of("face", page_file=PAGE_FILE)


_BREAK_EVEN = {
    "page_file": "break-even.md",
    "command": "break-even",
    "address": "/break-evens",
    "page": "DRAM or flash",
}
_WEAR = {"page_file": "endurance.md", "command": "wear", "address": "/wear"}
_RESTART = {
    "page_file": "recovery.md",
    "address": "/recovery",
    "page": "Wear and recovery",
}

CARDS = (
    _card(
        "theta",
        title="Flash that replaces DRAM",
        says="Flash that gains as much as a step of DRAM, in multiples of the present "
        "DRAM.",
        formula="theta = (1 + delta)^E - 1, E = C_disk / (C_disk - C_flash)",
        source=f"{PAPER}, Eq 1",
        takes=(DISK_IOPS, FLASH_IOPS, DELTA),
        instead=(C_DISK, C_FLASH, DELTA),
        gives=(
            EXPONENT,
            Output("theta", "1", "flash / existing DRAM", "(1 + delta)^E - 1"),
        ),
        estimator="log model (Eq 1)",
        validity=thetas.LOG_VALIDITY,
        warn=_about_theta,
        **_BREAK_EVEN,
    ),
    _card(
        "theta_mixed",
        title="Flash that replaces DRAM, reads and writes",
        says="The same for a mix of reads and writes.",
        formula=(
            "theta = (1 + delta)^E - 1; C_disk = x / IOPS_dr + (1 - x) / IOPS_dw, C_flash likewise"
        ),
        source=f"{PAPER}, Eq 1; the mix is derived",
        takes=(
            number(
                "read_fraction",
                "1",
                "share of reads, x",
                also=("x", "read_share"),
                argument="read_share",
            ),
            number("disk_read_iops", "1/s", "random reads of the disks"),
            number("disk_write_iops", "1/s", "random writes of the disks"),
            number("flash_read_iops", "1/s", "random reads of flash"),
            number("flash_write_iops", "1/s", "random writes of flash"),
            DELTA,
        ),
        gives=(
            EXPONENT,
            Output("theta", "1", "flash / existing DRAM", "(1 + delta)^E - 1"),
        ),
        estimator="log model (Eq 1), costs of the mix",
        validity=thetas.LOG_VALIDITY,
        warn=_about_mix,
        **_BREAK_EVEN,
    ),
    _card(
        "theta_curve",
        title="Flash that replaces DRAM, measured curve",
        says="The same from a measured hit-ratio curve; null where it is out of reach.",
        formula="least theta with H((1 + theta) B) >= H(B) + E [H((1 + delta) B) - H(B)]",
        source=f"derived; generalises Eq 1 of {PAPER}",
        takes=(
            Parameter(
                "curve",
                "curve",
                "[any, 1]",
                "LRU hit ratio by size: [size, ratio] pairs, sizes in the unit of B",
            ),
            number("B", "any", "existing DRAM", argument="base_pages"),
            DELTA,
            C_DISK,
            C_FLASH,
        ),
        gives=(
            Output(
                "target_hit",
                "1",
                "hit ratio to reach",
                "H(B) + E [H((1 + delta) B) - H(B)]",
            ),
            Output("theta", "1", "flash / existing DRAM; null: unreachable"),
        ),
        estimator="measured LRU curve, exact inverse of its linear pieces",
        validity=thetas.CURVE_VALIDITY,
        warn=_about_unreachable,
        **_BREAK_EVEN,
    ),
    _card(
        "roi_log",
        title="DRAM or flash for given additions",
        says="Whether added flash or added DRAM gains more, and by how much.",
        formula=(
            "(C_disk - C_flash) ln(1 + added_flash / base) / (C_disk ln(1 + added_dram / base))"
        ),
        source=f"derived from Eq 1 of {PAPER}",
        takes=(
            number("base", "any", "existing DRAM"),
            number("added_dram", "as base", "added DRAM"),
            number("added_flash", "as base", "flash instead"),
            C_DISK,
            C_FLASH,
        ),
        gives=(
            Output(
                "flash_to_dram_gain_ratio",
                "1",
                "gain of flash / gain of DRAM",
                "(C_disk - C_flash) ln(1 + added_flash / base) / (C_disk ln(1 + added_dram / base))",
            ),
            Output("winner", "", "the larger gain"),
        ),
        estimator="log model (Eq 1)",
        validity=f"{thetas.LOG_VALIDITY}; compares gains, not money: give additions of one price",
        **_BREAK_EVEN,
    ),
    _card(
        "clean_admission_threshold",
        title="When a clean page belongs on flash",
        says="Probability of being read again from which caching a clean page pays.",
        formula="(C_flash_write + g C_disk_write) / (C_disk_read - C_flash_read)",
        source=f"derived from {PAPER}, section 4.2.3",
        takes=(
            number("C_disk_read", "time", "disk read", argument="disk_read"),
            number("C_disk_write", "time", "disk write", argument="disk_write"),
            number("C_flash_read", "time", "flash read", argument="flash_read"),
            number("C_flash_write", "time", "flash write", argument="flash_write"),
            number(
                "dirty_displacement",
                "1",
                "probability g that it displaces a dirty page",
            ),
        ),
        gives=(
            Output(
                "threshold",
                "1",
                "probability; above 1: never",
                "(C_flash_write + dirty_displacement C_disk_write) / (C_disk_read - C_flash_read)",
            ),
        ),
        validity="one read saved at most; busy times, no queueing",
        warn=_about_threshold,
    ),
    _card(
        "waf",
        title="Write amplification",
        says="NAND writes for each byte that the host writes.",
        formula="WAF = physical / logical",
        source=f"{PAPER}, section 2.2",
        takes=(
            number("physical_bytes", "bytes", "written to NAND"),
            number("logical_bytes", "bytes", "written by the host"),
        ),
        gives=(
            Output("WAF", "1", "write amplification", "physical_bytes / logical_bytes"),
        ),
        validity="both counters span the same time",
        page="Wear and recovery",
        warn=_about_waf,
        **_WEAR,
    ),
    _card(
        "lifetime",
        title="Life of a flash device",
        says="How long NAND lasts at a given rate of host writes.",
        formula="seconds = NAND x P/E / (WAF x rate)",
        source=f"derived; WAF of {PAPER}, sections 2.2 and 6.7.1",
        takes=(
            number("nand_bytes", "bytes", "all NAND"),
            number("pe_cycles", "1", "program/erase cycles of a block"),
            number("WAF", "1", "write amplification", argument="waf"),
            number("host_bytes_per_s", "bytes/s", "host writes"),
        ),
        gives=(
            Output(
                "seconds", "s", "life", "nand_bytes pe_cycles / (WAF host_bytes_per_s)"
            ),
            Output("years", "years of 365 days", "life", "seconds / (365 x 86,400)"),
            Output(
                "host_TB_written",
                "TB",
                "host writes in a life",
                "nand_bytes pe_cycles / WAF / 10^12",
            ),
            Output(
                "drive_writes_per_day_for_5y",
                "1/day",
                "host writes per day over five years / all NAND (data sheets: / user "
                "capacity)",
                "pe_cycles / (WAF x 5 x 365)",
            ),
        ),
        estimator="P/E cycles over amplified writes",
        validity=wear.LIFETIME_VALIDITY,
        page="Wear and recovery",
        warn=_about_lifetime,
        **_WEAR,
    ),
    _card(
        "lifetime_ratio",
        title="Lives of two schemes compared",
        says="How many times as long flash lasts under one scheme as under another.",
        formula="(WAF_b writes_b) / (WAF_a writes_a)",
        source=f"derived; WAF of {PAPER}, Table 7",
        takes=(
            number("WAF_a", "1", "write amplification of a", argument="waf_a"),
            number("writes_a", "any", "host writes of a"),
            number("WAF_b", "1", "write amplification of b", argument="waf_b"),
            number("writes_b", "as writes_a", "host writes of b"),
        ),
        gives=(
            Output(
                "ratio_a_over_b",
                "1",
                "life under a / life under b",
                "(WAF_b writes_b) / (WAF_a writes_a)",
            ),
        ),
        estimator="P/E cycles over amplified writes",
        validity=wear.LIFETIME_VALIDITY,
        page_file="endurance.md",
    ),
    _card(
        "write_reduction",
        title="Disk writes saved",
        says="Share of disk writes that a flash cache saves.",
        formula="1 - W_disk / D_flash",
        source=f"{PAPER}, section 6.3, Table 4",
        takes=(
            number("W_disk", "pages", "written to disk", argument="disk_writes"),
            number(
                "D_flash",
                "pages",
                "dirty pages evicted from RAM, newer than their flash copy",
                argument="dirty_evictions",
            ),
        ),
        gives=(
            Output(
                "write_reduction",
                "1",
                "share; null without any",
                "1 - W_disk / D_flash",
            ),
        ),
        validity="both counted over the same accesses",
        command="simulate",
        address="/sweeps/{sweep_id}",
        page="Simulate",
        warn=_about_reduction,
    ),
    _card(
        "effective_capacity",
        title="Flash without old versions",
        says="Capacity of a flash cache that holds newest versions.",
        formula="capacity (1 - old / 100)",
        source=f"{PAPER}, Table 5",
        takes=(
            number("capacity_GB", "GB", "flash cache", argument="capacity_bytes"),
            number(
                "old_pct",
                "%",
                "share of it that holds old versions",
                argument="old_share",
            ),
        ),
        gives=(
            Output(
                "effective_GB",
                "GB",
                "newest versions",
                "capacity_GB (1 - old_pct / 100)",
            ),
        ),
        validity="the share holds for this size and workload; it rises with the size",
    ),
    _card(
        "recovery",
        title="Restoring the metadata of a flash cache",
        says="Time to restore a flash cache's metadata after a crash, against a full scan.",
        formula=(
            "segments = ceil(pages / entries_per_segment); (persisted + scanned) / bandwidth"
        ),
        source=f"{PAPER}, section 5.2",
        takes=(
            integer("flash_bytes", "bytes", "flash cache"),
            integer("page_bytes", "bytes", "page"),
            number("seq_read_bytes_per_s", "bytes/s", "sequential reads of flash"),
            optional(
                integer("entries_per_segment", "entries", "of a metadata segment"),
                64_000,
            ),
            optional(integer("entry_bytes", "bytes", "metadata entry"), 32),
            optional(
                integer(
                    "scan_segments", "segments", "rebuilt by reading their data pages"
                ),
                2,
            ),
        ),
        gives=(
            Output("pages", "pages", "of the cache", "floor(flash_bytes / page_bytes)"),
            Output(
                "segments",
                "segments",
                "of metadata",
                "ceil(pages / entries_per_segment)",
            ),
            Output(
                "segments_read",
                "segments",
                "read back",
                "max(0, segments - scan_segments)",
            ),
            Output(
                "directory_bytes",
                "bytes",
                "all metadata",
                "segments entries_per_segment entry_bytes",
            ),
            Output(
                "persisted_bytes_read",
                "bytes",
                "metadata read back",
                "segments_read entries_per_segment entry_bytes",
            ),
            Output(
                "scan_bytes",
                "bytes",
                "data pages read",
                "min(segments, scan_segments) entries_per_segment page_bytes",
            ),
            Output(
                "restore_seconds",
                "s",
                "restoring",
                "(persisted_bytes_read + scan_bytes) / seq_read_bytes_per_s",
            ),
            Output(
                "full_scan_seconds",
                "s",
                "reading all of flash instead",
                "flash_bytes / seq_read_bytes_per_s",
            ),
        ),
        estimator="bytes read over the sequential rate",
        validity="flash serves nothing else in the meantime; the redo that follows is "
        "not included",
        command="restart",
        **_RESTART,
    ),
    _card(
        "metadata_flush_interval",
        title="Time between metadata flushes",
        says="How often a full metadata segment is written.",
        formula="entries / enqueue rate",
        source=f"{PAPER}, section 5.2",
        takes=(
            number("entries_per_segment", "entries", "of a segment", also=("entries",)),
            number(
                "enqueue_rate",
                "1/s",
                "pages appended",
                also=("enqueues_per_s",),
                argument="enqueues_per_s",
            ),
        ),
        gives=(
            Output("seconds", "s", "interval", "entries_per_segment / enqueue_rate"),
        ),
        validity="a steady rate of appends",
        **_RESTART,
    ),
    _card(
        "restart_speedup",
        title="How much faster a restart is",
        says="Restart time without the cache over restart time with it.",
        formula="other / face",
        source=f"{PAPER}, section 6.8, Table 8",
        takes=(
            numbers("other", "s", "restart of the other", argument="other_s"),
            numbers("face", "s", "restart with the flash cache", argument="face_s"),
        ),
        gives=(Output("speedup", "1", "ratio of times", "other / face"),),
        validity="both restarts of the same load and checkpoint interval",
        command="restart",
        **_RESTART,
    ),
    _card(
        "writeback_chain",
        title="Several evictions of one page",
        says="Cost of k evictions of a page without cache, with write-back and write-through.",
        formula="no_cache = k C_dw; write_back = k C_fw + C_dw; write_through = k (C_dw + C_fw)",
        source=f"derived from {PAPER}, section 4.2.1",
        takes=(
            number(
                "k", "1", "dirty evictions before it leaves flash", argument="evictions"
            ),
            number("C_disk_write", "time", "disk write", argument="disk_write"),
            number("C_flash_write", "time", "flash write", argument="flash_write"),
        ),
        gives=(
            Output("no_cache", "time", "without flash", "k C_disk_write"),
            Output(
                "write_back", "time", "write-back", "k C_flash_write + C_disk_write"
            ),
            Output(
                "write_through",
                "time",
                "write-through",
                "k (C_disk_write + C_flash_write)",
            ),
            Output(
                "break_even_k",
                "1",
                "evictions from which write-back pays; null: never",
                "C_disk_write / (C_disk_write - C_flash_write)",
            ),
        ),
        validity="busy times, no queueing; the page is written to disk once at the end",
        warn=_about_chain,
    ),
    _card(
        "bottleneck",
        title="Bottleneck of disks and flash",
        says="Throughput, the device that limits it, and the number of disks at the knee.",
        formula="D = operations / rate; X = min(cap, 1 / D_disk, 1 / D_flash); knee = D_disk(1) / D_flash",
        source=f"derived; operational laws (Denning and Buzen 1978) on the loads of {PAPER}",
        takes=(
            number("disk_reads", "1/transaction", "disk reads"),
            number("disk_writes", "1/transaction", "disk writes"),
            number("flash_reads", "1/transaction", "flash reads"),
            number("flash_writes", "1/transaction", "flash writes"),
            number("disk_read_iops", "1/s", "reads of one disk"),
            number("disk_write_iops", "1/s", "writes of one disk"),
            number("flash_read_iops", "1/s", "reads of flash"),
            number(
                "flash_write_iops",
                "1/s",
                "writes of flash: sequential pages where appended",
            ),
            number("n_disks", "1", "disks", argument="disks"),
            number(
                "cpu_cap",
                "1/s",
                "transactions that the processor allows",
                required=False,
                otherwise="no cap",
                argument="cpu_cap_per_s",
            ),
        ),
        gives=(
            Output(
                "disk_demand_s",
                "s/transaction",
                "of each disk",
                "(disk_reads / disk_read_iops + disk_writes / disk_write_iops) / n_disks",
            ),
            Output(
                "flash_demand_s",
                "s/transaction",
                "of flash",
                "flash_reads / flash_read_iops + flash_writes / flash_write_iops",
            ),
            Output(
                "throughput",
                "1/s",
                "transactions",
                "min(cpu_cap, 1 / disk_demand_s, 1 / flash_demand_s)",
            ),
            Output("disk_utilisation", "1", "of the disks", "throughput disk_demand_s"),
            Output("flash_utilisation", "1", "of flash", "throughput flash_demand_s"),
            Output("bottleneck", "", "what limits"),
            Output(
                "knee_disks",
                "1",
                "disks from which flash limits",
                "disk_demand_s n_disks / flash_demand_s",
            ),
        ),
        estimator="operational laws at saturation",
        validity=disk_array.VALIDITY,
        command="throughput",
        address="/throughputs",
        page="Throughput",
    ),
    _card(
        "seq_to_random_write_ratio",
        title="Sequential against random writes",
        says="How many times faster a device appends than it writes random pages.",
        formula="(bandwidth / page) / random IOPS",
        source=f"{PAPER}, Table 1",
        takes=(
            number("seq_bytes_per_s", "bytes/s", "sequential writes"),
            number("random_iops", "1/s", "random page writes"),
            integer("page_bytes", "bytes", "page"),
        ),
        gives=(
            Output(
                "ratio", "1", "appends / random writes", "seq_pages_per_s / random_iops"
            ),
            Output(
                "seq_pages_per_s",
                "1/s",
                "appended pages",
                "seq_bytes_per_s / page_bytes",
            ),
        ),
        validity="both rates of the same device at the loads they were measured with",
    ),
    _card(
        "simulate_mvfifo",
        title="Replay of mvFIFO",
        says="Hits and writes of a flash cache that appends, on a short trace.",
        formula="replay: circular queue of versions, at most one of a page valid",
        source=f"{PAPER}, Algorithm 1",
        takes=(*CACHE, *RULES),
        gives=COUNTS,
        estimator=REPLAY,
        validity=REPLAY_VALIDITY,
        command="simulate",
        address="/sweeps",
        page="Simulate",
    ),
    _card(
        "simulate_gsc",
        title="Replay of group second chance",
        says="Hits and writes of a flash cache with group second chance, on a short trace.",
        formula="replay: slots leave in groups, those read meanwhile are appended again",
        source=f"{PAPER}, section 4.3",
        takes=(
            *CACHE,
            integer(
                "scan_depth", "pages", "slots that leave together; at most flash_slots"
            ),
            *RULES,
        ),
        gives=COUNTS,
        estimator=REPLAY,
        validity=REPLAY_VALIDITY,
        command="simulate",
        address="/sweeps",
        page="Simulate",
    ),
)
"""In the order of the table."""
