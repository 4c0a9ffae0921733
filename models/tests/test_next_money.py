"""The next money: both forms of gain, metadata charged, crossings, flips."""

import itertools
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tierwright.advise.dram_or_flash import break_even as break_even_question
from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.evaluate import metadata
from tierwright.evaluate.break_even import full as break_even_full
from tierwright.evaluate.break_even import gains as break_even_gains
from tierwright.evaluate.break_even import money as break_even_money
from tierwright.evaluate.break_even import next_money, theta
from tierwright.evaluate.break_even.gains import FullGains, PageCosts, PlainGains
from tierwright.hardware import catalog
from tierwright.hardware.device import Device
from tierwright.profile.curve import Curve
from tierwright.profile.document import Profile

FEW = settings(max_examples=25)

CURVE = Curve.from_lists(
    [100, 200, 300, 400],
    [400, 300, 250, 200],
    [80, 30, 15, 0],
    accesses=1000,
    distinct_pages=400,
    page_bytes=4096,
    write_accesses=200,
)
COSTS = PageCosts(disk_read=10, disk_write=12, flash_read=1, flash_write=2)
PRESETS = st.sampled_from([None, *metadata.PRESETS.values()])


@st.composite
def workloads(draw: st.DrawFn) -> Curve:
    """A curve listed at every size, as ingestion makes them."""
    size = draw(st.integers(2, 60))
    counts = st.lists(st.integers(0, 1000), min_size=size, max_size=size)
    misses = sorted(draw(counts), reverse=True)
    backs = sorted(draw(counts), reverse=True)
    return Curve.from_full(
        misses,
        [min(pair) for pair in zip(backs, misses, strict=True)],
        accesses=1000,
        page_bytes=512,
        write_accesses=1000,
    )


def forms(
    curve: Curve, base: int, preset: metadata.MetadataPreset | None
) -> list[PlainGains | FullGains]:
    return [
        PlainGains(curve, base, 10.0, 1.0, preset),
        FullGains(curve, base, COSTS, 0.25, preset),
    ]


@given(workloads(), st.integers(1, 40), st.integers(0, 80))
@FEW
def test_gains_without_metadata_are_those_of_the_known_forms(
    curve: Curve, base: int, pages: int
) -> None:
    plain, full = forms(curve, base, None)
    roi = break_even_money.roi_curve(
        curve,
        base,
        added_dram_pages=pages,
        added_flash_pages=pages,
        disk_cost=10,
        flash_cost=1,
    )
    assert float(plain.dram(pages)) == roi.dram_gain
    assert float(plain.flash(pages)) == pytest.approx(roi.flash_gain, abs=1e-9)
    known = break_even_full.gains_from_curve(curve, base, pages, COSTS, old_share=0.25)
    assert float(full.flash(pages)) == pytest.approx(float(known), abs=1e-9)


@pytest.mark.formula("evaluate.break_even.gains.least_flash")
@given(workloads(), st.integers(1, 40), st.floats(0.05, 5))
@FEW
def test_the_least_flash_is_theta_of_both_forms(
    curve: Curve, base: int, delta: float
) -> None:
    plain, full = forms(curve, base, None)
    found = theta.curve_theta(curve, base, delta, disk_cost=10, flash_cost=1)
    least = break_even_gains.least_flash(plain, plain.dram(delta * base))
    assert least / base == pytest.approx(float(found.theta), abs=1e-6, nan_ok=True)
    whole = break_even_full.full_theta(curve, base, delta, COSTS, old_share=0.25)
    least = break_even_gains.least_flash(full, full.dram(delta * base))
    assert least / base == pytest.approx(float(whole.theta), abs=1e-6, nan_ok=True)


