"""Several workloads on one machine: found with their rates, and kept as the workload of a shared cache."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.common.errors import BadInput as ModelError
from tierwright.evaluate.compose.composed import composed_profile
from tierwright.profile.document import Profile
from tierwright.profile.production import ScaledParts
from tierwright.profile.several import StatedRate, distinct_names, workload_of
from tierwright.profile.several import Workload as Load
from tierwright.profile.thinning import error_bounded
from tierwright_server.common.errors import BadInput
from tierwright_server.http.context import Context
from tierwright_server.storage import contents
from tierwright_server.storage.contents import ContentKind
from tierwright_server.storage.shared_cache import SharedCache
from tierwright_server.storage.tables import Content, Workload
from tierwright_server.traces.curves import read_profile
from tierwright_server.traces.workloads import given, service
from tierwright_server.traces.workloads.composing_schemas import (
    ComposedMember,
    ComposedWorkloadIn,
    ScaledPartsOut,
)
from tierwright_server.traces.workloads.scaling_schemas import KnownErrorOut


class KeptProfiles:
    """Keeps the thinned profiles of the contents asked for last: a content's never changes.

    Parameters
    ----------
    most_bytes : int
        Bytes of the profiles kept.
    """

    def __init__(self, most_bytes: int) -> None:
        self._found = SharedCache[Profile](most_bytes, _bytes_of)

    async def of(
        self, context: Context, workload: Workload, content: Content
    ) -> Profile:
        """Return the profile of a workload, with what the reader of its own file noticed."""
        whole = await service.load_curve(context, workload, content)

        async def made() -> Profile:
            if contents.kind_of(content.summary) is not ContentKind.TRACE:
                return await asyncio.to_thread(
                    read_profile, context.settings, content.id
                )
            thinned, off = await asyncio.to_thread(error_bounded, whole)
            return Profile(thinned, content.summary["duration_s"], thinned_error=off)

        found = await self._found.get(content.id, made)
        return replace(found, curve=found.curve.with_notes(whole.notes))


def _bytes_of(profile: Profile) -> int:
    curve = profile.curve
    columns = (curve.pages, curve.misses_at, curve.write_backs_at)
    return sum(each.nbytes for each in columns if isinstance(each, np.ndarray))


async def find_members(
    session: AsyncSession, context: Context, members: Sequence[ComposedMember]
) -> list[Load]:
    """Find several workloads with their rates, in the order given.

    Raises
    ------
    NotFound, NotReady
        One of them is missing, or is still being read; names it.
    BadInput
        The rate of one is unknown or stated twice.
    """
    rows = [await service.find_ready(session, each.workload_id) for each in members]
    names = distinct_names([workload.name for workload, _ in rows])
    found = []
    for at, (member, name, (workload, content)) in enumerate(
        zip(members, names, rows, strict=True)
    ):
        rate = _stated(member, f"body.workloads.{at}")
        profile = await context.of(KeptProfiles).of(context, workload, content)
        try:
            found.append(workload_of(name, profile, rate))
        except ModelError as error:
            raise BadInput.at(
                f"body.workloads.{at}.accesses_per_s",
                None,
                error.message,
                hint="State its accesses per second.",
            ) from error
    return found


def _stated(member: ComposedMember, where: str) -> StatedRate | None:
    rate, times = member.accesses_per_s, member.times_recorded
    if rate is not None and times is not None:
        raise BadInput.at(
            f"{where}.times_recorded",
            times,
            "cannot be combined with `accesses_per_s`: the rate is stated twice",
            hint="State one of them.",
        )
    if rate is not None:
        return StatedRate(rate)
    return None if times is None else StatedRate(times, relative=True)


async def create_composed(
    session: AsyncSession, context: Context, body: ComposedWorkloadIn
) -> Workload:
    """Compose several workloads in one shared cache, and keep that as a workload beside them."""
    loads = await find_members(session, context, body.workloads)
    profile = await asyncio.to_thread(composed_profile, loads)
    return await given.create_from_profile(
        session,
        context,
        body.name,
        profile,
        None,
        {
            "composed_from": [
                {
                    "name": load.name,
                    "workload_id": member.workload_id,
                    "accesses_per_s": load.accesses_per_s,
                }
                for member, load in zip(body.workloads, loads, strict=True)
            ]
        },
    )


def scaled_parts_out(parts: ScaledParts | None) -> ScaledPartsOut | None:
    """Show which workloads of a composition were scaled."""
    if parts is None:
        return None
    known = parts.known_error
    return ScaledPartsOut(
        workloads=list(parts.names),
        known_error=None if known is None else KnownErrorOut(**known.to_dict()),
    )
