"""The requests below a RAM by category, as the arrays of their analysis hold them."""

import json
from collections.abc import Mapping
from typing import Any

from tierwright.profile.categories import CategoryCounts, of_core

_COUNTS = "counts"


def decoded(arrays: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Make counts of what is stored, once: thousands of categories are read for longer than is chosen among them."""
    document = json.loads(bytes(arrays["document"]))
    return {_COUNTS: of_core(document, inputs["ram_pages"])}


def counts_of(arrays: Mapping[str, Any]) -> CategoryCounts:
    """Return the counts of a loaded analysis."""
    found: CategoryCounts = arrays[_COUNTS]
    return found
