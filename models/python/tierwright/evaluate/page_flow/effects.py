"""What the cautions of an evaluation could change: what is unsure is put at its other end.

A caution matters to a choice only if the scheme chosen would be beaten at the other end of what
the caution speaks of, by more than is equal for the purpose. Where that end can be computed the
caution says what it changes (`could_change_choice`, `effect`); where it cannot, it says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tierwright.common.cautions import (
    Caution,
    Effect,
    Outcome,
    Weigh,
    anywhere,
    effect_of,
    without_effect,
)
from tierwright.evaluate.page_flow import decision, engine
from tierwright.evaluate.page_flow.dirty_range import dirty_ends
from tierwright.evaluate.page_flow.other_ends import (
    OtherEnd,
    Situation,
    busy_times,
    other_ends,
)
from tierwright.evaluate.page_flow.results import ServiceTimes
from tierwright.evaluate.page_flow.schemes import TIE_ORDER
from tierwright.hardware.device import OPERATIONS
from tierwright.hardware.service_time import service_us

if TYPE_CHECKING:
    from tierwright.evaluate.page_flow.results import Evaluation
    from tierwright.hardware.device import Device
    from tierwright.profile.curve import Curve

Costs = Mapping[str, float]

OF_MONEY = frozenset(
    {
        "price_of_kind",
        "price_from_device",
        "price_undated",
        "price_book_retired",
        "prices_of_different_dates",
        "request_fees_not_included",
    }
)
"""Cautions about money: the choice is of I/O time."""
WITHOUT_EFFECT = OF_MONEY | {
    "all_pages_fit_in_ram",
    "unusual_role",
    "data_size_unknown",
    "ram_not_below_flash",
    "growth_in_replay",
}
"""Cautions that change no I/O time of a scheme, or that of all alike."""
OF_THE_MODEL = frozenset(
    {
        "interpolated",
        "beyond_the_curve",
        "curve_from_ages",
        "curve_from_one_point",
        "sampled_curve",
        "steady_state_uncertain",
        "warm_up_inside",
    }
)
"""Cautions about the model's counts, which a replay has not."""
FIGURE = "I/O time"


def judged(
    found: Evaluation,
    curve: Curve,
    flash: Device,
    disk: Device,
    *,
    weigh: Weigh | None = None,
) -> Evaluation:
    """Say of every caution what it could change.

    Parameters
    ----------
    found : Evaluation
        By the model, or decided by a replay.
    curve : Curve
        What was evaluated.
    flash, disk : Device
        Its devices.
    weigh : callable, optional
        What `weigher` made of the same, where it is used again.

    Returns
    -------
    Evaluation
        The same with its cautions, and those of its schemes, judged.
    """
    known = weigh or weigher(found, curve, flash, disk)

    def judge(caution: Caution) -> Caution:
        effect = known(caution)
        return replace(
            caution,
            could_change_choice=effect.could_change_choice,
            effect=effect.text,
        )

    return replace(
        found,
        warnings=tuple(map(judge, found.warnings)),
        schemes={
            name: replace(result, warnings=tuple(map(judge, result.warnings)))
            for name, result in found.schemes.items()
        },
    )


def weigher(
    found: Evaluation,
    curve: Curve,
    flash: Device,
    disk: Device,
    *,
    best: str | None = None,
) -> Weigh:
    """Return what computes the effect of a caution of an evaluation.

    Parameters
    ----------
    found : Evaluation
        As of `judged`; of a curve of unknown dirty share that with as many dirty pages as
        possible.
    curve : Curve
        What was evaluated.
    flash, disk : Device
        Its devices.
    best : str, optional
        Scheme that is best at both ends of an unknown dirty share; that of the evaluation
        unless given.
    """
    known: dict[tuple[str, tuple[str, ...]], Effect] = {}
    inputs = found.inputs
    r, f = float(inputs["ram_pages"]), float(inputs["flash_pages"])
    left = float(inputs["ram_pages_with_flash"])
    used = found if best is None else replace(found, best=best)
    known_curve = curve if curve.write_backs_at is not None else dirty_ends(curve)[1]
    asked = Situation(known_curve, flash, disk, (r, f, r + f, left, left + f))

    def weigh(caution: Caution) -> Effect:
        key = (caution.name, caution.about)
        if key not in known:
            known[key] = _weighed(caution, used, asked)
        return known[key]

    return weigh


def _weighed(caution: Caution, found: Evaluation, asked: Situation) -> Effect:
    if caution.name in WITHOUT_EFFECT:
        return without_effect(f"no effect on {FIGURE}")
    if caution.name in OF_THE_MODEL and found.decided_by == "replay":
        return without_effect("no effect: the choice rests on a replay")
    outcomes = [
        _outcome(when, found.best, before, costs)
        for when, before, costs in _ends(caution, found, asked)
    ]
    if not outcomes:
        return anywhere(caution)
    made = effect_of(outcomes, figure=FIGURE, chosen=f"`{found.best}`", kind="scheme")
    if caution.name == "lead_within_model_error":
        # The model leaves the choice open, whatever is equal for the purpose.
        return replace(made, could_change_choice=True)
    return made


