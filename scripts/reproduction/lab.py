"""What the experiments are computed on: shipped recordings, generated traces, formulas by name, replays."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from tierwright import _simulator
from tierwright.advise.course import CoursePlan, Restart
from tierwright.catalogue.vectors.conformance import FORMULAS
from tierwright.evaluate.response.schemes import Hierarchy
from tierwright.hardware import catalog
from tierwright.hardware.device import Device
from tierwright.profile.curve import Curve
from tierwright.profile.measure import profile
from tierwright.simulate import priced
from tierwright.simulate.replay import Family, replay
from tierwright.simulate.timed import Arrivals, TimedResult
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parents[2]
RECORDED = {
    "TPC-C": "tpcc-20w-cut.csv.zst",
    "TPC-C of 2 warehouses": "tpcc-cut.csv.zst",
    "TPC-B": "tpcb-cut.csv.zst",
}
"""Shipped recordings of PostgreSQL by the workload that they are of."""


def part(
    share: float, first: int, pages: int, writes: float, **draw: Any
) -> dict[str, Any]:
    """Return a part of a generated workload."""
    return {
        "access_share": share,
        "first_page": first,
        "pages": pages,
        "write_share": writes,
        "draw": draw,
    }


def read_write(
    pages: int, read_exponent: float, write_exponent: float, write_share: float
) -> list[dict[str, Any]]:
    """Return the parts of FD's workload <a_r, a_w, w>: both draw from the same pages, the same ones hottest."""
    found = [
        part(1 - write_share, 0, pages, 0.0, kind="zipf", exponent=read_exponent),
        part(write_share, 0, pages, 1.0, kind="zipf", exponent=write_exponent),
    ]
    return [each for each in found if each["access_share"] > 0]


def _analytics() -> list[dict[str, Any]]:
    """Return the shipped preset of join queries, its relations one behind the other."""
    path = ROOT / "fixtures" / "described" / "analytics.toml"
    described = tomllib.loads(path.read_text(encoding="utf-8"))["workload"]
    pages = described["data_bytes"] // described["page_bytes"]
    weights = sum(each["weight"] for each in described["components"])
    found, first = [], 0
    for each in described["components"]:
        span = round(pages * each.get("data_share", 0)) or pages
        at = first if each["kind"] == "scan" else 0
        draw = {key: each[key] for key in ("kind", "exponent") if key in each}
        share = each["weight"] / weights
        found.append(part(share, at, span, described["write_share"], **draw))
        first += span if each["kind"] == "scan" else 0
    return found


def _brokerage(exponent: float = 1.7, written: float = 0.2) -> list[dict[str, Any]]:
    """Return 64 areas that lie one behind the other, popular by Zipf; a part of each takes its writes."""
    pages, areas = 163_840, 64
    size = pages // areas
    weights = [rank**-exponent for rank in range(1, areas + 1)]
    found = []
    for at, weight in enumerate(weights):
        share = weight / sum(weights)
        found.append(part(0.87 * share, at * size, size, 0.0, kind="uniform"))
        found.append(
            part(0.13 * share, at * size, round(size * written), 1.0, kind="uniform")
        )
    return found


GENERATED: Mapping[str, tuple[int, int, list[dict[str, Any]]]] = {
    "uniform": (4096, 600_000, [part(1.0, 0, 20_000, 0.3, kind="uniform")]),
    "scans": (4096, 600_000, _analytics()),
    "reads of TM1": (
        8192,
        500_000,
        [
            part(0.954, 0, 30_000, 0.0, kind="zipf", exponent=0.9),
            part(0.046, 0, 30_000, 1.0, kind="zipf", exponent=0.9),
        ],
    ),
    "brokerage": (4096, 3_000_000, _brokerage()),
    "brokerage, 15,000 per second": (4096, 3_000_000, _brokerage()),
    "brokerage, exponent 1.2": (4096, 3_000_000, _brokerage(exponent=1.2)),
    "brokerage, writes to all pages": (4096, 3_000_000, _brokerage(written=1.0)),
}
"""Generated workloads: page size [bytes], accesses, parts. `scans` replaces TPC-H, `reads of TM1` TM1 and `brokerage`
TPC-E, of which there are no recordings: shares of writes are the papers', sizes and exponents are ours."""
RATES = {
    "brokerage": 3_000.0,
    "brokerage, 15,000 per second": 15_000.0,
    "brokerage, exponent 1.2": 3_000.0,
    "brokerage, writes to all pages": 3_000.0,
}
WHOLE = 0.999
"""Share of a window's length from which on it is whole; the last one ends with the last access. [1]"""
RATE = 10_000.0
"""Of a generated workload unless it has another. [accesses/s]"""
SEED = 20


