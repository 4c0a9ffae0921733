"""The sentences of a placement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from tierwright.advise.advice import _words
from tierwright.advise.advice._words import finding as of_advice
from tierwright.advise.compose import KNOWN_ERROR
from tierwright.advise.placement._groups import TOTALS, growth_of
from tierwright.advise.placement.found import (
    TIME,
    Placement,
    Sharing,
    System,
    left_out,
    not_counted,
)
from tierwright.common.currency import money
from tierwright.common.units import format_bytes, format_microseconds
from tierwright.common.wording import between, counted, listed, percent
from tierwright.evaluate.advice.limits import ROUNDING
from tierwright.profile.several import Workload


def choice_of(found: Placement) -> set[tuple[tuple[str, ...], str, str, bool]]:
    """Return what tells one choice from another: workloads, systems, and how these are run."""
    return {
        (
            tuple(held.name for held in each.workloads),
            each.option.name,
            each.option.scheme,
            each.in_parts,
        )
        for each in found.systems
    }


def places(systems: Sequence[System]) -> str:
    """Say which workloads stand on which system."""
    return "; ".join(
        f"{listed([held.name for held in each.workloads])} on {each.option.name}"
        f"{_parts_of(each) if each.in_parts else ''}"
        for each in systems
    )


def _parts_of(system: System) -> str:
    """Say how the RAM of a system is divided, behind its name."""
    machines = system.option.machines
    whose = "its" if machines == 1 else "their"
    parts = _divided(
        ((held.name, held.ram_bytes) for held in system.workloads), machines
    )
    return f", {whose} RAM divided ({parts})"


def _divided(parts: Iterable[tuple[str, float | None]], machines: int) -> str:
    """List parts of the RAM by workload: of all machines together and, of several, of each as it is to be configured."""
    every = list(parts)
    whole = listed([f"{_size(size)} for {name}" for name, size in every])
    if machines == 1:
        return whole
    each = listed([_size(size and size / machines) for _, size in every])
    return f"{whole}; on each machine {each}"


def _size(ram_bytes: float | None) -> str:
    return format_bytes(ram_bytes) if ram_bytes else "none"


def finding(
    systems: Sequence[System],
    mine: Sharing,
    separate: Sharing | None,
    together: Sharing | None,
    without_parts: Sharing | None,
    objective: str,
) -> str:
    """Say which workloads share a system, what all cost, and what the simple choices would."""
    lacking = [each.option.machines for each in systems if each.option.without_machine]
    machines = "machine" if sum(lacking) == 1 else "machines"
    but = f", without the {machines} that RAM and devices need" if lacking else ""
    said = [
        f"Place {places(systems)}: {money(mine.usd_per_month)} per month for "
        f"{counted(len(systems), 'system')}{but}, "
        f"{_time_of(mine)} of I/O time per access."
    ]
    workloads = sum(len(each.workloads) for each in systems)
    if workloads > 1:
        if len(systems) < workloads:
            said.append(
                _against("A system for each workload", separate, mine, objective)
            )
        if len(systems) > 1:
            all_on_one = "All on one system"
            if together is not None and any(together.in_parts):
                all_on_one += ", its RAM divided,"
            said.append(_against(all_on_one, together, mine, objective))
    if any(each.in_parts for each in systems):
        said.append(_against("Sharing every cache", without_parts, mine, objective))
    said += [_would_save(each) for each in systems if _is_worth_saying(each)]
    return " ".join(said)


def of_systems(systems: Sequence[System], beside: Sequence[System]) -> str:
    """Say behind the cost of systems which machines it lacks, where that of others lacks another number of them.

    Parameters
    ----------
    systems, beside : sequence of System
    """
    own, others = _lacking(systems), _lacking(beside)
    if sum(own) == sum(others):
        return ""
    return not_counted(own) or f", {of_advice.INCLUDED}"


def _lacking(systems: Sequence[System]) -> tuple[int, ...]:
    return left_out(
        (each.option.machines, each.option.without_machine) for each in systems
    )


def too_small(systems: Sequence[System]) -> str:
    """Say which systems are too small before the horizon ends, and when, or that it is not known; empty where none is."""
    return " ".join(
        f"The system of {listed([held.name for held in each.workloads])}: "
        f"{each.too_small[0].lower()}{each.too_small[1:]}"
        for each in systems
        if each.too_small
    )


def not_known_when(workloads: Sequence[Workload]) -> str:
    """Say that it is not known when a system of several workloads is too small; empty where none of them grows."""
    growing = [each.name for each in workloads if growth_of(each) > 0]
    if not growing:
        return ""
    grows = "grows" if len(growing) == 1 else "grow"
    return (
        f"It holds the data until the horizon ends; when its devices are too busy is not computed of workloads that share a "
        f"system, though {listed(growing)} {grows}."
    )


def least_life(workloads: Sequence[Workload]) -> str:
    """Say that flash which several workloads wear lasts at least as long as is stated; empty where their loads grow alike."""
    most = max(map(growth_of, workloads))
    fastest = [each.name for each in workloads if growth_of(each) == most]
    if len(fastest) == len(workloads):
        return ""
    does = "does" if len(fastest) == 1 else "do"
    return (
        f"The life of its flash is a lower bound, computed as if the load of all its workloads grew by {_stated(most)} a year, as "
        f"that of {listed(fastest)} {does}."
    )


def _stated(growth: float) -> str:
    """Write a growth as it was stated."""
    return f"{100 * growth:.6g} %"


def _is_worth_saying(system: System) -> bool:
    saved = system.parts_save_share
    return saved is not None and saved >= KNOWN_ERROR


def _would_save(system: System) -> str:
    """Say what parts of the RAM would save of the misses of a cache that is shared."""
    assert system.parts_save_share is not None
    names = [held.name for held in system.workloads]
    parts = _divided(
        ((held.name, held.part_bytes) for held in system.workloads),
        system.option.machines,
    )
    return (
        f"Dividing the RAM that {listed(names)} share ({parts}) would save {percent(system.parts_save_share)} of their misses "
        "there."
    )


def _time_of(found: Sharing) -> str:
    """Write the I/O time of a way to share, or its range."""
    time_us = found.io_time_us_per_access
    if time_us is None:
        return between(found.ranges[TIME], format_microseconds)
    return format_microseconds(time_us)


def about_dirty(found: Placement, clean: Placement, unknown: Sequence[str]) -> str:
    """Say what would be chosen if no evicted page were dirty, beside what holds for any share.

    Parameters
    ----------
    found, clean : Placement
        With as many dirty pages as possible, and with as few.
    unknown : sequence of str
        Workloads of which nobody said which are dirty.
    """
    of, does = ("curve", "does") if len(unknown) == 1 else ("curves", "do")
    whose = (
        f"The {of} of {listed(unknown)} {does} not say which evicted pages are dirty"
    )
    state = "state the dirty share, or profile a trace that has writes"
    if found.usd_per_month is None:
        if clean.usd_per_month is None:
            return f"{whose}; nor does any choice keep every limit if none is."
        return (
            f"{whose}: if none is, {places(clean.systems)} would keep every limit, at "
            f"{money(clean.usd_per_month)} per month{not_counted(_lacking(clean.systems))}: {state}."
        )
    said = f"{whose}: the choice keeps every limit whatever their share, and what depends on it is given as a range."
    assert (
        clean.usd_per_month is not None
    )  # What keeps every limit with dirty pages does so without.
    if choice_of(clean) == choice_of(found):
        return f"{said} If none is, the choice is the same."
    other = places(clean.systems)
    if found.objective == "io_time":
        return f"{said} If none is, {other} would be the fastest."
    less = found.usd_per_month - clean.usd_per_month
    but = of_systems(clean.systems, found.systems)
    if but:
        # The difference would be that of costs that lack different numbers of machines.
        return f"{said} If none is, {other} would be the choice, at {money(clean.usd_per_month)} per month{but}."
    if not less:
        return f"{said} If none is, {other} would be the choice, for as much money."
    return (
        f"{said} If none is, {other} would do, for {money(less)} per month less: knowing the share is worth that at "
        "most."
    )


def _against(what: str, other: Sharing | None, mine: Sharing, objective: str) -> str:
    if other is None:
        return f"{what} is not possible: no option keeps every limit."
    usd = f"{money(other.usd_per_month)} per month"
    lacks, own_lack = (sum(each.machines_left_out) for each in (other, mine))
    but = not_counted(other.machines_left_out)
    if not lacks and own_lack:
        but = f", {of_advice.INCLUDED}"
    if objective == "io_time":
        own, its = mine.io_time_us_per_access, other.io_time_us_per_access
        costs = f", for {usd}{but}"
        if own is None or its is None:
            return f"{what} takes {_time_of(other)} per access{costs}."
        if its <= own * (1 + ROUNDING):
            return f"{what} takes as long per access{costs}."
        more = f"{_more(its / own - 1)} more" if own > 0 else "more"
        return f"{what} takes {format_microseconds(its)} per access, {more}{costs}."
    if lacks != own_lack:
        # The difference would be that of costs that lack different numbers of machines.
        return f"{what} costs {usd}{but}."
    more_usd = other.usd_per_month - mine.usd_per_month
    if not more_usd:
        return f"{what} costs as much."
    return f"{what} costs {usd}{but}{':' if but else ','} {money(more_usd)} more."


_LITTLE = 1e-4
"""Share below which no figure of a model tells two times apart."""


def _more(share: float) -> str:
    """Write by how much a time is longer.

    Examples
    --------
    >>> _more(0.0531), _more(1.2e-7)
    ('5.31 %', 'less than 0.01 %')
    """
    return "less than 0.01 %" if share < _LITTLE else percent(share)


def infeasible(
    constraints: Mapping[str, Decimal],
    conflict: Sequence[str],
    least: Mapping[str, float],
    *,
    dirty: bool,
    is_enough: bool = True,
) -> str:
    """Say which limits on all systems together conflict, and how far they have to be relaxed.

    Parameters
    ----------
    constraints : mapping
        All limits.
    conflict : sequence of str
        Limits that cannot be kept together; empty where no limit on all systems stands in the way.
    least : mapping of str to float
        What those of `TOTALS` would have to be at least, each alone; of more than are in conflict each has to be relaxed.
    dirty : bool
        Whether nobody said which evicted pages of some workload are dirty.
    is_enough : bool
        Whether relaxing one of the conflict is enough.
    """
    if conflict:
        named = list(least) if len(least) > len(conflict) else conflict
        none = f"No choice of systems keeps {_limits(named)}"
    else:
        none = "Each workload has a system, alone or beside others, but no choice of systems carries each of them once"
    if dirty:
        none = (
            f"With as many evicted pages dirty as possible, {none[0].lower()}{none[1:]}"
        )
    if not conflict:
        return f"{none}. Relax a limit on each system, or add candidates."
    shown = [
        f"{_words.LIMIT_WORDS[name]}: at least {_words.kept_limit(name, value)} "
        f"(limit: {_words.stated_limit(name, constraints[name])})"
        for name, value in least.items()
    ]
    if len(least) > len(conflict):
        return f"{none}. {_capital('; '.join(shown))}. Relax each of these limits."
    others = [_words.LIMIT_WORDS[name] for name in conflict if name not in least]
    besides = "" if is_enough else " Other limits conflict besides."
    if not shown:
        relax = "this limit" if len(conflict) == 1 else "one of them"
        return f"{none}: each workload could share some system, but no way to share leaves a system for all of them. Relax {relax}.{besides}"
    if len(conflict) == 1:
        return f"{none}. {_capital(shown[0])}. Relax this limit.{besides}"
    alone = "One of them alone" if is_enough else "One of them"
    return f"{none} at once. {alone} would have to be relaxed: {'; or '.join((*shown, *others))}.{besides}"


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _limits(names: Sequence[str]) -> str:
    """Name limits on all systems together, and behind them those on each."""
    both = []
    for of_all, whom in ((True, "all of them together"), (False, "each")):
        some = [_words.on_limit(name) for name in names if (name in TOTALS) == of_all]
        if some:
            both.append(
                f"the {'limit' if len(some) == 1 else 'limits'} {listed(some)} for {whom}"
            )
    return " and ".join(both)
