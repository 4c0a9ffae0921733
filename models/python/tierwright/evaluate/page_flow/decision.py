"""Which scheme is best where the model cannot tell: the contenders are replayed.

A model's lead that lies within its error is no answer. Where the trace is at hand, every scheme
is replayed at the point, priced with the service times of the evaluation, and the replay decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import EQUAL_SHARE as EQUAL_SHARE
from tierwright.common.cautions import Caution
from tierwright.common.errors import BadInput
from tierwright.common.units import format_count, format_microseconds
from tierwright.common.wording import counted
from tierwright.evaluate.page_flow.results import Replayed
from tierwright.evaluate.page_flow.schemes import BY_NAME, NO_FLASH, SCHEMES, TIE_ORDER
from tierwright.evaluate.page_flow.terms import TERM_NAMES
from tierwright.evaluate.scale.replays import (
    MORE_ALIKE,
    ReplaySizes,
    recorded_accesses,
    recorded_sizes,
    writes_factor,
    writes_multiplied,
)

if TYPE_CHECKING:
    from tierwright.evaluate.page_flow.results import Evaluation
    from tierwright.profile.curve import Curve
    from tierwright.profile.production import Scaled

STEADY_ERRORS = ((0.0, 0.1), (0.35, 0.3), (0.7, 1.0))
"""By how much a steady cost may be off the second half of a recording, as a share of it, from a
share of the distinct pages in RAM and flash on. `docs/models/choices.md` holds it against replays."""
TIE_TOLERANCE = 1e-12
"""Costs that differ by less than this share count as equal."""
SETTLED = frozenset({"lead_within_model_error", "lazy_writes_by_formula"})
"""Cautions about the model's choice, which say nothing where a replay has decided."""


def priced(
    counters: Mapping[str, Any],
    *,
    flash_read: float,
    flash_write: float,
    disk_read: float,
    disk_write: float,
) -> Replayed:
    """Price the counters of one replayed scheme.

    Parameters
    ----------
    counters : mapping
        A result of `replay`, or the same counters kept.
    flash_read, flash_write, disk_read, disk_write : float
        F_R, F_W, D_R, D_W. [µs]

    Raises
    ------
    BadInput
        If nothing was counted.
    """
    accesses = counters["accesses"]
    if not accesses:
        raise BadInput("the replay counted no accesses", "replay a trace with accesses")
    fills = counters["flash_writes"] - counters["flash_write_backs"]
    terms = {
        "flash_reads": counters["flash_reads"] * flash_read,
        "flash_fills": fills * flash_write,
        "flash_write_backs": counters["flash_write_backs"] * flash_write,
        "disk_reads": counters["hdd_reads"] * disk_read,
        "disk_writes": counters["hdd_writes"] * disk_write,
    }
    # A replay counts no operations of a term that it does not know.
    each = {name: terms.get(name, 0.0) / accesses for name in TERM_NAMES}
    return Replayed(
        io_time_us_per_access=sum(each.values()),
        cost_terms_us_per_access=each,
        accesses=accesses,
        **{name: counters[name] for name in _COUNTERS},
    )


def operations_if_dirty(counters: Mapping[str, Any], scheme: str) -> dict[str, float]:
    """Return the operations of a scheme at the hits and misses of its replay, were every page dirty that leaves RAM or flash.

    Parameters
    ----------
    counters : mapping
        Of the replay.
    scheme : str
        Page-flow scheme.

    Returns
    -------
    dict of str to float
        By cost term, of those that the scheme has.
    """
    hits, misses, every = (
        np.asarray([each], dtype=np.float64)
        for each in (counters["flash_hits"], counters["flash_misses"], 1.0)
    )
    done = BY_NAME[scheme].operations(hits, misses, every, every)
    return {term: float(count[0]) for term, count in done.items()}


