"""The check of what to cache: the assignment, and single admissions for all, replayed before a flash cache.

What is recommended is what costs least by these replays: a trace whose phases change is not what the model takes it for.
Where a single admission costs less on account of one quarter of the trace alone, the two are a tie, and the choice stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from tierwright.advise.cachesack import (
    BILLION,
    EVERY_MISS,
    FLASH_CACHE,
    SECONDS_PER_MONTH,
    Alternative,
    WhatToCache,
    replay_options,
)
from tierwright.advise.checks.checked import SAME, Checked, CheckedFigure, row
from tierwright.advise.checks.flash_caches import paces, taxes_at
from tierwright.common.currency import money
from tierwright.common.errors import BadInput
from tierwright.common.wording import percent, sentences
from tierwright.hardware.rated_endurance import TB
from tierwright.simulate.contenders import (
    Load,
    Unpaced,
    flash_cache_titles,
    spelled,
)
from tierwright.simulate.replay import Replay
from tierwright.simulate.scaled_units import (
    FlashStandIn,
    stand_in_options,
    units_of,
    units_sentence,
)

CHOICE = "by_category"
NOTHING = "never"
TITLES = {
    CHOICE: "By category",
    "never": "Never",
    "second_miss": "Second miss",
    EVERY_MISS: "Every miss",
    "write": "Miss or write",
}
IN_WORDS = {
    CHOICE: "with the choice",
    "second_miss": "with every second miss admitted",
    EVERY_MISS: "with every miss admitted",
    "write": "with every miss and write admitted",
}
TO_DO = {
    "never": "Cache nothing",
    "second_miss": "Admit every second miss",
    EVERY_MISS: "Admit every miss",
    "write": "Admit every miss and every write",
}
"""What to do where a single admission for all costs least."""
LIKE_THE_MODEL = (
    "The assignment was replayed as the admission of an LRU flash cache below the same RAM, and so was each admission for "
    "all; counters are priced as those of the model."
)
OF_ANOTHER = (
    "The assignment was replayed before {title} below the same RAM, and {title} without it; misses of flash and pages written "
    "to it are priced as those of the model, what it writes to the store is not. The model is of an LRU flash cache that "
    "writes through, so the gap is what {title} does otherwise."
)
OF_A_RECORDING = (
    "Hits, reads and writes are counts of the recording; costs are those of production."
)
KNOWN_ERROR = 0.05
"""By how much the prediction may be off in what the choice rests on: cost, reads from the store and hit ratio. [1]"""
HITS, READS, WRITES, COST = (
    "hits of flash",
    "reads from the store",
    "writes to flash",
    "cost",
)
HIT_RATIO = "hit ratio of flash"
QUARTERS = 4
"""Parts of the recording, any one of which may be left out before the choice of the model is overruled."""


@dataclass(frozen=True, kw_only=True)
class CheckedChoice(Checked):
    """What to cache beside its replays, and what they recommend.

    Attributes
    ----------
    recommended : str
        What costs least by replay: `by_category`, or the one admission for all.
    assignment : str
        The same as an option of a flash cache.
    lifetime_requests : float
        How long a page stays on flash under it, by the model. [requests]
    flash_pages : float
        Flash that is paid for under it. [pages]
    margin : float
        Share by which the single admission for all that is recommended, or else the cheapest, costs less than the choice
        by replay; below 0 where it costs more. [1]
    least_margin : float or None
        The same without the quarter of the recording that speaks most for it; None where it costs more anyway. [1]
    is_tie : bool
        Whether it costs less on account of that quarter alone, so that the choice stays.
    """

    recommended: str
    assignment: str
    lifetime_requests: float
    flash_pages: float
    margin: float
    least_margin: float | None
    is_tie: bool


def _compared(found: WhatToCache) -> tuple[Alternative, ...]:
    """Return the choice, and each admission for all that admits something."""
    others = (each for each in found.alternatives if each.name != NOTHING)
    return (found.chosen, *others)


def wanted(
    found: WhatToCache,
    flash_cache: str = FLASH_CACHE,
    *,
    recorded_per_s: float | None = None,
) -> dict[str, Replay]:
    """Return the replays of the choice and of what it is compared with, by name.

    What admits nothing needs none: its reads are those that reach flash.

    Parameters
    ----------
    found : WhatToCache
        Of the model.
    flash_cache : str
        Which one is behind the assignment: by default that of the model.
    recorded_per_s : float, optional
        Mean rate of the trace, of which what works by the clock has the times stretched to the rate of the answer; None where it
        has no times: then it goes by that rate. [1/s]

    Raises
    ------
    BadInput
        If there is no such flash cache, or it works by the clock and a recording is replayed in place of production.
    """
    name = spelled(flash_cache)
    titles = flash_cache_titles()
    if name not in titles:
        raise BadInput(
            f"flash cache: `{flash_cache}` is unknown", f"one of {', '.join(titles)}"
        )
    replays = {
        each.name: Replay(
            "flash_cache",
            name,
            found.counted_ram_pages,
            found.replayed_flash_pages
            if each.name == CHOICE
            else found.counted_flash_pages,
            0,
            replay_options(name, found.kind, each.assignment, each.lifetime_requests),
        )
        for each in _compared(found)
    }
    load = Load(
        found.accesses_per_s, recorded_per_s, is_whole=not found.is_of_a_recording
    )
    return {
        key: _as_in_production(each, load, _flash(found, each.flash_pages))
        for key, each in replays.items()
    }


def _flash(found: WhatToCache, replayed_pages: int) -> FlashStandIn:
    """Return the flash of the system for which so much is replayed, which is the same but of a recording of production."""
    pages = replayed_pages
    if found.is_of_a_recording:
        pages = round(
            replayed_pages * found.flash_pages / max(1, found.counted_flash_pages)
        )
    return FlashStandIn(pages, replayed_pages, found.page_bytes)


def _as_in_production(each: Replay, load: Load, flash: FlashStandIn) -> Replay:
    """Have it replayed with units of production, and what works by the clock at the load, or refuse it."""
    options = stand_in_options(each.name, each.options, load, flash)
    if isinstance(options, Unpaced):
        where = "" if load.is_whole else " in production"
        hints = (options.hint, "choose one that does not work by the clock")
        raise BadInput(
            f"flash cache: `{each.name}` cannot be replayed{where}: {options.reason}",
            ", or ".join(filter(None, hints)),
        )
    return replace(each, options=options)


def replayed(
    found: WhatToCache,
    run: Callable[[Replay], Mapping[str, Any]],
    flash_cache: str = FLASH_CACHE,
    *,
    recorded_per_s: float | None = None,
) -> CheckedChoice:
    """Replay them and put the model beside the replays."""
    replays = wanted(found, flash_cache, recorded_per_s=recorded_per_s)
    made: dict[tuple[int, str], Mapping[str, Any]] = {}
    for each in replays.values():
        # The choice may be one admission for all.
        key = (each.flash_pages, each.options["assignment"])
        if key not in made:
            made[key] = run(each)
    counters = {
        name: made[each.flash_pages, each.options["assignment"]]
        for name, each in replays.items()
    }
    doubts = in_doubt(found, counters, replays, flash_cache)
    tails = {name: run(each) for name, each in doubts.items()}
    return check(found, counters, tails, flash_cache)


def in_doubt(
    found: WhatToCache,
    counters: Mapping[str, Mapping[str, Any]],
    replays: Mapping[str, Replay],
    flash_cache: str = FLASH_CACHE,
) -> dict[str, Replay]:
    """Return the replays that tell whether what costs less than the choice does so without any one quarter of the recording.

    They count from the second, third and fourth quarter on. There are none where the choice costs least.

    Parameters
    ----------
    found : WhatToCache
        Of the model.
    counters : mapping of str to mapping
        Of the replays, by name.
    replays : mapping of str to Replay
        Those of `wanted`.
    flash_cache : str
        That was replayed.
    """
    below = _below_the_choice(_costs(found, counters, flash_cache))
    if not below:
        return {}
    accesses = counters[CHOICE]["accesses"]
    return {
        _tail(name, at): replace(replays[name], warm_up=accesses * at // QUARTERS)
        for name in (CHOICE, *below)
        if name != NOTHING
        for at in range(1, QUARTERS)
    }


def _tail(name: str, at: int) -> str:
    return f"{name} behind quarter {at}"


def check(
    found: WhatToCache,
    counters: Mapping[str, Mapping[str, Any]],
    tails: Mapping[str, Mapping[str, Any]],
    flash_cache: str = FLASH_CACHE,
) -> CheckedChoice:
    """Put hits, reads, writes and cost of the model beside what replays counted, and recommend what costs least by these.

    What costs less than the choice for a quarter of the recording alone is a tie with it, and the choice is recommended.

    Parameters
    ----------
    found : WhatToCache
        Of the model.
    counters : mapping of str to mapping
        Of the replays of `wanted`, by name.
    tails : mapping of str to mapping
        Of the replays of `in_doubt`, by name.
    flash_cache : str
        That was replayed.
    """
    name, title = spelled(flash_cache), _title(flash_cache)
    rows: list[CheckedFigure] = []
    costs = _costs(found, counters, flash_cache)
    for each in _compared(found):
        counted = counters[each.name]
        rows.extend(
            row(each.name, TITLES[each.name], figure, unit, model, simulated)
            for figure, unit, model, simulated in (
                (HITS, "pages", each.hits, counted["flash_hits"]),
                (
                    READS,
                    "pages",
                    each.disk_reads,
                    counted["flash_misses"],
                ),
                (
                    WRITES,
                    "pages",
                    each.flash_writes,
                    counted["flash_writes"],
                ),
                (COST, "USD/month", each.usd_per_month, costs[each.name]),
            )
        )
    least_of = {
        name: _least_margin(found, name, counters, tails)
        for name in _below_the_choice(costs)
    }
    best = next((name for name, least in least_of.items() if least > 0), CHOICE)
    is_tie = bool(least_of) and best == CHOICE
    # The one that overrules the choice, or else the one that costs least.
    rival = _cheapest(costs)[0] if best == CHOICE else best
    least = least_of.get(rival)
    decided = None if best == CHOICE else _decided(best, costs, title, least or 0.0)
    tied = _tied(rival, costs, title, least or 0.0) if is_tie else None
    recommended = next(
        each for each in (found.chosen, *found.alternatives) if each.name == best
    )
    return CheckedChoice(
        finding=_finding(rows, costs, title, decided or tied),
        decided=decided,
        rows=tuple(rows),
        basis=sentences(
            LIKE_THE_MODEL if title is None else OF_ANOTHER.format(title=title),
            ""
            if title is None
            else paces({name: counters[CHOICE]}, None, found.accesses_per_s),
            _tax(found, name, counters[CHOICE]),
            units_sentence(
                [(name, units_of(name, {}, _flash(found, found.replayed_flash_pages)))]
            ),
            OF_A_RECORDING if found.is_of_a_recording else "",
        ),
        recommended=best,
        assignment=recommended.assignment,
        lifetime_requests=recommended.lifetime_requests,
        flash_pages=recommended.flash_pages,
        margin=_margin(costs[CHOICE], costs[rival]),
        least_margin=least,
        is_tie=is_tie,
    )


def _title(flash_cache: str) -> str | None:
    """Name the flash cache that was replayed for people; None where it is that of the model."""
    name = spelled(flash_cache)
    return None if name == FLASH_CACHE else flash_cache_titles()[name]


def _costs(
    found: WhatToCache, counters: Mapping[str, Mapping[str, Any]], flash_cache: str
) -> dict[str, float]:
    """Price what the replays counted, by name. [USD/month]"""
    costs = {
        each.name: _usd(found, counters[each.name], each) for each in _compared(found)
    }
    if _title(flash_cache) is None:
        costs[NOTHING] = _uncached_usd(found, counters[CHOICE])
    return costs


def _cheapest(costs: Mapping[str, float]) -> list[str]:
    """Name the single admissions for all, the cheapest first."""
    return sorted((name for name in costs if name != CHOICE), key=costs.__getitem__)


def _below_the_choice(costs: Mapping[str, float]) -> list[str]:
    """Name the single admissions for all that cost less than the choice, the cheapest first."""
    return [
        name for name in _cheapest(costs) if costs[CHOICE] > costs[name] * (1 + SAME)
    ]


def _margin(choice: float, rival: float) -> float:
    """Share by which a single admission costs less than the choice. [1]"""
    return (choice - rival) / choice if choice else 0.0


def _least_margin(
    found: WhatToCache,
    rival: str,
    counters: Mapping[str, Mapping[str, Any]],
    tails: Mapping[str, Mapping[str, Any]],
) -> float:
    """Share by which a single admission costs less without the quarter of the recording that speaks most for it. [1]"""
    by_name = {each.name: each for each in (found.chosen, *found.alternatives)}

    def quarters(name: str) -> list[float]:
        # Reads that reach flash are the same whatever enters it.
        of = CHOICE if name == NOTHING else name
        whole = counters[of]
        parts = [whole, *(tails[_tail(of, at)] for at in range(1, QUARTERS))]
        behind = [
            (
                _uncached_usd(found, each)
                if name == NOTHING
                else _usd(found, each, by_name[name])
            )
            * each["accesses"]
            / whole["accesses"]
            for each in parts
        ]
        return [first - then for first, then in pairwise([*behind, 0.0])]

    return min(
        _margin(sum(choice) - choice[at], sum(other) - other[at])
        for choice, other in [(quarters(CHOICE), quarters(rival))]
        for at in range(QUARTERS)
    )


def _tax(found: WhatToCache, cache: str, counters: Mapping[str, Any]) -> str:
    """Say what RAM the directory of the flash cache takes with the choice; its replay had all of the RAM."""
    flash = round(found.chosen.flash_pages)
    if not flash:
        # What is not bought has no directory.
        return ""
    return taxes_at(
        {cache: counters},
        {cache: {"assignment": found.chosen.assignment}},
        ram_pages=found.ram_pages,
        left_pages=found.ram_pages,
        flash_pages=flash,
    )


def _usd(found: WhatToCache, counters: Mapping[str, Any], paid: Alternative) -> float:
    """Price the counters of a replay, and the flash that is paid for, as the model prices its own. [USD/month]"""
    charges = found.charges
    read = charges.usd_per_billion_reads / BILLION
    write = charges.usd_per_tb_written * found.page_bytes / TB
    times = found.accesses_per_s * float(SECONDS_PER_MONTH) / counters["accesses"]
    counted = counters["flash_misses"] * read + counters["flash_writes"] * write
    return float(counted * times) + paid.flash_usd_per_month


def _uncached_usd(found: WhatToCache, counters: Mapping[str, Any]) -> float:
    """Price the reads that reach flash as if all went to the store. [USD/month]"""
    reads = counters["flash_hits"] + counters["flash_misses"]
    alone = {**counters, "flash_misses": reads, "flash_writes": 0}
    [nothing] = [each for each in found.alternatives if each.name == NOTHING]
    return _usd(found, alone, nothing)


def _decided(
    best: str, costs: Mapping[str, float], title: str | None, least: float
) -> str:
    """Say what to do instead of the choice, and what that saves by replay, of all of the recording and of three quarters."""
    before = "" if title is None else f" before {title}"
    do = f"{TO_DO[best]}{before}"
    if title is not None and best == EVERY_MISS:
        do = f"Leave {title} without the choice"
    saved = costs[CHOICE] - costs[best]
    return (
        f"{do}: by replay that costs {money(costs[best])} per month, {money(saved)} ({percent(saved / costs[CHOICE])}) less "
        f"than the choice of the model, and at least {percent(least)} less without any one quarter of the recording"
    )


def _tied(
    rival: str, costs: Mapping[str, float], title: str | None, least: float
) -> str:
    """Say that a single admission costs less on account of one quarter of the recording alone."""
    what = TO_DO[rival][:1].lower() + TO_DO[rival][1:]
    if title is not None and rival == EVERY_MISS:
        what = f"leave {title} without the choice"
    saved = costs[CHOICE] - costs[rival]
    without = "no less" if least == 0 else f"{percent(-least)} more"
    return (
        f"A tie: to {what} costs {money(saved)} ({percent(saved / costs[CHOICE])}) less per month by replay, and {without} "
        "without one quarter of the recording, so the choice of the model stays"
    )


@dataclass(frozen=True, slots=True)
class _Off:
    """How far the model is off in one figure of one assignment. [1]"""

    of: str
    figure: str
    gap: float


def _judged(rows: Sequence[CheckedFigure]) -> list[_Off]:
    """Return how far the model is off in what the choice rests on, its hits as a share of the reads that reach flash.

    Where flash serves hardly anything, hits are few, and a relative gap of them says nothing of the reads that are left.
    """
    found = [
        _Off(each.of, each.figure, abs(each.gap_relative or 0.0))
        for each in rows
        if each.figure in (COST, READS)
    ]
    names = dict.fromkeys(each.of for each in rows)
    return [*found, *(_Off(of, HIT_RATIO, _points(rows, of)) for of in names)]


def _points(rows: Sequence[CheckedFigure], of: str) -> float:
    """Return by how much the hit ratio of flash is off, in shares of the reads that reach it. [1]"""
    by = {each.figure: each for each in rows if each.of == of}
    hits, reads = by[HITS], by[READS]

    def ratio(served: float | None, missed: float | None) -> float:
        asked = (served or 0.0) + (missed or 0.0)
        return (served or 0.0) / asked if asked else 0.0

    return abs(ratio(hits.model, reads.model) - ratio(hits.simulated, reads.simulated))


def _counts_off(rows: Sequence[CheckedFigure]) -> str:
    """Say which hits and writes are off by more than the known error, though the choice does not rest on them alone."""
    said = []
    for each in rows:
        gap = abs(each.gap_relative or 0.0)
        if each.figure in (HITS, WRITES) and gap > KNOWN_ERROR:
            text = f"{each.figure} by {percent(gap)} {IN_WORDS[each.of]}"
            if each.figure == HITS:
                text += (
                    f", {percent(_points(rows, each.of))} of the reads that reach flash"
                )
            said.append(text)
    if not said:
        return ""
    return f" Counts off by more than {percent(KNOWN_ERROR)}: {'; '.join(said)}."


def _finding(
    rows: list[CheckedFigure],
    costs: Mapping[str, float],
    title: str | None,
    first: str | None,
) -> str:
    """Say what the replays recommend or leave open, what they say that the choice saves, and how far the model is off."""
    said = _beside(rows, costs, title)
    return said if first is None else f"{first}. {said}"


def _beside(
    rows: list[CheckedFigure], costs: Mapping[str, float], title: str | None
) -> str:
    chosen, before = costs[CHOICE], costs[EVERY_MISS]
    saved = before - chosen
    share = percent(abs(saved) / before) if before else "0 %"
    less = "saves" if saved >= 0 else "costs"
    more = "" if saved >= 0 else " more"
    if title is not None:
        widest = max(rows, key=lambda each: abs(each.gap_relative or 0.0))
        return (
            f"Before {title}, the choice {less} {money(abs(saved))} ({share}){more} per month by replay against {title} without "
            f"it; the model, which is of an LRU flash cache, is off by {percent(abs(widest.gap_relative or 0.0))} in {widest.figure}."
        )
    worst = max(_judged(rows), key=lambda each: each.gap)
    return (
        f"By replay the choice {less} {money(abs(saved))} ({share}){more} per month against admitting every miss; in cost, reads from "
        f"the store and hit ratio of flash {_off_by(worst)}.{_counts_off(rows)}"
    )


def _off_by(worst: _Off) -> str:
    """Say by how much the model is off at most, and whether that is within its known error."""
    if worst.gap <= SAME:
        return "the model agrees with it"
    within = "within" if worst.gap <= KNOWN_ERROR else "not within"
    return (
        f"the model is off by at most {percent(worst.gap)}, in {worst.figure} {IN_WORDS[worst.of]}, which is {within} "
        f"{percent(KNOWN_ERROR)}"
    )
