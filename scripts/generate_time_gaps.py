"""Writes docs/models/timed-gaps.md: predictions of response time and throughput beside replays on simulated time.

``python scripts/generate_time_gaps.py`` replays the shipped traces; ``make time-gaps`` runs it. It takes minutes, so
`make generate` leaves it out.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
from generate_model_gaps import curve_of, table

from tierwright import _simulator
from tierwright.advise import response as question
from tierwright.advise.checks.counted import ReplayedThroughput, replayed_throughput
from tierwright.advise.checks.response import ResponseCheck, times_of
from tierwright.advise.response.rows import NamedRate
from tierwright.common.wording import percent, three_digits
from tierwright.evaluate.page_flow.schemes import NO_FLASH, SCHEMES
from tierwright.evaluate.response.schemes import (
    Hierarchy,
    SchemeResponse,
    scheme_response,
)
from tierwright.evaluate.throughput.schemes import Setting, scheme_throughput
from tierwright.hardware import catalog
from tierwright.hardware.device import Device, Figure
from tierwright.hardware.mixed_load import mixed_operation
from tierwright.hardware.service_time import US_PER_S, service_us
from tierwright.profile.curve import Curve
from tierwright.simulate.replay import replay
from tierwright.simulate.timed import Arrivals, replay_timed
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "models" / "timed-gaps.md"
NOTE = "<!-- Written by `make time-gaps`; do not edit. -->"
TRACES = ("tpcb-cut.csv.zst", "tpcc-cut.csv.zst", "tpcc-20w-cut.csv.zst")
PAIRS = {
    "S3500 over 16 disks": (
        "face2016-intel-s3500-480",
        "face2016-cheetah-15k6-single",
        16,
    ),
    "PM9A3 over 32 disks": (
        "samsung-pm9a3-7.68tb-u2",
        "face2016-cheetah-15k6-single",
        32,
    ),
}
BESIDE = "S3500 over 16 disks"
RAM_SHARE, FLASH_SHARE = 0.04, 0.3
"""RAM and flash as shares of the distinct pages."""
LOADS = (0.3, 0.6, 0.8)
"""Shares of the largest rate that lazy carries."""
CLIENTS = (1, 8, 32, 128)
PER_TRANSACTION = 20.0
FIGURE_8 = 0.4
"""FaCE ahead of Lazy Cleaning on an S3500, Kang, Lee and Moon, section 6.4.3. [1]"""
CACHES: dict[str, tuple[str, dict[str, str]]] = {
    "FaCE": ("face", {}),
    "FaCE, a checkpoint each 5,000 accesses": (
        "face",
        {"checkpoint_accesses": "5000"},
    ),
    "Lazy Cleaning, no cleaner": ("lazy_cleaning", {"dirty_threshold": "1"}),
    "Lazy Cleaning, cleaner at 0.1": ("lazy_cleaning", {"dirty_threshold": "0.1"}),
}
"""What works in the background, and what does not."""
FEW_AND_MANY = (1, 32)
OLTP_CLIENTS = 50
"""As many clients as the paper's."""
READ_PERCENT = 70
SYSTEMS: dict[str, tuple[str, dict[str, str]]] = {
    "FaCE": ("face", {}),
    "Lazy Cleaning, cleaner at 0.5": ("lazy_cleaning", {}),
    "Lazy Cleaning, no cleaner": ("lazy_cleaning", {"dirty_threshold": "1"}),
}


@dataclass(frozen=True)
class Point:
    """A trace at one pair of sizes."""

    name: str
    trace: Trace
    curve: Curve

    @property
    def ram(self) -> int:
        """Pages of RAM."""
        return int(self.curve.distinct_pages * RAM_SHARE)

    @property
    def flash(self) -> int:
        """Pages of flash."""
        return int(self.curve.distinct_pages * FLASH_SHARE)


def lazy_at_one(point: Point, hierarchy: Hierarchy) -> SchemeResponse:
    """Return the response of lazy at one access a second, which says what it can carry."""
    return scheme_response(
        point.curve,
        ram_pages=point.ram,
        flash_pages=point.flash,
        hierarchy=hierarchy,
        accesses_per_s=1.0,
        percentiles=(),
    )["lazy"]


