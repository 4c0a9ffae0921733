"""Workloads scaled to production: made of a workload that is here, by a law of the models."""

import asyncio
from dataclasses import replace
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import scale
from tierwright.advise.scale import ScaledWorkload
from tierwright.advise.scale.request import mean_and_peak
from tierwright.common.units import format_bytes
from tierwright.profile import relations
from tierwright.profile.document import Profile
from tierwright.profile.production import Production, Scaled
from tierwright.profile.rates import RateSeries, series_of, series_of_table
from tierwright.profile.relations import RelationReuse
from tierwright.profile.thinning import error_bounded
from tierwright.trace.reading import Trace
from tierwright_server.common.errors import BadInput
from tierwright_server.common.schemas import WarningOut
from tierwright_server.http.context import Context
from tierwright_server.storage import contents
from tierwright_server.storage.contents import ContentKind
from tierwright_server.storage.shared_cache import SharedCache
from tierwright_server.storage.tables import Content, Workload
from tierwright_server.traces.curves import knowing_new_pages, read_profile
from tierwright_server.traces.workloads import given, joining, service
from tierwright_server.traces.workloads.joined_source import recorded_page_bytes
from tierwright_server.traces.workloads.scaling_schemas import (
    KeptWorkloadOut,
    KnownErrorOut,
    ProductionIn,
    ProductionOut,
    RelationList,
    RelationOut,
    ScaledWorkloadIn,
    ScalePreviewOut,
    SizeScaledOut,
    StatedProductionOut,
    rates_out,
)

_MOST_ACCESSES = 200_000_000
"""Relations of a longer trace take more than some ten seconds to count."""


class KeptRelations:
    """Keeps the relations of the contents asked for last: a content's never change."""

    def __init__(self, most_bytes: int) -> None:
        self._found = SharedCache[tuple[RelationReuse, ...]](most_bytes, _bytes_of)

    async def of(self, context: Context, content: Content) -> tuple[RelationReuse, ...]:
        """Return the relations of a content, counted once in a thread."""
        return await self._found.get(
            content.id, lambda: asyncio.to_thread(_relations, context, content)
        )


def _bytes_of(found: tuple[RelationReuse, ...]) -> int:
    return sum(
        column.nbytes
        for one in found
        for times in (one.reuse, one.stays)
        for column in (times.lowest, times.highest, times.ended, times.cut_off)
    )


def _relations(context: Context, content: Content) -> tuple[RelationReuse, ...]:
    if contents.kind_of(content.summary) is not ContentKind.TRACE:
        return read_profile(context.settings, content.id).relations
    if content.summary["accesses"] > _MOST_ACCESSES:
        return ()
    path = contents.existing_trace_now(context.settings, content.id)
    return relations.measured(Trace(path), names=True)


async def get_relations(
    session: AsyncSession, context: Context, workload_id: str
) -> RelationList:
    """Read the relations of a workload; none where it tells no more than one."""
    _, content = await service.find_ready(session, workload_id)
    found = await context.of(KeptRelations).of(context, content)
    return RelationList(
        items=[
            RelationOut(
                number=number,
                name=one.name,
                grows=one.grows,
                relations=one.relations,
                accesses=one.accesses,
                write_accesses=one.write_accesses,
                distinct_pages=one.distinct_pages,
            )
            for number, one in enumerate(found, 1)
        ]
    )


async def preview(
    session: AsyncSession, context: Context, workload_id: str, body: ProductionIn
) -> ScalePreviewOut:
    """Scale a workload and keep nothing; what was kept of the same before is named."""
    *_, found = await _scaled_with_pages(session, context, workload_id, body)
    kept = await given.kept_already(session, found.profile)
    return ScalePreviewOut(
        finding=found.finding,
        production=production_out(found.scaled),
        sizes=[SizeScaledOut.model_validate(one) for one in found.sizes],
        factors=list(found.factors),
        existing=None if kept is None else KeptWorkloadOut(id=kept.id, name=kept.name),
        warnings=[WarningOut.model_validate(one) for one in found.warnings],
    )


async def create_scaled(
    session: AsyncSession, context: Context, workload_id: str, body: ScaledWorkloadIn
) -> Workload:
    """Scale a workload, and keep it as one of its own beside it."""
    workload, content, found = await _scaled_with_pages(
        session, context, workload_id, body
    )
    return await given.create_from_profile(
        session,
        context,
        body.name,
        found.profile,
        None,
        {"scaled_from": _source(workload, content)},
    )


async def _scaled_with_pages(
    session: AsyncSession, context: Context, workload_id: str, body: ProductionIn
) -> tuple[Workload, Content, ScaledWorkload]:
    asked, recorded = await service.find_ready(session, workload_id)
    workload, content = await joining.with_pages_of(
        session, asked, recorded, body.page_bytes
    )
    found = await _scaled(context, workload, content, recorded, body)
    return workload, content, found


