"""What replays of flash caches decide: sentences and cautions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tierwright.advise.advice import _checked
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._caches.choice import Tried
from tierwright.advise.advice._caches.replays import (
    EQUAL,
    SHRUNK,
    CacheReplayed,
    machine_rate,
)
from tierwright.advise.advice._caches.rows import broken_under_page_flow
from tierwright.advise.advice._checked import Replayed
from tierwright.advise.advice._choice import Chosen
from tierwright.advise.advice._plans import Plan
from tierwright.advise.advice._table import Table
from tierwright.advise.advice._words import LIMIT_WORDS
from tierwright.advise.point import scheme_titles
from tierwright.common.cautions import Caution
from tierwright.common.units import format_bytes, format_microseconds
from tierwright.common.wording import listed, percent, sentences
from tierwright.simulate.contenders import ASSUMED, pace_sentences


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
        paced = pace_sentences([("It", one.options)], machine_rate(table, one.at))
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
        many = len({each.title for each in played})
        if many == 1:
            return f"{played[0].title}, the only flash cache replayed on this hardware, is not known to keep every limit."
        return f"No flash cache of the {many:,} replayed on this hardware is known to keep every limit."
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
