"""Shapes of what the simulator offers, and of a choice among it."""

import re
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from tierwright_server.common.schemas import Answer, Body, OptionText


class Family(StrEnum):
    """Kinds of what can be simulated."""

    POLICY = "policy"
    BUFFER = "buffer"
    SCHEME = "scheme"
    FLASH_CACHE = "flash_cache"
    CHOOSER = "chooser"


class SimulatorOption(Answer):
    """One option: its meaning and its allowed values."""

    name: str
    description: str
    default: str = Field(
        description="Its default, in words where it has no value; empty: it is "
        "required."
    )
    values: str = Field(description="What is allowed, in words.")
    choices: list[str] | None = Field(
        description="Every allowed value, where they can be listed."
    )
    policy_of_tier: str | None = Field(
        description="The tier whose replacement policy this option chooses; the "
        "policy's own options are given as the tier, `_` and their name."
    )


class SimulatorCounter(Answer):
    """A count that a flash cache has a name of its own for; it stands among the counters of its replays."""

    name: str = Field(description="Its name in the paper or source of the system.")
    unit: str = Field(description="What it counts: pages or blocks.")
    meaning: str = Field(description="What it is, by the names that all have.")


class SimulatorItem(Answer):
    """One policy, buffer, page-flow scheme, flash cache or chooser of schemes."""

    family: Family
    name: str
    title: str
    description: str
    paper: str | None
    tiers: int = Field(description="1: one cache; 2: RAM over flash.")
    least_pages: int = Field(description="Smallest cache, or RAM. [pages]")
    needs: list[str] = Field(
        description="future: reads the trace to its end first; writes: a trace with "
        "writes."
    )
    goes_by_time: bool = Field(
        description="Whether it does something by time with its defaults: a trace "
        "without time is replayed through it at a stated rate alone, and the "
        "recording of a scaled workload is not."
    )
    options: list[SimulatorOption]
    device_options: list[SimulatorOption] = Field(
        description="Options of a flash device that holds the data; empty where flash "
        "lies between RAM and disk, and its device is among the options."
    )
    counters: list[SimulatorCounter] = Field(
        description="Of a flash cache: counts that it has names of its own for; empty of the others."
    )


class SimulatorOut(Answer):
    """Everything that can be simulated, in the order of the core's tables."""

    policies: list[SimulatorItem]
    buffers: list[SimulatorItem]
    schemes: list[SimulatorItem]
    flash_caches: list[SimulatorItem]
    choosers: list[SimulatorItem]
    needs: dict[str, str] = Field(description="Meaning of each word of `needs`.")
    most_contenders: int
    most_replays: int = Field(description="Most replays of one sweep.")


ItemName = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$")
]
_OPTION_NAME = re.compile(r"[a-z0-9][a-z0-9_]{0,59}")


def _check_names(options: dict[str, str]) -> dict[str, str]:
    for name in options:
        if not _OPTION_NAME.fullmatch(name):
            raise ValueError(f"`{name[:40]}` cannot be the name of an option")
    return options


Options = Annotated[
    dict[str, OptionText], AfterValidator(_check_names), Field(max_length=30)
]


class ContenderIn(Body):
    """One thing to simulate: a name of `GET /simulator`, and its options."""

    family: Family
    name: ItemName
    options: Options = {}
