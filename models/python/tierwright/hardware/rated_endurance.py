"""What a maker promises that a drive may be written, from its stated figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from tierwright.common.cautions import Caution
from tierwright.common.wording import counted
from tierwright.hardware.device import Device

ASSUMED_DWPD, ASSUMED_YEARS = 1.0, 5.0
"""What a drive that states no endurance is taken to stand: the customary class of drives for
reading. An assumption, said wherever it is used."""


WEARING = frozenset({"nvme", "sata_ssd", "sd", "nand"})
"""Kinds of device whose writes wear them out within years."""


DAYS_PER_YEAR = 365


DRIVE_WRITES_YEARS = 5
"""Years over which drive writes per day are stated where nothing else is said."""


TB = 10**12


_NOTHING = Decimal(0)


@dataclass(frozen=True, slots=True)
class RatedEndurance:
    """What a device is warranted for.

    Attributes
    ----------
    tb_written : float or None
        TBW. [10^12 bytes]
    dwpd : float or None
        Drive writes per day over `years`. [1/day]
    years : float or None
        Warranted life. [year]
    basis : str
        Which figures of the device were used, and what was computed from what.
    assumed : str
        What was assumed, no source stating it; empty where nothing was.
    """

    tb_written: float | None
    dwpd: float | None
    years: float | None
    basis: str
    assumed: str = ""

    @property
    def warnings(self) -> tuple[Caution, ...]:
        """Say that the rating is an assumption, where it is one."""
        if not self.assumed:
            return ()
        return (
            Caution(
                "endurance_assumed",
                f"the endurance rests on {self.assumed}, which no source states for "
                "this device",
                "give the TBW or the drive writes per day of your drive",
            ),
        )


def rated_endurance(
    device: Device,
    *,
    dwpd: float | None = None,
    years: float | None = None,
    assume: bool = False,
) -> RatedEndurance:
    """TBW, DWPD and warranted years of a device, each from the other two where it can be.

    TBW = DWPD x capacity x 365 x years / 10^12.

    Parameters
    ----------
    device : Device
        With any of `endurance_tb`, `dwpd`, `endurance_years` and its capacity.
    dwpd : float, optional
        Drive writes per day, in place of what the device states. [1/day]
    years : float, optional
        Years of its drive writes per day, where it does not state them. [year]
    assume : bool
        Whether `ASSUMED_DWPD` and `ASSUMED_YEARS` stand in for what a drive does not state.
        Only for kinds of `WEARING` that are bought: who rents does not pay for wear.

    Returns
    -------
    RatedEndurance
        None for what the device does not state and nothing gives.

    Examples
    --------
    >>> from tierwright.hardware import catalog
    >>> rated_endurance(catalog.device("intel-p4510-2tb")).tb_written
    2054.0
    >>> rated_endurance(catalog.device("samsung-pm9a3-7.68tb-u2"), assume=True).assumed
    '5 years'
    """
    written, per_day = device.number("endurance_tb"), device.number("dwpd")
    given: list[str] = []
    if dwpd is not None:
        written, per_day = None, dwpd
        given.append(f"{dwpd:g} DWPD")
    stated = device.number("endurance_years")
    if stated is None and years is not None and written is None:
        given.append(counted(f"{years:g}", "year"))
        stated = years
    found = RatedEndurance(written, per_day, stated, "as the device states")
    if assume and written is None and _wears(device):
        found = _assumed(found)
    return _each_from_the_others(found, device.capacity_bytes, given)


def _assumed(found: RatedEndurance) -> RatedEndurance:
    """Put the assumption where nothing is stated."""
    parts = [f"{ASSUMED_DWPD:g} DWPD"] if found.dwpd is None else []
    parts += [f"{ASSUMED_YEARS:g} years"] if found.years is None else []
    return replace(
        found,
        dwpd=ASSUMED_DWPD if found.dwpd is None else found.dwpd,
        years=ASSUMED_YEARS if found.years is None else found.years,
        assumed=" over ".join(parts),
    )


def _each_from_the_others(
    found: RatedEndurance, capacity: int | None, given: Sequence[str]
) -> RatedEndurance:
    """Compute the bytes from the drive writes, or the drive writes from the bytes."""
    if found.years is None or capacity is None:
        return found
    drive = capacity * DAYS_PER_YEAR * found.years / TB
    if found.tb_written is None and found.dwpd is not None:
        basis = "TBW = DWPD x capacity x 365 x years"
        if given:
            basis += f"; {' and '.join(given)} as given"
        if found.assumed:
            basis += f"; {found.assumed} assumed"
        return replace(found, tb_written=found.dwpd * drive, basis=basis)
    if found.dwpd is None and found.tb_written is not None:
        basis = "DWPD = TBW / (capacity x 365 x years)"
        return replace(found, dwpd=found.tb_written / drive, basis=basis)
    return found


def _wears(device: Device) -> bool:
    """Whether its buyer pays for the wear of a device."""
    return (
        device.kind in WEARING
        and device.sold_as == "device"
        and "unit_rent" not in device.figures
    )
