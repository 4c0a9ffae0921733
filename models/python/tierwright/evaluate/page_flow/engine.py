"""C0 to C3 of Koltsidas and Viglas at any shape: one engine for a point, a grid and a map.

Hits follow from the workload's LRU curve. Growth (`Curve.growth`) is a miss of both tiers that
reads nothing from disk.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from tierwright.common.arrays import FloatArray, share
from tierwright.evaluate.page_flow import explain
from tierwright.evaluate.page_flow.costs import CostTerms, cost_terms_kernel
from tierwright.evaluate.page_flow.counts import hits_kernel
from tierwright.evaluate.page_flow.formula import Place, TierCounts
from tierwright.evaluate.page_flow.results import ServiceTimes
from tierwright.evaluate.page_flow.schemes import BY_NAME, NO_FLASH, SCHEMES
from tierwright.profile.curve import Curve


@dataclass(frozen=True, slots=True)
class Flow:
    """Counts and dirty shares of one scheme, before any device; arrays of one shape.

    Attributes
    ----------
    r, f : float64 array
        RAM that the scheme caches in, and flash. [pages]
    counts : TierCounts
        Hits and misses by tier; growth is among the misses of both. [accesses]
    p_d, p_d_flash : float64 array
        Share of RAM misses and of flash misses whose victim is dirty. [1]
    ram_backs : float64 array or None
        Dirty RAM victims as measured; None where the shares were set. [pages]
    growth : float
        Flash misses that read nothing. [accesses]
    """

    r: FloatArray
    f: FloatArray
    counts: TierCounts
    p_d: FloatArray
    p_d_flash: FloatArray
    ram_backs: FloatArray | None
    growth: float


def flows(
    curve: Curve,
    frames: FloatArray,
    f: FloatArray,
    *,
    budget: FloatArray | None = None,
    dirty: FloatArray | None = None,
    schemes: Collection[str] = SCHEMES,
) -> dict[str, Flow]:
    """Count hits and dirty shares of schemes, for arrays of one shape that were checked before.

    Parameters
    ----------
    curve : Curve
        With write-backs, unless `dirty` is given.
    frames : float64 array
        RAM in which schemes with flash cache. [pages]
    f : float64 array
        Flash; where it is 0, every scheme is C0. [pages]
    budget : float64 array, optional
        RAM in which `none` caches, where metadata of flash are charged. [pages]
    dirty : float64 array, optional
        Share of all victims that are dirty, in place of the measured ones. [1]
    schemes : collection of str
        Those wanted.
    """
    counts = hits_kernel(curve, frames, f, schemes)
    whole = frames
    if budget is not None:
        whole = budget
        if NO_FLASH in counts:
            counts[NO_FLASH] = hits_kernel(curve, whole, f, (NO_FLASH,))[NO_FLASH]
    growth = float(curve.growth)
    found: dict[str, Flow] = {}
    shared: tuple[FloatArray, FloatArray] | None = None
    for name, tier in counts.items():
        scheme = BY_NAME[name]
        if scheme.formula_of in found:
            found[name] = found[scheme.formula_of]
            continue
        r = frames if scheme.uses_flash else whole
        if dirty is not None:
            found[name] = Flow(r, f, tier, dirty, dirty, None, growth)
            continue
        own = shared if r is frames and shared else _measured(curve, r, tier)
        if r is frames:
            shared = own
        p_d, backs = own
        p_d_flash = p_d
        if scheme.uses_flash:
            held = scheme.held(r, f, tier.effective_flash_pages)
            p_d_flash = share(curve.write_backs(held), tier.flash_misses)
        found[name] = Flow(r, f, tier, p_d, p_d_flash, backs, growth)
    return found


def _measured(
    curve: Curve, r: FloatArray, tier: TierCounts
) -> tuple[FloatArray, FloatArray]:
    backs = curve.write_backs(r)
    return share(backs, tier.ram_misses), backs


def with_hits_off(
    curve: Curve,
    scheme: str,
    flow: Flow,
    r: FloatArray,
    f: FloatArray,
    hits_off: float,
) -> Flow:
    """Return a flow whose flash hits are off by a share of their known error, from -1 to 1.

    Exact schemes stay as they are, and so does flash that holds all of the data. New pages, which nothing holds,
    never hit.
    """
    counts = flow.counts
    whole = counts.ram_misses
    band = explain.error_band(scheme, r, f, curve)
    most = np.maximum(whole - flow.growth, counts.flash_hits)
    hits = np.clip(counts.flash_hits + hits_off * band * whole, 0.0, most)
    return replace(
        flow, counts=replace(counts, flash_hits=hits, flash_misses=whole - hits)
    )


def terms(
    scheme: str,
    flow: Flow,
    times: ServiceTimes,
    flash_write_us: FloatArray | float | None = None,
) -> CostTerms:
    """Cost terms over the whole trace; where there is no flash, those of C0. [µs]

    Parameters
    ----------
    scheme : str
        Whose formula is applied.
    flow : Flow
        Its counts.
    times : ServiceTimes
        Of the devices.
    flash_write_us : float64 array or float, optional
        F_W in place of the device's. [µs]
    """
    write = times.flash_write if flash_write_us is None else flash_write_us
    counts = flow.counts.flash_hits, flow.counts.flash_misses
    has_flash = flow.f > 0
    if has_flash.all():
        made = _terms_of(scheme, *counts, flow, times, write)
    elif not has_flash.any():
        made = _terms_of(NO_FLASH, *counts, flow, times, write)
    else:
        made, without = (
            _terms_of(name, *counts, flow, times, write) for name in (scheme, NO_FLASH)
        )
        made = replace(
            made,
            by_term={
                name: np.where(has_flash, cost, without.by_term[name])
                for name, cost in made.by_term.items()
            },
        )
    if flow.growth:  # a page that is new is read from nowhere
        read = made.by_term["disk_reads"] - flow.growth * times.disk_read
        made.by_term["disk_reads"] = np.maximum(read, 0.0)
    return made


def _terms_of(
    scheme: str,
    hits: FloatArray,
    misses: FloatArray,
    flow: Flow,
    times: ServiceTimes,
    flash_write_us: FloatArray | float,
) -> CostTerms:
    return cost_terms_kernel(
        scheme,
        hits,
        misses,
        flow.p_d,
        flow.p_d_flash,
        times.flash_read,
        flash_write_us,
        times.disk_read,
        times.disk_write,
    )


def flash_writes(curve: Curve, scheme: str, flow: Flow) -> FloatArray:
    """Flash writes that the scheme's formula charges. [pages]"""
    written = BY_NAME[scheme].charged_writes(_place(curve, flow))
    return np.where(flow.f > 0, written, 0.0)


