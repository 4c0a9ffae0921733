"""Shapes of an advice."""

from typing import Annotated, Any, Literal

from pydantic import Field

from tierwright.advise.advice.found import Broken, Point
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    Answer,
    Body,
    CautionOut,
    Identifier,
    Pages,
    Share,
    SizeBytes,
    StartIn,
    Usd,
    UsdIn,
    WarningOut,
)
from tierwright_server.http.steps import DerivationStep
from tierwright_server.questions.bills.schemas import BillIn, BillLineOut
from tierwright_server.replays.analyses.schemas import AnalysisOut

Kind = Literal["instances", "volumes", "chassis", "devices"]
Objective = Literal["usd", "io_time", "pareto"]
Scheme = Literal["none", "exclusive", "lazy", "inclusive"]
ReportForm = Literal["html", "pdf", "xlsx", "csv", "json"]
MOST_NAMES = 500
MOST_MACHINES = 64
MOST_OWN = 20
Above0 = Annotated[float, Field(strict=True, gt=0, le=1e15, allow_inf_nan=False)]
From0 = Annotated[float, Field(strict=True, ge=0, le=1e15, allow_inf_nan=False)]
Amount = Annotated[float, Field(strict=True, ge=0, le=1e6, allow_inf_nan=False)]
Number = Annotated[int, Field(strict=True, ge=0, le=100_000)]
Vendor = Annotated[str, Field(min_length=1, max_length=100)]
Names = Annotated[list[Identifier], Field(min_length=1, max_length=MOST_NAMES)]


class HaveIn(Body):
    """What there is today: always one of the options. Sizes and counts are of all machines together."""

    machines: Annotated[int, Field(strict=True, ge=1, le=100_000)] = Field(
        default=1,
        description="Equal machines, as many as its `bill` is of; absent beside a bill: as many as that states.",
    )
    ram_bytes: SizeBytes = Field(
        description="RAM of all machines for pages, without what the system itself takes, which candidates have besides; "
        "with `reserved_gib` all of it. [bytes]"
    )
    reserved_gib: Amount = Field(
        default=0.0,
        description="What the system takes of the RAM of each machine, where `ram_bytes` is the whole; 0: it is for pages. "
        "[GiB]",
    )
    flash_bytes: SizeBytes = Field(
        default=0, description="Flash that caches; 0 without. [bytes]"
    )
    flash_device_id: Identifier | None = Field(
        default=None, description="What caches; absent: nothing does."
    )
    flash_devices: Number = Field(
        default=0, description="How many of them, a multiple of `machines`."
    )
    disk_device_id: Identifier = Field(description="What holds the data.")
    disks: Annotated[int, Field(strict=True, ge=1, le=100_000)] = Field(
        default=1,
        description="How many of them, a multiple of `machines`, which share them equally.",
    )
    scheme: Scheme = Field(
        default="none", description="Page flow; `none` without a flash cache."
    )
    usd_per_month: UsdIn | None = Field(
        default=None,
        description="What it costs, purchases spread; absent: unknown. [USD/month]",
    )
    purchase_usd: UsdIn | None = Field(
        default=None,
        description="What would have to be paid again; 0 for what is owned, absent: unknown. [USD]",
    )
    bill: BillIn | None = Field(
        default=None,
        description="Body of `POST /bills` in place of the amounts: `machines` as many as there are, `horizon_months` absent, or those of the question.",
    )


class CandidatesIn(Body):
    """What may be bought or rented; all that is priced unless stated."""

    kinds: list[Kind] | None = Field(
        default=None,
        min_length=1,
        max_length=4,
        description="`instances`: the data on local disks of cloud instances; `volumes`: on their block volumes; "
        "`chassis`: on servers built from parts; `devices`: RAM and devices of a price book, bought by themselves. "
        "Absent: those of the lists below, of which `own` adds `devices`; without a list the first three, and with "
        "`price_book_id` all four, unless that is `none`.",
    )
    servers: Names | None = Field(
        default=None, description="Instances that are allowed; absent: all."
    )
    volumes: Names | None = Field(
        default=None, description="Volumes that are allowed; absent: all."
    )
    devices: Names | None = Field(
        default=None, description="Shipped devices that are allowed; absent: all."
    )
    own: (
        Annotated[list[Identifier], Field(min_length=1, max_length=MOST_OWN)] | None
    ) = Field(
        default=None,
        description="Devices of your own, by id, such as measured ones: candidates by themselves beside the shipped "
        "ones. The price is that of the price book by its id, else that of its profile, else that of its kind; one "
        "without a price is among `rejected`.",
    )
    parts: Names | None = Field(
        default=None, description="Parts that are allowed; absent: all."
    )
    providers: Names | None = Field(
        default=None, description="Providers that are allowed; absent: all."
    )
    vendors: (
        Annotated[list[Vendor], Field(min_length=1, max_length=MOST_OWN)] | None
    ) = Field(
        default=None,
        description="Vendors of parts and devices that are bought, as `GET /catalog/parts` states them, case ignored; "
        "absent: all. What states none stays a candidate, and a caution names it.",
    )
    flash_caches: Annotated[list[Identifier], Field(max_length=MOST_NAMES)] | None = (
        Field(
            default=None,
            description="Flash caches, as `GET /simulator` names them, that a check by replay tries on the hardware that page "
            "flow leaves best; absent: all, an empty list: none.",
        )
    )
    max_machines: Annotated[int, Field(strict=True, ge=1, le=MOST_MACHINES)] = Field(
        default=8, description="Most equal machines; at least the copies of the data."
    )
    reserved_gib: Amount = Field(
        default=4.0, description="RAM of each machine for the system itself. [GiB]"
    )
    part_usd: dict[Identifier, UsdIn] = Field(
        default={},
        max_length=MOST_NAMES,
        description="Your prices of parts by id of `GET /catalog/parts`; `chassis` for every chassis: no chassis has "
        "a list price. [USD]",
    )
    machine_usd: UsdIn | None = Field(
        default=None,
        description="Price of one machine without RAM and drives, for devices bought by themselves; absent: left "
        "out. [USD]",
    )
    usd_per_kwh: UsdIn | None = Field(
        default=None,
        description="Price of electricity for what is bought; absent: left out. [USD/kWh]",
    )
    watts: Amount | None = Field(
        default=None,
        description="Power of one bought server; absent: the sum of its parts. [W]",
    )
    pue: Annotated[float, Field(strict=True, ge=1, le=100)] = Field(
        default=1.5, description="Power at the meter over power of the server."
    )


