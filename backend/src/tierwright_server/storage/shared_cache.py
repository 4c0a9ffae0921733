"""What was loaded last, within a number of bytes; whoever asks together waits for one load."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class SharedCache(Generic[T]):
    """Keeps values that never change, in the memory of one event loop.

    Parameters
    ----------
    most_bytes : int
        What is kept together; the last value stays even where it alone is larger.
    size_of : callable
        Bytes of a value.
    """

    def __init__(self, most_bytes: int, size_of: Callable[[T], int]) -> None:
        self._most_bytes = most_bytes
        self._size_of = size_of
        self._kept: OrderedDict[str, tuple[T, int]] = OrderedDict()
        self._loading: dict[str, asyncio.Task[T]] = {}

    @property
    def bytes(self) -> int:
        """Bytes of all that is kept."""
        return sum(size for _, size in self._kept.values())

    async def get(self, key: str, load: Callable[[], Awaitable[T]]) -> T:
        """Return a value, loading it unless somebody has or does.

        A load goes on when who asked for it goes away: others may wait for it.
        """
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
            return found[0]
        task = self._loading.get(key)
        if task is None:
            task = asyncio.create_task(self._load(key, load))
            self._loading[key] = task
            task.add_done_callback(lambda done: self._ended(key, done))
        return await asyncio.shield(task)

    def drop(self, key: str) -> None:
        """Forget a value."""
        self._kept.pop(key, None)

    async def _load(self, key: str, load: Callable[[], Awaitable[T]]) -> T:
        value = await load()
        self._kept[key] = value, self._size_of(value)
        while len(self._kept) > 1 and self.bytes > self._most_bytes:
            self._kept.popitem(last=False)
        return value

    def _ended(self, key: str, task: asyncio.Task[T]) -> None:
        self._loading.pop(key, None)
        # Where nobody waits any more, nobody else would look at its error.
        if not task.cancelled():
            task.exception()
