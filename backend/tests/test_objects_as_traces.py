"""Commands take objects of a store in place of files, from the stores of these tests."""

import builtins
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from cloud_store import run_cloud
from s3_store import credentials, run_line, run_store

from tierwright.cli.app import main
from tierwright.trace.objects import forget_copies
from tierwright.trace.sources import store as sources_store

HEADER = "time_us,op,rel,block\n"
ADDRESS = "s3://traces/in/day 1.csv"


def rows(count: int, bad: str = "") -> bytes:
    lines = "".join(
        f"{i},{'W' if i % 5 == 0 else 'R'},0/1,{i * 7 % 50}\n" for i in range(count)
    )
    return (HEADER + lines + bad).encode()


@pytest.fixture(scope="module")
def store():
    with credentials(), run_store() as running:
        running.make_bucket("traces")
        yield running


@pytest.fixture
def line(store, monkeypatch):
    """A line to the store, which holds a trace; nothing is left in the temporary folder."""
    store.put("traces", "in/day 1.csv", rows(3000))
    with run_line(store) as running:
        monkeypatch.setenv("TIERWRIGHT_OBJECT_STORE_ENDPOINT", running.url)
        monkeypatch.setattr(sources_store, "_FIRST_WAIT_S", 0.01)
        yield running
    # Copies wait for the next task of the same process, which there is none of.
    forget_copies()
    left = list(Path(tempfile.gettempdir()).glob("tierwright-*"))
    assert left == []


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "day 1.csv"
    path.write_bytes(rows(3000))
    return path


def said(capsys, *arguments: object, code: int = 0) -> str:
    assert main([*map(str, arguments)]) == code
    shown = capsys.readouterr()
    return shown.out if code == 0 else shown.err


