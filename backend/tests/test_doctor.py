"""`tierwright doctor` says what a machine lacks, and changes nothing."""

import json
import os
import platform
import shutil
import socket
import subprocess
import sys
from collections import namedtuple

import pytest
import typer
from typer.testing import CliRunner

from tierwright_server.health import doctor
from tierwright_server.runtime.listen import DEFAULT_PORT

app = typer.Typer()
app.command()(doctor.command)


def look(*arguments):
    done = CliRunner().invoke(app, ["--json", *arguments])
    found = {each["what"]: each for each in json.loads(done.stdout)["findings"]}
    return done.exit_code, found


def test_this_machine_lacks_nothing_and_nothing_is_made(tmp_path):
    folder = tmp_path / "not made"
    code, found = look("--data-dir", str(folder))
    lacking = [each for each in found.values() if each["state"] == "lacks"]
    assert (code, lacking) == (0, [])
    assert not folder.exists()
    assert str(folder) in found["data folder"]["found"]
    assert "PostgreSQL" in found["database"]["found"]


def test_a_library_that_the_wheels_are_not_built_for(monkeypatch, tmp_path):
    monkeypatch.setattr(doctor.platform, "libc_ver", lambda: ("", ""))
    code, found = look("--data-dir", str(tmp_path))
    assert code == 1
    assert found["system"]["state"] == "lacks"
    assert "not Alpine" in found["system"]["hint"]


def test_a_full_disk_and_a_file_in_the_way(monkeypatch, tmp_path):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: usage(1, 1, 2**20))
    code, found = look("--data-dir", str(tmp_path))
    assert code == 1
    assert "free some space" in found["data folder"]["hint"]
    file = tmp_path / "file"
    file.write_text("")
    code, found = look("--data-dir", str(file / "below"))
    assert code == 1
    assert "cannot be written to" in found["data folder"]["found"]


def test_a_port_that_is_taken_is_a_note(tmp_path):
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", DEFAULT_PORT))
        except OSError:
            pytest.skip("the port is taken by somebody else")
        taken.listen()
        _, found = look("--data-dir", str(tmp_path))
    assert found["port"]["state"] == "note"
    assert f"{DEFAULT_PORT} is in use" in found["port"]["found"]


def test_a_core_that_does_not_load(monkeypatch, tmp_path):
    monkeypatch.delattr("tierwright._simulator", raising=False)
    monkeypatch.setitem(doctor.sys.modules, "tierwright._simulator", None)
    monkeypatch.delitem(doctor.sys.modules, "tierwright.trace.reading")
    code, found = look("--data-dir", str(tmp_path))
    assert code == 1
    assert "cannot be loaded" in found["core"]["found"]


def test_a_command_without_its_core_says_so():
    script = (
        "import sys\n"
        "sys.modules['tierwright._simulator'] = None\n"
        "from tierwright.cli import main\n"
        "sys.exit(main(['formats']))\n"
    )
    tried = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True
    )
    assert tried.returncode == 70
    error, hint = tried.stderr.splitlines()
    assert error.startswith("error: the compiled core cannot be loaded: ")
    assert hint.startswith("hint: in a checkout run `make setup`")


def test_fio_is_only_a_note_where_it_is_missing(monkeypatch, tmp_path):
    program = tmp_path / "fio"
    program.write_text(
        '#!/bin/sh\ncase "$1" in --version) echo fio-3.33;; *) echo libaio;; esac\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    code, found = look("--data-dir", str(tmp_path))
    assert code == 0
    assert found["fio"]["state"] == "ok"
    assert found["fio"]["found"] == f"fio-3.33 at {program}"
    monkeypatch.setattr(shutil, "which", lambda _: None)
    code, found = look("--data-dir", str(tmp_path))
    assert found["fio"]["state"] == "note"
    assert "only `tierwright device measure` needs it" in found["fio"]["found"]
    assert "apt install fio" in found["fio"]["hint"]


def test_confinement_says_what_the_kernel_enforces(tmp_path):
    _, found = look("--data-dir", str(tmp_path))
    tried = subprocess.run(
        [
            sys.executable,
            "-c",
            "from tierwright_server.jobs import confine as c\nprint(*c.confine())",
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    seen = found["confinement"]
    if tried:
        assert seen["state"] == "note"
    else:
        assert (seen["state"], seen["hint"]) == ("ok", "")
        assert "cannot open sockets" in seen["found"]
        assert ("capabilities" in seen["found"]) == (os.geteuid() == 0)


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "aarch64"), reason="another kernel interface"
)
def test_a_filter_that_does_nothing_and_one_that_is_refused_are_noted(
    monkeypatch, tmp_path
):
    def tried(before):
        monkeypatch.setattr(doctor, "_CONFINED", before + unchanged)
        return look("--data-dir", str(tmp_path))

    unchanged = doctor._CONFINED
    module = "from tierwright_server.jobs import confine as c\n"
    code, found = tried(module + "c.confine = lambda *_: ()\n")
    assert (code, found["confinement"]["state"]) == (0, "note")
    assert "sockets can be opened" in found["confinement"]["found"]
    code, found = tried(
        module + "for machine in c._MACHINES.values(): machine.seccomp = 9999\n"
    )
    assert (code, found["confinement"]["state"]) == (0, "note")
    assert "sockets can be opened" in found["confinement"]["found"]
    assert "not implemented" in found["confinement"]["found"]
    assert "seccomp profile" in found["confinement"]["hint"]
    code, found = tried("raise OSError('no more processes')\n")
    assert (code, found["confinement"]["state"]) == (0, "note")
    assert "no more processes" in found["confinement"]["found"]


def test_people_read_a_line_each(tmp_path):
    done = CliRunner().invoke(app, ["--data-dir", str(tmp_path)])
    assert done.stdout.startswith("ok     system")
