"""Flash that reads more slowly beside random writes: a model between pure reads and pure writes.

The plain model adds busy times: of n operations, r of them reads, a device is busy for n (r / IOPS_R +
(1 - r) / IOPS_W). A flash device whose reads wait for programs and garbage collection carries less
than that. `MODEL` adds a time to each read, in proportion to the share of random writes beside it,
which leaves both ends as they are rated; its one constant follows from one rating of a mix.

Source: derived. A line is the least that meets both ends and one point between them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray
from tierwright.common.checks import broadcast
from tierwright.hardware.device import Device
from tierwright.hardware.service_time import US_PER_S, service_us, stated_page_bytes

MODEL = "reads slowed beside writes"
BUSY_TIMES_ADD = "busy times add"
PERCENT = 100.0


def beside_writes(
    *,
    read_us: ArrayLike,
    write_us: ArrayLike,
    mixed_us: ArrayLike,
    read_share: ArrayLike,
) -> FloatArray:
    """Compute how much longer a read would take if all beside it were random writes. [µs]

    c = (t_mix - r t_R - (1 - r) t_W) / (r (1 - r)), at least 0.

    Parameters
    ----------
    read_us, write_us, mixed_us : array_like
        1/IOPS of reads alone, of writes alone, and of both together. [µs]
    read_share : array_like
        r, of the mix. [1]

    Returns
    -------
    float64 array
        0 where the mix is as fast as busy times that add, or faster, and where it is one of the ends. [µs]

    Raises
    ------
    BadInput
        If a time is negative, or the share not between 0 and 1.

    Examples
    --------
    >>> round(
    ...     float(beside_writes(read_us=10, write_us=40, mixed_us=25, read_share=0.7)),
    ...     3,
    ... )
    28.571
    """
    given = broadcast(
        "mixed load",
        amounts={"read_us": read_us, "write_us": write_us, "mixed_us": mixed_us},
        shares={"read_share": read_share},
    )
    read, write, mixed, share = (
        given[name] for name in ("read_us", "write_us", "mixed_us", "read_share")
    )
    both = share * (1 - share)
    excess = mixed - share * read - (1 - share) * write
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(both > 0, excess / both, 0.0)
    return np.asarray(np.maximum(found, 0.0))


def mixed_operation(
    *,
    read_us: ArrayLike,
    write_us: ArrayLike,
    beside_us: ArrayLike,
    read_share: ArrayLike,
) -> FloatArray:
    """Busy time of an operation of a mix: r (t_R + c (1 - r)) + (1 - r) t_W. [µs]

    Parameters
    ----------
    read_us, write_us : array_like
        1/IOPS of reads alone and of writes alone. [µs]
    beside_us : array_like
        c, of `beside_writes`. [µs]
    read_share : array_like
        r. [1]

    Raises
    ------
    BadInput
        If a time is negative, or the share not between 0 and 1.

    Examples
    --------
    >>> round(
    ...     float(
    ...         mixed_operation(
    ...             read_us=10, write_us=40, beside_us=28.571, read_share=0.7
    ...         )
    ...     ),
    ...     2,
    ... )
    25.0
    """
    given = broadcast(
        "mixed load",
        amounts={"read_us": read_us, "write_us": write_us, "beside_us": beside_us},
        shares={"read_share": read_share},
    )
    read, write, beside, share = (
        given[name] for name in ("read_us", "write_us", "beside_us", "read_share")
    )
    return np.asarray(share * (read + beside * (1 - share)) + (1 - share) * write)


def beside_writes_us(device: Device, page_bytes: int) -> float:
    """Return how much longer a read on a device takes if all beside it are random writes. [µs]

    From `mixed_iops` at `mixed_read_percent`, rated at the transfer size of the other IOPS; at another
    page size it grows as the read does. 0 where the device states no mix: busy times add.

    Parameters
    ----------
    device : Device
        Flash.
    page_bytes : int
        [bytes]

    Returns
    -------
    float
        c of `beside_writes`. [µs]
    """
    rate, percent = (
        device.number(name) for name in ("mixed_iops", "mixed_read_percent")
    )
    stated = stated_page_bytes(device)
    read, write = (service_us(device, each, stated) for each in ("read", "write"))
    if rate is None or percent is None or read is None or write is None or read == 0:
        return 0.0
    found = float(
        beside_writes(
            read_us=read,
            write_us=write,
            mixed_us=US_PER_S / rate,
            read_share=percent / PERCENT,
        )
    )
    here = service_us(device, "read", page_bytes)
    return found if here is None else found * here / read


def mixed_load_basis(device: Device) -> str:
    """Name the model of mixed loads that holds for a device."""
    stated = all(
        name in device.figures for name in ("mixed_iops", "mixed_read_percent")
    )
    return MODEL if stated else BUSY_TIMES_ADD
