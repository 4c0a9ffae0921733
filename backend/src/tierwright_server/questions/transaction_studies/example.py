"""The worked example of studies of transactions: a recording that is shipped."""

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any

from tierwright.hardware.facts import fixtures_folder
from tierwright_server.common.result_ids import result_id
from tierwright_server.jobs.runs.states import RunKind
from tierwright_server.storage.tables import TransactionStudy


def example_path() -> Path:
    """Return the file of its events."""
    return fixtures_folder() / "events" / "pgbench.txt.zst"


def example_source() -> str:
    """Return what the file of its events is known by: the SHA-256 of it."""
    path = example_path()
    return _sha256(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _sha256(path: Path, modified_ns: int) -> str:  # noqa: ARG001 - another file, another hash
    return hashlib.sha256(path.read_bytes()).hexdigest()


def id_of(source: str, inputs: dict[str, Any], version: str) -> str:
    """Return the id of the study of a file, by what it is known by, with these inputs."""
    return result_id([RunKind.TRANSACTION_STUDY.value, source, inputs, version])


def is_example(study: TransactionStudy) -> bool:
    """Say whether the events of a study are the worked example's.

    Its id tells: a file of the same name is another one, and an upload that is gone leaves no other trace.
    """
    return study.id == id_of(example_source(), study.inputs, study.core_version)
