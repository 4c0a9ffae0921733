"""fio as a program: found, asked for its version, run and ended."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tierwright.common.errors import BadInput
from tierwright.hardware.fio import read_fio
from tierwright.hardware.measure.plan import RESULT_FILE

HOW_TO_INSTALL = (
    "install fio: `apt install fio` (Debian, Ubuntu), `dnf install fio` (Fedora, RHEL), "
    "`zypper install fio` (SUSE), `apk add fio` (Alpine)"
)
LEAST_VERSION = 3
POLL_S = 0.1
GRACE_S = 60.0
"""How much longer than its run fio may take before it is ended."""
END_S = 5.0
"""What fio is given to end when it is asked to, before it is killed."""
_ANSWER_S = 20.0
_NO_SPACE = 28  # ENOSPC
_VERSION = re.compile(r"fio-(\d{1,4})(\.\S*)?", re.ASCII)
_MOST_WORDS = 300


class MeasureCancelled(Exception):
    """The measurement was cancelled; its files are gone."""


@dataclass(frozen=True, slots=True)
class FioProgram:
    """fio of this machine.

    Attributes
    ----------
    path : str
        Program.
    version : str
        As `fio --version` prints it.
    engine : str
        `ioengine` that keeps several requests in flight.
    """

    path: str
    version: str
    engine: str


def find_fio(path: str | None = None) -> FioProgram:
    """Find fio and ask for its version.

    Parameters
    ----------
    path : str, optional
        Program to use; the `fio` of PATH by default.

    Raises
    ------
    BadInput
        If there is none, it does not answer, or it is older than version 3.
    """
    found = shutil.which(path or "fio")
    if found is None:
        raise BadInput(
            f"fio: `{path or 'fio'}` was not found, or cannot be executed",
            HOW_TO_INSTALL,
        )
    version = _asked(found, "--version")
    match = _VERSION.match(version)
    if match is None or int(match.group(1)) < LEAST_VERSION:
        raise BadInput(
            f"fio: `{found}` states `{version[:80]}` as its version",
            f"use fio {LEAST_VERSION}.0 or newer; {HOW_TO_INSTALL}",
        )
    engines = _asked(found, "--enghelp").split()
    engine = next((each for each in ("libaio", "posixaio") if each in engines), None)
    if engine is None:
        raise BadInput(
            f"fio: `{found}` has no engine that keeps several requests in flight",
            "use a fio with libaio or posixaio",
        )
    return FioProgram(found, match.group(0), engine)


def _asked(path: str, question: str) -> str:
    try:
        done = subprocess.run(
            [path, question],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_ANSWER_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BadInput(
            f"fio: `{path} {question}` failed: {error}", HOW_TO_INSTALL
        ) from error
    return done.stdout.strip()


def run_fio(
    program: FioProgram,
    options: Sequence[str],
    folder: Path,
    *,
    most_s: float,
    title: str,
    waiting: Callable[[], bool],
) -> Mapping[str, Any]:
    """Run one job in a folder and return its result.

    Parameters
    ----------
    program : FioProgram
        fio.
    options : sequence of str
        Arguments of fio; its files are named relative to `folder`.
    folder : Path
        Working folder.
    most_s : float
        Time that the job may take; it is ended `GRACE_S` later. [s]
    title : str
        The job, in errors.
    waiting : callable
        Called some ten times a second; False cancels.

    Returns
    -------
    mapping
        JSON of fio.

    Raises
    ------
    MeasureCancelled
        If `waiting` returned False.
    BadInput
        If fio fails, or does not end in time.
    """
    # A session of its own: Ctrl-C in the terminal reaches Tierwright alone, which ends it in order.
    process = subprocess.Popen(
        [program.path, *options],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    began = time.monotonic()
    complaint = ""
    try:
        while True:
            try:
                _, complaint = process.communicate(timeout=POLL_S)
                break
            except subprocess.TimeoutExpired:
                passed = time.monotonic() - began
            if not waiting():
                raise MeasureCancelled
            if passed > most_s + GRACE_S:
                raise BadInput(
                    f"{title}: fio did not end within {passed:.0f} s",
                    "the device may be much slower than planned for: measure a smaller file, or "
                    "check the device",
                )
    finally:
        _end(process)
    if process.returncode:
        raise _failure(title, process.returncode, complaint)
    result = read_fio(folder / RESULT_FILE)
    for job in result.get("jobs", []):
        error = job.get("error") if isinstance(job, Mapping) else None
        if error:
            raise _failure(title, error, complaint)
    return result


def _end(process: subprocess.Popen[str]) -> None:
    """End fio and whatever it started, if it still runs."""
    if process.poll() is not None:
        return
    for number, wait_s in ((signal.SIGTERM, END_S), (signal.SIGKILL, END_S)):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            break
        try:
            process.communicate(timeout=wait_s)
            break
        except subprocess.TimeoutExpired:
            continue


def _failure(title: str, code: int, complaint: str) -> BadInput:
    words = " ".join(complaint.split())[-_MOST_WORDS:] or f"exit code {code}"
    if code == _NO_SPACE or "No space left" in complaint:
        return BadInput(
            f"{title}: the disk is full: {words}",
            "free some space, or measure a smaller file",
        )
    if "Invalid argument" in complaint:
        return BadInput(
            f"{title}: fio failed: {words}",
            "the file system may refuse direct I/O of this block size: use a page that is a "
            "multiple of 4096 bytes",
        )
    return BadInput(
        f"{title}: fio failed: {words}", "run `fio --version` to check the program"
    )
