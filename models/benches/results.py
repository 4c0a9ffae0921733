"""What benches leave: the JSON, of which each writes the part that it measured, and the parts of pages between two marks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read(path: Path) -> dict[str, Any]:
    """Return what was measured so far; nothing where there is no file yet."""
    if not path.exists():
        return {}
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def keep(path: Path, part: str, value: object) -> None:
    """Write one part into the file."""
    document = read(path) | {part: value}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def between(page: str, begin: str, end: str, text: str) -> str:
    """Return a page with a text between two of its marks; without them there is no place for it."""
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"error: the page has no marks `{begin}` and `{end}`")
    return f"{before}{begin}\n{text}\n{end}{after}"
