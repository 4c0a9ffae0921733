"""Curves by window: how the misses of a workload change along the trace."""

import math
from typing import Annotated

from fastapi import APIRouter, Path, status
from pydantic import Field

from tierwright.profile.measure import USUAL_WINDOWS, usual_window_sizes
from tierwright_server.common.errors import BadInput
from tierwright_server.common.schemas import Answer, Body, Identifier, Pages
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.problems import responses
from tierwright_server.jobs.runs.states import RunKind
from tierwright_server.replays import results
from tierwright_server.replays.analyses import service
from tierwright_server.replays.analyses.schemas import AnalysisOut
from tierwright_server.traces.workloads import service as workloads

router = APIRouter(prefix="/windows", tags=["windows"])

MOST_WINDOWS = 2000
NS_PER_S = 10**9


class WindowsIn(Body):
    """How to cut the trace, and the cache sizes to look at."""

    workload_id: Identifier
    windows: Annotated[
        int | None,
        Field(
            strict=True,
            ge=1,
            le=MOST_WINDOWS,
            description="Windows of equally many accesses; 64 unless given.",
        ),
    ] = None
    window_s: Annotated[
        float | None,
        Field(
            gt=0, le=1e9, description="Or windows of equal duration, for this many s."
        ),
    ] = None
    sizes: (
        Annotated[
            list[Annotated[Pages, Field(ge=1, le=2**32 - 1)]],
            Field(min_length=1, max_length=16),
        ]
        | None
    ) = Field(
        default=None,
        description="Cache sizes; absent: 0.1, 1, 5, 20 and 50 % of the distinct pages.",
    )


class WindowsOut(AnalysisOut):
    """A workload cut into windows."""

    window_accesses: int | None
    window_s: float | None
    sizes: list[int] = Field(description="Cache sizes. [pages]")


class WindowCurves(Answer):
    """LRU misses of each window, exact; caches are carried over from window to window."""

    id: str
    pages: list[int] = Field(description="Cache sizes. [pages]")
    page_bytes: int
    distinct_pages: int
    first_access: list[int] = Field(description="Accesses before each window.")
    start_s: list[float] | None = Field(
        description="Time since the start of the trace; absent for windows of accesses."
    )
    accesses: list[int]
    write_accesses: list[int]
    pages_written: list[int] = Field(
        description="Distinct pages written in each window: what a checkpoint at its end writes, if one at its "
        "start left nothing dirty. [pages]"
    )
    first_references: list[int] = Field(
        description="Accesses to pages that the trace had not touched before."
    )
    misses: list[list[int]] = Field(
        description="By window, then by size.", json_schema_extra={"x-by": "pages"}
    )


@router.post(
    "",
    operation_id="create_windows",
    status_code=status.HTTP_202_ACCEPTED,
    responses=responses(404, 409),
)
async def create_windows(
    body: WindowsIn, session: SessionDep, context: ContextDep
) -> WindowsOut:
    """Count the misses of consecutive windows; follow its `run`."""
    subject = await workloads.find_traced(session, body.workload_id)
    workload, content = subject
    summary = content.summary
    if body.windows is not None and body.window_s is not None:
        raise BadInput.at(
            "body.window_s",
            body.window_s,
            "windows are cut one way: by count or by time",
        )
    parameters: dict[str, object] = {
        "sizes": usual_window_sizes(summary["distinct_pages"])
        if body.sizes is None
        else sorted(set(body.sizes))
    }
    if body.window_s is None:
        count = body.windows or USUAL_WINDOWS
        parameters["window_accesses"] = math.ceil(summary["accesses"] / count)
    else:
        duration_s = summary["duration_s"]
        if duration_s is None:
            raise BadInput.at(
                "body.window_s",
                body.window_s,
                "this trace records no times",
                hint="Cut it by accesses: give `windows`.",
            )
        if duration_s / body.window_s > MOST_WINDOWS:
            raise BadInput.at(
                "body.window_s",
                body.window_s,
                f"makes more than {MOST_WINDOWS:,} windows of {duration_s:g} s",
                hint=f"Give at least {duration_s / MOST_WINDOWS:.3g} s.",
            )
        parameters["window_ns"] = max(1, round(body.window_s * NS_PER_S))
    row = await service.create(
        session,
        context,
        RunKind.WINDOWS,
        subject,
        parameters,
        f"Windows of {workload.name}",
    )
    return _out(row)


@router.get("/{windows_id}", operation_id="get_windows", responses=responses(404))
async def get_windows(
    windows_id: Annotated[Identifier, Path(description="Id of the windows.")],
    session: SessionDep,
) -> WindowsOut:
    """Read the state of the windows."""
    return _out(await results.find(session, RunKind.WINDOWS, windows_id))


@router.get(
    "/{windows_id}/curves",
    operation_id="get_window_curves",
    responses=responses(404, 409),
)
async def get_window_curves(
    windows_id: Annotated[Identifier, Path(description="Id of the windows.")],
    session: SessionDep,
    context: ContextDep,
) -> WindowCurves:
    """Read the misses of every window."""
    row = await results.find(session, RunKind.WINDOWS, windows_id)
    arrays = await service.load(context, row)
    starts = arrays["start_ns"]
    return WindowCurves(
        id=windows_id,
        pages=arrays["pages"].tolist(),
        page_bytes=int(arrays["page_bytes"]),
        distinct_pages=int(arrays["distinct_pages"]),
        first_access=arrays["first_access"].tolist(),
        start_s=((starts - starts[0]) / NS_PER_S).tolist() if starts.size else None,
        accesses=arrays["window_accesses"].tolist(),
        write_accesses=arrays["window_write_accesses"].tolist(),
        pages_written=arrays["pages_written"].tolist(),
        first_references=arrays["first_references"].tolist(),
        misses=arrays["misses"].tolist(),
    )


def _out(row: results.Row) -> WindowsOut:
    parameters = row[0].inputs
    window_ns = parameters.get("window_ns")
    return WindowsOut(
        **service.base_of(row),
        window_accesses=parameters.get("window_accesses"),
        window_s=None if window_ns is None else window_ns / NS_PER_S,
        sizes=parameters["sizes"],
    )
