"""The check of an advice: its finalists are replayed by a job, and the replays decide among them."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise.advice.request import CategoriesAt, SchemeAt
from tierwright.advise.checks.points import Replay
from tierwright.common.wording import counted
from tierwright.profile.categories import CategoryCounts
from tierwright_server.common.errors import BadInput, NotReady
from tierwright_server.common.result_ids import result_id
from tierwright_server.http.context import Context
from tierwright_server.jobs.runs.states import RunKind, RunStatus
from tierwright_server.questions.advice import service
from tierwright_server.questions.advice.schemas import (
    AdviceCheckOut,
    AdviceIn,
    AdviceOut,
)
from tierwright_server.questions.advice.service import Question, Replayed
from tierwright_server.questions.replay_checks.check import configuration
from tierwright_server.replays import kept, results
from tierwright_server.replays.analyses import service as analyses
from tierwright_server.replays.analyses.category_counts import counts_of
from tierwright_server.replays.results import Asked
from tierwright_server.storage.tables import Result
from tierwright_server.traces.workloads import recordings
from tierwright_server.traces.workloads.recordings import Recording

Configurations = dict[SchemeAt, dict[str, Any]]


async def check(
    session: AsyncSession,
    context: Context,
    workload_id: str,
    body: AdviceIn,
) -> AdviceOut | AdviceCheckOut:
    """Advise by the replays of the finalists, or leave these to a job where they are not all there.

    Raises
    ------
    NeedsTrace
        If the workload has nothing to replay.
    BadInput
        If a replay is impossible.
    """
    question = await service.find(session, context, workload_id, body)
    replayed = await _made_or_queued(session, context, question)
    if isinstance(replayed, AdviceCheckOut):
        return replayed
    return await service.shown(session, context, question, body, replayed)


async def made(
    session: AsyncSession, context: Context, question: Question
) -> Replayed | None:
    """Return the replays that the check of an advice rests on; None where they have not all been made.

    Raises
    ------
    NeedsTrace
        If the workload has nothing to replay.
    """
    found = await _made_or_queued(session, context, question, may_queue=False)
    return None if isinstance(found, AdviceCheckOut) else found


async def queued(
    session: AsyncSession, context: Context, question: Question
) -> AdviceCheckOut | None:
    """Leave the replays that are missing to a job; None where all of them have been made.

    Raises
    ------
    NeedsTrace
        If the workload has nothing to replay.
    BadInput
        If a replay is impossible.
    """
    found = await _made_or_queued(session, context, question)
    return found if isinstance(found, AdviceCheckOut) else None


async def _made_or_queued(
    session: AsyncSession,
    context: Context,
    question: Question,
    *,
    may_queue: bool = True,
) -> Replayed | AdviceCheckOut | None:
    """Return the replays, or the job that makes what is missing; None where it may not be queued."""
    recording = await recordings.find(
        context, question.workload, question.content, question.curve
    )
    known: dict[SchemeAt, Mapping[str, Any]] = {}
    counts: dict[CategoriesAt, CategoryCounts] = {}
    while True:
        # Replays may leave options that could be better: these are the next to be replayed.
        asked = await asyncio.to_thread(_next_needed, question, known, counts)
        if asked is None:
            return Replayed(partial(_in_order, known), partial(_each, counts))
        if isinstance(asked, CategoriesAt):
            row = await _counts(
                session, context, question, recording, asked, may_queue=may_queue
            )
            if row is None:
                return None
            if analyses.status_of(row) is not RunStatus.SUCCEEDED:
                return AdviceCheckOut(**analyses.base_of(row), replays=0)
            counts[asked] = counts_of(await analyses.load(context, row))
            continue
        wanted = {each: configuration(_replay(each)) for each in asked}
        keys = [each["key"] for each in wanted.values()]
        found = await kept.results(session, recording.content.id, keys)
        if not found.keys() >= set(keys):
            if not may_queue:
                return None
            return await _job(session, question, recording, wanted)
        known.update(
            (each, _counted(each, found[one["key"]])) for each, one in wanted.items()
        )


def _in_order(
    known: Mapping[SchemeAt, Mapping[str, Any]], points: Sequence[SchemeAt]
) -> list[Mapping[str, Any]]:
    return [known[each] for each in points]


def _each(
    counts: Mapping[CategoriesAt, CategoryCounts], wanted: Sequence[CategoriesAt]
) -> dict[CategoriesAt, CategoryCounts]:
    return {each: counts[each] for each in wanted}


async def find(session: AsyncSession, advice_check_id: str) -> AdviceCheckOut:
    """Read the state of the replays.

    Raises
    ------
    NotFound
        There are none of this id.
    """
    counts = await results.row(session, RunKind.CATEGORY_COUNTS, advice_check_id)
    if counts is not None:
        return AdviceCheckOut(**analyses.base_of(counts), replays=0)
    return _out(await results.find(session, RunKind.ADVICE_CHECK, advice_check_id))


class _NeededError(Exception):
    """Replays are missing, or counts of categories below a RAM: nothing else of the answer is needed."""

    def __init__(self, what: Sequence[SchemeAt] | CategoriesAt) -> None:
        super().__init__()
        self.what = what


def _next_needed(
    question: Question,
    known: Mapping[SchemeAt, Mapping[str, Any]],
    counts: Mapping[CategoriesAt, CategoryCounts],
) -> Sequence[SchemeAt] | CategoriesAt | None:
    """Return what has to be replayed next, or the categories to count and the RAM below which; None where nothing is left."""

    def known_ones(points: Sequence[SchemeAt]) -> list[Mapping[str, Any]]:
        missing = [each for each in points if each not in known]
        if missing:
            raise _NeededError(missing)
        return _in_order(known, points)

    def known_counts(
        wanted: Sequence[CategoriesAt],
    ) -> dict[CategoriesAt, CategoryCounts]:
        for each in wanted:
            if each not in counts:
                raise _NeededError(each)
        return _each(counts, wanted)

    try:
        question.answer(Replayed(known_ones, known_counts), False, None)
    except _NeededError as needed:
        return needed.what
    return None


async def _counts(
    session: AsyncSession,
    context: Context,
    question: Question,
    recording: Recording,
    wanted: CategoriesAt,
    *,
    may_queue: bool,
) -> results.Row | None:
    """Find the counts of categories below a RAM of the recording, or queue them; None where they are missing and may not be queued."""
    parameters = {"kind": wanted.kind, "ram_pages": wanted.ram_pages}
    if may_queue:
        return await analyses.create(
            session,
            context,
            RunKind.CATEGORY_COUNTS,
            (recording.workload, recording.content),
            parameters,
            f"Categories of {question.workload.name}",
        )
    try:
        row = await analyses.find_of(
            session, RunKind.CATEGORY_COUNTS, recording.content, parameters
        )
    except NotReady:
        return None
    return row if analyses.status_of(row) is RunStatus.SUCCEEDED else None


def _replay(each: SchemeAt) -> Replay:
    name, point = each
    return Replay(
        point.family,
        name,
        point.ram_pages,
        point.flash_pages,
        point.warm_up,
        dict(point.options),
    )


def _counted(each: SchemeAt, row: Mapping[str, Any]) -> Mapping[str, Any]:
    # A flash cache that cannot run on this recording is no candidate.
    if "error" in row and each[1].family == "scheme":
        raise BadInput(f"{each[0]}: {row['error']}", hint=row["hint"])
    return row


async def _job(
    session: AsyncSession,
    question: Question,
    recording: Recording,
    wanted: Configurations,
) -> AdviceCheckOut:
    """Find the job that makes the replays, or queue it."""
    plan = list({each["key"]: each for each in wanted.values()}.values())
    keys = sorted(each["key"] for each in plan)
    content = recording.content

    async def is_done(_: Result | None) -> bool:
        return set(keys) <= await kept.done(session, content.id, keys)

    asked = Asked(
        RunKind.ADVICE_CHECK,
        # Neither prices nor limits are in it: the same finalists are replayed once.
        result_id({"advice_check_of": content.id, "replays": keys}),
        question.workload,
        content,
        {"workload_id": question.workload.id},
        plan,
        f"Check the advice for {question.workload.name}, {counted(len(plan), 'replay')}",
    )
    return _out(await results.obtain(session, asked, is_done))


def _out(row: results.Row) -> AdviceCheckOut:
    return AdviceCheckOut(**analyses.base_of(row), replays=len(row[0].plan))
