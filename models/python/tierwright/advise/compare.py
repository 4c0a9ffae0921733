"""Which page-flow scheme suits a workload at one choice of sizes and devices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from tierwright.advise import at_load as load_words
from tierwright.advise.decide import decide
from tierwright.advise.outer import standing, standing_of_range
from tierwright.advise.point import DIRTY_SHARE_UNKNOWN, ONE_END, scheme_titles
from tierwright.common.answer import Answer, Figure, Step, steps
from tierwright.common.cautions import Caution, Weighed, weighed
from tierwright.common.derivation import plain
from tierwright.common.errors import BadInput
from tierwright.common.wording import listed, percent, three_digits
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.evaluate.page_flow import decision, effects
from tierwright.evaluate.page_flow.dirty_range import DirtyRange, evaluate_range
from tierwright.evaluate.page_flow.evaluation import evaluate
from tierwright.evaluate.page_flow.load import about_load
from tierwright.evaluate.page_flow.results import (
    AtLoad,
    Evaluation,
    OuterBars,
    SchemeResult,
)
from tierwright.evaluate.page_flow.schemes import BY_NAME
from tierwright.hardware.device import Device
from tierwright.hardware.prices import DEFAULT_AMORTISATION_MONTHS, PriceBook
from tierwright.hardware.tier_prices import CostPart
from tierwright.profile.curve import Curve
from tierwright.trace.reading import OnProgress, Trace

_TIE = 1e-9
_OF_ONE_END = frozenset(
    {"lead_within_model_error", "lazy_writes_by_formula", "load_beyond_devices"}
)
"""Warnings that depend on costs, so on the dirty share."""


@dataclass(frozen=True, kw_only=True)
class Comparison(Answer):
    """All schemes side by side at one point.

    Attributes
    ----------
    evaluation : Evaluation
        With as many dirty pages as possible where their share is unknown.
    outer : OuterBars
        No flash, everything in RAM and everything on flash at the same point; with as many dirty pages as possible
        where their share is unknown.
    standing : str
        Where the best scheme stands between them.
    range : DirtyRange or None
        Both ends of an unknown dirty share.
    outer_least : OuterBars or None
        The same configurations without dirty pages, where the dirty share is unknown.
    at_load : AtLoad or None
        Devices that carry the rate of production; None where the workload was not scaled to one. With as many
        dirty pages as possible where their share is unknown.
    load_sentence : str
        The same in words; empty without.
    load_verdict : str
        Which way to carry the load costs least; empty where that is not known.
    """

    evaluation: Evaluation = field(repr=False)
    outer: OuterBars = field(repr=False)
    standing: str
    range: DirtyRange | None = field(default=None, repr=False)
    outer_least: OuterBars | None = field(default=None, repr=False)
    at_load: AtLoad | None = field(default=None, repr=False)
    load_sentence: str = ""
    load_verdict: str = ""

    @property
    def best(self) -> str | None:
        """Scheme of least I/O time; None where that depends on an unknown dirty share."""
        return self.evaluation.best if self.range is None else self.range.best

    @cached_property
    def cautions(self) -> tuple[Weighed, ...]:
        """The warnings with their effects, those of single schemes among them."""
        of_schemes = (w for s in self.evaluation.schemes.values() for w in s.warnings)
        return weighed((*self.warnings, *of_schemes), self.weigh)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The best scheme, and the I/O time of each."""
        titles = scheme_titles()
        return (
            Figure(
                "best", "Best scheme", None if self.best is None else titles[self.best]
            ),
            *(
                Figure(
                    f"{name}_us",
                    f"I/O time per access, {titles[name]}",
                    found.io_time_us_per_access,
                    "µs",
                )
                for name, found in self.evaluation.schemes.items()
            ),
        )

    def to_dict(self, *, derivation: bool = True) -> dict[str, Any]:
        """Return plain data for JSON: the finding, and all that the evaluation holds."""
        held = self.evaluation if self.range is None else self.range
        found = {
            "finding": self.finding,
            **held.to_dict(),
            "cautions": plain(list(self.cautions)),
        }
        found["outer"]["sentence"] = self.standing
        found["load_sentence"] = self.load_sentence
        found["load_verdict"] = self.load_verdict
        if not derivation:
            del found["derivation"]
        return found


