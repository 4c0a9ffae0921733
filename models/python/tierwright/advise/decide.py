"""The model's choice, or that of a replay where its lead lies within its error."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    from tierwright.common.core_errors import Cancelled
    from tierwright.simulate import replay

    points = replay_points(found, curve.scaled)
    sizes = replay_sizes(found, curve.scaled)
    is_replayed = bool(found.contenders) and (sizes is None or not sizes.too_small)
    wanted = SCHEMES if is_replayed else ("none",)
    made = replay.sweep(
        trace,
        [points[name].configuration(name) for name in wanted],
        warm_up=points["none"].warm_up,
        on_progress=on_progress,
    )
    if made["cancelled"]:
        raise Cancelled("the replay was cancelled", "")
    rows = made["rows"]
    for row in rows:
        if "error" in row:
            raise BadInput(f"{trace.path}: {row['error']}", row["hint"])
    check_belongs(curve, rows[0], str(trace.path))
    if is_replayed:
        return decided(found, dict(zip(wanted, rows, strict=True)), curve.scaled)
    if found.contenders and sizes is not None:
        return not_replayed(found, sizes)
    return found
