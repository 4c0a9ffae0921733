"""A disk that fills up under the server: 507, or a failed run, both naming what is largest."""

import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psycopg
import pytest
from live_app import Application, run_application

from tierwright import _simulator
from tierwright_server import job_child
from tierwright_server.jobs.report import JobFailure, Report
from tierwright_server.storage import quota
from tierwright_server.storage.db import psycopg_dsn

MIB = 2**20


@pytest.fixture(scope="module")
def small_disk(tmp_path_factory) -> Iterator[Path]:
    """A folder on a disk of its own, of 48 MiB."""
    folder = tmp_path_factory.mktemp("small-disk")
    mount = ["mount", "-t", "tmpfs", "-o", "size=48m,mode=700", "small", str(folder)]
    if (
        os.geteuid() != 0
        or shutil.which("mount") is None
        or subprocess.run(mount, check=False, capture_output=True).returncode
    ):
        pytest.skip("no disk can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture(scope="module")
def on_small_disk(make_settings, small_disk) -> Iterator[Application]:
    """An application whose files are on the small disk; its database is elsewhere."""
    settings = make_settings(
        data_dir=small_disk / "data", min_free_bytes=0, storage_limit_bytes=2**40
    )
    with run_application(settings) as application:
        application.wait_example()
        yield application


def fill(small_disk: Path, left_bytes: int) -> Path:
    """Take all of the disk but so many bytes."""
    ballast = small_disk / "ballast"
    with ballast.open("wb") as file:
        free = shutil.disk_usage(small_disk).free
        os.posix_fallocate(file.fileno(), 0, free - left_bytes)
    return ballast


def rows(count: int) -> bytes:
    blocks = np.random.default_rng(11).integers(2**30, size=count)
    lines = "\n".join(f"{at},R,0/9,{block}" for at, block in enumerate(blocks.tolist()))
    return f"time_us,op,rel,block\n{lines}\n".encode()


@pytest.mark.long
class TestUnderTheServer:
    def test_a_part_of_an_upload_is_refused_and_can_be_sent_again(
        self, on_small_disk, small_disk
    ):
        on_small_disk.upload(b"x" * MIB, "the largest one.csv")
        data = os.urandom(8 * MIB)
        path = on_small_disk.begin_upload(len(data), filename="late.csv")
        ballast = fill(small_disk, 2 * MIB)
        refused = on_small_disk.patch(path, 0, data)
        assert refused.status_code == 507, refused.text
        assert "the largest one.csv" in refused.json()["hint"]
        ballast.unlink()
        status = on_small_disk.client.head(path, headers={"Tus-Resumable": "1.0.0"})
        offset = int(status.headers["upload-offset"])
        again = on_small_disk.patch(path, offset, data[offset:])
        assert again.status_code == 204, again.text
        assert int(again.headers["upload-offset"]) == len(data)
        on_small_disk.client.delete(path, headers={"Tus-Resumable": "1.0.0"})

    def test_a_conversion_names_the_largest_and_succeeds_when_there_is_room(
        self, on_small_disk, small_disk
    ):
        upload_id = on_small_disk.upload(rows(300_000), "many rows.csv")
        ballast = fill(small_disk, MIB)
        asked = {"upload_id": upload_id, "name": "many", "import_again": True}
        made = on_small_disk.post("/workloads", asked, 202)
        run = on_small_disk.wait_run(made["run"]["id"])
        assert run["status"] == "failed"
        assert "many rows.csv" in run["hint"]
        assert "Delete what is no longer needed" in run["hint"]
        ballast.unlink()
        again = on_small_disk.post(f"/workloads/{made['id']}/read-again", None, 202)
        run = on_small_disk.wait_run(again["run"]["id"])
        assert run["status"] == "succeeded", run
        assert run["accesses"] == 300_000

    def test_an_analysis_is_refused_before_it_begins(self, on_small_disk, small_disk):
        on_small_disk.upload(b"x" * MIB, "large.csv")
        ballast = fill(small_disk, 0)
        refused = on_small_disk.client.post(
            "/windows", json={"workload_id": "example", "windows": 11}
        )
        ballast.unlink()
        assert refused.status_code == 507, refused.text
        assert "large.csv" in refused.json()["hint"]

    def test_nothing_is_named_where_nothing_can_be_deleted(self):
        assert "Delete" not in quota.what_to_delete([])


@pytest.mark.long
class TestOfTheDatabase:
    """Its disk may be another one; PostgreSQL then says so by the code 53100."""

    @pytest.fixture
    def own(self, make_settings) -> Iterator[Application]:
        with run_application(make_settings()) as application:
            application.wait_example()
            yield application

    @staticmethod
    def refuse_replays(own: Application, code: str) -> None:
        with psycopg.connect(
            psycopg_dsn(own.settings.database_url), autocommit=True
        ) as connection:
            connection.execute(
                f"""
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{code}'; END $$
                """
            )
            connection.execute(
                "CREATE TRIGGER refuse BEFORE INSERT ON replays"
                " FOR EACH ROW EXECUTE FUNCTION refuse()"
            )

    @staticmethod
    def sweep(own: Application) -> dict:
        asked = {
            "workload_id": "example",
            "contenders": [{"family": "policy", "name": "lru", "options": {}}],
            "ram_pages": [100, 200],
        }
        return own.wait_run(own.post("/sweeps", asked, 202)["run"]["id"])

    def test_a_result_that_finds_no_room_fails_its_run(self, own):
        self.refuse_replays(own, "53100")
        run = self.sweep(own)
        assert (run["status"], run["attempts"]) == ("failed", 1)
        assert "full" in run["error"]
        assert "Delete" in run["hint"]

    def test_any_other_error_of_the_database_is_tried_again_and_then_told(self, own):
        """A run that its own worker dropped would stay as running for ever."""
        self.refuse_replays(own, "P0001")
        run = self.sweep(own)
        assert (run["status"], run["attempts"]) == ("failed", 3)
        assert "around its job" in run["error"]


class TestOfAJob:
    class Silent(Report):
        def progress(self, *_: object, **__: object) -> None:
            """Say nothing."""

        def partial(self, document: dict) -> None:
            raise AssertionError(document)

    def ended(self, monkeypatch, work) -> dict:
        monkeypatch.setattr(job_child, "work_of", lambda _: work)
        spec = {"kind": "sweep", "input": {}, "memory_bytes": 2**30}
        return job_child._work(spec, self.Silent())["error"]

    @pytest.mark.parametrize(
        ("error", "no_room"),
        [
            (OSError(errno.ENOSPC, "No space left on device", "/data/a"), True),
            (OSError(errno.EDQUOT, "Disk quota exceeded"), True),
            (OSError(errno.EACCES, "Permission denied"), False),
            (JobFailure("no", no_room=True), True),
            (JobFailure("no"), False),
        ],
    )
    def test_want_of_room_is_told_apart(self, monkeypatch, error, no_room):
        def work(*_: object) -> dict:
            raise error

        assert self.ended(monkeypatch, work).get("no_room", False) is no_room

    def test_the_core_says_it_as_well(self, small_disk, tmp_path, monkeypatch):
        source = tmp_path / "rows.csv"
        source.write_bytes(rows(300_000))
        out = small_disk / "out.twt"
        ballast = fill(small_disk, MIB // 4)

        def work(*_: object) -> dict:
            return _simulator.convert(
                str(source), str(out), format="postgres_csv", page_bytes=8192
            )

        found = self.ended(monkeypatch, work)
        ballast.unlink()
        assert found["no_room"] is True
        assert str(out.parent) in found["message"]
