"""A page in far memory, an object in a store with fees: beside the price of the DRAM used here."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from tierwright.common.units import format_bytes
from tierwright.common.wording import duration, percent, three_digits
from tierwright.evaluate.modern.stores import (
    GIB,
    cloud_break_even,
    near_memory_rate,
)

FAR_VALIDITY = (
    "loads that miss the processor's caches, not page accesses; nothing hides the stall; no I/O "
    "is paid"
)
STORE_VALIDITY = (
    "fees and the price of DRAM alone; the rate limit and the latency of the store are not "
    "included"
)


@dataclass(frozen=True, slots=True)
class FarAsked:
    """Memory over CXL: its price, and what waiting for it costs.

    Attributes
    ----------
    price_ratio : float
        Price of far memory over that of DRAM, per byte; at most 1. [1]
    stall_s : float
        Extra latency of one load that nothing hides. [s]
    core_usd_per_hour : float
        Of the core that waits. [USD/h]
    """

    price_ratio: float
    stall_s: float
    core_usd_per_hour: float


@dataclass(frozen=True, slots=True)
class StoreAsked:
    """Objects of a store with fees.

    Attributes
    ----------
    object_bytes : float
        Of one object. [bytes]
    request_usd, byte_usd : float
        Fees of one request and of one byte. [USD]
    """

    object_bytes: float
    request_usd: float
    byte_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class FarMemory:
    """How often a page is loaded that belongs in DRAM rather than in far memory.

    Attributes
    ----------
    loads_per_s : float
        Loads per second of one page. [1/s]
    dram_usd_per_gib_month : Decimal
        Price of DRAM used. [USD/GiB/month]
    sentence : str
        The same in words.
    validity : str
        Where it holds.
    """

    loads_per_s: float
    dram_usd_per_gib_month: Decimal
    sentence: str
    validity: str = FAR_VALIDITY


@dataclass(frozen=True, slots=True)
class ObjectStore:
    """How often an object is read that is cheaper to keep in DRAM than to fetch.

    Attributes
    ----------
    interval_s : float
        Between reads. [s]
    fetch_usd : Decimal
        One fetch. [USD]
    dram_usd_per_gib_month : Decimal
        Price of DRAM used. [USD/GiB/month]
    sentence : str
        The same in words.
    validity : str
        Where it holds.
    """

    interval_s: float
    fetch_usd: Decimal
    dram_usd_per_gib_month: Decimal
    sentence: str
    validity: str = STORE_VALIDITY


def usd_per_gib_month(usd_per_byte: Decimal, months: int) -> float:
    """Spread a price over its months, per GiB. [USD/GiB/month]"""
    return float(usd_per_byte) / months * GIB


def far_memory(
    asked: FarAsked, *, page_bytes: int, dram_usd_per_gib_month: float
) -> FarMemory:
    """Say which pages belong in DRAM rather than in far memory.

    Parameters
    ----------
    asked : FarAsked
        The far memory.
    page_bytes : int
        Page. [bytes]
    dram_usd_per_gib_month : float
        Price of DRAM. [USD/GiB/month]

    Returns
    -------
    FarMemory

    Raises
    ------
    BadInput
        If far memory costs more than DRAM, or an input is out of its domain.
    """
    loads = float(
        near_memory_rate(
            page_bytes=page_bytes,
            near_usd_per_gib_month=dram_usd_per_gib_month,
            far_usd_per_gib_month=dram_usd_per_gib_month * asked.price_ratio,
            stall_s=asked.stall_s,
            core_usd_per_hour=asked.core_usd_per_hour,
        )
    )
    if loads == 0:
        sentence = "Every page belongs in DRAM: far memory costs as much and every load of it waits."
    else:
        sentence = (
            f"A page of {format_bytes(page_bytes)} belongs in DRAM if it is loaded at least "
            f"{three_digits(loads)} times per second, and otherwise in far memory at "
            f"{percent(asked.price_ratio)} of the price of DRAM."
        )
    return FarMemory(loads, Decimal(str(dram_usd_per_gib_month)), sentence)


def object_store(asked: StoreAsked, *, dram_usd_per_gib_month: float) -> ObjectStore:
    """Say how often an object is read that is cheaper to keep in DRAM than to fetch.

    Parameters
    ----------
    asked : StoreAsked
        Object and fees.
    dram_usd_per_gib_month : float
        Price of DRAM. [USD/GiB/month]

    Returns
    -------
    ObjectStore

    Raises
    ------
    BadInput
        If an input is out of its domain.
    """
    found = cloud_break_even(
        object_bytes=asked.object_bytes,
        request_usd=asked.request_usd,
        byte_usd=asked.byte_usd,
        cache_usd_per_gib_month=dram_usd_per_gib_month,
    )
    interval = float(found.interval_s)
    size = format_bytes(round(asked.object_bytes))
    sentence = (
        f"An object of {size} is cheaper to keep in DRAM if it is read at least once in "
        f"{duration(interval)}; otherwise fetching it costs less."
        if interval > 0
        else f"Fetching an object of {size} costs nothing, so keeping it in DRAM never pays."
    )
    return ObjectStore(
        interval,
        Decimal(str(float(found.fetch_usd))),
        Decimal(str(dram_usd_per_gib_month)),
        sentence,
    )
