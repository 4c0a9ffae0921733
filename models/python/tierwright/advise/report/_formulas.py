"""The formulas that an answer used, each with what it gives for the recommendation and its source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tierwright.advise.report import _figures as show
from tierwright.advise.report._answer import Document
from tierwright.common.wording import counted
from tierwright.evaluate.page_flow.explain import PAPER
from tierwright.evaluate.page_flow.formula import SchemeFormula
from tierwright.evaluate.page_flow.schemes import BY_NAME
from tierwright.evaluate.page_flow.terms import COST_TERMS

_DERIVED = "derived"
_REPLAY = "replay of the recording"
_LRU = "stack distances of an LRU cache: Mattson, Gecsei, Slutz and Traiger (1970)"
_UTILISATION = "utilisation law: Denning and Buzen (1978)"
_QUEUES = (
    "Lee and Longton (1959); one server: Pollaczek and Khinchine; largest rate: Erlang (1917), "
    "Little's law"
)
_DELETION = "deletion filter: Chinneck and Dravnieks (1991)"
_GROWN_FROM = 18
"""Version of the model from which on a life counts the growth of the load."""
_SHARED_GROWN_FROM = 6
"""Version of placements from which on that of a system which several workloads share does too."""
_FIVE_MINUTES = "Gray and Putzolu (1987)"
SYMBOLS = (
    "N: page accesses; r, f: pages of RAM and of flash; e_f: flash pages that hold what RAM does not; misses(C): misses "
    "of an LRU cache of C pages; m_r: RAM misses; h_f, m_f: flash hits and misses; p_d, p_dF: share of the RAM misses "
    "and of the flash misses that evict a dirty page; q: share of the RAM victims that are on flash; F_R, F_W, D_R, D_W: "
    "busy time of flash and of what holds the data for one page read and write."
)
"""What the letters of the formulas of the page flow mean."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula.

    Attributes
    ----------
    figure, formula : str
        What it gives, and the equation.
    value : str
        Of the recommendation, with its unit; a dash where it gives none of it.
    source : str
        Paper, or `derived`.
    """

    figure: str
    formula: str
    value: str
    source: str


def formulas(document: Document) -> Iterator[Formula]:
    """Return the formulas that this advice used: of what it does not hold there is none."""
    best = document["recommendation"]
    if best is not None:
        yield from of_option(document, best)
    if len(document["pareto"]) > 1:
        yield Formula(
            "Front of money and I/O time",
            "an option is on it if no other costs and takes at most as much, and one of both less",
            counted(len(document["pareto"]), "option"),
            "dominance as of Pareto",
        )
    if document["rejected"]:
        yield Formula(
            "Limit at which a rejected option is admitted",
            "its value; where it breaks several, each of them",
            show.NOTHING,
            _DERIVED,
        )
    if document["infeasible"] is not None and document["infeasible"]["conflict"]:
        yield Formula(
            "Limits in conflict",
            "leave out each limit in turn; what can stay out while no option keeps the rest is not in conflict",
            counted(len(document["infeasible"]["conflict"]), "limit"),
            _DELETION,
        )
    if any(row["gap"] is not None for row in document["checked"]):
        yield Formula(
            "Gap between model and replay", "model / replay - 1", show.NOTHING, _DERIVED
        )
    if document["rules_of_thumb"]:
        yield Formula(
            "What a rule of thumb costs more",
            "cost of the best option that is as large as the rule asks and keeps every limit - cost of the recommendation",
            show.NOTHING,
            f"{_DERIVED}; five-minute rule: {_FIVE_MINUTES}",
        )


def of_option(document: Document, option: Document) -> Iterator[Formula]:
    """Return the formulas of the figures and the money of one option."""
    yield from _page_flow(option)
    yield from _load(document, option)
    yield from _money(document, option)


def _is_by_replay(best: Document) -> bool:
    """Whether the I/O time is that of the replay, and with it what devices are busy and how long they last."""
    replayed = best["replayed_io_time_us_per_access"]
    return replayed is not None and replayed == best["io_time_us_per_access"]


def _page_flow(best: Document) -> Iterator[Formula]:
    scheme = BY_NAME.get(best["scheme"])
    if scheme is None:
        # Under a flash cache that page flow does not carry every figure is of its replay.
        for figure, key in (("RAM", "ram_hit_share"), ("flash", "flash_hit_share")):
            yield Formula(
                f"Accesses that hit {figure}",
                "hits that its replay counted / accesses",
                show.share(best[key]),
                _REPLAY,
            )
        yield from _io_time_by_replay(best)
        return
    yield Formula(
        "Accesses that hit RAM",
        "1 - misses(r) / N",
        show.share(best["ram_hit_share"]),
        _LRU,
    )
    source = f"{PAPER}, section {scheme.section}"
    if scheme.uses_flash:
        yield Formula(
            "Accesses that hit flash",
            f"h_f / N; {scheme.hits_formula}",
            show.share(best["flash_hit_share"]),
            f"{source}; {scheme.estimator}",
        )
    if _is_by_replay(best):
        yield from _io_time_by_replay(best)
        return
    yield Formula(
        "I/O time per access",
        f"C / N; {scheme.formula}",
        show.figure(best, "io_time_us_per_access", show.time),
        source,
    )
    yield from _terms(scheme)


def _io_time_by_replay(best: Document) -> Iterator[Formula]:
    yield Formula(
        "I/O time per access",
        "page reads and writes of each tier that its replay counted x busy time of one device of the tier / accesses",
        show.figure(best, "io_time_us_per_access", show.time),
        _REPLAY,
    )


def _terms(scheme: SchemeFormula) -> Iterator[Formula]:
    for term in COST_TERMS:
        if term.name in scheme.term_formulas:
            yield Formula(
                f"{term.title}, part of it",
                scheme.term_formulas[term.name],
                show.NOTHING,
                "as the I/O time",
            )


def _load(document: Document, best: Document) -> Iterator[Formula]:
    by_replay = _is_by_replay(best)
    counted_by = ", as its replay counted" if by_replay else ""
    if best["peak_busy"] is not None:
        yield Formula(
            "Busiest device in the busiest hour",
            "U = X S / m, the largest of all tiers; X: accesses per second of one machine, S: busy time per "
            f"access{counted_by}, m: equal devices that share it",
            show.share(best["peak_busy"]),
            f"{_UTILISATION}; {_REPLAY}" if by_replay else _UTILISATION,
        )
    responses = [
        (name, best[f"response_{key}_us"])
        for name, key in (("median", "p50"), ("99th percentile", "p99"))
        if best[f"response_{key}_us"] is not None
    ]
    if responses:
        yield Formula(
            "Response times",
            "percentile of the mixture of RAM hits (no time), flash reads and disk reads: latency + wait; mean wait "
            "(1 + cv^2) / 2 x C(c, rho) s / (c (1 - rho)), C of Erlang, c operations at once of s each, rho = lambda s / c",
            "; ".join(
                f"{name} {show.time(value)} in the busiest hour"
                for name, value in responses
            ),
            _QUEUES,
        )
    if best["flash_life_years"] is not None:
        yield Formula(
            "Life of the flash",
            f"{_grown_from(document)}rated writes of all devices [TB] / (page writes per access{counted_by} x accesses per "
            "second x page size x 31,536,000 / 10^12), the least of what is bought",
            show.years(best["flash_life_years"]),
            f"{_DERIVED}; {_REPLAY}" if by_replay else _DERIVED,
        )
    growth, limit = document["when"], document["constraints"].get("peak_busy")
    if growth is not None and best["months_until_too_small"] is not None:
        with_numbers = (
            ""
            if limit is None or best["peak_busy"] is None
            else f": {show.share(best['peak_busy'])} today, {show.share(float(limit))} at most, "
            f"{show.share(growth['growth_per_year'])} a year"
        )
        yield Formula(
            "Until it is too small",
            "the first month in which U of data and load grown by (1 + growth per year)^(m / 12), m_r and m_f at sizes as much "
            f"smaller, reaches its limit, or the data no longer fit{with_numbers}",
            show.months(best["months_until_too_small"]),
            f"{_DERIVED}: the load grows as the data do; linear in its logarithm within the last month",
        )


def _grown_from(document: Document) -> str:
    """Say how a life follows from that at the rate of today, which the rest of its formula is; empty without growth."""
    growth = document["when"]
    # An answer that was saved before counts no growth.
    model = document["versions"].get("model", "")
    if not model.isdigit() or int(model) < _GROWN_FROM:
        return ""
    if "placement" in document["versions"]:
        # The growth of each workload is its own; an answer of before counts none of workloads that share a system.
        placed = document["versions"]["placement"]
        of_all = not placed.isdigit() or int(placed) >= _SHARED_GROWN_FROM
        most = ", the largest g of its workloads," if of_all else ""
        return f"of a load that grows by g a year{most} ln(1 + t ln(1 + g)) / ln(1 + g), at the hits of today, and else t = "
    if growth is None:
        return ""
    return (
        f"ln(1 + t ln(1 + g)) / ln(1 + g) with the growth g = {show.share(growth['growth_per_year'])} a year of the load, "
        "at the hits of today, and t = "
    )


def _money(document: Document, best: Document) -> Iterator[Formula]:
    if best["bill"]:
        horizon = document["horizon_months"]
        months = "months" if horizon is None else counted(horizon, "month")
        yield Formula(
            "Row of the bill",
            "quantity x price, an hourly price x 730 hours, rounded half up to the cent; a purchase / "
            f"{months}, rounded again",
            show.NOTHING,
            _DERIVED,
        )
        yield Formula(
            "Cost per month",
            "sum of the rows of the bill",
            f"{show.usd(best['usd_per_month'])} USD",
            _DERIVED,
        )
    if document["saving_usd_per_month"] is not None:
        yield Formula(
            "Today less the recommendation",
            "cost of today - cost of the recommendation",
            f"{show.usd(document['saving_usd_per_month'])} USD per month",
            _DERIVED,
        )
