"""Break-even of each scheme beside replays of the trace: the DRAM step, and the flash for it."""

import asyncio
import math
from typing import Any

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise.dram_or_flash import break_even as break_even_question
from tierwright.advise.point import scheme_titles
from tierwright.common.wording import percent, three_digits
from tierwright.evaluate.break_even import replayed, schemes
from tierwright.evaluate.break_even.gains import PageCosts
from tierwright.evaluate.break_even.replayed import CheckSizes, ReplayedBreakEven
from tierwright.evaluate.break_even.schemes import SchemeThetas
from tierwright.evaluate.page_flow.decision import ReplayPoint
from tierwright_server.common.version import VERSION
from tierwright_server.hardware.flash_metadata import metadata_preset
from tierwright_server.http.context import Context
from tierwright_server.questions.compare.check import service as simulations
from tierwright_server.questions.compare.check.schemas import (
    SimulationIn,
    SimulationOut,
)
from tierwright_server.questions.dram_or_flash.schemas import BreakEvenCheckIn
from tierwright_server.questions.point import Point, find_point
from tierwright_server.questions.replay_checks.check import row
from tierwright_server.questions.replay_checks.schemas import (
    CheckedAnswer,
    CheckedFigure,
)
from tierwright_server.replays import points
from tierwright_server.replays.sweeps import repository
from tierwright_server.storage import contents
from tierwright_server.traces.workloads import service as workloads

Counters = dict[tuple[str, ReplayPoint], dict[str, Any]]
GAIN_UNIT = "µs/access"


async def check(
    request: Request, session: AsyncSession, context: Context, body: BreakEvenCheckIn
) -> CheckedAnswer | SimulationOut:
    """Replay the DRAM step and every scheme with the flash that is to gain as much."""
    preset = metadata_preset(body.flash_metadata)
    point = await find_point(session, context, body.point())
    workloads.check_traced(point.workload, point.content)
    costs = break_even_question.page_costs(
        point.flash[0],
        point.disk[0],
        body.disks,
        point.curve.page_bytes,
        sequential=body.sequential_writes,
    )
    found = await asyncio.to_thread(
        schemes.scheme_thetas,
        point.curve,
        body.ram_pages,
        [body.delta],
        costs,
        old_share=body.old_share,
        flash_metadata=preset,
    )
    sizes = replayed.check_sizes(
        point.curve, body.ram_pages, found, flash_metadata=preset
    )
    counted = await _replayed(request, session, context, body, point, sizes)
    if isinstance(counted, SimulationOut):
        return counted
    return _answer(found, sizes, counted, costs)


async def _replayed(
    request: Request,
    session: AsyncSession,
    context: Context,
    body: BreakEvenCheckIn,
    point: Point,
    sizes: CheckSizes,
) -> Counters | SimulationOut:
    """Counters of every replay: kept, made here, or left to jobs where that takes long."""
    keys = {each: points.key_of(each[0], each[1], VERSION) for each in sizes.wanted()}
    content = point.content
    known = await repository.results(session, content.id, list(keys.values()))
    wanted = [each for each, key in keys.items() if key not in known]
    if wanted:
        takes_s = points.expected_s(content.summary["accesses"], len(wanted))
        if takes_s > context.settings.replay_inline_s:
            return await _job(session, context, body, wanted)
        # Nobody else needs to wait for the connection meanwhile.
        await session.commit()
        trace = contents.existing_trace(context.settings, content.id)
        made = await points.make_each(request, trace, wanted)
        fresh = {keys[each]: row for each, row in made.items()}
        await repository.keep(session, content.id, fresh)
        known = known | fresh
    return {each: known[key] for each, key in keys.items()}


