"""The application's own PostgreSQL: made, started, recovered and stopped by us.

It listens on a Unix socket only, asks for a random password (SCRAM), and never runs
as root. The cluster lives in ``<data folder>/postgres``; as root, when the
unprivileged account cannot get there, in a folder of ``/var/lib/tierwright`` to which
the data folder points. No folder that is not ours ever has its rights changed.
"""

import errno
import hashlib
import logging
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import NoReturn, Self

import psutil
import psycopg
from psycopg import conninfo, sql
from sqlalchemy import URL

from tierwright_server.common.runtime_error import RuntimeFailure
from tierwright_server.runtime import postgres_binaries
from tierwright_server.runtime.postgres_binaries import Account, Binaries
from tierwright_server.runtime.process_guard import guarded_command
from tierwright_server.runtime.process_lock import LockHeld, ProcessLock

_LOG = logging.getLogger(__name__)

_NAME = "tierwright"
_PORT = "5432"  # of a Unix socket it is only a part of the file's name
_SOCKET_PATH_MAX = 100  # the kernel's limit is 104 (macOS) or 108 (Linux) bytes
_SOCKET_PREFIX = "tierwright-socket-"
_LOG_BYTES_MAX = 5_000_000
_FAST_STOP_S = 15.0
_IMMEDIATE_STOP_S = 5.0

