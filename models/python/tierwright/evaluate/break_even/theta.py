"""How much flash replaces a step of DRAM: theta by the log model and by a measured curve.

Source: Kang, Lee and Moon, "Flash as cache extension for online transactional workloads",
The VLDB Journal 25 (2016), section 2.3 (Eq 1). The mix of reads and writes and the measured
curve are derived.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.checks import broadcast
from tierwright.common.derivation import Derivation, Number, plain
from tierwright.common.errors import BadInput, Problems
from tierwright.common.wording import counted
from tierwright.evaluate.break_even.gains import (
    PlainGains,
    about_metadata,
    about_unknown,
    flash_gain_terms,
    least_flash,
    only_known,
)
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.profile.curve import Curve

FACE = (
    'Kang, Lee and Moon, "Flash as cache extension for online transactional workloads" '
    "(VLDB Journal 2016)"
)
LOG_VALIDITY = (
    "hit ratio linear in the logarithm of the size, between 0 and 1 at "
    "every given size; flash writes, dirty traffic and duplicates cost "
    "nothing"
)
CURVE_VALIDITY = (
    "LRU over the listed sizes of the curve, linear between them, "
    "constant beyond the last; RAM and flash hold no page twice; flash "
    "writes and dirty traffic cost nothing"
)
HIT_TOLERANCE = 1e-12
"""Hit ratios closer than this are equal: the last bits of a target are rounding."""
HALF_OF_DISK = 0.5
FLASH_BEYOND = "flash that gains as much as a step of DRAM, where no known size does"
"""Where no flash within the evidence of a curve from counters is enough."""
_HINT = (
    "use times of one page access as costs, flash below disk, and a delta of at least 0"
)


@dataclass(frozen=True, slots=True)
class AccessCosts:
    """Cost of one page access on disk and on flash, arrays of one shape. [time]"""

    disk: FloatArray
    flash: FloatArray


@dataclass(frozen=True, slots=True)
class Theta:
    """Flash that replaces DRAM, by the log model.

    Attributes
    ----------
    exponent : float64 array
        E = C_disk / (C_disk - C_flash). [1]
    delta, theta : float64 array
        Added DRAM and the flash that gains as much, both in multiples of the existing DRAM;
        infinite where theta exceeds the largest float. [1]
    estimator, validity : str
        What was used and where it holds.
    warnings : tuple of Caution
        What to know before acting on it.
    derivation : tuple of Derivation
        Formula, numbers, source.
    """

    exponent: FloatArray
    delta: FloatArray
    theta: FloatArray
    estimator: str
    validity: str
    warnings: tuple[Caution, ...]
    derivation: tuple[Derivation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return _as_dict(self)


@dataclass(frozen=True, slots=True)
class CurveTheta:
    """Flash that replaces DRAM, by a measured hit-ratio curve.

    Attributes
    ----------
    exponent : float
        E = C_disk / (C_disk - C_flash). [1]
    delta : float64 array
        Added DRAM in multiples of the existing DRAM. [1]
    target_hit : float64 array
        Hit ratio that DRAM and flash must reach together; may exceed 1. [1]
    theta : float64 array
        Least flash, in multiples of the existing DRAM, that reaches it; NaN where no flash
        does. [1]
    reachable : bool array
        Whether any flash does.
    estimator, validity : str
        What was used and where it holds.
    warnings : tuple of Caution
        What to know before acting on it.
    derivation : tuple of Derivation
        Formula, numbers, source.
    """

    exponent: float
    delta: FloatArray
    target_hit: FloatArray
    theta: FloatArray
    reachable: NDArray[np.bool_]
    estimator: str
    validity: str
    warnings: tuple[Caution, ...]
    derivation: tuple[Derivation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; an unreachable theta is None."""
        return _as_dict(self)


