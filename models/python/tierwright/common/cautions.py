"""Named warnings, which belong to the numbers of an answer, and what each of them could change.

A caution speaks of something that is not known. Its effect is what the answer would be at the other
end of that: the change of the question's main figure, and whether its choice stays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tierwright.common.wording import (
    LEAST_CHANGE,
    changed,
    counted,
    listed,
    whole_percent,
)

EQUAL_SHARE = 0.01
"""Share of the main figure below which a lead does not matter: equal for the purpose."""
MOST_SHOWN = 3
"""Cautions that stand above an answer."""


@dataclass(frozen=True, slots=True)
class Caution:
    """A named warning: what is so, and what to do about it.

    Attributes
    ----------
    name, message, hint : str
        Its name, what is so, what to do; parameters by marks (`tierwright.common.parameters`).
    could_change_choice : bool or None
        Whether the choice would be beaten at the other end of what is unsure; None
        where nothing is chosen, or that end cannot be computed.
    effect : str
        What the answer would be there, or why that cannot be computed; empty where nobody asked.
    about : tuple of str
        What it speaks of: ids of devices, of a price book, `trace`, `curve`.
    """

    name: str
    message: str
    hint: str
    could_change_choice: bool | None = None
    effect: str = ""
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TraceCaution(Caution):
    """A warning about the trace, which holds for whatever is computed from it."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a caution could change.

    Attributes
    ----------
    text : str
        Of the answer at the other end, or why it cannot be computed.
    could_change_choice : bool or None
        Whether the choice would be beaten there; None where that is unknown.
    size : float
        Largest change of the main figure, as a share of it, for the order of the cautions. [1]
    """

    text: str
    could_change_choice: bool | None
    size: float = 0.0


NOT_FROM_TRACE = "not computable from this trace"
Weigh = Callable[[Caution], Effect]


@dataclass(frozen=True, slots=True)
class Weighed:
    """A caution with its effect, as answers give it.

    Attributes
    ----------
    code : str
        Stable name of its kind.
    about : tuple of str
        What it speaks of: ids of devices, of a price book, `trace`, `curve`.
    message, hint : str
        What is so, what to do.
    effect : str
        What the answer would be at the other end of what is not known, or why that cannot be
        computed.
    could_change_choice : bool or None
        Whether another choice would be right there; None where that is unknown.
    """

    code: str
    about: tuple[str, ...]
    message: str
    hint: str
    effect: str
    could_change_choice: bool | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an answer would be at one other end.

    Attributes
    ----------
    when : str
        At which, to be read behind *if*.
    change : float
        By how much the main figure of what was chosen differs there, as `relative_change` gives it. [1]
    best : str
        What would be chosen there.
    loss : float
        Share by which what was chosen is worse than that; 0 where it is the best. [1]
    """

    when: str
    change: float
    best: str
    loss: float


def effect_of(
    outcomes: Sequence[Outcome], *, figure: str, chosen: str, kind: str
) -> Effect:
    """Say what the answer would be at the other ends of what is not known.

    Parameters
    ----------
    outcomes : sequence of Outcome
        At least one.
    figure : str
        The main figure, such as `I/O time`.
    chosen : str
        What the answer chose, as it is written in a sentence.
    kind : str
        What is chosen, such as `scheme`.

    Examples
    --------
    >>> slow = Outcome("requests are served alone", 0.34, "lazy", 0.0)
    >>> effect_of([slow], figure="I/O time", chosen="lazy", kind="scheme").text
    'if requests are served alone: +34 % I/O time, same scheme'
    >>> lost = Outcome("requests are served alone", 0.34, "exclusive", 0.2)
    >>> effect_of([lost], figure="I/O time", chosen="lazy", kind="scheme").text
    'if requests are served alone: +34 % I/O time, exclusive would be best, lazy 20 % worse'
    """
    worst = max(outcomes, key=lambda each: (each.loss, abs(each.change)))
    size = max(abs(each.change) for each in outcomes)
    if worst.loss > EQUAL_SHARE:
        return Effect(
            f"if {worst.when}: {changed(worst.change, figure)}, {worst.best} would be "
            f"best, {chosen} {_loss(worst.loss)} worse",
            could_change_choice=True,
            size=max(size, worst.loss),
        )
    least = min(outcomes, key=lambda each: each.change)
    most = max(outcomes, key=lambda each: each.change)
    extremes = [most] if not _differ(least.change, most.change) else [least, most]
    shown = [each for each in extremes if abs(each.change) >= LEAST_CHANGE] or [most]
    said = "; ".join(
        f"if {each.when}: {changed(each.change, figure)}" for each in shown
    )
    return Effect(f"{said}, same {kind}", could_change_choice=False, size=size)


