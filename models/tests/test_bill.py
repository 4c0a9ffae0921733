"""Bills of materials: worked cases, sums, named limits, dates, and documents that are no CONFIG."""

import contextlib
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from command import answer as command_answer
from command import run
from hypothesis import given
from hypothesis import strategies as st

from tierwright.advise import bill
from tierwright.common.errors import BadInput
from tierwright.evaluate.bill import (
    Line,
    Sum,
    bill_lines,
    bill_sum,
    billed_size_gib,
    block_storage,
    cents,
    installed_ram_gib,
    machine_watts,
    months_to_break_even,
    replacements_needed,
    stale_prices,
    violations,
)
from tierwright.hardware import parts, servers, volumes
from tierwright.hardware.build import build_from_mapping, build_from_text

DIMM, TLC = "dimm-ddr5-rdimm-64gb", "nvme-enterprise-tlc-30tb"
GP3 = {"id": "aws-ebs-gp3", "size_gib": 1024, "iops": 16000, "mb_per_s": 1000}


def made(**data: Any) -> bill.Bill:
    return bill.answer(build_from_mapping(data))


def rents(**data: Any) -> list[str]:
    return [str(line.usd_per_month) for line in made(**data).lines]


def names(**data: Any) -> set[str]:
    return {each.name for each in violations(build_from_mapping(data))}


def warned(**data: Any) -> set[str]:
    return {each.name for each in made(**data).warnings}


@pytest.mark.oracle(
    "evaluate.bill.bill_lines", "evaluate.bill.cents", "advise.bill.answer"
)
def test_worked_cases_of_volumes() -> None:
    assert rents(volume=[GP3]) == ["81.92", "65.00", "35.00"]
    assert made(volume=[GP3]).usd_per_month == Decimal("181.92")
    # 3,750 GB of gp3 with the IOPS and throughput of a local disk: 279 + 385 + 75.
    flash = {"id": "aws-ebs-gp3", "size_gib": 3492, "iops": 80000, "mb_per_s": 2000}
    assert rents(volume=[flash]) == ["279.36", "385.00", "75.00"]
    # io2: 32,000 x 0.065 + 32,000 x 0.046 + 36,000 x 0.032.
    io2 = {"id": "aws-ebs-io2", "size_gib": 1000, "iops": 100000}
    assert rents(volume=[io2]) == ["125.00", "2080.00", "1472.00", "1152.00"]
    # Included rates are not charged, and a fixed tier is charged whole.
    assert rents(volume=[{"id": "aws-ebs-gp3", "size_gib": 100}]) == ["8.00"]
    assert rents(volume=[{"id": "azure-premium-p4", "size_gib": 10}]) == ["5.28"]
    million = {"id": "aws-ebs-standard", "size_gib": 100, "io_per_month": 10**9}
    assert rents(volume=[million]) == ["5.00", "50.00"]
    assert cents(Decimal("0.005")) == Decimal("0.01")


@pytest.mark.oracle("evaluate.bill.bill_lines")
def test_worked_cases_of_requests() -> None:
    # 1,000 random reads per second of S3 Standard for 730 h.
    store = {"id": "aws-s3-standard", "reads_per_month": 1000 * 3600 * 730}
    assert rents(object_store=[store])[1] == "1051.20"
    ia = {
        "id": "aws-s3-standard-ia",
        "stored_gib": 1000,
        "writes_per_month": 10**6,
        "retrieved_gb_per_month": 500,
    }
    assert rents(object_store=[ia]) == ["12.50", "10.00", "5.00"]
    assert "retrieval_not_counted" in warned(
        object_store=[{"id": "aws-s3-standard-ia", "reads_per_month": 5}]
    )
    # A fee that no source states stays on the bill, without a price.
    cold = made(object_store=[{"id": "gcp-gcs-nearline", "reads_per_month": 10**6}])
    assert cold.unpriced == ("gcp-gcs-nearline, reads",)
    assert "lower bounds" in cold.finding


