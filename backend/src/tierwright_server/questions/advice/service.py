"""An advice: finds workload, devices and prices, and asks the models."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import advice as models
from tierwright.advise import report as reports
from tierwright.advise.advice.found import Advice
from tierwright.advise.advice.request import (
    WHOLE,
    Candidates,
    Have,
    candidates_from_mapping,
    checked_constraints,
)
from tierwright.common.currency import stated
from tierwright.common.errors import BadInput as ModelBadInput
from tierwright.hardware.device import Device
from tierwright.hardware.prices import PriceBook
from tierwright_server.common.errors import BadInput, of_model
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.http.context import Context
from tierwright_server.http.steps import rows_of
from tierwright_server.questions.advice.schemas import (
    AdviceIn,
    AdviceOut,
    CandidatesIn,
    HaveIn,
)
from tierwright_server.questions.point import find_curve
from tierwright_server.traces.workloads import service as workloads

_LISTS = ("kinds", "servers", "volumes", "devices", "parts")


async def ask(
    session: AsyncSession,
    context: Context,
    workload_id: str,
    body: AdviceIn,
    *,
    derived: bool = False,
) -> AdviceOut:
    """Advise what to buy for a workload and how to run it."""
    answered = await _question(session, context, workload_id, body)

    def shown() -> AdviceOut:
        found = answered()
        document = found.to_dict()
        document["workload_id"] = workload_id
        document["derivation"] = rows_of(found) if derived else None
        return AdviceOut.model_validate(document)

    # Some ten thousand options take up to a second, and what they rest on more: not in the loop.
    return await asyncio.to_thread(shown)


@dataclass(frozen=True, slots=True)
class Report:
    """A report as a file.

    Attributes
    ----------
    name : str
        Of the file: the id of the advice is part of it.
    media_type : str
    content : bytes
    """

    name: str
    media_type: str
    content: bytes


async def report(
    session: AsyncSession,
    context: Context,
    workload_id: str,
    body: AdviceIn,
    form: str,
    title: str | None,
) -> Report:
    """Write the advice as a report; its formulas are always part of it.

    Raises
    ------
    BadInput
        If a form without heading is given one.
    """
    if title is not None and form not in reports.WITH_TITLE:
        raise BadInput.at(
            "query.title",
            title,
            f"a report as {form} has no heading",
            hint=f"Leave it out, or ask for one of {', '.join(reports.WITH_TITLE)}.",
        )
    answered = await _question(session, context, workload_id, body)

    def written() -> Report:
        document = stated(answered().to_dict(derivation=True))
        return Report(
            f"advice-{document['advice_id']}.{form}",
            reports.FORMS[form],
            reports.made(
                document, form, title=reports.TITLE if title is None else title
            ),
        )

    return await asyncio.to_thread(written)


async def _question(
    session: AsyncSession, context: Context, workload_id: str, body: AdviceIn
) -> Callable[[], Advice]:
    """Find what is asked about; the answer itself takes a while and is computed in a thread."""
    curve = await find_curve(session, context, workload_id, body)
    _, content = await workloads.find_ready(session, workload_id)

    async def device(where: str, device_id: str | None) -> Device | None:
        if device_id is None:
            return None
        return (await catalog.find_device(session, context, device_id, where))[0]

    flash = await device("flash_device_id", body.flash_device_id)
    disk = await device("disk_device_id", body.disk_device_id)
    have = None
    if body.have is not None:
        holds = await device("have.disk_device_id", body.have.disk_device_id)
        caches = await device("have.flash_device_id", body.have.flash_device_id)
        assert holds is not None
        have = _have(body.have, holds, caches)
    prices: PriceBook | None
    if body.price_book_id is None:
        prices = models.named_book(None)
    else:
        prices, _ = await catalog.find_price_book(session, context, body.price_book_id)
    candidates = _candidates(
        body.candidates, chose_prices=body.price_book_id is not None
    )
    with _of("constraints"):
        constraints = checked_constraints(
            body.constraints.model_dump(exclude_none=True)
        )

    def answered() -> Advice:
        return models.answer(
            curve,
            accesses_per_s=body.accesses_per_s,
            duration_s=content.summary.get("duration_s"),
            have=have,
            candidates=candidates,
            constraints=constraints,
            objective=body.objective,
            prices=prices,
            horizon_months=body.horizon_months,
            flash=flash,
            disk=disk,
            seed=body.seed,
            how_sure=body.how_sure,
        )

    return answered


def _candidates(stated: CandidatesIn, *, chose_prices: bool) -> Candidates:
    """Return the candidates; RAM and devices of a price book are among them where one was chosen."""
    with _of("candidates"):
        found = candidates_from_mapping(
            stated.model_dump(exclude_none=True), "candidates"
        )
    if chose_prices and all(getattr(stated, name) is None for name in _LISTS):
        return replace(found, kinds=(*WHOLE, "devices"))
    return found


def _have(stated: HaveIn, disk: Device, flash: Device | None) -> Have:
    """Return what there is."""
    with _of("have"):
        return Have(
            machines=stated.machines,
            ram_bytes=stated.ram_bytes,
            disk=disk,
            disks=stated.disks,
            flash_bytes=stated.flash_bytes,
            flash=flash,
            flash_devices=stated.flash_devices,
            scheme=stated.scheme,
            usd_per_month=stated.usd_per_month,
            purchase_usd=stated.purchase_usd,
            bill=None
            if stated.bill is None
            else stated.bill.model_dump(exclude_none=True),
        )


@contextmanager
def _of(part: str) -> Iterator[None]:
    """Say of values that the models refuse which field of this part of the body holds each."""
    try:
        yield
    except ModelBadInput as error:
        raise of_model(error, lambda where: f"body.{part}.{where}") from error