def _loss(loss: float) -> str:
    return "far" if math.isinf(loss) else whole_percent(loss)


def _differ(one: float, other: float) -> bool:
    return abs(one - other) >= LEAST_CHANGE


SEVERAL: Mapping[str, str] = {
    "tier_times_measured": "{} are tiers of the running system: their reads take the mean times that it measured, waits "
    "included, and their writes are assumed to take as long; no figures of a device are used",
    "latency_as_service_time": "{} state no IOPS for reads, for writes or for both; their "
    "latencies are used as busy times, which overstates those of parallel devices",
    "queue_depth_unknown": "{}: the queue depth of their IOPS is not stated, most likely "
    "saturation",
    "request_fees_not_included": "{} charge for requests; these are not in the monthly cost",
    "price_of_kind": "{} are priced like every device of their kinds",
    "price_from_device": "the price book has no price for {}; their own prices are used",
    "price_undated": "the prices of {} have no date",
    "endurance_unknown": "no source states the endurance of {}, so replacements are not counted",
    "sustained_limit_unknown": "no source states what {} sustain to their volumes; a burst "
    "limit does not hold for long",
}
"""What a caution says of several devices, by its name. Others stand side by side."""


def merged(cautions: Iterable[Caution]) -> tuple[Caution, ...]:
    """Make one caution of those of a name, in the order of their first.

    Parameters
    ----------
    cautions : iterable of Caution
        Of one answer.

    Examples
    --------
    >>> first, other = (
    ...     Caution("queue_depth_unknown", "x", "", about=(name,))
    ...     for name in ("a", "b")
    ... )
    >>> [one] = merged([first, other])
    >>> one.message[:9], one.about
    ('`a` and `', ('a', 'b'))
    """
    kinds: dict[str, list[Caution]] = {}
    for each in cautions:
        kinds.setdefault(each.name, []).append(each)
    return tuple(map(_one, kinds.values()))


def _one(alike: Sequence[Caution]) -> Caution:
    first = alike[0]
    about = tuple(dict.fromkeys(one for each in alike for one in each.about))
    messages = tuple(dict.fromkeys(each.message for each in alike))
    if len(messages) == 1 and about == first.about:
        return first
    template = SEVERAL.get(first.name)
    # Of one device twice, as of its reads and its writes, both messages stand.
    message = (
        template.format(listed([f"`{each}`" for each in about]))
        if template is not None and len(about) > 1
        else "; ".join(messages)
    )
    return replace(
        first,
        message=message,
        hint="; ".join(dict.fromkeys(each.hint for each in alike if each.hint)),
        about=about,
        could_change_choice=None,
        effect="",
    )


def weighed(
    cautions: Iterable[Caution], weigh: Weigh | None = None
) -> tuple[Weighed, ...]:
    """Make one caution of those of a kind, with its effect, the most important first.

    Parameters
    ----------
    cautions : iterable of Caution
        Of one answer.
    weigh : callable, optional
        Computes effects; `anywhere` unless given.

    Returns
    -------
    tuple of Weighed
        Those without which the figures would be taken for something else, those that could change the choice, then those of
        unknown effect, then the others; among alike those by which a replay contradicts the model first, then those by which data could be lost, then the
        largest effect.
    """
    found = [(each, (weigh or anywhere)(each)) for each in merged(cautions)]
    found.sort(
        key=lambda each: (
            each[0].name not in MISREAD,
            _RANK[each[1].could_change_choice],
            each[0].name not in CONTRADICTS,
            each[0].name not in LOSES_DATA,
            -each[1].size,
        )
    )
    return tuple(
        Weighed(
            each.name,
            each.about,
            each.message,
            each.hint,
            effect.text,
            effect.could_change_choice,
        )
        for each, effect in found
    )


_RANK = {True: 0, None: 1, False: 2}
CONTRADICTS = frozenset(
    {
        "replay_changes_choice",
        "replay_beyond_band",
        "replay_breaks_load",
        "replay_more_devices",
    }
)
"""Cautions by which a replay contradicts the model: no other one hides them."""
MISREAD = frozenset({"latency_unknown"})
"""Cautions without which figures are taken for what they are not: never folded, whatever they change."""
LOSES_DATA = frozenset({"data_on_local_disks", "changed_pages_on_local_flash"})
"""Cautions by which data could be lost: no other one of unknown effect hides them."""


