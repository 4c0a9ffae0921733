"""Shapes of several workloads on one machine, and of the workload that is made of them."""

from typing import Annotated

from pydantic import Field

from tierwright.profile.several import MOST_WORKLOADS
from tierwright_server.common.schemas import Answer, Body, Identifier, Name
from tierwright_server.traces.workloads.scaling_schemas import KnownErrorOut

_Rate = Annotated[float, Field(gt=0, le=1e15)]


class ComposedMember(Body):
    """One of several workloads on a machine; the same may stand there several times."""

    workload_id: Identifier
    accesses_per_s: _Rate | None = Field(
        default=None,
        description="Rate of its page accesses on this machine; null: that of production "
        "where it was scaled, else that of its recording. [1/s]",
    )
    times_recorded: _Rate | None = Field(
        default=None,
        description="Instead: a multiple of that rate. [1]",
    )
    miss_weight: Annotated[float, Field(gt=0, le=1e6)] = Field(
        default=1.0,
        description="How much one of its misses counts in a split, relative to the others. [1]",
    )


Members = Annotated[
    list[ComposedMember],
    Field(
        min_length=1,
        max_length=MOST_WORKLOADS,
        description="The workloads, all of one page size.",
    ),
]


class ComposedWorkloadIn(Body):
    """Create the workload of one cache that several workloads share."""

    name: Name
    workloads: Members


class ComposedPartOut(Answer):
    """A workload of which another was composed."""

    name: str
    workload_id: str | None = Field(
        description="Id of the workload; null where the profile was composed elsewhere."
    )
    accesses_per_s: float | None = Field(
        description="Its rate in the composition; null where the profile was composed "
        "elsewhere. [1/s]"
    )


class ScaledPartsOut(Answer):
    """Which workloads of a composition were scaled to production, and how far that may be off."""

    workloads: list[str] = Field(description="Names of those that were scaled.")
    known_error: KnownErrorOut | None = Field(
        description="Of the misses of all workloads: the errors known of the scale laws, weighted "
        "by the misses of each workload, and the worst of them; null where a law was never "
        "measured."
    )
