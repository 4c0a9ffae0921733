"""What surrounds a comparison: hand-worked figures, the sentence, and what is unknown."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_page_flow_evaluate import CURVE, DISK, FLASH, FULL, book, device

from tierwright.advise import compare
from tierwright.advise.compare import Comparison
from tierwright.evaluate.page_flow.evaluation import evaluate
from tierwright.evaluate.page_flow.outer import (
    IN_RAM,
    ON_FLASH,
    WITHOUT,
    outer_bars,
)
from tierwright.evaluate.page_flow.results import Replayed, ServiceTimes
from tierwright.profile.curve import Curve, Given


def asked(curve: Curve = CURVE, **more: Any) -> Comparison:
    choices: dict[str, Any] = {
        "ram_pages": 100,
        "flash_pages": 200,
        "flash": FLASH,
        "disk": DISK,
        **more,
    }
    return compare.answer(curve, **choices)


@pytest.mark.oracle("evaluate.page_flow.outer.outer_bars")
def test_worked_by_hand() -> None:
    # N = 1000; misses(100) = 400, write-backs(100) = 80; misses(400) = 200, write-backs(400) = 0.
    bars = asked().outer.bars
    assert list(bars) == [WITHOUT, IN_RAM, ON_FLASH]
    without, in_ram, on_flash = bars.values()
    # 400 x 1000 + 80 x 2000 = 560,000
    assert without.io_time_us_per_access == pytest.approx(560)
    assert (without.ram_pages, without.flash_pages) == (100, 0)
    assert (without.hdd_reads, without.hdd_writes) == (400, 80)
    # 200 x 1000 + 0 x 2000 = 200,000
    assert in_ram.io_time_us_per_access == pytest.approx(200)
    assert (in_ram.ram_pages, in_ram.flash_pages) == (400, 0)
    assert (in_ram.hdd_reads, in_ram.hdd_writes) == (200, 0)
    # 400 x 100 + 80 x 200 = 56,000, and no operation of the disk
    assert on_flash.io_time_us_per_access == pytest.approx(56)
    assert (on_flash.ram_pages, on_flash.flash_pages) == (100, 400)
    assert (on_flash.flash_reads, on_flash.flash_writes) == (400, 80)
    assert (on_flash.hdd_reads, on_flash.hdd_writes) == (0, 0)
    assert on_flash.flash_writes_per_access == pytest.approx(0.08)
    terms = on_flash.cost_terms_us_per_access
    assert terms["flash_reads"] == pytest.approx(40)
    assert terms["flash_write_backs"] == pytest.approx(16)
    assert {name for name, term in terms.items() if term == 0} == {
        "flash_fills",
        "disk_reads",
        "disk_writes",
    }
    assert "first touches" in in_ram.note
    assert "the disk is not needed" in on_flash.note
    alone = outer_bars(
        CURVE,
        asked().evaluation.schemes["none"],
        ram_pages=100,
        devices=(None, FLASH, DISK),
        times=ServiceTimes(100, 200, 1000, 2000),
        prices=None,
        amortisation_months=36,
    )
    assert alone.reason is None
    for name, bar in alone.bars.items():
        assert bar.io_time_us_per_access == pytest.approx(
            bars[name].io_time_us_per_access
        )


def test_growth_is_read_from_nowhere() -> None:
    # With all data in RAM, the steady state misses the 50 new pages alone, which are read from nowhere.
    steady = CURVE.steady().with_new_pages(50)
    assert steady.growth == 50
    bars = asked(steady).outer.bars
    misses, backs = float(steady.misses(100)), float(steady.write_backs(100))
    at_data = float(steady.misses(400)), float(steady.write_backs(400))
    assert bars[ON_FLASH].io_time_us_per_access == pytest.approx(
        ((misses - 50) * 100 + backs * 200) / 1000
    )
    assert bars[ON_FLASH].flash_reads == pytest.approx(misses - 50)
    assert bars[IN_RAM].io_time_us_per_access == pytest.approx(
        ((at_data[0] - 50) * 1000 + at_data[1] * 2000) / 1000
    )
    assert bars[IN_RAM].hdd_reads == pytest.approx(at_data[0] - 50)
    plain = asked(CURVE.steady()).outer.bars[IN_RAM]
    assert plain.hdd_reads > 0
    assert "the recording does not contain" in plain.note


def test_money_by_hand() -> None:
    bars = asked(prices=FULL).outer.bars
    # As in the test of the schemes: RAM 100 USD/GiB, flash 10 USD/GB, disk 1 USD/GB, each per month.
    ram, flash, disk = 4096 / 2**30 * 100, 4096 / 1e9 * 10, 4096 / 1e9
    cost = {name: float(bar.cost_usd_per_month or 0) for name, bar in bars.items()}
    assert cost[WITHOUT] == pytest.approx(100 * ram + 400 * disk)
    assert cost[IN_RAM] == pytest.approx(400 * ram + 400 * disk)
    assert cost[ON_FLASH] == pytest.approx(100 * ram + 400 * flash)
    assert set(bars[ON_FLASH].cost_parts) == {"ram", "flash"}
    assert set(bars[IN_RAM].cost_parts) == {"ram", "disk"}
    without_prices = asked().outer.bars
    for bar in without_prices.values():
        assert bar.cost_usd_per_month is None
        assert "price book" in bar.cost_reason


def test_the_sentence_says_where_the_best_scheme_stands() -> None:
    # exclusive: 375 µs. (560 - 375) / (560 - 56) = 0.36706
    found = asked()
    assert found.best == "exclusive"
    assert found.standing == (
        "Exclusive saves 36.7 % of the I/O time that everything on flash would save: "
        "56.0 instead of 560 µs per access. Everything in RAM would need 200 µs per access."
    )


def test_the_sentence_where_flash_does_not_help() -> None:
    slow = device("slow", "nvme", 3000, 6000)
    found = asked(flash=slow)
    assert found.best == "none"
    # 400 x 3000 + 80 x 6000 = 1,680,000
    assert found.standing.startswith(
        "Everything on flash would not save I/O time either: 1,680 instead of 560 µs"
    )
    # Flash that is fast to read and slow to write: C2 writes 400 pages, everything on flash 80.
    writes_slowly = device("writes", "nvme", 100, 1500)
    found = asked(flash=writes_slowly)
    assert found.best == "none"
    # 400 x 100 + 80 x 1500 = 160,000
    assert found.standing.startswith(
        "No scheme saves I/O time here, while everything on flash would save 71.4 %: "
        "160 instead of 560 µs"
    )


def test_the_sentence_without_flash() -> None:
    found = asked(flash_pages=0)
    assert found.standing.startswith(
        "Everything on flash would save 90.0 % of the I/O time: 56.0 instead of 560 µs"
    )


def test_the_sentence_where_nothing_misses() -> None:
    held = Curve.from_lists(
        [100],
        [0],
        [0],
        accesses=1000,
        distinct_pages=100,
        page_bytes=4096,
        write_accesses=0,
    )
    found = asked(held)
    assert found.standing.startswith("RAM misses nothing, so there is no I/O time")
    assert "Everything in RAM would need no I/O time." in found.standing


def test_money_is_compared_both_ways() -> None:
    # exclusive: RAM + 200 flash + 400 disk; everything on flash: RAM + 400 flash, no disk.
    ram, flash, disk = 100 * 4096 / 2**30 * 100, 4096 / 1e9 * 10, 4096 / 1e9
    best, beside = ram + 200 * flash + 400 * disk, ram + 400 * flash
    assert best < beside
    less = 100 * (1 - best / beside)
    assert asked(prices=FULL).standing.endswith(
        f"Exclusive costs {less:.1f} % less per month than everything on flash, which "
        "needs no disk."
    )
    dear_disk = book(
        {"kind": "dram", "usd_per_gib": 3600, "source": "s"},
        {"kind": "nvme", "usd_per_gb": 360, "source": "s"},
        {"kind": "hdd", "usd_per_gb_month": 100, "source": "s"},
    )
    more = 100 * ((ram + 200 * flash + 400 * 100 * disk) / beside - 1)
    assert asked(prices=dear_disk).standing.endswith(
        f"Exclusive costs {more:.0f} % more per month than everything on flash, which "
        "needs no disk."
    )
    assert "per month" not in asked().standing


def unstated(**given_as: Any) -> Curve:
    made = Given(**given_as)
    return replace(CURVE, given=made)


def test_data_of_unknown_size_leaves_two_unknown() -> None:
    found = asked(unstated(source="table", dirty_share=0.2, data_known=False))
    assert list(found.outer.bars) == [WITHOUT]
    assert found.outer.reason is not None
    assert "size of the data was not stated" in found.standing
    assert found.to_dict()["outer"]["reason"] == found.outer.reason
    known = asked(unstated(source="table", dirty_share=0.2, data_known=True))
    assert list(known.outer.bars) == [WITHOUT, IN_RAM, ON_FLASH]


DIRT_UNKNOWN = replace(
    unstated(source="table", data_known=True, write_share=None),
    write_backs_at=None,
    write_accesses=0,
)


def test_an_unknown_dirty_share_gives_both_ends() -> None:
    found = asked(DIRT_UNKNOWN, flash_pages=390)
    assert found.outer_least is not None
    # No victim dirty: 400 x 100 and 400 x 1000; every victim dirty: 400 x 300 and 400 x 3000.
    least, most = found.outer_least.bars, found.outer.bars
    assert least[ON_FLASH].io_time_us_per_access == pytest.approx(40)
    assert most[ON_FLASH].io_time_us_per_access == pytest.approx(120)
    assert least[WITHOUT].io_time_us_per_access == pytest.approx(400)
    assert most[WITHOUT].io_time_us_per_access == pytest.approx(1200)
    written = found.to_dict()["outer"]
    bar = written["bars"][ON_FLASH]
    assert bar["io_time_us_per_access"] is None
    assert bar["io_time_us_per_access_range"] == pytest.approx([40, 120])
    assert bar["flash_writes_range"] == pytest.approx([0, 400])
    assert bar["hdd_writes"] == 0
    assert written["sentence"] == found.standing
    assert found.best == "lazy"
    assert found.range is not None
    low, high = sorted(
        100 * (none - end.schemes["lazy"].io_time_us_per_access) / (none - on_flash)
        for none, on_flash, end in (
            (400, 40, found.range.least),
            (1200, 120, found.range.most),
        )
    )
    assert found.standing == (
        f"Lazy saves {low:.1f} % to {high:.1f} % of the I/O time that everything on flash "
        "would save, depending on how many evicted pages are dirty."
    )


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({}, "unknown, because the best scheme depends on the dirty share."),
        (
            {"flash_pages": 0},
            "would need 40.0 to 120 µs of I/O per access, no flash needs 400 to 1,200 µs",
        ),
        (
            {"flash": device("slow", "nvme", 3000, 6000)},
            "Everything on flash would not save I/O time, whatever the dirty share.",
        ),
        (
            {"flash": device("slow", "nvme", 3000, 500)},
            "Everything on flash would not save I/O time, whatever the dirty share.",
        ),
        (
            {"flash": device("reads", "nvme", 1500, 1000)},
            "Whether everything on flash would save I/O time depends on the dirty share",
        ),
        (
            {"flash": device("writes", "nvme", 900, 1900)},
            "No scheme saves I/O time here, while everything on flash would",
        ),
    ],
)
def test_the_sentence_of_an_unknown_dirty_share(
    choices: dict[str, Any], said: str
) -> None:
    assert said in asked(DIRT_UNKNOWN, **choices).standing


def test_a_replay_reprices_what_it_counted() -> None:
    evaluation = evaluate(CURVE, ram_pages=100, flash_pages=200, flash=FLASH, disk=DISK)
    counted = Replayed(
        io_time_us_per_access=2 * 300 + 3 * 50,
        cost_terms_us_per_access={"disk_reads": 600.0, "disk_writes": 150.0},
        accesses=500,
        ram_hits=200,
        flash_hits=0,
        flash_misses=300,
        flash_reads=0,
        flash_writes=0,
        hdd_reads=300,
        hdd_writes=50,
    )
    none = replace(evaluation.schemes["none"], replayed=counted)
    bars = replace(evaluation, schemes={**evaluation.schemes, "none": none}).outer.bars
    assert bars[WITHOUT].io_time_us_per_access == 750
    # (300 x 100 + 50 x 200) / 500
    assert bars[ON_FLASH].io_time_us_per_access == pytest.approx(80)
    assert bars[ON_FLASH].flash_writes_per_access == pytest.approx(0.1)
    assert bars[IN_RAM].io_time_us_per_access == pytest.approx(200)


def test_derivations_give_every_number() -> None:
    found = asked()
    steps = [step for step in found.derivation() if step.subject == ON_FLASH]
    values = {step.name: step.value for step in steps}
    assert values["m_r"] == 400
    assert values["w"] == 80
    assert (values["F_R"], values["F_W"]) == (100, 200)
    assert values["io_time_us_per_access"] == pytest.approx(
        (values["m_r"] * values["F_R"] + values["w"] * values["F_W"]) / values["N"]
    )
    subjects = {step.subject for step in found.derivation()}
    assert {WITHOUT, IN_RAM, ON_FLASH} <= subjects


@pytest.mark.formula("evaluate.page_flow.outer.outer_bars")
@given(
    misses=st.lists(st.integers(0, 1000), min_size=3, max_size=3),
    backs=st.lists(st.integers(0, 1000), min_size=3, max_size=3),
    times=st.tuples(*[st.integers(1, 5000)] * 4),
    ram=st.sampled_from([100, 200, 300]),
)
def test_they_bound_what_flash_and_ram_can_save(
    misses: list[int],
    backs: list[int],
    times: tuple[int, int, int, int],
    ram: int,
) -> None:
    listed = sorted(misses, reverse=True)
    written = [
        min(*pair) for pair in zip(sorted(backs, reverse=True), listed, strict=True)
    ]
    curve = Curve.from_lists(
        [100, 200, 300],
        listed,
        written,
        accesses=1000,
        distinct_pages=300,
        page_bytes=4096,
        write_accesses=1000,
    )
    read, write, disk_read, disk_write = times
    found = asked(
        curve,
        ram_pages=ram,
        flash=device("f", "nvme", read, write),
        disk=device("d", "hdd", disk_read, disk_write),
        prices=FULL,
    )
    bars = found.outer.bars
    at = [100, 200, 300].index(ram)

    def cost(place: int, per_read: int, per_write: int) -> float:
        whole = listed[place] * per_read + written[place] * per_write
        return float(Fraction(whole, 1000))

    assert bars[WITHOUT].io_time_us_per_access == pytest.approx(
        cost(at, disk_read, disk_write)
    )
    assert bars[ON_FLASH].io_time_us_per_access == pytest.approx(cost(at, read, write))
    assert bars[IN_RAM].io_time_us_per_access == pytest.approx(
        cost(2, disk_read, disk_write)
    )
    assert bars[IN_RAM].io_time_us_per_access <= bars[WITHOUT].io_time_us_per_access * (
        1 + 1e-12
    )
    for bar in bars.values():
        assert isinstance(bar.cost_usd_per_month, Decimal)
        assert bar.cost_usd_per_month == sum(
            part.usd_per_month or 0 for part in bar.cost_parts.values()
        )
    assert found.best not in bars
    assert found.standing.endswith(".")
