"""Attempts at one job: what a dead one leaves, and two that begin at once."""

import os
import subprocess
import sys
import threading

from tierwright_server.workloads import attempts
from tierwright_server.workloads.attempts import Attempt

LEAVE = """
import sys
from pathlib import Path
from tierwright_server.workloads.attempts import Attempt
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
    others[0].join(5)
    assert not others[0].is_alive()


def test_one_that_hangs_stops_nobody(tmp_path, monkeypatch):
    monkeypatch.setattr(attempts, "_LONGEST_WAIT_S", 0.05)
    held = attempts._locked(tmp_path)
    assert held is not None
    assert Attempt(tmp_path, ()).folder.is_dir()
    os.close(held)
