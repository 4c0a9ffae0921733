"""The comparison of schemes: finds what is asked for, evaluates, puts it into words."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

from tierwright.advise.point import DIRTY_SHARE_UNKNOWN, ONE_END, scheme_titles
from tierwright.common.wording import listed, percent, three_digits
from tierwright.evaluate.page_flow import decision, dirty_range, effects, evaluation
from tierwright.evaluate.page_flow.load import about_load
from tierwright.evaluate.page_flow.results import Evaluation, SchemeResult
from tierwright_server.common.schemas import WarningOut
from tierwright_server.common.version import VERSION
from tierwright_server.hardware.flash_metadata import metadata_preset
from tierwright_server.http.steps import DerivationStep, derivation_step, row
from tierwright_server.questions.compare.schemas import (
    CostTerms,
    Decide,
    EstimatorOut,
    EvaluationOut,
    LeastOut,
    MarginOut,
    MoneyOut,
    MoneyPart,
    ReplayedOut,
    SchemeEvaluation,
)
from tierwright_server.questions.point import (
    Point,
    known_dirty_share,
    ram_budget_out,
    unknown_dirty_share,
)
from tierwright_server.questions.point_schemas import (
    DevicesUsed,
    EvaluationIn,
    PriceBookRef,
)

_TIE = 1e-9


def compute(body: EvaluationIn, point: Point) -> Evaluation:
    """Evaluate a point with the models' formulas."""
    return evaluation.evaluate(point.curve, **_choices(body, point))


def _choices(body: EvaluationIn, point: Point) -> dict[str, Any]:
    return {
        "ram_pages": body.ram_pages,
        "flash_pages": body.flash_pages,
        "flash": point.flash[0],
        "disk": point.disk[0],
        "ram": point.ram[0] if point.ram else None,
        "prices": point.prices[0] if point.prices else None,
        "amortisation_months": body.amortisation_months,
        "flash_metadata": metadata_preset(body.flash_metadata),
    }


def range_answer(body: EvaluationIn, point: Point) -> EvaluationOut:
    """Answer with both ends, where nobody knows how many evicted pages are dirty."""
    found = dirty_range.evaluate_range(point.curve, **_choices(body, point))
    made = answer(body, point, found.most)
    schemes = [
        scheme.model_copy(update={"least": _least(found.least.schemes[scheme.scheme])})
        for scheme in made.schemes
    ]
    return made.model_copy(
        update={
            "write_accesses": None,
            "schemes": schemes,
            "dirty_share": unknown_dirty_share(
                point.curve, found.best_at_least, found.best_at_most
            ),
            "best": found.best,
            "runner_up": None,
            "margin": None,
            "sentence": _range_sentence(body, found),
            "warnings": [
                WarningOut.model_validate(DIRTY_SHARE_UNKNOWN),
                *(_of_one_end(warning) for warning in made.warnings),
            ],
            "equal": [],
            "writes_least": None,
        }
    )


def _of_one_end(warning: WarningOut) -> WarningOut:
    """Say of which end a warning is that depends on costs."""
    if warning.name not in {
        "lead_within_model_error",
        "lazy_writes_by_formula",
        "load_beyond_devices",
    }:
        return warning
    return warning.model_copy(
        update={"message": f"with as many dirty pages as possible, {warning.message}"}
    )


def _least(result: SchemeResult) -> LeastOut:
    return LeastOut(
        flash_writes=result.flash_writes,
        disk_writes=result.hdd_writes,
        cost_terms_us_per_access=CostTerms.model_validate(
            result.cost_terms_us_per_access
        ),
        io_time_us_per_access=result.io_time_us_per_access,
        flash_writes_per_access=result.flash_writes_per_access,
    )


