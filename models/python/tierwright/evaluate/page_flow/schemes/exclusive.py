"""Flash holds what RAM does not: C2."""

from __future__ import annotations

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.evaluate.page_flow.formula import (
    DirectoryUpkeep,
    Mark,
    Operations,
    Place,
    SchemeFormula,
)
from tierwright.profile.curve import Curve


def _operations(
    h: FloatArray, m: FloatArray, _: FloatArray, p_df: FloatArray
) -> Operations:
    """Each RAM victim is written to flash, clean or dirty."""
    return {
        "flash_reads": h,
        "flash_fills": h + m,
        "disk_reads": m,
        "disk_writes": p_df * m,
    }


def _effective_flash(
    _: Curve, __: FloatArray, f: FloatArray, ___: FloatArray
) -> FloatArray:
    return f


def _charged(place: Place) -> FloatArray:
    return place.tier.ram_misses


def _counted(place: Place) -> FloatArray:
    return place.curve.evictions(place.r)


def _exact_text(_: int, flash_pages: int) -> str:
    if flash_pages == 0:
        return "exact for LRU"
    return "exact for LRU/LRU: both tiers are one LRU of r + f pages"


FORMULA = SchemeFormula(
    name="exclusive",
    title="Exclusive",
    mark=Mark("#c4500a", "#f08a3c", "triangle"),
    tie_rank=1,
    section="3.3",
    formula="C2 = h_f F_R + m_r F_W + m_f (p_dF D_W + D_R)",
    hits_formula="h_f = m_r - m_f, m_f = misses(r + f)",
    estimator="LRU curve at r + f",
    term_formulas={
        "flash_reads": "h_f F_R / N",
        "flash_fills": "m_r F_W / N",
        "disk_reads": "m_f D_R / N",
        "disk_writes": "m_f p_dF D_W / N",
    },
    flash_writes_formula="m_r / N",
    unused=frozenset({"q", "p_d"}),
    operations=_operations,
    effective_flash=_effective_flash,
    held=lambda r, f, _: r + f,
    together=lambda r, f: r + f,
    charged_writes=_charged,
    counted_writes=_counted,
    exact_text=_exact_text,
    is_exact=True,
    warm_up_fills=lambda tier: tier.ram_misses,
    directory=DirectoryUpkeep(
        formula="m_r (L + U) + m_f U",
        block_reads="m_r t_b / N",
        absent=lambda h, m: np.asarray(h + m),
    ),
)
