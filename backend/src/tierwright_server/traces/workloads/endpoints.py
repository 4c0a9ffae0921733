"""Workloads and their curves."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from fastapi import status as codes

from tierwright_server.common.schemas import Identifier
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.paging import Page, Search, holds, paged
from tierwright_server.http.preconditions import IfMatch, tag
from tierwright_server.http.problems import responses
from tierwright_server.traces.workloads import (
    combining,
    composing,
    described,
    given,
    joining,
    scaling,
    service,
)
from tierwright_server.traces.workloads.composing_schemas import ComposedWorkloadIn
from tierwright_server.traces.workloads.described_schemas import (
    DescribedWorkloadIn,
    DescriptionIn,
    DescriptionKindOut,
    DescriptionPreviewOut,
)
from tierwright_server.traces.workloads.evidence_schemas import MeasurementsIn
from tierwright_server.traces.workloads.given_schemas import (
    CurveKindList,
    CurvePreviewOut,
    CurveStatement,
    CurveWorkloadIn,
    ProfileWorkloadIn,
)
from tierwright_server.traces.workloads.joining_schemas import (
    JoinedList,
    JoinedWorkloadIn,
)
from tierwright_server.traces.workloads.scaling_schemas import (
    ProductionIn,
    RelationList,
    ScaledWorkloadIn,
    ScalePreviewOut,
)
from tierwright_server.traces.workloads.schemas import (
    ConversionLogOut,
    CurveOut,
    ImportOut,
    WorkloadIn,
    WorkloadList,
    WorkloadOut,
    WorkloadRename,
    WorkloadStatus,
)

router = APIRouter(prefix="/workloads", tags=["workloads"])
curves = APIRouter(tags=["workloads"])

WorkloadId = Annotated[Identifier, Path(description="Id of the workload.")]


@router.get("", operation_id="list_workloads", responses=responses())
async def list_workloads(
    session: SessionDep,
    page: Annotated[Page, paged("name", "created_at", usual=100)],
    name: Search = None,
    status: Annotated[WorkloadStatus | None, Query(description="Only these.")] = None,
) -> WorkloadList:
    """List workloads: the example first, then the newest."""
    return await service.list_workloads(session, page, name, status)


@router.post(
    "",
    operation_id="create_workload",
    status_code=codes.HTTP_202_ACCEPTED,
    responses=responses(404, 409, 507),
)
async def create_workload(
    body: WorkloadIn, session: SessionDep, context: ContextDep
) -> ImportOut:
    """Import a finished upload as a workload; follow its `run`. A profile is ready immediately.

    If the same file was, or is being, imported with the same read options, nothing is created: the answer is that workload, with `already_here`. `import_again` creates another one.
    """
    return await service.create_workload(session, context, body)


@router.post(
    "/from-profile",
    operation_id="create_workload_from_profile",
    status_code=codes.HTTP_201_CREATED,
    responses=responses(507),
)
async def create_workload_from_profile(
    body: ProfileWorkloadIn, session: SessionDep, context: ContextDep
) -> WorkloadOut:
    """Create a workload from a profile document, in place of its trace."""
    workload = await given.create_from_document(
        session, context, body.name, body.profile, body.filename
    )
    return await service.get_workload(session, workload.id)


@router.post(
    "/from-curve",
    operation_id="create_workload_from_curve",
    status_code=codes.HTTP_201_CREATED,
    responses=responses(507),
)
async def create_workload_from_curve(
    body: CurveWorkloadIn, session: SessionDep, context: ContextDep
) -> WorkloadOut:
    """Create a workload from a given hit-ratio curve, in place of a trace."""
    workload = await given.create_from_curve(session, context, body.name, body)
    return await service.get_workload(session, workload.id)


@router.post(
    "/{workload_id}/joined",
    operation_id="create_joined_workload",
    status_code=codes.HTTP_202_ACCEPTED,
    responses=responses(404, 409, 507),
)
async def create_joined_workload(
    workload_id: WorkloadId, body: JoinedWorkloadIn, session: SessionDep
) -> ImportOut:
    """Read the trace of a workload again with neighbouring pages joined into larger ones; follow its `run`.

    Pages are joined within a relation, file or volume. If that was, or is being, done, nothing is created: the answer is that workload, with `already_here`.
    """
    return await joining.create_joined(session, workload_id, body)


@router.get(
    "/{workload_id}/joined",
    operation_id="get_joined_workloads",
    responses=responses(404, 409),
)
async def get_joined_workloads(
    workload_id: WorkloadId, session: SessionDep
) -> JoinedList:
    """List the workloads whose pages are those of a workload joined, the oldest first."""
    return await joining.list_joined(session, workload_id)


@router.get(
    "/{workload_id}/relations",
    operation_id="get_relations",
    responses=responses(404, 409),
)
async def get_relations(
    workload_id: WorkloadId, session: SessionDep, context: ContextDep
) -> RelationList:
    """Read the relations of a workload that may each be scaled by itself, the largest first."""
    return await scaling.get_relations(session, context, workload_id)


@router.post(
    "/{workload_id}/scale-previews",
    operation_id="preview_scaled_workload",
    responses=responses(404, 409),
)
async def preview_scaled_workload(
    workload_id: WorkloadId,
    body: ProductionIn,
    session: SessionDep,
    context: ContextDep,
) -> ScalePreviewOut:
    """Scale a workload to the data and the rate of production; nothing is kept."""
    return await scaling.preview(session, context, workload_id, body)


@router.post(
    "/{workload_id}/scaled",
    operation_id="create_scaled_workload",
    status_code=codes.HTTP_201_CREATED,
    responses=responses(404, 409, 507),
)
async def create_scaled_workload(
    workload_id: WorkloadId,
    body: ScaledWorkloadIn,
    session: SessionDep,
    context: ContextDep,
) -> WorkloadOut:
    """Create a workload on the scale of production from one that was recorded."""
    workload = await scaling.create_scaled(session, context, workload_id, body)
    return await service.get_workload(session, workload.id)


@router.post(
    "/from-description",
    operation_id="create_workload_from_description",
    status_code=codes.HTTP_201_CREATED,
    responses=responses(507),
)
async def create_workload_from_description(
    body: DescribedWorkloadIn, session: SessionDep, context: ContextDep
) -> WorkloadOut:
    """Create a workload from a description or a preset, where there is no trace and no curve."""
    workload = await described.create_from_description(
        session, context, body.name, body
    )
    return await service.get_workload(session, workload.id)


@router.post(
    "/from-composition",
    operation_id="create_composed_workload",
    status_code=codes.HTTP_201_CREATED,
    responses=responses(404, 409, 507),
)
async def create_composed_workload(
    body: ComposedWorkloadIn, session: SessionDep, context: ContextDep
) -> WorkloadOut:
    """Create the workload of one cache that several workloads share."""
    workload = await composing.create_composed(session, context, body)
    return await service.get_workload(session, workload.id)


@router.post(
    "/from-measurements",
    operation_id="create_workload_from_measurements",
    status_code=codes.HTTP_201_CREATED,
    responses=responses(404, 409, 507),
)
async def create_workload_from_measurements(
    body: MeasurementsIn, session: SessionDep, context: ContextDep
) -> WorkloadOut:
    """Put several curves from the counters of one system together to one workload."""
    workload = await combining.create_combined(session, context, body)
    return await service.get_workload(session, workload.id)


@curves.get(
    "/description-kinds", operation_id="list_description_kinds", responses=responses()
)
async def list_description_kinds(
    page: Annotated[Page, paged("name", "title")], name: Search = None
) -> list[DescriptionKindOut]:
    """List the kinds of components of which a described workload is mixed."""
    kinds = [kind for kind in described.description_kinds() if holds(kind.name, name)]
    return page.cut(kinds)[0]


@curves.post(
    "/description-previews", operation_id="preview_description", responses=responses()
)
async def preview_description(body: DescriptionIn) -> DescriptionPreviewOut:
    """Compute the curve of a described workload by formula, and store nothing."""
    return await asyncio.to_thread(described.preview, body)


@curves.get("/curve-kinds", operation_id="list_curve_kinds", responses=responses())
async def list_curve_kinds(
    page: Annotated[Page, paged("name", "title")], name: Search = None
) -> CurveKindList:
    """List the supported kinds of given curves."""
    kinds = [kind for kind in given.curve_kinds() if holds(kind.name, name)]
    return CurveKindList(items=page.cut(kinds)[0])


@curves.post(
    "/curve-previews", operation_id="preview_given_curve", responses=responses()
)
async def preview_given_curve(body: CurveStatement) -> CurvePreviewOut:
    """Preview a given curve; its problems are part of the answer."""
    return await asyncio.to_thread(given.preview, body)


@router.get("/{workload_id}", operation_id="get_workload", responses=responses(404))
async def get_workload(
    workload_id: WorkloadId, session: SessionDep, response: Response
) -> WorkloadOut:
    """Read one workload."""
    found = await service.get_workload(session, workload_id)
    tag(response, found)
    return found


@router.patch(
    "/{workload_id}", operation_id="rename_workload", responses=responses(404, 412)
)
async def rename_workload(
    workload_id: WorkloadId,
    body: WorkloadRename,
    session: SessionDep,
    response: Response,
    if_match: IfMatch = None,
) -> WorkloadOut:
    """Rename a workload."""
    found = await service.rename_workload(session, workload_id, body, if_match)
    tag(response, found)
    return found


@router.delete(
    "/{workload_id}",
    operation_id="delete_workload",
    status_code=codes.HTTP_204_NO_CONTENT,
    responses=responses(404, 409, 412),
)
async def delete_workload(
    workload_id: WorkloadId,
    session: SessionDep,
    context: ContextDep,
    if_match: IfMatch = None,
) -> None:
    """Delete a workload, and its trace if no other workload has the same content."""
    await service.delete_workload(session, context, workload_id, if_match)


@router.post(
    "/{workload_id}/read-again",
    operation_id="read_workload_again",
    status_code=codes.HTTP_202_ACCEPTED,
    responses=responses(404, 409, 507),
)
async def read_workload_again(
    workload_id: WorkloadId, session: SessionDep, context: ContextDep
) -> WorkloadOut:
    """Import the file of a failed or cancelled workload again."""
    return await service.read_again(session, context, workload_id)


@router.get(
    "/{workload_id}/conversion-log",
    operation_id="get_conversion_log",
    responses=responses(404, 409),
)
async def get_conversion_log(
    workload_id: WorkloadId, session: SessionDep
) -> ConversionLogOut:
    """Read the conversion log: assumptions, splits, skipped records, warnings."""
    return await service.get_conversion_log(session, workload_id)


@router.get(
    "/{workload_id}/curve", operation_id="get_curve", responses=responses(404, 409)
)
async def get_curve(
    workload_id: WorkloadId,
    session: SessionDep,
    context: ContextDep,
    points: Annotated[
        int,
        Query(
            ge=2,
            le=5000,
            description="About how many sizes, log-spaced; a curve with no more comes whole.",
        ),
    ] = 500,
) -> CurveOut:
    """Read the hit-ratio and write-back curves, thinned; every point is exact."""
    return await service.get_curve(session, context, workload_id, points)
