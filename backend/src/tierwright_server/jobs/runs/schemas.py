"""Shapes of runs: what a job is doing."""

from datetime import datetime

from pydantic import Field

from tierwright_server.common.schemas import Answer, Hint, Said
from tierwright_server.jobs.runs.states import RunKind, RunStatus


class RunOut(Answer):
    """One job: its progress, its end, its error."""

    id: str
    kind: RunKind
    subject_id: str = Field(description="Workload or simulation this job is for.")
    title: str
    status: RunStatus
    phase: str | None = Field(description="What it is doing now.")
    done: int = Field(description="Work done in this phase, in `unit`.")
    total: int | None = Field(description="Work of this phase in `unit`, if known.")
    unit: str = Field(description="Unit of `done` and `total`.")
    rate_per_s: float | None = Field(description="`unit` per second, recently.")
    accesses: int | None = Field(
        description="Page accesses read in this phase, where it reads a trace."
    )
    accesses_per_s: float | None = Field(
        description="Page accesses per second, recently."
    )
    requests: int | None = Field(
        default=None,
        description="Records read in this phase, where it reads a raw trace.",
    )
    requests_per_s: float | None = Field(
        default=None, description="Records per second, recently."
    )
    message: str | None
    error: Said | None = Field(description="Why it failed.")
    hint: Hint
    attempts: int = Field(description="How often a worker started it.")
    cancel_requested: bool
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class RunList(Answer):
    """Runs, newest first."""

    items: list[RunOut]
    total: int
    limit: int
    offset: int
