"""Words of the shared shapes."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from live_app import REPOSITORY
from pydantic import TypeAdapter, ValidationError

from tierwright.common.parameters import PARAMETERS
from tierwright.evaluate.page_flow.terms import TERM_NAMES
from tierwright_server.common.errors import BadInput, problem_of
from tierwright_server.common.schemas import WarningOut
from tierwright_server.common.settings import Settings
from tierwright_server.questions.compare.schemas import CostTerms
from tierwright_server.traces.uploads.schemas import PreviewOut
from tierwright_server.traces.workloads.schemas import SummaryOut


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        (
            "use a smaller [[page_bytes]] to see more",
            "use a smaller page size to see more",
        ),
        ("give [[the format]]: msr, csv", "give the format: msr, csv"),
        ("use [[format=msr]]", "use format msr"),
        (
            "raise [[the max_expansion]]",
            "raise the limit on the expansion (TIERWRIGHT_TRACE_MAX_EXPANSION)",
        ),
        ("cut the trace", "cut the trace"),
    ],
)
def test_texts_of_the_models_are_sent_in_words(text, sent):
    warning = WarningOut(name="n", message=text, hint=text)
    assert (warning.message, warning.hint) == (sent, sent)
    problem = problem_of(BadInput.at("body.x", 1, text, hint=text))
    assert problem.detail == f"body.x: {sent}"
    assert (problem.hint, problem.errors[0].message) == (sent, sent)
    for shape in (PreviewOut, SummaryOut):
        assumptions = TypeAdapter(shape.model_fields["assumptions"].annotation)
        assert assumptions.validate_python([text]) == [sent]
    assert WarningOut(name="n", message="m").hint is None


def fields(document: Any) -> Iterator[str]:
    """Names of the fields of the shapes of an OpenAPI document."""
    for shape in document["components"]["schemas"].values():
        yield from shape.get("properties", {})


def test_parameters_of_messages_exist_in_the_api():
    known = set(
        fields(json.loads((REPOSITORY / "backend" / "openapi.json").read_text()))
    )
    settings = {f"TIERWRIGHT_{name.upper()}" for name in Settings.model_fields}
    assert "page_bytes" in known
    for name, parameter in PARAMETERS.items():
        assert parameter.field is None or parameter.field in known, name
        assert parameter.setting is None or parameter.setting in settings, name
        # What has the same name in the API is set by it.
        if name in known and name not in {"sizes", "formats"}:
            assert parameter.field == name, name


def test_an_unknown_cost_term_is_refused_not_dropped():
    terms = dict.fromkeys(TERM_NAMES, 1.0)
    assert CostTerms.model_validate(terms).model_dump() == terms
    with pytest.raises(ValidationError, match="no cost term `flash_erases`"):
        CostTerms.model_validate({**terms, "flash_erases": 5})
    with pytest.raises(ValidationError):
        CostTerms.model_validate({"flash_reads": 1.0})
