"""The bench of long traces: what it counts is the whole, and its arithmetic is by accesses and parts."""

from __future__ import annotations

import importlib
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from tierwright.simulate.executors import threads

BENCH = Path(__file__).resolve().parents[1] / "benches" / "partitioned.py"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    # Under its own name, by which its worker processes find it.
    monkeypatch.syspath_prepend(str(BENCH.parent))
    return importlib.import_module("partitioned")


def measured(bench: ModuleType):
    return bench.Measured(
        accesses=10**8,
        distinct_pages=10**6,
        parts=10,
        part_accesses=10**7,
        workers=2,
        counted_wall_s=80.0,
        wall_s=100.0,
        generate_s=30.0,
        count_s=36.0,
        join_s=18.0,
        worker_peak_bytes=2**27,
        join_peak_bytes=2**28,
        counts_bytes=10 * 2**20,
    )


def test_longer_traces_by_hand(bench: ModuleType) -> None:
    asked = {
        "part_accesses": 10**8,
        "part_pages": 10**6,
        "machines": 2,
        "processors": 5,
    }
    prices = {"usd_per_hour": 0.5, "join_usd_per_hour": 10.0}
    found = bench.extrapolated(measured(bench), 10**10, **asked, **prices)
    # 36 s a hundred times are an hour; 100 parts at 1.8 s are 0.05 h.
    assert found.parts == 100
    assert found.count_hours == pytest.approx(1.0)
    assert found.machine_hours == pytest.approx(0.1)
    assert found.join_hours == pytest.approx(0.05)
    assert found.usd == pytest.approx(2 * 0.1 * 0.5 + 0.05 * 10)
    assert found.counts_bytes == pytest.approx(100 * 2**20)
    # Joining and counts go by the pages of a part, counting does not.
    many = bench.extrapolated(
        measured(bench), 10**10, **{**asked, "part_pages": 10**8}, **prices
    )
    assert many.count_hours == found.count_hours
    assert many.join_hours == pytest.approx(5.0)
    assert many.counts_bytes == pytest.approx(100 * found.counts_bytes)
    # More machines take less time for the same money; shorter parts are joined for longer.
    more = bench.extrapolated(
        measured(bench), 10**10, **{**asked, "machines": 4}, **prices
    )
    assert more.machine_hours == pytest.approx(0.05)
    assert more.usd == pytest.approx(found.usd)
    shorter = {**asked, "part_accesses": 10**7}
    assert bench.extrapolated(
        measured(bench), 10**10, **shorter, **prices
    ).join_hours == pytest.approx(0.5)


def test_the_page_has_what_was_measured(bench: ModuleType, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{bench.BEGIN}\nstale figures\n{bench.END}\nbehind\n")
    one = measured(bench)
    bench.write(page, bench.page(one, bench.further(one)))
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("\nbehind\n")
    assert "stale figures" not in text
    assert "2.8 million accesses per second" in text
    slower = replace(one, count_s=72.0)
    assert "1.4 million accesses per second" in bench.page(slower, [])


def test_scaling_compares_with_the_first_number_of_processes(bench: ModuleType) -> None:
    one = replace(measured(bench), workers=1)
    two = replace(one, workers=2, counted_wall_s=50.0, wall_s=71.0)
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in bench.scaling([one, two]).splitlines()
        if line.startswith("| ")
    ]
    assert rows[1:] == [
        ["1", "80.0 s", "1.00", "20.0 s", "100.0 s"],
        ["2", "50.0 s", "1.60", "21.0 s", "71.0 s"],
    ]


def test_an_interrupted_run_goes_on(bench: ModuleType, tmp_path: Path) -> None:
    def run():
        one = nullcontext(threads(1))
        return bench.measure(30_000, 10_000, 500, one, lambda _line: None, tmp_path)

    whole = run()
    assert whole.accesses == 30_000
    assert whole.distinct_pages == 500
    [second] = tmp_path.glob("1-*.json")
    first = (tmp_path / "0.part").stat().st_mtime_ns
    second.unlink()
    assert run().distinct_pages == whole.distinct_pages
    assert (tmp_path / "0.part").stat().st_mtime_ns == first
    assert second.exists()
