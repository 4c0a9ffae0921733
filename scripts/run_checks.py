"""Runs linters, type checkers, import rules and freshness checks, the cheap ones first.

``python scripts/run_checks.py [name ...]``; every check runs even when an earlier one failed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CARGO = ["--manifest-path", "models/Cargo.toml"]
CHECKS: dict[str, list[str]] = {
    "ruff": ["ruff", "check", "."],
    "ruff-format": ["ruff", "format", "--check", "."],
    "imports": ["lint-imports"],
    "rooms": ["python", "scripts/check_rooms.py"],
    "words": ["python", "scripts/check_words.py"],
    "compose": ["python", "scripts/check_compose.py"],
    "biome": ["npm", "--prefix", "frontend", "run", "--silent", "check"],
    "mypy": ["mypy", "-p", "tierwright", "-p", "tierwright_server"],
    "stubtest": ["python", "-m", "mypy.stubtest", "tierwright._simulator"],
    "cargo-fmt": ["cargo", "fmt", *CARGO, "--all", "--check"],
    "clippy": [
        "cargo",
        "clippy",
        "--locked",
        *CARGO,
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ],
    "openapi": ["python", "scripts/generate_openapi.py", "--check"],
    "client": ["python", "scripts/check_client.py"],
    "reference": ["python", "scripts/generate_reference.py", "--check"],
    "readme": ["python", "scripts/generate_readme.py", "--check"],
    "gaps": ["python", "scripts/generate_model_gaps.py", "--check"],
    "choices": ["python", "scripts/generate_choices.py", "--check"],
    "regrets": ["python", "scripts/generate_regrets.py", "--check"],
    "reproduction": ["python", "scripts/generate_reproduction.py", "--check"],
    "break-evens": ["python", "scripts/generate_break_evens.py", "--check"],
}


def main(names: list[str]) -> int:
    """Run the named checks, or all."""
    unknown = [name for name in names if name not in CHECKS]
    if unknown:
        print(f"error: unknown check `{unknown[0]}`\nhint: one of {', '.join(CHECKS)}")
        return 2
    env = dict(os.environ)
    env["PATH"] = f"{ROOT / '.venv' / 'bin'}{os.pathsep}{env['PATH']}"
    failed = []
    for name in names or list(CHECKS):
        start = time.monotonic()
        done = subprocess.run(
            CHECKS[name], cwd=ROOT, env=env, check=False, capture_output=True, text=True
        )
        ok = done.returncode == 0
        print(
            f"{'ok  ' if ok else 'FAIL'} {name:<12} {time.monotonic() - start:6.1f} s",
            flush=True,
        )
        if not ok:
            failed.append(name)
            print(done.stdout + done.stderr)
    print(f"\n{len(names or CHECKS) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
