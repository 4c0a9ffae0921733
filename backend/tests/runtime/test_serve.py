"""`tierwright serve`: the process tree from start to stop."""

import asyncio
import contextlib
import http.client
import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from live_app import PATIENCE_S, eventually

from tierwright_server import supervisor
from tierwright_server.common.runtime_error import RuntimeFailure
from tierwright_server.common.settings import Settings
from tierwright_server.jobs import worker_health
from tierwright_server.runtime import children, listen
from tierwright_server.runtime.process_guard import guarded_command
from tierwright_server.runtime.starting import Handover, StartingAnswer, take_turn

pytestmark = pytest.mark.db

READY = "Tierwright is ready: "
STOPS_WITHIN_S = 60
"""Much longer than a slow machine takes, and shorter than to wait for one part after another."""


def is_dead(process: psutil.Process) -> bool:
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


class Served:
    """A running `tierwright serve`."""

    def __init__(self, data_dir: Path, *options: str) -> None:
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("TIERWRIGHT_")
        }
        command = [sys.executable, "-m", "tierwright_server.serve"]
        command += ["--data-dir", str(data_dir), "--port", "0"]
        command += ["--processes", "1", *options]
        self.process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self.errors: list[str] = []
        self._readers = [
            threading.Thread(target=self._read_output),
            threading.Thread(target=self._read_errors),
        ]
        for reader in self._readers:
            reader.start()

    def _read_output(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip())
        self._lines.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self.errors.extend(self.process.stderr)

    def ready(self) -> str:
        """Wait for the ready line; returns host:port."""
        line = self._lines.get(timeout=PATIENCE_S)
        assert line is not None, "".join(self.errors)
        assert line.startswith(READY + "http://127.0.0.1:"), line
        return line.removeprefix(READY + "http://")

    def get(self, address: str, path: str = "/api/v1/health") -> dict[str, object]:
        connection = http.client.HTTPConnection(address, timeout=PATIENCE_S)
        with contextlib.closing(connection):
            connection.request("GET", path)
            answer = connection.getresponse()
            assert answer.status == 200
            content: dict[str, object] = json.load(answer)
            return content

    def tree(self) -> list[psutil.Process]:
        return children.descendants(self.process.pid)

    def named(self, word: str) -> psutil.Process | None:
        for process in self.tree():
            with contextlib.suppress(psutil.Error):
                if word in process.cmdline() or word in process.name():
                    return process
        return None

    def wait(self) -> tuple[int, str]:
        """Wait for the end; returns exit code and all of stderr."""
        code = self.process.wait(PATIENCE_S)
        for reader in self._readers:
            reader.join(PATIENCE_S)
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()
        return code, "".join(self.errors)


@pytest.fixture
def serve(folder: Path) -> Iterator[Callable[..., Served]]:
    started: list[Served] = []

    def start(*options: str, data_dir: Path | None = None) -> Served:
        started.append(Served(data_dir or folder / "data", *options))
        return started[-1]

    yield start
    for served in started:
        if served.process.poll() is None:
            served.process.kill()
            served.wait()


WORKER = "tierwright_server.worker"


def test_it_serves_restarts_its_worker_refuses_a_second_copy_and_stops(
    serve: Callable[..., Served], folder: Path
) -> None:
    served = serve()
    address = served.ready()
    assert served.get(address)["database"] == "ok"

    code, said = serve().wait()
    assert code == 2
    assert f"process {served.process.pid} at http://{address}" in said
    assert f"hint: open http://{address}" in said

    worker = served.named(WORKER)
    assert worker is not None
    assert eventually(lambda: served.get(address)["workers_alive"] == 1)
    settings = Settings(database_url=worker.environ()["TIERWRIGHT_DATABASE_URL"])
    assert asyncio.run(worker_health.workers_here(settings)) == 1
    worker.kill()

    def replaced() -> bool:
        found = served.named(WORKER)
        return found is not None and found.pid != worker.pid

    assert eventually(replaced)
    assert eventually(lambda: served.get(address)["status"] == "ok")

    tree = served.tree()
    assert len(tree) >= 5  # itself, the database with its helpers, server and worker
    os.killpg(served.process.pid, signal.SIGINT)  # as a terminal does
    code, said = served.wait()
    assert code == 0, said
    assert [process for process in tree if not is_dead(process)] == []
    assert "worker-1 ended unexpectedly (SIGKILL)" in said
    assert (folder / "data" / "logs" / "tierwright.log").stat().st_size > 0
    assert (folder / "data" / "logs" / "workers.log").stat().st_size > 0
    requests = (folder / "data" / "logs" / "requests.log").read_text()
    assert "GET /api/v1/health HTTP/1.1" in requests


