"""Pool splits: one buffer counted at every split once, priced at any asymmetry."""

import asyncio
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, status
from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import pool_gain, pool_split, pool_survey
from tierwright.advise.in_production import BufferInProduction
from tierwright.advise.pool_gain import (
    GAIN_ASYMMETRIES,
    LARGEST_R,
    LEAST_R,
    USUAL_R,
)
from tierwright.advise.pool_split import PoolSplit
from tierwright.advise.pool_survey import SplitSurvey, SurveyGain
from tierwright.common.cautions import Caution, weighed
from tierwright.common.wording import counted
from tierwright.evaluate.page_flow.cautions import about_trace
from tierwright_server.common.errors import (
    BadInput,
    NeedsTrace,
    NotComputed,
    NotFound,
    NotReady,
)
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.older_models import about_version
from tierwright_server.common.schemas import (
    Answer,
    Body,
    CautionOut,
    Identifier,
    Pages,
    WarningOut,
)
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.http.context import Context, ContextDep, SessionDep
from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.http.steps import DerivationStep, rows_of
from tierwright_server.jobs.runs.states import RunKind
from tierwright_server.replays import results
from tierwright_server.replays.analyses import service
from tierwright_server.replays.analyses.schemas import AnalysisOut
from tierwright_server.storage.tables import Content
from tierwright_server.traces.workloads import recordings
from tierwright_server.traces.workloads import service as workloads
from tierwright_server.traces.workloads.recordings import Replayed
from tierwright_server.traces.workloads.schemas import AskedThrough

router = APIRouter(prefix="/pool-splits", tags=["pool splits"])

MOST_PAGES = 2**25
"""Its job counts hits at as many splits; what is kept of them is cut."""
MOST_PAGES_OF_PRODUCTION = 2**32 - 1
"""Of a buffer for which a smaller one is counted."""
Distance = Literal["raw", "effective", "grouped", "grouped_conservative"]
Estimator = Literal["flow", "disjoint", "eq4"]
ProductionPages = Annotated[
    int | None,
    Query(
        ge=2,
        le=MOST_PAGES_OF_PRODUCTION,
        description="Buffer of one machine of production for which this one was replayed, "
        "with `workload_id` of the workload scaled to it. [pages]",
    ),
]


class PoolSplitIn(Body):
    """The buffer to split."""

    workload_id: Identifier
    pages: Annotated[
        Pages,
        Field(
            ge=2,
            le=MOST_PAGES_OF_PRODUCTION,
            description=f"M, the whole buffer: at most {MOST_PAGES:,}; of a workload scaled to production "
            "that of one machine of it. [pages]",
        ),
    ]
    distance: Distance = Field(
        default="raw",
        description="Stack distances of the estimates; `effective` is the closest, and "
        "takes time proportional to accesses x pages.",
    )


class PoolSplitAsk(PoolSplitIn):
    """The buffer to split, and what a write costs there."""

    asymmetry: (
        Annotated[
            float,
            Field(
                gt=0,
                le=1e6,
                allow_inf_nan=False,
                description="R, the cost of a page write in page reads; absent: the "
                "one of the device.",
            ),
        ]
        | None
    ) = None
    flash_device_id: Identifier | None = Field(
        default=None,
        description="Device that sets R where `asymmetry` is absent, between "
        f"{LEAST_R:g} and {LARGEST_R:g}; {USUAL_R:g} where the device "
        "states none.",
    )


class BufferOfProductionOut(Answer):
    """The buffer of one machine of production for which another was counted."""

    pages: int = Field(description="Of the machine. [pages]")
    page_bytes: int = Field(description="Of its pages. [bytes]")
    replayed_pages: int = Field(
        description="Buffer with which the recording was replayed. [pages]"
    )
    accesses_per_s: float = Field(description="Mean rate of the machine. [1/s]")
    sentence: str = Field(
        description="How the two correspond, or the split in production."
    )