def without_effect(text: str = "changes nothing that was chosen") -> Effect:
    """Return the effect of a caution that cannot change the choice."""
    return Effect(text, could_change_choice=False)


NOTHING_UNKNOWN: frozenset[str] = frozenset(
    {
        "all_pages_fit",
        "all_pages_fit_in_ram",
        "asymmetry_below_1",
        "blank_lines",
        "breaks_passed_over",
        "cache_exceeds_source",
        "cannot_keep_up",
        "changes_do_not_fit",
        "clean_only_gap",
        "curve_rebuilt",
        "deletes_without_access",
        "device_size_not_compared",
        "discards_passed_over",
        "dram_gains_nothing",
        "empty_members",
        "estimate_off",
        "everything_fits",
        "flash_near_disk",
        "local_disks_are_ephemeral",
        "too_little_money",
        "many_crossings",
        "metadata_charged",
        "metadata_exceed_ram",
        "neighbours_assumed",
        "never_full",
        "no_accesses",
        "no_writes",
        "nothing_demanded",
        "page_bytes_ignored",
        "pages_clamped",
        "ram_not_below_flash",
        "records_exceed_pages",
        "requests_without_data",
        "restore_costs_more",
        "sizes_unknown",
        "staging_costs_more",
        "unreachable",
        "unusual_role",
        "zero_length_requests",
    }
)
"""Cautions that state what was found: there is no other end of it."""
_NOT_FOLLOWED = (
    "misses may be off by that much; this answer does not follow them to both ends"
)
WHY_NOT: Mapping[str, str] = {
    "warm_up_inside": "not computable from the counts: in the steady state no miss fills an empty frame",
    "operation_missing": "not computable: it was not measured",
    "cost_is_no_latency": "not computable: no time of a single request is stated",
    "flash_share_of_the_paper": "not computable: the restart knows no RAM, and only a replay tells which pages are on flash",
    "assumed_runs": "not computable: no run lengths of this workload are known",
    "period_is_of_one_thread": "not computable: no source states it for several threads",
    "populations_spread_evenly": "not computable: how often each fragment is promoted is not known",
    "source_is_the_workload": "not computable: the size of the source is not stated",
    "miss_rate_of_pages": "not computable: only a replay shows how many unused pages fragments hold",
    "block_read_as_page_read": "not computable: no sequential rate is stated",
    "below_page_cache": f"{NOT_FROM_TRACE}: the accesses that the page cache answered "
    "are not in it",
    "below_buffer_pool": f"{NOT_FROM_TRACE}: the accesses that the buffer pool "
    "answered are not in it",
    "below_other_caches": f"{NOT_FROM_TRACE}: the accesses that other caches answered "
    "are not in it",
    "given_curve": "not computable: only a trace shows how far the curve is from one of LRU",
    "curve_from_ages": "not computable: fewer than three snapshots, or the curve was composed, so no band is "
    "known",
    "misses_may_be_cached": "not computable: what a cache below answers was not counted",
    "curve_from_points": "not computable: only a trace shows how far the counts are from those of LRU",
    "curve_from_one_point": "not computable: no other size is read, or nothing was chosen",
    "described_workload": "not computable: only a trace shows how far the description is from "
    "the workload",
    "scaled_unmeasured": "not computable: the error of the scale law was never measured",
    "recorded_data_assumed": "not computable: the size of the recorded data is not stated",
    "tau_not_stated": "not computable: the clients of the recording and the accesses of one unit of "
    "work are not stated",
    "replayed_scaled_down": "not computable: production itself was not recorded",
    "replayed_writes_multiplied": "not computable: production itself was not recorded",
    "replay_lacks_pages": "not computable: the recording lacks pages that the scale law adds",
    "replay_too_small": "not computable: the recording is too small to be replayed for production",
    "composed_workload": "not computable from the composed curve: only a replay of the merged traces "
    "shows how far it is off",
    "generated_trace": "not computable: only a recorded trace shows how far the description is from "
    "the workload",
    "sampled_curve": "not computable from the curve alone: the intervals of its counts are "
    "not known here",
    "arrivals_assumed_poisson": "not computable: only a trace shows in which bursts accesses arrive",
    "latency_unknown": "not computable: the latency is not stated",
    "pattern_of_rating_unknown": "not computable: no source states what the device endures under "
    "another pattern",
    "prices_of_different_dates": "not computable: no source states these prices at one date",
    "price_from_device": "not computable: no other price is stated",
    "price_of_kind": "not computable: no price of this very device is stated",
    "price_undated": "not computable: no price with a date is stated",
    "price_book_retired": "not computable: the price book has no later prices",
    "tier_times_measured": "not computable: no write was timed",
    "latency_as_service_time": "not computable: how many requests the device serves side by side "
    "is not stated",
    "power_unknown": "not computable: no source states the power",
    "latency_as_rate": "not computable: how many requests the device serves side by side is not "
    "stated",
    "queue_depth_unknown": "not computable: the latency of one request is not stated",
    "queue_depths_differ": "not computable: no rates at one depth are stated",
    "provisioned_rent_besides": "not computable: how much of the rent the sum is to pay is not "
    "stated",
    "rent_beside_purchase": "not computable: no source states both as rents or as purchases",
    "space_behind_not_stated": "not computable: the size of the volume is not stated",
    "endurance_unknown": "not computable: no source states the endurance",
    "busy_unknown": "not computable: the service times are not stated",
    "no_write_budget": "not computable: the endurance is not stated",
    "assumed_endurance_breaks_limit": "not computable: no source states the endurance of these drives",
    "endurance_assumed": "not computable: no source states the endurance of this drive",
    "device_page_differs": "not computable: no bounds of its service times follow from what is stated",
    "device_page_unknown": "not computable: no bounds of its service times follow from what is stated",
    "no_write_backs": "not computable: the curve does not hold which evicted pages are dirty",
    "forms_differ": "not computable: what the other form takes is not known",
    "percentile_near_jump": "not computable: no latency beyond the jump is stated",
    "within_known_error": "not computable: only a replay decides within the error of the model",
    "beyond_capacity": "not computable: a busy time of the device is not stated",
    "ideal_array": "not computable: no rate of the disks is stated",
    "sustained_limit_unknown": "not computable: no source states the sustained limit",
    "service_times_constant": "not computable: how much the service times vary is not stated",
    "near_saturation": "not computable: how far the rate may rise is not stated",
    "writes_are_waited_for": "not computable: how many writes are made in the background is not stated",
    "writes_in_background": "not computable: how many writes are waited for is not stated",
    "interpolated": "not computable: the curve lists no sizes around those that were read",
    "beyond_the_curve": "not computable: no source states what misses beyond the curve",
    "steady_state_uncertain": "not computable: the profile does not hold the counts from a cold start",
    "scaled": _NOT_FOLLOWED,
    "scale_extrapolated": _NOT_FOLLOWED,
    "data_size_unknown": "not computable: the size of the data is not stated",
    "growth_in_replay": "not computable: a replay does not know which pages are new",
    "all_reads_assumed": "not computable: which accesses write is not stated",
    "dirty_share_unknown": "not computable: which evicted pages are dirty is not stated",
    "dirty_share_stated": "not computable: the curve does not hold which evicted pages are dirty",
    "write_backs_unknown": "not computable: the curve does not hold which evicted pages are dirty",
    "data_not_accessed": "not computable: nothing states what would access these data",
    "block_hits_are_a_range": "not computable: only a replay shows how many pages of a flash page stay "
    "valid",
    "directory_hits_are_assumed": "not computable: what the buffered part of the directory serves is not "
    "stated",
    "lead_within_model_error": "not computable: only a replay decides within the error of the model",
    "lazy_writes_by_formula": "not computable: only a replay counts these writes",
    "no_curve": "not computable: the curve of the workload is not known",
    "log_model_differs": "not computable: the curve of the workload is not known",
    "order_of_events_is_ours": "not computable: the order of the paper's events is not published",
    "chip_of_2006": "not computable: no times of another chip are stated",
    "only_aries_keeps_a_log": "not computable: the others were replayed without a log",
    "fewer_log_pages_than_records": "not computable: how the records fill log pages is not stated",
    "few_windows": "not computable: only a longer trace shows what the advisor does with more windows",
    "few_epochs": "not computable: only a longer trace shows what changes over more epochs",
    "request_fees_not_included": "not computable: how many requests are charged is not stated",
    "lower_bounds_without_price": "not computable: no source states these prices",
    "chassis_without_price": "not computable: no source states a price of a server",
    "own_device_without_price": "not computable: no price of it is stated",
    "checkpoints_not_counted": "not computable: how often pages are checkpointed is not stated",
    "unknown_breaks_limit": "not computable: no source states the value",
    "device_rate_not_stated": "not computable: no source states the rate",
    "vendor_not_stated": "not computable: no source states who makes it",
    "batches_as_single_pages": "not computable: no source states the sequential rate of the device",
    "latency_of_source": "not computable: how single reads vary is not stated",
    "bursts_not_counted": "not computable: how long credits last at this load is not modelled",
    "rents_of_two_lists": "not computable: the price book states no rent of the others",
    "no_price_of_ram": "not computable: no price book with a price of RAM was chosen",
    "rates_of_other_devices": "not computable: no source states the rates of these devices",
    "rate_not_known": "not computable: the workload states no rate",
    "no_production": "not computable: no production is stated",
    "flash_worn_out": "not computable: what replaces the flash is not priced",
    "rates_not_needed": "not computable: no source states these rates",
    "changed_pages_on_local_flash": "not computable: what losing changes would cost is not stated",
    "data_on_local_disks": "not computable: what losing the data would cost is not stated",
    "power_left_out": "not computable: no price of electricity is stated",
}
"""Why the other end of a caution cannot be computed, by its name: also where a question that computes it
elsewhere lacks what it takes."""
NO_CHOICE = "changes no choice: this question chooses nothing"
"""Effect of a caution of a question that shows figures and chooses nothing."""
BEST_OF_OTHERS = "the choice is the best of the other candidates"
"""End of the effect of a caution that names what is no candidate, where something else was chosen: folded."""
NO_REASON = "not computable: nothing is known of its other end"
"""Effect of a caution that no table names."""


