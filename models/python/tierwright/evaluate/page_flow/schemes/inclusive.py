"""Flash holds what RAM holds, and sees only the misses of RAM: C1."""

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
    h: FloatArray, m: FloatArray, p_d: FloatArray, p_df: FloatArray
) -> Operations:
    """Each page read from disk is written to flash, dirty victims overwrite their copy."""
    return {
        "flash_reads": h,
        "flash_fills": m,
        "flash_write_backs": p_d * (h + m),
        "disk_reads": m,
        "disk_writes": p_df * m,
    }


def _effective_flash(
    _: Curve, r: FloatArray, f: FloatArray, __: FloatArray
) -> FloatArray:
    return np.maximum(0.0, f - r)


def _held(r: FloatArray, f: FloatArray, _: FloatArray) -> FloatArray:
    return np.maximum(r, f)


def _writes(place: Place) -> FloatArray:
    return np.asarray(place.tier.flash_misses + place.ram_backs)


def _exact_text(ram_pages: int, flash_pages: int) -> str:
    if flash_pages == 0:
        return "exact for LRU"
    if flash_pages <= ram_pages:
        return "flash no larger than RAM: assumed to have no flash hits"
    return "exact for LRU/LRU where every reference refreshes flash"


FORMULA = SchemeFormula(
    name="inclusive",
    title="Inclusive",
    mark=Mark("#0072b2", "#4ba3dc", "rect"),
    tie_rank=3,
    section="3.2",
    formula="C1 = h_f F_R + m_r p_d F_W + m_f (p_dF D_W + D_R + F_W)",
    hits_formula="h_f = m_r - m_f, m_f = misses(max(r, f))",
    estimator="LRU curve at max(r, f)",
    term_formulas={
        "flash_reads": "h_f F_R / N",
        "flash_fills": "m_f F_W / N",
        "flash_write_backs": "m_r p_d F_W / N",
        "disk_reads": "m_f D_R / N",
        "disk_writes": "m_f p_dF D_W / N",
    },
    flash_writes_formula="(m_f + m_r p_d) / N",
    operations=_operations,
    effective_flash=_effective_flash,
    held=_held,
    together=np.maximum,
    charged_writes=_writes,
    counted_writes=_writes,
    exact_text=_exact_text,
    is_exact=False,
    # Bounds of |model - simulation|: see `explain.error_band`.
    hit_errors=((0.0, 0.11), (3.0, 0.07), (6.0, 0.03)),
    errors_above_ram=True,
    approximation_note="; the formula is exact only for inclusive_global",
    repeats_ram=True,
    directory=DirectoryUpkeep(
        formula="m_r (L + U + p_d U) + m_f U",
        block_reads="0",
        absent=lambda _, m: np.asarray(0.0 * m),
    ),
)
