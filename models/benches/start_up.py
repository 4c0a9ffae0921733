"""The bench of the start: processor time of the quickest command beside its two libraries.

`tierwright formats` imports typer, and with it pydantic; a command that takes more than twice what
these take alone imports something heavy. Prints one line; exits 1 beyond the bar.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

BAR = 2.0
RUNS = 5
TIERWRIGHT = Path(sys.executable).parent / "tierwright"


def processor_s(command: list[str]) -> float:
    """Return the least processor time of several runs. [s]"""
    took = []
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True, timeout=60)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return min(took)


def main() -> int:
    """Measure, print, and say whether the bar was kept."""
    bare = processor_s([sys.executable, "-c", "import typer, pydantic.main"])
    ours = processor_s([str(TIERWRIGHT), "formats"])
    sys.stdout.write(
        f"start of `tierwright formats`: {ours:.3f} s of processor time, {ours / bare:.2f} times "
        f"its libraries alone (bar {BAR:g})\n"
    )
    return 0 if ours < BAR * bare else 1


if __name__ == "__main__":
    sys.exit(main())
