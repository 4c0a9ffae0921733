"""The model's choice, or that of a replay where its lead lies within its error."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from tierwright.common.errors import BadInput
from tierwright.evaluate.page_flow.schemes import SCHEMES

if TYPE_CHECKING:
    from tierwright.evaluate.page_flow.results import Evaluation
    from tierwright.profile.curve import Curve
    from tierwright.trace.reading import OnProgress, Trace
from tierwright.evaluate.page_flow.decision import (
    check_belongs,
    decided,
    not_replayed,
    replay_points,
    replay_sizes,
)

Key = TypeVar("Key", bound=Hashable)


def decide(
    found: Evaluation,
    curve: Curve,
    trace: Trace,
    *,
    on_progress: OnProgress | None = None,
) -> Evaluation:
    """Decide an evaluation by replaying its trace, where its lead lies within the error.

    Parameters
    ----------
    found : Evaluation
        By the model.
    curve : Curve
        The curve that was evaluated; the trace must be the one it was made of, or the recording that
        was scaled to it.
    trace : Trace
        What is replayed.
    on_progress : callable, optional
        See `tierwright.trace.reading.OnProgress`.

    Returns
    -------
    Evaluation
        Decided by replay where several schemes could be best; otherwise as it was, after a
        look that the trace belongs to the curve. So also where a recording is too small to stand for
        production, with a warning.

    Raises
    ------
    BadInput
        If the trace is another one than that of the curve.
    SimulatorError
        If the trace cannot be read, or progress asked to stop.
    """
    points = replay_points(found, curve.scaled)
    sizes = replay_sizes(found, curve.scaled)
    is_replayed = bool(found.contenders) and (sizes is None or not sizes.refuses)
    wanted = SCHEMES if is_replayed else ("none",)
    counters = replayed_by_key(
        curve,
        trace,
        {name: points[name].configuration(name) for name in wanted},
        warm_up=points["none"].warm_up,
        on_progress=on_progress,
    )
    if is_replayed:
        return decided(found, counters, curve)
    if found.contenders and sizes is not None:
        return not_replayed(found, sizes)
    return found


def replayed_by_key(
    curve: Curve,
    trace: Trace,
    configurations: Mapping[Key, dict[str, Any]],
    *,
    warm_up: int,
    raises: bool = True,
    on_progress: OnProgress | None = None,
) -> dict[Key, dict[str, Any]]:
    """Replay a trace through configurations, and return the counters of each by its key.

    Parameters
    ----------
    curve, trace, warm_up, raises, on_progress
        As of `replayed_rows`.
    configurations : mapping to dict
        As of `tierwright.simulate.replay.sweep`, at least one.

    Raises
    ------
    BadInput
        If a replay is impossible, or the trace is another one than that of the curve.
    Cancelled
        If progress asked to stop.
    """
    rows = replayed_rows(
        curve,
        trace,
        list(configurations.values()),
        warm_up=warm_up,
        raises=raises,
        on_progress=on_progress,
    )
    return dict(zip(configurations, rows, strict=True))


def replayed_rows(
    curve: Curve,
    trace: Trace,
    configurations: Sequence[dict[str, Any]],
    *,
    warm_up: int,
    raises: bool = True,
    on_progress: OnProgress | None = None,
) -> list[dict[str, Any]]:
    """Replay a trace through configurations, all over one read of it; of the first it is seen whose trace it is.

    Parameters
    ----------
    curve : Curve
        Of the workload; the trace must be the one it was made of, or the recording that was scaled to it.
    trace : Trace
        What is replayed.
    configurations : sequence of dict
        As of `tierwright.simulate.replay.sweep`, at least one.
    warm_up : int
        Accesses that are not counted.
    raises : bool
        Whether a replay that is impossible is an error; else its row has `error` and `hint`.
    on_progress : callable, optional
        See `tierwright.trace.reading.OnProgress`.

    Returns
    -------
    list of dict
        Counters of each.

    Raises
    ------
    BadInput
        If a replay is impossible, or the trace is another one than that of the curve.
    Cancelled
        If progress asked to stop.
    """
    from tierwright.common.core_errors import Cancelled, ParameterError
    from tierwright.simulate import replay

    try:
        found = replay.sweep(
            trace, list(configurations), warm_up=warm_up, on_progress=on_progress
        )
    except (BadInput, ParameterError):
        # A trace that is too short for the warm-up of the profile is another one: that is what has to be said.
        whole = replay.sweep(trace, list(configurations)[:1])
        check_belongs(curve, whole["rows"][0], str(trace.path))
        raise
    if found["cancelled"]:
        raise Cancelled("the replay was cancelled", "")
    rows: list[dict[str, Any]] = found["rows"]
    for row in rows:
        if "error" in row and raises:
            raise BadInput(f"{trace.path}: {row['error']}", row["hint"])
    played = next((row for row in rows if "error" not in row), None)
    if played is not None:
        check_belongs(curve, played, str(trace.path))
    return rows
