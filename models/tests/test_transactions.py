"""Transactions over flash (Zhou, Meng and Liang 2009): order, log, time, replay."""

import doctest
import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest
import slow_transactions
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from tierwright.advise import transaction_replay, transaction_study
from tierwright.catalogue.vectors import conformance
from tierwright.cli.app import main
from tierwright.common.core_errors import TraceError
from tierwright.common.errors import BadInput
from tierwright.evaluate.transactions import eviction, nand, study
from tierwright.evaluate.transactions.eviction import Transaction
from tierwright.evaluate.transactions.nand import NandGeometry, NandTimes
from tierwright.simulate import transactions as transactions_replay
from tierwright.simulate.flash_device import FlashDevice
from tierwright.simulate.transactions import Event, EventSurvey, ReplayCounts, replay

ROOT = Path(__file__).resolve().parents[2]
SMALL = NandGeometry(blocks=8, pages_per_block=4, page_bytes=2048)


def test_a_huge_database_takes_no_memory_of_its_own() -> None:
    pages = 17_000_000_001
    chip = NandGeometry(blocks=2**20, pages_per_block=2**14, page_bytes=2048)
    events = transactions_replay.parse_events(f"B T1\nU T1 {pages - 1}\nU T1 0\nC T1")
    found = replay(events, ram_pages=1, database_pages=pages, geometry=chip)
    assert (found.reads, found.writes, found.live_pages) == (2, 1, pages)


def test_work_is_bounded_where_asked() -> None:
    moving = "".join(f"U T {page % 24}\n" for page in range(0, 24_000, 5))
    events = transactions_replay.parse_events(f"B T\n{moving}")
    free = replay(events, ram_pages=2, database_pages=24, geometry=SMALL)
    assert free.copied_pages > 100
    with pytest.raises(BadInput, match="more than 100 steps"):
        replay(events, ram_pages=2, database_pages=24, geometry=SMALL, most_steps=100)


def test_thousands_that_run_leave_in_the_order_of_the_rule() -> None:
    events = transactions_replay.concurrent_loads(running=4_000, pages_each=2)
    found = replay(events, ram_pages=2_000, database_pages=8_000, most_steps=500_000)
    assert len({victim.transaction for victim in found.victims}) == 4_000


@pytest.mark.parametrize("line", ["U T 1" + "0" * 5_000, "U T 1 @1e308", "U T 1 @inf"])
def test_numbers_beyond_reach_are_refused(line: str) -> None:
    with pytest.raises(BadInput):
        replay(
            transactions_replay.parse_events(f"B T\n{line}"),
            ram_pages=1,
            database_pages=8,
        )


def test_every_shared_vector_passes(shared: Path) -> None:
    text = (shared / "reference" / "paper-vectors.json").read_text(encoding="utf-8")
    ours = [v for v in json.loads(text)["vectors"] if v["formula"].startswith("zhou.")]
    report = conformance.run_vectors(ours)
    assert report.failures == ()
    assert (report.passed, report.unknown) == (len(ours), 0)
    assert report.passed >= 11


def test_log_read_cost_by_hand() -> None:
    # 16 pages, each with its records on 3 log pages: 16 x 4 x 25
    found = conformance.FORMULAS["zhou.log_read_cost"]({"pages": 16, "k": 3})
    assert found["us"] == 1600


def test_worked_numbers_of_the_page() -> None:
    page = ROOT / "docs" / "models" / "transactions.md"
    result = doctest.testfile(str(page), module_relative=False)
    assert result.failed == 0
    assert result.attempted >= 14


def test_every_formula_is_on_the_page() -> None:
    text = (ROOT / "docs" / "models" / "transactions.md").read_text(encoding="utf-8")
    ours = [name for name in conformance.FORMULAS if name.startswith("zhou.")]
    assert [name for name in ours if f"`{name}`" not in text] == []


# --- published numbers --------------------------------------------------------------------


def test_the_order_of_figure_4() -> None:
    """Section IV.C: AATs 6.5, 3.5 and 4 leave as T2, T3, T1."""
    stamps = {"T1": [5, 8], "T2": [3, 4], "T3": [2, 6]}
    assert list(eviction.average_access_times(stamps).values()) == [6.5, 3.5, 4.0]
    assert eviction.uncommitted_order(stamps) == ["T2", "T3", "T1"]


def test_the_order_of_figure_3() -> None:
    """Section IV.B: T2 leaves before T3, as it commits earlier though touched later."""
    order = eviction.eviction_order(
        {
            "T1": Transaction((1.0,)),
            "T2": Transaction((9.0,), commit_time=5.0),
            "T3": Transaction((3.0,), commit_time=7.0),
        }
    )
    assert order == ["T2", "T3", "T1"]


def test_the_ratios_of_table_1() -> None:
    """Section II.C: reads 360 and writes 45 times as fast as a 9 ms disk; a write is 8 reads."""
    found = nand.speed_ratios()
    assert (found.read_speedup, found.write_speedup, found.write_over_read) == (
        360,
        45,
        8,
    )
    assert found.erase_us_per_page == 1500 / 64


def test_the_setup_of_section_5() -> None:
    """1024 blocks of 64 pages of 2 KiB; 16 MB are 128 blocks; 16 pages a transaction."""
    found = nand.capacities(ram_bytes=16 * 2**20, pages_per_transaction=16)
    assert (found.flash_bytes, found.ram_pages, found.ram_blocks) == (2**27, 8192, 128)
    assert found.resident_transactions == 512


def test_the_changes_of_figure_6c_fit_each_other() -> None:
    """Reads 25 % worse, writes 75 % better, 34 % in all: 41 % of the time was reads."""
    found = nand.implied_read_share(
        read_slowdown=0.25, write_saving=0.75, total_saving=0.34
    )
    assert found.read_share == pytest.approx(0.41)
    x = found.read_share
    assert 1.25 * x + 0.25 * (1 - x) == pytest.approx(1 - 0.34)
    odd = nand.implied_read_share(read_slowdown=0.1, write_saving=0.2, total_saving=0.5)
    assert not odd.consistent


