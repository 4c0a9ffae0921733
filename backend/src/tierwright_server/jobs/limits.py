"""What a child process takes upon itself: to die with its parent, and limits of memory.

Only the standard library, so that a child starts in a few hundredths of a second.
"""

import ctypes
import os
import resource
import signal
import sys
import threading

_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15
CHILD_ENVIRONMENT = {
    # A long one would push what is said first out of what is kept of stderr.
    "RUST_BACKTRACE": "0",
    # A thread that NumPy starts when it is imported would not give up what the others do.
    "OPENBLAS_NUM_THREADS": "1",
}
_OUT_OF_MEMORY = "memory allocation of "


def die_with_parent(parent_pid: int) -> None:
    """End this process when the one that wants it ends; stdin is its lifeline.

    The parent keeps stdin open and writes nothing more to it.
    """
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
    if os.getppid() != parent_pid:
        os._exit(1)

    def watch() -> None:
        sys.stdin.buffer.read(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="parent-watch").start()


def name_process(name: str) -> None:
    """Let lists of processes call this one so: at most 15 characters, on Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_NAME, name.encode(), 0, 0, 0)


def cap_memory(bytes_: int) -> None:
    """Bound the address space of this process."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        bytes_ = min(bytes_, hard)
    resource.setrlimit(resource.RLIMIT_AS, (bytes_, hard))


def write_no_files() -> None:
    """Keep this process from writing to files and from leaving a core dump."""
    cap_files(0)


def cap_files(bytes_: int) -> None:
    """Bound each file that this process writes, and keep it from leaving a core dump."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def ran_out_of_memory(exit_code: int, stderr: str) -> bool:
    """Say whether a child was ended by its own limit of memory.

    Rust aborts with a word about it; Python raises, which the child answers itself.
    """
    return exit_code == -signal.SIGABRT and _OUT_OF_MEMORY in stderr


def too_much_memory(cap_gib: float) -> tuple[str, str]:
    """Word the message and the hint of a job that met its limit of memory."""
    return (
        f"the job needs more memory than its cap of {cap_gib:.1f} GiB",
        "raise TIERWRIGHT_JOB_MEMORY_BYTES, or use a larger page size; a small file "
        "that needs this much may be malicious",
    )


def describe_exit(code: int) -> str:
    """Say how a process ended."""
    if code < 0:
        try:
            return f"was killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"was killed by signal {-code}"
    return f"exited with code {code}"
