"""Pool splits: one buffer counted at every split once, priced at any asymmetry."""

import asyncio
import math
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Path, Query, status
from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import pool_survey
from tierwright.advise.pool_survey import PricedSurvey, SplitSurvey, device_asymmetry
from tierwright.common.wording import percent, three_digits
from tierwright.evaluate.page_flow.cautions import about_trace
from tierwright.evaluate.pool_split.counts import BASELINE_TITLES, BASELINES, all_writes
from tierwright.hardware.device import Device
from tierwright.trace.notes import ReaderNotes
from tierwright_server.common.errors import NotComputed, NotReady
from tierwright_server.common.older_models import about_version
from tierwright_server.common.schemas import Answer, Body, Identifier, Pages, WarningOut
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.http.context import Context, ContextDep, SessionDep
from tierwright_server.http.derivation_asked import DerivedDep
from tierwright_server.http.problems import responses
from tierwright_server.http.steps import DerivationStep
from tierwright_server.jobs.runs.states import RunKind
from tierwright_server.replays.analyses import service
from tierwright_server.replays.analyses.schemas import AnalysisOut
from tierwright_server.storage.tables import Content
from tierwright_server.traces.workloads import service as workloads
from tierwright_server.traces.workloads.schemas import AskedThrough

router = APIRouter(prefix="/pool-splits", tags=["pool splits"])

MOST_PAGES = 2**25
"""Its job counts hits at as many splits; what is kept of them is cut."""
GAIN_ASYMMETRIES = tuple(2.0 ** (step / 8) for step in range(8 * 9 + 1))
"""R = 1 ... 512 in eighths of an octave."""
LEAST_R, LARGEST_R = GAIN_ASYMMETRIES[0], GAIN_ASYMMETRIES[-1]
USUAL_R = 8.0
"""Of a device that states none."""
Distance = Literal["raw", "effective", "grouped", "grouped_conservative"]
Estimator = Literal["flow", "disjoint", "eq4"]


class PoolSplitIn(Body):
    """The buffer to split."""

    workload_id: Identifier
    pages: Annotated[
        Pages, Field(ge=2, le=MOST_PAGES, description="M, the whole buffer. [pages]")
    ]
    distance: Distance = Field(
        default="raw",
        description="Stack distances of the estimates; `effective` is the closest, and "
        "takes time proportional to accesses x pages.",
    )


class PoolSplitAsk(PoolSplitIn):
    """The buffer to split, and what a write costs there."""

    asymmetry: (
        Annotated[
            float,
            Field(
                gt=0,
                le=1e6,
                allow_inf_nan=False,
                description="R, the cost of a page write in page reads; absent: that of the "
                "device.",
            ),
        ]
        | None
    ) = None
    flash_device_id: Identifier | None = Field(
        default=None,
        description=f"States R where `asymmetry` does not, between {LEAST_R:g} and "
        f"{LARGEST_R:g}; {USUAL_R:g} where it states none.",
    )


class PoolSplitOut(AnalysisOut):
    """A buffer counted at every split, whatever its writes cost."""

    pages: int = Field(
        description="M, the whole buffer: at most twice the distinct pages of the trace, above "
        "which nothing changes. [pages]"
    )
    distance: Distance
    warnings: list[WarningOut]


class SplitCurve(Answer):
    """Estimated costs over the clean pool, thinned. [page reads per access]"""

    clean_pages: list[int]
    flow: list[float]
    disjoint: list[float]
    eq4: list[float]
    p_c: list[float] = Field(description="Share of accesses that miss the clean pool.")
    p_d: list[float] = Field(description="Share of accesses that miss the dirty pool.")
    p_dw: list[float] = Field(description="Share of writes that miss the dirty pool.")


class SplitReplay(Answer):
    """One replayed split; counts are over the whole trace."""

    clean_pages: int
    cost: float = Field(description="Per access. [page reads]")
    cost_without_closing_writes: float = Field(
        description="The same without the writes of pages still dirty at the end."
    )
    reads: int
    writes: int
    dirty_left: int = Field(description="Pages still dirty at the end. [pages]")


class SplitBaseline(Answer):
    """A buffer without a split, replayed."""

    name: str
    title: str
    cost: float
    cost_without_closing_writes: float
    reads: int
    writes: int
    dirty_left: int
    gain: float | None = Field(
        description="Share of this cost that the best split saves; negative: it costs "
        "more."
    )
    break_even_asymmetry: float | None = Field(
        description="R at which both cost the same; absent where both write alike."
    )
    best_split_writes_less: bool


