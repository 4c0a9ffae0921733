"""Throughput, fragment caches and transactions: words that follow from the figures."""

from __future__ import annotations

import json
from typing import Any

import pytest
import recordings

from tierwright.advise import (
    fragment_cache,
    throughput,
    transaction_replay,
    transaction_writes,
)
from tierwright.common.errors import BadInput
from tierwright.common.wording import duration_us
from tierwright.evaluate.throughput.schemes import Setting
from tierwright.evaluate.transactions import nand
from tierwright.hardware import catalog
from tierwright.profile.curve import Curve, Given
from tierwright.profile.measure import profile
from tierwright.simulate.transactions import (
    Event,
    compare_buffers,
    half_loaded,
    parse_events,
)
from tierwright.trace.reading import Trace

TPCB = Trace(recordings.TPCB)
FLASH = catalog.device("face2016-samsung-840pro-256")
DISK = catalog.device("face2016-cheetah-15k6-single")
CHIP = nand.NandGeometry(1024, 64, 2048)


@pytest.fixture(scope="module")
def curve() -> Curve:
    return profile(TPCB).curve


def rates(curve: Curve, **setting: Any) -> throughput.Throughput:
    return throughput.answer(
        curve,
        ram_pages=2000,
        flash_pages=8000,
        flash=FLASH,
        disk=DISK,
        setting=Setting(**{"clients": 20, "accesses_per_transaction": 10.0, **setting}),
    )


@pytest.mark.oracle("advise.throughput.answer")
def test_many_clients_reach_what_the_busiest_device_does(curve: Curve) -> None:
    """1 / D_max bounds the throughput; one client waits for all demands in a row."""
    crowded = rates(curve, clients=2000)
    alone = rates(curve, clients=1)
    for name, found in crowded.study.schemes.items():
        most = 1 / max(found.demands_s[crowded.at].tolist())
        assert float(found.throughput_per_s[crowded.at]) == pytest.approx(
            most, rel=0.01
        )
        single = alone.study.schemes[name]
        wait_s = sum(single.demands_s[alone.at].tolist()) + float(
            single.delay_s[alone.at]
        )
        assert float(single.response_s[alone.at]) == pytest.approx(wait_s, rel=1e-9)


def test_the_finding_says_what_limits(curve: Curve) -> None:
    crowded = rates(curve, clients=2000)
    assert "the disks limit" in crowded.finding
    assert "more clients would only wait longer" in crowded.sentence
    thinking = rates(curve, think_s=1000.0)
    assert "the number of clients limits" in thinking.finding
    assert "more clients would still add" in thinking.sentence or (
        "with at least that many, throughput could reach" in thinking.sentence
    )
    assert crowded.figures[0].unit == "transactions/s"
    assert crowded.finding in crowded._repr_html_()
    json.dumps(crowded.to_dict(derivation=True))


def test_an_unknown_dirty_share_gives_throughput_at_both_ends() -> None:
    bare = Curve.from_lists(
        [10, 1000, 10_000, 30_000],
        [300_000, 200_000, 100_000, 30_000],
        None,
        accesses=420_000,
        distinct_pages=30_687,
        page_bytes=8192,
        write_accesses=0,
        given=Given("table", data_known=True),
    )
    found = rates(bare)
    assert found.least is not None
    assert found.warnings[0].name == "dirty_share_unknown"
    assert found.derivation()[0].name == "p_d"
    assert "which the curve does not say" in found.finding
    assert found.contenders == ()


