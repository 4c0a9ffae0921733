"""Writes docs/models/model-vs-simulation.md: how far the models are off the simulator.

``python scripts/generate_model_gaps.py SHARED`` replays the recorded traces in the folder SHARED/traces
(or that of TIERWRIGHT_SHARED) and the shipped ones; ``make gaps`` runs it. It takes a minute
and needs traces whose licences do not let us ship them, so `make generate` leaves it out.

``--check`` needs the shipped traces only: it computes their rows anew and compares them, and all
words of the page, with what is there; exit 1 where they differ.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tierwright import _simulator
from tierwright.evaluate.page_flow import counts as page_flow_counts
from tierwright.evaluate.page_flow import evaluation, lazy_writes, results
from tierwright.evaluate.pool_split import costs as pool_split_costs
from tierwright.evaluate.pool_split import counts as pool_split_counts
from tierwright.hardware import catalog
from tierwright.hardware.device import OPERATIONS, Device
from tierwright.hardware.service_time import service_time, service_us
from tierwright.profile.curve import Curve
from tierwright.simulate import priced
from tierwright.simulate.replay import replay, simulate_splits, two_stack
from tierwright.trace.notes import NO_WRITES_IN_FORMAT, ReaderNotes
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parent.parent
SHOWN_PAGE_BYTES = 8192
"""Page of the service times in the table of devices: that of PostgreSQL. [bytes]"""
PAGE = ROOT / "docs" / "models" / "model-vs-simulation.md"
NOTE = "<!-- Written by `make gaps`; do not edit. -->"

RAM_SHARES = (0.005, 0.01, 0.05, 0.1)
FLASH_PER_RAM = (0.5, 1.0, 1.5, 2.0, 3.0, 6.0, 10.0, 20.0, 50.0)
BANDS = ((0.0, 1.0), (1.0, 3.0), (3.0, 6.0), (6.0, float("inf")))
BUFFER_SHARES = (0.005, 0.02)
CLEAN_SHARES = (0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99)
ASYMMETRY = 32.0
LEAST_FLASH_HITS = 100
"""Flash hits from which a relative error of them means something."""

SHIPPED = ("tpcb-cut.csv.zst", "tpcc-cut.csv.zst")
RECORDED: dict[str, str | None] = {
    "cloudPhysicsIO.vscsi": None,
    "tpcc-small.msr.csv": None,
    "websearch1-small.spc": None,
    "hadoop_eternity8.blkparse.txt.gz": None,
    "desktop.trace.gz": "flashsim",
    "OLTP.lis.zst": None,
    "2_pools.trace.gz": None,
    "postgres/tpcb.csv.zst": None,
}
"""Trace and its format, where the content fits several."""
PAIRS = {
    "slow writes": ("kv2009-intel-x25e", "face2016-cheetah-15k6-single"),
    "fast flash": ("samsung-pm9a3-7.68tb-u2", "face2016-cheetah-15k6-raid0-16"),
    "dear writes": ("face2016-samsung-850evo-250", "face2016-cheetah-15k6-raid0-16"),
}
"""Flash and disk that price both model and replay: one disk under flash that is slow to write, many
disks under fast flash, and under flash whose write takes nearly as long as a disk access."""


@dataclass(frozen=True, slots=True)
class Gap:
    """One comparison."""

    trace: str
    what: str
    ratio: float
    value: float


def main(arguments: list[str]) -> int:
    """Write the page."""
    if "--check" in arguments:
        return check()
    shared = arguments[0] if arguments else os.environ.get("TIERWRIGHT_SHARED", "")
    folder = Path(shared) / "traces"
    if not shared or not folder.is_dir():
        print(f"error: `{folder}` is no folder of recorded traces")
        print("hint: name the folder that holds `traces`, or set TIERWRIGHT_SHARED")
        return 2
    sources: dict[str, Path] = shipped() | {name: folder / name for name in RECORDED}
    measured = measure(sources)
    PAGE.write_text(page(measured), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}: {len(measured.gaps)} comparisons")
    return 0


@dataclass(frozen=True, slots=True)
class Measured:
    """Everything that the page tells."""

    gaps: list[Gap]
    used: list[list[str]]
    skipped: list[str]


def shipped() -> dict[str, Path]:
    """Return the traces in the repository."""
    return {name: ROOT / "fixtures" / "traces" / name for name in SHIPPED}


def measure(sources: dict[str, Path]) -> Measured:
    """Replay traces and compare."""
    found = Measured([], [], [])
    with tempfile.TemporaryDirectory(prefix="tierwright-gaps-") as scratch:
        for at, (name, source) in enumerate(sources.items()):
            canonical = Path(scratch) / f"{at}.twt"
            kind = RECORDED.get(name)
            try:
                read = _simulator.convert(str(source), str(canonical), format=kind)
            except _simulator.SimulatorError as error:
                reason = str(error.args[0]).splitlines()[0].rpartition("`: ")[2]
                found.skipped.append(f"`{name}`: {reason}")
                continue
            reads_only = any(
                warning["name"] == NO_WRITES_IN_FORMAT for warning in read["warnings"]
            )
            trace = Trace(canonical)
            curve = curve_of(trace)
            writes = f"{curve.write_accesses / curve.accesses:.0%}"
            found.used.append(
                [
                    f"`{name}`",
                    f"{curve.accesses:,}",
                    f"{curve.distinct_pages:,}",
                    "not recorded" if reads_only else writes,
                ]
            )
            print(name, flush=True)
            found.gaps.extend(flows(name, trace, curve))
            if curve.write_accesses:
                found.gaps.extend(splits(name, trace, curve))
    return found


def check() -> int:
    """Compare the page with what the shipped traces say."""
    fresh = page(measure(shipped()))
    written = PAGE.read_text(encoding="utf-8")
    rows = set(written.splitlines())
    words = {skeleton(line) for line in rows}
    names = (*SHIPPED, *(flash for flash, _ in PAIRS.values()))
    stale = []
    for line in fresh.splitlines():
        of_all_traces = line.startswith("|") and not line.startswith("| trace")
        if any(f"`{name}`" in line for name in names):
            found = line in rows
        else:
            found = of_all_traces or skeleton(line) in words
        if not found:
            stale.append(line)
    for line in stale:
        print(f"not in {PAGE.relative_to(ROOT)}: {line}")
    if stale:
        print("hint: run `make gaps`; it needs the recorded traces")
    return 1 if stale else 0


def skeleton(line: str) -> str:
    """Return a line with its counts left out."""
    return re.sub(r"\d[\d,.]*", "#", line)


def curve_of(trace: Trace) -> Curve:
    """Return the whole curve of a trace."""
    found = _simulator.curves(str(trace.path))
    return Curve.of_counts(found).with_notes(ReaderNotes.of(found["trace"]))


def devices() -> dict[str, tuple[Device, Device]]:
    """Return the pairs of `PAIRS`."""
    return {
        name: (catalog.device(flash), catalog.device(disk))
        for name, (flash, disk) in PAIRS.items()
    }


def flows(name: str, trace: Trace, curve: Curve) -> Iterator[Gap]:
    """Compare hits, writes and I/O time of every page-flow scheme."""
    for share in RAM_SHARES:
        r = max(1, int(curve.distinct_pages * share))
        plain_row = replay(trace, "scheme", "none", r, 0)
        yield from times(name, curve, "none", plain_row, evaluations(curve, r, 0))
        for ratio in FLASH_PER_RAM:
            f = int(r * ratio)
            if not 1 <= f <= curve.distinct_pages:
                continue
            counts = page_flow_counts.hits_from_curve(curve, r, f)
            evaluated = evaluations(curve, r, f)
            for scheme in ("inclusive", "inclusive_global", "exclusive", "lazy"):
                if f <= r and scheme.startswith("inclusive"):
                    continue
                row = replay(trace, "scheme", scheme, r, f)
                yield from flow(name, curve, scheme, counts[scheme], row)
                yield from times(name, curve, scheme, row, evaluated)


def evaluations(curve: Curve, r: int, f: int) -> dict[str, results.Evaluation]:
    """Evaluate all schemes with each pair of devices."""
    return {
        pair: evaluation.evaluate(
            curve, ram_pages=r, flash_pages=f, flash=flash, disk=disk
        )
        for pair, (flash, disk) in devices().items()
    }


def times(
    name: str,
    curve: Curve,
    scheme: str,
    row: dict[str, int],
    evaluated: dict[str, results.Evaluation],
) -> Iterator[Gap]:
    """Compare the I/O time of an access with the replay's counters at the same service times."""
    for pair, (flash, disk) in devices().items():
        replayed = priced.price(row, flash=flash, disk=disk).io_time_us_per_access
        flash_write_us = service_us(flash, "write", curve.page_bytes)
        if not replayed or flash_write_us is None:
            raise SystemExit(f"error: {name}: `{pair}` does not price a replay")
        model = evaluated[pair].schemes[scheme]
        off = model.io_time_us_per_access - replayed
        ratio = row["flash_pages"] / row["ram_pages"]
        yield Gap(name, f"{pair}: {scheme} charged", ratio, off / replayed)
        beside = off - cold_fills(curve, scheme, model, row) * flash_write_us
        yield Gap(name, f"{pair}: {scheme} warm", ratio, beside / replayed)
        outside = abs(beside) - model.io_time_error_us_per_access
        yield Gap(name, f"{pair}: {scheme} outside", ratio, outside / replayed)