@pytest.mark.oracle("evaluate.bill.bill_lines", "evaluate.bill.bill_sum")
def test_worked_cases_of_servers() -> None:
    found = made(server="aws-i4i.4xlarge")
    assert found.usd_per_month == Decimal("1002.29")  # 1.373 x 730
    assert found.total_usd == 36 * Decimal("1002.29")
    assert "local_disks_are_ephemeral" in {each.name for each in found.warnings}
    cut = made(
        server="aws-i4i.4xlarge", commitment="three years", commitment_discount="0.5"
    )
    assert cut.usd_per_month == Decimal("501.15")
    assert "three years: 50 % off 1.373 USD" in cut.lines[0].note
    own = made(server="aws-i4i.4xlarge", usd_per_hour="1", machines=3)
    assert own.usd_per_month == 2190
    assert bill_sum(own.lines, 10) == Sum(Decimal(2190), Decimal(0), Decimal(21900))


@pytest.mark.oracle("evaluate.bill.bill_lines", "evaluate.bill.machine_watts")
def test_worked_case_of_a_purchase() -> None:
    data = {
        "machines": 2,
        "part": [
            {"id": "chassis-dell-r760", "usd": 9000},
            {"id": DIMM, "quantity": 4},
            {"id": TLC, "written_tb_per_year": 30000, "rated_tb": 50000},
        ],
        "own": [{"id": DIMM, "quantity": 3}],
        "spares": {"share": "0.1"},
        "power": {"usd_per_kwh": "0.10", "watts": 500, "pue": "1.2"},
        "reserved_ram": [{"what": "the system", "gib": 6}],
    }
    found = made(**data)
    by = {(line.what, line.kind): line for line in found.lines}
    assert by["chassis-dell-r760", "part"].purchase_usd == 18000
    assert by[f"{DIMM}", "owned"].quantity == 3
    assert by[f"{DIMM}", "part"].purchase_usd == 5 * 873
    assert by[f"{DIMM}, spare", "spare"].purchase_usd == 873
    # 30,000 TB a year against 50,000 rated: 1.8 lives in three years, one replacement each.
    worn = by[f"{TLC}, worn out", "replacement"]
    assert (worn.quantity, worn.months) == (2, Decimal("20.0"))
    assert worn.purchase_usd == 45200
    # 0.5 kW x 2 x 1.2 x 730 h x 0.10 USD.
    assert by["electricity", "power"].usd_per_month == Decimal("87.60")
    reserved = by["RAM reserved for the system", "reserved"]
    assert (reserved.quantity, reserved.purchase_usd) == (12, 0)
    assert found.ram == bill.Ram(Decimal(256), Decimal(6), Decimal(250))
    assert machine_watts(build_from_mapping(data)) == (500, ())
    drives = [{"id": "solidigm-d5-p5336-61.44tb", "quantity": 4}, {"id": DIMM}]
    assert machine_watts(build_from_mapping({"part": drives})) == (100, (DIMM,))
    assert machine_watts(build_from_mapping({"volume": [GP3]})) == (None, ())


def test_own_parts_cover_the_need_then_the_spares() -> None:
    def kinds(owned: int) -> list[tuple[str, int]]:
        found = made(
            part=[{"id": DIMM, "quantity": 2}],
            own=[{"id": DIMM, "quantity": owned}],
            spares={"count": 1},
        )
        return [(line.kind, int(line.quantity)) for line in found.lines]

    assert kinds(1) == [("owned", 1), ("part", 1), ("spare", 1)]
    assert kinds(2) == [("owned", 2), ("spare", 1)]
    assert kinds(5) == [("owned", 3)]
    alone = made(own=[{"id": DIMM, "quantity": 8}])
    assert (alone.purchase_usd, alone.ram.installed_gib) == (0, 512)


