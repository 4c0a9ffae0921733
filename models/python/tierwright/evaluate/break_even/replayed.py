"""Break-even of each scheme, held against replays: does the flash save what the DRAM step saves?

Nothing of the curves is used here but the sizes that they name. Every scheme is replayed with the
flash that it needs, with that of the ends of its stated error, and with that of the best one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tierwright.common.errors import BadInput
from tierwright.common.wording import counted
from tierwright.evaluate.break_even.gains import PageCosts, frames_left
from tierwright.evaluate.break_even.schemes import BY_TIE, SchemeThetas
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.evaluate.page_flow.decision import ReplayPoint, warm_up_of
from tierwright.profile.curve import Curve

Counters = Mapping[str, Any]
Replays = dict[tuple[str, ReplayPoint], Counters]
WHOLE_PAGES = 0.01
"""Share of the step's gain by which whole pages and sizes between two listed ones may be off."""


@dataclass(frozen=True, slots=True)
class SchemeSizes:
    """What one scheme is replayed with; None where no flash saves as much as the DRAM.

    Attributes
    ----------
    least, needed, most : ReplayPoint or None
        Flash at the favourable end of the stated error, by the model, and at the other end.
    beside_best : ReplayPoint or None
        The flash that the best scheme needs.
    is_trend : bool
        Whether the recording tells too little about these sizes in the steady state: a replay
        of it cannot tell either.
    """

    least: ReplayPoint | None
    needed: ReplayPoint | None
    most: ReplayPoint | None
    beside_best: ReplayPoint | None
    is_trend: bool


