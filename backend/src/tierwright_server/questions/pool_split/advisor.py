"""The adaptive split over a workload or a device that changes from epoch to epoch."""

import json
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, status
from pydantic import Field

from tierwright.advise import pool_advisor
from tierwright.advise.pool_advisor import (
    DYNAMICS,
    MOST_EPOCHS,
    WINDOWS_A_BUFFER,
    PoolAdvisor,
    least_window,
)
from tierwright.common.errors import BadInput as ModelBadInput
from tierwright.common.wording import counted
from tierwright.evaluate.page_flow.cautions import about_trace
from tierwright_server.common.errors import BadInput
from tierwright_server.common.schemas import (
    Answer,
    Body,
    CautionOut,
    Identifier,
    Pages,
    WarningOut,
)
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.problems import responses
from tierwright_server.http.steps import DerivationStep, rows_of
from tierwright_server.jobs.runs.states import RunKind
from tierwright_server.questions.pool_split.splits import (
    MOST_PAGES,
    MOST_PAGES_OF_PRODUCTION,
    BufferOfProductionOut,
    ProductionPages,
    buffer_of,
    buffer_of_production,
    replayed_pages,
    shown_buffer,
)
from tierwright_server.replays import results
from tierwright_server.replays.analyses import service
from tierwright_server.replays.analyses.schemas import AnalysisOut
from tierwright_server.storage.tables import Content
from tierwright_server.traces.workloads import recordings
from tierwright_server.traces.workloads.schemas import AskedThrough

router = APIRouter(prefix="/pool-advisors", tags=["pool splits"])

Dynamics = Literal["steady", "wm1", "wm2", "rm1", "rm2"]


class PoolAdvisorIn(Body):
    """The buffer, and what changes."""

    workload_id: Identifier
    pages: Annotated[
        Pages,
        Field(
            ge=2,
            le=MOST_PAGES_OF_PRODUCTION,
            description=f"M, the whole buffer: at most {MOST_PAGES:,}, and twice the distinct pages of the "
            "trace, at which larger buffers are replayed; of a workload scaled to production that of one machine of "
            "it. [pages]",
        ),
    ]
    dynamics: Dynamics = Field(
        default="steady",
        description="What changes by epoch: wm1, wm2 the share of writes; rm1, rm2 R.",
    )
    asymmetry: Annotated[
        float, Field(strict=True, gt=0, le=1e6, allow_inf_nan=False)
    ] = Field(default=32.0, description="R_0, the cost of a page write in page reads.")
    epoch_accesses: Annotated[int, Field(strict=True, ge=100, le=2**40)] = Field(
        default=5000, description="Length of an epoch; the paper's is about 5,000."
    )
    window_accesses: Annotated[int, Field(strict=True, ge=1, le=2**40)] | None = Field(
        default=None,
        description=f"Window of the advisor, at least pages / {WINDOWS_A_BUFFER}; absent: the "
        "buffer's pages, at least an epoch.",
    )
    alternating_factor: Annotated[
        float, Field(strict=True, ge=0.01, le=100, allow_inf_nan=False)
    ] = Field(default=0.95, description="Of wm2 and rm2 in odd epochs. [1]")


class PoolAdvisorOut(AnalysisOut):
    """A replay of the adaptive split."""

    pages: int = Field(description="M, the whole buffer that is replayed. [pages]")
    dynamics: Dynamics
    asymmetry: float
    epoch_accesses: int
    window_accesses: int | None
    alternating_factor: float
    production: BufferOfProductionOut | None = Field(
        default=None,
        description="Where a workload scaled to production requested it first; `pages` is that of the replay.",
    )


class AdvisorInProductionOut(BufferOfProductionOut):
    """The adaptive split on one machine of production."""

    replayed_sentence: str = Field(
        description="Of which system the replayed buffer is; empty where it is that of production."
    )
    static_clean_pages: int = Field(
        description="Clean pool of the best static split that was tried. [pages]"
    )
    clean_pages: list[int] = Field(
        description="Clean pool at the end of each epoch. [pages]"
    )
    page_reads_per_s: dict[str, float] = Field(
        description="What the accesses cost by buffer, as page reads. [1/s]"
    )


class PoolAdvisorEpochs(Answer):
    """What the advisor did, epoch by epoch. Costs are per access, in page reads."""

    id: str
    pages: int
    page_bytes: int
    dynamics: Dynamics
    dynamics_title: str
    asymmetry: float
    epoch_accesses: int
    window_accesses: int
    accesses: int
    write_share: float = Field(description="Of the trace itself. [1]")
    epoch_lengths: list[int] = Field(description="Accesses of each epoch.")
    write_shares: list[float] = Field(description="Counted after the change. [1]")
    expected_write_shares: list[float] = Field(description="w_i. [1]")
    asymmetries: list[float] = Field(description="R_i. [1]")
    clean_pages: list[int] = Field(
        description="Clean pool of the adaptive buffer at the end of each epoch. [pages]"
    )
    costs: dict[str, list[float]] = Field(
        description="By buffer: adaptive, static (the best tried), lru, cflru."
    )
    totals: dict[str, float]
    static_clean_pages: int = Field(
        description="Of the best static split that was tried. [pages]"
    )
    static_totals: dict[int, float] = Field(
        description="Of each static split that was tried, by its clean pool."
    )
    gain_over: dict[str, float | None]
    least_window_accesses: int | None = Field(
        description="Window at which estimations keep to their share of the I/O time; "
        "null unless `estimation_s` is given, or where nothing is read or written."
    )
    finding: str
    sentence: str
    estimator: str
    validity: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    derivation: list[DerivationStep]
    production: AdvisorInProductionOut | None = Field(
        description="Where `production_pages` were given: the adaptive split on one machine of production."
    )


