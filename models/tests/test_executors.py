"""Who does the work does not change it: one process, threads, processes, a Dask cluster."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import command
import numpy as np
import pytest

from tierwright.common.core_errors import Cancelled, ParameterError
from tierwright.common.errors import BadInput
from tierwright.profile import measure, parts, relations
from tierwright.profile.parts import profile_of_parts
from tierwright.profile.summaries import summarise
from tierwright.profile.workers import Tasks, spread
from tierwright.simulate import executors, replay
from tierwright.simulate.spread import Single, singles
from tierwright.trace import objects
from tierwright.trace.reading import Trace
from tierwright.trace.sources import copies
from tierwright.trace.sources.address import Address
from tierwright.trace.sources.copies import _version_of
from tierwright.trace.sources.shelf import shelf_of
from tierwright.trace.sources.store import RangeRefused, found_of, parts_of

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
    # What the reader noticed speaks of files.
    document.pop("trace")
    document.get("summaries", {}).pop("trace", None)
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
    """Curves, windows, summaries and relations."""
    trace = trace_of(files)
    one = replace(measure.profile(trace), summaries=summarise(trace))
    if one.summaries is not None and one.summaries.devices is not None:
        one = one.with_relations(relations.measured(trace))
    whole = counts(one.to_dict())
    if who.startswith("local:"):
        with no_word() as said, executors.dask(who, said.append) as workers:
            assert workers.slots == int(who[-1])
            made = profile_of_parts(trace, tmp_path, workers.start, summaries=True)
    else:
        workers = getattr(executors, who)(2)
        made = profile_of_parts(trace, tmp_path, workers.start, summaries=True)
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


@pytest.mark.process
@pytest.mark.long
def test_a_worker_of_another_version_that_joins_later_is_refused(
    scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tierwright.simulate import dask_cluster

    monkeypatch.setattr(dask_cluster, "version", lambda _package: "9.9.9")
    joined = threading.Event()

    def report(done: object) -> bool:
        joined.set()
        return True

    with (
        worker_once(joined, scheduler, tmp_path),
        executors.dask(scheduler, print) as workers,
        pytest.raises(BadInput, match=r"of the command, 9\.9\.9: worker tcp://"),
    ):
        spread(workers.start, abs, range(-3, 0), report, DOUBLED)


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


@pytest.mark.parametrize(
    "where",
    ["http://me:s3cr3t@host:1", "tcp://me:s3cr3t@127.0.0.1:9"],
)
def test_the_password_of_a_scheduler_is_not_shown(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tierwright.simulate import dask_cluster

    monkeypatch.setattr(dask_cluster, "_ANSWER_S", 0.3)
    with pytest.raises(BadInput) as refused, executors.dask(where, print):
        pass
    assert "s3cr3t" not in str(refused.value)
    with pytest.raises(BadInput) as both:
        executors.named(where, 2, print)
    assert "s3cr3t" not in str(both.value)


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


CONFIGURATIONS = [
    {"policy": policy, "pages": pages}
    for policy in ("lru", "2q", "opt")
    for pages in (10, 300, 20, 40)
] + [
    {"scheme": "lazy", "ram_pages": 20, "flash_pages": 90, "options": {}},
    {"flash_cache": "face", "ram_pages": 20, "flash_pages": 90},
]


@pytest.fixture(
    params=["threads", pytest.param("local:2", marks=pytest.mark.long)],
    scope="module",
)
def workers(request: pytest.FixtureRequest) -> Iterator[executors.Workers]:
    if request.param == "threads":
        yield executors.threads(3)
        return
    with no_word() as said, executors.dask(request.param, said.append) as started:
        yield started


@pytest.mark.parametrize("warm_up", [0, 0.25, "full"])
def test_whoever_replays_a_sweep_replays_the_same(
    files: tuple[Path, ...], workers: executors.Workers, warm_up: Any
) -> None:
    trace = trace_of(files)
    alone = replay.sweep(trace, CONFIGURATIONS, warm_up=warm_up)
    with executors.spreading(workers):
        spread_over = replay.sweep(trace, CONFIGURATIONS, warm_up=warm_up)
    for found in (alone, spread_over):
        found.pop("reads")  # of which each group has its own
    assert spread_over == alone
    assert executors.in_force() is None


def test_whoever_replays_miniatures_replays_the_same(
    files: tuple[Path, ...], workers: executors.Workers
) -> None:
    trace = trace_of(files)
    wanted = [each for each in CONFIGURATIONS if each.get("policy") == "2q"]
    alone = replay.miniatures(trace, wanted, 0.5, seed=3)
    with executors.spreading(workers):
        assert replay.miniatures(trace, wanted, 0.5, seed=3) == alone


def test_a_configuration_that_cannot_be_is_refused_as_by_one_process(
    files: tuple[Path, ...], workers: executors.Workers
) -> None:
    wanted = [*CONFIGURATIONS, {"policy": "no-such", "pages": 3}]
    said = []
    for started in (None, workers):
        with pytest.raises(ParameterError) as refused, executors.spreading(started):
            replay.sweep(trace_of(files), wanted)
        said.append(refused.value.args)
    assert said[0] == said[1]


def test_a_cancelled_sweep_keeps_the_rows_it_has(files: tuple[Path, ...]) -> None:
    trace = trace_of(files)
    wanted = CONFIGURATIONS[:12]
    whole = replay.sweep(trace, wanted)["rows"]
    with executors.spreading(executors.threads(1)):
        found = replay.sweep(trace, wanted, on_progress=lambda done, _all, _n: not done)
    assert found["cancelled"]
    assert 0 < len(found["rows"]) < len(wanted)
    assert found["rows"] == whole[: len(found["rows"])]


@pytest.mark.long
@pytest.mark.process
def test_the_commands_print_the_same_over_a_cluster(
    files: tuple[Path, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files[0].parent)
    read = ("--format", "csv", "--column", "page=page", "--column", "op=op")
    # Of several files a warning would be printed.
    names = [files[0].name]
    sizes = ("--policy", "2q", "--policy", "lru", "--pages", "10,90,200")
    sweep = ("sweep", *names, *read, *sizes)
    alone = command.answer(*sweep)
    assert command.answer(*sweep, "--dask", "local:2") == alone
    part = (*sweep, "--miniature", 0.5)
    assert command.answer(*part, "--dask", "local:1") == command.answer(*part)
    made = command.run("profile", *names, *read, "-o", tmp_path / "p.json")
    assert made.returncode == 0, made.stderr
    trace = [part for name in names for part in ("--trace", name)]
    advise = ("advise", tmp_path / "p.json", *trace, *read)
    advise += ("--accesses-per-second", "1000")
    advised = command.answer(*advise)
    point = (tmp_path / "p.json", "--ram-pages", "100", "--flash-pages", "300", *trace)
    point += (*read, "--disk-device", "hgst-c15k600-600gb")
    flash = "kingston-dc600m-960gb"
    checks = (
        ("evaluate", *point, "--flash-device", flash, "--flash-cache", "face"),
        ("throughput", *point, "--flash-device", flash, "--clients", "8"),
        ("wear", *point, "--device", flash, "--accesses-per-s", "1000"),
    )
    checked = [command.answer(*check) for check in checks]
    assert all(found["check"] is not None for found in checked)
    monkeypatch.setenv(executors.DASK_VARIABLE, "local:2")
    assert command.answer(*advise) == advised
    assert [command.answer(*check) for check in checks] == checked


def test_an_error_names_the_file_as_it_was_given(
    files: tuple[Path, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bad.csv").write_text("page,op\n1,R\nx,y,z\n")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "counts").mkdir()
    ended = command.run(
        *("profile", "bad.csv", "--format", "csv", "--column", "page=page"),
        *("--column", "op=op", "--parts-in", "counts", "--workers", "1"),
        *("-o", "p.json"),
    )
    assert ended.returncode == 2
    assert "bad.csv" in ended.stderr
    assert str(tmp_path) not in ended.stderr


def test_counts_may_be_kept_in_a_store(files: tuple[Path, ...]) -> None:
    """One that is in the memory of the process; threads of it see it."""
    import obstore

    from tierwright.trace.sources.store import open_store

    shelf = shelf_of("memory://counts-of-a-test/day/1")
    client = open_store("memory", "counts-of-a-test", None, request_timeout_s=1)
    trace = trace_of(files)
    whole = counts(measure.profile(trace).to_dict())
    start = executors.threads(2).start
    assert counts(profile_of_parts(trace, shelf, start).to_dict()) == whole
    (listed,) = list(obstore.list(client, "day/1"))
    keys = sorted(each["path"] for each in listed)
    assert len(keys) == len(files)
    assert all(key.startswith("day/1/") and key.endswith(".part") for key in keys)
    # Damaged counts and missing ones are counted again, and nothing else is.
    data = bytearray(bytes(obstore.get(client, keys[0]).bytes()))
    data[len(data) // 2] ^= 1
    obstore.put(client, keys[0], bytes(data))
    obstore.delete(client, keys[1])
    before = obstore.head(client, keys[2])["last_modified"]
    assert counts(profile_of_parts(trace, shelf, start).to_dict()) == whole
    assert obstore.head(client, keys[2])["last_modified"] == before


def test_counts_that_vanish_are_named(
    files: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = shelf_of("memory://counts-that-vanish/a")
    really = parts._count

    def and_lose(task: Any) -> int:
        done = really(task)
        if task[0].trace.path == files[1]:
            task[1].remove(task[0].counts_name)
        return done

    monkeypatch.setattr(parts, "_count", and_lose)
    said = (
        rf"memory://counts-that-vanish/a/\w+\.part \(counts of {files[1]}\): .* missing"
    )
    with pytest.raises(BadInput, match=said):
        profile_of_parts(trace_of(files), shelf, executors.threads(1).start)


def test_a_folder_by_its_address_is_a_folder(
    files: tuple[Path, ...], tmp_path: Path
) -> None:
    (tmp_path / "the counts").mkdir()
    named = [f"file://{path}" for path in files]
    read = ("--format", "csv", "--column", "page=page", "--column", "op=op")
    at = f"file://{tmp_path}/the%20counts"
    made = command.run(
        *("profile", *named, *read, "--parts-in", at, "--workers", 1),
        *("-o", tmp_path / "p.json"),
    )
    assert made.returncode == 0, made.stderr
    assert len(list((tmp_path / "the counts").iterdir())) == len(files)
    whole = counts(measure.profile(trace_of(files)).to_dict())
    assert counts(json.loads((tmp_path / "p.json").read_text())) == whole


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("memory://here/x", "in the memory of this process"),
        ("ftp://here/x", "does not begin with a supported scheme"),
        ("file://elsewhere/x", "does not name a file of this machine"),
        ("s3://AKIAKEY:geheim@bucket/x", "`s3://***@bucket/x` has `***` for a bucket"),
        ("az://box/x?sv=1&sig=geheim", "`az://box/x?***` carries a signature"),
    ],
)
def test_what_is_no_place_for_counts_is_refused_without_its_secrets(
    files: tuple[Path, ...], tmp_path: Path, place: str, said: str
) -> None:
    for options in (
        [files[0], "--parts-in", place],
        *([[place, "--parts-in", "."]] if "***" in said else []),
    ):
        ended = command.run("profile", *options, "-o", tmp_path / "p.json")
        assert ended.returncode == 2
        assert said in ended.stderr
        assert "geheim" not in ended.stderr


def put(bucket: str, key: str, data: bytes) -> Address:
    """Put an object into a store that is in the memory of this process."""
    import obstore

    from tierwright.trace.sources.store import open_store

    obstore.put(open_store("memory", bucket, None, request_timeout_s=1), key, data)
    return Address(bucket, key, "memory")


def test_a_sweep_copies_an_object_once_for_all_its_groups(
    files: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    address = put("sweep-of-a-test", "a.csv", files[0].read_bytes())
    local = Trace(files[0], format="csv", columns=COLUMNS)
    there = Path("/nowhere/a.csv")
    away = Trace(there, format="csv", columns=COLUMNS, objects={there: address})
    made = []
    really = objects.copied

    @contextmanager
    def copied(one: Address, on: Any) -> Iterator[Any]:
        with really(one, on) as copy:
            made.append(copy.path)
            yield copy

    monkeypatch.setattr(objects, "copied", copied)
    monkeypatch.setattr(objects, "IDLE_S", 0.2)
    with executors.spreading(executors.threads(3)):
        found = replay.sweep(away, CONFIGURATIONS)["rows"]
    assert found == replay.sweep(local, CONFIGURATIONS)["rows"]
    assert len(made) == 1
    # It does not stay behind.
    deadline = time.monotonic() + 60
    while made[0].exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not made[0].exists()
    # Another version is another copy.
    put("sweep-of-a-test", "a.csv", files[1].read_bytes())
    with executors.spreading(executors.threads(1)):
        other = replay.sweep(away, CONFIGURATIONS[:1])["rows"]
    assert (
        other == replay.sweep(replace(local, path=files[1]), CONFIGURATIONS[:1])["rows"]
    )
    assert len(made) == 2
    objects.forget_copies()
    assert not made[1].exists()


def _wait_for_all(marks: Path, pattern: str) -> None:
    deadline = time.monotonic() + 20
    while len(list(marks.glob(pattern))) < PROCESSES:
        assert time.monotonic() < deadline, pattern
        time.sleep(0.01)


def _reads(away: Trace, marks: Path, die: bool) -> None:
    """Read a trace in a process of its own, side by side with the others."""
    objects._kept.clear()
    (marks / f"begun-{os.getpid()}").touch()
    if not die:
        _wait_for_all(marks, "begun-*")
    with objects.on_this_machine(away) as here:
        assert here.path.read_bytes() == (marks / "object").read_bytes()
        if die:
            os.kill(os.getpid(), signal.SIGKILL)
        (marks / f"read-{os.getpid()}").touch()
        # Else one could be done, and delete the copy, before another one begins.
        _wait_for_all(marks, "read-*")
    objects.forget_copies()


PROCESSES = 4


@pytest.mark.process
def test_processes_of_a_machine_share_one_copy_of_an_object(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each version is fetched once; the last reader deletes it, and what a killed one left goes later."""
    fork = multiprocessing.get_context("fork")
    content = tmp_path / "object"
    content.write_bytes(b"page,op\n1,R\n")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))

    @contextmanager
    def copied(address: Address, _on: Any) -> Iterator[copies.Copy]:
        (tmp_path / f"fetched-{os.getpid()}").touch()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.csv"
            path.write_bytes(content.read_bytes())
            time.sleep(0.2)
            yield copies.Copy(path, str(address))

    monkeypatch.setattr(objects, "copied", copied)
    monkeypatch.setattr(objects, "version_of", str)
    there = Path("/nowhere/a.csv")

    def away(key: str) -> Trace:
        return Trace(there, objects={there: Address("bucket", key, "s3")})

    def run(count: int, key: str, *, die: bool) -> None:
        for mark in tmp_path.glob("*-*"):
            mark.unlink()
        started = [
            fork.Process(target=_reads, args=(away(key), tmp_path, die), daemon=True)
            for _ in range(count)
        ]
        for process in started:
            process.start()
        for process in started:
            process.join(60)
            assert process.exitcode == (-signal.SIGKILL if die else 0)

    run(PROCESSES, "a", die=False)
    assert len(list(tmp_path.glob("read-*"))) == PROCESSES
    assert len(list(tmp_path.glob("fetched-*"))) == 1
    assert list(temporary.iterdir()) == []
    # One that was killed leaves its copy, which the next reader uses or, once it is old, deletes.
    run(1, "b", die=True)
    (kept,) = temporary.iterdir()
    assert kept.stat().st_mode & 0o077 == 0
    (left,) = [path for path in kept.iterdir() if path.is_dir()]
    run(PROCESSES, "b", die=False)
    assert len(list(tmp_path.glob("fetched-*"))) == 0
    run(1, "c", die=True)
    (left,) = [path for path in kept.iterdir() if path.is_dir()]
    os.utime(left, (0, 0))
    run(PROCESSES, "d", die=False)
    assert list(temporary.iterdir()) == []
    # A folder that others may write to is not used: each process has a copy of its own.
    kept.mkdir()
    kept.chmod(0o770)
    run(PROCESSES, "a", die=False)
    assert len(list(tmp_path.glob("fetched-*"))) == PROCESSES