class ConstraintsIn(Body):
    """Limits; sizes and money are of all machines together."""

    peak_busy: Annotated[float, Field(strict=True, gt=0, le=1)] | None = Field(
        default=None,
        description="Largest share of the time for which a device may be busy in the busiest hour; absent: 0.7 where "
        "the rate is known. [1]",
    )
    throughput_accesses_per_s: From0 | None = Field(
        default=None,
        description="Least page accesses per second of all machines at which no device is busier than allowed. [1/s]",
    )
    machines: Number | None = Field(default=None, description="Most machines.")
    ram_bytes: SizeBytes | None = Field(default=None, description="Most RAM. [bytes]")
    flash_bytes: SizeBytes | None = Field(
        default=None, description="Most flash that caches. [bytes]"
    )
    usd_per_month: UsdIn | None = Field(
        default=None, description="Budget of a month, purchases spread. [USD/month]"
    )
    purchase_usd: UsdIn | None = Field(
        default=None, description="Budget of the purchase. [USD]"
    )
    io_time_us_per_access: From0 | None = Field(
        default=None, description="Most I/O time. [µs per access]"
    )
    flash_life_years: From0 | None = Field(
        default=None, description="Least life of flash that is bought. [years]"
    )
    restart_s: From0 | None = Field(
        default=None,
        description="Longest time until RAM serves 95 % of its hits again after a restart. [s]",
    )
    power_watts: From0 | None = Field(
        default=None,
        description="Most power of servers built from parts; unknown of all else. [W]",
    )
    rack_units: From0 | None = Field(
        default=None,
        description="Most rack units of servers built from parts; unknown of all else. [U]",
    )
    response_mean_us: From0 | None = Field(
        default=None, description="Largest mean response time at the peak. [µs]"
    )
    response_p50_us: From0 | None = Field(
        default=None, description="Largest median response time at the peak. [µs]"
    )
    response_p99_us: From0 | None = Field(
        default=None, description="The same of the 99th percentile. [µs]"
    )


class BoughtIn(Body):
    """What may be bought, at which prices and within which limits."""

    candidates: CandidatesIn = Field(
        default=CandidatesIn(), description="What may be bought."
    )
    constraints: ConstraintsIn = Field(
        default=ConstraintsIn(), description="Limits that every option must keep."
    )
    price_book_id: Identifier | None = Field(
        default=None,
        description="Id of the price book; absent: the default one, which the answer names; `none`: without one, so RAM "
        "and devices by themselves are no candidates.",
    )
    horizon_months: Annotated[int, Field(strict=True, ge=1, le=1200)] = Field(
        default=36,
        description="Months over which a purchase is spread, and data grow. [months]",
    )
    flash_device_id: Identifier | None = Field(
        default=None,
        description="Its rates for drives and local disks of flash of which no source states them; absent: such "
        "options are rejected.",
    )
    disk_device_id: Identifier | None = Field(
        default=None, description="The same for hard disks and volumes."
    )


class AdviceIn(BoughtIn, StartIn):
    """What is asked, besides the data and the rates of the workload."""

    have: HaveIn | None = Field(
        default=None, description="What there is today; absent: nothing."
    )
    objective: Objective = Field(
        default="usd",
        description="`usd`: least money a month; `io_time`: least I/O time; `pareto`: the front of both, of which "
        "the cheapest is recommended.",
    )
    accesses_per_s: Above0 | None = Field(
        default=None,
        description="Page accesses of all machines together, mean; the busiest hour of production stays as many times "
        "it. Absent: of production as it was stated, or of the recording. [1/s]",
    )
    dirty_share: Share | None = Field(
        default=None,
        description="Share of the evicted pages that are dirty, for a workload made from a given curve; absent where that "
        "states none: the answer holds for any share, and `ranges` of an option has both ends of what depends on it.",
    )
    new_pages: Pages = Field(
        default=0,
        description="Pages of the recording known to be newly allocated while it ran, at most its distinct pages: what is made "
        "in RAM is not read, so in the steady state their first touches are no misses, and replays leave these reads out. 0: as "
        "the profile states. Refused of a workload that was scaled to production, where they are stated as it is scaled. [pages]",
    )
    seed: Annotated[int, Field(strict=True, ge=0, le=2**31 - 1)] = Field(
        default=0, description="Of what is drawn."
    )
    how_sure: bool = Field(
        default=True,
        description="Whether to compute what inputs that are not known would change, and what each limit costs: "
        "takes several times as long.",
    )


class AdviceBillLineOut(BillLineOut):
    """One charge of an option."""

    usd_per_month: Usd = Field(
        description="Rent, and the purchase spread over the months; the cost of the option is the sum of its rows. "
        "[USD/month]"
    )