def with_writes(
    counters: Mapping[str, Any], scheme: str, factor: float
) -> Mapping[str, Any]:
    """Return what a replay of a scheme would count if so many times as many of its accesses wrote.

    Pages that are dirty as they leave a tier are multiplied, up to all that leave it; reads and fills stay. That is how
    `scale` multiplies the write-backs of a curve.

    Parameters
    ----------
    counters : mapping
        Of the replay.
    scheme : str
        Page-flow scheme.
    factor : float
        By what writes are multiplied. [1]

    Examples
    --------
    >>> counted = {
    ...     "accesses": 100,
    ...     "flash_hits": 10,
    ...     "flash_misses": 20,
    ...     "flash_writes": 23,
    ...     "flash_write_backs": 3,
    ...     "hdd_writes": 8,
    ...     "write_accesses": 30,
    ... }
    >>> found = with_writes(counted, "lazy", 2)
    >>> (
    ...     found["flash_write_backs"],
    ...     found["flash_writes"],
    ...     found["hdd_writes"],
    ...     found["write_accesses"],
    ... )
    (6, 26, 16, 60)
    """
    if factor == 1:
        return counters
    most = operations_if_dirty(counters, scheme)

    def multiplied(name: str, limit: float) -> int:
        count: int = counters[name]
        # A replay may count a few more than the formula has at most.
        return round(min(count * factor, max(limit, count)))

    backs = counters["flash_write_backs"]
    if "flash_write_backs" in most:
        backs = multiplied("flash_write_backs", most["flash_write_backs"])
    return {
        **counters,
        "flash_write_backs": backs,
        "flash_writes": counters["flash_writes"]
        - counters["flash_write_backs"]
        + backs,
        "hdd_writes": multiplied("hdd_writes", most["disk_writes"]),
        "write_accesses": multiplied("write_accesses", float(counters["accesses"])),
    }


_COUNTERS = (
    "ram_hits",
    "flash_hits",
    "flash_misses",
    "flash_reads",
    "flash_writes",
    "hdd_reads",
    "hdd_writes",
)


def steady_error(held: float) -> float:
    """Share of a cost in the steady state by which it may be off a warmed replay. [1]

    Parameters
    ----------
    held : float
        RAM and flash of the scheme, as a share of the distinct pages. [1]

    Examples
    --------
    >>> steady_error(0.1), steady_error(0.5), steady_error(2.0)
    (0.1, 0.3, 1.0)
    """
    return float(steady_errors(np.asarray(held)))


def steady_errors(held: FloatArray) -> FloatArray:
    """Return `steady_error` of each share of the distinct pages that is held. [1]"""
    leasts, errors = (np.asarray(column) for column in zip(*STEADY_ERRORS, strict=True))
    return np.asarray(errors[np.searchsorted(leasts, held, side="right") - 1])


def pages_that_tell(
    scheme: str, ram_pages: FloatArray, flash_pages: FloatArray, curve: Curve
) -> FloatArray:
    """Size by whose share of the distinct pages the error of a cost in the steady state is known. [pages]

    It is that of both tiers together, of whose misses the least is known. Where these hold all of the data whose size was
    stated, nothing misses them, and what the scheme costs follows from the misses of RAM, as RAM alone before devices as fast
    as that flash does: inclusive and lazy do so where flash holds all of the data, whatever RAM holds of them too, exclusive
    where RAM and flash do, as no page is in both.

    Parameters
    ----------
    scheme : str
        Name.
    ram_pages, flash_pages : float64 array
        r and f, of one shape. [pages]
    curve : Curve
        Of the workload.
    """
    formula, ram = BY_NAME[scheme], np.asarray(ram_pages, dtype=np.float64)
    flash = np.asarray(flash_pages, dtype=np.float64)
    found = np.asarray(formula.together(ram, flash))
    if not np.any(curve.holds_all(found)):
        return found
    effective = formula.effective_flash(curve, ram, flash, curve.misses(ram))
    whole = curve.holds_all(formula.held(ram, flash, effective))
    return np.where(whole, ram, found)


def contenders(
    costs: Mapping[str, tuple[float, float, float]],
) -> tuple[str, ...]:
    """Name the schemes that could have the least cost, where more than one could.

    Parameters
    ----------
    costs : mapping of str to tuple
        By scheme: cost, and by how much it may be lower and higher. [µs]

    Returns
    -------
    tuple of str
        In the order of `costs`; empty where one scheme is least whatever the errors.

    Examples
    --------
    >>> contenders({"none": (30, 0, 0), "lazy": (10, 2, 2), "exclusive": (11, 0, 0)})
    ('lazy', 'exclusive')
    >>> contenders({"none": (30, 0, 0), "lazy": (10, 0, 0), "exclusive": (11, 0, 0)})
    ()
    """
    leader = min(costs, key=lambda name: costs[name][0])
    able = {
        name
        for name, (cost, lower, _) in costs.items()
        if all(
            cost - lower < other + higher
            for rival, (other, _, higher) in costs.items()
            if rival != name
        )
    }
    if able <= {leader}:
        return ()
    return tuple(name for name in costs if name in able or name == leader)


