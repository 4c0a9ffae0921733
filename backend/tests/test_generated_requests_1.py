"""No generated request breaks the promises of the document: the second part of the operations."""

import pytest
from generated_requests import keep_the_promises, part


@pytest.mark.slow
@pytest.mark.parametrize("operation", part(1), ids=lambda operation: operation.label)
def test_no_generated_request_breaks_the_promises_of_the_document(fuzzed, operation):
    """Every answer has a declared status, media type and shape, whatever is sent."""
    keep_the_promises(fuzzed, operation)
