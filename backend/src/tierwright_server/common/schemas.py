"""Shared shapes of requests and answers; bounded quantities are named here once."""

import re
from decimal import Decimal
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    PlainSerializer,
    StringConstraints,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, core_schema

from tierwright.common.parameters import Door, spelled
from tierwright.profile.steady_state import Start

MAX_COUNT = 2**53 - 1
"""The largest whole number that every JSON reader keeps exactly."""

NO_NUL = r"^[^\u0000-\u001f\u007f]*$"


def not_bool(value: Any) -> Any:
    """Refuse true and false where a number is asked: Python counts them as 1 and 0."""
    if isinstance(value, bool):
        raise ValueError("Input should be a number, not true or false")  # noqa: TRY004
    return value


def _spelled(text: str) -> str:
    return spelled(text, Door.API)


Said = Annotated[str, AfterValidator(_spelled)]
"""A text of the core or the models as it is sent: parameters by their words, not marks."""
Hint = Annotated[Said | None, Field(description="What to do next.")]

Identifier = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,99}$"),
    Field(description="Lower-case letters, digits, `.`, `_` and `-`.", examples=["a1"]),
]
FlashMetadata = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,99}(:[0-9A-Za-z./]{1,50})?$"),
    Field(
        description="Preset of `GET /catalog/flash-metadata`; for a fragment cache, "
        "with the size of the volume behind it. `stated:32B/8KiB` states what an entry takes of "
        "a cache without a preset, for each such unit of flash; `stated:32B` for each page of "
        "the workload.",
        examples=["face", "sce:2TiB", "stated:32B/8KiB"],
    ),
]
Name = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True, min_length=1, max_length=200, pattern=NO_NUL
    ),
    Field(description="A name to show, on one line."),
]
ShortText = Annotated[str, StringConstraints(max_length=500, pattern=NO_NUL)]
OptionText = Annotated[
    str, StringConstraints(min_length=1, max_length=100_000, pattern=NO_NUL)
]
"""The value of an option of a replay, alone or with its name: an assignment names as many categories as are told apart."""
LongText = Annotated[str, StringConstraints(max_length=4000, pattern=r"^[^\u0000]*$")]
Count = Annotated[int, Field(ge=0, le=MAX_COUNT)]
FlashCaches = Annotated[list[Identifier], Field(max_length=32)]
"""Names of flash caches that the core replays."""
FlashCacheOptions = Annotated[
    list[OptionText],
    Field(
        max_length=64,
        description="Options of these flash caches: `name=value` for all that have the option, `cache:name=value` for one.",
    ),
]
Pages = Annotated[
    int,
    Field(
        strict=True, ge=0, le=MAX_COUNT, description="A size in pages of the workload."
    ),
]
PageBytes = Annotated[
    int,
    Field(strict=True, ge=512, le=2**24, description="Size of one page. [bytes]"),
]
SizeBytes = Annotated[int, Field(ge=0, le=MAX_COUNT, description="A size. [bytes]")]
Micros = Annotated[float, Field(description="A time. [µs per access]")]
WarmUp = Annotated[
    Annotated[int, Field(strict=True, ge=0, le=MAX_COUNT)]
    | Annotated[float, Field(strict=True, gt=0, lt=1)],
    Field(
        description="Accesses at the beginning of the trace that are replayed and not "
        "counted, as a whole number, or as a share of all accesses between "
        "0 and 1. 0: all are counted.",
        examples=[0, 100000, 0.5],
    ),
]
StatedRateInQuery = Annotated[float, Field(gt=0, le=1e12, allow_inf_nan=False)]
StatedRate = Annotated[StatedRateInQuery, Field(strict=True)]
"""Page accesses per second. [1/s]"""
SweepWarmUp = Annotated[
    WarmUp | Literal["full"],
    Field(
        description="Accesses at the beginning of the trace that are replayed and not "
        "counted, as a whole number, or as a share of all accesses between "
        "0 and 1. 0: all are counted. `full`: of each replay those up to the access that "
        "fills its flash, or its cache where it has no flash; a replay whose cache is "
        "never full fails.",
        examples=[0, 100000, 0.5, "full"],
    ),
]
Share = Annotated[float, Field(ge=0, le=1, description="A share between 0 and 1.")]
Months = Annotated[
    int,
    Field(
        strict=True,
        ge=1,
        le=600,
        description="Time over which a purchase is paid. [months]",
    ),
]

_MONEY_PATTERN = r"^-?\d+(\.\d+)?$"
Usd = Annotated[
    Decimal,
    PlainSerializer(lambda value: format(value, "f"), return_type=str),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": _MONEY_PATTERN,
            "description": "US dollars as a decimal string, never rounded on the way.",
            "examples": ["12.50"],
        }
    ),
]
_MONEY_IN = re.compile(r"[0-9]{1,9}(\.[0-9]{1,12})?")