def test_commit_aware_eviction_and_logs_help_as_in_figure_6() -> None:
    """The shape of Figure 6(a) and (c); its order of events is not published.

    A quarter of the paper's transactions: 192 on 2,048 frames.
    """
    found = transactions_replay.compare_buffers(
        transactions_replay.half_loaded(committed=64, running=128),
        ram_pages=2048,
        database_pages=4096,
    )
    lru, page, log = (
        found[name] for name in ("page_lru", "transaction_page", "transaction_log")
    )
    assert page.time_us() < 0.7 * lru.time_us()
    assert log.time_us() < page.time_us()
    assert log.data_pages_written == 0
    assert page.uncommitted_pages_written == 0 < lru.uncommitted_pages_written


def test_with_uncommitted_victims_the_chip_takes_records_instead_of_pages() -> None:
    """The shape of Figure 6(b): twice as many pages wanted as there are frames."""
    found = transactions_replay.compare_buffers(
        transactions_replay.concurrent_loads(running=64),
        ram_pages=512,
        database_pages=1024,
    )
    # 512 pages must make room; a push-out writes all pages of its transaction, at most 16.
    assert 512 <= found["transaction_page"].writes < 512 + 16
    log = found["transaction_log"]
    assert log.writes == log.transactions_pushed_out > 0


@pytest.mark.oracle("simulate.transactions.compare_buffers")
def test_aries_and_the_method_stand_as_in_figure_6() -> None:
    """(a), (b): ARIES on a disk, far above ARIES on flash, above the method; at other rates than the paper's."""
    for events, ram, database in (
        (transactions_replay.half_loaded(committed=32, running=64), 1024, 2048),
        (transactions_replay.concurrent_loads(running=64), 512, 1024),
    ):
        found = transactions_replay.compare_buffers(
            events,
            ram_pages=ram,
            database_pages=database,
            systems=("aries", "transaction_page", "transaction_log"),
        )
        aries, page, log = found.values()
        assert aries.disk_time_us(9000, 34) > 10 * aries.time_us()
        assert aries.time_us() > page.time_us() > log.time_us()


def test_log_records_cost_reads_and_save_writes_as_in_figure_6c() -> None:
    """Each transaction reads its pages once more before it commits: their log records are read with them."""
    loads = transactions_replay.concurrent_loads(running=64)
    clock = float(len(loads))
    again = [
        Event("read", event.transaction, event.page, clock)
        for event in loads
        if event.kind == "update"
    ]
    ends = [
        Event("commit", event.transaction, None, clock)
        for event in loads
        if event.kind == "commit"
    ]
    events = [*loads[: -len(ends)], *again, *ends]
    found = transactions_replay.compare_buffers(
        events, ram_pages=512, database_pages=1024, systems=("aat", "log_write")
    )
    page, log = found["aat"], found["log_write"]
    assert log.reads > 1.2 * page.reads
    assert log.writes < 0.5 * page.writes
    assert log.time_us() < page.time_us()


@pytest.mark.oracle("simulate.transactions.replay_systems")
def test_the_directions_of_figure_6_at_its_size() -> None:
    """8,192 frames, as in section V.A; the page states how far the sizes are from the paper's."""

    def saved(events: list[Event], pages: int) -> dict[str, float]:
        found = transactions_replay.replay_systems(
            events,
            systems=tuple(transactions_replay.SYSTEMS),
            ram_pages=8192,
            database_pages=pages,
        ).systems
        lru = found["page_lru"].time_us()
        return {
            name: round(1 - counts.time_us() / lru, 2) for name, counts in found.items()
        }

    by_order = ("committed_first", "aat", "transaction_page")
    by_records = ("log_write", "transaction_log")
    half = saved(transactions_replay.half_loaded(), 12_288)
    assert {half[name] for name in by_order} == {0.45}
    assert {half[name] for name in by_records} == {0.82}
    at_once = saved(transactions_replay.concurrent_loads(), 16_384)
    assert {at_once[name] for name in by_order} == {0.0}
    assert {at_once[name] for name in by_records} == {0.73}
    assert (half["aries"], at_once["aries"]) == (-0.13, -0.18)


# --- one transaction that leaves ------------------------------------------------------------


@given(
    n=st.integers(0, 500),
    records=st.floats(0, 4096),
    k=st.floats(0, 8),
    again=st.floats(0, 1000),
)
@pytest.mark.formula("evaluate.transactions.study.write_study")
@pytest.mark.oracle("evaluate.transactions.study.write_study")
def test_the_break_even_is_where_both_ways_take_as_long(
    n: int, records: float, k: float, again: float
) -> None:
    """The curve against plain sums, and the crossing against the curve."""
    found = study.write_study(
        dirty_pages=n,
        log_bytes_per_page=records,
        log_pages_per_page=k,
        pages_reread=again,
    )
    log_pages = math.ceil(n * records / 2048)
    assert found.page_us == pytest.approx(200 * n + 25 * again)
    assert found.log_us == pytest.approx(200 * log_pages + 25 * again * (1 + k))
    assert (found.winner == "log") == (
        found.log_us < found.page_us - 1e-9 * found.page_us
    )
    crossing = found.break_even_pages
    if crossing is None:  # the log never costs more, or always
        assert k < 1e-300 or log_pages > n
    else:
        as_pages = 200 * n + 25 * crossing
        assert 200 * log_pages + 25 * crossing * (1 + k) == pytest.approx(as_pages)
    at = found.curve.pages_reread
    assert found.curve.page_us == pytest.approx(200 * n + 25 * at)
    assert found.curve.log_us == pytest.approx(200 * log_pages + 25 * at * (1 + k))


def test_a_study_names_what_limits_it() -> None:
    large = study.write_study(
        dirty_pages=4, log_bytes_per_page=5000, log_pages_per_page=1
    )
    assert large.winner == "page"
    assert large.break_even_pages is None
    names = {caution.name for caution in large.warnings}
    assert names == {
        "records_exceed_pages",
        "fewer_log_pages_than_records",
        "chip_of_2006",
    }
    own = study.write_study(times=NandTimes(50, 500, 3000), changes=(0.1, 0.2, 0.5))
    assert [caution.name for caution in own.warnings] == ["changes_do_not_fit"]
    steps = {part.result: part for part in own.derivation}
    assert steps["time as pages"].value == own.page_us == 16 * 500 + 16 * 50
    assert "200" not in steps["time as pages"].substituted


