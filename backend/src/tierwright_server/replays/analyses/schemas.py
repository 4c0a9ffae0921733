"""Shapes that every analysis shares."""

from datetime import datetime

from pydantic import Field

from tierwright_server.common.schemas import Answer
from tierwright_server.jobs.runs.schemas import RunOut
from tierwright_server.jobs.runs.states import RunStatus


class AnalysisOut(Answer):
    """An analysis: same inputs, same id; computed once."""

    id: str
    workload_id: str
    content_id: str
    status: RunStatus = Field(description="succeeded: it can be read.")
    core_version: str
    created_at: datetime
    run: RunOut | None
