"""Summaries of a workload: what it is like beyond its curves."""

import asyncio
import json
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, status
from pydantic import Field

from tierwright.profile import summaries
from tierwright.profile.document import read_profile
from tierwright.profile.popularity import (
    TOP_SHARES,
    fitted_accesses,
    rank_curve,
    share_of_top,
)
from tierwright.profile.summaries import Device, Distribution, Runs, Summaries, Windows
from tierwright_server.common.errors import NeedsTrace
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import Answer, Body, Identifier
from tierwright_server.http.context import ContextDep, SessionDep
from tierwright_server.http.problems import responses
from tierwright_server.jobs.runs.states import RunKind
from tierwright_server.replays import results
from tierwright_server.replays.analyses import service
from tierwright_server.replays.analyses.schemas import AnalysisOut
from tierwright_server.storage import contents, shared_store
from tierwright_server.storage.contents import ContentKind
from tierwright_server.traces.workloads import service as workloads

router = APIRouter(tags=["summaries"])

NS_PER_S = 10**9


class SummariesIn(Body):
    """Whose summaries to make."""

    workload_id: Identifier


class SummariesOut(AnalysisOut):
    """State of the summaries of a workload."""


class WindowCounts(Answer):
    """Consecutive windows from the start of the trace on; the last may be cut short."""

    accesses: list[int]
    write_accesses: list[int]
    distinct_pages: list[int] = Field(
        description="The working set: distinct pages of each window. [pages]"
    )
    footprint_pages: list[int] = Field(
        description="Distinct pages up to the end of each window. [pages]"
    )


class AccessWindows(WindowCounts):
    """Windows of equally many accesses."""

    window_accesses: int = Field(description="Length of a window. [accesses]")


class TimeWindows(WindowCounts):
    """Windows of equal duration."""

    window_s: float = Field(description="Length of a window. [s]")


@mirrors(
    summaries.Distribution,
    lowest="Smallest value of each bin.",
    highest="Largest value of each bin.",
)
class CountBins(Answer):
    """Counts in logarithmic bins, four to each doubling; empty ones are left out."""


class TimeBins(Answer):
    """Times in logarithmic bins, four to each doubling; empty ones are left out."""

    lowest_s: list[float] = Field(description="Shortest time of each bin. [s]")
    highest_s: list[float] = Field(description="Longest time of each bin. [s]")
    reads: list[int]
    writes: list[int]


class ZipfOut(Answer):
    """A Zipf law fitted to the popularity of pages."""

    exponent: float
    standard_error: float = Field(
        description="If accesses were independent draws from the law; else too small."
    )
    ks_distance: float = Field(
        description="Largest difference of observed and fitted shares; 0 is perfect."
    )
    verdict: Literal["close", "rough", "poor"]
    estimator: str
    quality: str = Field(description="How `ks_distance` is defined.")


class TopShare(Answer):
    """What the most accessed pages take."""

    share: float = Field(description="Share of the pages.")
    pages: int
    access_share: float = Field(description="Their share of the accesses.")


class PopularityOut(Answer):
    """How accesses are spread over pages."""

    rank: list[int] = Field(
        description="Ranks listed, log-spaced; 1 is the most accessed page."
    )
    accesses: list[int] = Field(description="Accesses of the page of each rank.")
    fitted: list[float] | None = Field(
        description="Accesses that the Zipf law expects of each rank; absent without one."
    )
    cumulative_share: list[float] = Field(
        description="Share of the accesses that go to the ranks up to each."
    )
    top: list[TopShare]
    zipf: ZipfOut | None = Field(description="Absent for fewer than three pages.")
    only_read: int = Field(description="Pages that are never written. [pages]")
    only_written: int = Field(description="Pages that are never read. [pages]")
    both: int = Field(description="Pages that are read and written. [pages]")


@mirrors(
    Runs,
    lowest="Fewest requests of a run in each bin.",
    highest="Most requests of a run in each bin.",
    requests="Requests of those runs.",
)
class RunBins(Answer):
    """Sequential runs by length, in logarithmic bins."""


class RequestsOut(Answer):
    """Lengths and order of the requests that are not empty."""

    unit: Literal["bytes", "pages"] = Field(
        description="What lengths count: bytes before requests are split, or pages."
    )
    requests: int
    sizes: CountBins
    read_amount: int = Field(description="Sum of the lengths of the reads.")
    write_amount: int = Field(description="Sum of the lengths of the writes.")
    sequential: int = Field(
        description="Requests that begin where the previous one of their device ended."
    )
    runs: RunBins
    longest_run: int = Field(description="Requests of the longest run.")


@mirrors(
    Device,
    hits="Hits in one LRU cache that all devices share, at each size of `cache_pages`; absent for more than 65,536 devices.",
)
class DeviceCounts(Answer):
    """One device, relation or volume."""


class DevicesOut(Answer):
    """Devices with accesses, the most accessed first."""

    devices: int
    cache_pages: list[int] = Field(description="Powers of two. [pages]")
    rows: list[DeviceCounts]
    others: DeviceCounts | None = Field(description="The sum of those not listed.")


class SummaryTables(Answer):
    """All summaries of a workload; counts are exact."""

    id: str = Field(description="Of the summaries; of the workload for a profile.")
    accesses: int
    write_accesses: int
    distinct_pages: int
    page_bytes: int
    duration_s: float | None
    windows: AccessWindows
    time_windows: TimeWindows | None = Field(description="Absent without times.")
    reuse: CountBins = Field(
        description="Re-accesses by accesses since the last one to their page, the "
        "later one included."
    )
    reuse_time: TimeBins | None = Field(description="Absent without times.")
    popularity: PopularityOut
    requests: RequestsOut
    devices: DevicesOut | None = Field(
        description="Absent for one device, and for a profile, which does not name "
        "devices."
    )


