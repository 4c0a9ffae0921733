"""The cost terms: what an access costs by device and operation, declared once.

A term stands in the answers, their derivations and the bars under its name; whoever names one
that is not declared here is refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from tierwright.common.errors import BadInput
from tierwright.hardware.device import Operation


@dataclass(frozen=True, slots=True)
class CostTerm:
    """One term of the I/O cost: counted operations times the time of one.

    Attributes
    ----------
    name : str
        Key in answers.
    title : str
        What bars and tables call it.
    meaning : str
        What is counted, in words.
    device : str
        `flash` or `disk`.
    operation : str
        `read` or `write`: with the device, whose time one operation takes.
    """

    name: str
    title: str
    meaning: str
    device: Literal["flash", "disk"]
    operation: Operation


COST_TERMS = (
    CostTerm("flash_reads", "Flash reads", "Page reads of flash", "flash", "read"),
    CostTerm(
        "flash_fills", "Flash fills", "Pages newly placed on flash", "flash", "write"
    ),
    CostTerm(
        "flash_write_backs",
        "Flash write-backs",
        "Dirty pages of RAM that overwrite their copy on flash",
        "flash",
        "write",
    ),
    CostTerm("disk_reads", "Disk reads", "Page reads of the disk", "disk", "read"),
    CostTerm(
        "disk_writes", "Disk writes", "Dirty pages that reach the disk", "disk", "write"
    ),
)
"""In the order in which they are added up and shown."""
TERM_NAMES = tuple(term.name for term in COST_TERMS)


def check_terms(names: Iterable[str]) -> None:
    """Refuse a name that no term has.

    Raises
    ------
    BadInput
        With the names that there are.
    """
    for name in names:
        if name not in TERM_NAMES:
            raise BadInput(
                f"there is no cost term `{name}`", f"one of {', '.join(TERM_NAMES)}"
            )
