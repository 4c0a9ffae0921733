"""Flash wear: published tables, invariants, SMART files, money."""

import json
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.evaluate.endurance import growth as endurance_growth
from tierwright.evaluate.endurance import wear
from tierwright.hardware import catalog, rated_endurance, smart
from tierwright.hardware.device import Device, device_from_mapping
from tierwright.hardware.rated_endurance import WEARING

amounts = st.floats(1e-3, 1e12)
wafs = st.floats(0.1, 50)


# --- published tables -------------------------------------------------------------------


@pytest.mark.oracle("evaluate.endurance.wear.waf_by_pattern")
@pytest.mark.parametrize(
    ("device", "large", "small"),
    # FaCE Table 2: WAF of random writes in units of 256 kB and of 4 kB.
    [
        ("face2016-samsung-840pro-256", 1.03, 5.15),
        ("face2016-intel-s3500-480", 1.08, 3.04),
    ],
)
def test_waf_of_face_table_2(device: str, large: float, small: float) -> None:
    found = wear.waf_by_pattern(catalog.device(device), [1.0, 0.0])
    assert found.waf.tolist() == pytest.approx([large, small])


def test_gain_in_lifetime_of_face_table_7() -> None:
    # FaCE Table 7, TPC-C: FaCE-GSC 1.02 and LC 5.13 on the 840 Pro, 1.08 and 2.47 on the
    # S3500; section 6.7.1 says "about 5 times" and "about 2.3 times".
    samsung = wear.lifetime_ratio(waf_a=1.02, writes_a=1, waf_b=5.13, writes_b=1)
    intel = wear.lifetime_ratio(waf_a=1.08, writes_a=1, waf_b=2.47, writes_b=1)
    assert float(samsung) == pytest.approx(5.03, abs=0.005)
    assert float(intel) == pytest.approx(2.29, abs=0.005)


def test_a_scheme_that_writes_more_pages_gains_less() -> None:
    more = wear.lifetime_ratio(waf_a=1.02, writes_a=1.3, waf_b=5.13, writes_b=1)
    assert float(more) == pytest.approx(3.87, abs=0.005)


# --- invariants of section 7.3 ----------------------------------------------------------


@pytest.mark.formula("face.waf")
@given(amounts, amounts, st.floats(0.1, 10))
def test_waf_is_a_ratio_and_below_one_is_warned_of(
    physical: float, host: float, factor: float
) -> None:
    found = wear.write_amplification(physical, host)
    scaled = wear.write_amplification(physical * factor, host * factor)
    assert float(found.waf) == pytest.approx(float(scaled.waf))
    warned = [warning.name for warning in found.warnings]
    assert (warned == ["waf_below_one"]) == (float(found.waf) < 1)


@pytest.mark.formula("face.lifetime")
@given(amounts, st.floats(1, 1e5), wafs, amounts, st.floats(1.01, 10))
def test_lifetime_is_inverse_to_waf_and_load(
    nand: float, cycles: float, waf: float, rate: float, factor: float
) -> None:
    def life(w: float, r: float) -> Any:
        return wear.lifetime(
            nand_bytes=nand, pe_cycles=cycles, waf=w, host_bytes_per_s=r
        )

    found, worn = life(waf, rate), life(waf * factor, rate)
    assert float(found.seconds) == pytest.approx(float(worn.seconds) * factor)
    busier = life(waf, rate * factor)
    assert float(found.seconds) == pytest.approx(float(busier.seconds) * factor)
    assert float(busier.host_tb_written) == float(found.host_tb_written)
    # The writes of the whole life, at this rate, take the whole life.
    assert float(found.host_tb_written) * 1e12 == pytest.approx(
        float(found.seconds) * rate
    )
    assert float(found.years) * 365 * 86_400 == pytest.approx(float(found.seconds))
    per_day = float(found.drive_writes_per_day)
    assert per_day * nand * 5 * 365 == pytest.approx(cycles * nand / waf)


@pytest.mark.formula("face.lifetime_ratio")
@given(wafs, amounts, wafs, amounts)
def test_the_ratio_is_that_of_two_lifetimes(
    waf_a: float, writes_a: float, waf_b: float, writes_b: float
) -> None:
    lives = [
        float(
            wear.lifetime(
                nand_bytes=1e12, pe_cycles=1000, waf=waf, host_bytes_per_s=writes
            ).seconds
        )
        for waf, writes in ((waf_a, writes_a), (waf_b, writes_b))
    ]
    found = float(
        wear.lifetime_ratio(
            waf_a=waf_a, writes_a=writes_a, waf_b=waf_b, writes_b=writes_b
        )
    )
    assert found == pytest.approx(lives[0] / lives[1])