@pytest.mark.oracle("evaluate.transactions.study.leaving_order")
def test_who_leaves_next_is_who_the_replay_pushes_out() -> None:
    events = transactions_replay.parse_events(
        "B A\nU A 0\nB B\nU B 1\nC B\nB C\nU C 2\nR A 3"
    )
    held = transaction_replay.residents(events, ram_pages=4, database_pages=8)
    order = [row.transaction for row in study.leaving_order(held)]
    assert order == ["B", "A", "C"]  # committed, then AAT 5 and 7
    pushed = replay(
        [*events, Event("begin", "D", None, 9), Event("update", "D", 4, 10)],
        ram_pages=4,
        database_pages=8,
    )
    assert [victim.transaction for victim in pushed.victims] == order[:1]


# --- formulas -----------------------------------------------------------------------------

stamps = st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=6)
named = st.dictionaries(st.sampled_from("ABCDEFGH"), stamps, min_size=1)


@pytest.mark.formula("zhou.aat")
@given(named, st.integers(-(10**6), 10**6))
def test_aat_lies_between_its_stamps_and_shifts_with_the_clock(
    given_stamps: dict[str, list[int]], shift: int
) -> None:
    averages = eviction.average_access_times(given_stamps)
    for name, times in given_stamps.items():
        assert min(times) <= averages[name] <= max(times)
    moved = {name: [t + shift for t in times] for name, times in given_stamps.items()}
    assert eviction.uncommitted_order(moved) == eviction.uncommitted_order(given_stamps)


@given(stamps, st.data())
def test_touching_a_page_never_lowers_the_aat(times: list[int], data: Any) -> None:
    at = data.draw(st.integers(0, len(times) - 1))
    touched = [*times]
    touched[at] = max(times) + data.draw(st.integers(0, 100))
    found = eviction.average_access_times({"before": times, "after": touched})
    assert found["after"] >= found["before"]


@pytest.mark.formula("zhou.eviction_order")
@given(
    st.dictionaries(
        st.sampled_from("ABCDEFGH"),
        st.tuples(stamps, st.none() | st.integers(0, 100)),
        min_size=1,
    )
)
def test_committed_leave_first_in_the_order_of_their_commits(
    rows: dict[str, tuple[list[int], int | None]],
) -> None:
    order = eviction.eviction_order(
        {name: Transaction(tuple(t), commit) for name, (t, commit) in rows.items()}
    )
    commits = [rows[name][1] for name in order]
    known = [time for time in commits if time is not None]
    assert commits[: len(known)] == sorted(known)
    assert set(order) == set(rows)


@pytest.mark.formula("zhou.log_write")
@given(st.integers(0, 500), st.integers(1, 2048), st.integers(512, 4096))
def test_log_pages_never_exceed_data_pages(pages: int, size: int, page: int) -> None:
    assume(size <= page)
    found = nand.log_write(pages, size, page_bytes=page)
    assert found.log_pages <= pages
    assert found.write_saving_us == found.data_write_us - found.log_write_us >= 0
    assert found.break_even_extra_reads == found.write_saving_us / 25
    full = nand.log_write(pages, page, page_bytes=page)
    assert (full.log_pages, full.write_saving_us) == (pages, 0)


@pytest.mark.formula("zhou.io_time_us")
@given(*[st.integers(0, 10**6)] * 3, st.integers(1, 9))
def test_time_is_linear_in_the_counts(r: int, w: int, e: int, times: int) -> None:
    one = float(nand.io_time_us(r, w, e))
    assert one == 25 * r + 200 * w + 1500 * e
    many = float(nand.io_time_us(times * r, times * w, times * e))
    assert many == times * one


@pytest.mark.formula("zhou.log_read_cost")
@given(st.integers(0, 10**6), st.integers(0, 50))
def test_each_log_page_costs_one_read_a_page(pages: int, k: int) -> None:
    found = float(nand.log_read_us(pages, k))
    assert found == 25 * pages + 25 * pages * k
    assert found >= float(nand.io_time_us(pages, 0, 0))


@pytest.mark.formula("zhou.implied_read_share")
@given(st.floats(0, 1), st.floats(0, 2), st.floats(0.01, 1))
def test_the_implied_share_gives_the_total_back(
    share: float, slowdown: float, saving: float
) -> None:
    total = 1 - ((1 + slowdown) * share + (1 - saving) * (1 - share))
    found = nand.implied_read_share(
        read_slowdown=slowdown, write_saving=saving, total_saving=total
    )
    assert found.read_share == pytest.approx(share, abs=1e-9)


@pytest.mark.formula("zhou.capacities")
@given(st.integers(1, 2**30), st.integers(1, 64), st.integers(1, 64))
def test_what_fits_never_exceeds_the_buffer(ram: int, each: int, block: int) -> None:
    geometry = NandGeometry(16, block, 2048)
    found = nand.capacities(
        ram_bytes=ram, pages_per_transaction=each, geometry=geometry
    )
    assert found.flash_bytes == 16 * block * 2048
    assert found.ram_pages * 2048 <= ram < (found.ram_pages + 1) * 2048
    assert found.ram_blocks * block <= found.ram_pages
    assert found.resident_transactions * each <= found.ram_pages


@pytest.mark.formula("zhou.ratios")
@given(st.floats(0.1, 50), st.floats(1, 1000), st.floats(1, 10), st.integers(1, 512))
def test_ratios_belong_together(
    disk_ms: float, read_us: float, slower: float, pages: int
) -> None:
    times = NandTimes(read_us, read_us * slower, 1500.0)
    found = nand.speed_ratios(disk_ms=disk_ms, times=times, pages_per_block=pages)
    assert found.write_over_read == pytest.approx(slower)
    assert found.read_speedup == pytest.approx(found.write_speedup * slower)
    assert found.erase_us_per_page * pages == pytest.approx(1500)


def test_formulas_take_arrays() -> None:
    assert nand.io_time_us([1, 0], 0, [0, 1]).tolist() == [25.0, 1500.0]
    assert nand.log_read_us([1, 2], [[0], [1]]).tolist() == [
        [25.0, 50.0],
        [50.0, 100.0],
    ]


# --- replay -------------------------------------------------------------------------------

