"""What the adaptive split does while writes, or their cost, change from epoch to epoch.

Source: On et al. (CIKM 2010), sections 4.4 and 5.1: models WM1, WM2, RM1 and RM2 over one's own
trace, and the advisor beside LRU, CFLRU and static splits. The replay is the core's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tierwright.advise.in_production import BufferInProduction
from tierwright.advise.pool_gain import window_accesses as accesses_of_window
from tierwright.advise.pool_split import largest_buffer
from tierwright.common.answer import Answer, Figure, Step, steps
from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.derivation import Derivation, Number, plain
from tierwright.common.errors import Problems
from tierwright.common.wording import counted, percent, three_digits
from tierwright.evaluate.page_flow.cautions import about_trace
from tierwright.evaluate.page_flow.decision import about_sizes, check_belongs
from tierwright.evaluate.pool_split.costs import check_asymmetry, gain
from tierwright.evaluate.pool_split.workload import (
    ALTERNATING_FACTOR,
    ASYMMETRY_STEP,
    WRITE_SHARE_STEP,
    epoch,
)
from tierwright.profile.curve import Curve
from tierwright.simulate.replay import simulate_dynamics
from tierwright.trace.notes import ReaderNotes
from tierwright.trace.reading import OnProgress, OnReading, Trace, inspect

IntArray = NDArray[np.int64]

DYNAMICS = {
    "steady": "Nothing changes",
    "wm1": "WM1: the share of writes grows by 1 % of its initial value per epoch",
    "wm2": "WM2: the share of writes is lower in every other epoch",
    "rm1": "RM1: the cost of a write grows by 10 % of its initial value per epoch",
    "rm2": "RM2: a write is cheaper in every other epoch",
}
"""Name to title: the paper's four, and none."""
EPOCH_ACCESSES = 5_000
"""Length of the paper's epochs."""
DEFAULT_ASYMMETRY = 32.0
STATIC_SPLITS = 9
"""Tried at first, and again around the best of them."""
WINDOWS_A_BUFFER = 64
"""Most windows while as many accesses pass as the buffer has pages: each costs a pass over it."""
MOST_EPOCHS = 4_000
LEAST_EPOCHS = 4
"""Fewer cannot show how the advisor follows."""
PAPER = "On et al. (CIKM 2010)"
TITLES = {
    "static": "the best of {splits} tried",
    "lru": "LRU",
    "cflru": "CFLRU",
}
NOTHING = 0.0005
"""Differences below this share are called none. [1]"""
BUFFERS = ("adaptive", "static", "lru", "cflru")
ESTIMATOR = (
    "replay of the adaptive buffer, LRU, CFLRU and static splits over the same accesses; the "
    "advisor's estimates are `flow`, over raw stack distances"
)
VALIDITY = (
    "from a cold start; the share of writes is varied access by access, by a "
    "random draw that is the same in every replay; the static split is the "
    "cheapest of those tried, known only in hindsight, and an untried one may "
    "be cheaper; estimation takes no time"
)