def test_without_writes_flash_lasts_for_ever() -> None:
    found = wear.lifetime(nand_bytes=1e12, pe_cycles=1000, waf=1, host_bytes_per_s=0)
    assert math.isinf(float(found.seconds))
    assert found.to_dict()["years"] is None
    ratio = wear.lifetime_ratio(waf_a=1, writes_a=0, waf_b=1, writes_b=1)
    assert math.isinf(float(ratio))


# --- ratings, what is left, money -------------------------------------------------------


def device(**figures: tuple[float, str]) -> Device:
    return device_from_mapping(
        {
            "id": "d",
            "name": "d",
            "kind": "nvme",
            "figures": {
                name: {"value": value, "unit": unit, "source": "test"}
                for name, (value, unit) in figures.items()
            },
        }
    )


@pytest.mark.oracle("hardware.rated_endurance.rated_endurance")
def test_each_rating_follows_from_the_others() -> None:
    capacity, years = (1000, "GB"), (5, "year")
    stated = rated_endurance.rated_endurance(
        device(capacity=capacity, endurance_years=years, dwpd=(1, "1/day"))
    )
    assert stated.tb_written == pytest.approx(1825)
    assert "DWPD x capacity" in stated.basis
    other = rated_endurance.rated_endurance(
        device(capacity=capacity, endurance_years=years, endurance_tb=(1825, "TB"))
    )
    assert other.dwpd == pytest.approx(1)
    bare = rated_endurance.rated_endurance(device(dwpd=(1, "1/day")))
    assert bare.tb_written is None
    assert not stated.warnings + other.warnings + bare.warnings


def test_what_no_source_states_is_assumed_and_said() -> None:
    drive = device(capacity=(1000, "GB"))
    taken = rated_endurance.rated_endurance(drive, assume=True)
    assert taken.tb_written == pytest.approx(1825)  # 1 x 1 TB x 365 x 5
    assert taken.assumed == "1 DWPD over 5 years"
    assert taken.basis.endswith("; 1 DWPD over 5 years assumed")
    assert [warning.name for warning in taken.warnings] == ["endurance_assumed"]
    # Each half that is stated or given is no assumption.
    rated = device(capacity=(1000, "GB"), dwpd=(3, "1/day"))
    half = rated_endurance.rated_endurance(rated, assume=True)
    assert (half.tb_written, half.assumed) == (pytest.approx(5475), "5 years")
    given = rated_endurance.rated_endurance(drive, dwpd=2, years=3, assume=True)
    assert (given.tb_written, given.assumed) == (pytest.approx(2190), "")
    assert given.basis.endswith("; 2 DWPD and 3 years as given")
    # What is given goes before what is stated.
    tbw = device(capacity=(1000, "GB"), endurance_tb=(600, "TB"))
    assert rated_endurance.rated_endurance(tbw, assume=True).tb_written == 600
    other = rated_endurance.rated_endurance(tbw, dwpd=2, assume=True)
    assert (other.tb_written, other.assumed) == (pytest.approx(3650), "5 years")


def test_nothing_is_assumed_of_what_is_rented_or_does_not_wear() -> None:
    named = {
        "aws-i4i.4xlarge-local": "comes with an instance",
        "gcp-local-ssd-375gb": "is rented",
        "aws-ebs-gp3-max": "is a volume",
        "pmem-optane-100-128gb": "is memory",
    }
    for name in named:
        found = rated_endurance.rated_endurance(catalog.device(name), assume=True)
        assert (found.tb_written, found.assumed) == (None, ""), name


def test_every_drive_has_an_endurance_or_the_labelled_assumption() -> None:
    stated = assumed = 0
    for drive in catalog.devices().values():
        if drive.kind not in WEARING or drive.sold_as == "instance":
            continue
        if "unit_rent" in drive.figures:
            continue
        found = rated_endurance.rated_endurance(drive, assume=True)
        assert (found.tb_written is None) == (drive.capacity_bytes is None), drive.id
        assert found.dwpd is not None or found.tb_written is not None, drive.id
        assert bool(found.assumed) == bool(found.warnings)
        stated += not found.assumed
        assumed += bool(found.assumed)
    assert stated >= 26
    assert assumed >= 30