PAGES = 16


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """Events of up to six transactions, each page updated by one running transaction."""
    events: list[Event] = []
    running: list[str] = []
    writer: dict[int, str] = {}
    for number in range(draw(st.integers(1, 60))):
        step = draw(st.sampled_from("BRRUUUUCA"))
        clock = float(number)
        if step == "B" or not running:
            name = f"T{number:02}"
            running.append(name)
            events.append(Event("begin", name, None, clock))
            continue
        name = draw(st.sampled_from(running))
        if step in "CA":
            running.remove(name)
            writer = {page: who for page, who in writer.items() if who != name}
            kind = "commit" if step == "C" else "abort"
            events.append(Event(kind, name, None, clock))  # type: ignore[arg-type]
            continue
        page = draw(st.integers(0, PAGES - 1))
        if step == "U" and writer.setdefault(page, name) == name:
            events.append(Event("update", name, page, clock))
        else:
            events.append(Event("read", name, page, clock))
    return events


frames = st.integers(1, 12)
schemes = st.sampled_from(
    [("page_lru", "page"), ("transaction", "page"), ("transaction", "log")]
)


def run(events: list[Event], ram: int, scheme: tuple[str, str]) -> ReplayCounts:
    try:
        return replay(
            events,
            ram_pages=ram,
            database_pages=PAGES,
            buffer=scheme[0],
            write_scheme=scheme[1],
            log_bytes_per_update=300,
            geometry=SMALL,
        )
    except BadInput as error:
        refused = str(error)
    # Rare: log pages that cannot go yet. It is refused only where every block but the erased
    # one is full of live pages.
    full = (SMALL.blocks - 1) * SMALL.pages_per_block
    assert f"all {full} pages are live" in refused
    assert scheme[1] == "log"
    return reject()


@pytest.mark.formula("simulate.transactions.replay")
@settings(max_examples=40)
@given(histories(), frames, schemes)
def test_what_a_replay_counts_adds_up(
    events: list[Event], ram: int, scheme: tuple[str, str]
) -> None:
    found = run(events, ram, scheme)
    touches = sum(event.kind in ("read", "update") for event in events)
    assert found.hits + found.misses == touches
    assert found.reads == found.misses + found.extra_log_reads + found.copied_pages
    assert found.writes == (
        found.data_pages_written
        + found.log_pages_written
        + found.undo_pages_written
        + found.copied_pages
    )
    assert found.resident_pages <= ram
    assert PAGES <= found.live_pages <= SMALL.blocks * SMALL.pages_per_block
    erased = SMALL.blocks * SMALL.pages_per_block - PAGES
    assert found.erases >= math.ceil((found.writes - erased) / SMALL.pages_per_block)
    assert found.garbage_pages <= found.uncommitted_pages_written
    if found.uncommitted_pages_written == 0:
        assert (found.garbage_pages, found.undo_pages_written) == (0, 0)
    if scheme != ("transaction", "log"):
        assert (found.log_pages_written, found.extra_log_reads) == (0, 0)


SLOW: dict[str, dict[str, Any]] = {
    "page_lru": {"buffer": "page_lru"},
    "committed_first": {"singly": True, "lazy": False},
    "aat": {"lazy": False},
    "transaction_page": {},
    "log_write": {"write_scheme": "log", "lazy": False},
    "transaction_log": {"write_scheme": "log"},
}
"""Each system without a log proper, as the slow model is asked for it."""


