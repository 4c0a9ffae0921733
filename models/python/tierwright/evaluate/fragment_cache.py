"""The fragment cache of the SCE paper: population, eviction, write policies, fragment size.

Source: "SCE" (ADMS 2014), a host-side flash cache under the operating system: section 3.2
and Algorithm 1 (population), 3.3 (asynchronous write-through), 3.4 (fragments), 3.5 (generalised
CLOCK), 3.6 (threads). Memory: `tierwright.evaluate.metadata`; filling: `tierwright.evaluate.recovery`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.checks import broadcast, whole
from tierwright.common.derivation import Derivation, Number, plain
from tierwright.common.errors import BadInput, Problems
from tierwright.evaluate.metadata import (
    SCE_MAP_ENTRY_BYTES,
    check_fragment,
    fragment_cache_metadata,
    fragment_descriptor,
)

PERCENT = 100.0
SECONDS_PER_HOUR = 3600
CLOCK_CEILING = 4
CLOCK_INITIAL_COUNT = 1
"""Count of a newcomer; the paper is silent, PostgreSQL's clock starts at 1."""
MRU_WINDOW = 100
"""Fragments most recently accessed among which the hottest is promoted."""
SCE_PAPER = "SCE paper (ADMS 2014)"
POPULATION_VALIDITY = (
    "an upper bound of the rate: the duration of a promotion is "
    "ignored, and every thread finds a fragment to promote in every "
    "period"
)


@dataclass(frozen=True, slots=True)
class ThreadGroup:
    """Population threads that share one condition.

    Attributes
    ----------
    threads : int
        How many.
    target_miss_rate : float
        They run while the read miss rate is at least this. [1]
    min_free : float
        And while more than this share of the cache is free; 0: always. [1]
    """

    threads: int
    target_miss_rate: float
    min_free: float


THREAD_GROUPS = (
    ThreadGroup(4, 0.35, 0.10),
    ThreadGroup(3, 0.15, 0.0),
    ThreadGroup(1, 0.0, 0.0),
)
"""Groups that reproduce section 3.6: 8 threads, then 4, then 1."""


@dataclass(frozen=True, slots=True)
class PopulationRate:
    """Rate of background population; arrays of one shape.

    Attributes
    ----------
    bytes_per_s, seconds, hours : float64 array
        Rate, and time to fill the bytes asked about. [bytes/s], [s], [h]
    estimator, validity : str
        What was used and where it holds.
    derivation : tuple of Derivation
        Formula, numbers, source.
    """

    bytes_per_s: FloatArray
    seconds: FloatArray
    hours: FloatArray
    estimator: str
    validity: str
    derivation: tuple[Derivation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True, slots=True)
class FragmentTrade:
    """What the fragment size trades; arrays, one entry a size.

    Attributes
    ----------
    fragment_bytes : int64 array
        Sizes asked about. [bytes]
    metadata_bytes : float64 array
        Map and descriptors. [bytes]
    fragments : float64 array
        Promotions that fill the cache.
    fill_s : float64 array
        Least time to fill it. [s]
    used_share : float64 array
        Share of a promoted fragment that is useful: pages of the working set in it. [1]
    flash_writes_per_useful_byte : float64 array
        Bytes written to flash for each useful byte. [1]
    effective_cache_bytes : float64 array
        Cache that holds useful pages. [bytes]
    estimator, validity : str
        What was used and where it holds.
    warnings : tuple of Caution
        What to know before acting on it.
    derivation : tuple of Derivation
        Formula, numbers, source.
    """

    fragment_bytes: NDArray[np.int64]
    metadata_bytes: FloatArray
    fragments: FloatArray
    fill_s: FloatArray
    used_share: FloatArray
    flash_writes_per_useful_byte: FloatArray
    effective_cache_bytes: FloatArray
    estimator: str
    validity: str
    warnings: tuple[Caution, ...]
    derivation: tuple[Derivation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True, slots=True)
class WritePolicy:
    """One write policy; arrays of one shape.

    Attributes
    ----------
    acknowledge_s : float64 array
        Time until a write is acknowledged. [s]
    valid_share : float64 array
        Probability that a cached page can serve a read. [1]
    flash_writes, source_writes : float64 array
        Page writes that one write of the host causes at once. [1]
    """

    acknowledge_s: FloatArray
    valid_share: FloatArray
    flash_writes: FloatArray
    source_writes: FloatArray


