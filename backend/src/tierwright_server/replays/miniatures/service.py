"""Decisions about miniatures: what is estimated, what is known already."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import miniature as question
from tierwright.advise.checks import points
from tierwright.advise.checks.flash_life import (
    FlashLife,
    life_of,
    rate_of,
)
from tierwright.common.core_errors import Cancelled, SimulatorError
from tierwright.common.wording import counted
from tierwright.evaluate.page_flow.decision import warm_up_of
from tierwright.evaluate.ram_tax import tax_of_replay
from tierwright.hardware.device import Device
from tierwright.profile.curve import Curve
from tierwright.simulate import replay
from tierwright.simulate.contenders import (
    check_no_rate,
    check_rate,
    with_default_units,
)
from tierwright.trace.reading import Trace, rate_of_trace
from tierwright_server.common.errors import BadInput, simulator_message
from tierwright_server.common.older_models import about_version
from tierwright_server.common.result_ids import result_id
from tierwright_server.common.version import VERSION
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.http.context import Context
from tierwright_server.jobs.runs.schemas import RunOut
from tierwright_server.jobs.runs.states import RunKind, RunStatus
from tierwright_server.replays import in_production, kept, results
from tierwright_server.replays.miniatures.schemas import (
    MiniatureIn,
    MiniatureOut,
    MiniatureRow,
)
from tierwright_server.replays.miniatures.work import asked
from tierwright_server.replays.results import Asked
from tierwright_server.replays.simulator import registry
from tierwright_server.replays.simulator.schemas import (
    ContenderIn,
    Family,
    SimulatorItem,
)
from tierwright_server.replays.sweeps.service import replay_key, sizes_of
from tierwright_server.storage import contents
from tierwright_server.storage.tables import Result, Run
from tierwright_server.traces.curves import CurveCache
from tierwright_server.traces.workloads import recordings
from tierwright_server.traces.workloads import service as workloads
from tierwright_server.traces.workloads.recordings import Replayed

_INTERVALS = "of what shrinks, with roughness, none at cliffs"
"""How they are stated: kept rows whose intervals were narrower are of other keys, and made anew."""
Configuration = dict[str, Any]


async def create_miniature(
    session: AsyncSession, context: Context, body: MiniatureIn
) -> MiniatureOut:
    """Find the estimate of these inputs, or queue it; one that ended early goes on."""
    subject = await recordings.find_replayed(session, context, body.workload_id)
    workload, content = subject.workload, subject.content
    item = _item(body)
    _check_tiers(body, item)
    plan = _plan(body, item, subject)
    fitting = _fitting(plan)
    trace = await contents.trace_to_check(context.settings, content.id, session)
    if trace is not None:
        await asyncio.to_thread(partial(_check, trace, fitting, body))
    keys = _keys(plan)
    production = [entry["production"] for entry in plan if "production" in entry]
    miniature_id = result_id(
        {
            "content_id": content.id,
            "replays": [entry["key"] for entry in fitting],
            **({"production": production} if production else {}),
        }
    )

    async def is_done(_: Result | None) -> bool:
        return set(keys) <= await kept.done(session, content.id, keys)

    asked = Asked(
        RunKind.MINIATURE,
        miniature_id,
        workload,
        content,
        body.model_dump(mode="json"),
        plan,
        f"Estimate {item.title} over {workload.name} at {counted(len(fitting), 'size')}, from "
        f"{100 * body.sample_rate:g} % of the pages",
    )
    miniature, run = await results.obtain(session, asked, is_done)
    return await _out(session, context, miniature, run, workload.id, _Wear(None, None))


async def get_miniature(
    session: AsyncSession,
    context: Context,
    miniature_id: str,
    workload_id: str | None,
    *,
    flash_device_id: str | None = None,
    accesses_per_s: float | None = None,
) -> MiniatureOut:
    """Read an estimate as far as it is, with how long flash lasts where a device is named."""
    device = await catalog.named_device(
        session, context, flash_device_id, "query.flash_device_id"
    )
    check_rate(accesses_per_s, "query.accesses_per_s")
    miniature, run = await results.find(session, RunKind.MINIATURE, miniature_id)
    if any("production" in entry for entry in miniature.plan):
        check_no_rate(accesses_per_s)
    through = await in_production.asked_through(session, workload_id, miniature)
    return await _out(
        session, context, miniature, run, through, _Wear(device, accesses_per_s)
    )


@dataclass(frozen=True)
class _Wear:
    """What flash is made of, and at which rate it wears."""

    device: Device | None
    stated_per_s: float | None

    def life(
        self,
        entry: Configuration,
        result: Mapping[str, Any],
        summary: Mapping[str, Any],
        flash_pages: int,
    ) -> FlashLife | None:
        """Return how long flash lasts under one estimate."""
        family = next(each.value for each in Family if each.value in entry)
        production = entry.get("production")
        counters = {
            **result,
            "scheme": entry[family],
            "options": entry["options"],
            "flash_pages": entry["flash_pages"],
            "page_bytes": summary["page_bytes"],
        }
        return life_of(
            counters,
            device=self.device,
            rate=rate_of(
                counters,
                recorded_per_s=rate_of_trace(summary),
                production_per_s=None
                if production is None
                else production["accesses_per_s"],
                stated_per_s=self.stated_per_s,
            ),
            flash_pages=flash_pages,
            is_sampled=True,
        )


def _item(body: MiniatureIn) -> SimulatorItem:
    contender = ContenderIn(family=body.family, name=body.policy)
    return registry.find(contender, "body.policy", key="")


def _check_tiers(body: MiniatureIn, item: SimulatorItem) -> None:
    """Refuse flash without RAM above it, and RAM above a single cache."""
    if item.tiers == 1 and body.ram_pages is not None:
        raise BadInput.at(
            "body.ram_pages",
            body.ram_pages,
            f"{item.title} is a single cache, whose sizes are `sizes`",
            hint="Leave `ram_pages` out, or choose a family with flash.",
        )
    if item.tiers > 1 and body.ram_pages is None:
        raise BadInput.at(
            "body.ram_pages",
            None,
            f"{item.title} caches in flash below RAM, whose size is missing",
            hint="Add `ram_pages`; `sizes` are those of flash.",
        )


def _plan(
    body: MiniatureIn, item: SimulatorItem, subject: Replayed
) -> list[Configuration]:
    """Return what is estimated at each size, of the recording where sizes are of production.

    Raises
    ------
    BadInput
        If the recording is too small for each of them.
    """
    sizes = sizes_of(body.sizes)
    pairs: list[in_production.Sizes] = [
        (pages, None) if body.ram_pages is None else (body.ram_pages, pages)
        for pages in sizes
    ]
    if subject.scaled is None:
        return [_configuration(body, item, pair, warm_up=0) for pair in pairs]
    warm_up = warm_up_of("steady", subject.content.summary["accesses"])
    there = in_production.stand_ins(
        subject.scaled,
        [
            points.Replay(
                body.family.value,
                item.name,
                first,
                second or 0,
                0,
                dict(body.options),
            )
            for first, second in pairs
        ],
        steady=warm_up != 0,
        place="body.sizes",
    )
    made: list[Configuration] = []
    for pair, place in zip(pairs, there, strict=True):
        found = _configuration(
            body,
            item,
            pair if place.refused is not None else place.sizes,
            warm_up=warm_up,
            beside=place.options,
        )
        refused = {} if place.refused is None else {"refused": place.refused}
        made.append({**found, "production": place.production, **refused})
    return made


def _configuration(
    body: MiniatureIn,
    item: SimulatorItem,
    sizes: in_production.Sizes,
    *,
    warm_up: int,
    beside: Mapping[str, str] | None = None,
) -> Configuration:
    first, second = sizes
    subject = {
        body.family.value: item.name,
        "options": {**body.options, **(beside or {})},
        **(
            {"pages": first}
            if second is None
            else {"ram_pages": first, "flash_pages": second}
        ),
    }
    sample = {"sample_rate": body.sample_rate, "seed": body.seed}
    # Estimates without a warm-up keep the keys that they always had.
    warmed = {"warm_up": warm_up} if warm_up else {}
    found = {
        "key": result_id(
            {
                "miniature": subject,
                **sample,
                **warmed,
                "core_version": VERSION,
                "intervals": _INTERVALS,
            }
        ),
        **subject,
        **warmed,
    }
    if not warm_up or second is not None:
        return found
    return {**found, "lru": _lru(first, warm_up)}


def _sizes(entry: Configuration) -> in_production.Sizes:
    """Return those that are replayed."""
    if "pages" in entry:
        return entry["pages"], None
    return entry["ram_pages"], entry["flash_pages"]


def _lru(pages: int, warm_up: int) -> Configuration:
    """Return the replay of LRU at a size: no curve has it behind a warm-up; a sweep of it is the same."""
    subject = {
        "family": Family.POLICY.value,
        "name": "lru",
        "options": {},
        "ram_pages": pages,
        "flash_pages": None,
        "warm_up": warm_up,
    }
    return {"key": replay_key(subject), **subject}


def _fitting(plan: list[Configuration]) -> list[Configuration]:
    """Return those that the recording is large enough for."""
    return [entry for entry in plan if "refused" not in entry]


def _keys(plan: list[Configuration]) -> list[str]:
    """Return the keys of all that is replayed: estimates, and LRU beside them."""
    fitting = _fitting(plan)
    return [
        *(entry["key"] for entry in fitting),
        *(entry["lru"]["key"] for entry in fitting if "lru" in entry),
    ]


def _check(trace: Path, configurations: list[Configuration], body: MiniatureIn) -> None:
    """Let the core refuse what is impossible, before anything is replayed."""
    ends = [configurations[0], configurations[-1]]
    try:
        # The first call of progress comes after all checks: its cancel ends them.
        replay.miniatures(
            Trace(trace),
            [asked(entry) for entry in ends],
            body.sample_rate,
            seed=body.seed,
            warm_up=ends[0].get("warm_up", 0),
            on_progress=lambda *_: False,
        )
    except Cancelled:
        return
    except SimulatorError as error:
        message, hint = simulator_message(error)
        raise BadInput.at(
            "body.options" if body.options else "body",
            body.options or None,
            message,
            hint=hint,
        ) from error


async def _out(
    session: AsyncSession,
    context: Context,
    miniature: Result,
    run: Run | None,
    workload_id: str,
    wear: _Wear,
) -> MiniatureOut:
    inputs = MiniatureIn.model_validate(
        {**miniature.inputs, "workload_id": workload_id}
    )
    content = await results.content_of(session, miniature)
    keys = _keys(miniature.plan)
    found = await kept.results(session, miniature.content_id, keys)
    curve = await context.of(CurveCache).get(
        context.settings, content.id, content.summary
    )
    rows = [
        row
        for entry in miniature.plan
        if (row := _row(entry, found, curve, content.summary, wear)) is not None
    ]
    ended = RunStatus(run.status) if run else RunStatus.FAILED
    summary = content.summary
    warm_up = miniature.plan[0].get("warm_up", 0)
    return MiniatureOut(
        id=miniature.id,
        workload_id=workload_id,
        content_id=miniature.content_id,
        status=RunStatus.SUCCEEDED if len(rows) == len(miniature.plan) else ended,
        inputs=inputs,
        title=_item(inputs).title,
        sizes=sizes_of(inputs.sizes),
        accesses=summary["accesses"] - warm_up,
        warm_up=warm_up,
        distinct_pages=summary["distinct_pages"],
        page_bytes=summary["page_bytes"],
        estimator=question.estimator_of(warm_up),
        miniature_rate=inputs.sample_rate / question.MINIATURES,
        interval_confidence=question.INTERVAL_CONFIDENCE,
        rows=rows,
        warnings=[
            *about_version(miniature.core_version),
            *in_production.about_production(miniature.plan),
            *await workloads.cautions_of(session, workload_id, content),
        ],
        core_version=miniature.core_version,
        created_at=miniature.created_at,
        run=RunOut.model_validate(run) if run else None,
    )


def _row(
    entry: Configuration,
    found: Mapping[str, Mapping[str, Any]],
    curve: Curve,
    summary: Mapping[str, Any],
    wear: _Wear,
) -> MiniatureRow | None:
    """Return one size as far as it is estimated; None where it is not yet."""
    production = entry.get("production")
    replayed = _sizes(entry)
    first, second = replayed if production is None else production["sizes"]
    ram_pages, asked = (None, first) if second is None else (first, second)
    result = entry.get("refused") or found.get(entry["key"])
    if result is None:
        return None
    lru = None
    if "refused" not in entry and ram_pages is None:
        if "lru" not in entry:
            lru = question.lru_hit_ratio_of(curve, entry["pages"])
        elif (beside := found.get(entry["lru"]["key"])) is None:
            return None
        else:
            lru = question.replayed_hit_ratio(beside)
    there = (
        None
        if production is None or "error" in result
        else in_production.in_production(
            production,
            result,
            replayed=replayed,
            page_bytes=summary["page_bytes"],
        )
    )
    tax = None
    if ram_pages is not None and Family.FLASH_CACHE.value in entry:
        tax = tax_of_replay(
            {
                "scheme": entry[Family.FLASH_CACHE.value],
                "options": entry["options"],
                "flash_pages": replayed[1],
                "page_bytes": summary["page_bytes"],
                "distinct_pages": summary["distinct_pages"],
            },
            ram_pages=ram_pages,
            flash_pages=asked,
            options=with_default_units(
                entry[Family.FLASH_CACHE.value],
                in_production.given_options(entry),
                flash_pages=asked,
                page_bytes=summary["page_bytes"],
            ),
        )
    life = None
    if ram_pages is not None and "error" not in result:
        life = wear.life(entry, result, summary, asked)
    return MiniatureRow.model_validate(
        question.estimate_of(
            asked, result, lru, there, ram_pages=ram_pages, tax=tax, life=life
        )
    )
