"""The bill of one option of an advice, and what each of its rows is in the catalogue."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tierwright.advise.report._document import checked
from tierwright.advise.report._options import (
    EVIDENCE,
    Cell,
    evidence_of,
    safe_cell,
)
from tierwright.advise.report._workbook import stated_row
from tierwright.common.errors import BadInput
from tierwright.hardware import catalog
from tierwright.hardware.parts import parts, vendor_of_device
from tierwright.hardware.servers import servers
from tierwright.hardware.volumes import volumes

OPTIONS = {"recommended": "recommendation", "today": "option_zero"}
"""Options that can be exported, and their keys in an advice."""
PROVIDERS = {
    "aws": "Amazon Web Services",
    "azure": "Microsoft",
    "gcp": "Google Cloud",
}
UNKNOWN_SUPPLIER = "unknown supplier"
_COMPUTE = frozenset({"chassis", "dimm", "cxl"})


class NothingToExport(BadInput):
    """The advice has no such option: no option keeps every limit, or what there is was not stated."""


@dataclass(frozen=True, slots=True)
class Billed:
    """One option of an advice with its bill.

    Attributes
    ----------
    document : mapping
        The advice, checked: its amounts as Decimals.
    option : mapping
    rows : tuple of mapping
        Of the bill; one row of its sums where only these were stated.
    regions : mapping of str to str
        Of instances and volumes that are rented at a price book, by id; all others are rented as shipped.
    """

    document: Mapping[str, Any]
    option: Mapping[str, Any]
    rows: tuple[Mapping[str, Any], ...]
    regions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Sold:
    """What a row of a bill is.

    Attributes
    ----------
    category : str
        Of the services of FOCUS: `Compute`, `Storage` or `Other`.
    provider : str
        Who rents or makes it.
    region, name : str
        As the provider calls them; the region is empty where it has none.
    """

    category: str
    provider: str
    region: str
    name: str


def option_of(document: Mapping[str, Any], option: str = "recommended") -> Billed:
    """Return an option of an advice with its bill.

    Parameters
    ----------
    document : mapping
        Plain data of an advice: `Advice.to_dict()`, or what `tierwright.advise.report.read` returns.
    option : str
        Key of `OPTIONS`.

    Raises
    ------
    NothingToExport
        If the advice has no such option.
    BadInput
        If it is not an advice, or a price is missing.
    """
    found = checked(document, "advice")
    if option not in OPTIONS:
        raise BadInput(
            f"option: `{option}` is not one of {', '.join(OPTIONS)}", "name one of them"
        )
    one = found[OPTIONS[option]]
    if one is None:
        why = (
            "no option keeps every limit"
            if option == "recommended"
            else "what there is was not stated"
        )
        raise NothingToExport(
            f"there is nothing to export: {why}",
            "ask for an advice with other limits, or that states what there is",
        )
    if one["usd_per_month"] is None:
        raise BadInput(
            f"option: a price of `{one['name']}` is missing, so it has no bill",
            "state its price, and ask for the advice again",
        )
    rows = one["bill"] or [stated_row(one)]
    return Billed(found, one, tuple(rows), _regions(document[OPTIONS[option]]))


def identity(row: Mapping[str, Any]) -> str:
    """Return the id of what a row of a bill is of: charges of a volume name it first, `aws-ebs-gp3, IOPS`."""
    head = str(row["what"]).partition(", ")[0]
    return head if head in volumes() else str(row["what"])


def _regions(option: Mapping[str, Any]) -> dict[str, str]:
    config = option.get("config")
    entries = config.get("rent", ()) if isinstance(config, Mapping) else ()
    return {
        str(each.get("instance") or each.get("volume")): str(each["region"])
        for each in (entries if isinstance(entries, (list, tuple)) else ())
        if isinstance(each, Mapping) and each.get("region")
    }


def sold(row: Mapping[str, Any], regions: Mapping[str, str] | None = None) -> Sold:
    """Say what a row of a bill is, by its id in the catalogue, and where it is rented by the `regions` of a `Billed`."""
    name = identity(row)
    stated = (regions or {}).get(name)
    if (server := servers().get(name)) is not None:
        return Sold(
            "Compute",
            PROVIDERS.get(server.provider, server.provider),
            stated or server.region,
            server.name,
        )
    if (volume := volumes().get(name)) is not None:
        return Sold(
            "Storage",
            PROVIDERS.get(volume.provider, volume.provider),
            stated or volume.region,
            volume.name,
        )
    if (part := parts().get(name)) is not None:
        category = "Compute" if part.kind in _COMPUTE else "Storage"
        return Sold(category, part.vendor or UNKNOWN_SUPPLIER, "", part.name)
    if (device := catalog.devices().get(name)) is not None:
        vendor = vendor_of_device(device.id)
        return Sold("Storage", vendor or UNKNOWN_SUPPLIER, "", device.name)
    return Sold("Other", UNKNOWN_SUPPLIER, "", name)


def classed(
    document: Mapping[str, Any],
    headings: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    heading: str = EVIDENCE,
) -> tuple[list[str], list[list[Cell]]]:
    """Add a last column with the class of a curve from counters; as they are where the advice rests on another.

    Parameters
    ----------
    document : mapping
        Plain data of an advice.
    headings, rows : sequence
        Of a table.
    heading : str
        Of that column.
    """
    found = evidence_of(document)
    last = [] if found is None else [found]
    return [*headings, *(heading for _ in last)], [[*row, *last] for row in rows]


def table_csv(headings: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Return a table as CSV: nothing is empty text, and no text is one that a spreadsheet would compute."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(headings)
    writer.writerows([safe_cell(cell) for cell in row] for row in rows)
    return stream.getvalue()
