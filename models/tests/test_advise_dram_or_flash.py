"""Where the next dollar belongs, in words that follow from the figures, on opposite cases."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
import recordings

from tierwright.advise import dram_or_flash
from tierwright.advise.dram_or_flash import break_even
from tierwright.common.errors import BadInput
from tierwright.evaluate.break_even import next_money
from tierwright.evaluate.break_even.schemes import BestGains
from tierwright.hardware import catalog
from tierwright.profile.curve import Curve, Given
from tierwright.profile.measure import profile
from tierwright.trace.reading import Trace

TPCB = Trace(recordings.TPCB)
FLASH = catalog.device("face2016-samsung-840pro-256")
DISK = catalog.device("face2016-cheetah-15k6-single")
BOOK = catalog.default_price_book()


@pytest.fixture(scope="module")
def curve() -> Curve:
    return profile(TPCB).curve


def asked(curve: Curve, **given: Any) -> dram_or_flash.DramOrFlash:
    with_prices = {"ram_pages": 2000, "prices": BOOK, "price_ratio": Decimal("0.1")}
    return dram_or_flash.answer(FLASH, DISK, curve=curve, **{**with_prices, **given})


def test_cheap_flash_is_the_better_buy_and_dear_flash_is_not(curve: Curve) -> None:
    cheap = asked(curve, price_ratio=Decimal("0.001"), ram_pages=2000)
    dear = asked(curve, price_ratio=Decimal(100))
    assert cheap.end.main is not None
    assert dear.end.main is not None
    assert dear.end.main.winner == "dram"
    assert "belongs in DRAM" in dear.finding
    assert cheap.end.main.flash_pages > dear.end.main.flash_pages
    assert cheap.end.main.winner != "dram" or "less flash" in cheap.finding
    assert dear.figures[0].value == "dram"


@pytest.mark.oracle("advise.dram_or_flash.answer")
def test_the_sum_gains_what_the_schemes_gain(curve: Curve) -> None:
    found = asked(curve, usd=Decimal(5))
    main = found.end.main
    assert main is not None
    costs = break_even.page_costs(FLASH, DISK, 1, curve.page_bytes, sequential=False)
    gains = BestGains(curve, 2000, costs, 0.0, None)
    prices = found.end.prices
    dram, flash = prices.per_byte(prices.ram), prices.per_byte(prices.flash)
    assert dram is not None
    assert flash is not None
    again = next_money.next_money(
        gains, usd=Decimal(5), dram_usd_per_byte=dram, flash_usd_per_byte=flash
    )
    assert main.dram_pages == int(Decimal(5) / (dram * curve.page_bytes))
    assert (main.dram_gain, main.flash_gain) == (again.dram_gain, again.flash_gain)
    assert f"{main.dram_pages:,} pages of DRAM" in found.sentence


def test_without_prices_only_sizes_are_told(curve: Curve) -> None:
    found = dram_or_flash.answer(FLASH, DISK, curve=curve, ram_pages=2000)
    assert found.end.main is None
    assert found.finding.startswith("No decision without prices")
    assert found.steps[0].theta_curve is not None
    with pytest.raises(BadInput) as caught:
        dram_or_flash.answer(FLASH, DISK, curve=curve, ram_pages=2000, usd=Decimal(5))
    assert [problem.where for problem in caught.value.problems] == ["usd"]


def test_an_unknown_dirty_share_is_answered_at_both_ends_or_by_hits_alone() -> None:
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
    hits = asked(bare)
    assert hits.form == "plain"
    assert hits.least is None
    both = asked(bare, dirty_share_range=True)
    assert both.least is not None
    assert both.form == "full"
    assert both.warnings[0].name == "dirty_share_unknown"
    assert both.derivation()[0].name == "p_d"
    assert both.least.end.main is not None
    assert both.least.sentence in both.sentence


def test_a_notebook_shows_the_finding_and_the_steps_on_demand(curve: Curve) -> None:
    found = asked(curve)
    assert found.finding in found._repr_html_()
    names = [step.name for step in found.derivation()]
    assert any(name.endswith(", next money") for name in names)
    document = found.to_dict()
    json.dumps(document)
    assert "derivation" not in document
