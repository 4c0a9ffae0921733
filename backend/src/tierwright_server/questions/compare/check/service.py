"""Decisions about checks by simulation: same inputs, same id, one replay."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise.checks.compare import model_of
from tierwright.common.wording import counted
from tierwright.evaluate.page_flow.results import Evaluation
from tierwright.evaluate.page_flow.schemes import SCHEMES
from tierwright_server.common import version
from tierwright_server.common.errors import BadInput
from tierwright_server.common.older_models import about_version
from tierwright_server.common.result_ids import result_id
from tierwright_server.http.context import Context
from tierwright_server.jobs.runs.schemas import RunOut
from tierwright_server.jobs.runs.states import RunKind, RunStatus
from tierwright_server.questions import point as questions_point
from tierwright_server.questions.compare import service as evaluations
from tierwright_server.questions.compare.check.schemas import (
    SimulationIn,
    SimulationOut,
    SimulationResult,
    warm_up_asked,
)
from tierwright_server.questions.point import Point
from tierwright_server.replays import results
from tierwright_server.replays.results import Asked
from tierwright_server.storage.tables import Content, Result, Run
from tierwright_server.traces.warm_ups import warm_up_of
from tierwright_server.traces.workloads import service as workloads


async def create_simulation(
    session: AsyncSession, context: Context, body: SimulationIn
) -> SimulationOut:
    """Find the check of these inputs, or queue it; a failed one is tried again."""
    schemes = _schemes(body)
    point = await questions_point.find_point(session, context, body)
    workloads.check_traced(point.workload, point.content)
    model = _model(point, evaluations.compute(body, point))
    simulation_id = _id_of(point.content, body, schemes, model)

    async def is_done(found: Result | None) -> bool:
        return found is not None and found.complete

    asked = Asked(
        RunKind.SIMULATE,
        simulation_id,
        point.workload,
        point.content,
        {**body.model_dump(mode="json"), "schemes": schemes},
        model,
        f"Check {point.workload.name} at {body.ram_pages:,} + {counted(body.flash_pages, 'page')}",
    )
    simulation, run = await results.obtain(session, asked, is_done)
    return await _simulation_out(session, simulation, run, point.workload.id)


def id_of(point: Point, body: SimulationIn, found: Evaluation) -> str:
    """Name the check of a point, made or not."""
    return _id_of(point.content, body, _schemes(body), _model(point, found))


def _model(point: Point, found: Evaluation) -> dict[str, Any]:
    return model_of(found, point.flash[0], point.disk[0])


async def get_simulation(
    session: AsyncSession, simulation_id: str, workload_id: str | None
) -> SimulationOut:
    """Read a check, with the notes of the workload through which it is asked for."""
    simulation, run = await results.find(session, RunKind.SIMULATE, simulation_id)
    through = await workloads.asked_through(
        session, workload_id, simulation.content_id, simulation.workload_id
    )
    return await _simulation_out(session, simulation, run, through)


def _schemes(body: SimulationIn) -> list[str]:
    """Return the schemes asked for, in the order of the core's table."""
    known = list(SCHEMES)
    if body.schemes is None:
        return known
    for index, name in enumerate(body.schemes):
        if name not in known:
            raise BadInput.at(
                f"body.schemes.{index}",
                name,
                f"is not one of {', '.join(known)}",
                hint="Run a sweep for others: POST /api/v1/sweeps. This check compares "
                "schemes with their model.",
            )
    return [name for name in known if name in body.schemes]


def _id_of(
    content: Content, body: SimulationIn, schemes: list[str], model: dict[str, Any]
) -> str:
    """Hash what the result depends on: names of devices and prices do not matter."""
    charged = model["ram_pages_with_flash"] != body.ram_pages
    warm_up = warm_up_of(warm_up_asked(body.model_dump()), content)
    parts = {
        "content_id": content.id,
        "ram_pages": body.ram_pages,
        **({"ram_pages_with_flash": model["ram_pages_with_flash"]} if charged else {}),
        "flash_pages": body.flash_pages,
        **({"warm_up": warm_up} if warm_up else {}),
        "schemes": schemes,
        "times_us": model["times_us"],
        "core_version": version.VERSION,
    }
    return result_id(parts)


async def _simulation_out(
    session: AsyncSession, simulation: Result, run: Run | None, workload_id: str
) -> SimulationOut:
    content = await results.content_of(session, simulation)
    if simulation.result is not None:
        status = RunStatus.SUCCEEDED
    else:
        status = RunStatus(run.status) if run else RunStatus.FAILED
    return SimulationOut(
        id=simulation.id,
        workload_id=workload_id,
        content_id=simulation.content_id,
        status=status,
        inputs=SimulationIn.model_validate(
            # Checks of earlier versions began cold.
            {"start": "cold", **simulation.inputs, "workload_id": workload_id}
        ),
        core_version=simulation.core_version,
        created_at=simulation.created_at,
        run=RunOut.model_validate(run) if run else None,
        result=_result_out(simulation),
        warnings=[
            *about_version(simulation.core_version),
            *await workloads.cautions_of(session, workload_id, content),
        ],
    )


def _result_out(simulation: Result) -> SimulationResult | None:
    if simulation.result is None:
        return None
    # jsonb does not keep the order of keys.
    counters = simulation.result["schemes"]
    return SimulationResult(
        rows=simulation.result["rows"],
        schemes={name: counters[name] for name in simulation.inputs["schemes"]},
    )