@dataclass(frozen=True, slots=True)
class WritePolicies:
    """Write policies side by side.

    Attributes
    ----------
    policies : dict of str to WritePolicy
        `awt`, `write_around`, `write_through`, `write_back`.
    estimator, validity : str
        What was used and where it holds.
    derivation : tuple of Derivation
        Formula, numbers, source.
    """

    policies: dict[str, WritePolicy]
    estimator: str
    validity: str
    derivation: tuple[Derivation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True, slots=True)
class ClockRun:
    """Outcome of a replay through generalised CLOCK.

    Attributes
    ----------
    hits : int
        Accesses to what was cached.
    evicted : list
        Victims in order.
    frames : list
        What each filled frame holds at the end, by index.
    counters : list of int
        Their counters.
    decrements : int
        Steps of the hand over a counter above 0.
    """

    hits: int
    evicted: list[Hashable]
    frames: list[Hashable]
    counters: list[int]
    decrements: int


@dataclass(frozen=True, slots=True)
class Hottest:
    """Fragment to promote.

    Attributes
    ----------
    promote : hashable or None
        None where nothing was accessed.
    candidates : list
        Most recently accessed first.
    """

    promote: Hashable | None
    candidates: list[Hashable]


@dataclass(frozen=True, slots=True)
class Speedup:
    """A throughput against a base; arrays of one shape.

    Attributes
    ----------
    ratio : float64 array
        x / base. [1]
    gain_percent : float64 array
        (ratio - 1) x 100. [%]
    """

    ratio: FloatArray
    gain_percent: FloatArray


def threads(
    read_miss_rate: ArrayLike,
    free_fraction: ArrayLike,
    *,
    groups: Sequence[ThreadGroup] = THREAD_GROUPS,
) -> NDArray[np.int64]:
    """Return the population threads that run (Algorithm 1, comparison signs repaired).

    A group runs while the miss rate is at least its target and the free share is above its
    minimum; a minimum of 0 is always met, else population would never replace.

    Parameters
    ----------
    read_miss_rate, free_fraction : array_like
        In [0, 1]; any shapes that broadcast. [1]
    groups : sequence of ThreadGroup
        Targets must not rise from group to group.

    Returns
    -------
    int64 array
        Not falling in either argument.

    Raises
    ------
    BadInput
        If a share is outside [0, 1], or targets are not ordered.

    Examples
    --------
    >>> threads([0.35, 0.349, 0.5, 0.149], [0.5, 0.5, 0.1, 0.5]).tolist()
    [8, 4, 4, 1]
    """
    v = broadcast(
        "population threads",
        shares={"read_miss_rate": read_miss_rate, "free_fraction": free_fraction},
    )
    targets = [group.target_miss_rate for group in groups]
    problems = Problems(
        "population threads",
        "use falling targets, such as the paper's 0.35, 0.15 and 0",
    )
    problems.check(
        targets == sorted(targets, reverse=True),
        "groups",
        targets,
        "targets must not rise from group to group",
    )
    for group in groups:
        good = 0 <= group.target_miss_rate <= 1 and 0 <= group.min_free <= 1
        problems.check(good, "groups", group, "shares must lie in [0, 1]")
        problems.check(group.threads >= 1, "groups", group, "needs a thread")
    problems.raise_if_any()
    running = np.zeros(v["read_miss_rate"].shape, dtype=np.int64)
    for group in groups:
        wanted = v["read_miss_rate"] >= group.target_miss_rate
        room = (group.min_free == 0) | (v["free_fraction"] > group.min_free)
        running += np.where(wanted & room, group.threads, 0)
    return running