class Lab:
    """Traces, kept in a folder while it is needed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._traces: dict[str, Trace] = {}
        self._replays: dict[str, dict[str, Any]] = {}

    def trace(self, name: str) -> Trace:
        """Return a recorded or generated trace in its canonical form."""
        if name not in self._traces:
            path = self.folder / f"{len(self._traces)}.twt"
            if name in RECORDED:
                source = ROOT / "fixtures" / "traces" / RECORDED[name]
                _simulator.convert(str(source), str(path))
            else:
                page_bytes, accesses, parts = GENERATED[name]
                self._generate(path, name, page_bytes, accesses, parts)
            self._traces[name] = Trace(path)
        return self._traces[name]

    def generated(self, accesses: int, parts: list[dict[str, Any]]) -> Trace:
        """Return a trace of pages of 8 KiB, generated from its parts."""
        name = json.dumps([accesses, parts])
        if name not in self._traces:
            path = self.folder / f"{len(self._traces)}.twt"
            self._generate(path, "generated", 8192, accesses, parts)
            self._traces[name] = Trace(path)
        return self._traces[name]

    def _generate(
        self,
        path: Path,
        name: str,
        page_bytes: int,
        accesses: int,
        parts: list[dict[str, Any]],
    ) -> None:
        workload = {
            "name": name,
            "page_bytes": page_bytes,
            "accesses_per_s": RATES.get(name, RATE),
            "parts": parts,
        }
        _simulator.generate(json.dumps(workload), accesses, SEED, str(path))

    @cached_property
    def _profiles(self) -> dict[str, Curve]:
        return {}

    def curve(self, name: str) -> Curve:
        """Return the curve of a trace, first touches included."""
        if name not in self._profiles:
            self._profiles[name] = profile(self.trace(name)).curve
        return self._profiles[name]

    def distinct(self, name: str) -> int:
        """Return the distinct pages of a trace."""
        return int(self.curve(name).distinct_pages)

    def replay(
        self,
        trace: Trace | str,
        family: Family,
        name: str,
        ram: int,
        flash: int = 0,
        *,
        warm: float = 0.5,
        **options: Any,
    ) -> dict[str, Any]:
        """Replay, counting what follows the warm-up: half of the trace, unless given."""
        found = self.trace(trace) if isinstance(trace, str) else trace
        key = json.dumps([str(found.path), family, name, ram, flash, warm, options])
        if key not in self._replays:
            self._replays[key] = replay(
                found,
                family,
                name,
                ram,
                flash,
                options={key: str(value) for key, value in options.items()},
                warm_up=warm if warm else 0,
            )
        return self._replays[key]

    def course(
        self,
        workload: str,
        system: str,
        ram: int,
        flash: int,
        hierarchy: Hierarchy,
        clients: int,
        *,
        think_s: float = 0.0,
        window_s: float | None = None,
        crash_at: float | None = None,
        restart: Restart = "warm",
        checkpoint_interval_s: float = 0.0,
        disk_line_bytes_per_s: float | None = None,
        **options: Any,
    ) -> TimedResult:
        """Replay a system on simulated time behind clients that wait; `course` of the result is its whole windows.

        `none` is RAM and the disks alone; where that crashes, it is a flash cache without any flash. Batches come over a line of `disk_line_bytes_per_s`, where that is given.
        """
        curve = self.curve(workload)
        alone = system == "none"
        plan = CoursePlan(
            curve=curve,
            system=system if not alone else "lazy" if crash_at is None else "face",
            ram_pages=ram,
            flash_pages=flash,
            hierarchy=hierarchy,
            arrivals=Arrivals("clients", clients=clients, think_s=think_s),
            options={key: str(value) for key, value in options.items()},
            window_s=window_s,
            crash_at=crash_at,
            restart="cold" if alone else restart,
            checkpoint_interval_s=checkpoint_interval_s,
        )
        asked = plan.replay(curve.accesses)
        if alone:
            scheme = "none" if crash_at is None else asked.scheme
            asked = replace(asked, scheme=scheme, flash_pages=0)
        if disk_line_bytes_per_s is not None:
            disk = asked.disk
            places = disk.devices * disk.at_once
            page_s = curve.page_bytes / disk_line_bytes_per_s
            asked = replace(asked, disk=replace(disk, batch_read_s=places * page_s))
        key = json.dumps(["course", workload, asked.to_dict()])
        if key not in self._replays:
            found = asked.run(self.trace(workload))
            whole = WHOLE * found["window_s"]
            found["course"] = [
                each for each in found["course"] if each["length_s"] >= whole
            ]
            self._replays[key] = found
        return self._replays[key]


def formula(name: str, **inputs: Any) -> dict[str, Any]:
    """Compute a formula of the catalogue."""
    return FORMULAS[name](inputs)


@cache
def device(name: str) -> Device:
    """Return a device of the catalogue."""
    return catalog.device(name)


def time_us(counters: Mapping[str, Any], flash: str | None, disk: str) -> float:
    """Return the I/O time of an access of a replay. [µs]"""
    found = priced.price(
        counters, flash=device(flash) if flash else None, disk=device(disk)
    )
    if found.io_time_us_per_access is None:
        raise ValueError(found.reason)
    return found.io_time_us_per_access
