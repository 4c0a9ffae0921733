"""`tierwright trace convert` goes on with what a killed conversion has left beside OUT."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tierwright._simulator import convert
from tierwright.cli.app import main
from tierwright.trace.conversions import core_build
from tierwright.trace.sources.files import fingerprint

CHUNK = 65_536
CHILD = """
import contextlib, os, signal, sys
from tierwright.cli import main, trace
kill_at = int(sys.argv[1])
def watch(done, total, accesses, requests=None):
    if accesses >= kill_at:
        os.kill(os.getpid(), signal.SIGKILL)
    return True
@contextlib.contextmanager
def progress(title):
    yield watch
trace.progress = progress
sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture(autouse=True)
def every_chunk(monkeypatch):
    monkeypatch.setenv("TIERWRIGHT_CHECKPOINT_ACCESSES", "1")


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "in" / "web.csv"
    path.parent.mkdir()
    path.write_text(msr())
    return path


@pytest.fixture
def out(tmp_path):
    path = tmp_path / "out" / "web.twt"
    path.parent.mkdir()
    return path


def msr(requests: int = 3000) -> str:
    return "".join(
        f"{128_166_372_003_061_629 + index * 977},web,{index % 3},"
        f"{'Write' if index % 7 == 0 else 'Read'},{index * 7919 % 30_000 * 4096},"
        f"{index % 200 * 4096},900\n"
        for index in range(requests)
    )


def killed(*arguments: object, at: int = 2 * CHUNK) -> None:
    """Run the command in a process that is killed behind `at` accesses."""
    given = [str(argument) for argument in arguments]
    ended = subprocess.run(
        [sys.executable, "-c", CHILD, str(at), "trace", "convert", *given],
        check=False,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr


def converted(capsys, *arguments: object) -> tuple[dict, str]:
    """Run the command to its end: what it prints as JSON, and on stderr."""
    code = main(["trace", "convert", *map(str, arguments), "--json"])
    shown = capsys.readouterr()
    assert code == 0, shown.err
    return json.loads(shown.out), shown.err


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_killed_conversion_goes_on_to_the_same_file(trace, out, tmp_path, capsys):
    whole = convert(trace, tmp_path / "whole.twt")
    killed(trace, out)
    assert names(out.parent) == ["web.twt.checkpoint", "web.twt.partial"]
    killed(trace, out, at=3 * CHUNK)
    found, told = converted(capsys, trace, out)
    assert found.pop("resumed_at_accesses") == 3 * CHUNK
    assert found == whole
    assert told == ""
    assert out.read_bytes() == (tmp_path / "whole.twt").read_bytes()
    assert names(out.parent) == ["web.twt"]


def test_the_summary_says_what_was_kept_and_states_no_speed(trace, out, capsys):
    killed(trace, out)
    assert main(["trace", "convert", str(trace), str(out)]) == 0
    shown = capsys.readouterr().out
    assert f"{2 * CHUNK:,} accesses kept from an interrupted conversion" in shown
    assert "requests/s" not in shown


def test_it_begins_anew_when_asked_to(trace, out, capsys):
    killed(trace, out)
    found, told = converted(capsys, trace, out, "--no-resume")
    assert "resumed_at_accesses" not in found
    assert told == ""
    assert names(out.parent) == ["web.twt"]


def test_a_changed_trace_is_read_anew_and_the_command_says_so(trace, out, capsys):
    killed(trace, out)
    before = trace.stat()
    text = trace.read_text()
    trace.write_text(text.replace(",Read,", ",READ,", 1).replace("READ", "Read", 1))
    # Same content length, and even the time of the last write is set back.
    os.utime(trace, ns=(before.st_atime_ns, before.st_mtime_ns))
    found, told = converted(capsys, trace, out)
    assert "resumed_at_accesses" not in found
    assert "another trace, to this one before it changed" in told
    assert names(out.parent) == ["web.twt"]


def test_other_options_begin_anew_and_the_command_says_so(trace, out, tmp_path, capsys):
    killed(trace, out)
    found, told = converted(capsys, trace, out, "--page-bytes", 8192)
    assert "resumed_at_accesses" not in found
    assert "with other options" in told
    expected = convert(trace, tmp_path / "whole.twt", page_bytes=8192)
    assert found["content_id"] == expected["content_id"]


def test_a_folder_with_a_file_more_is_another_trace(trace, out, capsys):
    (trace.parent / "web2.csv").write_text(msr(100))
    killed(trace.parent, out)
    (trace.parent / "web3.csv").write_text(msr(50))
    found, told = converted(capsys, trace.parent, out)
    assert "resumed_at_accesses" not in found
    assert "belongs to another trace" in told


def test_a_folder_is_converted_into_itself_without_reading_its_own_output(
    trace, tmp_path, capsys
):
    expected = convert(trace.parent, tmp_path / "whole.twt")["content_id"]
    found, _ = converted(capsys, trace.parent, trace.parent / "out.twt")
    assert found["content_id"] == expected


def test_a_pipe_is_read_once(trace, out, tmp_path, capsys):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write() -> None:
        with pipe.open("wb") as end, trace.open("rb") as source:
            shutil.copyfileobj(source, end)

    writer = threading.Thread(target=write)
    writer.start()
    found, _ = converted(capsys, pipe, out)
    writer.join()
    expected = convert(trace, tmp_path / "whole.twt")
    assert found["content_id"] == expected["content_id"]


@pytest.mark.parametrize("end", ["partial", "checkpoint"])
def test_files_of_others_are_not_overwritten(trace, out, capsys, end):
    foreign = out.with_name(f"web.twt.{end}")
    foreign.write_text("my notes")
    assert main(["trace", "convert", str(trace), str(out)]) == 2
    assert f"web.twt.{end}` exists and was not left" in capsys.readouterr().err
    assert foreign.read_text() == "my notes"
    assert names(out.parent) == [foreign.name]


def test_two_conversions_to_one_file_do_not_mix(trace, out, capsys):
    partial = out.with_name("web.twt.partial")
    with partial.open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert main(["trace", "convert", str(trace), str(out)]) == 2
    assert "is being written by another conversion" in capsys.readouterr().err


def test_a_refused_output_leaves_nothing(trace, out, capsys):
    out.write_text("there")
    assert main(["trace", "convert", str(trace), str(out)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert names(out.parent) == ["web.twt"]


def test_a_canonical_trace_is_copied_and_leaves_nothing_else(trace, out, capsys):
    convert(trace, out)
    converted(capsys, out, out.with_name("copy.twt"))
    assert names(out.parent) == ["copy.twt", "web.twt"]
    assert out.with_name("copy.twt").read_bytes() == out.read_bytes()


@pytest.mark.parametrize("value", ["0", "often", "-1", ""])
def test_the_distance_of_checkpoints_is_checked(trace, out, capsys, monkeypatch, value):
    monkeypatch.setenv("TIERWRIGHT_CHECKPOINT_ACCESSES", value)
    assert main(["trace", "convert", str(trace), str(out)]) == 2
    assert "TIERWRIGHT_CHECKPOINT_ACCESSES" in capsys.readouterr().err


def test_what_names_the_content_is_told_to_the_core(trace, out):
    killed(trace, out)
    text = out.with_name("web.twt.checkpoint").read_text()
    state = json.loads(text.splitlines()[0])
    assert state["of"].startswith(f"{fingerprint(trace)}, {core_build()}; msr; ")
