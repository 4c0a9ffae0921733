"""Shapes of imports."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from tierwright.hardware.imports.mapping import MOST_ENTRIES
from tierwright_server.common.schemas import Answer, Body, Name
from tierwright_server.hardware.catalog.schemas import ExchangeRateIn, PriceBookOut

Field_ = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[a-z_]+$")]
ColumnText = Annotated[str, Field(min_length=1, max_length=1000)]
_MAPPING = "What lines, models of drives and SKUs are, as of `POST /quote-rankings`; a model or a SKU is a `part_number`."

_Texts = Annotated[dict[Field_, ColumnText], Field(max_length=40)]
ColumnOf = Annotated[
    _Texts,
    Field(
        description="Of a table of another system: the column that a field of ours is in, by the name of the field."
    ),
]
ValueOf = Annotated[
    _Texts,
    Field(
        description="Of such a table: what a field is in every row, by the name of the field."
    ),
]


class _ImportIn(Body):
    """A file as a request carries it."""

    format: (
        Annotated[str, Field(min_length=1, max_length=20, pattern=r"^[a-z]+$")] | None
    ) = Field(
        default=None,
        description="Its format, as `tierwright import --as` names it; absent: by the beginning of the file.",
    )
    text: Annotated[
        str,
        Field(
            min_length=1,
            description="What it holds, as far as a request may be long; larger files with `tierwright import`.",
        ),
    ]
    encoding: Literal["text", "base64"] = Field(
        default="text",
        description="Of `text`: as it is, or the bytes of a file that is not text (a ZIP archive of saved answers, Parquet) "
        "as Base64.",
    )
    mapping: Annotated[
        list[Any], Field(max_length=MOST_ENTRIES, description=_MAPPING)
    ] = []
    columns: ColumnOf = {}
    values: ValueOf = {}


class FileImportIn(_ImportIn):
    """A file of another system."""

    kind: Literal["quotes", "prices", "inventory"] = Field(
        description="What it holds: quotes or a cart, a price list, or an inventory: outputs of programs of a host, saved answers of Redfish, or a table."
    )
    name: Annotated[
        str,
        Field(
            min_length=1,
            max_length=200,
            description="Named in errors; of an inventory the machine.",
        ),
    ] = "file"


class SkippedRowOut(Answer):
    """A row that was left out."""

    row: str = Field(description="Where it stands in the file.")
    reason: str = Field(description="Why it was left out.")


class PrintedUnitOut(Answer):
    """A unit."""

    printed: str = Field(description="As the file states it.")
    understood: str = Field(description="What it counts as.")


class UnresolvedRowOut(Answer):
    """A row of which nothing states what it is."""

    row: str = Field(description="Where it stands in the file.")
    name: str = Field(description="Its part number or description.")
    reason: str = Field(description="What is not stated.")


class UnmappedOut(Answer):
    """A line or a model of a drive that the mapping does not have."""

    by: dict[str, str] = Field(
        description="What it is recognised by: keys of an entry of the mapping."
    )
    description: str = Field(
        description="What the file calls it; empty where it does not."
    )


class ImportNoteOut(Answer):
    """What to know of the file as a whole."""

    name: str = Field(description="Stable.")
    message: str = Field(description="A sentence.")
    hint: str = Field(description="What to do next; empty where there is nothing.")


class ImportDatesOut(Answer):
    """Days that a file states; null where it does not."""

    published: str | None = Field(description="Of the publication.")
    effective_first: str | None = Field(description="First from which a price applies.")
    effective_last: str | None = Field(description="Last from which a price applies.")
    valid_until: str | None = Field(description="Earliest on which a quote ends.")


class FileImportOut(Answer):
    """What is understood of a file; nothing of it is stored."""

    id: str = Field(
        description="SHA-256 of the content: the same file is the same import."
    )
    format: str = Field(description="Name of the format.")
    format_version: str | None = Field(description="Version that the file states.")
    currency: str | None = Field(
        description="Null where the rows taken have several, or none was taken."
    )
    read: int = Field(description="Rows.")
    taken: int = Field(description="Rows that are taken; the others were left out.")
    skipped: list[SkippedRowOut] = Field(description="Rows left out, the first 1,000.")
    units: list[PrintedUnitOut] = Field(description="Each unit of the rows taken.")
    dates: ImportDatesOut = Field(description="Days that the file states.")
    unresolved: list[UnresolvedRowOut] = Field(
        description="Rows of which nothing in the file states what they are, the first 1,000."
    )
    warnings: list[ImportNoteOut] = Field(description="What to know of the file.")
    unmapped: list[UnmappedOut] = Field(
        description="Lines of quotes and models of drives that the mapping does not have, each once."
    )
    machines: list[dict[str, Any]] = Field(
        description="Of an inventory: groups of equal build, as `tierwright import inventory` shows them."
    )
    have: dict[str, Any] | None = Field(
        description="Of an inventory of one build whose drives the mapping has: what there is, as `have` of `POST "
        "/quote-rankings`; null otherwise."
    )
    have_reason: str = Field(
        description="Why there is no `have`; empty where there is one, and of other imports."
    )


class PriceBookImportIn(_ImportIn):
    """A price list that becomes a price book of your own."""

    name: Name = Field(
        description="Of the book: what changed is said against the last one that was imported under it."
    )
    region: Annotated[
        str,
        Field(
            max_length=80,
            description="Whose prices count; empty: those of all regions, which must then agree.",
        ),
    ] = ""
    exchange_rates: Annotated[list[ExchangeRateIn], Field(max_length=20)] = Field(
        default=[], description="Of currencies other than the US dollar."
    )


class PriceLeftOut(Answer):
    """A price of a list that is not in its book."""

    row: str = Field(description="Where it stands in the file.")
    name: str = Field(description="Its SKU, or its name.")
    reason: str = Field(description="Why it is not in the book.")


class PriceChangeOut(Answer):
    """A price that differs from the book before."""

    what: str = Field(description="Id of the device, or the kind that is priced.")
    before: str = Field(description="Price with its unit; empty where there was none.")
    after: str = Field(description="Price with its unit; empty where there is none.")


class PriceBookImportOut(Answer):
    """The price book of an imported list."""

    price_book: PriceBookOut
    is_new: bool = Field(
        description="False where the same list was imported before: it is that book."
    )
    finding: str = Field(
        description="How many prices are in the book, and what changed."
    )
    left: list[PriceLeftOut] = Field(
        description="Prices of the list that are not in the book, the first 1,000."
    )
    earlier_id: str | None = Field(
        description="Id of the book that was imported under the name before; null where there is none."
    )
    changes: list[PriceChangeOut] = Field(
        description="What changed since that book; empty where there is none."
    )
    skipped: list[SkippedRowOut] = Field(
        description="Rows of the list that could not be read, the first 1,000."
    )
    warnings: list[ImportNoteOut] = Field(
        description="What to know of the list as a whole, such as that it names a next page."
    )


class LineMappingIn(Body):
    """What part numbers, models of drives and SKUs are."""

    line: Annotated[list[Any], Field(max_length=MOST_ENTRIES)] = Field(
        description="Entries as in the file of `--mapping`: what each is recognised by, and `is`."
    )


class LineMappingOut(Answer):
    """The kept mapping."""

    line: list[dict[str, Any]] = Field(description="Its entries.")
    etag: str = Field(description="For `If-Match` of a change.")
    updated_at: datetime | None = Field(
        description="When it was last changed; null while nothing was stated."
    )