class SplitInProductionOut(BufferOfProductionOut):
    """The recommended split on one machine of production."""

    replayed_sentence: str = Field(
        description="Of which system the replayed buffer is; empty where it is that of production."
    )
    recommended_clean_pages: int = Field(description="Its clean pool. [pages]")
    reads_per_s: dict[str, float] = Field(
        description="Page reads with the `recommended` split, `lru` and `cflru`. [1/s]"
    )
    writes_per_s: dict[str, float] = Field(description="Page writes likewise. [1/s]")


class PoolSplitOut(AnalysisOut):
    """A buffer counted at every split, whatever its writes cost."""

    pages: int = Field(
        description="M, the whole buffer: at most twice the distinct pages of the "
        "trace, above which the result does not change. [pages]"
    )
    distance: Distance
    warnings: list[WarningOut]
    production: BufferOfProductionOut | None = Field(
        default=None,
        description="Where a workload scaled to production requested it first, and in the answer to each request of "
        "one; `pages` is that of the replay.",
    )


class SplitCurve(Answer):
    """Estimated costs over the clean pool, thinned. [page reads per access]"""

    clean_pages: list[int]
    flow: list[float]
    disjoint: list[float]
    eq4: list[float]
    p_c: list[float] = Field(description="Share of accesses that miss the clean pool.")
    p_d: list[float] = Field(description="Share of accesses that miss the dirty pool.")
    p_dw: list[float] = Field(description="Share of writes that miss the dirty pool.")


class SplitReplay(Answer):
    """One replayed split; counts are over the whole trace."""

    clean_pages: int
    cost: float = Field(description="Per access. [page reads]")
    cost_without_closing_writes: float = Field(
        description="The same without the writes of pages still dirty at the end."
    )
    reads: int
    writes: int
    dirty_left: int = Field(description="Pages still dirty at the end. [pages]")


class SplitBaseline(Answer):
    """A buffer without a split, replayed."""

    name: str
    title: str
    cost: float
    cost_without_closing_writes: float
    reads: int
    writes: int
    dirty_left: int
    gain: float | None = Field(
        description="Share of this cost that the best split saves; negative: it costs "
        "more."
    )
    break_even_asymmetry: float | None = Field(
        description="R at which both cost the same; absent where both write alike."
    )
    best_split_writes_less: bool


class PoolSplitCosts(Answer):
    """A buffer at one R. Costs are per access, in page reads."""

    id: str
    pages: int
    page_bytes: int
    accesses: int
    write_accesses: int
    distinct_pages: int
    asymmetry: float
    estimator: Estimator
    best_clean_pages: int = Field(
        description="Replayed split of least simulated cost: the recommended one."
    )
    best_cost: float
    estimated_clean_pages: int = Field(description="Split of least estimated cost.")
    estimates: dict[str, float] = Field(description="By each estimator, at that split.")
    best_by_estimator: dict[str, int]
    curve: SplitCurve
    replays: list[SplitReplay]
    baselines: list[SplitBaseline]
    finding: str
    sentence: str
    validity: str = Field(description="Where estimates and replays hold.")
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    derivation: list[DerivationStep] | None
    cost_basis: str
    production: SplitInProductionOut | None = Field(
        description="Where `production_pages` were given: the split on one machine of production."
    )


@mirrors(
    SurveyGain,
    asymmetry="R: cost of a page write in page reads.",
    baselines="Costs of LRU and CFLRU.",
    gain_over="Share of each baseline's cost that is saved.",
)
class GainOut(Answer):
    """The best replayed split at one R. Costs are per access, in page reads."""


class DeviceSplit(GainOut):
    """The buffer on one device."""

    device_id: str
    name: str
    kind: str
    year: int | None
    asymmetry_basis: str = Field(description="Where R is from.")


class PoolSplitGains(Answer):
    """What splitting saves over R, and the R of the devices."""

    id: str
    pages: int
    gains: list[GainOut] = Field(description="Over R, at even logarithmic steps.")
    devices: list[DeviceSplit] = Field(description="The largest asymmetry first.")
    without: int = Field(description="Devices that state no asymmetry.")
    usual_asymmetry: float = Field(
        description="R assumed for a device that states none."
    )


