"""Attempts at one job: what a dead one leaves, and two that begin at once."""

import contextlib
import os
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta

from live_app import PATIENCE_S

from tierwright import _simulator
from tierwright_server.jobs.report import Report
from tierwright_server.storage.source_files import is_marked, mark_of
from tierwright_server.traces.workloads import attempts, ingest
from tierwright_server.traces.workloads.attempts import Attempt

LEAVE = """
import sys
from pathlib import Path
from tierwright_server.traces.workloads.attempts import Attempt
(Attempt(Path(sys.argv[1]), ()).folder / "kept").write_text("done")
"""


def test_what_a_dead_attempt_left_is_taken_over(tmp_path):
    subprocess.run([sys.executable, "-c", LEAVE, tmp_path / "job"], check=True)
    attempt = Attempt(tmp_path / "job", ("kept",))
    assert (attempt.folder / "kept").read_text() == "done"
    folders = [each for each in (tmp_path / "job").iterdir() if each.is_dir()]
    assert folders == [attempt.folder]


def test_a_folder_is_not_taken_before_it_is_locked(tmp_path, monkeypatch):
    """The other attempt begins just between the folder and its lock."""
    locked, others = attempts._locked, []

    def slowly(folder):
        if folder != tmp_path and not others:
            others.append(threading.Thread(target=Attempt, args=(tmp_path, ())))
            others[0].start()
            others[0].join(0.3)
            assert others[0].is_alive()
            assert folder.is_dir()
        return locked(folder)

    monkeypatch.setattr(attempts, "_locked", slowly)
    Attempt(tmp_path, ())
    others[0].join(PATIENCE_S)
    assert not others[0].is_alive()


def test_one_that_hangs_stops_nobody(tmp_path, monkeypatch):
    monkeypatch.setattr(attempts, "_LONGEST_WAIT_S", 0.05)
    held = attempts._locked(tmp_path)
    assert held is not None
    assert Attempt(tmp_path, ()).folder.is_dir()
    os.close(held)


class QuietReport(Report):
    def progress(self, *_, **__):
        pass

    def partial(self, document):
        pass


def job_of(trace, folder):
    return {
        "trace": {"path": str(trace)},
        "source": {"sha256": None},
        "shown_as": trace.name,
        "max_stored_bytes": 10**9,
        "checkpoint_accesses": 1000,
        "work_dir": str(folder / "work"),
        "contents_dir": str(folder / "contents"),
    }


def test_what_another_core_has_converted_is_not_taken(tmp_path, monkeypatch):
    """Killed between conversion and profile, upgraded, and started again."""
    trace = tmp_path / "trace.csv"
    trace.write_text("time_us,op,rel,block\n1,R,0/1,1\n2,W,0/1,2\n")
    calls = []

    def convert(*arguments, **options):
        calls.append(options["resume"][0])
        return core(*arguments, **options)

    core = _simulator.convert
    monkeypatch.setattr(_simulator, "convert", convert)
    monkeypatch.setattr(ingest, "_profile", lambda *_: 1 / 0)
    for made_by in ("core 1", "core 1", "core 2"):
        monkeypatch.setattr(ingest, "core_build", lambda made_by=made_by: made_by)
        with contextlib.suppress(ZeroDivisionError):
            ingest.ingest(job_of(trace, tmp_path), QuietReport())
        for attempt in (tmp_path / "work").iterdir():
            if attempt.is_dir():  # as the death of its process would
                (attempt / "lock").unlink()
    assert [key.rsplit(", ", 1)[1] for key in calls] == ["core 1", "core 2"]


def test_a_set_marked_by_its_named_file_alone_is_known_until_it_changes(tmp_path):
    named, other = (tmp_path / f"sda.blktrace.{cpu}" for cpu in (0, 1))
    for file in (named, other):
        file.write_bytes(b"x")
        os.utime(file, ns=(10**18, 10**18))
    since = datetime.fromtimestamp(10**9, UTC) + timedelta(seconds=5)
    assert is_marked(named, mark_of(named), since)
    assert is_marked(named, 10**18, since)
    os.utime(other, ns=(10**18, 10**18 + 10**10))
    assert not is_marked(named, 10**18, since)
    os.utime(other, ns=(10**18, 10**18))
    os.utime(named, ns=(10**18, 10**18 + 1))
    assert not is_marked(named, 10**18, since)