async def _job(
    session: AsyncSession,
    context: Context,
    body: BreakEvenCheckIn,
    wanted: list[tuple[str, ReplayPoint]],
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


# --- words ---------------------------------------------------------------------------------


def _answer(
    found: SchemeThetas, sizes: CheckSizes, counted: Counters, costs: PageCosts
) -> CheckedAnswer:
    best = found.best[0]
    made = replayed.replayed_break_even(sizes, counted, costs, best)
    rows = [
        row(
            "none",
            "DRAM",
            f"saved by {made.dram_pages:,} more pages",
            GAIN_UNIT,
            float(found.dram_gain[0]),
            made.dram_gain,
        )
    ]
    for scheme, each in made.schemes.items():
        if each.flash_pages is None:
            continue
        rows.append(
            row(
                scheme,
                scheme_titles()[scheme],
                f"saved by {each.flash_pages:,} pages of flash",
                GAIN_UNIT,
                float(found.schemes[scheme].flash_gain[0]),
                each.gain,
            )
        )
        if each.share is not None:
            rows.append(
                CheckedFigure(
                    of=scheme,
                    title=scheme_titles()[scheme],
                    figure="share of what the DRAM saves",
                    unit="1",
                    model=float(found.schemes[scheme].flash_gain[0])
                    / float(found.dram_gain[0]),
                    simulated=each.share,
                    gap_relative=None,
                )
            )
    return CheckedAnswer(
        sentence=_sentence(found, made, sizes), rows=rows, basis=_basis(made, sizes)
    )


def _sentence(found: SchemeThetas, made: ReplayedBreakEven, sizes: CheckSizes) -> str:
    """Say how many break-evens the replays confirm, and whether the best scheme is the best."""
    if made.dram_gain <= 0:
        return "By replay the DRAM step saves nothing, so there is nothing to match."
    if made.best is None:
        return "By the model no amount of flash saves what the DRAM step saves."
    stated = [each for each in made.schemes.values() if each.is_within is not None]
    if not stated:
        return (
            "The flash that the model asks for holds more pages than the recording tells about: "
            "its replay can neither confirm nor refute it."
        )
    within = sum(each.is_within is True for each in stated)
    held = (
        f"By replay {within} of {len(stated)} break-evens lie within their stated error"
        if len(stated) > 1
        else "By replay the break-even lies within its stated error"
        if within
        else "By replay the break-even lies outside its stated error"
    )
    held += _how_wide(found, made)
    flash = sizes.schemes[made.best].needed
    pages = 0 if flash is None else flash.flash_pages
    share = made.schemes[made.best].share or 0.0
    name = scheme_titles()[made.best]
    if made.best_by_replay in (made.best, None):
        return (
            f"{held}; with {pages:,} pages of flash {name} saves most, as the model says, "
            f"{percent(share)} of what the DRAM saves."
        )
    other = scheme_titles()[made.best_by_replay]
    more = percent((made.best_gain or 0.0) / made.dram_gain)
    return (
        f"{held}; with {pages:,} pages of flash {other} saves most, {more} of what the DRAM "
        f"saves; {name}, which the model names, saves {percent(share)}."
    )


WIDE = 1.5
"""Flash at one end of the stated error over that at the other from which it confirms little."""
FAR = 0.1
"""Gap between the gain by replay and by the model from which it is said."""


def _how_wide(found: SchemeThetas, made: ReplayedBreakEven) -> str:
    """Say how little a wide error confirms, and how far the model is off within it."""
    stated = [name for name, each in made.schemes.items() if each.is_within is not None]
    bands = [
        (float(each.theta_least[0]), float(each.theta_most[0]))
        for each in (found.schemes[name] for name in stated)
    ]
    # An end without a number has no bound: no flash of a size that the recording tells about.
    open_ = any(
        not (math.isfinite(least) and math.isfinite(most)) for least, most in bands
    )
    apart = max(
        (most / least for least, most in bands if least > 0 and math.isfinite(most)),
        default=1.0,
    )
    gaps = [
        each.gain / float(found.schemes[name].flash_gain[0]) - 1
        for name, each in made.schemes.items()
        if name in stated
        and each.gain is not None
        and float(found.schemes[name].flash_gain[0]) > 0
    ]
    gap = max(gaps, key=abs, default=0.0)
    said = []
    if open_:
        said.append("that error has no bound on one side")
    elif apart >= WIDE:
        said.append(
            f"that error spans a factor of up to {three_digits(apart)} in flash"
        )
    if abs(gap) >= FAR:
        sign = "more" if gap > 0 else "less"
        said.append(
            f"the flash saves up to {percent(abs(gap))} {sign} than the model says"
        )
    return f" (but {' and '.join(said)})" if said else ""


def _basis(made: ReplayedBreakEven, sizes: CheckSizes) -> str:
    unmatched = [
        scheme_titles()[name]
        for name, each in made.schemes.items()
        if each.flash_pages is None
    ]
    trend = any(
        each.is_trend and each.needed is not None for each in sizes.schemes.values()
    )
    parts = [
        "The trace was replayed with the DRAM step, and under every scheme with the flash that "
        "its model asks for, that of the ends of its stated error, and that of the best scheme; "
        "the counted page operations are priced with the busy times of the answer. A break-even "
        "is within its error where the replay saves no more than the DRAM step at one end and "
        "no less at the other, to 1 % of it."
    ]
    if unmatched:
        parts.append(
            f"No flash saves as much by the model, so nothing was replayed: "
            f"{', '.join(unmatched)}."
        )
    if trend:
        parts.append(
            "Where RAM and flash hold more pages than the recording covers, a replay of it "
            "cannot decide either."
        )
    return " ".join(parts)
