"""The check of a comparison of schemes, with flash caches beside them."""

from tierwright.advise.checks import flash_caches
from tierwright.simulate.contenders import check_no_rate
from tierwright.trace.reading import rate_of_trace
from tierwright_server.questions.compare import service as evaluations
from tierwright_server.questions.compare.schemas import EvaluationCheckIn
from tierwright_server.questions.point import find_point
from tierwright_server.questions.replay_checks.check import (
    Asking,
    Check,
    Counted,
    options_of_asked,
    replayed,
    shown,
)
from tierwright_server.questions.replay_checks.schemas import CheckedAnswer
from tierwright_server.replays.sweeps.schemas import SweepOut


async def check_compare(
    asking: Asking, body: EvaluationCheckIn
) -> CheckedAnswer | SweepOut:
    """Put the I/O times of all schemes beside their replays, and those of flash caches besides."""
    point = await find_point(asking.session, asking.context, body)
    model = evaluations.compute(body, point)
    options = options_of_asked(body, device=None)
    if point.curve.scaled is not None:
        check_no_rate(body.accesses_per_s)
    recorded = rate_of_trace(point.content.summary)
    point, found = await replayed(
        asking,
        body,
        besides=lambda _, accesses: flash_caches.at_a_rate(
            flash_caches.evaluation_replays(
                model,
                flash_caches.standing_for(body.flash_caches, point.curve.scaled),
                accesses=accesses,
                options=options,
            ),
            body.accesses_per_s,
            recorded,
        ),
    )
    if not isinstance(found, Counted):
        return found
    scaled = point.curve.scaled
    return shown(
        flash_caches.check(
            model,
            found.counters,
            flash=point.flash[0],
            disk=point.disk[0],
            options=options,
            recorded_per_s=recorded,
            production_per_s=None if scaled is None else scaled.machine_accesses_per_s,
            stated_per_s=body.accesses_per_s,
            scaled=scaled,
            asked=body.flash_caches,
        ),
        found.sizes,
        writes_of=scaled,
    )


CHECK = Check(
    "/evaluations/check",
    "check_compare",
    "I/O time of every scheme and of flash caches by replay, by kind of operation.",
    EvaluationCheckIn,
    check_compare,
)
