"""Ranges of a hash of the pages: their sum covers the trace, and the stated error holds."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import command
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright import _simulator
from tierwright.common.errors import BadInput
from tierwright.profile import measure, ranges
from tierwright.profile.document import Profile, profile_from_mapping
from tierwright.profile.ranges import (
    RangeCounts,
    profile_of_ranges,
    ranges_estimate,
)
from tierwright.simulate import executors
from tierwright.trace.reading import Trace

TRACES = Path(__file__).parents[2] / "fixtures" / "traces"
RECORDED = (
    Trace(TRACES / "tpcb-cut.csv.zst"),
    Trace(TRACES / "tpcc-cut.csv.zst"),
)


@contextmanager
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def cut(trace: Trace, folder: Path, files: int) -> Trace:
    """Convert a trace to so many canonical files that follow one another."""
    lines = decompressed(trace.path).splitlines(keepends=True)
    head, rows = lines[0], lines[1:]
    made = []
    for number in range(files):
        raw = folder / f"{number}.csv"
        first, end = (len(rows) * at // files for at in (number, number + 1))
        raw.write_text(head + "".join(rows[first:end]))
        made.append(raw)
    return Trace(made[0], others=tuple(made[1:]))


def decompressed(path: Path) -> str:
    import zstandard

    with path.open("rb") as packed:
        return zstandard.ZstdDecompressor().stream_reader(packed).read().decode()


def exact(trace: Trace) -> RangeCounts:
    found = measure.curves(trace)
    return RangeCounts(
        found["accesses"],
        found["write_accesses"],
        found["distinct_pages"],
        np.arange(1, found["distinct_pages"] + 1, dtype=np.float64),
        found["misses"].astype(np.float64),
        found["write_backs"].astype(np.float64),
    )


def at(whole: RangeCounts, counts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    return np.asarray(counts[np.minimum(sizes, whole.pages).astype(int) - 1])


@pytest.mark.parametrize("trace", RECORDED, ids=lambda trace: trace.path.name)
@pytest.mark.parametrize(
    ("of", "followed"), [(8, 8), (32, 32), pytest.param(32, 16, id="sample")]
)
@pytest.mark.oracle("profile.ranges.profile_of_ranges")
@pytest.mark.oracle("profile.ranges.ranges_estimate")
def test_the_stated_error_holds_on_recorded_traces(
    trace: Trace, of: int, followed: int, tmp_path: Path
) -> None:
    whole = exact(trace)
    made = profile_of_ranges(trace, tmp_path, threads, ranges=of, followed=followed)
    curve, stated = made.curve, made.sampled
    assert stated is not None
    misses = at(whole, whole.misses, curve.pages)
    backs = at(whole, whole.write_backs, curve.pages)
    within = [
        np.mean((stated.misses_low <= misses) & (misses <= stated.misses_high)),
        np.mean((stated.write_backs_low <= backs) & (backs <= stated.write_backs_high)),
    ]
    assert min(within) >= 0.95
    # Counts of every access are exact, also where some pages alone are followed.
    assert curve.accesses == whole.accesses
    assert curve.write_accesses == whole.write_accesses
    if followed == of:
        assert curve.distinct_pages == whole.pages
        assert curve.misses(curve.distinct_pages) == whole.pages
    # The interval is worth something, from sizes on that a range sees.
    large = curve.pages >= 8 * of
    off = np.abs(curve.misses(curve.pages) - misses)[large] / whole.accesses
    assert off.mean() < 0.02


def test_however_a_trace_is_cut_its_ranges_are_the_same(tmp_path: Path) -> None:
    """The hash is of device and page, wherever they are read first."""
    trace = RECORDED[1]
    made = []
    for files in (1, 3):
        folder = tmp_path / str(files)
        folder.mkdir()
        one = profile_of_ranges(cut(trace, folder, files), folder, threads, ranges=4)
        made.append(one.to_dict())
        made[-1].pop("trace")
    assert made[0] == made[1]
    whole = exact(trace)
    assert made[0]["distinct_pages"] == whole.pages
    assert made[0]["write_accesses"] == whole.write_accesses


@pytest.mark.process
@pytest.mark.parametrize(
    "who", ["processes", pytest.param("local:2", marks=pytest.mark.long)]
)
def test_whoever_counts_the_ranges_counts_the_same(tmp_path: Path, who: str) -> None:
    trace = RECORDED[0]
    made = []
    for workers in ("threads", who):
        folder = tmp_path / workers
        folder.mkdir()
        if workers.startswith("local:"):
            with executors.dask(workers, lambda _text: None) as started:
                one = profile_of_ranges(trace, folder, started.start, ranges=4)
        else:
            start = getattr(executors, workers)(2).start
            one = profile_of_ranges(trace, folder, start, ranges=4)
        made.append(json.dumps(one.to_dict()))
    assert made[0] == made[1]


def test_what_is_counted_is_kept_and_what_is_damaged_is_counted_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = RECORDED[1]
    first = profile_of_ranges(trace, tmp_path, threads, ranges=4)
    kept = sorted(tmp_path.iterdir())
    assert len(kept) == 4
    times = [path.stat().st_mtime_ns for path in kept]
    profile_of_ranges(trace, tmp_path, threads, ranges=4)
    assert [path.stat().st_mtime_ns for path in kept] == times
    data = bytearray(kept[2].read_bytes())
    data[len(data) // 2] ^= 1
    kept[2].write_bytes(data)
    again = profile_of_ranges(trace, tmp_path, threads, ranges=4)
    assert again.to_dict() == first.to_dict()


def test_a_profile_of_ranges_is_written_and_read(tmp_path: Path) -> None:
    out = tmp_path / "profile.json"
    where = ("--parts-in", tmp_path, "--workers", 2)
    ended = command.run(
        "profile", RECORDED[1].path, *where, "--hash-ranges", 8, "-o", out
    )
    assert ended.returncode == 0, ended.stderr
    document = json.loads(out.read_text())
    assert (document["sample_rate"], document["hash_ranges"]) == (1.0, 8)
    read: Profile = profile_from_mapping(document)
    assert read.to_dict() == document
    assert read.sampled is not None
    assert read.sampled.estimator == "shards_hash_ranges"
    ended = command.run(
        "profile", RECORDED[1].path, *where, "--hash-ranges", 1, "-o", out
    )
    assert ended.returncode == 0, ended.stderr
    assert "hash_ranges" not in json.loads(out.read_text())


@st.composite
def range_counts(draw: st.DrawFn) -> RangeCounts:
    """Counts as a pass gives them: falling with the size, the last misses one a page."""
    pages = draw(st.integers(0, 30))
    falls = st.lists(st.integers(0, 40), min_size=pages, max_size=pages)
    above = np.array(draw(falls), dtype=np.float64)[::-1].cumsum()[::-1]
    backs = np.array(draw(falls), dtype=np.float64)[::-1].cumsum()[::-1]
    misses = above - (above[-1] if pages else 0) + pages
    backs = np.minimum(backs - (backs[-1] if pages else 0), misses)
    most = int(misses[0]) if pages else 0
    writes = int(backs[0]) if pages else 0
    return RangeCounts(
        most + draw(st.integers(0, 40)) * (pages > 0),
        writes,
        pages,
        np.arange(1, pages + 1, dtype=np.float64),
        misses,
        backs,
    )


@pytest.mark.formula("profile.ranges.ranges_estimate")
@pytest.mark.formula("profile.ranges.profile_of_ranges")
@given(st.lists(range_counts(), min_size=1, max_size=6))
def test_all_ranges_together_are_bounded_by_what_is_known(
    each: Sequence[RangeCounts],
) -> None:
    pages = sum(one.pages for one in each)
    accesses = sum(one.accesses for one in each)
    writes = sum(one.write_accesses for one in each)
    if pages == 0:
        with pytest.raises(BadInput, match="hold no page"):
            ranges_estimate(
                each, len(each), np.ones(1), accesses=accesses, write_accesses=writes
            )
        return
    sizes = np.arange(1, pages + 1, dtype=np.float64)
    made = ranges_estimate(
        each, len(each), sizes, accesses=accesses, write_accesses=writes
    )
    for value, low, high, most, least in (
        (made.misses, made.misses_low, made.misses_high, accesses, pages),
        (made.write_backs, made.write_backs_low, made.write_backs_high, writes, 0),
    ):
        assert np.all(np.diff(value) <= 1e-9)
        assert np.all((low <= value + 1e-9) & (value <= high + 1e-9))
        assert np.all(high <= most + 1e-9)
        assert value[-1] == pytest.approx(least)
    if len(each) == 1:
        # One range of one is the trace itself: no error.
        assert made.misses == pytest.approx(each[0].misses)
        assert made.misses_low == pytest.approx(each[0].misses)
        assert made.misses_high == pytest.approx(each[0].misses)
        assert made.write_backs == pytest.approx(each[0].write_backs)


@pytest.mark.parametrize(
    ("of", "followed", "said"),
    [
        (0, 0, "hash_ranges"),
        (5000, 5000, "hash_ranges"),
        (64, 8, "ranges_followed"),
        (64, 65, "ranges_followed"),
    ],
)
def test_ranges_that_cannot_be_followed_are_refused(
    of: int, followed: int, said: str, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match=said):
        profile_of_ranges(RECORDED[0], tmp_path, threads, ranges=of, followed=followed)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--hash-ranges", 4], "the counts of the ranges need a place"),
        (["--parts-in", ".", "--ranges-followed", 4], "there are no ranges to follow"),
        (
            ["--parts-in", ".", "--hash-ranges", 4, "--summaries"],
            "--hash-ranges and --summaries cannot be combined",
        ),
    ],
)
def test_options_of_ranges_that_do_not_go_together(
    options: list[Any], said: str, tmp_path: Path
) -> None:
    ended = command.run(
        "profile", RECORDED[0].path, *options, "-o", tmp_path / "p.json"
    )
    assert ended.returncode == 2
    assert said in ended.stderr


def test_the_core_names_ranges_out_of_bounds(tmp_path: Path) -> None:
    with pytest.raises(_simulator.SimulatorError, match="1 to 65536 ranges"):
        _simulator.part_ranges(
            str(RECORDED[0].path),
            [str(tmp_path / "a")],
            ranges=0,
            first_access=0,
            trace_accesses=420_000,
        )
    assert ranges.MOST_RANGES <= 65536


_PEAK = """
import sys
from tierwright import _simulator

