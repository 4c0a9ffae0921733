"""A device measured with fio: the plan, the rule of steady state, the run, what stays of it."""

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import namedtuple
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.hardware import catalog, fio
from tierwright.hardware.device import Device
from tierwright.hardware.fio_record import RECORD_KEY
from tierwright.hardware.measure import fio_program, place, run
from tierwright.hardware.measure.fio_program import (
    FioProgram,
    MeasureCancelled,
    find_fio,
)
from tierwright.hardware.measure.plan import (
    FILES,
    GIB,
    LEAST_SHARE_BYTES,
    MIB,
    MeasurePlan,
    make_plan,
)
from tierwright.hardware.measure.run import MeasureProgress, measure
from tierwright.hardware.measure.steady import (
    RateSample,
    parse_rate_log,
    steadiness,
    window_rates,
)

FAKE = Path(__file__).with_name("fake_fio.py")


@pytest.fixture
def fake(tmp_path: Path) -> FioProgram:
    """A program that answers like fio, at once."""
    path = tmp_path / "bin" / "fio"
    path.parent.mkdir()
    path.write_text(f"#!{sys.executable} -IS\n{FAKE.read_text(encoding='utf-8')}")
    path.chmod(0o755)
    return find_fio(str(path))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file of somebody, on a file system with direct I/O."""
    made = tmp_path / "disk"
    made.mkdir()
    (made / "theirs.txt").write_text("theirs", encoding="utf-8")
    monkeypatch.setattr(
        place, "file_system", lambda _: place.FileSystem("ext4", "/dev/x")
    )
    monkeypatch.setattr(place, "supports_direct", lambda *_: True)
    return made


def small(**changes: Any) -> MeasurePlan:
    asked = {
        "file_bytes": 16 * MIB,
        "most_s": 120.0,
        "queue_depths": (1, 4),
        "window_s": 0.1,
    }
    return make_plan(**{**asked, **changes})


def only_theirs(folder: Path) -> bool:
    return [each.name for each in folder.iterdir()] == ["theirs.txt"]


# the plan


@given(
    page=st.sampled_from([512, 4096, 8192, 65536, MIB]),
    file_mib=st.integers(16, 2**20),
    minutes=st.floats(1, 600),
    times=st.integers(2, 64),
    depths=st.sets(st.integers(1, 1024), min_size=1, max_size=9),
)
def test_a_plan_keeps_what_it_states(
    page: int, file_mib: int, minutes: float, times: int, depths: set[int]
) -> None:
    size = file_mib * MIB
    try:
        plan = make_plan(
            page_bytes=page,
            file_bytes=size,
            most_s=60 * minutes,
            most_written_bytes=times * size,
            queue_depths=sorted(depths),
        )
    except BadInput:  # too little of both for so many patterns: held below
        return
    # The bytes stated are those of the file and of the jobs, within the budget.
    stated = plan.file_bytes + sum(job.most_written_bytes for job in plan.jobs)
    assert plan.most_written_bytes == stated <= times * size
    assert plan.least_s <= plan.most_s <= 60 * minutes
    assert all(
        (job.most_written_bytes >= LEAST_SHARE_BYTES) == job.writes for job in plan.jobs
    )
    # Every file is in the folder that is made: no name leads out of it.
    for job in plan.jobs:
        given_ = plan.job_options(job, direct=True, engine="libaio", most_bytes=4096)
        options = dict(each.removeprefix("--").split("=", 1) for each in given_)
        assert options["filename"] in FILES
        assert options["output"] in FILES
        assert f"{options['write_iops_log']}_iops.1.log" in FILES
        assert ("io_size" in options) == job.writes
        assert ("time_based" in options) == (not job.writes)
        assert job.block_bytes <= plan.file_bytes
    assert all(Path(name).name == name and name not in (".", "..") for name in FILES)
    # A pattern is measured once: fio's importer refuses two runs of one pattern and depth.
    names = [job.name for job in plan.jobs]
    assert len(set(names)) == len(names)
    for pattern in ("read", "write"):
        found = [
            job.queue_depth
            for job in plan.jobs
            if job.pattern == pattern and job.random and job.block_bytes == page
        ]
        assert found == sorted(depths)
    order = [job.writes for job in plan.jobs]
    assert order == sorted(order)


def test_block_sizes_around_the_page_and_mixes() -> None:
    plan = make_plan(page_bytes=8192)
    blocks = {job.block_bytes for job in plan.jobs if job.random}
    assert blocks == {4096, 8192, 16384}
    # Below 4 KiB many drives refuse direct I/O: twice and four times instead.
    four = make_plan(page_bytes=4096)
    assert {job.block_bytes for job in four.jobs if job.random} == {4096, 8192, 16384}
    mixes = {
        (job.read_percent, job.queue_depth) for job in plan.jobs if job.read_percent
    }
    assert mixes == {(70, 1), (70, 32), (50, 32), (70, 256)}
    assert max(job.queue_depth for job in plan.jobs) == 256


def test_the_sentences_follow_the_plan() -> None:
    plan = make_plan(file_bytes=4 * GIB, queue_depths=(1, 256))
    text = " ".join(plan.sentences())
    assert "one file of 4 GiB" in text
    assert "writes at most 64 GiB" in text
    assert "queue depths 1 to 256" in text
    assert f"runs {len(plan.jobs)} patterns" in text
    one = replace(plan, jobs=tuple(job for job in plan.jobs if job.queue_depth == 8))
    again = replace(
        one, jobs=(*one.jobs, replace(plan.jobs[1], queue_depth=8, block_bytes=8192))
    )
    assert "8 KiB at queue depth 8," in " ".join(again.sentences())


@pytest.mark.parametrize(
    ("changes", "message", "hint"),
    [
        (
            {"page_bytes": 1000},
            "page_bytes: `1000` must be a multiple of 512",
            "fio.md",
        ),
        (
            {"file_bytes": MIB},
            "file_bytes: `1048576` must be at least 16 MiB",
            "fio.md",
        ),
        ({"queue_depths": ()}, "queue_depths: must be from 1 to 1024", "fio.md"),
        ({"queue_depths": (0,)}, "queue_depths: `0` must be from 1", "fio.md"),
        ({"window_s": float("nan")}, "window_s: `nan` must be from 0.1", "fio.md"),
        (
            {"page_bytes": 4 * MIB, "file_bytes": 16 * MIB},
            "holds fewer than 16 blocks of 8 MiB",
            "at least 128 MiB",
        ),
        ({"most_s": 40}, "most_s: `40` is too short", "at least 8 minutes"),
        (
            {"most_written_bytes": 5 * GIB, "file_bytes": 5 * GIB},
            "most_written_bytes: `5368709120` is too little for 18 patterns",
            "allow at least 5.07 GiB",
        ),
    ],
)
def test_a_plan_that_cannot_be_kept_is_refused(
    changes: dict[str, Any], message: str, hint: str
) -> None:
    with pytest.raises(BadInput, match=message) as raised:
        make_plan(**changes)
    assert hint in raised.value.hint


# the rule of steady state


@pytest.mark.parametrize(
    ("rates", "reached"),
    [
        ([100, 100, 100, 100, 100], True),
        ([96, 98, 100, 102, 104], True),  # a rise of 8 %
        ([94, 97, 100, 103, 106], False),  # of 12 %
        ([106, 103, 100, 97, 94], False),
        ([100, 109, 91, 109, 91], True),  # a range of 18 %, a fall of 7.2 %
        ([100, 112, 88, 112, 88], False),  # a range of 24 %
        ([100, 100, 100, 100, 1000], False),
    ],
)
def test_the_rule_of_steady_state(rates: list[float], reached: bool) -> None:
    found = steadiness(rates)
    assert found.reached is reached
    assert found.verdict == ("steady" if reached else "not_steady")


@pytest.mark.oracle("hardware.measure.steady.steadiness")
@given(rates=st.lists(st.floats(1, 1e6), min_size=2, max_size=9))
def test_the_line_is_that_of_least_squares(rates: list[float]) -> None:
    found = steadiness(rates)
    slope, level = np.polyfit(range(len(rates)), rates, 1)
    line = [level + slope * at for at in range(len(rates))]
    mean = float(np.mean(rates))
    assert found.slope_share == pytest.approx((line[-1] - line[0]) / mean, abs=1e-9)
    assert found.range_share == pytest.approx(float(np.ptp(rates)) / mean)


@pytest.mark.formula("hardware.measure.steady.steadiness")
@given(
    rates=st.lists(st.floats(1, 1e6), min_size=5, max_size=5),
    factor=st.floats(1e-3, 1e3),
)
def test_the_rule_does_not_depend_on_the_unit_nor_on_the_direction_of_time(
    rates: list[float], factor: float
) -> None:
    found, scaled = steadiness(rates), steadiness([rate * factor for rate in rates])
    assert scaled.range_share == pytest.approx(found.range_share)
    assert scaled.slope_share == pytest.approx(found.slope_share, abs=1e-9)
    back = steadiness(rates[::-1])
    assert back.slope_share == pytest.approx(-found.slope_share, abs=1e-9)
    assert abs(found.slope_share) <= 1.2 * found.range_share + 1e-9


@given(slope=st.floats(0.11, 0.4), count=st.integers(5, 50))
def test_a_rate_that_keeps_falling_is_never_steady(slope: float, count: int) -> None:
    mean = 1000.0
    samples = [
        RateSample(
            100 * (at + 1),
            mean * (1 + slope * (0.5 - (at + 0.5) / (2 * count)) * 2.5),
            0,
        )
        for at in range(2 * count)
    ]
    assert not steadiness(window_rates(samples)).reached


@pytest.mark.parametrize("rates", [[], [1.0], [0.0, 0.0], [1.0, -1.0]])
def test_rates_that_cannot_be_judged(rates: list[float]) -> None:
    with pytest.raises(BadInput, match=r"two or more, not negative, not all 0"):
        steadiness(rates)


@pytest.mark.oracle("hardware.measure.steady.window_rates")
@given(
    gaps=st.lists(st.integers(1, 300), min_size=10, max_size=40),
    rates=st.lists(st.integers(0, 10**6), min_size=40, max_size=40),
)
def test_windows_are_those_of_counting_each_millisecond(
    gaps: list[int], rates: list[int]
) -> None:
    ends = list(itertools.accumulate(gaps))
    each_ms = [rate for gap, rate in zip(gaps, rates, strict=False) for _ in range(gap)]
    # Each millisecond is cut in five, so that windows end between the parts.
    parts = np.repeat(each_ms, 5).reshape(5, ends[-1])
    found = window_rates(
        [RateSample(end, rate, 0) for end, rate in zip(ends, rates, strict=False)]
    )
    assert found == pytest.approx(parts.mean(axis=1))


@pytest.mark.formula("hardware.measure.steady.window_rates")
@given(
    reads=st.lists(st.integers(0, 10**6), min_size=10, max_size=40),
    factor=st.integers(2, 9),
)
def test_windows_keep_the_mean_and_add_directions_up(
    reads: list[int], factor: int
) -> None:
    ends = [50.0 * (at + 1) for at in range(len(reads))]
    one = [RateSample(end, rate, 0) for end, rate in zip(ends, reads, strict=True)]
    both = [
        *one,
        *(RateSample(each.end_ms, factor * each.per_s, 1) for each in one),
    ]
    alone, together = window_rates(one), window_rates(both)
    assert np.mean(alone) == pytest.approx(np.mean(reads))
    assert together == pytest.approx([(1 + factor) * rate for rate in alone])


def test_windows_add_up_what_was_done() -> None:
    text = "".join(
        f"{100 * (at + 1)}, {1000 + at}, {direction}, 4096, 0\n"
        for at in range(20)
        for direction in (0, 1)
    )
    samples = parse_rate_log(text + "2100, 99")  # the last line is cut off
    assert len(samples) == 40
    rates = window_rates(samples)
    assert rates == pytest.approx([2003.0 + 8 * at for at in range(5)])
    done = sum(2 * (1000 + at) * 0.1 for at in range(20))
    assert sum(rate * 0.4 for rate in rates) == pytest.approx(done)
    assert window_rates(samples[:18]) == ()


# the run


def test_a_measurement_gives_a_device_and_leaves_nothing(
    folder: Path, fake: FioProgram
) -> None:
    plan, seen = small(), list[MeasureProgress]()

    def note(progress: MeasureProgress) -> bool:
        seen.append(progress)
        return True

    raw = measure(folder, plan, fake, by="us", on_progress=note)
    assert only_theirs(folder)
    record = raw[RECORD_KEY]
    assert {job["verdict"] for job in record["jobs"].values()} == {"steady"}
    written = sum(job["write"]["io_bytes"] for job in raw["jobs"])
    assert record["written_bytes"] == plan.file_bytes + written
    assert record["written_bytes"] <= plan.most_written_bytes
    found = fio.import_fio(raw, identifier="d", page_bytes=8192)
    device = found.device
    assert device.number("read_iops") == pytest.approx(20_000)
    assert device.number("queue_depth") == 4
    assert found.warnings == ()
    deep = next(
        each
        for each in device.measurements
        if (each.operation, each.page_bytes, each.queue_depth) == ("read", 8192, 4)
    )
    assert {name: float(value) for name, value in deep.latency_us.items()} == {
        "mean": 200,
        "p50": 180,
        "p95": 400,
        "p99": 600,
        "p99_9": 800,
    }
    assert deep.note == "steady state reached"
    assert (
        "[measured] by tierwright device measure with fio-3.33, run by us on 20"
        in device.notes
    )
    assert "in a file of 16 MiB on ext4 (/dev/x); direct I/O" in device.notes
    assert [(mix.read_percent, mix.read.queue_depth) for mix in found.mixes] == [
        (70, 1),
        (70, 4),
        (50, 4),
    ]
    # Reads and writes together, at the depth of the rates alone.
    assert device.number("mixed_iops") == pytest.approx(
        sum(each.iops for each in (found.mixes[1].read, found.mixes[1].write))
    )
    assert found.used["mixed_iops"].startswith("random-mix")
    assert "steady state reached" in device.figures["mixed_iops"].note
    ended = [each for each in seen if each.finished]
    assert [each.done for each in ended] == list(range(2, len(plan.jobs) + 2))
    assert ended[-1].total == len(plan.jobs) + 1
    assert ended[1].finished == "10,000/s, steady state reached"


def test_a_rate_that_is_never_steady_is_tried_again_and_said(
    folder: Path, fake: FioProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_FIO", "never")
    plan = small(queue_depths=(1,), most_s=70)
    assert plan.jobs[0].most_attempts == 2
    raw = measure(folder, plan, fake)
    jobs = raw[RECORD_KEY]["jobs"]
    assert {job["verdict"] for job in jobs.values()} == {"not_steady"}
    assert len(jobs["random-read-8192-qd1"]["attempts"]) == 2
    # Its first run wrote all that it might: another would be too short to judge.
    assert len(jobs["sequential-write-1048576-qd8"]["attempts"]) == 1
    first = jobs["random-read-8192-qd1"]["attempts"][0]
    assert first["slope_share"] < -0.1
    found = fio.import_fio(raw, identifier="d", page_bytes=8192)
    [caution] = found.warnings
    assert caution.name == "steady_state_not_reached"
    assert f"the rates of {len(jobs)} of {len(jobs)} jobs" in caution.message
    assert {each.note for each in found.device.measurements} == {
        "steady state not reached"
    }


def test_a_run_that_is_too_short_to_judge_is_said(
    folder: Path, fake: FioProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_FIO", "short")
    raw = measure(folder, small(queue_depths=(1,), most_s=50), fake)
    assert {job["verdict"] for job in raw[RECORD_KEY]["jobs"].values()} == {"too_short"}
    found = fio.import_fio(raw, identifier="d", page_bytes=8192)
    assert [each.name for each in found.warnings] == ["too_short_for_steady_state"]


def test_bytes_written_stay_within_the_plan(folder: Path, fake: FioProgram) -> None:
    # 10,000/s of 1 MiB would write 5 GB in half a second.
    plan = small(queue_depths=(1,), most_written_bytes=64 * MIB)
    record = measure(folder, plan, fake)[RECORD_KEY]
    assert record["written_bytes"] <= plan.most_written_bytes <= 64 * MIB
    sequential = record["jobs"]["sequential-write-1048576-qd8"]
    assert sequential["attempts"][0]["written_bytes"] > 0


def test_cancelling_ends_fio_and_removes_its_files(
    folder: Path, fake: FioProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_FIO", "hang")
    processes = list[int]()

    def stop(progress: MeasureProgress) -> bool:
        for mark in folder.glob("tierwright-measure-*/hangs"):
            if text := mark.read_text(encoding="utf-8"):
                processes.append(int(text))
        return not processes

    with pytest.raises(MeasureCancelled):
        measure(folder, small(), fake, on_progress=stop)
    assert only_theirs(folder)
    with pytest.raises(ProcessLookupError):
        os.kill(processes[0], 0)


@pytest.mark.parametrize(
    ("behaviour", "message", "hint"),
    [
        ("fail", "fio failed: fio: engine libaio not loadable", "fio --version"),
        ("full", "the disk is full: .*No space left", "free some space"),
        ("mute", "cannot be read", ""),
    ],
)
def test_a_failure_of_fio_is_said_and_leaves_nothing(
    folder: Path,
    fake: FioProgram,
    monkeypatch: pytest.MonkeyPatch,
    behaviour: str,
    message: str,
    hint: str,
) -> None:
    monkeypatch.setenv("FAKE_FIO", behaviour)
    with pytest.raises(BadInput, match=message) as raised:
        measure(folder, small(), fake)
    assert hint in raised.value.hint
    assert only_theirs(folder)


def test_fio_that_does_not_end_is_ended(
    folder: Path, fake: FioProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_FIO", "hang")
    monkeypatch.setattr(fio_program, "GRACE_S", 0.0)
    with pytest.raises(BadInput, match="fio did not end within"):
        measure(folder, small(), fake)
    assert only_theirs(folder)


# where it takes place


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("theirs", encoding="utf-8")
    for path, message in (
        (file, "is a file"),
        (Path("/dev/null"), "is a device"),
        (tmp_path / "absent", "cannot be read"),
    ):
        with pytest.raises(BadInput, match=message) as raised:
            place.check_folder(path)
        assert "a new folder is made in it" in raised.value.hint
    assert file.read_text(encoding="utf-8") == "theirs"


def test_space_must_stay_free(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    plan = make_plan(file_bytes=GIB)
    free = int(2.2 * GIB) + 1
    monkeypatch.setattr(place.shutil, "disk_usage", lambda _: usage(1, 1, free))
    place.check_space(folder, plan)
    monkeypatch.setattr(place.shutil, "disk_usage", lambda _: usage(1, 1, free - MIB))
    with pytest.raises(BadInput, match=r"would leave less than 1\.2 GiB") as raised:
        place.check_space(folder, plan)
    assert "a file of at most" in raised.value.hint


@pytest.mark.parametrize("kind", ["tmpfs", "ext4"])
def test_the_page_cache_is_measured_only_on_purpose(
    folder: Path, fake: FioProgram, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(place, "supports_direct", lambda *_: False)
    monkeypatch.setattr(place, "file_system", lambda _: place.FileSystem(kind, "x"))
    with pytest.raises(BadInput, match="page cache would be measured") as raised:
        measure(folder, small(), fake)
    assert "[[allow_cached]]" in raised.value.hint
    assert only_theirs(folder)
    raw = measure(folder, small(), fake, allow_cached=True)
    found = fio.import_fio(raw, identifier="d", page_bytes=8192)
    assert {each.name for each in found.warnings} == {"buffered", "page_cache_measured"}
    assert "through the page cache" in found.device.notes


def test_direct_access_is_tried_and_leaves_nothing(tmp_path: Path) -> None:
    assert place.supports_direct(tmp_path, 4096) in (True, False)
    assert list(tmp_path.iterdir()) == []


def test_the_file_system_of_a_folder_is_found(tmp_path: Path) -> None:
    # `stat -f` of coreutils knows the type by another way.
    shown = subprocess.run(
        ["stat", "-f", "-c", "%T", tmp_path], capture_output=True, text=True, check=True
    ).stdout.strip()
    kind = place.file_system(tmp_path).kind
    assert kind
    if shown in ("tmpfs", "xfs", "btrfs", "overlayfs"):
        assert kind.startswith(shown.removesuffix("fs"))
    assert place.file_system(Path("/proc")).kind == "proc"


def test_fio_must_be_there_and_new_enough(tmp_path: Path, fake: FioProgram) -> None:
    assert (fake.version, fake.engine) == ("fio-3.33", "libaio")
    with pytest.raises(BadInput, match="was not found") as raised:
        find_fio(str(tmp_path / "absent"))
    assert "apt install fio" in raised.value.hint
    old = tmp_path / "old"
    old.write_text("#!/bin/sh\necho fio-2.21\n", encoding="utf-8")
    old.chmod(0o755)
    with pytest.raises(BadInput, match=r"states `fio-2\.21`") as raised:
        find_fio(str(old))
    assert "fio 3.0 or newer" in raised.value.hint


# the record in a result


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([], "must be an object"),
        ({"version": 2}, "version: `2` is not 1"),
        ({"direct": "yes"}, "direct: `yes` must be true or false"),
        ({"kernel": "a\nb"}, "kernel: must be one line"),
        ({"file_bytes": -1}, "file_bytes: `-1` must be a whole number"),
        ({"jobs": {"j": {"verdict": "good"}}}, r"jobs.j.verdict: `good` is not one of"),
        ({"jobs": []}, "jobs: must be an object"),
    ],
)
def test_a_record_that_was_changed_is_refused(
    folder: Path, fake: FioProgram, record: Any, message: str
) -> None:
    raw = measure(folder, small(queue_depths=(1,)), fake)
    merged = {**raw[RECORD_KEY], **record} if isinstance(record, dict) else record
    with pytest.raises(BadInput, match=message):
        fio.import_fio({**raw, RECORD_KEY: merged}, identifier="d", page_bytes=8192)


# the command


def command(folder: Path, fake: FioProgram, *more: str) -> list[str]:
    return [
        *("device", "measure", str(folder), "--fio", fake.path, "--size", "16MiB"),
        *("--minutes", "2", "--window-seconds", "0.1", "--depths", "1,4", *more),
    ]


def test_the_command_writes_profile_and_raw_results(
    folder: Path,
    fake: FioProgram,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "drive.toml"
    given_ = command(folder, fake, "--yes", "-o", str(out), "--id", "drive", "--json")
    assert main(given_) == 0
    shown = capsys.readouterr()
    answer = json.loads(shown.out)
    assert "writes at most 256 MiB to it in all" in shown.err
    assert "steady state reached" in shown.err
    raw = tmp_path / "drive.fio.json"
    assert (answer["device_file"], answer["raw_file"]) == (str(out), str(raw))
    assert answer["record"]["verdicts"]["random-read-8192-qd4"] == "steady"
    made: Device = catalog.device_or_file(str(out))
    assert made.number("read_iops") == pytest.approx(20_000)
    # The raw results give the same device again.
    again = fio.import_fio(fio.read_fio(raw), identifier="drive", page_bytes=8192)
    assert again.device == made
    assert only_theirs(folder)
    # Nothing is measured where a file would be replaced.
    assert main(given_) == 2
    assert "exists" in capsys.readouterr().err
    assert main([*given_, "--force"]) == 0
    capsys.readouterr()
    disk = ["--disk-device", "face2016-cheetah-15k6-single"]
    assert main(["break-even", "--flash-device", str(out), *disk, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["inputs"]["flash_cost_us"] == pytest.approx(50)


def test_the_plan_is_printed_without_touching_anything(
    tmp_path: Path, fake: FioProgram, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = tmp_path / "absent"
    assert main(command(absent, fake, "--dry-run", "--json")) == 0
    plan = json.loads(capsys.readouterr().out)["plan"]
    assert plan["file_bytes"] == 16 * MIB
    assert plan["most_written_bytes"] == 16 * MIB + sum(
        job["most_written_bytes"] for job in plan["jobs"]
    )
    assert main(command(absent, fake, "--dry-run")) == 0
    shown = capsys.readouterr().out
    assert "random reads of 8 KiB, queue depth 4\n" in shown
    assert "50 % of them reads, writes at most" in shown
    assert not absent.exists()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ((), "the file of the device profile is not given"),
        (("-o", "x.yaml"), "neither a .toml nor a .json"),
        (("-o", "/absent/x.toml"), "the folder `/absent` does not exist"),
        (("-o", "x.toml", "--id", "A B"), "must be lower-case letters"),
        (("-o", "x.toml"), "the measurement was not confirmed"),
    ],
)
def test_nothing_starts_that_could_not_end_well(
    folder: Path,
    fake: FioProgram,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    more: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run, "run_fio", lambda *_a, **_k: pytest.fail("fio was run"))
    assert main(command(folder, fake, *more)) == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert "hint:" in shown
    assert only_theirs(folder)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_removes_the_files(
    tmp_path: Path, fake: FioProgram, number: signal.Signals
) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    out = tmp_path / "drive.toml"
    code = (
        "import sys; from tierwright.cli.app import main; sys.exit(main(sys.argv[1:]))"
    )
    more = ("--yes", "-o", str(out), "--allow-cached")
    process = subprocess.Popen(
        [sys.executable, "-c", code, *command(folder, fake, *more)],
        env={**os.environ, "FAKE_FIO": "hang"},
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 60
    while not list(folder.glob("*/hangs")) and time.monotonic() < until:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(number)
    _, complaint = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "The files of the measurement are removed." in complaint
    assert list(folder.iterdir()) == []
    assert not out.exists()


@pytest.mark.long
@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
def test_with_fio_itself(tmp_path: Path) -> None:
    plan = small(queue_depths=(1, 4), most_s=60)
    raw = measure(tmp_path, plan, find_fio(), allow_cached=True)
    assert list(tmp_path.iterdir()) == []
    found = fio.import_fio(raw, identifier="d", page_bytes=8192)
    assert {run.queue_depth for run in found.runs if run.random} == {1, 4}
    for each in found.device.measurements:
        assert set(each.latency_us) == {"mean", "p50", "p95", "p99", "p99_9"}
    assert len(found.mixes) == 3
    record = raw[RECORD_KEY]
    assert plan.file_bytes < record["written_bytes"] <= plan.most_written_bytes
    judged = [
        attempt["windows_per_s"]
        for job in record["jobs"].values()
        for attempt in job["attempts"]
        if attempt["windows_per_s"]
    ]
    assert judged
    assert all(len(windows) == 5 for windows in judged)
