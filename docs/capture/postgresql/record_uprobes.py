#!/usr/bin/env python3
"""Record every page access of a running PostgreSQL server, hits included.

Sets uprobes on the server's binary (nothing is restarted or changed), records
them with ``perf`` and removes them again. Needs root, Linux on x86-64, ``perf``
and ``readelf``, and a server built with its static probes (``--enable-dtrace``;
Debian's and PostgreSQL's own packages are). Standard library only.

    sudo python3 record_uprobes.py --seconds 60 --output run.perf
    python3 uprobes_to_trace.py run.perf trace.csv

Four kinds of events are recorded:

``read``
    The static probe ``buffer__read__start``: one page is about to be looked up
    in the buffer pool (fork, block, tablespace, database, relation).
``extended``
    The static probe ``buffer__read__done`` where a relation grew: only then is
    the number of the new block known.
``pinned``
    The return of ``ReadBufferExtended`` or ``ReadBufferWithoutRelcache``: the
    number of the buffer that holds the page. It ties buffer numbers to pages
    without any offset inside a function, so it holds for every build.
``dirty`` and ``hint``
    The entry of ``MarkBufferDirty`` and ``MarkBufferDirtyHint`` with the
    buffer's number.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

GROUP = "tierwright"
TRACING = Path("/sys/kernel/tracing")
RETURNS_A_BUFFER = ("ReadBufferExtended", "ReadBufferWithoutRelcache")
FIELDS = ("fork", "block", "tablespace", "database", "relation")
# The kernel names a register by its 16-bit name, the probe by any of its parts.
REGISTERS = {
    part: whole
    for whole, parts in {
        "ax": "rax eax ax al",
        "bx": "rbx ebx bx bl",
        "cx": "rcx ecx cx cl",
        "dx": "rdx edx dx dl",
        "si": "rsi esi si sil",
        "di": "rdi edi di dil",
        "bp": "rbp ebp bp bpl",
        "sp": "rsp esp sp spl",
    }.items()
    for part in parts.split()
} | {
    f"r{number}{suffix}": f"r{number}"
    for number in range(8, 16)
    for suffix in ("", "d", "w", "b")
}


def fail(message: str, hint: str) -> NoReturn:
    """End with the message and the next step."""
    sys.exit(f"error: {message}\nhint: {hint}")


@dataclass(frozen=True)
class Segment:
    """A loaded part of the binary: where it stands in memory and in the file."""

    address: int
    offset: int
    length: int


@dataclass(frozen=True)
class Site:
    """One place of a static probe: its address, its switch, its arguments."""

    address: int
    semaphore: int
    arguments: tuple[str, ...]


def output_of(*command: str) -> str:
    """Return the standard output of a command that must succeed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        fail(f"`{command[0]}` is not installed", "install binutils and linux-perf")
    if done.returncode:
        fail(
            f"`{' '.join(command)}` failed: {done.stderr.strip()}",
            "is it a PostgreSQL server's binary?",
        )
    return done.stdout


def segments_of(binary: Path) -> list[Segment]:
    """List the loaded segments of an ELF file."""
    found = []
    for line in output_of("readelf", "-lW", str(binary)).splitlines():
        words = line.split()
        if words and words[0] == "LOAD":
            offset, address, _, length = (int(word, 16) for word in words[1:5])
            found.append(Segment(address, offset, length))
    return found


def file_offset(segments: list[Segment], address: int) -> int:
    """Where an address of the program stands in its file."""
    for segment in segments:
        if segment.address <= address < segment.address + segment.length:
            return address - segment.address + segment.offset
    fail(f"address {address:#x} is in no segment", "is the binary complete?")


def sites_of(binary: Path, name: str) -> list[Site]:
    """All places of a static probe of the provider ``postgresql``."""
    notes = output_of("readelf", "-nW", str(binary))
    base = re.search(
        r"\.stapsdt\.base\s+\S+\s+([0-9a-f]+)",
        output_of("readelf", "-SW", str(binary)),
    )
    pattern = re.compile(
        r"Provider: postgresql\s+Name: " + re.escape(name) + r"\s+"
        r"Location: (0x[0-9a-f]+), Base: (0x[0-9a-f]+), Semaphore: (0x[0-9a-f]+)\s+"
        r"Arguments:([^\n]*)",
    )
    sites = []
    for match in pattern.finditer(notes):
        location, noted_base, semaphore = (int(match[i], 16) for i in (1, 2, 3))
        # Tools such as prelink move a program after its notes were written.
        moved = int(base[1], 16) - noted_base if base else 0
        sites.append(
            Site(
                location + moved,
                semaphore + moved if semaphore else 0,
                tuple(re.findall(r"-?\d@(?:[^\s]*\([^)]*\)|\S+)", match[4])),
            ),
        )
    return sites


