"""The job of a study of transactions, in its child process: each size of the buffer is one pass over the file."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from tierwright.advise import transaction_study as models
from tierwright.common.core_errors import SimulatorError
from tierwright.common.errors import BadInput
from tierwright.simulate.transactions import (
    EventSurvey,
    survey_events,
)
from tierwright_server.jobs.report import JobFailure, OnProgress, Report

READING = "reading events"
REPLAYING = "replaying events"


def study(job: dict[str, Any], report: Report) -> dict[str, Any]:
    """Replay events through every system at every size; counts are handed over as soon as they are there.

    Parameters
    ----------
    job : dict
        `path`, `shown_as` (name of the file for messages), `inputs` (of the request), `survey` (of an earlier
        attempt, or None), `blocks` and `done` (of the device and sizes of an earlier attempt).
    report : Report
        Takes progress in bytes of the file, once for each size.

    Returns
    -------
    dict
        `replayed`: how many sizes there are.
    """
    path = Path(job["path"])
    try:
        return _study(path, job, report)
    except BadInput as refused:
        raise JobFailure(
            f"{job['shown_as']}: {refused.message}", refused.hint
        ) from refused
    except SimulatorError as error:
        message, *hints = error.args
        raise JobFailure(
            str(message).replace(str(path), job["shown_as"]),
            str(hints[0]) if hints and hints[0] else None,
        ) from error


def _study(path: Path, job: dict[str, Any], report: Report) -> dict[str, Any]:
    inputs = job["inputs"]
    if job["survey"] is None:
        with report.phase(READING, path.stat().st_size) as on_progress:
            survey = survey_events(path, on_progress)
    else:
        survey = EventSurvey(**job["survey"])
    plan = models.planned(
        survey,
        **{
            name: inputs[name]
            for name in (
                "ram_pages",
                "database_pages",
                "blocks",
                "pages_per_block",
                "page_bytes",
                "spare",
                "checkpoint_pages",
            )
        },
    )
    if job["blocks"] is not None:
        plan = replace(plan, geometry=replace(plan.geometry, blocks=job["blocks"]))
    crash = inputs["crash"]
    crash_after = {"none": None, "end": survey.events}.get(crash, crash)
    models.check_crash(survey, crash_after)

    def known(plan: models.Plan) -> dict[str, Any]:
        return {
            "survey": asdict(survey),
            "plan": {
                "ram_pages": plan.ram_pages,
                "database_pages": plan.database_pages,
                "blocks": plan.geometry.blocks,
                "crash_after": crash_after,
            },
        }

    report.partial(known(plan))
    made = models.replays(
        path,
        plan,
        grows=inputs["blocks"] is None,
        **{
            name: inputs[name]
            for name in (
                "systems",
                "log_bytes_per_update",
                "spare",
                "durable",
                "checkpoint_pages",
            )
        },
        crash_after=crash_after,
        done=job["done"],
        on_progress=lambda at, sizes: _progress(report, at, sizes),
    )
    for used, pages, systems in made:
        rows = {name: counts.to_dict() for name, counts in systems.items()}
        report.partial({**known(used), "rows": {str(pages): rows}})
    return {"replayed": len(plan.ram_pages)}


def _progress(report: Report, at: int, sizes: int) -> OnProgress:
    """Return what takes the progress of one pass of several."""

    def on_progress(
        done: int, total: int, accesses: int, requests: int | None = None, /
    ) -> bool:
        del accesses, requests
        report.progress(REPLAYING, at * total + done, sizes * total)
        return True

    return on_progress
