"""The check of throughput."""

import asyncio

from tierwright.advise.checks import throughput
from tierwright_server.questions.point import dirty_ends, find_point
from tierwright_server.questions.replay_checks.check import (
    Asking,
    Check,
    Counted,
    options_of_asked,
    replayed,
    shown,
)
from tierwright_server.questions.replay_checks.schemas import CheckedAnswer
from tierwright_server.questions.throughput import service as throughputs
from tierwright_server.questions.throughput.schemas import ThroughputCheckIn
from tierwright_server.replays.sweeps.schemas import SweepOut


async def check_throughput(
    asking: Asking, body: ThroughputCheckIn
) -> CheckedAnswer | SweepOut:
    """Put throughput and response time of the present point beside those of replays."""
    asked = body.point().model_copy(update={"flash_metadata": body.flash_metadata})
    present = int(getattr(body, body.vary))
    at_present = body.model_copy(update={"points": [present]})
    point = await find_point(asking.session, asking.context, asked)
    dirty_ends(body, point)
    answer = await asyncio.to_thread(throughputs.ask, at_present, point)
    options = options_of_asked(body)
    point, found = await replayed(
        asking,
        asked,
        besides=lambda start, accesses: throughput.flash_cache_replays(
            answer,
            body.flash_caches,
            start=start,
            accesses=accesses,
            options=options,
        ),
    )
    if not isinstance(found, Counted):
        return found
    return shown(
        throughput.check(
            answer,
            setting=throughputs.setting_of(body),
            flash=point.flash[0],
            disk=point.disk[0],
            counters=found.counters,
            options=options,
        ),
        found.sizes,
    )


CHECK = Check(
    "/throughputs/check",
    "check_throughput",
    "Throughput at the present point with demands from a replay of every scheme.",
    ThroughputCheckIn,
    check_throughput,
)
