"""I/O and directory costs of the page-flow schemes: C0, C1 (inclusive), C2 (exclusive), C3 (lazy).

Source: Koltsidas and Viglas sections 3.2 to 3.4 and 4.3; errata as named in the docstrings. Every cost is in
the unit of the inputs (the product uses µs); counts are accesses.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray, share
from tierwright.common.checks import broadcast
from tierwright.common.errors import BadInput
from tierwright.evaluate.page_flow.schemes import BY_NAME
from tierwright.evaluate.page_flow.terms import COST_TERMS, TERM_NAMES, check_terms


@dataclass(frozen=True, slots=True)
class CostTerms:
    """One scheme's I/O cost by term; arrays of one shape, in the unit of the inputs.

    Attributes
    ----------
    by_term : dict of str to float64 array
        Operations x time of one, by the names of `TERM_NAMES`, in their order; they add up to the
        I/O cost where R_RAM = R_FLASH = 0.
    replacement : float64 array
        Running the replacement algorithms: m_r R_RAM + m_f R_FLASH.
    """

    by_term: dict[str, FloatArray]
    replacement: FloatArray

    @property
    def total(self) -> FloatArray:
        """The scheme's whole I/O cost C_k."""
        first, *others = self.by_term.values()
        whole = first
        for each in others:
            whole = whole + each
        return np.asarray(whole + self.replacement)


@dataclass(frozen=True, slots=True)
class SchemeCosts:
    """C1, C2, C3 of one shared pair of counts, for algebra; see `io_costs`."""

    inclusive: FloatArray
    exclusive: FloatArray
    lazy: FloatArray
    q: FloatArray
    lazy_victim: FloatArray


@dataclass(frozen=True, slots=True)
class DirectoryCosts:
    """C1d, C2d, C3d and the cost of one lazy victim's directory work, C3Vd."""

    inclusive: FloatArray
    exclusive: FloatArray
    lazy: FloatArray
    lazy_victim: FloatArray


def no_flash_cost(
    ram_misses: ArrayLike,
    *,
    p_d: ArrayLike,
    disk_read: ArrayLike,
    disk_write: ArrayLike,
    ram_replacement: ArrayLike = 0.0,
) -> FloatArray:
    """C0 = m_r (R_RAM + D_R + p_d D_W): RAM over disk, no flash.

    Parameters
    ----------
    ram_misses : array_like
        m_r. [accesses]
    p_d : array_like
        Share of RAM misses whose victim is dirty. [1]
    disk_read, disk_write : array_like
        D_R and D_W. [time]
    ram_replacement : array_like
        R_RAM; the paper's C0 omits it although C1 to C3 charge it. [time]

    Returns
    -------
    float64 array
        [time]

    Raises
    ------
    BadInput
        If a number is negative, not finite, or p_d exceeds 1.

    Examples
    --------
    >>> float(no_flash_cost(1_000_000, p_d=0.25, disk_read=8, disk_write=8))
    10000000.0
    """
    v = broadcast(
        "C0",
        amounts={
            "ram_misses": ram_misses,
            "disk_read": disk_read,
            "disk_write": disk_write,
            "ram_replacement": ram_replacement,
        },
        shares={"p_d": p_d},
    )
    terms = cost_terms_kernel(
        "none",
        np.zeros_like(v["ram_misses"]),
        v["ram_misses"],
        v["p_d"],
        v["p_d"],
        0.0,
        0.0,
        v["disk_read"],
        v["disk_write"],
        v["ram_replacement"],
        0.0,
    )
    return terms.total


