"""Decisions about saved scenarios."""

from datetime import timedelta
from typing import Any

import orjson
from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.common import version
from tierwright_server.common.errors import BadInput, Conflict, NotFound
from tierwright_server.http.context import Context
from tierwright_server.http.paging import Page
from tierwright_server.http.preconditions import check_match, etag_of
from tierwright_server.jobs.runs.service import new_id
from tierwright_server.scenarios import repository
from tierwright_server.scenarios.kept import (
    Catalogue,
    KeptAnswer,
    answer,
    compare,
    present_answer,
)
from tierwright_server.scenarios.schemas import (
    OpenedScenario,
    ScenarioIn,
    ScenarioList,
    ScenarioOut,
    ScenarioUpdate,
)
from tierwright_server.storage.names import flush_named
from tierwright_server.storage.tables import Scenario, now

_NAME_INDEX = "scenarios_name"
_RESTORABLE = timedelta(days=1)


_UNKEPT = (
    "no answer was kept: the scenario was saved before answers were kept, or without what "
    "it asks"
)


async def list_scenarios(
    session: AsyncSession,
    context: Context,
    page: Page,
    name: str | None = None,
    question: str | None = None,
) -> ScenarioList:
    """List scenarios, last changed first."""
    rows, total = await repository.page(session, page, name, question)
    catalogue = await Catalogue.load(session, context)
    return ScenarioList(
        items=[ScenarioOut(**_columns(row, catalogue)) for row in rows],
        total=total,
        limit=page.limit,
        offset=page.offset,
    )


async def get_scenario(
    request: Request, session: AsyncSession, context: Context, scenario_id: str
) -> OpenedScenario:
    """Read a scenario, with its kept answer and the current one."""
    row = await _find(session, scenario_id)
    return await _opened(request, session, context, row)


async def _opened(
    request: Request, session: AsyncSession, context: Context, row: Scenario
) -> OpenedScenario:
    columns = _columns(row, await Catalogue.load(session, context))
    kept, asks, made_by = columns["answer"], row.asks, row.model_version
    if kept is None or asks is None or made_by is None:
        return OpenedScenario(
            **columns,
            asks=asks,
            answer_now=None,
            answer_now_reason=_UNKEPT,
            to_compute=[],
            comparison=None,
        )
    now = await present_answer(request, session, context, asks)
    return OpenedScenario(
        **columns,
        asks=asks,
        answer_now=now.answer,
        answer_now_reason=now.reason or None,
        to_compute=list(now.to_compute),
        comparison=None if now.answer is None else compare(kept, made_by, now.answer),
    )


def _columns(row: Scenario, catalogue: Catalogue) -> dict[str, Any]:
    kept = None if row.answer is None else KeptAnswer.model_validate(row.answer)
    return {
        "id": row.id,
        "name": row.name,
        "question": row.question,
        "state": row.state,
        "version": row.version,
        "model_version": row.model_version,
        "present_model_version": version.VERSION,
        "answered_at": row.answered_at,
        "answer": kept,
        "answer_reason": _UNKEPT if kept is None else None,
        "stale": kept is not None
        and (row.model_version != version.VERSION or bool(catalogue.changes(kept))),
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "etag": _etag(row),
    }


def _etag(row: Scenario) -> str:
    return etag_of(row.id, row.version)


async def create_scenario(
    request: Request, session: AsyncSession, context: Context, body: ScenarioIn
) -> OpenedScenario:
    """Keep a screen under a name, and the answer that it shows."""
    _check_state(body.state, context.settings.max_state_bytes)
    if await repository.count(session) >= repository.MAX_SCENARIOS:
        raise Conflict(
            f"there are {repository.MAX_SCENARIOS} scenarios already, which is the "
            "maximum",
            hint="Delete some that are no longer used.",
        )
    scenario = Scenario(
        id=new_id(),
        name=body.name,
        question=body.question,
        state=body.state,
        version=1,
        **await _answer_to_keep(request, session, context, body),
    )
    session.add(scenario)
    await flush_named(session, "scenario", body.name, _NAME_INDEX)
    return await _opened(request, session, context, scenario)


