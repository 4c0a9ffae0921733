"""Pages that are new: stated of a workload as it is or of one that is scaled, they are growth, and no reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import answer, run
from test_quote_ranking import DAY, ROOT, built

DRIVE = "samsung-pm9a3-7.68tb-u2"
RATE = ("--accesses-per-second", 3000)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("new-pages")
    trace = ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"
    (folder / "profile.json").write_text(
        json.dumps(answer("profile", trace)), encoding="utf-8"
    )
    (folder / "devices.toml").write_text(
        f'kinds = ["devices"]\ndevices = ["{DRIVE}"]\n', encoding="utf-8"
    )
    return folder


def advised(files: Path, *options: object) -> dict[str, Any]:
    found: dict[str, Any] = answer(
        *("advise", files / "profile.json", "--candidates", files / "devices.toml"),
        *options,
    )
    return found


def evaluated(files: Path, pages: int, new: int) -> float:
    """Share of the accesses that read the drive with so much RAM, by the command for one choice of sizes."""
    found = answer(
        *("evaluate", files / "profile.json", "--new-pages", new),
        *("--ram-pages", pages, "--flash-pages", 0),
        *("--flash-device", DRIVE, "--disk-device", DRIVE),
    )
    accesses = float(found["inputs"]["accesses"])
    return float(found["schemes"]["none"]["flash_misses"]) / accesses


@pytest.mark.parametrize("rate", [RATE, ()], ids=["a rate", "no rate"])
def test_new_pages_of_a_workload_as_it_is_are_not_read(
    files: Path, rate: tuple[object, ...]
) -> None:
    stated = json.loads((files / "profile.json").read_text(encoding="utf-8"))
    distinct = stated["distinct_pages"]
    found = {
        new: advised(files, *rate, "--new-pages", new)
        for new in (0, distinct // 2, distinct)
    }
    assert len({each["advice_id"] for each in found.values()}) == len(found)
    for new, each in found.items():
        assert each["question"]["new_pages"] == new
        best = each["recommendation"]
        # RAM of whole modules holds every page of this recording.
        assert best["ram_bytes"] > distinct * stated["page_bytes"]
        # Of which the system takes 4 GiB of each machine.
        usable = best["ram_bytes"] - 4 * 2**30 * best["machines"]
        read = evaluated(files, usable // stated["page_bytes"], new)
        assert best["disk_share"] == pytest.approx(read)
    # What is all made in memory, and stays there, is never read.
    assert found[distinct]["recommendation"]["disk_share"] == 0
    assert found[0]["recommendation"]["disk_share"] > 0.02


@pytest.mark.parametrize(
    "options", [(), RATE, (*RATE, "--data", "1TiB")], ids=["as is", "rate", "scaled"]
)
def test_more_new_pages_than_there_are_first_touches_are_refused(
    files: Path, options: tuple[object, ...]
) -> None:
    profile = files / "profile.json"
    stated = {"format": "tierwright-quotes", "version": 1, "quotes": [built("B")]}
    (files / "quotes.json").write_text(json.dumps(stated), encoding="utf-8")
    quotes = ("quotes", "rank", files / "quotes.json", "--as", "json", "--day", DAY)
    for command in (("advise", profile), (*quotes, "--workload", profile)):
        for new in (999_999_999, -1):
            done = run(*command, *options, "--new-pages", new)
            assert done.returncode == 2
            assert f"`{new}` must lie between 0 and" in done.stderr


def test_a_workload_that_was_scaled_has_those_that_it_was_scaled_with(
    files: Path,
) -> None:
    production = files / "production.json"
    made = ("--data", "1TiB", *RATE, "--new-pages", 9000, "--output", production)
    assert run("scale", files / "profile.json", *made).returncode == 0
    done = run("advise", production, "--new-pages", 5)
    assert done.returncode == 2
    assert "`5` cannot be stated of a workload that was scaled" in done.stderr
