"""Scale laws written from their description: the oracle of ``scale_study.py``.

Reads the recordings of ``docs/capture/postgresql/record_scales.py``, measures the misses of each,
and predicts them from a smaller one of the same benchmark. Plain NumPy; it shares no code with
``tierwright.evaluate.scale``.

*The truth*: exact LRU stack distances of the second half, the first half having filled the cache,
at sizes from 0.5 % of the database to nine tenths of the pages that the first half touched. Where a
scale was recorded several times, the mean of all: what one half of a minute had by chance is no
error of a law.

*The prediction*: for each relation ``r``, its share ``w_r`` of the accesses and the product-limit
(Kaplan and Meier) estimate ``S_r(t)`` of the share of its accesses that are followed by the next
access to their page only after more than ``t`` accesses; an access that is not followed by another
one before the end is censored there. An LRU cache of ``C`` pages holds what was used within a
window of ``t`` accesses, where the mean number of distinct pages in the window,
``sum_r w_r * integral_0^t S_r``, is ``C`` (Denning and Schwartz, "Properties of the working-set
model", 1972); it misses ``sum_r w_r S_r(t)``. A law replaces ``S_r``: reuse times beyond ``tau``
are multiplied by ``k_r``.
"""

from __future__ import annotations

import csv
import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SMALLEST_SHARE = 0.005  # of the larger database
LARGEST_SHARE = (
    0.9  # of the pages touched in the first half: of all, only new ones miss
)
SIZES = 24
FINE_TIMES = 4096  # up to here each reuse time is kept; then steps of 0.2 %
TINY_PAGES = 64  # below, a relation's k is that of its rows: bloat misleads
FORKS = {"_fsm": "fsm_pages", "_vm": "vm_pages"}
# Rows are only ever appended and never read: what is used does not grow with the table.
APPEND_ONLY = {"public.pgbench_history", "public.history"}


@dataclass(frozen=True)
class Recording:
    """One recording.

    Attributes
    ----------
    described
        The JSON beside the trace.
    names
        Of the relations, as in the trace.
    relation, page
        Of each access: the relation's index in ``names``, the page's number; shape ``[accesses]``.
    """

    described: dict[str, Any]
    names: list[str]
    relation: Integers
    page: Integers

    @property
    def label(self) -> str:
        """Such as ``tpcc-20``."""
        return f"{self.described['benchmark']}-{self.described['scale']}"

    @property
    def accesses(self) -> int:
        """Accesses recorded."""
        return len(self.page)

    @property
    def per_transaction(self) -> float:
        """Accesses per transaction."""
        return self.accesses / float(self.described["transactions"])

    @property
    def database_pages(self) -> float:
        """Pages of the database when the recording began."""
        return float(self.described["database_bytes_before"]) / float(
            self.described["page_bytes"]
        )

    def relations(self) -> dict[str, dict[str, Any]]:
        """Return what the server said about each relation, by its name in the trace."""
        return {entry["rel"]: entry for entry in self.described["relations"]}


def read(described: Path) -> Recording:
    """Read a trace and its description."""
    trace = described.with_suffix(".csv.zst")
    numbers: dict[str, int] = {}
    relation: list[int] = []
    block: list[int] = []
    with zstandard.open(trace, "rt", encoding="ascii", newline="") as lines:
        rows = csv.reader(lines)
        if next(rows) != ["time_us", "op", "rel", "block"]:
            raise ValueError(f"{trace} is not a trace of uprobes_to_trace.py")
        for row in rows:
            relation.append(numbers.setdefault(row[2], len(numbers)))
            block.append(int(row[3]))
    relations = np.array(relation, np.int64)
    keys = (relations << 32) | np.array(block, np.int64)
    return Recording(
        json.loads(described.read_text(encoding="utf-8")),
        list(numbers),
        relations,
        np.unique(keys, return_inverse=True)[1].astype(np.int64),
    )


# --- the truth: exact LRU ------------------------------------------------------


def previous_access(page: Integers) -> Integers:
    """Position of the last access to the same page, -1 if there is none."""
    order = np.argsort(page, kind="stable")
    found = np.full(len(page), -1, np.int64)
    same = page[order[1:]] == page[order[:-1]]
    found[order[1:][same]] = order[:-1][same]
    return found


def greater_before(values: Integers) -> Integers:
    """How many earlier elements are greater, for each of a permutation of ``0..n-1``.

    From the highest bit on, elements that agree in all higher bits stand together in their
    order; one whose bit is 0 has as many greater ones before it as stand before it with bit 1.
    """
    count = np.zeros(len(values), np.int64)
    current = values.copy()
    positions = np.arange(len(values))
    for bit in range(max(len(values) - 1, 1).bit_length() - 1, -1, -1):
        ones = (current >> bit) & 1
        before = np.concatenate(([0], np.cumsum(ones)))
        group = current >> (bit + 1)
        starts = np.flatnonzero(np.concatenate(([True], group[1:] != group[:-1])))
        lengths = np.diff(np.append(starts, len(current)))
        within = before[:-1] - np.repeat(before[starts], lengths)
        count[positions[ones == 0]] += within[ones == 0]
        order = np.argsort(current >> bit, kind="stable")
        current, positions = current[order], positions[order]
    return count