@mirrors(
    Point,
    ram_pages="RAM for pages, on the curve of the workload, which is of one of `curve_machines`: where it misses what the "
    "option misses. [pages]",
    flash_pages="Flash that caches, in the same way; 0 without. [pages]",
    flash_device="Id of what caches; null where nothing does.",
    disk_device="Id of what holds the data.",
    flash_devices="Of one machine of the option.",
    disks="Of one machine of the option.",
    machines="Equal machines of the option.",
    curve_machines="Equal machines of the workload.",
    accesses_per_s="Of one machine of the option; null without a rate. [1/s]",
    peak_accesses_per_s="The same in the busiest hour. [1/s]",
    scheme="Page flow; `none` without flash.",
    io_time_us_per_access="By the model, whatever a replay says. [µs]",
    growth_per_year="Of the load, by which flash is worn; 0 without. [1]",
)
class AdvicePointOut(Answer):
    """Where an option stands in other questions of its workload, so that they answer with its figures."""


class AdviceOptionOut(Answer):
    """One way to buy and to run the hierarchy. Sizes and money are of all machines together."""

    name: str = Field(description="What it is, in words.")
    kind: Literal["instances", "volumes", "chassis", "devices", "have", "quotes"] = (
        Field(
            description="What holds the data; `have`: what there is today; `quotes`: what a quote offers."
        )
    )
    machines: int = Field(description="Equal machines.")
    ram_bytes: int
    flash_bytes: int = Field(
        description="Flash that caches before what holds the data; 0 without. [bytes]"
    )
    flash_device: str | None = Field(
        description="What caches; null where nothing does."
    )
    disk_device: str | None = Field(description="What holds the data.")
    flash_devices: int = Field(description="How many devices cache.")
    disks: int = Field(description="How many devices hold the data.")
    server: str | None = Field(
        description="Instance or chassis, of what there is as its `bill` names it; null for devices bought by themselves."
    )
    volumes: list[dict[str, Any]] = Field(
        description="Volumes: `quantity` is that of all machines, sizes and rates are of each volume."
    )
    scheme: str = Field(description="Page-flow scheme; `none` without a flash cache.")
    clean_share: float | None = Field(
        description="Share of RAM for clean pages of a split buffer pool; null where `clean_share_reason` says why. [1]"
    )
    clean_share_gain: float | None = Field(
        description="Share of the I/O time of LRU that the best split saves on the recording; null where that was not "
        "counted. [1]"
    )
    clean_share_reason: str = Field(
        description="Why RAM is not split; empty where it is. Splits are those that `POST /pool-splits` counted of the "
        "buffer of the recording that corresponds."
    )
    clean_share_uncounted_pages: int | None = Field(
        description="RAM of one machine, where `POST /pool-splits` with as many `pages` would tell `clean_share`; null "
        "elsewhere. [pages]"
    )
    admission: str | None = Field(
        description="`cachesack` where a flash cache runs the option behind an assignment of categories; null where all "
        "enters flash that the scheme sends there."
    )
    admission_by: str | None = Field(
        description="What tells these categories apart: `relation`, `size` or `hour`; null without them."
    )
    options: dict[str, Any] = Field(
        description="Of the scheme, as a simulation takes them: the assignment; empty where there is none."
    )
    usd_per_month: Usd | None = Field(
        description="Sum of the rows of `bill`; null where a price is missing. [USD/month]"
    )
    purchase_usd: Usd | None = Field(
        description="Paid at purchase; null where a price is missing. [USD]"
    )
    io_time_us_per_access: float | None = Field(
        description="Busy time of one device of each tier; null where a rate is unknown. [µs]"
    )
    replayed_io_time_us_per_access: float | None = Field(
        description="The same as the replay of the option counts it; null where it was not replayed. [µs]"
    )
    response_mean_us: float | None = Field(
        description="Mean response time of a page access in the busiest hour; null where the rate or the latency of "
        "a device is unknown, or it cannot keep up. [µs]"
    )
    response_p50_us: float | None = Field(description="The same of the median. [µs]")
    response_p99_us: float | None = Field(
        description="The same of the 99th percentile. [µs]"
    )
    response_mean_mean_us: float | None = Field(
        description="Mean response time at the mean rate; null as in the busiest hour. [µs]"
    )
    response_p50_mean_us: float | None = Field(
        description="The same of the median. [µs]"
    )
    response_p99_mean_us: float | None = Field(
        description="The same of the 99th percentile. [µs]"
    )
    on_existing: bool = Field(
        description="Whether a quote runs on machines that there are, whose costs continue and are not in its price."
    )
    without_machine: bool = Field(
        default=False,
        description="Whether it is RAM and devices whose price lacks the machine that they need, as none was stated.",
    )
    response_reason: str = Field(
        description="Why one of these response times is null, and how to get it; empty where none is."
    )
    peak_busy: float | None = Field(
        description="Largest share of the time for which a device is busy in the busiest hour; null where unknown. [1]"
    )
    throughput_accesses_per_s: float | None = Field(
        description="Page accesses of all machines at which the busiest device is as busy as is allowed; null where the "
        "rate or a busy time is unknown, or nothing is ever busy. [1/s]"
    )
    ranges: dict[str, tuple[float | None, float | None]] = Field(
        description="Ends of the figures that depend on which evicted pages are dirty, by their key, where the curve does "
        "not say it: these figures are null then. An end that is null is not known, or there is none. Empty elsewhere."
    )
    flash_life_years: float | None = Field(
        description="Least life of flash that is bought, with the writes growing as the load does where growth is stated; "
        "null where none is written, the provider replaces it, or nothing is known. [years]"
    )
    restart_s: float | None = Field(
        description="Until RAM serves 95 % of its hits again after a restart, at the mean rate, at least; null where "
        "the rate or a read time is unknown. [s]"
    )
    power_watts: float | None = Field(
        description="Of servers built from parts, under load; null where no source states it. [W]"
    )
    rack_units: float | None = Field(
        description="Height of servers built from parts in a rack; null where it is not stated. [U]"
    )
    ram_hit_share: float = Field(
        description="Accesses that RAM serves, those that make a new page among them. [1]"
    )
    flash_hit_share: float = Field(description="Accesses that flash serves. [1]")
    disk_share: float = Field(
        description="Accesses that read from what holds the data. [1]"
    )
    months_until_too_small: float | None = Field(
        description="Until growth breaks the busy share that is allowed; null where the data do not grow or the rate "
        "is unknown. [months]"
    )
    bill: list[AdviceBillLineOut] = Field(
        description="Rows of its bill; one of kind `stated` where its cost was stated as an amount, none where a price is "
        "missing."
    )
    config: dict[str, Any] = Field(
        description="Body of `POST /bills` that bills it to the cent; empty where its cost was stated, or a device has no "
        "price."
    )
    point: AdvicePointOut | None = Field(
        default=None,
        description="Where other questions are asked for it; null where they cannot state its devices, such as a volume "
        "with the rates that it is rented with or a device without a write time, and of several workloads.",
    )