@router.post(
    "/summaries",
    operation_id="create_summaries",
    status_code=status.HTTP_202_ACCEPTED,
    responses=responses(404, 409),
)
async def create_summaries(
    body: SummariesIn, session: SessionDep, context: ContextDep
) -> SummariesOut:
    """Summarise a workload; follow its `run`."""
    subject = await workloads.find_traced(session, body.workload_id)
    row = await service.create(
        session,
        context,
        RunKind.SUMMARIES,
        subject,
        {},
        f"Summaries of {subject[0].name}",
    )
    return SummariesOut(**service.base_of(row))


SummariesId = Annotated[Identifier, Path(description="Id of the summaries.")]
WorkloadId = Annotated[Identifier, Path(description="Id of the workload.")]


@router.get(
    "/summaries/{summaries_id}",
    operation_id="get_summaries",
    responses=responses(404),
)
async def get_summaries(summaries_id: SummariesId, session: SessionDep) -> SummariesOut:
    """Read the state of the summaries."""
    row = await results.find(session, RunKind.SUMMARIES, summaries_id)
    return SummariesOut(**service.base_of(row))


@router.get(
    "/summaries/{summaries_id}/tables",
    operation_id="get_summary_tables",
    responses=responses(404, 409),
)
async def get_summary_tables(
    summaries_id: SummariesId, session: SessionDep, context: ContextDep
) -> SummaryTables:
    """Read the summaries."""
    row = await results.find(session, RunKind.SUMMARIES, summaries_id)
    arrays = await service.load(context, row)
    return await asyncio.to_thread(_tables, summaries_id, _of_arrays(arrays))


@router.get(
    "/workloads/{workload_id}/summaries",
    operation_id="get_workload_summaries",
    responses=responses(404, 409),
)
async def get_workload_summaries(
    workload_id: WorkloadId, session: SessionDep, context: ContextDep
) -> SummaryTables:
    """Read the summaries of a workload, once they have been requested; a profile contains its own."""
    workload, content = await workloads.find_ready(session, workload_id)
    if contents.kind_of(content.summary) is not ContentKind.TRACE:
        path = contents.profile_path(context.settings, content.id)
        await shared_store.here(context.settings, path)
        found = await asyncio.to_thread(_of_profile, path)
        if found is None:
            raise NeedsTrace(
                f"workload `{workload.name}` came without summaries",
                hint="Profile its trace again with `tierwright profile TRACE -o "
                "PROFILE.json`, which also summarises it.",
            )
        return await asyncio.to_thread(_tables, workload.id, found)
    row = await service.find_of(session, RunKind.SUMMARIES, content, {})
    arrays = await service.load(context, row)
    return await asyncio.to_thread(_tables, row[0].id, _of_arrays(arrays))


def _of_arrays(arrays: dict[str, Any]) -> Summaries:
    return Summaries.from_dict(json.loads(arrays["document"].tobytes()))


def _of_profile(path: FilePath) -> Summaries | None:
    return read_profile(path).summaries


def _tables(summaries_id: str, found: Summaries) -> SummaryTables:
    requests = found.requests
    return SummaryTables(
        id=summaries_id,
        accesses=found.accesses,
        write_accesses=found.write_accesses,
        distinct_pages=found.distinct_pages,
        page_bytes=found.page_bytes,
        duration_s=found.duration_s,
        windows=AccessWindows(
            window_accesses=found.windows.length, **_columns(found.windows)
        ),
        time_windows=None
        if found.time_windows is None
        else TimeWindows(
            window_s=found.time_windows.length / NS_PER_S,
            **_columns(found.time_windows),
        ),
        reuse=CountBins.model_validate(found.reuse),
        reuse_time=None if found.reuse_ns is None else _time_bins(found.reuse_ns),
        popularity=_popularity(found),
        requests=RequestsOut.model_validate(requests),
        devices=None
        if found.devices is None
        else DevicesOut.model_validate(found.devices),
    )


def _columns(windows: Windows) -> dict[str, list[int]]:
    return {
        "accesses": windows.accesses,
        "write_accesses": windows.write_accesses,
        "distinct_pages": windows.distinct_pages,
        "footprint_pages": windows.footprint_pages,
    }


def _time_bins(bins: Distribution) -> TimeBins:
    return TimeBins(
        lowest_s=[value / NS_PER_S for value in bins.lowest],
        highest_s=[value / NS_PER_S for value in bins.highest],
        reads=bins.reads,
        writes=bins.writes,
    )


def _popularity(found: Summaries) -> PopularityOut:
    popularity = found.popularity
    counts = (popularity.accesses, popularity.pages)
    curve = rank_curve(*counts)
    tops = [(share, *share_of_top(*counts, share)) for share in TOP_SHARES]
    return PopularityOut(
        rank=curve.rank,
        accesses=curve.accesses,
        fitted=None
        if popularity.zipf is None
        else fitted_accesses(
            popularity.zipf,
            curve.rank,
            accesses=found.accesses,
            distinct_pages=found.distinct_pages,
        ).tolist(),
        cumulative_share=curve.cumulative_share,
        top=[
            TopShare(share=share, pages=pages, access_share=taken)
            for share, pages, taken in tops
        ],
        zipf=None
        if popularity.zipf is None
        else ZipfOut.model_validate(popularity.zipf),
        only_read=popularity.only_read,
        only_written=popularity.only_written,
        both=popularity.both,
    )
