"""A device under the little flash of a replay has blocks that fit it, or the result says that they are too few."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tierwright.advise import wear
from tierwright.advise.checks import wear as wear_check
from tierwright.hardware import catalog
from tierwright.profile.measure import profile
from tierwright.simulate.erase_blocks import FEW_BLOCKS, few_blocks, noted
from tierwright.simulate.replay import Family, miniatures, refuse_impossible, sweep
from tierwright.simulate.replay import replay as replay_in_full
from tierwright.trace.reading import Trace

TRACE = Trace(
    Path(__file__).resolve().parents[2] / "fixtures" / "traces" / "tpcc-cut.csv.zst"
)
FLASH = catalog.device("samsung-pm9a3-7.68tb-u2")
DISK = catalog.device("seagate-exos-2x18-18tb")
SIZES = (500, 8000)
SPARE = {"ftl_spare_percent": "7"}
CASES: list[tuple[Family, str]] = [("flash_cache", "face"), ("scheme", "inclusive")]


def run(family: Family, name: str, flash: int = SIZES[1], **more: str) -> Any:
    return replay_in_full(
        TRACE, family, name, SIZES[0], flash, options={**SPARE, **more}, warm_up=0.5
    )


def notes(found: dict[str, Any]) -> list[str]:
    return [each["name"] for each in found["warnings"]]


@pytest.mark.parametrize(("family", "name"), CASES)
def test_blocks_that_are_not_given_fit_the_flash(family: Family, name: str) -> None:
    found, given = run(family, name), run(family, name, ftl_block_pages="80")
    assert found == given
    assert found["ftl"]["block_pages"] == 80
    assert FEW_BLOCKS not in notes(found)
    # The two blocks that are being filled are no longer a share of the writes.
    large = run(family, name, ftl_block_pages="256")
    assert large["ftl"]["waf"] > 1.5 * found["ftl"]["waf"]
    [note] = [each for each in large["warnings"] if each["name"] == FEW_BLOCKS]
    assert note["message"].startswith(
        "8,000 pages of flash fill 31 erase blocks of 256 pages"
    )
    # FaCE has a ring of 32 pages of metadata behind its data.
    spare = {"face": 672, "inclusive": 704}[name]
    assert note["message"].endswith(
        f": 2 blocks of the device are always free or being filled, {100 * 512 / spare:.1f} % of its {spare} pages of spare space"
    )
    wear = large["ftl"]["wear"]
    assert (
        round(large["ftl"]["erases"] / wear["mean"]) * 256 - spare
        == large["ftl"]["used_pages"]
    )
    assert note["hint"] == "leave ftl_block_pages out, or give at most 80"
    row = {family: name, "ram_pages": SIZES[0], "flash_pages": SIZES[1]}
    rows = sweep(
        TRACE,
        [
            {**row, "options": {**SPARE, **more}}
            for more in ({}, {"ftl_block_pages": "256"})
        ],
        warm_up=0.5,
    )["rows"]
    assert [each["ftl"] for each in rows] == [found["ftl"], large["ftl"]]
    assert [FEW_BLOCKS in notes(each) for each in rows] == [False, True]


def test_what_only_appends_is_not_amplified_by_a_small_device() -> None:
    assert run("flash_cache", "face")["ftl"]["waf"] == pytest.approx(1, abs=0.01)


def test_flash_for_fewer_blocks_than_the_smallest_says_so() -> None:
    found = run("flash_cache", "face", 700)
    assert found["ftl"]["block_pages"] == 8
    [note] = [each for each in found["warnings"] if each["name"] == FEW_BLOCKS]
    assert "700 pages of flash fill 87 erase blocks of 8 pages" in note["message"]
    assert note["hint"] == "replay at least 800 pages of flash"
    # What fits is not refused where it is checked before it runs.
    refuse_impossible(
        TRACE,
        "flash_cache",
        "lazy_cleaning",
        100,
        700,
        options={"ftl_spare_percent": "4"},
    )


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "2 blocks of the device are always free or being filled, 72.7 %"),
        ({"ftl_mapping": "fast", "ftl_spare_percent": "28"}, "3 blocks of the device"),
    ],
)
def test_the_note_counts_the_blocks_that_the_layer_holds(
    more: dict[str, str], words: str
) -> None:
    found = run("flash_cache", "lazy_cleaning", ftl_block_pages="256", **more)
    [note] = [each for each in found["warnings"] if each["name"] == FEW_BLOCKS]
    assert words in note["message"]
    assert "real device" not in note["message"]


def test_pages_that_are_not_in_use_are_no_spare_space() -> None:
    own = {**SPARE, "ftl_block_pages": "256"}
    for behind, spare in ((0, 704), (32, 672)):
        layer = {"used_pages": 0, "metadata_pages": behind}
        [note] = noted({"ftl": layer}, own, SIZES[1])["warnings"]
        assert note["message"].endswith(f" of its {spare} pages of spare space")


def test_of_a_device_that_copies_nothing_there_is_no_note() -> None:
    own = {**SPARE, "ftl_block_pages": "256"}
    assert few_blocks(own, SIZES[1]) is not None
    assert few_blocks({**own, "ftl_mapping": "zones"}, SIZES[1]) is None


def test_each_stream_has_an_open_block() -> None:
    own = {**SPARE, "ftl_block_pages": "256"}
    note = few_blocks(own, SIZES[1], streams=2)
    assert note is not None
    assert "3 blocks of the device are always free or being filled" in note["message"]


def test_blocks_of_a_miniature_fit_its_sample() -> None:
    """Each of the eight has 500 pages, which blocks of 80 would leave no room to collect in."""
    asked = {
        "scheme": "inclusive",
        "ram_pages": SIZES[0],
        "flash_pages": SIZES[1],
        "options": SPARE,
    }
    [row] = miniatures(TRACE, [asked], 0.5)["rows"]
    assert "error" not in row


@pytest.mark.parametrize("spare", [7, 28])
def test_wear_counts_what_a_replay_counts(spare: int) -> None:
    """Wear states the copies at the blocks that are meant: by the formulas at both sizes."""
    curve = profile(TRACE).curve.from_start("steady")
    answer = wear.answer(
        curve,
        ram_pages=SIZES[0],
        flash_pages=SIZES[1],
        flash=FLASH,
        disk=DISK,
        accesses_per_s=20_000.0,
        pe_cycles=3_000.0,
        spare_percent=spare,
        block_pages=256,
    )
    checked = wear_check.replayed(
        answer, curve, TRACE, flash_caches=["face", "lazy_cleaning"]
    )
    stated = {
        row.of: row.simulated
        for row in checked.rows
        if row.figure == "write amplification"
    }

    meant = answer.budget.spare
    assert meant is not None
    factor = (meant.waf - 1) / (replace(meant, block_pages=80).waf - 1)
    for family, name in (*CASES, ("flash_cache", "lazy_cleaning")):
        counted = replay_in_full(
            TRACE,
            family,
            name,
            *SIZES,
            options={"ftl_spare_percent": str(spare)},
            warm_up=curve.accesses // 2,
        )
        here = counted["ftl"]["waf"] - 1
        assert stated[name] == pytest.approx(1 + here * factor)