@pytest.mark.long
def test_several_processes_answer_and_one_that_dies_is_replaced(
    serve: Callable[..., Served],
) -> None:
    served = serve("--processes", "2")
    address = served.ready()

    def servers() -> set[int]:
        found = set()
        for process in served.tree():
            with contextlib.suppress(psutil.Error):  # it has just ended
                if "tierwright_server.http_process" in process.cmdline():
                    found.add(process.pid)
        return found

    assert eventually(lambda: len(servers()) == 2)
    before = servers()
    psutil.Process(min(before)).kill()
    # The other one answers meanwhile: no request finds the address closed.
    assert all(served.get(address)["database"] == "ok" for _ in range(20))
    assert eventually(lambda: len(servers()) == 2 and servers() != before, 30)
    served.process.terminate()
    code, said = served.wait()
    assert code == 0, said
    assert "ended unexpectedly (SIGKILL)" in said


@pytest.mark.long
def test_once_the_application_has_answered_nobody_says_that_it_still_starts(
    serve: Callable[..., Served], folder: Path
) -> None:
    served = serve("--processes", "3")
    lock = folder / "data" / "serve.lock"
    said: list[int] = []

    def ask() -> bool:
        try:
            address = json.loads(lock.read_text())["address"].removeprefix("http://")
            host, _, port = address.partition(":")
            connection = http.client.HTTPConnection(host, int(port), timeout=PATIENCE_S)
            with contextlib.closing(connection):
                connection.request("GET", "/api/v1/health/live")
                said.append(connection.getresponse().status)
        except (OSError, ValueError, KeyError, http.client.HTTPException):
            pass  # not even the port is taken
        return said.count(200) > 100

    assert eventually(ask, most_s=0.02)
    assert said[0] == 503
    assert set(said[said.index(200) :]) == {200}
    served.process.terminate()
    served.wait()


@pytest.mark.long
def test_a_stop_during_the_start_leaves_nothing(
    serve: Callable[..., Served], folder: Path
) -> None:
    served = serve()
    # The lock is the first thing it takes, the signals are set before.
    lock = folder / "data" / "serve.lock"
    assert eventually(lambda: lock.exists() and lock.stat().st_size > 0)
    tree = served.tree()
    served.process.send_signal(signal.SIGHUP)  # as a closed terminal does
    code, said = served.wait()
    assert code == 0, said
    assert eventually(lambda: all(is_dead(process) for process in tree[1:]))


@pytest.mark.long
def test_a_killed_application_takes_everything_along_and_starts_and_stops_again(
    serve: Callable[..., Served],
) -> None:
    served = serve()
    served.ready()
    tree = served.tree()
    served.process.kill()
    served.wait()
    assert eventually(lambda: all(is_dead(process) for process in tree))
    again = serve("--workers", "2")
    assert again.get(again.ready())["database"] == "ok"
    tree = again.tree()
    began = time.monotonic()
    again.process.terminate()
    code, said = again.wait()
    assert code == 0, said
    assert time.monotonic() - began < STOPS_WITHIN_S
    assert [process for process in tree if not is_dead(process)] == []


@pytest.mark.long
def test_a_dead_database_is_started_again_and_the_application_goes_on(
    serve: Callable[..., Served],
) -> None:
    served = serve()
    address = served.ready()
    eventually(lambda: served.get(address)["workers_alive"] == 1)
    for _ in range(2):  # the second time after a longer pause
        database = served.named("postgres")
        assert database is not None
        database.kill()

        def replaced(dead: int = database.pid) -> bool:
            found = served.named("postgres")
            return found is not None and found.pid != dead and not is_dead(found)

        assert eventually(replaced)
        assert served.process.poll() is None
        assert eventually(lambda: served.get(address)["database"] == "ok")
        assert eventually(lambda: served.get(address)["workers_alive"] == 1)
    served.process.terminate()
    code, said = served.wait()
    assert code == 0
    assert said.count("the database server ended unexpectedly") == 2
    assert "nothing saved is lost" in said


