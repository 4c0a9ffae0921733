"""Contenders replayed at sizes: where accesses are served, and what their operations cost."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any, ClassVar

from tierwright.advise.checks import points as replays
from tierwright.advise.checks.flash_life import (
    FlashLife,
    life_of,
    rate_of,
)
from tierwright.advise.clean_only import CleanOnlyCost, clean_only
from tierwright.advise.in_production import (
    Corresponding,
    InProduction,
    corresponding,
    in_production,
    merged_sizes,
    scaled_of,
)
from tierwright.common.answer import Answer, Figure, Step, step
from tierwright.common.cautions import Caution
from tierwright.common.errors import BadInput
from tierwright.common.wording import percent
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.evaluate.page_flow.cautions import about_space_behind, about_trace
from tierwright.evaluate.page_flow.decision import (
    about_sizes,
    check_belongs,
    warm_up_of,
)
from tierwright.evaluate.ram_tax import pages_left, tax_of_replay
from tierwright.evaluate.scale.replays import ReplaySizes
from tierwright.hardware.device import Device
from tierwright.profile.curve import Curve
from tierwright.simulate import replay
from tierwright.simulate.contenders import (
    NO_FLASH,
    at_a_stated_rate,
    check_no_rate,
    spelled,
    with_default_units,
)
from tierwright.simulate.priced import FLASH_CACHE_ONLY, about_batches, price
from tierwright.simulate.warm_up import FULL, WarmUp
from tierwright.trace import reading
from tierwright.trace.notes import ReaderNotes
from tierwright.trace.reading import OnProgress, Trace

NO_RAM_LEFT: Mapping[str, Any] = {
    "error": "the flash metadata leave no RAM",
    "hint": "Use more RAM, less flash, or a cache with larger units.",
    "not_replayed": True,
}
"""Result of a configuration that could not be replayed: its metadata exceed its RAM."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRow:
    """One replay from a cold start, nothing flushed at the end; counts follow the warm-up.

    Attributes
    ----------
    contender : int
        Its place among the contenders.
    ram_pages, flash_pages : int, int or None
        As asked for; no flash for one cache. [pages]
    ram_pages_left : int or None
        What the metadata of flash left of the RAM; None where nothing was charged. [pages]
    miss_ratio, ram_hit_ratio, flash_hit_ratio : float or None
        Shares of the accesses; None where nothing was replayed, or there is no flash. [1]
    disk_reads, disk_writes, flash_reads, flash_writes : int or None
        Operations. [pages]
    write_reduction : float or None
        Of a flash cache: 1 - disk writes / dirty RAM victims. [1]
    io_time_us_per_access : float or None
        Counted operations x service times. [µs]
    io_time_terms_us_per_access : dict
        Its parts by operation. [µs]
    io_time_reason : str or None
        Why there is no I/O time.
    ram_tax_bytes : int or None
        Of a flash cache: RAM that its directory takes, charged or not; None where no figure is known. [bytes]
    ram_tax_share : float or None
        The same, of the RAM asked for. [1]
    flash_life : FlashLife or None
        Of RAM over flash: what it writes to flash, and how long that lasts; None of one cache and without flash.
    formula : CleanOnlyCost or None
        Of lazy with clean-only admission, whose counts no curve gives.
    counters : dict
        Every counter and ratio of the replay; those of a part after its name.
    options : dict
        All options of a flash cache that were in force, defaults at these sizes among them; empty of the others, whose
        given ones stand with the contender.
    accesses, warm_up : int or None
        Accesses that were counted, and those before them; None where nothing was replayed. [accesses]
    in_production : InProduction or None
        Where the sizes are of production: what was replayed for it, and what is counted, per second; None where
        nothing was replayed.
    warnings : tuple of Caution
        About this replay.
    error, hint : str or None
        Why it failed, and what to do.
    """

    contender: int
    ram_pages: int
    ram_pages_left: int | None = None
    flash_pages: int | None = None
    miss_ratio: float | None = None
    ram_hit_ratio: float | None = None
    flash_hit_ratio: float | None = None
    disk_reads: int | None = None
    disk_writes: int | None = None
    flash_reads: int | None = None
    flash_writes: int | None = None
    write_reduction: float | None = None
    io_time_us_per_access: float | None = None
    io_time_terms_us_per_access: dict[str, float] = field(default_factory=dict)
    io_time_reason: str | None = None
    ram_tax_bytes: int | None = None
    ram_tax_share: float | None = None
    flash_life: FlashLife | None = None
    formula: CleanOnlyCost | None = None
    counters: dict[str, int | float] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    accesses: int | None = None
    warm_up: int | None = None
    in_production: InProduction | None = None
    warnings: tuple[Caution, ...] = ()
    error: str | None = None
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class SweptContender:
    """A contender of a sweep: its family, its name and title in the core's tables, its options."""

    family: replay.Family
    name: str
    title: str
    options: Mapping[str, str]

    @property
    def label(self) -> str:
        """Title and options."""
        return label_of(self.title, self.options)