@router.post(
    "",
    operation_id="create_pool_split",
    status_code=status.HTTP_202_ACCEPTED,
    responses=responses(404, 409),
)
async def create_pool_split(
    body: PoolSplitIn, session: SessionDep, context: ContextDep
) -> PoolSplitOut:
    """Count a buffer at every split; follow its `run`. The same inputs are found again.

    Of a workload scaled to production the buffer is that of one machine of it, and its recording is counted with the
    one that corresponds by the scale law.
    """
    replayed = await recordings.find_replayed(session, context, body.workload_id)
    pages, buffer = replayed_pages(replayed, body.pages)
    row = await service.create(
        session,
        context,
        RunKind.POOL_SPLIT,
        (replayed.workload, replayed.content),
        {"pages": pages, "distance": body.distance},
        f"Pool split of {replayed.workload.name} at "
        f"{counted(pages if buffer is None else buffer.pages, 'page')}",
        production_pages=None if buffer is None else buffer.pages,
    )
    return _out(row, replayed.content, shown_buffer(buffer))


def shown_buffer(buffer: BufferInProduction | None) -> BufferOfProductionOut | None:
    """Return a buffer of production as it is shown; None where there is none."""
    if buffer is None:
        return None
    return BufferOfProductionOut.showing(buffer, sentence=buffer.replayed_sentence)


def replayed_pages(
    replayed: Replayed, pages: int
) -> tuple[int, BufferInProduction | None]:
    """Return the buffer that is counted, and the one of production for which it stands.

    Raises
    ------
    BadInput
        It is too large to be counted, or the recording too small for it.
    """
    if replayed.scaled is None:
        if pages > MOST_PAGES:
            raise BadInput.at(
                "body.pages",
                pages,
                f"is more than {counted(MOST_PAGES, 'page')}",
                hint="Choose a smaller buffer.",
            )
        return min(pages, largest_buffer(replayed.content)), None
    buffer = BufferInProduction.of(replayed.scaled, pages)
    return min(buffer.replayed_pages, largest_buffer(replayed.content)), buffer


@router.get("/{pool_split_id}", operation_id="get_pool_split", responses=responses(404))
async def get_pool_split(
    pool_split_id: Annotated[Identifier, Path(description="Id of the pool split.")],
    session: SessionDep,
    context: ContextDep,
) -> PoolSplitOut:
    """Read the state of a pool split."""
    row = await results.find(session, RunKind.POOL_SPLIT, pool_split_id)
    content = await session.get_one(Content, row[0].content_id)
    return _out(row, content, await buffer_of_production(session, context, row))


@router.get(
    "/{pool_split_id}/costs",
    operation_id="get_pool_split_costs",
    responses=responses(404, 409),
)
async def get_pool_split_costs(
    pool_split_id: Annotated[Identifier, Path(description="Id of the pool split.")],
    session: SessionDep,
    context: ContextDep,
    asymmetry: Annotated[
        float,
        Query(
            gt=0,
            le=1e6,
            allow_inf_nan=False,
            description="R, the cost of a page write in page reads.",
        ),
    ],
    estimator: Annotated[
        Estimator, Query(description="Which estimate chooses.")
    ] = "flow",
    points: Annotated[
        int, Query(ge=2, le=2000, description="About how many splits of the curve.")
    ] = 300,
    workload_id: AskedThrough = None,
    production_pages: ProductionPages = None,
    *,
    derived: DerivedDep,
) -> PoolSplitCosts:
    """Price every split at one R: estimate and simulation, from what is counted."""
    row = await results.find(session, RunKind.POOL_SPLIT, pool_split_id)
    survey = pool_survey.survey_of(await service.load(context, row))
    buffer = None
    if production_pages is not None:
        buffer = await buffer_of(session, context, row, workload_id, production_pages)
    read = await service.notes_of(session, row, workload_id)
    notes = about_trace(read)
    content = await session.get_one(Content, row[0].content_id)

    def work() -> PoolSplitCosts:
        found = pool_split.at_asymmetry(
            survey,
            asymmetry,
            tuple(notes),
            estimator=estimator,
            skipped_records=read.skipped_records,
        )
        found = pool_split.for_production(found, buffer)
        return _costs(row, content, found.thinned(points), derived=derived)

    return await asyncio.to_thread(work)