def test_an_unreachable_database_is_named_without_its_password(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TIERWRIGHT_DATABASE_URL", "postgresql://u:hidden@127.0.0.1:1/d")
    done = subprocess.run(
        [sys.executable, "-m", "tierwright_server.serve", "--data-dir", str(folder)],
        check=False,
        timeout=PATIENCE_S,
    )
    said = capfd.readouterr().err
    assert done.returncode == 2
    assert "cannot use the database postgresql://u:***@127.0.0.1:1/d" in said
    assert "hint: check TIERWRIGHT_DATABASE_URL" in said
    assert "hidden" not in said


def test_a_worker_without_a_database_is_not_healthy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("TIERWRIGHT_DATABASE_URL", raising=False)
    assert worker_health.main() == 1
    assert "TIERWRIGHT_DATABASE_URL is not set" in capsys.readouterr().err


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "192.0.2.1", "255.255.255.255", "fe80::1"]
)
def test_addresses_that_others_could_reach_are_refused(host: str) -> None:
    with pytest.raises(RuntimeFailure, match="no accounts and keys yet") as caught:
        listen.check_host(host)
    assert f"`{host}`" in caught.value.message
    assert "ssh -L" in caught.value.hint


def test_a_refused_address_ends_the_command_with_2_and_makes_nothing(
    folder: Path,
) -> None:
    place = folder / "data"
    command = [sys.executable, "-m", "tierwright_server.serve", "--host", "0.0.0.0"]
    done = subprocess.run(
        [*command, "--data-dir", str(place)],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 2
    assert "refused to listen on `0.0.0.0`" in done.stderr
    assert not place.exists()


@pytest.mark.parametrize(
    ("host", "address"),
    [("127.0.0.1", "127.0.0.1"), ("127.8.9.10", "127.8.9.10"), ("::1", "::1")],
)
def test_loopback_addresses_are_taken(host: str, address: str) -> None:
    assert listen.check_host(host) == address


@pytest.mark.parametrize(
    "address", ["0.0.0.0:8787", "127.0.0.1", "127.0.0.1:0", "example.com:80", ":8787"]
)
def test_a_container_may_be_published_on_loopback_only(address: str) -> None:
    with pytest.raises(RuntimeFailure, match="on loopback only"):
        listen.check_published_at(address)


def test_outside_a_container_nothing_can_be_published(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(listen, "CONTAINER_MARKS", ("/no/such/file",))
    monkeypatch.delenv("container", raising=False)
    with pytest.raises(
        RuntimeFailure, match="only for a container, and this is not one"
    ):
        listen.check_published_at("127.0.0.1:8787")
    monkeypatch.setattr(listen, "CONTAINER_MARKS", (__file__,))
    assert listen.check_published_at("127.0.0.1:8787") == "127.0.0.1:8787"


@pytest.mark.parametrize(("mark", "taken"), [("podman", True), ("flatpak", False)])
def test_an_engine_may_mark_a_container_by_a_variable(
    monkeypatch: pytest.MonkeyPatch,
    mark: str,
    taken: bool,
) -> None:
    """Podman 4.3 mounts no file where the root is read-only."""
    monkeypatch.setattr(listen, "CONTAINER_MARKS", ("/no/such/file",))
    monkeypatch.setenv("container", mark)
    if taken:
        assert listen.check_published_at("127.0.0.1:8787") == "127.0.0.1:8787"
        return
    with pytest.raises(
        RuntimeFailure, match="only for a container, and this is not one"
    ):
        listen.check_published_at("127.0.0.1:8787")


def test_a_named_port_that_is_taken_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(RuntimeFailure, match=f"port {port}: Address already in"):
            listen.bind("127.0.0.1", port)


def test_the_default_port_gives_way_to_the_next_free_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        monkeypatch.setattr(listen, "DEFAULT_PORT", taken)
        with listen.bind("127.0.0.1", None) as listener:
            # asyncio sets TCP_NODELAY only where the protocol is named
            assert listener.proto == socket.IPPROTO_TCP
            assert taken < listener.getsockname()[1] < taken + 50


def test_a_data_folder_that_cannot_be_made_is_named(folder: Path) -> None:
    (folder / "file").write_text("")
    with pytest.raises(RuntimeFailure, match="cannot make the data folder") as caught:
        supervisor.serve(data_dir=folder / "file" / "data")
    assert "--data-dir" in caught.value.hint


@pytest.mark.parametrize("watch", [False, True], ids=["kernel", "watching"])
def test_a_guarded_program_dies_with_its_parent(*, watch: bool) -> None:
    program = f"""
import subprocess, sys, time
from tierwright_server.runtime.process_guard import guarded_command
sleeper = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(9999)"]
child = subprocess.Popen(
    guarded_command(sleeper, signal_number=15, watch={watch}), start_new_session=True
)
time.sleep(9999)
"""
    parent = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    assert parent.stdout.readline() == "up\n"
    below = psutil.Process(parent.pid).children(recursive=True)
    assert len(below) == (2 if watch else 1)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert eventually(lambda: all(is_dead(process) for process in below))


def test_a_guard_passes_signals_and_the_exit_code_on() -> None:
    program = "import signal, sys; signal.sigwait([signal.SIGTERM]); sys.exit(7)"
    program = (
        "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM]);"
        f"print('up', flush=True); {program}"
    )
    command = [sys.executable, "-c", program]
    guard = subprocess.Popen(
        guarded_command(command, signal_number=9, watch=True),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert guard.stdout is not None
    assert guard.stdout.readline() == "up\n"
    guard.terminate()
    assert guard.wait(PATIENCE_S) == 7
    guard.stdout.close()


class TestStarting:
    @pytest.fixture
    def listener(self):
        with socket.socket() as made:
            made.bind(("127.0.0.1", 0))
            made.listen()
            yield made

    def ask(self, listener, accept="*/*", method="GET"):
        connection = http.client.HTTPConnection(
            *listener.getsockname(), timeout=PATIENCE_S
        )
        with contextlib.closing(connection):
            connection.request(method, "/api/v1/workloads", headers={"Accept": accept})
            answer = connection.getresponse()
            return answer, answer.read()

    def test_who_comes_before_it_answers_is_told_to_come_again(self, listener):
        with StartingAnswer(listener):
            answer, body = self.ask(listener)
            assert answer.status == http.HTTPStatus.SERVICE_UNAVAILABLE
            assert answer.headers["Content-Type"] == "application/problem+json"
            assert int(answer.headers["Retry-After"]) > 0
            assert json.loads(body)["title"] == "Tierwright is starting"
            answer, body = self.ask(listener, accept="text/html,*/*")
            assert answer.headers["Content-Type"].startswith("text/html")
            assert b'http-equiv="refresh"' in body
            assert self.ask(listener, method="HEAD")[1] == b""

    def test_one_who_says_nothing_keeps_nobody_waiting(self, listener):
        with (
            StartingAnswer(listener),
            socket.create_connection(listener.getsockname()),
        ):
            assert self.ask(listener)[0].status == http.HTTPStatus.SERVICE_UNAVAILABLE

    def test_one_who_drips_does_not_hold_up_the_start(self, listener):
        with (
            StartingAnswer(listener) as starting,
            socket.create_connection(listener.getsockname()) as client,
        ):

            def drip() -> bool:
                with contextlib.suppress(OSError):  # it was given up
                    client.sendall(b"G")
                return not ending.is_alive()

            ending = threading.Thread(target=starting.end)
            client.sendall(b"G")
            time.sleep(0.2)  # it is being heard
            ending.start()
            assert eventually(drip)

    def test_a_process_waits_until_nobody_else_answers(self):
        with Handover() as handover:
            started, turn = map(os.dup, handover.numbers)
            process = threading.Thread(target=take_turn, args=(started, turn))
            assert not handover.is_started()
            process.start()
            assert eventually(handover.is_started)
            process.join(0.2)
            assert process.is_alive()
            handover.open()
            process.join(PATIENCE_S)
            assert not process.is_alive()
            started, turn = map(os.dup, handover.numbers)
            take_turn(started, turn)  # one that is started again

    def test_then_it_leaves_connections_to_others(self, listener):
        with StartingAnswer(listener) as starting:
            starting.end()
            with socket.create_connection(listener.getsockname()) as client:
                listener.setblocking(True)
                listener.settimeout(PATIENCE_S)
                taken, _ = listener.accept()
                with taken:
                    assert taken.getpeername() == client.getsockname()
