"""The application's own PostgreSQL."""

import json
import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import psutil
import psycopg
import pytest
from live_app import PATIENCE_S, eventually
from sqlalchemy import create_engine, make_url, text

from tierwright_server.common.runtime_error import RuntimeFailure
from tierwright_server.runtime import postgres_binaries
from tierwright_server.runtime.embedded_postgres import EmbeddedPostgres

pytestmark = [pytest.mark.db, pytest.mark.long]

OWNER = """
import sys, time
from tierwright_server.runtime.embedded_postgres import EmbeddedPostgres
database = EmbeddedPostgres(sys.argv[1], durable=sys.argv[2] == "durable")
database.start()
print(database.pid, flush=True)
time.sleep(9999)
"""


def postgres(folder: Path) -> EmbeddedPostgres:
    return EmbeddedPostgres(folder, durable=False, start_timeout_s=PATIENCE_S)


def query(url: str, statement: str) -> list[tuple[object, ...]]:
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            result = connection.execute(text(statement))
            return [tuple(row) for row in result] if result.returns_rows else []
    finally:
        engine.dispose()


def is_dead(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def start_owner(folder: Path, durable: str = "") -> tuple[subprocess.Popen[str], int]:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(folder), durable],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert owner.stdout is not None
    return owner, int(owner.stdout.readline())


def end_owner(owner: subprocess.Popen[str]) -> None:
    owner.kill()
    owner.wait()
    assert owner.stdout is not None
    owner.stdout.close()


def test_it_keeps_data_over_a_stop_and_leaves_no_process(folder: Path) -> None:
    with postgres(folder) as database:
        first = database.pid
        query(database.url, "CREATE TABLE kept AS SELECT 42 AS answer")
    assert first is not None
    assert is_dead(first)
    with postgres(folder) as database:
        assert query(database.url, "SELECT answer FROM kept") == [(42,)]
        assert database.pid != first


def test_it_is_private_and_independent_of_the_machines_locale(made: Path) -> None:
    with postgres(made) as database:
        secret = made / "postgres" / "password"
        assert stat.S_IMODE(secret.stat().st_mode) == 0o600
        assert len(secret.read_text()) >= 32
        cluster = made / "postgres" / "cluster"
        assert stat.S_IMODE(cluster.stat().st_mode) == 0o700
        url = make_url(database.url)
        socket_dir = Path(str(url.query["host"]))
        assert stat.S_IMODE(socket_dir.stat().st_mode) == 0o700
        assert len(os.fsencode(socket_dir / ".s.PGSQL.5432")) <= 107
        assert query(
            database.url,
            "SELECT current_setting('listen_addresses'), datlocprovider::text, "
            "current_setting('server_encoding') FROM pg_database "
            "WHERE datname = current_database()",
        ) == [("", "b", "UTF8")]
        wrong = url.set(password="wrong")
        with pytest.raises(psycopg.OperationalError, match="password authentication"):
            psycopg.connect(
                user=wrong.username,
                password=wrong.password,
                dbname=wrong.database,
                host=str(socket_dir),
            )
        assert not socket_dir.is_symlink()
    assert not socket_dir.exists()


def test_root_never_runs_it(made: Path) -> None:
    with postgres(made) as database:
        assert database.pid is not None
        runner = psutil.Process(database.pid).username()
    expected = "nobody" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    assert runner == os.environ.get("TIERWRIGHT_POSTGRES_USER", expected)


@pytest.mark.parametrize(
    "name",
    ["a folder, with 'signs' and ünïcödé", "long/" + "/".join(["x" * 60] * 4)],
    ids=["signs", "long"],
)
def test_any_folder_name_will_do(folder: Path, name: str) -> None:
    place = folder / name
    with postgres(place) as database:
        assert query(database.url, "SELECT 1") == [(1,)]
    assert (place / "postgres" / "cluster" / "PG_VERSION").is_file()


def test_a_killed_server_recovers_at_the_next_start(made: Path) -> None:
    database = EmbeddedPostgres(made, start_timeout_s=PATIENCE_S)
    database.start()
    query(database.url, "CREATE TABLE kept AS SELECT 42 AS answer")
    assert database.pid is not None
    os.kill(database.pid, signal.SIGKILL)
    assert eventually(lambda: not database.is_running())
    database.stop()
    with EmbeddedPostgres(made, start_timeout_s=PATIENCE_S) as database:
        assert query(database.url, "SELECT answer FROM kept") == [(42,)]


