"""Steps of a derivation as rows of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tierwright.common.answer import Answer as ModelAnswer
from tierwright.common.answer import Step, step
from tierwright.common.derivation import Derivation
from tierwright_server.common.schemas import Answer


class DerivationStep(Answer):
    """One formula with the numbers of this evaluation put in."""

    scheme: str | None
    name: str
    formula: str
    value: float | None
    unit: str
    source: str


def derivation_row(plain: Mapping[str, Any]) -> DerivationStep:
    """One formula that came as plain data, from a job or a process of its own."""
    return DerivationStep(
        scheme=None,
        name=plain["result"],
        formula=plain["substituted"],
        value=plain["value"],
        unit=plain["unit"],
        source=plain["source"],
    )


def derivation_step(
    derivation: Derivation, scheme: str | None = None
) -> DerivationStep:
    """One formula of the models with its numbers, as a row."""
    return row(step(derivation, scheme))


def row(found: Step) -> DerivationStep:
    """One step of an answer, as a row."""
    return DerivationStep(
        scheme=found.subject,
        name=found.name,
        formula=found.formula,
        value=found.value,
        unit=found.unit,
        source=found.source,
    )


def rows_of(answer: ModelAnswer) -> list[DerivationStep]:
    """Every step of an answer of the models, as rows."""
    return [row(each) for each in answer.derivation()]
