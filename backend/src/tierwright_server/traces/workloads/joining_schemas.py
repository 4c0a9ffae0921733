"""Shapes of workloads whose pages are joined."""

from pydantic import Field

from tierwright_server.common.schemas import Answer, Body, Name
from tierwright_server.traces.uploads.schemas import TracePageBytes
from tierwright_server.traces.workloads.schemas import WorkloadOut


class JoinedWorkloadIn(Body):
    """Join neighbouring pages of a workload into larger ones, as a system with larger pages has them."""

    page_bytes: TracePageBytes = Field(
        description="Size of the larger pages: a power of two above that of the workload. [bytes]"
    )
    name: Name | None = Field(
        default=None,
        description="Of the new workload; null: that of the workload with the page size.",
    )


class JoinedList(Answer):
    """Workloads whose pages are those of one workload joined, the oldest first."""

    items: list[WorkloadOut]
