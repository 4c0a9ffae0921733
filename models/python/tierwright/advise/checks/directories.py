"""The check of places of the flash directory and sizes of flash pages, with flash caches beside them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from tierwright.advise.checks.checked import (
    Checked,
    CheckedFigure,
    at_recorded_sizes,
    not_checked,
    row,
    verdict,
)
from tierwright.advise.checks.flash_caches import (
    EQUAL,
    CacheOptions,
    besides,
    flash_cache_replays,
    paces,
)
from tierwright.advise.checks.points import (
    MOST_BLOCK_PAGES,
    Counters,
    Replay,
    directory_replays,
    measured_use,
    recorded_replays,
    replayed_directory,
    replayed_flash_cache,
    replayed_upkeep,
    replayed_without_flash,
)
from tierwright.advise.decide import replayed_by_key
from tierwright.advise.directories import (
    Directories,
    DirectoryOption,
    DirectoryUse,
)
from tierwright.advise.point import scheme_titles
from tierwright.common.units import format_bytes, format_microseconds
from tierwright.common.wording import listed, percent, sentences
from tierwright.evaluate.metadata import charge
from tierwright.evaluate.page_flow.decision import warm_up_of
from tierwright.evaluate.ram_tax import preset_of_cache
from tierwright.evaluate.scale.replays import recorded_accesses
from tierwright.hardware.device import Device
from tierwright.profile.curve import Curve
from tierwright.simulate.contenders import flash_cache_titles
from tierwright.simulate.priced import about_batches_text, price
from tierwright.trace.reading import OnProgress, Trace

AT_WORST = "at worst"
HITS = "hits of the directory in RAM"
DIRTY = "dirty directory pages"
UPKEEP = "upkeep of the directory"
BUFFER = (
    "The pages of a directory on flash that RAM holds were replayed, too, as an LRU of them: entries lie by a hash, so "
    "that neighbours are in different pages, and a page that was updated is written when it leaves RAM."
)
WITHOUT_FLASH = "Without flash"
Kind = Literal["without_flash", "directory", "flash_cache"]


@dataclass(frozen=True, slots=True)
class CacheBeside:
    """A flash cache with the memory and the flash of a comparison of directories.

    Attributes
    ----------
    name, title : str
        Of it.
    ram_tax_bytes : int or None
        RAM that its metadata take; None where no figure is published, and none is subtracted. [bytes]
    ram_pages : int
        Pages that are left for RAM; 0 where the metadata leave none. [pages]
    flash_pages : int
        [pages]
    """

    name: str
    title: str
    ram_tax_bytes: int | None
    ram_pages: int
    flash_pages: int


@dataclass(frozen=True, slots=True)
class PlaceReplayed:
    """One place of a directory under one scheme, or one flash cache, by replay.

    Attributes
    ----------
    of, title : str
        As in the rows of the check.
    kind : str
        `without_flash`, `directory` or `flash_cache`.
    ram_tax_bytes : int or None
        RAM that directory or metadata take; None where no figure is published. [bytes]
    ram_pages, flash_pages : int
        RAM that they leave, and flash. [pages]
    ram_hits, flash_hits : float or None
        Of all accesses; None where it was not replayed. [1]
    time_us : float or None
        I/O and upkeep; None where it was not replayed, or a device states no time of an operation. [µs per access]
    behind : float or None
        By how much longer it takes than the fastest of all; None without a time. [1]
    reason : str
        Why it has no time; empty where it has one.
    """

    of: str
    title: str
    kind: Kind
    ram_tax_bytes: int | None
    ram_pages: int
    flash_pages: int
    ram_hits: float | None
    flash_hits: float | None
    time_us: float | None
    behind: float | None
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class DirectoriesReplayed(Checked):
    """Directories by replay, and flash caches beside them.

    Attributes
    ----------
    places : tuple of PlaceReplayed
        The fastest first; those without a time last.
    """

    places: tuple[PlaceReplayed, ...] = field(default=(), repr=False)


def caches_beside(
    study: Directories,
    curve: Curve,
    names: Sequence[str],
    options: CacheOptions | None = None,
) -> tuple[CacheBeside, ...]:
    """Give flash caches the memory and the flash of a comparison of directories, less what their metadata take.

    r = floor((S_r - metadata) / (B_r + b_r)), as for a directory in RAM; f = floor(S_f / B_f).

    Parameters
    ----------
    study : Directories
        Of the model.
    curve : Curve
        That it was asked of.
    names : sequence of str
        Flash caches.
    options : mapping, optional
        Of `options_of_caches`; unless given, the defaults.
    """
    titles = flash_cache_titles()
    page = study.inputs["ram_page_bytes"]
    memory, flash_bytes = study.inputs["ram_bytes"], study.inputs["flash_bytes"]
    found = []
    for name in dict.fromkeys(names):
        preset = preset_of_cache(
            name, page_bytes=page, options=(options or {}).get(name)
        )
        tax = (
            None
            if preset is None
            else charge(
                preset,
                ram_bytes=memory,
                flash_bytes=flash_bytes,
                page_bytes=page,
                source_bytes=int(curve.data_pages * page),
            ).metadata_bytes
        )
        left = max(0, memory - (tax or 0)) // (page + study.inputs["ram_entry_bytes"])
        found.append(
            CacheBeside(name, titles.get(name, name), tax, left, flash_bytes // page)
        )
    return tuple(found)


def cache_replays(
    caches: Sequence[CacheBeside],
    *,
    start: str,
    accesses: int,
    options: CacheOptions | None = None,
) -> dict[str, Replay]:
    """Return the replays of flash caches beside directories, by name; none of those without RAM.

    Parameters
    ----------
    caches : sequence of CacheBeside
        With their sizes.
    start : str
        `steady` or `cold`.
    accesses : int
        Of the trace.
    options : mapping, optional
        Of `options_of_caches`; unless given, the defaults.

    Raises
    ------
    BadInput
        If there is no such flash cache, or no flash.
    """
    found: dict[str, Replay] = {}
    for each in caches:
        if each.ram_pages > 0:
            found |= flash_cache_replays(
                [each.name],
                ram_pages=each.ram_pages,
                flash_pages=each.flash_pages,
                start=start,
                accesses=accesses,
                options=options,
            )
    return found


def replayed(
    study: Directories,
    curve: Curve,
    trace: Trace,
    *,
    flash: Device,
    disk: Device,
    flash_caches: Sequence[str] = (),
    options: CacheOptions | None = None,
    on_progress: OnProgress | None = None,
) -> DirectoriesReplayed:
    """Replay the trace with every place of the directory and size of flash pages, and through flash caches.

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
    flash_caches : sequence of str
        Replayed beside them.
    options : mapping, optional
        Of `options_of_caches`; unless given, the defaults.
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
    caches = caches_beside(study, curve, flash_caches, options)
    wanted, sizes = recorded_replays(
        directory_replays(study, start=curve.start, accesses=accesses)
        | cache_replays(caches, start=curve.start, accesses=accesses, options=options),
        curve.scaled,
        page_bytes=curve.page_bytes,
    )
    if sizes is not None and sizes.refuses:
        refused = not_checked(sizes)
        return DirectoriesReplayed(
            finding=refused.finding, rows=(), basis=refused.basis
        )
    counters = replayed_by_key(
        curve,
        trace,
        {name: each.configuration() for name, each in wanted.items()},
        warm_up=warm_up_of(curve.start, accesses),
        on_progress=on_progress,
    )
    made = check(
        study,
        page_bytes=curve.page_bytes,
        flash=flash,
        disk=disk,
        counters=counters,
        caches=caches,
        options=options,
    )
    return at_recorded_sizes(made, sizes)


