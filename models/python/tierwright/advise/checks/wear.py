"""The check of wear: flash writes, write amplification and life beside those of replays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tierwright.advise.checks.checked import (
    REPLAYED,
    Checked,
    CheckedFigure,
    row,
    verdict,
)
from tierwright.advise.checks.counted import Counters, replayed_life
from tierwright.advise.decide import replayed_rows
from tierwright.advise.wear import Wear
from tierwright.common.wording import three_digits
from tierwright.evaluate.endurance.outlook import SpareSpace
from tierwright.evaluate.page_flow.decision import replay_points
from tierwright.evaluate.page_flow.schemes import NO_FLASH
from tierwright.profile.curve import Curve
from tierwright.trace.reading import OnProgress, Trace

AMPLIFICATION = "write amplification"
AGREES = 0.01
"""Gap to the formula up to which both count as equal."""
SETTLED = 4
"""Overwrites of flash after which write amplification hardly changes."""


def options_of(answer: Wear, scheme: str) -> dict[str, str]:
    """Return the options of the replay of a scheme: the device of the answer under its flash.

    Parameters
    ----------
    answer : Wear
        Of the model.
    scheme : str
        Its name.

    Returns
    -------
    dict
        Empty where the answer does not compute write amplification, or the scheme has no flash.
    """
    spare = answer.budget.spare
    if spare is None or scheme == NO_FLASH:
        return {}
    return {
        "ftl_spare_percent": str(spare.percent),
        "ftl_block_pages": str(spare.block_pages),
        "ftl_gc": spare.collection,
    }


def replayed(
    answer: Wear,
    curve: Curve,
    trace: Trace,
    *,
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
    on_progress : callable, optional
        See `OnProgress`; False cancels.

    Raises
    ------
    BadInput
        If the trace is another one than that of the curve, or a replay is impossible.
    Cancelled
        If progress asked to stop.
    """
    points = replay_points(answer.evaluation)
    rows = replayed_rows(
        curve,
        trace,
        [
            {**point.configuration(name), "options": options_of(answer, name)}
            for name, point in points.items()
        ],
        warm_up=points[NO_FLASH].warm_up,
        on_progress=on_progress,
    )
    return check(answer, dict(zip(points, rows, strict=True)))


def check(answer: Wear, counters: Mapping[str, Counters]) -> Checked:
    """Put an answer beside the replay of every scheme.

    Where the answer computes write amplification from spare space, every replay has the device
    under its flash, and the life follows from the pages that the device wrote.

    Parameters
    ----------
    answer : Wear
        Of the model.
    counters : mapping of str to counters
        Of the replay of each scheme at the sizes of the answer, with `options_of`.
    """
    rows = tuple(_rows(answer, counters))
    finding = verdict(rows, "flash writes", min)
    spare = answer.budget.spare
    if spare is None:
        return Checked(
            finding=finding,
            rows=rows,
            basis=f"{REPLAYED} Write amplification inside the drive is covered by its "
            "rating and is not replayed."
            if answer.budget.waf_in_place is None
            else f"{REPLAYED} The write amplification is as stated or given and is not "
            "replayed: give spare space to have it computed and replayed.",
        )
    amplified = [each for each in rows if each.figure == AMPLIFICATION]
    return Checked(
        finding=f"{finding} {_amplification(spare, amplified)}",
        rows=rows,
        basis=f"{REPLAYED} {_device(spare, counters)}",
    )


def _rows(answer: Wear, counters: Mapping[str, Counters]) -> Iterator[CheckedFigure]:
    budget = answer.budget
    for scheme in answer.schemes:
        counted = counters[scheme.scheme]
        waf = (counted.get("ftl") or {}).get("waf")
        total = budget.in_place_tb
        if budget.spare is not None and total is not None and waf is not None:
            total *= budget.spare.waf / waf
        life = replayed_life(
            counted,
            budget_tb=total,
            accesses_per_s=answer.accesses_per_s,
            growth_per_year=answer.growth_per_year,
            written_tb=answer.written_tb,
        )
        figures = [
            ("flash writes", "TB/day", scheme.tb_per_day, life.tb_per_day),
            ("life", "years", scheme.years, life.years),
        ]
        if budget.spare is not None:
            figures.insert(1, (AMPLIFICATION, "1", budget.spare.waf, waf))
        for figure, unit, model, simulated in figures:
            yield row(scheme.scheme, scheme.title, figure, unit, model, simulated)


def _amplification(spare: SpareSpace, rows: Sequence[CheckedFigure]) -> str:
    """Say how the device amplifies the writes of the schemes, beside the formula."""
    known = [
        (each.simulated, each.title) for each in rows if each.simulated is not None
    ]
    formula = (
        f"The formula for uniform random writes gives a write amplification of "
        f"{three_digits(spare.waf)}"
    )
    if not known:
        return f"{formula}; no scheme wrote to flash in its replay."
    (least, gentle), (most, harsh) = min(known), max(known)
    texts = three_digits(least), three_digits(most)
    span = (
        f"{texts[0]}"
        if texts[0] == texts[1]
        else f"{texts[0]} ({gentle}) to {texts[1]} ({harsh})"
    )
    if least >= spare.waf * (1 - AGREES) and most <= spare.waf * (1 + AGREES):
        return f"{formula}; the replay agrees with {span}."
    if most <= spare.waf * (1 + AGREES):
        return f"{formula}; the schemes' own writes cause less: {span}."
    if least >= spare.waf * (1 - AGREES):
        return f"{formula}; the schemes' own writes cause more: {span}."
    return f"{formula}; the schemes' own writes cause {span}."


def _device(spare: SpareSpace, counters: Mapping[str, Counters]) -> str:
    """Say on which device the schemes wrote, and whether it became steady."""
    overwrites = [
        each["ftl"]["host_writes"] / each["flash_pages"]
        for each in counters.values()
        if each.get("ftl")
    ]
    device = (
        "The flash pages of each scheme filled a page-mapped device with "
        f"{spare.words}; nothing was trimmed."
    )
    if not overwrites:
        return device
    fewest = min(overwrites)
    times = (
        f"{three_digits(fewest)} {'time' if three_digits(fewest) == '1' else 'times'}"
    )
    counted = (
        f"While writes were counted, every scheme overwrote flash at least {times}"
    )
    if fewest >= SETTLED:
        return f"{device} {counted}, enough for a steady write amplification."
    return (
        f"{device} {counted}: below about {SETTLED} the write amplification is still "
        "rising, so the lives of the replay are upper bounds."
    )