@dataclass(frozen=True, kw_only=True)
class PoolAdvisor(Answer):
    """What the advisor did; arrays have one entry an epoch.

    Attributes
    ----------
    sentence : str
        How the clean pool moved and what each buffer costs, in words.
    pages, page_bytes : int
        M, and the size of a page. [pages], [bytes]
    dynamics : str
        Key of `DYNAMICS`.
    asymmetry : float
        R_0. [1]
    alternating_factor : float
        Of WM2 and RM2. [1]
    epoch_accesses, window_accesses : int
        Length of an epoch, of a window of the advisor. [accesses]
    accesses : int
        Of the trace.
    write_share : float
        w_0, that of the trace. [1]
    epoch_lengths : int64 array
        Accesses of each epoch; the last may be short.
    write_shares : float64 array
        Counted after the change. [1]
    expected_write_shares : float64 array
        w_i of the model. [1]
    asymmetries : float64 array
        R_i. [1]
    clean_pages : int64 array
        Clean pool of the adaptive buffer when the epoch ended. [pages]
    costs : dict of str to float64 array
        (reads + R_i writes) / accesses, by buffer: `adaptive`, `static` (the best tried),
        `lru`, `cflru`. [page reads per access]
    totals : dict of str to float
        The same over the whole trace, with one write at the last R for each page left dirty.
    static_clean_pages : int
        Clean pool of the best static split that was tried. [pages]
    static_totals : dict of int to float
        Total of every static split tried, by its clean pool, rising.
    gain_over : dict of str to float or None
        Share of `static`, `lru`, `cflru` that the adaptive buffer saves; negative: it costs more.
    estimator, validity : str
        What was used and where it holds.
    production : BufferInProduction or None
        Where the buffer stands for one of production, that one: `pages`, splits, epochs and windows are of the
        replay.
    """

    sentence: str
    pages: int
    page_bytes: int
    dynamics: str
    asymmetry: float
    alternating_factor: float
    epoch_accesses: int
    window_accesses: int
    accesses: int
    write_share: float
    epoch_lengths: IntArray
    write_shares: FloatArray
    expected_write_shares: FloatArray
    asymmetries: FloatArray
    clean_pages: IntArray
    costs: dict[str, FloatArray]
    totals: dict[str, float]
    static_clean_pages: int
    static_totals: dict[int, float]
    gain_over: dict[str, float | None]
    estimator: str
    validity: str
    derivations: tuple[Derivation, ...] = field(default=(), repr=False, compare=False)
    production: BufferInProduction | None = None

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The cost of each buffer over the whole trace."""
        titles = {"adaptive": "the adaptive split", **self._titles()}
        return tuple(
            Figure(
                f"{name}_cost",
                f"Cost per access of {titles[name]}",
                self.totals[name],
                "page reads",
            )
            for name in BUFFERS
        )

    def _titles(self) -> dict[str, str]:
        return {
            name: title.format(splits=counted(len(self.static_totals), "static split"))
            for name, title in TITLES.items()
        }

    def to_dict(self, *, derivation: bool = True) -> dict[str, Any]:
        """Return plain data for JSON, from which `of_document` makes it again."""
        made = {
            each.name: plain(getattr(self, each.name))
            for each in fields(self)
            if each.name not in {"explain", "weigh", "derivations", "production"}
        }
        if self.production is not None:
            made["production"] = self.in_production()
        made["cautions"] = plain(list(self.cautions))
        made["static_totals"] = {
            str(split): cost for split, cost in self.static_totals.items()
        }
        if derivation:
            made["derivation"] = plain(list(self.derivations))
        return made

    def in_production(self) -> dict[str, Any]:
        """Return the adaptive split on one machine of production, as plain data; empty where sizes are of the trace."""
        buffer = self.production
        if buffer is None:
            return {}
        return {
            **buffer.to_dict(),
            "static_clean_pages": buffer.clean_pages(self.static_clean_pages),
            "clean_pages": self.production_clean_pages,
            "page_reads_per_s": {
                name: cost * buffer.accesses_per_s for name, cost in self.totals.items()
            },
            "sentence": self.production_sentence,
        }

    @property
    def production_sentence(self) -> str:
        """How the clean pool moves on one machine of production, and what each buffer costs; empty as above."""
        buffer = self.production
        if buffer is None:
            return ""
        clean = self.production_clean_pages
        cost = {
            name: three_digits(total * buffer.accesses_per_s)
            for name, total in self.totals.items()
        }
        best = counted(buffer.clean_pages(self.static_clean_pages), "clean page")
        return (
            f"On one machine of production, the clean pool moves between {min(clean):,} and {max(clean):,} of "
            f"{counted(buffer.pages, 'page')}, and {three_digits(buffer.accesses_per_s)} accesses per second cost as "
            f"much as {cost['adaptive']} page reads per second; {cost['static']} with the best static split tried "
            f"({best}), {cost['lru']} with LRU, {cost['cflru']} with CFLRU."
        )

    @property
    def production_clean_pages(self) -> list[int]:
        """Clean pages of production for each of `clean_pages`; empty where sizes are of the trace. [pages]"""
        buffer = self.production
        if buffer is None:
            return []
        return [buffer.clean_pages(int(clean)) for clean in self.clean_pages]

    def window_for(
        self, estimation_s: float, overhead_ratio: float, read_s: float
    ) -> int:
        """Return the window at which estimations keep to their share of the I/O time. [accesses]

        Parameters
        ----------
        estimation_s : float
            Comp, time of one estimation. [s]
        overhead_ratio : float
            g. [1]
        read_s : float
            Time of a page read. [s]

        Raises
        ------
        BadInput
            As `window_accesses`; the cost is that of the adaptive buffer.
        """
        return accesses_of_window(
            estimation_s, overhead_ratio, cost=self.totals["adaptive"], read_s=read_s
        )


def of_document(document: Mapping[str, Any]) -> PoolAdvisor:
    """Make the answer of what `PoolAdvisor.to_dict` returned, by this version or an older one.

    Its arrays are lists then, and `derivations` is empty: the steps are read from the document.
    """
    kept = {
        each.name: document[each.name]
        for each in fields(PoolAdvisor)
        if each.name in document
        and each.name
        not in {"finding", "sentence", "warnings", "explain", "weigh", "production"}
    }
    return _made(
        **kept,
        warnings=tuple(
            Caution(each["name"], each["message"], each["hint"])
            for each in document["warnings"]
        ),
        explain=lambda: [
            Step(
                each["result"],
                each["substituted"],
                each["value"],
                each["unit"],
                each["source"],
            )
            for each in document["derivation"]
        ],
    )


def with_notes(
    found: PoolAdvisor, notes: Sequence[Caution], distinct_pages: int
) -> PoolAdvisor:
    """Add what the reader of the trace noticed, and whether a larger buffer would differ.

    Parameters
    ----------
    found : PoolAdvisor
        As it was replayed.
    notes : sequence of Caution
        Of the trace as it was read this time; they stand first, in place of those of the same
        name.
    distinct_pages : int
        Of the trace. [pages]
    """
    known = {each.name for each in notes}
    return replace(
        found,
        warnings=(
            *notes,
            *(each for each in found.warnings if each.name not in known),
            *about_largest(found.pages, distinct_pages),
        ),
    )


def about_largest(pages: int, distinct_pages: int) -> Iterator[Caution]:
    """Warn that no larger buffer is replayed, where this one is as large as any."""
    if pages >= largest_buffer(distinct_pages):
        yield Caution(
            "pages_clamped",
            f"a buffer of {counted(pages, 'page')} was replayed, at least twice the "
            f"{counted(distinct_pages, 'page')} of the trace; larger buffers are replayed at "
            "this size",
            "Choose a buffer that is smaller than the trace.",
        )


def _made(**found: Any) -> PoolAdvisor:
    """Put what was counted into words."""
    made = PoolAdvisor(finding="", sentence="", **found)
    return replace(made, finding=_finding(made), sentence=_sentence(made))


def _finding(made: PoolAdvisor) -> str:
    rival = min(made.gain_over, key=lambda name: made.totals[name])
    gained, title = made.gain_over[rival], made._titles()[rival]
    if gained is None:
        return "Nothing is read or written, so there is nothing to follow"
    if abs(gained) < NOTHING:
        return f"The adaptive split costs as much as {title}"
    if gained > 0:
        return f"The adaptive split saves {percent(gained)} over {title}"
    return f"The adaptive split costs {percent(-gained)} more than {title}"


def _sentence(made: PoolAdvisor) -> str:
    clean, totals = made.clean_pages, made.totals
    return (
        f"{DYNAMICS[made.dynamics]}. The clean pool moves between {min(clean):,} and "
        f"{max(clean):,} of {counted(made.pages, 'page')}, in windows of "
        f"{counted(made.window_accesses, 'access')}. Over the whole trace an access costs "
        f"{three_digits(totals['adaptive'])} page reads; "
        f"{three_digits(totals['static'])} with the best of "
        f"{counted(len(made.static_totals), 'static split')} tried ({counted(made.static_clean_pages, 'clean page')}), {three_digits(totals['lru'])} with "
        f"LRU, {three_digits(totals['cflru'])} with CFLRU."
    )


def answer(
    trace: Trace,
    pages: int,
    *,
    dynamics: str = "steady",
    asymmetry: float = DEFAULT_ASYMMETRY,
    epoch_accesses: int = EPOCH_ACCESSES,
    window_accesses: int | None = None,
    alternating_factor: float = ALTERNATING_FACTOR,
    write_share: float | None = None,
    production: Curve | None = None,
    on_progress: OnProgress | None = None,
) -> PoolAdvisor:
    """Replay the adaptive split over a trace whose writes, or their cost, change.

    A second replay tries more static splits around the best of the first.

    Parameters
    ----------
    trace : Trace
        One that tells writes from reads.
    pages : int
        M, at least 2. [pages]
    dynamics : str
        Key of `DYNAMICS`.
    asymmetry : float
        R_0. [1]
    epoch_accesses : int
        Accesses of an epoch, at least 100.
    window_accesses : int, optional
        Window of the advisor, at least `least_window`; unless given, as long as the buffer has
        pages, and at least an epoch. [accesses]
    alternating_factor : float
        Of WM2 and RM2 in odd epochs. [1]
    write_share : float, optional
        w_0 of the trace; unless given, one more pass counts it. [1]
    production : Curve, optional
        Of a profile that was scaled from the trace: the buffer is then of one machine of production, and the trace
        is replayed with one that corresponds; epochs and windows are of the recording.
    on_progress : callable, optional
        Called once per chunk of each pass; False cancels.

    Returns
    -------
    PoolAdvisor

    Raises
    ------
    BadInput
        If a name or number is out of its domain, or the trace has no access, or more than
        `MOST_EPOCHS` epochs (known only where `write_share` is not given).
    SimulatorError
        If the trace cannot be read or does not tell writes, or progress asked to stop.
    """
    problems = Problems("adaptive split", f"dynamics are {', '.join(DYNAMICS)}")
    problems.check(dynamics in DYNAMICS, "dynamics", dynamics, "is unknown")
    problems.raise_if_any()
    check_asymmetry(asymmetry)
    buffer = None if production is None else BufferInProduction.of(production, pages)
    pages = pages if buffer is None else buffer.replayed_pages
    window = max(pages, epoch_accesses) if window_accesses is None else window_accesses
    least = least_window(pages)
    short = Problems(
        "adaptive split", f"give a window of at least {counted(least, 'access')}"
    )
    short.check(
        window >= least,
        "window_accesses",
        window,
        f"is too short for {counted(pages, 'page')}",
    )
    short.raise_if_any()
    if write_share is None:
        facts = inspect(trace, on_progress=_without_requests(on_progress))
        accesses = facts["accesses"]
        shortest = -(-accesses // MOST_EPOCHS)
        problems.hint = f"give epochs of at least {counted(shortest, 'access')}"
        problems.check(
            epoch_accesses >= shortest,
            "epoch_accesses",
            epoch_accesses,
            f"makes more than {MOST_EPOCHS:,} epochs of {counted(accesses, 'access')}",
        )
        problems.raise_if_any()
        write_share = facts["write_accesses"] / max(1, accesses)
    epoch(  # refuses what is out of its domain
        0,
        write_share=write_share,
        asymmetry=asymmetry,
        alternating_factor=alternating_factor,
    )
    share = write_share

    def replayed(clean_pages: Sequence[int], window: int) -> dict[str, Any]:
        return simulate_dynamics(
            trace,
            pages,
            clean_pages=clean_pages,
            epoch_accesses=epoch_accesses,
            window_accesses=window,
            write_share=share,
            asymmetry=asymmetry,
            **_drift(dynamics, alternating_factor),
            on_progress=on_progress,
        )

    first = static_splits(pages)
    found = replayed(first, window)
    problems.check(found["accesses"] > 0, "trace", "empty", "has no access, so no cost")
    problems.raise_if_any()
    if production is not None:
        check_belongs(production, found, str(trace.path))
    best = first[int(np.argmin(_totals(found)[-len(first) :]))]
    if closer := splits_around(pages, best, first):
        # The advisor's windows were counted: here it need not estimate.
        _add_splits(found, replayed(closer, max(window, found["accesses"] + 1)))
    made = _study(
        found,
        pages,
        (dynamics, asymmetry, alternating_factor, write_share),
        (epoch_accesses, window),
    )
    return for_production(made, buffer)


def for_production(
    found: PoolAdvisor, buffer: BufferInProduction | None
) -> PoolAdvisor:
    """Say of an adaptive split that it stands for a buffer of production.

    Parameters
    ----------
    found : PoolAdvisor
        Of the recording, with the buffer that corresponds.
    buffer : BufferInProduction or None
        None leaves the answer as it is.
    """
    if buffer is None:
        return found
    return replace(
        found,
        production=buffer,
        warnings=(*about_sizes(buffer.replayed_at), *found.warnings),
    )


def least_window(pages: int) -> int:
    """Return the shortest window of the advisor in a buffer: an estimation passes over all of it.

    Examples
    --------
    >>> least_window(500), least_window(2)
    (8, 1)
    """
    return -(-pages // WINDOWS_A_BUFFER)


def static_splits(pages: int) -> list[int]:
    """Clean pools of the static splits tried at first: both ends, closest there. [pages]

    Steps are even in log(M_c / M_d), for the cheapest split may give either pool a few pages.

    Examples
    --------
    >>> static_splits(5), static_splits(1000)
    ([1, 2, 3, 4], [1, 6, 31, 151, 500, 849, 969, 994, 999])
    """
    return _even_in_odds(pages, 1, pages - 1, STATIC_SPLITS)


def splits_around(pages: int, best: int, tried: Sequence[int]) -> list[int]:
    """Clean pools between the neighbours of the best of those tried, none of them again. [pages]

    Examples
    --------
    >>> splits_around(1000, 31, static_splits(1000))
    [8, 12, 16, 23, 32, 44, 61, 83, 113]
    """
    low = max((split for split in tried if split < best), default=best)
    high = min((split for split in tried if split > best), default=best)
    between = _even_in_odds(pages, low, high, STATIC_SPLITS + 2)
    return [split for split in between if split not in tried]


def _even_in_odds(pages: int, low: int, high: int, count: int) -> list[int]:
    clean = np.array([low, high], dtype=np.float64)
    ends = np.log(clean / (pages - clean))
    found = pages / (1 + np.exp(-np.linspace(ends[0], ends[1], count)))
    return sorted({min(max(round(split), low), high) for split in found.tolist()})


def _add_splits(found: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Put the static splits of another replay of the same accesses beside those of the first."""
    first = next(at for at, row in enumerate(more["buffers"]) if row["clean_pages"])
    found["buffers"] += more["buffers"][first:]
    for row, other in zip(found["epochs"], more["epochs"], strict=True):
        row["reads"] += other["reads"][first:]
        row["writes"] += other["writes"][first:]


