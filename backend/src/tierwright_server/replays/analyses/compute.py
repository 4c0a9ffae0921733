"""The jobs of analyses, in their child process: trace -> arrays in a file.

One line in `COMPUTE` adds a kind.
"""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np

from tierwright.profile import measure
from tierwright.trace.reading import OnProgress, Trace
from tierwright_server.common.sealed import sealed
from tierwright_server.jobs.report import JobFailure, Report
from tierwright_server.jobs.runs.states import RunKind

Arrays = dict[str, Any]
Phase = Callable[[str], AbstractContextManager[OnProgress]]


def pool_split(trace: Trace, parameters: dict[str, Any], phase: Phase) -> Arrays:
    """Count a buffer at every split."""
    from tierwright.advise.pool_survey import arrays_of, survey

    return arrays_of(survey(trace, **parameters, phase=phase).cut())


def pool_advisor(trace: Trace, parameters: dict[str, Any], phase: Phase) -> Arrays:
    """Replay the adaptive split; one document, as every column is an epoch's."""
    from tierwright.advise.pool_advisor import answer

    with phase("following the advisor") as on_progress:
        found = answer(trace, **parameters, on_progress=on_progress)
    return _document(found.to_dict())


def windows(trace: Trace, parameters: dict[str, Any], phase: Phase) -> Arrays:
    """Count the LRU misses of consecutive windows."""
    with phase("counting misses by window") as on_progress:
        found = measure.window_curves(trace, **parameters, on_progress=on_progress)
    starts = found.pop("start_ns")
    # Windows of accesses have no times.
    found["start_ns"] = np.array([start for start in starts if start is not None])
    return {name: value for name, value in found.items() if value is not None}


def sampled_profile(trace: Trace, parameters: dict[str, Any], phase: Phase) -> Arrays:
    """Estimate the curves from a sample of the pages."""
    with phase("following the sampled pages") as on_progress:
        made = measure.sampled_profile(trace, **parameters, on_progress=on_progress)
    document = made.to_dict()
    counts = ("accesses", "distinct_pages", "write_accesses", "page_bytes")
    intervals = ("misses_interval95", "write_backs_interval95")
    return {
        **document["curve"],
        **{name: document[name] for name in (*counts, *intervals, "sample_rate")},
    }


def summaries(trace: Trace, parameters: dict[str, Any], phase: Phase) -> Arrays:
    """Sum the trace up; one document, as no summary is large."""
    from tierwright.profile.summaries import summarise

    with phase("summing up") as on_progress:
        found = summarise(trace, **parameters, on_progress=on_progress)
    return _document(found.to_dict())


def response_replay(trace: Trace, parameters: dict[str, Any], phase: Phase) -> Arrays:
    """Replay on simulated time, one scheme at one rate after the other."""
    from tierwright.simulate.timed import TimedReplay

    found = {}
    for name, document in parameters["replays"].items():
        with phase(f"replaying {name}") as on_progress:
            found[name] = TimedReplay.of(document).run(trace, on_progress)
    return _document(found)


def category_counts(trace: Trace, parameters: dict[str, Any], phase: Phase) -> Arrays:
    """Count the requests below RAM by category; one document of many lists."""
    from tierwright.profile.categories import counted

    with phase("counting by category") as on_progress:
        found = counted(trace, **parameters, on_progress=on_progress)
    return _document(found)


def _document(found: dict[str, Any]) -> Arrays:
    text = json.dumps(found, allow_nan=False)
    return {"document": np.frombuffer(text.encode(), dtype=np.uint8)}


COMPUTE: dict[str, Callable[[Trace, dict[str, Any], Phase], Arrays]] = {
    RunKind.POOL_SPLIT: pool_split,
    RunKind.POOL_ADVISOR: pool_advisor,
    RunKind.WINDOWS: windows,
    RunKind.SAMPLED_PROFILE: sampled_profile,
    RunKind.SUMMARIES: summaries,
    RunKind.RESPONSE_REPLAY: response_replay,
    RunKind.CATEGORY_COUNTS: category_counts,
}


def analyse(job: dict[str, Any], report: Report) -> dict[str, Any]:
    """Compute the arrays of an analysis; the file appears in one step.

    Parameters
    ----------
    job : dict
        `kind`, `trace` (path of the canonical trace), `parameters` (keyword arguments of
        the kind), `out` (the file to make).
    report : Report
        Takes progress in bytes of the trace, one phase a pass.

    Returns
    -------
    dict
        `bytes`: size of the file.
    """
    trace, out = Path(job["trace"]), Path(job["out"])
    total_bytes = trace.stat().st_size

    def phase(name: str) -> AbstractContextManager[OnProgress]:
        return report.phase(name, total_bytes)

    found = COMPUTE[job["kind"]](Trace(trace), job["parameters"], phase)
    # What the reader noticed is kept with the workload.
    arrays: dict[str, Any] = {
        name: np.asarray(of) for name, of in found.items() if name != "trace"
    }
    unfit = [name for name, of in arrays.items() if of.dtype.hasobject]
    if unfit:
        raise TypeError(f"{', '.join(unfit)}: no array that could be read again")
    if not trace.parent.is_dir():
        raise JobFailure("the workload was deleted")
    out.parent.mkdir(mode=0o700, exist_ok=True)
    with sealed(out) as file:
        np.savez(file, **arrays)
    return {"bytes": out.stat().st_size}
