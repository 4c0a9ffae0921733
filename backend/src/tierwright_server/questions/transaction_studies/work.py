"""The job of a study of transactions, in its child process: each size of the buffer is one pass over the file."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from tierwright.advise import transaction_study as models
from tierwright.common.core_errors import SimulatorError
from tierwright.common.errors import BadInput
from tierwright.simulate.transactions import (
    EventSurvey,
    device_of,
    replay_systems,
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
        attempt, or None), `done` (sizes of an earlier attempt).
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
                "systems",
                "ram_pages",
                "database_pages",
                "blocks",
                "pages_per_block",
                "page_bytes",
                "checkpoint_pages",
            )
        },
    )
    crash = inputs["crash"]
    crash_after = {"none": None, "end": survey.events}.get(crash, crash)
    report.partial(
        {
            "survey": asdict(survey),
            "plan": {
                "ram_pages": plan.ram_pages,
                "database_pages": plan.database_pages,
                "blocks": plan.geometry.blocks,
                "crash_after": crash_after,
            },
        }
    )
    waiting = [pages for pages in plan.ram_pages if pages not in job["done"]]
    for at, pages in enumerate(waiting):
        found = replay_systems(
            path,
            systems=inputs["systems"],
            ram_pages=pages,
            database_pages=plan.database_pages,
            log_bytes_per_update=inputs["log_bytes_per_update"],
            geometry=plan.geometry,
            device=None
            if inputs["spare"] is None
            else device_of(plan.geometry, inputs["spare"]),
            durable=inputs["durable"],
            checkpoint_pages=inputs["checkpoint_pages"],
            crash_after=crash_after,
            on_progress=_progress(report, at, len(waiting)),
        )
        rows = {name: counts.to_dict() for name, counts in found.systems.items()}
        report.partial({"rows": {str(pages): rows}})
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
