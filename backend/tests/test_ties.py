"""What is said where one end of the dirty share has several winners."""

from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tierwright.advise.dram_or_flash import words as break_evens
from tierwright.advise.throughput import words as throughputs
from tierwright.evaluate.break_even import next_money
from tierwright.evaluate.break_even.gains import PlainGains
from tierwright.evaluate.break_even.next_money import Crossing
from tierwright.evaluate.page_flow import dirty_range
from tierwright.evaluate.throughput import schemes
from tierwright.evaluate.throughput.schemes import Setting
from tierwright.hardware import catalog
from tierwright.profile.curve import Curve, Given

CURVE = Curve.from_lists(
    [100, 1000, 5000, 10_000],
    [600_000, 300_000, 200_000, 100_000],
    None,
    accesses=1_000_000,
    distinct_pages=10_000,
    page_bytes=4096,
    write_accesses=0,
    given=Given("table", data_known=True),
)


def study(curve: Curve, cpu_s: float) -> schemes.ThroughputStudy:
    return schemes.scheme_throughput(
        curve,
        ram_pages=100,
        flash_pages=5000,
        flash=catalog.device("face2016-samsung-850evo-250"),
        disk=catalog.device("face2016-cheetah-15k6-raid0-16"),
        setting=Setting(
            clients=500,
            accesses_per_transaction=10,
            think_s=0.0,
            cpu_s_per_transaction=cpu_s,
            cpus=1,
            flash_devices=1,
            disks=1,
        ),
        vary="clients",
        points=[500],
    )


def test_schemes_that_the_processor_limits_alike_are_no_change_of_the_leader() -> None:
    few, many = (study(end, 0.0022) for end in dirty_range.dirty_ends(CURVE))
    rates = [
        {name: float(s.throughput_per_s[0]) for name, s in each.schemes.items()}
        for each in (few, many)
    ]
    leaders = [
        {name for name, rate in each.items() if rate >= 0.999 * max(each.values())}
        for each in rates
    ]
    assert len(leaders[0]) > 1  # a tie if nothing is dirty
    assert few.best[0] != many.best[0]
    assert leaders[0] & leaders[1]
    found = throughputs.leading_ends(few, many, 0)
    assert found == (many.best[0], many.best[0])
    assert "depends" not in throughputs.range_finding(few, many, 0)


@pytest.fixture
def money() -> Any:
    gains = PlainGains(CURVE, 100, 200.0, 10.0)
    return next_money.next_money(
        gains,
        usd=Decimal(1),
        dram_usd_per_byte=Decimal("1e-6"),
        flash_usd_per_byte=Decimal("1e-7"),
        points=3,
    )


def test_a_tie_of_dram_and_flash_at_one_end_is_no_flip(money: Any) -> None:
    flash, tie = replace(money, winner="flash"), replace(money, winner="tie")
    assert break_evens.ends_of_money(tie, flash) == ("flash", "flash")
    assert break_evens.ends_of_money(tie, tie) == ("tie", "tie")
    answers: Any = None  # not asked where prices are known
    told = break_evens.range_finding(tie, flash, answers)
    assert told == (
        "The next 1 USD belongs in flash: if no evicted page is dirty, DRAM and flash gain the "
        "same; if as many evicted pages as possible are dirty, flash gains more"
    )
    other = break_evens.range_finding(flash, tie, answers)
    assert other == (
        "The next 1 USD belongs in flash: if as many evicted pages as possible are dirty, DRAM "
        "and flash gain the same; if no evicted page is dirty, flash gains more"
    )
    dram = replace(money, winner="dram")
    assert "depends" in break_evens.range_finding(flash, dram, answers)
    assert break_evens.ends_of_money(flash, dram) == ("flash", "dram")


def test_neither_and_a_tie_are_told_apart(money: Any) -> None:
    tie, neither = replace(money, winner="tie"), replace(money, winner="neither")
    answers: Any = None
    told = break_evens.range_finding(neither, tie, answers)
    assert told == (
        "The next 1 USD gains the same in DRAM and in flash if as many evicted pages as possible "
        "are dirty; if no evicted page is dirty, it gains nothing"
    )
    assert np.isfinite(money.dram_gain)
    flash = replace(money, winner="flash")
    assert break_evens.range_finding(flash, neither, answers) == (
        "The next 1 USD belongs in flash if no evicted page is dirty; if as many evicted pages "
        "as possible are dirty, it gains nothing"
    )
    assert break_evens.range_finding(neither, neither, answers).startswith(
        "The next 1 USD gains nothing, in DRAM or in flash, whether no evicted page"
    )


def crossing(usd: str, beyond: str) -> Any:
    return Crossing(usd=Decimal(usd), better_beyond=beyond)


@pytest.mark.parametrize(
    ("crossings", "finding"),
    [
        ((), "The next 1 USD belongs in flash, however much is spent on it"),
        (("12", "dram"), "The next 1 USD belongs in flash, until 12 USD is spent"),
        # The lines cross before the sum itself is spent.
        (
            ("0.698", "dram"),
            "The next 1 USD belongs in flash if it is spent at once; after 0.698 USD, another 1 USD "
            "gains more in DRAM",
        ),
        (
            ("0.2", "flash"),
            "The next 1 USD belongs in flash, however much is spent on it",
        ),
    ],
)
def test_until_when_money_belongs_in_flash(
    money: Any, crossings: tuple[str, ...], finding: str
) -> None:
    given = replace(
        money, winner="flash", crossings=(crossing(*crossings),) if crossings else ()
    )
    answers: Any = SimpleNamespace(curve=CURVE)
    assert break_evens.finding(given, answers) == finding


@pytest.mark.parametrize(
    ("dram", "flash", "said"),
    [
        (2.0, 5.0, "which save 5.00 µs per access: 2.50 times what DRAM saves."),
        (
            2.0,
            -0.5,
            "which cost 0.500 µs more per access: that much flash costs more time than its hits "
            "save.",
        ),
        (0.0, 5.0, "which save no time, or 1,220 pages of flash, which save 5.00 µs"),
    ],
)
def test_what_the_money_buys_is_said_by_its_sign(
    money: Any, dram: float, flash: float, said: str
) -> None:
    found = replace(
        money,
        dram_gain=dram,
        flash_gain=flash,
        flash_pages=1220,
        flash_to_dram_gain_ratio=flash / dram if dram > 0 else None,
    )
    answers: Any = SimpleNamespace(curve=CURVE, beyond=False)
    assert said in break_evens.sentence(found, answers)
