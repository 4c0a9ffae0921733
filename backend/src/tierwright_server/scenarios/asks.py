"""The requests whose answers a scenario can keep, and what is kept of each answer."""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import orjson
from fastapi import Request
from pydantic import BaseModel, Field
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import sweep
from tierwright.common.wording import counted
from tierwright_server.common.schemas import Answer, Body
from tierwright_server.http.context import Context
from tierwright_server.questions.compare import deciding
from tierwright_server.questions.compare.schemas import (
    Decide,
    DecisionIn,
    EvaluationOut,
)
from tierwright_server.questions.dram_or_flash import service as break_evens
from tierwright_server.questions.dram_or_flash.schemas import BreakEvenIn, BreakEvenOut
from tierwright_server.questions.pool_split import splits
from tierwright_server.questions.pool_split.splits import PoolSplitAsk, PoolSplitCosts
from tierwright_server.questions.scheme_map import service as scheme_maps
from tierwright_server.questions.scheme_map.schemas import (
    MapPointOut,
    MapQuestion,
    SchemeMapIn,
)
from tierwright_server.questions.throughput import service as throughputs
from tierwright_server.questions.throughput.schemas import ThroughputIn, ThroughputOut
from tierwright_server.questions.wear import service as wear
from tierwright_server.questions.wear.schemas import (
    RecoveryIn,
    RecoveryOut,
    WearIn,
    WearOut,
)
from tierwright_server.questions.what_to_cache import service as what_to_cache
from tierwright_server.questions.what_to_cache.schemas import (
    WhatToCacheIn,
    WhatToCacheOut,
)
from tierwright_server.replays.sweeps import service as sweeps
from tierwright_server.replays.sweeps.schemas import ContenderOut, ReplayOut, SweepAsk
from tierwright_server.replays.sweeps.service import StoredReplays


class Asks(Body):
    """Bodies of the requests behind a scenario's answer."""

    evaluation: DecisionIn | None = Field(
        default=None, description="Of `POST /evaluations`."
    )
    scheme_map: SchemeMapIn | None = Field(
        default=None, description="Of `POST /scheme-maps`."
    )
    scheme_map_point: MapQuestion | None = Field(
        default=None, description="Of `POST /scheme-maps/point`."
    )
    break_even: BreakEvenIn | None = Field(
        default=None, description="Of `POST /break-evens`."
    )
    throughput: ThroughputIn | None = Field(
        default=None, description="Of `POST /throughputs`."
    )
    wear: WearIn | None = Field(default=None, description="Of `POST /wear`.")
    recovery: RecoveryIn | None = Field(
        default=None, description="Of `POST /recovery`."
    )
    pool_split: PoolSplitAsk | None = Field(
        default=None,
        description="Of `POST /pool-splits`, whose job must have ended, and of its costs at "
        "one R.",
    )
    what_to_cache: WhatToCacheIn | None = Field(
        default=None,
        description="Of `POST /what-to-cache`, whose job must have ended.",
    )
    sweep: SweepAsk | None = Field(
        default=None,
        description="Of `POST /sweeps`, whose job must have ended, and of the devices that "
        "price it.",
    )

    def stated(self) -> dict[str, BaseModel]:
        """Return the requests by name, in the order of the fields."""
        return {
            name: body
            for name in type(self).model_fields
            if (body := getattr(self, name)) is not None
        }


class KeptFigure(Answer):
    """One figure of an answer."""

    ask: str = Field(description="Name of the request in `asks`.")
    name: str
    title: str
    scheme: str | None = Field(description="Its scheme, if it has one.")
    value: float | str | None = Field(
        description="A number; money as a decimal string; or a word, where `unit` is "
        "absent. Absent where the answer had none."
    )
    unit: str | None


@dataclass(frozen=True)
class Ask:
    """How one kind of request is answered, and the figures that are kept of it."""

    answer: Callable[[Request, AsyncSession, Context, Any], Awaitable[Any]]
    figures: Callable[[Any], Iterator[KeptFigure]]
    sentence: Callable[[Any], str]


