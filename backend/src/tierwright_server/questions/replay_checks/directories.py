"""The check of places of the flash directory and sizes of flash pages."""

from tierwright.advise.check_points import (
    MOST_BLOCK_PAGES,
    directory_replays,
    replayed_directory,
    replayed_without_flash,
)
from tierwright.advise.directories import DirectoryOption
from tierwright.advise.point import scheme_titles
from tierwright.common.units import format_bytes
from tierwright_server.questions.flash_choice import service as choices
from tierwright_server.questions.flash_choice.schemas import DirectoriesIn
from tierwright_server.questions.replay_checks.check import (
    Asking,
    Check,
    counted,
    row,
    sentence,
)
from tierwright_server.questions.replay_checks.schemas import (
    CheckedAnswer,
    CheckedFigure,
)
from tierwright_server.replays.sweeps.schemas import SweepOut
from tierwright_server.traces.workloads import service as workloads

AT_WORST = "at worst"


async def directories(asking: Asking, body: DirectoriesIn) -> CheckedAnswer | SweepOut:
    """Put I/O and upkeep of every option beside those of replays with its flash pages."""
    study, curve, flash, disk = await choices.directory_study(
        asking.session, asking.context, body
    )
    workload, content = await workloads.find_ready(asking.session, body.workload_id)
    wanted = directory_replays(
        study, start=curve.start, accesses=content.summary["accesses"]
    )
    found = await counted(asking, workload, content, wanted)
    if isinstance(found, SweepOut):
        return found
    rows: list[CheckedFigure] = [
        row(
            "none",
            "Without flash",
            "time",
            "µs/access",
            study.none_us,
            replayed_without_flash(found["none"], disk=disk),
        )
    ]
    for index, option in enumerate(study.options):
        for scheme, cost in option.schemes.items():
            counters = found.get(f"{index} {scheme}")
            if counters is None:
                continue
            time = replayed_directory(counters, option, flash=flash, disk=disk)
            title = f"{_place(option)}: {scheme_titles()[scheme]}"
            of = f"{index} {scheme}"
            if option.technique is None:
                rows.append(row(of, title, "time", "µs/access", cost.total_us, time))
                continue
            for figure, model in (
                (f"time, {AT_WORST}", cost.worst_total_us),
                ("time, if flash pages are full", cost.total_us),
            ):
                rows.append(row(of, title, figure, "µs/access", model, time))
    compared = [
        each for each in rows if each.figure == "time" or each.figure.endswith(AT_WORST)
    ]
    left_out = any(
        option.schemes and option.flash_page_bytes > MOST_BLOCK_PAGES * curve.page_bytes
        for option in study.options
    )
    return CheckedAnswer(
        sentence=sentence(compared, "time", min),
        rows=rows,
        basis="Each option was replayed with its own flash pages, RAM and flash, under the "
        "scheme to count on and the one that is best if flash pages are full; lookups and "
        "updates of the directory were counted. How often its buffered part is hit is as "
        "assumed."
        + (
            f" Flash pages above {format_bytes(MOST_BLOCK_PAGES * curve.page_bytes)} "
            f"({MOST_BLOCK_PAGES} pages of the workload) are not replayed."
            if left_out
            else ""
        ),
    )


def _place(option: DirectoryOption) -> str:
    where = {"ram": "in RAM", "flash": "on flash"}[option.placement]
    text = f"{where}, {format_bytes(option.flash_page_bytes)}"
    return text if option.technique is None else f"{text}, {option.technique}"


CHECK = Check(
    "/directories/check",
    "check_directories",
    "I/O and upkeep of every directory from replays with its size of flash pages.",
    DirectoriesIn,
    directories,
)
