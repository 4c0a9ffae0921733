"""Cloud volumes and object stores that can be rented: prices of each charge, limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tierwright.common.derivation import plain
from tierwright.common.errors import Problems
from tierwright.hardware import facts
from tierwright.hardware.facts import Fact, FigureTable, fixtures_folder

KINDS = {
    "block": "Block volume",
    "object": "Object store",
    "local": "Local disk of an instance",
}
"""Every kind of volume."""

_THROUGHPUT = ("MB/s", "MiB/s")

FIGURES: FigureTable = {
    "usd_per_gib_month": (("USD/GiB/month",), "rent of capacity"),
    "usd_per_iops_month": (
        ("USD/IOPS/month",),
        "rent of provisioned IOPS above the included ones",
    ),
    "usd_per_iops_month_2": (
        ("USD/IOPS/month",),
        "the same above usd_per_iops_month_2_from",
    ),
    "usd_per_iops_month_2_from": (("1/s",), "IOPS from which the second price holds"),
    "usd_per_iops_month_3": (
        ("USD/IOPS/month",),
        "the same above usd_per_iops_month_3_from",
    ),
    "usd_per_iops_month_3_from": (("1/s",), "IOPS from which the third price holds"),
    "iops_included": (("1/s",), "IOPS that the rent of capacity includes"),
    "usd_per_mb_per_s_month": (
        ("USD/(MB/s)/month", "USD/(MiB/s)/month"),
        "rent of provisioned throughput above the included one",
    ),
    "mb_per_s_included": (_THROUGHPUT, "throughput that the rent includes"),
    "usd_per_1000_reads": (("USD/1000",), "fee of a thousand reads"),
    "usd_per_1000_writes": (("USD/1000",), "fee of a thousand writes"),
    "usd_per_million_io": (("USD/1000000",), "fee of a million operations of a volume"),
    "usd_per_gb_retrieved": (("USD/GB",), "fee of data read"),
    "usd_per_gb_uploaded": (("USD/GB",), "fee of data written"),
    "min_size_gib": (("GiB",), "least size of one volume"),
    "max_size_gib": (("GiB",), "largest size of one volume"),
    "size_step_gib": (("GiB",), "step in which sizes are sold"),
    "max_iops": (("1/s",), "most IOPS of one volume"),
    "max_mb_per_s": (_THROUGHPUT, "most throughput of one volume"),
    "max_iops_per_gib": (("1/s",), "most IOPS for each GiB of a volume"),
    "min_iops": (("1/s",), "IOPS of a volume of any size, however small"),
    "max_mb_per_s_per_iops": (
        _THROUGHPUT,
        "most throughput for each IOPS of a volume",
    ),
    "mb_per_s_per_gib": (_THROUGHPUT, "throughput for each GiB of a volume"),
    "min_mb_per_s": (_THROUGHPUT, "throughput of a volume of any size, however small"),
    "io_unit_bytes": (("B",), "largest operation that counts as one I/O"),
}
"""Every figure that a volume may state: allowed units, meaning. Throughput counts in the unit of the
provider's list. Rates are those that a volume keeps for ever: bursts on credits are left out."""

COMMAND = "tierwright catalog volumes"


