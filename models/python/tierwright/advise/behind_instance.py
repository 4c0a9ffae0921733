"""What to know of volumes behind an instance: it sustains less than they could do, or no source states what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tierwright.common.cautions import Caution
from tierwright.common.wording import listed
from tierwright.evaluate.bill import BlockStorage
from tierwright.hardware.device import Device
from tierwright.hardware.service_time import service_time

_EXACT_FROM = 100
"""Rate from which its whole number is said, in place of three digits."""
Rates = tuple[float | None, float | None, str]
"""What volumes could do, what their instance sustains, and the unit."""


def limit_unknown(server: str) -> Caution:
    """Say that no source states what an instance sustains to its volumes.

    Parameters
    ----------
    server : str
        Id of the instance.
    """
    return Caution(
        "sustained_limit_unknown",
        f"no source states what `{server}` sustains to its volumes; a burst limit "
        "does not hold for long",
        "check the limit of the instance before relying on the volumes",
        about=(server,),
    )


def volumes_exceed(storage: BlockStorage | None, server: str) -> Iterator[Caution]:
    """Yield that the volumes of a bill could do more than their instance sustains.

    Parameters
    ----------
    storage : BlockStorage or None
        Of one machine.
    server : str
        Id of the instance.
    """
    if storage is None or not storage.exceeds:
        return
    own = float(storage.provisioned_iops), float(storage.provisioned_mb_per_s)
    could, sustained = _less(
        (
            (own[0], _number(storage.limit_iops), "IOPS"),
            (own[1], _number(storage.limit_mb_per_s), "MB/s"),
        )
    )
    yield Caution(
        "volumes_exceed_instance",
        f"the volumes of a machine could do {could}, and `{server}` sustains {sustained}",
        "choose a larger instance, or more machines, if more is needed",
        effect=f"They deliver no more than {sustained} together.",
    )


def volume_exceeds(device: Device, page_bytes: int) -> Iterator[Caution]:
    """Yield that the volumes that hold the data are counted on for what their instance sustains.

    Parameters
    ----------
    device : Device
        One of them, as it is attached.
    page_bytes : int
        Of the workload. [bytes]
    """
    if not is_held_back(device, page_bytes):
        return
    limit = device.sustained
    assert limit is not None
    own = [
        None if rate is None else rate * limit.volumes
        for rate in (
            device.number("read_iops"),
            device.number("sequential_read_mb_per_s"),
        )
    ]
    could, sustained = _less(
        (
            (own[0], _number(limit.iops), "IOPS"),
            (own[1], _number(limit.mb_per_s), "MB/s"),
        )
    )
    if not could:
        return
    yield Caution(
        "volumes_exceed_instance",
        f"the volumes of a machine, `{device.id}`, could do {could}, and `{limit.instance}` sustains {sustained}, for which they "
        "are counted on; bursts above that are not",
        "choose a larger instance if more is needed at times",
        could_change_choice=False,
        effect="the figures are those of what the instance sustains",
        about=(device.id, limit.instance),
    )


def is_held_back(device: Device, page_bytes: int) -> bool:
    """Whether the instance sustains less of reads and writes of a size than its volumes could do.

    Parameters
    ----------
    device : Device
        One of them, as it is attached.
    page_bytes : int
        [bytes]
    """
    return service_time(device, "read", page_bytes).rule == "instance"


def _number(value: object) -> float | None:
    return None if value is None else float(str(value))


def _less(rates: Iterable[Rates]) -> tuple[str, str]:
    """Say what could be done and what is sustained, of the rates of which less is sustained."""
    some = [
        (own, limit, unit)
        for own, limit, unit in rates
        if own is not None and limit is not None and limit < own
    ]
    if not some:
        return "", ""
    return (
        listed([f"{_said(own)} {unit}" for own, _, unit in some]),
        listed([f"{_said(limit)} {unit}" for _, limit, unit in some]),
    )


def _said(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= _EXACT_FROM else f"{float(f'{rate:.3g}'):,.15g}"
