"""A ranking of quotes: finds workload and devices, asks the models or queues a run, and keeps the answer."""

import asyncio
import json
from dataclasses import dataclass
from datetime import timedelta

import structlog
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from tierwright.advise import quote_ranking as models
from tierwright.advise.advice.request import Splits
from tierwright.common.units import format_bytes
from tierwright.common.wording import counted
from tierwright.hardware.device import Device
from tierwright.hardware.imports.offers import Batch
from tierwright_server.common.errors import BadInput, NotFound, NotReady
from tierwright_server.common.result_ids import result_id
from tierwright_server.common.settings import Settings
from tierwright_server.common.version import VERSION
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.http.context import Context
from tierwright_server.jobs.runs.schemas import RunOut
from tierwright_server.jobs.runs.states import RunKind
from tierwright_server.questions.advice.service import Question, Replayed
from tierwright_server.questions.point import find_curve
from tierwright_server.questions.quote_rankings import repository
from tierwright_server.questions.quote_rankings.asked import (
    Found,
    answered,
    asked_of_models,
    batch_of,
    found_of,
)
from tierwright_server.questions.quote_rankings.schemas import (
    MOST_AT_ONCE,
    QuoteRankingIn,
    QuoteRankingRunOut,
)
from tierwright_server.replays import results
from tierwright_server.replays.results import Asked, Row
from tierwright_server.storage.tables import Content, Result, Run, Workload, now
from tierwright_server.traces.workloads import service as workloads

log = structlog.get_logger(__name__)

Kept = tuple[str, bytes]
"""Id and bytes of a ranking."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Quotes of a request as the models compare them.

    Attributes
    ----------
    comparison : Comparison
    question : Question
        The advice whose candidates they are.
    """

    comparison: models.Comparison
    question: Question

    def answer(
        self, replayed: Replayed | None, *, how_sure: bool
    ) -> models.QuotedAdvice:
        """Advise which quote to take; by replays where there are any."""
        return self.comparison.advice(
            how_sure=how_sure,
            replays=None if replayed is None else replayed.replays,
            assigned=None if replayed is None else replayed.assigned,
        )


@dataclass(frozen=True, slots=True)
class _Named:
    """What a request names, and the rows that it was found in."""

    found: Found
    workload: Workload
    content: Content
    devices: dict[str, Device]


async def _find(
    session: AsyncSession, context: Context, body: QuoteRankingIn
) -> _Named:
    curve = await find_curve(
        session, context, body.workload_id, body, may_lack_writes=True
    )
    workload, content = await workloads.find_ready(session, body.workload_id)
    devices = await _devices(session, context, body)
    found = found_of(body, curve, content.summary.get("duration_s"), devices)
    return _Named(found, workload, content, devices)


async def compared(
    session: AsyncSession, context: Context, body: QuoteRankingIn
) -> Compared:
    """Find workload and devices, and read the quotes, for what is answered while the client waits.

    Raises
    ------
    NotFound, NotReady
        The workload or a device is missing or not ready.
    BadInput
        An input is out of range, or there are too many quotes; of a quote only its own place in the answer says so.
    """
    named = await _find(session, context, body)

    def made() -> models.Comparison:
        batch = batch_of(body)
        if len(batch) > MOST_AT_ONCE:
            raise BadInput.at(
                "body.files" if body.files else "body.quotes",
                len(batch),
                f"a paper for approval compares at most {MOST_AT_ONCE} quotes",
                hint="Rank all of them first, and send those that are close.",
            )
        return models.Comparison(**asked_of_models(body, batch, named.found))

    comparison = await asyncio.to_thread(made)

    def answer(
        replayed: Replayed | None, how_sure: bool, splits: Splits | None = None
    ) -> models.QuotedAdvice:
        assert splits is None
        return compared_.answer(replayed, how_sure=how_sure)

    compared_ = Compared(
        comparison, Question(named.workload, named.content, named.found.curve, answer)
    )
    return compared_


async def rank(
    session: AsyncSession, context: Context, body: QuoteRankingIn
) -> Kept | QuoteRankingRunOut:
    """Rank quotes and keep the answer; more than are ranked while a client waits are ranked by a run.

    An answer that is kept has the bytes of the first time where it was asked before.

    Raises
    ------
    NotFound, NotReady
        The workload or a device is missing or not ready.
    BadInput
        An input is out of range; of a quote only its own place in the answer says so.
    """
    named = await _find(session, context, body)

    def made() -> Kept | int:
        batch = batch_of(body)
        if len(batch) > MOST_AT_ONCE:
            # What is wrong with the request as a whole is wrong with one quote of it too: it fails before a run starts.
            models.Comparison(**asked_of_models(body, _one_of(batch), named.found))
            return len(batch)
        return answered(asked_of_models(body, batch, named.found))

    kept = await asyncio.to_thread(made)
    if isinstance(kept, int):
        pinned = body.model_copy(update={"day": body.day or models.today()})
        return await _queued(session, pinned, kept, named)
    ranking_id, answer = kept
    return ranking_id, await repository.keep(session, ranking_id, answer)


