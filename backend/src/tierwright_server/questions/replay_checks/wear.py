"""The check of wear."""

from tierwright.advise.checks import wear
from tierwright.advise.checks.wear import OF_THE_ANSWER
from tierwright_server.questions.point_schemas import EvaluationIn
from tierwright_server.questions.replay_checks.check import (
    Asking,
    Check,
    Counted,
    options_of_asked,
    replayed,
    shown,
)
from tierwright_server.questions.replay_checks.schemas import CheckedAnswer
from tierwright_server.questions.wear import service as wears
from tierwright_server.questions.wear.schemas import WearCheckIn
from tierwright_server.replays.sweeps.schemas import SweepOut


async def check_wear(asking: Asking, body: WearCheckIn) -> CheckedAnswer | SweepOut:
    """Put flash writes, write amplification and life beside those of replays."""
    asked = EvaluationIn(
        workload_id=body.workload_id,
        ram_pages=body.ram_pages,
        flash_pages=body.flash_pages,
        flash_device_id=body.flash_device_id,
        disk_device_id=body.disk_device_id,
        flash_metadata=body.flash_metadata,
        start=body.start,
    )
    about = await wears.find(asking.session, asking.context, body)
    answer = wears.ask_wear(about, body, prices=None)
    options = options_of_asked(body, device=OF_THE_ANSWER)
    _, found = await replayed(
        asking,
        asked,
        lambda scheme: wear.options_of(answer, scheme),
        lambda _, accesses: (
            wear.flash_cache_replays(
                answer,
                body.flash_caches,
                accesses=accesses,
                options=options,
                recorded_per_s=about.recorded_per_s,
            )
            | wear.data_replays(answer, about.curve, body.data_on_flash)
        ),
    )
    if not isinstance(found, Counted):
        return found
    return shown(wear.check(answer, found.counters, options), found.sizes)


CHECK = Check(
    "/wear/check",
    "check_wear",
    "Life of the flash with the flash writes of a replay of every scheme, on a flash device where spare space is given.",
    WearCheckIn,
    check_wear,
)
