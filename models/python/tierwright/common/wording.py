"""Figures in sentences, written as the page writes them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal


def percent(share: float) -> str:
    """Three significant digits and a space before the sign, as the page writes them."""
    return f"{three_digits(100 * share)} %"


_LEAST_SHARE = 1e-4
_NEARLY_ALL = 0.9995
"""Share from which three digits write all."""


def small_percent(share: float) -> str:
    """Write a share that may be next to nothing or next to all, which no source knows to so many digits.

    Examples
    --------
    >>> small_percent(1.5e-11), small_percent(0.99986), small_percent(1.0)
    ('under 0.01 %', 'over 99.9 %', '100 %')
    >>> small_percent(0.0), small_percent(0.123)
    ('0 %', '12.3 %')
    """
    if 0 <= share < _LEAST_SHARE:
        return "under 0.01 %" if share else "0 %"
    if _NEARLY_ALL <= share < 1:
        return "over 99.9 %"
    return percent(share)


def percent_beside(share: float, limit: float) -> str:
    """Write a share with as many digits as tell it from a limit.

    Examples
    --------
    >>> percent_beside(0.7003, 0.7), percent_beside(0.7, 0.7), percent_beside(0.4, 0.7)
    ('70.03 %', '70 %', '40 %')
    """
    for digits in range(3, 16):
        said, other = (f"{100 * each:.{digits}g}" for each in (share, limit))
        if share == limit or said != other:
            return f"{said} %"
    return percent(share)


def off(error: float) -> str:
    """Say how far a count may be off, where an error is a ratio: as much too low as too high.

    Parameters
    ----------
    error : float
        0 or more: the count may be 1 + `error` times as many, or as few. [1]

    Returns
    -------
    str
        Per cent below 100 %; from there on the ratio, because no count is 249 % too low.

    Examples
    --------
    >>> off(0.124), off(2.49)
    ('12.4 % off', 'a factor of 3.49 off')
    """
    if float(f"{error:.3g}") < 1:
        return f"{percent(error)} off"
    return f"a factor of {three_digits(1 + error)} off"


def as_many(times: float) -> str:
    """Say how many times as many there are, to be read before what says so.

    Parameters
    ----------
    times : float
        Above 0. [1]

    Examples
    --------
    >>> as_many(1.124), as_many(0.541), as_many(3.49)
    ('12.4 % more than', '45.9 % fewer than', '3.49 times what')
    """
    if times >= TWICE:
        return f"{three_digits(times)} times what"
    more = "more" if times >= 1 else "fewer"
    return f"{percent(abs(times - 1))} {more} than"


def between(
    ends: Sequence[float | None], write: Callable[[float], str], *, none: str = "-"
) -> str:
    """Write a range; an end that is None is not known, or there is none. Ends that read alike are written once.

    Examples
    --------
    >>> between((0.4, 1.6), three_digits), between((5.0, None), three_digits)
    ('0.400 to 1.60', '5.00 or more')
    >>> between((25.11, 25.12), three_digits)
    '25.1'
    """
    low, high = ends
    if low is None:
        return none if high is None else f"up to {write(high)}"
    if high is None:
        return f"{write(low)} or more"
    least, most = write(low), write(high)
    return least if least == most else f"{least} to {most}"


def three_digits(value: float) -> str:
    """Three significant digits, as the page shows figures."""
    rounded = float(f"{value:.3g}")
    magnitude = math.floor(math.log10(rounded)) if rounded > 0 else 0
    return f"{rounded:,.{max(0, 2 - magnitude)}f}"


MANY_TIMES = 10
"""Multiple of a figure from which it reads better than per cent."""
TWICE = 2
"""Multiple of a count from which it reads better than per cent more."""
FEW = 0.095
"""Share below which per cents have a digit behind the point. [1]"""
LEAST_CHANGE = 0.0005
"""Share below which a change of a figure is none. [1]"""
FROM_ZERO = -math.inf
"""A change from 0 to more, of which no share can be given."""


def relative_change(before: float, after: float) -> float:
    """Change of a figure as a share of what it was.

    Parameters
    ----------
    before, after : float
        0 or more; infinite where the figure has no bound.

    Returns
    -------
    float
        0 where both are equal, infinite where it loses its bound, `FROM_ZERO` where it was 0. [1]

    Examples
    --------
    >>> (
    ...     relative_change(2.0, 3.0),
    ...     relative_change(0.0, 0.0),
    ...     relative_change(2.0, math.inf),
    ... )
    (0.5, 0.0, inf)
    >>> relative_change(0.0, 3.0) == FROM_ZERO
    True
    """
    if before == after:
        return 0.0
    if math.isinf(after):
        return math.inf
    return after / before - 1 if before > 0 else FROM_ZERO


def changed(change: float, figure: str) -> str:
    """Say a change of a figure.

    Parameters
    ----------
    change : float
        As `relative_change` gives it. [1]
    figure : str
        Such as `I/O time`.

    Examples
    --------
    >>> changed(0.34, "I/O time"), changed(0.0, "I/O time"), changed(12.0, "I/O time")
    ('+34 % I/O time', 'no change of I/O time', '13 times the I/O time')
    >>> changed(math.inf, "I/O time"), changed(FROM_ZERO, "I/O time")
    ('unlimited I/O time', 'I/O time, from 0')
    """
    if change == FROM_ZERO:
        return f"{figure}, from 0"
    if abs(change) < LEAST_CHANGE:
        return f"no change of {figure}"
    if math.isinf(change):
        return f"unlimited {figure}"
    if change >= MANY_TIMES - 1:
        return f"{change + 1:,.0f} times the {figure}"
    return f"{'+' if change > 0 else '-'}{whole_percent(abs(change))} {figure}"


def whole_percent(share: float) -> str:
    """Whole per cents, with a digit behind the point where there are few of them.

    Examples
    --------
    >>> whole_percent(0.34), whole_percent(0.034)
    ('34 %', '3.4 %')
    """
    return f"{100 * share:,.{0 if share >= FEW else 1}f} %"


WHOLE_RATE = 100
"""Rate from which on decimals say nothing."""


def rate_text(rate: float) -> str:
    """Write a rate in whole numbers, or with three digits where it is small.

    Examples
    --------
    >>> rate_text(1097403.2), rate_text(2.5), rate_text(0)
    ('1,097,403', '2.50', '0')
    """
    return f"{rate:,.0f}" if rate >= WHOLE_RATE or rate == 0 else three_digits(rate)


def counted(count: float | Decimal | str, one: str, many: str | None = None) -> str:
    """Write a count with what it counts, in the singular for 1 and in the plural for the rest.

    Parameters
    ----------
    count : float, Decimal or str
        A whole number, 0 or more, shown with thousands separators and without decimals; or a
        text, shown as it is: `"2.5"`.
    one : str
        What follows 1: a noun, or all of the sentence that changes with the number.
    many : str, optional
        What follows any other number; unless given, the regular plural of `one`.

    Examples
    --------
    >>> counted(1, "bad record"), counted(0, "access"), counted(1200, "entry")
    ('1 bad record', '0 accesses', '1,200 entries')
    >>> counted(1, "run is waiting", "runs are waiting")
    '1 run is waiting'
    """
    text = count if isinstance(count, str) else f"{count:,.0f}"
    if text == "1":
        return f"1 {one}"
    return f"{text} {_plural(one) if many is None else many}"


def _plural(noun: str) -> str:
    if re.search(r"(s|x|ch|sh)$", noun):
        return f"{noun}es"
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def listed(names: Sequence[str]) -> str:
    """Write `A, B and C`; with semicolons where a name has a comma of its own."""
    *others, last = names
    if not others:
        return last
    if any("," in name for name in names):
        return (
            f"{'; '.join(others)}; and {last}"
            if others[1:]
            else f"{others[0]} and {last}"
        )
    return f"{', '.join(others)} and {last}"


_SHARE = re.compile(r"\d[\d,.]*(?= %)")


def by_reason(said: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Group names by the reason that holds of them; reasons that differ in shares alone are one, with the range of each share.

    Parameters
    ----------
    said : iterable of (str, str)
        Names, each with its reason.

    Examples
    --------
    >>> by_reason(
    ...     [("a", "holds 795 % of it"), ("b", "no"), ("c", "holds 1,190 % of it")]
    ... )
    {'holds 795 % to 1,190 % of it': ['a', 'c'], 'no': ['b']}
    """
    groups: dict[str, list[tuple[str, str]]] = {}
    for name, reason in said:
        groups.setdefault(_SHARE.sub("", reason), []).append((name, reason))
    return {
        _in_one([reason for _, reason in group]): list(
            dict.fromkeys(name for name, _ in group)
        )
        for group in groups.values()
    }