async def buffer_of_production(
    session: AsyncSession, context: Context, row: results.Row
) -> BufferOfProductionOut | None:
    """Return the buffer of production for which a replay was requested first.

    None where it was requested of a trace, or the recording is not there any more.
    """
    analysis, _ = row
    pages = service.production_pages_of(analysis)
    if pages is None:
        return None
    try:
        replayed = await recordings.find_replayed(
            session, context, analysis.workload_id
        )
    except (NeedsTrace, NotFound):
        return None
    return shown_buffer(replayed_pages(replayed, pages)[1])


async def buffer_of(
    session: AsyncSession,
    context: Context,
    row: results.Row,
    workload_id: str | None,
    pages: int,
) -> BufferInProduction:
    """Find the buffer of production for which one was replayed.

    Raises
    ------
    BadInput
        No workload is named, it was not scaled, or another buffer corresponds.
    """
    counted_pages = row[0].inputs["pages"]
    if workload_id is None:
        raise BadInput.at(
            "query.production_pages",
            pages,
            "needs the workload that was scaled",
            hint="Name it: workload_id.",
        )
    replayed = await recordings.find_replayed(session, context, workload_id)
    if replayed.scaled is None or replayed.content.id != row[0].content_id:
        raise BadInput.at(
            "query.workload_id",
            workload_id,
            "was not scaled from the workload of this replay",
            hint="Name the workload of which the replay was requested.",
        )
    wanted, buffer = replayed_pages(replayed, pages)
    if buffer is None or wanted != counted_pages:
        raise BadInput.at(
            "query.production_pages",
            pages,
            f"corresponds to a buffer of {counted(wanted, 'page')}; replayed was one of "
            f"{counted(counted_pages, 'page')}",
            hint="Request the replay of this buffer first.",
        )
    return buffer


async def kept_survey(
    session: AsyncSession, context: Context, content: Content, pages: int
) -> SplitSurvey | None:
    """Return what the present models have counted of a buffer, by the usual stack distances; None where nothing."""
    asked = {"pages": pages, "distance": "raw"}
    try:
        row = await service.find_of(session, RunKind.POOL_SPLIT, content, asked)
        return pool_survey.survey_of(await service.load(context, row))
    except NotReady:
        return None


async def stored(
    session: AsyncSession, context: Context, body: PoolSplitAsk
) -> PoolSplitCosts:
    """Price a buffer that the present models have counted; nothing is queued.

    Raises
    ------
    NotComputed
        It has yet to be counted.
    """
    replayed = await recordings.find_replayed(session, context, body.workload_id)
    workload, content = replayed.workload, replayed.content
    pages, buffer = replayed_pages(replayed, body.pages)
    try:
        row = await service.find_of(
            session,
            RunKind.POOL_SPLIT,
            content,
            {"pages": pages, "distance": body.distance},
        )
        arrays = await service.load(context, row)
    except NotReady as error:
        raise NotComputed(
            f"the current models have not counted a buffer of {counted(pages, 'page')} of "
            f"{workload.name}",
            hint="Request the split: POST /api/v1/pool-splits. Then follow its run, "
            "and ask again.",
        ) from error
    survey = pool_survey.survey_of(arrays)
    asymmetry = body.asymmetry or await _device_r(
        session, context, body.flash_device_id, survey.page_bytes
    )
    read = workloads.notes_of(workload, content)
    notes = about_trace(read)

    def work() -> PoolSplitCosts:
        found = pool_split.at_asymmetry(
            survey, asymmetry, tuple(notes), skipped_records=read.skipped_records
        )
        found = pool_split.for_production(found, buffer)
        return _costs(row, content, found.thinned(2))

    return await asyncio.to_thread(work)


