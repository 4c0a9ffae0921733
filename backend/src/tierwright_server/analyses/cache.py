"""Arrays of analyses in memory: the last few used, each read once."""

import asyncio
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np

from tierwright_server import contents
from tierwright_server.errors import NotFound
from tierwright_server.settings import Settings
from tierwright_server.tables import Analysis


class AnalysisCache:
    """Keeps the arrays used last; those of one analysis never change.

    Parameters
    ----------
    entries : int
        Analyses kept.
    """

    def __init__(self, entries: int) -> None:
        self._entries = entries
        self._kept: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._lock = threading.Lock()

    async def get(self, settings: Settings, analysis: Analysis) -> dict[str, Any]:
        """Return the arrays, reading them in a thread if need be.

        Raises
        ------
        NotFound
            The file is gone.
        """
        with self._lock:
            found = self._kept.get(analysis.id)
            if found is not None:
                self._kept.move_to_end(analysis.id)
                return found
        path = contents.analysis_path(settings, analysis.content_id, analysis.id)
        found = await asyncio.to_thread(_read, path)
        with self._lock:
            self._kept[analysis.id] = found
            while len(self._kept) > self._entries:
                self._kept.popitem(last=False)
        return found


def _read(path: Path) -> dict[str, Any]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return dict(file)
    except FileNotFoundError:
        raise NotFound(
            "the result of this analysis is gone from the data folder",
            hint="Ask for it again: it is then computed anew.",
        ) from None
