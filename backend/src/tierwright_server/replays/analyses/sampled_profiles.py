"""Sampled profiles: the curves of a workload estimated from some of its pages."""

from typing import Annotated

from fastapi import APIRouter, Path, status
from pydantic import Field

from tierwright.profile.measure import FIXED_RATE_ESTIMATOR
from tierwright_server.common.schemas import Answer, Body, Identifier
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.problems import responses
from tierwright_server.jobs.runs.states import RunKind
from tierwright_server.replays import results
from tierwright_server.replays.analyses import service
from tierwright_server.replays.analyses.schemas import AnalysisOut
from tierwright_server.traces.workloads import service as workloads

router = APIRouter(prefix="/sampled-profiles", tags=["sampled profiles"])


class SampledProfileIn(Body):
    """How many pages to follow."""

    workload_id: Identifier
    sample_rate: Annotated[
        float, Field(gt=0, le=1, description="Share of the pages to follow.")
    ]
    seed: Annotated[
        int,
        Field(
            strict=True,
            ge=0,
            le=2**32 - 1,
            description="Seed; another seed follows other pages.",
        ),
    ] = 0


class SampledProfileOut(AnalysisOut):
    """A sampled profile."""

    sample_rate: float
    seed: int


class SampledCurve(Answer):
    """Estimated counts of an LRU cache at the listed sizes, with 95 % intervals."""

    id: str
    pages: list[int] = Field(description="Cache sizes, strictly increasing. [pages]")
    misses: list[float]
    misses_interval95: list[tuple[float, float]]
    write_backs: list[float]
    write_backs_interval95: list[tuple[float, float]]
    accesses: int
    write_accesses: int
    distinct_pages: int
    page_bytes: int
    sample_rate: float
    estimator: str = Field(description="How the counts were found.")


ProfileId = Annotated[Identifier, Path(description="Id of the sampled profile.")]


@router.post(
    "",
    operation_id="create_sampled_profile",
    status_code=status.HTTP_202_ACCEPTED,
    responses=responses(404, 409),
)
async def create_sampled_profile(
    body: SampledProfileIn, session: SessionDep, context: ContextDep
) -> SampledProfileOut:
    """Estimate the curves from a sample of the pages; follow its `run`."""
    subject = await workloads.find_traced(session, body.workload_id)
    row = await service.create(
        session,
        context,
        RunKind.SAMPLED_PROFILE,
        subject,
        {"sample_rate": body.sample_rate, "seed": body.seed},
        f"Sampled profile of {subject[0].name} at {100 * body.sample_rate:g} %",
    )
    return _out(row)


@router.get(
    "/{sampled_profile_id}",
    operation_id="get_sampled_profile",
    responses=responses(404),
)
async def get_sampled_profile(
    sampled_profile_id: ProfileId, session: SessionDep
) -> SampledProfileOut:
    """Read the state of a sampled profile."""
    return _out(
        await results.find(session, RunKind.SAMPLED_PROFILE, sampled_profile_id)
    )


@router.get(
    "/{sampled_profile_id}/curve",
    operation_id="get_sampled_curve",
    responses=responses(404, 409),
)
async def get_sampled_curve(
    sampled_profile_id: ProfileId, session: SessionDep, context: ContextDep
) -> SampledCurve:
    """Read the estimated curves, each count with its interval."""
    row = await results.find(session, RunKind.SAMPLED_PROFILE, sampled_profile_id)
    arrays = await service.load(context, row)
    return SampledCurve(
        id=sampled_profile_id,
        pages=arrays["pages"].tolist(),
        misses=arrays["misses"].tolist(),
        misses_interval95=arrays["misses_interval95"].tolist(),
        write_backs=arrays["write_backs"].tolist(),
        write_backs_interval95=arrays["write_backs_interval95"].tolist(),
        accesses=int(arrays["accesses"]),
        write_accesses=int(arrays["write_accesses"]),
        distinct_pages=int(arrays["distinct_pages"]),
        page_bytes=int(arrays["page_bytes"]),
        sample_rate=float(arrays["sample_rate"]),
        estimator=FIXED_RATE_ESTIMATOR,
    )


def _out(row: results.Row) -> SampledProfileOut:
    return SampledProfileOut(**service.base_of(row), **row[0].inputs)
