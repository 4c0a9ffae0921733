"""The simulation of a flash device: asks the models, and shows what they answer."""

import asyncio
import math

from tierwright.advise import flash_device
from tierwright.evaluate.endurance.wear import Lifetime
from tierwright.simulate.flash_device import FlashDevice
from tierwright_server.common.schemas import CautionOut, WarningOut
from tierwright_server.http.steps import rows_of
from tierwright_server.questions.flash_device.schemas import (
    AtSpareOut,
    FlashDeviceIn,
    FlashDeviceOut,
    FlashLifeOut,
)


async def simulate(body: FlashDeviceIn, *, derived: bool = False) -> FlashDeviceOut:
    """Simulate a device under a workload, beside the closed form where there is one."""
    return await asyncio.to_thread(_simulate, body, derived=derived)


def _simulate(body: FlashDeviceIn, *, derived: bool) -> FlashDeviceOut:
    device = FlashDevice.of_spare(
        body.logical_pages,
        body.spare,
        body.block_pages,
        collection=body.collection,
        choices=body.choices,
        streams=body.streams,
        copies=body.copies,
        buffer_pages=body.buffer_pages,
        mapping=body.mapping,
    )
    answer = flash_device.answer(
        device,
        body.workload,
        exponent=body.exponent,
        hot_pages=body.hot_pages,
        hot_writes=body.hot_writes,
        run_pages=body.run_pages,
        trim_share=body.trim_share,
        seed=body.seed,
        page_bytes=body.page_bytes,
        pe_cycles=body.pe_cycles,
        write_mb_per_s=body.write_mb_per_s,
        drive_writes_per_day=body.drive_writes_per_day,
        spares=body.spares,
    )
    return FlashDeviceOut.showing(
        answer,
        logical_pages=device.logical_pages,
        blocks=device.blocks,
        block_pages=device.block_pages,
        page_bytes=body.page_bytes,
        mapping=device.mapping,
        collection=device.rule,
        life=None if answer.life is None else _life(answer.life),
        by_spare=[AtSpareOut.model_validate(each) for each in answer.by_spare],
        sentence=answer.finding,
        warnings=[WarningOut.model_validate(each) for each in answer.warnings],
        cautions=[CautionOut.model_validate(each) for each in answer.cautions],
        derivation=rows_of(answer) if derived else None,
    )


def _life(life: Lifetime) -> FlashLifeOut:
    years = float(life.years)
    return FlashLifeOut(
        years=years if math.isfinite(years) else None,
        host_tb_written=float(life.host_tb_written),
        drive_writes_per_day=float(life.drive_writes_per_day),
    )
