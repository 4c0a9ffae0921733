"""Several hosts, as network namespaces on a bridge: whoever works, dies or is cut off, the result is the same.

`make test-hosts` alone runs these, as they change the network of the machine for as long as they run; it fails where the
machine lacks something.
"""

import contextlib
import json
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hosts import Network, lacks, network
from live_app import (
    LONG_TRACE_ACCESSES,
    PATIENCE_S,
    eventually,
    run_application,
    worker_environment,
)
from sqlalchemy import make_url

from tierwright.profile import measure
from tierwright.trace.reading import Trace

HERE = Path(__file__).parent
PROGRAM = [sys.executable, HERE / "hosts_work.py"]
PORT = 8786
PARTS = 6
pytestmark = [pytest.mark.long, pytest.mark.process]


@pytest.fixture(scope="module", autouse=True)
def machine():
    if os.environ.get("TIERWRIGHT_HOSTS") != "1":
        pytest.skip("changes the network of the machine: run `make test-hosts`")
    missing = lacks()
    if missing:
        pytest.fail(f"this machine cannot be several hosts: {missing}")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hosts")
    draws = np.random.default_rng(20)
    made = []
    for number in range(PARTS):
        pages = draws.zipf(1.2, 20_000) % 5_000
        written = draws.random(20_000) < 0.3
        lines = [
            f"{page},{'W' if write else 'R'}"
            for page, write in zip(pages, written, strict=True)
        ]
        path = folder / f"part{number}.csv"
        path.write_text("\n".join(["page,op", *lines]) + "\n")
        made.append(path)
    return made


@pytest.fixture(scope="module")
def alone(files):
    """The profile that one process makes, without what its reader noticed of files."""
    trace = Trace(
        files[0],
        format="csv",
        columns={"page": "page", "op": "op"},
        others=tuple(files[1:]),
    )
    return without_notes(measure.profile(trace).to_dict())


def without_notes(document) -> str:
    document.pop("trace", None)
    document.pop("summaries", None)
    return json.dumps(document, sort_keys=True)


class Cluster:
    """A Dask cluster whose scheduler and command are on the hub, each worker on a host."""

    def __init__(self, net: Network, folder: Path, files, pause_s: float) -> None:
        self.net, self.files = net, files
        self.folder = folder
        self.marks = folder / "marks"
        self.counts = folder / "counts"
        self.out = folder / "profile.json"
        for each in (self.marks, self.counts):
            each.mkdir()
        self.env = os.environ | {
            "PYTHONPATH": str(HERE),
            "TW_MARKS": str(self.marks),
            "TW_PAUSE_S": str(pause_s),
            # A worker that is silent for so long counts as lost; Dask's own choice is five minutes.
            "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "4s",
        }
        self.address = f"tcp://{net.address(0)}:{PORT}"
        self.start(0, "scheduler", net.address(0), PORT)

    def start(self, host: int, *arguments: object):
        with (self.folder / f"{host}-{arguments[0]}.log").open("ab") as lines:
            return self.net.start(
                host, [*PROGRAM, *arguments], self.env, stdout=lines, stderr=lines
            )

    def worker(self, host: int):
        return self.start(host, "worker", self.address, self.net.address(host))

    def command(self):
        columns = [
            option
            for name in ("page", "op")
            for option in ("--column", f"{name}={name}")
        ]
        return self.start(
            0,
            "command",
            "profile",
            *self.files,
            "--format",
            "csv",
            *columns,
            "--parts-in",
            self.counts,
            "--dask",
            self.address,
            "-o",
            self.out,
        )

    def begun(self) -> int:
        return len(list(self.marks.iterdir()))

    def profile(self, command) -> str:
        code = command.wait(timeout=PATIENCE_S)
        told = (self.folder / "0-command.log").read_text()
        assert code == 0, told
        return without_notes(json.loads(self.out.read_text()))


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_a_cluster_of_several_hosts_makes_the_profile_of_one_process(
    files, alone, tmp_path, workers
):
    with network(workers) as net:
        cluster = Cluster(net, tmp_path, files, pause_s=0)
        for host in range(1, workers + 1):
            cluster.worker(host)
        assert cluster.profile(cluster.command()) == alone


