"""What the cautions about response time could change: it is computed again at their other ends."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tierwright.common.cautions import Caution, Outcome, Weigh
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.evaluate.page_flow import decision
from tierwright.evaluate.page_flow.other_ends import OtherEnd, Situation, weigher
from tierwright.evaluate.page_flow.schemes import TIE_ORDER
from tierwright.evaluate.response.schemes import (
    ONE_AT_A_TIME,
    TIERS,
    Hierarchy,
    scheme_response,
)
from tierwright.profile.curve import Curve

FIGURE = "mean response time"
MORE_LOAD = 0.1
"""Share by which the rate is raised where a device is nearly busy all the time. [1]"""
WITHOUT = frozenset({"data_size_unknown", "all_pages_fit_in_ram"})
"""Cautions that change no response time."""

Means = Mapping[str, float]
"""Mean response time by scheme; infinite where a device cannot keep up. [s]"""


def effects(
    curve: Curve,
    no_dirty_pages: Curve | None,
    shown: str,
    *,
    rate: float,
    ram_pages: int,
    flash_pages: int,
    hierarchy: Hierarchy,
    flash_metadata: MetadataPreset | None,
) -> Weigh:
    """Return what computes the effect of a caution on the mean response time at one rate.

    Parameters
    ----------
    curve : Curve
        Of the answer.
    no_dirty_pages : Curve or None
        The other end of an unknown dirty share.
    shown : str
        Scheme in question.
    rate : float
        Accesses per second. [1/s]
    ram_pages, flash_pages : int
        r and f. [pages]
    hierarchy : Hierarchy
        Devices, and what an access waits for.
    flash_metadata : MetadataPreset or None
        Charged to the RAM.
    """

    def means(of: Curve, at: Hierarchy, accesses_per_s: float = rate) -> Means:
        found = scheme_response(
            of,
            ram_pages=ram_pages,
            flash_pages=flash_pages,
            hierarchy=at,
            accesses_per_s=accesses_per_s,
            flash_metadata=flash_metadata,
            percentiles=(),
        )
        return {name: _bounded(float(each.mean_s[0])) for name, each in found.items()}

    def outcomes(ends: Sequence[OtherEnd]) -> list[Outcome]:
        return [
            _outcome(
                end.when,
                shown,
                *(
                    means(
                        each.curve, replace(hierarchy, flash=each.flash, disk=each.disk)
                    )
                    for each in (end.before, end.situation)
                ),
            )
            for end in ends
        ]

    def special(caution: Caution) -> list[Outcome]:
        other = _other(caution, hierarchy)
        if other is not None:
            when, at = other
            return [_outcome(when, shown, means(curve, hierarchy), means(curve, at))]
        if caution.name == "near_saturation":
            more = means(curve, hierarchy, rate * (1 + MORE_LOAD))
            return [
                _outcome(
                    "the rate is 10 % higher", shown, means(curve, hierarchy), more
                )
            ]
        if caution.name == "dirty_share_unknown" and no_dirty_pages is not None:
            return [
                _outcome(
                    "no evicted page is dirty",
                    shown,
                    means(curve, hierarchy),
                    means(no_dirty_pages, hierarchy),
                )
            ]
        return []

    r, f = float(ram_pages), float(flash_pages)
    return weigher(
        Situation(curve, hierarchy.flash, hierarchy.disk, (r, f, r + f)),
        outcomes,
        figure=FIGURE,
        chosen=f"`{shown}`",
        kind="scheme",
        without=WITHOUT,
        special=special,
    )


def _other(caution: Caution, hierarchy: Hierarchy) -> tuple[str, Hierarchy] | None:
    """Return what else may be true of the devices, to be read behind *if*."""
    if caution.name == "writes_in_background":
        return (
            "an access waits for the writes that its miss causes",
            replace(hierarchy, writes="waited_for"),
        )
    if caution.name == "writes_are_waited_for":
        return (
            "all writes are made in the background",
            replace(hierarchy, writes="background"),
        )
    if caution.name == "service_times_constant":
        return (
            "service times vary exponentially",
            replace(hierarchy, service="exponential"),
        )
    if caution.name == "latency_unknown":
        depths = {
            tier: depth
            for tier in TIERS
            if (device := hierarchy.of(tier)[0]).id in caution.about
            and (depth := device.queue_depth) is not None
            and depth > 1
            and device.kind != ONE_AT_A_TIME
        }
        if depths:
            return (
                "all requests in flight at the rating of the device are served at once",
                replace(hierarchy, at_once={**(hierarchy.at_once or {}), **depths}),
            )
    return None


def _bounded(mean_s: float) -> float:
    return math.inf if math.isnan(mean_s) else mean_s


def _outcome(when: str, shown: str, before: Means, after: Means) -> Outcome:
    least = min(after.values())
    was, now = before[shown], after[shown]
    change = now / was - 1 if 0 < was < math.inf else 0.0
    loss = 0.0 if now <= least else 1.0 if now == math.inf else now / least - 1
    return Outcome(when, change, f"`{decision.least(dict(after), TIE_ORDER)}`", loss)