_US = "µs/access"
_USD = "USD/month"
_READS = "page reads/access"


def _money(value: Any) -> str | None:
    return None if value is None else format(value, "f")


def _evaluation(answer: EvaluationOut) -> Iterator[KeptFigure]:
    figure = _maker("evaluation")
    titles = {scheme.scheme: scheme.title for scheme in answer.schemes}
    yield figure("best", "Best scheme", answer.best and titles[answer.best])
    yield figure("decided_by", "Decided by", answer.decided_by.value)
    for scheme in answer.schemes:
        of = _maker("evaluation", scheme.title)
        yield of("io_time", "I/O time", scheme.io_time_us_per_access, _US)
        if scheme.least is not None:
            yield of(
                "io_time_least",
                "I/O time, no page dirty",
                scheme.least.io_time_us_per_access,
                _US,
            )
        yield of(
            "flash_writes", "Flash writes", scheme.flash_writes_per_access, "1/access"
        )
        yield of("cost", "Cost", _money(scheme.money.usd_per_month), _USD)


async def _evaluate(
    request: Request, session: AsyncSession, context: Context, body: DecisionIn
) -> EvaluationOut:
    """Evaluate a point; a replay that takes a job is left to who asks for it."""
    by_model = body.model_copy(update={"decide": Decide.MODEL})
    found = await deciding.evaluate(request, session, context, by_model)
    assert isinstance(found, EvaluationOut)
    soon = (
        found.check is not None
        and found.check.expected_s <= context.settings.replay_inline_s
    )
    if body.decide is Decide.MODEL or not soon:
        return found
    decided = await deciding.evaluate(request, session, context, body)
    return decided if isinstance(decided, EvaluationOut) else found


async def _make_map(
    _: Request, session: AsyncSession, context: Context, body: SchemeMapIn
) -> dict[str, Any]:
    made = await scheme_maps.make_map(session, context, body)
    found: dict[str, Any] = orjson.loads(made)
    return found


def _scheme_map(answer: dict[str, Any]) -> Iterator[KeptFigure]:
    for scheme, share in answer["shares"].items():
        of = _maker("scheme_map", answer["titles"][scheme])
        yield of("share", "Share of the map that it wins", share, "1")


def _map_point(answer: MapPointOut) -> Iterator[KeptFigure]:
    figure = _maker("scheme_map_point")
    titles = {scheme.scheme: scheme.title for scheme in answer.schemes}
    yield figure("best", "Best scheme here", answer.best and titles[answer.best])
    for scheme in answer.schemes:
        of = _maker("scheme_map_point", scheme.title)
        yield of("io_time", "I/O time", scheme.io_time_us_per_access, _US)
        yield of("cost", "Cost", _money(scheme.usd_per_month), _USD)


def _break_even(answer: BreakEvenOut) -> Iterator[KeptFigure]:
    figure = _maker("break_even")
    money = answer.next_money
    if money is not None:
        first = money.equal_money[0]
        yield figure("usd", "Next money", _money(money.usd), "USD")
        yield figure("winner", "Better for it", first.winner)
        yield figure("dram_gain", "Gain of DRAM", first.dram_gain_us, _US)
        yield figure("flash_gain", "Gain of flash", first.flash_gain_us, _US)
        yield figure(
            "matching_flash", "Matching flash", first.matching_flash_pages, "pages"
        )
        yield figure(
            "flip_price_ratio",
            "Price ratio at which the decision flips",
            first.flip_price_ratio,
            "flash/DRAM",
        )
    for step in answer.steps:
        by = f"when DRAM grows by {step.delta:g} times"
        full = step.theta_full
        theta = step.theta_curve if full is None else full
        yield figure(f"theta {step.delta:g}", f"Flash per DRAM {by}", theta, "1")
    for each in answer.intervals:
        yield figure(
            f"interval {each.upper} {each.lower}",
            f"Break-even interval, {each.upper_name} over {each.lower_name}",
            each.interval_s,
            "s",
        )


