"""Reads the health of a drive from `smartctl --json` or `nvme smart-log -o json`.

Host writes come from NVMe data units (1,000 blocks of 512 bytes each, NVM Express base
specification), from the ATA device statistics log, or from a vendor's ATA attribute whose unit
the attribute's name states. What is not stated so is not guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tierwright.common.cautions import Caution
from tierwright.common.derivation import plain
from tierwright.common.documents import read_json
from tierwright.common.errors import BadInput

NVME_DATA_UNIT_BYTES = 512_000
"""One NVMe data unit: a thousand 512-byte blocks. [bytes]"""

_HINT = (
    "make the file with `smartctl --json -x DEVICE` or `nvme smart-log -o json DEVICE`"
)
_NVME_LOG = "nvme_smart_health_information_log"
_STATISTIC_WRITTEN = "Logical Sectors Written"
_STATISTIC_USED = "Percentage Used Endurance Indicator"
_SECTOR_BYTES = 512
_LARGEST = (
    2**63 - 1
)  # a counter of NVMe has 16 bytes, but no drive lives to fill 8 of them
_LONGEST = 60  # digits and blanks of a number as text
_SHOWN = 60  # characters of a value in a message

_ATA_WRITTEN: Mapping[str, int] = {
    "Host_Writes_MiB": 2**20,
    "Host_Writes_32MiB": 32 * 2**20,
    "Host_Writes_GiB": 2**30,
    "Total_Writes_GiB": 2**30,
    "Total_Writes_GB": 10**9,
    "Lifetime_Writes_GiB": 2**30,
    "Total_Host_Writes_GiB": 2**30,
}
"""Vendor attributes by name: bytes of a unit of host writes."""
_ATA_NAND: Mapping[str, int] = {
    "Flash_Writes_GiB": 2**30,
    "NAND_Writes_1GiB": 2**30,
    "NAND_Writes_32MiB": 32 * 2**20,
}
"""Vendor attributes by name: bytes of a unit of NAND writes."""
_ATA_SECTORS = "Total_LBAs_Written"


@dataclass(frozen=True, slots=True)
class SmartHealth:
    """Health of a drive.

    Attributes
    ----------
    model, serial : str
        As the drive says; empty where it does not.
    capacity_bytes : int or None
        [bytes]
    host_bytes_written, host_bytes_read : int or None
        Since manufacture; None where the drive does not tell. [bytes]
    nand_bytes_written : int or None
        [bytes]
    power_on_hours : int or None
        [h]
    percentage_used : float or None
        The drive's estimate of the life used; may exceed 100. [%]
    available_spare_percent : float or None
        [%]
    basis : str
        Which counter gave the host writes.
    warnings : tuple of Caution
        What to know before acting on it.
    """

    model: str
    serial: str
    capacity_bytes: int | None
    host_bytes_written: int | None
    host_bytes_read: int | None
    nand_bytes_written: int | None
    power_on_hours: int | None
    percentage_used: float | None
    available_spare_percent: float | None
    basis: str
    warnings: tuple[Caution, ...]

    @property
    def waf(self) -> float | None:
        """NAND over host writes since manufacture; None unless the drive tells both."""
        if not self.host_bytes_written or self.nand_bytes_written is None:
            return None
        return self.nand_bytes_written / self.host_bytes_written

    @property
    def host_bytes_per_day(self) -> float | None:
        """Mean host writes per day of power-on; None unless the drive tells both."""
        if self.host_bytes_written is None or not self.power_on_hours:
            return None
        return self.host_bytes_written / self.power_on_hours * 24

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return {
            **found,
            "waf": self.waf,
            "host_bytes_per_day": self.host_bytes_per_day,
        }


def read_smart(path: Path) -> SmartHealth:
    """Read a file of `smartctl --json` or `nvme smart-log -o json`.

    Raises
    ------
    BadInput
        If the file is absent, is no JSON, or is of neither program.
    """
    document = read_json(path, _HINT)
    return smart_from_mapping(document, place=str(path))


def smart_from_mapping(document: Any, *, place: str = "SMART data") -> SmartHealth:
    """Make the health of a drive from the parsed document.

    Parameters
    ----------
    document : mapping
        Of `smartctl --json` (NVMe or ATA) or of `nvme smart-log -o json`.
    place : str
        File named in errors.

    Returns
    -------
    SmartHealth

    Raises
    ------
    BadInput
        If it is of neither program, or a counter is not a whole number.
    """
    if not isinstance(document, Mapping):
        raise BadInput(f"{place}: document: must be a JSON object", _HINT)
    if isinstance(document.get(_NVME_LOG), Mapping):
        return _nvme(document, document[_NVME_LOG], place)
    if "data_units_written" in document:
        return _nvme({}, document, place)
    if "ata_smart_attributes" in document or "ata_device_statistics" in document:
        return _ata(document, place)
    raise BadInput(
        f"{place}: holds neither `{_NVME_LOG}` nor `data_units_written` nor ATA SMART data",
        _HINT,
    )


def _nvme(
    document: Mapping[str, Any], log: Mapping[str, Any], place: str
) -> SmartHealth:
    written = _count(log, ("data_units_written",), place)
    read = _count(log, ("data_units_read",), place)
    warnings = []
    if written is None:
        warnings.append(_no_writes())
    return SmartHealth(
        model=str(document.get("model_name", "")),
        serial=str(document.get("serial_number", "")),
        capacity_bytes=_capacity(document, place),
        host_bytes_written=None if written is None else written * NVME_DATA_UNIT_BYTES,
        host_bytes_read=None if read is None else read * NVME_DATA_UNIT_BYTES,
        nand_bytes_written=None,
        power_on_hours=_count(log, ("power_on_hours",), place),
        percentage_used=_maybe_float(
            _count(log, ("percentage_used", "percent_used"), place)
        ),
        available_spare_percent=_maybe_float(
            _count(log, ("available_spare", "avail_spare"), place)
        ),
        basis="NVMe data units written x 512,000 bytes",
        warnings=tuple(warnings),
    )


def _ata(document: Mapping[str, Any], place: str) -> SmartHealth:
    attributes = dict(_attributes(document, place))
    statistics = dict(_statistics(document, place))
    block = _block_bytes(document, place)
    written, basis, warnings = _ata_written(attributes, statistics, block)
    nand = [
        attributes[name] * unit
        for name, unit in _ATA_NAND.items()
        if name in attributes
    ]
    used = statistics.get(_STATISTIC_USED)
    hours = document.get("power_on_time", {})
    return SmartHealth(
        model=str(document.get("model_name", "")),
        serial=str(document.get("serial_number", "")),
        capacity_bytes=_capacity(document, place),
        host_bytes_written=written,
        host_bytes_read=None,
        nand_bytes_written=nand[0] if nand else None,
        power_on_hours=_count(hours, ("hours",), place)
        if isinstance(hours, Mapping)
        else None,
        percentage_used=_maybe_float(used),
        available_spare_percent=None,
        basis=basis,
        warnings=warnings,
    )


def _ata_written(
    attributes: Mapping[str, int], statistics: Mapping[str, int], block: int
) -> tuple[int | None, str, tuple[Caution, ...]]:
    """Host bytes written, from the best counter there is."""
    if _STATISTIC_WRITTEN in statistics:
        return (
            statistics[_STATISTIC_WRITTEN] * block,
            f"ATA device statistics: logical sectors written x {block} bytes",
            (),
        )
    for name, unit in _ATA_WRITTEN.items():
        if name in attributes:
            return attributes[name] * unit, f"ATA attribute {name} x {unit} bytes", ()
    if _ATA_SECTORS in attributes:
        about = Caution(
            "unit_by_vendor",
            f"ATA attribute {_ATA_SECTORS} was read as logical blocks of {block} "
            "bytes; some vendors count it in other units",
            "compare it with the device statistics log: `smartctl --json -x DEVICE`",
        )
        basis = f"ATA attribute {_ATA_SECTORS} x {block} bytes (unit assumed)"
        return attributes[_ATA_SECTORS] * block, basis, (about,)
    return None, "the drive does not report host writes", (_no_writes(),)


def _attributes(document: Mapping[str, Any], place: str) -> Iterator[tuple[str, int]]:
    table = document.get("ata_smart_attributes", {})
    rows = table.get("table", []) if isinstance(table, Mapping) else []
    for row in rows:
        raw = row.get("raw", {}) if isinstance(row, Mapping) else {}
        value = _count(raw, ("value",), place) if isinstance(raw, Mapping) else None
        if value is not None:
            yield str(row.get("name", "")), value


def _statistics(document: Mapping[str, Any], place: str) -> Iterator[tuple[str, int]]:
    log = document.get("ata_device_statistics", {})
    pages = log.get("pages", []) if isinstance(log, Mapping) else []
    for page in pages:
        for row in page.get("table", []) if isinstance(page, Mapping) else []:
            if not isinstance(row, Mapping):
                continue
            value = row.get("value")
            if isinstance(value, bool) or not isinstance(value, int):
                continue
            if row.get("flags", {}).get("valid", True):
                counted = _count(row, ("value",), f"{place}: {row.get('name', '')}")
                if counted is not None:
                    yield str(row.get("name", "")), counted


def _block_bytes(document: Mapping[str, Any], place: str) -> int:
    found = _count(document, ("logical_block_size",), place)
    return found or _SECTOR_BYTES


def _capacity(document: Mapping[str, Any], place: str) -> int | None:
    total = _count(document, ("nvme_total_capacity",), place)
    if total:
        return total
    capacity = document.get("user_capacity", {})
    return (
        _count(capacity, ("bytes",), place) if isinstance(capacity, Mapping) else None
    )


def _count(data: Mapping[str, Any], names: tuple[str, ...], place: str) -> int | None:
    """Whole number under the first name that is there; text of digits counts, as nvme writes it."""
    for name in names:
        if name not in data:
            continue
        value = data[name]
        if isinstance(value, str):
            digits = value.replace(",", "").strip()
            if digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST:
                value = int(digits)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise BadInput(
                f"{place}: {name}: `{_shown(data[name])}` must be a whole number, not negative",
                _HINT,
            )
        if value > _LARGEST:
            raise BadInput(
                f"{place}: {name}: `{_shown(value)}` is more than any drive has counted "
                "(2^63 or more): a number below 0 that was misread, or a fault of the drive",
                _HINT,
            )
        return value
    return None


def _shown(value: object) -> str:
    text = str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _maybe_float(value: int | None) -> float | None:
    return None if value is None else float(value)


def _no_writes() -> Caution:
    return Caution(
        "host_writes_unknown",
        "the drive does not report how much the host wrote",
        "enter the write rate, from iostat or the application",
    )
