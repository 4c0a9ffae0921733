"""Previews in a process of their own: what a hostile file can do, and what it cannot."""

import asyncio
import contextlib
import http.client
import lzma
import os
import select
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from live_app import PATIENCE_S, REPOSITORY, children_running, run_application

from tierwright_server.common.errors import TimedOut
from tierwright_server.common.settings import Settings
from tierwright_server.jobs import brief
from tierwright_server.jobs.limits import ran_out_of_memory
from tierwright_server.traces.uploads import preview

TABLE = REPOSITORY / "fixtures" / "traces" / "table.parquet"
TRIES = 20
"""How often it is tried to halt a child before it has done."""
COLUMNS = {"page": "when", "op": "op", "read_values": "Read", "write_values": "Write"}


def hostile_table() -> bytes:
    """Make a table whose first page says that it has 2 GiB when unpacked.

    The header of a page is Thrift in its compact form: the second field, an `i32` of
    variable length behind `0x15`, is the size of the unpacked page.
    """
    data = TABLE.read_bytes()
    assert data[:7] == b"PAR1\x15\x04\x15"
    end = 7
    while data[end] & 0x80:
        end += 1
    return data[:7] + b"\xfe\xff\xff\xff\x0f" + data[end + 1 :]


def large_dictionary() -> bytes:
    """Make a small file that cannot be unpacked without a dictionary of 96 MiB."""
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 96 * 2**20}]
    text = b"time_us,op,rel,block\n" + b"".join(
        b"%d,R,0/1,%d\n" % (i, i) for i in range(9)
    )
    return lzma.compress(text, filters=filters)


@pytest.fixture(scope="module")
def narrow(make_settings):
    """An application whose children may have little memory."""
    settings = make_settings(preview_memory_bytes=2**28, job_memory_bytes=2**30)
    with run_application(settings) as application:
        yield application


class TestHostile:
    def test_a_page_that_claims_two_gigabytes_hurts_nobody(self, narrow):
        upload_id = narrow.upload(hostile_table(), "hostile.parquet")
        body = {"format": "parquet", "columns": COLUMNS}
        problem = narrow.post(f"/uploads/{upload_id}/preview", body, 422)
        assert problem["type"] == "urn:tierwright:problem:preview-stopped"
        assert "hostile.parquet" in problem["detail"]
        assert "more than the 256 MiB" in problem["detail"]
        assert "TIERWRIGHT_PREVIEW_MEMORY_BYTES" in problem["hint"]
        good = narrow.upload(TABLE.read_bytes(), "good.parquet")
        shown = narrow.post(f"/uploads/{good}/preview", body, 200)
        assert shown["format"] == "parquet"

    def test_nor_does_its_conversion(self, narrow):
        """It is not tried again: it would end at the same limit."""
        upload_id = narrow.upload(hostile_table(), "hostile.parquet")
        workload = narrow.post(
            "/workloads",
            {
                "upload_id": upload_id,
                "name": "hostile",
                "format": "parquet",
                "columns": COLUMNS,
            },
            202,
        )
        run = narrow.wait_run(workload["run"]["id"])
        assert (run["status"], run["attempts"]) == ("failed", 1)
        assert "more memory than its cap of 1.0 GiB" in run["error"]
        assert "TIERWRIGHT_JOB_MEMORY_BYTES" in run["hint"]

    def test_a_dictionary_that_is_larger_than_the_limit(self, make_settings):
        settings = make_settings(preview_memory_bytes=2**26)
        with run_application(settings, workers=0) as application:
            upload_id = application.upload(large_dictionary(), "large.csv.xz")
            answer = application.client.post(f"/uploads/{upload_id}/preview", json={})
            assert answer.status_code == 422
            assert "large.csv.xz" in answer.json()["detail"]
            application.get("/health")


def test_the_usual_limit_is_enough_for_the_largest_window(application):
    upload_id = application.upload(large_dictionary(), "large.csv.xz")
    shown = application.post(f"/uploads/{upload_id}/preview", {}, 200)
    assert (shown["format"], shown["compression"]) == ("postgres_csv", "xz")


