"""`tierwright wear PROFILE`: life by scheme is the models' own, in JSON and as a table."""

import json
from pathlib import Path
from typing import Any

import pytest
import recordings

from tierwright.cli.app import main
from tierwright.evaluate.endurance import outlook as endurance_outlook
from tierwright.evaluate.page_flow import evaluation
from tierwright.hardware import catalog
from tierwright.profile.curve import Curve, Given
from tierwright.profile.document import Profile, read_profile

SSD, DISK = "intel-p4500-4tb", "face2016-cheetah-15k6-single"
SIZES = [1, 10, 100, 500, 1000]
MISSES = [9000, 8000, 5000, 2500, 1000]
BACKS = [3000, 2500, 1500, 600, 200]


def written(folder: Path, *, known: bool) -> str:
    curve = Curve.from_lists(
        SIZES,
        MISSES,
        BACKS if known else None,
        accesses=10_000,
        distinct_pages=1000,
        page_bytes=8192,
        write_accesses=4000 if known else 0,
        given=None if known else Given("table", data_known=True),
    )
    path = folder / ("known.json" if known else "given.json")
    Profile(curve, 5.0).write(path)
    return str(path)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    def answer(*more: str, known: bool = True, as_json: bool = True) -> Any:
        arguments = [
            "wear",
            written(tmp_path, known=known),
            *("--device", SSD, "--disk-device", DISK),
            *("--ram-pages", "50", "--flash-pages", "800"),
            *more,
        ]
        assert main([*arguments, *(["--json"] if as_json else [])]) == 0, (
            capsys.readouterr().err
        )
        text = capsys.readouterr().out
        return json.loads(text) if as_json else text

    return answer


def test_lives_are_those_of_the_models(run: Any, tmp_path: Path) -> None:
    found = run("--growth", "0.2", "--devices", "2", "--written-tb", "680")
    ssd = catalog.device(SSD)
    assert ssd.capacity_bytes is not None
    outlook = endurance_outlook.wear_outlook(
        evaluation.evaluate(
            read_profile(Path(written(tmp_path, known=True))).curve.steady(),
            ram_pages=50,
            flash_pages=800,
            flash=ssd,
            disk=catalog.device(DISK),
        ),
        endurance_outlook.write_budget(ssd, devices=2),
        accesses_per_s=2000,
        growth_per_year=0.2,
        written_tb=680,
        capacity_bytes=2 * ssd.capacity_bytes,
    )
    assert found["accesses_per_s"] == 2000  # 10,000 accesses in 5 s
    assert list(found["schemes"]) == list(outlook.schemes)
    for name, life in outlook.schemes.items():
        row = found["schemes"][name]
        for key in ("years", "years_from", "years_to", "tb_per_day"):
            assert row[key] == pytest.approx(getattr(life, key))
        assert row["drive_writes_per_day"] == pytest.approx(life.drive_writes_per_day)
        assert row["none_dirty"] is None
    # two devices of 4840 TB
    assert found["budget"]["left_tb"] == pytest.approx(9680 - 680)
    assert found["budget"]["left_share"] == pytest.approx(9000 / 9680)


def test_money_is_price_over_rating(run: Any) -> None:
    found = run("--price-book", "street-2026-q1")
    price = catalog.price_book("street-2026-q1").find(device_id=SSD, kind="nvme")
    assert price is not None
    for row in found["schemes"].values():
        money = row["money"]
        assert float(money["usd_per_tb_written"]) == pytest.approx(
            float(price.usd_per_gb) * 4000 / 4840
        )
        month = float(money["usd_per_tb_written"]) * row["tb_per_day"] * 365 / 12
        assert float(money["usd_per_month"]) == pytest.approx(month)
    assert found["money_reason"] == ""


def test_an_unknown_dirty_share_gives_both_ends(run: Any) -> None:
    found = run(known=False)
    none, most = (run("--dirty-share", p, known=False) for p in ("0", "1"))
    assert found["dirty_share_unknown"] is True
    assert none["dirty_share_unknown"] is False
    for name, row in found["schemes"].items():
        assert row["years"] == pytest.approx(most["schemes"][name]["years"])
        assert row["none_dirty"]["years"] == pytest.approx(
            none["schemes"][name]["years"]
        )
        assert row["years_to"] >= row["none_dirty"]["years"]
    # With every page dirty lazy writes as much as exclusive, the first among equals.
    assert (none["gentlest"], most["gentlest"]) == ("lazy", "exclusive")
    years = {name: row["years"] for name, row in most["schemes"].items()}
    assert years["lazy"] == pytest.approx(years["exclusive"])
    assert found["gentlest"] == "lazy"
    assert " to " in run(known=False, as_json=False)


