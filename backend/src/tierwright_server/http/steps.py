"""Steps of a derivation as rows of an answer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tierwright.common.answer import Answer as ModelAnswer
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
    value = derivation.value
    number = None if value is None else float(np.asarray(value, dtype=np.float64))
    return DerivationStep(
        scheme=scheme,
        name=derivation.result,
        formula=derivation.substituted,
        value=number if number is None or math.isfinite(number) else None,
        unit=derivation.unit,
        source=derivation.source,
    )


def rows_of(answer: ModelAnswer) -> list[DerivationStep]:
    """Every step of an answer of the models, as rows."""
    return [
        derivation_step(step.derivation, step.subject) for step in answer.derivation()
    ]
