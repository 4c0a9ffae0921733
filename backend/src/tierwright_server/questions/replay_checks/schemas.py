"""Shapes of checks by replay."""

from pydantic import Field

from tierwright_server.common.schemas import Answer


class CheckedFigure(Answer):
    """One figure of an answer: by the model, and by a replay of the trace."""

    of: str = Field(description="Scheme or device of the figure.")
    title: str
    figure: str
    unit: str
    model: float | None = Field(description="Null where it is unbounded or unknown.")
    simulated: float | None
    gap_relative: float | None = Field(
        description="(model - simulated) / simulated; null where either is null, or "
        "where the simulated figure is 0."
    )


class CheckedAnswer(Answer):
    """An answer and a replay of the trace at the same sizes."""

    sentence: str
    finding: str | None = Field(
        default=None,
        description="The finding of the replay, where the model is not precise enough.",
    )
    rows: list[CheckedFigure]
    basis: str = Field(description="What was replayed, and what was not.")
