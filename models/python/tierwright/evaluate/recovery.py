"""Time until a cache is full, and time to restart after a crash.

Sources: Kang, Lee and Moon (2016), sections 5 and 6.8 (metadata restore, Table 8); the SCE
paper (ADMS 2014), sections 3.2 and 3.6 (filling). The redo model is derived.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.checks import broadcast
from tierwright.common.derivation import Derivation, Number, plain
from tierwright.common.errors import BadInput, Problems
from tierwright.evaluate.flash_cache import Recovery, recovery

__all__ = [
    "RESTORE_COSTS_MORE",
    "FillTime",
    "Recovery",
    "RedoTime",
    "Restart",
    "fill_time",
    "metadata_flush_interval",
    "recovery",
    "redo_time",
    "restart",
    "restart_speedup",
    "warm_up_misses",
]

RESTORE_COSTS_MORE = Caution(
    "restore_costs_more",
    "with so few pages to redo, restoring the flash metadata takes longer than reading from "
    "flash saves",
    "choose a longer checkpoint interval to compare: a shorter one leaves little to redo "
    "either way",
)

FLASH_SHARE_OF_REDO = 0.98
"""phi: share of recovery pages that came from flash, at least, in section 6.8. [1]"""
REDO_VALIDITY = (
    "one page at a time, no read-ahead, no parallel redo; pages to redo in proportion to half "
    "the checkpoint interval"
)
FILL_VALIDITY = (
    "a lower bound: nothing else uses the back end, the flash or the threads, and every unit "
    "is fetched once"
)
_FACE = "Kang, Lee and Moon (2016), section 6.8"


@dataclass(frozen=True, slots=True)
class FillTime:
    """Least time to fill a cache.

    Attributes
    ----------
    seconds : float
        [s]
    bytes_per_s : float
        Rate of the bottleneck. [bytes/s]
    bottleneck : str
        Which rate is the least.
    estimator, validity : str
        What was used and where it holds.
    derivation : tuple of Derivation
        Formula, numbers, source.
    """

    seconds: float
    bytes_per_s: float
    bottleneck: str
    estimator: str
    validity: str
    derivation: tuple[Derivation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True, slots=True)
class RedoTime:
    """Time of a restart: metadata, reads and writes of redo; arrays of one shape. [s]

    Attributes
    ----------
    metadata_s, reads_s, writes_s, total_s : float64 array
        [s]
    estimator, validity : str
        What was used and where it holds.
    derivation : tuple of Derivation
        Formula, numbers, source.
    """

    metadata_s: FloatArray
    reads_s: FloatArray
    writes_s: FloatArray
    total_s: FloatArray
    estimator: str
    validity: str
    derivation: tuple[Derivation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True, slots=True)
class Restart:
    """Restart with a flash cache that survives, against one without.

    Attributes
    ----------
    with_flash, without_flash : RedoTime
        [s]
    speedup : float64 array
        without / with. [1]
    warnings : tuple of Caution
        What to know before acting on it.
    """

    with_flash: RedoTime
    without_flash: RedoTime
    speedup: FloatArray
    warnings: tuple[Caution, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return found


def warm_up_misses(cache_bytes: ArrayLike, unit_bytes: ArrayLike) -> FloatArray:
    """Units that must be brought in before a cache is full: cache / unit.

    Parameters
    ----------
    cache_bytes, unit_bytes : array_like
        Any shapes that broadcast. [bytes]

    Returns
    -------
    float64 array
        Misses where each brings one unit in, promotions where a thread does. A part of a
        unit where the cache holds no whole number of them.

    Raises
    ------
    BadInput
        If a size is not positive.

    Examples
    --------
    >>> [int(units) for units in warm_up_misses(100 * 2**30, [4096, 2**20])]
    [26214400, 102400]
    """
    v = broadcast(
        "warm-up", amounts={"cache_bytes": cache_bytes, "unit_bytes": unit_bytes}
    )
    problems = Problems("warm-up", "use sizes in bytes above 0")
    for name, array in v.items():
        problems.check(np.all(array > 0), name, array, "must be above 0")
    problems.raise_if_any()
    return np.asarray(v["cache_bytes"] / v["unit_bytes"])


def fill_time(cache_bytes: float, rates_bytes_per_s: Mapping[str, float]) -> FillTime:
    """Least time to fill a cache: bytes / the least of the rates on the way.

    Parameters
    ----------
    cache_bytes : float
        What is to be filled. [bytes]
    rates_bytes_per_s : mapping of str to float
        Name of each bound to its rate: back end, flash writes, threads. [bytes/s]

    Returns
    -------
    FillTime

    Raises
    ------
    BadInput
        If there is no rate, or a number is not positive.

    Examples
    --------
    >>> found = fill_time(
    ...     160 * 2**30,
    ...     {"back end": 125e6, "flash writes": 500e6, "threads": 16 * 2**20},
    ... )
    >>> found.bottleneck, round(found.seconds / 3600, 2)
    ('threads', 2.84)
    """
    problems = Problems("fill time", "give sizes and rates above 0")
    problems.check(rates_bytes_per_s, "rates_bytes_per_s", None, "needs at least one")
    for name, value in {"cache_bytes": cache_bytes, **rates_bytes_per_s}.items():
        # NumPy's own test knows no whole number beyond 2^64.
        good = 0 < value < math.inf
        problems.check(good, name, value, "must be finite and above 0")
    problems.raise_if_any()
    bottleneck = min(rates_bytes_per_s, key=lambda name: rates_bytes_per_s[name])
    rate = rates_bytes_per_s[bottleneck]
    return FillTime(
        cache_bytes / rate,
        rate,
        bottleneck,
        "bottleneck bound",
        FILL_VALIDITY,
        (
            Derivation(
                "seconds",
                cache_bytes / rate,
                "s",
                f"cache / min({', '.join(rates_bytes_per_s)})",
                (
                    Number("cache", cache_bytes, "bytes", "to fill"),
                    *(
                        Number(name, value, "bytes/s", "rate")
                        for name, value in rates_bytes_per_s.items()
                    ),
                ),
                "derived; SCE paper (ADMS 2014), sections 3.2 and 3.6",
            ),
        ),
    )


def metadata_flush_interval(
    entries_per_segment: ArrayLike, enqueues_per_s: ArrayLike
) -> FloatArray:
    """Time between flushes of a metadata segment: entries / pages enqueued per second.

    Parameters
    ----------
    entries_per_segment : array_like
        64,000 in the paper. [1]
    enqueues_per_s : array_like
        Pages appended to flash; 0 never fills a segment. [1/s]

    Returns
    -------
    float64 array
        Infinite where nothing is enqueued. [s]

    Raises
    ------
    BadInput
        If the entries are not positive or the rate is negative.

    Examples
    --------
    >>> float(metadata_flush_interval(64_000, 3_200))
    20.0
    """
    v = broadcast(
        "metadata flush interval",
        amounts={
            "entries_per_segment": entries_per_segment,
            "enqueues_per_s": enqueues_per_s,
        },
    )
    entries, rate = v["entries_per_segment"], v["enqueues_per_s"]
    if not np.all(entries > 0):
        raise BadInput(
            f"metadata flush interval: entries_per_segment: `{entries}` must be above 0",
            "the paper's segment has 64,000 entries",
        )
    found = np.full(entries.shape, np.inf)
    np.divide(entries, rate, out=found, where=rate > 0)
    return found


def redo_time(
    *,
    metadata_s: ArrayLike,
    redo_pages: ArrayLike,
    redo_writes: ArrayLike,
    flash_share: ArrayLike,
    flash_read_s: ArrayLike,
    disk_read_s: ArrayLike,
    write_s: ArrayLike,
) -> RedoTime:
    """Time of a restart (derived): T = T_meta + n [phi C_flash + (1 - phi) C_disk] + n_w C_write.

    Parameters
    ----------
    metadata_s : array_like
        Time to restore the flash metadata, from `recovery`; 0 without flash. [s]
    redo_pages, redo_writes : array_like
        Pages read and pages written by redo, in proportion to half the checkpoint interval.
        [pages]
    flash_share : array_like
        phi, share of the pages that flash holds; 0 without flash, at least 0.98 in the
        paper. [1]
    flash_read_s, disk_read_s, write_s : array_like
        Cost of one page. [s]

    Returns
    -------
    RedoTime
        Arrays of the broadcast shape.

    Raises
    ------
    BadInput
        If a number is negative or the share outside [0, 1].

    Examples
    --------
    >>> found = redo_time(
    ...     metadata_s=1.5,
    ...     redo_pages=10_000,
    ...     redo_writes=0,
    ...     flash_share=0.98,
    ...     flash_read_s=1e-4,
    ...     disk_read_s=5e-3,
    ...     write_s=5e-3,
    ... )
    >>> round(float(found.total_s), 3)  # 1.5 + 0.98 + 1
    3.48
    """
    v = broadcast(
        "redo time",
        amounts={
            "metadata_s": metadata_s,
            "redo_pages": redo_pages,
            "redo_writes": redo_writes,
            "flash_read_s": flash_read_s,
            "disk_read_s": disk_read_s,
            "write_s": write_s,
        },
        shares={"flash_share": flash_share},
    )
    phi = v["flash_share"]
    each = phi * v["flash_read_s"] + (1 - phi) * v["disk_read_s"]
    reads = v["redo_pages"] * each
    writes = v["redo_writes"] * v["write_s"]
    total = v["metadata_s"] + reads + writes
    return RedoTime(
        np.asarray(v["metadata_s"]),
        np.asarray(reads),
        np.asarray(writes),
        np.asarray(total),
        "redo model, page by page",
        REDO_VALIDITY,
        (
            Derivation(
                "total_s",
                np.asarray(total),
                "s",
                "T_meta + n (phi C_flash + (1 - phi) C_disk) + n_w C_write",
                (
                    Number("T_meta", v["metadata_s"], "s", "metadata restore"),
                    Number("n", v["redo_pages"], "pages", "read by redo"),
                    Number("n_w", v["redo_writes"], "pages", "written by redo"),
                    Number("phi", phi, "1", "share found on flash"),
                    Number("C_flash", v["flash_read_s"], "s", "flash read"),
                    Number("C_disk", v["disk_read_s"], "s", "disk read"),
                    Number("C_write", v["write_s"], "s", "page write"),
                ),
                f"derived from {_FACE}",
            ),
        ),
    )


def restart(
    *,
    metadata_s: float,
    redo_pages: ArrayLike,
    redo_writes: ArrayLike,
    flash_read_s: float,
    flash_write_s: float,
    disk_read_s: float,
    disk_write_s: float,
    flash_share: float = FLASH_SHARE_OF_REDO,
) -> Restart:
    """Compare a restart whose flash cache survives with one without flash.

    With flash the redone pages are written to flash, without it to disk.

    Parameters
    ----------
    metadata_s : float
        From `recovery`. [s]
    redo_pages, redo_writes : array_like
        For example one entry a checkpoint interval. [pages]
    flash_read_s, flash_write_s, disk_read_s, disk_write_s : float
        Cost of one page. [s]
    flash_share : float
        phi. [1]

    Returns
    -------
    Restart

    Raises
    ------
    BadInput
        If a number is out of its domain.
    """
    with_flash = redo_time(
        metadata_s=metadata_s,
        redo_pages=redo_pages,
        redo_writes=redo_writes,
        flash_share=flash_share,
        flash_read_s=flash_read_s,
        disk_read_s=disk_read_s,
        write_s=flash_write_s,
    )
    without = redo_time(
        metadata_s=0.0,
        redo_pages=redo_pages,
        redo_writes=redo_writes,
        flash_share=0.0,
        flash_read_s=flash_read_s,
        disk_read_s=disk_read_s,
        write_s=disk_write_s,
    )
    speedup = np.ones(with_flash.total_s.shape)
    np.divide(
        without.total_s, with_flash.total_s, out=speedup, where=with_flash.total_s > 0
    )
    slower = bool(np.any(speedup < 1))
    return Restart(
        with_flash,
        without,
        speedup,
        (RESTORE_COSTS_MORE,) if slower else (),
    )


def restart_speedup(other_s: ArrayLike, face_s: ArrayLike) -> FloatArray:
    """Restart time of another system over that of FaCE.

    Parameters
    ----------
    other_s, face_s : array_like
        [s]

    Returns
    -------
    float64 array
        [1]

    Raises
    ------
    BadInput
        If a time is not positive.

    Examples
    --------
    >>> restart_speedup([58, 201, 525], [34, 50, 59]).round(2).tolist()  # Table 8
    [1.71, 4.02, 8.9]
    """
    v = broadcast("restart speed-up", amounts={"other_s": other_s, "face_s": face_s})
    problems = Problems("restart speed-up", "give measured times above 0")
    for name, array in v.items():
        problems.check(np.all(array > 0), name, array, "must be above 0")
    problems.raise_if_any()
    return np.asarray(v["other_s"] / v["face_s"])
