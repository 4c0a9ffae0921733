"""What options cost in scenarios: line by line, as a bill has it, so an option has one price in each."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest
from advice_cases import SHELF, ask, book

from tierwright.advise.advice.found import Advice, Option
from tierwright.advise.advice.request import Candidates

CENT = Decimal("0.01")
MONTHS = 7
TIMES = {"prices_up": Decimal("1.2"), "prices_down": Decimal("0.8")}
ODD = dict(
    zip(
        SHELF,
        (Decimal("3.137"), Decimal("0.7213"), Decimal("0.0417"), Decimal("0.0353")),
        strict=True,
    )
)
FLASH = SHELF[:2]


def cent(usd: Decimal) -> Decimal:
    return usd.quantize(CENT, ROUND_HALF_UP)


def by_hand(option: Option, times: Decimal) -> Decimal:
    """Each line of its bill at so many times its price if it is RAM or flash, spread over the months and rounded."""
    found = Decimal(0)
    for row in option.bill:
        moves = row["what"].startswith(("RAM", *FLASH, "dimm", "solidigm", "micron"))
        price = Decimal(row["unit_price"]) * (times if moves else 1)
        found += cent(cent(price * Decimal(row["quantity"])) / MONTHS)
    return found


def known(found: Advice) -> dict[tuple[str, str], Option]:
    """Options with a bill, by name and page flow."""
    listed = (found.recommendation, *found.alternatives, *found.pareto)
    return {(each.name, each.scheme): each for each in listed if each is not None}


SERVERS = Candidates(
    kinds=("chassis",),
    parts=(
        "chassis-dell-r760",
        "dimm-ddr5-rdimm-64gb",
        "solidigm-d5-p5336-61.44tb",
    ),
    part_usd={"chassis": Decimal("9000.37")},
)


@pytest.mark.parametrize(
    "asked",
    [
        {"prices": book(Decimal("5.37"), **ODD)},
        {"prices": book(Decimal("20.625"), **ODD)},
        {"prices": book(Decimal("0.193"), **ODD)},
        {"candidates": SERVERS, "prices": None},
    ],
    ids=["cheap", "dear", "cheapest", "servers"],
)
def test_an_option_has_the_price_of_its_bill_in_every_scenario(
    asked: dict[str, Any],
) -> None:
    found = ask(**asked, horizon_months=MONTHS, how_sure=True)
    scenarios = found.scenarios
    assert scenarios is not None
    options, checked = known(found), 0
    for at, column in enumerate(scenarios.columns):
        times = TIMES.get(column.name, Decimal(1))
        for row in scenarios.rows:
            cell = row.regret[at]
            if column.best == row.name and not cell.breaks:
                assert cell.usd_per_month >= (column.best_usd_per_month or 0)
                if cell.regret_usd_per_month == 0:
                    assert cell.usd_per_month == column.best_usd_per_month
            if cell.breaks and cell.regret_usd_per_month is not None:
                # All of it was bought, and no more than what is paid can be lost.
                assert cell.regret_usd_per_month == cell.usd_per_month
            option = options.get((row.name, row.scheme))
            if option is not None:
                assert cell.usd_per_month == by_hand(option, times)
                checked += 1
    assert checked >= len(scenarios.columns)
