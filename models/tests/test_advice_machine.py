"""RAM and devices without the price of a machine: what theirs could change, and what is not set against whole systems."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from advice_cases import (
    DEVICES_ALONE,
    PRICES,
    PRODUCTION,
    SHELF,
    TIB,
    ask,
    asked_of,
    book,
    curve,
    problems,
    question,
    tried,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tierwright.advise.advice._machine import behind_price, costing_less
from tierwright.advise.advice._scenarios import BASIS, Lacks, scenarios_text
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.found import (
    Advice,
    Option,
    Regret,
    Scenario,
    ScenarioRow,
)
from tierwright.advise.advice.request import Have
from tierwright.common.cautions import Weighed
from tierwright.common.currency import money
from tierwright.evaluate.advice.rows import SOURCES
from tierwright.hardware import catalog
from tierwright.hardware.device import Device, Figure
from tierwright.profile.curve import Curve, Given

WHOLES = replace(
    DEVICES_ALONE,
    kinds=("devices", "instances", "volumes"),
    servers=("aws-i3en.xlarge", "aws-i4i.xlarge", "aws-r6id.4xlarge"),
)
"""Few instances beside RAM and devices."""
DEAR_USD = Decimal(10**7)
"""Of a machine: more than whatever stands beside it costs."""


def with_machine(asked: dict[str, Any], usd: Decimal) -> Advice:
    candidates = replace(asked["candidates"], machine_usd=usd)
    return ask(**{**asked, "candidates": candidates})


def chosen_by(found: Advice) -> tuple[str, str] | None:
    best = found.recommendation
    return None if best is None else (best.name, best.scheme)


@given(problem=problems, wholes=st.booleans())
@settings(max_examples=tried(25), deadline=None)
def test_a_machine_changes_the_choice_where_it_is_said_to(
    problem: dict[str, Any], wholes: bool
) -> None:
    """Asked again with the price of a machine: of next to nothing, and of more than anything else costs."""
    asked = asked_of(problem)
    if wholes:
        some = asked["candidates"].devices
        asked["candidates"] = replace(WHOLES, devices=some)
    found = ask(**asked)
    assume(found.recommendation is not None and found.recommendation.without_machine)
    [said] = [each for each in found.cautions if each.code == "machine_left_out"]
    own = chosen_by(found)
    if said.could_change_choice:
        assert chosen_by(with_machine(asked, DEAR_USD)) != own
    else:
        for usd in (Decimal("0.01"), Decimal(1), Decimal(2000), DEAR_USD):
            assert chosen_by(with_machine(asked, usd)) == own


HAVE = Have(
    machines=1,
    ram_bytes=2 * TIB,
    disk=catalog.device("samsung-pm9a3-7.68tb-u2"),
    disks=20,
    usd_per_month=Decimal(500),
)


@pytest.mark.parametrize(
    ("asked", "effect"),
    [
        # What there is has more RAM than is allowed.
        (
            {"have": HAVE, "constraints": {"ram_bytes": TIB}},
            "the choice stays, whatever the machine costs",
        ),
        # It does not hold the data.
        (
            {
                "have": replace(
                    HAVE, disk=catalog.device("solidigm-d7-p5810-800gb"), disks=1
                )
            },
            "the choice stays, whatever the machine costs",
        ),
        # Other options are faster or slower, and money decides nothing.
        (
            {
                "candidates": WHOLES,
                "objective": "io_time",
                "constraints": {"ram_bytes": TIB},
            },
            "the choice stays, whatever the machine costs",
        ),
        # No instance keeps the limit.
        (
            {"candidates": WHOLES, "constraints": {"machines": 1, "ram_bytes": 2**34}},
            "the choice stays, whatever the machine costs",
        ),
        (
            {"candidates": WHOLES},
            "whole systems may cost less than these with their machine",
        ),
        (
            {"have": HAVE},
            "what there is today may cost less than these with their machine",
        ),
    ],
)
def test_what_cannot_be_the_choice_is_not_said_to_cost_less(
    asked: dict[str, Any], effect: str
) -> None:
    asked = {"candidates": DEVICES_ALONE, "prices": book(**PRICES), **asked}
    found = ask(**asked)
    assert found.recommendation is not None
    assert found.recommendation.without_machine
    [said] = [each for each in found.cautions if each.code == "machine_left_out"]
    assert said.effect == effect
    stays = chosen_by(with_machine(asked, DEAR_USD)) == chosen_by(found)
    assert said.could_change_choice != stays


def test_what_takes_as_long_may_be_cheaper_with_the_machine() -> None:
    """RAM holds all of the data of both, so money decides."""
    have = replace(HAVE, ram_bytes=8 * TIB, usd_per_month=Decimal(100_000))
    asked = {"candidates": DEVICES_ALONE, "objective": "io_time", "have": have}
    found = ask(**asked)
    assert found.recommendation is not None
    assert found.recommendation.without_machine
    [said] = [each for each in found.cautions if each.code == "machine_left_out"]
    assert said.effect == (
        "what there is today, which takes as long, may cost less than these with their machine"
    )
    again = with_machine(asked, DEAR_USD).recommendation
    assert again is not None
    assert again.kind == "have"


LIKE = "micron-7500-pro-15.36tb"


def drive(name: str, usd_per_gb: str, *lacks: str, **stated: Figure) -> Device:
    """A flash drive with a price, and without some of the figures of its data sheet."""
    figures = {
        key: each
        for key, each in catalog.device(LIKE).figures.items()
        if not key.startswith("unit_") and key not in lacks
    }
    price = Figure(Decimal(usd_per_gb), "USD/GB", "a quotation", "2026-11")
    return replace(
        catalog.device(LIKE),
        id=name,
        name=name,
        figures={**figures, "unit_price": price, **stated},
    )


WORN = drive("worn", "0.3", "dwpd", "endurance_years", "endurance_tb")
UNTOLD = drive("untold", "0.3", "read_latency_us")
WHOLE_OR = replace(WHOLES, devices=SHELF[2:3])
DEAR_DISK = {SHELF[2]: Decimal(9)}


def one(found: Advice, code: str) -> Weighed:
    [said] = [each for each in found.cautions if each.code == code]
    return said


def best_of(found: Advice) -> Option:
    assert found.recommendation is not None
    return found.recommendation


def test_what_an_assumption_rules_out_is_not_better_by_the_machine_that_it_lacks() -> (
    None
):
    """A server is chosen; RAM and a drive would cost less, but for their machine."""
    life = {"flash_life_years": Decimal(20)}
    asked = {
        "candidates": replace(WHOLE_OR, own=(WORN,)),
        "constraints": life,
        "prices": book(Decimal(3000), **DEAR_DISK),
    }
    found = ask(**asked)
    assert not best_of(found).without_machine
    said = one(found, "assumed_endurance_breaks_limit")
    assert " options that cost less without their machines by an assumed" in (
        said.message
    )
    assert "better" not in said.message
    # With the most that a drive of the catalogue states it is what the advisor says.
    endures = Figure(Decimal(10**7), "TB", "a data sheet", "2026-11")
    enduring = replace(WORN, figures={**WORN.figures, "endurance_tb": endures})
    then = best_of(ask(**{**asked, "candidates": replace(WHOLE_OR, own=(enduring,))}))
    assert then.without_machine
    assert then.usd_per_month is not None
    assert said.effect.endswith(
        f" would be the choice, at {money(then.usd_per_month)} per month, its machine not counted"
    )
    # Beside nothing, nothing is better.
    alone = ask(
        candidates=replace(DEVICES_ALONE, devices=SHELF[2:3], own=(WORN,)),
        constraints={
            **life,
            "usd_per_month": Decimal(300),
        },
        prices=book(Decimal(3000), **DEAR_DISK),
    )
    assert alone.recommendation is None
    said = one(alone, "assumed_endurance_breaks_limit")
    assert "rules out " in said.message
    assert "better" not in said.message
    assert said.effect.endswith(" per month, its machine not counted")


def test_what_is_unknown_of_parts_beside_a_whole_is_said_with_what_they_lack() -> None:
    asked = {
        "candidates": replace(WHOLE_OR, own=(UNTOLD,)),
        "constraints": {
            "response_p99_us": Decimal(400),
            "ram_bytes": Decimal(TIB),
        },
        "prices": book(Decimal(3000), **DEAR_DISK),
    }
    found = ask(**asked)
    best = best_of(found)
    assert not best.without_machine
    said = one(found, "unknown_breaks_limit")
    assert re.search(
        r"options that cost less (\(some )?without their machines\)? and keep every",
        said.message,
    )
    free = best_of(ask(**{**asked, "constraints": {"ram_bytes": Decimal(TIB)}}))
    assert free.disk_device == "untold"
    usd = (
        f"{money(free.usd_per_month or Decimal(0))} per month, its machine not counted"
    )
    assert f"costs {usd}: no source" in said.message
    assert said.effect.endswith(f"would be the choice, at {usd}")


def test_knowing_the_dirty_share_is_not_worth_a_machine() -> None:
    """With writes a server is chosen, without them RAM and a drive of which nobody priced the machine."""
    gib = 2**17
    pages = [1, 10 * gib, 20 * gib, 40 * gib, 200 * gib]
    unsaid = Curve.from_lists(
        pages,
        [900_000, 300_000, 150_000, 80_000, 10_000],
        None,
        accesses=10**6,
        distinct_pages=pages[-1],
        page_bytes=8192,
        write_accesses=400_000,
        given=Given("made", data_known=True),
    )
    capacity = replace(catalog.device(LIKE).figures["capacity"], value=Decimal(1000))
    worn = drive(
        "worn", "0.2", "dwpd", "endurance_years", "endurance_tb", capacity=capacity
    )
    found = ask(
        curve=unsaid,
        accesses_per_s=5000,
        constraints={"flash_life_years": Decimal(60)},
        candidates=replace(WHOLE_OR, servers=None, own=(worn,)),
        prices=book(Decimal(200), **DEAR_DISK),
    )
    assert not best_of(found).without_machine
    said = found.because.partition("If none is, ")[2]
    assert "worth" not in said
    assert "less" not in said
    assert said.endswith("per month, its machine not counted.")


def test_what_stands_beside_a_choice_says_whether_its_machines_are_counted() -> None:
    """Rows of a table without machines and with them, one and several, beside either."""
    three = replace(PRODUCTION, machines=3)
    for production, its in ((PRODUCTION, "its machine"), (three, "its machines")):
        asked = question(
            {
                "curve": curve(production),
                "candidates": WHOLES,
                "have": None,
                "constraints": {},
                "objective": "usd",
                "prices": book(**PRICES),
            }
        )
        table = Table.of(asked.setting)
        is_part = table.options.source == SOURCES.index("devices")
        part, whole = (int(np.flatnonzero(each)[0]) for each in (is_part, ~is_part))
        assert behind_price(table, part, own=None) == f", {its} not counted"
        assert behind_price(table, part, own=False) == f", {its} not counted"
        assert behind_price(table, part, own=True) == ""
        assert behind_price(table, whole, own=True) == ", machines included"
        assert behind_price(table, whole, own=False) == ""
        assert behind_price(table, whole, own=None) == ""
        best = table.option(whole)
        lacking = table.option(part)

        def less(*rows: int, than: Option = best, table: Table = table) -> str:
            return costing_less(table, np.asarray(rows), than)

        assert less(part) == f"costs less without {its}"
        assert less(part, part) == "cost less without their machines"
        assert less(part, whole) == f"cost less (1 without {its})"
        assert less(part, whole, part) == "cost less (some without their machines)"
        assert less(whole, whole) == "cost less"
        assert less(part, whole, than=lacking) == "cost less"


def test_the_other_end_of_what_is_not_known_says_that_its_machine_is_not_counted() -> (
    None
):
    """What there is costs a little less than RAM and devices now; at other ends of what is not known these are chosen."""
    # Writes of a drive that states no IOPS take as long as their latency, or as long as their transfer.
    slow = drive("slow", "0.5")
    load = replace(
        PRODUCTION,
        data_bytes=2 * TIB,
        growth_per_year=0.0,
        accesses_per_s=1e6,
        peak_accesses_per_s=1e6,
    )
    found = ask(
        curve=curve(load),
        candidates=replace(DEVICES_ALONE, devices=SHELF[:1], own=(slow,)),
        have=replace(
            HAVE, ram_bytes=2**36, disk=slow, disks=12, usd_per_month=Decimal(427)
        ),
        prices=book(),
        constraints={"ram_bytes": Decimal(2**36)},
    )
    assert best_of(found).kind == "have"
    effect = one(found, "latency_as_service_time").effect
    assert re.search(
        r"x slow would be the choice, at [\d.]+ USD per month, its machine not counted, ",
        effect,
    )
    # Misses of a larger production are fewer or more than the law says.
    load = replace(PRODUCTION, accesses_per_s=4e5, peak_accesses_per_s=1e6)
    found = ask(
        curve=curve(load),
        have=replace(HAVE, ram_bytes=28 * 2**30, disks=1, usd_per_month=Decimal(175)),
        how_sure=True,
    )
    assert best_of(found).kind == "have"
    ends = one(found, "scale_extrapolated").effect.split("; ")
    assert len(ends) == 2
    assert all(
        re.search(
            r" would be the choice, at [\d.]+ USD per month, its machine not counted$",
            each,
        )
        for each in ends
    )


def regrets_of(found: Advice) -> dict[tuple[str, str], list[Decimal | None]]:
    assert found.scenarios is not None
    return {
        (row.name, row.scheme): [each.regret_usd_per_month for each in row.regret]
        for row in found.scenarios.rows
    }


NOT_ALL = (
    "Not all of these costs include the machine that RAM and devices need. With it, "
)


def test_regrets_of_parts_and_wholes_say_what_machines_would_do_to_them() -> None:
    """Asked again with machines of two prices: no regret of RAM and devices is less then, none of an instance is more."""
    asked: dict[str, Any] = {
        "curve": curve(replace(PRODUCTION, growth_per_year=0.5)),
        "candidates": WHOLES,
        "prices": book(Decimal(6000), **PRICES),
        "how_sure": True,
    }
    found = ask(**asked)
    assert found.scenarios is not None
    rows = found.scenarios.rows
    assert {row.is_rented for row in rows} == {False, True}
    [own] = [row for row in rows if row.role == "recommended"]
    [robust] = [row for row in rows if row.is_robust]
    assert not own.is_rented
    assert not robust.is_rented
    assert own != robust
    assert found.scenarios.text.endswith(
        f"{NOT_ALL}the regret of the recommendation and the robust choice is no lower than stated; the best of a "
        "scenario and the robust choice may be others."
    )
    before = regrets_of(found)
    compared, changed = 0, 0
    for usd in (3000, 20_000):
        after = with_machine(asked, Decimal(usd))
        assert after.scenarios is not None
        assert "Not all of these" not in after.scenarios.text
        for row in after.scenarios.rows:
            name = row.name, row.scheme
            for one, then in zip(
                before.get(name, ()), regrets_of(after)[name], strict=False
            ):
                if one is not None and then is not None:
                    compared += 1
                    changed += one != then
                    assert then <= one if row.is_rented else then >= one
    assert compared > 40
    assert changed > 10
    # Where nothing else is for sale they are alike.
    alone = ask(**{**asked, "candidates": DEVICES_ALONE})
    assert alone.scenarios is not None
    assert "Not all of these" not in alone.scenarios.text


def row_of(
    name: str, role: str, usd: int, broken: int, *, is_robust: bool = False
) -> ScenarioRow:
    cells = tuple(
        Regret(
            Decimal(usd), ("peak_busy",) if at <= broken else (), Decimal(5), None, ""
        )
        if at
        else Regret(Decimal(usd), (), Decimal(0), None, "")
        for at in range(3)
    )
    return ScenarioRow(
        name, "none", (), name, role, False, cells, Decimal(5), None, is_robust
    )


def test_what_breaks_limits_less_often_is_no_difference_of_a_part_and_a_whole() -> None:
    rows = (row_of("part", "recommended", 100, 1), row_of("whole", "close", 140, 0))
    columns = tuple(
        Scenario(each, each, each, "part", Decimal(100), 1.0) for each in "abc"
    )
    regret = np.asarray([[0.0, 500.0, 500.0]] * 2)

    def said(*of_rows: int, bests: frozenset[int]) -> str:
        text = scenarios_text(
            columns, rows, 0, regret, by_time=False, lacks=Lacks(of_rows, bests)
        )
        return text.partition("by whole, which costs ")[2]

    assert said(0, 0, bests=frozenset({0})) == "40 USD per month more."
    assert said(1, 0, bests=frozenset({1})) == (
        f"140 USD per month, machines included. {NOT_ALL}the regret of the recommendation is no lower than stated; the "
        "best of a scenario and the choice of least regret may be others."
    )
    assert said(0, 2, bests=frozenset({0, 2})) == (
        "140 USD per month, its machines not counted. "
        f"{NOT_ALL.replace('machine ', 'machines ').replace('With it', 'With them')}the regret of the recommendation is no "
        "higher than stated; the best of a scenario and the choice of least regret may be others."
    )
    assert said(2, 2, bests=frozenset({2})) == "40 USD per month more."
    # Of I/O times nothing is money.
    assert "Not all" not in scenarios_text(
        columns,
        rows,
        0,
        regret,
        by_time=True,
        lacks=Lacks((1, 0), frozenset({1})),
    )


def test_the_basis_of_scenarios_says_it_as_their_text_does() -> None:
    assert "whether adding RAM or devices would be enough is not computed" in BASIS
