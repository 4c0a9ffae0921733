"""Starts a program so that it cannot outlive the process that wants it.

Run as a script in front of the real command::

    python -I -S process_guard.py --parent PID --signal 9 [--uid U --gid G] -- COMMAND...

On Linux the kernel is asked to send the signal when the parent dies and the guard
then *becomes* the command (same pid, nothing stays in between). Elsewhere the guard
stays as a thin parent of the command and looks twice a second whether its own parent
is still there. Being a fresh process it may do this safely, whatever threads the
parent runs. Privileges are dropped here too, because the kernel forgets the wish at
a change of user, so it has to come after.

Only the standard library, so that it starts in a few hundredths of a second.
"""

import argparse
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

_PR_SET_PDEATHSIG = 1
_POLL_S = 0.5
_GRACE_S = 10.0


def guarded_command(
    command: Sequence[str],
    *,
    signal_number: int,
    uid: int | None = None,
    gid: int | None = None,
    watch: bool = False,
) -> list[str]:
    """Put the guard in front of a command.

    Parameters
    ----------
    command
        Program (absolute path) and arguments.
    signal_number
        Sent to the program when the calling process dies.
    uid, gid
        Drop to this user and group, with no supplementary groups. Both or neither.
    watch
        Use the portable way (a watching parent) on Linux too.

    Returns
    -------
    list of str
        The command to start, from a thread that lives as long as the process: Linux
        takes the end of the *starting thread* for the death of the parent.
    """
    guard = [sys.executable, "-I", "-S", os.path.realpath(__file__)]
    guard += ["--parent", str(os.getpid()), "--signal", str(signal_number)]
    if uid is not None and gid is not None:
        guard += ["--uid", str(uid), "--gid", str(gid)]
    if watch:
        guard.append("--watch")
    return [*guard, "--", *command]


def _watch(command: Sequence[str], parent: int, signal_number: int) -> int:
    child = subprocess.Popen(command)

    def forward(number: int, _frame: FrameType | None) -> None:
        child.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, forward)
    while child.poll() is None:
        if os.getppid() != parent:
            child.send_signal(signal_number)
            try:
                child.wait(_GRACE_S)
            except subprocess.TimeoutExpired:
                child.kill()
            return 1
        time.sleep(_POLL_S)
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


def _become(command: list[str]) -> NoReturn:
    os.execv(command[0], command)


def main() -> int:
    """Become the command, or watch over it."""
    parser = argparse.ArgumentParser(prog="process_guard", description=__doc__)
    parser.add_argument("--parent", type=int, required=True)
    parser.add_argument("--signal", type=int, required=True)
    parser.add_argument("--uid", type=int)
    parser.add_argument("--gid", type=int)
    parser.add_argument("--watch", action="store_true")
    parser.add_argument("command", nargs="+")
    wanted = parser.parse_args()
    if wanted.uid is not None:
        os.setgroups([])
        os.setgid(wanted.gid)
        os.setuid(wanted.uid)
    if wanted.watch or sys.platform != "linux":
        return _watch(wanted.command, wanted.parent, wanted.signal)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, wanted.signal, 0, 0, 0) != 0:
        return _watch(wanted.command, wanted.parent, wanted.signal)
    if os.getppid() != wanted.parent:  # it died before the kernel knew our wish
        return 1
    return _become(wanted.command)


if __name__ == "__main__":
    sys.exit(main())
