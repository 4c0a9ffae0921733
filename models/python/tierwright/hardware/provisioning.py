"""Volumes that are rented by the I/O: what is provisioned sets their limits and their bill.

One configuration for both. A provider includes an allowance of IOPS and throughput in the rent of
capacity and charges what is above it, used or not; some in tiers. Throughput counts in the unit of
the provider's list: the "MB/s" of AWS are MiB/s. A volume has a least size, some a larger one for
many IOPS, and a largest: what holds more is several volumes, each of which provisions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from tierwright.common.derivation import Derivation, Number
from tierwright.common.errors import BadInput
from tierwright.common.units import UNIT_BYTES
from tierwright.common.wording import counted
from tierwright.hardware.device import Device, Figure
from tierwright.hardware.service_time import CUSTOMARY_TRANSFER_BYTES

SECONDS_PER_MONTH = 730 * 3600
MIB, MB, GIB = 2**20, 10**6, 2**30
MIB_PER_MB = Decimal(2**20) / Decimal(10**6)
RENTED = frozenset(
    {
        "iops_rent",
        "throughput_rent",
        "included_iops",
        "included_throughput",
        "provisioned_iops",
        "provisioned_throughput",
    }
)
"""Figures of which a volume that is rented by the I/O states at least one."""
TIERS = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class Provision:
    """IOPS and throughput that a volume is rented with; None: not known.

    Attributes
    ----------
    iops : Decimal or None
        [1/s]
    throughput : Decimal or None
        In `unit`.
    unit : str
        `MB/s` or `MiB/s`, as the provider counts.
    asked : bool
        Whether it was asked for; else it is what the device file is about.
    """

    iops: Decimal | None
    throughput: Decimal | None
    unit: str
    asked: bool


@dataclass(frozen=True, slots=True)
class ProvisionedCharge:
    """Rent of what is provisioned above the allowance, a month.

    Attributes
    ----------
    usd_per_month : Decimal
        [USD/month]
    text : str
        How it comes about, with the numbers put in.
    derivation : Derivation
        Formula, numbers, source.
    """

    usd_per_month: Decimal
    text: str
    derivation: Derivation


@dataclass(frozen=True, slots=True)
class Volumes:
    """What is rented to hold some bytes.

    Attributes
    ----------
    count : int
        Volumes: 0 where nothing is held. [1]
    billed_bytes : int
        Capacity of all of them together: the bytes held, or the least that can be rented. [bytes]
    least_bytes : int
        Least size of one volume; 0 where the device states none. [bytes]
    largest_bytes : int or None
        Largest size of one volume; None where the device states none. [bytes]
    why : str
        Why more is billed than is held; empty where it is not.
    """

    count: int
    billed_bytes: int
    least_bytes: int
    largest_bytes: int | None
    why: str


def is_rented_by_io(device: Device) -> bool:
    """Whether provisioned IOPS or throughput are part of the bill or of the limits."""
    return bool(RENTED & set(device.figures))


def provision(
    device: Device,
    *,
    iops: Decimal | None = None,
    throughput: Decimal | None = None,
) -> Provision:
    """Find what a volume is rented with.

    Parameters
    ----------
    device : Device
        With allowance, maxima and what its figures provision.
    iops, throughput : Decimal, optional
        What is asked for; None or 0 takes what the device file is about, else the allowance.
        Never less than the allowance. [1/s], [the provider's MB/s]

    Returns
    -------
    Provision

    Raises
    ------
    BadInput
        If more is asked for than may be provisioned.

    Examples
    --------
    >>> from tierwright.hardware import catalog
    >>> provision(catalog.device("aws-ebs-gp3-max"), iops=Decimal(20000)).throughput
    Decimal('125')
    """
    unit = _unit(device)
    asked = bool(iops or throughput)
    if not is_rented_by_io(device):
        return Provision(None, None, unit, asked=False)
    rated = _most(device, "read_iops", "write_iops")
    rate = _most(device, "sequential_read_mb_per_s", "sequential_write_mb_per_s")
    moved = None if rate is None else _in_unit(rate, unit)
    found = Provision(
        _taken(device, "iops", iops, rated, other_asked=bool(throughput)),
        _taken(device, "throughput", throughput, moved, other_asked=bool(iops)),
        unit,
        asked,
    )
    for name, value, of in (
        ("max_iops", found.iops, "IOPS"),
        ("max_throughput", found.throughput, unit),
    ):
        most = device.figures.get(name)
        if asked and most is not None and value is not None and value > most.value:
            raise BadInput(
                f"`{device.id}`: {value:,} {of} are more than the {most.value:,} that may be "
                "provisioned",
                "provision less, or choose another volume",
            )
    each = device.figures.get("throughput_per_iops")
    if asked and each and found.iops is not None and found.throughput is not None:
        bound = each.value * found.iops
        if found.throughput > bound:
            raise BadInput(
                f"`{device.id}`: {found.throughput:,} {unit} need more IOPS than {found.iops:,}: "
                f"at most {each.value:g} {unit} for each",
                "provision more IOPS, or less throughput",
            )
    return found


def configured(device: Device, used: Provision) -> Device:
    """Return the volume with the limits of what is provisioned; others unchanged.

    Parameters
    ----------
    device : Device
        As stated.
    used : Provision
        From `provision`.

    Returns
    -------
    Device
    """
    if not used.asked:
        return device
    figures = dict(device.figures)
    for names, value, unit in (
        (("read_iops", "write_iops"), used.iops, "1/s"),
        (
            ("sequential_read_mb_per_s", "sequential_write_mb_per_s"),
            _in_mb(used.throughput, used.unit),
            "MB/s",
        ),
    ):
        if value:
            figures |= {name: Figure(value, unit, "as provisioned") for name in names}
    return replace(device, figures=figures)


def volumes(device: Device, held_bytes: int, used: Provision) -> Volumes:
    """Find how many volumes hold the bytes, and the capacity that is billed.

    Count = ceil(held / largest size), capacity = max(held, count x least size). The least size is
    the provider's, or IOPS / (most IOPS for each GiB) where more IOPS are provisioned than the
    rent of capacity includes, or where none are rented and the size gives them.

    Parameters
    ----------
    device : Device
        With `least_capacity`, `iops_per_gib` and `capacity`, as far as it states them.
    held_bytes : int
        [bytes]
    used : Provision
        From `provision`: what each of the volumes is rented with.

    Returns
    -------
    Volumes

    Examples
    --------
    >>> from tierwright.hardware import catalog
    >>> gp3 = catalog.device("aws-ebs-gp3-max")
    >>> small = volumes(gp3, 10 * 2**30, provision(gp3))
    >>> small.billed_bytes // 2**30, small.why
    (160, 'with 80,000 IOPS a volume has at least 160 GiB')
    >>> volumes(gp3, 100_000 * 2**30, provision(gp3)).count
    2
    >>> st1 = catalog.device("aws-ebs-st1")
    >>> volumes(st1, 200 * 2**30, provision(st1)).why
    'with 500 IOPS a volume has at least 12,800 GiB'
    """
    largest = device.capacity_bytes
    least, why = _least(device, used)
    if held_bytes <= 0:
        return Volumes(0, 0, least, largest, "")
    count = 1 if not largest else -(-held_bytes // largest)
    billed = max(held_bytes, count * least)
    return Volumes(count, billed, least, largest, why if billed > held_bytes else "")


def _least(device: Device, used: Provision) -> tuple[int, str]:
    """Least size of a volume, and the sentence that says so."""
    stated = device.figures.get("least_capacity")
    least = 0 if stated is None else int(stated.value * UNIT_BYTES[stated.unit])
    why = (
        ""
        if stated is None
        else f"a volume has at least {stated.value:,} {stated.unit}"
    )
    each = device.figures.get("iops_per_gib")
    # Where no IOPS are rented the size alone gives those that the figures are about.
    iops = used.iops
    if iops is None and not is_rented_by_io(device):
        iops = _most(device, "read_iops", "write_iops")
    if each is None or not iops or iops <= _value(device, "included_iops"):
        return least, why
    gib = math.ceil(iops / each.value)
    if gib * GIB <= least:
        return least, why
    return gib * GIB, f"with {iops:,} IOPS a volume has at least {gib:,} GiB"


def charges(
    device: Device, used: Provision, count: int = 1
) -> Iterator[ProvisionedCharge]:
    """Rent of what is provisioned above the allowance.

    Parameters
    ----------
    device : Device
        With its rents.
    used : Provision
        From `provision`.
    count : int
        Volumes, each of which is rented with so much. [1]

    Yields
    ------
    ProvisionedCharge
        One of IOPS, one of throughput, as far as they cost anything.

    Raises
    ------
    BadInput
        If something is provisioned above the allowance whose rent the device does not state.

    Examples
    --------
    >>> from tierwright.hardware import catalog
    >>> volume = catalog.device("aws-ebs-gp3-baseline")
    >>> used = provision(volume, iops=Decimal(16000), throughput=Decimal(1000))
    >>> [float(each.usd_per_month) for each in charges(volume, used)]
    [65.0, 35.0]
    """
    for name, value, unit in (
        ("iops", used.iops, "IOPS"),
        ("throughput", used.throughput, used.unit),
    ):
        included = _value(device, f"included_{name}")
        above = max((value or Decimal(0)) - included, Decimal(0))
        rent = device.figures.get(f"{name}_rent")
        if not above:
            continue
        if rent is None:
            if f"included_{name}" in device.figures:
                raise BadInput(
                    f"`{device.id}` states no rent of {unit} above the {included:,} included, "
                    f"and {above:,} are provisioned: its total cost is not known",
                    "add the rent to a copy of the device",
                )
            continue
        if count:
            yield _charge(device, name, (above, included), (rent, unit), count)


def throughput_of(device: Device, rate_mb: Decimal) -> tuple[Decimal, str]:
    """Return a rate in MB/s as the provider counts it, and the unit."""
    unit = _unit(device)
    return _in_unit(rate_mb, unit), unit


def enough_for(
    device: Device,
    accesses: Decimal,
    page_bytes: int,
    *,
    iops: Decimal | None = None,
    throughput: Decimal | None = None,
) -> Provision | None:
    """Least IOPS and throughput, in whole units, with which one volume serves a load.

    IOPS >= accesses x ceil(page / I/O unit) / month; throughput >= accesses x page / month.
    Neither is below what is provisioned already.

    Parameters
    ----------
    device : Device
        As stated.
    accesses : Decimal
        Reads and writes. [1/month]
    page_bytes : int
        Of each. [bytes]
    iops, throughput : Decimal, optional
        What is provisioned already, as in `provision`.

    Returns
    -------
    Provision or None
        None where one volume cannot be rented with so much.

    Examples
    --------
    >>> from tierwright.hardware import catalog
    >>> volume = catalog.device("aws-ebs-gp3-baseline")
    >>> found = enough_for(volume, Decimal(20_000) * 730 * 3600, 16384)
    >>> found.iops, found.throughput
    (Decimal('20000'), Decimal('313'))
    """
    try:
        used = provision(device, iops=iops, throughput=throughput)
    except BadInput:
        return None
    io_bytes = device.io_unit_bytes or device.page_bytes or CUSTOMARY_TRANSFER_BYTES
    each = MIB if used.unit == "MiB/s" else MB
    needed = {
        "iops": (used.iops, accesses * -(-page_bytes // io_bytes) / SECONDS_PER_MONTH),
        "throughput": (
            used.throughput,
            accesses * page_bytes / (SECONDS_PER_MONTH * each),
        ),
    }
    found: dict[str, Decimal | None] = {}
    for name, (now, least) in needed.items():
        if now is None:
            found[name] = None
        elif now >= least:
            found[name] = now
        elif f"{name}_rent" in device.figures:
            found[name] = Decimal(math.ceil(least))
        else:
            return None
    per_iops = device.figures.get("throughput_per_iops")
    rate, rented = found["throughput"], found["iops"]
    if per_iops is not None and rate is not None and rented is not None:
        found["iops"] = max(rented, Decimal(math.ceil(rate / per_iops.value)))
    try:
        return provision(device, iops=found["iops"], throughput=found["throughput"])
    except BadInput:
        return None


def _charge(
    device: Device,
    name: str,
    amounts: tuple[Decimal, Decimal],
    rented: tuple[Figure, str],
    count: int,
) -> ProvisionedCharge:
    (above, included), (rent, unit) = amounts, rented
    one, parts = Decimal(0), []
    for amount, price in _tiers(device, name, above, rent):
        one += amount * price
        parts.append(f"{amount:,} x {price}")
    total, formula = one * count, "(provisioned - included) x rent"
    text = f"{' + '.join(parts)} {rent.unit}, {included:,} {unit} included"
    of_several: tuple[Number, ...] = ()
    if count > 1:
        formula = f"volumes x {formula}"
        sums = f"{counted(count, 'volume')} x ({' + '.join(parts)})"
        text = f"{sums} {rent.unit}, {included:,} {unit} included in each"
        of_several = (Number("volumes", count, "1", "that hold the bytes"),)
    return ProvisionedCharge(
        total,
        text,
        Derivation(
            "provisioned",
            total,
            "USD/month",
            f"{formula}: {text}",
            (
                *of_several,
                Number("provisioned", above + included, unit, "limit of the volume"),
                Number("included", included, unit, "in the rent of capacity"),
                Number("rent", rent.value, rent.unit, "as quoted, first tier"),
            ),
            f"{rent.source} ({rent.date or 'undated'})",
        ),
    )


def _tiers(
    device: Device, name: str, above: Decimal, rent: Figure
) -> Iterator[tuple[Decimal, Decimal]]:
    """Amount and price of each tier that is reached."""
    since, price = Decimal(0), rent.value
    for tier in TIERS[1:]:
        start = device.figures.get(f"{name}_rent_{tier}_from")
        following = device.figures.get(f"{name}_rent_{tier}")
        if start is None or following is None or above <= start.value:
            break
        yield start.value - since, price
        since, price = start.value, following.value
    yield above - since, price


def _taken(
    device: Device,
    name: str,
    asked: Decimal | None,
    stated: Decimal | None,
    *,
    other_asked: bool,
) -> Decimal | None:
    included = _value(device, f"included_{name}")
    if asked:
        return max(asked, included)
    if other_asked and included:
        return included
    own = device.figures.get(f"provisioned_{name}")
    if own is not None:
        return own.value
    if included:
        return included
    return stated if f"{name}_rent" in device.figures else None


def _value(device: Device, figure: str) -> Decimal:
    found = device.figures.get(figure)
    return Decimal(0) if found is None else found.value


def _most(device: Device, *names: str) -> Decimal | None:
    known = [device.figures[name].value for name in names if name in device.figures]
    return max(known, default=None)


def _unit(device: Device) -> str:
    for name in ("included_throughput", "provisioned_throughput", "max_throughput"):
        if name in device.figures:
            return device.figures[name].unit
    rent = device.figures.get("throughput_rent")
    return "MiB/s" if rent is not None and "MiB" in rent.unit else "MB/s"


def _in_unit(rate_mb: Decimal, unit: str) -> Decimal:
    return rate_mb if unit == "MB/s" else Decimal(round(rate_mb / MIB_PER_MB))


def _in_mb(throughput: Decimal | None, unit: str) -> Decimal | None:
    if throughput is None:
        return None
    return throughput if unit == "MB/s" else throughput * MIB_PER_MB
