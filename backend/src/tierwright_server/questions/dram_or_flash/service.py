"""DRAM or flash: finds what is asked for, lets the models answer, shows it."""

import asyncio
import math
from decimal import Decimal

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import dram_or_flash
from tierwright.advise.dram_or_flash import DramOrFlash
from tierwright.advise.dram_or_flash.elsewhere import FarAsked, StoreAsked
from tierwright.advise.dram_or_flash.end import OneEnd
from tierwright.advise.dram_or_flash.platform_load import StatedIntervals
from tierwright.advise.dram_or_flash.rows import (
    no_flip,
    nullable,
    plan_is_trend,
    useful_pages,
)
from tierwright.advise.point import Rate, rate_of, scheme_titles
from tierwright.evaluate.break_even.interval import HostShare, Power
from tierwright_server.common.schemas import WarningOut
from tierwright_server.common.version import VERSION
from tierwright_server.hardware.flash_metadata import metadata_preset
from tierwright_server.http.context import Context
from tierwright_server.http.steps import rows_of
from tierwright_server.questions.dram_or_flash.schemas import (
    AccessTimes,
    BreakEvenIn,
    BreakEvenLeast,
    BreakEvenOut,
    CrossingOut,
    EqualMoney,
    FlipsOut,
    IntervalOut,
    NextMoneyOut,
    PayingRam,
    PlanOut,
    PricesUsed,
    SchemeGain,
    StepOut,
)
from tierwright_server.questions.point import (
    Point,
    find_point,
    known_dirty_share,
    of_body,
    unknown_dirty_share,
)
from tierwright_server.questions.point_schemas import DevicesUsed, PriceBookRef


async def evaluate(
    session: AsyncSession, context: Context, body: BreakEvenIn, *, derived: bool = False
) -> BreakEvenOut:
    """Answer the question at one point."""
    point = await find_point(session, context, body.point())
    with of_body():
        found = await asyncio.to_thread(_ask, body, point)
    # Computed once, and not in the loop: what they could change takes some time.
    await asyncio.to_thread(lambda: found.cautions)
    return _shown(body, point, found, derived=derived)


def _ask(body: BreakEvenIn, point: Point) -> DramOrFlash:
    return dram_or_flash.answer(
        point.flash[0],
        point.disk[0],
        curve=point.curve,
        ram_pages=body.ram_pages,
        ram=point.ram[0] if point.ram else None,
        prices=point.prices[0] if point.prices else None,
        amortisation_months=body.amortisation_months,
        usd=body.usd,
        price_ratio=None
        if body.price_ratio is None
        else Decimal(repr(body.price_ratio)),
        deltas=body.deltas,
        form=body.form,
        read_share=body.read_share,
        disks=body.disks,
        old_share=body.old_share,
        sequential_writes=body.sequential_writes,
        host_usd=body.host_usd,
        flash_metadata=metadata_preset(body.flash_metadata),
        points=body.points,
        dirty_share_range=body.dirty_share_range,
        host_share=_host_share(body),
        power=_power(body),
        rate=_rate(body, point),
        drives=body.drives,
        dram_bytes_per_s=body.platform_bytes_per_s,
        intervals=_intervals_stated(body, point),
        far=None if body.far is None else FarAsked(**body.far.model_dump()),
        store=None if body.store is None else StoreAsked(**body.store.model_dump()),
    )


def _host_share(body: BreakEvenIn) -> HostShare | None:
    """Return what a fetch takes of the host; None where nothing is counted."""
    if not body.core_usd and body.dram_bytes is None and body.dram_bytes_per_s is None:
        return None
    return HostShare(
        core_usd=body.core_usd,
        core_iops=body.core_iops,
        dram_bytes=body.dram_bytes,
        dram_bytes_per_s=body.dram_bytes_per_s,
    )


def _power(body: BreakEvenIn) -> Power | None:
    """Return the price of electricity; None leaves power out."""
    if body.usd_per_kwh is None:
        return None
    watts = body.watts_per_gib
    return Power(
        body.usd_per_kwh,
        None if watts is None else Decimal(repr(watts)),
        Decimal(repr(body.pue)),
    )


def _intervals_stated(body: BreakEvenIn, point: Point) -> StatedIntervals | None:
    """Return the intervals that the platform is judged on; None: the curve."""
    stated = body.access_intervals
    if stated is None:
        return None
    return StatedIntervals(
        stated.median_s, stated.sigma, stated.pages or point.curve.data_pages
    )


def _rate(body: BreakEvenIn, point: Point) -> Rate | None:
    """Return the accesses per second as stated, else of the recording; None where neither says."""
    if body.accesses_per_s is not None:
        return Rate(body.accesses_per_s, "as given")
    duration_s = point.content.summary.get("duration_s")
    if not duration_s or point.curve.accesses == 0:
        return None
    return rate_of(point.curve, duration_s)


