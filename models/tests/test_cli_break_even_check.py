"""`tierwright break-even --trace`: the check by replay, beside replays and prices made here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import run
from test_questions import TPCB

from tierwright.common.wording import percent
from tierwright.hardware import catalog
from tierwright.simulate.priced import price
from tierwright.simulate.replay import replay
from tierwright.trace.reading import Trace

RAM = 1000
FLASH, DISK = "face2016-samsung-840pro-256", "face2016-cheetah-15k6-single"
DEVICES = ["--flash-device", FLASH, "--disk-device", DISK]
ASKED = ["--ram-pages", str(RAM), *DEVICES, "--start", "cold"]


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("given") / "profile.json"
    assert run("profile", TPCB.path, "-o", path).returncode == 0
    return path


def asked(profile: Path, *more: str) -> dict[str, Any]:
    found = run("break-even", "--profile", profile, *ASKED, *more, "--json")
    assert found.returncode == 0, found.stderr
    document: dict[str, Any] = json.loads(found.stdout)
    return document


def test_the_step_and_flash_caches_are_replayed_and_priced(profile: Path) -> None:
    names, disks = ["face", "larc"], 4
    given = ("--delta", "0.5", "--disks", str(disks))
    found = asked(
        profile, *given, "--trace", str(TPCB.path), "--flash-cache", ",".join(names)
    )
    check = found["check"]
    rows = {(row["of"], row["unit"]): row for row in check["rows"]}
    best = found["schemes"]["best"][0]
    figure = rows[best, "µs/access"]["figure"]
    pages = int(figure.split()[2].replace(",", ""))
    flash, disk = catalog.device(FLASH), catalog.device(DISK)

    def time_us(family: Any, name: str, ram_pages: int, flash_pages: int) -> float:
        counted = replay(Trace(TPCB.path), family, name, ram_pages, flash_pages)
        tiers = price(counted, flash=flash, disk=disk).tiers_us_per_access
        return float(tiers["flash"] + tiers["disk"] / disks)

    before = time_us("scheme", "none", RAM, 0)
    dram = before - time_us("scheme", "none", RAM * 3 // 2, 0)
    assert rows["none", "µs/access"]["simulated"] == pytest.approx(dram)
    for name in names:
        gain = before - time_us("flash_cache", name, RAM, pages)
        row = rows[name, "µs/access"]
        assert (row["model"], row["figure"]) == (None, figure)
        assert row["simulated"] == pytest.approx(gain)
        assert rows[name, "1"]["simulated"] == pytest.approx(gain / dram)
    assert "of the flash caches" in check["finding"]
    taken = percent(32 * pages / (8192 * RAM))
    assert f"({taken}) of the RAM; that of LARC takes" in check["basis"]
    assert f"({percent(69.6 * pages / (8192 * RAM))})" in check["basis"]
    # The answer beside it is the one without a check.
    alone = asked(profile, *given)
    assert alone.pop("check") is None
    assert alone == {name: found[name] for name in alone}


def test_the_text_has_the_finding_and_every_row(profile: Path) -> None:
    given = [*ASKED, "--trace", TPCB.path, "--flash-cache", "larc"]
    found = run("break-even", "--profile", profile, *given)
    assert found.returncode == 0, found.stderr
    # Without --delta the step doubles the DRAM, as over HTTP.
    assert f"saved by {RAM:,} more pages" in found.stdout
    assert "With as much flash, LARC saves" in found.stdout
    for title in ("DRAM", "Exclusive", "Lazy", "LARC"):
        assert f"\n{title} " in found.stdout


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--flash-cache", "larc"), "needs a trace to replay"),
        (("--trace", "TRACE", "--flash-cache", "lark"), "`lark` is unknown"),
        (
            ("--trace", "TRACE", "--delta", "1", "--delta", "2"),
            "one DRAM step is replayed, and 2 are given",
        ),
        (("--format", "postgres_csv"), "no trace is named"),
    ],
)
def test_what_cannot_be_checked_is_refused(
    profile: Path, given: tuple[str, ...], message: str
) -> None:
    given = tuple(str(TPCB.path) if each == "TRACE" else each for each in given)
    found = run("break-even", "--profile", profile, *ASKED, *given)
    assert found.returncode == 2, found.stdout
    assert message in found.stderr
    assert "hint:" in found.stderr


def test_a_check_needs_the_profile_and_the_dram(profile: Path) -> None:
    for given, missing in (((), "--profile"), (("--profile", profile), "--ram-pages")):
        found = run("break-even", *DEVICES, *given, "--trace", TPCB.path)
        assert found.returncode == 2
        assert f"--trace: a replay needs {missing}" in found.stderr