def answer(
    curve: Curve,
    *,
    ram_pages: int,
    flash_pages: int,
    flash: Device,
    disk: Device,
    ram: Device | None = None,
    prices: PriceBook | None = None,
    amortisation_months: int = DEFAULT_AMORTISATION_MONTHS,
    flash_metadata: MetadataPreset | None = None,
    duration_s: float | None = None,
    trace: Trace | None = None,
    on_progress: OnProgress | None = None,
) -> Comparison:
    """Compare the schemes at one choice of sizes and devices.

    Parameters
    ----------
    curve : Curve
        Of the workload; where its dirty share is unknown, the answer holds both ends.
    ram_pages, flash_pages : int
        r and f. [pages]
    flash, disk : Device
        Of the two lower tiers.
    ram : Device, optional
        For its price; without it the price book's price of the kind `dram`.
    prices : PriceBook, optional
        For money.
    amortisation_months : int
        Months over which purchases are spread. [months]
    flash_metadata : MetadataPreset, optional
        Charged to the RAM of every scheme with flash.
    duration_s : float, optional
        How long the workload took, to see whether the devices can serve it. [s]
    trace : Trace, optional
        Decides by replay where the lead lies within the error of the model; of a scaled workload the
        recording, at the sizes that correspond.
    on_progress : callable, optional
        Of that replay.

    Raises
    ------
    BadInput
        As `evaluate`; if a trace is given and the curve is not of a trace.
    SimulatorError
        If the trace cannot be read, or progress asked to stop.
    """
    choices: dict[str, Any] = {
        "ram_pages": ram_pages,
        "flash_pages": flash_pages,
        "flash": flash,
        "disk": disk,
        "ram": ram,
        "prices": prices,
        "amortisation_months": amortisation_months,
        "flash_metadata": flash_metadata,
    }
    if trace is not None and curve.given is not None:
        raise BadInput(
            "the curve was given without a trace",
            "profile the trace and compare with that profile",
        )
    if curve.write_backs_at is None:
        return of_range(
            evaluate_range(curve, **choices),
            curve,
            flash=flash,
            disk=disk,
            duration_s=duration_s,
        )
    found = evaluate(curve, **choices)
    if trace is not None:
        found = decide(found, curve, trace, on_progress=on_progress)
    return of_evaluation(found, curve, flash=flash, disk=disk, duration_s=duration_s)


def of_evaluation(
    found: Evaluation,
    curve: Curve,
    *,
    flash: Device,
    disk: Device,
    duration_s: float | None = None,
) -> Comparison:
    """Put an evaluation into words, by the model or decided by a replay.

    Parameters
    ----------
    found : Evaluation
        Of `curve` on these devices.
    curve : Curve
        What was evaluated.
    flash, disk : Device
        Its devices.
    duration_s : float, optional
        How long the workload took. [s]
    """
    weigh = effects.weigher(found, curve, flash, disk)
    judged = effects.judged(found, curve, flash, disk, weigh=weigh)
    load = about_load(judged, curve, duration_s)
    made = replace(judged, warnings=(*load, *judged.warnings))
    outer = made.outer
    at_load = made.at_load(outer)

    def explain() -> Iterator[Step]:
        yield from explained(made)
        yield from outer.steps

    return Comparison(
        finding=_finding(made, one_point=_is_one_point(curve)),
        warnings=made.warnings,
        explain=explain,
        weigh=weigh,
        evaluation=made,
        outer=outer,
        standing=standing(made, outer, at_load),
        at_load=at_load,
        load_sentence="" if at_load is None else load_words.sentence(made, at_load),
        load_verdict="" if at_load is None else load_words.verdict(made, at_load),
    )


