"""`tierwright wear`, `restart`, `metadata`, `tier-cost`: keys, numbers, refusals."""

import json
from typing import Any

import pytest

from tierwright.cli.app import main
from tierwright.evaluate import metadata

SSD, DISK = "face2016-samsung-840pro-256", "face2016-cheetah-15k6-single"


@pytest.fixture
def answer(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: str) -> Any:
        assert main([*arguments, "--json"]) == 0, capsys.readouterr().err
        return json.loads(capsys.readouterr().out)

    return run


def test_wear_by_cycles_and_by_rating(answer: Any) -> None:
    # FaCE Table 2: 1.03 in appends; 256e9 x 1000 / (1.03 x 20e6) s.
    head = ("wear", "--device", SSD, "--write-mb-per-s", "20")
    found = answer(*head, "--pe-cycles", "1000", "--sequential-share", "1")
    assert found["waf"] == pytest.approx(1.03)
    assert found["seconds"] == pytest.approx(256e12 / (1.03 * 20e6))
    small = answer(*head, "--pe-cycles", "1000")
    assert small["waf"] == pytest.approx(5.15)
    rated = answer("wear", "--device", "intel-p4510-2tb", "--write-mb-per-s", "20")
    assert rated["rated"]["tb_written"] == 2054
    assert rated["years_left"] == pytest.approx(2054e6 / (20 * 86_400) / 365)


def test_restart(answer: Any) -> None:
    asked = (
        "restart",
        "--flash",
        "10GB",
        "--flash-device",
        SSD,
        "--disk-device",
        DISK,
        "--redo-pages",
        "100000",
    )
    found = answer(*asked)
    # Metadata at 534 MB/s: 38 segments of 2.048 MB and 2 of 64,000 pages.
    persisted, scanned = found["metadata"]["persisted_bytes_read"], 2 * 64_000 * 4096
    assert found["metadata_s"] == pytest.approx((persisted + scanned) / 534e6)
    reads = 1e5 * (0.98 / 65_803 + 0.02 / 409)
    assert found["with_flash"]["total_s"] == pytest.approx(found["metadata_s"] + reads)
    assert found["without_flash"]["total_s"] == pytest.approx(1e5 / 409)
    assert found["warnings"][0]["name"] == "cost_is_no_latency"
    # The share is of the paper, and named as such, unless it is stated.
    [paper] = [
        each for each in found["warnings"] if each["name"] == "flash_share_of_the_paper"
    ]
    assert "98.0 % of the pages to redo are read from flash" in paper["message"]
    assert "segments of 64,000 entries" in paper["message"]
    stated = answer(*asked, "--flash-share", "0.614")
    assert stated["with_flash"]["total_s"] == pytest.approx(
        found["metadata_s"] + 1e5 * (0.614 / 65_803 + 0.386 / 409)
    )
    assert "flash_share_of_the_paper" not in {
        each["name"] for each in stated["warnings"]
    }


def test_metadata_of_every_preset(answer: Any) -> None:
    found = answer("metadata", "--flash", "200GiB", "--ram", "64GiB")
    by_name = {row["preset"]: row for row in found}
    assert list(by_name) == list(metadata.PRESETS)
    assert by_name["flashcache"]["metadata_bytes"] == 1200 * 2**20
    left = (64 * 2**30 - 1200 * 2**20) // 4096
    assert by_name["flashcache"]["left_pages"] == left
    unknown = answer("metadata", "--flash", "200GiB")
    assert unknown[0]["left_pages"] is None


def test_tier_cost(answer: Any) -> None:
    found = answer(
        "tier-cost",
        "--device",
        "intel-p4510-2tb",
        "--held",
        "1TB",
        "--accesses-per-month",
        "1,000,000,000",
    )
    usd = {key: float(value) for key, value in found.items() if "usd" in key}
    assert usd["capex_usd"] == 200
    assert usd["usd_per_month"] == pytest.approx(200 / 36)
    assert usd["usd_per_million_accesses"] == pytest.approx(200 / 36 / 1000)
    assert usd["usd_per_page_month"] == pytest.approx(200 / 36 * 4096 / 1e12)


