"""One product in several profiles: no second alternative of an advice, and nothing else of the answer changes."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from advice_cases import DEVICES_ALONE, PRICES, SHELF, ask, book, question
from test_advice_bounded import PARTS, STOOD_IN, workload
from test_advice_own import own

from tierwright.advise import advice
from tierwright.advise.advice import _bounded, _choice
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.found import Advice, Option
from tierwright.advise.advice.request import Candidates
from tierwright.evaluate.configurations import sold as sold_module
from tierwright.hardware import catalog
from tierwright.hardware.device import Device
from tierwright.hardware.parts import parts

MONTHS = ("wd-sn850x-2tb-2026-05", "wd-sn850x-2tb-2026-06")


def consists_of(option: Option) -> tuple[str | None, str | None]:
    """What caches and what holds the data, as it is bought."""

    def product(name: str | None) -> str | None:
        if name is None:
            return None
        shipped = catalog.devices().get(name)
        return name if shipped is None else shipped.product or name

    flash, disk = product(option.flash_device), product(option.disk_device)
    return None if flash == disk else flash, disk


@pytest.mark.parametrize("objective", ["usd", "io_time"])
def test_a_drive_priced_in_two_months_is_listed_once(objective: str) -> None:
    found = ask(
        candidates=replace(DEVICES_ALONE, devices=(*MONTHS, *SHELF)),
        prices=catalog.price_books()["street-2026-q2"],
        objective=objective,
    )
    assert found.recommendation is not None
    listed = [consists_of(each) for each in (found.recommendation, *found.alternatives)]
    assert len(listed) == len(set(listed)) == 1 + _choice.MOST_ALTERNATIVES
    assert any("wd-sn850x-2tb" in each for each in listed)


def three(products: tuple[str | None, ...]) -> tuple[Device, ...]:
    """Three profiles of one drive at three prices, and with the products that they state."""
    prices = ("0.21", "0.2", "0.22")
    return tuple(
        replace(own(f"mine-{at}", usd_per_gb=usd), product=product)
        for at, (usd, product) in enumerate(zip(prices, products, strict=True))
    )


def asked(products: tuple[str | None, ...], **given_: Any) -> dict[str, Any]:
    return {
        "candidates": replace(
            DEVICES_ALONE, devices=(SHELF[2], SHELF[3]), own=three(products)
        ),
        **given_,
    }


TOGETHER = ("drive", "drive", "drive")
APART = (None, None, None)


def slowly(products: tuple[str | None, ...], given_: dict[str, Any]) -> list[int]:
    """The best of each product, found one option at a time."""
    made = question(
        {
            "curve": workload(2**42, 20_000.0, 1),
            "prices": book(**PRICES),
            "have": None,
            "constraints": {},
            "objective": "usd",
            **given_,
        }
    )
    table = Table.of(made.setting)
    chosen = _choice.chosen_of(made, table)
    of = {each.id: each.product or each.id for each in three(products)}
    seen, first = set(), []
    for at in chosen.order.tolist():
        flash, disk = table.names(at)
        caches, holds = of.get(flash or "", flash), of.get(disk or "", disk)
        # More of what holds the data, in front of it, is no other hardware.
        key = None if caches == holds else caches, holds
        if key not in seen:
            seen.add(key)
            first.append(at)
    best = first[0]
    assert _choice.alternatives(made, table, chosen, best) == first[1:9]
    return first


@pytest.mark.parametrize("objective", ["usd", "io_time", "pareto"])
@pytest.mark.parametrize("products", [TOGETHER, APART, ("a", None, "a"), ("mine-1", None, None)])  # fmt: skip
def test_the_best_of_each_product_stands_for_it(
    objective: str, products: tuple[str | None, ...]
) -> None:
    given_ = asked(products, objective=objective)
    assert len(slowly(products, given_)) > 2


def test_it_changes_nothing_but_the_alternatives() -> None:
    one, other = (
        ask(**asked(products, how_sure=True, constraints={"usd_per_month": 3000}))
        for products in (TOGETHER, APART)
    )
    assert one.recommendation is not None
    assert one.alternatives != other.alternatives
    # What is stated of a product is part of the question.
    assert one.advice_id != other.advice_id
    for name in ("recommendation", "rejected", "rejected_counts", "verdict"):
        assert getattr(one, name) == getattr(other, name), name
    # Whether its pool is split is said of an option where it is listed as an alternative, too.
    fronts = [
        [replace(each, clean_share_reason="") for each in found.pareto]
        for found in (one, other)
    ]
    assert fronts[0] == fronts[1]
    assert one.confidence == other.confidence


@pytest.mark.parametrize("purchase_usd", [12_000, 30_000])
def test_bounds_leave_out_no_alternative_for_a_profile_that_is_folded(
    purchase_usd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = {name: each for name, each in parts().items() if name in PARTS}
    monkeypatch.setattr(sold_module, "parts", lambda: some)
    monkeypatch.setattr(_bounded, "CHUNK", 100)
    monkeypatch.setattr(_bounded, "_FIRST_CHUNK", 100)
    monkeypatch.setattr(_bounded, "NEAR", 0.0)
    drives = tuple(
        replace(own(f"mine-{at}", usd_per_gb=f"0.{at + 10}"), product="drive")
        for at in range(12)
    )

    def answer(most: int) -> Advice:
        monkeypatch.setattr(_bounded, "SEARCH_FROM", most)
        return advice.answer(
            workload(2**40, 1000.0, 1),
            prices=book(**PRICES),
            candidates=Candidates(
                kinds=("chassis", "devices"),
                devices=(SHELF[2],),
                own=drives,
                max_machines=3,
                reserved_gib=Decimal(0),
                machine_usd=Decimal(0),
                part_usd={"chassis": Decimal(6000)},
            ),
            constraints={"purchase_usd": purchase_usd},
            objective="io_time",
            how_sure=False,
            **STOOD_IN,
        )

    whole, searched = answer(10**9), answer(0)
    assert searched.pruned > 0
    assert searched.recommendation == whole.recommendation
    assert searched.alternatives == whole.alternatives
    assert {each.kind for each in whole.alternatives} == {"chassis", "devices"}
