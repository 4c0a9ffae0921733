"""Fails when the page's generated client is older than the OpenAPI document."""

from __future__ import annotations

import filecmp
import subprocess
import sys
import tempfile
from pathlib import Path

FRONTEND = Path(__file__).resolve().parent.parent / "frontend"
COMMITTED = FRONTEND / "src" / "api" / "gen"


def files(folder: Path) -> set[Path]:
    """Return the files below ``folder``, relative to it."""
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}


def main() -> int:
    """Generate the client beside the committed one and compare."""
    with tempfile.TemporaryDirectory(dir=FRONTEND, prefix=".client-") as folder:
        fresh = Path(folder) / "gen"
        # As `npm run generate`, into another folder.
        for command in (
            ["npx", "openapi-ts", "--output", str(fresh)],
            ["node", "scripts/bounds.ts", str(fresh)],
        ):
            done = subprocess.run(
                command, cwd=FRONTEND, check=False, capture_output=True, text=True
            )
            if done.returncode != 0:
                print(done.stdout + done.stderr)
                return 1
        names = sorted(files(fresh) | files(COMMITTED), key=str)
        _, different, missing = filecmp.cmpfiles(
            fresh, COMMITTED, [str(name) for name in names], shallow=False
        )
    if different or missing:
        print(f"error: frontend/src/api/gen is not fresh: {different + missing}")
        print("hint: run `make generate` and commit the result")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
