"""The miniature job, in its child process: estimates some sizes with each read."""

from typing import Any

from tierwright.simulate import replay
from tierwright.simulate.executors import Workers
from tierwright_server.jobs.report import Report
from tierwright_server.replays import cluster
from tierwright_server.replays.simulator.schemas import Family
from tierwright_server.replays.sweeps.work import BATCH, Meter, replay_all

PHASE = "estimating"
_ASKED = {
    *(family.value for family in Family),
    "pages",
    "ram_pages",
    "flash_pages",
    "options",
}


def asked(configuration: dict[str, Any]) -> dict[str, Any]:
    """Write a configuration as the core takes it."""
    return {name: value for name, value in configuration.items() if name in _ASKED}


def miniature(job: dict[str, Any], report: Report) -> dict[str, Any]:
    """Estimate every size; results are handed over as soon as they are there.

    Parameters
    ----------
    job : dict
        `trace` (path of the canonical trace), `accesses` of it, `sample_rate`, `seed`, `warm_up`,
        `configurations`: as `replay.miniatures` takes them, each with a `key`, and `beside`: whole replays to compare
        them with, as a sweep has them.
    report : Report
        Takes progress, and the sizes as partial results.

    Returns
    -------
    dict
        `estimated` and `failed`: how many.
    """
    with cluster.workers_of(job, report) as (workers, told):
        failed = _miniature(job, told, workers)
    return {"estimated": len(job["configurations"]), "failed": failed}


def _miniature(job: dict[str, Any], report: Report, workers: Workers | None) -> int:
    waiting, beside = job["configurations"], job["beside"]
    meter = Meter(report, len(waiting) + len(beside), job["accesses"], PHASE)
    trace, size = cluster.trace_of(job), cluster.batch_of(workers, BATCH)
    failed = 0
    for start in range(0, len(beside), size):
        batch = beside[start : start + size]
        exact = replay_all(trace, batch, meter.add(len(batch)), workers)
        report.partial({"replays": exact or {}})
    for start in range(0, len(waiting), size):
        batch = waiting[start : start + size]
        rows = replay.miniatures(
            trace,
            [asked(entry) for entry in batch],
            job["sample_rate"],
            seed=job["seed"],
            warm_up=job["warm_up"],
            on_progress=meter.add(len(batch)),
        )["rows"]
        keys = [entry["key"] for entry in batch]
        report.partial({"replays": dict(zip(keys, rows, strict=True))})
        failed += sum("error" in row for row in rows)
    return failed
