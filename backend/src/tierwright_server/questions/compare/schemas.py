"""Shapes of the comparison of schemes at one point."""

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, create_model, model_validator

from tierwright.evaluate.page_flow.terms import COST_TERMS, TERM_NAMES
from tierwright.evaluate.scale.replays import ReplaySizes
from tierwright.profile.steady_state import Start
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import (
    Answer,
    CautionOut,
    FlashCacheOptions,
    FlashCaches,
    Pages,
    StatedRate,
    Usd,
    WarningOut,
)
from tierwright_server.http.steps import DerivationStep
from tierwright_server.questions.point_schemas import (
    CurveClass,
    DevicesUsed,
    DirtyShareOut,
    EvaluationIn,
    PriceBookRef,
    RamBudgetOut,
)


class Decide(StrEnum):
    """What may decide which scheme is best."""

    MODEL = "model"
    REPLAY = "replay"


class EvaluationCheckIn(EvaluationIn):
    """The point, and what is replayed beside the schemes."""

    flash_caches: FlashCaches = Field(
        default=[], description="Flash caches of `GET /simulator` to replay besides."
    )
    flash_cache_options: FlashCacheOptions = Field(default=[])
    accesses_per_s: StatedRate | None = Field(
        default=None,
        description="Rate of the accesses, by which flash wears and at which flash caches that work by the clock are replayed. "
        "Refused of a workload scaled to production, which states that of a machine. Absent: as recorded. [1/s]",
    )


class DecisionIn(EvaluationIn):
    """The point to evaluate, and what decides where the model cannot."""

    new_pages: Pages = Field(
        default=0,
        description="Pages of the workload known to be newly allocated during the "
        "recording, at most its distinct pages: in the steady state their "
        "first touches are growth, neither hits nor misses. Replays and "
        "the check cannot recognise them and count them as misses.",
    )
    decide: Decide = Field(
        default=Decide.MODEL,
        description="`model`: immediate and always the same; where several schemes "
        "could be best, it says so and names the check that decides. "
        "`replay`: where the lead is within the error of the model, the "
        "trace is replayed and decides.",
    )


class _Terms(Answer):
    """Base of the cost terms: a name that no term has is refused, not dropped."""

    @model_validator(mode="before")
    @classmethod
    def _known(cls, terms: Any) -> Any:
        unknown = sorted(set(terms) - set(TERM_NAMES))
        if unknown:
            raise ValueError(f"there is no cost term `{unknown[0]}`")
        return terms


if TYPE_CHECKING:
    CostTerms = _Terms
else:
    CostTerms = create_model(
        "CostTerms",
        __base__=_Terms,
        __doc__="Parts of the I/O time per access. [µs per access]",
        **{
            term.name: (
                float,
                Field(title=term.title, description=f"{term.meaning}. [µs per access]"),
            )
            for term in COST_TERMS
        },
    )


class MoneyPart(Answer):
    """What one tier costs per month, or why that is unknown."""

    part: Literal["ram", "flash", "disk"]
    device_id: str | None
    bytes: int
    usd_per_month: Usd | None
    basis: str | None = Field(description="Price, source, date, and how it is paid.")
    reason: str | None = Field(description="Why there is no price.")


class MoneyOut(Answer):
    """Monthly cost of the tiers."""

    usd_per_month: Usd | None = Field(description="Sum of the parts, if all are known.")
    parts: list[MoneyPart]
    reason: str | None = Field(description="Why there is no sum.")


class EstimatorOut(Answer):
    """How the hit counts were found."""

    name: str
    exact: bool = Field(
        description="Whether it equals a simulation from a cold start; never in the "
        "steady state, which is estimated."
    )
    description: str
    flash_hits_error: tuple[float, float] | None = Field(
        description="Known band of model - simulation of the flash hits, as a share of RAM misses."
    )


class ReplayedOut(Answer):
    """What a replay of this scheme counted, priced with the same service times."""

    accesses: int = Field(description="Counted, without those that warmed the caches.")
    ram_hits: int
    flash_hits: int
    flash_misses: int
    ram_hit_ratio: float
    flash_hit_ratio: float = Field(description="Flash hits per access.")
    miss_ratio: float = Field(description="Accesses that reach the disk, per access.")
    flash_reads: int
    flash_writes: int
    disk_reads: int
    disk_writes: int
    flash_writes_per_access: float
    cost_terms_us_per_access: CostTerms
    io_time_us_per_access: float = Field(description="Sum of the terms.")


