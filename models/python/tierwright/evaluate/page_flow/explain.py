"""Words for numbers: estimators, exactness, and the derivation shown beside a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.derivation import Derivation, Number
from tierwright.common.wording import counted
from tierwright.evaluate.page_flow.derivation import IO_TIME, SchemeDerivation
from tierwright.evaluate.page_flow.formula import SchemeFormula, TierCounts
from tierwright.evaluate.page_flow.results import _number
from tierwright.evaluate.page_flow.schemes import BY_NAME, NO_FLASH
from tierwright.evaluate.page_flow.terms import TERM_NAMES
from tierwright.hardware.device import OPERATIONS, Device
from tierwright.hardware.service_time import service_time, service_us
from tierwright.profile.curve import Curve

if TYPE_CHECKING:
    from tierwright.evaluate.page_flow.results import SchemeResult

PAPER = 'Koltsidas and Viglas, "The Case For Flash-Aware Multi-Level Caching" (2009)'


def estimator(curve: Curve, scheme: str) -> str:
    """Say how a scheme's counts are obtained from this curve."""
    if curve.cold is None:
        return BY_NAME[scheme].estimator
    return f"{BY_NAME[scheme].estimator}, in the steady state by the product-limit estimate"


def error_band(
    scheme: str,
    ram_pages: FloatArray,
    flash_pages: FloatArray,
    curve: Curve | None = None,
) -> FloatArray:
    """Largest error of the flash hits seen at such f / r, as a share of the RAM misses. [1]

    Bounds of |model - simulation| by f / r: one and a half times the largest gap of TPC-B and
    TPC-C cuts, the virtual machine's disk and the looping query, to the next percent. On these
    traces alone, the largest gap is no bound for others; docs/models/model-vs-simulation.md holds
    it against all of them.

    Parameters
    ----------
    scheme : str
        Name.
    ram_pages, flash_pages : float64 array
        r, at least 1, and f, of one shape. [pages]
    curve : Curve, optional
        Of the workload.

    Returns
    -------
    float64 array
        0 for exact schemes, and where flash holds all of the data that the curve states: whatever leaves RAM is on it.
    """
    band = np.zeros_like(flash_pages)
    formula = BY_NAME[scheme]
    if not formula.hit_errors:
        return band
    ratio = flash_pages / ram_pages
    for least, most in formula.hit_errors:
        band = np.where(ratio >= least, most, band)
    start = ram_pages if formula.errors_above_ram else 0.0
    band = np.where(flash_pages > start, band, 0.0)
    return band if curve is None else np.where(curve.holds_all(flash_pages), 0.0, band)


LAZY_WRITES_OFF = 0.05
"""Share of lazy's flash writes from which a difference of the two estimates is mentioned."""


def exactness(
    curve: Curve,
    scheme: str,
    ram_pages: int,
    flash_pages: int,
    sizes: tuple[float, ...],
) -> tuple[bool, str, tuple[float, float] | None]:
    """Whether the counts are exact, in words, and the known error of the flash hits."""
    formula = BY_NAME[scheme]
    start = ram_pages if formula.errors_above_ram else 0
    if formula.hit_errors and flash_pages > start:
        if curve.holds_all(flash_pages):
            text = "flash holds all of the data: whatever leaves RAM is on it"
            return False, text, None
        return _approximate(formula, flash_pages / ram_pages)
    text = formula.exact_text(ram_pages, flash_pages)
    if not formula.is_exact and flash_pages > 0:
        return False, text, None
    given = curve.given
    if given is not None and given.described_by is not None:
        return False, f"{text}, on the curve computed from the description", None
    if given is not None and given.composed_of:
        return False, f"{text}, on the curve composed by formula", None
    if not all(curve.is_listed(size) for size in sizes):
        return (
            False,
            f"{text}; here the curve does not list the size",
            None,
        )
    if curve.cold is not None:
        return (
            False,
            f"{text} on the curve of a running system, which is estimated from a cold start",
            None,
        )
    if curve.sample_rate is not None:
        rate = f"{curve.sample_rate:.3g}"
        return False, f"{text}, on a curve estimated from {rate} of the pages", None
    if given is not None:
        return False, f"{text}, if the given curve is an LRU curve", None
    return True, text, None


