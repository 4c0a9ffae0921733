"""How sure a recommendation is: probability, expected regret, what each input is worth knowing, where the choice flips."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Decimal
from functools import cache, partial

import numpy as np

from tierwright.advise.advice import _draws, _steps
from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._contenders import (
    Contenders,
    Measured,
    State,
    contending,
)
from tierwright.advise.advice._draws import Draws, Input, Ranges, Recorded, Shortage
from tierwright.advise.advice._prices import (
    SEVERAL_PRICED,
    PriceRange,
    price_words,
)
from tierwright.advise.advice._sure import MOST_BARS, Ends, tornado
from tierwright.advise.advice._table import MONTHS, Table
from tierwright.advise.advice.found import Bar, Confidence, Information, Interval
from tierwright.advise.point import scheme_titles
from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import Caution
from tierwright.common.currency import money
from tierwright.common.units import format_bytes, format_microseconds
from tierwright.common.wording import (
    TWICE,
    as_many,
    counted,
    duration,
    listed,
    percent,
    whole_percent,
)
from tierwright.evaluate.advice.information import NEAR, Buys, Regret, regret, worth_of
from tierwright.evaluate.advice.limits import (
    LIFE,
    PEAK_BUSY,
    RESTART,
    ROUNDING,
    THROUGHPUT,
)
from tierwright.evaluate.advice.resampling import (
    FEWEST_WINDOWS,
    FEWEST_WITH_WARM_UP,
    share_of_few,
    shortest_interval,
)
from tierwright.evaluate.advice.rows import IntArray
from tierwright.evaluate.bill import CENT
from tierwright.profile.curve import Curve
from tierwright.profile.rates import SAME
from tierwright.profile.windows import SHORTEST

DAY_S = 86_400
EVERY_LONG = 4
"""Draws of which one has response times and months until too small, for these take long to compute."""
INTERVAL = 0.9
"""Share of the draws in which a figure lies between the ends that are stated."""
_BETWEEN, _MOST_EVALUATED = 16, 2_000_000
"""Draws of which the best options are contenders too, and options that are evaluated for them at most."""
STEPS = 33
_HALVINGS, _BITS, _LAST_BITS = 24, 60, 1e-9
"""Times that a flip is halved at most, bits of its place, and parts of a last digit that rounding is not for."""
CALIBRATED_ACCESSES = 100_000
"""Accesses of the shortest recordings whose probabilities were held against the truth: `docs/models/advice-calibration.md`."""
SCALE: FloatArray = np.linspace(0.0, 1.0, STEPS)
"""Places of a range at which a flip is looked for, and at which what may be recommended is known."""
OF_CAUTION: Mapping[str, str] = {
    "scaled": _draws.LAW,
    "scale_extrapolated": _draws.LAW,
    "steady_state_uncertain": _draws.SHORT,
    "sampled_curve": _draws.SAMPLE,
}
"""Input of a caution."""
NO_WINDOWS = (
    "no probability: the profile carries no windows of a continuous replay, of which 59 are needed; "
    "profile the recording with this version"
)
OF_A_GIVEN_CURVE = "no probability: a curve without its recording has no windows, so it does not show how much its misses vary"
NO_CHOICE = "no probability: nothing is recommended"
LEFT_OUT = (
    "no probability: bounds left out options that other draws may prefer; name fewer parts or machines, so that all are "
    "evaluated"
)
NOT_COMPUTED = "no probability: how sure the recommendation is was not asked for"
BY_REPLAY = "no probability: a replay decided, and the draws rest on the model, which would choose otherwise"
LAW_NOT_MEASURED = "no probability: how far the scale law is off was never measured"
NO_PRICES = "no recent prices of one product tell how far those of the purchase may be off, so prices stay as they are"


def _of_given(curve: Curve) -> str:
    """Say why a curve without a recording gives no probability, and which next step is the cheapest."""
    evidence = curve.evidence
    if evidence is None:
        return OF_A_GIVEN_CURVE
    step = _steps.cheapest(curve, evidence)
    if evidence.is_indicative:
        checked = evidence.check_text(curve.page_bytes)
        return f"no probability: the curve is indicative only, as {checked}; {step}"
    return f"{OF_A_GIVEN_CURVE}; {step}"


def none(reason: str, missing: int | None = None) -> Confidence:
    """Return what is said where there is no probability."""
    return Confidence(None, None, (), (), reason, more_accesses=missing)


def of_objective(asked: Asked, found: Confidence) -> Confidence:
    """Return the same without what measuring is worth where money is not the objective: no worth is 0 or lacking there."""
    if asked.objective != "io_time":
        return found
    return replace(found, value_of_information=None)


@dataclass(frozen=True, slots=True)
class Sure:
    """What was drawn for one answer, and what its contenders cost.

    Attributes
    ----------
    recorded : Recorded
        Windows that were drawn.
    contenders : Contenders
    chosen : int
        Index of the recommendation among them.
    draws : Draws
    buys : Buys
    io_us : float64 array, shape (D, K)
        I/O time of each contender in each draw. [µs]
    figures : tuple of dict
        Of the recommendation in each draw, as `Contenders.as_bought`; in some of them with its response times and the months
        until it is too small.
    stated : dict
        The same as they are stated, on the curve of the answer.
    """

    recorded: Recorded
    contenders: Contenders
    chosen: int
    draws: Draws
    buys: Buys
    io_us: FloatArray
    figures: tuple[dict[str, float], ...]
    stated: dict[str, float]


def recorded_of(asked: Asked, table: Table, best: int, rows: IntArray) -> Recorded:
    """Return the windows that can be drawn for some contenders; the curve has windows."""
    curve = asked.setting.curve
    windows = (curve if curve.cold is None else curve.cold).windows
    assert windows is not None

    def sizes(rows: IntArray) -> FloatArray:
        options = table.options
        ram, flash = options.ram_pages[rows], options.flash_pages[rows]
        read = np.unique(np.maximum(np.concatenate((ram, ram + flash)), 1.0))
        return _draws.recorded_sizes(curve, read)

    return _draws.after_warm_up(
        windows, sizes(rows), sizes(np.asarray([best], dtype=np.int64))
    )


def abstains(
    asked: Asked, table: Table, best: int, rows: IntArray
) -> Confidence | None:
    """Say why the data do not allow a probability, and how much more to record; None where they do."""
    curve = asked.setting.curve
    windows = (curve if curve.cold is None else curve.cold).windows
    if windows is None:
        return none(NO_WINDOWS if curve.given is None else _of_given(curve))
    if curve.is_scaled and curve.known_error is None:
        return none(LAW_NOT_MEASURED)
    have = int(windows.accesses.sum())
    shortage = _draws.shortage(windows)
    if shortage is not None:
        return none(_too_few_windows(shortage, have), shortage.missing)
    cycle_s = _cycle_s(asked)
    if (
        cycle_s is not None
        and windows.duration_s is not None
        and windows.duration_s < cycle_s
    ):
        more = round(have * (cycle_s / max(windows.duration_s, 1e-9) - 1))
        return none(
            f"no probability: the recording lasts {duration(windows.duration_s)} and production states rates that "
            f"change over {duration(cycle_s)}, so it does not show that cycle; record all of it, about "
            f"{counted(more, 'access', 'accesses')} more at the rate of the recording",
            more,
        )
    generator = np.random.default_rng(asked.seed)
    drifts = recorded_of(asked, table, best, rows).drifts(generator)
    if drifts:
        size, worst = max(drifts.items(), key=lambda each: abs(each[1].change))
        rise = "rise" if worst.change > 0 else "fall"
        scaled = curve.scaled
        page_bytes = None if scaled is None else scaled.recorded_page_bytes
        return none(
            f"no probability: at a cache of {format_bytes(size * (page_bytes or curve.page_bytes))} the misses {rise} by "
            f"{percent(abs(worst.change))} between the time it is full and the end of the recording, more than chance explains, so "
            "the recording does not show where they settle; record at least twice as long, "
            f"{counted(have, 'access', 'accesses')} more",
            have,
        )
    return None


def _too_few_windows(found: Shortage, have: int) -> str:
    """Say how many windows a recording of so many accesses has and needs, and how many accesses these are."""
    shortest = ""
    if found.window_accesses == SHORTEST:
        shortest = ", the shortest there are"
    warm_up = FEWEST_WITH_WARM_UP - FEWEST_WINDOWS
    return (
        f"no probability: the {counted(have, 'access', 'accesses')} that were recorded fill {counted(found.whole, 'window')} of "
        f"{counted(found.window_accesses, 'access', 'accesses')}{shortest}, and {FEWEST_WITH_WARM_UP} are needed: up to {warm_up} "
        f"for the warm-up and {FEWEST_WINDOWS} after it; record {counted(found.missing, 'access', 'accesses')} more"
    )


def _cycle_s(asked: Asked) -> float | None:
    """Time over which the rates that production states repeat: a day, or all of a shorter series. [s]"""
    scaled = asked.setting.curve.scaled
    rates = None if scaled is None else scaled.production.rates
    if rates is None or rates.peak_per_s <= min(rates.means_per_s) * (1 + SAME):
        return None
    return float(min(rates.steps * rates.step_s, DAY_S))


def sure(asked: Asked, table: Table, best: int, rows: IntArray) -> Sure:
    """Draw everything that is not known, and evaluate the contenders in each draw.

    Parameters
    ----------
    asked, table, best
        As of `confidence`.
    rows : int64 array
        Contenders on the curve of the answer, to which those of other ends come.
    """
    curve = asked.setting.curve
    recorded = recorded_of(asked, table, best, rows)
    first = Contenders(asked, table, rows)
    ranges = _draws.ranges_of(curve, first.read_sizes)
    seed = asked.seed
    rough = _draws.drawn(recorded, ranges, first, np.random.default_rng(seed))
    # What is best at neither end may be the best between them.
    some = max(1, min(_BETWEEN, _MOST_EVALUATED // max(1, len(table.options))))
    between = (rough.curve(at) for at in range(0, _draws.DRAWS, _draws.DRAWS // some))
    tables = (table, *(table.with_curve(each) for each in (*rough.ends(), *between)))
    rows = contending(asked, tables, best)
    contenders = Contenders(asked, table, rows)
    ranges = _draws.ranges_of(curve, contenders.read_sizes)
    generator = np.random.default_rng(seed)
    draws = _draws.drawn(recorded, ranges, contenders, generator)
    chosen = int(np.flatnonzero(rows == best)[0])
    stated = contenders.as_bought(contenders.on(curve, State()), chosen, curve, State())
    unknown = {} if table.knows_life(best) else {LIFE: math.nan}
    response = contenders.response_us(chosen, curve)
    is_known = all(map(math.isfinite, response.values()))
    own = contenders.alone(chosen)

    def rarely(drawn: Curve, state: State) -> dict[str, float]:
        """Compute the figures that take long."""
        [months] = own.months_until_too_small(drawn, state)
        return {
            MONTHS: float(months),
            **(contenders.response_us(chosen, drawn) if is_known else {}),
        }

    # The windows show how misses vary at few sizes; where between them RAM is warm is known of a count.
    counted_accesses = recorded.every.accesses.sum() * (curve.sample_rate or 1.0)
    errors_s = contenders.restart_errors_s(float(counted_accesses))
    warm_off_s = np.outer(_draws.standard_errors(generator), errors_s)
    found: list[Measured] = []
    figures = []
    for at in range(_draws.DRAWS):
        drawn, state = draws.curve(at), draws.state(at)
        found.append(contenders.on(drawn, state, warm_off_s[at]))
        figure = contenders.as_bought(found[-1], chosen, drawn, state)
        figure[RESTART] = float(
            np.maximum(0.0, figure[RESTART] + warm_off_s[at, chosen])
        )
        if at % EVERY_LONG == 0:
            figure |= rarely(drawn, state)
        figures.append(figure)
    return Sure(
        recorded,
        contenders,
        chosen,
        draws,
        contenders.buys(found),
        np.stack([each.io_us for each in found]),
        tuple(figures),
        stated | rarely(curve, State()) | unknown,
    )


def intervals(found: Sure) -> tuple[Interval, ...]:
    """Return between which values figures of the recommendation lie in `INTERVAL` of the draws, where they are known.

    A figure is often stated at an end of what is known, such as the longest time of a write: of the intervals that hold so
    many draws, it is the shortest one that holds the figure too. There is none where more draws than are left out have a
    time without end: a device cannot keep up in them, or it is never too small.
    """
    made = []
    for name, stated in found.stated.items():
        if name == THROUGHPUT:
            continue
        drawn = np.asarray([each[name] for each in found.figures if name in each])
        if not math.isfinite(stated) or np.isnan(drawn).any():
            continue
        if name == "flash_hit_share" and not stated and not drawn.any():
            # There is no flash cache, so nothing is drawn of it.
            continue
        known = drawn[np.isfinite(drawn)]
        most = float(np.max(known, initial=stated))
        # A time without end lies beyond all others.
        beyond = 2 * most + 1
        # Of all draws the correction is next to nothing, and what is measured of them holds the truth often enough without.
        few = len(drawn) < len(found.figures)
        share = share_of_few(INTERVAL, len(drawn)) if few else INTERVAL
        low, high = shortest_interval(np.minimum(drawn, beyond), share, stated)
        if high < beyond:
            made.append(Interval(name, low, high))
    return (*made, *_of_throughput(made, found.stated))


def _of_throughput(
    made: Iterable[Interval], stated: Mapping[str, float]
) -> Iterator[Interval]:
    """Give the interval of the throughput that says the same as that of the busy share, which it is in inverse proportion to.

    Where next to nothing is busy it has no upper end, and the shortest interval of the throughput itself would state one.
    """
    for each in made:
        if each.figure == PEAK_BUSY and each.low > 0:
            carried = stated[THROUGHPUT] * stated[PEAK_BUSY]
            yield Interval(THROUGHPUT, carried / each.high, carried / each.low)


def confidence(
    asked: Asked,
    table: Table,
    best: int | None,
    ends: Ends | None,
    cautions: Sequence[Caution],
    *,
    by_replay: bool,
) -> Confidence:
    """Say how sure the recommendation is, and what to measure first.

    Parameters
    ----------
    asked : Asked
    table : Table
        Of the options.
    best : int or None
        The recommendation.
    ends : Ends or None
        Asks at the ends of the cautions, from then on at those of the draws; None where nothing is weighed.
    cautions : sequence of Caution
        Of the answer.
    by_replay : bool
        Whether a replay chose another option than the model.
    """
    if best is None:
        return none(NO_CHOICE)
    if by_replay:
        return replace(none(BY_REPLAY), tornado=_bars_of(ends, cautions))
    if table.left_out is not None:
        return none(LEFT_OUT)
    rows = contending(asked, (table,), best)
    refused = abstains(asked, table, best, rows)
    if refused is not None:
        return replace(refused, tornado=_bars_of(ends, cautions))
    return _weighed(asked, sure(asked, table, best, rows), ends, cautions)


def _bars_of(ends: Ends | None, cautions: Iterable[Caution]) -> tuple[Bar, ...]:
    return () if ends is None else tuple(tornado(ends, cautions))


def _weighed(
    asked: Asked, found: Sure, ends: Ends | None, cautions: Sequence[Caution]
) -> Confidence:
    """Say what the draws of an answer say of it."""
    possible = found.buys.possible
    if not possible.any():
        return replace(
            none(
                "no probability: none of the options compared keeps every limit in any draw"
            ),
            tornado=_bars_of(ends, cautions),
        )
    # Of an input that nothing asks about, nothing is evaluated.
    ranges = cache(partial(_along_range, found))
    in_money = asked.objective != "io_time"
    drawn = _drawn(found, cautions)
    for each, caution in drawn.items():
        if ends is not None:
            ends.draw(caution.name, _ends_of(found, each))
    if in_money:
        others = [each for each in cautions if each not in drawn.values()]
        bars = _bars(found, ranges, _bars_of(ends, others), drawn)
    else:
        # Which choice is the cheapest where flips nothing of the fastest one.
        bars = _bars_of(ends, cautions)
    by_money = regret(found.buys, found.chosen)
    probability = by_money.probability
    if not in_money:
        kept = np.where(found.buys.keeps, found.io_us, np.inf)[possible]
        own = found.io_us[possible, found.chosen]
        near = (own <= kept.min(axis=1) * (1 + NEAR)) & found.buys.keeps[
            possible, found.chosen
        ]
        probability = float(np.mean(near))
    usd = _cents(by_money.expected) if in_money else None
    worth = () if usd is None else tuple(_worth(found, ranges, usd))
    return Confidence(
        probability,
        usd,
        bars,
        worth,
        _rests_on(asked, found, in_money=in_money),
        text=_text(
            probability, usd, by_money, worth, _not_calibrated(_recorded(asked))
        ),
        windows=len(found.recorded.windows),
        block_windows=found.recorded.block,
        draws=int(np.sum(possible)),
        breaks_share=by_money.breaks,
        more_accesses=None,
        intervals=intervals(found),
        headline=_headline(probability, by_money.none_keeps),
        none_keeps_share=by_money.none_keeps,
    )


def _cents(usd: float) -> Decimal:
    return Decimal(repr(float(usd))).quantize(CENT, ROUND_HALF_EVEN)


def _text(
    probability: float,
    usd: Decimal | None,
    by_money: Regret,
    worth: Sequence[Information],
    limited: str = "",
) -> str:
    """Say how often it stays among the best, at what regret, and what is worth measuring first."""
    said = _headline(probability, by_money.none_keeps)
    if usd is not None:
        more = f"{money(usd)} per month more" if usd else "no more"
        there = " there" if by_money.none_keeps else ""
        said += f"; on average it costs {more} than the best{there}"
    said += f".{_repaired(by_money, in_money=usd is not None)}"
    if limited:
        said += f" {limited[0].upper()}{limited[1:]}."
    if worth and worth[0].usd_per_month:
        said += f" {worth[0].text}"
    return said


def _of_draws(share: float) -> str:
    """Write a share of draws in whole per cents; what is not all of them does not read as all."""
    said = whole_percent(share)
    return "more than 99 %" if share < 1 and said == whole_percent(1) else said


def _headline(probability: float, none_keeps: float) -> str:
    """Say how often it stays among the best, and of which draws that is: where nothing keeps every limit, there is no best."""
    near, often = f"stays within {100 * NEAR:g} % of the best", _of_draws(probability)
    if none_keeps:
        often = "all others" if probability == 1 else f"{often} of the others"
        return (
            f"In {_of_draws(none_keeps)} of all draws none of the options compared keeps every limit; in {often} the "
            f"recommendation {near}"
        )
    return (
        f"It {near} in {'all draws' if probability == 1 else f'{often} of the draws'}"
    )


def _repaired(found: Regret, *, in_money: bool) -> str:
    """Say in how many draws it breaks a limit, how these count, and what its repair costs there; empty where it breaks none."""
    if not found.breaks:
        return ""
    said = f" In {_of_draws(found.breaks)} of all draws it breaks a limit."
    if found.breaks <= found.none_keeps:
        # There is nothing to repair it with.
        return said
    where = "It counts there"
    if found.none_keeps:
        where = "Where another of these options keeps every limit, it counts"
    said += (
        f" {where} with the cheapest size of its hardware that keeps the limits; where no size of it does, the draw does not "
        "count as one within that distance."
    )
    if in_money:
        said += (
            f" Enlarging or replacing it there costs {money(_cents(found.repair))} per month more on average, which the "
            "difference to the best includes."
        )
    return said


def _recorded(asked: Asked) -> int:
    """Count the accesses of the recording; its curve has windows."""
    curve = asked.setting.curve
    windows = (curve if curve.cold is None else curve.cold).windows
    assert windows is not None
    return int(windows.accesses.sum())


def _not_calibrated(accesses: int) -> str:
    """Say that a recording is shorter than those on which probabilities were tried; empty where it is not."""
    if accesses >= CALIBRATED_ACCESSES:
        return ""
    return (
        f"whether that is right was never tried for a recording of {counted(accesses, 'access', 'accesses')}, but for those "
        f"of {CALIBRATED_ACCESSES:,} and more: record at least {CALIBRATED_ACCESSES - accesses:,} more before you rely on it"
    )


def _rests_on(asked: Asked, found: Sure, *, in_money: bool) -> str:
    """Say what was drawn, and what was not."""
    curve = asked.setting.curve
    windows = (curve if curve.cold is None else curve.cold).windows
    assert windows is not None
    recorded = _recorded(asked)
    accesses = counted(recorded, "access", "accesses")
    long = "" if windows.duration_s is None else f" in {duration(windows.duration_s)}"
    varied = ["the windows of the recording"]
    times = [each for each in found.draws.places if each.name == _draws.TIME]
    varied += [_named(each) for each in found.draws.places if each not in times]
    if times:
        ranges = counted(len(times), "busy time of a device", "busy times of devices")
        varied.append(f"{ranges} that the sources leave open")
    parts = [
        f"{counted(_draws.DRAWS, 'draw')} of {listed(varied)}; {_about_prices(found)}",
        f"it speaks for a recording as long as this one, {accesses}{long}",
    ]
    limited = _not_calibrated(recorded)
    if limited:
        parts.append(limited)
    impossible = int(np.sum(~found.buys.possible))
    if impossible:
        what = "probability, regret and what measuring is worth are"
        parts.append(
            f"{what if in_money else 'the probability is'} of the {counted(_draws.DRAWS - impossible, 'draw')} in which one of "
            f"the options compared keeps every limit; the other {counted(impossible, 'is left out', 'are left out')}"
        )
    if curve.sample_rate is not None and Input(_draws.SAMPLE) not in found.draws.places:
        parts.append("the error of the sample of pages is not known")
    if asked.limits_response:
        parts.append(
            "limits on response times are held in each draw, with the service times that are stated"
        )
    if not in_money:
        parts.append(
            "regret and what measuring is worth are stated where money is the objective"
        )
    return "; ".join(parts)


def _about_prices(found: Sure) -> str:
    """Say which prices were drawn, and by how much they may be off."""
    spreads = found.draws.spreads
    if not spreads:
        return NO_PRICES
    said = [_about_price(key, each) for key, each in spreads.items()]
    return f"prices of {'; of '.join(said)}; other prices stay as they are"


def _about_price(key: str, each: PriceRange) -> str:
    by = f"{price_words(key)} by {percent(each.high - 1)} up or {percent(1 - each.low)} down"
    spread = each.spread
    if spread is None:
        return f"{by}, as its source states"
    return (
        f"{by}, as far apart as prices of `{spread.series}` were from {spread.first} to "
        f"{spread.last}"
    )


def _named(each: Input) -> str:
    """Name an input in a list."""
    match each.name:
        case _draws.SAMPLE:
            return "the error of the sample of pages"
        case _draws.SHORT:
            return "what the recording is too short to show"
        case _draws.LAW:
            return "the error of the scale law"
        case _draws.STEADY:
            return "the error of the model in the steady state"
        case _draws.HITS:
            return f"the flash hits of {scheme_titles()[each.of[0]]}"
        case _draws.PRICE:
            return f"the price of {price_words(each.of[0])}"
        case _:
            return f"the time of a page {each.of[1]} of `{each.of[0]}`"


def _what_to_do(each: Input | None) -> str:
    """Say what would make an input known, as the first thing to do."""
    if each is None:
        return "Record for longer first"
    match each.name:
        case _draws.SAMPLE:
            return "Profile all pages first"
        case _draws.SHORT:
            return "Record for longer, until caches of this size are full, first"
        case _draws.LAW:
            return "Record a system of the size of production first"
        case _draws.STEADY:
            return "Replay the recording at these sizes first"
        case _draws.HITS:
            return f"Replay {scheme_titles()[each.of[0]]} on the recording first"
        case _draws.PRICE:
            return f"Ask for a binding quote of {price_words(each.of[0])} first"
        case _:
            return f"Measure the time of a page {each.of[1]} of `{each.of[0]}` first"


def _worth(
    found: Sure, ranges: Callable[[Input], Buys], most: Decimal
) -> Iterator[Information]:
    """Say what knowing each input is worth, the most first, at most eight; what is worth nothing is listed too."""
    at = found.contenders.options.ram_pages + found.contenders.options.flash_pages
    size = float(at[found.chosen])
    column = int(
        np.argmin(np.abs(found.draws.ranges.curve.pages.astype(np.float64) - size))
    )
    values: list[tuple[Input | None, FloatArray]] = [
        (None, found.draws.misses[:, column]),
        *found.draws.places.items(),
    ]
    stated = found.contenders.buys(
        [found.contenders.on(found.draws.ranges.curve, State())]
    )
    worth = [
        (
            worth_of(
                found.buys,
                value,
                stated,
                None if each is None else ranges(each),
            ),
            each,
        )
        for each, value in values
    ]
    worth.sort(key=lambda two: -two[0])
    for place, (usd, each) in enumerate(worth[:MOST_BARS]):
        about = "the windows of the recording" if each is None else _named(each)
        cents = min(_cents(usd), most)
        # Only one of them can come first.
        to_do = _what_to_do(each)
        if place:
            to_do = to_do.removesuffix(" first").removesuffix(",")
        text = (
            f"{to_do}: worth {money(cents)} per month."
            if cents > 0
            else f"Knowing {about} better would make no other choice clearly cheaper."
        )
        yield Information(about, cents, text)


def _along_range(found: Sure, each: Input) -> Buys:
    """Contenders at evenly spaced places of the range of one input, the others as they are stated."""
    return _at_places(found, each, SCALE.tolist())


def _at_places(found: Sure, each: Input, places: Iterable[float]) -> Buys:
    """Contenders at some places of the range of one input, the others as they are stated."""
    return found.contenders.buys(
        [
            found.contenders.on(
                _draws.curve_at(found.draws.ranges, {each: place}),
                found.draws.state_of({each: place}),
            )
            for place in places
        ]
    )


@dataclass(frozen=True, slots=True)
class _Along:
    """The best contender at places of the range of one input, the others as they are.

    The recommendation where it is within 1 % of it; None where no contender keeps every limit.

    Attributes
    ----------
    usd : float64 array
        Least cost at each place. [USD/month]
    index : list of int or None
        Which contender is the choice; one that breaks a limit there gives way to others of its kind.
    bought : list of (int, int) or None
        Which contender costs that, and how many more of the devices whose number is free it needs.
    """

    usd: FloatArray
    index: list[int | None]
    bought: list[tuple[int, int] | None]


def _along(found: Sure, buys: Buys) -> _Along:
    """Say which contender is the best at each place of the range of an input."""
    needed = np.where(buys.keeps, buys.fixed + buys.unit * buys.needed, np.inf)
    least = buys.least()
    own = buys.costs(buys.bought)[:, found.chosen]
    # Of those that cost the same, one that is most like the choice.
    is_least = needed <= least[:, np.newaxis] * (1 + ROUNDING)
    cheapest = np.where(is_least, found.contenders.alike(found.chosen), 3).argmin(
        axis=1
    )
    best = np.where(own <= least * (1 + NEAR), found.chosen, cheapest)
    index = [
        int(at) if math.isfinite(usd) else None
        for at, usd in zip(best.tolist(), least.tolist(), strict=True)
    ]
    bought = [
        None if at is None else (one, int(buys.needed[place, one] - buys.bought[one]))
        for place, (at, one) in enumerate(zip(index, cheapest.tolist(), strict=True))
    ]
    return _Along(least, index, bought)


def _drawn(found: Sure, cautions: Iterable[Caution]) -> dict[Input, Caution]:
    """Return the inputs that were drawn and that a caution speaks of, each once."""
    inputs = {each.name: each for each in found.draws.places if not each.of}
    drawn: dict[Input, Caution] = {}
    for caution in cautions:
        each = inputs.get(OF_CAUTION.get(caution.name, ""))
        if each is not None:
            drawn.setdefault(each, caution)
    return drawn


def _ends_of(found: Sure, each: Input) -> list[tuple[str, Curve]]:
    """Return both ends of the range of an input of the curve, in words and as a curve."""
    return [
        (
            _value(found.draws.ranges, found.draws, each, place),
            _draws.curve_at(found.draws.ranges, {each: place}),
        )
        for place in (0.0, 1.0)
    ]


def _bars(
    found: Sure,
    ranges: Callable[[Input], Buys],
    others: tuple[Bar, ...],
    drawn: Mapping[Input, Caution],
) -> tuple[Bar, ...]:
    """Return a bar of each input that was drawn and that a caution speaks of, or a source states, with its flip; and others.

    A bar ends where the draws end, so that it speaks of the range that probability and worth speak of.
    """
    made = list(others)
    for each in found.draws.places:
        if each in drawn:
            made.append(_own_bar(found, each, ranges(each), drawn[each].message))
        elif each.name in (_draws.TIME, _draws.PRICE):
            bar = _own_bar(found, each, ranges(each), _named(each))
            if bar.flip is not None or _width(bar) > 0:
                made.append(bar)
    made.sort(key=_width, reverse=True)
    return tuple(made[:MOST_BARS])


def _width(bar: Bar) -> float:
    low, high = bar.usd_per_month_low, bar.usd_per_month_high
    return float("inf") if low is None or high is None else float(abs(high - low))


def _with_flip(found: Sure, bar: Bar, each: Input, along: _Along) -> Bar:
    """Say at which place of its range the choice becomes another one, nearest to the middle."""
    base = _place_as_is(found, each)
    other = [
        at
        for at, index in enumerate(along.index)
        if index is not None and index != found.chosen
    ]
    if not other:
        return bar
    at = min(other, key=lambda one: abs(SCALE[one] - base))
    place, usd = _first_other(found, each, base, at, float(along.usd[at]))
    return replace(
        bar,
        flip=_value(found.draws.ranges, found.draws, each, place),
        usd_per_month_flip=_cents(usd),
    )


def _first_other(
    found: Sure, each: Input, base: float, at: int, usd: float
) -> tuple[float, float]:
    """Return from which place of a range on another option is the choice, as it is written, and what that costs.

    Between a place of `SCALE` at which it is and the one before, on the side of what was used, the change is found by
    halving; where the choice changes there several times, it is one of these changes. What is written has three digits:
    it is rounded to the side on which the other option is the choice, and asked there.

    Parameters
    ----------
    found, each
        As of `_own_bar`.
    base : float
        Place as it is used. [1]
    at : int
        Index of the place of `SCALE` nearest to it at which another option is the choice.
    usd : float
        What the best one costs there. [USD/month]
    """
    outer = float(SCALE[at])
    if outer == base:
        return outer, usd
    towards = math.copysign(1 / (STEPS - 1), base - outer)
    inner = outer + towards if abs(towards) < abs(base - outer) else base

    def other_at(place: float) -> float | None:
        """Return what the best option costs where it is another one; None where it is none."""
        along = _along(found, _at_places(found, each, [place]))
        same = along.index[0] is None or along.index[0] == found.chosen
        return None if same else float(along.usd[0])

    is_up = outer > inner
    written = partial(_next_written, found, each, is_up=is_up)
    for _ in range(_HALVINGS):
        if written(inner) == written(outer):
            break
        middle = (inner + outer) / 2
        cost = other_at(middle)
        if cost is None:
            inner = middle
        else:
            outer, usd = middle, cost
    place = _place_of(found, each, written(outer), 1.0 if is_up else 0.0)
    cost = other_at(place)
    # Where the choice changes back within the last digit, it is not rounded.
    return (outer, usd) if cost is None else (place, cost)


def _next_written(found: Sure, each: Input, place: float, *, is_up: bool) -> float:
    """Return the next value that three digits write, from that at a place on, up or down."""
    value, base = _written(found, each, place)
    return base + _three_digits_beyond(value - base, is_up=is_up)


def _three_digits_beyond(value: float, *, is_up: bool) -> float:
    """Round to three significant digits, up or down."""
    if value == 0:
        return 0.0
    power = math.floor(math.log10(abs(value))) - 2
    steps = value / 10.0**power
    # What has three digits stays, whatever the last bit of the division.
    whole = math.ceil(steps - _LAST_BITS) if is_up else math.floor(steps + _LAST_BITS)
    return float(f"{whole}e{power}")


def _place_of(found: Sure, each: Input, value: float, end: float) -> float:
    """Return the place at which an input has a value that is written; the end of its range where that lies beyond."""
    low, high = 0.0, 1.0
    at_end = _written(found, each, end)[0]
    if (value - at_end) * (1 if end else -1) >= 0:
        return end
    for _ in range(_BITS):
        middle = (low + high) / 2
        if _written(found, each, middle)[0] < value:
            low = middle
        else:
            high = middle
    return high


def _written(found: Sure, each: Input, place: float) -> tuple[float, float]:
    """Return the value of an input at a place of its range as `_value` writes it, and from what on that counts."""
    draws = found.draws
    match each.name:
        case _draws.LAW:
            times = float((1 + draws.ranges.law) ** (2 * place - 1))
            return times, 1.0 if times < TWICE else 0.0
        case _draws.SHORT:
            return 2 * place - 1, 0.0
        case _draws.SAMPLE:
            return place, 0.0
        case _draws.PRICE:
            return draws.spreads[each.of[0]].at(place), 1.0
        case _:
            return _draws.time_at(draws.bounds[each.of], place), 0.0  # type: ignore[index]


def _place_as_is(found: Sure, each: Input) -> float:
    """Place in its range at which an input stays as it is."""
    if each.name == _draws.PRICE:
        return found.draws.spreads[each.of[0]].place_as_is
    if each.name != _draws.TIME:
        return 0.5
    used, low, high = found.draws.bounds[each.of]  # type: ignore[index]
    return float(np.log(used / low) / np.log(high / low))


def _value(ranges: Ranges, draws: Draws, each: Input, place: float) -> str:
    """Write the value of an input at a place of its range, to be read behind *if*."""
    away = 2 * place - 1
    match each.name:
        case _draws.LAW:
            times = float((1 + ranges.law) ** away)
            return f"the misses are {as_many(times)} the law says"
        case _draws.SHORT if place == 0:
            return "no first touch misses there"
        case _draws.SHORT if place == 1 and ranges.late:
            return "first touches miss there as often as they came in the last half of the recording"
        case _draws.SHORT if place == 1:
            return "every first touch misses there"
        case _draws.SHORT:
            of = "misses" if away > 0 else "hits"
            return f"{percent(abs(away))} of what the recording is too short to show are {of}"
        case _draws.SAMPLE if place in (0, 1):
            side = "more" if place else "fewer"
            return f"the misses are {_draws.MOST_ERRORS:g} standard errors of the sample {side}"
        case _draws.SAMPLE:
            side = "above" if away > 0 else "below"
            return f"the misses are at the {percent(place)} point of their interval, {side} its middle"
        case _draws.PRICE:
            off_by = draws.spreads[each.of[0]].at(place) - 1
            more = "more" if off_by > 0 else "less"
            words = price_words(each.of[0])
            cost = "cost" if words in SEVERAL_PRICED else "costs"
            return f"{words} {cost} {percent(abs(off_by))} {more}"
        case _:
            bound = draws.bounds[each.of]  # type: ignore[index]
            time = format_microseconds(_draws.time_at(bound, place))
            return f"a page {each.of[1]} of `{each.of[0]}` takes {time}"


def _bought(found: Sure, bought: tuple[int, int] | None) -> str | None:
    """Name what is bought at an end of a bar, and how many more or fewer of its devices; None where nothing keeps every limit."""
    if bought is None:
        return None
    at, more = bought
    name = found.contenders.named(at)
    if not more:
        return name
    than = "more" if more > 0 else "fewer"
    return f"{name}, with {counted(abs(more), f'device {than}', f'devices {than}')}"


def _own_bar(found: Sure, each: Input, buys: Buys, about: str) -> Bar:
    along = _along(found, buys)
    kinds = found.contenders.kinds
    ends = (0, STEPS - 1)
    usd = [None if along.index[at] is None else _cents(along.usd[at]) for at in ends]
    index = [along.index[at] for at in ends]
    titles = [_bought(found, along.bought[at]) for at in ends]
    bar = Bar(
        about,
        _value(found.draws.ranges, found.draws, each, 0.0),
        _value(found.draws.ranges, found.draws, each, 1.0),
        usd[0],
        usd[1],
        titles[0],
        titles[1],
        any(at is None or kinds[at] != kinds[found.chosen] for at in index),
    )
    return _with_flip(found, bar, each, along)
