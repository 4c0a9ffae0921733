"""The formulas by name: what each says, takes and gives, an example, and its answer in full.

`tierwright.conformance.FORMULAS` maps names to functions; `CARDS` says the rest of each. The
command `tierwright formula`, `/formulas` over HTTP and the page read both.
"""

from __future__ import annotations

from tierwright.formulas.answer import Answer, ask
from tierwright.formulas.card import MOST_ENTRIES, Card, Kind, Output, Parameter
from tierwright.formulas.catalogue import (
    CARDS,
    FAMILIES,
    Example,
    Family,
    card_of,
    example,
    page_text,
)
from tierwright.formulas.limited import (
    KILLED,
    TIMEOUT_S,
    answer_of,
    ask_within,
    document_of,
    failed,
)

__all__ = [
    "CARDS",
    "FAMILIES",
    "KILLED",
    "MOST_ENTRIES",
    "TIMEOUT_S",
    "Answer",
    "Card",
    "Example",
    "Family",
    "Kind",
    "Output",
    "Parameter",
    "answer_of",
    "ask",
    "ask_within",
    "card_of",
    "document_of",
    "example",
    "failed",
    "page_text",
]
