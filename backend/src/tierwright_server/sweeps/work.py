"""The sweep job, in its child process: replays configurations on all cores."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from tierwright._simulator import SimulatorError
from tierwright_server.jobs.report import Report
from tierwright_server.simulator import registry

PHASE = "replaying"
UNIT = "accesses"


def sweep(job: dict[str, Any], report: Report) -> dict[str, Any]:
    """Replay every configuration; each is handed over as soon as it is done.

    Parameters
    ----------
    job : dict
        `trace` (path of the canonical trace), `accesses` of it, and
        `configurations`, each with a `key`.
    report : Report
        Takes progress, and the replays as partial results.

    Returns
    -------
    dict
        `replayed` and `failed`: how many.
    """
    trace = Path(job["trace"])
    configurations = job["configurations"]
    meter = _Meter(report, len(configurations), job["accesses"])
    failed = 0
    # The core releases the interpreter while it replays.
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        waiting = {
            threads.submit(
                _replay, trace, configuration, meter.of(number)
            ): configuration
            for number, configuration in enumerate(configurations)
        }
        for future in as_completed(waiting):
            result = future.result()
            failed += "error" in result
            report.partial({"replays": {waiting[future]["key"]: result}})
    return {"replayed": len(configurations), "failed": failed}


def _replay(
    trace: Path,
    configuration: dict[str, Any],
    on_progress: Callable[[int, int, int], bool],
) -> dict[str, Any]:
    try:
        return registry.replay(trace, configuration, on_progress=on_progress)
    except SimulatorError as error:
        # The others go on; trying this one again would end the same way.
        message, *rest = error.args
        return {"error": str(message), "hint": str(rest[0]) if rest else ""}


class _Meter:
    """Adds the progress of replays that run side by side."""

    def __init__(self, report: Report, replays: int, accesses: int) -> None:
        self._report = report
        self._lock = threading.Lock()
        self._shares = [0.0] * replays
        self._accesses = accesses
        self._say()

    def of(self, number: int) -> Callable[[int, int, int], bool]:
        """Return the callback of one replay."""

        def on_progress(done: int, total: int, _accesses: int) -> bool:
            with self._lock:
                # By bytes: a policy that needs the future reads the trace before.
                self._shares[number] = done / total if total else 1.0
                self._say()
            return True

        return on_progress

    def _say(self) -> None:
        done = int(sum(self._shares) * self._accesses)
        self._report.progress(PHASE, done, len(self._shares) * self._accesses, UNIT)
