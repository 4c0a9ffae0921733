"""The check of places of the flash directory and sizes of flash pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tierwright.advise.checks.checked import (
    Checked,
    CheckedFigure,
    at_recorded_sizes,
    not_checked,
    row,
    verdict,
)
from tierwright.advise.checks.points import (
    MOST_BLOCK_PAGES,
    Counters,
    directory_replays,
    measured_use,
    recorded_replays,
    replayed_directory,
    replayed_upkeep,
    replayed_without_flash,
)
from tierwright.advise.decide import replayed_rows
from tierwright.advise.directories import (
    Directories,
    DirectoryOption,
    DirectoryUse,
)
from tierwright.advise.point import scheme_titles
from tierwright.common.units import format_bytes, format_microseconds
from tierwright.common.wording import percent
from tierwright.evaluate.page_flow.decision import warm_up_of
from tierwright.evaluate.scale.replays import recorded_accesses
from tierwright.hardware.device import Device
from tierwright.profile.curve import Curve
from tierwright.trace.reading import OnProgress, Trace

AT_WORST = "at worst"
HITS = "hits of the directory in RAM"
DIRTY = "dirty directory pages"
UPKEEP = "upkeep of the directory"
BUFFER = (
    "The pages of a directory on flash that RAM holds were replayed, too, as an LRU of them: entries lie by a hash, so "
    "that neighbours are in different pages, and a page that was updated is written when it leaves RAM."
)


def replayed(
    study: Directories,
    curve: Curve,
    trace: Trace,
    *,
    flash: Device,
    disk: Device,
    on_progress: OnProgress | None = None,
) -> Checked:
    """Replay the trace with every place of the directory and size of flash pages.

    Parameters
    ----------
    study : Directories
        Of the model.
    curve : Curve
        That it was asked of: of a recording, or scaled from one.
    trace : Trace
        The recording.
    flash, disk : Device
        Of the two lower tiers.
    on_progress : callable, optional
        See `OnProgress`; False cancels.

    Raises
    ------
    BadInput
        If the trace is another one than that of the curve, or a replay is impossible.
    Cancelled
        If progress asked to stop.
    """
    accesses = (
        curve.accesses if curve.scaled is None else recorded_accesses(curve.scaled)
    )
    wanted, sizes = recorded_replays(
        directory_replays(study, start=curve.start, accesses=accesses), curve.scaled
    )
    if sizes is not None and sizes.too_small:
        return not_checked(sizes)
    rows = replayed_rows(
        curve,
        trace,
        [each.configuration() for each in wanted.values()],
        warm_up=warm_up_of(curve.start, accesses),
        on_progress=on_progress,
    )
    made = check(
        study,
        page_bytes=curve.page_bytes,
        flash=flash,
        disk=disk,
        counters=dict(zip(wanted, rows, strict=True)),
    )
    return at_recorded_sizes(made, sizes)


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
    uses = _measured(study, counters)
    finding = verdict(compared, "time", min)
    if uses:
        finding = f"{finding} {_effect(study, uses)}"
    return Checked(
        finding=finding,
        rows=rows,
        basis="Each option was replayed with its own flash page size, RAM and flash, "
        "under its safest scheme and under the one that is best if flash pages "
        "are full; directory lookups and updates were counted."
        + (f" {BUFFER}" if uses else "")
        + (
            f" Flash pages larger than {format_bytes(largest)} ({MOST_BLOCK_PAGES} "
            "workload pages) are not replayed."
            if left_out
            else ""
        ),
    )


def _measured(
    study: Directories, counters: Mapping[str, Counters]
) -> dict[int, DirectoryUse]:
    """Return the use that a replay under the safest scheme measured, by option with its directory on flash."""
    assumed = study.use
    found = {}
    for index, option in enumerate(study.options):
        counted = counters.get(f"{index} {option.safest}")
        if counted is not None and "directory" in counted:
            found[index] = measured_use(counted, assumed)
    return found


def _effect(study: Directories, uses: Mapping[int, DirectoryUse]) -> str:
    """Say what was assumed, what was measured, and which option the model chooses with it."""
    hits = [use.hit_ratio for use in uses.values()]
    low, high = percent(min(hits)), percent(max(hits))
    measured = low if low == high else f"{low} to {high}"
    said = (
        f"The part of a directory on flash that RAM holds served {measured} of its lookups and updates in the "
        f"replay; the answer assumes {percent(study.use.hit_ratio)}."
    )
    again = study.measured(uses)
    if study.safest is None or again.safest is None:
        return said
    before, after = study.options[study.safest], again.options[again.safest]
    if again.safest == study.safest:
        return f"{said} With the measured hits the model still chooses the directory {after.where}."
    return (
        f"{said} With the measured hits the model chooses the directory {after.where}, not {before.where}: "
        f"{format_microseconds(after.worst_us)} per access at worst, against "
        f"{format_microseconds(again.options[study.safest].worst_us)}."
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
            else:
                for figure, model in (
                    (f"time, {AT_WORST}", cost.worst_total_us),
                    ("time, if flash pages are full", cost.total_us),
                ):
                    yield row(of, title, figure, "µs/access", model, time)
            if "directory" in counted:
                assumed, found = study.use, measured_use(counted, study.use)
                upkeep = replayed_upkeep(counted, option, flash=flash)
                for figure, unit, model, simulated in (
                    (HITS, "1", assumed.hit_ratio, found.hit_ratio),
                    (DIRTY, "1", assumed.dirty_share, found.dirty_share),
                    (UPKEEP, "µs/access", cost.directory_us, upkeep),
                ):
                    yield row(of, title, figure, unit, model, simulated)


def _place(option: DirectoryOption) -> str:
    at = {"ram": "in RAM", "flash": "on flash"}[option.placement]
    text = f"{at}, {format_bytes(option.flash_page_bytes)}"
    return text if option.technique is None else f"{text}, {option.technique}"
