"""Response times: finds what is asked for, lets the models answer, shows it."""

import asyncio

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import response
from tierwright.advise.response import Response
from tierwright.evaluate.response.schemes import Hierarchy, Tier
from tierwright_server.common.schemas import WarningOut
from tierwright_server.common.version import VERSION
from tierwright_server.hardware.flash_metadata import metadata_preset
from tierwright_server.http.context import Context
from tierwright_server.http.steps import rows_of
from tierwright_server.jobs.runs.states import RunKind
from tierwright_server.questions.point import (
    Point,
    dirty_ends,
    find_point,
    of_body,
)
from tierwright_server.questions.point_schemas import DevicesUsed
from tierwright_server.questions.response_time.schemas import (
    ResponseReplayOut,
    ResponseTimeIn,
    ResponseTimeOut,
)
from tierwright_server.replays import results
from tierwright_server.replays.analyses import service as analyses


async def evaluate(
    session: AsyncSession,
    context: Context,
    workload_id: str,
    body: ResponseTimeIn,
    *,
    derived: bool = False,
) -> ResponseTimeOut:
    """Answer the question for a workload."""
    point = await find_point(session, context, body.point(workload_id))
    dirty_ends(body, point)
    found = await asyncio.to_thread(ask, body, point)
    return ResponseTimeOut.showing(
        found,
        workload_id=point.workload.id,
        content_id=point.content.id,
        start=point.curve.start,
        devices=DevicesUsed(flash=point.flash[1], disk=point.disk[1], ram=None),
        flash_metadata=body.flash_metadata,
        # What they could change takes longer than the answer: not in the loop.
        cautions=await asyncio.to_thread(lambda: found.cautions),
        warnings=[WarningOut.model_validate(each) for each in found.warnings],
        derivation=rows_of(found) if derived else None,
        core_version=VERSION,
    )


def hierarchy_of(body: ResponseTimeIn, point: Point) -> Hierarchy:
    """Return the devices in question, and what an access waits for."""
    stated: dict[Tier, int | None] = {
        "flash": body.flash_at_once,
        "disk": body.disk_at_once,
    }
    return Hierarchy(
        point.flash[0],
        point.disk[0],
        flash_devices=body.flash_devices,
        disks=body.disks,
        service=body.service,
        writes=body.writes,
        at_once={tier: each for tier, each in stated.items() if each is not None},
    )


def ask(body: ResponseTimeIn, point: Point) -> Response:
    """Ask the models for response times at the rates in question."""
    with of_body():
        return response.answer(
            point.curve,
            ram_pages=body.ram_pages,
            flash_pages=body.flash_pages,
            hierarchy=hierarchy_of(body, point),
            rates=response.rates_of(
                point.curve,
                point.content.summary.get("duration_s"),
                accesses_per_s=body.accesses_per_s,
                peak_accesses_per_s=body.peak_accesses_per_s,
            ),
            flash_metadata=metadata_preset(body.flash_metadata),
        )


async def find_replay(session: AsyncSession, replay_id: str) -> ResponseReplayOut:
    """Find the replays that check response times."""
    row = await results.find(session, RunKind.RESPONSE_REPLAY, replay_id)
    return ResponseReplayOut(**analyses.base_of(row))
