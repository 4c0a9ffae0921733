"""What an advice holds: options, what was rejected and why, how sure it is, what rules of thumb would have bought."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from tierwright.common.answer import Answer, Figure
from tierwright.common.errors import BadInput
from tierwright.common.units import format_microseconds
from tierwright.common.wording import counted, duration, small_percent, three_digits
from tierwright.evaluate.advice.limits import LEAST, RESPONSES, ROUNDING
from tierwright.evaluate.advice.whole_limits import UNITS as WHOLE
from tierwright.evaluate.advice.whole_limits import most_units
from tierwright.trace.notes import Note

ESTIMATOR = (
    "every option of the candidates, page-flow formulas C0 to C3 on the curve; sums of rounded lines, as a bill; "
    "devices as queues M/G/c for response times"
)


RANGED = (
    "io_time_us_per_access",
    "response_mean_us",
    "response_p50_us",
    "response_p99_us",
    "response_mean_mean_us",
    "response_p50_mean_us",
    "response_p99_mean_us",
    "peak_busy",
    "throughput_accesses_per_s",
    "flash_life_years",
    "months_until_too_small",
)
"""Keys of an option that depend on how many evicted pages are dirty."""
FALLING = frozenset(
    {"throughput_accesses_per_s", "flash_life_years", "months_until_too_small"}
)
"""Those of them that are less the more pages are dirty."""
NOT_SPLIT = (
    "splits are computed of the recommendation, of what there is and of what was close"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """Where other questions of the same workload are asked for an option, so that they answer with its figures.

    Attributes
    ----------
    ram_pages, flash_pages : int
        On the curve of the workload, which is of one of `curve_machines`: where it misses what the option misses. [pages]
    flash_device, disk_device : str or None, str
        Ids of what caches, None where nothing does, and of what holds the data.
    flash_devices, disks : int
        Of one machine of the option.
    machines, curve_machines : int
        Equal machines of the option, and of the workload.
    accesses_per_s, peak_accesses_per_s : float or None
        Of one machine of the option, on average and in the busiest hour; None without a rate. [1/s]
    scheme : str
        Page flow; `none` without flash.
    io_time_us_per_access : float
        By the model, whatever a replay says. [µs]
    growth_per_year : float
        Of the load, by which flash is worn; 0 without. [1]
    """

    ram_pages: int
    flash_pages: int
    flash_device: str | None
    disk_device: str
    flash_devices: int
    disks: int
    machines: int
    curve_machines: int
    accesses_per_s: float | None
    peak_accesses_per_s: float | None
    scheme: str
    io_time_us_per_access: float
    growth_per_year: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One way to buy and to run the hierarchy. Sizes and money are of all machines together.

    Attributes
    ----------
    name : str
        What it is, in words.
    kind : str
        `instances`, `volumes`, `chassis`, `devices`, `have` or, of a quote, `quotes`.
    machines : int
        Equal machines.
    ram_bytes, flash_bytes : int
        RAM, and flash that caches before what holds the data. [bytes]
    flash_device, disk_device : str or None
        What caches, and what holds the data.
    flash_devices, disks : int
        How many of each.
    server : str or None
        Instance or chassis, of what there is as its bill names it; None for devices bought by themselves.
    volumes : tuple of dict
        Volumes: `quantity` is that of all machines, sizes and rates are of each volume.
    scheme : str
        Page flow between RAM, flash and disk; `none` without a cache of flash.
    clean_share : float or None
        Of RAM, for clean pages of a split buffer pool; None where LRU does as well, or `clean_share_reason` says why. [1]
    clean_share_gain : float or None
        Share of the I/O time of LRU that the best split saves on the recording; None where that was not counted. [1]
    clean_share_reason : str
        Why RAM is not split; empty where it is.
    clean_share_uncounted_pages : int or None
        RAM of one machine, where a count of its splits would tell `clean_share`; None elsewhere. [pages]
    admission : str or None
        What decides which pages enter flash, where a flash cache runs the option behind an assignment of categories;
        None where all do that its scheme sends there.
    admission_by : str or None
        What tells these categories apart, as `tierwright.profile.categories.kinds` names it; None without them.
    options : dict
        Of the scheme, as `tierwright simulate` takes them: the assignment; empty where there is none.
    usd_per_month, purchase_usd : Decimal or None
        Sum of the rows of the bill, and what is paid at purchase; None where a price is missing.
    on_existing : bool
        Whether a quote runs on machines that there are, whose costs continue and are not in its price.
    without_machine : bool
        Whether it is RAM and devices whose price lacks the machine that they need, as none was stated.
    io_time_us_per_access : float or None
        Busy time of one device of each tier. [µs]
    replayed_io_time_us_per_access : float or None
        The same as its replay counts it; None where it was not replayed. [µs]
    response_mean_us, response_p50_us, response_p99_us : float or None
        Mean, median and 99th percentile of a page access in the busiest hour; None where the rate or a latency is unknown, or a device cannot keep up. [µs]
    response_mean_mean_us, response_p50_mean_us, response_p99_mean_us : float or None
        The same at the mean rate. [µs]
    response_reason : str
        Why one of these is None, and how to get it; empty where none is.
    peak_busy : float or None
        Largest share of the time for which a device is busy in the busiest hour. [1]
    throughput_accesses_per_s : float or None
        Page accesses of all machines at which the busiest device is as busy as is allowed; None where the rate or a
        busy time is unknown, or nothing is ever busy. [1/s]
    flash_life_years : float or None
        Least life of flash that is bought, as the load grows; None where none is written, the provider replaces it, or
        nothing is known. [year]
    restart_s : float or None
        Until RAM serves 95 % of its hits again after a restart, at the mean rate, at least; None where the rate or a
        read time is unknown. [s]
    power_watts : float or None
        Of servers built from parts, under load; None where no source states it. [W]
    rack_units : float or None
        Height of these servers in a rack; None where not stated. [U]
    ram_hit_share, flash_hit_share, disk_share : float
        Of the accesses, by where the page is read; new pages are made in RAM. [1]
    months_until_too_small : float or None
        Until growth breaks the busy share that is allowed; None where the data do not grow or the rate is unknown. [month]
    bill : tuple of dict
        Rows of `tierwright bill`, each with its purchase spread over the months; amounts as texts. One
        row of kind `stated` where the cost was stated as an amount; empty where a price is missing.
    config : dict
        CONFIG of `tierwright bill`, as it is read again; empty where the cost was stated, or a device has no price.
    ranges : dict of str to pair of float or None
        Ends of `RANGED` figures, by their key, where nobody said which evicted pages are dirty: the figures are None
        then. An end that is None is not known, or without end. Empty elsewhere.
    point : Point or None
        Where other questions are asked for it; None where they cannot state its devices, or it is of several workloads.
    """

    name: str
    kind: str
    machines: int
    ram_bytes: int
    flash_bytes: int
    flash_device: str | None
    disk_device: str | None
    flash_devices: int
    disks: int
    server: str | None
    volumes: tuple[dict[str, Any], ...]
    scheme: str
    usd_per_month: Decimal | None
    purchase_usd: Decimal | None
    io_time_us_per_access: float | None
    response_mean_us: float | None
    response_p50_us: float | None
    response_p99_us: float | None
    response_mean_mean_us: float | None
    response_p50_mean_us: float | None
    response_p99_mean_us: float | None
    peak_busy: float | None
    throughput_accesses_per_s: float | None
    flash_life_years: float | None
    restart_s: float | None
    power_watts: float | None
    rack_units: float | None
    ram_hit_share: float
    flash_hit_share: float
    disk_share: float
    months_until_too_small: float | None
    bill: tuple[dict[str, Any], ...]
    config: dict[str, Any]
    replayed_io_time_us_per_access: float | None = None
    response_reason: str = ""
    on_existing: bool = False
    without_machine: bool = False
    clean_share: float | None = None
    clean_share_gain: float | None = None
    clean_share_reason: str = NOT_SPLIT
    clean_share_uncounted_pages: int | None = None
    admission: str | None = None
    admission_by: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    ranges: dict[str, tuple[float | None, float | None]] = field(default_factory=dict)
    point: Point | None = None

    def ends(self, figure: str) -> tuple[float | None, float | None]:
        """Return both ends of a figure, twice the same where it does not depend on which evicted pages are dirty.

        Parameters
        ----------
        figure : str
            One of `RANGED`.
        """
        value: float | None = getattr(self, figure)
        return self.ranges.get(figure, (value, value))


