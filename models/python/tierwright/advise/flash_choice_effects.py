"""What the cautions about a choice of flash could change: every device at their other ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tierwright.common.cautions import (
    Caution,
    Effect,
    Outcome,
    Weigh,
    anywhere,
    effect_of,
    without_effect,
)
from tierwright.evaluate.other_ends import OtherEnd, Situation, other_ends
from tierwright.evaluate.page_flow import decision
from tierwright.evaluate.page_flow.effects import (
    FIGURE,
    WITHOUT_EFFECT,
    operations,
    time_of,
)
from tierwright.evaluate.page_flow.results import Evaluation
from tierwright.hardware.device import Device
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
    inputs = found[best].inputs
    r, f, left = (
        float(inputs[name])
        for name in ("ram_pages", "flash_pages", "ram_pages_with_flash")
    )
    sizes = (r, f, r + f, left, left + f)
    counted: dict[int, dict[str, tuple[float, ...]]] = {}

    def times_with(of: Situation, which: str) -> dict[str, float]:
        """I/O time of every device's best scheme, where one device is that of a situation."""
        if id(of.curve) not in counted:
            counted[id(of.curve)] = operations(of.curve, inputs)
        counts = counted[id(of.curve)]
        page = curve.page_bytes
        return {
            name: min(
                time_of(each, of.flash if name == which else device, of.disk, page)
                for each in counts.values()
            )
            for name, device in devices.items()
        }

    def outcomes(caution: Caution) -> Iterable[Outcome]:
        for end, which in _ends(caution):
            before, after = times_with(end.before, which), times_with(end.situation, which)
            yield Outcome(
                end.when,
                after[best] / before[best] - 1 if before[best] > 0 else 0.0,
                f"`{decision.least(after, sorted(after))}`",
                after[best] / min(after.values()) - 1 if min(after.values()) > 0 else 0.0,
            )

    def _ends(caution: Caution) -> Iterable[tuple[OtherEnd, str]]:
        """Ends of one flash device after the other, with its name; of the disk once."""
        flashes = [name for name in caution.about if name in devices] or [best]
        others = tuple(name for name in caution.about if name not in flashes)
        for name in flashes:
            about = (name, *others) if caution.about else ()
            situation = Situation(curve, devices[name], disk, sizes)
            for end in other_ends(replace(caution, about=about), situation):
                yield end, name

    def weigh(caution: Caution) -> Effect:
        if caution.name in WITHOUT_EFFECT:
            return without_effect(f"no effect on {FIGURE}")
        if caution.name in OF_A_SCHEME:
            return without_effect("no effect: it concerns the scheme on one device")
        ends = list(outcomes(caution))
        if not ends:
            return anywhere(caution)
        return effect_of(ends, figure=FIGURE, chosen=f"`{best}`", kind="device")

    return weigh
