"""The check of wear."""

from tierwright.advise.check import replayed_life
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
from tierwright_server.questions.wear import service as wears
from tierwright_server.questions.wear.schemas import WearIn
from tierwright_server.replays.sweeps.schemas import SweepOut


async def wear(asking: Asking, body: WearIn) -> CheckedAnswer | SweepOut:
    """Put flash writes and life beside those of replays."""
    asked = EvaluationIn(
        workload_id=body.workload_id,
        ram_pages=body.ram_pages,
        flash_pages=body.flash_pages,
        flash_device_id=body.flash_device_id,
        disk_device_id=body.disk_device_id,
        flash_metadata=body.flash_metadata,
        start=body.start,
    )
    _, counted = await replayed(asking, asked)
    if isinstance(counted, SweepOut):
        return counted
    answer = await wears.wear(asking.session, asking.context, body)
    rows = []
    for scheme in answer.schemes:
        life = replayed_life(
            counted[scheme.scheme],
            budget_tb=answer.budget.in_place_tb,
            accesses_per_s=answer.accesses_per_s,
            growth_per_year=body.growth_per_year,
            written_tb=body.written_tb,
        )
        for figure, unit, model, simulated in (
            ("flash writes", "TB/day", scheme.tb_per_day, life.tb_per_day),
            ("life", "years", scheme.years, life.years),
        ):
            rows.append(
                row(scheme.scheme, scheme.title, figure, unit, model, simulated)
            )
    return CheckedAnswer(
        sentence=sentence(rows, "flash writes", min),
        rows=rows,
        basis=f"{REPLAYED} What the drive makes of a write inside, its rating says; "
        "nothing replays it.",
    )


CHECK = Check(
    "/wear/check",
    "check_wear",
    "Life of the flash with the flash writes of a replay of every scheme.",
    WearIn,
    wear,
)
