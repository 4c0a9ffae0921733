"""Courses over time: the windows are those of the replay, and every sentence follows its figures."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import recordings

from tierwright.advise import course, scale
from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.common.wording import duration_us, percent, three_digits
from tierwright.evaluate.metadata import PRESETS
from tierwright.evaluate.response.schemes import Hierarchy
from tierwright.hardware import catalog
from tierwright.profile.measure import profile, window_curves
from tierwright.profile.production import Production
from tierwright.simulate.replay import replay
from tierwright.simulate.timed import (
    Arrivals,
    TimedReplay,
    replay_timed,
    round_window_s,
)
from tierwright.trace.reading import Trace
from tierwright.trace.tokens import token_trace

TPCB = Trace(recordings.TPCB)
FLASH = catalog.device("samsung-pm9a3-7.68tb-u2")
DISK = catalog.device("face2016-cheetah-15k6-single")
CURVE = profile(TPCB).curve
ASKED: dict[str, Any] = {
    "system": "face",
    "ram_pages": 1000,
    "flash_pages": 6000,
    "hierarchy": Hierarchy(FLASH, DISK, disks=16),
    "arrivals": Arrivals("clients", clients=50),
}


def asked(**changes: Any) -> course.Course:
    return course.answer(TPCB, CURVE, **{**ASKED, **changes})


@pytest.mark.oracle("advise.course.answer")
def test_the_windows_are_those_of_the_replay() -> None:
    """The same replay once more, whole: sums and means of the windows are its counts."""
    found = asked(window_s=1.0, crash_at=0.5)
    plan = course.CoursePlan(curve=CURVE, **{**ASKED, "crash_at": 0.5})
    whole = plan.replay(CURVE.accesses).run(TPCB)
    assert sum(each.accesses for each in found.windows) == whole["accesses"] == 420_000
    hits = sum(each.accesses * (each.ram_hit_share or 0) for each in found.windows)
    assert hits == pytest.approx(whole["ram_hits"])
    assert sum(each.answered for each in found.windows) == 420_000
    answered = sum((each.accesses_per_s or 0) * each.length_s for each in found.windows)
    assert answered == pytest.approx(420_000)
    assert found.windows[-1].unanswered == 0
    assert max(each.unanswered for each in found.windows) <= 50
    assert found.duration_s == pytest.approx(whole["duration_s"])
    assert found.accesses_per_s == pytest.approx(420_000 / found.duration_s)
    last = found.windows[-1]
    assert last.start_s + last.length_s == pytest.approx(found.duration_s)
    still_s = found.restart_s + found.redo_s
    half_s = (found.duration_s - still_s) / 2
    assert found.restarted_at_s == pytest.approx(half_s, rel=0.1)
    assert 0 < found.restart_s == pytest.approx(whole["restart_s"])
    first_full = next(
        each for each in found.windows if (each.flash_used_share or 0) >= 0.99
    )
    assert found.filled_at_s == first_full.start_s + first_full.length_s == 2.0


def test_a_crash_is_told_and_only_where_there_is_one() -> None:
    calm, crashed, cold = (
        asked(window_s=0.5, **each)
        for each in ({}, {"crash_at": 0.5}, {"crash_at": 0.5, "restart": "cold"})
    )
    assert "crash" not in calm.finding
    assert calm.restarted_at_s is calm.recovered_s is None
    assert "devices read flash back for" in crashed.finding
    assert "the rate is as before, within 10 %" in crashed.finding
    assert cold.restart_s == 0
    assert "no flash is read back" in cold.finding
    after = [
        each for each in cold.windows if each.start_s >= (cold.restarted_at_s or 0)
    ]
    assert (after[0].flash_used_share or 0) < 0.9 < (after[-1].flash_used_share or 0)


@pytest.mark.parametrize(
    ("system", "options", "entry_bytes"),
    [
        ("tac", {}, 32),
        ("lazy_cleaning", {"directory": "persistent"}, 32),
        ("exadata", {"directory": "persistent"}, 32),
        ("flashcache", {"mode": "write_back"}, 16),
        ("bcache", {}, None),
    ],
)
def test_a_warm_restart_reads_the_directory_from_flash(
    system: str, options: dict[str, str], entry_bytes: int | None
) -> None:
    """The whole table of the layout, in order, before anything is served."""
    found = asked(
        window_s=0.5,
        system=system,
        options=options,
        crash_at=0.5,
        checkpoint_interval_s=0.0,
    )
    page = CURVE.page_bytes
    if entry_bytes is None:
        device = {**options, "ftl_spare_percent": "28"}
        under = replay(TPCB, "flash_cache", system, 1000, 6000, options=device)["ftl"]
        pages = under["metadata_pages"]
    else:
        pages = math.ceil(6000 / (page // entry_bytes))
    rate = FLASH.number("sequential_read_mb_per_s")
    assert rate is not None
    assert found.restart_s == pytest.approx(pages * page / (rate * 1e6), rel=1e-3)
    assert "devices read flash back for" in found.finding
    cold = asked(window_s=0.5, system=system, crash_at=0.5, restart="cold")
    assert cold.restart_s == 0


def test_what_waits_through_a_restart_is_not_blamed_on_the_devices_alone() -> None:
    for changes, said in (
        ({}, "more than the devices carry"),
        ({"crash_at": 0.5}, "for their writes or for the end of the restart"),
    ):
        plan = course.CoursePlan(curve=CURVE, **{**ASKED, **changes})
        with pytest.raises(BadInput, match=said):
            plan.course(plan.replay(CURVE.accesses), {"behind": True})


def test_redo_reads_what_was_written_since_the_latest_checkpoint() -> None:
    """As recorded, the crash comes after 2.2 s: checkpoints each 0.5 s leave what was written in the last 0.2 s."""
    steady: dict[str, Any] = {
        "window_s": 0.5,
        "crash_at": 0.5,
        "arrivals": Arrivals("trace", stretch=1.0),
    }
    none, never, often = (
        asked(**steady, checkpoint_interval_s=each) for each in (0.0, 1e9, 0.5)
    )
    half = CURVE.accesses // 2
    assert none.redo_pages == none.redo_s == 0
    assert "redo" not in none.finding
    counted = window_curves(TPCB, window_accesses=half)
    assert never.redo_pages == counted["pages_written"][0]
    assert "since the first access (no checkpoint came" in never.finding
    assert 0 < often.redo_pages < never.redo_pages
    assert "since the latest checkpoint" in often.finding
    assert f"redo reads {often.redo_pages:,} pages" in often.finding
    for each in (never, often):
        assert 0 < each.redo_flash_pages < each.redo_pages
        share = percent(each.redo_flash_pages / each.redo_pages)
        assert f"{share} of them from flash" in each.finding
        assert each.restarted_at_s == none.restarted_at_s
    # Where checkpoints write nothing, only the time after the crash is later.
    idle = asked(**steady, checkpoint_interval_s=0.5, options={"checkpoint_us": "0"})
    assert idle.redo_pages == often.redo_pages
    assert never.restart_s == idle.restart_s == none.restart_s < often.restart_s
    assert idle.redo_flash_pages < often.redo_flash_pages
    cold = asked(**steady, checkpoint_interval_s=0.5, restart="cold")
    # Flash that is lost had the only new copy of others.
    assert often.redo_older_pages == 0
    assert cold.redo_pages == often.redo_pages + cold.redo_older_pages
    assert cold.redo_older_pages <= cold.flash_dirty_pages_lost <= cold.redo_pages
    assert cold.redo_flash_pages == 0
    assert cold.redo_s > often.redo_s
    assert "0 % of them from flash" in cold.finding
    assert (
        f"redo reads {cold.redo_pages:,} pages ({often.redo_pages:,} written since the latest checkpoint, and "
        f"{cold.redo_older_pages:,} last written before it that the crash takes with flash, so the log must reach "
        "further back than that checkpoint)"
    ) in cold.finding


def test_checkpoints_that_write_are_said_to_write() -> None:
    plain, writing = (
        asked(system="face", options=options)
        for options in ({}, {"checkpoint_us": "1000000"})
    )
    assert "checkpoints write nothing" in plain.validity
    assert plain.checkpointed_pages is None
    assert "heckpoints write" not in plain.finding
    assert "write the changed pages of RAM as the flash cache does" in writing.validity
    assert "nothing;" not in writing.validity
    assert (
        f"Checkpoints write {writing.checkpointed_pages:,} changed pages"
        in writing.finding
    )
    never = asked(system="face", options={"checkpoint_us": "0"})
    assert never.validity == plain.validity
    assert never.checkpointed_pages is None


def test_a_crash_comes_behind_the_checkpoints_that_it_is_redone_from() -> None:
    """A page that is lost from RAM was written since the latest checkpoint, or that checkpoint was not made."""

    recorded = Arrivals("trace", stretch=1.0)
    at_s = asked(window_s=1.0, crash_at=0.5, arrivals=recorded).restarted_at_s

    def crashed(system: str, **options: str) -> tuple[TimedReplay, dict[str, Any]]:
        plan = course.CoursePlan(
            curve=CURVE,
            **{
                **ASKED,
                "system": system,
                "options": options,
                "arrivals": recorded,
            },
            crash_at=0.5,
            # A twentieth of an interval behind a checkpoint.
            checkpoint_interval_s=(at_s or 0.0) / 3.05,
        )
        replay = plan.replay(CURVE.accesses)
        found = replay_timed(
            TPCB,
            replay.scheme,
            replay.ram_pages,
            replay.flash_pages,
            arrivals=replay.arrivals,
            flash=replay.flash,
            disk=replay.disk,
            options=replay.options,
            checkpoint_s=replay.checkpoint_s,
        )
        return replay, found

    replay, found = crashed("face")
    assert replay.options["checkpoint_us"] == str(round(1e6 * (at_s or 0.0) / 3.05))
    lost, redo = found["crash"]["ram_dirty_pages_lost"], found["response"]["redo"]
    assert 0 < lost <= redo["pages"]
    assert redo["after_checkpoint"]
    # The same machine without them loses what an earlier checkpoint should have written.
    replay, never = crashed("face", checkpoint_us="0")
    assert replay.options["checkpoint_us"] == "0"
    redo = never["response"]["redo"]
    assert never["checkpointed_pages"] == 0
    assert lost < never["crash"]["ram_dirty_pages_lost"]
    assert redo["pages"] < never["crash"]["ram_dirty_pages_lost"]
    # Checkpoints that are stated are those that redo goes by.
    replay, stated = crashed("face", checkpoint_accesses="209000")
    assert "checkpoint_us" not in replay.options
    thousands = window_curves(TPCB, window_accesses=1000)["pages_written"]
    assert stated["response"]["redo"]["pages"] == thousands[209] > 0
    # Others have none to take.
    replay, _ = crashed("tac")
    assert replay.options.keys() == {"crash_at", "restart"}


@pytest.mark.parametrize(
    "system", ["inclusive", "inclusive_global", "exclusive", "lazy"]
)
def test_a_scheme_crashes_and_comes_back_cold(system: str) -> None:
    found = asked(
        system=system,
        window_s=0.5,
        crash_at=0.5,
        restart="cold",
        checkpoint_interval_s=0.7,
    )
    assert found.restart_s == found.redo_flash_pages == 0
    # Of what is lost a page may be changed in RAM and on flash.
    lost = found.ram_dirty_pages_lost, found.flash_dirty_pages_lost
    assert max(lost) <= found.redo_pages
    assert 0 < found.redo_older_pages <= sum(lost)
    assert found.ram_dirty_pages_lost > 0
    assert found.flash_dirty_pages_lost > 0
    said = (
        f"The crash takes {found.ram_dirty_pages_lost:,} changed pages of RAM and "
        f"{found.flash_dirty_pages_lost:,} pages of flash that the disk does not have."
    )
    assert said in found.finding
    assert f"redo reads {found.redo_pages:,} pages" in found.finding
    assert "0 % of them from flash" in found.finding
    assert found.checkpointed_pages is None
    assert found.validity == course.VALIDITY
    back = found.restarted_at_s or 0.0
    before, after = (
        next(each for each in found.windows if each.start_s >= at)
        for at in (back - 1.0, back)
    )
    assert (after.flash_hit_share or 0) < (before.flash_hit_share or 0)


def test_a_crash_that_takes_nothing_says_so() -> None:
    with token_trace("R1 R2 R3 R1 R4 R2") as reads:
        found = course.answer(
            reads, profile(reads).curve, **{**ASKED, "ram_pages": 2, "crash_at": 0.5}
        )
    assert found.ram_dirty_pages_lost == found.flash_dirty_pages_lost == 0
    assert "The crash takes no page that the log alone has." in found.finding


def test_a_checkpoint_on_flash_that_is_lost_goes_to_disk_instead() -> None:
    def options(**changes: Any) -> dict[str, str]:
        plan = course.CoursePlan(curve=CURVE, **{**ASKED, "crash_at": 0.5, **changes})
        return plan.replay(CURVE.accesses).options

    assert "checkpoint_to" not in options()
    assert options(restart="cold")["checkpoint_to"] == "disk"
    stated = {"checkpoint_to": "flash"}
    assert options(restart="cold", options=stated)["checkpoint_to"] == "flash"


def test_without_a_crash_no_checkpoint_is_taken() -> None:
    options = course.CoursePlan(curve=CURVE, **ASKED).replay(9).options
    assert options == {}
    plan = course.CoursePlan(
        curve=CURVE, **ASKED, crash_at=0.5, checkpoint_interval_s=0.0
    )
    assert "checkpoint_us" not in plan.replay(9).options


def test_a_course_says_how_many_pages_its_checkpoints_wrote() -> None:
    often, rarely = (
        asked(window_s=0.5, crash_at=0.5, checkpoint_interval_s=each)
        for each in (0.2, 1e9)
    )
    assert (often.checkpointed_pages or 0) > 1000
    assert f"write {often.checkpointed_pages:,} changed pages" in often.finding
    assert rarely.checkpointed_pages == 0
    assert "Checkpoints write" not in rarely.finding
    assert often.validity == rarely.validity == course.VALIDITY_WITH_CHECKPOINTS
    other = asked(system="tac", crash_at=0.5, checkpoint_interval_s=0.2)
    assert other.checkpointed_pages is None
    assert other.validity == course.VALIDITY


def test_clients_wait_until_all_is_redone() -> None:
    """The same replay, later by what redo takes: from then on it is as before."""
    none, redone = (
        asked(window_s=1.0, crash_at=0.5, checkpoint_interval_s=each)
        for each in (0.0, 300.0)
    )
    assert redone.redo_s > 1
    assert redone.duration_s == pytest.approx(none.duration_s + redone.redo_s, rel=0.01)
    assert (redone.recovered_s or 0) >= redone.redo_s


def test_checkpoints_of_a_recording_come_as_much_earlier_as_its_flash_is_smaller() -> (
    None
):
    data_bytes = 4 * CURVE.distinct_pages * CURVE.page_bytes
    scaled = scale.answer(profile(TPCB), Production(data_bytes, 2_000.0)).profile.curve
    plan = course.CoursePlan(
        curve=scaled,
        **{**ASKED, "ram_pages": 10_000, "flash_pages": 60_000, "crash_at": 0.5},
        checkpoint_interval_s=100.0,
        scaled=scaled.scaled,
    )
    replay = plan.replay(CURVE.accesses)
    assert replay.flash_pages < 60_000
    assert replay.checkpoint_s == pytest.approx(100.0 * replay.flash_pages / 60_000)
    assert course.CoursePlan(curve=CURVE, **ASKED).replay(9).checkpoint_s == 0


def test_a_directory_of_a_recording_is_as_much_smaller_as_its_flash() -> None:
    data_bytes = 4 * CURVE.distinct_pages * CURVE.page_bytes
    scaled = scale.answer(profile(TPCB), Production(data_bytes, 2_000.0)).profile.curve
    options = {
        "directory_pages": "4000",
        "directory_buffer_pages": "400",
        "block_pages": "8",
    }
    plan = course.CoursePlan(
        curve=scaled,
        **{
            **ASKED,
            "system": "lazy",
            "ram_pages": 10_000,
            "flash_pages": 60_000,
            "options": options,
        },
        scaled=scaled.scaled,
    )
    replay = plan.replay(CURVE.accesses)
    share = replay.flash_pages / 60_000
    assert share < 0.5
    assert replay.options == {
        "directory_pages": str(math.ceil(4000 * share)),
        "directory_buffer_pages": str(math.ceil(400 * share)),
        "block_pages": "8",
    }
    as_asked = replace(plan, curve=CURVE, scaled=None).replay(CURVE.accesses)
    assert as_asked.options == options


def test_a_page_that_nobody_wrote_is_not_redone() -> None:
    with token_trace("R1 R2 R3 R1 R4 R2") as reads:
        found = course.answer(
            reads, profile(reads).curve, **{**ASKED, "ram_pages": 2, "crash_at": 0.5}
        )
    assert found.redo_pages == 0
    assert "redo has nothing to read" in found.finding


def test_of_a_trace_that_tells_no_writes_nothing_is_said_of_them(
    tmp_path: Path,
) -> None:
    path = tmp_path / "keys.lis"
    path.write_text("".join(f"{at * 7 % 90} 1 0 {at}\n" for at in range(600)))
    trace = Trace(path, format="arc")
    found = course.answer(
        trace,
        profile(trace).curve,
        **{**ASKED, "ram_pages": 20, "flash_pages": 60, "crash_at": 0.5},
    )
    assert found.redo_pages is found.redo_flash_pages is found.redo_s is None
    assert found.ram_dirty_pages_lost is found.flash_dirty_pages_lost is None
    assert {each.dirty_share for each in found.windows} == {None}
    assert "no page was written" not in found.finding
    assert "takes no page" not in found.finding
    assert "what redo then reads cannot be known and is left out" in found.finding
    assert "changed pages the crash takes cannot be known" in found.finding
    [warned] = found.warnings
    assert "does not distinguish writes from reads" in warned.message


def test_flash_that_does_not_fill_and_a_scheme_are_described_as_they_are() -> None:
    large = asked(window_s=1.0, flash_pages=60_000)
    assert large.filled_at_s is None
    assert "does not fill its flash" in large.finding
    scheme = asked(window_s=1.0, system="lazy")
    used = [each.flash_used_share or 0.0 for each in scheme.windows]
    assert used == sorted(used)
    assert used[0] < used[-1] == 1
    assert scheme.filled_at_s is not None
    assert max(each.dirty_share or 0.0 for each in scheme.windows) > 0
    assert "Lazy fills its flash within" in scheme.finding
    # Not every page of RAM could be on flash, so it is replayed without.
    of_no_use = asked(window_s=1.0, system="inclusive", flash_pages=999)
    assert {each.flash_used_share for each in of_no_use.windows} == {None}
    assert {each.dirty_share for each in of_no_use.windows} == {None}
    assert "fill" not in of_no_use.finding
    assert of_no_use.finding.startswith("Inclusive: ")


def test_what_never_is_all_in_use_fills_as_it_reckons() -> None:
    """A region is kept free: at most fifteen sixteenths of flash are in use, and a region had to be emptied."""
    found = asked(window_s=1.0, system="cachelib")
    assert max(each.flash_used_share or 0 for each in found.windows) < 0.95
    assert found.filled_at_s is not None
    assert "fills its flash within" in found.finding
    assert "From then on" in found.finding


def test_from_then_on_is_said_of_windows_behind_the_filling_alone() -> None:
    early = asked(window_s=0.1, crash_at=0.05)
    assert early.filled_at_s is not None
    assert early.restarted_at_s is not None
    assert early.filled_at_s > early.restarted_at_s
    assert "From then on" not in early.finding
    assert "Until the crash" in early.finding
    assert "From then on" in asked(window_s=0.5, crash_at=0.5).finding


def test_a_crash_with_nothing_before_it_is_compared_with_nothing() -> None:
    found = asked(window_s=5.0, crash_at=0.01)
    assert found.recovered_s is None
    assert "there was no rate before it to compare with" in found.finding
    assert "does not come back" not in found.finding


def test_devices_that_fall_behind_are_named_and_only_those() -> None:
    slow = asked(arrivals=Arrivals("poisson", accesses_per_s=60_000.0))
    assert "devices were asked for more than they do" in slow.finding
    assert slow.is_outrun
    assert slow.arrivals_per_s == pytest.approx(60_000, rel=0.01)
    assert slow.accesses_per_s == pytest.approx(420_000 / slow.duration_s)
    assert slow.accesses_per_s < 50_000
    assert slow.last_arrival_s == pytest.approx(7, rel=0.01)
    behind = duration_us(1e6 * (slow.duration_s - slow.last_arrival_s))
    assert (
        f"Accesses arrive at {three_digits(slow.arrivals_per_s)} per second and are answered at "
        f"{three_digits(slow.accesses_per_s)}: they ask of disk"
    ) in slow.finding
    assert f"the last answer comes {behind} after the last arrival" in slow.finding
    left_s = sum(
        ((each.disk_load or 0) - (each.disk_busy or 0)) * each.length_s
        for each in slow.windows
    )
    left = duration_us(1e6 * left_s)
    assert f"(disk then has {left} of work in the background left" in slow.finding
    assert "those of a trace of this length" in slow.finding
    for each in slow.windows:
        assert 0 <= (each.flash_busy or 0) <= 1
        assert 0 <= (each.disk_busy or 0) <= 1
    assert max(each.disk_load or 0 for each in slow.windows) > 1
    waiting = [each.unanswered for each in slow.windows]
    last = next(at for at, each in enumerate(slow.windows) if each.accesses == 0)
    assert max(waiting) in waiting[last - 2 : last]
    assert waiting[last:] == sorted(waiting[last:], reverse=True)
    assert waiting[-1] == 0
    easy = asked(arrivals=Arrivals("poisson", accesses_per_s=2_000.0))
    assert "devices were asked for more" not in easy.finding
    assert not easy.is_outrun
    assert "arrive at" not in easy.finding
    # Clients that wait for the disk keep it busy all the time, and no queue grows.
    busy = asked(hierarchy=Hierarchy(FLASH, DISK), window_s=20.0)
    assert busy.windows[0].disk_busy == pytest.approx(1, abs=0.01)
    assert not busy.is_outrun
    assert "arrive at" not in busy.finding
    assert 60 <= len(easy.windows) <= 120
    assert easy.window_s == round_window_s(easy.duration_s, course.USUAL_WINDOWS)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"system": "fase"}, "system: `fase` is neither"),
        ({"system": "none"}, "system: `none` leaves nothing to fill"),
        ({"flash_pages": 0}, "flash_pages: `0` leaves nothing"),
        (
            {"system": "lazy", "crash_at": 0.5},
            "restart: `warm` cannot be replayed: Lazy keeps its directory in RAM",
        ),
        (
            {"checkpoint_interval_s": -1.0},
            "checkpoint_interval_s: `-1` is not a length",
        ),
        ({"window_s": 0.0}, "window_s: `0` is not a length of time"),
        ({"window_s": -1.0}, "window_s: `-1` is not a length of time"),
        ({"window_s": math.inf}, "window_s: `inf` is not a length of time"),
    ],
)
def test_what_has_no_course_is_refused(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(BadInput, match=named):
        asked(**changes)


def test_windows_of_a_round_length_cut_a_duration_into_at_most_so_many() -> None:
    for duration in (1e-7, 3e-3, 0.7, 599.0, 600.0, 601.0, 7200.0, 1e5, 3e7):
        length = round_window_s(duration, 60)
        assert duration / 60 <= length
        assert duration < 1e-4 or length <= 2.5 * max(duration / 60, 1e-6), duration


def test_a_replay_that_counts_its_windows_is_kept_and_read_again() -> None:
    plan = course.CoursePlan(curve=CURVE, **ASKED)
    replay = plan.replay(CURVE.accesses)
    assert replay.windows == course.USUAL_WINDOWS
    assert TimedReplay.of(json.loads(json.dumps(replay.to_dict()))) == replay


def test_the_command_prints_the_windows(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "course", str(recordings.TPCB), "--scheme", "lazy-cleaning",
        "--ram-pages", "1000", "--flash-pages", "6000", "--flash-device", FLASH.id,
        "--disk-device", DISK.id, "--disks", "16", "--window-s", "2",
    ]  # fmt: skip
    assert main([*arguments, "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert main([*arguments, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [float(row["start_s"]) for row in rows] == [
        each["start_s"] for each in document["windows"]
    ]
    assert [int(row["accesses"]) for row in rows] == [
        each["accesses"] for each in document["windows"]
    ]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert out.startswith(document["finding"])
    assert "Lazy Cleaning (LC), windows of 2.00 s" in out
    assert main([*arguments, "--arrivals", "poisson"]) == 2
    assert "--accesses-per-second" in capsys.readouterr().err
    assert main([*arguments, "--csv", "--json"]) == 2


def test_a_trace_without_time_runs_with_clients_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "trace.csv"
    path.write_text("key,op\n" + "".join(f"{at % 40},R\n" for at in range(400)))
    arguments = [
        "course", str(path), "--format", "csv", "--scheme", "face",
        "--ram-pages", "4", "--flash-pages", "16", "--flash-device", FLASH.id,
        "--disk-device", DISK.id, "--page-bytes", "4096",
        "--column", "key=key", "--column", "op=op",
    ]  # fmt: skip
    code = main([*arguments, "--arrivals", "trace"])
    assert code != 0
    assert "does not record when its accesses arrived" in capsys.readouterr().err
    assert main(arguments) == 0


def test_the_directory_of_a_flash_cache_stands_beside_its_course() -> None:
    found = asked(window_s=1.0)
    # 32 bytes a page of FaCE, of 1,000 pages of RAM.
    assert found.ram_tax_bytes == 32 * 6000
    assert found.ram_tax_share == 32 * 6000 / (1000 * 8192)
    assert found.ram_tax == (
        "The directory of FaCE takes 188 KiB (2.34 %) of the RAM. The replay had all of the RAM."
    )
    charged = asked(window_s=1.0, flash_metadata=PRESETS["face"])
    assert charged.ram_tax_bytes == found.ram_tax_bytes
    assert "what the metadata that are charged leave" in charged.ram_tax
    assert charged.ram_pages == 1000 - 24
    # The cache's own preset is charged with the options in force, any other as it stands.
    logged = {"log_percent": "50", "set_pages": "14"}
    for name, preset, options in (
        ("kangaroo", "kangaroo", {}),
        ("kangaroo", "kangaroo", logged),
        ("kangaroo", "face", logged),
    ):
        made = asked(system=name, options=options, flash_metadata=PRESETS[preset])
        taken = made.ram_tax_bytes if preset == name else 32 * 6000
        assert taken is not None
        assert made.ram_pages == 1000 - math.ceil(taken / 8192)
    with pytest.raises(BadInput, match="hold less than the flash metadata"):
        asked(ram_pages=20, flash_metadata=PRESETS["face"])
    scheme = asked(window_s=1.0, system="lazy")
    assert (scheme.ram_tax_bytes, scheme.ram_tax_share, scheme.ram_tax) == (
        None,
        None,
        "",
    )
