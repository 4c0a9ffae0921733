"""The check of the choice of a flash device."""

import asyncio

from tierwright.advise.checks import flash_choice
from tierwright_server.questions.flash_choice import service as choices
from tierwright_server.questions.flash_choice.schemas import FlashChoiceIn
from tierwright_server.questions.point_schemas import EvaluationIn
from tierwright_server.questions.replay_checks.check import (
    Asking,
    Check,
    Counted,
    replayed,
    shown,
)
from tierwright_server.questions.replay_checks.schemas import CheckedAnswer
from tierwright_server.replays.sweeps.schemas import SweepOut


async def check_flash_choice(
    asking: Asking, body: FlashChoiceIn
) -> CheckedAnswer | SweepOut:
    """Put the I/O time of every device beside that of one replay a scheme."""
    found = await choices.find(asking.session, asking.context, body)
    answer = await asyncio.to_thread(choices.ask, found, body)
    if not answer.rows:
        return shown(flash_choice.NOTHING_RANKED)
    asked = EvaluationIn(
        workload_id=body.workload_id,
        ram_pages=body.ram_pages,
        flash_pages=body.flash_pages,
        flash_device_id=answer.rows[0].device_id,
        disk_device_id=body.disk_device_id,
        flash_metadata=body.flash_metadata,
        start=body.start,
    )
    point, replays = await replayed(asking, asked)
    if not isinstance(replays, Counted):
        return replays
    by_id = {device.id: device for device in found.candidates}
    devices = [by_id[row.device_id] for row in answer.rows]
    return shown(
        flash_choice.check(
            answer.rows, devices, disk=point.disk[0], counters=replays.counters
        ),
        replays.sizes,
    )


CHECK = Check(
    "/flash-choices/check",
    "check_flash_choice",
    "I/O time of every flash device from one replay of every scheme.",
    FlashChoiceIn,
    check_flash_choice,
)
