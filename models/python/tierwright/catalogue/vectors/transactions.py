"""Formulas `zhou.*` of the conformance vectors: from a vector's inputs to its fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tierwright.evaluate.transactions import eviction, nand

Inputs = Mapping[str, Any]
Outputs = dict[str, Any]


def _times(inputs: Inputs) -> nand.NandTimes:
    paper = nand.PAPER_TIMES
    return nand.NandTimes(
        inputs.get("read_us", paper.read_us),
        inputs.get("write_us", paper.write_us),
        inputs.get("erase_us", paper.erase_us),
    )


def _aat(inputs: Inputs) -> Outputs:
    given = inputs["transactions"]
    return {
        "AAT": eviction.average_access_times(given),
        "eviction_order": eviction.uncommitted_order(given),
    }


def _eviction_order(inputs: Inputs) -> Outputs:
    given = {
        name: eviction.Transaction(tuple(entry["access"]), entry.get("commit"))
        for name, entry in inputs["transactions"].items()
    }
    return {"order": eviction.eviction_order(given)}


def _io_time_us(inputs: Inputs) -> Outputs:
    found = nand.io_time_us(
        inputs["reads"], inputs["writes"], inputs["erases"], _times(inputs)
    )
    return {"us": float(found)}


def _log_write(inputs: Inputs) -> Outputs:
    found = nand.log_write(
        inputs["dirty_pages"],
        inputs["log_bytes_per_page"],
        page_bytes=inputs.get("page_bytes", nand.PAPER_GEOMETRY.page_bytes),
        times=_times(inputs),
    )
    return {
        "log_pages": found.log_pages,
        "data_write_us": found.data_write_us,
        "log_write_us": found.log_write_us,
        "write_saving_us": found.write_saving_us,
        "break_even_extra_reads": found.break_even_extra_reads,
    }


def _log_read_cost(inputs: Inputs) -> Outputs:
    # The catalogue names the formula, pages (1 + k) 25, and no field: µs, as in io_time_us.
    found = nand.log_read_us(inputs["pages"], inputs["k"], _times(inputs))
    return {"us": float(found), "read_us": float(found), "cost_us": float(found)}


def _implied_read_share(inputs: Inputs) -> Outputs:
    found = nand.implied_read_share(
        read_slowdown=inputs["read_slowdown"],
        write_saving=inputs["write_saving"],
        total_saving=inputs["total_saving"],
    )
    return {"read_share": found.read_share}


def _capacities(inputs: Inputs) -> Outputs:
    found = nand.capacities(
        ram_bytes=inputs["ram_bytes"],
        pages_per_transaction=inputs["pages_per_txn"],
        geometry=nand.NandGeometry(
            inputs["blocks"], inputs["pages_per_block"], inputs["page_bytes"]
        ),
    )
    return {
        "flash_bytes": found.flash_bytes,
        "ram_pages": found.ram_pages,
        "ram_blocks": found.ram_blocks,
        "resident_txns": found.resident_transactions,
    }


def _ratios(inputs: Inputs) -> Outputs:
    found = nand.speed_ratios(
        disk_ms=inputs["disk_ms"],
        times=_times(inputs),
        pages_per_block=inputs["pages_per_block"],
    )
    return {
        "read_speedup": found.read_speedup,
        "write_speedup": found.write_speedup,
        "write_over_read": found.write_over_read,
        "erase_us_per_page": found.erase_us_per_page,
    }


FORMULAS: dict[str, Callable[[Inputs], Outputs]] = {
    "zhou.aat": _aat,
    "zhou.eviction_order": _eviction_order,
    "zhou.io_time_us": _io_time_us,
    "zhou.log_write": _log_write,
    "zhou.log_read_cost": _log_read_cost,
    "zhou.implied_read_share": _implied_read_share,
    "zhou.capacities": _capacities,
    "zhou.ratios": _ratios,
}
"""Formula name to function; one line a formula."""
