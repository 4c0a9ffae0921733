"""Curves in memory: the last few used, each read once."""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tierwright.hit_ratio import Curve, read_profile
from tierwright_server.contents import (
    ContentKind,
    curve_path,
    kind_of,
    profile_path,
)
from tierwright_server.errors import NotFound
from tierwright_server.settings import Settings


def read_curve(
    path: Path, *, accesses: int, page_bytes: int, write_accesses: int
) -> Curve:
    """Read the whole curve of a content.

    Raises
    ------
    FileNotFoundError
        If it is gone.
    """
    misses, write_backs = np.load(path, mmap_mode="r", allow_pickle=False)
    return Curve.from_full(
        misses,
        write_backs,
        accesses=accesses,
        page_bytes=page_bytes,
        write_accesses=write_accesses,
    )


class CurveCache:
    """Keeps the curves used last; a content's curve never changes.

    Parameters
    ----------
    entries : int
        Curves kept.
    """

    def __init__(self, entries: int) -> None:
        self._entries = entries
        self._curves: OrderedDict[str, Curve] = OrderedDict()
        self._lock = threading.Lock()

    async def get(
        self, settings: Settings, content_id: str, summary: dict[str, Any]
    ) -> Curve:
        """Return the curve of a content, reading it in a thread if need be.

        Raises
        ------
        NotFound
            The file is gone.
        """
        with self._lock:
            curve = self._curves.get(content_id)
            if curve is not None:
                self._curves.move_to_end(content_id)
                return curve
        curve = await asyncio.to_thread(_reader(settings, content_id, summary))
        with self._lock:
            self._curves[content_id] = curve
            while len(self._curves) > self._entries:
                self._curves.popitem(last=False)
        return curve


def _reader(
    settings: Settings, content_id: str, summary: dict[str, Any]
) -> Callable[[], Curve]:
    def read() -> Curve:
        try:
            if kind_of(summary) is not ContentKind.TRACE:
                path = profile_path(settings, content_id)
                path.stat()  # absent: FileNotFoundError, as for a curve
                return read_profile(path).curve
            return read_curve(
                curve_path(settings, content_id),
                accesses=summary["accesses"],
                page_bytes=summary["page_bytes"],
                write_accesses=summary["write_accesses"],
            )
        except FileNotFoundError:
            raise NotFound(
                f"the curves of content `{content_id}` are gone from the data folder",
                hint="Delete the workload and upload its trace again.",
            ) from None

    return read
