"""The comparison of schemes: finds what is asked for, evaluates, puts it into words."""

from typing import Any, Literal

from tierwright.advise import compare
from tierwright.advise.compare import Comparison
from tierwright.advise.point import scheme_titles
from tierwright.evaluate.page_flow import dirty_range, evaluation, results
from tierwright.evaluate.page_flow.dirty_range import DirtyRange
from tierwright.evaluate.page_flow.results import Evaluation, SchemeResult
from tierwright_server.common.schemas import CautionOut, WarningOut
from tierwright_server.common.version import VERSION
from tierwright_server.hardware.flash_metadata import metadata_preset
from tierwright_server.http.steps import DerivationStep, rows_of
from tierwright_server.questions.compare.schemas import (
    AtLoadOut,
    CostTerms,
    Decide,
    DevicesNeededOut,
    EstimatorOut,
    EvaluationOut,
    LeastOut,
    MarginOut,
    MoneyOut,
    MoneyPart,
    OuterBar,
    OuterOut,
    ReplayedOut,
    ReplaySizesOut,
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


def compute_range(body: EvaluationIn, point: Point) -> DirtyRange:
    """Evaluate both ends of an unknown dirty share."""
    return dirty_range.evaluate_range(point.curve, **_choices(body, point))


def answer(
    body: EvaluationIn, point: Point, found: Evaluation | DirtyRange
) -> EvaluationOut:
    """Show an evaluation, or both ends where the dirty share is unknown."""
    said = in_words(point, found)
    both, made = said.range, said.evaluation
    curve, books = point.curve, point.prices
    return EvaluationOut.showing(
        made,
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
        devices=DevicesUsed(
            flash=point.flash[1],
            disk=point.disk[1],
            ram=point.ram[1] if point.ram else None,
        ),
        price_book=PriceBookRef.model_validate(books[1]) if books else None,
        ram_budget=ram_budget_out(body.flash_metadata, made.ram_budget),
        schemes=[
            _scheme(
                body,
                curve.accesses,
                result,
                None if both is None else both.least.schemes[name],
            )
            for name, result in made.schemes.items()
        ],
        outer=_outer(body, said),
        at_load=_at_load(body, said),
        dirty_share=known_dirty_share(curve)
        if both is None
        else unknown_dirty_share(curve, both.best_at_least, both.best_at_most),
        best=said.best,
        runner_up=made.runner_up if both is None else None,
        margin=MarginOut(
            us_per_access=made.margin_us_per_access,
            relative=made.margin,
            relative_to_none=made.gain_over_none,
        )
        if both is None
        else None,
        decided_by=Decide(made.decided_by),
        replayed_at=None
        if made.replayed_at is None
        else ReplaySizesOut.model_validate(made.replayed_at),
        equal=list(made.equal) if both is None else [],
        writes_least=made.writes_least if both is None else None,
        check=None,
        sentence=said.finding,
        warnings=[WarningOut.model_validate(warning) for warning in said.warnings],
        cautions=[CautionOut.model_validate(each) for each in said.cautions],
        time_basis=made.inputs["time_basis"],
        cost_basis=made.inputs["cost_basis"],
        core_version=VERSION,
    )


def in_words(point: Point, found: Evaluation | DirtyRange) -> Comparison:
    """Let the models put an evaluation into words."""
    about: dict[str, Any] = {
        "flash": point.flash[0],
        "disk": point.disk[0],
        "duration_s": point.content.summary.get("duration_s"),
    }
    if isinstance(found, DirtyRange):
        return compare.of_range(found, point.curve, **about)
    return compare.of_evaluation(found, point.curve, **about)


def derivation(point: Point, found: Evaluation | DirtyRange) -> list[DerivationStep]:
    """Every formula behind an evaluation, with its numbers."""
    return rows_of(in_words(point, found))


def _least(result: SchemeResult | results.OuterBar) -> LeastOut:
    return LeastOut(
        flash_writes=result.flash_writes,
        disk_writes=result.hdd_writes,
        cost_terms_us_per_access=CostTerms.model_validate(
            result.cost_terms_us_per_access
        ),
        io_time_us_per_access=result.io_time_us_per_access,
        flash_writes_per_access=result.flash_writes_per_access,
    )


def _scheme(
    body: EvaluationIn,
    accesses: int,
    result: SchemeResult,
    least: SchemeResult | None,
) -> SchemeEvaluation:
    return SchemeEvaluation.showing(
        result,
        **compare.shares_of(result, accesses)._asdict(),
        title=scheme_titles()[result.scheme],
        disk_reads=result.hdd_reads,
        disk_writes=result.hdd_writes,
        cost_terms_us_per_access=CostTerms.model_validate(
            result.cost_terms_us_per_access
        ),
        least=None if least is None else _least(least),
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
    return ReplayedOut.showing(
        counted,
        **compare.shares_of(counted, accesses)._asdict(),
        disk_reads=counted.hdd_reads,
        disk_writes=counted.hdd_writes,
        flash_writes_per_access=counted.flash_writes / accesses,
        cost_terms_us_per_access=CostTerms.model_validate(
            counted.cost_terms_us_per_access
        ),
    )


def _outer(body: EvaluationIn, said: Comparison) -> OuterOut:
    least = {} if said.outer_least is None else said.outer_least.bars
    return OuterOut(
        bars=[
            OuterBar.showing(
                bar,
                disk_reads=bar.hdd_reads,
                disk_writes=bar.hdd_writes,
                cost_terms_us_per_access=CostTerms.model_validate(
                    bar.cost_terms_us_per_access
                ),
                least=_least(least[name]) if name in least else None,
                money=_money(body, bar),
            )
            for name, bar in said.outer.bars.items()
        ],
        reason=said.outer.reason,
        sentence=said.standing,
    )


def _at_load(body: EvaluationIn, said: Comparison) -> AtLoadOut | None:
    load = said.at_load
    if load is None:
        return None
    return AtLoadOut.showing(
        load,
        configurations=[
            DevicesNeededOut.showing(needed, name=name, money=_money(body, needed))
            for name, needed in (load.schemes | load.outer).items()
        ],
        sentence=said.load_sentence,
        verdict=said.load_verdict,
    )


def _money(
    body: EvaluationIn,
    result: SchemeResult | results.OuterBar | results.DevicesNeeded,
) -> MoneyOut:
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
        parts.append(
            MoneyPart(
                part=name,
                device_id=device_id,
                bytes=part.held_bytes,
                usd_per_month=part.usd_per_month,
                basis=compare.price_basis(part, body.amortisation_months),
                reason=part.reason or None,
            )
        )
    return MoneyOut(
        usd_per_month=result.cost_usd_per_month,
        parts=parts,
        reason=result.cost_reason or None,
    )
