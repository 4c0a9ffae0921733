"""Workers that share nothing with the server but its database and a store: a folder, or one that speaks S3."""

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
from live_app import (
    EXAMPLE_TRACE,
    LONG_TRACE_ACCESSES,
    PATIENCE_S,
    children_of,
    run_application,
    worker_environment,
)
from s3_store import run_store
from sqlalchemy.ext.asyncio import async_sessionmaker

from tierwright_server.common.errors import BadGateway
from tierwright_server.common.runtime_error import RuntimeFailure
from tierwright_server.expiry import expire_objects
from tierwright_server.storage import installation, shared_store
from tierwright_server.storage.contents import trace_path
from tierwright_server.storage.db import make_engine, psycopg_dsn

SECRET = "much-too-secret"
COMMAND = [Path(sys.executable).with_name("tierwright"), "worker"]


@contextlib.contextmanager
def elsewhere(settings, folder, **changes):
    """A worker with a data folder of its own, as on another host, started by its command."""
    own = settings.model_copy(update={"data_dir": folder, **changes})
    own.__pydantic_fields_set__.update(changes)
    with (folder.parent / f"{folder.name}.log").open("wb") as lines:
        worker = subprocess.Popen(
            [*COMMAND, "--store", own.store],
            env=worker_environment(own),
            stdin=subprocess.DEVNULL,
            stdout=lines,
            stderr=lines,
        )
    try:
        yield worker
    finally:
        if worker.poll() is None:
            worker.send_signal(signal.SIGTERM)
            try:
                worker.wait(timeout=PATIENCE_S)
            finally:
                worker.kill()
                worker.wait()


def files(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file()
    }


def ready(application, workload):
    run = application.wait_run(workload["run"]["id"])
    assert run["status"] == "succeeded", run
    return application.get(f"/workloads/{workload['id']}")


def sweep_of(application, workload_id):
    """A sweep, from its request to its rows."""
    begun = application.post(
        "/sweeps",
        {
            "workload_id": workload_id,
            "ram_pages": [50, 500],
            "contenders": [
                {"family": "policy", "name": name} for name in ("lru", "2q", "sieve")
            ],
        },
        202,
    )
    run = application.wait_run(begun["run"]["id"])
    assert run["status"] == "succeeded", run
    return application.get(f"/sweeps/{begun['id']}")["rows"]


@pytest.fixture(scope="module")
def folder_of_store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def served(make_settings, folder_of_store):
    """A server without workers, whose files are kept in a folder."""
    settings = make_settings(
        store=f"file://{folder_of_store}",
        reap_interval_s=0.3,
        checkpoint_accesses=2**16,
        store_checkpoint_interval_s=0.1,
    )
    with run_application(settings, workers=0) as application:
        yield application


def test_a_trace_is_read_here_and_replayed_there(served, folder_of_store, tmp_path):
    """The example and an upload are converted by one worker, swept by another, and read by the server."""
    one, two = tmp_path / "one", tmp_path / "two"
    with elsewhere(served.settings, one):
        served.wait_example()
        made = served.create_workload(EXAMPLE_TRACE.read_bytes(), "own.csv.zst")
        workload = ready(served, made)
    with elsewhere(served.settings, two):
        rows = sweep_of(served, workload["id"])
        curve = served.get(f"/workloads/{workload['id']}/curve")
    assert len(rows) == 6
    assert curve["distinct_pages"] == workload["summary"]["distinct_pages"]
    content = workload["content_id"]
    kept = files(folder_of_store)
    assert {f"contents/{content}/trace.twt", f"contents/{content}/curve.npy"} <= kept
    # Each host has what it read, no host what another one read alone.
    assert f"contents/{content}/trace.twt" in files(two)
    assert f"contents/{content}/curve.npy" not in files(two)
    # What was imported is given up everywhere.
    assert not any(name.startswith(("uploads/", "work/")) for name in kept)
    storage = served.get("/storage")
    assert storage["contents_bytes"] == sum(
        path.stat().st_size
        for path in (folder_of_store / "contents").rglob("*")
        if path.is_file()
    )
    for twin in served.get("/workloads")["items"]:
        if twin["content_id"] == content and not twin["example"]:
            answer = served.client.delete(f"/workloads/{twin['id']}")
            assert answer.status_code == 204, answer.text


