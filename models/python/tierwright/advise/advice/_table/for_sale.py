"""What may be bought or rented: the devices of the price book, and the configurations that are sold as a whole."""

from __future__ import annotations

from dataclasses import dataclass, fields
from decimal import Decimal
from functools import lru_cache

import numpy as np

from tierwright.advise.advice._table.setting import Setting
from tierwright.advise.advice.request import BOUGHT_ALONE, Candidates
from tierwright.evaluate.advice.limits import Bools
from tierwright.evaluate.advice.tiers import Shelf
from tierwright.evaluate.configurations.columns import Columns, enumerate_configurations
from tierwright.evaluate.configurations.sold import Sold
from tierwright.evaluate.configurations.wanted import Wanted
from tierwright.evaluate.economics import tier_price
from tierwright.hardware import catalog
from tierwright.hardware.device import Device
from tierwright.hardware.parts import vendor_of_device
from tierwright.hardware.prices import Price, PriceBook, own_price
from tierwright.hardware.rents import Rents

CACHES = frozenset({"nvme", "sata_ssd"})


def shelf(prices: PriceBook | None, candidates: Candidates) -> Shelf:
    """Find the devices that are bought by themselves, each with its price.

    Devices that are not named are those that the book prices by their own name: a price of their kind says little of
    one device. Of a device that is named any price will do, its own too. Of the user's own the price that its profile
    states goes before that of its kind, and one without a price is listed without. Without a book there are none.
    """
    found: list[tuple[Device, Price | None]] = []
    if "devices" in candidates.kinds and prices is not None:
        for device in catalog.devices().values():
            if device.kind not in BOUGHT_ALONE or device.sold_as != "device":
                continue
            if not candidates.allows_vendor(vendor_of_device(device.id)):
                continue
            price = prices.price_of(device)
            if candidates.devices is None:
                price = None if price is None or price.device_id is None else price
            elif device.id in candidates.devices:
                price = tier_price(device, prices)
            else:
                continue
            if price is not None and device.capacity_bytes:
                found.append((device, price))
        found += [(device, _price_of_own(device, prices)) for device in candidates.own]
    ram = None if prices is None else prices.find(device_id=None, kind="dram")
    return Shelf(
        ram,
        tuple(found),
        tuple(each for each in found if each[0].kind in CACHES),
    )


def _price_of_own(device: Device, prices: PriceBook) -> Price | None:
    found = prices.price_of(device)
    of_kind = found is None or found.device_id is None
    return (own_price(device) if of_kind else None) or found


def wanted_of(setting: Setting) -> Wanted | None:
    """Say which configurations that are sold as a whole are candidates; None where none are."""
    candidates = setting.candidates
    kinds = tuple(
        kind
        for kind in candidates.kinds
        if kind != "devices" and (kind != "chassis" or candidates.prices_chassis)
    )
    if not kinds:
        return None
    return Wanted(
        data_bytes=setting.data_bytes,
        page_bytes=setting.curve.page_bytes,
        replicas=setting.replicas,
        horizon_months=setting.horizon_months,
        max_machines=max(candidates.max_machines, setting.replicas),
        kinds=kinds,
        reserved_gib=candidates.reserved_gib,
        part_usd=candidates.part_usd,
        usd_per_kwh=candidates.usd_per_kwh,
        watts=candidates.watts,
        pue=candidates.pue,
        rents=() if setting.prices is None else setting.prices.rents,
    )


def columns_of(setting: Setting) -> Columns | None:
    """List the configurations that are sold as a whole, of the candidates."""
    wanted = wanted_of(setting)
    if wanted is None:
        return None
    rented = "chassis" not in wanted.kinds
    listed = _rented(_Rented.of(wanted)) if rented else enumerate_configurations(wanted)
    return allowed_rows(listed, setting.candidates)


@dataclass(frozen=True, slots=True)
class _Rented:
    """What instances and volumes are enumerated for: what their configurations depend on."""

    data_bytes: int
    page_bytes: int
    replicas: int
    horizon_months: int
    max_machines: int
    kinds: tuple[str, ...]
    reserved_gib: Decimal
    rents: Rents

    @classmethod
    def of(cls, wanted: Wanted) -> _Rented:
        return cls(**{each.name: getattr(wanted, each.name) for each in fields(cls)})


@lru_cache(maxsize=4)
def _rented(of: _Rented) -> Columns:
    """List instances and volumes once for questions that differ in their limits: their prices are shipped, or those of a price book."""
    return enumerate_configurations(
        Wanted(**{each.name: getattr(of, each.name) for each in fields(of)})
    )


def allowed_items(sold: Sold, candidates: Candidates) -> tuple[Bools, Bools, Bools]:
    """Which chassis, memory modules and drives are allowed."""
    parts = candidates.parts
    chassis, dimms, drives = (
        np.asarray(
            [
                (parts is None or each.part.id in parts)
                and candidates.allows_vendor(each.part.vendor)
                for each in items
            ],
            dtype=np.bool_,
        )
        for items in (sold.chassis, sold.dimms, sold.drives)
    )
    return chassis, dimms, drives


def allowed_rows(columns: Columns, candidates: Candidates) -> Columns:
    """Keep the rows that consist of what is allowed."""
    keep = np.ones(len(columns), dtype=np.bool_)
    sold = columns.sold
    servers, providers = candidates.servers, candidates.providers
    names = candidates.volumes
    rented = np.asarray(
        [
            (servers is None or each.id in servers)
            and (providers is None or each.provider in providers)
            for each in sold.servers
        ],
        dtype=np.bool_,
    )
    volumes = np.asarray(
        [names is None or each.item.volume.id in names for each in columns.options],
        dtype=np.bool_,
    )
    for index, good in zip(
        (columns.server, columns.volume, columns.chassis, columns.dimm, columns.drive),
        (rented, volumes, *allowed_items(sold, candidates)),
        strict=True,
    ):
        # The last one stands for what has none.
        keep &= np.append(good, True)[index]
    [kept] = np.nonzero(keep)
    return columns if len(kept) == len(columns) else columns.rows(kept)