def cold_fills(
    curve: Curve, scheme: str, model: results.SchemeResult, row: dict[str, int]
) -> float:
    """Flash writes per access that C2 and C3 charge for RAM misses that evict nothing."""
    ram_misses = float(curve.misses(row["ram_pages"]))
    if not ram_misses:
        return 0.0
    free = 1.0 - float(curve.evictions(row["ram_pages"])) / ram_misses
    charged = {"exclusive": ram_misses, "lazy": model.flash_misses}
    return charged.get(scheme, 0.0) * free / curve.accesses


def flow(
    name: str,
    curve: Curve,
    scheme: str,
    tier: page_flow_counts.TierCounts,
    row: dict[str, int],
) -> Iterator[Gap]:
    """Compare one replay with the model."""
    r, f = float(row["ram_pages"]), float(row["flash_pages"])
    ratio = f / r
    ram_misses = row["accesses"] - row["ram_hits"]
    hits = float(tier.flash_hits)
    if ram_misses:
        yield Gap(
            name,
            f"{scheme} hits",
            ratio,
            (hits - row["flash_hits"]) / ram_misses,
        )
    if row["flash_hits"] >= LEAST_FLASH_HITS:
        yield Gap(name, f"{scheme} hits relative", ratio, hits / row["flash_hits"] - 1)
    if scheme == "lazy" and row["flash_writes"]:
        size, flash = np.asarray(r), np.asarray(f)
        written = float(lazy_writes.lazy_flash_writes(curve, size, flash, tier))
        yield Gap(name, "lazy writes", ratio, written / row["flash_writes"] - 1)
        evicts = float(curve.evictions(r)) / ram_misses
        printed = float(tier.flash_misses) * evicts
        printed += float(curve.write_backs(r)) / ram_misses * hits
        yield Gap(name, "lazy writes C3", ratio, printed / row["flash_writes"] - 1)
    if row["hdd_writes"]:
        whole = {"exclusive": r + f, "lazy": r + float(tier.effective_flash_pages)}
        backs = float(curve.write_backs(whole.get(scheme, max(r, f))))
        yield Gap(name, f"{scheme} disk writes", ratio, backs / row["hdd_writes"] - 1)


