"""Folders and prefixes whose traces may be registered where they lie."""

from __future__ import annotations

from pathlib import Path

from tierwright_server.common.settings import Settings


def roots(settings: Settings) -> list[Path]:
    """Return the folders whose files may be registered, all links followed."""
    return [root.resolve() for root in settings.trace_folders]