def check(
    study: Directories,
    *,
    page_bytes: int,
    flash: Device,
    disk: Device,
    counters: Mapping[str, Counters],
    caches: Sequence[CacheBeside] = (),
    options: CacheOptions | None = None,
) -> DirectoriesReplayed:
    """Put I/O and upkeep of every option beside those of replays with its flash pages, and flash caches besides.

    Parameters
    ----------
    study : Directories
        Of the model.
    page_bytes : int
        Page of the workload. [bytes]
    flash, disk : Device
        Of the two lower tiers.
    counters : mapping of str to counters
        Of `directory_replays` and `cache_replays`.
    caches : sequence of CacheBeside
        Flash caches, those without RAM among them.
    options : mapping, optional
        That they were given.

    Raises
    ------
    BadInput
        If a device states no time of an operation that was counted.
    """
    rows = tuple(_rows(study, flash, disk, counters))
    places = _places(study, caches, counters, flash, disk)
    compared = [
        each for each in rows if each.figure == "time" or each.figure.endswith(AT_WORST)
    ]
    largest = MOST_BLOCK_PAGES * page_bytes
    left_out = any(
        option.schemes and option.flash_page_bytes > largest for option in study.options
    )
    uses = _measured(study, counters)
    finding = verdict(compared, "time", min, among="directory" if caches else "")
    if uses:
        finding = f"{finding} {_effect(study, uses)}"
    if caches:
        finding = f"{finding} {_about_caches(places)}"
    return DirectoriesReplayed(
        finding=finding,
        rows=(
            *rows,
            *(
                row(each.of, each.title, "time", "µs/access", None, each.time_us)
                for each in places
                if each.kind == "flash_cache" and each.time_us is not None
            ),
        ),
        places=places,
        basis="Each option was replayed with its own flash page size, RAM and flash, "
        "under its safest scheme and under the one that is best if flash pages "
        "are full; directory lookups and updates were counted."
        + _basis_of_caches(study, caches, counters, options, flash)
        + (f" {BUFFER}" if uses else "")
        + (
            f" Flash pages larger than {format_bytes(largest)} ({MOST_BLOCK_PAGES} "
            "workload pages) are not replayed."
            if left_out
            else ""
        ),
    )


