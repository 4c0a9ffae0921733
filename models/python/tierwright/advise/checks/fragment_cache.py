"""The check of a fragment cache: its read miss rate beside replays over fragments."""

from __future__ import annotations

from collections.abc import Mapping

from tierwright.advise.checks.checked import Checked, row
from tierwright.advise.checks.points import (
    MOST_BLOCK_PAGES,
    Counters,
    replayed_fragments,
)
from tierwright.advise.fragment_cache import FragmentCache
from tierwright.common.units import format_bytes
from tierwright.common.wording import percent


def check(
    answer: FragmentCache, *, page_bytes: int, counters: Mapping[str, Counters]
) -> Checked:
    """Put the read miss rate beside replays over fragments.

    Parameters
    ----------
    answer : FragmentCache
        Of the model.
    page_bytes : int
        Page of the workload. [bytes]
    counters : mapping of str to counters
        Of `fragment_replays`.
    """
    rates = replayed_fragments(counters)
    largest = MOST_BLOCK_PAGES * page_bytes
    return Checked(
        finding=finding(rates, answer.read_miss_rate, answer.study.fragment_bytes),
        rows=tuple(
            row(
                str(size),
                f"Fragments of {format_bytes(size)}",
                "read miss rate",
                "share",
                answer.read_miss_rate,
                rate,
            )
            for size, rate in sorted(rates.items())
        ),
        basis="A cache of whole fragments under CLOCK was replayed on every access; "
        "its misses are compared with the misses of RAM. Fragments of 2 to "
        f"{MOST_BLOCK_PAGES} pages can be replayed, up to "
        f"{format_bytes(largest)}. The pace of the threads, the useful share of "
        "a fragment and the validity of written pages are not replayed: they "
        "follow from the given times and run lengths.",
    )


def finding(rates: Mapping[int, float], model: float, asked_bytes: int) -> str:
    """Say how many reads miss by replay, beside what the answer takes."""
    if not rates:
        return "No fragment of these sizes can be replayed."
    size = asked_bytes if asked_bytes in rates else max(rates)
    which = (
        f"Fragments of {format_bytes(size)}"
        if asked_bytes in rates
        else f"Fragments of {format_bytes(asked_bytes)} cannot be replayed; those of "
        f"{format_bytes(size)}"
    )
    return (
        f"{which} miss {percent(rates[size])} of the reads that reach them by replay; "
        f"the answer assumes {percent(model)}."
    )
