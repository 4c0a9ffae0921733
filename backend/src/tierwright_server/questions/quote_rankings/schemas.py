"""Shapes of a ranking of quotes."""

from typing import Annotated, Any, Literal

from pydantic import Field

from tierwright.advise.quote_ranking.caution import QuoteCaution
from tierwright.advise.quote_ranking.switching import SwitchEnd
from tierwright.advise.report.committee import SentBack
from tierwright.hardware.imports.mapping import MOST_ENTRIES
from tierwright.hardware.imports.offers import Unreadable
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    Answer,
    Body,
    CautionOut,
    Identifier,
    Share,
    StartIn,
    Usd,
    WarningOut,
)
from tierwright_server.hardware.catalog.schemas import ExchangeRateIn
from tierwright_server.hardware.imports.schemas import ColumnOf, ValueOf
from tierwright_server.jobs.runs.schemas import RunOut
from tierwright_server.questions.advice.schemas import (
    Above0,
    AdviceOptionOut,
    Amount,
    BrokenOut,
    ConstraintsIn,
    HaveIn,
    Objective,
)
from tierwright_server.questions.point_schemas import CurveClass

MOST_AT_ONCE = 100
"""Quotes that are ranked while the client waits."""
MOST_QUOTES = 2000
"""Quotes of one request."""
MOST_FILES = 20
MOST_RATES = 50


class QuoteFileIn(Body):
    """A file of quotes, as `tierwright import quotes` reads it."""

    name: Annotated[
        str,
        Field(
            min_length=1,
            max_length=200,
            description="Named in errors; the id of a cart that states none, where there are several files.",
        ),
    ] = "file"
    format: Literal["csv", "json", "oci", "cxml"] | None = Field(
        default=None, description="Its format; absent: by the beginning of the file."
    )
    text: Annotated[str, Field(min_length=1, description="What it holds.")]
    columns: ColumnOf = {}
    values: ValueOf = {}