@dataclass(frozen=True, kw_only=True)
class Sweep(Answer):
    """Contenders replayed at sizes.

    Attributes
    ----------
    contenders : tuple of SweptContender
        As they were understood.
    rows : tuple of ReplayRow
        By contender, then by RAM, then by flash; in production at the sizes of production.
    accesses : int or None
        Accesses that are counted: those after the warm-up; None where each row has its own, until its cache is full.
    page_bytes : int
        Page of the trace. [bytes]
    replayed_at : ReplaySizes or None
        At which sizes the recording was replayed for production; None where they are those of the rows.
    """

    chooses: ClassVar[bool] = False

    contenders: tuple[SweptContender, ...]
    rows: tuple[ReplayRow, ...] = field(repr=False)
    accesses: int | None
    page_bytes: int
    replayed_at: ReplaySizes | None = None

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The mean miss ratio of each contender."""
        return tuple(
            Figure(
                f"miss_ratio_{at}",
                f"Miss ratio, mean over its replays, {each.label}",
                mean_miss_ratio(_of(self.rows, at)),
                "1",
            )
            for at, each in enumerate(self.contenders)
        )


def answer(
    trace: Trace,
    contenders: Sequence[str],
    *,
    ram_pages: Sequence[int],
    flash_pages: Sequence[int] = (),
    options: Mapping[str, Mapping[str, str]] | None = None,
    flash: Device | None = None,
    disk: Device | None = None,
    flash_metadata: MetadataPreset | None = None,
    warm_up: WarmUp | None = None,
    threads: int | None = None,
    production: Curve | None = None,
    accesses_per_s: float | None = None,
    on_progress: OnProgress | None = None,
) -> Sweep:
    """Replay contenders at sizes in one read of the trace, and price what they did.

    Parameters
    ----------
    trace : Trace
        What is replayed.
    contenders : sequence of str
        Names in the core's tables: policies, buffers, schemes, choosers, flash caches.
    ram_pages : sequence of int
        Sizes of a cache, and of RAM over flash. [pages]
    flash_pages : sequence of int
        Sizes of flash, of contenders that have it: each at every pair of sizes. [pages]
    options : mapping, optional
        Of each contender, by its name.
    flash, disk : Device, optional
        Price the operations.
    flash_metadata : MetadataPreset, optional
        Charged to the RAM of contenders with flash.
    warm_up : WarmUp, optional
        Accesses that fill the caches and are not counted; `full`: of each replay until its flash is full, or its
        cache where it has no flash. Unless given none, in production the first half of the recording.
    threads : int, optional
        Replays at a time; None: one a core.
    production : Curve, optional
        Of a profile that was scaled from the trace: sizes are then of one machine of production, and the trace is
        replayed at those that correspond. A row for which the recording is too small has an `error`.
    accesses_per_s : float, optional
        Rate that flash wears at, and at which what works by the clock is replayed: over a trace without times at this
        rate, else with its times multiplied. Unless given, as recorded. [1/s]
    on_progress : callable, optional
        Of the read; False cancels.

    Raises
    ------
    BadInput
        If there is no such contender, or one needs flash and no size is given; if the curve of production was not
        scaled, or from another trace, or a rate is stated beside it; if the rate is none.
    SimulatorError
        If the trace cannot be read, an option or a size is refused, or progress asked to stop.
    """
    found = tuple(_found(name, (options or {}).get(name, {})) for name in contenders)
    needy = [each for each in found if each.family not in replay.ONE_TIER]
    if needy and not flash_pages:
        raise BadInput(
            f"flash_pages: {needy[0].title} needs sizes of flash",
            "give sizes of flash, or leave the contenders with flash out",
        )
    summary = reading.inspect(trace)
    recorded = reading.rate_of_trace(summary)
    if production is not None:
        check_no_rate(accesses_per_s)
        scaled_of(production)
        check_belongs(production, summary, str(trace.path))
    head: WarmUp = 0 if warm_up is None else warm_up
    if warm_up is None and production is not None:
        head = warm_up_of("steady", summary["accesses"])
    rows = [
        ReplayRow(contender=at, ram_pages=ram, flash_pages=size)
        for at, each in enumerate(found)
        for ram in ram_pages
        for size in ([None] if each.family in replay.ONE_TIER else flash_pages)
    ]
    if flash_metadata is not None:
        rows = [
            replace(
                row,
                ram_pages_left=ram_left(
                    flash_metadata,
                    found[row.contender].name,
                    row.ram_pages,
                    row.flash_pages,
                    page_bytes=summary["page_bytes"],
                    distinct_pages=summary["distinct_pages"]
                    if production is None
                    else production.data_pages,
                    options=found[row.contender].options,
                ),
            )
            for row in rows
        ]
    wanted = [
        replace(each, options=at_a_stated_rate(each, accesses_per_s, recorded))
        for row in rows
        for each in [_wanted(found[row.contender], row)]
    ]
    there = [
        None
        if production is None or each.ram_pages < 1
        else corresponding(production, [each], steady=head != 0)[0]
        for each in wanted
    ]
    failed = [_not_replayed(row, place) for row, place in zip(rows, there, strict=True)]
    swept = replay.sweep(
        trace,
        [
            _configuration(found[row.contender], each, place)
            for row, each, place, why in zip(rows, wanted, there, failed, strict=True)
            if why is None
        ],
        warm_up=head,
        threads=threads,
        on_progress=on_progress,
    )
    machine = (
        None if production is None else scaled_of(production).machine_accesses_per_s
    )
    results = iter(swept["rows"])
    counts = [next(results) if why is None else why for why in failed]
    done = tuple(
        replace(
            row_of(
                result,
                row,
                given=found[row.contender].options,
                flash=flash,
                disk=disk,
                recorded_per_s=recorded,
                production_per_s=machine,
                stated_per_s=accesses_per_s,
                charged=flash_metadata,
            ),
            in_production=None
            if production is None or place is None or "error" in result
            else in_production(production, each, place, result),
        )
        for result, row, each, place in zip(counts, rows, wanted, there, strict=True)
    )
    pairs = [
        (each, place)
        for each, place, why in zip(wanted, there, failed, strict=True)
        if place is not None and why is None
    ]
    sizes = None if production is None or not pairs else merged_sizes(production, pairs)

    def explain() -> Iterator[Step]:
        for row in done:
            if row.formula is not None:
                subject = found[row.contender].label
                yield step(row.formula.derivation, subject)
                yield step(row.formula.measured_derivation, subject)

    skipped = replay.warm_up_accesses(trace, head)
    return Sweep(
        finding=finding(
            (each.label, mean_miss_ratio(_of(done, at)))
            for at, each in enumerate(found)
        ),
        warnings=(
            *about_sizes(sizes),
            *about_trace(ReaderNotes.of(swept["trace"])),
            *(() if flash_metadata is None else about_space_behind(flash_metadata)),
        ),
        explain=explain,
        contenders=found,
        rows=done,
        accesses=None if skipped == FULL else max(0, summary["accesses"] - skipped),
        page_bytes=summary["page_bytes"],
        replayed_at=sizes,
    )


def row_of(
    result: Mapping[str, Any],
    place: ReplayRow,
    *,
    given: Mapping[str, str],
    flash: Device | None,
    disk: Device | None,
    recorded_per_s: float | None = None,
    production_per_s: float | None = None,
    stated_per_s: float | None = None,
    charged: MetadataPreset | None = None,
) -> ReplayRow:
    """Say what one replay counted, in shares of the accesses and in time.

    Parameters
    ----------
    result : mapping
        Of `replay.replay`; one with `error` failed, and with `not_replayed` nothing was replayed: `NO_RAM_LEFT`.
    place : ReplayRow
        Contender and sizes, which are kept.
    given : mapping
        Options that the contender was given.
    flash, disk : Device, optional
        Price the operations; flash also says how many writes it endures.
    recorded_per_s : float, optional
        Accesses per second of the trace; None where it has no times. [1/s]
    production_per_s : float, optional
        Of the machine of production that the replay stands for. [1/s]
    stated_per_s : float, optional
        Stated beside the replays. [1/s]
    charged : MetadataPreset, optional
        To the RAM of contenders with flash.
    """
    if "error" in result:
        return replace(
            place,
            io_time_reason="nothing was replayed"
            if result.get("not_replayed")
            else "the replay failed",
            error=result["error"],
            hint=result["hint"] or None,
        )
    accesses = result["accesses"]
    one_tier = place.flash_pages is None
    # Disk reads can be more than misses: blocks are read whole.
    misses = result["misses" if one_tier else "flash_misses"]
    flash_hits = 0 if one_tier else result["flash_hits"]

    def share(count: int) -> float | None:
        return count / accesses if accesses else None

    priced = None if disk is None else price(result, flash=flash, disk=disk)
    tax = (
        tax_of_replay(
            result,
            ram_pages=place.ram_pages,
            flash_pages=place.flash_pages,
            options=with_default_units(
                result["scheme"],
                given,
                flash_pages=place.flash_pages or 0,
                page_bytes=result["page_bytes"],
            ),
            charged=charged,
        )
        if FLASH_CACHE_ONLY in result
        else None
    )
    formula = clean_only(result, flash=flash, disk=disk)
    return replace(
        place,
        miss_ratio=share(misses),
        ram_hit_ratio=share(accesses - misses - flash_hits),
        flash_hit_ratio=None if one_tier else share(flash_hits),
        disk_reads=result["disk_reads" if one_tier else "hdd_reads"],
        disk_writes=result["disk_writes" if one_tier else "hdd_writes"],
        flash_reads=None if one_tier else result["flash_reads"],
        flash_writes=None if one_tier else result["flash_writes"],
        write_reduction=result.get("write_reduction"),
        io_time_us_per_access=priced.io_time_us_per_access if priced else None,
        io_time_terms_us_per_access=priced.terms_us_per_access if priced else {},
        io_time_reason=(priced.reason or None) if priced else "no device was given",
        ram_tax_bytes=None if tax is None else tax.bytes,
        ram_tax_share=None if tax is None else tax.share,
        flash_life=None
        if one_tier
        else life_of(
            result,
            device=flash,
            rate=rate_of(
                result,
                recorded_per_s=recorded_per_s,
                production_per_s=production_per_s,
                stated_per_s=stated_per_s,
            ),
            flash_pages=place.flash_pages,
        ),
        formula=formula,
        counters=dict(_counters(result)),
        options=dict(result.get("options", {})),
        accesses=accesses,
        warm_up=result.get("warm_up", 0),
        warnings=(
            *(
                Caution(each["name"], each["message"], each["hint"])
                for each in result.get("warnings", ())
            ),
            *(formula.warnings if formula else ()),
            *(() if disk is None else about_batches(flash, [result])),
        ),
    )


def ram_left(
    preset: MetadataPreset | None,
    name: str,
    ram_pages: int,
    flash_pages: int | None,
    *,
    page_bytes: int,
    distinct_pages: int,
    options: Mapping[str, str] | None = None,
) -> int | None:
    """Return the RAM that the metadata of flash leave; None where there is nothing to charge.

    Parameters
    ----------
    preset : MetadataPreset or None
        What is charged.
    name : str
        Of the contender.
    ram_pages, flash_pages : int, int or None
        Its sizes. [pages]
    page_bytes, distinct_pages : int
        Of the trace; its pages are the address space behind, where the preset states none.
    options : mapping, optional
        As given: a flash cache whose own preset is charged takes what it needs with these.
    """
    if preset is None or not flash_pages or name == NO_FLASH:
        return None
    return pages_left(
        preset,
        name,
        ram_pages=ram_pages,
        flash_pages=flash_pages,
        page_bytes=page_bytes,
        source_bytes=distinct_pages * page_bytes,
        options=with_default_units(
            name, options or {}, flash_pages=flash_pages, page_bytes=page_bytes
        ),
    )


def sizes_between(low: int, high: int, points: int) -> list[int]:
    """Return sizes at even distances on a logarithmic scale, both ends included. [pages]

    Examples
    --------
    >>> sizes_between(1, 1000, 4)
    [1, 10, 100, 1000]
    """
    low, high = sorted((low, high))
    if points == 1:
        return [low]
    ratio = math.log(high / low)
    steps = (step / (points - 1) for step in range(points))
    # exact at both ends whatever the rounding of the exponential
    return sorted({low, high} | {round(low * math.exp(ratio * step)) for step in steps})


def mean(values: Sequence[float | None]) -> float | None:
    """Return the mean; None where a replay has no such figure."""
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None


def mean_miss_ratio(rows: Sequence[ReplayRow]) -> float | None:
    """Return the mean miss ratio of the rows of a contender; None where one has none. [1]"""
    return mean([row.miss_ratio for row in rows])


def label_of(title: str, options: Mapping[str, str]) -> str:
    """Name a contender with its options."""
    listed = ", ".join(f"{name} {value}" for name, value in options.items())
    return f"{title} ({listed})" if listed else title


def finding(means: Iterable[tuple[str, float | None]]) -> str:
    """Say the mean miss ratio of each contender, by its label."""
    said = [f"{label} {percent(mean)}" for label, mean in means if mean is not None]
    if not said:
        return "No contender has a miss ratio at every size."
    return f"Miss ratio, mean over all sizes replayed: {', '.join(said)}."


def _of(rows: Sequence[ReplayRow], contender: int) -> list[ReplayRow]:
    return [row for row in rows if row.contender == contender]


def _found(name: str, options: Mapping[str, str]) -> SweptContender:
    wanted = spelled(name)
    for family in replay.FAMILIES:
        for row in replay.contenders(family):
            if row["name"] == wanted:
                return SweptContender(family, wanted, row["title"], dict(options))
    known = ", ".join(
        row["name"] for family in replay.FAMILIES for row in replay.contenders(family)
    )
    raise BadInput(f"contenders: there is no `{name}`", f"known: {known}")


def _replayed_in(row: ReplayRow) -> int:
    return row.ram_pages if row.ram_pages_left is None else row.ram_pages_left


def _wanted(contender: SweptContender, row: ReplayRow) -> replays.Replay:
    return replays.Replay(
        contender.family,
        contender.name,
        _replayed_in(row),
        row.flash_pages or 0,
        0,
        dict(contender.options),
    )


def _not_replayed(
    row: ReplayRow, place: Corresponding | None
) -> Mapping[str, Any] | None:
    """Say why a row is not replayed; None where it is."""
    if _replayed_in(row) < 1:
        return NO_RAM_LEFT
    if place is None or place.refused is None:
        return None
    return {**place.refused, "not_replayed": True}


def _configuration(
    contender: SweptContender, wanted: replays.Replay, place: Corresponding | None
) -> dict[str, Any]:
    ram = wanted.ram_pages if place is None else place.ram_pages
    flash = wanted.flash_pages if place is None else place.flash_pages
    sizes = (
        {"pages": ram}
        if contender.family in replay.ONE_TIER
        else {"ram_pages": ram, "flash_pages": flash}
    )
    units = {} if place is None else place.options
    return {
        contender.family: contender.name,
        **sizes,
        "options": wanted.options | units,
    }


def _counters(
    result: Mapping[str, Any], prefix: str = ""
) -> Iterator[tuple[str, int | float]]:
    """Yield every number of a result; those of a part after its name."""
    for name, value in result.items():
        if isinstance(value, dict):
            yield from _counters(value, f"{prefix}{name}_")
        elif (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and math.isfinite(value)
        ):
            yield f"{prefix}{name}", value