def mixed_costs(
    read_share: ArrayLike,
    *,
    disk_read: ArrayLike,
    disk_write: ArrayLike,
    flash_read: ArrayLike,
    flash_write: ArrayLike,
) -> AccessCosts:
    """Mean cost of an access that reads with probability x: C = x C_read + (1 - x) C_write.

    The exponent of a mix lies between those of reads and of writes, since
    C_flash / C_disk is a mediant of theirs.

    Parameters
    ----------
    read_share : array_like
        x, share of reads among the accesses. [1]
    disk_read, disk_write, flash_read, flash_write : array_like
        Cost of one page access; any shapes that broadcast. [time]

    Returns
    -------
    AccessCosts

    Raises
    ------
    BadInput
        If x is outside [0, 1] or a cost is not positive.

    Examples
    --------
    >>> found = mixed_costs(0.5, disk_read=4, disk_write=6, flash_read=1, flash_write=2)
    >>> float(found.disk), float(found.flash)
    (5.0, 1.5)
    """
    v = broadcast(
        "mixed access cost",
        amounts={
            "disk_read": disk_read,
            "disk_write": disk_write,
            "flash_read": flash_read,
            "flash_write": flash_write,
        },
        shares={"read_share": read_share},
    )
    with_problems = Problems("mixed access cost", _HINT)
    for name in ("disk_read", "disk_write", "flash_read", "flash_write"):
        with_problems.check(np.all(v[name] > 0), name, v[name], "must be above 0")
    with_problems.raise_if_any()
    reads, writes = v["read_share"], 1 - v["read_share"]
    return AccessCosts(
        reads * v["disk_read"] + writes * v["disk_write"],
        reads * v["flash_read"] + writes * v["flash_write"],
    )


def exponent(disk_cost: ArrayLike, flash_cost: ArrayLike) -> FloatArray:
    """E = C_disk / (C_disk - C_flash), the exponent of Eq 1; at least 1.

    Parameters
    ----------
    disk_cost, flash_cost : array_like
        C_disk and C_flash of one page access. [time]

    Returns
    -------
    float64 array
        [1]

    Raises
    ------
    BadInput
        If a cost is not positive, or flash is not below disk: no flash then breaks even.

    Examples
    --------
    >>> round(
    ...     float(exponent(1 / 409, 1 / 65803)), 6
    ... )  # one disk, Samsung 840 Pro, reads
    1.006254
    """
    v = _costs("break-even exponent", disk_cost, flash_cost)
    return np.asarray(v["disk_cost"] / (v["disk_cost"] - v["flash_cost"]))


def log_theta(
    delta: ArrayLike, *, disk_cost: ArrayLike, flash_cost: ArrayLike
) -> Theta:
    """Flash that gains as much as a step of DRAM, by the log model (Eq 1).

    With a hit ratio of alpha log S + const, (1 + delta) B of DRAM saves
    alpha C_disk log(1 + delta) an access, and theta B of flash
    alpha (C_disk - C_flash) log(1 + theta). They are equal at
    1 + theta = (1 + delta)^E; alpha and the base of the logarithm cancel.

    Parameters
    ----------
    delta : array_like
        Added DRAM in multiples of the existing DRAM; at least 0. [1]
    disk_cost, flash_cost : array_like
        C_disk and C_flash of one page access; broadcast against `delta`. [time]

    Returns
    -------
    Theta

    Raises
    ------
    BadInput
        If delta is negative, a cost is not positive, or flash is not below disk.

    Examples
    --------
    >>> found = log_theta([0, 1, 3], disk_cost=1 / 409, flash_cost=1 / 65803)
    >>> found.theta.round(6).tolist()
    [0.0, 1.008689, 3.034833]
    """
    steps = broadcast("break-even theta", amounts={"delta": delta})["delta"]
    found = exponent(disk_cost, flash_cost)
    return Theta(
        exponent=found,
        delta=steps,
        theta=theta_kernel(steps, found),
        estimator="log model (Eq 1)",
        validity=LOG_VALIDITY,
        warnings=_about_exponent(found),
        derivation=(
            _exponent_derivation(found, disk_cost, flash_cost),
            Derivation(
                "theta",
                theta_kernel(steps, found),
                "1",
                "(1 + delta)^E - 1",
                (
                    Number("delta", steps, "1", "added DRAM / existing DRAM"),
                    Number("E", found, "1", "exponent"),
                ),
                f"{FACE}, Eq 1",
            ),
        ),
    )


def theta_kernel(delta: FloatArray, exponent_: FloatArray) -> FloatArray:
    """(1 + delta)^E - 1, exact at delta = 0 and never below delta; inputs are valid."""
    with np.errstate(over="ignore"):
        found = np.expm1(exponent_ * np.log1p(delta))
    return np.maximum(found, delta)  # E >= 1, so less than delta is rounding