def scheme_cost_terms(
    scheme: str,
    flash_hits: ArrayLike,
    flash_misses: ArrayLike,
    *,
    p_d: ArrayLike,
    flash_read: ArrayLike,
    flash_write: ArrayLike,
    disk_read: ArrayLike,
    disk_write: ArrayLike,
    p_d_flash: ArrayLike | None = None,
    ram_replacement: ArrayLike = 0.0,
    flash_replacement: ArrayLike = 0.0,
) -> CostTerms:
    """I/O cost of one scheme by term; the terms add up to C0, C1, C2 or C3.

    Parameters
    ----------
    scheme : str
        `none`, `inclusive`, `inclusive_global`, `exclusive` or `lazy`.
    flash_hits, flash_misses : array_like
        h_f and m_f of this scheme; for `none`, 0 and m_r. [accesses]
    p_d, p_d_flash : array_like
        Share of RAM misses, of flash misses, whose victim is dirty; p_d_flash is p_d
        unless given (the paper has one for both). [1]
    flash_read, flash_write, disk_read, disk_write : array_like
        F_R, F_W, D_R, D_W. [time]
    ram_replacement, flash_replacement : array_like
        R_RAM, R_FLASH. [time]

    Raises
    ------
    BadInput
        If the scheme is unknown or a number is out of its domain.
    """
    if scheme not in BY_NAME:
        raise BadInput(
            f"there is no page-flow scheme `{scheme}`", f"one of {', '.join(BY_NAME)}"
        )
    v = _checked(
        scheme,
        flash_hits,
        flash_misses,
        p_d,
        p_d_flash,
        (flash_read, flash_write, disk_read, disk_write),
        (ram_replacement, flash_replacement),
    )
    return cost_terms_kernel(scheme, *v)


def _absent_share(hits: FloatArray, misses: FloatArray) -> FloatArray:
    """1 - q, without the digits that the difference loses where q is close to 1."""
    missed = hits + misses
    return np.where(missed > 0, share(misses, missed), 1.0)


def io_costs(
    flash_hits: ArrayLike,
    flash_misses: ArrayLike,
    *,
    p_d: ArrayLike,
    flash_read: ArrayLike,
    flash_write: ArrayLike,
    disk_read: ArrayLike,
    disk_write: ArrayLike,
    ram_replacement: ArrayLike = 0.0,
    flash_replacement: ArrayLike = 0.0,
    p_d_flash: ArrayLike | None = None,
) -> SchemeCosts:
    """C1, C2 and C3 for one shared pair of counts (sections 3.2 to 3.4 of the paper).

    The schemes' counts differ, so this serves identities and conformance; to compare
    schemes use `evaluate` or `choose_scheme`. Parameters as in `scheme_cost_terms`.

    Returns
    -------
    SchemeCosts
        Costs, q = h_f / (h_f + m_f) (0 when nothing misses RAM), and the cost of one lazy
        victim C3V = R_RAM + q p_d F_W + (1 - q)(R_FLASH + p_dF D_W + F_W).

    Raises
    ------
    BadInput
        If a number is out of its domain.
    """
    v = _checked(
        "io_costs",
        flash_hits,
        flash_misses,
        p_d,
        p_d_flash,
        (flash_read, flash_write, disk_read, disk_write),
        (ram_replacement, flash_replacement),
    )
    hits, misses, dirty, dirty_flash, _, f_write, _, d_write, r_ram, r_flash = v
    q = share(hits, hits + misses)
    absent = _absent_share(hits, misses)
    victim = (
        r_ram
        + q * dirty * f_write
        + absent * (r_flash + dirty_flash * d_write + f_write)
    )
    return SchemeCosts(
        cost_terms_kernel("inclusive", *v).total,
        cost_terms_kernel("exclusive", *v).total,
        cost_terms_kernel("lazy", *v).total,
        q,
        victim,
    )


def clean_only_cost(
    flash_hits: ArrayLike,
    flash_misses: ArrayLike,
    *,
    p_d: ArrayLike,
    flash_read: ArrayLike,
    flash_write: ArrayLike,
    disk_read: ArrayLike,
    disk_write: ArrayLike,
    ram_replacement: ArrayLike = 0.0,
    flash_replacement: ArrayLike = 0.0,
    q: ArrayLike | None = None,
) -> FloatArray:
    """Lazy that admits only clean pages: dirty victims go to disk, flash stays clean.

    C3_clean = m_r [R_RAM + p_d D_W + (1 - p_d)(1 - q)(R_FLASH + F_W)] + h_f F_R + m_f D_R.
    Derived, not in the paper. The counts must be measured with clean-only admission; they
    need not be those of plain lazy. Parameters as in `scheme_cost_terms`; q is the share of the
    clean RAM victims that flash still holds. Without it q = h_f / m_r is taken, as if clean and
    dirty victims came from flash alike: which pages are written makes that wrong, to either side.
    """
    v = _checked(
        "clean_only_cost",
        flash_hits,
        flash_misses,
        p_d,
        None,
        (flash_read, flash_write, disk_read, disk_write),
        (ram_replacement, flash_replacement),
    )
    hits, misses, dirty, _, f_read, f_write, d_read, d_write, r_ram, r_flash = v
    missed = hits + misses
    absent = (
        _absent_share(hits, misses)
        if q is None
        else 1 - broadcast("clean_only_cost", amounts={}, shares={"q": q})["q"]
    )
    victim = r_ram + dirty * d_write + (1 - dirty) * absent * (r_flash + f_write)
    return np.asarray(missed * victim + hits * f_read + misses * d_read)


