"""Devices from what was measured on them."""

from fastapi import APIRouter

from tierwright_server.hardware.device_imports import service
from tierwright_server.hardware.device_imports.schemas import (
    FioImportIn,
    FioImportOut,
    MeasurePlanIn,
    MeasurePlanOut,
)
from tierwright_server.http.context import SessionDep
from tierwright_server.http.problems import responses

router = APIRouter(prefix="/device-imports", tags=["catalog"])
plans = APIRouter(prefix="/devices", tags=["catalog"])


@router.post("/fio", operation_id="import_fio", responses=responses(409))
async def import_fio(body: FioImportIn, session: SessionDep) -> FioImportOut:
    """Import a JSON result of fio as a device; keep it as a device of your own on request."""
    return await service.import_fio(session, body)


@plans.post("/measure-plan", operation_id="plan_measurement", responses=responses())
async def plan_measurement(body: MeasurePlanIn) -> MeasurePlanOut:
    """Say which command measures a device, what it writes and how long it takes.

    Nothing is run: the user runs the command on the machine of the device and imports its
    raw results.
    """
    return service.plan_measurement(body)
