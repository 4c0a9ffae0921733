"""Inclusive, where every reference refreshes flash: C1 with exact hits."""

from __future__ import annotations

from dataclasses import replace

from tierwright.evaluate.page_flow.formula import Mark
from tierwright.evaluate.page_flow.schemes import inclusive

FORMULA = replace(
    inclusive.FORMULA,
    name="inclusive_global",
    title="Inclusive, global recency",
    mark=Mark("#2b8cbe", "#8fd0f5", "roundRect"),
    tie_rank=4,
    formula_of="inclusive",
    is_exact=True,
    hit_errors=(),
    errors_above_ram=False,
    approximation_note="",
    directory=None,
)
