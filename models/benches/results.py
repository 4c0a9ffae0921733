"""The JSON of the bench: every part of it is written by the bench that measured it, the others stay."""

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