class LeastOut(Answer):
    """The numbers that depend on the dirty share, if no evicted page is dirty."""

    flash_writes: float
    disk_writes: float
    cost_terms_us_per_access: CostTerms
    io_time_us_per_access: float
    flash_writes_per_access: float


class SchemeEvaluation(Answer):
    """One page-flow scheme at this point; counts are accesses over the trace.

    Where the dirty share is unknown, these are the numbers with as many dirty pages as can
    be, and `least` has those with none.
    """

    scheme: str
    title: str
    ram_hits: float
    flash_hits: float
    flash_misses: float
    effective_flash_pages: float = Field(
        description="Flash pages that hold what RAM does not. [pages]"
    )
    ram_hit_ratio: float
    flash_hit_ratio: float = Field(description="Flash hits per access.")
    miss_ratio: float = Field(description="Accesses that reach the disk, per access.")
    p_d: float = Field(description="Dirty RAM evictions per RAM miss.")
    p_d_flash: float = Field(description="Dirty flash evictions per flash miss.")
    flash_reads: float = Field(description="Flash page reads over the trace.")
    flash_writes: float = Field(
        description="Flash page writes over the trace, as the formula charges them."
    )
    flash_writes_counted: float = Field(
        description="Flash page writes over the trace as a simulation counts them, "
        "from the requested start."
    )
    flash_writes_cold_start: float | None = Field(
        description="The same where the start is cold, `flash_writes` less the warm-up; absent "
        "in the steady state."
    )
    disk_reads: float = Field(description="Disk page reads over the trace.")
    disk_writes: float = Field(description="Disk page writes over the trace.")
    cost_terms_us_per_access: CostTerms
    io_time_us_per_access: float = Field(description="Sum of the terms.")
    flash_writes_per_access: float
    least: LeastOut | None = Field(
        description="The other end, where the dirty share is unknown; else absent."
    )
    money: MoneyOut
    estimator: EstimatorOut
    replayed: ReplayedOut | None = Field(
        description="Absent where the model decides; the figures of the model stay in "
        "the answer."
    )
    warnings: list[WarningOut]


class OuterBar(Answer):
    """A configuration beside the schemes; it is never the best.

    Where the dirty share is unknown, these are the numbers with as many dirty pages as possible, and
    `least` has those with none.
    """

    name: Literal["no_flash", "all_in_ram", "all_on_flash"]
    title: str
    ram_pages: int
    flash_pages: int
    flash_reads: float = Field(description="Flash page reads over the trace.")
    flash_writes: float = Field(description="Flash page writes over the trace.")
    disk_reads: float = Field(description="Disk page reads over the trace.")
    disk_writes: float = Field(description="Disk page writes over the trace.")
    cost_terms_us_per_access: CostTerms
    io_time_us_per_access: float = Field(description="Sum of the terms.")
    flash_writes_per_access: float
    least: LeastOut | None = Field(
        description="The other end, where the dirty share is unknown; else absent."
    )
    money: MoneyOut
    note: str = Field(
        description="What it does with the disk, and where its figures are a bound."
    )


class OuterOut(Answer):
    """No flash, everything in RAM and everything on flash, at the same workload, devices and prices."""

    bars: list[OuterBar] = Field(
        description="`no_flash` alone where the size of the data is unknown."
    )
    reason: str | None = Field(description="Why the others are missing.")
    sentence: str = Field(
        description="Where the best scheme stands between them, in words."
    )


class DevicesNeededOut(Answer):
    """The least devices with which one configuration carries the load."""

    name: str = Field(description="Of the scheme, or of the configuration beside them.")
    flash_devices: int = Field(description="At least; 0 where it has none.")
    disks: int = Field(description="At least; 0 where it has none.")
    flash_busy: float = Field(
        description="Busy share if there were one flash device; above 1 one is too few. [1]"
    )
    disk_busy: float = Field(description="The same of one disk. [1]")
    money: MoneyOut = Field(
        description="RAM of its size, whole devices, or as many volumes."
    )


class AtLoadOut(Answer):
    """How many devices the rate of production takes, on each machine."""

    accesses_per_s: float = Field(
        description="Page accesses of one machine: in the busiest hour where it is known, else the mean. [1/s]"
    )
    of_peak: bool = Field(description="Whether that is the busiest hour.")
    machines: int = Field(description="Equal machines, each with these devices.")
    configurations: list[DevicesNeededOut] = Field(
        description="The schemes, then the configurations beside them."
    )
    sentence: str = Field(
        description="What the best scheme, no flash and everything on flash need, in words."
    )
    verdict: str = Field(
        description="Which of these costs least, in words; empty where a price is not known."
    )


