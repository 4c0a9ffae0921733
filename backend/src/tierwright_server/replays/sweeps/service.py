"""Decisions about sweeps: what is replayed, what is known already, what it costs."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import clean_only
from tierwright.advise import sweep as question
from tierwright.advise.checks import points
from tierwright.advise.clean_only import CleanOnlyCost
from tierwright.advise.in_production import scaled_of
from tierwright.advise.sweep import NO_RAM_LEFT, ReplayRow
from tierwright.common.wording import counted
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.evaluate.page_flow.cautions import about_space_behind
from tierwright.evaluate.page_flow.decision import WARMING_SHARE
from tierwright.hardware.device import Device
from tierwright.profile.curve import Curve
from tierwright.simulate.contenders import at_a_stated_rate, check_no_rate
from tierwright.simulate.warm_up import FULL, AskedWarmUp
from tierwright.trace.reading import rate_of_trace
from tierwright_server.common.errors import BadInput, NeedsTrace, NotComputed
from tierwright_server.common.older_models import about_version
from tierwright_server.common.result_ids import result_id
from tierwright_server.common.schemas import WarningOut
from tierwright_server.common.version import VERSION
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.hardware.flash_metadata import metadata_preset
from tierwright_server.http.context import Context
from tierwright_server.http.paging import Page
from tierwright_server.http.steps import derivation_step
from tierwright_server.jobs.runs.schemas import RunOut
from tierwright_server.jobs.runs.states import RunKind, RunStatus
from tierwright_server.replays import in_production, kept, results
from tierwright_server.replays.results import Asked
from tierwright_server.replays.simulator import registry
from tierwright_server.replays.simulator.schemas import (
    ContenderIn,
    Family,
    SimulatorItem,
)
from tierwright_server.replays.sweeps.schemas import (
    ContenderOut,
    FormulaOut,
    ReplayOut,
    SizeRange,
    SweepAsk,
    SweepDevices,
    SweepIn,
    SweepList,
    SweepOut,
    SweepSummary,
)
from tierwright_server.storage import contents
from tierwright_server.storage.tables import Content, Result, Run, Workload
from tierwright_server.traces.warm_ups import warm_up_of
from tierwright_server.traces.workloads import recordings
from tierwright_server.traces.workloads import service as workloads
from tierwright_server.traces.workloads.recordings import Replayed

Configuration = dict[str, Any]
Devices = tuple[Device | None, Device | None]
"""Flash and disk."""


async def create_sweep(
    session: AsyncSession, context: Context, body: SweepIn
) -> SweepOut:
    """Find the sweep of these inputs, or queue it; one that ended early goes on."""
    subject = await recordings.find_replayed(session, context, body.workload_id)
    workload, content = subject.workload, subject.content
    body = _warmed(body, subject)
    found, configurations = _understood(body, subject)
    trace = await contents.trace_to_check(context.settings, content.id, session)
    if trace is not None:
        await asyncio.to_thread(
            partial(registry.check, trace, list(_to_check(_fitting(configurations))))
        )
    sweep_id = _id_of(
        content.id, configurations, body.flash_metadata, body.accesses_per_s
    )
    asked = Asked(
        RunKind.SWEEP,
        sweep_id,
        workload,
        content,
        body.model_dump(mode="json"),
        configurations,
        f"Sweep {workload.name}: {_names(found)}, {counted(len(_fitting(configurations)), 'replay')}",
    )
    return await _obtain(session, asked)


async def _obtain(session: AsyncSession, asked: Asked) -> SweepOut:
    keys = {entry["key"] for entry in _fitting(asked.plan)}

    async def is_done(_: Result | None) -> bool:
        return keys <= await kept.done(session, asked.content.id, list(keys))

    sweep, run = await results.obtain(session, asked, is_done)
    return await _sweep_out(session, sweep, run, (None, None), asked.workload.id)


_Asked = TypeVar("_Asked", bound=SweepIn)


def _warmed(body: _Asked, subject: Replayed) -> _Asked:
    """Return a request with a warm-up: that of production is the first half of its recording, unless stated."""
    if subject.scaled is None or "warm_up" in body.model_fields_set:
        return body
    return body.model_copy(update={"warm_up": WARMING_SHARE})


def _understood(
    body: SweepIn, subject: Replayed
) -> tuple[list[SimulatorItem], list[Configuration]]:
    """Return the contenders of a sweep, and its replays."""
    found = [
        registry.find(contender, f"body.contenders.{index}")
        for index, contender in enumerate(body.contenders)
    ]
    memory = _Memory.of(body, subject)
    accesses = subject.content.summary["accesses"]
    warm_up = warm_up_of(body.warm_up, accesses)
    configurations = _configurations(body, found, memory, warm_up)
    if body.accesses_per_s is not None:
        if subject.scaled is not None:
            check_no_rate(body.accesses_per_s)
        recorded = rate_of_trace(subject.content.summary)
        configurations = [
            _at_rate(entry, body.accesses_per_s, recorded) for entry in configurations
        ]
    if subject.scaled is None:
        return found, configurations
    return found, _at_recorded_sizes(subject.scaled, configurations, warm_up)


def _at_rate(
    entry: Configuration, accesses_per_s: float, recorded_per_s: float | None
) -> Configuration:
    """Have what works by the clock replayed at a stated rate."""
    asked = points.Replay(
        entry["family"],
        entry["name"],
        entry["ram_pages"],
        entry["flash_pages"] or 0,
        0,
        entry["options"],
    )
    options = at_a_stated_rate(asked, accesses_per_s, recorded_per_s)
    subject = {
        **{name: entry[name] for name in _SUBJECT if name in entry},
        "options": options,
    }
    return {**entry, **subject, "key": replay_key(subject)}


def _at_recorded_sizes(
    curve: Curve, configurations: list[Configuration], warm_up: AskedWarmUp
) -> list[Configuration]:
    """Return the replays of the recording that stand for those of production.

    Raises
    ------
    BadInput
        If the recording is too small for each of them.
    """
    there = iter(
        in_production.stand_ins(
            curve,
            [
                points.Replay(
                    entry["family"],
                    entry["name"],
                    entry["ram_pages"],
                    entry["flash_pages"] or 0,
                    0,
                    entry["options"],
                )
                for entry in configurations
                if entry["ram_pages"] >= 1
            ],
            steady=warm_up != 0,
            place="body.ram_pages",
        )
    )
    rate = scaled_of(curve).machine_accesses_per_s
    made: list[Configuration] = []
    for entry in configurations:
        if entry["ram_pages"] < 1:
            sizes = [entry["ram_pages"], entry["flash_pages"]]
            asked = {"sizes": sizes, "accesses_per_s": rate}
            made.append({**entry, "production": asked})
            continue
        place = next(there)
        found = {**entry, "production": place.production}
        if place.refused is not None:
            made.append({**found, "refused": place.refused})
            continue
        ram, flash = place.sizes
        subject = {
            **{name: entry[name] for name in _SUBJECT if name in entry},
            "ram_pages": ram,
            "flash_pages": flash,
            "options": entry["options"] | place.options,
        }
        made.append({**found, **subject, "key": replay_key(subject)})
    return made


@dataclass(frozen=True)
class StoredReplays:
    """All replays of a sweep, as the present models made them."""

    contenders: list[ContenderOut]
    rows: list[ReplayOut]


async def stored(
    session: AsyncSession, context: Context, body: SweepAsk
) -> StoredReplays:
    """Read the replays of a sweep; nothing is queued.

    Raises
    ------
    NotComputed
        The present models have not made all of them.
    """
    subject = await recordings.find_replayed(session, context, body.workload_id)
    workload, content = subject.workload, subject.content
    body = _warmed(body, subject)
    _, configurations = _understood(body, subject)
    devices = await _devices(
        session, context, (body.flash_device_id, body.disk_device_id), "body"
    )
    keys = {entry["key"] for entry in _fitting(configurations)}
    found = await kept.results(session, content.id, list(keys))
    if missing := keys - found.keys():
        raise NotComputed(
            f"the current models have not made {len(missing):,} of the "
            f"{counted(len(keys), 'replay')} of {workload.name}",
            hint="Request the sweep: POST /api/v1/sweeps. Then follow its run, and ask "
            "again.",
        )
    rows = _rows(configurations, found, devices, content.summary, body)
    return StoredReplays(_contenders(body), rows)


_NAMED = 3


def _names(found: list[SimulatorItem]) -> str:
    titles = list(dict.fromkeys(item.title for item in found))
    more = f" and {len(titles) - _NAMED} more" if len(titles) > _NAMED else ""
    return ", ".join(titles[:_NAMED]) + more


async def create_replays(
    session: AsyncSession,
    workload: Workload,
    content: Content,
    configurations: list[Configuration],
) -> SweepOut:
    """Find or queue the sweep of single replays, each at sizes of its own.

    Parameters
    ----------
    session : AsyncSession
        Of the request.
    workload, content : Workload, Content
        What is replayed.
    configurations : list of dict
        Each with its `key`, as a sweep keeps them.

    Raises
    ------
    BadInput
        If there are more contenders than a sweep has.
    """
    contenders: list[ContenderIn] = []
    entries = []
    for each in configurations:
        contender = ContenderIn(
            family=Family(each["family"]), name=each["name"], options=each["options"]
        )
        if contender not in contenders:
            contenders.append(contender)
        entries.append({"contender": contenders.index(contender), **each})
    if len(contenders) > registry.MOST_CONTENDERS:
        raise BadInput(
            f"the check takes {counted(len(contenders), 'different replay')}, more than "
            f"{registry.MOST_CONTENDERS}",
            hint="Request fewer sizes at once.",
        )
    flash = sorted({each["flash_pages"] for each in configurations} - {None})
    inputs = SweepIn(
        workload_id=workload.id,
        contenders=contenders,
        ram_pages=sorted({each["ram_pages"] for each in configurations}),
        flash_pages=flash or None,
    )
    asked = Asked(
        RunKind.SWEEP,
        _id_of(content.id, entries, None),
        workload,
        content,
        inputs.model_dump(mode="json"),
        entries,
        f"Check by replay of {workload.name}, {counted(len(entries), 'replay')}",
    )
    return await _obtain(session, asked)


async def get_sweep(
    session: AsyncSession,
    context: Context,
    sweep_id: str,
    flash_device_id: str | None,
    disk_device_id: str | None,
    workload_id: str | None,
) -> SweepOut:
    """Read a sweep, with I/O times where devices are named."""
    devices = await _devices(
        session, context, (flash_device_id, disk_device_id), "query"
    )
    sweep, run = await results.find(session, RunKind.SWEEP, sweep_id)
    through = await in_production.asked_through(session, workload_id, sweep)
    return await _sweep_out(session, sweep, run, devices, through)


async def _devices(
    session: AsyncSession,
    context: Context,
    named: tuple[str | None, str | None],
    place: str,
) -> Devices:
    flash_id, disk_id = named
    return (
        await catalog.named_device(
            session, context, flash_id, f"{place}.flash_device_id"
        ),
        await catalog.named_device(
            session, context, disk_id, f"{place}.disk_device_id"
        ),
    )


async def list_sweeps(
    session: AsyncSession, context: Context, page: Page, workload_id: str | None
) -> SweepList:
    """List sweeps, newest first; those of a workload are of its trace, or of its recording."""
    content_id = None
    if workload_id is not None:
        try:
            subject = await recordings.find_replayed(session, context, workload_id)
            content_id = subject.content.id
        except NeedsTrace:
            _, content = await workloads.find_ready(session, workload_id)
            content_id = content.id
    rows, total = await results.page(session, RunKind.SWEEP, page, content_id)
    items = []
    for sweep, run in rows:
        keys = [entry["key"] for entry in _fitting(sweep.plan)]
        done = await kept.done(session, sweep.content_id, keys)
        count = sum(key in done for key in keys)
        inputs = SweepIn.model_validate(sweep.inputs)
        items.append(
            SweepSummary(
                id=sweep.id,
                workload_id=sweep.workload_id,
                status=_status(run, complete=count == len(keys)),
                inputs=inputs,
                contenders=_contenders(inputs),
                replays=len(keys),
                done=count,
                created_at=sweep.created_at,
                run=RunOut.model_validate(run) if run else None,
            )
        )
    return SweepList(items=items, total=total, limit=page.limit, offset=page.offset)


def sizes_of(sizes: list[int] | SizeRange) -> list[int]:
    """Return the sizes, increasing and distinct. [pages]"""
    if isinstance(sizes, list):
        return sorted(set(sizes))
    return question.sizes_between(sizes.from_pages, sizes.to_pages, sizes.points)


@dataclass(frozen=True)
class _Memory:
    """What the flash metadata leave of the RAM of this workload."""

    preset: MetadataPreset | None
    page_bytes: int
    distinct_pages: int

    @classmethod
    def of(cls, body: SweepIn, subject: Replayed) -> "_Memory":
        summary, scaled = subject.content.summary, subject.scaled
        return cls(
            metadata_preset(body.flash_metadata),
            summary["page_bytes"],
            summary["distinct_pages"] if scaled is None else scaled.data_pages,
        )

    def left(
        self,
        item: SimulatorItem,
        ram_pages: int,
        flash_pages: int | None,
        options: Mapping[str, str],
    ) -> int | None:
        """Return the RAM that is left [pages]; None where there is nothing to charge."""
        return question.ram_left(
            self.preset,
            item.name,
            ram_pages,
            flash_pages,
            page_bytes=self.page_bytes,
            distinct_pages=self.distinct_pages,
            options=options,
        )


def _fitting(configurations: list[Configuration]) -> list[Configuration]:
    """Return those that have RAM to be replayed in, and a recording that is large enough."""
    return [
        entry
        for entry in configurations
        if entry["ram_pages"] >= 1 and "refused" not in entry
    ]


def _configurations(
    body: SweepIn, found: list[SimulatorItem], memory: _Memory, warm_up: AskedWarmUp
) -> list[Configuration]:
    ram_sizes = sizes_of(body.ram_pages)
    two_tier = next((n for n, item in enumerate(found) if item.tiers > 1), None)
    if two_tier is not None and body.flash_pages is None:
        raise BadInput.at(
            "body.flash_pages",
            None,
            f"is needed by {found[two_tier].title}",
            hint="Give sizes of flash, or leave the two-tier contenders out.",
        )
    flash_sizes = [] if body.flash_pages is None else sizes_of(body.flash_pages)
    pairs = len(ram_sizes) * len(flash_sizes)
    count = sum(len(ram_sizes) if item.tiers == 1 else pairs for item in found)
    if count > registry.MOST_REPLAYS:
        raise BadInput.at(
            "body",
            count,
            f"asks for {counted(count, 'replay')}, more than {registry.MOST_REPLAYS:,}",
            hint="Use fewer sizes or fewer contenders, or split it into two sweeps.",
        )
    made = [
        _configuration(index, contender, item, ram_pages, flash_pages, memory, warm_up)
        for index, (contender, item) in enumerate(
            zip(body.contenders, found, strict=True)
        )
        for ram_pages in ram_sizes
        for flash_pages in ([None] if item.tiers == 1 else flash_sizes)
    ]
    if not _fitting(made):
        raise BadInput.at(
            "body.ram_pages",
            max(ram_sizes),
            "hold less than the flash metadata at every size",
            hint="Use more RAM, less flash, or a cache with larger units.",
        )
    return made


def _configuration(
    index: int,
    contender: ContenderIn,
    item: SimulatorItem,
    ram_pages: int,
    flash_pages: int | None,
    memory: _Memory,
    warm_up: AskedWarmUp,
) -> Configuration:
    left = memory.left(item, ram_pages, flash_pages, contender.options)
    subject = {
        "family": item.family.value,
        "name": item.name,
        "options": dict(contender.options),
        "ram_pages": ram_pages if left is None else left,
        "flash_pages": flash_pages,
        # Replays without one keep the keys that they always had.
        **({"warm_up": warm_up} if warm_up else {}),
    }
    # The key is of what is replayed: equal RAM is replayed once, whatever was charged.
    budget = {} if left is None else {"ram_budget_pages": ram_pages}
    return {
        "contender": index,
        "key": replay_key(subject),
        **subject,
        **budget,
    }


_SUBJECT = ("family", "name", "options", "ram_pages", "flash_pages", "warm_up")
"""What a replay is named by."""


def replay_key(subject: Mapping[str, Any]) -> str:
    """Return the key under which a replay is kept.

    Parameters
    ----------
    subject : mapping
        `family`, `name`, `options`, `ram_pages`, `flash_pages`, and `warm_up` where there is one.
    """
    return result_id({**subject, "core_version": VERSION})


def _to_check(
    configurations: list[Configuration],
) -> Iterator[tuple[str, Configuration]]:
    """Name the smallest and the largest of every contender, with its place."""
    first: dict[int, Configuration] = {}
    last: dict[int, Configuration] = {}
    for entry in configurations:
        first.setdefault(entry["contender"], entry)
        last[entry["contender"]] = entry
    for index, entry in first.items():
        where = f"body.contenders.{index}"
        yield where, entry
        if last[index] is not entry:
            yield where, last[index]


def _id_of(
    content_id: str,
    configurations: list[Configuration],
    flash_metadata: str | None,
    accesses_per_s: float | None = None,
) -> str:
    charged = {} if flash_metadata is None else {"flash_metadata": flash_metadata}
    production = [
        entry["production"] for entry in configurations if "production" in entry
    ]
    return result_id(
        {
            "content_id": content_id,
            "replays": [
                [entry["contender"], entry["key"], *_budget(entry)]
                for entry in configurations
            ],
            **charged,
            **({} if accesses_per_s is None else {"accesses_per_s": accesses_per_s}),
            **({"production": production} if production else {}),
        }
    )


def _budget(entry: Configuration) -> list[int]:
    """Return the RAM asked for, where metadata were charged; older sweeps have none."""
    return [entry["ram_budget_pages"]] if "ram_budget_pages" in entry else []


def _status(run: Run | None, *, complete: bool) -> RunStatus:
    if complete:
        return RunStatus.SUCCEEDED
    return RunStatus(run.status) if run else RunStatus.FAILED


def _contenders(inputs: SweepIn) -> list[ContenderOut]:
    shown = []
    for index, contender in enumerate(inputs.contenders):
        item = registry.find(contender, f"body.contenders.{index}")
        shown.append(
            ContenderOut(
                family=item.family,
                name=item.name,
                title=item.title,
                options=contender.options,
                tiers=item.tiers,
            )
        )
    return shown


async def _sweep_out(
    session: AsyncSession,
    sweep: Result,
    run: Run | None,
    devices: Devices,
    workload_id: str,
) -> SweepOut:
    inputs = SweepIn.model_validate({**sweep.inputs, "workload_id": workload_id})
    content = await results.content_of(session, sweep)
    warm_up = sweep.plan[0].get("warm_up", 0)
    keys = [entry["key"] for entry in _fitting(sweep.plan)]
    found = await kept.results(session, sweep.content_id, keys)
    rows = _rows(sweep.plan, found, devices, content.summary, inputs)
    complete = all(key in found for key in keys)
    flash, disk = devices
    return SweepOut(
        id=sweep.id,
        workload_id=workload_id,
        content_id=sweep.content_id,
        status=_status(run, complete=complete),
        inputs=inputs,
        contenders=_contenders(inputs),
        ram_pages=sizes_of(inputs.ram_pages),
        flash_pages=[] if inputs.flash_pages is None else sizes_of(inputs.flash_pages),
        accesses=None if warm_up == FULL else content.summary["accesses"] - warm_up,
        warm_up=None if warm_up == FULL else warm_up,
        warm_up_until_full=warm_up == FULL,
        page_bytes=content.summary["page_bytes"],
        replays=len(sweep.plan),
        rows=rows,
        devices=SweepDevices(
            flash_device_id=flash.id if flash else None,
            disk_device_id=disk.id if disk else None,
        ),
        warnings=[
            *about_version(sweep.core_version),
            *in_production.about_production(sweep.plan),
            *await workloads.cautions_of(session, workload_id, content),
            *_about_metadata(inputs.flash_metadata),
        ],
        core_version=sweep.core_version,
        created_at=sweep.created_at,
        run=RunOut.model_validate(run) if run else None,
    )


def _rows(
    configurations: list[Configuration],
    found: Mapping[str, Mapping[str, Any]],
    devices: Devices,
    summary: Mapping[str, Any],
    asked: SweepIn,
) -> list[ReplayOut]:
    """Return the replays that are done, in their order."""
    rows = []
    for entry in configurations:
        result = entry.get("refused") or (
            NO_RAM_LEFT if entry["ram_pages"] < 1 else found.get(entry["key"])
        )
        if result is not None:
            rows.append(_replay_out(entry, result, devices, summary, asked))
    return rows


def _charged(name: str | None) -> MetadataPreset | None:
    """Return what is charged; None where an older sweep names what is refused now."""
    try:
        return metadata_preset(name)
    except BadInput:
        return None


def _about_metadata(name: str | None) -> Iterator[WarningOut]:
    # A stated size needs no warning; an older sweep may have one that is refused now.
    if name is not None and ":" not in name:
        for caution in about_space_behind(metadata_preset(name)):
            yield WarningOut.model_validate(caution)


def _replay_out(
    entry: Configuration,
    result: Mapping[str, Any],
    devices: Devices,
    summary: Mapping[str, Any],
    asked: SweepIn,
) -> ReplayOut:
    budget = _budget(entry)
    replayed = (entry["ram_pages"], entry["flash_pages"])
    production = entry.get("production")
    sizes = replayed if production is None else tuple(production["sizes"])
    place = ReplayRow(
        contender=entry["contender"],
        ram_pages=budget[0] if budget else sizes[0],
        ram_pages_left=sizes[0] if budget else None,
        flash_pages=sizes[1],
    )
    flash, disk = devices
    row = question.row_of(
        result,
        place,
        given=in_production.given_options(entry),
        flash=flash,
        disk=disk,
        recorded_per_s=rate_of_trace(summary),
        production_per_s=None if production is None else production["accesses_per_s"],
        stated_per_s=asked.accesses_per_s,
        charged=_charged(asked.flash_metadata),
    )
    if production is not None and "error" not in result:
        there = in_production.in_production(
            production,
            result,
            replayed=replayed,
            page_bytes=summary["page_bytes"],
        )
        row = replace(row, in_production=there)
    return ReplayOut.showing(row, formula=_formula(row.formula))


def _formula(found: CleanOnlyCost | None) -> FormulaOut | None:
    if found is None:
        return None
    return FormulaOut.showing(
        found,
        name=clean_only.TITLE,
        derivation=derivation_step(found.derivation),
        measured_derivation=derivation_step(found.measured_derivation),
    )