def _plain_decimal(value: Any) -> Any:
    """Refuse what Python reads as a Decimal and nobody writes as an amount: `1_0`, ` 5 `."""
    if isinstance(value, str) and not _MONEY_IN.fullmatch(value):
        raise ValueError(
            "Input should be an amount such as 12.50: at most 9 digits, a point, 12 digits"
        )
    return not_bool(value)


UsdIn = Annotated[
    Decimal,
    BeforeValidator(_plain_decimal),
    Field(ge=0, le=10**9, max_digits=24, decimal_places=12),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "minimum": 0, "maximum": 1e9},
                {"type": "string", "pattern": r"^\d{1,9}(\.\d{1,12})?$"},
            ],
            "description": "US dollars: a decimal string, or a number.",
        }
    ),
]
"""Money comes in as a decimal string or a number and goes out as a string."""


class Answer(BaseModel):
    """Base of every answer."""

    model_config = ConfigDict(
        from_attributes=True,
        json_schema_serialization_defaults_required=True,
    )

    @classmethod
    def showing(cls, source: object, **said: Any) -> Self:
        """Show what the models answered: its fields of the same name, and what is said besides."""
        same = (name for name in cls.model_fields if name not in said)
        return cls.model_validate({name: getattr(source, name) for name in same} | said)


def _number(value: Any) -> Any:
    if isinstance(value, str | bytes):
        raise ValueError("Input should be a number, not text")  # noqa: TRY004
    return not_bool(value)


def _whole_number(value: Any) -> Any:
    number = _number(value)
    if isinstance(number, float) and number.is_integer() and abs(number) <= MAX_COUNT:
        return int(number)
    return number


def _as_written(schema: Any) -> Any:
    """Let every number of a schema be read as JSON writes it, never from text or true.

    A whole number may be written `1000.0` or `1e3`, which JSON does not tell from `1000`.
    """
    if isinstance(schema, list):
        return [_as_written(each) for each in schema]
    if isinstance(schema, tuple):
        return tuple(_as_written(each) for each in schema)
    if not isinstance(schema, dict):
        return schema
    inside = {key: _as_written(each) for key, each in schema.items()}
    if schema.get("type") == "int":
        return core_schema.no_info_before_validator_function(_whole_number, inside)
    if schema.get("type") == "float":
        return core_schema.no_info_before_validator_function(_number, inside)
    return inside


class Body(BaseModel):
    """Base of every request body: unknown keys are refused, numbers are numbers."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[BaseModel], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Read numbers as they are written, whatever the field says besides."""
        schema: CoreSchema = _as_written(handler(source))
        return schema


class StartIn(Body):
    """From which start the counts of a workload are asked for."""

    start: Start = Field(
        default="steady",
        description="`steady`: a system that has run for long, every cache full; "
        "`cold`: a replay of the workload that begins with empty caches. A "
        "given curve always describes a running system.",
    )


class ProblemDetail(Answer):
    """One thing that was wrong with the request."""

    where: str = Field(description="Place, such as `body.ram_pages`.")
    value: Any = Field(default=None, description="The value found there.")
    message: Said


class Problem(Answer):
    """An error (RFC 9457), media type `application/problem+json`."""

    type: str = Field(description="A stable name of this kind of error.")
    title: str
    status: int
    detail: Said
    hint: Hint = None
    errors: list[ProblemDetail] = []
    instance: str | None = Field(
        default=None, description="Id of this occurrence, also in the server's log."
    )


class WarningOut(Answer):
    """Something to know before relying on a figure."""

    name: str
    message: Said
    hint: Hint = None
    could_change_choice: bool | None = Field(
        default=None,
        description="Whether another scheme would be best at the other end of the "
        "uncertainty; absent where no scheme is chosen, or where it is "
        "unknown.",
    )
    effect: str = Field(
        default="",
        description="What the answer would be there, or why that cannot be computed; empty where "
        "only `cautions` say it.",
    )
    about: list[str] = Field(
        default=[],
        description="What it speaks of: ids of devices, of a price book, `trace`, `curve`.",
    )


class CautionOut(Answer):
    """What is not known about an answer, and what the answer would be at the other end of that."""

    code: str = Field(description="Stable name of its kind.")
    about: list[str] = Field(
        description="What it speaks of: ids of devices, of a price book, `trace`, `curve`."
    )
    message: str
    hint: Hint = None
    effect: str = Field(
        description="What the answer would be at the other end of what is not known, or why that "
        "cannot be computed."
    )
    could_change_choice: bool | None = Field(
        description="Whether another choice would be right there; null where that is unknown."
    )