def anywhere(caution: Caution) -> Effect:
    """Return the effect that a caution brings, or has whatever the question; else why it cannot be computed."""
    if caution.effect:
        return Effect(caution.effect, caution.could_change_choice)
    if caution.name in NOTHING_UNKNOWN:
        return without_effect("states what was found: nothing about it is unknown")
    why = WHY_NOT.get(caution.name)
    if why is None:
        why = NOT_FROM_TRACE if isinstance(caution, TraceCaution) else NO_REASON
    return Effect(why, could_change_choice=None)


def choosing_nothing(caution: Caution) -> Effect:
    """Return the effect of a caution of a question that chooses nothing.

    Parameters
    ----------
    caution : Caution
        Whose effect is the one that it has whatever the question, where there is one.

    Examples
    --------
    >>> choosing_nothing(Caution("lines_without_price", "x", "y")).text
    'changes no choice: this question chooses nothing'
    >>> choosing_nothing(Caution("price_undated", "x", "y")).text
    'not computable: no price with a date is stated'
    """
    found = anywhere(caution)
    if found.text == NO_REASON:
        return Effect(NO_CHOICE, could_change_choice=None)
    return found


def first_and_rest(
    cautions: Sequence[Weighed],
) -> tuple[tuple[Weighed, ...], tuple[Weighed, ...]]:
    """Divide cautions into those that stand above an answer, and the others.

    Parameters
    ----------
    cautions : sequence of Weighed
        In their order.
    """
    first = tuple(filter(_stands_first, cautions))[:MOST_SHOWN]
    return first, tuple(each for each in cautions if each not in first)


