"""From a recording to production: the same workload on the data and at the rate of the system that is bought."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tierwright.common.answer import Answer, Figure, Step
from tierwright.common.arrays import FloatArray
from tierwright.common.documents import read_toml
from tierwright.common.errors import BadInput, Problems, collected
from tierwright.common.shipped import shipped_folder
from tierwright.common.units import format_bytes, format_count, parse_bytes
from tierwright.common.wording import counted, percent, three_digits
from tierwright.evaluate.page_flow.cautions import about_given
from tierwright.evaluate.scale.errors import MeasuredError, known_error
from tierwright.evaluate.scale.laws import (
    LAWS,
    Grown,
    Law,
    by_relation,
    cold_growth,
    stretched,
)
from tierwright.profile.curve import Curve
from tierwright.profile.document import Profile
from tierwright.profile.production import Production, Scaled
from tierwright.profile.relations import RelationReuse

SHOWN_SHARES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Cache sizes whose misses the answer lists, as shares of the data."""
USUAL_EXPONENT = 0.9
"""Of a popularity that nobody measured, for the law `cold_growth`."""
_MOST_ACCESSES = 2**53
_MOST_SIZES = 2300
"""Sizes of each of the two curves in a profile file: so many always fit into it."""


@dataclass(frozen=True, slots=True)
class SizeScaled:
    """Misses of one cache size of production.

    Attributes
    ----------
    share : float
        Of the data of one machine. [1]
    pages : int
        [pages]
    cache_bytes : int
        [bytes]
    miss_ratio : float
        [1]
    miss_ratio_low, miss_ratio_high : float or None
        Ends by the worst error known of the law; None where it was never measured. [1]
    misses_per_s : float
        Of one machine at the mean rate. [1/s]
    recorded_pages : float
        Size of the recorded system that misses as many. [pages]
    """

    share: float
    pages: int
    cache_bytes: int
    miss_ratio: float
    miss_ratio_low: float | None
    miss_ratio_high: float | None
    misses_per_s: float
    recorded_pages: float


