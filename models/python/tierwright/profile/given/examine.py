"""From a text to a checked curve: detection, units, bounds, monotony, repair, profile."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import Problem, Problems
from tierwright.common.units import UNIT_BYTES, format_bytes, format_count
from tierwright.common.wording import counted, listed
from tierwright.profile.curve import Curve, Given
from tierwright.profile.document import Profile
from tierwright.profile.evidence import STATED, Evidence, stepped
from tierwright.profile.given.kinds import KINDS
from tierwright.profile.given.reading import (
    MOST_POINTS,
    MOST_TEXT_BYTES,
    SCALES,
    SIZE_UNITS,
    VALUES,
    CurveOptions,
    Kind,
    Measured,
    Point,
    Question,
    Reading,
    Row,
    rows_of,
)

BEYOND_LAST = (
    "Anything beyond the last size: its value stands for larger caches, with a warning."
)
UNKNOWN_BEYOND = "Anything below the first size and beyond the last: it is unknown, and no question is answered there."
"""Of what the system itself counted, in place of `BEYOND_LAST`."""
CANNOT_TELL = (
    "How many evicted pages are dirty (p_d): without a stated share, write costs are a range.",
    "What a simulation would count: lazy and inclusive page flow stay approximations, and "
    "replacement policies, pool splits and flash caches cannot be replayed.",
    BEYOND_LAST,
    "Change over time, warm-up, and which pages are hot.",
)
"""What no given curve tells."""

DAY_S = 86_400
"""Seconds that a profile counts where only a rate of accesses is stated."""
UNKNOWN_DATA = "The size of the data is unknown: no disk cost, and nothing is known beyond the last size."
STRAIGHT_LINES = (
    "Straight lines between the sizes, and from nothing at size 0 to the first."
)
ONE_LINE = (
    "A straight line from nothing at size 0 to the one size: only its ends are known."
)

_LEAST_SCORE = 0.3
_LARGEST_COUNT = 2**53
_LEAST_POINTS = 2
_LARGEST_PAGE = 2**30


@dataclass(frozen=True, slots=True)
class GivenPoint:
    """One size of the curve.

    Attributes
    ----------
    line : int
        Line of the input.
    pages : int
        Size. [pages]
    hit_ratio : float
        As given. [1]
    repaired_hit_ratio : float
        After the repair, if one was asked for; otherwise as given. [1]
    """

    line: int
    pages: int
    hit_ratio: float
    repaired_hit_ratio: float


@dataclass(slots=True)
class Examined:
    """Everything that was found in a given curve.

    Attributes
    ----------
    kind : str or None
        Kind of the input; None where none fits.
    scores : dict of str to float
        How well each kind fits, from 0 to 1; empty where the kind was stated.
    points : list of GivenPoint
        By size; empty until units are known.
    problems : list of Problem
        What is wrong, each with its line.
    repairable : list of Problem
        Of these, the ones that a repair mends.
    questions : list of Question
        What has to be stated before there is a profile.
    assumptions : list of str
        What was taken to be so.
    cannot_tell : tuple of str
        What such a curve does not tell.
    columns, pools : list of str
        Head of the table, and buffer pools found.
    size_unit, value : str or None
        What sizes and values were read as.
    page_bytes, accesses, data_bytes : int or None
        As stated, or as the input states them.
    evidence : Evidence or None
        What the points rest on, where the system itself counted them.
    profile : Profile or None
        Once nothing is wrong and nothing is asked.
    """

    kind: str | None = None
    scores: dict[str, float] = field(default_factory=dict)
    points: list[GivenPoint] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    repairable: list[Problem] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    cannot_tell: tuple[str, ...] = CANNOT_TELL
    columns: list[str] = field(default_factory=list)
    pools: list[str] = field(default_factory=list)
    size_unit: str | None = None
    value: str | None = None
    page_bytes: int | None = None
    accesses: int | None = None
    data_bytes: int | None = None
    evidence: Evidence | None = None
    profile: Profile | None = None


def import_curve(
    text: str, options: CurveOptions | None = None, *, place: str = "curve"
) -> Examined:
    """Make a profile of a given curve.

    Parameters
    ----------
    text : str
        As pasted, or as the file holds it.
    options : CurveOptions
        What the user states.
    place : str
        Name of the input in errors.

    Returns
    -------
    Examined
        With its profile.

    Raises
    ------
    BadInput
        With every problem and its line, or with everything that has to be stated.
    """
    found = examine(text, options)
    if found.profile is not None:
        return found
    if found.problems:
        repairable = len(found.repairable) == len(found.problems)
        problems = Problems(
            place,
            "request [[the repair]], which uses the nearest curve that does not fall"
            if repairable
            else "correct these lines, or state what they are",
        )
        problems.found += found.problems
        problems.raise_if_any()
    problems = Problems(place, "state what the curve does not contain")
    problems.found += [
        Problem(
            question.field,
            "",
            question.message
            + (f" One of {', '.join(question.choices)}." if question.choices else ""),
        )
        for question in found.questions
    ]
    problems.raise_if_any()
    raise AssertionError("a curve without problems and questions has a profile")


def examine(text: str, options: CurveOptions | None = None) -> Examined:
    """Read a given curve and say everything that was found; nothing in `text` raises.

    Raises
    ------
    BadInput
        If an option is out of its bounds.
    """
    chosen = options or CurveOptions()
    _check_options(chosen)
    found = Examined()
    if len(text.encode("utf-8", "replace")) > MOST_TEXT_BYTES:
        found.problems.append(
            Problem("input", "", f"is larger than {MOST_TEXT_BYTES:,} bytes")
        )
        return found
    rows = rows_of(text)
    if not rows:
        found.problems.append(Problem("input", "", "holds no lines with data"))
        return found
    kind = _kind(found, rows, chosen)
    if kind is None:
        return found
    if len(rows) > kind.most_rows:
        found.problems.append(
            Problem(
                "input",
                str(len(rows)),
                f"lines; a curve has at most {MOST_POINTS:,}"
                if kind.most_rows == MOST_POINTS + 1
                else f"lines; {kind.title} may have {kind.most_rows:,}",
            )
        )
        return found
    found.cannot_tell = (*kind.cannot_tell, *CANNOT_TELL)
    reading = kind.read(rows, chosen)
    if reading.measured is not None:
        found.cannot_tell = tuple(
            UNKNOWN_BEYOND if each == BEYOND_LAST else each
            for each in found.cannot_tell
        )
    found.problems += reading.problems
    found.questions += reading.questions
    found.assumptions += reading.assumptions
    found.columns, found.pools = reading.columns, reading.pools
    found.size_unit, found.value = reading.size_unit, reading.value
    found.page_bytes = _page_bytes(found, reading, chosen)
    found.data_bytes = chosen.data_bytes or reading.data_bytes
    if found.data_bytes is not None and found.data_bytes > _LARGEST_COUNT:
        found.problems.append(
            Problem("data_bytes", str(found.data_bytes)[:80], "are too many for data")
        )
    found.accesses, duration_s = _accesses(found, reading, chosen)
    ratios = _hit_ratios(found, reading, rate=chosen.accesses_per_s is not None)
    pages = _pages(found, reading)
    if not (reading.points or found.problems or found.questions):
        found.problems.append(Problem("input", "", "holds no sizes with values"))
    if pages is None or ratios is None:
        return found
    _check_points(found, reading.points, pages, ratios)
    _order_and_check(found, reading, pages, ratios, chosen)
    found.evidence = _evidence(found, reading, pages, chosen)
    counts_dirty = chosen.dirty_share is None and reading.dirty_share is not None
    if counts_dirty:
        chosen = replace(chosen, dirty_share=reading.dirty_share)
    _make_profile(found, kind, chosen, duration_s, counts_dirty=counts_dirty)
    return found


def _check_options(options: CurveOptions) -> None:
    problems = Problems("curve", "correct the option, or leave it out")
    for name, value, known in (
        ("kind", options.kind, tuple(KINDS)),
        ("size_unit", options.size_unit, SIZE_UNITS),
        ("value", options.value, VALUES),
        ("scale", options.scale, SCALES),
        ("misses_read", options.misses_read, STATED),
    ):
        problems.check(
            value is None or value in known,
            name,
            value,
            f"is not one of {', '.join(known)}",
        )
    for name, count, most in (
        ("page_bytes", options.page_bytes, _LARGEST_PAGE),
        ("accesses", options.accesses, _LARGEST_COUNT),
        ("data_bytes", options.data_bytes, _LARGEST_COUNT),
    ):
        problems.check(
            count is None or 0 < count <= most, name, count, f"must lie in [1, {most}]"
        )
    rate = options.accesses_per_s
    problems.check(
        rate is None or (math.isfinite(rate) and 0 < rate * DAY_S <= _LARGEST_COUNT),
        "accesses_per_s",
        rate,
        "must be positive",
    )
    problems.check(
        rate is None or options.accesses is None,
        "accesses_per_s",
        rate,
        "accesses are stated twice: give a count or a rate",
    )
    for name, share in (
        ("dirty_share", options.dirty_share),
        ("write_share", options.write_share),
    ):
        problems.check(
            share is None or (math.isfinite(share) and 0 <= share <= 1),
            name,
            share,
            "must lie in [0, 1]",
        )
    problems.raise_if_any()


def _kind(found: Examined, rows: Sequence[Row], options: CurveOptions) -> Kind | None:
    if options.kind is not None:
        found.kind = options.kind
        return KINDS[options.kind]
    found.scores = {name: round(kind.score(rows), 3) for name, kind in KINDS.items()}
    best = max(found.scores, key=lambda name: found.scores[name])
    if found.scores[best] < _LEAST_SCORE:
        found.problems.append(
            Problem(
                f"line {rows[0].line}",
                rows[0].text[:80],
                "does not begin any known kind of curve: "
                + listed([kind.title for kind in KINDS.values()]),
            )
        )
        return None
    found.kind = best
    return KINDS[best]


def _page_bytes(found: Examined, reading: Reading, options: CurveOptions) -> int | None:
    stated, read = options.page_bytes, reading.page_bytes
    if stated is not None and read is not None and stated != read:
        found.problems.append(
            Problem(
                "page_bytes", str(stated), f"is stated, but the input says {read} bytes"
            )
        )
    page_bytes = stated or read
    # Which pool it is comes first: its rows may tell the size of a block.
    if page_bytes is None and not any(q.field == "pool" for q in found.questions):
        found.questions.append(
            Question("page_bytes", "How many bytes has a page of this cache?")
        )
    return page_bytes


def _accesses(
    found: Examined, reading: Reading, options: CurveOptions
) -> tuple[int | None, float | None]:
    if options.accesses_per_s is not None:
        count = max(1, round(options.accesses_per_s * DAY_S))
        found.assumptions.append(
            f"{options.accesses_per_s:g} accesses per second: the profile counts one "
            f"day, {format_count(count)}."
        )
        return count, float(DAY_S)
    accesses = options.accesses or reading.accesses
    if reading.accesses is not None and options.accesses not in (
        None,
        reading.accesses,
    ):
        found.assumptions.append(
            f"The stated accesses are used, not the {format_count(reading.accesses)} that the "
            "input counts."
        )
    if accesses is None and not any(q.field == "accesses" for q in found.questions):
        found.questions.append(
            Question(
                "accesses",
                "How many page accesses is the curve over, or how many are there a second?",
            )
        )
    return accesses, None if options.accesses is not None else reading.duration_s


def _hit_ratios(found: Examined, reading: Reading, *, rate: bool) -> list[float] | None:
    """Turn values into hit ratios; None where that cannot be told yet."""
    match reading.value:
        case "hit_ratio":
            return [point.value for point in reading.points]
        case "miss_ratio":
            return [1.0 - point.value for point in reading.points]
        case "misses" if rate:
            found.problems.append(
                Problem(
                    "accesses_per_s",
                    "",
                    "the values are counts of misses: state the accesses over the same time, "
                    "not a rate",
                )
            )
            return None
        case "misses" if found.accesses is not None:
            total = found.accesses
            for point in reading.points:
                if point.value > total:
                    found.problems.append(
                        Problem(
                            f"line {point.line}",
                            f"{point.value:g}",
                            f"misses exceed the {counted(total, 'access')} stated: are "
                            "both over the same time?",
                        )
                    )
            return [1.0 - point.value / total for point in reading.points]
        case _:
            return None


def _pages(found: Examined, reading: Reading) -> list[int] | None:
    """Turn sizes into whole pages; None where that cannot be told yet."""
    unit = reading.size_unit
    if unit is None or (unit != "pages" and found.page_bytes is None):
        return None
    pages, rounded = [], 0
    for point in reading.points:
        if unit == "pages":
            size = point.size
            if size.denominator != 1:
                found.problems.append(
                    Problem(
                        f"line {point.line}",
                        f"{float(size):g}",
                        "is not a whole number of pages",
                    )
                )
        else:
            size = point.size * UNIT_BYTES[unit] / Fraction(found.page_bytes or 1)
            rounded += size.denominator != 1
        pages.append(math.floor(size))
    if rounded:
        found.assumptions.append(
            counted(
                rounded,
                "size is not whole pages; it is rounded down.",
                "sizes are not whole pages; they are rounded down.",
            )
        )
    return pages


def _check_points(
    found: Examined,
    points: Sequence[Point],
    pages: Sequence[int],
    ratios: Sequence[float],
) -> None:
    for point, size, ratio in zip(points, pages, ratios, strict=True):
        where = f"line {point.line}"
        if size > _LARGEST_COUNT:
            found.problems.append(Problem(where, str(size), "pages are too many"))
        if not 0 <= ratio <= 1 and not _told(found, where):
            shown = f"{ratio:g}" if found.value == "hit_ratio" else f"{1 - ratio:g}"
            found.problems.append(
                Problem(where, shown, "a ratio must lie in [0, 1], or [0 %, 100 %]")
            )
        if point.size == 0 and ratio > 0:
            found.problems.append(
                Problem(where, f"{ratio:g}", "a cache of size 0 hits nothing")
            )
        elif point.size > 0 and size < 1:
            found.problems.append(
                Problem(where, f"{float(point.size):g}", "is smaller than one page")
            )


def _told(found: Examined, where: str) -> bool:
    return any(problem.where == where for problem in found.problems)


def _order_and_check(
    found: Examined,
    reading: Reading,
    pages: Sequence[int],
    ratios: Sequence[float],
    options: CurveOptions,
) -> None:
    """Sort the points, check that hit ratios rise, and repair them if asked."""
    points = reading.points
    one = reading.measured is not None and reading.measured.kind == "one_point"
    order = sorted(range(len(points)), key=lambda at: (pages[at], points[at].line))
    if order != list(range(len(points))):
        found.assumptions.append("The sizes were not in order; they are sorted.")
    kept = [at for at in order if pages[at] > 0]
    for before, at in pairwise(kept):
        if pages[before] == pages[at]:
            found.problems.append(
                Problem(
                    f"line {points[at].line}",
                    format_count(pages[at]),
                    f"pages are the size of line {points[before].line} already",
                )
            )
    least = 1 if one else _LEAST_POINTS
    if len(kept) < least and not found.problems and not found.questions:
        found.problems.append(
            Problem("input", str(len(kept)), "sizes: a curve needs at least two")
        )
    falls = [
        Problem(
            f"line {points[at].line}",
            f"{ratios[at]:g}",
            f"the hit ratio falls below the {ratios[before]:g} of line "
            f"{points[before].line}, though the cache is larger",
        )
        for before, at in pairwise(kept)
        if ratios[at] < ratios[before]
    ]
    given = np.asarray([ratios[at] for at in kept], dtype=np.float64)
    mended = given
    if falls and options.repair and not found.problems:
        mended = _rising(given)
        moved = int(np.count_nonzero(np.abs(mended - given) > 0))
        all_ratios = counted(len(kept), "ratio")
        found.assumptions.append(
            f"Repaired: {counted(moved, f'of {all_ratios} was', f'of {all_ratios} were')} "
            "moved to the nearest curve that "
            f"does not fall, by {float(np.abs(mended - given).max()):.4g} at most."
        )
    elif falls and not options.repair:
        found.problems += falls
        found.repairable += falls
    found.points = [
        GivenPoint(points[at].line, pages[at], ratio, float(better))
        for at, ratio, better in zip(kept, given.tolist(), mended, strict=True)
    ]


def _evidence(
    found: Examined, reading: Reading, pages: Sequence[int], options: CurveOptions
) -> Evidence | None:
    """Say what the points rest on, once they are known."""
    measured = reading.measured
    if measured is None or not found.points:
        return None
    by_size = dict(zip(pages, measured.band, strict=False))
    band = tuple(
        (point.pages, *by_size[point.pages])
        for point in (found.points if by_size else ())
    )
    if measured.kind == "points" and measured.exact and len(found.points) > 1:
        misses = [(each.pages, 1.0 - each.repaired_hit_ratio) for each in found.points]
        band = stepped([(size, at, at) for size, at in misses], lambda *_: False)
    return Evidence(
        measured.kind,
        found.points[0].pages,
        found.points[-1].pages,
        measured.self_check,
        measured.reason,
        measured.snapshots,
        band,
        self_check_pages=_checked_at(found, measured),
        tiers=measured.tiers,
        envelope=measured.envelope,
        misses_read=options.misses_read
        or ("unknown" if measured.has_cache_below else None),
    )


def _checked_at(found: Examined, measured: Measured) -> int | None:
    """Return the size of the check: where the curve ends, unless it was carried on. [pages]"""
    if measured.self_check is None:
        return None
    last = found.points[-1].pages
    if measured.check_bytes is None:
        return last
    return max(last, round(measured.check_bytes / (found.page_bytes or 1)))


def _rising(ratios: FloatArray) -> FloatArray:
    """Return the nearest rising sequence by least squares."""
    from scipy.optimize import isotonic_regression

    return np.clip(np.asarray(isotonic_regression(ratios).x), 0.0, 1.0)


def _make_profile(
    found: Examined,
    kind: Kind,
    options: CurveOptions,
    duration_s: float | None,
    *,
    counts_dirty: bool,
) -> None:
    if found.problems or found.questions:
        return
    page_bytes, accesses = found.page_bytes, found.accesses
    assert page_bytes is not None  # else it is a question
    assert accesses is not None
    last = found.points[-1].pages
    data_pages = last
    if found.data_bytes is not None:
        data_pages = -(-found.data_bytes // page_bytes)
        if data_pages < last:
            found.assumptions.append(
                f"The curve reaches beyond the data of {format_bytes(found.data_bytes)}."
            )
    else:
        found.assumptions.append(UNKNOWN_DATA)
    found.assumptions.append(about_writes(options.dirty_share, options.write_share))
    found.assumptions.append(
        STRAIGHT_LINES
        if found.evidence is None or found.evidence.kind != "one_point"
        else ONE_LINE
    )
    misses = np.asarray(
        [accesses * (1.0 - point.repaired_hit_ratio) for point in found.points]
    )
    given = Given(
        kind.name,
        found.data_bytes is not None,
        None,
        options.write_share,
        tuple(found.assumptions),
        evidence=found.evidence,
        dirty_counted=counts_dirty,
    )
    curve = Curve.from_lists(
        [point.pages for point in found.points],
        np.minimum.accumulate(misses),  # equal ratios may differ in the last bit
        None,
        accesses=accesses,
        distinct_pages=data_pages,
        page_bytes=page_bytes,
        write_accesses=0,
        given=given,
    )
    if options.dirty_share is not None:
        curve = curve.with_dirty_share(options.dirty_share)
    found.profile = Profile(curve, duration_s)


def about_writes(dirty_share: float | None, write_share: float | None) -> str:
    """Say what is known of the write-backs of a given curve.

    Parameters
    ----------
    dirty_share : float or None
        Share of evicted pages that are dirty, as stated. [1]
    write_share : float or None
        Share of accesses that write, as stated. [1]
    """
    if dirty_share is not None:
        return f"{dirty_share:.4g} of the evicted pages are dirty, at every size (p_d)."
    if write_share is not None:
        return (
            f"{write_share:.4g} of the accesses write; the share of evicted "
            "pages that are dirty is unknown, so write costs are a range."
        )
    return (
        "The share of evicted pages that are dirty is unknown, so write costs are a "
        "range."
    )