def stack_distances(page: Integers) -> Integers:
    """Return the smallest LRU cache, in pages, that hits each access; 0 for a first access."""
    previous = previous_access(page)
    again = np.flatnonzero(previous >= 0)
    rank = np.argsort(np.argsort(previous[again]))
    found = np.zeros(len(page), np.int64)
    # Of the accesses in between, those whose page was already met in between do not count.
    repeated = greater_before(rank)
    found[again] = again - previous[again] - repeated
    return found


@dataclass(frozen=True)
class Truth:
    """Misses of the warm second half of a recording at each size; arrays ``[sizes]``."""

    pages: Integers
    per_access: Floats
    per_transaction: Floats


def missed(recording: Recording, pages: Integers) -> Floats:
    """Misses per access of the second half at each size; shape ``[sizes]``."""
    distances = stack_distances(recording.page)[recording.accesses // 2 :]
    cold = np.count_nonzero(distances == 0)
    ordered = np.sort(distances)
    beyond = len(ordered) - np.searchsorted(ordered, pages, side="right")
    return (beyond + cold) / float(len(ordered))


def truth_of(recording: Recording, again: Sequence[Recording] = ()) -> Truth:
    """Measure the misses of the second half, at sizes that the first half filled.

    With other recordings of the same scale, the mean of all at the sizes that each filled.
    """
    every = [recording, *(one for one in again if one.label == recording.label)]
    filled = min(len(np.unique(one.page[: one.accesses // 2])) for one in every)
    largest = LARGEST_SHARE * filled
    smallest = SMALLEST_SHARE * recording.database_pages
    if largest <= smallest:
        raise ValueError(
            f"{recording.label}: the first half touched only {filled} pages"
        )
    pages = np.unique(np.geomspace(smallest, largest, SIZES).astype(np.int64))
    per_access = [missed(one, pages) for one in every]
    per_transaction = [
        misses * one.per_transaction
        for misses, one in zip(per_access, every, strict=True)
    ]
    return Truth(pages, np.mean(per_access, axis=0), np.mean(per_transaction, axis=0))


# --- the oracle ----------------------------------------------------------------


def time_grid(longest: int) -> Floats:
    """Return the times at which survival is kept: see `FINE_TIMES`."""
    fine = np.arange(0, min(FINE_TIMES, longest) + 1, dtype=np.float64)
    if longest <= FINE_TIMES:
        return fine
    steps = int(np.ceil(np.log(longest / FINE_TIMES) / np.log(1.002)))
    return np.concatenate((fine, np.geomspace(FINE_TIMES, longest, steps + 1)[1:]))


@dataclass(frozen=True)
class Reuse:
    """Reuse of the relations of a recording.

    Attributes
    ----------
    times
        In accesses, from 0; shape ``[times]``.
    survival, window
        ``S_r`` and its integral from 0, times the relation's share of the accesses; shape
        ``[relations, times]``.
    """

    times: Floats
    survival: Floats
    window: Floats


def reuse_of(recording: Recording) -> Reuse:
    """Estimate each relation's survival of reuse times by the product limit."""
    count = recording.accesses
    times = time_grid(count)
    previous = previous_access(recording.page)
    again = np.flatnonzero(previous >= 0)
    waited = (count - np.arange(count)).astype(
        np.float64
    )  # censored, unless used again
    used = np.zeros(count, bool)
    waited[previous[again]] = again - previous[again]
    used[previous[again]] = True
    bins = np.searchsorted(times, waited, side="left")
    survival = np.empty((len(recording.names), len(times)))
    for number in range(len(recording.names)):
        own = recording.relation == number
        ended = np.bincount(bins[own], minlength=len(times))
        events = np.bincount(bins[own & used], minlength=len(times))
        at_risk = np.cumsum(ended[::-1])[::-1]
        stays = 1 - np.divide(
            events, at_risk, out=np.zeros(len(times)), where=at_risk > 0
        )
        survival[number] = np.cumprod(stays) * (np.count_nonzero(own) / count)
    steps = np.diff(times)
    # Between neighbouring whole times S is constant; on longer steps the mean of both ends.
    mean = np.where(
        steps <= 1, survival[:, :-1], (survival[:, :-1] + survival[:, 1:]) / 2
    )
    window = np.concatenate(
        (np.zeros((len(survival), 1)), np.cumsum(mean * steps, axis=1)), axis=1
    )
    return Reuse(times, survival, window)


def scaled(reuse: Reuse, k: Floats, tau: float) -> tuple[Floats, Floats, Floats]:
    """Stretch each relation's reuse times beyond ``tau`` by its ``k``.

    Returns times, the pages of a window of each time, and the misses per access of a cache that
    holds this window; all of shape ``[times]``.
    """
    longest = reuse.times[-1] * max(1.0, float(k.max()))
    times = np.unique(np.concatenate((reuse.times, np.geomspace(1, longest, 8000))))
    pages = np.zeros(len(times))
    misses = np.zeros(len(times))
    for number, factor in enumerate(k):

        def at(values: Floats, when: Any) -> Any:
            return np.interp(when, reuse.times, values)

        own, filled = reuse.survival[number], reuse.window[number]
        first = (
            tau / factor if factor < 1 else tau
        )  # source's time where the stretch sets in
        late = times > tau
        source = np.maximum(times / factor, first)
        misses += np.where(late, at(own, source), at(own, times))
        gap = np.minimum(times, max(tau, factor * tau)) - tau  # nothing ends in it
        pages += np.where(
            late,
            at(filled, tau)
            + gap * at(own, first)
            + factor * (at(filled, source) - at(filled, first)),
            at(filled, times),
        )
    return times, pages, misses


def at_sizes(curve: tuple[Floats, Floats, Floats], sizes: Integers) -> Floats:
    """Misses per access at cache sizes."""
    _, pages, misses = curve
    grows = np.concatenate(([True], np.diff(pages) > 0))
    return np.interp(sizes, pages[grows], misses[grows])


# --- the laws ------------------------------------------------------------------


def relation_factors(small: Recording, large: Recording) -> Floats:
    """By how much each relation of the smaller recording grows."""
    before, after = small.relations(), large.relations()
    by_name = {entry["name"]: entry for entry in after.values()}
    factors = np.ones(len(small.names))
    for number, name in enumerate(small.names):
        plain = name
        pages = "pages"
        for suffix, key in FORKS.items():
            if name.endswith(suffix):
                plain, pages = name.removesuffix(suffix), key
        old = before.get(plain)
        if old is None or not old["name"].startswith("public."):
            continue  # a catalog, or another database: it does not grow with the load
        new = by_name.get(old["name"])
        if new is None or old["name"] in APPEND_ONLY:
            continue
        key = "rows" if pages == "pages" and old["pages_before"] < TINY_PAGES else pages
        if old[f"{key}_before"] > 0 and new[f"{key}_before"] > 0:
            factors[number] = new[f"{key}_before"] / old[f"{key}_before"]
    return factors


def database_factor(small: Recording, large: Recording) -> float:
    """Ratio of the databases' sizes."""
    return large.database_pages / small.database_pages


def default_tau(recording: Recording) -> float:
    """Return the references of one transaction of each client."""
    return float(recording.described["clients"]) * recording.per_transaction


Law = Callable[[Recording, Recording], tuple[Floats, float]]


def _uniform(small: Recording, factor: float) -> Floats:
    return np.full(len(small.names), factor)


LAWS: dict[str, Law] = {
    "unscaled": lambda small, _: (_uniform(small, 1.0), 0.0),
    "stretch": lambda small, large: (
        _uniform(small, database_factor(small, large)),
        0.0,
    ),
    "relations": lambda small, large: (relation_factors(small, large), 0.0),
    "relations_tau": lambda small, large: (
        relation_factors(small, large),
        default_tau(small),
    ),
}


@dataclass(frozen=True)
class Errors:
    """Relative errors of a law for a pair, at each size; shape ``[sizes]``."""

    law: str
    small: Recording
    large: Recording
    pages: Integers
    per_access: Floats
    per_transaction: Floats


def errors_of(
    law: str, small: Recording, large: Recording, truth: Truth, predicted: Floats
) -> Errors:
    """Compare misses per access, predicted for the larger system, with the truth."""
    return Errors(
        law,
        small,
        large,
        truth.pages,
        predicted / truth.per_access - 1,
        predicted * small.per_transaction / truth.per_transaction - 1,
    )


def pairs(recordings: Sequence[Recording]) -> Iterator[tuple[Recording, Recording]]:
    """Each recording with each larger one of its benchmark, and with itself."""
    for small, large in itertools.product(recordings, recordings):
        same = small.described["benchmark"] == large.described["benchmark"]
        if same and small.described["scale"] <= large.described["scale"]:
            yield small, large


def worst(errors: Floats) -> int:
    """Where the absolute error is largest."""
    return int(np.argmax(np.abs(errors)))


def errors_of_all(
    recordings: Sequence[Recording], again: Sequence[Recording] = ()
) -> list[Errors]:
    """Errors of all laws, by the predictions written here.

    The truth of a larger scale is that of all its recordings; a recording that is predicted from
    itself is compared with itself.
    """
    found = []
    reuse = {recording.label: reuse_of(recording) for recording in recordings}
    own = {recording.label: truth_of(recording) for recording in recordings}
    truths = {recording.label: truth_of(recording, again) for recording in recordings}
    for small, large in pairs(recordings):
        truth = (own if small.label == large.label else truths)[large.label]
        for name, law in LAWS.items():
            k, tau = law(small, large)
            predicted = at_sizes(scaled(reuse[small.label], k, tau), truth.pages)
            found.append(errors_of(name, small, large, truth, predicted))
    return found


def errors_of_again(
    recordings: Sequence[Recording], again: Sequence[Recording]
) -> list[Errors]:
    """Differences of another recording of the same scale from the first one."""
    found = []
    for one, other in itertools.product(recordings, again):
        if one.label == other.label:
            truth = truth_of(one)
            found.append(
                errors_of("again", other, one, truth, missed(other, truth.pages))
            )
    return found
