"""The recording that is replayed for a workload: its own trace, or that of the workload it was scaled from."""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.profile.curve import Curve
from tierwright.profile.production import Scaled
from tierwright_server.common.errors import NeedsTrace
from tierwright_server.http.context import Context
from tierwright_server.storage import contents
from tierwright_server.storage.contents import ContentKind
from tierwright_server.storage.tables import Content, Workload
from tierwright_server.traces.curves import CurveCache
from tierwright_server.traces.workloads import service as workloads

_OF_CONTENT = """
    SELECT id FROM workloads WHERE content_id = %(id)s ORDER BY created_at, id LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class Recording:
    """What is replayed for a workload.

    Attributes
    ----------
    workload : Workload
        That has the trace.
    content : Content
        The trace.
    scaled : Scaled or None
        How the workload in question was scaled from it; None where it has the trace itself.
    """

    workload: Workload
    content: Content
    scaled: Scaled | None = None

    @property
    def accesses(self) -> int:
        """Accesses of the trace."""
        found: int = self.content.summary["accesses"]
        return found


async def find(
    context: Context, workload: Workload, content: Content, curve: Curve
) -> Recording:
    """Find what is replayed for a workload.

    Parameters
    ----------
    context : Context
        Of the request.
    workload, content : Workload, Content
        In question.
    curve : Curve
        Of the workload.

    Raises
    ------
    NeedsTrace
        If there is no trace, or not any more.
    """
    if contents.kind_of(content.summary) is ContentKind.TRACE:
        return Recording(workload, content)
    source = content.summary.get("scaled_from") or {}
    if curve.scaled is None or not source.get("content_id"):
        workloads.check_traced(workload, content)
    rows = await context.reads.rows(_OF_CONTENT, {"id": source["content_id"]})
    if not rows:
        raise NeedsTrace(
            f"workload `{workload.name}` was scaled from `{source['name']}`, which was deleted "
            "with its trace, so nothing can be replayed",
            hint="Import that trace again: the scaled workload finds it by its content.",
        )
    recorded, trace = await workloads.find_kept(context, rows[0][0])
    return Recording(recorded, trace, curve.scaled)


async def find_any(
    context: Context, workload: Workload, content: Content, curve: Curve
) -> Recording | None:
    """Find the same; None where there is no trace to replay."""
    try:
        return await find(context, workload, content, curve)
    except NeedsTrace:
        return None


@dataclass(frozen=True, slots=True)
class Replayed:
    """What is replayed for a workload, at sizes of the workload.

    Attributes
    ----------
    workload : Workload
        That was asked for.
    content : Content
        The trace that is replayed: its own, or its recording.
    scaled : Curve or None
        Its curve, where it was scaled to production; sizes are then of one machine of it.
    """

    workload: Workload
    content: Content
    scaled: Curve | None


async def find_replayed(
    session: AsyncSession, context: Context, workload_id: str
) -> Replayed:
    """Find what is replayed for a workload that need not have a trace itself.

    Raises
    ------
    NeedsTrace
        If there is no trace, or not any more.
    NotReady
        As `service.find_ready`.
    """
    workload, content = await workloads.find_ready(session, workload_id)
    if contents.kind_of(content.summary) is ContentKind.TRACE:
        return Replayed(workload, content, None)
    curve = await context.of(CurveCache).get(
        context.settings, content.id, content.summary
    )
    recording = await find(context, workload, content, curve)
    return Replayed(workload, recording.content, curve)
