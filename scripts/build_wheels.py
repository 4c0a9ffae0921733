"""Builds the two wheels into an emptied `dist/`, one a package, the same bytes each time.

`tierwright` holds the compiled core, the models, the command and the shipped facts;
`tierwright-server` the API, its migrations and the built page. Neither needs a compiler or Node
where it is installed. Each is built from a copy of its folder, with what lies elsewhere in the
repository beside it. `--again` builds them anew from nothing, in another folder, and compares.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
TOOLS = ROOT / ".venv" / "bin"
TARGET = ROOT / "models" / "target"
"""That of the set-up, whose compiled crates are known again: same flags, same times of sources."""
STAGE = "wheels"
"""Where in it the copies lie from which they are packed."""
EPOCH = "315532800"
"""The least time that a ZIP archive can hold, for every file: the wheel is the same each time."""
WHEELS = (
    re.compile(r"tierwright-[\d.]+-cp311-abi3-manylinux_2_\d+_\w+\.whl"),
    re.compile(r"tierwright_server-[\d.]+-py3-none-any\.whl"),
)
"""One a package: the core for every Python from 3.11 on, and for Linux systems with glibc."""
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


def flags(target: Path) -> str:
    """Return the compiler's flags, of the set-up and of the wheels alike: no path of a machine stays in what is built."""
    # The last that fits counts; between flags stands a unit separator, for paths with spaces.
    places = {
        ROOT: "tierwright",
        target: "target",
        target / STAGE: "tierwright",
        Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo")): "cargo",
    }
    return "\x1f".join(
        [
            *os.environ.get("RUSTFLAGS", "").split(),
            *(f"--remap-path-prefix={place}={name}" for place, name in places.items()),
        ]
    )


def pack_core(folder: Path, dist: Path, target: Path) -> None:
    """Build `tierwright`."""
    shipped = folder / "python" / "tierwright" / "shipped"
    fixtures = ROOT / "fixtures"
    for name in (
        "described",
        "devices",
        "exchange-rates",
        "parts",
        "price-history",
        "prices",
        "production",
        "servers",
        "vectors",
        "volumes",
    ):
        shutil.copytree(fixtures / name, shipped / "fixtures" / name)
    shutil.copy(fixtures / "scale-errors.toml", shipped / "fixtures")
    (shipped / "fixtures" / "traces").mkdir()
    for path in (fixtures / "traces").glob("tpcc-20w-cut*"):
        shutil.copy(path, shipped / "fixtures" / "traces")
    (shipped / "docs" / "models").mkdir(parents=True)
    for path in (ROOT / "docs" / "models").glob("*.md"):
        shutil.copy(path, shipped / "docs" / "models")
    run(
        *(TOOLS / "maturin", "build", "--release"),
        *("--interpreter", TOOLS / "python", "--out", dist),
        cwd=folder,
        CARGO_TARGET_DIR=str(target),
        CARGO_ENCODED_RUSTFLAGS=flags(target),
        VIRTUAL_ENV=str(ROOT / ".venv"),
    )


def pack_server(folder: Path, dist: Path) -> None:
    """Build `tierwright-server`."""
    package = folder / "src" / "tierwright_server"
    shutil.move(folder / "migrations", package / "migrations")
    shutil.copytree(ROOT / "frontend" / "dist", package / "page_files")
    run(TOOLS / "hatchling", "build", "-t", "wheel", "-d", dist, cwd=folder)


def build(dist: Path, target: Path) -> dict[str, str]:
    """Build both into an emptied folder, and return the hash of each."""
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir()
    stage = target / STAGE
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir(parents=True)
    pack_core(copied("models", stage), dist, target)
    pack_server(copied("backend", stage), dist)
    shutil.rmtree(stage)
    return hashes(dist)


def hashes(dist: Path) -> dict[str, str]:
    """Return the SHA-256 of each file, once each is what it has to be."""
    names = sorted(path.name for path in dist.iterdir())
    if len(names) != len(WHEELS) or not all(
        wanted.fullmatch(name) for wanted, name in zip(WHEELS, names, strict=True)
    ):
        raise SystemExit(
            f"error: {dist} does not hold one wheel a package, for glibc and the stable ABI: "
            f"{', '.join(names) or 'nothing'}\nhint: make wheels"
        )
    return {
        name: hashlib.sha256((dist / name).read_bytes()).hexdigest() for name in names
    }


def main() -> None:
    """Build both, or build them again and compare."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--again", action="store_true", help="compare with dist/")
    options.add_argument(
        "--flags", action="store_true", help="print those of the compiler, and end"
    )
    asked = options.parse_args()
    if asked.flags:
        print(flags(TARGET))
        return
    if not asked.again:
        for name, is_now in build(DIST, TARGET).items():
            size = (DIST / name).stat().st_size / 1e6
            print(f"dist/{name}  {size:.1f} MB  sha256 {is_now}")
        return
    first = hashes(DIST)
    with tempfile.TemporaryDirectory(prefix="tierwright wheels ") as made:
        second = build(Path(made) / "dist", Path(made) / "target")
    for name, was in first.items():
        if second.get(name) != was:
            raise SystemExit(f"error: built again, {name} is not the same")
        print(f"the same: {name}  sha256 {was}")


if __name__ == "__main__":
    main()
