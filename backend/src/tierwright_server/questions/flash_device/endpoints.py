"""What garbage collection makes of the writes of a flash device."""

from fastapi import APIRouter

from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.questions.flash_device import service
from tierwright_server.questions.flash_device.schemas import (
    FlashDeviceIn,
    FlashDeviceOut,
)

router = APIRouter(tags=["wear and recovery"])


@router.post("/flash-devices", operation_id="ask_flash_device", responses=responses())
async def ask_flash_device(body: FlashDeviceIn, derived: DerivedDep) -> FlashDeviceOut:
    """Simulate a flash device: write amplification, wear and life. Stores nothing."""
    return await service.simulate(body, derived=derived)
