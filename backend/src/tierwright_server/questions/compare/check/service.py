"""Decisions about checks by simulation: same inputs, same id, one replay."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise.checks.compare import model_of
from tierwright.common.wording import counted
from tierwright.evaluate.page_flow import decision
from tierwright.evaluate.page_flow.results import Evaluation
from tierwright.evaluate.page_flow.schemes import SCHEMES
from tierwright_server.common import version
from tierwright_server.common.errors import BadInput
from tierwright_server.common.older_models import about_version
from tierwright_server.common.result_ids import result_id
from tierwright_server.common.schemas import WarningOut
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
from tierwright_server.traces.workloads import recordings
from tierwright_server.traces.workloads import service as workloads


async def create_simulation(
    session: AsyncSession, context: Context, body: SimulationIn
) -> SimulationOut:
    """Find the check of these inputs, or queue it; a failed one is tried again."""
    schemes = _schemes(body)
    point = await questions_point.find_point(session, context, body)
    recording = await recordings.find(
        context, point.workload, point.content, point.curve
    )
    model = _model(point, evaluations.compute(body, point))
    simulation_id = _id_of(point.content, body, schemes, model)

    async def is_done(found: Result | None) -> bool:
        return found is not None and found.complete

    asked = Asked(
        RunKind.SIMULATE,
        simulation_id,
        point.workload,
        recording.content,
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
    """Return what a check compares with; of a scaled workload also where its recording is replayed.

    Raises
    ------
    BadInput
        If that recording is too small.
    """
    model = model_of(found, point.flash[0], point.disk[0])
    scaled = point.curve.scaled
    if scaled is None:
        return model
    sizes = decision.replay_sizes(found, scaled)
    if sizes is not None and sizes.refuses:
        raise BadInput(sizes.refusal.removesuffix("."), hint=f"{sizes.remedy}.")
    at = decision.replay_points(found, scaled)
    return {
        **model,
        "content_id": point.content.id,
        "recorded_accesses": scaled.recorded_accesses,
        "points": {name: [p.ram_pages, p.flash_pages] for name, p in at.items()},
        "replayed_at": None if sizes is None else sizes.sentence,
    }


async def get_simulation(
    session: AsyncSession, simulation_id: str, workload_id: str | None
) -> SimulationOut:
    """Read a check, with the notes of the workload through which it is asked for."""
    simulation, run = await results.find(session, RunKind.SIMULATE, simulation_id)
    through = await workloads.asked_through(
        session, workload_id, _content_id(simulation), simulation.workload_id
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
    accesses = model.get("recorded_accesses", content.summary["accesses"])
    warm_up = warm_up_of(warm_up_asked(body.model_dump()), accesses)
    parts = {
        "content_id": content.id,
        "ram_pages": body.ram_pages,
        **({"ram_pages_with_flash": model["ram_pages_with_flash"]} if charged else {}),
        "flash_pages": body.flash_pages,
        **({"warm_up": warm_up} if warm_up else {}),
        **({"points": model["points"]} if "points" in model else {}),
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
        content_id=_content_id(simulation),
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
            *_about_sizes(simulation),
            *await workloads.cautions_of(session, workload_id, content),
        ],
    )


def _content_id(simulation: Result) -> str:
    """Content of the workload in question: of a scaled one not the trace that is replayed."""
    found: str = simulation.plan.get("content_id", simulation.content_id)
    return found


def _about_sizes(simulation: Result) -> Iterator[WarningOut]:
    sentence = simulation.plan.get("replayed_at")
    if sentence is not None:
        yield WarningOut(
            name="replayed_scaled_down",
            message=sentence.removesuffix("."),
            hint="compare counts per access: the model's are shown for as many accesses as the replay "
            "counted",
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