def curve_theta(
    curve: Curve,
    base_pages: float,
    delta: ArrayLike,
    *,
    disk_cost: float,
    flash_cost: float,
    flash_metadata: MetadataPreset | None = None,
) -> CurveTheta:
    """Flash that gains as much as a step of DRAM, by the workload's own curve.

    target = H(B) + E [H((1 + delta) B) - H(B)]; theta is the least value with
    H((1 + theta) B) >= target, found exactly on the piecewise-linear curve. Where the DRAM
    step gains nothing theta is 0; where the target lies above the curve theta is NaN.

    Parameters
    ----------
    curve : Curve
        Hit-ratio curve of the workload.
    base_pages : float
        B, the existing DRAM; above 0. [pages]
    delta : array_like
        Added DRAM in multiples of B; any shape. [1]
    disk_cost, flash_cost : float
        C_disk and C_flash of one page access. [time]

    flash_metadata : MetadataPreset, optional
        Its metadata are taken out of B; without it nothing is charged.

    Returns
    -------
    CurveTheta
        Arrays have the shape of `delta`.

    Raises
    ------
    BadInput
        If B is not positive, delta is negative, the workload is empty, a cost is not
        positive, or flash is not below disk.

    Examples
    --------
    >>> curve = Curve.from_hit_ratios([(100, 0.5), (400, 0.8)], accesses=1000)
    >>> curve_theta(curve, 100, [1, 2], disk_cost=10, flash_cost=2).theta.tolist()
    [1.25, 2.5]
    """
    steps = broadcast("break-even theta", amounts={"delta": delta})["delta"]
    check_base(curve, base_pages)
    found = float(exponent(disk_cost, flash_cost))
    at_base = float(curve.hit_ratio(base_pages))
    larger = (1 + steps) * base_pages
    gained = only_known(
        curve,
        np.maximum(curve.hit_ratio(larger) - at_base, 0.0),
        base_pages,
        larger,
    )
    target = at_base + found * gained
    hit_ratios = 1.0 - curve.knot_misses / curve.accesses
    size = least_size(curve.knots, hit_ratios, target)
    theta = np.where(gained <= 0, 0.0, np.maximum(size / base_pages - 1, 0.0))
    theta = only_known(curve, theta, base_pages, (1 + theta) * base_pages)
    how = "least theta with H((1 + theta) B) >= target"
    given: tuple[Number, ...] = (
        Number("target", target, "1", "hit ratio to reach"),
        Number(
            "H max",
            float(curve.hit_ratio(_last_known(curve))),
            "1",
            "most that the curve reaches",
        ),
    )
    if flash_metadata is not None:
        gains = PlainGains(curve, base_pages, disk_cost, flash_cost, flash_metadata)
        theta = least_flash(gains, gained * disk_cost) / base_pages
        formula, at_theta = flash_gain_terms(gains, theta * base_pages)
        how = (
            "least theta with [H((1 + delta) B) - H(B)] C_disk <= "
            f"{formula}, T = R + theta B"
        )
        given = (
            Number("theta", theta, "1", "flash / existing DRAM"),
            Number("H((1 + delta) B)", at_base + gained, "1", "of the curve"),
            *at_theta,
        )
    reachable = np.isfinite(theta)
    return CurveTheta(
        exponent=found,
        delta=steps,
        target_hit=target,
        theta=theta,
        reachable=reachable,
        estimator="measured LRU curve, exact inverse of its linear pieces",
        validity=CURVE_VALIDITY,
        warnings=(
            *_about_curve(curve, base_pages, steps, theta, gained),
            *about_metadata(flash_metadata),
        ),
        derivation=(
            _exponent_derivation(np.asarray(found), disk_cost, flash_cost),
            Derivation(
                "target_hit",
                target,
                "1",
                "H(B) + E [H((1 + delta) B) - H(B)]",
                (
                    Number("B", base_pages, "pages", "existing DRAM"),
                    Number("H(B)", at_base, "1", "hit ratio of the curve"),
                    Number("H((1 + delta) B)", at_base + gained, "1", "of the curve"),
                    Number("E", found, "1", "exponent"),
                ),
                "derived from the balance behind Eq 1",
            ),
            Derivation(
                "theta",
                theta,
                "1",
                how,
                given,
                "derived; exact on the piecewise-linear curve",
            ),
        ),
    )


def _last_known(curve: Curve) -> int:
    """Return the last size listed, or the last one of which a curve from counters speaks. [pages]"""
    evidence = curve.evidence
    return curve.last_listed if evidence is None else evidence.valid_to


