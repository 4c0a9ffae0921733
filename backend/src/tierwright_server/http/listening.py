"""Work for one request that ends when its client has gone."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from fastapi import Request

from tierwright_server.common.errors import Unavailable

T = TypeVar("T")


async def while_listening(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return what the work returns; cancel it when the client closes the connection.

    An endpoint alone is not told of it: its work would go on, and hold a slot, for nobody.

    Parameters
    ----------
    request : Request
        Its body has been read.
    work : coroutine
        Ends soon when it is cancelled.

    Raises
    ------
    Unavailable
        If the client has disconnected; nobody reads it.
    """
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise Unavailable("the client has disconnected")
    finally:
        for each in (task, gone):
            each.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
