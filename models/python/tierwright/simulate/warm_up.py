"""Warm-up of a replay: the accesses at its head that are not counted, given as accesses or as a share."""

from __future__ import annotations

import math

from tierwright.common.errors import BadInput
from tierwright.common.wording import counted

WarmUp = int | float
"""Accesses at the head of a trace that are replayed and not counted, or a share of all accesses between 0 and 1.

The caches keep what they leave, so counters are those of the whole replay minus those of its head. A result
with a warm-up names it, `warm_up` [accesses]; its `accesses`, `write_accesses`, hits, misses, reads, writes and
evictions are those behind it, and so are the ratios made of them. `distinct_pages`, sizes, what is left at the
end, and the history of periods or windows are of the whole replay.
"""

_HINT = "give accesses, such as 100000, or a share between 0 and 1, such as 50%"
MOST_ACCESSES = 2**63 - 1
"""More than any trace has, and what the core and JSON documents hold."""


def whole(warm_up: WarmUp) -> int | None:
    """Return a warm-up given in accesses; None for a share.

    Raises
    ------
    BadInput
        If it is neither a whole number from 0 on nor a share between 0 and 1.
    """
    if isinstance(warm_up, bool) or not math.isfinite(warm_up):
        raise BadInput(f"warm-up `{warm_up}` is not a number", _HINT)
    if 0 < warm_up < 1:
        return None
    if warm_up < 0 or warm_up != int(warm_up) or warm_up > MOST_ACCESSES:
        raise BadInput(
            f"warm-up `{warm_up}` is neither a number of accesses nor a share", _HINT
        )
    return int(warm_up)


def accesses_of(warm_up: WarmUp, accesses: int) -> int:
    """Return the accesses that a warm-up is of a trace of so many.

    A share is rounded down, and must be at least one access. 50 % of 75,681 accesses: 37,840.

    Raises
    ------
    BadInput
        As `whole`; if a share is less than one access; if no access is left to count.
    """
    found = whole(warm_up)
    if found is None:
        found = math.floor(warm_up * accesses)
        if found < 1:
            raise BadInput(
                f"{warm_up:.6g} of {counted(accesses, 'access')} is less than one access to "
                "warm up with",
                "give a larger share, or no warm-up",
            )
    if 0 < accesses <= found:
        raise BadInput(
            f"the trace has {counted(accesses, 'access')}, so a warm-up of {found:,} leaves none to count",
            "warm up with fewer accesses than the trace has, such as 50%",
        )
    return found


def parse(text: str) -> WarmUp:
    """Read a warm-up as it is written on the command line: `100000` or `50%`.

    Raises
    ------
    BadInput
        If it is neither a whole number from 0 on nor a percentage between 0 and 100.
    """
    plain = text.strip()
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
