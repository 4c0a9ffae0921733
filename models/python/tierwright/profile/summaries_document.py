"""The summaries that a profile file carries, in place of the trace they were counted from.

They hold counts in windows and bins, and no name or address: devices are left out, and where pages
have many different numbers of accesses, numbers within 2 % of each other are put together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tierwright.common.errors import Problems
from tierwright.profile.summaries import (
    Distribution,
    Popularity,
    Requests,
    Runs,
    Summaries,
    Windows,
)

if TYPE_CHECKING:
    from tierwright.profile.popularity import ZipfFit

MOST_COUNTS = 500
"""Different numbers of accesses that pages may have before they are put together."""
STEPS_A_DOUBLING = 32
_MOST_ROWS = 2_000
_LARGEST = 2**53
_STEEPEST = 100
_WINDOW_LISTS = ("accesses", "write_accesses", "distinct_pages", "footprint_pages")
_BIN_LISTS = ("lowest", "highest", "reads", "writes")
_RUN_LISTS = ("lowest", "highest", "runs", "requests")
_VERDICTS = ("close", "rough", "poor")


def to_mapping(found: Summaries) -> dict[str, Any]:
    """Return the key `summaries` of a profile file.

    Parameters
    ----------
    found : Summaries
        Of the whole trace.
    """
    timed, in_ns = found.time_windows, found.reuse_ns
    popularity = asdict(grouped(found.popularity))
    return {
        "windows": asdict(found.windows),
        "time_windows": None if timed is None else asdict(timed),
        "reuse": {
            "in_accesses": asdict(found.reuse),
            "in_ns": None if in_ns is None else asdict(in_ns),
        },
        "popularity": popularity,
        "requests": asdict(found.requests),
    }


def grouped(found: Popularity) -> Popularity:
    """Put numbers of accesses that are close to each other together, where there are many.

    Pages stay exact; the accesses of a group are its rounded mean. The Zipf law is that of the
    exact numbers.
    """
    if len(found.accesses) <= MOST_COUNTS:
        return found
    groups: dict[int, tuple[int, int]] = {}
    for accesses, pages in zip(found.accesses, found.pages, strict=True):
        step = math.floor(STEPS_A_DOUBLING * math.log2(accesses))
        taken, held = groups.get(step, (0, 0))
        groups[step] = (taken + accesses * pages, held + pages)
    # The means of two neighbours may round to one number.
    merged: dict[int, int] = {}
    for taken, held in groups.values():
        mean = round(taken / held)
        merged[mean] = merged.get(mean, 0) + held
    return replace(found, accesses=list(merged), pages=list(merged.values()))


def from_mapping(
    data: Any, profile: Mapping[str, Any], problems: Problems
) -> Summaries | None:
    """Read the key `summaries` of a profile file, checking every value.

    Parameters
    ----------
    data : object
        What the key holds; None where it is absent.
    profile : mapping
        The document: its counts are those of the summaries.
    problems : Problems
        Takes what is wrong.

    Returns
    -------
    Summaries or None
        None without summaries, and where something is wrong.
    """
    if data is None:
        return None
    read = _Reader(problems)
    part = read.part(data, "summaries")
    windows = read.windows(part.get("windows"), "summaries.windows")
    timed = part.get("time_windows")
    time_windows = (
        None if timed is None else read.windows(timed, "summaries.time_windows")
    )
    reuse_part = read.part(part.get("reuse"), "summaries.reuse")
    reuse = read.bins(reuse_part.get("in_accesses"), "summaries.reuse.in_accesses")
    in_ns = reuse_part.get("in_ns")
    reuse_ns = None if in_ns is None else read.bins(in_ns, "summaries.reuse.in_ns")
    popularity = read.popularity(part.get("popularity"), "summaries.popularity")
    requests = read.requests(part.get("requests"), "summaries.requests")
    if problems.found:
        return None
    for where, values, key in (
        ("summaries.windows.accesses", windows.accesses, "accesses"),
        ("summaries.windows.write_accesses", windows.write_accesses, "write_accesses"),
        ("summaries.popularity.pages", popularity.pages, "distinct_pages"),
    ):
        problems.check(
            sum(values) == profile.get(key),
            where,
            sum(values),
            f"must sum up to `{key}` of the profile",
        )
    if problems.found:
        return None
    return Summaries(
        accesses=profile["accesses"],
        write_accesses=profile["write_accesses"],
        distinct_pages=profile["distinct_pages"],
        page_bytes=profile["page_bytes"],
        duration_s=profile.get("duration_s"),
        windows=windows,
        time_windows=time_windows,
        reuse=reuse,
        reuse_ns=reuse_ns,
        popularity=popularity,
        requests=requests,
        devices=None,
    )


class _Reader:
    """Takes parts of a document, noting what is wrong with them."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems

    def part(self, data: Any, where: str) -> Mapping[str, Any]:
        if isinstance(data, Mapping):
            return data
        self._problems.add(where, data, "must be an object")
        return {}

    def count(self, data: Any, where: str, least: int = 0) -> int:
        good = isinstance(data, int) and not isinstance(data, bool)
        if good and least <= data <= _LARGEST:
            return int(data)
        self._problems.add(where, data, f"must be a whole number of at least {least}")
        return 0

    def number(self, data: Any, where: str) -> float:
        good = isinstance(data, (int, float)) and not isinstance(data, bool)
        if good and 0 <= data <= _STEEPEST:  # false for NaN
            return float(data)
        self._problems.add(where, data, f"must be a number from 0 to {_STEEPEST}")
        return 0.0

    def lists(self, data: Any, where: str, keys: tuple[str, ...]) -> list[list[int]]:
        part = self.part(data, where)
        found = [part.get(key) for key in keys]
        lengths = {len(one) if isinstance(one, list) else -1 for one in found}
        if len(lengths) != 1 or not -1 < min(lengths) <= _MOST_ROWS:
            self._problems.add(
                where,
                None,
                f"{', '.join(keys)} must be lists of one length, at most {_MOST_ROWS}",
            )
            return [[] for _ in keys]
        return [
            [
                self.count(one, f"{where}.{key}[{at}]")
                for at, one in enumerate(values or [])
            ]
            for key, values in zip(keys, found, strict=True)
        ]

    def windows(self, data: Any, where: str) -> Windows:
        length = self.count(self.part(data, where).get("length"), f"{where}.length", 1)
        return Windows(length, *self.lists(data, where, _WINDOW_LISTS))

    def bins(self, data: Any, where: str) -> Distribution:
        return Distribution(*self.lists(data, where, _BIN_LISTS))

    def popularity(self, data: Any, where: str) -> Popularity:
        part = self.part(data, where)
        accesses, pages = self.lists(part, where, ("accesses", "pages"))
        self._problems.check(
            bool(accesses)
            and min(accesses) > 0
            and min(pages) > 0
            and all(more > fewer for more, fewer in pairwise(accesses)),
            f"{where}.accesses",
            None,
            "must decrease, to 1 at least, with 1 page or more each",
        )
        return Popularity(
            accesses,
            pages,
            only_read=self.count(part.get("only_read"), f"{where}.only_read"),
            only_written=self.count(part.get("only_written"), f"{where}.only_written"),
            both=self.count(part.get("both"), f"{where}.both"),
            zipf=self.zipf(part.get("zipf"), f"{where}.zipf"),
        )

    def zipf(self, data: Any, where: str) -> ZipfFit | None:
        from tierwright.profile.popularity import ZipfFit

        if data is None:
            return None
        part = self.part(data, where)
        verdict = part.get("verdict")
        self._problems.check(
            verdict in _VERDICTS,
            f"{where}.verdict",
            verdict,
            f"must be one of {', '.join(_VERDICTS)}",
        )
        return ZipfFit(
            exponent=self.number(part.get("exponent"), f"{where}.exponent"),
            standard_error=self.number(
                part.get("standard_error"), f"{where}.standard_error"
            ),
            ks_distance=self.number(part.get("ks_distance"), f"{where}.ks_distance"),
            verdict=str(verdict),
        )

    def requests(self, data: Any, where: str) -> Requests:
        part = self.part(data, where)
        unit = part.get("unit")
        self._problems.check(
            unit in ("bytes", "pages"), f"{where}.unit", unit, "must be bytes or pages"
        )

        def count(key: str, least: int = 0) -> int:
            return self.count(part.get(key), f"{where}.{key}", least)

        return Requests(
            unit=str(unit),
            requests=count("requests", 1),
            sizes=self.bins(part.get("sizes"), f"{where}.sizes"),
            read_amount=count("read_amount"),
            write_amount=count("write_amount"),
            sequential=count("sequential"),
            runs=Runs(*self.lists(part.get("runs"), f"{where}.runs", _RUN_LISTS)),
            longest_run=count("longest_run"),
        )
