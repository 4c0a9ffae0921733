"""The check of a fragment cache."""

from tierwright.advise.checks import fragment_cache
from tierwright.advise.checks.points import fragment_replays
from tierwright_server.questions.fragment_cache import service as fragments
from tierwright_server.questions.fragment_cache.schemas import FragmentCacheIn
from tierwright_server.questions.replay_checks.check import (
    Asking,
    Check,
    Counted,
    counted,
    shown,
)
from tierwright_server.questions.replay_checks.schemas import CheckedAnswer
from tierwright_server.replays.sweeps.schemas import SweepOut
from tierwright_server.traces.workloads import recordings


async def check_fragment_cache(
    asking: Asking, body: FragmentCacheIn
) -> CheckedAnswer | SweepOut:
    """Put the read miss rate, and the fill that follows, beside replays over fragments."""
    found = await fragments.find_point(asking.session, asking.context, body)
    curve = found.curve
    recording = await recordings.find(
        asking.context, found.workload, found.point.content, curve
    )
    answer = fragments.ask(found, body)
    wanted = fragment_replays(
        answer.study.trade.fragment_bytes.tolist(),
        page_bytes=curve.page_bytes,
        ram_pages=body.ram_pages,
        flash_pages=body.flash_pages,
        start=curve.start,
        accesses=recording.accesses,
    )
    replays = await counted(asking, recording, wanted)
    if not isinstance(replays, Counted):
        return replays
    return shown(
        fragment_cache.check(
            answer, page_bytes=curve.page_bytes, counters=replays.counters
        ),
        replays.sizes,
    )


CHECK = Check(
    "/sce/check",
    "check_fragment_cache",
    "Read miss rate of a fragment cache from replays over fragments.",
    FragmentCacheIn,
    check_fragment_cache,
)
