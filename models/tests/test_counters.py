"""Curves from counters: ages against exact curves, what each reader takes and refuses, what the class does to answers."""

import csv
import io
import json
import math
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import advice_cases
import numpy as np
import pypdf
import pytest
import recordings
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright import _simulator
from tierwright.advise import (
    compare,
    configurations,
    directories,
    dram_or_flash,
    exports,
    flash_choice,
    fragment_cache,
    recovery,
    report,
    response,
    scale,
    scheme_map,
    throughput,
    wear,
)
from tierwright.advise.point import Rate
from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.evaluate.advice.later import stretched_curve
from tierwright.evaluate.advice.thumbs import Thumb, thumbs
from tierwright.evaluate.compose.composed import composed_profile
from tierwright.evaluate.page_flow.cautions import about_curve
from tierwright.evaluate.page_flow.map_point import map_point
from tierwright.evaluate.page_flow.other_ends import Situation, other_ends
from tierwright.evaluate.page_flow.scheme_map import Axis
from tierwright.evaluate.response.schemes import Hierarchy
from tierwright.evaluate.throughput.schemes import Setting
from tierwright.hardware import catalog
from tierwright.hardware.catalog import device_or_file
from tierwright.hardware.device import Device
from tierwright.hardware.prices import why_no_price
from tierwright.hardware.running_tiers import device_for, running_devices
from tierwright.profile.curve import Curve, Given
from tierwright.profile.document import Profile, profile_from_mapping
from tierwright.profile.evidence import Evidence, weakest
from tierwright.profile.given.aurora import flash_bytes
from tierwright.profile.given.examine import Examined, examine
from tierwright.profile.given.kinds import KINDS
from tierwright.profile.given.memcached import item_of
from tierwright.profile.given.reading import CurveOptions, Reading
from tierwright.profile.production import Production
from tierwright.profile.several import Workload
from tierwright.profile.working_set import MissRates, Snapshot, gap, miss_rates

ROOT = Path(__file__).resolve().parents[2]
FLASH = "face2016-samsung-840pro-256"
DISK = "face2016-cheetah-15k6-single"


def snapshot(
    ages: Any, sizes: Any = 1.0, items: Any = 1.0, share: float = 1.0
) -> Snapshot:
    ages = np.asarray(ages, dtype=np.float64)
    return Snapshot(
        ages,
        np.broadcast_to(np.asarray(sizes, dtype=np.float64), ages.shape),
        np.broadcast_to(np.asarray(items, dtype=np.float64), ages.shape),
        share,
    )


# --- ages against exact curves ----------------------------------------------------------


@cache
def accesses_of(name: str) -> np.ndarray:
    """Pages of a shipped trace, numbered."""
    packed = (ROOT / "fixtures" / "traces" / f"{name}.csv.zst").read_bytes()
    text = zstandard.ZstdDecompressor().stream_reader(packed).read()
    numbers: dict[bytes, int] = {}
    lines = text.splitlines()[1:]
    return np.asarray(
        [numbers.setdefault(line.split(b",", 2)[2], len(numbers)) for line in lines]
    )


def lru_ages(accesses: np.ndarray, moment: int, pages: int) -> np.ndarray:
    """Ages of what an LRU cache of so many pages holds after so many accesses. [accesses]"""
    last = np.full(int(accesses.max()) + 1, -1)
    last[accesses[:moment]] = np.arange(moment)  # of a repeated index the last stays
    return np.sort(moment - last[last >= 0])[:pages] - 0.5


