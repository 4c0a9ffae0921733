"""The sweep job, in its child process: replays configurations on all cores."""

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import groupby
from pathlib import Path
from typing import Any

from tierwright.common.core_errors import Cancelled, ParameterError, SimulatorError
from tierwright.simulate import replay
from tierwright.simulate.executors import Workers
from tierwright.simulate.spread import Single, singles
from tierwright.trace.reading import OnProgress, Trace
from tierwright_server.jobs.report import Report
from tierwright_server.replays import cluster
from tierwright_server.replays.simulator import registry
from tierwright_server.replays.simulator.schemas import Family

PHASE = "replaying"
UNIT = "accesses"
BATCH = 8
"""Replays that share a read of the trace: more save reads, fewer show results sooner."""
HISTORY = "history"
"""What a buffer or a chooser did, window by window: too much to keep of every replay."""
_SHARES_A_READ = frozenset(Family) - {Family.CHOOSER}
Configuration = dict[str, Any]


def sweep(job: dict[str, Any], report: Report) -> dict[str, Any]:
    """Replay every configuration; results are handed over as soon as they are there.

    Parameters
    ----------
    job : dict
        `trace` (path of the canonical trace), `accesses` of it, and
        `configurations`, each with a `key`; what `cluster.of_job` says.
    report : Report
        Takes progress, and the replays as partial results.

    Returns
    -------
    dict
        `replayed` and `failed`: how many.
    """
    with cluster.workers_of(job, report) as (workers, told):
        failed = _sweep(job, told, workers)
    return {"replayed": len(job["configurations"]), "failed": failed}


def _sweep(job: dict[str, Any], report: Report, workers: Workers | None) -> int:
    meter = Meter(report, len(job["configurations"]), job["accesses"], PHASE)
    trace = cluster.trace_of(job)
    failed = 0

    def keep(configurations: list[Configuration], results: list[dict[str, Any]]) -> int:
        keys = [configuration["key"] for configuration in configurations]
        kept = [
            {name: value for name, value in row.items() if name != HISTORY}
            for row in results
        ]
        report.partial({"replays": dict(zip(keys, kept, strict=True))})
        return sum("error" in result for result in results)

    together = [entry for entry in job["configurations"] if _shares_a_read(entry)]
    alone = [entry for entry in job["configurations"] if not _shares_a_read(entry)]
    for batch in _batches(together, cluster.batch_of(workers, BATCH)):
        try:
            results = _replay_together(trace, batch, meter.add(len(batch)))
        except ParameterError:
            # One of them is impossible; alone, each tells for itself.
            alone.extend(batch)
            continue
        # What the shared read cannot give, such as page addresses, a replay alone may have.
        done = [index for index, row in enumerate(results) if "error" not in row]
        failed += keep(
            [batch[index] for index in done], [results[index] for index in done]
        )
        alone.extend(entry for index, entry in enumerate(batch) if index not in done)
    if workers is not None:
        size = cluster.batch_of(workers, BATCH)
        for start in range(0, len(alone), size):
            batch = alone[start : start + size]
            rows = _replay_over(workers, trace, batch, meter.add(len(batch)))
            failed += keep(batch, rows)
        return failed
    # The core releases the interpreter while it replays.
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        waiting = {
            threads.submit(_replay_alone, trace.path, entry, meter.add(1)): entry
            for entry in alone
        }
        for future in as_completed(waiting):
            failed += keep([waiting[future]], [future.result()])
    return failed


def _batches(
    configurations: list[Configuration], size: int
) -> Iterator[list[Configuration]]:
    """Split into lists that one read of the trace serves: few enough, of one warm-up."""

    def warm_up(entry: Configuration) -> str:
        return str(entry.get("warm_up", 0))

    for _, same in groupby(sorted(configurations, key=warm_up), key=warm_up):
        alike = list(same)
        for start in range(0, len(alike), size):
            yield alike[start : start + size]


