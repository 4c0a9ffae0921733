"""Reads measurements as devices; the models decide what they say."""

import json

from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import device_import
from tierwright.hardware.device import Device
from tierwright.hardware.measure.fio_program import HOW_TO_INSTALL
from tierwright.hardware.measure.plan import command_of, make_plan
from tierwright_server.common.errors import BadInput
from tierwright_server.common.schemas import ProblemDetail, WarningOut
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.hardware.catalog.schemas import DeviceIn
from tierwright_server.hardware.device_imports.schemas import (
    FioImportIn,
    FioImportOut,
    FioMixOut,
    FioRecordOut,
    FioRunOut,
    MeasureJobOut,
    MeasurePlanIn,
    MeasurePlanOut,
)

_PREVIEW_ID = "measured"
_HINT = "Give the whole output of `fio --output-format=json`."


async def import_fio(session: AsyncSession, body: FioImportIn) -> FioImportOut:
    """Read a result of fio, and keep the device where asked to."""
    _check_text(body)
    answer = device_import.answer(
        body.document,
        identifier=_PREVIEW_ID,
        name=body.name,
        kind=body.kind,
        queue_depth=body.queue_depth,
        page_bytes=body.page_bytes,
        capacity_bytes=body.capacity_bytes,
        place="body.document",
    )
    found = answer.found
    device = _as_typed(found.device)
    shown = (
        await catalog.create_device(session, device)
        if body.keep
        else catalog.device_out(found.device, own=True)
    )
    page = found.device.page_bytes
    return FioImportOut(
        device=shown,
        kept=body.keep,
        runs=[FioRunOut.model_validate(run) for run in found.runs],
        mixes=[FioMixOut.model_validate(mix) for mix in found.mixes],
        record=None
        if found.record is None
        else FioRecordOut.model_validate(found.record),
        used=found.used,
        queue_depths=sorted(
            {r.queue_depth for r in found.runs if r.random and r.block_bytes == page}
        ),
        basis=found.basis,
        sentence=answer.finding,
        warnings=[WarningOut.model_validate(caution) for caution in answer.warnings],
    )


def plan_measurement(body: MeasurePlanIn) -> MeasurePlanOut:
    """Plan a measurement that the user runs; nothing is run here."""
    plan = make_plan(
        page_bytes=body.page_bytes,
        file_bytes=body.file_bytes,
        most_s=body.most_s,
        most_written_bytes=body.most_written_bytes,
    )
    command = command_of(
        body.folder,
        page_bytes=body.page_bytes,
        file_bytes=body.file_bytes,
        most_s=body.most_s,
        most_written_bytes=body.most_written_bytes,
    )
    return MeasurePlanOut(
        command=command,
        sentences=list(plan.sentences()),
        how_to_install=HOW_TO_INSTALL,
        file_bytes=plan.file_bytes,
        most_written_bytes=plan.most_written_bytes,
        least_s=plan.least_s,
        most_s=plan.most_s,
        files=list(plan.files),
        jobs=[MeasureJobOut.model_validate(job) for job in plan.jobs],
    )


def _check_text(body: FioImportIn) -> None:
    """JSON may escape half a character (an unpaired surrogate), which nothing can show or store."""
    try:
        json.dumps(body.document, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise BadInput.at(
            "body.document", half, "holds half a character, which is not text", _HINT
        ) from error


def _as_typed(device: Device) -> DeviceIn:
    """Return the device as if it had been typed: the same bounds hold for both."""
    document = device.to_dict()
    try:
        return DeviceIn.model_validate(
            {
                "name": device.name,
                "kind": device.kind,
                "notes": device.notes,
                "figures": {
                    name: {**figure, "value": float(figure["value"])}
                    for name, figure in document["figures"].items()
                },
                "measurements": [
                    {
                        **each,
                        "iops": float(each["iops"]),
                        "latency_us": {
                            name: float(value)
                            for name, value in each["latency_us"].items()
                        },
                    }
                    for each in document["measurements"]
                ],
            }
        )
    except ValidationError as error:
        faults = [
            ProblemDetail(
                where=".".join(["body.document", *map(str, fault["loc"])]),
                value=None,
                message=str(fault["msg"]),
            )
            for fault in error.errors()
        ]
        raise BadInput(
            f"{faults[0].where}: {faults[0].message}", hint=_HINT, errors=faults
        ) from error
