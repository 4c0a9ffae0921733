"""Options of the flash caches that are replayed beside an answer: every check takes them, replays them and says so."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import recordings

from tierwright.advise import directories as directory_question
from tierwright.advise import response as response_question
from tierwright.advise import throughput as throughput_question
from tierwright.advise.checks import (
    directories,
    dram_or_flash,
    flash_caches,
    response,
    scheme_map,
    throughput,
)
from tierwright.advise.checks.checked import Checked
from tierwright.advise.checks.counted import replayed_throughput
from tierwright.advise.checks.flash_caches import options_of_caches
from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.evaluate.page_flow.evaluation import evaluate
from tierwright.evaluate.page_flow.scheme_map import Axis
from tierwright.evaluate.response.schemes import Hierarchy
from tierwright.evaluate.throughput.schemes import Setting, scheme_throughput
from tierwright.hardware import catalog
from tierwright.profile.document import Profile
from tierwright.profile.measure import profile
from tierwright.simulate.priced import price
from tierwright.simulate.replay import replay
from tierwright.trace.reading import Trace

TRACE = Trace(recordings.TPCC)
FLASH = catalog.device("samsung-pm9a3-7.68tb-u2")
DISK = catalog.device("face2016-cheetah-15k6-single")
RAM, FLASH_PAGES = 500, 2_000
NAMES = ["face", "lazy_cleaning"]
OPTIONS = {"lazy_cleaning": {"dirty_threshold": "1"}, "face": {}}
"""Without a cleaner, Lazy Cleaning writes less to disk."""
SAID = "Lazy Cleaning (LC) ran with dirty_threshold=1."
GIVEN = ["lazy_cleaning:dirty_threshold=1"]


@cache
def recorded() -> Profile:
    return profile(TRACE)


def curve() -> Any:
    return recorded().curve.from_start("steady")


def alone(**options: str) -> dict[str, Any]:
    half = recorded().curve.accesses // 2
    return replay(
        TRACE, "flash_cache", "lazy_cleaning", RAM, FLASH_PAGES,
        warm_up=half, options=options,
    )  # fmt: skip


def time_of(found: Checked, name: str, figure: str) -> float:
    [row] = [row for row in found.rows if (row.of, row.figure) == (name, figure)]
    assert row.simulated is not None
    return row.simulated


def compared(options: Any) -> Checked:
    found = evaluate(
        curve(), ram_pages=RAM, flash_pages=FLASH_PAGES, flash=FLASH, disk=DISK
    )
    return flash_caches.replayed(
        found, curve(), TRACE, NAMES, flash=FLASH, disk=DISK, options=options
    )


def test_a_comparison_replays_with_them() -> None:
    plain, given = compared(None), compared(OPTIONS)
    for found, counted in (
        (plain, alone()),
        (given, alone(dirty_threshold="1")),
    ):
        cost = price(counted, flash=FLASH, disk=DISK).io_time_us_per_access
        assert time_of(found, "lazy_cleaning", "I/O time") == pytest.approx(cost)
    assert time_of(given, "lazy_cleaning", "I/O time") < time_of(
        plain, "lazy_cleaning", "I/O time"
    )
    assert time_of(given, "face", "I/O time") == time_of(plain, "face", "I/O time")
    assert SAID in given.basis
    assert " ran with " not in plain.basis


def test_throughput_replays_with_them() -> None:
    setting = Setting(clients=50, accesses_per_transaction=20, disks=16)
    found = scheme_throughput(
        curve(),
        ram_pages=RAM,
        flash_pages=FLASH_PAGES,
        flash=FLASH,
        disk=DISK,
        setting=setting,
    )
    last = len(found.points) - 1
    answer = throughput_question.of_study(
        found, setting, last, disk_name=DISK.name, weigh=None
    )

    def of(*names: str, options: Any = None) -> Checked:
        return throughput.replayed(
            answer,
            TRACE,
            setting=setting,
            flash=FLASH,
            disk=DISK,
            start="steady",
            accesses=recorded().curve.accesses,
            flash_caches=names,
            options=options,
        )

    made = of(*NAMES, options=OPTIONS)
    assert "by the clock" not in made.basis
    assert "What SCE does by the clock was counted at the rate of" in of("sce").basis
    own = replayed_throughput(
        alone(dirty_threshold="1"), flash=FLASH, disk=DISK, setting=setting
    )
    assert time_of(made, "lazy_cleaning", "throughput") == pytest.approx(
        own.throughput_per_s
    )
    assert SAID in made.basis


def test_response_times_are_replayed_with_them() -> None:
    hierarchy = Hierarchy(FLASH, DISK, disks=16)
    answer = response_question.answer(
        curve(),
        ram_pages=RAM,
        flash_pages=FLASH_PAGES,
        hierarchy=hierarchy,
        rates=response_question.rates_of(curve(), None, accesses_per_s=100.0),
    )
    check = response.ResponseCheck(
        answer=answer,
        curve=curve(),
        hierarchy=hierarchy,
        flash_caches=tuple(NAMES),
        cache_options=OPTIONS,
    )
    wanted, _ = check.replays()
    assert {each.scheme: each.options for each in wanted.values() if each.options} == {
        "lazy_cleaning": OPTIONS["lazy_cleaning"]
    }
    assert SAID in check.check({}).basis


def test_points_of_a_map_are_replayed_with_them() -> None:
    study = scheme_map.study(
        curve(),
        x=Axis.spaced("ram_pages", 200, 1_000, 4),
        y=Axis.spaced("flash_pages", 2_000, 6_000, 4),
        points=(2, 2),
        flash=FLASH,
        disk=DISK,
        flash_caches=NAMES,
        options=OPTIONS,
    )
    wanted = study.replays(recorded().curve.accesses)
    of_caches = [each for each in wanted.values() if each.family == "flash_cache"]
    assert len(of_caches) == 8
    assert all(each.options == OPTIONS[each.name] for each in of_caches)
    assert all(
        each.options == {} for each in wanted.values() if each.family == "scheme"
    )
    counters = {name: {"error": "not replayed", "hint": "here"} for name in wanted}
    found = scheme_map.check(
        study, counters, flash=FLASH, disk=DISK, page_bytes=curve().page_bytes
    )
    assert SAID in found.basis


def test_directories_stand_beside_replays_with_them() -> None:
    study = directory_question.answer(
        curve(),
        ram_bytes=4 * 2**20,
        flash_bytes=FLASH_PAGES * curve().page_bytes,
        flash=FLASH,
        disk=DISK,
    )
    made = directories.replayed(
        study,
        curve(),
        TRACE,
        flash=FLASH,
        disk=DISK,
        flash_caches=NAMES,
        options=OPTIONS,
    )
    plain = directories.replayed(
        study, curve(), TRACE, flash=FLASH, disk=DISK, flash_caches=NAMES
    )
    assert time_of(made, "lazy_cleaning", "time") < time_of(
        plain, "lazy_cleaning", "time"
    )
    assert time_of(made, "face", "time") == time_of(plain, "face", "time")
    assert SAID in made.basis
    assert SAID not in plain.basis


def test_flash_beside_a_dram_step_is_replayed_with_them() -> None:
    step = dram_or_flash.dram_step(
        curve(), ram_pages=RAM, delta=1.0, flash=FLASH, disk=DISK, disks=1
    )

    def of(options: Any) -> Checked:
        return dram_or_flash.replayed(
            step, curve(), TRACE,
            flash=FLASH, disk=DISK, flash_caches=NAMES, options=options,
        )  # fmt: skip

    def saved(found: Checked, name: str) -> float:
        return next(
            row.simulated or 0.0
            for row in found.rows
            if row.of == name and row.figure.startswith("saved by")
        )

    plain, given = of(None), of(OPTIONS)
    assert saved(given, "lazy_cleaning") > saved(plain, "lazy_cleaning")
    assert saved(given, "face") == saved(plain, "face")
    assert SAID in given.basis


@pytest.mark.parametrize(
    ("names", "given", "told", "hint"),
    [
        (["face"], "ftl_gc=fifo", "what a device under the flash cache writes", "how long flash lasts"),
        (["kangaroo"], "streams=2", "what a device under the flash cache writes", "leave it out"),
        (["face"], "lazy_cleaning:dirty_threshold=1", "is not a contender here", "face"),
        ([], "mode=write_back", "no flash cache is replayed that could have it", "name the flash caches"),
    ],
)  # fmt: skip
def test_options_that_nothing_takes_are_refused(
    names: list[str], given: str, told: str, hint: str
) -> None:
    with pytest.raises(BadInput) as refused:
        options_of_caches(names, [given], "options")
    assert told in str(refused.value)
    assert hint in str(refused.value.hint)


POINT = ["--ram-pages", str(RAM), "--flash-pages", str(FLASH_PAGES)]
DEVICES = ["--flash-device", FLASH.id, "--disk-device", DISK.id]
COMMANDS: dict[str, Callable[[str], list[str]]] = {
    "evaluate": lambda file: ["evaluate", file, *POINT, *DEVICES],
    "throughput": lambda file: ["throughput", file, *POINT, *DEVICES, "--clients", "4", "--accesses-per-transaction", "20"],
    "response": lambda file: ["response", file, *POINT, *DEVICES, "--accesses-per-second", "100"],
    "scheme-map": lambda file: [
        "scheme-map", file, *DEVICES, "--x", "ram_pages=200:1000:4", "--y", "flash_pages=2000:6000:4", "--replay-points", "2x2",
    ],
    "directories": lambda file: ["directories", file, *DEVICES, "--ram-bytes", "4MiB", "--flash-bytes", "16MiB"],
    "break-even": lambda file: ["break-even", "--profile", file, "--ram-pages", str(RAM), *DEVICES],
    "wear": lambda file: ["wear", file, "--device", FLASH.id, *POINT, "--disk-device", DISK.id, "--accesses-per-s", "100"],
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_that_replays_flash_caches_takes_them(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "profile.json"
    assert main(["profile", str(recordings.TPCC), "--output", str(file)]) == 0
    capsys.readouterr()
    asked = [*COMMANDS[name](str(file)), "--trace", str(recordings.TPCC)]
    caches = ["--flash-cache", "lazy_cleaning", "--option", GIVEN[0]]
    assert main([*asked, *caches, "--json"]) == 0
    assert SAID in json.loads(capsys.readouterr().out)["check"]["basis"]
    assert main([*asked, "--option", GIVEN[0]]) == 2
    told = capsys.readouterr().err
    assert "no flash cache is replayed that could have it" in told
