"""Ids of results: the hash of everything that a result depends on."""

import hashlib
import json
from typing import Any


def result_id(depends_on: Any) -> str:
    """Return the id of what follows from plain data; the order of keys does not matter."""
    text = json.dumps(depends_on, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
