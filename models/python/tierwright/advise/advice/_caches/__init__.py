"""Flash caches on the hardware that page flow leaves best, and on what it cannot carry: replayed, priced, and chosen where better.

`places` finds that hardware, `replays` replays flash caches on it, `assignments` those behind categories, and `choice`
says what is tried and chosen. `rows` puts it into the answer, and `words` says it.
"""

from __future__ import annotations

from tierwright.advise.advice._caches.choice import MOST_HALVINGS, Tried, tried
from tierwright.advise.advice._caches.places import beyond_page_flow
from tierwright.advise.advice._caches.replays import EQUAL, CacheReplayed
from tierwright.advise.advice._caches.rows import (
    checked_option,
    listed_rows,
    option_under,
)
from tierwright.advise.advice._caches.words import about, sentence

__all__ = [
    "EQUAL",
    "MOST_HALVINGS",
    "CacheReplayed",
    "Tried",
    "about",
    "beyond_page_flow",
    "checked_option",
    "listed_rows",
    "option_under",
    "sentence",
    "tried",
]
