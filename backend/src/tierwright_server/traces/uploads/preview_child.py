"""One preview in a process of its own: `python -m tierwright_server.traces.uploads.preview_child`.

The head of a file that anybody may have sent goes through decompressors and readers, so it
is read where it can hurt nobody: with a limit of memory, without the right to write files,
killed when it takes too long, and without the server's secrets in its environment.

stdin: one line of JSON, then kept open by the server. stdout: one JSON document.
"""

import json
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

from tierwright.common.core_errors import SimulatorError
from tierwright.common.errors import defect_of
from tierwright.trace.reading import Trace, column_names, preview
from tierwright_server.jobs.confine import confine
from tierwright_server.jobs.limits import cap_memory, die_with_parent, write_no_files


def read_head(trace: dict[str, Any]) -> dict[str, Any]:
    """Read the head of a trace.

    Parameters
    ----------
    trace : dict
        Argument group of the core.

    Returns
    -------
    dict
        `found`, what the core understood; or `error` with `message`, `hint`, the
        `candidates` for its format and the `columns` it would have as a table.
    """
    try:
        return {"found": preview(Trace.of(trace))}
    except SimulatorError as error:
        message, *rest = error.args
        return {
            "error": {
                "message": str(message),
                "hint": str(rest[0]) if rest and rest[0] else None,
                "candidates": list(getattr(error, "candidates", ())),
                "columns": _columns_of(trace["path"]),
            }
        }


def _columns_of(path: str) -> list[str]:
    """Name the columns of a table; none where the file is none, or cannot be read."""
    try:
        return column_names(Path(path))
    except SimulatorError:
        return []


def main() -> int:
    """Read the head of the file that stdin names."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's to handle
    spec: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    confine(spec["reads"], spec["writes"])
    die_with_parent(spec["parent_pid"])
    write_no_files()
    cap_memory(spec["memory_bytes"])
    try:
        answer = read_head(spec["trace"])
    except MemoryError:
        answer = {"out_of_memory": True}
    except Exception as error:
        traceback.print_exc()
        answer = {"defect": defect_of(error)[0]}
    sys.stdout.write(json.dumps(answer))
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # The thread that watches stdin would keep an ordinary exit waiting.
    os._exit(code)
