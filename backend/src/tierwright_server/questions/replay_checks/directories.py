"""The check of places of the flash directory and sizes of flash pages."""

from tierwright.advise.checks import directories
from tierwright.advise.checks.points import directory_replays
from tierwright_server.questions.flash_choice import service as choices
from tierwright_server.questions.flash_choice.schemas import DirectoriesIn
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
from tierwright_server.traces.workloads import service as workloads


async def check_directories(
    asking: Asking, body: DirectoriesIn
) -> CheckedAnswer | SweepOut:
    """Put I/O and upkeep of every option beside those of replays with its flash pages."""
    study, curve, flash, disk = await choices.directory_study(
        asking.session, asking.context, body
    )
    workload, content = await workloads.find_ready(asking.session, body.workload_id)
    recording = await recordings.find(asking.context, workload, content, curve)
    wanted = directory_replays(study, start=curve.start, accesses=recording.accesses)
    found = await counted(asking, recording, wanted)
    if not isinstance(found, Counted):
        return found
    return shown(
        directories.check(
            study,
            page_bytes=curve.page_bytes,
            flash=flash,
            disk=disk,
            counters=found.counters,
        ),
        found.sizes,
    )


CHECK = Check(
    "/directories/check",
    "check_directories",
    "I/O and upkeep of every directory from replays with its size of flash pages.",
    DirectoriesIn,
    check_directories,
)
