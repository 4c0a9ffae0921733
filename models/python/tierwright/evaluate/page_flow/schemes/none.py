"""RAM over disk, without flash: C0."""

from __future__ import annotations

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.evaluate.page_flow.formula import Mark, Operations, Place, SchemeFormula
from tierwright.profile.curve import Curve


def _operations(
    h: FloatArray, m: FloatArray, p_d: FloatArray, _: FloatArray
) -> Operations:
    """Dirty RAM victims go to disk."""
    return {"flash_reads": h, "disk_reads": m, "disk_writes": p_d * (h + m)}


def _effective_flash(
    _: Curve, r: FloatArray, __: FloatArray, ___: FloatArray
) -> FloatArray:
    return np.zeros_like(r)


def _no_writes(place: Place) -> FloatArray:
    return np.zeros_like(place.tier.ram_misses)


FORMULA = SchemeFormula(
    name="none",
    title="No flash",
    mark=Mark("#5c6470", "#a9b1bd", "circle"),
    tie_rank=0,
    section="4.3",
    formula="C0 = m_r (D_R + p_d D_W)",
    hits_formula="h_f = 0, m_f = m_r = misses(r)",
    estimator="LRU curve at r",
    term_formulas={
        "disk_reads": "m_r D_R / N",
        "disk_writes": "m_r p_d D_W / N",
    },
    flash_writes_formula="0",
    unused=frozenset({"e_f", "q", "h_f", "m_f", "p_dF", "F_R", "F_W"}),
    operations=_operations,
    effective_flash=_effective_flash,
    held=lambda r, _, __: r,
    together=lambda r, _: r,
    charged_writes=_no_writes,
    counted_writes=_no_writes,
    exact_text=lambda _, __: "exact for LRU",
    is_exact=True,
    uses_flash=False,
)
