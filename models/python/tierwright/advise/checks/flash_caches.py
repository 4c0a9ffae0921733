"""Flash caches beside the page-flow schemes of an answer: there is no formula for them, so they are replayed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tierwright.advise.checks.checked import (
    REPLAYED,
    Checked,
    CheckedFigure,
    at_recorded_sizes,
    not_checked,
    row,
)
from tierwright.advise.checks.flash_life import (
    FlashLife,
    about_lives,
    life_of,
    rate_of,
)
from tierwright.advise.checks.points import (
    DEVICE_OPTIONS,
    Counters,
    Replay,
    recorded_replays,
)
from tierwright.advise.decide import replayed_by_key
from tierwright.advise.point import scheme_titles
from tierwright.common.errors import BadInput
from tierwright.common.units import format_microseconds
from tierwright.common.wording import listed, notes_of_replays, percent, sentences
from tierwright.evaluate.page_flow.decision import (
    replay_points,
    warm_up_of,
    with_writes,
)
from tierwright.evaluate.page_flow.results import Evaluation
from tierwright.evaluate.ram_tax import RamTax, tax_of_replay, taxes_of, words
from tierwright.evaluate.scale.replays import (
    caches_apart,
    recorded_accesses,
    writes_factor,
)
from tierwright.hardware.device import Device
from tierwright.profile.curve import Curve
from tierwright.profile.production import Scaled
from tierwright.simulate.contenders import (
    STREAMS,
    STRETCH,
    Load,
    assign,
    at_a_stated_rate,
    check_no_rate,
    check_stated_rate,
    flash_cache_titles,
    pace_sentences,
    paced_at,
    parse_option,
    with_default_units,
    works_by_the_clock,
)
from tierwright.simulate.priced import (
    ReplayCost,
    about_batches_text,
    flash_pages_written,
    price,
)
from tierwright.simulate.replay import contenders
from tierwright.trace.reading import OnProgress, Trace

CacheOptions = Mapping[str, Mapping[str, str]]
"""Options by flash cache."""
NO_DEVICE = (
    "counts what a device under the flash cache writes, which this check does not show",
    "leave it out, and ask how long flash lasts, whose check has such a device",
)
"""Why an option of the device is refused where no answer has one, and what to do."""
IO_TIME = "I/O time"
PART = f"{IO_TIME}: "
"""Begins the figure of one kind of operation."""
AMPLIFICATION, LIFE = "write amplification", "life"
EQUAL = 0.01
"""Share of the I/O time below which a lead does not matter. [1]"""
UNIT = "µs/access"


def flash_cache_replays(
    names: Sequence[str],
    *,
    ram_pages: int,
    flash_pages: int,
    start: str,
    accesses: int,
    options: CacheOptions | None = None,
) -> dict[str, Replay]:
    """Return the replays of flash caches at one pair of sizes.

    Parameters
    ----------
    names : sequence of str
        Flash caches.
    ram_pages, flash_pages : int
        RAM that is left to pages, and flash. [pages]
    start : str
        `steady` warms the caches with the first half of the trace; `cold` counts all of it.
    accesses : int
        Of the trace.
    options : mapping, optional
        Of `options_of_caches`; unless given, the defaults.

    Raises
    ------
    BadInput
        If there is no such flash cache, or no flash.
    """
    found = {}
    for name in names:
        _check_known(name)
        if flash_pages == 0:
            raise BadInput(
                f"flash cache: `{name}` has no flash to use",
                "give a flash size above 0",
            )
        found[name] = Replay(
            "flash_cache",
            name,
            ram_pages,
            flash_pages,
            warm_up_of(start, accesses),
            dict((options or {}).get(name, {})),
        )
    return found


def options_of_caches(
    names: Sequence[str],
    given: Sequence[str],
    place: str,
    *,
    device: tuple[str, str] | None = NO_DEVICE,
) -> dict[str, dict[str, str]]:
    """Give options to flash caches that are replayed.

    Parameters
    ----------
    names : sequence of str
        Flash caches.
    given : sequence of str
        ``name=value`` for all that have the option, ``cache:name=value`` for one.
    place : str
        Where they were written, for errors.
    device : (str, str) or None
        Why an option of the device under them is refused, and what to do; None takes them.

    Returns
    -------
    dict
        Options by flash cache, of each.

    Raises
    ------
    BadInput
        If a flash cache is unknown, or an option is none of theirs, or one of the device under them; if there are options
        and no flash caches.

    Examples
    --------
    >>> given = ["cachelib:small=0", "small_percent=4"]
    >>> options_of_caches(["larc", "cachelib"], given, "options")
    {'larc': {}, 'cachelib': {'small_percent': '4', 'small': '0'}}
    """
    options = [parse_option(text, place) for text in given]
    for option in options:
        if device is not None and (
            option.name == STREAMS or option.name.startswith(DEVICE_OPTIONS)
        ):
            why, hint = device
            raise BadInput(f"{place}: `{option.text}`: {why}", hint)
    if options and not names:
        raise BadInput(
            f"{place}: `{options[0].text}`: no flash cache is replayed that could have it",
            "name the flash caches to replay, or leave it out",
        )
    rows = {row["name"]: row for row in contenders("flash_cache")}
    for name in names:
        _check_known(name)
    return dict(
        zip(names, assign([rows[name] for name in names], options, place), strict=True)
    )


def at_the_load(
    names: Sequence[str],
    options: CacheOptions,
    *,
    flash_pages: int,
    accesses_per_s: float,
    recorded_per_s: float | None,
) -> dict[str, dict[str, str]]:
    """Have flash caches that work by the clock replayed at a load.

    What they move in a second, such as what SCE promotes, counts for fewer accesses the lower the load is.

    Parameters
    ----------
    names : sequence of str
        Flash caches.
    options : mapping
        Their options.
    flash_pages : int
        [pages]
    accesses_per_s, recorded_per_s : float, float or None
        The load, and that of the recording; None where it has no times. [1/s]

    Returns
    -------
    dict
        Options by flash cache, with those of `paced`, unless they are stated.

    Raises
    ------
    BadInput
        If there is no such flash cache, it does not go at such a rate, or its options state another load.
    """
    found = {}
    load = Load(accesses_per_s, recorded_per_s)
    for name in names:
        _check_known(name)
        own = dict(options.get(name, {}))
        if flash_pages > 0:
            if works_by_the_clock(name, flash_pages, own):
                check_stated_rate(name, own, accesses_per_s, recorded_per_s)
            own = paced_at(name, flash_pages, own, load)
        found[name] = own
    return found


def at_a_rate(
    replays: Mapping[str, Replay],
    accesses_per_s: float | None,
    recorded_per_s: float | None,
) -> dict[str, Replay]:
    """Have replays of flash caches go at a rate that is stated beside them, by `at_a_stated_rate`."""
    return {
        name: replace(
            each, options=at_a_stated_rate(each, accesses_per_s, recorded_per_s)
        )
        for name, each in replays.items()
    }


def _check_known(name: str) -> None:
    titles = flash_cache_titles()
    if name not in titles:
        raise BadInput(
            f"flash cache: `{name}` is unknown", f"one of {', '.join(titles)}"
        )


def evaluation_replays(
    found: Evaluation,
    names: Sequence[str],
    *,
    accesses: int,
    options: CacheOptions | None = None,
) -> dict[str, Replay]:
    """Return the replays of flash caches at the sizes of an evaluation: with the RAM that its metadata leave.

    Parameters
    ----------
    found : Evaluation
        Of all schemes at the point.
    names : sequence of str
        Flash caches.
    accesses : int
        Of the trace.
    options : mapping, optional
        Of `options_of_caches`; unless given, the defaults.

    Raises
    ------
    BadInput
        As `flash_cache_replays`.
    """
    return flash_cache_replays(
        names,
        ram_pages=found.inputs["ram_pages_with_flash"],
        flash_pages=found.inputs["flash_pages"],
        start=found.start,
        accesses=accesses,
        options=options,
    )


def replayed(
    found: Evaluation,
    curve: Curve,
    trace: Trace,
    names: Sequence[str],
    *,
    flash: Device,
    disk: Device,
    options: CacheOptions | None = None,
    recorded_per_s: float | None = None,
    accesses_per_s: float | None = None,
    on_progress: OnProgress | None = None,
) -> Checked:
    """Replay the trace of an evaluation under every scheme and under flash caches.

    Parameters
    ----------
    found : Evaluation
        By the model.
    curve : Curve
        That was evaluated: of a recording, or scaled from one.
    trace : Trace
        The recording.
    names : sequence of str
        Flash caches.
    flash, disk : Device
        Their service times price the operations.
    options : mapping, optional
        Of `options_of_caches`; unless given, the defaults.
    recorded_per_s : float, optional
        Accesses per second of the trace; None where it has no times. [1/s]
    accesses_per_s : float, optional
        Rate that flash wears at, and at which what works by the clock is replayed. [1/s]
    on_progress : callable, optional
        See `OnProgress`; False cancels.

    Raises
    ------
    BadInput
        If the trace is another one than that of the curve, or a replay is impossible; if a rate is none, or stated beside
        that of production.
    Cancelled
        If progress asked to stop.
    """
    if curve.scaled is not None:
        check_no_rate(accesses_per_s)
    accesses = (
        curve.accesses if curve.scaled is None else recorded_accesses(curve.scaled)
    )
    points = {
        name: Replay("scheme", name, at.ram_pages, at.flash_pages, at.warm_up)
        for name, at in replay_points(found).items()
    }
    caches = evaluation_replays(
        found,
        standing_for(names, curve.scaled),
        accesses=accesses,
        options=options,
    )
    wanted, sizes = recorded_replays(
        points | at_a_rate(caches, accesses_per_s, recorded_per_s),
        curve.scaled,
        page_bytes=curve.page_bytes,
    )
    if sizes is not None and sizes.refuses:
        return not_checked(sizes)
    counters = replayed_by_key(
        curve,
        trace,
        {name: each.configuration() for name, each in wanted.items()},
        warm_up=warm_up_of(found.start, accesses),
        on_progress=on_progress,
    )
    made = check(
        found,
        counters,
        flash=flash,
        disk=disk,
        options=options,
        recorded_per_s=recorded_per_s,
        production_per_s=None
        if curve.scaled is None
        else curve.scaled.machine_accesses_per_s,
        stated_per_s=accesses_per_s,
        scaled=curve.scaled,
        asked=names,
    )
    return at_recorded_sizes(made, sizes, writes_of=curve.scaled)


def standing_for(names: Sequence[str], scaled: Scaled | None) -> Sequence[str]:
    """Return the flash caches whose replays stand for production: none where its writes are others than those of the recording."""
    return () if caches_apart(scaled) else names


def check(
    found: Evaluation,
    counters: Mapping[str, Counters],
    *,
    flash: Device,
    disk: Device,
    options: CacheOptions | None = None,
    recorded_per_s: float | None = None,
    production_per_s: float | None = None,
    stated_per_s: float | None = None,
    scaled: Scaled | None = None,
    asked: Sequence[str] = (),
) -> Checked:
    """Put the I/O times of all schemes beside their replays, and those of flash caches besides.

    Parameters
    ----------
    found : Evaluation
        By the model.
    counters : mapping of str to counters
        Of the replay of each scheme; further ones are of flash caches.
    flash, disk : Device
        Their service times price the operations.
    options : mapping, optional
        That flash caches were given.
    recorded_per_s, production_per_s : float, optional
        Accesses per second of the trace, and of a machine of production that it stands for: how long flash lasts goes
        by the second, else by a rate that is stated, else by the first. [1/s]
    stated_per_s : float, optional
        Beside the replays. [1/s]
    scaled : Scaled, optional
        How the workload was scaled: what schemes write back is multiplied where production writes another share of its
        accesses, as in the replays that decide.
    asked : sequence of str
        Flash caches that were asked for: `standing_for` may leave them out.

    Raises
    ------
    BadInput
        If a device states no time of an operation that was counted.
    """
    factor = writes_factor(scaled)
    counters = {
        name: with_writes(each, name, factor) if name in found.schemes else each
        for name, each in counters.items()
    }
    lives = {
        name: life_of(
            each,
            device=flash,
            rate=rate_of(
                each,
                recorded_per_s=recorded_per_s,
                production_per_s=production_per_s,
                stated_per_s=stated_per_s,
            ),
            flash_pages=found.inputs["flash_pages"],
        )
        for name, each in counters.items()
    }
    costs = {name: _cost(name, each, flash, disk) for name, each in counters.items()}
    rows = tuple(_rows(found, counters, costs, lives))
    caches = [name for name in counters if name not in found.schemes]
    finding = _finding(rows, caches)
    return Checked(
        finding=sentences(finding, _left_out(asked, scaled), notes_of(counters)),
        decided=finding.removesuffix("."),
        rows=rows,
        basis=sentences(
            REPLAYED,
            besides(caches, options),
            paces(counters, options, stated_per_s),
            about_batches_text(flash, counters.values()),
            taxes_of_evaluation(found, caches, options),
            _about_lives(lives),
        ),
    )


def _left_out(asked: Sequence[str], scaled: Scaled | None) -> str:
    """Say why flash caches that were asked for were not replayed; empty where they were."""
    apart = caches_apart(scaled)
    if not (asked and apart):
        return ""
    titles = flash_cache_titles()
    were = "was" if len(asked) == 1 else "were"
    return f"{listed([titles[name] for name in asked])} {were} not replayed: {apart}."


def _about_lives(lives: Mapping[str, FlashLife | None]) -> str:
    titles = scheme_titles() | flash_cache_titles()
    known = {titles[name]: each for name, each in lives.items() if each is not None}
    return about_lives(list(known.values()), list(known))


def taxes_of_evaluation(
    found: Evaluation,
    names: Sequence[str],
    options: CacheOptions | None = None,
) -> str:
    """Say what RAM the directories of the flash caches beside an evaluation take; empty for none.

    Parameters
    ----------
    found : Evaluation
        By the model.
    names : sequence of str
        Flash caches.
    options : mapping, optional
        That they were given, by name.
    """
    inputs = found.inputs
    taxes = taxes_of(
        names,
        options,
        ram_bytes=inputs["ram_bytes"],
        flash_bytes=inputs["flash_bytes"],
        page_bytes=inputs["page_bytes"],
        source_bytes=inputs["disk_bytes"],
    )
    return with_replayed_ram(taxes, inputs["ram_pages"], inputs["ram_pages_with_flash"])


def taxes_at(
    caches: Mapping[str, Counters],
    options: CacheOptions | None,
    *,
    ram_pages: int,
    left_pages: int,
    flash_pages: int,
) -> str:
    """Say what RAM the directories of flash caches take, and what RAM their replays had; empty for none.

    Parameters
    ----------
    caches : mapping of str to counters
        Of their replays, by name.
    options : mapping, optional
        That they were given, by name.
    ram_pages, left_pages, flash_pages : int
        RAM of the answer, what the metadata that are charged leave of it, and flash. [pages]
    """
    taxes = [
        tax_of_replay(
            each,
            ram_pages=ram_pages,
            flash_pages=flash_pages,
            options=with_default_units(
                name,
                (options or {}).get(name, {}),
                flash_pages=flash_pages,
                page_bytes=each["page_bytes"],
            ),
        )
        for name, each in caches.items()
    ]
    return with_replayed_ram(
        [each for each in taxes if each is not None], ram_pages, left_pages
    )


def with_replayed_ram(taxes: Sequence[RamTax], ram_pages: int, left_pages: int) -> str:
    """Say what RAM directories of flash caches take, and what RAM their replays had; empty for none."""
    said = words(taxes, flash_cache_titles())
    if not said or all(each.bytes is None for each in taxes):
        return said
    had = "had" if len(taxes) == 1 else "each had"
    replay_had = "The replay" if len(taxes) == 1 else "Their replays"
    return (
        f"{said} {replay_had} {had} all of the RAM."
        if left_pages == ram_pages
        else f"{said} {replay_had} {had} what the metadata that are charged leave of the RAM."
    )


def besides(caches: Sequence[str], options: CacheOptions | None = None) -> str:
    """Say which flash caches were replayed beside the schemes, how they are priced, and with which options; empty for none."""
    if not caches:
        return ""
    titles = flash_cache_titles()
    said = (
        f"So {'was' if len(caches) == 1 else 'were'} {listed([titles[name] for name in caches])}, for which there is "
        "no formula: single pages and pages in batches at the rates of their pattern, metadata included."
    )
    return sentences(said, with_options(options))


def with_options(options: CacheOptions | None) -> str:
    """Say with which options flash caches were replayed; empty for none."""
    titles = flash_cache_titles()
    return " ".join(
        f"{titles[cache]} ran with {listed([f'{name}={value}' for name, value in own.items()])}."
        for cache, own in (options or {}).items()
        if own
    )


def notes_of(counters: Mapping[str, Counters], *, without: str = "") -> str:
    """Say what replays of flash caches warn of, such as a clock that had no time to act; empty for nothing.

    Parameters
    ----------
    counters : mapping of str to counters
        Of replays, by name.
    without : str
        Name of a note that does not hold where what it warns of is allowed for.
    """
    titles = flash_cache_titles()
    lines = notes_of_replays(
        (titles[name], note["message"], note["hint"])
        for name, each in counters.items()
        if name in titles
        for note in each.get("warnings", ())
        if note["name"] != without
    )
    return sentences("What replays say of what they counted:", *lines) if lines else ""


def paces(
    counters: Mapping[str, Counters],
    options: CacheOptions | None = None,
    accesses_per_s: float | None = None,
) -> str:
    """Say which flash caches were replayed at another load than the recorded one, and how; empty for none.

    Parameters
    ----------
    counters : mapping of str to counters
        Of replays, by name.
    options : mapping, optional
        That flash caches were given: of a factor among them `with_options` tells.
    accesses_per_s : float, optional
        The load. [1/s]
    """
    titles = flash_cache_titles()
    said = pace_sentences(
        (
            (titles[name], each.get("options") or {})
            for name, each in counters.items()
            if name in titles and STRETCH not in (options or {}).get(name, {})
        ),
        accesses_per_s,
    )
    return " ".join(said.values())


def _cost(name: str, counted: Counters, flash: Device, disk: Device) -> ReplayCost:
    cost = price(counted, flash=flash, disk=disk)
    if cost.io_time_us_per_access is None:
        raise BadInput(
            f"the replay of `{name}` has no I/O time: {cost.reason}",
            "choose devices that state both times",
        )
    return cost


def _rows(
    found: Evaluation,
    counters: Mapping[str, Counters],
    costs: Mapping[str, ReplayCost],
    lives: Mapping[str, FlashLife | None],
) -> Iterator[CheckedFigure]:
    titles = scheme_titles() | flash_cache_titles()
    for name, counted in counters.items():
        model, cost, title = found.schemes.get(name), costs[name], titles[name]
        yield row(
            name,
            title,
            IO_TIME,
            UNIT,
            None if model is None else model.io_time_us_per_access,
            cost.io_time_us_per_access,
        )
        for term, time_us in cost.terms_us_per_access.items():
            if time_us > 0:
                figure = f"{PART}{term.replace('_', ' ')}"
                yield row(name, title, figure, UNIT, None, time_us)
        accesses, pages = counted["accesses"], found.inputs["accesses"]
        for figure, predicted, simulated in (
            ("RAM hits", model and model.ram_hits, counted["ram_hits"]),
            ("flash hits", model and model.flash_hits, counted["flash_hits"]),
            (
                "flash writes",
                model and model.flash_writes_counted,
                flash_pages_written(counted),
            ),
        ):
            share = None if predicted is None else predicted / pages
            yield row(name, title, figure, "1/access", share, simulated / accesses)
        life = lives[name]
        if life is not None and life.waf is not None:
            yield row(name, title, AMPLIFICATION, "1", None, life.waf)
        if life is not None and life.basis is not None:
            yield row(name, title, LIFE, "years", None, life.years)


def _finding(rows: Sequence[CheckedFigure], caches: Sequence[str]) -> str:
    """Say which takes least by replay, and what the first of the other kind takes."""
    times = {
        each.of: each
        for each in rows
        if each.figure == IO_TIME and each.simulated is not None
    }
    flows = [each for of, each in times.items() if of not in caches]
    others = [each for of, each in times.items() if of in caches]

    def least(of: Sequence[CheckedFigure]) -> CheckedFigure:
        return min(of, key=lambda each: each.simulated or 0.0)

    def told(each: CheckedFigure) -> str:
        return f"{each.title} ({format_microseconds(each.simulated or 0.0)})"

    if not others or not flows:
        first = least(others or flows)
        return f"By replay, {first.title} takes least: {format_microseconds(first.simulated or 0.0)} per access."
    flow, cache = least(flows), least(others)
    one, other = (
        (cache, flow)
        if (cache.simulated or 0.0) < (flow.simulated or 0.0)
        else (flow, cache)
    )
    longer = other.simulated or 0.0
    saved = 0.0 if longer == 0 else 1 - (one.simulated or 0.0) / longer
    kind = "page-flow scheme" if other is flow else "flash cache"
    if saved < EQUAL:
        return (
            f"By replay, the fastest flash cache and the fastest page-flow scheme are within {100 * EQUAL:g} %: "
            f"{told(cache)} and {told(flow)}."
        )
    return (
        f"By replay, {one.title} takes {format_microseconds(one.simulated or 0.0)} per access, {percent(saved)} less "
        f"than the fastest {kind}, {told(other)}."
    )
