"""The programs of this host: run where they are found, their outputs kept as they are."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tierwright.hardware.imports.host.outputs import FORMAT, VERSION

PROGRAMS: dict[str, tuple[str, ...]] = {
    "lsblk": (
        "lsblk",
        "-J",
        "-b",
        "-d",
        "-o",
        "NAME,TYPE,SIZE,ROTA,TRAN,MODEL,SERIAL,PHY-SEC,LOG-SEC",
    ),
    "dmidecode": ("dmidecode", "-t", "memory"),
    "nvme": ("nvme", "list", "-o", "json"),
}
"""Programs by what their output is called, each with its arguments: all of them only read."""
_DEVICE = re.compile(r"nvme[0-9]{1,5}|sd[a-z]{1,4}")
_CONTROLLER = re.compile(r"(nvme[0-9]+)n[0-9]+")
_PATIENCE_S = 60.0
_MOST_SAID = 200

Run = Callable[[Sequence[str]], tuple[int, str, str]]
"""Runs a program: returns its exit code and what it wrote on both outputs."""


@dataclass(frozen=True, slots=True)
class Lacking:
    """A program that gave nothing.

    Attributes
    ----------
    program : str
    reason : str
        Why, in words.
    """

    program: str
    reason: str


def run_program(command: Sequence[str]) -> tuple[int, str, str]:
    """Run a program without a shell and without input; 127 where it is not installed."""
    path = shutil.which(command[0], path=_PATH)
    if path is None:
        return 127, "", "is not installed"
    try:
        done = subprocess.run(  # a fixed list of programs that only read
            [path, *command[1:]],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return 126, "", str(error)
    return (
        done.returncode,
        done.stdout.decode("utf-8", "replace"),
        done.stderr.decode("utf-8", "replace"),
    )


_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""Where they are: `dmidecode` and `nvme` are not on the path of all users."""


def outputs_here(run: Run = run_program) -> tuple[dict[str, str], list[Lacking]]:
    """Run the programs, and smartctl or nvme for the health of each drive.

    Parameters
    ----------
    run : callable
        Runs one program.

    Returns
    -------
    outputs : dict of str to str
        By program, `smart:nvme0` for the health of a drive.
    lacking : list of Lacking
        What gave nothing, with the reason.
    """
    outputs: dict[str, str] = {}
    lacking: list[Lacking] = []
    for name, command in PROGRAMS.items():
        text = _said(run, command, name, lacking)
        if text is not None:
            outputs[name] = text
    for device in _drives_in(outputs.get("lsblk", "")):
        reasons: list[Lacking] = []
        text = _said(
            run,
            ("smartctl", "--json", "-x", f"/dev/{device}"),
            f"smartctl of {device}",
            reasons,
            allowed=~0b11,
        )
        if text is None and device.startswith("nvme"):
            text = _said(
                run,
                ("nvme", "smart-log", "-o", "json", f"/dev/{device}"),
                f"nvme smart-log of {device}",
                reasons,
            )
        if text is None:
            lacking += reasons[:1]
        else:
            outputs[f"smart:{device}"] = text
    return outputs, lacking


def document_of(outputs: dict[str, str], host: str | None = None) -> str:
    """Return outputs as one document, to be kept or imported elsewhere."""
    return json.dumps(
        {
            "format": FORMAT,
            "version": VERSION,
            "host": socket.gethostname() if host is None else host,
            "outputs": outputs,
        },
        indent=1,
    )


def _said(
    run: Run,
    command: Sequence[str],
    name: str,
    lacking: list[Lacking],
    *,
    allowed: int = 0,
) -> str | None:
    """Return what a program printed; None where it failed, with the reason."""
    code, out, err = run(command)
    # smartctl sets bits of its code for what it found out: only the two lowest say that it failed.
    failed = code in (126, 127) or (code & ~allowed if allowed else code)
    if failed or not out.strip():
        why = " ".join((err or out).split())[:_MOST_SAID] or f"ended with code {code}"
        lacking.append(Lacking(name, why))
        return None
    return out


def _drives_in(text: str) -> list[str]:
    """Return the drives that lsblk lists, each controller of NVMe once."""
    try:
        listed = json.loads(text).get("blockdevices", [])
    except (ValueError, AttributeError, RecursionError):
        return []
    names = [
        str(each.get("name", "")).removeprefix("/dev/")
        for each in listed
        if isinstance(each, dict) and each.get("type") == "disk"
    ]
    found = [
        controller[1] if (controller := _CONTROLLER.fullmatch(name)) else name
        for name in names
    ]
    return [each for each in dict.fromkeys(found) if _DEVICE.fullmatch(each)]