def test_one_killed_one_cut_off_one_that_joins(files, alone, tmp_path):
    """The first worker is killed at its part, the second is cut off from the network, the third joins late."""
    with network(3) as net:
        cluster = Cluster(net, tmp_path, files, pause_s=1.5)
        first = cluster.worker(1)
        cluster.worker(2)
        lines = [tmp_path / f"{host}-worker.log" for host in (1, 2)]
        assert eventually(
            lambda: all("Registered to" in each.read_text() for each in lines)
        )
        command = cluster.command()
        assert eventually(lambda: cluster.begun() >= 2)
        os.killpg(first.pid, signal.SIGKILL)
        net.cut(2)
        log = tmp_path / "0-command.log"
        assert eventually(lambda: "has no workers" in log.read_text())
        assert command.poll() is None, "it ended without workers"
        before = cluster.begun()
        cluster.worker(3)
        assert eventually(lambda: cluster.begun() > before)
        net.join(2)
        assert cluster.profile(command) == alone
        assert "has workers again" in log.read_text()


def test_a_cluster_that_is_cut_off_can_be_cancelled(files, tmp_path):
    with network(1) as net:
        cluster = Cluster(net, tmp_path, files, pause_s=30)
        cluster.worker(1)
        command = cluster.command()
        assert eventually(lambda: cluster.begun() >= 1)
        net.cut(1)
        log = tmp_path / "0-command.log"
        assert eventually(lambda: "has no workers" in log.read_text())
        command.send_signal(signal.SIGINT)
        assert command.wait(timeout=60) != 0
        assert not cluster.out.exists()


@contextlib.contextmanager
def worker_on(net: Network, host: int, settings, folder: Path):
    """A worker of Tierwright on a host, with a data folder of its own."""
    url = make_url(settings.database_url).set(host=net.address(0), port=PORT, query={})
    own = settings.model_copy(
        update={
            "data_dir": folder,
            "database_url": url.render_as_string(hide_password=False),
        }
    )
    with (folder.parent / f"{folder.name}.log").open("wb") as lines:
        worker = net.start(
            host,
            [Path(sys.executable).with_name("tierwright"), "worker"],
            worker_environment(own),
            stdout=lines,
            stderr=lines,
        )
        yield worker


def test_a_worker_that_is_cut_off_is_replaced_and_comes_back(
    make_settings, long_trace, tmp_path
):
    """Its conversion is resumed by the other host; when it is back, it works again."""
    settings = make_settings(
        store=f"file://{tmp_path}/store",
        worker_stale_s=4,
        heartbeat_interval_s=0.5,
        reap_interval_s=0.5,
        checkpoint_accesses=2**16,
        store_checkpoint_interval_s=0.1,
        worker_concurrency=1,
    )
    socket = make_url(settings.database_url)
    folder = socket.query.get("host") or socket.host
    port = socket.port or 5432
    with network(2) as net, run_application(settings, workers=0) as application:
        net.start(
            0, [*PROGRAM, "door", net.address(0), PORT, f"{folder}/.s.PGSQL.{port}"]
        )
        time.sleep(1)
        with worker_on(net, 1, settings, tmp_path / "one") as first:
            application.wait_example()
            workload = application.create_workload(
                long_trace, "long.csv.zst", format="postgres_csv"
            )
            run_id = workload["run"]["id"]
            chunks = tmp_path / "store" / "work" / run_id
            application.wait_until(lambda: len(list(chunks.glob("chunks/*"))) > 1)
            net.cut(1)
            with worker_on(net, 2, settings, tmp_path / "two") as second:
                run = application.wait_run(run_id)
                assert (run["status"], run["attempts"]) == ("succeeded", 2), run
                log = application.get(f"/workloads/{workload['id']}/conversion-log")
                assert log["report"]["accesses"] == LONG_TRACE_ACCESSES
                net.join(1)
                second.terminate()
                second.wait(timeout=PATIENCE_S)
            # Whether it waited or gave up: a worker of the first host takes the next run.
            if not eventually(lambda: application.get("/health")["workers_alive"] > 0):
                raise AssertionError("the worker did not come back")
            assert first.poll() is None
            begun = application.post(
                "/sweeps",
                {
                    "workload_id": workload["id"],
                    "ram_pages": [100],
                    "contenders": [{"family": "policy", "name": "lru"}],
                },
                202,
            )
            assert application.wait_run(begun["run"]["id"])["status"] == "succeeded"
    with run_application(make_settings()) as undisturbed:
        same = undisturbed.create_workload(
            long_trace, "long.csv.zst", format="postgres_csv"
        )
        assert undisturbed.wait_run(same["run"]["id"])["status"] == "succeeded"
        kept = undisturbed.get(f"/workloads/{same['id']}")
        assert kept["content_id"] == log["report"]["content_id"]
