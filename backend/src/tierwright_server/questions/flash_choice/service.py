"""Choice of a flash device and of its directory: inputs, models, words."""

import asyncio
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import directories, flash_choice
from tierwright.advise.directories import Directories, DirectoryOption
from tierwright.advise.flash_choice import FlashChoice
from tierwright.advise.point import scheme_titles
from tierwright.hardware.device import Device
from tierwright.hardware.prices import PriceBook
from tierwright.profile.curve import Curve
from tierwright_server.common.errors import BadInput
from tierwright_server.common.schemas import WarningOut
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.hardware.catalog.schemas import PriceBookOut
from tierwright_server.hardware.flash_metadata import metadata_preset
from tierwright_server.http.context import Context
from tierwright_server.http.steps import rows_of
from tierwright_server.questions.flash_choice.schemas import (
    DirectoriesIn,
    DirectoriesOut,
    DirectoryOptionOut,
    DirectorySchemeOut,
    FlashChoiceIn,
    FlashChoiceOut,
    FlashRowOut,
    RejectedOut,
)
from tierwright_server.questions.point import find_curve
from tierwright_server.questions.point_schemas import PriceBookRef


async def choose(
    session: AsyncSession,
    context: Context,
    body: FlashChoiceIn,
    *,
    derived: bool = False,
) -> FlashChoiceOut:
    """Rank the candidates."""
    asked = await find(session, context, body)
    found = await asyncio.to_thread(ask, asked, body)
    curve, book = asked.curve, asked.price_book
    names = {device.id: device.name for device in asked.candidates}
    return FlashChoiceOut.showing(
        found,
        workload_id=body.workload_id,
        start=curve.start,
        page_bytes=curve.page_bytes,
        ram_pages=body.ram_pages,
        flash_pages=body.flash_pages,
        price_book=None if book is None else PriceBookRef.model_validate(book[1]),
        rows=[
            FlashRowOut.showing(row, scheme_title=scheme_titles()[row.scheme])
            for row in found.rows
        ],
        rejected=[
            RejectedOut(device_id=name, device_name=names[name], reason=reason)
            for name, reason in found.rejected.items()
        ],
        sentence=found.finding,
        # What they could change takes longer than the answer: not in the loop.
        cautions=await asyncio.to_thread(lambda: found.cautions),
        warnings=[WarningOut.model_validate(each) for each in found.warnings],
        derivation=rows_of(found) if derived else None,
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """What a choice is made of."""

    curve: Curve
    disk: Device
    candidates: list[Device]
    price_book: tuple[PriceBook, PriceBookOut] | None


async def find(session: AsyncSession, context: Context, body: FlashChoiceIn) -> Asked:
    """Find workload, candidates, disk and prices."""
    curve = await find_curve(session, context, body.workload_id, body)
    disk, _ = await catalog.find_device(
        session, context, body.disk_device_id, "disk_device_id"
    )
    candidates = await _candidates(session, context, body.candidate_ids)
    book = (
        None
        if body.price_book_id is None
        else await catalog.find_price_book(session, context, body.price_book_id)
    )
    return Asked(curve, disk, candidates, book)


def ask(asked: Asked, body: FlashChoiceIn) -> FlashChoice:
    """Ask the models to rank the candidates."""
    return flash_choice.answer(
        asked.curve,
        ram_pages=body.ram_pages,
        flash_pages=body.flash_pages,
        candidates=asked.candidates,
        disk=asked.disk,
        prices=None if asked.price_book is None else asked.price_book[0],
        amortisation_months=body.amortisation_months,
        flash_metadata=metadata_preset(body.flash_metadata),
    )


async def directory_study(
    session: AsyncSession, context: Context, body: DirectoriesIn
) -> tuple[Directories, Curve, Device, Device]:
    """Compare places of the directory and sizes of flash pages: study, curve, flash, disk."""
    curve = await find_curve(session, context, body.workload_id, body)
    disk, _ = await catalog.find_device(
        session, context, body.disk_device_id, "disk_device_id"
    )
    flash, _ = await catalog.find_device(
        session, context, body.flash_device_id, "flash_device_id"
    )
    sizes = body.flash_page_bytes
    if len(set(sizes)) != len(sizes):
        raise BadInput.at(
            "body.flash_page_bytes", sizes, "names a size twice", "Give each size once."
        )
    found = await asyncio.to_thread(
        directories.answer,
        curve,
        ram_bytes=body.ram_pages * curve.page_bytes,
        flash_bytes=body.flash_pages * curve.page_bytes,
        flash=flash,
        disk=disk,
        flash_page_bytes=sizes,
        buffered_bytes=body.buffered_bytes,
        use=directories.DirectoryUse(
            ram_lookup_us=body.ram_lookup_us,
            ram_update_us=body.ram_update_us,
            lookup_pages=body.lookup_pages,
            update_pages=body.update_pages,
            hit_ratio=body.directory_hit_ratio,
            dirty_share=body.directory_dirty_share,
            write_on_eviction=body.write_on_eviction,
        ),
    )
    return found, curve, flash, disk


async def compare_directories(
    session: AsyncSession,
    context: Context,
    body: DirectoriesIn,
    *,
    derived: bool = False,
) -> DirectoriesOut:
    """Answer with the comparison of `directory_study`."""
    found, curve, flash, _ = await directory_study(session, context, body)
    return DirectoriesOut.showing(
        found,
        workload_id=body.workload_id,
        start=curve.start,
        page_bytes=curve.page_bytes,
        ram_bytes=found.inputs["ram_bytes"],
        flash_bytes=found.inputs["flash_bytes"],
        flash_device_name=flash.name,
        options=[_option(option) for option in found.options],
        sentence=found.finding,
        warnings=[WarningOut.model_validate(each) for each in found.warnings],
        derivation=rows_of(found) if derived else None,
    )


async def _candidates(
    session: AsyncSession, context: Context, ids: list[str] | None
) -> list[Device]:
    if ids is None:
        known = await catalog.all_devices(session, context)
        # An instance is chosen for more than its disks: it is ranked where it is named.
        return [
            device
            for device in known
            if "flash" in device.roles and device.sold_as == "device"
        ]
    if len(set(ids)) != len(ids):
        raise BadInput.at(
            "body.candidate_ids", ids, "names a device twice", "Name each device once."
        )
    return [
        (await catalog.find_device(session, context, name, f"candidate_ids[{at}]"))[0]
        for at, name in enumerate(ids)
    ]


def _option(option: DirectoryOption) -> DirectoryOptionOut:
    schemes = [
        DirectorySchemeOut.showing(cost, scheme=name, title=scheme_titles()[name])
        for name, cost in option.schemes.items()
    ]
    return DirectoryOptionOut.showing(option, schemes=schemes)