def test_results_are_those_of_one_host(served, make_settings, tmp_path):
    with elsewhere(served.settings, tmp_path / "there"):
        served.wait_example()
        shared = sweep_of(served, "example")
    with run_application(make_settings()) as alone:
        alone.wait_example()
        assert sweep_of(alone, "example") == shared


def test_what_belongs_to_no_row_expires(served, folder_of_store, tmp_path):
    """Objects and copies of what was deleted elsewhere go; what is new, or belongs to a row, stays."""
    with elsewhere(served.settings, tmp_path / "one"):
        example = served.wait_example()
    own = served.settings.model_copy(update={"data_dir": tmp_path / "host"})
    content = example["content_id"]
    stray, new = "0" * 32, "1" * 32
    long_ago = time.time() - 2 * 24 * 3600

    def write(path: Path, *, old: bool) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"left")
        if old:
            os.utime(path, (long_ago, long_ago))
            os.utime(path.parent, (long_ago, long_ago))
        return path

    store, here = folder_of_store, own.data_dir
    gone = [
        write(store / "contents" / stray / "trace.twt", old=True),
        write(store / "uploads" / stray / "file", old=True),
        write(store / "work" / stray / "chunks" / "0", old=True),
        write(here / "contents" / stray / "trace.twt", old=True),
    ]
    kept = [
        write(store / "contents" / new / "trace.twt", old=False),
        write(store / "work" / new / "chunks" / "0", old=False),
        write(here / "contents" / new / "trace.twt", old=False),
        write(here / "contents" / content / "trace.twt", old=True),
        store / "contents" / content / "trace.twt",
    ]
    os.utime(kept[-1], (long_ago, long_ago))

    async def expire(settings) -> None:
        engine = make_engine(own.database_url)
        await expire_objects(settings, async_sessionmaker(engine))
        await engine.dispose()

    asyncio.run(expire(own))
    assert [path for path in gone if path.exists()] == []
    assert [path for path in kept if not path.exists()] == []
    # Where the installation has no store, nothing expires.
    left = write(store / "contents" / stray / "trace.twt", old=True)
    asyncio.run(expire(own.model_copy(update={"store": None})))
    assert left.exists()
    shutil.rmtree(left.parent)
    for path in (kept[0], kept[1].parent):
        shutil.rmtree(path.parent)


@pytest.mark.slow
def test_another_host_resumes_the_conversion_of_one_that_died(
    served, long_trace, tmp_path
):
    with elsewhere(served.settings, tmp_path / "one") as first:
        served.wait_example()
        workload = served.create_workload(
            long_trace, "long.csv.zst", format="postgres_csv"
        )
        run_id = workload["run"]["id"]
        chunks = Path(served.settings.store.removeprefix("file://")) / "work" / run_id
        served.wait_until(lambda: len(list(chunks.glob("chunks/*"))) > 2)
        [child] = children_of(first.pid)
        first.kill()
        first.wait()
        served.wait_until(lambda: not child.is_running())
    shutil.rmtree(tmp_path / "one")
    with elsewhere(served.settings, tmp_path / "two"):
        run = served.wait_run(run_id)
    assert (run["status"], run["attempts"]) == ("succeeded", 2), run
    log = served.get(f"/workloads/{workload['id']}/conversion-log")["report"]
    assert 0 < log["resumed_at_accesses"] < LONG_TRACE_ACCESSES
    assert log["accesses"] == LONG_TRACE_ACCESSES
    assert not chunks.exists() or not files(chunks)