def directory_costs(
    flash_hits: ArrayLike,
    flash_misses: ArrayLike,
    *,
    p_d: ArrayLike,
    lookup: ArrayLike,
    update: ArrayLike,
    exclusive_hit_updates: int = 1,
) -> DirectoryCosts:
    """Cost of keeping the flash directory, from lookups (L) and updates (U).

    C1d = m_r (L + U + p_d U) + m_f U; C2d = m_r (L + U) + m_f U;
    C3Vd = L + q p_d U + 2 (1 - q) U; C3d = m_r (L + C3Vd) + h_f U.

    Parameters
    ----------
    flash_hits, flash_misses : array_like
        h_f and m_f. [accesses]
    p_d : array_like
        Share of RAM misses whose victim is dirty. [1]
    lookup, update : array_like
        L and U. [time]
    exclusive_hit_updates : int
        Updates of an exclusive swap: 1 as printed; with 2, C2d = m_r (L + 2 U), under which
        alone the paper's remark holds that inclusive needs the fewest operations.

    Raises
    ------
    BadInput
        If a number is out of its domain.
    """
    if exclusive_hit_updates not in (1, 2):
        raise BadInput(
            f"exclusive_hit_updates `{exclusive_hit_updates}` is neither 1 nor 2",
            "use 1, the paper's formula, or 2",
        )
    v = broadcast(
        "directory_costs",
        amounts={
            "flash_hits": flash_hits,
            "flash_misses": flash_misses,
            "lookup": lookup,
            "update": update,
        },
        shares={"p_d": p_d},
    )
    hits, misses, u = v["flash_hits"], v["flash_misses"], v["update"]
    missed, dirty, look = hits + misses, v["p_d"], v["lookup"]
    q, absent = share(hits, missed), _absent_share(hits, misses)
    victim = look + q * dirty * u + 2 * absent * u
    return DirectoryCosts(
        np.asarray(missed * (look + u + dirty * u) + misses * u),
        np.asarray(missed * look + hits * exclusive_hit_updates * u + 2 * misses * u),
        np.asarray(missed * (look + victim) + hits * u),
        np.asarray(victim),
    )


def exclusive_minus_lazy_advantage(
    lazy_flash_hits: ArrayLike,
    extra_flash_hits: ArrayLike,
    *,
    p_d: ArrayLike,
    flash_read: ArrayLike,
    flash_write: ArrayLike,
    disk_read: ArrayLike,
    disk_write: ArrayLike,
    flash_replacement: ArrayLike = 0.0,
) -> FloatArray:
    """C3 - C2 with per-scheme counts; positive means exclusive is cheaper than lazy.

    Delta (R_FLASH + p_d D_W + D_R - F_R) - h_f(lazy) (1 - p_d) F_W, where Delta is how many
    more flash hits exclusive has. Derived from C2 and C3; assumes p_dF = p_d.
    """
    v = broadcast(
        "exclusive_minus_lazy_advantage",
        amounts={
            "lazy_flash_hits": lazy_flash_hits,
            "extra_flash_hits": extra_flash_hits,
            "flash_read": flash_read,
            "flash_write": flash_write,
            "disk_read": disk_read,
            "disk_write": disk_write,
            "flash_replacement": flash_replacement,
        },
        shares={"p_d": p_d},
    )
    saved = (
        v["flash_replacement"]
        + v["p_d"] * v["disk_write"]
        + v["disk_read"]
        - v["flash_read"]
    )
    rewritten = v["lazy_flash_hits"] * (1 - v["p_d"]) * v["flash_write"]
    return np.asarray(v["extra_flash_hits"] * saved - rewritten)


