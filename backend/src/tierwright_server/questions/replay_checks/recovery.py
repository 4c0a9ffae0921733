"""The check of filling and restart."""

from tierwright.advise.checks.recovery import RestartCheck
from tierwright_server.questions.replay_checks.check import (
    Asking,
    Check,
    counted,
    shown,
)
from tierwright_server.questions.replay_checks.schemas import CheckedAnswer
from tierwright_server.questions.wear import service as wears
from tierwright_server.questions.wear.schemas import RecoveryIn
from tierwright_server.replays.sweeps.schemas import SweepOut


async def check_recovery(asking: Asking, body: RecoveryIn) -> CheckedAnswer | SweepOut:
    """Put filling and restart beside a cache that crashes in the middle of the trace."""
    found = await wears.find(asking.session, asking.context, body)
    content = found.point.content
    asked = RestartCheck(
        answer=wears.ask_recovery(found, body),
        flash_pages=body.flash_pages,
        page_bytes=found.curve.page_bytes,
        accesses=content.summary["accesses"],
        flash=found.flash[0],
        disk=found.disk[0],
        checkpoint_interval_s=body.checkpoint_interval_s,
        redo_writes=body.redo_writes,
        flash_share=body.flash_share,
    )
    counters = await counted(asking, found.workload, content, asked.replays())
    if isinstance(counters, SweepOut):
        return counters
    return shown(asked.check(counters))


CHECK = Check(
    "/recovery/check",
    "check_recovery",
    "Filling and restart from replays of a cache that crashes.",
    RecoveryIn,
    check_recovery,
)
