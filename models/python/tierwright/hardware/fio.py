"""Reads a result of fio (`fio --output-format=json`) as a device profile.

Three times are kept apart, because at a queue depth above 1 they differ:

* *latency*: how long one request takes from submission to completion; it includes waiting behind
  the other requests in flight.
* *1/IOPS*: time between completions; a throughput cost. The models use this one as busy time.
* *service time*: how long the device works on one request. Only a run at depth 1 shows it: there it
  is the completion latency. At depth n it lies between 1/IOPS and the latency, and is left open.

By Little's law IOPS x latency is the number of requests really in flight; where it is well below
the depth asked for, a warning says so. A mix of reads and writes gives the cost of neither alone: it is
kept beside the runs of one pattern, and where it was measured as they were it states how reads slow
down beside writes (`tierwright.hardware.mixed_load`).

A result of `tierwright device measure` is a result of fio with a record of how it was made
(`tierwright.hardware.fio_record`).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from tierwright.common.cautions import Caution
from tierwright.common.derivation import plain
from tierwright.common.documents import parse_json
from tierwright.common.errors import BadInput, Problems
from tierwright.common.wording import counted
from tierwright.hardware.device import KINDS, Device, Measurement, device_from_mapping
from tierwright.hardware.fio_record import FioRecord, read_record
from tierwright.hardware.mixed_load import beside_writes
from tierwright.hardware.service_time import (
    service_basis,
    service_us,
    stated_page_bytes,
)

Operation = Literal["read", "write"]

SYNCHRONOUS_ENGINES = frozenset(
    {"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "posix"}
)
"""Engines that keep one request in flight a job, whatever `iodepth` says."""
DEFAULT_ENGINE = "psync"
DEPTH_REACHED = 0.8
"""Share of the depth asked for from which it counts as reached."""
BYTES_PER_MB = 1e6
NS_PER_US = 1000.0
US_PER_S = 1e6
END_OF_TIME_S = 4_102_444_800
"""2100-01-01: a later timestamp is none."""
_MIXES = {"rw": False, "readwrite": False, "randrw": True}
"""Value of `rw` of a mix of reads and writes: whether it is random."""
PERCENTILES = {
    "p50": "50.000000",
    "p95": "95.000000",
    "p99": "99.000000",
    "p99_9": "99.900000",
}
"""Percentile of a measurement to the key of fio."""
_PATTERNS: Mapping[str, tuple[Operation, bool]] = {
    "read": ("read", False),
    "write": ("write", False),
    "randread": ("read", True),
    "randwrite": ("write", True),
}
"""Value of `rw`: operation, and whether it is random."""
_DIRECTIONS: tuple[Operation, Operation] = ("read", "write")
ALL_PERCENT = 100
_SIZE = re.compile(r"(\d{1,12})\s*([kmg]?)i?b?", re.IGNORECASE | re.ASCII)
_COUNT = re.compile(r"\d{1,9}", re.ASCII)
_FACTORS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}
_HINT = (
    "run fio with `--output-format=json`, one pattern at a time (`stonewall`), direct=1, for "
    "example randread and randwrite at bs=4k, iodepth=1 and 32"
)


@dataclass(frozen=True, slots=True)
class FioRun:
    """One pattern that fio measured alone.

    Attributes
    ----------
    name : str
        Name of its job.
    operation : str
        `read` or `write`.
    random : bool
        Else sequential.
    block_bytes : int
        Transfer. [bytes]
    queue_depth : int
        Requests in flight asked for: iodepth x jobs. [1]
    in_flight : float or None
        Requests really in flight: IOPS x latency (Little's law). [1]
    iops, bytes_per_s : float
        Of all its jobs together. [1/s], [bytes/s]
    latency_us : float or None
        Mean from submission to completion. [µs]
    time_per_operation_us : float
        1/IOPS. [µs]
    service_time_us : float or None
        Only at depth 1: the mean completion latency. [µs]
    duration_s : float
        [s]
    percentiles_us : dict of str to float
        Key of `PERCENTILES` to latency: from submission with `lat_percentiles=1`, else completion
        latency, which fio reports by default. Empty where fio reports none, and for jobs that ran
        together, whose percentiles cannot be joined. [µs]
    """

    name: str
    operation: Operation
    random: bool
    block_bytes: int
    queue_depth: int
    in_flight: float | None
    iops: float
    bytes_per_s: float
    latency_us: float | None
    time_per_operation_us: float
    service_time_us: float | None
    duration_s: float
    percentiles_us: dict[str, float]


@dataclass(frozen=True, slots=True)
class FioMix:
    """Reads and writes that fio measured together.

    Attributes
    ----------
    read_percent : int
        Share of reads that was requested. [%]
    read, write : FioRun
        Each direction; `queue_depth` is that of both together.
    """

    read_percent: int
    read: FioRun
    write: FioRun


@dataclass(frozen=True, slots=True)
class FioImport:
    """A device profile from a result of fio.

    Attributes
    ----------
    device : Device
        As `tierwright.hardware.device` reads it.
    runs : tuple of FioRun
        What fio measured, each with its three times.
    used : dict of str to str
        Figure of the device to the run behind it.
    basis : str
        Which of the three times the models will use.
    warnings : tuple of Caution
        What to know before acting on it.
    mixes : tuple of FioMix
        Reads and writes measured together, beside the runs.
    record : FioRecord or None
        How it was measured; None where `tierwright device measure` did not make it.
    """

    device: Device
    runs: tuple[FioRun, ...]
    used: dict[str, str]
    basis: str
    warnings: tuple[Caution, ...]
    mixes: tuple[FioMix, ...] = ()
    record: FioRecord | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; `device` is in the form of a device file."""
        page = stated_page_bytes(self.device)
        return {
            "device": self.device.to_dict(),
            "read_service_us": service_us(self.device, "read", page),
            "write_service_us": service_us(self.device, "write", page),
            "service_basis": service_basis(self.device, page),
            "runs": plain(self.runs),
            "mixes": plain(self.mixes),
            "record": None if self.record is None else plain(self.record),
            "used": dict(self.used),
            "basis": self.basis,
            "warnings": plain(self.warnings),
        }


@dataclass(frozen=True, slots=True)
class _Part:
    """One entry of `jobs`, one direction."""

    group: int
    name: str
    operation: Operation
    random: bool
    block_bytes: int
    depth: int
    iops: float
    bytes_per_s: float
    latency_us: float | None
    completion_us: float | None
    operations: float
    duration_s: float
    percentiles_us: dict[str, float]
    read_percent: int | None
    """Of a mix; None where the pattern ran alone."""


def read_fio(path: Path) -> Mapping[str, Any]:
    """Read a JSON result of fio; lines before the document, where fio warns, are skipped.

    Raises
    ------
    BadInput
        If the file cannot be read or holds no JSON object.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: cannot be read: {error}", _HINT) from error
    start = 0 if text.startswith("{") else text.find("\n{") + 1
    skipped = text[:start].count("\n")
    document = parse_json(text[start:], str(path), _HINT, lines_before=skipped)
    if not isinstance(document, Mapping):
        raise BadInput(f"{path}: document: must be a JSON object", _HINT)
    return document


def import_fio(
    document: Mapping[str, Any],
    *,
    identifier: str,
    name: str | None = None,
    kind: str = "nvme",
    queue_depth: int | None = None,
    page_bytes: int | None = None,
    capacity_bytes: int | None = None,
    place: str = "fio result",
) -> FioImport:
    """Make a device profile from a JSON result of fio.

    `read_iops` and `write_iops` are taken at one queue depth, so that they compare: the depth
    asked for, else the deepest at which both were measured. Depth-1 rates and latencies become
    `queue_depth_1_*_iops` and `*_latency_us`; a latency at a greater depth stays in `runs`, as
    it includes waiting. Random reads and writes measured together at the depth and the transfer of the
    rates become `mixed_iops` and `mixed_read_percent`.

    Parameters
    ----------
    document : mapping
        Parsed JSON of fio.
    identifier, name, kind : str
        Of the device; see docs/reference/devices.md.
    queue_depth : int, optional
        Depth of the rates to take. [1]
    page_bytes : int, optional
        Transfer of the rates to take, where fio measured several; that of the record where there
        is one. [bytes]
    capacity_bytes : int, optional
        Usable capacity, which fio does not tell. [bytes]
    place : str
        File named in errors.

    Returns
    -------
    FioImport

    Raises
    ------
    BadInput
        If it is no result of fio, a job failed, reads and writes were only measured together,
        or the choice of depth or transfer is open.
    """
    if kind not in KINDS:
        raise BadInput(
            f"{place}: kind `{kind}` is unknown", f"one of {', '.join(KINDS)}"
        )
    record = read_record(document, place)
    parts, warnings = _parts(document, place)
    runs, mixes = _runs(parts)
    if not runs and mixes:
        first = mixes[0].read
        pattern = "randrw" if first.random else "rw"
        raise BadInput(
            f"{place}: job {first.name}: `{pattern}` reads and writes were measured together, so "
            "the cost of neither is known",
            _HINT,
        )
    planned = None if record is None else record.page_bytes
    page = _page(runs, page_bytes or planned, place)
    depth, about_depth = _depth(runs, page, queue_depth, place)
    version = str(document.get("fio version", "fio"))
    chosen = [
        run
        for run in runs
        if run.random and run.block_bytes == page and run.queue_depth == depth
    ]
    origin = (version, _date(document))
    figures, used = _figures(runs, chosen, page, depth, origin)
    mixed, about_mixes = _mixed(mixes, chosen, page, depth)
    if mixed is not None:
        told = "" if record is None else record.note_of(mixed.read.name)
        figures |= _mixed_figures(mixed, origin, told)
        used |= dict.fromkeys(MIXED_FIGURES, f"{mixed.read.name} (queue depth {depth})")
    if capacity_bytes is not None:
        figures["capacity"] = {
            "value": capacity_bytes,
            "unit": "B",
            "source": "given at import",
        }
    device = device_from_mapping(
        {
            "id": identifier,
            "name": name or identifier,
            "kind": kind,
            "notes": f"[measured] imported from {version}"
            if record is None
            else f"[measured] by {record.provenance}",
            "figures": figures,
            "measurements": [
                {
                    "operation": run.operation,
                    "page_bytes": run.block_bytes,
                    "queue_depth": run.queue_depth,
                    "iops": Decimal(f"{run.iops:.9g}"),
                    "latency_us": _latencies(run),
                    "source": f"{version}, job `{run.name}`",
                    "date": _date(document),
                    "note": "" if record is None else record.note_of(run.name),
                }
                for run in runs
                if run.random
            ],
        },
        place=place,
    )
    return FioImport(
        device,
        tuple(runs),
        used,
        _basis(depth, chosen),
        (
            *warnings,
            *(() if record is None else record.cautions),
            *about_depth,
            *_about_runs(chosen),
            *about_mixes,
        ),
        mixes,
        record,
    )


def _latencies(run: FioRun) -> dict[str, Decimal]:
    known = {"mean": run.latency_us, **run.percentiles_us}
    return {
        name: Decimal(f"{value:.9g}")
        for name, value in known.items()
        if value is not None and value > 0
    }


def to_toml(device: Device) -> str:
    """Return the text of a device file; `tierwright.hardware.catalog` reads it back.

    Parameters
    ----------
    device : Device

    Returns
    -------
    str
        TOML.
    """
    head = {"id": device.id, "name": device.name, "kind": device.kind}
    lines = [f"{key} = {_text(value)}" for key, value in head.items()]
    if device.year is not None:
        lines.append(f"year = {device.year}")
    if device.sold_as != "device":
        lines.append(f"sold_as = {_text(device.sold_as)}")
    if device.product is not None:
        lines.append(f"product = {_text(device.product)}")
    if device.notes:
        lines.append(f"notes = {_text(device.notes)}")
    for name, figure in device.figures.items():
        lines += ["", f"[figures.{name}]", f"value = {figure.value:f}"]
        lines += [f"unit = {_text(figure.unit)}", f"source = {_text(figure.source)}"]
        if figure.date is not None:
            lines.append(f"date = {_text(figure.date)}")
        if figure.note:
            lines.append(f"note = {_text(figure.note)}")
        if figure.assumed:
            lines.append("assumed = true")
    for each in device.measurements:
        lines += _measured_lines(each)
    return "\n".join(lines) + "\n"


def _measured_lines(each: Measurement) -> list[str]:
    lines = ["", "[[measurements]]", f"operation = {_text(each.operation)}"]
    lines.append(f"page_bytes = {each.page_bytes}")
    if each.queue_depth is not None:
        lines.append(f"queue_depth = {each.queue_depth}")
    lines += [f"iops = {each.iops:f}", f"source = {_text(each.source)}"]
    if each.date is not None:
        lines.append(f"date = {_text(each.date)}")
    if each.note:
        lines.append(f"note = {_text(each.note)}")
    if each.latency_us:
        lines += ["", "[measurements.latency_us]"]
        lines += [f"{name} = {value:f}" for name, value in each.latency_us.items()]
    return lines


def _figures(
    runs: Sequence[FioRun],
    chosen: Sequence[FioRun],
    page: int,
    depth: int,
    origin: tuple[str, str | None],
) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """Figures of the device, and the run behind each."""
    version, date = origin
    figures: dict[str, dict[str, Any]] = {}
    used: dict[str, str] = {}

    def add(
        figure: str, value: float, unit: str, run: FioRun | None, note: str
    ) -> None:
        figures[figure] = {
            "value": Decimal(f"{value:.9g}"),
            "unit": unit,
            "source": version if run is None else f"{version}, job `{run.name}`",
            "date": date,
            "note": note,
        }
        if run is not None:
            used[figure] = f"{run.name} (queue depth {run.queue_depth})"

    for run in chosen:
        add(f"{run.operation}_iops", run.iops, "1/s", run, _little(run))
    add("queue_depth", depth, "1", None, "iodepth x jobs")
    add("page_bytes", page, "B", None, "block size of the runs")
    for run in runs:
        if run.random and run.block_bytes == page and run.queue_depth == 1:
            add(f"queue_depth_1_{run.operation}_iops", run.iops, "1/s", run, "")
            if run.latency_us is not None:
                note = "mean at queue depth 1"
                add(f"{run.operation}_latency_us", run.latency_us, "µs", run, note)
    fastest: dict[str, FioRun] = {}
    for run in runs:
        before = fastest.get(run.operation)
        if not run.random and (before is None or run.bytes_per_s > before.bytes_per_s):
            fastest[run.operation] = run
    for operation, run in fastest.items():
        note = f"{run.block_bytes} bytes at queue depth {run.queue_depth}"
        figure = f"sequential_{operation}_mb_per_s"
        add(figure, run.bytes_per_s / BYTES_PER_MB, "MB/s", run, note)
    return figures, used


MIXED_FIGURES = ("mixed_iops", "mixed_read_percent")


def _mixed(
    mixes: Sequence[FioMix], chosen: Sequence[FioRun], page: int, depth: int
) -> tuple[FioMix | None, list[Caution]]:
    """Choose the mix that the device states: of several, the one beside whose writes reads take longest."""
    alone = {run.operation: run for run in chosen}
    if not mixes or len(alone) < len(_DIRECTIONS):
        return None, []
    comparable = [
        mix
        for mix in mixes
        if mix.read.random
        and mix.read.block_bytes == mix.write.block_bytes == page
        and mix.read.queue_depth == depth
    ]
    if not comparable:
        measured = ", ".join(
            dict.fromkeys(
                f"{'random' if mix.read.random else 'sequential'} ones of {mix.read.block_bytes} bytes at "
                f"queue depth {mix.read.queue_depth}"
                for mix in mixes
            )
        )
        return None, [
            Caution(
                "mix_not_comparable",
                f"the rates of reads alone and of writes alone are of random requests of {page} bytes at queue "
                f"depth {depth}, and mixes were measured as {measured}: the profile states no mix, so busy times add",
                "measure a random mix of the same size at the same depth, or take the rates at the depth of the mix",
            )
        ]
    read_us, write_us = (alone[each].time_per_operation_us for each in _DIRECTIONS)

    def beside_us(mix: FioMix) -> float:
        return float(
            beside_writes(
                read_us=read_us,
                write_us=write_us,
                mixed_us=US_PER_S / _together(mix),
                read_share=mix.read.iops / _together(mix),
            )
        )

    slowest = max(comparable, key=beside_us)
    rate, most = _together(slowest), max(run.iops for run in chosen)
    if rate <= most:
        return slowest, []
    return slowest, [
        Caution(
            "mix_faster_than_alone",
            f"job {slowest.read.name} served reads and writes together at {rate:,.0f} per second, more than "
            f"either alone ({most:,.0f}): the rates are not of one state of the device",
            "measure again until each rate is steady, and without other load on the device",
        )
    ]


def _together(mix: FioMix) -> float:
    return mix.read.iops + mix.write.iops


def _mixed_figures(
    mix: FioMix, origin: tuple[str, str | None], verdict: str
) -> dict[str, dict[str, Any]]:
    """State the mix as figures of the device: the rate, and the share of reads that it really had."""
    version, date = origin
    rate = _together(mix)
    note = f"random, {mix.read_percent} % of them reads were asked for"
    shared = {
        "source": f"{version}, job `{mix.read.name}`",
        "date": date,
        "note": f"{note}; {verdict}" if verdict else note,
    }
    percent = ALL_PERCENT * mix.read.iops / rate
    return {
        "mixed_iops": {"value": Decimal(f"{rate:.9g}"), "unit": "1/s", **shared},
        "mixed_read_percent": {
            "value": Decimal(f"{percent:.4g}"),
            "unit": "%",
            **shared,
        },
    }


def _text(value: str) -> str:
    """Return a basic string of TOML; its escapes are those of JSON, but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _parts(
    document: Mapping[str, Any], place: str
) -> tuple[list[_Part], list[Caution]]:
    jobs = document.get("jobs")
    if not isinstance(jobs, list) or not jobs:
        raise BadInput(f"{place}: jobs: must be a list that is not empty", _HINT)
    shared = document.get("global options", {})
    problems = Problems(place, _HINT)
    parts: list[_Part] = []
    warnings: dict[str, Caution] = {}
    for index, job in enumerate(jobs):
        where = f"jobs[{index}]"
        if not problems.check(
            isinstance(job, Mapping), where, job, "must be an object"
        ):
            continue
        own = job.get("job options", {})
        options = {
            **(shared if isinstance(shared, Mapping) else {}),
            **(own if isinstance(own, Mapping) else {}),
        }
        if not problems.check(
            not job.get("error"), f"{where}.error", job.get("error"), "the job failed"
        ):
            continue
        parts += _parts_of(job, options, where, problems)
        for caution in _about_options(options, str(job.get("jobname", where))):
            warnings.setdefault(caution.name, caution)
    problems.raise_if_any()
    return parts, list(warnings.values())


def _parts_of(
    job: Mapping[str, Any],
    options: Mapping[str, Any],
    where: str,
    problems: Problems,
) -> list[_Part]:
    """Return the directions of a job: one, or both of a mix."""
    pattern = str(options.get("rw", options.get("readwrite", "read"))).split(":")[0]
    name = str(job.get("jobname", where))
    if pattern in _MIXES:
        share = _read_percent(options, f"{where} ({name})", problems)
        both = [
            _part(job, options, where, (each, _MIXES[pattern], share), problems)
            for each in _DIRECTIONS
        ]
        return [part for part in both if part is not None]
    if pattern not in _PATTERNS:
        problems.add(f"{where} ({name})", pattern, "is not a read or write pattern")
        return []
    alone = _part(job, options, where, (*_PATTERNS[pattern], None), problems)
    return [] if alone is None else [alone]


def _part(
    job: Mapping[str, Any],
    options: Mapping[str, Any],
    where: str,
    pattern: tuple[Operation, bool, int | None],
    problems: Problems,
) -> _Part | None:
    operation, random, read_percent = pattern
    found = job.get(operation)
    if not isinstance(found, Mapping):
        problems.add(f"{where}.{operation}", None, "is absent")
        return None
    block = _block(options, operation, where, problems)
    iops, rate = _number(found, "iops"), _rate(found)
    if not problems.check(
        iops is not None and iops > 0,
        f"{where}.{operation}.iops",
        iops,
        "must be above 0",
    ):
        return None
    runtime_ms = _number(found, "runtime") or 0.0
    good = problems.check(
        runtime_ms >= 0,
        f"{where}.{operation}.runtime",
        runtime_ms,
        "must not be negative",
    )
    if block is None or iops is None or not good:
        return None
    return _Part(
        int(_number(job, "groupid") or 0),
        str(job.get("jobname", where)),
        operation,
        random,
        block,
        _job_depth(options, where, problems),
        iops,
        rate if rate is not None else iops * block,
        _mean_us(found, "lat"),
        _mean_us(found, "clat"),
        _number(found, "total_ios") or iops,
        runtime_ms / 1000,
        _percentiles_us(found),
        read_percent,
    )


def _read_percent(options: Mapping[str, Any], where: str, problems: Problems) -> int:
    """Share of reads of a mix, which fio takes as 50 % unless it is given. [%]"""
    for key in ("rwmixread", "rwmixwrite"):
        if key in options:
            text = str(options[key])
            good = _COUNT.fullmatch(text) is not None and int(text) <= ALL_PERCENT
            problems.check(good, f"{where}.{key}", text, "is not a percentage")
            share = int(text) if good else 0
            return share if key == "rwmixread" else ALL_PERCENT - share
    return ALL_PERCENT // 2


def _runs(parts: Sequence[_Part]) -> tuple[list[FioRun], tuple[FioMix, ...]]:
    """Jobs of one group ran at once: of one pattern they add up, of several they disturb."""
    groups: dict[int, list[_Part]] = {}
    for part in parts:
        groups.setdefault(part.group, []).append(part)
    runs: dict[tuple[str, bool, int, int], FioRun] = {}
    mixes: list[FioMix] = []
    for members in groups.values():
        shares = {m.read_percent for m in members}
        patterns = {
            (None if None not in shares else m.operation, m.random, m.block_bytes)
            for m in members
        }
        if len(patterns) > 1 or len(shares) > 1:
            names = ", ".join(sorted({m.name for m in members}))
            raise BadInput(
                f"jobs {names} ran at the same time with different patterns, so none was "
                "measured alone",
                "add `stonewall` to each job, or run them one after the other",
            )
        share = shares.pop()
        if share is not None:
            reads, writes = (
                [m for m in members if m.operation == each] for each in _DIRECTIONS
            )
            if reads and writes:
                mixes.append(FioMix(share, _joined(reads), _joined(writes)))
            continue
        run = _joined(members)
        key = (run.operation, run.random, run.block_bytes, run.queue_depth)
        if key in runs:
            raise BadInput(
                f"jobs {runs[key].name} and {run.name} measured the same pattern at the same "
                "depth",
                "import them one at a time",
            )
        runs[key] = run
    return list(runs.values()), tuple(mixes)


def _joined(members: Sequence[_Part]) -> FioRun:
    first = members[0]
    iops = sum(m.iops for m in members)
    depth = sum(m.depth for m in members)
    latency = _weighted([(m.latency_us, m.operations) for m in members])
    completion = _weighted([(m.completion_us, m.operations) for m in members])
    return FioRun(
        first.name,
        first.operation,
        first.random,
        first.block_bytes,
        depth,
        None if latency is None else iops * latency / US_PER_S,
        iops,
        sum(m.bytes_per_s for m in members),
        latency,
        US_PER_S / iops,
        completion if depth == 1 else None,
        max(m.duration_s for m in members),
        first.percentiles_us if len(members) == 1 else {},
    )


def _weighted(values: Iterable[tuple[float | None, float]]) -> float | None:
    known = [(value, weight) for value, weight in values if value is not None]
    total = sum(weight for _, weight in known)
    return sum(value * weight for value, weight in known) / total if total else None


def _page(runs: Sequence[FioRun], wanted: int | None, place: str) -> int:
    sizes = sorted({run.block_bytes for run in runs if run.random})
    if not sizes:
        raise BadInput(f"{place}: holds no random reads or writes", _HINT)
    if wanted is None and len(sizes) > 1:
        raise BadInput(
            f"{place}: random operations of {', '.join(map(str, sizes))} bytes were measured",
            "choose one as [[the page_bytes]]",
        )
    if wanted is not None and wanted not in sizes:
        raise BadInput(
            f"{place}: page_bytes: `{wanted}` was not measured",
            f"choose one of {', '.join(map(str, sizes))}",
        )
    return sizes[0] if wanted is None else wanted


def _depth(
    runs: Sequence[FioRun], page: int, wanted: int | None, place: str
) -> tuple[int, list[Caution]]:
    depths: dict[str, set[int]] = {"read": set(), "write": set()}
    for run in runs:
        if run.random and run.block_bytes == page:
            depths[run.operation].add(run.queue_depth)
    measured = depths["read"] | depths["write"]
    one_sided = [name for name, found in depths.items() if not found]
    both = depths["read"] & depths["write"]
    if wanted is not None and wanted not in measured:
        raise BadInput(
            f"{place}: queue_depth: `{wanted}` was not measured",
            f"choose one of {', '.join(map(str, sorted(measured)))}",
        )
    if wanted is None and not one_sided and not both:
        reads, writes = (sorted(depths[name]) for name in ("read", "write"))
        raise BadInput(
            f"{place}: reads were measured at depth {reads}, writes at {writes}: rates "
            "at different queue depths are not comparable",
            "measure both at one depth, or give [[the queue_depth]]",
        )
    depth = wanted if wanted is not None else max(both or measured)
    lacking = [name for name, found in depths.items() if depth not in found]
    return depth, [
        Caution(
            "operation_missing",
            f"random {name}s were not measured at queue depth {depth}; the profile has no "
            f"{name} IOPS",
            "measure them too: an evaluation needs both",
        )
        for name in lacking
    ]


def _about_options(options: Mapping[str, Any], name: str) -> Iterable[Caution]:
    if str(options.get("direct", "0")) not in ("1", "true"):
        yield Caution(
            "buffered",
            f"job `{name}` did not set direct=1: the page cache of the operating system may "
            "have answered",
            "measure with direct=1",
        )
    limits = [key for key in ("rate", "rate_iops", "thinktime") if key in options]
    if limits:
        yield Caution(
            "rate_limited",
            f"job `{name}` sets {', '.join(limits)}: its IOPS are the requested ones, "
            "not the most that the device can do",
            "measure without a limit",
        )


def _about_runs(chosen: Iterable[FioRun]) -> Iterable[Caution]:
    for run in chosen:
        if (
            run.in_flight is not None
            and run.in_flight < DEPTH_REACHED * run.queue_depth
        ):
            yield Caution(
                "depth_not_reached",
                f"job `{run.name}` requested {counted(run.queue_depth, 'request')} in flight and "
                f"had {run.in_flight:.3g} (IOPS x latency)",
                "check whether the engine is synchronous or the processor too slow; "
                "the profile states the requested depth",
            )


def _basis(depth: int, chosen: Sequence[FioRun]) -> str:
    latencies = ", ".join(
        f"{run.operation} latency {run.latency_us:.4g} µs, 1/IOPS "
        f"{run.time_per_operation_us:.4g} µs"
        for run in chosen
        if run.latency_us is not None
    )
    text = f"busy time = 1/IOPS at queue depth {depth}, a throughput cost"
    if depth == 1:
        text += "; at depth 1 it is the time of one request with nothing overlapping"
    else:
        text += (
            "; it is neither the latency of a request (longer, it waits) nor its service time "
            "(between the two, not measurable at this depth)"
        )
    return f"{text}. {latencies}" if latencies else text


def _little(run: FioRun) -> str:
    if run.latency_us is None:
        return f"queue depth {run.queue_depth}"
    return (
        f"queue depth {run.queue_depth}, mean latency {run.latency_us:.4g} µs, "
        f"{run.in_flight:.3g} in flight by Little's law"
    )


def _job_depth(options: Mapping[str, Any], where: str, problems: Problems) -> int:
    counts = {}
    for key in ("iodepth", "numjobs"):
        text = str(options.get(key, "1"))
        good = _COUNT.fullmatch(text) is not None and int(text) > 0
        problems.check(good, f"{where}.{key}", text, "is not a positive whole number")
        counts[key] = int(text) if good else 1
    engine = str(options.get("ioengine", DEFAULT_ENGINE)).split(":")[0]
    depth = 1 if engine in SYNCHRONOUS_ENGINES else counts["iodepth"]
    # With group_reporting the clones of a job are one entry; without it each has its own.
    merged = str(options.get("group_reporting", "0")) in ("", "1", "true", "None")
    return depth * counts["numjobs"] if merged else depth


def _block(
    options: Mapping[str, Any], operation: Operation, where: str, problems: Problems
) -> int | None:
    for key in ("bsrange", "bssplit", "blocksize_range"):
        if key in options:
            problems.add(f"{where}.{key}", options[key], "mixes block sizes")
            return None
    text = str(options.get("bs", options.get("blocksize", "4k")))
    sizes = text.split(",")
    at = 1 if operation == "write" and len(sizes) > 1 and sizes[1] else 0
    match = _SIZE.fullmatch(sizes[at].strip())
    if not problems.check(match, f"{where}.bs", text, "is not a block size"):
        return None
    if match is None:  # the check above has noted it
        return None
    return int(match.group(1)) * _FACTORS[match.group(2).lower()]


def _mean_us(found: Mapping[str, Any], name: str) -> float | None:
    for key, factor in ((f"{name}_ns", NS_PER_US), (name, 1.0)):  # fio 3; fio 2 in µs
        entry = found.get(key)
        if isinstance(entry, Mapping):
            mean = _number(entry, "mean")
            if mean is not None and mean > 0:
                return mean / factor
    return None


def _percentiles_us(found: Mapping[str, Any]) -> dict[str, float]:
    """Percentiles that fio states; those of fio 2 are in microseconds."""
    for key, factor in (
        ("lat_ns", NS_PER_US),
        ("clat_ns", NS_PER_US),
        ("lat", 1.0),
        ("clat", 1.0),
    ):
        entry = found.get(key)
        stated = entry.get("percentile") if isinstance(entry, Mapping) else None
        if isinstance(stated, Mapping):
            known = {name: _number(stated, at) for name, at in PERCENTILES.items()}
            return {
                name: value / factor
                for name, value in known.items()
                if value is not None and value > 0
            }
    return {}


def _rate(found: Mapping[str, Any]) -> float | None:
    exact = _number(found, "bw_bytes")
    if exact is not None:
        return exact
    rounded = _number(found, "bw")
    return None if rounded is None else rounded * 1024


def _number(data: Mapping[str, Any], key: str) -> float | None:
    value = data.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:  # a whole number beyond every float
        return None
    return number if math.isfinite(number) else None


def _date(document: Mapping[str, Any]) -> str | None:
    stamp = _number(document, "timestamp")
    if stamp is None or not 0 < stamp < END_OF_TIME_S:
        return None
    return datetime.fromtimestamp(stamp, tz=UTC).date().isoformat()