@mirrors(
    Broken,
    constraint="Name of the limit.",
    value="Of the option; null where unknown.",
    limit="The limit; null where it has no value.",
    relaxation="By how much it has to be relaxed; null where that is not possible.",
)
class BrokenOut(Answer):
    """A limit that an option breaks."""


class RejectedOptionOut(Answer):
    """An option that breaks limits."""

    option: AdviceOptionOut = Field(description="The option.")
    constraint: str = Field(description="The first limit that it breaks.")
    value: float | None = Field(description="Of the option; null where unknown.")
    limit: float | None = Field(description="The limit; null where it has no value.")
    relaxation: float | None = Field(
        description="By how much it has to be relaxed; null where that is not possible."
    )
    also: list[BrokenOut] = Field(
        description="Other limits that it breaks: all of them have to be relaxed to admit it."
    )
    text: str = Field(description="The same in words.")


class ShadowOut(Answer):
    """What the best option would be without one limit; of the busy share, at 100 %."""

    constraint: str = Field(description="Name of the limit.")
    usd_per_month: Usd = Field(
        description="Of the option that would be best. [USD/month]"
    )
    io_time_us_per_access: float = Field(description="Of the same. [µs]")
    name: str = Field(description="What it is, in words.")
    without_machine: bool = Field(default=False, description="As of an option.")


class StaircaseStepOut(Answer):
    """What a limit buys from one of its values on."""

    value: float | None = Field(
        description="The tightest limit that the option keeps, in the unit of the constraint; null where it keeps any."
    )
    name: str = Field(description="What it is, in words.")
    scheme: str = Field(description="Its page flow.")
    usd_per_month: Usd = Field(description="What it costs. [USD/month]")
    io_time_us_per_access: float = Field(
        description="Busy time of one device of each tier. [µs]"
    )


class StaircaseOut(Answer):
    """What a limit would buy at every value of it, all other limits as asked: the best choice, by the model."""

    constraint: str = Field(description="Name of the limit.")
    limit: float | None = Field(
        description="As it was asked, in its unit; null where none was."
    )
    steps: list[StaircaseStepOut] = Field(
        description="From the tightest limit on, at most 200. A limit buys the last step that keeps it, and nothing where "
        "none does; empty where `reason` says why."
    )
    tightest_known: float | None = Field(
        description="At tighter limits another option may be the best; null where the steps hold for all."
    )
    loosest_known: float | None = Field(
        description="At looser limits another option may be the best; null where the steps hold for all."
    )
    reason: str = Field(
        description="Why there are no steps; empty where there are. Without `how_sure` no response times are computed for "
        "it."
    )


class VerdictOut(Answer):
    """How good the recommendation is."""

    viable: bool = Field(description="Whether some option keeps every limit.")
    optimality_gap: float | None = Field(
        description="Of the objective, over the candidates: 0 where each was evaluated or left out by a bound. [1]"
    )
    limited_by: str | None = Field(
        description="The limit that costs most; null where none costs anything, or without `how_sure`."
    )
    shadows: list[ShadowOut] = Field(
        description="What each limit that costs something costs."
    )
    text: str = Field(description="In words.")


class InfeasibleOut(Answer):
    """Why no option is left."""

    conflict: list[str] = Field(
        description="Limits that no option keeps together; without any one of them some option keeps the rest."
    )
    text: str = Field(description="In words.")
    heading: str = Field(
        default="",
        description="The limits in short, with their values; empty where the text is as short, and in answers that were "
        "kept before it was stated.",
    )
    more: str = Field(
        default="",
        description="What the text says besides what the heading does: the next step.",
    )


class BarOut(Answer):
    """What one input that is not known does to the answer."""

    about: str = Field(description="The input.")
    low: str = Field(description="Its one end, in words.")
    high: str = Field(description="Its other end, in words.")
    usd_per_month_low: Usd | None = Field(
        description="Of the best option at the one end; null where there is none. [USD/month]"
    )
    usd_per_month_high: Usd | None = Field(
        description="Of the best option at the other end; null where there is none. [USD/month]"
    )
    io_time_us_low: float | None = Field(
        default=None,
        description="Of the best option at the one end where the objective is the I/O time; null where there is none, and "
        "for other objectives. [µs]",
    )
    io_time_us_high: float | None = Field(
        default=None, description="The same at the other end. [µs]"
    )
    best_low: str | None = Field(description="What it is at the one end.")
    best_high: str | None = Field(description="What it is at the other end.")
    changes: bool = Field(description="Whether the recommendation changes at an end.")
    flip: str | None = Field(
        description="The value nearest to the one that was used at which another option is the best, in words; null "
        "where there is none, or without a probability."
    )
    usd_per_month_flip: Usd | None = Field(
        description="Of the best option there. [USD/month]"
    )
    io_time_us_flip: float | None = Field(
        default=None,
        description="Of the same where the objective is the I/O time; null for other objectives. [µs]",
    )


