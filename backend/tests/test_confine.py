"""What a process that reads uploads can no longer do."""

import json
import os
import platform
import subprocess
import sys

import pytest

from tierwright_server.jobs import child
from tierwright_server.runs.states import RunKind

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"),
    reason="only Linux confines processes",
)

CONFINED = """
import json, os, socket, sys, threading
first, second = threading.Event(), threading.Event()
seen = {}

def in_a_thread():
    first.wait()
    seen["thread"] = opened(socket.AF_INET)
    second.set()

def opened(family):
    try:
        socket.socket(family).close()
    except PermissionError:
        return "refused"
    return "opened"

# As a library does that starts threads when it is imported.
threading.Thread(target=in_a_thread, daemon=True).start()
seen["before"] = opened(socket.AF_INET)
from tierwright_server.jobs.confine import confine
seen["lacking"] = confine()
first.set()
second.wait()
seen["inet"], seen["inet6"], seen["unix"] = map(
    opened, (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX))
with open(sys.argv[1], "w") as file:
    file.write("written")
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
seen["no_new_privs"] = status["NoNewPrivs"].strip()
seen["capabilities"] = int(status["CapEff"], 16)
seen["mode"] = status["Seccomp"].strip()
# What it starts is confined as it is.
seen["child"] = os.system(
    f"{sys.executable} -I -c 'import socket; socket.socket()' 2>/dev/null") != 0
print(json.dumps(seen))
"""


def seen_in_confinement(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", CONFINED, str(tmp_path / "file")],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_no_socket_can_be_opened_and_files_can(tmp_path):
    seen = seen_in_confinement(tmp_path)
    if seen["lacking"]:
        pytest.skip(f"this kernel does not permit it: {seen['lacking']}")
    assert seen["before"] == "opened"
    for where in ("inet", "inet6", "unix", "thread"):
        assert seen[where] == "refused", where
    assert seen["child"]
    assert (seen["no_new_privs"], seen["mode"]) == ("1", "2")
    assert (tmp_path / "file").read_text() == "written"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs to be root")
def test_root_keeps_only_what_opens_files(tmp_path):
    seen = seen_in_confinement(tmp_path)
    if any("capabilities" in lack for lack in seen["lacking"]):
        pytest.skip(f"this kernel does not permit it: {seen['lacking']}")
    assert seen["capabilities"] & ~0b1110 == 0


@pytest.mark.parametrize("kind", list(RunKind))
def test_only_the_job_that_fetches_has_a_network(kind):
    assert child.reaches_the_network(kind) == (kind is RunKind.FETCH)


def confined_main(module, spec, tmp_path):
    """Run a child whose work is to open a socket; what it answers."""
    script = tmp_path / "child.py"
    script.write_text(
        "import os, socket, sys\n"
        f"import {module} as child\n"
        "def work(*_):\n"
        "    try:\n"
        "        socket.socket().close()\n"
        "    except PermissionError:\n"
        "        return {'socket': 'refused'}\n"
        "    return {'socket': 'opened'}\n"
        "child.read_head = work\n"
        "child.work_of = lambda _: work\n"
        "child.main()\n"
        "sys.stdout.flush()\n"
        "os._exit(0)\n"
    )
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    process.stdin.write(json.dumps(spec).encode() + b"\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.read().splitlines()[-1])
    process.stdin.close()
    process.stdout.close()
    process.wait()
    return answer


@pytest.mark.parametrize(
    ("kind", "wanted"), [("ingest", "refused"), ("fetch", "opened")]
)
def test_a_job_that_parses_opens_no_socket(kind, wanted, tmp_path):
    if seen_in_confinement(tmp_path)["lacking"]:
        pytest.skip("this kernel does not permit it")
    spec = {
        "kind": kind,
        "input": {},
        "worker_pid": os.getpid(),
        "memory_bytes": 2**32,
    }
    answer = confined_main("tierwright_server.jobs.child", spec, tmp_path)
    assert answer == {"result": {"socket": wanted}}


def test_a_preview_opens_no_socket(tmp_path):
    if seen_in_confinement(tmp_path)["lacking"]:
        pytest.skip("this kernel does not permit it")
    spec = {"parent_pid": os.getpid(), "memory_bytes": 2**32, "trace": {}}
    answer = confined_main("tierwright_server.uploads.preview_child", spec, tmp_path)
    assert answer == {"socket": "refused"}
