"""What is asked, checked, and its identity."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from typing import Any

from tierwright.advise.advice._standing import Standing
from tierwright.advise.advice._table import Rates, Setting
from tierwright.advise.advice.request import Candidates, Have, checked_constraints
from tierwright.advise.configurations import as_read, data_bytes_of, rates_of
from tierwright.common.derivation import plain
from tierwright.common.errors import BadInput, Problems
from tierwright.common.fields import LARGEST_EXACT, is_count, is_number, without_zeros
from tierwright.common.wording import counted
from tierwright.evaluate.advice.choose import OBJECTIVES, Objective
from tierwright.evaluate.advice.limits import (
    DEFAULT_PEAK_BUSY,
    LIFE,
    PEAK_BUSY,
    RESPONSES,
    RESTART,
    ROUNDING,
    THROUGHPUT,
)
from tierwright.evaluate.page_flow.dirty_range import dirty_ends
from tierwright.evaluate.scale.replays import recorded_rate
from tierwright.hardware.device import Device
from tierwright.hardware.prices import PriceBook
from tierwright.profile.curve import Curve

_MOST_MONTHS = 1200
_HINTS: Mapping[str, str] = {
    "objective": "state what is bought for",
    "horizon_months": "state over how many whole months a purchase is spread, such as 36",
}
"""Next step for an input of an advice."""
_MOST_BYTES = 2**62
MODEL_VERSION = "22"
"""Of the enumeration and its formulas: changes where an answer does."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked, checked."""

    setting: Setting
    constraints: dict[str, Decimal]
    objective: Objective
    seed: int

    @property
    def response_limits(self) -> tuple[float | None, ...]:
        """Limits of `RESPONSES`, in their order, each larger by the share by which a computed value may be above it. [µs]"""
        stated = (self.constraints.get(name) for name in RESPONSES)
        return tuple(
            None if each is None else float(each) * (1 + ROUNDING) for each in stated
        )

    @property
    def limits_response(self) -> bool:
        """Whether response times are limited."""
        return any(name in self.constraints for name in RESPONSES)

    def without(self, name: str) -> Asked:
        """Return the same question without one constraint."""
        setting = self.setting
        if name == PEAK_BUSY:
            setting = replace(setting, most_busy=math.inf)
        if name == LIFE:
            setting = replace(setting, least_life_years=0.0)
        if name == THROUGHPUT:
            setting = replace(setting, least_throughput_per_s=0.0)
        kept = {key: value for key, value in self.constraints.items() if key != name}
        return replace(self, setting=setting, constraints=kept)

    def at_its_loosest(self, name: str) -> Asked:
        """Return the same question with one constraint as loose as it can be: no device is busy for more than all of the time."""
        if name != PEAK_BUSY:
            return self.without(name)
        return replace(
            self,
            setting=replace(self.setting, most_busy=1.0),
            constraints={**self.constraints, PEAK_BUSY: Decimal(1)},
        )

    @property
    def advice_id(self) -> str:
        """Hash of all that was asked: the same inputs have the same id."""
        setting = self.setting
        scaled = setting.curve.scaled
        counted = setting.curve.cold or setting.curve
        document = {
            "curve": setting.curve.to_lists(),
            "scaled": None if scaled is None else _scaled(scaled.to_dict()),
            **(
                {}
                if setting.curve.evidence is None
                else {"evidence": setting.curve.evidence.to_dict()}
            ),
            "page_bytes": setting.curve.page_bytes,
            # Those of what was scaled are in its curve and in how it was scaled.
            **(
                {"new_pages": setting.curve.new_pages}
                if setting.curve.new_pages and scaled is None
                else {}
            ),
            **({} if setting.fewest_dirty is None else {"dirty_share": "unknown"}),
            "rates": _floats(setting.rates.both),
            "candidates": _one_form(_candidates(setting.candidates)),
            "have": None
            if setting.have is None
            else _have_in_one_form(plain(as_read(_have(setting)))),
            "prices": None
            if setting.prices is None
            else _one_form(setting.prices.to_dict()),
            "months": setting.horizon_months,
            "devices": [
                None if one is None else one.to_dict() for one in setting.devices
            ],
            "constraints": {
                name: str(value) for name, value in self.constraints.items()
            },
            "objective": self.objective,
            "seed": self.seed,
            **(
                {"quotes": sorted(map(_quoted, setting.quoted))}
                if setting.quoted
                else {}
            ),
            **(
                {}
                if counted.windows is None
                else {"windows": counted.windows.to_dict()}
            ),
            "versions": versions(self),
        }
        text = json.dumps(document, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


_PRODUCTION_FLOATS = (
    "accesses_per_s",
    "peak_accesses_per_s",
    "write_share",
    "growth_per_year",
)
"""Keys of production that are no counts: 3000 there is what 3000.0 is."""
_AMOUNT = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,2})?")