class InformationOut(Answer):
    """What knowing one input is worth."""

    about: str = Field(description="The input.")
    usd_per_month: Usd = Field(
        description="By how much less the best choice is expected to cost if it is known; from 0 to the expected "
        "regret. [USD/month]"
    )
    text: str = Field(description="What to do first, and what that is worth.")


class FigureIntervalOut(Answer):
    """Between which values a figure of the recommendation lies in 90 % of the draws."""

    figure: str = Field(description="Key of the option.")
    low: float = Field(description="Its low end, in the unit of that key.")
    high: float = Field(description="Its high end, in the unit of that key.")


class ConfidenceOut(Answer):
    """How sure the recommendation is."""

    probability_best: float | None = Field(
        description="That it lies within 1 % of the best, of the draws in which one of the options compared keeps every "
        "limit (`none_keeps_share` has the others); null where the data do not allow one, then `reason` says why. [1]"
    )
    expected_regret_usd_per_month: Usd | None = Field(
        description="What it is expected to cost more than the best, of the same draws; null as above, and where money "
        "is not the objective. [USD/month]"
    )
    tornado: list[BarOut] = Field(
        description="What the inputs that are not known do to the answer, the largest first; empty without "
        "`how_sure`."
    )
    value_of_information: list[InformationOut] | None = Field(
        description="What knowing each input is worth, the most first; empty without a probability, null where money is "
        "not the objective."
    )
    reason: str = Field(description="Why there is no probability, or what it rests on.")
    text: str = Field(description="The probability in words; empty without one.")
    headline: str = Field(
        description="The start of `text`: the probability, of which draws it is, and in how many it breaks a limit; "
        "empty without one."
    )
    about_bars: str = Field(
        description="How many inputs were drawn, and how many of them have a bar in `tornado`; empty without a probability, "
        "and where money is not the objective."
    )
    windows: int | None = Field(
        description="Windows of the recording after the warm-up; null without a probability."
    )
    block_windows: int | None = Field(
        description="Consecutive windows that are drawn together. [windows]"
    )
    draws: int | None = Field(
        description="Draws in which one of the options compared keeps every limit, of which probability, regret and "
        "worth are; null without a probability."
    )
    breaks_share: float | None = Field(
        description="Share of all draws in which the recommendation breaks a limit as it is bought, those of "
        "`none_keeps_share` among them; null without a probability. [1]"
    )
    none_keeps_share: float | None = Field(
        description="Share of all draws in which none of the options compared keeps every limit; null without a "
        "probability. [1]"
    )
    more_accesses: int | None = Field(
        description="Accesses to record besides before there is a probability; null where there is one, or it is not "
        "the recording that is missing. [accesses]"
    )
    intervals: list[FigureIntervalOut] = Field(
        description="Of figures of the recommendation as it is bought; empty without a probability."
    )


class CheckedOptionOut(Answer):
    """An option replayed in the reference simulator."""

    option: AdviceOptionOut = Field(description="The option.")
    model: float | None = Field(description="I/O time by the model. [µs per access]")
    simulated: float | None = Field(
        description="The same by the replay; null where it was not replayed. [µs per access]"
    )
    gap: float | None = Field(
        description="Share by which the model differs from the replay; null where it was not replayed, where there is "
        "no model, and where the recording does not fill the RAM: the replay shows first touches alone then, as a "
        "warning says, and the model ranks it. [1]"
    )
    is_beyond_band: bool = Field(
        description="Whether the replay lies outside the known error of the model; false where there is no gap."
    )
    reason: str = Field(
        description="Why it was not replayed, or why there is no gap though it was; empty where there is one."
    )
    band: float | None = Field(
        description="Share by which the two may differ: the known error of the model; null where there is no "
        "gap. [1]"
    )
    warnings: list[WarningOut] = Field(
        description="What its replay says of what it counted."
    )
    flash_life_years: float | None = Field(
        description="Least life of flash that is bought, by what the replay writes; null where none is worn, or nothing "
        "is known. [365 days]"
    )


class CachedOptionOut(Answer):
    """A flash cache replayed on the hardware of an option, beside the page flow that it has there."""

    name: str = Field(description="The flash cache.")
    title: str = Field(description="Its name for people.")
    hardware: str = Field(
        description="The option on whose hardware it was replayed, in words."
    )
    usd_per_month: Usd = Field(description="Of that option. [USD/month]")
    page_flow: str = Field(description="What runs that option by the ranking.")
    page_flow_breaks: list[str] = Field(
        description="Constraints that the option breaks under it, by the model."
    )
    admission: str | None = Field(
        description="`cachesack` where an assignment of categories decides what enters flash."
    )
    admission_by: str | None = Field(
        description="What tells these categories apart: `relation`, `size` or `hour`; null without them."
    )
    assignment: str = Field(description="What it assigns, in words; empty without one.")
    options: dict[str, str] = Field(
        description="All that were in force in its replay, units that shrank with the flash of the replay among them; "
        "empty where it was not replayed."
    )
    io_time_us_per_access: float | None = Field(
        description="By the replay; null where it was not replayed. [µs]"
    )
    page_flow_io_time_us_per_access: float | None = Field(
        description="Of page flow on the same hardware, by its replay. [µs]"
    )
    saving: float | None = Field(
        description="Share of the I/O time of page flow that it saves; below 0 where it takes more. [1]"
    )
    peak_busy: float | None = Field(
        description="Largest busy share of a device in the busiest hour. [1]"
    )
    flash_life_years: float | None = Field(
        description="Null where no flash that is bought is worn, or nothing is known. [365 days]"
    )
    flash_writes_per_access: float | None = Field(
        description="Pages written to flash by an access, metadata included. [1]"
    )
    ram_hit_share: float | None = Field(
        description="Of the accesses, those that make a new page among them. [1]"
    )
    flash_hit_share: float | None = Field(description="Of the accesses. [1]")
    ram_tax_bytes: int | None = Field(
        description="RAM of all machines that its metadata take, which the replay lacks; null where no figure is "
        "published. [bytes]"
    )
    pace: str = Field(
        description="Of what works by the clock: by which factor the times of the recording were multiplied to replay it "
        "at the rate of the workload: one sentence of all rows of which it is true; empty where by none."
    )
    breaks: list[str] = Field(
        description="Constraints that it breaks, or of which a replay knows nothing."
    )
    is_chosen: bool = Field(description="Whether the recommendation runs it.")
    reason: str = Field(description="Why it was not replayed; empty where it was.")
    warnings: list[WarningOut] = Field(
        description="What its replay says of what it counted, and which defaults shrank with its flash."
    )


