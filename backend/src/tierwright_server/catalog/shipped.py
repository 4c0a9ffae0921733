"""Names of the core's tables and of the shipped devices and price books."""

from collections.abc import Mapping
from dataclasses import dataclass

from tierwright import catalog
from tierwright.device import Device
from tierwright.prices import PriceBook


@dataclass(frozen=True)
class ShippedCatalog:
    """The devices and price books that come with the application."""

    devices: Mapping[str, Device]
    price_books: Mapping[str, PriceBook]


def load_shipped() -> ShippedCatalog:
    """Read and check the shipped files."""
    return ShippedCatalog(catalog.devices(), catalog.price_books())