def response_gaps(point: Point, pair: str) -> Iterator[list[str]]:
    """Compare response times at rates, accesses arriving as a Poisson process."""
    flash, disk, disks = PAIRS[pair]
    hierarchy = Hierarchy(catalog.device(flash), catalog.device(disk), disks=disks)
    largest = lazy_at_one(point, hierarchy).largest_accesses_per_s
    for load in LOADS:
        found = question.answer(
            point.curve,
            ram_pages=point.ram,
            flash_pages=point.flash,
            hierarchy=hierarchy,
            rates=(NamedRate("mean", load * largest, "a share of what lazy carries"),),
        )
        check = ResponseCheck(
            answer=found, curve=point.curve, hierarchy=hierarchy, warm_up=0.5
        )
        replays, _ = check.replays()
        rows = check.check({n: r.run(point.trace) for n, r in replays.items()}).rows
        gaps: dict[str, list[float]] = {}
        for row in rows:
            if row.of != NO_FLASH and row.gap_relative is not None:
                figure = row.figure.removesuffix(" at the mean rate")
                gaps.setdefault(figure, []).append(row.gap_relative)
        yield [
            point.name,
            pair,
            percent(load),
            *(
                spread(gaps.get(figure, []))
                for figure in (
                    "mean response time",
                    "99th percentile",
                    "99.9th percentile",
                    "busy share of flash",
                    "busy share of disk",
                )
            ),
        ]


def spread(gaps: list[float]) -> str:
    """Return the range of gaps as text."""
    if not gaps:
        return "-"
    return f"{100 * min(gaps):+.0f} to {100 * max(gaps):+.0f}"


def throughput_gaps(point: Point, pair: str) -> Iterator[list[str]]:
    """Compare accesses per second of clients that wait for reads and writes, and do not think."""
    flash_id, disk_id, disks = PAIRS[pair]
    flash, disk = catalog.device(flash_id), catalog.device(disk_id)
    hierarchy = Hierarchy(
        flash, disk, disks=disks, service="exponential", writes="waited_for"
    )
    stations = lazy_at_one(point, hierarchy).stations
    study = scheme_throughput(
        point.curve,
        ram_pages=point.ram,
        flash_pages=point.flash,
        flash=flash,
        disk=disk,
        setting=Setting(clients=max(CLIENTS), disks=disks),
        points=CLIENTS,
    )
    counters = {
        name: replay(
            point.trace,
            "scheme",
            name,
            point.ram,
            0 if name == NO_FLASH else point.flash,
            warm_up=0.5,
        )
        for name in SCHEMES
    }
    for at, clients in enumerate(CLIENTS):
        formula, counted = [], []
        for name in SCHEMES:
            found = replay_timed(
                point.trace,
                name,
                point.ram,
                0 if name == NO_FLASH else point.flash,
                arrivals=Arrivals("clients", clients=clients),
                flash=times_of(stations["flash"], flash, point.curve.page_bytes),
                disk=times_of(stations["disk"], disk, point.curve.page_bytes),
                exponential=True,
                waits_for_writes=True,
                warm_up=0.5,
            )["response"]["accesses_per_s"]
            model = float(study.schemes[name].throughput_per_s[at])
            of_counters = replayed_throughput(
                counters[name],
                flash=flash,
                disk=disk,
                setting=Setting(clients=clients, disks=disks),
            ).throughput_per_s
            formula.append(model / found - 1)
            counted.append(of_counters / found - 1)
        yield [point.name, pair, f"{clients}", spread(formula), spread(counted)]


