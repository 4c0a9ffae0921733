"""A trace in parts has the profile of the whole."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import command
import numpy as np
import pytest

from tierwright.common.core_errors import Cancelled, TraceError
from tierwright.common.errors import BadInput
from tierwright.profile import measure, parts, relations
from tierwright.profile.document import Profile
from tierwright.profile.parts import profile_of_parts
from tierwright.profile.summaries import summarise
from tierwright.profile.workers import spread
from tierwright.trace.reading import Reading, Trace

LINES = 4_000
FIELDS = ("time", "device", "page", "op")


@contextmanager
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """Four files of one trace with times, two devices and writes; the third has one access."""
    folder = tmp_path_factory.mktemp("parts")
    draws = np.random.default_rng(7)
    made = []
    for number, lines in enumerate((LINES, 17, 1, LINES)):
        rows = ["time,device,page,op"]
        for line in range(lines):
            page = int(draws.zipf(1.3)) % 700
            op = "W" if draws.random() < 0.3 else "R"
            rows.append(f"{number * 100 + line / LINES:.6f},d{page % 2},{page},{op}")
        path = folder / f"{number}.csv"
        path.write_text("\n".join(rows) + "\n")
        made.append(path)
    return tuple(made)


def trace_of(files: tuple[Path, ...]) -> Trace:
    return Trace(
        files[0],
        format="csv",
        columns={name: name for name in FIELDS} | {"time_unit": "s"},
        others=files[1:],
    )


def counts(profile: Profile) -> dict[str, Any]:
    """Return all of a profile but what its reader noticed, which speaks of files."""
    document = profile.to_dict()
    document.pop("trace")
    return document


@pytest.mark.oracle("profile.parts.profile_of_parts")
def test_parts_have_the_profile_of_the_whole(
    files: tuple[Path, ...], tmp_path: Path
) -> None:
    trace = trace_of(files)
    whole = measure.profile(trace)
    assert whole.duration_s == pytest.approx(301, abs=1)
    joined = profile_of_parts(trace, tmp_path, threads)
    assert counts(joined) == counts(whole)


def test_kept_counts_are_used_and_damaged_ones_made_anew(
    files: tuple[Path, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = trace_of(files)
    first = profile_of_parts(trace, tmp_path, threads)
    kept = sorted(tmp_path.iterdir())
    assert len(kept) == len(files)
    data = bytearray(kept[0].read_bytes())
    data[len(data) // 2] ^= 1
    kept[0].write_bytes(data)
    counted = []
    really = parts._count

    def noted(task: tuple[parts.PartOfTrace, Any]) -> int:
        counted.append(tmp_path / task[0].counts_name)
        return really(task)

    monkeypatch.setattr(parts, "_count", noted)
    assert counts(profile_of_parts(trace, tmp_path, threads)) == counts(first)
    assert counted == [kept[0]]


def test_a_changed_file_is_counted_anew(
    files: tuple[Path, ...], tmp_path: Path
) -> None:
    trace = trace_of(files)
    profile_of_parts(trace, tmp_path, threads)
    shorter = (*files[:3], tmp_path / "other.csv")
    lines = files[3].read_text().splitlines()[: LINES // 2]
    shorter[3].write_text("\n".join(lines) + "\n")
    changed = trace_of(shorter)
    assert counts(profile_of_parts(changed, tmp_path, threads)) == counts(
        measure.profile(changed)
    )


class Dying:
    """Work that kills its worker once."""

    def __init__(self, mark: Path, times: int) -> None:
        self.mark, self.times = mark, times

    def __call__(self, task: int) -> int:
        died = len(list(self.mark.iterdir()))
        if task == 1 and died < self.times:
            (self.mark / str(died)).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return task * 10


@contextmanager
def two_processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2) as pool:
        yield pool


def test_what_a_killed_worker_left_is_done_by_the_next(tmp_path: Path) -> None:
    done = spread(
        two_processes, Dying(tmp_path, 1), range(4), lambda _done: True, parts.PARTS
    )
    assert done == [0, 10, 20, 30]


def test_workers_that_always_die_end_the_run(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="workers died 3 times, and"):
        spread(
            two_processes,
            Dying(tmp_path, 9),
            range(4),
            lambda _done: True,
            parts.PARTS,
        )


def test_a_run_can_be_cancelled_and_keeps_what_it_has(
    files: tuple[Path, ...], tmp_path: Path
) -> None:
    trace = trace_of(files)
    with pytest.raises(Cancelled):
        profile_of_parts(
            trace, tmp_path, threads, on_progress=lambda done, _all, _n: done < 6
        )
    assert list(tmp_path.glob("*.part"))


def test_progress_tells_the_accesses_that_are_counted(
    files: tuple[Path, ...], tmp_path: Path
) -> None:
    told: list[tuple[int, int, int]] = []

    def note(done: int, total: int, accesses: int) -> bool:
        told.append((done, total, accesses))
        return True

    whole = profile_of_parts(trace_of(files), tmp_path, threads, on_progress=note)
    assert told[-1][:2] == (8, 8)
    # The accesses of the parts so far, once they are counted and once they are followed.
    assert (4, 8, whole.curve.accesses) in told
    assert (8, 8, whole.curve.accesses) in told
    assert all(accesses <= whole.curve.accesses for _, _, accesses in told)


def test_a_part_that_cannot_be_read_is_named(
    files: tuple[Path, ...], tmp_path: Path
) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("time,device,page,op\n0,d0,many,R\n")
    with pytest.raises(TraceError, match=r"bad\.csv.*many"):
        profile_of_parts(trace_of((files[0], bad)), tmp_path, threads)


def of_whole(trace: Trace) -> dict[str, Any]:
    """Return summaries and relations by passes over all files in their order."""
    return {
        "summaries": summarise(trace).to_dict(),
        "relations": [each.to_dict() for each in relations.measured(trace, names=True)],
    }


def of_parts(trace: Trace, folder: Path) -> dict[str, Any]:
    made = profile_of_parts(trace, folder, threads, summaries=True, relation_names=True)
    assert made.summaries is not None
    return {
        "summaries": made.summaries.to_dict(),
        "relations": [each.to_dict() for each in made.relations],
    }


def without_notes(found: dict[str, Any]) -> dict[str, Any]:
    """Leave out what the reader noticed, which speaks of files."""
    found["summaries"].pop("trace")
    return found


def test_summaries_of_parts_are_those_of_the_whole(
    files: tuple[Path, ...], tmp_path: Path
) -> None:
    trace = trace_of(files)
    found = of_parts(trace, tmp_path)
    assert without_notes(found) == without_notes(of_whole(trace))
    assert len(found["relations"]) == 2
    # Those without summaries are other counts.
    assert profile_of_parts(trace, tmp_path, threads).summaries is None
    assert len(list(tmp_path.glob("*.part"))) == 2 * len(files)


def test_times_that_go_back_from_one_file_to_the_next(
    files: tuple[Path, ...], tmp_path: Path
) -> None:
    trace = trace_of((files[3], files[1], files[0], files[2]))
    found = of_parts(trace, tmp_path)
    assert without_notes(found) == without_notes(of_whole(trace))


def test_requests_in_bytes_go_on_across_files(tmp_path: Path) -> None:
    """A run of requests that ends one file and begins the next is one run, in bytes."""
    draws = np.random.default_rng(11)
    made, end, time = [], 0, 0
    for number in range(3):
        rows = []
        for _line in range(500):
            offset = end if draws.random() < 0.8 else int(draws.integers(2000)) * 512
            size = int(draws.integers(1, 40)) * 512
            end, time = offset + size, time + 1
            rows.append(
                f"{time},host,{time % 2},{'Write' if draws.random() < 0.4 else 'Read'},{offset},{size},0"
            )
        path = tmp_path / f"{number}.csv"
        path.write_text("\n".join(rows) + "\n")
        made.append(path)
    trace = Trace(made[0], format="msr", others=tuple(made[1:]))
    folder = tmp_path / "counts"
    folder.mkdir()
    found = of_parts(trace, folder)
    whole = of_whole(trace)
    assert without_notes(found) == without_notes(whole)
    assert found["summaries"]["requests"]["unit"] == "bytes"


def test_the_command_writes_the_same_profile(
    files: tuple[Path, ...], tmp_path: Path
) -> None:
    """Every field of it: curves, windows, and on request summaries and relations."""
    reading = [str(path) for path in files] + ["--format", "csv"]
    for field in FIELDS:
        reading += ["--column", f"{field}={field}"]
    reading += ["--column", "time_unit=s"]

    def profiled(*options: object) -> dict[str, Any]:
        out = tmp_path / "profile.json"
        ended = command.run("profile", *reading, *options, "-o", out)
        assert ended.returncode == 0, ended.stderr
        document: dict[str, Any] = json.loads(out.read_text())
        # What the reader noticed speaks of files.
        document.pop("trace")
        return document

    parts_in = ("--parts-in", tmp_path, "--workers", 2)
    whole = profiled("--relation-names")
    assert {"summaries", "relations", "windows", "thinned_error"} <= set(whole)
    assert profiled(*parts_in, "--summaries", "--relation-names") == whole
    without = profiled("--no-summaries")
    assert profiled(*parts_in) == without
    assert "summaries" not in without


def test_a_file_counts_once(files: tuple[Path, ...], tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"`0\.csv` is named twice"):
        profile_of_parts(trace_of((files[0], files[0])), tmp_path, threads)


def test_bad_records_are_allowed_in_the_trace_not_in_each_part(
    files: tuple[Path, ...], tmp_path: Path
) -> None:
    bad = []
    for path in (files[0], files[3]):
        bad.append(tmp_path / path.name)
        bad[-1].write_text(path.read_text() + "what,is,this,now\n")
    for allowed in (1, 2):
        trace = trace_of((bad[0], bad[1]))
        trace = replace(trace, reading=Reading(skip_bad_records=allowed))
        if allowed == 2:
            profile = profile_of_parts(trace, tmp_path, threads)
            assert profile.curve.notes.skipped_records == 2
        else:
            with pytest.raises(BadInput, match="2 bad records, more than the 1"):
                profile_of_parts(trace, tmp_path, threads)


def test_a_note_of_any_characters_is_read() -> None:
    note = {
        "source_format": "csv",
        "tells_writes": True,
        "skipped_records": None,
        "warnings": [],
        "assumptions": ["the member `m\u2028a.csv`"],
    }
    found = parts.noted([json.dumps(note, ensure_ascii=False)])
    assert found["assumptions"] == note["assumptions"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--workers", "2"], "has no parts to share out"),
        (["--dask", "local:2"], "--dask: a trace that is read as a whole has no parts"),
        (["--parts-in", ".", "--dask", "local:0"], "`local:0` does not name from 1"),
        (["--parts-in", ".", "--dask", "here"], "neither the address of a scheduler"),
        (
            ["--parts-in", ".", "--dask", "local:1", "--workers", "2"],
            "--workers and --dask cannot be combined",
        ),
        (["--parts-in", ".", "--sample-rate", "0.1"], "cannot be combined"),
        (["--parts-in", "no-such-folder"], "is not a folder"),
        (["--parts-in", ".", "--members-apart"], "parts follow one another"),
    ],
)
def test_what_does_not_go_together_is_refused(
    files: tuple[Path, ...], tmp_path: Path, options: list[str], said: str
) -> None:
    ended = command.run("profile", files[0], *options, "-o", tmp_path / "p.json")
    assert ended.returncode == 2
    assert said in ended.stderr
