"""Wear, device health, warm-up and restart: finds inputs and asks the models."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import device_health, recovery
from tierwright.advise import wear as wear_question
from tierwright.advise.point import rate_of
from tierwright.advise.recovery import Recovery, Redone
from tierwright.advise.wear import Wear
from tierwright.evaluate.endurance.wear import WearCost
from tierwright.evaluate.scale.replays import recorded_rate
from tierwright.hardware import smart
from tierwright.hardware.device import Device
from tierwright.hardware.prices import PriceBook
from tierwright.profile.curve import Curve
from tierwright_server.common.errors import BadInput, NotReady
from tierwright_server.common.schemas import CautionOut, WarningOut
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.hardware.catalog.schemas import DeviceOut
from tierwright_server.hardware.flash_metadata import metadata_preset
from tierwright_server.http.context import Context
from tierwright_server.http.steps import rows_of
from tierwright_server.jobs.runs.states import RunKind, RunStatus
from tierwright_server.questions.point import (
    Point,
    dirty_ends,
    known_dirty_share,
    of_body,
    ram_budget_out,
    unknown_dirty_share,
    with_dirty_share,
)
from tierwright_server.questions.point_schemas import PriceBookRef
from tierwright_server.questions.wear.schemas import (
    BudgetOut,
    DeviceHealthIn,
    DeviceHealthOut,
    PointIn,
    RecoveryIn,
    RecoveryOut,
    SchemeWear,
    WearIn,
    WearMoney,
    WearOut,
)
from tierwright_server.replays import results
from tierwright_server.replays.analyses import service as analyses
from tierwright_server.storage.contents import ContentKind, kind_of
from tierwright_server.storage.tables import Workload
from tierwright_server.traces.workloads import service as workloads

MOST_WINDOWS = 2000
"""Of a trace whose pages to redo are counted."""


@dataclass(frozen=True)
class Found:
    """What the ids of a question stand for, and its rate."""

    point: Point
    accesses_per_s: float
    rate_basis: str
    recorded_per_s: float | None
    """Of the recording; None where it has no times. [1/s]"""

    @property
    def workload(self) -> Workload:
        return self.point.workload

    @property
    def curve(self) -> Curve:
        return self.point.curve

    @property
    def flash(self) -> tuple[Device, DeviceOut]:
        return self.point.flash

    @property
    def disk(self) -> tuple[Device, DeviceOut]:
        return self.point.disk


async def wear(
    session: AsyncSession, context: Context, body: WearIn, *, derived: bool = False
) -> WearOut:
    """Tell how long the flash lasts under each scheme."""
    found = await find(session, context, body)
    prices = (
        await catalog.find_price_book(session, context, body.price_book_id)
        if body.price_book_id
        else None
    )
    answer = ask_wear(found, body, prices[0] if prices else None)
    return WearOut.showing(
        answer,
        **_about(found, body),
        flash_device=found.flash[1],
        price_book=PriceBookRef.model_validate(prices[1]) if prices else None,
        budget=BudgetOut.showing(
            answer.budget, written_tb=answer.written_tb, left_tb=answer.left_tb
        ),
        ram_budget=ram_budget_out(body.flash_metadata, answer.evaluation.ram_budget),
        dirty_share=known_dirty_share(found.curve)
        if answer.gentlest_at_least is None
        else unknown_dirty_share(
            found.curve, answer.gentlest_at_least, answer.gentlest_at_most
        ),
        schemes=[
            SchemeWear.showing(
                each, money=None if each.money is None else _money(each.money)
            )
            for each in answer.schemes
        ],
        sentence=answer.finding,
        warnings=[WarningOut.model_validate(each) for each in answer.warnings],
        derivation=rows_of(answer) if derived else None,
    )


def ask_wear(found: Found, body: WearIn, prices: PriceBook | None) -> Wear:
    """Ask the models how long the flash lasts."""
    dirty_ends(body, found.point)
    return wear_question.answer(
        found.curve,
        **_choices(found, body),
        growth_per_year=body.growth_per_year,
        written_tb=body.written_tb,
        devices=body.devices,
        prices=prices,
        amortisation_months=body.amortisation_months,
        pe_cycles=body.pe_cycles,
        waf_in_place=body.waf_in_place,
        waf_appended=body.waf_appended,
        rated_tb=body.rated_tb,
        rated_years=body.rated_years,
        rated_dwpd=body.rated_dwpd,
        spare_percent=body.spare_percent,
        block_pages=body.block_pages,
        collection=body.collection,
    )


async def read_device_health(
    session: AsyncSession,
    context: Context,
    body: DeviceHealthIn,
    *,
    derived: bool = False,
) -> DeviceHealthOut:
    """Read the health of a drive from the JSON of smartctl or nvme."""
    health = smart.smart_from_mapping(body.document, place="body.document")
    device: Device | None = None
    if body.rated_tb is None and body.flash_device_id is not None:
        device, _ = await catalog.find_device(
            session, context, body.flash_device_id, "flash_device_id"
        )
    answer = device_health.answer(health, rated_tb=body.rated_tb, device=device)
    left = answer.left
    return DeviceHealthOut.showing(
        health,
        written_tb=answer.written_tb,
        tb_per_day=answer.tb_per_day,
        rated_tb=answer.rated_tb,
        left_tb=None if left is None else left.left_tb,
        left_share=None if left is None else left.left_share,
        years_left=None if left is None else left.years_left,
        validity="" if left is None else left.validity,
        sentence=answer.finding,
        warnings=[WarningOut.model_validate(each) for each in answer.warnings],
        cautions=[CautionOut.model_validate(each) for each in answer.cautions],
        derivation=rows_of(answer) if derived else None,
    )


async def recover(
    session: AsyncSession, context: Context, body: RecoveryIn, *, derived: bool = False
) -> RecoveryOut:
    """Tell how long the flash takes to fill, and a restart to work again."""
    found = await find(session, context, body)
    answer = ask_recovery(found, body, await find_redone(session, context, found, body))
    return RecoveryOut.showing(
        answer,
        **_about(found, body),
        sentence=answer.finding,
        warnings=[WarningOut.model_validate(each) for each in answer.warnings],
        derivation=rows_of(answer) if derived else None,
    )


async def find_redone(
    session: AsyncSession, context: Context, found: Found, body: RecoveryIn
) -> Redone | None:
    """Find what the trace writes in half a checkpoint interval; None where that is not counted yet, or is stated."""
    window = redo_window_of(found, body)
    if window is None:
        return None
    length, share = window
    analysis_id = analyses.id_of(
        RunKind.WINDOWS, found.point.content.id, redo_parameters(length)
    )
    row = await results.row(session, RunKind.WINDOWS, analysis_id)
    if row is None or analyses.status_of(row) is not RunStatus.SUCCEEDED:
        return None
    try:
        arrays = await analyses.load(context, row)
    except NotReady:  # damaged, or of an earlier version: it is counted again
        return None
    return recovery.redone_of(
        arrays["window_accesses"], arrays["pages_written"], length=length, share=share
    )


async def count_redone(
    session: AsyncSession, context: Context, found: Found, body: RecoveryIn
) -> None:
    """Queue the count of what the trace writes in half a checkpoint interval, unless it was counted or is stated."""
    window = redo_window_of(found, body)
    if window is None:
        return
    await analyses.create(
        session,
        context,
        RunKind.WINDOWS,
        (found.workload, found.point.content),
        redo_parameters(window[0]),
        f"Pages of {found.workload.name} to redo after a crash",
    )


def redo_window_of(found: Found, body: RecoveryIn) -> tuple[int, float] | None:
    """Return the accesses of half an interval, and their share of it.

    None without a trace, if its format records no writes, or if pages are stated.
    """
    content = found.point.content
    if body.redo_pages is not None or kind_of(content.summary) is not ContentKind.TRACE:
        return None
    if not found.curve.notes.tells_writes:
        return None
    length, share = recovery.redo_window(
        content.summary["accesses"],
        accesses_per_s=found.accesses_per_s,
        checkpoint_interval_s=body.checkpoint_interval_s,
    )
    # Shorter windows than that are more than a pass counts.
    return (
        (length, share)
        if length * MOST_WINDOWS >= content.summary["accesses"]
        else None
    )


def redo_parameters(length: int) -> dict[str, Any]:
    """Return what counts windows of so many accesses, and of curves as little as possible."""
    return {"sizes": [1], "window_accesses": length}


def ask_recovery(
    found: Found, body: RecoveryIn, redone: Redone | None = None
) -> Recovery:
    """Ask the models about filling and restart."""
    with of_body():
        return recovery.answer(
            found.curve,
            **_choices(found, body),
            checkpoint_interval_s=body.checkpoint_interval_s,
            redo_pages=body.redo_pages,
            redo_writes=body.redo_writes,
            flash_share=body.flash_share,
            redone=redone,
        )


def _choices(found: Found, body: PointIn) -> dict[str, Any]:
    return {
        "ram_pages": body.ram_pages,
        "flash_pages": body.flash_pages,
        "flash": found.flash[0],
        "disk": found.disk[0],
        "flash_metadata": metadata_preset(body.flash_metadata),
        "accesses_per_s": found.accesses_per_s,
    }


def _about(found: Found, body: PointIn) -> dict[str, Any]:
    """Say what the question was about."""
    return {
        "workload_id": found.workload.id,
        "start": found.curve.start,
        "page_bytes": found.curve.page_bytes,
        "ram_pages": body.ram_pages,
        "flash_pages": body.flash_pages,
        "rate_basis": found.rate_basis,
    }


def _money(found: WearCost) -> WearMoney:
    return WearMoney.showing(
        found,
        usd_per_month_written=found.usd_per_month,
        life_months=None if found.life_months is None else float(found.life_months),
    )


async def find(session: AsyncSession, context: Context, body: PointIn) -> Found:
    """Find what the question names, and its rate.

    Raises
    ------
    BadInput
        If the workload has no accesses, or no rate is known.
    """
    workload, content = await workloads.find_ready(session, body.workload_id)
    curve = await workloads.load_curve(context, workload, content, body.start)
    page = curve.page_bytes
    flash = await catalog.find_device(
        session, context, body.flash_device_id, "flash_device_id", page_bytes=page
    )
    disk = await catalog.find_device(
        session, context, body.disk_device_id, "disk_device_id", page_bytes=page
    )
    if curve.accesses == 0:
        raise BadInput.at("body.workload_id", workload.id, "has no accesses")
    point = with_dirty_share(
        body, Point(workload, content, curve, flash, disk, ram=None, prices=None)
    )
    duration_s = content.summary.get("duration_s")
    rate = rate_of(curve, duration_s) if duration_s else None
    recorded_per_s = recorded_rate(curve, duration_s)
    if body.accesses_per_s is not None:
        return Found(point, body.accesses_per_s, "as given", recorded_per_s)
    if rate is None:
        raise BadInput.at(
            "body.accesses_per_s",
            None,
            f"must be given: workload `{workload.name}` does not state how long it "
            "took",
            hint="Give the page accesses per second of the running system.",
        )
    return Found(point, rate.accesses_per_s, rate.basis, recorded_per_s)