@st.composite
def crowded(draw: st.DrawFn) -> list[Event]:
    """Histories in which several running transactions may update a page, at clocks of any kind."""
    scale = draw(st.sampled_from([1.0, 0.1, 1e17]))
    return [
        Event(
            "update" if event.kind == "read" else event.kind,
            event.transaction,
            event.page,
            (event.time // 3) * scale,
        )
        for event in draw(histories())
    ]


@pytest.mark.oracle("simulate.transactions.replay_systems")
@settings(max_examples=60)
@given(histories() | crowded(), frames, st.sampled_from([2048, 300]))
def test_the_core_counts_what_the_slow_model_counts(
    events: list[Event], ram: int, record: int
) -> None:
    asked: dict[str, Any] = {
        "ram_pages": ram,
        "database_pages": PAGES,
        "log_bytes_per_update": record,
        "geometry": SMALL,
    }
    for system, how in SLOW.items():
        try:
            slow = slow_transactions.replay(events, **asked, **how)
        except BadInput as error:
            refused = error.message
            slow = None
        if slow is None:
            with pytest.raises(BadInput) as caught:
                transactions_replay.replay_systems(events, systems=(system,), **asked)
            assert caught.value.message == refused
            continue
        found = transactions_replay.replay_systems(
            events, systems=(system,), listed=True, **asked
        ).systems[system]
        for name in slow_transactions.ReplayCounts.__slots__:
            if name != "victims":
                assert getattr(found, name) == getattr(slow, name), (system, name)
        left = [
            (each.transaction, each.commit_time, each.next_commit_time)
            for each in slow.victims
        ]
        assert [
            (each.transaction, each.commit_time, each.next_commit_time)
            for each in found.victims
        ] == left


@pytest.mark.oracle("advise.transaction_replay.residents")
@settings(max_examples=40)
@given(histories() | crowded(), frames)
def test_who_is_in_memory_equals_the_slow_model(events: list[Event], ram: int) -> None:
    try:
        slow = slow_transactions.residents(
            events, ram_pages=ram, database_pages=PAGES, geometry=SMALL
        )
    except BadInput:
        return
    found = transaction_replay.residents(
        events, ram_pages=ram, database_pages=PAGES, geometry=SMALL
    )
    assert {name: each.commit_time for name, each in found.items()} == {
        name: each.commit_time for name, each in slow.items()
    }
    for name, each in slow.items():
        assert found[name].access_times == tuple(sorted(each.access_times))


def test_a_file_of_events_is_streamed_with_the_same_answer(tmp_path: Path) -> None:
    text = "B A\nU A 0\nU A 1 # a comment\n\nB B\nU B 2 @9\nC B @9\nR A 3 @9\nA A @10\n"
    path = tmp_path / "events.txt.gz"
    path.write_bytes(gzip.compress(text.encode()))
    asked: dict[str, Any] = {"ram_pages": 2, "database_pages": 8, "geometry": SMALL}
    every = tuple(transactions_replay.SYSTEMS)
    streamed = transactions_replay.replay_systems(path, systems=every, **asked)
    events = transactions_replay.parse_events(text)
    held = transactions_replay.replay_systems(events, systems=every, **asked)
    assert streamed == held
    assert (streamed.events, streamed.transactions) == (len(events), 2)
    path.write_text("B A\nX\n", encoding="utf-8")
    with pytest.raises(TraceError, match="line 2: `X` is not an event"):
        transactions_replay.replay_systems(path, **asked)


@pytest.mark.formula("simulate.transactions.replay_systems")
@settings(max_examples=40)
@given(histories(), frames, st.integers(1, 60))
def test_a_log_proper_adds_its_pages_and_nothing_else(
    events: list[Event], ram: int, crash: int
) -> None:
    every = tuple(name for name in transactions_replay.SYSTEMS if name != "aries")
    asked: dict[str, Any] = {
        "systems": every,
        "ram_pages": ram,
        "database_pages": PAGES,
        "geometry": NandGeometry(64, 4, 2048),
    }
    plain = transactions_replay.replay_systems(events, **asked)
    logged = transactions_replay.replay_systems(events, durable=True, **asked)
    changed = any(event.kind == "update" for event in events)
    for name in every:
        without, with_log = plain.systems[name], logged.systems[name]
        assert without.wal_pages_written == without.wal_forces == 0
        for count in ("hits", "misses", "data_pages_written", "garbage_pages"):
            assert getattr(without, count) == getattr(with_log, count)
        forced = with_log.wal_forces > 0
        assert forced == (with_log.wal_pages_written > 0)
        assert changed or not forced
    if crash > len(events):
        with pytest.raises(BadInput, match=f"there (is|are) {len(events)} event"):
            transactions_replay.replay_systems(
                events, durable=True, crash_after=crash, **asked
            )
        crash = len(events)
    crashed = transactions_replay.replay_systems(
        events, durable=True, crash_after=crash, **asked
    )
    assert crashed.events == crash
    # Only a commit forces the log: one that aborted is undone again where its end was still in memory.
    undone = {event.transaction for event in events[:crash]} - {
        event.transaction for event in events[:crash] if event.kind == "commit"
    }
    for counts in crashed.systems.values():
        assert counts.recovery is not None
        assert counts.recovery.losers <= len(undone)
        assert counts.recovery.undone == 0 or counts.recovery.losers > 0


def test_aries_forces_at_commit_steals_and_undoes_in_memory() -> None:
    # A's page is stolen for page 1 (log first), then its abort reads it again and undoes it there.
    events = transactions_replay.parse_events("B A\nU A 0\nR A 1\nA A\nB B\nU B 2\nC B")
    found = transactions_replay.replay_systems(
        events,
        systems=("aries", "page_lru"),
        ram_pages=1,
        database_pages=8,
        geometry=SMALL,
    ).systems
    aries, plain = found["aries"], found["page_lru"]
    # The theft of 0 and B's commit wait for the log, and the theft of 0 again, for the record of its undoing.
    assert (aries.wal_forces, aries.wal_pages_written) == (3, 3)
    assert (aries.undo_reads, aries.undo_pages_written, aries.garbage_pages) == (
        1,
        0,
        1,
    )
    assert (
        aries.data_pages_written == 2
    )  # page 0 stolen, and stolen again with the undoing
    assert (plain.wal_pages_written, plain.undo_pages_written) == (0, 1)


def test_a_flash_device_takes_the_place_of_the_chip() -> None:
    events = transactions_replay.half_loaded(committed=8, running=16)
    device = FlashDevice.of_spare(512, 0.28, 16)
    asked: dict[str, Any] = {"ram_pages": 256, "database_pages": 384}
    every = tuple(transactions_replay.SYSTEMS)
    chip = transactions_replay.replay_systems(events, systems=every, **asked).systems
    found = transactions_replay.replay_systems(
        events, systems=every, device=device, **asked
    ).systems
    for name, counts in found.items():
        assert counts.misses == chip[name].misses
        assert counts.writes - counts.copied_pages == (
            chip[name].writes - chip[name].copied_pages
        )
    assert found["page_lru"].erases > found["transaction_log"].erases
    with pytest.raises(BadInput, match="logical pages of the flash device"):
        transactions_replay.replay_systems(
            events, ram_pages=4, database_pages=600, device=device
        )


@settings(max_examples=40)
@given(histories(), frames, st.sampled_from(["page", "log"]))
def test_no_running_victim_while_committed_data_is_in_memory(
    events: list[Event], ram: int, scheme: str
) -> None:
    found = run(events, ram, ("transaction", scheme))
    for victim in found.victims:
        if victim.commit_time is None:
            assert victim.next_commit_time is None
        elif victim.next_commit_time is not None:
            assert victim.commit_time <= victim.next_commit_time
    assert not found.victims or found.misses > ram


@pytest.mark.oracle("simulate.transactions.replay")
def test_committed_pages_leave_before_older_running_ones() -> None:
    events = transactions_replay.parse_events(
        "B A\nU A 0\nB B\nU B 1\nC B\nB C\nU C 2\n"
    )
    found = replay(
        events, ram_pages=2, database_pages=4, geometry=NandGeometry(8, 4, 2048)
    )
    assert [victim.transaction for victim in found.victims] == [
        "B"
    ]  # A is older, but runs
    assert found.uncommitted_pages_written == 0


def test_an_abort_restores_what_it_had_pushed_out_and_drops_the_rest() -> None:
    text = "B A\nU A 0\nU A 1\nB B\nR B 2\nR B 3\nA A\n"
    events = transactions_replay.parse_events(text)
    geometry = NandGeometry(8, 4, 2048)
    page = replay(events, ram_pages=2, database_pages=4, geometry=geometry)
    # Reading 2 needs a frame: A, alone, is pushed out, both pages; its abort restores both.
    assert (page.data_pages_written, page.undo_pages_written) == (2, 2)
    assert page.garbage_pages == 2
    log = replay(
        events,
        ram_pages=2,
        database_pages=4,
        geometry=geometry,
        write_scheme="log",
    )
    assert (log.log_pages_written, log.undo_pages_written, log.garbage_pages) == (
        1,
        0,
        1,
    )
    kept = replay(events, ram_pages=4, database_pages=4, geometry=geometry)
    assert (kept.writes, kept.garbage_pages) == (0, 0)


def test_a_page_that_went_out_as_log_costs_its_log_page_again() -> None:
    text = "B A\nU A 0\nC A\nB B\nR B 1\nR B 0\n"
    found = replay(
        transactions_replay.parse_events(text),
        ram_pages=1,
        database_pages=4,
        geometry=NandGeometry(8, 4, 2048),
        write_scheme="log",
    )
    assert (found.reads, found.extra_log_reads, found.log_pages_written) == (4, 1, 1)


def test_lazy_replace_keeps_a_pushed_out_page_until_its_frame_is_needed() -> None:
    # A's two pages go out when 2 is read; only page 0 loses its frame, page 1 is still there.
    text = "B A\nU A 0\nU A 1\nC A\nB B\nR B 2\nR B 1\n"
    found = replay(
        transactions_replay.parse_events(text),
        ram_pages=2,
        database_pages=4,
        geometry=NandGeometry(8, 4, 2048),
    )
    assert (found.misses, found.hits) == (3, 1)


def test_events_have_a_clock_of_their_own() -> None:
    events = transactions_replay.parse_events("B T1 @3  # begin\n\nU T1 7 @4.5\nC T1")
    assert [event.time for event in events] == [3.0, 4.5, 3.0]
    with pytest.raises(
        BadInput, match=r"event 3: .* the clock goes back from 4.5 to 3"
    ):
        replay(events, ram_pages=1, database_pages=10)


# --- refusals -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("C T1", "has not begun"),
        ("B T1\nC T1\nC T1", "has ended before"),
        ("B T1\nC T1\nR T1 0", "has ended before"),
        ("B T1\nA T1\nU T1 0", "has ended before"),
        ("B T1\nB T1", "has begun before"),
        (
            "B T1\nR T1 4",
            "page `4` is not among the 4 of the database, which are numbered from 0",
        ),
    ],
)
def test_impossible_histories_are_refused(text: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        replay(transactions_replay.parse_events(text), ram_pages=2, database_pages=4)
    assert message in caught.value.message
    said = "give the database 5 pages" if "page `" in message else "begin once"
    assert said in caught.value.hint


@pytest.mark.parametrize(
    "line",
    [
        "@3",
        "B T1 @",
        "B T1 @nan",
        "B T1 @1_0",
        "B T1 @1e999",
        "X T1",
        "R T1",
        "B",
        "R T1 x",
        "R T1 1 2",
        "B T1 @x",
    ],
)
def test_a_line_that_is_no_event_is_named(line: str) -> None:
    with pytest.raises(BadInput, match="line 2") as caught:
        transactions_replay.parse_events(f"B T1\n{line}\n")
    assert line.split()[0] in caught.value.message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ram_pages": 0}, "ram_pages: `0`"),
        ({"database_pages": 25}, "database_pages: `25` must lie between 1 and 24"),
        ({"buffer": "fifo"}, "buffer: `fifo`"),
        ({"write_scheme": "x"}, "write_scheme: `x`"),
        ({"buffer": "page_lru", "write_scheme": "log"}, "is unknown to page_lru"),
        ({"log_bytes_per_update": 4096}, "log_bytes_per_update: `4096`"),
        ({"geometry": NandGeometry(0, 4, 2048)}, "blocks: `0`"),
    ],
)
def test_bad_settings_are_refused(change: dict[str, Any], message: str) -> None:
    given_ = {"ram_pages": 2, "database_pages": 4, "geometry": SMALL, **change}
    with pytest.raises(BadInput) as caught:
        replay([], **given_)
    assert message in caught.value.message


