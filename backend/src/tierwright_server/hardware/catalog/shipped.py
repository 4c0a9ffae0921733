"""Names of the core's tables and of the shipped devices and price books."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tierwright.hardware import catalog
from tierwright.hardware.device import Device
from tierwright.hardware.prices import PriceBook
from tierwright_server.hardware.catalog.schemas import DeviceOut


@dataclass(frozen=True)
class ShippedCatalog:
    """The devices and price books that come with the application.

    Attributes
    ----------
    devices, price_books : mapping
        By id.
    shown : dict
        Answers about devices, by id and page size, kept by the service.
    """

    devices: Mapping[str, Device]
    price_books: Mapping[str, PriceBook]
    shown: dict[tuple[str, int | None], DeviceOut] = field(default_factory=dict)


def load_shipped() -> ShippedCatalog:
    """Read and check the shipped files."""
    return ShippedCatalog(catalog.devices(), catalog.price_books())
