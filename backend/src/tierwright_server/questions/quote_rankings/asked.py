"""A ranking asked of the models: the same while a client waits and in a run."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tierwright.advise import quote_ranking as models
from tierwright.advise.advice.request import Have
from tierwright.common.currency import ExchangeRate
from tierwright.hardware.device import Device
from tierwright.hardware.imports.mapping import LineMapping, mapping_of
from tierwright.hardware.imports.offers import offers_of
from tierwright.profile.curve import Curve
from tierwright_server.questions.advice.service import of_part
from tierwright_server.questions.quote_rankings.schemas import (
    QuoteRankingIn,
    QuoteRankingOut,
)

_MOST_LEVELS = 8
"""More than quotes and mappings have."""


@dataclass(frozen=True)
class Found:
    """What a request names, found.

    Attributes
    ----------
    curve : Curve
    duration_s : float or None
        Of the recording. [s]
    have : Have or None
    flash, disk : Device or None
    """

    curve: Curve
    duration_s: float | None
    have: Have | None
    flash: Device | None
    disk: Device | None


def _mapping_in(body: QuoteRankingIn) -> LineMapping:
    """Read the mapping of a request.

    Raises
    ------
    BadInput
        With every problem found.
    """
    with of_part("mapping"):
        return mapping_of(_exact(body.mapping), "mapping")


def answered(
    body: QuoteRankingIn,
    found: Found,
    on_quote: Callable[[int], object] | None = None,
) -> tuple[str, bytes]:
    """Return the id of a ranking and the bytes of its answer.

    Raises
    ------
    BadInput
        An input is out of range; of a quote only its own place in the answer says so.
    """
    ranking = models.answer(
        found.curve,
        offers_of(_exact(body.quotes)),
        day=body.day or models.today(),
        accesses_per_s=body.accesses_per_s,
        duration_s=found.duration_s,
        have=found.have,
        constraints=body.constraints.model_dump(exclude_none=True),
        objective=body.objective,
        horizon_months=body.horizon_months,
        reserved_gib=Decimal(str(body.reserved_gib)),
        flash=found.flash,
        disk=found.disk,
        mapping=_mapping_in(body),
        rates=[
            ExchangeRate(each.currency, each.per_usd, each.date, each.source)
            for each in body.rates
        ],
        seed=body.seed,
        on_quote=on_quote,
    )
    shown = QuoteRankingOut.model_validate(ranking.to_dict())
    return ranking.ranking_id, shown.model_dump_json().encode()


def _exact(value: Any, levels: int = _MOST_LEVELS) -> Any:
    """Return plain data with its numbers as the decimals that they print; what lies deeper than any is left as it is."""
    if isinstance(value, float):
        return Decimal(repr(value))
    if levels and isinstance(value, dict):
        return {key: _exact(each, levels - 1) for key, each in value.items()}
    if levels and isinstance(value, list):
        return [_exact(each, levels - 1) for each in value]
    return value
