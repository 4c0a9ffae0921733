"""Several measurements of one system put together: ages below, the present point, and exact points beyond."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tierwright.common.errors import BadInput, Problems
from tierwright.common.units import format_bytes
from tierwright.common.wording import counted, percent
from tierwright.profile.curve import Curve, Given
from tierwright.profile.document import Profile
from tierwright.profile.evidence import Evidence, MissesRead, Part, stepped
from tierwright.profile.given.counters import SHARE_OF_EVICTED, SHARE_OF_READ
from tierwright.profile.given.examine import (
    ONE_LINE,
    STRAIGHT_LINES,
    UNKNOWN_DATA,
    about_writes,
)

SOURCE = "combined"
"""Name of the kind of such a curve."""
_HINT = "combine profiles that `tierwright curve import` made of one system"
MOST = 20
"""Measurements that are put together."""
_SAME = 1e-9
_NO_COUNTS = {
    ("netapp_awa", "points"): "gives the maxima over intervals, no counts of one load",
    ("linux_ages", "one_point"): "gives a lower bound of the misses, no count of them",
}
"""Kinds of input, with their class, that cannot stand as counted."""
_REPLACED = {about_writes(None, None), STRAIGHT_LINES, ONE_LINE, UNKNOWN_DATA}
"""Sentences of one measurement, that are said anew of all."""


@dataclass(frozen=True, slots=True)
class _Measured:
    """One size of a part: its miss ratio, with the ends of its band. [1]"""

    ratio: float
    low: float
    high: float
    exact: bool


def combined(
    profiles: Sequence[Profile], places: Sequence[str] | None = None
) -> Profile:
    """Put measurements of one system together to one curve.

    What the system counted (points) stands as it is. Ages give the sizes below it; where they miss less than a
    larger size that was counted, they are raised to it, as no larger cache misses more. By how much the ages
    differ from the smallest counted size at or above their end is the check of the whole, where it is within their
    range or the next size.

    Parameters
    ----------
    profiles : sequence of Profile
        Of one system and load, each a curve from counters, at least two.
    places : sequence of str or None
        What errors call each; `profiles[0]` and so on where it is None.

    Returns
    -------
    Profile
        With the accesses and the time of the first, and each part in its evidence.

    Raises
    ------
    BadInput
        If one has no evidence, page sizes differ, two have ages, all are one size, or counted sizes miss more as
        they grow.
    """
    names = places or [f"profiles[{at}]" for at in range(len(profiles))]
    _check(profiles, names)
    first = profiles[0]
    parts = [(each, _rows(each.curve)) for each in profiles]
    exact = _counted(parts, names)
    _check_counted(exact)
    aged = [(each, rows) for each, rows in parts if _evidence(each).kind == "ages"]
    rows = dict(exact)
    moved, most = 0, 0.0
    check, reason, check_at = None, "the points are what the system counts", None
    for each, known in aged:
        check, reason, check_at = _check_of(each.curve, known, exact)
        for size, row in known.items():
            if size in exact:
                continue
            raised = _raised(row, size, exact)
            moved += raised.ratio > row.ratio
            most = max(most, raised.ratio - row.ratio)
            rows[size] = raised
    sizes = sorted(rows)
    ratios = np.minimum.accumulate([rows[size].ratio for size in sizes])
    if len(sizes) < 2:  # noqa: PLR2004  # one size is no curve
        raise BadInput("the measurements are all of one size", _HINT)
    return _profile(
        first,
        profiles,
        sizes,
        ratios.tolist(),
        Evidence(
            "ages" if aged else "points",
            sizes[0],
            sizes[-1],
            check,
            reason,
            min(_evidence(each).snapshots for each in profiles),
            _band(sizes, rows, [_evidence(each) for each, _ in aged])
            if not aged or _has_band(aged)
            else (),
            tuple(
                sorted(
                    (_part(each) for each in profiles),
                    key=lambda part: (part.valid_from, part.valid_to),
                )
            ),
            check_at,
            misses_read=_misses_read([_evidence(each) for each in profiles]),
        ),
        _said(moved, most),
    )


def _evidence(profile: Profile) -> Evidence:
    evidence = profile.curve.evidence
    assert evidence is not None  # checked
    return evidence


def _misses_read(each: Sequence[Evidence]) -> MissesRead | None:
    """Return what answers misses as the least certain of the measurements says."""
    said = {one.misses_read for one in each}
    return next((what for what in ("unknown", "cache", "device") if what in said), None)


def _rows(curve: Curve) -> dict[int, _Measured]:
    """Return the listed sizes with their miss ratios and bands."""
    evidence = curve.evidence
    assert evidence is not None  # checked
    ratios = curve.misses_at / curve.accesses
    low, high = evidence.ends(curve.pages) if evidence.band else (ratios, ratios)
    return {
        int(size): _Measured(
            float(ratio), float(least), float(most), exact=evidence.kind != "ages"
        )
        for size, ratio, least, most in zip(curve.pages, ratios, low, high, strict=True)
    }


def _part(profile: Profile) -> Part:
    evidence, given = _evidence(profile), profile.curve.given
    assert given is not None  # has evidence
    return Part(evidence.kind, evidence.valid_from, evidence.valid_to, given.source)


def _counted(
    parts: Sequence[tuple[Profile, dict[int, _Measured]]], names: Sequence[str]
) -> dict[int, _Measured]:
    """Return the counted sizes; two different counts of one size are refused."""
    found: dict[int, tuple[int, _Measured]] = {}
    for at, (_, rows) in enumerate(parts):
        for size, row in rows.items():
            if not row.exact:
                continue
            before, known = found.setdefault(size, (at, row))
            if not math.isclose(known.ratio, row.ratio, rel_tol=_SAME):
                raise BadInput(
                    f"{counted(size, 'page')}: {names[at]} counted a miss ratio of {row.ratio:.6g}, but "
                    f"{names[before]} one of {known.ratio:.6g}: the load was not the same",
                    "leave out one of them, or count all sizes at the same hours of the load",
                )
    return {size: row for size, (_, row) in found.items()}


def _stated(profiles: Sequence[Profile], name: str) -> float | None:
    """Return the share that some of the profiles state; two different ones are refused, counted ones averaged."""
    shares = [
        (float(share), name == "dirty_share" and given.dirty_counted)
        for each in profiles
        if (given := each.curve.given) is not None
        and (share := getattr(given, name)) is not None
    ]
    found = {share for share, counts in shares if not counts}
    if not found and shares:
        return math.fsum(share for share, _ in shares) / len(shares)
    if len(found) > 1:
        raise BadInput(
            f"given.{name}: {' and '.join(f'{each:.6g}' for each in sorted(found))} are stated, but the parts are of "
            "one system",
            "state one share, or none",
        )
    return found.pop() if found else None


def _states_dirty(profiles: Sequence[Profile]) -> bool:
    """Say whether a dirty share is stated, which goes before those that were counted."""
    return any(
        given is not None and given.dirty_share is not None and not given.dirty_counted
        for given in (each.curve.given for each in profiles)
    )


def _check_counted(exact: dict[int, _Measured]) -> None:
    """Refuse counted sizes that miss more as they grow."""
    before: tuple[int, float] | None = None
    for size in sorted(exact):
        ratio = exact[size].ratio
        if before is not None and ratio > before[1]:
            raise BadInput(
                f"{counted(size, 'page')}: the counted miss ratio of {ratio:.4g} exceeds the {before[1]:.4g} of "
                f"{counted(before[0], 'page')}, though the cache is larger: the load was not the same",
                "count all sizes at the same hours of the load",
            )
        before = size, ratio


def _check_of(
    curve: Curve, known: dict[int, _Measured], exact: dict[int, _Measured]
) -> tuple[float | None, str, int | None]:
    """Return by what share the ages give more than what was counted within their range, or their own check; and where."""
    evidence = curve.evidence
    assert evidence is not None  # checked
    within = [
        size
        for size in exact
        if evidence.valid_from <= size <= evidence.valid_to and exact[size].ratio > 0
    ]
    if not within:
        at = evidence.self_check_pages
        if at is None and evidence.self_check is not None:
            at = evidence.valid_to
        return evidence.self_check, evidence.self_check_reason, at
    at = max(within)
    sizes = sorted(known)
    ages = float(np.interp(at, sizes, [known[size].ratio for size in sizes]))
    return ages / exact[at].ratio - 1.0, "", at


def _raised(row: _Measured, size: int, exact: dict[int, _Measured]) -> _Measured:
    """Return the misses of a size by ages, no fewer than those counted above, no more than those counted below."""
    least = max((each.ratio for at, each in exact.items() if at > size), default=0.0)
    most = min((each.ratio for at, each in exact.items() if at < size), default=1.0)
    ratio, low, high = (
        min(max(value, least), most) for value in (row.ratio, row.low, row.high)
    )
    return replace(row, ratio=ratio, low=low, high=high)


def _has_band(aged: Sequence[tuple[Profile, dict[int, _Measured]]]) -> bool:
    return any(_evidence(each).band for each, _ in aged)


def _band(
    sizes: Sequence[int], rows: dict[int, _Measured], aged: Sequence[Evidence]
) -> tuple[tuple[int, float, float], ...]:
    """Return the band of ages where they speak, and between sizes that were counted alone the counts on either side."""
    low = np.minimum.accumulate([rows[size].low for size in sizes])
    high = np.minimum.accumulate([rows[size].high for size in sizes])
    ends = zip(sizes, low.tolist(), np.maximum(low, high).tolist(), strict=True)
    return stepped(
        tuple((size, one, two) for size, one, two in ends),
        lambda one, two: any(
            each.valid_from <= one and two <= each.valid_to for each in aged
        ),
    )


def _said(moved: int, most: float) -> list[str]:
    if not moved:
        return []
    return [
        f"{counted(moved, 'size')} known by ages missed less than a larger size that was counted, by at most "
        f"{percent(most)} of the accesses: raised to it."
    ]


def _profile(
    first: Profile,
    profiles: Sequence[Profile],
    sizes: Sequence[int],
    ratios: Sequence[float],
    evidence: Evidence,
    said: Sequence[str],
) -> Profile:
    curve = first.curve
    page_bytes = curve.page_bytes
    data = [each.curve for each in profiles if each.curve.data_known]
    joined = [
        "Put together of "
        + counted(len(profiles), "measurement")
        + " of one system, whose load is assumed to be the same in all.",
        *(each.text(page_bytes) + "." for each in evidence.parts),
        *said,
    ]
    dirty, writes = (_stated(profiles, name) for name in ("dirty_share", "write_share"))
    unused = (
        {SHARE_OF_READ, SHARE_OF_EVICTED} if _states_dirty(profiles) else frozenset()
    )
    texts = [
        text
        for each in profiles
        if (of := each.curve.given) is not None
        for text in of.assumptions
        if text
        not in _REPLACED
        | unused
        | {about_writes(of.dirty_share, None), about_writes(None, of.write_share)}
    ]
    texts += [] if data else [UNKNOWN_DATA]
    texts += [about_writes(dirty, writes), STRAIGHT_LINES]
    made = Curve.from_lists(
        list(sizes),
        [ratio * curve.accesses for ratio in ratios],
        None,
        accesses=curve.accesses,
        distinct_pages=data[0].distinct_pages if data else sizes[-1],
        page_bytes=page_bytes,
        write_accesses=0,
        given=Given(
            SOURCE,
            data_known=bool(data),
            write_share=writes,
            assumptions=tuple(dict.fromkeys([*joined, *texts])),
            evidence=evidence,
        ),
    )
    if dirty is not None:
        made = made.with_dirty_share(dirty)
    return Profile(made, first.duration_s)


def _check(profiles: Sequence[Profile], names: Sequence[str]) -> None:
    problems = Problems("profiles", _HINT)
    problems.check(
        1 < len(profiles) <= MOST,
        "profiles",
        len(profiles),
        f"must be from 2 to {MOST}",
    )
    for at, each in enumerate(profiles):
        evidence = each.curve.evidence
        where = names[at]
        if problems.check(
            evidence is not None and not each.curve.is_scaled,
            where,
            None,
            "is not a curve from the counters of one system",
        ):
            problems.check(
                each.curve.page_bytes == profiles[0].curve.page_bytes,
                where,
                format_bytes(each.curve.page_bytes),
                f"is the page size, but the first has {format_bytes(profiles[0].curve.page_bytes)}",
            )
            problems.check(
                evidence is None or not evidence.parts,
                where,
                None,
                "was put together already: combine its parts",
            )
            of = each.curve.given
            if of is not None and evidence is not None:
                why = _NO_COUNTS.get((of.source, evidence.kind))
                problems.check(why is None, where, of.source, why or "")
    ages = [
        at
        for at, each in enumerate(profiles)
        if each.curve.evidence is not None and each.curve.evidence.kind == "ages"
    ]
    problems.check(
        len(ages) < 2,  # noqa: PLR2004  # two speak of the same sizes
        "profiles",
        len(ages),
        "have ages: give all snapshots in one text, so that their rates are averaged",
    )
    problems.raise_if_any()