def _approximate(
    formula: SchemeFormula, ratio: float
) -> tuple[bool, str, tuple[float, float]]:
    error = next(most for least, most in reversed(formula.hit_errors) if ratio >= least)
    text = (
        "approximation: in our runs at such f / r, flash hits were off by up to "
        f"{error:.0%} of the RAM misses; simulate to check"
    )
    return False, text + formula.approximation_note, (-error, error)


def sizes_of(
    scheme: str, ram_pages: int, flash_pages: int, tier: TierCounts
) -> tuple[float, ...]:
    """Sizes at which the scheme reads the curve. [pages]"""
    held = BY_NAME[scheme].held(
        np.asarray(float(ram_pages)),
        np.asarray(float(flash_pages)),
        tier.effective_flash_pages,
    )
    return float(ram_pages), float(held)


def scheme_warnings(
    scheme: str, ram_pages: int, flash_pages: int
) -> tuple[Caution, ...]:
    """Warnings that concern one scheme only."""
    if BY_NAME[scheme].repeats_ram and 0 < flash_pages <= ram_pages:
        return (
            Caution(
                "ram_not_below_flash",
                f"inclusive flash repeats what RAM holds; with {counted(ram_pages, 'RAM page')} and "
                f"{counted(flash_pages, 'flash page')} it has no flash hits",
                "use more flash than RAM, or exclusive or lazy",
            ),
        )
    return ()


def about_lazy_writes(
    overcharged: float, charged: float, accesses: int, flash_write_us: float
) -> tuple[Caution, ...]:
    """Warn where C3's flash writes of lazy are off the better estimate."""
    if charged == 0 or abs(overcharged) < LAZY_WRITES_OFF * charged:
        return ()
    word = "more" if overcharged > 0 else "fewer"
    change = abs(overcharged) * flash_write_us / accesses
    return (
        Caution(
            "lazy_writes_by_formula",
            f"the cost formula charges lazy {abs(overcharged) / charged:.0%} {word} flash writes "
            "than the estimate from the write-back curve, as it assumes that pages already "
            "on flash are evicted dirty as often as all others; with the estimate its I/O "
            f"time would be {change:.3g} µs "
            f"{'lower' if overcharged > 0 else 'higher'}",
            "simulate to be sure; the flash writes shown are the estimate",
        ),
    )


def derive(
    curve: Curve,
    result: SchemeResult,
    ram_pages: int,
    flash_pages: int,
    flash: Device,
    disk: Device,
    *,
    charged: bool = False,
) -> SchemeDerivation:
    """How one scheme's I/O time came about: formula, numbers, terms, source."""
    scheme = NO_FLASH if flash_pages == 0 else result.scheme
    steady = curve.cold is not None
    growth = result.growth
    misses = result.flash_hits + result.flash_misses + growth
    meanings = service_meanings(flash, disk, curve.page_bytes)
    page = curve.page_bytes
    if charged:
        meanings["r"] = "RAM left by the flash metadata"
    given = curve.given
    if given is not None and given.dirty_share is not None:
        meanings |= {
            "p_d": "as stated with the curve, or an end of its possible range",
            "p_dF": "p_d",
        }
    found = derivation_of(
        scheme,
        {
            "N": curve.accesses,
            "r": ram_pages,
            "f": flash_pages,
            "e_f": result.effective_flash_pages,
            "m_r": misses,
            "h_f": result.flash_hits,
            "m_f": result.flash_misses + growth,
            "q": result.flash_hits / misses if misses else 0.0,
            "p_d": result.p_d,
            "p_dF": result.p_d_flash,
            "F_R": service_us(flash, "read", page),
            "F_W": service_us(flash, "write", page),
            "D_R": service_us(disk, "read", page),
            "D_W": service_us(disk, "write", page),
        },
        meanings,
        terms=result.cost_terms_us_per_access,
        io_time_us=result.io_time_us_per_access,
    )
    if growth:
        found = _without_growth(found, growth)
    source = found.io_time.source
    if steady:
        source += (
            "; misses(C) = N S(C) of a running system, the product-limit estimate of Kaplan "
            "and Meier (1958)"
        )
    return replace(
        found,
        scheme=result.scheme,
        io_time=replace(found.io_time, source=source),
        note="f = 0 is evaluated as C0" if scheme != result.scheme else "",
    )