def test_an_object_is_inspected_converted_and_profiled_as_its_file_is(
    line, file, tmp_path, capsys
):
    for command in (("trace", "inspect"), ("trace", "summary"), ("profile",)):
        of_file = said(capsys, *command, file, "--json")
        assert said(capsys, *command, ADDRESS, "--json") == of_file
    outs = tmp_path / "of_object.twt", tmp_path / "of_file.twt"
    for source, out in zip((ADDRESS, file), outs, strict=True):
        said(capsys, "trace", "convert", source, out)
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_a_large_object_comes_in_ranges_of_one_version(line, capsys, monkeypatch):
    monkeypatch.setattr(sources_store, "RANGE_BYTES", 10_000)
    expected = len(rows(3000))
    found = json.loads(said(capsys, "trace", "inspect", ADDRESS, "--json"))
    assert found["requests"] == 3000
    ranges = [one for method, _, one in line.requests if method == "GET"]
    assert len(ranges) == -(-expected // 10_000)


def test_a_connection_that_breaks_is_tried_again(line, capsys):
    line.broken_from, line.breaks_left = 1000, 2
    found = json.loads(said(capsys, "trace", "inspect", ADDRESS, "--json"))
    assert found["requests"] == 3000


def test_an_object_that_changes_on_the_way_is_an_error(
    line, store, capsys, monkeypatch
):
    monkeypatch.setattr(sources_store, "RANGE_BYTES", 10_000)
    line.on_get = lambda: store.put("traces", "in/day 1.csv", rows(4000))
    told = said(capsys, "trace", "inspect", ADDRESS, code=2)
    assert f"{ADDRESS}: the object has changed while it was read" in told


def test_an_error_names_the_object_and_not_its_copy(line, store, temporary, capsys):
    store.put("traces", "in/day 1.csv", rows(3, bad="x,y\n"))
    told = said(capsys, "trace", "inspect", ADDRESS, code=2)
    assert f"{ADDRESS}" in told
    assert "line 5" in told
    assert str(temporary) not in told
    skipping = ("--skip-bad-lines", "1")
    shown = said(capsys, "trace", "inspect", ADDRESS, *skipping, "--json")
    assert ADDRESS in shown
    assert str(temporary) not in shown


def test_what_is_absent_is_named(line, capsys):
    told = said(capsys, "trace", "inspect", "s3://traces/in/day2.csv", code=2)
    assert "s3://traces/in/day2.csv: the bucket has no such object" in told
    told = said(capsys, "trace", "inspect", "s3://absent-bucket/x", code=2)
    assert "no such bucket" in told


@pytest.mark.parametrize(
    ("address", "said_of_it"),
    [
        ("http://example.org/x.csv", "does not begin with a supported scheme"),
        ("s3://traces", "a bucket or a prefix"),
        ("s3://traces/in/", "a bucket or a prefix"),
        ("s3://traces/../x", "empty part"),
        ("s3://x/y", "for a bucket"),
    ],
)
def test_what_is_no_object(capsys, address, said_of_it):
    told = said(capsys, "trace", "inspect", address, code=2)
    assert address in told
    assert said_of_it in told
    assert "hint: name" in told


def test_without_credentials_the_command_says_where_it_takes_them_from(
    line, store, capsys
):
    with store.with_accounts():
        told = said(capsys, "trace", "inspect", ADDRESS, code=2)
    assert "the store refuses to show it" in told
    assert "The command takes its credentials from AWS_ACCESS_KEY_ID" in told


def test_without_an_account_the_command_says_so(capsys, monkeypatch):
    for name in list(os.environ):
        if name.startswith("AZURE_"):
            monkeypatch.delenv(name)
    told = said(capsys, "profile", "az://traces/x.csv", code=2)
    assert "the command has no credentials for the store that work" in told
    assert "AZURE_STORAGE_ACCOUNT_NAME" in told


def test_without_the_library_the_command_says_what_to_install(capsys, monkeypatch):
    real = builtins.__import__

    def without(name, *arguments, **options):
        if name.split(".")[0] == "obstore":
            raise ModuleNotFoundError("No module named 'obstore'", name="obstore")
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    told = said(capsys, "trace", "inspect", ADDRESS, code=2)
    assert "needs the package `obstore`" in told
    assert "tierwright[objects]" in told


def test_an_object_that_finds_no_room_is_not_fetched(line, capsys, monkeypatch):
    class Full:
        free = 10

    monkeypatch.setattr("shutil.disk_usage", lambda _: Full)
    told = said(capsys, "trace", "inspect", ADDRESS, code=2)
    assert "has room for 10" in told
    assert "TMPDIR" in told
    assert [method for method, *_ in line.requests] == ["HEAD"]


@pytest.mark.parametrize("scheme", ["gs", "az"])
def test_the_stores_of_two_other_clouds(capsys, monkeypatch, scheme):
    with run_cloud() as cloud:
        cloud.objects["/traces/in/day1.csv"] = rows(3000)
        cloud.point_clients_here(monkeypatch)
        shown = said(
            capsys, "trace", "inspect", f"{scheme}://traces/in/day1.csv", "--json"
        )
    assert json.loads(shown)["requests"] == 3000


KILLED = """
import contextlib, os, signal, sys
from tierwright.cli import main, output, trace
def watch(done, total, accesses, requests=None):
    if accesses >= 65_536:
        os.kill(os.getpid(), signal.SIGKILL)
    return True
@contextlib.contextmanager
def progress(title):
    yield watch
trace.progress = progress
sys.exit(main(sys.argv[1:]))
"""


def test_a_killed_conversion_of_an_object_goes_on(
    line, store, tmp_path, capsys, monkeypatch
):
    store.put("traces", "in/day 1.csv", rows(200_000))
    monkeypatch.setenv("TIERWRIGHT_CHECKPOINT_ACCESSES", "1")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    out = tmp_path / "out.twt"
    command = ["trace", "convert", ADDRESS, str(out)]
    ended = subprocess.run([sys.executable, "-c", KILLED, *command], check=False)
    assert ended.returncode == -signal.SIGKILL
    found = json.loads(said(capsys, *command, "--json"))
    assert found["resumed_at_accesses"] == 65_536
    whole = Path(tmp_path / "whole.twt")
    said(capsys, "trace", "convert", ADDRESS, whole)
    assert out.read_bytes() == whole.read_bytes()


def test_parts_and_their_counts_lie_in_the_store(
    line, store, temporary, tmp_path, capsys, monkeypatch
):
    """Each worker copies the part that it counts; nothing of the trace stays here."""
    # The line passes reads on, not writes.
    monkeypatch.setenv("TIERWRIGHT_OBJECT_STORE_ENDPOINT", store.url)
    store.put("traces", "in/day2.csv", rows(2000))
    second = tmp_path / "day2.csv"
    second.write_bytes(rows(2000))
    first = tmp_path / "day 1.csv"
    first.write_bytes(rows(3000))
    of_files = json.loads(said(capsys, "profile", first, second, "--json"))
    parts = (ADDRESS, "s3://traces/in/day2.csv", "--parts-in", "s3://traces/counts/a")
    made = json.loads(
        said(capsys, "profile", *parts, "--workers", 2, "--json", "--sizes", "64KiB")
    )
    assert made["curve"]["misses"][-1] == of_files["curve"]["misses"][-1]
    assert made["accesses"] == of_files["accesses"] == 5000
    assert "test" not in json.dumps(made["trace"])
    forget_copies()
    assert list(temporary.iterdir()) == []
    told = said(
        capsys, "profile", parts[0], "s3://traces/in/no", *parts[2:], "--json", code=2
    )
    assert "s3://traces/in/no: the bucket has no such object" in told
    told = said(
        capsys,
        "profile",
        *parts[:2],
        "--parts-in",
        "s3://absent-bucket/x",
        "--json",
        code=2,
    )
    assert "s3://absent-bucket/x: the store has no such bucket" in told