def _one_of(batch: Batch) -> Batch:
    if batch.offers:
        return Batch(batch.offers[:1])
    return Batch((), batch.unreadable[:1])


async def _devices(
    session: AsyncSession, context: Context, body: QuoteRankingIn
) -> dict[str, Device]:
    """Find the devices that a request names, by their ids."""
    named = [
        (body.flash_device_id, "flash_device_id"),
        (body.disk_device_id, "disk_device_id"),
    ]
    if body.have is not None:
        named += [
            (body.have.disk_device_id, "have.disk_device_id"),
            (body.have.flash_device_id, "have.flash_device_id"),
        ]
    found: dict[str, Device] = {}
    for device_id, where in named:
        if device_id is not None:
            device, _ = await catalog.find_device(session, context, device_id, where)
            found[device_id] = device
    return found


async def _queued(
    session: AsyncSession, body: QuoteRankingIn, quotes: int, named: _Named
) -> Kept | QuoteRankingRunOut:
    """Find the ranking of these inputs, or queue it; one that failed or was cancelled is tried again.

    The devices are kept as they are now, and the request as a text: what a quote holds may be no JSON of the database.
    """
    workload, content = named.workload, named.content
    documents = {
        name: catalog.device_document(each) for name, each in named.devices.items()
    }
    text = json.dumps(body.model_dump(mode="json"), sort_keys=True)
    inputs = {"body": text, "devices": documents, "quotes": quotes}

    async def is_done(found: Result | None) -> bool:
        return found is not None and await _answer_of(session, found) is not None

    row = await results.obtain(
        session,
        Asked(
            RunKind.QUOTE_RANKING,
            result_id([RunKind.QUOTE_RANKING.value, content.id, inputs, VERSION]),
            workload,
            content,
            inputs,
            None,
            f"Rank {counted(quotes, 'quote')} for {workload.name}",
        ),
        is_done,
    )
    kept = await _answer_of(session, row[0])
    if kept is None and not row[0].inputs:  # the ranking was the oldest of too many
        row[0].inputs = inputs
        await session.flush()
    return kept or _run_out(row)


async def _answer_of(session: AsyncSession, result: Result) -> Kept | None:
    """Return the ranking that a run has made; None where it has not yet, or it is not kept any more."""
    if not result.complete or not result.result:
        return None
    ranking_id = str(result.result["ranking_id"])
    answer = await repository.get(session, ranking_id)
    return None if answer is None else (ranking_id, answer)


def _run_out(row: Row) -> QuoteRankingRunOut:
    result, run = row
    return QuoteRankingRunOut(
        ranking_id=result.id,
        quotes=result.inputs.get("quotes", 0),
        run=None if run is None else RunOut.model_validate(run),
    )


def _not_made(ranking_id: str, run: Run | None) -> NotReady:
    ended = "was deleted" if run is None else f"ended as {run.status}"
    reason = f": {run.error}" if run is not None and run.error else ""
    return NotReady(
        f"the run of the ranking `{ranking_id}` {ended}{reason}",
        hint="Send the quotes again: POST /api/v1/quote-rankings.",
    )


async def find(session: AsyncSession, ranking_id: str) -> bytes | QuoteRankingRunOut:
    """Find the answer of a ranking by its id, or by the one that its run was requested with; or how that run stands.

    Raises
    ------
    NotFound
        If there is none, or it was the oldest of too many.
    NotReady
        If its run failed or was cancelled.
    """
    found = await repository.get(session, ranking_id)
    if found is not None:
        return found
    row = await results.row(session, RunKind.QUOTE_RANKING, ranking_id)
    if row is not None:
        kept = await _answer_of(session, row[0])
        if kept is not None:
            return kept[1]
        if results.is_open(row[1]):
            return _run_out(row)
        if not row[0].complete:
            raise _not_made(ranking_id, row[1])
    raise NotFound(
        f"there is no ranking `{ranking_id}`",
        hint=f"Send the quotes again: POST /api/v1/quote-rankings. The last {repository.MOST_KEPT:,} rankings are "
        f"kept, of {format_bytes(repository.MOST_KEPT_BYTES)} in all, for as long as results of analyses.",
    )


async def expire(
    settings: Settings, sessions: async_sessionmaker[AsyncSession]
) -> None:
    """Delete the rankings that were made longer ago than results of analyses are kept."""
    async with sessions() as session:
        oldest = now() - timedelta(seconds=settings.analysis_expires_s)
        count = await repository.expire(session, oldest)
        await session.commit()
    if count:
        log.info("rankings expired", count=count)
