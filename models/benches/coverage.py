"""How often sampled intervals hold the exact counts: ``coverage.py TRACE... [--rate R]``.

For each trace and rate: the exact profile, then one sampled profile for each seed, at the about
1,000 log-spaced sizes of a profile and at 1,000 evenly spaced ones. Prints the share of sizes and
seeds at which the interval holds the exact count, of misses and write-backs; the mean absolute
error of the miss ratio, over seeds and of the worst seed; and the mean width of the interval.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from tierwright.hit_ratio import Curve
from tierwright.simulate import Trace, profile, sampled_profile

EVEN_SIZES = 1000
HEADINGS = (
    f"{'trace':16} {'rate':>6} {'sizes':6} {'misses':>7} {'writes':>7} "
    f"{'error':>8} {'worst':>8} {'width':>8}"
)


def even_sizes(distinct_pages: int) -> tuple[int, ...]:
    """Return sizes at equal steps up to all pages."""
    steps = np.linspace(1, distinct_pages, EVEN_SIZES)
    return tuple(sorted({int(size) for size in np.rint(steps)}))


def compare(trace: Trace, exact: Curve, rate: float, seeds: int) -> list[str]:
    """Return a line for the log-spaced sizes and one for the even ones."""
    even = even_sizes(exact.distinct_pages)
    held: dict[str, list[tuple[float, float, float, float]]] = {"log": [], "even": []}
    for seed in range(seeds):
        for name, points, also in (("log", 1000, ()), ("even", 2, even)):
            found = sampled_profile(trace, rate, sizes=also, points=points, seed=seed)
            if found.sampled is None:
                continue
            sampled, sizes = found.sampled, found.curve.pages
            misses, backs = exact.misses(sizes), exact.write_backs(sizes)
            inside = (sampled.misses_low <= misses) & (misses <= sampled.misses_high)
            below = sampled.write_backs_low <= backs
            backs_inside = below & (backs <= sampled.write_backs_high)
            errors = np.abs(found.curve.misses_at - misses) / exact.accesses
            width = (sampled.misses_high - sampled.misses_low) / exact.accesses
            means = (inside, backs_inside, errors, width)
            held[name].append(tuple(float(values.mean()) for values in means))  # type: ignore[arg-type]  # four of them
    lines = []
    for name, runs in held.items():
        misses_held, backs_held, error, width_held = np.mean(runs, axis=0)
        worst = max(run[2] for run in runs)
        lines.append(
            f"{trace.path.stem[:16]:16} {rate:6g} {name:6} {misses_held:7.3f} "
            f"{backs_held:7.3f} {error:8.4f} {worst:8.4f} {width_held:8.4f}"
        )
    return lines


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Coverage of sampled intervals.")
    parser.add_argument("traces", nargs="+", type=Path)
    parser.add_argument("--rate", type=float, action="append")
    parser.add_argument("--seeds", type=int, default=50)
    given = parser.parse_args()
    sys.stdout.write(HEADINGS + "\n")
    for path in given.traces:
        trace = Trace(path)
        distinct = profile(trace, points=2).curve.distinct_pages
        exact = profile(trace, sizes=even_sizes(distinct), points=distinct).curve
        for rate in given.rate or [0.01, 0.1]:
            for text in compare(trace, exact, rate, given.seeds):
                sys.stdout.write(text + "\n")
                sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