@pytest.mark.oracle("evaluate.break_even.gains.least_flash")
@given(workloads(), st.integers(1, 40), st.integers(1, 30), PRESETS)
@FEW
def test_no_smaller_flash_gains_as_much(
    curve: Curve, base: int, added: int, preset: metadata.MetadataPreset | None
) -> None:
    for gains in forms(curve, base, preset):
        wanted = float(gains.dram(added))
        assume(wanted > 0)
        found = float(break_even_gains.least_flash(gains, wanted))
        if np.isfinite(found):
            assert float(gains.flash(found)) >= wanted - 1e-9
        if (
            preset is None
        ):  # a page of RAM less may undo the gain between two listed sizes
            sizes = np.arange(1, 400)
            enough = sizes[gains.flash(sizes) >= wanted + 1e-9]
            assert np.isfinite(found) or len(enough) == 0
            assert len(enough) == 0 or found <= enough[0] + 1e-6


@given(workloads(), st.integers(1, 40), st.integers(1, 60))
@FEW
def test_metadata_never_help(curve: Curve, base: int, pages: int) -> None:
    for free, charged in zip(
        forms(curve, base, None),
        forms(curve, base, metadata.preset("l2arc")),
        strict=True,
    ):
        found = float(charged.flash(pages))
        assert np.isnan(found) or found <= float(free.flash(pages)) + 1e-9
        left = metadata.ram_pages_left(
            metadata.preset("l2arc"), ram_pages=base, flash_pages=pages, page_bytes=512
        )
        assert np.isnan(found) == (float(left) < 1)
        assert float(charged.dram(pages)) == float(free.dram(pages))


def _next(
    gains: PlainGains | FullGains, usd: str = "0.4096", ratio: str = "0.5"
) -> Any:
    dram = Decimal("0.000001")
    return next_money.next_money(
        gains,
        usd=Decimal(usd),
        dram_usd_per_byte=dram,
        flash_usd_per_byte=dram * Decimal(ratio),
    )


@pytest.mark.oracle("evaluate.break_even.next_money.next_money")
def test_the_next_money_by_hand() -> None:
    # 0.4096 USD buy 100 pages of DRAM: 100 hits of 10; or 200 of flash: 150 hits of 9.
    found = _next(PlainGains(CURVE, 100, 10, 1))
    assert (found.dram_pages, found.flash_pages) == (100, 200)
    assert (found.dram_gain, found.flash_gain) == pytest.approx((1.0, 1.35))
    assert found.winner == "flash"
    # 1.0 of flash: 0.9 from the first 100 pages, 0.1 from 0.1 / 0.0045 more.
    assert found.matching_flash_pages == pytest.approx(100 + 0.1 / 0.0045)
    (crossing,) = found.crossings
    assert crossing.better_beyond == "dram"
    # Where 200 - f pages of 4.5 a thousand equal the next 100 of DRAM, f = 2 d.
    at = float(crossing.usd) / 0.004096
    assert (300 - 2 * at) * 0.0045 == pytest.approx(
        (100 - at) * 0.01 + at * 0.005, rel=0.02
    )
    assert found.dram_next[0] * 0.4096 == pytest.approx(1.0, rel=0.02)


@pytest.mark.oracle("evaluate.break_even.money.flip_price_ratio")
@pytest.mark.parametrize("form", [0, 1])
@pytest.mark.parametrize("preset", [None, metadata.preset("l2arc")])
def test_the_better_buy_changes_at_the_flip_ratio(
    form: int, preset: metadata.MetadataPreset | None
) -> None:
    gains = forms(CURVE, 100, preset)[form]
    flip = _next(gains).flip_price_ratio
    assert flip is not None
    assert _next(gains, ratio=f"{flip * 0.97:.6f}").winner == "flash"
    assert _next(gains, ratio=f"{flip * 1.03:.6f}").winner == "dram"


def test_the_lines_are_gains_of_whole_sums() -> None:
    for gains in forms(CURVE, 100, None):
        found = _next(gains)
        money = np.array([float(each) for each in found.spent_usd])
        pages = np.floor(money / 0.004096)
        assert found.dram_at == pytest.approx(gains.dram(pages))
        ahead = found.flash_next - found.dram_next
        signs = [np.sign(each) for each in ahead if abs(each) > 1e-12]
        changes = sum(one != other for one, other in itertools.pairwise(signs))
        assert len(found.crossings) == changes


