"""Checks by replay: what counted operations make of throughput, life and choice, by hand."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright import _simulator
from tierwright.advise.checks.counted import (
    replayed_choice,
    replayed_life,
    replayed_throughput,
)
from tierwright.common.errors import BadInput
from tierwright.evaluate.endurance.outlook import wear_outlook, write_budget
from tierwright.evaluate.page_flow import evaluation as page_flow_evaluation
from tierwright.evaluate.page_flow import schemes
from tierwright.evaluate.throughput.schemes import Setting, scheme_throughput
from tierwright.hardware import catalog
from tierwright.hardware.service_time import service_us
from tierwright.profile.curve import Curve
from tierwright.simulate.replay import replay
from tierwright.trace.reading import Trace
from tierwright.trace.tokens import token_trace

FLASH = catalog.device("kv2009-intel-x25e")
DISK = catalog.device("face2016-cheetah-15k6-single")
TOKENS = " ".join(f"{'RW'[at % 3 == 0]}{at * at % 23}" for at in range(400))


@pytest.fixture(scope="module")
def replays() -> dict[str, dict[str, Any]]:
    with token_trace(TOKENS) as trace:
        return {
            name: replay(trace, "scheme", name, 4, 0 if name == "none" else 9)
            for name in schemes.SCHEMES
        }


def curve_of(trace: Trace) -> Curve:
    found = _simulator.curves(str(trace.path), **trace.arguments())
    return Curve.from_full(
        found["misses"],
        found["write_backs"],
        accesses=found["accesses"],
        page_bytes=found["page_bytes"],
        write_accesses=found["write_accesses"],
    )


counts = st.integers(0, 1000)


def counters(**given_: int) -> dict[str, Any]:
    zero = dict.fromkeys(("flash_reads", "flash_writes", "hdd_reads", "hdd_writes"), 0)
    return {"accesses": 1000, "page_bytes": 4096, **zero, **given_}


@pytest.mark.oracle("advise.checks.counted.replayed_throughput")
def test_throughput_of_a_replay_by_hand() -> None:
    row = counters(flash_reads=150, flash_writes=400, hdd_reads=250, hdd_writes=15)
    found = replayed_throughput(
        row,
        flash=FLASH,
        disk=DISK,
        setting=Setting(clients=1, accesses_per_transaction=10),
    )
    flash = 10 * (150 / 35000 + 400 / 3300) / 1000
    disk = 10 * (250 / 409 + 15 / 343) / 1000
    assert found.demands_s == pytest.approx({"cpu": 0, "flash": flash, "disk": disk})
    # one client waits for nobody
    assert found.response_s == pytest.approx(flash + disk)
    assert found.throughput_per_s == pytest.approx(1 / (flash + disk))
    assert found.utilisation["disk"] == pytest.approx(disk / (flash + disk))
    # two clients on two equal queues: each is served 2/3 of the time
    even = replayed_throughput(
        counters(hdd_reads=409, flash_reads=35000),
        flash=FLASH,
        disk=DISK,
        setting=Setting(clients=2),
    )
    assert even.throughput_per_s == pytest.approx(2 / 3 * 1000)


def test_a_replay_waits_for_latencies_too() -> None:
    volume = catalog.device("aws-ebs-io2-bx")
    found = replayed_throughput(
        counters(hdd_reads=250, hdd_writes=50),
        flash=FLASH,
        disk=volume,
        setting=Setting(clients=1, accesses_per_transaction=10),
    )
    assert found.response_s == pytest.approx(3 * 500e-6)
    assert found.delay_s == pytest.approx(3 * (500e-6 - 1 / 256_000))


@pytest.mark.formula("advise.checks.counted.replayed_throughput")
@given(counts, counts, st.integers(1, 40), st.integers(0, 100))
def test_a_replay_that_writes_more_is_no_faster(
    reads: int, writes: int, clients: int, more: int
) -> None:
    def rate(flash_writes: int) -> float:
        return replayed_throughput(
            counters(hdd_reads=reads + 1, flash_writes=flash_writes),
            flash=FLASH,
            disk=DISK,
            setting=Setting(clients=clients, think_s=0.01),
        ).throughput_per_s

    assert rate(writes + more) <= rate(writes) * (1 + 1e-12)


def test_a_scheme_whose_counts_are_exact_has_the_throughput_of_the_model(
    replays: dict[str, dict[str, Any]],
) -> None:
    with token_trace(TOKENS) as trace:
        curve = curve_of(trace)
    setting = Setting(clients=12, accesses_per_transaction=5, think_s=0.02)
    study = scheme_throughput(
        curve, ram_pages=4, flash_pages=9, flash=FLASH, disk=DISK, setting=setting
    )
    # The formulas charge a victim for each miss; the replay filled empty frames first.
    for name in ("none", "exclusive"):
        found = replayed_throughput(
            replays[name], flash=FLASH, disk=DISK, setting=setting
        )
        assert found.throughput_per_s == pytest.approx(
            float(study.schemes[name].throughput_per_s[-1]), rel=0.05
        )


@pytest.mark.oracle("advise.checks.counted.replayed_life")
def test_life_of_a_replay_by_hand() -> None:
    found = replayed_life(
        counters(flash_writes=250), budget_tb=100.0, accesses_per_s=1000, written_tb=10
    )
    assert found.pages_per_access == 0.25
    per_day = 0.25 * 1000 * 4096 * 86_400 / 1e12
    assert found.tb_per_day == pytest.approx(per_day)
    assert found.years == pytest.approx(90 / per_day / 365)
    never = replayed_life(counters(), budget_tb=100.0, accesses_per_s=1000)
    assert never.years == math.inf
    assert replayed_life(counters(), budget_tb=None, accesses_per_s=1).years is None


@pytest.mark.formula("advise.checks.counted.replayed_life")
@given(counts, st.integers(1, 100))
def test_a_replay_that_writes_more_lives_no_longer(writes: int, more: int) -> None:
    def years(flash_writes: int) -> float:
        life = replayed_life(
            counters(flash_writes=flash_writes), budget_tb=50.0, accesses_per_s=500
        )
        assert life.years is not None
        return life.years

    assert years(writes + more) < years(writes)


def test_the_life_is_that_of_the_outlook_at_the_same_writes() -> None:
    curve = Curve.from_lists(
        [100, 200, 300, 400],
        [400, 300, 250, 200],
        [80, 30, 15, 0],
        accesses=1000,
        distinct_pages=400,
        page_bytes=4096,
        write_accesses=200,
    )
    evaluation = page_flow_evaluation.evaluate(
        curve, ram_pages=100, flash_pages=200, flash=FLASH, disk=DISK
    )
    budget = write_budget(FLASH, rated_tb=64.0)
    outlook = wear_outlook(evaluation, budget, accesses_per_s=700, growth_per_year=0.1)
    for name, life in outlook.schemes.items():
        found = replayed_life(
            {**counters(), "flash_writes": evaluation.schemes[name].flash_writes},
            budget_tb=budget.in_place_tb,
            accesses_per_s=700,
            growth_per_year=0.1,
        )
        assert found.years == pytest.approx(life.years)
        assert found.tb_per_day == pytest.approx(life.tb_per_day)


@pytest.mark.oracle("advise.checks.counted.replayed_choice")
def test_the_choice_of_each_device_by_hand(replays: dict[str, dict[str, Any]]) -> None:
    slow = catalog.device("samsung-pm9a3-7.68tb-u2")
    untold = catalog.device("fdbuffer2011-mtron-3035-64gb")
    found = replayed_choice(replays, [FLASH, slow, untold], disk=DISK)
    assert set(found) == {FLASH.id, slow.id}
    page = next(iter(replays.values()))["page_bytes"]
    for device in (FLASH, slow):
        times = {
            name: (
                row["flash_reads"] * (service_us(device, "read", page) or 0)
                + row["flash_writes"] * (service_us(device, "write", page) or 0)
                + row["hdd_reads"] * (service_us(DISK, "read", page) or 0)
                + row["hdd_writes"] * (service_us(DISK, "write", page) or 0)
            )
            / row["accesses"]
            for name, row in replays.items()
        }
        least = min(times.values())
        assert found[device.id].io_time_us_per_access == pytest.approx(least)
        assert times[found[device.id].scheme] == pytest.approx(least)


@pytest.mark.formula("advise.checks.counted.replayed_choice")
@given(
    st.sets(st.sampled_from(schemes.SCHEMES), min_size=1),
    st.sampled_from(schemes.SCHEMES),
)
def test_more_schemes_never_choose_worse(
    replays: dict[str, dict[str, Any]], names: set[str], more: str
) -> None:
    def chosen(among: set[str]) -> Any:
        rows = {name: replays[name] for name in schemes.SCHEMES if name in among}
        return replayed_choice(rows, [FLASH], disk=DISK)[FLASH.id]

    few = chosen(names)
    assert few.scheme in names
    assert chosen(names | {more}).io_time_us_per_access <= few.io_time_us_per_access


def test_a_device_without_times_has_no_throughput() -> None:
    untold = catalog.device("fdbuffer2011-mtron-3035-64gb")
    with pytest.raises(BadInput, match="has no I/O time"):
        replayed_throughput(
            counters(flash_writes=1),
            flash=untold,
            disk=DISK,
            setting=Setting(clients=1),
        )