def test_prices_come_from_the_book_the_date_or_the_config() -> None:
    def price(**data: Any) -> tuple[Decimal | None, str | None]:
        line = made(**data).lines[0]
        return line.unit_price, line.date

    assert price(part=[{"id": DIMM}]) == (873, "2026-Q1")
    assert price(part=[{"id": DIMM, "price_kind": "spot"}]) == (700, "2025-Q4")
    assert price(part=[{"id": DIMM}], price_date="2025-Q3") == (255, "2025-Q3")
    assert price(part=[{"id": DIMM, "usd": "99.90", "date": "2026-11"}]) == (
        Decimal("99.90"),
        "2026-11",
    )
    # 64 GiB at 20.625 USD per GiB.
    assert price(part=[{"id": DIMM}], price_book="street-2026-q3") == (1320, "2026-05")
    assert made(part=[{"id": "chassis-dell-r760"}]).unpriced == ("chassis-dell-r760",)


@pytest.mark.oracle("evaluate.bill.months_to_break_even")
def test_rent_against_purchase() -> None:
    rent, buy = (
        Sum(Decimal(100), Decimal(0), Decimal(0)),
        Sum(Decimal(10), Decimal(1000), Decimal(0)),
    )
    assert months_to_break_even(rent, buy) == 12  # 1000 / 90 = 11.1
    assert months_to_break_even(buy, rent) == 12
    dear = Sum(Decimal(100), Decimal(1), Decimal(0))
    assert months_to_break_even(rent, dear) is None
    assert months_to_break_even(rent, rent) == 0
    # Months of rent that equal a part's price: 64 GiB of RAM at 2.874 USD against 873 USD.
    found = made(
        extra=[{"what": "64 GiB rented", "quantity": 64, "usd_per_month": "2.874"}],
        against={"part": [{"id": DIMM}]},
        horizon_months=12,
    )
    assert found.break_even_months == 5  # 4.7
    assert [way.total_usd for way in found.ways] == [Decimal("2207.28"), 873]
    assert "pays off from month 5 on" in found.finding
    assert "over 12 months. Over 12 months built" in found.finding
    assert "over 1 month." in made(server="aws-i4i.4xlarge", horizon_months=1).finding
    # Where a price is missing the purchase seems cheaper than it is: no month is named.
    half = made(
        server="aws-i4i.4xlarge", against={"part": [{"id": "chassis-dell-r760"}]}
    )
    assert half.break_even_months is None
    assert "no price of `chassis-dell-r760` was found" in half.finding
    assert "pays off could not be computed" in half.finding
    # Only the way that lacks a price costs more than its sum.
    whole, lacking = half.ways
    assert f"{lacking.name} costs at least " in half.finding
    assert f"{whole.name} costs {whole.total_usd:,.2f} USD" in half.finding
    assert "at least" not in found.finding


@pytest.mark.oracle(
    "evaluate.bill.replacements_needed", "evaluate.bill.billed_size_gib"
)
def test_replacements_and_sizes() -> None:
    assert replacements_needed(Decimal(100), Decimal(300), 36) == 0
    assert replacements_needed(Decimal(101), Decimal(300), 36) == 1
    assert replacements_needed(Decimal(100), Decimal(100), 60) == 4
    local = {"id": "gcp-local-ssd", "size_gib": 400}
    assert billed_size_gib(build_from_mapping({"volume": [local]}).volumes[0]) == 750
    small = {"id": "aws-ebs-io2", "size_gib": 1, "iops": 100}
    assert billed_size_gib(build_from_mapping({"volume": [small]}).volumes[0]) == 4