@pytest.mark.oracle("advise.fragment_cache.answer")
def test_a_fragment_cache_takes_its_miss_rate_from_the_curve(curve: Curve) -> None:
    asked: dict[str, Any] = {
        "ram_pages": 2000,
        "flash_pages": 16_000,
        "flash": FLASH,
        "disk": DISK,
        "run_bytes": 65_536.0,
        "accesses_per_s": 1000.0,
    }
    found = fragment_cache.answer(curve, **asked)
    rate = float(curve.misses(16_000)) / float(curve.misses(2000))
    assert found.read_miss_rate == pytest.approx(rate)
    writes = 1000 * curve.write_accesses / curve.accesses / curve.distinct_pages
    assert found.page_writes_per_s == pytest.approx(writes)
    names = {each.name for each in found.warnings}
    assert {"source_is_the_workload", "miss_rate_of_pages"} <= names
    given = fragment_cache.answer(
        curve, **asked, read_miss_rate=0.9, source_bytes=2.0**40
    )
    assert given.miss_rate_basis == "as given"
    assert not {"source_is_the_workload", "miss_rate_of_pages"} & {
        each.name for each in given.warnings
    }
    assert given.study.threads_empty >= found.study.threads_empty
    assert f"{found.study.threads_empty} threads populate" in found.sentence
    assert found.finding in found._repr_html_()
    assert "derivation" not in found.to_dict(derivation=False)


@pytest.mark.oracle("advise.transaction_writes.answer")
def test_whether_pages_or_log_records_leave_follows_from_their_times() -> None:
    once = transaction_writes.answer(pages_reread=0.0)
    assert once.study.winner == "log"
    assert once.finding.startswith("Evicting as log records takes")
    pages, log = once.ways
    assert pages.write_us == 16 * 200
    assert pages.total_us == pages.write_us + pages.reread_us
    assert log.total_us < pages.total_us
    often = transaction_writes.answer(pages_reread=10_000.0)
    assert often.study.winner == "page"
    assert often.finding.startswith("Evicting as pages takes")
    assert often.finding in often._repr_html_()
    assert once.to_dict()["finding"] == once.finding


@pytest.mark.oracle("advise.transaction_replay.answer")
def test_a_replay_of_transactions_counts_what_the_buffers_count() -> None:
    events = half_loaded(committed=8, running=16, pages_each=8)
    asked: dict[str, Any] = {"ram_pages": 64, "log_bytes_per_update": 100}
    found = transaction_replay.answer(
        events, **asked, geometry=CHIP, times=nand.PAPER_TIMES, ours=True
    )
    counts = compare_buffers(
        events, **asked, database_pages=found.database_pages, geometry=CHIP
    )
    for row in found.buffers:
        assert row.counts == counts[row.buffer]
        parts = row.read_time_us + row.write_time_us + row.erase_time_us
        assert row.time_us == pytest.approx(parts)
    best = min(found.buffers, key=lambda row: row.time_us)
    assert best.title in found.finding or "No buffer is faster" in found.finding
    assert "order_of_events_is_ours" in {each.name for each in found.warnings}
    assert "would be evicted next" in found.sentence
    json.dumps(found.to_dict(derivation=True))


def test_where_all_fits_no_buffer_is_quicker() -> None:
    found = transaction_replay.answer(
        parse_events("B T1\nU T1 1\nC T1\n"),
        ram_pages=64,
        log_bytes_per_update=100,
        geometry=CHIP,
        times=nand.NandTimes(25.0, 200.0, 1500.0),
    )
    assert found.finding == "No buffer is faster than an LRU of pages here"
    assert "everything_fits" in {each.name for each in found.warnings}


@pytest.mark.parametrize(
    ("events", "log_bytes", "where"),
    [
        ([Event("update", "T1", 10**6, 1.0)], 100, "blocks"),
        ([Event("update", "T1", 1, 1.0)], 4096, "log_bytes_per_update"),
    ],
)
def test_what_the_chip_cannot_hold_is_refused_by_name(
    events: list[Event], log_bytes: int, where: str
) -> None:
    with pytest.raises(BadInput) as caught:
        transaction_replay.check_room(
            events, geometry=CHIP, log_bytes_per_update=log_bytes
        )
    assert [problem.where for problem in caught.value.problems] == [where]


def test_a_time_is_said_in_the_unit_of_its_size() -> None:
    assert [duration_us(us) for us in (12.0, 1200.0, 1.2e6)] == [
        "12.0 µs",
        "1.20 ms",
        "1.20 s",
    ]
