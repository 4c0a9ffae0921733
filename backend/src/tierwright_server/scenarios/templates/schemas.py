"""Shapes of templates."""

from datetime import datetime
from typing import Any

from pydantic import Field

from tierwright_server.common.schemas import Answer, Body, Name
from tierwright_server.questions.advice.schemas import BoughtIn, Objective


class TemplateIn(BoughtIn):
    """What a team asks of every workload: part of the body of an advice."""

    objective: Objective = Field(default="usd", description="What is to be least.")


class AdviceTemplateIn(Body):
    """A template to keep."""

    name: Name
    template: TemplateIn = Field(
        description="What the team asks of every workload; what is left out is asked as usual."
    )


class AdviceTemplateOut(Answer):
    """A template of questions to the advisor."""

    id: str
    name: str
    template: dict[str, Any] = Field(
        description="Part of the body of `POST /workloads/{workload_id}/advice`, and the file of `tierwright advise "
        "--template`: what was stated, amounts in USD as decimal strings."
    )
    created_at: datetime
    updated_at: datetime
    etag: str = Field(description="For `If-Match` of a change.")


class AdviceTemplateList(Answer):
    """Templates, by name."""

    items: list[AdviceTemplateOut]
    total: int
    limit: int
    offset: int
