"""A recommendation that rests on a price much older than others says so, with what it costs at newer ones, and draws it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np
import pytest
from advice_cases import (
    DEVICES_ALONE,
    PRICES,
    SHELF,
    ask,
    book,
    curve,
    read_question,
)

from tierwright.advise.advice import _words
from tierwright.advise.advice._price_dates import buys_at_later, old_prices
from tierwright.advise.advice._prices import spread_of_kinds, uncertain_purchases
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.found import Advice
from tierwright.advise.advice.request import Candidates
from tierwright.cli.advise import _priced_long_ago, _print_bill
from tierwright.common.cautions import Weighed
from tierwright.common.currency import money
from tierwright.hardware import catalog
from tierwright.hardware.parts import parts
from tierwright.hardware.prices import Price, PriceBook
from tierwright.profile.production import Production

OLD, NEW = "dimm-ddr5-rdimm-32gb", "dimm-ddr5-rdimm-64gb"
DRIVE = "solidigm-d5-p5336-61.44tb"
MONTHS = 36
CENT = Decimal("0.01")
GIB = {OLD: 32, NEW: 64}


def servers(*modules: str, **stated: Decimal) -> Candidates:
    return Candidates(
        kinds=("chassis",),
        parts=("chassis-dell-r760", *modules, DRIVE),
        part_usd={"chassis": Decimal(9000), **stated},
        max_machines=1,
    )


def of_dates(found: Advice) -> list[Weighed]:
    return [each for each in found.cautions if each.code == "prices_of_different_dates"]


def usd_per_gib(module: str) -> Decimal:
    """As the catalogue has it: its newest price over its size."""
    price = parts()[module].price()
    assert price is not None
    return price.usd / GIB[module]


def month(usd: Decimal) -> Decimal:
    """A purchase to the cent, spread over the months to the cent."""
    bought = usd.quantize(CENT, ROUND_HALF_UP)
    return (bought / MONTHS).quantize(CENT, ROUND_HALF_UP)


def test_a_price_of_years_ago_is_said_with_both_of_its_effects() -> None:
    found = ask(candidates=servers(OLD, NEW), prices=None, horizon_months=MONTHS)
    without = ask(candidates=servers(NEW), prices=None, horizon_months=MONTHS)
    best, other = found.recommendation, without.recommendation
    assert best is not None
    assert other is not None
    assert OLD in best.name
    [row] = [each for each in best.bill if each["what"] == OLD]
    assert row["date"] == "2023-Q1"
    [said] = of_dates(found)
    assert f"`{OLD}`, 2.34 USD per GiB, is from 2023-Q1" in said.message
    assert f"`{NEW}`, 13.6 USD per GiB, is from 2026-Q1" in said.message
    # The same modules at the price per GiB of the newest of their kind and market.
    size = Decimal(row["quantity"]) * GIB[OLD]
    more = month(size * usd_per_gib(NEW)) - month(size * usd_per_gib(OLD))
    dearer = f"at that of `{NEW}` it costs {money(more)} per month more"
    # And the same question without what is priced so long ago.
    assert best.usd_per_month is not None
    assert other.usd_per_month is not None
    instead = money(other.usd_per_month - best.usd_per_month)
    assert said.effect == (
        f"{dearer}; {_words.named(other)}, the cheapest that buys at no price from 2023-Q1 or before, costs {instead} per month more"
    )
    assert said.could_change_choice is True
    assert dearer in found.because
    assert not of_dates(without)


def test_a_limit_that_the_newer_price_breaks_is_named() -> None:
    free = ask(candidates=servers(OLD, NEW), prices=None).recommendation
    assert free is not None
    assert free.usd_per_month is not None
    found = ask(
        candidates=servers(OLD, NEW),
        prices=None,
        constraints={"usd_per_month": free.usd_per_month},
    )
    [said] = of_dates(found)
    assert "and breaks the limit on the cost per month; " in said.effect
    assert (
        "nothing that buys at no price from 2023-Q1 or before keeps every limit"
        in said.effect
    )


def test_a_price_that_you_state_is_not_old() -> None:
    found = ask(candidates=servers(OLD, NEW, **{OLD: Decimal(75)}), prices=None)
    assert found.recommendation is not None
    assert OLD in found.recommendation.name
    assert not of_dates(found)


def table_of(candidates: Candidates, prices: PriceBook | None) -> Table:
    asked = read_question(
        curve(),
        (None, None),
        candidates,
        None,
        {},
        "usd",
        prices,
        MONTHS,
        (None, None),
        0,
    )
    return Table.of(asked.setting)


def test_what_rests_on_an_old_price_is_what_has_its_part() -> None:
    table = table_of(servers(OLD, NEW), None)
    rows = range(len(table.options))
    titles = [table.title(at) for at in rows]
    old = next(at for at, title in enumerate(titles) if OLD in title)
    found = old_prices(table, old)
    assert found is not None
    assert [(each.price.id, each.newer and each.newer.id) for each in found.old] == [
        (OLD, NEW)
    ]
    newer = buys_at_later(table, found.until)
    assert newer.tolist() == [OLD not in title for title in titles]
    assert 0 < np.count_nonzero(newer) < len(newer)


def test_an_old_price_is_drawn_up_to_that_of_the_newest_of_its_kind() -> None:
    table = table_of(servers(OLD, NEW), None)
    at = next(at for at in range(len(table.options)) if OLD in table.title(at))
    found = uncertain_purchases(table, at, spread_of_kinds())
    drawn = found[f"={OLD}"]
    assert drawn.range.low == 1
    assert drawn.range.high == pytest.approx(float(usd_per_gib(NEW) / usd_per_gib(OLD)))
    assert drawn.range.place_as_is == 0
    said = ask(candidates=servers(OLD, NEW), prices=None, how_sure=True).confidence
    assert f"`{OLD}` from that of 2023-Q1 to that of `{NEW}` of 2026-Q1 per GiB" in (
        said.reason
    )


def aged(prices: PriceBook, **dates: str) -> PriceBook:
    """The same prices, those of some devices and of RAM at other dates."""
    return replace(
        prices,
        prices=tuple(
            replace(each, date=dates.get(each.device_id or "ram", "2026-09"))
            for each in prices.prices
        ),
    )


@pytest.mark.parametrize(("date", "is_old"), [("2024-03", True), ("2026-02", False)])
def test_devices_of_a_book_are_held_against_its_other_prices(
    date: str, is_old: bool
) -> None:
    """Two quarters still compare."""
    cheap = dict.fromkeys(SHELF, Decimal(9)) | {
        "seagate-exos-x24-24tb": Decimal("0.01")
    }
    prices = aged(book(**{**PRICES, **cheap}), **{"seagate-exos-x24-24tb": date})
    found = ask(prices=prices, constraints={"flash_bytes": 1})
    best = found.recommendation
    assert best is not None
    assert best.disk_device == "seagate-exos-x24-24tb"
    said = of_dates(found)
    assert bool(said) == is_old
    if is_old:
        assert "`seagate-exos-x24-24tb`" in said[0].message
        assert "2024-03" in said[0].message
        assert "that buys at no price from 2024-Q1 or before" in said[0].effect


def test_the_bill_in_the_terminal_has_the_date_of_what_is_old(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = ask(candidates=servers(OLD, NEW), prices=None)
    assert found.recommendation is not None
    _print_bill(found.recommendation, _priced_long_ago(found))
    shown = capsys.readouterr().out
    assert f"{OLD} (price of 2023-Q1)" in shown
    assert f"{DRIVE} (" not in shown


def test_prices_per_gb_and_per_gib_are_one_unit() -> None:
    """0.2147483648 USD per GiB is 0.2 USD per GB: twice the old price, not 2.147 times."""
    old, new = "samsung-pm9a3-7.68tb-u2", "solidigm-d7-p5810-800gb"
    priced = aged(
        book(**{**dict.fromkeys(SHELF, Decimal(9)), old: Decimal("0.1")}),
        **{old: "2023-01"},
    )
    dear = Price(
        Decimal("0.2147483648"),
        "GiB",
        rent=False,
        source="a test",
        date="2026-09",
        device_id=new,
    )
    prices = replace(
        priced,
        prices=(*(each for each in priced.prices if each.device_id != new), dear),
    )
    found = ask(prices=prices, horizon_months=MONTHS)
    best = found.recommendation
    assert best is not None
    [row] = [each for each in best.bill if each["what"] == old]
    once = month(Decimal(row["purchase_usd"]))
    twice = month(2 * Decimal(row["purchase_usd"]))
    [said] = of_dates(found)
    assert f"`{old}`, 0.100 USD per GB, is from 2023-01" in said.message
    assert f"`{new}`, 0.200 USD per GB, is from 2026-09" in said.message
    assert f"it costs {money(twice - once)} per month more" in said.effect


def test_a_draw_of_an_old_price_per_gib_goes_as_far_as_one_per_gb() -> None:
    old, new = "samsung-pm9a3-7.68tb-u2", "solidigm-d7-p5810-800gb"
    prices = aged(
        book(**{**dict.fromkeys(SHELF, Decimal(9)), new: Decimal("0.2")}),
        **{old: "2023-01"},
    )
    gib = replace(
        prices,
        prices=tuple(
            replace(each, usd=Decimal("0.1073741824"), per="GiB")
            if each.device_id == old
            else each
            for each in prices.prices
        ),
    )
    table = table_of(DEVICES_ALONE, gib)
    at = next(
        at
        for at in range(len(table.options))
        if old in table.title(at) and new not in table.title(at)
    )
    drawn = uncertain_purchases(table, at, spread_of_kinds())[f"={old}"]
    assert drawn.range.high == pytest.approx(2)
    assert drawn.range.low == 1


DISK, LARGE_DISK, NEW_DISK = (
    "hdd-nearline-16tb",
    "hdd-nearline-28tb",
    "seagate-exos-x24-24tb",
)
COLD = Production(100 * 2**40, 1000.0, 1000.0)
"""A rate that a server of disks carries."""


def arrays(*bought: str, **stated: Decimal) -> Candidates:
    """Servers of disks."""
    return Candidates(
        kinds=("chassis",),
        parts=("chassis-aic-sb407-tu", *bought),
        part_usd={"chassis": Decimal(9000), **stated},
        max_machines=1,
    )


def ask_cold(candidates: Candidates, **given: Any) -> Advice:
    """Ask of prices of the catalogue, with the times of a disk that states them."""
    asked = {"prices": None, "disk": catalog.device(NEW_DISK), **given}
    return ask(curve=curve(COLD), candidates=candidates, **asked)


def usd_per_gb(drive: str) -> Decimal:
    """As the catalogue has it: its newest price over its size."""
    price, size = parts()[drive].price(), parts()[drive].capacity_bytes
    assert price is not None
    assert size is not None
    return price.usd / (Decimal(size) / 10**9)


def dearer(row: Mapping[str, Any], new: Decimal) -> Decimal:
    """How much more a row of a bill costs a month at another price of one."""
    count = Decimal(row["quantity"])
    return month(count * new) - month(count * Decimal(row["unit_price"]))


def test_each_of_two_old_prices_is_named_with_what_it_makes() -> None:
    found = ask_cold(
        arrays(OLD, DISK),
        horizon_months=MONTHS,
    )
    best = found.recommendation
    assert best is not None
    rows = {row["what"]: row for row in best.bill}
    disk = dearer(rows[DISK], usd_per_gb(NEW_DISK) * 16000)
    memory = dearer(rows[OLD], usd_per_gib(NEW) * GIB[OLD])
    [said] = of_dates(found)
    assert f"`{DISK}`, 0.0140 USD per GB, is from 2022-11" in said.message
    assert f"`{OLD}`, 2.34 USD per GiB, is from 2023-Q1" in said.message
    assert f"`{NEW_DISK}`, " in said.message
    assert f"`{NEW}`, " in said.message
    both = (
        f"with `{DISK}` at the price of `{NEW_DISK}` ({money(disk)} per month more) and `{OLD}` at the price of `{NEW}` "
        f"({money(memory)} per month more) it costs {money(disk + memory)} per month more"
    )
    assert said.effect.startswith(both)
    assert both in found.because
    assert f"is from 2022-11 and that of `{OLD}`, 2.34 USD per GiB, from 2023-Q1: " in (
        found.because
    )


def test_what_two_newer_prices_break_together_is_said() -> None:
    free = ask_cold(arrays(OLD, DISK)).recommendation
    assert free is not None
    assert free.usd_per_month is not None
    found = ask_cold(
        arrays(OLD, DISK),
        constraints={"usd_per_month": free.usd_per_month},
    )
    [said] = of_dates(found)
    assert " and breaks the limit on the cost per month; " in said.effect


def test_an_old_price_without_a_newer_one_of_its_kind_is_not_repriced() -> None:
    old, new = "seagate-exos-x24-24tb", "wd-gold-20tb-hc560-sibling"
    cheap = {old: Decimal("0.01"), new: Decimal("0.03")}
    prices = aged(
        book(**{**dict.fromkeys(SHELF, Decimal(9)), **cheap}),
        **{old: "2023-03", "ram": "2022-01"},
    )
    found = ask(prices=prices, horizon_months=MONTHS)
    best = found.recommendation
    assert best is not None
    [row] = [each for each in best.bill if each["what"] == old]
    bought = Decimal(row["purchase_usd"])
    more = money(month(3 * bought) - month(bought))
    [said] = of_dates(found)
    assert said.about == ("RAM", old)
    assert "the price of RAM, 20.6 USD per GiB, is from 2022-01" in said.message
    assert f"the price of `{old}`, 0.0100 USD per GB, is from 2023-03" in said.message
    assert said.effect == (
        f"with `{old}` at the price of `{new}` it costs {more} per month more; no comparable price of RAM is over "
        "2 quarters newer; nothing that buys at no price from 2023-Q1 or before keeps every limit"
    )


def test_what_is_bought_at_prices_after_those_that_are_named_is_an_option() -> None:
    """A price of 2025 is older than the newest, but not as old as the one of 2022 that is named."""
    large = parts()[LARGE_DISK].price()
    assert large is not None
    assert "2022-12" < large.date < "2025-12"
    found = ask_cold(arrays(NEW, DISK, LARGE_DISK))
    without = ask_cold(arrays(NEW, LARGE_DISK))
    best, other = found.recommendation, without.recommendation
    assert best is not None
    assert other is not None
    assert DISK in best.name
    assert best.usd_per_month is not None
    assert other.usd_per_month is not None
    [said] = of_dates(found)
    assert said.about == (DISK,)
    assert said.effect.endswith(
        f"{_words.named(other)}, the cheapest that buys at no price from 2022-Q4 or before, costs "
        f"{money(other.usd_per_month - best.usd_per_month)} per month more"
    )


def test_what_is_as_old_as_a_price_that_is_named_is_left_out() -> None:
    table = table_of(arrays(OLD, NEW, DISK, LARGE_DISK), None)
    rows = range(len(table.options))
    titles = [table.title(at) for at in rows]
    both = next(at for at in rows if OLD in titles[at] and DISK in titles[at])
    disk = next(at for at in rows if NEW in titles[at] and DISK in titles[at])
    found, alone = old_prices(table, both), old_prices(table, disk)
    assert found is not None
    assert alone is not None
    # Named are 2022-11 and 2023-Q1, and 2022-11 alone.
    assert buys_at_later(table, found.until).tolist() == [
        OLD not in title and DISK not in title for title in titles
    ]
    assert buys_at_later(table, alone.until).tolist() == [
        DISK not in title for title in titles
    ]