def decided(
    found: Evaluation,
    counters: Mapping[str, Mapping[str, Any]],
    curve: Curve,
) -> Evaluation:
    """Let replays of all schemes decide an evaluation.

    Parameters
    ----------
    found : Evaluation
        By the model.
    counters : mapping
        By scheme of the evaluation: what its replay at `replay_points` counted.
    curve : Curve
        That was evaluated.

    Returns
    -------
    Evaluation
        With `decided_by` = ``replay``; best, runner-up, margin and gain are those of the
        replays, and every scheme has its `replayed` figures beside the model's. A replay
        cannot know which pages are new and reads them from disk, under every scheme alike: a
        warning gives how much that is.
    """
    scaled = curve.scaled
    times, factor = service_times_of(found), writes_factor(scaled)
    schemes = {
        name: replace(
            result,
            replayed=priced(with_writes(counters[name], name, factor), **times),
        )
        for name, result in found.schemes.items()
    }
    sizes = replay_sizes(found, scaled)
    return ranked(
        replace(
            found,
            schemes=schemes,
            decided_by="replay",
            replayed_at=sizes,
            warnings=(
                *about_sizes(sizes, as_production=True),
                *(() if sizes is not None else _about_writes(scaled)),
                *_about_growth(found, curve, counters[NO_FLASH]),
                *(w for w in found.warnings if w.name not in SETTLED),
            ),
        )
    )


def about_sizes(
    sizes: ReplaySizes | None, *, as_production: bool = False
) -> tuple[Caution, ...]:
    """Say at which sizes the recording stood for production, and what that confirms.

    Parameters
    ----------
    sizes : ReplaySizes or None
        None where they are those of production, which needs no word.
    as_production : bool
        Whether what the replays write back was multiplied: `with_writes`.
    """
    if sizes is None:
        return ()
    said = sizes.sentence_as_production if as_production else sizes.sentence
    return (
        Caution(
            "replayed_scaled_down",
            said.removesuffix("."),
            "record a larger system to replay at sizes nearer to those of production",
        ),
    )


def _about_writes(scaled: Scaled | None) -> Iterator[Caution]:
    """Say that what replays at the sizes of production write back was multiplied."""
    said = writes_multiplied(scaled)
    if said:
        yield Caution("replayed_writes_multiplied", said, MORE_ALIKE)


def not_replayed(found: Evaluation, sizes: ReplaySizes) -> Evaluation:
    """Leave a close call of production to the model, because no replay of its recording stands for it.

    Parameters
    ----------
    found : Evaluation
        By the model.
    sizes : ReplaySizes
        Which the recording `refuses`.
    """
    caution = sizes.caution
    advised = (
        replace(each, hint=sizes.remedy)
        if each.name == "lead_within_model_error"
        else each
        for each in found.warnings
    )
    return replace(found, warnings=(caution, *advised))


def _about_growth(
    found: Evaluation, curve: Curve, counters: Mapping[str, Any]
) -> tuple[Caution, ...]:
    """Warn that a replay counts the first touches of new pages as misses.

    From a cold start the model does the same.
    """
    if not found.new_pages or start_of(found) == "cold":
        return ()
    accesses, share = counters["accesses"], new_share(curve)
    # Counts of a scaled curve are those of a longer recording; of the one that is replayed, as many accesses touch a new page.
    new = (
        (curve.growth / curve.accesses * (accesses + counters.get("warm_up", 0)))
        if share is None
        else share * accesses
    )
    read = min(round(new), counters["flash_misses"])
    most = "at most " if share is None else ""
    over = read * service_times_of(found)["disk_read"] / accesses
    said = (
        "if as many of the first touches that it counts are new as of all"
        if share is not None
        else "for it is not known when pages are touched first"
    )
    return (
        Caution(
            "growth_in_replay",
            f"the replay cannot know which pages are new and reads them from disk: {most}{format_count(read)} of the "
            f"{counted(accesses, 'access')} it counts, {said}. That adds the same to the replayed I/O time of every scheme, "
            f"{most}{format_microseconds(over)} per access, so the order of the schemes stands, while leads as a share are "
            "understated",
            "compare the replayed figures with each other, not with the model's",
        ),
    )


def ranked(found: Evaluation) -> Evaluation:
    """Name best, runner-up, margin and equals by the figures that decide."""
    costs = deciding_costs(found)
    best = least(costs, TIE_ORDER)
    twins = twins_of(best)
    runner_up = least(costs, [name for name in TIE_ORDER if name not in twins])
    equal = equals(costs, best)
    written = {name: _flash_writes(found, name) for name in equal}
    return replace(
        found,
        best=best,
        runner_up=runner_up,
        margin_us_per_access=costs[runner_up] - costs[best],
        margin=saving(costs[best], costs[runner_up]),
        gain_over_none=saving(costs[best], costs[NO_FLASH]),
        equal=equal,
        writes_least=min(equal, key=lambda name: written[name]) if equal else None,
    )


