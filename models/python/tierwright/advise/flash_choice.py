"""Which flash device for a workload: by I/O time, and by price x I/O time.

Source: Koltsidas and Viglas section 5.7 and Table 2. The paper's "price-to-I/O-cost ratio" as a
quotient rewards dear or fast devices inconsistently; price x time per access is the price of
a unit of throughput, and less is better.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tierwright.advise.flash_choice_effects import effects
from tierwright.advise.point import scheme_titles
from tierwright.common.answer import Answer, Figure, Step
from tierwright.common.derivation import plain, shown
from tierwright.common.errors import BadInput
from tierwright.common.wording import percent, three_digits
from tierwright.evaluate.metadata import MetadataPreset
from tierwright.evaluate.page_flow.cautions import about_given
from tierwright.evaluate.page_flow.evaluation import evaluate
from tierwright.evaluate.page_flow.results import Evaluation
from tierwright.hardware.capabilities import missing_figures
from tierwright.hardware.device import Device
from tierwright.hardware.prices import DEFAULT_AMORTISATION_MONTHS, PriceBook
from tierwright.profile.curve import Curve

ESTIMATOR = "C0 to C3 of each device's best scheme; price x time per access"
VALIDITY = (
    "LRU in both tiers; one device holds all of the flash, whatever its size; "
    "time is busy time, 1/IOPS, so devices rated at different queue depths are "
    "not comparable; the price is of flash alone, in proportion to the bytes "
    "held"
)
NEAR = 0.01
"""Differences that rated rates do not bear out. [1]"""
SOURCE = "Koltsidas and Viglas (2009), section 5.7 and Table 2"


@dataclass(frozen=True, slots=True)
class DeviceRow:
    """One flash device with its best scheme.

    Attributes
    ----------
    device_id, device_name : str
        Of the device.
    scheme : str
        Of least I/O time on it.
    io_time_us_per_access : float
        [µs]
    gain_over_none : float
        Share of the I/O time without flash that it saves. [1]
    flash_usd_per_month : Decimal or None
        None without a price; `reason` says why. [USD/month]
    price_times_time : float or None
        USD a month x µs per access; less is better. None without a price, and where no scheme
        beats no flash: then the device is not worth any price here. [USD µs/month]
    reason : str
        Why there is none; empty when there is one.
    warnings : tuple of str
        Names of the warnings of its evaluation.
    none_us_per_access : float
        I/O time without flash. [µs]
    cost_terms_us_per_access : dict
        Terms of the I/O time, by name. [µs]
    price_basis : str
        How `flash_usd_per_month` comes of the price, and the source; empty without one.
    """

    device_id: str
    device_name: str
    scheme: str
    io_time_us_per_access: float
    gain_over_none: float
    flash_usd_per_month: Decimal | None
    price_times_time: float | None
    reason: str
    warnings: tuple[str, ...]
    none_us_per_access: float
    cost_terms_us_per_access: dict[str, float]
    price_basis: str


@dataclass(frozen=True, kw_only=True)
class FlashChoice(Answer):
    """Devices ranked in two ways; the warnings are those of the devices that are best.

    Attributes
    ----------
    rows : tuple of DeviceRow
        By I/O time, the least first; equal ones by id.
    best_by_time : str or None
        Device of least I/O time; None where none could be evaluated.
    best_by_price_times_time : str or None
        Of those with a price on which a scheme beats no flash.
    rejected : dict of str to str
        Device id to why it could not be evaluated.
    estimator, validity : str
        How it was computed, and where that holds.
    """

    rows: tuple[DeviceRow, ...]
    best_by_time: str | None
    best_by_price_times_time: str | None
    rejected: dict[str, str]
    estimator: str = ESTIMATOR
    validity: str = VALIDITY

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The least I/O time, and the device of least price x time."""
        rows = {row.device_id: row for row in self.rows}
        time, worth = self.best_by_time, self.best_by_price_times_time
        return (
            Figure("best_by_time", "Device of least I/O time", time),
            Figure(
                "io_time_us_per_access",
                "Its I/O time per access",
                None if time is None else rows[time].io_time_us_per_access,
                "µs",
            ),
            Figure("best_by_price_times_time", "Device of least price x time", worth),
        )

    def to_dict(self, *, derivation: bool = False) -> dict[str, Any]:
        """Return plain data for JSON."""
        found = {
            "finding": self.finding,
            "rows": [
                plain({name: getattr(row, name) for name in DeviceRow.__slots__})
                | {"warnings": list(row.warnings)}
                for row in self.rows
            ],
            "best_by_time": self.best_by_time,
            "best_by_price_times_time": self.best_by_price_times_time,
            "rejected": self.rejected,
            "warnings": [
                {"name": w.name, "message": w.message, "hint": w.hint}
                for w in self.warnings
            ],
            "cautions": plain(list(self.cautions)),
            "estimator": self.estimator,
            "validity": self.validity,
        }
        if derivation:
            found["derivation"] = plain(list(self.derivation()))
        return found


