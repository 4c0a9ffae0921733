"""The check of wear: flash writes, write amplification and life beside those of replays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tierwright.advise.checks.checked import (
    PAGE_FLOW_SCHEME,
    REPLAYED,
    Checked,
    CheckedFigure,
    row,
    verdict,
)
from tierwright.advise.checks.counted import Counters, replayed_life
from tierwright.advise.checks.data_on_flash import (
    MARK,
    Holding,
    about_data,
    as_flash,
    data_titles,
    is_on_flash,
)
from tierwright.advise.checks.data_on_flash import data_replays as replays_of_data
from tierwright.advise.checks.flash_caches import (
    CacheOptions,
    at_the_load,
    besides,
    evaluation_replays,
    notes_of,
    paces,
    taxes_of_evaluation,
)
from tierwright.advise.checks.points import (
    SETTLED,
    Replay,
    recorded_replays,
)
from tierwright.advise.decide import replayed_by_key
from tierwright.advise.point import scheme_titles
from tierwright.advise.wear import SchemeWear, Wear
from tierwright.common.wording import (
    counted,
    listed,
    percent,
    sentences,
    three_digits,
)
from tierwright.evaluate.endurance.outlook import SpareSpace
from tierwright.evaluate.modern.write_amplification import waf_uniform
from tierwright.evaluate.page_flow.decision import replay_points
from tierwright.evaluate.page_flow.schemes import NO_FLASH
from tierwright.profile.curve import Curve
from tierwright.simulate.contenders import STREAMS, flash_cache_titles, has_streams
from tierwright.simulate.erase_blocks import (
    DEVICE_BLOCKS,
    FEW_BLOCKS,
    LEAST_ERASED_PAGES,
    fitting_block_pages,
)
from tierwright.simulate.flash_device import FlashDevice
from tierwright.trace.reading import OnProgress, Trace

OF_THE_ANSWER = (
    "the device under a flash cache is that of the answer",
    "leave it out, and state spare space, erase blocks and collection there",
)
"""Why an option of the device is none of the flash caches', and what to do."""
WRITES = "flash writes"
AMPLIFICATION = "write amplification"
STREAMED = "write amplification with two streams"
AGREES = 0.03
"""Gap to the formula up to which both count as equal: the same writes differ as much between devices of few blocks."""