def _flash_writes(found: Evaluation, name: str) -> float:
    result = found.schemes[name]
    replayed = result.replayed
    return result.flash_writes if replayed is None else float(replayed.flash_writes)


def deciding_costs(found: Evaluation) -> dict[str, float]:
    """I/O time of each scheme that the choice rests on: replayed, or else the model's. [µs]"""
    return {
        name: result.io_time_us_per_access
        if result.replayed is None
        else result.replayed.io_time_us_per_access
        for name, result in found.schemes.items()
    }


def equals(costs: Mapping[str, float], best: str) -> tuple[str, ...]:
    """Schemes that cost less than `EQUAL_SHARE` more than the best, itself included.

    In the order of preference; empty where there is none but the best, or all cost the
    same to the last digit, as without flash.
    """
    close = tuple(
        name for name in TIE_ORDER if costs[name] <= costs[best] * (1 + EQUAL_SHARE)
    )
    return () if set(close) <= twins_of(best) else close


def service_times_of(found: Evaluation) -> dict[str, float]:
    """Return F_R, F_W, D_R, D_W as an evaluation used them. [µs]"""
    return {
        name: found.inputs[f"{name}_us"]
        for name in ("flash_read", "flash_write", "disk_read", "disk_write")
    }


@dataclass(frozen=True, slots=True)
class ReplayPoint:
    """Where a scheme is replayed.

    Attributes
    ----------
    ram_pages, flash_pages : int
        Sizes. [pages]
    warm_up : int
        Accesses that warm the caches and are not counted. [accesses]
    family : str
        `scheme`, or `flash_cache`.
    options : tuple of (str, str)
        Options of a flash cache.
    """

    ram_pages: int
    flash_pages: int
    warm_up: int = 0
    family: Literal["scheme", "flash_cache"] = "scheme"
    options: tuple[tuple[str, str], ...] = ()

    def configuration(self, scheme: str) -> dict[str, Any]:
        """Return it as `tierwright.simulate.replay.sweep` takes a configuration."""
        return {
            self.family: scheme,
            "ram_pages": self.ram_pages,
            "flash_pages": self.flash_pages,
            **({"options": dict(self.options)} if self.options else {}),
        }


WARMING_SHARE = 0.5
"""Share of a recording that warms the caches of a replay for the steady state, as of production. [1]"""


def warm_up_of(start: str, accesses: int) -> int:
    """Return how many accesses warm the caches before any is counted. [accesses]

    None from a cold start; in the steady state the first half of the recording.
    """
    return int(WARMING_SHARE * accesses) if start == "steady" else 0


def new_share(curve: Curve) -> float | None:
    """Share of the accesses counted by a replay that touch a page for the first time, which is new. [1]

    Of the first touches in the part of the recording that is counted, as many are taken to be new as of all.

    Returns
    -------
    float or None
        0 where no new pages are stated; None where the windows of the recording are not known, which tell when pages are
        touched first.
    """
    if not curve.growth:
        return 0.0
    windows = (curve if curve.cold is None else curve.cold).windows
    if windows is None:
        return None
    accesses = windows.accesses.astype(np.float64)
    ends = np.cumsum(accesses)
    warm_up = warm_up_of(curve.start, int(ends[-1]))
    counted = np.clip((ends - warm_up) / np.maximum(accesses, 1.0), 0.0, 1.0)
    first = float((windows.first_references * counted).sum())
    return first * curve.growth / curve.distinct_pages / (float(ends[-1]) - warm_up)


def replay_points(
    found: Evaluation, scaled: Scaled | None = None
) -> dict[str, ReplayPoint]:
    """Where each scheme is replayed, for an evaluation to be decided.

    The metadata of flash, where they are charged, leave less RAM to the schemes with flash.

    Parameters
    ----------
    found : Evaluation
        By the model.
    scaled : Scaled, optional
        How the workload was scaled that was evaluated: its recording is replayed at the sizes that
        correspond.

    Raises
    ------
    BadInput
        If an earlier version scaled it.
    """
    inputs = found.inputs
    asked = {
        scheme: (inputs["ram_pages"], 0)
        if scheme == NO_FLASH
        else (inputs["ram_pages_with_flash"], inputs["flash_pages"])
        for scheme in SCHEMES
    }
    accesses = inputs["accesses"] if scaled is None else recorded_accesses(scaled)
    warm_up = warm_up_of(start_of(found), accesses)
    return {
        scheme: recorded_point(ReplayPoint(ram, flash, warm_up), scheme, scaled)
        for scheme, (ram, flash) in asked.items()
    }