def exact_second_half(name: str, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Sizes, and misses per access of warm LRU caches over the second half, counted in one pass."""
    windows = _simulator.curves(recordings.canonical(name))["windows"]
    ends = np.cumsum(windows["accesses"])
    second = ends > ends[-1] // 2
    sizes = windows["pages"]
    ratio = windows["misses"][second].sum(0) / windows["accesses"][second].sum()
    kept = (sizes >= 512) & (sizes <= most)  # from where slopes rest on enough pages
    return sizes[kept].astype(np.float64), ratio[kept]


def from_recording(name: str, pages: int, snapshots: int) -> MissRates:
    accesses = accesses_of(name)
    moments = np.linspace(len(accesses) // 2, len(accesses), snapshots + 2)[1:-1]
    return miss_rates([snapshot(lru_ages(accesses, int(at), pages)) for at in moments])


@pytest.mark.parametrize(
    ("name", "pages", "snapshots", "most_off"),
    [
        ("tpcb-cut", 12_288, 1, 0.03),
        ("tpcb-cut", 12_288, 8, 0.012),
        ("tpcc-cut", 4096, 8, 0.30),
    ],
)
def test_ages_of_recorded_traces_give_their_exact_curve(
    name: str, pages: int, snapshots: int, most_off: float
) -> None:
    sizes, exact = exact_second_half(name, pages)
    found = from_recording(name, pages, snapshots)
    assert len(sizes) >= 6
    rates = np.interp(sizes, found.sizes, found.items_per_s)
    assert np.abs(rates / exact - 1).max() <= most_off
    check = gap(found, float(exact[-1]))
    assert abs(check) <= most_off
    assert (found.low is None) == (snapshots < 3)
    if found.low is not None and found.high is not None:
        # At the present size the band ends at the check itself, but for rounding.
        off = max(1 + check, 1 / (1 + check)) * (1 + 1e-9)
        low = np.minimum(np.interp(sizes, found.sizes, found.low), rates / off)
        high = np.maximum(np.interp(sizes, found.sizes, found.high), rates * off)
        assert np.mean((low <= exact) & (exact <= high)) >= 0.85


def test_a_load_that_moved_is_found_by_its_own_check() -> None:
    """A snapshot after a scan shows the scan: the check against the evictions of the whole time says so."""
    rng = np.random.default_rng(3)
    hot = rng.zipf(1.3, 40_000) % 3000
    mixed = np.concatenate((hot, 5000 + np.arange(4000)))
    found = miss_rates([snapshot(lru_ages(mixed, len(mixed), 3000))])
    exact = _warm_misses(mixed, 3000)
    check = gap(found, exact)
    assert Evidence("ages", 1, 2, check).is_indicative
    steady = miss_rates([snapshot(lru_ages(hot, len(hot), 1000))])
    assert not Evidence(
        "ages", 1, 2, gap(steady, _warm_misses(hot, 1000))
    ).is_indicative


def _warm_misses(accesses: np.ndarray, pages: int) -> float:
    """Misses per access of an LRU cache over the second half, by a list."""
    held: dict[int, None] = {}
    missed = 0
    for at, page in enumerate(accesses.tolist()):
        if page in held:
            del held[page]
        else:
            missed += at >= len(accesses) // 2
            if len(held) >= pages:
                del held[next(iter(held))]
        held[page] = None
    return missed / (len(accesses) - len(accesses) // 2)


@pytest.mark.oracle("profile.working_set.miss_rates")
def test_independent_references_give_the_closed_form_of_che() -> None:
    rng = np.random.default_rng(7)
    rates = 1.0 / np.arange(1, 200_001) ** 0.9
    snapshots = [
        snapshot(np.sort(rng.exponential(1 / rates))[:60_000]) for _ in range(4)
    ]
    found = miss_rates(snapshots)
    for size, rate in zip(found.sizes[::12], found.items_per_s[::12], strict=True):
        low, high = 0.0, 1e9
        for _ in range(80):
            middle = (low + high) / 2
            filled = np.sum(-np.expm1(-rates * middle))
            low, high = (middle, high) if filled < size else (low, middle)
        exact = float(np.sum(rates * np.exp(-rates * high)))
        # Four samples, each of some hundred items at the smallest size.
        assert rate == pytest.approx(exact, rel=4 * (0.15 * size) ** -0.5 + 0.02)


def _one(**changes: Any) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    count = 4000
    made = {
        "ages": np.sort(rng.exponential(np.arange(1, 3 * count + 1) ** 0.8))[:count]
        + 1,
        "sizes": rng.integers(50, 500, count).astype(np.float64),
        "items": np.ones(count),
    }
    return made | changes


@pytest.mark.formula("profile.working_set.miss_rates")
@settings(max_examples=15, deadline=None)
@given(st.floats(1e-3, 1e4), st.floats(1e-2, 1e3), st.integers(0, 2**32 - 1))
def test_miss_rates_keep_what_must_hold(clock: float, unit: float, seed: int) -> None:
    made = _one()
    found = miss_rates([snapshot(**made)])
    assert bool(np.all(np.diff(found.items_per_s) <= 0))
    assert bool(np.all(np.diff(found.bytes_per_s) <= 0))
    assert found.sizes[-1] == pytest.approx(made["sizes"].sum())
    # Another clock: rates follow, and over accesses of the same clock nothing changes.
    slower = miss_rates([snapshot(made["ages"] * clock, made["sizes"])])
    assert slower.items_per_s * clock == pytest.approx(found.items_per_s, rel=1e-6)
    # Another unit of size.
    larger = miss_rates([snapshot(made["ages"], made["sizes"] * unit)])
    assert larger.sizes == pytest.approx(found.sizes * unit, rel=1e-9)
    assert larger.items_per_s == pytest.approx(found.items_per_s, rel=1e-6)
    # A shuffled dump is the same dump.
    order = np.random.default_rng(seed).permutation(len(made["ages"]))
    mixed = miss_rates([snapshot(**{name: row[order] for name, row in made.items()})])
    assert mixed.items_per_s == pytest.approx(found.items_per_s, rel=1e-9)


def test_bytes_and_items_agree_where_sizes_are_equal() -> None:
    found = miss_rates([snapshot(_one()["ages"], 100.0)])
    assert found.bytes_per_s == pytest.approx(100 * found.items_per_s)
    unequal = miss_rates([snapshot(**_one())])
    assert not np.allclose(unequal.bytes_per_s, 100 * unequal.items_per_s, rtol=0.05)


def test_merging_snapshots_is_averaging_their_rates() -> None:
    rng = np.random.default_rng(1)
    both = [snapshot(np.sort(rng.gamma(2.0, 9.0, 4000))) for _ in range(2)]
    one, two = (miss_rates([each]) for each in both)
    merged = miss_rates(both)
    middle = (np.interp(merged.sizes, one.sizes, one.items_per_s)
              + np.interp(merged.sizes, two.sizes, two.items_per_s)) / 2  # fmt: skip
    assert merged.items_per_s == pytest.approx(middle, rel=0.03)
    assert merged.low is None
    three = miss_rates([*both, both[0]])
    assert three.low is not None
    assert bool(np.all(three.low <= three.items_per_s))


def test_a_sample_stands_for_all_and_bins_for_their_items() -> None:
    made = _one()
    whole = miss_rates([snapshot(**made)])
    part = miss_rates([snapshot(*(row[::4] for row in made.values()), share=0.25)])
    assert part.sizes[-1] == pytest.approx(whole.sizes[-1], rel=0.05)
    known = whole.sizes >= part.sizes[0]
    assert np.interp(whole.sizes[known], part.sizes, part.items_per_s) == pytest.approx(
        whole.items_per_s[known], rel=0.25
    )
    bins = np.geomspace(1, made["ages"].max(), 400)
    at = np.searchsorted(bins, made["ages"])
    binned = miss_rates(
        [
            snapshot(
                bins,
                np.bincount(at, made["sizes"], len(bins)),
                np.bincount(at, minlength=len(bins)),
            )
        ]
    )
    assert np.interp(
        whole.sizes[-40:], binned.sizes, binned.items_per_s
    ) == pytest.approx(whole.items_per_s[-40:], rel=0.1)


def test_what_was_evicted_ends_the_range() -> None:
    ages = _one()["ages"]
    whole = miss_rates([snapshot(ages)])
    cut = miss_rates([snapshot(ages)], evicted_age_s=float(np.median(ages)))
    assert cut.sizes[-1] == pytest.approx(len(ages) / 2, abs=1)
    assert cut.oldest_s < whole.oldest_s
    coarse = miss_rates([snapshot(ages)], clock_s=float(np.median(ages)) / 20)
    assert coarse.sizes[0] > whole.sizes[0]


@pytest.mark.parametrize(
    ("snapshots", "options", "says"),
    [
        ([], {}, "must be at least one"),
        ([snapshot([-1.0, 2.0])], {}, "ages_s[0]"),
        ([snapshot([1.0, math.nan])], {}, "ages_s[1]"),
        ([snapshot([1.0, 2.0], share=0.0)], {}, "must lie in (0, 1]"),
        ([snapshot(np.arange(1.0, 50.0))], {}, "too few or too coarse"),
        ([snapshot(np.arange(1.0, 5000.0))], {"clock_s": 5000.0}, "too coarse"),
        ([snapshot([5.0, 6.0])], {"evicted_age_s": 1.0}, "nothing younger"),
        ([snapshot([5.0, 6.0])], {"evicted_age_s": 0.0}, "must be positive"),
    ],
)
def test_ages_that_give_no_slope_are_refused(
    snapshots: list[Snapshot], options: dict[str, float], says: str
) -> None:
    with pytest.raises(BadInput, match=re.escape(says)) as error:
        miss_rates(snapshots, **options)
    assert error.value.hint


@pytest.mark.oracle("profile.working_set.gap")
def test_the_gap_is_by_how_much_the_ages_give_more() -> None:
    found = miss_rates([snapshot(np.arange(1.0, 4001.0))])  # one item each second
    assert gap(found, 1.0) == pytest.approx(0.0, abs=1e-9)
    assert gap(found, 0.5) == pytest.approx(1.0)
    assert gap(found, 2.0) == pytest.approx(-0.5)


@pytest.mark.formula("profile.working_set.gap")
@settings(max_examples=20, deadline=None)
@given(st.floats(1e-6, 1e6))
def test_a_gap_falls_as_more_is_counted(counted_per_s: float) -> None:
    found = MissRates(
        np.ones(1), np.ones(1), None, None, np.ones(1), snapshots=1, oldest_s=1.0
    )
    assert gap(found, counted_per_s) >= -1
    assert gap(found, 2 * counted_per_s) < gap(found, counted_per_s)
    assert (gap(found, counted_per_s) > 0) == (counted_per_s < 1)


def test_a_count_of_nothing_gives_no_gap() -> None:
    found = miss_rates([snapshot(np.arange(1.0, 4001.0))])
    with pytest.raises(BadInput, match="counted_per_s"):
        gap(found, 0.0)


# --- readers ------------------------------------------------------------------------------


def complete(text: str, **options: Any) -> Examined:
    found = examine(text, CurveOptions(**options))
    assert found.problems == []
    assert found.questions == []
    assert found.profile is not None
    assert found.evidence is not None
    return found


def problem(text: str, **options: Any) -> tuple[str, str]:
    found = examine(text, CurveOptions(**options))
    assert found.profile is None
    [first, *_] = found.problems
    return first.where, first.message


HEAD = "size_bytes,requests,misses,seconds\n"


class TestCounters:
    def test_one_size_is_one_point_and_two_are_points(self) -> None:
        one = complete(
            HEAD + "8192000,1000,900,10\n8192000,3000,1100,20\n", page_bytes=8192
        )
        assert [(p.pages, p.hit_ratio) for p in one.points] == [(1000, 0.9)]
        assert one.evidence is not None
        assert one.evidence.kind == "one_point"
        assert one.profile is not None
        assert one.profile.curve.accesses == 2000
        assert one.profile.duration_s == 10
        two = complete(
            HEAD
            + "8192000,1000,900,10\n8192000,3000,1100,20\n"
            + "16384000,4000,1190,30\n16384000,6000,1290,40\n",
            page_bytes=8192,
        )
        assert [(p.pages, p.hit_ratio) for p in two.points] == [
            (1000, 0.9),
            (2000, 0.95),
        ]
        assert two.evidence is not None
        assert two.evidence.kind == "points"
        assert "1 interval in which the size changed is left out." in two.assumptions

    @pytest.mark.parametrize(
        ("rows", "where", "says"),
        [
            ("8192,900,90,10\n8192,100,10,20\n", "line 3", "went backwards"),
            ("8192,900,90,10\n8192,950,80,20\n", "line 3", "`misses` went backwards"),
            ("8192,900,90,10\n", "line 2", "only reading of this size"),
            ("8192,1,1,1\n8192,2,2,2\n16384,3,2,3\n", "line 4", "only reading"),
            ("8192,900,90,10\n8192,950,190,20\n", "line 3", "exceed the 50 requests"),
            ("8192,900,90,10\n8192,950,95,10\n", "line 3", "is the moment of line 2"),
            ("8192,900,90,10\n8192,900,90,20\n", "line 3", "no requests"),
            ("8192,900,x,10\n8192,900,90,20\n", "line 2", "misses: is not a number"),
            ("8192,900,90\n8192,900,90,20\n", "line 2", "one cell for each"),
            # `max server memory` of SQL Server, unless it is set.
            (
                f"{(2**31 - 1) * 2**20},900,90,10\n{(2**31 - 1) * 2**20},950,95,20\n",
                "line 2",
                "above 256 TiB",
            ),
            (f"{2**48 + 1},900,90,10\n", "line 2", "above 256 TiB"),
        ],
    )
    def test_what_is_no_rate_is_refused_with_its_line(
        self, rows: str, where: str, says: str
    ) -> None:
        found = problem(HEAD + rows, page_bytes=8192)
        assert found[0] == where
        assert says in found[1]

    def test_the_largest_size_is_read(self) -> None:
        rows = f"{2**48},900,90,10\n{2**48},1000,100,20\n"
        [point] = complete(HEAD + rows, page_bytes=8192).points
        assert point.pages == 2**35

    def test_rows_in_another_order_are_the_same(self) -> None:
        rows = ["8192000,1000,900,10", "8192000,3000,1100,20", "8192000,9000,1400,30"]
        first, second = (
            complete(HEAD + "\n".join(each) + "\n", page_bytes=8192)
            for each in (rows, rows[::-1])
        )
        assert [p.hit_ratio for p in first.points] == [
            p.hit_ratio for p in second.points
        ]


class TestDocumentedRows:
    """The documented functions print rows of kind `counters`, twice, from what each system prints."""

    STUBS = {
        "cassandra_rows 'Key Cache'": (
            'nodetool() { n=$((n + 1)); [ -e again ] && echo "Key Cache              : entries 12, size 1.5 KiB, '
            'capacity 100 MiB, 900 hits, 1300 requests, 0.692 recent hit rate, 14400 save period in seconds" || '
            'echo "Key Cache              : entries 12, size 1.5 KiB, capacity 100 MiB, 100 hits, 120 requests, 0.833 '
            'recent hit rate, 14400 save period in seconds"; echo "Row Cache : entries 0, size 0 bytes, capacity 0 bytes, '
            '0 hits, 0 requests, NaN recent hit rate, 0 save period in seconds"; }',
            100 * 2**20,
            800 / 1180,
        ),
        # This line has misses, and no hits.
        "cassandra_rows 'Chunk Cache'": (
            'nodetool() { if [ -e again ]; then n="900 misses, 3300 requests, 0.727"; else '
            'n="300 misses, 500 requests, 0.400"; fi; '
            'echo "Chunk Cache            : entries 9, size 576 KiB, capacity 480 MiB, $n recent hit rate, '
            '123.4 microseconds miss latency"; }',
            480 * 2**20,
            2200 / 2800,
        ),
        # Answers only a query that reads what the pool holds, and not a limit that may never have been set.
        "sqlserver_rows -S server": (
            'sqlcmd() { case "$*" in *"max server memory (MB)"*) exit 1;; *"\'Target pages%\'"*"* 8192 AS size_bytes"*) ;; '
            "*) exit 1;; esac; echo 'size_bytes|requests|misses|writes|seconds'; echo '----|----|----|----|----'; "
            "if [ -e again ]; then echo '8589934592|3000|300|27|1764103600'; else "
            "echo '8589934592|1000|100|7|1764100000'; fi; }",
            2**33,
            0.9,
        ),
        "cloudwatch_rows orders 8589934592": (
            "aws() { echo 98.75; }",
            2**33,
            0.9875,
        ),
        # Runs the documented script itself, which reads what serverStatus() names.
        "mongodb_rows --host db": (
            'mongosh() { for code; do :; done; [ -e again ] && n="3000, 300, 27" || n="1000, 100, 7"; '
            'node -e "const [asked, read, out] = [$n]; const print = console.log; '
            "const db = {serverStatus: () => ({wiredTiger: {cache: {'maximum bytes configured': 8589934592, "
            "'pages requested from the cache': asked, 'pages read into cache': read, "
            "'modified pages evicted': out}}})}; $code\"; }",
            2**33,
            0.9,
        ),
        # Two nodes, each counting by itself.
        "elasticsearch_rows http://host request_cache 1073741824": (
            "curl() { [ -e again ] && n=900 m=300 || n=100 m=100; "
            'one="{\\"indices\\":{\\"request_cache\\":{\\"hit_count\\":$n,\\"miss_count\\":$m,\\"evictions\\":5}}}"; '
            'echo "{\\"nodes\\":{\\"a\\":$one,\\"b\\":$one}}"; }',
            2**30,
            0.8,
        ),
        "elasticsearch_shared_rows http://host": (
            "curl() { [ -e again ] && n=1100 m=150 || n=100 m=50; "
            'echo "{\\"nodes\\":{\\"a\\":{\\"shared_cache\\":{\\"reads\\":$n,\\"bytes_read_in_bytes\\":9,'
            '\\"writes\\":$m,\\"evictions\\":5,\\"num_regions\\":64,\\"region_size_in_bytes\\":16777216}}}}"; }',
            2**30,
            0.9,
        ),
        "ceph_rows osd.3 1073741824": (
            "ceph() { [ -e again ] && n=900 m=300 || n=100 m=100; "
            'echo "{\\"bluestore\\":{\\"bluestore_onode_hits\\":$n,\\"bluestore_onode_misses\\":$m}}"; }',
            2**30,
            0.8,
        ),
        # The names of later versions.
        "ceph_rows osd.4 1073741824": (
            "ceph() { [ -e again ] && n=900 m=300 || n=100 m=100; "
            'echo "{\\"bluestore\\":{\\"onode_hits\\":$n,\\"onode_misses\\":$m}}"; }',
            2**30,
            0.8,
        ),
    }
    NEEDS = {"mongodb": "node", "elasticsearch": "jq", "ceph": "jq"}
    """Programs that the functions, or what stands for their server, run."""

    @pytest.mark.parametrize("call", STUBS)
    def test_rows_are_read(self, call: str, tmp_path: Path) -> None:
        program = self.NEEDS.get(call.split("_")[0], "sh")
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
        page = (ROOT / "docs" / "traces" / "counters.md").read_text("utf-8")
        [functions] = re.findall(r"```sh\n(# SQL Server:.*?)```", page, re.DOTALL)
        stub, size, hit_ratio = self.STUBS[call]
        script = f"{functions}\n{stub}\n{call}\n"
        if not call.startswith("cloudwatch"):
            script += f"sleep 1.1; touch again; {call}\n"
        done = subprocess.run(
            ["/bin/sh", "-c", script],
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
        )
        found = complete(done.stdout, page_bytes=8192)
        assert found.kind == "counters"
        assert [(p.pages, p.hit_ratio) for p in found.points] == [
            (size // 8192, pytest.approx(hit_ratio))
        ]

    @pytest.mark.parametrize(
        ("call", "stub", "says"),
        [
            # What `--output text` prints of an hour without a data point.
            ("cloudwatch_rows orders 8589934592", "aws() { echo None; }", "None"),
            (
                "cassandra_rows 'Key Cache'",
                'nodetool() { echo "Key Cache : entries 1, capacity 1 MiB, 5 requests"; }',
                "neither hits nor misses",
            ),
        ],
    )
    def test_what_was_not_counted_gives_no_row(
        self, call: str, stub: str, says: str
    ) -> None:
        page = (ROOT / "docs" / "traces" / "counters.md").read_text("utf-8")
        [functions] = re.findall(r"```sh\n(# SQL Server:.*?)```", page, re.DOTALL)
        done = subprocess.run(
            ["/bin/sh", "-c", f"{functions}\n{stub}\n{call}\n"],
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 1
        assert done.stdout == ""
        assert says in done.stderr

    def test_each_system_of_the_list_has_a_function(self) -> None:
        page = (ROOT / "docs" / "traces" / "counters.md").read_text("utf-8")
        for name in (
            "sqlserver",
            "mongodb",
            "elasticsearch",
            "cassandra",
            "ceph",
            "cloudwatch",
        ):
            assert f"{name}_rows() {{" in page
        assert "INNODB_BUFFER_POOL_STATS" in page

    @pytest.mark.parametrize(
        ("system", "between"), [("InnoDB", "\t"), ("PostgreSQL up to 15", ",")]
    )
    def test_rows_of_the_documented_queries_are_read(
        self, system: str, between: str
    ) -> None:
        """The names that the query of the page gives its columns, as `mysql --batch` or `psql --csv` print them."""
        page = (ROOT / "docs" / "traces" / "counters.md").read_text("utf-8")
        [query] = re.findall(
            rf"^\| {system} \| `(SELECT .*?)` with", page, re.MULTILINE
        )
        names = re.findall(r" AS (\w+)", query)
        rows = (
            {
                "size_bytes": 2**27,
                "requests": 10**9,
                "misses": 10**7,
                "writes": 50,
                "seconds": 1_764_100_000,
            },
            {
                "size_bytes": 2**27,
                "requests": 10**9 + 4000,
                "misses": 10**7 + 400,
                "writes": 150,
                "seconds": 1_764_103_600,
            },
        )
        text = "".join(
            between.join(names)
            + "\n"
            + between.join(str(row[name]) for name in names)
            + "\n"
            for row in rows
        )
        found = complete(text, page_bytes=16_384)
        assert found.kind == "counters"
        assert [(p.pages, p.hit_ratio) for p in found.points] == [(8192, 0.9)]
        assert found.evidence is not None
        assert found.evidence.kind == "one_point"
        assert found.profile is not None
        assert found.profile.curve.given is not None
        assert found.profile.curve.given.dirty_share == (
            0.25 if "writes" in names else None
        )

    def test_rows_with_a_ruling_line_are_read(self) -> None:
        text = (
            "size_bytes|requests|misses|writes|seconds\n----------|--------|------|------|-------\n"
            "8589934592|1000|100|7|1764100000\nsize_bytes|requests|misses|writes|seconds\n"
            "----------|--------|------|------|-------\n8589934592|3000|300|27|1764103600\n"
        )
        [point] = complete(text, page_bytes=8192).points
        assert point.hit_ratio == pytest.approx(0.9)


class TestWrites:
    """Pages written for each page evicted or read are the dirty share, where nothing else is stated."""

    HEAD = "size_bytes,requests,misses,writes,seconds\n"

    def test_counted_writes_give_the_dirty_share(self) -> None:
        found = complete(
            self.HEAD + "8192000,0,0,50,1\n8192000,1000,200,100,11\n", page_bytes=8192
        )
        assert found.profile is not None
        curve = found.profile.curve
        assert curve.given is not None
        assert curve.given.dirty_share == 0.25
        assert curve.write_backs_at is not None
        assert float(curve.write_backs_at[-1]) == pytest.approx(50)
        assert any("written at 5 per second" in each for each in found.assumptions)
        # At the other end endurance carries the range.
        assert "dirty_share_stated" in {
            each.name for each in about_curve(curve, [1000], [0])
        }

    def test_a_stated_share_goes_first(self) -> None:
        found = complete(
            self.HEAD + "8192000,0,0,50,1\n8192000,1000,200,100,11\n",
            page_bytes=8192,
            dirty_share=0.5,
        )
        assert found.profile is not None
        assert found.profile.curve.given is not None
        assert found.profile.curve.given.dirty_share == 0.5
        # What was counted is said, and not that it is the share.
        said = " ".join(found.assumptions)
        assert "0.25 for each page read." in said
        assert "used as the dirty share" not in said

    def test_what_is_said_of_a_counted_share_holds_of_every_system(self) -> None:
        said = " ".join(
            complete(
                self.HEAD + "8192000,0,0,50,1\n8192000,1000,200,100,11\n",
                page_bytes=8192,
            ).assumptions
        )
        assert "If the cache was full" in said
        assert "used as the dirty share" in said
        assert "at most" not in said

    POSTGRES = (
        "seconds,size_bytes,block_bytes,context,reads,op_bytes,hits,evictions,writes\n"
    )

    @pytest.mark.parametrize(
        ("evicted", "written", "share"),
        # A pool that fills reads 100 pages and evicts fewer; checkpoints write more pages than are evicted.
        [(40, 10, 0.25), (100, 25, 0.25), (10, 30, 1.0), (0, 30, None), (0, 0, None)],
    )
    def test_of_postgres_evicted_pages_count(
        self, evicted: int, written: int, share: float | None
    ) -> None:
        found = complete(
            self.POSTGRES
            + "1,8192000,8192,normal,0,8192,0,0,0\n"
            + f"9,8192000,8192,normal,100,8192,900,{evicted},{written}\n"
        )
        assert found.profile is not None
        assert found.profile.curve.given is not None
        assert found.profile.curve.given.dirty_share == share
        said = " ".join(found.assumptions)
        assert ("used as the dirty share" in said) == (share is not None)
        assert ("no page was evicted" in said) == (evicted == 0)

    def test_no_page_read_is_not_more_written_than_read(self) -> None:
        said = " ".join(
            complete(
                self.HEAD + "8192000,0,0,0,1\n8192000,1000,0,0,11\n", page_bytes=8192
            ).assumptions
        )
        assert "no page was read" in said
        assert "more than were read" not in said

    @pytest.mark.parametrize("writes", [201, 5000])
    def test_more_writes_than_reads_leave_a_range(self, writes: int) -> None:
        found = complete(
            self.HEAD + f"8192000,0,0,0,1\n8192000,1000,200,{writes},11\n",
            page_bytes=8192,
        )
        assert found.profile is not None
        assert found.profile.curve.given is not None
        assert found.profile.curve.given.dirty_share is None
        assert any("more than were read" in each for each in found.assumptions)

    def test_writes_that_went_backwards_are_refused(self) -> None:
        where, says = problem(
            self.HEAD + "8192000,0,0,50,1\n8192000,1000,200,40,11\n", page_bytes=8192
        )
        assert where == "line 3"
        assert "`writes` went backwards" in says

    def test_postgres_writes_are_pages_in_every_version(self) -> None:
        old = (
            "seconds,size_bytes,block_bytes,context,reads,op_bytes,hits,writes\n"
            "1,8192000,8192,normal,0,8192,0,0\n9,8192000,8192,normal,100,8192,900,30\n"
        )
        new = (
            "seconds,size_bytes,block_bytes,context,reads,read_bytes,hits,writes,write_bytes\n"
            "1,8192000,8192,normal,0,0,0,0,0\n9,8192000,8192,normal,9,819200,900,2,245760\n"
        )
        for text in (old, new):
            made = complete(text).profile
            assert made is not None
            assert made.curve.given is not None
            assert made.curve.given.dirty_share == pytest.approx(0.3)


class TestPostgres:
    HEAD_16 = (
        "seconds,size_bytes,block_bytes,version,backend_type,object,context,reads,op_bytes,"
        "hits,evictions,writes\n"
    )

    def rows_16(self, at: int, reads: int, hits: int) -> str:
        pool = f"{at},81920000,8192,17.2,client backend,relation"
        return (
            f"{pool},normal,{reads},8192,{hits},{reads},5\n"
            f"{pool},bulkread,{at * 7},8192,{at},0,0\n"
            f"{at},81920000,8192,17.2,checkpointer,relation,normal,,8192,,,{at}\n"
        )

    def test_the_context_normal_is_the_point(self) -> None:
        text = self.HEAD_16 + self.rows_16(100, 10, 90) + self.rows_16(200, 110, 990)
        found = complete(text)
        assert found.kind == "postgres"
        assert found.page_bytes == 8192
        assert [(p.pages, p.hit_ratio) for p in found.points] == [(10_000, 0.9)]
        assert found.profile is not None
        assert found.profile.curve.accesses == 1000
        assert found.profile.duration_s == 100
        assert found.evidence is not None
        assert found.evidence.kind == "one_point"
        assert any("44.4 % of all requests used ring" in a for a in found.assumptions)

    def test_version_18_counts_bytes(self) -> None:
        head = "seconds,size_bytes,block_bytes,context,reads,read_bytes,hits\n"
        text = (
            head
            + "1,8192000,8192,normal,1,81920,90\n1,8192000,8192,init,,,\n"
            + "2,8192000,8192,normal,3,901120,990\n2,8192000,8192,init,,,\n"
        )
        assert [p.hit_ratio for p in complete(text).points] == [0.9]

    @pytest.mark.parametrize(
        ("rows", "said"),
        [
            (",8192000,8192,normal,1,8192,90", "seconds is empty"),
            ("1,8192000,0.4,normal,1,8192,90", "block_bytes must be whole"),
            (
                "1,8192000,,normal,1,8192,90\n1,8192000,8192,normal,1,8192,90",
                "block_bytes is empty in the first row",
            ),
        ],
    )
    def test_what_is_empty_or_no_size_is_named(self, rows: str, said: str) -> None:
        head = "seconds,size_bytes,block_bytes,context,reads,op_bytes,hits\n"
        after = "2,8192000,8192,normal,9,8192,990\n"
        found = examine(f"{head}{rows}\n{after}", CurveOptions())
        assert found.profile is None
        assert any(said in each.message for each in found.problems), found.problems

    def test_writes_are_stated_where_they_are_counted_and_never_go_backwards(
        self,
    ) -> None:
        head = "seconds,size_bytes,block_bytes,context,reads,op_bytes,hits"
        first, second = (
            f"{at},8192000,8192,normal,{at},8192,{90 * at}" for at in (1, 20)
        )
        plain = complete(f"{head}\n{first}\n{second}\n")
        assert not any("were written at" in each for each in plain.assumptions)
        counted = complete(f"{head},writes\n{first},5\n{second},24\n")
        assert any("written at 1 per second" in each for each in counted.assumptions)
        back = examine(f"{head},writes\n{first},50\n{second},5\n", CurveOptions())
        assert any("`writes` went backwards" in each.message for each in back.problems)

    def test_a_resize_gives_points(self) -> None:
        larger = (self.rows_16(300, 120, 1000) + self.rows_16(400, 170, 1950)).replace(
            "81920000", "163840000"
        )
        found = complete(
            self.HEAD_16
            + self.rows_16(100, 10, 90)
            + self.rows_16(200, 110, 990)
            + larger
        )
        assert [(p.pages, p.hit_ratio) for p in found.points] == [
            (10_000, 0.9),
            (20_000, 0.95),
        ]
        assert found.evidence is not None
        assert found.evidence.kind == "points"

    def test_the_documented_sample_of_the_pool_is_stated(self) -> None:
        head = (
            "seconds,size_bytes,block_bytes,context,reads,op_bytes,hits,buffers_used,"
            "buffers_unused,buffers_dirty\n"
        )
        text = head + "".join(
            f"{at},17179869184,8192,normal,{10 * at},8192,{90 * at},248,2096904,39\n"
            for at in (1, 2)
        )
        said = " ".join(complete(text).assumptions)
        assert "39 of 248 used buffers (15.7 %)" in said
        assert "2,096,904 buffers were unused" in said

    def test_the_documented_usage_counts_are_churn_and_no_curve(self) -> None:
        """The sample of the documentation: a pool of 128 MiB, of which the sweep may take nine tenths."""
        head = " usage_count | buffers | dirty | pinned\n"
        rows = (
            "0 | 14650 | 0 | 0\n1 | 1436 | 671 | 0\n2 | 102 | 88 | 0\n"
            "3 | 23 | 21 | 0\n4 | 9 | 7 | 0\n5 | 164 | 106 | 0\n"
        )
        found = examine(head + rows)
        assert (found.points, found.profile, found.evidence) == ([], None, None)
        [said] = found.problems
        assert said.where == "line 1"
        assert "no ages" in said.message
        assert (
            "of 16,384 buffers 14,650 (89.4 %) have count 0, 164 (1.00 %) count 5"
            in said.message
        )
        # Rows that are none show nothing, and are refused all the same.
        [bare] = examine(head + "9 | 5 | 0 | 0\n").problems
        assert "give no curve; give two readings" in bare.message

    @pytest.mark.parametrize("context", ["bulkread", "bulkwrite", "vacuum"])
    def test_ring_buffers_are_apart_from_the_pool(self, context: str) -> None:
        """Reads of a ring reuse its few buffers: in the point they would be misses of the pool."""
        bare = self.HEAD_16 + self.rows_16(100, 10, 90) + self.rows_16(200, 110, 990)
        text = bare.replace(",bulkread,", f",{context},")
        without = re.sub(r".*,bulkread,.*\n", "", bare)
        found, alone = complete(text), complete(without)
        assert [(p.pages, p.hit_ratio) for p in found.points] == [
            (p.pages, p.hit_ratio) for p in alone.points
        ]
        assert found.accesses == alone.accesses == 1000
        # 700 reads and 100 hits beside 1,000 requests of the pool.
        assert any("44.4 % of all requests used ring" in a for a in found.assumptions)
        assert any("0 % of all requests used ring" in a for a in alone.assumptions)

    def test_a_miss_of_the_pool_is_not_called_a_read_of_the_device(self) -> None:
        """The kernel's cache lies below the pool of PostgreSQL, and none below that of Aurora."""
        text = self.HEAD_16 + self.rows_16(100, 10, 90) + self.rows_16(200, 110, 990)
        below = "the memory of the kernel may have answered it"
        assert any(below in each for each in complete(text).assumptions)
        aurora = complete(KINDS["aurora"].example)
        assert not any(below in each for each in aurora.assumptions)
        assert any(
            "the kernel's cache of files may hold the block" in each
            for each in KINDS["rocksdb_simcache"].cannot_tell
        )

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            (
                "usage_count | buffers | dirty | pinned\n0 | 14650 | 0 | 0\n1 | 1436 | 671 | 0\n",
                "no ages",
            ),
            (
                "seconds,size_bytes,block_bytes,context,reads,hits\n1,8192,8192,normal,1,1\n",
                "the unit of the reads is unknown",
            ),
            (
                "seconds,size_bytes,block_bytes,context,reads,op_bytes,hits\n"
                "1,8192,8192,normal,1,8192,1\n2,8192,8192,normal,0,8192,2\n",
                "went backwards",
            ),
            (
                "seconds,size_bytes,block_bytes,context,reads,op_bytes,hits\n"
                "1,8192,8192,odd,1,8192,1\n",
                "not a context",
            ),
            (
                "seconds,size_bytes,block_bytes,context,reads,op_bytes,hits\n"
                "1,8192,8192,normal,1,8192,1\n1,16384,8192,normal,1,8192,1\n",
                "size_bytes differs",
            ),
        ],
    )
    def test_traps_are_refused(self, text: str, says: str) -> None:
        assert says in problem(text)[1]