def of_range(
    found: DirtyRange,
    curve: Curve,
    *,
    flash: Device,
    disk: Device,
    duration_s: float | None = None,
) -> Comparison:
    """Put both ends of an unknown dirty share into words; parameters as of `of_evaluation`."""
    most = of_evaluation(
        found.most, curve, flash=flash, disk=disk, duration_s=duration_s
    )

    def explain() -> Iterator[Step]:
        yield ONE_END
        yield from most.derivation()

    weigh = effects.weigher(found.most, curve, flash, disk, best=found.best)
    effect = weigh(DIRTY_SHARE_UNKNOWN)
    unknown = replace(
        DIRTY_SHARE_UNKNOWN,
        could_change_choice=effect.could_change_choice,
        effect=effect.text,
    )
    return Comparison(
        finding=_range_finding(found, one_point=_is_one_point(curve)),
        warnings=(unknown, *map(_of_one_end, most.warnings)),
        explain=explain,
        weigh=weigh,
        evaluation=most.evaluation,
        outer=most.outer,
        standing=standing_of_range(found, most.outer),
        range=found,
        outer_least=found.least.outer,
        at_load=most.at_load,
        load_sentence=_of_most(most.load_sentence),
        load_verdict=_of_most(most.load_verdict),
    )


def explained(found: Evaluation) -> Iterator[Step]:
    """Give every formula behind an evaluation, with its numbers."""
    if found.ram_budget is not None:
        yield from steps(found.ram_budget.derivation)
    yield from _steps(found)


def _of_one_end(warning: Caution) -> Caution:
    """Say of which end a warning is that depends on costs."""
    if warning.name not in _OF_ONE_END:
        return warning
    return replace(
        warning, message=f"with the maximum share of dirty pages, {warning.message}"
    )


def _of_most(sentence: str) -> str:
    """Say of which end a sentence on devices is; nothing of none."""
    if not sentence:
        return ""
    return f"With the maximum share of dirty pages: {sentence[0].lower()}{sentence[1:]}"


class Shares(NamedTuple):
    """Where accesses are served, per access. [1]"""

    ram_hit_ratio: float
    flash_hit_ratio: float
    miss_ratio: float


def shares_of(found: SchemeResult | Any, accesses: int) -> Shares:
    """Return hits and misses of a scheme, or of its replay, per access."""
    return Shares(
        found.ram_hits / accesses,
        found.flash_hits / accesses,
        found.flash_misses / accesses,
    )


def price_basis(part: CostPart, amortisation_months: int) -> str | None:
    """Say how the money of a part comes about; None without a price."""
    if part.price is None:
        return None
    how = part.how(amortisation_months)
    return f"{how}; {part.source}, {part.date or 'undated'}"


def _is_one_point(curve: Curve) -> bool:
    return curve.evidence is not None and curve.evidence.kind == "one_point"


def _then(*, one_point: bool) -> str:
    if one_point:
        return "this is the size that was counted, and other sizes are unknown"
    return "choose a flash size to compare the schemes"


def _range_finding(found: DirtyRange, *, one_point: bool) -> str:
    def ends(scheme: str) -> str:
        low = found.least.schemes[scheme].io_time_us_per_access
        high = found.most.schemes[scheme].io_time_us_per_access
        return f"{three_digits(low)} to {three_digits(high)} µs"

    if found.most.inputs["flash_pages"] == 0:
        return (
            f"Without flash an access costs {ends('none')} of I/O, depending on how many "
            f"evicted pages are dirty; {_then(one_point=one_point)}."
        )
    if found.best is None:
        return (
            f"The best scheme depends on the share of evicted pages that are dirty, which is "
            f"unknown: {scheme_titles()[found.best_at_least]} if none is "
            f"({ends(found.best_at_least)} of I/O per access), "
            f"{scheme_titles()[found.best_at_most]} if as many as possible are "
            f"({ends(found.best_at_most)})."
        )
    return (
        f"{scheme_titles()[found.best]} is best by the formulas whether no evicted page is "
        f"dirty or as many as possible are: {ends(found.best)} of I/O per access."
    )


