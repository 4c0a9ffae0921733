"""What the cautions about a choice of flash could change: every device at their other ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import (
    Caution,
    Effect,
    Outcome,
    Weigh,
    anywhere,
    effect_of,
    without_effect,
)
from tierwright.evaluate.page_flow import decision
from tierwright.evaluate.page_flow.effects import FIGURE, WITHOUT_EFFECT, operations
from tierwright.evaluate.page_flow.other_ends import OtherEnd, Situation, other_ends
from tierwright.evaluate.page_flow.results import Evaluation
from tierwright.hardware.device import OPERATIONS, Device
from tierwright.hardware.service_time import service_us
from tierwright.profile.curve import Curve

OF_A_SCHEME = frozenset({"lead_within_model_error", "lazy_writes_by_formula"})
"""Cautions about which scheme is best on one device: which device is best is another question."""


def effects(
    curve: Curve,
    disk: Device,
    found: Mapping[str, Evaluation],
    devices: Mapping[str, Device],
    best: str,
) -> Weigh:
    """Return what computes the effect of a caution on the device of least I/O time.

    Parameters
    ----------
    curve : Curve
        Of the workload.
    disk : Device
        Behind flash.
    found : mapping of str to Evaluation
        By the id of each flash device.
    devices : mapping of str to Device
        The same devices.
    best : str
        The one of least I/O time.
    """
    every = _Candidates(curve, disk, devices, best, found[best].inputs)

    def weigh(caution: Caution) -> Effect:
        if caution.name in WITHOUT_EFFECT:
            return without_effect(f"no effect on {FIGURE}")
        if caution.name in OF_A_SCHEME:
            return without_effect("no effect: it concerns the scheme on one device")
        ends = [every.outcome(end, which) for end, which in every.ends(caution)]
        if not ends:
            return anywhere(caution)
        return effect_of(ends, figure=FIGURE, chosen=f"`{best}`", kind="device")

    return weigh


@dataclass(frozen=True)
class _Candidates:
    """Every flash device, and what the schemes ask of it."""

    curve: Curve
    disk: Device
    devices: Mapping[str, Device]
    best: str
    inputs: Mapping[str, int]
    times_us: FloatArray = field(init=False)
    """F_R, F_W, D_R and D_W over each device. [µs]"""
    counts: FloatArray = field(init=False)
    """Operations of each scheme on the curve, as `operations` counts them. [1/access]"""

    def __post_init__(self) -> None:
        rows = [self._times(each, self.disk) for each in self.devices.values()]
        object.__setattr__(self, "times_us", np.array(rows))
        object.__setattr__(self, "counts", self._counts(self.curve))

    def ends(self, caution: Caution) -> Iterator[tuple[OtherEnd, str]]:
        """Put one flash device after the other at its ends, and name it; the disk with each."""
        flashes = [name for name in caution.about if name in self.devices]
        others = tuple(name for name in caution.about if name not in flashes)
        r, f, left = (
            float(self.inputs[name])
            for name in ("ram_pages", "flash_pages", "ram_pages_with_flash")
        )
        for name in flashes or [self.best]:
            about = (name, *others) if flashes else others
            asked = Situation(
                self.curve,
                self.devices[name],
                self.disk,
                (r, f, r + f, left, left + f),
            )
            for end in other_ends(replace(caution, about=about), asked):
                yield end, name

    def outcome(self, end: OtherEnd, which: str) -> Outcome:
        """Compare the best device with all others where one of them is at an end."""
        before = self._io_times(end.before, which)
        after = self._io_times(end.situation, which)
        best, least = self.best, min(after.values())
        return Outcome(
            end.when,
            after[best] / before[best] - 1 if before[best] > 0 else 0.0,
            f"`{decision.least(after, sorted(after))}`",
            after[best] / least - 1 if least > 0 else 0.0,
        )

    def _io_times(self, of: Situation, which: str) -> dict[str, float]:
        """I/O time of each device's best scheme. [µs/access]"""
        counts = self.counts if of.curve is self.curve else self._counts(of.curve)
        times = self.times_us.copy()
        row = self._times(of.flash, of.disk)
        times[:, 2:] = row[2:]
        times[list(self.devices).index(which)] = row
        least = (times @ counts.T).min(axis=1)
        return dict(zip(self.devices, least.tolist(), strict=True))

    def _times(self, flash: Device, disk: Device) -> list[float]:
        page = self.curve.page_bytes
        return [
            service_us(device, operation, page) or 0.0
            for device in (flash, disk)
            for operation in OPERATIONS
        ]

    def _counts(self, curve: Curve) -> FloatArray:
        return np.array(list(operations(curve, self.inputs).values()))
