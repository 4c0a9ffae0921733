"""A stated rate of accesses, over a trace that has times of its own: they are multiplied until their mean rate is it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from tierwright.common.errors import BadInput
from tierwright.simulate.rate_options import RATE, STRETCH, spelled, with_option
from tierwright.trace import reading
from tierwright.trace.reading import Trace, rate_of_trace

FAMILY = "flash_cache"


class RecordedRate(Protocol):
    """Returns the accesses per second of a trace; None where it has no times."""

    def __call__(self) -> float | None: ...  # noqa: D102


def once(trace: Trace) -> RecordedRate:
    """Return what reads the rate of a trace when it is first asked for, and only then."""
    known: list[float | None] = []

    def read() -> float | None:
        if not known:
            known.append(rate_of_trace(reading.inspect(trace)))
        return known[0]

    return read


def check_single(name: str, options: Mapping[str, str]) -> bool:
    """Say whether the options of a flash cache state a rate.

    Raises
    ------
    BadInput
        If they state a factor of the recorded times too, which is another rate.
    """
    if spelled(name) not in with_option(RATE):
        return False
    given = {spelled(each): value for each, value in options.items()}
    if RATE in given and STRETCH in given:
        raise BadInput(
            f"option: `{RATE}={given[RATE]}` and `{STRETCH}={given[STRETCH]}` both say how fast the trace is replayed",
            f"give one of them: {RATE} for a rate, {STRETCH} for a factor of the recorded times",
        )
    return RATE in given


def paced_options(
    name: str, options: Mapping[str, str] | None, recorded: RecordedRate
) -> dict[str, str]:
    """Return the options of a flash cache with the factor that brings the recorded times to the rate that they state.

    The rate stays among them: the core goes by it where a trace has no times, and by the factor where it has.

    Parameters
    ----------
    name : str
        Of the flash cache.
    options : mapping, optional
        As given.
    recorded : callable
        Of the trace; asked only where there is a rate.

    Raises
    ------
    BadInput
        If they state a factor too.

    Examples
    --------
    >>> paced_options("sce", {"accesses_per_second": "500"}, lambda: 250.0)
    {'accesses_per_second': '500', 'stretch': '0.5'}
    >>> paced_options("sce", {"accesses_per_second": "500"}, lambda: None)
    {'accesses_per_second': '500'}
    """
    own = dict(options or {})
    if not check_single(name, own):
        return own
    stated = next(value for each, value in own.items() if spelled(each) == RATE)
    # What is no rate is the core's to refuse.
    per_s = int(stated) if stated.isdecimal() else 0
    recorded_per_s = recorded() if per_s else None
    if recorded_per_s:
        own[STRETCH] = repr(recorded_per_s / per_s)
    return own


def paced_configurations(
    trace: Trace, configurations: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return configurations of `sweep` with `paced_options`; the trace is read once where any states a rate."""
    recorded = once(trace)
    return [
        {
            **each,
            "options": paced_options(each[FAMILY], each.get("options"), recorded),
        }
        if FAMILY in each
        else dict(each)
        for each in configurations
    ]


def refuse_on_simulated_time(name: str, options: Mapping[str, str] | None) -> None:
    """Refuse a rate where the arrivals say when accesses come.

    Raises
    ------
    BadInput
        If the options state one.
    """
    if check_single(name, options or {}):
        stated = next(
            value for each, value in (options or {}).items() if spelled(each) == RATE
        )
        raise BadInput(
            f"option: `{RATE}={stated}`: on simulated time the arrivals say when accesses come",
            "leave it out, and state the rate of the arrivals",
        )