def population_rate(
    fill_bytes: ArrayLike,
    *,
    threads: ArrayLike,
    period_s: ArrayLike,
    fragment_bytes: ArrayLike,
) -> PopulationRate:
    """Rate of population and the time to fill: threads x fragment / period.

    Parameters
    ----------
    fill_bytes : array_like
        Bytes to bring in. [bytes]
    threads : array_like
        Threads that run, at least 1.
    period_s : array_like
        Time that a thread sleeps between promotions. [s]
    fragment_bytes : array_like
        Fragment. [bytes]

    Returns
    -------
    PopulationRate

    Raises
    ------
    BadInput
        If a number is not positive (the bytes may be 0).

    Examples
    --------
    >>> found = population_rate(
    ...     160 * 2**30, threads=8, period_s=0.5, fragment_bytes=2**20
    ... )
    >>> float(found.bytes_per_s) / 2**20, round(float(found.hours), 2)
    (16.0, 2.84)
    """
    v = broadcast(
        "population rate",
        amounts={
            "fill_bytes": fill_bytes,
            "threads": threads,
            "period_s": period_s,
            "fragment_bytes": fragment_bytes,
        },
    )
    problems = Problems(
        "population rate", "use threads, a period and a fragment above 0"
    )
    for name in ("threads", "period_s", "fragment_bytes"):
        problems.check(np.all(v[name] > 0), name, v[name], "must be above 0")
    problems.raise_if_any()
    rate = np.asarray(v["threads"] * v["fragment_bytes"] / v["period_s"])
    seconds = np.asarray(v["fill_bytes"] / rate)
    return PopulationRate(
        rate,
        seconds,
        seconds / SECONDS_PER_HOUR,
        "thread bound",
        POPULATION_VALIDITY,
        (
            Derivation(
                "bytes_per_s",
                rate,
                "bytes/s",
                "threads x fragment / period",
                (
                    Number("threads", v["threads"], "1", "threads that run"),
                    Number("fragment", v["fragment_bytes"], "bytes", "one promotion"),
                    Number("period", v["period_s"], "s", "sleep between promotions"),
                ),
                f"{SCE_PAPER}, section 3.6",
            ),
        ),
    )


def fragment_trade(
    fragment_bytes: Sequence[int],
    *,
    source_bytes: float,
    cache_bytes: float,
    threads: int,
    period_s: float,
    run_bytes: float,
    density: float = 0.0,
) -> FragmentTrade:
    """Weigh fragment sizes: memory and ramp against wasted cache and flash writes.

    Useful data are taken to lie in runs of `run_bytes` on average, each placed anywhere, in
    an otherwise sparse space of which a share `density` is useful. A fragment that is promoted
    for one of its pages then holds, besides that page's run, useful pages by chance:
    used share = s + (1 - s) density with s = run / (run + fragment - page), the share of a
    fragment that a run covers on average where it touches it.

    Parameters
    ----------
    fragment_bytes : sequence of int
        Sizes to compare, multiples of 4 KiB. [bytes]
    source_bytes, cache_bytes : float
        Size of the volume behind the cache, and flash. [bytes]
    threads : int
        Population threads.
    period_s : float
        Time that a thread sleeps between promotions. [s]
    run_bytes : float
        Mean length of a run of useful pages, at least 4 KiB. [bytes]
    density : float
        Share of the space outside the run that is useful. [1]

    Returns
    -------
    FragmentTrade

    Raises
    ------
    BadInput
        If a number is out of its domain.

    Examples
    --------
    >>> found = fragment_trade(
    ...     [2**17, 2**20, 2**23],
    ...     source_bytes=160 * 2**30,
    ...     cache_bytes=30 * 2**30,
    ...     threads=8,
    ...     period_s=0.5,
    ...     run_bytes=2**20,
    ... )
    >>> (
    ...     found.fill_s / found.fill_s[1]
    ... ).tolist()  # section 4.5: 128 KiB ramps 8 times longer
    [8.0, 1.0, 0.125]
    >>> found.used_share.round(3).tolist()
    [0.892, 0.501, 0.111]
    """
    sizes = [int(size) for size in fragment_bytes]
    for size in sizes:
        check_fragment(size)
    page = 4096
    problems = Problems("fragment trade", "give sizes in bytes and a share in [0, 1]")
    problems.check(sizes, "fragment_bytes", None, "needs at least one size")
    problems.check(run_bytes >= page, "run_bytes", run_bytes, "must be at least 4096")
    problems.check(0 <= density <= 1, "density", density, "must lie in [0, 1]")
    problems.raise_if_any()
    memory, fragments = [], []
    for size in sizes:
        found = fragment_cache_metadata(
            source_bytes,
            cache_bytes,
            fragment_bytes=size,
            map_entry_bytes=SCE_MAP_ENTRY_BYTES,
            descriptor_bytes=fragment_descriptor(size).descriptor_bytes,
        )
        memory.append(found.total_bytes)
        fragments.append(cache_bytes / size)
    fill = population_rate(
        cache_bytes, threads=threads, period_s=period_s, fragment_bytes=sizes
    ).seconds
    length = np.asarray(sizes, dtype=np.float64)
    by_run = run_bytes / (run_bytes + length - page)
    used = by_run + (1 - by_run) * density
    return FragmentTrade(
        np.asarray(sizes, dtype=np.int64),
        np.asarray(memory),
        np.asarray(fragments),
        fill,
        used,
        1 / used,
        used * cache_bytes,
        "runs of useful pages, placed at random",
        "population only (no write-through, no re-population after eviction); runs of one "
        "mean length, independent of fragment borders",
        (
            Caution(
                "assumed_runs",
                "the used share rests on the mean run of useful pages that was given",
                "measure the sequentiality of the workload, which [[the trace_summary]] shows",
            ),
        ),
        (
            Derivation(
                "used_share",
                used,
                "1",
                "s + (1 - s) density, s = run / (run + fragment - page)",
                (
                    Number("run", run_bytes, "bytes", "mean run of useful pages"),
                    Number("fragment", length, "bytes", "fragment"),
                    Number("page", page, "bytes", "page"),
                    Number("density", density, "1", "useful share elsewhere"),
                ),
                "derived",
            ),
        ),
    )