class WhenStepOut(Answer):
    """A month from which another choice is the best."""

    month: int = Field(description="The first month that is known to have it. [months]")
    month_before: int = Field(
        description="The last month that is known to have the choice before. [months]"
    )
    name: str | None = Field(
        description="What it is; null where no option keeps every limit from then on."
    )
    scheme: str | None = Field(description="Its page flow.")
    usd_per_month: Usd | None = Field(
        description="What it costs at the prices of today. [USD/month]"
    )
    io_time_us_per_access: float | None = Field(
        description="Busy time of one device of each tier. [µs]"
    )


class WhenOut(Answer):
    """When the answer changes with growth."""

    growth_per_year: float = Field(description="Of data and load. [1]")
    months_until_too_small: float | None = Field(
        description="Of the recommendation; null where it never is. [months]"
    )
    steps: list[WhenStepOut] = Field(
        description="Months from which other hardware, another number of machines or another page flow is the best; "
        "empty without `how_sure`."
    )
    asked_until: int = Field(
        description="Last month that was asked; 0 where none was. [months]"
    )
    text: str = Field(description="In words.")
    basis: str = Field(description="What the later months rest on.")


class PriceTrendOut(Answer):
    """How the price of a part of the purchase has moved."""

    kind: str = Field(
        description="Kind of price history: `dram`, `ssd_enterprise`, `ssd`, `hdd`; or `chassis`, `machine`."
    )
    purchase_usd: Usd = Field(description="Part of the purchase. [USD]")
    change_per_year: float | None = Field(
        description="By which share it rose in a year; null where no recent series shows it. [1]"
    )
    series: str | None = Field(
        description="Id of the series of `GET /catalog/price-history`."
    )
    first: str | None = Field(description="Date of the first of its two prices.")
    last: str | None = Field(description="Date of the last of them.")
    first_usd_per_gb: Usd | None = Field(description="The first of them. [USD/GB]")
    last_usd_per_gb: Usd | None = Field(description="The last of them. [USD/GB]")
    quarters: int | None = Field(description="Quarters between the two prices.")


class WaitingOut(Answer):
    """Whether to buy now or to wait."""

    pays: bool | None = Field(
        description="Whether waiting costs less; null where that could not be computed, where the price of the machines "
        "is not known, and where prices of less than a year alone decide it."
    )
    months: int = Field(description="Months of waiting. [months]")
    usd_now: Usd | None = Field(
        description="All that is paid over the horizon, bought now. [USD]"
    )
    usd_later: Usd | None = Field(
        description="The same, bought after waiting, prices moving on. [USD]"
    )
    usd_meanwhile: Usd | None = Field(
        description="Part of what waiting costs more: what there is is paid for meanwhile instead of the choice; below 0 "
        "where that costs less. [USD]"
    )
    usd_by_prices: Usd | None = Field(
        description="The other part: the purchase is paid at the prices of then; below 0 where they fall. [USD]"
    )
    break_even_per_year: float | None = Field(
        description="Change of prices in a year at which both cost as much: waiting pays where they fall by more, or "
        "rise by less. [1]"
    )
    keeps_limits: bool | None = Field(
        description="Whether what there is keeps every limit until then; null where it is not stated."
    )
    trends: list[PriceTrendOut] = Field(
        description="Of what the purchase consists of, the largest part first."
    )
    text: str = Field(description="In words.")


class ContinuousOut(Answer):
    """The least that RAM, flash and disks would cost if they were sold in any size: a bound, not a purchase."""

    ram_bytes: int = Field(description="RAM of all machines. [bytes]")
    flash_bytes: int = Field(description="Flash that caches; 0 without. [bytes]")
    flash_device: str | None = Field(
        description="At whose price and rates flash caches; null without."
    )
    disk_device: str = Field(description="At whose price and rates the data are held.")
    disks: float = Field(
        description="Devices that hold the data, be they parts of devices. [1]"
    )
    scheme: Scheme = Field(description="Page flow.")
    usd_per_month: Usd = Field(description="What these sizes cost. [USD/month]")
    least_usd_per_month: Usd = Field(
        description="No sizes of these devices cost less. [USD/month]"
    )
    gap: float = Field(
        description="Share of the cost by which any sizes could be cheaper at most. [1]"
    )
    text: str = Field(description="In words.")


class NeighbourOut(Answer):
    """An option with another size, beside the recommendation."""

    name: str = Field(description="What it is, in words.")
    value: float = Field(description="Its size. [bytes, or 1]")
    usd_per_month_more: Usd = Field(
        description="What it costs more; below 0 where it costs less. [USD/month]"
    )
    io_time_us_more: float = Field(
        description="By how much it is slower; below 0 where it is faster. [µs per access]"
    )


