"""`tierwright doctor`: what this machine has, and lacks, to run the application.

Nothing is changed: no folder is made, no port is kept, no database is started.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from tierwright.common.wording import counted
from tierwright_server.common.runtime_error import RuntimeFailure
from tierwright_server.runtime.listen import DEFAULT_PORT, bind

_LEAST_MEMORY_BYTES = 2 * 2**30
_GIB = 2**30

State = Literal["ok", "note", "lacks"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes
    ----------
    what : str
        Its name.
    state : {"ok", "note", "lacks"}
        `note`: it runs, but something is to be known; `lacks`: it does not run so.
    found : str
        What is there.
    hint : str
        What to do; empty where nothing is.
    """

    what: str
    state: State
    found: str
    hint: str = ""


def findings(data_dir: Path | None) -> Iterator[Finding]:
    """Look at everything that the application needs.

    Parameters
    ----------
    data_dir : Path, optional
        Folder of its data; the usual one by default.
    """
    yield _system()
    for what, look in (
        ("core", _core),
        ("page and examples", _shipped),
        ("data folder", lambda: _data_folder(data_dir)),
        ("memory", _memory),
        ("database", lambda: _database(data_dir)),
        ("port", _port),
        ("confinement", _confinement),
        ("fio", _fio),
    ):
        yield _looked(what, look)


def _looked(what: str, look: Callable[[], Finding]) -> Finding:
    try:
        return look()
    except RuntimeFailure as failure:
        return Finding(what, "lacks", failure.message, failure.hint)
    except OSError as error:
        return Finding(what, "lacks", str(error))


def _system() -> Finding:
    library, version = platform.libc_ver()
    found = (
        f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    )
    if sys.platform != "linux":
        return Finding("system", "lacks", found, "it runs on Linux")
    if library != "glibc":
        return Finding(
            "system",
            "lacks",
            f"{found}, without glibc",
            "use Debian, Ubuntu, Fedora or similar, not Alpine: the included packages "
            "of PostgreSQL and SciPy are built for glibc",
        )
    return Finding("system", "ok", f"{found}, glibc {version}")


def _core() -> Finding:
    try:
        from tierwright.trace.reading import formats
    except ImportError as error:
        return Finding(
            "core",
            "lacks",
            f"the compiled core cannot be loaded: {error}",
            "in a checkout run `make setup`; otherwise reinstall the wheel",
        )
    return Finding("core", "ok", f"{counted(len(formats()), 'format')} of traces")


def _shipped() -> Finding:
    from tierwright_server.common.settings import Settings

    settings = Settings()
    absent = [
        str(path)
        for path in (
            settings.page_dir / "index.html",
            settings.example_trace,
            settings.example_production,
        )
        if path is not None and not path.is_file()
    ]
    if absent:
        return Finding(
            "page and examples",
            "lacks",
            f"{' and '.join(absent)} is missing",
            "in a checkout run `make setup`; otherwise reinstall the wheel",
        )
    return Finding("page and examples", "ok", str(settings.page_dir))


def _data_folder(data_dir: Path | None) -> Finding:
    from tierwright_server.common.settings import Settings

    settings = Settings()
    folder = (data_dir or settings.data_dir).expanduser().absolute()
    there = folder
    while not there.exists():
        there = there.parent
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        return Finding(
            "data folder",
            "lacks",
            f"{there} cannot be written to",
            "name another folder with --data-dir or TIERWRIGHT_DATA_DIR",
        )
    free = shutil.disk_usage(there).free
    found = f"{folder}, {free / _GIB:.1f} GiB free"
    if free < settings.min_free_bytes:
        return Finding(
            "data folder",
            "lacks",
            found,
            f"{settings.min_free_bytes / _GIB:.1f} GiB must stay free "
            "(TIERWRIGHT_MIN_FREE_BYTES): free some space, or name another folder",
        )
    return Finding("data folder", "ok", found)