def peak():
    status = open("/proc/self/status").read()
    return int(status.split("VmHWM:")[1].split()[0])

before = peak()
found = _simulator.join_parts(sys.argv[1:])
print(peak() - before, found["distinct_pages"])
"""


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
def test_joining_a_range_takes_the_memory_of_its_pages(tmp_path: Path) -> None:
    """Of 600,000 pages in two parts: no process holds the dictionary of all."""
    pages, of = 600_000, 16
    draws = np.random.default_rng(3)
    kept: dict[int, list[str]] = {number: [] for number in range(-1, of)}
    for part in range(2):
        raw = tmp_path / f"{part}.csv"
        drawn = draws.permutation(pages)
        raw.write_text("page\n" + "\n".join(map(str, drawn.tolist())) + "\n")
        place = {"first_access": part * pages, "trace_accesses": 2 * pages}
        reading = {"format": "csv", "columns": {"page": "page"}}
        outs = [str(tmp_path / f"{part}-{number}") for number in range(-1, of)]
        _simulator.part_curves(str(raw), outs[0], **place, **reading)
        _simulator.part_ranges(str(raw), outs[1:], ranges=of, **place, **reading)
        for number, out in zip(kept, outs, strict=True):
            kept[number].append(out)

    def joined(number: int) -> tuple[int, int]:
        ended = subprocess.run(
            [sys.executable, "-c", _PEAK, *kept[number]],
            capture_output=True,
            text=True,
            check=True,
        )
        peak, distinct = ended.stdout.split()
        return int(peak) * 1024, int(distinct)

    whole, distinct = joined(-1)
    assert distinct == pages
    assert whole > 60 * pages
    each = [joined(number) for number in (0, of // 2, of - 1)]
    for peak, distinct in each:
        assert distinct == pytest.approx(pages / of, rel=0.05)
        # Joining takes up to 155 bytes a page; tables that just doubled, buffers of files and of zstd come on top.
        assert peak < 200 * distinct + 16 * 2**20
        assert peak < whole / 4
