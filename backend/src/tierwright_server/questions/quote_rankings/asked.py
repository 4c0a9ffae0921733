"""A ranking asked of the models: the same while a client waits and in a run."""

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tierwright.advise import quote_ranking as models
from tierwright.advise.advice.request import Have
from tierwright.common.currency import ExchangeRate
from tierwright.hardware.device import Device
from tierwright.hardware.imports.columns import Columns
from tierwright.hardware.imports.mapping import LineMapping, mapping_of
from tierwright.hardware.imports.offers import (
    COLUMNS_MARK,
    Batch,
    offers_of,
    read_offers,
    together,
)
from tierwright.profile.curve import Curve
from tierwright_server.common.errors import BadInput
from tierwright_server.questions.advice.service import have_with, of_part
from tierwright_server.questions.quote_rankings.schemas import (
    MOST_QUOTES,
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


def found_of(
    body: QuoteRankingIn,
    curve: Curve,
    duration_s: float | None,
    devices: Mapping[str, Device],
) -> Found:
    """Put together what a request names.

    Parameters
    ----------
    body : QuoteRankingIn
    curve : Curve
    duration_s : float or None
        Of the recording. [s]
    devices : mapping
        Those that the request names, by their ids.
    """
    have = body.have
    return Found(
        curve,
        duration_s,
        None
        if have is None
        else have_with(
            have,
            devices[have.disk_device_id],
            devices.get(have.flash_device_id or ""),
        ),
        devices.get(body.flash_device_id or ""),
        devices.get(body.disk_device_id or ""),
    )


def _mapping_in(body: QuoteRankingIn) -> LineMapping:
    """Read the mapping of a request.

    Raises
    ------
    BadInput
        With every problem found.
    """
    with of_part("mapping"):
        return mapping_of(_exact(body.mapping), "mapping")


def batch_of(body: QuoteRankingIn) -> Batch:
    """Read the quotes of a request, stated there or in files.

    Raises
    ------
    BadInput
        Both or neither are stated, a file cannot be read, or there are too many quotes.
    """
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
                read_offers(
                    io.BytesIO(each.text.encode()),
                    each.name,
                    each.format,
                    Columns(each.columns, each.values, COLUMNS_MARK),
                ),
            )
            for each in body.files
        ]
    )
    if len(batch) > MOST_QUOTES:
        raise BadInput.at(
            "body.files",
            len(batch),
            f"the files hold more than {MOST_QUOTES:,} quotes",
            hint="Rank them with `tierwright quotes rank`.",
        )
    return batch


def asked_of_models(body: QuoteRankingIn, batch: Batch, found: Found) -> dict[str, Any]:
    """Return the question of a request as `answer` and `Comparison` of the models take it.

    Raises
    ------
    BadInput
        With every problem of the mapping.
    """
    return {
        "curve": found.curve,
        "batch": batch,
        "day": body.day or models.today(),
        "accesses_per_s": body.accesses_per_s,
        "duration_s": found.duration_s,
        "have": found.have,
        "constraints": body.constraints.model_dump(exclude_none=True),
        "objective": body.objective,
        "horizon_months": body.horizon_months,
        "reserved_gib": Decimal(str(body.reserved_gib)),
        "flash": found.flash,
        "disk": found.disk,
        "mapping": _mapping_in(body),
        "rates": [
            ExchangeRate(each.currency, each.per_usd, each.date, each.source)
            for each in body.rates
        ],
        "seed": body.seed,
    }


def answered(
    asked: dict[str, Any], on_quote: Callable[[int], object] | None = None
) -> tuple[str, bytes]:
    """Return the id of a ranking and the bytes of its answer.

    Raises
    ------
    BadInput
        An input is out of range; of a quote only its own place in the answer says so.
    """
    ranking = models.answer(**asked, on_quote=on_quote)
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