class QuoteRankingIn(StartIn, Body):
    """Quotes, and what they are for."""

    workload_id: Identifier
    files: Annotated[
        list[QuoteFileIn],
        Field(
            max_length=MOST_FILES,
            description="Files of quotes, in place of `quotes`: own CSV and JSON, forms of OCI, cXML.",
        ),
    ] = []
    quotes: Annotated[
        list[Any],
        Field(
            max_length=MOST_QUOTES,
            description="Each an object with `quote_id`, `supplier`, `currency`, `valid_until` (YYYY-MM-DD), "
            "`lead_time_days` and `lines`; a line has `kind` (`device`, `server`, `instance`, `volume`, `part`, `tax` or "
            "`shipping`), `item` (an id of the catalogue), `part_number`, `manufacturer`, `manufacturer_part_number`, "
            "`description`, `unspsc`, `quantity`, `unit` (such as `EA`, `HUR` or `MON`), `price` and `price_per`. What is "
            "wrong with one quote leaves that one out alone, as `unreadable`. Up to 100 are ranked at once, "
            "up to 2,000 by a run; more of them with `tierwright quotes rank`.",
        ),
    ] = []
    constraints: ConstraintsIn = Field(
        default=ConstraintsIn(), description="Limits that every quote must keep."
    )
    have: HaveIn | None = Field(
        default=None,
        description="What there is today, which is ranked as `do_nothing`; absent: doing nothing is not ranked.",
    )
    objective: Objective = Field(
        default="usd",
        description="`usd` and `pareto`: least money a month first; `io_time`: least I/O time.",
    )
    horizon_months: Annotated[int, Field(strict=True, ge=1, le=1200)] = Field(
        default=36,
        description="Months over which a purchase is spread, and data grow. [months]",
    )
    reserved_gib: Amount = Field(
        default=4.0,
        description="RAM of each machine of a quote for the system itself. [GiB]",
    )
    flash_device_id: Identifier | None = Field(
        default=None,
        description="Its rates for drives and local disks of flash of which no source states them; absent: such "
        "quotes are rejected.",
    )
    disk_device_id: Identifier | None = Field(
        default=None, description="The same for hard disks and volumes."
    )
    accesses_per_s: Above0 | None = Field(
        default=None,
        description="Page accesses of all machines together, mean; the busiest hour of production stays as many times "
        "it. Absent: of production as it was stated, or of the recording. [1/s]",
    )
    dirty_share: Share | None = Field(
        default=None,
        description="Share of the evicted pages that are dirty, for a workload made from a given curve; absent: as it is "
        "stated with the curve, else what depends on it is given as ranges.",
    )
    rates: Annotated[
        list[ExchangeRateIn],
        Field(
            max_length=MOST_RATES,
            description="Rates of the currencies of the quotes; a quote in a currency without one is `unreadable`.",
        ),
    ] = []
    mapping: Annotated[
        list[Any],
        Field(
            max_length=MOST_ENTRIES,
            description="What lines are that name no item: objects with `part_number` or `manufacturer_part_number`, "
            "`supplier` and `manufacturer` where they have to be the same too, and `is`, a list of `kind`, `item`, "
            "`quantity` and, of a volume, `size_gib`, `iops` and `mb_per_s`.",
        ),
    ] = []
    day: (
        Annotated[
            str,
            Field(pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"),
        ]
        | None
    ) = Field(
        default=None,
        description="Day on which quotes must be valid, YYYY-MM-DD; absent: today in UTC.",
    )
    seed: Annotated[int, Field(strict=True, ge=0, le=2**31 - 1)] = Field(
        default=0, description="Part of the id of the ranking."
    )


@mirrors(
    QuoteCaution,
    code="Stable name of what is said.",
    hint="What to do next.",
)
class QuoteCautionOut(Answer):
    """What to know of one quote."""


@mirrors(
    SwitchEnd,
    value="In the unit of the input; null where another choice wins at no value that was tried, or at all of them.",
    best="Quote that wins there, `do_nothing`, or null where no option keeps every limit.",
    text="The same in words.",
)
class SwitchEndOut(Answer):
    """Where another choice wins at one end of what the share of dirty pages can be."""


class SwitchOut(Answer):
    """A value of one input at which another choice wins, all else as stated."""

    input: str = Field(
        description="`price` of the chosen quote, `rate` of accesses, or `growth` of the data."
    )
    unit: str = Field(description="`USD/month`, `1/s` or `1/year`.")
    used: float | None = Field(description="The value that was used, in the unit.")
    value: float | None = Field(
        description="The nearest value at which another choice wins; null where none within ten times does, or `ends` has "
        "one of each end."
    )
    best: str | None = Field(
        description="Quote that wins there, `do_nothing`, or null where no option keeps every limit, or `ends` has one of "
        "each end."
    )
    text: str = Field(description="The same in words.")
    ends: list[SwitchEndOut] = Field(
        description="With no dirty page and with as many as possible, where nobody said which evicted pages are dirty and "
        "both differ; else empty."
    )


class RankedQuoteOut(Answer):
    """A quote that keeps every limit."""

    quote_id: str = Field(description="`do_nothing` for what there is today.")
    rank: int = Field(description="From 1, the best first.")
    usd_per_month: Usd = Field(
        description="Rent, and purchases spread over the months. [USD/month]"
    )
    purchase_usd: Usd = Field(description="At purchase. [USD]")
    reasons: list[str] = Field(description="Why it stands there, in sentences.")
    cautions: list[QuoteCautionOut] = Field(description="What to know of it.")
    option: AdviceOptionOut = Field(
        description="The configuration that it is, as in an advice; `bill` has the rows of the quote."
    )
    supplier: str = Field(description="Empty where no line states it.")
    valid_until: str | None = Field(
        description="Last day of its validity, YYYY-MM-DD; null where not stated."
    )
    lead_time_days: int | None = Field(description="Until it is delivered. [days]")


class RejectedQuoteOut(Answer):
    """A quote that breaks a limit: as a rejected option of an advice, and what the quote states of itself."""

    quote_id: str = Field(description="`do_nothing` for what there is today.")
    constraint: str = Field(
        description="The first limit that its best configuration breaks."
    )
    value: float | None = Field(
        description="What it has, in the unit of the limit, `space` in bytes; null where it has no number."
    )
    limit: float | None = Field(
        description="What was stated; null for what no quote can be without."
    )
    relaxation: float | None = Field(
        description="By how much the limit has to be relaxed; null where it cannot be."
    )
    option: AdviceOptionOut | None = Field(
        description="That configuration, as in an advice; null where the quote cannot be one, whatever is stated."
    )
    also: list[BrokenOut] = Field(
        description="Other limits that it breaks: all of them have to be relaxed to admit it."
    )
    text: str = Field(description="The same in words.")
    cautions: list[QuoteCautionOut] = Field(description="What to know of it.")
    supplier: str = Field(description="Empty where no line states it.")
    valid_until: str | None = Field(
        description="Last day of its validity, YYYY-MM-DD; null where not stated."
    )
    lead_time_days: int | None = Field(description="Until it is delivered. [days]")


@mirrors(
    Unreadable,
    index="Its place in `quotes`, from 0.",
    code="Stable name of what is wrong.",
    detail="What is wrong, with the value in backticks.",
)
class UnreadableQuoteOut(Answer):
    """A quote that cannot be ranked."""


class QuoteRankingRunOut(Answer):
    """A ranking that a run makes."""

    ranking_id: str = Field(
        description="Id of the request, by which the ranking is read once it is there; the ranking states its own."
    )
    quotes: int = Field(description="Quotes of the request.")
    run: RunOut | None = Field(
        description="What ranks them; null where it was deleted."
    )


class QuoteRankingOut(Answer):
    """Quotes in the order of the objective."""

    ranking_id: str = Field(
        description="Hash of all that was asked: the same request has the same id, whatever the order of its quotes as long as "
        "each can be read."
    )
    finding: str
    ranked: list[RankedQuoteOut] = Field(
        description="What keeps every limit, the best first."
    )
    rejected: list[RejectedQuoteOut] = Field(description="What breaks a limit, by id.")
    unreadable: list[UnreadableQuoteOut] = Field(
        description="What cannot be ranked, by its place."
    )
    option_zero: AdviceOptionOut | None = Field(
        description="What there is today, as in an advice; null where it was not stated."
    )
    advice_id: str = Field(
        description="Hash of the question that the advisor answered: workload, what there is, limits, configurations."
    )
    objective: Objective = Field(description="What is to be least.")
    horizon_months: int = Field(
        description="Months over which a purchase is spread. [months]"
    )
    versions: dict[str, str] = Field(
        description="Versions of the models and of the inputs, the day and the exchange rates."
    )
    validity: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]


