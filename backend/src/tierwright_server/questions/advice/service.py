"""An advice: finds workload, devices and prices, and asks the models."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypedDict

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import advice as models
from tierwright.advise.advice.found import Advice
from tierwright.advise.advice.request import (
    NO_BOOK,
    WHOLE,
    Assigned,
    Candidates,
    Have,
    Replays,
    Splits,
    candidates_from_mapping,
    checked_constraints,
)
from tierwright.advise.pool_survey import SplitSurvey
from tierwright.common.errors import BadInput as ModelBadInput
from tierwright.hardware.device import Device
from tierwright.hardware.prices import PriceBook
from tierwright.profile.curve import Curve
from tierwright_server.common.errors import NeedsTrace, of_model
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.http.context import Context
from tierwright_server.http.steps import rows_of
from tierwright_server.jobs.runs.states import RunKind
from tierwright_server.questions.advice.schemas import (
    AdviceIn,
    AdviceOut,
    BoughtIn,
    CandidatesIn,
    HaveIn,
)
from tierwright_server.questions.bills.schemas import BillIn
from tierwright_server.questions.point import find_curve
from tierwright_server.questions.pool_split.splits import kept_survey
from tierwright_server.replays import results
from tierwright_server.storage.tables import Content, Workload
from tierwright_server.traces.curves import knowing_new_pages
from tierwright_server.traces.workloads import recordings
from tierwright_server.traces.workloads import service as workloads

_LISTS = ("kinds", "servers", "volumes", "devices", "parts")


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a check rests on.

    Attributes
    ----------
    replays : callable
        Returns what each replay counted.
    assigned : callable
        Returns the requests below RAM by category.
    """

    replays: Replays
    assigned: Assigned


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, with everything that its ids name.

    Attributes
    ----------
    workload, content : Workload, Content
        What is bought for.
    curve : Curve
        Of the workload.
    answer : callable
        Asks the models; takes what a check rests on, or None, whether to compute how sure the answer is, and what
        counts splits of a buffer pool, or None.
    """

    workload: Workload
    content: Content
    curve: Curve
    answer: Callable[[Replayed | None, bool, Splits | None], Advice]


class Bought(TypedDict):
    """What may be bought, within which limits: inputs of several questions of the models."""

    candidates: Candidates
    constraints: dict[str, Decimal]
    prices: PriceBook | None
    horizon_months: int
    flash: Device | None
    disk: Device | None


async def find_bought(
    session: AsyncSession, context: Context, body: BoughtIn, within: str = ""
) -> Bought:
    """Find devices and prices of a question about what is bought, and read its limits.

    `within` is where the body of the request holds it, for errors, such as `template.`.
    """
    flash = await catalog.named_device(
        session, context, body.flash_device_id, f"{within}flash_device_id"
    )
    disk = await catalog.named_device(
        session, context, body.disk_device_id, f"{within}disk_device_id"
    )
    prices: PriceBook | None
    if body.price_book_id is None or body.price_book_id == NO_BOOK:
        prices = models.named_book(body.price_book_id)
    else:
        prices, _ = await catalog.find_price_book(session, context, body.price_book_id)
    own = {
        name: (
            await catalog.find_device(session, context, name, f"{within}candidates.own")
        )[0]
        for name in body.candidates.own or ()
    }
    candidates = _candidates(
        body.candidates,
        own,
        chose_prices=body.price_book_id is not None and prices is not None,
        within=within,
    )
    with of_part(f"{within}constraints"):
        constraints = checked_constraints(
            body.constraints.model_dump(exclude_none=True)
        )
    return Bought(
        candidates=candidates,
        constraints=constraints,
        prices=prices,
        horizon_months=body.horizon_months,
        flash=flash,
        disk=disk,
    )


async def find(
    session: AsyncSession, context: Context, workload_id: str, body: AdviceIn
) -> Question:
    """Find workload, devices and prices."""
    found = await find_curve(session, context, workload_id, body, may_lack_writes=True)
    curve = await asyncio.to_thread(knowing_new_pages, body.new_pages, found)
    workload, content = await workloads.find_ready(session, workload_id)

    bought = await find_bought(session, context, body)
    have = None if body.have is None else await find_have(session, context, body.have)

    def answer(
        replayed: Replayed | None, how_sure: bool, splits: Splits | None = None
    ) -> Advice:
        return models.answer(
            curve,
            accesses_per_s=body.accesses_per_s,
            duration_s=content.summary.get("duration_s"),
            have=have,
            objective=body.objective,
            seed=body.seed,
            how_sure=how_sure,
            replays=None if replayed is None else replayed.replays,
            assigned=None if replayed is None else replayed.assigned,
            splits=splits,
            **bought,
        )

    return Question(workload, content, curve, answer)


async def find_have(session: AsyncSession, context: Context, stated: HaveIn) -> Have:
    """Find the devices of what there is today."""
    holds, _ = await catalog.find_device(
        session, context, stated.disk_device_id, "have.disk_device_id"
    )
    caches = await catalog.named_device(
        session, context, stated.flash_device_id, "have.flash_device_id"
    )
    return have_with(stated, holds, caches)


async def ask(
    session: AsyncSession,
    context: Context,
    workload_id: str,
    body: AdviceIn,
    *,
    derived: bool = False,
) -> AdviceOut:
    """Advise what to buy for a workload and how to run it."""
    question = await find(session, context, workload_id, body)
    return await shown(session, context, question, body, derived=derived)


async def answered(
    session: AsyncSession,
    context: Context,
    question: Question,
    replayed: Replayed | None,
    *,
    how_sure: bool,
) -> Advice:
    """Ask the models, with the splits of a buffer pool that were counted before; none is counted for it."""
    try:
        recording = await recordings.find(
            context, question.workload, question.content, question.curve
        )
    except NeedsTrace:
        return await asyncio.to_thread(question.answer, replayed, how_sure, None)
    if not await results.has_any(session, RunKind.POOL_SPLIT, recording.content.id):
        return await asyncio.to_thread(
            question.answer, replayed, how_sure, lambda _: {}
        )
    wanted: set[int] = set()

    def none(pages: Sequence[int]) -> Mapping[int, SplitSurvey]:
        wanted.update(pages)
        return {}

    # First which buffers are meant: that rests on nothing of which it is asked how sure it is.
    await asyncio.to_thread(question.answer, replayed, False, none)
    kept = {
        pages: survey
        for pages in sorted(wanted)
        if (survey := await kept_survey(session, context, recording.content, pages))
    }
    return await asyncio.to_thread(question.answer, replayed, how_sure, lambda _: kept)


async def shown(
    session: AsyncSession,
    context: Context,
    question: Question,
    body: AdviceIn,
    replayed: Replayed | None = None,
    *,
    derived: bool = False,
) -> AdviceOut:
    """Answer a question in the shape of the API; by replays where there is what makes them."""
    found = await answered(session, context, question, replayed, how_sure=body.how_sure)

    def made() -> AdviceOut:
        document = found.to_dict()
        document["workload_id"] = question.workload.id
        document["derivation"] = rows_of(found) if derived else None
        return AdviceOut.model_validate(document)

    # What bars and steps rest on is computed as they are read: not in the loop.
    return await asyncio.to_thread(made)


def _candidates(
    stated: CandidatesIn,
    own: Mapping[str, Device],
    *,
    chose_prices: bool,
    within: str,
) -> Candidates:
    """Return the candidates; RAM and devices of a price book are among them where one was chosen."""
    with of_part(f"{within}candidates"):
        found = candidates_from_mapping(
            stated.model_dump(exclude_none=True), "candidates", own.__getitem__
        )
    if chose_prices and all(getattr(stated, name) is None for name in _LISTS):
        return replace(found, kinds=(*WHOLE, "devices"))
    return found


def have_with(stated: HaveIn, disk: Device, flash: Device | None) -> Have:
    """Return what there is."""
    machines = stated.machines
    if "machines" not in stated.model_fields_set and stated.bill is not None:
        machines = stated.bill.machines
    with of_part("have"):
        return Have(
            machines=machines,
            ram_bytes=stated.ram_bytes,
            disk=disk,
            disks=stated.disks,
            flash_bytes=stated.flash_bytes,
            flash=flash,
            flash_devices=stated.flash_devices,
            scheme=stated.scheme,
            reserved_gib=Decimal(str(stated.reserved_gib)),
            usd_per_month=stated.usd_per_month,
            purchase_usd=stated.purchase_usd,
            bill=None if stated.bill is None else _bill_of(stated.bill),
        )


def _bill_of(stated: BillIn) -> dict[str, Any]:
    """Return a bill as it was stated: months that are not stated are those of the question, and lines alone of all machines."""
    found = stated.model_dump(exclude_none=True)
    for name in ("horizon_months", "machines"):
        if name not in stated.model_fields_set:
            del found[name]
    return found


@contextmanager
def of_part(part: str) -> Iterator[None]:
    """Say of values that the models refuse which field of this part of the body holds each."""
    try:
        yield
    except ModelBadInput as error:
        raise of_model(error, lambda where: f"body.{part}.{where}") from error
