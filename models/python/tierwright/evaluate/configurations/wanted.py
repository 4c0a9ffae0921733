"""What configurations are wanted for: the data that they hold, and what their owner states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from tierwright.common.currency import exact
from tierwright.common.errors import Problems
from tierwright.common.fields import is_count
from tierwright.hardware.build import DEFAULT_HORIZON_MONTHS, DEFAULT_PUE
from tierwright.hardware.parts import part
from tierwright.hardware.rents import Rents

KINDS: Mapping[str, str] = {
    "instances": "cloud instances with the data on their local disks",
    "volumes": "cloud instances with the data on block volumes",
    "chassis": "servers built from parts",
}
"""Every kind of configuration."""
ANY_CHASSIS = "chassis"
"""Stands for every chassis where a price is stated."""
DEFAULT_RESERVED_GIB = Decimal(4)
"""RAM of each machine for the system itself, unless stated. [GiB]"""
DEFAULT_MAX_MACHINES = 8
MOST_MACHINES = 256
MOST_MONTHS = 1200
GIB = 2**30
_MOST_BYTES = 2**62
_MOST_AMOUNT = Decimal(10**9)
_MOST_DIGITS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What configurations are wanted for.

    Attributes
    ----------
    data_bytes : int
        One copy of the data that must fit. [bytes]
    page_bytes : int
        Page of the workload: a volume is rented with the throughput that its IOPS need. [bytes]
    replicas : int
        Copies of each page, each on another machine.
    horizon_months : int
        Months over which a purchase is spread, without interest. [months]
    max_machines : int
        Most equal machines.
    kinds : tuple of str
        Keys of `KINDS`.
    reserved_gib : Decimal
        RAM of each machine that the system itself takes. [GiB]
    part_usd : mapping of str to Decimal
        Prices of parts by id, in place of those found; `chassis` for every chassis. [USD]
    usd_per_kwh : Decimal or None
        Of electricity, for servers that are bought; None leaves it out. [USD/kWh]
    watts : Decimal or None
        Of each such server; None: the sum of the active power of its parts. [W]
    pue : Decimal
        Power at the meter for each watt of a server. [1]
    rents : tuple of Rent
        Of instances and volumes, in place of those that are shipped.
    """

    data_bytes: int
    page_bytes: int
    replicas: int = 1
    horizon_months: int = DEFAULT_HORIZON_MONTHS
    max_machines: int = DEFAULT_MAX_MACHINES
    kinds: tuple[str, ...] = tuple(KINDS)
    reserved_gib: Decimal = DEFAULT_RESERVED_GIB
    part_usd: Mapping[str, Decimal] = field(default_factory=dict)
    usd_per_kwh: Decimal | None = None
    watts: Decimal | None = None
    pue: Decimal = DEFAULT_PUE
    rents: Rents = ()

    def __post_init__(self) -> None:
        problems = Problems("configurations", "state what is bought for")
        for name, value, most in (
            ("data_bytes", self.data_bytes, _MOST_BYTES),
            ("page_bytes", self.page_bytes, _MOST_BYTES),
            ("replicas", self.replicas, MOST_MACHINES),
            ("horizon_months", self.horizon_months, MOST_MONTHS),
            ("max_machines", self.max_machines, MOST_MACHINES),
        ):
            problems.check(
                is_count(value, most) and value >= 1,
                name,
                value,
                f"must be a whole number from 1 to {most:,}",
            )
        if not problems.found:
            problems.check(
                self.replicas <= self.max_machines,
                "max_machines",
                self.max_machines,
                f"must not be below the {self.replicas:,} machines that hold one copy each",
            )
        problems.check(self.kinds, "kinds", None, "must name at least one kind")
        for kind in self.kinds:
            problems.check(
                kind in KINDS, "kinds", kind, f"is not one of {', '.join(KINDS)}"
            )
        amounts = {
            "reserved_gib": self.reserved_gib,
            "usd_per_kwh": self.usd_per_kwh,
            "watts": self.watts,
            **{f"part_usd.{name}": usd for name, usd in self.part_usd.items()},
        }
        self.check_amounts(amounts, self.pue, problems)
        problems.raise_if_any()
        for name in self.part_usd:
            if name != ANY_CHASSIS:
                part(name)

    @staticmethod
    def check_amounts(
        amounts: Mapping[str, Decimal | None], pue: Decimal, problems: Problems
    ) -> None:
        """Note amounts that nothing is enumerated for.

        Parameters
        ----------
        amounts : mapping of str to Decimal or None
            By name: each must lie from 0 to 1,000,000,000 and have at most 12 decimals; None is not stated.
        pue : Decimal
            Power at the meter for each watt of a server, from 1 to 100. [1]
        problems : Problems
            Where they are noted.
        """
        for name, amount in amounts.items():
            problems.check(
                amount is None or _is_amount(amount),
                name,
                amount,
                f"must be an amount from 0 to {_MOST_AMOUNT:,} of at most "
                f"{_MOST_DIGITS} decimals",
            )
        problems.check(
            _is_amount(pue) and 1 <= pue <= 100,  # noqa: PLR2004
            "pue",
            pue,
            "must be from 1 to 100",
        )

    @property
    def machine_bytes(self) -> Mapping[int, int]:
        """Data of one machine, by the number of machines. [bytes]"""
        whole = self.data_bytes * self.replicas
        return {
            machines: -(-whole // machines)
            for machines in range(self.replicas, self.max_machines + 1)
        }


def _is_amount(value: Decimal) -> bool:
    value = exact(value)
    exponent = value.as_tuple().exponent if value.is_finite() else None
    return (
        isinstance(exponent, int)
        and exponent >= -_MOST_DIGITS
        and 0 <= value <= _MOST_AMOUNT
    )
