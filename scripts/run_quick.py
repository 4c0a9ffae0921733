"""What is worth knowing after every save, in under a minute on two idle cores.

``python scripts/run_quick.py``: linters, types, import rules, the Python tests that start no
program (10 examples for each property), and the page's tests of files that are not committed yet;
the core's own tests only where the core is not committed yet. Closes with what it left out.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from run_tests import BIN, environment

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("-p", "tierwright", "-p", "tierwright_server")
SHOWN_LINES = 40
LEFT_OUT = (
    "tests that start programs or need PostgreSQL, slow ones, all but 10 examples of a property: "
    "make test-python",
    "page tests of committed files, stories in the browser: make test-page test-e2e",
    "the core's tests and clippy, unless the core is changed: make test-rust check",
    "whether generated files are fresh: make check",
    "wheels, containers, soak: make test-long",
)


@dataclass(frozen=True)
class Task:
    """One command, and where it runs."""

    name: str
    command: tuple[str, ...]
    folder: Path = ROOT


@dataclass(frozen=True)
class Ended:
    """What a task said."""

    task: Task
    failed: bool
    seconds: float
    output: str


def changed() -> list[str]:
    """Return the files that are not committed."""
    listed = subprocess.run(
        ["git", "status", "--porcelain", "--untracked-files=all"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return [line[3:] for line in listed.stdout.splitlines()]


def tasks() -> list[Task]:
    """Return what to do, the longest first."""
    page = ROOT / "frontend"
    found = [
        Task(
            "tests in Python",
            (
                *(sys.executable, "-m", "pytest", "-q", "-n", "auto"),
                *("-m", "not process and not slow and not long", "--dist", "worksteal"),
            ),
        ),
        Task("mypy", (str(BIN / "mypy"), *PACKAGES)),
        Task("tsc", ("npx", "tsc", "--noEmit", "--incremental"), page),
        Task("biome", ("npx", "biome", "ci", "."), page),
    ]
    files = changed()
    if any(name.startswith("frontend/src/") for name in files):
        arguments = ("vitest", "run", "--changed", "--passWithNoTests")
        found.append(Task("tests of the page", ("npx", *arguments), page))
    if any(name.startswith("models/crates/") for name in files):
        cargo = ("cargo", "test", "--locked", "--manifest-path", "models/Cargo.toml")
        core = ("--package", "tierwright-simulator", "--lib")
        found.append(Task("tests of the core", (*cargo, *core)))
    return [
        *found,
        Task("imports", (str(BIN / "lint-imports"),)),
        Task("words", (sys.executable, "scripts/check_words.py")),
        Task("ruff", (str(BIN / "ruff"), "check", ".")),
        Task("ruff format", (str(BIN / "ruff"), "format", "--check", ".")),
    ]


def carry_out(task: Task) -> Ended:
    """Run a task; keep what it says."""
    start = time.monotonic()
    done = subprocess.run(
        task.command,
        cwd=task.folder,
        env=environment() | {"HYPOTHESIS_PROFILE": "quick", "CI": ""},
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return Ended(
        task, done.returncode != 0, time.monotonic() - start, done.stdout.strip()
    )


def summary(output: str) -> str:
    """Return the line of counts of a test run; nothing of others."""
    lines = re.findall(r"^.*\d+ passed.*$", output, re.MULTILINE)
    return f"  {lines[-1].strip('= ')}" if lines else ""


def main() -> int:
    """Run everything side by side."""
    start = time.monotonic()
    failed = False
    with ThreadPoolExecutor(max(2, os.cpu_count() or 2)) as pool:
        for ended in pool.map(carry_out, tasks()):
            mark = "FAIL" if ended.failed else "ok  "
            line = f"{mark} {ended.task.name:<18} {ended.seconds:5.1f} s"
            print(line + summary(ended.output), flush=True)
            if ended.failed:
                failed = True
                print("\n".join(ended.output.splitlines()[-SHOWN_LINES:]))
    print(f"{time.monotonic() - start:.0f} s. Left out:")
    for what in LEFT_OUT:
        print(f"  {what}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
