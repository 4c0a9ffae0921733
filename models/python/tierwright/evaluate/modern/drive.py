"""A flash drive from its parts: I/Os per second and cost.

Source: Zhang and others, "Five-Minute Rule 40 Years Later" (arXiv 2511.03944 v2, 2026), section
III-B and Tables I and III.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput
from tierwright.evaluate.modern._checked import numbers, one

SECTOR_BYTES = 512
"""A drive's mapping is sized for sectors of this size."""


@dataclass(frozen=True, slots=True)
class DriveParts:
    """Parts of a flash drive, and the mix of operations on it.

    Attributes
    ----------
    read_to_write : array_like
        G, reads per write of the host. [1]
    write_amplification : array_like
        W, writes inside the drive per write of the host; at least 1. [1]
    sense_s, program_s : array_like
        Time in which a plane of NAND reads and programs a page. [s]
    nand_page_bytes : array_like
        Physical page. [bytes]
    planes : array_like
        Of a die. [1]
    channels, dies_per_channel : array_like
        [1]
    command_s : array_like
        Channel time of one command. [s]
    channel_bytes_per_s : array_like
        [bytes/s]
    block_bytes : array_like
        What one I/O fetches. [bytes]
    """

    read_to_write: ArrayLike
    write_amplification: ArrayLike
    sense_s: ArrayLike
    program_s: ArrayLike
    nand_page_bytes: ArrayLike
    planes: ArrayLike
    channels: ArrayLike
    dies_per_channel: ArrayLike
    command_s: ArrayLike
    channel_bytes_per_s: ArrayLike
    block_bytes: ArrayLike


@dataclass(frozen=True, slots=True)
class PeakIops:
    """I/Os per second of a drive made of such parts; all of one shape.

    Attributes
    ----------
    read_share, write_share : float64 array
        Of the operations inside the drive. [1]
    die_iops, channel_iops : float64 array
        Internal operations of one die and of one channel. [1/s]
    device_iops : float64 array
        What the host sees of dies and channels. [1/s]
    peak_iops : float64 array
        The same within every limit given. [1/s]
    bound : str array
        The limit that binds: `dies`, `channel`, `translation`, `link_bandwidth` or
        `link_packets`.
    """

    read_share: FloatArray
    write_share: FloatArray
    die_iops: FloatArray
    channel_iops: FloatArray
    device_iops: FloatArray
    peak_iops: FloatArray
    bound: NDArray[np.str_]


@dataclass(frozen=True, slots=True)
class DriveCost:
    """Cost of a drive from its parts.

    Attributes
    ----------
    ftl_bytes : float
        Mapping of logical to physical sectors. [bytes]
    dram_dies : int
        DRAM dies that hold it. [1]
    cost : float
        In the unit of the parts' costs.
    """

    ftl_bytes: float
    dram_dies: int
    cost: float


