"""The curves of a canonical trace, into a sealed file; as a process of its own where one is damaged.

stdin: one line of JSON, then kept open by the server. stdout: one JSON document.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tierwright.common.core_errors import SimulatorError
from tierwright.common.errors import defect_of
from tierwright.profile.measure import curves
from tierwright.profile.windows import from_counts
from tierwright.trace.reading import Trace
from tierwright_server.common.sealed import sealed
from tierwright_server.jobs.limits import cap_memory, die_with_parent
from tierwright_server.jobs.report import OnProgress


def profile(
    trace: Path, out: Path, on_progress: OnProgress | None = None
) -> dict[str, int]:
    """Count the misses and write-backs of every LRU size, and keep them; behind them the windows, as JSON.

    Returns
    -------
    dict
        `accesses`, `distinct_pages`, `write_accesses` of the trace.
    """
    found = curves(Trace(trace), on_progress=on_progress)
    with sealed(out) as file:
        np.save(file, np.stack([found["misses"], found["write_backs"]]))
        windows = from_counts(found["windows"], duration_s=found["duration_s"])
        if windows is not None:
            file.write(json.dumps(windows.to_dict()).encode())
    return {key: found[key] for key in ("accesses", "distinct_pages", "write_accesses")}


def _answer(spec: dict[str, Any]) -> dict[str, Any]:
    try:
        return dict(profile(Path(spec["trace"]), Path(spec["out"])))
    except SimulatorError as error:
        return {"error": str(error.args[0])}
    except MemoryError:
        return {"error": "it needs more memory than a job may use"}
    except Exception as error:
        return {"error": defect_of(error)[0]}


def main() -> int:
    """Profile the trace that stdin names."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's to handle
    spec: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    die_with_parent(spec["parent_pid"])
    cap_memory(spec["memory_bytes"])
    sys.stdout.write(json.dumps(_answer(spec)))
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # The thread that watches stdin would keep an ordinary exit waiting.
    os._exit(code)