def _scaled(document: dict[str, Any]) -> dict[str, Any]:
    """Write how a curve was scaled so that equal numbers are equal texts."""
    found = dict(document)
    production, recorded = document.get("production"), document.get("recorded")
    if production is not None:
        found["production"] = {
            **production,
            **{key: _floats(production[key]) for key in _PRODUCTION_FLOATS},
        }
    if recorded is not None:
        tau = recorded["tau_accesses"]
        found["recorded"] = {**recorded, "tau_accesses": _floats(tau)}
    return found


def _floats(value: Any) -> Any:
    """Return numbers as floats, so that 3000 is written as 3000.0 is; None stays."""
    if isinstance(value, list | tuple):
        return [_floats(each) for each in value]
    return None if value is None else float(value)


def _one_form(value: Any) -> Any:
    """Write every amount of plain data in one way: 0.70 as 0.7, 3000.0 as 3000."""
    if isinstance(value, Mapping):
        return {key: _one_form(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_one_form(each) for each in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and _AMOUNT.fullmatch(value):
        return str(without_zeros(Decimal(value)))
    return value


def _have_in_one_form(document: dict[str, Any]) -> dict[str, Any]:
    # Its devices are those of the catalogue, as they are.
    return {
        **document,
        **{key: _one_form(document[key]) for key in ("amounts", "bill")},
    }


def _quoted(given: Standing) -> str:
    """Return what identifies a configuration of a quote."""
    document = {
        each.name: getattr(given, each.name)
        for each in fields(given)
        if each.name not in ("disk", "flash")
        # What follows from the rest leaves the id as it was before it was told apart.
        and each.name not in ("is_rented", "is_ram_for_pages", "outlasts")
    }
    for name, device in (("disk", given.disk), ("flash", given.flash)):
        document[name] = None if device is None else device.to_dict()
    return json.dumps(document, sort_keys=True, default=str)


def _candidates(candidates: Candidates) -> dict[str, Any]:
    document: dict[str, Any] = plain(candidates)
    # What is not stated leaves the id as it was before it could be.
    own = [device.to_dict() for device in candidates.own]
    later = {
        "own": own or None,
        "vendors": document["vendors"],
        "flash_caches": document["flash_caches"],
    }
    return {
        **{key: value for key, value in document.items() if key not in later},
        **{key: value for key, value in later.items() if value is not None},
    }


def _have(setting: Setting) -> dict[str, Any]:
    have = setting.have
    assert have is not None
    return {
        **{
            name: getattr(have, name)
            for name in (
                "machines",
                "ram_bytes",
                "flash_bytes",
                "disks",
                "flash_devices",
            )
        },
        "disk": have.disk.to_dict(),
        "flash": None if have.flash is None else have.flash.to_dict(),
        "scheme": have.scheme,
        "amounts": [str(have.usd_per_month), str(have.purchase_usd)],
        "bill": dict(have.bill or {}),
        # What is not stated leaves the id as it was before it could be.
        **({"reserved_gib": have.reserved_gib} if have.reserved_gib else {}),
    }


def asked_of(
    curve: Curve,
    rate: tuple[float | None, float | None],
    candidates: Candidates,
    have: Have | None,
    constraints: Mapping[str, Any],
    objective: Objective,
    prices: PriceBook | None,
    horizon_months: int,
    devices: tuple[Device | None, Device | None],
    seed: int,
) -> Asked:
    problems = Problems("advice", "state what is bought for")
    problems.check(
        objective in OBJECTIVES,
        "objective",
        objective,
        f"is not one of {', '.join(OBJECTIVES)}",
    )
    problems.check(
        is_count(horizon_months, _MOST_MONTHS) and horizon_months >= 1,
        "horizon_months",
        horizon_months,
        f"must be a whole number from 1 to {_MOST_MONTHS:,}",
    )
    if problems.found:
        problems.hint = " and ".join(_HINTS[each.where] for each in problems.found)
    problems.check(
        is_count(seed),
        "seed",
        seed,
        f"must be a whole number from 0 to {LARGEST_EXACT:,}",
    )
    stated_rate = rate[0]
    problems.check(
        stated_rate is None or (is_number(stated_rate) and stated_rate > 0),
        "accesses_per_s",
        stated_rate,
        "must be a number above 0",
    )
    problems.raise_if_any()
    _check_months_of_bill(have, horizon_months)
    if curve.accesses == 0:
        raise BadInput("the workload has no accesses", "profile a trace with data")
    fewest = None
    if curve.write_backs_at is None:
        fewest, curve = dirty_ends(curve)
    limits = checked_constraints(constraints)
    mean, peak = rates_of(curve, *rate)
    if mean is None:
        needing = [
            name
            for name in (PEAK_BUSY, THROUGHPUT, RESTART, *RESPONSES)
            if name in limits
        ]
        if needing:
            raise BadInput(
                f"constraints: {needing[0]}: the workload states no rate, so it cannot be held",
                "scale the workload to production, or state its rate",
            )
    else:
        # In its place among the others, as where it is stated: the same limits are listed in one order.
        limits = checked_constraints({PEAK_BUSY: DEFAULT_PEAK_BUSY, **limits})
    data_bytes = data_bytes_of(curve, horizon_months)
    if data_bytes > _MOST_BYTES:
        raise BadInput(
            f"growth_per_year: within `{horizon_months}` months the data grow to more bytes than can be counted",
            "state fewer months, or less growth",
        )
    setting = Setting(
        curve=curve,
        rates=Rates(mean, peak),
        recorded_per_s=recorded_rate(curve, rate[1]),
        candidates=candidates,
        have=have,
        prices=prices,
        horizon_months=horizon_months,
        most_busy=float(limits.get(PEAK_BUSY, Decimal(1))),
        least_life_years=float(limits.get(LIFE, Decimal(0))),
        least_throughput_per_s=float(limits.get(THROUGHPUT, Decimal(0))),
        data_bytes=data_bytes,
        devices=devices,
        fewest_dirty=fewest,
        kept_by_more=frozenset(limits) & {RESTART, *RESPONSES},
    )
    return Asked(setting, limits, objective, seed)


def _check_months_of_bill(have: Have | None, horizon_months: int) -> None:
    """Hold the horizon of the bill of what there is against that of the question, which counts for every option."""
    stated = None if have is None else (have.bill or {}).get("horizon_months")
    problems = Problems(
        "advice",
        "leave it out: purchases of what there is are spread over the months of the question, as all others are",
    )
    problems.check(
        stated is None or stated == horizon_months,
        "have.bill.horizon_months",
        stated,
        f"is not the horizon of the question, {counted(horizon_months, 'month')}"
        if is_count(stated, _MOST_MONTHS)
        else "must be a whole number of months",
    )
    problems.raise_if_any()


def versions(asked: Asked) -> dict[str, str]:
    prices = asked.setting.prices
    return {
        "tierwright": importlib.metadata.version("tierwright"),
        "model": MODEL_VERSION,
        "price_book": "none" if prices is None else prices.id,
        "price_book_date": "none" if prices is None else prices.date,
        "seed": str(asked.seed),
    }
