"""Answers that scenarios keep: made when saved, made again when opened, laid side by side."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from fastapi import Request
from pydantic import Field, ValidationError
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import since
from tierwright.advise.since import FigureSince
from tierwright.common.core_errors import SimulatorError
from tierwright.common.errors import TierwrightError
from tierwright_server.common import version
from tierwright_server.common.errors import (
    BadInput,
    NotComputed,
    ServerError,
    of_model,
    simulator_message,
)
from tierwright_server.common.schemas import Answer, ProblemDetail
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.hardware.catalog.schemas import DeviceOut, PriceBookOut
from tierwright_server.http.context import Context
from tierwright_server.scenarios.asks import ASKS, Asks, KeptFigure
from tierwright_server.traces.workloads import service as workloads


class KeptSource(Answer):
    """Something that an answer rests on, with the facts that it had then."""

    kind: Literal["workload", "device", "price book"]
    id: str
    name: str
    facts: dict[str, str]


class KeptAnswer(Answer):
    """The key figures of an answer, and what it rests on."""

    sentences: list[str]
    figures: list[KeptFigure]
    sources: list[KeptSource]


class FigureBeside(Answer):
    """One figure, then and now."""

    ask: str
    name: str
    title: str
    scheme: str | None
    unit: str | None
    before: float | str | None
    now: float | str | None
    changed: bool
    relative: float | None = Field(
        description="(now - before) / before, where both are numbers and the first is not "
        "zero."
    )


class FactChange(Answer):
    """One fact of a device, price book or workload that has changed."""

    kind: Literal["workload", "device", "price book"]
    id: str
    name: str
    fact: str
    before: str | None = Field(description="Absent where it was added later.")
    now: str | None = Field(description="Absent where it was removed later.")


class Comparison(Answer):
    """The kept answer and the current one."""

    unchanged: bool = Field(description="Every figure is unchanged.")
    model_changed: bool
    facts: list[FactChange]
    figures: list[FigureBeside]
    sentence: str


async def answer(
    request: Request, session: AsyncSession, context: Context, asks: Asks
) -> KeptAnswer:
    """Ask everything that a scenario asks, and return what is to be kept.

    Raises
    ------
    ServerError
        If one of the requests cannot be answered; it names which.
    """
    figures, sentences = [], []
    missing: dict[str, NotComputed] = {}
    for name, body in asks.stated().items():
        ask = ASKS[name]
        try:
            found = await ask.answer(request, session, context, body)
        except NotComputed as error:
            # The others are looked up all the same: all that is missing is said at once.
            missing[name] = error
            continue
        except ServerError as error:
            raise _inside(error, name) from error
        except TierwrightError as error:
            raise _inside(of_model(error), name) from error
        except SimulatorError as error:
            message, hint = simulator_message(error)
            raise BadInput(f"body.asks.{name}: {message}", hint=hint) from error
        figures += [_whole(figure) for figure in ask.figures(found)]
        sentences.append(ask.sentence(found))
    if missing:
        name, first = next(iter(missing.items()))
        first.asks = tuple(missing)
        raise _inside(first, name)
    return KeptAnswer(
        sentences=sentences,
        figures=figures,
        sources=await _sources(session, context, asks),
    )


def _inside(error: ServerError, name: str) -> ServerError:
    """Say where in the body of a scenario a request's fault stands."""
    place = f"body.asks.{name}"
    error.detail = f"{place}: {error.detail.removeprefix('body.')}"
    error.errors = [
        ProblemDetail(
            where=f"{place}.{fault.where.removeprefix('body.')}",
            value=fault.value,
            message=fault.message,
        )
        for fault in error.errors
    ]
    return error


def _whole(figure: KeptFigure) -> KeptFigure:
    # JSON has no infinity; a rate without bound is kept as the word.
    if isinstance(figure.value, float) and not math.isfinite(figure.value):
        return figure.model_copy(update={"value": "without bound"})
    return figure


@dataclass(frozen=True)
class Present:
    """The answer as of now, or why there is none."""

    answer: KeptAnswer | None
    reason: str = ""
    to_compute: tuple[str, ...] = ()
    """Requests whose results a job would have to compute first."""


async def present_answer(
    request: Request, session: AsyncSession, context: Context, asks: Mapping[str, Any]
) -> Present:
    """Answer what a scenario asked as of now, or say why that cannot be done."""
    try:
        stated = Asks.model_validate(asks)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return Present(
            None, f"the saved question is no longer valid: {where}: {first['msg']}"
        )
    try:
        return Present(await answer(request, session, context, stated))
    except NotComputed as error:
        return Present(None, error.detail, error.asks)
    except ServerError as error:
        return Present(None, error.detail)


_DEVICES = ("flash_device_id", "disk_device_id", "ram_device_id")


