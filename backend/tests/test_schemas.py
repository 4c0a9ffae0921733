"""Words of the shared shapes."""

import pytest
from pydantic import ValidationError

from tierwright.evaluate.page_flow.terms import TERM_NAMES
from tierwright_server.common.schemas import WarningOut
from tierwright_server.questions.compare.schemas import CostTerms


@pytest.mark.parametrize(
    ("hint", "shown"),
    [
        (
            "use a smaller --page-bytes to see more",
            "use a smaller page size to see more",
        ),
        ("name the format with --format: msr, csv", "name the format: msr, csv"),
        ("use --format msr", "use the format msr"),
        ("cut the trace", "cut the trace"),
        (None, None),
    ],
)
def test_hints_speak_of_the_page_not_of_the_command_line(hint, shown):
    assert WarningOut(name="n", message="m", hint=hint).hint == shown


def test_an_unknown_cost_term_is_refused_not_dropped():
    terms = dict.fromkeys(TERM_NAMES, 1.0)
    assert CostTerms.model_validate(terms).model_dump() == terms
    with pytest.raises(ValidationError, match="no cost term `flash_erases`"):
        CostTerms.model_validate({**terms, "flash_erases": 5})
    with pytest.raises(ValidationError):
        CostTerms.model_validate({"flash_reads": 1.0})
