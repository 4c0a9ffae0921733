"""Sentences of an advice; each is computed from the figures that it speaks of.

`limits` writes limits and what is held against them, `names` names options, `finding` says what to buy and why, and
`refusals` why an option is rejected, or all are.
"""

from __future__ import annotations

from tierwright.advise.advice._words.finding import (
    Admitted,
    assumed_text,
    decided,
    names_alternative,
    sized_text,
    verdict_text,
)
from tierwright.advise.advice._words.limits import (
    HELD_DIRTY,
    IF_DIRTY,
    LIMIT_WORDS,
    behind_name,
    kept_limit,
    kept_value,
    limit_value,
    on_limit,
    stated_limit,
    what_is_asked,
    what_it_has,
)
from tierwright.advise.advice._words.names import (
    named,
    run_so,
    with_admission,
    with_flow,
    with_flows,
)
from tierwright.advise.advice._words.refusals import (
    beside_text,
    holds_nothing_text,
    infeasible_heading,
    infeasible_text,
    nearest_text,
    not_weighed_text,
    rejected_text,
    today_breaks_text,
    today_of,
    today_text,
    unknown_text,
    without_price_text,
)

__all__ = [
    "HELD_DIRTY",
    "IF_DIRTY",
    "LIMIT_WORDS",
    "Admitted",
    "assumed_text",
    "behind_name",
    "beside_text",
    "decided",
    "holds_nothing_text",
    "infeasible_heading",
    "infeasible_text",
    "kept_limit",
    "kept_value",
    "limit_value",
    "named",
    "names_alternative",
    "nearest_text",
    "not_weighed_text",
    "on_limit",
    "rejected_text",
    "run_so",
    "sized_text",
    "stated_limit",
    "today_breaks_text",
    "today_of",
    "today_text",
    "unknown_text",
    "verdict_text",
    "what_is_asked",
    "what_it_has",
    "with_admission",
    "with_flow",
    "with_flows",
    "without_price_text",
]