def both_flash_writes(
    curve: Curve, scheme: str, flow: Flow
) -> tuple[FloatArray, FloatArray]:
    """Flash writes that the formula charges, and as a replay counts them. [pages]"""
    formula, place = BY_NAME[scheme], _place(curve, flow)
    charged = np.where(flow.f > 0, formula.charged_writes(place), 0.0)
    if formula.counted_writes is formula.charged_writes:
        return charged, charged
    return charged, np.where(flow.f > 0, formula.counted_writes(place), 0.0)


def _place(curve: Curve, flow: Flow) -> Place:
    backs = flow.ram_backs
    if backs is None:
        backs = flow.p_d * flow.counts.ram_misses
    return Place(curve, flow.r, flow.f, flow.counts, flow.p_d, backs)


def io_time_error_us(
    curve: Curve,
    scheme: str,
    flow: Flow,
    times: ServiceTimes,
    flash_write_us: FloatArray | float | None = None,
    counted: FloatArray | None = None,
) -> FloatArray:
    """I/O time that the known errors of flash hits and flash writes stand for.

    Parameters
    ----------
    curve, scheme, flow, times, flash_write_us
        As in `terms`.
    counted : float64 array, optional
        Flash writes as a replay counts them, where they are known already. [pages]

    Returns
    -------
    float64 array
        [µs per access]
    """
    write = times.flash_write if flash_write_us is None else flash_write_us
    formula, tier = BY_NAME[scheme], flow.counts
    frames = np.maximum(flow.r, 1.0)
    error = np.zeros_like(tier.ram_misses)
    if formula.hit_errors:
        one = np.ones_like(error)
        nothing = np.zeros_like(error)
        hit, miss = (
            _terms_of(scheme, hits, misses, flow, times, write).total
            for hits, misses in ((one, nothing), (nothing, one))
        )
        band = explain.error_band(scheme, frames, flow.f, curve)
        error = band * tier.ram_misses * np.abs(miss - hit) / curve.accesses
    if formula.writes_error is None:
        return error
    if flow.ram_backs is None:  # a share that is set is the same for all victims
        off = formula.counted_off * flash_writes(curve, scheme, flow)
    else:
        off = formula.writes_error(curve, frames, flow.f, tier, counted)
    return np.asarray(error + np.where(flow.f > 0, off, 0.0) * write / curve.accesses)
