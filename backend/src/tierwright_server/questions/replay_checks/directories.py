"""The check of places of the flash directory and sizes of flash pages, with flash caches beside them."""

from tierwright.advise.checks import directories
from tierwright.advise.checks.points import directory_replays
from tierwright_server.questions.flash_choice import service as choices
from tierwright_server.questions.flash_choice.schemas import DirectoriesCheckIn
from tierwright_server.questions.replay_checks.check import (
    Asking,
    Check,
    Counted,
    counted,
    options_of_asked,
    shown,
)
from tierwright_server.questions.replay_checks.schemas import (
    CheckedAnswer,
    CheckedDirectories,
    PlaceReplayedOut,
)
from tierwright_server.replays.sweeps.schemas import SweepOut
from tierwright_server.traces.workloads import recordings
from tierwright_server.traces.workloads import service as workloads


async def check_directories(
    asking: Asking, body: DirectoriesCheckIn
) -> CheckedAnswer | SweepOut:
    """Put I/O and upkeep of every option beside those of replays with its flash pages, and flash caches besides."""
    study, curve, flash, disk = await choices.directory_study(
        asking.session, asking.context, body
    )
    workload, content = await workloads.find_ready(asking.session, body.workload_id)
    recording = await recordings.find(asking.context, workload, content, curve)
    options = options_of_asked(body)
    caches = directories.caches_beside(study, curve, body.flash_caches, options)
    wanted = directory_replays(
        study, start=curve.start, accesses=recording.accesses
    ) | directories.cache_replays(
        caches, start=curve.start, accesses=recording.accesses, options=options
    )
    found = await counted(asking, recording, wanted)
    if isinstance(found, CheckedAnswer):
        return CheckedDirectories(**dict(found), places=[])
    if not isinstance(found, Counted):
        return found
    checked = directories.check(
        study,
        page_bytes=curve.page_bytes,
        flash=flash,
        disk=disk,
        counters=found.counters,
        caches=caches,
        options=options,
    )
    return CheckedDirectories(
        **dict(shown(checked, found.sizes)),
        places=[PlaceReplayedOut.model_validate(each) for each in checked.places],
    )


CHECK = Check(
    "/directories/check",
    "check_directories",
    "I/O and upkeep of every directory from replays with its size of flash pages, flash caches among them.",
    DirectoriesCheckIn,
    check_directories,
    CheckedDirectories,
)
