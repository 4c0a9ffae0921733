"""Every option that has a price has the bill that makes it up: also what is rejected, and what states its amount alone."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from advice_cases import ask

from tierwright.advise import bill
from tierwright.advise.advice.found import Advice, Option
from tierwright.advise.advice.request import Candidates, Have, have_from_mapping
from tierwright.advise.report._document import checked
from tierwright.common.errors import BadInput
from tierwright.hardware.build import build_from_mapping

EVERY = Candidates(
    kinds=("instances", "volumes", "chassis", "devices"),
    part_usd={"chassis": Decimal(9000)},
    max_machines=1,
)


def listed(found: Advice) -> list[Option]:
    """Every option of an answer."""
    return [
        *found.alternatives,
        *found.pareto,
        *(each.option for each in found.rejected),
        *(
            each
            for each in (found.recommendation, found.option_zero)
            if each is not None
        ),
    ]


def test_the_rows_of_a_rejected_option_are_those_of_its_bill() -> None:
    found = ask(candidates=EVERY, constraints={"usd_per_month": 700})
    kinds = set()
    for each in found.rejected:
        option = each.option
        if option.usd_per_month is None:
            assert not option.bill
            continue
        kinds.add(option.kind)
        assert sum(Decimal(row["usd_per_month"]) for row in option.bill) == (
            option.usd_per_month
        )
        assert sum(Decimal(row["purchase_usd"]) for row in option.bill) == (
            option.purchase_usd
        )
    assert len(kinds) > 1
    # As the bill of the same CONFIG, asked by itself, has them.
    some = next(each.option for each in found.rejected if each.option.bill)
    again = bill.answer(build_from_mapping(some.config))
    assert [row["what"] for row in some.bill] == [each.what for each in again.lines]
    assert some.purchase_usd == again.purchase_usd


def test_an_amount_that_was_stated_is_a_row_that_says_so() -> None:
    today = have_from_mapping(
        {
            "machines": 1,
            "ram": "256GiB",
            "disk_device": "samsung-pm9a3-7.68tb-u2",
            "disks": 4,
            "usd_per_month": "1234.56",
            "purchase_usd": "720.07",
        },
        "file",
    )
    found = ask(have=today)
    zero = found.option_zero
    assert zero is not None
    [row] = zero.bill
    assert (row["what"], row["kind"]) == ("as stated", "stated")
    assert (row["usd_per_month"], row["purchase_usd"]) == ("1234.56", "720.07")
    assert row["source"] == "stated of what there is"
    for option in listed(found):
        if option.usd_per_month is not None:
            rows = [Decimal(each["usd_per_month"]) for each in option.bill]
            assert sum(rows) == option.usd_per_month, option.name
    # A report says that it was stated, in place of a row.
    read = checked(json.loads(json.dumps(found.to_dict())), "advice")
    assert read["option_zero"]["bill"] == []
    assert read["option_zero"]["usd_per_month"] == Decimal("1234.56")


def test_prices_in_the_bill_of_what_there_is_are_stated_of_it() -> None:
    """In its rows and in the steps: there is no CONFIG, and no candidate states them."""
    today = have_from_mapping(
        {
            "machines": 1,
            "ram": "256GiB",
            "disk_device": "samsung-pm9a3-7.68tb-u2",
            "disks": 8,
            "bill": {
                "machines": 1,
                "part": [{"id": "chassis-dell-r760", "usd": 1, "quantity": 1}],
            },
        },
        "file",
    )
    found = ask(have=today, constraints={"peak_busy": 1})
    zero, best = found.option_zero, found.recommendation
    assert zero is not None
    assert best is not None
    assert best.kind == "have"
    sources = {row["source"] for row in (*zero.bill, *best.bill) if row["unit_price"]}
    assert sources == {"stated of what there is"}
    assert any(each.source == "stated of what there is" for each in found.derivation())
    assert not any("CONFIG" in each.source for each in found.derivation())


BOX = {
    "machines": 1,
    "ram": "256GiB",
    "disk_device": "samsung-pm9a3-7.68tb-u2",
    "disks": 8,
}
BOXES = {"extra": [{"what": "box", "quantity": 2, "usd": "3600"}]}
"""What 7,200 USD buy: 200 USD a month over 36 months, and 600 USD over 12."""


def box_of(bill: dict[str, Any], **amounts: str) -> Have:
    return have_from_mapping({**BOX, **amounts, "bill": bill}, "file")


@pytest.mark.parametrize(("months", "usd"), [(36, "200.00"), (12, "600.00")])
@pytest.mark.parametrize("is_stated", [False, True])
def test_the_bill_of_what_there_is_is_spread_over_the_months_of_the_question(
    months: int, usd: str, *, is_stated: bool
) -> None:
    own = {"horizon_months": months} if is_stated else {}
    found = ask(have=box_of({**BOXES, **own}), horizon_months=months)
    zero = found.option_zero
    assert zero is not None
    assert zero.usd_per_month == Decimal(usd)
    # Billed by its CONFIG it costs as much.
    assert zero.config["horizon_months"] == months
    again = bill.answer(build_from_mapping(zero.config))
    assert again.purchase_usd / months == Decimal(usd)


def test_another_horizon_in_the_bill_of_what_there_is_is_refused() -> None:
    with pytest.raises(BadInput) as refused:
        ask(have=box_of({**BOXES, "horizon_months": 12}), horizon_months=36)
    assert (
        "have.bill.horizon_months: `12` is not the horizon of the question, 36 months"
        in refused.value.message
    )
    assert "leave it out" in refused.value.hint


@pytest.mark.parametrize("name", ["usd_per_month", "purchase_usd"])
def test_amounts_beside_a_bill_are_refused(name: str) -> None:
    with pytest.raises(BadInput, match=rf"{name}: `50` is stated twice"):
        box_of(BOXES, **{name: "50"})


SERVERS = {
    "ram": "256GiB",
    "disk_device": "samsung-pm9a3-7.68tb-u2",
    "disks": 4,
}


def test_what_there_is_has_as_many_machines_as_its_bill() -> None:
    """Where only the bill says how many: as if both did, and not the rent of two for one."""
    rented = {"server": "aws-i4i.4xlarge", "machines": 2}
    alone, both = (
        have_from_mapping({**SERVERS, **stated, "bill": rented}, "file")
        for stated in ({}, {"machines": 2})
    )
    assert alone == both
    few = have_from_mapping(
        {key: SERVERS[key] for key in SERVERS if key != "disks"} | {"bill": rented},
        "file",
    )
    assert (few.machines, few.disks) == (2, 2)
    found = ask(have=alone, constraints={"machines": 2})
    zero = found.option_zero
    assert zero is not None
    assert zero.machines == 2
    own = bill.answer(build_from_mapping(rented))
    assert zero.usd_per_month == own.usd_per_month


@pytest.mark.parametrize(
    ("machines", "stated", "said"),
    [
        (1, {"machines": 2}, "`2` is not the number of machines that there are, 1"),
        (2, {"machines": 1}, "`1` is not the number of machines that there are, 2"),
        (
            2,
            {},
            "`1` is not the number of machines that there are, 2; it states none, so it is of one",
        ),
    ],
)
def test_a_bill_of_another_number_of_machines_is_refused(
    machines: int, stated: dict[str, int], said: str
) -> None:
    rented = {"server": "aws-i4i.4xlarge", **stated}
    with pytest.raises(BadInput) as refused:
        have_from_mapping({**SERVERS, "machines": machines, "bill": rented}, "file")
    text = str(refused.value)
    assert "bill.machines" in text
    assert said in text
    assert "in both" in (refused.value.hint or "")


def test_a_bill_of_lines_alone_is_of_all_machines() -> None:
    have = have_from_mapping({**SERVERS, "machines": 2, "bill": BOXES}, "file")
    zero = ask(have=have).option_zero
    assert zero is not None
    assert (zero.machines, zero.usd_per_month) == (2, Decimal("200.00"))


@pytest.mark.parametrize(
    ("stated", "server"),
    [
        ({"server": "aws-i4i.4xlarge"}, "aws-i4i.4xlarge"),
        ({"part": [{"id": "chassis-dell-r760", "usd": 9000}]}, "chassis-dell-r760"),
        ({"extra": [{"what": "box", "quantity": 2, "usd": "3600"}]}, None),
    ],
)
def test_the_server_of_what_there_is_is_that_of_its_bill(
    stated: dict[str, Any], server: str | None
) -> None:
    zero = ask(have=box_of(stated)).option_zero
    assert zero is not None
    assert zero.server == server