def options_of(
    answer: Wear, scheme: str, given: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the options of the replay of a scheme or flash cache: the device of the answer under its flash, and its own.

    Parameters
    ----------
    answer : Wear
        Of the model.
    scheme : str
        Its name.
    given : mapping of str to str, optional
        Its own options.

    Returns
    -------
    dict
        Without a device where the answer does not compute write amplification, or the scheme has no flash.
    """
    own = dict(given or {})
    device = {} if scheme == NO_FLASH else _device_of(answer)
    if not device:
        return own
    # It counts both, with its streams and with one.
    two = {STREAMS: "2"} if has_streams(scheme, own) else {}
    return {**own, **device, **two}


def _device_of(answer: Wear) -> dict[str, str]:
    spare = answer.budget.spare
    if spare is None:
        return {}
    return {
        "ftl_spare_percent": str(spare.percent),
        "ftl_block_pages": str(spare.block_pages),
        "ftl_gc": spare.collection,
    }


def data_replays(answer: Wear, curve: Curve, names: Sequence[str]) -> dict[str, Replay]:
    """Return the replays of policies and buffers whose data lie on the device of an answer, with all of its RAM.

    Parameters
    ----------
    answer : Wear
        Of the model.
    curve : Curve
        That it was asked with.
    names : sequence of str
        Policies and buffers.

    Raises
    ------
    BadInput
        If there is no such policy or buffer, the workload is scaled, or the data do not fit on the devices.
    """
    found = answer.evaluation
    return replays_of_data(
        names,
        curve,
        Holding(found.inputs["ram_pages"], found.start, answer.capacity_bytes),
        device=_device_of(answer),
    )


def flash_cache_replays(
    answer: Wear,
    names: Sequence[str],
    *,
    accesses: int,
    options: CacheOptions | None = None,
    recorded_per_s: float | None = None,
) -> dict[str, Replay]:
    """Return the replays of flash caches at the sizes of an answer, with the device of the answer under their flash.

    Parameters
    ----------
    answer : Wear
        Of the model.
    names : sequence of str
        Flash caches.
    accesses : int
        Of the trace.
    options : mapping, optional
        Of `options_of_caches`; unless given, the defaults.
    recorded_per_s : float, optional
        Accesses per second of the trace, of which what works by the clock has the times stretched to the rate of the answer;
        None where it has no times: then it goes by that rate. [1/s]

    Raises
    ------
    BadInput
        If there is no such flash cache, or no flash.
    """
    given = at_the_load(
        names,
        options or {},
        flash_pages=answer.evaluation.inputs["flash_pages"],
        accesses_per_s=answer.accesses_per_s,
        recorded_per_s=recorded_per_s,
    )
    return evaluation_replays(
        answer.evaluation,
        names,
        accesses=accesses,
        options={name: options_of(answer, name, given.get(name)) for name in names},
    )


def replayed(
    answer: Wear,
    curve: Curve,
    trace: Trace,
    *,
    flash_caches: Sequence[str] = (),
    cache_options: CacheOptions | None = None,
    recorded_per_s: float | None = None,
    data_on_flash: Sequence[str] = (),
    on_progress: OnProgress | None = None,
) -> Checked:
    """Replay the trace of an answer under every scheme, and put both side by side.

    Parameters
    ----------
    answer : Wear
        Of the model.
    curve : Curve
        That it was asked with: of a recording at its own scale.
    trace : Trace
        The recording.
    flash_caches : sequence of str
        To be replayed besides.
    cache_options : mapping, optional
        Options by flash cache, of `options_of_caches`.
    recorded_per_s : float, optional
        As `flash_cache_replays` takes it. [1/s]
    data_on_flash : sequence of str
        Policies and buffers to be replayed besides, whose data lie on the device.
    on_progress : callable, optional
        See `OnProgress`; False cancels.

    Raises
    ------
    BadInput
        If the trace is another one than that of the curve, or a replay is impossible.
    Cancelled
        If progress asked to stop.
    """
    wanted = (
        {
            name: Replay(
                "scheme",
                name,
                at.ram_pages,
                at.flash_pages,
                at.warm_up,
                options_of(answer, name),
            )
            for name, at in replay_points(answer.evaluation).items()
        }
        | flash_cache_replays(
            answer,
            flash_caches,
            accesses=curve.accesses,
            options=cache_options,
            recorded_per_s=recorded_per_s,
        )
        | data_replays(answer, curve, data_on_flash)
    )
    wanted, _ = recorded_replays(wanted, None, page_bytes=curve.page_bytes)
    counters = replayed_by_key(
        curve,
        trace,
        {name: each.configuration() for name, each in wanted.items()},
        warm_up=wanted[NO_FLASH].warm_up,
        on_progress=on_progress,
    )
    return check(answer, counters, cache_options)


def check(
    answer: Wear,
    counters: Mapping[str, Counters],
    cache_options: CacheOptions | None = None,
) -> Checked:
    """Put an answer beside the replay of every scheme.

    Where the answer computes write amplification from spare space, every replay has the device
    under its flash, and the life follows from the pages that the device wrote.

    Parameters
    ----------
    answer : Wear
        Of the model.
    counters : mapping of str to counters
        Of the replay of each scheme at the sizes of the answer, with `options_of`; further ones are of flash caches and
        of `data_replays`.
    cache_options : mapping, optional
        Options that flash caches were given, by name.
    """
    data = {
        name: as_flash(each) for name, each in counters.items() if is_on_flash(name)
    }
    counters = {name: each for name, each in counters.items() if not is_on_flash(name)}
    of_data = tuple(_rows_of_data(answer, data))
    rows = tuple(_rows(answer, counters))
    caches = [name for name in counters if name not in scheme_titles()]
    among = PAGE_FLOW_SCHEME if caches or data else ""
    said = [verdict(rows, WRITES, min, among=among), _of_caches(rows, caches)]
    # The write amplification is stated of a whole device, and the basis says how.
    notes = notes_of(counters, without=FEW_BLOCKS)
    finding = sentences(*said, _of_data(of_data), notes)
    spare = answer.budget.spare
    about = about_data(
        data,
        with_device=spare is not None,
        block_pages=0 if spare is None else spare.block_pages,
    )
    if spare is not None:
        about += _stood_in(spare, data.values(), "The data")
    replays = sentences(
        REPLAYED,
        besides(caches, cache_options),
        paces(counters, cache_options, answer.accesses_per_s),
        taxes_of_evaluation(answer.evaluation, caches, cache_options),
        about,
    )
    if spare is None:
        return Checked(
            finding=finding,
            rows=rows + of_data,
            basis=f"{replays} Write amplification inside the drive is covered by its "
            "rating and is not replayed."
            if answer.budget.waf_in_place is None
            else f"{replays} The write amplification is as stated or given and is not "
            "replayed: give spare space to have it computed and replayed.",
        )
    amplified = [
        each for each in rows if each.figure == AMPLIFICATION and each.of not in caches
    ]
    is_too_small = any(
        each.get("flash_pages", 0) > 0
        and fitting_block_pages(spare.block_pages, each["flash_pages"]) is None
        for each in counters.values()
    )
    return Checked(
        finding=f"{finding} {_amplification(spare, amplified, is_too_small=is_too_small)}",
        rows=rows + of_data,
        basis=f"{replays} {_device(spare, counters, caches, is_too_small=is_too_small)}",
    )


def _of_caches(rows: Sequence[CheckedFigure], caches: Sequence[str]) -> str:
    """Say which flash cache writes least, beside the scheme with flash that does; empty where none was replayed."""
    written = {
        each.of: each
        for each in rows
        if each.figure == WRITES and each.simulated is not None and each.of != NO_FLASH
    }

    def told(of: Sequence[CheckedFigure]) -> str:
        first = min(of, key=lambda each: each.simulated or 0.0)
        return f"{first.title} writes least ({three_digits(first.simulated or 0.0)} TB/day)"

    ours = [each for of, each in written.items() if of in caches]
    if not ours:
        return ""
    said = (
        f"Of the flash caches, {told(ours)}"
        if len(ours) > 1
        else f"{ours[0].title} writes {three_digits(ours[0].simulated or 0.0)} TB/day"
    )
    flows = [each for of, each in written.items() if of not in caches]
    return f"{said}; of the page-flow schemes, {told(flows)}." if flows else f"{said}."


def _of_data(rows: Sequence[CheckedFigure]) -> str:
    """Say which policy or buffer writes least to a device that holds its data; empty where none was replayed."""
    written = [
        (each.simulated, each.title.split(",")[0])
        for each in rows
        if each.figure == WRITES and each.simulated is not None
    ]
    if not written:
        return ""
    least, title = min(written)
    fewest = "" if len(written) == 1 else " least"
    return f"With all data on the flash device, {title} writes{fewest} to it: {three_digits(least)} TB/day."


def _rows_of_data(
    answer: Wear, counters: Mapping[str, Counters]
) -> Iterator[CheckedFigure]:
    titles = data_titles()
    for name, each in counters.items():
        title = titles[name.removeprefix(MARK)]
        yield from _rows_of(answer, name, title, None, each)


def _rows(answer: Wear, counters: Mapping[str, Counters]) -> Iterator[CheckedFigure]:
    models = {each.scheme: each for each in answer.schemes}
    titles = scheme_titles() | flash_cache_titles()
    caches = [each for each in counters if each not in models and each != NO_FLASH]
    for name in (*models, *caches):
        yield from _rows_of(
            answer, name, titles[name], models.get(name), counters[name]
        )


def _rows_of(
    answer: Wear,
    name: str,
    title: str,
    model: SchemeWear | None,
    replay: Counters,
) -> Iterator[CheckedFigure]:
    budget = answer.budget
    waf = None if budget.spare is None else _amplified(budget.spare, replay)
    total = budget.in_place_tb
    if budget.spare is not None and total is not None and waf is not None:
        total *= budget.spare.waf / waf
    life = replayed_life(
        replay,
        budget_tb=total,
        accesses_per_s=answer.accesses_per_s,
        growth_per_year=answer.growth_per_year,
        written_tb=answer.written_tb,
    )
    figures = [
        (
            WRITES,
            "TB/day",
            None if model is None else model.tb_per_day,
            life.tb_per_day,
        ),
        ("life", "years", None if model is None else model.years, life.years),
    ]
    if budget.spare is not None:
        formula = None if model is None else budget.spare.waf
        figures.insert(1, (AMPLIFICATION, "1", formula, waf))
        streamed = _amplified(budget.spare, replay, streams=2)
        if streamed is not None:
            figures.insert(2, (STREAMED, "1", None, streamed))
    for figure, unit, predicted, simulated in figures:
        yield row(name, title, figure, unit, predicted, simulated)


def _amplified(
    spare: SpareSpace, replay: Counters, *, streams: int = 1
) -> float | None:
    """Write amplification of a replay, as of the device that is meant; None where nothing was written to flash. [1]

    What is appended, and never copied, is so on a device of any size. None for two streams of what has one.
    """
    waf = _counted(replay, streams)
    return (
        None
        if waf is None
        else 1 + (waf - 1) * _of_the_device(spare, replay, streams=streams)
    )


def _counted(replay: Counters, streams: int) -> float | None:
    """Write amplification that the device of a replay counted with so many streams; None where it did not. [1]"""
    ftl = replay.get("ftl") or {}
    apart = _streams_apart(replay)
    if streams > 1 and not apart:
        return None
    waf: float | None = ftl.get("waf_one_stream" if apart and streams == 1 else "waf")
    return waf


def _under(spare: SpareSpace, replay: Counters, *, streams: int = 1) -> FlashDevice:
    """Return the device under a replay."""
    pages = fitting_block_pages(spare.block_pages, replay["flash_pages"])
    assert pages is not None  # else there is no device
    return FlashDevice.of_spare(
        replay["flash_pages"] + replay["ftl"].get("metadata_pages", 0),
        spare.share,
        pages,
        collection=spare.collection,
        streams=streams,
    )


def _of_the_device(spare: SpareSpace, replay: Counters, *, streams: int = 1) -> float:
    """Return the formula's copies for each write on the device that is meant over those on the device of the replay. [1]

    Of the few blocks of the latter those that are held back are a good part of the spare ones, of the many of the former next
    to none: so one is of all spare space, the other of what is usable.
    """
    device = _under(spare, replay, streams=streams)
    waf = waf_uniform(spare.collection, device.usable_spare, device.block_pages)
    assert waf is not None  # one of COLLECTIONS
    return (spare.waf - 1) / (waf - 1) if waf > 1 else 1.0


def _amplification(
    spare: SpareSpace, rows: Sequence[CheckedFigure], *, is_too_small: bool
) -> str:
    """Say how the device amplifies the writes of the schemes, beside the formula."""
    known = [
        (each.simulated, each.title) for each in rows if each.simulated is not None
    ]
    formula = (
        f"The formula for uniform random writes gives a write amplification of "
        f"{three_digits(spare.waf)}"
    )
    if not known:
        return (
            f"{formula}; the flash of the replay is too small to count it, so the lives of the replay rest on the formula."
            if is_too_small
            else f"{formula}; no scheme wrote to flash in its replay."
        )
    (least, gentle), (most, harsh) = min(known), max(known)
    texts = three_digits(least), three_digits(most)
    span = (
        f"{texts[0]}"
        if texts[0] == texts[1]
        else f"{texts[0]} ({gentle}) to {texts[1]} ({harsh})"
    )
    if least >= spare.waf * (1 - AGREES) and most <= spare.waf * (1 + AGREES):
        return f"{formula}; the replay agrees with {span}."
    if most <= spare.waf:
        return f"{formula}; the schemes' own writes cause less: {span}."
    if least >= spare.waf:
        return f"{formula}; the schemes' own writes cause more: {span}."
    return f"{formula}; the schemes' own writes cause {span}."


def _device(
    spare: SpareSpace,
    counters: Mapping[str, Counters],
    caches: Sequence[str],
    *,
    is_too_small: bool,
) -> str:
    """Say on which device the schemes wrote, and whether it became steady."""
    if is_too_small:
        return (
            f"Fewer than {DEVICE_BLOCKS} blocks of {LEAST_ERASED_PAGES} pages fit into the flash of the replay, so no device "
            "was put under it."
        )
    overwrites = {
        name: (each["ftl"]["host_writes"] - each["ftl"].get("metadata_writes", 0))
        / each["flash_pages"]
        for name, each in counters.items()
        if each.get("ftl")
    }
    device = (
        "The flash pages of each scheme filled a page-mapped device with "
        f"{spare.words}; nothing was trimmed."
    )
    device += _stood_in(spare, counters.values(), "Flash as small as in the replay")
    titles = flash_cache_titles()
    apart = [titles[name] for name, each in counters.items() if _streams_apart(each)]
    if apart:
        device += (
            f" The life of {listed(apart)} is that with one stream; with two, pages that die otherwise never share an "
            "erase block."
        )
    device += _dear_streams(counters)
    device += _metadata(counters)
    flows = [count for name, count in overwrites.items() if name not in caches]
    if not flows:
        return device
    fewest = min(flows)
    times = (
        f"{three_digits(fewest)} {'time' if three_digits(fewest) == '1' else 'times'}"
    )
    said = f"While writes were counted, every scheme overwrote flash at least {times}"
    rising = [name for name in caches if overwrites.get(name, SETTLED) < SETTLED]
    others = (
        f" {listed([titles[name] for name in rising])} overwrote it less than {SETTLED} times: "
        f"{'its life is' if len(rising) == 1 else 'their lives are'} {'an upper bound' if len(rising) == 1 else 'upper bounds'}."
        if rising
        else ""
    )
    if fewest >= SETTLED:
        return f"{device} {said}, enough for a steady write amplification.{others}"
    return (
        f"{device} {said}: below about {SETTLED} the write amplification is still "
        f"rising, so the lives of the replay are upper bounds.{others}"
    )


def _metadata(counters: Mapping[str, Counters]) -> str:
    """Say how many of the writes to the device are metadata, of the flash caches that write some; empty for none."""
    titles = flash_cache_titles()
    written = {
        titles[name]: each["ftl"]["metadata_writes"] / each["ftl"]["host_writes"]
        for name, each in counters.items()
        if (each.get("ftl") or {}).get("metadata_writes")
    }
    if not written:
        return ""
    said = [f"{percent(share)} under {title}" for title, share in written.items()]
    return f" Metadata lie on it beside the flash pages, and are {listed(said)} of its writes."


def _streams_apart(replay: Counters) -> bool:
    """Say whether the device of a replay was counted with two streams, too."""
    return "waf_one_stream" in (replay.get("ftl") or {})


def _dear_streams(counters: Mapping[str, Counters]) -> str:
    """Say where two streams cost more than they save on the device of the replay; empty where they do nowhere."""
    titles = flash_cache_titles()
    said = []
    for name, each in counters.items():
        one, two = (_counted(each, streams) for streams in (1, 2))
        if one is not None and two is not None and two > one:
            said.append(
                f"{titles[name]} has a write amplification of {three_digits(two)} with two and of {three_digits(one)} with one"
            )
    if not said:
        return ""
    return (
        " On a device with as few erase blocks as flash fills here, two streams can cost more than they save, since each "
        f"keeps a block open: there {listed(said)}."
    )


def _stood_in(spare: SpareSpace, replays: Iterable[Counters], what: str) -> str:
    """Say how the device of some replays stood for the one that is meant; empty where it has as many blocks as make no difference."""
    kinds = [
        (each, streams)
        for each in replays
        if each.get("ftl")
        for streams in ((1, 2) if _streams_apart(each) else (1,))
    ]
    factors = [_of_the_device(spare, each, streams=streams) for each, streams in kinds]
    if not kinds or _spanned(factors) == three_digits(1.0):
        return ""
    devices = [_under(spare, each, streams=streams) for each, streams in kinds]
    sizes = sorted({each.block_pages for each in devices})
    pages = counted(sizes[-1], "page")
    if len(sizes) > 1:
        pages = f"{sizes[0]:,} to {pages}"
    smaller = (
        f" {what} would fill fewer than {DEVICE_BLOCKS} blocks of {counted(spare.block_pages, 'page')}, so blocks of "
        f"{pages} stood for them."
        if sizes[0] < spare.block_pages
        else ""
    )
    return (
        f"{smaller} Of a device {counted(devices[0].reserve, 'block')} are always free or being filled, which leaves that of the "
        f"replay {_spanned([100 * each.usable_spare for each in devices])} % spare space, and a whole one its {spare.percent} %: the "
        f"copies counted are multiplied by {_spanned(factors)}, the formula's copies on the whole one over those on the other."
    )


def _spanned(values: Sequence[float]) -> str:
    """Write the least and the most of some values, once where they read the same."""
    ends = (three_digits(min(values)), three_digits(max(values)))
    return " to ".join(dict.fromkeys(ends))
