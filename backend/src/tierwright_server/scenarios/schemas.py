"""Shapes of saved scenarios."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from tierwright_server.common.schemas import Answer, Body, Name, Said
from tierwright_server.scenarios.asks import Asks
from tierwright_server.scenarios.kept import Comparison, KeptAnswer

Question = Literal[
    "advice",
    "compare",
    "scheme_map",
    "pool_split",
    "dram_or_flash",
    "what_to_cache",
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
    asks: Asks | None = Field(
        default=None,
        description="The requests whose answers are kept, by name. Without it, no "
        "answer is kept for a new scenario or a changed state; where only "
        "the name changes, a kept answer stays.",
    )


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
    model_version: str | None = Field(
        description="Version of the models that made the kept answer; absent without one."
    )
    present_model_version: str = Field(description="Version of the models now.")
    answered_at: datetime | None = Field(description="When the kept answer was made.")
    answer: KeptAnswer | None = Field(
        description="Key figures of the answer as they were when it was saved."
    )
    answer_reason: Said | None = Field(description="Why no answer is kept.")
    stale: bool = Field(
        description="The models, a device or a price book changed since the answer was "
        "kept: see `GET /scenarios/{id}` for the effect."
    )
    created_at: datetime
    updated_at: datetime
    etag: str = Field(description="For `If-Match` of a change.")


class OpenedScenario(ScenarioOut):
    """A saved scenario with its answer then and now."""

    asks: dict[str, Any] | None = Field(
        description="The requests whose answers are kept."
    )
    answer_now: KeptAnswer | None = Field(
        description="The answer to the same requests by the current models, prices and "
        "devices."
    )
    answer_now_reason: Said | None = Field(description="Why there is none.")
    to_compute: list[str] = Field(
        description="Requests of `asks` that a job of the current models must answer "
        "first: send them (`POST /pool-splits`, `POST /sweeps`), follow "
        "the run, and read again."
    )
    comparison: Comparison | None = Field(
        description="Both side by side; absent where one of them is."
    )


class ScenarioList(Answer):
    """Scenarios, last changed first."""

    items: list[ScenarioOut]
    total: int
    limit: int
    offset: int
