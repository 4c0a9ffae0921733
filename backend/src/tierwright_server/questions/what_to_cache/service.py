"""What to cache: finds what is asked for, lets a job count the trace, asks the models."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import cachesack
from tierwright.advise.cachesack import WhatToCache
from tierwright.advise.checks.points import Replay
from tierwright.advise.in_production import (
    NOT_COUNTED,
    check_large_enough,
    corresponding,
)
from tierwright.common.wording import counted
from tierwright_server.common.errors import NotComputed, NotReady
from tierwright_server.common.schemas import WarningOut
from tierwright_server.common.version import VERSION
from tierwright_server.http.context import Context
from tierwright_server.http.steps import rows_of
from tierwright_server.jobs.runs.states import RunKind, RunStatus
from tierwright_server.questions.point import Point, find_point, of_body
from tierwright_server.questions.point_schemas import DevicesUsed, PriceBookRef
from tierwright_server.questions.what_to_cache.schemas import (
    CategoryCountsOut,
    WhatToCacheIn,
    WhatToCacheOut,
)
from tierwright_server.replays import results
from tierwright_server.replays.analyses import service as analyses
from tierwright_server.replays.analyses.category_counts import counts_of
from tierwright_server.replays.results import Row
from tierwright_server.traces.workloads import recordings
from tierwright_server.traces.workloads.recordings import Recording


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer with what it was asked of."""

    point: Point
    recording: Recording
    found: WhatToCache
    recorded_per_s: float | None
    """Mean rate of the recording; None where it has no times. [1/s]"""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked for: where, at which sizes of the recording [pages], and of which counts."""

    point: Point
    recording: Recording
    ram_pages: int
    flash_pages: int
    counts: dict[str, Any]


async def what_to_cache(
    session: AsyncSession,
    context: Context,
    body: WhatToCacheIn,
    *,
    derived: bool = False,
) -> WhatToCacheOut | CategoryCountsOut:
    """Return the answer, or the job that counts what it needs."""
    answered = await ask(session, context, body)
    if isinstance(answered, CategoryCountsOut):
        return answered
    return await _shown(answered, derived=derived)


async def stored(
    session: AsyncSession, context: Context, body: WhatToCacheIn
) -> WhatToCacheOut:
    """Answer from counts that the present models have made; nothing is queued.

    Raises
    ------
    NotComputed
        They have yet to be made.
    """
    asked = await _asked(session, context, body)
    try:
        row = await analyses.find_of(
            session, RunKind.CATEGORY_COUNTS, asked.recording.content, asked.counts
        )
        arrays = await analyses.load(context, row)
    except NotReady as error:
        raise NotComputed(
            f"the current models have not counted the categories of {asked.recording.workload.name} below "
            f"{counted(asked.ram_pages, 'page')} of RAM",
            hint="Ask what to cache: POST /api/v1/what-to-cache. Then follow its run, and ask again.",
        ) from error
    return await _shown(await _answered(asked, body, arrays))


async def _shown(answered: Answered, *, derived: bool = False) -> WhatToCacheOut:
    found, point = answered.found, answered.point
    return WhatToCacheOut.showing(
        found,
        workload_id=point.workload.id,
        content_id=point.content.id,
        devices=DevicesUsed(flash=point.flash[1], disk=point.disk[1], ram=None),
        price_book=None
        if point.prices is None
        else PriceBookRef.model_validate(point.prices[1]),
        categories=found.kind,
        sentence=found.finding,
        warnings=[WarningOut.model_validate(each) for each in found.warnings],
        cautions=await asyncio.to_thread(lambda: found.cautions),
        derivation=rows_of(found) if derived else None,
        core_version=VERSION,
    )


async def ask(
    session: AsyncSession, context: Context, body: WhatToCacheIn
) -> Answered | CategoryCountsOut:
    """Ask the models, or let a job count what they need."""
    asked = await _asked(session, context, body)
    recording = asked.recording
    row = await analyses.create(
        session,
        context,
        RunKind.CATEGORY_COUNTS,
        (recording.workload, recording.content),
        asked.counts,
        f"Categories of {recording.workload.name}",
    )
    if analyses.status_of(row) is not RunStatus.SUCCEEDED:
        return _counts_out(row)
    return await _answered(asked, body, await analyses.load(context, row))


async def _asked(
    session: AsyncSession, context: Context, body: WhatToCacheIn
) -> _Asked:
    point = await find_point(session, context, body.point())
    recording = await recordings.find(
        context, point.workload, point.content, point.curve
    )
    ram_pages, flash_pages = _recorded(body, point, recording)
    counts = {"kind": body.categories, "ram_pages": ram_pages}
    return _Asked(point, recording, ram_pages, flash_pages, counts)


async def _answered(
    asked: _Asked, body: WhatToCacheIn, arrays: Mapping[str, Any]
) -> Answered:
    point, recording = asked.point, asked.recording
    rate = body.accesses_per_s
    if rate is None and recording.scaled is not None:
        rate = recording.scaled.machine_accesses_per_s

    def answer() -> Answered:
        counts = counts_of(arrays)
        found = cachesack.answer(
            counts,
            flash_pages=asked.flash_pages,
            flash=point.flash[0],
            disk=point.disk[0],
            prices=None if point.prices is None else point.prices[0],
            amortisation_months=body.amortisation_months,
            accesses_per_s=rate,
            usd_per_billion_reads=_amount(body.usd_per_billion_reads),
            usd_per_tb_written=_amount(body.usd_per_tb_written),
            usd_per_gib_month=_amount(body.usd_per_gib_month),
            flash_paid=body.flash_paid,
            production_pages=(body.ram_pages, body.flash_pages),
        )
        return Answered(point, recording, found, counts.accesses_per_s)

    with of_body():
        return await asyncio.to_thread(answer)


async def find_counts(session: AsyncSession, counts_id: str) -> CategoryCountsOut:
    """Read the state of counts by category."""
    return _counts_out(await results.find(session, RunKind.CATEGORY_COUNTS, counts_id))


def _counts_out(row: Row) -> CategoryCountsOut:
    inputs = row[0].inputs
    return CategoryCountsOut(
        **analyses.base_of(row),
        categories=inputs["kind"],
        ram_pages=inputs["ram_pages"],
    )


def _recorded(
    body: WhatToCacheIn, point: Point, recording: Recording
) -> tuple[int, int]:
    """Return the sizes at which the recording stands for those asked for. [pages]"""
    if recording.scaled is None:
        return body.ram_pages, body.flash_pages
    asked = Replay("flash_cache", "cachesack", body.ram_pages, body.flash_pages, 0)
    [there] = corresponding(point.curve, [asked], steady=False)
    check_large_enough(there, NOT_COUNTED)
    return there.ram_pages, there.flash_pages


def _amount(given: object) -> float | None:
    return None if given is None else float(str(given))
