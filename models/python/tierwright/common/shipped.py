"""Where the files that come with the product lie: in the wheel, or in the repository."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_IN_WHEEL = _PACKAGE / "shipped"
_REPOSITORY = _PACKAGE.parents[2]


def shipped_folder() -> Path:
    """Folder that holds `fixtures` and `docs`: of the installed wheel, else the repository."""
    return _IN_WHEEL if _IN_WHEEL.is_dir() else _REPOSITORY
