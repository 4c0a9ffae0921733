"""Configurations that can be bought: finds workload and devices, and asks the models."""

import asyncio
from decimal import Decimal

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import configurations as models
from tierwright.advise.configurations import Configurations
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.http.context import Context
from tierwright_server.http.steps import rows_of
from tierwright_server.questions.configurations.schemas import (
    ConfigurationsIn,
    ConfigurationsOut,
)
from tierwright_server.questions.point import find_curve
from tierwright_server.traces.workloads import service as workloads


async def ask(
    session: AsyncSession,
    context: Context,
    workload_id: str,
    body: ConfigurationsIn,
    *,
    derived: bool = False,
) -> ConfigurationsOut:
    """List what can be bought for a workload."""
    curve = await find_curve(session, context, workload_id, body)
    _, content = await workloads.find_ready(session, workload_id)

    flash = await catalog.named_device(
        session, context, body.flash_device_id, "flash_device_id"
    )
    disk = await catalog.named_device(
        session, context, body.disk_device_id, "disk_device_id"
    )

    def answered() -> Configurations:
        return models.answer(
            curve,
            accesses_per_s=body.accesses_per_s,
            duration_s=content.summary.get("duration_s"),
            horizon_months=body.horizon_months,
            max_machines=body.max_machines,
            kinds=tuple(dict.fromkeys(body.kinds)),
            reserved_gib=_exact(body.reserved_gib),
            part_usd=body.part_usd,
            usd_per_kwh=body.usd_per_kwh,
            watts=None if body.watts is None else _exact(body.watts),
            pue=_exact(body.pue),
            flash=flash,
            disk=disk,
            max_usd_per_month=body.max_usd_per_month,
            max_io_us=body.max_io_us,
            max_busy=body.max_busy,
        )

    def shown() -> ConfigurationsOut:
        found = answered()
        document = found.to_dict()
        document["workload_id"] = workload_id
        document["derivation"] = rows_of(found) if derived else None
        return ConfigurationsOut.model_validate(document)

    # Hundreds of thousands of rows take up to a second, and so may their cautions: not in the loop.
    return await asyncio.to_thread(shown)


def _exact(value: float) -> Decimal:
    """Return the shortest decimal that a float stands for."""
    return Decimal(repr(value))
