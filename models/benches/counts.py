"""The bench of counts: instructions, cache misses and branches of an access, by Cachegrind.

Virtual machines often hide the counters of their processor. Cachegrind (valgrind) runs the same
machine code on a simulated one, so its counts are the same on any machine, however busy: what it
simulates is a first- and a second-level data cache of this machine's sizes and a simple branch
predictor, without prefetching and without any overlap. Instructions are exact for the code that
was built; misses and mispredicted branches are those of the simulated machine. It takes about
fifty times as long as the replays themselves. Writes the rows under `counts` into the JSON of
the bench.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import results
from replay import FOLDER, ROOT, make_traces, say

ACCESSES, PAGES = 20_000_000, 2_000_000
FIRST_LEVEL = "49152,12,64"
SECOND_LEVEL = "1048576,16,64"
"""Bytes, ways and bytes of a line."""
LINES = {
    "instructions": r"I +refs: +([\d,]+)",
    "data_references": r"D +refs: +([\d,]+)",
    "first_level_misses": r"D1 +misses: +([\d,]+)",
    "second_level_misses": r"LLd misses: +([\d,]+)",
    "branches": r"Branches: +([\d,]+)",
    "mispredicted_branches": r"Mispredicts: +([\d,]+)",
}


def rows() -> dict[str, list[str]]:
    """List what is counted: names of the bench of speeds, and arguments of the Rust bench."""
    from tierwright import _simulator

    one = PAGES // 100
    found = {"decoding": ["decode"]}
    for policy in (entry["name"] for entry in _simulator.contenders("policy")):
        found[f"replay {policy} 1 %"] = ["policy", policy, str(one)]
    for scheme in ("lazy", "inclusive", "exclusive"):
        arguments = ["scheme", scheme, str(one), str(6 * one)]
        found[f"two tiers, {scheme} 1 %"] = arguments
    found["exact curves, 1 thread"] = ["curves"]
    found["sampled 1% / exact, 1 thread"] = ["sampled", "0.01"]
    return found


def built() -> Path:
    """Build the Rust bench and return its program.

    Raises
    ------
    SystemExit
        If it cannot be built.
    """
    command = ["cargo", "bench", "--locked", "--no-run", "--package"]
    command += ["tierwright-simulator", "--bench", "replay"]
    command += ["--message-format", "json"]
    done = subprocess.run(
        command, cwd=ROOT / "models", stdout=subprocess.PIPE, text=True, check=False
    )
    for line in done.stdout.splitlines() if done.returncode == 0 else ():
        message = json.loads(line)
        if message.get("executable") and message["target"]["name"] == "replay":
            return Path(message["executable"])
    raise SystemExit(f"error: {' '.join(command)} failed")


def count(valgrind: str, program: Path, trace: Path, what: list[str]) -> dict[str, Any]:
    """Count one run.

    Raises
    ------
    SystemExit
        If Cachegrind failed, or printed something else than it used to.
    """
    with tempfile.TemporaryDirectory(prefix="tierwright-counts-") as folder:
        command = [valgrind, "--tool=cachegrind", "--cache-sim=yes", "--branch-sim=yes"]
        command += [f"--D1={FIRST_LEVEL}", f"--LL={SECOND_LEVEL}"]
        command += [f"--cachegrind-out-file={folder}/out", str(program), "--bench"]
        command += ["--once", str(trace), *what]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"error: {' '.join(command)} failed:\n{done.stderr}")
    accesses = json.loads(done.stdout.strip().splitlines()[-1])["accesses"]
    found: dict[str, Any] = {"accesses": accesses}
    for name, pattern in LINES.items():
        line = re.search(pattern, done.stderr)
        if line is None:
            raise SystemExit(f"error: Cachegrind did not tell {name}:\n{done.stderr}")
        found[name] = int(line.group(1).replace(",", "")) / accesses
    return found


def main() -> int:
    """Count."""
    parser = argparse.ArgumentParser(description="Count what an access takes.")
    parser.add_argument("names", nargs="*", help="only rows that contain one of them")
    parser.add_argument("--json", type=Path, default=FOLDER / "results.json")
    given = parser.parse_args()
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise SystemExit(
            "error: valgrind is not installed\nhint: apt-get install valgrind"
        )
    FOLDER.mkdir(parents=True, exist_ok=True)
    _, trace = make_traces(ACCESSES, PAGES)
    program = built()
    found = []
    for name, what in rows().items():
        if given.names and not any(part in name for part in given.names):
            continue
        say(f"counting: {name}")
        found.append({"name": name, **count(valgrind, program, trace, what)})
        row = found[-1]
        sys.stdout.write(
            f"{name:34} {row['instructions']:8.1f} instructions, "
            f"{row['first_level_misses']:6.2f} and {row['second_level_misses']:6.2f} misses, "
            f"{row['mispredicted_branches']:6.2f} mispredicted\n"
        )
        sys.stdout.flush()
    fresh = {row["name"]: row for row in found}
    before = results.read(given.json).get("counts", {})
    earlier = before.get("rows", ()) if given.names else ()
    kept = [fresh.pop(row["name"], row) for row in earlier]
    counted = {
        "first_level": FIRST_LEVEL,
        "second_level": SECOND_LEVEL,
        "rows": [*kept, *fresh.values()],
    }
    results.keep(given.json, "counts", counted)
    sys.stdout.write(f"{given.json}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
