"""A second kind of memory, object stores and disks: fetch or keep, near or far.

Sources are named at each function; the rents of a month count 730 hours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput
from tierwright.evaluate.modern._checked import numbers, one
from tierwright.hardware.provisioning import SECONDS_PER_MONTH

GIB = 2**30
GB = 10**9


@dataclass(frozen=True, slots=True)
class Expansion:
    """Servers with expanded memory.

    Attributes
    ----------
    servers_ratio : float64 array
        Servers needed over servers without expansion. [1]
    saving : float64 array
        Share of the cost of servers saved; negative where it costs more. [1]
    """

    servers_ratio: FloatArray
    saving: FloatArray


@dataclass(frozen=True, slots=True)
class FetchOrKeep:
    """An object in a store with fees, or in a cache with rent.

    Attributes
    ----------
    fetch_usd : float64 array
        One fetch. [USD]
    rent_usd_per_s : float64 array
        Of the object in the cache. [USD/s]
    interval_s : float64 array
        Accessed at least this often, keeping it costs less. [s]
    """

    fetch_usd: FloatArray
    rent_usd_per_s: FloatArray
    interval_s: FloatArray


def memory_expansion(
    *,
    main_speed: ArrayLike,
    expansion_speed: ArrayLike,
    main_to_expansion: ArrayLike,
    server_cost_ratio: ArrayLike,
) -> Expansion:
    """Servers saved by memory over CXL at equal time.

    ratio = (1 - 1 / R_d) / ((1 - 1 / R_d) + (1 - 1 / R_c) / C); saving = 1 - K ratio.

    Derived: data beyond memory is on flash at speed 1. The figures of the usual example (0.6729
    and 25.98 %) could not be checked against the paper they are attributed to.

    Parameters
    ----------
    main_speed, expansion_speed : array_like
        R_d > 1 and R_c >= 1, speed of main and of expanded memory over that of flash. [1]
    main_to_expansion : array_like
        C, bytes of main memory per byte of expansion; above 0. [1]
    server_cost_ratio : array_like
        K, cost of a server with expansion over one without. [1]

    Returns
    -------
    Expansion
        Broadcast shape.

    Raises
    ------
    BadInput
        If an input is out of its domain.
    """
    subject = "memory expansion"
    v = numbers(
        subject,
        ("main_to_expansion", "server_cost_ratio"),
        main_speed=main_speed,
        expansion_speed=expansion_speed,
        main_to_expansion=main_to_expansion,
        server_cost_ratio=server_cost_ratio,
    )
    least = float(np.min(v["main_speed"]))
    one(subject, "main_speed", least, good=least > 1, message="must be above 1")
    least = float(np.min(v["expansion_speed"]))
    message = "must be at least 1"
    one(subject, "expansion_speed", least, good=least >= 1, message=message)
    main = 1 - 1 / v["main_speed"]
    ratio = main / (main + (1 - 1 / v["expansion_speed"]) / v["main_to_expansion"])
    return Expansion(np.asarray(ratio), np.asarray(1 - v["server_cost_ratio"] * ratio))


def near_memory_rate(
    *,
    page_bytes: ArrayLike,
    near_usd_per_gib_month: ArrayLike,
    far_usd_per_gib_month: ArrayLike,
    stall_s: ArrayLike,
    core_usd_per_hour: ArrayLike,
) -> FloatArray:
    """Compute the loads per second from which a page belongs in near memory.

    a* = page (p_near - p_far) / (stall core). Derived: no I/O is paid, only the stall.

    Parameters
    ----------
    page_bytes : array_like
        [bytes]
    near_usd_per_gib_month, far_usd_per_gib_month : array_like
        Rents; near must not be cheaper. [USD/GiB/month]
    stall_s : array_like
        Extra latency of one load of far memory that nothing hides. [s]
    core_usd_per_hour : array_like
        Of the core that stalls. [USD/h]

    Returns
    -------
    float64 array
        Loads that miss the processor's caches, not page accesses. [1/s]

    Raises
    ------
    BadInput
        If an input is out of its domain.
    """
    subject = "near or far memory"
    v = numbers(
        subject,
        ("page_bytes", "stall_s", "core_usd_per_hour"),
        page_bytes=page_bytes,
        near_usd_per_gib_month=near_usd_per_gib_month,
        far_usd_per_gib_month=far_usd_per_gib_month,
        stall_s=stall_s,
        core_usd_per_hour=core_usd_per_hour,
    )
    dearer = v["near_usd_per_gib_month"] - v["far_usd_per_gib_month"]
    one(
        subject,
        "near_usd_per_gib_month",
        float(np.min(v["near_usd_per_gib_month"])),
        good=bool(np.all(dearer >= 0)),
        message="must not be below the price of far memory",
    )
    rent = v["page_bytes"] * dearer / (GIB * SECONDS_PER_MONTH)
    return np.asarray(rent / (v["stall_s"] * (v["core_usd_per_hour"] / 3600)))


def cloud_break_even(
    *,
    object_bytes: ArrayLike,
    request_usd: ArrayLike,
    byte_usd: ArrayLike,
    cache_usd_per_gib_month: ArrayLike,
) -> FetchOrKeep:
    """Interval between accesses at which keeping an object costs as much as fetching it.

    (request fee + l byte fee) / (l rent of a byte-second). Derived. The fee is for a request, so
    a large object belongs in a cache only when it is read often. The store's own rate limit and
    latency are not in it.

    Parameters
    ----------
    object_bytes : array_like
        l. [bytes]
    request_usd, byte_usd : array_like
        Fees of one request and of one byte. [USD]
    cache_usd_per_gib_month : array_like
        Rent of the cache. [USD/GiB/month]

    Returns
    -------
    FetchOrKeep
        Broadcast shape.

    Raises
    ------
    BadInput
        If an input is out of its domain.
    """
    v = numbers(
        "fetch or keep",
        ("object_bytes", "cache_usd_per_gib_month"),
        object_bytes=object_bytes,
        request_usd=request_usd,
        byte_usd=byte_usd,
        cache_usd_per_gib_month=cache_usd_per_gib_month,
    )
    fetch = v["request_usd"] + v["object_bytes"] * v["byte_usd"]
    rent = v["object_bytes"] * v["cache_usd_per_gib_month"] / (GIB * SECONDS_PER_MONTH)
    return FetchOrKeep(np.asarray(fetch), np.asarray(rent), np.asarray(fetch / rent))


def cloud_cache_rate(
    *,
    cache_usd_per_hour: ArrayLike,
    hit_ratio: ArrayLike,
    request_usd: ArrayLike,
    object_bytes: ArrayLike = 0.0,
    byte_usd: ArrayLike = 0.0,
) -> FloatArray:
    """Compute the requests per second from which a cache pays for itself in fees saved.

    r = cache dollars per hour / (3600 hit ratio cost of a fetch). Derived; Duwe and others
    ("The Five-Minute Rule for the Cloud", CIDR 2025, abstract) state 7 requests per second on AWS
    where latency does not matter, which equals a cache of about a cent an hour.

    Parameters
    ----------
    cache_usd_per_hour : array_like
        [USD/h]
    hit_ratio : array_like
        In (0, 1]. [1]
    request_usd : array_like
        Fee of a request. [USD]
    object_bytes, byte_usd : array_like
        Mean object and the fee of a byte. [bytes], [USD]

    Returns
    -------
    float64 array
        [1/s]

    Raises
    ------
    BadInput
        If an input is out of its domain, or a fetch costs nothing.
    """
    subject = "requests that pay for a cache"
    v = numbers(
        subject,
        ("hit_ratio",),
        cache_usd_per_hour=cache_usd_per_hour,
        hit_ratio=hit_ratio,
        request_usd=request_usd,
        object_bytes=object_bytes,
        byte_usd=byte_usd,
    )
    most = float(np.max(v["hit_ratio"]))
    one(subject, "hit_ratio", most, good=most <= 1, message="must not exceed 1")
    fetch = v["request_usd"] + v["object_bytes"] * v["byte_usd"]
    if not np.all(fetch > 0):
        raise BadInput(
            f"{subject}: request_usd: `{np.min(v['request_usd']):g}` leaves a fetch without cost",
            "give a fee of a request or of a byte above 0",
        )
    return np.asarray(v["cache_usd_per_hour"] / (3600 * v["hit_ratio"] * fetch))


def egress_crossover(*, request_usd: ArrayLike, usd_per_gb: ArrayLike) -> FloatArray:
    """Size from which the bytes of an object cost more than its request.

    s* = fee / egress rate. Mandarapu and Kunkunuru, "Caching for Dollars, Not Hits" (arXiv
    2606.20539, abstract): about 4 KB on S3.

    Parameters
    ----------
    request_usd : array_like
        Fee of a request. [USD]
    usd_per_gb : array_like
        Fee of 10^9 bytes; above 0. [USD/GB]

    Returns
    -------
    float64 array
        [bytes]

    Raises
    ------
    BadInput
        If an input is out of its domain.
    """
    v = numbers(
        "egress", ("usd_per_gb",), request_usd=request_usd, usd_per_gb=usd_per_gb
    )
    return np.asarray(v["request_usd"] / (v["usd_per_gb"] / GB))


def disk_head_time(
    *, ios: ArrayLike, size_bytes: ArrayLike, seek_s: ArrayLike, bytes_per_s: ArrayLike
) -> FloatArray:
    """Busy time of a disk's head: I/Os x seek + bytes / bandwidth.

    The metric of Baleen (Wong and others, FAST 2024; its simulator takes 11.5 ms and 143 MiB/s):
    its peak, not a hit ratio, decides how many disks are bought.

    Parameters
    ----------
    ios, size_bytes : array_like
        Operations and bytes. [1], [bytes]
    seek_s, bytes_per_s : array_like
        Of the disk; bandwidth above 0. [s], [bytes/s]

    Returns
    -------
    float64 array
        [s]

    Raises
    ------
    BadInput
        If an input is out of its domain.
    """
    v = numbers(
        "disk head",
        ("bytes_per_s",),
        ios=ios,
        size_bytes=size_bytes,
        seek_s=seek_s,
        bytes_per_s=bytes_per_s,
    )
    return np.asarray(v["ios"] * v["seek_s"] + v["size_bytes"] / v["bytes_per_s"])