def _stands_first(caution: Weighed) -> bool:
    if caution.code in MISREAD:
        return True
    is_of_others = caution.effect.endswith(BEST_OF_OTHERS)
    return caution.could_change_choice is not False and not is_of_others


def title_of_rest(rest: Sequence[Weighed]) -> str:
    """Say how many cautions are folded away, and what they could change.

    Examples
    --------
    >>> calm = Weighed("a", (), "x", "", "none", False)
    >>> unknown = Weighed("b", (), "x", "", "not computable", None)
    >>> title_of_rest([calm]), title_of_rest([calm, calm])
    ('1 assumption, which does not change the choice', '2 assumptions, none changes the choice')
    >>> title_of_rest([calm, unknown])
    '2 assumptions; the effect of 1 is unknown'
    """
    count = len(rest)
    said = counted(count, "assumption")
    more = sum(each.could_change_choice is True for each in rest)
    unknown = sum(
        each.could_change_choice is None and each.effect != NO_CHOICE for each in rest
    )
    if not more and not unknown:
        if count == 1:
            return f"{said}, which does not change the choice"
        return f"{said}, none changes the choice"
    parts = [said, *_open(count, more, unknown)]
    return "; ".join(parts)


def _open(count: int, more: int, unknown: int) -> Iterator[str]:
    if more:
        yield (
            "it could change the choice"
            if count == 1
            else f"{more} could change the choice too"
        )
    if unknown:
        yield (
            "its effect is unknown"
            if count == 1
            else f"the effect of {unknown} is unknown"
        )