def cache_gaps(point: Point, pair: str) -> Iterator[list[str]]:
    """Compare accesses per second of clients that wait, with what nobody waits for apart, and with all of it waited for."""
    flash_id, disk_id, disks = PAIRS[pair]
    flash, disk = catalog.device(flash_id), catalog.device(disk_id)
    hierarchy = Hierarchy(
        flash, disk, disks=disks, service="exponential", writes="waited_for"
    )
    stations = lazy_at_one(point, hierarchy).stations
    for title, (name, options) in CACHES.items():
        counters = replay(
            point.trace,
            "flash_cache",
            name,
            point.ram,
            point.flash,
            options=options,
            warm_up=0.5,
        )
        background = counters["background"]
        stage_outs = (
            counters["flash_stage_out_reads"] + counters["flash_batch_reads"]
        ) - background.get("flash_stage_out_reads", 0)
        for clients in FEW_AND_MANY:
            found = replay_timed(
                point.trace,
                name,
                point.ram,
                point.flash,
                arrivals=Arrivals("clients", clients=clients),
                flash=times_of(stations["flash"], flash, point.curve.page_bytes),
                disk=times_of(stations["disk"], disk, point.curve.page_bytes),
                exponential=True,
                waits_for_writes=True,
                warm_up=0.5,
                options=options,
            )["response"]["accesses_per_s"]
            gaps = [
                replayed_throughput(
                    {**counters, "background": apart},
                    flash=flash,
                    disk=disk,
                    setting=Setting(clients=clients, disks=disks),
                ).throughput_per_s
                / found
                - 1
                for apart in ({}, background)
            ]
            yield [
                point.name,
                title,
                f"{clients}",
                *(
                    f"{1000 * count / counters['accesses']:.1f}"
                    for count in (
                        stage_outs,
                        counters["hdd_writes"] - background.get("hdd_writes", 0),
                        background.get("hdd_writes", 0),
                        background.get("flash_writes", 0),
                    )
                ),
                *(f"{100 * gap:+.1f}" for gap in gaps),
            ]


def with_mix(device: Device, mixed_iops: float) -> Device:
    """Return a device that states its rate under a mix."""
    more = {
        "mixed_iops": Figure(Decimal(f"{mixed_iops:.6g}"), "1/s", "assumed"),
        "mixed_read_percent": Figure(Decimal(READ_PERCENT), "%", "assumed"),
    }
    return replace(device, figures={**device.figures, **more})


def figure_8(point: Point) -> tuple[list[list[str]], list[str]]:
    """Return what FaCE does beside Lazy Cleaning, and its lead under mixed loads."""
    flash_id, disk_id, disks = PAIRS["S3500 over 16 disks"]
    flash, disk = catalog.device(flash_id), catalog.device(disk_id)
    setting = Setting(
        clients=OLTP_CLIENTS, accesses_per_transaction=PER_TRANSACTION, disks=disks
    )
    counters = {
        title: replay(
            point.trace,
            "flash_cache",
            name,
            point.ram,
            point.flash,
            options=options,
            warm_up=0.5,
        )
        for title, (name, options) in SYSTEMS.items()
    }

    def rate(title: str, device: Device) -> ReplayedThroughput:
        return replayed_throughput(
            counters[title], flash=device, disk=disk, setting=setting
        )

    rows = [
        [
            point.name,
            title,
            f"{row['mean_write_pages']:.1f}",
            percent(row["ram_hits"] / row["accesses"]),
            percent(row["flash_hit_ratio"]),
            percent(row["write_reduction"]),
            f"{row['flash_writes'] / row['accesses']:.4f}",
            three_digits(rate(title, flash).throughput_per_s),
            percent(rate(title, flash).utilisation["flash"]),
            percent(rate(title, flash).utilisation["disk"]),
        ]
        for title, row in counters.items()
    ]
    return rows, lead_of(rate, flash, point)


def lead_of(rate: Any, flash: Device, point: Point) -> list[str]:
    """Return the lead of FaCE, without and with mixes, the mix of the paper's lead, and what half the rate explains."""
    face, cleaning = "FaCE", "Lazy Cleaning, no cleaner"

    def lead(device: Device) -> float:
        one, other = rate(face, device), rate(cleaning, device)
        return float(one.throughput_per_s / other.throughput_per_s - 1)

    page = flash.page_bytes or 4096
    read, write = (service_us(flash, each, page) or 0.0 for each in ("read", "write"))
    plain = US_PER_S / float(
        mixed_operation(
            read_us=read,
            write_us=write,
            beside_us=0.0,
            read_share=READ_PERCENT / 100,
        )
    )
    low, high = plain / 1000, plain
    for _ in range(60):
        middle = float(np.sqrt(low * high))
        low, high = (
            (middle, high)
            if lead(with_mix(flash, middle)) > FIGURE_8
            else (low, middle)
        )
    needed = (
        f"{three_digits(low)} ({percent(low / plain)})"
        if lead(with_mix(flash, plain / 1000)) > FIGURE_8
        else "none"
    )
    return [
        point.name,
        f"{100 * lead(flash):+.1f} %",
        *(
            f"{100 * lead(with_mix(flash, plain * s)):+.1f} %"
            for s in (0.75, 0.5, 0.25)
        ),
        needed,
        percent(
            (lead(with_mix(flash, plain / 2)) - lead(flash)) / (FIGURE_8 - lead(flash))
        ),
    ]


