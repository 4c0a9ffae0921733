"""Who takes which option: the tables of the core, asked by name.

An option of a policy that is chosen for a tier carries the tier before its name: with
``ram_policy=2q`` a scheme takes ``ram_k_in`` too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes
from tierwright.common.wording import listed, rate_text, three_digits
from tierwright.simulate import replay
from tierwright.simulate.erase_blocks import BLOCK_OPTION, DEVICE_BLOCKS
from tierwright.simulate.rate_options import RATE as RATE
from tierwright.simulate.rate_options import STRETCH as STRETCH
from tierwright.simulate.rate_options import spelled as spelled
from tierwright.simulate.rate_options import with_option as with_option

NO_FLASH = "none"
"""The scheme of RAM alone."""
ASSUMED: Mapping[str, tuple[str, str, str]] = {
    "lazy_cleaning": (
        "group_pages",
        "1",
        "how many pages a group of its cleaner has is assumed: the text of its authors is not among our sources",
    ),
}
"""Defaults that rest on no source of ours, by flash cache: option, the value that gains nothing by it, and why."""
STREAMS = "streams"
"""The option that keeps pages apart on a device which die otherwise than others."""
SMALL = "small"
"""The option without which the streams of CacheLib have no effect."""
NO_SMALL = "none"
"""Its value that stands for no small objects."""
LEAST_RATE, MOST_RATE = 0.01, 1e15
"""Rates that can be stated: at less, what works each second does so longer than anybody waits. [1/s]"""
PACE = 0.01
"""Share of the recorded rate up to which another one is the same."""
_BY_THE_CLOCK = (
    "it works by the clock, and what it moves in a second does not scale with the recording; only a recording of all that "
    "one machine of {owner} serves can be replayed through it"
)
BY_THE_CLOCK = _BY_THE_CLOCK.format(owner="production")
BY_THE_CLOCK_OF_OPTION = _BY_THE_CLOCK.format(owner="the option")
"""The same of an option, whose machines need not be as many as those of production."""
NO_LOAD = "it works by the clock, and the workload states no rate"
RATE_NOT_KEPT = "it works by the clock, and the rate of the recording was not kept"
_POLICY_VALUES = ("a replacement policy", "the name of a replacement policy")
_POLICY_SUFFIX = "_policy"
_OWNER, _EQUALS = ":", "="
_DOCUMENTED_PAGE_BYTES = 4096
_NUMBER = re.compile(
    r"(?P<number>\d+)(?: (?P<by>of|in) 4 KiB \((?P<size>[^)]+)\))?(?:, at most (?P<cap>.+))?"
)
"""A default of a table that depends on the sizes or the page: `128 of 4 KiB (512 KiB), at most 1/16 of flash`."""
SHARE_OF_A_UNIT = 16
"""A unit of flash is by default at most one in so many pages of it."""
_UNIT_CAP = f"1/{SHARE_OF_A_UNIT} of flash"
"""How the tables say that a unit is by default at most such a share of flash."""


def tier_of(option: Mapping[str, str]) -> str | None:
    """Return the tier whose policy an option chooses with its options; None for others.

    Examples
    --------
    >>> tier_of({"name": "ram_policy", "values": "a replacement policy"})
    'ram'
    """
    if option["values"] not in _POLICY_VALUES:
        return None
    return option["name"].removesuffix(_POLICY_SUFFIX)


def flash_cache_titles() -> dict[str, str]:
    """Return the title of every flash cache that the core replays, by name."""
    return {each["name"]: each["title"] for each in replay.contenders("flash_cache")}


AT_MOST = "at most"
"""How the reason of a default begins that a limit shrank."""


def works_by_the_clock(
    name: str, flash_pages: int, options: Mapping[str, str] | None = None
) -> bool:
    """Say whether what a flash cache of so many pages moves, with these options, depends on the time.

    Parameters
    ----------
    name : str
        As the tables write it.
    flash_pages : int
        Of the cache.
    options : mapping of str to str, optional
        That it is given; a rate of accesses among them changes nothing.

    Returns
    -------
    bool
        Such a replay of a trace without time needs the rate of its accesses.

    Raises
    ------
    BadParameter
        If there is no such cache, or it refuses the options.
    """
    return replay.flash_cache_goes_by_time(name, flash_pages, options)


def is_at_the_pace(accesses_per_s: float, recorded_per_s: float | None) -> bool:
    """Say whether a replay by the times of a recording is one at a rate: within 1 %, or if it has no times.

    Examples
    --------
    >>> (
    ...     is_at_the_pace(100.0, 99.5),
    ...     is_at_the_pace(100.0, 90.0),
    ...     is_at_the_pace(100.0, None),
    ... )
    (True, False, True)
    """
    if recorded_per_s is None:
        return True
    return abs(accesses_per_s - recorded_per_s) <= PACE * recorded_per_s


def paced(accesses_per_s: float, recorded_per_s: float | None) -> dict[str, str]:
    """Return the option with which what works by the clock is replayed at a load.

    Parameters
    ----------
    accesses_per_s : float
        The load. [1/s]
    recorded_per_s : float or None
        Mean rate of the recording; None where it has no times. [1/s]

    Returns
    -------
    dict of str to str
        The rate where the recording has no times; where they are of another load, their factor.

    Examples
    --------
    >>> paced(200.0, None), paced(200.0, 50.0), paced(200.0, 199.0)
    ({'accesses_per_second': '200'}, {'stretch': '0.25'}, {})
    """
    if recorded_per_s is None:
        return {RATE: str(max(1, round(accesses_per_s)))}
    if is_at_the_pace(accesses_per_s, recorded_per_s):
        return {}
    return {STRETCH: repr(recorded_per_s / accesses_per_s)}


def check_stated_rate(
    name: str,
    options: Mapping[str, str],
    accesses_per_s: float,
    recorded_per_s: float | None,
) -> None:
    """Refuse options that have a flash cache replayed at another rate than that which its writes are counted for.

    Parameters
    ----------
    name : str
        Of the flash cache.
    options : mapping of str to str
        As given.
    accesses_per_s, recorded_per_s : float, float or None
        The load, and that of the recording; None where it has no times. [1/s]

    Raises
    ------
    BadInput
        If `accesses_per_second` or `stretch` is of another load, by more than 1 %.

    Examples
    --------
    >>> check_stated_rate("sce", {"stretch": "2"}, 50.0, 100.0)
    """
    for option in (RATE, STRETCH):
        try:
            value = float(options[option])
            stated = value if option == RATE else (recorded_per_s or 0.0) / value
        except (KeyError, ValueError, ZeroDivisionError):
            # What is no such number is the core's to refuse.
            continue
        if stated > 0 and not is_at_the_pace(stated, accesses_per_s):
            raise BadInput(
                f"flash cache: `{name}`: the option `{option}={options[option]}` has it replayed at {rate_text(stated)} "
                f"accesses/s, and its writes are asked for at {rate_text(accesses_per_s)}",
                "leave the option out: what works by the clock is replayed at the rate that is asked for",
            )


def pace_sentences(
    replays: Iterable[tuple[str, Mapping[str, str]]],
    accesses_per_s: float | None = None,
) -> dict[str, str]:
    """Say which replays multiplied the times of a recording, and by what: a sentence for each factor.

    Parameters
    ----------
    replays : iterable of (str, mapping)
        Title and options in force of each.
    accesses_per_s : float, optional
        Rate that they were to run at. [1/s]

    Returns
    -------
    dict of str to str
        By the option `stretch`; empty where none has it.

    Examples
    --------
    >>> slow, own = {"stretch": "0.41666666666"}, {}
    >>> pace_sentences([("SCE", slow), ("LARC", own), ("L2ARC", slow)], 12_000)[
    ...     "0.41666666666"
    ... ]
    'SCE and L2ARC were replayed with recorded times multiplied by 0.417 to run at 12,000 accesses/s.'
    """
    titles: dict[str, dict[str, None]] = {}
    rates: dict[str, float | None] = {}
    for title, options in replays:
        if STRETCH in options:
            factor = options[STRETCH]
            titles.setdefault(factor, {})[title] = None
            # A factor that an option of a rate led to is that of this rate.
            rates[factor] = float(options[RATE]) if RATE in options else accesses_per_s
    return {
        factor: f"{listed(list(names))} {'was' if len(names) == 1 else 'were'} replayed with {stretched_words(factor)}"
        f"{_to_run_at(rates[factor])}."
        for factor, names in titles.items()
    }


def _to_run_at(accesses_per_s: float | None) -> str:
    return (
        ""
        if accesses_per_s is None
        else f" to run at {rate_text(accesses_per_s)} accesses/s"
    )


@dataclass(frozen=True, slots=True)
class Load:
    """At which rate a recording is replayed, and how much of the load it is.

    Attributes
    ----------
    accesses_per_s : float or None
        Of what the replay stands for; None where nothing states it. [1/s]
    recorded_per_s : float or None
        Mean rate of the recording; None where it has no times. [1/s]
    is_kept : bool
        Whether it is known that the recording has times or none.
    is_whole : bool
        Whether it is replayed at the sizes of what it stands for: what is moved in a second does not scale.
    by_the_clock : str
        Why what works by the clock is not replayed where it is not whole.
    """

    accesses_per_s: float | None
    recorded_per_s: float | None
    is_kept: bool = True
    is_whole: bool = True
    by_the_clock: str = BY_THE_CLOCK


@dataclass(frozen=True, slots=True)
class Unpaced:
    """Why what works by the clock cannot be replayed at a load, and what to do; empty where leaving it out is all."""

    reason: str
    hint: str = ""


def options_at(
    name: str, flash_pages: int, options: Mapping[str, str], load: Load
) -> dict[str, str] | Unpaced:
    """Return the options with which a flash cache is replayed at a load, or why it cannot be.

    Parameters
    ----------
    name : str
        As the tables write it.
    flash_pages : int
        Of what the replay stands for. [pages]
    options : mapping of str to str
        Its own, which go before those of `paced`.
    load : Load
        What works by no clock is replayed as it is at any.

    Raises
    ------
    BadParameter
        If there is no such cache, or it refuses the options.

    Examples
    --------
    >>> options_at("l2arc", 1000, {}, Load(200.0, 50.0))
    {'stretch': '0.25'}
    >>> options_at("larc", 1000, {}, Load(200.0, 50.0, is_whole=False))
    {}
    >>> options_at("l2arc", 1000, {}, Load(None, None)).reason
    'it works by the clock, and the workload states no rate'
    """
    if not works_by_the_clock(name, flash_pages, options):
        return dict(options)
    if load.accesses_per_s is None:
        return Unpaced(NO_LOAD, "state the rate of the workload")
    if not load.is_whole:
        return Unpaced(load.by_the_clock)
    if not load.is_kept:
        return Unpaced(RATE_NOT_KEPT, "scale the recording again")
    if load.recorded_per_s is None and not is_at_the_pace(
        max(1, round(load.accesses_per_s)), load.accesses_per_s
    ):
        return Unpaced(
            f"it works by the clock, and over a trace without times that goes at whole accesses per second, not at "
            f"{rate_text(load.accesses_per_s)}",
            "state a whole number of accesses per second",
        )
    if RATE in options:
        # The door to the core brings recorded times to it.
        return dict(options)
    return paced(load.accesses_per_s, load.recorded_per_s) | dict(options)


def paced_at(
    name: str, flash_pages: int, options: Mapping[str, str], load: Load
) -> dict[str, str]:
    """Return what `options_at` returns.

    Raises
    ------
    BadInput
        If it cannot be replayed at the load.
    """
    found = options_at(name, flash_pages, options, load)
    if isinstance(found, Unpaced):
        raise BadInput(
            f"flash cache: `{name}` cannot be replayed: {found.reason}",
            ", or ".join(filter(None, (found.hint, "leave it out"))),
        )
    return found


def at_a_stated_rate(
    asked: replay.Replay, accesses_per_s: float | None, recorded_per_s: float | None
) -> dict[str, str]:
    """Return the options of what is replayed at a rate that is stated beside it.

    Parameters
    ----------
    asked : Replay
        Of a flash cache; all others are replayed as they are.
    accesses_per_s, recorded_per_s : float or None
        As stated, and of the recording; None where nothing is stated, and where it has no times. [1/s]

    Raises
    ------
    BadInput
        If the rate is none, the options state one of their own, or what works by the clock does not go at it.
    """
    check_rate(accesses_per_s)
    given = dict(asked.options)
    if accesses_per_s is None or asked.family != "flash_cache" or not asked.flash_pages:
        return given
    for each in (RATE, STRETCH):
        if each in given:
            raise BadInput(
                f"flash cache: `{asked.name}`: the option `{each}={given[each]}` states a rate, and so does "
                f"`accesses_per_s` ({rate_text(accesses_per_s)})",
                "leave one of them out",
            )
    return paced_at(
        asked.name, asked.flash_pages, given, Load(accesses_per_s, recorded_per_s)
    )


def check_rate(accesses_per_s: float | None, place: str = "accesses_per_s") -> None:
    """Refuse a rate at which nothing can run; None states none.

    Raises
    ------
    BadInput
        If it is not above 0 and finite, or none that a replay runs at; `place` names it.
    """
    if accesses_per_s is not None and not 0 < accesses_per_s < math.inf:
        raise BadInput(
            f"{place}: `{accesses_per_s:g}` is not above 0 and finite",
            "give the page accesses per second of the running system",
        )
    if accesses_per_s is not None and not LEAST_RATE <= accesses_per_s <= MOST_RATE:
        raise BadInput(
            f"{place}: `{accesses_per_s:g}` is no rate that a replay runs at: from {LEAST_RATE:g} to {MOST_RATE:,.0f} accesses "
            "per second",
            "give the page accesses per second of the running system",
        )


def check_no_rate(accesses_per_s: float | None) -> None:
    """Refuse a stated rate of accesses where sizes are of a machine of production.

    Raises
    ------
    BadInput
        If one is stated.
    """
    if accesses_per_s is not None:
        raise BadInput(
            f"accesses_per_s: `{accesses_per_s:g}` is a second rate: the workload was scaled to production, which states that "
            "of a machine",
            "leave it out, or scale the recording to another rate",
        )


def stretched_words(factor: str) -> str:
    """Say what an option `stretch` does.

    Examples
    --------
    >>> stretched_words("0.41666666666")
    'recorded times multiplied by 0.417'
    """
    return f"recorded times multiplied by {three_digits(float(factor))}"


def with_streams() -> frozenset[str]:
    """Return the flash caches whose writes can go to several streams of a device whatever their other options, by name."""
    return with_option(STREAMS) - with_option(SMALL)


def has_streams(name: str, options: Mapping[str, str]) -> bool:
    """Say whether the writes of a flash cache, or of a page-flow scheme, can go to several streams with these options.

    Examples
    --------
    >>> has_streams("cachelib", {}), has_streams("cachelib", {"small": "0"})
    (False, True)
    """
    if name in with_streams():
        return True
    small = (value for option, value in options.items() if spelled(option) == SMALL)
    return name in with_option(STREAMS) and any(
        spelled(value.strip()) != NO_SMALL for value in small
    )


def option_names(row: Mapping[str, Any], given: Mapping[str, str]) -> list[str]:
    """Name the options that an entry of a table takes, those of its policies and of its device last.

    Parameters
    ----------
    row : mapping
        Entry of a table of the core: `policies()`, `schemes()`, ...
    given : mapping
        Options given to it, by name as in the table: they choose the policies.
    """
    policies = {policy["name"]: policy for policy in replay.contenders("policy")}
    names = [option["name"] for option in row["options"]]
    for option in row["options"]:
        tier = tier_of(option)
        if tier is None:
            continue
        policy = policies.get(spelled(given.get(option["name"], option["default"])))
        own = [] if policy is None else policy["options"]
        names += [f"{tier}_{nested['name']}" for nested in own]
    return names + [option["name"] for option in row.get("device_options", ())]


@dataclass(frozen=True, slots=True)
class FittedDefault:
    """An option that was not given and is not the number that its table states first.

    Attributes
    ----------
    name : str
        The option, as the tables write it.
    value : int
        What was in force.
    reason : str
        Why: the limit that shrank it, or the page of the trace.
    """

    name: str
    value: int
    reason: str


def fitted_defaults(
    row: Mapping[str, Any],
    *,
    given: Iterable[str],
    in_force: Mapping[str, str],
    page_bytes: int,
) -> list[FittedDefault]:
    """Return the defaults that the sizes or the page of a replay changed.

    Parameters
    ----------
    row : mapping
        Entry of a table of the core.
    given : iterable of str
        Names of the options that were given, which nothing changes.
    in_force : mapping
        `options` of the replay.
    page_bytes : int
        Of the trace. [bytes]

    Examples
    --------
    >>> row = {"options": [{"name": "ways", "default": "512, at most 1/16 of flash"}]}
    >>> fitted_defaults(row, given=(), in_force={"ways": "25"}, page_bytes=4096)
    [FittedDefault(name='ways', value=25, reason='at most 1/16 of flash; without that limit 512')]
    """
    own = {spelled(name) for name in given}
    found = []
    for option in row["options"]:
        name, default = option["name"], option["default"]
        text = in_force.get(name, "")
        leading = re.match(r"\d+", default)
        if name in own or leading is None or not text.isdecimal():
            continue
        if text != leading[0]:
            why = (
                f"{AT_MOST} 1/{DEVICE_BLOCKS} of flash; without that limit {default}"
                if name == BLOCK_OPTION
                else _why(default, int(text), page_bytes)
            )
            found.append(FittedDefault(name, int(text), why))
    return found


def with_default_units(
    name: str, options: Mapping[str, str], *, flash_pages: int, page_bytes: int
) -> dict[str, str]:
    """Return options of a flash cache, values as the tables spell them, with the units of flash that are in force by default.

    A number that is none is left out: a replay refuses it, and says why.

    Parameters
    ----------
    name : str
        Of a flash cache; of anything else there are no units.
    options : mapping
        As given.
    flash_pages : int
        Of the replay. [pages]
    page_bytes : int
        Of the trace. [bytes]

    Examples
    --------
    >>> with_default_units("bcache", {}, flash_pages=8000, page_bytes=8192)
    {'bucket_pages': '64'}
    >>> with_default_units(
    ...     "kangaroo", {"set_pages": "x"}, flash_pages=80, page_bytes=8192
    ... )["set_pages"]
    '5'
    """
    own = {
        option: value.strip() if _is_number(value) else spelled(value.strip())
        for option, value in options.items()
    }
    row = next(
        (each for each in replay.contenders("flash_cache") if each["name"] == name), {}
    )
    for option in row.get("options", ()):
        stated = _NUMBER.fullmatch(option["default"])
        if stated is None:
            continue
        if not _is_number(own.get(option["name"], "")):
            own.pop(option["name"], None)
        if stated["cap"] == _UNIT_CAP:
            unit = min(
                _in_pages(stated, page_bytes), max(1, flash_pages // SHARE_OF_A_UNIT)
            )
            own.setdefault(option["name"], str(unit))
    return own


def _is_number(text: str) -> bool:
    try:
        return 0 <= float(text) < math.inf
    except ValueError:
        return False


def documented_pages(default: str, page_bytes: int) -> int:
    """Return the number of a default as its table documents it, whatever the sizes; what is in bytes, in pages.

    Examples
    --------
    >>> documented_pages("4096 of 4 KiB (16 MiB), at most 1/16 of flash", 8192)
    2048
    """
    return _in_pages(_documented(default), page_bytes)


def documented_words(default: str) -> str:
    """Return the number of a default as its table documents it: the bytes where it is in bytes.

    Examples
    --------
    >>> documented_words("4096 of 4 KiB (16 MiB), at most 1/16 of flash")
    '16 MiB'
    >>> documented_words("64000, at most 1/16 of flash")
    '64,000'
    """
    stated = _documented(default)
    return stated["size"] or f"{int(stated['number']):,}"


def _documented(default: str) -> re.Match[str]:
    stated = _NUMBER.fullmatch(default)
    if stated is None:
        raise ValueError(f"`{default}` states no number")
    return stated


def _in_pages(stated: re.Match[str], page_bytes: int) -> int:
    """Return the number of a default; of what is so many pages of 4 KiB, in pages of the trace."""
    number = int(stated["number"])
    if stated["by"] == "of":
        number = max(1, number * _DOCUMENTED_PAGE_BYTES // page_bytes)
    return number


def _why(default: str, value: int, page_bytes: int) -> str:
    """Say why a default is not the number that its table states first."""
    stated = _NUMBER.fullmatch(default)
    if stated is None:
        return f"stated as {default}"
    number = _in_pages(stated, page_bytes)
    if stated["cap"] is not None and value < number:
        return f"{AT_MOST} {stated['cap']}; without that limit {number:,}"
    return f"{stated['size']} in pages of {format_bytes(page_bytes)}"


def options_in_force(found: Mapping[str, Any]) -> dict[str, str]:
    """Return the options of a result; of a page-flow scheme, which states none, the erase blocks of its device.

    Examples
    --------
    >>> options_in_force({"ftl": {"block_pages": 80}})
    {'ftl_block_pages': '80'}
    """
    blocks = (found.get("ftl") or {}).get("block_pages")
    device = {} if blocks is None else {BLOCK_OPTION: str(blocks)}
    return device | dict(found.get("options", {}))


def fitted_sentence(title: str, fitted: Iterable[FittedDefault]) -> str:
    """Say which defaults of a contender the sizes or the page changed, over all its replays.

    Examples
    --------
    >>> limit = "at most 1/16 of flash; without that limit 512"
    >>> fitted_sentence(
    ...     "flashcache", [FittedDefault("ways", each, limit) for each in (25, 60)]
    ... )
    'Defaults in force of flashcache: ways 25 to 60 (at most 1/16 of flash; without that limit 512).'
    >>> fitted_sentence(
    ...     "L2ARC", [FittedDefault("write_max_pages_per_s", 8192, "64 MiB")]
    ... )
    'Defaults in force of L2ARC: write_max_pages_per_s 8,192 (64 MiB).'
    >>> fitted_sentence(
    ...     "dm-cache",
    ...     [
    ...         FittedDefault("block_pages", 31, limit),
    ...         FittedDefault("block_pages", 32, "256 KiB"),
    ...     ],
    ... )
    'Defaults in force of dm-cache: block_pages 31 (at most 1/16 of flash; without that limit 512) or 32 (256 KiB).'
    """
    values: dict[str, dict[str, list[int]]] = {}
    for each in fitted:
        values.setdefault(each.name, {}).setdefault(each.reason, []).append(each.value)

    def between(seen: Sequence[int]) -> str:
        least, most = min(seen), max(seen)
        return f"{least:,}" if least == most else f"{least:,} to {most:,}"

    said = [
        f"{name} {' or '.join(f'{between(seen)} ({why})' for why, seen in of.items())}"
        for name, of in values.items()
    ]
    return f"Defaults in force of {title}: {listed(said)}." if said else ""


@dataclass(frozen=True, slots=True)
class GivenOption:
    """An option as it was written: for one contender, or for all that have it.

    Attributes
    ----------
    owner : str or None
        Name of the contender, as the tables write it; None: all that have the option.
    name : str
        The option, as the tables write it.
    value : str
        What it is set to.
    text : str
        What was written.
    """

    owner: str | None
    name: str
    value: str
    text: str


def parse_option(text: str, place: str) -> GivenOption:
    """Read ``name=value`` or ``contender:name=value``.

    Raises
    ------
    BadInput
        If it is neither.

    Examples
    --------
    >>> parse_option("2q:k_in=0.5", "--option").owner
    '2q'
    """
    key, equals, value = text.partition(_EQUALS)
    owner, colon, name = key.rpartition(_OWNER)
    if not equals or not name or not value or (colon and not owner):
        raise BadInput(
            f"{place}: `{text}` is neither KEY=VALUE nor NAME:KEY=VALUE",
            f"write {place} k_in=0.5 for all that have it, {place} 2q:k_in=0.5 for one",
        )
    return GivenOption(spelled(owner) or None, spelled(name), value, text)


def assign(
    rows: Sequence[Mapping[str, Any]], given: Sequence[GivenOption], place: str
) -> list[dict[str, str]]:
    """Give each option to the contenders that take it.

    What names its contender wins over what is for all.

    Parameters
    ----------
    rows : sequence of mapping
        The contenders: entries of the core's tables.
    given : sequence of GivenOption
        The options.
    place : str
        Where they were written.

    Returns
    -------
    list of dict
        The options of each contender.

    Raises
    ------
    BadInput
        If an option comes twice, names no contender, or nobody takes it, be it that all
        who have it are named with another value.
    """
    _refuse_twins(given, place)
    for option in given:
        if option.owner is not None and option.owner not in {r["name"] for r in rows}:
            names = ", ".join(dict.fromkeys(row["name"] for row in rows))
            raise BadInput(
                f"{place}: `{option.text}`: `{option.owner}` is not a contender here",
                f"contenders: {names}",
            )
    taken = [_of(row, given) for row in rows]
    for option in given:
        takers = [
            row["name"]
            for row, own in zip(rows, taken, strict=True)
            if option.owner in (None, row["name"]) and option.name in own
        ]
        if not takers:
            raise BadInput(
                f"{place}: `{option.text}`: no contender has the option `{option.name}`",
                _known(rows, taken),
            )
        named = {one.owner for one in given if one.owner and one.name == option.name}
        if option.owner is None and named.issuperset(takers):
            raise BadInput(
                f"{place}: `{option.text}` has no effect: each contender that has the "
                "option is given its own",
                f"leave it out, or leave out {_OWNER.join((takers[0], option.name))}",
            )
    return taken


def _refuse_twins(given: Sequence[GivenOption], place: str) -> None:
    seen = set()
    for option in given:
        key = (option.owner, option.name)
        if key in seen:
            raise BadInput(f"{place}: `{option.name}` is given twice", "give it once")
        seen.add(key)


def _of(row: Mapping[str, Any], given: Sequence[GivenOption]) -> dict[str, str]:
    """Return the options of one contender; policies first, as they bring options."""
    # The named ones come last and win.
    wanted: dict[str, str] = {}
    for option in sorted(given, key=lambda one: one.owner is not None):
        if option.owner in (None, row["name"]):
            wanted[option.name] = option.value
    names = option_names(row, wanted)
    return {name: value for name, value in wanted.items() if name in names}


def _known(rows: Sequence[Mapping[str, Any]], taken: Sequence[dict[str, str]]) -> str:
    known = [
        f"{row['name']} has {', '.join(option_names(row, own)) or 'none'}"
        for row, own in zip(rows, taken, strict=True)
    ]
    return "options: " + "; ".join(dict.fromkeys(known))
