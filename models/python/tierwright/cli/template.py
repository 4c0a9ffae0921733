"""`--template`: what a team asks of every workload, and the options of a command that go before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tierwright.cli.options import candidates_of, rates_of
from tierwright.cli.output import pairs

if TYPE_CHECKING:
    from tierwright.advise.advice.request import Candidates
    from tierwright.advise.advice.template import Template
    from tierwright.hardware.device import Device
    from tierwright.hardware.prices import PriceBook

TemplateFile = Annotated[
    Path | None,
    typer.Option(
        "--template",
        metavar="FILE",
        help="Objective, candidates, limits, price book and months of a team, TOML or JSON; options go before it.",
    ),
]
Months = Annotated[
    int | None,
    typer.Option(
        "--months",
        metavar="N",
        help="Months over which a purchase is spread, and the data grow [default: 36]. [months]",
    ),
]


@dataclass(frozen=True, slots=True)
class Limits:
    """Within which limits and for what is chosen.

    Attributes
    ----------
    constraints : dict
        Limits by name, as stated.
    objective : str
    horizon_months : int
        [months]
    flash, disk : Device or None
        Whose rates count for what states none.
    """

    constraints: dict[str, Any]
    objective: str
    horizon_months: int
    flash: Device | None
    disk: Device | None


@dataclass(frozen=True, slots=True)
class Choices(Limits):
    """What may be bought besides.

    Attributes
    ----------
    candidates : Candidates
    prices : PriceBook or None
        The book that is named, else the default one; None where none is wanted.
    names_book : bool
        Whether a book is named, or none is wanted.
    """

    candidates: Candidates
    prices: PriceBook | None
    names_book: bool

    def prices_text(self) -> str:
        """Say at which prices what may be bought and rented is weighed, and which of them nobody chose."""
        book, kinds = self.prices, self.candidates.kinds
        said = []
        named = ""
        if book is not None:
            date = f" of {book.date}" if book.date else ""
            named = f"price book `{book.id}`{date}"
            if not self.names_book:
                named += " (the default, as none is named: --price-book names another)"
        if "devices" in kinds and book is not None:
            said.append(f"RAM and devices by themselves at {named}")
        if book is None:
            said.append("no price book")
        if any(kind != "devices" for kind in kinds):
            rents = ""
            if book is not None and book.rents:
                it = "it" if said else named
                rents = f", those that {it} states rents of at these"
            said.append(f"whole systems at the list prices that are shipped{rents}")
        return f"Prices: {'; '.join(said)}." if said else ""


def usual_of(template: Path | None) -> Template:
    """Read a template; one that states nothing where none is named.

    Raises
    ------
    BadInput
        As `read_template`.
    """
    from tierwright.advise.advice.template import Template, read_template

    return Template() if template is None else read_template(template)


def limits(
    usual: Template,
    *,
    constraint: Sequence[str] | None,
    objective: str | None,
    months: int | None,
    flash_device: str | None,
    disk_device: str | None,
) -> Limits:
    """Put options of a command before what a template states, and that before what is usual.

    Raises
    ------
    BadInput
        If a device is unknown or its file cannot be read, or a limit has no value.
    """
    from tierwright.hardware.build import DEFAULT_HORIZON_MONTHS

    return Limits(
        {**usual.constraints, **pairs(constraint or (), "--constraint")},
        objective or usual.objective or "usd",
        (usual.horizon_months or DEFAULT_HORIZON_MONTHS) if months is None else months,
        rates_of(flash_device or usual.flash_device_id),
        rates_of(disk_device or usual.disk_device_id),
    )


def choices(
    template: Path | None,
    *,
    candidates: Path | None,
    constraint: Sequence[str] | None,
    objective: str | None,
    price_book: str | None,
    months: int | None,
    flash_device: str | None,
    disk_device: str | None,
) -> Choices:
    """Do as `limits`, and find what may be bought and at which prices.

    Raises
    ------
    BadInput
        If a file cannot be read, or states what is out of its domain.
    """
    from tierwright.advise.advice import named_book
    from tierwright.advise.advice.request import NO_BOOK
    from tierwright.cli.books import book_of

    usual = usual_of(template)
    book = price_book or usual.price_book_id
    if candidates is None and usual.candidates is not None:
        may_buy = usual.candidates
    else:
        may_buy = candidates_of(candidates, book)
    of = limits(
        usual,
        constraint=constraint,
        objective=objective,
        months=months,
        flash_device=flash_device,
        disk_device=disk_device,
    )
    return Choices(
        of.constraints,
        of.objective,
        of.horizon_months,
        of.flash,
        of.disk,
        may_buy,
        named_book(book) if book is None or book == NO_BOOK else book_of(book),
        book is not None,
    )
