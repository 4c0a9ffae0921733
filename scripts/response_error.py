"""How far the response times of `evaluate/response` are off a simulated queue, by utilisation.

``python scripts/response_error.py [--accesses N]`` prints the table of docs/models/response.md. Every
access reads a page of a device and causes a write for three of ten, in the background; a write takes
twice as long as a read. Arrivals are a Poisson process. The simulation is that of the core
(`tierwright.simulate.timed`).
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

import numpy as np

from tierwright.evaluate.response.mixture import (
    Way,
    mean_response,
    response_quantile,
)
from tierwright.evaluate.response.queue import SERVICES, Mix, Service, waiting
from tierwright.simulate.timed import Arrivals, DeviceTimes, replay_timed
from tierwright.trace.reading import Trace

UTILISATIONS = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95)
SERVERS = (1, 4, 16, 64)
READ_S, WRITE_S = 1e-3, 2e-3
WRITES = 0.3
SHARES = (0.99, 0.999)
US_PER_S = 1e6


def trace(path: Path, accesses: int) -> Trace:
    """Write a trace in which every access misses, and three of ten write."""
    draw = random.Random(1)
    with path.open("w", encoding="ascii") as out:
        out.write("time_us,op,rel,block\n")
        for at in range(accesses):
            out.write(f"{at},{'W' if draw.random() < WRITES else 'R'},0/1,{at}\n")
    return Trace(path)


def errors(
    of: Trace, servers: int, utilisation: float, service: Service
) -> tuple[float, float, float]:
    """(model - simulation) / simulation of mean, 99th and 99.9th percentile. [1]"""
    times = DeviceTimes(1, servers, READ_S, WRITE_S, READ_S, WRITE_S)
    rate = utilisation * servers / (READ_S + WRITES * WRITE_S)
    found = replay_timed(
        of,
        "none",
        1,
        0,
        arrivals=Arrivals("poisson", accesses_per_s=rate),
        flash=times,
        disk=times,
        exponential=service == "exponential",
        warm_up=0.1,
    )["response"]
    mix = Mix.checked(np.array([1, WRITES]) / (1 + WRITES), [READ_S, WRITE_S], service)
    wait = waiting(rate * (1 + WRITES), servers=servers, mix=mix)
    varying = (READ_S,) if service == "exponential" else ()
    ways = [Way("disk", 1.0, READ_S, (wait,), varying)]
    model = (
        float(mean_response(ways)),
        *response_quantile(ways, SHARES).tolist(),
    )
    simulated = (found["mean_us"], found["p99_us"], found["p999_us"])
    first, second, third = (
        one * US_PER_S / other - 1 for one, other in zip(model, simulated, strict=True)
    )
    return first, second, third


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accesses", type=int, default=2_000_000)
    accesses = parser.parse_args().accesses
    heads = [f"{100 * each:.0f} %" for each in UTILISATIONS]
    with tempfile.TemporaryDirectory() as folder:
        of = trace(Path(folder) / "misses.csv", accesses)
        print(f"| service | c | of | {' | '.join(heads)} |")
        print(f"|---|---:|---|{'---:|' * len(heads)}")
        for service in SERVICES:
            for servers in SERVERS:
                columns = [errors(of, servers, each, service) for each in UTILISATIONS]
                for at, name in enumerate(("mean", "p99", "p99.9")):
                    cells = " | ".join(f"{100 * each[at]:+.0f}" for each in columns)
                    print(f"| {service} | {servers} | {name} | {cells} |")


if __name__ == "__main__":
    main()