def test_a_trace_that_the_store_lost_is_named(served, folder_of_store, tmp_path):
    with elsewhere(served.settings, tmp_path / "one"):
        example = served.wait_example()
    lost = folder_of_store / "contents" / example["content_id"] / "trace.twt"
    kept = lost.with_name("kept")
    here = served.settings.contents_dir / example["content_id"]
    shutil.rmtree(here, ignore_errors=True)  # where an earlier test has copied it
    lost.rename(kept)
    try:
        answer = served.client.post(
            "/sweeps",
            json={
                "workload_id": "example",
                "ram_pages": [77],
                "contenders": [{"family": "policy", "name": "lru"}],
            },
        )
    finally:
        kept.rename(lost)
    assert answer.status_code == 404
    assert f"file://{lost}" in answer.json()["detail"]


class TestCache:
    @pytest.fixture
    def cached(self, make_settings, tmp_path):
        """Settings of a host whose cache holds two files of ten bytes, and what makes one in the store."""
        settings = make_settings(
            store=f"file://{tmp_path}/store",
            store_cache_bytes=20,
            object_store_retries=0,
        )
        settings.make_folders()

        def make(name: str) -> Path:
            path = trace_path(settings, name)
            path.parent.mkdir()
            path.write_bytes(name.encode() * 10)
            shared_store.publish(settings, [path])
            path.unlink()
            return path

        return settings, make

    @staticmethod
    def used(path: Path, ago_s: float) -> None:
        at = time.time_ns() - round(ago_s * 1e9)
        os.utime(path, ns=(at, path.stat().st_mtime_ns))

    def test_the_least_recently_used_copy_goes(self, cached):
        settings, make = cached
        a, b, c = map(make, "abc")
        assert shared_store.here_now(settings, a)
        assert shared_store.here_now(settings, b)
        self.used(a, 1000)
        self.used(b, 2000)
        assert shared_store.here_now(settings, c)
        assert [path.is_file() for path in (a, b, c)] == [True, False, True]
        assert c.read_bytes() == b"c" * 10
        # It is copied again when it is wanted again.
        self.used(a, 1000)
        assert shared_store.here_now(settings, b)
        assert b.read_bytes() == b"b" * 10

    def test_what_a_run_uses_stays(self, cached):
        settings, make = cached
        a, b, c = map(make, "abc")
        with shared_store.holding():
            assert shared_store.here_now(settings, a)
            assert shared_store.here_now(settings, b)
            for path in (a, b):
                self.used(path, 1000)
            assert shared_store.here_now(settings, c)
            assert a.is_file()
            assert b.is_file()
        self.used(c, 3000)
        shared_store.make_room(settings, 0)
        assert not c.is_file()

    def test_what_the_store_lacks_stays(self, cached, tmp_path):
        settings, make = cached
        a, b = map(make, "ab")
        assert shared_store.here_now(settings, a)
        self.used(a, 1000)
        shutil.rmtree(tmp_path / "store" / "contents" / "a")
        shared_store.make_room(settings, 20)
        assert a.is_file()
        assert not shared_store.exists_now(settings, a)
        assert shared_store.exists_now(settings, b)

    def test_a_copy_that_breaks_leaves_nothing(self, cached):
        settings, make = cached
        path = make("a")

        def stop(_done: int, _total: int) -> None:
            raise KeyboardInterrupt

        with shared_store.telling(stop), pytest.raises(KeyboardInterrupt):
            shared_store.here_now(settings, path)
        assert list(path.parent.iterdir()) == []


