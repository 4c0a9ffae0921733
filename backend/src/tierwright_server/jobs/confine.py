"""What a process gives up before it reads bytes that anybody may have sent.

Job and preview children talk to their parent by pipes and to nobody else: they need no
socket, not even that of the database. On Linux the kernel is asked to refuse them sockets
and attaching to other processes (seccomp, which takes no privilege), programs that would give
privileges (no_new_privs), and, where the server runs as root, every capability but those
by which root reads and writes files of others.

Only the standard library, so that a child starts in a few hundredths of a second.
"""

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Iterable
from pathlib import Path

_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_SET_MODE_FILTER = 1
_ALL_THREADS = 1  # SECCOMP_FILTER_FLAG_TSYNC: libraries may have started some
_CAPABILITY_VERSION = 0x20080522
# CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER
KEPT_CAPABILITIES = 1 << 1 | 1 << 2 | 1 << 3

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x80000000
_CALL_AT, _ARCHITECTURE_AT = 0, 4  # in struct seccomp_data
_OTHER_ABI = 0x40000000  # x32 numbers its calls from here


class _Machine:
    """Numbers of the calls that matter, which differ by architecture."""

    def __init__(
        self, architecture: int, seccomp: int, capset: int, refused: Iterable[int]
    ) -> None:
        self.architecture = architecture
        self.seccomp = seccomp
        self.capset = capset
        self.refused = tuple(refused)


# Refused: socket, ptrace, process_vm_readv, process_vm_writev, pidfd_getfd, and
# io_uring_setup, by which sockets are made as well.
_MACHINES = {
    "x86_64": _Machine(0xC000003E, 317, 126, (41, 101, 310, 311, 438, 425)),
    "aarch64": _Machine(0xC00000B7, 277, 91, (198, 117, 270, 271, 438, 425)),
}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def confine() -> tuple[str, ...]:
    """Give up what reading a file does not need; call it first.

    Returns
    -------
    tuple of str
        What the kernel did not permit, each in a few words; empty when all of it holds.
    """
    if sys.platform != "linux":
        return ("only Linux confines processes",)
    machine = _MACHINES.get(platform.machine())
    if machine is None:
        return (f"processes are not confined on {platform.machine()}",)
    libc = ctypes.CDLL(None, use_errno=True)
    lacking = []
    if os.geteuid() == 0 and not _drop_capabilities(libc, machine.capset):
        lacking.append(f"capabilities stay: {_reason()}")
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        lacking.append(f"programs may give privileges: {_reason()}")
    code = _filter_of(machine)
    program = _Program(len(code) // 8, code)
    if libc.syscall(
        machine.seccomp,
        _SECCOMP_SET_MODE_FILTER,
        _ALL_THREADS,
        ctypes.byref(program),
    ):
        lacking.append(f"sockets can be opened: {_reason()}")
    return tuple(lacking)


def _reason() -> str:
    return os.strerror(ctypes.get_errno())


def _drop_capabilities(libc: ctypes.CDLL, capset: int) -> bool:
    """Keep only what opens files, of all that this process has; say whether it worked."""
    with Path("/proc/self/status").open() as status:
        sets = dict(line.split(":\t", 1) for line in status if line.startswith("Cap"))
    kept = int(sets["CapPrm"], 16) & KEPT_CAPABILITIES
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    # effective, permitted, inheritable; then the same for capabilities from 32 on
    wanted = struct.pack("=6I", kept, kept, 0, 0, 0, 0)
    return bool(libc.syscall(capset, header, wanted) == 0)


def _filter_of(machine: _Machine) -> bytes:
    """Write the filter as the kernel reads it: 8 bytes an instruction."""
    refused = machine.refused
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUAL, 1, 0, machine.architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _CALL_AT),
        (_AT_LEAST, len(refused) + 1, 0, _OTHER_ABI),
        *((_EQUAL, len(refused) - at, 0, number) for at, number in enumerate(refused)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
