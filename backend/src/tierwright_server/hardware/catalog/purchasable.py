"""What can be bought or rented: servers, volumes, parts, and prices over time."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from pydantic import Field, create_model

from tierwright.common.currency import is_money
from tierwright.hardware import parts, price_history, servers, volumes
from tierwright.hardware.facts import FigureTable
from tierwright_server.common.schemas import Answer, Usd
from tierwright_server.http.paging import holds

Shown = TypeVar("Shown", bound=Answer)


class FactOut(Answer):
    """One stated figure, with its source."""

    value: float = Field(description="The number, in its unit.")
    unit: str
    source: str
    date: str | None
    licence: str = Field(description="Licence of the source, or `facts quoted`.")
    note: str
    estimate: bool = Field(
        description="Whether it is a figure of a class, no single product's."
    )


def states(
    figures: FigureTable, **others: tuple[Any, str]
) -> Callable[[type[Shown]], type[Shown]]:
    """Give a response model one field a figure of a table, null where no source states it.

    Parameters
    ----------
    figures : mapping
        Figure to units and meaning.
    **others : tuple of type and str
        Further fields with their meanings.
    """

    def make(model: type[Shown]) -> type[Shown]:
        fields: dict[str, Any] = {
            name: (kind, Field(description=meaning))
            for name, (kind, meaning) in others.items()
        }
        for name, (units, meaning) in figures.items():
            kind: Any = Usd | None if is_money(name) else float | None
            text = f"{meaning[0].upper()}{meaning[1:]}; null where no source states it."
            fields[name] = (
                kind,
                Field(description=f"{text} [{' or '.join(units)}]"),
            )
        fields["figures"] = (
            dict[str, FactOut],
            Field(description="Each figure by its name, with source, date, licence."),
        )
        made: Any = create_model(
            model.__name__,
            __base__=model.__bases__[0],
            __module__=model.__module__,
            __doc__=model.__doc__,
            **fields,
        )
        return cast("type[Shown]", made)

    return make


_PROVIDER = (str, "aws, azure or gcp.")
_REGION = (str, "Region of the price.")


@states(
    servers.FIGURES,
    id=(str, "Its id."),
    name=(str, "Its name at the provider."),
    provider=_PROVIDER,
    family=(str, "Family of types with the same ratio of RAM to processors."),
    region=_REGION,
    notes=(str, "What to know before using it."),
    latency_of=(
        str,
        "Id of the device whose latencies hold for one local disk; empty where no source states any.",
    ),
    rates_of=(
        str,
        "Id of the device that is the same as one local disk, whose sequential rates hold for it; empty where no source "
        "states any.",
    ),
    local_nvme_gb=(float | None, "All local disks together. [GB]"),
)
class ServerOut(Answer):
    """A cloud instance type."""


@states(
    volumes.FIGURES,
    id=(str, "Its id."),
    name=(str, "Its display name."),
    provider=_PROVIDER,
    kind=(str, "block, object or local."),
    media=(str, "ssd, hdd, nvme or object."),
    region=_REGION,
    notes=(str, "What to know before using it."),
    latency_of=(
        str,
        "Id of the device whose latencies hold for it; empty where no source states any.",
    ),
    throughput_unit=(str, "Unit in which the provider counts throughput."),
)
class VolumeOut(Answer):
    """A kind of cloud volume, or an object store."""


class PartPriceOut(Answer):
    """What one part cost, at one date."""

    usd: Usd = Field(description="Price of one part. [USD]")
    price_kind: str = Field(
        description="contract, spot, retail, list, bulk, index or forecast."
    )
    date: str
    source: str
    licence: str = Field(description="Licence of the source, or `facts quoted`.")
    note: str
    estimate: bool = Field(description="Whether it is an estimate.")
    withdrawn: bool = Field(description="Whether its publisher replaced it.")


@states(
    parts.FIGURES,
    id=(str, "Its id."),
    name=(str, "Its display name."),
    kind=(str, f"{', '.join(parts.KINDS)}."),
    form_factor=(str, "Its form factor; empty where it is unknown."),
    vendor=(str, "Who makes or sells it; empty where no source states it."),
    device=(str, "Id of its device profile; empty where there is none."),
    series=(str, "Id of its price series; empty where there is none."),
    notes=(str, "What to know before using it."),
    capacity_unit=(str, "Unit of the capacity: GiB for memory, GB for drives."),
    price=(
        PartPriceOut | None,
        "Newest price that was paid; null where there is none.",
    ),
    prices=(list[PartPriceOut], "Every dated price found."),
)
class PartOut(Answer):
    """A part that can be bought."""


class PricePointOut(Answer):
    """One price, or one change from quarter to quarter, or both."""

    date: str
    usd_per_gb: Usd | None = Field(
        description="Price of 10^9 bytes; null where only a change is known. [USD/GB]"
    )
    change_percent_low: float | None = Field(
        description="Low end of the change against the quarter before. [%]"
    )
    change_percent_high: float | None = Field(
        description="High end of the change against the quarter before. [%]"
    )
    what: str = Field(description="What was priced.")
    price_kind: str = Field(description="On which market.")
    source: str
    licence: str = Field(description="Licence of the source, or `facts quoted`.")
    note: str
    forecast: bool = Field(description="Whether nobody has paid it yet.")


class PriceSeriesOut(Answer):
    """Prices over time."""

    id: str
    name: str
    kind: str = Field(description=f"{', '.join(price_history.KINDS)}.")
    joinable: bool = Field(
        description="Whether all points are of one product and one market, so that a "
        "line may join them."
    )
    points: list[PricePointOut] = Field(description="In order of date.")


def list_servers(name: str | None, provider: str | None) -> list[ServerOut]:
    """List the shipped servers, all or filtered."""
    return [
        ServerOut.model_validate(each.to_dict())
        for each in servers.servers().values()
        if holds(each.id, name) and provider in (None, each.provider)
    ]


def list_volumes(name: str | None, provider: str | None) -> list[VolumeOut]:
    """List the shipped volumes, all or filtered."""
    return [
        VolumeOut.model_validate(each.to_dict())
        for each in volumes.volumes().values()
        if holds(each.id, name) and provider in (None, each.provider)
    ]


def list_parts(name: str | None, kind: str | None) -> list[PartOut]:
    """List the shipped parts, all or filtered."""
    return [
        PartOut.model_validate(each.to_dict())
        for each in parts.parts().values()
        if holds(each.id, name) and kind in (None, each.kind)
    ]


def list_price_history(name: str | None) -> list[PriceSeriesOut]:
    """List the shipped price series, all or filtered."""
    return [
        PriceSeriesOut.model_validate(each.to_dict())
        for each in price_history.price_history().values()
        if holds(each.name, name)
    ]
