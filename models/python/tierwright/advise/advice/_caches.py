"""Flash caches on the hardware that page flow leaves best, and on what it cannot carry: replayed, priced, and chosen where better."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import numpy as np

from tierwright.advise.advice import _checked, _plans
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._checked import Replayed
from tierwright.advise.advice._choice import Chosen
from tierwright.advise.advice._plans import Plan, plan_of
from tierwright.advise.advice._table import Table, finite
from tierwright.advise.advice._words import LIMIT_WORDS, with_admission
from tierwright.advise.advice.found import CachedOption, CheckedOption, Option
from tierwright.advise.advice.request import Assigned, Replays, SchemeAt
from tierwright.advise.cachesack import FLASH_CACHE
from tierwright.advise.point import scheme_titles
from tierwright.common.cautions import Caution
from tierwright.common.units import format_bytes, format_microseconds
from tierwright.common.wording import listed, percent, sentences
from tierwright.evaluate import ram_tax
from tierwright.evaluate.advice.choose import best_of_kinds, front, ordered
from tierwright.evaluate.advice.limits import (
    LIFE,
    RESPONSES,
    RESTART,
    THROUGHPUT,
)
from tierwright.evaluate.advice.rows import SOURCES
from tierwright.evaluate.bill import CENT
from tierwright.evaluate.page_flow.decision import ReplayPoint, warm_up_of
from tierwright.evaluate.scale.replays import recorded_accesses
from tierwright.simulate.contenders import (
    ASSUMED,
    AT_MOST,
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
)
from tierwright.simulate.scaled_units import (
    FlashStandIn,
    large_sentences,
    stand_in_options,
    units_of,
)
from tierwright.trace.notes import Note

VERSION = "9"
"""Of what is replayed and how it decides: changes where a checked answer does."""
EQUAL = 0.01
"""Share of the I/O time below which a flash cache is not better than page flow, nor categories than simpler ones. [1]"""
MOST_PLACES = 3
"""Kinds of hardware on which flash caches are tried besides the best: where the least I/O time is sought, and of those that page flow cannot carry."""
MOST_LOOKED = 4 * MOST_PLACES
"""Kinds of hardware that page flow cannot carry of which it is seen whether the recording is large enough."""
MOST_HALVINGS = 6
"""Further replays of flash caches that look for the cheapest size of a hardware on which one keeps every limit."""
MENDED = _checked.COUNTED
"""Limits that page flow may break where a flash cache keeps them."""
MOST_BUSIER = 2.0
"""How many times as busy or slow as allowed page flow may be where a flash cache is tried. [1]"""
LEAST_LIFE = 0.1
"""Share of the life that is asked for that flash must have under page flow where a flash cache is tried. [1]"""
MOST_ASSIGNED = 3
"""Flash caches of each hardware that are tried behind an assignment of categories too, besides its own: the fastest."""
NO_RESPONSE = "flash caches are replayed without queues here; the check of response times replays one on simulated time"
ASSUMED_DEFAULT = "assumed_default"
"""Note of a replay with a default that rests on no source."""
SHRUNK = "defaults_shrunk"
"""Note of defaults that are smaller than those documented because the flash of the replay is."""
NO_SPLIT = "a flash cache lies below RAM: splits are modelled over one device"


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
        Of the accesses, by where the page is read: RAM, flash, what holds the data. [1]
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


@dataclass(frozen=True, slots=True)
class _Wanted:
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


@dataclass(frozen=True, slots=True)
class Tried:
    """What flash caches were tried, and the one that is chosen.

    Attributes
    ----------
    rows : tuple of CacheReplayed
        The fastest of each hardware first, those that were not replayed last.
    chosen : CacheReplayed or None
        None where page flow stays.
    """

    rows: tuple[CacheReplayed, ...] = ()
    chosen: CacheReplayed | None = None

    @property
    def seen(self) -> list[object]:
        """What the replays said, for the id of the answer."""
        return [
            (
                VERSION,
                each.at,
                each.cache,
                each.simulated_us,
                None if each.plan is None else (each.plan.kind, each.plan.assignment),
            )
            for each in self.rows
            if not each.reason
        ]


def tried(
    asked: Asked,
    table: Table,
    chosen: Chosen,
    finalists: Sequence[Replayed],
    best: int | None,
    replays: Replays,
    assigned: Assigned | None = None,
) -> Tried:
    """Replay the flash caches that are candidates on the hardware of the best option, and choose.

    Where the least I/O time is sought, on the hardware of the other finalists too; and on hardware that would be better
    than the best and breaks limits under page flow that a flash cache may keep.

    Parameters
    ----------
    asked : Asked
    table : Table
    chosen : Chosen
        What keeps every limit under page flow.
    finalists : sequence of Replayed
        Options that were replayed under their page flow.
    best : int or None
        Option that these replays leave best; None where no option keeps every limit under page flow.
    replays : callable
        Makes the replays, or returns those that were made before.
    assigned : callable, optional
        Counts the requests below RAM by category, for assignments.
    """
    candidates = asked.setting.candidates.flash_caches
    if candidates == ():
        return Tried()
    flows = _places(asked, table, finalists, best)
    ladders = [_Ladder(each) for each in beyond_page_flow(asked, table, chosen, best)]
    if not flows and not ladders:
        return Tried()
    found, may_run = _on(
        asked,
        table,
        list(dict.fromkeys([*flows, *(at for each in ladders for at in each.ends)])),
        replays,
        assigned,
    )
    for each in ladders:
        each.look(may_run)
    for _ in range(MOST_HALVINGS):
        middles = [each.middle for each in ladders if each.is_open]
        if not middles:
            break
        more, may_run_too = _on(asked, table, middles, replays, assigned)
        found, may_run = found + more, may_run + may_run_too
        for each in ladders:
            each.look(may_run)
    shown = {*flows, *(each.shown for each in ladders)}
    return Tried(
        tuple(each for each in found if each.at in shown),
        _chosen(
            asked,
            table,
            finalists,
            best,
            [each for each in may_run if each.at in shown],
        ),
    )


@dataclass(slots=True)
class _Ladder:
    """Sizes of one hardware that page flow cannot carry, the cheapest first; each takes less I/O time than those before.

    What a flash cache keeps on one it keeps on those above it, as far as is known, so the cheapest is found by halving.
    """

    rungs: Sequence[int]
    fails: int = -1
    """Rung on which nothing that was replayed keeps every limit."""
    keeps: int | None = None
    """Rung on which something does; None where none is known."""

    @property
    def ends(self) -> list[int]:
        """Rungs that are replayed first."""
        return list(dict.fromkeys([self.rungs[0], self.rungs[-1]]))

    @property
    def is_open(self) -> bool:
        """Whether a cheaper rung may do."""
        return self.keeps is not None and self.keeps - self.fails > 1

    @property
    def middle(self) -> int:
        """Rung that is replayed next."""
        assert self.keeps is not None  # it is open
        return self.rungs[(self.fails + self.keeps) // 2]

    @property
    def shown(self) -> int:
        """Rung whose replays are shown: the cheapest that does, or the one that is nearest to it."""
        return self.rungs[-1 if self.keeps is None else self.keeps]

    def look(self, found: Sequence[CacheReplayed]) -> None:
        """Take what was replayed."""
        does = {each.at for each in found if not (each.reason or each.breaks)}
        seen = {each.at for each in found}
        for place, at in enumerate(self.rungs):
            if at in does:
                self.keeps = place
                break
            if at in seen and place < len(self.rungs) - 1:
                self.fails = place


def _on(
    asked: Asked,
    table: Table,
    places: Sequence[int],
    replays: Replays,
    assigned: Assigned | None,
) -> tuple[list[CacheReplayed], list[CacheReplayed]]:
    """Replay the flash caches that are candidates on some hardware: all of them, and those of them that may run it."""
    rows = _candidates(asked)
    found = _replayed(
        asked,
        table,
        [
            each
            for at in places
            for row in rows
            for each in (
                _Wanted(at, row),
                *(
                    [_Wanted(at, row, is_assumed=True)]
                    if row["name"] in ASSUMED
                    else []
                ),
            )
        ],
        replays,
    )
    found = [each for each in found if not _gains_nothing(each, found)]
    plans = _plans_of(asked, table, places, rows, assigned)
    behind, best_plans = _behind_plans(asked, table, rows, found, plans, replays)
    found += behind
    found.sort(
        key=lambda each: (
            places.index(each.at),
            bool(each.reason),
            each.simulated_us if not each.reason else 0.0,
        )
    )
    # Of several ways to tell categories apart only the best of each hardware may run it.
    may_run = [
        each
        for each in found
        if not each.is_assumed
        and (each.plan is None or each.plan is best_plans[each.at])
    ]
    return found, may_run


def _gains_nothing(each: CacheReplayed, found: Sequence[CacheReplayed]) -> bool:
    """Whether a replay rests on a default without a source and is as fast without it: there is nothing to show then."""
    if not each.is_assumed:
        return False
    plain = next(
        one
        for one in found
        if (one.at, one.cache) == (each.at, each.cache) and not one.is_assumed
    )
    return not each.simulated_us < plain.simulated_us * (1 - EQUAL)


def _candidates(asked: Asked) -> list[Mapping[str, Any]]:
    """List the flash caches that are candidates, as the simulator has them."""
    from tierwright.simulate.replay import contenders

    names = asked.setting.candidates.flash_caches
    rows = contenders("flash_cache")
    return [row for row in rows if names is None or row["name"] in names]


def _replayed(
    asked: Asked, table: Table, each: Sequence[_Wanted], replays: Replays
) -> list[CacheReplayed]:
    planned = [_planned(table, one) for one in each]
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


def _plans_of(
    asked: Asked,
    table: Table,
    places: Sequence[int],
    rows: Sequence[Mapping[str, Any]],
    assigned: Assigned | None,
) -> dict[int, list[Plan]]:
    """Find the assignments of each hardware, the simplest categories first; none where they would have no flash cache."""
    own = next((row for row in rows if row["name"] == FLASH_CACHE), None)
    if own is None or assigned is None:
        return {}
    points: dict[int, ReplayPoint] = {}
    for at in places:
        planned = _planned(table, _Wanted(at, own))
        if isinstance(planned, tuple):
            points[at] = planned[1]
    if not points:
        return {}
    counts = _plans.counted(
        assigned, sorted({each.ram_pages for each in points.values()})
    )
    found: dict[int, list[Plan]] = {}
    for at, point in points.items():
        most_written = _most_written(asked, table, at)
        plans: list[Plan] = []
        for (_, pages), each in counts.items():
            if pages != point.ram_pages:
                continue
            plan = plan_of(table, at, each, point, most_written)
            if plan is not None and not (plan.is_for_all and plans):
                plans.append(plan)
        if plans:
            found[at] = plans
    return found


def _behind_plans(
    asked: Asked,
    table: Table,
    rows: Sequence[Mapping[str, Any]],
    alone: Sequence[CacheReplayed],
    plans: Mapping[int, Sequence[Plan]],
    replays: Replays,
) -> tuple[list[CacheReplayed], dict[int, Plan]]:
    """Replay flash caches behind the assignments of each hardware, and tell the best assignment of each.

    That of several is told by the flash cache of its own; the fastest others are replayed behind the best one alone.
    """

    def wanted(at: int, names: Sequence[str], plan: Plan) -> list[_Wanted]:
        return [_Wanted(at, row, plan) for row in rows if row["name"] in names]

    fastest = {at: _fastest(at, alone) for at in plans}
    first: list[_Wanted] = []
    for at, each in plans.items():
        # Where there is nothing to compare, all are replayed over one read.
        names = fastest[at] if len(each) == 1 else ()
        for plan in each:
            first += wanted(at, [FLASH_CACHE, *names], plan)
    found = _replayed(asked, table, first, replays)
    best: dict[int, Plan] = {}
    then: list[_Wanted] = []
    for at, each in plans.items():
        own = [one for one in found if one.at == at and one.cache == FLASH_CACHE]
        best[at] = _best_plan(own)
        if len(each) > 1:
            then += wanted(at, fastest[at], best[at])
    return found + _replayed(asked, table, then, replays), best


def _fastest(at: int, alone: Sequence[CacheReplayed]) -> list[str]:
    """Name the flash caches that are tried behind an assignment on this hardware, besides its own."""
    fast = sorted(
        (
            each
            for each in alone
            if each.at == at and not (each.reason or each.is_assumed)
        ),
        key=lambda each: each.simulated_us,
    )
    return [each.cache for each in fast if each.cache != FLASH_CACHE][:MOST_ASSIGNED]


def _best_plan(own: Sequence[CacheReplayed]) -> Plan:
    """Return the assignment whose replay keeps every limit and is the fastest; of about equal ones, of the simplest categories.

    Parameters
    ----------
    own : sequence of CacheReplayed
        The flash cache of assignments behind each of them, the simplest categories first.
    """
    played = [each for each in own if not each.reason] or list(own)
    keeps = [each for each in played if not each.breaks] or played
    best = keeps[0]
    for each in keeps[1:]:
        if each.simulated_us < best.simulated_us * (1 - EQUAL):
            best = each
    assert best.plan is not None  # each is behind one
    return best.plan


def _most_written(asked: Asked, table: Table, at: int) -> float:
    """Pages that an access may write to flash for its life to be as long as is asked; infinite without a limit. [1]"""
    least = asked.constraints.get(LIFE)
    if not least:
        return math.inf
    one = _checked.life(table, at, 1.0, 0.0)
    return one / float(least) if math.isfinite(one) else math.inf


def _places(
    asked: Asked, table: Table, finalists: Sequence[Replayed], best: int | None
) -> list[int]:
    """Options on whose hardware flash caches are tried: with flash that caches, each hardware and its sizes once."""
    options = table.options
    wanted = [] if best is None else [best]
    if asked.objective == "io_time":
        wanted += [
            each.at
            for each in sorted(finalists, key=lambda each: each.simulated_us)
            if not each.reason and not _checked.breaks(asked, each)
        ]
    seen: set[tuple[int, float, float]] = set()
    found: list[int] = []
    for at in wanted:
        key = (
            int(table.hardware_codes[at]),
            float(options.ram_pages[at]),
            float(options.flash_pages[at]),
        )
        if options.flash_pages[at] > 0 and key not in seen and len(found) < MOST_PLACES:
            seen.add(key)
            found.append(at)
    return found


def beyond_page_flow(
    asked: Asked, table: Table, chosen: Chosen, best: int | None
) -> list[list[int]]:
    """Options that would be better than the best and break limits under page flow alone, by their hardware.

    Of the best three kinds of hardware: for `io_time` the fastest, else each size that is faster under page flow than all
    that are cheaper, the cheapest first. Only limits that a flash cache may keep where page flow does not, and those that page flow breaks by so much that none
    would are left out, and those whose recording is too small for every flash cache. Where a limit is stated of which
    replays of flash caches say nothing, there is none.
    """
    no_caches = asked.setting.candidates.flash_caches == ()
    if no_caches or asked.limits_response or RESTART in asked.constraints:
        return []
    options = table.options
    # Quotes are ranked by the model: one that a replay alone admits would contradict their ranking.
    tried = (
        (options.flash_pages > 0)
        & np.isfinite(options.io_us)
        & (options.source != SOURCES.index("quotes"))
    )
    breaks = np.zeros(len(options), dtype=np.bool_)
    for limit in chosen.limits:
        if limit.name not in MENDED or limit.limit is None:
            tried &= ~limit.breaks
            continue
        asked_for = float(limit.limit)
        if limit.name == LIFE:
            near = limit.value >= asked_for * LEAST_LIFE
        elif limit.name == THROUGHPUT:
            near = limit.value >= asked_for / MOST_BUSIER
        else:
            near = limit.value <= asked_for * MOST_BUSIER
        tried &= ~limit.breaks | near
        breaks |= limit.breaks
    tried &= breaks
    if best is not None:
        tried &= (
            options.io_us < options.io_us[best]
            if asked.objective == "io_time"
            else options.month_cents < options.month_cents[best]
        )
    [rows] = np.nonzero(tried)
    order = ordered(options, rows, asked.objective)
    first = best_of_kinds(order, table.hardware_codes)[:MOST_LOOKED]
    rows_of = _candidates(asked) if len(first) else []
    found: list[list[int]] = []
    for at in first.tolist():
        of = order[table.hardware_codes[order] == table.hardware_codes[at]]
        can = [
            int(each)
            for each in front(options, of)
            if any(
                isinstance(_planned(table, _Wanted(int(each), row)), tuple)
                for row in rows_of
            )
        ]
        if can and len(found) < MOST_PLACES:
            # The fastest is the last on the front.
            found.append(can[-1:] if asked.objective == "io_time" else can)
    return found


def _tax(table: Table, wanted: _Wanted) -> float | None:
    """RAM that the metadata of a flash cache take, of what the curve counts; None where no figure is known. [bytes]"""
    curve, cache = table.setting.curve, str(wanted.row["name"])
    page, options = curve.page_bytes, table.options
    return ram_tax.tax(
        cache,
        ram_bytes=max(1.0, float(options.ram_pages[wanted.at])) * page,
        flash_bytes=float(options.flash_pages[wanted.at]) * page,
        page_bytes=page,
        source_bytes=curve.data_pages * page,
        options=dict(wanted.options),
    ).bytes


def _planned(table: Table, wanted: _Wanted) -> SchemeAt | str:
    """Return where the recording is replayed for a flash cache on the hardware of an option, or why it is not."""
    at, cache = wanted.at, str(wanted.row["name"])
    curve = table.setting.curve
    taxed = _tax(table, wanted) or 0.0
    ram = int(table.options.ram_pages[at] - taxed / curve.page_bytes)
    if ram < 1:
        return f"its metadata take {format_bytes(taxed)}, all of the RAM"
    scaled = curve.scaled
    flash = int(table.options.flash_pages[at])
    options = dict(wanted.options)
    accesses = curve.accesses if scaled is None else recorded_accesses(scaled)
    asked = ReplayPoint(ram, flash, warm_up_of(curve.start, accesses), "flash_cache")
    point = _checked.point_of(curve, cache, asked)
    if isinstance(point, str):
        return point
    load = Load(
        _machine_rate(table),
        table.setting.recorded_per_s,
        is_kept=scaled is None or scaled.recorded_duration_s is not None,
        is_whole=(point.ram_pages, point.flash_pages) == (ram, flash),
    )
    stand_in = FlashStandIn(flash, point.flash_pages, curve.page_bytes)
    paced = stand_in_options(cache, options, load, stand_in)
    if isinstance(paced, Unpaced):
        return "; ".join(filter(None, (paced.reason, paced.hint)))
    return cache, replace(point, options=tuple(paced.items()))


def _machine_rate(table: Table) -> float | None:
    """Mean rate of one machine, which the recording stands for; None where the workload states none. [1/s]"""
    scaled = table.setting.curve.scaled
    return table.setting.rates.mean if scaled is None else scaled.machine_accesses_per_s


def _title(wanted: _Wanted) -> str:
    title = str(wanted.row["title"])
    if wanted.is_assumed:
        return f"{title} with assumed `{ASSUMED[wanted.row['name']][0]}`"
    return with_admission(title, None if wanted.plan is None else wanted.plan.kind)


def _assumed(wanted: _Wanted) -> Iterator[Note]:
    """Say that a replay rests on a default which no source states."""
    if wanted.is_assumed:
        name, value, why = ASSUMED[wanted.row["name"]]
        yield Note(
            ASSUMED_DEFAULT,
            f"{why}; what is replayed with `{name}` of {value} beside it decides",
            "",
        )


def _refused(wanted: _Wanted, reason: str) -> CacheReplayed:
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
    wanted: _Wanted,
    counters: Mapping[str, Any],
) -> CacheReplayed:
    at, row = wanted.at, wanted.row
    if "error" in counters:
        return _refused(wanted, f"{counters['error']}; {counters['hint']}")
    flash, store = table.devices(at)
    assert store is not None  # an option without times is no finalist
    cost = price(counters, flash=flash, disk=store)
    if cost.io_time_us_per_access is None:
        return _refused(wanted, cost.reason)
    accesses = counters["accesses"]
    written = flash_pages_written(counters) / accesses
    tax = _tax(table, wanted)
    life = (
        _checked.life(table, at, *_worn_by(table, counters))
        if too_short_to_write(counters) is None
        else math.nan  # its note says what had no time
    )
    found = CacheReplayed(
        at,
        row["name"],
        _title(wanted),
        cost.io_time_us_per_access,
        _checked.peak_busy(table, at, cost.tiers_us_per_access),
        life,
        (
            counters["ram_hits"] / accesses,
            counters["flash_hits"] / accesses,
            counters["flash_misses"] / accesses,
        ),
        written,
        None if tax is None else int(tax * table.setting.machines),
        (),
        "",
        wanted.plan,
        dict(counters.get("options", {})),
        (
            *_checked.warnings_of(counters),
            *(
                Note(each.name, each.message, each.hint)
                for each in about_batches(flash, [counters])
            ),
            *_units(table, wanted, counters),
            *_assumed(wanted),
        ),
        wanted.options,
        wanted.is_assumed,
    )
    return replace(found, breaks=tuple(_broken(asked, found)))


def _worn_by(table: Table, counters: Mapping[str, Any]) -> tuple[float, float]:
    """Pages that an access writes to flash and to what holds the data; NaN where the trace does not tell writes from reads. [1]"""
    if not table.setting.curve.notes.tells_writes:
        return math.nan, math.nan
    accesses = counters["accesses"]
    return flash_pages_written(counters) / accesses, counters["hdd_writes"] / accesses


def _units(
    table: Table, wanted: _Wanted, counters: Mapping[str, Any]
) -> Iterator[Note]:
    """Say which defaults are others than those documented because the flash of the replay is smaller, and what stays large."""
    row, page = wanted.row, table.setting.curve.page_bytes
    given = dict(wanted.options)
    units = units_of(
        str(row["name"]),
        given,
        FlashStandIn(
            int(table.options.flash_pages[wanted.at]), counters["flash_pages"], page
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


def _chosen(
    asked: Asked,
    table: Table,
    finalists: Sequence[Replayed],
    best: int | None,
    found: Sequence[CacheReplayed],
) -> CacheReplayed | None:
    """Return the flash cache that keeps every limit and is the best by the objective, where it is clearly better than page flow."""
    keeps = [each for each in found if not each.reason and not each.breaks]
    if not keeps:
        return None
    cents = table.options.month_cents
    if asked.objective == "io_time":
        first = min(keeps, key=lambda each: (each.simulated_us, int(cents[each.at])))
    else:
        first = min(keeps, key=lambda each: (int(cents[each.at]), each.simulated_us))
    if best is None:
        return first
    if asked.objective != "io_time" and cents[first.at] < cents[best]:
        return first
    flow = next((each for each in finalists if each.at == best), None)
    if flow is None or flow.reason:
        return None
    if _checked.breaks(asked, flow):
        return first
    return first if first.simulated_us < flow.known_us * (1 - EQUAL) else None


def option_under(asked: Asked, found: Option, each: CacheReplayed) -> Option:
    """Describe an option under a flash cache in place of its page flow: by the replay."""
    busy = each.peak_busy
    return replace(
        found,
        scheme=each.cache,
        admission=None if each.plan is None else FLASH_CACHE,
        admission_by=None if each.plan is None else each.plan.kind,
        options=dict(each.given),
        io_time_us_per_access=each.simulated_us,
        replayed_io_time_us_per_access=each.simulated_us,
        response_mean_us=None,
        response_p50_us=None,
        response_p99_us=None,
        response_mean_mean_us=None,
        response_p50_mean_us=None,
        response_p99_mean_us=None,
        response_reason=NO_RESPONSE,
        peak_busy=finite(busy),
        throughput_accesses_per_s=finite(
            float(asked.setting.throughput_per_s(np.asarray([busy]))[0])
        ),
        flash_life_years=finite(each.life_years),
        restart_s=None,
        ram_hit_share=each.hits[0],
        flash_hit_share=each.hits[1],
        disk_share=each.hits[2],
        # Nothing here replays the data of later months.
        months_until_too_small=None,
        clean_share=None,
        clean_share_gain=None,
        clean_share_reason=NO_SPLIT,
        clean_share_uncounted_pages=None,
    )


def checked_option(option: Option, each: CacheReplayed) -> CheckedOption:
    """Say what the replay of the chosen one says: there is no model beside it."""
    return CheckedOption(
        option,
        model=None,
        simulated=each.simulated_us,
        gap=None,
        is_beyond_band=False,
        reason="",
        band=None,
        warnings=each.warnings,
        flash_life_years=finite(each.life_years),
    )


def listed_rows(
    asked: Asked,
    table: Table,
    chosen: Chosen,
    finalists: Sequence[Replayed],
    found: Tried,
) -> Iterator[CachedOption]:
    """Yield what the replays of flash caches say, each beside page flow on the same hardware."""
    cents = table.options.month_cents
    flows = {each.at: each.simulated_us for each in finalists if not each.reason}
    paces = pace_sentences(
        ((each.title, each.options) for each in found.rows), _machine_rate(table)
    )
    for each in found.rows:
        flow = flows.get(each.at, math.nan)
        yield CachedOption(
            name=each.cache,
            title=each.title,
            hardware=table.title(each.at),
            usd_per_month=Decimal(int(cents[each.at])) * CENT,
            page_flow=table.scheme(each.at),
            page_flow_breaks=broken_under_page_flow(asked, chosen, finalists, each.at),
            admission=None if each.plan is None else FLASH_CACHE,
            admission_by=None if each.plan is None else each.plan.kind,
            assignment="" if each.plan is None else each.plan.text,
            options=dict(each.options),
            io_time_us_per_access=finite(each.simulated_us),
            page_flow_io_time_us_per_access=finite(flow),
            saving=finite(1 - each.simulated_us / flow) if flow > 0 else None,
            peak_busy=finite(each.peak_busy),
            flash_life_years=finite(each.life_years),
            flash_writes_per_access=finite(each.written),
            ram_hit_share=finite(each.hits[0]),
            flash_hit_share=finite(each.hits[1]),
            ram_tax_bytes=each.ram_tax_bytes,
            pace=paces.get(each.options.get(STRETCH, ""), ""),
            breaks=each.breaks,
            is_chosen=found.chosen is each,
            reason=each.reason,
            warnings=each.warnings,
        )


def broken_under_page_flow(
    asked: Asked, chosen: Chosen, finalists: Sequence[Replayed], at: int
) -> tuple[str, ...]:
    """Name the limits that an option breaks under its page flow: by its replay what that counts, by the model all others."""
    flow = next((one for one in finalists if one.at == at and not one.reason), None)
    by_replay = () if flow is None else _checked.broken(asked, flow)
    return tuple(
        limit.name
        for limit in chosen.limits
        if (
            limit.name in by_replay
            if flow is not None and limit.name in _checked.COUNTED
            else limit.breaks[at]
        )
    )


def sentence(
    asked: Asked,
    finalists: Sequence[Replayed],
    found: Tried,
    table: Table,
    chosen: Chosen,
    at: int | None,
) -> str:
    """Say what the replays of flash caches decide of the recommendation; empty where none was replayed on it."""
    flows = {each.at: each for each in finalists if not each.reason}
    one = found.chosen
    if one is not None:
        flow = flows.get(one.at)
        flow_title = scheme_titles()[table.scheme(one.at)]
        beside = (
            ""
            if flow is None
            else f" against {format_microseconds(flow.simulated_us)} under page flow {flow_title}"
        )
        said = (
            f"Replayed on this hardware, {one.title} takes {format_microseconds(one.simulated_us)} of I/O time per "
            f"access{beside}."
        )
        broken = [
            LIMIT_WORDS[name]
            for name in broken_under_page_flow(asked, chosen, finalists, one.at)
        ]
        if broken:
            limits = "limit" if len(broken) == 1 else "limits"
            said += f" Under page flow {flow_title} it breaks the {limits} of {listed(broken)}."
        paced = pace_sentences([("It", one.options)], _machine_rate(table))
        said = sentences(said, *paced.values()) + _with_assumed(found, one)
        return said if one.plan is None else f"{said} {one.plan.text}."
    if at is None:
        return _none_carries(found, table)
    # Of other hardware nothing is said: it is not the one that is recommended.
    played = [each for each in found.rows if each.at == at and not each.reason]
    best = flows.get(at)
    if not played or best is None:
        return ""
    keeps = [each for each in played if not each.breaks]
    if not keeps:
        names = listed(sorted({each.title for each in played}))
        return f"Of the flash caches replayed on this hardware ({names}), none is known to keep every limit."
    first = min(keeps, key=lambda each: each.simulated_us)
    difference = first.simulated_us / best.simulated_us - 1
    beside = (
        f"takes {percent(difference)} more I/O time"
        if difference > 0
        else f"saves less than {100 * EQUAL:g} % of the I/O time"
    )
    return f"No flash cache replayed on this hardware is better: the fastest that keeps every limit, {first.title}, {beside}."


def _with_assumed(found: Tried, one: CacheReplayed) -> str:
    """Say what the chosen one would take with the default that no source states; empty where it has none such, or nothing is gained."""
    other = next(
        (
            each
            for each in found.rows
            if each.is_assumed and (each.at, each.cache) == (one.at, one.cache)
        ),
        None,
    )
    if one.plan is not None or other is None or other.reason:
        return ""
    gain = 1 - other.simulated_us / one.simulated_us
    if gain < EQUAL:
        return ""
    name = ASSUMED[one.cache][0]
    return (
        f" With `{name}` of {other.options[name]}, which is assumed, it would take {percent(gain)} less: it is chosen "
        "without."
    )


def _none_carries(found: Tried, table: Table) -> str:
    """Say that no flash cache keeps every limit on hardware that page flow cannot carry; empty where none was replayed."""
    played = [each for each in found.rows if not each.reason]
    if not played:
        return ""
    places = listed(list(dict.fromkeys(table.title(each.at) for each in played)))
    return f"Nor does any flash cache that was replayed, on {places}."


def _learnt(plan: Plan) -> str:
    """Say on what the assignment of the choice was found."""
    said = ", and its assignment was found on the same recording"
    if plan.days is None:
        return said
    times = "once" if plan.days <= 1 else f"{plan.days:,} times at most"
    return (
        f"{said}, whose hours count from its first request and were each seen {times}"
    )


def about(found: Tried, table: Table) -> Iterator[Caution]:
    """Say at the top that a flash cache was chosen by replay."""
    one = found.chosen
    if one is None:
        return
    tax = (
        "no figure of the RAM for its metadata is published, and none is taken"
        if one.ram_tax_bytes is None
        else f"its metadata take {format_bytes(one.ram_tax_bytes)} of the RAM, which is taken"
    )
    learnt = "" if one.plan is None else _learnt(one.plan)
    yield Caution(
        "flash_cache_chosen",
        f"{one.title} was chosen by the replay of one recording: there is no formula for it, so sizes, growth and "
        f"prices were weighed under page flow{learnt}; {tax}",
        "replay a second recording before you rely on the difference",
        could_change_choice=False,
        effect=f"how {table.title(one.at)} is run",
    )
    others = _without_warnings(found, one)
    for each in one.warnings:
        if each.name == SHRUNK:
            yield _checked.as_counted(each)
        else:
            yield Caution(each.name, each.message, each.hint, None, others)


def _without_warnings(found: Tried, one: CacheReplayed) -> str:
    """Say why what a replay does not show cannot be computed, and the best of the same hardware whose replay says nothing of the kind."""
    said = "not computable from this recording"
    sound = (
        each
        for each in found.rows
        if each.at == one.at
        and not (each.reason or each.breaks)
        and all(warning.name == SHRUNK for warning in each.warnings)
    )
    first = min(sound, key=lambda each: each.simulated_us, default=None)
    if first is None:
        return said
    difference = first.simulated_us / one.simulated_us - 1
    than = "less" if difference < 0 else "more"
    return (
        f"{said}; {first.title}, of whose replay there is nothing of the kind to say, takes {percent(abs(difference))} "
        f"{than} I/O time"
    )
