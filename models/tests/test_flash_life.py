"""How long flash lasts, beside every replay of RAM over flash."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright import _simulator
from tierwright.advise import scale
from tierwright.advise import sweep as sweep_question
from tierwright.advise import wear as wear_question
from tierwright.advise.checks import flash_caches, flash_life, wear
from tierwright.advise.checks.counted import replayed_life
from tierwright.advise.checks.flash_life import (
    NO_DEVICE,
    NO_LAYER,
    NO_RATE,
    NOTHING_WRITTEN,
    WITHOUT_AMPLIFICATION,
    WRITES_UNTOLD,
    FlashLife,
    Rate,
    life_of,
    rate_of,
)
from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.hardware import catalog
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.simulate.replay import miniatures, replay, sweep
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
    by_option = {"accesses_per_second": "500"}
    stated = counters(options={**by_option, "stretch": "0.08"})

    def rate(made: dict[str, Any], **more: float | None) -> Rate | None:
        return rate_of(made, **{"recorded_per_s": 40.0, **more})  # type: ignore[arg-type]

    of = {
        "production": rate(stated, production_per_s=900.0, stated_per_s=70.0),
        "stated 500": rate(stated),
        "stated 70": rate(counters(), stated_per_s=70.0),
        "recorded": rate(counters()),
    }
    assert [each and each.accesses_per_s for each in of.values()] == [900, 500, 70, 40]
    for word, found in of.items():
        assert found is not None
        assert word in found.words
    # What works by the clock had its times multiplied to run at it.
    both = rate(counters(options={"stretch": "0.5"}), stated_per_s=80.0)
    assert both == Rate(
        80.0, "the stated 80.0 accesses/s, with recorded times multiplied by 0.500"
    )
    assert rate(counters(), recorded_per_s=None) is None
    # A trace with times that nothing multiplied went by them, whatever an option says.
    unpaced = rate(counters(options=by_option))
    assert unpaced is not None
    assert unpaced.accesses_per_s == 40
    untimed = rate(counters(options=by_option), recorded_per_s=None)
    assert untimed is not None
    assert untimed.accesses_per_s == 500
    assert reading.rate_of_trace({"accesses": 10, "duration_s": None}) is None
    assert reading.rate_of_trace({"accesses": 10, "duration_s": 0.0}) is None


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


def test_a_trace_that_tells_no_writes_has_no_life(tmp_path: Path) -> None:
    """dm-writecache takes writes alone: nothing came to it, and that says nothing."""
    path = tmp_path / "keys.lis"
    path.write_text("".join(f"{at * 7 % 90} 1 0 {at}\n" for at in range(600)))
    trace = Trace(path, format="arc")
    device = catalog.device(DEVICE)
    options = {"dm_writecache": {"accesses_per_second": "100"}, "larc": {}}
    rows = sweep(
        trace,
        [
            {"flash_cache": name, "ram_pages": 10, "flash_pages": 60, "options": own}
            for name, own in options.items()
        ],
    )["rows"]
    alone = [
        replay(trace, "flash_cache", name, 10, 60, options=own)
        for name, own in options.items()
    ]
    for each in (*rows, *alone):
        found = lasting(life_of(each, device=device, rate=Rate(100.0, "a hundred")))
        assert found.years is None
        assert not found.never_worn_out
        assert found.reason == WRITES_UNTOLD
        assert WRITES_UNTOLD in found.sentence


def test_the_check_of_wear_says_the_same() -> None:
    trace = Trace(TPCB)
    curve = profile(trace).curve.from_start("cold")
    recorded = reading.rate_of_trace(reading.inspect(trace))
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
    recorded = reading.rate_of_trace(reading.inspect(trace))
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
    assert flash_life.about_lives([one, one], ["A", "B"]).count("lasts as stated") == 1
    assert flash_life.about_lives([], []) == ""
    # Where they are of different rates, it says whose.
    other = replace(one, basis="at another rate")
    said = flash_life.about_lives([one, other, other], ["A", "B", "C"])
    assert f"The flash lasts as stated under A {one.basis}." in said
    assert "The flash lasts as stated under B and C at another rate." in said
    amplified = replace(one, waf=2.0, waf_note=None)
    assert NO_LAYER not in flash_life.about_lives([one, amplified], ["A", "B"])


def test_a_replay_whose_times_were_stretched_wears_flash_at_that_rate() -> None:
    rate = rate_of(counters(options={"stretch": "0.25"}), recorded_per_s=1000.0)
    assert rate is not None
    assert rate.accesses_per_s == 4000.0
    assert rate_of(counters(options={"stretch": "0.25"}), recorded_per_s=None) is None


def untimed(folder: Path) -> Path:
    """A trace without times, of pages that come again at all distances."""
    rng = random.Random(7)
    accesses = (
        f"{int(rng.paretovariate(0.6)) % 4000},{'w' if rng.random() < 0.4 else 'r'}"
        for _ in range(20_000)
    )
    path = folder / "untimed.csv"
    path.write_text("\n".join(("page,op", *accesses)))
    return path


CSV = ("--format", "csv", "--column", "page=page", "--column", "op=op")
TIMED = (*CSV, "--column", "time=time", "--column", "time_unit=s")
FEW = ("--ram-pages", "100", "--flash-pages", "500")


def test_a_rate_beside_a_sweep_gives_every_cache_a_life(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = str(untimed(tmp_path))
    names = ("larc", "ram_filter", "kangaroo", "cachesack", "tac", "exadata", "face")
    schemes = [f"--scheme={name}" for name in (*names, "l2arc", "lazy", "none")]
    asked = ("sweep", trace, *CSV, *schemes, *FEW, *ON)

    def lives(rate: str) -> dict[str, dict[str, Any] | None]:
        rows = json.loads(said(capsys, *asked, "--accesses-per-s", rate, "--json"))
        return {row["scheme"]: row["flash_life"] for row in rows}

    slow, fast = lives("2000"), lives("8000")
    assert slow.pop("none") is fast.pop("none") is None
    assert len(slow) == 9
    for name, life in slow.items():
        other = fast[name]
        assert life is not None
        assert other is not None
        assert (life["accesses_per_s"], other["accesses_per_s"]) == (2000, 8000)
        assert life["basis"].startswith("at the stated 2,000 accesses/s, by the rated")
        if name != "l2arc":
            # It moves as much a second, so fewer pages for each access.
            assert life["years"] == pytest.approx(4 * other["years"])
    l2arc = json.loads(
        said(
            capsys,
            "simulate",
            trace,
            *CSV,
            "--scheme",
            "l2arc",
            *FEW,
            *ON,
            "--disk-device",
            DISK,
            "--option",
            "accesses_per_second=2000",
            "--json",
        )
    )
    assert l2arc["flash_life"] == slow["l2arc"]
    larc = json.loads(
        said(
            capsys,
            "simulate",
            trace,
            *CSV,
            "--scheme",
            "larc",
            *FEW,
            *ON,
            "--disk-device",
            DISK,
            "--accesses-per-s",
            "2000",
            "--json",
        )
    )
    assert larc["flash_life"] == slow["larc"]


def at_one_time(folder: Path) -> Path:
    """The same accesses, all at the same time."""
    head, *accesses = untimed(folder).read_text().splitlines()
    path = folder / "at_one_time.csv"
    path.write_text("\n".join((f"time,{head}", *(f"5,{each}" for each in accesses))))
    return path


@pytest.mark.parametrize(("made", "columns"), [(untimed, CSV), (at_one_time, TIMED)])
def test_commands_say_how_to_state_a_rate(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    made: Callable[[Path], Path],
    columns: tuple[str, ...],
) -> None:
    trace = str(made(tmp_path))
    asked = (trace, *columns, "--scheme", "larc", *FEW, *ON)
    for command in (("sweep", *asked), ("simulate", *asked, "--disk-device", DISK)):
        text = said(capsys, *command)
        assert NO_RATE in text
        assert "State the rate with --accesses-per-s." in text
        assert "--flash-device" not in text
        assert "State the rate" not in said(capsys, *command, "--accesses-per-s", "9")


@pytest.mark.parametrize("rate", ["0", "-1", "nan", "inf"])
def test_a_rate_that_is_none_is_refused(
    rate: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (
        ("sweep", str(TPCB), "--scheme", "larc", *SIZES),
        ("simulate", str(TPCB), "--scheme", "larc", *SIZES),
    ):
        assert main([*command, f"--accesses-per-s={rate}"]) == 2
        error = capsys.readouterr().err
        assert f"--accesses-per-s: `{rate}` is not above 0 and finite" in error
        assert "hint: " in error
    with pytest.raises(BadInput, match=r"accesses_per_s: .* is not above 0 and finite"):
        sweep_question.answer(
            Trace(TPCB),
            ["lru"],
            ram_pages=[10],
            accesses_per_s=float(rate),
        )


@pytest.mark.parametrize("rate", ["1e-300", "0.009", "2e15"])
def test_a_rate_that_no_replay_runs_at_is_refused_with_the_range(
    rate: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for cache in ("larc", "l2arc"):
        asked = ("sweep", str(TPCB), "--scheme", cache, *SIZES)
        assert main([*asked, "--accesses-per-s", rate]) == 2
        error = capsys.readouterr().err
        assert f"--accesses-per-s: `{float(rate):g}` is no rate that a replay" in error
        assert "from 0.01 to 1,000,000,000,000,000 accesses per second" in error
        assert "hint: " in error
    with pytest.raises(BadInput, match=r"accesses_per_s: .* is no rate that a replay"):
        sweep_question.answer(
            Trace(TPCB), ["lru"], ram_pages=[10], accesses_per_s=float(rate)
        )


@pytest.mark.parametrize("name", ["l2arc", "sce"])
def test_flash_that_a_short_replay_never_wrote_has_no_life(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It would be written in a replay that lasts: it is not without wear."""
    trace = (str(untimed(tmp_path)), *CSV)
    for of, rate in ((trace, "1e12"), ((str(TPCB),), "1e13")):
        asked = ("--scheme", name, "--ram-pages", "100", "--flash-pages", "800", *ON)
        paced = (*of, *asked, "--accesses-per-s", rate, "--json")
        [row] = json.loads(said(capsys, "sweep", *paced))
        found = json.loads(said(capsys, "simulate", *paced, "--disk-device", DISK))
        for each in (row, found):
            life = each["flash_life"]
            assert each["flash_writes"] == life["written_pages"] == 0
            assert life["years"] is life["tb_per_day"] is None
            assert not life["never_worn_out"]
            [note] = [
                one for one in each["warnings"] if one["name"] == "too_short_for_clock"
            ]
            assert life["reason"] == flash_life.NO_TIME_TO_WRITE.format(note["message"])
            assert life["reason"] in life["sentence"]
            assert "never worn out" not in life["sentence"]
    device = catalog.device(DEVICE)
    empty = counters(flash_writes=0, metadata_page_writes=0)
    assert lasting(life_of(empty, device=device, rate=Rate(5, "five"))).never_worn_out
    short = {**empty, "warnings": [note]}
    for made, years in ((empty, math.inf), (short, None)):
        counted = replayed_life(made, budget_tb=1.0, accesses_per_s=5.0)
        assert counted.years == years