class PoolSplitCosts(Answer):
    """A buffer at one R. Costs are per access, in page reads."""

    id: str
    pages: int
    page_bytes: int
    accesses: int
    write_accesses: int
    distinct_pages: int
    asymmetry: float
    estimator: Estimator
    best_clean_pages: int = Field(
        description="Replayed split of least simulated cost: the recommended one."
    )
    best_cost: float
    estimated_clean_pages: int = Field(description="Split of least estimated cost.")
    estimates: dict[str, float] = Field(description="By each estimator, at that split.")
    best_by_estimator: dict[str, int]
    curve: SplitCurve
    replays: list[SplitReplay]
    baselines: list[SplitBaseline]
    finding: str
    sentence: str
    validity: str = Field(description="Where estimates and replays hold.")
    warnings: list[WarningOut]
    derivation: list[DerivationStep] | None
    cost_basis: str


class GainOut(Answer):
    """The best replayed split at one R. Costs are per access, in page reads."""

    asymmetry: float = Field(description="R: cost of a page write in page reads.")
    best_clean_pages: int
    best_cost: float
    baselines: dict[str, float] = Field(description="Costs of LRU and CFLRU.")
    gain_over: dict[str, float | None] = Field(
        description="Share of each baseline's cost that is saved."
    )


class DeviceSplit(GainOut):
    """The buffer on one device."""

    device_id: str
    name: str
    kind: str
    year: int | None
    asymmetry_basis: str = Field(description="Where R is from.")


class PoolSplitGains(Answer):
    """What splitting saves over R, and where the devices stand."""

    id: str
    pages: int
    gains: list[GainOut] = Field(description="Over R, at even logarithmic steps.")
    devices: list[DeviceSplit] = Field(description="The largest asymmetry first.")
    without: int = Field(description="Devices that state no asymmetry.")
    usual_asymmetry: float = Field(
        description="R that is taken for a device that states none."
    )


@router.post(
    "",
    operation_id="create_pool_split",
    status_code=status.HTTP_202_ACCEPTED,
    responses=responses(404, 409),
)
async def create_pool_split(
    body: PoolSplitIn, session: SessionDep, context: ContextDep
) -> PoolSplitOut:
    """Count a buffer at every split; follow its `run`. The same inputs are found again."""
    subject = await workloads.find_traced(session, body.workload_id)
    pages = min(body.pages, largest_buffer(subject[1]))
    row = await service.create(
        session,
        context,
        RunKind.POOL_SPLIT,
        subject,
        {"pages": pages, "distance": body.distance},
        f"Pool split of {subject[0].name} at {pages:,} pages",
    )
    return _out(row, subject[1])


@router.get("/{pool_split_id}", operation_id="get_pool_split", responses=responses(404))
async def get_pool_split(
    pool_split_id: Annotated[Identifier, Path(description="Id of the pool split.")],
    session: SessionDep,
) -> PoolSplitOut:
    """Read where a pool split stands."""
    row = await service.find(session, RunKind.POOL_SPLIT, pool_split_id)
    return _out(row, await session.get_one(Content, row[0].content_id))


@router.get(
    "/{pool_split_id}/costs",
    operation_id="get_pool_split_costs",
    responses=responses(404, 409),
)
async def get_pool_split_costs(
    pool_split_id: Annotated[Identifier, Path(description="Id of the pool split.")],
    session: SessionDep,
    context: ContextDep,
    asymmetry: Annotated[
        float,
        Query(
            gt=0,
            le=1e6,
            allow_inf_nan=False,
            description="R, the cost of a page write in page reads.",
        ),
    ],
    estimator: Annotated[
        Estimator, Query(description="Which estimate chooses.")
    ] = "flow",
    points: Annotated[
        int, Query(ge=2, le=2000, description="About how many splits of the curve.")
    ] = 300,
    workload_id: AskedThrough = None,
    *,
    derived: DerivedDep,
) -> PoolSplitCosts:
    """Price every split at one R: estimate and simulation, from what is counted."""
    row = await service.find(session, RunKind.POOL_SPLIT, pool_split_id)
    survey = pool_survey.survey_of(await service.load(context, row))
    notes = await service.notes_of(session, row, workload_id)
    found = await asyncio.to_thread(
        _costs,
        pool_split_id,
        survey,
        notes,
        asymmetry,
        estimator,
        points,
        derived=derived,
    )
    content = await session.get_one(Content, row[0].content_id)
    found.warnings.extend(_about(row, content))
    return found