@pytest.mark.oracle("evaluate.bill.violations", "evaluate.bill.installed_ram_gib")
def test_every_limit_has_a_name() -> None:
    chassis = {"id": "chassis-dell-r760"}
    assert names(part=[chassis, {"id": DIMM, "quantity": 32}]) == set()
    assert names(part=[chassis, {"id": DIMM, "quantity": 33}]) == {"dimm_slots"}
    assert names(part=[chassis, {"id": TLC, "quantity": 25}]) == {"drive_bays"}
    disk = {"id": "seagate-exos-x24-24tb"}
    assert names(part=[chassis, disk]) == {"no_drive_bays"}
    # A stated 0 counts, whatever the data sheet says.
    for bays in ("nvme_bays", "dimm_slots"):
        part_of = {"nvme_bays": TLC, "dimm_slots": "dimm-ddr5-rdimm-64gb"}[bays]
        limit = {"nvme_bays": "drive_bays"}.get(bays, bays)
        assert names(part=[{**chassis, bays: 0}, {"id": part_of}]) == {limit}
        assert not names(part=[{**chassis, bays: 1}, {"id": part_of}])
    stated = {**chassis, "hdd_bays": 12}
    assert names(part=[stated, disk]) == set()
    assert names(part=[{"id": "chassis-sm-222h-tn"}, {"id": TLC}]) == {"no_drive_bays"}
    assert names(part=[chassis, {"id": DIMM}], power={"watts": 2401}) == {
        "power_supply"
    }
    big = {"id": "dimm-ddr5-rdimm-256gb", "quantity": 33}
    assert names(part=[chassis, big]) == {"dimm_slots", "max_ram"}
    assert names(part=[chassis], own=[{"id": DIMM, "quantity": 33}]) == {"dimm_slots"}

    def volume(**change: Any) -> set[str]:
        return names(volume=[{"id": "aws-ebs-gp3", "size_gib": 1024, **change}])

    assert volume(iops=80001, size_gib=2000) == {"volume_iops"}
    assert volume(iops=6000, size_gib=10) == {"volume_iops_per_gib"}
    assert volume(iops=3000, size_gib=1) == set()
    assert volume(mb_per_s=2001, iops=16000) == {"volume_throughput"}
    assert volume(mb_per_s=1000) == {"volume_throughput_per_iops"}
    assert volume(size_gib=65537) == {"volume_size"}
    assert names(volume=[{"id": "aws-ebs-gp2", "size_gib": 100, "iops": 301}]) == {
        "volume_iops_per_gib"
    }
    assert names(
        server="gcp-n2-highmem-16", volume=[{"id": "aws-ebs-gp3", "size_gib": 1}]
    ) == {"volume_of_another_provider"}

    def local(server: str, disks: int) -> set[str]:
        asked = {"id": "gcp-local-ssd", "size_gib": 375 * disks}
        return names(server=server, volume=[asked])

    assert local("gcp-n2-highmem-16", 4) == set()
    assert local("gcp-n2-highmem-16", 3) == {"local_disk_count"}
    assert local("gcp-n2-highmem-64", 4) == {"local_disk_count"}
    assert local("gcp-n4-highmem-16", 4) == {"local_disks_fixed"}
    assert names(volume=[{"id": "gcp-local-ssd-c4", "size_gib": 375}]) == {
        "not_sold_apart"
    }

    def attached(server: str, of: str, count: int) -> set[str]:
        asked = {"id": of, "size_gib": 32, "quantity": count}
        return names(server=server, volume=[asked])

    assert attached("azure-l2s_v4", "azure-premium-p4", 8) == set()
    assert attached("azure-l2s_v4", "azure-premium-p4", 9) == {"volume_count"}
    # 28 attachments less a network interface, 8 local disks and the volume that it boots from.
    assert attached("aws-i4i.32xlarge", "aws-ebs-gp2", 18) == set()
    assert attached("aws-i4i.32xlarge", "aws-ebs-gp2", 19) == {"volume_count"}
    unstated = "gcp-z3-highmem-8-highlssd"
    assert attached(unstated, "gcp-pd-balanced", 3) == set()
    assert attached(unstated, "gcp-pd-balanced", 4) == {"volume_count_unknown"}
    too_much = [{"what": "all", "gib": 129}]
    assert names(server="aws-r7i.4xlarge", reserved_ram=too_much) == {"reserved_ram"}
    assert installed_ram_gib(build_from_mapping({"volume": [GP3]})) is None


@pytest.mark.oracle("evaluate.bill.block_storage")
def test_the_smaller_of_volume_and_instance_counts() -> None:
    data = {"server": "aws-i4i.4xlarge", "volume": [{**GP3, "iops": 40000}]}
    found = block_storage(build_from_mapping(data))
    assert found is not None
    assert (found.provisioned_iops, found.usable_iops) == (40000, 20000)
    assert found.provisioned_mb_per_s == Decimal("1048.576")  # 1,000 MiB/s
    assert found.usable_mb_per_s == 625
    # The burst would carry both, and is not sustained.
    assert names(**data) == {"instance_iops", "instance_throughput"}
    assert "burst of 40,000 is not sustained" in made(**data).finding
    assert block_storage(build_from_mapping({"volume": [GP3]})) is None
    burst_only = {"server": "aws-r8id.4xlarge", "volume": [GP3]}
    assert names(**burst_only) == set()
    assert "sustained_limit_unknown" in warned(**burst_only)