def _without_growth(found: SchemeDerivation, growth: float) -> SchemeDerivation:
    """Add that new pages, counted in m_r and m_f, are not read from disk."""
    new = Number(
        "g",
        _number(growth),
        "accesses",
        "first touches of newly allocated pages, part of m_r and m_f: they evict as misses do, "
        "and read nothing",
    )
    whole = found.io_time
    missing = "m_f" if BY_NAME[found.scheme].uses_flash else "m_r"
    return replace(
        found,
        io_time=replace(
            whole, formula=f"{whole.formula} - g D_R", numbers=(*whole.numbers, new)
        ),
        terms=tuple(
            replace(term, formula=f"({missing} - g) D_R / N")
            if term.result == "disk_reads"
            else term
            for term in found.terms
        ),
    )


def service_meanings(flash: Device, disk: Device, page_bytes: int) -> dict[str, str]:
    """Say what the service times of two devices are, by symbol."""
    return {
        symbol: f"{role} {operation}: {service_time(device, operation, page_bytes).basis}"
        for role, device, symbols in (
            ("flash", flash, ("F_R", "F_W")),
            ("disk", disk, ("D_R", "D_W")),
        )
        for operation, symbol in zip(OPERATIONS, symbols, strict=True)
    }


_SYMBOLS = {
    "N": ("accesses", "accesses of the workload"),
    "r": ("pages", "RAM"),
    "f": ("pages", "flash"),
    "e_f": ("pages", "flash that adds to RAM"),
    "m_r": ("accesses", "RAM misses = misses(r)"),
    "h_f": ("accesses", "flash hits"),
    "m_f": ("accesses", "flash misses"),
    "q": ("1", "h_f / m_r"),
    "p_d": ("1", "write_backs(r) / misses(r)"),
    "p_dF": ("1", "flash write-backs / flash misses"),
    "F_R": ("µs", ""),
    "F_W": ("µs", ""),
    "D_R": ("µs", ""),
    "D_W": ("µs", ""),
}
"""Symbols of the formulas: unit, and what they are where nothing else is said."""


def derivation_of(
    scheme: str,
    numbers: Mapping[str, float | None],
    meanings: Mapping[str, str],
    *,
    terms: Mapping[str, float],
    io_time_us: float,
) -> SchemeDerivation:
    """Put the numbers into the formula of a scheme.

    Parameters
    ----------
    scheme : str
        Name.
    numbers : mapping
        Value of every symbol, in its unit.
    meanings : mapping
        What a symbol is, where that differs from the usual.
    terms : mapping
        Cost terms by name. [µs per access]
    io_time_us : float
        C / N. [µs per access]
    """
    formula = BY_NAME[scheme]
    source = f"{PAPER}, section {formula.section}; counts from one LRU curve"

    def part(result: str, value: Any, unit: str, of: str) -> Derivation:
        return Derivation(result, value, unit, of, (), source)

    hits = _number(numbers["h_f"]) if formula.uses_flash else 0
    put_in = tuple(
        Number(symbol, _number(numbers[symbol]), unit, meanings.get(symbol, meaning))
        for symbol, (unit, meaning) in _SYMBOLS.items()
        if symbol not in formula.unused
    )
    return SchemeDerivation(
        scheme,
        Derivation(IO_TIME, io_time_us, "µs/access", formula.formula, put_in, source),
        part("hits", hits, "accesses", formula.hits_formula),
        tuple(
            part(name, terms[name], "µs/access", formula.term_formulas.get(name, "0"))
            for name in TERM_NAMES
        ),
    )