def test_a_killed_owner_takes_its_server_along(made: Path) -> None:
    owner, server = start_owner(made)
    assert not is_dead(server)
    end_owner(owner)
    assert eventually(lambda: is_dead(server))


def test_a_start_right_after_killing_server_and_owner_works(made: Path) -> None:
    owner, server = start_owner(made, "durable")
    os.kill(server, signal.SIGKILL)
    end_owner(owner)
    record = made / "postgres" / "socket-folder"
    left = Path(record.read_text())
    assert left.is_dir()
    with EmbeddedPostgres(made, start_timeout_s=PATIENCE_S) as database:
        assert query(database.url, "SELECT 1") == [(1,)]
        assert not left.exists()
    assert not record.exists()


def test_an_orphaned_server_is_ended_before_a_new_one_starts(made: Path) -> None:
    with postgres(made) as database:
        started_by = database.pid
        assert started_by is not None
        command = psutil.Process(started_by).cmdline()
        runner = psutil.Process(started_by).uids().real
    # Started by hand, it has no owner to follow: as after a kill on macOS.
    socket_dir = made / "postgres" / "orphan"
    socket_dir.mkdir()
    os.chown(socket_dir, runner, -1)
    command[-1] = "io_method=sync" if "io_method" in command[-1] else command[-1]
    command = [
        f"unix_socket_directories={socket_dir}" if "unix_socket_dir" in word else word
        for word in command
    ]
    orphan = subprocess.Popen(
        command,
        user=runner if os.geteuid() == 0 else None,
        extra_groups=[] if os.geteuid() == 0 else None,
        cwd="/",
        stderr=subprocess.DEVNULL,
    )
    try:
        assert eventually((socket_dir / ".s.PGSQL.5432").exists)
        with postgres(made) as database:
            assert database.pid != orphan.pid
            assert query(database.url, "SELECT 1") == [(1,)]
        assert orphan.wait(PATIENCE_S) is not None
    finally:
        orphan.kill()
        orphan.wait()


def test_a_pid_file_that_names_a_stranger_is_no_obstacle(made: Path) -> None:
    with postgres(made):
        pass
    stale = made / "postgres" / "cluster" / "postmaster.pid"
    stale.write_text(f"{os.getpid()}\n{stale.parent}\n1\n5432\n\n\n1 1\n")
    with postgres(made) as database:
        assert query(database.url, "SELECT 1") == [(1,)]