def children() -> set[int]:
    return {child.pid for child in psutil.Process().children()}


async def _late(settings: Settings, path: Path) -> None:
    with pytest.raises(TimedOut, match=r"within 0\.001 s"):
        await preview.read_head(settings, {"path": str(path)}, "late.csv")


def test_a_child_that_takes_too_long_is_gone(tmp_path):
    path = tmp_path / "late.csv"
    path.write_bytes(b"time_us,op,rel,block\n1,R,0/1,2\n")
    before = children()
    asyncio.run(_late(Settings(preview_timeout_s=0.001), path))
    assert children() <= before


def _halted(asked: http.client.HTTPConnection) -> list[psutil.Process]:
    """Halt the child of a preview while it reads; nothing where it was answered first."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        answered, _, _ = select.select([asked.sock], [], [], 0.001)
        if answered:
            return []
        halted = children_running("tierwright_server.traces.uploads.preview_child")
        if halted:
            for each in halted:
                with contextlib.suppress(psutil.NoSuchProcess):
                    each.suspend()
            return halted
    pytest.fail(f"no child within {PATIENCE_S} s, and no answer")


def test_a_client_that_goes_ends_its_preview(make_settings):
    settings = make_settings(preview_timeout_s=10 * PATIENCE_S)
    with run_application(settings, workers=0) as application:
        upload_id = application.upload(b"time_us,op,rel,block\n1,R,0/1,2\n", "head.csv")
        at = application.client.base_url
        # A head of one line may be read before its child is seen: then once more.
        for _ in range(TRIES):
            with contextlib.closing(
                http.client.HTTPConnection(at.host, at.port)
            ) as client:
                client.request(
                    "POST",
                    f"{at.path}uploads/{upload_id}/preview",
                    "{}",
                    {"Content-Type": "application/json"},
                )
                if halted := _halted(client):
                    break
        else:
            pytest.fail("no child was halted before it had read the head")
        _, alive = psutil.wait_procs(halted, timeout=PATIENCE_S)
        assert alive == []
        shown = application.post(f"/uploads/{upload_id}/preview", {}, 200)
        assert shown["format"] == "postgres_csv"


async def _killed(path: Path) -> None:
    known = children()

    def kill() -> None:
        while not (new := children() - known):
            time.sleep(0.001)
        for pid in new:
            psutil.Process(pid).kill()

    os.mkfifo(path)  # nobody writes to it: the child waits
    killer = asyncio.create_task(asyncio.to_thread(kill))
    with pytest.raises(preview.Stopped, match="was killed by SIGKILL") as caught:
        await preview.read_head(Settings(), {"path": str(path)}, "pipe.csv")
    assert caught.value.hint
    await killer


def test_a_child_that_is_killed_is_told(tmp_path):
    asyncio.run(_killed(tmp_path / "pipe"))


def test_a_child_knows_no_secrets(monkeypatch):
    monkeypatch.setenv("TIERWRIGHT_DATABASE_URL", "postgresql://u:s3cr3t@h/d")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s3cr3t")
    monkeypatch.setenv("PGPASSWORD", "s3cr3t")
    given = brief.environment()
    assert "s3cr3t" not in " ".join(given.values())
    assert given["PATH"] == os.environ["PATH"]


def test_a_child_writes_no_files(tmp_path):
    code = (
        "import signal, sys\n"
        "from tierwright_server.jobs.limits import write_no_files\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "write_no_files()\n"
        "with open(sys.argv[1], 'w') as file:\n"
        "    file.write('x' * 9)\n"
    )
    path = tmp_path / "written"
    ended = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, check=False
    )
    assert ended.returncode == 1
    assert b"File too large" in ended.stderr
    assert path.stat().st_size == 0


@pytest.mark.parametrize(
    ("code", "stderr", "found"),
    [
        (-6, "memory allocation of 5 bytes failed", True),
        (-6, "assertion failed", False),
        (-11, "memory allocation of 5 bytes failed", False),
        (0, "", False),
    ],
)
def test_the_end_by_a_limit_is_told_from_others(code, stderr, found):
    assert ran_out_of_memory(code, stderr) is found