@pytest.mark.formula("evaluate.endurance.wear.remaining")
@given(st.floats(1, 1e4), st.floats(0, 2e4), st.floats(0, 100))
def test_what_is_left_and_what_is_written_make_the_rating(
    rated: float, written: float, per_day: float
) -> None:
    found = wear.remaining(rated_tb=rated, written_tb=written, tb_per_day=per_day)
    assert found.left_tb + written == pytest.approx(rated, abs=1e-6)
    assert (found.years_left is None) == (per_day == 0)
    assert found.years_left is None or found.years_left >= 0
    names = [warning.name for warning in found.warnings]
    assert ("beyond_rating" in names) == (written > rated)


@pytest.mark.formula("evaluate.endurance.wear.wear_cost")
@given(
    st.decimals(1, 10_000, places=2),
    st.decimals(1, 10_000, places=2),
    st.decimals(0, 1000, places=3),
    st.integers(1, 120),
)
def test_wear_never_makes_a_device_cheaper(
    usd: Decimal, rated: Decimal, per_month: Decimal, months: int
) -> None:
    found = wear.wear_cost(
        device_usd=usd,
        rated_tb=rated,
        tb_per_month=per_month,
        amortisation_months=months,
    )
    assert found.amortised_usd_per_month is not None
    assert found.amortised_usd_per_month >= usd / months
    assert found.wear_limited == (rated < per_month * months)
    assert isinstance(found.usd_per_month, Decimal)
    if found.wear_limited:
        assert found.amortised_usd_per_month == pytest.approx(found.usd_per_month)


@given(
    st.decimals(1, 10_000, places=2),
    st.decimals(1, 10_000, places=2),
    st.decimals(0, 12_000, places=2),
    st.decimals(0, 1000, places=3),
    st.floats(-0.5, 3),
)
def test_money_lasts_as_long_as_the_life_of_the_same_drive(
    usd: Decimal, rated: Decimal, written: Decimal, per_month: Decimal, growth: float
) -> None:
    found = wear.wear_cost(
        device_usd=usd,
        rated_tb=rated,
        tb_per_month=per_month,
        amortisation_months=36,
        written_tb=written,
        growth_per_year=growth,
    )
    years = endurance_growth.years_with_growth(
        float(rated - written), float(per_month * 12), growth
    )
    if math.isinf(years):
        assert found.life_months is None
    else:
        assert found.life_months is not None
        assert float(found.life_months) / 12 == pytest.approx(years, rel=1e-9)
    assert found.wear_limited == (years * 12 < 36)
    used_up = min(written / rated, Decimal(1))
    assert found.left_usd == pytest.approx(usd * (1 - used_up), abs=Decimal("1e-9"))
    assert (found.amortised_usd_per_month is None) == (found.life_months == 0)


@pytest.mark.oracle("evaluate.endurance.wear.wear_cost")
def test_a_drive_nearly_written_to_its_rating_lasts_months_not_years() -> None:
    found = wear.wear_cost(
        device_usd=Decimal(400),
        rated_tb=Decimal(2000),
        tb_per_month=Decimal(100),
        amortisation_months=12,
        written_tb=Decimal(1800),
    )
    assert found.life_months == 2
    assert found.wear_limited
    assert found.amortised_usd_per_month == 20
    worn = wear.wear_cost(
        device_usd=Decimal(400),
        rated_tb=Decimal(2000),
        tb_per_month=Decimal(100),
        amortisation_months=12,
        written_tb=Decimal(2001),
    )
    assert (worn.life_months, worn.left_usd) == (0, 0)
    assert worn.wear_limited
    assert worn.amortised_usd_per_month is None


# --- SMART files --------------------------------------------------------------------------

NVME = {
    "model_name": "SSD 1TB",
    "serial_number": "S1",
    "nvme_total_capacity": 10**12,
    "nvme_smart_health_information_log": {
        "percentage_used": 12,
        "available_spare": 100,
        "data_units_read": 1000,
        "data_units_written": 2_000_000,
        "power_on_hours": 2400,
    },
}
ATA = {
    "model_name": "SSD SATA",
    "logical_block_size": 512,
    "user_capacity": {"bytes": 480 * 10**9},
    "power_on_time": {"hours": 100},
    "ata_smart_attributes": {
        "table": [
            {"id": 241, "name": "Total_LBAs_Written", "raw": {"value": 10**9}},
            {"id": 249, "name": "NAND_Writes_1GiB", "raw": {"value": 1000}},
        ]
    },
}


def test_smartctl_of_an_nvme_drive() -> None:
    found = smart.smart_from_mapping(NVME)
    assert found.host_bytes_written == 2_000_000 * 512_000
    assert (found.capacity_bytes, found.percentage_used) == (10**12, 12.0)
    assert found.host_bytes_per_day == pytest.approx(1.024e12 / 100)
    assert found.waf is None


