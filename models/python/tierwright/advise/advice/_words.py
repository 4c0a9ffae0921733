"""Sentences of an advice; each is computed from the figures that it speaks of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Literal

from tierwright.advise.advice.found import Option, Rejected, Shadow
from tierwright.advise.advice.request import BOUGHT_ALONE
from tierwright.advise.point import scheme_titles
from tierwright.common.currency import amount, exact_money, money, shown_in, to_the_coin
from tierwright.common.units import format_bytes, format_microseconds, unit_of
from tierwright.common.wording import (
    counted,
    duration,
    duration_unit,
    listed,
    percent,
    three_digits,
)
from tierwright.evaluate.advice.limits import (
    CONSTRAINTS,
    EVIDENCE,
    LEAST,
    LIFE,
    LOAD,
    MONEY,
    PEAK_BUSY,
    POWER,
    PRICE,
    RESPONSES,
    RESTART,
    THROUGHPUT,
    TIMES,
    UNITS,
)
from tierwright.evaluate.bill import VOLUMES_UNKNOWN
from tierwright.evaluate.configurations.columns import ELECTRICITY, RAM, SPACE
from tierwright.evaluate.page_flow.schemes import NO_FLASH

IF_DIRTY = "if every page that leaves RAM is dirty, "
"""Before the life of flash, of which only the least is known where the trace does not tell writes from reads."""
HELD_DIRTY = (
    "The trace does not tell writes from reads: how long flash lasts is unknown, and the limit on its life is held as if every "
    "page that leaves RAM were dirty; a trace with operations tells it."
)
LIMIT_WORDS: Mapping[str, str] = {
    PEAK_BUSY: "busy share of a device in the busiest hour",
    THROUGHPUT: "throughput",
    "machines": "machines",
    "ram_bytes": "RAM",
    "flash_bytes": "flash cache",
    "usd_per_month": "cost per month",
    "purchase_usd": "purchase",
    "io_time_us_per_access": "I/O time of an access",
    "flash_life_years": "life of the flash",
    RESTART: "time until RAM is warm after a restart",
    POWER: "power of the servers",
    UNITS: "rack units",
    "response_mean_us": "mean response time in the busiest hour",
    "response_p50_us": "median response time in the busiest hour",
    "response_p99_us": "99th percentile of the response time in the busiest hour",
    LOAD: "devices that carry the load",
    PRICE: "a price",
    TIMES: "stated I/O rates of every device",
    SPACE: "space for the data",
    RAM: "RAM beside what the system takes",
    "no_drive_bays": "bays for the drive",
    "volume_size": "volumes as large as it needs",
    "volume_iops": "volumes with the IOPS it needs",
    "volume_iops_per_gib": "volumes large enough for their IOPS",
    "volume_throughput": "volumes with the throughput it needs",
    "volume_throughput_per_iops": "IOPS enough for the throughput of its volumes",
    "volume_count": "an instance that takes as many volumes",
    VOLUMES_UNKNOWN: "an instance that is known to take as many volumes",
    "instance_iops": "an instance that sustains the IOPS of its volumes",
    "instance_throughput": "an instance that sustains the throughput of its volumes",
    "max_ram": "a chassis that takes its RAM",
    "power_supply": "supplies for its power",
    "reserved_ram": "RAM for the system",
    EVIDENCE: "sizes at which misses are known",
}
"""Constraints in words, and what an option may lack, to be read behind *has* or *lacks*."""


Admitted = Literal["flash_cache", "replay"]
"""What admits an option that breaks a limit by the model: a flash cache on it, or its own replay."""
NONE_BUT: Mapping[Admitted, tuple[str, str]] = {
    "flash_cache": ("Under page flow", " under a flash cache"),
    "replay": ("By the model", ""),
}
"""Where no option keeps every limit, and among which of those that were replayed one does, by what admits it."""
SAID_OF: Mapping[str, str] = {
    PEAK_BUSY: "a device of it would be {} busy in the busiest hour",
    THROUGHPUT: "it carries {}",
    "machines": "it takes {}",
    "ram_bytes": "it has {} of RAM",
    "flash_bytes": "its flash cache has {}",
    "usd_per_month": "it costs {}",
    "purchase_usd": "its purchase costs {}",
    "io_time_us_per_access": "an access takes {} of I/O time",
    "flash_life_years": "its flash lasts {}",
    RESTART: "RAM takes {} to warm up after a restart",
    POWER: "its servers draw {}",
    UNITS: "it takes {} of rack space",
    "response_mean_us": "its mean response time in the busiest hour is {}",
    "response_p50_us": "its median response time in the busiest hour is {}",
    "response_p99_us": "the 99th percentile of its response time in the busiest hour is {}",
}
"""What an option has of each constraint, with room for the value and its unit."""


def what_it_has(name: str, value: float) -> str:
    """Say what an option has of a constraint."""
    return SAID_OF[name].format(limit_value(name, value))


def limit_value(name: str, value: float) -> str:
    """Write the value of a constraint with its unit."""
    if name in MONEY:
        return money(value) + (" per month" if name == "usd_per_month" else "")
    if name == PEAK_BUSY:
        return percent(value)
    if name.endswith("_bytes"):
        return format_bytes(value)
    if name == "machines":
        return counted(int(value), "machine")
    if name == RESTART:
        return duration(value)
    if name == THROUGHPUT:
        return f"{three_digits(value)} accesses per second"
    if name == POWER:
        return f"{three_digits(value)} W"
    if name == UNITS:
        return f"{value:,.0f} U"
    if name == LIFE:
        return counted(three_digits(value), "year")
    return format_microseconds(value)


def kept_limit(name: str, value: float) -> str:
    """Write the value that a limit has to have so that an option of just that value keeps what is read.

    Amounts to the cent, in the currency that is shown; all else with three digits, rounded to the side that the option
    is on.

    Examples
    --------
    >>> kept_limit("ram_bytes", 6 * 2**30), kept_limit("purchase_usd", 18_916_303.5)
    ('6 GiB', '18,916,303.50 USD')
    >>> kept_limit("usd_per_month", 816.0), kept_limit("restart_s", 613.0)
    ('816 USD per month', '10.3 minutes')
    """
    if name in MONEY:
        return _to_the_coin(name, value, ROUND_CEILING)
    return limit_value(name, kept_value(name, value))


def stated_limit(name: str, value: Decimal) -> str:
    """Write the value of a limit as it was stated beside what it would have to be: amounts to the cent below, all else as read.

    Examples
    --------
    >>> (
    ...     stated_limit("usd_per_month", Decimal("1102.36")),
    ...     stated_limit("machines", Decimal(2)),
    ... )
    ('1,102.36 USD per month', '2 machines')
    """
    return (
        _to_the_coin(name, value, ROUND_FLOOR)
        if name in MONEY
        else limit_value(name, float(value))
    )


def _to_the_coin(name: str, value: Decimal | float, rounding: str) -> str:
    per = " per month" if name == "usd_per_month" else ""
    coins = to_the_coin(value, rounding=rounding).removesuffix(".00")
    return f"{coins} {shown_in().currency}{per}"


def kept_value(name: str, value: float) -> float:
    """Round the value of a limit to three digits of the unit in which it is shown, so that the limit that is read keeps it.

    Examples
    --------
    >>> kept_value("io_time_us_per_access", 1.9227), kept_value("restart_s", 613.0)
    (1.93, 618.0)
    """
    unit = duration_unit(value)[0] if name == RESTART else 1
    return safe_side(name, value / unit) * unit


def behind_name(name: str, written: str) -> str:
    """Leave out of the written value of a limit what the name before it says already.

    Examples
    --------
    >>> (
    ...     behind_name("usd_per_month", "2,500 USD per month"),
    ...     behind_name("machines", "2 machines"),
    ... )
    ('2,500 USD', '2')
    """
    if name == "usd_per_month":
        return written.removesuffix(" per month")
    return written.partition(" ")[0] if name == "machines" else written


_WITHOUT_ARTICLE = (THROUGHPUT, "machines", "ram_bytes", UNITS)


def on_limit(name: str) -> str:
    """Name a limit behind *limit* or *limits*."""
    the = "" if name in _WITHOUT_ARTICLE else "the "
    return f"on {the}{LIMIT_WORDS[name]}"


def with_admission(title: str, admission_by: str | None) -> str:
    """Name a flash cache with what tells the categories apart that decide what enters it; by itself where nothing does."""
    return (
        title if admission_by is None else f"{title} with admission by {admission_by}"
    )


_LONGEST = 400
"""Characters of an assignment that is written out; a longer one is in the JSON of the answer."""


def run_so(name: str, options: Mapping[str, str]) -> str:
    """Say with which options a simulation of a flash cache runs behind an assignment.

    Examples
    --------
    >>> run_so("larc", {"categories": "hour", "assignment": "never+0:miss"})
    'Run larc so: categories=hour, assignment=never+0:miss'
    """
    stated = ", ".join(f"{key}={value}" for key, value in options.items())
    if len(stated) > _LONGEST:
        stated = (
            f"categories={options['categories']}, and the assignment that the JSON of this answer has in "
            "recommendation.options"
        )
    return f"Run {name} so: {stated}"


def with_flow(name: str, scheme: str | None, admission_by: str | None = None) -> str:
    """Name an option with its page flow, where it has one, or with its flash cache and the admission before it."""
    if scheme is None or scheme == NO_FLASH:
        return name
    titles = scheme_titles()
    if scheme not in titles:
        from tierwright.simulate.contenders import flash_cache_titles

        cache = flash_cache_titles().get(scheme, scheme)
        return f"{name}, under {with_admission(cache, admission_by)}"
    return f"{name}, page flow {titles[scheme]}"


def with_flows(name: str, schemes: Sequence[str]) -> str:
    """Name an option with page flows of which one is as good as the other.

    Examples
    --------
    >>> with_flows("1 x a", ("none",)), with_flows("1 x a", ("none", "lazy"))
    ('1 x a', '1 x a, page flow Lazy or no flash cache')
    >>> with_flows("1 x a", ("lazy", "inclusive", "exclusive"))
    '1 x a, page flow Lazy, Inclusive or Exclusive'
    """
    if len(schemes) == 1:
        return with_flow(name, schemes[0])
    titles = scheme_titles()
    flows = [titles.get(each, each) for each in schemes if each != NO_FLASH]
    if len(flows) < len(schemes):
        flows.append("no flash cache")
    *others, last = flows
    return f"{name}, page flow {', '.join(others)} or {last}"


def named(option: Option) -> str:
    """Name an option with its page flow."""
    return with_flow(option.name, option.scheme, option.admission_by)


def decided(
    best: Option | None,
    zero: Option | None,
    second: Option | None,
    suitable: int,
    objective: str,
    infeasible: str,
    *,
    rate_known: bool,
    replayed_from: str | None = None,
    replays_tied: bool = False,
    is_replayed: bool = True,
    response_limited: bool = False,
    pruned: int = 0,
    admitted_by: Admitted | None = None,
    front: tuple[int, bool] | None = None,
    assumed: str = "",
    machine_left_out: bool = False,
    today: Rejected | None = None,
) -> tuple[str, str]:
    """Say what to buy and what it costs against today, why that is left, and why to buy it; or why nothing can be recommended, which has no more to it."""
    if best is None:
        return infeasible, ""
    if admitted_by is not None:
        what = "the fastest" if objective == "io_time" else "the cheapest"
        none_does, among = NONE_BUT[admitted_by]
        why = f"{none_does} no option keeps every limit; of what was replayed{among}, it is {what} that does."
    elif replayed_from is None:
        why = _because(best, second, suitable, objective, response_limited, pruned)
    else:
        first, then = "the cheapest", "the fastest"
        if objective == "io_time":
            first, then = then, first
        named_by = f"{then} of {first}" if replays_tied else first
        keep = "keep" if replays_tied else "keeps"
        why = f"Of the options that were replayed, it is {named_by} that {keep} every limit"
        if not is_replayed:
            why = f"It is {first} that no replay shows to break a limit, by the model alone: it was not replayed itself"
        why = f"{why}; by the model the choice would have been {replayed_from}."
    said = [why, *_front(front), *_split(best)]
    if not rate_known:
        said.append(
            "Whether its devices carry the load was not checked: the workload states no rate."
        )
    if machine_left_out:
        said.append(machine_text(best, second))
    if assumed:
        said.append(assumed)
    return _buy(best, zero, today), " ".join(each for each in said if each)


def assumed_text(data: str | None, rate: float | None) -> str:
    """Say what stands for a size of the data and a busiest hour that nobody stated; empty where both are.

    Parameters
    ----------
    data : str or None
        The size that stands for that of the data, a lower bound; None where it was stated.
    rate : float or None
        Mean rate that stands for that of the busiest hour too; None where it does not, or is unknown. [1/s]
    """
    said = []
    if data is not None:
        said.append(
            f"The size of the data is not stated: {data}, the largest size of the curve, stands for it, and whether the choice "
            "holds all of them was not checked."
        )
    if rate is not None:
        said.append(
            f"{three_digits(rate)} page accesses per second are taken for the mean and for the busiest hour alike: no rate "
            "of a busier hour is stated."
        )
    return " ".join(said)


def _front(front: tuple[int, bool] | None) -> Iterator[str]:
    """Say of the front of cost and I/O time how many choices it has, and that the cheapest of them is named."""
    if front is None:
        return
    many, is_on_it = front
    if not is_on_it:
        yield f"The front of cost and I/O time has {counted(many, 'choice')} by the model, and the replay decided otherwise."
    elif many == 1:
        yield "It is the whole front of cost and I/O time: nothing that keeps every limit is faster."
    else:
        yield (
            f"It is the cheapest of the {many:,} choices on the front of cost and I/O time: each of the others costs more and "
            "takes less I/O time."
        )


def _split(best: Option) -> Iterator[str]:
    """Say how to split the buffer pool, where that pays."""
    if best.clean_share is not None and best.clean_share_gain is not None:
        yield (
            f"Keep {percent(best.clean_share)} of its RAM for clean pages and the rest for dirty ones: on the recording "
            f"such a split takes {percent(best.clean_share_gain)} less I/O time than LRU."
        )


def _overloaded(zero: Option) -> str:
    """Say that what there is would have to be busy all the time and more; empty where it would not, or nothing is known."""
    least, most = zero.ends("peak_busy")
    if least is not None and least > 1:
        by = "" if least == most else "at least "
        return f"would have to be {by}{percent(least)} busy in the busiest hour"
    if most is not None and most > 1:
        return f"would have to be up to {percent(most)} busy in the busiest hour"
    return ""


def _left(zero: Option, today: Rejected | None) -> str:
    """Say why what there is is left, behind what it costs; empty where it keeps every limit."""
    broken = (
        ()
        if today is None
        else (today.constraint, *(each.constraint for each in today.also))
    )
    lacks = f"lacks {LIMIT_WORDS[SPACE]}" if SPACE in broken else ""
    said = [each for each in (lacks, _overloaded(zero)) if each]
    if not said and today is not None:
        said = [each for each in (_first_broken(zero, today),) if each]
    return f"; what there is today {' and '.join(said)}" if said else ""


def _first_broken(zero: Option, today: Rejected) -> str:
    """Say which limit what there is breaks first; empty of what is said elsewhere: no price, or a curve that does not show it."""
    name, value, limit = today.constraint, today.value, today.limit
    if name in (PRICE, EVIDENCE):
        return ""
    if limit is None:
        return f"lacks {LIMIT_WORDS.get(name, name)}"
    if value is None:
        return f"breaks a limit, as the {LIMIT_WORDS[name]} is not known"
    told = what_it_has(name, value)
    if IF_DIRTY in today.text:
        told = f"{IF_DIRTY}{told}"
    if name in zero.ranges:
        told = f"with as many dirty pages as possible, {told}"
    asked = f"{'at least' if name in LEAST else 'at most'} {limit_value(name, limit)}"
    return f"breaks a limit: {told}, and {asked} is {'required' if name in LEAST else 'allowed'}"


def machine_text(best: Option, second: Option | None) -> str:
    """Say which of the prices that are compared lack the machine that RAM and devices need; empty where none does."""
    bare = [each is not None and each.kind == "devices" for each in (best, second)]
    what = "The machine that RAM and devices need is not in"
    match bare:
        case [True, True]:
            return f"{what} these prices."
        case [True, False]:
            return f"{what} its price."
        case [False, True]:
            return f"{what} the price of the best alternative."
        case _:
            return ""


def _buy(best: Option, zero: Option | None, left: Rejected | None = None) -> str:
    cost = best.usd_per_month
    assert cost is not None  # what has no price is not recommended
    if best.kind == "have":
        if zero is not None and zero.scheme != best.scheme:
            return f"Keep what there is, but run it differently: {named(best)}, {money(cost)} per month."
        return f"Keep what there is: {named(best)}, {money(cost)} per month."
    verb = "Rent" if best.purchase_usd == 0 else "Buy"
    if best.kind == "quotes":
        verb = "Take"
    today = ""
    if best.on_existing:
        today = (
            ", on the existing machines, whose costs continue and are not in this price"
        )
    elif zero is not None and zero.usd_per_month is not None:
        now = zero.usd_per_month
        difference = now - cost
        more = "less" if difference > 0 else "more"
        if not difference:
            today = ", as much as today"
        elif amount(now) == amount(cost):
            today = f", {money(abs(difference))} {more} than today"
        else:
            today = f" against {money(now)} today, {money(abs(difference))} {more}"
        # A saving against what is too small, or breaks another limit, is said to be one.
        today += _left(zero, left)
    elif zero is not None:
        today = f"; what there is today costs an unknown amount{_left(zero, left)}"
    return f"{verb} {named(best)}: {money(cost)} per month{today}."


def _io_times(best: Option, second: Option) -> tuple[float | None, float | None, str]:
    """Return what an access takes of two options, by the replays of both or by the model of both, and which where there is a choice."""
    by_replay = (
        best.replayed_io_time_us_per_access,
        second.replayed_io_time_us_per_access,
    )
    if None not in by_replay:
        return *by_replay, " by its replay"
    said = "" if by_replay == (None, None) else " by the model"
    return best.io_time_us_per_access, second.io_time_us_per_access, said


def _only(objective: str, response_limited: bool, pruned: int) -> str:  # noqa: FBT001
    """Say of a choice that nothing else keeps the limits, so that it is no first of several."""
    only = "It is the only option"
    if pruned:
        only = f"{only} of those that were evaluated"
    said = (
        f"{only} that keeps every other limit, and it keeps those on response times too"
        if response_limited
        else f"{only} that keeps every limit"
    )
    if not pruned:
        return f"{said}."
    faster = "faster" if objective == "io_time" else "cheaper"
    left = (
        f"the 1 option that a bound left out is not {faster}"
        if pruned == 1
        else f"none of the {counted(pruned, 'option')} that bounds left out is {faster}"
    )
    return f"{said}; {left}."


def _because(
    best: Option,
    second: Option | None,
    suitable: int,
    objective: str,
    response_limited: bool,  # noqa: FBT001
    pruned: int,
) -> str:
    if suitable == 1 and second is None:
        return _only(objective, response_limited, pruned)
    keep = "keeps" if suitable == 1 else "keep"
    of = f"of {counted(suitable, 'option')} that {keep} every limit"
    if pruned:
        of = f"{of}, and of {counted(pruned, 'option')} that {'a bound' if pruned == 1 else 'bounds'} left out"
    if response_limited:
        # Those that keep the limits on response times were not counted.
        of = f"that keeps the limits on response times too, of {counted(suitable, 'option')} that {keep} every other limit"
    what = "the fastest" if objective == "io_time" else "the cheapest"
    if second is None or second.usd_per_month is None or best.usd_per_month is None:
        return f"It is {what} {of}."
    if objective == "io_time":
        first_time, next_time, by = _io_times(best, second)
        if first_time is None or next_time is None:
            return f"It is {what} {of}."
        slow, fast = format_microseconds(next_time), format_microseconds(first_time)
        beside = (
            f"takes as long, {fast} of I/O time per access{by}"
            if slow == fast
            else f"takes {slow} of I/O time per access{by} against {fast}"
        )
        if second.usd_per_month != best.usd_per_month:
            beside += f" and costs {_difference(second, best)}"
    else:
        # Amounts that differ by cents read the same with three digits.
        same = second.usd_per_month == best.usd_per_month
        beside = f"costs {'as much' if same else _difference(second, best)}"
    return f"It is {what} {of}; the best alternative, {named(second)}, {beside}."


def _difference(one: Option, other: Option) -> str:
    """Say how much more or less one option costs than another; both have a price."""
    assert one.usd_per_month is not None
    assert other.usd_per_month is not None
    more = one.usd_per_month - other.usd_per_month
    return f"{money(abs(more))} per month {'more' if more > 0 else 'less'}"


_KNOWN_OF = {
    POWER: "the power is known of servers built from parts alone",
    UNITS: "rack units are known of servers built from parts alone",
}
"""Limits on what only some options state."""


_NOT_STATED = {
    POWER: "the parts of the servers do not state all of their power: state the watts of a server",
    UNITS: "no chassis states its rack units: choose others",
}
"""What to do where servers built from parts are candidates and their values are not known either."""


def unknown_text(names: Sequence[str], *, has_chassis: bool = False) -> str:
    """Say of which limits the value of no option is known, and what to state.

    Parameters
    ----------
    names : sequence of str
        At least one, each of which suffices to leave no option.
    has_chassis : bool
        Whether servers built from parts are among the options.
    """
    limits = "the limit" if len(names) == 1 else "the limits"
    them = "it limits" if len(names) == 1 else "they limit"
    said = f"No option is known to keep {limits} {listed([on_limit(name) for name in names])}: what {them} is stated of none."
    if set(names) <= set(RESPONSES):
        return (
            f"No option is known to keep {limits} {listed([on_limit(name) for name in names])}: no source states the latency of "
            "a read of these devices. State it in a device file, measure the devices, or ask without the limit."
        )
    parts = [
        (_NOT_STATED if has_chassis else _KNOWN_OF)[name]
        for name in names
        if name in _KNOWN_OF
    ]
    if not parts:
        return f"{said} State it, or ask without the limit."
    if has_chassis:
        todo = "; ".join(parts)
        return f"{said} {todo[0].upper()}{todo[1:]}, or ask without the limit."
    if len(parts) > 1:
        parts = ["both are known of servers built from parts alone"]
    return (
        f"{said} {parts[0][0].upper()}{parts[0][1:]}: make these candidates, with the price of their chassis, or ask "
        "without the limit."
    )


def infeasible_text(conflict: Sequence[str], *, dirty: bool = False) -> str:
    """Say which limits conflict.

    Parameters
    ----------
    conflict : sequence of str
        Their names.
    dirty : bool
        Whether nobody said which evicted pages are dirty: the limits were held with as many as possible.
    """
    if not conflict:
        return "There is no candidate: nothing that may be bought is priced and holds the data."
    if dirty:
        said = infeasible_text(conflict)
        return (
            f"With as many evicted pages dirty as possible, {said[0].lower()}{said[1:]}"
        )
    needs = [
        LIMIT_WORDS.get(name, name) for name in conflict if name not in CONSTRAINTS
    ]
    limits = [on_limit(name) for name in conflict if name in CONSTRAINTS]
    each = f"each that has {listed(needs)} breaks" if needs else "each breaks"
    if EVIDENCE in conflict:
        said = "No size can be recommended: the evidence of the curve does not reach the sizes of the options"
        if not limits:
            return f"{said}."
        return f"{said} that keep the limits {listed(limits)}."
    if not limits:
        return f"No option keeps every limit: each lacks {' or '.join(needs)}."
    if len(limits) == 1:
        return f"No option keeps every limit: {each} the limit {limits[0]}."
    return f"No option keeps every limit: {each} at least one of the limits {listed(limits)}."


def without_price_text(
    title: str, unpriced: Sequence[str], others: Sequence[str] = ()
) -> str:
    """Say what of the option that breaks least has no price, and what else it breaks; empty where that is not known.

    Examples
    --------
    >>> without_price_text("2 x a with 1 x b", ["a"])
    'The nearest is 2 x a with 1 x b: a has no price.'
    >>> without_price_text("2 x a", ["a"], ["usd_per_month"])
    'The nearest is 2 x a: a has no price, and what is priced of it breaks the limit on the cost per month.'
    """
    if not unpriced:
        return ""
    limits = [on_limit(name) for name in others if name in CONSTRAINTS]
    broken = (
        f", and what is priced of it breaks the limit{'' if len(limits) == 1 else 's'} {listed(limits)}"
        if limits
        else ""
    )
    return f"The nearest is {title}: {_have_no_price(unpriced)}{broken}."


def _have_no_price(names: Sequence[str]) -> str:
    parts = [name for name in names if name != ELECTRICITY]
    said = []
    if parts:
        said.append(f"{listed(parts)} {'has' if len(parts) == 1 else 'have'} no price")
    if len(parts) < len(names):
        # Its price is stated, else it would not count.
        said.append("what electricity it draws is not known")
    return ", and ".join(said)


def holds_nothing_text(devices: Sequence[str]) -> str:
    """Say of devices that were named that they hold no data by themselves; empty where there are none.

    Parameters
    ----------
    devices : sequence of str
        Their ids.
    """
    if not devices:
        return ""
    names = listed([f"`{name}`" for name in devices])
    itself = "itself" if len(devices) == 1 else "themselves"
    return (
        f"{names} cannot be bought by {itself} to hold data or to cache it: name a device of one of the kinds "
        f"{listed(BOUGHT_ALONE)} besides."
    )


def beside_text(kept: int, others: Sequence[str]) -> str:
    """Say what the options break or lack that would keep what the replayed ones break.

    Parameters
    ----------
    kept : int
        How many limits the replayed options break, at the best.
    others : sequence of str
        Of a conflict, what stands beside these.

    Examples
    --------
    >>> beside_text(1, ["usd_per_month", "price"])
    'What would keep it breaks the limit on the cost per month or lacks a price.'
    """
    breaks = [
        f"breaks the limit {on_limit(name)}" for name in others if name in CONSTRAINTS
    ]
    lacks = [
        f"lacks {LIMIT_WORDS.get(name, name)}"
        for name in others
        if name not in CONSTRAINTS
    ]
    return f"What would keep {'it' if kept == 1 else 'them'} {' or '.join((*breaks, *lacks))}."


def nearest_text(found: Iterable[tuple[str, float, str]], whom: str = "") -> str:
    """Say which limit of a conflict would have to be relaxed how far, alone, and for what.

    Parameters
    ----------
    found : iterable of (str, float, str)
        Limits, the values that they would have to have, and the options; of none, no limit alone is enough.
    whom : str
        The workload for which it is enough, of several; empty where there is one.
    """
    enough = f"enough for {whom}" if whom else "enough"
    each = [
        f"{LIMIT_WORDS[name]} to {behind_name(name, kept_limit(name, value))}, which admits {title}"
        for name, value, title in found
    ]
    if not each:
        return f"Relaxing one limit alone is not {enough}."
    return f"Relaxing one limit is {enough}: {'; or '.join(each)}."


_LAST_DIGITS = Decimal("1e-13")
"""Share of a value that its last digits make. [1]"""


def not_weighed_text(names: Sequence[str]) -> str:
    """Say of which limits it is not computed whether relaxing one alone is enough; empty where there are none.

    Examples
    --------
    >>> not_weighed_text(["flash_life_years"])
    'Whether relaxing the limit on the life of the flash alone is enough is not computed where response times are limited; ask again without it.'
    """
    if not names:
        return ""
    which = " or ".join(on_limit(name) for name in names)
    return (
        f"Whether relaxing the limit {which} alone is enough is not computed where response times are limited; ask again "
        "without it."
    )


def safe_side(name: str, value: float) -> float:
    """Round the value of a limit to the three digits that are shown, so that the option keeps what is read.

    Those of a size are the ones of the unit in which it is shown.

    Examples
    --------
    >>> safe_side("usd_per_month", 812.43), safe_side("flash_life_years", 4.567)
    (813.0, 4.56)
    >>> safe_side("ram_bytes", 64 * 2**30) / 2**30
    64.0
    >>> safe_side("response_p99_us", 80.00000000000001)
    80.0
    """
    if value <= 0 or not math.isfinite(value):
        return value
    unit = unit_of(value)[1] if name.endswith("_bytes") else 1
    shown = Decimal(repr(value)) / unit
    step = Decimal(10) ** (shown.adjusted() - 2)
    steps = shown / step
    whole = steps.to_integral_value()
    # What differs by the rounding of a sum alone keeps the limit; a byte more does not.
    if abs(steps - whole) > whole * _LAST_DIGITS:
        whole = steps.to_integral_value(ROUND_FLOOR if name in LEAST else ROUND_CEILING)
    return float(whole * step * unit)


def rejected_text(
    option: Option,
    name: str,
    value: float | None,
    limit: float | None,
    unpriced: Sequence[str] = (),
    *,
    by_bound: bool = False,
    one_point: bool = False,
    step: str = "",
    by_replay: bool = False,
    is_untold: bool = False,
) -> str:
    """Say why an option is rejected.

    Parameters
    ----------
    option : Option
    name : str
        The limit.
    value, limit : float or None
        Its value, and what is stated.
    unpriced : sequence of str
        What of it has no price.
    by_bound : bool
        Whether a response time is known by its bound alone: that of an access that never waits.
    one_point : bool
        Whether the curve rests on one size and its miss ratio.
    step : str
        The cheapest step that shows sizes outside of the evidence of the curve.
    by_replay : bool
        Whether the value is that of its replay, while by the model it keeps the limit.
    is_untold : bool
        Whether the life of its flash is unknown, as the trace does not tell writes from reads: the value is the least then.
    """
    what = LIMIT_WORDS.get(name, name)
    if name == PRICE and unpriced:
        return f"{named(option)}: {_have_no_price(unpriced)}."
    if name == EVIDENCE and one_point:
        return f"{named(option)} is not ranked: one size and its miss ratio recommend no size."
    if name == EVIDENCE:
        said = f"{named(option)} is unknown, not worse: the curve does not speak of its sizes"
        return f"{said}; {step} would show it." if step else f"{said}."
    if limit is None:
        return f"{named(option)} lacks {what}."
    bound = "at least" if name in LEAST else "at most"
    if by_bound:
        return f"{named(option)}: its {what} exceeds the {limit_value(name, limit)} allowed even if nothing waits."
    asked = f"{bound} {limit_value(name, limit)} is {'required' if name in LEAST else 'allowed'}"
    if value is None:
        why = option.response_reason if name in RESPONSES else ""
        said = f"{named(option)}: the {what} is unknown"
        return f"{said}, and {asked}: {why}." if why else f"{said}; {asked}."
    when = ""
    if by_replay:
        when = "by its replay, "
    elif name in option.ranges:
        when = "with as many dirty pages as possible, "
    if is_untold and name == LIFE:
        when += (
            IF_DIRTY
            if when
            else f"the trace does not tell writes from reads, and {IF_DIRTY}"
        )
    told = what_it_has(name, value) + _hardly_beyond(name, value, limit)
    return f"{named(option)}: {when}{told}; {asked}."


def _hardly_beyond(name: str, value: float, limit: float) -> str:
    """Say that a value is beyond a limit where both read the same; empty where they do not."""
    if limit_value(name, value) != limit_value(name, limit):
        return ""
    side = "less" if name in LEAST else "more"
    if name in MONEY:
        return f", {exact_money(round(abs(value - limit), 2))} {side} than the limit"
    return f", a little {side} than the limit"


def today_of(rejected: Iterable[Rejected]) -> Rejected | None:
    """Return what there is where it is rejected; None where it is not."""
    return next((each for each in rejected if each.option.kind == "have"), None)


def today_text(rejected: Iterable[Rejected]) -> str:
    """Say why what there is is rejected too, where no option keeps every limit; empty where it was not stated."""
    today = today_of(rejected)
    if today is None:
        return ""
    return f"What there is today is rejected too: {today.text}"


def verdict_text(
    viable: bool,  # noqa: FBT001
    limited_by: Shadow | None,
    best: Option | None,
    objective: str,
    *,
    limits_tried: bool = True,
    by_replay: bool = False,
    admitted_by: Admitted | None = None,
    pruned: int = 0,
) -> str:
    """Say whether the choice is viable and the best, and which limit costs most, where that was computed."""
    if not viable or best is None or best.usd_per_month is None:
        return "Not viable: no option keeps every limit."
    first = "Viable, and the best of all candidates: each was evaluated."
    if best.ranges:
        return (
            "Viable whatever share of the evicted pages is dirty; with as many as possible it is the best of all candidates, each "
            "of which was evaluated."
        )
    if pruned:
        first = (
            f"Viable, and the best of all candidates: each was evaluated, but for {counted(pruned, 'option')} that "
            f"{'a bound shows' if pruned == 1 else 'bounds show'} to be neither the best nor among those listed as close."
        )
    if admitted_by == "flash_cache":
        return "Viable by replay: under page flow this hardware breaks a limit."
    if admitted_by == "replay":
        return "Viable by replay: by the model it breaks a limit, by less than the model may be off."
    if by_replay:
        return "Viable; the replay decided among the options that the model found best."
    if not limits_tried:
        return first
    if limited_by is None:
        return f"{first} No single limit rules out a better option."
    what = LIMIT_WORDS.get(limited_by.constraint, limited_by.constraint)
    loosest = "at 100 %" if limited_by.constraint == PEAK_BUSY else "without it"
    limited = f"{first} Limited by the {what}: {loosest},"
    if objective == "io_time":
        return f"{limited} an access would take {format_microseconds(limited_by.io_time_us_per_access)} of I/O time."
    saved = best.usd_per_month - limited_by.usd_per_month
    return f"{limited} the cheapest would cost {money(saved)} per month less."
