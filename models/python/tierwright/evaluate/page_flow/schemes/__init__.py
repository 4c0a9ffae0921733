"""The page-flow schemes: one module each, and the one table that lists them."""

from __future__ import annotations

from tierwright.evaluate.page_flow.formula import SchemeFormula
from tierwright.evaluate.page_flow.schemes import (
    exclusive,
    inclusive,
    inclusive_global,
    lazy,
    none,
)

TABLE: tuple[SchemeFormula, ...] = (
    none.FORMULA,
    inclusive.FORMULA,
    inclusive_global.FORMULA,
    exclusive.FORMULA,
    lazy.FORMULA,
)
"""In the order of display."""
BY_NAME = {each.name: each for each in TABLE}
SCHEMES = tuple(BY_NAME)
"""Names of the schemes in the order of display; `none` is RAM without flash."""
TIE_ORDER = tuple(each.name for each in sorted(TABLE, key=lambda each: each.tie_rank))
"""Which scheme is named best among equals: `none`, which needs no flash, then by effective flash,
the larger first, as it still gains where the workload turns out to hold more pages."""
NO_FLASH = none.FORMULA.name
FLASH_SCHEMES = tuple(each.name for each in TABLE if each.uses_flash)
OWN_FORMULA = tuple(each.name for each in TABLE if each.formula_of is None)
"""Schemes with a cost formula of their own."""
WITH_DIRECTORY = tuple(each.name for each in TABLE if each.directory is not None)