def _memory() -> Finding:
    from tierwright_server.common.settings import memory_bytes

    total = memory_bytes()
    found = f"{total / _GIB:.1f} GiB"
    if total < _LEAST_MEMORY_BYTES:
        return Finding(
            "memory", "note", found, "use 2 GiB or more: large traces need it"
        )
    return Finding("memory", "ok", found)


def _database(data_dir: Path | None) -> Finding:
    from tierwright_server.common.settings import Settings
    from tierwright_server.runtime.postgres_binaries import account_for, find_binaries

    settings = Settings()
    if settings.database_url is not None:
        return Finding(
            "database", "ok", "the server that TIERWRIGHT_DATABASE_URL names"
        )
    account = account_for((data_dir or settings.data_dir) / "postgres")
    found = find_binaries(account)
    runs_as = "" if account is None else f", run as {account.name}"
    return Finding("database", "ok", f"PostgreSQL {found.version}{runs_as}")


def _port() -> Finding:
    with bind("127.0.0.1", None) as listener:
        port = listener.getsockname()[1]
    if port != DEFAULT_PORT:
        return Finding(
            "port", "note", f"{DEFAULT_PORT} is in use; {port} would be used", ""
        )
    return Finding("port", "ok", f"{port} is free")


def _fio() -> Finding:
    """Look for fio, which only `tierwright device measure` runs."""
    from tierwright.common.errors import BadInput
    from tierwright.hardware.measure.fio_program import find_fio

    try:
        found = find_fio()
    except BadInput as error:
        return Finding(
            "fio",
            "note",
            f"{error.message}; only `tierwright device measure` needs it",
            error.hint,
        )
    return Finding("fio", "ok", f"{found.version} at {found.path}")


_CONFINED = """
import json, os, pathlib, socket
from tierwright_server.jobs.confine import KEPT_CAPABILITIES, confine
lacking = list(confine([]))
status = dict(
    line.split(":", 1) for line in pathlib.Path("/proc/self/status").read_text().splitlines()
)
if not lacking:
    try:
        socket.socket().close()
        lacking.append("sockets can be opened, though the kernel took the filter")
    except PermissionError:
        pass
    try:
        os.listdir("/")
        lacking.append("folders can be listed, though the kernel took the rules")
    except PermissionError:
        pass
    if os.geteuid() == 0 and int(status["CapEff"], 16) & ~KEPT_CAPABILITIES:
        lacking.append("capabilities stay, though the kernel took them away")
print(json.dumps({"lacking": lacking, "root": os.geteuid() == 0}))
"""
"""What a process that ends at once does: it gives up what readers give up, and tries it."""


def _confinement() -> Finding:
    """Look whether the kernel takes from a process what readers of foreign bytes give up."""
    what = "confinement"
    hint = (
        "in a container, check its seccomp profile: Tierwright runs, but processes "
        "that read uploads are not fully confined"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _CONFINED],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Finding(what, "note", "a process that confines itself did not end", hint)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]
        return Finding(
            what, "note", f"a process that confines itself failed: {reason}", hint
        )
    tried = json.loads(done.stdout)
    if tried["lacking"]:
        return Finding(what, "note", "; ".join(tried["lacking"]), hint)
    found = (
        "processes that read uploads cannot open sockets, gain privileges, attach "
        "to other processes or see files other than those of their job"
    )
    if tried["root"]:
        found += "; of root's capabilities they keep only those for opening files"
    return Finding(what, "ok", found)


def command(
    *,
    data_dir: Annotated[
        Path | None,
        typer.Option(
            help="Folder that `serve` would use [default: as for `serve`].",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print one JSON document and nothing else."),
    ] = False,
) -> None:
    """Say what this machine lacks to run the application; exit 1 if anything."""
    found = list(findings(data_dir))
    if as_json:
        typer.echo(json.dumps({"findings": [asdict(each) for each in found]}))
    else:
        for each in found:
            typer.echo(f"{each.state:<5}  {each.what:<18} {each.found}")
            if each.hint:
                typer.echo(f"{'':<25} hint: {each.hint}")
    if any(each.state == "lacks" for each in found):
        raise typer.Exit(1)
