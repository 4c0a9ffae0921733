"""Wear of a flash device that holds the data of a policy or a buffer: its writes, WAF and life are those of a replay."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import recordings
from whole_device import of_a_whole_device

from tierwright.advise import scale, wear
from tierwright.advise.checks import wear as checks
from tierwright.advise.checks.data_on_flash import MARK, data_titles, is_on_flash
from tierwright.advise.point import scheme_titles
from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.hardware import catalog
from tierwright.profile.curve import Curve
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.simulate.contenders import flash_cache_titles
from tierwright.simulate.replay import Family, replay
from tierwright.trace.reading import Trace

TPCC = Trace(recordings.TPCC)
SSD, DISK = "samsung-990pro-2tb", "face2016-cheetah-15k6-single"
DRIVE = catalog.device(SSD)
RAM_PAGES, PER_SECOND = 1000, 5000.0
SPARE = {"pe_cycles": 3e3, "spare_percent": 28, "block_pages": 32}
DEVICE = {"ftl_spare_percent": "28", "ftl_block_pages": "32", "ftl_gc": "greedy"}


@pytest.fixture(scope="module")
def curve() -> Curve:
    return profile(TPCC).curve.from_start("steady")


def worn(curve: Curve, **given: Any) -> wear.Wear:
    asked: dict[str, Any] = {
        "ram_pages": RAM_PAGES,
        "flash_pages": 6000,
        "flash": DRIVE,
        "disk": catalog.device(DISK),
        "accesses_per_s": PER_SECOND,
    }
    return wear.answer(curve, **{**asked, **given})


@pytest.mark.parametrize(
    ("family", "name", "written"),
    [
        ("policy", "lru", "disk_writes"),
        ("policy", "2q", "disk_writes"),
        ("buffer", "fd_buffer", "writes"),
    ],
)
def test_writes_and_life_are_those_of_the_replay(
    curve: Curve, family: Family, name: str, written: str
) -> None:
    answer = worn(curve, **SPARE)
    found = checks.replayed(answer, curve, TPCC, data_on_flash=[name])
    rows = {row.figure: row for row in found.rows if row.of == f"{MARK}{name}"}
    own = replay(
        TPCC, family, name, RAM_PAGES, options=DEVICE, warm_up=curve.accesses // 2
    )
    ftl = own["ftl"]
    assert ftl["host_writes"] == own[written] > 0
    assert all(row.model is None for row in rows.values())
    waf = of_a_whole_device(
        ftl["waf"], pages=own["distinct_pages"], block=32, spare_percent=28
    )
    assert waf < ftl["waf"]
    assert rows["write amplification"].simulated == pytest.approx(waf)
    page = own["page_bytes"]
    per_s = own[written] / own["accesses"] * PER_SECOND * page
    assert rows["flash writes"].simulated == pytest.approx(per_s * 86_400 / 1e12)
    assert DRIVE.capacity_bytes is not None
    pages = ftl["host_writes"] * waf / own["accesses"]
    seconds = DRIVE.capacity_bytes * 1.28 * 3000 / (pages * PER_SECOND * page)
    assert rows["life"].simulated == pytest.approx(seconds / (365 * 86_400))
    title = rows["life"].title
    assert title.endswith(", data on flash")
    assert f"With all data on the flash device, {title.split(',')[0]} writes to it" in (
        found.finding
    )
    assert f"{own['distinct_pages']:,} pages" in found.basis
    assert "1,000 pages of RAM and all data on the flash device" in found.basis
    # The data are overwritten less than four times by half of this trace.
    assert ftl["host_writes"] < 4 * own["distinct_pages"]
    assert "still rising and its life is an upper bound" in found.basis


def test_what_stands_beside_it_is_as_without_it(curve: Curve) -> None:
    answer = worn(curve, **SPARE)
    alone = checks.replayed(answer, curve, TPCC, flash_caches=["larc"])
    both = checks.replayed(
        answer, curve, TPCC, flash_caches=["larc"], data_on_flash=["lru", "cflru"]
    )
    assert [row for row in both.rows if not is_on_flash(row.of)] == list(alone.rows)
    assert "LRU and CFLRU were replayed" in both.basis
    assert "CFLRU writes least to it" in both.finding
    for part in (alone.basis, alone.finding):
        for sentence in part.split(". "):
            assert sentence.rstrip(".") in f"{both.basis} {both.finding}"


def test_a_rating_counts_the_writes_alone(curve: Curve) -> None:
    answer = worn(curve, rated_tb=100.0)
    found = checks.replayed(answer, curve, TPCC, data_on_flash=["lru"])
    rows = {row.figure: row for row in found.rows if is_on_flash(row.of)}
    assert set(rows) == {"flash writes", "life"}
    own = replay(TPCC, "policy", "lru", RAM_PAGES, warm_up=curve.accesses // 2)
    written = own["disk_writes"] / own["accesses"] * PER_SECOND * own["page_bytes"]
    assert rows["life"].simulated == pytest.approx(100e12 / written / (365 * 86_400))
    assert "upper bound" not in found.basis


def test_blocks_that_the_data_do_not_fill_stand_in_or_are_left_out(
    curve: Curve,
) -> None:
    answer = worn(curve, **{**SPARE, "block_pages": 4096})
    found = checks.replayed(answer, curve, TPCC, data_on_flash=["lru"])
    block = curve.distinct_pages // 100
    own = replay(
        TPCC,
        "policy",
        "lru",
        RAM_PAGES,
        options={**DEVICE, "ftl_block_pages": str(block)},
        warm_up=curve.accesses // 2,
    )
    assert (
        f"The data would fill fewer than 100 blocks of 4,096 pages, so blocks of {block} pages stood for them. "
        in found.basis
    )
    waf = next(
        row.simulated
        for row in found.rows
        if is_on_flash(row.of) and row.figure == "write amplification"
    )
    assert waf == pytest.approx(
        of_a_whole_device(
            own["ftl"]["waf"],
            pages=curve.distinct_pages,
            block=block,
            spare_percent=28,
            meant=4096,
        )
    )
    tiny = replace(curve, distinct_pages=500)
    replays = checks.data_replays(answer, tiny, ["lru"])
    assert replays[f"{MARK}lru"].options == {}
    counted = {
        "accesses": 1000,
        "page_bytes": 8192,
        "flash_pages": 0,
        "flash_writes": 10,
        "disk_writes": 10,
        "distinct_pages": 500,
        "pages": 100,
    }
    counters = dict.fromkeys((*scheme_titles(), f"{MARK}lru"), counted)
    told = checks.check(answer, counters)
    assert "life rests on that of the formula" in told.basis


def test_what_cannot_be_is_refused(curve: Curve) -> None:
    answer = worn(curve)
    with pytest.raises(BadInput, match="`slru` is unknown") as refused:
        checks.data_replays(answer, curve, ["slru"])
    assert "cflru" in (refused.value.hint or "")
    small = replace(answer, capacity_bytes=10_000)
    with pytest.raises(BadInput, match="do not fit on"):
        checks.data_replays(small, curve, ["lru"])
    production = scale.answer(profile(TPCC), Production(4 * 2**30, 2_000.0))
    with pytest.raises(BadInput, match="cannot be replayed for production"):
        checks.data_replays(answer, production.profile.curve, ["lru"])
    assert checks.data_replays(answer, curve, ["LRU", "lru"]).keys() == {f"{MARK}lru"}


def test_no_scheme_or_flash_cache_has_such_a_name() -> None:
    assert not [
        name for name in scheme_titles() | flash_cache_titles() if is_on_flash(name)
    ]
    assert {"lru", "2q", "opt", "cflru", "fd_buffer"} <= data_titles().keys()


def test_the_command_replays_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "tpcc.json"
    assert main(["profile", str(recordings.TPCC), "-o", str(file)]) == 0
    asked = [
        *("wear", str(file), "--device", SSD, "--disk-device", DISK),
        *("--ram-pages", "1000", "--flash-pages", "6000", "--accesses-per-s", "5000"),
        *("--data-on-flash", "lru, fd-buffer"),
    ]
    assert main(asked) != 0
    assert "--data-on-flash: `lru, fd-buffer` needs a trace" in capsys.readouterr().err
    asked += ["--trace", str(recordings.TPCC)]
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["check"]
    assert {row["of"] for row in found["rows"] if is_on_flash(row["of"])} == {
        f"{MARK}lru",
        f"{MARK}fd_buffer",
    }
    assert main(asked) == 0
    assert "LRU, data on flash" in capsys.readouterr().out