def splits(name: str, trace: Trace, curve: Curve) -> Iterator[Gap]:
    """Compare estimates of the clean/dirty split with replays, and the choice they make."""
    for share in BUFFER_SHARES:
        pages = max(20, int(curve.distinct_pages * share))
        found = two_stack(trace, pages)
        rates = pool_split_costs.pool_miss_rates(
            found["hits_clean"],
            found["hits_dirty"],
            found["write_hits_dirty"],
            accesses=curve.accesses,
            write_accesses=curve.write_accesses,
        )
        costs = pool_split_costs.split_costs(
            rates.p_c,
            rates.p_d,
            rates.p_dw,
            asymmetry=ASYMMETRY,
            write_share=curve.write_accesses / curve.accesses,
        )
        best = {
            estimator: pool_split_costs.best_split(
                rates.clean_pages, getattr(costs, estimator)
            )
            for estimator in pool_split_counts.ESTIMATORS
        }
        tried = sorted(
            {max(1, min(pages - 1, round(pages * at))) for at in CLEAN_SHARES}
            | set(best.values())
        )
        rows = dict(zip(tried, simulate_splits(trace, pages, tried), strict=True))
        # Estimates hold the writes of pages that a replay leaves dirty at its end.
        whole = {
            split: (
                row["reads"]
                + ASYMMETRY * (row["write_accesses"] - row["write_hits_dirty"])
            )
            / curve.accesses
            for split, row in rows.items()
        }
        least = min(whole.values())
        for estimator in pool_split_counts.ESTIMATORS:
            estimated = getattr(costs, estimator)
            for split, cost in whole.items():
                gap = float(estimated[split - 1]) / cost - 1
                yield Gap(name, f"{estimator} cost", 0.0, gap)
            chosen = whole[best[estimator]] / least - 1
            yield Gap(name, f"{estimator} choice", 0.0, chosen)


