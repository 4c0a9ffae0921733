"""Warm-up of a replay: the accesses at its head that are not counted, as accesses, as a share, or until full."""

from __future__ import annotations

import math
from typing import Literal

from tierwright.common.errors import BadInput
from tierwright.common.wording import counted

Full = Literal["full"]
FULL: Full = "full"
"""The warm-up of a replay that ends with the access that fills its cache."""

WarmUp = int | float | Full
"""Accesses at the head of a trace that are replayed and not counted, a share of all accesses between 0 and 1, or `full`.

The caches keep what they leave, so counters are those of the whole replay minus those of its head. A result
with a warm-up names it, `warm_up` [accesses]; its `accesses`, `write_accesses`, hits, misses, reads, writes and
evictions are those behind it, and so are the ratios made of them. `distinct_pages`, sizes, what is left at the
end, and the history of periods or windows are of the whole replay.

`full`: the warm-up ends with the access after which the flash of the replay holds its full number of pages for
the first time, or its only cache where it has no flash; `warm_up` is the number of these accesses, and
`warm_up_until_full` is true. The frames of a flash of blocks count as blocks, and those of a flash cache count with old
versions. So each configuration has a warm-up of its own. A cache that the trace never fills, or only with its last
access, is an error that says how full it got.
"""

AskedWarmUp = int | Full
"""A warm-up as the core takes it: a share is counted. [accesses]"""

_HINT = "give accesses, such as 100000, a share between 0 and 1, such as 50%, or full"
MOST_ACCESSES = 2**63 - 1
"""More than any trace has, and what the core and JSON documents hold."""


def whole(warm_up: WarmUp) -> AskedWarmUp | None:
    """Return a warm-up given in accesses, or `full`; None for a share.

    Raises
    ------
    BadInput
        If it is neither `full`, nor a whole number from 0 on, nor a share between 0 and 1.
    """
    if isinstance(warm_up, str):
        if warm_up == FULL:
            return FULL
        raise BadInput(f"warm-up `{warm_up}` is not a warm-up", _HINT)
    if isinstance(warm_up, bool) or not math.isfinite(warm_up):
        raise BadInput(f"warm-up `{warm_up}` is not a number", _HINT)
    if 0 < warm_up < 1:
        return None
    if warm_up < 0 or warm_up != int(warm_up) or warm_up > MOST_ACCESSES:
        raise BadInput(
            f"warm-up `{warm_up}` is neither a number of accesses nor a share", _HINT
        )
    return int(warm_up)


def accesses_of(warm_up: WarmUp, accesses: int) -> AskedWarmUp:
    """Return the accesses that a warm-up is of a trace of so many; `full` stays, because only a replay shows them.

    A share is rounded down, and must be at least one access. 50 % of 75,681 accesses: 37,840.

    Raises
    ------
    BadInput
        As `whole`; if a share is less than one access; if no access is left to count.
    """
    found = whole(warm_up)
    if isinstance(found, str):
        return found
    head = math.floor(float(warm_up) * accesses) if found is None else found
    if found is None and head < 1:
        raise BadInput(
            f"{float(warm_up):.6g} of {counted(accesses, 'access')} is less than one access to "
            "warm up with",
            "give a larger share, or no warm-up",
        )
    if 0 < accesses <= head:
        raise BadInput(
            f"the trace has {counted(accesses, 'access')}, so a warm-up of {head:,} leaves none to count",
            "warm up with fewer accesses than the trace has, such as 50%",
        )
    return head


def parse(text: str) -> WarmUp:
    """Read a warm-up as it is written on the command line: `100000`, `50%` or `full`.

    Raises
    ------
    BadInput
        If it is neither `full`, nor a whole number from 0 on, nor a percentage between 0 and 100.
    """
    plain = text.strip()
    if plain.lower() == FULL:
        return FULL
    number = plain.removesuffix("%").strip()
    try:
        if number == plain:
            return whole(int(plain)) or 0
        share = float(number) / 100
    except ValueError:
        raise BadInput(f"[[warm_up]]: `{text}` is not a warm-up", _HINT) from None
    if not 0 <= share < 1:
        raise BadInput(
            f"[[warm_up]]: `{text}` is not a share that leaves accesses to count", _HINT
        )
    return share
