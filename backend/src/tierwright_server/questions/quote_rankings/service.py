"""A ranking of quotes: finds workload and devices, asks the models, and keeps the answer."""

import asyncio
import io
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import quote_ranking as models
from tierwright.advise.advice.request import Replays, Splits
from tierwright.common.currency import ExchangeRate
from tierwright.hardware.imports.mapping import mapping_of
from tierwright.hardware.imports.offers import (
    Batch,
    offers_of,
    read_offers,
    together,
)
from tierwright_server.common.errors import BadInput, NotFound
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.http.context import Context
from tierwright_server.questions.advice.service import Question, find_have, of_part
from tierwright_server.questions.point import find_curve
from tierwright_server.questions.quote_rankings import repository
from tierwright_server.questions.quote_rankings.schemas import (
    MOST_QUOTES,
    QuoteRankingIn,
    QuoteRankingOut,
)
from tierwright_server.traces.workloads import service as workloads

_MOST_LEVELS = 8
"""More than quotes and mappings have."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Quotes of a request as the models compare them.

    Attributes
    ----------
    comparison : Comparison
    question : Question
        The advice whose candidates they are.
    """

    comparison: models.Comparison
    question: Question


async def compared(
    session: AsyncSession, context: Context, body: QuoteRankingIn
) -> Asked:
    """Find workload and devices, and read the quotes.

    Raises
    ------
    NotFound, NotReady
        The workload or a device is missing or not ready.
    BadInput
        An input is out of range; of a quote only its own place in the answer says so.
    """
    curve = await find_curve(session, context, body.workload_id, body)
    workload, content = await workloads.find_ready(session, body.workload_id)
    flash = await catalog.named_device(
        session, context, body.flash_device_id, "flash_device_id"
    )
    disk = await catalog.named_device(
        session, context, body.disk_device_id, "disk_device_id"
    )
    have = None if body.have is None else await find_have(session, context, body.have)
    with of_part("mapping"):
        mapping = mapping_of(_exact(body.mapping), "mapping")

    def made() -> models.Comparison:
        return models.Comparison(
            curve,
            _batch(body),
            day=body.day or models.today(),
            accesses_per_s=body.accesses_per_s,
            duration_s=content.summary.get("duration_s"),
            have=have,
            constraints=body.constraints.model_dump(exclude_none=True),
            objective=body.objective,
            horizon_months=body.horizon_months,
            reserved_gib=Decimal(str(body.reserved_gib)),
            flash=flash,
            disk=disk,
            mapping=mapping,
            rates=[
                ExchangeRate(each.currency, each.per_usd, each.date, each.source)
                for each in body.rates
            ],
            seed=body.seed,
        )

    comparison = await asyncio.to_thread(made)

    def answer(
        replays: Replays | None, how_sure: bool, splits: Splits | None = None
    ) -> models.QuotedAdvice:
        assert splits is None
        return comparison.advice(how_sure=how_sure, replays=replays)

    return Asked(comparison, Question(workload, content, curve, answer))


def _batch(body: QuoteRankingIn) -> Batch:
    if bool(body.files) == bool(body.quotes):
        raise BadInput.at(
            "body.quotes",
            len(body.quotes),
            "state quotes either here or in `files`",
            hint="Send `quotes`, or `files` that hold some.",
        )
    if body.quotes:
        return offers_of(_exact(body.quotes))
    batch = together(
        [
            (
                each.name,
                read_offers(io.BytesIO(each.text.encode()), each.name, each.format),
            )
            for each in body.files
        ]
    )
    if len(batch) > MOST_QUOTES:
        raise BadInput.at(
            "body.files",
            len(batch),
            f"the files hold more than {MOST_QUOTES} quotes",
            hint="Rank them with `tierwright quotes rank`.",
        )
    return batch


async def rank(
    session: AsyncSession, context: Context, body: QuoteRankingIn
) -> tuple[str, bytes]:
    """Rank quotes, keep the answer, and return its id and its bytes: those of the first time where it was asked before.

    Raises
    ------
    NotFound, NotReady, BadInput
        As `compared`.
    """
    asked = await compared(session, context, body)

    def made() -> tuple[str, bytes]:
        found = asked.comparison.ranking()
        shown = QuoteRankingOut.model_validate(found.to_dict())
        return found.ranking_id, shown.model_dump_json().encode()

    ranking_id, answer = await asyncio.to_thread(made)
    return ranking_id, await repository.keep(session, ranking_id, answer)


async def find(session: AsyncSession, ranking_id: str) -> bytes:
    """Find the answer of a ranking.

    Raises
    ------
    NotFound
        If there is none, or it was the oldest of too many.
    """
    found = await repository.get(session, ranking_id)
    if found is None:
        raise NotFound(
            f"there is no ranking `{ranking_id}`",
            hint=f"Send the quotes again: POST /api/v1/quote-rankings. The last {repository.MOST_KEPT:,} rankings are "
            "kept.",
        )
    return found


def _exact(value: Any, levels: int = _MOST_LEVELS) -> Any:
    """Return plain data with its numbers as the decimals that they print; what lies deeper than any is left as it is."""
    if isinstance(value, float):
        return Decimal(repr(value))
    if levels and isinstance(value, dict):
        return {key: _exact(each, levels - 1) for key, each in value.items()}
    if levels and isinstance(value, list):
        return [_exact(each, levels - 1) for each in value]
    return value