def _throughput(answer: ThroughputOut) -> Iterator[KeptFigure]:
    at = answer.at
    titles = {scheme.scheme: scheme.title for scheme in answer.schemes}
    best = answer.best[at]
    yield _maker("throughput")("best", "Best scheme", best and titles[best])
    for scheme in answer.schemes:
        of = _maker("throughput", scheme.title)
        rate = scheme.throughput_per_s[at]
        yield of("throughput", "Throughput", rate, "1/s")
        yield of("response", "Response time", scheme.response_us[at] / 1000, "ms")
        yield of("bottleneck", "Bottleneck", scheme.bottleneck[at])
        yield of("knee", "Knee", scheme.knee_clients[at], "clients")


def _wear(answer: WearOut) -> Iterator[KeptFigure]:
    for scheme in answer.schemes:
        of = _maker("wear", scheme.title)
        if scheme.never_worn_out:
            yield of("life", "Life", "never worn out")
        else:
            yield of("life", "Life", scheme.years, "years")
        yield of("writes", "Flash writes", scheme.tb_per_day, "TB/day")
        money = scheme.money
        usd = None if money is None else money.amortised_usd_per_month
        yield of("cost", "Cost of the flash", _money(usd), _USD)


def _recovery(answer: RecoveryOut) -> Iterator[KeptFigure]:
    figure = _maker("recovery")
    yield figure("fill", "Time to fill the flash", answer.fill.seconds, "s")
    restart = answer.restart
    if restart is not None:
        yield figure(
            "with_flash", "Restart with flash", restart.with_flash.total_s, "s"
        )
        yield figure(
            "without_flash", "Restart without flash", restart.without_flash.total_s, "s"
        )


def _pool_split(answer: PoolSplitCosts) -> Iterator[KeptFigure]:
    figure = _maker("pool_split")
    yield figure("asymmetry", "Asymmetry R", answer.asymmetry, "1")
    yield figure("clean", "Best clean pool", answer.best_clean_pages, "pages")
    yield figure("cost", "Cost of the best split", answer.best_cost, _READS)
    yield figure(
        "estimated_clean",
        "Clean pool by estimate",
        answer.estimated_clean_pages,
        "pages",
    )
    for name, value in answer.estimates.items():
        yield figure(f"estimate {name}", f"Estimated cost, {name}", value, _READS)
    for baseline in answer.baselines:
        of = _maker("pool_split", baseline.title)
        yield of("cost", "Cost without a split", baseline.cost, _READS)
        yield of("gain", "Saved by the best split", baseline.gain, "1")
        yield of(
            "break_even",
            "R at which both cost the same",
            baseline.break_even_asymmetry,
            "1",
        )


def _what_to_cache(answer: WhatToCacheOut) -> Iterator[KeptFigure]:
    figure = _maker("what_to_cache")
    chosen = answer.chosen.model_dump()
    by_size = answer.flash_paid == "by_size"
    paid = "reads, wear and flash" if by_size else "reads and wear"
    yield figure("cost", f"Cost of {paid}", chosen["usd_per_month"], _USD)
    if by_size:
        yield figure("flash", "Flash worth its price", chosen["flash_pages"], "pages")
    yield figure(
        "saved", "Below admitting every miss", _money(answer.saved_usd_per_month), _USD
    )
    yield figure("hit_share", "Hits of flash", chosen["hit_share"], "1")
    counts = ", of the recording" if answer.counts_of else ""
    yield figure(
        "flash_writes", f"Flash writes{counts}", chosen["flash_writes"], "pages"
    )
    yield figure("lifetime", "Stay on flash", answer.lifetime_s, "s")
    for each in (alternative.model_dump() for alternative in answer.alternatives):
        of = _maker("what_to_cache", each["name"].replace("_", " "))
        yield of("cost", "Cost for all", each["usd_per_month"], _USD)
    yield figure("assignment", "Assignment", chosen["assignment"])