@dataclass(frozen=True, kw_only=True)
class ScaledWorkload(Answer):
    """A workload on the scale of production.

    Attributes
    ----------
    profile : Profile
        Of one machine of production: every command takes it.
    scaled : Scaled
        How it was scaled.
    sizes : tuple of SizeScaled
        Misses by cache size.
    factors : tuple of float
        k of each relation of the profile, by the law `relations`; otherwise empty. [1]
    """

    profile: Profile = field(repr=False)
    scaled: Scaled
    sizes: tuple[SizeScaled, ...]
    factors: tuple[float, ...] = ()

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The law, its factor and error, and the rate of one machine."""
        known, production = self.scaled.known_error, self.scaled.production
        return (
            Figure("law", "Scale law", self.scaled.law),
            Figure(
                "factor",
                "Data of production over data recorded",
                self.scaled.factor,
                "1",
            ),
            Figure(
                "mean_error",
                "Mean error known, of the misses",
                None if known is None else known.mean,
                "1",
            ),
            Figure(
                "worst_error",
                "Worst error known, of the misses",
                None if known is None else known.worst,
                "1",
            ),
            Figure(
                "machine_accesses_per_s",
                "Page accesses of one machine",
                production.machine_accesses_per_s,
                "1/s",
            ),
        )

    def to_dict(self, *, derivation: bool = False) -> dict[str, Any]:
        """Return plain data for JSON: the finding, and the profile with all its keys."""
        found = super().to_dict(derivation=derivation)
        del found["profile"], found["scaled"]
        return {**found, **self.profile.to_dict()}


@cache
def measured_errors() -> tuple[MeasuredError, ...]:
    """Return what was measured of the laws, from `fixtures/scale-errors.toml`."""
    path = shipped_folder() / "fixtures" / "scale-errors.toml"
    rows = read_toml(path, path.name, "reinstall Tierwright")["measured"]
    return tuple(
        MeasuredError(
            row["law"],
            row["workload"],
            float(row["factor"]),
            float(row[f"mean_per_{per}"]),
            float(row[f"worst_per_{per}"]),
            per,
        )
        for row in rows
        for per in ("transaction", "access")
        if f"mean_per_{per}" in row
    )


def answer(
    profile: Profile,
    production: Production,
    *,
    law: str | None = None,
    recorded_data_bytes: int | None = None,
    clients: int | None = None,
    accesses_per_unit: float | None = None,
    tau_accesses: float | None = None,
    per_unit: bool = False,
    fixed: Sequence[str] = (),
    relation_factors: Mapping[str, float] | None = None,
    exponent: float | None = None,
) -> ScaledWorkload:
    """Scale a workload to the data and the rate of production.

    Parameters
    ----------
    profile : Profile
        Of the recording, or of a given or described curve.
    production : Production
        The system that is bought for.
    law : str, optional
        One of `LAWS`; by default `relations` where the profile lists several, else `stretch`.
    recorded_data_bytes : int, optional
        Data of the recorded system; by default those that the recording touches. [bytes]
    clients : int, optional
        Clients of the recorded system.
    accesses_per_unit : float, optional
        Page accesses of one unit of work (transaction, request) in the recording.
    tau_accesses : float, optional
        Reuse up to it stays as it is; by default clients times accesses a unit, and where either is
        not known all reuse is stretched. Only of the law `relations`. [accesses]
    per_unit : bool
        Whether the rate of production was given in units of work, so that what is scaled is misses
        for each of them.
    fixed : sequence of str
        Names or numbers (from 1) of relations that do not grow, besides system catalogs.
    relation_factors : mapping, optional
        k of named or numbered relations; the others grow so that the sum is the data of production.
    exponent : float, optional
        Of the popularity, for the law `cold_growth`; by default that of the profile's summary.

    Raises
    ------
    BadInput
        If the law is unknown or needs what the profile lacks, or data are smaller than what the
        recording touches.
    """
    curve = profile.curve
    if curve.scaled is not None:
        raise BadInput(
            "the profile was scaled already",
            "scale the profile of the recording",
        )
    recorded = _recorded(curve, production, recorded_data_bytes)
    chosen = _law(law, profile)
    factor = production.data_bytes / recorded
    tau = _tau(chosen, clients, accesses_per_unit, tau_accesses)
    factors: tuple[float, ...] = ()
    if chosen == "relations":
        factors = tuple(
            _factors(
                profile.relations,
                curve,
                recorded,
                production.data_bytes,
                fixed,
                relation_factors or {},
            )
        )
    elif fixed or relation_factors:
        raise BadInput(
            f"the law `{chosen}` scales the whole data, not relation by relation",
            "use the law `relations` to let some relations stay as they are",
        )

    def whole(pages: FloatArray, misses: FloatArray) -> Grown:
        if chosen == "relations":
            return by_relation(
                pages, profile.relations, factors, tau_accesses=tau or 0.0
            )
        if chosen == "cold_growth":
            return cold_growth(
                pages,
                misses,
                accesses=curve.accesses,
                distinct_pages=curve.distinct_pages,
                factor=factor,
                exponent=_exponent(profile, exponent),
            )
        return stretched(pages, factor)

    # Each machine holds its part of the pages, and copies of those of others: the pages that compete
    # for its cache are those of the whole, thinned out.
    share = production.replicas / production.machines

    def grown(pages: FloatArray, misses: FloatArray) -> Grown:
        larger = whole(pages, misses)
        return replace(larger, pages=larger.pages * share)

    scaled = Scaled(
        chosen,
        factor,
        known_error(
            measured_errors(),
            _measured_as(
                chosen, tau, each_stated=bool(fixed) or bool(relation_factors)
            ),
            factor,
            per="transaction" if per_unit else "access",
        ),
        production,
        recorded,
        recorded_data_bytes is not None,
        curve.distinct_pages,
        tau,
        per_unit,
        _counts_factor(chosen, profile, factors, factor) * share,
    )
    _check_counts(curve, scaled)
    made = _scaled_curve(curve, scaled, grown)
    duration_s = made.accesses / production.machine_accesses_per_s
    found = Profile(made, duration_s, thinned_error=profile.thinned_error)
    sizes = _sizes(made, scaled, curve, grown)
    return ScaledWorkload(
        finding=_finding(scaled, sizes),
        warnings=tuple(about_given(made.steady())),
        explain=lambda: _steps(scaled, factors, production),
        profile=found,
        scaled=scaled,
        sizes=sizes,
        factors=factors,
    )


def rate_of_units(
    accesses_per_s: float | None,
    units_per_s: float | None,
    accesses_per_unit: float | None,
) -> float:
    """Return page accesses per second, stated as such or in units of work. [1/s]

    Raises
    ------
    BadInput
        If neither is stated, or both, or the accesses of a unit are not.
    """
    if (accesses_per_s is None) == (units_per_s is None):
        raise BadInput(
            "the rate of production is "
            + ("missing" if units_per_s is None else "stated twice"),
            "state accesses per second, or units of work per second, one of them",
        )
    if units_per_s is None:
        assert accesses_per_s is not None  # one of the two
        return accesses_per_s
    if accesses_per_unit is None:
        raise BadInput(
            "the accesses of one unit of work are missing",
            "state how many page accesses one transaction or request had in the recording",
        )
    return units_per_s * accesses_per_unit


def factor_of(name: str, text: str) -> float:
    """Read the factor of a relation.

    Raises
    ------
    BadInput
        If it is no number.
    """
    try:
        return float(text)
    except ValueError:
        raise BadInput(
            f"relation `{name}`: `{text}` is not a number",
            "write its size in production over its size when recorded, such as 20",
        ) from None


_PRODUCTION_KEYS = frozenset(
    {
        "data",
        "accesses_per_s",
        "units_per_s",
        "peak_accesses_per_s",
        "write_share",
        "growth_per_year",
        "machines",
        "replicas",
        "law",
        "recorded_data",
        "clients",
        "accesses_per_unit",
        "tau_accesses",
        "fixed",
        "relations",
        "exponent",
    }
)


def read_production(path: Path) -> dict[str, Any]:
    """Read a production file: the parameters of `answer` but the profile.

    Sizes are texts such as `"4TiB"`; `relations` is a table of factors by name or number.

    Raises
    ------
    BadInput
        If the file is absent or no TOML, or holds a key or value that is none; names each.
    """
    hint = "see docs/models/scale.md for its keys"
    data = {
        key: _floats(value) for key, value in read_toml(path, str(path), hint).items()
    }
    with collected(str(path), hint) as problems:
        for key in data.keys() - _PRODUCTION_KEYS:
            problems.add(key, None, "is no key of a production file")
        for key in ("data", "recorded_data", "law"):
            value = data.get(key)
            problems.check(
                value is None or isinstance(value, str),
                key,
                value,
                'must be a text, such as "4TiB"' if key != "law" else "must be a name",
            )
        for key in (
            "accesses_per_s",
            "units_per_s",
            "accesses_per_unit",
            "tau_accesses",
            "exponent",
            "clients",
        ):
            value = data.get(key)
            problems.check(
                value is None
                or (isinstance(value, (int, float)) and not isinstance(value, bool)),
                key,
                value,
                "must be a number",
            )
        fixed, factors = data.get("fixed", []), data.get("relations", {})
        problems.check(
            isinstance(fixed, list) and all(isinstance(one, str) for one in fixed),
            "fixed",
            None,
            "must be a list of names",
        )
        problems.check(
            isinstance(factors, dict)
            and all(
                isinstance(one, (int, float)) and not isinstance(one, bool)
                for one in factors.values()
            ),
            "relations",
            None,
            "must be a table of factors",
        )
        problems.check("data" in data, "data", None, "is missing")
    stated = {
        key: data[key]
        for key in (
            "peak_accesses_per_s",
            "write_share",
            "growth_per_year",
            "machines",
            "replicas",
        )
        if key in data
    }
    recorded = data.get("recorded_data")
    return {
        "production": Production(
            parse_bytes(data["data"]),
            rate_of_units(
                data.get("accesses_per_s"),
                data.get("units_per_s"),
                data.get("accesses_per_unit"),
            ),
            **stated,
        ),
        "per_unit": "units_per_s" in data,
        "law": data.get("law"),
        "recorded_data_bytes": None if recorded is None else parse_bytes(recorded),
        "clients": data.get("clients"),
        "accesses_per_unit": data.get("accesses_per_unit"),
        "tau_accesses": data.get("tau_accesses"),
        "fixed": tuple(fixed),
        "relation_factors": factors,
        "exponent": data.get("exponent"),
    }


def _floats(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _floats(one) for key, one in value.items()}
    return float(value) if isinstance(value, Decimal) else value


def _recorded(curve: Curve, production: Production, stated: int | None) -> int:
    touched = curve.distinct_pages * curve.page_bytes
    if touched == 0:
        raise BadInput(
            "the workload touches no page, so there is nothing to scale",
            "profile a trace with page accesses",
        )
    if stated is not None and stated < touched:
        raise BadInput(
            f"recorded data: {format_bytes(stated)} are less than the {format_bytes(touched)} that "
            "the recording touches",
            "state the size of the whole database or volume that was recorded",
        )
    if production.data_bytes < touched:
        raise BadInput(
            f"production data: {format_bytes(production.data_bytes)} are less than the "
            f"{format_bytes(touched)} that the recording touches",
            "state the size of the data in production, or use the profile as it is",
        )
    return touched if stated is None else stated


def _law(law: str | None, profile: Profile) -> Law:
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


def _tau(
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


def _measured_as(law: Law, tau: float | None, *, each_stated: bool) -> str:
    """Name what was measured that is nearest to what is done."""
    if law == "tenants":  # the same sizes
        return "stretch"
    if law != "relations":
        return law
    if not each_stated:  # all but the catalogs grow alike
        return "one_factor"
    return "relations_tau" if tau else "relations"


def _counts_factor(
    law: Law, profile: Profile, factors: Sequence[float], factor: float
) -> float:
    """By what the pages touched grow, and with them all counts."""
    if law != "relations":
        return factor
    touched = np.asarray([one.distinct_pages for one in profile.relations], dtype=float)
    return float(touched @ np.asarray(factors)) / float(touched.sum())


def _factors(
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


def _exponent(profile: Profile, stated: float | None) -> float:
    if stated is not None:
        return stated
    fitted = None if profile.summaries is None else profile.summaries.popularity.zipf
    return USUAL_EXPONENT if fitted is None else fitted.exponent


def _scaled_curve(curve: Curve, scaled: Scaled, grown: Any) -> Curve:
    """Put counts and sizes of a curve on the scale of production, from a cold start and running."""
    counts = scaled.counts_factor
    accesses = round(curve.accesses * counts)
    share = scaled.production.write_share
    writes = curve.write_accesses
    more_writes = 1.0
    if share is not None and curve.write_backs_at is not None:
        if writes == 0 and share > 0:
            raise BadInput(
                f"write share: the recording has no writes that {percent(share)} could follow",
                "profile a trace with writes, or leave the write share out",
            )
        more_writes = share * curve.accesses / writes if writes else 1.0
    write_accesses = min(accesses, round(writes * more_writes * counts))
    distinct = max(1, round(curve.distinct_pages * counts))

    def part(of: Curve) -> tuple[Any, FloatArray, FloatArray | None]:
        pages = of.pages.astype(np.float64)
        large = grown(pages, of.misses_at)
        more = (0, len(large.pages) - len(pages))
        known = np.pad(of.misses_at, more, mode="edge")
        misses = np.minimum.accumulate(known * large.misses_kept) * counts
        backs = of.write_backs_at
        if backs is not None:
            backs = np.pad(backs, more, mode="edge")
            backs = np.minimum.accumulate(
                np.minimum(
                    backs * large.write_backs_kept * more_writes * counts,
                    np.minimum(misses, float(write_accesses)),
                )
            )
        return _listed(large.pages, misses, backs, (accesses, write_accesses), distinct)

    base = curve.from_start("cold") if curve.given is None else curve
    pages, misses, backs = part(base)
    made = Curve.from_lists(
        pages,
        misses,
        backs,
        accesses=accesses,
        distinct_pages=distinct,
        page_bytes=curve.page_bytes,
        write_accesses=write_accesses,
        given=curve.given,
        sample_rate=curve.sample_rate,
        notes=curve.notes,
        new_pages=min(distinct, round(curve.new_pages * counts)),
        scaled=scaled,
    )
    if curve.given is not None:
        return made
    return Curve.scaled_to(scaled, made, part(base.steady()))


def _listed(
    sizes: FloatArray,
    misses: FloatArray,
    backs: FloatArray | None,
    at_zero: tuple[int, int],
    distinct: int,
) -> tuple[Any, FloatArray, FloatArray | None]:
    """List whole sizes, each once, with those of 1 page and of all pages."""
    knots = np.concatenate(([0.0], np.maximum(sizes, 1e-9)))
    knots = np.maximum.accumulate(knots)
    keep = np.concatenate(([True], np.diff(knots) > 0))
    whole = np.unique(
        np.concatenate((np.maximum(1, np.rint(sizes)), [1, distinct])).astype(np.int64)
    )

    if len(whole) > _MOST_SIZES:
        whole = whole[np.rint(np.linspace(0, len(whole) - 1, _MOST_SIZES)).astype(int)]

    def at(values: FloatArray, zero: int) -> FloatArray:
        line = np.interp(
            whole, knots[keep], np.concatenate(([float(zero)], values))[keep]
        )
        return np.minimum.accumulate(np.minimum(line, float(zero)))

    found = at(misses, at_zero[0])
    return (
        whole,
        found,
        None if backs is None else np.minimum(at(backs, at_zero[1]), found),
    )


def _check_counts(curve: Curve, scaled: Scaled) -> None:
    if curve.accesses * scaled.counts_factor > _MOST_ACCESSES:
        raise BadInput(
            f"production data: {format_bytes(scaled.production.data_bytes)} are "
            f"{three_digits(scaled.factor)} times the recorded data: more accesses than can be "
            "counted exactly",
            "profile a recording of a larger system, or a shorter one",
        )
    if curve.distinct_pages * scaled.counts_factor < 1:
        raise BadInput(
            f"machines: `{scaled.production.machines}` would hold less than one page each of the "
            "pages that the recording touches",
            "state fewer machines",
        )


def _sizes(
    made: Curve, scaled: Scaled, recorded: Curve, grown: Any
) -> tuple[SizeScaled, ...]:
    running = made.steady()
    pages = sorted(
        {max(1, round(share * running.data_pages)) for share in SHOWN_SHARES}
    )
    base = recorded.steady()
    grid = base.pages.astype(np.float64)
    larger = grown(grid, base.misses_at).pages[: len(grid)]
    rate = scaled.production.machine_accesses_per_s
    rows = []
    for size in pages:
        ratio = float(running.misses(size)) / running.accesses
        low, high = (
            (float(end) / running.accesses for end in running.law_band(size))
            if scaled.known_error is not None
            else (None, None)
        )
        rows.append(
            SizeScaled(
                size / running.data_pages,
                size,
                size * running.page_bytes,
                ratio,
                low,
                high,
                ratio * rate,
                float(np.interp(size, larger, grid)),
            )
        )
    return tuple(rows)


def _finding(scaled: Scaled, sizes: Sequence[SizeScaled]) -> str:
    production = scaled.production
    at = min(sizes, key=lambda one: abs(one.share - 0.1))
    ends = (
        "how far this may be off was never measured"
        if at.miss_ratio_low is None or at.miss_ratio_high is None
        else f"{percent(at.miss_ratio_low)} to {percent(at.miss_ratio_high)} by the worst error known"
    )
    machines = (
        ""
        if production.machines == 1
        else f" on each of {counted(production.machines, 'machine')}"
    )
    return (
        f"At {format_bytes(production.data_bytes)} and {format_count(production.accesses_per_s)} "
        f"accesses per second, {three_digits(scaled.factor)} times the recorded data, "
        f"{percent(at.miss_ratio)} of the accesses miss a cache of "
        f"{format_bytes(at.cache_bytes)}{machines} by the law `{scaled.law}` ({ends})."
    )


def _steps(
    scaled: Scaled, factors: Sequence[float], production: Production
) -> list[Step]:
    found = [
        Step(
            "k",
            f"{production.data_bytes:,} / {scaled.recorded_data_bytes:,}",
            scaled.factor,
            "1",
            "data of production / data of the recorded system",
        ),
        Step(
            "rate of one machine",
            f"{production.accesses_per_s:,.6g} / {production.machines}",
            production.machine_accesses_per_s,
            "1/s",
            "as stated",
        ),
    ]
    if scaled.tau_accesses is not None:
        found.append(
            Step(
                "tau",
                f"{scaled.tau_accesses:,.6g}",
                scaled.tau_accesses,
                "accesses",
                "as stated, or clients x accesses of one unit of work",
            )
        )
    found += [
        Step(
            f"k of relation {at}",
            "data of production / data recorded",
            k,
            "1",
            "law `relations`",
        )
        for at, k in enumerate(factors, 1)
    ]
    return found