async def _device_r(
    session: AsyncSession, context: Context, device_id: str | None, page_bytes: int
) -> float:
    """Return R of a device, as the page takes it."""
    if device_id is None:
        return USUAL_R
    device, _ = await catalog.find_device(
        session, context, device_id, "body.flash_device_id"
    )
    return pool_gain.usual_asymmetry(device, page_bytes)


@router.get(
    "/{pool_split_id}/gains",
    operation_id="get_pool_split_gains",
    responses=responses(404, 409),
)
async def get_pool_split_gains(
    pool_split_id: Annotated[Identifier, Path(description="Id of the pool split.")],
    session: SessionDep,
    context: ContextDep,
) -> PoolSplitGains:
    """Price the buffer over R, and on every device at its own asymmetry."""
    survey = await _survey(session, context, pool_split_id)
    found = pool_gain.on_devices(survey, await catalog.all_devices(session, context))
    return PoolSplitGains(
        id=pool_split_id,
        pages=survey.pages,
        gains=[GainOut.model_validate(row) for row in survey.gains(GAIN_ASYMMETRIES)],
        devices=[
            DeviceSplit(
                **GainOut.model_validate(row.gain).model_dump(),
                device_id=row.device.id,
                name=row.device.name,
                kind=row.device.kind,
                year=row.device.year,
                asymmetry_basis=row.asymmetry_basis,
            )
            for row in found.rows
        ],
        without=found.without,
        usual_asymmetry=USUAL_R,
    )


def largest_buffer(content: Content) -> int:
    """Return the buffer whose clean and dirty pool can each hold every page. [pages]"""
    return pool_split.largest_buffer(int(content.summary["distinct_pages"]))


def _out(
    row: results.Row, content: Content, production: BufferOfProductionOut | None
) -> PoolSplitOut:
    return PoolSplitOut(
        **service.base_of(row),
        **row[0].inputs,
        warnings=_about(row, content),
        production=production,
    )


def _about(row: results.Row, content: Content) -> list[WarningOut]:
    """Warn of what the counts of a split are of."""
    analysis, _ = row
    largest = pool_split.about_largest(
        analysis.inputs["pages"], content.summary["distinct_pages"]
    )
    return [
        *about_version(analysis.core_version),
        *map(WarningOut.model_validate, largest),
    ]


async def _survey(
    session: AsyncSession, context: Context, pool_split_id: str
) -> SplitSurvey:
    row = await results.find(session, RunKind.POOL_SPLIT, pool_split_id)
    return pool_survey.survey_of(await service.load(context, row))


def _costs(
    row: results.Row, content: Content, found: PoolSplit, *, derived: bool = False
) -> PoolSplitCosts:
    rows = found.curve()
    return PoolSplitCosts.showing(
        found,
        id=row[0].id,
        best_clean_pages=found.recommended_clean_pages,
        best_cost=found.recommended_cost,
        estimated_clean_pages=found.best_clean_pages,
        curve=SplitCurve.model_validate(
            {name: [each[name] for each in rows] for name in SplitCurve.model_fields}
        ),
        replays=[SplitReplay.model_validate(each) for each in found.replayed_splits()],
        baselines=[
            SplitBaseline.model_validate(each) for each in found.replayed_baselines()
        ],
        warnings=[
            *(
                WarningOut(name=w.name, message=w.message, hint=w.hint)
                for w in found.warnings
            ),
            *_about(row, content),
        ],
        cautions=[
            CautionOut.model_validate(each)
            for each in weighed(
                (
                    *found.warnings,
                    *(
                        Caution(each.name, each.message, each.hint or "")
                        for each in _about(row, content)
                    ),
                ),
                found.weigh,
            )
        ],
        derivation=rows_of(found) if derived else None,
        production=None
        if found.production is None
        else SplitInProductionOut.model_validate(found.in_production()),
    )
