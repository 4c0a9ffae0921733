"""Sweeps, miniatures and the advisor's replays of the server over a Dask cluster, and the cluster's bad days."""

import contextlib
import subprocess
import sys

import pytest
from live_app import PATIENCE_S, Application, free_port, run_application
from pydantic import ValidationError

from tierwright_server.common.settings import Settings

TIMES = {
    "flash_read_us": "80",
    "flash_write_us": "20",
    "disk_read_us": "9000",
    "disk_write_us": "9000",
}
pytestmark = [pytest.mark.process]
SCHEDULER = """
import asyncio, sys
from distributed import Scheduler
async def main():
    async with Scheduler(host="127.0.0.1", port=int(sys.argv[1]), dashboard=False) as one:
        await one.finished()
asyncio.run(main())
"""
WORKER = """
import asyncio, sys
from distributed import Worker
async def main():
    async with Worker(sys.argv[1], nthreads=2, dashboard=False, memory_limit=None) as one:
        await one.finished()
asyncio.run(main())
"""


@contextlib.contextmanager
def program(code, *arguments):
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait(timeout=PATIENCE_S)


@pytest.fixture(scope="module")
def cluster():
    """The address of a scheduler without workers."""
    port = free_port()
    with program(SCHEDULER, port):
        yield f"tcp://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def spread_out(make_settings, cluster):
    with run_application(make_settings(dask=cluster)) as running:
        running.wait_example()
        yield running


def begin_sweep(application: Application, *pages: int):
    return application.post(
        "/sweeps",
        {
            "workload_id": "example",
            "ram_pages": list(pages),
            "flash_pages": [2000],
            "contenders": [
                {"family": "policy", "name": "lru"},
                {"family": "policy", "name": "opt"},
                {"family": "scheme", "name": "lazy"},
                {"family": "flash_cache", "name": "face"},
                {"family": "buffer", "name": "cflru"},
                # It cannot share a read of the trace, so that it is replayed by itself.
                {"family": "chooser", "name": "online", "options": TIMES},
            ],
        },
        202,
    )


def rows_of(application, begun):
    run = application.wait_run(begun["run"]["id"])
    assert run["status"] == "succeeded", run
    return application.get(f"/sweeps/{begun['id']}")["rows"]


def begin_miniature(application):
    return application.post(
        "/miniatures",
        {
            "workload_id": "example",
            "policy": "2q",
            "sample_rate": 0.5,
            "sizes": [100, 200, 400],
        },
        202,
    )


@pytest.mark.slow
class TestSpread:
    def test_rows_are_those_of_a_job_by_itself(self, spread_out, application, cluster):
        application.wait_example()
        with program(WORKER, cluster), program(WORKER, cluster):
            over = rows_of(spread_out, begin_sweep(spread_out, 40, 300))
            estimated = begin_miniature(spread_out)
            assert spread_out.wait_run(estimated["run"]["id"])["status"] == "succeeded"
        assert over == rows_of(application, begin_sweep(application, 40, 300))
        assert len(over) > 6
        alone = begin_miniature(application)
        assert application.wait_run(alone["run"]["id"])["status"] == "succeeded"
        found = [
            each.get(f"/miniatures/{estimated['id']}")["rows"]
            for each in (spread_out, application)
        ]
        assert found[0] == found[1]

    def test_a_cluster_without_workers_waits_visibly_and_can_be_cancelled(
        self, spread_out
    ):
        run_id = begin_sweep(spread_out, 77)["run"]["id"]
        spread_out.wait_until(
            lambda: (
                "has no workers" in (spread_out.get(f"/runs/{run_id}")["phase"] or "")
            )
        )
        assert spread_out.get(f"/runs/{run_id}")["status"] == "running"
        answer = spread_out.client.post(f"/runs/{run_id}/cancel")
        assert answer.status_code == 200
        assert spread_out.wait_run(run_id)["status"] == "cancelled"

    def test_a_cluster_that_gets_workers_later_goes_on(self, spread_out, cluster):
        begun = begin_sweep(spread_out, 78)
        run_id = begun["run"]["id"]
        spread_out.wait_until(
            lambda: (
                "has no workers" in (spread_out.get(f"/runs/{run_id}")["phase"] or "")
            )
        )
        with program(WORKER, cluster):
            assert rows_of(spread_out, begun)


def test_a_scheduler_that_does_not_answer_fails_the_run_by_name(make_settings):
    address = f"tcp://127.0.0.1:{free_port()}"
    with run_application(make_settings(dask=address)) as running:
        running.wait_example()
        run = running.wait_run(begin_sweep(running, 50)["run"]["id"])
    assert run["status"] == "failed"
    assert address in run["error"]
    assert "check its address" in run["hint"]


@pytest.mark.parametrize(
    "text", ["local:2", "http://x:1", "tcp://user:pw@x:1", "tcp://x:1?token=a", ""]
)
def test_what_is_no_scheduler_is_refused_unseen(text):
    with pytest.raises(ValidationError) as caught:
        Settings(dask=text)
    assert "pw@" not in str(caught.value)
