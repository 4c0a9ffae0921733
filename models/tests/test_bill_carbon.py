"""Carbon of a bill: worked cases, what is left out, ranges, and factors that are none."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from command import answer as command_answer
from command import run
from hypothesis import given, settings
from hypothesis import strategies as st

from tierwright.advise import bill
from tierwright.advise.bill_carbon import range_text
from tierwright.common.errors import BadInput
from tierwright.evaluate.bill import PartCounts, monthly_kwh, part_counts
from tierwright.evaluate.bill_carbon import (
    CarbonLine,
    carbon_lines,
    carbon_not_counted,
    carbon_sum,
)
from tierwright.hardware.build import build_from_mapping

DIMM, TLC = "dimm-ddr5-rdimm-64gb", "nvme-enterprise-tlc-30tb"
CHASSIS, DISK = "chassis-dell-r760", "seagate-exos-x24-24tb"
GP3 = {"id": "aws-ebs-gp3", "size_gib": 1024, "iops": 16000, "mb_per_s": 1000}
FACTORS = {
    "kg_per_kwh": [0.2, 0.4],
    "kg_per_gb_ram": [0.5, 1],
    "kg_per_gb_flash": [0.01, 0.05],
    "kg_per_gb_disk": [0.001, 0.002],
    "kg_per_machine": [300, 900],
}
BOUGHT: dict[str, Any] = {
    "machines": 2,
    "part": [
        {"id": CHASSIS, "usd": 9000, "hdd_bays": 4},
        {"id": DIMM, "quantity": 4},
        {"id": TLC, "written_tb_per_year": 30000, "rated_tb": 50000},
        {"id": DISK, "quantity": 1},
    ],
    "own": [{"id": DIMM, "quantity": 3}],
    "power": {"usd_per_kwh": "0.10", "watts": 500, "pue": "1.2"},
    "carbon": FACTORS,
}


def made(data: dict[str, Any]) -> bill.Bill:
    return bill.answer(build_from_mapping(data))


def carbon(**data: Any) -> Any:
    found = made(data).carbon
    assert found is not None
    return found


def lines(**data: Any) -> dict[str, CarbonLine]:
    return {line.what: line for line in carbon_lines(build_from_mapping(data))}


def left_out(**data: Any) -> list[str]:
    return [each.what for each in carbon_not_counted(build_from_mapping(data))]


def ends(low: float, high: float) -> Any:
    return pytest.approx((low, high), rel=1e-12)


@pytest.mark.oracle(
    "evaluate.bill_carbon.carbon_lines",
    "evaluate.bill_carbon.carbon_sum",
    "evaluate.bill.monthly_kwh",
    "evaluate.bill.part_counts",
)
def test_worked_case_of_a_purchase() -> None:
    build = build_from_mapping(BOUGHT)
    # 0.5 kW x 2 x 1.2 x 730 h, 36 times: as the line of electricity has it.
    assert monthly_kwh(build) == 876
    assert [part_counts(build, item) for item in build.parts] == [
        PartCounts(0, 0, 2, 0, 2, 0),
        PartCounts(3, 0, 5, 0, 8, 0),
        # 1.8 lives in three years: each of the two drives is followed by one more.
        PartCounts(0, 0, 2, 0, 2, 1),
        PartCounts(0, 0, 2, 0, 2, 0),
    ]
    by = lines(**BOUGHT)
    assert by["electricity"].quantity == 876 * 36
    assert by["electricity"].kg == ends(6307.2, 12614.4)
    # Five modules of 64 GiB are new, three are owned: 320 GiB = 343.59738368 GB.
    assert by["RAM"].kg == ends(171.79869184, 343.59738368)
    # Four drives of 30,000 GB, two disks of 24,000 GB, two chassis.
    assert by["flash"].kg == ends(1200, 6000)
    assert by["disk"].kg == ends(48, 96)
    assert by["machines"].kg == ends(600, 1800)
    found = carbon(**BOUGHT)
    assert found.operational_kg == ends(6307.2, 12614.4)
    assert found.embodied_kg == ends(2019.79869184, 8239.59738368)
    assert found.total_kg == ends(8326.99869184, 20853.99738368)
    assert found.total_kg_per_month == ends(231.3055192178, 579.2777051022)
    assert carbon_sum([]) is None
    assert carbon_sum(found.lines, "embodied") == found.embodied_kg
    assert found.sentence == (
        "Over 36 months what is counted causes 8,330 to 20,900 kg CO2e, 231 to 579 kg per "
        "month: 6,310 to 12,600 kg by 31,500 kWh of electricity, 2,020 to 8,240 kg by "
        f"making hardware. Not counted: making of `{DIMM}`, owned already."
    )


def test_worked_case_of_a_rented_machine() -> None:
    asked: dict[str, Any] = {
        "server": "aws-i4i.4xlarge",
        "machines": 3,
        "horizon_months": 10,
        "carbon": FACTORS,
        "power": {"watts": 100, "pue": 1},
    }
    by = lines(**asked)
    assert by["electricity"].quantity == 2190  # 0.1 kW x 3 x 7,300 h
    # 128 GiB of RAM and 3,750 GB of local disks in each.
    assert by["RAM"].quantity == pytest.approx(3 * 137.438953472)
    assert by["flash"].quantity == 3 * 3750
    assert by["machines"].quantity == 3
    assert not left_out(**asked)
    assert "the configuration causes" in carbon(**asked).sentence
    # Spares and own chassis: what is made is what is new.
    owned = {"part": [{"id": DIMM}], "own": [{"id": CHASSIS}], "machines": 3}
    assert lines(**owned, carbon=FACTORS)["machines"].quantity == 2
    beside = {"server": "aws-i4i.4xlarge", "own": [{"id": CHASSIS}], "machines": 3}
    assert lines(**beside, carbon=FACTORS)["machines"].quantity == 3
    spare = {"part": [{"id": CHASSIS}, {"id": DIMM}], "spares": {"count": 1}}
    assert lines(**spare, carbon=FACTORS)["machines"].quantity == 2
    assert lines(**spare, carbon=FACTORS)["RAM"].quantity == pytest.approx(
        2 * 68.719476736
    )


@pytest.mark.oracle("evaluate.bill_carbon.carbon_not_counted")
def test_what_is_not_counted_is_named() -> None:
    only_power = {"kg_per_kwh": [0.2, 0.4]}
    rented = {"server": "aws-i4i.4xlarge", "carbon": only_power}
    assert left_out(**rented) == [
        "electricity of `aws-i4i.4xlarge`",
        "making of RAM",
        "making of flash",
        "making of machines",
    ]
    # Nothing is counted: no figure is made up, and the sentence says so.
    nothing = carbon(**rented)
    assert (nothing.total_kg, nothing.total_kg_per_month, nothing.lines) == (
        None,
        None,
        (),
    )
    assert nothing.sentence.startswith("Carbon could not be computed")
    assert left_out(**rented, power={"watts": 100})[0] == "making of RAM"
    # A part of unknown power is named, and the others are counted.
    drives = [{"id": "solidigm-d5-p5336-61.44tb", "quantity": 4}, {"id": DIMM}]
    known = lines(part=drives, carbon=only_power, power={"pue": 1}, horizon_months=1)
    assert known["electricity"].quantity == 73  # 4 x 25 W x 730 h
    assert known["electricity"].note.endswith("active power of the parts")
    assert f"electricity of `{DIMM}`" in left_out(part=drives, carbon=only_power)
    assert left_out(part=drives, carbon=FACTORS, power={"watts": 1}) == []
    assert "electricity" in left_out(part=drives, carbon={"kg_per_gb_ram": [1, 1]})
    also = {
        "volume": [GP3],
        "object_store": [{"id": "aws-s3-standard", "stored_gib": 1}],
        "extra": [{"what": "rack space", "usd_per_month": 9}],
    }
    assert left_out(**also, carbon=FACTORS) == [
        "making and electricity of `aws-ebs-gp3` and `aws-s3-standard`",
        "`rack space`",
    ]
    assert all(
        each.reason and each.hint
        for each in carbon_not_counted(build_from_mapping({**also, "carbon": FACTORS}))
    )
    # Without the block nothing is said of carbon.
    plain = made({"server": "aws-i4i.4xlarge"})
    assert plain.carbon is None
    assert "carbon" not in " ".join(each.name for each in plain.figures)
    assert carbon_not_counted(build_from_mapping({"volume": [GP3]})) == ()


def test_the_sentence_follows_the_figures() -> None:
    drive = {"part": [{"id": DIMM}], "power": {"watts": 1000, "pue": 1}}
    power = carbon(**drive, carbon={"kg_per_kwh": [1, 1]}, horizon_months=1)
    assert power.sentence.startswith(
        "Over 1 month what is counted causes 730 kg CO2e, 730 kg per month, all of it by "
        "730 kWh of electricity."
    )
    making = carbon(**drive, carbon={"kg_per_gb_ram": [0, 2]})
    assert making.operational_kg is None
    assert "causes 0 to 137 kg CO2e, 0 to 3.82 kg per month, all of it by making" in (
        making.sentence
    )
    whole = carbon(**drive, carbon=FACTORS)
    assert "the configuration causes" in whole.sentence
    assert "Not counted" not in whole.sentence
    assert range_text((999.6, 1000.4)) == "1,000"


def test_an_assumed_pue_is_stated_with_its_effect() -> None:
    drive: dict[str, Any] = {"part": [{"id": DIMM}], "horizon_months": 1}
    asked = {**drive, "carbon": {"kg_per_kwh": [1, 2]}, "power": {"watts": 1000}}
    [caution] = [each for each in made(asked).warnings if each.name == "pue_not_stated"]
    assert caution.effect == (
        "At a PUE of 1 electricity causes 730 to 1,460 kg CO2e instead of 1,100 to 2,190."
    )
    for silent in (
        {**asked, "power": {"watts": 1000, "pue": 1.5}},
        {**asked, "power": {"watts": 0}},
        {**asked, "carbon": {"kg_per_gb_ram": [1, 2]}},
        {**drive, "power": {"watts": 1000}},
    ):
        assert "pue_not_stated" not in {each.name for each in made(silent).warnings}


def test_each_way_has_its_own_factors_and_the_steps_lead_to_both_ends() -> None:
    found = made({"server": "aws-i4i.4xlarge", "against": BOUGHT})
    assert found.carbon is None
    assert found.against is not None
    assert found.against.carbon is not None
    steps = {step.name: step.value for step in made(BOUGHT).derivation()}
    low, high = carbon(**BOUGHT).total_kg
    assert (steps["carbon, low end"], steps["carbon, high end"]) == (low, high)
    assert steps["carbon of disk, high end"] == pytest.approx(96)
    numbers = {each.name: each.value for each in made(BOUGHT).figures}
    assert (numbers["carbon_low_kg"], numbers["carbon_high_kg"]) == (low, high)


END = st.integers(0, 10**9).map(lambda parts: parts / 10**4)
FACTOR = st.tuples(END, END).map(sorted)


@pytest.mark.formula(
    "evaluate.bill_carbon.carbon_lines",
    "evaluate.bill_carbon.carbon_sum",
    "evaluate.bill_carbon.carbon_not_counted",
    "evaluate.bill.monthly_kwh",
    "evaluate.bill.part_counts",
)
@settings(max_examples=30)
@given(
    st.integers(1, 10**4),
    st.integers(2, 9),
    st.integers(1, 1200),
    st.fixed_dictionaries({}, optional=dict.fromkeys(FACTORS, FACTOR)).filter(bool),
    st.booleans(),
)
def test_ranges_grow_with_the_machines_and_never_fall(
    machines: int, times: int, months: int, factors: dict[str, Any], rented: bool
) -> None:
    parts = BOUGHT["part"]
    data = {"server": "aws-i4i.4xlarge"} if rented else {"part": parts}
    data |= {"power": {"watts": 321}, "carbon": factors, "horizon_months": months}
    one = carbon(**data, machines=machines)
    many = carbon(**data, machines=machines * times)
    assert [each.what for each in many.not_counted] == [
        each.what for each in one.not_counted
    ]
    for name in ("operational_kg", "embodied_kg", "total_kg"):
        few, more = getattr(one, name), getattr(many, name)
        each = getattr(one, f"{name}_per_month")
        assert (few is None) == (more is None) == (each is None)
        if few is not None:
            assert 0 <= few[0] <= few[1]
            assert more == pytest.approx([end * times for end in few], rel=1e-9)
            assert each == pytest.approx([end / months for end in few], rel=1e-9)
    # Each factor is either used or what it would count is absent; none is replaced.
    used = {line.what: line.kg_per_unit for line in one.lines}
    for what, key in (
        ("electricity", "kg_per_kwh"),
        ("RAM", "kg_per_gb_ram"),
        ("flash", "kg_per_gb_flash"),
        ("machines", "kg_per_machine"),
    ):
        assert used.get(what) == (tuple(factors[key]) if key in factors else None)
        assert (what in used) or any(what in each.what for each in one.not_counted)
    build = build_from_mapping({**data, "machines": machines})
    assert monthly_kwh(build) is not None
    for item in build.parts:
        count = part_counts(build, item)
        assert count.bought + count.owned_used == item.quantity * machines
    json.dumps(made({**data, "machines": machines}).to_dict(), allow_nan=False)


BAD: dict[str, tuple[Any, str]] = {
    "one number": (
        0.3,
        "kg_per_kwh: `0.3` must be a range of two numbers, [low, high]",
    ),
    "three": ([1, 2, 3], "must be a range of two numbers"),
    "falling": ([2, 1], "kg_per_kwh: `[2, 1]` must not fall: put the low end first"),
    "negative": ([-1, 2], "kg_per_kwh[0]: `-1` must be from 0"),
    "no number": ([math.nan, 1], "kg_per_kwh[0]: `nan` must be a finite number"),
    "endless": ([0, math.inf], "kg_per_kwh[1]: `inf` must be a finite number"),
    "too large": ([0, 2 * 10**6], "must be from 0 to 1,000,000"),
    "a text": (["low", 1], "must be a finite number"),
    "true": ([True, 1], "must be a finite number"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_range_that_is_none_is_refused_with_its_place(name: str) -> None:
    value, message = BAD[name]
    for at in ("", "against."):
        side = {"volume": [GP3], "carbon": {"kg_per_kwh": value}}
        data = {"volume": [GP3], "against": side} if at else side
        with pytest.raises(BadInput) as refused:
            build_from_mapping(data)
        assert message in str(refused.value)
        assert f"{at}carbon.kg_per_kwh" in str(refused.value)
        assert refused.value.hint


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"kg_per_kwhs": [1, 2]}, "carbon.kg_per_kwhs: unknown key"),
        ({}, "carbon: must state at least one of kg_per_kwh"),
        ([1, 2], "carbon: `[1, 2]` must be a table"),
    ],
)
def test_a_block_that_is_none_is_refused(block: Any, message: str) -> None:
    with pytest.raises(BadInput) as refused:
        build_from_mapping({"volume": [GP3], "carbon": block})
    assert message in str(refused.value)
    assert refused.value.hint


def test_the_command_prints_the_range_and_what_it_leaves_out(tmp_path: Path) -> None:
    config = tmp_path / "bill.toml"
    config.write_text(
        'server = "aws-r7i.4xlarge"\nhorizon_months = 10\n'
        "power = { watts = 200, pue = 1 }\ncarbon = { kg_per_kwh = [0.25, 0.5] }\n"
    )
    found = command_answer("bill", config)["carbon"]
    assert found["total_kg"] == [365, 730]
    assert found["total_kg_per_month"] == [36.5, 73]
    shown = run("bill", config).stdout
    assert found["sentence"] in shown
    assert "causes 365 to 730 kg CO2e, 36.5 to 73.0 kg per month" in shown
    assert "0.25 to 0.5" in shown
    assert "not counted: making of RAM: no factor of it is stated" in shown
    config.write_text(
        'server = "aws-r7i.4xlarge"\ncarbon = { kg_per_kwh = [0.5, 0.25] }\n'
    )
    refused = run("bill", config)
    assert refused.returncode == 2
    assert "must not fall" in refused.stderr
    assert "hint:" in refused.stderr
