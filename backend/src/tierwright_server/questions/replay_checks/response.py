"""The check of response times: replays on simulated time, which a job makes."""

import asyncio
import json

from tierwright.advise.checks.checked import not_checked
from tierwright.advise.checks.response import ResponseCheck
from tierwright.common.wording import counted
from tierwright_server.common.errors import BadInput
from tierwright_server.hardware.flash_metadata import metadata_preset
from tierwright_server.jobs.runs.states import RunKind, RunStatus
from tierwright_server.questions.point import Point, dirty_ends, find_point
from tierwright_server.questions.replay_checks.check import (
    Asking,
    Check,
    options_of_asked,
    shown,
)
from tierwright_server.questions.replay_checks.schemas import CheckedAnswer
from tierwright_server.questions.response_time import service as response_times
from tierwright_server.questions.response_time.schemas import (
    ResponseCheckIn,
    ResponseReplayOut,
)
from tierwright_server.replays.analyses import service as analyses
from tierwright_server.traces.workloads import recordings
from tierwright_server.traces.workloads.recordings import Recording


async def check_response(
    asking: Asking, body: ResponseCheckIn
) -> CheckedAnswer | ResponseReplayOut:
    """Put response times beside those of replays on simulated time."""
    session, context = asking.session, asking.context
    point = await find_point(session, context, body.point(body.workload_id))
    recording = await recordings.find(
        context, point.workload, point.content, point.curve
    )
    dirty_ends(body, point)
    check = await asyncio.to_thread(_asked, body, point, recording)
    replays, sizes = await asyncio.to_thread(check.replays)
    if sizes is not None and sizes.refuses:
        return shown(not_checked(sizes))
    if not replays:
        return shown(check.check({}), sizes)
    row = await analyses.create(
        session,
        context,
        RunKind.RESPONSE_REPLAY,
        (recording.workload, recording.content),
        {"replays": {name: each.to_dict() for name, each in replays.items()}},
        f"Response times of {recording.workload.name} on simulated time, "
        f"{counted(len(replays), 'replay')}",
    )
    if analyses.status_of(row) is not RunStatus.SUCCEEDED:
        return ResponseReplayOut(**analyses.base_of(row))
    arrays = await analyses.load(context, row)
    return shown(check.check(json.loads(bytes(arrays["document"]))), sizes)


def _asked(body: ResponseCheckIn, point: Point, recording: Recording) -> ResponseCheck:
    duration_s = recording.content.summary.get("duration_s")
    if body.arrivals == "trace" and not duration_s:
        raise BadInput.at(
            "body.arrivals",
            body.arrivals,
            "needs arrival times, which the trace of this workload does not record",
            hint="Use `poisson`: accesses then arrive independently of each other.",
        )
    return ResponseCheck(
        answer=response_times.ask(body, point),
        curve=point.curve,
        hierarchy=response_times.hierarchy_of(body, point),
        flash_metadata=metadata_preset(body.flash_metadata),
        arrivals=body.arrivals,
        clients=body.clients,
        recorded_accesses_per_s=recording.accesses / duration_s if duration_s else None,
        seed=body.seed,
        scaled=recording.scaled,
        flash_caches=tuple(dict.fromkeys(body.flash_caches)),
        cache_options=options_of_asked(body),
    )


CHECK = Check(
    "/response-times/check",
    "check_response",
    "Response times at a rate from replays of every scheme on simulated time.",
    ResponseCheckIn,
    check_response,
)
