"""Which devices of an option lack the rate of what is done to them, in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from tierwright.advise.advice._in_time import TIERS
from tierwright.advise.advice._table import Table
from tierwright.common.wording import listed
from tierwright.evaluate.page_flow.operations import operations
from tierwright.hardware.device import OPERATIONS, Device, Operation
from tierwright.hardware.service_time import service_time

_VERBS: Mapping[Operation, str] = {"read": "reads", "write": "writes"}
RATE_FIGURES: Mapping[Operation, str] = {"read": "`read_iops`", "write": "`write_iops`"}
"""Figures of a device file that state them."""
Unrated = tuple[str, tuple[Operation, ...]]
"""Id of a device, and what no source states how fast it does."""


def unrated(table: Table, at: int) -> tuple[Unrated, ...]:
    """Return which devices of an option lack the rate of what an access does to them; empty where none is known to.

    Parameters
    ----------
    table : Table
    at : int
        Row of the option.
    """
    curve, options = table.setting.curve, table.options
    scheme, row = table.scheme(at), np.asarray([at])
    done = operations(
        curve, options.ram_pages[row], options.flash_pages[row], (scheme,)
    )[scheme].per_access
    found: dict[str, dict[Operation, None]] = {}
    for tier, name, device in zip(
        TIERS, table.names(at), table.devices(at), strict=True
    ):
        lacking = [
            operation
            for operation in OPERATIONS
            if done[tier, operation][0] > 0
            and math.isnan(stated_us(device, operation, curve.page_bytes))
        ]
        if name is not None and lacking:
            found.setdefault(name, {}).update(dict.fromkeys(lacking))
    return tuple(
        (name, tuple(each for each in OPERATIONS if each in some))
        for name, some in found.items()
    )


def unrated_words(found: Iterable[Unrated]) -> str:
    """Say of some devices how fast they do what no source states, and by which figure a file would; empty where there are none.

    Examples
    --------
    >>> unrated_words([("a", ("write",))])
    'no source states how fast `a` writes (`write_iops`)'
    >>> unrated_words([("a", ("read", "write")), ("b", ("read",))])
    'no source states how fast `a` reads and writes (`read_iops` and `write_iops`) and how fast `b` reads (`read_iops`)'
    """
    said = [
        f"how fast `{name}` {listed([_VERBS[each] for each in lacking])} ({listed([RATE_FIGURES[each] for each in lacking])})"
        for name, lacking in found
    ]
    return f"no source states {listed(said)}" if said else ""


def stated_us(device: Device | None, operation: Operation, page_bytes: int) -> float:
    """Return the busy time of a device for a page; NaN where no source states it. [µs]

    Parameters
    ----------
    device : Device or None
        None where no source states any figure of it.
    operation : str
    page_bytes : int
        Size of the page. [bytes]
    """
    if device is None:
        return math.nan
    found = service_time(device, operation, page_bytes).time_us
    return math.nan if found is None else found