def _source(workload: Workload, content: Content) -> dict[str, Any]:
    traced = contents.kind_of(content.summary) is ContentKind.TRACE
    return {
        "workload_id": workload.id,
        "name": workload.name,
        # What is replayed for the scaled workload, whichever workload has it then.
        "content_id": content.id if traced else None,
    }


async def _scaled(
    context: Context,
    workload: Workload,
    content: Content,
    recorded: Content,
    body: ProductionIn,
) -> ScaledWorkload:
    curve = await service.load_curve(context, workload, content)
    if curve.scaled is not None:
        raise BadInput(
            f"workload `{workload.name}` was scaled already",
            hint="Scale the workload of the recording.",
        )
    if contents.kind_of(content.summary) is ContentKind.TRACE:
        thinned, off = await asyncio.to_thread(error_bounded, curve)
        profile = Profile(
            thinned,
            content.summary["duration_s"],
            thinned_error=off,
            relations=await _numbered_as(context, content, recorded),
        )
    else:
        profile = await asyncio.to_thread(read_profile, context.settings, content.id)
    if body.new_pages:
        _check_counted_as_recorded(body.new_pages, content, recorded)
        known = await asyncio.to_thread(
            knowing_new_pages, body.new_pages, profile.curve
        )
        profile = replace(profile, curve=known)
    return await asyncio.to_thread(
        scale.answer,
        profile,
        **_asked(body),
        recorded_page_bytes=recorded_page_bytes(workload) or curve.page_bytes,
    )


def _check_counted_as_recorded(
    new_pages: int, content: Content, recorded: Content
) -> None:
    """Refuse pages that are counted in those of the recording where others of production stand in their place."""
    if content.id != recorded.id:
        size = format_bytes(recorded.summary["page_bytes"])
        raise BadInput.at(
            "body.new_pages",
            new_pages,
            f"are counted in the pages of {size} of the recording, and production has larger ones",
            hint="Leave them out, or scale the workload whose pages are joined.",
        )


async def _numbered_as(
    context: Context, content: Content, recorded: Content
) -> tuple[RelationReuse, ...]:
    """Return the relations of a content in the order of the recorded one, whose numbers are asked with."""
    found = await context.of(KeptRelations).of(context, content)
    if content.id == recorded.id:
        return found
    listed = await context.of(KeptRelations).of(context, recorded)
    place = {one.name: at for at, one in enumerate(listed)}
    return tuple(sorted(found, key=lambda one: place.get(one.name, len(place))))


def _asked(body: ProductionIn) -> dict[str, Any]:
    rate = mean_and_peak(
        _series(body),
        body.accesses_per_s,
        body.units_per_s,
        body.accesses_per_unit,
        body.peak_accesses_per_s,
    )
    return {
        "production": Production(
            data_bytes=body.data_bytes,
            **rate,
            write_share=body.write_share,
            growth_per_year=body.growth_per_year,
            machines=body.machines,
            replicas=body.replicas,
            page_bytes=body.page_bytes,
        ),
        "per_unit": body.units_per_s is not None,
        "relation_factors": dict(body.relation_factors),
        **{
            key: getattr(body, key)
            for key in (
                "law",
                "recorded_data_bytes",
                "clients",
                "accesses_per_unit",
                "tau_accesses",
                "fixed",
                "exponent",
            )
        },
    }


def _series(body: ProductionIn) -> RateSeries | None:
    if body.rates is not None and body.rates_table is not None:
        raise BadInput.at(
            "body.rates_table",
            None,
            "cannot be stated beside `rates`",
            hint="State one of the two.",
        )
    if body.rates_table is not None:
        return series_of_table(body.rates_table, place="body.rates_table")
    if body.rates is None:
        return None
    return series_of(body.rates, step_s=body.rates_step_s, place="body.rates")


def production_out(scaled: Scaled) -> ProductionOut:
    """Show how a workload was scaled."""
    known = scaled.known_error
    return ProductionOut(
        law=scaled.law,
        factor=scaled.factor,
        known_error=None if known is None else KnownErrorOut(**known.to_dict()),
        production=StatedProductionOut(
            **{
                **scaled.production.to_dict(),
                "rates": rates_out(scaled.production.to_dict()["rates"]),
            }
        ),
        recorded_data_bytes=scaled.recorded_data_bytes,
        data_stated=scaled.data_stated,
        tau_accesses=scaled.tau_accesses,
        per_unit=scaled.per_unit,
        recorded_page_bytes=scaled.recorded_page_bytes,
    )
