"""Device profiles: dated figures with units. Times that follow: `tierwright.hardware.service_time`."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

from tierwright.common.errors import Problems
from tierwright.common.fields import _is_int, check_date, plain_number, read_decimal
from tierwright.common.units import UNIT_BYTES

Role = Literal["ram", "flash", "disk"]
ROLES: tuple[Role, ...] = ("ram", "flash", "disk")
Operation = Literal["read", "write"]
OPERATIONS: tuple[Operation, ...] = ("read", "write")
SoldAs = Literal["device", "instance", "running"]
RUNNING: SoldAs = "running"
"""Not sold: a tier of a system, as its counters measured it; no device file states it."""
SOLD_AS: dict[SoldAs, str] = {
    "device": "bought or rented by itself",
    "instance": "the disks of a cloud instance, rented with it alone",
}
"""How a device is sold; an instance is not ranked among drives."""

KINDS: dict[str, tuple[str, tuple[Role, ...]]] = {
    "dram": ("DRAM", ("ram",)),
    "cxl": ("CXL memory", ("ram",)),
    "pmem": ("Persistent memory", ("ram", "flash")),
    "nvme": ("NVMe or PCIe SSD", ("flash", "disk")),
    "sata_ssd": ("SATA or IDE SSD", ("flash", "disk")),
    "sd": ("SD card", ("flash",)),
    "nand": ("Raw NAND chip", ("flash",)),
    "hdd": ("Hard disk", ("disk",)),
    "hdd_array": ("Array of hard disks", ("disk",)),
    "cloud_block": ("Cloud block volume", ("flash", "disk")),
    "cloud_disk": ("Cloud block volume on hard disks", ("disk",)),
    "object": ("Object store", ("disk",)),
}
"""Every kind of device: title, and the tiers that it can serve."""

FIGURES: dict[str, tuple[tuple[str, ...], str]] = {
    "capacity": (tuple(UNIT_BYTES), "usable capacity"),
    "page_bytes": (("B",), "transfer size at which the IOPS are quoted"),
    "io_unit_bytes": (("B",), "largest transfer that a volume counts as one I/O"),
    "read_iops": (("1/s",), "random reads per second"),
    "write_iops": (("1/s",), "random writes per second"),
    "queue_depth": (("1",), "requests in flight at which the IOPS are quoted"),
    "read_latency_us": (("µs",), "time of one random read, typical"),
    "write_latency_us": (("µs",), "time of one random write, typical"),
    "latency_page_bytes": (
        ("B",),
        "transfer size at which the latencies are quoted; unless stated, that of the IOPS",
    ),
    "sequential_read_mb_per_s": (("MB/s",), "sequential read rate"),
    "sequential_write_mb_per_s": (("MB/s",), "sequential write rate"),
    "erase_us": (("µs",), "time of one block erase"),
    "waf_4k": (("1",), "write amplification under 4 KiB random writes"),
    "waf_sequential": (("1",), "write amplification under large writes"),
    "dwpd": (("1/day",), "drive writes per day over endurance_years"),
    "endurance_years": (("year",), "warranted life"),
    "endurance_tb": (("TB",), "terabytes written over the life (TBW)"),
    "endurance_sequential_tb": (("TB",), "TBW under sequential writes"),
    "active_power_w": (("W",), "power under load"),
    "idle_power_w": (("W",), "power when idle"),
    "seek_read_ms": (("ms",), "average seek before a read"),
    "seek_write_ms": (("ms",), "average seek before a write"),
    "half_rotation_ms": (("ms",), "average wait for the sector"),
    "asymmetry": (("1",), "random write cost over read cost"),
    "indirection_unit_bytes": (("B",), "mapping unit of the flash translation layer"),
    "queue_depth_1_read_iops": (("1/s",), "random reads per second, one in flight"),
    "queue_depth_1_write_iops": (("1/s",), "random writes per second, one in flight"),
    "mixed_iops": (
        ("1/s",),
        "random reads and writes per second together, mixed_read_percent of them reads",
    ),
    "mixed_read_percent": (("%",), "share of reads at which mixed_iops is quoted"),
    "price": (("USD",), "price of one device"),
    "unit_price": (("USD/GB", "USD/GiB"), "purchase price of capacity"),
    "unit_rent": (("USD/GB/month", "USD/GiB/month"), "rent of capacity"),
    "iops_rent": (("USD/IOPS/month",), "rent of provisioned operations per second"),
    "iops_rent_2": (("USD/IOPS/month",), "the same above iops_rent_2_from"),
    "iops_rent_2_from": (("1/s",), "charged IOPS from which iops_rent_2 holds"),
    "iops_rent_3": (("USD/IOPS/month",), "the same above iops_rent_3_from"),
    "iops_rent_3_from": (("1/s",), "charged IOPS from which iops_rent_3 holds"),
    "throughput_rent": (
        ("USD/(MB/s)/month", "USD/(MiB/s)/month"),
        "rent of provisioned throughput",
    ),
    "included_iops": (("1/s",), "IOPS that the rent of capacity includes"),
    "included_throughput": (
        ("MB/s", "MiB/s"),
        "throughput that the rent of capacity includes",
    ),
    "provisioned_iops": (("1/s",), "IOPS that the other figures are provisioned with"),
    "provisioned_throughput": (
        ("MB/s", "MiB/s"),
        "throughput that the other figures are provisioned with",
    ),
    "max_iops": (("1/s",), "most IOPS that may be provisioned"),
    "max_throughput": (("MB/s", "MiB/s"), "most throughput that may be provisioned"),
    "least_capacity": (("GB", "GiB"), "least size in which a volume is rented"),
    "iops_per_gib": (
        ("1/s",),
        "most IOPS above the included ones for each GiB of a volume; of one whose IOPS are not rented, those that a GiB "
        "gives",
    ),
    "throughput_per_iops": (
        ("MB/s", "MiB/s"),
        "most throughput for each IOPS provisioned",
    ),
    "read_request_fee": (("USD/1000",), "fee of a thousand reads"),
    "write_request_fee": (("USD/1000",), "fee of a thousand writes"),
    "request_fee": (("USD/1000000",), "fee of a million requests"),
    "upload_fee": (("USD/GB",), "fee of data written"),
    "retrieval_fee": (("USD/GB",), "fee of data read"),
}
"""Every figure that a device may state: allowed units, meaning."""

LATENCIES: dict[str, str] = {
    "mean": "mean",
    "p50": "half of the requests took at most this long",
    "p95": "95 % of the requests took at most this long",
    "p99": "99 % of the requests took at most this long",
    "p99_9": "99.9 % of the requests took at most this long",
}
"""Every latency that a measurement may state in µs: meaning."""

_SIZE_IS_CHOSEN = {"cloud_block", "cloud_disk", "object"}
_MAY_BE_ZERO = {
    "iops_rent",
    "throughput_rent",
    "included_iops",
    "included_throughput",
    "read_request_fee",
    "write_request_fee",
}
_WHOLE = {
    "page_bytes",
    "latency_page_bytes",
    "io_unit_bytes",
    "queue_depth",
    "indirection_unit_bytes",
}
_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
_DEVICE_KEYS = {
    "id",
    "name",
    "kind",
    "year",
    "sold_as",
    "product",
    "notes",
    "figures",
    "measurements",
}
_MEASUREMENT_KEYS = {
    "operation",
    "page_bytes",
    "queue_depth",
    "iops",
    "latency_us",
    "source",
    "date",
    "note",
}
_MOST_MEASUREMENTS = 200
_RANGED = "unit_price"
_FIGURE_KEYS = {"value", "unit", "source", "date", "note", "assumed", "low", "high"}
_YEARS = (1950, 2100)
_MOST_WHOLE = 2**40


@dataclass(frozen=True, slots=True)
class Figure:
    """One stated figure of a device.

    Attributes
    ----------
    value : Decimal
        The number as the source prints it, in `unit`.
    unit : str
        Unit; one of those that `FIGURES` allows.
    source : str
        Where the number is from.
    date : str or None
        `YYYY`, `YYYY-MM`, `YYYY-MM-DD` or `YYYY-Qn`; None when the source is undated.
    note : str
        What to know before using it.
    assumed : bool
        Whether the number is an assumption (the figure of its class) that no source
        states of this device.
    low, high : Decimal or None
        Range of a `unit_price`, in `unit`; None where none is stated.
    """

    value: Decimal
    unit: str
    source: str
    date: str | None = None
    note: str = ""
    assumed: bool = False
    low: Decimal | None = None
    high: Decimal | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the figure as plain data, the value as int or float."""
        return {
            "value": plain_number(self.value),
            "unit": self.unit,
            "source": self.source,
            "date": self.date,
            "note": self.note,
            "assumed": self.assumed,
            **(
                {}
                if self.low is None or self.high is None
                else {"low": plain_number(self.low), "high": plain_number(self.high)}
            ),
        }