def ssd_peak_iops(
    parts: DriveParts,
    *,
    dram_bytes_per_s: ArrayLike | None = None,
    ftl_entry_bytes: ArrayLike | None = None,
    link_bytes_per_s: ArrayLike | None = None,
    link_packets_per_s: ArrayLike | None = None,
    packets_per_request: ArrayLike | None = None,
) -> PeakIops:
    """Peak of a drive as printed, to reproduce the paper: rates of operations are averaged.

    R_r = (G + W - 1) / (G + 2W - 1), R_w = W / (G + 2W - 1);
    I_die = R_r N_pl / t_s + R_w N_pl l_pg / (t_p l);
    I_ch = R_r / (t_c + l / B_ch) + R_w / (t_c l / l_pg + l / B_ch);
    I_dev = (G + 1) / (G + 2W - 1) N_ch min(N_d I_die, I_ch).

    A die that serves operations in turn needs the mean of their times, not of their rates, so the
    print overstates the peak by up to 74 % for the parts of the paper: `ssd_peak_iops_times` is
    the one for answers. Reads that wait behind a program, misses of the translation and endurance
    are not in the model.

    Parameters
    ----------
    parts : DriveParts
        All broadcast.
    dram_bytes_per_s, ftl_entry_bytes : array_like, optional
        Bandwidth of the drive's DRAM and its bytes per mapping entry; together.
        [bytes/s], [bytes]
    link_bytes_per_s : array_like, optional
        Bandwidth of the link to the host. [bytes/s]
    link_packets_per_s, packets_per_request : array_like, optional
        Packets that the link carries and that a request needs; together. [1/s], [1]

    Returns
    -------
    PeakIops

    Raises
    ------
    BadInput
        If a part is not positive, W is below 1, or one of a pair is missing.
    """
    v = _parts("peak of a drive", parts)
    read, write = v["read_share"], v["write_share"]
    block, page, command = v["block_bytes"], v["nand_page_bytes"], v["command_s"]
    transfer = block / v["channel_bytes_per_s"]
    die = v["planes"] * (read / v["sense_s"] + write * page / (v["program_s"] * block))
    channel = read / (command + transfer) + write / (command * block / page + transfer)
    limits = _limits(
        v,
        die,
        channel,
        _optional(
            dram_bytes_per_s=dram_bytes_per_s,
            ftl_entry_bytes=ftl_entry_bytes,
            link_bytes_per_s=link_bytes_per_s,
            link_packets_per_s=link_packets_per_s,
            packets_per_request=packets_per_request,
        ),
    )
    return _peak(v, die, channel, limits)


def ssd_peak_iops_times(parts: DriveParts) -> PeakIops:
    """Peak of a drive, its operations served in turn: their times are averaged.

    I_die = 1 / (R_r t_s / N_pl + R_w t_p l / (N_pl l_pg));
    I_ch = 1 / (R_r (t_c + l / B_ch) + R_w (t_c l / l_pg + l / B_ch)).

    Derived: a correction of `ssd_peak_iops`, never above it. Valid for what a drive of these parts
    would do; for a drive that exists take its measured I/Os per second.

    Parameters
    ----------
    parts : DriveParts
        All broadcast.

    Returns
    -------
    PeakIops

    Raises
    ------
    BadInput
        If a part is not positive or W is below 1.
    """
    v = _parts("peak of a drive", parts)
    read, write = v["read_share"], v["write_share"]
    block, page, command = v["block_bytes"], v["nand_page_bytes"], v["command_s"]
    transfer = block / v["channel_bytes_per_s"]
    planes = v["planes"]
    die = 1 / (
        read * v["sense_s"] / planes + write * v["program_s"] * block / (planes * page)
    )
    channel = 1 / (
        read * (command + transfer) + write * (command * block / page + transfer)
    )
    return _peak(v, die, channel, _limits(v, die, channel, {}))


def ssd_cost(
    *,
    controller: float,
    die: float,
    dies: int,
    die_bytes: float,
    dram_die: float,
    dram_die_bytes: float,
    ftl_entry_bytes: float,
    sector_bytes: float = SECTOR_BYTES,
) -> DriveCost:
    """Cost of a drive: controller, NAND dies, and DRAM dies for its mapping.

    K = K_ctrl + N K_die + ceil(N C_die b / (sector C_dram)) K_dram.

    The paper's table gives 102 to 109 NAND dies for its drive, its printed intervals need 100.

    Parameters
    ----------
    controller, die, dram_die : float
        Costs, in any one unit.
    dies : int
        NAND dies. [1]
    die_bytes, dram_die_bytes : float
        Capacities. [bytes]
    ftl_entry_bytes : float
        Mapping entry: 4 to 8. [bytes]
    sector_bytes : float
        That one entry maps. [bytes]

    Returns
    -------
    DriveCost

    Raises
    ------
    BadInput
        If a size or count is not positive, or a cost is negative.
    """
    subject = "cost of a drive"
    v = numbers(
        subject,
        ("dies", "die_bytes", "dram_die_bytes", "ftl_entry_bytes", "sector_bytes"),
        controller=controller,
        die=die,
        dies=dies,
        die_bytes=die_bytes,
        dram_die=dram_die,
        dram_die_bytes=dram_die_bytes,
        ftl_entry_bytes=ftl_entry_bytes,
        sector_bytes=sector_bytes,
    )
    mapping = v["dies"] * v["die_bytes"] * v["ftl_entry_bytes"] / v["sector_bytes"]
    held = np.ceil(mapping / v["dram_die_bytes"])
    one(
        subject,
        "ftl_entry_bytes",
        ftl_entry_bytes,
        good=bool(np.isfinite(held)),
        message="needs more DRAM than a number can hold",
    )
    cost = v["controller"] + v["dies"] * v["die"] + held * v["dram_die"]
    return DriveCost(float(mapping), int(held), float(cost))