def write_policies(
    *,
    source_write_s: ArrayLike,
    flash_write_s: ArrayLike,
    writes_per_s: ArrayLike,
    populations_per_s: ArrayLike = 0.0,
) -> WritePolicies:
    """Asynchronous write-through against write-around and the synchronous policies.

    Validity of one cached page that is written `writes_per_s` times a second (derived):
    under asynchronous write-through it is invalid while a write to flash is in flight,
    exp(-writes x flash write) with Poisson writes; under write-around from a write to the
    next population of its fragment, populations / (populations + writes). Acknowledged
    after the source (both), after source and flash (write-through), after flash (write-back).

    Parameters
    ----------
    source_write_s, flash_write_s : array_like
        Time of a page write to the source, to flash. [s]
    writes_per_s : array_like
        Writes of this page. [1/s]
    populations_per_s : array_like
        Promotions of its fragment; 0: never again. [1/s]

    Returns
    -------
    WritePolicies

    Raises
    ------
    BadInput
        If a number is negative.

    Examples
    --------
    >>> found = write_policies(
    ...     source_write_s=5e-3,
    ...     flash_write_s=1e-3,
    ...     writes_per_s=0.1,
    ...     populations_per_s=0.01,
    ... ).policies
    >>> round(float(found["awt"].valid_share), 4)
    0.9999
    >>> round(float(found["write_around"].valid_share), 4)
    0.0909
    >>> float(found["awt"].acknowledge_s), float(found["write_through"].acknowledge_s)
    (0.005, 0.005)
    """
    v = broadcast(
        "write policies",
        amounts={
            "source_write_s": source_write_s,
            "flash_write_s": flash_write_s,
            "writes_per_s": writes_per_s,
            "populations_per_s": populations_per_s,
        },
    )
    source, flash = v["source_write_s"], v["flash_write_s"]
    writes, populations = v["writes_per_s"], v["populations_per_s"]
    one, none = np.ones(source.shape), np.zeros(source.shape)
    in_flight = np.exp(-writes * flash)
    around = np.ones(source.shape)
    np.divide(populations, populations + writes, out=around, where=writes > 0)
    return WritePolicies(
        {
            "awt": WritePolicy(np.asarray(source), in_flight, one, one),
            "write_around": WritePolicy(np.asarray(source), around, none, one),
            "write_through": WritePolicy(np.maximum(source, flash), one, one, one),
            "write_back": WritePolicy(np.asarray(flash), one, one, none),
        },
        "Poisson writes of one page",
        "writes independent of each other and of populations; within the clone budget of 8 MiB, "
        "beyond which asynchronous write-through writes around",
        (
            Derivation(
                "valid_share (awt)",
                in_flight,
                "1",
                "exp(-w t_f)",
                (
                    Number("w", writes, "1/s", "writes of the page"),
                    Number("t_f", flash, "s", "write to flash"),
                ),
                f"derived from {SCE_PAPER}, section 3.3",
            ),
            Derivation(
                "valid_share (write_around)",
                around,
                "1",
                "p / (p + w)",
                (
                    Number("p", populations, "1/s", "promotions of the fragment"),
                    Number("w", writes, "1/s", "writes of the page"),
                ),
                f"derived from {SCE_PAPER}, section 3.3",
            ),
        ),
    )