_MOST_SIZES = 12
"""Replays of a contender that are kept singly; the means are over all of them."""


def _sweep(answer: StoredReplays) -> Iterator[KeptFigure]:
    for contender, rows in _by_contender(answer):
        of = _maker("sweep", _contender_title(contender))
        over = (
            f"mean over its {counted(len(rows), 'replay')}"
            if len(rows) > 1
            else "one replay"
        )
        yield of("misses", f"Miss ratio, {over}", _mean_misses(rows), "1")
        times = [row.io_time_us_per_access for row in rows]
        yield of("io_time", f"I/O time, {over}", sweep.mean(times), _US)
        if len(rows) == 1:
            continue
        for row in _spread(rows, _MOST_SIZES):
            tiers = [f"{counted(row.ram_pages, 'page')} of RAM"]
            if row.flash_pages is not None:
                tiers.append(f"{row.flash_pages:,} of flash")
            at, place = ", ".join(tiers), f"{row.ram_pages} {row.flash_pages}"
            yield of(f"misses {place}", f"Miss ratio, {at}", row.miss_ratio, "1")
            yield of(
                f"io_time {place}", f"I/O time, {at}", row.io_time_us_per_access, _US
            )


def _by_contender(
    answer: StoredReplays,
) -> Iterator[tuple[ContenderOut, list[ReplayOut]]]:
    for index, contender in enumerate(answer.contenders):
        yield contender, [row for row in answer.rows if row.contender == index]


def _contender_title(contender: ContenderOut) -> str:
    return sweep.label_of(contender.title, contender.options)


def _mean_misses(rows: list[ReplayOut]) -> float | None:
    return sweep.mean([row.miss_ratio for row in rows])


def _spread(rows: list[ReplayOut], most: int) -> list[ReplayOut]:
    """Choose rows at even steps, both ends included."""
    if len(rows) <= most:
        return rows
    last = len(rows) - 1
    return [rows[round(step * last / (most - 1))] for step in range(most)]


def _sweep_sentence(answer: StoredReplays) -> str:
    return sweep.finding(
        (_contender_title(contender), _mean_misses(rows))
        for contender, rows in _by_contender(answer)
    )


def _maker(ask: str, scheme: str | None = None) -> Callable[..., KeptFigure]:
    def make(
        name: str, title: str, value: float | str | None, unit: str | None = None
    ) -> KeptFigure:
        return KeptFigure(
            ask=ask, name=name, title=title, scheme=scheme, value=value, unit=unit
        )

    return make


def _sentence(answer: Any) -> str:
    return str(answer.sentence)


def _of(
    service: Callable[[AsyncSession, Context, Any], Awaitable[Any]],
) -> Callable[[Request, AsyncSession, Context, Any], Awaitable[Any]]:
    """Return a service that does not mind whether the client still waits."""

    async def asked(
        _: Request, session: AsyncSession, context: Context, body: Any
    ) -> Any:
        return await service(session, context, body)

    return asked


ASKS = {
    "evaluation": Ask(_evaluate, _evaluation, _sentence),
    "scheme_map": Ask(_make_map, _scheme_map, lambda answer: str(answer["sentence"])),
    "scheme_map_point": Ask(_of(scheme_maps.explain_point), _map_point, _sentence),
    "break_even": Ask(
        _of(break_evens.evaluate), _break_even, lambda answer: str(answer.finding)
    ),
    "throughput": Ask(_of(throughputs.evaluate), _throughput, _sentence),
    "wear": Ask(_of(wear.wear), _wear, _sentence),
    "recovery": Ask(_of(wear.recover), _recovery, _sentence),
    "pool_split": Ask(_of(splits.stored), _pool_split, _sentence),
    "what_to_cache": Ask(_of(what_to_cache.stored), _what_to_cache, _sentence),
    "sweep": Ask(_of(sweeps.stored), _sweep, _sweep_sentence),
}
"""By the field of `Asks`."""
