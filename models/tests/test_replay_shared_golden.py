"""The core against the reference answers for the recorded traces, every integer.

Formats without a reader of their own yet are turned into generic CSV here, by a few lines that
follow the description of the format alone.
"""

import csv
import gzip
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tierwright import _simulator

pytestmark = [pytest.mark.golden, pytest.mark.slow]

Access = tuple[str, int, str]
"""Device, page, R or W."""


def lines(path: Path) -> Iterator[str]:
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="ascii") as text:
            yield from text
    elif path.suffix == ".zst":
        with path.open("rb") as raw:
            stream = zstandard.ZstdDecompressor().stream_reader(raw)
            yield from io.TextIOWrapper(stream, encoding="ascii")
    else:
        with path.open(encoding="ascii") as text:
            yield from text


def arc(path: Path) -> Iterator[Access]:
    for line in lines(path):
        start, count, *_ = line.split()
        for page in range(int(start), int(start) + int(count)):
            yield "0", page, "R"


def lirs(path: Path) -> Iterator[Access]:
    for line in lines(path):
        if line.strip() not in {"", "*"}:
            yield "0", int(line), "R"


Reader = Callable[[Path], Iterator[Access]]
TRACES: dict[str, Reader | str] = {
    "cloudPhysicsIO.vscsi": "vscsi",
    "cloudPhysicsIO.oracleGeneral.zst": "oracle_general",
    "tpcc-small.trace": "mqsim",
    "websearch1-small.spc": "spc",
    "hadoop_eternity8.blkparse.txt.gz": "blkparse",
    "desktop.trace.gz": "flashsim",
    "OLTP.lis.zst": arc,
    "2_pools.trace.gz": lirs,
}
POLICIES = {about["title"]: about["name"] for about in _simulator.contenders("policy")}
TOLERANCE = {"LIRS": 0.002}
"""Relative: the answers of LIRS are those of one implementation, whose details differ."""
COLUMNS = {"device": "device", "page": "page", "op": "op"}


def golden(path: Path, trace: str) -> list[dict[str, str]]:
    with path.open(encoding="ascii", newline="") as text:
        return [row for row in csv.DictReader(text) if row["trace"] == trace]


@pytest.fixture(scope="module", params=TRACES, ids=list(TRACES))
def trace(
    request: pytest.FixtureRequest,
    shared_traces: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[str, Path]:
    """Name of a trace in the reference answers, and its canonical form."""
    name: str = request.param
    reader = TRACES[name]
    out = tmp_path_factory.mktemp("canonical") / "trace.twt"
    if isinstance(reader, str):
        _simulator.convert(shared_traces / name, out, format=reader)
    else:
        table = out.with_suffix(".csv")
        with table.open("w", encoding="ascii") as text:
            text.write("device,page,op\n")
            text.writelines(
                f"{device},{page},{operation}\n"
                for device, page, operation in reader(shared_traces / name)
            )
        _simulator.convert(table, out, format="csv", columns=COLUMNS)
        table.unlink()
    return name, out


def test_every_trace_of_the_answers_is_here(shared_traces: Path) -> None:
    for answers in ("golden_two_tier.csv", "golden_single_tier.csv"):
        with (shared_traces / answers).open(encoding="ascii", newline="") as text:
            named = {row["trace"] for row in csv.DictReader(text)}
        assert named == set(TRACES), answers


def test_two_tier_counters(shared_traces: Path, trace: tuple[str, Path]) -> None:
    name, path = trace
    rows = golden(shared_traces / "golden_two_tier.csv", name)
    assert len(rows) == 18
    wrong = []
    for row in rows:
        expected = {
            key: int(value)
            for key, value in row.items()
            if key not in {"trace", "scheme"}
        }
        result = _simulator.replay(
            path,
            "scheme",
            row["scheme"],
            expected["ram_pages"],
            expected["flash_pages"],
        )
        got = {key: result[key] for key in expected}
        if got != expected or result["scheme"] != row["scheme"]:
            wrong.append((row["scheme"], got, expected))
    assert not wrong


def test_single_tier_misses(shared_traces: Path, trace: tuple[str, Path]) -> None:
    name, path = trace
    rows = golden(shared_traces / "golden_single_tier.csv", name)
    rows = [row for row in rows if row["policy"] in POLICIES]
    assert len(rows) >= 5 * 9
    assert {row["policy"] for row in rows} == {
        *("LRU", "FIFO", "CLOCK", "ARC", "SIEVE", "OPT", "2Q", "LIRS", "S3-FIFO")
    }
    wrong = []
    for row in rows:
        policy, pages = POLICIES[row["policy"]], int(row["cache_pages"])
        result = _simulator.replay(path, "policy", policy, pages)
        if row["policy"] in TOLERANCE:
            misses = pytest.approx(int(row["misses"]), rel=TOLERANCE[row["policy"]])
            if result["misses"] != misses:
                wrong.append((policy, pages, result["misses"], row["misses"]))
            continue
        got = (result["accesses"], result["misses"], f"{result['miss_ratio']:.9f}")
        expected = (int(row["requests"]), int(row["misses"]), row["miss_ratio"])
        if got != expected:
            wrong.append((policy, pages, got, expected))
    assert not wrong


def test_curves_hold_the_lru_answers(
    shared_traces: Path, trace: tuple[str, Path]
) -> None:
    name, path = trace
    curves = _simulator.curves(path)
    for row in golden(shared_traces / "golden_single_tier.csv", name):
        if row["policy"] == "LRU":
            pages = int(row["cache_pages"])
            assert curves["misses"][pages - 1] == int(row["misses"]), pages


def test_curves_predict_the_two_tier_answers(
    shared_traces: Path, trace: tuple[str, Path]
) -> None:
    """RAM hits are LRU(r) in every scheme; exclusive is one LRU of r + f pages."""
    name, path = trace
    found: dict[str, Any] = _simulator.curves(path)
    misses, write_backs = found["misses"], found["write_backs"]
    for row in golden(shared_traces / "golden_two_tier.csv", name):
        ram, flash = int(row["ram_pages"]), int(row["flash_pages"])
        assert int(row["ram_hits"]) == found["accesses"] - int(misses[ram - 1])
        if row["scheme"] == "exclusive":
            both = min(ram + flash, found["distinct_pages"])
            assert int(row["flash_misses"]) == misses[both - 1]
            assert int(row["hdd_writes"]) == write_backs[both - 1]
            assert int(row["flash_writes"]) == max(0, int(misses[ram - 1]) - ram)


@pytest.mark.parametrize("scheme", ["inclusive", "exclusive", "lazy"])
def test_raw_and_canonical_traces_replay_alike(
    scheme: str, shared_traces: Path, tmp_path: Path
) -> None:
    raw = shared_traces / "tpcc-small.msr.csv"
    _simulator.convert(raw, tmp_path / "trace.twt")
    by_form = [
        _simulator.replay(path, "scheme", scheme, 204, 1224)
        for path in (raw, tmp_path / "trace.twt")
    ]
    notes = [answer.pop("trace") for answer in by_form]
    assert notes[0] == {**notes[1], "skipped_records": 0}
    assert by_form[0] == by_form[1]
    answers = golden(shared_traces / "golden_two_tier.csv", "tpcc-small.trace")
    expected = next(
        row
        for row in answers
        if (row["scheme"], row["ram_pages"], row["flash_pages"])
        == (scheme, "204", "1224")
    )
    assert by_form[0]["flash_writes"] == int(expected["flash_writes"])
    assert by_form[0]["hdd_writes"] == int(expected["hdd_writes"])
