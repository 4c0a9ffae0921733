"""How many random traces each flash cache and scheme is replayed on beside its slow model."""

from __future__ import annotations

import os

FEW = 200
TRACES = int(os.environ.get("TIERWRIGHT_RANDOM_TRACES", str(FEW)))
"""Of each flash cache; other proofs try more or fewer in proportion. `make test-long` tries 2,000, `make prove-caches` more."""


def traces(usual: int) -> int:
    """Return how many a proof tries that usually tries so many."""
    return max(1, usual * TRACES // FEW)