def _range_sentence(body: EvaluationIn, found: dirty_range.DirtyRange) -> str:
    def ends(scheme: str) -> str:
        low = found.least.schemes[scheme].io_time_us_per_access
        high = found.most.schemes[scheme].io_time_us_per_access
        return f"{three_digits(low)} to {three_digits(high)} µs"

    if body.flash_pages == 0:
        return (
            f"Without flash an access costs {ends('none')} of I/O, depending on how many "
            "evicted pages are dirty; choose a flash size to compare the schemes."
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


def answer(body: EvaluationIn, point: Point, found: Evaluation) -> EvaluationOut:
    curve = point.curve
    books = point.prices
    found = effects.judged(found, curve, point.flash[0], point.disk[0])
    load = about_load(found, curve.accesses, point.content.summary.get("duration_s"))
    found = replace(found, warnings=(*load, *found.warnings))
    return EvaluationOut(
        workload_id=point.workload.id,
        content_id=point.content.id,
        accesses=curve.accesses,
        write_accesses=curve.known_write_accesses,
        distinct_pages=curve.distinct_pages,
        page_bytes=curve.page_bytes,
        ram_pages=body.ram_pages,
        ram_bytes=body.ram_pages * curve.page_bytes,
        flash_pages=body.flash_pages,
        flash_bytes=body.flash_pages * curve.page_bytes,
        amortisation_months=body.amortisation_months,
        start=curve.start,
        new_pages=found.new_pages,
        growth_per_access=found.growth_per_access,
        devices=DevicesUsed(
            flash=point.flash[1],
            disk=point.disk[1],
            ram=point.ram[1] if point.ram else None,
        ),
        price_book=PriceBookRef.model_validate(books[1]) if books else None,
        ram_budget=ram_budget_out(body.flash_metadata, found.ram_budget),
        schemes=[
            _scheme(body, curve.accesses, result) for result in found.schemes.values()
        ],
        dirty_share=known_dirty_share(curve),
        best=found.best,
        runner_up=found.runner_up,
        margin=MarginOut(
            us_per_access=found.margin_us_per_access,
            relative=found.margin,
            relative_to_none=found.gain_over_none,
        ),
        decided_by=Decide(found.decided_by),
        equal=list(found.equal),
        writes_least=found.writes_least,
        check=None,
        sentence=_sentence(body, found),
        warnings=[WarningOut.model_validate(warning) for warning in found.warnings],
        validity=found.validity,
        time_basis=found.inputs["time_basis"],
        cost_basis=found.inputs["cost_basis"],
        core_version=VERSION,
    )


def derivation(found: Evaluation) -> list[DerivationStep]:
    """Every formula behind an evaluation, with its numbers."""
    budget = found.ram_budget.derivation if found.ram_budget else ()
    return [*map(derivation_step, budget), *_derivation(found)]


def range_derivation(body: EvaluationIn, point: Point) -> list[DerivationStep]:
    """Return the steps of the end with as many dirty pages as can be."""
    found = dirty_range.evaluate_range(point.curve, **_choices(body, point))
    return [row(ONE_END), *derivation(found.most)]


def _scheme(
    body: EvaluationIn, accesses: int, result: SchemeResult
) -> SchemeEvaluation:
    return SchemeEvaluation(
        scheme=result.scheme,
        title=scheme_titles()[result.scheme],
        ram_hits=result.ram_hits,
        flash_hits=result.flash_hits,
        flash_misses=result.flash_misses,
        effective_flash_pages=result.effective_flash_pages,
        ram_hit_ratio=result.ram_hits / accesses,
        flash_hit_ratio=result.flash_hits / accesses,
        miss_ratio=result.flash_misses / accesses,
        p_d=result.p_d,
        p_d_flash=result.p_d_flash,
        flash_reads=result.flash_reads,
        flash_writes=result.flash_writes,
        flash_writes_counted=result.flash_writes_counted,
        flash_writes_cold_start=result.flash_writes_cold_start,
        disk_reads=result.hdd_reads,
        disk_writes=result.hdd_writes,
        cost_terms_us_per_access=CostTerms.model_validate(
            result.cost_terms_us_per_access
        ),
        io_time_us_per_access=result.io_time_us_per_access,
        flash_writes_per_access=result.flash_writes_per_access,
        least=None,
        money=_money(body, result),
        estimator=EstimatorOut(
            name=result.estimator,
            exact=result.exact,
            description=result.exactness,
            flash_hits_error=result.flash_hits_error,
        ),
        replayed=_replayed(result),
        warnings=[WarningOut.model_validate(warning) for warning in result.warnings],
    )


def _replayed(result: SchemeResult) -> ReplayedOut | None:
    counted = result.replayed
    if counted is None:
        return None
    accesses = counted.accesses
    return ReplayedOut(
        accesses=accesses,
        ram_hits=counted.ram_hits,
        flash_hits=counted.flash_hits,
        flash_misses=counted.flash_misses,
        ram_hit_ratio=counted.ram_hits / accesses,
        flash_hit_ratio=counted.flash_hits / accesses,
        miss_ratio=counted.flash_misses / accesses,
        flash_reads=counted.flash_reads,
        flash_writes=counted.flash_writes,
        disk_reads=counted.hdd_reads,
        disk_writes=counted.hdd_writes,
        flash_writes_per_access=counted.flash_writes / accesses,
        cost_terms_us_per_access=CostTerms.model_validate(
            counted.cost_terms_us_per_access
        ),
        io_time_us_per_access=counted.io_time_us_per_access,
    )


def _money(body: EvaluationIn, result: SchemeResult) -> MoneyOut:
    devices: dict[Literal["ram", "flash", "disk"], str | None] = {
        "ram": body.ram_device_id,
        "flash": body.flash_device_id,
        "disk": body.disk_device_id,
    }
    parts = []
    for name, device_id in devices.items():
        part = result.cost_parts.get(name)
        if part is None:  # RAM over disk holds no flash
            continue
        basis = None
        if part.price is not None:
            how = part.how(body.amortisation_months)
            basis = f"{how}; {part.source}, {part.date or 'undated'}"
        parts.append(
            MoneyPart(
                part=name,
                device_id=device_id,
                bytes=part.held_bytes,
                usd_per_month=part.usd_per_month,
                basis=basis,
                reason=part.reason or None,
            )
        )
    return MoneyOut(
        usd_per_month=result.cost_usd_per_month,
        parts=parts,
        reason=result.cost_reason or None,
    )


def _sentence(body: EvaluationIn, found: Evaluation) -> str:
    best = scheme_titles()[found.best]
    runner_up = scheme_titles()[found.runner_up]
    costs = decision.deciding_costs(found)
    best_us, other_us = costs[found.best], costs[found.runner_up]
    replayed = ", decided by replay" if found.decided_by == "replay" else ""
    if body.flash_pages == 0:
        return (
            f"Without flash an access costs {three_digits(best_us)} µs of I/O; "
            "choose a flash size to compare the schemes."
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
    beaten = (
        f"{best} costs {three_digits(best_us)} µs of I/O per access, "
        f"{percent(found.margin)} less than {runner_up} ({three_digits(other_us)} µs)"
    )
    if found.best == "none":
        return f"Flash does not pay in I/O time here: {beaten}{replayed}."
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
        f"{names} are equal for the purpose at {times} µs of I/O per "
        f"access{replayed}; {scheme_titles()[str(found.writes_least)]} writes least to flash."
    )


def _derivation(found: Evaluation) -> Iterator[DerivationStep]:
    for entry in found.derivation:
        scheme, source = entry["scheme"], entry["source"]

        def step(
            name: str,
            formula: str,
            value: float | None,
            unit: str,
            scheme: str = scheme,
            source: str = source,
        ) -> DerivationStep:
            return DerivationStep(
                scheme=scheme,
                name=name,
                formula=formula,
                value=value,
                unit=unit,
                source=source,
            )

        note = f" ({entry['note']})" if entry["note"] else ""
        for number in entry["numbers"]:
            yield step(
                number["symbol"], number["meaning"], number["value"], number["unit"]
            )
        yield step("hits", entry["hits_formula"], entry["hits"], "accesses")
        for term in entry["terms"]:
            yield step(
                term["name"], term["formula"], term["value_us_per_access"], "µs/access"
            )
        yield step(
            "io_time_us_per_access",
            f"{entry['formula']}{note}; C / N",
            entry["value_us_per_access"],
            "µs/access",
        )
        replayed = found.schemes[scheme].replayed
        if replayed is not None:
            yield step(
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
                yield step(name, formula, value, "1")
        if not bare:
            yield step(
                "flash writes",
                _FLASH_WRITES.get(scheme, _FLASH_WRITES["inclusive"]),
                result.flash_writes_per_access,
                "1/access",
            )


_FLASH_WRITES = {
    "inclusive": "(m_f + m_r p_d) / N",
    "exclusive": "m_r / N",
    "lazy": "(m_f + h_f p_d) / N",
}
"""What a scheme writes to flash, by the terms of its I/O time."""