def answer(
    curve: Curve,
    *,
    ram_pages: int,
    flash_pages: int,
    candidates: Iterable[Device],
    disk: Device,
    prices: PriceBook | None = None,
    amortisation_months: int = DEFAULT_AMORTISATION_MONTHS,
    flash_metadata: MetadataPreset | None = None,
) -> FlashChoice:
    """Rank flash devices at one choice of sizes by I/O time and by price x I/O time.

    Parameters
    ----------
    curve : Curve
        Misses and write-backs of the workload by LRU size.
    ram_pages, flash_pages : int
        r and f. [pages]
    candidates : iterable of Device
        Flash devices; those that state no service time are rejected with the reason.
    disk : Device
        Behind flash.
    prices : PriceBook, optional
        Without it a device has its own price, if it states one.
    amortisation_months : int
        Months over which purchases are spread. [months]
    flash_metadata : MetadataPreset, optional
        Charged to the RAM, as in `evaluate`; the same for every device.

    Returns
    -------
    FlashChoice

    Raises
    ------
    BadInput
        If a size is out of range, the trace is empty, the disk states no service time, there
        is no candidate, or the flash metadata leave no RAM.
    """
    listed = list(candidates)
    if not listed:
        raise BadInput("there is no flash device to choose from", "name at least one")
    rows, rejected = [], {}
    evaluated: dict[str, Evaluation] = {}
    for device in listed:
        lacking = [text for text in missing_figures(device) if text != "price"]
        if lacking:
            rejected[device.id] = f"states no {' and no '.join(lacking)}"
            continue
        found = evaluate(
            curve,
            ram_pages=ram_pages,
            flash_pages=flash_pages,
            flash=device,
            disk=disk,
            prices=prices,
            amortisation_months=amortisation_months,
            flash_metadata=flash_metadata,
        )
        rows.append(_row(device, found, amortisation_months))
        evaluated[device.id] = found
    rows.sort(key=lambda row: (row.io_time_us_per_access, row.device_id))
    priced = [row for row in rows if row.price_times_time is not None]
    priced.sort(key=lambda row: (row.price_times_time or 0.0, row.device_id))
    best = rows[0] if rows else None
    worth = priced[0] if priced else None
    chosen = [row.device_id for row in (best, worth) if row is not None]
    of_best = (each for name in chosen for each in evaluated[name].warnings)
    return FlashChoice(
        finding=_finding(rows, best, worth),
        rows=tuple(rows),
        best_by_time=None if best is None else best.device_id,
        best_by_price_times_time=None if worth is None else worth.device_id,
        rejected=rejected,
        warnings=tuple(dict.fromkeys((*about_given(curve), *of_best))),
        explain=lambda: _steps(rows),
        weigh=None
        if best is None
        else effects(
            curve,
            disk,
            evaluated,
            {each.id: each for each in listed if each.id in evaluated},
            best.device_id,
        ),
    )


def _row(device: Device, found: Evaluation, months: int) -> DeviceRow:
    part = found.schemes["lazy"].cost_parts["flash"]
    usd = part.usd_per_month
    time_us = found.schemes[found.best].io_time_us_per_access
    pays = found.best != "none"
    return DeviceRow(
        device_id=device.id,
        device_name=device.name,
        scheme=found.best,
        io_time_us_per_access=time_us,
        gain_over_none=found.gain_over_none,
        flash_usd_per_month=usd,
        price_times_time=float(usd) * time_us if pays and usd is not None else None,
        reason=part.reason if pays else "no scheme with this flash beats no flash",
        warnings=tuple(dict.fromkeys(warning.name for warning in found.warnings)),
        none_us_per_access=found.schemes["none"].io_time_us_per_access,
        cost_terms_us_per_access=dict(
            found.schemes[found.best].cost_terms_us_per_access
        ),
        price_basis=""
        if usd is None
        else f"{part.how(months)}; {part.source}, {part.date or 'undated'}",
    )


def _finding(
    rows: Sequence[DeviceRow], fast: DeviceRow | None, worth: DeviceRow | None
) -> str:
    if fast is None:
        return "No device here states the times that an evaluation needs."
    if fast.scheme == "none":
        return "Flash of this size saves no I/O time on any device here."
    text = (
        f"{fast.device_name} has the lowest I/O time, "
        f"{three_digits(fast.io_time_us_per_access)} µs per access under "
        f"{scheme_titles()[fast.scheme]}"
    )
    near = sum(
        row.io_time_us_per_access <= fast.io_time_us_per_access * (1 + NEAR)
        for row in rows
    )
    if near > 1:
        text += f" ({near - 1:,} more within {percent(NEAR)})"
    if worth is None:
        return f"{text}; no price is known for any device."
    if worth is fast:
        return f"{text}, and the lowest product of price and time."
    return (
        f"{text}; {worth.device_name} has the lowest product of price and time, at "
        f"{three_digits(worth.io_time_us_per_access)} µs."
    )


def _steps(rows: Sequence[DeviceRow]) -> Iterator[Step]:
    for row in rows:
        yield Step(
            subject=row.device_id,
            name="I/O time",
            formula=f"least of C0 to C3 over N, that of {scheme_titles()[row.scheme]}: "
            f"{' + '.join(row.cost_terms_us_per_access)} = "
            f"{' + '.join(map(shown, row.cost_terms_us_per_access.values()))}",
            value=row.io_time_us_per_access,
            unit="µs per access",
            source=SOURCE,
        )
        yield Step(
            subject=row.device_id,
            name="saved",
            formula="1 - time / time without flash = "
            # Of two close times, six digits would leave few of the difference.
            f"1 - {row.io_time_us_per_access:.12g} / {row.none_us_per_access:.12g}",
            value=row.gain_over_none,
            unit="1",
            source=SOURCE,
        )
        if row.flash_usd_per_month is not None:
            how, _, source = row.price_basis.partition("; ")
            yield Step(
                subject=row.device_id,
                name="price of flash",
                formula=how,
                value=float(row.flash_usd_per_month),
                unit="USD/month",
                source=source,
            )
        if row.price_times_time is not None:
            yield Step(
                subject=row.device_id,
                name="price x time",
                formula=f"{row.flash_usd_per_month:.6g} USD/month x "
                f"{row.io_time_us_per_access:.6g} µs",
                value=row.price_times_time,
                unit="USD µs/month",
                source=f"{SOURCE}; a product, as the quotient of the paper rewards "
                "expensive devices",
            )