@dataclass(frozen=True, slots=True)
class Volume:
    """A kind of volume or object store.

    Attributes
    ----------
    id, name, provider, kind, media, region, notes : str
        The kind is a key of `KINDS`.
    unpriced_charge : str
        What the provider charges besides at a price that no source states; empty where nothing.
    latency_of : str
        Id of the device whose latencies hold for it; empty where no source states any.
    usd_per_gib_month, ... : Decimal or None
        As `FIGURES` explains; None where no source states it.
    figures : mapping of str to Fact
        Each number with its source, date and licence.
    """

    id: str
    name: str
    provider: str
    kind: str
    media: str
    region: str
    notes: str
    unpriced_charge: str
    latency_of: str
    usd_per_gib_month: Decimal | None
    usd_per_iops_month: Decimal | None
    usd_per_iops_month_2: Decimal | None
    usd_per_iops_month_2_from: Decimal | None
    usd_per_iops_month_3: Decimal | None
    usd_per_iops_month_3_from: Decimal | None
    iops_included: Decimal | None
    usd_per_mb_per_s_month: Decimal | None
    mb_per_s_included: Decimal | None
    usd_per_1000_reads: Decimal | None
    usd_per_1000_writes: Decimal | None
    usd_per_million_io: Decimal | None
    usd_per_gb_retrieved: Decimal | None
    usd_per_gb_uploaded: Decimal | None
    min_size_gib: Decimal | None
    max_size_gib: Decimal | None
    size_step_gib: Decimal | None
    max_iops: Decimal | None
    max_mb_per_s: Decimal | None
    max_iops_per_gib: Decimal | None
    min_iops: Decimal | None
    max_mb_per_s_per_iops: Decimal | None
    mb_per_s_per_gib: Decimal | None
    min_mb_per_s: Decimal | None
    io_unit_bytes: Decimal | None
    figures: Mapping[str, Fact]

    @property
    def throughput_unit(self) -> str:
        """Unit in which the provider counts throughput: `MB/s` or `MiB/s`."""
        for name in ("max_mb_per_s", "mb_per_s_included", "mb_per_s_per_gib"):
            if name in self.figures:
                return self.figures[name].unit
        return "MB/s"

    def iops_prices(self) -> tuple[tuple[Decimal, Decimal], ...]:
        """Prices of provisioned IOPS: from how many, and USD per IOPS-month."""
        found = []
        if self.usd_per_iops_month is not None:
            found.append((Decimal(0), self.usd_per_iops_month))
        for start, price in (
            (self.usd_per_iops_month_2_from, self.usd_per_iops_month_2),
            (self.usd_per_iops_month_3_from, self.usd_per_iops_month_3),
        ):
            if start is not None and price is not None:
                found.append((start, price))
        return tuple(found)

    @property
    def grows(self) -> bool:
        """Whether its size alone sets its rates, as of `gp2`, `st1` and `sc1`."""
        return self.iops_included is None and self.max_iops_per_gib is not None

    def most_iops(self, size_gib: Decimal) -> Decimal | None:
        """Most IOPS that a volume of a size can have for ever; None where no source states it.

        ``min(max_iops, max(iops_included, min_iops, max_iops_per_gib x size))``.

        Parameters
        ----------
        size_gib : Decimal
            Of one volume, as it is sold. [GiB]

        Returns
        -------
        Decimal or None
            [1/s]

        Examples
        --------
        >>> volume("aws-ebs-sc1").most_iops(Decimal(1024))
        Decimal('12.00000000')
        """
        each = self.max_iops_per_gib
        if each is None:
            return self.max_iops
        least = max(self.iops_included or Decimal(0), self.min_iops or Decimal(0))
        of_size = max(least, each * size_gib)
        return of_size if self.max_iops is None else min(of_size, self.max_iops)

    def most_mb_per_s(self, size_gib: Decimal) -> Decimal | None:
        """Most throughput that a volume of a size can have for ever, in `throughput_unit`; None where no source states it.

        ``min(max_mb_per_s, max(min_mb_per_s, mb_per_s_per_gib x size))``.

        Parameters
        ----------
        size_gib : Decimal
            Of one volume, as it is sold. [GiB]

        Returns
        -------
        Decimal or None
            [`throughput_unit`]

        Examples
        --------
        >>> volume("aws-ebs-st1").most_mb_per_s(Decimal(16384))
        Decimal('500')
        """
        each, most = self.mb_per_s_per_gib, self.max_mb_per_s
        if each is None:
            return most
        of_size = max(self.min_mb_per_s or Decimal(0), each * size_gib)
        return of_size if most is None else min(of_size, most)

    def rates(
        self, size_gib: Decimal, iops: Decimal | None, mb_per_s: Decimal | None
    ) -> tuple[Decimal | None, Decimal | None]:
        """Rates that one volume keeps for ever: what is rented, else included, else what its size gives.

        What is rented is never more than a volume of the size can have, and never less than what is included. Throughput is at most `max_mb_per_s_per_iops`
        of its IOPS.

        Parameters
        ----------
        size_gib : Decimal
            Of one volume, as it is sold. [GiB]
        iops, mb_per_s : Decimal or None
            What it is rented with; None where nothing is stated. [1/s], [`throughput_unit`]

        Returns
        -------
        tuple of Decimal or None
            IOPS [1/s] and throughput [`throughput_unit`]; None where no source states them.

        Examples
        --------
        >>> volume("aws-ebs-gp3").rates(Decimal(100), None, None)
        (Decimal('3000'), Decimal('125'))
        """
        most, most_rate = self.most_iops(size_gib), self.most_mb_per_s(size_gib)
        found = _least_of(_most_of(self.iops_included, iops), most)
        rate = _least_of(_most_of(self.mb_per_s_included, mb_per_s), most_rate)
        if found is None or self.max_mb_per_s_per_iops is None:
            return found, rate
        return found, _least_of(rate, self.max_mb_per_s_per_iops * found)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; money as decimal strings."""
        return {
            **{
                key: getattr(self, key)
                for key in (
                    "id",
                    "name",
                    "provider",
                    "kind",
                    "media",
                    "region",
                    "notes",
                    "latency_of",
                    "throughput_unit",
                )
            },
            **plain({name: getattr(self, name) for name in FIGURES}),
            "figures": {name: fact.to_dict() for name, fact in self.figures.items()},
        }


def _least_of(*values: Decimal | None) -> Decimal | None:
    """Return the smallest of what is known; None where nothing is."""
    return min((each for each in values if each is not None), default=None)


def _most_of(*values: Decimal | None) -> Decimal | None:
    """Return the largest of what is known; None where nothing is."""
    return max((each for each in values if each is not None), default=None)


def volume_from_mapping(data: Mapping[str, Any], place: str = "volume") -> Volume:
    """Make a volume from plain data, checking every key and value.

    Raises
    ------
    BadInput
        With every problem found, each with its key.
    """
    problems = Problems(place, "see docs/reference/volumes.md for keys and units")
    texts = facts.read_texts(
        data,
        ("id", "name", "provider", "kind", "media", "region"),
        ("notes", "unpriced_charge", "latency_of"),
        ("figures",),
        problems,
    )
    facts.one_of(texts["kind"], KINDS, "kind", problems)
    figures = facts.read_figures(data.get("figures", {}), FIGURES, problems)
    problems.raise_if_any()
    return Volume(**texts, **facts.numbers_of(figures, FIGURES), figures=figures)


def volumes() -> Mapping[str, Volume]:
    """Shipped volumes by id, in order of id."""
    return facts.read_folder(fixtures_folder() / "volumes", volume_from_mapping)


def volume(identifier: str) -> Volume:
    """Shipped volume of that id.

    Raises
    ------
    BadInput
        If there is none; the hint names the nearest ids.

    Examples
    --------
    >>> volume("aws-ebs-gp3").usd_per_gib_month
    Decimal('0.08')
    """
    return facts.find(volumes(), identifier, "volume", COMMAND)