def least_size(knots: FloatArray, values: FloatArray, target: ArrayLike) -> FloatArray:
    """Least size at which a rising piecewise-linear line reaches a target.

    Parameters
    ----------
    knots, values : float64 array
        Sizes and the line there, neither falling. [size], [value]
    target : array_like
        Any shape. [value]

    Returns
    -------
    float64 array
        NaN where the line never reaches the target. [size]
    """
    wanted = np.asarray(target, dtype=np.float64)
    # The last bits of a target are rounding; they must not leap over a level stretch.
    right = np.searchsorted(values, wanted - HIT_TOLERANCE, side="left")
    inside = right < len(values)
    at = np.clip(right, 1, len(values) - 1)
    low, high = values[at - 1], values[at]
    rise = np.where(high > low, high - low, 1.0)
    part = np.clip((wanted - low) / rise, 0.0, 1.0)
    size = knots[at - 1] + part * (knots[at] - knots[at - 1])
    size = np.where(right == 0, knots[0], size)
    return np.where(inside, size, np.nan)


def check_base(curve: Curve, base_pages: float) -> None:
    """Check that there is a workload and DRAM to add to.

    Raises
    ------
    BadInput
        If the base is not a positive number or the workload has no accesses.
    """
    problems = Problems("break-even", "give the existing DRAM, in pages, above 0")
    problems.check(
        np.isfinite(base_pages) and base_pages > 0,
        "base_pages",
        base_pages,
        "must be finite and above 0",
    )
    problems.check(curve.accesses > 0, "curve", None, "the workload has no accesses")
    problems.raise_if_any()


def _costs(
    subject: str, disk_cost: ArrayLike, flash_cost: ArrayLike
) -> dict[str, FloatArray]:
    v = broadcast(subject, amounts={"disk_cost": disk_cost, "flash_cost": flash_cost})
    problems = Problems(subject, _HINT)
    for name, array in v.items():
        problems.check(np.all(array > 0), name, array, "must be above 0")
    problems.raise_if_any()
    if not np.all(v["flash_cost"] < v["disk_cost"]):
        raise BadInput(
            f"{subject}: flash_cost: `{v['flash_cost']}` is not below disk_cost "
            f"`{v['disk_cost']}`: "
            "no amount of flash breaks even",
            "choose a faster flash device, or use the pattern of access (random or "
            "sequential) that flash would see",
        )
    return v


def _about_exponent(found: FloatArray) -> tuple[Caution, ...]:
    most = float(np.max(found, initial=1.0))
    if most <= 1 / (1 - HALF_OF_DISK):
        return ()
    return (
        Caution(
            "flash_near_disk",
            f"flash costs more than half of a disk access (exponent {most:.4g}): theta is very "
            "sensitive to both costs",
            "check the costs at the same queue depth; sequential flash writes are cheaper",
        ),
    )


def _about_curve(
    curve: Curve,
    base_pages: float,
    delta: FloatArray,
    theta: FloatArray,
    gained: FloatArray,
) -> tuple[Caution, ...]:
    found = []
    if curve.evidence is not None:
        if not np.all(np.isfinite(theta)):
            found.append(about_unknown(curve, [FLASH_BEYOND]))
    elif not np.all(np.isfinite(theta)):
        found.append(
            Caution(
                "unreachable",
                "no amount of flash gains as much as some of the DRAM steps: the curve ends "
                f"at a hit ratio of {float(curve.hit_ratio(curve.last_listed)):.4g}",
                "choose DRAM for these steps",
            )
        )
    if bool(np.any((gained <= 0) & (delta > 0))):
        found.append(
            Caution(
                "dram_gains_nothing",
                "some DRAM steps gain no hit on this curve, so theta is 0: there is nothing to "
                "match",
                "choose other sizes: neither DRAM nor flash of these sizes helps this "
                "workload",
            )
        )
    sizes = np.concatenate(
        ((1 + delta).ravel(), (1 + theta[np.isfinite(theta)]).ravel())
    )
    beyond = sizes * base_pages > curve.last_listed
    beyond &= ~curve.holds_all(sizes * base_pages)
    if curve.evidence is None and curve.ends_early and bool(np.any(beyond)):
        found.append(
            Caution(
                "beyond_the_curve",
                f"the curve ends at {counted(curve.last_listed, 'page')}; it is assumed to be "
                "constant beyond",
                "give a curve that reaches these sizes",
            )
        )
    return tuple(found)


def _exponent_derivation(
    found: FloatArray, disk_cost: ArrayLike, flash_cost: ArrayLike
) -> Derivation:
    return Derivation(
        "exponent",
        found,
        "1",
        "C_disk / (C_disk - C_flash)",
        (
            Number("C_disk", disk_cost, "time", "one page access on disk"),
            Number("C_flash", flash_cost, "time", "one page access on flash"),
        ),
        f"{FACE}, Eq 1",
    )


def _as_dict(found: Any) -> dict[str, Any]:
    made: dict[str, Any] = plain(found)
    return made
