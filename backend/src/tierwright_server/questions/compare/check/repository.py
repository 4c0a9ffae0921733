"""Queries on simulations."""

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.storage.tables import Run, Simulation


async def row(
    session: AsyncSession, simulation_id: str
) -> tuple[Simulation, Run | None] | None:
    """Find a simulation with its run."""
    query = (
        select(Simulation, Run)
        .outerjoin(Run, Run.id == Simulation.run_id)
        .where(Simulation.id == simulation_id)
        .execution_options(populate_existing=True)
    )
    found = (await session.execute(query)).one_or_none()
    return None if found is None else (found[0], found[1])


async def lock_id(session: AsyncSession, simulation_id: str) -> None:
    """Keep everybody else from making the same simulation until the commit."""
    await session.execute(
        text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))"),
        {"key": f"simulation:{simulation_id}"},
    )
