"""The job of a ranking, in its child process: curve and quotes -> the answer in a file."""

import json
from pathlib import Path
from typing import Any, Literal

from tierwright.common.documents import parse_json
from tierwright.common.errors import BadInput
from tierwright.profile.curve import Curve
from tierwright.profile.document import profile_from_mapping
from tierwright.trace.notes import ReaderNotes
from tierwright_server.common.errors import ServerError
from tierwright_server.jobs.report import JobFailure, Report


def rank(job: dict[str, Any], report: Report) -> dict[str, Any]:
    """Rank the quotes of a request.

    Parameters
    ----------
    job : dict
        `body` (the request as JSON), `devices` (documents by id), `is_trace`, `path` (of the curve or the profile),
        `summary`, `notes` (of the reader), `out` (the file to make).
    report : Report
        Takes progress in quotes.

    Returns
    -------
    dict
        `ranking_id`, `finding`, and `out`.
    """
    # The answer has the shapes of the API, which take a second to import: not before it is known to be wanted.
    from tierwright.hardware.device import device_from_mapping
    from tierwright_server.questions.quote_rankings.asked import (
        answered,
        asked_of_models,
        batch_of,
        found_of,
    )
    from tierwright_server.questions.quote_rankings.schemas import QuoteRankingIn

    body = QuoteRankingIn.model_validate(json.loads(job["body"]))
    devices = {
        name: device_from_mapping(document, place=name)
        for name, document in job["devices"].items()
    }

    try:
        batch = batch_of(body)
        total = len(batch.offers)

        def on_quote(done: int) -> None:
            report.progress("pricing quotes", done, total, unit="quotes")
            if done == total:
                report.progress("ordering quotes", 0, None, unit="quotes")

        report.progress("pricing quotes", 0, total, unit="quotes")
        curve = _curve(job, body.start, body.dirty_share)
        found = found_of(body, curve, job["summary"].get("duration_s"), devices)
        ranking_id, answer = answered(asked_of_models(body, batch, found), on_quote)
    except BadInput as refused:
        raise JobFailure(refused.message, refused.hint) from refused
    except ServerError as refused:
        raise JobFailure(refused.detail, refused.hint) from refused
    out = Path(job["out"])
    out.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    out.write_bytes(answer)
    return {
        "ranking_id": ranking_id,
        "finding": json.loads(answer)["finding"],
        "out": str(out),
    }


def _curve(
    job: dict[str, Any], start: Literal["steady", "cold"], dirty_share: float | None
) -> Curve:
    """Read the curve as the request means it."""
    from tierwright_server.traces.curves import read_curve

    path, summary = Path(job["path"]), job["summary"]
    if job["is_trace"]:
        names = ("accesses", "page_bytes", "write_accesses")
        curve = read_curve(path, **{name: summary[name] for name in names})
    else:
        text = path.read_bytes().decode()
        curve = profile_from_mapping(parse_json(text, path.name, "")).curve
    curve = curve.with_notes(ReaderNotes.of(job["notes"])).from_start(start)
    return curve if dirty_share is None else curve.with_dirty_share(dirty_share)