class FlatSizeOut(Answer):
    """How far one size of the recommendation may be changed, among options of the same kind and page flow."""

    size: Literal["ram_bytes", "flash_bytes", "machines", "disks"] = Field(
        description="Which size, of all machines together."
    )
    value: float = Field(description="Of the recommendation. [bytes, or 1]")
    low: float = Field(
        description="Least size of the options that are at most 5 % worse. [bytes, or 1]"
    )
    high: float = Field(description="Largest size of them. [bytes, or 1]")
    less: NeighbourOut | None = Field(
        description="The best option with at least a tenth less of it, all other sizes chosen again; null where no "
        "such option keeps every limit."
    )
    more: NeighbourOut | None = Field(
        description="The same with at least a tenth more."
    )
    text: str = Field(description="In words.")


class NextDollarOut(Answer):
    """A step along the front: what more money buys."""

    name: str = Field(description="What it is, in words.")
    scheme: str = Field(description="Its page flow.")
    usd_per_month_more: Usd = Field(
        description="What it costs more than the step before. [USD/month]"
    )
    io_time_us_saved: float = Field(
        description="By how much it is faster than the step before. [µs per access]"
    )
    usd_per_month_per_us: Usd = Field(description="Both divided. [USD/month/µs]")


class NextDollarsOut(Answer):
    """What the next dollar buys, and those after it."""

    steps: list[NextDollarOut] = Field(
        description="From the recommendation on, each the most time for its money; at most 5."
    )
    text: str = Field(description="In words.")


class AdviceScenarioOut(Answer):
    """One way in which things may turn out."""

    name: str = Field(description="Its key.")
    title: str = Field(description="In a few words.")
    definition: str = Field(description="What is different.")
    best: str | None = Field(
        description="The best of all candidates there; null where none keeps every limit."
    )
    best_usd_per_month: Usd | None = Field(description="What it costs. [USD/month]")
    best_io_time_us: float | None = Field(description="Its I/O time. [µs per access]")


class RegretOut(Answer):
    """What a choice costs in one scenario."""

    usd_per_month: Usd = Field(description="What it costs there. [USD/month]")
    breaks: list[str] = Field(
        description="Limits that it breaks there; the best is bought instead."
    )
    regret_usd_per_month: Usd | None = Field(
        description="What it costs more than the best there, or what is lost of its purchase where it breaks a limit; "
        "null where nothing keeps every limit, that purchase is not stated, or I/O time is to be least. [USD/month]"
    )
    regret_io_time_us: float | None = Field(
        description="By how much it is slower than the best there; null where money is to be least, or a limit is "
        "broken. [µs per access]"
    )
    reason: str = Field(description="Why no regret is known; empty where one is.")


class AdviceScenarioRowOut(Answer):
    """A choice in every scenario."""

    name: str = Field(description="What it is, in words.")
    scheme: str = Field(description="Its page flow.")
    alike: list[str] = Field(
        description="Other page flows on the same hardware that break the same limits and are as fast in every scenario "
        "within the known error of the flash hits."
    )
    title: str = Field(description="Its name and page flows, in words.")
    role: Literal["recommended", "close", "today", "scenario"] = Field(
        description="What it is in the advice; `scenario`: the best of a scenario."
    )
    is_rented: bool = Field(
        description="Whether it is rented without commitment: where it breaks a limit it is exchanged, and loses nothing "
        "but the time until then."
    )
    regret: list[RegretOut] = Field(description="In the order of `columns`.")
    most_regret_usd_per_month: Usd | None = Field(
        description="The largest that is known; null where one depends on a purchase that is not stated. [USD/month]"
    )
    most_regret_io_time_us: float | None = Field(
        description="The largest that is known. [µs per access]"
    )
    is_robust: bool = Field(
        description="Whether its largest regret is the least of those that keep every limit today, and none of these "
        "breaks a limit in fewer scenarios."
    )


class AdviceScenariosOut(Answer):
    """What the choices cost in several scenarios, and the robust one."""

    columns: list[AdviceScenarioOut] = Field(description="The present first.")
    rows: list[AdviceScenarioRowOut] = Field(description="The recommendation first.")
    robust: str | None = Field(
        description="The choice with the least largest regret; null where no choice keeps every limit today, or another "
        "that does breaks a limit in fewer scenarios."
    )
    text: str = Field(description="In words.")
    basis: str = Field(description="What the regret is of.")


class RuleOfThumbOut(Answer):
    """What a rule of thumb would have bought here."""

    name: str = Field(description="Its key.")
    title: str = Field(description="The rule in words.")
    ram_bytes: float | None = Field(description="What it asks for. [bytes]")
    flash_bytes: float | None = Field(description="What it asks for. [bytes]")
    option: AdviceOptionOut | None = Field(
        description="The best option that is at least as large and keeps every limit; null where there is none."
    )
    regret_usd_per_month: Usd | None = Field(
        description="What it costs more than the recommendation. [USD/month]"
    )
    regret_io_time_us: float | None = Field(
        description="By how much it is slower. [µs per access]"
    )
    reason: str = Field(description="Why there is no option; empty where there is one.")


class AdviceCheckOut(AnalysisOut):
    """Replays of the finalists of an advice, which a job makes."""

    replays: int = Field(
        description="How many replays the finalists need; 0 while requests are counted by category, for assignments."
    )


class AdviceQuestionOut(Answer):
    """What an advice was asked, as far as the answer does not state it elsewhere."""

    candidates: str = Field(
        description="Text of a JSON file that states the candidates, amounts in US dollars."
    )
    accesses_per_s: float | None = Field(
        description="Rate that goes before that of the workload; null where that counts. [1/s]"
    )
    flash_device: str | None = Field(
        description="Id of the device for drives without rates of their own."
    )
    disk_device: str | None = Field(
        description="Id of the device for disks and volumes without rates of their own."
    )
    start: Literal["steady", "cold"] = Field(description="Start of the curve.")
    is_scaled: bool = Field(
        description="Whether the workload was scaled to production."
    )
    growth_per_year: float | None = Field(
        default=None,
        description="Growth of the data and the load, 0 where they do not grow; null in answers that were kept before it was "
        "stated. [1/year]",
    )
    pool_split: bool | None = Field(
        default=None,
        description="Whether splits of the buffer pool were counted; null in answers that were kept before it was stated.",
    )
    new_pages: int | None = Field(
        default=None,
        description="Pages of the recording that were stated to be newly allocated; null in answers that were kept before "
        "they were stated. [pages]",
    )