def replay_all(
    trace: Trace,
    configurations: list[Configuration],
    on_progress: OnProgress,
    workers: Workers | None = None,
) -> dict[str, dict[str, Any]] | None:
    """Replay configurations in this thread, or over workers; None where progress asked to stop.

    Parameters
    ----------
    trace : Trace
        A canonical one.
    configurations : list of dict
        Each with its `key`.
    on_progress : callable
        See `tierwright.trace.reading.OnProgress`.
    workers : Workers, optional
        Those that sweeps are spread over.

    Returns
    -------
    dict
        Result by key, as a sweep keeps it; `error` and `hint` where a replay is impossible.
    """
    found: dict[str, dict[str, Any]] = {}
    alone = [entry for entry in configurations if not _shares_a_read(entry)]
    size = cluster.batch_of(workers, BATCH)
    together = [entry for entry in configurations if _shares_a_read(entry)]
    for batch in _batches(together, size):
        try:
            results = _replay_together(trace, batch, on_progress)
        except ParameterError:
            alone.extend(batch)
            continue
        except Cancelled:
            return None
        for entry, row in zip(batch, results, strict=True):
            if "error" in row:
                alone.append(entry)
            else:
                found[entry["key"]] = row
    try:
        if workers is not None:
            rows = _replay_over(workers, trace, alone, on_progress)
            found.update(zip((entry["key"] for entry in alone), rows, strict=True))
        else:
            for entry in alone:
                found[entry["key"]] = _replay_alone(trace.path, entry, on_progress)
    except Cancelled:
        return None
    if not on_progress(0, 0, 0):
        return None
    return {
        key: {name: value for name, value in row.items() if name != HISTORY}
        for key, row in found.items()
    }


def _shares_a_read(configuration: Configuration) -> bool:
    return Family(configuration["family"]) in _SHARES_A_READ


def _replay_over(
    workers: Workers,
    trace: Trace,
    configurations: list[Configuration],
    on_progress: OnProgress,
) -> list[dict[str, Any]]:
    """Do as `_replay_alone` with each, over workers."""
    tasks = [
        Single(trace, replay.replay, registry.arguments_of(entry))
        for entry in configurations
    ]
    rows = singles(workers, tasks, on_progress)
    for row in rows:
        row.pop("trace", None)
    return rows


def _replay_together(
    trace: Trace, batch: list[Configuration], on_progress: OnProgress
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = replay.sweep(
        trace,
        [_asked(entry) for entry in batch],
        # All configurations of a sweep have the same one.
        warm_up=batch[0].get("warm_up", 0),
        on_progress=on_progress,
    )["rows"]
    return rows


def _asked(configuration: Configuration) -> dict[str, Any]:
    """Write a configuration as the core's sweep takes it."""
    sizes = (
        {"pages": configuration["ram_pages"]}
        if configuration["flash_pages"] is None
        else {key: configuration[key] for key in ("ram_pages", "flash_pages")}
    )
    return {
        configuration["family"]: configuration["name"],
        "options": configuration["options"],
        **sizes,
    }


def _replay_alone(
    trace: Path, configuration: Configuration, on_progress: OnProgress
) -> dict[str, Any]:
    try:
        found = registry.replay(trace, configuration, on_progress=on_progress)
    except Cancelled:
        raise
    except SimulatorError as error:
        # The others go on; trying this one again would end the same way.
        message, *rest = error.args
        return {"error": str(message), "hint": str(rest[0]) if rest else ""}
    # It stands with the workload; the counters of a shared read have none either.
    found.pop("trace", None)
    return found


class Meter:
    """Adds the progress of replays that run side by side and one after the other."""

    def __init__(self, report: Report, replays: int, accesses: int, phase: str) -> None:
        self._report, self._phase = report, phase
        self._lock = threading.Lock()
        self._done: list[float] = []
        self._replays = replays
        self._accesses = accesses
        report.progress(phase, 0, replays * accesses, UNIT)

    def add(self, replays: int) -> Callable[[int, int, int], bool]:
        """Return the callback of so many replays that share a read."""
        number = len(self._done)
        self._done.append(0.0)

        def on_progress(done: int, total: int, _accesses: int) -> bool:
            with self._lock:
                # By bytes: a policy that needs the future reads the trace before.
                share = done / total if total else 1.0
                self._done[number] = replays * share
                replayed = min(sum(self._done), self._replays) * self._accesses
                self._report.progress(
                    self._phase,
                    int(replayed),
                    self._replays * self._accesses,
                    UNIT,
                )
            return True

        return on_progress
