"""The check of places of the flash directory and sizes of flash pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tierwright.advise.checks.checked import Checked, CheckedFigure, row, verdict
from tierwright.advise.checks.points import (
    MOST_BLOCK_PAGES,
    Counters,
    replayed_directory,
    replayed_without_flash,
)
from tierwright.advise.directories import Directories, DirectoryOption
from tierwright.advise.point import scheme_titles
from tierwright.common.units import format_bytes
from tierwright.hardware.device import Device

AT_WORST = "at worst"


def check(
    study: Directories,
    *,
    page_bytes: int,
    flash: Device,
    disk: Device,
    counters: Mapping[str, Counters],
) -> Checked:
    """Put I/O and upkeep of every option beside those of replays with its flash pages.

    Parameters
    ----------
    study : Directories
        Of the model.
    page_bytes : int
        Page of the workload. [bytes]
    flash, disk : Device
        Of the two lower tiers.
    counters : mapping of str to counters
        Of `directory_replays`.
    """
    rows = tuple(_rows(study, flash, disk, counters))
    compared = [
        each for each in rows if each.figure == "time" or each.figure.endswith(AT_WORST)
    ]
    largest = MOST_BLOCK_PAGES * page_bytes
    left_out = any(
        option.schemes and option.flash_page_bytes > largest for option in study.options
    )
    return Checked(
        finding=verdict(compared, "time", min),
        rows=rows,
        basis="Each option was replayed with its own flash page size, RAM and flash, "
        "under its safest scheme and under the one that is best if flash pages "
        "are full; directory lookups and updates were counted. The hit ratio of "
        "the buffered part is the assumed one."
        + (
            f" Flash pages larger than {format_bytes(largest)} ({MOST_BLOCK_PAGES} "
            "workload pages) are not replayed."
            if left_out
            else ""
        ),
    )


def _rows(
    study: Directories, flash: Device, disk: Device, counters: Mapping[str, Counters]
) -> Iterator[CheckedFigure]:
    yield row(
        "none",
        "Without flash",
        "time",
        "µs/access",
        study.none_us,
        replayed_without_flash(counters["none"], disk=disk),
    )
    for index, option in enumerate(study.options):
        for scheme, cost in option.schemes.items():
            counted = counters.get(f"{index} {scheme}")
            if counted is None:
                continue
            time = replayed_directory(counted, option, flash=flash, disk=disk)
            title = f"{_place(option)}: {scheme_titles()[scheme]}"
            of = f"{index} {scheme}"
            if option.technique is None:
                yield row(of, title, "time", "µs/access", cost.total_us, time)
                continue
            for figure, model in (
                (f"time, {AT_WORST}", cost.worst_total_us),
                ("time, if flash pages are full", cost.total_us),
            ):
                yield row(of, title, figure, "µs/access", model, time)


def _place(option: DirectoryOption) -> str:
    where = {"ram": "in RAM", "flash": "on flash"}[option.placement]
    text = f"{where}, {format_bytes(option.flash_page_bytes)}"
    return text if option.technique is None else f"{text}, {option.technique}"