class AdviceOut(Answer):
    """What to buy and how to run it: one answer with its reasons, its alternatives and how sure it is."""

    workload_id: str
    decision: str = Field(
        default="",
        description="What to buy and what it costs against today, or why nothing can be bought; `finding` begins with it. Empty "
        "in answers that were kept before it was told apart.",
    )
    because: str = Field(
        default="",
        description="Why it, and what is assumed for it; where nothing is recommended, what would be enough. `finding` continues with it.",
    )
    reservations: list[str] = Field(
        default_factory=list,
        description="The sentences of `because` that say in short what a caution says in full: what of the recommendation does not "
        "last, and what is best of what does.",
    )
    advice_id: str = Field(description="Hash of all that was asked.")
    status: Literal["model", "checked"] = Field(
        description="`checked` where options were replayed."
    )
    objective: Objective = Field(description="What was asked to be least.")
    constraints: dict[str, str] = Field(
        description="Limits that were applied, as decimals."
    )
    finding: str
    evaluated: int = Field(description="Options evaluated.")
    pruned: int = Field(
        description="Options that bounds on cost and I/O time left out before they were evaluated: none of them can "
        "be recommended, stand among the alternatives or on the front. 0 for up to 1,000,000 servers built from parts."
    )
    suitable: int = Field(
        description="Of the evaluated ones, those that keep every limit but those of response times; 0 where none keeps "
        "these too."
    )
    recommendation: AdviceOptionOut | None = Field(
        description="Null where no option keeps every limit."
    )
    verdict: VerdictOut = Field(description="How good it is.")
    option_zero: AdviceOptionOut | None = Field(
        description="What there is today; null where it was not stated."
    )
    saving_usd_per_month: Usd | None = Field(
        description="Of the recommendation against what there is; null where either cost is unknown, or the "
        "recommendation is `on_existing` or `without_machine`. [USD/month]"
    )
    alternatives: list[AdviceOptionOut] = Field(
        description="The best of each other kind, the best first, and what there is."
    )
    pareto: list[AdviceOptionOut] = Field(
        description="Options that no other beats in money and I/O time, the cheapest first; at most 40."
    )
    pareto_in_all: int = Field(description="How many they are.")
    rejected: list[RejectedOptionOut] = Field(
        description="The best of each server, device and scheme that breaks a limit, for `io_time` the one nearest to what "
        "it breaks; at most 200."
    )
    rejected_counts: dict[str, int] = Field(
        description="Options by the first limit that they break."
    )
    infeasible: InfeasibleOut | None = Field(
        description="Null where some option keeps every limit."
    )
    confidence: ConfidenceOut = Field(description="How sure it is.")
    checked: list[CheckedOptionOut] = Field(description="Options that were replayed.")
    flash_caches: list[CachedOptionOut] = Field(
        default=[],
        description="Flash caches that were replayed on the hardware of the recommendation, and on what page flow cannot carry, the fastest of each first.",
    )
    beyond_page_flow: int = Field(
        default=0,
        description="Kinds of hardware, at most 3, that would be better than the best by the model and break under page "
        "flow alone what a flash cache may keep: a check replays flash caches there too.",
    )
    near_misses: int = Field(
        default=0,
        description="Options that would be better than the best by the model and break a limit by less than the model may "
        "be off, of the best 50 of them: a check replays these too.",
    )
    near_misses_replayed: int = Field(
        default=0,
        description="Options that break a limit by less than the model may be off and were replayed, besides the one that "
        "stands in `checked` because its replay admits it.",
    )
    when: WhenOut | None = Field(description="Null where the data do not grow.")
    waiting: WaitingOut | None = Field(
        description="Null where nothing is recommended, what there is stays, or without `how_sure`."
    )
    flat: list[FlatSizeOut] = Field(
        description="How far each size of the recommendation may be changed."
    )
    continuous: ContinuousOut | None = Field(
        description="The least cost of sizes that need not be things to buy; null where RAM and devices of a price book "
        "are no candidates, the rate is unknown, money is not the objective, a limit besides `peak_busy` is stated, or "
        "how sure the answer is was not asked for."
    )
    next_dollar: NextDollarsOut | None = Field(
        description="Null where nothing is recommended."
    )
    scenarios: AdviceScenariosOut | None = Field(
        description="Null where nothing is recommended, a replay decided against the model, or without `how_sure`."
    )
    rules_of_thumb: list[RuleOfThumbOut] = Field(
        description="What common rules would have bought here."
    )
    staircases: list[StaircaseOut] = Field(
        description="Of every constraint, what it would buy at every value of it, all others as asked; empty where a "
        "replay decided against the model."
    )
    data_bytes: int = Field(description="One copy of the data that is held. [bytes]")
    accesses_per_s: float | None = Field(
        description="Mean rate of all machines; null where it is unknown. [1/s]"
    )
    peak_accesses_per_s: float | None = Field(
        description="Rate of the busiest hour; null where it is unknown. [1/s]"
    )
    horizon_months: int = Field(description="Months of the totals. [months]")
    question: AdviceQuestionOut | None = Field(
        default=None,
        description="What was asked besides, so that it can be asked again; null in answers that were kept before it was stated.",
    )
    versions: dict[str, str] = Field(
        description="Of the models and the price book, and the seed."
    )
    estimator: str
    validity: str
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    derivation: list[DerivationStep] | None
