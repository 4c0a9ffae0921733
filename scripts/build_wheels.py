"""Builds the two wheels into an emptied `dist/`, one a package, the same bytes each time.

`tierwright` holds the compiled core, the models, the command and the shipped facts;
`tierwright-server` the API, its migrations and the built page. Neither needs a compiler or Node
where it is installed. Each is built from a copy of its folder, with what lies elsewhere in the
repository beside it.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
TOOLS = ROOT / ".venv" / "bin"
TARGET = ROOT / "models" / "target" / "wheels"
STAGE = TARGET / "stage"
"""Always the same place, so that what is built once is known again."""
EPOCH = "315532800"
"""The least time that a ZIP archive can hold, for every file: the wheel is the same each time."""
NOT_PACKED = shutil.ignore_patterns(
    "__pycache__", "target", "tests", "benches", "*.so", "*.pyc", "node_modules"
)


def run(*command: str | Path, cwd: Path, **variables: str) -> None:
    """Run a tool of the set-up; its output is shown only if it fails."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.stderr.write(done.stdout[-4000:])
        raise SystemExit(f"error: {Path(str(command[0])).name} failed")


def copied(name: str, into: Path) -> Path:
    """Copy a package's folder."""
    return Path(shutil.copytree(ROOT / name, into / name, ignore=NOT_PACKED))


def pack_core(folder: Path) -> None:
    """Build `tierwright`."""
    shipped = folder / "python" / "tierwright" / "shipped"
    fixtures = ROOT / "fixtures"
    for name in ("devices", "exchange-rates", "prices", "vectors"):
        shutil.copytree(fixtures / name, shipped / "fixtures" / name)
    (shipped / "fixtures" / "traces").mkdir()
    for path in (fixtures / "traces").glob("tpcb-cut*"):
        shutil.copy(path, shipped / "fixtures" / "traces")
    (shipped / "docs" / "models").mkdir(parents=True)
    for path in (ROOT / "docs" / "models").glob("*.md"):
        shutil.copy(path, shipped / "docs" / "models")
    # The last that fits counts; between flags stands a unit separator, for paths with spaces.
    places = {
        TARGET: "target",
        STAGE: "tierwright",
        os.environ.get("CARGO_HOME", Path.home() / ".cargo"): "cargo",
    }
    flags = [
        *os.environ.get("RUSTFLAGS", "").split(),
        *(f"--remap-path-prefix={place}={name}" for place, name in places.items()),
    ]
    run(
        *(TOOLS / "maturin", "build", "--release"),
        *("--interpreter", TOOLS / "python", "--out", DIST),
        cwd=folder,
        CARGO_TARGET_DIR=str(TARGET),
        CARGO_ENCODED_RUSTFLAGS="\x1f".join(flags),
        VIRTUAL_ENV=str(ROOT / ".venv"),
    )


def pack_server(folder: Path) -> None:
    """Build `tierwright-server`."""
    package = folder / "src" / "tierwright_server"
    shutil.move(folder / "migrations", package / "migrations")
    shutil.copytree(ROOT / "frontend" / "dist", package / "page_files")
    run(TOOLS / "hatchling", "build", "-t", "wheel", "-d", DIST, cwd=folder)


def main() -> None:
    """Build both."""
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    shutil.rmtree(STAGE, ignore_errors=True)
    STAGE.mkdir(parents=True)
    pack_core(copied("models", STAGE))
    pack_server(copied("backend", STAGE))
    shutil.rmtree(STAGE)
    for path in sorted(DIST.glob("*.whl")):
        print(f"{path.relative_to(ROOT)}  {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