class MarginOut(Answer):
    """By how much the best scheme wins."""

    us_per_access: float
    relative: float = Field(description="Share of the runner-up's I/O time saved.")
    relative_to_none: float = Field(
        description="Share of the I/O time without flash that the best saves."
    )


class CheckOut(Answer):
    """The replay that decides what the model cannot."""

    simulation_id: str
    href: str = Field(
        description="Address of the check once it was requested: by this question with "
        "`decide: replay`, or by `POST /api/v1/simulations` with its "
        "point."
    )
    contenders: list[str] = Field(
        description="Schemes that could be best within the errors of the model."
    )
    expected_s: float = Field(
        description="How long the replay is expected to take; 0 where it is known. [s]"
    )


@mirrors(
    ReplaySizes,
    law="Scale law by which sizes correspond.",
    divided_by="By what the sizes of one machine are divided; null where the law maps each by itself. [1]",
    ram_pages="Sizes of RAM that were replayed. [pages]",
    flash_pages="Sizes of flash that were replayed. [pages]",
    smallest_tier="Which of the two has the fewest pages: `RAM` or `flash`.",
    smallest_pages="So many. [pages]",
    recorded_data_bytes="Data of the recorded system. [bytes]",
    held_share="RAM and flash as a share of the pages of the recording; 0 where caches need not be full. [1]",
    write_shares="Shares of the accesses that write, of the recording and of one machine of production; null where "
    "they are equal, or unknown. [1]",
    units="Which units of flash caches were replayed in place of those of production; empty where none were.",
)
class ReplaySizesOut(Answer):
    """Sizes at which the recording of a scaled workload was replayed."""


class EvaluationOut(Answer):
    """All schemes side by side at one point."""

    workload_id: str
    content_id: str
    accesses: int
    write_accesses: int | None = Field(description="Absent where it is unknown.")
    distinct_pages: int
    page_bytes: int
    ram_pages: int
    ram_bytes: int
    flash_pages: int
    flash_bytes: int
    amortisation_months: int
    start: Start = Field(
        description="Start of the counts; a given curve is always steady."
    )
    new_pages: int = Field(
        description="Pages known to be newly allocated during the recording, as stated."
    )
    growth_per_access: float = Field(
        description="Their first touches per access: in the steady state with hits and misses "
        "1, from a cold start a part of the misses."
    )
    devices: DevicesUsed
    price_book: PriceBookRef | None
    ram_budget: RamBudgetOut | None = Field(
        description="Absent where no flash metadata are charged."
    )
    schemes: list[SchemeEvaluation]
    outer: OuterOut = Field(description="What surrounds the schemes, for comparison.")
    at_load: AtLoadOut | None = Field(
        description="Devices that carry the rate of production; absent where the workload was "
        "not scaled to one. Where the dirty share is unknown, with the most dirty pages."
    )
    dirty_share: DirtyShareOut
    best: str | None = Field(
        description="Scheme with the least I/O time; absent where that depends on a dirty "
        "share that is unknown."
    )
    runner_up: str | None
    margin: MarginOut | None
    decided_by: Decide = Field(
        description="What best, runner-up and margin are based on."
    )
    replayed_at: ReplaySizesOut | None = Field(
        description="Where the recording of a workload scaled to production was replayed to "
        "decide; null where no replay decided, or at the sizes of the question."
    )
    equal: list[str] = Field(
        description="Schemes within 1 % of the best, including the best: practically "
        "equal; empty where it leads by more."
    )
    writes_least: str | None = Field(
        description="Of the equal schemes, the one that writes least to flash."
    )
    check: CheckOut | None = Field(
        description="Absent where the lead is clear, was decided, or there is no trace."
    )
    sentence: str = Field(description="The finding in one sentence.")
    warnings: list[WarningOut]
    cautions: list[CautionOut]
    validity: str = Field(description="Where the costs hold.")
    time_basis: str = Field(description="What the times are, and what they leave out.")
    cost_basis: str = Field(description="What the money is, and what it leaves out.")
    core_version: str


class DerivationOut(Answer):
    """How the figures of an answer came about."""

    derivation: list[DerivationStep]
    evidence: CurveClass = None