def test_a_rate_is_stated_once(capsys: pytest.CaptureFixture[str]) -> None:
    clock = ("simulate", str(TPCB), "--scheme", "l2arc", *SIZES)
    for option in ("accesses_per_second=50", "stretch=2"):
        assert main([*clock, "--accesses-per-s", "9000", "--option", option]) == 2
        error = capsys.readouterr().err
        assert f"the option `{option}` states a rate, and so does" in error
    one = ("simulate", str(TPCB), "--policy", "lru", "--pages", "9")
    assert main([*one, "--accesses-per-s", "5"]) == 2
    assert "--policy does not take --accesses-per-s" in capsys.readouterr().err


def test_no_whole_rate_is_no_rate_of_a_clock_without_times(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = str(untimed(tmp_path))
    asked = ("sweep", trace, *CSV, *FEW, "--accesses-per-s", "1.5")
    assert main([*asked, "--scheme", "l2arc"]) == 2
    assert "goes at whole accesses per second, not at 1.50" in capsys.readouterr().err
    said(capsys, *asked, "--scheme", "larc")


def test_recorded_times_are_multiplied_for_what_works_by_the_clock(
    capsys: pytest.CaptureFixture[str],
) -> None:
    recorded = reading.rate_of_trace(reading.inspect(Trace(TPCB)))
    assert recorded is not None
    asked = ("sweep", str(TPCB), "--scheme", "l2arc", "--scheme", "larc", *SIZES, *ON)
    at = ("--accesses-per-s", str(recorded / 4))
    l2arc, larc = json.loads(said(capsys, *asked, *at, "--json"))
    assert float(l2arc["options"]["stretch"]) == pytest.approx(4)
    assert "stretch" not in larc["options"]
    alone = replay(
        Trace(TPCB), "flash_cache", "l2arc", 1000, 8000, options={"stretch": "4.0"}
    )
    assert l2arc["flash_writes"] == alone["flash_writes"]
    for row in (l2arc, larc):
        assert row["flash_life"]["accesses_per_s"] == pytest.approx(recorded / 4)
    assert "multiplied by 4.00" in l2arc["flash_life"]["basis"]
    text = said(capsys, *asked, *at)
    assert "was replayed with recorded times multiplied by 4.00 to run at" in text
    # Within a hundredth the recorded times are those of the rate.
    near = json.loads(
        said(capsys, *asked, "--accesses-per-s", str(recorded * 1.005), "--json")
    )
    assert "stretch" not in near[0]["options"] or near[0]["options"]["stretch"] == "1"
    found = sweep_question.answer(
        Trace(TPCB),
        ["l2arc", "larc"],
        ram_pages=[1000],
        flash_pages=[8000],
        flash=catalog.device(DEVICE),
        accesses_per_s=recorded / 4,
    )
    for row, theirs in zip(found.rows, (l2arc, larc), strict=True):
        assert row.flash_life is not None
        assert row.flash_life.years == pytest.approx(theirs["flash_life"]["years"])


def test_a_machine_of_production_has_its_own_rate() -> None:
    trace = Trace(TPCB)
    recorded = profile(trace)
    made = scale.answer(
        recorded,
        Production(
            data_bytes=recorded.curve.data_pages * PAGE * 10, accesses_per_s=5000.0
        ),
    ).profile.curve.from_start("steady")
    with pytest.raises(BadInput, match="accesses_per_s: `7` is a second rate"):
        sweep_question.answer(
            trace,
            ["larc"],
            ram_pages=[10_000],
            flash_pages=[80_000],
            production=made,
            accesses_per_s=7.0,
        )


def test_every_answer_says_the_same_life(capsys: pytest.CaptureFixture[str]) -> None:
    """Simulate, sweep, evaluate and wear, of one load on one device."""
    trace, rate = Trace(TPCB), 3000.0
    curve = profile(trace).curve.from_start("cold")
    devices = {"flash": catalog.device(DEVICE), "disk": catalog.device(DISK)}
    names = ("face", "larc", "l2arc")
    recorded = reading.rate_of_trace(reading.inspect(trace))
    asked = wear_question.answer(
        curve, ram_pages=1000, flash_pages=8000, accesses_per_s=rate, **devices
    )
    worn = wear.replayed(
        asked, curve, trace, flash_caches=names, recorded_per_s=recorded
    )
    beside = flash_caches.replayed(
        asked.evaluation,
        curve,
        trace,
        names,
        recorded_per_s=recorded,
        accesses_per_s=rate,
        **devices,
    )

    def lives(rows: Any) -> dict[str, float | None]:
        return {each.of: each.simulated for each in rows if each.figure == "life"}

    schemes = [f"--scheme={name}" for name in names]
    swept = json.loads(
        said(
            capsys,
            "sweep",
            str(TPCB),
            *schemes,
            *SIZES,
            *ON,
            "--accesses-per-s",
            str(rate),
            "--json",
        )
    )
    for row in swept:
        name, life = row["scheme"], row["flash_life"]
        assert life["years"] == pytest.approx(lives(worn.rows)[name])
        assert life["years"] == pytest.approx(lives(beside.rows)[name])
        assert WITHOUT_AMPLIFICATION in life["basis"]
    assert WITHOUT_AMPLIFICATION in beside.basis


def test_miniatures_estimate_the_life_of_all_pages() -> None:
    trace = Trace(TPCB)
    device, rate = catalog.device(DEVICE), Rate(20_000, "20,000 accesses/s")
    persistent = {"directory": "persistent"}
    for family, name, options in (
        ("flash_cache", "larc", {}),
        ("flash_cache", "cac", persistent),
        ("scheme", "lazy", {}),
    ):
        kind: Any = family
        point = {
            family: name,
            "ram_pages": 1000,
            "flash_pages": 8000,
            "options": options,
        }
        [row] = miniatures(trace, [point], 0.5)["rows"]
        estimate = lasting(
            life_of(
                {**row, "page_bytes": PAGE}, device=device, rate=rate, is_sampled=True
            )
        )
        counts = replay(trace, kind, name, 1000, 8000, options=options)
        exact = lasting(life_of(counts, device=device, rate=rate))
        assert estimate.years == pytest.approx(exact.years, rel=0.02)
        assert estimate.written_pages == pytest.approx(exact.written_pages, rel=0.02)
        assert estimate.sentence.startswith("Flash took about ")
        assert estimate.waf_note == flash_life.NO_LAYER_SAMPLED


MUCH_METADATA = {
    "face": {"scan_depth": "1", "metadata_segment_entries": "8"},
    "tac": {"extent_pages": "1", "aging_misses": "0"},
    "exadata": {"directory": "persistent"},
    "cac": {"directory": "persistent"},
    "larc": {"directory": "persistent"},
    "cachesack": {"directory": "persistent"},
    "ram_filter": {"admission": "s3_fifo"},
    "dm_writecache": {"autocommit_blocks": "1"},
}
"""Options by which a flash cache that has miniatures writes much metadata, or as much as it ever does."""
NAMES = [each["name"] for each in _simulator.contenders("flash_cache")]
NOT_TOLD = {"face": "metadata segments", "dm_writecache": "metadata"}


@pytest.mark.parametrize("name", NAMES)
def test_the_life_of_a_miniature_has_all_metadata_or_is_none(name: str) -> None:
    trace, device, rate = Trace(TPCB), catalog.device(DEVICE), Rate(20_000, "")
    options = MUCH_METADATA.get(name, {})
    point = {
        "flash_cache": name,
        "ram_pages": 1000,
        "flash_pages": 8000,
        "options": options,
    }
    if name not in MUCH_METADATA:
        with pytest.raises(_simulator.ParameterError, match="no small cache"):
            miniatures(trace, [point], 0.9)
        return
    [row] = miniatures(trace, [point], 0.9)["rows"]
    counts = replay(trace, "flash_cache", name, 1000, 8000, options=options)
    assert (counts["metadata_page_writes"] > 0) == (name != "ram_filter")
    estimate = lasting(
        life_of({**row, "page_bytes": PAGE}, device=device, rate=rate, is_sampled=True)
    )
    if name in NOT_TOLD:
        assert estimate.years is estimate.tb_per_day is None
        assert estimate.reason == flash_life.NOT_SAMPLED.format(NOT_TOLD[name])
        return
    exact = lasting(life_of(counts, device=device, rate=rate))
    assert estimate.years == pytest.approx(exact.years, rel=0.02)


def test_miniatures_say_what_no_sample_tells(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ("sweep", str(TPCB), *SIZES, *ON, "--miniature", "0.5")
    directory = ("--option=directory_pages=24", "--option=directory_buffer_pages=3")
    for more, lacks in (
        (("--scheme", "face", "--option=scan_depth=1"), "metadata segments"),
        (("--scheme", "dm_writecache", "--option=autocommit_blocks=1"), "metadata"),
        (("--scheme", "lazy", *directory), "the directory"),
    ):
        [row] = json.loads(said(capsys, *asked, *more, "--json"))
        life = row["flash_life"]
        assert life["years"] is None
        assert life["reason"] == flash_life.NOT_SAMPLED.format(lacks)
        assert life["sentence"].startswith("Flash took at least ")
    text = said(capsys, *asked, "--scheme", "larc")
    assert "life of flash [years]" in text


def test_evaluate_takes_the_rate_of_a_trace_without_times(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace, made = str(untimed(tmp_path)), str(tmp_path / "profile.json")
    said(capsys, "profile", trace, *CSV, "--output", made)
    asked = (
        "evaluate", made, *FEW, *ON, "--disk-device", DISK, "--start", "cold", "--trace", trace, *CSV,
        "--flash-cache", "larc,l2arc",
    )  # fmt: skip
    at = ("--accesses-per-s", "2000")
    found = json.loads(said(capsys, *asked, *at, "--json"))["check"]
    lives = {
        row["of"]: row["simulated"] for row in found["rows"] if row["figure"] == "life"
    }
    schemes = ("--scheme", "larc", "--scheme", "l2arc")
    swept = json.loads(
        said(capsys, "sweep", trace, *CSV, *schemes, *FEW, *ON, *at, "--json")
    )
    for row in swept:
        assert lives[row["scheme"]] == pytest.approx(row["flash_life"]["years"])
    alone = (*asked[:-1], "larc")
    text = said(capsys, *alone)
    assert NO_RATE in " ".join(text.split())
    assert "State the rate with --accesses-per-s." in text
    assert main([*asked[:-2], *at]) == 2
    assert (
        "--accesses-per-s has no effect without --flash-cache"
        in capsys.readouterr().err
    )
