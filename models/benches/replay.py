"""Measures replays and curves: ``make bench``, or this file with names to measure only those.

The measuring is `replay.rs` beside this file, built and run by cargo: 20 million seeded Zipf(0.9)
accesses over 2 million pages, from memory, on one thread.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MODELS = Path(__file__).resolve().parents[1]


def main() -> int:
    """Run the bench."""
    command = ["cargo", "bench", "--locked", "--package", "tierwright-simulator"]
    command += ["--bench", "replay", "--", *sys.argv[1:]]
    return subprocess.run(command, cwd=MODELS, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
