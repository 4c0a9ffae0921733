"""The conversion log: how a file became accesses, kept with the workload for good.

It belongs to the workload and not to the content: the same accesses may come out of two
files, of which one had bad lines.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tierwright_server.jobs.report import Report

_READ_BYTES = 4 * 2**20


def make_log(
    source: dict[str, Any], asked: dict[str, Any], report: dict[str, Any]
) -> dict[str, Any]:
    """Put the log of a conversion together.

    Parameters
    ----------
    source : dict
        `kind`, `filename`, `address`, `size_bytes`, `sha256` of the file.
    asked : dict
        How it was asked to be read: the fields of `Reading`.
    report : dict
        What the core's `convert` returned.
    """
    return {
        "converted_at": datetime.now(UTC).isoformat(),
        "server_version": version("tierwright-server"),
        "core_version": version("tierwright"),
        "source": source,
        "asked": asked,
        "report": report,
    }


def sha256_of(path: Path, report: Report) -> str:
    """Hash a file, with progress."""
    state = hashlib.sha256()
    phase, total, done = "hashing the file", path.stat().st_size, 0
    report.progress(phase, 0, total)
    with path.open("rb") as file:
        while part := file.read(_READ_BYTES):
            state.update(part)
            done += len(part)
            report.progress(phase, done, total)
    return state.hexdigest()
