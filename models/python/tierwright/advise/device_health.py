"""How worn a drive is by its own counters, and what is left of its rating."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tierwright.common.answer import Answer, Figure, steps
from tierwright.common.wording import three_digits
from tierwright.evaluate.endurance.wear import Remaining, remaining
from tierwright.hardware.device import Device
from tierwright.hardware.rated_endurance import TB, rated_endurance
from tierwright.hardware.smart import SmartHealth


@dataclass(frozen=True, kw_only=True)
class DeviceHealth(Answer):
    """Health of a drive.

    Attributes
    ----------
    health : SmartHealth
        What the drive says.
    written_tb, tb_per_day : float or None
        By its counters; the mean since it was first powered on. [10^12 bytes], a day
    rated_tb : float or None
        TBW, as given or as the device is rated. [10^12 bytes]
    left : Remaining or None
        What is left of the rating; None without a rating or a counter.
    """

    chooses: ClassVar[bool] = False

    health: SmartHealth
    written_tb: float | None
    tb_per_day: float | None
    rated_tb: float | None
    left: Remaining | None

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Written, rated and left."""
        left = None if self.left is None else self.left.left_tb
        return (
            Figure("written_tb", "Written so far", self.written_tb, "TB"),
            Figure("rated_tb", "Rated for", self.rated_tb, "TB"),
            Figure("left_tb", "Left of the rating", left, "TB"),
        )


def answer(
    health: SmartHealth,
    *,
    rated_tb: float | None = None,
    device: Device | None = None,
    tb_per_day: float | None = None,
) -> DeviceHealth:
    """Say what was written to a drive and what is left of its rating.

    Parameters
    ----------
    health : SmartHealth
        What the drive says of itself, `read_smart`.
    rated_tb : float, optional
        TBW. [10^12 bytes]
    device : Device, optional
        Whose rating counts where `rated_tb` is not given.
    tb_per_day : float, optional
        Host writes to come; None: the mean so far. [10^12 bytes a day]

    Raises
    ------
    BadInput
        If a number is out of its domain.
    """
    rating = ""
    if rated_tb is None and device is not None:
        rated_tb = rated_endurance(device).tb_written
        rating = f", as `{device.id}` is rated"
    counted, daily = health.host_bytes_written, health.host_bytes_per_day
    written = None if counted is None else counted / TB
    per_day = None if daily is None else daily / TB
    left = (
        None
        if rated_tb is None or written is None
        else remaining(
            rated_tb=rated_tb,
            written_tb=written,
            tb_per_day=(per_day or 0.0) if tb_per_day is None else tb_per_day,
            percentage_used=health.percentage_used,
        )
    )
    return DeviceHealth(
        finding=_finding(health.model or "The drive", written, left, rating),
        warnings=(*health.warnings, *(left.warnings if left else ())),
        explain=lambda: steps(left.derivation if left else ()),
        health=health,
        written_tb=written,
        tb_per_day=per_day,
        rated_tb=rated_tb,
        left=left,
    )


def _finding(
    name: str, written: float | None, left: Remaining | None, rating: str
) -> str:
    if written is None:
        return f"{name} does not report how much was written to it."
    if left is None:
        return (
            f"{name} has taken {three_digits(written)} TB; give a rating (TBW) to see "
            "what is left."
        )
    if left.left_tb < 0:
        return (
            f"{name} has taken {three_digits(written)} TB, "
            f"{three_digits(-left.left_tb)} TB more than it is rated for."
        )
    return (
        f"{name} has taken {three_digits(written)} TB; {three_digits(left.left_tb)} of "
        f"{three_digits(left.rated_tb)} TB are left{rating}."
    )