async def update_scenario(
    request: Request,
    session: AsyncSession,
    context: Context,
    scenario_id: str,
    body: ScenarioUpdate,
    if_match: str | None = None,
) -> OpenedScenario:
    """Change a scenario that nobody else has changed meanwhile."""
    _check_state(body.state, context.settings.max_state_bytes)
    kept = await _answer_to_keep(request, session, context, body)
    scenario = await _find(session, scenario_id, lock=True)
    check_match(if_match, _etag(scenario), f"scenario `{scenario.name}`")
    if scenario.version != body.version:
        raise Conflict(
            f"scenario `{scenario.name}` is at version {scenario.version}, but the "
            f"change starts from version {body.version}",
            hint="Open it again, or save under another name: it has been changed in "
            "the meantime.",
        )
    same = (scenario.question, scenario.state) == (body.question, body.state)
    scenario.name = body.name
    scenario.question = body.question
    scenario.state = body.state
    scenario.version += 1
    scenario.updated_at = now()
    if body.asks is not None or not same:
        for column, value in kept.items():
            setattr(scenario, column, value)
    await flush_named(session, "scenario", body.name, _NAME_INDEX)
    return await _opened(request, session, context, scenario)


async def _answer_to_keep(
    request: Request, session: AsyncSession, context: Context, body: ScenarioIn
) -> dict[str, Any]:
    """Return the columns of the answer that is kept; empty ones where nothing is asked.

    Replays are stored on the way, so this comes before anything is locked or changed.
    """
    if body.asks is None or not body.asks.stated():
        return dict.fromkeys(("model_version", "asks", "answer", "answered_at"))
    found = await answer(request, session, context, body.asks)
    return {
        "model_version": version.VERSION,
        # What was not said then takes the usual value of the models that are asked, as the
        # page does.
        "asks": body.asks.model_dump(mode="json", exclude_unset=True),
        "answer": found.model_dump(mode="json"),
        "answered_at": now(),
    }


async def delete_scenario(
    session: AsyncSession, scenario_id: str, if_match: str | None = None
) -> None:
    """Delete a scenario; for a while it can be restored."""
    scenario = await _find(session, scenario_id, lock=True)
    check_match(if_match, _etag(scenario), f"scenario `{scenario.name}`")
    scenario.deleted_at = now()
    await repository.purge(session, now() - _RESTORABLE)


async def restore_scenario(
    request: Request, session: AsyncSession, context: Context, scenario_id: str
) -> OpenedScenario:
    """Undo a deletion, with the answer that was kept."""
    scenario = await repository.get(session, scenario_id, lock=True, deleted=True)
    if scenario is None:
        raise NotFound(
            f"there is no deleted scenario `{scenario_id}`",
            hint="Restore a deleted scenario within a day; later it is gone.",
        )
    name = scenario.name
    scenario.deleted_at = None
    await flush_named(session, "scenario", name, _NAME_INDEX)
    return await _opened(request, session, context, scenario)


async def _find(
    session: AsyncSession, scenario_id: str, *, lock: bool = False
) -> Scenario:
    scenario = await repository.get(session, scenario_id, lock=lock)
    if scenario is None:
        raise NotFound(
            f"there is no scenario `{scenario_id}`",
            hint="Choose another scenario: it may have been deleted. List all: GET "
            "/api/v1/scenarios.",
        )
    return scenario


def _check_state(state: dict[str, Any], limit_bytes: int) -> None:
    try:
        encoded = orjson.dumps(state)
    except (orjson.JSONEncodeError, RecursionError) as error:
        raise BadInput.at("body.state", "…", f"cannot be kept: {error}") from error
    if len(encoded) > limit_bytes:
        raise BadInput.at(
            "body.state",
            f"{len(encoded)} bytes",
            f"is larger than {limit_bytes} bytes",
            hint="Save the page's parameters only, not its results.",
        )
    if b"\\u0000" in encoded:
        raise BadInput.at("body.state", "\\u0000", "holds a NUL character")