def clock(
    accesses: Iterable[Hashable],
    *,
    frames: int,
    ceiling: int = CLOCK_CEILING,
    initial_count: int = CLOCK_INITIAL_COUNT,
) -> ClockRun:
    """Replay accesses through generalised CLOCK with a counter a frame (section 3.5).

    Empty frames are filled in order of their index. A hit adds 1 up to the ceiling. On a miss
    with no empty frame the hand takes 1 from each counter above 0 and moves on, replaces
    the first at 0 and advances by one. A slow model for checking; the replay of traces is
    `tierwright.simulate.replay`.

    Parameters
    ----------
    accesses : iterable of hashable
        Fragments in order.
    frames : int
        Size of the cache; at least 1. [fragments]
    ceiling : int
        Highest counter; at least 1.
    initial_count : int
        Counter of a newcomer, from 0 to the ceiling.

    Returns
    -------
    ClockRun

    Raises
    ------
    BadInput
        If a number is out of range.

    Examples
    --------
    >>> found = clock("ABCAAAAABDEAFBG", frames=3)
    >>> found.hits, "".join(found.evicted), found.decrements
    (7, 'CBDEA', 11)
    """
    whole("CLOCK", frames=frames, ceiling=ceiling)
    if not 0 <= initial_count <= ceiling:
        raise BadInput(
            f"CLOCK: initial_count: `{initial_count}` must lie in [0, {ceiling}]",
            "use a start from 0 to the ceiling for the counter of a newcomer",
        )
    held: list[Hashable] = []
    counters: list[int] = []
    place: dict[Hashable, int] = {}
    evicted: list[Hashable] = []
    hand = hits = decrements = 0
    for fragment in accesses:
        at = place.get(fragment)
        if at is not None:
            hits += 1
            counters[at] = min(ceiling, counters[at] + 1)
            continue
        if len(held) < frames:
            place[fragment] = len(held)
            held.append(fragment)
            counters.append(initial_count)
            continue
        while counters[hand] > 0:
            counters[hand] -= 1
            decrements += 1
            hand = (hand + 1) % frames
        del place[held[hand]]
        evicted.append(held[hand])
        held[hand], counters[hand] = fragment, initial_count
        place[fragment] = hand
        hand = (hand + 1) % frames
    return ClockRun(hits, evicted, held, counters, decrements)


def hottest_of_mru(
    accesses: Iterable[Hashable], *, window: int = MRU_WINDOW
) -> Hottest:
    """Return the fragment to promote: most accesses among the last `window` distinct ones.

    Algorithm 1; among equals the more recently accessed (our rule).

    Parameters
    ----------
    accesses : iterable of hashable
        Fragments in order.
    window : int
        Distinct fragments considered; at least 1.

    Raises
    ------
    BadInput
        If the window is below 1.

    Examples
    --------
    >>> hottest_of_mru("AABCADEDFB", window=3)
    Hottest(promote='B', candidates=['B', 'F', 'D'])
    """
    whole("hottest of MRU", window=window)
    counts: OrderedDict[Hashable, int] = OrderedDict()
    for fragment in accesses:
        counts[fragment] = counts.pop(fragment, 0) + 1
    candidates = list(reversed(counts))[:window]
    promote = max(candidates, key=lambda fragment: counts[fragment], default=None)
    return Hottest(promote, candidates)


def speedup(base: ArrayLike, x: ArrayLike) -> Speedup:
    """Return ratio and gain of a throughput over a base.

    Parameters
    ----------
    base, x : array_like
        In one unit; the base above 0.

    Raises
    ------
    BadInput
        If the base is not positive or x is negative.

    Examples
    --------
    >>> found = speedup(11.2, 56.9)  # Table 1: flashcache over no cache
    >>> round(float(found.ratio), 2), round(float(found.gain_percent))
    (5.08, 408)
    """
    v = broadcast("speed-up", amounts={"base": base, "x": x})
    if not np.all(v["base"] > 0):
        raise BadInput(
            f"speed-up: base: `{v['base']}` must be above 0",
            "give a measured throughput",
        )
    ratio = np.asarray(v["x"] / v["base"])
    return Speedup(ratio, (ratio - 1) * PERCENT)


