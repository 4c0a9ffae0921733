"""Names that two things of a kind cannot both have."""

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.common.errors import Conflict


async def flush_named(session: AsyncSession, what: str, name: str, index: str) -> None:
    """Write what was changed, and refuse a name that is taken.

    Parameters
    ----------
    session : AsyncSession
        Of the request.
    what : str
        Kind of the thing, such as `scenario`.
    name : str
        Its name.
    index : str
        Index of the database that keeps names apart.

    Raises
    ------
    Conflict
        If another one has the name.
    """
    try:
        await session.flush()
    except IntegrityError as error:
        if index not in str(error.orig):
            raise
        await session.rollback()
        raise Conflict(
            f"a {what} named `{name}` already exists (case is ignored)",
            hint=f"Choose another name, or change that {what}.",
        ) from error