def _outcome(when: str, chosen: str, before: Costs, costs: Costs) -> Outcome:
    return Outcome(
        when,
        _share_of(costs[chosen] - before[chosen], before[chosen]),
        f"`{decision.least(costs, TIE_ORDER)}`",
        _loss(chosen, costs),
    )


def _share_of(difference: float, whole: float) -> float:
    return difference / whole if whole > 0 else 0.0


def _loss(chosen: str, costs: Costs) -> float:
    """Share by which the chosen scheme is dearer than the best. [1]"""
    least = min(costs.values())
    return costs[chosen] / least - 1 if least > 0 else 0.0


def _ends(
    caution: Caution, found: Evaluation, asked: Situation
) -> Iterator[tuple[str, Costs, Costs]]:
    """When, and the I/O time of each scheme before and at every other end of a caution."""
    costs = decision.deciding_costs(found)
    match caution.name:
        case "warm_up_inside":
            without = {
                name: result.io_time_us_per_access - result.warm_up_us_per_access
                for name, result in found.schemes.items()
            }
            yield "no miss filled an empty frame", costs, without
        case "lead_within_model_error":
            yield "the model is off by its known error", costs, _against(found)
        case "lazy_writes_by_formula":
            lazy = found.schemes["lazy"]
            over = lazy.flash_writes - lazy.flash_writes_counted
            change = over * found.inputs["flash_write_us"] / found.inputs["accesses"]
            # Both without the fills of frames that were empty.
            change -= lazy.warm_up_us_per_access
            estimated = {**costs, "lazy": costs["lazy"] - change}
            yield "lazy writes what the estimate says", costs, estimated
        case _:
            for end in other_ends(caution, asked):
                yield end.when, *_costs_of(end, found, costs)


def _costs_of(end: OtherEnd, found: Evaluation, costs: Costs) -> tuple[Costs, Costs]:
    """I/O time of each scheme before and at an end of the curve or the devices."""
    if not end.counts:
        times = {
            f"{tier}_{operation}": time
            for (tier, operation), time in busy_times(end.situation).items()
        }
        return costs, costs_at(found, times)
    before, after = (
        {
            name: time_of(each, of.flash, of.disk, of.curve.page_bytes)
            for name, each in operations(of.curve, found.inputs).items()
        }
        for of in (end.before, end.situation)
    )
    return before, after


def _against(found: Evaluation) -> Costs:
    """I/O time of each scheme with the model's known error against the one chosen."""
    return {
        name: result.io_time_us_per_access
        + (1 if name == found.best else -1) * result.io_time_error_us_per_access
        for name, result in found.schemes.items()
    }


Operations = tuple[float, ...]
"""Flash reads, flash writes, disk reads and disk writes of one scheme. [1/access]"""
_UNITS = tuple(ServiceTimes(*(float(at == one) for at in range(4))) for one in range(4))


def operations(curve: Curve, inputs: Mapping[str, Any]) -> dict[str, Operations]:
    """Count what each scheme asks of flash and disk, as the cost formulas charge it. [1/access]

    Parameters
    ----------
    curve : Curve
        With write-backs.
    inputs : mapping
        Of an evaluation: `ram_pages`, `ram_pages_with_flash` and `flash_pages`.
    """
    frames, budget = inputs["ram_pages_with_flash"], inputs["ram_pages"]
    flows = engine.flows(
        curve,
        np.asarray(float(frames)),
        np.asarray(float(inputs["flash_pages"])),
        budget=None if frames == budget else np.asarray(float(budget)),
    )
    # The formulas are linear in the four times.
    return {
        scheme: tuple(
            sum(map(float, engine.terms(scheme, flow, unit).by_term.values()))
            / curve.accesses
            for unit in _UNITS
        )
        for scheme, flow in flows.items()
    }


def time_of(counts: Operations, flash: Device, disk: Device, page_bytes: int) -> float:
    """I/O time of a scheme that asks so much of these devices. [µs/access]

    Parameters
    ----------
    counts : tuple of float
        One of `operations`. [1/access]
    flash, disk : Device
        With busy times.
    page_bytes : int
        [bytes]
    """
    times = (
        service_us(device, operation, page_bytes) or 0.0
        for device in (flash, disk)
        for operation in OPERATIONS
    )
    return sum(count * time for count, time in zip(counts, times, strict=True) if count)


def costs_at(found: Evaluation, times: Mapping[str, float]) -> Costs:
    """I/O time of each scheme at other service times, from the counts that decide. [µs]

    Parameters
    ----------
    found : Evaluation
        Model or replay.
    times : mapping
        F_R, F_W, D_R, D_W by name; those left out stay. [µs]
    """
    used = decision.service_times_of(found) | dict(times)
    costs: dict[str, float] = {}
    for name, result in found.schemes.items():
        counted = result if result.replayed is None else result.replayed
        accesses = counted.ram_hits + counted.flash_hits + counted.flash_misses
        if result.replayed is None:
            accesses += result.growth
        total = (
            counted.flash_reads * used["flash_read"]
            + counted.flash_writes * used["flash_write"]
            + counted.hdd_reads * used["disk_read"]
            + counted.hdd_writes * used["disk_write"]
        )
        costs[name] = total / accesses
    return costs