@dataclass(frozen=True, slots=True)
class Measurement:
    """A rate of random operations measured at one transfer size and one queue depth.

    Attributes
    ----------
    operation : str
        `read` or `write`.
    page_bytes : int
        Transfer. [bytes]
    iops : Decimal
        Operations a second. [1/s]
    source : str
        Where it is from.
    queue_depth : int or None
        Requests in flight; None: unknown. [1]
    date : str or None
        As of a `Figure`.
    note : str
        What to know before using it.
    latency_us : mapping of str to Decimal
        Key of `LATENCIES` to the time from submission to completion, with the wait behind the
        other requests in flight; empty where it was not measured. [µs]
    """

    operation: Operation
    page_bytes: int
    iops: Decimal
    source: str
    queue_depth: int | None = None
    date: str | None = None
    note: str = ""
    latency_us: Mapping[str, Decimal] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the measurement as plain data."""
        return {
            "operation": self.operation,
            "page_bytes": self.page_bytes,
            "iops": plain_number(self.iops),
            "latency_us": {
                name: plain_number(value) for name, value in self.latency_us.items()
            },
            "queue_depth": self.queue_depth,
            "source": self.source,
            "date": self.date,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class Sustained:
    """What an instance sustains to equal volumes that share it evenly.

    Attributes
    ----------
    instance : str
        Id of the instance.
    volumes : int
        Equal volumes of a machine, among which it is shared. [1]
    iops : Decimal or None
        Of all volumes together; None where no source states it. [1/s]
    mb_per_s : Decimal or None
        The same of throughput. [MB/s]
    io_unit_bytes : Decimal or None
        Largest transfer that counts as one operation; None where every transfer does. [bytes]
    """

    instance: str
    volumes: int
    iops: Decimal | None
    mb_per_s: Decimal | None
    io_unit_bytes: Decimal | None


@dataclass(frozen=True, slots=True)
class Device:
    """A device profile.

    Attributes
    ----------
    id : str
        Name in files and addresses: lower-case letters, digits, `.`, `_`, `-`.
    name : str
        Name for people.
    kind : str
        Key of `KINDS`.
    year : int or None
        Year of introduction.
    figures : mapping of str to Figure
        Key of `FIGURES` to figure; what is absent was not found, never guessed.
    notes : str
        What to know before using the device.
    sold_as : str
        Key of `SOLD_AS`.
    measurements : tuple of Measurement
        Rates at several transfer sizes; the rated one stands in `figures`.
    sustained : Sustained or None
        What the instance sustains to a volume and its equals; None for what stands behind no instance.
    product : str or None
        Name that the profiles of one product share, in the form of an id: prices of two dates, rates of two sources. None
        where this profile is the only one.
    """

    id: str
    name: str
    kind: str
    year: int | None = None
    figures: Mapping[str, Figure] = field(default_factory=dict)
    notes: str = ""
    sold_as: SoldAs = "device"
    measurements: tuple[Measurement, ...] = ()
    sustained: Sustained | None = None
    product: str | None = None
    computed: dict[Hashable, Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """What follows from the profile and is asked for again and again, by its question."""

    @property
    def roles(self) -> tuple[Role, ...]:
        """Tiers that this kind of device can serve."""
        return KINDS[self.kind][1]

    @property
    def bought_as(self) -> str:
        """What is bought, whichever of its profiles this is: the product, or the id where no product is stated."""
        return self.product or self.id

    @property
    def capacity_bytes(self) -> int | None:
        """Usable capacity, converted exactly from the stated unit. [bytes]"""
        figure = self.figures.get("capacity")
        if figure is None:
            return None
        return int(figure.value * UNIT_BYTES[figure.unit])

    @property
    def size_is_chosen(self) -> bool:
        """Whether it is rented by the byte: its capacity is the most that one volume may have."""
        return self.kind in _SIZE_IS_CHOSEN

    @property
    def page_bytes(self) -> int | None:
        """Transfer size at which the IOPS are quoted. [bytes]"""
        return self._whole("page_bytes")

    @property
    def latency_page_bytes(self) -> int | None:
        """Transfer size at which the latencies are quoted; None: that of the IOPS. [bytes]"""
        return self._whole("latency_page_bytes")

    @property
    def queue_depth(self) -> int | None:
        """Requests in flight at which the IOPS are quoted; None: unknown."""
        return self._whole("queue_depth")

    @property
    def io_unit_bytes(self) -> int | None:
        """Largest transfer that a rented volume counts as one I/O. [bytes]"""
        return self._whole("io_unit_bytes")

    @property
    def assumed(self) -> tuple[str, ...]:
        """Names of the figures that are assumptions."""
        return tuple(name for name, figure in self.figures.items() if figure.assumed)

    def number(self, figure: str) -> float | None:
        """Value of a figure in its own unit, None when it is not stated."""
        found = self.figures.get(figure)
        return None if found is None else float(found.value)

    def to_dict(self) -> dict[str, Any]:
        """Return the device in the form that `device_from_mapping` reads."""
        return {
            "id": self.id,
            "name": self.name,
            "kind": self.kind,
            "year": self.year,
            "sold_as": self.sold_as,
            **({} if self.product is None else {"product": self.product}),
            "figures": {
                name: figure.to_dict() for name, figure in self.figures.items()
            },
            "notes": self.notes,
            "measurements": [each.to_dict() for each in self.measurements],
        }

    def _whole(self, figure: str) -> int | None:
        found = self.figures.get(figure)
        return None if found is None else int(found.value)


def device_from_mapping(data: Mapping[str, Any], *, place: str = "device") -> Device:
    """Make a device from plain data, checking every key and value.

    Parameters
    ----------
    data : mapping
        `id`, `name`, `kind`, optional `year`, `sold_as`, `product`, `notes`, and `figures`: name to
        `{value, unit, source, date?, note?, assumed?}` with the names and units of `FIGURES`;
        optional `measurements`: a list of `{operation, page_bytes, iops, source, queue_depth?,
        latency_us?, date?, note?}`, with the latencies of `LATENCIES`.
    place : str
        File or request named in errors.

    Returns
    -------
    Device

    Raises
    ------
    BadInput
        With every problem found, each with its key.
    """
    problems = Problems(
        place, "see docs/reference/devices.md for keys, kinds and units"
    )
    for key in data:
        problems.check(key in _DEVICE_KEYS, key, None, "unknown key")
    identifier = _text(data, "id", problems)
    if identifier:
        _check_id(identifier, "id", problems)
    name = _text(data, "name", problems)
    kind = _text(data, "kind", problems)
    if kind:
        problems.check(kind in KINDS, "kind", kind, f"is not one of {', '.join(KINDS)}")
    year = data.get("year")
    if year is not None:
        first, last = _YEARS
        problems.check(
            _is_int(year) and first <= year <= last,
            "year",
            year,
            f"must be a year between {first} and {last}",
        )
    sold_as = data.get("sold_as", "device")
    problems.check(
        isinstance(sold_as, str) and sold_as in SOLD_AS,
        "sold_as",
        sold_as,
        f"is not one of {', '.join(SOLD_AS)}",
    )
    product = data.get("product")
    if product is not None:
        _check_id(product, "product", problems)
    notes = data.get("notes", "")
    problems.check(isinstance(notes, str), "notes", notes, "must be text")
    figures_data = data.get("figures", {})
    figures: dict[str, Figure] = {}
    if problems.check(
        isinstance(figures_data, Mapping), "figures", figures_data, "must be a table"
    ):
        for figure_name, entry in figures_data.items():
            figure = _figure(figure_name, entry, problems)
            if figure is not None:
                figures[figure_name] = figure
    measurements = _measurements(data.get("measurements", []), problems)
    problems.raise_if_any()
    return Device(
        identifier,
        name,
        kind,
        year,
        figures,
        notes,
        sold_as,
        measurements,
        product=product,
    )


def _check_id(value: Any, key: str, problems: Problems) -> None:
    problems.check(
        isinstance(value, str) and _ID.fullmatch(value),
        key,
        value,
        "must be lower-case letters, digits, `.`, `_`, `-`, at most 80",
    )


def _measurements(entries: Any, problems: Problems) -> tuple[Measurement, ...]:
    if not problems.check(
        isinstance(entries, list) and len(entries) <= _MOST_MEASUREMENTS,
        "measurements",
        None,
        f"must be a list of at most {_MOST_MEASUREMENTS}",
    ):
        return ()
    found = [
        _measurement(entry, f"measurements[{index}]", problems)
        for index, entry in enumerate(entries)
    ]
    made = tuple(each for each in found if each is not None)
    seen: set[tuple[str, int, int | None]] = set()
    for each in made:
        key = (each.operation, each.page_bytes, each.queue_depth)
        problems.check(
            key not in seen,
            "measurements",
            f"{each.operation} of {each.page_bytes} bytes",
            "is measured twice at one queue depth",
        )
        seen.add(key)
    return made


def _measurement(entry: Any, where: str, problems: Problems) -> Measurement | None:
    if not problems.check(isinstance(entry, Mapping), where, entry, "must be a table"):
        return None
    before = len(problems.found)
    for part in entry:
        problems.check(
            part in _MEASUREMENT_KEYS, f"{where}.{part}", None, "unknown key"
        )
    operation = entry.get("operation")
    problems.check(
        operation in OPERATIONS,
        f"{where}.operation",
        operation,
        f"must be {' or '.join(OPERATIONS)}",
    )
    page, depth = entry.get("page_bytes"), entry.get("queue_depth")
    for name, value in (("page_bytes", page), ("queue_depth", depth)):
        if name == "page_bytes" or value is not None:
            problems.check(
                _is_int(value) and 1 <= value <= _MOST_WHOLE,
                f"{where}.{name}",
                value,
                "must be a positive whole number",
            )
    iops = read_decimal(entry.get("iops"), f"{where}.iops", problems)
    if iops is not None:
        problems.check(iops > 0, f"{where}.iops", iops, "must be positive")
    source = entry.get("source")
    problems.check(
        isinstance(source, str) and source.strip(),
        f"{where}.source",
        source,
        "must name the source of the measurement",
    )
    check_date(entry.get("date"), f"{where}.date", problems)
    note = entry.get("note", "")
    problems.check(isinstance(note, str), f"{where}.note", note, "must be text")
    latencies = _latencies(entry.get("latency_us", {}), f"{where}.latency_us", problems)
    if len(problems.found) > before or iops is None:
        return None
    return Measurement(
        "read" if operation == "read" else "write",
        int(entry["page_bytes"]),
        iops,
        str(source),
        depth,
        entry.get("date"),
        note,
        latencies,
    )


def _latencies(entry: Any, where: str, problems: Problems) -> dict[str, Decimal]:
    if not problems.check(isinstance(entry, Mapping), where, entry, "must be a table"):
        return {}
    found: dict[str, Decimal] = {}
    for name, stated in entry.items():
        place = f"{where}.{name}"
        if not problems.check(
            name in LATENCIES, place, None, f"is not one of {', '.join(LATENCIES)}"
        ):
            continue
        value = read_decimal(stated, place, problems)
        if value is not None and problems.check(
            value > 0, place, value, "must be positive"
        ):
            found[name] = value
    ranked = [found[name] for name in LATENCIES if name in found and name != "mean"]
    problems.check(
        ranked == sorted(ranked),
        where,
        None,
        "a higher percentile is below a lower one",
    )
    return found


def _figure(name: str, entry: Any, problems: Problems) -> Figure | None:
    key = f"figures.{name}"
    if not problems.check(name in FIGURES, key, None, "unknown figure"):
        return None
    if not problems.check(isinstance(entry, Mapping), key, entry, "must be a table"):
        return None
    before = len(problems.found)
    for part in entry:
        problems.check(part in _FIGURE_KEYS, f"{key}.{part}", None, "unknown key")
    value = read_decimal(entry.get("value"), f"{key}.value", problems)
    if value is not None:
        _check_value(name, value, f"{key}.value", problems)
    units = FIGURES[name][0]
    unit = entry.get("unit")
    problems.check(unit in units, f"{key}.unit", unit, f"must be {' or '.join(units)}")
    source = entry.get("source")
    problems.check(
        isinstance(source, str) and source.strip(),
        f"{key}.source",
        source,
        "must name the source of the figure",
    )
    date = entry.get("date")
    check_date(date, f"{key}.date", problems)
    note = entry.get("note", "")
    problems.check(isinstance(note, str), f"{key}.note", note, "must be text")
    assumed = entry.get("assumed", False)
    problems.check(
        isinstance(assumed, bool), f"{key}.assumed", assumed, "must be true or false"
    )
    low, high = price_range(entry, value, key, problems)
    problems.check(
        low is None or name == _RANGED,
        f"{key}.low",
        low,
        f"is of no price, and only `{_RANGED}` has a range",
    )
    if len(problems.found) > before or value is None:
        return None
    return Figure(value, str(unit), str(source), date, note, assumed, low, high)


def price_range(
    entry: Mapping[str, Any],
    value: Decimal | None,
    where: str,
    problems: Problems,
    read: Callable[[Any, str, Problems], Decimal | None] = read_decimal,
) -> tuple[Decimal | None, Decimal | None]:
    """Read the range of a price, noting every problem; None twice where none is stated.

    Parameters
    ----------
    entry : mapping
        With `low` and `high`, or neither.
    value : Decimal or None
        The price; None where it could not be read.
    where : str
        Its key.
    problems : Problems
    read : callable
        Reads one of its ends.
    """
    if entry.get("low") is None and entry.get("high") is None:
        return None, None
    low, high = (
        read(entry.get(end), f"{where}.{end}", problems) for end in ("low", "high")
    )
    if low is None or high is None or value is None:
        return None, None
    problems.check(
        0 < low <= value <= high,
        f"{where}.low",
        f"{low} to {high}",
        f"must be above 0, and the price {value} within the range",
    )
    return low, high


def _check_value(name: str, value: Decimal, where: str, problems: Problems) -> None:
    if name in _MAY_BE_ZERO:
        problems.check(value >= 0, where, value, "must not be negative")
    else:
        problems.check(value > 0, where, value, "must be positive")
    if name in _WHOLE:
        problems.check(value == int(value), where, value, "must be a whole number")


def _text(data: Mapping[str, Any], key: str, problems: Problems) -> str:
    value = data.get(key)
    if isinstance(value, str) and value.strip():
        return value
    problems.add(key, value, "must be a text that is not empty")
    return ""
