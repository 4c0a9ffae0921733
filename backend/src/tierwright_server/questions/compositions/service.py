"""Several workloads on one machine: finds them, lets the models answer, shows it."""

import asyncio
import math
from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import compose
from tierwright.advise.compose import ComposedCurves, Composition, WorkloadRow
from tierwright.profile.several import Workload
from tierwright_server.common.schemas import WarningOut
from tierwright_server.http.context import Context
from tierwright_server.http.steps import rows_of
from tierwright_server.questions.compositions.schemas import (
    ComposedCurvesOut,
    ComposedRowOut,
    ComposedSizeOut,
    CompositionIn,
    CompositionOut,
)
from tierwright_server.traces.workloads.composing import (
    find_members,
    scaled_parts_out,
)


async def compose_workloads(
    session: AsyncSession,
    context: Context,
    body: CompositionIn,
    *,
    derived: bool = False,
) -> CompositionOut:
    """Answer for the workloads of a request.

    Raises
    ------
    NotFound, NotReady
        One of them is missing or not ready.
    BadInput
        They cannot be composed.
    """
    loads = await find_members(session, context, body.workloads)
    found, curves = await asyncio.to_thread(ask, body, loads)
    time_s = found.characteristic_time_s
    return CompositionOut.showing(
        found,
        characteristic_time_s=time_s if math.isfinite(time_s) else None,
        scaled=scaled_parts_out(found.scaled),
        rows=[
            _row(member.workload_id, row)
            for member, row in zip(body.workloads, found.rows, strict=True)
        ],
        sizes=[ComposedSizeOut.model_validate(each) for each in found.sizes],
        curves=ComposedCurvesOut.model_validate(curves),
        warnings=[WarningOut.model_validate(each) for each in found.warnings],
        derivation=rows_of(found) if derived else None,
    )


def ask(
    body: CompositionIn, loads: Sequence[Workload]
) -> tuple[Composition, ComposedCurves]:
    """Ask the models at one size, and over all sizes."""
    weights = [each.miss_weight for each in body.workloads]
    miss_weights = weights if body.partitioned else None
    found = compose.answer(
        loads,
        ram_pages=body.ram_pages or compose.usual_pages(loads),
        partitioned=body.partitioned,
        miss_weights=miss_weights,
    )
    curves = compose.curves(
        loads, partitioned=body.partitioned, miss_weights=miss_weights
    )
    return found, curves


def _row(workload_id: str, row: WorkloadRow) -> ComposedRowOut:
    return ComposedRowOut.showing(row, workload_id=workload_id)
