"""Several measurements of one system as one workload."""

import asyncio

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.profile.given.combine import combined
from tierwright_server.common.errors import BadInput
from tierwright_server.http.context import Context
from tierwright_server.storage import contents
from tierwright_server.storage.contents import ContentKind
from tierwright_server.storage.tables import Workload
from tierwright_server.traces.curves import read_profile
from tierwright_server.traces.workloads import given, service
from tierwright_server.traces.workloads.evidence_schemas import MeasurementsIn


async def create_combined(
    session: AsyncSession, context: Context, body: MeasurementsIn
) -> Workload:
    """Create a workload of several that are curves from the counters of one system.

    Raises
    ------
    NotFound, NotReady
        One of them is missing, or is still being read; names it.
    BadInput
        One is named twice or is no curve from counters, or they do not fit together; names each by its place.
    """
    profiles, places = [], []
    for at, workload_id in enumerate(body.workload_ids):
        place, before = f"body.workload_ids.{at}", body.workload_ids.index(workload_id)
        if before < at:
            raise BadInput.at(
                place,
                workload_id,
                f"is that of body.workload_ids.{before} already",
                hint="Name each measurement once.",
            )
        workload, content = await service.find_ready(session, workload_id)
        if contents.kind_of(content.summary) is not ContentKind.CURVE:
            raise BadInput.at(
                place,
                workload.name,
                "is not a curve from the counters of one system",
                hint="Name workloads that were made from counters.",
            )
        profiles.append(
            await asyncio.to_thread(read_profile, context.settings, content.id)
        )
        places.append(place)
    made = await asyncio.to_thread(combined, profiles, places)
    return await given.create_from_profile(session, context, body.name, made, None)