PaperForm = Literal[
    "html", "pdf", "xlsx", "csv", "json", "focus", "opencost", "purchases"
]
Statement = Annotated[str, Field(max_length=2000)]


class StatementsIn(Body):
    """What those who write the paper state beside the answer; it stands in the paper."""

    need: Statement = Field(
        default="",
        description="Why something is to be bought, in the words of the business.",
    )
    uplift_source: Statement = Field(
        default="", description="Who states the growth and the busiest hour, and when."
    )
    today_cost: Statement = Field(
        default="",
        description="Where the stated cost of doing nothing is from; begins with its day: `2026-09-30, invoices`.",
    )
    holds: dict[Identifier, Statement] = Field(
        default={},
        max_length=100,
        description="Why an assumption that could change the choice holds, by its code.",
    )
    validity: dict[Annotated[str, Field(max_length=200)], Statement] = Field(
        default={},
        max_length=100,
        description="Until when a quote holds that does not state it, by its id; begins with the day: `2026-12-31, mail of ACME`.",
    )


class QuotePaperIn(QuoteRankingIn):
    """Quotes, what they are for, and what the paper for approval states."""

    statements: StatementsIn = Field(
        default=StatementsIn(), description="What the paper states beside the answer."
    )


@mirrors(
    SentBack,
    code="Stable name of what is missing.",
    message="What is missing or wrong.",
    hint="What to do next.",
)
class SentBackOut(Answer):
    """One thing that a committee would send the paper back for."""


class ReplaysMadeOut(Answer):
    """All replays that the paper needs are there."""

    made: bool = Field(
        description="Always true: while some are missing, a job is named."
    )


class PaperCheckOut(Answer):
    """What a committee would send the paper back for."""

    advice_id: str = Field(description="Of the advice that the paper is of.")
    ranking_id: str = Field(description="Of the ranking of the same question.")
    finding: str
    status: Literal["model", "checked"] = Field(
        description="Whether replays decided among what was close."
    )
    day: str = Field(description="Of the decision, YYYY-MM-DD.")
    passes: bool = Field(description="Whether nothing is missing.")
    sent_back: list[SentBackOut] = Field(
        description="What is missing, in the order of the paper."
    )
    switching: list[SwitchOut] = Field(
        description="At which price, rate and growth another choice wins."
    )
    open_assumptions: list[str] = Field(
        description="Codes of assumptions that could change the choice, for `statements.holds`."
    )
    without_validity: list[str] = Field(
        description="Ids of the recommended quotes whose files do not state until when they hold, for `statements.validity`."
    )
    evidence: CurveClass = None