def _parts(subject: str, parts: DriveParts) -> dict[str, FloatArray]:
    """Check and broadcast, and add the shares of reads and writes inside the drive."""
    given = {name: getattr(parts, name) for name in DriveParts.__slots__}
    v = numbers(subject, [name for name in given if name != "read_to_write"], **given)
    amplification = v["write_amplification"]
    if not np.all(amplification >= 1):
        one(
            subject,
            "write_amplification",
            parts.write_amplification,  # type: ignore[arg-type]
            good=False,
            message="must be at least 1",
        )
    reads = v["read_to_write"]
    inside = reads + 2 * amplification - 1
    return v | {
        "inside": inside,
        "read_share": (reads + amplification - 1) / inside,
        "write_share": amplification / inside,
    }


def _optional(**values: ArrayLike | None) -> dict[str, FloatArray]:
    """Check limits that may be left out; those of a pair stand together."""
    given = {name: value for name, value in values.items() if value is not None}
    for one_, other in (
        ("dram_bytes_per_s", "ftl_entry_bytes"),
        ("link_packets_per_s", "packets_per_request"),
    ):
        if (one_ in given) != (other in given):
            raise BadInput(
                f"peak of a drive: `{one_}` and `{other}` belong together",
                "give both or neither",
            )
    return numbers("peak of a drive", given, **given) if given else {}


def _limits(
    v: dict[str, FloatArray],
    die: FloatArray,
    channel: FloatArray,
    given: dict[str, FloatArray],
) -> dict[str, FloatArray]:
    """I/Os per second of the host that each limit allows. [1/s]"""
    seen = (v["read_to_write"] + 1) / v["inside"] * v["channels"]
    found = {
        "dies": seen * v["dies_per_channel"] * die,
        "channel": seen * channel,
    }
    if "dram_bytes_per_s" in given:
        found["translation"] = given["dram_bytes_per_s"] / given["ftl_entry_bytes"]
    if "link_bytes_per_s" in given:
        found["link_bandwidth"] = given["link_bytes_per_s"] / v["block_bytes"]
    if "link_packets_per_s" in given:
        found["link_packets"] = (
            given["link_packets_per_s"] / given["packets_per_request"]
        )
    return found


def _peak(
    v: dict[str, FloatArray],
    die: FloatArray,
    channel: FloatArray,
    limits: dict[str, FloatArray],
) -> PeakIops:
    shape = np.broadcast_shapes(*(np.shape(each) for each in limits.values()))
    rows = np.stack([np.broadcast_to(each, shape) for each in limits.values()])
    return PeakIops(
        read_share=np.asarray(v["read_share"]),
        write_share=np.asarray(v["write_share"]),
        die_iops=np.asarray(die),
        channel_iops=np.asarray(channel),
        device_iops=np.minimum(limits["dies"], limits["channel"]),
        peak_iops=np.min(rows, axis=0),
        bound=np.asarray(list(limits))[np.argmin(rows, axis=0)],
    )