@dataclass(frozen=True, slots=True)
class CheckSizes:
    """What is replayed to check the break-even of one DRAM step.

    Attributes
    ----------
    base, more : ReplayPoint
        RAM alone: B, and B with the step.
    schemes : mapping of str to SchemeSizes
        By name.
    """

    base: ReplayPoint
    more: ReplayPoint
    schemes: Mapping[str, SchemeSizes]

    def wanted(self) -> list[tuple[str, ReplayPoint]]:
        """Return every replay once: scheme and sizes."""
        found = [("none", self.base), ("none", self.more)]
        for scheme, sizes in self.schemes.items():
            found += [
                (scheme, point)
                for point in (sizes.least, sizes.needed, sizes.most, sizes.beside_best)
                if point is not None
            ]
        return list(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class ReplayedScheme:
    """One scheme with the flash that is to match the DRAM step.

    Attributes
    ----------
    flash_pages : int or None
        By the model, in whole pages; None where no flash saves as much. [pages]
    gain : float or None
        Time an access that it saves, replayed. [time]
    share : float or None
        Of what the DRAM step saves, replayed; None where that is nothing. [1]
    is_within : bool or None
        Whether the flash that matches the step lies within the stated error: at its favourable
        end the replay saves no more than the step, at the other no less, to `WHOLE_PAGES`. None
        where nothing is stated, or the recording tells too little about these sizes.
    """

    flash_pages: int | None
    gain: float | None
    share: float | None
    is_within: bool | None


@dataclass(frozen=True, slots=True)
class ReplayedBreakEven:
    """The break-even of one DRAM step, by replays.

    Attributes
    ----------
    dram_pages : int
        The step. [pages]
    dram_gain : float
        Time an access that it saves, replayed. [time]
    schemes : mapping of str to ReplayedScheme
        By name.
    best : str or None
        The scheme that the model says needs the least flash.
    best_by_replay : str or None
        The one that saves most with the flash that `best` needs; `best` among equals.
    best_gain : float or None
        What it saves with that. [time]
    base_time : float
        Of an access with the existing DRAM alone, replayed. [time]
    """

    dram_pages: int
    dram_gain: float
    schemes: Mapping[str, ReplayedScheme]
    best: str | None
    best_by_replay: str | None
    best_gain: float | None
    base_time: float


def check_sizes(
    curve: Curve,
    base_pages: int,
    found: SchemeThetas,
    at: int = 0,
    *,
    flash_metadata: MetadataPreset | None = None,
) -> CheckSizes:
    """Find what to replay to check the break-even of one DRAM step.

    Parameters
    ----------
    curve : Curve
        Of which the break-even was found.
    base_pages : int
        B, the existing DRAM. [pages]
    found : SchemeThetas
        The break-evens.
    at : int
        Index of the step.
    flash_metadata : MetadataPreset, optional
        As for the break-evens.

    Returns
    -------
    CheckSizes

    Raises
    ------
    BadInput
        If there is no such step.
    """
    if not 0 <= at < len(found.delta):
        raise BadInput(
            f"break-even check: step `{at}` is not one of {counted(len(found.delta), 'step')}",
            "give the index of a DRAM step",
        )
    warm_up = warm_up_of(curve.start, curve.accesses)

    def point(theta: float, rounded: Any) -> ReplayPoint | None:
        if not math.isfinite(theta):
            return None
        flash = max(0, int(rounded(theta * base_pages)))
        left = int(frames_left(curve, base_pages, flash, flash_metadata))
        return ReplayPoint(left, flash, warm_up) if left >= 1 else None

    best = float(found.theta[at])
    more = base_pages + round(float(found.delta[at]) * base_pages)
    return CheckSizes(
        ReplayPoint(base_pages, 0, warm_up),
        ReplayPoint(more, 0, warm_up),
        {
            scheme: SchemeSizes(
                point(float(each.theta_least[at]), math.floor),
                point(float(each.theta[at]), math.ceil),
                point(float(each.theta_most[at]), math.ceil),
                point(best, math.ceil),
                bool(
                    np.any(
                        curve.uncertain(
                            base_pages * (1 + np.nan_to_num([each.theta[at], best]))
                        )
                    )
                ),
            )
            for scheme, each in found.schemes.items()
        },
    )


def replayed_break_even(
    sizes: CheckSizes,
    replays: Mapping[tuple[str, ReplayPoint], Counters],
    costs: PageCosts,
    best: str | None,
) -> ReplayedBreakEven:
    """Compare what flash and DRAM save by the operations that replays counted.

    Parameters
    ----------
    sizes : CheckSizes
        What was replayed.
    replays : mapping
        Results of `replay` by scheme and sizes: all of `CheckSizes.wanted`.
    costs : PageCosts
        Of one page operation. [time]
    best : str or None
        The scheme that the model names.

    Returns
    -------
    ReplayedBreakEven
    """

    def saved(scheme: str, point: ReplayPoint | None) -> float:
        if point is None:
            return math.nan
        if point.flash_pages == 0:
            scheme, point = "none", sizes.base if scheme != "none" else point
        return before - _time(replays[scheme, point], costs)

    before = _time(replays["none", sizes.base], costs)
    step = saved("none", sizes.more)
    slack = WHOLE_PAGES * abs(step)
    found = {}
    for scheme, each in sizes.schemes.items():
        gain = saved(scheme, each.needed)
        low, high = saved(scheme, each.least), saved(scheme, each.most)
        # An end that no flash reaches bounds nothing on its side.
        is_within = (
            None
            if each.is_trend or (each.least is None and each.needed is None)
            else not (low > step + slack) and not (high < step - slack)
        )
        found[scheme] = ReplayedScheme(
            None if each.needed is None else each.needed.flash_pages,
            gain if math.isfinite(gain) else None,
            gain / step if math.isfinite(gain) and step > 0 else None,
            is_within,
        )
    by_gain = {
        scheme: saved(scheme, sizes.schemes[scheme].beside_best)
        for scheme in (*([] if best is None else [best]), *BY_TIE)
        if scheme in sizes.schemes
    }
    known = {name: gain for name, gain in by_gain.items() if math.isfinite(gain)}
    most = max(known.values(), default=math.nan)
    by_replay = next(
        (name for name, gain in known.items() if gain >= most - _equal(before)), None
    )
    return ReplayedBreakEven(
        sizes.more.ram_pages - sizes.base.ram_pages,
        step,
        found,
        best,
        by_replay if best is not None else None,
        most if np.isfinite(most) else None,
        before,
    )


def _equal(time: float) -> float:
    return 1e-12 * time


def _time(counters: Counters, costs: PageCosts) -> float:
    """Time an access of counted operations. [time]"""
    total = (
        counters["flash_hits"] * costs.flash_read
        + counters["flash_writes"] * costs.flash_write
        + counters["hdd_reads"] * costs.disk_read
        + counters["hdd_writes"] * costs.disk_write
    )
    return float(total / counters["accesses"])
