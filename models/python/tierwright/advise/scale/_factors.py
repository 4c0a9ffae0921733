"""By how much data grow: of the whole, and of each relation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from tierwright.common.errors import BadInput, Problem, Problems
from tierwright.common.units import format_bytes
from tierwright.evaluate.scale.laws import (
    LAWS,
    Law,
)
from tierwright.profile.curve import Curve
from tierwright.profile.document import Profile
from tierwright.profile.production import Production
from tierwright.profile.relations import RelationReuse

USUAL_EXPONENT = 0.9
"""Of a popularity that nobody measured, for the law `cold_growth`."""


def recorded_data(curve: Curve, production: Production, stated: int | None) -> int:
    touched = curve.distinct_pages * curve.page_bytes
    if touched == 0:
        raise BadInput(
            "the workload touches no page, so there is nothing to scale",
            "profile a trace with page accesses",
        )
    if stated is not None and stated < touched:
        less, more = _apart(stated, touched)
        raise BadInput(
            f"recorded data: {less} are less than the {more} that the recording touches",
            "state the size of the whole database or volume that was recorded",
            (Problem("recorded_data_bytes", less, _too_few(more)),),
        )
    if production.data_bytes < touched:
        less, more = _apart(production.data_bytes, touched)
        raise BadInput(
            f"production data: {less} are less than the {more} that the recording touches",
            "state the size of the data in production, or use the profile as it is",
            (Problem("data_bytes", less, _too_few(more)),),
        )
    return touched if stated is None else stated


def _too_few(more: str) -> str:
    return f"must not be less than the {more} that the recording touches"


def _apart(one: int, other: int) -> tuple[str, str]:
    """Write two sizes, to the byte where they read the same."""
    found = format_bytes(one), format_bytes(other)
    return found if found[0] != found[1] else (f"{one:,} bytes", f"{other:,} bytes")


def law_of(law: str | None, profile: Profile) -> Law:
    if law is None:
        return "relations" if len(profile.relations) > 1 else "stretch"
    for known in LAWS:
        if law == known:
            if known == "relations" and not profile.relations:
                raise BadInput(
                    "the law `relations` needs the reuse of each relation, which the profile lacks",
                    "profile the trace with its relations, or use the law `stretch`",
                )
            return known
    raise BadInput(f"law: `{law}` is unknown", f"use one of {', '.join(LAWS)}")


def tau_of(
    law: Law,
    clients: int | None,
    accesses_per_unit: float | None,
    tau_accesses: float | None,
) -> float | None:
    problems = Problems("scale", "state positive numbers, or leave them out")
    for name, value, least in (
        ("clients", clients, 1),
        ("accesses_per_unit", accesses_per_unit, 0),
        ("tau_accesses", tau_accesses, 0),
    ):
        good = value is None or (
            math.isfinite(value)
            and value >= least
            and (value > 0 or name == "tau_accesses")
        )
        problems.check(good, name, value, "is out of range")
    problems.raise_if_any()
    if law != "relations":
        return None
    if tau_accesses is not None:
        return float(tau_accesses)
    if clients is None or accesses_per_unit is None:
        return None
    return float(clients * accesses_per_unit)


def measured_as(law: Law, tau: float | None, *, each_stated: bool) -> str:
    """Name what was measured that is nearest to what is done."""
    if law == "tenants":  # the same sizes
        return "stretch"
    if law != "relations":
        return law
    if not each_stated:  # all but the catalogs grow alike
        return "one_factor"
    return "relations_tau" if tau else "relations"


def counts_factor_of(
    law: Law, profile: Profile, factors: Sequence[float], factor: float
) -> float:
    """By what the pages touched grow, and with them all counts."""
    if law != "relations":
        return factor
    touched = np.asarray([one.distinct_pages for one in profile.relations], dtype=float)
    return float(touched @ np.asarray(factors)) / float(touched.sum())


def relation_factors_of(
    relations: Sequence[RelationReuse],
    curve: Curve,
    recorded: int,
    data_bytes: int,
    fixed: Sequence[str],
    stated: Mapping[str, float],
) -> list[float]:
    """K of each relation: as stated, 1 where it does not grow, else what fits the data."""
    factors: dict[int, float] = {
        at: 1.0 for at, one in enumerate(relations) if not one.grows
    }
    stay = {_number(name, relations) for name in fixed}
    factors |= dict.fromkeys(stay, 1.0)
    for name, factor in stated.items():
        if _number(name, relations) in stay:
            raise BadInput(
                f"relation `{name}` is fixed and has the factor `{factor:g}`",
                "state one of the two",
            )
        if not (math.isfinite(factor) and factor > 0):
            raise BadInput(
                f"relation `{name}`: factor `{factor:g}` must be positive",
                "state its size in production over its size when recorded",
            )
        factors[_number(name, relations)] = factor
    # Pages that the recording did not touch are spread over those that grow.
    touched = [one.distinct_pages * curve.page_bytes for one in relations]
    settled = sum(touched[at] for at in factors)
    becomes = sum(touched[at] * k for at, k in factors.items())
    growing = recorded - settled
    if len(factors) == len(relations):
        return [factors[at] for at in range(len(relations))]
    rest = (data_bytes - becomes) / growing if growing > 0 else 0.0
    if rest <= 0:
        raise BadInput(
            f"production data: {format_bytes(data_bytes)} leave nothing for the relations that grow: "
            f"the others take {format_bytes(round(becomes))}",
            "state more data, or smaller factors of the named relations",
            (
                Problem(
                    "data_bytes",
                    format_bytes(data_bytes),
                    f"must be more than the {format_bytes(round(becomes))} of the relations that do not grow",
                ),
            ),
        )
    return [factors.get(at, rest) for at in range(len(relations))]


def _number(name: str, relations: Sequence[RelationReuse]) -> int:
    for at, one in enumerate(relations):
        if one.name == name:
            return at
    if name.isascii() and name.isdigit() and 1 <= int(name) <= len(relations):
        return int(name) - 1
    raise BadInput(
        f"relation `{name}` is unknown",
        f"use a number from 1 to {len(relations)}, in the order of the profile, or a name that it lists",
    )


def check_exponent(law: Law, stated: float | None) -> None:
    """Refuse an exponent of the popularity under a law that has none."""
    if stated is not None and law != "cold_growth":
        raise BadInput(
            f"exponent: `{stated:g}` is stated, and the law `{law}` has none",
            "leave it out, or use the law `cold_growth`",
            (Problem("exponent", f"{stated:g}", f"has no use under the law {law}"),),
        )


def exponent_of(profile: Profile, stated: float | None) -> float:
    if stated is not None:
        return stated
    fitted = None if profile.summaries is None else profile.summaries.popularity.zipf
    return USUAL_EXPONENT if fitted is None else fitted.exponent
