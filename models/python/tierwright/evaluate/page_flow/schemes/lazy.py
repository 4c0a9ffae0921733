"""Flash takes a page when it leaves RAM, and keeps its copy when it returns: C3."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tierwright.common.arrays import FloatArray
from tierwright.evaluate.page_flow.formula import (
    DirectoryUpkeep,
    Mark,
    Operations,
    Place,
    SchemeFormula,
)
from tierwright.evaluate.page_flow.lazy_writes import (
    ESTIMATE_OFF,
    lazy_flash_writes,
    lazy_writes_error,
)
from tierwright.profile.curve import Curve


def _operations(
    h: FloatArray, m: FloatArray, p_d: FloatArray, p_df: FloatArray
) -> Operations:
    """With q = h_f / m_r: victims absent from flash are written, dirty duplicates rewritten."""
    return {
        "flash_reads": h,
        "flash_fills": m,
        "flash_write_backs": p_d * h,
        "disk_reads": m,
        "disk_writes": p_df * m,
    }


def _charged(place: Place) -> FloatArray:
    rewritten = place.p_d * place.tier.flash_hits
    return np.asarray(place.tier.flash_misses + rewritten)


def _counted(place: Place) -> FloatArray:
    return lazy_flash_writes(place.curve, place.r, place.f, place.tier)


def _absent(_: FloatArray, m: FloatArray) -> FloatArray:
    return m


def effective_flash(
    curve: Curve, r: FloatArray, f: FloatArray, ram_misses: FloatArray
) -> FloatArray:
    """Find the fixed point of duplicated RAM pages that `counts.lazy_effective_flash` derives."""
    knots, misses = curve.knots, curve.knot_misses
    duplicated = np.divide(
        r, ram_misses, out=np.zeros_like(ram_misses), where=ram_misses > 0
    )  # r / M(r): duplicated RAM pages per flash miss avoided

    def rising(index: NDArray[np.intp]) -> FloatArray:
        found: FloatArray = knots[index] - duplicated * misses[index]
        return found

    # r itself lies between knots; the segment that holds it gives the same line, so
    # bisecting over all knots needs no special start: the left side is <= f at knot 0.
    last = len(knots) - 1
    shape = np.broadcast_shapes(r.shape, f.shape)
    low = np.zeros(shape, dtype=np.intp)
    high = np.full(shape, last, dtype=np.intp)
    for _ in range(last.bit_length()):
        middle = (low + high) >> 1
        below = rising(middle) <= f
        np.copyto(low, middle, where=below)
        np.copyto(high, middle, where=~below)
    left, right = rising(low), rising(high)
    step = np.divide(f - left, right - left, out=np.zeros(shape), where=right > left)
    inside = knots[low] + np.clip(step, 0.0, 1.0) * (knots[high] - knots[low])
    beyond = f + duplicated * misses[-1]
    ends = knots[-1] - duplicated * misses[-1]
    whole = np.where(ends <= f, beyond, inside)
    found = np.clip(whole - r, np.maximum(0.0, f - r), f)
    return np.where(ram_misses > 0, found, f)


FORMULA = SchemeFormula(
    name="lazy",
    title="Lazy",
    mark=Mark("#00805f", "#2fc79c", "diamond"),
    tie_rank=2,
    section="3.4",
    formula="C3 = m_r [q p_d F_W + (1 - q)(p_dF D_W + F_W)] + h_f F_R + m_f D_R, q = h_f / m_r",
    hits_formula="h_f = m_r - m_f, m_f = misses(r + e_f), "
    "e_f = f - min(f, r h_f / m_r) (fixed point)",
    estimator="LRU curve at r + e_f, e_f by the fixed point of duplicated RAM pages",
    term_formulas={
        "flash_reads": "h_f F_R / N",
        "flash_fills": "m_r (1 - q) F_W / N = m_f F_W / N",
        "flash_write_backs": "m_r q p_d F_W / N = h_f p_d F_W / N",
        "disk_reads": "m_f D_R / N",
        "disk_writes": "m_r (1 - q) p_dF D_W / N = m_f p_dF D_W / N",
    },
    flash_writes_formula="(m_f + h_f p_d) / N",
    operations=_operations,
    effective_flash=effective_flash,
    held=lambda r, _, e_f: r + e_f,
    together=lambda r, f: r + f,
    charged_writes=_charged,
    counted_writes=_counted,
    exact_text=lambda _, __: "exact for LRU",
    is_exact=False,
    # Bounds of |model - simulation|: see `explain.error_band`.
    hit_errors=((0.0, 0.05), (1.0, 0.07), (6.0, 0.03)),
    warm_up_fills=lambda tier: tier.flash_misses,
    writes_error=lazy_writes_error,
    counted_off=ESTIMATE_OFF,
    directory=DirectoryUpkeep(
        formula="h_f (2 L + (p_d + 1) U) + 2 m_f (L + U)",
        block_reads="m_f t_b / N",
        absent=_absent,
    ),
)