class TestRefused:
    def refused(self, settings, **changes) -> str:
        with pytest.raises(RuntimeFailure) as caught:
            installation.check(settings.model_copy(update=changes))
        return str(caught.value)

    def test_a_worker_of_another_version_says_which_it_needs(
        self, make_settings, tmp_path
    ):
        settings = make_settings(store=f"file://{tmp_path}/store")
        installation.state(settings)
        installation.check(settings)
        with psycopg.connect(psycopg_dsn(settings.database_url)) as connection:
            connection.execute("UPDATE installation SET version = '9.8.7'")
        assert "version 9.8.7" in self.refused(settings)
        worker = subprocess.run(
            COMMAND,
            env=worker_environment(settings),
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert worker.returncode == 2
        assert "install version 9.8.7 here" in worker.stderr

    def test_a_worker_gives_up_when_the_server_is_replaced(self, make_settings):
        settings = make_settings(heartbeat_interval_s=0.2)
        with run_application(settings) as application:
            application.wait_example()
            with psycopg.connect(psycopg_dsn(settings.database_url)) as connection:
                connection.execute("UPDATE installation SET version = '9.8.7'")
            assert application.workers[0].wait(timeout=PATIENCE_S) == 75

    def test_the_stores_must_be_the_same(self, make_settings, tmp_path):
        settings = make_settings(store=f"file://{tmp_path}/store")
        installation.state(settings)
        assert f"TIERWRIGHT_STORE=file://{tmp_path}/store" in self.refused(
            settings, store=None
        )
        assert "is mounted" in self.refused(settings, store=f"file://{tmp_path}/other")
        # The same store under another name is the same one.
        (tmp_path / "link").symlink_to(tmp_path / "store")
        installation.check(
            settings.model_copy(update={"store": f"file://{tmp_path}/link"})
        )
        with pytest.raises(RuntimeFailure, match="does not keep the files"):
            installation.state(
                settings.model_copy(update={"store": f"file://{tmp_path}/new"})
            )

    def test_a_server_without_a_store_takes_no_worker_with_one(
        self, make_settings, tmp_path
    ):
        settings = make_settings()
        installation.state(settings)
        assert "in its data folder" in self.refused(
            settings, store=f"file://{tmp_path}/store"
        )

    def test_no_server_has_made_the_database(self, make_settings, make_database):
        settings = make_settings(database_url=make_database())
        assert "start the server first" in self.refused(settings)

    @pytest.mark.parametrize(
        "text",
        [f"s3://user:{SECRET}@bucket/x", f"s3://bucket/x?X-Amz-Signature={SECRET}"],
    )
    def test_an_address_with_a_secret_is_refused_and_hidden(
        self, make_settings, text, monkeypatch
    ):
        monkeypatch.setenv("TIERWRIGHT_STORE", text)
        worker = subprocess.run(
            COMMAND,
            env=os.environ | {"TIERWRIGHT_DATABASE_URL": "postgresql://x/y"},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert worker.returncode == 2
        assert "TIERWRIGHT_STORE" in worker.stderr
        assert SECRET not in worker.stdout + worker.stderr


@pytest.fixture
def s3(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "somebody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    with run_store() as running:
        running.make_bucket("shared")
        yield running


def test_a_store_that_speaks_s3(make_settings, s3, tmp_path):
    settings = make_settings(
        store="s3://shared/tierwright", object_store_endpoint=s3.url
    )
    with run_application(settings, workers=0) as application:
        with elsewhere(settings, tmp_path / "one"):
            application.wait_example()
        with elsewhere(settings, tmp_path / "two"):
            assert len(sweep_of(application, "example")) == 6
        runs = application.client.get("/runs").text
    lines = "".join(path.read_text() for path in tmp_path.glob("*.log"))
    assert "run succeeded" in lines
    with psycopg.connect(psycopg_dsn(settings.database_url)) as connection:
        rows = connection.execute("SELECT runs::text FROM runs").fetchall()
        stated = connection.execute("SELECT store FROM installation").fetchall()
    assert stated == [("s3://shared/tierwright",)]
    assert SECRET not in lines + runs + str(rows)


def test_a_store_that_does_not_answer_is_named(make_settings, s3):
    settings = make_settings(
        store="s3://absent/x", object_store_endpoint=s3.url, object_store_retries=0
    )
    settings.make_folders()
    with pytest.raises(BadGateway, match="s3://absent/x"):
        shared_store.store_of(settings).put("name", b"data")
