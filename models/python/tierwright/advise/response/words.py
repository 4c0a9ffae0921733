"""The answer about response time in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tierwright.advise.response.rows import Jump, NamedRate, SchemeAt, StationAt
from tierwright.common.units import format_bytes
from tierwright.common.wording import (
    counted,
    duration_us,
    listed,
    percent,
    three_digits,
)
from tierwright.evaluate.page_flow.schemes import TIE_ORDER

TIERS = {"flash": "the flash tier", "disk": "the disk tier"}
TIE = 1e-3
"""Relative lead of the mean below which two schemes are equally fast. [1]"""
READ = {"ram": "a RAM hit", "flash": "a read of flash", "disk": "a read of the disk"}


def leading(rows: Sequence[SchemeAt]) -> tuple[str | None, tuple[str, ...]]:
    """Return the scheme of the least mean, and those that the known error leaves open.

    Parameters
    ----------
    rows : sequence of SchemeAt
        At one rate.
    """
    carried = {row.scheme: row for row in rows if row.mean_us is not None}
    order = [name for name in TIE_ORDER if name in carried]
    if not order:
        return None, ()
    means = {name: carried[name].mean_us or 0.0 for name in order}
    least = min(means.values())
    best = next(name for name in order if means[name] <= least * (1 + TIE))
    most = carried[best].mean_most_us
    ceiling = means[best] if most is None else most
    near = [
        name
        for name in order
        if name != best
        and means[name] > least * (1 + TIE)
        and (carried[name].mean_least_us or 0.0) <= ceiling
    ]
    return best, (best, *near) if near else ()


def carries_most(rows: Sequence[SchemeAt]) -> str:
    """Name the scheme whose devices carry the largest rate; among equals the first of the ties."""
    largest = {
        row.scheme: float("inf")
        if row.largest_accesses_per_s is None
        else row.largest_accesses_per_s
        for row in rows
    }
    most = max(largest.values())
    return next(
        name for name in TIE_ORDER if largest.get(name, 0.0) >= most * (1 - TIE)
    )


def finding(
    rows: Sequence[SchemeAt],
    best: str | None,
    contenders: Sequence[str],
    rate: NamedRate,
) -> str:
    """Say which scheme answers fastest at the rate that decides, or that no scheme carries it."""
    at = {row.scheme: row for row in rows}
    if best is None:
        row = at[carries_most(rows)]
        return (
            f"No scheme carries {_rate(rate.accesses_per_s)} ({rate.basis}): {row.title} carries "
            f"the most, up to {_rate(row.largest_accesses_per_s or 0.0)}, at which "
            f"{TIERS[row.bottleneck or 'disk']} is busy all the time."
        )
    row = at[best]
    rests = _rests(row)
    where = f"At {_rate(rate.accesses_per_s)} ({rate.basis})"
    if contenders:
        names = listed([at[name].title for name in contenders])
        return (
            f"{where}, {names} are too close to call at a mean response time of "
            f"{_at_least(row, row.mean_us) or f'about {_time(row.mean_us)}'}; {_busiest(row)}.{rests}"
        )
    equal = [
        other.title
        for other in rows
        if other.mean_us is not None
        and other.scheme != best
        and abs(other.mean_us - (row.mean_us or 0.0)) <= TIE * (row.mean_us or 0.0)
    ]
    mean, median, tail = (
        _bound(row, each) for each in (row.mean_us, row.p50_us, row.p99_us)
    )
    times = (
        f"{mean} on average, {median} at the median and {tail} at the 99th percentile"
    )
    if equal:
        return f"{where}, {listed([row.title, *equal])} answer a page access fastest: {times}; {_busiest(row)}.{rests}"
    return f"{where}, {row.title} answers a page access fastest: {times}; {_busiest(row)}.{rests}"


def sentence(
    rows: Sequence[SchemeAt],
    shown: str,
    rates: Sequence[NamedRate],
    jumps: Sequence[Jump],
    page_bytes: int,
) -> str:
    """Say what the other rates give, what does not carry them, and where the percentiles jump."""
    return " ".join(
        (
            *_overloaded(rows, rates[-1]),
            *_other_rates(rows, shown, rates),
            *(jump_sentence(jump, page_bytes) for jump in jumps),
        )
    )


def _other_rates(
    rows: Sequence[SchemeAt], shown: str, rates: Sequence[NamedRate]
) -> Iterator[str]:
    for rate in rates[:-1]:
        row = next(
            each for each in rows if each.scheme == shown and each.rate == rate.name
        )
        if row.mean_us is None:
            continue
        yield (
            f"At {_rate(rate.accesses_per_s)} ({rate.basis}), {row.title} takes "
            f"{_bound(row, row.mean_us)} on average and {_bound(row, row.p99_us)} at the 99th percentile; "
            f"{_busiest(row)}."
        )


def _overloaded(rows: Sequence[SchemeAt], rate: NamedRate) -> Iterator[str]:
    at = [row for row in rows if row.rate == rate.name]
    behind = [row for row in at if row.unbounded]
    if not behind or len(behind) == len(at):
        return
    if len(behind) == 1:
        [row] = behind
        worst = busiest(row)
        yield (
            f"{row.title} does not carry this rate: {TIERS[worst.tier]} would have to be busy for "
            f"{_over(worst.utilisation)} of the time, so its queue and the response time grow "
            f"without bound; it carries up to {_rate(row.largest_accesses_per_s or 0.0)}."
        )
        return
    yield (
        f"{listed([row.title for row in behind])} do not carry this rate: a device would have to "
        "be busy for more than all of the time, so its queue and the response time grow without "
        "bound; they carry up to "
        f"{listed([three_digits(row.largest_accesses_per_s or 0.0) for row in behind])} accesses "
        "per second, in this order."
    )


def jump_sentence(jump: Jump, page_bytes: int) -> str:
    """Say which share of the accesses decides where a percentile lies, and at which size it jumps."""
    name = NAMES[jump.percentile]
    least = "at least " if jump.is_at_least else ""
    beyond = f"{READ[jump.other_tier]}, {least}{_time(jump.other_us)} alone"
    size = (
        ""
        if jump.pages is None
        else f"{counted(jump.pages, 'page')} ({format_bytes(jump.pages * page_bytes)}) of "
        f"{SIZED[jump.resized]}"
    )
    if jump.crossing == "ram":
        if jump.tier == "ram":
            return (
                f"{name} is {READ['ram']}, because {percent(jump.share)} of the accesses hit RAM; "
                f"it jumps to {beyond}, where fewer than {percent(jump.threshold)} do"
                + (f": below {size}." if size else ".")
            )
        return (
            f"{name} is {READ[jump.tier]}, because only {percent(jump.share)} of the accesses hit "
            f"RAM; it drops to {READ['ram']} where at least {percent(jump.threshold)} do"
            + (f": from {size} on." if size else ", which no size of RAM reaches.")
        )
    if jump.tier == "disk":
        return (
            f"{name} is {READ['disk']}, because {percent(jump.share)} of the accesses read it; it "
            f"drops to {beyond}, where at most {percent(jump.threshold)} do"
            + (f": from {size} on." if size else ", which no size of flash reaches.")
        )
    return (
        f"{name} is {READ['flash']}, because only {percent(jump.share)} of the accesses read the "
        f"disk; it jumps to {beyond}, where more than {percent(jump.threshold)} do"
        + (f": below {size}." if size else ".")
    )


NAMES = {
    0.5: "The median",
    0.99: "The 99th percentile",
    0.999: "The 99.9th percentile",
}
SIZED = {"ram": "RAM", "flash": "flash"}


def busiest(row: SchemeAt) -> StationAt:
    """Return the devices of a row that are busy most."""
    return max(row.stations, key=lambda each: each.utilisation)


def _busiest(row: SchemeAt) -> str:
    most = busiest(row)
    if most.utilisation == 0:
        return "no access needs a device"
    return f"{TIERS[most.tier]} is busiest, {percent(most.utilisation)} of the time"


def _bound(row: SchemeAt, time_us: float | None) -> str:
    """Write a time of a row, which may be a lower bound of it."""
    return _at_least(row, time_us) or _time(time_us)


def _at_least(row: SchemeAt, time_us: float | None) -> str:
    """Write a time as a lower bound; empty where it is none: a RAM hit takes no time, whatever a read does."""
    return f"at least {_time(time_us)}" if row.without_latency and time_us else ""


def _rests(row: SchemeAt) -> str:
    """Say that the times of a row rest on busy times, to be read behind them; empty where they do not."""
    if not row.without_latency or not row.mean_us:
        return ""
    named = [
        f"`{each.device_id}`"
        for each in row.stations
        if each.tier in row.without_latency
    ]
    return (
        f" No latency of a read of {listed([*dict.fromkeys(named)])} is stated: these times rest on busy times, 1/IOPS, and "
        "a read alone takes at least as long."
    )


def _over(share: float) -> str:
    """Say a share of at least 1, which never reads as all of the time."""
    text = percent(share)
    return "just over 100 %" if text == "100 %" else text


def _rate(accesses_per_s: float) -> str:
    return f"{three_digits(accesses_per_s)} accesses per second"


def _time(time_us: float | None) -> str:
    if time_us is None:
        return "without bound"
    return "0 µs" if time_us == 0 else duration_us(time_us)
