"""What a curve that was not measured from a trace rests on: its class, its range and its error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import Problems
from tierwright.common.fields import is_count, is_number
from tierwright.common.units import format_bytes, format_microseconds
from tierwright.common.wording import counted, listed, percent

EvidenceClass = Literal["points", "ages", "one_point"]
"""Hits that the system measured at two or more sizes; ages of what is resident; one size and its hit ratio."""
CLASSES: tuple[EvidenceClass, ...] = get_args(EvidenceClass)
"""From the strongest to the weakest."""
MissesRead = Literal["device", "cache", "unknown"]
"""What answers a miss where another cache may lie below: the device, that cache too, or nobody has said."""
MISSES_READ: tuple[MissesRead, ...] = get_args(MissesRead)
STATED: tuple[str, ...] = ("device", "cache")
"""Of these, what can be stated."""
INDICATIVE = 0.25
"""Gap of the self-check above which a curve is indicative only. [1]"""
TITLES: Mapping[str, str] = {
    "points": "points",
    "ages": "ages",
    "one_point": "one point",
}
"""Names to show."""
ENVELOPE = "upper envelope"
"""What hit ratios are called that are maxima over intervals, beside their class."""
_MOST_BAND = 4000
_MOST_PARTS = 20
_LEAST_RATIO = 1e-9
_AGREES = 5e-4
_ROUNDED = 1e-9
_LONGEST_TEXT = 500


@dataclass(frozen=True, slots=True)
class Part:
    """One of several measurements of which a curve was put together.

    Attributes
    ----------
    kind : str
        `points`, `ages` or `one_point`.
    valid_from, valid_to : int
        Range of sizes that it gives. [pages]
    source : str
        Kind of its input.
    """

    kind: EvidenceClass
    valid_from: int
    valid_to: int
    source: str

    def text(self, page_bytes: int) -> str:
        """Say what it is and which sizes it gives."""
        low, high = (
            format_bytes(size * page_bytes) for size in (self.valid_from, self.valid_to)
        )
        sizes = high if self.valid_from == self.valid_to else f"{low} to {high}"
        return f"{TITLES[self.kind]} ({self.source}): {sizes}"

    def to_dict(self) -> dict[str, Any]:
        """Return one row of the key `parts`."""
        return {
            "evidence": self.kind,
            "valid_from": self.valid_from,
            "valid_to": self.valid_to,
            "source": self.source,
        }


@dataclass(frozen=True, slots=True)
class Tier:
    """What one level of a running hierarchy answered, as its system counts it.

    Attributes
    ----------
    name : str
        Of the level.
    size_bytes : int or None
        In use; None of the lowest one. [bytes]
    requests_per_s : float
        Requests that it answered. [1/s]
    read_us : float or None
        Mean time of a read of it; None where none was measured. [µs]
    """

    name: str
    size_bytes: int | None
    requests_per_s: float
    read_us: float | None = None

    def text(self) -> str:
        """Say what it answered."""
        size = "" if self.size_bytes is None else f", {format_bytes(self.size_bytes)}"
        time = (
            ""
            if self.read_us is None
            else f", {format_microseconds(self.read_us)} per read"
        )
        return (
            f"{self.name}{size}: {self.requests_per_s:,.4g} requests per second{time}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return one row of the key `tiers`."""
        return {
            "name": self.name,
            "size_bytes": self.size_bytes,
            "requests_per_s": self.requests_per_s,
            "read_us": self.read_us,
        }


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a curve rests on.

    Attributes
    ----------
    kind : str
        `points`, `ages` or `one_point`.
    valid_from, valid_to : int
        Range of sizes of which it speaks: nothing is known beyond. [pages]
    self_check : float or None
        By what share the curve differs from what the system itself counts; positive where it gives more misses.
        None where there is no such count. [1]
    self_check_reason : str
        Why there is none; empty where there is one.
    self_check_pages : int or None
        Size at which it was made: the largest of which the curve speaks, or one that was counted beside it. None
        where there is none. [pages]
    snapshots : int
        Snapshots or intervals that were averaged.
    band : tuple of (int, float, float)
        Size [pages], least and largest miss ratio [1], straight between the rows; empty where no band is known.
        Between two counted sizes it is as high as the counts on either side (`stepped`).
    tiers : tuple of Tier
        Levels of the hierarchy that was counted, from the fastest; empty where it was not counted by level.
    envelope : bool
        Whether hit ratios are maxima over intervals: an upper envelope, of which the mean lies below.
    parts : tuple of Part
        Of which it was put together, by size; empty of one measurement. `kind` is then the weakest that gives a
        curve.
    misses_read : str or None
        What answers a miss, where the cache of an operating system may lie below: one of `MISSES_READ`. None where
        none does, or nothing is known of it.
    """

    kind: EvidenceClass
    valid_from: int
    valid_to: int
    self_check: float | None = None
    self_check_reason: str = ""
    snapshots: int = 1
    band: tuple[tuple[int, float, float], ...] = ()
    parts: tuple[Part, ...] = ()
    self_check_pages: int | None = None
    tiers: tuple[Tier, ...] = ()
    envelope: bool = False
    misses_read: MissesRead | None = None

    @property
    def is_indicative(self) -> bool:
        """Whether its own check shows an error above `INDICATIVE`, in either direction."""
        if self.self_check is None:
            return False
        return error_ratio(self.self_check) > 1.0 + INDICATIVE

    @property
    def title(self) -> str:
        """Class to show, with how far it can be relied on."""
        kinds = [each for each in CLASSES if any(p.kind == each for p in self.parts)]
        named = listed([TITLES[each] for each in kinds or [self.kind]])
        return (
            named
            + (f", {ENVELOPE}" if self.envelope else "")
            + (", indicative" if self.is_indicative else "")
        )

    def unknown(self, smallest: FloatArray, largest: FloatArray) -> NDArray[np.bool_]:
        """Say which choices of sizes rest on more than it speaks of: unknown, not worse.

        Parameters
        ----------
        smallest, largest : float64 array
            Sizes at which each reads the curve. [pages]

        Returns
        -------
        bool array
            All of one point, which recommends no size, that of today neither.
        """
        if self.kind == "one_point":
            return np.ones(smallest.shape, dtype=np.bool_)
        return np.asarray((smallest < self.valid_from) | (largest > self.valid_to))

    def covers(self, smallest: ArrayLike, largest: ArrayLike) -> NDArray[np.bool_]:
        """Say where it speaks of every size from one to another, to the last bits of a size.

        Parameters
        ----------
        smallest, largest : array_like
            Broadcast against each other. [pages]
        """
        return np.asarray(
            (np.asarray(smallest) >= self.valid_from * (1.0 - _ROUNDED))
            & (np.asarray(largest) <= self.valid_to * (1.0 + _ROUNDED))
        )

    def reads_beyond(self, smallest: float, largest: float) -> bool:
        """Whether what is read from one size to another is beyond what it speaks of: unknown.

        Of one point the present size alone is known, where nothing is recommended but today's costs stand.

        Parameters
        ----------
        smallest, largest : float
            [pages]
        """
        return smallest < self.valid_from or largest > self.valid_to

    def ends(self, pages: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the least and the largest miss ratio at some sizes; the band is not empty. [1]"""
        sizes, low, high = np.asarray(self.band, dtype=np.float64).T
        at = np.asarray(pages, dtype=np.float64)
        return np.interp(at, sizes, low), np.interp(at, sizes, high)

    def range_text(self, page_bytes: int) -> str:
        """Say of which sizes it speaks."""
        low, high = (
            format_bytes(size * page_bytes) for size in (self.valid_from, self.valid_to)
        )
        return high if self.valid_from == self.valid_to else f"{low} to {high}"

    @property
    def gap_text(self) -> str:
        """Say by how much it is off by its own check, in short."""
        if self.self_check is None:
            return "not checked"
        much = abs(self.self_check)
        if much < _AGREES:
            return "none"
        return f"{percent(much)} {'more' if self.self_check > 0 else 'fewer'} misses"

    def check_text(self, page_bytes: int) -> str:
        """Say how far it is off by its own check and at which size, or why there is none.

        A curve that was put together stands on what was counted: there it is the ages alone that are off.
        """
        if self.self_check is None:
            return f"no self-check: {self.self_check_reason}"
        at = self.self_check_pages or self.valid_to
        size = format_bytes(at * page_bytes)
        if at == self.valid_to:
            size = f"its largest size, {size},"
        elif at > self.valid_to:
            size = (
                f"{size}, to which they are carried on for this alone,"
                if self.parts
                else f"{size}, to which it is carried on for this alone,"
            )
        much = abs(self.self_check)
        if much < _AGREES:
            return (
                f"at {size} the ages alone agree with what the system counts"
                if self.parts
                else f"at {size} it agrees with what the system counts"
            )
        which = "above" if self.self_check > 0 else "below"
        if self.parts:
            return f"at {size} the ages alone give misses {percent(much)} {which} what the system counts"
        return (
            f"at {size} its misses are {percent(much)} {which} what the system counts"
        )

    def snapshots_text(self) -> str:
        """Say how many snapshots it rests on, and whether they give a band."""
        if self.parts:
            return counted(
                len(self.parts), "measurement together", "measurements together"
            )
        if self.kind != "ages":
            return counted(self.snapshots, "measurement")
        said = counted(self.snapshots, "snapshot")
        if self.band:
            return said
        return f"{said}, too few for a band"

    def resized(self, resize: Callable[[FloatArray], FloatArray]) -> Evidence:
        """Return that of a curve whose sizes are others, all else equal.

        Parameters
        ----------
        resize : callable
            Makes of sizes, which increase, those that correspond. [pages]
        """
        sizes = [
            self.valid_from,
            self.valid_to,
            self.self_check_pages or self.valid_to,
            *(row[0] for row in self.band),
            *(end for each in self.parts for end in (each.valid_from, each.valid_to)),
        ]
        # Sizes are resized in their order, as they were measured.
        known, back = np.unique(
            np.asarray(sizes, dtype=np.float64), return_inverse=True
        )
        found = np.maximum(np.rint(resize(known)), 1.0).astype(int)[back].tolist()
        first, last, checked, *others = found
        rows = zip(others, self.band, strict=False)
        ends = others[len(self.band) :]
        parts = zip(self.parts, ends[::2], ends[1::2], strict=True)
        return replace(
            self,
            valid_from=first,
            valid_to=last,
            band=_distinct((size, row[1], row[2]) for size, row in rows),
            parts=tuple(
                replace(each, valid_from=low, valid_to=high)
                for each, low, high in parts
            ),
            self_check_pages=None if self.self_check_pages is None else checked,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the key `evidence` of a profile file, spread over its fields."""
        return {
            "evidence": self.kind,
            "valid_from": self.valid_from,
            "valid_to": self.valid_to,
            "self_check": self.self_check,
            "self_check_reason": self.self_check_reason,
            "self_check_pages": self.self_check_pages,
            "indicative": self.is_indicative,
            "snapshots": self.snapshots,
            "band": [list(row) for row in self.band],
            **(
                {"parts": [each.to_dict() for each in self.parts]} if self.parts else {}
            ),
            **(
                {"tiers": [each.to_dict() for each in self.tiers]} if self.tiers else {}
            ),
            **({"envelope": True} if self.envelope else {}),
            **({"misses_read": self.misses_read} if self.misses_read else {}),
        }


def stepped(
    rows: Sequence[tuple[int, float, float]], continuous: Callable[[int, int], bool]
) -> tuple[tuple[int, float, float], ...]:
    """Return a band that is nowhere narrower than the sizes on either side allow.

    Misses do not rise with size. So between two sizes of which nothing is known in between they lie from the least
    of the larger one to the most of the smaller one, at every size from the one to the other.

    Parameters
    ----------
    rows : sequence of (int, float, float)
        Size [pages], increasing, least and largest miss ratio [1].
    continuous : callable
        Whether the curve is known at every size between two that follow each other.

    Returns
    -------
    tuple of (int, float, float)
        With rows right above and below such sizes; empty where they would be too many.
    """
    if not rows:
        return ()
    found = [rows[0]]
    for (one, _, most), row in pairwise(rows):
        two, least, _ = row
        if not continuous(one, two):
            found += [
                (at, min(least, most), most)
                for at in sorted({one + 1, two - 1})
                if one < at < two
            ]
        found.append(row)
    return tuple(found) if len(found) <= _MOST_BAND else ()


def error_ratio(gap: float) -> float:
    """Return how many times too many or too few a gap is: an error is a ratio.

    Examples
    --------
    >>> error_ratio(0.25), error_ratio(-0.2)
    (1.25, 1.25)
    """
    ratio = max(1.0 + gap, _LEAST_RATIO)
    return max(ratio, 1.0 / ratio)


def _distinct(
    rows: Iterable[tuple[int, float, float]],
) -> tuple[tuple[int, float, float], ...]:
    """Return one row for each size: of rows that became one size, the least low and the largest high.

    So a band is nowhere narrower than before, and a step, whose rows are one page apart, stays one.
    """
    found: dict[int, tuple[int, float, float]] = {}
    for size, low, high in rows:
        _, least, most = found.get(size, (size, low, high))
        found[size] = size, min(least, low), max(most, high)
    return tuple(found.values())


def weakest(
    found: Sequence[Evidence | None], sizes: NDArray[np.int64], held_pages: FloatArray
) -> Evidence | None:
    """Return the evidence of a cache that several workloads share: the weakest class, and the sizes that all speak of.

    Parameters
    ----------
    found : sequence of Evidence or None
        Of each workload; None of one that was measured, described or given without evidence.
    sizes : int64 array, shape (n,)
        Of the shared cache, increasing. [pages]
    held_pages : float64 array, shape (k, n)
        What each workload holds of it, which does not fall: there its curve is read. [pages]

    Returns
    -------
    Evidence or None
        None where no workload has evidence. Of one point, which speaks of no size, where there is no size of which each
        of them holds what it speaks of.
    """
    first, last, known = 0, len(sizes) - 1, [each for each in found if each is not None]
    if not known:
        return None
    for each, held in zip(found, held_pages, strict=True):
        if each is not None:
            least, most = (
                each.valid_from * (1 - _ROUNDED),
                each.valid_to * (1 + _ROUNDED),
            )
            first = max(first, int(np.searchsorted(held, least, side="left")))
            last = min(last, int(np.searchsorted(held, most, side="right")) - 1)
    kind = max((each.kind for each in known), key=CLASSES.index)
    reason = "it is composed of several workloads"
    if first > last:
        kind, reason = (
            "one_point",
            f"{reason}, and no size is one that each of them speaks of",
        )
        first = last = max(last, 0)
    return Evidence(
        kind,
        int(sizes[first]),
        int(sizes[last]),
        None,
        reason,
        min(each.snapshots for each in known),
    )


def from_mapping(given: Mapping[str, Any], problems: Problems) -> Evidence | None:
    """Read the evidence within `given` of a profile; None where it has none."""
    kind = given.get("evidence")
    if kind is None:
        return None
    before = len(problems.found)
    problems.check(
        kind in CLASSES,
        "given.evidence",
        kind,
        f"must be one of {', '.join(CLASSES)}, or absent",
    )
    for key in ("valid_from", "valid_to", "snapshots"):
        value = given.get(key)
        problems.check(
            is_count(value) and value > 0,
            f"given.{key}",
            value,
            "must be a positive whole number",
        )
    check = given.get("self_check")
    problems.check(
        check is None or (is_number(check) and check >= -1),
        "given.self_check",
        check,
        "must be a number, at least -1, or null",
    )
    reason = given.get("self_check_reason", "")
    problems.check(
        isinstance(reason, str)
        and len(reason) <= _LONGEST_TEXT
        and (check is not None or bool(reason)),
        "given.self_check_reason",
        reason,
        "must be a text, which says why where there is no self-check",
    )
    checked_at = given.get("self_check_pages")
    problems.check(
        checked_at is None or (is_count(checked_at) and checked_at > 0),
        "given.self_check_pages",
        checked_at,
        "must be a positive whole number, or null",
    )
    band = given.get("band", [])
    good = (
        isinstance(band, list)
        and len(band) <= _MOST_BAND
        and all(_is_row(row) for row in band)
        and all(one[0] < two[0] for one, two in pairwise(band))
    )
    problems.check(
        good,
        "given.band",
        None,
        f"must be a list of at most {_MOST_BAND} [pages, low, high], sizes increasing and "
        "0 <= low <= high <= 1",
    )
    parts = given.get("parts", [])
    problems.check(
        isinstance(parts, list)
        and len(parts) <= _MOST_PARTS
        and all(_is_part(part) for part in parts),
        "given.parts",
        None,
        f"must be a list of at most {_MOST_PARTS} objects with evidence, valid_from, valid_to and source",
    )
    envelope = given.get("envelope", False)
    problems.check(
        isinstance(envelope, bool), "given.envelope", envelope, "must be true or false"
    )
    below = given.get("misses_read")
    problems.check(
        below is None or below in MISSES_READ,
        "given.misses_read",
        below,
        f"must be one of {', '.join(MISSES_READ)}",
    )
    tiers = given.get("tiers", [])
    problems.check(
        isinstance(tiers, list)
        and len(tiers) <= _MOST_PARTS
        and all(_is_tier(tier) for tier in tiers),
        "given.tiers",
        None,
        f"must be a list of at most {_MOST_PARTS} objects with name, size_bytes, requests_per_s and read_us",
    )
    if len(problems.found) == before:
        problems.check(
            given["valid_from"] <= given["valid_to"],
            "given.valid_to",
            given["valid_to"],
            "must not be below valid_from",
        )
    if len(problems.found) > before:
        return None
    return Evidence(
        kind,
        given["valid_from"],
        given["valid_to"],
        None if check is None else float(check),
        reason,
        given["snapshots"],
        tuple((row[0], float(row[1]), float(row[2])) for row in band),
        tuple(
            Part(part["evidence"], part["valid_from"], part["valid_to"], part["source"])
            for part in parts
        ),
        checked_at,
        tuple(
            Tier(
                tier["name"],
                tier["size_bytes"],
                float(tier["requests_per_s"]),
                None if tier["read_us"] is None else float(tier["read_us"]),
            )
            for tier in tiers
        ),
        envelope,
        below,
    )


def _is_tier(tier: Any) -> bool:
    if not isinstance(tier, Mapping):
        return False
    name, size, rate, time = (
        tier.get(key) for key in ("name", "size_bytes", "requests_per_s", "read_us")
    )
    return (
        isinstance(name, str)
        and 0 < len(name) <= _LONGEST_TEXT
        and (size is None or (is_count(size) and size > 0))
        and is_number(rate)
        and rate >= 0
        and (time is None or (is_number(time) and time >= 0))
    )


def _is_part(part: Any) -> bool:
    if not isinstance(part, Mapping):
        return False
    low, high, source = (part.get(key) for key in ("valid_from", "valid_to", "source"))
    return (
        part.get("evidence") in CLASSES
        and is_count(low)
        and is_count(high)
        and 0 < low <= high
        and isinstance(source, str)
        and len(source) <= _LONGEST_TEXT
    )


def _is_row(row: Any) -> bool:
    match row:
        case [pages, low, high]:
            return (
                is_count(pages)
                and pages > 0
                and is_number(low)
                and is_number(high)
                and 0 <= low <= high <= 1
            )
        case _:
            return False