def _in_one(reasons: Sequence[str]) -> str:
    """Write reasons that differ in shares alone as one, with the range of each share."""
    columns = iter(zip(*(_SHARE.findall(each) for each in reasons), strict=True))

    def ends(_: re.Match[str]) -> str:
        shares = sorted(next(columns), key=lambda each: float(each.replace(",", "")))
        return " % to ".join(dict.fromkeys((shares[0], shares[-1])))

    return _SHARE.sub(ends, reasons[0])


def notes_of_replays(said: Iterable[tuple[str, str, str]]) -> list[str]:
    """Say what replays say of what they counted, each once with the replays that say it.

    Parameters
    ----------
    said : iterable of (str, str, str)
        Name of the replay, message, hint.

    Examples
    --------
    >>> notes_of_replays(
    ...     [("LARC", "no writes", "add some"), ("CAC", "no writes", "add some")]
    ... )
    ['LARC and CAC: no writes; add some.']
    """
    names: dict[tuple[str, str], dict[str, None]] = {}
    for name, message, hint in said:
        names.setdefault((message, hint), {})[name] = None
    return [
        f"{listed(list(of))}: {message}{f'; {hint}' if hint else ''}."
        for (message, hint), of in names.items()
    ]


def duration_us(time_us: float) -> str:
    """Say how long it takes, in the unit of its size, with three digits."""
    for factor, unit in ((1e6, "s"), (1e3, "ms")):
        if time_us >= factor:
            return f"{three_digits(time_us / factor)} {unit}"
    return f"{three_digits(time_us)} µs"


LONGER = ((86_400, "days"), (3600, "hours"), (60, "minutes"))
"""Units of long times, the longest first: their seconds, and their names."""


def duration(seconds: float, *, second: str = "s") -> str:
    """Say how long it takes, in the largest unit that it has at least two of.

    Parameters
    ----------
    seconds : float
        [s]
    second : str
        What the unit of a short time is called.

    Examples
    --------
    >>> duration(90), duration(7200), duration(1.5, second="seconds")
    ('90.0 s', '2.00 hours', '1.50 seconds')
    """
    size, unit = duration_unit(seconds)
    return f"{three_digits(seconds / size)} {unit or second}"


def duration_unit(seconds: float) -> tuple[int, str]:
    """Return the seconds of the unit in which a duration is written, and its name; that of seconds is empty.

    >>> duration_unit(90), duration_unit(7200)
    ((1, ''), (3600, 'hours'))
    """
    return next((each for each in LONGER if seconds >= 2 * each[0]), (1, ""))


def sentences(*said: str) -> str:
    """Join sentences that there are, with a space between them.

    >>> sentences("One.", "", "Two.")
    'One. Two.'
    """
    return " ".join(each for each in said if each)
