"""What a tier costs a month: worked by hand, invariants, refusals."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.common.errors import BadInput
from tierwright.evaluate import economics
from tierwright.evaluate.economics import Assumptions, Load
from tierwright.hardware import catalog, prices
from tierwright.hardware.device import Device, device_from_mapping
from tierwright.hardware.prices import Price, price_book_from_mapping

TB = Decimal(10**12)
money = st.decimals(0, 100_000, places=2)


def device(kind: str = "nvme", **figures: tuple[Any, str]) -> Device:
    return device_from_mapping(
        {
            "id": "d",
            "name": "d",
            "kind": kind,
            "figures": {
                name: {"value": value, "unit": unit, "source": "test", "date": "2025"}
                for name, (value, unit) in figures.items()
            },
        }
    )


SSD = device(
    capacity=(1000, "GB"),
    unit_price=(Decimal("0.2"), "USD/GB"),
    endurance_tb=(1000, "TB"),
    active_power_w=(10, "W"),
    idle_power_w=(4, "W"),
)


def line(found: economics.TierCost, name: str) -> Decimal:
    return sum(
        (each.usd_per_month for each in found.lines if each.name == name), Decimal(0)
    )


@pytest.mark.oracle("evaluate.economics.tier_cost")
def test_a_purchase_by_hand() -> None:
    # Half of a 1 TB device of 200 USD, 36 months, 10 and 4 W busy half of the time, PUE 1.5,
    # 0.10 USD/kWh: 7 W x 0.5 x 1.5 x 730 h / 1000 x 0.1 = 0.383250.
    used = Assumptions(usd_per_kwh=Decimal("0.10"))
    found = economics.tier_cost(SSD, 500 * 10**9, assumptions=used)
    assert found.capex_usd == 100
    assert line(found, "capital") == Decimal(100) / 36
    assert line(found, "power") == Decimal("0.38325")
    assert found.usd_per_month == line(found, "capital") + line(found, "power")
    assert found.opex_usd_per_month == line(found, "power")
    assert found.usd_per_page_month(4096) == found.usd_per_month * 4096 / 500 / 10**9
    each = found.usd_per_million_accesses(Decimal(10**9))
    assert each == found.usd_per_month / 1000
    assert found.usd_per_million_accesses(Decimal(0)) is None
    assert economics.tier_cost(SSD, 0).usd_per_page_month(4096) is None
    whole = economics.tier_cost(
        SSD, 1001 * 10**9, assumptions=Assumptions(whole_devices=True)
    )
    assert (whole.devices, whole.capex_usd) == (2, 400)


def test_rent_provisioned_rates_and_fees_by_hand() -> None:
    volume = device(
        "cloud_block",
        unit_rent=(Decimal("0.08"), "USD/GiB/month"),
        iops_rent=(Decimal("0.005"), "USD/IOPS/month"),
        throughput_rent=(Decimal("0.04"), "USD/(MB/s)/month"),
    )
    load = Load(provisioned_iops=Decimal(3000), provisioned_mb_per_s=Decimal(100))
    found = economics.tier_cost(volume, 100 * 2**30, load=load)
    assert (line(found, "rent"), line(found, "provisioned")) == (8, 19)
    assert (found.capex_usd, found.usd_per_month) == (0, 27)
    assert found.opex_usd_per_month == 27
    store = device(
        "object",
        unit_rent=(Decimal("0.02"), "USD/GB/month"),
        read_request_fee=(Decimal("0.0004"), "USD/1000"),
        write_request_fee=(Decimal("0.005"), "USD/1000"),
        retrieval_fee=(Decimal("0.01"), "USD/GB"),
    )
    work = Load(
        reads=Decimal(10**6), writes=Decimal(10**5), read_bytes=Decimal(5 * 10**9)
    )
    fees = economics.tier_cost(store, 10**9, load=work)
    # 0.4 + 0.5 + 0.05
    assert line(fees, "requests") == Decimal("0.95")


def test_wear_is_charged_where_the_rating_ends_before_the_amortisation() -> None:
    # 1000 TB rated, 100 TB a month: 10 months of 36. 200/10 - 200/36.
    work = Load(written_bytes=100 * TB)
    found = economics.tier_cost(SSD, 10**12, load=work)
    assert line(found, "wear") == Decimal(20) - Decimal(200) / 36
    assert line(found, "wear") + line(found, "capital") == 20
    easy = economics.tier_cost(SSD, 10**12, load=Load(written_bytes=TB))
    assert line(easy, "wear") == 0
    # 1 DWPD over 5 years assumed: 1825 TB last 18.25 months.
    bare = device(unit_price=(1, "USD/GB"), capacity=(1, "TB"))
    taken = economics.tier_cost(bare, 10**12, load=work)
    paid = Decimal(1000) / Decimal("18.25") - Decimal(1000) / 36
    assert float(line(taken, "wear")) == pytest.approx(float(paid))
    assert [warning.name for warning in taken.warnings] == ["endurance_assumed"]
    sizeless = device(unit_price=(1, "USD/GB"))
    unknown = economics.tier_cost(sizeless, 10**12, load=work)
    assert any("states no endurance" in text for text in unknown.missing)


def test_what_is_left_out_is_named() -> None:
    found = economics.tier_cost(SSD, 10**9)
    assert found.missing == (
        "wear: the bytes written per month were not given",
        "power: no price of electricity was given",
    )
    dram = catalog.device("kv2009-dram-2008")
    priced = economics.tier_cost(
        dram, 2**30, assumptions=Assumptions(usd_per_kwh=Decimal(1))
    )
    assert priced.missing == ("power: `kv2009-dram-2008` states no active power",)
    # 0.4 W for each of 2 GiB, at 1.5 W at the meter and 0.10 USD for 730 h of a kW.
    stated = Assumptions(usd_per_kwh=Decimal("0.10"), watts_per_gib=Decimal("0.4"))
    powered = economics.tier_cost(dram, 2**31, assumptions=stated)
    [line] = [each for each in powered.lines if each.name == "power"]
    assert line.usd_per_month == Decimal("0.0876")
    assert powered.missing == ()
    # What a device states goes first, and a rent includes its power.
    own = economics.tier_cost(SSD, 10**9, assumptions=stated)
    without = economics.tier_cost(
        SSD, 10**9, assumptions=Assumptions(usd_per_kwh=Decimal("0.10"))
    )
    assert own.usd_per_month == without.usd_per_month
    rented = economics.tier_cost(
        catalog.device("aws-ebs-gp3-baseline"), 2**31, assumptions=stated
    )
    assert "power" not in {each.name for each in rented.lines}
    assert any(text.startswith("power: ") for text in rented.missing)


CHARGING = device(
    "object",
    unit_rent=(Decimal("0.02"), "USD/GB/month"),
    iops_rent=(Decimal("0.005"), "USD/IOPS/month"),
    throughput_rent=(Decimal("0.04"), "USD/(MB/s)/month"),
    read_request_fee=(Decimal("0.0004"), "USD/1000"),
    write_request_fee=(Decimal("0.005"), "USD/1000"),
    request_fee=(Decimal("0.2"), "USD/1000000"),
    upload_fee=(Decimal("0.003"), "USD/GB"),
    retrieval_fee=(Decimal("0.01"), "USD/GB"),
)


def test_every_charge_is_paid_or_named_as_missing() -> None:
    known = {"assumptions": Assumptions(usd_per_kwh=Decimal(0))}
    names = [
        "provisioned_iops",
        "provisioned_mb_per_s",
        "reads",
        "writes",
        "written_bytes",
        "read_bytes",
    ]
    silent = economics.tier_cost(CHARGING, 10**9, **known)
    charges = [text for text in silent.missing if "charges" in text]
    assert len(charges) == 7  # one a charge of the device
    assert [each.name for each in silent.lines] == ["rent"]
    whole = Load(**dict.fromkeys(names, Decimal(10**6)))
    full = economics.tier_cost(CHARGING, 10**9, load=whole, **known)
    assert [each.name for each in full.lines] == [
        "rent",
        *["provisioned"] * 2,
        *["requests"] * 5,
    ]
    assert not [text for text in full.missing if "charges" in text]
    none = economics.tier_cost(
        CHARGING, 10**9, load=Load(**dict.fromkeys(names, Decimal(0))), **known
    )
    assert none.usd_per_month == silent.usd_per_month
    assert not [text for text in none.missing if "charges" in text]


@pytest.mark.formula("evaluate.economics.monthly_payment")
@given(money, st.integers(1, 120), st.decimals("0.01", "0.3", places=3))
def test_payments_write_off_the_purchase(
    usd: Decimal, months: int, interest: Decimal
) -> None:
    payment = economics.monthly_payment(usd, months=months, interest_per_year=interest)
    owed = usd
    for _ in range(months):
        owed = owed * (1 + interest / 12) - payment
    assert abs(owed) < Decimal("1e-15") * (usd + 1)
    free = economics.monthly_payment(usd, months=months, interest_per_year=Decimal(0))
    assert free * months == pytest.approx(usd)
    assert payment >= free


@pytest.mark.formula("evaluate.economics.tier_cost")
@given(st.integers(0, 10**13), st.integers(0, 10**13), st.integers(1, 60))
def test_cost_is_money_and_adds_up(one: int, other: int, months: int) -> None:
    used = Assumptions(amortisation_months=months, usd_per_kwh=Decimal("0.1"))
    parts = [
        economics.tier_cost(SSD, size, assumptions=used).usd_per_month
        for size in (one, other)
    ]
    whole = economics.tier_cost(SSD, one + other, assumptions=used).usd_per_month
    assert all(isinstance(part, Decimal) for part in parts)
    assert abs(sum(parts) - whole) <= Decimal("1e-20") * (whole + 1)


def test_prices_of_books_kinds_and_profiles() -> None:
    book = price_book_from_mapping(
        {
            "id": "b",
            "name": "b",
            "date": "2025",
            "region": "eu-west-1",
            "prices": [{"kind": "nvme", "usd_per_gb": Decimal("0.1"), "source": "s"}],
        }
    )
    found = economics.tier_cost(SSD, 10**9, prices=book)
    assert found.capex_usd == Decimal("0.1")
    names = [warning.name for warning in found.warnings]
    assert names == ["price_of_kind", "price_undated"]
    disk = device("hdd", unit_price=(1, "USD/GB"))
    own = economics.tier_cost(disk, 10**9, prices=book)
    assert [warning.name for warning in own.warnings] == ["price_from_device"]


@pytest.mark.oracle("evaluate.economics.system_cost")
def test_a_system_adds_its_tiers_and_compares_their_dates() -> None:
    tiers = {"flash": economics.tier_cost(SSD, 10**12)}
    old = Price(Decimal(1), "GB", False, "s", "2008-11")
    new = Price(Decimal(1), "GB", False, "s", "2025-Q4")
    found = economics.system_cost(tiers, [old, new])
    assert found.usd_per_month == tiers["flash"].usd_per_month
    assert found.capex_usd == 200
    assert [warning.name for warning in found.warnings] == ["prices_of_different_dates"]
    document = found.to_dict()
    assert float(document["usd_per_month"]) == pytest.approx(200 / 36)
    assert document["tiers"]["flash"]["lines"][0]["derivation"]["formula"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: economics.tier_cost(SSD, -1),
            "held_bytes: `-1` must not be negative",
        ),
        (lambda: economics.tier_cost(device(), 1), "`d` states no price"),
        (
            lambda: economics.tier_cost(
                device(unit_price=(1, "USD/GB")),
                1,
                assumptions=Assumptions(whole_devices=True),
            ),
            "states no capacity, so whole devices cannot be counted",
        ),
        (lambda: Assumptions(pue=Decimal("0.5")), "pue: `0.5` must be at least 1"),
        (
            lambda: Assumptions(watts_per_gib=Decimal(-1)),
            "watts_per_gib: `-1` must be finite and not negative",
        ),
        (lambda: Assumptions(busy_share=Decimal(2)), "busy_share: `2` must lie in"),
        (lambda: Assumptions(amortisation_months=0), "amortisation_months `0`"),
        (lambda: Load(reads=Decimal(-1)), "reads: `-1` must be finite and not"),
        (
            lambda: economics.monthly_payment(
                Decimal(-1), months=1, interest_per_year=Decimal(0)
            ),
            "usd: `-1` must be finite and not negative",
        ),
        (lambda: economics.system_cost({}), "there is no tier"),
        (
            lambda: economics.tier_cost(SSD, 1).usd_per_page_month(0),
            "page_bytes: `0` must be above 0",
        ),
    ],
)
def test_refusals_name_value_and_next_step(call: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message) as raised:
        call()
    assert raised.value.hint


def test_a_device_without_a_price_names_the_book_that_was_given_and_those_that_price_it() -> (
    None
):
    device = catalog.device("intel-s4500-7.68tb")
    book = catalog.price_book("street-2026-q3")
    assert book.price_of(device) is None
    assert prices.own_price(device) is None
    able = [b.id for b in catalog.price_books().values() if b.price_of(device)]
    current = [each for each in able if not catalog.price_book(each).retired]
    with pytest.raises(BadInput) as refused:
        economics.tier_cost(device, 10**12, prices=book)
    assert "price book `street-2026-q3` has no price for" in refused.value.message
    if current:
        assert refused.value.hint.startswith("choose a price book that prices it: ")
        assert all(f"`{each}`" in refused.value.hint for each in current)
    else:
        assert "no shipped price book prices it" in refused.value.hint
    with pytest.raises(BadInput) as refused:
        economics.tier_cost(device, 10**12)
    assert "no price book was chosen" in refused.value.message
