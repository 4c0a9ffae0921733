"""Why an option is rejected, or why no option is left: which limits conflict, what is unknown, what has no price, and what would be enough."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from tierwright.advise.advice._words.limits import (
    IF_DIRTY,
    LIMIT_WORDS,
    behind_name,
    in_heading,
    kept_limit,
    on_limit,
    stated_limit,
    what_breaks,
    what_is,
    what_is_asked,
)
from tierwright.advise.advice._words.names import named
from tierwright.advise.advice.found import Option, Rejected
from tierwright.advise.advice.request import BOUGHT_ALONE
from tierwright.common.wording import listed
from tierwright.evaluate.advice.limits import (
    CONSTRAINTS,
    EVIDENCE,
    LIFE,
    POWER,
    PRICE,
    RESPONSES,
    TIMES,
    UNITS,
)
from tierwright.evaluate.configurations.columns import ELECTRICITY

KNOWN_OF = {
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
        (_NOT_STATED if has_chassis else KNOWN_OF)[name]
        for name in names
        if name in KNOWN_OF
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


def today_breaks_text(names: Sequence[str]) -> str:
    """Say which limits what there is breaks, where their values are known of nothing else.

    Examples
    --------
    >>> today_breaks_text(["power_watts"])
    'No option is known to keep every limit: what there is breaks the limit on the power of the servers.'
    """
    limits = "the limit" if len(names) == 1 else "the limits"
    return f"No option is known to keep every limit: what there is breaks {limits} {listed([on_limit(name) for name in names])}."


def infeasible_text(
    conflict: Sequence[str], *, dirty: bool = False, is_known: bool = True
) -> str:
    """Say which limits conflict.

    Parameters
    ----------
    conflict : sequence of str
        Their names.
    dirty : bool
        Whether nobody said which evicted pages are dirty: the limits were held with as many as possible.
    is_known : bool
        Whether each option breaks one of them by a value that is known.

    Examples
    --------
    >>> infeasible_text(["response_p50_us"])
    'No option keeps every limit: each breaks the limit on the median response time in the busiest hour.'
    >>> infeasible_text(["response_p50_us", "machines"], is_known=False)
    'No option is known to keep every limit: of each, at least one of the limits on the median response time in the busiest hour and on machines is broken, or what it limits is unknown.'
    """
    if not conflict:
        return "There is no candidate: nothing that may be bought is priced and holds the data."
    if dirty:
        said = infeasible_text(conflict, is_known=is_known)
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
    if not is_known:
        which = (
            f"the limit {limits[0]} is"
            if len(limits) == 1
            else f"at least one of the limits {listed(limits)} is"
        )
        with_ = f"each that has {listed(needs)}" if needs else "each"
        return f"No option is known to keep every limit: of {with_}, {which} broken, or what it limits is unknown."
    if len(limits) == 1:
        return f"No option keeps every limit: {each} the limit {limits[0]}."
    return f"No option keeps every limit: {each} at least one of the limits {listed(limits)}."


def infeasible_heading(
    conflict: Sequence[str],
    constraints: Mapping[str, Decimal],
    *,
    dirty: bool = False,
    is_known: bool = True,
) -> str:
    """Say in short which limits conflict, with their values; empty where that is no shorter than `infeasible_text`.

    Parameters
    ----------
    conflict : sequence of str
        Their names.
    constraints : mapping of str to Decimal
        What is stated, by name.
    dirty, is_known
        As of `infeasible_text`.

    Examples
    --------
    >>> both = {"usd_per_month": Decimal(500), "response_p99_us": Decimal(200)}
    >>> infeasible_heading(("usd_per_month", "response_p99_us"), both)
    'No option keeps both limits: 500 USD per month and 200 µs at the 99th percentile.'
    >>> infeasible_heading(("usd_per_month",), both, is_known=False)
    'No option is known to keep the limit of 500 USD per month.'
    """
    limits = [name for name in conflict if name in CONSTRAINTS]
    if (
        not limits
        or EVIDENCE in conflict
        or any(name not in constraints for name in limits)
    ):
        return ""
    needs = [
        LIMIT_WORDS.get(name, name) for name in conflict if name not in CONSTRAINTS
    ]
    values = listed([in_heading(name, constraints[name]) for name in limits])
    which = {
        1: f"the limit of {values}",
        2: f"both limits: {values}",
    }.get(len(limits), f"all of these limits: {values}")
    has = f" that has {listed(needs)}" if needs else ""
    keeps = "keeps" if is_known else "is known to keep"
    said = f"o option{has} {keeps} {which}."
    return (
        f"With as many evicted pages dirty as possible, n{said}"
        if dirty
        else f"N{said}"
    )


def without_price_text(
    title: str, unpriced: Sequence[str], others: Sequence[str] = ()
) -> str:
    """Say what of the option that breaks least has no price, and what else it breaks; empty where that is not known.

    Examples
    --------
    >>> without_price_text("2 x a, each with 1 x b", ["a"])
    'The nearest is 2 x a, each with 1 x b: a has no price.'
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
    unrated: str = "",
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
    unrated : str
        Which rates of its devices no source states; empty where that is not known.
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
        return (
            f"{named(option)}: {unrated}."
            if name == TIMES and unrated
            else f"{named(option)} lacks {what}."
        )
    if by_bound:
        return f"{named(option)}: its {what} exceeds the {stated_limit(name, limit)} allowed even if nothing waits."
    asked = what_is_asked(name, limit)
    if value is None:
        why = option.response_reason if name in RESPONSES else ""
        said = f"{named(option)}: {what_is(name)} unknown"
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
    return f"{named(option)}: {when}{what_breaks(name, value, limit)}; {asked}."


def today_of(rejected: Iterable[Rejected]) -> Rejected | None:
    """Return what there is where it is rejected; None where it is not."""
    return next((each for each in rejected if each.option.kind == "have"), None)


def today_text(rejected: Iterable[Rejected]) -> str:
    """Say why what there is is rejected too, where no option keeps every limit; empty where it was not stated."""
    today = today_of(rejected)
    if today is None:
        return ""
    return f"What there is today is rejected too: {today.text}"