def test_of_two_starts_at_once_one_wins_and_the_other_names_it(made: Path) -> None:
    owners = [
        subprocess.Popen(
            [sys.executable, "-c", OWNER, str(made), ""],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    try:
        assert eventually(lambda: any(o.poll() is not None for o in owners), 30)
        loser, winner = sorted(owners, key=lambda owner: owner.poll() is None)
        assert winner.stdout is not None
        assert int(winner.stdout.readline()) > 0
        assert winner.poll() is None
        assert loser.stderr is not None
        said = loser.stderr.read()
        assert f"is in use by process {winner.pid}" in said
        assert "hint: " in said
    finally:
        for owner in owners:
            owner.kill()
            owner.communicate()


def test_a_folder_of_another_major_version_is_refused(made: Path) -> None:
    with postgres(made):
        pass
    (made / "postgres" / "cluster" / "PG_VERSION").write_text("14\n")
    with pytest.raises(
        RuntimeFailure, match=r"made by PostgreSQL 14.*cannot read"
    ) as e:
        postgres(made).start()
    assert "pg_dump" in e.value.hint


def test_an_interrupted_first_start_is_made_good(folder: Path) -> None:
    half = folder / "postgres" / "cluster.new"
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18\n")
    with postgres(folder) as database:
        assert query(database.url, "SELECT 1") == [(1,)]
    assert not half.exists()


def test_a_lost_password_file_is_named(made: Path) -> None:
    with postgres(made):
        pass
    (made / "postgres" / "password").unlink()
    with pytest.raises(RuntimeFailure, match=r"password file .* is missing"):
        postgres(made).start()


def test_a_file_in_place_of_the_folder_is_named(folder: Path) -> None:
    (folder / "data").write_text("")
    with pytest.raises(RuntimeFailure, match="cannot keep the database in") as caught:
        postgres(folder / "data").start()
    assert "--data-dir" in caught.value.hint


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk_is_named_and_leaves_nothing_half_made(folder: Path) -> None:
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m,mode=711", "tw-small", str(folder)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip("this container may not mount")
    try:
        with pytest.raises(
            RuntimeFailure, match=r"(?i)disk space|no space left"
        ) as caught:
            postgres(folder).start()
        assert "free some space" in caught.value.hint
        assert not list((folder / "postgres").glob("cluster*"))
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes accounts")
def test_root_in_a_closed_folder_keeps_the_cluster_elsewhere(folder: Path) -> None:
    closed = folder / "closed"
    closed.mkdir(mode=0o700)
    with postgres(closed / "data") as database:
        assert query(database.url, "SELECT 1") == [(1,)]
        home = Path((closed / "data" / "postgres" / "kept-in").read_text().strip())
        assert (home / "cluster" / "PG_VERSION").is_file()
        assert home.parent == Path("/tmp")  # a throw-away one
    assert not home.exists()
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes accounts")
def test_root_copies_programs_that_others_cannot_reach(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody = postgres_binaries.account_for(folder)
    real = postgres_binaries.find_binaries(nobody).folder
    if "pixeltable" not in str(real):
        pytest.skip("the wheel's programs do not run on this machine")
    closed = folder / "closed"
    closed.mkdir(mode=0o700)
    package = real.parent.parent
    (closed / package.name).mkdir(parents=True)
    install = real.parent.name
    shutil.copytree(package / install, closed / package.name / install)
    libraries = f"{package.name}.libs"
    shutil.copytree(package.parent / libraries, closed / libraries)
    hidden = closed / package.name / install / "bin"
    monkeypatch.setattr(postgres_binaries, "_wheel_folder", lambda: hidden)
    monkeypatch.setattr(postgres_binaries, "SYSTEM_STATE", folder / "state")
    found = postgres_binaries.find_binaries(nobody)
    assert (folder / "state") in found.folder.parents
    again = postgres_binaries.find_binaries(nobody)
    assert again == found
    with postgres(folder / "data") as database:
        assert query(database.url, "SELECT 1") == [(1,)]
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes accounts")
@pytest.mark.parametrize("name", ["root", "no-such-user"])
def test_root_needs_an_unprivileged_account(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("TIERWRIGHT_POSTGRES_USER", name)
    with pytest.raises(RuntimeFailure, match=f"must not run as root.*`{name}`"):
        postgres(folder).start()


def test_without_the_wheel_an_installed_postgres_serves(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_binaries, "_wheel_folder", lambda: None)
    try:
        found = postgres_binaries.find_binaries(postgres_binaries.account_for(folder))
    except RuntimeFailure:
        pytest.skip("no PostgreSQL is installed on this machine")
    with postgres(folder) as database:
        version = query(database.url, "SHOW server_version_num")
        assert version[0][0].startswith(str(found.major))


def test_without_any_postgres_the_error_says_what_was_tried(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = folder / "bin"
    broken.mkdir()
    (broken / "postgres").write_text("#!/bin/sh\nexit 132\n")
    (broken / "postgres").chmod(0o755)
    monkeypatch.setattr(postgres_binaries, "_wheel_folder", lambda: None)
    monkeypatch.setattr(postgres_binaries, "_system_folders", lambda: [broken])
    with pytest.raises(RuntimeFailure, match=f"{broken}/postgres does not run") as e:
        postgres(folder).start()
    assert "TIERWRIGHT_DATABASE_URL" in e.value.hint


def test_variables_of_libpq_do_not_lead_it_astray(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPORT", "1")
    monkeypatch.setenv("PGDATA", "/nowhere")
    monkeypatch.setenv("PGHOST", "db.invalid")
    monkeypatch.setenv("PGUSER", "somebody")
    with postgres(made) as database:
        assert query(database.url, "SELECT current_user") == [("tierwright",)]


def test_the_lock_file_says_whose_it_is(made: Path) -> None:
    with postgres(made):
        lock = json.loads((made / "postgres" / "lock").read_text())
        assert lock == {"pid": str(os.getpid()), "data_dir": str(made)}