def test_an_object_without_a_version_is_known_by_when_it_was_written() -> None:
    """Its length alone would take another content of the same length for the same."""
    written = datetime(2026, 1, 1, tzinfo=UTC)
    meta = {"path": "a", "size": 3, "e_tag": None, "version": None}
    first = found_of({**meta, "last_modified": written})
    later = {**meta, "last_modified": written + timedelta(seconds=1)}
    assert not first.is_other({**meta, "last_modified": written})
    assert first.is_other(later)
    address = Address("b", "a", "memory")
    assert _version_of(address, first) != _version_of(address, found_of(later))
    # A store with ETags says itself what changed; only a length must be the same.
    tagged = found_of({**meta, "e_tag": "x", "last_modified": written})
    assert not tagged.is_other({**later, "e_tag": "x"})
    assert tagged.is_other({**later, "e_tag": "x", "size": 4})


def test_an_object_without_a_version_that_is_written_meanwhile_is_refused() -> None:
    from tierwright.trace.sources.store import open_store

    address = put("written-meanwhile", "a", b"123")
    client = open_store("memory", "written-meanwhile", None, request_timeout_s=1)
    import obstore

    meta = obstore.head(client, "a")
    before = found_of(
        {
            **meta,
            "e_tag": None,
            "last_modified": meta["last_modified"] - timedelta(seconds=5),
        }
    )
    with pytest.raises(RangeRefused, match="written again"):
        list(parts_of(client, address.key, before, 0, 3))
    assert b"".join(parts_of(client, address.key, found_of(meta), 0, 3)) == b"123"


def test_replays_by_themselves_are_those_of_one_process(
    files: tuple[Path, ...], workers: executors.Workers
) -> None:
    """A chooser shares no read of the trace; what is impossible says why, and the others go on."""
    trace = Trace(files[0], format="csv", columns=COLUMNS)
    times = {
        f"{device}_{op}_us": "9"
        for device in ("flash", "disk")
        for op in ("read", "write")
    }
    possible = {
        "family": "chooser",
        "name": "online",
        "ram_pages": 30,
        "flash_pages": 200,
        "options": times,
    }
    impossible = {**possible, "options": {**times, "flash_read_us": "x"}}
    tasks = [Single(trace, replay.replay, each) for each in (possible, impossible)]
    found, refused = singles(workers, tasks, None)
    assert found == replay.replay(trace, **possible)
    assert "flash_read_us" in refused["error"]
    assert refused["hint"]
