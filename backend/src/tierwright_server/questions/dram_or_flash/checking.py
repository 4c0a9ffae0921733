"""Break-even of each scheme beside replays of the trace: the DRAM step, and the flash for it."""

import asyncio
from dataclasses import replace
from typing import Any

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise.checks import dram_or_flash
from tierwright.advise.checks.checked import not_checked
from tierwright.evaluate.page_flow import decision
from tierwright.evaluate.page_flow.decision import ReplayPoint
from tierwright.evaluate.scale.replays import ReplaySizes, recorded_rate
from tierwright_server.common.version import VERSION
from tierwright_server.hardware.flash_metadata import metadata_preset
from tierwright_server.http.context import Context
from tierwright_server.questions.compare.check import service as simulations
from tierwright_server.questions.compare.check.schemas import (
    SimulationIn,
    SimulationOut,
)
from tierwright_server.questions.dram_or_flash.schemas import BreakEvenCheckIn
from tierwright_server.questions.point import find_point
from tierwright_server.questions.replay_checks import check as checks
from tierwright_server.questions.replay_checks.check import shown
from tierwright_server.questions.replay_checks.schemas import (
    CheckedAnswer,
)
from tierwright_server.replays import kept, points
from tierwright_server.replays.sweeps.schemas import SweepOut
from tierwright_server.storage import contents
from tierwright_server.traces.workloads import recordings
from tierwright_server.traces.workloads.recordings import Recording

Each = tuple[str, ReplayPoint]
Counters = dict[Each, dict[str, Any]]


async def check(
    request: Request, session: AsyncSession, context: Context, body: BreakEvenCheckIn
) -> CheckedAnswer | SimulationOut | SweepOut:
    """Replay the DRAM step and every scheme with the flash that is to gain as much, and flash caches besides."""
    point = await find_point(session, context, body.point())
    recording = await recordings.find(
        context, point.workload, point.content, point.curve
    )
    step = await asyncio.to_thread(
        dram_or_flash.dram_step,
        point.curve,
        ram_pages=body.ram_pages,
        delta=body.delta,
        flash=point.flash[0],
        disk=point.disk[0],
        disks=body.disks,
        old_share=body.old_share,
        sequential_writes=body.sequential_writes,
        flash_metadata=metadata_preset(body.flash_metadata),
    )
    found, sizes = step.found, step.sizes
    at, at_sizes = _recorded(sizes.wanted(), recording)
    if at_sizes is not None and at_sizes.refuses:
        return shown(not_checked(at_sizes))
    counted = await _replayed(request, session, context, body, recording, at)
    if isinstance(counted, SimulationOut):
        return counted
    caches = None
    options = checks.options_of_asked(body)
    rates = (
        body.accesses_per_s,
        recorded_rate(point.curve, point.content.summary.get("duration_s")),
    )
    wanted = dram_or_flash.cache_replays(
        found,
        sizes,
        body.flash_caches,
        start=point.curve.start,
        accesses=recording.accesses,
        options=options,
        rates=rates,
    )
    if wanted:
        beside = await checks.counted(
            checks.Asking(request, session, context), recording, wanted
        )
        if not isinstance(beside, checks.Counted):
            return beside
        caches = dram_or_flash.CachesBeside(
            beside.counters,
            point.flash[0],
            point.disk[0],
            body.disks,
            options,
            rates[0],
        )
    return shown(
        dram_or_flash.check(found, sizes, counted, step.costs, caches), at_sizes
    )


def _recorded(
    wanted: list[Each], recording: Recording
) -> tuple[dict[Each, Each], ReplaySizes | None]:
    """Return where each replay is made: of a scaled workload, at the sizes of its recording."""
    scaled = recording.scaled
    if scaled is None:
        return {each: each for each in wanted}, None
    at = {
        (scheme, point): (
            scheme,
            replace(
                decision.recorded_point(point, scheme, scaled),
                warm_up=recording.accesses // 2 if point.warm_up else 0,
            ),
        )
        for scheme, point in wanted
    }
    pairs = [
        ((one.ram_pages, one.flash_pages), (other.ram_pages, other.flash_pages))
        for (_, one), (_, other) in at.items()
    ]
    return at, ReplaySizes.of(scaled, pairs)


async def _replayed(
    request: Request,
    session: AsyncSession,
    context: Context,
    body: BreakEvenCheckIn,
    recording: Recording,
    at: dict[Each, Each],
) -> Counters | SimulationOut:
    """Counters of every replay: kept, made here, or left to jobs where that takes long."""
    keys = {each: points.key_of(*place, VERSION) for each, place in at.items()}
    content = recording.content
    known = await kept.results(session, content.id, list(keys.values()))
    wanted = [each for each, key in keys.items() if key not in known]
    if wanted:
        takes_s = points.expected_s(recording.accesses, len(wanted))
        if takes_s > context.settings.replay_inline_s:
            return await _job(session, context, body, wanted)
        # Nobody else needs to wait for the connection meanwhile.
        await session.commit()
        trace = await contents.existing_trace(context.settings, content.id)
        places = list(dict.fromkeys(at[each] for each in wanted))
        made = await points.make_each(request, trace, places)
        fresh = {points.key_of(*place, VERSION): row for place, row in made.items()}
        await kept.keep(session, content.id, fresh)
        known = known | fresh
    return {each: known[key] for each, key in keys.items()}


async def _job(
    session: AsyncSession,
    context: Context,
    body: BreakEvenCheckIn,
    wanted: list[Each],
) -> SimulationOut:
    """Start the replays of the first sizes that are missing; who asks again starts the next."""
    first = wanted[0][1]
    asked = body.point().model_dump() | {
        "ram_pages": first.ram_pages,
        "flash_pages": first.flash_pages,
        "schemes": [scheme for scheme, at in wanted if at == first],
    }
    return await simulations.create_simulation(
        session, context, SimulationIn.model_validate(asked)
    )
