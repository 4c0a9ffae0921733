"""How to split the buffer pool of an option into clean and dirty pages, by what its recording counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from tierwright.advise.advice._table import Table
from tierwright.advise.advice.request import Splits
from tierwright.advise.pool_split import LEAST_GAIN
from tierwright.advise.pool_survey import SplitSurvey, device_asymmetry, survey
from tierwright.common.wording import counted, percent
from tierwright.evaluate.page_flow.decision import ReplayPoint, recorded_point
from tierwright.evaluate.page_flow.schemes import NO_FLASH
from tierwright.evaluate.scale.replays import (
    LEAST_PAGES,
    pages_apart,
    writes_apart,
)
from tierwright.trace.reading import OnProgress, Trace

MOST_PAGES = 2**25
"""Of a buffer of the recording: its splits are as many."""


@dataclass(frozen=True, slots=True)
class Split:
    """The best split of the RAM of one option.

    Attributes
    ----------
    clean_share : float or None
        Of RAM, for clean pages; None where it is not split. [1]
    gain : float or None
        Share of the I/O time of LRU that it saves on the recording; None where it is not known. [1]
    reason : str
        Why it is not split; empty where it is.
    counted : tuple or None
        Buffer of the recording and cost of a write in reads, where its splits were counted. [pages], [1]
    uncounted_pages : int or None
        RAM of one machine, where counting the splits of the buffer that corresponds would tell. [pages]
    """

    clean_share: float | None
    gain: float | None
    reason: str
    counted: tuple[int, float] | None = None
    uncounted_pages: int | None = None


def by_trace(trace: Trace, on_progress: OnProgress | None) -> Splits:
    """Return what counts buffers of the recording at every split."""

    def phase(_: str) -> AbstractContextManager[OnProgress | None]:
        return nullcontext(on_progress)

    def made(wanted: Sequence[int]) -> Mapping[int, SplitSurvey]:
        return {pages: survey(trace, pages, phase=phase) for pages in wanted}

    return made


def splits_of(
    table: Table, rows: Sequence[int], made: Splits | None
) -> dict[int, Split]:
    """Find the best split of some options, each by the buffer of the recording that corresponds.

    Parameters
    ----------
    table : Table
        Of the options.
    rows : sequence of int
        Options.
    made : callable or None
        Counts buffers, or returns those that were counted before; None counts none: the same as where none was counted
        before, for an answer says the same wherever it is asked.
    """
    found: dict[int, Split] = {}
    asked: dict[int, tuple[int, float]] = {}
    for at in dict.fromkeys(rows):
        point = _point(table, at)
        if isinstance(point, str):
            found[at] = Split(None, None, point)
        elif table.setting.curve.given is not None:
            found[at] = Split(
                None, None, "no recording was replayed to split its buffer pool"
            )
        else:
            asked[at] = point
    pages = sorted({each for each, _ in asked.values()})
    surveys = made(pages) if made is not None and pages else {}
    for at, (size, asymmetry) in asked.items():
        found[at] = (
            _best(surveys[size], size, asymmetry)
            if size in surveys
            else _uncounted(size, int(table.options.ram_pages[at]))
        )
    return found


def _point(table: Table, at: int) -> tuple[int, float] | str:
    """Return the buffer of the recording and the cost of a write in reads, or why there is no split."""
    if table.scheme(at) != NO_FLASH:
        return "a flash cache lies below RAM: splits are modelled over one device"
    curve = table.setting.curve
    writes = curve.known_write_accesses
    if writes is None:
        return "how much the workload writes is unknown"
    if writes == 0:
        return "the workload writes nothing, so every page is clean"
    store = table.devices(at)[1]
    ratio = None if store is None else device_asymmetry(store, curve.page_bytes)
    if ratio is None:
        return "what a write costs in reads is unknown of what holds the data"
    scaled = curve.scaled
    apart = pages_apart(scaled) or writes_apart(scaled)
    if apart:
        return f"{apart}, so no split of its buffer stands for production"
    asked = ReplayPoint(int(table.options.ram_pages[at]), 0)
    pages = recorded_point(asked, NO_FLASH, scaled).ram_pages
    distinct = curve.distinct_pages if scaled is None else scaled.recorded_pages
    if pages >= distinct:
        return "RAM would hold every page of the recording, so none is evicted"
    least = 2 if scaled is None else LEAST_PAGES
    if pages < least:
        return (
            f"the RAM that corresponds in the recording would have {counted(pages, 'page')}, fewer than "
            f"the {least:,} from which a small buffer stands for a large one"
        )
    if pages > MOST_PAGES:
        return f"splits are counted of at most {MOST_PAGES:,} pages"
    return pages, ratio[0]


def _uncounted(pages: int, ram_pages: int) -> Split:
    return Split(
        None,
        None,
        f"the splits of a buffer of {counted(pages, 'page')} of the recording were not counted",
        uncounted_pages=ram_pages,
    )


def _best(found: SplitSurvey, pages: int, asymmetry: float) -> Split:
    priced = found.at(asymmetry)
    gain, at = priced.gain_over["lru"], (pages, asymmetry)
    if gain is None or gain <= 0:
        return Split(None, gain, "no split costs less than LRU on the recording", at)
    share = priced.best_clean_pages / found.pages
    if gain < LEAST_GAIN:
        return Split(
            None,
            gain,
            f"the best split, {percent(share)} clean, saves less than {100 * LEAST_GAIN:g} % of what LRU costs "
            "on the recording",
            at,
        )
    return Split(share, gain, "", at)
