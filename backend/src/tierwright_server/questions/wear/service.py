"""Wear, device health, warm-up and restart: finds inputs, asks the models, puts it into words."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise.point import DIRTY_SHARE_UNKNOWN, ONE_END, scheme_titles
from tierwright.common.cautions import Caution
from tierwright.common.currency import money as money_of
from tierwright.common.derivation import Derivation, shown
from tierwright.common.errors import BadInput as ModelBadInput
from tierwright.common.units import format_bytes
from tierwright.common.wording import percent, three_digits
from tierwright.evaluate import flash_cache, recovery
from tierwright.evaluate.endurance import money as endurance_money
from tierwright.evaluate.endurance import outlook as endurance_outlook
from tierwright.evaluate.endurance import wear as endurance_wear
from tierwright.evaluate.endurance.money import WholeDrives
from tierwright.evaluate.endurance.outlook import SchemeLife, WearOutlook, WearRange
from tierwright.evaluate.endurance.wear import WearCost
from tierwright.evaluate.metadata import ram_pages_left
from tierwright.evaluate.page_flow import cautions as page_flow_cautions
from tierwright.evaluate.page_flow import dirty_range
from tierwright.evaluate.page_flow import evaluation as page_flow_evaluation
from tierwright.hardware import rated_endurance, smart
from tierwright.hardware.device import OPERATIONS, Device, Operation
from tierwright.hardware.service_time import (
    PATTERNS,
    service_basis,
    service_time,
    service_us,
)
from tierwright.profile.curve import Curve
from tierwright_server.common.errors import BadInput
from tierwright_server.common.schemas import WarningOut
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.hardware.catalog.schemas import DeviceOut
from tierwright_server.hardware.flash_metadata import metadata_preset
from tierwright_server.http.context import Context
from tierwright_server.http.steps import DerivationStep, derivation_step, row
from tierwright_server.questions.point import (
    Point,
    dirty_ends,
    known_dirty_share,
    ram_budget_out,
    unknown_dirty_share,
    with_dirty_share,
)
from tierwright_server.questions.point_schemas import PriceBookRef
from tierwright_server.questions.wear.schemas import (
    BudgetOut,
    DeviceHealthIn,
    DeviceHealthOut,
    DrivesOut,
    FillOut,
    PointIn,
    RecoveryIn,
    RecoveryOut,
    RestartCurve,
    RestartOut,
    RestartPart,
    SchemeWear,
    WearIn,
    WearLeast,
    WearMoney,
    WearOut,
)
from tierwright_server.storage.tables import Workload
from tierwright_server.traces.workloads import service as workloads

MICROSECONDS = 1e6
MEGABYTE = 1e6
TB = 10**12
SHORTEST_INTERVAL_S, LONGEST_INTERVAL_S, INTERVALS = 30.0, 3600.0, 30


@dataclass(frozen=True)
class Found:
    """What the ids of a question stand for, and its rate."""

    point: Point
    accesses_per_s: float
    rate_basis: str

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
    device = found.flash[0]
    budget = endurance_outlook.write_budget(
        device,
        devices=body.devices,
        pe_cycles=body.pe_cycles,
        waf_in_place=body.waf_in_place,
        waf_appended=body.waf_appended,
        rated_tb=body.rated_tb,
        rated_years=body.rated_years,
        rated_dwpd=body.rated_dwpd,
    )
    capacity = device.capacity_bytes
    load: dict[str, Any] = {
        "accesses_per_s": found.accesses_per_s,
        "growth_per_year": body.growth_per_year,
        "written_tb": body.written_tb,
        "capacity_bytes": None if capacity is None else capacity * body.devices,
    }
    choices = _choices(found, body)
    least: WearOutlook | None = None
    if dirty_ends(body, found.point) is None:
        evaluation = page_flow_evaluation.evaluate(found.curve, **choices)
        outlook = endurance_outlook.wear_outlook(evaluation, budget, **load)
        dirty_share, sentence = known_dirty_share(found.curve), _wear_sentence(outlook)
    else:
        ends = dirty_range.evaluate_range(found.curve, **choices)
        both = endurance_outlook.wear_range(ends, budget, **load)
        evaluation, outlook, least = ends.most, both.most, both.least
        dirty_share = unknown_dirty_share(
            found.curve, both.gentlest_at_least, both.gentlest_at_most
        )
        sentence = _range_sentence(both)
    usd, money_reason = endurance_money.purchase_usd(
        device, prices[0] if prices else None, body.devices
    )
    money = {
        name: endurance_money.scheme_cost(
            life,
            budget,
            usd,
            body.amortisation_months,
            written_tb=body.written_tb,
            growth_per_year=body.growth_per_year,
        )
        for name, life in outlook.schemes.items()
    }
    unknown = [] if least is None else [WarningOut.model_validate(DIRTY_SHARE_UNKNOWN)]
    cautions = [
        *outlook.warnings,
        *page_flow_cautions.about_space_behind(metadata_preset(body.flash_metadata)),
        *_about_capacity(found, body),
    ]
    in_place = budget.in_place_tb
    return WearOut(
        workload_id=found.workload.id,
        start=found.curve.start,
        page_bytes=found.curve.page_bytes,
        ram_pages=body.ram_pages,
        flash_pages=body.flash_pages,
        flash_device=found.flash[1],
        price_book=PriceBookRef.model_validate(prices[1]) if prices else None,
        accesses_per_s=found.accesses_per_s,
        rate_basis=found.rate_basis,
        growth_per_year=body.growth_per_year,
        budget=BudgetOut(
            in_place_tb=budget.in_place_tb,
            appended_tb=budget.appended_tb,
            basis=budget.basis,
            assumed=budget.assumed,
            reason=budget.reason,
            written_tb=body.written_tb,
            left_tb=None if in_place is None else in_place - body.written_tb,
        ),
        ram_budget=ram_budget_out(body.flash_metadata, evaluation.ram_budget),
        dirty_share=dirty_share,
        rated_dwpd=rated_endurance.rated_endurance(
            device, dwpd=body.rated_dwpd, years=body.rated_years, assume=True
        ).dwpd,
        schemes=[
            _scheme_wear(
                name, life, money[name], None if least is None else least.schemes[name]
            )
            for name, life in outlook.schemes.items()
        ],
        drives=_drives(found, body, usd),
        money_reason=money_reason or budget.reason,
        sentence=sentence,
        estimator=outlook.estimator,
        validity=outlook.validity,
        warnings=[
            *unknown,
            *(WarningOut.model_validate(caution) for caution in cautions),
        ],
        derivation=[
            *([] if least is None else [row(ONE_END)]),
            *_steps(evaluation.ram_budget.derivation if evaluation.ram_budget else ()),
            *_steps(budget.derivation),
            *(
                step
                for name, life in outlook.schemes.items()
                for step in _steps(
                    (*life.derivation, *_derivation_of(money[name])), name
                )
            ),
        ]
        if derived
        else None,
    )


async def device_health(
    session: AsyncSession,
    context: Context,
    body: DeviceHealthIn,
    *,
    derived: bool = False,
) -> DeviceHealthOut:
    """Read the health of a drive from the JSON of smartctl or nvme."""
    health = smart.smart_from_mapping(body.document, place="body.document")
    rated_tb, rating = body.rated_tb, ""
    if rated_tb is None and body.flash_device_id is not None:
        device, _ = await catalog.find_device(
            session, context, body.flash_device_id, "flash_device_id"
        )
        rated_tb = rated_endurance.rated_endurance(device).tb_written
        rating = f", as `{device.id}` is rated"
    written = (
        None if health.host_bytes_written is None else health.host_bytes_written / TB
    )
    per_day = (
        None if health.host_bytes_per_day is None else health.host_bytes_per_day / TB
    )
    left = (
        None
        if rated_tb is None or written is None
        else endurance_wear.remaining(
            rated_tb=rated_tb,
            written_tb=written,
            tb_per_day=per_day or 0.0,
            percentage_used=health.percentage_used,
        )
    )
    name = health.model or "The drive"
    if written is None:
        sentence = f"{name} does not report how much was written to it."
    elif left is None:
        sentence = (
            f"{name} has taken {three_digits(written)} TB; give a rating (TBW) to see "
            "what is left."
        )
    elif left.left_tb < 0:
        sentence = (
            f"{name} has taken {three_digits(written)} TB, "
            f"{three_digits(-left.left_tb)} TB more than it is rated for."
        )
    else:
        sentence = (
            f"{name} has taken {three_digits(written)} TB; {three_digits(left.left_tb)} of "
            f"{three_digits(left.rated_tb)} TB are left{rating}."
        )
    return DeviceHealthOut(
        model=health.model,
        serial=health.serial,
        capacity_bytes=health.capacity_bytes,
        written_tb=written,
        waf=health.waf,
        power_on_hours=health.power_on_hours,
        percentage_used=health.percentage_used,
        tb_per_day=per_day,
        basis=health.basis,
        rated_tb=rated_tb,
        left_tb=None if left is None else left.left_tb,
        left_share=None if left is None else left.left_share,
        years_left=None if left is None else left.years_left,
        validity="" if left is None else left.validity,
        sentence=sentence,
        warnings=[
            WarningOut.model_validate(caution)
            for caution in (*health.warnings, *(left.warnings if left else ()))
        ],
        derivation=list(_steps(left.derivation if left else ())) if derived else None,
    )


async def recover(
    session: AsyncSession, context: Context, body: RecoveryIn, *, derived: bool = False
) -> RecoveryOut:
    """Tell how long the flash takes to fill, and a restart to work again."""
    found = await find(session, context, body)
    curve, page = found.curve, found.curve.page_bytes
    flash_bytes = body.flash_pages * page
    left = float(
        ram_pages_left(
            metadata_preset(body.flash_metadata),
            ram_pages=body.ram_pages,
            flash_pages=body.flash_pages,
            page_bytes=page,
            source_bytes=curve.distinct_pages * page,
        )
    )
    if left < 1:
        raise BadInput.at(
            "body.ram_pages",
            body.ram_pages,
            "hold less than the metadata of flash",
            hint="Take more RAM, less flash, or a cache with larger units.",
        )
    missed = float(curve.misses(left)) / curve.accesses
    misses_per_s = missed * found.accesses_per_s
    rates = _fill_rates(found, misses_per_s)
    fill = recovery.fill_time(flash_bytes, rates)
    cautions = [
        *_about_fill(found, body),
        *page_flow_cautions.about_curve(curve, body.ram_pages, 0),
        *page_flow_cautions.about_space_behind(metadata_preset(body.flash_metadata)),
    ]
    restart, reason, steps = _restart(found, body, misses_per_s)
    if restart is not None:
        cautions.append(_no_latency(found))
        if restart.speedup < 1:
            cautions.append(_RESTORE_COSTS)
    hours = three_digits(fill.seconds / 3600)
    sentence = (
        f"The flash needs at least {hours} h to fill, held up by {fill.bottleneck}"
    )
    if restart is not None:
        sentence += (
            f"; a restart takes {three_digits(restart.with_flash.total_s)} s with it, "
            f"{three_digits(restart.without_flash.total_s)} s without"
        )
    return RecoveryOut(
        workload_id=found.workload.id,
        start=found.curve.start,
        page_bytes=page,
        ram_pages=body.ram_pages,
        flash_pages=body.flash_pages,
        flash_bytes=flash_bytes,
        ram_pages_left=int(left),
        accesses_per_s=found.accesses_per_s,
        rate_basis=found.rate_basis,
        fill=FillOut(
            seconds=fill.seconds,
            bytes_per_s=fill.bytes_per_s,
            bottleneck=fill.bottleneck,
            rates_bytes_per_s=rates,
            units=float(recovery.warm_up_misses(flash_bytes, page)),
            estimator=fill.estimator,
            validity=fill.validity,
        ),
        restart=restart,
        restart_reason=reason,
        sentence=f"{sentence}.",
        warnings=[WarningOut.model_validate(caution) for caution in cautions],
        derivation=[*_steps(fill.derivation), *steps] if derived else None,
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
    if body.accesses_per_s is not None:
        return Found(point, body.accesses_per_s, "as given")
    duration_s = content.summary.get("duration_s")
    if not duration_s:
        raise BadInput.at(
            "body.accesses_per_s",
            None,
            f"must be given: workload `{workload.name}` does not say how long it took",
            hint="Give the page accesses a second of the running system.",
        )
    rate = curve.accesses / duration_s
    basis = (
        f"{curve.accesses:,} accesses in {three_digits(duration_s)} s of the workload"
    )
    return Found(point, rate, basis)


def _choices(found: Found, body: PointIn) -> dict[str, Any]:
    return {
        "ram_pages": body.ram_pages,
        "flash_pages": body.flash_pages,
        "flash": found.flash[0],
        "disk": found.disk[0],
        "flash_metadata": metadata_preset(body.flash_metadata),
    }


def _derivation_of(found: WearCost | None) -> tuple[Derivation, ...]:
    return () if found is None else found.derivation


def _money(found: WearCost) -> WearMoney:
    return WearMoney(
        usd_per_tb_written=found.usd_per_tb_written,
        usd_per_month_written=found.usd_per_month,
        left_usd=found.left_usd,
        life_months=None if found.life_months is None else float(found.life_months),
        amortised_usd_per_month=found.amortised_usd_per_month,
        wear_limited=found.wear_limited,
        estimator=found.estimator,
        validity=found.validity,
    )


def _scheme_wear(
    name: str, life: SchemeLife, cost: WearCost | None, least: SchemeLife | None
) -> SchemeWear:
    other = life if least is None else least
    return SchemeWear(
        scheme=name,
        title=scheme_titles()[name],
        flash_writes_per_access=life.pages_per_access,
        flash_writes_per_access_range=(
            min(life.least_pages_per_access, other.least_pages_per_access),
            max(life.most_pages_per_access, other.most_pages_per_access),
        ),
        tb_per_day=life.tb_per_day,
        drive_writes_per_day=life.drive_writes_per_day,
        years=_finite(life.years),
        years_from=_finite(life.years_from),
        years_to=_finite(other.years_to),
        never_worn_out=life.years == math.inf,
        money=None if cost is None else _money(cost),
        least=None
        if least is None
        else WearLeast(
            flash_writes_per_access=least.pages_per_access,
            tb_per_day=least.tb_per_day,
            drive_writes_per_day=least.drive_writes_per_day,
            years=_finite(least.years),
            never_worn_out=least.years == math.inf,
        ),
    )


def _drives(found: Found, body: WearIn, usd: Decimal | None) -> DrivesOut | None:
    capacity = found.flash[0].capacity_bytes
    if usd is None or not capacity:
        return None
    held = body.flash_pages * found.curve.page_bytes
    cost = endurance_money.whole_drives(
        usd,
        months=body.amortisation_months,
        held_bytes=held,
        capacity_bytes=capacity * body.devices,
    )
    return DrivesOut(
        count=body.devices,
        purchase_usd=cost.purchase_usd,
        usd_per_month=cost.usd_per_month,
        held_share=cost.held_share,
        held_usd_per_month=cost.held_usd_per_month,
        sentence=_drives_sentence(
            cost, body.devices, found.flash[1].name, body.amortisation_months, held
        ),
    )


def _drives_sentence(
    cost: WholeDrives, count: int, name: str, months: int, held: int
) -> str:
    drives = f"One {name}" if count == 1 else f"{count:,} x {name}"
    costs = "costs" if count == 1 else "cost"
    whole = (
        f"{drives} {costs} {money_of(cost.purchase_usd)}, {money_of(cost.usd_per_month)} a month "
        f"over {months} months."
    )
    if cost.held_share >= 1:
        return f"{whole} The flash pages take all of it."
    return (
        f"{whole} Compare counts {money_of(cost.held_usd_per_month)} of it: the "
        f"{percent(cost.held_share)} that {format_bytes(held)} of flash pages take."
    )


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else value


def _wear_sentence(outlook: WearOutlook) -> str:
    lives = {n: s.years for n, s in outlook.schemes.items() if s.years is not None}
    if not lives:
        per_day = {name: life.tb_per_day for name, life in outlook.schemes.items()}
        most = max(per_day, key=lambda name: per_day[name])
        return (
            f"{scheme_titles()[most]} writes most, {three_digits(per_day[most])} TB a day; the "
            "device states no endurance."
        )
    longest = max(lives, key=lambda name: lives[name])
    shortest = min(lives, key=lambda name: lives[name])
    if math.isinf(lives[shortest]):
        return "Under this load the flash never wears out."
    if math.isinf(lives[longest]):
        return (
            f"The flash never wears out under {scheme_titles()[longest]}, and lasts "
            f"{_years(lives[shortest])} under {scheme_titles()[shortest]}."
        )
    if lives[longest] <= lives[shortest] * (1 + 1e-9):
        return f"The flash lasts {_years(lives[longest])} under every scheme."
    return (
        f"The flash lasts {_years(lives[longest])} under {scheme_titles()[longest]} and "
        f"{_years(lives[shortest])} under {scheme_titles()[shortest]}, writing in place."
    )


def _range_sentence(both: WearRange) -> str:
    def ends(name: str) -> str:
        low, high = both.most.schemes[name], both.least.schemes[name]
        if low.years is None or high.years is None:
            most, least = three_digits(low.tb_per_day), three_digits(high.tb_per_day)
            return f"{least} to {most} TB a day"
        if math.isinf(low.years):
            return "never worn out"
        return f"{_years(low.years)} to {'no end' if math.isinf(high.years) else _years(high.years)}"

    if both.gentlest is not None:
        return (
            "The share of evicted pages that are dirty is unknown: "
            f"{scheme_titles()[both.gentlest]} wears the flash least whether none is dirty or as "
            f"many as possible are ({ends(both.gentlest)})."
        )
    few, many = both.gentlest_at_least, both.gentlest_at_most
    return (
        f"Which scheme wears the flash least depends on the share of evicted pages that are "
        f"dirty, which is unknown: {scheme_titles()[few]} if none is ({ends(few)}), {scheme_titles()[many]} "
        f"if as many as possible are ({ends(many)})."
    )


MANY_YEARS = 1000


def _years(years: float) -> str:
    if years >= MANY_YEARS:
        return "over a thousand years"
    return f"{three_digits(years)} years"


def _about_capacity(found: Found, body: WearIn) -> Iterable[Caution]:
    device, page = found.flash[0], found.curve.page_bytes
    capacity = device.capacity_bytes
    held = body.flash_pages * page
    if capacity is not None and held > capacity * body.devices:
        yield Caution(
            "beyond_capacity",
            f"the flash of {format_bytes(held)} does not fit on {body.devices} x "
            f"`{device.id}`",
            "raise the number of devices",
        )


BY_MISSES = "the misses of RAM"
"""The way that fills flash which a replay can count."""


def _fill_rates(found: Found, misses_per_s: float) -> dict[str, float]:
    page = found.curve.page_bytes
    rates = {
        BY_MISSES: misses_per_s * page,
        "reads of the back end": _fastest(found.disk[0], "read", page),
        "flash writes": _fastest(found.flash[0], "write", page),
    }
    known = {name: rate for name, rate in rates.items() if rate > 0}
    if misses_per_s <= 0:
        raise BadInput.at(
            "body.accesses_per_s",
            found.accesses_per_s,
            "brings nothing into the flash: nothing misses RAM",
            hint="Give a load above 0 and less RAM.",
        )
    return known


def _fastest(device: Device, operation: Operation, page: int) -> float:
    """Most bytes a second that the device states; 0 where it states none."""
    times = (
        service_time(device, operation, page, pattern=pattern).time_us
        for pattern in PATTERNS
    )
    return max((page * MICROSECONDS / time for time in times if time), default=0.0)


def _about_fill(found: Found, body: RecoveryIn) -> Iterable[Caution]:
    distinct = found.curve.distinct_pages
    if body.flash_pages > distinct:
        yield Caution(
            "never_full",
            f"the flash holds {body.flash_pages:,} pages, more than the {distinct:,} pages of "
            "the workload: it never fills",
            "the time shown assumes that every page is new; choose less flash",
        )


_RESTORE_COSTS = Caution(
    "restore_costs_more",
    "with so few pages to redo, restoring the metadata of the flash takes longer than reading "
    "from flash saves",
    "a shorter checkpoint interval leaves little to redo either way",
)


def _no_latency(found: Found) -> Caution:
    flash, disk = found.flash[0], found.disk[0]
    page = found.curve.page_bytes
    return Caution(
        "cost_is_no_latency",
        f"each redone page is assumed to take its busy time (flash: {service_basis(flash, page)}; "
        f"disk: {service_basis(disk, page)})",
        "redo that waits for each page takes the latency instead: for that, choose devices "
        "measured at queue depth 1",
    )


def _restart(
    found: Found, body: RecoveryIn, misses_per_s: float
) -> tuple[RestartOut | None, str, list[DerivationStep]]:
    flash, disk = found.flash[0], found.disk[0]
    bandwidth = flash.number("sequential_read_mb_per_s")
    if bandwidth is None:
        reason = f"`{flash.id}` states no sequential read bandwidth"
        return None, f"{reason}; add it to a copy of the device", []
    page = found.curve.page_bytes
    times = page_flow_times(flash, disk, page)
    restore = flash_cache.recovery(
        body.flash_pages * page,
        page_bytes=page,
        seq_read_bytes_per_s=bandwidth * MEGABYTE,
    )
    # Below two segments the formula scans more than there is.
    metadata_s = min(restore.restore_seconds, restore.full_scan_seconds)
    basis = "as given, in proportion to the interval"
    per_s: float
    if body.redo_pages is not None:
        per_s = body.redo_pages / (body.checkpoint_interval_s / 2)
    else:
        share, known = _most_writes(found.curve)
        per_s = found.accesses_per_s * share
        basis = (
            "upper bound: each write in half an interval touches a different page, up to "
            f"all pages of the workload{known}"
        )
    grid = np.geomspace(SHORTEST_INTERVAL_S, LONGEST_INTERVAL_S, INTERVALS)
    intervals = np.append(grid, body.checkpoint_interval_s)
    pages = per_s * intervals / 2
    if body.redo_pages is None:
        pages = np.minimum(pages, found.curve.distinct_pages)
    writes = body.redo_writes * intervals / body.checkpoint_interval_s
    compared = recovery.restart(
        metadata_s=metadata_s,
        redo_pages=pages,
        redo_writes=writes,
        flash_share=body.flash_share,
        **times,
    )
    single = recovery.restart(
        metadata_s=metadata_s,
        redo_pages=float(pages[-1]),
        redo_writes=float(writes[-1]),
        flash_share=body.flash_share,
        **times,
    )
    flush = float(recovery.metadata_flush_interval(64_000, misses_per_s))
    found_restart = RestartOut(
        redo_pages=float(pages[-1]),
        redo_basis=basis,
        with_flash=_part(single.with_flash),
        without_flash=_part(single.without_flash),
        speedup=float(single.speedup),
        metadata_segments=restore.segments,
        metadata_restore_s=restore.restore_seconds,
        full_scan_s=restore.full_scan_seconds,
        metadata_flush_interval_s=_finite(flush),
        curve=RestartCurve(
            checkpoint_interval_s=grid.tolist(),
            redo_pages=pages[:-1].tolist(),
            with_flash_s=compared.with_flash.total_s[:-1].tolist(),
            without_flash_s=compared.without_flash.total_s[:-1].tolist(),
        ),
        validity=single.with_flash.validity,
    )
    steps = [
        DerivationStep(
            scheme=None,
            name="metadata_s",
            formula=f"[max(0, segments - 2) x 64,000 x 32 B + min(segments, 2) x 64,000 x "
            f"page] / bandwidth, at most a full scan, flash / bandwidth; segments = "
            f"ceil(flash / page / 64,000) = {restore.segments:,}, page = {page:,} B, flash = "
            f"{body.flash_pages * page:,} B, bandwidth = {bandwidth:g} MB/s",
            value=metadata_s,
            unit="s",
            source="Kang, Lee and Moon (2016), sections 5.2 and 6.8",
        ),
        *_steps(single.with_flash.derivation, "with_flash"),
        *_steps(single.without_flash.derivation, "without_flash"),
        *_beside(
            restore.full_scan_seconds,
            f"flash / bandwidth; flash = {body.flash_pages * page:,} B, bandwidth = "
            f"{bandwidth:g} MB/s",
            "full_scan_s",
        ),
        *_beside(
            flush,
            f"64,000 / misses per s; misses per s = {shown(misses_per_s)} 1/s",
            "metadata_flush_interval_s",
        ),
        DerivationStep(
            scheme=None,
            name="speedup",
            formula="total_s without flash / total_s with flash = "
            f"{shown(float(single.without_flash.total_s))} s / "
            f"{shown(float(single.with_flash.total_s))} s",
            value=float(single.speedup),
            unit="1",
            source="derived",
        ),
    ]
    return found_restart, "", steps


def _beside(value: float, formula: str, name: str) -> Iterable[DerivationStep]:
    """Give a time of the metadata that the restart does not contain."""
    if math.isfinite(value):
        yield DerivationStep(
            scheme=None,
            name=name,
            formula=formula,
            value=value,
            unit="s",
            source="Kang, Lee and Moon (2016), sections 5.2 and 6.8",
        )


def _most_writes(curve: Curve) -> tuple[float, str]:
    """Share of the accesses that write, at most; and what to add where nobody said it."""
    if curve.known_write_accesses is not None:
        return curve.known_write_accesses / curve.accesses, ""
    stated = None if curve.given is None else curve.given.write_share
    if stated is not None:
        return stated, ""
    return 1.0, "; how many accesses write is unknown, so all are assumed to"


def page_flow_times(flash: Device, disk: Device, page_bytes: int) -> dict[str, float]:
    """Cost of a page on both devices, under the names of `restart`. [s]

    Raises
    ------
    BadInput
        If a device states neither IOPS nor a latency.
    """
    found = {}
    for role, device in (("flash", flash), ("disk", disk)):
        for operation in OPERATIONS:
            time_us = service_us(device, operation, page_bytes)
            if time_us is None:
                raise ModelBadInput(
                    f"device `{device.id}` has no {operation} service time",
                    "choose a device with IOPS or a latency",
                )
            found[f"{role}_{operation}_s"] = time_us / MICROSECONDS
    return found


def _part(time: recovery.RedoTime) -> RestartPart:
    return RestartPart(
        metadata_s=float(time.metadata_s),
        reads_s=float(time.reads_s),
        writes_s=float(time.writes_s),
        total_s=float(time.total_s),
    )


def _steps(
    derivations: Iterable[Derivation], scheme: str | None = None
) -> Iterable[DerivationStep]:
    return (derivation_step(each, scheme) for each in derivations)