def test_metadata_are_charged(run: Any) -> None:
    found = run("--flash-metadata", "l2arc", "--ram-pages", "60")
    left = found["ram_budget"]["left_pages"]
    assert left == 60 - -(-96 * 800 // 8192)
    same = run("--ram-pages", str(left))
    for name, row in found["schemes"].items():
        assert row["tb_per_day"] == same["schemes"][name]["tb_per_day"]


def test_what_the_drive_counts_is_written_before(run: Any, tmp_path: Path) -> None:
    log = tmp_path / "smart.json"
    # a data unit of NVMe is 1000 blocks of 512 bytes
    log.write_text(
        json.dumps({"data_units_written": 2_000_000, "percentage_used": 1}), "utf-8"
    )
    found = run("--health", str(log))
    assert found["budget"]["written_tb"] == pytest.approx(1.024)


def test_the_table_names_every_scheme_and_what_is_left(run: Any) -> None:
    text = run("--written-tb", "840", as_json=False)
    for scheme in ("inclusive", "exclusive", "lazy"):
        assert scheme in text
    assert "4,000 TB" in text
    assert "data sheet" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--device", SSD), "there is no load"),
        (("--device", SSD, "--ram-pages", "5"), "--ram-pages needs a profile"),
        (("PROFILE", "--device", SSD), "a profile needs --ram-pages, --flash-pages"),
        (
            ("PROFILE", "--device", SSD, "--write-mb-per-s", "1"),
            "--write-mb-per-s cannot be combined with a profile",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(
    arguments: tuple[str, ...],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    path = written(tmp_path, known=True)
    given = [path if each == "PROFILE" else each for each in arguments]
    assert main(["wear", *given]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "hint:" in error


@pytest.mark.parametrize("by_profile", [True, False])
@pytest.mark.parametrize(
    ("option", "value"), [("--nand", "4TB"), ("--waf", "3"), ("--nand", "0B")]
)
def test_what_only_pe_cycles_use_is_refused_without_them(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    by_profile: bool,
    option: str,
    value: str,
) -> None:
    load = ["--write-mb-per-s", "10"]
    if by_profile:
        load = [written(tmp_path, known=True), "--disk-device", DISK]
        load += ["--ram-pages", "50", "--flash-pages", "500"]
    arguments = ["wear", *load, "--device", SSD, option, value]
    assert main([*arguments, "--json"]) == 2
    error = capsys.readouterr().err
    assert option in error
    assert "--pe-cycles" in error
    assert "hint:" in error


def test_a_trace_checks_the_writes_and_their_amplification(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    profile = tmp_path / "tpcb.json"
    assert main(["profile", str(recordings.TPCB), "-o", str(profile)]) == 0
    capsys.readouterr()
    asked = [
        *("wear", str(profile), "--device", SSD, "--disk-device", DISK),
        *("--ram-pages", "1000", "--flash-pages", "6000", "--accesses-per-s", "5000"),
        *("--pe-cycles", "3000", "--spare-percent", "28", "--block-pages", "32"),
        *("--trace", str(recordings.TPCB)),
    ]
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["check"]
    wafs = {
        row["of"]: row
        for row in found["rows"]
        if row["figure"] == "write amplification"
    }
    assert set(wafs) == {"exclusive", "lazy", "inclusive", "inclusive_global"}
    assert wafs["exclusive"]["simulated"] == 1.0
    assert main(asked) == 0
    shown = capsys.readouterr().out
    assert found["finding"] in shown
    assert "+133.0%" in shown  # 2.33 by the formula, 1 by the replay
    assert main([*asked[:-2], "--gc", "lifo"]) != 0
    assert "has no write amplification by formula" in capsys.readouterr().err


def test_options_of_flash_caches_give_cachelib_a_second_write_stream(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    profile = tmp_path / "tpcb.json"
    assert main(["profile", str(recordings.TPCB), "-o", str(profile)]) == 0
    capsys.readouterr()
    asked = [
        *("wear", str(profile), "--device", SSD, "--disk-device", DISK),
        *("--ram-pages", "1000", "--flash-pages", "6000", "--accesses-per-s", "5000"),
        *("--pe-cycles", "3000", "--spare-percent", "28", "--block-pages", "32"),
    ]
    small = ("small_by=relation", "cachelib:small=58", "small_percent=25")
    options = [each for option in small for each in ("--option", option)]
    traced = ["--trace", str(recordings.TPCB), "--flash-cache", "cachelib"]
    assert main([*asked, *traced, *options]) == 0
    shown = capsys.readouterr().out
    assert "write amplification with two streams" in shown
    assert main([*asked, *traced]) == 0
    assert "two streams" not in capsys.readouterr().out
    # Without a flash cache there is nothing that has options.
    assert main([*asked, "--option", "small=58"]) == 2
    error = capsys.readouterr().err
    assert "--option: `small=58`" in error
    assert "hint:" in error