def _shown(
    body: BreakEvenIn, point: Point, found: DramOrFlash, *, derived: bool
) -> BreakEvenOut:
    curve, end, least = point.curve, found.end, found.least
    return BreakEvenOut.showing(
        found,
        workload_id=point.workload.id,
        content_id=point.content.id,
        accesses=curve.accesses,
        write_accesses=curve.known_write_accesses,
        distinct_pages=curve.distinct_pages,
        start=curve.start,
        page_bytes=curve.page_bytes,
        ram_pages=body.ram_pages,
        ram_bytes=body.ram_pages * curve.page_bytes,
        ram_hit_ratio=float(curve.hit_ratio(body.ram_pages)),
        amortisation_months=body.amortisation_months,
        devices=DevicesUsed(
            flash=point.flash[1],
            disk=point.disk[1],
            ram=point.ram[1] if point.ram else None,
        ),
        price_book=(
            PriceBookRef.model_validate(point.prices[1]) if point.prices else None
        ),
        flash_metadata=body.flash_metadata,
        dirty_share=known_dirty_share(curve)
        if curve.write_backs_at is not None
        else unknown_dirty_share(curve, found.better_at_least, found.better_at_most),
        least=None
        if least is None
        else BreakEvenLeast.showing(
            least,
            steps=[StepOut.model_validate(each) for each in least.steps],
            next_money=_next_money(least.end),
            flips=_flips(least.end),
        ),
        times=_times(body, end),
        exponent=end.found.exponent,
        steps=[StepOut.model_validate(each) for each in found.steps],
        prices=PricesUsed.model_validate(found.prices),
        next_money=_next_money(end),
        plan=_plan(end),
        flips=_flips(end),
        intervals=_intervals(point, end),
        paying=None if found.paying is None else PayingRam.model_validate(found.paying),
        warnings=[WarningOut.model_validate(each) for each in found.warnings],
        derivation=rows_of(found) if derived else None,
        core_version=VERSION,
    )


def _flips(end: OneEnd) -> FlipsOut:
    found = end.flips
    return FlipsOut(
        delta=found.delta.tolist(),
        log=nullable(found.log),
        curve=nullable(found.curve),
        full=None if found.full is None else nullable(found.full),
    )


def _times(body: BreakEvenIn, end: OneEnd) -> AccessTimes:
    inputs, costs = end.found.inputs, end.costs
    return AccessTimes(
        disk_read_us=costs.disk_read,
        disk_write_us=costs.disk_write,
        flash_read_us=costs.flash_read,
        flash_write_us=costs.flash_write,
        disk_us=inputs["disk_cost_us"],
        flash_us=inputs["flash_cost_us"],
        read_share=inputs["read_share"],
        read_share_basis=inputs["read_share_basis"],
        disks=body.disks,
        flash_write_pattern=inputs["flash_write_pattern"],
        flash_basis=inputs["flash_service_basis"],
        disk_basis=inputs["disk_service_basis"],
    )


def _next_money(end: OneEnd) -> NextMoneyOut | None:
    main = end.main
    if main is None:
        return None
    return NextMoneyOut.showing(
        main,
        usual_usd=end.usual_usd,
        most_usd=end.most_usd,
        flash_useful_pages=useful_pages(end.curve),
        ram_pages_beside_flash=end.beside_flash,
        equal_money=[
            EqualMoney.showing(
                each,
                form=name,
                dram_gain_us=each.dram_gain,
                flash_gain_us=each.flash_gain,
                flash_gain_least_us=each.flash_gain_least,
                flash_gain_most_us=each.flash_gain_most,
                flash_gains=[
                    SchemeGain(
                        scheme=scheme, title=scheme_titles()[scheme], gain_us=gain
                    )
                    for scheme, gain in each.flash_gains.items()
                ],
                flip_reason=no_flip(each, end.curve),
            )
            for name, each in end.money.items()
        ],
        dram_gain_us=nullable(main.dram_at),
        flash_gain_us=nullable(main.flash_at),
        dram_next=nullable(main.dram_next),
        flash_next=nullable(main.flash_next),
        crossings=[CrossingOut.model_validate(each) for each in main.crossings],
        total_crossings=[
            CrossingOut.model_validate(each) for each in main.total_crossings
        ],
        entry_gain_us=main.entry_gain if math.isfinite(main.entry_gain) else None,
    )


def _plan(end: OneEnd) -> PlanOut | None:
    plan = end.plan
    if plan is None:
        return None
    return PlanOut.showing(
        plan,
        spent_usd=plan.usd,
        dram_gain_us=plan.dram_gain,
        flash_gain_us=plan.flash_gain,
        is_trend=plan_is_trend(end, plan),
    )


def _intervals(point: Point, end: OneEnd) -> list[IntervalOut]:
    names = {
        device[0].id: device[1].name
        for device in (point.flash, point.disk, point.ram)
        if device is not None
    }
    if point.ram is None:
        names["dram"] = "DRAM"
    return [
        IntervalOut.showing(
            each,
            upper_name=names.get(each.upper, each.upper),
            lower_name=names.get(each.lower, each.lower),
            missing=list(each.missing),
            warnings=[WarningOut.model_validate(about) for about in each.warnings],
        )
        for each in end.found.intervals
    ]
