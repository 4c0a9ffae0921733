"""Checks by replay: the questions are answered by the models, and by counters of a replay."""

import math
from collections.abc import Callable
from typing import Any

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright import page_flow
from tierwright.page_flow import Evaluation
from tierwright.replay_checks import (
    replayed_choice,
    replayed_life,
    replayed_throughput,
)
from tierwright.throughput import Setting
from tierwright_server import contents
from tierwright_server.catalog import service as catalog
from tierwright_server.context import Context
from tierwright_server.evaluations import replays
from tierwright_server.evaluations import service as evaluations
from tierwright_server.evaluations.schemas import EvaluationIn
from tierwright_server.evaluations.service import CORE_VERSION, Point, titles
from tierwright_server.flash_choices import service as choices
from tierwright_server.flash_choices.schemas import FlashChoiceIn
from tierwright_server.replay_checks.schemas import CheckedAnswer, CheckedFigure
from tierwright_server.simulations import service as simulations
from tierwright_server.simulations.schemas import SimulationIn, SimulationOut
from tierwright_server.sweeps import repository
from tierwright_server.throughputs import service as throughputs
from tierwright_server.throughputs.schemas import ThroughputIn
from tierwright_server.wear import service as wears
from tierwright_server.wear.schemas import WearIn
from tierwright_server.wording import percent
from tierwright_server.workloads import service as workloads

Counters = dict[str, dict[str, Any]]
MS_PER_S = 1000.0
US_PER_S = 1e6
REPLAYED = (
    "Every scheme was replayed on the trace at these sizes; its counted page operations take "
    "the place of the page-flow formulas."
)


async def throughput(
    request: Request, session: AsyncSession, context: Context, body: ThroughputIn
) -> CheckedAnswer | SimulationOut:
    """Put throughput and response time of the present point beside those of replays."""
    asked = body.point().model_copy(update={"flash_metadata": body.flash_metadata})
    point, counted = await _replayed(request, session, context, asked)
    if isinstance(counted, SimulationOut):
        return counted
    present = int(getattr(body, body.vary))
    answer = await throughputs.evaluate(
        session, context, body.model_copy(update={"points": [present]})
    )
    setting = Setting(
        clients=body.clients,
        accesses_per_transaction=body.accesses_per_transaction,
        think_s=body.think_ms / MS_PER_S,
        cpu_s_per_transaction=body.cpu_us_per_transaction / US_PER_S,
        cpus=body.cpus,
        flash_devices=body.flash_devices,
        disks=body.disks,
    )
    rows = []
    for columns in answer.schemes:
        found = replayed_throughput(
            counted[columns.scheme],
            flash=point.flash[0],
            disk=point.disk[0],
            setting=setting,
        )
        for figure, unit, model, simulated in (
            (
                "throughput",
                "1/s",
                columns.throughput_per_s[answer.at],
                found.throughput_per_s,
            ),
            (
                "response time",
                "ms",
                columns.response_ms[answer.at],
                found.response_s * MS_PER_S,
            ),
        ):
            rows.append(
                _row(columns.scheme, columns.title, figure, unit, model, simulated)
            )
    return CheckedAnswer(
        sentence=_sentence(rows, "throughput", max),
        rows=rows,
        basis=f"{REPLAYED} The network of queues is solved as in the answer: nothing "
        "replays how clients wait.",
    )


async def wear(
    request: Request, session: AsyncSession, context: Context, body: WearIn
) -> CheckedAnswer | SimulationOut:
    """Put flash writes and life beside those of replays."""
    asked = EvaluationIn(
        workload_id=body.workload_id,
        ram_pages=body.ram_pages,
        flash_pages=body.flash_pages,
        flash_device_id=body.flash_device_id,
        disk_device_id=body.disk_device_id,
        flash_metadata=body.flash_metadata,
        start=body.start,
    )
    _, counted = await _replayed(request, session, context, asked)
    if isinstance(counted, SimulationOut):
        return counted
    answer = await wears.wear(session, context, body)
    rows = []
    for scheme in answer.schemes:
        life = replayed_life(
            counted[scheme.scheme],
            budget_tb=answer.budget.in_place_tb,
            accesses_per_s=answer.accesses_per_s,
            growth_per_year=body.growth_per_year,
            written_tb=body.written_tb,
        )
        for figure, unit, model, simulated in (
            ("flash writes", "TB/day", scheme.tb_per_day, life.tb_per_day),
            ("life", "years", scheme.years, life.years),
        ):
            rows.append(
                _row(scheme.scheme, scheme.title, figure, unit, model, simulated)
            )
    return CheckedAnswer(
        sentence=_sentence(rows, "flash writes", min),
        rows=rows,
        basis=f"{REPLAYED} What the drive makes of a write inside, its rating says; "
        "nothing replays it.",
    )


