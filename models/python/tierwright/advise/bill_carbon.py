"""Carbon of a bill in words and numbers: ranges, and what they leave out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tierwright.common.answer import Figure, Step
from tierwright.common.cautions import Caution
from tierwright.common.wording import counted, three_digits
from tierwright.evaluate.bill_carbon import (
    EMBODIED,
    OPERATIONAL,
    CarbonLine,
    Ends,
    NotCounted,
    carbon_lines,
    carbon_not_counted,
    carbon_sum,
)
from tierwright.hardware.build import Build

_SOURCE = "quantity x factor as the CONFIG states it"


@dataclass(frozen=True, kw_only=True)
class Carbon:
    """Carbon over the horizon of a bill; each range is its low and its high end.

    Attributes
    ----------
    sentence : str
    operational_kg, embodied_kg, total_kg : tuple of float or None
        Over the horizon; None where nothing of it is counted. [kg CO2e]
    operational_kg_per_month, embodied_kg_per_month, total_kg_per_month : tuple of float or None
        The same over the months. [kg CO2e/month]
    lines : tuple of CarbonLine
        Every quantity that is counted.
    not_counted : tuple of NotCounted
        What is left out; empty where the ranges cover the whole bill.
    """

    sentence: str
    operational_kg: Ends | None
    embodied_kg: Ends | None
    total_kg: Ends | None
    operational_kg_per_month: Ends | None
    embodied_kg_per_month: Ends | None
    total_kg_per_month: Ends | None
    lines: tuple[CarbonLine, ...]
    not_counted: tuple[NotCounted, ...]


def carbon_of(build: Build) -> Carbon | None:
    """Count the carbon of a build; None where its CONFIG has no block `carbon`."""
    if build.carbon is None:
        return None
    lines, left_out = carbon_lines(build), carbon_not_counted(build)
    operational = carbon_sum(lines, OPERATIONAL)
    embodied, total = carbon_sum(lines, EMBODIED), carbon_sum(lines)
    months = build.horizon_months
    return Carbon(
        sentence=_sentence(lines, months, left_out),
        operational_kg=operational,
        embodied_kg=embodied,
        total_kg=total,
        operational_kg_per_month=_each_month(operational, months),
        embodied_kg_per_month=_each_month(embodied, months),
        total_kg_per_month=_each_month(total, months),
        lines=lines,
        not_counted=left_out,
    )


def _each_month(kg: Ends | None, months: int) -> Ends | None:
    return None if kg is None else (kg[0] / months, kg[1] / months)


def range_text(ends: Ends) -> str:
    """Write a range with three significant digits; one number where both ends read the same.

    Examples
    --------
    >>> range_text((1234.0, 2345.0)), range_text((5.0, 5.0)), range_text((0.0, 0.5))
    ('1,230 to 2,340', '5.00', '0 to 0.500')
    """
    low, high = ("0" if end == 0 else three_digits(end) for end in ends)
    return low if low == high else f"{low} to {high}"


def _sentence(
    lines: tuple[CarbonLine, ...], months: int, left_out: tuple[NotCounted, ...]
) -> str:
    said = [_counted_sentence(lines, months, complete=not left_out)]
    if left_out:
        said.append(f"Not counted: {'; '.join(each.what for each in left_out)}.")
    return " ".join(said)


def _counted_sentence(
    lines: tuple[CarbonLine, ...], months: int, *, complete: bool
) -> str:
    total = carbon_sum(lines)
    if total is None:
        return (
            "Carbon could not be computed: no factor applies to a quantity of the bill."
        )
    subject = "the configuration causes" if complete else "what is counted causes"
    due = (
        f"Over {counted(months, 'month')} {subject} {range_text(total)} kg CO2e, "
        f"{range_text((total[0] / months, total[1] / months))} kg per month"
    )
    operational, embodied = carbon_sum(lines, OPERATIONAL), carbon_sum(lines, EMBODIED)
    energy = next((line.quantity for line in lines if line.kind == OPERATIONAL), 0.0)
    electricity = f"{range_text((energy, energy))} kWh of electricity"
    if embodied is None:
        return f"{due}, all of it by {electricity}."
    if operational is None:
        return f"{due}, all of it by making hardware."
    return (
        f"{due}: {range_text(operational)} kg by {electricity}, "
        f"{range_text(embodied)} kg by making hardware."
    )


def carbon_figures(carbon: Carbon | None, months: int) -> tuple[Figure, ...]:
    """Return both ends of the total, where something is counted."""
    if carbon is None or carbon.total_kg is None:
        return ()
    low, high = carbon.total_kg
    horizon = counted(months, "month")
    return (
        Figure("carbon_low_kg", f"Carbon over {horizon}, low end", low, "kg CO2e"),
        Figure("carbon_high_kg", f"Carbon over {horizon}, high end", high, "kg CO2e"),
    )


def carbon_steps(carbon: Carbon | None) -> Iterator[Step]:
    """Make two steps of each line, one an end, and of the total."""
    if carbon is None or carbon.total_kg is None:
        return
    for index, end in enumerate(("low end", "high end")):
        for line in carbon.lines:
            yield Step(
                f"carbon of {line.what}, {end}",
                f"{line.quantity:,.10g} {line.unit} x {line.kg_per_unit[index]:.10g} "
                f"kg CO2e/{line.unit}",
                line.kg[index],
                "kg CO2e",
                _SOURCE,
            )
        yield Step(
            f"carbon, {end}",
            "sum of the lines",
            carbon.total_kg[index],
            "kg CO2e",
            _SOURCE,
        )


def carbon_cautions(build: Build, carbon: Carbon | None) -> Iterator[Caution]:
    """Say what the ranges assume that the CONFIG does not state."""
    if carbon is None or not carbon.operational_kg or build.pue_stated:
        return
    low, high = carbon.operational_kg
    if not high:
        return
    pue = float(build.pue)
    yield Caution(
        "pue_not_stated",
        f"the carbon of electricity assumes a PUE of {pue:g}, which is not stated",
        "state `pue` under `power`",
        effect=f"At a PUE of 1 electricity causes {range_text((low / pue, high / pue))} "
        f"kg CO2e instead of {range_text((low, high))}.",
    )
