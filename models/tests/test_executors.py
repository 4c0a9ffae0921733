"""Who does the work does not change it: one process, threads, processes, a Dask cluster."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import command
import numpy as np
import pytest

from tierwright.common.core_errors import Cancelled
from tierwright.common.errors import BadInput
from tierwright.profile import measure
from tierwright.profile.parts import profile_of_parts
from tierwright.profile.workers import Tasks, spread
from tierwright.simulate import executors
from tierwright.trace.reading import Trace

LINES = 3_000
COLUMNS = {"page": "page", "op": "op"}
DOUBLED = Tasks("number is", "numbers are", "use other numbers")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """Three files of one trace with writes."""
    folder = tmp_path_factory.mktemp("executors")
    draws = np.random.default_rng(11)
    made = []
    for number in range(3):
        rows = ["page,op"]
        for _ in range(LINES):
            op = "W" if draws.random() < 0.3 else "R"
            rows.append(f"{int(draws.zipf(1.3)) % 900},{op}")
        made.append(folder / f"{number}.csv")
        made[-1].write_text("\n".join(rows) + "\n")
    return tuple(made)


def trace_of(files: tuple[Path, ...]) -> Trace:
    return Trace(files[0], format="csv", columns=COLUMNS, others=files[1:])


def counts(document: dict[str, Any]) -> str:
    document.pop("trace")  # of the reader, which speaks of files
    return json.dumps(document, sort_keys=True)


@contextmanager
def no_word() -> Iterator[list[str]]:
    said: list[str] = []
    yield said
    assert said == []


@pytest.mark.process
@pytest.mark.parametrize(
    "who",
    [
        "threads",
        "processes",
        pytest.param("local:1", marks=pytest.mark.long),
        pytest.param("local:2", marks=pytest.mark.long),
    ],
)
def test_whoever_counts_counts_the_same(
    files: tuple[Path, ...], tmp_path: Path, who: str
) -> None:
    whole = counts(measure.profile(trace_of(files)).to_dict())
    if who.startswith("local:"):
        with no_word() as said, executors.dask(who, said.append) as workers:
            assert workers.slots == int(who[-1])
            made = profile_of_parts(trace_of(files), tmp_path, workers.start)
    else:
        workers = getattr(executors, who)(2)
        made = profile_of_parts(trace_of(files), tmp_path, workers.start)
    assert counts(made.to_dict()) == whole


class Doubling:
    """Work that takes a while, and kills its worker once."""

    def __init__(self, mark: Path, deaths: int = 1) -> None:
        self.mark, self.deaths = mark, deaths

    def __call__(self, number: int) -> int:
        died = len(list(self.mark.iterdir()))
        if number == 1 and died < self.deaths:
            (self.mark / str(died)).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.05)
        return 2 * number


@pytest.mark.process
@pytest.mark.long
def test_what_a_killed_worker_of_a_cluster_left_is_done_again(tmp_path: Path) -> None:
    with no_word() as said, executors.dask("local:2", said.append) as workers:
        done = spread(
            workers.start, Doubling(tmp_path), range(6), lambda _done: True, DOUBLED
        )
    assert done == [0, 2, 4, 6, 8, 10]
    assert len(list(tmp_path.iterdir())) == 1


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[str]:
    """A scheduler of its own process, without workers."""
    at = tmp_path / "scheduler.json"
    started = subprocess.Popen(
        [
            *(sys.executable, "-m", "distributed.cli.dask_scheduler"),
            *("--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
            *("--scheduler-file", str(at)),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        ends_s = time.monotonic() + 30
        while not at.exists() or not at.read_text().strip():
            assert time.monotonic() < ends_s
            time.sleep(0.05)
        yield json.loads(at.read_text())["address"]
    finally:
        started.kill()
        started.wait()


@contextmanager
def worker(scheduler: str, folder: Path) -> Iterator[None]:
    """A worker without a nanny: killed, it stays away."""
    started = subprocess.Popen(
        [
            *(sys.executable, "-m", "distributed.cli.dask_worker", scheduler),
            *("--no-nanny", "--nthreads", "1", "--no-dashboard"),
            *("--host", "127.0.0.1", "--local-directory", str(folder)),
        ],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        started.kill()
        started.wait()


@pytest.mark.process
@pytest.mark.long
def test_a_cluster_without_workers_waits_aloud_and_can_be_cancelled(
    scheduler: str,
) -> None:
    said: list[str] = []
    with executors.dask(scheduler, said.append) as workers:
        assert workers.remote
        with pytest.raises(Cancelled):
            spread(workers.start, abs, range(3), lambda _done: not said, DOUBLED)
    assert len(said) == 1
    assert said[0].startswith(f"waiting: the Dask cluster `{scheduler}` has no workers")


@pytest.mark.process
@pytest.mark.long
def test_a_cluster_that_gets_workers_later_goes_on(
    scheduler: str, tmp_path: Path
) -> None:
    said: list[str] = []
    joined = threading.Event()
    with worker_once(joined, scheduler, tmp_path):

        def report(done: object) -> bool:
            if said:
                joined.set()
            return True

        with executors.dask(scheduler, said.append) as workers:
            done = spread(workers.start, abs, range(-3, 0), report, DOUBLED)
    assert done == [3, 2, 1]
    assert said[0].startswith("waiting: ")


@contextmanager
def worker_once(
    wanted: threading.Event, scheduler: str, folder: Path
) -> Iterator[None]:
    """A worker that joins when it is wanted, and leaves at the end of the block."""
    ends = threading.Event()

    def run() -> None:
        wanted.wait(60)
        with worker(scheduler, folder):
            ends.wait(60)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        ends.set()
        thread.join()


@pytest.mark.process
@pytest.mark.long
def test_a_worker_of_another_version_is_refused_by_name(
    scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tierwright.simulate import dask_cluster

    really = dask_cluster.Client.get_versions

    def of_a_newer_command(self: Any, **given: Any) -> Any:
        told = really(self, **given)
        told["client"]["packages"]["tierwright"] = "9.9.9"
        return told

    monkeypatch.setattr(dask_cluster.Client, "get_versions", of_a_newer_command)
    with worker(scheduler, tmp_path):
        ends_s = time.monotonic() + 60
        while True:  # until it has joined
            try:
                with executors.dask(scheduler, print):
                    pass
            except BadInput as error:
                refused = error
                break
            assert time.monotonic() < ends_s
    assert "the version of the command, 9.9.9 with Python 3." in str(refused)
    assert "worker tcp://127.0.0.1:" in str(refused)
    assert "has 0." in str(refused)


def test_a_scheduler_that_does_not_answer_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from tierwright.simulate import dask_cluster

    monkeypatch.setattr(dask_cluster, "_ANSWER_S", 0.3)
    with (
        pytest.raises(BadInput, match=r"`tcp://127\.0\.0\.1:9` does not answer"),
        executors.dask("tcp://127.0.0.1:9", print),
    ):
        pass


def test_without_dask_the_command_says_what_to_install(
    files: tuple[Path, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "tierwright.simulate.dask_cluster", raising=False)
    monkeypatch.delattr("tierwright.simulate.dask_cluster", raising=False)
    monkeypatch.setitem(sys.modules, "distributed", None)
    ended = command.run(
        *("profile", *files, "--parts-in", tmp_path, "--dask", "local:1"),
        *("-o", tmp_path / "p.json"),
    )
    assert ended.returncode == 2
    assert "the package `distributed` is not installed" in ended.stderr
    assert "tierwright[dask]" in ended.stderr


def test_dask_is_imported_only_where_a_cluster_is_named(
    files: tuple[Path, ...], tmp_path: Path
) -> None:
    code = (
        "import sys\n"
        "from tierwright.cli.app import main\n"
        f"main(['sweep', {str(files[0])!r}, '--policy', 'lru', '--pages', '5,9'])\n"
        "sys.exit(bool({'dask', 'distributed'} & set(sys.modules)))\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
