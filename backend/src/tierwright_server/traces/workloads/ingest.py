"""The ingest job, in its child process: raw trace -> canonical trace -> curves."""

import json
import os
import time
from pathlib import Path
from typing import Any

from tierwright.common.core_errors import TraceError
from tierwright.trace.conversions import core_build
from tierwright.trace.reading import Trace, convert
from tierwright_server.common.disk_space import is_full
from tierwright_server.common.sealed import Damaged, opened, sealed
from tierwright_server.common.wording import without_path
from tierwright_server.jobs.report import JobFailure, OnProgress, Report
from tierwright_server.storage import contents
from tierwright_server.storage.source_files import mark_of
from tierwright_server.traces.workloads.attempts import Attempt
from tierwright_server.traces.workloads.conversion import make_log, sha256_of
from tierwright_server.traces.workloads.profiling import profile

_NEVER_CHANGED = ("upload", "fetched", "workload")
_REPORT_NAME = "converted.json"
_KEPT = (
    contents.TRACE_NAME,
    f"{contents.TRACE_NAME}.partial",
    f"{contents.TRACE_NAME}.checkpoint",
    _REPORT_NAME,
)


def ingest(job: dict[str, Any], report: Report) -> dict[str, Any]:
    """Convert and profile a trace; the files appear under their content id.

    Parameters
    ----------
    job : dict
        `trace` (argument group of the core), `source` (of the conversion log; without a
        `sha256` the file is hashed here), `asked` (of the conversion log), `shown_as` (name
        of the file for messages), `max_stored_bytes` (room for what is kept),
        `checkpoint_accesses` (between two checkpoints), `work_dir` (folder of this run),
        `contents_dir`.
    report : Report
        Takes progress in bytes and accesses.

    Returns
    -------
    dict
        `content_id`, `summary`, `conversion` (the log), `known` (whether the same content
        was there already).
    """
    work = Attempt(Path(job["work_dir"]), _KEPT).folder
    trace = work / contents.TRACE_NAME
    raw = Trace.of(job["trace"])
    source = str(raw.path)
    origin = dict(job["source"])
    try:
        before = mark_of(Path(source))
        size = Path(source).stat().st_size
        if origin["sha256"] is None:
            origin["sha256"] = sha256_of(Path(source), report)
        # Of a file that may be changed and not hashed again, when it was written; an upload is the same on every host.
        written = "" if origin.get("kind") in _NEVER_CHANGED else f" {before},"
        key = f"{origin['sha256']}, {size} bytes,{written} {core_build()}"
        began = time.monotonic()
        converted = _converted_before(work, key)
        if converted is None:
            with report.phase("reading and converting", size) as on_progress:
                converted = convert(
                    raw,
                    trace,
                    force=True,
                    resume=(key, job["checkpoint_accesses"]),
                    on_progress=_within(
                        work, job["max_stored_bytes"], job, on_progress
                    ),
                )
            converted |= _speed(converted, time.monotonic() - began)
            _keep_report(work, key, converted)
    except TraceError as error:
        message, *rest = error.args
        hint = str(rest[0]) if rest and rest[0] else None
        raise JobFailure(
            str(message).replace(source, job["shown_as"]),
            hint,
            no_room=is_full(error),
        ) from error
    if converted["accesses"] == 0:
        raise JobFailure(
            f"{job['shown_as']}: the trace holds no accesses",
            "Upload a trace with at least one read or write.",
        )
    if (Path(source).stat().st_size, mark_of(Path(source))) != (size, before):
        raise JobFailure(
            f"{job['shown_as']}: the file, or one that is read with it, changed while "
            "it was read",
            "Wait until nothing writes to it, then register it again.",
        )
    converted = without_path(converted, source, job["shown_as"])
    content_id = str(converted["content_id"])
    folder = Path(job["contents_dir"]) / content_id
    known = contents.is_complete(folder)
    if not known:
        _profile(trace, work, report)
        _move_in(work, folder)
    summary = {
        **converted,
        "footprint_bytes": converted["distinct_pages"] * converted["page_bytes"],
        "stored_bytes": sum(
            path.stat().st_size for path in folder.iterdir() if path.is_file()
        ),
    }
    return {
        "content_id": content_id,
        "known": known,
        "summary": summary,
        "conversion": make_log(origin, job["asked"], summary),
    }


def _keep_report(work: Path, key: str, converted: dict[str, Any]) -> None:
    """Write down what the conversion said, for an attempt that need not convert again."""
    text = json.dumps({"key": key, "converted": converted})
    with sealed(work / _REPORT_NAME) as file:
        file.write(text.encode())


def _converted_before(work: Path, key: str) -> dict[str, Any] | None:
    """Return what an earlier attempt said of its conversion, if that came to its end."""
    try:
        with opened(work / _REPORT_NAME) as content:
            kept: dict[str, Any] = json.loads(bytes(content))
    except (FileNotFoundError, Damaged):
        return None
    if kept["key"] != key or not (work / contents.TRACE_NAME).is_file():
        return None
    converted: dict[str, Any] = kept["converted"]
    return converted


def _speed(converted: dict[str, Any], took_s: float) -> dict[str, float]:
    """Say how fast a conversion was; nothing where the clock did not move, or not for all."""
    if took_s <= 0 or "resumed_at_accesses" in converted:
        return {}
    return {
        "converted_in_s": took_s,
        "requests_per_s": converted["requests"] / took_s,
        "accesses_per_s": converted["accesses"] / took_s,
    }


def _within(
    work: Path, most_bytes: int, job: dict[str, Any], on_progress: OnProgress
) -> OnProgress:
    """Stop a conversion whose output grows beyond the room that there is for it.

    The size of the source says little: a small file may decompress to a large trace.
    """

    def watched(
        done: int, total: int, accesses: int, requests: int | None = None, /
    ) -> bool:
        written = sum(entry.stat().st_size for entry in os.scandir(work))
        if written > most_bytes:
            raise JobFailure(
                f"{job['shown_as']}: its stored form grew beyond the {most_bytes:,} bytes "
                "that are left",
                "Raise TIERWRIGHT_STORAGE_LIMIT_BYTES, or free some space on the disk of the "
                "data folder.",
                no_room=True,
            )
        return on_progress(done, total, accesses, requests)

    return watched


def _profile(trace: Path, work: Path, report: Report) -> None:
    with report.phase("profiling", trace.stat().st_size) as on_progress:
        profile(trace, work / contents.CURVE_NAME, on_progress)


def _move_in(work: Path, folder: Path) -> None:
    folder.mkdir(mode=0o700, exist_ok=True)
    for name in (contents.TRACE_NAME, contents.CURVE_NAME):
        (work / name).replace(folder / name)
    for changed in (folder, folder.parent):
        descriptor = os.open(changed, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