def _finding(found: Evaluation, *, one_point: bool) -> str:
    best = scheme_titles()[found.best]
    runner_up = scheme_titles()[found.runner_up]
    costs = decision.deciding_costs(found)
    best_us, other_us = costs[found.best], costs[found.runner_up]
    replayed = ", decided by replay" if found.decided_by == "replay" else ""
    if found.replayed_at is not None:
        replayed = f", decided by a replay {found.replayed_at.where}"
    if found.inputs["flash_pages"] == 0:
        return (
            f"Without flash an access costs {three_digits(best_us)} µs of I/O; "
            f"{_then(one_point=one_point)}."
        )
    if found.margin <= _TIE:
        return (
            f"{best} and {runner_up} are equal at {three_digits(best_us)} µs of I/O "
            f"per access{replayed}."
        )
    if decision.is_open(found):
        without = (
            ""
            if "none" in {found.best, found.runner_up}
            else f", {percent(found.gain_over_none)} less than without flash"
        )
        return (
            f"{best} and {runner_up} are too close to call: {three_digits(best_us)} and "
            f"{three_digits(other_us)} µs of I/O per access{without}."
        )
    if found.equal and found.writes_least is not None:
        return _equal_sentence(found, costs, replayed)
    if found.best == "none":
        return (
            "Flash does not reduce I/O time here: without flash an access costs "
            f"{three_digits(best_us)} µs of I/O, {percent(found.margin)} less than "
            f"with {runner_up} ({three_digits(other_us)} µs){replayed}."
        )
    beaten = (
        f"{best} costs {three_digits(best_us)} µs of I/O per access, "
        f"{percent(found.margin)} less than {runner_up} ({three_digits(other_us)} µs)"
    )
    if found.runner_up == "none":
        return f"{beaten}{replayed}."
    return f"{beaten} and {percent(found.gain_over_none)} less than without flash{replayed}."


def _equal_sentence(
    found: Evaluation, costs: Mapping[str, float], replayed: str
) -> str:
    """Say that a lead is too small to matter, and what speaks for which scheme."""
    names = listed([scheme_titles()[name] for name in found.equal])
    least, most = min(costs[n] for n in found.equal), max(costs[n] for n in found.equal)
    low, high = three_digits(least), three_digits(most)
    times = low if low == high else f"{low} to {high}"
    return (
        f"{names} are practically equal at {times} µs of I/O per access{replayed}; "
        f"{scheme_titles()[str(found.writes_least)]} writes least to flash."
    )


def _steps(found: Evaluation) -> Iterator[Step]:
    for each in found.derivation:
        scheme, note, source = each.scheme, each.note, each.io_time.source
        yield from each.steps()

        def say(
            name: str,
            formula: str,
            value: float | None,
            unit: str,
            scheme: str = scheme,
            source: str = source,
        ) -> Step:
            return Step(name, formula, value, unit, source, scheme)

        replayed = found.schemes[scheme].replayed
        if replayed is not None:
            yield say(
                "io_time_us_per_access, replayed",
                f"({replayed.flash_reads:,} F_R + {replayed.flash_writes:,} F_W + "
                f"{replayed.hdd_reads:,} D_R + {replayed.hdd_writes:,} D_W) / "
                f"{replayed.accesses:,}, counted by a replay",
                replayed.io_time_us_per_access,
                "µs/access",
                source="replay of the trace",
            )
        result, bare = found.schemes[scheme], scheme == "none" or bool(note)
        accesses = result.ram_hits + result.flash_hits + result.flash_misses
        for name, formula, value in (
            ("RAM hits", "1 - m_r / N", result.ram_hits / accesses),
            ("flash hits", "h_f / N", result.flash_hits / accesses),
            (
                "disk reads",
                "m_r / N" if bare else "m_f / N",
                result.flash_misses / accesses,
            ),
        ):
            if not bare or name != "flash hits":
                yield say(name, formula, value, "1")
        if not bare:
            yield say(
                "flash writes",
                BY_NAME[scheme].flash_writes_formula,
                result.flash_writes_per_access,
                "1/access",
            )
