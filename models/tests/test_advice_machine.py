"""RAM and devices without the price of a machine: what theirs could change, and what is not set against whole systems."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from advice_cases import (
    DEVICES_ALONE,
    PRICES,
    TIB,
    ask,
    asked_of,
    book,
    problems,
    tried,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tierwright.advise.advice.found import Advice
from tierwright.advise.advice.request import Have
from tierwright.hardware import catalog

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