def recorded_point(
    point: ReplayPoint, scheme: str, scaled: Scaled | None
) -> ReplayPoint:
    """Return where the recording is replayed for a point of a scheme in production.

    The point itself where nothing was scaled.
    """
    if scaled is None:
        return point
    ram, flash = recorded_sizes(
        scaled,
        point.ram_pages,
        point.flash_pages,
        # A flash cache keeps its copy of a page that moves up.
        repeats_ram=point.family == "flash_cache" or BY_NAME[scheme].repeats_ram,
    )
    return replace(point, ram_pages=ram, flash_pages=flash)


def replay_sizes(found: Evaluation, scaled: Scaled | None) -> ReplaySizes | None:
    """Return at which sizes the recording is replayed; None where at those of the evaluation."""
    if scaled is None:
        return None
    asked, replayed = replay_points(found), replay_points(found, scaled)
    return ReplaySizes.of(
        scaled,
        [
            (
                (asked[name].ram_pages, asked[name].flash_pages),
                (point.ram_pages, point.flash_pages),
            )
            for name, point in replayed.items()
        ],
        steady=start_of(found) == "steady",
    )


def start_of(found: Evaluation) -> str:
    """Return what an evaluation is about: `cold` or `steady`."""
    return found.start


def check_belongs(curve: Curve, counters: Mapping[str, Any], name: str) -> None:
    """Refuse a trace that is not the one a curve was made of.

    Parameters
    ----------
    curve : Curve
        Of the profile; the trace of one that was scaled is its recording.
    counters : mapping
        What a replay of the trace counted.
    name : str
        Of the trace, for the message.

    Raises
    ------
    BadInput
        If accesses, distinct pages, page size or, where the curve knows them, writes differ.
    """
    scaled = curve.scaled
    accesses, distinct, writes = (
        (curve.accesses, curve.distinct_pages, curve.known_write_accesses)
        if scaled is None
        else (
            recorded_accesses(scaled),
            scaled.recorded_pages,
            scaled.recorded_write_accesses,
        )
    )
    asked = {
        "page size": (curve.page_bytes, counters["page_bytes"]),
        "accesses": (accesses, counters["accesses"] + counters.get("warm_up", 0)),
    }
    if curve.sample_rate is None:  # a sample estimates them
        asked["distinct pages"] = (distinct, counters["distinct_pages"])
    # A sample does not count them.
    counts_writes = not counters.get("warm_up") and "write_accesses" in counters
    if writes is not None and counts_writes:
        asked["write accesses"] = (writes, counters["write_accesses"])
    differing = [
        f"{what} {its:,} and {ours:,}"
        for what, (ours, its) in asked.items()
        if its != ours
    ]
    if not differing:
        return
    hint = "name the trace that was profiled, read with the same options"
    if "page size" in differing[0]:
        hint += f", such as [[a page_bytes={curve.page_bytes}]]"
        if counters["page_bytes"] < curve.page_bytes:
            hint += f" or [[joined_page_bytes={curve.page_bytes}]]"
    raise BadInput(
        f"`{name}` is not the trace of the profile: trace and profile have "
        + "; ".join(differing),
        hint,
    )


def twins_of(scheme: str) -> set[str]:
    """Schemes that share the cost formula of `scheme`, itself included."""
    root = BY_NAME[scheme].formula_of or scheme
    return {name for name, each in BY_NAME.items() if root in (name, each.formula_of)}


def least(costs: Mapping[str, float], order: Iterable[str]) -> str:
    """Name the least cost; among equals the first of an order."""
    names = list(order)
    bound = min(costs[name] for name in names)
    return next(name for name in names if costs[name] <= bound * (1 + TIE_TOLERANCE))


def saving(cost: float, reference: float) -> float:
    """Share of a reference that is saved. [1]"""
    return 0.0 if reference == 0 else (reference - cost) / reference


def is_open(found: Evaluation) -> bool:
    """Whether the model leaves open who is best, by more than is equal for the purpose."""
    if found.decided_by == "replay":
        return False
    best, other = found.schemes[found.best], found.schemes[found.runner_up]
    lead_us = other.io_time_us_per_access - best.io_time_us_per_access
    error_us = best.io_time_error_us_per_access + other.io_time_error_us_per_access
    at_stake_us = EQUAL_SHARE * best.io_time_us_per_access
    return lead_us < error_us and lead_us + error_us > at_stake_us
