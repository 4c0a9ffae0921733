"""One job in a process of its own: killable, memory-capped, gone with its worker.

stdin: one line of JSON (`kind` and the job's input), then kept open by the worker;
its end means that the worker is gone. stdout: JSON lines, each one of `progress`,
`partial`, `result`, `error`. With `--wait` it first imports what jobs need: the line comes
when there is a job, and the process ends when none comes before the worker is gone.
"""

import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

from tierwright.common.core_errors import SimulatorError
from tierwright.common.errors import defect_of
from tierwright_server.common.disk_space import is_full
from tierwright_server.jobs.confine import confine
from tierwright_server.jobs.limits import (
    cap_memory,
    die_with_parent,
    name_process,
    too_much_memory,
)
from tierwright_server.jobs.report import JobFailure, Report
from tierwright_server.jobs.runs.states import RunKind

JOB_NAME = "tierwright-job"
"""What a process list calls a process that does a job; one that waits is a `python`."""

_INTERVAL_S = 0.1

Work = Callable[[dict[str, Any], Report], dict[str, Any]]


def work_of(kind: str) -> Work:
    """Return what a kind of job does; only that is imported.

    All of it takes seconds, which a short job would mostly consist of.
    """
    match RunKind(kind):
        case RunKind.FETCH:
            from tierwright_server.traces.uploads.fetch import fetch

            return fetch
        case RunKind.INGEST:
            from tierwright_server.traces.workloads.ingest import ingest

            return ingest
        case RunKind.SIMULATE:
            from tierwright_server.questions.compare.check.replay import replay

            return replay
        case RunKind.SWEEP | RunKind.ADVICE_CHECK:
            from tierwright_server.replays.sweeps.work import sweep

            return sweep
        case RunKind.MINIATURE:
            from tierwright_server.replays.miniatures.work import miniature

            return miniature
        case RunKind.QUOTE_RANKING:
            from tierwright_server.questions.quote_rankings.work import rank

            return rank
        case RunKind.TRANSACTION_STUDY:
            from tierwright_server.questions.transaction_studies.work import study

            return study
        case _:
            from tierwright_server.replays.analyses.compute import analyse

            return analyse


def reaches_the_network(kind: str, job: dict[str, Any]) -> bool:
    """Say whether a job needs a network: to bring an object here, or to have a cluster replay. Both parse nothing."""
    return RunKind(kind) is RunKind.FETCH or job.get("dask") is not None


class _Stdout(Report):
    """Writes progress as JSON lines, at most ten a second and at each new phase."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._phase = ""
        self._next = 0.0

    def progress(
        self,
        phase: str,
        done: int,
        total: int | None,
        unit: str = "bytes",
        accesses: int | None = None,
        requests: int | None = None,
    ) -> None:
        present = time.monotonic()
        if phase == self._phase and present < self._next and done != total:
            return
        self._phase, self._next = phase, present + _INTERVAL_S
        self.write(
            {
                "progress": {
                    "phase": phase,
                    "done": done,
                    "total": total,
                    "unit": unit,
                    "accesses": accesses,
                    "requests": requests,
                }
            }
        )

    def partial(self, document: dict[str, Any]) -> None:
        self.write({"partial": document})

    def write(self, line: dict[str, Any]) -> None:
        with self._lock:
            sys.stdout.write(json.dumps(line) + "\n")
            sys.stdout.flush()


def _work(spec: dict[str, Any], report: _Stdout) -> dict[str, Any]:
    try:
        return {"result": work_of(spec["kind"])(spec["input"], report)}
    except JobFailure as error:
        return _failed(error.message, error.hint, no_room=error.no_room)
    except SimulatorError as error:
        message, *rest = error.args
        hint = str(rest[0]) if rest and rest[0] else None
        return _failed(str(message), hint, no_room=is_full(error))
    except MemoryError:
        return _failed(*too_much_memory(spec["memory_bytes"] / 2**30))
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        hint = "check the free space and the rights of the data folder"
        return _failed(
            f"{error.strerror or error}{where}", hint, no_room=is_full(error)
        )
    except Exception as error:
        # Trying again would end the same way.
        traceback.print_exc()
        message, hint = defect_of(error)
        return _failed(message, hint, defect=True)


def _failed(message: str, hint: str | None, **kind: bool) -> dict[str, Any]:
    return {"error": {"message": message, "hint": hint, **kind}}


def main(*, wait: bool = False) -> int:
    """Do the job that stdin names."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the worker's to handle
    if wait:
        # These import all that any kind needs; the others import parts of it.
        for kind in (RunKind.INGEST, RunKind.SWEEP, RunKind.WINDOWS):
            work_of(kind)
    line = sys.stdin.buffer.readline()
    if not line:
        return 0
    name_process(JOB_NAME)
    spec: dict[str, Any] = json.loads(line)
    if not reaches_the_network(spec["kind"], spec["input"]):
        confine(spec["reads"], spec["writes"])
    die_with_parent(spec["worker_pid"])
    cap_memory(spec["memory_bytes"])
    report = _Stdout()
    report.write(_work(spec, report))
    return 0


if __name__ == "__main__":
    code = main(wait="--wait" in sys.argv[1:])
    sys.stdout.flush()
    # The thread that watches stdin would keep an ordinary exit waiting.
    os._exit(code)
