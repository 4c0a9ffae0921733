"""Rents of instances and volumes that a price book states, in place of those that are shipped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final, TypeVar

from tierwright.common.currency import (
    BASE,
    DOLLARS,
    ExchangeRate,
    read_amount,
    text_of,
)
from tierwright.common.errors import Problems
from tierwright.common.fields import check_date
from tierwright.hardware.facts import Fact
from tierwright.hardware.servers import FIGURES as SERVER_FIGURES
from tierwright.hardware.servers import Server, servers
from tierwright.hardware.volumes import FIGURES as VOLUME_FIGURES
from tierwright.hardware.volumes import Volume, volumes

INSTANCE, VOLUME = "instance", "volume"
FIGURES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        INSTANCE: ("usd_per_hour",),
        VOLUME: (
            "usd_per_gib_month",
            "usd_per_iops_month",
            "usd_per_mb_per_s_month",
        ),
    }
)
"""Rents that a book may state of each kind; throughput counts in the unit of the volume."""
MOST_RENTS = 1000
"""Most rents of a book."""
_AMOUNTS = {
    key: (kind, figure)
    for kind, figures in FIGURES.items()
    for figure in figures
    for key in (figure, figure.removeprefix("usd_"))
}
_KEYS = {INSTANCE, VOLUME, *_AMOUNTS, "source", "date", "region", "note"}
LICENCE = "price book"
"""What a fact has as its licence that is a rent of a price book."""

Rented = TypeVar("Rented", bound=Server | Volume)


@dataclass(frozen=True, slots=True)
class Rent:
    """One rent of an instance or a volume.

    Attributes
    ----------
    kind : str
        `INSTANCE` or `VOLUME`.
    item : str
        Id of it in the catalogue.
    figure : str
        Which rent, one of `FIGURES`.
    usd : Decimal
        In the unit of the figure.
    source : str
        Where it is from.
    date : str or None
        When it was seen; None when undated.
    region : str
        Where it holds; empty where that is not stated.
    note : str
        What to know before using it.
    stated : Decimal or None
        In the currency of its book, where that is not the dollar.
    """

    kind: str
    item: str
    figure: str
    usd: Decimal
    source: str
    date: str | None = None
    region: str = ""
    note: str = ""
    stated: Decimal | None = None

    @property
    def unit(self) -> str:
        """Unit of the rent, as the figure of what is rented states it."""
        table = SERVER_FIGURES if self.kind == INSTANCE else VOLUME_FIGURES
        units = table[self.figure][0]
        if self.kind == VOLUME and len(units) > 1:
            of_volume = volumes()[self.item].throughput_unit
            return f"USD/({of_volume})/month"
        return units[0]

    @property
    def fact(self) -> Fact:
        """The same as a figure of what is rented."""
        return Fact(self.usd, self.unit, self.source, self.date, LICENCE, self.note)

    def to_dict(self) -> dict[str, Any]:
        """Return the rent in the form that `rents_from_list` reads."""
        own = self.usd if self.stated is None else self.stated
        key = self.figure if self.stated is None else self.figure.removeprefix("usd_")
        return {
            self.kind: self.item,
            key: text_of(own),
            "source": self.source,
            "date": self.date,
            "region": self.region,
            "note": self.note,
        }

    def in_dollars(self) -> dict[str, Any]:
        """Return the same for a CONFIG, whose amounts are dollars."""
        return replace(self, stated=None).to_dict()


Rents = tuple[Rent, ...]


def rents_from_list(
    entries: Any, where: str, problems: Problems, rate: ExchangeRate = DOLLARS
) -> Rents:
    """Read rents from plain data, noting every problem with its key.

    Parameters
    ----------
    entries : list of mapping
        `instance` or `volume` with its id, one of the amounts of its kind, `source`, optional `date`, `region`, `note`.
        In a currency other than the dollar the amounts are named without `usd_`.
    where : str
        Key of the list.
    problems : Problems
        Notes what is wrong.
    rate : ExchangeRate
        Of the amounts.
    """
    if not problems.check(
        isinstance(entries, list) and len(entries) <= MOST_RENTS,
        where,
        None,
        f"must be a list of at most {MOST_RENTS:,} tables",
    ):
        return ()
    found: dict[tuple[str, str, str], Rent] = {}
    for index, entry in enumerate(entries):
        at = f"{where}[{index}]"
        if not problems.check(
            isinstance(entry, Mapping), at, None, "must be a table"
        ) or not (rent := _rent(entry, at, problems, rate)):
            continue
        key = rent.kind, rent.item, rent.figure
        problems.check(key not in found, at, rent.item, "states a rent twice")
        found[key] = rent
    return tuple(found.values())


def _rent(
    entry: Mapping[str, Any], at: str, problems: Problems, rate: ExchangeRate
) -> Rent | None:
    before = len(problems.found)
    for key in entry:
        problems.check(key in _KEYS, f"{at}.{key}", None, "unknown key")
    kinds = [kind for kind in FIGURES if entry.get(kind) is not None]
    amounts = [key for key in _AMOUNTS if entry.get(key) is not None]
    for found, of in ((kinds, FIGURES), (amounts, _AMOUNTS)):
        problems.check(
            len(found) == 1, at, None, f"needs exactly one of {', '.join(of)}"
        )
    if len(problems.found) > before:
        return None
    [kind], [key] = kinds, amounts
    name = entry[kind]
    known = servers() if kind == INSTANCE else volumes()
    problems.check(
        isinstance(name, str) and name in known,
        f"{at}.{kind}",
        name,
        f"is not the id of a shipped {kind}",
    )
    of_kind, figure = _AMOUNTS[key]
    problems.check(
        of_kind == kind,
        f"{at}.{key}",
        None,
        f"is not one of the rents of `{kind}`: {', '.join(FIGURES[kind])}",
    )
    foreign = rate.currency != BASE
    problems.check(
        foreign != key.startswith("usd_"),
        f"{at}.{key}",
        None,
        f"the amounts are in {rate.currency}: write `{figure.removeprefix('usd_') if foreign else figure}`",
    )
    paid = read_amount(entry[key], f"{at}.{key}", problems)
    problems.check(paid is None or paid > 0, f"{at}.{key}", paid, "must be above 0")
    source = entry.get("source")
    problems.check(
        isinstance(source, str) and source.strip(),
        f"{at}.source",
        source,
        "must name the source of the rent",
    )
    for text in ("region", "note"):
        problems.check(
            isinstance(entry.get(text, ""), str), f"{at}.{text}", None, "must be text"
        )
    check_date(entry.get("date"), f"{at}.date", problems)
    if len(problems.found) > before or paid is None:
        return None
    return Rent(
        kind,
        str(name),
        figure,
        rate.to_usd(paid),
        str(source),
        entry.get("date"),
        entry.get("region", ""),
        entry.get("note", ""),
        paid if foreign else None,
    )


def rented(thing: Rented, rents: Iterable[Rent]) -> Rented:
    """Return an instance or a volume at the rents that are stated of it, in the region of these."""
    kind = INSTANCE if isinstance(thing, Server) else VOLUME
    own = [each for each in rents if (each.kind, each.item) == (kind, thing.id)]
    if not own:
        return thing
    changed: dict[str, Any] = {
        "region": own[0].region or thing.region,
        "figures": {**thing.figures, **{each.figure: each.fact for each in own}},
        **{each.figure: each.usd for each in own},
    }
    return replace(thing, **changed)


def servers_at(rents: Rents) -> Mapping[str, Server]:
    """Return the shipped servers, those with a stated rent at this."""
    return _at(servers(), rents)


def volumes_at(rents: Rents) -> Mapping[str, Volume]:
    """Return the shipped volumes, those with stated rents at these."""
    return _at(volumes(), rents)


def _at(things: Mapping[str, Rented], rents: Rents) -> Mapping[str, Rented]:
    names = {each.item for each in rents}
    if not names:
        return things
    return {
        name: rented(each, rents) if name in names else each
        for name, each in things.items()
    }


def lacking(volume: Volume, figures: Iterable[str]) -> tuple[str, ...]:
    """Return the charges of a volume that rents leave open: a volume is rented at one list.

    Parameters
    ----------
    volume : Volume
    figures : iterable of str
        Those that are stated.
    """
    needed = ["usd_per_gib_month"]
    needed += [
        name
        for name in volume.figures
        if name.startswith("usd_per_iops") or name in FIGURES[VOLUME]
    ]
    stated = set(figures)
    return tuple(
        name
        for name in dict.fromkeys(needed)
        if name not in stated and not name.endswith("_from")
    )
