"""Prices of an advice for OpenCost and Kubecost: a table of CSV with a node and its volumes by the hour."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal, localcontext
from typing import Any

from tierwright.advise.exports.bill import (
    Billed,
    classed,
    identity,
    option_of,
    table_csv,
)
from tierwright.advise.report._options import Cell
from tierwright.common.errors import BadInput
from tierwright.evaluate.bill import EXACT
from tierwright.evaluate.economics import HOURS_PER_MONTH
from tierwright.hardware.servers import servers
from tierwright.hardware.volumes import volumes

COLUMNS = (
    "EndTimestamp",
    "InstanceID",
    "Region",
    "AssetClass",
    "InstanceIDField",
    "InstanceType",
    "MarketPriceHourly",
    "Version",
)
"""In the order that the reader of OpenCost has them."""
EVIDENCE_COLUMN = "CurveEvidence"
"""Behind these where a curve from counters is behind the advice; a reader by name skips it."""
VERSION = "forecast"
TYPE_LABEL = "metadata.labels.node.kubernetes.io/instance-type"
"""Where a node states its type; the price is matched by it."""
CLASS_FIELD = "spec.storageClassName"
_PLACES = Decimal("1e-9")


def opencost_csv(document: Mapping[str, Any], *, option: str = "recommended") -> str:
    """Return the prices of an option as CSV of OpenCost.

    One row `node`: the price by the hour of one machine, with all that is bought for it spread over the months; and one
    row `pv` for each kind of volume, by the hour and GiB, matched by a storage class of its id.

    Parameters
    ----------
    document : mapping
        Plain data of an advice.
    option : str
        Key of `tierwright.advise.exports.bill.OPTIONS`.

    Raises
    ------
    BadInput
        As `tierwright.advise.exports.bill.option_of`; or if it has no machines.
    """
    billed = option_of(document, option)
    return table_csv(*classed(document, COLUMNS, list(_rows(billed)), EVIDENCE_COLUMN))


def _rows(billed: Billed) -> Iterator[list[Cell]]:
    option = billed.option
    machines = option["machines"]
    if not machines:
        raise BadInput(
            f"advice: `{option['name']}` has no machines", "export another option"
        )
    by_volume: dict[str, Decimal] = {}
    sizes: dict[str, Decimal] = {}
    of_nodes = Decimal(0)
    for row in billed.rows:
        name = identity(row)
        if name in volumes():
            by_volume[name] = by_volume.get(name, Decimal(0)) + row["usd_per_month"]
            if row["kind"] == "capacity":
                sizes[name] = sizes.get(name, Decimal(0)) + Decimal(
                    str(row["quantity"])
                )
        else:
            of_nodes += row["usd_per_month"]
    rented = [row["what"] for row in billed.rows if row["what"] in servers()]
    server = servers()[rented[0]] if rented else None
    kind = (
        server.name
        if server is not None
        else option["server"] or f"advice-{billed.document['advice_id']}"
    )
    region = None if server is None else billed.regions.get(server.id, server.region)
    yield [
        None,
        kind,
        region,
        "node",
        TYPE_LABEL,
        kind,
        _hourly(of_nodes, Decimal(machines)),
        VERSION,
    ]
    for name, usd in by_volume.items():
        # Without a capacity a volume has no price of a GiB.
        if sizes.get(name):
            yield [
                None,
                name,
                None,
                "pv",
                CLASS_FIELD,
                None,
                _hourly(usd, sizes[name]),
                VERSION,
            ]


def _hourly(usd_per_month: Decimal, of: Decimal) -> Decimal:
    with localcontext(EXACT):
        return (usd_per_month / HOURS_PER_MONTH / of).quantize(_PLACES)
