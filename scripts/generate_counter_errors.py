"""Writes docs/traces/counter-errors.md: curves from synthesised snapshots beside the exact ones of recorded traces.

``python scripts/generate_counter_errors.py SHARED`` reads the traces of SHARED/traces (or of TIERWRIGHT_SHARED) and
the shipped ones (``make counter-errors``), in some minutes; with ``--check`` it measures the shipped ones alone and
compares their rows, exit 1 where they differ.

Of each trace an LRU cache is synthesised at moments spread over the second half, and the ages of what it holds are
its snapshots. Exact misses of the second half are those of the whole trace less those of its first half, as one
LRU list serves both. For one point the bounds are held against the same exact curve.
"""

from __future__ import annotations

import gzip
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import zstandard
from numpy.typing import NDArray

from tierwright import _simulator
from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput
from tierwright.evaluate.page_flow.cautions import about_curve
from tierwright.evaluate.page_flow.other_ends import Situation, other_ends
from tierwright.hardware.device import Device
from tierwright.profile.curve import Curve, Given
from tierwright.profile.evidence import Evidence, error_ratio
from tierwright.profile.working_set import Snapshot, gap, miss_rates

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "traces" / "counter-errors.md"
PRESENT = 0.4
"""Size of the cache, as a share of the pages of the trace. [1]"""
SNAPSHOTS = (1, 3, 8, 64)
SIZES = 9
"""Sizes at which curves are compared, even in the logarithm."""
KNOWN = 0.1
"""Size of the one point of the table, as a share of the pages of the trace. [1]"""
TIMES = (0.25, 0.5, 2, 4, 8)
COMPARED = 200
"""Sizes at which the bounds of one point are held against the curve, even in the logarithm."""
ACCESSES, ROUNDED = 10**6, 1e-9
LEAST_PAGES = 350
"""From which size on slopes rest on enough pages."""
SHIPPED = ("tpcb-cut", "tpcc-cut", "tpcc-20w-cut")
RECORDED = (
    "OLTP.lis.zst",
    "2_pools.trace.gz",
    "desktop.trace.gz",
    "cloudPhysicsIO.vscsi",
    "websearch1-small.spc",
    "tpcc-small.msr.csv",
)
Pages = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Row:
    """What one trace gave with one number of snapshots."""

    name: str
    snapshots: int
    worst: float | None
    mean: float
    check: float
    covered: float | None
    why: str = ""

    def text(self) -> str:
        """Return the row of the table."""
        if self.worst is None:
            return f"| {self.name} | {self.snapshots} | {self.why} | | | |"
        covered = "no band" if self.covered is None else f"{self.covered:.0%}"
        return f"| {self.name} | {self.snapshots} | {self.worst:+.1%} | {self.mean:.1%} | {self.check:+.1%} | {covered} |"


def raw(path: Path) -> bytes:
    """Return the content of a file, unpacked."""
    packed = path.read_bytes()
    if path.suffix == ".zst":
        return zstandard.ZstdDecompressor().stream_reader(packed).read()
    return gzip.decompress(packed) if path.suffix == ".gz" else packed


def numbered(keys: list[bytes]) -> Pages:
    """Return the number of each key, in the order in which they appear."""
    numbers: dict[bytes, int] = {}
    return np.asarray([numbers.setdefault(key, len(numbers)) for key in keys])


def extents(spaces: Pages, first: Pages, last: Pages) -> Pages:
    """Return the pages of requests from the first to the last byte each, spaces apart."""
    start, end = first // 4096, last // 4096
    count = end - start + 1
    ends = np.cumsum(count)
    within = np.arange(ends[-1]) - np.repeat(ends - count, count)
    pages = np.repeat(start, count) + within
    keys = np.repeat(spaces, count) * (pages.max() + 1) + pages
    return np.unique(keys, return_inverse=True)[1]


def accesses_of(path: Path) -> Pages:
    """Return the pages of a trace in their order, numbered."""
    data = raw(path)
    name = path.name
    if name.endswith(".csv.zst"):
        return numbered([line.split(b",", 2)[2] for line in data.splitlines()[1:]])
    if name.endswith(".vscsi"):
        fields = np.frombuffer(
            data,
            dtype=[
                ("at", "<u4"),
                ("bytes", "<u4"),
                ("lists", "<u4"),
                ("command", "<u2"),
                ("version", "<u2"),
                ("sector", "<u8"),
                ("time", "<u8"),
            ],
        )
        first = fields["sector"].astype(np.int64) * 512
        return extents(np.zeros_like(first), first, first + fields["bytes"] - 1)
    rows = [
        line.replace(b"\t", b",").replace(b" ", b",").split(b",")
        for line in data.splitlines()
    ]
    if name.startswith("2_pools"):
        return numbered([row[0] for row in rows if row[0].isdigit()])
    if name.endswith(".lis.zst"):
        start, count = (np.asarray([int(row[at]) for row in rows]) for at in (0, 1))
        ends = np.cumsum(count)
        within = np.arange(ends[-1]) - np.repeat(ends - count, count)
        return np.unique(np.repeat(start, count) + within, return_inverse=True)[1]
    space, offset, size, place_unit, size_unit = {
        "desktop.trace.gz": (1, 2, 3, 512, 4096),
        "websearch1-small.spc": (0, 1, 2, 512, 1),
        "tpcc-small.msr.csv": (2, 4, 5, 1, 1),
    }[name]
    spaces, places, sizes = (
        np.asarray([int(row[at]) for row in rows]) for at in (space, offset, size)
    )
    places, sizes = places * place_unit, sizes * size_unit
    kept = sizes > 0
    return extents(spaces[kept], places[kept], (places + sizes - 1)[kept])