async def stored(
    session: AsyncSession, context: Context, body: PoolSplitAsk
) -> PoolSplitCosts:
    """Price a buffer that the present models have counted; nothing is queued.

    Raises
    ------
    NotComputed
        It has yet to be counted.
    """
    workload, content = await workloads.find_traced(session, body.workload_id)
    pages = min(body.pages, largest_buffer(content))
    try:
        row = await service.find_of(
            session,
            RunKind.POOL_SPLIT,
            content,
            {"pages": pages, "distance": body.distance},
        )
        arrays = await service.load(context, row)
    except NotReady as error:
        raise NotComputed(
            f"the present models have not counted a buffer of {pages:,} pages of "
            f"{workload.name}",
            hint="POST /api/v1/pool-splits, follow its run, and ask again.",
        ) from error
    survey = pool_survey.survey_of(arrays)
    asymmetry = body.asymmetry or await _device_r(
        session, context, body.flash_device_id, survey.page_bytes
    )
    notes = workloads.notes_of(workload, content)
    found = await asyncio.to_thread(
        _costs, row[0].id, survey, notes, asymmetry, "flow", 2
    )
    found.warnings.extend(_about(row, content))
    return found


async def _device_r(
    session: AsyncSession, context: Context, device_id: str | None, page_bytes: int
) -> float:
    """Return R of a device, as the page takes it."""
    if device_id is None:
        return USUAL_R
    device, _ = await catalog.find_device(
        session, context, device_id, "body.flash_device_id"
    )
    known = _stated_r(device, page_bytes)
    return USUAL_R if known is None else min(max(known[0], LEAST_R), LARGEST_R)


def _stated_r(device: Device, page_bytes: int) -> tuple[float, str] | None:
    """Return R and its basis; a rented instance is not ranked as a device."""
    return device_asymmetry(device, page_bytes) if device.sold_as == "device" else None


@router.get(
    "/{pool_split_id}/gains",
    operation_id="get_pool_split_gains",
    responses=responses(404, 409),
)
async def get_pool_split_gains(
    pool_split_id: Annotated[Identifier, Path(description="Id of the pool split.")],
    session: SessionDep,
    context: ContextDep,
) -> PoolSplitGains:
    """Price the buffer over R, and on every device at its own asymmetry."""
    survey = await _survey(session, context, pool_split_id)
    devices = [
        device
        for device in await catalog.all_devices(session, context)
        if device.sold_as == "device"
    ]
    known = [
        (device, *found)
        for device in devices
        if (found := _stated_r(device, survey.page_bytes)) is not None
    ]
    known.sort(key=lambda row: (-row[1], row[0].name))
    rows = survey.gains([asymmetry for _, asymmetry, _ in known])
    block_devices = sum(device.kind != "dram" for device in devices)
    return PoolSplitGains(
        id=pool_split_id,
        pages=survey.pages,
        gains=[GainOut.model_validate(row) for row in survey.gains(GAIN_ASYMMETRIES)],
        devices=[
            DeviceSplit(
                **GainOut.model_validate(row).model_dump(),
                device_id=device.id,
                name=device.name,
                kind=device.kind,
                year=device.year,
                asymmetry_basis=basis,
            )
            for (device, _, basis), row in zip(known, rows, strict=True)
        ],
        without=block_devices - len(known),
        usual_asymmetry=USUAL_R,
    )


def largest_buffer(content: Content) -> int:
    """Return the buffer whose clean and dirty pool can each hold every page. [pages]"""
    return max(2, 2 * int(content.summary["distinct_pages"]))


def _out(row: service.Row, content: Content) -> PoolSplitOut:
    return PoolSplitOut(
        **service.base_of(row),
        **row[0].parameters,
        warnings=_about(row, content),
    )


def _about(row: service.Row, content: Content) -> list[WarningOut]:
    """Warn of what the counts of a split are of."""
    analysis, _ = row
    return [
        *about_version(analysis.core_version),
        *about_largest(analysis.parameters["pages"], content, _COUNTED),
    ]


_COUNTED = (
    "a buffer of {pages} pages was counted: its clean and its dirty pool can each hold all "
    "{distinct} pages of the trace, so that a larger one counts the same"
)


def about_largest(pages: int, content: Content, words: str) -> list[WarningOut]:
    """Say that no larger buffer is taken, where one is as large; `words` take both numbers."""
    if pages < largest_buffer(content):
        return []
    distinct = content.summary["distinct_pages"]
    return [
        WarningOut(
            name="pages_clamped",
            message=words.format(pages=f"{pages:,}", distinct=f"{distinct:,}"),
            hint="Ask for a buffer that is smaller than the trace.",
        )
    ]


async def _survey(
    session: AsyncSession, context: Context, pool_split_id: str
) -> SplitSurvey:
    row = await service.find(session, RunKind.POOL_SPLIT, pool_split_id)
    return pool_survey.survey_of(await service.load(context, row))


