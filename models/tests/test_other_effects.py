"""Effects of cautions on directories, restarts and scaled workloads: computed, and the opposite where it holds."""

from __future__ import annotations

import re
from typing import Any

import pytest
import recordings

from tierwright.advise import directories, recovery, scale
from tierwright.advise.directories import DirectoryUse
from tierwright.common.answer import Answer
from tierwright.hardware import catalog
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

TPCB = Trace(recordings.TPCB)
FLASH = catalog.device("micron-9550-max-3.2tb")
DISK = catalog.device("seagate-exos-x24-24tb")
MIB = 2**20


@pytest.fixture(scope="module")
def recorded() -> Any:
    return profile(TPCB)


def effects(found: Answer) -> dict[str, tuple[bool | None, str]]:
    return {w.code: (w.could_change_choice, w.effect) for w in found.cautions}


def placed(recorded: Any, *places: str, **use: Any) -> directories.Directories:
    """Directories before a fast array, where they are not lost beside the disk."""
    return directories.answer(
        recorded.curve.steady(),
        ram_bytes=16 * MIB,
        flash_bytes=128 * MIB,
        flash=catalog.device("face2016-samsung-840pro-256"),
        disk=catalog.device("face2016-cheetah-15k6-raid0-16"),
        placements=places,
        use=DirectoryUse(**use),
    )


def test_a_directory_on_flash_takes_longer_without_its_buffer(recorded: Any) -> None:
    first = placed(recorded, "flash", hit_ratio=1.0)
    changes, effect = effects(first)["directory_hits_are_assumed"]
    assert changes is False  # there is no other place to choose
    found = re.search(r"none of the accesses: \+([\d.]+) % I/O time", effect)
    assert found is not None
    again = placed(recorded, "flash", hit_ratio=0.0)
    change = again.options[0].worst_us / first.options[0].worst_us - 1
    assert float(found[1]) == pytest.approx(100 * change, abs=0.6)


def test_a_directory_in_ram_does_not_rest_on_what_its_buffer_serves(
    recorded: Any,
) -> None:
    found = placed(recorded, "ram", "flash")
    assert found.safest == 0
    _, effect = effects(found)["directory_hits_are_assumed"]
    assert "no change of I/O time, same directory" in effect


def restarted(recorded: Any, flash: Any, disk: Any = DISK) -> recovery.Recovery:
    return recovery.answer(
        recorded.curve.steady(),
        ram_pages=1000,
        flash_pages=6000,
        flash=flash,
        disk=disk,
        accesses_per_s=20_000,
    )


def test_redo_that_waits_for_each_page_takes_its_latency(recorded: Any) -> None:
    found = restarted(recorded, FLASH)
    changes, effect = effects(found)["cost_is_no_latency"]
    assert changes is False
    assert re.match(
        r"if each request is served alone \(.*\): \+[\d.]+ % time of the restart, same way",
        effect,
    )


def test_without_a_latency_it_says_why_not(recorded: Any) -> None:
    other = next(
        device
        for device in catalog.devices().values()
        if device.kind == "nvme"
        and not any("latency" in name for name in device.figures)
        and {"read_iops", "write_iops", "sequential_read_mb_per_s"}
        <= set(device.figures)
        and device.number("queue_depth") is None
    )
    _, effect = effects(restarted(recorded, other, other))["cost_is_no_latency"]
    assert effect == "not computable: no time of a single request is stated"


def test_a_scaled_workload_says_between_what_its_misses_lie(recorded: Any) -> None:
    found = scale.answer(recorded, Production(4 * 2**40, 80_000.0))
    changes, effect = effects(found)["scale_extrapolated"]
    at = min(found.sizes, key=lambda one: abs(one.share - 0.1))
    assert at.miss_ratio_low is not None
    assert at.miss_ratio_high is not None
    assert changes is None
    assert f"{100 * at.miss_ratio_high:.3g} %" in effect
    assert at.miss_ratio_low < at.miss_ratio < at.miss_ratio_high
