"""Writes docs/reproduction.md: each paper's tables and figures beside what Tierwright computes.

``python scripts/generate_reproduction.py [NAME ...]`` computes every experiment, or those of which the id begins
with a NAME, keeps the outcomes in fixtures/reproduction/outcomes.json, and writes the page and its pictures;
``make reproduce`` runs it. It takes some minutes and needs nothing but what is shipped.

``--check`` computes again what is not long, and compares outcomes, page and pictures with what is there;
exit 1 where they differ.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from reproduction.frame import Experiment, kept
from reproduction.lab import Lab
from reproduction.page import PICTURES, page, pictures
from reproduction.table import EXPERIMENTS

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reproduction.md"
OUTCOMES = ROOT / "fixtures" / "reproduction" / "outcomes.json"


def main(arguments: Sequence[str]) -> int:
    """Compute, keep and write."""
    asked = _asked(arguments)
    if asked.check:
        return check()
    names: list[str] = asked.names
    documents = read() if names and OUTCOMES.exists() else {}
    chosen = [
        each
        for each in EXPERIMENTS
        if not names or any(each.id.startswith(name) for name in names)
    ]
    documents |= compute(chosen, print)
    documents = {each.id: documents[each.id] for each in EXPERIMENTS}
    OUTCOMES.parent.mkdir(exist_ok=True)
    OUTCOMES.write_text(outcomes_text(documents), encoding="utf-8")
    write(documents)
    return 0


def _asked(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the arguments; exit where no experiment begins with a name."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="start of an id")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    asked = parser.parse_args(arguments)
    for name in asked.names:
        if not any(each.id.startswith(name) for each in EXPERIMENTS):
            ids = ", ".join(each.id for each in EXPERIMENTS)
            parser.error(f"no experiment begins with `{name}`; there are {ids}")
    return asked


def compute(
    experiments: Sequence[Experiment], say: Callable[[str], object] = lambda _: None
) -> dict[str, Any]:
    """Return what is kept of some experiments."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="tierwright-reproduce-") as scratch:
        lab = Lab(Path(scratch))
        for each in experiments:
            start = time.monotonic()
            found[each.id] = kept(each.compute(lab))
            say(f"{time.monotonic() - start:6.1f} s  {each.id}")
    return found


def read() -> dict[str, Any]:
    """Return the outcomes that are kept."""
    found: dict[str, Any] = json.loads(OUTCOMES.read_text(encoding="utf-8"))
    return found


def outcomes_text(documents: dict[str, Any]) -> str:
    """Return the outcomes as they are kept: one line for figures, one for each line of points."""
    parts = []
    for name, document in documents.items():
        lines = ",\n".join(
            f"   {json.dumps(line)}: {json.dumps(points)}"
            for line, points in document["lines"].items()
        )
        values = json.dumps(document["values"], ensure_ascii=False)
        parts.append(
            f' {json.dumps(name)}: {{\n  "values": {values},\n  "lines": {{\n{lines}\n  }}\n }}'
        )
    return "{\n" + ",\n".join(parts) + "\n}\n"


def written(documents: dict[str, Any]) -> dict[Path, str]:
    """Return the generated files and what belongs in them."""
    folder = PAGE.parent / PICTURES
    return {
        PAGE: page(documents),
        **{folder / name: text for name, text in pictures(documents).items()},
    }


def write(documents: dict[str, Any]) -> None:
    """Write the page and its pictures, and remove pictures that it no longer has."""
    files = written(documents)
    folder = PAGE.parent / PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.svg"):
        if path not in files:
            path.unlink()
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)} and {len(files) - 1} pictures")


def stale() -> list[str]:
    """Name what a run of `make reproduce` would change, as far as the quick experiments show."""
    return stale_outcomes() + stale_files()


def stale_outcomes(paper: str | None = None) -> list[str]:
    """Name the outcomes of quick experiments, all or a paper's, that are no longer what is computed."""
    documents = read()
    quick = [
        each for each in EXPERIMENTS if not each.is_long and paper in (None, each.paper)
    ]
    return [
        f"outcome `{name}`"
        for name, document in compute(quick).items()
        if documents.get(name) != document
    ]


def stale_files() -> list[str]:
    """Name the generated files that are not those of the outcomes that are kept."""
    documents = read()
    if set(documents) != {each.id for each in EXPERIMENTS}:
        return ["the list of outcomes"]
    return [
        str(path.relative_to(ROOT))
        for path, text in written(documents).items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]


def check() -> int:
    """Compare what is there with what would be written."""
    found = stale()
    for each in found:
        print(f"not fresh: {each}")
    if found:
        print("hint: run `make reproduce`")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
