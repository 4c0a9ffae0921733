"""Shapes of single formulas."""

from typing import Any

from pydantic import Field

from tierwright.catalogue.card import Kind, Output
from tierwright.catalogue.table import Example, Family
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import Answer, Body, WarningOut
from tierwright_server.http.steps import DerivationStep


class FormulaParameterOut(Answer):
    """One input of a formula."""

    name: str
    kind: Kind
    unit: str = Field(description="`1` for ratios; empty where it has none.")
    meaning: str
    required: bool
    default: Any = Field(
        default=None,
        description="Value used where it is left out; null: see `otherwise`.",
    )
    otherwise: str = Field(description="What is used where it is left out, in words.")
    choices: list[str]
    also: list[str] = Field(description="Other keys for it.")


@mirrors(
    Output,
    formula="Its equation; empty: computed by a procedure.",
)
class FormulaOutputOut(Answer):
    """One field of a result; of nested results the innermost key."""


@mirrors(
    Example,
)
class FormulaExampleOut(Answer):
    """Inputs and result of one of the project's test vectors."""


@mirrors(
    Family,
)
class FormulaFamilyOut(Answer):
    """Formulas of one paper."""


class FormulaCardOut(Answer):
    """What is known of one formula."""

    name: str
    family: str
    title: str
    says: str = Field(description="What it answers, in a sentence.")
    formula: str
    source: str = Field(description="Paper with section or equation.")
    estimator: str
    validity: str
    parameters: list[FormulaParameterOut]
    instead: list[FormulaParameterOut] = Field(
        description="Another set of inputs that replaces all `parameters`."
    )
    outputs: list[FormulaOutputOut]
    example: FormulaExampleOut
    page_file: str = Field(description="Its page of the documentation.")
    command: str = Field(description="Command of which it is a part.")
    address: str = Field(description="Path under /api/v1 of which it is a part.")
    page: str = Field(description="Page of which it is a part.")


class FormulasOut(Answer):
    """Every formula, family by family."""

    families: list[FormulaFamilyOut]
    formulas: list[FormulaCardOut]


class FormulaPageOut(Answer):
    """A page of the documentation."""

    name: str
    page_file: str
    text: str = Field(description="Markdown.")


class FormulaIn(Body):
    """Inputs of a formula."""

    inputs: dict[str, Any] = Field(
        description="By the names of the formula's parameters, in their units."
    )


class FormulaAnswerOut(Answer):
    """A formula's result, and what to know before relying on it."""

    name: str
    inputs: dict[str, Any] = Field(description="As entered, with defaults filled in.")
    result: dict[str, Any] = Field(description="As the test vectors expect it.")
    estimator: str
    validity: str
    source: str
    formula: str
    warnings: list[WarningOut]
    derivation: list[DerivationStep]
