"""Policies and buffers whose data lie on the flash device: what their write-backs do to it.

Beside the page-flow schemes and flash caches of an answer, in which flash is a cache in front of a disk, the device
here holds all data: RAM is the only cache, every page that leaves it dirty is written to the device, and there is no
disk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tierwright.advise.checks.points import (
    SETTLED,
    Counters,
    Replay,
)
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes
from tierwright.common.wording import counted, listed
from tierwright.evaluate.page_flow.decision import warm_up_of
from tierwright.profile.curve import Curve
from tierwright.simulate import replay
from tierwright.simulate.contenders import spelled
from tierwright.simulate.erase_blocks import (
    BLOCK_OPTION,
    DEVICE_BLOCKS,
    LEAST_ERASED_PAGES,
    fitting_block_pages,
)
from tierwright.simulate.replay import Family

MARK = "data_on_flash_"
"""Begins the name of a replay whose data lie on the device."""


def data_titles() -> dict[str, str]:
    """Return the title of every policy and buffer whose data can lie on a device, by name; a policy before its twin."""
    return {
        name: f"{row['title']}, data on flash" for name, (_, row) in _known().items()
    }


def _known() -> dict[str, tuple[Family, dict[str, str]]]:
    families: tuple[Family, ...] = ("buffer", "policy")
    found: dict[str, tuple[Family, dict[str, str]]] = {}
    for family in families:
        found |= {row["name"]: (family, row) for row in replay.contenders(family)}
    return found


def is_on_flash(name: str) -> bool:
    """Tell whether a replay, by its name, is one whose data lie on the device."""
    return name.startswith(MARK)


@dataclass(frozen=True, slots=True)
class Holding:
    """What the device holds, and in how much room.

    Attributes
    ----------
    ram_pages : int
        Of the policy or buffer: there are no metadata of a flash cache to subtract. [pages]
    start : str
        `steady` warms with the first half of the trace; `cold` counts all of it.
    capacity_bytes : int or None
        Of all devices; None where they state none. [bytes]
    """

    ram_pages: int
    start: str
    capacity_bytes: int | None


def data_replays(
    names: Sequence[str],
    curve: Curve,
    holding: Holding,
    *,
    device: Mapping[str, str],
) -> dict[str, Replay]:
    """Return the replays of policies and buffers whose data lie on the device.

    Parameters
    ----------
    names : sequence of str
        Of `data_titles`.
    curve : Curve
        Of the recording.
    holding : Holding
        RAM and device.
    device : mapping of str to str
        Options of the device; empty: its writes are counted alone. Blocks are smaller where the data would fill fewer
        than 100, as of schemes.

    Returns
    -------
    dict
        By name, with `MARK` before it.

    Raises
    ------
    BadInput
        If there is no such policy or buffer, the workload is scaled, or the data do not fit on the devices.
    """
    known = _known()
    found = {}
    for given in dict.fromkeys(names):
        name = spelled(given)
        if name not in known:
            raise BadInput(
                f"data on flash: `{given}` is unknown", f"one of {', '.join(known)}"
            )
        if curve.scaled is not None:
            raise BadInput(
                f"data on flash: `{name}` cannot be replayed for production: the recording has other pages than "
                "production, and a device that holds other pages collects otherwise",
                "leave it out, or ask about the recording itself",
            )
        _check_fits(name, curve, holding.capacity_bytes)
        found[f"{MARK}{name}"] = Replay(
            known[name][0],
            name,
            holding.ram_pages,
            0,
            warm_up_of(holding.start, curve.accesses),
            _fitting(device, curve.distinct_pages),
        )
    return found


def _check_fits(name: str, curve: Curve, capacity_bytes: int | None) -> None:
    held = curve.distinct_pages * curve.page_bytes
    if capacity_bytes is not None and held > capacity_bytes:
        raise BadInput(
            f"data on flash: `{name}` has {format_bytes(held)} of data, which do not fit on "
            f"{format_bytes(capacity_bytes)} of flash devices",
            "raise the number of devices, or choose a larger one",
        )


def _fitting(device: Mapping[str, str], pages: int) -> dict[str, str]:
    if not device:
        return {}
    block = fitting_block_pages(int(device[BLOCK_OPTION]), pages)
    return {} if block is None else {**device, BLOCK_OPTION: str(block)}


def as_flash(counters: Counters) -> Counters:
    """Return the counters of a policy or buffer in the words of flash: its write-backs are the flash writes."""
    writes = (
        counters["disk_writes"] if "disk_writes" in counters else counters["writes"]
    )
    return {
        **counters,
        "flash_writes": writes,
        "flash_pages": counters["distinct_pages"],
    }


def about_data(
    counters: Mapping[str, Counters], *, with_device: bool, block_pages: int
) -> str:
    """Say what was replayed with its data on the device; empty for nothing.

    Parameters
    ----------
    counters : mapping of str to counters
        Of `as_flash`, by the names of `data_replays`.
    with_device : bool
        Whether write amplification was to be counted.
    block_pages : int
        Of the device that is meant; unused without it. [pages]
    """
    if not counters:
        return ""
    titles = data_titles()
    short = {name: titles[name.removeprefix(MARK)].split(",")[0] for name in counters}
    names = listed(list(short.values()))
    first = next(iter(counters.values()))
    pages = first["flash_pages"]
    said = (
        f"{names} {'was' if len(counters) == 1 else 'were'} replayed with {counted(first['pages'], 'page')} of RAM and "
        f"all data on the flash device, {counted(pages, 'page')}: it takes every write-back, and there is no disk."
    )
    if not with_device:
        return said
    if fitting_block_pages(block_pages, pages) is None:
        return (
            f"{said} Fewer than {DEVICE_BLOCKS} blocks of {LEAST_ERASED_PAGES} pages hold these pages, so their write "
            "amplification was not counted, and the life rests on that of the formula."
        )
    rising = [
        short[name]
        for name, each in counters.items()
        if 0 < each["flash_writes"] < SETTLED * pages
    ]
    if rising:
        lives = "its life is an" if len(rising) == 1 else "their lives are"
        bound = "upper bound" if len(rising) == 1 else "upper bounds"
        said += (
            f" {listed(rising)} wrote fewer than {SETTLED} times as many pages while writes were counted, so the write "
            f"amplification is still rising and {lives} {bound}."
        )
    return said
