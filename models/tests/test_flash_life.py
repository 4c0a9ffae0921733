"""How long flash lasts, beside every replay of RAM over flash."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.advise import sweep as sweep_question
from tierwright.advise import wear as wear_question
from tierwright.advise.checks import flash_caches, flash_life, wear
from tierwright.advise.checks.flash_life import (
    NO_DEVICE,
    NO_LAYER,
    NO_RATE,
    NOTHING_WRITTEN,
    FlashLife,
    Rate,
    life_of,
    rate_of,
    rate_of_trace,
)
from tierwright.cli.app import main
from tierwright.hardware import catalog
from tierwright.profile.measure import profile
from tierwright.simulate.replay import replay
from tierwright.trace import reading
from tierwright.trace.reading import Trace

TPCB = Path(__file__).parents[2] / "fixtures" / "traces" / "tpcb-cut.csv.zst"
PAGE = 8192
DEVICE = "kioxia-cm7-r-7.68tb"
DISK = "face2016-cheetah-15k6-single"
LAYER = {"ftl_spare_percent": "7", "ftl_block_pages": "32"}


def counters(**more: Any) -> dict[str, Any]:
    return {
        "scheme": "face",
        "accesses": 1000,
        "flash_pages": 100,
        "page_bytes": PAGE,
        "flash_writes": 300,
        "metadata_page_writes": 20,
        "options": {},
        **more,
    }


def lasting(found: FlashLife | None) -> FlashLife:
    assert found is not None
    return found


@pytest.mark.oracle("advise.checks.flash_life.life_of")
def test_the_rating_is_used_by_all_that_is_written() -> None:
    device = catalog.device(DEVICE)
    rated_tb = wear_question.write_budget(device).in_place_tb
    assert rated_tb is not None
    found = lasting(life_of(counters(), device=device, rate=Rate(5000, "five")))
    # 320 pages each 1,000 accesses, 5,000 a second.
    per_day = 0.32 * 5000 * PAGE * 86_400 / 1e12
    assert found.written_pages == 320
    assert found.tb_per_day == pytest.approx(per_day)
    assert found.years == pytest.approx(rated_tb / per_day / 365)
    assert found.reason is None
    assert f"lasts {found.years:.3g}"[:9] in found.sentence
    # As many devices as hold the flash share the writes.
    pages = math.ceil(2.5 * (device.capacity_bytes or 0) / PAGE)
    three = lasting(
        life_of(counters(), device=device, rate=Rate(5000, "five"), flash_pages=pages)
    )
    assert three.years == pytest.approx(3 * (found.years or 0))
    assert "of 3 devices" in (three.basis or "")


@pytest.mark.formula("advise.checks.flash_life.life_of")
@given(
    st.integers(0, 10**9), st.integers(1, 10**9), st.floats(1e-3, 1e9), st.booleans()
)
def test_what_is_not_known_has_a_reason(
    writes: int, accesses: int, rate: float, named: bool
) -> None:
    device = catalog.device(DEVICE) if named else None
    made = counters(flash_writes=writes, metadata_page_writes=0, accesses=accesses)
    with_rate = lasting(life_of(made, device=device, rate=Rate(rate, "a rate")))
    without = lasting(life_of(made, device=device, rate=None))
    assert (with_rate.reason is None) == named
    assert without.reason == (NO_RATE if named else NO_DEVICE)
    assert without.years is None
    assert without.tb_per_day is None
    assert with_rate.never_worn_out == (named and writes == 0)
    assert (with_rate.years is None) == (not named or writes == 0)
    if with_rate.years is not None:
        twice = lasting(life_of(made, device=device, rate=Rate(2 * rate, "")))
        assert twice.years == pytest.approx(with_rate.years / 2)


def test_without_flash_there_is_none() -> None:
    for without in (
        counters(flash_pages=0),
        counters(scheme="none"),
        counters(accesses=0),
        {"scheme": "lru", "accesses": 10},
    ):
        assert life_of(without, device=None, rate=None) is None


def test_the_rate_is_of_production_else_stated_else_recorded() -> None:
    stated = counters(options={"accesses_per_second": "500"})

    def rate(made: dict[str, Any], **more: float | None) -> Rate | None:
        return rate_of(made, **{"recorded_per_s": 40.0, **more})  # type: ignore[arg-type]

    of = {
        "production": rate(stated, production_per_s=900.0),
        "stated": rate(stated),
        "recorded": rate(counters()),
    }
    assert [each and each.accesses_per_s for each in of.values()] == [900, 500, 40]
    for word, found in of.items():
        assert found is not None
        assert word in found.words
    assert rate(counters(), recorded_per_s=None) is None
    assert rate_of_trace({"accesses": 10, "duration_s": None}) is None
    assert rate_of_trace({"accesses": 10, "duration_s": 0.0}) is None


def test_what_the_device_makes_of_the_writes_is_counted_under_the_replay() -> None:
    trace = Trace(TPCB)
    plain = replay(trace, "flash_cache", "larc", 1000, 8000)
    under = replay(trace, "flash_cache", "larc", 1000, 8000, options=LAYER)
    found = lasting(life_of(under, device=None, rate=None))
    assert found.waf == under["ftl"]["waf"] > 1
    assert found.erases == under["ftl"]["erases"] > 0
    # 3.87 times, and four are what it needs.
    times = under["ftl"]["host_writes"] / 8000
    assert times < 4
    assert f"overwritten {times:.3g} times" in (found.waf_note or "")
    smaller = replay(trace, "flash_cache", "larc", 1000, 2000, options=LAYER)
    assert lasting(life_of(smaller, device=None, rate=None)).waf_note is None
    none = lasting(life_of(plain, device=None, rate=None))
    assert (none.waf, none.erases, none.waf_note) == (None, None, NO_LAYER)
    idle = {**under, "flash_writes": 0, "ftl": {**under["ftl"], "waf": None}}
    assert lasting(life_of(idle, device=None, rate=None)).waf_note == NOTHING_WRITTEN


def test_the_check_of_wear_says_the_same() -> None:
    trace = Trace(TPCB)
    curve = profile(trace).curve.from_start("cold")
    recorded = rate_of_trace(reading.inspect(trace))
    assert recorded is not None
    devices = {"flash": catalog.device(DEVICE), "disk": catalog.device(DISK)}
    asked = wear_question.answer(
        curve, ram_pages=1000, flash_pages=8000, accesses_per_s=recorded, **devices
    )
    names = ("face", "larc")
    worn = wear.replayed(
        asked, curve, trace, flash_caches=names, recorded_per_s=recorded
    )
    beside = flash_caches.replayed(
        asked.evaluation, curve, trace, names, recorded_per_s=recorded, **devices
    )

    def lives(rows: Any) -> dict[str, float | None]:
        return {each.of: each.simulated for each in rows if each.figure == "life"}

    ours, theirs = lives(beside.rows), lives(worn.rows)
    assert set(names) <= set(ours) <= set(theirs)
    for name, years in ours.items():
        assert years == pytest.approx(theirs[name])
    assert "The flash lasts as stated at the recorded" in beside.basis
    assert NO_LAYER in beside.basis


def test_compare_says_why_there_is_no_life_and_counts_amplification() -> None:
    trace = Trace(TPCB)
    curve = profile(trace).curve.from_start("cold")
    devices = {"flash": catalog.device(DEVICE), "disk": catalog.device(DISK)}
    asked = wear_question.answer(
        curve, ram_pages=1000, flash_pages=8000, accesses_per_s=1.0, **devices
    )
    found = flash_caches.replayed(
        asked.evaluation, curve, trace, ["larc"], options={"larc": LAYER}, **devices
    )
    figures = {(each.of, each.figure): each.simulated for each in found.rows}
    counted = replay(trace, "flash_cache", "larc", 1000, 8000, options=LAYER)
    assert figures["larc", "write amplification"] == counted["ftl"]["waf"]
    assert not any(figure == "life" for _, figure in figures)
    assert f"How long flash lasts is not known: {NO_RATE}." in found.basis
    assert "still rising" in found.basis


def test_rows_of_a_sweep_have_it() -> None:
    trace = Trace(TPCB)
    found = sweep_question.answer(
        trace,
        ["face", "lazy", "none", "lru"],
        ram_pages=[1000],
        flash_pages=[8000],
        flash=catalog.device(DEVICE),
    )
    recorded = rate_of_trace(reading.inspect(trace))
    face, lazy, none, lru = found.rows
    assert none.flash_life is lru.flash_life is None
    for row in (face, lazy):
        assert row.flash_life is not None
        assert row.flash_life.accesses_per_s == recorded
        assert (row.flash_life.years or 0) > 0
    without = sweep_question.answer(
        trace, ["face"], ram_pages=[1000], flash_pages=[8000]
    )
    [row] = without.rows
    assert row.flash_life is not None
    assert row.flash_life.reason == NO_DEVICE
    assert row.flash_life.written_pages == face.flash_life.written_pages  # type: ignore[union-attr]


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 0
    return capsys.readouterr().out


SIZES = ("--ram-pages", "1000", "--flash-pages", "8000")
ON = ("--flash-device", DEVICE)


def test_simulate_says_it(capsys: pytest.CaptureFixture[str]) -> None:
    base = ("simulate", str(TPCB), "--scheme", "face", *SIZES)
    both = (*base, *ON, "--disk-device", DISK)
    found = json.loads(said(capsys, *both, "--json"))["flash_life"]
    assert found["years"] > 0
    text = " ".join(said(capsys, *both).split())
    assert found["sentence"] in text
    alone = json.loads(said(capsys, *base, "--json"))["flash_life"]
    assert (alone["years"], alone["reason"]) == (None, NO_DEVICE)
    assert alone["written_pages"] == found["written_pages"]
    lru = said(
        capsys, "simulate", str(TPCB), "--policy", "lru", "--pages", "9", "--json"
    )
    assert "flash_life" not in json.loads(lru)


def test_sweep_says_it_of_each_row(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("sweep", str(TPCB), "--scheme", "face", "--scheme", "larc", *SIZES)
    layer = [f"--option=larc:{name}={value}" for name, value in LAYER.items()]
    rows = json.loads(said(capsys, *asked, *ON, *layer, "--json"))
    assert all(row["flash_life"]["years"] > 0 for row in rows)
    assert [row["flash_life"]["waf"] is None for row in rows] == [True, False]
    text = said(capsys, *asked, *ON, *layer)
    assert "life of flash [years]" in text
    assert "write amplification" in text
    assert "Life of flash: at the recorded" in text
    assert f"face 1,000 + 8,000: Write amplification: {NO_LAYER}." in text
    assert "name a device with --flash-device" in said(capsys, *asked)


def test_a_life_of_several_replays_is_said_once() -> None:
    device = catalog.device(DEVICE)
    one = lasting(life_of(counters(), device=device, rate=Rate(5, "the stated 5/s")))
    assert flash_life.about_lives([one, one]).count("lasts as stated") == 1
    assert flash_life.about_lives([]) == ""
    amplified = replace(one, waf=2.0, waf_note=None)
    assert NO_LAYER not in flash_life.about_lives([one, amplified])


def test_a_replay_whose_times_were_stretched_wears_flash_at_that_rate() -> None:
    rate = rate_of(counters(options={"stretch": "0.25"}), recorded_per_s=1000.0)
    assert rate is not None
    assert rate.accesses_per_s == 4000.0
    assert rate_of(counters(options={"stretch": "0.25"}), recorded_per_s=None) is None