@router.post(
    "",
    operation_id="create_pool_advisor",
    status_code=status.HTTP_202_ACCEPTED,
    responses=responses(404, 409),
)
async def create_pool_advisor(
    body: PoolAdvisorIn, session: SessionDep, context: ContextDep
) -> PoolAdvisorOut:
    """Replay the adaptive split; follow its `run`. The same inputs are found again.

    Of a workload scaled to production the buffer is that of one machine of it, and its recording is replayed with the
    one that corresponds by the scale law; epochs and windows are of the recording.
    """
    replayed = await recordings.find_replayed(session, context, body.workload_id)
    workload, content = replayed.workload, replayed.content
    accesses, writes = content.summary["accesses"], content.summary["write_accesses"]
    if accesses / body.epoch_accesses > MOST_EPOCHS:
        raise BadInput.at(
            "body.epoch_accesses",
            body.epoch_accesses,
            f"makes more than {MOST_EPOCHS:,} epochs of {counted(accesses, 'access')}",
            hint=f"Give at least {-(-accesses // MOST_EPOCHS):,}.",
        )
    pages, buffer = replayed_pages(replayed, body.pages)
    least = least_window(pages)
    if body.window_accesses is not None and body.window_accesses < least:
        raise BadInput.at(
            "body.window_accesses",
            body.window_accesses,
            f"is too short for {counted(pages, 'page')}: the advisor scans all of them in each "
            "window",
            hint=f"Give at least {least:,}.",
        )
    parameters = body.model_dump(exclude={"workload_id"})
    row = await service.create(
        session,
        context,
        RunKind.POOL_ADVISOR,
        (workload, content),
        {**parameters, "pages": pages, "write_share": writes / max(1, accesses)},
        f"Adaptive split of {workload.name} at "
        f"{counted(pages if buffer is None else buffer.pages, 'page')}, {body.dynamics}",
        production_pages=None if buffer is None else buffer.pages,
    )
    return _out(row, shown_buffer(buffer))


@router.get(
    "/{pool_advisor_id}", operation_id="get_pool_advisor", responses=responses(404)
)
async def get_pool_advisor(
    pool_advisor_id: Annotated[Identifier, Path(description="Id of the replay.")],
    session: SessionDep,
    context: ContextDep,
) -> PoolAdvisorOut:
    """Read the state of a replay of the adaptive split."""
    row = await results.find(session, RunKind.POOL_ADVISOR, pool_advisor_id)
    return _out(row, await buffer_of_production(session, context, row))


@router.get(
    "/{pool_advisor_id}/epochs",
    operation_id="get_pool_advisor_epochs",
    responses=responses(404, 409),
)
async def get_pool_advisor_epochs(
    pool_advisor_id: Annotated[Identifier, Path(description="Id of the replay.")],
    session: SessionDep,
    context: ContextDep,
    estimation_s: Annotated[
        float | None,
        Query(gt=0, le=1e6, allow_inf_nan=False, description="One estimation. [s]"),
    ] = None,
    overhead_ratio: Annotated[
        float,
        Query(
            gt=0,
            le=1,
            allow_inf_nan=False,
            description="g, largest share of the I/O time that estimations may take.",
        ),
    ] = 0.03,
    read_us: Annotated[
        float,
        Query(gt=0, le=1e9, allow_inf_nan=False, description="One page read. [µs]"),
    ] = 200.0,
    workload_id: AskedThrough = None,
    production_pages: ProductionPages = None,
) -> PoolAdvisorEpochs:
    """Read what the advisor did, and the least window that an estimation allows."""
    row = await results.find(session, RunKind.POOL_ADVISOR, pool_advisor_id)
    arrays = await service.load(context, row)
    notes = tuple(about_trace(await service.notes_of(session, row, workload_id)))
    content = await session.get_one(Content, row[0].content_id)
    found = pool_advisor.with_notes(
        pool_advisor.of_document(json.loads(bytes(arrays["document"]))),
        notes,
        content.summary["distinct_pages"],
    )
    if production_pages is not None:
        buffer = await buffer_of(session, context, row, workload_id, production_pages)
        found = pool_advisor.for_production(found, buffer)
    return PoolAdvisorEpochs.showing(
        found,
        id=pool_advisor_id,
        dynamics_title=DYNAMICS[found.dynamics],
        least_window_accesses=None
        if estimation_s is None
        else _window(found, estimation_s, overhead_ratio, read_us),
        warnings=[WarningOut.model_validate(each) for each in found.warnings],
        derivation=rows_of(found),
        production=None
        if found.production is None
        else AdvisorInProductionOut.model_validate(found.in_production()),
    )


def _window(
    found: PoolAdvisor, estimation_s: float, overhead_ratio: float, read_us: float
) -> int | None:
    try:
        return found.window_for(estimation_s, overhead_ratio, read_us / 1e6)
    except ModelBadInput:
        return None  # an access that takes no time: no window is long enough


def _out(row: results.Row, production: BufferOfProductionOut | None) -> PoolAdvisorOut:
    parameters = {
        name: value for name, value in row[0].inputs.items() if name != "write_share"
    }
    return PoolAdvisorOut(**service.base_of(row), **parameters, production=production)
