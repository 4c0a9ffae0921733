"""What to buy, what it costs against today, and why: the finding of an advice, and its verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Literal

from tierwright.advise.advice._words.limits import (
    IF_DIRTY,
    LIMIT_WORDS,
    on_limit,
    stated_limit,
    what_breaks,
    what_is,
    what_is_asked,
)
from tierwright.advise.advice._words.names import named
from tierwright.advise.advice.found import Option, Rejected, Shadow
from tierwright.common.currency import amount, is_under_a_coin, money, money_below
from tierwright.common.units import format_microseconds
from tierwright.common.wording import counted, percent, three_digits
from tierwright.evaluate.advice.limits import EVIDENCE, PEAK_BUSY, PRICE, REPLICAS
from tierwright.evaluate.configurations.columns import SPACE

Admitted = Literal["flash_cache", "replay"]
"""What admits an option that breaks a limit by the model: a flash cache on it, or its own replay."""
NONE_BUT: Mapping[Admitted, tuple[str, str]] = {
    "flash_cache": ("Under page flow", " under a flash cache"),
    "replay": ("By the model", ""),
}
"""Where no option keeps every limit, and among which of those that were replayed one does, by what admits it."""


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
    unlike: bool = False,
    today: Rejected | None = None,
    most_busy: float = 1.0,
) -> tuple[str, str]:
    """Say what to buy and what it costs against today, why that is left, and why to buy it; or why nothing can be recommended, which has no more to it."""
    if best is None:
        return infeasible, ""
    # Its machine takes no I/O time.
    but = _but(best.machines, unlike=unlike and objective != "io_time")
    if admitted_by is not None:
        what = "the fastest" if objective == "io_time" else "the cheapest"
        none_does, among = NONE_BUT[admitted_by]
        why = f"{none_does} no option keeps every limit; of what was replayed{among}, it is {what} that does{but}."
    elif replayed_from is None:
        why = _because(best, second, suitable, objective, response_limited, pruned, but)
    else:
        first, then = "the cheapest", "the fastest"
        if objective == "io_time":
            first, then = then, first
        named_by = f"{then} of {first}" if replays_tied else first
        keep = "keep" if replays_tied else "keeps"
        why = f"Of the options that were replayed, it is {named_by} that {keep} every limit"
        if not is_replayed:
            why = f"It is {first} that no replay shows to break a limit, by the model alone: it was not replayed itself"
        why = f"{why}{but}; by the model the choice would have been {replayed_from}."
    said = [why, _margin(best, zero), *_front(front, but), *_split(best)]
    if not rate_known:
        said.append(
            "Whether its devices carry the load was not checked: the workload states no rate."
        )
    if assumed:
        said.append(assumed)
    return _buy(best, zero, today, most_busy), " ".join(each for each in said if each)


def recording_text(
    touched: str, accesses_per_s: float | None, *, is_recorded_rate: bool
) -> str:
    """Say of a recording for which nobody stated production what the answer is sized for, to be read behind *sized for*.

    Parameters
    ----------
    touched : str
        The size of the pages that it touches.
    accesses_per_s : float or None
        The rate that is held against the devices; None where none is known. [1/s]
    is_recorded_rate : bool
        Whether that is the rate of the recording, which nobody stated.
    """
    if accesses_per_s is None:
        return f"the recording itself, which touches {touched}, at no known rate"
    rate = f"{three_digits(accesses_per_s)} accesses per second"
    if is_recorded_rate:
        return f"the recording itself, which touches {touched} at {rate}"
    return f"the data that the recording touches, {touched}, at the stated {rate}"


def sized_text(sized: str) -> str:
    """Say as a sentence what an answer is sized for, without production; empty where that is stated."""
    return f"No production is stated: it is sized for {sized}." if sized else ""


def assumed_text(data: str | None, *, is_mean_used: bool) -> str:
    """Say what stands for a size of the data and a busiest hour that nobody stated; empty where both are.

    Parameters
    ----------
    data : str or None
        The size that stands for that of the data, a lower bound; None where it was stated.
    is_mean_used : bool
        Whether the mean rate stands for that of the busiest hour.
    """
    said = []
    if data is not None:
        said.append(
            f"The size of the data is not stated: {data}, the largest size of the curve, stands for it, and whether the choice "
            "holds all of them was not checked."
        )
    if is_mean_used:
        said.append("No busiest hour was stated, so the mean is used.")
    return " ".join(said)


INCLUDED = "machines included"
"""Behind what an option costs that has its machines in its price, beside one that lacks them."""


def not_counted(machines: int) -> str:
    """Say behind what an option costs that its price lacks its machines, where that of another has them.

    Parameters
    ----------
    machines : int
        That it needs.
    """
    return f"its {_machine(machines)} not counted"


def _machine(machines: int) -> str:
    return "machine" if machines == 1 else "machines"


def _but(machines: int, *, unlike: bool) -> str:
    """Say behind what is the cheapest that its machines are in no price, where other options have theirs."""
    return f", {not_counted(machines)}" if unlike else ""


def _margin(best: Option, zero: Option | None) -> str:
    """Say how much the machine may cost that is not counted, so that the choice costs no more than today; empty where that is no question, or less than a coin."""
    if zero is None or zero.usd_per_month is None or not best.without_machine:
        return ""
    cost = best.usd_per_month
    if cost is None or cost >= zero.usd_per_month:
        return ""
    # Of each machine, and rounded down: with a dearer one it would cost more.
    each = (zero.usd_per_month - cost) / best.machines
    if is_under_a_coin(each):
        return ""
    room = money_below(each)
    if best.machines == 1:
        return f"With a machine of less than {room} per month it costs less than today."
    return f"With {best.machines:,} machines of less than {room} per month each it costs less than today."


def _front(front: tuple[int, bool] | None, but: str) -> Iterator[str]:
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
            f"It is the cheapest of the {many:,} choices on the front of cost and I/O time{but}: each of the others costs more and "
            "takes less I/O time."
        )


def _split(best: Option) -> Iterator[str]:
    """Say how to split the buffer pool, where that pays."""
    if best.clean_share is not None and best.clean_share_gain is not None:
        yield (
            f"Keep {percent(best.clean_share)} of its RAM for clean pages and the rest for dirty ones: on the recording "
            f"such a split takes {percent(best.clean_share_gain)} less I/O time than LRU."
        )


def _overloaded(zero: Option, most_busy: float) -> str:
    """Say that what there is does not carry the load; empty where it does, or nothing is known."""
    least, most = zero.ends("peak_busy")
    if least is not None and least > 1:
        by = "" if least == most else "at least "
        return f"cannot carry the load: it would need {by}{_times(least, most_busy)}"
    if most is not None and most > 1:
        return f"may not carry the load: it would need up to {_times(most, most_busy)}"
    return ""


def _times(busy: float, most_busy: float) -> str:
    """Say how fast devices would have to be that are busy for more than all of the time, so that they keep their limit."""
    times = three_digits(busy / most_busy)
    if float(times.replace(",", "")) == 1:
        return "slightly more than its speed"
    allowed = (
        ""
        if most_busy >= 1
        else f" to be busy for at most {stated_limit(PEAK_BUSY, most_busy)} of the busiest hour"
    )
    return f"{times} times its speed{allowed}"


def _left(zero: Option, today: Rejected | None, most_busy: float) -> str:
    """Say why what there is is left, behind its name; empty where it keeps every limit."""
    broken = (
        ()
        if today is None
        else (today.constraint, *(each.constraint for each in today.also))
    )
    lacks = [
        f"lacks {LIMIT_WORDS[each]}" for each in (SPACE, REPLICAS) if each in broken
    ]
    said = [each for each in (*lacks, _overloaded(zero, most_busy)) if each]
    if not said and today is not None:
        said = [each for each in (_first_broken(zero, today),) if each]
    return " and ".join(said)


def _first_broken(zero: Option, today: Rejected) -> str:
    """Say which limit what there is breaks first; empty of what is said elsewhere: no price, or a curve that does not show it."""
    name, value, limit = today.constraint, today.value, today.limit
    if name in (PRICE, EVIDENCE):
        return ""
    if limit is None:
        return f"lacks {LIMIT_WORDS.get(name, name)}"
    if value is None:
        return f"breaks a limit, as {what_is(name)} not known"
    told = what_breaks(name, value, limit)
    if IF_DIRTY in today.text:
        told = f"{IF_DIRTY}{told}"
    if name in zero.ranges:
        told = f"with as many dirty pages as possible, {told}"
    return f"breaks a limit: {told}, and {what_is_asked(name, limit)}"


def _buy(
    best: Option,
    zero: Option | None,
    left: Rejected | None = None,
    most_busy: float = 1.0,
) -> str:
    cost = best.usd_per_month
    assert cost is not None  # what has no price is not recommended
    if best.kind == "have":
        if zero is not None and zero.scheme != best.scheme:
            return f"Keep what there is, but run it differently: {named(best)}, {money(cost)} per month."
        return f"Keep what there is: {named(best)}, {money(cost)} per month."
    verb = "Rent" if best.purchase_usd == 0 else "Buy"
    if best.kind == "quotes":
        verb = "Take"
    price = f"{money(cost)} per month"
    if best.without_machine:
        price = f"{price} without the {_machine(best.machines)} they need"
    today = ""
    if best.on_existing:
        today = (
            ", on the existing machines, whose costs continue and are not in this price"
        )
    elif zero is not None:
        today = _against_today(best, cost, zero, _left(zero, left, most_busy))
    return f"{verb} {named(best)}: {price}{today}."


def _against_today(best: Option, cost: Decimal, zero: Option, left: str) -> str:
    """Say what there is costs, how much more or less that is where it follows from these costs, and why it is left."""
    now = zero.usd_per_month
    if now is None:
        why = f" and {left}" if left else ""
        return f"; what there is today costs an unknown amount{why}"
    difference = now - cost
    more = "less" if difference > 0 else "more"
    if best.without_machine:
        # What it saves or costs more depends on the machine.
        even_so = f", {money(-difference)} more even so" if difference < 0 else ""
        said = f", against {money(now)} today{even_so}"
    elif not difference:
        said = ", as much as today"
    elif amount(now) == amount(cost):
        said = f", {money(abs(difference))} {more} than today"
    else:
        said = f" against {money(now)} today, {money(abs(difference))} {more}"
    # A saving against what is too small, or breaks another limit, is said to be one.
    return f"{said}; what there is today {left}" if left else said


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
    but: str = "",
) -> str:
    """Say of how many options it is the best, `but` behind what is the cheapest, and what the best alternative costs."""
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
    # With its machine it may not be.
    of = f"{of}{but}"
    if second is None or second.usd_per_month is None or best.usd_per_month is None:
        return f"It is {what} {of}."
    beside = (
        _slower(best, second)
        if objective == "io_time"
        # Amounts that differ by cents read the same with three digits.
        else f"costs {_beside(second, best)}"
    )
    if not beside:
        return f"It is {what} {of}."
    return f"It is {what} {of}; the best alternative, {named(second)}, {beside}."


def names_alternative(because: str, second: Option | None) -> bool:
    """Whether a text says which option is the best alternative."""
    return second is not None and f"the best alternative, {named(second)}," in because


def _slower(best: Option, second: Option) -> str:
    """Say how long an access to the next fastest takes, and what it costs more or less; empty where a time is unknown."""
    first_time, next_time, by = _io_times(best, second)
    if first_time is None or next_time is None:
        return ""
    slow, fast = format_microseconds(next_time), format_microseconds(first_time)
    said = (
        f"takes as long, {fast} of I/O time per access{by}"
        if slow == fast
        else f"takes {slow} of I/O time per access{by} against {fast}"
    )
    if (
        _lacking(second) == _lacking(best)
        and second.usd_per_month == best.usd_per_month
    ):
        return said
    return f"{said} and costs {_beside(second, best)}"


def _lacking(option: Option) -> int:
    """Count the machines that the price of an option lacks."""
    return option.machines if option.without_machine else 0


def _beside(one: Option, other: Option) -> str:
    """Say how much more or less one option costs than another, or what it costs where one lacks machines; both have a price."""
    assert one.usd_per_month is not None
    assert other.usd_per_month is not None
    if _lacking(one) != _lacking(other):
        # The difference would be that of a part and a whole.
        has = not_counted(one.machines) if one.without_machine else INCLUDED
        return f"{money(one.usd_per_month)} per month, {has}"
    more = one.usd_per_month - other.usd_per_month
    if not more:
        return "as much"
    return f"{money(abs(more))} per month {'more' if more > 0 else 'less'}"


def _not_viable(infeasible: str) -> str:
    """Say in short what the text of an answer without a choice says at length."""
    for known, short in (
        ("There is no candidate", "there is no candidate"),
        ("No option is known to keep", "no option is known to keep every limit"),
    ):
        if infeasible.startswith(known):
            return f"Not viable: {short}."
    return "Not viable: no option keeps every limit."


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
    infeasible: str = "",
    unlike: bool = False,
    machines: int = 1,
    may_be_better: bool = False,
) -> str:
    """Say whether the choice is viable and the best, and which limit costs most, where that was computed.

    With `may_be_better`, options that are left out for a figure that nobody states could be better.
    """
    if not viable or best is None or best.usd_per_month is None:
        return _not_viable(infeasible)
    by_time = objective == "io_time"
    but = _but(machines, unlike=unlike and not by_time)
    every = (
        "all candidates whose figures are known" if may_be_better else "all candidates"
    )
    first = f"Viable: the best of {every}{but}."
    if best.ranges:
        return (
            "Viable whatever share of the evicted pages is dirty. With as many as possible it is the best of "
            f"{every}{but}."
        )
    if pruned:
        first = (
            f"{first} A bound left out 1 option, which is no better."
            if pruned == 1
            else f"{first} Bounds left out {counted(pruned, 'option')}, none of which is better."
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
    limit = f"the limit {on_limit(limited_by.constraint)}"
    loosest = (
        f"With {limit} at 100 %"
        if limited_by.constraint == PEAK_BUSY
        else f"Without {limit}"
    )
    return (
        f"{first} {loosest}, {_would_be(limited_by, best, machines, by_time=by_time)}"
    )


def _would_be(shadow: Shadow, best: Option, machines: int, *, by_time: bool) -> str:
    """Say what the best would be without a limit; amounts of which one lacks its machines have no difference."""
    if by_time:
        return f"an access would take {format_microseconds(shadow.io_time_us_per_access)} of I/O time."
    assert best.usd_per_month is not None
    if shadow.without_machine != best.without_machine:
        has = not_counted(machines) if shadow.without_machine else INCLUDED
        return (
            f"the cheapest would cost {money(shadow.usd_per_month)} per month, {has}."
        )
    saved = best.usd_per_month - shadow.usd_per_month
    return f"the cheapest would cost {money(saved)} per month less."
