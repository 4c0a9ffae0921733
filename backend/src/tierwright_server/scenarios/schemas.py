"""Shapes of saved scenarios."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from tierwright_server.schemas import Answer, Body, Name

Question = Literal[
    "compare",
    "scheme_map",
    "pool_split",
    "dram_or_flash",
    "wear",
    "throughput",
    "simulate",
]
QuestionField = Annotated[
    Question, Field(description="The page whose parameters the state holds.")
]
State = Annotated[
    dict[str, Any],
    Field(description="The page's search parameters; restores exactly what was shown."),
]


class ScenarioIn(Body):
    """A scenario to keep."""

    name: Name
    question: QuestionField = "compare"
    state: State


class ScenarioUpdate(ScenarioIn):
    """A change; `version` is the one that was read."""

    version: Annotated[
        int,
        Field(
            strict=True,
            ge=1,
            le=2**31 - 1,
            description="The version this change starts from.",
        ),
    ]


class ScenarioOut(Answer):
    """A saved scenario."""

    id: str
    name: str
    question: QuestionField
    state: dict[str, Any]
    version: int
    created_at: datetime
    updated_at: datetime


class ScenarioList(Answer):
    """Scenarios, last changed first."""

    items: list[ScenarioOut]
    total: int
    limit: int
    offset: int
