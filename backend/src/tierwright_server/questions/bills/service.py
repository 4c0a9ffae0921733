"""A bill: hands the configuration to the models."""

from tierwright.advise import bill as models
from tierwright.hardware.build import build_from_mapping
from tierwright_server.http.steps import rows_of
from tierwright_server.questions.bills.schemas import BillIn, BillOut


def bill(body: BillIn, *, derived: bool = False) -> BillOut:
    """Bill a configuration."""
    found = models.answer(
        build_from_mapping(body.model_dump(exclude_none=True), "body")
    )
    document = found.to_dict()
    document["derivation"] = rows_of(found) if derived else None
    return BillOut.model_validate(document)