def fetch_argument(argument: str) -> str:
    r"""Put a probe's argument (``-4@12(%rbx)``) in the words of the kernel.

    >>> fetch_argument("-4@12(%rbx)"), fetch_argument("4@%r15d"), fetch_argument("1@$1")
    ('+12(%bx):s32', '%r15:u32', '\\1:u8')
    """
    size, place = argument.split("@", 1)
    kind = f"{'s' if size.startswith('-') else 'u'}{8 * abs(int(size))}"
    if match := re.fullmatch(r"(-?\d*)\(%(\w+)\)", place):
        register = REGISTERS.get(match[2])
        fetched = f"{int(match[1] or 0):+d}(%{register})"
    elif match := re.fullmatch(r"%(\w+)", place):
        register = REGISTERS.get(match[1])
        fetched = f"%{register}"
    elif match := re.fullmatch(r"\$(-?\d+)", place):
        return f"\\{match[1]}:{kind}"
    else:
        register = None
        fetched = ""
    if register is None:
        fail(f"cannot read the probe's argument `{argument}`", "only x86-64 is known")
    return f"{fetched}:{kind}"


def function_address(binary: Path, name: str) -> int | None:
    """Address of an exported function, or None."""
    for line in output_of("readelf", "-W", "--dyn-syms", str(binary)).splitlines():
        words = line.split()
        if len(words) == 8 and words[7] == name and words[3] == "FUNC":
            return int(words[1], 16)
    return None


def static_probe(event: str, binary: Path, segments: list[Segment], site: Site) -> str:
    """Write the kernel's line for one place of a static probe."""
    switch = f"({file_offset(segments, site.semaphore):#x})" if site.semaphore else ""
    arguments = " ".join(
        f"{name}={fetch_argument(text)}"
        for name, text in zip(FIELDS, site.arguments, strict=False)
    )
    offset = file_offset(segments, site.address)
    return f"p:{GROUP}/{event} {binary}:{offset:#x}{switch} {arguments}"


def probes_of(binary: Path) -> list[str]:
    """Write the lines for the kernel's ``uprobe_events``."""
    segments = segments_of(binary)
    sites = sites_of(binary, "buffer__read__start")
    if not sites:
        fail(
            f"{binary} has no static probe `buffer__read__start`",
            "use a server that was configured with --enable-dtrace, or record by strace",
        )
    lines = [
        static_probe(f"read_{number}", binary, segments, site)
        for number, site in enumerate(sites)
    ]
    for number, site in enumerate(sites_of(binary, "buffer__read__done")):
        extends = fetch_argument(site.arguments[6])
        if extends.startswith("\\0"):
            continue  # this place never ends an extension
        line = static_probe(f"extended_{number}", binary, segments, site)
        lines.append(f"{line} extends={extends}")
    for name in RETURNS_A_BUFFER:
        if (address := function_address(binary, name)) is not None:
            offset = file_offset(segments, address)
            lines.append(
                f"r:{GROUP}/pinned_{name} {binary}:{offset:#x} buffer=$retval:s32"
            )
    for event, name in (("dirty", "MarkBufferDirty"), ("hint", "MarkBufferDirtyHint")):
        if (address := function_address(binary, name)) is None:
            fail(f"{binary} does not export `{name}`", "its writes cannot be seen")
        offset = file_offset(segments, address)
        lines.append(f"p:{GROUP}/{event} {binary}:{offset:#x} buffer=%di:s32")
    return lines


