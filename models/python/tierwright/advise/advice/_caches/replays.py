"""Flash caches replayed on the hardware of options and priced, and what each replay says."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tierwright.advise.advice import _checked
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._checked.places import exact, machine_pages
from tierwright.advise.advice._plans import Plan
from tierwright.advise.advice._table import Table
from tierwright.advise.advice._words import with_admission
from tierwright.advise.advice.request import Replays, SchemeAt
from tierwright.common.units import format_bytes
from tierwright.common.wording import sentences
from tierwright.evaluate import ram_tax
from tierwright.evaluate.advice.limits import RESPONSES, RESTART
from tierwright.evaluate.page_flow.decision import ReplayPoint, new_share, warm_up_of
from tierwright.evaluate.scale.replays import caches_apart, recorded_accesses
from tierwright.profile.curve import Curve
from tierwright.simulate.contenders import (
    ASSUMED,
    AT_MOST,
    BY_THE_CLOCK_OF_OPTION,
    RATE,
    STRETCH,
    Load,
    Unpaced,
    fitted_defaults,
    fitted_sentence,
    pace_sentences,
)
from tierwright.simulate.priced import (
    about_batches,
    flash_pages_written,
    price,
    too_short_to_write,
    without_new_pages,
)
from tierwright.simulate.scaled_units import (
    FlashStandIn,
    large_sentences,
    stand_in_options,
    units_of,
)
from tierwright.trace.notes import Note

EQUAL = 0.01
"""Share of the I/O time below which a flash cache is not better than page flow, nor categories than simpler ones. [1]"""
ASSUMED_DEFAULT = "assumed_default"
"""Note of a replay with a default that rests on no source."""
SHRUNK = "defaults_shrunk"
"""Note of defaults that are smaller than those documented because the flash of the replay is."""


WRITE_BACK_MODES = frozenset({"write_back", "write_only"})
"""Values of `mode` under which flash alone has the newest version of a changed page."""
WRITE_BACK = frozenset({"dm_writecache"})
"""Flash caches without a mode of which that holds; all others of these write to what holds the data at once."""


@dataclass(frozen=True, slots=True)
class CacheReplayed:
    """What the replay of one flash cache on the hardware of an option says.

    Attributes
    ----------
    at : int
        Option whose hardware it is.
    cache, title : str
        Name of the flash cache; name for people.
    simulated_us : float
        I/O time of an access; NaN where it was not replayed. [µs]
    peak_busy : float
        Largest busy share of its devices in the busiest hour; NaN where unknown. [1]
    life_years : float
        Least life of flash that is bought; infinite where none is worn, NaN where unknown. [365 days]
    hits : tuple of float
        Of the accesses, by where the page is read: RAM, where new pages are made, flash, what holds the data. [1]
    written : float
        Pages that an access writes to flash, metadata included. [1]
    ram_tax_bytes : int or None
        RAM of all machines that its metadata take; None where no figure is published, and none is taken. [bytes]
    breaks : tuple of str
        Limits that it breaks, or of which nothing is known.
    reason : str
        Why it was not replayed; empty where it was.
    plan : Plan or None
        The assignment that it is behind.
    options : dict of str to str
        All that were in force in the replay; empty where it was not replayed.
    warnings : tuple of Note
        What the replay says of what it counted, and which defaults shrank with its flash.
    given : tuple of (str, str)
        Of the options, those that are not its defaults.
    is_assumed : bool
        Whether a default that rests on no source is in force: what it would gain is shown, and it is never chosen.
    lives : tuple of float
        Life at today's rate of flash that caches and of what holds the data; NaN where unknown. [365 days]
    """

    at: int
    cache: str
    title: str
    simulated_us: float
    peak_busy: float
    life_years: float
    hits: tuple[float, float, float]
    written: float
    ram_tax_bytes: int | None
    breaks: tuple[str, ...]
    reason: str
    plan: Plan | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[Note, ...] = ()
    given: tuple[tuple[str, str], ...] = ()
    is_assumed: bool = False
    lives: tuple[float, float] = (math.nan, math.nan)

    @property
    def keeps_changed(self) -> bool:
        """Whether a changed page stays on flash alone until it is written back."""
        # Only what is unchanged enters: a changed page is written to what holds the data as it leaves RAM, whatever the mode.
        if self.options.get("admission") == "clean_only":
            return False
        return self.options.get("mode") in WRITE_BACK_MODES or self.cache in WRITE_BACK


@dataclass(frozen=True, slots=True)
class Wanted:
    """A flash cache, as the simulator lists it, on the hardware of an option, and what it is behind.

    With `is_assumed` its defaults that rest on no source are in force, too: what they would gain is shown, and never chosen.
    """

    at: int
    row: Mapping[str, Any]
    plan: Plan | None = None
    is_assumed: bool = False

    @property
    def options(self) -> tuple[tuple[str, str], ...]:
        """Options that are not its defaults: an assumed default gains nothing, unless its effect is asked for."""
        cache = str(self.row["name"])
        given = () if self.plan is None else tuple(self.plan.options(cache))
        if cache not in ASSUMED or self.is_assumed:
            return given
        name, value, _ = ASSUMED[cache]
        return (*given, (name, value))


def candidates_of(asked: Asked) -> list[Mapping[str, Any]]:
    """List the flash caches that are candidates, as the simulator has them."""
    from tierwright.simulate.replay import contenders

    names = asked.setting.candidates.flash_caches
    rows = contenders("flash_cache")
    return [row for row in rows if names is None or row["name"] in names]


def replayed_on(
    asked: Asked, table: Table, each: Sequence[Wanted], replays: Replays
) -> list[CacheReplayed]:
    planned = [planned_for(table, one) for one in each]
    wanted = list(dict.fromkeys(one for one in planned if isinstance(one, tuple)))
    made: Mapping[SchemeAt, Mapping[str, Any]] = (
        dict(zip(wanted, replays(wanted), strict=True)) if wanted else {}
    )
    return [
        _refused(one, plan)
        if isinstance(plan, str)
        else _of(asked, table, one, made[plan])
        for one, plan in zip(each, planned, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Machine:
    """One of the equal machines of an option, over which data and load are spread evenly.

    The curve is of one of as many machines as production states, which the option need not have: what metadata take, units
    of flash, what works by the clock and the sizes of which those of the recording are found are of a machine that there is.

    Attributes
    ----------
    ram_pages, flash_pages : float
        [pages]
    data_pages : int
        [pages]
    machines : int
        How many such machines there are.
    """

    ram_pages: float
    flash_pages: float
    data_pages: int
    machines: int

    @classmethod
    def of(cls, table: Table, at: int) -> _Machine:
        machines = int(table.options.machines[at])
        ram, flash = machine_pages(table, at)
        return cls(ram, flash, _data_pages(table.setting.curve, machines), machines)


def _data_pages(curve: Curve, machines: int) -> int:
    """Pages of the data of one of so many machines, as `Curve.data_pages` is of one of production.

    From what is stated: the pages of one of production's machines are rounded.
    """
    scaled = curve.scaled
    if scaled is None:
        return math.ceil(exact(curve.distinct_pages / machines))
    if machines == scaled.production.machines:
        return curve.data_pages
    share = machines / scaled.production.machines
    touched = scaled.recorded_pages * scaled.counts_factor / share
    held = scaled.production.machine_data_bytes / share / curve.page_bytes
    return max(round(touched), math.ceil(exact(held)))


def _tax(table: Table, wanted: Wanted) -> float | None:
    """RAM of one machine that the metadata of a flash cache take; None where no figure is known. [bytes]"""
    cache, page = str(wanted.row["name"]), table.setting.curve.page_bytes
    machine = _Machine.of(table, wanted.at)
    return ram_tax.tax(
        cache,
        ram_bytes=max(1.0, machine.ram_pages) * page,
        flash_bytes=machine.flash_pages * page,
        page_bytes=page,
        source_bytes=machine.data_pages * page,
        options=dict(wanted.options),
    ).bytes


def planned_for(table: Table, wanted: Wanted) -> SchemeAt | str:
    """Return where the recording is replayed for a flash cache on the hardware of an option, or why it is not."""
    at, cache = wanted.at, str(wanted.row["name"])
    curve = table.setting.curve
    machine = _Machine.of(table, at)
    taxed = _tax(table, wanted) or 0.0
    ram = int(machine.ram_pages - taxed / curve.page_bytes)
    if ram < 1:
        return f"its metadata take {format_bytes(taxed)}, all of the RAM"
    scaled = curve.scaled
    apart = caches_apart(scaled)
    if apart:
        return apart
    flash = int(machine.flash_pages)
    options = dict(wanted.options)
    accesses = curve.accesses if scaled is None else recorded_accesses(scaled)
    asked = ReplayPoint(
        ram,
        flash,
        warm_up_of(curve.start, accesses),
        "flash_cache",
    )
    point = _checked.point_of(curve, cache, asked, machine.machines)
    if isinstance(point, str):
        return point
    load = Load(
        machine_rate(table, at),
        table.setting.recorded_per_s,
        is_kept=scaled is None or scaled.recorded_duration_s is not None,
        is_whole=(point.ram_pages, point.flash_pages) == (ram, flash),
        by_the_clock=BY_THE_CLOCK_OF_OPTION,
    )
    stand_in = FlashStandIn(flash, point.flash_pages, curve.page_bytes)
    paced = stand_in_options(cache, options, load, stand_in)
    if isinstance(paced, Unpaced):
        return "; ".join(filter(None, (paced.reason, paced.hint)))
    return cache, replace(point, options=tuple(paced.items()))


def machine_rate(table: Table, at: int) -> float | None:
    """Mean rate of one machine of an option, by the rate that the whole question goes by; None without one. [1/s]"""
    mean = table.setting.served.mean
    return None if mean is None else mean / int(table.options.machines[at])


def paces(table: Table, rows: Iterable[CacheReplayed]) -> dict[tuple[int, str], str]:
    """Say which replays multiplied the times of a recording, and by what.

    Parameters
    ----------
    table : Table
        Of the options.
    rows : iterable of CacheReplayed

    Returns
    -------
    dict of (int, str) to str
        A sentence by machines of the option, of which each has its rate, and by the option `stretch`.
    """
    alike: dict[int, list[CacheReplayed]] = {}
    for each in rows:
        alike.setdefault(int(table.options.machines[each.at]), []).append(each)
    return {
        (machines, factor): said
        for machines, some in alike.items()
        for factor, said in pace_sentences(
            ((each.title, each.options) for each in some),
            machine_rate(table, some[0].at),
        ).items()
    }


def _title(wanted: Wanted) -> str:
    title = str(wanted.row["title"])
    if wanted.is_assumed:
        return f"{title} with assumed `{ASSUMED[wanted.row['name']][0]}`"
    return with_admission(title, None if wanted.plan is None else wanted.plan.kind)


def _assumed(wanted: Wanted) -> Iterator[Note]:
    """Say that a replay rests on a default which no source states."""
    if wanted.is_assumed:
        name, value, why = ASSUMED[wanted.row["name"]]
        yield Note(
            ASSUMED_DEFAULT,
            f"{why}; what is replayed with `{name}` of {value} beside it decides",
            "",
        )


def _refused(wanted: Wanted, reason: str) -> CacheReplayed:
    return CacheReplayed(
        wanted.at,
        wanted.row["name"],
        _title(wanted),
        math.nan,
        math.nan,
        math.nan,
        (math.nan, math.nan, math.nan),
        math.nan,
        None,
        (),
        reason,
        wanted.plan,
    )


def _of(
    asked: Asked,
    table: Table,
    wanted: Wanted,
    counters: Mapping[str, Any],
) -> CacheReplayed:
    at, row = wanted.at, wanted.row
    if "error" in counters:
        return _refused(wanted, f"{counters['error']}; {counters['hint']}")
    flash, store = table.devices(at)
    assert store is not None  # an option without times is no finalist
    new = new_share(table.setting.curve) or 0.0
    known = without_new_pages(counters, new)
    cost = price(known, flash=flash, disk=store)
    if cost.io_time_us_per_access is None:
        return _refused(wanted, cost.reason)
    accesses = counters["accesses"]
    written = flash_pages_written(counters) / accesses
    tax = _tax(table, wanted)
    lives = (
        _checked.lives(table, at, *_worn_by(table, counters))
        if too_short_to_write(counters) is None
        else (math.nan, math.nan)  # its note says what had no time
    )
    found = CacheReplayed(
        at,
        row["name"],
        _title(wanted),
        cost.io_time_us_per_access,
        _checked.peak_busy(table, at, cost.tiers_us_per_access),
        _checked.least_life(table, lives),
        _hits(counters, counters["hdd_reads"] - known["hdd_reads"]),
        written,
        None if tax is None else int(tax * int(table.options.machines[at])),
        (),
        "",
        wanted.plan,
        dict(counters.get("options", {})),
        (
            *_checked.warnings_of(counters),
            *_checked.about_production(table.setting.curve),
            *(
                Note(each.name, each.message, each.hint)
                for each in about_batches(flash, [counters])
            ),
            *_units(table, wanted, counters),
            *_assumed(wanted),
        ),
        wanted.options,
        wanted.is_assumed,
        lives,
    )
    return replace(found, breaks=tuple(_broken(asked, found)))


def _hits(counters: Mapping[str, Any], made: int) -> tuple[float, float, float]:
    """Where accesses find their page, of which so many are new and made in RAM: RAM, flash, what holds the data. [1]"""
    made = min(made, counters["flash_misses"])
    found = (
        counters["ram_hits"] + made,
        counters["flash_hits"],
        counters["flash_misses"] - made,
    )
    ram, flash, store = (each / counters["accesses"] for each in found)
    return ram, flash, store


def _worn_by(table: Table, counters: Mapping[str, Any]) -> tuple[float, float]:
    """Pages that an access writes to flash and to what holds the data; NaN where the trace does not tell writes from reads. [1]"""
    if not table.setting.curve.notes.tells_writes:
        return math.nan, math.nan
    accesses = counters["accesses"]
    return flash_pages_written(counters) / accesses, counters["hdd_writes"] / accesses


def _units(table: Table, wanted: Wanted, counters: Mapping[str, Any]) -> Iterator[Note]:
    """Say which defaults are others than those documented because the flash of the replay is smaller, and what stays large."""
    row, page = wanted.row, table.setting.curve.page_bytes
    given = dict(wanted.options)
    units = units_of(
        str(row["name"]),
        given,
        FlashStandIn(
            int(_Machine.of(table, wanted.at).flash_pages),
            counters["flash_pages"],
            page,
        ),
    )
    fitted = fitted_defaults(
        row,
        given=(RATE, STRETCH, *given, *units.options),
        in_force=counters.get("options", {}),
        page_bytes=page,
    )
    shrunk = [each for each in fitted if each.reason.startswith(AT_MOST)]
    said = sentences(
        fitted_sentence(str(row["title"]), [*units.fitted, *shrunk]),
        large_sentences([(str(row["name"]), units)]),
    )
    if said:
        yield Note(SHRUNK, said.removesuffix("."), "")


def _broken(asked: Asked, each: CacheReplayed) -> Iterator[str]:
    """Name the limits that a flash cache breaks, or of which nothing is known."""
    limits = asked.constraints
    yield from _checked.broken_limits(
        asked, each.peak_busy, each.simulated_us, each.life_years
    )
    for name in (RESTART, *RESPONSES):
        if name in limits:
            yield name
