"""What a process gives up before it reads bytes that anybody may have sent.

Job and preview children talk to their parent by pipes and to nobody else: they need no
socket, not even that of the database. On Linux the kernel is asked to refuse them sockets
and attaching to other processes (seccomp, which takes no privilege), programs that would give
privileges (no_new_privs), and, where the server runs as root, every capability but those
by which root reads and writes files of others. Where it is said which folders a process works
in, the kernel refuses it all others (Landlock): also to root, and other processes their signals.

Only the standard library, so that a child starts in a few hundredths of a second.
"""

import ctypes
import errno
import os
import platform
import stat
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


_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_LANDLOCK_VERSION = 1  # LANDLOCK_CREATE_RULESET_VERSION
_LANDLOCK_BENEATH = 1  # LANDLOCK_RULE_PATH_BENEATH
_LEAST_LANDLOCK = 2
"""The first one under which a file may be moved to another folder."""
_SCOPES_FROM = 6
_SCOPES = 1 << 0 | 1 << 1  # abstract sockets, signals
# EXECUTE, READ_FILE, READ_DIR
_READ = 1 << 0 | 1 << 2 | 1 << 3
_OF_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15
_RIGHTS_BY_VERSION = {2: 14, 3: 15, 4: 15}
_ALL_RIGHTS = 16
"""The newest right that is handled is that of ioctl on devices, of version 5."""
_SYSTEM = (
    *("/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/proc/self"),
    *("/sys/fs/cgroup", "/sys/devices/system/cpu", "/dev/null", "/dev/urandom"),
)
"""What Python and its libraries read."""


def confine(
    reads: Iterable[str] | None = None, writes: Iterable[str] = ()
) -> tuple[str, ...]:
    """Give up what reading a file does not need; call it first.

    Parameters
    ----------
    reads : iterable of str, optional
        Files and folders to be read, beside the installation; None: all files stay open.
    writes : iterable of str
        Folders in which everything may be done.

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
    if reads is not None and (lack := _close_files(libc, reads, writes)):
        lacking.append(lack)
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


def _close_files(
    libc: ctypes.CDLL, reads: Iterable[str], writes: Iterable[str]
) -> str | None:
    """Leave this process the files it needs; say what the kernel did not permit."""
    if sum(1 for _ in Path("/proc/self/task").iterdir()) > 1:
        return "files of other folders stay open: threads run already"
    version = libc.syscall(_LANDLOCK_CREATE, None, 0, _LANDLOCK_VERSION)
    if version < _LEAST_LANDLOCK:
        return "files of other folders stay open: the kernel has no Landlock of 5.19"
    handled = (1 << _RIGHTS_BY_VERSION.get(version, _ALL_RIGHTS)) - 1
    # handled_access_fs, handled_access_net, scoped; an older kernel knows the first alone.
    scoped = version >= _SCOPES_FROM
    attributes = struct.pack("=3Q", handled, 0, _SCOPES if scoped else 0)
    rules = libc.syscall(
        _LANDLOCK_CREATE, attributes, len(attributes) if scoped else 8, 0
    )
    if rules < 0:
        return f"files of other folders stay open: {_reason()}"
    try:
        installed = (*_SYSTEM, sys.prefix, sys.base_prefix, *filter(None, sys.path))
        for path in (*installed, *reads):
            _open_beneath(libc, rules, path, handled & _READ)
        for path in writes:
            _open_beneath(libc, rules, path, handled)
        if libc.syscall(_LANDLOCK_RESTRICT, rules, 0):
            return f"files of other folders stay open: {_reason()}"
    finally:
        os.close(rules)
    return None


def _open_beneath(libc: ctypes.CDLL, rules: int, path: str, rights: int) -> None:
    """Leave rights below a path; one that is not there needs none."""
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(opened).st_mode):
            rights &= _OF_FILES
        rule = struct.pack("=Qi", rights, opened)
        if libc.syscall(_LANDLOCK_ADD, rules, _LANDLOCK_BENEATH, rule, 0):
            raise OSError(ctypes.get_errno(), _reason(), path)
    finally:
        os.close(opened)


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
