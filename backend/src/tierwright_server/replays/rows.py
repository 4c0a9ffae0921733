"""The worker's side of jobs whose rows are kept as they come: sweeps and miniatures."""

from collections.abc import Awaitable, Callable
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.common.wording import counted
from tierwright_server.common.settings import Settings
from tierwright_server.replays import kept, results
from tierwright_server.storage.tables import Run

Finish = Callable[[AsyncSession, Settings, Run, dict[str, Any]], Awaitable[str]]


async def keep(session: AsyncSession, run: Run, partial: dict[str, Any]) -> None:
    """Store the rows that are done."""
    found = await results.of_run(session, run)
    await kept.keep(session, found.content_id, partial["replays"])


def finish_of(what: str, done: str, told: str | None = None) -> Finish:
    """Return what says how much was done, when all rows are stored.

    Parameters
    ----------
    what : str
        What a row is of, in the singular.
    done : str
        What was done to it; the child counts it under this name.
    told : str, optional
        The same in the message; absent: `done`.
    """

    async def finish(
        session: AsyncSession,
        settings: Settings,  # noqa: ARG001 - the shape of every kind
        run: Run,
        result: dict[str, Any],
    ) -> str:
        found = await results.of_run(session, run)
        found.complete = True
        await session.flush()
        failed = result["failed"]
        said = f"{counted(result[done], what)} {told or done}"
        return f"{said}, {failed} of them failed" if failed else said

    return finish
