"""Write amplification of a flash drive under random overwrites, by its choice of victims.

All assume uniform random overwrites of single pages over the whole logical space, a full drive in
steady state, one write frontier, no compression, a free mapping and no wear levelling. Real drives
differ: a measured write amplification wins. Spare = (physical - logical) / logical.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tierwright.common.errors import BadInput, Problems
from tierwright.evaluate.modern._checked import one

LEAST_SPARE = 1e-6
"""Below it the roots are lost in rounding."""
MOST_SPARE = 1e9
"""Beyond it nothing is left to find: the write amplification is 1."""
MOST_PAGES_PER_BLOCK = 65_536
MOST_LEVELS = 4096
"""Of the fixed point over blocks by valid pages, which solves a root a level."""
MOST_CHOICES = 1000
WHOLE = 1e-9
_NEWTON_STEPS = 60


@dataclass(frozen=True, slots=True)
class FifoAmplification:
    """Cleaning in the order of writing.

    Attributes
    ----------
    survivors : float
        Share of a block's pages still valid when it is cleaned. [1]
    waf : float
        Writes to flash per write of the host. [1]
    """

    survivors: float
    waf: float


@dataclass(frozen=True, slots=True)
class GreedyAmplification:
    """Cleaning the emptiest block.

    Attributes
    ----------
    waf : float
        [1]
    victim_pages : float
        Mean of the valid pages of a victim. [pages]
    """

    waf: float
    victim_pages: float


@dataclass(frozen=True, slots=True)
class TrimAmplification:
    """Random overwrites of which a share trims.

    Attributes
    ----------
    in_use_share : float
        Share of the logical space in use, in the steady state. [1]
    effective_spare : float
        Spare over what is in use. [1]
    waf : float
        [1]
    """

    in_use_share: float
    effective_spare: float
    waf: float


@dataclass(frozen=True, slots=True)
class Stream:
    """Writes that share no block with other streams.

    Attributes
    ----------
    write_share : float
        Share of all writes. [1]
    logical_bytes, physical_bytes : float
        Of a stream of random overwrites. [bytes]
    sequential : bool
        Written in order and invalid in order: needs no spare, has a WAF of 1.
    """

    write_share: float
    logical_bytes: float = 0.0
    physical_bytes: float = 0.0
    sequential: bool = False


@dataclass(frozen=True, slots=True)
class StreamsAmplification:
    """Streams apart from each other.

    Attributes
    ----------
    each : list of float
        WAF of each. [1]
    waf : float
        Of all, by their shares of the writes. [1]
    """

    each: list[float]
    waf: float


def waf_fifo(spare: float) -> FifoAmplification:
    """Write amplification of cleaning in FIFO (or LRU) order.

    WAF = 1 / (1 - d), d < 1 the root of (1 + spare)(1 - d) = -ln d (arXiv 1110.4245; derived
    again by Allison and others, EuroSys 2025).

    Parameters
    ----------
    spare : float
        At least 1e-6. [1]

    Returns
    -------
    FifoAmplification

    Raises
    ------
    BadInput
        If the spare is out of its domain.

    Examples
    --------
    >>> round(waf_fifo(0.3).waf, 2)
    2.36
    """
    from scipy.optimize import brentq

    _check_spare("FIFO cleaning", spare)
    alpha = 1 + spare

    def beyond(log: float) -> float:
        """Return alpha (1 - d) + ln d in u = -ln d: above 0 left of the root."""
        return -alpha * math.expm1(-log) - log

    if beyond(alpha) >= 0:  # so much spare that nothing survives
        return FifoAmplification(0.0, 1.0)
    log = float(
        brentq(beyond, math.log1p(spare), alpha, xtol=1e-300, rtol=1e-15, maxiter=500)
    )
    return FifoAmplification(math.exp(-log), -1 / math.expm1(-log))


def waf_random(spare: float) -> float:
    """Write amplification of cleaning a block at random: (1 + spare) / spare.

    Derived.

    Parameters
    ----------
    spare : float
        At least 1e-6. [1]

    Returns
    -------
    float
        [1]

    Raises
    ------
    BadInput
        If the spare is out of its domain.
    """
    _check_spare("random cleaning", spare)
    return (1 + spare) / spare


def waf_greedy(spare: float, pages_per_block: int) -> GreedyAmplification:
    """Write amplification of cleaning the emptiest block.

    b r with r and v from (1 + spare) / b = r (H_b - H_j) + (1 - r (b - j)) / j, j = v + 1,
    0 <= 1 - r (b - j) <= r, H the harmonic numbers: blocks fall from level to level of valid
    pages at equal rates, and the lowest are taken. Derived, in the theory of Desnoyers and of
    Van Houdt; for large blocks it tends to `waf_fifo`.

    Parameters
    ----------
    spare : float
        At least 1e-6. [1]
    pages_per_block : int
        b, up to 65,536. [pages]

    Returns
    -------
    GreedyAmplification

    Raises
    ------
    BadInput
        If an input is out of its domain.
    """
    subject = "greedy cleaning"
    _check_spare(subject, spare)
    _check_pages(subject, pages_per_block, MOST_PAGES_PER_BLOCK)
    b = pages_per_block
    levels = np.arange(1, b + 1, dtype=np.float64)
    harmonic = np.cumsum(1 / levels)
    if spare >= harmonic[-1] - 1:  # a victim is always empty
        return GreedyAmplification(1.0, 0.0)
    j = levels[:-1]
    rate = ((1 + spare) / b - 1 / j) / ((harmonic[-1] - harmonic[:-1]) - (b - j) / j)
    rest = 1 - rate * (b - j)
    # Rounding may leave the true level just outside; the nearest to inside is taken.
    outside = np.maximum(np.maximum(-rest, rest - rate), 0.0)
    waf = b * float(rate[np.argmin(outside)])
    return GreedyAmplification(waf, b * (1 - 1 / waf))


def waf_choices(spare: float, pages_per_block: int, choices: int) -> float:
    """Write amplification of cleaning the emptiest of some blocks chosen at random.

    Levels p_i of blocks with i valid pages from c i p_i = 1 - (S_(i+1) + p_i)^d, S_i their tail
    sums, c so that the mean is b / (1 + spare); WAF = b / (b - sum of i (S_i^d - S_(i+1)^d)),
    which is (1 + spare) / c. Derived: a mean-field fixed point. One choice is `waf_random`.

    Parameters
    ----------
    spare : float
        At least 1e-6. [1]
    pages_per_block : int
        b, up to 4,096. [pages]
    choices : int
        d, up to 1,000. [1]

    Returns
    -------
    float
        [1]

    Raises
    ------
    BadInput
        If an input is out of its domain.
    """
    from scipy.optimize import brentq

    subject = "cleaning the best of some blocks"
    _check_spare(subject, spare)
    _check_pages(subject, pages_per_block, MOST_LEVELS)
    message = f"must be a whole number from 1 to {MOST_CHOICES:,}"
    good = 1 <= choices <= MOST_CHOICES
    one(subject, "choices", choices, good=good, message=message)
    alpha = 1 + spare
    mean = pages_per_block / alpha

    def beyond(c: float) -> float:
        return _mean_level(c, pages_per_block, choices) - mean

    # A random choice has c = spare, an empty victim c = alpha.
    low, high = spare / 2, alpha * (1 + WHOLE)
    if beyond(high) >= 0 or beyond(low) <= 0:  # beyond rounding: nothing survives
        return 1.0
    c = float(brentq(beyond, low, high, xtol=1e-300, rtol=1e-13, maxiter=200))
    return max(1.0, alpha / c)


def waf_uniform(
    collection: str, spare: float, pages_per_block: int, choices: int = 10
) -> float | None:
    """Write amplification of a rule of collection under uniform random overwrites.

    `waf_greedy`, `waf_fifo`, `waf_random` and `waf_choices`, by the name of the rule.

    Parameters
    ----------
    collection : str
        `greedy`, `fifo`, `random` or `choices`; any other has no closed form.
    spare : float
        (physical - logical) / logical, at least 1e-6. [1]
    pages_per_block : int
        [pages]
    choices : int
        Blocks drawn by `choices`.

    Returns
    -------
    float or None
        None where no formula covers the rule, or `choices` so large a block. [1]

    Raises
    ------
    BadInput
        If a number is out of its domain.

    Examples
    --------
    >>> [round(waf_uniform(rule, 0.28, 64), 2) for rule in ("greedy", "fifo", "random")]
    [2.4, 2.48, 4.57]
    >>> waf_uniform("cost-benefit", 0.28, 64) is None
    True
    """
    if collection == "greedy":
        return waf_greedy(spare, pages_per_block).waf
    if collection == "fifo":
        return waf_fifo(spare).waf
    if collection == "random":
        return waf_random(spare)
    if collection == "choices" and pages_per_block <= MOST_LEVELS:
        return waf_choices(spare, pages_per_block, choices)
    return None


def waf_trim(spare: float, trim_share: float) -> TrimAmplification:
    """Write amplification where a share of the requests trims a random page in use.

    u = (1 - 2q) / (1 - q) of the space is in use, the spare over it is (1 + spare) / u - 1, and
    FIFO cleaning is applied to that. Derived; the model of Frankie and others (arXiv 1208.1794).

    Parameters
    ----------
    spare : float
        At least 1e-6. [1]
    trim_share : float
        q, in [0, 0.5). [1]

    Returns
    -------
    TrimAmplification

    Raises
    ------
    BadInput
        If an input is out of its domain.
    """
    subject = "cleaning with TRIM"
    _check_spare(subject, spare)
    good = 0 <= trim_share < 1 / 2
    message = "must be at least 0 and below 0.5"
    one(subject, "trim_share", trim_share, good=good, message=message)
    used = (1 - 2 * trim_share) / (1 - trim_share)
    effective = spare if used == 1 else (1 + spare) / used - 1
    return TrimAmplification(used, effective, waf_fifo(effective).waf)


def waf_streams(streams: Sequence[Stream]) -> StreamsAmplification:
    """Write amplification of streams that never share a block: write frontiers, zones, FDP.

    Sum of write share x WAF of the stream, FIFO cleaning within each. The case is that of Allison
    and others (EuroSys 2025), whose model errs by up to 16 %, high, for large shares of small
    objects; the sum is derived. Hot and cold pages mixed in one stream are not covered.

    Parameters
    ----------
    streams : sequence of Stream
        Their write shares add up to 1.

    Returns
    -------
    StreamsAmplification

    Raises
    ------
    BadInput
        If an input is out of its domain.
    """
    subject = "streams"
    hint = "give each stream a write share, and more physical than logical bytes"
    problems = Problems(subject, hint)
    if not streams:
        raise BadInput("streams: there is no stream", hint)
    for at, stream in enumerate(streams):
        where = f"streams[{at}]"
        good = math.isfinite(stream.write_share) and 0 <= stream.write_share <= 1
        message = "must be in [0, 1]"
        problems.check(good, f"{where}.write_share", stream.write_share, message)
        if stream.sequential:
            continue
        logical, physical = stream.logical_bytes, stream.physical_bytes
        good = math.isfinite(logical) and logical > 0
        message = "must be above 0"
        if problems.check(good, f"{where}.logical_bytes", logical, message):
            with np.errstate(all="ignore"):
                spare = float(np.float64(physical) / logical) - 1
            good = LEAST_SPARE <= spare <= MOST_SPARE
            message = "must exceed the logical bytes"
            problems.check(good, f"{where}.physical_bytes", physical, message)
    total = math.fsum(stream.write_share for stream in streams)
    good = abs(total - 1) <= WHOLE
    problems.check(good, "streams", total, "write shares must add up to 1")
    problems.raise_if_any()
    each = [
        1.0
        if stream.sequential
        else waf_fifo(stream.physical_bytes / stream.logical_bytes - 1).waf
        for stream in streams
    ]
    pairs = zip(streams, each, strict=True)
    return StreamsAmplification(each, math.fsum(s.write_share * w for s, w in pairs))


def _mean_level(c: float, pages: int, choices: int) -> float:
    """Mean of the valid pages of a block where levels empty at the rate c. [pages]"""
    tail, mean = 0.0, 0.0
    for level in range(pages, 0, -1):
        slope = c * level
        # Convex and rising in p, so Newton's steps from the right only fall to the root.
        p = min(1 - tail, (1 - tail**choices) / slope)
        for _ in range(_NEWTON_STEPS):
            power = (tail + p) ** (choices - 1)
            value = slope * p - 1 + power * (tail + p)
            step = value / (slope + choices * power)
            p -= step
            if abs(step) <= 1e-16 * p:
                break
        p = min(max(p, 0.0), 1 - tail)
        tail += p
        mean += level * p
        if tail >= 1:
            break
    return mean


def _check_spare(subject: str, spare: float) -> None:
    good = LEAST_SPARE <= spare <= MOST_SPARE
    message = f"must be from {LEAST_SPARE:g} to {MOST_SPARE:g}"
    one(subject, "spare", spare, good=good, message=message)


def _check_pages(subject: str, pages: int, most: int) -> None:
    good = 1 <= pages <= most
    message = f"must be a whole number from 1 to {most:,}"
    one(subject, "pages_per_block", pages, good=good, message=message)
