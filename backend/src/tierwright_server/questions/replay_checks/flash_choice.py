"""The check of the choice of a flash device."""

from tierwright.advise.check import replayed_choice
from tierwright.advise.point import scheme_titles
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.questions.flash_choice import service as choices
from tierwright_server.questions.flash_choice.schemas import FlashChoiceIn
from tierwright_server.questions.point_schemas import EvaluationIn
from tierwright_server.questions.replay_checks.check import (
    REPLAYED,
    Asking,
    Check,
    replayed,
    row,
    sentence,
)
from tierwright_server.questions.replay_checks.schemas import CheckedAnswer
from tierwright_server.replays.sweeps.schemas import SweepOut


async def flash_choice(asking: Asking, body: FlashChoiceIn) -> CheckedAnswer | SweepOut:
    """Put the I/O time of every device beside that of one replay a scheme."""
    answer = await choices.choose(asking.session, asking.context, body)
    first = answer.rows[0].device_id if answer.rows else None
    if first is None:
        return CheckedAnswer(
            sentence="None of the devices could be ranked.", rows=[], basis=REPLAYED
        )
    asked = EvaluationIn(
        workload_id=body.workload_id,
        ram_pages=body.ram_pages,
        flash_pages=body.flash_pages,
        flash_device_id=first,
        disk_device_id=body.disk_device_id,
        flash_metadata=body.flash_metadata,
        start=body.start,
    )
    point, counted = await replayed(asking, asked)
    if isinstance(counted, SweepOut):
        return counted
    devices = [
        (
            await catalog.find_device(
                asking.session, asking.context, row.device_id, "candidate_ids"
            )
        )[0]
        for row in answer.rows
    ]
    found = replayed_choice(counted, devices, disk=point.disk[0])
    rows = [
        row(
            each.device_id,
            each.device_name,
            f"I/O time, {each.scheme_title}"
            if each.scheme == found[each.device_id].scheme
            else f"I/O time, {each.scheme_title}; replayed best: "
            f"{scheme_titles()[found[each.device_id].scheme]}",
            "µs/access",
            each.io_time_us_per_access,
            found[each.device_id].io_time_us_per_access,
        )
        for each in answer.rows
        if each.device_id in found
    ]
    return CheckedAnswer(
        sentence=sentence(rows, "I/O time", min),
        rows=rows,
        basis=f"{REPLAYED} One replay of a scheme prices every device.",
    )


CHECK = Check(
    "/flash-choices/check",
    "check_flash_choice",
    "I/O time of every flash device from one replay of every scheme.",
    FlashChoiceIn,
    flash_choice,
)
