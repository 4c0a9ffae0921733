"""What a measurement by fio says of a device, and which of its figures the models will use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tierwright.common.answer import Answer, Figure
from tierwright.common.wording import three_digits
from tierwright.hardware import fio
from tierwright.hardware.device import OPERATIONS, Device
from tierwright.hardware.fio import FioImport


@dataclass(frozen=True, kw_only=True)
class DeviceImport(Answer):
    """A device as it was measured.

    Attributes
    ----------
    found : FioImport
        The device, the runs behind its figures, and which times are used.
    """

    chooses: ClassVar[bool] = False

    found: FioImport = field(repr=False)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The rates that were measured."""
        return tuple(
            Figure(f"{name}_iops", f"Random {name}s", rate, "1/s")
            for name, rate in _rates(self.found.device).items()
        )


def answer(document: Mapping[str, Any], **asked: Any) -> DeviceImport:
    """Read a result of fio as a device; parameters and errors as of `fio.import_fio`."""
    found = fio.import_fio(document, **asked)
    return DeviceImport(
        finding=_finding(found.device), warnings=found.warnings, found=found
    )


def _rates(device: Device) -> dict[str, float]:
    known = {name: device.number(f"{name}_iops") for name in OPERATIONS}
    return {name: rate for name, rate in known.items() if rate is not None}


def _finding(device: Device) -> str:
    stated = " and ".join(
        f"{three_digits(rate)} random {name}s"
        for name, rate in _rates(device).items()
        if rate
    )
    return (
        f"{device.name} serves {stated} per second at queue depth {device.queue_depth}: a request "
        "keeps it busy for one over that rate."
    )
