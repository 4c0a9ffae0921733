"""The check of filling and restart."""

from tierwright.advise.checks.recovery import RestartCheck
from tierwright_server.questions.replay_checks.check import (
    Asking,
    Check,
    Counted,
    counted,
    shown,
)
from tierwright_server.questions.replay_checks.schemas import CheckedAnswer
from tierwright_server.questions.wear import service as wears
from tierwright_server.questions.wear.schemas import RecoveryIn
from tierwright_server.replays.sweeps.schemas import SweepOut
from tierwright_server.traces.workloads import recordings


async def check_recovery(asking: Asking, body: RecoveryIn) -> CheckedAnswer | SweepOut:
    """Put filling and restart beside a cache that crashes in the middle of the trace."""
    found = await wears.find(asking.session, asking.context, body)
    recording = await recordings.find(
        asking.context, found.workload, found.point.content, found.curve
    )
    session, context = asking.session, asking.context
    # Before the count is asked for, which locks its id: one that is damaged is queued by a session of its own.
    redone = await wears.find_redone(session, context, found, body)
    await wears.count_redone(session, context, found, body)
    asked = RestartCheck(
        answer=wears.ask_recovery(found, body, redone),
        redone=redone,
        flash_pages=body.flash_pages,
        page_bytes=found.curve.page_bytes,
        accesses=recording.accesses,
        flash=found.flash[0],
        disk=found.disk[0],
        checkpoint_interval_s=body.checkpoint_interval_s,
        redo_writes=body.redo_writes,
        flash_share=body.flash_share,
        scaled=recording.scaled,
    )
    replays = await counted(asking, recording, asked.replays())
    if not isinstance(replays, Counted):
        return replays
    return shown(asked.check(replays.counters), replays.sizes)


CHECK = Check(
    "/recovery/check",
    "check_recovery",
    "Filling and restart from replays of a cache that crashes.",
    RecoveryIn,
    check_recovery,
)
