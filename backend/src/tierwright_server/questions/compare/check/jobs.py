"""The worker's side of the simulate job."""

from dataclasses import replace
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise.checks.compare import compare
from tierwright.common.wording import counted
from tierwright.evaluate.page_flow.decision import ReplayPoint
from tierwright.evaluate.page_flow.schemes import NO_FLASH
from tierwright_server.common.settings import Settings
from tierwright_server.questions.compare.check.schemas import warm_up_asked
from tierwright_server.replays import kept, points, results
from tierwright_server.storage import contents
from tierwright_server.storage.tables import Result, Run
from tierwright_server.traces.warm_ups import warm_up_of


async def prepare(
    session: AsyncSession, settings: Settings, run: Run
) -> dict[str, Any]:
    """Make the input of the child."""
    simulation = await results.of_run(session, run)
    trace = await contents.existing_trace(settings, simulation.content_id, session)
    inputs = simulation.inputs
    content = await results.content_of(session, simulation)
    warm_up = warm_up_of(warm_up_asked(inputs), content.summary["accesses"])
    sizes = {
        name: [point.ram_pages, point.flash_pages]
        for name, point in _points(simulation).items()
    }
    if NO_FLASH in sizes and "points" not in simulation.plan:
        sizes[NO_FLASH][1] = inputs["flash_pages"]  # among its counters as asked
    return {"trace": str(trace), "sizes": sizes, "warm_up": warm_up}


def _points(simulation: Result) -> dict[str, ReplayPoint]:
    """Where each scheme of a check is replayed, without the warm-up."""
    whole, flash = (simulation.inputs[key] for key in ("ram_pages", "flash_pages"))
    # checks of earlier versions charged no metadata
    left = simulation.plan.get("ram_pages_with_flash", whole)
    recorded = simulation.plan.get("points", {})

    def point(name: str) -> ReplayPoint:
        if name in recorded:
            return ReplayPoint(*recorded[name])
        return ReplayPoint(whole, 0) if name == NO_FLASH else ReplayPoint(left, flash)

    return {name: point(name) for name in simulation.inputs["schemes"]}


async def finish(
    session: AsyncSession,
    settings: Settings,  # noqa: ARG001 - the shape of every kind
    run: Run,
    result: dict[str, Any],
) -> str:
    """Put model and simulation side by side and keep both."""
    simulation = await results.of_run(session, run)
    rows = compare(simulation.plan, result["schemes"])
    simulation.result = {"rows": rows, "schemes": result["schemes"]}
    simulation.complete = True
    counters = {
        points.key_of(
            name,
            replace(point, warm_up=result["schemes"][name].get("warm_up", 0)),
            simulation.core_version,
        ): result["schemes"][name]
        for name, point in _points(simulation).items()
    }
    await kept.keep(session, simulation.content_id, counters)
    await session.flush()
    return counted(len(result["schemes"]), "scheme replayed", "schemes replayed")