def page(points: Mapping[str, Point]) -> str:
    """Return the page."""
    response, throughput, caches, costs, leads = [], [], [], [], []
    for point in points.values():
        for pair in PAIRS:
            print(point.name, pair, flush=True)
            response += list(response_gaps(point, pair))
            throughput += list(throughput_gaps(point, pair))
        caches += list(cache_gaps(point, BESIDE))
        if point.name.startswith("`tpcc"):
            rows, lead = figure_8(point)
            costs += rows
            leads.append(lead)
    figures = ["mean", "p99", "p99.9", "busy flash", "busy disk"]
    return f"""# Predictions beside replays on simulated time

{NOTE}

How far are [response times](response.md) and [throughput](throughput.md) from a replay of the trace in which accesses arrive, wait and are served? All gaps are
(prediction - replay) / replay, in per cent, least to largest over the page-flow schemes with flash. RAM holds {percent(RAM_SHARE)} of the distinct pages, flash {percent(FLASH_SHARE)}; the first half of
each trace warms the caches.

## Response time at a rate

Poisson arrivals, constant times, writes in the background; the load is a share of the largest rate that lazy carries.

{table(["trace", "devices", "load", *figures], response)}

## Throughput of clients that wait

Clients without think time that wait for the reads and writes of each access; exponential times. *Formula*: demands from C0 to C3. *Counters*: demands from the counters of a replay without time. RAM alone included.

{table(["trace", "devices", "clients", "formula", "counters"], throughput)}

## Throughput through flash caches

The same behind flash caches, on {BESIDE}. A client waits for what its accesses cause: the pages that leave flash are read and written to disk before its own page has room. What a cleaner or a checkpoint does keeps
devices busy, and nobody waits for it. The dirty pages of a group of FaCE go to the disks together, and the client waits for the disk that gets most. Operations are for each 1,000 accesses; the gaps are in per cent, with the background
waited for, too, and with it apart, which is what *Throughput* does. A cleaner wakes by the time of the recording where nothing is timed, by that of the clients on simulated time: where these are slower, it cleans more for each access there.

{table(["trace", "flash cache", "clients", "reads to make room", "disk writes", "disk writes in the background", "flash writes in the background", "background waited for", "background apart"], caches)}

## FaCE and Lazy Cleaning

Counters of a replay, priced on an Intel DC S3500 over 16 disks; {OLTP_CLIENTS} clients, {PER_TRANSACTION:g} accesses per transaction.

{table(["trace", "system", "pages per write", "RAM hits", "flash hits", "write reduction", "flash writes per access", "transactions/s", "flash busy", "disks busy"], costs)}

## How much of figure 8 mixed loads explain

Kang, Lee and Moon measured FaCE about {percent(FIGURE_8)} ahead of Lazy Cleaning on an Intel DC S3500 with much flash (section 6.4.3). Lead of FaCE over Lazy Cleaning without a cleaner, where
the drive carries the share of the busy times that add at {READ_PERCENT} % reads; the rate that it would have to carry there for the lead of the paper; and how much of the way from the lead by busy times to that of
the paper a drive of half the rate goes.

{table(["trace", "busy times add", "75 %", "50 %", "25 %", f"rate at {READ_PERCENT} % reads for {percent(FIGURE_8)}", "explained by half the rate"], leads)}
"""


def main() -> int:
    """Write the page."""
    with tempfile.TemporaryDirectory(prefix="tierwright-time-gaps-") as folder:
        points = {}
        for at, name in enumerate(TRACES):
            canonical = Path(folder) / f"{at}.twt"
            _simulator.convert(str(ROOT / "fixtures" / "traces" / name), str(canonical))
            trace = Trace(canonical)
            points[name] = Point(f"`{name}`", trace, curve_of(trace))
        PAGE.write_text(page(points), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