def test_nvme_cli_writes_counters_as_text_or_numbers() -> None:
    log = {"data_units_written": "2,000,000", "percent_used": 3, "avail_spare": 99}
    found = smart.smart_from_mapping(log)
    assert found.host_bytes_written == 2_000_000 * 512_000
    assert (found.percentage_used, found.available_spare_percent) == (3.0, 99.0)


def test_ata_attributes_are_used_by_name_and_doubt_is_said() -> None:
    found = smart.smart_from_mapping(ATA)
    assert found.host_bytes_written == 512 * 10**9
    assert found.nand_bytes_written == 1000 * 2**30
    assert [warning.name for warning in found.warnings] == ["unit_by_vendor"]
    statistics = {
        "pages": [
            {
                "number": 1,
                "table": [
                    {
                        "name": "Logical Sectors Written",
                        "value": 3 * 10**9,
                        "flags": {"valid": True},
                    }
                ],
            },
            {
                "number": 7,
                "table": [
                    {
                        "name": "Percentage Used Endurance Indicator",
                        "value": 5,
                        "flags": {"valid": False},
                    }
                ],
            },
        ]
    }
    better = smart.smart_from_mapping({**ATA, "ata_device_statistics": statistics})
    assert better.host_bytes_written == 3 * 512 * 10**9
    assert better.warnings == ()
    assert better.percentage_used is None  # the log marks it as not valid


def test_a_drive_that_does_not_tell_is_not_guessed_at() -> None:
    found = smart.smart_from_mapping({"ata_smart_attributes": {"table": []}})
    assert found.host_bytes_written is None
    assert [warning.name for warning in found.warnings] == ["host_writes_unknown"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1, column 2: not JSON"),
        ("[]", "document: must be a JSON object"),
        ("{}", "holds neither"),
        ('{"data_units_written": -1}', "data_units_written: `-1` must be a whole"),
        ('{"data_units_written": "many"}', "data_units_written: `many` must be"),
        (
            f'{{"data_units_written": {"9" * 400}}}',
            r"`9{60}\.\.\.` is more than any drive has counted",
        ),
        (
            f'{{"data_units_written": "{"9" * 5000}"}}',
            r"`9{60}\.\.\.` must be a whole number",
        ),
        ('{"data_units_written": 1, "percentage_used": 1e308}', "percentage_used: `1"),
    ],
)
def test_bad_smart_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "smart.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=message):
        smart.read_smart(path)
    with pytest.raises(BadInput, match="there is no file"):
        smart.read_smart(tmp_path / "absent.json")


def test_the_health_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "smart.json"
    path.write_text(json.dumps(NVME), encoding="utf-8")
    assert main(["device", "health", str(path), "--rated-tb", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    # 1.024 TB written of 2; the drive itself says 12 % used.
    assert found["remaining"]["left_tb"] == pytest.approx(0.976)
    assert found["remaining"]["years_left"] == pytest.approx(0.976 / 0.01024 / 365)
    names = [warning["name"] for warning in found["remaining"]["warnings"]]
    assert names == ["device_says_otherwise"]
    assert main(["device", "health", str(path), "--device", "intel-p4510-2tb"]) == 0
    assert "2,054 TB" in capsys.readouterr().out
    assert main(["device", "health", str(path)]) == 0
    assert "rated writes left" not in capsys.readouterr().out
    assert main(["device", "health", str(path), "--device", "aws-ebs-sc1"]) == 2
    assert "states no rated writes" in capsys.readouterr().err


# --- refusals -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: wear.write_amplification(1, 0),
            "logical_bytes: `0.0` must be above 0",
        ),
        (
            lambda: wear.lifetime(nand_bytes=0, pe_cycles=1, waf=1, host_bytes_per_s=1),
            "nand_bytes: `0.0` must be above 0",
        ),
        (
            lambda: wear.lifetime_ratio(waf_a=1, writes_a=0, waf_b=1, writes_b=0),
            "and writes_b are both 0",
        ),
        (
            lambda: wear.waf_by_pattern(device(), 0.5),
            "states no WAF of random writes",
        ),
        (
            lambda: wear.remaining(rated_tb=0, written_tb=1),
            "rated_tb: `0` must be above 0",
        ),
        (
            lambda: wear.wear_cost(
                device_usd=Decimal(1),
                rated_tb=Decimal(0),
                tb_per_month=Decimal(1),
                amortisation_months=1,
            ),
            "rated_tb: `0` must be above 0",
        ),
    ],
)
def test_refusals_name_value_and_next_step(call: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message) as raised:
        call()
    assert raised.value.hint