def iops_to_ms(iops: ArrayLike) -> FloatArray:
    """Busy time of one operation, 1000 / IOPS. [ms]

    A rating at queue depth 32 gives a throughput cost, not a latency.

    Raises
    ------
    BadInput
        If a rate is not positive or not finite.

    Examples
    --------
    >>> float(iops_to_ms(2500))
    0.4
    """
    rate = broadcast("iops_to_ms", amounts={"iops": iops})["iops"]
    if not np.all(rate > 0):
        raise BadInput(
            f"iops: `{iops!r}` must be positive", "give operations per second"
        )
    return np.asarray(1000.0 / rate)


def flash_saving(cost: float, no_flash: float) -> float | None:
    """1 - C_k / C0: share of the I/O time that flash saves; None when C0 is 0."""
    v = broadcast("flash_saving", amounts={"cost": cost, "no_flash": no_flash})
    return None if no_flash == 0 else float(1 - v["cost"] / v["no_flash"])


def price_performance(
    cost: float, accesses: float, price: float
) -> tuple[float, float]:
    """Time per access, and price x time per access: lower is better.

    The paper's "price-to-I/O-cost ratio" as a quotient rewards dear or fast devices
    inconsistently; the product is the price of a unit of throughput.

    Raises
    ------
    BadInput
        If a number is negative or there are no accesses.
    """
    broadcast(
        "price_performance",
        amounts={"cost": cost, "accesses": accesses, "price": price},
    )
    if accesses == 0:
        raise BadInput(
            "accesses: `0` must be positive", "give the accesses of the workload"
        )
    each = cost / accesses
    return each, price * each


def _checked(
    subject: str,
    flash_hits: ArrayLike,
    flash_misses: ArrayLike,
    p_d: ArrayLike,
    p_d_flash: ArrayLike | None,
    times: tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike],
    replacement: tuple[ArrayLike, ArrayLike],
) -> tuple[FloatArray, ...]:
    names = ("flash_read", "flash_write", "disk_read", "disk_write")
    extra = ("ram_replacement", "flash_replacement")
    v = broadcast(
        subject,
        amounts={
            "flash_hits": flash_hits,
            "flash_misses": flash_misses,
            **dict(zip(names, times, strict=True)),
            **dict(zip(extra, replacement, strict=True)),
        },
        shares={"p_d": p_d} | ({} if p_d_flash is None else {"p_d_flash": p_d_flash}),
    )
    v.setdefault("p_d_flash", v["p_d"])
    order = ("flash_hits", "flash_misses", "p_d", "p_d_flash", *names, *extra)
    return tuple(v[name] for name in order)


def cost_terms_kernel(
    scheme: str,
    hits: FloatArray,
    misses: FloatArray,
    p_d: FloatArray,
    p_d_flash: FloatArray,
    flash_read: FloatArray | float,
    flash_write: FloatArray | float,
    disk_read: FloatArray | float,
    disk_write: FloatArray | float,
    ram_replacement: FloatArray | float = 0.0,
    flash_replacement: FloatArray | float = 0.0,
) -> CostTerms:
    """Apply the formulas to arrays that were checked before."""
    missed = hits + misses
    formula = BY_NAME[scheme]
    counted = formula.operations(hits, misses, p_d, p_d_flash)
    if not counted.keys() <= _KNOWN:
        check_terms(counted)
    times = (flash_read, flash_write, disk_read, disk_write)
    by_term: dict[str, FloatArray] = {}
    for name, at in _TIMES:
        count = counted.get(name)
        by_term[name] = (
            np.zeros_like(misses) if count is None else np.asarray(count * times[at])
        )
    runs_flash = 1.0 if formula.uses_flash else 0.0
    return CostTerms(
        by_term,
        np.asarray(missed * ram_replacement + runs_flash * misses * flash_replacement),
    )


_KNOWN = frozenset(TERM_NAMES)
_ORDER = (("flash", "read"), ("flash", "write"), ("disk", "read"), ("disk", "write"))
_TIMES = tuple(
    (term.name, _ORDER.index((term.device, term.operation))) for term in COST_TERMS
)
"""Each term, and which of the four times one of its operations takes."""
