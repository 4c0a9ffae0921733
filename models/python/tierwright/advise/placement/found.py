"""What a placement answers: systems, what each workload holds of them, and other ways to share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from tierwright.advise.advice._words.finding import not_counted as one_not_counted
from tierwright.advise.advice.found import Option
from tierwright.common.answer import Answer, Figure
from tierwright.common.wording import listed
from tierwright.profile.rates import SAME

ESTIMATOR = (
    "every group of workloads, in one shared cache and with a part of the RAM for each, with every option of the "
    "candidates; set partitioning by dynamic programming, bounded by its linear relaxation"
)
VALIDITY = (
    "workloads share no pages; those on one system share its cache or have parts of its RAM that do not change, and their "
    "busiest hours fall together; data and load are spread evenly over equal machines; whether processors and network "
    "carry the load is not checked"
)
TIME = "io_time_us_per_access"
_Ends = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class Held:
    """What one workload holds of the RAM of its system.

    Attributes
    ----------
    name : str
        Of the workload.
    accesses_per_s : float
        Its mean rate. [1/s]
    peak_accesses_per_s : float
        Of its busiest hour: as many times the mean as in production by its profile; the mean where it states none. [1/s]
    ram_bytes : float
        Of the shared cache, on average, or its part. [bytes]
    hit_share : float
        Of its accesses that find their page in RAM. [1]
    part_bytes, part_hit_share : float or None
        Where several workloads share the cache of a system without a flash cache: the part of its RAM that each would
        have so that all miss least, and what hits there. [bytes], [1]
    """

    name: str
    accesses_per_s: float
    peak_accesses_per_s: float
    ram_bytes: float
    hit_share: float
    part_bytes: float | None = None
    part_hit_share: float | None = None


@dataclass(frozen=True, slots=True)
class System:
    """One system, and the workloads that it carries.

    Attributes
    ----------
    workloads : tuple of Held
    option : Option
        What it is.
    accesses_per_s, peak_accesses_per_s : float
        Of all its workloads. [1/s]
    data_bytes : int
        Of all its workloads, at their largest within the horizon. [bytes]
    in_parts : bool
        Whether each workload has a part of its RAM; else they share it.
    parts_save_share : float or None
        Share of the misses that parts would save, negative where there would be more; None where there are parts, one
        workload, a flash cache, or a curve from counters. [1]
    too_small : str
        What becomes too small before the horizon ends, and when, as a sentence; of several workloads, some of which
        grow, that it is not computed, and whether the life of its flash is a lower bound. Empty where nothing is, or nothing
        grows.
    """

    workloads: tuple[Held, ...]
    option: Option
    accesses_per_s: float
    peak_accesses_per_s: float
    data_bytes: int
    in_parts: bool = False
    parts_save_share: float | None = None
    too_small: str = ""


@dataclass(frozen=True, slots=True)
class Sharing:
    """One way to share systems.

    Attributes
    ----------
    groups : tuple of tuple of str
        Workloads of each system.
    in_parts : tuple of bool
        Whether each of them has a part of the RAM, by system.
    usd_per_month : Decimal
        Of all systems. [USD/month]
    io_time_us_per_access : float or None
        Mean over all accesses; None where it depends on which evicted pages are dirty, and nobody said which. [µs]
    ranges : dict of str to pair of float or None
        Its ends then, by its key, as those of an option.
    machines_left_out : tuple of int
        Machines that the cost lacks, by system: of RAM and devices bought by themselves, where no price of a machine is
        stated. Empty where it lacks none.
    """

    groups: tuple[tuple[str, ...], ...]
    in_parts: tuple[bool, ...]
    usd_per_month: Decimal
    io_time_us_per_access: float | None
    ranges: dict[str, _Ends] = field(default_factory=dict)
    machines_left_out: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Placement(Answer):
    """Which workloads share which system.

    Attributes
    ----------
    placement_id : str
        Hash of all that was asked.
    objective : str
        `usd` or `io_time`.
    constraints : dict of str to str
        Limits that were applied, as decimals.
    systems : tuple of System
        Empty where no choice keeps every limit.
    usd_per_month, purchase_usd : Decimal or None
        Of all systems. [USD/month], [USD]
    io_time_us_per_access : float or None
        Mean over all accesses; None where there is no system, or `ranges` has its ends. [µs]
    separate, together : Sharing or None
        Each workload by itself, and all on one system; None where no option keeps every limit.
    without_parts : Sharing or None
        The best where every cache is shared; None where no system runs in parts, or nothing keeps every limit without.
    alternatives : tuple of Sharing
        The best other ways to share, the best first.
    optimality_gap : float or None
        By what share a better choice among the candidates could do better; 0 where none does by more than rounding. [1]
    groups, evaluated : int
        Groups of workloads, and options of all groups.
    conflict : tuple of str
        Where there is no system: limits that cannot be kept together, of which each is needed; of one workload that no
        option carries, or of all systems together.
    least_totals : dict of str to float
        Where limits on all systems together stand in the way: what each of those in conflict would have to be at least, all
        other limits as asked; where several cannot be kept each by itself, the least of each of these.
    nearest : dict of str to float
        Where no option carries one workload: what each limit in conflict would have to be, alone, to admit one.
    horizon_months : int
        Months over which a purchase is spread, and the data grow. [months]
    versions : dict of str to str
        Of the model and the price book.
    ranges : dict of str to pair of float or None
        Ends of the I/O time, by its key, where nobody said which evicted pages of a workload are dirty.
    estimator, validity : str
    """

    placement_id: str
    objective: str
    constraints: dict[str, str]
    systems: tuple[System, ...]
    usd_per_month: Decimal | None
    purchase_usd: Decimal | None
    io_time_us_per_access: float | None
    separate: Sharing | None
    together: Sharing | None
    without_parts: Sharing | None
    alternatives: tuple[Sharing, ...]
    optimality_gap: float | None
    groups: int
    evaluated: int
    conflict: tuple[str, ...]
    least_totals: dict[str, float]
    nearest: dict[str, float]
    horizon_months: int
    versions: dict[str, str]
    ranges: dict[str, _Ends] = field(default_factory=dict)
    estimator: str = ESTIMATOR
    validity: str = VALIDITY

    @property
    def figures(self) -> tuple[Figure, ...]:
        """What all systems cost, and how fast they are."""
        return (
            Figure(
                "usd_per_month",
                "All systems, per month",
                self.usd_per_month,
                "USD/month",
            ),
            Figure(
                "io_time_us_per_access",
                "I/O time of an access, mean",
                self.io_time_us_per_access,
                "µs",
            ),
            Figure("systems", "Systems", len(self.systems), "systems"),
            Figure("evaluated", "Options evaluated", self.evaluated, "options"),
        )


def busiest_hour(found: Placement) -> str:
    """Say what the rates of the busiest hour rest on; empty where they are the mean rates."""
    said = [
        f"{held.peak_accesses_per_s / held.accesses_per_s:.3g} times the mean rate of {held.name}"
        for each in found.systems
        for held in each.workloads
        if held.peak_accesses_per_s > held.accesses_per_s * (1 + SAME)
    ]
    if not said:
        return ""
    whose = "its profile states" if len(said) == 1 else "their profiles state"
    together = (
        "; the busiest hours of workloads on one system fall together"
        if any(len(each.workloads) > 1 for each in found.systems)
        else ""
    )
    return f"The busiest hour has {listed(said)}, as {whose}{together}."


def left_out(machines: Iterable[tuple[int, bool]]) -> tuple[int, ...]:
    """Return the machines that the cost of systems lacks, by system; empty where it lacks none.

    Parameters
    ----------
    machines : iterable of tuple of (int, bool)
        Of each system its machines, and whether its price lacks them.
    """
    found = tuple(many if lacks else 0 for many, lacks in machines)
    return found if any(found) else ()


def not_counted(lacking: Sequence[int]) -> str:
    """Say behind the cost of systems which machines it lacks; empty where it lacks none.

    Parameters
    ----------
    lacking : sequence of int
        Machines, by system.

    Examples
    --------
    >>> not_counted([1]), not_counted([1, 1]), not_counted([1, 0, 0])
    (', its machine not counted', ', their machines not counted', ', the machine of 1 of them not counted')
    """
    some = [each for each in lacking if each]
    if not some:
        return ""
    if len(lacking) == 1:
        return f", {one_not_counted(some[0])}"
    if len(some) == len(lacking):
        return ", their machines not counted"
    what = "machine" if sum(some) == 1 else "machines"
    return f", the {what} of {len(some):,} of them not counted"


def placed_together(names: Sequence[str], in_parts: bool) -> str:  # noqa: FBT001
    """Name the workloads of a system, and say whether its RAM is divided among them."""
    return f"{', '.join(names)} (RAM divided)" if in_parts else ", ".join(names)
