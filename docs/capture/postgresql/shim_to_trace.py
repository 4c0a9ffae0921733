#!/usr/bin/env python3
"""Turn the logs of ``shim.c`` into a page trace (PostgreSQL reference CSV).

    python3 shim_to_trace.py FOLDER trace.csv

A row is one 8 KiB block below the buffer pool: ``time_us,io,rel,block``, with
``rel`` = database/relfilenode (and its fork). Standard library only.
"""

from __future__ import annotations

import argparse
import heapq
import re
import sys
from collections.abc import Iterator
from pathlib import Path

BLOCK_BYTES = 8192
SEGMENT_BLOCKS = 131072  # a file holds 1 GiB
PATH = re.compile(
    r"(?:base|pg_tblspc/\d+/[^/]+)/(?P<database>\d+)/(?:t\d+_)?(?P<file>\d+)"
    r"(?P<fork>_fsm|_vm|_init)?(?:\.(?P<segment>\d+))?"
    r"|global/(?P<shared>\d+)(?P<shared_fork>_fsm|_vm|_init)?(?:\.(?P<shared_segment>\d+))?",
)


def rows_of(log: Path) -> Iterator[tuple[int, str, str, int]]:
    """Time in ns, op, relation and block of each page of one process's log."""
    text = log.read_text(encoding="utf-8", errors="replace")
    lines = text.split("\n")
    # What follows the last line end was cut off with the process.
    for number, line in enumerate(lines[:-1], start=1):
        words = line.split(" ")
        if len(words) != 5 or words[1] not in ("R", "W"):
            sys.exit(
                f"error: {log}:{number}: {line[:200]!r} is not `time_ns op path offset"
                " length`\nhint: the folder must hold only logs of shim.c"
            )
        match = PATH.fullmatch(words[2])
        if match is None:
            continue  # a control or map file, not a relation
        if match["shared"]:
            relation = f"0/{match['shared']}{match['shared_fork'] or ''}"
            segment = int(match["shared_segment"] or 0)
        else:
            relation = f"{match['database']}/{match['file']}{match['fork'] or ''}"
            segment = int(match["segment"] or 0)
        offset, length = int(words[3]), int(words[4])
        first = offset // BLOCK_BYTES
        for block in range(first, (offset + length - 1) // BLOCK_BYTES + 1):
            yield int(words[0]), words[1], relation, segment * SEGMENT_BLOCKS + block


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", type=Path, help="TIERWRIGHT_SHIM_DIR of the run")
    parser.add_argument("trace", type=Path, help="the CSV to write")
    arguments = parser.parse_args()
    logs = sorted(arguments.folder.glob("*.log"))
    if not logs:
        sys.exit(
            f"error: {arguments.folder} holds no *.log\n"
            "hint: was the server started with LD_PRELOAD and TIERWRIGHT_SHIM_DIR set?"
        )
    start_ns = None
    rows = 0
    with arguments.trace.open("w", encoding="ascii", newline="\n") as out:
        # `io`, not `op`: the reader then says that the buffer pool stood above.
        out.write("time_us,io,rel,block\n")
        for time_ns, op, relation, block in heapq.merge(*map(rows_of, logs)):
            start_ns = time_ns if start_ns is None else start_ns
            out.write(f"{(time_ns - start_ns) // 1000},{op},{relation},{block}\n")
            rows += 1
    print(f"{rows} page reads and writes of {len(logs)} processes", file=sys.stderr)


if __name__ == "__main__":
    main()
