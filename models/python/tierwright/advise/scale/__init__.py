"""From a recording to production: the same workload on the data and at the rate of the system that is bought."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, ClassVar

import numpy as np

from tierwright.advise.scale._curves import (
    check_counts,
    scaled_curve,
    size_knots,
    write_share_of,
)
from tierwright.advise.scale._factors import (
    check_exponent,
    counts_factor_of,
    exponent_of,
    law_of,
    measured_as,
    recorded_data,
    relation_factors_of,
    tau_of,
)
from tierwright.advise.scale.pages import check_page_size
from tierwright.common.answer import Answer, Figure, Step
from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution, Effect, choosing_nothing
from tierwright.common.documents import read_toml
from tierwright.common.errors import BadInput
from tierwright.common.shipped import shipped_folder
from tierwright.common.units import format_bytes, format_count
from tierwright.common.wording import counted, listed, percent, three_digits
from tierwright.evaluate.page_flow.cautions import about_given
from tierwright.evaluate.scale.errors import MeasuredError, known_error
from tierwright.evaluate.scale.laws import (
    Grown,
    by_relation,
    cold_growth,
    stretched,
)
from tierwright.profile.curve import Curve
from tierwright.profile.document import Profile
from tierwright.profile.production import Production, Scaled

SHOWN_SHARES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Cache sizes whose misses the answer lists, as shares of the data."""


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

    chooses: ClassVar[bool] = False

    profile: Profile = field(repr=False)
    scaled: Scaled
    sizes: tuple[SizeScaled, ...]
    factors: tuple[float, ...] = ()

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The law, its factor and error, and the rate of one machine."""
        known = self.scaled.known_error
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
                self.scaled.machine_accesses_per_s,
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
    recorded_page_bytes: int | None = None,
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
        Of the popularity, for the law `cold_growth` alone; by default that of the profile's summary.
    recorded_page_bytes : int, optional
        Pages that were recorded, where the profile has larger ones: see `pages.with_pages_of`. [bytes]

    Raises
    ------
    BadInput
        If the law is unknown, needs what the profile lacks, or has no use for what is stated, or data are smaller than
        what the recording touches.
    """
    curve = profile.curve
    if curve.scaled is not None:
        raise BadInput(
            "the profile was scaled already",
            "scale the profile of the recording",
        )
    check_page_size(curve, production.page_bytes)
    if curve.scaled_parts is not None:
        raise BadInput(
            "workloads of the composed profile were scaled already: "
            f"{listed(curve.scaled_parts.names)}",
            "scale the profile of each recording, and compose them then",
        )
    recorded = recorded_data(curve, production, recorded_data_bytes)
    chosen = law_of(law, profile)
    check_exponent(chosen, exponent)
    factor = production.data_bytes / recorded
    tau = tau_of(chosen, clients, accesses_per_unit, tau_accesses)
    factors: tuple[float, ...] = ()
    if chosen == "relations":
        factors = tuple(
            relation_factors_of(
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
                exponent=exponent_of(profile, exponent),
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
            measured_as(chosen, tau, each_stated=bool(fixed) or bool(relation_factors)),
            factor,
            per="transaction" if per_unit else "access",
        ),
        production,
        recorded,
        recorded_data_bytes is not None,
        curve.distinct_pages,
        tau,
        per_unit,
        counts_factor_of(chosen, profile, factors, factor) * share,
        curve.accesses,
        curve.known_write_accesses,
        ()
        if chosen in ("stretch", "tenants")
        # Beyond the recording, cold growth holds new pages alone.
        else size_knots(curve, grown, goes_on=chosen == "relations" or factor == 1),
        None if recorded_page_bytes == curve.page_bytes else recorded_page_bytes,
        production.served_per_access(write_share_of(curve, production)),
        profile.duration_s or 0.0,
    )
    check_counts(curve, scaled)
    made = scaled_curve(curve, scaled, grown)
    duration_s = made.accesses / scaled.machine_accesses_per_s
    found = Profile(made, duration_s, thinned_error=profile.thinned_error)
    sizes = _sizes(made, scaled, curve, grown)
    return ScaledWorkload(
        finding=_finding(scaled, sizes) + _pages_sentence(scaled, curve.page_bytes),
        warnings=tuple(about_given(made.steady())),
        explain=lambda: _steps(scaled, factors, production),
        weigh=lambda caution: _effect(caution, sizes),
        profile=found,
        scaled=scaled,
        sizes=sizes,
        factors=factors,
    )


_OF_THE_LAW = frozenset({"scaled", "scale_extrapolated"})


def _named(sizes: Sequence[SizeScaled]) -> SizeScaled:
    """Return the size that the finding names: nearest to a tenth of the data."""
    return min(sizes, key=lambda one: abs(one.share - 0.1))


def _effect(caution: Caution, sizes: tuple[SizeScaled, ...]) -> Effect:
    """Say between what the misses lie at the size that the finding names; nothing is chosen here."""
    named = _named(sizes)
    low, high = named.miss_ratio_low, named.miss_ratio_high
    if caution.name not in _OF_THE_LAW or low is None or high is None:
        return choosing_nothing(caution)
    return Effect(
        f"if the law is off by its worst error: between {percent(low)} and {percent(high)} of the "
        f"accesses miss a cache of {format_bytes(named.cache_bytes)}",
        could_change_choice=None,
        size=high - low,
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
    rate = scaled.machine_accesses_per_s
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
    at = _named(sizes)
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
        + ("" if production.rates is None else f" {production.rates.sentence}")
    )


def _pages_sentence(scaled: Scaled, page_bytes: int) -> str:
    """Say by which page size was recorded and by which is evaluated, where they differ."""
    if scaled.recorded_page_bytes is None:
        return ""
    return (
        f" It was recorded with pages of {format_bytes(scaled.recorded_page_bytes)} and is evaluated with "
        f"pages of {format_bytes(page_bytes)}, each of which holds "
        f"{counted(page_bytes // scaled.recorded_page_bytes, 'neighbouring page')} of the recording."
    )


def _of_copies(scaled: Scaled) -> Iterator[Step]:
    """Say how many accesses the copies serve for one of the workload, where there are copies."""
    copies = scaled.production.replicas
    if copies == 1:
        return
    share = (scaled.served_per_access - 1) / (copies - 1)
    yield Step(
        "accesses served for each of the workload",
        f"1 + {share:.6g} x ({copies:,} - 1)",
        scaled.served_per_access,
        "1",
        "a read is served by one copy, a write by each",
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
        *_of_copies(scaled),
        Step(
            "rate of one machine",
            f"{production.accesses_per_s:,.6g} / {production.machines}"
            if production.replicas == 1
            else f"{production.accesses_per_s:,.6g} x {scaled.served_per_access:,.6g} / {production.machines}",
            scaled.machine_accesses_per_s,
            "1/s",
            "as stated",
        ),
    ]
    rates = production.rates
    if rates is not None:
        found[1:1] = [
            Step(
                "mean rate",
                f"sum of the rates of {counted(rates.steps, 'equal step')} / {rates.steps:,}",
                rates.mean_per_s,
                "1/s",
                "series of rates, as stated",
            ),
            Step(
                "peak rate",
                f"rate of step {rates.busiest_step:,} of {rates.steps:,}",
                rates.peak_per_s,
                "1/s",
                "series of rates, as stated",
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