@dataclass(frozen=True, slots=True)
class Broken:
    """A limit that an option breaks.

    Attributes
    ----------
    constraint : str
        Its name.
    value, limit : float or None
        Of the option, and the limit; None where it has none or it is unknown.
    relaxation : float or None
        By how much the limit has to be relaxed; None where relaxing it is not possible.
    """

    constraint: str
    value: float | None
    limit: float | None
    relaxation: float | None


@dataclass(frozen=True, slots=True)
class Rejected:
    """An option that breaks limits.

    Attributes
    ----------
    option : Option
    constraint, value, limit, relaxation
        The first limit that it breaks, as `Broken`.
    also : tuple of Broken
        The others: all of them have to be relaxed to admit it.
    text : str
        The same in words.
    """

    option: Option
    constraint: str
    value: float | None
    limit: float | None
    relaxation: float | None
    also: tuple[Broken, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Shadow:
    """What the objective would be without one limit: what the limit costs.

    Attributes
    ----------
    constraint : str
    usd_per_month : Decimal
        Of the option that would be best. [USD/month]
    io_time_us_per_access : float
        Of the same. [µs]
    name : str
        What it is.
    without_machine : bool
        As of an option.
    """

    constraint: str
    usd_per_month: Decimal
    io_time_us_per_access: float
    name: str
    without_machine: bool = False


@dataclass(frozen=True, slots=True)
class StaircaseStep:
    """What a limit buys from one of its values on.

    Attributes
    ----------
    value : float or None
        The tightest limit that the option keeps, in the unit of the constraint; None where it keeps any.
    name, scheme : str
        What it is, and its page flow.
    usd_per_month : Decimal
        [USD/month]
    io_time_us_per_access : float
        [µs]
    """

    value: float | None
    name: str
    scheme: str
    usd_per_month: Decimal
    io_time_us_per_access: float


@dataclass(frozen=True, slots=True)
class Staircase:
    """What a limit would buy at every value of it, all other limits as asked: the best choice, by the model.

    A limit buys the last of the steps that keeps it; one tighter than the first step buys nothing.

    Attributes
    ----------
    constraint : str
        Its name.
    limit : float or None
        As it was asked, in its unit; None where none was.
    steps : tuple of StaircaseStep
        From the tightest limit on, at most 200; empty where `reason` says why.
    tightest_known, loosest_known : float or None
        The limits between which the steps hold: beyond them another option may be the best. None where they hold for
        all.
    reason : str
        Why there are no steps; empty where there are.
    """

    constraint: str
    limit: float | None
    steps: tuple[StaircaseStep, ...]
    tightest_known: float | None
    loosest_known: float | None
    reason: str

    def at(self, limit: float) -> StaircaseStep | None:
        """Return what a limit buys; None where no option keeps it.

        Parameters
        ----------
        limit : float
            In the unit of the constraint.

        Raises
        ------
        BadInput
            If that is not known: the limit lies beyond those for which the steps hold, or there are no steps.

        Examples
        --------
        >>> steps = tuple(
        ...     StaircaseStep(value, name, "none", Decimal(usd), value)
        ...     for value, name, usd in ((2.0, "fast", 90), (8.0, "slow", 40))
        ... )
        >>> found = Staircase("io_time_us_per_access", None, steps, None, None, "")
        >>> [getattr(found.at(limit), "name", None) for limit in (1.0, 2.0, 7.0, 9.0)]
        [None, 'fast', 'fast', 'slow']
        """
        least = self.constraint in LEAST

        def keeps(value: float | None, of: float) -> bool:
            if value is None:
                return True
            if self.constraint in RESPONSES:
                return value <= of
            if self.constraint in WHOLE and math.isfinite(of):
                own, most = (
                    most_units(self.constraint, Decimal(repr(each)))
                    for each in (value, of)
                )
                return own <= most
            share = 1 - ROUNDING if least else 1 + ROUNDING
            return value >= of * share if least else value <= of * share

        ends = self.tightest_known, self.loosest_known
        beyond = (
            ends[0] is not None and not keeps(ends[0], limit),
            ends[1] is not None and not keeps(limit, ends[1]),
        )
        if not self.steps or any(beyond):
            raise BadInput(
                f"{self.constraint}: {limit:g}: what it buys is not known"
                + (f": {self.reason}" if self.reason else ""),
                "ask again with this limit among the constraints",
            )
        found = [step for step in self.steps if keeps(step.value, limit)]
        return found[-1] if found else None


@dataclass(frozen=True, slots=True)
class Verdict:
    """How good the recommendation is.

    Attributes
    ----------
    viable : bool
        Whether some option keeps every limit.
    optimality_gap : float or None
        Of the objective, over the candidates: 0 where every one was evaluated or left out by a bound. [1]
    limited_by : str or None
        The constraint that costs most; None where none costs anything.
    shadows : tuple of Shadow
        What each constraint that costs something costs.
    text : str
        In words.
    """

    viable: bool
    optimality_gap: float | None
    limited_by: str | None
    shadows: tuple[Shadow, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Infeasible:
    """Why no option is left.

    Attributes
    ----------
    conflict : tuple of str
        Limits that no option keeps together; without any one of them some option keeps the rest.
    text : str
        In words, with the next step.
    heading : str
        The limits in short, with their values; empty where the text is as short.
    more : str
        What the text says besides what the heading does: the next step.
    """

    conflict: tuple[str, ...]
    text: str
    heading: str = ""
    more: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """What one input that is not known does to the answer.

    Attributes
    ----------
    about : str
        The input.
    low, high : str
        Its ends, in words.
    usd_per_month_low, usd_per_month_high : Decimal or None
        Of the best option at either end; None where there is none. [USD/month]
    best_low, best_high : str or None
        What it is.
    io_time_us_low, io_time_us_high : float or None
        Of the best option at either end where the objective is the I/O time; None where there is none, and for other
        objectives. [µs]
    changes : bool
        Whether the recommendation changes at an end.
    flip : str or None
        The value nearest to the one that was used at which another option is the best, in words; None where there is
        none, or without a probability.
    usd_per_month_flip : Decimal or None
        Of the best option there. [USD/month]
    io_time_us_flip : float or None
        Of the same where the objective is the I/O time; None for other objectives. [µs]
    """

    about: str
    low: str
    high: str
    usd_per_month_low: Decimal | None
    usd_per_month_high: Decimal | None
    best_low: str | None
    best_high: str | None
    changes: bool
    flip: str | None = None
    usd_per_month_flip: Decimal | None = None
    io_time_us_low: float | None = None
    io_time_us_high: float | None = None
    io_time_us_flip: float | None = None


@dataclass(frozen=True, slots=True)
class Information:
    """What knowing one input is worth.

    Attributes
    ----------
    about : str
        The input.
    usd_per_month : Decimal
        By how much less the best choice is expected to cost if it is known; from 0 to the expected regret. [USD/month]
    text : str
        What to do first, and what that is worth.
    """

    about: str
    usd_per_month: Decimal
    text: str


def _years(value: float) -> str:
    return counted(three_digits(value), "year")


def _per_second(value: float) -> str:
    return f"{three_digits(value)} accesses per second"


def _months(value: float) -> str:
    # Space for exactly the horizon is for all of it.
    return counted(math.floor(value + 1e-6), "month")


def warm(seconds: float) -> str:
    """Write how long it takes until RAM is warm."""
    return "at once" if seconds == 0 else duration(seconds)


FIGURES: Mapping[str, tuple[str, Callable[[float], str]]] = {
    "ram_hit_share": ("hits in RAM", small_percent),
    "flash_hit_share": ("hits in the flash cache", small_percent),
    "disk_share": ("read from what holds the data", small_percent),
    "io_time_us_per_access": ("I/O time per access", format_microseconds),
    "peak_busy": ("busy in the busiest hour", small_percent),
    "throughput_accesses_per_s": ("throughput", _per_second),
    "flash_life_years": ("life of the flash", _years),
    "restart_s": ("warm after a restart", warm),
    "months_until_too_small": ("until it is too small", _months),
    "response_mean_us": ("mean response time, busiest hour", format_microseconds),
    "response_p50_us": ("median response time, busiest hour", format_microseconds),
    "response_p99_us": ("p99 response time, busiest hour", format_microseconds),
    "response_mean_mean_us": (
        "mean response time, at the mean rate",
        format_microseconds,
    ),
    "response_p50_mean_us": (
        "median response time, at the mean rate",
        format_microseconds,
    ),
    "response_p99_mean_us": (
        "p99 response time, at the mean rate",
        format_microseconds,
    ),
}
"""Keys of an option that have an interval: in words, and how a value is written."""


_COUNTED: Mapping[str, str] = {
    "peak_busy": "peak_busy",
    "throughput_accesses_per_s": "peak_busy",
    "io_time_us_per_access": "io_time_us_per_access",
    "flash_life_years": "flash_life_years",
}
"""Figure of the replay of a flash cache by which each of these limits is held."""


def broken_and_unknown(
    breaks: Iterable[str], figures: Mapping[str, float | None]
) -> tuple[list[str], list[str]]:
    """Tell limits that a replayed flash cache breaks from those of which its replay knows nothing.

    Parameters
    ----------
    breaks : iterable of str
        As `CachedOption.breaks`.
    figures : mapping of str to float or None
        What its replay counted, by key; None where unknown.

    Examples
    --------
    >>> broken_and_unknown(("peak_busy", "restart_s"), {"peak_busy": 0.71})
    (['peak_busy'], ['restart_s'])
    """
    broken: list[str] = []
    unknown: list[str] = []
    for name in breaks:
        known = figures.get(_COUNTED.get(name, "")) is not None
        (broken if known else unknown).append(name)
    return broken, unknown


@dataclass(frozen=True, slots=True)
class Interval:
    """Between which values a figure of the recommendation lies in 90 % of the draws.

    Attributes
    ----------
    figure : str
        Key of the option.
    low, high : float
        In the unit of that key.
    """

    figure: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure the recommendation is.

    Attributes
    ----------
    probability_best : float or None
        That it lies within 1 % of the best where some option keeps every limit, which `none_keeps_share` leaves out;
        None where the data do not allow one, then `reason` says why. [1]
    expected_regret_usd_per_month : Decimal or None
        What it is expected to cost more than the best in the same draws; None as above, and where money is not the
        objective. [USD/month]
    tornado : tuple of Bar
        What the inputs that are not known do to the answer, the largest first.
    value_of_information : tuple of Information or None
        What knowing each input is worth, the most first; empty without a probability, None where money is not the
        objective.
    reason : str
        Why there is no probability, or what it rests on.
    text : str
        The probability in words; empty without one.
    headline : str
        The start of `text`: the probability, of which draws it is, and in how many it breaks a limit; empty without one.
    windows, block_windows, draws : int or None
        Windows after the warm-up, those of a block, and the draws in which some option keeps every limit; None without a
        probability.
    breaks_share : float or None
        Share of all draws in which the recommendation breaks a limit as it is bought, those of `none_keeps_share` among
        them; None without a probability. [1]
    none_keeps_share : float or None
        Share of all draws in which none of the options compared keeps every limit; None without a probability. [1]
    more_accesses : int or None
        Accesses to record besides before there is a probability; None where there is one, or it is not the recording
        that is missing.
    intervals : tuple of Interval
        Of figures of the recommendation as it is bought; empty without a probability.
    about_bars : str
        How many inputs were drawn, and how many of them have a bar in `tornado`; empty without a probability, and where
        money is not the objective.
    """

    probability_best: float | None
    expected_regret_usd_per_month: Decimal | None
    tornado: tuple[Bar, ...]
    value_of_information: tuple[Information, ...] | None
    reason: str
    text: str = ""
    windows: int | None = None
    block_windows: int | None = None
    draws: int | None = None
    breaks_share: float | None = None
    more_accesses: int | None = None
    intervals: tuple[Interval, ...] = ()
    headline: str = ""
    none_keeps_share: float | None = None
    about_bars: str = ""


FIRST_TOUCHES_ALONE = "Its replay shows first touches alone, for the recording does not fill its RAM: how long an access takes is by the model."
"""Why what was replayed has no gap though there is a model of it."""
NO_TIME_TO_COMPARE = "Its replay takes no I/O time, so there is no share by which the model could differ."
"""The same of what reads and writes nothing in its replay."""
NO_FORMULA = "There is no formula for a flash cache: the replay stands alone."
"""Why what was replayed has no gap where there is no model of it."""


@dataclass(frozen=True, slots=True)
class CheckedOption:
    """An option replayed in the reference simulator.

    Attributes
    ----------
    option : Option
    model, simulated : float or None
        I/O time of an access by the model, and by the replay; None where it was not replayed. [µs]
    gap : float or None
        By what share the model differs from the replay; None too where the recording does not fill the RAM, so that the
        replay shows first touches alone: a warning says so, and the model ranks it. [1]
    is_beyond_band : bool
        Whether the replay lies outside the known error of the model; False where there is no gap.
    reason : str
        Why it was not replayed, or why there is no gap though it was; empty where there is one.
    band : float or None
        By what share the two may differ: the known error of the model; None where there is no gap. [1]
    warnings : tuple of Note
        What its replay says of what it counted.
    flash_life_years : float or None
        Least life of flash that is bought, by what the replay writes; None where none is worn, or nothing is known.
        [365 days]
    """

    option: Option
    model: float | None
    simulated: float | None
    gap: float | None
    is_beyond_band: bool
    reason: str
    band: float | None
    warnings: tuple[Note, ...] = ()
    flash_life_years: float | None = None


@dataclass(frozen=True, slots=True)
class CachedOption:
    """A flash cache replayed on the hardware of an option, beside the page flow that it has there.

    Attributes
    ----------
    name, title : str
        Of the flash cache; the title is for people.
    hardware : str
        The option on whose hardware it was replayed.
    usd_per_month : Decimal
        Of that option. [USD/month]
    page_flow : str
        What runs that option by the ranking.
    page_flow_breaks : tuple of str
        Constraints that the option breaks under it, by the model.
    admission : str or None
        `cachesack` where an assignment of categories decides what enters flash.
    admission_by : str or None
        What tells these categories apart, as `tierwright.profile.categories.kinds` names it; None without them.
    assignment : str
        What it assigns, in words; empty without one.
    options : dict of str to str
        All that were in force in its replay, units that shrank with the flash of the replay among them; empty where it
        was not replayed.
    io_time_us_per_access, page_flow_io_time_us_per_access : float or None
        By the replays of both; None where not replayed. [µs]
    saving : float or None
        Share of the I/O time of page flow that the flash cache saves; below 0 where it takes more. [1]
    peak_busy : float or None
        Largest busy share of a device in the busiest hour. [1]
    flash_life_years : float or None
        None where no flash that is bought is worn, or nothing is known. [365 days]
    flash_writes_per_access : float or None
        Pages, metadata included. [1]
    ram_hit_share, flash_hit_share : float or None
        Of the accesses; new pages are made in RAM. [1]
    ram_tax_bytes : int or None
        RAM of all machines that its metadata take, which the replay lacks; None where no figure is published. [bytes]
    pace : str
        Of what works by the clock: by which factor the times of the recording were multiplied to replay it at the rate of
        the workload: one sentence of all those rows of which it is true; empty where by none.
    breaks : tuple of str
        Constraints that it breaks, or of which a replay knows nothing.
    is_chosen : bool
        Whether the recommendation runs it.
    reason : str
        Why it was not replayed; empty where it was.
    warnings : tuple of Note
        What its replay says of what it counted, and which defaults shrank with its flash.
    """

    name: str
    title: str
    hardware: str
    usd_per_month: Decimal
    page_flow: str
    page_flow_breaks: tuple[str, ...]
    admission: str | None
    admission_by: str | None
    assignment: str
    options: dict[str, str]
    io_time_us_per_access: float | None
    page_flow_io_time_us_per_access: float | None
    saving: float | None
    peak_busy: float | None
    flash_life_years: float | None
    flash_writes_per_access: float | None
    ram_hit_share: float | None
    flash_hit_share: float | None
    ram_tax_bytes: int | None
    pace: str
    breaks: tuple[str, ...]
    is_chosen: bool
    reason: str
    warnings: tuple[Note, ...] = ()


def figures_of(cache: CachedOption) -> dict[str, float | None]:
    """Return what the replay of a flash cache counted of what limits are stated on, by key."""
    return {name: getattr(cache, name) for name in sorted(set(_COUNTED.values()))}


@dataclass(frozen=True, slots=True)
class WhenStep:
    """A month from which another choice is the best.

    Attributes
    ----------
    month : int
        The first month that is known to have it; 1 is a month from now. [month]
    month_before : int
        The last month that is known to have the choice before. [month]
    name : str or None
        What it is; None where no option keeps every limit from then on.
    scheme : str or None
        Its page flow.
    usd_per_month : Decimal or None
        What it costs at the prices of today. [USD/month]
    io_time_us_per_access : float or None
        [µs]
    """

    month: int
    month_before: int
    name: str | None
    scheme: str | None
    usd_per_month: Decimal | None
    io_time_us_per_access: float | None


@dataclass(frozen=True, slots=True)
class When:
    """When the answer changes with growth.

    Attributes
    ----------
    growth_per_year : float
        Of data and load. [1]
    months_until_too_small : float or None
        Of the recommendation; None where it never is. [month]
    steps : tuple of WhenStep
        Months from which other hardware, another number of machines or another page flow is the best, if the
        question is asked again then, for as many months; empty where that was not computed.
    asked_until : int
        Last month that was asked; 0 where none was. [month]
    text : str
        In words.
    basis : str
        What the later months rest on.
    """

    growth_per_year: float
    months_until_too_small: float | None
    steps: tuple[WhenStep, ...]
    asked_until: int
    text: str
    basis: str


@dataclass(frozen=True, slots=True)
class PriceTrend:
    """How the price of a part of the purchase has moved.

    Attributes
    ----------
    kind : str
        Of the price history: `dram`, `ssd_enterprise`, `ssd`, `hdd`.
    purchase_usd : Decimal
        Part of the purchase. [USD]
    change_per_year : float or None
        By which share it rose in a year; None where no recent series tells it. [1]
    series, first, last : str or None
        Id of the series, and the dates of its two prices.
    first_usd_per_gb, last_usd_per_gb : Decimal or None
        These prices. [USD/GB]
    quarters : int or None
        Between them.
    """

    kind: str
    purchase_usd: Decimal
    change_per_year: float | None
    series: str | None
    first: str | None
    last: str | None
    first_usd_per_gb: Decimal | None = None
    last_usd_per_gb: Decimal | None = None
    quarters: int | None = None


@dataclass(frozen=True, slots=True)
class Waiting:
    """Whether to buy now or to wait.

    Attributes
    ----------
    pays : bool or None
        Whether waiting costs less; None where that could not be computed, where the price of the machines is not known,
        and where prices of less than a year alone decide it.
    months : int
        Of waiting. [month]
    usd_now, usd_later : Decimal or None
        All that is paid over the horizon, bought now and bought after waiting. [USD]
    usd_meanwhile, usd_by_prices : Decimal or None
        The parts of what waiting costs more, below 0 where it costs less: that what there is is paid for meanwhile
        instead of the choice, and that the purchase is paid at the prices of then. [USD]
    break_even_per_year : float or None
        Change of prices in a year at which both cost as much: waiting pays where they fall by more, or rise by less. [1]
    keeps_limits : bool or None
        Whether what there is keeps every limit until then; None where nobody said what there is.
    trends : tuple of PriceTrend
        Of what the purchase consists of, the largest part first.
    text : str
        In words.
    """

    pays: bool | None
    months: int
    usd_now: Decimal | None
    usd_later: Decimal | None
    usd_meanwhile: Decimal | None
    usd_by_prices: Decimal | None
    break_even_per_year: float | None
    keeps_limits: bool | None
    trends: tuple[PriceTrend, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An option with another size, beside the recommendation.

    Attributes
    ----------
    name : str
        What it is.
    value : float
        Its size.
    usd_per_month_more : Decimal
        What it costs more; below 0 where it costs less. [USD/month]
    io_time_us_more : float
        By how much it is slower; below 0 where it is faster. [µs]
    """

    name: str
    value: float
    usd_per_month_more: Decimal
    io_time_us_more: float


@dataclass(frozen=True, slots=True)
class FlatSize:
    """How far one size of the recommendation may be changed, among options of the same kind and page flow.

    Attributes
    ----------
    size : str
        `ram_bytes`, `flash_bytes`, `machines` or `disks`, of all machines together.
    value : float
        Of the recommendation. [bytes, or 1]
    low, high : float
        Ends of the sizes of the options that are at most 5 % worse. Of devices by themselves where the I/O time is
        to be least there is no largest number, for more take as long: `high` is at least the next one. [bytes, or 1]
    less, more : Neighbour or None
        The best option with at least a tenth less of it, and with at least a tenth more, all other sizes chosen
        again; None where no such option keeps every limit.
    text : str
        In words.
    """

    size: str
    value: float
    low: float
    high: float
    less: Neighbour | None
    more: Neighbour | None
    text: str


@dataclass(frozen=True, slots=True)
class NextDollar:
    """A step along the front: what more money buys.

    Attributes
    ----------
    name, scheme : str
        What it is, and its page flow.
    usd_per_month_more : Decimal
        What it costs more than the step before. [USD/month]
    io_time_us_saved : float
        By how much it is faster than the step before. [µs]
    usd_per_month_per_us : Decimal
        Both divided. [USD/month/µs]
    """

    name: str
    scheme: str
    usd_per_month_more: Decimal
    io_time_us_saved: float
    usd_per_month_per_us: Decimal


@dataclass(frozen=True, slots=True)
class NextDollars:
    """What the next dollar buys, and those after it.

    Attributes
    ----------
    steps : tuple of NextDollar
        From the recommendation on, each the most time for its money; at most 5.
    text : str
        In words.
    """

    steps: tuple[NextDollar, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuous:
    """The least that RAM, flash and disks would cost if they were sold in any size: a bound, not a purchase.

    Attributes
    ----------
    ram_bytes, flash_bytes : int
        Of all machines together. [bytes]
    flash_device, disk_device : str or None
        At whose price and rates flash caches, and the data are held.
    disks : float
        Devices that hold the data, be they parts of devices.
    scheme : str
        Page flow.
    usd_per_month : Decimal
        What these sizes cost. [USD/month]
    least_usd_per_month : Decimal
        No sizes of these devices cost less. [USD/month]
    gap : float
        Share of the cost by which any sizes could be cheaper at most. [1]
    text : str
        In words.
    """

    ram_bytes: int
    flash_bytes: int
    flash_device: str | None
    disk_device: str
    disks: float
    scheme: str
    usd_per_month: Decimal
    least_usd_per_month: Decimal
    gap: float
    text: str


@dataclass(frozen=True, slots=True)
class Scenario:
    """One way in which things may turn out.

    Attributes
    ----------
    name, title : str
        Key, and a few words.
    definition : str
        What is different.
    best : str or None
        The best of all candidates there; None where none keeps every limit.
    best_usd_per_month : Decimal or None
        What it costs. [USD/month]
    best_io_time_us : float or None
        [µs]
    """

    name: str
    title: str
    definition: str
    best: str | None
    best_usd_per_month: Decimal | None
    best_io_time_us: float | None


@dataclass(frozen=True, slots=True)
class Regret:
    """What a choice costs in one scenario.

    Attributes
    ----------
    usd_per_month : Decimal
        [USD/month]
    breaks : tuple of str
        Limits that it breaks there; the best is bought instead.
    regret_usd_per_month : Decimal or None
        What it costs more than the best there, or what is lost of its purchase where it breaks a limit; None where
        nothing keeps every limit, that purchase is not stated, or I/O time is to be least. [USD/month]
    regret_io_time_us : float or None
        By how much it is slower than the best there; None where money is to be least, or a limit is broken. [µs]
    reason : str
        Why no regret is known; empty where one is.
    """

    usd_per_month: Decimal
    breaks: tuple[str, ...]
    regret_usd_per_month: Decimal | None
    regret_io_time_us: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class ScenarioRow:
    """A choice in every scenario.

    Attributes
    ----------
    name, scheme : str
        What it is, and its page flow.
    alike : tuple of str
        Other page flows on the same hardware: within the known error of the flash hits as fast in every scenario, and
        they break the same limits.
    title : str
        Name and page flows in words.
    role : str
        `recommended`, `close`, `today`, or `scenario` for the best of a scenario.
    is_rented : bool
        Whether it is rented without commitment: where it breaks a limit it is exchanged, and loses nothing but the time
        until then.
    regret : tuple of Regret
        In the order of the scenarios.
    most_regret_usd_per_month, most_regret_io_time_us : Decimal or float or None
        The largest that is known; None where one depends on a purchase that is not stated. [USD/month], [µs]
    is_robust : bool
        Whether its largest regret is the least of those that keep every limit today, and none of these breaks a limit
        in fewer scenarios.
    """

    name: str
    scheme: str
    alike: tuple[str, ...]
    title: str
    role: str
    is_rented: bool
    regret: tuple[Regret, ...]
    most_regret_usd_per_month: Decimal | None
    most_regret_io_time_us: float | None
    is_robust: bool

    @property
    def broken(self) -> int:
        """Number of scenarios in which it breaks a limit."""
        return sum(bool(each.breaks) for each in self.regret)


@dataclass(frozen=True, slots=True)
class Scenarios:
    """What the choices cost in several scenarios, and the robust one.

    Attributes
    ----------
    columns : tuple of Scenario
        The present first.
    rows : tuple of ScenarioRow
        The recommendation first.
    robust : str or None
        The choice with the least largest regret; None where no choice keeps every limit today, or another that does
        breaks a limit in fewer scenarios.
    text, basis : str
        In words, and what the regret is of.
    """

    columns: tuple[Scenario, ...]
    rows: tuple[ScenarioRow, ...]
    robust: str | None
    text: str
    basis: str


@dataclass(frozen=True, slots=True)
class RuleOfThumb:
    """What a rule of thumb would have bought here.

    Attributes
    ----------
    name, title : str
        Key, and the rule in words.
    ram_bytes, flash_bytes : float or None
        What it asks for: RAM for pages, beside what the system takes of each machine. [bytes]
    option : Option or None
        The best option that has at least as much for pages and keeps every limit; None where there is none.
    regret_usd_per_month : Decimal or None
        What it costs more than the recommendation; below 0 where it costs less and another objective was asked for. [USD/month]
    regret_io_time_us : float or None
        By how much it is slower. [µs]
    reason : str
        Why there is no option; empty where there is one.
    """

    name: str
    title: str
    ram_bytes: float | None
    flash_bytes: float | None
    option: Option | None
    regret_usd_per_month: Decimal | None
    regret_io_time_us: float | None
    reason: str


@dataclass(frozen=True, kw_only=True)
class Advice(Answer):
    """One answer: what to buy and how to run it.

    Attributes
    ----------
    decision : str
        What to buy and what it costs against today, or why nothing can be bought; `finding` begins with it.
    because : str
        Why it, and what is assumed for it; where nothing is recommended, what would be enough. `finding` continues with it and ends with
        the text of `confidence`.
    reservations : tuple of str
        The sentences of `because` that say in short what a caution says in full: what of the recommendation does not last, and what
        is best of what does.
    advice_id : str
        Hash of all that was asked.
    status : str
        `model`, or `checked` where options were replayed.
    objective : str
        `usd`, `io_time` or `pareto`.
    constraints : dict of str to str
        Limits that were applied, as decimals.
    evaluated, suitable : int
        Options that were evaluated, and those of them that keep every limit but those of response times; 0 where none keeps
        these too.
    pruned : int
        Options that bounds left out before they were evaluated: none of them can be recommended, stand among the
        alternatives or on the front.
    recommendation : Option or None
        None where no option keeps every limit.
    verdict : Verdict
    option_zero : Option or None
        What there is; None where nobody said.
    saving_usd_per_month : Decimal or None
        What there is less the recommendation; None where either cost is unknown, where that runs on the same machines and
        its price is that of a quote alone, or where its price lacks the machine that it needs.
    alternatives : tuple of Option
        The best of each other kind, the best first; what there is stands among them.
    pareto : tuple of Option
        Options that no other beats in money and I/O time, the cheapest first; at most 40.
    pareto_in_all : int
    rejected : tuple of Rejected
        The best of each server, device and scheme that was evaluated and breaks a limit, for `io_time` the one nearest to
        what it breaks; at most 200.
    rejected_counts : dict of str to int
        Options that were evaluated, by the first limit that they break.
    infeasible : Infeasible or None
    confidence : Confidence
    checked : tuple of CheckedOption
    flash_caches : tuple of CachedOption
        Flash caches that were replayed on the hardware of the recommendation, the fastest first.
    beyond_page_flow : int
        Kinds of hardware that would be better than the best by the model, and that break under page flow alone what a
        flash cache may keep: a check replays flash caches there too; at most 3.
    near_misses : int
        Options that would be better than the best by the model, and break a limit by less than the model may be off: a
        check replays these too; of the best 50 of them.
    near_misses_replayed : int
        Options that break a limit by less than the model may be off and were replayed, besides the one that stands in
        `checked` because its replay admits it.
    when : When or None
        None where the data do not grow.
    waiting : Waiting or None
        None where nothing is recommended, what there is stays, or it was not computed.
    flat : tuple of FlatSize
        How far each size of the recommendation may be changed.
    next_dollar : NextDollars or None
        None where nothing is recommended.
    continuous : Continuous or None
        None where RAM and devices of a price book are no candidates, the rate is unknown, money is not the objective,
        another limit than how busy a device is was stated, or it was not computed.
    scenarios : Scenarios or None
        None where nothing is recommended, a replay decided against the model, or it was not computed.
    rules_of_thumb : tuple of RuleOfThumb
    staircases : tuple of Staircase
        Of every constraint, what it would buy at every value of it; empty where a replay decided against the model.
    data_bytes : int
        One copy of the data that is held. [bytes]
    accesses_per_s, peak_accesses_per_s : float or None
        Of all machines together. [1/s]
    horizon_months : int
    versions : dict of str to str
        Of the model, the price book, and the seed.
    question : dict
        What was asked besides, so that it can be asked again: `candidates` as the text of a JSON file, the rate that goes
        before that of the workload, ids of devices, the start, and whether the workload was scaled to production.
    estimator, validity : str
    """

    decision: str
    because: str
    reservations: tuple[str, ...]
    advice_id: str
    status: str
    objective: str
    constraints: dict[str, str]
    evaluated: int
    suitable: int
    recommendation: Option | None
    verdict: Verdict
    option_zero: Option | None
    saving_usd_per_month: Decimal | None
    alternatives: tuple[Option, ...]
    pareto: tuple[Option, ...]
    pareto_in_all: int
    rejected: tuple[Rejected, ...]
    rejected_counts: dict[str, int]
    infeasible: Infeasible | None
    confidence: Confidence
    checked: tuple[CheckedOption, ...]
    when: When | None
    waiting: Waiting | None
    flat: tuple[FlatSize, ...]
    next_dollar: NextDollars | None
    scenarios: Scenarios | None
    rules_of_thumb: tuple[RuleOfThumb, ...]
    data_bytes: int
    accesses_per_s: float | None
    peak_accesses_per_s: float | None
    horizon_months: int
    versions: dict[str, str]
    validity: str
    pruned: int = 0
    flash_caches: tuple[CachedOption, ...] = ()
    beyond_page_flow: int = 0
    near_misses: int = 0
    near_misses_replayed: int = 0
    continuous: Continuous | None = None
    staircases: tuple[Staircase, ...] = ()
    question: dict[str, Any] = field(default_factory=dict)
    estimator: str = ESTIMATOR

    @property
    def figures(self) -> tuple[Figure, ...]:
        """What the recommendation costs, and how fast it is."""
        best = self.recommendation
        return (
            Figure(
                "usd_per_month",
                "Recommendation, per month",
                None if best is None else best.usd_per_month,
                "USD/month",
            ),
            Figure(
                "io_time_us_per_access",
                "I/O time of an access",
                None if best is None else best.io_time_us_per_access,
                "µs",
            ),
            Figure(
                "response_p99_us",
                "99th percentile of the response time in the busiest hour",
                None if best is None else best.response_p99_us,
                "µs",
            ),
            Figure("evaluated", "Options evaluated", self.evaluated, "options"),
            *(
                (
                    Figure(
                        "pruned", "Options left out by bounds", self.pruned, "options"
                    ),
                )
                if self.pruned
                else ()
            ),
        )

    def to_dict(self, *, derivation: bool = False) -> dict[str, Any]:
        """Return plain data for JSON; counts stay numbers, also of a limit of money.

        Parameters
        ----------
        derivation : bool
            Whether the steps are wanted too.
        """
        found = super().to_dict(derivation=derivation)
        found["rejected_counts"] = dict(self.rejected_counts)
        return found