@pytest.mark.parametrize(
    "call",
    [
        lambda: eviction.average_access_times({"T1": []}),
        lambda: eviction.average_access_times({"T1": [math.nan]}),
        lambda: eviction.eviction_order({"T1": Transaction(())}),
        lambda: nand.io_time_us(-1, 0, 0),
        lambda: nand.io_time_us(1, 0, 0, NandTimes(read_us=0)),
        lambda: nand.log_write(1, 1, page_bytes=0),
        lambda: nand.log_write(-1, 1),
        lambda: nand.capacities(ram_bytes=0, pages_per_transaction=1),
        lambda: nand.implied_read_share(
            read_slowdown=0.1, write_saving=-0.1, total_saving=0
        ),
    ],
)
def test_formulas_refuse(call: Any) -> None:
    with pytest.raises(BadInput) as caught:
        call()
    assert caught.value.hint


# --- command ------------------------------------------------------------------------------


def test_the_command_prints_one_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "events.txt"
    path.write_text("B A\nU A 0\nB B\nU B 1\nC B\nB C\nU C 2\n", encoding="utf-8")
    sizes = ["--ram-pages", "2", "--database-pages", "8"]
    assert main(["transactions", str(path), *sizes, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"page_lru", "transaction_page", "transaction_log"}
    assert found["page_lru"]["uncommitted_pages_written"] == 1
    assert found["transaction_page"]["uncommitted_pages_written"] == 0
    assert main(["transactions", str(path), *sizes]) == 0
    assert "transaction_log" in capsys.readouterr().out
    assert main(["transactions", str(tmp_path / "absent"), *sizes]) == 2


def test_a_log_that_one_system_alone_keeps_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "events.txt"
    path.write_text("B A\nU A 0\nB B\nU B 1\nC B\nB C\nU C 2\n", encoding="utf-8")
    asked = ["transactions", str(path), "--ram-pages", "2", "--database-pages", "8"]
    both = [*asked, "--systems", "page_lru,aries"]
    assert main(both) == 0
    said = "aries alone keeps a log that is forced at commit"
    assert said in capsys.readouterr().out
    assert main([*both, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["keeps_log"] for each in found.values()] == [False, True]
    for alike in ([*both, "--durable"], [*asked, "--systems", "aries"], asked):
        assert main(alike) == 0
        assert said not in capsys.readouterr().out
    assert main([*both, "--durable", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert all(each["keeps_log"] for each in found.values())
    # What to do next is of what was wrong.
    for wrong, hint in (
        (["--systems", "foo"], "choose among page_lru, aries"),
        (["--log-bytes", "0"], "give the bytes of a log record"),
    ):
        assert main([*asked, *wrong]) == 2
        assert hint in capsys.readouterr().err


def test_the_commands_of_one_transaction_and_of_the_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chip = ["--read-us", "50", "--write-us", "400", "--page-bytes", "4096"]
    assert main(["transaction-writes", *chip, "--dirty-pages", "100", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    # 100 x 100 bytes fill 3 pages of 4 KiB: 97 writes spared, each as long as 8 reads
    assert found["written"]["break_even_extra_reads"] == 97 * 8
    assert found["page_us"] == 100 * 450
    assert main(["transaction-writes"]) == 0
    assert "break-even extra reads = write saving / read = 120" in (
        capsys.readouterr().out
    )
    assert main(["transaction-writes", "--changes", "1,2"]) == 2
    assert "has 2 numbers" in capsys.readouterr().err

    path = tmp_path / "events.txt"
    path.write_text("B A\nU A 0\nB B\nU B 1\nC B\n", encoding="utf-8")
    sizes = ["--ram-pages", "4", "--database-pages", "8"]
    assert main(["transaction-order", str(path), *sizes, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["transaction"], row["commit_time"]) for row in rows] == [
        ("B", 5),
        ("A", None),
    ]
    assert main(["transaction-order", str(path), *sizes]) == 0
    assert "runs" in capsys.readouterr().out
    # Another chip makes other times of the same counts.
    assert main(["transactions", str(path), *sizes, "--read-us", "1", "--json"]) == 0
    quick = json.loads(capsys.readouterr().out)
    assert quick["page_lru"]["time_us"] == quick["page_lru"]["reads"] == 2


# --- studies of recorded transactions -----------------------------------------------------

RECORDED = ROOT / "fixtures" / "events" / "pgbench.txt.zst"


def test_a_survey_counts_what_a_file_holds(tmp_path: Path) -> None:
    path = tmp_path / "events.txt"
    path.write_text("B A\nU A 0\nR A 9\nB B\nC B\nB C\nA C\n", encoding="ascii")
    found = transactions_replay.survey_events(path)
    assert found == EventSurvey(7, 3, 1, 1, 1, 1, 10)
    path.write_text("B A\nB A\n", encoding="ascii")
    with pytest.raises(BadInput, match="has begun before"):
        transactions_replay.survey_events(path)


@settings(max_examples=60)
@given(
    st.lists(
        st.text("01298Tx", min_size=1, max_size=22),
        min_size=1,
        max_size=12,
        unique=True,
    ),
    st.text("01298Tx", min_size=1, max_size=22),
)
def test_an_id_is_refused_if_and_only_if_it_was_used(
    used: list[str], asked: str
) -> None:
    events = [
        Event(kind, name, None, 0.0) for name in used for kind in ("begin", "commit")
    ]
    again = [*events, Event("begin", asked, None, 0.0)]
    if asked in used:
        with pytest.raises(BadInput, match="has begun before"):
            transactions_replay.replay_systems(again, ram_pages=1, database_pages=1)
    else:
        found = transactions_replay.replay_systems(again, ram_pages=1, database_pages=1)
        assert found.transactions == len(used) + 1


@pytest.mark.oracle(
    "advise.transaction_study.answer", "advise.transaction_study.priced"
)
def test_a_study_is_the_replays_of_its_sizes() -> None:
    found = transaction_study.answer(RECORDED, ram_pages=[100, 30], page_bytes=8192)
    assert [row.ram_pages for row in found.rows] == [30] * 7 + [100] * 7
    plan = transaction_study.planned(
        transactions_replay.survey_events(RECORDED), page_bytes=8192
    )
    assert plan.ram_pages == (11, 32, 108, 325, 1082)
    for row in found.rows:
        alone = transactions_replay.replay_systems(
            RECORDED,
            systems=(row.system,),
            ram_pages=row.ram_pages,
            database_pages=1082,
            geometry=plan.geometry,
            durable=True,
        ).systems[row.system]
        assert row.counts == alone
        own = alone.writes - alone.copied_pages
        assert row.write_amplification == pytest.approx(1 + alone.copied_pages / own)
        assert row.time_us == pytest.approx(
            25 * alone.reads + 200 * alone.writes + 1500 * alone.erases
        )
    assert found.shown_pages == 100
    assert found.to_dict()["rows"][0]["system"] == "page_lru"


@pytest.mark.oracle("advise.transaction_study.replays")
def test_blocks_that_were_not_given_grow_until_log_records_fit(tmp_path: Path) -> None:
    path = tmp_path / "events.txt"
    path.write_text(
        "".join(f"B T{n}\nU T{n} {n * 7 % 90}\nC T{n}\n" for n in range(2_000)),
        encoding="ascii",
    )
    survey = transactions_replay.survey_events(path)
    plan = transaction_study.planned(
        survey, ram_pages=[4, 8], pages_per_block=4, checkpoint_pages=1
    )
    asked: dict[str, Any] = {
        "systems": ("log_write",),
        "log_bytes_per_update": 100,
        "durable": False,
        "checkpoint_pages": 1,
        "crash_after": None,
    }
    with pytest.raises(BadInput, match="the chip is full"):
        list(transaction_study.replays(path, plan, grows=False, spare=None, **asked))
    made = list(transaction_study.replays(path, plan, grows=True, spare=None, **asked))
    used = made[-1][0]
    assert used.geometry.blocks in {plan.geometry.blocks * 2**n for n in range(1, 7)}
    assert [(each, pages) for each, pages, _ in made[-2:]] == [(used, 4), (used, 8)]
    for _, pages, found in made[-2:]:
        alone = transactions_replay.replay_systems(
            path,
            ram_pages=pages,
            database_pages=90,
            geometry=used.geometry,
            **asked,
        )
        assert found == alone.systems


@pytest.mark.parametrize(
    ("spare", "room", "because"),
    [
        (None, 65_408, "2 blocks stay free for writing"),
        (0.28, 51_200, "the others are spare space"),
    ],
)
def test_a_page_number_beyond_the_blocks_is_refused_as_what_it_is(
    tmp_path: Path, spare: float | None, room: int, because: str
) -> None:
    """Nobody gave the pages of the database, so nothing is said of them."""
    path = tmp_path / "events.txt"

    def planned(page: int, **more: Any) -> transaction_study.Plan:
        path.write_text(f"B T\nU T {page}\nC T\n", encoding="ascii")
        survey = transactions_replay.survey_events(path)
        return transaction_study.planned(survey, spare=spare, **more)

    assert planned(room - 1, blocks=1024).database_pages == room
    with pytest.raises(BadInput) as refused:
        planned(room, blocks=1024)
    assert str(refused.value.args[0]) == (
        f"events: page `{room:,}` is too high: 1,024 blocks of 64 pages hold {room:,} pages of a database, numbered from 0; "
        f"{because}"
    )
    assert "give more blocks" in (refused.value.hint or "")
    assert [each.where for each in refused.value.problems] == ["events"]
    # Blocks that were not given are as many as hold it.
    assert planned(room).database_pages == room + 1
    asked = ["transactions", str(path), "--ram-pages", "1"]
    assert main([*asked, *([] if spare is None else ["--spare", str(spare)])]) == 2


@pytest.mark.oracle("advise.transaction_study.planned")
def test_a_given_spare_decides_the_blocks_and_the_write_amplification(
    tmp_path: Path,
) -> None:
    survey = transactions_replay.survey_events(RECORDED)
    spares = (0.07, 0.28, 0.5)
    amplified = []
    for spare in spares:
        planned = transaction_study.planned(survey, spare=spare).geometry.blocks
        assert planned == math.ceil((1082 + 3 * 1024) * (1 + spare) / 64)
        plan = transaction_study.planned(survey, ram_pages=[30], spare=spare)
        made = transaction_study.replays(
            RECORDED,
            plan,
            grows=True,
            systems=("page_lru", "transaction_log"),
            log_bytes_per_update=100,
            spare=spare,
            durable=True,
            checkpoint_pages=1024,
            crash_after=None,
        )
        *_, (used, _, found) = made
        # The log takes more than three intervals, by a few blocks.
        assert planned <= used.geometry.blocks <= math.ceil(planned * 1.125)
        amplified.append(
            [
                counts.writes / (counts.writes - counts.copied_pages)
                for counts in found.values()
            ]
        )
    for few, some, many in zip(*amplified, strict=True):
        assert few > some > many > 1
    # A small share of few blocks would leave the device no block to collect into.
    path = tmp_path / "events.txt"
    path.write_text("".join(f"B T{n}\nU T{n} {n % 90}\nC T{n}\n" for n in range(900)))
    small = transaction_study.answer(
        path, ram_pages=[4], systems=["aries"], spare=0.02, checkpoint_pages=1
    )
    assert small.rows[0].counts.data_pages_written > 0
    for spare in (0.0, -0.5, math.nan):
        with pytest.raises(BadInput, match="is not above 0"):
            transaction_study.planned(survey, spare=spare)


def test_the_finding_of_a_study_follows_its_figures() -> None:
    def said(**times: tuple[int, ...]) -> str:
        sizes = range(len(next(iter(times.values()))))
        return transaction_study.priced(
            {
                10 * (at + 1): {
                    name: transactions_replay.ReplayCounts(reads=reads[at])
                    for name, reads in times.items()
                }
                for at in sizes
            }
        ).finding

    assert said(aries=(4, 4), aat=(2, 3)) == (
        "Average access time takes the least I/O time at 2 of 2 buffer sizes, up to 50.0 % less than "
        "ARIES with 10 pages of memory"
    )
    assert said(aries=(4, 4, 9), aat=(5, 5, 3)) == (
        "No system is faster than ARIES at 2 of 3 buffer sizes"
    )
    assert said(page_lru=(4,), aat=(4,)) == (
        "No system is faster than LRU of pages with 10 pages of memory"
    )
    assert said(aries=(4,), log_write=(3,)) == (
        "Log-based write: 75.0 µs of I/O, 25.0 % less than ARIES with 10 pages of memory"
    )
    assert said(aat=(4,)) == (
        "Average access time takes 100 µs of I/O with 10 pages of memory"
    )
    assert transaction_study.priced({}).finding == "Nothing has been replayed yet"


def test_without_a_log_everywhere_the_base_keeps_none_either() -> None:
    def asked(durable: bool, **reads: int) -> transaction_study.TransactionStudy:
        counts = {
            name: transactions_replay.ReplayCounts(reads=many)
            for name, many in reads.items()
        }
        return transaction_study.priced({10: counts}, durable=durable)

    def named(found: transaction_study.TransactionStudy) -> set[str]:
        return {caution.name for caution in found.warnings}

    kept = asked(True, page_lru=4, aries=8, aat=3)
    assert kept.finding.endswith("62.5 % less than ARIES with 10 pages of memory")
    assert "only_aries_keeps_a_log" not in named(kept)
    lost = asked(False, page_lru=4, aries=8, aat=3)
    assert lost.finding.endswith(
        "25.0 % less than LRU of pages with 10 pages of memory"
    )
    assert "only_aries_keeps_a_log" in named(lost)
    [caution] = [
        each for each in lost.cautions if each.code == "only_aries_keeps_a_log"
    ]
    assert caution.effect
    for alone in (asked(False, aries=8), asked(False, page_lru=4, aat=3)):
        assert "only_aries_keeps_a_log" not in named(alone)


def test_a_crash_behind_the_last_event_is_refused_before_the_replay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(BadInput) as late:
        transactions_replay.replay_systems(
            RECORDED, ram_pages=9, database_pages=1082, crash_after=111_492
        )
    monkeypatch.setattr(transaction_study, "replay_systems", None)
    with pytest.raises(BadInput) as early:
        transaction_study.answer(RECORDED, ram_pages=[9], crash_after=111_492)
    assert str(early.value) == str(late.value)
    [problem] = early.value.problems
    assert (problem.where, problem.value) == ("crash_after", "111492")


def test_a_study_refuses_a_database_without_its_pages() -> None:
    survey = EventSurvey(9, 1, 1, 0, 1, 1, 100)
    with pytest.raises(BadInput, match="highest page touched is 99"):
        transaction_study.planned(survey, database_pages=50)
    with pytest.raises(BadInput, match="touch no page"):
        transaction_study.planned(EventSurvey(2, 1, 1, 0, 0, 0, 0))


def test_the_command_needs_no_number_of_pages(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = [str(RECORDED), "--ram-pages", "64", "--systems", "aries", "--json"]
    assert main(["transactions", *asked]) == 0
    without = capsys.readouterr().out
    assert main(["transactions", *asked, "--database-pages", "1082"]) == 0
    assert capsys.readouterr().out == without
    assert main(["transactions", *asked, "--crash-after", "111492"]) == 2
    assert "there are 111,491 events" in capsys.readouterr().err
