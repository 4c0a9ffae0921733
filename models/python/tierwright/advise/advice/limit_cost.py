"""What a limit costs, as the text of the command and the report show it: which limits, which steps, in which words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from tierwright.advise.advice._words import (
    LIMIT_WORDS,
    behind_name,
    kept_limit,
    limit_value,
    with_flow,
)
from tierwright.advise.advice.found import Staircase, StaircaseStep
from tierwright.common.currency import money
from tierwright.common.errors import BadInput
from tierwright.common.units import format_microseconds
from tierwright.evaluate.advice.limits import DEFAULT_PEAK_BUSY, LEAST, PEAK_BUSY
from tierwright.evaluate.configurations.front import spread

TITLE = "What a limit costs"
MEANING = "what each value of it buys, all other limits as asked, by the model"
NOT_COMPUTED = (
    "What other limits would buy was not computed: it is left out where a replay decided against the model, and where "
    "the curve does not say which evicted pages are dirty."
)
MOST_ROWS = 8
"""Steps of one limit that a table shows; the neighbours and the ends are five of them."""


@dataclass(frozen=True, slots=True)
class Writers:
    """How values of limits, amounts a month and times are written.

    Attributes
    ----------
    limit, step : callable
        Of the name of a constraint and a value: one that was asked, and one from which on a step is bought.
    month, time : callable
        Of an amount in USD a month, and of µs.
    """

    limit: Callable[[str, float], str]
    step: Callable[[str, float], str]
    month: Callable[[Decimal], str]
    time: Callable[[float], str]


SENTENCES = Writers(
    limit_value,
    kept_limit,
    lambda usd: f"{money(usd)} per month",
    format_microseconds,
)
"""Three digits, in the currency that is shown; a limit of money to the cent."""


def title(name: str) -> str:
    """Name a limit, with a capital.

    Examples
    --------
    >>> title("ram_bytes"), title("io_time_us_per_access")
    ('RAM', 'I/O time of an access')
    """
    words = LIMIT_WORDS.get(name, name.replace("_", " "))
    return words[:1].upper() + words[1:]


def bound(name: str) -> str:
    """Say on which side of its value a limit holds."""
    return "at least" if name in LEAST else "at most"


def stated(found: Iterable[Staircase]) -> list[Staircase]:
    """Return those of limits that were stated; of the busy share that holds unless stated, where it costs something.

    Parameters
    ----------
    found : iterable of Staircase
    """
    return [each for each in found if each.limit is not None and _is_asked(each)]


def _is_asked(found: Staircase) -> bool:
    if found.constraint != PEAK_BUSY or found.limit != DEFAULT_PEAK_BUSY:
        return True
    at = asked_step(found)
    return bool(found.steps) and at != len(found.steps) - 1


def shown(found: Iterable[Staircase], objective: str) -> list[Staircase]:
    """Return those that a report shows: of limits that were stated, and of the other of money and time.

    Parameters
    ----------
    found : iterable of Staircase
    objective : str
        What was to be least.
    """
    other = "usd_per_month" if objective == "io_time" else "io_time_us_per_access"
    every = list(found)
    some = stated(every)
    return [each for each in every if each in some or each.constraint == other]


def asked_step(found: Staircase) -> int | None:
    """Return which step the limit that was asked buys, the loosest where none was; None where it buys nothing known.

    Parameters
    ----------
    found : Staircase
    """
    if not found.steps:
        return None
    if found.limit is None:
        return len(found.steps) - 1
    try:
        step = found.at(found.limit)
    except BadInput:
        return None
    return None if step is None else found.steps.index(step)


def some_steps(found: Staircase, most: int = MOST_ROWS) -> list[int]:
    """Pick steps to show: the one that was asked, its neighbours, both ends, and others spread evenly.

    Parameters
    ----------
    found : Staircase
    most : int
        At least 7.
    """
    number = len(found.steps)
    if number <= most:
        return list(range(number))
    at = asked_step(found)
    near = () if at is None else (at - 1, at, at + 1)
    kept = {0, number - 1, *(each for each in near if 0 <= each < number)}
    others = np.asarray([each for each in range(number) if each not in kept])
    kept.update(spread(others, most - len(kept)).tolist())
    return sorted(kept)


def finding(found: Staircase, objective: str, write: Writers = SENTENCES) -> str:
    """Say what both ends of a staircase buy, without a full stop.

    Parameters
    ----------
    found : Staircase
    objective : str
    write : Writers
    """
    name = title(found.constraint)
    if not found.steps:
        return f"{name}: not known"
    tightest, loosest = found.steps[0], found.steps[-1]

    def at(step: StaircaseStep) -> str:
        return write.step(found.constraint, step.value or 0.0)

    if len(found.steps) == 1:
        if tightest.value is None:
            return f"{name}: no limit changes what is recommended"
        if found.constraint in LEAST:
            return f"{name}: the same choice at every limit up to {at(tightest)}"
        return f"{name}: the same choice at every limit from {at(tightest)} on"

    def said(step: StaircaseStep) -> str:
        if objective == "io_time":
            return f"leaves {write.time(step.io_time_us_per_access)} of I/O time per access"
        return f"costs {write.month(step.usd_per_month)}"

    tight = f"of {at(tightest)}"
    if tightest.value is None:
        tight = "however large" if found.constraint in LEAST else "however small"
    return f"{name}: a limit of {at(loosest)} {said(loosest)}, one {tight} {said(tightest)}"


def known_ends(found: Staircase, write: Writers = SENTENCES) -> str:
    """Say beyond which limits it is not known what is bought; empty where it is known of all.

    Parameters
    ----------
    found : Staircase
    write : Writers
    """
    ends = [
        f"{word} than {write.step(found.constraint, end)}"
        for word, end in (
            ("tighter", found.tightest_known),
            ("looser", found.loosest_known),
        )
        if end is not None
    ]
    if not ends or not found.steps:
        return ""
    return f"What limits {' or '.join(ends)} buy is not computed here; ask again with such a limit."


def may_be_kept(
    name: str, constraints: Collection[str], conflict: Collection[str]
) -> bool:
    """Whether some option may keep a limit that none keeps together with the others.

    Parameters
    ----------
    name : str
        Of the limit.
    constraints : collection of str
        All limits that hold.
    conflict : collection of str
        Limits that no option keeps together, each of which is needed; empty where they are not known.

    Examples
    --------
    >>> both = ("ram_bytes", "usd_per_month")
    >>> may_be_kept("ram_bytes", both, both), may_be_kept("ram_bytes", both, both[:1])
    (True, False)
    """
    held = {*constraints}
    return held != {name} and held & {*conflict} != {name}


def beside(
    found: Staircase,
    objective: str,
    write: Writers = SENTENCES,
    *,
    kept_without: bool = False,
) -> str:
    """Say what the next looser and the next tighter value of a limit that was stated buy; empty where that is unknown.

    Parameters
    ----------
    found : Staircase
        With a limit.
    objective : str
    write : Writers
    kept_without : bool
        `may_be_kept` of it: then what rules every option out may be another limit.
    """
    if found.limit is None or not found.steps:
        return ""
    name = found.constraint
    try:
        step = found.at(found.limit)
    except BadInput:
        return ""
    words = f"{title(name)} {bound(name)} {behind_name(name, write.limit(name, found.limit))}"
    tightest = found.steps[0].value
    if step is None:
        if tightest is None:
            return ""
        others, them = (
            (" with the other limits", " with them") if kept_without else ("", "")
        )
        return (
            f"{words}: no option keeps it{others}. The tightest limit that one keeps{them} is "
            f"{write.step(name, tightest)}."
        )
    at = found.steps.index(step)
    sides = [_looser(found, at, objective, write)]
    if at > 0 or step.value != 0:
        # No limit is below 0: of an option that keeps it there is nothing more to say.
        sides.append(_tighter(found, at, objective, write))
    return f"{words}: {'; '.join(sides)}."


def _looser(found: Staircase, at: int, objective: str, write: Writers) -> str:
    if at + 1 == len(found.steps):
        return (
            "no looser limit changes the choice"
            if found.loosest_known is None
            else "what looser limits buy is not computed here"
        )
    step, other = found.steps[at], found.steps[at + 1]
    saved = _more(other, step, objective, write)
    return f"{_buys(found, other, write)} and saves {saved}"


def _tighter(found: Staircase, at: int, objective: str, write: Writers) -> str:
    step = found.steps[at]
    if step.value is None:
        return "no tighter limit changes the choice"
    if at == 0:
        value = write.step(found.constraint, step.value)
        return (
            f"{value} is the tightest limit that an option keeps"
            if found.tightest_known is None
            else f"what limits tighter than {value} buy is not computed here"
        )
    other = found.steps[at - 1]
    more = _more(step, other, objective, write)
    return f"{_buys(found, other, write)} and costs {more} more"


def _buys(found: Staircase, step: StaircaseStep, write: Writers) -> str:
    choice = with_flow(step.name, step.scheme)
    if step.value is None:
        return f"whatever the limit, {choice} keeps it"
    return f"a limit of {write.step(found.constraint, step.value)} buys {choice}"


def _more(
    less: StaircaseStep, more: StaircaseStep, objective: str, write: Writers
) -> str:
    """By how much one step is worse than another: in what is to be least, or in the other where that is equal."""
    usd = more.usd_per_month - less.usd_per_month
    us = more.io_time_us_per_access - less.io_time_us_per_access
    if not usd and not us:
        return "nothing"
    if us if objective == "io_time" else not usd:
        return f"{write.time(us)} of I/O time per access"
    return write.month(usd)
