"""Which cautions could change the choice: what is unsure is put at its other end.

A caution matters to a choice only if the scheme chosen would be beaten at the other end of what
the caution speaks of, by more than is equal for the purpose. Where that end can be computed the
caution says so (`could_change_choice`, `effect`); where it cannot, it says neither.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tierwright.common.cautions import Caution
from tierwright.evaluate.page_flow import decision
from tierwright.evaluate.page_flow.schemes import TIE_ORDER
from tierwright.trace.notes import NO_WRITES_IN_FORMAT

if TYPE_CHECKING:
    from tierwright.evaluate.page_flow.results import Evaluation
    from tierwright.hardware.device import Device
    from tierwright.profile.curve import Curve

Costs = Mapping[str, float]

OF_MONEY = frozenset(
    {
        "price_of_kind",
        "price_from_device",
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
    {"interpolated", "beyond_the_curve", "sampled_curve", "warm_up_inside"}
)
"""Cautions about the model's counts, which a replay has not."""
OF_PAGE_SIZE = frozenset({"device_page_differs", "device_page_unknown"})
TIMES = ("flash_read", "flash_write", "disk_read", "disk_write")


def judged(found: Evaluation, curve: Curve, flash: Device, disk: Device) -> Evaluation:
    """Say of every caution whether it could change the choice.

    Parameters
    ----------
    found : Evaluation
        By the model, or decided by a replay.
    curve : Curve
        What was evaluated.
    flash, disk : Device
        Its devices.

    Returns
    -------
    Evaluation
        The same with its cautions, and those of its schemes, judged.
    """

    def judge(caution: Caution) -> Caution:
        return _judged(caution, found, curve, flash, disk)

    return replace(
        found,
        warnings=tuple(map(judge, found.warnings)),
        schemes={
            name: replace(result, warnings=tuple(map(judge, result.warnings)))
            for name, result in found.schemes.items()
        },
    )


def _judged(
    caution: Caution, found: Evaluation, curve: Curve, flash: Device, disk: Device
) -> Caution:
    if caution.name in WITHOUT_EFFECT:
        return replace(caution, could_change_choice=False)
    if caution.name in OF_THE_MODEL and found.decided_by == "replay":
        return replace(caution, could_change_choice=False)
    if caution.name == "lead_within_model_error":
        return replace(caution, could_change_choice=True)
    ends = list(_ends(caution, found, curve, flash, disk))
    if not ends:
        return caution
    worst = max(ends, key=lambda costs: _loss(found.best, costs))
    loss = _loss(found.best, worst)
    if loss <= decision.EQUAL_SHARE:
        return replace(caution, could_change_choice=False)
    other = decision.least(worst, TIE_ORDER)
    return replace(
        caution,
        could_change_choice=True,
        effect=f"at the other end `{other}` would be best, and `{found.best}` "
        f"{loss:.1%} slower",
    )


def _loss(chosen: str, costs: Costs) -> float:
    """Share by which the chosen scheme is dearer than the best. [1]"""
    least = min(costs.values())
    return costs[chosen] / least - 1 if least > 0 else 0.0


def _ends(
    caution: Caution, found: Evaluation, curve: Curve, flash: Device, disk: Device
) -> Iterator[Costs]:
    """I/O time of each scheme at every other end of what a caution speaks of."""
    devices = {"flash": flash, "disk": disk}
    roles = [role for role in devices if f"({role})" in caution.message] or list(
        devices
    )
    match caution.name:
        case name if name in OF_PAGE_SIZE:
            yield from (costs_at(found, times) for times in _bounds(found, roles))
        case "queue_depth_unknown" | "queue_depths_differ" | "latency_as_service_time":
            times = _alone({role: devices[role] for role in roles})
            if times:
                yield costs_at(found, times)
        case "beyond_capacity":
            yield costs_at(found, _in_parallel(found, devices))
        case "warm_up_inside":
            yield {
                name: result.io_time_us_per_access - result.warm_up_us_per_access
                for name, result in found.schemes.items()
            }
        case _ if caution.name == NO_WRITES_IN_FORMAT:
            yield _all_dirty(found, curve, flash, disk)


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


def _bounds(found: Evaluation, roles: list[str]) -> Iterator[dict[str, float]]:
    """Every corner of the bounds of some tiers' service times."""
    names = [name for name in TIMES if name.partition("_")[0] in roles]
    ends = [
        [
            bound
            for end in ("least", "most")
            if (bound := found.inputs.get(f"{name}_{end}_us")) is not None
        ]
        for name in names
    ]
    known = [(name, both) for name, both in zip(names, ends, strict=True) if both]
    if not known:
        return
    for corner in itertools.product(*(both for _, both in known)):
        yield dict(zip((name for name, _ in known), corner, strict=True))


def _alone(devices: Mapping[str, Device]) -> dict[str, float]:
    """Return the times of single requests: the latency of each device that states one."""
    return {
        f"{role}_{operation}": latency
        for role, device in devices.items()
        for operation in ("read", "write")
        if (latency := device.number(f"{operation}_latency_us")) is not None
    }


def _in_parallel(found: Evaluation, devices: Mapping[str, Device]) -> dict[str, float]:
    """Return the times of as many devices side by side as hold their tier."""
    times = decision.service_times_of(found)
    for role, device in devices.items():
        held, capacity = found.inputs[f"{role}_bytes"], device.capacity_bytes
        if capacity is not None and held > capacity:
            count = -(-held // int(capacity))
            for operation in ("read", "write"):
                times[f"{role}_{operation}"] /= count
    return times


def _all_dirty(found: Evaluation, curve: Curve, flash: Device, disk: Device) -> Costs:
    """I/O time of each scheme by the model, had every access written."""
    from tierwright.evaluate.page_flow.evaluation import evaluate

    dirty = replace(
        curve, write_backs_at=np.asarray(curve.misses_at), write_accesses=curve.accesses
    )
    made = evaluate(
        dirty,
        ram_pages=found.inputs["ram_pages"],
        flash_pages=found.inputs["flash_pages"],
        flash=flash,
        disk=disk,
    )
    return decision.deciding_costs(made)