def _without_requests(on_progress: OnProgress | None) -> OnReading | None:
    """Fit the progress of a replay to a reading pass, which tells requests besides."""
    if on_progress is None:
        return None
    return lambda done, total, accesses, _requests: on_progress(done, total, accesses)


def _drift(dynamics: str, factor: float) -> dict[str, float]:
    return {
        "steady": {},
        "wm1": {"write_growth": WRITE_SHARE_STEP},
        "wm2": {"write_odd": factor},
        "rm1": {"asymmetry_growth": ASYMMETRY_STEP},
        "rm2": {"asymmetry_odd": factor},
    }[dynamics]


def _times(found: Mapping[str, Any]) -> FloatArray:
    """Return reads + R_i writes by epoch and buffer. [page reads]"""
    reads, writes = (
        np.array([row[name] for row in found["epochs"]], dtype=np.float64)
        for name in ("reads", "writes")
    )
    ratios = np.array([row["asymmetry"] for row in found["epochs"]], dtype=np.float64)
    return np.asarray(reads + ratios[:, None] * writes)


def _totals(found: Mapping[str, Any]) -> FloatArray:
    """Return the cost of each buffer, pages left dirty written. [page reads per access]"""
    left = np.array([row["dirty_left"] for row in found["buffers"]], dtype=np.float64)
    last = found["epochs"][-1]["asymmetry"]
    total = _times(found).sum(axis=0) + last * left
    return np.asarray(total / found["accesses"])


