"""Close calls: the replays that decide them are found, made here, or left to a job."""

from dataclasses import dataclass

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.evaluate.page_flow import decision
from tierwright.evaluate.page_flow.results import Evaluation
from tierwright_server.common.version import VERSION
from tierwright_server.http.context import Context
from tierwright_server.questions import point as questions_point
from tierwright_server.questions.compare import service
from tierwright_server.questions.compare.check import service as simulations
from tierwright_server.questions.compare.check.schemas import (
    SimulationIn,
    SimulationOut,
)
from tierwright_server.questions.compare.schemas import (
    CheckOut,
    Decide,
    DecisionIn,
    DerivationOut,
    EvaluationOut,
)
from tierwright_server.questions.point import Point
from tierwright_server.questions.point_schemas import class_of
from tierwright_server.replays import kept, points
from tierwright_server.storage import contents
from tierwright_server.traces.workloads import recordings


@dataclass(frozen=True, slots=True)
class Found:
    """An evaluation, and the replay that could decide it if none has."""

    evaluation: Evaluation
    check: CheckOut | None = None


async def evaluate(
    request: Request, session: AsyncSession, context: Context, body: DecisionIn
) -> EvaluationOut | SimulationOut:
    """Evaluate a point, by the model or, where that cannot tell, by a replay.

    Returns
    -------
    EvaluationOut or SimulationOut
        The latter is the job that makes the replays, where they take too long to wait for.
    """
    point = await questions_point.find_point(session, context, body)
    point = questions_point.with_new_pages(body, point)
    if questions_point.dirty_ends(body, point) is not None:
        return service.answer(body, point, service.compute_range(body, point))
    found = await _find(request, session, context, body, point)
    if isinstance(found, SimulationOut):
        return found
    answer = service.answer(body, point, found.evaluation)
    return answer.model_copy(update={"check": found.check})


async def derive(
    request: Request, session: AsyncSession, context: Context, body: DecisionIn
) -> DerivationOut | SimulationOut:
    """Say how the figures of `evaluate` came about; returns the job as that does."""
    point = await questions_point.find_point(session, context, body)
    point = questions_point.with_new_pages(body, point)
    if questions_point.dirty_ends(body, point) is not None:
        ends = service.compute_range(body, point)
        return DerivationOut(
            derivation=service.derivation(point, ends), evidence=class_of(point.curve)
        )
    found = await _find(request, session, context, body, point)
    if isinstance(found, SimulationOut):
        return found
    return DerivationOut(
        derivation=service.derivation(point, found.evaluation),
        evidence=class_of(point.curve),
    )


async def _find(
    request: Request,
    session: AsyncSession,
    context: Context,
    body: DecisionIn,
    point: Point,
) -> Found | SimulationOut:
    found = service.compute(body, point)
    if not found.contenders:
        return Found(found)
    of = (context, point.workload, point.content, point.curve)
    if body.decide is Decide.MODEL:
        recording = await recordings.find_any(*of)
        if recording is None:
            return Found(found)
    else:
        recording = await recordings.find(*of)
    sizes = decision.replay_sizes(found, recording.scaled)
    if sizes is not None and sizes.refuses:
        return Found(decision.not_replayed(found, sizes))
    content = recording.content
    asked = decision.replay_points(found, recording.scaled)
    keys = {name: points.key_of(name, at, VERSION) for name, at in asked.items()}
    if body.decide is Decide.MODEL:
        done = await kept.done_now(context.reads, content.id, list(keys.values()))
        left = sum(key not in done for key in keys.values())
        takes_s = points.expected_s(recording.accesses, left)
        return Found(found, _check(body, point, found, takes_s))
    known = await kept.results(session, content.id, list(keys.values()))
    wanted = [name for name, key in keys.items() if key not in known]
    takes_s = points.expected_s(recording.accesses, len(wanted))
    if wanted:
        if takes_s > context.settings.replay_inline_s:
            return await simulations.create_simulation(session, context, _asked(body))
        # Nobody else needs to wait for the connection meanwhile.
        await session.commit()
        trace = await contents.existing_trace(context.settings, content.id)
        made = await points.make(request, trace, {name: asked[name] for name in wanted})
        fresh = {keys[name]: row for name, row in made.items()}
        await kept.keep(session, content.id, fresh)
        known = known | fresh
    counters = {name: known[key] for name, key in keys.items()}
    return Found(decision.decided(found, counters, point.curve))


def href_of(simulation_id: str) -> str:
    """Where a check is."""
    return f"/api/v1/simulations/{simulation_id}"


def _asked(body: DecisionIn) -> SimulationIn:
    # A replay cannot know which pages are new: its model does not either.
    return SimulationIn.model_validate(body.model_dump(exclude={"decide", "new_pages"}))


def _check(
    body: DecisionIn, point: Point, found: Evaluation, expected_s: float
) -> CheckOut:
    simulation_id = simulations.id_of(point, _asked(body), found)
    return CheckOut(
        simulation_id=simulation_id,
        href=href_of(simulation_id),
        contenders=list(found.contenders),
        expected_s=expected_s,
    )
