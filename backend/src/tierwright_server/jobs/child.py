"""One job in a process of its own: killable, memory-capped, gone with its worker.

stdin: one line of JSON (`kind` and the job's input), then kept open by the worker;
its end means that the worker is gone. stdout: JSON lines, each one of `progress`,
`partial`, `result`, `error`.
"""

import ctypes
import json
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from tierwright._simulator import SimulatorError
from tierwright_server.analyses.compute import COMPUTE, analyse
from tierwright_server.jobs.report import JobFailure, Report
from tierwright_server.runs.states import RunKind
from tierwright_server.simulations.replay import replay
from tierwright_server.sweeps.work import sweep
from tierwright_server.workloads.ingest import ingest

_PR_SET_PDEATHSIG = 1
_INTERVAL_S = 0.1

WORK: dict[str, Callable[[dict[str, Any], Report], dict[str, Any]]] = {
    RunKind.INGEST: ingest,
    RunKind.SIMULATE: replay,
    RunKind.SWEEP: sweep,
    **dict.fromkeys(COMPUTE, analyse),
}


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
                }
            }
        )

    def partial(self, document: dict[str, Any]) -> None:
        self.write({"partial": document})

    def write(self, line: dict[str, Any]) -> None:
        with self._lock:
            sys.stdout.write(json.dumps(line) + "\n")
            sys.stdout.flush()


def _die_with_worker(worker_pid: int) -> None:
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
    if os.getppid() != worker_pid:
        os._exit(1)

    def watch() -> None:
        # The worker writes nothing more: anything read here is the end of its life.
        sys.stdin.buffer.read(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="worker-watch").start()


def _cap_memory(bytes_: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        bytes_ = min(bytes_, hard)
    resource.setrlimit(resource.RLIMIT_AS, (bytes_, hard))


def _work(spec: dict[str, Any], report: _Stdout) -> dict[str, Any]:
    try:
        return {"result": WORK[spec["kind"]](spec["input"], report)}
    except JobFailure as error:
        return {"error": {"message": error.message, "hint": error.hint}}
    except SimulatorError as error:
        message, *rest = error.args
        hint = str(rest[0]) if rest and rest[0] else None
        return {"error": {"message": str(message), "hint": hint}}
    except MemoryError:
        cap = spec["memory_bytes"] / 2**30
        return {
            "error": {
                "message": f"the job needs more memory than its cap of {cap:.1f} GiB",
                "hint": "raise TIERWRIGHT_JOB_MEMORY_BYTES, or use a larger page size",
            }
        }
    except OSError as error:
        return {
            "error": {
                "message": f"{error.strerror or error}"
                + (f": {error.filename}" if error.filename else ""),
                "hint": "check the free space and the rights of the data folder",
            }
        }


def main() -> int:
    """Do the job that stdin names."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the worker's to handle
    spec: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    _die_with_worker(spec["worker_pid"])
    _cap_memory(spec["memory_bytes"])
    report = _Stdout()
    report.write(_work(spec, report))
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # The thread that watches stdin would keep an ordinary exit waiting.
    os._exit(code)
