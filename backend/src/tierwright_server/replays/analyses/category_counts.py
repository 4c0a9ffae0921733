"""The requests below a RAM by category, as the arrays of their analysis hold them."""

import json
from collections.abc import Mapping
from typing import Any

from tierwright.profile.categories import CategoryCounts, of_core


def counts_of(arrays: Mapping[str, Any], ram_pages: int) -> CategoryCounts:
    """Read what was counted below a RAM. [pages]"""
    return of_core(json.loads(bytes(arrays["document"])), ram_pages)
