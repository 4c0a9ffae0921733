"""What a process that reads uploads can no longer do."""

import asyncio
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import pytest
from live_app import eventually

from tierwright_server import job_child
from tierwright_server.jobs import brief, spare
from tierwright_server.jobs.limits import CHILD_ENVIRONMENT
from tierwright_server.jobs.runs.states import RunKind

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
    assert job_child.reaches_the_network(kind, {}) == (kind is RunKind.FETCH)
    # A cluster reads the trace: the job itself parses nothing.
    assert job_child.reaches_the_network(kind, {"dask": "tcp://x:1"})


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
        "reads": [],
        "writes": [],
    }
    answer = confined_main("tierwright_server.job_child", spec, tmp_path)
    assert answer == {"result": {"socket": wanted}}


def test_a_preview_opens_no_socket(tmp_path):
    if seen_in_confinement(tmp_path)["lacking"]:
        pytest.skip("this kernel does not permit it")
    spec = {"parent_pid": os.getpid(), "memory_bytes": 2**32, "trace": {}}
    spec |= {"reads": [], "writes": []}
    answer = confined_main(
        "tierwright_server.traces.uploads.preview_child", spec, tmp_path
    )
    assert answer == {"socket": "refused"}


CLOSED = """
import json, os, sys
from tierwright_server.jobs.confine import confine
given = json.loads(sys.argv[1])
lacking = confine(given["reads"], given["writes"])
seen = {"lacking": lacking}

def tried(name, act):
    try:
        act()
    except OSError as error:
        seen[name] = type(error).__name__
    else:
        seen[name] = "done"

def read(path):
    with open(path, "rb") as file:
        file.read(1)

def write(path):
    with open(path, "wb") as file:
        file.write(b"x")

for name, path in given["read"].items():
    tried("read " + name, lambda: read(path))
for name, path in given["write"].items():
    tried("write " + name, lambda: write(path))
for name, (old, new) in given["move"].items():
    tried("move " + name, lambda: os.rename(old, new))
tried("signal", lambda: os.kill(given["other"], 0))
import tierwright_server.traces.workloads.ingest  # what is imported late is there
print(json.dumps(seen))
"""


@pytest.fixture(scope="module")
def closed(tmp_path_factory):
    """What a process sees that may read one folder and write to two others."""
    folder = tmp_path_factory.mktemp("closed")
    for name in ("traces", "work", "contents", "secrets"):
        (folder / name).mkdir()
        (folder / name / "file").write_text(name)
    (folder / "traces" / "link").symlink_to(folder / "secrets" / "file")
    other = subprocess.Popen(["sleep", "60"])
    given = {
        "reads": [str(folder / "traces"), str(folder / "not there")],
        "writes": [str(folder / "work"), str(folder / "contents")],
        "read": {
            name: str(folder / name / "file") for name in ("traces", "work", "secrets")
        }
        | {
            "link": str(folder / "traces" / "link"),
            "environment": f"/proc/{other.pid}/environ",
            "itself": "/proc/self/status",
        },
        "write": {
            name: str(folder / name / "new") for name in ("traces", "work", "secrets")
        },
        "move": {
            "to contents": [
                str(folder / "work" / "file"),
                str(folder / "contents" / "moved"),
            ],
            "out": [str(folder / "contents" / "file"), str(folder / "secrets" / "out")],
        },
        "other": other.pid,
    }
    try:
        done = subprocess.run(
            [sys.executable, "-c", CLOSED, json.dumps(given)],
            capture_output=True,
            text=True,
            check=True,
        )
    finally:
        other.kill()
        other.wait()
    seen = json.loads(done.stdout)
    if seen["lacking"]:
        pytest.skip(f"this kernel does not permit it: {seen['lacking']}")
    return seen


@pytest.mark.parametrize(
    ("what", "outcome"),
    [
        ("read traces", "done"),
        ("read work", "done"),
        ("read itself", "done"),
        ("read secrets", "PermissionError"),
        ("read link", "PermissionError"),
        ("read environment", "PermissionError"),
        ("write work", "done"),
        ("write traces", "PermissionError"),
        ("write secrets", "PermissionError"),
        ("move to contents", "done"),
        ("move out", "PermissionError"),
    ],
)
def test_files_of_other_folders_are_closed_to_root_too(closed, what, outcome):
    assert closed[what] == outcome


def test_other_processes_get_no_signal(closed):
    if closed["signal"] == "done":
        pytest.skip("this kernel's Landlock is older than 6.12")
    assert closed["signal"] == "PermissionError"


def test_a_process_with_threads_says_that_its_files_stay_open():
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import threading\n"
            "from tierwright_server.jobs.confine import confine\n"
            "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
            "print(confine([]))",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "threads run already" in done.stdout


def test_a_job_has_no_thread_when_it_gives_files_up():
    """NumPy starts one for each processor unless it is told not to."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tierwright_server.job_child", "--wait"],
        stdin=subprocess.PIPE,
        env=os.environ | CHILD_ENVIRONMENT,
    )
    try:
        maps = Path(f"/proc/{process.pid}/maps")
        assert eventually(lambda: "numpy" in maps.read_text())
        time.sleep(0.5)
        assert sum(1 for _ in Path(f"/proc/{process.pid}/task").iterdir()) == 1
    finally:
        process.stdin.close()
        process.wait()


def test_the_folder_of_the_server_is_not_of_the_installation(tmp_path, monkeypatch):
    """A file there is not imported; nor would all below it be open, as it is to the installation."""
    (tmp_path / "json.py").write_text("raise SystemExit('imported')")
    monkeypatch.chdir(tmp_path)

    async def ended() -> tuple[int, int]:
        process = await spare._start("--wait")
        process.stdin.close()
        spec = {"memory_bytes": 2**30, "trace": {"path": "gone"}}
        said = await brief.ask_child(
            "tierwright_server.traces.uploads.preview_child",
            spec | {"reads": [], "writes": []},
        )
        return await process.wait(), said.exit_code

    assert asyncio.run(ended()) == (0, 0)