_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "port": _PORT,
    "max_connections": "130",
    "shared_buffers": "64MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "256MB",
    "huge_pages": "off",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "logging_collector": "off",
    "log_destination": "stderr",
    "log_line_prefix": "%m [%p] ",
    "password_encryption": "scram-sha-256",
}
_NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class EmbeddedPostgres:
    """One PostgreSQL server that belongs to one data folder and to this process.

    Start it from the main thread: on Linux the server stops when the thread that
    started it ends, which is how it never outlives a killed application.

    Parameters
    ----------
    data_dir
        The application's data folder; made if absent.
    durable
        False turns off every flush to disk: for tests on throw-away folders only.
        What then had to be kept outside `data_dir` is deleted by `stop`.
    start_timeout_s
        How long a start may take. Recovery after a crash can be slow, so long.
    on_progress
        Receives a sentence now and then while a start takes long; logged by default.
    """

    def __init__(
        self,
        data_dir: Path | str,
        *,
        durable: bool = True,
        start_timeout_s: float = 300.0,
        on_progress: Callable[[str], None] | None = None,
    ) -> None:
        self._data_dir = Path(data_dir).expanduser().absolute()
        self._durable = durable
        self._start_timeout_s = start_timeout_s
        self._progress = on_progress or _LOG.info
        self._process: subprocess.Popen[bytes] | None = None
        self._lock: ProcessLock | None = None
        self._home = self._data_dir / "postgres"
        self._socket_dir: Path | None = None
        self._throw_away: Path | None = None
        self._password = ""
        self._command: list[str] = []
        self._account: Account | None = None

    @property
    def pid(self) -> int | None:
        """The server's process, or None while none runs."""
        return self._process.pid if self.is_running() and self._process else None

    @property
    def log_path(self) -> Path:
        """The server's own log."""
        return self._home / "server.log"

    @property
    def url(self) -> str:
        """The SQLAlchemy address of the application's database, with the password."""
        return self._url(_NAME).render_as_string(hide_password=False)

    def is_running(self) -> bool:
        """Whether the server we started is still there."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> str:
        """Start the server, making the cluster and the database when needed.

        Returns
        -------
        str
            `url`, once the server answers on it.

        Raises
        ------
        RuntimeFailure
            If another process uses the folder, no PostgreSQL runs here, the cluster
            is of another major version, the disk is full, the folder is not
            writable, or the server does not answer in time.
        """
        if self._process is not None:
            raise RuntimeError("this EmbeddedPostgres is started already")
        try:
            account = self._settle()
            binaries = postgres_binaries.find_binaries(account)
            self._check_version(binaries)
            self._end_leftovers()
            if not self._cluster.is_dir():
                self._create_cluster(binaries, account)
            self._read_password()
            self._launch(binaries, account)
            self._create_database()
        except OSError as error:
            self.stop()
            _explain(error, self._home)
        except BaseException:
            self.stop()
            raise
        return self.url

    def start_again(self) -> None:
        """Start the server anew at the same address after it ended by itself.

        Returns at once: it repairs itself before it answers, and may end once more, for
        instance while parts of the server that died still hold its memory. Call from the
        main thread, as `start`.

        Raises
        ------
        OSError
            If its program or its log is gone.
        """
        if not self._command or self.is_running():
            raise RuntimeError("only a server that was started and ended starts again")
        self._rotate_log()
        self._spawn(self._command, self._account)

    def stop(self) -> None:
        """Stop the server (open connections are cut) and free the folder."""
        if self._process is not None:
            for number, wait_s in (
                (signal.SIGINT, _FAST_STOP_S),
                (signal.SIGQUIT, _IMMEDIATE_STOP_S),
                (signal.SIGKILL, None),
            ):
                self._process.send_signal(number)
                try:
                    self._process.wait(wait_s)
                    break
                except subprocess.TimeoutExpired:
                    _LOG.warning("PostgreSQL ignored signal %d, going on", number)
            self._process = None
        if self._socket_dir is not None:
            shutil.rmtree(self._socket_dir, ignore_errors=True)
            self._socket_dir = None
            self._socket_record.unlink(missing_ok=True)
        if self._lock is not None:
            self._lock.release()
            self._lock = None
        if self._throw_away is not None:
            shutil.rmtree(self._home, ignore_errors=True)
            self._throw_away.unlink(missing_ok=True)
            self._throw_away = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    # --- where ---------------------------------------------------------------

    @property
    def _cluster(self) -> Path:
        return self._home / "cluster"

    @property
    def _password_path(self) -> Path:
        return self._home / "password"

    @property
    def _socket_record(self) -> Path:
        return self._home / "socket-folder"

    def _settle(self) -> Account | None:
        """Choose the cluster's home, lock it, and say who runs the server."""
        pointer = self._data_dir / "postgres" / "kept-in"
        if not pointer.parent.is_dir():
            pointer.parent.mkdir(parents=True, exist_ok=True)
            pointer.parent.chmod(0o711)
        if pointer.is_file():
            self._home = Path(pointer.read_text(encoding="utf-8").strip())
            if not self._home.is_dir():
                raise RuntimeFailure(
                    f"the database of {self._data_dir} is kept in {self._home} "
                    f"(according to {pointer}), but that folder is missing",
                    f"restore {self._home}, or delete {pointer} to begin with an "
                    "empty database",
                )
        account = postgres_binaries.account_for(self._cluster)
        if not postgres_binaries.can_enter(self._home, account):
            if account is None or self._cluster.exists():
                name = account.name if account else "you"
                raise RuntimeFailure(
                    f"user `{name}`, which runs the database, cannot enter "
                    f"{self._home}",
                    f"run the application as the user who made {self._data_dir}, or "
                    "let that user pass its parent folders",
                )
            self._home = self._move_out(pointer)
        self._take_lock()
        if self._cluster.exists() and not os.access(self._cluster, os.R_OK):
            owner = self._cluster.stat().st_uid
            raise RuntimeFailure(
                f"the database folder {self._cluster} belongs to another user "
                f"(number {owner})",
                "run the application as the user who made it (root, if it was made "
                "by root), or choose another folder with TIERWRIGHT_DATA_DIR",
            )
        return account

    def _move_out(self, pointer: Path) -> Path:
        """Make a home that an unprivileged account can enter; leave a pointer."""
        name = hashlib.sha256(os.fsencode(self._data_dir)).hexdigest()[:12]
        if self._durable:
            base = postgres_binaries.SYSTEM_STATE
            postgres_binaries.make_public_folder(base)
        else:
            base = Path(tempfile.gettempdir())
            self._throw_away = pointer
        # The random part: a deleted and newly made data folder begins anew.
        home = base / f"tierwright-{name}-{secrets.token_hex(4)}"
        home.mkdir(mode=0o711)
        home.chmod(0o711)
        (home / "belongs-to").write_bytes(os.fsencode(self._data_dir) + b"\n")
        pointer.write_text(f"{home}\n", encoding="utf-8")
        return home

    def _take_lock(self) -> None:
        lock = ProcessLock(self._home / "lock")
        try:
            lock.acquire(data_dir=str(self._data_dir))
        except LockHeld as held:
            raise RuntimeFailure(
                f"the database in {self._home} is in use by process "
                f"{held.holder.get('pid', '(unknown)')}",
                "stop that process, or choose another folder with TIERWRIGHT_DATA_DIR",
            ) from None
        self._lock = lock

    def _choose_socket_dir(self, account: Account | None) -> Path:
        """Make a fresh folder whose path is short enough for a socket."""
        longest = len(f"/{_SOCKET_PREFIX}12345678/.s.PGSQL.{_PORT}")
        bases = [self._home, os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir()]
        for base in (*bases, "/tmp"):
            path = os.fsencode(base) if base else b""
            # PostgreSQL reads the setting as a list and unquotes it.
            plain = not set(path) & set(b",\"'\\ ") and path.startswith(b"/")
            if not plain or len(path) + longest > _SOCKET_PATH_MAX:
                continue
            if not (os.access(os.fsdecode(path), os.W_OK | os.X_OK)):
                continue
            if not postgres_binaries.can_enter(Path(os.fsdecode(path)), account):
                continue
            made = Path(tempfile.mkdtemp(prefix=_SOCKET_PREFIX, dir=os.fsdecode(path)))
            self._socket_record.write_text(str(made), encoding="utf-8")
            if account is not None:
                os.chown(made, account.uid, account.gid)
            return made
        raise RuntimeFailure(
            "there is no writable folder for the database's socket whose path has "
            f"less than {_SOCKET_PATH_MAX} bytes",
            "set TMPDIR or XDG_RUNTIME_DIR to a short path",
        )

    # --- the cluster ---------------------------------------------------------

    def _check_version(self, binaries: Binaries) -> None:
        marker = self._cluster / "PG_VERSION"
        if not marker.is_file():
            return
        found = marker.read_text(encoding="ascii").strip()
        if found != str(binaries.major):
            raise RuntimeFailure(
                f"the database in {self._cluster} was made by PostgreSQL {found}, "
                f"and PostgreSQL {binaries.version} cannot read it",
                "start it once with the version that made it and export it with "
                f"pg_dump, or put PostgreSQL {found} in PATH and set "
                "TIERWRIGHT_DATABASE_URL to it, or move the folder away to start with "
                "an empty database",
            )

    def _end_leftovers(self) -> None:
        """Stop what a killed owner left behind; we hold the lock, so it is orphaned."""
        deadline = time.monotonic() + _FAST_STOP_S
        told = False
        while orphans := list(_servers_in(self._cluster)):
            if not told:
                self._progress("ending a database server that lost its application")
                for orphan in orphans:
                    _signal(orphan, signal.SIGINT)
                told = True
            elif time.monotonic() > deadline:
                for orphan in orphans:
                    _signal(orphan, signal.SIGKILL)
            time.sleep(0.05)
        # No server is left, so a pid file is stale. PostgreSQL would see so itself,
        # except where the number now names a zombie or a stranger.
        (self._cluster / "postmaster.pid").unlink(missing_ok=True)
        if self._socket_record.is_file():
            old = Path(self._socket_record.read_text(encoding="utf-8"))
            if old.name.startswith(_SOCKET_PREFIX):
                shutil.rmtree(old, ignore_errors=True)
            self._socket_record.unlink()

    def _create_cluster(self, binaries: Binaries, account: Account | None) -> None:
        self._progress("making the database")
        scratch = self._home / "cluster.new"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(mode=0o700)
        password = secrets.token_urlsafe(32)
        given = self._home / "password.new"
        for path in (self._password_path, given):
            path.unlink(missing_ok=True)
            with open(path, "x", opener=_private, encoding="ascii") as file:
                file.write(password)
        if account is not None:
            os.chown(scratch, account.uid, account.gid)
            os.chown(given, account.uid, account.gid)
        command = [
            str(binaries.folder / "initdb"),
            f"--pgdata={scratch}",
            f"--username={_NAME}",
            f"--pwfile={given}",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
        ]
        if binaries.major >= 17:  # noqa: PLR2004 - the first with its own C.UTF-8
            command += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        if not self._durable:
            command += ["--no-sync", "--wal-segsize=1"]
        try:
            made = subprocess.run(
                command,
                user=account.uid if account else None,
                group=account.gid if account else None,
                extra_groups=[] if account else None,
                env=postgres_binaries.clean_environment(),
                cwd=scratch,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
        finally:
            given.unlink(missing_ok=True)
        if made.returncode != 0:
            shutil.rmtree(scratch, ignore_errors=True)
            output = made.stdout.decode(errors="replace")
            raise _failure(f"cannot make a database in {self._home}", output)
        scratch.rename(self._cluster)

    def _read_password(self) -> None:
        try:
            self._password = self._password_path.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            raise RuntimeFailure(
                f"the database's password file {self._password_path} is missing",
                f"restore it, or move {self._cluster} away to start with an empty "
                "database",
            ) from None

    # --- the server ----------------------------------------------------------

    def _launch(self, binaries: Binaries, account: Account | None) -> None:
        self._socket_dir = self._choose_socket_dir(account)
        settings = _SETTINGS | {"unix_socket_directories": str(self._socket_dir)}
        if not self._durable:
            settings |= _NOT_DURABLE
        if binaries.major >= 18:  # noqa: PLR2004 - no helper processes for so little I/O
            settings["io_method"] = "sync"
        command = [str(binaries.folder / "postgres"), "-D", str(self._cluster)]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        self._rotate_log()
        self._command, self._account = command, account
        deadline = time.monotonic() + self._start_timeout_s
        while True:
            log_start = self._spawn(command, account)
            if self._wait_until_ready(deadline):
                return
            output = self._log_since(log_start)
            # Children of a killed server need a moment to notice; then it works.
            if "still in use" not in output or time.monotonic() > deadline:
                raise _failure(
                    f"PostgreSQL {binaries.version} did not start (its log: "
                    f"{self.log_path})",
                    output,
                )
            self._progress("waiting for the rest of an earlier database server to end")
            time.sleep(0.3)

    def _spawn(self, command: list[str], account: Account | None) -> int:
        with open(self.log_path, "ab", opener=_private) as log:
            log_start = log.tell()
            self._process = subprocess.Popen(
                guarded_command(
                    command,
                    # As PostgreSQL understands it: cut connections and shut down.
                    signal_number=signal.SIGINT,
                    uid=account.uid if account else None,
                    gid=account.gid if account else None,
                ),
                env=postgres_binaries.clean_environment(),
                cwd=self._home,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # Out of reach of the terminal's Ctrl-C: we stop it, after its users.
                start_new_session=True,
            )
        return log_start

    def _wait_until_ready(self, deadline: float) -> bool:
        """Wait until the server answers; False when it ended instead."""
        began = time.monotonic()
        next_word = began + 5.0
        pause_s = 0.01
        while self.is_running():
            try:
                with self._connect("postgres"):
                    return True
            except psycopg.OperationalError as error:
                last = error
            now = time.monotonic()
            if now > deadline:
                raise _failure(
                    f"PostgreSQL did not answer within {self._start_timeout_s:.0f} s "
                    f"(its log: {self.log_path}): {last}",
                    self._log_since(0),
                )
            if now > next_word:
                self._progress(
                    f"the database is still starting after {now - began:.0f} s; "
                    "after a crash it repairs itself first"
                )
                next_word = now + 5.0
            time.sleep(pause_s)
            pause_s = min(pause_s * 1.5, 0.25)
        return False

    def _create_database(self) -> None:
        with self._connect("postgres") as connection:
            query = "SELECT 1 FROM pg_database WHERE datname = %s"
            if connection.execute(query, [_NAME]).fetchone() is None:
                connection.execute(
                    sql.SQL("CREATE DATABASE {}").format(sql.Identifier(_NAME))
                )

    def _connect(self, database: str) -> psycopg.Connection[tuple[object, ...]]:
        url = self._url(database)
        address = conninfo.make_conninfo(
            user=url.username,
            password=url.password,
            dbname=url.database,
            host=str(self._socket_dir),
            port=_PORT,
            connect_timeout=10,
        )
        return psycopg.connect(address, autocommit=True)

    def _url(self, database: str) -> URL:
        if self._socket_dir is None:
            raise RuntimeError("the database is not started")
        return URL.create(
            "postgresql+psycopg",
            username=_NAME,
            password=self._password,
            database=database,
            query={"host": str(self._socket_dir), "port": _PORT},
        )

    def _rotate_log(self) -> None:
        try:
            if self.log_path.stat().st_size > _LOG_BYTES_MAX:
                self.log_path.replace(self.log_path.with_name("server.log.1"))
        except FileNotFoundError:
            pass

    def _log_since(self, position: int) -> str:
        with self.log_path.open("rb") as log:
            size = log.seek(0, os.SEEK_END)
            log.seek(max(position, size - 20_000))
            return log.read().decode(errors="replace")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _servers_in(cluster: Path) -> Iterator[psutil.Process]:
    """PostgreSQL processes that work in a cluster; a zombie is dead."""
    try:
        wanted = cluster.resolve(strict=True)
    except OSError:
        return
    for process in psutil.process_iter():
        try:
            if (
                process.name().startswith("postgres")
                and process.status() != psutil.STATUS_ZOMBIE
                and Path(process.cwd()).resolve() == wanted
            ):
                yield process
        except (psutil.Error, OSError):
            continue  # gone meanwhile, or not ours to look at


def _signal(process: psutil.Process, number: int) -> None:
    try:
        process.send_signal(number)
    except psutil.NoSuchProcess:
        return


def _failure(message: str, output: str) -> RuntimeFailure:
    """Make an error of what a program of PostgreSQL printed."""
    lines = [line for line in output.splitlines() if line.strip()]
    told = "\n".join(f"  {line}" for line in lines[-8:])
    if "No space left on device" in output or "Check free disk space" in output:
        hint = "free some space on that disk, or choose a folder on another one"
    elif "could not look up effective user ID" in output:
        hint = "give this user number a name (in /etc/passwd), or name another server "
        hint += "with TIERWRIGHT_DATABASE_URL"
    elif "Permission denied" in output:
        hint = "choose a folder you may write, with TIERWRIGHT_DATA_DIR"
    else:
        hint = "the lines above are PostgreSQL's own; TIERWRIGHT_DATABASE_URL can "
        hint += "name another server"
    return RuntimeFailure(f"{message}\n{told}" if told else message, hint)


def _explain(error: OSError, home: Path) -> NoReturn:
    hints = {
        errno.ENOSPC: "free some space on that disk, or choose a folder on another one",
        errno.EROFS: "the file system is read-only: choose another folder",
    }
    hint = hints.get(
        error.errno or 0,
        "choose a folder you may write, with --data-dir or TIERWRIGHT_DATA_DIR",
    )
    raise RuntimeFailure(
        f"cannot keep the database in {home}: {error}", hint
    ) from error