def _study(
    found: Mapping[str, Any],
    pages: int,
    model: tuple[str, float, float, float],
    lengths: tuple[int, int],
) -> PoolAdvisor:
    dynamics, asymmetry, factor, write_share = model
    epochs, buffers = found["epochs"], found["buffers"]
    accesses = found["accesses"]
    length = np.array([row["accesses"] for row in epochs], dtype=np.int64)
    ratios = np.array([row["asymmetry"] for row in epochs], dtype=np.float64)
    times, totals = _times(found), _totals(found)
    statics = [at for at, row in enumerate(buffers) if row["name"] == "static"]
    best = min(statics, key=lambda at: (totals[at], buffers[at]["clean_pages"]))
    places = {"adaptive": 0, "static": best, "lru": 1, "cflru": 2}
    whole = {name: float(totals[at]) for name, at in places.items()}
    expected = [
        epoch(
            number,
            write_share=write_share,
            asymmetry=asymmetry,
            alternating_factor=factor,
        )
        for number in range(len(epochs))
    ]
    shares = np.array(
        [getattr(row, dynamics, write_share) for row in expected]
        if dynamics.startswith("wm")
        else [write_share] * len(epochs),
        dtype=np.float64,
    )
    derivations = tuple(_derivation(found, places, whole, model, (length, ratios)))
    return _made(
        pages=pages,
        page_bytes=found["page_bytes"],
        dynamics=dynamics,
        asymmetry=asymmetry,
        alternating_factor=factor,
        epoch_accesses=lengths[0],
        window_accesses=lengths[1],
        accesses=accesses,
        write_share=write_share,
        epoch_lengths=length,
        write_shares=np.array([row["write_accesses"] for row in epochs]) / length,
        expected_write_shares=shares,
        asymmetries=ratios,
        clean_pages=np.array([row["clean_pages"] for row in epochs], dtype=np.int64),
        costs={name: times[:, at] / length for name, at in places.items()},
        totals=whole,
        static_clean_pages=buffers[best]["clean_pages"],
        static_totals={
            buffers[at]["clean_pages"]: float(totals[at])
            for at in sorted(statics, key=lambda at: buffers[at]["clean_pages"])
        },
        gain_over={
            name: gain(whole["adaptive"], whole[name])
            for name in BUFFERS
            if name != "adaptive"
        },
        estimator=ESTIMATOR,
        validity=VALIDITY,
        warnings=(
            *about_trace(ReaderNotes.of(found["trace"])),
            *_cautions(found, asymmetry, lengths),
        ),
        derivations=derivations,
        explain=lambda: steps(derivations),
    )