@dataclass(slots=True)
class FragmentBitmap:
    """Which pages of a cached fragment may serve reads, under one write policy.

    A page is valid if flash holds what the source holds. Under asynchronous write-through
    a write clears its pages at once, is acknowledged with the source, and sets the pages
    again when source and flash have both completed and no other write to them is in flight.
    A write of a part of a page validates only a page that was valid before; a failure on either
    side leaves its pages invalid until the next population. Write-around clears and never sets.

    Attributes
    ----------
    pages : int
        Pages of the fragment.
    asynchronous : bool
        Asynchronous write-through, else write-around.
    """

    pages: int
    asynchronous: bool = True
    _valid: list[bool] = field(init=False, repr=False)
    _in_flight: list[int] = field(init=False, repr=False)
    _sound: list[bool] = field(init=False, repr=False)
    _writes: dict[int, _Write] = field(init=False, repr=False)
    _next: int = field(init=False, default=0, repr=False)

    def __post_init__(self) -> None:
        whole("fragment bitmap", pages=self.pages)
        self._valid = [False] * self.pages
        self._in_flight = [0] * self.pages
        self._sound = [True] * self.pages
        self._writes = {}

    @property
    def valid(self) -> tuple[bool, ...]:
        """Validity of each page."""
        return tuple(self._valid)

    @property
    def in_flight(self) -> tuple[int, ...]:
        """Writes to flash that each page waits for."""
        return tuple(self._in_flight)

    def populate(self) -> None:
        """Bring the fragment in: every page without a write in flight becomes valid."""
        self._valid = [count == 0 for count in self._in_flight]

    def hit(self, pages: Iterable[int]) -> bool:
        """Whether a read of all these pages is a hit: each of them is valid."""
        return all(self._valid[page] for page in self._checked(pages))

    def write(
        self, pages: Iterable[int], *, whole_pages: bool = True, clone: bool = True
    ) -> int:
        """Start a write and return its number.

        Parameters
        ----------
        pages : iterable of int
            Pages touched.
        whole_pages : bool
            Whether it covers each of them fully.
        clone : bool
            Whether a clone buffer is free; without one the write goes around flash.

        Raises
        ------
        BadInput
            If a page is outside the fragment.
        """
        touched = self._checked(pages)
        to_flash = self.asynchronous and clone
        for page in touched:
            if self._in_flight[page] == 0:
                self._sound[page] = to_flash and (whole_pages or self._valid[page])
            elif not to_flash:
                self._sound[page] = False
            self._valid[page] = False
            self._in_flight[page] += to_flash
        number = self._next
        self._next += 1
        if to_flash:
            self._writes[number] = _Write(touched)
        return number

    def source_done(self, number: int, *, ok: bool = True) -> None:
        """Complete a write at the source, which acknowledges it; `ok` False: it failed."""
        self._done(number, "source", ok=ok)

    def flash_done(self, number: int, *, ok: bool = True) -> None:
        """Complete a write on flash; `ok` False: it failed."""
        self._done(number, "flash", ok=ok)

    def _done(self, number: int, side: str, *, ok: bool) -> None:
        write = self._writes.get(number)
        if write is None:  # went around flash, or has completed
            return
        write.open_sides.discard(side)
        for page in write.pages:
            self._sound[page] = self._sound[page] and ok
        if write.open_sides:
            return
        del self._writes[number]
        for page in write.pages:
            self._in_flight[page] -= 1
            if self._in_flight[page] == 0:
                self._valid[page] = self._sound[page]

    def _checked(self, pages: Iterable[int]) -> tuple[int, ...]:
        touched = tuple(dict.fromkeys(pages))
        for page in touched:
            if not 0 <= page < self.pages:
                raise BadInput(
                    f"fragment bitmap: page: `{page}` is outside the fragment",
                    f"pages count from 0 to {self.pages - 1}",
                )
        return touched


@dataclass(slots=True)
class _Write:
    """A write that flash or the source has not completed."""

    pages: tuple[int, ...]
    open_sides: set[str] = field(default_factory=lambda: {"source", "flash"})