@pytest.mark.oracle("evaluate.bill.stale_prices")
def test_dates_that_do_not_compare_are_flagged_once_with_their_effect() -> None:
    old = made(part=[{"id": DIMM, "quantity": 10}], price_date="2025-Q3")
    flagged = [w for w in old.warnings if w.name == "prices_of_different_dates"]
    assert len(flagged) == 1
    assert old.purchase_usd == 2550
    assert old.at_newest_purchase_usd == 8730
    assert flagged[0].effect == (
        "At the newest prices of their series the purchase is 8,730.00 USD instead of "
        "2,550.00 USD."
    )
    mixed = made(server="aws-i4i.4xlarge", volume=[GP3])
    flagged = [w for w in mixed.warnings if w.name == "prices_of_different_dates"]
    assert len(flagged) == 1
    assert "2024-07-01" in flagged[0].message
    assert "2026-07-20" in flagged[0].message
    assert mixed.at_newest_purchase_usd is None
    newest = build_from_mapping({"part": [{"id": DIMM}]})
    assert stale_prices(newest, bill_lines(newest)) is None
    # A spot price does not move along the series of contract prices.
    spot = build_from_mapping({"part": [{"id": DIMM, "price_kind": "spot"}]})
    assert stale_prices(spot, bill_lines(spot)) is None


def test_what_is_left_out_is_said() -> None:
    assert {"no_chassis", "power_not_counted"} <= warned(part=[{"id": DIMM}])
    assert "power_incomplete" in warned(
        part=[{"id": DIMM}], power={"usd_per_kwh": "0.1"}
    )
    assert "endurance_unknown" in warned(part=[{"id": TLC, "written_tb_per_year": 1}])
    assert "operations_not_counted" in warned(
        volume=[{"id": "aws-ebs-standard", "size_gib": 1}]
    )
    assert "prices_of_different_regions" in warned(
        server="azure-l8s_v3", object_store=[{"id": "azure-blob-hot-lrs"}]
    )
    assert "taxes" in made(volume=[GP3]).validity


AMOUNT = st.decimals(min_value=0, max_value=10**6, places=4)
COUNT = st.integers(min_value=0, max_value=1000)