async def flash_choice(
    request: Request, session: AsyncSession, context: Context, body: FlashChoiceIn
) -> CheckedAnswer | SimulationOut:
    """Put the I/O time of every device beside that of one replay a scheme."""
    answer = await choices.choose(session, context, body)
    first = answer.rows[0].device_id if answer.rows else None
    if first is None:
        return CheckedAnswer(
            sentence="None of the devices could be ranked.", rows=[], basis=REPLAYED
        )
    asked = EvaluationIn(
        workload_id=body.workload_id,
        ram_pages=body.ram_pages,
        flash_pages=body.flash_pages,
        flash_device_id=first,
        disk_device_id=body.disk_device_id,
        flash_metadata=body.flash_metadata,
        start=body.start,
    )
    point, counted = await _replayed(request, session, context, asked)
    if isinstance(counted, SimulationOut):
        return counted
    devices = [
        (await catalog.find_device(session, context, row.device_id, "candidate_ids"))[0]
        for row in answer.rows
    ]
    found = replayed_choice(counted, devices, disk=point.disk[0])
    rows = [
        _row(
            row.device_id,
            row.device_name,
            f"I/O time, {row.scheme_title}"
            if row.scheme == found[row.device_id].scheme
            else f"I/O time, {row.scheme_title}; replayed best: "
            f"{titles()[found[row.device_id].scheme]}",
            "µs/access",
            row.io_time_us_per_access,
            found[row.device_id].io_time_us_per_access,
        )
        for row in answer.rows
        if row.device_id in found
    ]
    return CheckedAnswer(
        sentence=_sentence(rows, "I/O time", min),
        rows=rows,
        basis=f"{REPLAYED} One replay of a scheme prices every device.",
    )


async def _replayed(
    request: Request, session: AsyncSession, context: Context, asked: EvaluationIn
) -> tuple[Point, Counters | SimulationOut]:
    """Counters of every scheme: kept, made here, or left to a job where that takes long."""
    point = await evaluations.find_point(session, context, asked)
    workloads.check_traced(point.workload, point.content)
    found: Evaluation = evaluations.compute(asked, point)
    points = page_flow.replay_points(found)
    keys = {name: replays.key_of(name, at, CORE_VERSION) for name, at in points.items()}
    known = await repository.results(session, point.content.id, list(keys.values()))
    wanted = [name for name, key in keys.items() if key not in known]
    if wanted:
        takes_s = replays.expected_s(point.content.summary["accesses"], len(wanted))
        if takes_s > context.settings.replay_inline_s:
            job = await simulations.create_simulation(
                session, context, SimulationIn.model_validate(asked.model_dump())
            )
            return point, job
        # Nobody else needs to wait for the connection meanwhile.
        await session.commit()
        trace = contents.existing_trace(context.settings, point.content.id)
        made = await replays.make(
            request, trace, {name: points[name] for name in wanted}
        )
        fresh = {keys[name]: row for name, row in made.items()}
        await repository.keep(session, point.content.id, fresh)
        known = known | fresh
    return point, {name: known[key] for name, key in keys.items()}


# --- words ---------------------------------------------------------------------------------


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _row(
    of: str,
    title: str,
    figure: str,
    unit: str,
    model: float | None,
    simulated: float | None,
) -> CheckedFigure:
    one, other = _finite(model), _finite(simulated)
    return CheckedFigure(
        of=of,
        title=title,
        figure=figure,
        unit=unit,
        model=one,
        simulated=other,
        gap_relative=(one - other) / other
        if one is not None and other is not None and other != 0
        else None,
    )


SAME = 1e-9


def _sentence(
    rows: list[CheckedFigure], figure: str, best: Callable[..., CheckedFigure]
) -> str:
    """Say whether the replay chooses as the model does, and how far the model is off."""
    known = [
        row
        for row in rows
        if row.figure.startswith(figure)
        and row.model is not None
        and row.simulated is not None
    ]
    if not known:
        return "Neither the model nor the replay has a figure to compare."
    chosen = best(known, key=lambda row: row.model)
    right = best(known, key=lambda row: row.simulated)
    worst = max((abs(row.gap_relative or 0.0) for row in known), default=0.0)
    off = (
        "model and replay agree"
        if worst <= SAME
        else f"the model is off by at most {percent(worst)} in {figure}"
    )
    same = abs((chosen.simulated or 0.0) - (right.simulated or 0.0)) <= SAME * abs(
        right.simulated or 0.0
    )
    if same:
        return f"The replay confirms {chosen.title} as the best choice; {off}."
    lost = abs((chosen.simulated or 0.0) / (right.simulated or math.inf) - 1)
    return (
        f"By replay {right.title} is best; {chosen.title}, which the model names, is "
        f"{percent(lost)} behind; {off}."
    )