class TestAurora:
    HEAD = (
        "seconds,size_bytes,block_bytes,used_size,blks_hit,storage_blks_read,"
        "orcache_blks_hit,storage_blk_read_time\n"
    )

    def test_ram_and_ram_with_flash_are_two_points(self) -> None:
        found = complete(
            self.HEAD
            + "1,81920000,8192,163840000,100,10,10,5\n"
            + "11,81920000,8192,163840000,900,60,160,55\n"
        )
        assert found.kind == "aurora"
        assert [(p.pages, p.hit_ratio) for p in found.points] == [
            (10_000, 0.8),
            (30_000, 0.95),
        ]
        assert found.evidence is not None
        assert found.evidence.kind == "points"
        assert "A read of Aurora storage took 1 ms on average." in found.assumptions

    def test_each_level_has_its_rate_and_its_time(self) -> None:
        found = complete(
            self.HEAD
            + "1,81920000,8192,163840000,100,10,10,5\n"
            + "11,81920000,8192,163840000,900,60,160,55\n"
        )
        assert found.evidence is not None
        assert found.profile is not None
        assert [
            (each.name, each.size_bytes, each.requests_per_s, each.read_us)
            for each in found.evidence.tiers
        ] == [
            ("shared buffers", 81_920_000, 80.0, None),
            ("the cache on flash", 163_840_000, 15.0, None),  # its time was not read
            ("Aurora storage", None, 5.0, 1000.0),
        ]
        again = profile_from_mapping(json.loads(found.profile.to_text()))
        assert again.curve.evidence == found.evidence
        document = json.loads(found.profile.to_text())
        document["given"]["tiers"][0]["requests_per_s"] = -1
        with pytest.raises(BadInput, match=r"given\.tiers"):
            profile_from_mapping(document)

    def test_times_of_tiers_are_those_of_the_costs_and_no_device_is_claimed(
        self,
    ) -> None:
        """Each access: hits of flash at 0.2 ms, reads of storage at 1.2 ms, by hand; a write is assumed to be a read."""
        made = examine(KINDS["aurora"].example)
        assert made.profile is not None
        curve = made.profile.curve.with_dirty_share(0.0)
        assert curve.evidence is not None
        devices = running_devices(curve)
        assert set(devices) == {"measured-flash", "measured-disk"}
        ram, all_ = curve.evidence.valid_from, curve.evidence.valid_to
        found = compare.answer(
            curve,
            ram_pages=ram,
            flash_pages=all_ - ram,
            flash=devices["measured-flash"],
            disk=devices["measured-disk"],
            prices=catalog.price_book("street-2026-q3"),
        )
        exclusive = found.evaluation.schemes["exclusive"]
        hits, reads, misses = 280_000, 60_000, 340_000
        by_hand = (200.0 * hits + 1200.0 * reads + 200.0 * misses) / 3_600_000
        assert exclusive.io_time_us_per_access == pytest.approx(by_hand, rel=1e-3)
        inputs = found.evaluation.inputs
        assert (
            "counters of the running system (aurora)" in inputs["flash_service_basis"]
        )
        assert "waits included" in inputs["disk_service_basis"]
        assert "no write was timed" in inputs["disk_service_basis"]
        names = {each.name for each in found.warnings}
        assert "latency_as_service_time" not in names
        said = [w.message for w in found.warnings if w.name == "tier_times_measured"]
        assert ["200 µs" in said[0], "1.2 ms" in said[1]] == [True, True]
        assert all("No figures of a device are used" in each for each in said)
        for each in devices.values():
            assert each.capacity_bytes is None
            assert each.assumed == ("write_latency_us",)
            # No price of NVMe drives is claimed for it.
            assert catalog.price_book("street-2026-q3").price_of(each) is None
        assert "whose price was not stated" in why_no_price("it", each, None)

    def test_only_tiers_that_were_timed_are_devices(self) -> None:
        text = KINDS["aurora"].example.replace("16300000", "16356000", 1)
        made = examine(text)
        assert made.profile is not None
        curve = made.profile.curve
        assert set(running_devices(curve)) == {"measured-disk"}
        with pytest.raises(BadInput, match="no tier whose reads were timed"):
            device_for(curve, "measured-flash")
        assert device_for(curve, FLASH).id == FLASH
        with pytest.raises(BadInput, match="no tier whose reads were timed"):
            device_for(large("points"), "measured-disk")
        again = profile_from_mapping(json.loads(made.profile.to_text())).curve
        assert running_devices(again) == running_devices(curve)

    def test_the_command_uses_what_was_measured_where_no_device_is_named(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        text, profile = tmp_path / "counters.csv", tmp_path / "aurora.json"
        text.write_text(KINDS["aurora"].example)
        main(["curve", "import", str(text), "-o", str(profile)])
        capsys.readouterr()
        asked = ["evaluate", str(profile), "--ram-pages", "192GiB", "--flash-pages"]
        main([*asked, "975GiB", "--dirty-share", "0", "--assumptions"])
        said = capsys.readouterr()
        assert "measured-flash over measured-disk" in said.out
        assert "that it measured, waits included" in said.err + said.out
        main([*asked, "975GiB", "--dirty-share", "0", "--flash-device", FLASH])
        said = capsys.readouterr()
        assert f"{FLASH} over measured-disk" in said.out

    def test_the_documented_counts_parse_to_the_digit(self) -> None:
        """blks_hit 11456 and blks_read 1059 of the documentation, here 59 of them read from flash."""
        rows = (
            "1,81920000,8192,1054 GB,0,0,0,0\n2,81920000,8192,1054 GB,11456,1000,59,0\n"
        )
        found = complete(self.HEAD + rows)
        assert found.accesses == 11456 + 1059
        assert [point.hit_ratio for point in found.points] == pytest.approx(
            [11456 / 12515, 11515 / 12515], rel=1e-12
        )

    def test_documented_sizes_are_powers_of_1024(self) -> None:
        assert flash_bytes(Reading(), 1, "975 GB") == 975 * 2**30
        assert flash_bytes(Reading(), 1, "1054 GB") == 1054 * 2**30
        assert flash_bytes(Reading(), 1, "1046898278400") == 975 * 2**30

    def test_an_empty_flash_cache_leaves_one_point(self) -> None:
        found = complete(
            self.HEAD + "1,81920000,8192,0,100,10,0,0\n11,81920000,8192,0,900,110,0,0\n"
        )
        assert found.evidence is not None
        assert found.evidence.kind == "one_point"

    @pytest.mark.parametrize(
        ("rows", "says"),
        [
            ("1,8192,8192,8 GB,100,10,10,5\n", "read the counters twice"),
            (
                "1,8192,8192,8 GB,100,10,10,5\n2,8192,8192,8 GB,99,11,11,6\n",
                "went backwards",
            ),
            (
                "1,8192,8192,8 GB,100,10,10,5\n2,16384,8192,8 GB,200,11,11,6\n",
                "one size",
            ),
            ("1,8192,8192,8 parts,100,10,10,5\n", "used_size must be bytes"),
        ],
    )
    def test_traps_are_refused(self, rows: str, says: str) -> None:
        assert says in problem(self.HEAD + rows)[1]


SAMPLE = "key=foo exp=-1 la=1597801394 cas=63208 fetch=yes cls=1 size=73"
"""A line of a dump, as memcached's documentation shows it."""


def stats(at: int, gets: int, evicted: int, age: int = 7200, cls: int = 5) -> str:
    return (
        f"STAT time {at}\nSTAT cmd_get {gets}\n"
        f"STAT items:{cls}:evicted {evicted}\nSTAT items:{cls}:evicted_time {age}\n"
    )


def dump(at: int, *, cls: int = 5, exp: int = -1, oldest: int = 7200) -> str:
    """Items of 100 bytes, one used every second, in bins of 10 s."""
    return "".join(
        f"la={at - age} exp={exp} cls={cls} items=10 bytes=1000\n"
        for age in range(10, oldest + 1, 10)
    )


class TestMemcached:
    def test_the_documented_line_parses_to_the_digit(self) -> None:
        fields = dict(part.split("=") for part in SAMPLE.split())
        item = item_of(Reading(), 1, fields)
        assert item is not None
        assert (item.last_access, item.expires, item.slab_class) == (
            1597801394,
            -1,
            "1",
        )
        assert (item.items, item.size) == (1, 73)

    def test_a_dump_as_the_server_prints_it_is_read(self) -> None:
        """Whole lines in the documented form, with URL-encoded keys and `END`, give what their bins give."""

        def lines(at: int) -> str:
            rows = (
                SAMPLE.replace("foo", f"a%3D{age}")
                .replace("1597801394", str(at - age))
                .replace("cls=1", "cls=5")
                for age in range(10, 7201, 10)
            )
            return "\n".join(rows) + "\nEND\n"

        bins = dump(10_000).replace("items=10 bytes=1000", "items=1 bytes=73")
        ends = stats(20_000, 10**6, 1000)
        plain, binned = (
            complete(stats(10_000, 0, 0) + each + ends)
            for each in (lines(10_000), bins)
        )
        assert plain.page_bytes == binned.page_bytes == 73
        assert plain.points[-1].hit_ratio == binned.points[-1].hit_ratio
        assert plain.points[-1].pages == binned.points[-1].pages == 720
        assert plain.profile is not None
        assert "a%3D" not in plain.profile.to_text()

    def test_ages_give_the_curve_and_the_evictions_check_it(self) -> None:
        text = "".join(
            stats(at, gets, gets // 100) + dump(at)
            for at, gets in ((10_000, 0), (20_000, 1_000_000), (30_000, 2_000_000))
        )
        found = complete(text)
        assert found.kind == "memcached"
        assert found.page_bytes == 100
        assert found.profile is not None
        curve = found.profile.curve
        # One item a second over 100 requests a second.
        assert curve.misses_at / curve.accesses == pytest.approx(0.01, rel=1e-6)
        assert (curve.accesses, found.profile.duration_s) == (2_000_000, 20_000)
        evidence = found.evidence
        assert evidence is not None
        assert evidence.kind == "ages"
        assert evidence.snapshots == 3
        assert evidence.self_check == pytest.approx(0.0, abs=1e-6)
        assert evidence.valid_to == 7200
        assert evidence.valid_from >= 180  # three steps of a clock of 60 s
        # At the present size the curve is what was evicted, times one and the printed gap.
        assert evidence.self_check is not None
        evicted_per_s = 1.0
        assert 100 * float(curve.misses_at[-1]) / curve.accesses == pytest.approx(
            evicted_per_s * (1 + evidence.self_check)
        )
        assert all(
            evidence.valid_from <= point.pages <= evidence.valid_to
            for point in found.points
        )
        assert len(evidence.band) == len(found.points)

    def test_the_documented_command_ends_though_nc_waits_for_the_server(
        self, tmp_path: Path
    ) -> None:
        """As OpenBSD's nc does: it stays until the server closes the connection, which `quit` makes it do."""
        page = (ROOT / "docs" / "traces" / "counters.md").read_text("utf-8")
        [function] = re.findall(r"```sh\n(# snapshot HOST PORT.*?)```", page, re.DOTALL)
        stub = """nc() {
          while read -r line; do
            case $line in
              "stats items"*) printf 'STAT items:5:evicted 3\\r\\nSTAT items:5:evicted_time 9\\r\\n' ;;
              "stats settings"*) printf 'STAT lru_segmented no\\r\\n' ;;
              stats*) printf 'STAT time 100\\r\\nSTAT cmd_get 7\\r\\n' ;;
              lru*) printf 'key=a exp=-1 la=5 cas=1 fetch=yes cls=5 size=73\\r\\nEND\\r\\n' ;;
              quit*) return ;;
            esac
          done
          sleep 60
        }"""
        done = subprocess.run(
            ["/bin/sh", "-c", f"{function}\n{stub}\nsnapshot localhost 11211 1\n"],
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
            timeout=45,
        )
        assert "STAT items:5:evicted 3\n" in done.stdout
        assert re.search(r"la=-?\d+ cls=5 items=1 bytes=73\n", done.stdout)
        assert "key=" not in done.stdout

    def test_a_shuffled_dump_gives_the_same_profile(self) -> None:
        def text(order: int) -> str:
            return "".join(
                stats(at, gets, gets // 100)
                + "\n".join(dump(at).splitlines()[::order])
                + "\n"
                for at, gets in ((10_000, 0), (20_000, 10**6), (30_000, 2 * 10**6))
            )

        one, other = complete(text(1)), complete(text(-1))
        assert one.profile is not None
        assert other.profile is not None
        assert one.profile.to_text() == other.profile.to_text()

    def test_too_few_evictions_make_it_indicative(self) -> None:
        text = stats(10_000, 0, 0) + dump(10_000) + stats(20_000, 10**6, 5000)
        evidence = complete(text).evidence
        assert evidence is not None
        assert evidence.self_check == pytest.approx(1.0)
        assert evidence.is_indicative
        assert evidence.band == ()
        assert "100 % above" in evidence.check_text(4096)
        assert evidence.self_check_pages == evidence.valid_to

    @pytest.mark.parametrize(
        ("line", "says"),
        [
            ("la=1 cls=5 size=" + "9" * 70, "too long for a number"),
            ("la=1 cls=5 size=" + "9" * 40, "larger than any counter"),
            ("la=" + "9" * 40 + " cls=5 size=1", "larger than any counter"),
            ("la=1 exp=" + "9" * 40 + " cls=5 size=1", "larger than any counter"),
            ("la=1 cls=5 items=1 bytes=1e60", "larger than any counter"),
            ("la=1 cls=" + "9" * 40 + " size=1", "number of a slab class"),
            ("STAT items:5:evicted " + "9" * 40, "larger than any counter"),
            ("STAT items:5:evicted " + "9" * 100_000, "too long for a number"),
        ],
    )
    def test_very_many_digits_are_refused_with_their_line(
        self, line: str, says: str
    ) -> None:
        text = stats(10_000, 0, 0) + dump(10_000)
        at = text.count("\n") + 1
        where, found = problem(f"{text}{line}\n{stats(20_000, 10**6, 9999)}")
        assert where == f"line {at}"
        assert says in found

    def test_more_than_any_memory_holds_is_refused(self) -> None:
        text = stats(10_000, 0, 0) + dump(10_000).replace(
            "bytes=1000", f"bytes={10**15}"
        )
        text += stats(20_000, 10**6, 9999)
        assert "more than any memory" in problem(text)[1]

    def test_the_youngest_evicted_ends_the_range(self) -> None:
        text = stats(10_000, 0, 1, 3600) + dump(10_000) + stats(20_000, 10**6, 9999)
        evidence = complete(text).evidence
        assert evidence is not None
        assert evidence.valid_to == 3600

    def test_without_evictions_all_is_there_and_nothing_checks_it(self) -> None:
        text = stats(10_000, 0, 0, 0) + dump(10_000) + stats(20_000, 10**6, 0, 0)
        assert "no evictions between the readings" in problem(text)[1]
        assert "no evictions" in problem(text + "STAT lru_segmented yes\n")[1]
        settings_ = "STAT evictions on\nSTAT lru_segmented no\n"  # of `stats settings`
        evidence = complete(text + settings_).evidence
        assert evidence is not None
        assert evidence.valid_to == 7200
        assert evidence.self_check is None
        assert "nothing was evicted" in evidence.check_text(4096)

    def test_what_had_expired_is_left_out(self) -> None:
        text = (
            stats(10_000, 0, 0)
            + dump(10_000)
            + dump(10_000, exp=9000)
            + stats(20_000, 10**6, 10_000)
        )
        evidence = complete(text).evidence
        assert evidence is not None
        assert evidence.valid_to == 7200

    def test_classes_are_asked_and_requests_of_one_are_asked(self) -> None:
        text = (
            stats(10_000, 0, 0)
            + dump(10_000)
            + dump(10_000, cls=7)
            + stats(20_000, 10**6, 10_000)
        )
        [asked] = [q for q in examine(text).questions if q.field == "pool"]
        assert asked.choices == ("5", "7")
        chosen = examine(text, CurveOptions(pool="5"))
        assert {q.field for q in chosen.questions} == {"accesses"}
        known = complete(text, pool="5", accesses_per_s=100.0)
        assert known.points[0].hit_ratio == pytest.approx(0.99)

    @pytest.mark.parametrize(
        ("text", "where", "says"),
        [
            (SAMPLE + "\n", "line 1", "before any `STAT time`"),
            (
                stats(10, 500, 0) + SAMPLE + "\n" + stats(20, 100, 0),
                "line 6",
                "`cmd_get` went backwards",
            ),
            (stats(10, 1, 0) + stats(20, 2, 0), "line 8", "no lines of"),
            (stats(10, 1, 0) + SAMPLE + "\nBUSY crawling\n", "line 6", "is not a line"),
            (stats(10, 1, 0) + "la=5 cls=5\n", "line 5", "neither size nor bytes"),
            (
                "STAT time 10\nSTAT evictions 5\nla=5 cls=5 size=1\nSTAT time 20\n"
                "STAT evictions 9\n",
                "line 4",
                "is lacking though items were evicted",
            ),
            (
                stats(10_000, 0, 0) + dump(10_000) + stats(20_000, 100, 10_000),
                "line 728",
                "fewer than",
            ),
        ],
    )
    def test_traps_are_refused_with_their_line(
        self, text: str, where: str, says: str
    ) -> None:
        found = problem(text)
        assert found[0] == where
        assert says in found[1]

    def test_the_documented_command_prints_what_is_read(self, tmp_path: Path) -> None:
        """The shell text of the page, run against a server of canned answers, drops keys and keeps the curve."""
        page = (ROOT / "docs" / "traces" / "counters.md").read_text("utf-8")
        [text] = re.findall(r"```sh\n(# snapshot HOST.*?)```", page, re.S)
        now = 1_764_100_000
        counters = "".join(f"{line}\r\n" for line in stats(now, 0, 0).splitlines())
        items = "".join(
            f"key=secret%3D{age} exp=-1 la={now - age} cas=1 fetch=yes cls=5 size=100\r\n"
            for age in range(1, 7201)
        )
        (tmp_path / "stats").write_text(counters + "STAT pid 5\r\nEND\r\n")
        (tmp_path / "dump").write_text(items + "END\r\n")
        for name, script in (
            (
                "nc",
                'read -r first\ncase "$first" in stats*) cat "$HERE/stats";; *) cat "$HERE/dump";; esac\n',
            ),
            ("date", f"echo {now}\n"),
            ("sleep", ""),
        ):
            (tmp_path / name).write_text("#!/bin/sh\n" + script)
            (tmp_path / name).chmod(0o755)
        ran = subprocess.run(
            ["/bin/sh", "-c", text + "\nsnapshot localhost 11211"],
            env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "HERE": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert "secret" not in ran.stdout
        assert "pid" not in ran.stdout
        found = complete(ran.stdout + stats(now + 10_000, 10**6, 10_000))
        assert found.evidence is not None
        assert found.evidence.self_check == pytest.approx(0.0, abs=0.05)
        assert found.points[-1].hit_ratio == pytest.approx(0.99, abs=0.001)


# --- the class travels, and does something --------------------------------------------------


def of_class(kind: str, **changes: Any) -> Curve:
    pages = [1000] if kind == "one_point" else [500, 1000, 2000]
    misses = [400.0] if kind == "one_point" else [500.0, 400.0, 300.0]
    band = tuple(
        (size, miss / 1100, miss / 900)
        for size, miss in zip(pages, misses, strict=True)
    )
    evidence = Evidence(
        kind,  # type: ignore[arg-type]
        pages[0],
        pages[-1],
        0.02 if kind == "ages" else None,
        "" if kind == "ages" else "counted",
        3,
        band if kind == "ages" else (),
    )
    return Curve.from_lists(
        pages,
        misses,
        None,
        accesses=1000,
        distinct_pages=10_000,
        page_bytes=4096,
        write_accesses=0,
        given=Given(
            "counters",
            data_known=True,
            write_share=0.1,
            evidence=replace(evidence, **changes),
        ),
    )


def test_growth_takes_the_range_of_the_evidence_along() -> None:
    grown = stretched_curve(of_class("points"), 2)
    assert grown.evidence is not None
    assert (grown.evidence.valid_from, grown.evidence.valid_to) == (1000, 4000)
    assert grown.misses(1000) == of_class("points").misses(500)


@pytest.mark.parametrize("name", [name for name in KINDS if name != "table"])
def test_every_measured_kind_has_a_class_that_survives_its_file(name: str) -> None:
    found = examine(KINDS[name].example, CurveOptions(page_bytes=8192, accesses=10**9))
    if found.profile is None:  # a page size of its own
        found = examine(KINDS[name].example, CurveOptions(accesses=10**9))
    assert found.profile is not None
    evidence = found.profile.curve.evidence
    assert evidence is not None
    again = profile_from_mapping(json.loads(found.profile.to_text()))
    assert again.curve.evidence == evidence
    assert again.curve.with_dirty_share(0.3).evidence == evidence


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("evidence", "guess"),
        ("valid_from", 0),
        ("valid_to", 1),
        ("self_check", -2),
        ("self_check_reason", 5),
        ("snapshots", 0),
        ("band", [[2, 0.5, 0.4]]),
        ("band", [[5, 0.1, 0.4], [4, 0.1, 0.4]]),
    ],
)
def test_damaged_evidence_is_refused_by_its_key(key: str, value: Any) -> None:
    found = complete(HEAD + "81920,10,9,1\n81920,30,11,2\n", page_bytes=8192)
    assert found.profile is not None
    document = found.profile.to_dict()
    document["given"][key] = value
    with pytest.raises(BadInput, match=f"given.{key}"):
        profile_from_mapping(document)


@pytest.mark.parametrize("kind", ["points", "ages", "one_point"])
def test_every_answer_names_the_class(kind: str) -> None:
    curve = of_class(kind)
    [about] = [
        c for c in about_curve(curve, [1000], [0]) if c.name.startswith("curve_from")
    ]
    assert about.name == f"curve_from_{kind}"
    assert about.hint
    given_names = {c.name for c in about_curve(curve, [1000], [0])}
    assert "given_curve" not in given_names


def test_what_the_caution_says_follows_from_its_figures() -> None:
    def said(curve: Curve) -> str:
        return next(
            c.message
            for c in about_curve(curve, [1000], [0])
            if c.name == "curve_from_ages"
        )

    good, bad = said(of_class("ages")), said(of_class("ages", self_check=-0.3))
    assert "2.00 % above" in good
    assert "indicative" not in good
    assert "30.0 % below" in bad
    assert "indicative only" in bad
    few = said(of_class("ages", band=(), snapshots=1))
    assert "1 snapshot, too few for a band" in few


def test_a_gap_is_a_ratio_in_both_directions() -> None:
    def indicative(check: float) -> bool:
        return Evidence("ages", 1, 2, check).is_indicative

    assert [indicative(check) for check in (0.24, 0.26, -0.19, -0.21, -1.0)] == [
        False,
        True,
        False,
        True,
        True,
    ]


def test_a_composed_curve_is_of_the_weakest_class() -> None:
    one, ages = of_class("one_point").evidence, of_class("ages").evidence
    sizes, held = np.asarray([1, 10**12]), np.tile([1.0, 1e12], (3, 1))
    found = weakest([ages, None, one], sizes, held)
    assert found is not None
    assert found.kind == "one_point"
    assert weakest([None, None], sizes, held[:2]) is None


def test_a_composed_curve_speaks_of_the_sizes_at_which_each_part_is_read() -> None:
    """Of 10 pages of the shared cache the first workload holds 8 and the second 2, and so on."""
    first, second = Evidence("points", 100, 400), Evidence("ages", 50, 90)
    sizes = np.asarray([10, 125, 250, 450, 600])
    held = np.asarray([[8.0, 100.0, 200.0, 360.0, 480.0], [2.0, 25.0, 50.0, 90.0, 120]])
    found = weakest([first, second, None], sizes, np.vstack((held, held[0])))
    assert found is not None
    assert (found.kind, found.valid_from, found.valid_to) == ("ages", 250, 450)
    # The range of neither part alone: that of the second ends at 90 pages of its own.
    apart = weakest([first, Evidence("ages", 1, 20)], sizes, held)
    assert apart is not None
    assert apart.kind == "one_point"
    assert "no size is one that each of them speaks of" in apart.self_check_reason
    assert apart.unknown(np.asarray([10.0]), np.asarray([600.0])).all()


# --- the advisor and the command ------------------------------------------------------------

PAGES = np.unique(np.geomspace(2**18, 2**24, 24).astype(np.int64))
DATA = 2**30


def large(kind: str, **changes: Any) -> Curve:
    """A curve of 1 GiB to 64 GiB before 4 TiB of data."""
    pages = PAGES[-1:] if kind == "one_point" else PAGES
    misses = 1e9 * (1 - np.log(pages + 1.0) / np.log(DATA + 1.0))
    band = tuple(
        (int(size), float(miss) / 1.1e9, float(miss) / 0.9e9)
        for size, miss in zip(pages, misses, strict=True)
    )
    evidence = Evidence(
        kind,  # type: ignore[arg-type]
        int(pages[0]),
        int(pages[-1]),
        0.1,
        "",
        3,
        band if kind == "ages" else (),
    )
    return Curve.from_lists(
        pages,
        misses,
        None,
        accesses=10**9,
        distinct_pages=DATA,
        page_bytes=4096,
        write_accesses=0,
        given=Given("counters", data_known=True, evidence=replace(evidence, **changes)),
    ).with_dirty_share(0.2)


def test_the_advisor_ranks_what_the_evidence_reaches_and_calls_the_rest_unknown() -> (
    None
):
    found = advice_cases.ask(curve=large("ages"), accesses_per_s=5000.0, how_sure=True)
    assert found.recommendation is not None
    assert found.recommendation.ram_bytes <= 64 * 2**30
    assert found.rejected_counts["evidence"] > 0
    [unknown, *_] = [each for each in found.rejected if each.constraint == "evidence"]
    assert "unknown, not worse" in unknown.text
    assert "a resize of the cache for an hour" in unknown.text
    [about] = [c for c in found.cautions if c.code == "curve_from_ages"]
    assert "lower end of the band" in about.effect
    assert about.could_change_choice is not None
    assert "snapshots over the whole cycle" in found.confidence.reason
    bare = replace(large("ages"), given=Given("table", data_known=True))
    free = advice_cases.ask(curve=bare.with_dirty_share(0.2), accesses_per_s=5000.0)
    assert "evidence" not in free.rejected_counts
    assert free.suitable > found.suitable


def test_a_rule_of_thumb_names_no_size_of_which_counters_do_not_speak() -> None:
    """Counters of 1 to 64 GiB: what a rule asks for beyond is unknown, not what the end of the curve gives."""
    known = large("ages")
    table = replace(known, given=Given("table", data_known=True))

    def rules(curve: Curve, data_bytes: float, rate: float | None) -> dict[str, Thumb]:
        return {each.name: each for each in thumbs(curve, data_bytes, rate, 1)}

    # Of 4 TiB at a million accesses per second each of the five would need more than 64 GiB.
    for rule in rules(known, 2**42, 1e6).values():
        assert rule.ram_bytes is None
        assert rule.flash_bytes in (None, 0.0)
        assert rule.reason == (
            "unknown for this workload: it lies beyond the sizes of which the counters speak, 1 GiB to 64 GiB"
        )
    # What lies within is what it is of any other curve: a tenth of 256 GiB, and what stays for five minutes.
    within, free = rules(known, 2**38, 5000.0), rules(table, 2**38, 5000.0)
    for name in ("tenth_in_ram", "five_minutes", "flash_ten_times_ram"):
        assert within[name] == free[name]
        assert within[name].ram_bytes is not None
    assert within["all_in_ram"].ram_bytes is None
    # The smallest known size would do, and what smaller ones miss is unknown: of 3,000 accesses at most as many pages.
    least, lower = (rules(each, 2**38, 10.0)["five_minutes"] for each in (known, table))
    assert lower.ram_bytes is not None
    assert lower.ram_bytes <= 3000 * 4096
    assert least.ram_bytes is None
    assert "may lie below the sizes" in least.reason
    # At 1,700 accesses per second the line from no cache to the first size gives more than that, but a real curve may not:
    # four tenths of 510,000 accesses miss there, so it may be that 204,000 pages are used and no more than 262,144.
    least, lower = (
        rules(each, 2**38, 1700.0)["five_minutes"] for each in (known, table)
    )
    assert lower.ram_bytes is not None
    assert lower.ram_bytes > 2**30
    assert least.ram_bytes is None
    assert "may lie below the sizes" in least.reason
    # Without a rate that is the reason, and nothing else.
    assert (
        rules(known, 2**38, None)["five_minutes"]
        == rules(table, 2**38, None)["five_minutes"]
    )
    # Of a curve to the end of the data it is known that no size has this hit ratio.
    whole = replace(of_class("ages"), distinct_pages=2000)
    for curve, says in ((whole, "at no size of RAM"), (of_class("ages"), "unknown")):
        assert says in rules(curve, 8_192_000, 1.0)["hit_ratio_95"].reason


def test_an_advice_says_which_rules_of_thumb_are_unknown() -> None:
    found = advice_cases.ask(curve=large("ages"), accesses_per_s=5000.0)
    told = {each.name: each for each in found.rules_of_thumb}
    assert told["five_minutes"].option is not None
    for name in ("tenth_in_ram", "all_in_ram", "hit_ratio_95", "flash_ten_times_ram"):
        assert told[name].option is None
        assert told[name].ram_bytes is None
        assert told[name].reason.startswith("unknown for this workload")
    one = advice_cases.ask(curve=large("one_point"), accesses_per_s=5000.0)
    for each in one.rules_of_thumb:
        assert (each.option, each.ram_bytes) == (None, None)
        assert "the counters speak of one size alone, 64 GiB" in each.reason


def test_an_indicative_curve_gives_no_probability_and_says_so() -> None:
    found = advice_cases.ask(
        curve=large("ages", self_check=0.6), accesses_per_s=5000.0, how_sure=True
    )
    assert "indicative only" in found.confidence.reason
    assert "60.0 % above" in found.confidence.reason


def test_of_one_point_no_size_is_recommended() -> None:
    found = advice_cases.ask(curve=large("one_point"), accesses_per_s=5000.0)
    assert found.recommendation is None
    assert found.finding.startswith("No size can be recommended")
    [about] = [c for c in found.cautions if c.code == "curve_from_one_point"]
    assert "sampled trace" in about.hint
    assert "recommend no size" in found.rejected[0].text


def test_the_command_prints_the_class_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "counters.csv"
    text.write_text(HEAD + "81920,10,9,1\n81920,30,11,2\n")
    main(["curve", "import", str(text), "--page-bytes", "8192"])
    out = capsys.readouterr().out
    assert out.split()[:3] == ["evidence", "one", "point"]
    assert "80 KiB" in out
    main(["curve", "import", str(text), "--page-bytes", "8192", "--json"])
    assert json.loads(capsys.readouterr().out)["evidence"]["evidence"] == "one_point"


def test_configurations_beyond_the_evidence_are_unknown() -> None:
    sizes: dict[str, Any] = {"accesses_per_s": 5000.0, "kinds": ("chassis",)}
    reached = configurations.answer(large("ages"), **sizes)
    out = {each.reason: each for each in reached.excluded}
    assert "unknown, not worse" in out["evidence"].text
    single = configurations.answer(large("one_point"), **sizes)
    assert single.cheapest is None
    free = replace(large("points"), given=Given("table", data_known=True))
    every = configurations.answer(free.with_dirty_share(0.2), **sizes)
    assert "evidence" not in {each.reason for each in every.excluded}


def test_of_counted_points_the_paying_ram_is_unknown() -> None:
    """What one more page saves between two counted sizes is not known; ages show it."""
    points, ages = (
        dram_or_flash.answer(
            device_or_file(FLASH),
            device_or_file(DISK),
            curve=large(kind),
            ram_pages=int(PAGES[0]),
            rate=Rate(5000.0, "stated"),
        )
        for kind in ("points", "ages")
    )
    assert points.paying is None
    assert points.paying_reason.startswith("The misses were counted at some sizes")
    assert not ages.paying_reason.startswith("The misses were counted")


def asked_of(curve: Curve, ram: int, flash: int) -> dict[str, Callable[[], Any]]:
    """Every question that reads the curve at stated sizes."""
    devices: dict[str, Any] = {
        "flash": device_or_file(FLASH),
        "disk": device_or_file(DISK),
    }
    sizes: dict[str, Any] = {"ram_pages": ram, "flash_pages": flash}
    page = curve.page_bytes
    hierarchy = Hierarchy(**devices)
    return {
        "compare": lambda: compare.answer(curve, **sizes, **devices),
        "wear": lambda: wear.answer(curve, **sizes, **devices, accesses_per_s=5000.0),
        "flash_choice": lambda: flash_choice.answer(
            curve, **sizes, candidates=[devices["flash"]], disk=devices["disk"]
        ),
        "throughput": lambda: throughput.answer(
            curve, **sizes, **devices, setting=Setting(16), vary="clients"
        ),
        "response": lambda: response.answer(
            curve,
            **sizes,
            hierarchy=hierarchy,
            rates=[response.NamedRate("mean", 5000.0, "stated")],
        ),
        "recovery": lambda: recovery.answer(
            curve, **sizes, **devices, accesses_per_s=5000.0
        ),
        "directories": lambda: directories.answer(
            curve,
            ram_bytes=ram * (page + 48),
            flash_bytes=max(flash, 1) * page,
            **devices,
        ),
        "dram_or_flash": lambda: dram_or_flash.answer(
            *devices.values(), curve=curve, ram_pages=ram
        ),
    }


QUESTIONS = tuple(asked_of(large("ages"), 1, 1))


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("kind", ["points", "ages", "one_point"])
def test_no_question_reads_what_the_evidence_does_not_speak_of(
    kind: str, question: str
) -> None:
    curve = large(kind)
    assert curve.evidence is not None
    low, high = curve.evidence.valid_from, curve.evidence.valid_to
    with pytest.raises(BadInput, match="unknown"):
        asked_of(curve, low // 2, high - low)[question]()
    if question != "dram_or_flash":  # reads no size of flash
        with pytest.raises(BadInput, match="unknown"):
            asked_of(curve, low, high - low + 2)[question]()
    if kind != "one_point":
        assert asked_of(curve, low, high - low)[question]() is not None


def test_of_one_point_todays_configuration_is_computed_and_nothing_else() -> None:
    curve = large("one_point")
    size = int(PAGES[-1])
    today = asked_of(curve, size, 0)["compare"]()
    assert today.evaluation.best == "none"
    for ram, flash in ((size // 2, 0), (size, 1000), (2 * size, 0)):
        with pytest.raises(BadInput, match="speaks of 64 GiB alone") as refused:
            asked_of(curve, ram, flash)["compare"]()
        assert "64 GiB of RAM without flash" in refused.value.hint
    with pytest.raises(BadInput, match="a map reads many"):
        scheme_map.answer(
            curve,
            x=Axis.spaced("ram_pages", 1, 100),
            y=Axis.spaced("flash_pages", 1, 100),
            flash=device_or_file(FLASH),
            disk=device_or_file(DISK),
        )
    with pytest.raises(BadInput, match="what more DRAM or flash would save is unknown"):
        asked_of(curve, size, 0)["dram_or_flash"]()


@pytest.mark.parametrize("kind", ["points", "ages"])
def test_a_map_leaves_out_what_the_evidence_does_not_speak_of(kind: str) -> None:
    curve = large(kind)
    assert curve.evidence is not None
    low, high = curve.evidence.valid_from, curve.evidence.valid_to
    asked: dict[str, Any] = {
        "flash": device_or_file(FLASH),
        "disk": device_or_file(DISK),
        "dirty_share": 0.3,
    }
    found = scheme_map.answer(
        curve,
        x=Axis.spaced("ram_pages", low / 4, high * 2, 20),
        y=Axis.spaced("flash_pages", max(1.0, (high - low) / 50), 2 * high, 20),
        **asked,
    ).most.map
    ram, flash = np.meshgrid(found.x.values, found.y.values)
    beyond = (ram < low) | (ram + flash > high)
    assert 0 < beyond.mean() < 1
    assert np.array_equal(found.best == -1, beyond)
    for times in found.io_time_us_per_access.values():
        assert np.array_equal(np.isnan(times), beyond)
    assert "sizes_unknown" in {each.name for each in found.warnings}
    inside = scheme_map.answer(
        curve,
        x=Axis.spaced("ram_pages", low, low + (high - low) / 2, 4),
        y=Axis.spaced("flash_pages", (high - low) / 4, (high - low) / 2, 4),
        **asked,
    ).most.map
    assert (inside.best >= 0).all()
    assert "sizes_unknown" not in {each.name for each in inside.warnings}
    nowhere = scheme_map.answer(
        curve,
        x=Axis.spaced("ram_pages", high * 2, high * 3, 4),
        y=Axis.spaced("flash_pages", high, high * 2, 4),
        **asked,
    )
    assert "unknown on all of this map" in nowhere.finding
    with pytest.raises(BadInput, match="unknown"):
        map_point(curve, at={"ram_pages": low, "flash_pages": 2.0 * high}, **asked)


def test_no_size_beyond_the_evidence_is_named_where_a_percentile_jumps() -> None:
    def sizes(curve: Curve) -> list[int | None]:
        low, high = int(PAGES[0]), int(PAGES[-1] - PAGES[0])
        found = asked_of(curve, low, high)["response"]()
        return [
            jump.pages and jump.pages + (low if jump.resized == "flash" else 0)
            for jump in found.jumps
        ]

    counted = large("ages")
    table = replace(counted, given=Given("table", data_known=True))
    free = sizes(table.with_dirty_share(0.2))
    assert any(size is None or not PAGES[0] <= size <= PAGES[-1] for size in free)
    assert all(size and PAGES[0] <= size <= PAGES[-1] for size in sizes(counted))


def test_throughput_over_flash_sizes_stays_within_the_evidence() -> None:
    curve = large("ages")
    ram, flash = int(PAGES[0]), int(PAGES[-1] - PAGES[0])
    found = throughput.answer(
        curve,
        ram_pages=ram,
        flash_pages=flash,
        flash=device_or_file(FLASH),
        disk=device_or_file(DISK),
        setting=Setting(16),
        vary="flash_pages",
    )
    assert max(found.study.points) == flash


def test_the_bounds_of_one_point_contain_the_truth() -> None:
    """Of a recorded trace: whatever smaller and larger caches miss lies between both ends."""
    for name in ("tpcb-cut", "tpcc-cut", "tpcc-20w-cut"):
        sizes, exact = exact_second_half(name, 8192)
        at = len(sizes) // 2
        known = int(sizes[at])
        curve = Curve.from_lists(
            [known],
            [1e6 * exact[at]],
            None,
            accesses=10**6,
            distinct_pages=known,
            page_bytes=4096,
            write_accesses=0,
            given=Given(
                "counters",
                data_known=False,
                evidence=Evidence("one_point", known, known, None, "counted"),
            ),
        )
        idle = Device("none", "none", "nvme")
        [about] = [
            each
            for each in about_curve(curve, [known], [0])
            if "one_point" in each.name
        ]
        ends = other_ends(about, Situation(curve, idle, idle, tuple(sizes.tolist())))
        low, high = (end.situation.curve.misses(sizes) / 1e6 for end in ends)
        assert bool(np.all((low <= exact + 1e-9) & (exact <= high + 1e-9)))
        assert low[-1] == 0
        assert high[0] == 1


def test_a_scaled_curve_speaks_of_the_sizes_that_correspond() -> None:
    curve = of_class("ages").with_dirty_share(0.2)
    found = scale.answer(Profile(curve, 10.0), Production(4096 * 200_000, 50.0))
    for each in (
        found.profile.curve,
        profile_from_mapping(json.loads(found.profile.to_text())).curve,
    ):
        evidence = each.evidence
        assert evidence is not None
        assert evidence.kind == "ages"
        assert (evidence.valid_from, evidence.valid_to) == (10_000, 40_000)
        low, high = evidence.ends(20_000)
        assert float(low) < 0.4 < float(high)
    names = {each.name for each in found.warnings}
    assert "curve_from_ages" in names


def test_a_composed_profile_keeps_the_weakest_class() -> None:
    parts = [
        Workload(name, of_class(kind).with_dirty_share(0.2), 10.0, "stated")
        for name, kind in (("first", "ages"), ("second", "points"))
    ]
    made = composed_profile(parts).curve
    assert made.evidence is not None
    assert made.evidence.kind == "ages"
    assert made.evidence.self_check is None
    # Both hold as many pages, so the shared cache speaks of about twice the size that each speaks of.
    alone = parts[0].curve.evidence
    assert alone is not None
    assert made.evidence.valid_to == pytest.approx(2 * alone.valid_to, rel=0.1)
    names = {each.name for each in about_curve(made, [1000], [0])}
    assert {"composed_workload", "curve_from_ages"} <= names


# --- no output drops the class ----------------------------------------------------------------


def said_by(answer: Any) -> str:
    """All that an answer says in plain data: what command, API and notebook show."""
    plain = answer.to_dict() if hasattr(answer, "to_dict") else answer
    return json.dumps(plain, default=str)


@pytest.mark.parametrize("question", [*QUESTIONS, "scheme_map", "configurations"])
@pytest.mark.parametrize("kind", ["points", "ages"])
def test_no_answer_drops_the_class(kind: str, question: str) -> None:
    curve = large(kind)
    assert curve.evidence is not None
    low, high = curve.evidence.valid_from, curve.evidence.valid_to
    if question == "scheme_map":
        found: Any = scheme_map.answer(
            curve,
            x=Axis.spaced("ram_pages", low, 2 * low, 4),
            y=Axis.spaced("flash_pages", low, 2 * low, 4),
            flash=device_or_file(FLASH),
            disk=device_or_file(DISK),
        )
    elif question == "configurations":
        found = configurations.answer(curve, accesses_per_s=5000.0, kinds=("chassis",))
    else:
        found = asked_of(curve, low, high - low)[question]()
    names = {each.name for each in found.warnings}
    assert f"curve_from_{kind}" in names
    # And in what it says as plain data, which other kinds of curves do not.
    assert f"curve_from_{kind}" in said_by(found)


def text_of(content: bytes, form: str) -> str:
    """All text of a report, whatever its form."""
    if form == "pdf":
        pages = pypdf.PdfReader(io.BytesIO(content)).pages
        return " ".join(page.extract_text() for page in pages)
    if form == "xlsx":
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            parts = [packed.read(each) for each in packed.namelist()]
        return b" ".join(parts).decode("utf-8", "replace")
    return content.decode("utf-8")


@pytest.mark.parametrize("form", report.FORMS)
@pytest.mark.parametrize("kind", ["points", "ages", "one_point"])
def test_no_report_or_export_of_an_advice_drops_the_class(kind: str, form: str) -> None:
    found = advice_cases.ask(curve=large(kind), accesses_per_s=5000.0)
    document = json.loads(json.dumps(found.to_dict(derivation=True)))
    said = " ".join(text_of(report.made(document, form), form).split())
    if form == "csv":
        head, *rows = text_of(report.made(document, form), form).splitlines()
        assert head.endswith(",evidence of the curve")
        assert all(row.endswith(f",{kind}") for row in rows)
        assert bool(rows) == (kind != "one_point")  # of one point there is no option
        return
    words = {
        "points": "The system itself counted the misses",
        "ages": "computed from the ages of what is resident",
        "one_point": "One size and its miss ratio are known",
    }
    # Where a line of the PDF may end there is a mark that is not seen.
    said = said.replace("\u200b", "")
    assert words[kind].lower() in said.lower() or f"curve_from_{kind}" in said


@pytest.mark.parametrize("named", ["points", "ages", "points, upper envelope"])
def test_no_export_of_a_bill_drops_the_class(named: str) -> None:
    """FOCUS rows, prices of nodes and the list of purchases leave the product without their advice."""
    kind, _, envelope = named.partition(", ")
    counted = large(kind, envelope=bool(envelope))
    document = advice_cases.ask(curve=counted, accesses_per_s=5000.0).to_dict()
    plain_ = replace(large(kind), given=Given("table", data_known=True))
    other = advice_cases.ask(
        curve=plain_.with_dirty_share(0.2), accesses_per_s=5000.0
    ).to_dict()
    for made in (
        lambda each: exports.focus_csv(each, "2026-12"),
        exports.opencost_csv,
        exports.purchases_csv,
    ):
        head, *rows = made(document).splitlines()
        assert "vidence" in head.split(",")[-1]
        assert rows
        assert {row[-1] for row in csv.reader(rows)} == {named}
        assert "vidence" not in made(other).splitlines()[0]
    book = text_of(exports.purchases_workbook(document), "xlsx")
    assert "evidence of the curve" in book


def test_a_fragment_cache_reads_no_size_of_which_counters_do_not_speak() -> None:
    curve = large("ages")
    assert curve.evidence is not None
    low, high = curve.evidence.valid_from, curve.evidence.valid_to
    asked: dict[str, Any] = {
        "flash": device_or_file(FLASH),
        "disk": device_or_file(DISK),
        "run_bytes": 8192.0,
        "accesses_per_s": 5000.0,
    }
    found = fragment_cache.answer(curve, ram_pages=low, flash_pages=high, **asked)
    assert "curve_from_ages" in {each.name for each in found.warnings}
    for ram, flash in ((low // 2, high), (low, high + 1)):
        with pytest.raises(BadInput, match="unknown"):
            fragment_cache.answer(curve, ram_pages=ram, flash_pages=flash, **asked)
    stated = fragment_cache.answer(
        curve, ram_pages=low, flash_pages=2 * high, read_miss_rate=0.3, **asked
    )
    assert stated.read_miss_rate == 0.3


def test_the_tiers_of_aurora_and_their_times_stand_in_its_production() -> None:
    """What was timed stays with the workload that is scaled to production, and answers there."""
    found = examine(KINDS["aurora"].example)
    assert found.profile is not None
    curve = found.profile.curve
    assert curve.evidence is not None
    assert [tier.read_us for tier in curve.evidence.tiers] == [None, 200.0, 1200.0]
    assert found.profile.duration_s is not None
    made = scale.answer(
        found.profile,
        Production(2 * curve.data_pages * curve.page_bytes, 2 * 5000.0),
    )
    again = profile_from_mapping(json.loads(made.profile.to_text())).curve
    assert again.evidence is not None
    assert again.evidence.tiers == curve.evidence.tiers
    assert running_devices(again).keys() == running_devices(curve).keys()
    assert len(running_devices(again)) == 2


class TestMissesRead:
    """A miss of the pool need not be a read of the device: it is asked, and said as long as nobody has answered."""

    @staticmethod
    def found(**stated: Any) -> Examined:
        return examine(
            "size_bytes,requests,misses,seconds\n"
            "8589934592,1000,100,0\n8589934592,11000,1100,3600\n"
            "17179869184,21000,1600,7200\n17179869184,31000,2100,10800\n",
            CurveOptions(kind="counters", page_bytes=8192, **stated),
        )

    @staticmethod
    def said(found: Examined) -> list[str]:
        assert found.profile is not None
        curve = found.profile.curve
        return [
            each.message
            for each in about_curve(curve, [int(curve.pages[0])], [0])
            if each.name == "misses_may_be_cached"
        ]

    def test_as_long_as_nobody_says_it_is_unknown(self) -> None:
        found = self.found()
        assert found.evidence is not None
        assert found.evidence.misses_read == "unknown"
        assert "may be answered by a cache below it" in self.said(found)[0]

    def test_a_cache_below_is_said_and_the_device_alone_is_not(self) -> None:
        [message] = self.said(self.found(misses_read="cache"))
        assert "is answered by a cache below it, too" in message
        assert self.said(self.found(misses_read="device")) == []

    def test_the_profile_keeps_it(self) -> None:
        for stated in ("device", "cache", None):
            profile = self.found(misses_read=stated).profile
            assert profile is not None
            again = profile_from_mapping(json.loads(profile.to_text()))
            assert again.curve.evidence is not None
            assert again.curve.evidence.misses_read == (stated or "unknown")

    def test_what_cannot_be_stated_is_refused(self) -> None:
        with pytest.raises(BadInput, match="misses_read"):
            self.found(misses_read="kernel")
