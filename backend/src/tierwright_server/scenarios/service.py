"""Decisions about saved scenarios."""

from typing import Any

import orjson
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright_server.context import Context
from tierwright_server.errors import BadInput, Conflict, NotFound
from tierwright_server.runs.service import new_id
from tierwright_server.scenarios import repository
from tierwright_server.scenarios.schemas import (
    ScenarioIn,
    ScenarioList,
    ScenarioOut,
    ScenarioUpdate,
)
from tierwright_server.tables import Scenario, now

_NAME_INDEX = "scenarios_name"


async def list_scenarios(
    session: AsyncSession, limit: int, offset: int
) -> ScenarioList:
    """List scenarios, last changed first."""
    rows, total = await repository.page(session, limit, offset)
    return ScenarioList(
        items=[ScenarioOut.model_validate(row) for row in rows],
        total=total,
        limit=limit,
        offset=offset,
    )


async def get_scenario(session: AsyncSession, scenario_id: str) -> ScenarioOut:
    """Read a scenario."""
    return ScenarioOut.model_validate(await _find(session, scenario_id))


async def create_scenario(
    session: AsyncSession, context: Context, body: ScenarioIn
) -> ScenarioOut:
    """Keep a screen under a name."""
    _check_state(body.state, context.settings.max_state_bytes)
    if await repository.count(session) >= repository.MAX_SCENARIOS:
        raise Conflict(
            f"there are {repository.MAX_SCENARIOS} scenarios already, the most allowed",
            hint="Delete some that are no longer used.",
        )
    scenario = Scenario(
        id=new_id(),
        name=body.name,
        question=body.question,
        state=body.state,
        version=1,
    )
    session.add(scenario)
    await _flush(session, body.name)
    return ScenarioOut.model_validate(scenario)


async def update_scenario(
    session: AsyncSession, context: Context, scenario_id: str, body: ScenarioUpdate
) -> ScenarioOut:
    """Change a scenario that nobody else has changed meanwhile."""
    _check_state(body.state, context.settings.max_state_bytes)
    scenario = await _find(session, scenario_id, lock=True)
    if scenario.version != body.version:
        raise Conflict(
            f"scenario `{scenario.name}` is at version {scenario.version}, "
            f"and the change starts from version {body.version}",
            hint="Somebody changed it meanwhile: open it again, or save under "
            "another name.",
        )
    scenario.name = body.name
    scenario.question = body.question
    scenario.state = body.state
    scenario.version += 1
    scenario.updated_at = now()
    await _flush(session, body.name)
    return ScenarioOut.model_validate(scenario)


async def delete_scenario(session: AsyncSession, scenario_id: str) -> None:
    """Delete a scenario."""
    await session.delete(await _find(session, scenario_id, lock=True))


async def _find(
    session: AsyncSession, scenario_id: str, *, lock: bool = False
) -> Scenario:
    scenario = await repository.get(session, scenario_id, lock=lock)
    if scenario is None:
        raise NotFound(
            f"there is no scenario `{scenario_id}`",
            hint="It may have been deleted. GET /api/v1/scenarios lists all.",
        )
    return scenario


async def _flush(session: AsyncSession, name: str) -> None:
    try:
        await session.flush()
    except IntegrityError as error:
        if _NAME_INDEX not in str(error.orig):
            raise
        await session.rollback()
        raise Conflict(
            f"a scenario named `{name}` is there already (capitals do not count)",
            hint="Choose another name, or change that scenario.",
        ) from error


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
            hint="A scenario keeps the page's parameters, not its results.",
        )
    if b"\\u0000" in encoded:
        raise BadInput.at("body.state", "\\u0000", "holds a NUL character")