def page(measured: Measured) -> str:
    """Return the page."""
    gaps, used, skipped = measured.gaps, measured.used, measured.skipped
    parts = [
        "# Model against simulation",
        NOTE,
        "How far the models are off a replay of the same trace, over "
        f"{len(gaps):,} comparisons: RAM of {shares(RAM_SHARES)} of all pages, flash of "
        f"{numbers(FLASH_PER_RAM)} times RAM, never more than all pages. A gap is model minus "
        "simulation. Medians and percentiles are of its absolute value.",
        table(["trace", "accesses", "pages", "writes"], used),
        "If a trace does not distinguish writes from reads, all its accesses count as reads: hits and their cost "
        "are compared, no page is dirty, and there is no clean/dirty split.",
        "## Flash hits",
        "As a share of the RAM misses. `exclusive` and `inclusive_global` are exact.",
        banded(gaps, [f"{s} hits" for s in SCHEMES]),
        f"Relative to the simulated flash hits, where there are at least {LEAST_FLASH_HITS}. With few flash "
        "hits a small miscount is a large share.",
        banded(gaps, [f"{s} hits relative" for s in SCHEMES]),
        "## Flash writes of lazy",
        "`lazy_flash_writes` (what `flash_writes_cold_start` says) beside C3's own count, which assumes that "
        "a victim is on flash with q = h_f / m_r and dirty with p_d; relative to the simulated writes.",
        banded(gaps, ["lazy writes", "lazy writes C3"]),
        "## Disk writes",
        "Relative to the simulated ones.",
        banded(gaps, [f"{s} disk writes" for s in SCHEMES]),
        "## I/O time",
        "C_k / N beside the counters of the replay, both at the same service times, relative to the replay.",
        table(
            ["devices", "flash", "disk", "F_R", "F_W", "D_R", "D_W"],
            [device_row(name, *pair) for name, pair in devices().items()],
        ),
        "Times are in µs. As charged: the formulas let every RAM miss evict a page, and from a cold start the "
        "first r do not.",
        timed(gaps, "charged"),
        "Without the flash writes charged for those misses. *Within* is the share of points at which the "
        "replay lies within `io_time_error_us_per_access` of the model, *beyond* by how much of the I/O time "
        "it is further off elsewhere. Stated is that at least "
        f"{100 * evaluation.BAND_HOLDS:g} % of the points of each row are within.",
        timed(gaps, "warm", outside="outside"),
        "## By trace",
        "Largest gaps: flash hits as a share of the RAM misses, writes, I/O time (besides the cold start, with "
        "any of the devices) and the `flow` estimate of the clean/dirty split relative.",
        by_trace(gaps),
        "## Clean/dirty split",
        f"Buffers of {shares(BUFFER_SHARES)} of all pages (at least 20 pages) at R = {ASYMMETRY:g}, splits from "
        "1 to 99 % and those that an estimator chose, raw stack distances, against a replay with "
        "what is still dirty at its end written. *Choice* is by how much the chosen split's replayed "
        "cost exceeds the least of all that were replayed.",
        plain(
            gaps,
            [
                f"{e} {w}"
                for w in ("cost", "choice")
                for e in ("flow", "disjoint", "eq4")
            ],
        ),
    ]
    if skipped:
        parts += ["## Not compared", "\n".join(f"* {line}" for line in skipped)]
    return "\n\n".join(parts) + "\n"


SCHEMES = ("exclusive", "inclusive_global", "inclusive", "lazy")
ROUNDING = 1e-9
"""Relative difference that float arithmetic leaves."""