def _costs(
    pool_split_id: str,
    survey: SplitSurvey,
    notes: ReaderNotes,
    asymmetry: float,
    estimator: Estimator,
    points: int,
    *,
    derived: bool = False,
) -> PoolSplitCosts:
    priced = survey.at(asymmetry, estimator=estimator)
    kept = _thinned(priced, points)

    def column(values: Any) -> list[Any]:
        found: list[Any] = np.asarray(values)[kept].tolist()
        return found

    finding, sentence = _words(survey, priced)
    best = survey.splits[priced.best_clean_pages]
    return PoolSplitCosts(
        id=pool_split_id,
        pages=survey.pages,
        page_bytes=survey.page_bytes,
        accesses=survey.accesses,
        write_accesses=survey.write_accesses,
        distinct_pages=survey.distinct_pages,
        asymmetry=asymmetry,
        estimator=estimator,
        best_clean_pages=priced.best_clean_pages,
        best_cost=priced.best_cost,
        estimated_clean_pages=priced.estimated_clean_pages,
        estimates=priced.estimates,
        best_by_estimator=priced.best_by_estimator,
        curve=SplitCurve(
            clean_pages=column(priced.rates.clean_pages),
            flow=column(priced.costs.flow),
            disjoint=column(priced.costs.disjoint),
            eq4=column(priced.costs.eq4),
            p_c=column(priced.rates.p_c),
            p_d=column(priced.rates.p_d),
            p_dw=column(priced.rates.p_dw),
        ),
        replays=[
            SplitReplay(
                clean_pages=clean_pages,
                cost=survey.cost(row, asymmetry),
                cost_without_closing_writes=survey.cost(row, asymmetry, closing=False),
                **{name: row[name] for name in ("reads", "writes", "dirty_left")},
            )
            for clean_pages, row in survey.splits.items()
        ],
        baselines=[
            SplitBaseline(
                name=name,
                title=BASELINE_TITLES[name],
                cost=priced.baselines[name],
                cost_without_closing_writes=survey.cost(
                    survey.baselines[name], asymmetry, closing=False
                ),
                **{
                    key: survey.baselines[name][key]
                    for key in ("reads", "writes", "dirty_left")
                },
                gain=priced.gain_over[name],
                break_even_asymmetry=priced.break_even_asymmetry[name],
                best_split_writes_less=all_writes(best)
                < all_writes(survey.baselines[name]),
            )
            for name in BASELINES
        ],
        finding=finding,
        sentence=sentence,
        validity=priced.validity,
        warnings=[
            WarningOut(name=w.name, message=w.message, hint=w.hint)
            for w in (*about_trace(notes), *priced.warnings)
        ],
        derivation=[
            DerivationStep(scheme=None, **step) for step in survey.derivation(priced)
        ]
        if derived
        else None,
        cost_basis="Counted page reads plus R times page writes, per access, from a cold "
        "start; a page still dirty at the end counts as one more write. What the reads "
        "and writes cost in time depends on the device; R alone decides the best split.",
    )


def _thinned(priced: PricedSurvey, points: int) -> Any:
    """Choose splits of the curve: even steps, both ends, optima and replays."""
    listed = priced.rates.clean_pages
    even = np.linspace(listed[0], listed[-1], min(points, listed.size)).round()
    marked = [*priced.best_by_estimator.values(), *priced.simulated_clean_pages]
    wanted = np.searchsorted(listed, np.append(even, marked))
    return np.unique(np.minimum(wanted, listed.size - 1))


LEAST_GAIN = 0.01
"""Below one percent a split is not worth the trouble, and the words say so."""


def _words(survey: SplitSurvey, priced: PricedSurvey) -> tuple[str, str]:
    """Put the answer into a headline and a sentence."""
    clean, cost = priced.best_clean_pages, priced.best_cost
    share = percent(clean / survey.pages)
    rival = min(priced.baselines, key=lambda name: priced.baselines[name])
    title, rival_cost = BASELINE_TITLES[rival], priced.baselines[rival]
    gain = priced.gain_over[rival]
    at = f"At R = {priced.asymmetry:.3g}"
    if survey.write_accesses == 0:
        finding = "Without writes there is nothing to split"
    elif gain is None or gain <= 0:
        finding = f"{at} no split beats {title}"
    elif gain < LEAST_GAIN:
        finding = f"{at} splitting saves less than 1 % over {title}"
    else:
        finding = f"{at}, {share} clean pages save {percent(gain)} over {title}"
    sentence = (
        f"The best replayed split, {clean:,} clean and {survey.pages - clean:,} dirty "
        f"pages, costs {three_digits(cost)} page reads an access; {title} costs "
        f"{three_digits(rival_cost)}."
    )
    flips = priced.break_even_asymmetry[rival]
    less = all_writes(survey.splits[clean]) < all_writes(survey.baselines[rival])
    if flips is not None and flips > 0 and math.isfinite(flips):
        side = "above" if less else "below"
        sentence += f" This split is the cheaper of the two {side} R = {flips:.3g}."
    return finding, sentence
