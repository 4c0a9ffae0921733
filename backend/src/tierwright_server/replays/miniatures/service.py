"""Decisions about miniatures: what is estimated, what is known already."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import miniature as question
from tierwright.common.core_errors import Cancelled, SimulatorError
from tierwright.common.wording import counted
from tierwright.simulate import replay
from tierwright.trace.reading import Trace
from tierwright_server.common.errors import BadInput, simulator_message
from tierwright_server.common.older_models import about_version
from tierwright_server.common.result_ids import result_id
from tierwright_server.common.version import VERSION
from tierwright_server.http.context import Context
from tierwright_server.jobs.runs.schemas import RunOut
from tierwright_server.jobs.runs.states import RunKind, RunStatus
from tierwright_server.replays import kept, results
from tierwright_server.replays.miniatures.schemas import (
    MiniatureIn,
    MiniatureOut,
    MiniatureRow,
)
from tierwright_server.replays.miniatures.work import asked
from tierwright_server.replays.results import Asked
from tierwright_server.replays.simulator import registry
from tierwright_server.replays.simulator.schemas import (
    ContenderIn,
    Family,
    SimulatorItem,
)
from tierwright_server.replays.sweeps.service import sizes_of
from tierwright_server.storage import contents
from tierwright_server.storage.tables import Result, Run
from tierwright_server.traces.curves import CurveCache
from tierwright_server.traces.workloads import service as workloads

_INTERVALS = "of what shrinks, with roughness, none at cliffs"
"""How they are stated: kept rows whose intervals were narrower are of other keys, and made anew."""
Configuration = dict[str, Any]


async def create_miniature(
    session: AsyncSession, context: Context, body: MiniatureIn
) -> MiniatureOut:
    """Find the estimate of these inputs, or queue it; one that ended early goes on."""
    workload, content = await workloads.find_traced(session, body.workload_id)
    item = _policy(body)
    configurations = [
        _configuration(body, item, pages) for pages in sizes_of(body.sizes)
    ]
    trace = contents.existing_trace(context.settings, content.id)
    await asyncio.to_thread(partial(_check, trace, configurations, body))
    keys = [entry["key"] for entry in configurations]
    miniature_id = result_id({"content_id": content.id, "replays": keys})

    async def is_done(_: Result | None) -> bool:
        return set(keys) <= await kept.done(session, content.id, keys)

    asked = Asked(
        RunKind.MINIATURE,
        miniature_id,
        workload,
        content,
        body.model_dump(mode="json"),
        configurations,
        f"Estimate {item.title} over {workload.name} at {counted(len(keys), 'size')}, from "
        f"{100 * body.sample_rate:g} % of the pages",
    )
    miniature, run = await results.obtain(session, asked, is_done)
    return await _out(session, context, miniature, run, workload.id)


async def get_miniature(
    session: AsyncSession,
    context: Context,
    miniature_id: str,
    workload_id: str | None,
) -> MiniatureOut:
    """Read an estimate as far as it is."""
    miniature, run = await results.find(session, RunKind.MINIATURE, miniature_id)
    through = await workloads.asked_through(
        session, workload_id, miniature.content_id, miniature.workload_id
    )
    return await _out(session, context, miniature, run, through)


def _policy(body: MiniatureIn) -> SimulatorItem:
    contender = ContenderIn(family=Family.POLICY, name=body.policy)
    return registry.find(contender, "body.policy", key="")


def _configuration(body: MiniatureIn, item: SimulatorItem, pages: int) -> Configuration:
    subject = {"policy": item.name, "options": dict(body.options), "pages": pages}
    sample = {"sample_rate": body.sample_rate, "seed": body.seed}
    return {
        "key": result_id(
            {
                "miniature": subject,
                **sample,
                "core_version": VERSION,
                "intervals": _INTERVALS,
            }
        ),
        **subject,
    }


def _check(trace: Path, configurations: list[Configuration], body: MiniatureIn) -> None:
    """Let the core refuse what is impossible, before anything is replayed."""
    ends = [configurations[0], configurations[-1]]
    try:
        # The first call of progress comes after all checks: its cancel ends them.
        replay.miniatures(
            Trace(trace),
            [asked(entry) for entry in ends],
            body.sample_rate,
            seed=body.seed,
            on_progress=lambda *_: False,
        )
    except Cancelled:
        return
    except SimulatorError as error:
        message, hint = simulator_message(error)
        raise BadInput.at(
            "body.options" if body.options else "body",
            body.options or None,
            message,
            hint=hint,
        ) from error


async def _out(
    session: AsyncSession,
    context: Context,
    miniature: Result,
    run: Run | None,
    workload_id: str,
) -> MiniatureOut:
    inputs = MiniatureIn.model_validate(
        {**miniature.inputs, "workload_id": workload_id}
    )
    content = await results.content_of(session, miniature)
    keys = [entry["key"] for entry in miniature.plan]
    found = await kept.results(session, miniature.content_id, keys)
    curve = await context.of(CurveCache).get(
        context.settings, content.id, content.summary
    )

    rows = [
        MiniatureRow.model_validate(
            question.estimate_of(
                entry["pages"],
                found[entry["key"]],
                question.lru_hit_ratio_of(curve, entry["pages"]),
            )
        )
        for entry in miniature.plan
        if entry["key"] in found
    ]
    ended = RunStatus(run.status) if run else RunStatus.FAILED
    summary = content.summary
    return MiniatureOut(
        id=miniature.id,
        workload_id=workload_id,
        content_id=miniature.content_id,
        status=RunStatus.SUCCEEDED if len(rows) == len(keys) else ended,
        inputs=inputs,
        title=_policy(inputs).title,
        sizes=[entry["pages"] for entry in miniature.plan],
        accesses=summary["accesses"],
        distinct_pages=summary["distinct_pages"],
        page_bytes=summary["page_bytes"],
        estimator=question.ESTIMATOR,
        miniature_rate=inputs.sample_rate / question.MINIATURES,
        interval_confidence=question.INTERVAL_CONFIDENCE,
        rows=rows,
        warnings=[
            *about_version(miniature.core_version),
            *await workloads.cautions_of(session, workload_id, content),
        ],
        core_version=miniature.core_version,
        created_at=miniature.created_at,
        run=RunOut.model_validate(run) if run else None,
    )