def misses_of(accesses: Pages, folder: Path) -> NDArray[np.float64]:
    """Count misses of LRU caches of every size, from a cold start."""
    path = folder / "trace.lirs"
    path.write_text("\n".join(map(str, accesses.tolist())) + "\n", "ascii")
    return np.asarray(
        _simulator.curves(path, format="lirs")["misses"], dtype=np.float64
    )


def exact(accesses: Pages, folder: Path) -> FloatArray:
    """Return misses per access over the second half, by size, of caches that were warm."""
    half = len(accesses) // 2
    whole, first = misses_of(accesses, folder), misses_of(accesses[:half], folder)
    # Beyond the pages of the first half only these are held.
    first = np.pad(first, (0, len(whole) - len(first)), mode="edge")
    return (whole - first) / (len(accesses) - half)


def ages_of(accesses: Pages, moment: int, pages: int) -> Snapshot:
    """Return the ages of what an LRU cache of so many pages holds. [accesses]"""
    last = np.full(int(accesses.max()) + 1, -1)
    last[accesses[:moment]] = np.arange(moment)  # of a repeated index the last stays
    ages = np.sort(moment - last[last >= 0])[:pages] - 0.5
    return Snapshot(ages, np.ones_like(ages), np.ones_like(ages))


def rows_of(
    name: str, accesses: Pages, curve: FloatArray, snapshots: Sequence[int]
) -> Iterator[Row]:
    """Measure one trace with each number of snapshots."""
    present = int(PRESENT * len(curve))
    sizes = np.unique(
        np.rint(np.geomspace(min(LEAST_PAGES, present / 2), present, SIZES)).astype(int)
    )
    truth = curve[sizes - 1]
    for count in snapshots:
        moments = np.linspace(len(accesses) // 2, len(accesses), count + 2)[1:-1]
        try:
            found = miss_rates(
                [ages_of(accesses, int(moment), present) for moment in moments]
            )
        except BadInput as error:
            yield Row(name, count, None, 0.0, 0.0, None, error.message.split(":")[0])
            continue
        known = sizes >= found.sizes[0]
        rates = np.interp(sizes, found.sizes, found.items_per_s)[known]
        off = rates / truth[known] - 1
        check = gap(found, float(truth[-1]))
        covered = None
        if found.low is not None and found.high is not None:
            # At the present size the band ends at the check itself, but for rounding.
            wide = error_ratio(check) * (1 + 1e-9)
            low = np.minimum(
                np.interp(sizes, found.sizes, found.low)[known], rates / wide
            )
            high = np.maximum(
                np.interp(sizes, found.sizes, found.high)[known], rates * wide
            )
            covered = float(np.mean((low <= truth[known]) & (truth[known] <= high)))
        yield Row(
            name,
            count,
            float(off[np.argmax(np.abs(off))]),
            float(np.abs(off).mean()),
            check,
            covered,
        )


def bounds_of(pages: int, ratio: float, sizes: Pages) -> tuple[FloatArray, FloatArray]:
    """Return what the product says that caches of some sizes miss at least and at most, of one counted size. [1]"""
    curve = Curve.from_lists(
        [pages],
        [ACCESSES * ratio],
        None,
        accesses=ACCESSES,
        distinct_pages=pages,
        page_bytes=4096,
        write_accesses=0,
        given=Given(
            "counters",
            data_known=False,
            evidence=Evidence("one_point", pages, pages, None, "counted"),
        ),
    )
    idle = Device("none", "none", "nvme")
    [about] = [
        each
        for each in about_curve(curve, [pages], [0])
        if each.name == "curve_from_one_point"
    ]
    low, high = (
        end.situation.curve.misses(sizes) / ACCESSES
        for end in other_ends(
            about, Situation(curve, idle, idle, tuple(sizes.tolist()))
        )
    )
    return low, high


@dataclass(frozen=True, slots=True)
class OnePoint:
    """What one size of a trace, known alone, says of the others."""

    name: str
    pages: int
    ratio: float
    others: tuple[float | None, ...]
    """Exact misses per access at `TIMES` the size; None where that is beyond the trace."""
    inside: int
    sizes: int
    """Pairs of a counted and another size of which the bounds contain the exact curve, of how many."""

    def text(self) -> str:
        """Return the row of the table."""
        others = " | ".join(
            "-" if each is None else f"{each:.4f}" for each in self.others
        )
        return (
            f"| {self.name} | {self.pages:,} | {self.ratio:.4f} | {others} | "
            f"{self.inside:,} of {self.sizes:,} |"
        )


def one_point_of(name: str, curve: FloatArray) -> OnePoint:
    """Hold the bounds of one point against the exact curve, whichever size is the one that is known."""
    last = len(curve)
    sizes = np.unique(np.rint(np.geomspace(1, last, COMPARED)).astype(np.int64))
    inside = pairs = 0
    for share in np.geomspace(0.01, 0.9, SIZES):
        pages = max(1, round(share * last))
        low, high = bounds_of(pages, float(curve[pages - 1]), sizes)
        exact = curve[sizes - 1]
        within = (low <= exact + ROUNDED) & (exact <= high + ROUNDED)
        inside += int(within.sum())
        pairs += len(sizes)
    pages = round(KNOWN * last)
    others = tuple(
        float(curve[round(times * pages) - 1]) if times * pages <= last else None
        for times in TIMES
    )
    return OnePoint(name, pages, float(curve[pages - 1]), others, inside, pairs)


def measured(
    paths: list[tuple[str, Path]], snapshots: Sequence[int] = SNAPSHOTS
) -> tuple[list[Row], list[OnePoint]]:
    """Measure all traces."""
    rows: list[Row] = []
    points: list[OnePoint] = []
    for name, path in paths:
        with tempfile.TemporaryDirectory() as folder:
            accesses = accesses_of(path)
            curve = exact(accesses, Path(folder))
        rows += rows_of(name, accesses, curve, snapshots)
        points.append(one_point_of(name, curve))
        print(f"{name}: {len(accesses)} accesses, {len(curve)} pages", flush=True)
    return rows, points


def page_of(rows: list[Row], points: list[OnePoint]) -> str:
    """Write the page."""
    held = sum(each.inside == each.sizes for each in points)
    lines = [
        "# Curves from ages beside exact ones",
        "",
        "Written by `make counter-errors`; do not edit. What the readers of ages in [counters](counters.md) rest on "
        "(`miss_rates`), measured on recorded traces: an LRU cache of "
        f"{PRESENT:.0%} of the pages of the trace is synthesised at moments spread over the second half, and the ages "
        "of what it holds are its snapshots. Exact misses are those of the second half with a warm cache, at "
        f"{SIZES} sizes from {LEAST_PAGES} pages to the present one.",
        "",
        "*Worst* and *mean*: by how much the curve gives more misses than the exact one. *Check*: the same at the "
        "present size, which the profile states. *Within the band*: share of the sizes whose exact misses lie in it.",
        "",
        "| trace | snapshots | worst | mean | check | within the band |",
        "|---|---:|---:|---:|---:|---:|",
        *(row.text() for row in rows),
        "",
        "A trace whose pages are hardly used twice has nothing to learn from ages: nearly every access misses at "
        "every size.",
        "",
        "## One point",
        "",
        f"One size, {KNOWN:.0%} of the pages of the trace, and its misses per access; beside it the exact ones at other "
        "sizes. By the bounds of one point a smaller cache misses from as much as that to every access, and a larger "
        "one from nothing to as much. *Within the bounds*: pairs of a counted size, from 1 to 90 % of the pages, and "
        f"another one, up to {COMPARED} each, at which the bounds that the product states contain the exact curve.",
        "",
        "| trace | pages | misses | at a quarter | at half | at 2 times | at 4 times | at 8 times | within the bounds |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
        *(each.text() for each in points),
        "",
        f"The bounds contain the exact curve of {held} of {len(points)} traces, whichever size is the one that is known.",
        "",
    ]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Measure and write, or compare."""
    check = "--check" in arguments
    named = [each for each in arguments if not each.startswith("--")]
    shipped = [
        (name, ROOT / "fixtures" / "traces" / f"{name}.csv.zst") for name in SHIPPED
    ]
    if check:
        rows, points = measured(shipped)
        kept = PAGE.read_text("utf-8")
        lacking = [row.text() for row in (*rows, *points) if row.text() not in kept]
        for text in lacking:
            print(f"{PAGE.relative_to(ROOT)} lacks: {text}")
        return 1 if lacking else 0
    shared = named[0] if named else os.environ.get("TIERWRIGHT_SHARED", "")
    folder = Path(shared) / "traces"
    if not shared or not folder.is_dir():
        print("error: there are no recorded traces")
        print("hint: name the folder that holds `traces`, or set TIERWRIGHT_SHARED")
        return 2
    recorded = [(name.split(".")[0], folder / name) for name in RECORDED]
    PAGE.write_text(page_of(*measured([*shipped, *recorded])), "utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
