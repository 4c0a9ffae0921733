"""Which device limits a transaction system, and how many disks until flash does.

Source: derived from Kang, Lee and Moon (2016), section 6.7.3 (scale-up with more disks).
Response times and queues: `tierwright.evaluate.throughput`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tierwright.common.arrays import FloatArray
from tierwright.common.checks import broadcast
from tierwright.common.derivation import Derivation, Number, plain
from tierwright.common.errors import Problems

RESOURCES = ("cpu", "disk", "flash")
"""What can limit; among equals the first is named."""
VALIDITY = (
    "saturation: enough clients to keep the slowest device busy, load spread "
    "evenly over the disks, one service time for each class of operation"
)


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """Limits of a transaction system; arrays of one shape.

    Attributes
    ----------
    disk_demand_s, flash_demand_s : float64 array
        Busy time a transaction needs of each of the disks, of flash. [s]
    throughput_per_s : float64 array
        Transactions at saturation. [1/s]
    disk_utilisation, flash_utilisation : float64 array
        Busy share, at most 1. [1]
    bottleneck : array of str
        `cpu`, `disk` or `flash`.
    knee_disks : float64 array
        Disks from which flash limits; infinite where flash is not used. [disks]
    estimator, validity : str
        What was used and where it holds.
    derivation : tuple of Derivation
        Formula, numbers, source.
    """

    disk_demand_s: FloatArray
    flash_demand_s: FloatArray
    throughput_per_s: FloatArray
    disk_utilisation: FloatArray
    flash_utilisation: FloatArray
    bottleneck: NDArray[np.str_]
    knee_disks: FloatArray
    estimator: str
    validity: str
    derivation: tuple[Derivation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return found


def bottleneck(
    *,
    disk_reads: ArrayLike,
    disk_writes: ArrayLike,
    flash_reads: ArrayLike,
    flash_writes: ArrayLike,
    disk_read_iops: ArrayLike,
    disk_write_iops: ArrayLike,
    flash_read_iops: ArrayLike,
    flash_write_iops: ArrayLike,
    disks: ArrayLike = 1,
    cpu_cap_per_s: ArrayLike | None = None,
) -> Bottleneck:
    """Throughput at saturation, utilisations, and the knee in disks.

    D_disk(n) = (reads / IOPS_r + writes / IOPS_w) / n, D_flash likewise;
    X = min(CPU cap, 1 / D_disk, 1 / D_flash); utilisation = X D; knee n* = D_disk(1) / D_flash.

    Parameters
    ----------
    disk_reads, disk_writes, flash_reads, flash_writes : array_like
        Page operations of one transaction. [1]
    disk_read_iops, disk_write_iops, flash_read_iops, flash_write_iops : array_like
        Of one disk, of flash; for a cache that appends, flash writes are pages a second at
        sequential bandwidth. [1/s]
    disks : array_like
        n, at least 1. [disks]
    cpu_cap_per_s : array_like, optional
        Transactions that the processors can do. [1/s]

    Returns
    -------
    Bottleneck

    Raises
    ------
    BadInput
        If a rate is not positive, a count is negative, there is no disk, or nothing limits.

    Examples
    --------
    >>> found = bottleneck(
    ...     disk_reads=2,
    ...     disk_writes=1,
    ...     flash_reads=8,
    ...     flash_writes=6,
    ...     disk_read_iops=409,
    ...     disk_write_iops=343,
    ...     flash_read_iops=65803,
    ...     flash_write_iops=13979,
    ...     disks=[1, 16],
    ... )
    >>> found.bottleneck.tolist(), found.throughput_per_s.round(1).tolist()
    (['disk', 'flash'], [128.1, 1815.6])
    """
    amounts = {
        "disk_reads": disk_reads,
        "disk_writes": disk_writes,
        "flash_reads": flash_reads,
        "flash_writes": flash_writes,
        "disk_read_iops": disk_read_iops,
        "disk_write_iops": disk_write_iops,
        "flash_read_iops": flash_read_iops,
        "flash_write_iops": flash_write_iops,
        "disks": disks,
    }
    if cpu_cap_per_s is not None:
        amounts["cpu_cap_per_s"] = cpu_cap_per_s
    v = broadcast("bottleneck", amounts=amounts)
    problems = Problems(
        "bottleneck", "use rates above 0 per second and at least one disk"
    )
    for name, array in v.items():
        if name.endswith(("iops", "per_s")):
            problems.check(np.all(array > 0), name, array, "must be above 0")
    problems.check(np.all(v["disks"] >= 1), "disks", v["disks"], "must be at least 1")
    one_disk = v["disk_reads"] / np.where(
        v["disk_read_iops"] > 0, v["disk_read_iops"], 1
    ) + v["disk_writes"] / np.where(v["disk_write_iops"] > 0, v["disk_write_iops"], 1)
    flash = v["flash_reads"] / np.where(
        v["flash_read_iops"] > 0, v["flash_read_iops"], 1
    ) + v["flash_writes"] / np.where(
        v["flash_write_iops"] > 0, v["flash_write_iops"], 1
    )
    problems.check(
        cpu_cap_per_s is not None or np.all(one_disk + flash > 0),
        "disk_reads",
        0,
        "and every other count are 0: nothing limits the throughput",
    )
    problems.raise_if_any()
    disk = np.asarray(one_disk / v["disks"])
    limits = np.stack(
        (
            v.get("cpu_cap_per_s", np.full(disk.shape, np.inf)),
            _inverse(disk),
            _inverse(flash),
        )
    )
    throughput = np.asarray(limits.min(axis=0))
    knee = np.full(disk.shape, np.inf)
    with np.errstate(over="ignore"):
        np.divide(one_disk, flash, out=knee, where=flash > 0)
    return Bottleneck(
        disk,
        np.asarray(flash),
        throughput,
        np.minimum(throughput * disk, 1.0),
        np.minimum(throughput * flash, 1.0),
        np.asarray(RESOURCES)[limits.argmin(axis=0)],
        knee,
        "operational laws at saturation",
        VALIDITY,
        (
            Derivation(
                "throughput_per_s",
                throughput,
                "1/s",
                "min(CPU cap, 1 / D_disk, 1 / D_flash)",
                (
                    Number("D_disk", disk, "s", "busy time of each disk"),
                    Number("D_flash", np.asarray(flash), "s", "busy time of flash"),
                    Number("n", v["disks"], "disks", "disks"),
                ),
                "derived from Kang, Lee and Moon (2016), section 6.7.3",
            ),
        ),
    )


def _inverse(demand: FloatArray) -> FloatArray:
    found = np.full(demand.shape, np.inf)
    # Of a demand below the smallest normal number the inverse is infinite too.
    with np.errstate(over="ignore"):
        np.divide(1.0, demand, out=found, where=demand > 0)
    return found
