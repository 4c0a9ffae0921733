"""One formula in a process of its own: `python -m tierwright_server.questions.formulas.child`.

stdin: one line of JSON, then kept open by the server. stdout: one JSON document.
"""

import json
import os
import signal
import sys
from typing import Any

from tierwright_server.jobs.confine import confine
from tierwright_server.jobs.limits import cap_files, cap_memory, die_with_parent

MOST_FILE_BYTES = 16 * 2**20
"""Of the trace that a replay reads."""


def main() -> int:
    """Ask the formula that stdin names."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's to handle
    spec: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    confine()
    die_with_parent(spec["parent_pid"])
    cap_files(MOST_FILE_BYTES)
    cap_memory(spec["memory_bytes"])
    from tierwright.catalogue.limited import document_of

    sys.stdout.write(json.dumps(document_of(spec["name"], spec["inputs"])))
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # The thread that watches stdin would keep an ordinary exit waiting.
    os._exit(code)
