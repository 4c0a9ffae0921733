"""What a page-flow scheme is made of, for its formula, hits, terms and words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tierwright.common.arrays import FloatArray
from tierwright.profile.curve import Curve

Operations = Mapping[str, FloatArray]
"""Counted operations by the name of their cost term; a term left out is 0. [pages]"""


@dataclass(frozen=True, slots=True)
class TierCounts:
    """Hits and misses by tier of one scheme; arrays of one shape.

    Attributes
    ----------
    ram_hits, ram_misses : float64 array
        h_r and m_r, the same for every scheme. [accesses]
    effective_flash_pages : float64 array
        e_f: flash pages that hold what no higher tier holds. [pages]
    flash_hits, flash_misses : float64 array
        h_f and m_f, with h_f + m_f = m_r. [accesses]
    """

    ram_hits: FloatArray
    ram_misses: FloatArray
    effective_flash_pages: FloatArray
    flash_hits: FloatArray
    flash_misses: FloatArray


@dataclass(frozen=True, slots=True)
class Place:
    """What the flash writes of a scheme follow from; arrays of one shape.

    Attributes
    ----------
    curve : Curve
        With write-backs.
    r, f : float64 array
        RAM and flash. [pages]
    tier : TierCounts
        Of the scheme there.
    p_d : float64 array
        Share of the RAM victims that are dirty. [1]
    ram_backs : float64 array
        Dirty RAM victims. [pages]
    """

    curve: Curve
    r: FloatArray
    f: FloatArray
    tier: TierCounts
    p_d: FloatArray
    ram_backs: FloatArray


@dataclass(frozen=True, slots=True)
class DirectoryUpkeep:
    """How a scheme keeps the flash directory, in words, and which blocks it reads.

    Attributes
    ----------
    formula : str
        C_d.
    block_reads : str
        What overwriting reads besides, per access.
    absent : callable
        Victims whose block is absent, of h_f and m_f. [accesses]
    """

    formula: str
    block_reads: str
    absent: Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True, slots=True)
class Mark:
    """How charts draw a scheme, the same in all of them.

    Attributes
    ----------
    light, dark : str
        Colour on a light and on a dark background, as #rrggbb, each with a contrast of at least
        3:1. The schemes have the colours of Okabe and Ito, which stay distinct under the common
        forms of colour blindness.
    shape : str
        Marker, so that colour never carries a meaning alone: circle, rect, roundRect, triangle,
        diamond, arrow or pin.
    """

    light: str
    dark: str
    shape: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemeFormula:
    """A page-flow scheme: one module declares all of it.

    Attributes
    ----------
    name, title : str
        As the simulator names it, and for people.
    mark : Mark
        Colour and marker in charts.
    tie_rank : int
        Place among equals: by effective flash, the larger first, as it still gains where the
        workload turns out to hold more pages; `none`, which needs no flash, before all.
    section : str
        Of Koltsidas and Viglas (2009).
    formula, hits_formula, estimator : str
        Cost with R_RAM = R_FLASH = 0; where the hits come from; how they are obtained.
    term_formulas : mapping of str to str
        Formula of each cost term that it has, per access.
    flash_writes_formula : str
        Flash writes per access, by the terms of the I/O time.
    unused : frozenset of str
        Symbols that its formula does not have.
    operations : callable
        Operations of h_f, m_f, p_d and p_dF. [pages]
    effective_flash : callable
        e_f of curve, r, f and m_r. [pages]
    held : callable
        Size at which the curve is read, of r, f and e_f. [pages]
    together : callable
        Most different pages that both tiers hold, of r and f. [pages]
    charged_writes, counted_writes : callable
        Flash writes as the formula charges them, and as a replay counts them. [pages]
    uses_flash : bool
        False for RAM alone.
    formula_of : str or None
        Scheme whose formula and middle of the hits it shares.
    is_exact : bool
        Whether a replay with LRU in both tiers gives the same hits from a cold start.
    exact_text : callable
        How exact it is, of r and f, where there is no band.
    hit_errors : tuple of (float, float)
        Known error of the flash hits as a share of the RAM misses, by f / r from the first
        number on. [1]
    errors_above_ram : bool
        Whether that holds only where flash is larger than RAM.
    approximation_note : str
        Said after the known error.
    repeats_ram : bool
        Whether flash holds what RAM holds, so that it must be larger.
    warm_up_fills : callable or None
        Fills that the formula charges for RAM misses which evict nothing. [pages]
    writes_error : callable or None
        Flash writes by which the formula may be off a replay. [pages]
    counted_off : float
        Share by which `counted_writes` itself is off a replay. [1]
    directory : DirectoryUpkeep or None
        Upkeep of its directory; None where it is that of `formula_of`, or there is none.
    """

    name: str
    title: str
    mark: Mark
    tie_rank: int
    section: str
    formula: str
    hits_formula: str
    estimator: str
    term_formulas: Mapping[str, str]
    flash_writes_formula: str
    operations: Callable[[FloatArray, FloatArray, FloatArray, FloatArray], Operations]
    effective_flash: Callable[[Curve, FloatArray, FloatArray, FloatArray], FloatArray]
    held: Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
    together: Callable[[FloatArray, FloatArray], FloatArray]
    charged_writes: Callable[[Place], FloatArray]
    counted_writes: Callable[[Place], FloatArray]
    exact_text: Callable[[int, int], str]
    is_exact: bool
    unused: frozenset[str] = frozenset()
    uses_flash: bool = True
    formula_of: str | None = None
    hit_errors: tuple[tuple[float, float], ...] = ()
    errors_above_ram: bool = False
    approximation_note: str = ""
    repeats_ram: bool = False
    warm_up_fills: Callable[[TierCounts], FloatArray] | None = None
    writes_error: (
        Callable[
            [Curve, FloatArray, FloatArray, TierCounts, FloatArray | None], FloatArray
        ]
        | None
    ) = None
    counted_off: float = 0.0
    directory: DirectoryUpkeep | None = None