def _basis_of_caches(
    study: Directories,
    caches: Sequence[CacheBeside],
    counters: Mapping[str, Counters],
    options: CacheOptions | None,
    flash: Device,
) -> str:
    names = [each.name for each in caches if each.ram_pages > 0]
    if not names:
        return ""
    use = study.use
    bounded = about_batches_text(flash, counters.values())
    upkeep = (
        f" Each RAM miss looks an entry up, and each page written to flash updates one: "
        f"{format_microseconds(use.ram_lookup_us)} and {format_microseconds(use.ram_update_us)}, as of a directory "
        "in RAM."
        if use.ram_lookup_us or use.ram_update_us
        else ""
    )
    return (
        f" {sentences(besides(names, options), paces(counters, options))} Each has the same memory, from which the RAM of its metadata is "
        f"subtracted, and the same flash, in pages of the workload.{upkeep}"
        + (f" {bounded}" if bounded else "")
    )


def _places(
    study: Directories,
    caches: Sequence[CacheBeside],
    counters: Mapping[str, Counters],
    flash: Device,
    disk: Device,
) -> tuple[PlaceReplayed, ...]:
    """Return all that was replayed, the fastest first."""
    frames = study.inputs["ram_bytes"] // (
        study.inputs["ram_page_bytes"] + study.inputs["ram_entry_bytes"]
    )
    found = [
        _place_of(
            "none",
            WITHOUT_FLASH,
            "without_flash",
            (0, frames, 0),
            counters["none"],
            replayed_without_flash(counters["none"], disk=disk),
        )
    ]
    for index, option in enumerate(study.options):
        held = (
            option.directory_bytes
            if option.placement == "ram"
            else option.buffered_bytes
        )
        for scheme in option.schemes:
            of = f"{index} {scheme}"
            if of in counters:
                found.append(
                    _place_of(
                        of,
                        f"{_place(option)}: {scheme_titles()[scheme]}",
                        "directory",
                        (held, option.ram_pages, option.flash_pages),
                        counters[of],
                        replayed_directory(
                            counters[of], option, flash=flash, disk=disk
                        ),
                    )
                )
    for cache in caches:
        sizes = (cache.ram_tax_bytes, cache.ram_pages, cache.flash_pages)
        counted = counters.get(cache.name)
        if counted is None:
            taken = format_bytes(cache.ram_tax_bytes or 0)
            reason = f"its metadata take {taken}, all of the RAM"
        else:
            reason = price(counted, flash=flash, disk=disk).reason
        time_us = (
            None
            if counted is None or reason
            else replayed_flash_cache(counted, study.use, flash=flash, disk=disk)
        )
        found.append(
            _place_of(
                cache.name, cache.title, "flash_cache", sizes, counted, time_us, reason
            )
        )
    known = [each for each in found if each.time_us is not None]
    least = min(each.time_us or 0.0 for each in known)
    return tuple(
        sorted(
            (_beside_best(each, least) for each in found),
            key=lambda each: math.inf if each.time_us is None else each.time_us,
        )
    )