@pytest.mark.formula(
    "evaluate.break_even.money.marginal_gains",
    "evaluate.break_even.next_money.spending_plan",
)
@given(
    workloads(), st.integers(1, 40), st.integers(1, 9), st.sampled_from(["0.2", "3"])
)
@FEW
def test_a_plan_in_plain_form_is_the_marginal_table(
    curve: Curve, base: int, pages: int, ratio: str
) -> None:
    price = Decimal("0.0001")
    prices = {
        "dram_usd_per_byte": price,
        "flash_usd_per_byte": price * Decimal(ratio),
        "usd_step": price * 512 * 3 * pages,
        "steps": 5,
    }
    known = break_even_money.marginal_gains(
        curve, ram_pages=base, flash_pages=0, disk_cost=10, flash_cost=1, **prices
    )
    found = next_money.spending_plan(PlainGains(curve, base, 10, 1), **prices)
    assert found.flash_gain[0] == pytest.approx(known.flash_gain[0], abs=1e-9)
    if found.choice == known.choice:  # else a tie that only rounding decides
        assert found.dram_gain == pytest.approx(known.dram_gain.tolist(), abs=1e-9)
        assert found.ram_pages == known.ram_pages
        assert found.usd == known.usd


@pytest.mark.oracle("evaluate.break_even.next_money.spending_plan")
def test_a_plan_spends_where_it_gains_most() -> None:
    for preset in (None, metadata.preset("l2arc")):
        for gains in forms(CURVE, 100, preset):
            found = next_money.spending_plan(
                gains,
                usd_step=Decimal("0.2"),
                steps=20,
                dram_usd_per_byte=Decimal("0.000001"),
                flash_usd_per_byte=Decimal("0.0000005"),
            )
            for dram, flash, choice in zip(
                found.dram_gain, found.flash_gain, found.choice, strict=True
            ):
                assert dram is not None
                assert flash is not None
                best = max(dram, flash)
                assert choice == "neither" or best == (
                    flash if choice == "flash" else dram
                )
            assert found.choice[-1] == "neither"  # the whole workload is held


def test_a_first_sum_must_earn_back_that_victims_are_staged() -> None:
    # 400 misses of 1000 are staged at 2 each before the first hit: -0.8 an access.
    found = _next(FullGains(CURVE, 100, COSTS), usd="0.02048")
    assert found.entry_gain == pytest.approx(-0.8)
    assert found.winner == "dram"
    assert found.entry_decides
    # The least sum at once from which flash gains more, by trying many.
    cheap = _next(FullGains(CURVE, 100, COSTS), usd="0.02048", ratio="0.1")
    (crossing,) = [
        each for each in cheap.total_crossings if each.better_beyond == "flash"
    ]
    for factor, winner in ((0.95, "dram"), (1.05, "flash")):
        usd = f"{float(crossing.usd) * factor:.6f}"
        assert (
            _next(FullGains(CURVE, 100, COSTS), usd=usd, ratio="0.1").winner == winner
        )


def test_flash_whose_metadata_leave_no_dram_is_not_a_buy() -> None:
    gains = PlainGains(CURVE, 2, 10, 1, metadata.preset("l2arc"))
    found = _next(gains, usd="1", ratio="0.5")
    assert found.flash_gain is None
    assert found.winner == "dram"
    assert found.to_dict()["flash_next"][-1] is None
    with pytest.raises(BadInput, match="need more RAM for their metadata"):
        break_even_money.roi_curve(
            CURVE,
            2,
            added_dram_pages=1,
            added_flash_pages=300,
            disk_cost=10,
            flash_cost=1,
            flash_metadata=metadata.preset("l2arc"),
        )


