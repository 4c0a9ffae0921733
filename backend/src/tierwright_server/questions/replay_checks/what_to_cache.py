"""The check of what to cache."""

from dataclasses import replace

from tierwright.advise.checks import cachesack
from tierwright_server.questions.replay_checks.check import (
    Asking,
    Check,
    Counted,
    counted,
    shown,
)
from tierwright_server.questions.replay_checks.schemas import (
    CheckedAnswer,
    CheckedWhatToCache,
)
from tierwright_server.questions.what_to_cache import service
from tierwright_server.questions.what_to_cache.schemas import (
    CategoryCountsOut,
    WhatToCacheCheckIn,
)
from tierwright_server.replays.sweeps.schemas import SweepOut


async def check_what_to_cache(
    asking: Asking, body: WhatToCacheCheckIn
) -> CheckedAnswer | SweepOut | CategoryCountsOut:
    """Put the model beside replays of the choice and of single admissions, through the flash cache that is asked for."""
    answered = await service.ask(asking.session, asking.context, body)
    if isinstance(answered, CategoryCountsOut):
        return answered
    # The answer is at the sizes of the recording already.
    recording = replace(answered.recording, scaled=None)
    found = answered.found
    wanted = cachesack.wanted(
        found,
        body.flash_cache,
        recorded_per_s=answered.recorded_per_s,
    )
    replays = await counted(asking, recording, wanted)
    if isinstance(replays, CheckedAnswer):
        return CheckedWhatToCache(
            **dict(replays),
            recommended=None,
            assignment=None,
            lifetime_requests=None,
            flash_pages=None,
            margin=None,
            least_margin=None,
            is_tie=None,
        )
    if not isinstance(replays, Counted):
        return replays
    doubts = cachesack.in_doubt(found, replays.counters, wanted, body.flash_cache)
    tails = await counted(asking, recording, doubts) if doubts else Counted({}, None)
    if not isinstance(tails, Counted):
        return tails
    checked = cachesack.check(found, replays.counters, tails.counters, body.flash_cache)
    return CheckedWhatToCache(
        **dict(shown(checked)),
        recommended=checked.recommended,
        assignment=checked.assignment,
        lifetime_requests=checked.lifetime_requests,
        flash_pages=checked.flash_pages,
        margin=checked.margin,
        least_margin=checked.least_margin,
        is_tie=checked.is_tie,
    )


CHECK = Check(
    "/what-to-cache/check",
    "check_what_to_cache",
    "What to cache, from replays of the choice and of each admission for all.",
    WhatToCacheCheckIn,
    check_what_to_cache,
    CheckedWhatToCache,
)