class Catalogue:
    """The facts of all devices and price books as they are now."""

    def __init__(self, devices: list[DeviceOut], books: list[PriceBookOut]) -> None:
        self._devices = {device.id: device for device in devices}
        self._books = {book.id: book for book in books}

    @classmethod
    async def load(cls, session: AsyncSession, context: Context) -> "Catalogue":
        """Load shipped and own ones."""
        devices = await catalog.list_devices(session, context)
        books = await catalog.list_price_books(session, context)
        return cls(devices.items, books.items)

    def source(self, kind: str, identifier: str) -> KeptSource | None:
        """Return a device or price book; None if there is none."""
        if kind == "device" and (device := self._devices.get(identifier)) is not None:
            return KeptSource(
                kind="device", id=device.id, name=device.name, facts=_of_device(device)
            )
        if kind == "price book" and (book := self._books.get(identifier)) is not None:
            return KeptSource(
                kind="price book", id=book.id, name=book.name, facts=_of_book(book)
            )
        return None

    def changes(self, kept: KeptAnswer) -> list[FactChange]:
        """Return what is not as it was when an answer was kept."""
        return [
            change
            for before in kept.sources
            if before.kind != "workload"
            for change in _changes(before, self.source(before.kind, before.id))
        ]


def _of_device(device: DeviceOut) -> dict[str, str]:
    stated = {
        "kind": device.kind,
        "page size": _text(device.page_bytes, "bytes"),
        "queue depth": _text(device.queue_depth, ""),
        **{
            name: _text(figure.value, figure.unit)
            for name, figure in device.figures.items()
        },
    }
    return {name: text for name, text in stated.items() if text}


def _of_book(book: PriceBookOut) -> dict[str, str]:
    prices: dict[str, str] = {}
    for price in book.prices:
        of = price.device_id or price.kind or "all"
        name = f"{of} ({'rent' if price.usd_per_gb is None else 'purchase'})"
        dated = f" ({price.date})" if price.date else ""
        prices[name] = f"{price.usd:f} {price.unit}{dated}"
    for rent in book.rents:
        dated = f" ({rent.date})" if rent.date else ""
        name = f"{rent.instance or rent.volume} ({rent.figure})"
        prices[name] = f"{rent.usd:f} {rent.unit}{dated}"
    return {"date": book.date, **prices}


def _text(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:,.12g} {unit}".rstrip()


def _changes(before: KeptSource, now: KeptSource | None) -> Iterator[FactChange]:
    def change(fact: str, was: str | None, present: str | None) -> FactChange:
        return FactChange(
            kind=before.kind,
            id=before.id,
            name=before.name,
            fact=fact,
            before=was,
            now=present,
        )

    if now is None:
        yield change("", before.name, None)
        return
    for fact in dict.fromkeys([*before.facts, *now.facts]):
        was, present = before.facts.get(fact), now.facts.get(fact)
        if was != present:
            yield change(fact, was, present)


async def _sources(
    session: AsyncSession, context: Context, asks: Asks
) -> list[KeptSource]:
    """Return what the answers rest on, each once."""
    catalogue = await Catalogue.load(session, context)
    named: dict[tuple[str, str], None] = {}
    bodies = [body.model_dump() for body in asks.stated().values()]
    for body in bodies:
        for field in _DEVICES:
            if body.get(field) is not None:
                named["device", body[field]] = None
        if body.get("price_book_id") is not None:
            named["price book", body["price_book_id"]] = None
    found = []
    for workload_id in dict.fromkeys(body["workload_id"] for body in bodies):
        workload, content = await workloads.find_ready(session, workload_id)
        found.append(
            KeptSource(
                kind="workload",
                id=workload.id,
                name=workload.name,
                facts={"content": content.id},
            )
        )
    sources = (catalogue.source(*each) for each in named)
    return [*found, *(source for source in sources if source is not None)]


def compare(before: KeptAnswer, made_by: str, now: KeptAnswer) -> Comparison:
    """Lay the kept answer beside the present one.

    Parameters
    ----------
    before : KeptAnswer
        As it was saved.
    made_by : str
        Version of the models that made it.
    now : KeptAnswer
        Of the same requests, by the present models.
    """
    present = {(each.kind, each.id): each for each in now.sources}
    facts = [
        change
        for source in before.sources
        for change in _changes(source, present.get((source.kind, source.id)))
    ]
    figures = list(_beside(before.figures, now.figures))
    model_changed = made_by != version.VERSION
    return Comparison(
        unchanged=not any(figure.changed for figure in figures),
        model_changed=model_changed,
        facts=facts,
        figures=[FigureBeside.model_validate(each) for each in figures],
        sentence=since.finding(
            figures,
            list(dict.fromkeys(f"{change.kind} {change.name}" for change in facts)),
            (made_by, version.VERSION) if model_changed else None,
        ),
    )


def _beside(before: list[KeptFigure], now: list[KeptFigure]) -> Iterator[FigureSince]:
    def key(figure: KeptFigure) -> tuple[str, str, str | None, str | None]:
        return figure.ask, figure.name, figure.scheme, figure.unit

    first = {key(figure): figure for figure in before}
    second = {key(figure): figure for figure in now}
    for each in dict.fromkeys([*second, *first]):
        one, other = first.get(each), second.get(each)
        known = one or other
        assert known is not None
        was = None if one is None else one.value
        present = None if other is None else other.value
        figure = FigureSince(
            known.ask, known.name, known.title, known.scheme, known.unit, was, present
        )
        yield figure