@pytest.mark.parametrize(
    ("usd", "message"),
    [
        ("0.001", "buys less than one page of DRAM"),
        ("-1", "must not be negative"),
    ],
)
def test_sums_that_buy_nothing_are_refused(usd: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        _next(PlainGains(CURVE, 100, 10, 1), usd=usd)


@pytest.mark.oracle("evaluate.break_even.next_money.flip_curve")
def test_flips_over_many_steps_are_those_of_each() -> None:
    found = next_money.flip_curve(
        CURVE, 100, [0.5, 1, 3], disk_cost=10, flash_cost=1, costs=COSTS
    )
    for at, delta in enumerate((0.5, 1, 3)):
        one = theta.curve_theta(CURVE, 100, delta, disk_cost=10, flash_cost=1)
        expected = delta / one.theta
        assert found.curve[at] == pytest.approx(float(expected), nan_ok=True)
    assert np.isnan(
        found.curve[2]
    )  # no flash gains what the whole workload in DRAM does
    assert found.full is not None
    assert np.all(found.log <= 1)


FLASH = catalog.device("face2016-samsung-840pro-256")
DISK = catalog.device("face2016-cheetah-15k6-single")


def _analyse(**changes: Any) -> break_even_question.BreakEven:
    return break_even_question.analyse(
        FLASH,
        DISK,
        **{
            "curve": CURVE,
            "ram_pages": 100,
            "usd": Decimal("0.01"),
            "prices": catalog.price_book("papers-2015"),
            **changes,
        },
    )


def test_a_price_ratio_stands_in_for_the_price_of_flash() -> None:
    found = _analyse(price_ratio=Decimal("0.5"))
    assert found.price_ratio == pytest.approx(0.5)
    assert found.roi is not None
    assert found.roi["flash_pages"] == pytest.approx(2 * found.roi["dram_pages"], abs=1)
    assert "0.5 x the price of DRAM" in found.roi["flash_price"]
    with pytest.raises(BadInput, match="price_ratio: `-1` must be above 0"):
        _analyse(price_ratio=Decimal(-1))
    ram = Device("dram", "DRAM", "dram")
    with pytest.raises(BadInput, match="needs a price of DRAM"):
        _analyse(price_ratio=Decimal(1), prices=None, usd=None, ram=ram)


def test_metadata_reach_every_answer_but_the_log_model() -> None:
    free, charged = _analyse(), _analyse(flash_metadata=metadata.preset("l2arc"))
    assert charged.theta == free.theta
    assert free.theta_from_curve is not None
    assert charged.theta_from_curve is not None
    for one, other in zip(free.theta_from_curve, charged.theta_from_curve, strict=True):
        assert other is None or (one is not None and other > one)
    assert free.roi is not None
    assert charged.roi is not None
    assert charged.roi["curve"].flash_gain < free.roi["curve"].flash_gain
    assert charged.marginal is not None
    assert free.marginal is not None
    assert charged.marginal.flash_gain[0] < free.marginal.flash_gain[0]
    assert "metadata_charged" in {warning.name for warning in charged.warnings}
    assert charged.inputs["flash_metadata"] == "l2arc"


def test_the_answer_joins_the_next_money_in_the_full_form() -> None:
    found = _analyse()
    assert found.next_money is not None
    assert "best scheme" in found.next_money.estimator
    assert found.next_money.flash_scheme in found.next_money.flash_gains
    assert found.roi is not None
    assert found.next_money.dram_pages == found.roi["dram_pages"]
    assert _analyse(usd=None).next_money is None


def test_the_command_charges_metadata_and_takes_a_price_ratio(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = tmp_path / "profile.json"
    profile.write_text(json.dumps(Profile(CURVE, None).to_dict()))
    asked = ["break-even", "--flash-device", FLASH.id, "--disk-device", DISK.id]
    asked += ["--profile", str(profile), "--ram-pages", "100", "--usd", "0.01"]
    asked += ["--price-book", "papers-2015"]
    more = ["--flash-metadata", "l2arc", "--price-ratio", "0.5"]
    assert main([*asked, *more, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["inputs"]["flash_metadata"] == "l2arc"
    assert found["price_ratio"] == pytest.approx(0.5)
    assert found["next_money"]["flash_pages"] == found["roi"]["flash_pages"]
    assert main([*asked, *more]) == 0
    shown = capsys.readouterr().out
    assert "flash is the better buy below" in shown
    assert main([*asked, "--price-ratio", "cheap"]) == 2
    assert "--price-ratio: `cheap`" in capsys.readouterr().err
    assert main([*asked, "--flash-metadata", "zfs"]) == 2
    assert "`zfs` is unknown" in capsys.readouterr().err
