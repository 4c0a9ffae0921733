"""Arrays of analyses in memory: those used last, each read once."""

import asyncio
import io
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from tierwright_server.common.sealed import Damaged, opened
from tierwright_server.common.settings import Settings
from tierwright_server.jobs.runs.states import RunKind
from tierwright_server.replays.analyses import category_counts
from tierwright_server.storage import contents, shared_store
from tierwright_server.storage.shared_cache import SharedCache
from tierwright_server.storage.tables import Result

ADDED: Mapping[str, tuple[str, ...]] = {RunKind.WINDOWS.value: ("pages_written",)}
"""Arrays by kind of analysis that earlier versions did not store: without them it is computed again."""
Decode = Callable[[Mapping[str, Any], Mapping[str, Any]], dict[str, Any]]
DECODED: Mapping[str, Decode] = {
    RunKind.CATEGORY_COUNTS.value: category_counts.decoded,
}
"""What is made of the arrays and the inputs of an analysis by kind, and kept in their place: what has `nbytes`."""


class AnalysisCache:
    """Keeps the arrays used last; those of one analysis never change.

    Parameters
    ----------
    most_bytes : int
        Bytes of the arrays kept.
    """

    def __init__(self, most_bytes: int) -> None:
        self._kept = SharedCache[dict[str, Any]](most_bytes, _bytes_of)

    async def get(self, settings: Settings, analysis: Result) -> dict[str, Any]:
        """Return the arrays, reading them in a thread if need be.

        Raises
        ------
        FileNotFoundError
            The file is gone.
        Damaged
            The file is not what was written, or lacks an array of `ADDED`.
        """
        path = contents.analysis_path(settings, analysis.content_id, analysis.id)
        await shared_store.here(settings, path)
        with suppress(OSError):  # the load says what is wrong
            os.utime(path)  # read now: it does not expire
        return await self._kept.get(
            analysis.id,
            lambda: asyncio.to_thread(_read_all, path, analysis.kind, analysis.inputs),
        )

    def drop(self, analysis_id: str) -> None:
        """Forget an analysis that was deleted."""
        self._kept.drop(analysis_id)


def read_arrays(path: Path) -> dict[str, Any]:
    """Read the arrays of an analysis.

    Raises
    ------
    FileNotFoundError, Damaged
    """
    with (
        opened(path) as content,
        np.load(io.BytesIO(content), allow_pickle=False) as file,
    ):
        return dict(file)


def _read_all(path: Path, kind: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Read the arrays of an analysis of a kind, none missing; of a kind of `DECODED` what is made of them."""
    arrays = read_arrays(path)
    for name in ADDED.get(kind, ()):
        if name not in arrays:
            raise Damaged(f"{path.name} was stored before `{name}` was counted")
    return DECODED[kind](arrays, inputs) if kind in DECODED else arrays


def _bytes_of(arrays: dict[str, Any]) -> int:
    return sum(array.nbytes for array in arrays.values())
