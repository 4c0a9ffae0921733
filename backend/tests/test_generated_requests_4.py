"""No generated request breaks the promises of the document: the fifth part of the operations."""

import pytest
from generated_requests import LONG_EXAMPLES, keep_the_promises, part


@pytest.mark.slow
@pytest.mark.parametrize("operation", part(4), ids=lambda operation: operation.label)
def test_no_generated_request_breaks_the_promises_of_the_document(fuzzed, operation):
    """Every answer has a declared status, media type and shape, whatever is sent."""
    keep_the_promises(fuzzed, operation)


@pytest.mark.long
@pytest.mark.parametrize("operation", part(4), ids=lambda operation: operation.label)
def test_nor_does_any_of_many_more(fuzzed, operation):
    """The same of the requests that come behind the first."""
    keep_the_promises(fuzzed, operation, LONG_EXAMPLES)
