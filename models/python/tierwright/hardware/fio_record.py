"""How `tierwright device measure` made a result of fio: what it keeps beside the figures.

The record is a key of the result, so that the raw numbers and how they came about stay together;
fio's own readers ignore it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from tierwright.common.cautions import Caution
from tierwright.common.errors import Problems
from tierwright.common.units import format_bytes
from tierwright.common.wording import listed

RECORD_KEY = "tierwright_measure"
RECORD_VERSION = 1

Verdict = Literal["steady", "not_steady", "too_short"]
"""Steady; the rule was not met before the limit; too few windows to apply it."""
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
VERDICT_WORDS: dict[Verdict, str] = {
    "steady": "steady state reached",
    "not_steady": "steady state not reached",
    "too_short": "too short to see a steady state",
}
_MOST_TEXT = 400
_MOST_JOBS = 1000


@dataclass(frozen=True, slots=True)
class FioRecord:
    """How a result of fio was measured.

    Attributes
    ----------
    page_bytes : int
        Page whose cost was measured. [bytes]
    file_bytes : int
        Size of the file that was read and written. [bytes]
    filesystem, source, kernel, fio_version, date, by : str
        Type of the file system and what is mounted there, the kernel, the version of fio, the day,
        and who measured; empty where it is not known.
    direct : bool
        Whether the page cache of the operating system was bypassed.
    written_bytes : int
        Bytes written in all. [bytes]
    rule : str
        When a run counts as steady, in words.
    verdicts : dict of str to str
        Job to its `Verdict`.
    """

    page_bytes: int
    file_bytes: int
    filesystem: str
    source: str
    kernel: str
    fio_version: str
    date: str
    by: str
    direct: bool
    written_bytes: int
    rule: str
    verdicts: dict[str, Verdict]

    @property
    def provenance(self) -> str:
        """Who measured what, when and how, in one line."""
        ran = f", run by {self.by}" if self.by else ""
        parts = [f"tierwright device measure with {self.fio_version}{ran}"]
        parts += [f"on {self.date}"] if self.date else []
        where = " ".join(
            part
            for part in (self.filesystem, f"({self.source})" * bool(self.source))
            if part
        )
        access = "direct I/O" if self.direct else "through the page cache"
        parts.append(f"in a file of {format_bytes(self.file_bytes)}")
        parts += [f"on {where}"] if where else []
        return f"{' '.join(parts)}; {access}" + (
            f"; {self.kernel}" if self.kernel else ""
        )

    def note_of(self, job: str) -> str:
        """Say whether a run was steady; empty where nothing is known of it."""
        verdict = self.verdicts.get(job)
        return "" if verdict is None else VERDICT_WORDS[verdict]

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know before relying on the runs."""
        found: list[Caution] = []
        unsteady = [
            job for job, verdict in self.verdicts.items() if verdict == "not_steady"
        ]
        if unsteady:
            found.append(
                Caution(
                    "steady_state_not_reached",
                    f"the rate of job {unsteady[0]} was still changing at its limit of time or "
                    "bytes"
                    if len(unsteady) == 1
                    else f"the rates of {len(unsteady)} of {len(self.verdicts)} jobs were still "
                    f"changing at their limits of time or bytes: {listed(unsteady)}",
                    "measure with more time and more bytes, and without other load on the "
                    "device",
                )
            )
        short = [
            job for job, verdict in self.verdicts.items() if verdict == "too_short"
        ]
        if short:
            found.append(
                Caution(
                    "too_short_for_steady_state",
                    f"job {short[0]} reached its limit of bytes too soon to be judged"
                    if len(short) == 1
                    else f"{len(short)} of {len(self.verdicts)} jobs reached their limits of "
                    f"bytes too soon to be judged: {listed(short)}",
                    "allow more bytes to be written",
                )
            )
        if not self.direct:
            found.append(
                Caution(
                    "page_cache_measured",
                    "the file system refused direct I/O: the times are those of the page cache "
                    "in RAM, not of the device",
                    "measure on a file system that supports direct I/O, such as ext4 or XFS",
                )
            )
        return tuple(found)


def read_record(document: Mapping[str, Any], place: str) -> FioRecord | None:
    """Read the record of a result of fio.

    Parameters
    ----------
    document : mapping
        Parsed JSON of fio.
    place : str
        File named in errors.

    Returns
    -------
    FioRecord or None
        None where there is no record.

    Raises
    ------
    BadInput
        If there is one that this version cannot read.
    """
    entry = document.get(RECORD_KEY)
    if entry is None:
        return None
    problems = Problems(
        f"{place}: {RECORD_KEY}", "give the file that `tierwright device measure` wrote"
    )
    if not isinstance(entry, Mapping):
        problems.add("record", None, "must be an object")
        problems.raise_if_any()
        return None
    version = entry.get("version")
    problems.check(
        version == RECORD_VERSION, "version", version, f"is not {RECORD_VERSION}"
    )
    texts = {key: _text(entry, key, problems) for key in _TEXTS}
    whole = {
        key: _whole(entry, key, problems)
        for key in ("page_bytes", "file_bytes", "written_bytes")
    }
    direct = entry.get("direct")
    problems.check(isinstance(direct, bool), "direct", direct, "must be true or false")
    verdicts = _verdicts(entry.get("jobs"), problems)
    problems.raise_if_any()
    return FioRecord(
        page_bytes=whole["page_bytes"],
        file_bytes=whole["file_bytes"],
        filesystem=texts["filesystem"],
        source=texts["source"],
        kernel=texts["kernel"],
        fio_version=texts["fio_version"],
        date=texts["date"],
        by=texts["by"],
        direct=direct is True,
        written_bytes=whole["written_bytes"],
        rule=texts["rule"],
        verdicts=verdicts,
    )


_TEXTS = ("filesystem", "source", "kernel", "fio_version", "date", "by", "rule")


def _text(entry: Mapping[str, Any], key: str, problems: Problems) -> str:
    value = entry.get(key, "")
    good = isinstance(value, str) and len(value) <= _MOST_TEXT and value.isprintable()
    problems.check(
        good, key, None, f"must be one line of at most {_MOST_TEXT} characters"
    )
    return value if good else ""


def _whole(entry: Mapping[str, Any], key: str, problems: Problems) -> int:
    value = entry.get(key)
    good = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    problems.check(good, key, value, "must be a whole number of bytes")
    return value if good and isinstance(value, int) else 0


def _verdicts(jobs: Any, problems: Problems) -> dict[str, Verdict]:
    if not problems.check(
        isinstance(jobs, Mapping) and len(jobs) <= _MOST_JOBS,
        "jobs",
        None,
        f"must be an object of at most {_MOST_JOBS} jobs",
    ):
        return {}
    found: dict[str, Verdict] = {}
    for name, job in jobs.items():
        verdict = job.get("verdict") if isinstance(job, Mapping) else None
        known = next((each for each in VERDICTS if each == verdict), None)
        problems.check(
            known is not None,
            f"jobs.{name}.verdict",
            verdict,
            f"is not one of {', '.join(VERDICTS)}",
        )
        if known is not None:
            found[name] = known
    return found