@st.composite
def builds(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a CONFIG of whatever there is."""
    data: dict[str, Any] = {
        "machines": draw(st.integers(1, 100)),
        "horizon_months": draw(st.integers(1, 120)),
        "spares": {"share": draw(st.decimals(0, 1, places=3)), "count": draw(COUNT)},
        "power": {"usd_per_kwh": draw(AMOUNT), "watts": draw(AMOUNT)},
        "reserved_ram": [{"what": "x", "gib": draw(AMOUNT)}],
        "extra": [{"what": "y", "quantity": draw(AMOUNT), "usd": draw(AMOUNT)}],
        "volume": [
            {
                "id": name,
                "size_gib": draw(AMOUNT) + 1,
                "iops": draw(AMOUNT),
                "mb_per_s": draw(AMOUNT),
                "quantity": draw(COUNT),
            }
            for name in draw(
                st.sets(
                    st.sampled_from(
                        [v.id for v in volumes.volumes().values() if v.kind != "object"]
                    ),
                    max_size=3,
                )
            )
        ],
        "object_store": [
            {
                "id": name,
                "stored_gib": draw(AMOUNT),
                "reads_per_month": draw(AMOUNT),
                "writes_per_month": draw(AMOUNT),
            }
            for name in draw(
                st.sets(
                    st.sampled_from(["aws-s3-standard", "gcp-gcs-nearline"]), max_size=2
                )
            )
        ],
    }
    ids = st.sets(st.sampled_from(sorted(parts.parts())), max_size=4)
    if draw(st.booleans()):
        data["server"] = draw(st.sampled_from(sorted(servers.servers())))
        data["commitment_discount"] = draw(st.decimals(0, 1, places=3))
    else:
        data["part"] = [
            {
                "id": name,
                "quantity": draw(COUNT),
                "written_tb_per_year": draw(AMOUNT),
                "rated_tb": draw(AMOUNT) + 1,
            }
            for name in draw(ids)
        ]
        data["own"] = [{"id": name, "quantity": draw(COUNT)} for name in draw(ids)]
    return data


@pytest.mark.formula(
    "evaluate.bill.bill_lines",
    "evaluate.bill.bill_sum",
    "evaluate.bill.cents",
    "evaluate.bill.violations",
    "evaluate.bill.block_storage",
    "evaluate.bill.stale_prices",
    "evaluate.bill.machine_watts",
    "evaluate.bill.installed_ram_gib",
    "evaluate.bill.billed_size_gib",
)
@given(builds())
def test_the_bill_is_the_sum_of_its_printed_lines(data: dict[str, Any]) -> None:
    found = made(**data)
    document = found.to_dict()
    lines = document["lines"]
    for key in ("usd_per_month", "purchase_usd"):
        assert sum(Decimal(line[key]) for line in lines) == Decimal(document[key])
        assert all(Decimal(line[key]) >= 0 for line in lines)
    assert Decimal(document["total_usd"]) == found.purchase_usd + (
        found.usd_per_month * found.horizon_months
    )
    for line, shown in zip(found.lines, lines, strict=True):
        assert_line(line)
        assert {"what", "quantity", "unit_price", "date"} <= set(shown)
    if found.block_storage is not None:
        assert found.block_storage.usable_iops <= found.block_storage.provisioned_iops
    json.dumps(found.to_dict(derivation=True), allow_nan=False)


def assert_line(line: Line) -> None:
    """A line is quantity x price, in cents."""
    hours = 730 if line.unit == "USD/hour" else 1
    due = line.usd_per_month + line.purchase_usd
    assert due == cents((line.unit_price or Decimal(0)) * line.quantity * hours)
    assert not (line.usd_per_month and line.purchase_usd)


@pytest.mark.formula("evaluate.bill.replacements_needed")
@given(AMOUNT, AMOUNT, st.integers(1, 600))
def test_replacements_last_the_horizon(
    written: Decimal, rated: Decimal, months: int
) -> None:
    count = replacements_needed(written, rated + 1, months)
    assert (count + 1) * (rated + 1) * 12 >= written * months
    assert count == 0 or count * (rated + 1) * 12 < written * months


@pytest.mark.formula("evaluate.bill.months_to_break_even")
@given(AMOUNT, AMOUNT, AMOUNT, AMOUNT)
def test_the_break_even_is_the_first_month(
    a: Decimal, b: Decimal, c: Decimal, d: Decimal
) -> None:
    one, other = Sum(a, b, Decimal(0)), Sum(c, d, Decimal(0))
    months = months_to_break_even(one, other)
    dear, light = (one, other) if b >= d else (other, one)

    def ahead(month: int) -> bool:
        return (
            dear.purchase_usd + month * dear.usd_per_month
            <= light.purchase_usd + month * light.usd_per_month
        )

    if months is None:
        assert not ahead(10**12)
    elif dear.purchase_usd > light.purchase_usd:
        assert ahead(months)
        assert not ahead(months - 1)


BAD = {
    "unknown key": ({"servr": "x"}, "servr: unknown key"),
    "unknown id": ({"server": "aws-i4i.5xlarge"}, "there is no server"),
    "nothing": ({"machines": 2}, "a bill needs a server"),
    "both": (
        {"server": "aws-i4i.4xlarge", "part": [{"id": DIMM}]},
        "either rented or built",
    ),
    "negative": (
        {"volume": [{**GP3, "iops": -1}]},
        "volume[0].iops: `-1` must be from",
    ),
    "no size": ({"volume": [{"id": "aws-ebs-gp3"}]}, "size_gib: must be a size"),
    "no iops": (
        {"volume": [{"id": "aws-ebs-io2", "size_gib": 9}]},
        "every provisioned IOPS of this volume is charged",
    ),
    "object": ({"volume": [{**GP3, "id": "aws-s3-standard"}]}, "use `object_store`"),
    "half a machine": (
        {"volume": [GP3], "machines": 1.5},
        "must be a whole number",
    ),
    "twice": ({"part": [{"id": DIMM}, {"id": DIMM}]}, "is named twice"),
    "nested": (
        {"volume": [GP3], "against": {"volume": [GP3], "against": {}}},
        "against.against: unknown key",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_config_is_refused_with_its_place(name: str) -> None:
    data, message = BAD[name]
    with pytest.raises(BadInput) as refused:
        build_from_mapping(data)
    assert message in str(refused.value)
    assert refused.value.hint


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20)
)
KEYS = st.one_of(
    st.sampled_from(
        [
            "server",
            "part",
            "own",
            "volume",
            "object_store",
            "extra",
            "spares",
            "power",
            "carbon",
            "kg_per_kwh",
            "against",
            "id",
            "quantity",
            "machines",
            "usd",
            "size_gib",
            "iops",
            "horizon_months",
            "price_book",
            "reserved_ram",
        ]
    ),
    st.text(max_size=5),
)
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner)
)


@pytest.mark.costly(20)
@given(st.dictionaries(KEYS, ANYTHING))
def test_any_document_is_billed_or_refused(data: dict[str, Any]) -> None:
    with contextlib.suppress(BadInput):
        bill.answer(build_from_mapping(data))


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_a_config_or_refused(raw: bytes) -> None:
    with contextlib.suppress(BadInput):
        build_from_text(raw)


def test_the_command_prints_and_hands_out_the_bill(tmp_path: Path) -> None:
    config = tmp_path / "bill.toml"
    config.write_text(
        'server = "aws-r7i.4xlarge"\n[[volume]]\nid = "aws-ebs-gp3"\nsize_gib = 1024\n'
        "iops = 16000\nmb_per_s = 500\n"
    )
    found = command_answer("bill", config)
    # 1.0584 x 730 + 81.92 + 13,000 x 0.005 + 375 x 0.04
    assert found["usd_per_month"] == "934.55"
    assert [line["unit_price"] for line in found["lines"]] == [
        "1.0584",
        "0.08",
        "0.005",
        "0.04",
    ]
    shown = run("bill", config)
    assert "934.55" in shown.stdout
    as_json = tmp_path / "bill.json"
    as_json.write_text(
        json.dumps({"server": "aws-r7i.4xlarge", "volume": [{**GP3, "mb_per_s": 500}]})
    )
    assert command_answer("bill", as_json)["usd_per_month"] == "934.55"
    missing = run("bill", tmp_path / "none.toml")
    assert missing.returncode == 2
    assert "cannot be read" in missing.stderr


def test_the_command_says_of_both_ways_what_could_change_them(tmp_path: Path) -> None:
    config = tmp_path / "ways.json"
    bought = {
        "machines": 2,
        "price_date": "2026-Q1",
        "part": [{"id": "chassis-dell-r760", "usd": 9000}, {"id": TLC}],
    }
    config.write_text(json.dumps({"server": "aws-i4i.4xlarge", "against": bought}))
    other = command_answer("bill", config)["against"]
    [stale] = [
        each
        for each in other["cautions"]
        if each["code"] == "prices_of_different_dates"
    ]
    shown = run("bill", config)
    own, of_other = shown.stderr.split("built from parts:\n")
    assert f"effect: {stale['effect']}" in of_other
    assert stale["effect"] not in own
    assert other["at_newest_purchase_usd"] != other["purchase_usd"]
    amount = f"{Decimal(other['at_newest_purchase_usd']):,.2f} USD"
    assert amount in of_other
    # Without another way there is no heading of it.
    config.write_text(json.dumps({"server": "aws-i4i.4xlarge"}))
    assert "built from parts:" not in run("bill", config).stderr
