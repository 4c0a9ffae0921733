"""Fits the presets of described workloads to recorded traces, and writes `fixtures/described/`.

``python scripts/fit_presets.py [--traces FOLDER] [PRESET ...]``. Each preset is a mix whose skew, shares
of the data and of the accesses, write shares, and data beside the pages touched are those at which the misses and write-backs by
formula are nearest to those of the trace in the steady state, at sizes from 0.1 % to 90 % of the pages touched
(least squares; differential evolution with a fixed seed, so the same trace gives the same file). The
remaining difference at each size is written into the file.

Traces that are not shipped are looked for in FOLDER, then in the folder of the shared traces
(``TIERWRIGHT_SHARED``, or ``../shared`` beside the checkout). Those of Caffeine's simulator are the files
of the same names in ``ben-manes/caffeine`` at commit ccef9554, below ``simulator/src/main/resources``.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import differential_evolution

from tierwright.evaluate.described.curve import described_ratios
from tierwright.evaluate.described.groups import grouped
from tierwright.profile.curve import Curve
from tierwright.profile.described.description import (
    Description,
    description_from_mapping,
)
from tierwright.profile.measure import profile as profile_trace
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "fixtures" / "described"
CACHE_SHARES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
"""Sizes of the fit, as shares of the pages that the recording touched."""
_SEED = 16
_DIGITS = 3

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Source:
    """A recorded trace, and the mix that is fitted to it.

    Attributes
    ----------
    title, summary, source, licence
        Texts of the file.
    file
        Name of the trace.
    components
        Kinds of the mix; each but the first has a free share of the data and of the accesses.
    dtype
        Of the keys, where the file is a bare list of them.
    write_share
        Where the trace states no writes: the share that is assumed.
    accesses_per_s
        Where the trace states no time.
    page_bytes
        Of a page; of keys, an assumption. [bytes]
    """

    title: str
    summary: str
    source: str
    licence: str
    file: str
    components: tuple[str, ...]
    page_bytes: int
    dtype: str | None = None
    write_share: float | None = None
    accesses_per_s: float | None = None


SOURCES: dict[str, Source] = {
    "oltp": Source(
        title="OLTP",
        summary="Short transactions on tables with indices, as in order processing: most accesses are to few "
        "pages, and about a quarter of them write.",
        source="TPC-C on PostgreSQL 15 (2 warehouses, 4 threads), all accesses to the buffer pool: "
        "fixtures/traces/tpcc-cut.csv.zst, 500,000 accesses to 12,412 pages",
        licence="Trace recorded for this product.",
        file="fixtures/traces/tpcc-cut.csv.zst",
        components=("zipf", "zipf", "scan"),
        page_bytes=8192,
    ),
    "analytics": Source(
        title="Analytics",
        summary="Join queries that read tables from end to end, again and again, beside hot indices; "
        "no writes in the recording.",
        source="Join queries among four relations in PostgreSQL, block accesses: trace `ps` of the LIRS "
        "authors (Jiang and Zhang, SIGMETRICS 2002), from ben-manes/caffeine at ccef9554. The trace "
        "states neither writes nor times: reads only, and 10,000 accesses per second are assumed",
        licence="Parameters fitted by us; the trace is not shipped.",
        file="ps.trace.gz",
        components=("zipf", "scan", "scan", "scan"),
        page_bytes=8192,
        write_share=0.0,
        accesses_per_s=10_000.0,
    ),
    "key-value": Source(
        title="Key-value",
        summary="Lookups of single values by key in a large store, with a long tail of cold keys and few "
        "updates.",
        source="Lookups of a recommendation service (Scarab Research): `scarab-recs` from "
        "ben-manes/caffeine at ccef9554, each key one page. The trace states neither writes nor "
        "times: 1 update for 30 lookups as in the ETC pool of Atikoglu et al. (SIGMETRICS 2012), and "
        "100,000 accesses per second are assumed",
        licence="Parameters fitted by us; the trace is not shipped.",
        file="scarab-recs.trace.xz",
        components=("zipf", "zipf"),
        page_bytes=4096,
        dtype=">i8",
        write_share=round(1 / 31, 4),
        accesses_per_s=100_000.0,
    ),
    "web": Source(
        title="Web",
        summary="Pages and objects behind a web site: popularity close to Zipf's law, hardly any writes.",
        source="Requests to a web site: trace `web12` of the cache2k benchmarks, from ben-manes/caffeine "
        "at ccef9554, each key one page. The trace states neither writes nor times: reads only, and "
        "20,000 accesses per second are assumed",
        licence="Parameters fitted by us; the trace is not shipped.",
        file="web12.trace.xz",
        components=("zipf", "zipf"),
        page_bytes=4096,
        dtype=">i4",
        write_share=0.0,
        accesses_per_s=20_000.0,
    ),
}


def find(name: str, folders: Sequence[Path]) -> Path:
    """Find a trace by its name.

    Raises
    ------
    SystemExit
        If it is in no folder; names them.
    """
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    sys.exit(
        f"error: the trace `{name}` is in none of {', '.join(map(str, folders))}\n"
        "hint: name its folder with --traces"
    )


def curve_of(source: Source, path: Path) -> tuple[Curve, float | None]:
    """Profile a trace, whole; return its steady curve and its duration. [s]"""
    if source.dtype is None:
        profile = profile_trace(Trace(path))
        return profile.curve.steady(), profile.duration_s
    keys = np.frombuffer(lzma.decompress(path.read_bytes()), dtype=source.dtype)
    numbers = np.unique(keys, return_inverse=True)[1]
    with tempfile.NamedTemporaryFile("w", suffix=".lis") as file:
        file.write("\n".join(map(str, numbers.tolist())) + "\n")
        file.flush()
        profile = profile_trace(Trace(Path(file.name), format="lirs"))
    return profile.curve.steady(), None


_FREE = {
    "exponent": (0.0, 2.5),
    "data_share": (-4.0, 0.0),
    "weight": (-3.0, 0.0),
    "write_share": (0.0, 1.0),
}
"""Bounds of the free numbers of a component; shares and weights as log10, beside the others."""
_DATA = (0.0, 1.0)
"""Bounds of the data beside the pages that the recording touched, as log10: it touched not all."""


def names_of(source: Source, kind: str) -> list[str]:
    """Name the free numbers of a component."""
    return [
        name
        for name in _FREE
        if (name != "exponent" or kind == "zipf")
        and (name != "write_share" or source.write_share is None)
    ]


def mix_of(
    source: Source, writes: float | None, free: Vector
) -> tuple[float, list[dict[str, Any]]]:
    """Return data over touched pages, and the components, of the free numbers."""
    data, *rest = free.tolist()
    found: list[dict[str, Any]] = []
    for kind in source.components:
        names = names_of(source, kind)
        found.append({"kind": kind} | dict(zip(names, rest, strict=False)))
        rest = rest[len(names) :]
    for key in ("data_share", "weight"):
        total = sum(10 ** one[key] for one in found)
        for one in found:
            one[key] = 10 ** one[key] / total
    if writes is not None:
        stated = sum(one["weight"] * one["write_share"] for one in found)
        for one in found:
            one["write_share"] = min(1.0, one["write_share"] * writes / stated)
    return 10**data, found


def rounded(value: float) -> float:
    """Return a number with as many digits as the files state."""
    return float(f"{value:.{_DIGITS}g}")


def described(
    source: Source, touched: int, data: float, mix: list[dict[str, Any]]
) -> Description:
    """Return the description; the component with most of the data takes what the others leave."""
    largest = max(mix, key=lambda one: float(one["data_share"]))
    components = [
        {k: v for k, v in one.items() if one is not largest or k != "data_share"}
        for one in mix
    ]
    return description_from_mapping(
        {
            "name": source.title,
            "page_bytes": source.page_bytes,
            "data_bytes": round(data * touched) * source.page_bytes,
            "accesses_per_s": 1,
            "write_share": source.write_share or 0.0,
            "components": components,
        }
    )


def counts_of(
    description: Description, sizes: NDArray[np.int64]
) -> tuple[Vector, Vector]:
    """Misses and write-backs per access, by formula."""
    found = described_ratios(*grouped(description), sizes)
    return found.misses, found.write_backs


def fit(name: str, source: Source, path: Path) -> str:
    """Return the file of a preset."""
    curve, duration_s = curve_of(source, path)
    touched = curve.distinct_pages
    sizes = np.unique(np.rint(np.asarray(CACHE_SHARES) * touched)).astype(np.int64)
    sizes = sizes[sizes > 1]
    misses = curve.misses(sizes) / curve.accesses
    recorded = source.write_share is None
    backs = curve.write_backs(sizes) / curve.accesses if recorded else None
    writes = curve.write_accesses / curve.accesses if recorded else None

    def off(free: Vector) -> float:
        data, mix = mix_of(source, writes, free)
        found, written = counts_of(described(source, touched, data, mix), sizes)
        squares = float(np.square(found - misses).mean())
        if backs is not None and writes is not None:
            squares += float(np.square(written - backs).mean())
            held = sum(one["weight"] * one["write_share"] for one in mix)
            squares += (held - writes) ** 2
        return squares

    bounds = [_DATA]
    for kind in source.components:
        bounds += [_FREE[one] for one in names_of(source, kind)]
    best = differential_evolution(
        off, bounds, rng=_SEED, maxiter=250, popsize=12, tol=1e-8, polish=False
    )
    data, mix = mix_of(source, writes, best.x)
    mix = [{k: v if k == "kind" else rounded(v) for k, v in o.items()} for o in mix]
    description = described(source, touched, rounded(data), mix)
    found, written = counts_of(description, sizes)
    rate = source.accesses_per_s or curve.accesses / (duration_s or 1.0)
    lines = [
        f'id = "{name}"',
        *(
            f"{key} = {json.dumps(getattr(source, key))}"
            for key in ("title", "summary", "source", "licence")
        ),
        'fitted_by = "scripts/fit_presets.py"',
        "",
        "[workload]",
        f"page_bytes = {source.page_bytes}",
        f"data_bytes = {description.data_bytes}",
        f"accesses_per_s = {rounded(rate)}",
        f"write_share = {rounded(writes or source.write_share or 0.0)}",
    ]
    for one in sorted(description.components, key=lambda one: -one.weight):
        lines += ["", "[[workload.components]]"]
        lines += [
            f"{key} = {json.dumps(value)}" for key, value in one.to_dict().items()
        ]
    for at, size in enumerate(sizes.tolist()):
        row = {"recorded_misses": misses[at], "described_misses": found[at]}
        if backs is not None:
            row["recorded_write_backs"] = backs[at]
            row["described_write_backs"] = written[at]
        lines += ["", "[[fit]]", f"cache_pages = {size}"]
        lines += [f"{key} = {round(float(value), 5)}" for key, value in row.items()]
    worst = float(np.abs(found - misses).max())
    print(
        f"{name}: {touched:,} pages touched, data {rounded(data)} times that, misses within "
        f"{worst:.4f} of the accesses"
    )
    return "\n".join(lines) + "\n"


def main() -> int:
    """Fit the presets that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=Path, help="folder of traces")
    parser.add_argument("presets", nargs="*", metavar="PRESET")
    given = parser.parse_args()
    shared = Path(os.environ.get("TIERWRIGHT_SHARED", ROOT.parent / "shared"))
    folders = [
        *([given.traces] if given.traces else []),
        shared / "traces",
        ROOT,
    ]
    FOLDER.mkdir(exist_ok=True)
    chosen = given.presets or list(SOURCES)
    for name in chosen:
        if name not in SOURCES:
            sys.exit(
                f"error: `{name}` is not one of {', '.join(SOURCES)}\nhint: name a preset"
            )
    for name in chosen:
        source = SOURCES[name]
        text = fit(name, source, find(source.file, folders))
        (FOLDER / f"{name}.toml").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