def transaction_probes_of(binary: Path) -> list[str]:
    """Write the lines for the beginnings and ends of transactions, which need no argument."""
    segments = segments_of(binary)
    lines = []
    for event, name in (
        ("began", "transaction__start"),
        ("committed", "transaction__commit"),
        ("aborted", "transaction__abort"),
    ):
        sites = sites_of(binary, name)
        if not sites:
            fail(
                f"{binary} has no static probe `{name}`",
                "record without --transactions",
            )
        for number, site in enumerate(sites):
            switch = (
                f"({file_offset(segments, site.semaphore):#x})"
                if site.semaphore
                else ""
            )
            offset = file_offset(segments, site.address)
            lines.append(f"p:{GROUP}/{event}_{number} {binary}:{offset:#x}{switch}")
    return lines


def tell_the_kernel(line: str) -> None:
    """Append a line to ``uprobe_events``; it cannot seek, as open("a") would."""
    events = os.open(TRACING / "uprobe_events", os.O_WRONLY | os.O_APPEND)
    try:
        os.write(events, f"{line}\n".encode())
    finally:
        os.close(events)


def set_probes(lines: list[str]) -> None:
    """Hand the probes to the kernel, one by one, so that an error names its line."""
    for line in lines:
        try:
            tell_the_kernel(line)
        except OSError as error:
            remove_probes()
            fail(f"the kernel refused `{line}`: {error}", "see dmesg for its reason")


def remove_probes() -> None:
    """Take this script's probes away."""
    events = TRACING / "uprobe_events"
    ours = re.findall(rf"^[pr]\d*:({GROUP}/\S+)", events.read_text(), re.MULTILINE)
    for name in ours:
        with contextlib.suppress(OSError):
            tell_the_kernel(f"-:{name}")


def default_binary() -> Path:
    """Find the binary of the running server, or PostgreSQL's usual place."""
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            with contextlib.suppress(OSError):
                program = (process / "exe").readlink()
                if program.name == "postgres":
                    return program
    fail("no running `postgres` was found", "name its binary with --binary")


def record(events: list[str], seconds: float | None, output: Path, ring: int) -> None:
    """Run ``perf record`` for the time, or until Ctrl-C."""
    command = ["perf", "record", "-q", "-a", "-m", f"{ring}M", "-o", str(output)]
    for event in events:
        command += ["-e", f"{GROUP}:{event}"]
        if event.startswith("extended"):
            command += ["--filter", "extends != 0"]
    process = subprocess.Popen(command)
    print("recording; Ctrl-C ends it", file=sys.stderr)
    try:
        process.wait(seconds)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        process.send_signal(signal.SIGINT)
        process.wait()
    if not output.exists():
        fail("perf wrote no recording", "see its message above")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--binary", type=Path, help="the server's binary")
    parser.add_argument("--seconds", type=float, help="default: until Ctrl-C")
    parser.add_argument("--output", type=Path, default=Path("postgres.perf"))
    parser.add_argument(
        "--ring-mib",
        type=int,
        default=64,
        help="perf's ring per CPU; a small one loses events (default 64)",
    )
    parser.add_argument(
        "--transactions",
        action="store_true",
        help="record where transactions begin, commit and abort, too",
    )
    parser.add_argument(
        "--show", action="store_true", help="print the probes and set none"
    )
    arguments = parser.parse_args()
    if platform.machine() != "x86_64":
        fail(f"{platform.machine()} is not known", "record by strace instead")
    binary = (arguments.binary or default_binary()).resolve()
    lines = probes_of(binary)
    if arguments.transactions:
        lines += transaction_probes_of(binary)
    if arguments.show:
        print("\n".join(lines))
        return
    if os.geteuid() != 0:
        fail("uprobes need root", "run it with sudo, or record by strace")
    if shutil.which("perf") is None:
        fail("`perf` is not installed", "install linux-perf (Debian)")
    if not (TRACING / "uprobe_events").exists():
        subprocess.run(["mount", "-t", "tracefs", "nodev", str(TRACING)], check=False)
        if not (TRACING / "uprobe_events").exists():
            fail("this kernel has no uprobes", "record by strace instead")
    if sites_of(binary, "buffer__extend__start"):
        print(
            "warning: this server (16 or later) grows relations by another way;"
            " its new pages are seen from their second access on",
            file=sys.stderr,
        )
    remove_probes()
    set_probes(lines)
    try:
        events = [line.split()[0].partition("/")[2] for line in lines]
        record(events, arguments.seconds, arguments.output, arguments.ring_mib)
    finally:
        remove_probes()


if __name__ == "__main__":
    main()
