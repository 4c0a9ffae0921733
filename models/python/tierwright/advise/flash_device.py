"""What garbage collection makes of writes: WAF, erases, wear, life, and what TRIM saves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from tierwright.common.answer import Answer, Figure, Step, steps
from tierwright.common.derivation import Derivation, Number
from tierwright.common.errors import BadInput
from tierwright.common.wording import counted, percent, three_digits
from tierwright.evaluate.endurance.wear import Lifetime, lifetime
from tierwright.evaluate.modern.write_amplification import (
    Stream,
    waf_greedy,
    waf_streams,
    waf_trim,
    waf_uniform,
)
from tierwright.simulate.flash_device import (
    COLLECTIONS,
    Collection,
    FlashDevice,
    Mapping,
    Part,
    simulate_writes,
)
from tierwright.trace.reading import OnProgress

Workload = Literal["uniform", "zipf", "hot-cold", "sequential", "log-and-random"]
WORKLOADS: tuple[Workload, ...] = get_args(Workload)
OVERWRITES = 12
"""Of the whole space that are counted by default, after as many that are not."""
LEAST_WARM_UP = 4
"""Overwrites before those that count."""
POINT_OVERWRITES = 4
"""Overwrites that are counted at each spare space of `by_spare`, and those before them."""
MB = 1e6
_SECONDS_A_DAY = 86_400
AGREES = 0.01
"""Gap to a closed form up to which both count as equal."""
VALIDITY = (
    "a full drive in steady state, written page by page; no compression, the mapping is "
    "written for free, no wear-levelling moves, no bad blocks. The counters of a real drive "
    "are better than any of this"
)
_SOURCE = "derived; Desnoyers (SYSTOR 2012), Van Houdt (SIGMETRICS 2013)"
_BY: dict[Mapping, str] = {
    "block": "block mapping",
    "bast": "BAST log blocks",
    "fast": "FAST log blocks",
    "zones": "zones",
}
"""A mapping in a sentence; that of pages is named by its collection."""
_WHY_HELD: dict[Mapping, str] = {
    "page": "free or just opened",
    "block": "for merges",
    "bast": "for merges",
    "fast": "for merges",
    "zones": "none",
}


@dataclass(frozen=True, slots=True)
class AtSpare:
    """Write amplification of one rule at one spare space.

    Attributes
    ----------
    mapping : str
        Translation layer.
    collection : str or None
        Rule of garbage collection; None where pages are not mapped one by one.
    spare : float
        (physical - logical) / logical, in whole blocks. [1]
    waf : float
        Simulated. [1]
    closed_form : float or None
        Of the formula at the usable spare; None where no formula covers the case. [1]
    """

    mapping: Mapping
    collection: Collection | None
    spare: float
    waf: float
    closed_form: float | None


@dataclass(frozen=True, kw_only=True)
class FlashDeviceAnswer(Answer):
    """What a device does with a workload.

    Attributes
    ----------
    device : FlashDevice
        What was simulated.
    workload : str
        One of `WORKLOADS`.
    waf : float
        Pages written to flash per page written by the host. [1]
    host_writes, moved, trims, erases : int
        Pages written by the host, copied by collection and trimmed; blocks erased.
    absorbed : int
        Of the pages written by the host those that were written again or trimmed while they were in
        the write buffer: flash never had them.
    full_merges, partial_merges, switch_merges : int
        Merges of a mapping by blocks: all of a logical block copied, the rest of it, or nothing.
    used_share : float
        Share of the logical pages in use at the end. [1]
    erases_least, erases_mean, erases_most, erases_deviation : float
        Erases per block while writes counted.
    spare, usable_spare : float
        (physical - logical) / logical; without the blocks held back. [1]
    closed_form : float or None
        WAF of the formula at the usable spare; None where no formula covers the case. [1]
    gap : float or None
        Simulated WAF over the closed form, less 1. [1]
    stream_wafs : list of float or None
        Of each stream; None where copies are apart from streams, or the stream wrote nothing. [1]
    waf_without_trim : float or None
        Of the same writes without TRIM; None without trims. [1]
    trim_saves : float or None
        Share of the flash writes that TRIM saves; negative where it costs some, None without
        trims. [1]
    life : Lifetime or None
        None without cycles and a rate.
    by_spare : tuple of AtSpare
        Every rule at the spare spaces asked for, rule by rule; another mapping than that of pages alone.
    validity : str
        What was assumed.
    """

    chooses: ClassVar[bool] = False

    device: FlashDevice
    workload: Workload
    waf: float
    host_writes: int
    moved: int
    trims: int
    erases: int
    absorbed: int
    full_merges: int
    partial_merges: int
    switch_merges: int
    used_share: float
    erases_least: int
    erases_mean: float
    erases_most: int
    erases_deviation: float
    spare: float
    usable_spare: float
    closed_form: float | None
    gap: float | None
    stream_wafs: list[float | None]
    waf_without_trim: float | None
    trim_saves: float | None
    life: Lifetime | None
    by_spare: tuple[AtSpare, ...] = ()
    validity: str = VALIDITY

    @property
    def figures(self) -> tuple[Figure, ...]:
        """WAF beside its closed form, erases, life."""
        years = None if self.life is None else float(self.life.years)
        return (
            Figure("waf", "Write amplification, simulated", self.waf, "1"),
            Figure("closed_form", "Of the closed form", self.closed_form, "1"),
            Figure("waf_without_trim", "Without TRIM", self.waf_without_trim, "1"),
            Figure("erases", "Blocks erased", self.erases, "blocks"),
            Figure("erases_mean", "Erases per block, mean", self.erases_mean, "1"),
            Figure("erases_most", "Erases per block, most", self.erases_most, "1"),
            Figure("years", "Life at this load", years, "years"),
        )


def parts_of(
    workload: Workload,
    pages: int,
    *,
    exponent: float = 0.9,
    hot_pages: float = 0.2,
    hot_writes: float = 0.8,
    run_pages: int = 64,
    streams: int = 1,
) -> list[Part]:
    """Split the logical pages into parts that are written in one way.

    Parameters
    ----------
    workload : str
        `uniform`, `zipf` (popularity by rank), `sequential`; `hot-cold`: a share of the pages takes
        a share of the writes, both at random; `log-and-random`: that share is written in order, a
        run at once, as a log or a cache of regions does.
    pages : int
        Logical pages.
    exponent : float
        Of `zipf`. [1]
    hot_pages, hot_writes : float
        Shares of the first part of the last two. [1]
    run_pages : int
        Pages of the log that are written at once.
    streams : int
        With more than one the first part is stream 0, the other stream 1.

    Raises
    ------
    BadInput
        If a share leaves one part without pages, the workload is unknown, or it has fewer parts
        than there are streams.
    """
    split = workload in ("hot-cold", "log-and-random")
    if workload not in WORKLOADS:
        raise BadInput(
            f"workload: `{workload}` is unknown", f"use one of {', '.join(WORKLOADS)}"
        )
    if streams > 1 + split:
        raise BadInput(
            f"streams: `{streams}` are more than the parts of workload `{workload}`",
            "use 2 streams with hot-cold or log-and-random, 1 with the others",
        )
    if not split:
        order: Any = workload
        return [Part(pages, 1.0, order, exponent if order == "zipf" else 0.0)]
    first = round(hot_pages * pages) if 0 < hot_pages < 1 else 0
    if not 0 < first < pages:
        raise BadInput(
            f"hot pages: a share of `{hot_pages}` leaves a part without pages",
            "give a share between 0 and 1",
        )
    if not 0 < hot_writes < 1:
        raise BadInput(
            f"hot writes: a share of `{hot_writes}` leaves a part without writes",
            "give a share between 0 and 1",
        )
    if run_pages < 1:
        raise BadInput(
            f"run: `{run_pages}` pages of the log at once are fewer than 1",
            "give the pages that are written at once, such as those of a block",
        )
    log = workload == "log-and-random"
    return [
        Part(
            first,
            hot_writes,
            "sequential" if log else "uniform",
            run_pages=run_pages if log else 1,
        ),
        Part(pages - first, 1 - hot_writes, stream=int(streams > 1)),
    ]


def closed_form(
    device: FlashDevice, parts: list[Part], trim_share: float = 0.0
) -> float | None:
    """Return the WAF that a formula gives for a device, at its usable spare.

    Of page mapping, but that sequential writes are copied under no mapping.

    `waf_uniform` for uniform overwrites, with TRIM at the spare of `waf_trim`; 1 for sequential writes; `waf_streams` for random writes and a log whose
    runs are whole blocks, in two streams under greedy collection. With a write buffer of B of L pages
    uniform overwrites reach flash as 1 - B / L of them, at the spare over the other pages. None for all else: cost-benefit
    collection, hot and cold or Zipf writes, or a log that is collected before it is overwritten.

    Parameters
    ----------
    device : FlashDevice
        The device.
    parts : list of Part
        Of `parts_of`.
    trim_share : float
        Share of the requests that trim. [1]

    Returns
    -------
    float or None
        [1]

    Raises
    ------
    BadInput
        If the usable spare is out of the domain of the formulas.
    """
    spare = device.usable_spare
    orders = [part.order for part in parts]
    if device.mapping != "page":
        in_order = orders == ["sequential"] and not (device.buffer_pages or trim_share)
        return 1.0 if in_order else None
    if device.buffer_pages:
        if orders != ["uniform"] or trim_share:
            return None
        # What is in the buffer is not on flash, and neither is that share of the writes.
        on_flash = 1 - device.buffer_pages / device.logical_pages
        waf = waf_uniform(
            device.collection,
            (1 + spare) / on_flash - 1,
            device.block_pages,
            device.choices,
        )
        return None if waf is None else on_flash * waf
    if orders == ["uniform"]:
        if trim_share:
            spare = waf_trim(spare, trim_share).effective_spare
        return waf_uniform(device.collection, spare, device.block_pages, device.choices)
    if trim_share:
        return None
    if orders == ["sequential"]:
        # A victim that is drawn by chance still has pages in use.
        return None if device.collection in ("random", "choices") else 1.0
    if orders == ["sequential", "uniform"] and _log_apart(device, parts[0]):
        log, random = parts
        physical = random.pages + spare * device.logical_pages
        uniform = waf_greedy(physical / random.pages - 1, device.block_pages).waf
        streams = waf_streams(
            [
                Stream(log.write_share, sequential=True),
                Stream(random.write_share, random.pages, physical),
            ]
        )
        # The sum is that of FIFO cleaning; greedy takes its place.
        return streams.waf + random.write_share * (uniform - streams.each[1])
    return None


def _log_apart(device: FlashDevice, log: Part) -> bool:
    """Whether blocks of a log are empty when they are collected."""
    return (
        device.streams > 1
        and device.copies == "stream"
        and device.collection == "greedy"
        and log.run_pages % device.block_pages == 0
        and log.pages % log.run_pages == 0
    )


def answer(
    device: FlashDevice,
    workload: Workload = "uniform",
    *,
    exponent: float = 0.9,
    hot_pages: float = 0.2,
    hot_writes: float = 0.8,
    run_pages: int | None = None,
    trim_share: float = 0.0,
    writes: int | None = None,
    seed: int = 0,
    page_bytes: int = 4096,
    pe_cycles: float | None = None,
    write_mb_per_s: float | None = None,
    drive_writes_per_day: float | None = None,
    spares: Sequence[float] = (),
    on_progress: OnProgress | None = None,
) -> FlashDeviceAnswer:
    """Simulate a device under a workload, beside the closed form where there is one.

    Parameters
    ----------
    device : FlashDevice
        The device.
    workload : str
        One of `WORKLOADS`; with `exponent`, `hot_pages`, `hot_writes` and `run_pages` as for
        `parts_of`; a run is a block by default.
    trim_share : float
        Share of the requests that trim a random page in use, below 0.5. [1]
    writes : int, optional
        Requests that count, at least one overwrite of all pages; 12 overwrites by default. As many
        come before them, and at least 4 overwrites.
    seed : int
        Of all that is random.
    page_bytes : int
        Page, for the life. [bytes]
    pe_cycles, write_mb_per_s : float, optional
        Cycles of a block, and what the host writes, for the life. [1], [10^6 bytes/s]
    drive_writes_per_day : float, optional
        Instead of that rate: logical pages that the host writes in a day, over all of them. Then the
        life does not depend on the size. [1/day]
    spares : sequence of float, optional
        Spare spaces at which the same workload is simulated under every rule, with 4 overwrites each.
        [1]
    on_progress : callable, optional
        See `OnProgress`; False cancels.

    Raises
    ------
    BadInput
        If a number is out of its domain, one of cycles and rate is missing, or a rule of collection or
        copies apart are chosen for another mapping than that of pages.
    ParameterError
        If the device could not work, or its zones are not appended to.
    """
    pages = device.logical_pages
    unused = {"collection": device.collection, "copies": device.copies}
    usual = {"collection": "greedy", "copies": "stream"}
    for name, value in unused.items():
        if device.mapping != "page" and value != usual[name]:
            raise BadInput(
                f"flash device: {name} `{value}` has no effect with mapping `{device.mapping}`",
                "use mapping `page`, or leave it out",
            )
    if drive_writes_per_day is not None:
        if write_mb_per_s is not None:
            raise BadInput(
                "flash device: the life needs one write rate, and two are given",
                "give drive writes per day, or bytes per second",
            )
        write_mb_per_s = drive_writes_per_day * pages * page_bytes / _SECONDS_A_DAY / MB
    if (pe_cycles is None) != (write_mb_per_s is None):
        raise BadInput(
            "flash device: the life needs both P/E cycles and a write rate",
            "give both, or neither",
        )
    if writes is None:
        writes = OVERWRITES * pages
    if writes < pages:
        raise BadInput(
            f"writes: `{writes}` do not overwrite {counted(pages, 'page')} once",
            f"count at least {pages:,}, or simulate a smaller device: WAF hardly "
            "depends on the size",
        )
    parts = parts_of(
        workload,
        pages,
        exponent=exponent,
        hot_pages=hot_pages,
        hot_writes=hot_writes,
        run_pages=device.block_pages if run_pages is None else run_pages,
        streams=device.streams,
    )
    warm_up = max(writes, LEAST_WARM_UP * pages)

    def run(share: float, of: FlashDevice, counted: int, before: int) -> dict[str, Any]:
        return simulate_writes(
            of,
            parts,
            writes=counted,
            warm_up=before,
            trim_share=share,
            seed=seed,
            on_progress=on_progress,
        )

    found = run(trim_share, device, writes, warm_up)
    untrimmed = run(0.0, device, writes, warm_up)["waf"] if trim_share else None
    waf, wear = float(found["waf"]), found["wear"]
    expected = closed_form(device, parts, trim_share)
    gap = None if expected is None else waf / expected - 1
    life = None
    asks_life = pe_cycles is not None and write_mb_per_s is not None
    if pe_cycles is not None and write_mb_per_s is not None and waf > 0:
        life = lifetime(
            nand_bytes=device.blocks * device.block_pages * page_bytes,
            pe_cycles=pe_cycles,
            waf=waf,
            host_bytes_per_s=write_mb_per_s * MB,
        )
    points = POINT_OVERWRITES * pages
    others = [
        FlashDevice.of_spare(
            pages,
            spare,
            device.block_pages,
            collection=rule,
            choices=device.choices,
            streams=device.streams,
            copies=device.copies,
            reserve=device.reserve,
            buffer_pages=device.buffer_pages,
            mapping=device.mapping,
        )
        for rule in (COLLECTIONS if device.mapping == "page" else COLLECTIONS[:1])
        for spare in sorted(set(spares))
    ]
    merges = found["merges"]
    return FlashDeviceAnswer(
        finding=_finding(device, waf, expected, untrimmed, wear, life)
        + (_UNWORN if asks_life and waf == 0 else ""),
        warnings=() if life is None else life.warnings,
        explain=lambda: _steps(device, found, expected, life),
        device=device,
        workload=workload,
        waf=waf,
        host_writes=found["host_writes"],
        moved=found["moved"],
        trims=found["trims"],
        erases=found["erases"],
        absorbed=found["absorbed"],
        full_merges=merges["full"],
        partial_merges=merges["partial"],
        switch_merges=merges["switch"],
        used_share=found["used_pages"] / pages,
        erases_least=wear["least"],
        erases_mean=wear["mean"],
        erases_most=wear["most"],
        erases_deviation=wear["deviation"],
        spare=device.spare,
        usable_spare=device.usable_spare,
        closed_form=expected,
        gap=gap,
        stream_wafs=[_of_stream(device, each) for each in found["streams"]],
        waf_without_trim=untrimmed,
        trim_saves=None if untrimmed is None else 1 - waf / untrimmed,
        life=life,
        by_spare=tuple(
            AtSpare(
                other.mapping,
                other.rule,
                other.spare,
                float(run(trim_share, other, points, points)["waf"]),
                closed_form(other, parts, trim_share),
            )
            for other in others
        ),
    )


def _of_stream(device: FlashDevice, counted: dict[str, int]) -> float | None:
    if device.copies == "apart" or not counted["host_writes"]:
        return None
    return 1 + counted["moved"] / counted["host_writes"]


def _finding(
    device: FlashDevice,
    waf: float,
    expected: float | None,
    untrimmed: float | None,
    wear: dict[str, Any],
    life: Lifetime | None,
) -> str:
    said = [
        f"For each page that the host writes, flash writes "
        f"{counted(three_digits(waf), 'page')} (WAF) with "
        f"{_BY.get(device.mapping, f'{device.collection} collection')} "
        f"and a spare of {three_digits(device.spare)}"
    ]
    if expected is None:
        said.append("; no closed form covers this case.")
    elif abs(waf / expected - 1) <= AGREES:
        said.append(f"; the closed form agrees with {three_digits(expected)}.")
    else:
        side = "above" if waf > expected else "below"
        said.append(
            f", {percent(abs(waf / expected - 1))} {side} the closed form, which gives "
            f"{three_digits(expected)}."
        )
    if untrimmed is not None:
        if waf < untrimmed:
            said.append(
                f" TRIM saves {percent(1 - waf / untrimmed)} of the flash writes: without "
                f"it WAF is {three_digits(untrimmed)}."
            )
        else:
            said.append(
                f" TRIM saves nothing: without it WAF is {three_digits(untrimmed)}."
            )
    least, most = wear["least"], wear["most"]
    said.append(
        f" Every block was erased {counted(most, 'time')}."
        if least == most
        else f" Blocks were erased from {least:,} to {counted(most, 'time')}."
    )
    if life is not None:
        said.append(_life(float(life.years)))
    return "".join(said)


def _held_back(device: FlashDevice) -> float:
    physical = (1 + device.usable_spare) * device.logical_pages
    return round(device.blocks - physical / device.block_pages, 6)


_UNWORN = " None of these writes reaches flash, so it does not wear out."


def _life(years: float) -> str:
    if years == float("inf"):
        return " Without writes the flash does not wear out."
    return f" At this load the flash lasts {counted(three_digits(years), 'year')}."


def _steps(
    device: FlashDevice,
    found: dict[str, Any],
    expected: float | None,
    life: Lifetime | None,
) -> Iterator[Step]:
    usable = Derivation(
        "usable spare",
        device.usable_spare,
        "1",
        "(blocks - held back) x b / L - 1",
        (
            Number("blocks", device.blocks, "1", "of the device"),
            Number("b", device.block_pages, "pages", "of a block"),
            Number("L", device.logical_pages, "pages", "that the host sees"),
            Number(
                "held back", _held_back(device), "blocks", _WHY_HELD[device.mapping]
            ),
        ),
        _SOURCE,
    )
    waf = Derivation(
        "WAF",
        found["waf"],
        "1",
        "(written + moved) / host",
        (
            Number(
                "written",
                sum(each["host_writes"] for each in found["streams"]),
                "pages",
                "of the host, written to flash; the write buffer keeps the others",
            ),
            Number("host", found["host_writes"], "pages", "written by the host"),
            Number("moved", found["moved"], "pages", "copied by collection"),
        ),
        "counted by simulation",
    )
    yield from steps([usable, waf])
    if expected is not None:
        formula = Derivation(
            "WAF of the closed form",
            expected,
            "1",
            f"of {_BY.get(device.mapping, f'{device.collection} collection')} at the usable spare",
            (Number("usable spare", device.usable_spare, "1", "above"),),
            _SOURCE,
        )
        yield from steps([formula])
    if life is not None:
        yield from steps(life.derivation)
