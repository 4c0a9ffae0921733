"""Shapes of checks by replay."""

from pydantic import Field

from tierwright.advise.checks import checked
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import Answer


@mirrors(
    checked.CheckedFigure,
    of="Scheme or device of the figure.",
    model="Null where it is unbounded or unknown.",
    gap_relative="(model - simulated) / simulated; null where either is null, or where the simulated figure is 0.",
)
class CheckedFigure(Answer):
    """One figure of an answer: by the model, and by a replay of the trace."""


class CheckedAnswer(Answer):
    """An answer and a replay of the trace at the same sizes."""

    sentence: str
    finding: str | None = Field(
        default=None,
        description="The finding of the replay, where the model is not precise enough.",
    )
    rows: list[CheckedFigure]
    basis: str = Field(description="What was replayed, and what was not.")
