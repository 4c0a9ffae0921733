"""What every check by replay has in common: its place in the API, its replays, its words."""

import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise.checks.checked import Checked
from tierwright.advise.checks.points import Replay
from tierwright.evaluate.page_flow import decision
from tierwright_server.common.errors import BadInput
from tierwright_server.common.result_ids import result_id
from tierwright_server.common.schemas import Body
from tierwright_server.common.version import VERSION
from tierwright_server.http.context import Context
from tierwright_server.questions import point as questions_point
from tierwright_server.questions.compare import service as evaluations
from tierwright_server.questions.point import Point
from tierwright_server.questions.point_schemas import EvaluationIn
from tierwright_server.questions.replay_checks.schemas import (
    CheckedAnswer,
    CheckedFigure,
)
from tierwright_server.replays import kept, points
from tierwright_server.replays.sweeps import service as sweeps
from tierwright_server.replays.sweeps.schemas import SweepOut
from tierwright_server.replays.sweeps.work import replay_all
from tierwright_server.storage import contents
from tierwright_server.storage.tables import Content, Workload
from tierwright_server.traces.workloads import service as workloads

Counters = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Asking:
    """A request for a check, and what answers it."""

    request: Request
    session: AsyncSession
    context: Context


@dataclass(frozen=True, slots=True)
class Check:
    """The check of one answer.

    Attributes
    ----------
    path, operation_id, summary : str
        In the API.
    body : type
        The question, as its answer is asked for.
    answer : callable
        Makes the check, or the job that replays for it.
    """

    path: str
    operation_id: str
    summary: str
    body: type[Body]
    answer: Callable[[Asking, Any], Awaitable[CheckedAnswer | SweepOut]]


async def replayed(
    asking: Asking, asked: EvaluationIn
) -> tuple[Point, Counters | SweepOut]:
    """Counters of every scheme at a point."""
    point = await questions_point.find_point(asking.session, asking.context, asked)
    found = evaluations.compute(asked, point)
    wanted = {
        name: Replay("scheme", name, at.ram_pages, at.flash_pages, at.warm_up)
        for name, at in decision.replay_points(found).items()
    }
    return point, await counted(asking, point.workload, point.content, wanted)


async def counted(
    asking: Asking, workload: Workload, content: Content, wanted: Mapping[str, Replay]
) -> Counters | SweepOut:
    """Counters of replays: kept, made here, or left to a job where that takes long.

    Raises
    ------
    BadInput
        If a replay is impossible.
    Conflict
        If the workload holds no trace, or the client has disconnected.
    """
    workloads.check_traced(workload, content)
    session, settings = asking.session, asking.context.settings
    configurations = {name: _configuration(each) for name, each in wanted.items()}
    keys = {name: each["key"] for name, each in configurations.items()}
    known = await kept.results(session, content.id, list(keys.values()))
    lacking = [each for name, each in configurations.items() if keys[name] not in known]
    if lacking:
        takes_s = points.expected_s(content.summary["accesses"], len(lacking))
        if takes_s > settings.replay_inline_s:
            return await sweeps.create_replays(
                session, workload, content, list(configurations.values())
            )
        # Nobody else needs to wait for the connection meanwhile.
        await session.commit()
        trace = contents.existing_trace(settings, content.id)
        made = await _make(asking.request, trace, lacking)
        await kept.keep(session, content.id, made)
        known = known | made
    for name, key in keys.items():
        if "error" in known[key]:
            raise BadInput(f"{name}: {known[key]['error']}", hint=known[key]["hint"])
    return {name: known[key] for name, key in keys.items()}


def _configuration(replay: Replay) -> dict[str, Any]:
    subject = {
        "family": replay.family,
        "name": replay.name,
        "options": dict(replay.options),
        "ram_pages": replay.ram_pages,
        "flash_pages": replay.flash_pages,
        # Replays without one keep the keys that they always had.
        **({"warm_up": replay.warm_up} if replay.warm_up else {}),
    }
    return {"key": result_id({**subject, "core_version": VERSION}), **subject}


async def _make(
    request: Request, trace: Path, configurations: list[dict[str, Any]]
) -> dict[str, dict[str, Any]]:

    def replay(stop: threading.Event) -> dict[str, dict[str, Any]] | None:
        return replay_all(trace, configurations, lambda *_: not stop.is_set())

    return await points.unless_gone(request, replay)


def shown(found: Checked) -> CheckedAnswer:
    """Show a check in the shape of the API."""
    return CheckedAnswer(
        sentence=found.finding,
        finding=found.decided,
        rows=[CheckedFigure.model_validate(each) for each in found.rows],
        basis=found.basis,
    )