def device_row(name: str, flash: Device, disk: Device) -> list[str]:
    """Return the service times of a pair."""
    each = (
        service_time(device, operation, SHOWN_PAGE_BYTES).time_us
        for device in (flash, disk)
        for operation in OPERATIONS
    )
    return [name, f"`{flash.id}`", f"`{disk.id}`", *(f"{time:.4g}" for time in each)]


def timed(gaps: Sequence[Gap], kind: str, *, outside: str | None = None) -> str:
    """Return a table of gaps in I/O time by pair of devices and scheme."""
    rows = []
    for pair in PAIRS:
        for scheme in ("none", *SCHEMES):
            values = of(gaps, f"{pair}: {scheme} {kind}")
            values = np.where(np.abs(values) < ROUNDING, 0.0, values)
            cells = [pair, f"`{scheme}`", *summary(values)]
            if outside is not None:
                beyond = of(gaps, f"{pair}: {scheme} {outside}")
                within = float((beyond <= ROUNDING).mean())
                most = max(0.0, float(beyond.max()))
                cells += [
                    f"{100 * within:.1f} %",
                    share_text(most if most > ROUNDING else 0.0),
                ]
            rows.append(cells)
    headings = ["devices", "scheme", *SUMMARY]
    return table(headings + ([] if outside is None else ["within", "beyond"]), rows)


def of(gaps: Sequence[Gap], what: str) -> np.ndarray:
    """Return the gaps of one thing."""
    return np.array([gap.value for gap in gaps if gap.what == what])


def banded(gaps: Sequence[Gap], whats: Iterable[str]) -> str:
    """Return a table of gaps by f / r."""
    rows = []
    for what in whats:
        for low, high in BANDS:
            values = np.array(
                [g.value for g in gaps if g.what == what and low <= g.ratio < high]
            )
            if values.size:
                rows.append([f"`{what}`", band(low, high), *summary(values)])
    return table(["what", "f / r", *SUMMARY], rows)


def plain(gaps: Sequence[Gap], whats: Iterable[str]) -> str:
    """Return a table of gaps."""
    rows = []
    for what in whats:
        values = np.array([gap.value for gap in gaps if gap.what == what])
        if values.size:
            rows.append([f"`{what}`", *summary(values)])
    return table(["what", *SUMMARY], rows)


def by_trace(gaps: Sequence[Gap]) -> str:
    """Return a table of the largest gaps of each trace."""
    whats = {
        what: [what]
        for what in ("inclusive hits", "lazy hits", "lazy writes", "lazy disk writes")
    }
    for scheme in ("inclusive", "lazy"):
        whats[f"{scheme} I/O time"] = [f"{pair}: {scheme} warm" for pair in PAIRS]
    whats["flow cost"] = ["flow cost"]
    rows = []
    for name in dict.fromkeys(gap.trace for gap in gaps):
        here = [gap for gap in gaps if gap.trace == name]
        cells = [f"`{name}`"]
        for each in whats.values():
            values = [abs(gap.value) for gap in here if gap.what in each]
            cells.append(share_text(max(values)) if values else "-")
        rows.append(cells)
    return table(["trace", *whats], rows)


SUMMARY = ("points", "median", "90th percentile", "largest above", "largest below")
PERCENTILE = 90


def summary(values: np.ndarray) -> list[str]:
    """Return the cells of a distribution."""
    sizes = np.abs(values)
    return [
        str(values.size),
        share_text(float(np.median(sizes))),
        share_text(float(np.percentile(sizes, PERCENTILE))),
        share_text(max(0.0, float(values.max()))),
        share_text(max(0.0, float(-values.min()))),
    ]


def share_text(value: float) -> str:
    """Return a share as percent, 0 only where it is exactly 0."""
    if value == 0:
        return "0"
    return "< 0.1 %" if value < 0.0005 else f"{100 * value:.1f} %"  # noqa: PLR2004  # rounds to 0


def band(low: float, high: float) -> str:
    """Return a range of f / r."""
    if low == 0:
        return f"below {high:g}"
    return f"from {low:g}" if high == float("inf") else f"{low:g} to {high:g}"


def shares(values: Iterable[float]) -> str:
    """Return shares as text."""
    return ", ".join(f"{100 * value:g} %" for value in values)


def numbers(values: Iterable[float]) -> str:
    """Return numbers as text."""
    return ", ".join(f"{value:g}" for value in values)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