def test_tier_cost_charges_fees_or_says_that_it_does_not(answer: Any) -> None:
    head = ("tier-cost", "--device", "aws-s3-standard", "--held", "1TiB")
    head = (*head, "--accesses-per-month", "1e9")
    bare = answer(*head)
    assert [each["name"] for each in bare["lines"]] == ["rent"]
    assert any("for reads" in text for text in bare["missing"])
    assert any("for writes" in text for text in bare["missing"])
    paid = answer(*head, "--reads-per-month", "1e9", "--writes-per-month", "0")
    fee = 1e9 / 1000 * 0.0004
    paid_usd, bare_usd = float(paid["usd_per_month"]), float(bare["usd_per_month"])
    assert paid_usd == pytest.approx(bare_usd + fee)
    assert not any("charges" in text for text in paid["missing"])


def test_tier_cost_takes_power_and_provisioned_rates(answer: Any) -> None:
    head = ("tier-cost", "--device", "samsung-960pro-2tb", "--held", "2TB")
    head = (*head, "--usd-per-kwh", "0.1")
    one = answer(*head, "--pue", "1", "--busy-share", "1")
    two = answer(*head, "--pue", "2", "--busy-share", "1")
    power = [
        next(float(x["usd_per_month"]) for x in found["lines"] if x["name"] == "power")
        for found in (one, two)
    ]
    assert power[1] == pytest.approx(2 * power[0])
    ram = ("tier-cost", "--device", "dram-ddr5-4800-rdimm", "--held", "1TiB")
    ram = (*ram, "--price-book", "street-2026-q3", "--usd-per-kwh", "0.1")
    bare, stated = answer(*ram), answer(*ram, "--watts-per-gib", "0.4")
    assert any("states no active power" in text for text in bare["missing"])
    # 0.4 W x 1,024 GiB x 1.5 x 730 h at 0.10 USD/kWh.
    added = float(stated["usd_per_month"]) - float(bare["usd_per_month"])
    assert added == pytest.approx(44.8512)


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (("wear", "--device", SSD, "--write-mb-per-s", "1", "--pe-cycles", "9"), "WAF"),
        (("wear", "--device", "intel-p4510-2tb", "--write-mb-per-s", "1"), "2,054 TB"),
        (("metadata", "--flash", "1TiB"), "EnhanceIO"),
        (("tier-cost", "--device", "intel-p4510-2tb", "--held", "1TB"), "left out"),
        (
            (
                "restart",
                "--flash",
                "1GiB",
                "--flash-device",
                SSD,
                "--disk-device",
                DISK,
                "--redo-pages",
                "10",
            ),
            "T_meta + n",
        ),
    ],
)
def test_tables_show_formula_and_numbers(
    arguments: tuple[str, ...], shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments]) == 0
    assert shown in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("wear", "--device", "kv2009-intel-x25e", "--write-mb-per-s", "1"),
            "states no rated writes",
        ),
        (
            (
                "wear",
                "--device",
                "intel-p4510-2tb",
                "--write-mb-per-s",
                "1",
                "--waf",
                "2",
            ),
            "--waf and --sequential-share need --pe-cycles",
        ),
        (
            (
                "restart",
                "--flash",
                "1GiB",
                "--flash-device",
                DISK,
                "--disk-device",
                "intel-p4510-2tb",
                "--redo-pages",
                "1",
            ),
            "`intel-p4510-2tb` has no read service time",
        ),
        (
            (
                "restart",
                "--flash",
                "1B",
                "--flash-device",
                "intel-p4510-2tb",
                "--disk-device",
                DISK,
                "--redo-pages",
                "1",
            ),
            "--flash: `1B` holds no page of 4 KiB",
        ),
        (
            ("metadata", "--flash", "1GiB", "--ram", "0"),
            "ram_bytes: `0` must be above 0",
        ),
        (
            ("tier-cost", "--device", SSD, "--held", "1TB", "--interest", "five"),
            "--interest: `five` is not a decimal number",
        ),
    ],
)
def test_refusals_exit_with_2_and_a_hint(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments]) == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert "hint:" in shown