def _cautions(
    found: Mapping[str, Any], asymmetry: float, lengths: tuple[int, int]
) -> Iterator[Caution]:
    epochs, windows = len(found["epochs"]), found["accesses"] // lengths[1]
    if windows < LEAST_EPOCHS:
        yield Caution(
            "few_windows",
            f"the trace holds {counted(windows, 'whole window')} of {counted(lengths[1], 'access')}, "
            "too few for the advisor to adapt",
            "give a shorter window, a smaller buffer, or a longer trace",
        )
    if epochs < LEAST_EPOCHS:
        yield Caution(
            "few_epochs",
            f"the trace holds {counted(epochs, 'epoch')} of {counted(lengths[0], 'access')}, so little "
            "changes",
            "give shorter epochs, or a longer trace",
        )
    if found["write_accesses"] == 0:
        yield Caution(
            "no_writes",
            "no access of the trace writes, so R has no effect and no share grows",
            "use a trace that records writes; see has_writes in [[the formats]]",
        )
    if asymmetry < 1:
        yield Caution(
            "asymmetry_below_1",
            f"R = {asymmetry:g}: writes are cheaper than reads, which the model was "
            "not made for",
            "set R to the cost of a page write divided by the cost of a page read",
        )


def _derivation(
    found: Mapping[str, Any],
    places: Mapping[str, int],
    totals: Mapping[str, float],
    model: tuple[str, float, float, float],
    epochs: tuple[IntArray, FloatArray],
) -> Iterator[Derivation]:
    dynamics, asymmetry, factor, write_share = model
    ratios = epochs[1]
    last = len(ratios) - 1
    i = Number("i", last, "1", "number of the last epoch")
    odd = Number("o", factor if last % 2 else 1.0, "1", "factor of odd epochs, else 1")
    w0 = Number("w_0", write_share, "1", "share of writes of the trace")
    r0 = Number("R_0", asymmetry, "1", "cost of a page write in page reads")
    at_last = epoch(
        last,
        write_share=write_share,
        asymmetry=asymmetry,
        alternating_factor=factor,
    )
    if dynamics != "steady":
        name, formula, numbers = {
            "wm1": ("w of the last epoch", "min(1, w_0 (1 + 0.01 i))", (w0, i)),
            "wm2": ("w of the last epoch", "w_0 o", (w0, odd)),
            "rm1": ("R of the last epoch", "R_0 (1 + 0.1 i)", (r0, i)),
            "rm2": ("R of the last epoch", "R_0 o", (r0, odd)),
        }[dynamics]
        yield Derivation(
            name,
            getattr(at_last, dynamics),
            "1",
            formula,
            numbers,
            f"{PAPER}, section 5.1",
        )
    for name, at in places.items():
        buffer = found["buffers"][at]
        weighted = math.fsum(
            row["asymmetry"] * row["writes"][at] for row in found["epochs"]
        )
        yield Derivation(
            f"cost of {name}",
            totals[name],
            "page reads per access",
            "(reads + sum of R_i writes_i + R_last dirty left) / N",
            (
                Number("reads", buffer["reads"], "pages", "counted"),
                Number("sum of R_i writes_i", weighted, "page reads", "over epochs"),
                Number("R_last", float(ratios[-1]), "1", "of the last epoch"),
                Number("dirty left", buffer["dirty_left"], "pages", "at the end"),
                Number("N", found["accesses"], "accesses", "of the trace"),
            ),
            f"{PAPER}, Eq 3, counted epoch by epoch; replay from a cold start",
        )
