"""Courses over time: finds what is asked for, lets a job replay it, shows what the models read off."""

import asyncio
import json

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise.course import CoursePlan
from tierwright.evaluate.response.schemes import Hierarchy
from tierwright.simulate.timed import Arrivals
from tierwright.trace.reading import Trace
from tierwright_server.common.errors import BadInput
from tierwright_server.common.version import VERSION
from tierwright_server.hardware.flash_metadata import metadata_preset
from tierwright_server.http.context import Context
from tierwright_server.jobs.runs.states import RunKind, RunStatus
from tierwright_server.questions.course.schemas import CourseIn, CourseOut
from tierwright_server.questions.point import Point, find_point, of_body
from tierwright_server.questions.point_schemas import DevicesUsed
from tierwright_server.questions.response_time.schemas import ResponseReplayOut
from tierwright_server.replays.analyses import service as analyses
from tierwright_server.storage import contents
from tierwright_server.traces.workloads import recordings
from tierwright_server.traces.workloads.recordings import Recording

_NAME = "course"


async def course(
    session: AsyncSession, context: Context, workload_id: str, body: CourseIn
) -> CourseOut | ResponseReplayOut:
    """Return the course, or the job that replays it."""
    point = await find_point(session, context, body.point(workload_id))
    recording = await recordings.find(
        context, point.workload, point.content, point.curve
    )
    arrivals = _arrivals(body, recording)
    with of_body():
        plan = _plan(body, point, recording, arrivals)
        replay = await asyncio.to_thread(plan.replay, recording.accesses)
        trace = await contents.trace_to_check(
            context.settings, recording.content.id, session
        )
        if trace is not None:
            await asyncio.to_thread(replay.refuse_impossible, Trace(trace))
    row = await analyses.create(
        session,
        context,
        RunKind.RESPONSE_REPLAY,
        (recording.workload, recording.content),
        {"replays": {_NAME: replay.to_dict()}},
        f"Course of {recording.workload.name} over time",
    )
    if analyses.status_of(row) is not RunStatus.SUCCEEDED:
        return ResponseReplayOut(**analyses.base_of(row))
    arrays = await analyses.load(context, row)
    counted = json.loads(bytes(arrays["document"]))[_NAME]
    with of_body():
        found = await asyncio.to_thread(plan.course, replay, counted)
    return CourseOut.showing(
        found,
        workload_id=point.workload.id,
        content_id=point.content.id,
        devices=DevicesUsed(flash=point.flash[1], disk=point.disk[1], ram=None),
        core_version=VERSION,
    )


def _plan(
    body: CourseIn, point: Point, recording: Recording, arrivals: Arrivals
) -> CoursePlan:
    return CoursePlan(
        curve=point.curve,
        system=body.system,
        ram_pages=body.ram_pages,
        flash_pages=body.flash_pages,
        hierarchy=Hierarchy(
            point.flash[0],
            point.disk[0],
            flash_devices=body.flash_devices,
            disks=body.disks,
            service=body.service,
            writes=body.writes,
        ),
        arrivals=arrivals,
        options=body.options,
        window_s=body.window_s,
        crash_at=body.crash_at,
        restart=body.restart,
        checkpoint_interval_s=body.checkpoint_interval_s,
        seed=body.seed,
        flash_metadata=metadata_preset(body.flash_metadata),
        scaled=recording.scaled,
    )


def _arrivals(body: CourseIn, recording: Recording) -> Arrivals:
    if body.arrivals == "clients":
        return Arrivals("clients", clients=body.clients, think_s=body.think_s)
    duration_s = recording.content.summary.get("duration_s")
    recorded = recording.accesses / duration_s if duration_s else None
    if body.arrivals == "trace":
        if recorded is None:
            raise BadInput.at(
                "body.arrivals",
                body.arrivals,
                "needs arrival times, which the trace of this workload does not record",
                hint="Use `poisson` with a rate, or `clients`.",
            )
        return Arrivals("trace", stretch=recorded / (body.accesses_per_s or recorded))
    rate = body.accesses_per_s or recorded
    if rate is None:
        raise BadInput.at(
            "body.accesses_per_s",
            body.accesses_per_s,
            "is needed: the trace of this workload records no times, so it has no rate",
            hint="State the page accesses per second.",
        )
    return Arrivals("poisson", accesses_per_s=rate)
