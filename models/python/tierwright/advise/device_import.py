"""What a measurement by fio says of a device, and which of its figures the models will use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tierwright.common.answer import Answer, Figure
from tierwright.common.units import format_microseconds
from tierwright.common.wording import three_digits
from tierwright.hardware import fio
from tierwright.hardware.device import OPERATIONS, Device
from tierwright.hardware.fio import FioImport
from tierwright.hardware.mixed_load import beside_writes_us
from tierwright.hardware.service_time import stated_page_bytes


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
        device = self.found.device
        alone = tuple(
            Figure(f"{name}_iops", f"Random {name}s", rate, "1/s")
            for name, rate in _rates(device).items()
        )
        mixed = device.number("mixed_iops")
        if mixed is None:
            return alone
        return (*alone, Figure("mixed_iops", "Reads and writes together", mixed, "1/s"))


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
    alone = (
        f"{device.name} serves {stated} per second at queue depth {device.queue_depth}: a request "
        "keeps it busy for one over that rate."
    )
    mixed, percent = (device.number(name) for name in fio.MIXED_FIGURES)
    if mixed is None or percent is None:
        return alone
    together = f"Together, {three_digits(percent)} % of them reads, it serves {three_digits(mixed)} per second"
    beside_us = beside_writes_us(device, stated_page_bytes(device))
    if beside_us == 0:
        return f"{alone} {together}, no fewer than busy times that add."
    return f"{alone} {together}: a read takes up to {format_microseconds(beside_us)} longer beside writes."