def _place_of(
    of: str,
    title: str,
    kind: Kind,
    sizes: tuple[int | None, int, int],
    counted: Counters | None,
    time_us: float | None,
    reason: str = "",
) -> PlaceReplayed:
    tax, ram, flash = sizes
    hits: list[float | None] = [None, None]
    if counted is not None:
        hits = [
            counted[name] / counted["accesses"] for name in ("ram_hits", "flash_hits")
        ]
    return PlaceReplayed(
        of=of,
        title=title,
        kind=kind,
        ram_tax_bytes=tax,
        ram_pages=ram,
        flash_pages=flash,
        ram_hits=hits[0],
        flash_hits=hits[1],
        time_us=time_us,
        behind=None,
        reason=reason,
    )


def _beside_best(each: PlaceReplayed, least: float) -> PlaceReplayed:
    if each.time_us is None:
        return each
    return replace(each, behind=each.time_us / least - 1 if least else 0.0)


def _about_caches(places: Sequence[PlaceReplayed]) -> str:
    """Say whether a flash cache beats the best place of a directory, and by how much."""
    of_kind: dict[Kind, list[PlaceReplayed]] = {
        "without_flash": [],
        "directory": [],
        "flash_cache": [],
    }
    for each in places:
        if each.time_us is not None:
            of_kind[each.kind].append(each)
    none_left = [
        each for each in places if each.kind == "flash_cache" and each.time_us is None
    ]
    left_out = " ".join(
        f"{each.title} has no time: {each.reason}." for each in none_left
    )
    if not of_kind["flash_cache"]:
        return left_out
    # Without a directory that fits, flash caches stand beside a system without flash.
    rival = (of_kind["directory"] or of_kind["without_flash"])[0]
    said = _beside(of_kind["flash_cache"], rival)
    return f"{said} {left_out}".rstrip()


def _beside(caches: Sequence[PlaceReplayed], rival: PlaceReplayed) -> str:
    """Compare the fastest flash cache with the best place of a directory."""
    cache = caches[0]
    ours, theirs = cache.time_us or 0.0, rival.time_us or 0.0
    beaten = (
        "the best place of a directory"
        if rival.kind == "directory"
        else "a system without flash"
    )
    which = f" ({rival.title})" if rival.kind == "directory" else ""
    both = (
        f"{format_microseconds(ours)} per access, against {format_microseconds(theirs)}"
    )
    taxed = (
        f"For the metadata of {cache.title} no figure is published, so no RAM is subtracted."
        if cache.ram_tax_bytes is None
        else f"The metadata of {cache.title} take {format_bytes(cache.ram_tax_bytes)} of the RAM."
    )
    longer = max(ours, theirs)
    lead = 0.0 if longer == 0 else abs(ours - theirs) / longer
    if lead < EQUAL:
        return (
            f"The fastest flash cache, {cache.title}, and {beaten}{which} are within {100 * EQUAL:g} %: {both}. "
            f"{taxed}"
        )
    if ours < theirs:
        faster = [each for each in caches if (each.time_us or 0.0) < theirs]
        others = (
            f" So are {listed([each.title for each in faster[1:]])}."
            if len(faster) > 2  # noqa: PLR2004 - the first is named
            else f" So is {faster[1].title}."
            if len(faster) == 2  # noqa: PLR2004 - the first and another
            else ""
        )
        return f"{cache.title} is faster than {beaten}{which}: {both}, {percent(lead)} less.{others} {taxed}"
    more = f", {percent(ours / theirs - 1)} more" if theirs else ""
    if len(caches) == 1:
        return (
            f"{cache.title} is not faster than {beaten}{which}: {both}{more}. {taxed}"
        )
    return f"No flash cache is faster than {beaten}{which}: the fastest, {cache.title}, takes {both}{more}. {taxed}"


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
        WITHOUT_FLASH,
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
